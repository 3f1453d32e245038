/* SPDX-License-Identifier: Zlib */
#include "difference_parts.h"

#include <stdio.h>

#include "base/common.h"

es_difference es__difference_of(int64_t tick, const es__state_difference *at)
{
    es_difference found = {.tick = tick, .group = -1, .value_tick = tick};
    if (at != NULL && at->field != NULL) {
        found.field = found.value_field = at->field->name;
        found.object = at->element;
        found.component = at->component;
        found.values[0] = at->values[0];
        found.values[1] = at->values[1];
    }
    return found;
}

void es__difference_say(const char *function, const es_difference *found, const char *second)
{
    char text[200];
    const char *what = found->field != NULL ? found->field : "the state";
    int used =
            snprintf(text, sizeof text, "tick %lld: %.60s differs", (long long)found->tick, what);
    if (found->value_field != NULL && used > 0) {
        (void)snprintf(text + used, sizeof text - (size_t)used,
                "; at tick %lld %.60s of object %zu is %g, %s %g", (long long)found->value_tick,
                found->value_field, found->object, found->values[0], second, found->values[1]);
    }
    (void)es__fail(ES_ERR_DIFFERS, function, &(es__error){NULL, text});
}
