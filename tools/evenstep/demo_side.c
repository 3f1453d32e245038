/* SPDX-License-Identifier: Zlib */
#include "demo_side.h"

#include "evenstep/blend.h"

#include "demo_world.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef NDEBUG
#define CHECKS_DRAWING false
#else
#define CHECKS_DRAWING true
#endif

/* A loop that has just begun to set the pace is learning what the display does. */
#define SETTLE_NS ES_NS_PER_S

/* What a frame's start is late by where idle time is used to the end; and the most of a picture's
 * time where nothing says how much there is. */
#define WAKE_NS       (200 * ES_NS_PER_US)
#define UNCAPPED_NS   ES_NS_PER_MS
#define JOB_SETTLE_NS (ES_NS_PER_S / 2)

bool demo_side_init(demo_side *side, const es_clock *clock)
{
    size_t size = es_history_memory_size(sizeof(demo_scene), DEMO_TICKS);
    side->history_memory = malloc(size);
    if (es_history_init(&side->history, side->history_memory, size, sizeof(demo_scene), DEMO_TICKS)
            != ES_OK) {
        return false;
    }
    side->shown = es_history_current(&side->history);
    if (es_draw_check_init(&side->draw_check, demo_world_layout(), side->before_draw,
                sizeof side->before_draw, NULL)
            != ES_OK) {
        return false;
    }
    es_feedback_init(&side->feedback, NULL, NULL);
    for (int i = 0; i < DEMO_PICTURES; ++i) {
        side->pictures[i] = -1;
    }
    bool ready = true;
    for (int i = 0; i < DEMO_TURNS; ++i) {
        ready = demo_stats_init(&side->turns[i], clock, &side->feedback, &side->counted) && ready;
    }
    side->stats = &side->turns[0];
    demo_feed_init(&side->desk.feed);
    side->shown_ns = INT64_MIN;
    return ready;
}

void demo_side_finish(demo_side *side)
{
    for (int i = 0; i < DEMO_TURNS; ++i) {
        demo_stats_finish(&side->turns[i]);
    }
    demo_threads_stop(&side->threads);
    free(side->history_memory);
    side->history_memory = NULL;
}

static int64_t now_of(const demo_side *side)
{
    const es_clock *clock = &side->stats->clock;
    return clock->now_ns(clock->user);
}

static demo_setting setting_of(const demo_side *side)
{
    const es_loop_config *config = &side->rule.config;
    return (demo_setting){.loop = side->rule.name,
            .show = demo_way_name_at((size_t)side->rule.way),
            .low_latency = config->low_latency,
            .lead_ticks = config->lead_ticks,
            .delay_ticks = config->delay_ticks};
}

void demo_side_remeasure(demo_side *side)
{
    demo_delay_note(&side->log, &side->stats->delays);
    side->stats->delays.setting = setting_of(side);
    memset(side->worst, 0, sizeof side->worst);
    side->job_since_ns = es_ns_add(now_of(side), JOB_SETTLE_NS);
    side->counts_from = side->next_picture; /* some before it may still be told */
    demo_threads_remeasure(&side->threads);
    demo_stats_restart(side->stats);
}

/* --- its loop --------------------------------------------------------------------------------- */

bool demo_side_is_paused(const demo_side *side)
{
    return side->threads.running ? es_threaded_is_paused(&side->threads.threaded)
                                 : es_loop_is_paused(&side->loop);
}

void demo_side_pause(demo_side *side, bool paused)
{
    if (side->threads.running) {
        es_threaded_pause(&side->threads.threaded, paused);
    } else {
        es_loop_pause(&side->loop, paused);
    }
}

void demo_side_step_once(demo_side *side)
{
    if (side->threads.running) {
        es_threaded_step_once(&side->threads.threaded);
    } else {
        es_loop_step_once(&side->loop);
    }
}

void demo_side_set_speed(demo_side *side, es_ratio speed)
{
    if (side->threads.running) {
        es_threaded_set_time_scale(&side->threads.threaded, speed);
    } else {
        es_loop_set_time_scale(&side->loop, speed);
    }
}

