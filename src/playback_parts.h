/* SPDX-License-Identifier: Zlib
 *
 * What opening and playing share.
 */
#ifndef ES_PLAYBACK_PARTS_H
#define ES_PLAYBACK_PARTS_H

#include "evenstep/playback.h"

/* Reads the whole snapshot that begins at a place into a state of the recording's layout. Then
 * *behind is the place after it. */
es_result es__playback_snapshot(
        es_playback *play, es_reader_place place, void *state, es_reader_place *behind);

/* The next record of this kind from a place on, which moves behind it. False: there is none. Damage
 * in between sets *damaged, which may be NULL. */
bool es__playback_find(es_playback *play, es_reader_place *place, es_record_kind kind,
        es_reader_item *item, bool *damaged);

#endif
