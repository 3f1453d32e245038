/* SPDX-License-Identifier: Zlib
 *
 * Wayland presentation-time, by libwayland-client. The protocol: presentation-time.xml of
 * wayland-protocols (stable). How readers share a connection: wl_display_prepare_read_queue.
 * commit-timing-v1 and fifo-v1: wayland_timing.h. wlroots rounds a target to the nearest refresh
 * (wlr_commit_timing_v1); the definition says "not before".
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ppoll, dl_iterate_phdr */
#endif

#include "wayland_presentation.h"

#include "wayland_timing.h"

#include <errno.h>
#include <link.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wayland-client.h>

#include "presentation-time-client-protocol.h"

#define MS_NS           INT64_C(1000000)
#define S_NS            INT64_C(1000000000)
#define SAMPLES_MAX     256
#define TRIES           5   /* at reading two clocks at once; one in a few is interrupted */
#define DRIFT_PER_MEGA  500 /* how far clocks drift apart: millionths */
#define SILENT_AFTER    16  /* requests in a row without an answer */
#define SILENT_AGAIN_NS S_NS
#define TARGET_MAX_NS   S_NS /* ahead: a wrong target must not stop the window for long */
#define OFFSET_MAX_NS   (10 * MS_NS)
#define SPREAD_NS       (MS_NS / 5) /* so much may samples of one offset always differ */
#define OFFSET_PAUSE    16

/* ---- The pure parts */

/* Saturating. */
static int64_t ns_add(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b) {
        return INT64_MAX;
    }
    return b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

static int64_t ns_sub(int64_t a, int64_t b)
{
    if (b > 0 && a < INT64_MIN + b) {
        return INT64_MIN;
    }
    return b < 0 && a > INT64_MAX + b ? INT64_MAX : a - b;
}

int64_t es_clock_convert(
        const es_clock_bracket *brackets, int count, int64_t time_ns, int64_t *error_ns)
{
    const es_clock_bracket *best = NULL;
    int64_t width = 0;
    for (int i = 0; i < count; ++i) {
        int64_t this_width = ns_sub(brackets[i].after_ns, brackets[i].before_ns);
        if (this_width >= 0 && (best == NULL || this_width < width)) {
            best = &brackets[i];
            width = this_width;
        }
    }
    int64_t ignored;
    error_ns = error_ns != NULL ? error_ns : &ignored;
    if (best == NULL) {
        *error_ns = INT64_MAX;
        return time_ns;
    }
    int64_t since = ns_sub(best->other_ns, time_ns);
    int64_t apart = since >= 0 ? since : ns_sub(0, since);
    *error_ns = ns_add(width / 2 + width % 2, apart / 1000000 * DRIFT_PER_MEGA);
    *error_ns = ns_add(*error_ns, apart % 1000000 * DRIFT_PER_MEGA / 1000000);
    return ns_sub(ns_add(best->before_ns, width / 2), since);
}

es_present_grade es_wayland_grade(uint32_t flags, bool clock_known)
{
    const uint32_t vsync = WP_PRESENTATION_FEEDBACK_KIND_VSYNC;
    const uint32_t hardware = vsync | WP_PRESENTATION_FEEDBACK_KIND_HW_CLOCK
                              | WP_PRESENTATION_FEEDBACK_KIND_HW_COMPLETION;
    if (!clock_known) {
        return ES_PRESENT_GUESSED;
    }
    if ((flags & hardware) == hardware) {
        return ES_PRESENT_HARDWARE;
    }
    return (flags & vsync) != 0 ? ES_PRESENT_VSYNC : ES_PRESENT_SOFTWARE;
}

int64_t es_wayland_aim(int64_t target_ns, int64_t period_ns, int64_t offset_ns)
{
    return ns_sub(target_ns, period_ns / 4 + offset_ns);
}

