/* SPDX-License-Identifier: Zlib
 *
 * Carries out a plan for one number type. blend_apply.c includes this once per type with
 *   NUMBER   float or double
 *   NAME(x)  x with the type's suffix
 *   KERNELS  the member of es__kernels for the type
 *   RATIO, ROTATION  the functions for one value
 */

static const NUMBER *NAME(number_at)(es__blend_source from, size_t element, size_t component)
{
    return (const NUMBER *)(const void *)(from.state
                                          + es__field_at(from.field, element, component));
}

static NUMBER *NAME(number_to)(
        const es_field *field, unsigned char *out, size_t element, size_t component)
{
    return (NUMBER *)(void *)(out + es__field_at(field, element, component));
}

/* The numbers of one component: in place if they are adjacent, else gathered into buffer. */
static const NUMBER *NAME(fetch)(
        es__blend_source from, const es__elements *elements, size_t component, NUMBER *buffer)
{
    if (from.state == NULL) {
        return NULL;
    }
    if (is_direct(from.field)) {
        return NAME(number_at)(from, elements->first, component);
    }
    for (size_t i = 0; i < elements->count; ++i) {
        buffer[i] = *NAME(number_at)(from, elements->first + i, component);
    }
    return buffer;
}

/* Where a kernel writes one component: in place if its numbers are adjacent, else into buffer. */
static NUMBER *NAME(target)(const es_field *field, const es__elements *elements, size_t component,
        unsigned char *out, NUMBER *buffer)
{
    return is_direct(field) ? NAME(number_to)(field, out, elements->first, component) : buffer;
}

/* Scatters the results of a kernel that wrote into buffer. */
static void NAME(store)(const es_field *field, const es__elements *elements, size_t component,
        const NUMBER *written, const NUMBER *buffer, unsigned char *out)
{
    for (size_t i = 0; written == buffer && i < elements->count; ++i) {
        *NAME(number_to)(field, out, elements->first + i, component) = buffer[i];
    }
}

/* --- two ticks, number by number -------------------------------------------------------------- */

static void NAME(apply_pair)(
        const es__blend_plan *plan, const es__elements *elements, unsigned char *out)
{
    const size_t components = es__components(plan->field);
    const NUMBER alpha = (NUMBER)plan->alpha, turn = (NUMBER)plan->turn;
    for (size_t i = 0; i < elements->count * components; ++i) {
        const size_t element = elements->first + i / components, c = i % components;
        const NUMBER a = *NAME(number_at)(plan->from, element, c);
        const NUMBER b = *NAME(number_at)(plan->to, element, c);
        NUMBER *to = NAME(number_to)(plan->field, out, element, c);
        if (plan->field->blend == ES_BLEND_LOG) {
            *to = RATIO(a, b, alpha);
        } else if (turn > 0) {
            *to = NAME(es__value_cyclic)(a, b, alpha, turn);
        } else {
            *to = NAME(es__value_lerp)(a, b, alpha);
        }
    }
}

/* --- rotations -------------------------------------------------------------------------------- */

static void NAME(apply_rotation)(const es__blend_plan *plan, const es__kernels *kernels,
        const es__elements *elements, unsigned char *out)
{
    NUMBER a[4][ES_CHUNK], b[4][ES_CHUNK], result[4][ES_CHUNK];
    es__quads q = {.a = (const unsigned char *)a,
            .b = (const unsigned char *)b,
            .out = (unsigned char *)result,
            .step = sizeof a[0]};
    for (size_t i = 0; i < 4 * elements->count; ++i) {
        a[i % 4][i / 4] = *NAME(number_at)(plan->from, elements->first + i / 4, i % 4);
        b[i % 4][i / 4] = *NAME(number_at)(plan->to, elements->first + i / 4, i % 4);
    }
    kernels->KERNELS->rotation(&q, elements->count, &plan->NAME(rotor));
    for (size_t i = 0; i < 4 * elements->count; ++i) {
        *NAME(number_to)(plan->field, out, elements->first + i / 4, i % 4) = result[i % 4][i / 4];
    }
}

static NUMBER NAME(dot4)(const NUMBER a[4], const NUMBER b[4])
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

/* The mirror image of a about b: as far beyond it, and as long as a, however long b is. (Without
 * the division a length that is an ulp off would grow fourfold with each image of an image.) */
static void NAME(mirrored)(const NUMBER a[4], const NUMBER b[4], NUMBER out[4])
{
    NUMBER dot = NAME(dot4)(a, b), length2 = NAME(dot4)(b, b);
    NUMBER factor = length2 > 0 ? (dot + dot) / length2 : dot;
    for (size_t c = 0; c < 4; ++c) {
        out[c] = factor * b[c] - a[c];
    }
}

