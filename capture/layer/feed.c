/* SPDX-License-Identifier: Zlib */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "capture/layer/feed.h"

#include "capture/layer/log.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As in wayland-util.h, whose layout is fixed. */
typedef struct message {
    const char *name, *signature;
    const struct interface *const *types;
} message;
typedef struct interface {
    const char *name;
    int version, method_count;
    const message *methods;
    int event_count;
    const message *events;
} interface;
typedef struct proxy proxy; /* struct wl_proxy, and whatever begins with one */
typedef struct queue queue;

enum { GET_REGISTRY = 1, BIND = 0, DESTROY = 0, FEEDBACK = 1 }; /* numbers of requests */
enum { ASKED_MAX = 64 }; /* without an answer: about a second; some compositors never answer */

static const interface *const no_types[7];
static const message feedback_events[] = {{"sync_output", "o", no_types},
        {"presented", "uuuuuuu", no_types}, {"discarded", "", no_types}};
static const interface feedback_interface = {
        "wp_presentation_feedback", 1, 0, NULL, 3, feedback_events};
static const interface *const feedback_types[] = {NULL, &feedback_interface};
static const message presentation_requests[] = {
        {"destroy", "", no_types}, {"feedback", "on", feedback_types}};
static const message presentation_events[] = {{"clock_id", "u", no_types}};
static const interface presentation_interface = {
        "wp_presentation", 1, 2, presentation_requests, 1, presentation_events};

/* libwayland-client, of the program. */
#define FUNCTIONS(X)                                                                               \
    X(queue *, wl_display_create_queue, struct wl_display *)                                       \
    X(void, wl_event_queue_destroy, queue *)                                                       \
    X(int, wl_display_roundtrip_queue, struct wl_display *, queue *)                               \
    X(int, wl_display_dispatch_queue_pending, struct wl_display *, queue *)                        \
    X(proxy *, wl_proxy_create_wrapper, void *)                                                    \
    X(void, wl_proxy_wrapper_destroy, void *)                                                      \
    X(void, wl_proxy_set_queue, proxy *, queue *)                                                  \
    X(proxy *, wl_proxy_marshal_constructor, proxy *, uint32_t, const interface *, ...)            \
    X(proxy *, wl_proxy_marshal_constructor_versioned, proxy *, uint32_t, const interface *,       \
            uint32_t, ...)                                                                         \
    X(void, wl_proxy_marshal, proxy *, uint32_t, ...)                                              \
    X(int, wl_proxy_add_listener, proxy *, const void *, void *)                                   \
    X(void, wl_proxy_destroy, proxy *)
#define MEMBER(result, name, ...) result (*name)(__VA_ARGS__);
#define NAME(result, name, ...)   #name,

typedef struct library {
    FUNCTIONS(MEMBER)
    const interface *registry;
} library;
static const char *const names[] = {FUNCTIONS(NAME)};

typedef struct asked {
    layer_feed *feed;
    proxy *feedback; /* NULL: this place is free */
    int64_t row;
} asked;

struct layer_feed {
    pthread_mutex_t lock;
    library wl;
    struct wl_display *display;
    struct wl_surface *surface;
    queue *queue;
    proxy *wrapper, *registry, *presentation; /* the display, with our queue */
    bool is_monotonic;
    asked asked[ASKED_MAX];
};

/* --- events ----------------------------------------------------------------------------------- */

static void ignore_object(void *data, proxy *from, proxy *output)
{
    (void)data, (void)from, (void)output;
}

static void discarded(void *data, proxy *feedback)
{
    asked *one = data;
    one->feed->wl.wl_proxy_destroy(feedback);
    one->feedback = NULL;
}

static void presented(void *data, proxy *feedback, uint32_t s_high, uint32_t s_low, uint32_t ns,
        uint32_t refresh, uint32_t count_high, uint32_t count_low, uint32_t flags)
{
    const asked *one = data;
    (void)refresh, (void)count_high, (void)count_low, (void)flags;
    if (s_high == 0) { /* of 2^32 s */
        layer_log_shown(one->row, (int64_t)s_low * 1000000000 + ns);
    }
    discarded(data, feedback);
}

static void clock_id(void *data, proxy *from, uint32_t id)
{
    (void)from;
    ((layer_feed *)data)->is_monotonic = id == CLOCK_MONOTONIC;
}

static void (*const clock_listener[])(void *, proxy *, uint32_t) = {clock_id};

static const struct {
    void (*sync_output)(void *, proxy *, proxy *);
    void (*presented)(
            void *, proxy *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t);
    void (*discarded)(void *, proxy *);
} feedback_listener = {ignore_object, presented, discarded};

