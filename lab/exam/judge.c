/* SPDX-License-Identifier: Zlib */
#include "lab/exam/exam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- invariants ------------------------------------------------------------------------------- */

enum {
    BEGINS = 512,   /* frames that a second may have, for the cap */
    LATE_FRAMES = 4 /* as many frames' work may be expected again */
};

/* What an observer keeps of a run. */
typedef struct watch {
    const exam_case *what;
    exam_verdict *verdict;
    double refresh_ns; /* of VRR: the longest interval */
    int32_t queue;
    double cap_per_s; /* most frames in a second; 0: no cap */
    double grain_ns;  /* of the clock */
    bool is_healthy, is_steady;
    const es_loop *engine;
    es_frame planned;
    bool has_planned;
    int64_t first_present_ns, first_named_ns, content_ns;
    int64_t poll_ns; /* frame begun began: true time */
    int64_t begins_ns[2]
                     [BEGINS]; /* of frame n, at n % BEGINS: true time, and on the loop's clock */
    int64_t begun;
    int64_t works_ns
            [LATE_FRAMES]; /* of frame n, at n % LATE_FRAMES: updates, drawing and present */
} watch;

static void expect(watch *w, bool holds, const char *invariant, double excess)
{
    if (!holds && (w->verdict->broken == NULL || w->verdict->broken == invariant)) {
        excess = excess > 1.0 ? excess : 1.0;
        w->verdict->broken = invariant;
        w->verdict->broken_by = excess > w->verdict->broken_by ? excess : w->verdict->broken_by;
    }
}

/* D counts from the first frame. Every term is reported, to the nanosecond. */
static void check_account(watch *w, const es_frame *f)
{
    const es_account *a = &f->account;
    int64_t expected_ns = f->present_ns - w->first_present_ns - a->dropped_ns - a->gaps_ns
                          - a->slowed_ns - a->clamped_ns - a->delay_ns - a->reanchored_ns
                          + a->seeked_ns;
    expect(w, f->content_ns == expected_ns, "the account adds up", 1.0);
    expect(w, f->content_ns >= w->content_ns, "content never goes back",
            (double)(w->content_ns - f->content_ns) / 1e6);
    expect(w, f->alpha >= 0.0 && f->alpha <= 1.0 && f->current_ns >= f->previous_ns,
            "alpha is in 0 to 1", 1.0);
}

/* In any second at most 1.005 * cap + queue + 1 frames begin: a frame begins up to queue refreshes before it is
 * seen. A clock that leaps or stands still misleads the loop, so the longer of two spans counts. */
static void check_cap(watch *w, int64_t begun_ns)
{
    const int64_t now_ns[] = {w->poll_ns, begun_ns};
    int64_t most = (int64_t)w->cap_per_s + w->queue + 1, span_ns = 0;
    for (int k = 0; k < 2; ++k) {
        int64_t first_ns = w->begins_ns[k][(w->begun + BEGINS - most) % BEGINS];
        span_ns = now_ns[k] - first_ns > span_ns ? now_ns[k] - first_ns : span_ns;
        w->begins_ns[k][w->begun % BEGINS] = now_ns[k];
    }
    if (w->cap_per_s > 0.0 && w->begun >= most) {
        double short_ns = (double)(ES_NS_PER_S - span_ns), allowed_ns = 5e6 + w->grain_ns;
        expect(w, short_ns <= allowed_ns, "the frame cap holds in each second",
                short_ns / allowed_ns);
    }
    w->begun += 1;
}

static void on_render(watch *w, const lab_content *content)
{
    if (content->planned == NULL) {
        return;
    }
    w->planned = *content->planned;
    if (!w->has_planned) {
        w->first_present_ns = w->planned.present_ns - w->planned.content_ns
                              - w->planned.account.dropped_ns - w->planned.account.gaps_ns
                              - w->planned.account.slowed_ns - w->planned.account.clamped_ns
                              - w->planned.account.delay_ns - w->planned.account.reanchored_ns
                              + w->planned.account.seeked_ns;
    }
    w->has_planned = true;
    w->engine = content->engine;
    check_account(w, &w->planned);
    w->content_ns = w->planned.content_ns;
    check_cap(w, w->planned.begun_ns);
    const char *problem = w->is_healthy ? es_loop_problem(w->engine) : NULL;
    expect(w, problem == NULL, "a healthy run has no problem", 1.0);
}

