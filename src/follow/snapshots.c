/* SPDX-License-Identifier: Zlib
 *
 * Snapshots of a server, by their ticks. The line of a follower maps our time to the server's, as the
 * fastest packets show it. Frames show that time less a delay: the 99th percentile of how much later than
 * the fastest snapshots come, the tick that blending needs, and one for each snapshot that may be lost.
 */
#include "evenstep/world.h"

#include "follow.h"

#define SNAPSHOTS 64 /* kept */
#define JITTERS   256
#define BLENDED   8 /* ticks that es_blend_ticks takes */

/* Snapshots in a row that are there already, or older than all that are kept: the server has begun anew. */
#define OLD_MAX 8

#define SPEED_CHANGE_MAX 0.05
/* A larger error jumps: no snapshots came, or the server's clock was set. */
#define JUMP_NS (ES_NS_PER_S / 2)
/* A longer delay is needed now. A shorter one comes so slowly that nobody sees it; a much shorter one, after
 * a breakdown, with the speed that takes 20 s for the difference. */
#define DELAY_FALL    0.002
#define DELAY_FALL_NS 20e9
/* The longest delay, in ticks: older ones are not kept. */
#define DELAY_TICKS 60
/* Snapshots that the program takes so long after a frame came while it did nothing: they tell no delay. */
#define HITCH_NS (250 * ES_NS_PER_MS)
/* The time from a frame's begin to its present_ns, as a mean of so many frames. */
#define AHEAD_FRAMES 64.0

#define CORRECTION_NS (100 * ES_NS_PER_MS)
#define CORRECTIONS   4 /* at once */

typedef struct snapshot {
    int64_t tick, arrival; /* arrival: counts what has arrived; 0: none is here */
} snapshot;

struct es_snapshots {
    es_snapshots_config config;
    es__follower server;
    unsigned char *states, *views[3];
    size_t stride;            /* of states */
    snapshot kept[SNAPSHOTS]; /* of tick n at n modulo their number */
    int64_t newest, arrivals, old;
    double late_ns[JITTERS];
    int32_t lates; /* in all, up to their number */
    int32_t late_at;
    double jitter_ns, delay_ns, ahead_ns;
    /* The frame before. */
    bool started;
    int64_t begun_ns, present_ns, content_ns;
    int64_t upper; /* the tick after content; INT64_MAX: predicted */
    int64_t seen;  /* arrivals */
    double speed;
    /* Corrections, the oldest first: from what the first `arrivals` show, since an instant of content. */
    struct {
        int64_t arrivals, since_ns;
    } corrections[CORRECTIONS];
    int32_t correcting;
    es_snapshots_status status;
};

static es_result check_snapshots(const es_snapshots_config *config, es__error *error)
{
    if (!es__rate_is_usable(config->tick_rate)) {
        return es__refuse_rate(error, "tick_rate", config->tick_rate,
                "must be over 0 and up to 1 000 000 per second");
    }
    const es__rule rules[] = {
            {config->state_size == 0 || config->state_size > SIZE_MAX / 2 / (SNAPSHOTS + 3),
                    "state_size", "must be at least 1, and fit into memory 67 times"},
            {config->spare < -1 || config->spare > 8, "spare", "must be -1 to 8"},
            {config->delay_ns < 0
                            || (double)config->delay_ns
                                       > DELAY_TICKS * es__rate_period_s(config->tick_rate) * 1e9,
                    "delay_ns", "must be 0 to 60 ticks"},
    };
    return ES__REFUSE_BROKEN(error, rules);
}

es_snapshots *es_snapshots_create(const es_snapshots_config *config)
{
    es__error error = {NULL, NULL};
    if (config == NULL) {
        es__fail(ES_ERR_INVALID, "es_snapshots_create", NULL);
        return NULL;
    }
    if (!es__fail_if(check_snapshots(config, &error), "es_snapshots_create", &error)) {
        return NULL;
    }
    size_t size = (config->state_size + ES__ALIGNMENT - 1) / ES__ALIGNMENT * ES__ALIGNMENT;
    size_t own = (sizeof(es_snapshots) + ES__ALIGNMENT - 1) / ES__ALIGNMENT * ES__ALIGNMENT;
    es_snapshots *snapshots = es__allocate(own + (SNAPSHOTS + 3) * size);
    if (snapshots != NULL) {
        snapshots->config = *config;
        snapshots->states = (unsigned char *)snapshots + own;
        snapshots->views[0] = snapshots->states + SNAPSHOTS * size;
        snapshots->views[1] = snapshots->views[0] + size;
        snapshots->views[2] = snapshots->views[1] + size;
        snapshots->stride = size;
        snapshots->newest = -1;
        snapshots->speed = 1;
        es__follower_init(&snapshots->server, &(es_follower_config){.noise = ES_FOLLOW_LATE});
    }
    return snapshots;
}

