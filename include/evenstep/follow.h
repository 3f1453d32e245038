/* SPDX-License-Identifier: Zlib
 *
 * follow: another clock leads. A sound card, a server, a stream; and snapshots that a server sends.
 *
 *   es_follower *sound = es_follower_create(NULL);
 *   ...
 *   es_follower_add(sound, played * ES_NS_PER_S / 48000, es_now_ns()); // in the sound's callback
 *   ...
 *   while (es_loop_follow(loop, sound, 0) && es_loop_next(loop, &frame)) {
 *       // frame.content_ns: the part of the song that is heard when this frame is seen
 *
 * A reading says what the other clock showed, and when by es_now_ns it was read. Readings are noisy: a
 * sound card's position changes in blocks, packets are delayed. A line through them filters the noise.
 *
 * Defaults. On failure functions return false, NULL or 0; es_get_error says why. A NULL handle: no effect.
 * Other pointers are not NULL. Threads: one at a time per handle, but for es_follower_add. Allocation: the
 * create functions alone. Our time: es_now_ns, or the loop's own clock, or a host's stamps.
 */
#ifndef EVENSTEP_FOLLOW_H
#define EVENSTEP_FOLLOW_H

#include "evenstep/evenstep.h"

typedef struct es_follower es_follower;
typedef struct es_snapshots es_snapshots;
typedef struct es_layout es_layout; /* world.h */

/* How readings of a clock err. */
typedef enum es_follow_noise {
    ES_FOLLOW_LATE = 0, /* a reading may be old, never new: positions that change in blocks, time
                           stamps of callbacks, packets */
    ES_FOLLOW_BOTH      /* both ways, by 0 on average: positions that a driver estimates */
} es_follow_noise;

typedef struct es_follower_config {
    es_follow_noise noise;
    double rate_error_max;   /* by which share both clocks may differ; 0 to 0.1; 0: 0.001 */
    double speed_change_max; /* of content; 0 to 0.5; 0: 0.01 */
    int64_t jump_ns;         /* 0: 20 ms */
    /* Every number that comes from outside passes through this, in the thread of es_loop_follow:
     * es_record_value or es_replay_value of replay.h. NULL: none. */
    int64_t (*tape)(void *user, int64_t value);
    void *tape_user;
} es_follower_config;

typedef struct es_follower_status {
    int64_t readings; /* since the start */
    int64_t restarts; /* how often the line began anew, as readings contradicted it for 0.75 s, were newer
                          by 20 ms, or came from before for eight times */
    double rate;       /* of the other clock, by es_now_ns; 1 before it is known */
    int64_t error_ns;  /* the median error of the best reading of each 0.25 s */
    int64_t behind_ns; /* how far content was behind the other clock in the frame before; signed */
} es_follower_status;

typedef struct es_snapshots_config {
    size_t state_size; /* bytes, from 1 */
    es_rate tick_rate; /* of the server's snapshots */
    int32_t spare;     /* ticks that may be missing without a prediction: 0 to 8. -1: none; 0: 1 */
    int64_t delay_ns;  /* a fixed delay instead of the measured one, up to 60 ticks; 0: measured */
} es_snapshots_config;

typedef struct es_snapshots_status {
    int64_t received, dropped; /* snapshots */
    int64_t frames, predicted; /* frames, and those that show a time after the newest snapshot */
    int64_t newest_tick;       /* of the snapshots; -1: none */
    int64_t jitter_ns;         /* 99 % of snapshots arrive at most this much after the fastest */
    int64_t delay_ns;   /* how far frames are behind the server when they begin, as the fastest
                           packets show it */
    int64_t content_ns; /* the server's time that the last frame showed */
    double speed;       /* of that time at the last frame: 1, or up to 5 % off */
} es_snapshots_status;

#ifdef __cplusplus
extern "C" {
#endif

/* --- another clock ---------------------------------------------------------------------------- */

/* Makes an estimate of another clock, without readings. config: NULL: the defaults. */
ES_API es_follower *es_follower_create(const es_follower_config *config);
ES_API void es_follower_destroy(es_follower *follower);

/* Adds a reading. From one thread, which may be another than that of all other calls; never waits.
 * other_ns: what the other clock showed. read_ns: when, by our time. False: 64 readings wait for
 * es_loop_follow or es_follower_at. */
ES_API bool es_follower_add(es_follower *follower, int64_t other_ns, int64_t read_ns);

/* Forgets all readings: the other clock was paused, set, or is another one now. */
ES_API void es_follower_reset(es_follower *follower);

/* What the other clock shows at an instant of our time, also in the future. Without new readings it goes on
 * at the last rate, with no time limit. False: there was no reading yet. */
ES_API bool es_follower_at(es_follower *follower, int64_t now_ns, int64_t *other_ns);

/* How good the estimate is, for logs and a corner of the screen. */
ES_API es_follower_status es_follower_get_status(const es_follower *follower);

/* Before each es_loop_next or es_loop_next_at: content is what the other clock shows at present_ns, plus
 * offset_ns. It runs faster or slower than that clock by at most speed_change_max, and never goes back. If it
 * is off by more than jump_ns, it jumps forward, by half of catch_up_max_ns per frame, or stands still.
 * es_account.slowed_ns has the speed, reanchored_ns the jumps. Two seconds after the last reading it stands.
 * Before the first reading, and while paused, this call changes nothing. es_loop_set_speed has no effect.
 *
 * follower NULL: content no longer follows, and its speed is 1. offset_ns: for example the delay of
 * loudspeakers, which players set. False: the loop has speed_change_max, steps of varying length or threads,
 * or ticks are running. */
ES_API bool es_loop_follow(es_loop *loop, es_follower *follower, int64_t offset_ns);

/* How many samples a program with frames of its own makes of one: an emulator whose speed the display
 * leads (es_loop_config.speed_change_max). Its sound buffer then stays half full, with a pitch that is off
 * by at most speed_change + change_max.
 * fill: how full the buffer is, 0 to 1. change_max: 0 to 0.1; 0.005 is not heard. Source: H.-K. Arntzen,
 * Dynamic Rate Control for Retro Game Emulators, 2012. */
ES_API double es_loop_sound_ratio(const es_loop *loop, double fill, double change_max);

/* --- snapshots of a server -------------------------------------------------------------------- */

/* Makes room for the last 64 snapshots. */
ES_API es_snapshots *es_snapshots_create(const es_snapshots_config *config);
ES_API void es_snapshots_destroy(es_snapshots *snapshots);

/* Copies a state that has arrived. Any order; a tick that is there already, or older than 64 ticks, is
 * dropped: false, without an error. The ninth of those in a row is taken: the server has begun anew, and
 * older states are forgotten. tick: the server's, 0 or later. now_ns: by our time. Add what has come
 * before each frame. */
ES_API bool es_snapshots_add(
        es_snapshots *snapshots, int64_t tick, const void *state, int64_t now_ns);

/* What a frame shows, blended by the layout. A tick that is missing is predicted, if the layout says how
 * (es_field.prediction). Where the prediction was wrong, what is shown gets back in 100 ms; at once with
 * ES_BLEND_HERMITE and delay_ticks. Once per frame.
 * frame: of the loop, with its present_ns. out: a state; unchanged while there is none. */
ES_API bool es_snapshots_blend(
        es_snapshots *snapshots, const es_layout *layout, const es_frame *frame, void *out);

/* How snapshots arrive, and how far frames are behind the server. */
ES_API es_snapshots_status es_snapshots_get_status(const es_snapshots *snapshots);

#ifdef __cplusplus
}
#endif

#endif
