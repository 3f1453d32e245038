/* SPDX-License-Identifier: Zlib
 *
 * Making and freeing a loop.
 */
#include "loop_parts.h"

#include <stdio.h>

_Static_assert(sizeof(es_loop) <= ES_LOOP_BYTES, "es_loop_memory holds a loop");

/* Sizes that differ would let the library write beyond the program's structs. */
static bool header_matches(const es_header *header)
{
    return header != NULL && header->version / 1000 == ES_VERSION / 1000
           && header->config_size == sizeof(es_loop_config)
           && header->frame_size == sizeof(es_frame) && header->step_size == sizeof(es_step)
           && header->report_size == sizeof(es_report)
           && header->display_size == sizeof(es_display);
}

es_loop *es_loop_create_checked(
        const es_loop_config *config, void *memory, size_t size, const es_header *header)
{
    const es_error other = {NULL, "evenstep.h is of another version than the library"};
    const es_error small = {"memory", "must have ES_LOOP_BYTES, aligned as es_loop_memory"};
    es_error error = {NULL, NULL};
    if (!header_matches(header)) {
        es__fail(ES_ERR_INVALID, "es_loop_create", &other);
        return NULL;
    }
    bool fits = size >= sizeof(es_loop) && (uintptr_t)memory % _Alignof(es_loop) == 0;
    if (memory != NULL && !fits) {
        es__fail(ES_ERR_SPACE, "es_loop_create_in", &small);
        return NULL;
    }
    es_loop *loop = memory != NULL ? memory : es__allocate(sizeof *loop);
    if (loop == NULL) {
        return NULL;
    }
    if (!es__fail_if(es__loop_init(loop, config, &error), "es_loop_config", &error)) {
        if (memory == NULL) {
            es__free(loop);
        }
        return NULL;
    }
    loop->allocated = memory == NULL;
    return loop;
}

void es_loop_destroy(es_loop *loop)
{
    if (loop != NULL && loop->hooks != NULL) {
        loop->hooks->destroyed(loop->hooks_user);
    }
    if (loop != NULL && loop->allocated) {
        es__free(loop);
    } else if (loop != NULL) {
        loop->initialised = false;
    }
}
