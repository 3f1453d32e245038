/* SPDX-License-Identifier: Zlib
 *
 * X11 Present, by xcb. The protocol: presentproto.txt of xorgproto ("The Present Extension", Keith
 * Packard); the monitors' modes: RandR 1.3.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ppoll */
#endif

#include "x11_present.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <xcb/present.h>
#include <xcb/randr.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h> /* xcb_poll_for_reply */

#define MS_NS           INT64_C(1000000)
#define OPEN_TIMEOUT_NS (2000 * MS_NS)
#define LOOK_TIMEOUT_NS (100 * MS_NS)
#define ASK_EVERY_NS    (100 * MS_NS) /* which refresh is announced */
#define CRTCS_MAX       32            /* monitors that are queried */
#define SAMPLES_MAX     1024
#define HELD_MAX        32  /* completions from which to learn where serials start */
#define STRAYS_MAX      3   /* completions in a row that fit no frame, until an anchor is doubted */
#define STEADY          4   /* from this on counts tell times */
#define APART_MAX       600 /* refreshes from report to report, or to a target */

/* ---- The pure parts */

static uint64_t oldest_in_ring(const es_x11_serials *serials)
{
    return serials->noted > ES_X11_SERIALS ? serials->noted - ES_X11_SERIALS : 0;
}

static void skip_closed(es_x11_serials *serials)
{
    while (serials->oldest < serials->noted
            && serials->slots[serials->oldest % ES_X11_SERIALS].state != ES_X11_SLOT_OPEN) {
        serials->oldest += 1;
    }
}

uint32_t es_x11_serials_note(es_x11_serials *serials, int64_t frame, int64_t now_ns)
{
    es_x11_slot *slot = &serials->slots[serials->noted % ES_X11_SERIALS];
    bool forgets = slot->state == ES_X11_SLOT_OPEN;
    serials->forgotten += forgets;
    serials->open += !forgets;
    *slot = (es_x11_slot){.frame = frame, .noted_ns = now_ns, .state = ES_X11_SLOT_OPEN};
    uint32_t serial = serials->anchored ? serials->base + (uint32_t)serials->noted : 0;
    serials->noted += 1;
    if (serials->oldest < oldest_in_ring(serials)) {
        serials->oldest = oldest_in_ring(serials);
    }
    return serial;
}

int64_t es_x11_serials_oldest_ns(es_x11_serials *serials)
{
    skip_closed(serials);
    bool any = serials->oldest < serials->noted;
    return any ? serials->slots[serials->oldest % ES_X11_SERIALS].noted_ns : INT64_MAX;
}

/* Serials wrap, so they are compared by their distance from the first. */
static int32_t distance(uint32_t from, uint32_t to)
{
    uint32_t apart = to - from;
    return apart <= INT32_MAX ? (int32_t)apart : -(int32_t)(UINT32_MAX - apart) - 1;
}

bool es_x11_serials_learn(
        es_x11_serials *serials, const uint32_t *seen, int count, int least, bool force)
{
    int32_t low = 0;
    int32_t high = 0;
    for (int i = 1; i < count; ++i) {
        int32_t apart = distance(seen[0], seen[i]);
        low = apart < low ? apart : low;
        high = apart > high ? apart : high;
    }
    bool whole = count >= least && (int64_t)high - low == count - 1;
    skip_closed(serials);
    if ((!whole && !force) || serials->oldest >= serials->noted) {
        return false;
    }
    serials->base = seen[0] + (uint32_t)low - (uint32_t)serials->oldest;
    serials->anchored = true;
    return true;
}