void es_snapshots_destroy(es_snapshots *snapshots)
{
    es__free(snapshots);
}

static int64_t tick_time_ns(const es_snapshots *snapshots, int64_t tick)
{
    return es_rate_time_ns(snapshots->config.tick_rate, tick);
}

static double tick_ns(const es_snapshots *snapshots)
{
    return es__rate_period_s(snapshots->config.tick_rate) * 1e9;
}

static unsigned char *state_of(const es_snapshots *snapshots, int64_t tick)
{
    return snapshots->states + (size_t)(tick % SNAPSHOTS) * snapshots->stride;
}

/* Whether the tick is here, and was among the first `arrivals`. */
static bool is_here(const es_snapshots *snapshots, int64_t tick, int64_t arrivals)
{
    const snapshot *s = &snapshots->kept[tick >= 0 ? tick % SNAPSHOTS : 0];
    return tick >= 0 && s->arrival > 0 && s->arrival <= arrivals && s->tick == tick;
}

/* --- what arrives ----------------------------------------------------------------------------- */

static void forget(es_snapshots *snapshots)
{
    memset(snapshots->kept, 0, sizeof snapshots->kept);
    snapshots->newest = -1;
    es__follower_forget(&snapshots->server);
    snapshots->lates = 0;
    snapshots->late_at = 0;
    snapshots->started = false;
    snapshots->correcting = 0;
    snapshots->old = 0;
}

/* How late a snapshot is, against the fastest. */
static void note_late(es_snapshots *snapshots, int64_t tick, int64_t now_ns)
{
    int64_t time_ns = tick_time_ns(snapshots, tick);
    es__follower_take(&snapshots->server, time_ns, now_ns);
    double late_ns = (double)(es__follower_other_ns(&snapshots->server, now_ns) - time_ns);
    snapshots->late_ns[snapshots->late_at] = late_ns;
    snapshots->late_at = (snapshots->late_at + 1) % JITTERS;
    snapshots->lates += snapshots->lates < JITTERS;
    double sorted[JITTERS];
    memcpy(sorted, snapshots->late_ns, (size_t)snapshots->lates * sizeof sorted[0]);
    es__sort(sorted, (size_t)snapshots->lates);
    snapshots->jitter_ns = es__percentile(sorted, (size_t)snapshots->lates, 990);
}

bool es_snapshots_add(es_snapshots *snapshots, int64_t tick, const void *state, int64_t now_ns)
{
    if (snapshots == NULL || tick < 0
            || es_rate_time_ns(snapshots->config.tick_rate, tick) >= ES__TIME_MAX) {
        return es__fail(ES_ERR_INVALID, "es_snapshots_add", NULL) == ES_OK;
    }
    bool old = tick <= snapshots->newest - SNAPSHOTS || is_here(snapshots, tick, INT64_MAX);
    snapshots->old = old ? snapshots->old + 1 : 0;
    if (snapshots->old > OLD_MAX) {
        forget(snapshots);
        old = false;
    }
    if (old) {
        snapshots->status.dropped += 1;
        return false;
    }
    memcpy(state_of(snapshots, tick), state, snapshots->config.state_size);
    snapshots->arrivals += 1;
    snapshots->kept[tick % SNAPSHOTS] = (snapshot){tick, snapshots->arrivals};
    snapshots->newest = es__max(snapshots->newest, tick);
    snapshots->status.received += 1;
    if (!snapshots->started || es__ns_between(snapshots->begun_ns, now_ns) < HITCH_NS) {
        note_late(snapshots, tick, now_ns);
    }
    return true;
}

/* --- which instant a frame shows -------------------------------------------------------------- */

static double wanted_delay_ns(const es_snapshots *snapshots)
{
    const es_snapshots_config *config = &snapshots->config;
    if (config->delay_ns > 0) {
        return (double)config->delay_ns;
    }
    int32_t spare = config->spare == 0 ? 1 : config->spare < 0 ? 0 : config->spare;
    double wanted_ns = snapshots->jitter_ns + (1 + spare) * tick_ns(snapshots);
    return es__min_f64(wanted_ns, DELAY_TICKS * tick_ns(snapshots));
}

