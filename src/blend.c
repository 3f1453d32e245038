/* SPDX-License-Identifier: Zlib
 *
 * Blending by layout. Fields whose numbers lie side by side are blended whole, one after the other;
 * interleaved ones (structs, tiles, lists of objects) in chunks of a few objects with all their
 * fields, so that each cache line is fetched once. docs/blending.md has the figures.
 */
#include "blend_parts.h"

#include <string.h>

/* From here on the output is more than caches hold until it is drawn. */
#define STREAM_FROM_BYTES ((size_t)16 << 20)

/* Interleaved fields that are done together. More make more passes over memory, no more. */
enum { BUNDLE_MAX = 8 };

/* For kernels that meet none. */
static const es_rotor_f32 no_rotation = {0};

typedef struct context {
    const es_blend_job *job;
    const es_kernels *kernels;
    bool stream;
} context;

/* A field of a bundle, with what it shows. */
typedef struct item {
    es_resolved what;
    es_sight sight;
    es_plan plan;
    es_field flat[3]; /* stand-ins: see flatten */
} item;

/* Some fields that are done together, chunk by chunk. */
typedef struct bundle {
    size_t count;
    item items[BUNDLE_MAX];
} bundle;

static es_result refuse(es_error *error, const char *field, const char *reason)
{
    if (error != NULL) {
        error->field = field;
        error->reason = reason;
    }
    return ES_ERR_INVALID;
}

/* ---- checks ---- */

static bool overlaps(const void *state, const es_blend_job *job)
{
    uintptr_t a = (uintptr_t)state, b = (uintptr_t)job->out;
    return a < b ? b - a < job->layout->state_size : a - b < job->layout->state_size;
}

static es_result check_ticks(const es_blend_job *job, es_error *error)
{
    if (job->ticks == NULL || job->tick_count < 1 || job->tick_count > ES_HISTORY_TICKS_MAX) {
        return refuse(error, "tick_count", "must be 1 to ES_HISTORY_TICKS_MAX ticks");
    }
    for (size_t i = 0; i < job->tick_count; ++i) {
        if (job->ticks[i].state == NULL || overlaps(job->ticks[i].state, job)) {
            return refuse(error, "ticks", "must have states of their own, apart from out");
        }
        if (job->timed && i > 0 && job->ticks[i].time_ns >= job->ticks[i - 1].time_ns) {
            return refuse(error, "ticks", "must be newest first, each earlier than the one before");
        }
    }
    return ES_OK;
}

static bool has_group(const es_layout *layout, int32_t group)
{
    for (size_t i = 0; i < layout->field_count; ++i) {
        if (layout->fields[i].group == group) {
            return true;
        }
    }
    return false;
}

static es_result check_pick(const es_blend_job *job, size_t index, es_error *error)
{
    const es_blend_pick *pick = &job->picks[index];
    if (pick->group <= 0 || !has_group(job->layout, pick->group)) {
        return refuse(error, "picks", "names a group that no field has");
    }
    if (pick->indices != NULL && pick->mask != NULL) {
        return refuse(error, "picks", "has both indices and mask for a group");
    }
    if (pick->indices == NULL && (pick->index_count > 0 || (!pick->mask && !pick->alphas))) {
        return refuse(error, "picks", "has neither indices nor mask nor alphas for a group");
    }
    for (size_t i = 0; i < index; ++i) {
        if (job->picks[i].group == pick->group) {
            return refuse(error, "picks", "names a group twice");
        }
    }
    return ES_OK;
}

static es_result check_picks(const es_blend_job *job, es_error *error)
{
    if (job->pick_count > 0 && job->picks == NULL) {
        return refuse(error, "picks", "is NULL");
    }
    for (size_t i = 0; i < job->pick_count; ++i) {
        if (check_pick(job, i, error) != ES_OK) {
            return ES_ERR_INVALID;
        }
    }
    return ES_OK;
}

static bool needs_times(const es_field *field)
{
    return field->blend == ES_BLEND_HERMITE || field->delay_ticks < 0 || field->delay_ticks > 0;
}

