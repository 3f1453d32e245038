/* SPDX-License-Identifier: Zlib
 *
 * A slot runs through five stages, and through the slices by priority in each:
 *
 *   1 fixed   shares and counts
 *   2 hungry  one item of the slice that has waited longest without time
 *   3 pace    budgets, up to their even share, while there is time
 *   4 over    what is due, or must not fall behind, whatever time there is
 *   5 ahead   budgets, beyond their even share, while there is time
 */
#include "schedule.h"

/* As bits, lowest first. */
enum { STAGE_FIXED = 1, STAGE_HUNGRY = 2, STAGE_PACE = 4, STAGE_OVER = 8, STAGE_AHEAD = 16 };
#define TIMED ((uint32_t)(STAGE_PACE | STAGE_AHEAD))

/* Costs are kept in 1/256 ns: cheap items come by the million. */
#define COST_ONE 256

/* The mean follows by 1/8 of its error, the deviation by 1/4 (RFC 6298). An item is planned at the
 * mean and two deviations: with four, as there, most of the time would stay unused. */
#define COST_SHARE   8
#define SPREAD_SHARE 4
#define SPREADS      2

/* One measure counts as at most four times the mean plus 64 ns, because another thread may have had
 * the processor. Where items really cost more, the mean follows by 3/8 per measure. */
#define OUTLIER       4
#define OUTLIER_LEAST (64 * COST_ONE)

/* Above this many items, half of what fits is granted, so that a cost that has risen is noticed
 * while there is time left. */
#define FEW 8

/* Times are clamped to 12 days, so that products fit int64. */
#define LONGEST_NS (INT64_C(1) << 50)

static es_result slice_check_config(const es_slice_config *config, es__error *error)
{
    const bool counts = config->method == ES_SLICE_COUNT;
    const es__rule rules[] = {
            {(uint32_t)config->method > ES_SLICE_BUDGET, "method", "is none of es_slice_method"},
            {(uint32_t)config->where > ES_SLICE_FRAMES, "where", "is none of es_slice_where"},
            {(uint32_t)config->late > ES_SLICE_EVEN, "late", "is none of es_slice_late"},
            {counts && (config->count < 1 || config->count > ES__SLICE_ITEMS_MAX), "count",
                    "must be 1 to 1 000 000 000"},
            {!counts && config->count != 0, "count", "is for slices by count only"},
    };
    return ES__REFUSE_BROKEN(error, rules);
}

