/* SPDX-License-Identifier: Zlib
 *
 * The probe on X11: a plain xcb window; the adapter presents into it from its own connection.
 */
#ifdef EVENSTEP_HAVE_X11_PRESENT
#include "probe.h"

#include "adapters/x11_present.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/randr.h>
#include <xcb/xcb.h>

#define MS_NS       INT64_C(1000000)
#define PADDING     3 /* pixels after each row, so that the stride is not the width */
#define QUEUE_DEPTH 2

typedef struct probe_run {
    const probe_options *options;
    xcb_connection_t *connection;
    xcb_window_t window;
    es_x11_present *shower, *watcher;
    uint32_t *pixels;
    int width, height; /* of the image */
    int64_t frame;
    int64_t shown_last_ns;
    bool destroyed, restarted, changed_mode;
    uint64_t requested_before, unanswered_before; /* the restart */
    int64_t announced_first_ns;                   /* when the adapter that shows was opened */
    probe_log log, watched;
} probe_run;

static uint32_t pixel_of(int64_t frame, int x, int y)
{
    return ((uint32_t)frame * 40503U + (uint32_t)x * 7U + (uint32_t)y * 1021U) & 0xffffffU;
}

static bool draw(probe_run *run)
{
    size_t stride = (size_t)run->width + PADDING;
    uint32_t *pixels = realloc(run->pixels, stride * (size_t)run->height * 4);
    if (pixels == NULL) {
        return false;
    }
    run->pixels = pixels;
    for (int y = 0; y < run->height; ++y) {
        for (int x = 0; x < run->width; ++x) {
            pixels[(size_t)y * stride + (size_t)x] = pixel_of(run->frame, x, y);
        }
    }
    return true;
}

/* Whether the window shows the newest frame, to the pixel. Waits for the server. */
static bool shows_newest(const probe_run *run)
{
    xcb_get_image_cookie_t cookie = xcb_get_image(run->connection, XCB_IMAGE_FORMAT_Z_PIXMAP,
            run->window, 0, 0, (uint16_t)run->width, (uint16_t)run->height, ~0U);
    xcb_get_image_reply_t *image = xcb_get_image_reply(run->connection, cookie, NULL);
    if (image == NULL) {
        return false;
    }
    const uint8_t *data = xcb_get_image_data(image);
    bool same = xcb_get_image_data_length(image) == run->width * run->height * 4;
    for (int y = 0; same && y < run->height; ++y) {
        for (int x = 0; same && x < run->width; ++x) {
            uint32_t pixel;
            memcpy(&pixel, data + ((size_t)y * (size_t)run->width + (size_t)x) * 4, 4);
            same = (pixel & 0xffffffU) == pixel_of(run->frame - 1, x, y);
        }
    }
    free(image);
    return same;
}

/* What was requested of the window must be done before another connection, the adapter's, speaks of it:
 * servers take requests of two connections in any order. */
static void await_server(const probe_run *run)
{
    free(xcb_get_input_focus_reply(run->connection, xcb_get_input_focus(run->connection), NULL));
}

static bool open_window(probe_run *run)
{
    run->connection = xcb_connect(run->options->display, NULL);
    if (xcb_connection_has_error(run->connection) != 0) {
        return false;
    }
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(run->connection)).data;
    run->window = xcb_generate_id(run->connection);
    run->width = run->options->width;
    run->height = run->options->height;
    xcb_create_window(run->connection, screen->root_depth, run->window, screen->root, 0, 0,
            (uint16_t)run->width, (uint16_t)run->height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
            screen->root_visual, 0, NULL);
    xcb_map_window(run->connection, run->window);
    await_server(run);
    return true;
}

static void collect(probe_run *run)
{
    es_present samples[64];
    int count;
    while (run->shower != NULL && (count = es_x11_present_poll(run->shower, samples, 64)) > 0) {
        probe_log_samples(&run->log, samples, count);
    }
    while (run->watcher != NULL && (count = es_x11_present_poll(run->watcher, samples, 64)) > 0) {
        probe_log_samples(&run->watched, samples, count);
    }
}

