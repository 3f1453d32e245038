/* SPDX-License-Identifier: Zlib
 *
 * Whether an object jumped, from how far it usually moves in a tick.
 */
#ifndef ES_CUTS_H
#define ES_CUTS_H

#include "base/common.h"

/* usual: the usual way; 0: not known; below 0: just after a jump. least: as far as any object of the
 * group may go at once; 0: not known. next: the way in the tick after; below 0: not known. */
bool es__cut_is(float usual, double least, double way, double next, double ratio);

/* Returns the usual way after this one. */
float es__cut_learn(float usual, double least, double way, bool is_cut, bool knows_next);

#endif
