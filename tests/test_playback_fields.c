/* SPDX-License-Identifier: Zlib
 *
 * playback: which field a difference is said to be in. One field is changed at one tick, for many
 * pairs of these. In the next ticks the change spreads to the fields that stand before it in the
 * layout; so a later snapshot differs first in another field than the one that was changed.
 */
#include "evenstep/playback.h"

#include <string.h>

#include "record_game.h"
#include "test_support.h"

enum { TICKS = 60, SNAPSHOTS = 20, LAST_SNAPSHOT = 60, FIELDS = 5 };

typedef struct world {
    uint32_t e, a_x, b_x, b_v, a_v;
} world;

#define ONE(member) ES_TYPE_U32, ES_BLEND_STEP, ES_PLACE(world, member, ES_TYPE_U32)

static const es_field fields[FIELDS] = {
        {"e", ONE(e), .group = 0},
        {"a.x", ONE(a_x), .group = 1},
        {"b.x", ONE(b_x), .group = 2},
        {"b.v", ONE(b_v), .group = 2},
        {"a.v", ONE(a_v), .group = 1},
};
static const es_layout layout = ES_LAYOUT(world, fields);

/* A field reads what stands after it, as it was before the tick: a change needs a tick for each
 * field on its way to the front, and never goes back. */
static void update(world *w)
{
    w->e = w->e * UINT32_C(1664525) + w->a_x;
    w->a_x = w->a_x * UINT32_C(22695477) + w->b_x;
    w->b_x = w->b_x * UINT32_C(1103515245) + w->b_v;
    w->b_v = w->b_v * UINT32_C(214013) + w->a_v;
    w->a_v = w->a_v * UINT32_C(69069) + 1;
}

/* The other program: at one tick one field gets one more. */
typedef struct change {
    int64_t tick;
    int field;
} change;

static int update_changed(
        void *user, void *state, const es_step *step, const void *input, size_t size)
{
    const change *what = user;
    (void)input, (void)size;
    update(state);
    if (step->index == what->tick) {
        uint32_t number;
        unsigned char *at = (unsigned char *)state + fields[what->field].offset;
        memcpy(&number, at, sizeof number);
        number += 1;
        memcpy(at, &number, sizeof number);
    }
    return 0;
}

static unsigned char file[1 << 17], memory[GAME_MEMORY];
static size_t file_size;
static world recorded[TICKS + 1], changed[TICKS + 1];

static void record_run(es_record_hashes hashes)
{
    static es_record record;
    es_memory_sink sink = {file, sizeof file, 0};
    es_record_config config = {.layout = &layout};
    world w = {1, 2, 3, 4, 5};
    config.sink = es_memory_sink_get(&sink);
    config.tick_rate = es_hz(60);
    config.hashes = hashes;
    config.snapshot_every = SNAPSHOTS;
    assert_int_equal(es_record_init(&record, &config, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_record_start(&record, 0, 0, &w), ES_OK);
    recorded[0] = w;
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        es_step step = {.index = tick, .dt_s = es_rate_period_s(config.tick_rate)};
        assert_int_equal(es_record_step(&record, &step, NULL, 0), ES_OK);
        update(&w);
        assert_int_equal(es_record_tick(&record, &step, &w), ES_OK);
        recorded[tick] = w;
    }
    assert_int_equal(es_record_end(&record), ES_OK);
    file_size = sink.used;
}

static void run_changed(const change *what)
{
    changed[0] = recorded[0];
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        es_step step = {.index = tick};
        changed[tick] = changed[tick - 1];
        (void)update_changed((void *)(uintptr_t)what, &changed[tick], &step, NULL, 0);
    }
}

/* The field of a tick in which the two runs first differ, by the states themselves. */
static const char *first_field(int64_t tick)
{
    es_state_difference difference;
    assert_false(es__state_compare(&layout, &changed[tick], &recorded[tick], &difference));
    return difference.field->name;
}

/* What is to be said of a change: the tick and, where the recording can tell it, the field. */
static void check(const es_divergence *found, es_record_hashes hashes, const change *what)
{
    int64_t snapshot = (what->tick + SNAPSHOTS - 1) / SNAPSHOTS * SNAPSHOTS;
    int64_t tick = hashes == ES_RECORD_HASH_NONE ? snapshot : what->tick;
    bool told = hashes == ES_RECORD_HASH_FIELDS || tick == snapshot;
    assert_true(found->found);
    assert_int_equal(found->tick, tick);
    assert_int_equal(found->level, hashes);
    if (hashes == ES_RECORD_HASH_GROUPS) {
        assert_int_equal(found->group, fields[what->field].group);
    }
    if (told) {
        assert_non_null(found->field);
        assert_string_equal(found->field->name, first_field(tick));
    } else {
        assert_null(found->field); /* only that tick's field, and of it nothing is known */
    }
    if (told && tick == what->tick) {
        assert_string_equal(found->field->name, fields[what->field].name);
    }
    assert_true(found->located);
    assert_int_equal(found->located_tick, snapshot);
    assert_string_equal(found->difference.field->name, first_field(snapshot));
}

static void the_field_of_the_first_tick_is_named(void **context)
{
    (void)context;
    static es_playback play;
    static const int64_t ticks[] = {1, 2, 5, 10, 19, 20, 21, 30, 40, 50, 59, LAST_SNAPSHOT};
    static const es_record_hashes levels[] = {ES_RECORD_HASH_FIELDS, ES_RECORD_HASH_GROUPS,
            ES_RECORD_HASH_WHOLE, ES_RECORD_HASH_NONE};
    size_t others = 0;
    for (size_t level = 0; level < sizeof levels / sizeof levels[0]; ++level) {
        record_run(levels[level]);
        for (size_t i = 0; i < sizeof ticks / sizeof ticks[0] * FIELDS; ++i) {
            change what = {ticks[i / FIELDS], (int)(i % FIELDS)};
            es_memory_source source = {file, file_size};
            es_playback_config config = {.source = es_memory_source_get(&source),
                    .layout = &layout,
                    .user = &what,
                    .update = update_changed};
            world w;
            run_changed(&what);
            assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
            assert_int_equal(es_playback_start(&play, &w), ES_OK);
            assert_int_equal(es_playback_run(&play, &w, INT64_MAX, true), ES_ERR_RANGE);
            assert_int_equal(es_playback_tick(&play), TICKS);
            const es_divergence *found = es_playback_divergence(&play);
            check(found, levels[level], &what);
            others += strcmp(found->difference.field->name, fields[what.field].name) != 0;
        }
    }
    assert_true(others > 100); /* the later snapshots did differ in another field */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_field_of_the_first_tick_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
