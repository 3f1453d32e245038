/* SPDX-License-Identifier: Zlib
 *
 * What a field of a job shows: the fields that it names, and the instant that its delay leaves it.
 */
#include "blend_bundle.h"

static const es_field *named(const es_layout *layout, const char *name)
{
    return name != NULL ? es_layout_find(layout, name) : NULL;
}

static const es_field *mark_of(const es_layout *layout, const es_field *field)
{
    for (size_t i = 0; field->group > 0 && i < layout->field_count; ++i) {
        if (layout->fields[i].blend == ES_BLEND_MARK && layout->fields[i].group == field->group) {
            return &layout->fields[i];
        }
    }
    return NULL;
}

const es_blend_pick *es__blend_pick_of(const es_blend_job *job, const es_field *field)
{
    for (size_t i = 0; field->group > 0 && i < job->pick_count; ++i) {
        if (job->picks[i].group == field->group) {
            return &job->picks[i];
        }
    }
    return NULL;
}

static const es_field *flattened(const es_field *field, es_field *place)
{
    if (field == NULL) {
        return NULL;
    }
    *place = *field;
    place->count = field->count * es_components(field);
    place->components = 1;
    place->stride = ES_TYPE_SIZE(field->type);
    place->component_stride = 0;
    return place;
}

/* Packed vectors, number by number, where no object needs to be told from the others, are one array
 * of numbers. */
static void flatten(es_resolved *what, es_field place[3])
{
    es_blend_kind kind = what->field->blend;
    bool by_number = kind != ES_BLEND_ROTATION && kind != ES_BLEND_COLOUR && kind != ES_BLEND_SRGB;
    if (es_components(what->field) == 1 || !by_number || what->pick != NULL || what->mark != NULL
            || what->contact != NULL || !es__blend_is_flat(what->field)
            || (what->velocity != NULL && !es__blend_is_flat(what->velocity))
            || (what->acceleration != NULL && !es__blend_is_flat(what->acceleration))) {
        return;
    }
    what->field = flattened(what->field, &place[0]);
    what->velocity = flattened(what->velocity, &place[1]);
    what->acceleration = flattened(what->acceleration, &place[2]);
}

/* ---- delays of single fields, counted in ticks as long as those were ---- */

static double tick_ns(const es_blend_job *job, size_t newer)
{
    return (double)es_ns_sub(job->ticks[newer].time_ns, job->ticks[newer + 1].time_ns);
}

/* To the nearest nanosecond; most of what a double holds is cut to 285 years. */
static int64_t whole_ns(double ns)
{
    const double most = 9.0e18;
    ns = ns < -most ? -most : ns > most ? most : ns;
    return (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

/* How many ticks ago an instant was: 0 is the newest tick, below 0 past it. Before the oldest and
 * past the newest, ticks count as long as the one beside. */
static double ticks_ago(const es_blend_job *job, int64_t time_ns)
{
    size_t newer = 0;
    while (newer + 2 < job->tick_count && time_ns < job->ticks[newer + 1].time_ns) {
        newer += 1;
    }
    return (double)newer
           + (double)es_ns_sub(job->ticks[newer].time_ns, time_ns) / tick_ns(job, newer);
}

static int64_t time_of_ticks_ago(const es_blend_job *job, double ago)
{
    size_t newer = 0;
    while (newer + 2 < job->tick_count && ago > (double)(newer + 1)) {
        newer += 1;
    }
    return es_ns_sub(
            job->ticks[newer].time_ns, whole_ns((ago - (double)newer) * tick_ns(job, newer)));
}

static es_sight sight_of(const es_blend_job *job, const es_field *field)
{
    es_sight sight = {job->ticks, 0, job->tick_count - 1, job->tick_count, job->timed,
            job->quality == ES_QUALITY_FAST, false, job->alpha, job->content_ns, NULL};
    bool delayed = field->delay_ticks < 0 || field->delay_ticks > 0;
    if (delayed && job->timed && job->tick_count > 1) {
        double ago = ticks_ago(job, job->content_ns) + field->delay_ticks;
        sight.content_ns = time_of_ticks_ago(job, ago);
    }
    return sight;
}

/* ---- all of it ---- */

void es__blend_prepare(es_blend_item *it, const es_blend_job *job, const es_field *field)
{
    it->what.field = field;
    it->what.velocity = named(job->layout, field->velocity);
    it->what.acceleration = named(job->layout, field->acceleration);
    it->what.contact = named(job->layout, field->contact);
    it->what.mark = mark_of(job->layout, field);
    it->what.pick = es__blend_pick_of(job, field);
    it->sight = sight_of(job, field);
    flatten(&it->what, it->flat);
    es_plan_field(&it->plan, &it->what, &it->sight);
}
