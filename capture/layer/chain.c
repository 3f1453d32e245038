/* SPDX-License-Identifier: Zlib */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "capture/layer/chain.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { ASKED_MAX = 64 }; /* presents without a screen time: about a second */

static const uint64_t wait_ns = 20000000; /* so long may the end of a chain wait for its thread */

struct layer_chain {
    layer_times times;
    VkSwapchainKHR handle;
    layer_feed *feed;
    int64_t number;
    layer_moment start; /* of the frame */
    uint64_t id;        /* the last one that the layer made */
    int asked;          /* of the feed, for the present under way; negative: nothing */
    /* presents with ids and their rows; GOOGLE: at id % ASKED_MAX, else at their number */
    struct {
        uint64_t id;
        int64_t row;
    } presents[ASKED_MAX];
    /* the thread that waits */
    bool has_thread, stops;
    pthread_t thread;
    pthread_mutex_t lock; /* of the below and of stops and presents */
    pthread_cond_t changed;
    uint64_t put, taken;
};

static _Thread_local int64_t blocked_ns;

layer_moment layer_now(void)
{
    return (layer_moment){&blocked_ns, layer_clock_ns(CLOCK_MONOTONIC),
            layer_clock_ns(CLOCK_THREAD_CPUTIME_ID), blocked_ns};
}

void layer_blocked_since(int64_t from_ns)
{
    blocked_ns += layer_clock_ns(CLOCK_MONOTONIC) - from_ns;
}

/* vkWaitForPresentKHR returns when the image is shown. The ids come when present has returned: one
 * that was shown before is stamped too late. */
static void *wait_for_presents(void *data)
{
    layer_chain *c = data;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->put == c->taken && !c->stops) {
            pthread_cond_wait(&c->changed, &c->lock);
        }
        if (c->stops) {
            break;
        }
        uint64_t id = c->presents[c->taken % ASKED_MAX].id;
        int64_t row = c->presents[c->taken % ASKED_MAX].row;
        pthread_mutex_unlock(&c->lock);
        VkResult result = c->times.wait(c->times.device, c->handle, id, wait_ns);
        layer_log_shown(
                result >= 0 && result != VK_TIMEOUT ? row : -1, layer_clock_ns(CLOCK_MONOTONIC));
        pthread_mutex_lock(&c->lock);
        c->taken += result != VK_TIMEOUT;
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

layer_chain *layer_chain_begin(const layer_times *times, VkSwapchainKHR handle, layer_feed *feed)
{
    layer_chain *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->times = *times;
    c->handle = handle;
    c->feed = times->google ? NULL : feed;
    c->number = layer_log_chain();
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (times->waits && c->feed == NULL) {
        sigset_t all, before; /* the program's handlers run on its own threads */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        c->has_thread = pthread_create(&c->thread, NULL, wait_for_presents, c) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    c->start = layer_now();
    return c;
}

bool layer_chain_needs_id(const layer_chain *c)
{
    return (c->times.google || c->has_thread) && !c->times.theirs;
}

uint64_t layer_chain_id(layer_chain *c)
{
    return ++c->id;
}

void layer_chain_submit(layer_chain *c)
{
    c->asked = c->feed != NULL ? layer_feed_ask(c->feed) : -1;
}

void layer_chain_take(layer_chain *c, const VkPastPresentationTimingGOOGLE *past, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = past[i].presentID % ASKED_MAX;
        bool shown = past[i].actualPresentTime > 0 && past[i].actualPresentTime <= INT64_MAX;
        if (past[i].presentID != 0 && c->presents[at].id == past[i].presentID && shown) {
            layer_log_shown(c->presents[at].row, (int64_t)past[i].actualPresentTime);
        }
    }
}

static void read_past(layer_chain *c)
{
    VkPastPresentationTimingGOOGLE past[16];
    uint32_t count = sizeof past / sizeof past[0];
    if (c->times.google && !c->times.theirs
            && c->times.past(c->times.device, c->handle, &count, past) >= 0) {
        layer_chain_take(c, past, count);
    }
}

void layer_chain_returned(layer_chain *c, const layer_moment *submit, const layer_moment *returned,
        VkResult result, uint64_t id)
{
    bool same = submit->thread == c->start.thread; /* else another thread presented before */
    const layer_row row = {c->number, c->start.ns, submit->ns, returned->ns,
            same ? submit->cpu_ns - c->start.cpu_ns : -1,
            same ? submit->blocked_ns - c->start.blocked_ns : -1};
    int64_t number = result >= 0 ? layer_log_row(&row) : -1;
    c->start = result >= 0 ? *returned : c->start;
    if (c->asked >= 0) {
        layer_feed_answer_to(c->feed, c->asked, number);
    }
    if (c->feed != NULL) {
        layer_feed_take(c->feed);
    }
    if (c->times.google && id != 0) {
        c->presents[id % ASKED_MAX].id = id;
        c->presents[id % ASKED_MAX].row = number;
    } else if (c->has_thread && id != 0 && result >= 0) {
        pthread_mutex_lock(&c->lock);
        if (c->put - c->taken < ASKED_MAX) {
            c->presents[c->put % ASKED_MAX].id = id;
            c->presents[c->put % ASKED_MAX].row = number;
            c->put += 1;
            pthread_cond_signal(&c->changed);
        }
        pthread_mutex_unlock(&c->lock);
    }
    read_past(c);
}

/* In a forked child there is no such thread. */
void layer_chain_stop(layer_chain *c)
{
    if (c->has_thread && layer_log_is_own()) {
        pthread_mutex_lock(&c->lock);
        c->stops = true;
        pthread_cond_signal(&c->changed);
        pthread_mutex_unlock(&c->lock);
        pthread_join(c->thread, NULL);
    }
    c->has_thread = false;
}

void layer_chain_retire(layer_chain *c)
{
    read_past(c);
    layer_chain_stop(c);
}

void layer_chain_free(layer_chain *c)
{
    if (layer_log_is_own()) { /* else the destruction would wait for the thread */
        pthread_mutex_destroy(&c->lock);
        pthread_cond_destroy(&c->changed);
    }
    free(c);
}
