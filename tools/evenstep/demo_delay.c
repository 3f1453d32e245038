/* SPDX-License-Identifier: Zlib */
#include "demo_delay.h"

#include <stdlib.h>
#include <string.h>

/* --- measuring -------------------------------------------------------------------------------- */

bool demo_delays_init(demo_delays *delays)
{
    delays->samples = calloc(DEMO_DELAYS, sizeof *delays->samples);
    delays->scratch = calloc(DEMO_DELAYS, sizeof *delays->scratch);
    return delays->samples != NULL && delays->scratch != NULL;
}

void demo_delays_finish(demo_delays *delays)
{
    free(delays->samples);
    free(delays->scratch);
    *delays = (demo_delays){0};
}

void demo_delays_restart(demo_delays *delays, int64_t now_ns)
{
    es_input_meter_init(&delays->meter, delays->samples, DEMO_DELAYS);
    es_input_meter_since(&delays->meter, now_ns);
    delays->live = (es_input_summary){0};
}

void demo_delays_since(demo_delays *delays, int64_t now_ns)
{
    es_input_meter_since(&delays->meter, now_ns);
}

void demo_delays_take(demo_delays *delays, const demo_got *got, int count)
{
    for (int i = 0; i < count; ++i) {
        es_input_meter_take(&delays->meter, &got[i].taken, &got[i].step);
    }
}

void demo_delays_frame(demo_delays *delays, const es_frame *frame, int64_t shown_ns)
{
    es_input_meter_frame(&delays->meter, frame, shown_ns);
}

static es_input_summary summary_of(const demo_delays *delays)
{
    es_input_summary summary = {0};
    es_input_meter_summarise(&delays->meter, delays->scratch, DEMO_DELAYS, &summary);
    return summary;
}

void demo_delays_refresh(demo_delays *delays)
{
    delays->live = summary_of(delays);
}

double demo_delays_of(const demo_delays *delays, int64_t stamp_ns)
{
    const es_input_meter *meter = &delays->meter;
    for (size_t i = 1; i <= meter->count; ++i) {
        const es_input_sample *sample =
                &meter->samples[(meter->next + meter->capacity - i) % meter->capacity];
        if (sample->stamp_ns == stamp_ns && sample->shows_ns != INT64_MIN) {
            return es_ns_to_ms(es_ns_sub(sample->shows_ns, stamp_ns));
        }
    }
    return DEMO_DELAY_LOST;
}

/* --- by setting ------------------------------------------------------------------------------- */

static bool is_same(const demo_setting *a, const demo_setting *b)
{
    double delay = a->delay_ticks - b->delay_ticks;
    return strcmp(a->loop, b->loop) == 0 && strcmp(a->show, b->show) == 0
           && a->low_latency == b->low_latency && a->lead_ticks == b->lead_ticks && delay < 0.001
           && delay > -0.001;
}

void demo_delay_note(demo_delay_log *log, demo_delays *delays)
{
    es_input_summary summary = summary_of(delays);
    int at = 0;
    if (summary.events == 0 || delays->setting.loop == NULL) {
        return;
    }
    while (at < log->count && !is_same(&log->entries[at].setting, &delays->setting)) {
        ++at;
    }
    at = at == DEMO_SETTINGS ? 0 : at; /* the oldest gives way */
    if (at < log->count) {
        log->count -= 1;
        memmove(log->entries + at, log->entries + at + 1,
                (size_t)(log->count - at) * sizeof log->entries[0]);
    }
    log->entries[log->count++] = (demo_delay_entry){
            delays->setting, summary, delays->meter.events, delays->meter.missed};
}

const char *demo_setting_text(const demo_setting *setting, char *text, size_t size)
{
    snprintf(text, size, "%s%s, %s, lead %d, delay %.4g", setting->loop,
            setting->low_latency ? ", latency low" : "", setting->show, (int)setting->lead_ticks,
            setting->delay_ticks);
    return text;
}

/* --- at the end ------------------------------------------------------------------------------- */

static void print_delay(FILE *out, const char *label, const es_input_delay *delay)
{
    fprintf(out, "  %-18s mean %.1f  p50 %.1f  p95 %.1f  max %.1f ms\n", label, delay->mean_ms,
            delay->p50_ms, delay->p95_ms, delay->max_ms);
}

void demo_delays_print(const demo_delays *delays, const demo_delay_log *log, FILE *out)
{
    const es_input_meter *meter = &delays->meter;
    es_input_summary all = summary_of(delays);
    char text[96];
    if (all.events == 0) {
        fprintf(out, "  %-18s no event was measured\n", "input");
        return;
    }
    fprintf(out, "  %-18s %lld events, %lld too late for the tick of their time\n", "input",
            (long long)meter->events, (long long)meter->missed);
    print_delay(out, "input to tick", &all.to_tick);
    print_delay(out, "input to picture", &all.to_shows);
    print_delay(out, "... all of it", &all.to_shown);
    for (int i = 0; log->count > 1 && i < log->count; ++i) {
        const demo_delay_entry *entry = &log->entries[i];
        fprintf(out, "  %-18s %5.1f, p95 %5.1f ms: %s\n", i == 0 ? "... by setting" : "",
                entry->summary.to_shows.mean_ms, entry->summary.to_shows.p95_ms,
                demo_setting_text(&entry->setting, text, sizeof text));
    }
}

static json_t *delay_json(const es_input_delay *delay)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "mean", delay->mean_ms, "p50", delay->p50_ms, "p95",
            delay->p95_ms, "max", delay->max_ms);
}

/* null in place of the figures where there are none. */
static void set_summary(
        json_t *root, int64_t events, int64_t missed, const es_input_summary *summary)
{
    static const char *const keys[] = {"to_due_ms", "to_tick_ms", "to_shows_ms", "to_shown_ms"};
    const es_input_delay *const delays[] = {
            &summary->to_due, &summary->to_tick, &summary->to_shows, &summary->to_shown};
    json_object_set_new(root, "events", json_integer(events));
    json_object_set_new(root, "missed", json_integer(missed));
    json_object_set_new(root, "shown", json_integer((json_int_t)summary->events));
    for (int i = 0; i < 4; ++i) {
        json_object_set_new(
                root, keys[i], summary->events > 0 ? delay_json(delays[i]) : json_null());
    }
}

json_t *demo_delays_json(const demo_delays *delays)
{
    es_input_summary all = summary_of(delays);
    json_t *root = json_object();
    set_summary(root, delays->meter.events, delays->meter.missed, &all);
    return root;
}

json_t *demo_delay_log_json(const demo_delay_log *log)
{
    json_t *list = json_array();
    for (int i = 0; i < log->count; ++i) {
        const demo_delay_entry *entry = &log->entries[i];
        const demo_setting *setting = &entry->setting;
        json_t *root = json_pack("{s:s, s:s, s:s, s:i, s:f}", "loop", setting->loop, "show",
                setting->show, "latency", setting->low_latency ? "low" : "smooth", "lead_ticks",
                (int)setting->lead_ticks, "delay_ticks", setting->delay_ticks);
        set_summary(root, entry->events, entry->missed, &entry->summary);
        json_array_append_new(list, root);
    }
    return list;
}