void es_wayland_learn(es_wayland_offset *o, int64_t late_ns, int64_t period_ns)
{
    enum { COUNT = sizeof o->late_ns / sizeof *o->late_ns };
    int64_t limit_ns = period_ns > 0 ? 2 * period_ns : OFFSET_MAX_NS;
    int64_t sorted[COUNT];
    int64_t change_ns = o->period_ns - period_ns;
    if ((change_ns > 0 ? change_ns : -change_ns) > period_ns / 64) { /* another display */
        *o = (es_wayland_offset){.period_ns = period_ns};
    }
    if (o->pause > 0) {
        o->pause -= 1;
        return;
    }
    if (period_ns > 0) { /* a frame in time is a quarter late: es_wayland_aim */
        int64_t from = ns_add(late_ns, period_ns / 4);
        late_ns = from >= 0 ? from / period_ns * period_ns : -period_ns;
    }
    o->late_ns[o->count % COUNT] = late_ns;
    o->count += 1;
    if (o->count < COUNT) {
        return;
    }
    o->count = o->count < 2 * COUNT ? o->count : COUNT;
    for (int i = 0; i < COUNT; ++i) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > o->late_ns[i]; --at) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = o->late_ns[i];
    }
    int64_t middle_ns = sorted[COUNT / 2];
    int64_t spread_ns = ns_sub(sorted[COUNT - 1 - COUNT / 3], sorted[COUNT / 3]);
    bool constant = spread_ns <= (middle_ns / 2 > SPREAD_NS ? middle_ns / 2 : SPREAD_NS);
    bool used = constant && middle_ns > 0 && middle_ns <= limit_ns;
    if (!used && o->offset_ns != 0) {
        *o = (es_wayland_offset){.period_ns = period_ns, .pause = OFFSET_PAUSE};
    }
    o->offset_ns = used ? middle_ns : 0;
}

bool es_wayland_owns(const char *library)
{
    return strstr(library, "libvulkan") != NULL || strstr(library, "egl-wayland2") != NULL;
}