es_rate demo_side_tick_rate(const demo_side *side)
{
    return side->threads.running ? es_threaded_tick_rate(&side->threads.threaded)
                                 : es_loop_tick_rate(&side->loop);
}

bool demo_side_set_tick_rate(demo_side *side, es_rate rate)
{
    es_result result = side->threads.running
                               ? es_threaded_ask_tick_rate(&side->threads.threaded, rate)
                               : es_loop_set_tick_rate(&side->loop, rate);
    return result == ES_OK;
}

void demo_side_submit(demo_side *side)
{
    if (side->threads.running) {
        es_threaded_submit(&side->threads.threaded);
    } else {
        es_loop_submit(&side->loop);
    }
}

const es_frame_report *demo_side_report(const demo_side *side)
{
    return side->threads.running ? es_threaded_report(&side->threads.threaded)
                                 : es_loop_report(&side->loop);
}

void demo_side_tell(demo_side *side, const es_present_sample *sample)
{
    if (side->threads.running) {
        es_threaded_presented(&side->threads.threaded, sample);
        return;
    }
    es_loop_presented(&side->loop, sample);
    demo_recorder_note(side->desk.recorder, (demo_note){.kind = DEMO_NOTE_TOLD, .sample = *sample});
}

/* --- starting and changing -------------------------------------------------------------------- */

demo_point demo_side_pointer(const demo_side *side)
{
    const demo_tick_state *newest =
            side->threads.running ? demo_threads_newest(&side->threads) : NULL;
    const demo_scene *current = es_history_current(&side->history);
    return newest != NULL ? newest->scene.pointer : current->pointer;
}

/* What the loop's clock answers is recorded, or was; the job asks the same one. */
static const es_clock *job_clock(const demo_side *side, const demo_rule *rule)
{
    const es_clock *clock = &rule->config.clock;
    return clock->now_ns != NULL ? clock : &side->stats->clock;
}

bool demo_side_restart(demo_side *side, const demo_rule *rule, const demo_scene *scene,
        int64_t tick, demo_point pointer)
{
    demo_scene *current = es_history_current(&side->history);
    if (scene != current) {
        *current = *scene;
    }
    demo_threads_stop(&side->threads);
    es_loop_init(&side->loop, &rule->config, NULL);
    side->loops_first = side->next_picture;
    es_loop_seek(&side->loop, tick);
    int64_t time_ns = es_rate_events_to_ns(es_loop_tick_rate(&side->loop), tick);
    demo_scene_set_time(current, time_ns);
    current->pointer = pointer; /* ticks that are dropped had moved it */
    es_history_reset(&side->history, tick, time_ns);
    demo_recorder_begin(side->desk.recorder, current, time_ns);
    side->rule = *rule;
    side->shown = current;
    side->trail.count = 0;
    side->trail.ghost_count = 0;
    side->settled = false;
    side->moved_ns = 0;
    demo_seen_begin(&side->stats->seen, now_of(side));
    bool threaded = demo_loop_is_threaded(rule->name);
    demo_job_restart(&side->desk.job, job_clock(side, rule), threaded);
    side->got_count = 0;
    bool started = !threaded
                   || demo_threads_start(
                           &side->threads, rule, &side->stats->clock, current, tick, &side->desk);
    demo_side_remeasure(side);
    return started;
}

static void reconfigure(demo_side *side, const demo_rule *rule)
{
    es_loop_reconfigure(&side->loop, &rule->config, NULL);
    side->rule = *rule;
    side->moved_ns = 0;
    demo_seen_begin(&side->stats->seen, now_of(side));
}

/* Threads of one kind may change what they do, and no more than that. */
static bool change_threads(demo_side *side, const demo_rule *rule)
{
    if (strcmp(rule->name, side->rule.name) != 0 || !demo_threads_change(&side->threads, rule)) {
        return false;
    }
    side->rule = *rule;
    side->moved_ns = 0;
    demo_seen_begin(&side->stats->seen, now_of(side));
    demo_side_remeasure(side);
    return true;
}