es_result es__slices_init(es_slices *set, es__slice *slices, const es_slice_config *configs,
        int32_t count, es__error *error)
{
    if (configs == NULL) {
        return es__refuse(error, "configs", "must not be NULL");
    }
    for (int32_t i = 0; i < count; ++i) {
        if (slice_check_config(&configs[i], error) != ES_OK) {
            return ES_ERR_INVALID;
        }
    }
    *set = (es_slices){.slices = slices, .count = count};
    for (int32_t i = 0; i < count; ++i) {
        slices[i] = (es__slice){.config = configs[i]};
    }
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

static es__slice *slice_find(const es_slices *set, int32_t slice)
{
    return set != NULL && (uint32_t)slice < (uint32_t)set->count ? &set->slices[slice] : NULL;
}

bool es_slices_begin(es_slices *set, int32_t slice, const es_slice_job *job)
{
    es__slice *found = slice_find(set, slice);
    if (found == NULL || job == NULL || job->items < 1 || job->items > ES__SLICE_ITEMS_MAX
            || job->due_tick <= job->begin_tick
            || es__ns_between(job->begin_tick, job->due_tick) > ES__SLICE_TICKS_MAX) {
        return es__fail(ES_ERR_INVALID, "es_slices_begin", NULL) == ES_OK;
    }
    if (found->running) {
        return es__fail(ES_ERR_STATE, "es_slices_begin", NULL) == ES_OK;
    }
    found->job = *job;
    found->stages = 0;
    found->running = true;
    found->done_once = false;
    found->late = false;
    found->forced = false;
    found->done = 0;
    found->target = 0;
    found->waited = 0;
    return true;
}

static void complete(es__slice *slice)
{
    slice->running = false;
    slice->stages = 0;
    slice->done_once = true;
    slice->jobs += 1;
}

/* --- slots ------------------------------------------------------------------------------------ */

/* floor(items * (tick + part / 2^32 - begin) / (due - begin)), in integers. */
static int32_t even_share(const es__slice *slice, int64_t tick, uint32_t part)
{
    const es_slice_job *job = &slice->job;
    int64_t whole = job->due_tick - job->begin_tick;
    int64_t passed = es__ns_between(job->begin_tick, tick);
    if (passed < 0) {
        return 0;
    }
    if (passed >= whole) {
        return job->items;
    }
    uint64_t items = (uint64_t)job->items;
    uint64_t scaled = items * (uint64_t)passed + (items * part >> 32); /* < 2^60 */
    ES__ASSERT(
            (int64_t)scaled >= 0 && (int64_t)scaled / whole <= job->items, (int64_t)scaled / whole);
    return (int32_t)((int64_t)scaled / whole);
}

static bool slice_is_due(const es_slices *set, const es__slice *slice)
{
    return !set->is_frame && set->tick >= slice->job.due_tick;
}

/* A grant of ES_SLICE_ALL finishes its job, unless es_slices_finish has done so. */
static void settle_last(es_slices *set)
{
    if (set->last_all) {
        complete(&set->slices[set->last]);
    }
    set->last_open = false;
    set->last_all = false;
}

static void close_slice(const es_slices *set, es__slice *slice)
{
    if (slice->in_slot > 0) {
        slice->most = (int32_t)es__max(slice->most, slice->in_slot);
        slice->in_slot = 0;
        slice->waited = 0;
    } else if (set->has_time && slice->config.method == ES_SLICE_BUDGET) {
        slice->waited += slice->waited < INT32_MAX;
    }
    if (slice->running && !slice->late && slice_is_due(set, slice)) {
        slice->late = true;
        slice->missed += 1;
    }
    slice->stages = 0;
}

static void close_slot(es_slices *set)
{
    settle_last(set);
    set->is_open = false;
    for (int32_t i = 0; i < set->count; ++i) {
        es__slice *slice = &set->slices[i];
        if (slice->stages != 0 || slice->in_slot > 0) {
            close_slice(set, slice);
        }
    }
}

/* The stages in which a slice may run items. */
static uint32_t stages_of(const es_slices *set, const es__slice *slice, bool due)
{
    uint32_t over = due ? STAGE_OVER : 0;
    if (slice->config.method != ES_SLICE_BUDGET) {
        return over | STAGE_FIXED;
    }
    uint32_t even = slice->config.late == ES_SLICE_EVEN ? STAGE_OVER : 0;
    return over | even | (set->has_time ? TIMED : 0);
}

/* Whether the slot is for a slice; if so, prepares it. */
static bool open_slice(const es_slices *set, es__slice *slice)
{
    bool frames = slice->config.where == ES_SLICE_FRAMES;
    bool due = slice_is_due(set, slice);
    if (!slice->running || (frames != set->is_frame && !due)) {
        return false;
    }
    slice->target = due ? slice->job.items : even_share(slice, set->tick, set->part);
    ES__ASSERT_IN(slice->target, 0, slice->job.items);
    slice->stages = stages_of(set, slice, due);
    return true;
}

/* The budget that has waited longest gets an item, if it has waited too long. Where only one budget
 * can take time, and nothing is forced, its pace and its work ahead are one grant. */
static void open_slices(es_slices *set)
{
    int32_t takers = 0;
    es__slice *hungry = NULL;
    int32_t longest = ES__SLICE_PATIENCE - 1;
    set->stages = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        es__slice *slice = &set->slices[i];
        if (!open_slice(set, slice)) {
            continue;
        }
        set->stages |= slice->stages;
        bool takes = (slice->stages & STAGE_AHEAD) != 0;
        takers += takes;
        if (takes && slice->waited > longest) {
            longest = slice->waited;
            hungry = slice;
        }
    }
    if (hungry != NULL) {
        hungry->stages |= STAGE_HUNGRY;
        set->stages |= STAGE_HUNGRY;
    }
    if (takers == 1 && (set->stages & STAGE_OVER) == 0) {
        set->stages &= ~(uint32_t)STAGE_PACE;
    }
}

static void open_slot(es_slices *set, int64_t now_ns, int64_t budget_ns)
{
    set->is_open = true;
    set->now_ns = now_ns;
    set->has_time = budget_ns > 0;
    set->until_ns = es__ns_add(now_ns, set->has_time ? budget_ns : 0);
    set->cursor = 0;
    set->last = -1;
    open_slices(set);
}

void es_slices_open_tick(es_slices *set, int64_t tick, int64_t now_ns, int64_t budget_ns)
{
    if (set == NULL) {
        return;
    }
    if (set->is_open) {
        close_slot(set);
    }
    set->is_frame = false;
    set->tick = tick;
    set->part = 0;
    open_slot(set, now_ns, budget_ns);
}

/* In 1/2^32, rounded up: else a share that is a whole number of items would be one short. */
static uint32_t part_of(int64_t since_ns, int64_t whole_ns)
{
    uint64_t since = since_ns > 0 ? (uint64_t)since_ns : 0;
    uint64_t whole = (uint64_t)whole_ns; /* < 2^31, and more than since */
    uint64_t part = ((since << 32) + whole - 1) / whole;
    ES__ASSERT(part * whole >= since << 32 && part * whole < (since << 32) + whole, since_ns);
    return (uint32_t)part;
}

