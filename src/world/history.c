/* SPDX-License-Identifier: Zlib
 *
 * States never move: a permutation of slot numbers says which is current, previous or older. Only
 * es_history_push and es_history_reset copy one.
 */
#include "field.h"

/* Every state starts on a cache line of its own. */
#define STATE_ALIGNMENT ((size_t)64)

static bool is_tick_count(int32_t ticks)
{
    return ticks >= ES_HISTORY_TICKS_MIN && ticks <= ES_HISTORY_TICKS_MAX;
}

/* The distance from one state to the next. */
static size_t slot_size(size_t state_size)
{
    return (state_size + STATE_ALIGNMENT - 1) / STATE_ALIGNMENT * STATE_ALIGNMENT;
}

size_t es__history_memory_size(size_t state_size, int32_t ticks)
{
    bool fits = state_size > 0 && is_tick_count(ticks) && state_size <= SIZE_MAX - STATE_ALIGNMENT
                && slot_size(state_size) <= SIZE_MAX / (size_t)ticks;
    return fits ? (size_t)ticks * slot_size(state_size) : 0;
}

#if ES__ASSERTS
/* Each slot has one age. before: each tick was younger by one, or is the same. */
static void check_history(const es_history *history, const es_history *before)
{
    uint32_t slots = 0;
    for (int32_t age = 0, was; age < history->ticks; ++age) {
        slots |= UINT32_C(1) << history->slots[age];
        was = before == history || age == 0 ? age : age - 1;
        ES__ASSERT(age == 0
                           || (history->slots[age] == before->slots[was]
                                   && history->indices[age] == before->indices[was]
                                   && history->times_ns[age] == before->times_ns[was]),
                age);
    }
    ES__ASSERT_IS(history->count, ==, es__min(before->count + (before != history), history->ticks));
    ES__ASSERT_IS(slots, ==, (UINT32_C(1) << history->ticks) - 1);
    ES__ASSERT_IN(history->count, 1, history->ticks);
}
#endif

void es__history_init(es_history *history, void *memory, size_t state_size, int32_t ticks)
{
    memset(memory, 0, es__history_memory_size(state_size, ticks));
    *history = (es_history){.memory = memory, .state_size = state_size, .ticks = ticks, .count = 1};
    for (int32_t age = 0; age < ticks; ++age) {
        history->slots[age] = (uint8_t)age;
    }
    ES__CHECK(check_history(history, history));
}

/* The states follow the struct. */
es_history *es_history_create(size_t state_size, int32_t ticks)
{
    const size_t head = slot_size(sizeof(es_history));
    size_t needed = es__history_memory_size(state_size, ticks);
    if (needed == 0 || needed > SIZE_MAX - head) {
        es__error error = {is_tick_count(ticks) ? "state_size" : "ticks",
                is_tick_count(ticks) ? "is 0 or too large" : "must be 2 to 8"};
        es__fail(ES_ERR_INVALID, "es_history_create", &error);
        return NULL;
    }
    unsigned char *memory = es__allocate(head + needed);
    if (memory != NULL) {
        es__history_init((es_history *)(void *)memory, memory + head, state_size, ticks);
    }
    return (es_history *)(void *)memory;
}

void es_history_destroy(es_history *history)
{
    es__free(history);
}

/* --- the ticks -------------------------------------------------------------------------------- */

static unsigned char *state_at(const es_history *history, int32_t age)
{
    return history->memory + history->slots[age] * slot_size(history->state_size);
}

void *es_history_current(const es_history *history)
{
    return history != NULL ? state_at(history, 0) : NULL;
}

void *es_history_previous(const es_history *history)
{
    return history != NULL ? state_at(history, 1) : NULL;
}

void *es_history_tick(const es_history *history, int32_t age)
{
    return history != NULL && age >= 0 && age < history->count ? state_at(history, age) : NULL;
}

/* The nearest known age; 0 in a history that was never initialised. */
static int32_t known(const es_history *history, int32_t age)
{
    if (age >= history->count) {
        age = history->count - 1;
    }
    return age > 0 ? age : 0;
}

int64_t es__history_time_ns(const es_history *history, int32_t age)
{
    return history->times_ns[known(history, age)];
}

int64_t es__history_index(const es_history *history, int32_t age)
{
    return history->indices[known(history, age)];
}

/* Every tick grows older by one; the oldest slot becomes that of the current tick. */
static void history_rotate(es_history *history, const es_step *step)
{
    ES__BEFORE(const es_history before = *history);
    int32_t last = history->ticks - 1;
    uint8_t freed = history->slots[last];
    int64_t length_ns =
            es__ns_between(es__history_time_ns(history, 1), es__history_time_ns(history, 0));
    for (int32_t age = last; age > 0; --age) {
        history->slots[age] = history->slots[age - 1];
        history->indices[age] = history->indices[age - 1];
        history->times_ns[age] = history->times_ns[age - 1];
    }
    history->slots[0] = freed;
    history->count += history->count < history->ticks ? 1 : 0;
    if (step != NULL) {
        history->indices[0] = step->index;
        history->times_ns[0] = step->time_ns;
    } else {
        history->indices[0] = es__ns_add(history->indices[1], 1);
        history->times_ns[0] = es__ns_add(history->times_ns[1], length_ns);
    }
    ES__CHECK(check_history(history, &before));
}