bool demo_side_change(demo_side *side, const demo_rule *rule)
{
    if (side->threads.running || demo_loop_is_threaded(rule->name)) {
        return side->threads.running && change_threads(side, rule);
    }
    reconfigure(side, rule);
    demo_side_remeasure(side);
    return true;
}

void demo_side_take_turn(demo_side *side, const demo_rule *rule, int turn)
{
    side->stats = &side->turns[turn];
    reconfigure(side, rule);
    side->stats->delays.setting = setting_of(side);
    demo_side_break(side);
    side->settles_ns = es_ns_add(now_of(side), SETTLE_NS);
}

bool demo_side_is_at_tick(const demo_side *side)
{
    int64_t step_ns = es_ns_add(side->moved_ns, side->moved_ns / 8); /* frames are not that even */
    if (side->rule.way == DEMO_WAY_NONE || side->moved_ns <= 0) {
        return true;
    }
    if (side->frame.ahead_ns > 0) {
        return side->frame.ahead_ns <= step_ns;
    }
    return es_ns_add(side->content_ns, step_ns) >= side->frame.current_ns;
}

const demo_scene *demo_side_scene(const demo_side *side)
{
    const es_history *history = &side->history;
    if (demo_threads_current(&side->threads) != NULL) {
        return &demo_threads_current(&side->threads)->scene;
    }
    for (int32_t age = 0; age < es_history_count(history); ++age) {
        if (es_history_index(history, age) == side->frame.current_tick) {
            return es_history_tick(history, age);
        }
    }
    return es_history_current(history);
}

void demo_side_update(demo_side *side, const es_step *step, const demo_now *now)
{
    demo_scene *scene = es_history_push(&side->history, step);
    int32_t jumps = scene->jumper.jumps;
    demo_got got[DEMO_GOT];
    side->inputs[step->index % DEMO_INPUTS] = demo_tick_read_ns(step, now);
    int count = demo_tick_run(&side->desk, scene, step, es_loop_tick_rate(&side->loop), now, got);
    demo_delays_take(&side->stats->delays, got, count);
    side->stats->jumps += scene->jumper.jumps - jumps;
    if (scene->jumper.portal < 0.0 || scene->jumper.portal > 0.0) {
        const double shift[2] = {scene->jumper.portal, 0.0};
        es_history_shift(&side->history, demo_way_layout(side->rule.way), "jumper.at", 0, shift, 2);
    }
}

/* The world's times become the loop's, where these are others. */
static void put_world(demo_side *side, demo_scene *scene, int64_t tick, int64_t time_ns,
        const demo_played *played)
{
    *scene = *played->world;
    scene->jumper.at[0] += played->portal != 0.0 ? scene->jumper.portal : 0.0;
    side->world_ticks = es_ns_sub(played->index, tick);
    side->world_ns = es_ns_sub(played->time_ns, time_ns);
    if (side->world_ns != 0) {
        demo_scene_set_time(scene, time_ns);
    }
}

void demo_side_take(demo_side *side, const es_step *step, const demo_played *played)
{
    const double shift[2] = {played->portal, 0.0};
    int32_t jumps = ((const demo_scene *)es_history_current(&side->history))->jumper.jumps;
    side->inputs[step->index % DEMO_INPUTS] = INT64_MIN; /* what is told, has no age */
    if (played->portal < 0.0 || played->portal > 0.0) {
        es_history_shift(&side->history, demo_way_layout(side->rule.way), "jumper.at", 0, shift, 2);
    }
    demo_scene *scene = es_history_push(&side->history, step);
    put_world(side, scene, step->index, step->time_ns, played);
    side->job_mode = (demo_job_mode)scene->task.mode;
    side->stats->jumps += scene->jumper.jumps - jumps;
}

int32_t demo_side_slot(demo_side *side, const es_step *step, demo_job_mode mode)
{
    demo_scene *scene = es_history_current(&side->history);
    demo_job_slot(&side->desk.job, &scene->task, &scene->map, mode, step);
    int32_t items = side->desk.job.items;
    side->desk.job.items = 0;
    return items;
}

