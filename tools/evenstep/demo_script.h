/* SPDX-License-Identifier: Zlib
 *
 * demo_script: keys that are pressed by themselves, each at its time.
 */
#ifndef DEMO_SCRIPT_H
#define DEMO_SCRIPT_H

#include "demo_input.h"

enum { DEMO_SCRIPT_KEYS = 128 };

typedef struct demo_script_key {
    int64_t at_ns; /* since the run began */
    char key;
} demo_script_key;

typedef struct demo_script {
    demo_script_key keys[DEMO_SCRIPT_KEYS]; /* by time */
    size_t count, next;
} demo_script;

/** Reads "2:t,3.5:space,4:+": seconds and keys, for tool_option. */
bool demo_script_parse(const char *text, void *demo_script_pointer);

/** Presses what is due. */
void demo_script_run(demo_script *script, int64_t since_begin_ns, demo_input *input);

#endif
