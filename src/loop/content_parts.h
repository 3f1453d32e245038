/* SPDX-License-Identifier: Zlib
 *
 * Where content is while time passes as it is, without a call. For content itself and the loop,
 * which asks several times in each frame.
 */
#ifndef ES_CONTENT_PARTS_H
#define ES_CONTENT_PARTS_H

#include "evenstep/content.h"

/* es_content_due_at, where content->usual is set. */
static inline int64_t es__content_usual_due_ns(const es_content *content, int64_t present_ns)
{
    int64_t since_ns = es_ns_sub(present_ns, content->anchor_present_ns);
    int64_t reading_ns = es_ns_add(content->anchor_content_ns, since_ns);
    return es_ns_sub(reading_ns, content->config.delay_ns);
}

/* Slow motion goes no faster than es_content_ease allows, from the next frame on, also before a
 * frame runs short. Without slow motion nothing happens. */
void es__content_slow_down(es_content *content);

#endif
