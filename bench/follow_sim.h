/* SPDX-License-Identifier: Zlib
 *
 * Simulated sound cards, servers and networks, and what frames make of them: for bench_follow, which
 * prints the tables of docs/notes/follow.md, and for tests/test_follow.c.
 *
 * The display wakes the program 0 to 3 ms late. Drawing takes 2 ms. Readings arrive in real time.
 */
#ifndef FOLLOW_SIM_H
#define FOLLOW_SIM_H

#include "evenstep/follow.h"
#include "evenstep/world.h"
#include "examples/virtual_clock.h"

#include "base/common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sound: the position of the last reading; that and the time since; the loop's own clock; es_loop_set_speed by
 * the difference to the second. Snapshots: a fixed delay of 100 ms; the rules of Mirror (MirrorNetworking,
 * SnapshotInterpolation.cs, its default settings) and of lightyear (cBournhonesque, sync.rs and timeline.rs). */
typedef enum sim_rule {
    SIM_FOLLOW,
    SIM_NEWEST,
    SIM_SINCE,
    SIM_ALONE,
    SIM_SPEED,
    SIM_FIXED,
    SIM_MIRROR,
    SIM_LIGHTYEAR
} sim_rule;

typedef struct sim_figures {
    int frames, back;                /* back: content went back */
    double p50_ms, p99_ms, worst_ms; /* content against the true position */
    double error_ms;                 /* animation error, mean */
    double speed_off;                /* the largest change of speed, jumps aside */
    double settled_s;                /* after a change: off by less than 1 ms from then on */
    double delay_ms, jitter_ms; /* of snapshots: behind the fastest; the true p99 of lateness */
    double late, predicted; /* shares of frames: after the newest snapshot; by more than 250 ms */
    double place;           /* mean distance to the true place, for motion at 10 units per second */
    es_frame last;
} sim_figures;

enum { SIM_FRAMES = 144 * 600 };

typedef struct sim {
    virtual_clock clock;
    es_loop *loop;
    es_frame frame;
    double hz, shown_ns, off_ms[SIM_FRAMES];
    uint64_t seed;
    double last_content_ns, last_shown_ns;
    sim_figures figures;
} sim;

static inline double sim_random(sim *s)
{
    s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(s->seed >> 33) / 2147483648.0;
}

static inline sim *sim_create(double hz, uint64_t seed)
{
    sim *s = calloc(1, sizeof *s);
    s->hz = hz;
    s->seed = seed * 2 + 1;
    s->loop = es_loop_create(&(es_loop_config){.clock = virtual_clock_get(&s->clock)});
    return s;
}

/* Draws and presents: afterwards shown_ns is when the frame is seen. */
static inline void sim_present(sim *s)
{
    virtual_clock_work(&s->clock, 2 * ES_NS_PER_MS);
    es_loop_submit(s->loop);
    double refresh_ns = 1e9 / s->hz;
    s->last_shown_ns = s->shown_ns;
    s->shown_ns = ceil(((double)s->clock.now_ns + 1) / refresh_ns) * refresh_ns;
    s->clock.now_ns = (int64_t)(s->shown_ns + sim_random(s) * 3e6);
}

/* A frame showed this content, where true_ns would have been right. */
static inline void sim_note(sim *s, double content_ns, double true_ns, bool counts)
{
    sim_figures *f = &s->figures;
    double moved_ns = content_ns - s->last_content_ns, passed_ns = s->shown_ns - s->last_shown_ns;
    s->last_content_ns = content_ns;
    if (!counts || f->frames == SIM_FRAMES) {
        return;
    }
    f->back += moved_ns < -1;
    double off = fabs(moved_ns / passed_ns - 1);
    f->speed_off = off < 0.5 ? fmax(f->speed_off, off) : f->speed_off;
    f->error_ms += fabs(moved_ns - passed_ns) / 1e6;
    s->off_ms[f->frames++] = fabs(content_ns - true_ns) / 1e6;
}

static inline void sim_destroy(sim *s)
{
    es_loop_destroy(s->loop);
    free(s);
}

static inline sim_figures sim_end(sim *s)
{
    sim_figures f = s->figures;
    es__sort(s->off_ms, (size_t)f.frames);
    f.p50_ms = s->off_ms[f.frames / 2];
    f.p99_ms = s->off_ms[f.frames * 99 / 100];
    f.worst_ms = s->off_ms[f.frames - 1];
    f.error_ms /= f.frames;
    f.late /= f.frames;
    f.predicted /= f.frames;
    f.place /= f.frames;
    f.delay_ms /= f.frames;
    f.last = s->frame;
    sim_destroy(s);
    return f;
}