uint64_t es_wayland_join(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

const char *es_wayland_status_message(es_wayland_status status)
{
    switch (status) {
    case ES_WAYLAND_OK:
        return "success";
    case ES_WAYLAND_NO_SERVER:
        return "the compositor cannot be reached, is gone or does not answer";
    case ES_WAYLAND_NO_EXTENSION:
        return "the compositor lacks wp_presentation";
    case ES_WAYLAND_NO_MEMORY:
        return "out of memory";
    case ES_WAYLAND_INVALID:
        return "an argument is out of range";
    case ES_WAYLAND_FULL:
        return "too many frames are without an answer";
    case ES_WAYLAND_SILENT:
        return "the compositor does not answer";
    case ES_WAYLAND_NO_TARGETS:
        return "the compositor takes no target times";
    case ES_WAYLAND_OWNED:
        return "a Vulkan or EGL driver may time this surface";
    }
    return "unknown";
}

/* ---- Clocks and waiting */

static int64_t read_clock(clockid_t id)
{
    struct timespec now = {0};
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * S_NS + now.tv_nsec;
}

static int64_t now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

/* Sends what is pending, waits up to the deadline for something to read, reads it, dispatches the
 * queue. Reads only if there is something, so it never waits where poll would not. False: the
 * connection is broken. */
static bool pump(struct wl_display *display, struct wl_event_queue *queue, int64_t deadline_ns)
{
    while (wl_display_prepare_read_queue(display, queue) != 0) {
        if (wl_display_dispatch_queue_pending(display, queue) < 0) {
            return false;
        }
        deadline_ns = 0; /* there was something */
    }
    if (wl_display_flush(display) < 0 && errno != EAGAIN) {
        wl_display_cancel_read(display);
        return false;
    }
    int64_t left_ns = deadline_ns - now_ns();
    left_ns = left_ns > 0 ? left_ns : 0;
    struct pollfd socket = {.fd = wl_display_get_fd(display), .events = POLLIN};
    struct timespec left = {.tv_sec = left_ns / S_NS, .tv_nsec = (long)(left_ns % S_NS)};
    if (ppoll(&socket, 1, &left, NULL) > 0) {
        if (wl_display_read_events(display) < 0) {
            return false;
        }
    } else {
        wl_display_cancel_read(display);
    }
    return wl_display_dispatch_queue_pending(display, queue) >= 0;
}

static void take_done(void *data, struct wl_callback *callback, uint32_t serial)
{
    (void)callback;
    (void)serial;
    *(bool *)data = true;
}

static const struct wl_callback_listener callback_listener = {.done = take_done};

/* The compositor has read what was sent before, and its answers are dispatched. */
static bool round_trip(struct wl_display *display, struct wl_display *wrapper,
        struct wl_event_queue *queue, int64_t deadline_ns)
{
    struct wl_callback *callback = wl_display_sync(wrapper);
    if (callback == NULL) {
        return false;
    }
    bool done = false;
    wl_callback_add_listener(callback, &callback_listener, &done);
    while (!done && now_ns() < deadline_ns && pump(display, queue, deadline_ns)) {
    }
    wl_callback_destroy(callback);
    return done;
}

/* ---- The adapter */

/* One request. The slot is free while feedback is NULL. */
typedef struct request {
    es_wayland_presentation *own;
    struct wp_presentation_feedback *feedback;
    int64_t frame;
    int64_t asked_ns;
    int64_t aim_ns; /* the time given to the compositor; 0: none */
} request;

struct es_wayland_presentation {
    struct wl_display *display;
    struct wl_display *wrapper; /* the display, with our queue */
    struct wl_surface *surface;
    struct wl_event_queue *queue;
    struct wl_registry *registry;
    struct wp_presentation *presentation;
    uint32_t timer_name, fifo_name; /* of the globals; 0: not offered */
    struct wl_proxy *timer, *fifo;  /* NULL: not asked for, or not offered */
    bool uncertain; /* a frame with a target had no answer: it may not have been committed */
    es_wayland_offset offset;
    request requests[ES_WAYLAND_ASKED_MAX];
    es_present samples[SAMPLES_MAX];
    int sample_first, sample_count;
    int64_t timeout_ns;
    int64_t asked_last_ns;
    int unanswered_in_a_row;
    es_wayland_look look;
};

static void end(es_wayland_presentation *own, es_wayland_status why)
{
    if (own->look.status == ES_WAYLAND_OK) {
        own->look.status = why;
    }
}

static void push(es_wayland_presentation *own, es_present sample)
{
    if (own->sample_count == SAMPLES_MAX) {
        own->sample_first = (own->sample_first + 1) % SAMPLES_MAX;
        own->sample_count -= 1;
        own->look.lost += 1;
    }
    own->samples[(own->sample_first + own->sample_count) % SAMPLES_MAX] = sample;
    own->sample_count += 1;
}

/* Measured anew for each time stamp, which costs well under a microsecond: an old measurement
 * would grow worse by up to half a microsecond per millisecond. */
static int64_t convert(clockid_t from, clockid_t to, int64_t stamp_ns, int64_t *error_ns)
{
    if (from == to) {
        *error_ns = 0;
        return stamp_ns;
    }
    es_clock_bracket tries[TRIES];
    for (int i = 0; i < TRIES; ++i) {
        tries[i].before_ns = read_clock(to);
        tries[i].other_ns = read_clock(from);
        tries[i].after_ns = read_clock(to);
    }
    return es_clock_convert(tries, TRIES, stamp_ns, error_ns);
}

/* A frame that was committed too late for its target says nothing, unless it was too early. */
static void learn(es_wayland_presentation *own, const request *one, const es_present *sample)
{
    int64_t late_ns = ns_sub(sample->shown_ns, one->aim_ns);
    bool in_time = one->asked_ns <= one->aim_ns || late_ns < own->offset.offset_ns;
    if (one->aim_ns != 0 && in_time && sample->grade != ES_PRESENT_GUESSED) {
        es_wayland_learn(&own->offset, late_ns, sample->refresh_ns);
        own->look.offset_ns = own->offset.offset_ns;
    }
}

static void answer(request *one, es_present sample)
{
    es_wayland_presentation *own = one->own;
    sample.frame = one->frame;
    wp_presentation_feedback_destroy(one->feedback);
    one->feedback = NULL;
    own->unanswered_in_a_row = 0;
    own->uncertain = false; /* this commit came later, and took the target along */
    own->look.on_their_way -= 1;
    own->look.presented += !sample.discarded;
    own->look.discarded += sample.discarded;
    push(own, sample);
}

static void take_sync_output(
        void *data, struct wp_presentation_feedback *feedback, struct wl_output *output)
{
    (void)data;
    (void)feedback;
    (void)output;
}

static void take_presented(void *data, struct wp_presentation_feedback *feedback, uint32_t s_high,
        uint32_t s_low, uint32_t nanoseconds, uint32_t refresh_ns, uint32_t sequence_high,
        uint32_t sequence_low, uint32_t flags)
{
    (void)feedback;
    request *one = data;
    es_wayland_presentation *own = one->own;
    es_present sample = {.reported_ns = now_ns(),
            .refresh_ns = refresh_ns,
            .variable = refresh_ns == 0, /* says presentation-time.xml, of event "presented" */
            .sequence = es_wayland_join(sequence_high, sequence_low),
            .grade = es_wayland_grade(flags, own->look.clock_known)};
    own->look.refresh_ns = refresh_ns;
    uint64_t seconds = es_wayland_join(s_high, s_low);
    bool fits = seconds < (uint64_t)(INT64_MAX / S_NS) && nanoseconds < S_NS;
    if (own->look.clock_known && fits) {
        sample.shown_ns = convert((clockid_t)own->look.clock_id, CLOCK_MONOTONIC,
                (int64_t)seconds * S_NS + nanoseconds, &own->look.clock_error_ns);
    } else {
        sample.shown_ns = sample.reported_ns;
        sample.grade = ES_PRESENT_GUESSED;
    }
    learn(own, one, &sample);
    answer(one, sample);
}

static void take_discarded(void *data, struct wp_presentation_feedback *feedback)
{
    (void)feedback;
    answer(data, (es_present){.reported_ns = now_ns(), .discarded = true});
}

static const struct wp_presentation_feedback_listener feedback_listener = {
        .sync_output = take_sync_output,
        .presented = take_presented,
        .discarded = take_discarded,
};

static void take_clock_id(void *data, struct wp_presentation *presentation, uint32_t clock_id)
{
    (void)presentation;
    es_wayland_presentation *own = data;
    struct timespec now;
    own->look.clock_id = clock_id;
    own->look.clock_known = clock_gettime((clockid_t)clock_id, &now) == 0;
}

static const struct wp_presentation_listener presentation_listener = {.clock_id = take_clock_id};

static void take_global(void *data, struct wl_registry *registry, uint32_t name,
        const char *interface, uint32_t version)
{
    (void)version;
    es_wayland_presentation *own = data;
    if (own->presentation == NULL && strcmp(interface, wp_presentation_interface.name) == 0) {
        own->presentation = wl_registry_bind(registry, name, &wp_presentation_interface, 1);
        if (own->presentation != NULL) {
            wp_presentation_add_listener(own->presentation, &presentation_listener, own);
        }
    } else if (strcmp(interface, es_timer_manager_interface.name) == 0) {
        own->timer_name = name;
    } else if (strcmp(interface, es_fifo_manager_interface.name) == 0) {
        own->fifo_name = name;
    }
}

static void take_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
    (void)data;
    (void)registry;
    (void)name;
}