/* How a rotation goes on from a over b by this many such turns. With q(n) n turns after a: the
 * mirror image of q(i) about q(k) is q(2 k - i), so that each bit of n takes two mirrors. */
static void NAME(turn_on)(const NUMBER a[4], const NUMBER b[4], double turns, NUMBER out[4])
{
    const double most = 4503599627370496.0; /* 2^52: beyond, no fraction is left */
    uint64_t whole = (uint64_t)(turns < most ? turns : most);
    NUMBER here[4], next[4], doubled[4], middle[4];
    memcpy(here, a, sizeof here);
    memcpy(next, b, sizeof next);
    for (int bit = 53; bit >= 0; --bit) {
        bool odd = ((whole + 1) >> bit & 1) != 0;
        if (((whole + 1) >> bit) == 0) {
            continue;
        }
        NAME(mirrored)(a, odd ? next : here, doubled);
        NAME(mirrored)(b, next, middle);
        memcpy(here, odd ? middle : doubled, sizeof here);
        memcpy(next, odd ? doubled : middle, sizeof next);
    }
    ROTATION(here, next, (NUMBER)(turns - (double)whole), out);
}

static void NAME(apply_turning)(
        const es__blend_plan *plan, const es__elements *elements, unsigned char *out)
{
    for (size_t i = 0; i < elements->count; ++i) {
        size_t element = elements->first + i;
        NUMBER before[4] = {0}, from[4], to[4], older[4], newer[4];
        for (size_t c = 0; c < 4; ++c) {
            from[c] = *NAME(number_at)(plan->from, element, c);
            to[c] = *NAME(number_at)(plan->to, element, c);
            if (plan->before.state != NULL) {
                before[c] = *NAME(number_at)(plan->before, element, c);
            }
        }
        NAME(turn_on)(from, to, plan->ahead, newer);
        if (plan->before.state != NULL) {
            NAME(turn_on)(before, from, plan->ahead_before, older);
            ROTATION(older, newer, (NUMBER)plan->alpha, newer);
        }
        for (size_t c = 0; c < 4; ++c) {
            *NAME(number_to)(plan->field, out, element, c) = newer[c];
        }
    }
}

/* --- sums ------------------------------------------------------------------------------------- */

/* To the nearest turn; a NaN where the type holds too few digits of a fraction of a turn. */
static NUMBER NAME(wrapped)(NUMBER difference, NUMBER turn)
{
    const NUMBER most = turn * (NUMBER)(sizeof(NUMBER) == 4 ? 4194304.0 : 2251799813685248.0);
    if (difference > -most && difference < most) {
        return NAME(es__value_nearest_turn)(difference, turn);
    }
    return difference - difference;
}

/* A sum in which every difference, and every group's sum, is brought to the nearest turn. */
static void NAME(sum_wrapped)(const es__blend_plan *plan, const NUMBER *base,
        const NAME(es__term) * terms, NUMBER *out, size_t n)
{
    NUMBER turn = (NUMBER)plan->turn;
    for (size_t i = 0; i < n; ++i) {
        NUMBER group[ES_GROUPS_MAX] = {0};
        NUMBER sum = 0;
        for (int k = 0; k < plan->term_count; ++k) {
            NUMBER value = terms[k].plus[i];
            if (terms[k].minus != NULL) {
                value = NAME(wrapped)(value - terms[k].minus[i], turn);
            }
            if (plan->terms[k].group < 0) {
                sum += value * terms[k].weight;
            } else {
                group[plan->terms[k].group] += value * terms[k].weight;
            }
        }
        for (int g = 0; g < plan->group_count; ++g) {
            sum += NAME(wrapped)(group[g], turn) * (NUMBER)plan->group_weight[g];
        }
        out[i] = base[i] + sum;
    }
}

static void NAME(apply_sum)(const es__blend_plan *plan, const es__kernels *kernels,
        const es__elements *elements, unsigned char *out)
{
    NUMBER base[ES_CHUNK], result[ES_CHUNK];
    NUMBER plus[ES_TERMS_MAX][ES_CHUNK], minus[ES_TERMS_MAX][ES_CHUNK];
    NAME(es__term) terms[ES_TERMS_MAX];
    for (size_t c = 0; c < es__components(plan->field); ++c) {
        for (int k = 0; k < plan->term_count; ++k) {
            const es__plan_term *term = &plan->terms[k];
            double whole = term->group < 0 ? 1 : plan->group_weight[term->group];
            terms[k].plus = NAME(fetch)(term->plus, elements, c, plus[k]);
            terms[k].minus = NAME(fetch)(term->minus, elements, c, minus[k]);
            terms[k].weight = (NUMBER)(plan->turn > 0 ? term->weight : term->weight * whole);
        }
        const NUMBER *from = NAME(fetch)(plan->from, elements, c, base);
        NUMBER *into = NAME(target)(plan->field, elements, c, out, result);
        if (plan->turn > 0) {
            NAME(sum_wrapped)(plan, from, terms, into, elements->count);
        } else {
            kernels->KERNELS->sum(from, terms, (size_t)plan->term_count, into, 0, elements->count);
        }
        NAME(store)(plan->field, elements, c, into, result, out);
    }
}

