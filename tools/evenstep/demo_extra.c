/* SPDX-License-Identifier: Zlib */
#include "demo_extra.h"

#include "demo_report.h"

#define HITCH 1.5 /* a picture that is up for so many times as long as without the job */

static const char *const group_names[DEMO_GROUPS] = {"sparks", "birds"};

/* --- the overlay ------------------------------------------------------------------------------ */

/* Of the setting before: what another one gained or cost. NULL: there was none. */
static const demo_delay_entry *entry_before(const demo_extra *extra)
{
    return extra->log->count > 0 ? &extra->log->entries[extra->log->count - 1] : NULL;
}

static void show_input(const demo_extra *extra, const demo_delays *delays, demo_hud *hud)
{
    const es_input_summary *live = &delays->live;
    const demo_delay_entry *before = entry_before(extra);
    if (live->events == 0) {
        demo_hud_put(demo_hud_figure(hud), NULL, "input to picture", false, "no input yet");
        return;
    }
    demo_hud_put(demo_hud_figure(hud), NULL, "input to tick", false, "%.1f, p95 %.1f ms",
            live->to_tick.mean_ms, live->to_tick.p95_ms);
    demo_hud_put(demo_hud_figure(hud), NULL, "input to picture", false, "%.1f, p95 %.1f, max %.0f",
            live->to_shows.mean_ms, live->to_shows.p95_ms, live->to_shows.max_ms);
    demo_hud_put(demo_hud_figure(hud), NULL, "too late for tick", false, "%lld of %lld",
            (long long)delays->meter.missed, (long long)delays->meter.events);
    if (before != NULL) {
        double change_ms = live->to_shows.mean_ms - before->summary.to_shows.mean_ms;
        demo_hud_put(demo_hud_figure(hud), NULL, "setting before", false, "%.1f ms, now %+.1f",
                before->summary.to_shows.mean_ms, change_ms);
    }
}

/* Without a job, and with: what its hitch is. */
static void show_job(const demo_extra *extra, demo_hud *hud)
{
    const demo_job_figures *job = &extra->job[extra->mode];
    char text[40] = "";
    size_t used = 0;
    bool hitch = false;
    for (int mode = 0; mode < DEMO_JOB_MODES && used < sizeof text; ++mode) {
        const demo_worst *worst = &extra->worst[mode];
        const demo_worst *without = &extra->worst[DEMO_JOB_OFF];
        if (worst->frames > 0) {
            int more = snprintf(text + used, sizeof text - used, "%s%s %.0f", used > 0 ? ", " : "",
                    demo_job_name_at((size_t)mode), es_ns_to_ms(worst->ns));
            used += more > 0 ? (size_t)more : 0;
            hitch |= mode == (int)extra->mode && without->frames > 0
                     && (double)worst->ns > HITCH * (double)without->ns;
        }
    }
    if (extra->maps == 0 && extra->mode == DEMO_JOB_OFF) {
        return;
    }
    if (extra->mode != DEMO_JOB_OFF) {
        double each_ms = job->items > 0 ? es_ns_to_ms(job->work_ns) / (double)job->items : 0.0;
        demo_hud_put(demo_hud_figure(hud), NULL, "job, in a frame", false, "%.0f ms, at most %.1f",
                each_ms * DEMO_MAP_CELLS, es_ns_to_ms(job->most_ns));
    }
    demo_hud_put(demo_hud_figure(hud), NULL, "longest frame", hitch, "%s ms", text);
}

static void show_groups(const demo_extra *extra, demo_hud *hud)
{
    if (extra->apart) {
        demo_hud_put(demo_hud_figure(hud), NULL, "alphas", false,
                "%.0f: %.2f, %.4g: %.2f, %.0f: %.2f", extra->group_hz[DEMO_GROUP_SPARKS],
                extra->group_alphas[DEMO_GROUP_SPARKS], extra->game_hz, extra->game_alpha,
                extra->group_hz[DEMO_GROUP_BIRDS], extra->group_alphas[DEMO_GROUP_BIRDS]);
    }
}

/* Ticks that are played in frames of this machine bring what the job did. */
static bool runs_job(const demo_extra *extra)
{
    return extra->playing.path == NULL || extra->playing.schedule;
}

static void show_recording(const demo_recording *recording, demo_hud *hud)
{
    const es_record_counts *counts = &recording->counts;
    const char *problem = demo_recording_problem(recording);
    if (recording->path == NULL) {
        return;
    }
    if (problem != NULL) {
        demo_hud_put(demo_hud_figure(hud), NULL, "recording", true, "ended: %s", problem);
    } else {
        demo_hud_put(demo_hud_figure(hud), NULL, "recording", counts->ticks_lost > 0,
                "%lld ticks, %.0f kB%s", (long long)recording->tick, (double)counts->bytes / 1e3,
                counts->ticks_lost > 0 ? ", some lost" : "");
    }
}