static void change_size(probe_run *run)
{
    run->width = run->options->width + (int)(run->frame % 7) * 16;
    run->height = run->options->height + (int)(run->frame % 5) * 16;
    uint32_t size[] = {(uint32_t)run->width, (uint32_t)run->height};
    xcb_configure_window(
            run->connection, run->window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    await_server(run);
}

static es_x11_status show_one(probe_run *run)
{
    if (run->options->resize) {
        change_size(run);
    }
    if (!draw(run)) {
        return ES_X11_NO_MEMORY;
    }
    uint64_t target = run->options->mailbox ? 0 : ES_X11_QUEUE;
    int64_t drawn_ns = probe_now_ns();
    es_x11_status status = es_x11_present_show(run->shower, run->frame, run->pixels, run->width,
            run->height, (run->width + PADDING) * 4, target);
    if (status == ES_X11_OK) {
        probe_log_frame(&run->log, run->frame, drawn_ns);
        run->frame += 1;
    }
    return status;
}

/* Not over the depth, so that the queue is never the reason to be late by more than that. As a
 * mailbox: about a thousand frames a second, most of them replaced unseen. */
static bool has_room(probe_run *run)
{
    int64_t now_ns = probe_now_ns();
    es_x11_look look = es_x11_present_look(run->shower);
    if (look.images_busy == ES_X11_IMAGES) {
        return false; /* it would be busy, and a frame that is noted must be presented */
    }
    if (!run->options->mailbox) {
        return look.on_their_way < QUEUE_DEPTH;
    }
    bool due = now_ns - run->shown_last_ns >= MS_NS;
    run->shown_last_ns = due ? now_ns : run->shown_last_ns;
    return due;
}

/* What is still on its way comes, or is given up. */
static void finish(probe_run *run, es_x11_present *adapter)
{
    int64_t end_ns = probe_now_ns() + (run->options->timeout_ms + 50) * MS_NS;
    while (es_x11_present_look(adapter).on_their_way > 0 && probe_now_ns() < end_ns) {
        es_x11_present_wait(adapter, 20 * MS_NS);
        collect(run);
    }
}

static es_x11_present *open_adapter(const probe_run *run, es_x11_role role, es_x11_status *status)
{
    es_x11_present *adapter = es_x11_present_open(run->options->display, run->window, role, status);
    if (adapter != NULL) {
        es_x11_present_set_timeout(adapter, run->options->timeout_ms * MS_NS);
    }
    return adapter;
}

static es_x11_status restart(probe_run *run)
{
    finish(run, run->shower);
    es_x11_look look = es_x11_present_look(run->shower);
    run->requested_before = look.requested;
    run->unanswered_before = look.unanswered;
    run->restarted = true;
    es_x11_present_close(run->shower);
    es_x11_status status;
    run->shower = open_adapter(run, ES_X11_SHOW, &status);
    if (run->shower != NULL) {
        run->announced_first_ns = es_x11_present_look(run->shower).refresh_ns;
    }
    return status;
}

/* A mode of the same size that announces another rate; 160 columns and 40 lines of blanking. */
static xcb_randr_mode_t make_mode(
        const probe_run *run, xcb_window_t root, const xcb_randr_get_crtc_info_reply_t *crtc)
{
    char name[32]; /* of which a server has one */
    int length = snprintf(name, sizeof name, "probe-%g", run->options->mode_hz);
    xcb_randr_mode_info_t info = {.width = crtc->width,
            .height = crtc->height,
            .htotal = (uint16_t)(crtc->width + 160),
            .vtotal = (uint16_t)(crtc->height + 40),
            .name_len = (uint16_t)length};
    info.dot_clock = (uint32_t)(run->options->mode_hz * info.htotal * info.vtotal + 0.5);
    xcb_randr_create_mode_reply_t *made = xcb_randr_create_mode_reply(run->connection,
            xcb_randr_create_mode(run->connection, root, info, info.name_len, name), NULL);
    xcb_randr_mode_t mode = made != NULL ? made->mode : 0;
    free(made);
    return mode;
}

static bool set_mode(const probe_run *run, xcb_window_t root,
        const xcb_randr_get_screen_resources_current_reply_t *all)
{
    if (all->num_crtcs == 0 || all->num_outputs == 0) {
        return false;
    }
    xcb_connection_t *server = run->connection;
    xcb_randr_crtc_t first = xcb_randr_get_screen_resources_current_crtcs(all)[0];
    xcb_randr_output_t output = xcb_randr_get_screen_resources_current_outputs(all)[0];
    xcb_randr_get_crtc_info_reply_t *crtc = xcb_randr_get_crtc_info_reply(
            server, xcb_randr_get_crtc_info(server, first, XCB_CURRENT_TIME), NULL);
    xcb_randr_mode_t mode = crtc != NULL ? make_mode(run, root, crtc) : 0;
    bool done = false;
    if (mode != 0) {
        xcb_randr_add_output_mode(server, output, mode);
        xcb_randr_set_crtc_config_reply_t *set = xcb_randr_set_crtc_config_reply(server,
                xcb_randr_set_crtc_config(server, first, XCB_CURRENT_TIME, XCB_CURRENT_TIME,
                        crtc->x, crtc->y, mode, crtc->rotation, 1, &output),
                NULL);
        done = set != NULL && set->status == XCB_RANDR_SET_CONFIG_SUCCESS;
        free(set);
    }
    free(crtc);
    return done;
}

static void change_mode(probe_run *run)
{
    run->changed_mode = true;
    xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(run->connection)).data->root;
    xcb_randr_get_screen_resources_current_reply_t *all =
            xcb_randr_get_screen_resources_current_reply(run->connection,
                    xcb_randr_get_screen_resources_current(run->connection, root), NULL);
    if (all == NULL || !set_mode(run, root, all)) {
        fprintf(stderr, "present_probe: x11: the mode cannot be changed here\n");
    }
    free(all);
}

