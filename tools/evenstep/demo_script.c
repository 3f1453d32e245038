/* SPDX-License-Identifier: Zlib */
#include "demo_script.h"

#include "tool.h"

#include <string.h>

enum { TIME_MAX = 24 };

/* One character that is printed, or "space", "comma" or "colon". */
static bool parse_key(const char *text, size_t size, char *key)
{
    static const char *const names[] = {"space", "comma", "colon"};
    static const char keys[] = {' ', ',', ':'};
    for (size_t i = 0; i < sizeof keys; ++i) {
        if (strlen(names[i]) == size && memcmp(names[i], text, size) == 0) {
            *key = keys[i];
            return true;
        }
    }
    *key = text[0];
    return size == 1 && text[0] > ' ' && text[0] < 127;
}

static bool parse_one(const char *text, size_t size, demo_script_key *out)
{
    char time[TIME_MAX];
    const char *colon = memchr(text, ':', size);
    size_t time_size = colon != NULL ? (size_t)(colon - text) : TIME_MAX;
    if (time_size >= TIME_MAX) {
        return false;
    }
    memcpy(time, text, time_size);
    time[time_size] = '\0';
    return tool_parse_seconds(time, &out->at_ns)
           && parse_key(colon + 1, size - time_size - 1, &out->key);
}

bool demo_script_parse(const char *text, void *demo_script_pointer)
{
    demo_script *script = demo_script_pointer;
    script->count = 0;
    while (*text != '\0') {
        size_t size = strcspn(text, ",");
        demo_script_key *key = &script->keys[script->count];
        if (script->count == DEMO_SCRIPT_KEYS || !parse_one(text, size, key)
                || (script->count > 0 && key->at_ns < key[-1].at_ns)) {
            return false;
        }
        script->count += 1;
        text += size;
        if (*text == ',' && *++text == '\0') {
            return false;
        }
    }
    return script->count > 0;
}

void demo_script_run(demo_script *script, int64_t since_begin_ns, demo_input *input)
{
    while (script->next < script->count && script->keys[script->next].at_ns <= since_begin_ns) {
        demo_input_key(input, script->keys[script->next++].key, input->now_ns);
    }
}
