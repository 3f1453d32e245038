/* SPDX-License-Identifier: Zlib */
#include "evenstep/lock.h"

#include "platform.h"

_Static_assert(sizeof(es_mutex) == ES__PLATFORM_MUTEX_SIZE,
        "ES__PLATFORM_MUTEX_SIZE is the size of es_mutex");

es_result es_mutex_init(es_mutex *mutex)
{
    if (mutex == NULL) {
        return ES_ERR_INVALID;
    }
    return es__platform_mutex_init(mutex) ? ES_OK : ES_ERR_UNSUPPORTED;
}

es_lock es_mutex_get(es_mutex *mutex)
{
    return (es_lock){
            .user = mutex,
            .lock = es__platform_mutex_lock,
            .unlock = es__platform_mutex_unlock,
    };
}

void es_mutex_destroy(es_mutex *mutex)
{
    es__platform_mutex_destroy(mutex);
}
