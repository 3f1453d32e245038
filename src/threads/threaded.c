/* SPDX-License-Identifier: Zlib
 *
 * How a threaded loop is made: its configuration and its memory.
 */
#include "evenstep/threaded.h"

#include <string.h>

#include "base/common.h"
#include "loop/loop_config.h"
#include "loop/ticker.h"
#include "threaded_parts.h"
#include "loop/loop_parts.h"

#define AHEAD_MOST_NS ES_NS_PER_S
#define LEAD_MOST     2

/* --- the configuration ------------------------------------------------------------------------ */

static int32_t lead_of(const es_threaded_config *config)
{
    return config->lead_ticks != 0 ? config->lead_ticks : 1;
}

static double delay_of(const es_threaded_config *config)
{
    if (config->delay_ticks == ES_THREADED_NO_DELAY) {
        return 0.0;
    }
    return config->delay_ticks != 0.0 ? config->delay_ticks : 1.0;
}

/* With four ticks and a lead of 1, a frame finds its pair when it is late by a period. */
static es__exchange_config states_of(const es_threaded_config *config)
{
    return (es__exchange_config){
            .state_size = config->state_size,
            .ticks = ES_EXCHANGE_TICKS_MAX,
            .kind = config->kind,
            .lock = config->lock,
    };
}

static es__exchange_config posts_of(size_t size)
{
    return (es__exchange_config){.state_size = size};
}

/* The loop's own ticks cost nothing, so a frame may have any number of them. */
es_loop_config es__threaded_loop_of(const es_threaded_config *config)
{
    es_loop_config loop = config->loop;
    loop.delay_ticks = delay_of(config);
    loop.ticks_max = ES__TICKS_MAX;
    return loop;
}

/* The first field of the loop that must be 0. */
static const char *field_to_leave(const es_loop_config *loop)
{
    const struct {
        const char *name;
        bool is_set;
    } fields[] = {
            {"step", loop->step != ES_STEP_FIXED},
            {"catch_up", loop->catch_up != ES_CATCH_UP_DROP},
            {"alpha_below_one", loop->alpha_below_one},
            {"ticks_max", loop->ticks_max != 0},
            {"catch_up_max_ns", loop->catch_up_max_ns != 0},
            {"delay_ticks", loop->delay_ticks != 0.0},
            {"lead_ticks", loop->lead_ticks != 0},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
        if (fields[i].is_set) {
            return fields[i].name;
        }
    }
    return NULL;
}

static es_result check_own(const es_threaded_config *config, es_error *error)
{
    double delay = config->delay_ticks;
    int32_t lead = lead_of(config);
    if (!(delay == ES_THREADED_NO_DELAY || (delay >= 0.0 && delay <= 8.0))) {
        return es__refuse(error, "delay_ticks", "must be from 0 to 8, or ES_THREADED_NO_DELAY");
    }
    if (lead < 1 || lead > LEAD_MOST) {
        return es__refuse(error, "lead_ticks", "must be 1 or 2, or 0 for 1");
    }
    if (config->ahead_max_ns < 0 || config->ahead_max_ns > AHEAD_MOST_NS) {
        return es__refuse(error, "ahead_max_ns", "must be from 0 to 1 s");
    }
    return ES_OK;
}

es_result es__threaded_check(const es_threaded_config *config, es_error *error)
{
    es_result result = check_own(config, error);
    if (result != ES_OK) {
        return result;
    }
    const char *field = field_to_leave(&config->loop);
    if (field != NULL) {
        return es__refuse(error, field, "must be 0 in the loop of es_threaded");
    }
    es_loop_config loop = es__threaded_loop_of(config);
    result = es__loop_config_validate(&loop, error);
    if (result == ES_OK && !es__lead_is_allowed(loop.tick_rate, lead_of(config))) {
        return es__refuse(error, "lead_ticks", "must be a day or less at tick_rate");
    }
    return result;
}

/* --- memory ----------------------------------------------------------------------------------- */

size_t es_threaded_memory_size(const es_threaded_config *config)
{
    es__exchange_config states = states_of(config);
    es__exchange_config from_render = posts_of(sizeof(es__render_post));
    es__exchange_config from_ticks = posts_of(sizeof(es__ticks_post));
    size_t posts = es__exchange_memory_size(&from_render) + es__exchange_memory_size(&from_ticks);
    size_t size = es__exchange_memory_size(&states);
    return size == 0 || size > SIZE_MAX - posts ? 0 : size + posts;
}

static es_result make_exchanges(es_threaded *threaded, const es_threaded_config *config,
        unsigned char *memory, size_t memory_size, es_error *error)
{
    es__exchange_config states = states_of(config);
    es__exchange_config from_render = posts_of(sizeof(es__render_post));
    es__exchange_config from_ticks = posts_of(sizeof(es__ticks_post));
    size_t render_size = es__exchange_memory_size(&from_render);
    size_t ticks_size = es__exchange_memory_size(&from_ticks);
    if (memory_size < render_size + ticks_size) {
        return es__refuse_as(
                error, ES_ERR_SPACE, "memory_size", "is under es_threaded_memory_size");
    }
    es_result result = es__exchange_init(&threaded->states, &states,
            memory + render_size + ticks_size, memory_size - render_size - ticks_size, error);
    if (result == ES_OK) {
        es__exchange_init(&threaded->from_render, &from_render, memory, render_size, NULL);
        es__exchange_init(
                &threaded->from_ticks, &from_ticks, memory + render_size, ticks_size, NULL);
    }
    return result;
}

es_result es_threaded_init(es_threaded *threaded, const es_threaded_config *config, void *memory,
        size_t memory_size, es_error *error)
{
    if (threaded == NULL || config == NULL || memory == NULL) {
        const char *name = threaded == NULL ? "threaded" : config == NULL ? "config" : "memory";
        return es__refuse(error, name, "is NULL");
    }
    memset(threaded, 0, sizeof *threaded);
    es_result result = es__threaded_check(config, error);
    if (result == ES_OK) {
        result = make_exchanges(threaded, config, memory, memory_size, error);
    }
    if (result != ES_OK) {
        return result;
    }
    es_loop_config loop = es__threaded_loop_of(config);
    es__loop_init(&threaded->loop, &loop, error);
    const es_clock *clock = &threaded->loop.clock;
    if (clock->now_ns == NULL) {
        return es__refuse_as(
                error, ES_ERR_UNSUPPORTED, "clock", "has no now_ns, and the system none");
    }
    threaded->config = *config;
    threaded->lead_ticks = lead_of(config);
    threaded->render.ahead_max_ns = config->ahead_max_ns;
    threaded->render.tick_rate = es__loop_tick_rate(&threaded->loop);
    threaded->render.view = es__exchange_acquire(&threaded->states);
    threaded->ticks.clock = *clock;
    es__ticker_init(&threaded->ticks.ticker, es__loop_tick_rate(&threaded->loop), ES__TICKS_MAX);
    es__ticker_set_lead(&threaded->ticks.ticker, lead_of(config));
    threaded->initialised = true;
    es__restart_line(threaded, 0);
    es__post_content(threaded);
    return ES_OK;
}