es_x11_owner es_x11_serials_match(es_x11_serials *serials, uint32_t serial, es_x11_slot *slot)
{
    if (!serials->anchored) {
        return ES_X11_FOREIGN;
    }
    /* how far back, counted from the newest; wraps as the serials do */
    uint32_t newest = serials->base + (uint32_t)serials->noted - 1;
    uint32_t back = newest - serial;
    if (back < serials->noted - oldest_in_ring(serials)) {
        es_x11_slot *found = &serials->slots[(serials->noted - 1 - back) % ES_X11_SERIALS];
        if (found->state != ES_X11_SLOT_FREE) {
            bool late = found->state == ES_X11_SLOT_EXPIRED;
            *slot = *found;
            found->state = ES_X11_SLOT_FREE;
            serials->open -= !late;
            serials->strays = 0;
            skip_closed(serials);
            return late ? ES_X11_LATE : ES_X11_FRAME;
        }
    }
    serials->strays += serials->strays < STRAYS_MAX;
    if (serials->strays >= STRAYS_MAX) {
        serials->anchored = false;
        serials->strays = 0;
    }
    return ES_X11_FOREIGN;
}

int es_x11_serials_expire(es_x11_serials *serials, int64_t before_ns)
{
    int expired = 0;
    skip_closed(serials);
    while (serials->oldest < serials->noted) {
        es_x11_slot *slot = &serials->slots[serials->oldest % ES_X11_SERIALS];
        if (slot->noted_ns >= before_ns) {
            break;
        }
        slot->state = ES_X11_SLOT_EXPIRED;
        serials->open -= 1;
        expired += 1;
        skip_closed(serials);
    }
    serials->forgotten += (uint64_t)expired;
    return expired;
}

es_present_grade es_x11_present_grade(uint8_t mode, int64_t refresh_ns, bool timed, bool xwayland)
{
    if (!timed) {
        return ES_PRESENT_GUESSED;
    }
    bool flipped = mode == XCB_PRESENT_COMPLETE_MODE_FLIP;
    return flipped && refresh_ns > 0 && !xwayland ? ES_PRESENT_VSYNC : ES_PRESENT_SOFTWARE;
}

bool es_x11_present_at_once(es_present *sample, int64_t noted_ns, uint64_t *last_sequence)
{
    if (sample->discarded) {
        return false;
    }
    bool repeated = sample->sequence == *last_sequence;
    bool at_once = sample->shown_ns < noted_ns;
    *last_sequence = sample->sequence;
    if (at_once) {
        sample->shown_ns = sample->reported_ns;
        sample->grade = ES_PRESENT_GUESSED;
    }
    if (at_once || repeated) {
        sample->sequence = 0;
    }
    return at_once;
}

void es_x11_counts_take(es_x11_counts *counts, uint64_t msc, int64_t ust_ns)
{
    uint64_t apart = msc - counts->msc;
    bool near = apart - 1 < APART_MAX && ust_ns > counts->ust_ns;
    int64_t each_ns = near ? (ust_ns - counts->ust_ns) / (int64_t)apart : 0;
    bool follows = each_ns > MS_NS / 10 && each_ns < 1000 * MS_NS;
    int64_t expected_ns = counts->ust_ns + (follows ? (int64_t)apart * counts->period_ns : 0);
    int64_t late_ns = ust_ns - expected_ns;
    bool fits = follows && llabs(late_ns) < counts->period_ns / 2;
    if (fits) {
        counts->steady += counts->steady < 4 * STEADY;
        counts->period_ns += late_ns / (int64_t)apart / 8;
    } else {
        counts->steady = follows ? counts->steady / 2 : 0;
        counts->period_ns = !follows ? 0 : counts->steady < STEADY ? each_ns : counts->period_ns;
    }
    counts->msc = msc;
    counts->ust_ns = counts->steady < STEADY ? ust_ns : expected_ns + (fits ? late_ns / 2 : 0);
}