/* What happens once, in the middle of the run. */
static es_x11_status half_way(probe_run *run)
{
    if (run->options->mode_hz > 0.0 && !run->changed_mode) {
        change_mode(run);
    }
    if (run->options->destroy && !run->destroyed && run->log.presented >= run->options->least) {
        run->destroyed = true;
        xcb_destroy_window(run->connection, run->window);
        xcb_flush(run->connection);
    }
    return run->options->restart && !run->restarted ? restart(run) : ES_X11_OK;
}

static es_x11_status show_all(probe_run *run)
{
    int64_t span_ns = (int64_t)(run->options->seconds * 1e9);
    int64_t end_ns = probe_now_ns() + span_ns;
    while (probe_goes_on(run->options, run->log.presented, end_ns)) {
        es_x11_status status = es_x11_present_look(run->shower).status;
        if (status == ES_X11_OK && has_room(run)) {
            if (run->watcher != NULL) {
                es_x11_present_note(run->watcher, run->frame);
            }
            status = show_one(run);
        }
        if ((status == ES_X11_OK || status == ES_X11_BUSY)
                && end_ns - probe_now_ns() < span_ns / 2) {
            status = half_way(run);
        }
        if (status != ES_X11_OK && status != ES_X11_BUSY) {
            return status;
        }
        es_x11_present_wait(run->shower, (run->options->mailbox ? 1 : 20) * MS_NS);
        collect(run);
        if (probe_signal_server(run->options, &run->log)) {
            end_ns = probe_now_ns() + 1000 * MS_NS; /* frames go on for a second */
        }
    }
    return es_x11_present_look(run->shower).status;
}

/* Frames are announced, as before a swap, but nobody presents. */
static es_x11_status watch_silence(probe_run *run)
{
    int64_t end_ns = probe_now_ns() + (int64_t)(run->options->seconds * 1e9);
    while (probe_goes_on(run->options, (uint64_t)run->frame, end_ns)) {
        es_x11_status status = es_x11_present_note(run->watcher, run->frame);
        if (status != ES_X11_OK) {
            return status;
        }
        probe_log_frame(&run->watched, run->frame, probe_now_ns());
        run->frame += 1;
        es_x11_present_wait(run->watcher, 10 * MS_NS);
        collect(run);
    }
    return ES_X11_OK;
}