void *es_history_next(es_history *history, const es_step *step)
{
    if (history == NULL) {
        return NULL;
    }
    history_rotate(history, step);
    return es_history_current(history);
}

/* As es_history_next, but the two newest change places, so that current stays where it was. */
void *es_history_push(es_history *history, const es_step *step)
{
    if (history == NULL) {
        return NULL;
    }
    ES__BEFORE(const void *current = es_history_current(history));
    history_rotate(history, step);
    uint8_t freed = history->slots[0];
    history->slots[0] = history->slots[1];
    history->slots[1] = freed;
    ES__CHECK(check_history(history, history));
    memcpy(state_at(history, 1), state_at(history, 0), history->state_size);
    ES__CHECK(ES__ASSERT(es_history_current(history) == current, freed));
    return es_history_current(history);
}

/* The copy is no tick; it spares the callers of es_history_previous a special case. */
void es_history_reset(es_history *history, int64_t tick, int64_t time_ns)
{
    if (history == NULL) {
        return;
    }
    history->count = 1;
    history->indices[0] = tick;
    history->times_ns[0] = time_ns;
    memcpy(state_at(history, 1), state_at(history, 0), history->state_size);
}

/* The oldest known tick may be both of the pair: before the first there is none. */
bool es_history_matches(const es_history *history, const es_frame *frame)
{
    if (history == NULL || frame == NULL || es__history_index(history, 0) != frame->newest_tick) {
        return false;
    }
    for (int32_t age = 0; age < history->count; ++age) {
        if (es__history_index(history, age) == frame->current_tick) {
            return es__history_index(history, age + 1) == frame->previous_tick;
        }
    }
    return false;
}

/* --- changes of the past ---------------------------------------------------------------------- */

/* Refuses for a field or an element that does not exist; `element` may be ES_ALL_ELEMENTS. */
static const es_field *history_find(const es_history *history, const es_layout *layout,
        const char *name, size_t element, es__error *error)
{
    if (history == NULL || layout == NULL || layout->state_size != history->state_size) {
        es__refuse(error, "layout", "is NULL, or for states of another size");
        return NULL;
    }
    const es_field *field = es__layout_find(layout, name);
    if (field == NULL) {
        es__refuse(error, "name", "is that of no field");
    } else if (element != ES_ALL_ELEMENTS && element >= field->count) {
        es__refuse(error, "element", "is none of the field's");
        field = NULL;
    }
    return field;
}

static void snap_field(es_history *history, const es_field *field, size_t element)
{
    size_t size = ES_TYPE_SIZE(field->type), components = es__components(field);
    size_t first = element != ES_ALL_ELEMENTS ? element : 0;
    size_t count = element != ES_ALL_ELEMENTS ? 1 : field->count;
    for (size_t i = 0; i < count * components; ++i) {
        size_t at = es__field_at(field, first + i / components, i % components);
        for (int32_t age = 1; age < es__max(history->count, 2);
                ++age) { /* also what a reset copied */
            memcpy(state_at(history, age) + at, state_at(history, 0) + at, size);
        }
        ES__ASSERT(at + size <= history->state_size, at);
    }
}

bool es_history_snap(es_history *history, const es_layout *layout, const char *name, size_t element)
{
    es__error error = {NULL, NULL};
    const es_field *field = history_find(history, layout, name, element, &error);
    if (field == NULL) {
        return es__fail(ES_ERR_INVALID, "es_history_snap", &error) == ES_OK;
    }
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *other = &layout->fields[i];
        bool grouped = field->blend == ES_BLEND_MARK && other->group == field->group;
        if (other == field || grouped) {
            snap_field(history, other, element);
        }
    }
    return true;
}

static void shift_number(unsigned char *at, es_type type, double delta)
{
    if (type == ES_TYPE_F32) {
        float *number = (float *)(void *)at;
        *number = (float)((double)*number + delta);
    } else {
        *(double *)(void *)at += delta;
    }
}

bool es_history_shift(es_history *history, const es_layout *layout, const char *name,
        size_t element, const double *delta, size_t components)
{
    es__error error = {NULL, NULL};
    const es_field *field = history_find(history, layout, name, element, &error);
    if (field != NULL
            && (delta == NULL || components != es__components(field)
                    || !es__is_float(field->type))) {
        es__refuse(&error, "delta", "is not one number for each component of a field of floats");
        field = NULL;
    }
    if (field == NULL) {
        return es__fail(ES_ERR_INVALID, "es_history_shift", &error) == ES_OK;
    }
    size_t first = element != ES_ALL_ELEMENTS ? element : 0;
    size_t count = element != ES_ALL_ELEMENTS ? 1 : field->count;
    for (int32_t age = 0; age < es__max(history->count, 2); ++age) { /* also what a reset copied */
        for (size_t i = 0; i < count * components; ++i) {
            size_t at = es__field_at(field, first + i / components, i % components);
            shift_number(state_at(history, age) + at, field->type, delta[i % components]);
        }
    }
    return true;
}