uint64_t es_x11_counts_target(
        es_x11_counts *counts, int64_t target_ns, int32_t refreshes, int64_t announced_ns)
{
    int64_t period_ns = counts->period_ns;
    int64_t ahead_ns = target_ns - counts->ust_ns;
    bool waits = counts->asked > counts->msc; /* the frame before was not reported yet */
    uint64_t before = waits ? counts->asked : counts->msc;
    bool varies = announced_ns > 0 && llabs(period_ns - announced_ns) > announced_ns / 32;
    if (counts->steady < STEADY || varies || ahead_ns / period_ns > APART_MAX
            || (target_ns == 0 && refreshes <= 1 && !waits)) {
        return counts->asked = 0;
    }
    int64_t away = target_ns != 0 ? (ahead_ns + period_ns / 2) / period_ns : 0;
    uint64_t to = target_ns != 0 ? counts->msc + (uint64_t)(away > 0 ? away : 0)
                                 : before + (uint64_t)refreshes;
    return counts->asked = to > before ? to : before + 1;
}

int64_t es_x11_mode_period(uint32_t dot_clock_hz, uint16_t total_width, uint16_t total_height,
        bool doubled, bool interlaced)
{
    if (dot_clock_hz == 0) {
        return 0;
    }
    uint64_t pixels = (uint64_t)total_width * total_height * (doubled ? 2 : 1);
    uint64_t fields = interlaced ? 2 : 1;
    return (int64_t)((pixels * 1000000000U / fields + dot_clock_hz / 2) / dot_clock_hz);
}

const char *es_x11_status_message(es_x11_status status)
{
    switch (status) {
    case ES_X11_OK:
        return "success";
    case ES_X11_NO_SERVER:
        return "the X server cannot be reached, is gone or does not answer";
    case ES_X11_NO_EXTENSION:
        return "the X server lacks the Present extension";
    case ES_X11_NO_WINDOW:
        return "there is no such window, or it was destroyed";
    case ES_X11_NO_MEMORY:
        return "out of memory";
    case ES_X11_INVALID:
        return "an argument is out of range";
    }
    return "unknown";
}

/* ---- The adapter */

/* To the server: which refresh is announced. Asked without waiting; the answers come one by one. */
typedef struct mode_query {
    bool due;     /* something changed since the last query */
    bool pending; /* the server has not answered all requests */
    int64_t asked_ns;
    unsigned resources_sequence, place_sequence, crtc_sequences[CRTCS_MAX];
    xcb_randr_get_screen_resources_current_reply_t *resources; /* NULL: not answered yet */
    bool placed;                                               /* x and y are known */
    int x, y;              /* the window's middle on the root window */
    int crtcs, answered;   /* requested, and answered */
    xcb_randr_mode_t mode; /* found so far; 0: none */
    bool inside;           /* its monitor holds the middle */
    bool failed;           /* about one there was no answer */
} mode_query;

/* A completion whose frame is not known yet. */
typedef struct completion {
    es_present sample;
    uint32_t serial;
} completion;