void demo_side_go(demo_side *side, int64_t tick, const demo_played *played)
{
    demo_scene *current = es_history_current(&side->history);
    es_loop_seek(&side->loop, tick);
    int64_t time_ns = es_rate_events_to_ns(es_loop_tick_rate(&side->loop), tick);
    put_world(side, current, tick, time_ns, played);
    es_history_reset(&side->history, tick, time_ns);
    side->shown = current;
    side->trail.count = 0;
    side->trail.ghost_count = 0;
    demo_side_break(side);
}

/* Where things are in this picture; of a picture that shows the same instant again, nothing. */
static void extend_trail(demo_side *side)
{
    demo_trail *trail = &side->trail;
    const demo_scene *shown = side->shown;
    demo_point jumper = {shown->jumper.at[0], shown->jumper.at[1]};
    memmove(trail->scroll_x + 1, trail->scroll_x, sizeof trail->scroll_x - sizeof(double));
    trail->scroll_x[0] = shown->scroll_x;
    trail->count += trail->count < DEMO_TRAIL;
    if (trail->ghost_count > 0 && side->frame.content_ns == side->content_ns) {
        return;
    }
    memmove(trail->ghosts + 1, trail->ghosts, sizeof trail->ghosts - sizeof jumper);
    trail->ghosts[0] = jumper;
    trail->ghost_count += trail->ghost_count < DEMO_GHOSTS;
    side->stats->streaks += demo_scene_is_streak(jumper);
}

/* Events that ticks on another thread have got, with the newest of those; what came in too great a
 * number for that is not measured. */
static void take_handed(demo_side *side, const demo_tick_state *newest)
{
    int64_t oldest = newest->got_count - DEMO_HANDED;
    int64_t from = side->got_count > oldest ? side->got_count : oldest;
    for (; from < newest->got_count; ++from) {
        demo_delays_take(&side->stats->delays, &newest->got[from % DEMO_HANDED], 1);
    }
    side->got_count = newest->got_count;
}

/* A frame as the world counts, where the loop counts otherwise. */
static es_frame of_world(const demo_side *side, const es_frame *of_loop)
{
    es_frame frame = *of_loop;
    frame.previous_tick = es_ns_add(frame.previous_tick, side->world_ticks);
    frame.current_tick = es_ns_add(frame.current_tick, side->world_ticks);
    frame.newest_tick = es_ns_add(frame.newest_tick, side->world_ticks);
    frame.content_ns = es_ns_add(frame.content_ns, side->world_ns);
    frame.previous_ns = es_ns_add(frame.previous_ns, side->world_ns);
    frame.current_ns = es_ns_add(frame.current_ns, side->world_ns);
    frame.newest_ns = es_ns_add(frame.newest_ns, side->world_ns);
    return frame;
}

/* What is in no layout: groups at their own alpha, and clicks at the picture's own time. */
static void look_at_rest(demo_side *side, const demo_scene *newest)
{
    bool none = side->rule.way == DEMO_WAY_NONE;
    es_frame frame = side->frame;
    if (side->world_ticks != 0 || side->world_ns != 0) {
        frame = of_world(side, &side->frame);
    }
    demo_groups_look(&newest->groups, &frame, none, &side->flight);
    for (int i = 0; i < DEMO_FLASHES; ++i) {
        int64_t stamp_ns = newest->flashes[i].stamp_ns;
        side->flash_ms[i] =
                stamp_ns != 0 ? demo_delays_of(&side->stats->delays, stamp_ns) : DEMO_DELAY_LOST;
    }
    if (!none) {
        int64_t back_ns = es_ns_sub(side->frame.newest_ns, side->frame.content_ns);
        side->blended.age_ns = es_ns_sub(newest->age_ns, back_ns);
    }
}

/* What the thread of the ticks has to tell came with the newest of them. */
static void look_at_threads(demo_side *side)
{
    const demo_tick_state *newest = demo_threads_newest(&side->threads);
    side->shown = &newest->scene;
    take_handed(side, newest);
    if (side->rule.way != DEMO_WAY_NONE) {
        side->blended = newest->scene;
        demo_threads_blend(&side->threads, side->rule.way, &side->blended);
        side->shown = &side->blended;
    }
    if (newest->epoch == side->threads.epoch) {
        side->stats->ticks = newest->ticks;
        side->stats->jumps = newest->ticks.jumps;
    }
    look_at_rest(side, &newest->scene);
    extend_trail(side);
}

