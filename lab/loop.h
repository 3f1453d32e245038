/* SPDX-License-Identifier: Zlib
 *
 * loop: a loop in the lab, and the table of all loops.
 *
 * A peer is written from its published source, named in .source, with that project's defaults. Our
 * loops are the library itself, through its public calls.
 */
#ifndef LAB_LOOP_H
#define LAB_LOOP_H

#include "lab/machine.h"

#include "evenstep/loop.h"
#include "evenstep/threaded.h"

typedef enum lab_loop_kind {
    LAB_LOOP_OURS = 0,
    LAB_LOOP_PEER,     /* in use today */
    LAB_LOOP_REFERENCE /* a bound: it knows what no program can know */
} lab_loop_kind;

/* What a loop needs (lab_loop.needs, a set). */
enum {
    LAB_NEEDS_FEEDBACK = 1, /* feedback; lab_run turns LAB_FEEDBACK_EXACT on where there is none */
    LAB_NEEDS_FIXED = 2,    /* a fixed refresh */
    LAB_NEEDS_CORE =
            4 /* a second core, whose work delays no frame: not comparable with loops on one
                            core */
};

/* What a loop knows at its start: as much as a program could know. */
typedef struct lab_loop_setup {
    const struct lab_loop *loop; /* the one that starts: several share a function */
    es_rate tick_rate;
    es_rate refresh; /* as announced; {0, 0}: no screen, or it announces nothing */
    int32_t queue;
    bool variable_refresh;
    const es_loop_config *config; /* ours: used instead of the named one; clock, and tick_rate where
                                     it is {0, 0}, are filled in. NULL: the named one */
    bool match_display;           /* ours: the adaptive interval is the display's announced period,
                                     not the default 1/60 s */
    double missed_max;            /* ours: the share of refreshes that low latency may miss; 0: its
                                     default. Not used with a given config */
    int64_t state_bytes;          /* of the world, for a loop that copies it; 0: LAB_STATE_BYTES */
} lab_loop_setup;

typedef struct lab_loop {
    const char *name;   /* for the command line */
    const char *title;  /* for people */
    const char *source; /* project, file, version: where the algorithm is from */
    lab_loop_kind kind;
    unsigned needs;
    int variant;       /* for start: which of the loops that share it */
    size_t state_size; /* up to LAB_LOOP_STATE_MAX; zeroed before start, 16-byte aligned */
    /* Begins at the machine's time 0; NULL: the zeroed state is enough. Returns an error that names
     * the field if the loop cannot run with this setup. Called by lab_loop_start. */
    es_result (*start)(
            void *state, const lab_loop_setup *setup, lab_machine *machine, es_error *error);
    /* One frame: calls lab_show, or lab_render and lab_present, once. */
    void (*frame)(void *state, lab_machine *machine);
} lab_loop;

enum { LAB_LOOP_STATE_MAX = 32768, LAB_STATE_BYTES = 1000000 };

/* The table: ours, peers, references; by index from 0, NULL past the last. */
const lab_loop *lab_loop_at(size_t index);

/* The whole table. */
const lab_loop *const *lab_loop_table(size_t *count);

/* Starts a loop. state: zeroed; setup->loop is filled in. */
es_result lab_loop_start(const lab_loop *loop, void *state, const lab_loop_setup *setup,
        lab_machine *machine, es_error *error);

/* The default configuration of one of our loops; of a threaded one, its render half's, with the
 * threaded loop's delay and lead. ES_ERR_INVALID: it is none of ours. */
es_result lab_loop_config(const lab_loop *loop, es_loop_config *config);

/* The es_loop inside the state of one of our loops; NULL: it is none of ours. */
const es_loop *lab_loop_engine(const lab_loop *loop, const void *state);

/* A threaded loop's last frame; NULL: the loop is not threaded. */
const es_threaded_frame *lab_loop_threaded(const lab_loop *loop, const void *state);

/* By name; NULL: there is none. */
const lab_loop *lab_loop_find(const char *name);

#endif