struct es_x11_present {
    xcb_connection_t *connection;
    xcb_window_t window, root;
    uint8_t present_opcode;
    uint8_t randr_event; /* the first of its two */
    bool has_randr;      /* 1.3 or later */
    mode_query query;
    int64_t timeout_ns;
    es_x11_serials serials;
    completion held[HELD_MAX]; /* while serials has no anchor, or it is in doubt */
    int held_count, held_least;
    es_present samples[SAMPLES_MAX];
    int sample_first, sample_count;
    uint64_t last_sequence; /* reported with the last frame that was shown */
    es_x11_counts counts;
    es_x11_look look;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Until there is something to read, or the deadline. */
static void wait_for_server(const es_x11_present *own, int64_t deadline_ns)
{
    int64_t left_ns = deadline_ns - now_ns();
    if (left_ns > 0) {
        struct pollfd socket = {.fd = xcb_get_file_descriptor(own->connection), .events = POLLIN};
        struct timespec left = {
                .tv_sec = left_ns / 1000000000, .tv_nsec = (long)(left_ns % 1000000000)};
        ppoll(&socket, 1, &left, NULL);
    }
}

/* Whether a request is answered: with the reply, or with NULL for an error. Does not wait. */
static bool has_answer(es_x11_present *own, unsigned sequence, void **reply)
{
    xcb_generic_error_t *error = NULL;
    *reply = NULL;
    bool answered = xcb_poll_for_reply(own->connection, sequence, reply, &error) != 0;
    free(error);
    return answered;
}

/* A reply, if it comes in time. Xcb's own functions for this have no time-out. */
static void *reply_of(es_x11_present *own, unsigned sequence, int64_t deadline_ns)
{
    xcb_flush(own->connection);
    for (;;) {
        void *reply;
        if (has_answer(own, sequence, &reply)) {
            return reply;
        }
        if (xcb_connection_has_error(own->connection) != 0) {
            return NULL;
        }
        if (now_ns() >= deadline_ns) {
            xcb_discard_reply(own->connection, sequence);
            return NULL;
        }
        wait_for_server(own, deadline_ns);
    }
}

/* Everything sent before has been carried out, and its errors are in the queue. */
static bool round_trip(es_x11_present *own, int64_t deadline_ns)
{
    void *reply = reply_of(own, xcb_get_input_focus(own->connection).sequence, deadline_ns);
    free(reply);
    return reply != NULL;
}

/* What a missing answer means: the server is gone or too slow, else why. */
static es_x11_status unless_gone(const es_x11_present *own, int64_t deadline_ns, es_x11_status why)
{
    bool gone = xcb_connection_has_error(own->connection) != 0 || now_ns() >= deadline_ns;
    return gone ? ES_X11_NO_SERVER : why;
}

static void end(es_x11_present *own, es_x11_status why)
{
    if (own->look.status == ES_X11_OK) {
        own->look.status = why;
    }
}

/* ---- What the server says */

static void push(es_x11_present *own, es_present sample)
{
    if (own->sample_count == SAMPLES_MAX) {
        own->sample_first = (own->sample_first + 1) % SAMPLES_MAX;
        own->sample_count -= 1;
        own->look.lost += 1;
    }
    own->samples[(own->sample_first + own->sample_count) % SAMPLES_MAX] = sample;
    own->sample_count += 1;
}

/* Returns: false: it belongs to no frame. */
static bool hand_out(es_x11_present *own, const completion *one)
{
    es_present sample = one->sample;
    es_x11_slot slot;
    es_x11_owner owner = es_x11_serials_match(&own->serials, one->serial, &slot);
    if (owner != ES_X11_FRAME) {
        return owner == ES_X11_LATE; /* that frame counts as unanswered already */
    }
    sample.frame = slot.frame;
    own->look.at_once += es_x11_present_at_once(&sample, slot.noted_ns, &own->last_sequence);
    own->look.presented += !sample.discarded;
    own->look.discarded += sample.discarded;
    push(own, sample);
    return true;
}

static void let_go(es_x11_present *own)
{
    own->look.unmatched += (uint64_t)own->held_count;
    own->held_count = 0;
}

/* Until it is clear where serials start. Also what fits no frame under an anchor that was learned:
 * if that is dropped, these are the first completions of the new count. */
static void hold(es_x11_present *own, const completion *one)
{
    /* not by shown_ns: a present that waits for no refresh reports the refresh before */
    if (one->sample.reported_ns < es_x11_serials_oldest_ns(&own->serials)) {
        own->look.unmatched += 1; /* of a present before the first frame that was noted */
        return;
    }
    if (own->held_count == 0) {
        own->held_least = own->serials.open;
    }
    own->held[own->held_count++] = *one;
    if (own->serials.anchored) {
        return;
    }
    uint32_t seen[HELD_MAX];
    for (int i = 0; i < own->held_count; ++i) {
        seen[i] = own->held[i].serial;
    }
    bool full = own->held_count == HELD_MAX;
    if (es_x11_serials_learn(&own->serials, seen, own->held_count, own->held_least, full) || full) {
        int count = own->held_count;
        own->held_count = 0;
        for (int i = 0; i < count; ++i) {
            own->look.unmatched += !hand_out(own, &own->held[i]);
        }
    }
}

static void take_frame(es_x11_present *own, const completion *one)
{
    if (own->serials.anchored && hand_out(own, one)) {
        let_go(own);
    } else {
        hold(own, one);
    }
}

static void take_complete(es_x11_present *own, const xcb_present_complete_notify_event_t *event)
{
    int64_t reported_ns = now_ns();
    bool timed = own->look.local && event->ust != 0 && event->ust <= INT64_MAX / 1000;
    int64_t shown_ns = timed ? (int64_t)event->ust * 1000 : reported_ns;
    bool discarded = event->mode == XCB_PRESENT_COMPLETE_MODE_SKIP;
    if (!discarded) {
        own->look.msc = event->msc;
    }
    if (event->kind != XCB_PRESENT_COMPLETE_KIND_PIXMAP) {
        return;
    }
    if (timed && !discarded && event->msc != own->counts.msc && shown_ns < INT64_MAX / 2) {
        es_x11_counts_take(&own->counts, event->msc, shown_ns);
    }
    int64_t refresh_ns = own->look.refresh_ns;
    completion one = {.serial = event->serial,
            .sample = {.shown_ns = shown_ns,
                    .reported_ns = reported_ns,
                    .refresh_ns = refresh_ns,
                    .sequence = event->msc,
                    .grade = es_x11_present_grade(
                            event->mode, refresh_ns, timed, own->look.xwayland),
                    .discarded = discarded}};
    take_frame(own, &one);
}

static void take_generic(es_x11_present *own, const xcb_ge_generic_event_t *event)
{
    if (event->extension == own->present_opcode
            && event->event_type == XCB_PRESENT_COMPLETE_NOTIFY) {
        take_complete(own, (const xcb_present_complete_notify_event_t *)(const void *)event);
    }
}

static void take_error(es_x11_present *own, const xcb_generic_error_t *error)
{
    own->look.errors += 1;
    bool ours = error->resource_id == own->window;
    if (error->error_code == XCB_WINDOW || (error->error_code == XCB_DRAWABLE && ours)) {
        end(own, ES_X11_NO_WINDOW);
    }
}

static void take_event(es_x11_present *own, const xcb_generic_event_t *event)
{
    int type = event->response_type & 0x7f; /* window managers send some themselves */
    switch (type) {
    case 0:
        take_error(own, (const xcb_generic_error_t *)(const void *)event);
        break;
    case XCB_GE_GENERIC:
        take_generic(own, (const xcb_ge_generic_event_t *)(const void *)event);
        break;
    case XCB_CONFIGURE_NOTIFY: {
        const xcb_configure_notify_event_t *configure =
                (const xcb_configure_notify_event_t *)(const void *)event;
        own->look.width = configure->width;
        own->look.height = configure->height;
        own->query.due = true; /* perhaps on another monitor */
        break;
    }
    case XCB_DESTROY_NOTIFY:
        end(own, ES_X11_NO_WINDOW);
        break;
    default:
        if (own->has_randr && (type == own->randr_event || type == own->randr_event + 1)) {
            own->query.due = true;
        }
        break;
    }
}

/* ---- Which refresh the monitor announces */

static void ask_refresh(es_x11_present *own, int64_t now)
{
    mode_query *query = &own->query;
    *query = (mode_query){.pending = true, .asked_ns = now};
    query->resources_sequence =
            xcb_randr_get_screen_resources_current(own->connection, own->root).sequence;
    query->place_sequence = xcb_translate_coordinates(own->connection, own->window, own->root,
            (int16_t)(own->look.width / 2), (int16_t)(own->look.height / 2))
                                    .sequence;
    xcb_flush(own->connection);
}

static void end_question(es_x11_present *own)
{
    mode_query *query = &own->query;
    free(query->resources);
    query->resources = NULL;
    query->pending = false;
}

/* Where the window's middle is, and then: what each monitor shows. */
static void ask_crtcs(es_x11_present *own, const xcb_translate_coordinates_reply_t *place)
{
    mode_query *query = &own->query;
    query->placed = true;
    query->x = place->dst_x;
    query->y = place->dst_y;
    const xcb_randr_crtc_t *crtcs = xcb_randr_get_screen_resources_current_crtcs(query->resources);
    int count = query->resources->num_crtcs;
    query->crtcs = count < CRTCS_MAX ? count : CRTCS_MAX;
    for (int i = 0; i < query->crtcs; ++i) {
        query->crtc_sequences[i] = xcb_randr_get_crtc_info(
                own->connection, crtcs[i], query->resources->config_timestamp)
                                           .sequence;
    }
    xcb_flush(own->connection);
}

/* The mode of the first lit monitor that holds the window's middle, else of the first lit one. */
static void take_crtc(mode_query *query, const xcb_randr_get_crtc_info_reply_t *crtc)
{
    bool inside = query->x >= crtc->x && query->x < crtc->x + crtc->width && query->y >= crtc->y
                  && query->y < crtc->y + crtc->height;
    if (crtc->mode != 0 && !query->inside && (inside || query->mode == 0)) {
        query->mode = crtc->mode;
        query->inside = inside;
    }
}

static int64_t period_of_mode(
        const xcb_randr_get_screen_resources_current_reply_t *all, xcb_randr_mode_t mode)
{
    const xcb_randr_mode_info_t *modes = xcb_randr_get_screen_resources_current_modes(all);
    for (int i = 0; i < all->num_modes; ++i) {
        if (modes[i].id == mode) {
            return es_x11_mode_period(modes[i].dot_clock, modes[i].htotal, modes[i].vtotal,
                    (modes[i].mode_flags & XCB_RANDR_MODE_FLAG_DOUBLE_SCAN) != 0,
                    (modes[i].mode_flags & XCB_RANDR_MODE_FLAG_INTERLACE) != 0);
        }
    }
    return 0;
}

/* Takes the answers that are there, in the order in which they come. Does not wait. What fails
 * leaves the refresh as it was. Returns: false: there is more to come. */
static bool take_answers(es_x11_present *own)
{
    mode_query *query = &own->query;
    void *reply;
    if (query->resources == NULL) {
        if (!has_answer(own, query->resources_sequence, &reply)) {
            return false;
        }
        if (reply == NULL) {
            xcb_discard_reply(own->connection, query->place_sequence);
            end_question(own);
            return true;
        }
        query->resources = reply;
    }
    if (!query->placed) {
        if (!has_answer(own, query->place_sequence, &reply)) {
            return false;
        }
        if (reply == NULL) {
            end_question(own);
            return true;
        }
        ask_crtcs(own, reply);
        free(reply);
    }
    while (query->answered < query->crtcs) {
        if (!has_answer(own, query->crtc_sequences[query->answered], &reply)) {
            return false;
        }
        query->answered += 1;
        query->failed = query->failed || reply == NULL;
        if (reply != NULL) {
            take_crtc(query, reply);
        }
        free(reply);
    }
    if (!query->failed) {
        own->look.refresh_ns = period_of_mode(query->resources, query->mode);
    }
    end_question(own);
    return true;
}

/* One query at a time, however slow the server, and not for each step of a window that is
 * dragged. */
static void mind_refresh(es_x11_present *own)
{
    mode_query *query = &own->query;
    if (query->pending && !take_answers(own)) {
        return;
    }
    if (query->due && own->has_randr && own->look.status == ES_X11_OK) {
        int64_t now = now_ns();
        if (now - query->asked_ns >= ASK_EVERY_NS) {
            ask_refresh(own, now);
        }
    }
}

int64_t es_x11_present_update_refresh(es_x11_present *present)
{
    int64_t deadline = now_ns() + LOOK_TIMEOUT_NS;
    mode_query *query = &present->query;
    query->due = present->has_randr;
    for (;;) {
        if (query->pending && !take_answers(present)) {
            if (now_ns() >= deadline) {
                break; /* es_x11_present_poll goes on with it */
            }
            wait_for_server(present, deadline);
            continue;
        }
        if (!query->due || xcb_connection_has_error(present->connection) != 0) {
            break;
        }
        ask_refresh(present, now_ns());
    }
    return present->look.refresh_ns;
}

/* ---- All that has come */

static void drain(es_x11_present *own)
{
    mind_refresh(own); /* first: it may read events that the program waits for */
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_event(own->connection)) != NULL) {
        take_event(own, event);
        free(event);
    }
    if (xcb_connection_has_error(own->connection) != 0) {
        end(own, ES_X11_NO_SERVER);
    }
    int expired = es_x11_serials_expire(&own->serials, now_ns() - own->timeout_ns);
    if (expired > 0 && !own->serials.anchored) {
        /* the oldest open frame need not be the first that is answered: learn from later ones */
        es_x11_serials_expire(&own->serials, INT64_MAX);
        let_go(own);
    }
}

