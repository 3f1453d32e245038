/* SPDX-License-Identifier: Zlib
 *
 * What a field shows at an instant, as a sum over ticks. docs/notes/blending.md has the formulas.
 */
#include "blend_parts.h"

static int64_t plan_time_of(const es__sight *sight, size_t age)
{
    return sight->ticks[age].time_ns;
}

static int64_t length_ns(const es__sight *sight, size_t newer)
{
    return es__ns_between(plan_time_of(sight, newer + 1), plan_time_of(sight, newer));
}

static es__blend_source source(const es__sight *sight, size_t age, const es_field *field)
{
    ES__ASSERT(age <= sight->oldest && age < sight->kept, age, sight->kept);
    return (es__blend_source){sight->ticks[age].state, field};
}

#if ES__ASSERTS
/* Between leads from the older tick's time to the instant. */
static void check_place(const es__sight *sight)
{
    double off_ns = 0.0;
    if (sight->timed && sight->newer < sight->oldest) {
        int64_t older_ns = plan_time_of(sight, sight->newer + 1);
        off_ns = sight->between * (double)length_ns(sight, sight->newer)
                 - (double)es__ns_between(older_ns, sight->content_ns);
    }
    ES__ASSERT(fabs(off_ns) <= 1.0, off_ns);
    ES__ASSERT(!sight->inside || fabs(sight->between_f32 - sight->between) < 1e-7, sight->between);
}
#endif

void es__sight_aim(es__sight *sight)
{
    size_t newer = sight->newest;
    double between = sight->alpha;
    while (sight->timed && newer < sight->oldest
            && sight->content_ns <= plan_time_of(sight, newer + 1)) {
        newer += 1;
    }
    if (sight->timed && newer < sight->oldest) {
        double since_ns = (double)es__ns_between(plan_time_of(sight, newer + 1), sight->content_ns);
        between = since_ns / (double)length_ns(sight, newer);
    }
    sight->newer = newer;
    sight->ahead = sight->timed && sight->content_ns > plan_time_of(sight, sight->newest);
    sight->inside = !sight->ahead && newer < sight->oldest && between > 0 && between < 1;
    sight->between = between;
    sight->between_f32 = (double)(float)between;
    ES__ASSERT_IN(newer, sight->newest, sight->oldest);
    ES__ASSERT(!sight->timed || newer == sight->newest
                       || sight->content_ns <= plan_time_of(sight, newer),
            sight->content_ns);
    ES__ASSERT(!sight->timed || newer == sight->oldest
                       || sight->content_ns > plan_time_of(sight, newer + 1),
            sight->content_ns);
    ES__CHECK(check_place(sight));
}

size_t es__sight_tick(const es__sight *sight)
{
    bool older = !sight->timed && sight->alpha <= 0 && sight->newest < sight->oldest;
    return older ? sight->newest + 1 : sight->newer;
}

static void plan_copy(es__blend_plan *plan, const es__sight *sight, size_t age)
{
    plan->shape = ES_SHAPE_COPY;
    plan->to = source(sight, age, plan->field);
}

/* For the shapes of more than a pair. */
static void plan_more(es__blend_plan *plan, es__shape shape)
{
    const size_t begin = offsetof(es__blend_plan, before);
    memset((unsigned char *)plan + begin, 0, offsetof(es__blend_plan, group_weight) - begin);
    plan->shape = shape;
}

static void add_term(es__blend_plan *plan, es__blend_source plus, es__blend_source minus,
        double weight, int group)
{
    ES__ASSERT_IN(plan->term_count, 0, ES_TERMS_MAX - 1);
    ES__ASSERT_IN(group, -1, plan->group_count - 1);
    plan->terms[plan->term_count] = (es__plan_term){plus, minus, weight, group};
    plan->term_count += 1;
}

/* --- between two ticks ------------------------------------------------------------------------ */

/* Two ticks by the field's kind. The kernels take alpha in the field's type: an alpha that rounds to
 * an end is that end. As in es__value_cyclic, a period that is too long leads straight to the newer. */
