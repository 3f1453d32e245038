/* SPDX-License-Identifier: Zlib
 *
 * Evenstep: when to update, when to draw, which instant each frame shows, and how smooth it was.
 *
 * Includes every public header. Each can also be included alone.
 */
#ifndef EVENSTEP_EVENSTEP_H
#define EVENSTEP_EVENSTEP_H

#include "evenstep/base.h"
#include "evenstep/bytes.h"
#include "evenstep/clock.h"
#include "evenstep/display.h"
#include "evenstep/exchange.h"
#include "evenstep/feedback.h"
#include "evenstep/frame.h"
#include "evenstep/input.h"
#include "evenstep/lock.h"
#include "evenstep/loop.h"
#include "evenstep/loop_parts.h"
#include "evenstep/meter.h"
#include "evenstep/playback.h"
#include "evenstep/rates.h"
#include "evenstep/reader.h"
#include "evenstep/record.h"
#include "evenstep/ring.h"
#include "evenstep/slice.h"
#include "evenstep/state.h"
#include "evenstep/synctest.h"
#include "evenstep/tape.h"
#include "evenstep/threaded.h"
#include "evenstep/time.h"
#include "evenstep/version.h"
#include "evenstep/world.h"

#endif