static const struct wl_registry_listener registry_listener = {
        .global = take_global, .global_remove = take_global_remove};

/* The object goes on this side; the protocol has no request for it, and libwayland swallows an
 * answer that comes late. */
static void give_up_old(es_wayland_presentation *own)
{
    int64_t before_ns = now_ns() - own->timeout_ns;
    for (int i = 0; own->look.on_their_way > 0 && i < ES_WAYLAND_ASKED_MAX; ++i) {
        request *one = &own->requests[i];
        if (one->feedback != NULL && one->asked_ns < before_ns) {
            wp_presentation_feedback_destroy(one->feedback);
            one->feedback = NULL;
            own->look.on_their_way -= 1;
            own->look.unanswered += 1;
            own->unanswered_in_a_row += 1;
            own->uncertain = own->uncertain || one->aim_ns != 0;
        }
    }
}

static void take_news(es_wayland_presentation *own, int64_t deadline_ns)
{
    if (own->look.status == ES_WAYLAND_OK && !pump(own->display, own->queue, deadline_ns)) {
        end(own, ES_WAYLAND_NO_SERVER);
    }
    give_up_old(own);
}

/* ---- Opening */

static es_wayland_status start(es_wayland_presentation *own)
{
    own->queue = wl_display_create_queue(own->display);
    own->wrapper = wl_proxy_create_wrapper(own->display);
    if (own->queue == NULL || own->wrapper == NULL) {
        return ES_WAYLAND_NO_MEMORY;
    }
    wl_proxy_set_queue((struct wl_proxy *)own->wrapper, own->queue);
    own->registry = wl_display_get_registry(own->wrapper);
    if (own->registry == NULL) {
        return ES_WAYLAND_NO_MEMORY;
    }
    wl_registry_add_listener(own->registry, &registry_listener, own);
    int64_t deadline_ns = now_ns() + own->timeout_ns;
    if (!round_trip(own->display, own->wrapper, own->queue, deadline_ns)) {
        return ES_WAYLAND_NO_SERVER;
    }
    if (own->presentation == NULL) {
        return ES_WAYLAND_NO_EXTENSION;
    }
    /* the clock comes with the binding */
    bool answered = round_trip(own->display, own->wrapper, own->queue, deadline_ns);
    return answered ? ES_WAYLAND_OK : ES_WAYLAND_NO_SERVER;
}

