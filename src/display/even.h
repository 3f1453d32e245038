/* SPDX-License-Identifier: Zlib
 *
 * even: on a variable refresh, a frame is seen when it is presented. Frames that wait for an even
 * time are smoother, and fewer. This finds the interval, for a share of the frame rate.
 */
#ifndef ES_EVEN_H
#define ES_EVEN_H

#include "state.h"

/* A frame was ready to be presented. unheld_ns: since the last submit; since its flip if present
 * waited; 0: it was ready before that flip. shortest_ns: the shortest refresh; 0: not known. */
void es__even_note(es__even *even, int64_t unheld_ns, int64_t shortest_ns);

/* A frame waited for its even time. late_ns: how much later the system woke the program up. */
void es__even_waited(es__even *even, int64_t late_ns);

#endif