/* --- the limited cubic ------------------------------------------------------------------------ */

static void NAME(apply_monotone)(const es__blend_plan *plan, const es__kernels *kernels,
        const es__elements *elements, unsigned char *out)
{
    NUMBER buffer[6][ES_CHUNK], result[ES_CHUNK];
    double before = plan->before_length, after = plan->after_length;
    NAME(es__cubic) cubic;
    cubic.length = (NUMBER)plan->length_s;
    cubic.before_ratio = (NUMBER)(before > 0 ? 1 / before : 0);
    cubic.before_share = (NUMBER)(1 / (1 + before));
    cubic.after_ratio = (NUMBER)(after > 0 ? 1 / after : 0);
    cubic.after_share = (NUMBER)(1 / (1 + after));
    for (size_t c = 0; c < es__components(plan->field); ++c) {
        cubic.before = NAME(fetch)(plan->before, elements, c, buffer[0]);
        cubic.from = NAME(fetch)(plan->from, elements, c, buffer[1]);
        cubic.to = NAME(fetch)(plan->to, elements, c, buffer[2]);
        cubic.after = NAME(fetch)(plan->after, elements, c, buffer[3]);
        cubic.from_velocity = NAME(fetch)(plan->from_velocity, elements, c, buffer[4]);
        cubic.to_velocity = NAME(fetch)(plan->to_velocity, elements, c, buffer[5]);
        NUMBER *into = NAME(target)(plan->field, elements, c, out, result);
        kernels->KERNELS->monotone(&cubic, into, 0, elements->count, (NUMBER)plan->alpha);
        NAME(store)(plan->field, elements, c, into, result, out);
    }
}

/* --- matrices --------------------------------------------------------------------------------- */

static void NAME(apply_matrices)(const es__blend_plan *plan, const es__kernels *kernels,
        const es__elements *elements, unsigned char *out)
{
    const es_field *field = plan->field;
    const size_t numbers = es__components(field), shift = es__field_at(field, elements->first, 0);
    const size_t parts = ES_MATRIX_PARTS * sizeof(NUMBER);
    es__matrices m = {plan->from.state + shift, plan->to.state + shift, NULL, NULL, out + shift,
            field->stride, 0, es__matrix_form_of(field->blend, numbers)};
    if (numbers > 16 && es__component_step(field) == sizeof(NUMBER)) {
        const size_t behind = m.form.numbers * sizeof(NUMBER);
        m.a_parts = m.a + behind;
        m.b_parts = m.b + behind;
        kernels->KERNELS->matrices(&m, elements->count, &plan->NAME(rotor));
        for (size_t i = 0; i < elements->count; ++i) {
            memcpy(m.out + i * m.step + behind, m.b_parts + i * m.step, parts);
        }
        return;
    }
    for (size_t i = elements->first; i < elements->first + elements->count; ++i) {
        NUMBER a[28], b[28];
        for (size_t c = 0; c < numbers; ++c) {
            a[c] = *NAME(number_at)(plan->from, i, c);
            b[c] = *NAME(number_at)(plan->to, i, c);
        }
        NAME(es__matrix)(field->blend, numbers, a, b, &plan->NAME(rotor), a);
        for (size_t c = 0; c < numbers; ++c) {
            *NAME(number_to)(field, out, i, c) = a[c];
        }
    }
}

static void NAME(apply)(const es__blend_plan *plan, const es__kernels *kernels,
        const es__elements *elements, unsigned char *out)
{
    if (plan->shape == ES_SHAPE_SUM) {
        NAME(apply_sum)(plan, kernels, elements, out);
    } else if (plan->shape == ES_SHAPE_MONOTONE) {
        NAME(apply_monotone)(plan, kernels, elements, out);
    } else if (plan->shape == ES_SHAPE_TURNING) {
        NAME(apply_turning)(plan, elements, out);
    } else if (plan->field->blend == ES_BLEND_ROTATION) {
        NAME(apply_rotation)(plan, kernels, elements, out);
    } else if (es__is_matrix(plan->field->blend)) {
        NAME(apply_matrices)(plan, kernels, elements, out);
    } else {
        NAME(apply_pair)(plan, elements, out);
    }
}

#undef NUMBER
#undef NAME
#undef KERNELS
#undef RATIO
#undef ROTATION
