/* SPDX-License-Identifier: Zlib
 *
 * demo_player: a recording of the demo, tick by tick: opened, checked, seeked.
 */
#ifndef DEMO_PLAYER_H
#define DEMO_PLAYER_H

#include "evenstep/replay.h"

#include "world.h"

enum { DEMO_PLAYER_WHY = 400 }; /* characters of a reason, with the file's name */

typedef struct demo_player {
    const char *path;
    uint32_t version[3]; /* of Evenstep, that recorded it */
    es_replay *replay;
    demo_replayer replayer;
    demo_scene world;
    int64_t tick; /* the world's */
    int64_t first_tick, last_tick;
    int64_t resume_tick; /* after damage: that of the next saved state */
    /* the next tick, read ahead */
    bool has_next;
    es_step next;
    size_t next_size;
    unsigned char input[DEMO_INPUT_MAX];
    demo_given ahead;  /* its input */
    bool cut;          /* it ends within a record, or without an end record */
    bool lost;         /* the rest is damaged */
    uint64_t ran;      /* ticks, */
    uint64_t compared; /* and those of them that have recorded hashes */
    uint64_t skipped;  /* spans of missing ticks that were passed over */
    bool explained;    /* `why` names the first of them */
    bool differed;     /* at some tick: `difference` names the first */
    char why[DEMO_PLAYER_WHY];
    char difference[DEMO_PLAYER_WHY];
} demo_player;

/** Opens a recording, and loads its first state; where that is damaged, the next one, which counts
 * as skipped. false: why has the reason, with the file and the offset; close it all the same. */
bool demo_player_open(demo_player *player, const char *path);
void demo_player_close(demo_player *player);

/** Runs the next tick and checks it. false: there is none, or it cannot be run. */
bool demo_player_tick(demo_player *player);

/** Goes to a tick, from the last snapshot before it. false: why has the reason. */
bool demo_player_seek(demo_player *player, int64_t tick);

/** The base rate of the next tick's loop, where its length is one of that rate; {0, 0} else. */
es_rate demo_player_rate(const demo_player *player);

/** Whether all ticks that ran were compared, but for the last before a cut. Else player->why names
 * the first that was not, or something worse. */
bool demo_player_is_compared(const demo_player *player);

/** Whether the ticks so far equal the recorded ones. Else player->difference names the first that
 * does not, and what differed, as far as it is known. */
bool demo_player_is_same(demo_player *player);

/** Where a replay first differs: "from tick 38 on: balls.vx; at tick 60 ...". false: nowhere. */
bool demo_player_difference(const es_replay *replay, char *text, size_t size);

/** A tag's text, into a buffer. false: there is no such tag, or no such file. */
bool demo_player_tag(const char *path, const char *name, char *text, size_t size);

#endif