void demo_side_look(demo_side *side)
{
    if (side->threads.running) {
        look_at_threads(side);
        return;
    }
    const demo_scene *newest = es_history_current(&side->history);
    assert(es_history_matches(&side->history, &side->frame));
    side->shown = newest;
    if (side->rule.way != DEMO_WAY_NONE) {
        side->blended = *newest; /* what no field of the layout covers */
        es_blend_frame(
                demo_way_layout(side->rule.way), &side->history, &side->frame, &side->blended);
        side->shown = &side->blended;
    }
    look_at_rest(side, newest);
    extend_trail(side);
}

/* The state that the frame's drawing reads. */
static const demo_scene *newest_of(const demo_side *side)
{
    return side->threads.running ? &demo_threads_newest(&side->threads)->scene
                                 : es_history_current(&side->history);
}

void demo_side_draw_begin(demo_side *side)
{
    if (CHECKS_DRAWING) {
        es_draw_check_before(&side->draw_check, newest_of(side));
    }
}

void demo_side_draw_end(demo_side *side)
{
    if (CHECKS_DRAWING
            && !es_draw_check_after(&side->draw_check, newest_of(side), side->frame.index)) {
        const es_draw_finding *found = es_draw_check_finding_get(&side->draw_check);
        const es_state_difference *at = &found->difference;
        fprintf(stderr,
                "evenstep demo: drawing frame %" PRId64 " changed %s of element %zu from %.17g to"
                " %.17g: only an update may\n",
                found->frame, at->field->name, at->element, at->values[0], at->values[1]);
        abort();
    }
}

/* When the input in the frame was read: between its two ticks, as the picture is. The crosshair,
 * which is where the pointer is now, is left aside. */
static int64_t input_of(const demo_side *side, const es_frame *frame)
{
    bool newest = side->rule.way == DEMO_WAY_NONE;
    if (side->threads.running) {
        return demo_threads_input_ns(&side->threads, newest);
    }
    int64_t newer = newest ? frame->newest_tick : frame->current_tick;
    if (newer < 2 || newer - frame->newest_tick > 0
            || frame->newest_tick - newer >= DEMO_INPUTS - 1) {
        return INT64_MIN;
    }
    int64_t newer_ns = side->inputs[newer % DEMO_INPUTS];
    int64_t older_ns = side->inputs[(newer - 1) % DEMO_INPUTS];
    if (newer_ns == INT64_MIN || older_ns == INT64_MIN) {
        return INT64_MIN;
    }
    double back = newest || frame->alpha >= 1.0 ? 0.0 : 1.0 - frame->alpha;
    return es_ns_sub(newer_ns, (int64_t)(back * (double)es_ns_sub(newer_ns, older_ns)));
}

static void note_display(demo_side *side, int64_t now_ns)
{
    es_display_status status = side->threads.running ? es_threaded_display(&side->threads.threaded)
                                                     : es_loop_display(&side->loop);
    bool follows = demo_config_follows(&side->rule.config);
    demo_seen_display(
            &side->stats->seen, follows ? &status : NULL, side->rule.config.low_latency, now_ns);
}

/* How long a picture was up: with a job, and without. */
static void note_worst(demo_side *side, const es_frame_report *seen)
{
    demo_worst *worst = &side->worst[side->job_mode];
    int64_t interval_ns = es_ns_sub(seen->shown_ns, side->shown_ns);
    if (side->shown_ns != INT64_MIN && seen->frame.gap.kind == ES_GAP_NONE
            && seen->shown_ns >= side->job_since_ns) {
        worst->frames += 1;
        worst->ns = interval_ns > worst->ns ? interval_ns : worst->ns;
    }
    side->shown_ns = seen->shown_ns;
}

