/* SPDX-License-Identifier: Zlib
 *
 * loop: a loop in the lab, and the table of all loops.
 *
 * A peer is rewritten from its published source (lab_loop.source), with that project's defaults.
 * Our loops call the library's public functions.
 */
#ifndef LAB_LOOP_H
#define LAB_LOOP_H

#include "lab/machine.h"

#include "lab/numbers.h"

typedef enum lab_loop_kind {
    LAB_LOOP_OURS = 0,
    LAB_LOOP_PEER,     /* a published loop */
    LAB_LOOP_REFERENCE /* a bound: it uses knowledge that no program has */
} lab_loop_kind;

/* Bits of lab_loop.needs. */
enum {
    LAB_NEEDS_FEEDBACK = 1, /* feedback */
    LAB_NEEDS_FIXED = 2,    /* a fixed refresh */
    LAB_NEEDS_CORE = 4,     /* a second core: not comparable with loops on one core */
    LAB_TAKES_HOST = 8,     /* no need: a host can call the loop */
    LAB_TAKES_CAP = 16      /* no need: the loop holds frames to cap_ns itself, as all of ours do */
};

/* How a frame of ours is written. A host's frames are always of the first form. */
typedef enum lab_form {
    LAB_FORM_USUAL = 0, /* the first form; loops but auto and low-latency: stepped */
    LAB_FORM_FIRST,
    LAB_FORM_WAIT, /* the first form with es_loop_wait */
    LAB_FORM_STEPPED
} lab_form;

/* What a program calls beside the usual: in each frame, or from frame 300 to frame 400. */
typedef enum lab_calls {
    LAB_CALL_NONE = 0,
    LAB_CALL_NO_END,   /* first form: es_loop_end is left to es_loop_next */
    LAB_CALL_ACQUIRED, /* es_loop_acquired, when the first call that draws has returned */
    LAB_CALL_IDLE,     /* half of es_loop_idle_ns is used for work */
    LAB_CALL_SECOND,   /* a second loop of the thread draws off-screen for 9 ms */
    LAB_CALL_PAUSE,
    LAB_CALL_STEP, /* a pause with single steps */
    LAB_CALL_SLOW, /* speed 0.5 */
    LAB_CALL_FAST, /* speed 2 */
    LAB_CALL_HIDE,
    LAB_CALL_SEEK,     /* 100 ticks ahead, at frame 300 */
    LAB_CALL_RESYNC,   /* at frame 300 */
    LAB_CALL_CONFIGURE /* auto: low latency the other way round, from frame 300 on */
} lab_calls;

/* What a loop knows at its start. A program can know it, too. */
typedef struct lab_loop_setup {
    const struct lab_loop *loop; /* the loop that starts: several loops share a start function */
    es_rate tick_rate;
    es_rate refresh; /* announced rate; {0, 0}: no screen, or not announced */
    bool variable_refresh;
    lab_targets targets;          /* what the platform says that it does */
    es_target_use target_use;     /* ours, pace auto; not used with config */
    const es_loop_config *config; /* ours: instead of the named configuration. The loop fills in
                                     clock, and where they are 0 tick_rate, refresh, and the
                                     adaptive interval_ns. NULL: the named one */
    int64_t cap_ns;               /* ours: interval_ns, instead of that of config; 0: no cap */
    double missed_max;            /* ours: the share of refreshes that low latency may miss; 0: its
                                     default. Not used with config */
    lab_form form;                /* ours */
    lab_calls calls;              /* ours */
    bool unblended;               /* auto, low-latency: frames show their current tick, at the speed
                                     that the loop reports, less its change ... */
    double speed_change_max;      /* ... which is at most this */
} lab_loop_setup;

typedef struct lab_loop {
    const char *name;   /* for the command line */
    const char *title;  /* for people */
    const char *source; /* project, file, version: where the algorithm is from */
    lab_loop_kind kind;
    unsigned needs;
    int variant;       /* tells start which of the loops that share it */
    size_t state_size; /* up to LAB_LOOP_STATE_MAX; zeroed before start, 16-byte aligned */
    /* Starts at the machine's time 0. NULL: the zeroed state is enough. If the loop cannot run with
     * this setup, returns an error and names the field. Called by lab_loop_start. */
    es_result (*start)(
            void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error);
    /* One frame: calls lab_show, or lab_render and lab_present, once. */
    void (*frame)(void *state, lab_machine *machine);
    /* Frees what start has allocated. NULL: nothing. Called by lab_loop_stop. */
    void (*stop)(void *state);
} lab_loop;

enum { LAB_LOOP_STATE_MAX = 65536 };

/* The loop with that index, from 0: ours, peers, then references. NULL past the last. */
const lab_loop *lab_loop_at(size_t index);

/* All loops, in that order. */
const lab_loop *const *lab_loop_table(size_t *count);

/* Starts a loop. state: zeroed. setup->loop is not used. */
es_result lab_loop_start(const lab_loop *loop, void *state, const lab_loop_setup *setup,
        lab_machine *machine, lab_refusal *error);

/* Ends a loop, also one that refused to start. */
void lab_loop_stop(const lab_loop *loop, void *state);

/* The default configuration of one of our loops. Threaded: its lead_ticks is that of the threads. ES_ERR_INVALID: not our loop. */
es_result lab_loop_config(const lab_loop *loop, es_loop_config *config);

/* The loop of that name, or NULL. */
const lab_loop *lab_loop_find(const char *name);

/* Whether es_loop_create takes config; sets error where not. Its texts are valid until the thread's
 * next error. */
bool lab_config_is_valid(const es_loop_config *config, lab_refusal *error);

/* es_get_error of a refused configuration, by field and reason. */
es_result lab_refuse_config(lab_refusal *error);

#endif