es_wayland_presentation *es_wayland_presentation_open(struct wl_display *display,
        struct wl_surface *surface, int timeout_ms, es_wayland_status *status)
{
    es_wayland_status ignored;
    status = status != NULL ? status : &ignored;
    if (display == NULL || surface == NULL || timeout_ms < 1 || timeout_ms > 60000) {
        *status = ES_WAYLAND_INVALID;
        return NULL;
    }
    es_wayland_presentation *own = calloc(1, sizeof *own);
    if (own == NULL) {
        *status = ES_WAYLAND_NO_MEMORY;
        return NULL;
    }
    own->display = display;
    own->surface = surface;
    own->timeout_ns = timeout_ms * MS_NS;
    *status = start(own);
    if (*status != ES_WAYLAND_OK) {
        es_wayland_presentation_close(own);
        return NULL;
    }
    return own;
}

/* Destroys an object of commit-timing or fifo here and in the compositor. */
static void drop(struct wl_proxy **object, uint32_t destroy)
{
    if (*object != NULL) {
        wl_proxy_marshal_flags(
                *object, destroy, NULL, wl_proxy_get_version(*object), WL_MARSHAL_FLAG_DESTROY);
        *object = NULL;
    }
}

void es_wayland_presentation_close(es_wayland_presentation *presentation)
{
    es_wayland_presentation *own = presentation;
    if (own == NULL) {
        return;
    }
    for (int i = 0; i < ES_WAYLAND_ASKED_MAX; ++i) {
        if (own->requests[i].feedback != NULL) {
            wp_presentation_feedback_destroy(own->requests[i].feedback);
        }
    }
    drop(&own->timer, ES_TIMER_DESTROY);
    drop(&own->fifo, ES_FIFO_DESTROY);
    if (own->presentation != NULL) {
        wp_presentation_destroy(own->presentation);
    }
    if (own->registry != NULL) {
        wl_registry_destroy(own->registry);
    }
    if (own->wrapper != NULL) {
        wl_proxy_wrapper_destroy(own->wrapper);
    }
    if (own->queue != NULL) {
        wl_event_queue_destroy(own->queue);
    }
    free(own);
}

/* ---- In use */

static request *free_slot(es_wayland_presentation *own)
{
    for (int i = 0; i < ES_WAYLAND_ASKED_MAX; ++i) {
        if (own->requests[i].feedback == NULL) {
            return &own->requests[i];
        }
    }
    return NULL;
}