/* --- sound ------------------------------------------------------------------------------------ */

typedef struct sim_sound {
    double block_ms, jitter_ms, drift_ppm, hz;
    bool both;          /* jitter goes both ways, else blocks are announced late */
    bool polled;        /* read once per frame, else in the callback */
    double underrun_ms; /* at 30 s the sound stands still so long */
} sim_sound;

static inline sim_figures sim_sound_run(
        const sim_sound *c, sim_rule rule, double seconds, uint64_t seed)
{
    sim *s = sim_create(c->hz, seed);
    es_follower *follower = es_follower_create(
            &(es_follower_config){.noise = c->both ? ES_FOLLOW_BOTH : ES_FOLLOW_LATE});
    const double begin_ns = 3e6, speed = 1 + c->drift_ppm * 1e-6, change_ns = 30e9;
    double block_ns = 0, call_ns = begin_ns, read_ns = 0, other_ns = 0, stood_ns = 0,
           content_ns = 0;
    while ((double)s->clock.now_ns < seconds * 1e9) {
        if (stood_ns == 0 && (double)s->clock.now_ns > change_ns) {
            stood_ns = c->underrun_ms * 1e6;
            call_ns += stood_ns;
        }
        for (; call_ns <= (double)s->clock.now_ns;) {
            read_ns = call_ns;
            other_ns = block_ns;
            if (!c->polled) {
                es_follower_add(follower, (int64_t)other_ns, (int64_t)read_ns);
            }
            block_ns += c->block_ms * 1e6;
            double late_ns = (sim_random(s) - (c->both ? 0.5 : 0)) * c->jitter_ms * 1e6;
            call_ns = begin_ns + stood_ns + block_ns / speed + late_ns;
        }
        if (c->polled) {
            es_follower_add(follower, (int64_t)other_ns, s->clock.now_ns);
        }
        if (rule == SIM_FOLLOW) {
            es_loop_follow(s->loop, follower, 0);
        } else if (rule == SIM_SPEED) {
            double since_ns = (double)s->clock.now_ns - read_ns;
            double ahead_ns = other_ns + since_ns - (double)s->frame.content_ns;
            es_loop_set_speed(s->loop, 1 + fmax(fmin(ahead_ns / 1e9, 0.05), -0.05));
        }
        es_loop_next(s->loop, &s->frame);
        double since_ns = (double)s->frame.begun_ns - read_ns;
        content_ns = rule == SIM_NEWEST  ? other_ns
                     : rule == SIM_SINCE ? other_ns + since_ns
                                         : (double)s->frame.content_ns;
        sim_present(s);
        bool changes = stood_ns > 0 && s->shown_ns < change_ns + stood_ns + 2e9;
        double true_ns = (s->shown_ns - begin_ns - stood_ns) * speed;
        sim_note(
                s, content_ns, true_ns, s->shown_ns > 2e9 && (!changes || s->shown_ns < change_ns));
        if (stood_ns > 0 && fabs(content_ns - true_ns) > 1e6) {
            s->figures.settled_s = (s->shown_ns - change_ns - stood_ns) / 1e9;
        }
    }
    es_follower_destroy(follower);
    return sim_end(s);
}

/* --- snapshots -------------------------------------------------------------------------------- */

typedef struct sim_net {
    double rate, jitter_ms, loss, hz;
    int burst;        /* lost in a row */
    bool tail;        /* an exponential tail up to three times the jitter, else evenly spread */
    double detour_ms; /* packets take longer by this from 30 s on */
    int spare;        /* es_snapshots_config */
} sim_net;

typedef struct sim_place {
    double x, y;
} sim_place;

/* On a circle of 10 units: 10 units per second. */
static inline sim_place sim_place_at(double server_ns)
{
    return (sim_place){10 * cos(server_ns / 1e9), 10 * sin(server_ns / 1e9)};
}

typedef struct sim_packet {
    double at_ns;
    int64_t tick;
} sim_packet;

enum { SIM_FLYING = 256, SIM_LATES = 25000 };

/* Another rule's time line: Mirror's or lightyear's. */
typedef struct sim_line {
    double content_ns, scale, newest_ns, arrived_ns, drift_ns, spread_ns, delivery_ns;
    int64_t count, errors;
    bool was_ahead;
} sim_line;