/* How far behind the server, as the fastest packets show it, and without the time to the screen. */
static void move_delay(es_snapshots *snapshots, double passed_ns, double ahead_ns)
{
    double wanted_ns = wanted_delay_ns(snapshots);
    if (!snapshots->started) {
        snapshots->delay_ns = wanted_ns;
        snapshots->ahead_ns = ahead_ns;
    }
    snapshots->ahead_ns += (ahead_ns - snapshots->ahead_ns) / AHEAD_FRAMES;
    double fall = es__max_f64(DELAY_FALL, (snapshots->delay_ns - wanted_ns) / DELAY_FALL_NS);
    snapshots->delay_ns = es__max_f64(wanted_ns, snapshots->delay_ns - fall * passed_ns);
}

static void move_content(es_snapshots *snapshots, const es_frame *frame)
{
    double passed_ns = (double)es__ns_between(snapshots->present_ns, frame->present_ns);
    passed_ns = es__max_f64(snapshots->started ? passed_ns : 0, 0);
    move_delay(snapshots, passed_ns, (double)es__ns_between(frame->begun_ns, frame->present_ns));
    int64_t server_ns = es__follower_other_ns(&snapshots->server, frame->present_ns);
    int64_t due_ns = es__ns_sub(server_ns, (int64_t)(snapshots->delay_ns + snapshots->ahead_ns));
    double rate = 1 + snapshots->server.line.drift;
    int64_t next_ns = es__ns_add(snapshots->content_ns, (int64_t)(passed_ns * rate));
    int64_t error_ns = es__ns_between(next_ns, due_ns);
    double change = es__follow_change((double)error_ns, passed_ns, SPEED_CHANGE_MAX);
    if (!snapshots->started || error_ns > JUMP_NS || error_ns < -JUMP_NS) {
        snapshots->content_ns = due_ns;
        change = 0;
    } else {
        snapshots->content_ns = es__ns_add(next_ns, (int64_t)(passed_ns * rate * change));
    }
    snapshots->speed = rate * (1 + change);
    snapshots->started = true;
    snapshots->begun_ns = frame->begun_ns;
    snapshots->present_ns = frame->present_ns;
}

/* --- what it shows ---------------------------------------------------------------------------- */

/* The tick at or after content; INT64_MAX: it has not arrived. */
static int64_t upper_tick(const es_snapshots *snapshots, int64_t arrivals)
{
    int64_t tick = es__rate_ns_to_events(snapshots->config.tick_rate, snapshots->content_ns);
    tick = es__max(tick, snapshots->newest - SNAPSHOTS + 1);
    while (tick <= snapshots->newest && !is_here(snapshots, tick, arrivals)) {
        tick += 1;
    }
    return tick <= snapshots->newest ? tick : INT64_MAX;
}

/* The newest ticks first: one after the pair, for splines, and the older ones. After the newest tick only two:
 * else ES_CORRECT_BLEND would mix in what the older ones predict, which no frame has shown. */
static size_t gather(const es_snapshots *snapshots, int64_t arrivals, es_blend_tick ticks[BLENDED])
{
    int64_t upper = upper_tick(snapshots, arrivals), tick = snapshots->newest;
    size_t count = 0, most = upper == INT64_MAX ? 2 : BLENDED;
    if (upper != INT64_MAX) {
        for (tick = upper + 1; tick < snapshots->newest && !is_here(snapshots, tick, arrivals);) {
            tick += 1;
        }
    }
    int64_t oldest = es__max(snapshots->newest - SNAPSHOTS + 1, 0);
    for (; tick >= oldest && count < most; --tick) {
        if (is_here(snapshots, tick, arrivals)) {
            ticks[count++] =
                    (es_blend_tick){state_of(snapshots, tick), tick_time_ns(snapshots, tick)};
        }
    }
    return count;
}

static bool show(es_snapshots *snapshots, const es_layout *layout, int64_t arrivals, void *out)
{
    es_blend_tick ticks[BLENDED];
    size_t count = gather(snapshots, arrivals, ticks);
    return count > 0 && es_blend_ticks(layout, ticks, count, snapshots->content_ns, out);
}

