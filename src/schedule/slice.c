/* SPDX-License-Identifier: Zlib
 *
 * A slot is gone through in stages, and in each stage the slices in their order. So what is owed
 * by share or count is run before time is spent by budget, what a slice needs to keep its pace
 * before what is due and did not fit, and both before anybody works ahead.
 */
#include "evenstep/slice.h"

#include "base/common.h"

/* As bits: their order is that of the stages. Every slice that a slot is for has the last one. */
enum {
    STAGE_FIXED = 1,
    STAGE_HUNGRY = 2,
    STAGE_PACE = 4,
    STAGE_OVER = 8,
    STAGE_AHEAD = 16,
    IN_SLOT = 32
};
#define TIMED (STAGE_PACE | STAGE_AHEAD)

/* es_slice.target, until somebody asks. */
#define UNKNOWN (-1)

/* Costs are kept in 1/256 ns: cheap items come by the million. */
#define COST_ONE 256

/* The mean follows by 1/8 of what it is off, its deviation by 1/4 (RFC 6298). A grant is reckoned
 * at the mean and two deviations: with four, as there, most of the time would stay unused. */
#define COST_SHARE   8
#define SPREAD_SHARE 4
#define SPREADS      2

/* One measure counts at most as four times the mean, or as 64 ns more: somebody else had the
 * processor. Where items really cost more it follows by 3/8 per measure. */
#define OUTLIER       4
#define OUTLIER_LEAST (64 * COST_ONE)

/* Of what fits only half is granted, as long as that is some: so a cost that has risen is noticed
 * while there is time left. */
#define FEW 8

/* Longer than that nothing takes: 12 days. */
#define LONGEST_NS (INT64_C(1) << 50)

static es_result slice_check_config(const es_slice_config *config, es_error *error)
{
    if ((uint32_t)config->method > ES_SLICE_BUDGET) {
        return es__refuse(error, "method", "is none of es_slice_method");
    }
    if ((uint32_t)config->where > ES_SLICE_FRAMES) {
        return es__refuse(error, "where", "is none of es_slice_where");
    }
    if ((uint32_t)config->late > ES_SLICE_MISS) {
        return es__refuse(error, "late", "is none of es_slice_late");
    }
    if (config->method == ES_SLICE_COUNT) {
        bool fits = config->count >= 1 && config->count <= ES_SLICE_ITEMS_MAX;
        return fits ? ES_OK : es__refuse(error, "count", "must be 1 to 1 000 000 000");
    }
    return config->count == 0 ? ES_OK : es__refuse(error, "count", "is for slices by count only");
}

es_result es_slices_init(es_slices *set, es_slice *slices, const es_slice_config *configs,
        int32_t count, es_error *error)
{
    if (error != NULL) {
        error->field = NULL;
        error->reason = NULL;
    }
    if (set == NULL || slices == NULL || configs == NULL) {
        return es__refuse(error, "set, slices, configs", "must not be NULL");
    }
    if (count < 1 || count > ES_SLICES_MAX) {
        return es__refuse(error, "count", "must be 1 to 1024");
    }
    for (int32_t i = 0; i < count; ++i) {
        if (slice_check_config(&configs[i], error) != ES_OK) {
            return ES_ERR_INVALID;
        }
    }
    const es_slices fresh = {.slices = slices, .count = count};
    *set = fresh;
    for (int32_t i = 0; i < count; ++i) {
        const es_slice none = {.config = configs[i]};
        slices[i] = none;
        set->has_frames = set->has_frames || configs[i].where == ES_SLICE_FRAMES;
    }
    return ES_OK;
}

uint32_t es_slice_phase(int32_t index)
{
    return (uint32_t)index * UINT32_C(2654435769); /* 2^32 / 1.618..., to the nearest odd number */
}

static es_slice *slice_find(const es_slices *set, int32_t slice)
{
    return set != NULL && (uint32_t)slice < (uint32_t)set->count ? &set->slices[slice] : NULL;
}

