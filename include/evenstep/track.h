/* SPDX-License-Identifier: Zlib
 *
 * track: where is a thing whose motion is a formula?
 *
 * Two ticks and a blend show nearly where a thing was. A formula shows exactly where it is, at any
 * instant: no error, no delay, and a bounce in the middle of a tick is where it belongs. The
 * simulation keeps the track in its state and changes it when something happens; rendering asks it
 * for the content time of the frame:
 *
 *   // in the tick at time_ns, which finds that the ball meets the floor at hit_ns:
 *   before = ball;
 *   ball = es_track_continue(&before, hit_ns, ES_TRACK_BALLISTIC);
 *   ball.velocity *= -0.8;
 *   // in each frame:
 *   y = es_track_between(&before, &ball, frame.content_ns);
 *
 * For doors, lifts, platforms, projectiles, pendulums, cameras on rails: what nothing pushes from
 * one change of its track to the next. Not for bodies under control or in contact: blend their
 * states.
 *
 * A track is one number; a point in space is three. How long ago it began costs neither time nor
 * accuracy. The same bits on every machine, on the terms of value.h.
 */
#ifndef EVENSTEP_TRACK_H
#define EVENSTEP_TRACK_H

#include "evenstep/time.h"

/* Which formula; t is in seconds since the start. */
typedef enum es_track_kind {
    ES_TRACK_CONSTANT = 0, /* base */
    ES_TRACK_LINEAR,       /* base + velocity t */
    ES_TRACK_BALLISTIC,    /* base + velocity t + acceleration t^2 / 2 */
    ES_TRACK_SINE          /* base + amplitude sin(2 pi (phase + t / period)) */
} es_track_kind;

/* A motion. A plain value: it may be copied and saved. {0} rests at 0. Fields that the formula of
 * the kind does not name are not read. */
typedef struct es_track {
    es_track_kind kind;  /* any other value is ES_TRACK_CONSTANT */
    int64_t start_ns;    /* simulated time; before it, the value rests where it starts */
    int64_t duration_ns; /* after it, the value rests where it has come to; 0 or less: for ever */
    double base;         /* any unit of length, or an angle, a brightness, ... */
    double velocity;     /* that unit per second, at the start */
    double acceleration; /* per second squared */
    double amplitude;    /* how far it swings to each side */
    int64_t period_ns;   /* one swing; 0 or less: none, it rests at its phase */
    double phase;        /* turns, at the start: 0.25 is the positive turning point */
} es_track;

#ifdef __cplusplus
extern "C" {
#endif

/** Where a track is.
 *
 * track: not NULL.
 * content_ns: simulated time, any: es_frame.content_ns, or a tick's.
 * Returns: the value. Error: of LINEAR 4, of BALLISTIC 8 units in the last place of the largest
 *   term; of SINE one unit, and 5e-16 of the amplitude, though none of that at whole quarters of a
 *   turn. A NaN among the fields that are read gives NaN.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: the formulas above. Times are subtracted, and reduced to one period, as whole
 *   nanoseconds, so a swing is as exact after 292 years as at first. The sine is its power series,
 *   over an eighth of a turn to each side of the nearest quarter.
 */
ES_API double es_track_at(const es_track *track, int64_t content_ns);

/** How fast a track moves.
 *
 * track: not NULL.
 * content_ns: simulated time, any.
 * Returns: per second; from the start to the end, both included, the derivative of the formula,
 *   and outside of these 0. A NaN among the fields that are read gives NaN where it is not that 0.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 */
ES_API double es_track_velocity_at(const es_track *track, int64_t content_ns);

/** Where a thing is whose track has changed since the tick before.
 *
 * A frame between two ticks may show an instant before the change.
 * previous: its track in the older tick; not NULL. The same as current where nothing changed.
 * current: its track in the newer tick; not NULL.
 * content_ns: simulated time, any.
 * Returns: the current track from its start_ns on, the previous one before.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 */
ES_API double es_track_between(
        const es_track *previous, const es_track *current, int64_t content_ns);

/** Where many things are.
 *
 * tracks: the first of count; not NULL unless count is 0.
 * count: how many.
 * stride: bytes from one track to the next: sizeof(es_track), or the size of the struct that each
 *   is part of.
 * content_ns: simulated time, any.
 * out: the first of count numbers; not NULL unless count is 0, and no part of the tracks.
 * out_stride: bytes from one number to the next; at least sizeof(double), and a multiple of it.
 * Returns: ES_OK, with out[i] = es_track_at of track i; or an error and nothing written.
 * Errors: ES_ERR_INVALID: a NULL, or a stride that is too small or leaves the next one misaligned.
 * Ownership: keeps nothing.
 * Threads: any thread.
 */
ES_API es_result es_tracks_at(const es_track *tracks, size_t count, size_t stride,
        int64_t content_ns, double *out, size_t out_stride);

/** A track that goes on from where another is, as fast: change in it what has happened.
 *
 * from: not NULL.
 * now_ns: when; the start of the new track.
 * kind: how it goes on. CONSTANT: it stops here. LINEAR: at its velocity. BALLISTIC: at its
 *   velocity, with the acceleration that is written in `from`, whatever the kind of that. SINE: the
 *   same swing, of a track that is one and moves; of any other it is CONSTANT, because which swing
 *   is not said.
 * Returns: the track, for ever (duration_ns 0). Base and velocity are what from has at now_ns; a
 *   SINE keeps base, amplitude and period, and its phase is that of now, to 2e-16 turns.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API es_track es_track_continue(const es_track *from, int64_t now_ns, es_track_kind kind);

#ifdef __cplusplus
}
#endif

#endif
