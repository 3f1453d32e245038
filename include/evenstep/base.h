/* SPDX-License-Identifier: Zlib
 *
 * base: the export macro, result codes, and how a refused field is named.
 *
 * Three kinds of trouble are kept apart. A call that cannot be carried out returns an es_result. A
 * bad configuration also names its field in an es_error. What happened to a frame (late, dropped, a
 * gap) is no error: it is a field of es_frame.
 *
 * Threads: any. Errors and allocation: none. */
#ifndef EVENSTEP_BASE_H
#define EVENSTEP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(ES_SHARED)
#ifdef ES_BUILDING
#define ES_API __declspec(dllexport)
#else
#define ES_API __declspec(dllimport)
#endif
#elif defined(__GNUC__) && defined(ES_SHARED)
#define ES_API __attribute__((visibility("default")))
#else
#define ES_API
#endif

/* Every result: name, value, message. 0 is success, failures are negative. */
#define ES_RESULTS(X)                                                                              \
    X(ES_OK, 0, "success")                                                                         \
    X(ES_ERR_INVALID, -1, "an argument or a configuration field is out of its range")              \
    X(ES_ERR_STATE, -2, "the call is out of order")                                                \
    X(ES_ERR_RANGE, -3, "the result does not fit the range of the type")                           \
    X(ES_ERR_UNSUPPORTED, -4, "this platform or clock cannot do that")                             \
    X(ES_ERR_SPACE, -5, "the caller's memory is too small")                                        \
    X(ES_ERR_REFUSED, -6, "the system does not allow it")                                          \
    X(ES_ERR_FULL, -7, "there is no space at the moment")                                          \
    X(ES_ERR_IO, -8, "reading or writing failed")                                                  \
    X(ES_ERR_DAMAGED, -9, "the bytes are not those that were written")

/* What a call that can fail returns. */
typedef enum es_result {
#define ES_RESULT_ENUM(name, value, message) name = value,
    ES_RESULTS(ES_RESULT_ENUM)
#undef ES_RESULT_ENUM
} es_result;

/* Which field was refused, and why. Both texts are static. */
typedef struct es_error {
    const char *field;  /* the field's name as written in the header, or NULL: no error */
    const char *reason; /* one clause: what is wrong with it, or NULL */
} es_error;

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a result, such as "ES_ERR_STATE"; "ES_UNKNOWN" for any other value. */
ES_API const char *es_result_name(es_result result);

/* The message of a result, such as "the call is out of order"; a text for any other value too. */
ES_API const char *es_result_message(es_result result);

/* Why the last call of this thread that failed has failed: "es_loop_config.tick_rate: must be ...".
 * Never NULL; valid until the next such call. Calls that succeed leave it as it is. */
ES_API const char *es_get_error(void);

#ifdef __cplusplus
}
#endif

#endif
