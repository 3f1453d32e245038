/* SPDX-License-Identifier: Zlib
 *
 * Presents frames with targets in a window of tests/compositor.c, for tests/targets.sh. Prints what the
 * compositor's log says of them, as JSON.
 *
 *   present_targets DISPLAY LOG plain|obey SWAP_INTERVAL COUNT EVERY
 *       targets on every EVERY-th refresh; on a variable one at uneven times. Swap interval 1 waits for
 *       the frame callback; with 0 frames are committed up to two and a half intervals ahead. COUNT
 *       frames, after some without a target.
 *   present_targets DISPLAY LOG pair     two frames with one target
 *   present_targets DISPLAY LOG MISUSE   prints the interface and number of the protocol error
 *
 * Status 1: the adapter does not open, or does not obey: says why.
 */
#define _GNU_SOURCE /* memfd_create */

#include "present_window.h"

#include "adapters/wayland_presentation.h"
#include "adapters/wayland_timing.h"

#include <inttypes.h>

enum { FRAMES = 4096, BEFORE = 8, COMMITS_BEFORE = 2 /* frame 0 is the second commit */ };

/* What is known of a frame. */
typedef struct one {
    int64_t target_ns;
    int64_t sample_ns; /* the adapter's; 0: none */
    int64_t asked_ns;  /* of the log; 0: no target */
    int64_t shown_ns;  /* of the log; 0: never */
    int seen;          /* times in the log */
} one;

static es_wayland_presentation *presentation;
static struct wl_buffer *buffer;
static struct wl_proxy *managers[2]; /* of timers and of fifos */
static one frames[FRAMES];
static int frame;
static es_present last;
static int64_t late_ns;    /* by which all targets are later than planned at first */
static int counts_from;    /* the first frame whose target has it */
static bool called = true; /* the frame callback has come */

/* As a loop does: after a missed refresh the targets are moved, or each frame would miss its own. */
static void collect(int64_t wait_ns)
{
    es_present samples[64];
    es_wayland_presentation_wait(presentation, wait_ns);
    int count = es_wayland_presentation_poll(presentation, samples, 64);
    for (int i = 0; i < count; ++i) {
        one *of = &frames[samples[i].frame];
        if (samples[i].discarded) {
            continue;
        }
        last = samples[i];
        of->sample_ns = last.shown_ns;
        int64_t missed_ns = last.shown_ns - of->target_ns + last.refresh_ns / 2;
        if (of->target_ns != 0 && missed_ns > last.refresh_ns && last.frame >= counts_from
                && !last.variable) {
            late_ns += missed_ns / last.refresh_ns * last.refresh_ns;
            counts_from = frame;
        }
    }
    wl_display_dispatch_pending(display);
}

static void present(int64_t target_ns)
{
    frames[frame].target_ns = target_ns;
    es_wayland_presentation_before_commit_at(presentation, frame++, target_ns);
    wl_surface_attach(surface, buffer, 0, 0);
    wl_surface_damage(surface, 0, 0, WIDTH, HEIGHT);
    wl_surface_commit(surface);
}

static void take_done(void *data, struct wl_callback *callback, uint32_t time)
{
    (void)data;
    (void)time;
    called = true;
    wl_callback_destroy(callback);
}

static const struct wl_callback_listener callback_listener = {take_done};

static void run(int swap_interval, int count, int every)
{
    for (int i = 0; i < BEFORE; ++i) {
        present(0);
        collect(ES_NS_PER_S);
    }
    const int64_t start_ns = last.shown_ns;
    const int64_t step_ns = last.variable ? 11 * ES_NS_PER_MS : last.refresh_ns * every;
    for (int i = 0; i < count; ++i) {
        int64_t uneven_ns = last.variable ? i % 3 * 2 * ES_NS_PER_MS : 0; /* 13, 13, 7 ms apart */
        int64_t planned_ns = start_ns + (4 + every + i) * step_ns + uneven_ns;
        if (swap_interval == 0) {
            es_wait_until(planned_ns + late_ns - step_ns * 5 / 2);
        } else {
            while (!called && wl_display_dispatch(display) >= 0) {
            }
            called = false;
            wl_callback_add_listener(wl_surface_frame(surface), &callback_listener, NULL);
        }
        collect(0);
        present(planned_ns + late_ns);
    }
}