/* State of the surface's next commit. */
static void ask(es_wayland_presentation *own, request *one, int64_t target_ns)
{
    int64_t aim_ns = es_wayland_aim(target_ns, own->look.refresh_ns, own->offset.offset_ns);
    bool has_target = own->timer != NULL && target_ns != 0 && own->look.presented > 0
                      && !own->uncertain && aim_ns > one->asked_ns
                      && aim_ns - one->asked_ns <= TARGET_MAX_NS;
    if (has_target) {
        int64_t error_ns;
        int64_t stamp_ns =
                convert(CLOCK_MONOTONIC, (clockid_t)own->look.clock_id, aim_ns, &error_ns);
        uint64_t seconds = (uint64_t)(stamp_ns / S_NS);
        wl_proxy_marshal_flags(own->timer, ES_TIMER_SET, NULL, 1, 0, (uint32_t)(seconds >> 32),
                (uint32_t)seconds, (uint32_t)(stamp_ns % S_NS));
        one->aim_ns = aim_ns;
        own->look.targets += 1;
    }
    if (own->fifo != NULL) {
        wl_proxy_marshal_flags(own->fifo, ES_FIFO_SET, NULL, 1, 0);
        wl_proxy_marshal_flags(own->fifo, ES_FIFO_WAIT, NULL, 1, 0);
    }
}

es_wayland_status es_wayland_presentation_before_commit(
        es_wayland_presentation *presentation, int64_t frame)
{
    return es_wayland_presentation_before_commit_at(presentation, frame, 0);
}

es_wayland_status es_wayland_presentation_before_commit_at(
        es_wayland_presentation *presentation, int64_t frame, int64_t target_ns)
{
    es_wayland_presentation *own = presentation;
    take_news(own, 0);
    if (own->look.status != ES_WAYLAND_OK) {
        return own->look.status;
    }
    int64_t now = now_ns();
    bool silent = own->unanswered_in_a_row >= SILENT_AFTER;
    if (silent && now - own->asked_last_ns < SILENT_AGAIN_NS) {
        own->look.not_requested += 1;
        return ES_WAYLAND_SILENT;
    }
    request *one = free_slot(own);
    if (one == NULL) {
        own->look.not_requested += 1;
        return ES_WAYLAND_FULL;
    }
    *one = (request){.own = own, .frame = frame, .asked_ns = now};
    one->feedback = wp_presentation_feedback(own->presentation, own->surface);
    if (one->feedback == NULL) {
        return ES_WAYLAND_NO_MEMORY;
    }
    wp_presentation_feedback_add_listener(one->feedback, &feedback_listener, one);
    ask(own, one, target_ns);
    own->asked_last_ns = now;
    own->look.requested += 1;
    own->look.on_their_way += 1;
    return ES_WAYLAND_OK;
}

int es_wayland_presentation_poll(
        es_wayland_presentation *presentation, es_present *samples, int max)
{
    take_news(presentation, 0);
    int count = 0;
    while (count < max && presentation->sample_count > 0) {
        samples[count++] = presentation->samples[presentation->sample_first];
        presentation->sample_first = (presentation->sample_first + 1) % SAMPLES_MAX;
        presentation->sample_count -= 1;
    }
    return count;
}

bool es_wayland_presentation_wait(es_wayland_presentation *presentation, int64_t timeout_ns)
{
    int64_t start_ns = now_ns();
    int64_t limit_ns = timeout_ns < INT64_MAX - start_ns ? timeout_ns : INT64_MAX - start_ns;
    do {
        take_news(presentation, start_ns + limit_ns);
        if (presentation->sample_count > 0) {
            return true;
        }
    } while (presentation->look.status == ES_WAYLAND_OK && now_ns() - start_ns < limit_ns);
    return false;
}

es_wayland_look es_wayland_presentation_look(const es_wayland_presentation *presentation)
{
    return presentation->look;
}

/* ---- Targets */

static int find_owner(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(bool *)data = *(bool *)data || es_wayland_owns(info->dlpi_name);
    return 0;
}