void demo_side_presented(demo_side *side, int64_t picture)
{
    es_frame_report seen = *demo_side_report(side);
    side->next_picture = picture + 1;
    side->pictures[picture % DEMO_PICTURES] = picture;
    side->frames[picture % DEMO_PICTURES] = seen.frame.index;
    side->read_ns[picture % DEMO_PICTURES] = input_of(side, &seen.frame);
    side->counts[picture % DEMO_PICTURES] = 0;
    note_display(side, seen.shown_ns);
    seen.frame.index = picture; /* the loop's own begin anew with it */
    seen.series = (int32_t)((uint32_t)seen.series + side->breaks);
    if (side->rule.way == DEMO_WAY_NONE) {
        seen.frame.content_ns = seen.frame.newest_ns; /* what was really shown */
    }
    /* what is before its start is held until the delay has passed; 1 ns is rounding */
    int64_t clamped_ns = es_ns_sub(seen.frame.account.clamped_ns, seen.frame.offset_ns);
    side->settled = side->settled || clamped_ns >= -1;
    bool settles = seen.shown_ns < side->settles_ns;
    side->moved_ns = es_ns_sub(side->frame.content_ns, side->content_ns);
    side->content_ns = side->frame.content_ns;
    note_worst(side, &seen);
    if (!side->settled || settles) {
        side->counts_from = side->next_picture;
        demo_delays_since(&side->stats->delays, seen.shown_ns);
    } else {
        demo_seen_count(&side->stats->seen);
        /* the first is the tick that it was started with, which is no gap */
        bool counts = side->threads.running
                      && es_threaded_report(&side->threads.threaded)->frame.index > 0;
        side->stats->statuses[side->threads.shown.status] += counts;
    }
    es_feedback_presented(&side->feedback, &seen);
}

/* A count that begins anew is another display's. */
static void count_refreshes(demo_side *side, const es_present_sample *sample)
{
    demo_counted *counted = &side->counted;
    side->counts[sample->frame % DEMO_PICTURES] = sample->varies ? 0 : sample->sequence;
    if (counted->first == 0 || sample->sequence < counted->newest) {
        counted->first = sample->sequence;
        counted->first_ns = sample->shown_ns;
    }
    counted->newest = sample->sequence;
    counted->newest_ns = sample->shown_ns;
}

void demo_side_told(demo_side *side, const es_present_sample *sample)
{
    int64_t at = sample->frame >= 0 ? sample->frame % DEMO_PICTURES : 0;
    if (side->pictures[at] != sample->frame) {
        return;
    }
    es_feedback_verdict verdict = es_feedback_reported(&side->feedback, sample);
    if (verdict == ES_FEEDBACK_TAKEN) {
        count_refreshes(side, sample);
    }
    bool believed = verdict == ES_FEEDBACK_TAKEN || verdict == ES_FEEDBACK_DISCARDED;
    if (believed && sample->frame >= side->loops_first) {
        es_present_sample of_loop = *sample;
        of_loop.frame = side->frames[at];
        demo_side_tell(side, &of_loop);
    }
}

void demo_side_measure(demo_side *side, int64_t now_ns, bool waits)
{
    es_frame_report seen;
    while (es_feedback_next(&side->feedback, waits ? now_ns : INT64_MAX, &seen)) {
        int64_t picture = seen.frame.index;
        int64_t at = picture % DEMO_PICTURES;
        bool told = seen.source == ES_SHOWN_FEEDBACK;
        demo_picture settled = {&seen, side->read_ns[at], told ? side->counts[at] : 0};
        demo_stats_add(side->stats, &settled, picture >= side->counts_from);
    }
}

void demo_side_break(demo_side *side)
{
    side->breaks += 1;
    side->shown_ns = INT64_MIN;
    demo_side_forget_input(side);
}

bool demo_side_set_policy(demo_side *side, es_catch_up policy)
{
    if (side->threads.running || es_loop_set_catch_up(&side->loop, policy) != ES_OK) {
        return false;
    }
    side->rule.config.catch_up = policy;
    demo_side_remeasure(side);
    return true;
}