/* False: a line that no commit of ours can have, or out of order. */
static bool read_log(const char *name)
{
    FILE *log = fopen(name, "r");
    char what[16];
    unsigned number, commit, newest = 0;
    one read;
    int64_t committed_ns, newest_ns = 0;
    bool right = log != NULL;
    while (right
            && fscanf(log, "%15s %u %u %" SCNd64 " %" SCNd64 " %" SCNd64, what, &number, &commit,
                       &committed_ns, &read.asked_ns, &read.shown_ns)
                       == 6) {
        right = commit >= COMMITS_BEFORE && commit < (unsigned)frame + COMMITS_BEFORE;
        one *of = right ? &frames[commit - COMMITS_BEFORE] : frames;
        of->seen += 1;
        of->asked_ns = read.asked_ns;
        of->shown_ns = read.shown_ns;
        if (of->shown_ns != 0) {
            right = right && commit > newest && of->shown_ns > newest_ns
                    && of->shown_ns >= committed_ns;
            newest = commit;
            newest_ns = of->shown_ns;
        }
    }
    if (log != NULL) {
        fclose(log);
    }
    return right;
}

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

/* before: frames seen before the time in the log. stamp_off_ns: the farthest that such a time is from
 * what the adapter is to ask for, without an offset. other: frames that are not once in the log. */
static void print_frames(const char *log)
{
    int shown = 0, discarded = 0, asked = 0, before = 0, kept = 0, other = 0;
    int64_t sum_ns = 0, stamp_off_ns = 0, sample_off_ns = 0;
    bool ordered = read_log(log);
    for (int i = 0; i < frame; ++i) {
        const one *of = &frames[i];
        int64_t off_ns = distance(of->sample_ns, of->shown_ns);
        sample_off_ns = off_ns > sample_off_ns ? off_ns : sample_off_ns;
        other += of->seen != 1 || (of->target_ns == 0 && of->asked_ns != 0);
        discarded += of->shown_ns == 0;
        asked += of->asked_ns != 0;
        if (of->target_ns != 0 && of->shown_ns != 0) {
            off_ns = distance(of->asked_ns, of->target_ns - last.refresh_ns / 4);
            stamp_off_ns = of->asked_ns != 0 && off_ns > stamp_off_ns ? off_ns : stamp_off_ns;
            off_ns = distance(of->shown_ns, of->target_ns);
            shown += 1;
            before += of->shown_ns < of->asked_ns;
            kept += off_ns <= ES_NS_PER_MS / 5;
            sum_ns += off_ns;
        }
    }
    es_wayland_look look = es_wayland_presentation_look(presentation);
    es_targets targets = es_wayland_presentation_targets(presentation);
    printf("{\"frames\": %d, \"shown\": %d, \"discarded\": %d, \"ordered\": %d, \"other\": %d,\n"
           "\"asked\": %d, \"passed\": %" PRIu64 ", \"before\": %d, \"kept\": %d,\n"
           "\"mean_ms\": %.4f, \"stamp_off_ns\": %" PRId64 ", \"sample_off_ns\": %" PRId64 ",\n"
           "\"offset_ns\": %" PRId64 ", \"refresh_ns\": %" PRId64 ", \"variable\": %d,\n"
           "\"times\": %d, \"ahead_ns\": %" PRId64 "}\n",
            frame - BEFORE, shown, discarded, ordered, other, asked, look.targets, before, kept,
            shown > 0 ? (double)sum_ns / shown / 1e6 : 0.0, stamp_off_ns, sample_off_ns,
            look.offset_ns, last.refresh_ns, last.variable, targets.times, targets.ahead_ns);
}

