/* SPDX-License-Identifier: Zlib */
#include "common.h"

#include "evenstep/version.h"

#include <stdio.h>
#include <stdlib.h>

#define ES_TEXT_OF(x) #x
#define ES_TEXT(x)    ES_TEXT_OF(x)

const char *es_version(void)
{
    return ES_TEXT(ES_VERSION_MAJOR) "." ES_TEXT(ES_VERSION_MINOR) "." ES_TEXT(ES_VERSION_PATCH);
}

const char *es_result_name(es_result result)
{
    switch (result) {
#define ES_RESULT_NAME(name, value, message)                                                       \
    case name:                                                                                     \
        return #name;
        ES_RESULTS(ES_RESULT_NAME)
#undef ES_RESULT_NAME
    }
    return "ES_UNKNOWN";
}

const char *es_result_message(es_result result)
{
    switch (result) {
#define ES_RESULT_MESSAGE(name, value, message)                                                    \
    case name:                                                                                     \
        return message;
        ES_RESULTS(ES_RESULT_MESSAGE)
#undef ES_RESULT_MESSAGE
    }
    return "not a result of this library";
}

/* --- errors of a thread ----------------------------------------------------------------------- */

static _Thread_local char error_text[256] = "no call of this thread has failed";

const char *es_get_error(void)
{
    return error_text;
}

es_result es__fail(es_result result, const char *where, const es_error *error)
{
    bool named = error != NULL && error->field != NULL;
    const char *reason =
            error != NULL && error->reason != NULL ? error->reason : es_result_message(result);
    (void)snprintf(error_text, sizeof error_text, "%s%s%s: %s", where, named ? "." : "",
            named ? error->field : "", reason);
    return result;
}

/* --- memory ----------------------------------------------------------------------------------- */

void *es__allocate(size_t size)
{
    unsigned char *block =
            size <= SIZE_MAX - 2 * ES__ALIGNMENT ? calloc(1, size + 2 * ES__ALIGNMENT) : NULL;
    if (block == NULL) {
        (void)snprintf(error_text, sizeof error_text, "out of memory");
        return NULL;
    }
    size_t skipped = ES__ALIGNMENT - (uintptr_t)block % ES__ALIGNMENT;
    block[skipped - 1] = (unsigned char)skipped; /* for es__free */
    return block + skipped;
}

void es__free(void *memory)
{
    unsigned char *start = memory;
    if (start != NULL) {
        free(start - start[-1]);
    }
}