static void plan_pair(es__blend_plan *plan, const es__sight *sight)
{
    const bool is_float = plan->field->type == ES_TYPE_F32;
    const double at = is_float ? sight->between_f32 : sight->between;
    const size_t newer = sight->newer;
    if (at <= 0) {
        plan_copy(plan, sight, newer + 1);
    } else if (at >= 1 || plan->turn > (is_float ? 1e30 : 1e290)) {
        plan_copy(plan, sight, newer);
    } else {
        plan->shape = ES_SHAPE_PAIR;
        plan->alpha = at;
        plan->from = source(sight, newer + 1, plan->field);
        plan->to = source(sight, newer, plan->field);
        const bool turns =
                plan->field->blend == ES_BLEND_ROTATION || es__is_matrix(plan->field->blend);
        if (turns && is_float) {
            es__rotor_f32(&plan->rotor_f32, (float)at);
        } else if (turns) {
            es__rotor_f64(&plan->rotor_f64, at);
        }
    }
}

/* The cubic from p1 to p2 with the tangents m1 and m2, per length of the pair:
 * p1 + D t^2 (3 - 2t) + m1 t (1 - t)^2 - m2 t^2 (1 - t). */
typedef struct basis {
    double way, start, end;
} basis;

static basis basis_at(double t)
{
    return (basis){t * t * (3 - 2 * t), t * (1 - t) * (1 - t), -t * t * (1 - t)};
}

static void plan_hermite(es__blend_plan *plan, const es__resolved *what, const es__sight *sight)
{
    const size_t newer = sight->newer;
    es__blend_source none = {NULL, NULL};
    basis b = basis_at(sight->between);
    double length_s = (double)length_ns(sight, newer) / 1e9;
    plan_more(plan, ES_SHAPE_SUM);
    plan->from = source(sight, newer + 1, plan->field);
    add_term(plan, source(sight, newer, plan->field), plan->from, b.way, -1);
    add_term(plan, source(sight, newer + 1, what->velocity), none, b.start * length_s, -1);
    add_term(plan, source(sight, newer, what->velocity), none, b.end * length_s, -1);
}

/* The tangent at a tick with neighbours on both sides is the parabola's through the three:
 * m = (1 - share) D + share (D' / its length in pairs). At an open end the curve is the parabola
 * that the other tangent leaves: m1 = 2 D - m2. */
static void plan_catmull_rom(es__blend_plan *plan, const es__sight *sight)
{
    const size_t newer = sight->newer;
    basis b = basis_at(sight->between);
    bool has_before = newer + 2 <= sight->oldest, has_after = newer > sight->newest;
    es__blend_source from = source(sight, newer + 1, plan->field);
    es__blend_source to = source(sight, newer, plan->field);
    double start = has_before ? b.start : 0, end = has_after ? b.end : 0;
    double way = b.way;
    if (!has_before && !has_after) {
        plan_pair(plan, sight);
        return;
    }
    plan->from = from;
    if (!has_before) {
        way += 2 * b.start;
        end -= b.start;
    }
    if (!has_after) {
        way += 2 * b.end;
        start -= b.end;
    }
    plan_more(plan, ES_SHAPE_SUM);
    double pair_ns = (double)length_ns(sight, newer);
    double from_before = 0, from_after = 0;
    if (has_before) {
        double ratio = pair_ns / (double)length_ns(sight, newer + 1);
        double share = ratio / (1 + ratio);
        way += start * (1 - share);
        from_before = start * share * ratio;
    }
    if (has_after) {
        double ratio = pair_ns / (double)length_ns(sight, newer - 1);
        double share = ratio / (1 + ratio);
        way += end * (1 - share);
        from_after = end * share * ratio;
    }
    add_term(plan, to, from, way, -1);
    if (has_before) {
        add_term(plan, from, source(sight, newer + 2, plan->field), from_before, -1);
    }
    if (has_after) {
        add_term(plan, source(sight, newer - 1, plan->field), to, from_after, -1);
    }
}