/* The time that an account names as missing, or as still to be made up. */
static int64_t named(const es_account *a)
{
    return a->dropped_ns + a->gaps_ns + a->slowed_ns + a->reanchored_ns + a->debt_ns - a->seeked_ns;
}

/* D is within queue + 2 refreshes of the flip. Beside that it is early by this frame's work, which was not known, and
 * late by the work of one of the last frames, which was expected again. */
static void on_return(watch *w, const lab_frame *frame)
{
    int64_t expected_ns = 0;
    for (int i = 0; i < LATE_FRAMES; ++i) {
        expected_ns = w->works_ns[i] > expected_ns ? w->works_ns[i] : expected_ns;
    }
    w->works_ns[frame->index % LATE_FRAMES] = frame->return_ns - frame->begin_ns;
    w->first_named_ns = frame->index == 0 ? named(&w->planned.account) : w->first_named_ns;
    if (!w->has_planned || !w->is_steady || frame->disturbed || frame->index < 60) {
        return;
    }
    double ahead_ns = (double)(w->planned.present_ns - frame->shown_ns);
    double limit_ns = (w->queue + 2) * w->refresh_ns, late_ns = limit_ns + (double)expected_ns;
    double early_ns = limit_ns + (double)(frame->submit_ns - frame->begin_ns);
    expect(w, ahead_ns <= late_ns, "D is at most queue + 2 refreshes late", ahead_ns / late_ns);
    expect(w, -ahead_ns <= early_ns, "D is at most queue + 2 refreshes early",
            -ahead_ns / early_ns);
}

static void on_event(void *user, const lab_event *event)
{
    watch *w = user;
    if (event->kind == LAB_EVENT_POLL) { /* right after es_loop_next or es_loop_begin */
        w->poll_ns = event->time_ns;
    } else if (event->kind == LAB_EVENT_RENDER) {
        on_render(w, event->content);
    } else if (event->kind == LAB_EVENT_RETURN) {
        on_return(w, event->record);
    }
}

/* Content has moved by real time, less what the account names. A loop that does not predict shows when its first frame
 * began: content gains what that frame took. */
static void check_end(watch *w, const lab_result *result)
{
    bool follows = strcmp(exam_gene_value(EXAM_LOOP, w->what->genes[EXAM_LOOP]), "lockstep") != 0;
    if (!w->has_planned || result->frame_count < 2 || !follows) {
        return;
    }
    const lab_frame *first = &result->frames[0], *last = &result->frames[result->frame_count - 1];
    int64_t real_ns = last->shown_ns - first->shown_ns;
    int64_t moved_ns = last->content_ns - first->content_ns;
    int64_t named_ns = named(&w->planned.account) - w->first_named_ns;
    const es_account *a = &w->planned.account; /* a seek or the program's speed gains time */
    int64_t gained_ns = a->seeked_ns - (a->slowed_ns < 0 ? a->slowed_ns : 0);
    double ahead_ns = (double)(moved_ns - (last->shown_ns - first->begin_ns) - gained_ns);
    double behind_ns = (double)(real_ns - moved_ns - named_ns);
    double limit_ns = (w->queue + 2) * w->refresh_ns + 250e6;
    double late_ns = limit_ns + (double)(last->return_ns - last->begin_ns); /* not known before */
    expect(w, ahead_ns <= limit_ns, "content does not gain on real time", ahead_ns / limit_ns);
    expect(w, behind_ns <= late_ns, "lost time is reported", behind_ns / late_ns);
}

/* A cap at most 5 % below a refresh rate of the run means every refresh. */
static double cap_of(const exam_case *c, const lab_setup *setup)
{
    static const double factors[] = {1.0, 4.0 / 5.0, 2.0 / 3.0};
    double refresh = (double)setup->display.rate.numerator / setup->display.rate.denominator;
    double leader = (double)setup->display.leader.numerator;
    double cap = setup->cap_ns > 0 ? 1e9 / (double)setup->cap_ns : 0.0, most = cap;
    size_t rates = c->genes[EXAM_CHANGE] != 0 ? sizeof factors / sizeof factors[0] : 1;
    bool fixed = setup->display.refresh == LAB_REFRESH_FIXED;
    for (size_t i = 0; i <= rates && fixed && cap > 0.0; ++i) {
        double hz = i < rates ? factors[i] * refresh : leader;
        most = hz > most && hz <= cap / 0.949 ? hz : most;
    }
    return 1.005 * most;
}

/* --- never worse ------------------------------------------------------------------------------ */

