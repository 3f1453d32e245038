/* SPDX-License-Identifier: Zlib */
#include "demo_play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One step of a loop is never worth more ticks than that. */
enum { TICKS_MAX = 10000 };

/* --- opening ---------------------------------------------------------------------------------- */

/* A reader of its own: notes are read in their order, whatever ticks do. */
static bool open_notes(demo_play *play)
{
    play->window = malloc(ES_RECORD_SIZE_MAX);
    return play->window != NULL
           && es_reader_open(&play->notes, &play->player.config.source, play->window,
                      ES_RECORD_SIZE_MAX, NULL)
                      == ES_OK;
}

static void read_note(demo_play *play)
{
    es_reader_item item;
    es_reader_event event;
    play->has_note = false;
    for (;;) {
        es_result result = es_reader_next(&play->notes, &item);
        if (result == ES_ERR_DAMAGED) {
            continue;
        }
        if (result != ES_OK || item.kind == ES_RECORD_NONE) {
            return;
        }
        if (item.kind == ES_RECORD_EVENT && es_reader_get_event(&item, &event)
                && event.kind == DEMO_NOTE_EVENT
                && demo_note_read(&play->note, event.bytes, event.size)) {
            play->has_note = true;
            return;
        }
    }
}

demo_play *demo_play_open(const char *path, bool schedule, bool *good)
{
    demo_play *play = calloc(1, sizeof *play);
    *good = play != NULL && demo_player_open(&play->player, path);
    if (play == NULL) {
        return NULL;
    }
    play->schedule = schedule;
    play->until = INT64_MAX;
    if (*good && schedule && play->player.skipped > 0) {
        *good = false; /* the frames are those from the start on */
        return play;
    }
    if (*good && schedule) {
        *good = open_notes(play) && es_playback_clock_has(&play->player.play) != 0;
        if (!*good) {
            snprintf(play->player.why, sizeof play->player.why,
                    "%s: no frames were recorded: it plays without --schedule", path);
            return play;
        }
        read_note(play);
    }
    return play;
}

void demo_play_close(demo_play *play)
{
    if (play != NULL) {
        demo_player_close(&play->player);
        free(play->window);
        free(play);
    }
}

/* --- clocks ----------------------------------------------------------------------------------- */

/* The pace leaves out how long it was paused. */
static int64_t pace_now(void *user)
{
    demo_play *play = user;
    return es_ns_sub(play->pace.now_ns(play->pace.user), play->paused_ns);
}

static void pace_wait(void *user, int64_t deadline_ns)
{
    demo_play *play = user;
    play->pace.wait_until(play->pace.user, es_ns_add(deadline_ns, play->paused_ns));
}

es_clock demo_play_clock(demo_play *play, const es_clock *pace, es_ratio speed)
{
    play->tape = (es_tape_player){.play = &play->player.play, .speed = speed};
    play->pace = *pace;
    if (pace->now_ns != NULL) {
        play->tape.pace = (es_clock){.now_ns = pace_now, .wait_until = pace_wait, .user = play};
    }
    return es_tape_player_clock(&play->tape);
}

static int64_t last_reading(void *user)
{
    const demo_play *play = user;
    return play->tape.last[ES_READING_NOW];
}

static void no_wait(void *user, int64_t deadline_ns)
{
    (void)user;
    (void)deadline_ns;
}

es_clock demo_play_clock_after(demo_play *play)
{
    return (es_clock){.now_ns = last_reading,
            .wait_until = no_wait,
            .user = play,
            .description = "a recording's"};
}

void demo_play_stand(demo_play *play, bool stands)
{
    if (play->pace.now_ns != NULL && stands != play->standing) {
        int64_t now_ns = play->pace.now_ns(play->pace.user);
        if (stands) {
            play->stood_ns = now_ns;
        } else {
            play->paused_ns = es_ns_add(play->paused_ns, es_ns_sub(now_ns, play->stood_ns));
        }
    }
    play->standing = stands;
}

/* --- ticks ------------------------------------------------------------------------------------ */

/* As scheduled, frames may follow the last tick: the run was paused at its end. */
bool demo_play_is_over(const demo_play *play)
{
    const demo_player *player = &play->player;
    if (player->tick >= play->until) {
        return true;
    }
    if (play->schedule) {
        uint64_t frames = es_playback_summary(&player->play).frames;
        return (uint64_t)play->frame >= frames || play->tape.ended || play->threaded;
    }
    return !player->has_next && es_playback_resume_tick(&player->play) == INT64_MAX;
}

static bool run_one(demo_play *play)
{
    demo_player *player = &play->player;
    if (player->tick >= play->until || !demo_player_tick(player)) {
        return false;
    }
    play->portal += player->world.jumper.portal;
    return true;
}

