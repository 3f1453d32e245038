/* SPDX-License-Identifier: Zlib
 *
 * grid: on which instants does a display refresh, as far as readings that are late can tell?
 *
 * A present that blocks returns after a refresh: a few microseconds after it, or a millisecond, but
 * never before. So the refreshes lie along the lower edge of such readings. This module finds that
 * edge, without being told the rate (10 to 1000 per second): first roughly, from a dozen readings,
 * then ever finer, to a few millionths of the period after ten seconds. It says how sure it is, and
 * when there is no such edge: on a display whose refresh varies, or where readings have nothing to
 * do with one.
 *
 *   es__grid_add(&grid, returned_ns);                            after each present that blocked
 *   if (grid.state == ES_GRID_LOCKED) {
 *       int64_t next_ns = es__grid_time_ns(&grid, es__grid_index(&grid, now_ns) + 1);
 *   }
 *
 * Refreshes may go by without a reading, one or many. What no reading can tell:
 *   - how late the earliest are. The grid lies where readings begin: what all of them are late by
 *     is not in it, nor in what it says of its error.
 *   - a finer grid than the readings'. A program that presents on every second refresh, and always
 *     did, sees a display of half the rate. Where readings once were on the refreshes between, the
 *     finer grid stays; also when the display changes to a part of its rate, on the same instants,
 *     which does no harm.
 *   - over a short span, whether a program paces itself: with intervals that are each 60 us uneven
 *     it passes for a grid, at times for a second or two, until that adds up.
 * Some displays set the timer for a refresh when the one before is over: headless compositors do.
 * What is late by a little stays so, and that adds up: there is no grid, and nothing in readings
 * tells such a display from a program that paces itself. Who knows that it is one says so
 * (es__grid_walk): then the refreshes are followed at their mean interval.
 *
 * Values in, decisions out: it reads no clock. One of the parts that display time is made of;
 * before 1.0 it may change in any minor version.
 */
#ifndef ES_GRID_H
#define ES_GRID_H

#include "evenstep/display.h"

/* Starts a search.
 * grid: the caller's memory; not NULL.
 * config: NULL or all zero for the defaults.
 * Errors: ES_ERR_INVALID: grid is NULL, or announced_ns is below 0.
 * Ownership: config is copied. */
es_result es__grid_init(es_grid *grid, const es_grid_config *config);

/* Takes in a reading: a time at, or shortly after, a refresh. A lock takes 13 readings where they
 * scatter over a few hundredths of a period; where they scatter more, 20 of them and 0.6 s, or 64;
 * up to three quarters of a period, 96. It stays as long as readings keep to it. Where they do not
 * the newest are searched for another grid, or the lock is lost; after some 0.3 s, or 0.5 to 1 s
 * where they scatter widely. A rate that is near the old one is found when it parts from it: 59.94
 * after 60 Hz after 0.7 s, with readings up to 0.1 ms late. After a pause without readings the
 * lock stays where the time extrapolated fits; else only the phase is found anew, from five
 * readings or more. es__grid_uncertain_ns says how far it carries.
 * grid: initialised.
 * at_ns: on a clock that does not leap (or see es__grid_shift). One that is not after the last is
 * passed over; eight in a row that rise are a clock that was set back.
 * Returns nothing; see grid->state.
 * Errors: Any times will do.
 * Source: our own. That the lower edge of one-sided delays tells a clock's rate is known from
 * network time (S. Moon, P. Skelly, D. Towsley, "Estimation and Removal of Clock Skew from Network
 * Delay Measurements", INFOCOM 1999). */
void es__grid_add(es_grid *grid, int64_t at_ns);

/* Says that these readings are a display's all the same. For where the state is ES_GRID_VARIES
 * because what intervals are off by adds up. The caller must know from elsewhere that a display
 * sets their pace: say, because they do not follow the uneven times at which the program hands
 * pictures in. Then it is locked, and walks is set: period_ns is the mean of the last 256
 * intervals or so, the phase that of the newest three readings, and es__grid_uncertain_ns grows
 * with the root of the refreshes from there. After 256 readings, 512 and so on, a fixed grid is
 * searched for, and takes its place. When intervals are no longer like each other, the lock is
 * lost.
 * grid: initialised.
 * Returns whether it is locked. false: the state is another one; there are fewer readings than
 * ES_GRID_WALK_LEAST; more than one interval in four is over a quarter off a whole number of their
 * median; or the others are off by over 3.5 % of it on the mean. */
bool es__grid_walk(es_grid *grid);

/* Says which refreshes readings cannot show. Readings that are all on every second refresh, or
 * third, seem to be of a display that is so slow. So it is where pictures take longer than a
 * refresh to make, or are held for several on purpose. A grid of which every refresh has its
 * reading is taken for a finer one, of 1/2 to 1/8 of its period, where readings could not have
 * come a refresh of that sooner, and it is known: as it is, as half of what is known (3, 5 or 7 of
 * them are the one found), or as announced (es_grid_config).
 * grid: initialised.
 * known_ns: a refresh that the display had before, to half a percent; 0: none is known.
 * hidden_ns: what pictures take, or are held for; readings come no closer, however fast the
 * display is. 0: each refresh can have its reading, and a grid is what it seems.
 * Errors: What is below 0 is taken for 0. */
void es__grid_hide(es_grid *grid, int64_t known_ns, int64_t hidden_ns);

/* The number of the last refresh at or before an instant.
 * grid: initialised.
 * at_ns: on the same clock.
 * Returns its number, from any origin that stays while locks does; 0 where the grid is not locked. */
int64_t es__grid_index(const es_grid *grid, int64_t at_ns);

/* When a refresh is.
 * grid: initialised.
 * index: as es__grid_index counts.
 * Returns its time, rounded up: es__grid_index gives the same index for it. 0 where the grid is
 * not locked.
 * Errors: Times that do not fit are cut to the range. */
int64_t es__grid_time_ns(const es_grid *grid, int64_t index);

/* A bound of the error of the estimated time of a refresh: the noise of the phase, and the period's
 * error times the distance from the readings. In simulation it was larger than the error in 99 of
 * 100 cases, and ten times as large in half of them. Half a period while the lock is in doubt.
 * grid: initialised.
 * at_ns: about when; before or after the readings.
 * Returns nanoseconds; 0 where the grid is not locked.
 * Errors: What does not fit is cut to the range. */
int64_t es__grid_uncertain_ns(const es_grid *grid, int64_t at_ns);

/* Moves all the past, where the caller found out that the clock leapt. A lock stays.
 * grid: initialised.
 * by_ns: later by this, or earlier if below 0. Times that would not fit are cut to the range. */
void es__grid_shift(es_grid *grid, int64_t by_ns);

/* A locked grid, where the caller knows better: from now on what is said here goes, until the next
 * reading, from which on readings count again. For pictures that are submitted by a line of their
 * own, so that readings would only repeat that. es__grid_uncertain_ns comes of what readings were
 * scattered over before.
 * grid: initialised. It is left alone unless it is locked and does not walk.
 * index, at_ns: a refresh by its number, and when it is; not before the newest reading.
 * period_ns: of refreshes; 1e6 to 100e6, else the grid is left alone.
 * Returns true when it was taken; false when the grid was left alone. */
bool es__grid_steer(es_grid *grid, int64_t index, int64_t at_ns, double period_ns);

/* Forgets the lock and all readings. The period is tried first by the next search.
 * grid: initialised. */
void es__grid_drop(es_grid *grid);

#endif
