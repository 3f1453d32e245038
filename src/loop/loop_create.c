/* SPDX-License-Identifier: Zlib
 *
 * Making and freeing a loop.
 */
#include "loop.h"

#include <string.h>

_Static_assert(sizeof(es_loop) <= ES_LOOP_BYTES, "it holds a loop");
_Static_assert(_Alignof(es_loop) <= _Alignof(max_align_t), "as memory of malloc");

/* Sizes that differ would let the library write beyond the program's structs. */
static bool sizes_match(const uint32_t sizes[6])
{
    const uint32_t mine[6] = ES_SIZES_;
    return sizes != NULL && sizes[0] / 1000 == mine[0] / 1000
           && memcmp(sizes + 1, mine + 1, 5 * sizeof mine[0]) == 0;
}

es_loop *es_loop_create_checked(
        const es_loop_config *config, void *memory, size_t size, const uint32_t sizes[6])
{
    const es__error other = {NULL, "evenstep.h is of another version than the library"};
    const es__error small = {"memory", "must have ES_LOOP_BYTES, aligned as memory of malloc"};
    es__error error = {NULL, NULL};
    if (!sizes_match(sizes)) {
        es__fail(ES_ERR_INVALID, "es_loop_create", &other);
        return NULL;
    }
    bool is_given = memory != NULL || size > 0;
    bool fits = size >= sizeof(es_loop) && (uintptr_t)memory % _Alignof(es_loop) == 0;
    if (is_given && (memory == NULL || !fits)) {
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

/* For other languages: the names are macros in C. */

es_loop *(es_loop_create)(const es_loop_config *config)
{
    return es_loop_create_(config);
}

es_loop *(es_loop_create_in)(void *memory, size_t size, const es_loop_config *config)
{
    return es_loop_create_in_(memory, size, config);
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