static void show_playing(const demo_playing *playing, demo_hud *hud)
{
    if (playing->path == NULL) {
        return;
    }
    bool wrong = playing->lost || playing->skipped;
    demo_hud_put(demo_hud_figure(hud), NULL, "playing tick", false, "%lld of %lld",
            (long long)playing->tick, (long long)playing->last_tick);
    if (playing->differs) {
        demo_hud_put(demo_hud_figure(hud), NULL, "hashes", true, "differ from tick %lld on",
                (long long)playing->differs_tick);
    } else {
        demo_hud_put(demo_hud_figure(hud), NULL, "hashes", wrong, "%s",
                playing->lost      ? "equal, then damaged"
                : playing->skipped ? "equal; ticks are missing"
                                   : "equal so far");
    }
    if (playing->schedule) {
        demo_hud_put(demo_hud_figure(hud), NULL, "same frames", playing->same != playing->frames,
                "%lld of %lld", (long long)playing->same, (long long)playing->frames);
    }
}

void demo_extra_show(const demo_extra *extra, const demo_delays *delays, demo_hud *hud)
{
    show_recording(&extra->recording, hud);
    show_playing(&extra->playing, hud);
    if (extra->playing.path == NULL) {
        show_input(extra, delays, hud);
    }
    if (runs_job(extra)) {
        show_job(extra, hud);
    }
    show_groups(extra, hud);
}

/* --- the summary ------------------------------------------------------------------------------ */

static void print_job(FILE *out, const demo_extra *extra)
{
    for (int mode = 0; mode < DEMO_JOB_MODES; ++mode) {
        const demo_job_figures *job = &extra->job[mode];
        const demo_worst *worst = &extra->worst[mode];
        if (extra->mode == DEMO_JOB_OFF && extra->maps == 0) {
            return;
        }
        if (worst->frames > 0) {
            fprintf(out, "  job %-14s longest frame %.3f ms of %lld",
                    demo_job_name_at((size_t)mode), es_ns_to_ms(worst->ns),
                    (long long)worst->frames);
            if (job->items > 0) {
                fprintf(out,
                        "; %lld jobs of %.1f ms, at most %.3f in a %s, %lld of %lld items forced",
                        (long long)job->jobs,
                        es_ns_to_ms(job->work_ns) * DEMO_MAP_CELLS / (double)job->items,
                        es_ns_to_ms(job->most_ns), extra->threaded ? "tick" : "frame",
                        (long long)job->forced, (long long)job->items);
            }
            fputc('\n', out);
        }
    }
}

static void print_recording(FILE *out, const demo_recording *recording)
{
    const es_record_counts *counts = &recording->counts;
    const char *problem = demo_recording_problem(recording);
    if (recording->path == NULL) {
        return;
    }
    fprintf(out, "  %-18s %s: %s%lld ticks, %lld frames, %.1f kB, %lld snapshots\n", "recording",
            recording->path, problem != NULL ? "at most " : "", (long long)counts->steps,
            (long long)counts->frames, (double)counts->bytes / 1e3, (long long)counts->snapshots);
    if (counts->ticks_lost > 0) {
        fprintf(out, "  %-18s (%lld ticks are left out: the disk was too slow)\n", "",
                (long long)counts->ticks_lost);
    }
    if (problem != NULL) {
        fprintf(out, "  %-18s (ended before its end: %s)\n", "", problem);
    }
}

static void print_playing(FILE *out, const demo_playing *playing)
{
    if (playing->path == NULL) {
        return;
    }
    fprintf(out, "  %-18s %s: up to tick %lld of %lld, %lld", "playing", playing->path,
            (long long)playing->tick, (long long)playing->last_tick, (long long)playing->compared);
    if (playing->uncompared) {
        fprintf(out, " of %lld", (long long)playing->ran);
    }
    fprintf(out, " compared, %s%s\n",
            playing->differs         ? "not the same"
            : playing->compared == 0 ? "so nothing is known"
            : playing->uncompared    ? "and these are equal"
                                     : "every hash equal",
            playing->cut ? "; it was cut off there" : "");
    if (playing->schedule) {
        fprintf(out, "  %-18s %lld of %lld as recorded; %lld steps and readings were others\n",
                "frames", (long long)playing->same, (long long)playing->frames,
                (long long)playing->strays);
    }
    if (playing->threaded) {
        fprintf(out,
                "  %-18s (then ticks had a thread of their own, and no frames were recorded)\n",
                "");
    }
}