/* Below line, or 5 % of the peer's, two values are equal. From the bound on, the peer with the least error + pursuit may
 * not be left behind, whatever ours gains elsewhere. */
static const struct {
    const char *name;
    double line, bound;
} measures[EXAM_MEASURES] = {
        [EXAM_ERROR] = {"error", 0.1, 5.0},      /* % of a refresh */
        [EXAM_PURSUIT] = {"pursuit", 0.1, 10.0}, /* likewise */
        [EXAM_JUMPS] = {"jumps", 3.5, 12.0},     /* per minute: one in a case */
        [EXAM_RATE] = {"rate", 1.0, 10.0},       /* % */
        [EXAM_AGE] = {"age", 1.0, 25.0},         /* ms */
        [EXAM_AGE_SD] = {"age-sd", 1.0, 20.0},   /* ms */
        [EXAM_CHANGES] = {"changes", 6.0, 30.0}, /* per minute */
};

/* Frames over the refresh rate, without vsync, are no gain. */
static void take(const exam_case *c, const lab_measures *m, double frames_per_s,
        double values[EXAM_MEASURES])
{
    double refresh_hz = strtod(exam_gene_value(EXAM_REFRESH, c->genes[EXAM_REFRESH]), NULL);
    refresh_hz = refresh_hz > 0.0 ? refresh_hz : 240.0;
    values[EXAM_ERROR] = lab_percent(m, m->animation.mean_abs_ms);
    values[EXAM_PURSUIT] = lab_percent(m, m->pursuit_ms);
    values[EXAM_JUMPS] = m->jumps_per_min;
    double seen = m->frames_per_s < refresh_hz ? m->frames_per_s : refresh_hz;
    frames_per_s = frames_per_s < refresh_hz ? frames_per_s : refresh_hz;
    values[EXAM_RATE] = seen > 0.0 ? 100.0 * frames_per_s / seen : 1e6;
    values[EXAM_AGE] = m->input_age_ms;
    values[EXAM_AGE_SD] = m->input_age_sd_ms;
    values[EXAM_CHANGES] = m->rate_changes_per_min;
}

/* By how many lines ours is worse; a peer that is itself worse elsewhere loses that much tenfold. */
static double margin_of(const double ours[], const double peers[], exam_measure *worst)
{
    double gain = -1e9, loss = 0.0;
    for (int i = 0; i < EXAM_MEASURES; ++i) {
        double line = measures[i].line > 0.05 * peers[i] ? measures[i].line : 0.05 * peers[i];
        double worse = (ours[i] - peers[i]) / (i == EXAM_RATE ? measures[i].line : line);
        loss = -worse > loss ? -worse : loss;
        if (worse > gain) {
            gain = worse;
            *worst = (exam_measure)i;
        }
    }
    return loss > 1.0 ? (gain > 1.0 ? 1.0 : gain) - (loss - 1.0) / loss : gain;
}

static double bound_margin(const double ours[], const double peers[], exam_measure *worst)
{
    double most = -1e9;
    for (int i = 0; i < EXAM_MEASURES; ++i) {
        double worse = (ours[i] - peers[i]) / measures[i].bound;
        if (worse > most) {
            most = worse;
            *worst = (exam_measure)i;
        }
    }
    return most;
}

static void note_peer(exam_verdict *v, const char *peer, const double peers[], double margin,
        exam_measure measure, bool is_bound)
{
    if (margin <= v->margin) {
        return;
    }
    v->margin = margin;
    v->measure = measure;
    memcpy(v->peers, peers, sizeof v->peers);
    v->is_bound = is_bound;
    v->peer = margin > 1.0 ? peer : NULL;
}