static inline void sim_line_arrived(
        sim_line *line, sim_rule rule, double time_ns, double now_ns, double tick_ns)
{
    if (time_ns <= line->newest_ns && line->count > 0) {
        return;
    }
    double apart_ns = now_ns - line->arrived_ns, rate = 1e9 / tick_ns;
    double weight = 2 / (2 * rate + 1); /* of a mean over 2 s */
    if (line->count == 1) {
        line->delivery_ns = apart_ns;
    } else if (line->count > 1) {
        double more_ns = apart_ns - line->delivery_ns;
        line->delivery_ns += weight * more_ns;
        line->spread_ns = (1 - weight) * (line->spread_ns + weight * more_ns * more_ns);
    }
    line->newest_ns = time_ns;
    line->arrived_ns = now_ns;
    double jitter_ns = sqrt(line->spread_ns);
    double buffer_ns =
            rule == SIM_MIRROR ? 2 * tick_ns + jitter_ns : 1.7 * tick_ns + 4 * jitter_ns + tick_ns;
    double due_ns = time_ns - buffer_ns;
    if (line->count++ == 0) {
        line->content_ns = due_ns;
        line->scale = 1;
    }
    if (rule == SIM_MIRROR) {
        line->content_ns = fmin(fmax(line->content_ns, due_ns - buffer_ns), due_ns + buffer_ns);
        double drift_ns = time_ns - line->content_ns - buffer_ns;
        double mean = 2 / (rate + 1);
        line->drift_ns += mean * (drift_ns - line->drift_ns);
        line->scale = line->drift_ns > tick_ns ? 1.02 : line->drift_ns < -tick_ns ? 0.96 : 1;
    } else {
        double off = (line->content_ns - due_ns) / tick_ns; /* ahead, in ticks */
        bool ahead = off > 0;
        if (fabs(off) > 10) {
            line->content_ns = due_ns;
        } else if (fabs(off) > 1) {
            line->errors = ahead == line->was_ahead ? line->errors + 1 : 1;
            double change = 1 + 0.1 * fabs(off) / 10;
            line->scale = line->errors < 3 ? line->scale : ahead ? 1 / change : change;
        } else {
            line->errors = 0;
            line->scale += (1 - line->scale) * 0.1;
        }
        line->was_ahead = ahead;
    }
}

/* Packets on their way. The server is at 3600 s, and its clock is fast. */
typedef struct sim_network {
    sim_packet flying[SIM_FLYING];
    double lates_ns[SIM_LATES];
    int count, lost, late_count;
    int64_t next; /* tick */
} sim_network;

#define SIM_START_NS 3600e9
#define SIM_BASE_NS  50e6 /* the fastest packets */
#define SIM_FAST     5e-5

static inline void sim_send(sim *s, const sim_net *c, sim_network *n)
{
    const es_rate rate = es_hz(c->rate);
    double sent_ns, now_ns = (double)s->clock.now_ns;
    for (; (sent_ns = ((double)es_rate_time_ns(rate, n->next) - SIM_START_NS) / (1 + SIM_FAST))
            < now_ns;
            ++n->next) {
        double part = sim_random(s);
        part = c->tail ? fmin(-log(1 - part) / 3, 3) : part;
        double late_ns = part * c->jitter_ms * 1e6, burst = fmax(c->burst, 1);
        bool loses = sim_random(s) < c->loss / burst;
        n->lost = n->lost > 0 ? n->lost - 1 : loses ? (int)burst : 0;
        double detour_ns = sent_ns > 30e9 ? c->detour_ms * 1e6 : 0;
        if (n->lost == 0 && n->count < SIM_FLYING) {
            double at_ns = sent_ns + SIM_BASE_NS + late_ns + detour_ns;
            n->flying[n->count++] = (sim_packet){at_ns, n->next};
            n->lates_ns[n->late_count < SIM_LATES ? n->late_count++ : 0] = late_ns;
        }
    }
}

static inline void sim_receive(
        sim *s, const sim_net *c, sim_network *n, sim_rule rule, es_snapshots *to, sim_line *line)
{
    for (int k = 0; k < n->count;) {
        const sim_packet p = n->flying[k];
        if (p.at_ns > (double)s->clock.now_ns) {
            ++k;
            continue;
        }
        const double time_ns = (double)es_rate_time_ns(es_hz(c->rate), p.tick);
        const sim_place place = sim_place_at(time_ns);
        es_snapshots_add(to, p.tick, &place, (int64_t)p.at_ns);
        sim_line_arrived(line, rule, time_ns, p.at_ns, 1e9 / c->rate);
        n->flying[k] = n->flying[--n->count];
    }
}