static es_result check_times(const es_blend_job *job, es_error *error)
{
    for (size_t i = 0; !job->timed && i < job->layout->field_count; ++i) {
        if (needs_times(&job->layout->fields[i])) {
            return refuse(error, job->layout->fields[i].name,
                    "needs the ticks' times: es_blend_frame, or a job that is timed");
        }
    }
    return ES_OK;
}

static es_result check_job(const es_blend_job *job, es_error *error)
{
    if (error != NULL) {
        error->field = NULL;
        error->reason = NULL;
    }
    if (job == NULL || job->layout == NULL || job->out == NULL) {
        return refuse(error,
                job == NULL           ? "job"
                : job->layout == NULL ? "layout"
                                      : "out",
                "is NULL");
    }
    uint32_t parts = job->parts != 0 ? job->parts : 1;
    if (job->part >= parts) {
        return refuse(error, "part", "must be below parts");
    }
    if (job->stores < ES_STORES_AUTO || job->stores > ES_STORES_STREAMED) {
        return refuse(error, "stores", "must be one of es_stores");
    }
    if (job->quality < ES_QUALITY_EXACT || job->quality > ES_QUALITY_FAST) {
        return refuse(error, "quality", "must be one of es_quality");
    }
    es_result result = check_ticks(job, error);
    if (result == ES_OK) {
        result = check_picks(job, error);
    }
    return result == ES_OK ? check_times(job, error) : result;
}

/* ---- fields and what they name ---- */

static const es_field *named(const es_layout *layout, const char *name)
{
    return name != NULL ? es_layout_find(layout, name) : NULL;
}

static const es_field *mark_of(const es_layout *layout, const es_field *field)
{
    for (size_t i = 0; field->group > 0 && i < layout->field_count; ++i) {
        if (layout->fields[i].blend == ES_BLEND_MARK && layout->fields[i].group == field->group) {
            return &layout->fields[i];
        }
    }
    return NULL;
}

static const es_blend_pick *pick_of(const es_blend_job *job, const es_field *field)
{
    for (size_t i = 0; field->group > 0 && i < job->pick_count; ++i) {
        if (job->picks[i].group == field->group) {
            return &job->picks[i];
        }
    }
    return NULL;
}

static bool is_flat(const es_field *field)
{
    size_t size = ES_TYPE_SIZE(field->type);
    return field->tile == 0 && (field->component_stride == 0 || field->component_stride == size)
           && field->stride == es_components(field) * size;
}

static const es_field *flattened(const es_field *field, es_field *place)
{
    if (field == NULL) {
        return NULL;
    }
    *place = *field;
    place->count = field->count * es_components(field);
    place->components = 1;
    place->stride = ES_TYPE_SIZE(field->type);
    place->component_stride = 0;
    return place;
}

/* Packed vectors, number by number, where no object needs to be told from the others, are one array
 * of numbers. */
static void flatten(es_resolved *what, es_field place[3])
{
    es_blend_kind kind = what->field->blend;
    bool by_number = kind != ES_BLEND_ROTATION && kind != ES_BLEND_COLOUR && kind != ES_BLEND_SRGB;
    if (es_components(what->field) == 1 || !by_number || what->pick != NULL || what->mark != NULL
            || what->contact != NULL || !is_flat(what->field)
            || (what->velocity != NULL && !is_flat(what->velocity))
            || (what->acceleration != NULL && !is_flat(what->acceleration))) {
        return;
    }
    what->field = flattened(what->field, &place[0]);
    what->velocity = flattened(what->velocity, &place[1]);
    what->acceleration = flattened(what->acceleration, &place[2]);
}

/* ---- delays of single fields, counted in ticks as long as those were ---- */

static double tick_ns(const es_blend_job *job, size_t newer)
{
    return (double)es_ns_sub(job->ticks[newer].time_ns, job->ticks[newer + 1].time_ns);
}