void demo_extra_print(const demo_extra *extra, const demo_delays *delays, FILE *out)
{
    print_recording(out, &extra->recording);
    print_playing(out, &extra->playing);
    if (extra->playing.path == NULL) {
        demo_delays_print(delays, extra->log, out);
    }
    if (extra->presses_made > 0) {
        fprintf(out, "  %-18s %lld, %lld seen by ticks, %lld waiting; %lld events lost\n", "clicks",
                (long long)extra->presses_made, (long long)extra->presses_seen,
                (long long)extra->presses_waiting, (long long)extra->events_lost);
    }
    if (runs_job(extra)) {
        print_job(out, extra);
    }
    if (extra->apart) {
        fprintf(out, "  %-18s game %.4g /s: %lld ticks", "rates", extra->game_hz,
                (long long)extra->game_ticks);
        for (int g = 0; g < DEMO_GROUPS; ++g) {
            fprintf(out, "; %s %.4g /s: %lld", group_names[g], extra->group_hz[g],
                    (long long)extra->group_ticks[g]);
        }
        fputc('\n', out);
    }
}

/* --- the report ------------------------------------------------------------------------------- */

static json_t *job_json(const demo_extra *extra)
{
    json_t *root = json_object(), *modes = json_object();
    for (int mode = 0; mode < DEMO_JOB_MODES; ++mode) {
        const demo_job_figures *job = &extra->job[mode];
        const demo_worst *worst = &extra->worst[mode];
        json_object_set_new(modes, demo_job_name_at((size_t)mode),
                json_pack("{s:I, s:f, s:I, s:I, s:I, s:f, s:f}", "frames",
                        (json_int_t)worst->frames, "longest_frame_ms", es_ns_to_ms(worst->ns),
                        "jobs", (json_int_t)job->jobs, "items", (json_int_t)job->items,
                        "forced_items", (json_int_t)job->forced, "work_ms",
                        es_ns_to_ms(job->work_ns), "most_ms", es_ns_to_ms(job->most_ns)));
    }
    json_object_set_new(root, "mode", json_string(demo_job_name_at((size_t)extra->mode)));
    json_object_set_new(root, "first_result", json_integer(extra->first_sum));
    json_object_set_new(root, "modes", modes);
    return root;
}

static json_t *rates_json(const demo_extra *extra)
{
    json_t *root = json_object();
    json_object_set_new(root, "apart", json_boolean(extra->apart));
    json_object_set_new(root, "game",
            json_pack("{s:f, s:I}", "hz", extra->game_hz, "ticks", (json_int_t)extra->game_ticks));
    for (int g = 0; g < DEMO_GROUPS; ++g) {
        json_object_set_new(root, group_names[g],
                json_pack("{s:f, s:I}", "hz", extra->group_hz[g], "ticks",
                        (json_int_t)extra->group_ticks[g]));
    }
    return root;
}

static json_t *recording_json(const demo_recording *recording)
{
    const es_record_counts *counts = &recording->counts;
    const char *problem = demo_recording_problem(recording);
    if (recording->path == NULL) {
        return json_null();
    }
    json_t *root = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "file", recording->path,
            "ticks", (json_int_t)counts->steps, "frames", (json_int_t)counts->frames, "bytes",
            (json_int_t)counts->bytes, "snapshots", (json_int_t)counts->snapshots, "ticks_lost",
            (json_int_t)counts->ticks_lost, "gaps", (json_int_t)counts->gaps);
    json_object_set_new(root, "ended_by", problem != NULL ? json_string(problem) : json_null());
    return root;
}

static json_t *playing_json(const demo_playing *playing)
{
    if (playing->path == NULL) {
        return json_null();
    }
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:b, s:I, s:I, s:I}", "file",
            playing->path, "tick", (json_int_t)playing->tick, "last_tick",
            (json_int_t)playing->last_tick, "ran", (json_int_t)playing->ran, "compared",
            (json_int_t)playing->compared, "equal", !playing->differs, "cut", playing->cut,
            "damaged", playing->lost || playing->skipped, "schedule", playing->schedule, "frames",
            (json_int_t)playing->frames, "same_frames", (json_int_t)playing->same, "strays",
            (json_int_t)playing->strays);
}

void demo_extra_json(json_t *root, const demo_extra *extra, const demo_delays *delays)
{
    json_t *input = demo_delays_json(delays);
    json_object_set_new(input, "clicks", json_integer(extra->presses_made));
    json_object_set_new(input, "clicks_seen", json_integer(extra->presses_seen));
    json_object_set_new(input, "clicks_waiting", json_integer(extra->presses_waiting));
    json_object_set_new(input, "lost", json_integer(extra->events_lost));
    json_object_set_new(root, "input", input);
    json_object_set_new(root, "input_by_setting", demo_delay_log_json(extra->log));
    json_object_set_new(root, "recording", recording_json(&extra->recording));
    json_object_set_new(root, "playing", playing_json(&extra->playing));
    json_object_set_new(root, "job", job_json(extra));
    json_object_set_new(root, "rates", rates_json(extra));
}