/* A frame has been shown, for the first time or again. */
static inline void sim_net_note(sim *s, sim_rule rule, const es_snapshots_status *status,
        double newest_ns, const sim_place *view, sim_line *line, double now_ns)
{
    double content_ns = (double)status->content_ns, shows_ns = content_ns;
    if (rule != SIM_FOLLOW) {
        double passed_ns = s->shown_ns - s->last_shown_ns;
        line->content_ns = rule == SIM_FIXED ? line->newest_ns + now_ns - line->arrived_ns - 100e6
                                             : line->content_ns + passed_ns * line->scale;
        content_ns = line->content_ns;
        shows_ns = fmin(content_ns, line->newest_ns); /* they stop at the newest */
    }
    bool counts = s->shown_ns > 5e9;
    sim_note(s, shows_ns, shows_ns, counts);
    if (counts) {
        const sim_place right = sim_place_at(content_ns);
        double server_ns = (now_ns - SIM_BASE_NS) * (1 + SIM_FAST) + SIM_START_NS;
        sim_figures *f = &s->figures;
        f->late += content_ns > newest_ns;
        f->predicted += content_ns > newest_ns + 250e6;
        f->place += rule == SIM_FOLLOW ? hypot(view->x - right.x, view->y - right.y) : 0;
        f->delay_ms +=
                rule == SIM_FOLLOW ? (double)status->delay_ns / 1e6 : (server_ns - shows_ns) / 1e6;
    }
}

static inline sim_figures sim_net_run(
        const sim_net *c, sim_rule rule, double seconds, uint64_t seed)
{
    static const es_prediction prediction = {.kind = ES_PREDICT_LINEAR};
    static const es_field fields[] = {{.name = "at",
            .type = ES_TYPE_F64,
            .blend = ES_BLEND_LINEAR,
            .count = 1,
            .components = 2,
            .prediction = &prediction}};
    const es_layout layout = {fields, 1, sizeof(sim_place)};
    const es_rate rate = es_hz(c->rate);
    sim *s = sim_create(c->hz, seed);
    sim_network *n = calloc(1, sizeof *n);
    es_snapshots *snapshots = es_snapshots_create(&(es_snapshots_config){
            .state_size = sizeof(sim_place), .tick_rate = rate, .spare = c->spare});
    sim_line line = {0};
    sim_place view = {0, 0};
    n->next = (int64_t)(3600 * c->rate);
    while ((double)s->clock.now_ns < seconds * 1e9) {
        double now_ns = (double)s->clock.now_ns;
        sim_send(s, c, n);
        sim_receive(s, c, n, rule, snapshots, &line);
        es_loop_next(s->loop, &s->frame);
        bool shows = es_snapshots_blend(snapshots, &layout, &s->frame, &view);
        const es_snapshots_status status = es_snapshots_get_status(snapshots);
        sim_present(s);
        if (shows) {
            double newest_ns = (double)es_rate_time_ns(rate, status.newest_tick);
            sim_net_note(s, rule, &status, newest_ns, &view, &line, now_ns);
        }
    }
    es__sort(n->lates_ns, (size_t)n->late_count);
    s->figures.jitter_ms = n->late_count > 0 ? n->lates_ns[n->late_count * 99 / 100] / 1e6 : 0;
    es_snapshots_destroy(snapshots);
    free(n);
    return sim_end(s);
}

/* --- emulators -------------------------------------------------------------------------------- */

typedef struct sim_console {
    double rate;   /* of its frames */
    double hz;     /* of the display */
    bool variable; /* a variable refresh, up to hz */
    bool retroarch; /* its rules: gfx/video_driver.c, audio/audio_driver.c, with their default settings */
} sim_console;

typedef struct sim_played {
    double off, least;   /* refreshes that were shown too often or too seldom; as few as can be */
    int empty, full;     /* sound: blocks without samples, samples without room */
    double pitch, speed; /* the largest and the mean difference */
    int dropped;         /* console frames never shown */
} sim_played;

enum { SIM_BUFFER = 4096, SIM_BLOCK = 512, SIM_SOUND_HZ = 48000 };

typedef struct sim_sound_buffer {
    double samples, fill, called_ns, pitch;
    int empty, full;
} sim_sound_buffer;

static inline void sim_sound_play(sim_sound_buffer *b, double now_ns)
{
    for (; b->called_ns <= now_ns; b->called_ns += 1e9 * SIM_BLOCK / SIM_SOUND_HZ) {
        b->empty += b->samples < SIM_BLOCK;
        b->samples = fmax(b->samples - SIM_BLOCK, 0);
    }
}