/* ---- Misuse */

static void take_manager(void *data, struct wl_registry *registry, uint32_t name,
        const char *interface, uint32_t version)
{
    static const struct wl_interface *const interfaces[] = {
            &es_timer_manager_interface, &es_fifo_manager_interface};
    (void)data;
    (void)version;
    for (int i = 0; i < 2; ++i) {
        if (strcmp(interface, interfaces[i]->name) == 0) {
            managers[i] = wl_registry_bind(registry, name, interfaces[i], 1);
        }
    }
}

static const struct wl_registry_listener manager_listener = {take_manager, take_global_remove};

/* timer, fifo: a driver takes one, too. time: a second target for a commit. reopen: no misuse. skip: no
 * commit for so long that the frame is given up. */
static void misuse(const char *what)
{
    wl_registry_add_listener(wl_display_get_registry(display), &manager_listener, NULL);
    wl_display_roundtrip(display);
    if (strcmp(what, "skip") == 0 || strcmp(what, "reopen") == 0) {
        es_wayland_presentation_close(presentation);
        presentation = es_wayland_presentation_open(display, surface, 250, NULL);
        es_wayland_presentation_obey(presentation);
    }
    if (strcmp(what, "time") == 0 || strcmp(what, "skip") == 0) {
        run(1, 0, 1);
        es_wayland_presentation_before_commit_at(presentation, 0, es_now_ns() + ES_NS_PER_S / 2);
        es_wait_until(es_now_ns() + (what[0] == 's' ? ES_NS_PER_S / 2 : 0));
        es_wayland_presentation_before_commit_at(presentation, 0, es_now_ns() + ES_NS_PER_S / 2);
    } else if (strcmp(what, "reopen") != 0) {
        bool fifo = strcmp(what, "fifo") == 0;
        wl_proxy_marshal_flags(managers[fifo], ES_TIMING_MANAGER_GET,
                fifo ? &es_fifo_interface : &es_timer_interface, 1, 0, NULL, surface);
    }
    uint32_t id;
    const struct wl_interface *interface = NULL;
    wl_display_roundtrip(display);
    uint32_t code = wl_display_get_protocol_error(display, &interface, &id);
    collect(0);
    printf("%s %u: %s\n", interface != NULL ? interface->name : "none", code,
            es_wayland_status_message(es_wayland_presentation_look(presentation).status));
}

int main(int argc, char **argv)
{
    const char *mode = argc > 3 ? argv[3] : "";
    es_wayland_status status = ES_WAYLAND_NO_SERVER;
    buffer = argc > 3 ? open_window(argv[1]) : NULL;
    if (buffer != NULL) {
        presentation = es_wayland_presentation_open(display, surface, 10000, &status);
    }
    if (status == ES_WAYLAND_OK && strcmp(mode, "plain") != 0) {
        status = es_wayland_presentation_obey(presentation);
    }
    if (status != ES_WAYLAND_OK) {
        fprintf(stderr, "present_targets: %s\n", es_wayland_status_message(status));
        return 1;
    }
    if (strcmp(mode, "pair") == 0) {
        run(1, 0, 1);
        int64_t target_ns = last.shown_ns + ES_NS_PER_S / 4;
        present(target_ns);
        present(target_ns);
    } else if (argc > 6) {
        run(atoi(argv[4]), atoi(argv[5]), atoi(argv[6]));
    } else {
        misuse(mode);
        return 0;
    }
    for (int i = 0; i < 300 && es_wayland_presentation_look(presentation).on_their_way > 0; ++i) {
        collect(20 * ES_NS_PER_MS);
    }
    print_frames(argv[2]);
    es_wayland_presentation_close(presentation);
    wl_display_disconnect(display);
    return 0;
}