static void plan_monotone(es__blend_plan *plan, const es__resolved *what, const es__sight *sight)
{
    const size_t newer = sight->newer;
    plan_more(plan, ES_SHAPE_MONOTONE);
    plan->alpha = sight->between;
    plan->from = source(sight, newer + 1, plan->field);
    plan->to = source(sight, newer, plan->field);
    plan->length_s = (double)length_ns(sight, newer) / 1e9;
    if (what->velocity != NULL) {
        plan->from_velocity = source(sight, newer + 1, what->velocity);
        plan->to_velocity = source(sight, newer, what->velocity);
        return;
    }
    double pair_ns = (double)length_ns(sight, newer);
    if (newer + 2 <= sight->oldest) {
        plan->before = source(sight, newer + 2, plan->field);
        plan->before_length = (double)length_ns(sight, newer + 1) / pair_ns;
    }
    if (newer > sight->newest) {
        plan->after = source(sight, newer - 1, plan->field);
        plan->after_length = (double)length_ns(sight, newer - 1) / pair_ns;
    }
}

/* Strictly between two ticks. */
static void plan_inside(es__blend_plan *plan, const es__resolved *what, const es__sight *sight)
{
    switch (plan->field->blend) {
    case ES_BLEND_STEP:
    case ES_BLEND_MARK:
        plan_copy(plan, sight, sight->newer);
        return;
    case ES_BLEND_NEAREST:
        plan_copy(plan, sight, sight->between < 0.5 ? sight->newer + 1 : sight->newer);
        return;
    case ES_BLEND_HERMITE:
        plan_hermite(plan, what, sight);
        return;
    case ES_BLEND_CATMULL_ROM:
        if (sight->timed) {
            plan_catmull_rom(plan, sight);
            return;
        }
        break;
    case ES_BLEND_MONOTONE:
        if (sight->timed) {
            plan_monotone(plan, what, sight);
            return;
        }
        break;
    default:
        break;
    }
    plan_pair(plan, sight);
}

/* --- past the newest tick --------------------------------------------------------------------- */

/* How far a prediction reaches when time_ns have passed since the newest tick: all of it up to
 * max_ns, then slowing evenly to rest during the ramp. */
static double reach_ns(const es_prediction *prediction, int64_t time_ns)
{
    int64_t max_ns = prediction->max_ns > 0 ? prediction->max_ns : ES_PREDICT_MAX_NS;
    if (time_ns <= max_ns) {
        return (double)time_ns;
    }
    double over = (double)(time_ns - max_ns), ramp = (double)prediction->ramp_ns;
    if (ramp <= 0) {
        return (double)max_ns;
    }
    over = over < ramp ? over : ramp;
    return (double)max_ns + over - over * over / (2 * ramp);
}

/* Ends at the contact that the tick announces, if any. */
static double until_contact(const es__sight *sight, size_t age, double after_ns)
{
    if (sight->contact_ns == NULL || sight->contact_ns[age] <= plan_time_of(sight, age)) {
        return after_ns;
    }
    double contact = (double)es__ns_between(plan_time_of(sight, age), sight->contact_ns[age]);
    return after_ns < contact ? after_ns : contact;
}

/* Adds what tick `age` predicts for an instant after_ns after it, relative to its position. */
static void add_prediction(es__blend_plan *plan, const es__resolved *what, const es__sight *sight,
        size_t age, double after_ns, double weight, int group)
{
    es__blend_source none = {NULL, NULL};
    const es_prediction *prediction = plan->field->prediction;
    after_ns = until_contact(sight, age, after_ns);
    double after_s = after_ns / 1e9;
    if (what->velocity != NULL) {
        add_term(plan, source(sight, age, what->velocity), none, weight * after_s, group);
        if (prediction->kind == ES_PREDICT_BALLISTIC && what->acceleration != NULL) {
            add_term(plan, source(sight, age, what->acceleration), none,
                    weight * (after_s * after_s / 2), group);
        }
        return;
    }
    double ratio = after_ns / (double)length_ns(sight, age);
    add_term(plan, source(sight, age, plan->field), source(sight, age + 1, plan->field),
            weight * ratio, group);
}

/* Whether tick `age` can predict: it knows a velocity, or the tick before. */
static bool predicts(const es__resolved *what, const es__sight *sight, size_t age)
{
    return what->velocity != NULL ? age <= sight->oldest : age < sight->oldest;
}

/* How far the tick before the newest reaches: as far as it had come when the newest came, and then
 * as far as that one, so that the sum is continuous where the two meet. */
