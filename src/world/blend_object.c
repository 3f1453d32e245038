/* SPDX-License-Identifier: Zlib
 *
 * Objects that differ from the rest: those that jumped or will touch something between two ticks.
 */
#include "blend_parts.h"

#include <string.h>

static const unsigned char *number_of(
        const es_sight *sight, size_t tick, const es_field *field, size_t element)
{
    const unsigned char *state = sight->ticks[tick].state;
    return state + es__field_at(field, element, 0);
}

static bool same_mark(const es_blend_item *it, size_t a, size_t b, size_t element)
{
    const es_field *mark = it->what.mark;
    return memcmp(number_of(&it->sight, a, mark, element), number_of(&it->sight, b, mark, element),
                   ES_TYPE_SIZE(mark->type))
           == 0;
}

/* The ticks around the instant through which the object lived without a jump. */
static void narrow_to_life(es_sight *sight, const es_blend_item *it, size_t element)
{
    size_t tick = es__sight_tick(sight);
    size_t newest = tick, oldest = tick;
    while (newest > sight->newest && same_mark(it, newest, newest - 1, element)) {
        newest -= 1;
    }
    while (oldest < sight->oldest && same_mark(it, oldest, oldest + 1, element)) {
        oldest += 1;
    }
    if (!sight->timed && (sight->alpha <= 0 || oldest == tick)) {
        newest = tick; /* the other tick of its pair is another life's: this one, exactly */
        oldest = tick;
    }
    sight->newest = newest;
    sight->oldest = oldest;
}

static bool jumped(const es_blend_item *it, size_t element)
{
    for (size_t tick = it->sight.newest; tick < it->sight.oldest; ++tick) {
        if (!same_mark(it, tick, tick + 1, element)) {
            return true;
        }
    }
    return false;
}

/* True where some contact is after its tick. */
static bool read_contacts(
        const es_blend_item *it, size_t element, int64_t contact_ns[ES_HISTORY_TICKS_MAX])
{
    bool any = false;
    for (size_t tick = it->sight.newest; tick <= it->sight.oldest; ++tick) {
        memcpy(&contact_ns[tick], number_of(&it->sight, tick, it->what.contact, element),
                sizeof contact_ns[0]);
        any = any || contact_ns[tick] > it->sight.ticks[tick].time_ns;
    }
    return any;
}

static void show_one(
        const es_blend_context *c, const es_blend_item *it, const es_sight *sight, size_t element)
{
    es_blend_plan plan;
    es_elements one = {element, 1};
    es__plan_field(&plan, &it->what, sight);
    es__plan_apply(&plan, c->kernels, &one, c->job->out, false);
}

static void correct_one(
        const es_blend_context *c, const es_blend_item *it, es_sight sight, size_t element)
{
    int64_t contact_ns[ES_HISTORY_TICKS_MAX];
    bool differs = false;
    if (it->what.mark != NULL && jumped(it, element)) {
        narrow_to_life(&sight, it, element);
        differs = true;
    }
    if (it->what.contact != NULL && sight.timed && read_contacts(it, element, contact_ns)) {
        sight.contact_ns = contact_ns;
        differs = true;
    }
    if (differs) {
        show_one(c, it, &sight, element);
    }
}

/* No element jumped. Adjacent marks are compared as bytes. */
static bool marks_are_equal(const es_blend_item *it, const es_elements *elements)
{
    const es_field *mark = it->what.mark;
    if (mark == NULL) {
        return true;
    }
    if (!es__field_is_direct(mark, elements)) {
        return false;
    }
    size_t size = elements->count * ES_TYPE_SIZE(mark->type);
    for (size_t tick = it->sight.newest; tick < it->sight.oldest; ++tick) {
        if (memcmp(number_of(&it->sight, tick, mark, elements->first),
                    number_of(&it->sight, tick + 1, mark, elements->first), size)
                != 0) {
            return false;
        }
    }
    return true;
}

static bool may_touch(const es_blend_item *it)
{
    return it->what.contact != NULL && it->sight.timed
           && it->sight.content_ns > it->sight.ticks[it->sight.newest].time_ns;
}

void es__blend_correct(
        const es_blend_context *c, const es_blend_item *it, const es_elements *elements)
{
    if (!may_touch(it) && marks_are_equal(it, elements)) {
        return;
    }
    for (size_t i = 0; i < elements->count; ++i) {
        correct_one(c, it, it->sight, elements->first + i);
    }
}