/* The next tick runs when content leaves its pair. So the way from the newest tick to the next is
 * content's way through the pair; with a lead of -1, its way past the newest tick. */
static void place_frame(es_slices *set, const es_frame *frame)
{
    int64_t whole_ns = es__ns_between(frame->previous_ns, frame->current_ns);
    int64_t since_ns = frame->ahead_ns > 0 ? frame->ahead_ns
                                           : es__ns_between(frame->previous_ns, frame->content_ns);
    for (; whole_ns > INT32_MAX; whole_ns >>= 1) {
        since_ns >>= 1;
    }
    bool over = since_ns >= whole_ns || whole_ns <= 0; /* only one tick is known */
    set->tick = es__ns_add(frame->newest_tick, over ? 1 : 0);
    set->part = over ? 0 : part_of(since_ns, whole_ns);
}

void es_slices_open_frame(es_slices *set, const es_frame *frame, int64_t now_ns, int64_t budget_ns)
{
    if (set == NULL) {
        return;
    }
    if (set->is_open) {
        close_slot(set);
    }
    set->is_frame = true;
    place_frame(set, frame);
    open_slot(set, now_ns, budget_ns);
}

/* --- what items cost -------------------------------------------------------------------------- */

static void learn(es__slice *slice, int64_t took_ns, int64_t items)
{
    int64_t cost = es__min(took_ns, LONGEST_NS) * COST_ONE / items;
    if (slice->cost == 0) {
        slice->cost = cost > 0 ? cost : 1;
        slice->spread = cost / 2;
        return;
    }
    int64_t most = slice->cost * OUTLIER + OUTLIER_LEAST;
    int64_t off = es__min(cost, most) - slice->cost;
    slice->spread += ((off < 0 ? -off : off) - slice->spread) / SPREAD_SHARE;
    ES__ASSERT(
            slice->cost + off / COST_SHARE > 0 && slice->spread >= 0, slice->cost, slice->spread);
    slice->cost += off / COST_SHARE; /* stays over 0, as 1/8 of it at most is taken off */
}

/* Where the clock is too coarse to measure a few items, they are measured with the next ones. */
static void measure_last(es_slices *set, int64_t took_ns)
{
    int64_t items = set->unread + set->last_items;
    if (took_ns > 0 && items > 0) {
        learn(&set->slices[set->last], took_ns, items);
    }
    if (took_ns >= 0) {
        set->unread = took_ns > 0 ? 0 : items;
    }
}

/* How many of these items fit into the time left, which is over 0. At an unknown cost: one, to
 * learn it. */
static int32_t in_time(const es__slice *slice, int64_t left, int32_t items)
{
    if (items <= 0) {
        return 0;
    }
    if (slice->cost == 0) {
        return 1;
    }
    int64_t fit = left / (slice->cost + SPREADS * slice->spread);
    fit = fit > FEW ? fit / 2 : fit;
    ES__ASSERT(fit >= 0 && es__min(fit, items) * slice->cost <= left, fit, left);
    return (int32_t)es__min(fit, items);
}

/* --- grants ----------------------------------------------------------------------------------- */

static int32_t left_of(const es__slice *slice)
{
    return slice->job.open ? ES__SLICE_ITEMS_MAX : slice->job.items - slice->done;
}

static int32_t wanted(const es_slices *set, const es__slice *slice, uint32_t stage)
{
    switch (stage) {
    case STAGE_FIXED:
        if (slice->config.method != ES_SLICE_COUNT) {
            break;
        }
        return slice->in_slot == 0 ? (int32_t)es__min(slice->config.count, left_of(slice)) : 0;
    case STAGE_HUNGRY:
        return slice->in_slot == 0 ? 1 : 0;
    case STAGE_OVER:
        if (!slice_is_due(set, slice)) {
            break;
        }
        return slice->job.open ? ES_SLICE_ALL : left_of(slice);
    case STAGE_AHEAD:
        return left_of(slice);
    default: /* STAGE_PACE */
        break;
    }
    return slice->target - slice->done; /* how far it is behind its even share */
}

/* The next slice, from the cursor on, that runs items in a stage. One that gets less than it wants
 * comes again. */
static bool ask_slices(es_slices *set, uint32_t stage, int64_t left, es_slice_grant *grant)
{
    for (int32_t at = set->cursor; at < set->count; ++at) {
        es__slice *slice = &set->slices[at];
        int32_t all = (slice->stages & stage) != 0 ? wanted(set, slice, stage) : 0;
        int32_t items = (stage & TIMED) != 0 ? in_time(slice, left, all) : all;
        if (items > 0) {
            grant->slice = at;
            grant->items = items;
            set->last_forced = stage == STAGE_OVER;
            set->cursor = items < all ? at : at + 1;
            ES__ASSERT(stage != STAGE_PACE || slice->done + items <= slice->target, slice->target);
            return true;
        }
    }
    return false;
}