/* ---- Opening */

static bool is_local(const es_x11_present *own)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    int file = xcb_get_file_descriptor(own->connection);
    return getpeername(file, (struct sockaddr *)&address, &size) == 0
           && address.ss_family == AF_UNIX;
}

static bool has_extension(es_x11_present *own, const char *name, uint8_t *opcode, int64_t deadline)
{
    unsigned sequence = xcb_query_extension(own->connection, (uint16_t)strlen(name), name).sequence;
    xcb_query_extension_reply_t *reply = reply_of(own, sequence, deadline);
    bool found = reply != NULL && reply->present != 0;
    if (found && opcode != NULL) {
        *opcode = reply->major_opcode;
    }
    free(reply);
    return found;
}

static es_x11_status find_present(es_x11_present *own, int64_t deadline)
{
    /* xcb looks an extension up when it is first used, and waits for that without a time-out: so let
     * the answers be there before */
    xcb_prefetch_extension_data(own->connection, &xcb_present_id);
    xcb_prefetch_extension_data(own->connection, &xcb_randr_id);
    if (!round_trip(own, deadline)) {
        return ES_X11_NO_SERVER;
    }
    if (!has_extension(own, "Present", &own->present_opcode, deadline)) {
        return unless_gone(own, deadline, ES_X11_NO_EXTENSION);
    }
    unsigned sequence = xcb_present_query_version(own->connection, 1, 2).sequence;
    xcb_present_query_version_reply_t *version = reply_of(own, sequence, deadline);
    if (version == NULL) {
        return ES_X11_NO_SERVER;
    }
    own->look.version_minor = version->minor_version;
    free(version);
    sequence = xcb_present_query_capabilities(own->connection, own->window).sequence;
    xcb_present_query_capabilities_reply_t *can = reply_of(own, sequence, deadline);
    own->look.capabilities = can != NULL ? can->capabilities : 0;
    free(can);
    own->look.xwayland = has_extension(own, "XWAYLAND", NULL, deadline);
    return ES_X11_OK;
}