/* How many frames the watcher saw exactly as the shower did. */
static int agreed(const probe_run *run)
{
    int count = 0;
    int at = 0;
    for (int i = 0; i < run->watched.count; ++i) {
        const es_present *seen = &run->watched.kept[i];
        while (at < run->log.count && run->log.kept[at].frame < seen->frame) {
            at += 1;
        }
        count += at < run->log.count && run->log.kept[at].frame == seen->frame
                 && run->log.kept[at].shown_ns == seen->shown_ns;
    }
    return count;
}

static void print(probe_run *run, es_x11_status status, bool right)
{
    es_x11_present *adapter = run->shower != NULL ? run->shower : run->watcher;
    es_x11_look look = es_x11_present_look(adapter);
    printf("{\n  \"adapter\": \"x11\",\n  \"status\": \"%s\",\n", es_x11_status_message(status));
    probe_log_print(run->shower != NULL ? &run->log : &run->watched);
    if (run->shower != NULL && run->watcher != NULL) {
        printf("  \"watched\": %d,\n  \"watched_agree\": %d,\n", run->watched.count, agreed(run));
    }
    printf("  \"requested\": %" PRIu64 ",\n  \"unanswered\": %" PRIu64
           ",\n  \"unmatched\": %" PRIu64 ",\n",
            look.requested + run->requested_before, look.unanswered + run->unanswered_before,
            look.unmatched);
    printf("  \"lost\": %" PRIu64 ",\n  \"errors\": %" PRIu64 ",\n", look.lost, look.errors);
    printf("  \"at_once\": %" PRIu64 ",\n  \"announced_first_ns\": %" PRId64 ",\n", look.at_once,
            run->announced_first_ns);
    printf("  \"clock\": \"CLOCK_MONOTONIC\",\n  \"local\": %s,\n", look.local ? "true" : "false");
    printf("  \"present_version\": \"1.%u\",\n  \"capabilities\": %u,\n", look.version_minor,
            look.capabilities);
    printf("  \"shared_memory\": %s,\n  \"pixels_right\": %s\n}\n",
            look.shared_memory ? "true" : "false", right ? "true" : "false");
}

static int run_it(probe_run *run)
{
    es_x11_status status = ES_X11_OK;
    if (run->options->watch || run->options->silent) {
        run->watcher = open_adapter(run, ES_X11_WATCH, &status);
    }
    if (status == ES_X11_OK && !run->options->silent) {
        run->shower = open_adapter(run, ES_X11_SHOW, &status);
    }
    if (status != ES_X11_OK) {
        fprintf(stderr, "present_probe: x11: %s\n", es_x11_status_message(status));
        return 2;
    }
    run->announced_first_ns =
            es_x11_present_look(run->shower != NULL ? run->shower : run->watcher).refresh_ns;
    probe_log_init(&run->log);
    probe_log_init(&run->watched);
    status = run->shower != NULL ? show_all(run) : watch_silence(run);
    if (run->shower != NULL) {
        finish(run, run->shower);
    }
    if (run->watcher != NULL) {
        finish(run, run->watcher);
    }
    /* only of a server that still speaks: this question has no time-out */
    bool right = run->shower != NULL && status == ES_X11_OK
                 && es_x11_present_look(run->shower).unanswered == 0 && shows_newest(run);
    print(run, status, right);
    return 0;
}

int probe_x11(const probe_options *options)
{
    static probe_run run;
    run.options = options;
    int code = 2;
    if (open_window(&run)) {
        code = run_it(&run);
    } else {
        fprintf(stderr, "present_probe: x11: no X server\n");
    }
    es_x11_present_close(run.shower);
    es_x11_present_close(run.watcher);
    xcb_disconnect(run.connection);
    free(run.pixels);
    return code;
}

#else
typedef int probe_x11_is_empty;
#endif
