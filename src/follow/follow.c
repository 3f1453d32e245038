/* SPDX-License-Identifier: Zlib
 *
 * The handle of a follower, and content that follows it.
 */
#include "follow.h"

#include "loop/loop.h"

/* Readings that wait; a power of two. */
#define WAITING 64

struct es_follower {
    es__queue waiting;
    es__follower line; /* first of what the second thread does not touch */
    double change_max;
    int64_t jump_ns, behind_ns;
    bool placed;        /* content has been at the other clock */
    bool leads;         /* the speed of content is by this */
    int64_t present_ns; /* of the frame before */
    int64_t (*tape)(void *user, int64_t value);
    void *tape_user;
};

typedef struct reading {
    int64_t other_ns, read_ns;
} reading;

static es_result check_follower(const es_follower_config *config, es__error *error)
{
    const es__rule rules[] = {
            {config->noise != ES_FOLLOW_LATE && config->noise != ES_FOLLOW_BOTH, "noise",
                    "must be a value of es_follow_noise"},
            {!(config->rate_error_max >= 0 && config->rate_error_max <= 0.1), "rate_error_max",
                    "must be 0 to 0.1"},
            {!(config->speed_change_max >= 0 && config->speed_change_max <= 0.5),
                    "speed_change_max", "must be 0 to 0.5"},
            {config->jump_ns < 0, "jump_ns", "must be 0 or more"},
    };
    return ES__REFUSE_BROKEN(error, rules);
}

es_follower *es_follower_create(const es_follower_config *config)
{
    const es_follower_config defaults = {.noise = ES_FOLLOW_LATE};
    config = config != NULL ? config : &defaults;
    es__error error = {NULL, NULL};
    if (!es__fail_if(check_follower(config, &error), "es_follower_create", &error)) {
        return NULL;
    }
    size_t own = (sizeof(es_follower) + ES__LINE - 1) / ES__LINE * ES__LINE;
    es_follower *follower = es__allocate(own + es__queue_size(WAITING, sizeof(reading)));
    if (follower != NULL) {
        es__queue_init(&follower->waiting, WAITING, sizeof(reading), (char *)follower + own);
        es__follower_init(&follower->line, config);
        follower->change_max = config->speed_change_max > 0 ? config->speed_change_max : 0.01;
        follower->tape = config->tape;
        follower->tape_user = config->tape_user;
        follower->jump_ns = config->jump_ns > 0 ? config->jump_ns : 20 * ES_NS_PER_MS;
    }
    return follower;
}

void es_follower_destroy(es_follower *follower)
{
    es__free(follower);
}

bool es_follower_add(es_follower *follower, int64_t other_ns, int64_t read_ns)
{
    const reading r = {other_ns, read_ns};
    if (follower == NULL || !es__queue_push(&follower->waiting, &r, 1)) {
        es__fail(follower != NULL ? ES_ERR_FULL : ES_ERR_INVALID, "es_follower_add", NULL);
        return false;
    }
    return true;
}

static int64_t pass(const es_follower *follower, int64_t value)
{
    return follower->tape != NULL ? follower->tape(follower->tape_user, value) : value;
}

static void receive(es_follower *follower)
{
    const reading *r = NULL, none = {0, 0};
    for (uint32_t i = 0;; ++i) {
        r = es__queue_item(&follower->waiting, 0);
        if (i == WAITING || pass(follower, r != NULL) == 0) {
            break;
        }
        const reading taken = r != NULL ? *r : none; /* a replay has its own */
        int64_t other_ns = pass(follower, taken.other_ns);
        es__follower_take(&follower->line, other_ns, pass(follower, taken.read_ns));
        es__queue_drop(&follower->waiting, r != NULL);
    }
}

void es_follower_reset(es_follower *follower)
{
    if (follower != NULL) {
        receive(follower);
        es__follower_forget(&follower->line);
        follower->placed = false;
    }
}

bool es_follower_at(es_follower *follower, int64_t now_ns, int64_t *other_ns)
{
    if (follower != NULL) {
        receive(follower);
    }
    if (follower == NULL || !follower->line.started) {
        const es__error error = {"follower", "has no reading yet"};
        es__fail(ES_ERR_STATE, "es_follower_at", &error);
        return false;
    }
    *other_ns = es__follower_other_ns(&follower->line, now_ns);
    return true;
}

es_follower_status es_follower_get_status(const es_follower *follower)
{
    es_follower_status status = {.rate = 1};
    if (follower != NULL) {
        const es__follower *line = &follower->line;
        status.readings = line->readings;
        status.restarts = line->restarts;
        status.rate = 1 + (line->started ? line->line.drift : 0);
        status.error_ns = (int64_t)line->error_ns;
        status.behind_ns = follower->behind_ns;
    }
    return status;
}

/* --- content ---------------------------------------------------------------------------------- */

static bool run_at(es_loop *loop, double speed)
{
    return es__loop_set_scale(loop, (es__ratio){(uint32_t)(speed * 1e6 + 0.5), 1000000}) == ES_OK;
}

/* The speed of the next frame, and a jump if there must be one. */
static double lead(es_loop *loop, es_follower *follower, int64_t content_ns, int64_t offset_ns)
{
    const es__follower *line = &follower->line;
    const int64_t present_ns = follower->present_ns;
    int64_t other_ns = es__ns_add(es__follower_other_ns(line, present_ns), offset_ns);
    int64_t error_ns = es__ns_between(content_ns, other_ns);
    follower->behind_ns = error_ns;
    if (es__ns_between(line->read_ns, present_ns) > ES__COAST_NS) {
        return 0.0;
    }
    if (error_ns > follower->jump_ns || error_ns < -follower->jump_ns || !follower->placed) {
        es__loop_jump(loop, error_ns);
        follower->placed = true;
        error_ns = 0;
    }
    double frame_ns = (double)es__loop_last_frame_ns(loop);
    return (1 + line->line.drift)
           * (1 + es__follow_change((double)error_ns, frame_ns, follower->change_max));
}

bool es_loop_follow(es_loop *loop, es_follower *follower, int64_t offset_ns)
{
    if (!es__loop_may_follow(loop)) {
        const es__error error = {"loop",
                "has speed_change_max, steps that vary, threads, or ticks that are running"};
        return es__fail(ES_ERR_STATE, "es_loop_follow", &error) == ES_OK;
    }
    if (follower == NULL) {
        return run_at(loop, 1.0);
    }
    int64_t content_ns;
    receive(follower);
    if (!follower->line.started) {
        bool led = follower->leads;
        follower->leads = false;
        return !led || run_at(loop, 1.0);
    }
    if (!es__loop_last_due(loop, &follower->present_ns, &content_ns)) {
        return true; /* no frame yet, or paused */
    }
    follower->leads = true;
    return run_at(loop, lead(loop, follower, content_ns, offset_ns));
}

double es_loop_sound_ratio(const es_loop *loop, double fill, double change_max)
{
    double filled = es__min_f64(es__max_f64(fill, 0), 1); /* NaN: 0 */
    double most = es__min_f64(es__max_f64(change_max, 0), 0.1);
    double speed = 1 + (loop != NULL ? es_loop_get_display(loop).speed_change : 0);
    return (1 + (1 - 2 * filled) * most) / speed;
}