/* The surface's object of a global; the global's own object is not needed again. */
static struct wl_proxy *get_object(es_wayland_presentation *own, uint32_t name,
        const struct wl_interface *manager_interface, const struct wl_interface *interface)
{
    struct wl_proxy *manager =
            name != 0 ? wl_registry_bind(own->registry, name, manager_interface, 1) : NULL;
    struct wl_proxy *object = NULL;
    if (manager != NULL) {
        object = wl_proxy_marshal_flags(
                manager, ES_TIMING_MANAGER_GET, interface, 1, 0, NULL, own->surface);
        drop(&manager, ES_TIMING_MANAGER_DESTROY);
    }
    return object;
}

es_wayland_status es_wayland_presentation_obey(es_wayland_presentation *presentation)
{
    es_wayland_presentation *own = presentation;
    bool owned = false;
    if (own->timer != NULL) {
        return ES_WAYLAND_OK;
    }
    if (own->timer_name == 0 || !own->look.clock_known) {
        return ES_WAYLAND_NO_TARGETS;
    }
    dl_iterate_phdr(find_owner, &owned);
    if (owned) {
        return ES_WAYLAND_OWNED;
    }
    own->timer = get_object(own, own->timer_name, &es_timer_manager_interface, &es_timer_interface);
    if (own->timer == NULL) {
        return ES_WAYLAND_NO_MEMORY;
    }
    own->fifo = get_object(own, own->fifo_name, &es_fifo_manager_interface, &es_fifo_interface);
    return ES_WAYLAND_OK;
}

es_targets es_wayland_presentation_targets(const es_wayland_presentation *presentation)
{
    es_targets targets = {.times = presentation->timer != NULL};
    if (targets.times) {
        int64_t offset_ns = presentation->offset.offset_ns; /* in steps: it changes by some us */
        targets.deadline_ns = (offset_ns + SPREAD_NS - 1) / SPREAD_NS * SPREAD_NS;
        targets.ahead_ns = 2 * presentation->look.refresh_ns;
    }
    return targets;
}

/* ---- Is there a seat? */

static void take_seat(void *data, struct wl_registry *registry, uint32_t name,
        const char *interface, uint32_t version)
{
    (void)registry;
    (void)name;
    (void)version;
    if (strcmp(interface, wl_seat_interface.name) == 0) {
        *(bool *)data = true;
    }
}

static const struct wl_registry_listener seat_listener = {
        .global = take_seat, .global_remove = take_global_remove};

es_wayland_seat_state es_wayland_seat(const char *display_name, int timeout_ms)
{
    /* wl_display_connect takes that socket before it looks at any name, and unsets the variable */
    if (getenv("WAYLAND_SOCKET") != NULL) {
        return ES_WAYLAND_SEAT_NO_SERVER;
    }
    struct wl_display *display = wl_display_connect(display_name);
    if (display == NULL) {
        return ES_WAYLAND_SEAT_NO_SERVER;
    }
    bool seat = false;
    bool answered = false;
    struct wl_event_queue *queue = wl_display_create_queue(display);
    struct wl_display *wrapper = wl_proxy_create_wrapper(display);
    if (queue != NULL && wrapper != NULL) {
        wl_proxy_set_queue((struct wl_proxy *)wrapper, queue);
        struct wl_registry *registry = wl_display_get_registry(wrapper);
        if (registry != NULL) {
            wl_registry_add_listener(registry, &seat_listener, &seat);
            int64_t limit_ns = (timeout_ms > 1 ? timeout_ms : 1) * MS_NS;
            answered = round_trip(display, wrapper, queue, now_ns() + limit_ns);
            wl_registry_destroy(registry);
        }
    }
    if (wrapper != NULL) {
        wl_proxy_wrapper_destroy(wrapper);
    }
    if (queue != NULL) {
        wl_event_queue_destroy(queue);
    }
    wl_display_disconnect(display);
    if (!answered) {
        return ES_WAYLAND_SEAT_NO_SERVER;
    }
    return seat ? ES_WAYLAND_SEAT_FOUND : ES_WAYLAND_SEAT_NONE;
}

bool es_wayland_gone(struct wl_display *display)
{
    return display == NULL || wl_display_get_error(display) != 0;
}
