/* SPDX-License-Identifier: Zlib
 *
 * verify: lets `evenstep replay --verify` run your program's recordings again. Compile a shared object
 * of your update, your layout and this definition; the library need not be in it:
 *
 *   #include "verify.h"
 *   const es_verify es_verify_program = {ES_VERSION, "my game", &layout, create, free, update, NULL};
 *
 *   evenstep replay --verify recordings --program ./my_game.so
 *
 * docs/verification.md has the rest, examples/20_verified_game.c a program.
 */
#ifndef EVENSTEP_ADAPTERS_VERIFY_H
#define EVENSTEP_ADAPTERS_VERIFY_H

#include "evenstep/world.h"

typedef struct es_verify {
    uint32_t version;        /* ES_VERSION: another minor version is refused */
    const char *name;        /* other recordings than those with this tag "program" are refused;
                                NULL: none are */
    const es_layout *layout; /* of the state */
    /* A state, into which a recording's first state is then loaded. NULL: out of memory. */
    void *(*create)(void);
    void (*destroy)(void *state);
    /* One tick. Any result but 0: its input is not valid. */
    int (*update)(void *state, const es_step *step, const void *input, size_t size);
    /* A state was loaded: rebuild what is derived from it. Any result but 0: it is not valid. May be
     * NULL. */
    int (*loaded)(void *state, int64_t tick);
} es_verify;

#ifdef __cplusplus
extern "C" {
#endif
/* The symbol that the command looks up. */
#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
        extern const es_verify es_verify_program;
#ifdef __cplusplus
}
#endif

#endif