static es_x11_status find_window(es_x11_present *own, int64_t deadline)
{
    unsigned sequence = xcb_get_geometry(own->connection, own->window).sequence;
    xcb_get_geometry_reply_t *geometry = reply_of(own, sequence, deadline);
    if (geometry == NULL) {
        return unless_gone(own, deadline, ES_X11_NO_WINDOW);
    }
    own->root = geometry->root;
    own->look.width = geometry->width;
    own->look.height = geometry->height;
    free(geometry);
    /* every client has an event mask of its own for a window */
    uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    xcb_change_window_attributes(own->connection, own->window, XCB_CW_EVENT_MASK, &mask);
    return ES_X11_OK;
}

/* The server reports changed modes, not the monitor of a window: that is queried again after
 * each ConfigureNotify. */
static void listen_to_monitors(es_x11_present *own, int64_t deadline)
{
    const xcb_query_extension_reply_t *extension =
            xcb_get_extension_data(own->connection, &xcb_randr_id);
    if (extension == NULL || extension->present == 0) {
        return;
    }
    unsigned sequence = xcb_randr_query_version(own->connection, 1, 3).sequence;
    xcb_randr_query_version_reply_t *version = reply_of(own, sequence, deadline);
    own->has_randr = version != NULL
                     && (version->major_version > 1
                             || (version->major_version == 1 && version->minor_version >= 3));
    free(version);
    if (own->has_randr) {
        own->randr_event = extension->first_event;
        xcb_randr_select_input(own->connection, own->root,
                XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE);
    }
}