/* To the nearest nanosecond; most of what a double holds is cut to 285 years. */
static int64_t whole_ns(double ns)
{
    const double most = 9.0e18;
    ns = ns < -most ? -most : ns > most ? most : ns;
    return (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

/* How many ticks ago an instant was: 0 is the newest tick, below 0 past it. Before the oldest and
 * past the newest, ticks count as long as the one beside. */
static double ticks_ago(const es_blend_job *job, int64_t time_ns)
{
    size_t newer = 0;
    while (newer + 2 < job->tick_count && time_ns < job->ticks[newer + 1].time_ns) {
        newer += 1;
    }
    return (double)newer
           + (double)es_ns_sub(job->ticks[newer].time_ns, time_ns) / tick_ns(job, newer);
}

static int64_t time_of_ticks_ago(const es_blend_job *job, double ago)
{
    size_t newer = 0;
    while (newer + 2 < job->tick_count && ago > (double)(newer + 1)) {
        newer += 1;
    }
    return es_ns_sub(
            job->ticks[newer].time_ns, whole_ns((ago - (double)newer) * tick_ns(job, newer)));
}

static es_sight sight_of(const es_blend_job *job, const es_field *field)
{
    es_sight sight = {job->ticks, 0, job->tick_count - 1, job->tick_count, job->timed,
            job->quality == ES_QUALITY_FAST, false, job->alpha, job->content_ns, NULL};
    bool delayed = field->delay_ticks < 0 || field->delay_ticks > 0;
    if (delayed && job->timed && job->tick_count > 1) {
        double ago = ticks_ago(job, job->content_ns) + field->delay_ticks;
        sight.content_ns = time_of_ticks_ago(job, ago);
    }
    return sight;
}

static void prepare(item *it, const es_blend_job *job, const es_field *field)
{
    it->what.field = field;
    it->what.velocity = named(job->layout, field->velocity);
    it->what.acceleration = named(job->layout, field->acceleration);
    it->what.contact = named(job->layout, field->contact);
    it->what.mark = mark_of(job->layout, field);
    it->what.pick = pick_of(job, field);
    it->sight = sight_of(job, field);
    flatten(&it->what, it->flat);
    es_plan_field(&it->plan, &it->what, &it->sight);
}

/* ---- objects that differ from the rest ---- */

static const unsigned char *number_of(
        const es_sight *sight, size_t tick, const es_field *field, size_t element)
{
    const unsigned char *state = sight->ticks[tick].state;
    return state + es_place(field, element, 0);
}

static bool same_mark(const item *it, size_t a, size_t b, size_t element)
{
    const es_field *mark = it->what.mark;
    return memcmp(number_of(&it->sight, a, mark, element), number_of(&it->sight, b, mark, element),
                   ES_TYPE_SIZE(mark->type))
           == 0;
}

/* The ticks around the instant through which the object lived without a jump. */
static void narrow_to_life(es_sight *sight, const item *it, size_t element)
{
    size_t tick = es_sight_tick(sight);
    size_t newest = tick, oldest = tick;
    while (newest > sight->newest && same_mark(it, newest, newest - 1, element)) {
        newest -= 1;
    }
    while (oldest < sight->oldest && same_mark(it, oldest, oldest + 1, element)) {
        oldest += 1;
    }
    if (es_sight_is_by_alpha(sight) && (sight->alpha <= 0 || oldest == tick)) {
        newest = tick; /* the other tick of its pair is not of its life: it is this one, exactly */
        oldest = tick;
    }
    sight->newest = newest;
    sight->oldest = oldest;
}

static bool jumped(const item *it, size_t element)
{
    for (size_t tick = it->sight.newest; tick < it->sight.oldest; ++tick) {
        if (!same_mark(it, tick, tick + 1, element)) {
            return true;
        }
    }
    return false;
}

/* True where some contact is after its tick. */
static bool read_contacts(const item *it, size_t element, int64_t contact_ns[ES_HISTORY_TICKS_MAX])
{
    bool any = false;
    for (size_t tick = it->sight.newest; tick <= it->sight.oldest; ++tick) {
        memcpy(&contact_ns[tick], number_of(&it->sight, tick, it->what.contact, element),
                sizeof contact_ns[0]);
        any = any || contact_ns[tick] > it->sight.ticks[tick].time_ns;
    }
    return any;
}

static void show_one(const context *c, const item *it, const es_sight *sight, size_t element)
{
    es_plan plan;
    uint32_t index = (uint32_t)element;
    es_elements one = {element, 1, element == index ? &index : NULL};
    es_plan_field(&plan, &it->what, sight);
    es_plan_apply(&plan, c->kernels, &one, c->job->out, false);
}

/* Again, for one that jumped or will touch something. */
static void correct_one(const context *c, const item *it, es_sight sight, size_t element)
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

/* Nobody jumped: one look at the marks' bytes, where they lie side by side. */
static bool marks_are_equal(const item *it, const es_elements *elements)
{
    const es_field *mark = it->what.mark;
    if (mark == NULL) {
        return true;
    }
    if (!es_field_is_direct(mark, elements)) {
        return false;
    }
    size_t size = elements->n * ES_TYPE_SIZE(mark->type);
    for (size_t tick = it->sight.newest; tick < it->sight.oldest; ++tick) {
        if (memcmp(number_of(&it->sight, tick, mark, elements->first),
                    number_of(&it->sight, tick + 1, mark, elements->first), size)
                != 0) {
            return false;
        }
    }
    return true;
}

static bool may_touch(const item *it)
{
    return it->what.contact != NULL && it->sight.timed
           && it->sight.content_ns > it->sight.ticks[it->sight.newest].time_ns;
}

static void correct_some(
        const context *c, const item *it, const es_elements *elements, const float *alphas)
{
    if (!may_touch(it) && marks_are_equal(it, elements)) {
        return;
    }
    es_sight sight = it->sight;
    for (size_t i = 0; i < elements->n; ++i) {
        if (alphas != NULL) {
            sight.own_alpha = true;
            sight.alpha = (double)alphas[i];
        }
        correct_one(c, it, sight, es_element(elements, i));
    }
}

/* ---- alphas of their own ---- */

static bool all_equal(const float *alphas, size_t n)
{
    for (size_t i = 1; i < n; ++i) {
        if (!(alphas[i] <= alphas[0] && alphas[i] >= alphas[0])) {
            return false;
        }
    }
    return true;
}

static void show_with_alphas(
        const context *c, const item *it, const es_elements *elements, const float *alphas)
{
    es_plan plan;
    es_sight sight = it->sight;
    sight.own_alpha = true;
    bool equal = elements->n > 0 && all_equal(alphas, elements->n);
    sight.alpha = equal ? (double)alphas[0] : 0.5;
    es_plan_field(&plan, &it->what, &sight);
    if (equal) {
        es_plan_apply(&plan, c->kernels, elements, c->job->out, false);
        return;
    }
    if (es_plan_apply_each(&plan, c->kernels, elements, alphas, c->job->out)) {
        return;
    }
    for (size_t i = 0; i < elements->n; ++i) {
        sight.alpha = (double)alphas[i];
        show_one(c, it, &sight, es_element(elements, i));
    }
}

/* ---- chunks ---- */

static void show_chunk(const context *c, const item *it, const es_elements *elements)
{
    const float *alphas = it->what.pick != NULL ? it->what.pick->alphas : NULL;
    float own[ES_CHUNK];
    if (alphas != NULL) {
        for (size_t i = 0; i < elements->n; ++i) {
            own[i] = alphas[es_element(elements, i)];
        }
        show_with_alphas(c, it, elements, own);
    } else {
        bool stream = c->stream && es_plan_can_stream(&it->plan, elements, c->job->out);
        es_plan_apply(&it->plan, c->kernels, elements, c->job->out, stream);
    }
    if (it->what.mark != NULL || it->what.contact != NULL) {
        correct_some(c, it, elements, alphas != NULL ? own : NULL);
    }
}

static void show_bundle_chunk(const context *c, const bundle *b, const es_elements *elements)
{
    for (size_t i = 0; i < b->count; ++i) {
        show_chunk(c, &b->items[i], elements);
    }
}

static bool is_linear_pair(const item *it)
{
    return it->plan.shape == ES_SHAPE_PAIR && it->plan.field->blend == ES_BLEND_LINEAR;
}

/* Nothing about it is to be looked at object by object. */
static bool is_plain_pair(const item *it)
{
    return it->plan.shape == ES_SHAPE_PAIR && it->what.pick == NULL && it->what.mark == NULL
           && it->what.contact == NULL;
}

/* Whether the bundle's fields are floats that fill structs of one kind without a gap. As fields do
 * not overlap, they do if they have as many numbers as the struct, all within one struct. */
static bool fills_rows(const bundle *b, size_t *begin)
{
    const es_field *first = b->items[0].what.field;
    size_t numbers = 0, lowest = SIZE_MAX, highest = 0;
    for (size_t i = 0; i < b->count; ++i) {
        const es_field *field = b->items[i].what.field;
        if (field->type != ES_TYPE_F32 || field->tile != 0 || field->stride != first->stride
                || es_component_step(field) != sizeof(float) || !is_plain_pair(&b->items[i])) {
            return false;
        }
        size_t end = field->offset + es_components(field) * sizeof(float);
        numbers += es_components(field);
        lowest = field->offset < lowest ? field->offset : lowest;
        highest = end > highest ? end : highest;
    }
    *begin = lowest;
    return numbers * sizeof(float) == first->stride && highest - lowest == first->stride;
}

/* This call's share of n things that are not parted within `unit`. */
static void share_of(const es_blend_job *job, size_t n, size_t unit, size_t *first, size_t *last)
{
    size_t parts = job->parts != 0 ? job->parts : 1, part = job->part;
    size_t units = n / unit + (n % unit != 0 ? 1 : 0);
    size_t each = units / parts, rest = units % parts;
    size_t from = each * part + (part < rest ? part : rest);
    size_t to = from + each + (part < rest ? 1 : 0);
    *first = from >= units ? n : from * unit;
    *last = to >= units ? n : to * unit;
}

static void show_listed(const context *c, const bundle *b)
{
    const es_blend_pick *pick = b->items[0].what.pick;
    size_t first = 0, last = 0;
    share_of(c->job, pick->index_count, ES_CHUNK, &first, &last);
    for (size_t at = first; at < last; at += ES_CHUNK) {
        size_t n = last - at < ES_CHUNK ? last - at : ES_CHUNK;
        es_elements elements = {0, n, pick->indices + at};
        show_bundle_chunk(c, b, &elements);
    }
}

/* Objects out of a mask, saved up to a full chunk however thin they are spread. */
typedef struct gathered {
    size_t n;
    uint32_t indices[ES_CHUNK];
} gathered;

static void show_gathered(const context *c, const bundle *b, gathered *some)
{
    es_elements elements = {0, some->n, some->indices};
    if (some->n > 0) {
        show_bundle_chunk(c, b, &elements);
    }
    some->n = 0;
}

static void show_masked(const context *c, const bundle *b)
{
    const es_blend_pick *pick = b->items[0].what.pick;
    size_t all = b->items[0].what.field->count, first = 0, last = 0;
    gathered some;
    some.n = 0;
    share_of(c->job, all, 64, &first, &last);
    for (size_t at = first; at < last; at += 64) {
        size_t n = last - at < 64 ? last - at : 64;
        uint64_t full = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
        uint64_t word = pick->mask[at / 64] & full;
        if (word == full) {
            es_elements elements = {at, n, NULL};
            show_bundle_chunk(c, b, &elements);
            continue;
        }
        for (uint32_t bit = 0; word != 0; ++bit, word >>= 1) {
            if ((word & 1) != 0) {
                some.indices[some.n] = (uint32_t)at + bit;
                some.n += 1;
            }
            if (some.n == ES_CHUNK) {
                show_gathered(c, b, &some);
            }
        }
    }
    show_gathered(c, b, &some);
}

/* Tiles are never parted between chunks more than they must: within one, numbers lie side by side.
 * */
static void show_all(const context *c, const bundle *b)
{
    const es_field *field = b->items[0].what.field;
    size_t tile = field->tile, first = 0, last = 0;
    share_of(c->job, field->count, tile != 0 ? tile : ES_CHUNK, &first, &last);
    for (size_t at = first; at < last;) {
        size_t n = last - at < ES_CHUNK ? last - at : ES_CHUNK;
        if (tile != 0 && n > tile - at % tile) {
            n = tile - at % tile;
        }
        es_elements elements = {at, n, NULL};
        show_bundle_chunk(c, b, &elements);
        at += n;
    }
}

/* Whether the bundle's fields are floats in tiles of one kind, shown at one alpha. */
static bool fits_tiles(const bundle *b)
{
    const item *first = &b->items[0];
    for (size_t i = 0; i < b->count; ++i) {
        const item *it = &b->items[i];
        if (!es_plan_fits_tiles(&it->plan) || !is_plain_pair(it)
                || it->plan.field->tile_stride != first->plan.field->tile_stride
                || it->sight.content_ns != first->sight.content_ns) {
            return false;
        }
    }
    return first->what.field->tile >= 16;
}

/* Whether a tile's components lie side by side, in whole vectors. */
static bool fits_kernel(const context *c, const bundle *b)
{
    for (size_t i = 0; i < b->count; ++i) {
        const es_field *field = b->items[i].plan.field;
        if (es_components(field) > 1 && es_component_step(field) != field->tile * sizeof(float)) {
            return false;
        }
    }
    return b->items[0].plan.field->tile % c->kernels->f32->lanes == 0;
}

static void sort_by_place(const bundle *b, const es_plan *plans[BUNDLE_MAX])
{
    for (size_t i = 0; i < b->count; ++i) {
        const es_plan *plan = &b->items[i].plan;
        size_t at = i;
        for (; at > 0 && plans[at - 1]->field->offset > plan->field->offset; --at) {
            plans[at] = plans[at - 1];
        }
        plans[at] = plan;
    }
}

/* False: what comes next in memory is not of this pass any more. */
static bool add_to_pass(es_tiles_f32 *pass, const es_plan *plan)
{
    size_t first = plan->field->offset / sizeof(float);
    if (plan->field->blend == ES_BLEND_ROTATION) {
        if (pass->quad.count != 0) {
            return false;
        }
        pass->quad = (es_run){first, pass->length};
        pass->rotor = &plan->rotor_f32;
        return true;
    }
    es_run *run = pass->quad.count != 0 ? &pass->after : &pass->before;
    if (run->count != 0 && run->first + run->count != first) {
        return false;
    }
    run->first = run->count != 0 ? run->first : first;
    run->count += es_components(plan->field) * pass->length;
    return true;
}

static bool may_stream(const context *c, const es_tiles_f32 *pass)
{
    size_t numbers =
            pass->step | pass->length | pass->before.first | pass->quad.first | pass->after.first;
    return c->stream && numbers % 16 == 0 && (uintptr_t)pass->out % 64 == 0;
}

/* The whole tiles in [first, last) in as few passes over memory as the kernel needs. Returns where
 * they end, or first if they do not suit the kernel. */
static size_t show_whole_tiles(const context *c, const bundle *b, size_t first, size_t last)
{
    const es_plan *plan = &b->items[0].plan, *plans[BUNDLE_MAX];
    size_t tile = plan->field->tile, at = first / tile * plan->field->tile_stride;
    size_t whole = (last - first) / tile;
    if (!fits_kernel(c, b)) {
        return first;
    }
    sort_by_place(b, plans);
    for (size_t done = 0; done < b->count;) {
        es_tiles_f32 pass = {0};
        pass.a = (const float *)(const void *)(plan->from.state + at);
        pass.b = (const float *)(const void *)(plan->to.state + at);
        pass.out = (float *)(void *)((unsigned char *)c->job->out + at);
        pass.step = plan->field->tile_stride / sizeof(float);
        pass.length = tile;
        pass.alpha = (float)plan->alpha;
        pass.fast = plan->fast;
        pass.rotor = &no_rotation;
        while (done < b->count && add_to_pass(&pass, plans[done])) {
            done += 1;
        }
        pass.stream = may_stream(c, &pass);
        c->kernels->f32->tiles(&pass, whole);
    }
    return first + whole * tile;
}

/* Tiles of floats of which nothing is special: straight to the kernels. False: not that simple,
 * nothing done. */
static bool show_tiles(const context *c, const bundle *b)
{
    const es_field *field = b->items[0].what.field;
    size_t tile = field->tile, first = 0, last = 0;
    if (!fits_tiles(b)) {
        return false;
    }
    share_of(c->job, field->count, tile, &first, &last);
    for (size_t at = show_whole_tiles(c, b, first, last); at < last; at += tile) {
        for (size_t i = 0; i < b->count; ++i) {
            size_t n = last - at < tile ? last - at : tile;
            es_plan_apply_tile(&b->items[i].plan, c->kernels, at / tile, n, c->job->out, c->stream);
        }
    }
    return true;
}

/* Packed structs of floats: all their numbers are blended in a row as if each were linear, at full
 * width, and the rotations among them are written again after it. False: not that simple, nothing
 * done. */
static bool show_rows(const context *c, const bundle *b)
{
    const es_plan *plan = &b->items[0].plan;
    size_t quads[BUNDLE_MAX], begin = 0, first = 0, last = 0;
    es_rows_f32 rows = {0};
    rows.rotor = &no_rotation;
    if (b->count < 2 || !fills_rows(b, &begin)) {
        return false;
    }
    for (size_t i = 0; i < b->count; ++i) {
        const item *it = &b->items[i];
        if (it->plan.field->blend == ES_BLEND_ROTATION) {
            quads[rows.quad_count] = (it->plan.field->offset - begin) / sizeof(float);
            rows.quad_count += 1;
            rows.rotor = &it->plan.rotor_f32; /* of any of them: all have the same alpha */
        } else if (!is_linear_pair(it)) {
            return false;
        }
        if (it->sight.content_ns != b->items[0].sight.content_ns) {
            return false;
        }
    }
    share_of(c->job, plan->field->count, ES_CHUNK, &first, &last);
    size_t at = begin + first * plan->field->stride;
    rows.a = (const float *)(const void *)(plan->from.state + at);
    rows.b = (const float *)(const void *)(plan->to.state + at);
    rows.out = (float *)(void *)((unsigned char *)c->job->out + at);
    rows.numbers = plan->field->stride / sizeof(float);
    rows.quads = quads;
    rows.alpha = (float)plan->alpha;
    rows.fast = plan->fast;
    c->kernels->f32->rows(&rows, last - first);
    return true;
}

/* ---- fields ---- */

/* Arrays of numbers of which nobody is picked: blended in one go, if their plan's sources are too.
 * */
static bool is_array(const es_blend_job *job, const es_field *field)
{
    bool packed = is_flat(field) && field->blend != ES_BLEND_ROTATION
                  && field->blend != ES_BLEND_COLOUR && field->blend != ES_BLEND_SRGB;
    return pick_of(job, field) == NULL && field->tile == 0
           && (field->stride == ES_TYPE_SIZE(field->type) || packed);
}

static bool is_whole(const item *it)
{
    es_elements all = {0, it->what.field->count, NULL};
    return it->what.pick == NULL && it->what.field->tile == 0 && es_plan_is_direct(&it->plan, &all);
}

static void show_whole(const context *c, const item *it)
{
    size_t first = 0, last = 0;
    share_of(c->job, it->what.field->count, ES_CHUNK, &first, &last);
    es_elements elements = {first, last - first, NULL};
    if (elements.n == 0) {
        return;
    }
    bool stream = c->stream && es_plan_can_stream(&it->plan, &elements, c->job->out);
    es_plan_apply(&it->plan, c->kernels, &elements, c->job->out, stream);
    if (it->what.mark == NULL && it->what.contact == NULL) {
        return;
    }
    for (size_t at = first; at < last; at += ES_CHUNK) {
        es_elements some = {at, last - at < ES_CHUNK ? last - at : ES_CHUNK, NULL};
        correct_some(c, it, &some, NULL);
    }
}

/* Whether b is done with a, chunk by chunk. */
static bool go_together(const es_blend_job *job, const es_field *a, const es_field *b)
{
    return a->count == b->count && a->tile == b->tile && pick_of(job, a) == pick_of(job, b)
           && !is_array(job, a) && !is_array(job, b);
}

static void show_bundle(const context *c, bundle *b)
{
    const es_blend_pick *pick = b->items[0].what.pick;
    if (b->count == 1 && is_whole(&b->items[0])) {
        show_whole(c, &b->items[0]);
        return;
    }
    if (b->items[0].what.field->tile != 0 && show_tiles(c, b)) {
        return;
    }
    if (b->items[0].what.field->tile == 0 && show_rows(c, b)) {
        return;
    }
    if (pick != NULL && pick->indices != NULL) {
        show_listed(c, b);
    } else if (pick != NULL && pick->mask != NULL) {
        show_masked(c, b);
    } else {
        show_all(c, b);
    }
}

static void show_fields(const context *c)
{
    const es_field *fields = c->job->layout->fields;
    size_t count = c->job->layout->field_count;
    bundle b;
    for (size_t i = 0; i < count; i += b.count) {
        b.count = 1;
        while (b.count < BUNDLE_MAX && i + b.count < count
                && go_together(c->job, &fields[i], &fields[i + b.count])) {
            b.count += 1;
        }
        for (size_t k = 0; k < b.count; ++k) {
            prepare(&b.items[k], c->job, &fields[i + k]);
        }
        show_bundle(c, &b);
    }
}

es_result es_blend_run(const es_blend_job *job, es_error *error)
{
    es_result result = check_job(job, error);
    if (result != ES_OK) {
        return result;
    }
    context c = {job, es_simd_kernels(job->simd), false};
    if (c.kernels == NULL) {
        refuse(error, "simd", "is an instruction set that this machine lacks");
        return ES_ERR_UNSUPPORTED;
    }
    c.stream = job->stores == ES_STORES_STREAMED
               || (job->stores == ES_STORES_AUTO && job->layout->state_size >= STREAM_FROM_BYTES);
    show_fields(&c);
    if (c.stream) {
        es_simd_fence();
    }
    return ES_OK;
}

es_result es_blend(
        const es_layout *layout, const void *previous, const void *current, double alpha, void *out)
{
    const es_blend_tick ticks[] = {{current, 0}, {previous, 0}};
    es_blend_job job = {0};
    job.layout = layout;
    job.ticks = ticks;
    job.tick_count = 2;
    job.out = out;
    job.alpha = alpha;
    return es_blend_run(&job, NULL);
}

es_result es_blend_frame(
        const es_layout *layout, const es_history *history, const es_frame *frame, void *out)
{
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    es_blend_job job = {0};
    if (layout == NULL || history == NULL || frame == NULL
            || layout->state_size != history->state_size) {
        return ES_ERR_INVALID;
    }
    int32_t count = es_history_count(history);
    for (int32_t age = 0; age < count; ++age) {
        ticks[age].state = es_history_tick(history, age);
        ticks[age].time_ns = es_history_time_ns(history, age);
    }
    job.tick_count = (size_t)count;
    job.layout = layout;
    job.ticks = ticks;
    job.out = out;
    job.timed = true;
    job.content_ns = frame->content_ns;
    return es_blend_run(&job, NULL);
}
