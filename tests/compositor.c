/* SPDX-License-Identifier: Zlib
 *
 * A Wayland compositor for tests: a virtual display in real time, and no picture. It writes down when
 * each frame was seen.
 *
 *   compositor SOCKET RATE LOG [OPTION...]
 *
 * RATE: the refresh rate in whole Hz; or variable: 48 to 144 Hz, a frame is seen when it comes.
 * LOG: a file; a line per update with a buffer, in the order in which they ended:
 *   shown|discarded SURFACE COMMIT COMMITTED_NS TARGET_NS SHOWN_NS
 *   Times on CLOCK_MONOTONIC; no target: 0. Commits of a surface count from 1.
 * --clock ID       the presentation clock, as for clock_gettime; default CLOCK_MONOTONIC
 * --late US        a frame is seen this much after it could be; on a fixed rate in whole refreshes
 * --nearest        a target means the refresh nearest to it, as in wlroots; else the first from it on
 * --without NAMES  interfaces that are not offered, with commas
 *
 * A fixed display shows at a refresh what was committed LEAD_NS before it. If this program wakes up
 * after a refresh, the frame is seen at the next one. Sources: wayland.xml, xdg-shell.xml,
 * presentation-time.xml (version 2), commit-timing-v1 and fifo-v1 (adapters/wayland_timing.h).
 */
#define _GNU_SOURCE /* timerfd */

#include "adapters/wayland_timing.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <wayland-server.h>

extern const struct wl_interface xdg_wm_base_interface, wp_presentation_interface;

#define S_NS       INT64_C(1000000000)
#define LEAD_NS    INT64_C(2000000)
#define LONGEST_NS (S_NS / 48) /* of a variable refresh; the fastest is FASTEST_HZ */

enum { FASTEST_HZ = 144 };

enum { CONFIGURE = 0, CLOCK_ID = 0, PRESENTED = 1, DISCARDED = 2 }; /* numbers of events */
enum { SAYS_FASTEST_SINCE = 2 }; /* of wp_presentation: the refresh of a variable display */

/* A surface has at most one of each. */
enum { WINDOW, TOPLEVEL, TIMER, FIFO, OBJECTS };

/* What one commit brings. */
typedef struct update {
    struct wl_list link; /* of the surface's queue, then of the updates to be shown */
    unsigned surface, number;
    int64_t committed_ns, target_ns, shown_ns; /* no target: 0 */
    bool attached, sets_barrier, waits_barrier;
    uint32_t buffer;        /* its object */
    struct wl_list answers; /* callbacks and feedbacks, resources */
} update;

typedef struct surface {
    struct wl_list link;
    struct wl_client *client;
    struct wl_resource *objects[OBJECTS];
    struct wl_list queue; /* updates, oldest first */
    update *pending;
    unsigned number, commits;
    bool configured;
} surface;

static struct {
    struct wl_display *display;
    int timer;
    FILE *log;
    clockid_t clock;
    int64_t rate;      /* Hz; the fastest, if variable */
    int64_t period_ns; /* of that rate, rounded down */
    bool variable, nearest;
    int64_t lead_ns, late_ns;
    const char *without;
    int64_t epoch_ns; /* of refresh 0 */
    int64_t last_ns;  /* the refresh for which updates were latched last */
    int64_t flips;
    unsigned surfaces_made;
    struct wl_list surfaces, shown;
} server;

/* ---- Time */

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * S_NS + now.tv_nsec;
}

static int64_t now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

/* How far the presentation clock is ahead of CLOCK_MONOTONIC. */
static int64_t clock_ahead_ns(void)
{
    int64_t ahead_ns = 0, width_ns = INT64_MAX;
    for (int i = 0; i < 9 && server.clock != CLOCK_MONOTONIC; ++i) {
        int64_t before_ns = now_ns();
        int64_t other_ns = read_clock(server.clock);
        int64_t after_ns = now_ns();
        if (after_ns - before_ns < width_ns) {
            width_ns = after_ns - before_ns;
            ahead_ns = other_ns - before_ns - width_ns / 2;
        }
    }
    return ahead_ns;
}

static int64_t refresh_ns(int64_t number)
{
    return server.epoch_ns + number * S_NS / server.rate;
}

/* The number of the first refresh that is not before a time. */
static int64_t refresh_from(int64_t time_ns)
{
    int64_t number = (time_ns - server.epoch_ns) * server.rate / S_NS - 1;
    while (refresh_ns(number) < time_ns) {
        number += 1;
    }
    return number;
}

