/* SPDX-License-Identifier: Zlib
 *
 * The draw check: a draw function that writes to the world is reported, by frame, field, object,
 * component and both values; one that only reads is not.
 */
#include "evenstep/synctest.h"

#include "test_support.h"

#include <math.h>
#include <string.h>

enum { OBJECTS = 5, FRAME = 42 };

typedef struct object {
    uint8_t alive; /* and padding */
    float at[2];
} object;

typedef struct world {
    object objects[OBJECTS];
    double energy;
    int64_t score;
    int32_t scratch; /* in no field */
} world;

#define OF_EACH(member, type) type, ES_BLEND_STEP, ES_PLACE_OF_EACH(world, objects, member, type)

static const es_field fields[] = {
        {"objects.alive", OF_EACH(alive, ES_TYPE_U8), .group = 1},
        {"objects.at", OF_EACH(at, ES_TYPE_F32), .group = 1},
        ES_FIELD("energy", world, energy, ES_TYPE_F64, ES_BLEND_STEP),
        ES_FIELD("score", world, score, ES_TYPE_I64, ES_BLEND_STEP),
};
static const es_layout layout = ES_LAYOUT(world, fields);

static world a_world(void)
{
    world w;
    memset(&w, 0, sizeof w);
    for (int i = 0; i < OBJECTS; ++i) {
        w.objects[i] = (object){.alive = 1, .at = {(float)i, -(float)i}};
    }
    w.energy = 0.0;
    w.score = 1000;
    return w;
}

/* Draw functions: what is drawn is a sum; what is written is the case. */
static double sum_of(const world *w)
{
    double sum = w->energy + (double)w->score;
    for (int i = 0; i < OBJECTS; ++i) {
        sum += (double)(w->objects[i].at[0] + w->objects[i].at[1]);
    }
    return sum;
}

static double drawn;

static void draw_only(world *w)
{
    drawn = sum_of(w);
}

static void draw_and_hide(world *w)
{
    drawn = sum_of(w);
    w->objects[3].alive = 0;
}

static void draw_and_wrap(world *w)
{
    w->objects[4].at[1] += 8.0f;
    drawn = sum_of(w);
}

static void draw_and_flip_zero(world *w)
{
    drawn = sum_of(w);
    w->energy = -w->energy;
}

static void draw_and_count(world *w)
{
    drawn = sum_of(w);
    w->score += 1;
}

static void draw_and_do_both(world *w)
{
    draw_and_count(w);
    draw_and_wrap(w);
}

static void draw_and_restore(world *w)
{
    w->score += 1;
    drawn = sum_of(w);
    w->score -= 1;
}

/* What no field covers: not compared. */
static void draw_and_note(world *w)
{
    drawn = sum_of(w);
    w->scratch += 1;
    memset((unsigned char *)&w->objects[2] + 1, 0x5A, 1);
}

typedef struct row {
    void (*draw)(world *w);
    const char *field; /* NULL: it writes nothing that counts */
    size_t element, component;
    double before, after;
    uint64_t differences;
} row;

static const row rows[] = {
        {draw_only, NULL, 0, 0, 0, 0, 0},
        {draw_and_restore, NULL, 0, 0, 0, 0, 0},
        {draw_and_note, NULL, 0, 0, 0, 0, 0},
        {draw_and_hide, "objects.alive", 3, 0, 1, 0, 1},
        {draw_and_wrap, "objects.at", 4, 1, -4, 4, 1},
        {draw_and_flip_zero, "energy", 0, 0, 0, 0, 1},
        {draw_and_count, "score", 0, 0, 1000, 1001, 1},
        {draw_and_do_both, "objects.at", 4, 1, -4, 4, 2},
};

static unsigned char memory[sizeof(world) + 64 + 63];

/* At every address: exactly as much memory as it says. */
static void open_check(es_draw_check *check, size_t at)
{
    es_error error;
    size_t size = es_draw_check_memory_size(&layout);
    assert_true(at + size <= sizeof memory);
    assert_int_equal(es_draw_check_init(check, &layout, memory + at, size, &error), ES_OK);
    assert_null(error.field);
}

