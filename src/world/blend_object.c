/* SPDX-License-Identifier: Zlib
 *
 * Objects that differ from the rest: those that jumped or will touch something between two ticks.
 */
#include "blend_parts.h"

static const unsigned char *number_of(
        const es__sight *sight, size_t tick, const es_field *field, size_t element)
{
    const unsigned char *state = sight->ticks[tick].state;
    return state + es__field_at(field, element, 0);
}

static bool same_mark(const es__blend_item *it, size_t a, size_t b, size_t element)
{
    const es_field *mark = it->what.mark;
    return memcmp(number_of(it->sight, a, mark, element), number_of(it->sight, b, mark, element),
                   ES_TYPE_SIZE(mark->type))
           == 0;
}

/* The ticks around the instant through which the object lived without a jump. */
static void narrow_to_life(es__sight *sight, const es__blend_item *it, size_t element)
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
    es__sight_aim(sight);
}

static bool jumped(const es__blend_item *it, size_t element)
{
    for (size_t tick = it->sight->newest; tick < it->sight->oldest; ++tick) {
        if (!same_mark(it, tick, tick + 1, element)) {
            return true;
        }
    }
    return false;
}

/* True where some contact is after its tick. */
static bool read_contacts(
        const es__blend_item *it, size_t element, int64_t contact_ns[ES_HISTORY_TICKS_MAX])
{
    bool any = false;
    for (size_t tick = it->sight->newest; tick <= it->sight->oldest; ++tick) {
        memcpy(&contact_ns[tick], number_of(it->sight, tick, it->what.contact, element),
                sizeof contact_ns[0]);
        any = any || contact_ns[tick] > it->sight->ticks[tick].time_ns;
    }
    return any;
}

static void correct_one(
        const es__blend_context *c, const es__blend_item *it, es__sight sight, size_t element)
{
    const es__elements one = {element, 1};
    int64_t contact_ns[ES_HISTORY_TICKS_MAX];
    es__blend_plan plan;
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
        es__plan_field(&plan, &it->what, &sight);
        es__plan_apply(&plan, c->kernels, &one, c->job->out);
    }
}

static bool may_touch(const es__blend_item *it)
{
    return it->what.contact != NULL && it->sight->timed
           && it->sight->content_ns > it->sight->ticks[it->sight->newest].time_ns;
}

/* The bits that differ in a mark of this size. out: NULL, or where a's is copied to. */
static ES_INLINE uint64_t differ(
        const unsigned char *a, const unsigned char *b, unsigned char *out, size_t at, size_t size)
{
    uint64_t x, y;
    uint32_t narrow[2];
    if (out != NULL) {
        memcpy(out + at, a + at, size);
    }
    if (size == 1) {
        return (uint64_t)(a[at] ^ b[at]);
    }
    if (size == 4) {
        memcpy(&narrow[0], a + at, sizeof narrow[0]);
        memcpy(&narrow[1], b + at, sizeof narrow[1]);
        return narrow[0] ^ narrow[1];
    }
    memcpy(&x, a + at, size);
    memcpy(&y, b + at, size);
    return x ^ y;
}

static ES_INLINE size_t next_jump_of(const es_field *mark, const unsigned char *a,
        const unsigned char *b, unsigned char *out, size_t i, size_t end, size_t size)
{
    const size_t stride = mark->stride;
    size_t at = es__field_at(mark, i, 0);
    for (; end - i >= 4; i += 4, at += 4 * stride) {
        if ((differ(a, b, out, at, size) | differ(a, b, out, at + stride, size)
                    | differ(a, b, out, at + 2 * stride, size)
                    | differ(a, b, out, at + 3 * stride, size))
                != 0) {
            break;
        }
    }
    for (; i < end && differ(a, b, out, at, size) == 0; at += stride) {
        ++i;
    }
    return i;
}

/* The next element whose mark differs between two states. out: NULL, or where marks are copied to
 * from a, up to that element. */
static size_t next_jump(const es_field *mark, const unsigned char *a, const unsigned char *b,
        unsigned char *out, size_t i, size_t end)
{
    const size_t size = ES_TYPE_SIZE(mark->type);
    if (size == 1) {
        return out == NULL ? next_jump_of(mark, a, b, NULL, i, end, 1)
                           : next_jump_of(mark, a, b, out, i, end, 1);
    }
    if (size == 4) {
        return out == NULL ? next_jump_of(mark, a, b, NULL, i, end, 4)
                           : next_jump_of(mark, a, b, out, i, end, 4);
    }
    return next_jump_of(mark, a, b, out, i, end, 8);
}

/* An object that jumped between two ticks. A field that mixes or copies no others shows the newer one
 * if these are its pair. */
static void correct_jump(
        const es__blend_context *c, es__blend_bundle *b, size_t tick, size_t element)
{
    const es__elements one = {element, 1};
    for (size_t i = 0; i < b->count; ++i) {
        const es__blend_item *it = &b->items[i];
        const bool pair = it->what.field == NULL
                          || (it->plan.shape == ES_SHAPE_PAIR && it->sight == &c->sight);
        if (pair && c->sight.inside && tick == c->sight.newer) {
            es__copy(b->first + i, c->newer, &one, c->job->out);
        } else if (!pair && !may_touch(it)) {
            correct_one(c, it, *it->sight, element);
        }
    }
}

static void correct_jumps(
        const es__blend_context *c, es__blend_bundle *b, const es__elements *elements)
{
    const size_t end = elements->first + elements->count;
    bool copies = false;
    for (size_t i = 0; i < b->count; ++i) {
        copies = copies || b->items[i].way == ES_WAY_MARK;
    }
    for (size_t tick = 0; tick + 1 < c->job->tick_count; ++tick) {
        const unsigned char *a = c->job->ticks[tick].state, *older = c->job->ticks[tick + 1].state;
        unsigned char *out = copies && tick == c->sight.newer ? c->job->out : NULL;
        size_t element = next_jump(b->mark, a, older, out, elements->first, end);
        for (; element < end; element = next_jump(b->mark, a, older, out, element + 1, end)) {
            correct_jump(c, b, tick, element);
        }
    }
}

void es__blend_correct(
        const es__blend_context *c, es__blend_bundle *b, const es__elements *elements)
{
    if (b->mark != NULL) {
        correct_jumps(c, b, elements);
    }
    for (size_t i = 0; b->contacts && i < b->count; ++i) {
        const es__blend_item *it = &b->items[i];
        for (size_t k = 0; it->what.field != NULL && may_touch(it) && k < elements->count; ++k) {
            correct_one(c, it, *it->sight, elements->first + k);
        }
    }
}