static es_x11_status start(es_x11_present *own, int64_t deadline)
{
    if (xcb_connection_has_error(own->connection) != 0) {
        return ES_X11_NO_SERVER;
    }
    own->look.local = is_local(own);
    es_x11_status status = find_present(own, deadline);
    if (status == ES_X11_OK) {
        status = find_window(own, deadline);
    }
    if (status != ES_X11_OK) {
        return status;
    }
    listen_to_monitors(own, deadline);
    uint32_t event_id = xcb_generate_id(own->connection);
    xcb_present_select_input(
            own->connection, event_id, own->window, XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY);
    xcb_present_notify_msc(own->connection, own->window, 0, 0, 0, 0); /* to know the count */
    if (!round_trip(own, deadline)) {
        return ES_X11_NO_SERVER;
    }
    es_x11_present_update_refresh(own);
    drain(own);
    return own->look.status;
}

es_x11_present *es_x11_present_open(
        const char *display_name, uint32_t window, es_x11_status *status)
{
    es_x11_status ignored;
    status = status != NULL ? status : &ignored;
    if (window == 0) {
        *status = ES_X11_INVALID;
        return NULL;
    }
    es_x11_present *own = calloc(1, sizeof *own);
    if (own == NULL) {
        *status = ES_X11_NO_MEMORY;
        return NULL;
    }
    own->window = window;
    own->timeout_ns = 1000 * MS_NS;
    own->connection = xcb_connect(display_name, NULL);
    *status = start(own, now_ns() + OPEN_TIMEOUT_NS);
    if (*status != ES_X11_OK) {
        es_x11_present_close(own);
        return NULL;
    }
    return own;
}

