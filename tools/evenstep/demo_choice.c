/* SPDX-License-Identifier: Zlib */
#include "demo_choice.h"

#include "demo_show.h"

#include <stdio.h>
#include <string.h>

/* Loops with an interval of their own are not here: they could not keep it in somebody else's
 * frames. Lockstep has one too, but what it shows depends on the frames alone. */
static const demo_half halves[] = {
        {"unblended", "decoupled", false},
        {"decoupled", "decoupled", true},
        {"max-frameskip", "max-frameskip", true},
        {"variable", "variable", true},
        {"lockstep", "lockstep", true},
};

enum { HALVES = sizeof halves / sizeof halves[0] };

/* --- names ------------------------------------------------------------------------------------ */

const demo_half *demo_half_at(size_t index)
{
    return index < HALVES ? &halves[index] : NULL;
}

const demo_half *demo_half_next(const demo_half *half, bool back)
{
    if (half == NULL) {
        return &halves[back ? HALVES - 1 : 0];
    }
    if (back) {
        return half > halves ? half - 1 : NULL;
    }
    return half < halves + HALVES - 1 ? half + 1 : NULL;
}

const char *demo_half_name_at(size_t index)
{
    return index < HALVES ? halves[index].name : NULL;
}

static const char threaded[] = "threaded";
static const char threaded_locked[] = "threaded-locked";

const char *demo_loop_name_at(size_t index)
{
    size_t count = demo_count_names(es_loop_config_name);
    return index < count        ? es_loop_config_name(index)
           : index == count     ? threaded
           : index == count + 1 ? threaded_locked
                                : NULL;
}

bool demo_loop_is_threaded(const char *name)
{
    return strcmp(name, threaded) == 0 || demo_loop_is_locked(name);
}

bool demo_loop_is_locked(const char *name)
{
    return strcmp(name, threaded_locked) == 0;
}

const char *demo_policy_name_at(size_t index)
{
    return es_catch_up_name((es_catch_up)index);
}

