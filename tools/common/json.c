/* SPDX-License-Identifier: Zlib */
#include "json.h"

#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

json_t *tool_json_rounded(double value, int decimals)
{
    double unit = pow(10.0, decimals);
    double rounded = round(value * unit) / unit;
    return isnan(value) ? json_null() : json_real(rounded == 0.0 ? 0.0 : rounded);
}

json_t *tool_json_number(double value)
{
    return tool_json_rounded(value, 6);
}

void tool_make_utf8(char *text)
{
    json_t *string = json_string(text);
    for (char *c = text; string == NULL && *c != '\0'; ++c) {
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    json_decref(string);
}

bool tool_json_write(json_t *root, const char *path)
{
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(root);
    if (text == NULL) {
        errno = ENOMEM; /* jansson does not set it */
        return false;
    }
    FILE *file = tool_open(path);
    if (file != NULL) {
        fprintf(file, "%s\n", text);
    }
    free(text);
    return file != NULL && tool_close(file);
}