/* Whether a snapshot has come that the frame before should have shown. */
static bool is_corrected(const es_snapshots *snapshots)
{
    int64_t before = snapshots->upper, oldest = snapshots->newest - SNAPSHOTS + 1;
    bool changed = before == INT64_MAX && snapshots->arrivals > snapshots->seen;
    for (int64_t tick = es__max(oldest, 0); before != INT64_MAX && tick < before; ++tick) {
        changed = changed
                  || (is_here(snapshots, tick, INT64_MAX)
                          && !is_here(snapshots, tick, snapshots->seen)
                          && tick_time_ns(snapshots, tick) >= snapshots->content_ns);
    }
    return changed && snapshots->seen > 0;
}

static void drop_corrections(es_snapshots *snapshots, int32_t count)
{
    snapshots->correcting -= count;
    memmove(&snapshots->corrections[0], &snapshots->corrections[count],
            (size_t)snapshots->correcting * sizeof snapshots->corrections[0]);
}

/* What was shown before fades, also while an earlier view does. */
static void begin_correction(es_snapshots *snapshots)
{
    if (snapshots->correcting == CORRECTIONS) {
        drop_corrections(snapshots, 1);
    }
    snapshots->corrections[snapshots->correcting].arrivals = snapshots->seen;
    snapshots->corrections[snapshots->correcting].since_ns = snapshots->content_ns;
    snapshots->correcting += 1;
}

static int64_t corrected_ns(const es_snapshots *snapshots, int32_t i)
{
    return es__ns_between(snapshots->corrections[i].since_ns, snapshots->content_ns);
}

/* One that has faded ends those before it, too. */
static void end_corrections(es_snapshots *snapshots)
{
    int32_t ended = 0;
    for (int32_t i = 0; i < snapshots->correcting; ++i) {
        int64_t since_ns = corrected_ns(snapshots, i);
        ended = since_ns >= CORRECTION_NS || since_ns < 0 ? i + 1 : ended;
    }
    drop_corrections(snapshots, ended);
}

/* The views, each of which fades into the next one. */
static bool show_corrected(es_snapshots *snapshots, const es_layout *layout, void *out)
{
    unsigned char *from = snapshots->views[0], *next = snapshots->views[1],
                  *mixed = snapshots->views[2];
    int32_t count = snapshots->correcting;
    bool shows = show(snapshots, layout, snapshots->corrections[0].arrivals, from);
    for (int32_t i = 0; shows && i < count; ++i) {
        bool last = i + 1 == count;
        double alpha = (double)corrected_ns(snapshots, i) / (double)CORRECTION_NS;
        shows = show(snapshots, layout, last ? INT64_MAX : snapshots->corrections[i + 1].arrivals,
                        next)
                && es_blend(layout, from, next, alpha, last ? out : mixed);
        unsigned char *spare = from;
        from = mixed;
        mixed = spare;
    }
    return shows;
}

bool es_snapshots_blend(
        es_snapshots *snapshots, const es_layout *layout, const es_frame *frame, void *out)
{
    bool fits = snapshots != NULL && layout != NULL
                && layout->state_size <= snapshots->config.state_size;
    if (!fits || snapshots->newest < 0) {
        const es__error error = {fits ? "snapshots" : "layout",
                fits ? "has none yet" : "must have at most the state_size of the snapshots"};
        return es__fail(fits ? ES_ERR_STATE : ES_ERR_INVALID, "es_snapshots_blend", &error)
               == ES_OK;
    }
    if (snapshots->started && is_corrected(snapshots)) {
        begin_correction(snapshots);
    }
    move_content(snapshots, frame);
    end_corrections(snapshots);
    snapshots->upper = upper_tick(snapshots, INT64_MAX);
    snapshots->seen = snapshots->arrivals;
    snapshots->status.frames += 1;
    snapshots->status.predicted += snapshots->upper == INT64_MAX;
    return (snapshots->correcting > 0 && show_corrected(snapshots, layout, out))
           || show(snapshots, layout, INT64_MAX, out);
}

es_snapshots_status es_snapshots_get_status(const es_snapshots *snapshots)
{
    es_snapshots_status status = {.newest_tick = -1, .speed = 1};
    if (snapshots != NULL) {
        status = snapshots->status;
        status.newest_tick = snapshots->newest;
        status.jitter_ns = (int64_t)snapshots->jitter_ns;
        status.delay_ns = (int64_t)snapshots->delay_ns;
        status.content_ns = snapshots->content_ns;
        status.speed = snapshots->speed;
    }
    return status;
}