const char *demo_latency_name_at(size_t index)
{
    static const char *const names[] = {"smooth", "low"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

const char *demo_pace_name(es_pace pace)
{
    switch (pace) {
    case ES_PACE_AUTO:
        return "auto";
    case ES_PACE_ADAPTIVE:
        return "adaptive";
    case ES_PACE_FIXED:
        return "fixed";
    case ES_PACE_UNCAPPED:
        return "uncapped";
    }
    return "unknown";
}

size_t demo_count_names(demo_name_at *name_at)
{
    size_t count = 0;
    while (name_at(count) != NULL) {
        ++count;
    }
    return count;
}

/* Where a name stands, or how many there are. */
static size_t index_of(const char *name, demo_name_at *name_at)
{
    size_t i = 0;
    while (name_at(i) != NULL && strcmp(name_at(i), name) != 0) {
        ++i;
    }
    return i;
}

const char *demo_choice_next_loop(const char *name, bool back)
{
    size_t count = demo_count_names(demo_loop_name_at);
    size_t at = index_of(name, demo_loop_name_at);
    return demo_loop_name_at((at + (back ? count - 1 : 1)) % count);
}

char *demo_list_names(char *buffer, size_t size, demo_name_at *name_at)
{
    size_t count = demo_count_names(name_at);
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < count && used < size; ++i) {
        const char *separator = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        int written = snprintf(buffer + used, size - used, "%s%s", separator, name_at(i));
        used += written > 0 ? (size_t)written : 0;
    }
    return buffer;
}

bool demo_parse_loop(const char *text, void *const_char_pointer)
{
    const char *name = demo_loop_name_at(index_of(text, demo_loop_name_at));
    *(const char **)const_char_pointer = name;
    return name != NULL;
}

bool demo_parse_latency(const char *text, void *demo_latency_pointer)
{
    size_t at = index_of(text, demo_latency_name_at);
    *(demo_latency *)demo_latency_pointer = at == 0 ? DEMO_LATENCY_SMOOTH : DEMO_LATENCY_LOW;
    return demo_latency_name_at(at) != NULL;
}

bool demo_parse_policy(const char *text, void *int_policy)
{
    size_t at = index_of(text, demo_policy_name_at);
    *(int *)int_policy = (int)at;
    return demo_policy_name_at(at) != NULL;
}

bool demo_parse_half(const char *text, void *const_demo_half_pointer)
{
    const demo_half *half = demo_half_at(index_of(text, demo_half_name_at));
    *(const demo_half **)const_demo_half_pointer = half;
    return half != NULL;
}

bool demo_parse_way(const char *text, void *demo_way_pointer)
{
    size_t at = index_of(text, demo_way_name_at);
    *(demo_way *)demo_way_pointer = (demo_way)at;
    return demo_way_name_at(at) != NULL;
}

bool demo_parse_jump(const char *text, void *demo_jump_pointer)
{
    size_t at = index_of(text, demo_jump_name_at);
    *(demo_jump *)demo_jump_pointer = (demo_jump)at;
    return demo_jump_name_at(at) != NULL;
}

bool demo_parse_job(const char *text, void *demo_job_mode_pointer)
{
    size_t at = index_of(text, demo_job_name_at);
    *(demo_job_mode *)demo_job_mode_pointer = (demo_job_mode)at;
    return demo_job_name_at(at) != NULL;
}

bool demo_parse_switch(const char *text, void *bool_pointer)
{
    bool on = strcmp(text, "on") == 0;
    *(bool *)bool_pointer = on;
    return on || strcmp(text, "off") == 0;
}

/* --- configurations --------------------------------------------------------------------------- */

demo_choice demo_choice_none(void)
{
    return (demo_choice){.loop = es_loop_config_name(0),
            .policy = -1,
            .delay_ticks = -1.0,
            .latency = DEMO_LATENCY_OWN};
}

bool demo_choice_follows(const demo_choice *choice)
{
    es_loop_config config = demo_choice_config(choice, 0);
    return demo_config_follows(&config);
}

bool demo_config_follows(const es_loop_config *config)
{
    return config->pace == ES_PACE_AUTO && config->aim == ES_AIM_START;
}

/* What was asked for, whatever the loop: one that has no use for it refuses it. */
static void ask_of_display(es_loop_config *config, const demo_choice *choice, int64_t refresh_ns)
{
    if (choice->latency != DEMO_LATENCY_OWN) {
        config->low_latency = choice->latency == DEMO_LATENCY_LOW;
    }
    config->missed_max = choice->missed_max;
    config->queue = choice->queue;
    config->refresh_ns = choice->refresh_ns;
    if (choice->refresh_ns == 0 && config->pace == ES_PACE_AUTO) {
        config->refresh_ns = refresh_ns;
    }
}

es_loop_config demo_choice_config(const demo_choice *choice, int64_t refresh_ns)
{
    es_loop_config config = es_loop_config_default();
    bool is_threaded = demo_loop_is_threaded(choice->loop);
    es_loop_config_named(choice->loop, &config);
    if (is_threaded) {
        config.delay_ticks = 1.0;
    }
    if (es_rate_is_valid(choice->tick_rate)) {
        config.tick_rate = choice->tick_rate;
    }
    if (choice->policy >= 0) {
        config.catch_up = (es_catch_up)choice->policy;
    }
    if (choice->delay_ticks >= 0.0) {
        config.delay_ticks = choice->delay_ticks;
    }
    if (choice->ticks_max > 0) {
        config.ticks_max = choice->ticks_max;
    }
    config.lead_ticks = choice->lead_ticks;
    if (is_threaded) { /* its pictures are between ticks: one fewer would be none */
        config.lead_ticks = choice->lead_ticks > 0 ? choice->lead_ticks + 1 : 1;
    }
    ask_of_display(&config, choice, refresh_ns);
    if (choice->interval_ns > 0) {
        config.interval_ns = choice->interval_ns;
    } else if (config.pace == ES_PACE_ADAPTIVE && config.interval_ns == 0) {
        config.interval_ns = refresh_ns;
    }
    return config;
}

/* false: the field is none that is asked for here. */
static bool forget(demo_choice *choice, const char *field)
{
    if (strcmp(field, "catch_up") == 0) {
        choice->policy = -1;
    } else if (strcmp(field, "delay_ticks") == 0) {
        choice->delay_ticks = -1.0;
    } else if (strcmp(field, "ticks_max") == 0) {
        choice->ticks_max = 0;
    } else if (strcmp(field, "lead_ticks") == 0) {
        choice->lead_ticks = 0;
    } else if (strcmp(field, "interval_ns") == 0) {
        choice->interval_ns = 0;
    } else if (strcmp(field, "low_latency") == 0) {
        choice->latency = DEMO_LATENCY_OWN;
    } else if (strcmp(field, "missed_max") == 0) {
        choice->missed_max = 0.0;
    } else if (strcmp(field, "queue") == 0) {
        choice->queue = 0;
    } else if (strcmp(field, "refresh_ns") == 0) {
        choice->refresh_ns = 0;
    } else {
        return false;
    }
    return true;
}

es_loop_config demo_choice_fitting(const demo_choice *choice, int64_t refresh_ns)
{
    demo_choice fitting = *choice;
    if (demo_loop_is_threaded(choice->loop)) { /* it has none of these */
        fitting.policy = -1;
        fitting.ticks_max = 0;
    }
    es_loop_config config = demo_choice_config(&fitting, refresh_ns);
    es_error error;
    while (es_loop_config_validate(&config, &error) != ES_OK && forget(&fitting, error.field)) {
        config = demo_choice_config(&fitting, refresh_ns);
    }
    return config;
}