/* A console frame's samples. */
static inline void sim_sound_add(sim_sound_buffer *b, double samples, double ratio, bool counts)
{
    b->samples += samples * ratio;
    b->full += b->samples > SIM_BUFFER;
    b->samples = fmin(b->samples, SIM_BUFFER);
    b->pitch = counts ? fmax(b->pitch, fabs(1 / ratio - 1)) : b->pitch;
}

/* How many console frames are run now. */
static inline int sim_console_next(sim *s, const sim_console *c, const sim_sound_buffer *sound)
{
    if (!c->retroarch) {
        es_loop_next(s->loop, &s->frame);
        return s->frame.ticks;
    }
    if (c->variable) { /* sync to exact content framerate: a timer */
        s->last_content_ns += 1e9 / c->rate;
        s->clock.now_ns = (int64_t)fmax((double)s->clock.now_ns, s->last_content_ns);
    } else if (c->hz > 1.05 * c->rate) { /* it waits for room in the sound's buffer */
        return sound->samples + SIM_SOUND_HZ / c->rate <= SIM_BUFFER;
    }
    return 1;
}

/* RetroArch: within 5 % the display leads, else the sound. */
static inline double sim_console_ratio(sim *s, const sim_console *c, sim_sound_buffer *sound)
{
    sound->fill += (sound->samples / SIM_BUFFER - sound->fill) / 32;
    if (!c->retroarch) {
        return es_loop_sound_ratio(s->loop, sound->fill, 0.005);
    }
    bool leads = fabs(c->hz / c->rate - 1) <= 0.05 && !c->variable;
    return (1 + 0.005 * (1 - 2 * sound->samples / SIM_BUFFER)) / (leads ? c->hz / c->rate : 1);
}

static inline void sim_console_present(sim *s, const sim_console *c)
{
    double refresh_ns = 1e9 / c->hz;
    virtual_clock_work(&s->clock, 2 * ES_NS_PER_MS);
    es_loop_submit(s->loop);
    double ready_ns = (double)s->clock.now_ns;
    s->last_shown_ns = s->shown_ns;
    s->shown_ns = c->variable ? fmax(ready_ns, s->last_shown_ns + refresh_ns)
                              : ceil((ready_ns + 1) / refresh_ns) * refresh_ns;
    s->clock.now_ns = (int64_t)(s->shown_ns + (c->variable ? 0 : sim_random(s) * 2e6));
    if (c->variable && !c->retroarch) {
        const es_present seen = {
                .frame = s->frame.index, .shown_ns = (int64_t)s->shown_ns, .variable = true};
        es_loop_presented(s->loop, &seen);
    }
}

static inline sim_played sim_console_run(const sim_console *c, double seconds)
{
    sim *s = sim_create(c->hz, 5);
    es_loop_destroy(s->loop);
    s->loop = es_loop_create(&(es_loop_config){.clock = virtual_clock_get(&s->clock),
            .tick_rate = es_hz(c->rate),
            .speed_change_max = 0.01});
    const double n = fmax(floor(c->hz / c->rate + 0.5), 1);
    sim_sound_buffer sound = {.samples = SIM_BUFFER / 2.0, .fill = 0.5};
    sim_played out = {.least = c->variable ? 0 : fabs(c->hz - n * c->rate) * (seconds - 5)};
    double shown_ticks = 0, refreshes = 0, began_ns = 0;
    while ((double)s->clock.now_ns < seconds * 1e9) {
        bool counts = (double)s->clock.now_ns > 5e9;
        int ticks = sim_console_next(s, c, &sound);
        for (int i = 0; i < ticks; ++i) {
            sim_sound_add(&sound, SIM_SOUND_HZ / c->rate, sim_console_ratio(s, c, &sound), counts);
        }
        sim_console_present(s, c);
        sim_sound_play(&sound, (double)s->clock.now_ns);
        if (!counts) {
            sound.empty = sound.full = 0;
            began_ns = s->shown_ns;
            continue;
        }
        refreshes += (s->shown_ns - s->last_shown_ns) * c->hz / 1e9;
        shown_ticks += ticks;
        out.dropped += ticks > 1 ? ticks - 1 : 0;
        out.off += c->variable ? fabs(ticks - 1.0) : 0;
    }
    out.off = c->variable ? out.off : fabs(refreshes - n * shown_ticks);
    out.speed = shown_ticks / ((s->shown_ns - began_ns) / 1e9) / c->rate - 1;
    out.pitch = sound.pitch;
    out.empty = sound.empty;
    out.full = sound.full;
    sim_destroy(s);
    return out;
}

#endif