es_result es_slices_begin(es_slices *set, int32_t slice, const es_slice_job *job)
{
    es_slice *found = slice_find(set, slice);
    if (found == NULL || job == NULL || job->items < 1 || job->items > ES_SLICE_ITEMS_MAX
            || job->due_tick <= job->begin_tick
            || es_ns_sub(job->due_tick, job->begin_tick) > ES_SLICE_TICKS_MAX) {
        return ES_ERR_INVALID;
    }
    if (found->running) {
        return ES_ERR_STATE;
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
    return ES_OK;
}

/* It wants nothing any more. */
static void stop(es_slice *slice)
{
    slice->running = false;
    slice->stages &= IN_SLOT;
}

void es_slices_cancel(es_slices *set, int32_t slice)
{
    es_slice *found = slice_find(set, slice);
    if (found == NULL) {
        return;
    }
    stop(found);
    found->done_once = false;
    if (set->last == slice) {
        set->last_open = false;
        set->last_all = false;
    }
}

static void complete(es_slice *slice)
{
    stop(slice);
    slice->done_once = true;
    slice->jobs += 1;
}

/* --- slots ------------------------------------------------------------------------------------ */

/* floor(items * (tick + part / 2^32 - begin) / (due - begin) + phase / 2^32), all in integers: at
 * the due tick that is every item, for any phase. */
static int32_t even_share(const es_slice *slice, int64_t tick, uint32_t part)
{
    const es_slice_job *job = &slice->job;
    int64_t whole = job->due_tick - job->begin_tick;
    int64_t passed = es_ns_sub(tick, job->begin_tick);
    if (passed < 0) {
        return 0;
    }
    if (passed >= whole) {
        return job->items;
    }
    uint64_t items = (uint64_t)job->items;
    uint64_t scaled = items * (uint64_t)passed + (items * part >> 32);      /* < 2^60 */
    uint64_t phase = (uint64_t)slice->config.phase * (uint64_t)whole >> 32; /* < whole */
    return (int32_t)((int64_t)(scaled + phase) / whole);
}

static bool slice_is_due(const es_slices *set, const es_slice *slice)
{
    return !set->is_frame && set->tick >= slice->job.due_tick;
}

/* Who was granted all that is left of a job has done it, unless es_slices_finish said otherwise. */
static void settle_last(es_slices *set)
{
    if (set->last_all) {
        complete(&set->slices[set->last]);
    }
    set->last_open = false;
    set->last_all = false;
}

static void close_slice(const es_slices *set, es_slice *slice)
{
    if (slice->in_slot > 0) {
        slice->most = slice->in_slot > slice->most ? slice->in_slot : slice->most;
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
    if (!set->is_used) {
        return;
    }
    for (int32_t i = 0; i < set->count; ++i) {
        es_slice *slice = &set->slices[i];
        if (slice->stages != 0 || slice->in_slot > 0) {
            close_slice(set, slice);
        }
    }
}

/* The stages in which a slice may want something; how much is asked when its turn comes. */
static uint32_t stages_of(const es_slices *set, const es_slice *slice, bool due)
{
    uint32_t over = due ? IN_SLOT | STAGE_OVER : IN_SLOT;
    if (slice->config.method != ES_SLICE_BUDGET) {
        return over | STAGE_FIXED;
    }
    uint32_t even = slice->config.late == ES_SLICE_EVEN ? STAGE_OVER : 0;
    return over | even | (set->has_time ? TIMED : 0);
}

/* Whether the slot is for a slice; then what it may want. */
static bool open_slice(const es_slices *set, es_slice *slice)
{
    bool frames = slice->config.where == ES_SLICE_FRAMES;
    bool due = slice_is_due(set, slice);
    if (!slice->running || (frames != set->is_frame && !due)) {
        return false;
    }
    slice->target = UNKNOWN;
    slice->stages = stages_of(set, slice, due);
    return true;
}

/* Of those who take time the one that has waited longest is given an item, if that was too long.
 * One alone has nobody to leave time to: what it needs for its pace and what it runs ahead are one
 * grant, unless the first decides what is forced. */
static void open_slices(es_slices *set)
{
    uint32_t stages = 0;
    int32_t takers = 0;
    es_slice *hungry = NULL;
    int32_t longest = ES_SLICE_PATIENCE - 1;
    for (int32_t i = 0; i < set->count; ++i) {
        es_slice *slice = &set->slices[i];
        if (!open_slice(set, slice)) {
            continue;
        }
        stages |= slice->stages;
        if ((slice->stages & STAGE_AHEAD) == 0) {
            continue;
        }
        takers += 1;
        if (slice->waited > longest) {
            longest = slice->waited;
            hungry = slice;
        }
    }
    if (hungry != NULL) {
        hungry->stages |= STAGE_HUNGRY;
        stages |= STAGE_HUNGRY;
    }
    if (takers == 1 && (stages & STAGE_OVER) == 0) {
        stages &= ~(uint32_t)STAGE_PACE;
    }
    set->is_used = stages != 0;
    set->stages = stages & ~(uint32_t)IN_SLOT;
}

static void open_slot(es_slices *set, int64_t now_ns, int64_t budget_ns)
{
    set->is_open = true;
    set->is_used = false;
    set->now_ns = now_ns;
    set->has_time = budget_ns > 0;
    set->until_ns = es_ns_add(now_ns, set->has_time ? budget_ns : 0);
    set->stages = 0;
    set->cursor = 0;
    set->last = -1;
    if (!set->is_frame || set->has_frames) {
        open_slices(set);
    }
}

void es_slices_open_tick(es_slices *set, int64_t tick, int64_t now_ns, int64_t budget_ns)
{
    if (set->is_open) {
        close_slot(set);
    }
    set->is_frame = false;
    set->tick = tick;
    set->part = 0;
    set->run_tick = tick;
    open_slot(set, now_ns, budget_ns);
}

/* In 1/2^32, rounded up: else a share that is a whole number of items came out one short. */
static uint32_t part_of(int64_t since_ns, int64_t whole_ns)
{
    uint64_t since = since_ns > 0 ? (uint64_t)since_ns : 0;
    uint64_t whole = (uint64_t)whole_ns; /* < 2^31, and more than since */
    return (uint32_t)(((since << 32) + whole - 1) / whole);
}

/* How far a frame is from the newest tick to the next is how far content is through its pair, as
 * the next tick runs when content leaves that; with a lead of -1, how far it is past the newest. */
static void place_frame(es_slices *set, const es_frame *frame)
{
    int64_t whole_ns = es_ns_sub(frame->current_ns, frame->previous_ns);
    int64_t since_ns = frame->ahead_ns > 0 ? frame->ahead_ns
                                           : es_ns_sub(frame->content_ns, frame->previous_ns);
    for (; whole_ns > INT32_MAX; whole_ns >>= 1) {
        since_ns >>= 1;
    }
    bool over = since_ns >= whole_ns || whole_ns <= 0; /* only one tick is known */
    set->tick = es_ns_add(frame->newest_tick, over ? 1 : 0);
    set->part = over ? 0 : part_of(since_ns, whole_ns);
}

void es_slices_open_frame(es_slices *set, const es_frame *frame, int64_t now_ns, int64_t budget_ns)
{
    if (set->is_open) {
        close_slot(set);
    }
    set->is_frame = true;
    set->run_tick = es_ns_add(frame->newest_tick, 1);
    if (set->has_frames) {
        place_frame(set, frame);
    }
    open_slot(set, now_ns, budget_ns);
}

static int32_t lesser(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* --- what items cost -------------------------------------------------------------------------- */

static void learn(es_slice *slice, int64_t took_ns, int64_t items)
{
    took_ns = took_ns < LONGEST_NS ? took_ns : LONGEST_NS;
    int64_t cost = took_ns * COST_ONE / items;
    if (slice->cost == 0) {
        slice->cost = cost > 0 ? cost : 1;
        slice->spread = cost / 2;
        return;
    }
    int64_t most = slice->cost * OUTLIER + OUTLIER_LEAST;
    int64_t off = (cost < most ? cost : most) - slice->cost;
    slice->spread += ((off < 0 ? -off : off) - slice->spread) / SPREAD_SHARE;
    slice->cost += off / COST_SHARE; /* stays over 0, as 1/8 of it at most is taken off */
}

/* A clock may be too coarse to tell a few items: then they are measured together with the next. */
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

/* The rest of the slot in the unit of costs; 0 when it is over, by however much. */
static int64_t time_left(const es_slices *set)
{
    int64_t left_ns = es_ns_sub(set->until_ns, set->now_ns);
    left_ns = left_ns > 0 ? left_ns : 0;
    return (left_ns < LONGEST_NS ? left_ns : LONGEST_NS) * COST_ONE;
}

/* How many of so many items there is expected to be time for, where some is left. Of unknown cost:
 * the first one, to learn it. */
static int32_t in_time(const es_slice *slice, int64_t left, int32_t items)
{
    if (items <= 0) {
        return 0;
    }
    if (slice->cost == 0) {
        return 1;
    }
    int64_t price = slice->cost + SPREADS * slice->spread;
    if (price <= UINT32_MAX && 2 * price * items <= left) {
        return items; /* half of what fits is enough: mostly so, and then nothing is divided */
    }
    int64_t fit = left / price;
    fit = fit > FEW ? fit / 2 : fit;
    return fit < items ? (int32_t)fit : items;
}

/* --- grants ----------------------------------------------------------------------------------- */

static int32_t left_of(const es_slice *slice)
{
    return slice->job.open ? ES_SLICE_ITEMS_MAX : slice->job.items - slice->done;
}

/* How far a slice is behind its even share. */
static int32_t behind(const es_slices *set, es_slice *slice)
{
    if (slice->target == UNKNOWN) {
        slice->target = slice_is_due(set, slice) ? slice->job.items
                                                 : even_share(slice, set->tick, set->part);
    }
    return slice->target - slice->done;
}

static int32_t wanted_fixed(const es_slices *set, es_slice *slice)
{
    if (slice->config.method == ES_SLICE_COUNT) {
        return slice->in_slot == 0 ? lesser(slice->config.count, left_of(slice)) : 0;
    }
    return behind(set, slice);
}

static int32_t wanted_over(const es_slices *set, es_slice *slice)
{
    const es_slice_config *config = &slice->config;
    if (slice_is_due(set, slice)
            && (config->late != ES_SLICE_MISS || config->method == ES_SLICE_SHARE)) {
        return slice->job.open ? ES_SLICE_ALL : left_of(slice);
    }
    bool even = config->method == ES_SLICE_BUDGET && config->late == ES_SLICE_EVEN;
    return even ? behind(set, slice) : 0;
}

static int32_t wanted(const es_slices *set, es_slice *slice, uint32_t stage)
{
    switch (stage) {
    case STAGE_FIXED:
        return wanted_fixed(set, slice);
    case STAGE_HUNGRY:
        return slice->in_slot == 0 ? 1 : 0;
    case STAGE_PACE:
        return behind(set, slice);
    case STAGE_OVER:
        return wanted_over(set, slice);
    default:
        return left_of(slice);
    }
}

/* From the cursor on, the next slice that is to run something in a stage. It is asked again where
 * it gets less than it wants. */
static bool ask_slices(es_slices *set, uint32_t stage, int64_t left, es_slice_grant *grant)
{
    for (int32_t at = set->cursor; at < set->count; ++at) {
        es_slice *slice = &set->slices[at];
        int32_t all = (slice->stages & stage) != 0 ? wanted(set, slice, stage) : 0;
        int32_t items = (stage & TIMED) != 0 ? in_time(slice, left, all) : all;
        if (items > 0) {
            grant->slice = at;
            grant->items = items;
            grant->forced = stage == STAGE_OVER;
            set->cursor = items < all ? at : at + 1;
            return true;
        }
    }
    return false;
}

/* The same from the stage on that is gone through now, the lowest bit. Without time those that want
 * it are left out. */
static bool find_next(es_slices *set, es_slice_grant *grant)
{
    int64_t left = time_left(set);
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

/* Of all that is left of a job the number is known only when es_slices_finish tells it. */
static void count_grant(es_slices *set, es_slice_grant *grant)
{
    es_slice *slice = &set->slices[grant->slice];
    bool all = grant->items == ES_SLICE_ALL;
    int32_t items = all ? 0 : grant->items;
    grant->tick = set->run_tick;
    grant->first = slice->done;
    set->unread = grant->slice == set->last ? set->unread : 0;
    set->last = grant->slice;
    set->last_items = items;
    set->last_open = true;
    set->last_all = all;
    set->last_forced = grant->forced;
    if (grant->forced) {
        slice->forced_jobs += !slice->forced;
        slice->forced_items += items;
        slice->forced = true;
    }
    slice->done = lesser(slice->done, INT32_MAX - items) + items;
    slice->in_slot = lesser(slice->in_slot, INT32_MAX - items) + items;
    if (slice->done == slice->job.items && !slice->job.open) {
        complete(slice);
    }
}

bool es_slices_next(es_slices *set, int64_t now_ns, es_slice_grant *grant)
{
    if (!set->is_open) {
        return false;
    }
    if (set->last_open) {
        measure_last(set, es_ns_sub(now_ns, set->now_ns));
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

es_result es_slices_replay(es_slices *set, int32_t slice, int32_t items, es_slice_grant *grant)
{
    es_slice *found = slice_find(set, slice);
    if (found == NULL || grant == NULL) {
        return ES_ERR_INVALID;
    }
    settle_last(set);
    if (!set->is_open || !found->running) {
        return ES_ERR_STATE;
    }
    bool all = found->job.open && items == ES_SLICE_ALL;
    if (items < 1 || (items > left_of(found) && !all)) {
        return ES_ERR_INVALID;
    }
    *grant = (es_slice_grant){.slice = slice, .items = items};
    set->is_used = true;
    count_grant(set, grant);
    return ES_OK;
}

es_result es_slices_finish(es_slices *set, int32_t slice, int32_t items)
{
    es_slice *found = slice_find(set, slice);
    bool is_last = found != NULL && set->last_open && set->last == slice;
    int32_t most = !is_last ? 0 : set->last_all ? INT32_MAX : set->last_items;
    if (found == NULL || items < 0 || items > most) {
        return ES_ERR_INVALID;
    }
    if (!found->running || !found->job.open) {
        return ES_ERR_STATE;
    }
    if (is_last) {
        int32_t more = items - set->last_items; /* than was counted */
        more = lesser(
                more, INT32_MAX - (found->done > found->in_slot ? found->done : found->in_slot));
        found->done += more;
        found->in_slot += more;
        found->forced_items += set->last_forced ? more : 0;
        set->last_items = items;
        set->last_all = false;
    }
    complete(found);
    return ES_OK;
}

bool es_slices_is_done(const es_slices *set, int32_t slice)
{
    const es_slice *found = slice_find(set, slice);
    return found != NULL && found->done_once;
}

es_slice_status es_slices_status(const es_slices *set, int32_t slice)
{
    es_slice_status status = {0};
    const es_slice *found = slice_find(set, slice);
    if (found == NULL) {
        return status;
    }
    status.running = found->running;
    status.late = found->late;
    status.items = found->done;
    if (found->running) {
        int32_t left = found->job.items - found->done;
        status.left = left > 1 ? left : 1;
    }
    status.jobs = found->jobs;
    status.forced_jobs = found->forced_jobs;
    status.forced_items = found->forced_items;
    status.missed = found->missed;
    status.most = found->in_slot > found->most ? found->in_slot : found->most;
    status.waited = found->waited;
    status.cost_ns = found->cost / COST_ONE;
    return status;
}
