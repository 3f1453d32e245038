/* SPDX-License-Identifier: Zlib
 *
 * The probe on Wayland: an xdg-shell window of shared-memory buffers; needs no seat.
 */
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
#define _GNU_SOURCE /* memfd_create */

#include "probe.h"

#include "adapters/wayland_presentation.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

#include "xdg-shell-client-protocol.h"

#define MS_NS   INT64_C(1000000)
#define BUFFERS 3

typedef struct buffer {
    struct wl_buffer *object;
    uint32_t *pixels;
    bool busy;
} buffer;

typedef struct probe_run {
    const probe_options *options;
    struct wl_display *display;
    struct wl_registry *registry;
    struct wl_compositor *compositor;
    struct wl_shm *shm;
    struct xdg_wm_base *shell;
    struct wl_surface *surface;
    struct xdg_surface *shell_surface;
    struct xdg_toplevel *toplevel;
    struct wl_callback *callback; /* of the last commit, until it comes */
    buffer buffers[BUFFERS];
    uint8_t *memory;
    size_t size; /* of one buffer */
    bool configured, seat;
    uint64_t callbacks, late; /* late: committed without waiting longer for the callback */
    es_wayland_presentation *presentation;
    int64_t frame;
    probe_log log;
} probe_run;

static void take_global(void *data, struct wl_registry *registry, uint32_t name,
        const char *interface, uint32_t version)
{
    (void)version;
    probe_run *run = data;
    if (strcmp(interface, wl_compositor_interface.name) == 0) {
        run->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 1);
    } else if (strcmp(interface, wl_shm_interface.name) == 0) {
        run->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    } else if (strcmp(interface, xdg_wm_base_interface.name) == 0) {
        run->shell = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
    } else if (strcmp(interface, wl_seat_interface.name) == 0) {
        run->seat = true;
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

static void take_ping(void *data, struct xdg_wm_base *shell, uint32_t serial)
{
    (void)data;
    xdg_wm_base_pong(shell, serial);
}

static const struct xdg_wm_base_listener shell_listener = {.ping = take_ping};

static void take_configure(void *data, struct xdg_surface *surface, uint32_t serial)
{
    probe_run *run = data;
    xdg_surface_ack_configure(surface, serial);
    run->configured = true;
}

static const struct xdg_surface_listener surface_listener = {.configure = take_configure};

static void take_size(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
        struct wl_array *states)
{
    (void)data;
    (void)toplevel;
    (void)width;
    (void)height;
    (void)states;
}

static void take_close(void *data, struct xdg_toplevel *toplevel)
{
    (void)data;
    (void)toplevel;
}

static const struct xdg_toplevel_listener toplevel_listener = {
        .configure = take_size, .close = take_close};

static void take_release(void *data, struct wl_buffer *object)
{
    (void)object;
    ((buffer *)data)->busy = false;
}

static const struct wl_buffer_listener buffer_listener = {.release = take_release};

static void take_callback(void *data, struct wl_callback *callback, uint32_t time)
{
    (void)time;
    probe_run *run = data;
    wl_callback_destroy(callback);
    run->callback = NULL;
    run->callbacks += 1;
}

static const struct wl_callback_listener callback_listener = {.done = take_callback};

/* As a program's own loop would: dispatches its default queue, waits up to limit_ns. */
static bool dispatch(probe_run *run, int64_t limit_ns)
{
    while (wl_display_prepare_read(run->display) != 0) {
        if (wl_display_dispatch_pending(run->display) < 0) {
            return false;
        }
        limit_ns = 0;
    }
    wl_display_flush(run->display);
    struct pollfd socket = {.fd = wl_display_get_fd(run->display), .events = POLLIN};
    if (poll(&socket, 1, (int)(limit_ns / MS_NS)) > 0) {
        if (wl_display_read_events(run->display) < 0) {
            return false;
        }
    } else {
        wl_display_cancel_read(run->display);
    }
    return wl_display_dispatch_pending(run->display) >= 0;
}

static bool make_buffers(probe_run *run)
{
    int32_t width = run->options->width;
    int32_t height = run->options->height;
    run->size = (size_t)width * (size_t)height * 4;
    int file = memfd_create("present-probe", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)(run->size * BUFFERS)) != 0) {
        return false;
    }
    void *memory = mmap(NULL, run->size * BUFFERS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        close(file);
        return false;
    }
    run->memory = memory;
    struct wl_shm_pool *pool = wl_shm_create_pool(run->shm, file, (int32_t)run->size * BUFFERS);
    for (int i = 0; i < BUFFERS; ++i) {
        buffer *one = &run->buffers[i];
        one->pixels = (uint32_t *)(void *)(run->memory + run->size * (size_t)i);
        one->object = wl_shm_pool_create_buffer(
                pool, (int32_t)run->size * i, width, height, width * 4, WL_SHM_FORMAT_XRGB8888);
        wl_buffer_add_listener(one->object, &buffer_listener, one);
    }
    wl_shm_pool_destroy(pool);
    close(file);
    return true;
}

