/* SPDX-License-Identifier: Zlib
 *
 * track: a thing whose motion is a formula.
 *
 * Two ticks and a blend show nearly where a thing was. A formula shows exactly where it is, at any
 * instant: no error, no delay, and a bounce in the middle of a tick is where it belongs. The
 * simulation keeps the track in its state and changes it when something happens; rendering
 * evaluates it at the content time of the frame:
 *
 *   // in the tick at time_ns, which finds that the ball meets the floor at hit_ns:
 *   before = ball;
 *   ball = es_track_continue(&before, hit_ns, ES_TRACK_BALLISTIC);
 *   ball.velocity *= -0.8;
 *   // in each frame:
 *   y = es_track_between(&before, &ball, frame.content_ns);
 *
 * For doors, lifts, platforms, projectiles, pendulums, cameras on rails: things that move freely
 * from one change of their track to the next. For bodies under control or in contact, blend their
 * states.
 *
 * A track is one number; a point in space is three. It stays exact however long ago it began, with
 * the same bits on every machine (the conditions are in value.h). Tracks must not be NULL. Any
 * thread may call these functions; nothing is kept.
 */
#ifndef EVENSTEP_TRACK_H
#define EVENSTEP_TRACK_H

#include "evenstep/evenstep.h"

/* The formula; t is in seconds since the start. */
typedef enum es_track_kind {
    ES_TRACK_CONSTANT = 0, /* base */
    ES_TRACK_LINEAR,       /* base + velocity t */
    ES_TRACK_BALLISTIC,    /* base + velocity t + acceleration t^2 / 2 */
    ES_TRACK_SINE          /* base + amplitude sin(2 pi (phase + t / period)) */
} es_track_kind;

/* A motion; it may be copied and saved. {0} rests at 0. A formula reads only the fields that it
 * names. */
typedef struct es_track {
    es_track_kind kind;  /* any other value is ES_TRACK_CONSTANT */
    int64_t start_ns;    /* simulated time; before it, the value rests where it starts */
    int64_t duration_ns; /* after it, the value rests; 0 or less: for ever */
    double base;         /* any unit: a length, an angle, a brightness */
    double velocity;     /* that unit per second, at the start */
    double acceleration; /* per second squared */
    double amplitude;    /* to each side of base */
    int64_t period_ns;   /* one swing; 0 or less: it rests at its phase */
    double phase;        /* turns, at the start: 0.25 is the positive turning point */
} es_track;

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the value at a simulated time: es_frame.content_ns, a tick's, or any other.
 *
 * Error: of LINEAR 4, of BALLISTIC 8 units in the last place of the largest term; of SINE one unit
 * and 5e-16 of the amplitude, exact at whole quarters of a turn. A NaN among the fields of the
 * formula gives NaN. Times are subtracted, and reduced to one period, as whole nanoseconds. The
 * sine is its power series, over an eighth of a turn to each side of the nearest quarter.
 */
ES_API double es_track_at(const es_track *track, int64_t content_ns);

/** Returns the derivative per second, at the start and end too; before and after them 0. */
ES_API double es_track_velocity_at(const es_track *track, int64_t content_ns);

/** Returns the value of a track that may have changed since the tick before.
 *
 * A frame between two ticks may show an instant before the change: from current's start_ns on it is
 * the current track, before that the previous one, which may be the same.
 */
ES_API double es_track_between(
        const es_track *previous, const es_track *current, int64_t content_ns);

/** Returns a track that starts at now_ns with the value and velocity of another, and never ends.
 *
 * kind: CONSTANT: it stops here. LINEAR: at its velocity. BALLISTIC: at its velocity, with the
 *   acceleration written in `from`, whatever its kind. SINE: the same swing, with a phase that is
 *   exact to 2e-16 turns; CONSTANT where `from` is no SINE that moves.
 */
ES_API es_track es_track_continue(const es_track *from, int64_t now_ns, es_track_kind kind);

#ifdef __cplusplus
}
#endif

#endif
