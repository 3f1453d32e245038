/* SPDX-License-Identifier: Zlib
 *
 * predict: by how much does content move from frame to frame?
 *
 * Each predictor has its own answer. When it is known when a frame was seen, the error of each is
 * known, too. Content follows the predictor with the least mean |error| of the newest frames
 * ("tracking the best expert": Herbster and Warmuth, Machine Learning 32, 1998).
 */
#ifndef ES_PREDICT_H
#define ES_PREDICT_H

#include "state.h"

/* A frame begins. first_ns: its interval while none is known. known_ns: period of the refresh; 0: not
 * known. */
void es__predict_begin(es__predict *predict, int64_t begin_ns, double first_ns, double known_ns);

/* The open frame is planned for a screen time. planned_ns: from the planned screen time before: the sum of these leads
 * content. exact_ns: by how much content should move now, planned_ns or the time between starts. flips_ns: from the
 * flip before, as it is known by now. */
void es__predict_plan(es__predict *predict, int64_t planned_ns, int64_t exact_ns, int64_t flips_ns);

/* Whether content may follow the planned screen times; else it follows frame times. */
void es__predict_allow(es__predict *predict, bool plans);

/* By how much content moves at the open frame; and beyond that, as it is late or early. */
int64_t es__predict_advance_ns(const es__predict *predict);
int64_t es__predict_slew_ns(const es__predict *predict);

/* The open frame moves content by this. starts: from here on content is where it should be. */
void es__predict_close(es__predict *predict, int64_t advance_ns, bool starts);

/* How far content is behind, if the open frame moves it by this. planned: behind the planned screen
 * time; else behind the sum of the frame times. */
int64_t es__predict_offset_ns(const es__predict *predict, int64_t advance_ns, bool planned);

/* Content is moved, beside its frames. */
void es__predict_move(es__predict *predict, int64_t by_ns);

/* The clock leapt, and the display did not. */
void es__predict_leap(es__predict *predict, int64_t by_ns);

/* A frame was seen. age: frames before the newest one. Times of different sources are not compared. */
void es__predict_seen(es__predict *predict, int64_t age, int64_t seen_ns, es__seen_source source);

/* Frames are numbered anew. */
void es__predict_restart(es__predict *predict);

/* The mean of the newest frame times. */
static inline double es__predict_mean_ns(const es__predict *predict)
{
    return predict->by[ES_PREDICT_MEAN_LONG].advance_ns;
}

/* The mean error of the predictor that content follows. */
static inline double es__predict_error_ns(const es__predict *predict)
{
    return predict->by[predict->used].error_ns;
}

#endif