/* As scheduled each step of the loop is the one that was recorded. */
static bool run_scheduled(demo_play *play, const es_step *step)
{
    const es_step *next = &play->player.next;
    bool same = play->player.has_next && play->player.ahead.index == step->index
                && next->time_ns == step->time_ns && next->dt_ns == step->dt_ns
                && next->due_ns == step->due_ns && next->begun_ns == step->begun_ns;
    play->strays += !same;
    return run_one(play);
}

bool demo_play_step(demo_play *play, const es_step *step)
{
    play->portal = 0.0;
    if (play->schedule) {
        return run_scheduled(play, step);
    }
    play->debt_ns = es_ns_add(play->debt_ns, step->dt_ns);
    for (int i = 0; i < TICKS_MAX; ++i) {
        const demo_player *player = &play->player;
        if (player->has_next && player->next.dt_ns / 2 > play->debt_ns) {
            return true;
        }
        int64_t before_ns = player->has_next ? player->next.dt_ns : 0;
        if (!run_one(play)) {
            play->debt_ns = 0;
            return i > 0;
        }
        play->debt_ns = es_ns_sub(play->debt_ns, before_ns);
    }
    return true;
}

void demo_play_leap(demo_play *play, bool back)
{
    demo_player *player = &play->player;
    int64_t dt_ns = player->next.dt_ns > 0 ? player->next.dt_ns : ES_NS_PER_S / 60;
    int64_t ticks = (ES_NS_PER_S + dt_ns / 2) / dt_ns;
    int64_t tick = back ? player->tick - ticks : player->tick + ticks;
    int64_t last = play->until < player->last_tick ? play->until : player->last_tick;
    tick = tick < player->first_tick ? player->first_tick : tick > last ? last : tick;
    play->debt_ns = 0;
    play->portal = 0.0;
    play->says = demo_player_seek(player, tick) ? back ? "1 s back" : "1 s on" : "cannot go there";
}

/* --- as scheduled ----------------------------------------------------------------------------- */

bool demo_play_note(demo_play *play, demo_note_kind first, demo_note_kind last, demo_note *note)
{
    if (!play->has_note || play->note.frame > play->frame || play->note.kind < first
            || play->note.kind > last) {
        return false;
    }
    *note = play->note;
    read_note(play);
    return true;
}

/* What a recording keeps of a frame. */
static bool is_same_frame(const es_frame_report *a, const es_frame_report *b)
{
    const es_frame *x = &a->frame, *y = &b->frame;
    return x->index == y->index && x->start_ns == y->start_ns && x->present_ns == y->present_ns
           && x->content_ns == y->content_ns && x->previous_tick == y->previous_tick
           && x->current_tick == y->current_tick && x->newest_tick == y->newest_tick
           && x->ticks == y->ticks && x->late_ns == y->late_ns && x->dropped_ns == y->dropped_ns
           && x->slow_motion_ns == y->slow_motion_ns && x->gap.kind == y->gap.kind
           && memcmp(&x->alpha, &y->alpha, sizeof x->alpha) == 0 && a->ready_ns == b->ready_ns
           && a->submit_ns == b->submit_ns && a->shown_ns == b->shown_ns
           && a->update_work_ns == b->update_work_ns && a->render_work_ns == b->render_work_ns;
}

void demo_play_frame(demo_play *play, const es_frame_report *report)
{
    es_frame_report recorded;
    if (es_playback_frame(&play->player.play, &recorded)) { /* else it was cut off in this one */
        play->same += is_same_frame(report, &recorded);
        play->frame += 1;
    }
}

demo_playing demo_play_look(demo_play *play)
{
    if (play == NULL) {
        return (demo_playing){0};
    }
    demo_player *player = &play->player;
    bool differs = !demo_player_is_same(player);
    demo_playing told = {.path = player->path,
            .schedule = play->schedule,
            .tick = player->tick,
            .first_tick = player->first_tick,
            .last_tick = player->last_tick,
            .ran = player->ran,
            .compared = player->compared,
            .uncompared = !demo_player_is_compared(player),
            .differs = differs,
            .differs_tick = player->differed_tick,
            .lost = player->lost,
            .cut = player->cut,
            .skipped = player->skipped > 0,
            .whole = player->tick >= play->until || player->tick >= player->last_tick,
            .frames = play->frame,
            .same = play->same,
            .threaded = play->threaded,
            .strays = play->tape.strays + (uint64_t)play->strays};
    int64_t others = told.frames - told.same;
    told.reshaped = told.schedule && (others > 0 || told.strays > 0);
    told.text = differs ? player->difference : player->why[0] != '\0' ? player->why : NULL;
    return told;
}