/* Ours has run, and values has what it measured. Peers that lose over 20 ms more do not count. */
static es_result compare(
        const exam_case *c, const lab_measures *ours, lab_result *result, exam_verdict *v)
{
    double best = 1e9, best_values[EXAM_MEASURES] = {0};
    const char *best_name = NULL;
    take(c, ours, ours->frames_per_s, v->ours);
    for (const char *const *peer = exam_peers(c); *peer != NULL; ++peer) {
        lab_setup setup = exam_setup(c, *peer);
        double values[EXAM_MEASURES];
        exam_measure measure = EXAM_ERROR;
        es_result status = lab_run(&setup, result, NULL);
        if (status == ES_ERR_UNSUPPORTED) {
            continue;
        }
        if (status != ES_OK) {
            return status;
        }
        double lost_ms = result->measures.lost_ms, ours_ms = ours->lost_ms;
        lost_ms = lost_ms < 0.0 ? -lost_ms : lost_ms;
        ours_ms = ours_ms < 0.0 ? -ours_ms : ours_ms;
        if (result->measures.frames < 3 || lost_ms > ours_ms + 20.0) {
            continue;
        }
        take(c, &result->measures, ours->frames_per_s, values);
        if (strcmp(*peer, "godot") == 0) { /* its frames show no tick: its input is younger */
            values[EXAM_AGE] = v->ours[EXAM_AGE];
            values[EXAM_AGE_SD] = v->ours[EXAM_AGE_SD];
        }
        double margin = margin_of(v->ours, values, &measure);
        note_peer(v, *peer, values, margin, measure, false);
        if (values[EXAM_ERROR] + values[EXAM_PURSUIT] < best) {
            best = values[EXAM_ERROR] + values[EXAM_PURSUIT];
            best_name = *peer;
            memcpy(best_values, values, sizeof values);
        }
    }
    if (best_name != NULL) {
        exam_measure measure = EXAM_ERROR;
        double margin = bound_margin(v->ours, best_values, &measure);
        note_peer(v, best_name, best_values, margin, measure, true);
    }
    return ES_OK;
}

/* Threads wake refreshes late, as after a pause. */
static bool wakes_late(const exam_case *c)
{
    const char *late = exam_gene_value(EXAM_LATE, c->genes[EXAM_LATE]);
    return strcmp(late, "busy") == 0 || strcmp(late, "desktop") == 0;
}

es_result exam_run(const exam_case *c, unsigned judges, lab_result *result, exam_verdict *v)
{
    *v = (exam_verdict){.margin = -1e9};
    lab_setup setup = exam_setup(c, NULL);
    bool vrr = setup.display.refresh == LAB_REFRESH_VARIABLE;
    watch w = {.what = c,
            .verdict = v,
            .refresh_ns = vrr ? 1e9 / 48.0
                              : 1e9 * setup.display.rate.denominator / setup.display.rate.numerator,
            .queue = setup.display.queue,
            .cap_per_s = cap_of(c, &setup),
            .grain_ns = (double)setup.scenario.clock.grain_ns,
            .is_healthy = exam_is_healthy(c),
            .is_steady = c->genes[EXAM_CHANGE] == 0 && c->genes[EXAM_CLOCK] == 0
                         && c->genes[EXAM_PAUSES] == 0 && c->genes[EXAM_TAIL] == 0
                         && c->genes[EXAM_ON] == 0 && c->genes[EXAM_CALLS] == 0 && !wakes_late(c)
                         && setup.display.blocking != LAB_BLOCK_AT_ACQUIRE};
    if ((judges & EXAM_INVARIANTS) != 0) {
        setup.observer = (lab_observer){on_event, &w};
    }
    es_result status = lab_run(&setup, result, NULL);
    if (status != ES_OK) {
        return status;
    }
    if ((judges & EXAM_INVARIANTS) != 0) {
        check_end(&w, result);
    }
    v->frames = (int64_t)result->frame_count;
    lab_measures ours = result->measures;
    bool counts = (judges & EXAM_NEVER_WORSE) != 0 && ours.frames > 2;
    return counts ? compare(c, &ours, result, v) : ES_OK;
}

char *exam_words(const exam_verdict *v, char *text)
{
    if (v->broken != NULL) {
        snprintf(text, EXAM_TEXT, "broken: %s (%.2f)", v->broken, v->broken_by);
    } else if (v->peer != NULL) {
        snprintf(text, EXAM_TEXT, "%s: %s %.2f, %s %.2f", v->is_bound ? "bound" : "worse",
                measures[v->measure].name, v->ours[v->measure], v->peer, v->peers[v->measure]);
    } else {
        snprintf(text, EXAM_TEXT, "ok");
    }
    return text;
}

char *exam_line(const exam_case *c, const exam_verdict *v, char *line)
{
    char text[EXAM_TEXT];
    const char *kind = v->is_bound ? "bound: " : "worse: ", *what = measures[v->measure].name;
    if (v->broken != NULL) {
        kind = "broken: ";
        what = v->broken;
    } else if (v->peer == NULL) {
        kind = "";
        what = "ok";
    }
    snprintf(line, EXAM_LINE, "%s | %s%s", exam_text(c, text), kind, what);
    return line;
}