static double older_reach_ns(const es__blend_plan *plan, const es__sight *sight, double reach)
{
    return reach_ns(plan->field->prediction, length_ns(sight, sight->newest)) + reach;
}

/* How much of the correction has passed: it takes a tick, the shorter of the last two, so that it
 * is not as long as a silence before the newest. */
static double passed_of(const es__sight *sight, int64_t since_ns)
{
    size_t age = sight->newest;
    int64_t tick_ns = length_ns(sight, age);
    if (age + 2 <= sight->oldest && length_ns(sight, age + 1) < tick_ns) {
        tick_ns = length_ns(sight, age + 1);
    }
    return (double)since_ns / (double)tick_ns;
}

/* Both predictions of the shown instant, the older's part falling as the tick passes. */
static void add_blend(es__blend_plan *plan, const es__resolved *what, const es__sight *sight,
        double reach, int64_t since_ns)
{
    size_t age = sight->newest;
    if (age >= sight->oldest || !predicts(what, sight, age + 1)) {
        return;
    }
    double passed = passed_of(sight, since_ns);
    if (!(passed < 1)) {
        return;
    }
    int group = plan->group_count++;
    plan->group_weight[group] = 1 - passed;
    add_term(plan, source(sight, age + 1, plan->field), source(sight, age, plan->field), 1, group);
    add_prediction(plan, what, sight, age + 1, older_reach_ns(plan, sight, reach), 1, group);
    add_prediction(plan, what, sight, age, reach, -1, group);
}

/* How long a correction fades: decay_ns, or as long as the ticks that it follows from are kept. */
static double decay_of(const es__resolved *what, const es__sight *sight)
{
    const es_prediction *prediction = what->field->prediction;
    int64_t decay_ns = prediction->decay_ns > 0 ? prediction->decay_ns : ES_PREDICT_DECAY_NS;
    size_t needed = what->velocity != NULL ? 1 : 2;
    if (sight->kept > needed) {
        int64_t kept_ns =
                es__ns_between(plan_time_of(sight, sight->kept - needed), plan_time_of(sight, 0));
        decay_ns = kept_ns < decay_ns ? kept_ns : decay_ns;
    }
    return (double)decay_ns;
}

/* What each tick's prediction was off by when the next tick came, fading since then. */
static void add_decay(es__blend_plan *plan, const es__resolved *what, const es__sight *sight)
{
    const es_prediction *prediction = plan->field->prediction;
    double decay_ns = decay_of(what, sight);
    for (size_t age = sight->newest; age < sight->oldest; ++age) {
        double left =
                1 - (double)es__ns_between(plan_time_of(sight, age), sight->content_ns) / decay_ns;
        if (!(left > 0) || !predicts(what, sight, age + 1)) {
            return;
        }
        int group = plan->group_count++;
        plan->group_weight[group] = left;
        add_term(plan, source(sight, age + 1, plan->field), source(sight, age, plan->field), 1,
                group);
        add_prediction(
                plan, what, sight, age + 1, reach_ns(prediction, length_ns(sight, age)), 1, group);
    }
}

/* A rotation goes on as it turned in its last tick. */
static void plan_turning(
        es__blend_plan *plan, const es__sight *sight, double reach, int64_t since_ns)
{
    size_t age = sight->newest;
    double tick_ns = (double)length_ns(sight, age);
    plan_more(plan, ES_SHAPE_TURNING);
    plan->from = source(sight, age + 1, plan->field);
    plan->to = source(sight, age, plan->field);
    plan->ahead = until_contact(sight, age, reach) / tick_ns;
    double passed = passed_of(sight, since_ns);
    plan->alpha = passed < 1 && plan->field->prediction->correct != ES_CORRECT_SNAP ? passed : 1;
    if (plan->alpha < 1 && age + 2 <= sight->oldest) {
        plan->before = source(sight, age + 2, plan->field);
        plan->ahead_before = until_contact(sight, age + 1, older_reach_ns(plan, sight, reach))
                             / (double)length_ns(sight, age + 1);
    }
}

