/* SPDX-License-Identifier: Zlib
 *
 * A field of a job, with the fields that it names and the instant that it shows after its delay.
 */
#include "blend_parts.h"

const es_field *es__mark_of(const es_layout *layout, const es_field *field)
{
    for (size_t i = 0; field->group > 0 && i < layout->field_count; ++i) {
        if (layout->fields[i].blend == ES_BLEND_MARK && layout->fields[i].group == field->group) {
            return &layout->fields[i];
        }
    }
    return NULL;
}

/* --- delays of single fields, counted in ticks of the length that those had ------------------- */

static double tick_ns(const es__blend_job *job, size_t newer)
{
    return (double)es__ns_between(job->ticks[newer + 1].time_ns, job->ticks[newer].time_ns);
}

/* To the nearest nanosecond, within 285 years. */
static int64_t whole_ns(double ns)
{
    const double most = 9.0e18;
    ns = es__max_f64(es__min_f64(ns, most), -most);
    return (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

/* How many ticks ago an instant was: 0 is the newest tick, below 0 past it. Before the oldest and
 * past the newest, ticks are as long as the nearest one. */
static double ticks_ago(const es__blend_job *job, int64_t time_ns)
{
    size_t newer = 0;
    while (newer + 2 < job->tick_count && time_ns < job->ticks[newer + 1].time_ns) {
        newer += 1;
    }
    return (double)newer
           + (double)es__ns_between(time_ns, job->ticks[newer].time_ns) / tick_ns(job, newer);
}

static int64_t time_of_ticks_ago(const es__blend_job *job, double ago)
{
    size_t newer = 0;
    while (newer + 2 < job->tick_count && ago > (double)(newer + 1)) {
        newer += 1;
    }
    return es__ns_sub(
            job->ticks[newer].time_ns, whole_ns((ago - (double)newer) * tick_ns(job, newer)));
}

void es__blend_prepare(const es__blend_context *c, const es__blend_bundle *b, es__blend_item *it,
        const es_field *field)
{
    const es_layout *layout = c->job->layout;
    it->what.field = field;
    it->what.velocity = es__layout_find(layout, field->velocity);
    it->what.acceleration = es__layout_find(layout, field->acceleration);
    it->what.contact = es__layout_find(layout, field->contact);
    it->what.mark = b->mark;
    it->sight = &c->sight;
    bool delayed = field->delay_ticks < 0 || field->delay_ticks > 0;
    if (delayed && c->job->timed && c->job->tick_count > 1) {
        double ago = ticks_ago(c->job, c->job->content_ns) + field->delay_ticks;
        it->delayed = c->sight;
        it->delayed.content_ns = time_of_ticks_ago(c->job, ago);
        es__sight_aim(&it->delayed);
        it->sight = &it->delayed;
    }
    es__plan_field(&it->plan, &it->what, it->sight);
}