/* The next grant, from the current stage on: the lowest bit of set->stages. */
static bool find_next(es_slices *set, es_slice_grant *grant)
{
    /* in the unit of costs; 0 when the slot is over, by however much */
    int64_t left_ns = es__max(es__ns_between(set->now_ns, set->until_ns), 0);
    int64_t left = es__min(left_ns, LONGEST_NS) * COST_ONE;
    while (set->stages != 0) {
        uint32_t stage = set->stages & (0U - set->stages);
        bool may_run = left > 0 || (stage & TIMED) == 0;
        if (may_run && ask_slices(set, stage, left, grant)) {
            return true;
        }
        set->stages &= ~stage;
        set->cursor = 0;
    }
    return false;
}

/* A grant of ES_SLICE_ALL counts no items: es_slices_finish does. */
static void count_grant(es_slices *set, es_slice_grant *grant)
{
    es__slice *slice = &set->slices[grant->slice];
    bool all = grant->items == ES_SLICE_ALL;
    int32_t items = all ? 0 : grant->items;
    grant->first = slice->done;
    set->unread = grant->slice == set->last ? set->unread : 0;
    set->last = grant->slice;
    set->last_items = items;
    set->last_open = true;
    set->last_all = all;
    if (set->last_forced) {
        slice->forced_jobs += !slice->forced;
        slice->forced_items += items;
        slice->forced = true;
    }
    slice->done = (int32_t)es__min(slice->done, INT32_MAX - items) + items;
    slice->in_slot = (int32_t)es__min(slice->in_slot, INT32_MAX - items) + items;
    ES__ASSERT(slice->job.open
                       || (slice->done <= slice->job.items && grant->first + items == slice->done),
            slice->done, slice->job.items);
    if (slice->done == slice->job.items && !slice->job.open) {
        complete(slice);
    }
}

bool es_slices_next(es_slices *set, int64_t now_ns, es_slice_grant *grant)
{
    if (set == NULL || !set->is_open) {
        return false;
    }
    if (set->last_open) {
        measure_last(set, es__ns_between(set->now_ns, now_ns));
        settle_last(set);
    }
    set->now_ns = now_ns;
    bool found = find_next(set, grant);
    if (found) {
        count_grant(set, grant);
    } else {
        close_slot(set);
    }
    return found;
}

bool es_slices_finish(es_slices *set, int32_t slice, int32_t items)
{
    es__slice *found = slice_find(set, slice);
    bool is_last = found != NULL && set->last_open && set->last == slice;
    int32_t most = 0;
    if (is_last) {
        most = set->last_all ? INT32_MAX : set->last_items;
    }
    if (found == NULL || items < 0 || items > most) {
        return es__fail(ES_ERR_INVALID, "es_slices_finish", NULL) == ES_OK;
    }
    if (!found->running || !found->job.open) {
        return es__fail(ES_ERR_STATE, "es_slices_finish", NULL) == ES_OK;
    }
    if (is_last) {
        int64_t room = INT32_MAX - es__max(found->done, found->in_slot);
        int32_t more = (int32_t)es__min(items - set->last_items, room); /* than was counted */
        found->done += more;
        found->in_slot += more;
        found->forced_items += set->last_forced ? more : 0;
        set->last_items = items;
        set->last_all = false;
    }
    complete(found);
    return true;
}

/* --- the object ------------------------------------------------------------------------------- */

es_slices *es_slices_create(const es_slice_config *configs, int32_t count)
{
    es__error error = {"count", "must be 1 to 1024"};
    if (count < 1 || count > ES__SLICES_MAX) {
        es__fail(ES_ERR_INVALID, "es_slice_config", &error);
        return NULL;
    }
    es_slices *set = es__allocate(sizeof *set + (size_t)count * sizeof(es__slice));
    es_result result =
            set != NULL ? es__slices_init(set, (es__slice *)(set + 1), configs, count, &error)
                        : ES_OK;
    if (result != ES_OK) {
        es__fail(result, "es_slice_config", &error);
        es__free(set);
        return NULL;
    }
    return set;
}

void es_slices_destroy(es_slices *set)
{
    es__free(set);
}

es_slice_status es_slices_get_status(const es_slices *set, int32_t slice)
{
    const es__slice *found = slice_find(set, slice);
    return found == NULL ? (es_slice_status){0}
                         : (es_slice_status){found->done_once, found->forced_items, found->missed};
}