static void plan_ahead(es__blend_plan *plan, const es__resolved *what, const es__sight *sight)
{
    const es_prediction *prediction = plan->field->prediction;
    size_t age = sight->newest;
    if (prediction == NULL || prediction->kind == ES_PREDICT_HOLD || !predicts(what, sight, age)) {
        plan_copy(plan, sight, age);
        return;
    }
    int64_t since_ns = es__ns_between(plan_time_of(sight, age), sight->content_ns);
    double reach = reach_ns(prediction, since_ns);
    if (plan->field->blend == ES_BLEND_ROTATION) {
        plan_turning(plan, sight, reach, since_ns);
        return;
    }
    plan_more(plan, ES_SHAPE_SUM);
    plan->from = source(sight, age, plan->field);
    add_prediction(plan, what, sight, age, reach, 1, -1);
    if (prediction->correct == ES_CORRECT_BLEND) {
        add_blend(plan, what, sight, reach, since_ns);
    } else if (prediction->correct == ES_CORRECT_DECAY) {
        add_decay(plan, what, sight);
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

double es__turn_of(const es_field *field)
{
    if (field->blend == ES_BLEND_ANGLE) {
        return 6.283185307179586476925286766559;
    }
    return field->blend == ES_BLEND_CYCLIC ? field->period : 0;
}

#if ES__ASSERTS
/* The time of a source's tick from the shown instant on; NaN: that of two ticks. */
static double time_in(const es__sight *sight, es__blend_source from)
{
    double found = 0.0;
    for (size_t age = 0; from.state != NULL && age < sight->kept; ++age) {
        double time_ns = (double)es__ns_between(sight->content_ns, plan_time_of(sight, age));
        if (sight->ticks[age].state == from.state) {
            found = found != 0.0 ? (double)NAN : time_ns;
        }
    }
    return found;
}

/* Even motion stays even: a field that grows by 1 per ns is that instant's, unless a prediction is at its end
 * or ticks are years apart. */
static void check_sum(const es__blend_plan *plan, const es__resolved *what, const es__sight *sight)
{
    double shown_ns = time_in(sight, plan->from), size_ns = 1.0 + fabs(shown_ns);
    double most_ns = 1e15;
    if (sight->ahead) {
        int64_t max_ns = what->field->prediction->max_ns;
        most_ns = max_ns > 0 ? (double)max_ns : (double)ES_PREDICT_MAX_NS;
    }
    bool even = size_ns < es__min_f64(most_ns, 1e15) && sight->contact_ns == NULL;
    for (int i = 0; i < plan->term_count; ++i) {
        const es__plan_term *term = &plan->terms[i];
        double value = time_in(sight, term->plus) - time_in(sight, term->minus);
        double whole = term->group < 0 ? 1.0 : plan->group_weight[term->group];
        even = even && (term->minus.state == NULL || fabs(value) < most_ns);
        value = term->plus.field == what->velocity ? 1e9 : value;
        value = term->plus.field == what->acceleration ? 0.0 : value;
        shown_ns += term->weight * whole * value;
        size_ns += fabs(term->weight * whole * value);
    }
    ES__ASSERT(!(even && fabs(shown_ns) > 1e-9 * size_ns), shown_ns, size_ns);
}
#endif

void es__plan_field(es__blend_plan *plan, const es__resolved *what, const es__sight *sight)
{
    plan->field = what->field;
    plan->turn = es__turn_of(what->field);
    if (sight->inside) {
        plan_inside(plan, what, sight);
    } else if (sight->ahead) {
        plan_ahead(plan, what, sight);
    } else { /* a NaN is the newer tick */
        plan_copy(plan, sight, es__sight_tick(sight));
    }
    bool pair = plan->shape == ES_SHAPE_PAIR || plan->shape == ES_SHAPE_MONOTONE;
    ES__ASSERT(!pair || (plan->alpha > 0 && plan->alpha < 1), plan->alpha);
    ES__ASSERT(!pair || plan->from.state == sight->ticks[sight->newer + 1].state, sight->newer);
    ES__ASSERT(!pair || plan->to.state == sight->ticks[sight->newer].state, sight->newer);
    ES__ASSERT(
            plan->shape != ES_SHAPE_TURNING || (plan->alpha > 0 && plan->alpha <= 1), plan->alpha);
    ES__CHECK(plan->shape == ES_SHAPE_SUM ? check_sum(plan, what, sight) : (void)0);
}