static void global(void *data, proxy *registry, uint32_t number, const char *name, uint32_t version)
{
    layer_feed *feed = data;
    const interface *wanted = &presentation_interface;
    (void)version;
    if (feed->presentation == NULL && strcmp(name, wanted->name) == 0) {
        feed->presentation = feed->wl.wl_proxy_marshal_constructor_versioned(
                registry, BIND, wanted, 1, number, wanted->name, 1, NULL);
        if (feed->presentation != NULL) {
            feed->wl.wl_proxy_add_listener(feed->presentation, clock_listener, feed);
        }
    }
}

static void global_remove(void *data, proxy *registry, uint32_t number)
{
    (void)data, (void)registry, (void)number;
}

static const struct {
    void (*global)(void *, proxy *, uint32_t, const char *, uint32_t);
    void (*global_remove)(void *, proxy *, uint32_t);
} registry_listener = {global, global_remove};

/* --- a feed ----------------------------------------------------------------------------------- */

/* NOLOAD: proxies of the program are of no use in another copy of the library. */
static bool load(library *wl)
{
    void *handle = dlopen("libwayland-client.so.0", RTLD_NOLOAD | RTLD_LAZY);
    bool has_all = handle != NULL;
    void *functions[sizeof names / sizeof names[0]] = {NULL};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && has_all; ++i) {
        functions[i] = dlsym(handle, names[i]);
        has_all = functions[i] != NULL;
    }
    if (has_all) { /* POSIX: a pointer of dlsym has the bits of a function's */
        memcpy(wl, functions, sizeof functions);
        wl->registry = dlsym(handle, "wl_registry_interface");
    }
    return has_all && wl->registry != NULL;
}

static void free_feed(layer_feed *feed)
{
    const library *wl = &feed->wl;
    for (size_t i = 0; i < ASKED_MAX; ++i) {
        if (feed->asked[i].feedback != NULL) {
            wl->wl_proxy_destroy(feed->asked[i].feedback);
        }
    }
    if (feed->presentation != NULL) {
        wl->wl_proxy_marshal(feed->presentation, DESTROY);
        wl->wl_proxy_destroy(feed->presentation);
    }
    if (feed->registry != NULL) {
        wl->wl_proxy_destroy(feed->registry);
    }
    if (feed->wrapper != NULL) {
        wl->wl_proxy_wrapper_destroy(feed->wrapper);
    }
    if (feed->queue != NULL) {
        wl->wl_event_queue_destroy(feed->queue);
    }
    pthread_mutex_destroy(&feed->lock);
    free(feed);
}

layer_feed *layer_feed_begin(struct wl_display *display, struct wl_surface *surface)
{
    layer_feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL || !load(&feed->wl)) {
        free(feed);
        return NULL;
    }
    const library *wl = &feed->wl;
    pthread_mutex_init(&feed->lock, NULL);
    feed->display = display;
    feed->surface = surface;
    feed->queue = wl->wl_display_create_queue(display);
    feed->wrapper = feed->queue != NULL ? wl->wl_proxy_create_wrapper(display) : NULL;
    if (feed->wrapper != NULL) {
        wl->wl_proxy_set_queue(feed->wrapper, feed->queue);
        feed->registry =
                wl->wl_proxy_marshal_constructor(feed->wrapper, GET_REGISTRY, wl->registry, NULL);
    }
    if (feed->registry != NULL) {
        wl->wl_proxy_add_listener(feed->registry, &registry_listener, feed);
        wl->wl_display_roundtrip_queue(display, feed->queue); /* the globals, */
        wl->wl_display_roundtrip_queue(display, feed->queue); /* and clock_id */
    }
    if (!feed->is_monotonic) {
        free_feed(feed);
        return NULL;
    }
    return feed;
}

int layer_feed_ask(layer_feed *feed)
{
    int found = -1;
    pthread_mutex_lock(&feed->lock);
    for (int i = 0; i < ASKED_MAX && found < 0; ++i) {
        asked *one = &feed->asked[i];
        if (one->feedback == NULL) {
            *one = (asked){.feed = feed, .row = -1};
            one->feedback = feed->wl.wl_proxy_marshal_constructor(
                    feed->presentation, FEEDBACK, &feedback_interface, feed->surface, NULL);
            if (one->feedback == NULL) {
                break;
            }
            feed->wl.wl_proxy_add_listener(one->feedback, &feedback_listener, one);
            found = i;
        }
    }
    pthread_mutex_unlock(&feed->lock);
    return found;
}

void layer_feed_answer_to(layer_feed *feed, int place, int64_t row)
{
    pthread_mutex_lock(&feed->lock);
    feed->asked[place].row = row;
    pthread_mutex_unlock(&feed->lock);
}

void layer_feed_take(layer_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->wl.wl_display_dispatch_queue_pending(feed->display, feed->queue);
    pthread_mutex_unlock(&feed->lock);
}

void layer_feed_end(layer_feed *feed)
{
    if (feed != NULL && layer_log_is_own()) { /* a forked child shares the connection */
        feed->wl.wl_display_roundtrip_queue(feed->display, feed->queue);
        free_feed(feed);
    }
}
