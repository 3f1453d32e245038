/* SPDX-License-Identifier: Zlib */
#include "evenstep/base.h"
#include "evenstep/version.h"

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