static void a_draw_that_writes_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const row *r = &rows[i];
        es_draw_check check;
        world w = a_world();
        open_check(&check, i * 7 % 64);
        es_draw_check_before(&check, &w);
        r->draw(&w);
        world after = w;
        assert_int_equal(es_draw_check_after(&check, &w, FRAME), r->field == NULL);
        assert_memory_equal(&w, &after, sizeof w); /* it only looks */
        const es_draw_finding *found = es_draw_check_finding_get(&check);
        assert_int_equal(found->found, r->field != NULL);
        if (r->field != NULL) {
            assert_int_equal(found->frame, FRAME);
            assert_string_equal(found->difference.field->name, r->field);
            assert_int_equal(found->difference.element, r->element);
            assert_int_equal(found->difference.component, r->component);
            assert_true(found->difference.values[0] == r->before);
            assert_true(found->difference.values[1] == r->after);
            assert_int_equal(found->difference.differences, r->differences);
        }
    }
}

/* Updates may write, between frames; and the first finding is kept. */
static void only_drawing_is_looked_at(void **state)
{
    (void)state;
    es_draw_check check;
    world w = a_world();
    open_check(&check, 0);
    for (int64_t frame = 0; frame < 30; ++frame) {
        bool writes = frame == 10 || frame == 20;
        w.score += 1; /* the update */
        es_draw_check_before(&check, &w);
        if (writes) {
            frame == 10 ? draw_and_count(&w) : draw_and_wrap(&w);
        } else {
            draw_only(&w);
        }
        assert_int_equal(es_draw_check_after(&check, &w, frame), !writes);
        draw_and_wrap(&w);                                   /* outside: as an update would */
        assert_true(es_draw_check_after(&check, &w, frame)); /* nothing was kept for it */
    }
    assert_int_equal(es_draw_check_finding_get(&check)->frame, 10);
    assert_string_equal(es_draw_check_finding_get(&check)->difference.field->name, "score");
}

static void not_a_number_is_itself(void **state)
{
    (void)state;
    es_draw_check check;
    world w = a_world();
    uint64_t bits = UINT64_C(0xFFF8000000001234);
    open_check(&check, 0);
    w.energy = NAN;
    es_draw_check_before(&check, &w);
    memcpy(&w.energy, &bits, sizeof bits); /* other bits of it */
    assert_true(es_draw_check_after(&check, &w, FRAME));
}

static void bad_checks_are_named(void **state)
{
    (void)state;
    static const es_field twice[] = {
            ES_FIELD("score", world, score, ES_TYPE_I64, ES_BLEND_STEP),
            ES_FIELD("score", world, score, ES_TYPE_I64, ES_BLEND_STEP),
    };
    static const es_layout bad = ES_LAYOUT(world, twice);
    static const es_layout vast = {fields, 4, SIZE_MAX - 8};
    es_draw_check check;
    es_error error;
    size_t size = es_draw_check_memory_size(&layout);
    assert_int_equal(es_draw_check_init(NULL, &layout, memory, size, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "check");
    assert_int_equal(es_draw_check_init(&check, NULL, memory, size, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "layout");
    assert_int_equal(es_draw_check_init(&check, &layout, NULL, size, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "memory");
    assert_int_equal(es_draw_check_init(&check, &layout, memory, size - 1, &error), ES_ERR_SPACE);
    assert_string_equal(error.field, "memory_size");
    assert_int_equal(es_draw_check_init(&check, &layout, memory, size - 1, NULL), ES_ERR_SPACE);
    assert_int_equal(es_draw_check_init(&check, &bad, memory, size, &error), ES_ERR_INVALID);
    assert_non_null(error.field);
    assert_int_equal(es_draw_check_memory_size(NULL), 0);
    assert_int_equal(es_draw_check_memory_size(&vast), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(a_draw_that_writes_is_reported),
            cmocka_unit_test(only_drawing_is_looked_at),
            cmocka_unit_test(not_a_number_is_itself),
            cmocka_unit_test(bad_checks_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