/* ---- Updates */

static update *make_update(unsigned surface_number)
{
    update *made = calloc(1, sizeof *made);
    if (made == NULL) {
        abort();
    }
    made->surface = surface_number;
    wl_list_init(&made->link);
    wl_list_init(&made->answers);
    return made;
}

static void unlink_resource(struct wl_resource *resource)
{
    wl_list_remove(wl_resource_get_link(resource));
}

static bool is_a(struct wl_resource *resource, const char *name)
{
    return strcmp(wl_resource_get_class(resource), name) == 0;
}

static void send_presented(struct wl_resource *feedback, const update *u)
{
    int64_t stamp_ns = u->shown_ns + clock_ahead_ns();
    uint64_t seconds = (uint64_t)(stamp_ns / S_NS);
    uint64_t count = (uint64_t)(server.variable ? server.flips : refresh_from(u->shown_ns));
    bool tells = !server.variable || wl_resource_get_version(feedback) >= SAYS_FASTEST_SINCE;
    wl_resource_post_event(feedback, PRESENTED, (uint32_t)(seconds >> 32), (uint32_t)seconds,
            (uint32_t)(stamp_ns % S_NS), tells ? (uint32_t)server.period_ns : 0,
            (uint32_t)(count >> 32), (uint32_t)count,
            7 /* vsync, clock and completion by the virtual hardware */);
}

/* It was seen at shown_ns, or never will be: 0. */
static void end_update(update *u)
{
    struct wl_resource *answer, *next;
    server.flips += u->shown_ns != 0;
    if (u->attached) {
        fprintf(server.log, "%s %u %u %" PRId64 " %" PRId64 " %" PRId64 "\n",
                u->shown_ns != 0 ? "shown" : "discarded", u->surface, u->number, u->committed_ns,
                u->target_ns, u->shown_ns);
    }
    wl_resource_for_each_safe(answer, next, &u->answers)
    {
        if (is_a(answer, "wl_callback")) {
            wl_callback_send_done(answer, (uint32_t)(now_ns() / 1000000));
        } else if (u->shown_ns != 0) {
            send_presented(answer, u);
        } else {
            wl_resource_post_event(answer, DISCARDED);
        }
        wl_resource_destroy(answer);
    }
    wl_list_remove(&u->link);
    free(u);
}

/* ---- Latching */

/* When the update would be seen if it were latched at its time: LEAD_NS before that; variable: then. A
 * variable display that waited for too long shows the old picture again, for a fastest refresh. */
static int64_t seen_ns(const update *u, int64_t now)
{
    int64_t from_ns = u->committed_ns + server.lead_ns;
    int64_t wanted_ns = u->target_ns - (server.nearest ? server.period_ns / 2 - 1 : 0);
    int64_t free_from_ns = server.last_ns + 1;
    if (server.variable) {
        int64_t times = now > server.last_ns ? (now - server.last_ns) / LONGEST_NS : 0;
        free_from_ns += times * LONGEST_NS + server.period_ns - server.late_ns;
    }
    from_ns = wanted_ns > from_ns ? wanted_ns : from_ns;
    from_ns = free_from_ns > from_ns ? free_from_ns : from_ns;
    from_ns = now > from_ns ? now : from_ns;
    return server.variable ? from_ns : refresh_ns(refresh_from(from_ns));
}

/* Takes an update from its queue: to be shown, or replaced by the next picture. */
static void settle(update *u, int64_t at_ns, const update *by)
{
    if (by != NULL && by->attached) {
        end_update(u);
        return;
    }
    at_ns += server.late_ns;
    u->shown_ns = server.variable ? at_ns : refresh_ns(refresh_from(at_ns));
    wl_list_remove(&u->link);
    wl_list_insert(server.shown.prev, &u->link);
}

/* Applies what can be seen next. Returns when that is; 0: nothing. The barrier is cleared after each
 * latching, so no update waits for one of an earlier refresh. */
static int64_t latch(surface *s, int64_t now)
{
    update *newest = NULL, *u, *next;
    bool barrier = false;
    int64_t at_ns = 0;
    wl_list_for_each_safe(u, next, &s->queue, link)
    {
        if (seen_ns(u, now) - server.lead_ns > now || (u->waits_barrier && barrier)) {
            break;
        }
        at_ns = seen_ns(u, now);
        barrier = barrier || u->sets_barrier;
        struct wl_resource *buffer = wl_client_get_object(s->client, u->buffer);
        if (u->attached && buffer != NULL && is_a(buffer, "wl_buffer")) {
            wl_buffer_send_release(buffer); /* the client may draw into it again, as after a copy */
        }
        if (newest != NULL) {
            settle(newest, at_ns, u);
        }
        newest = u;
    }
    if (newest != NULL) {
        settle(newest, at_ns, NULL);
    }
    return at_ns;
}

