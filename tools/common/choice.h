/* SPDX-License-Identifier: Zlib
 *
 * choice: options such as --loop A,B, which choose from the lab's tables.
 *
 * Each parser adds to its list, so an option may be repeated or take a comma list. A repeated value
 * is added once.
 */
#ifndef EVENSTEP_CHOICE_H
#define EVENSTEP_CHOICE_H

#include "json.h"
#include "tool.h"

#include "evenstep/evenstep.h"
#include "lab/loop.h"

enum { CHOICE_MAX = 80 }; /* all scenarios, and a capture */

typedef struct loop_choice {
    const lab_loop *items[CHOICE_MAX];
    size_t count;
} loop_choice;

typedef struct scenario_choice {
    lab_scenario items[CHOICE_MAX];
    size_t count;
} scenario_choice;

/* "2%x3": 2 % of the frames take 3 times as long. */
typedef struct spikes {
    double share;
    double factor;
} spikes;

/* The program that `evenstep compare` runs. */
typedef struct program_costs {
    int64_t render_ns;
    int64_t update_ns;
    int64_t late_ns; /* presents return up to this late; 0: as in scenario cheap */
    spikes spikes;
    bool exact; /* an ideal machine */
} program_costs;

/* A fixed refresh rate, or the range of a variable one. */
typedef struct refresh {
    bool variable;
    es_rate rate;
    es_rate min;
    es_rate max;
} refresh;

typedef struct refresh_choice {
    refresh items[CHOICE_MAX];
    size_t count;
} refresh_choice;

typedef struct rate_choice {
    es_rate items[CHOICE_MAX];
    size_t count;
} rate_choice;

typedef struct queue_choice {
    int32_t items[CHOICE_MAX];
    size_t count;
} queue_choice;

/* Values that have names, as places in a list of names. */
typedef struct name_choice {
    const char *name;         /* of all of it */
    const char *const *names; /* NULL after the last */
    int32_t items[CHOICE_MAX];
    size_t count;
} name_choice;

/* For tool_option: comma lists. */
bool choice_parse_loops(const char *text, void *loops); /* also ours, peers, references, all */
bool choice_parse_scenarios(const char *text, void *scenarios); /* also groups, all */
bool choice_parse_names(const char *text, void *choice);        /* its names are set */
bool choice_parse_refreshes(const char *text, void *refreshes); /* 60, 60000/1001, vrr, 48-144 */
bool choice_parse_tick_rates(const char *text, void *rates);
bool choice_parse_queues(const char *text, void *queues);

/* For tool_option: one value. */
bool choice_parse_loop(const char *text, void *const_lab_loop);         /* into a pointer to one */
bool choice_parse_scenario(const char *text, void *const_lab_scenario); /* into a pointer to one */
bool choice_parse_refresh(const char *text, void *one_refresh);
bool choice_parse_tick_rate(const char *text, void *rate);
bool choice_parse_queue(const char *text, void *int32);
bool choice_parse_cost(const char *text, void *int64_ns);         /* of a frame, a tick */
bool choice_parse_delay(const char *text, void *real);            /* in ticks */
bool choice_parse_cap(const char *text, void *int64_interval_ns); /* frames per second */
/* "drop" and so on; NULL for no es_catch_up. */
const char *choice_policy_name(int policy);

bool choice_parse_policy(const char *text, void *es_catch_up_or_minus_one); /* an int */

/* The accepted values, for tool_option.expects; the first two list the table. */
const char *choice_loops_text(void); /* of choice_parse_loops */
const char *choice_loop_names(void);
extern const char choice_scenarios_text[]; /* of choice_parse_scenarios */
extern const char choice_refresh_text[];
extern const char choice_tick_rate_text[];
extern const char choice_queue_text[];
extern const char choice_cost_text[];
extern const char choice_delay_text[];
extern const char choice_cap_text[];
extern const char choice_policy_text[];

/** Whether it needs a host, which calls the loop. */
bool choice_needs_host(const lab_scenario *scenario);

/** The start of a run that is not measured: 2 s, at most a fifth. */
int64_t choice_warm_up_ns(int64_t duration_ns);

/** "ours", "peers" or "references". */
const char *choice_kind_name(lab_loop_kind kind);

/** "144", "59.94", "48-144"; buffer holds at least 80 characters. Returns it. */
char *choice_format_refresh(char *buffer, const refresh *chosen);

/** Appends "; cap 30 fps"; nothing without a cap (0). */
void choice_add_cap(char *text, size_t size, int64_t cap_ns);

/** The frames per second of a cap; null without one. */
json_t *choice_cap_json(int64_t cap_ns);

/** The scenario of these costs. */
lab_scenario choice_costs(const program_costs *program);

/** Sets a display's refresh, and what follows from it. */
void choice_set_refresh(lab_display *display, const refresh *chosen);

#endif
