/* SPDX-License-Identifier: Zlib */
#include "tool.h"

const char *tool_version(void)
{
    static char text[32];
    int version = es_version();
    snprintf(text, sizeof text, "%d.%d.%d", version / 1000000, version / 1000 % 1000,
            version % 1000);
    return text;
}

static const struct {
    es_result result;
    const char *name, *text;
} results[] = {
        {ES_OK, "ES_OK", "success"},
        {ES_ERR_INVALID, "ES_ERR_INVALID", "an argument or a field is out of its range"},
        {ES_ERR_STATE, "ES_ERR_STATE", "the call is out of order"},
        {ES_ERR_RANGE, "ES_ERR_RANGE", "the result does not fit the range of the type"},
        {ES_ERR_UNSUPPORTED, "ES_ERR_UNSUPPORTED", "this platform or clock cannot do that"},
        {ES_ERR_SPACE, "ES_ERR_SPACE", "the caller's memory is too small"},
        {ES_ERR_REFUSED, "ES_ERR_REFUSED", "the system does not allow it"},
        {ES_ERR_FULL, "ES_ERR_FULL", "there is no space at the moment"},
        {ES_ERR_IO, "ES_ERR_IO", "reading or writing failed"},
        {ES_ERR_DAMAGED, "ES_ERR_DAMAGED", "the bytes are not those that were written"},
        {ES_ERR_DIFFERS, "ES_ERR_DIFFERS", "two runs that should be equal differ"},
};

const char *tool_result_name(es_result result)
{
    for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i) {
        if (results[i].result == result) {
            return results[i].name;
        }
    }
    return "ES_UNKNOWN";
}

const char *tool_result_text(es_result result)
{
    for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i) {
        if (results[i].result == result) {
            return results[i].text;
        }
    }
    return "not a result of the library";
}