/* Sets the timer for what happens next. */
static void arm(void)
{
    int64_t now = now_ns();
    int64_t at_ns = INT64_MAX;
    const surface *s;
    const update *u;
    wl_list_for_each(s, &server.surfaces, link)
    {
        if (!wl_list_empty(&s->queue)) {
            u = wl_container_of(s->queue.next, u, link);
            int64_t latch_ns = seen_ns(u, now) - server.lead_ns;
            at_ns = latch_ns < at_ns ? latch_ns : at_ns;
        }
    }
    wl_list_for_each(u, &server.shown, link)
    {
        at_ns = u->shown_ns < at_ns ? u->shown_ns : at_ns;
    }
    struct itimerspec when = {0}; /* disarms it */
    if (at_ns != INT64_MAX) {
        when.it_value = (struct timespec){.tv_sec = at_ns / S_NS, .tv_nsec = at_ns % S_NS};
    }
    timerfd_settime(server.timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static int wake(int timer, uint32_t mask, void *data)
{
    uint64_t times;
    int64_t now = now_ns();
    int64_t last_ns = server.last_ns;
    surface *s;
    update *u, *next;
    (void)mask;
    (void)data;
    if (read(timer, &times, sizeof times) < 0) {
        return 0; /* armed anew in between */
    }
    wl_list_for_each(s, &server.surfaces, link)
    {
        int64_t at_ns = latch(s, now);
        last_ns = at_ns > 0 ? at_ns + (server.variable ? server.late_ns : 0) : last_ns;
    }
    server.last_ns = last_ns;
    wl_list_for_each_safe(u, next, &server.shown, link)
    {
        if (u->shown_ns <= now_ns()) {
            end_update(u);
        }
    }
    arm();
    return 0;
}

/* ---- Objects */

static int dispatch(const void *implementation, void *target, uint32_t opcode,
        const struct wl_message *message, union wl_argument *arguments);

static struct wl_resource *make(struct wl_client *client, const struct wl_interface *interface,
        int version, uint32_t id, surface *s, wl_resource_destroy_func_t end)
{
    struct wl_resource *made = wl_resource_create(client, interface, version, id);
    if (made == NULL) {
        abort();
    }
    wl_resource_set_dispatcher(made, dispatch, NULL, s, end);
    return made;
}

/* An object of a surface ends. */
static void end_of_surface(struct wl_resource *resource)
{
    surface *s = wl_resource_get_user_data(resource);
    for (int i = 0; s != NULL && i < OBJECTS; ++i) {
        s->objects[i] = s->objects[i] == resource ? NULL : s->objects[i];
    }
}

static void end_surface(struct wl_resource *resource)
{
    surface *s = wl_resource_get_user_data(resource);
    for (int i = 0; i < OBJECTS; ++i) {
        if (s->objects[i] != NULL) {
            wl_resource_set_user_data(s->objects[i], NULL);
        }
    }
    s->pending->attached = false; /* never committed: not in the log */
    wl_list_insert(&s->queue, &s->pending->link);
    while (!wl_list_empty(&s->queue)) {
        update *u = wl_container_of(s->queue.next, u, link);
        end_update(u);
    }
    wl_list_remove(&s->link);
    free(s);
}

/* ---- Requests */

typedef struct call {
    surface *s; /* that the target belongs to; NULL: none, or gone */
    struct wl_resource *target;
    const struct wl_message *message;
    union wl_argument *arguments;
} call;

static struct wl_resource *argument_object(const call *c, int i)
{
    return (struct wl_resource *)c->arguments[i].o;
}

/* The object that argument number i is to become. */
static struct wl_resource *make_argument(
        const call *c, int i, surface *s, wl_resource_destroy_func_t end)
{
    return make(wl_resource_get_client(c->target), c->message->types[i],
            wl_resource_get_version(c->target), c->arguments[i].n, s, end);
}

/* Makes the new objects that a request names, or ends the target, and does nothing else. */
static void take_other(const call *c)
{
    int i = 0;
    for (const char *letter = c->message->signature; *letter != '\0'; ++letter) {
        if (*letter == 'n') {
            make_argument(c, i, NULL, NULL);
        }
        i += strchr("iufsonah", *letter) != NULL;
    }
    if (strcmp(c->message->name, "destroy") == 0 || strcmp(c->message->name, "release") == 0) {
        wl_resource_destroy(c->target);
    }
}

static void commit(const call *c)
{
    surface *s = c->s;
    s->pending->number = ++s->commits;
    s->pending->committed_ns = now_ns();
    wl_list_insert(s->queue.prev, &s->pending->link);
    s->pending = make_update(s->number);
    if (s->objects[TOPLEVEL] != NULL && s->objects[WINDOW] != NULL && !s->configured) {
        struct wl_array states = {0};
        wl_resource_post_event(s->objects[TOPLEVEL], CONFIGURE, 0, 0, &states);
        wl_resource_post_event(
                s->objects[WINDOW], CONFIGURE, wl_display_next_serial(server.display));
        s->configured = true;
    }
    arm();
}

static void create_surface(const call *c)
{
    surface *s = calloc(1, sizeof *s);
    if (s == NULL) {
        abort();
    }
    s->number = ++server.surfaces_made;
    s->client = wl_resource_get_client(c->target);
    s->pending = make_update(s->number);
    wl_list_init(&s->queue);
    make_argument(c, 0, s, end_surface);
    wl_list_insert(&server.surfaces, &s->link);
}

static void attach(const call *c)
{
    update *u = c->s->pending;
    u->attached = c->arguments[0].o != NULL;
    u->buffer = u->attached ? wl_resource_get_id(argument_object(c, 0)) : 0;
}

/* frame, and feedback, which names the surface */
static void add_answer(const call *c)
{
    bool frame = c->s != NULL;
    const surface *s = frame ? c->s : wl_resource_get_user_data(argument_object(c, 0));
    struct wl_resource *answer = make_argument(c, frame ? 0 : 1, NULL, unlink_resource);
    wl_list_insert(s->pending->answers.prev, wl_resource_get_link(answer));
}

/* A window, or an object of commit-timing or fifo. */
static void get_object(const call *c)
{
    static const char *const names[] = {"get_xdg_surface", "get_toplevel", "get_timer", "get_fifo"};
    int i = 0;
    while (strcmp(names[i], c->message->name) != 0) {
        i += 1;
    }
    surface *s = i == TOPLEVEL ? c->s : wl_resource_get_user_data(argument_object(c, 1));
    if (s->objects[i] != NULL && (i == TIMER || i == FIFO)) {
        wl_resource_post_error(c->target, ES_TIMING_MANAGER_EXISTS, "a second one for a surface");
    } else {
        s->objects[i] = make_argument(c, 0, s, end_of_surface);
        s->configured = s->configured && i != WINDOW;
    }
}

static void set_timestamp(const call *c)
{
    surface *s = c->s;
    int64_t seconds = (int64_t)c->arguments[0].u << 32 | c->arguments[1].u;
    if (s == NULL) {
        wl_resource_post_error(c->target, ES_TIMER_SURFACE_DESTROYED, "the surface is gone");
    } else if (c->arguments[2].u >= S_NS) {
        wl_resource_post_error(c->target, ES_TIMER_INVALID, "over 999999999 ns");
    } else if (s->pending->target_ns != 0) {
        wl_resource_post_error(c->target, ES_TIMER_TIMESTAMP_EXISTS, "a second time for a commit");
    } else {
        s->pending->target_ns = seconds * S_NS + c->arguments[2].u - clock_ahead_ns();
    }
}

static void use_barrier(const call *c)
{
    surface *s = c->s;
    bool sets = strcmp(c->message->name, "set_barrier") == 0;
    if (s == NULL) {
        wl_resource_post_error(c->target, ES_FIFO_SURFACE_DESTROYED, "the surface is gone");
    } else {
        *(sets ? &s->pending->sets_barrier : &s->pending->waits_barrier) = true;
    }
}

/* The names are unique among the interfaces here. */
static int dispatch(const void *implementation, void *target, uint32_t opcode,
        const struct wl_message *message, union wl_argument *arguments)
{
    static const struct {
        const char *name;
        void (*take)(const call *c);
    } requests[] = {{"create_surface", create_surface}, {"attach", attach}, {"frame", add_answer},
            {"commit", commit}, {"feedback", add_answer}, {"get_xdg_surface", get_object},
            {"get_toplevel", get_object}, {"get_timer", get_object}, {"get_fifo", get_object},
            {"set_timestamp", set_timestamp}, {"set_barrier", use_barrier},
            {"wait_barrier", use_barrier}};
    void (*take)(const call *c) = take_other;
    (void)implementation;
    (void)opcode;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; ++i) {
        take = strcmp(message->name, requests[i].name) == 0 ? requests[i].take : take;
    }
    take(&(call){wl_resource_get_user_data(target), target, message, arguments});
    return 0;
}

/* ---- Globals */

/* Debian's presentation-time.xml has version 1. Version 2 has the same requests and events. */
static struct wl_interface presentation_2;

static const struct {
    const struct wl_interface *interface;
    int version;
} globals[] = {
        {&wl_compositor_interface, 4},
        {&wl_output_interface, 2},
        {&wl_seat_interface, 5}, /* SDL2 before 2.30 needs one */
        {&xdg_wm_base_interface, 1},
        {&presentation_2, SAYS_FASTEST_SINCE},
        {&es_timer_manager_interface, 1},
        {&es_fifo_manager_interface, 1},
};

static void bind_global(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
    struct wl_resource *made = make(client, data, (int)version, id, NULL, NULL);
    if (data == &wl_output_interface) {
        wl_output_send_geometry(made, 0, 0, 520, 290, WL_OUTPUT_SUBPIXEL_UNKNOWN, "Evenstep",
                "virtual", WL_OUTPUT_TRANSFORM_NORMAL);
        wl_output_send_mode(made, WL_OUTPUT_MODE_CURRENT | WL_OUTPUT_MODE_PREFERRED, 1920, 1080,
                (int32_t)server.rate * 1000);
        if (version >= WL_OUTPUT_DONE_SINCE_VERSION) {
            wl_output_send_done(made);
        }
    } else if (data == &wl_seat_interface) {
        wl_seat_send_capabilities(made, 0);
    } else if (data == &presentation_2) {
        wl_resource_post_event(made, CLOCK_ID, (uint32_t)server.clock);
    }
}

/* ---- The program */

static bool read_options(int argc, char **argv)
{
    server.clock = CLOCK_MONOTONIC;
    server.without = "";
    server.variable = argc > 2 && strcmp(argv[2], "variable") == 0;
    server.rate = server.variable ? FASTEST_HZ : argc > 2 ? atoi(argv[2]) : 0;
    server.lead_ns = server.variable ? 0 : LEAD_NS;
    server.log = argc > 3 ? fopen(argv[3], "w") : NULL;
    for (int i = 4; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--nearest") == 0) {
            server.nearest = true;
            i -= 1;
        } else if (strcmp(argv[i], "--clock") == 0) {
            server.clock = atoi(value);
        } else if (strcmp(argv[i], "--late") == 0) {
            server.late_ns = (int64_t)atoi(value) * 1000;
        } else if (strcmp(argv[i], "--without") == 0) {
            server.without = value;
        } else {
            return false;
        }
    }
    return server.rate >= 1 && server.rate <= 1000 && server.log != NULL;
}