static bool await(probe_run *run, const bool *what)
{
    int64_t end_ns = probe_now_ns() + 30000 * MS_NS;
    while (!*what && probe_now_ns() < end_ns) {
        if (!dispatch(run, 100 * MS_NS)) {
            return false;
        }
    }
    return *what;
}

static void take_done(void *data, struct wl_callback *callback, uint32_t serial)
{
    (void)serial;
    *(bool *)data = true;
    wl_callback_destroy(callback);
}

static const struct wl_callback_listener done_listener = {.done = take_done};

static const char *open_window(probe_run *run)
{
    run->display = wl_display_connect(run->options->display);
    if (run->display == NULL) {
        return "no compositor";
    }
    run->registry = wl_display_get_registry(run->display);
    wl_registry_add_listener(run->registry, &registry_listener, run);
    static bool listed;
    wl_callback_add_listener(wl_display_sync(run->display), &done_listener, &listed);
    if (!await(run, &listed)) {
        return "the compositor does not answer";
    }
    if (run->compositor == NULL || run->shm == NULL || run->shell == NULL) {
        return "the compositor lacks wl_compositor, wl_shm or xdg_wm_base";
    }
    xdg_wm_base_add_listener(run->shell, &shell_listener, run);
    run->surface = wl_compositor_create_surface(run->compositor);
    run->shell_surface = xdg_wm_base_get_xdg_surface(run->shell, run->surface);
    xdg_surface_add_listener(run->shell_surface, &surface_listener, run);
    run->toplevel = xdg_surface_get_toplevel(run->shell_surface);
    xdg_toplevel_add_listener(run->toplevel, &toplevel_listener, run);
    wl_surface_commit(run->surface);
    if (!await(run, &run->configured)) {
        return "the compositor does not configure the window";
    }
    return make_buffers(run) ? NULL : "no shared memory";
}

static void collect(probe_run *run)
{
    es_present samples[64];
    int count;
    while ((count = es_wayland_presentation_poll(run->presentation, samples, 64)) > 0) {
        probe_log_samples(&run->log, samples, count);
    }
}

static buffer *free_buffer(probe_run *run)
{
    for (int i = 0; i < BUFFERS; ++i) {
        if (!run->buffers[i].busy) {
            return &run->buffers[i];
        }
    }
    return NULL;
}

static void commit_one(probe_run *run, buffer *one)
{
    size_t pixels = run->size / 4;
    for (size_t i = 0; i < pixels; ++i) {
        one->pixels[i] = (uint32_t)run->frame * 40503U;
    }
    int64_t drawn_ns = probe_now_ns();
    es_wayland_presentation_before_commit(run->presentation, run->frame);
    run->callback = wl_surface_frame(run->surface);
    wl_callback_add_listener(run->callback, &callback_listener, run);
    wl_surface_attach(run->surface, one->object, 0, 0);
    wl_surface_damage(run->surface, 0, 0, INT32_MAX, INT32_MAX);
    one->busy = true;
    wl_surface_commit(run->surface);
    wl_display_flush(run->display);
    probe_log_frame(&run->log, run->frame, drawn_ns);
    run->frame += 1;
}

/* One commit per frame callback; if that does not come, one every 100 ms. */
static bool show_all(probe_run *run)
{
    int64_t end_ns = probe_now_ns() + (int64_t)(run->options->seconds * 1e9);
    int64_t last_ns = 0;
    while (probe_goes_on(run->options, run->log.presented, end_ns)) {
        bool waited = probe_now_ns() - last_ns > 100 * MS_NS;
        buffer *one = free_buffer(run);
        if (one != NULL && (run->callback == NULL || waited)) {
            if (run->callback != NULL) {
                wl_callback_destroy(run->callback);
                run->callback = NULL;
                run->late += 1;
            }
            commit_one(run, one);
            last_ns = probe_now_ns();
        }
        if (!dispatch(run, 20 * MS_NS)) {
            return false;
        }
        collect(run);
        if (probe_signal_server(run->options, &run->log)) {
            end_ns = probe_now_ns() + 1000 * MS_NS; /* frames go on for a second */
        }
    }
    return true;
}