bool demo_side_set_way(demo_side *side, demo_way way)
{
    int32_t lead = demo_way_lead(way);
    if (side->threads.running) {
        return false;
    }
    if (es_loop_set_lead(&side->loop, lead) == ES_OK) {
        side->rule.config.lead_ticks = lead; /* else the loop shows its newest tick: none helps */
    }
    side->rule.way = way;
    demo_side_remeasure(side);
    return true;
}

/* --- input, job, groups ----------------------------------------------------------------------- */

void demo_side_push(demo_side *side, const es_input_event *event, int64_t now_ns)
{
    if (side->threads.running) {
        demo_threads_push(&side->threads, event, now_ns);
    } else {
        demo_feed_push(&side->desk.feed, event, now_ns);
    }
}

void demo_side_forget_input(demo_side *side)
{
    demo_delays_since(&side->stats->delays, now_of(side));
}

void demo_side_set_job(demo_side *side, demo_job_mode mode)
{
    side->job_mode = mode;
    side->job_since_ns = es_ns_add(now_of(side), JOB_SETTLE_NS);
}

/* The loop waits for the frame's start next. */
void demo_side_idle_before(demo_side *side)
{
    es_frame frame;
    demo_job_frame(&side->desk.job);
    if (es_loop_plan(&side->loop, &frame) == ES_OK) {
        demo_scene *scene = es_history_current(&side->history);
        demo_job_idle(&side->desk.job, &scene->task, &scene->map, &frame,
                es_ns_sub(frame.start_ns, WAKE_NS));
    }
}

/* The display has waited, or the loop will when it begins: half of what the last frame had to
 * spare. Where the loop has waited in the frame that time has been used. */
void demo_side_idle_after(demo_side *side)
{
    const es_frame_report *last = es_loop_report(&side->loop);
    int64_t work_ns = es_ns_add(last->update_work_ns, last->render_work_ns);
    int64_t spare_ns = es_ns_sub(last->frame.interval_ns, work_ns) / 2;
    spare_ns = last->frame.interval_ns == 0 ? UNCAPPED_NS : spare_ns;
    if (side->desk.job.in_frame_ns < WAKE_NS) {
        const es_clock *clock = &side->desk.job.clock;
        demo_scene *scene = es_history_current(&side->history);
        demo_job_idle(&side->desk.job, &scene->task, &scene->map, &last->frame,
                es_ns_add(clock->now_ns(clock->user), spare_ns));
    }
}

demo_extra demo_side_extra(const demo_side *side)
{
    const demo_tick_state *state =
            side->threads.running ? demo_threads_newest(&side->threads) : NULL;
    if (side->threads.running && state == NULL) { /* what it has is the other thread's */
        return (demo_extra){.log = &side->log, .mode = side->job_mode, .threaded = true};
    }
    const demo_scene *scene = state != NULL ? &state->scene : es_history_current(&side->history);
    const demo_job_figures *job = state != NULL ? state->job : side->desk.job.figures;
    demo_extra extra = {.mode = side->job_mode,
            .threaded = state != NULL,
            .apart = scene->groups.apart,
            .game_hz = demo_rate_hz(demo_side_tick_rate(side)),
            .game_ticks = scene->tick,
            .game_alpha = side->frame.alpha,
            .presses_seen = scene->presses,
            .first_sum = scene->map.first_sum,
            .maps = scene->map.version,
            .log = &side->log};
    extra.events_lost = state != NULL ? state->events_lost : side->desk.feed.ring.lost;
    extra.job_share = demo_task_share(&scene->task);
    extra.recording = state != NULL ? state->recording : demo_recorder_look(side->desk.recorder);
    memcpy(extra.job, job, sizeof extra.job);
    memcpy(extra.worst, side->worst, sizeof extra.worst);
    for (int g = 0; g < DEMO_GROUPS; ++g) {
        extra.group_hz[g] = demo_groups_hz(&scene->groups, (demo_group)g);
        extra.group_ticks[g] = scene->groups.ran[g];
        extra.group_alphas[g] = side->flight.alphas[g];
    }
    return extra;
}