int main(int argc, char **argv)
{
    if (!read_options(argc, argv)) {
        fprintf(stderr, "compositor: usage or log: see tests/compositor.c\n");
        return 2;
    }
    setvbuf(server.log, NULL, _IOLBF, 0);
    prctl(PR_SET_TIMERSLACK, 1UL);
    server.period_ns = S_NS / server.rate;
    server.epoch_ns = server.last_ns = now_ns();
    wl_list_init(&server.surfaces);
    wl_list_init(&server.shown);
    server.display = wl_display_create();
    server.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    wl_display_init_shm(server.display);
    presentation_2 = wp_presentation_interface;
    presentation_2.version = SAYS_FASTEST_SINCE;
    for (size_t i = 0; i < sizeof globals / sizeof *globals; ++i) {
        const struct wl_interface *of = globals[i].interface;
        if (strstr(server.without, of->name) == NULL) {
            wl_global_create(
                    server.display, of, globals[i].version, (void *)(uintptr_t)of, bind_global);
        }
    }
    if (wl_display_add_socket(server.display, argv[1]) != 0) {
        return 1; /* libwayland has said why */
    }
    wl_event_loop_add_fd(
            wl_display_get_event_loop(server.display), server.timer, WL_EVENT_READABLE, wake, NULL);
    wl_display_run(server.display);
    return 0;
}