static void print(probe_run *run)
{
    es_wayland_look look = es_wayland_presentation_look(run->presentation);
    printf("{\n  \"adapter\": \"wayland\",\n  \"status\": \"%s\",\n",
            es_wayland_status_message(look.status));
    probe_log_print(&run->log);
    printf("  \"requested\": %" PRIu64 ",\n  \"not_requested\": %" PRIu64
           ",\n  \"unanswered\": %" PRIu64 ",\n  \"on_their_way\": %d,\n",
            look.requested, look.not_requested, look.unanswered, look.on_their_way);
    printf("  \"lost\": %" PRIu64 ",\n", look.lost);
    printf("  \"committed\": %" PRId64 ",\n  \"frame_callbacks\": %" PRIu64
           ",\n  \"late_callbacks\": %" PRIu64 ",\n",
            run->frame, run->callbacks, run->late);
    printf("  \"clock_id\": %u,\n  \"clock_known\": %s,\n  \"clock_error_ns\": %" PRId64
           ",\n  \"seat\": %s\n}\n",
            look.clock_id, look.clock_known ? "true" : "false", look.clock_error_ns,
            run->seat ? "true" : "false");
}

static int run_it(probe_run *run)
{
    es_wayland_status status;
    run->presentation = es_wayland_presentation_open(
            run->display, run->surface, run->options->timeout_ms, &status);
    if (run->presentation == NULL) {
        fprintf(stderr, "present_probe: wayland: %s\n", es_wayland_status_message(status));
        return 2;
    }
    probe_log_init(&run->log);
    show_all(run);
    /* what is still on its way comes, or is given up */
    int64_t end_ns = probe_now_ns() + (run->options->timeout_ms + 50) * MS_NS;
    while (es_wayland_presentation_look(run->presentation).on_their_way > 0
            && probe_now_ns() < end_ns) {
        es_wayland_presentation_wait(run->presentation, 20 * MS_NS);
        collect(run);
    }
    print(run);
    return 0;
}

static void close_window(probe_run *run)
{
    es_wayland_presentation_close(run->presentation);
    if (run->memory != NULL) {
        munmap(run->memory, run->size * BUFFERS);
    }
    if (run->callback != NULL) {
        wl_callback_destroy(run->callback);
    }
    for (int i = 0; i < BUFFERS; ++i) {
        if (run->buffers[i].object != NULL) {
            wl_buffer_destroy(run->buffers[i].object);
        }
    }
    if (run->toplevel != NULL) {
        xdg_toplevel_destroy(run->toplevel);
        xdg_surface_destroy(run->shell_surface);
        wl_surface_destroy(run->surface);
    }
    if (run->shell != NULL) {
        xdg_wm_base_destroy(run->shell);
    }
    if (run->shm != NULL) {
        wl_shm_destroy(run->shm);
    }
    if (run->compositor != NULL) {
        wl_compositor_destroy(run->compositor);
    }
    if (run->registry != NULL) {
        wl_registry_destroy(run->registry);
    }
    if (run->display != NULL) {
        wl_display_disconnect(run->display);
    }
}

int probe_wayland(const probe_options *options)
{
    static probe_run run;
    run.options = options;
    const char *why = open_window(&run);
    int code = 2;
    if (why == NULL) {
        code = run_it(&run);
    } else {
        fprintf(stderr, "present_probe: wayland: %s\n", why);
    }
    close_window(&run);
    return code;
}

int probe_seat(const probe_options *options)
{
    static const char *const names[] = {"no server", "none", "found"};
    int64_t before_ns = probe_now_ns();
    es_wayland_seat_state state = es_wayland_seat(options->display, options->timeout_ms);
    printf("{\n  \"seat\": \"%s\",\n  \"seconds\": %.3f\n}\n", names[state],
            (double)(probe_now_ns() - before_ns) / 1e9);
    return 0;
}

#else
typedef int probe_wayland_is_empty;
#endif