void es_x11_present_close(es_x11_present *present)
{
    if (present == NULL) {
        return;
    }
    xcb_disconnect(present->connection);
    free(present->query.resources);
    free(present);
}

/* ---- In use */

void es_x11_present_set_timeout(es_x11_present *present, int64_t timeout_ns)
{
    present->timeout_ns = timeout_ns > MS_NS ? timeout_ns : MS_NS;
}

es_x11_status es_x11_present_note(es_x11_present *present, int64_t frame)
{
    drain(present);
    if (present->look.status == ES_X11_OK) {
        es_x11_serials_note(&present->serials, frame, now_ns());
        present->look.requested += 1;
    }
    return present->look.status;
}

uint64_t es_x11_present_target(es_x11_present *present, const es_frame *frame)
{
    return es_x11_counts_target(
            &present->counts, frame->target_ns, frame->target_refreshes, present->look.refresh_ns);
}

int es_x11_present_poll(es_x11_present *present, es_present *samples, int max)
{
    drain(present);
    int count = 0;
    while (count < max && present->sample_count > 0) {
        samples[count++] = present->samples[present->sample_first];
        present->sample_first = (present->sample_first + 1) % SAMPLES_MAX;
        present->sample_count -= 1;
    }
    return count;
}

bool es_x11_present_wait(es_x11_present *present, int64_t timeout_ns)
{
    int64_t start_ns = now_ns();
    int64_t limit_ns = timeout_ns < INT64_MAX - start_ns ? timeout_ns : INT64_MAX - start_ns;
    for (;;) {
        drain(present);
        if (present->sample_count > 0) {
            return true;
        }
        if (present->look.status != ES_X11_OK || now_ns() - start_ns >= limit_ns) {
            return false;
        }
        wait_for_server(present, start_ns + limit_ns);
    }
}

es_x11_look es_x11_present_look(const es_x11_present *present)
{
    es_x11_look look = present->look;
    look.unanswered = present->serials.forgotten;
    look.on_their_way = present->serials.open;
    return look;
}
