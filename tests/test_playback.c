/* SPDX-License-Identifier: Zlib
 *
 * playback and tape: a recording plays to the same states, from anywhere; where a run differs the
 * tick, the group, the field, the object and both values are named; and frames come again to the
 * nanosecond.
 */
#include "loop/loop.h"
#include "manual_clock.h"
#include "record_game.h"
#include "test_support.h"

enum { TICKS = 235 };

static unsigned char batch[GAME_MEMORY], memory[GAME_MEMORY], file[1 << 20];
static size_t file_size;
static game straight[TICKS + 1]; /* the states of the recorded run */
static es__record record;
static es__playback play;
static game g;
static memory_sink sink; /* into `file` */

static es_stream open_file(void)
{
    sink = (memory_sink){file, sizeof file, 0};
    return memory_sink_get(&sink);
}

static void start_record(es__record_config config)
{
    config.stream = open_file();
    assert_int_equal(game_start(&record, &config, batch, sizeof batch, &g), ES_OK);
}

static void end_record(void)
{
    assert_int_equal(es__record_end(&record), ES_OK);
    file_size = sink.used;
}

/* A whole run. states: receives those of ticks 0 to `ticks`. */
static void record_with(es__record_config config, int64_t ticks, game *states)
{
    config.stream = open_file();
    assert_int_equal(
            game_record_states(&record, &config, batch, sizeof batch, ticks, states), ES_OK);
    file_size = sink.used;
}

/* The tick that next_tick() took. */
static struct {
    es_step step;
    const void *input;
    size_t size;
} next;

static es_result next_tick(void)
{
    return es__playback_next(&play, &next.step, &next.input, &next.size);
}

static void record_run(es_record_hashes hashes, int32_t snapshot_every)
{
    es__record_config config = game_config((es_stream){0});
    config.hashes = hashes;
    config.snapshot_every = snapshot_every;
    record_with(config, TICKS, straight);
}

static es__playback_config config_of(size_t size)
{
    static memory_source source;
    source = (memory_source){file, size};
    return game_playback(memory_source_get(&source));
}

static void open_config(const es__playback_config *config)
{
    es__error error;
    assert_int_equal(es__playback_open(&play, config, memory, &error), ES_OK);
    assert_null(error.field);
}

static void open_and_start(const es__playback_config *config)
{
    open_config(config);
    assert_int_equal(es__playback_start(&play, &g), ES_OK);
}

static void start_run(void)
{
    es__playback_config config = config_of(file_size);
    open_and_start(&config);
}

/* Of all records of the open recording. */
static es__reader_summary summarize(void)
{
    es__reader_summary summary;
    assert_int_equal(es__reader_summarize(&play.reader, &summary), ES_OK);
    return summary;
}

/* With the program's own update, to the end. */
static es_result run_all(void)
{
    return play_run(&play, &g, INT64_MAX, false);
}

static bool is_game(const game *expected)
{
    return es__state_compare(&game_layout, &g, expected, NULL);
}

/* --- playing --- */

/* With each level of hashes. */
TEST(a_seek_gives_the_state_of_the_straight_run)
{
    static const int snapshots[] = {1, 4, 7, 55, 100};
    test_random random = {5};
    for_rows (k, snapshots) {
        int every = snapshots[k];
        record_run((es_record_hashes)k, every);
        es__playback_config config = config_of(file_size);
        open_config(&config);
        assert_int_equal(next_tick(), ES_ERR_STATE);
        for (int i = 0; i < 100; ++i) {
            int64_t tick = i < 3 ? (int64_t[]){0, TICKS, 1}[i] : random_below(&random, TICKS + 1);
            memset(&g, (int)random_below(&random, 256), sizeof g);
            assert_int_equal(es__playback_seek(&play, tick, &g), ES_OK);
            assert_int_equal(play.tick, tick - tick % every);
            assert_int_equal(play_seek(&play, tick, &g), ES_OK);
            assert_true(is_game(&straight[tick]));
            assert_int_equal(play.tick, tick);
            tick += random_below(&random, TICKS + 1 - tick);
            assert_int_equal(play_run(&play, &g, tick, false), ES_OK);
            assert_true(is_game(&straight[tick]));
        }
        assert_int_equal(play_seek(&play, TICKS + 1, &g), ES_ERR_STATE);
        assert_int_equal(play_seek(&play, -1, &g), ES_ERR_RANGE);
        assert_int_equal(es__playback_start(&play, &g), ES_OK);
        assert_int_equal(run_all(), ES_OK);
        assert_true(is_game(&straight[TICKS]));
        assert_int_equal(next_tick(), ES_ERR_STATE);
        assert_false(play.divergence.found);
        assert_true(play.fit.arithmetic && play.fit.library);
    }
}

/* --- differences --- */

/* Another program: at one tick it does something else. */
typedef struct mutant {
    int64_t tick;
    int object;
    float by;
    int64_t score;
} mutant;

static int update_mutant(
        void *user, void *state, const es_step *step, const void *input, size_t size)
{
    const mutant *m = user;
    game *mutated = state;
    game_update(mutated, step, input, size);
    if (step->index == m->tick) {
        mutated->objects[m->object].at[1] += m->by;
        mutated->score += m->score;
    }
    return 0;
}

static void start_mutant(mutant *m)
{
    es__playback_config config = config_of(file_size);
    game_calls.update = update_mutant;
    game_calls.user = m;
    open_and_start(&config);
}

/* --- which field is named --- */

/* One field is changed at one tick. In the next ticks the change spreads to the fields before it in
 * the layout; so a later snapshot differs first in another field than the one that was changed. */

enum { CHAIN_TICKS = 60, SNAPSHOTS = 20, FIELDS = 5 };

typedef struct chain {
    uint32_t e, a_x, b_x, b_v, a_v;
} chain;

#define ONE(member) ES_TYPE_U32, ES_BLEND_STEP, ES_PLACE(chain, member, ES_TYPE_U32)

static const es_field chain_fields[FIELDS] = {
        {"e", ONE(e), .group = 0},
        {"a.x", ONE(a_x), .group = 1},
        {"b.x", ONE(b_x), .group = 2},
        {"b.v", ONE(b_v), .group = 2},
        {"a.v", ONE(a_v), .group = 1},
};
static const es_layout chain_layout = ES_LAYOUT(chain, chain_fields);

/* A field reads what is after it, as it was before the tick: a change needs a tick for each
 * field on its way to the front, and never goes back. */
static void update_chain(chain *w)
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
    update_chain(state);
    if (step->index == what->tick) {
        uint32_t number;
        unsigned char *at = (unsigned char *)state + chain_fields[what->field].offset;
        memcpy(&number, at, sizeof number);
        number += 1;
        memcpy(at, &number, sizeof number);
    }
    return 0;
}

static chain recorded_chain[CHAIN_TICKS + 1], changed_chain[CHAIN_TICKS + 1];

static void record_chain(es_record_hashes hashes)
{
    es__record_config config = {.layout = &chain_layout,
            .stream = open_file(),
            .hashes = hashes,
            .snapshot_every = SNAPSHOTS};
    chain w = {1, 2, 3, 4, 5};
    assert_int_equal(es__record_init(&record, &config, batch, sizeof batch, NULL), ES_OK);
    assert_int_equal(es__record_start(&record, 0, 0, &w), ES_OK);
    recorded_chain[0] = w;
    for (int64_t tick = 1; tick <= CHAIN_TICKS; ++tick) {
        es_step at = {.index = tick};
        assert_int_equal(es__record_step(&record, &at, NULL, 0), ES_OK);
        update_chain(&w);
        assert_int_equal(es__record_tick(&record, &at, &w), ES_OK);
        recorded_chain[tick] = w;
    }
    end_record();
}

/* The field of a tick in which the two runs first differ, by the states themselves. */
static const char *first_field(int64_t tick)
{
    es__state_difference difference;
    assert_false(es__state_compare(
            &chain_layout, &changed_chain[tick], &recorded_chain[tick], &difference));
    return difference.field->name;
}

/* A change is reported with its tick and, if the recording shows it, its field. */
static void check_divergence(
        const es__divergence *found, es_record_hashes hashes, const change *what)
{
    int64_t snapshot = (what->tick + SNAPSHOTS - 1) / SNAPSHOTS * SNAPSHOTS;
    int64_t tick = hashes == ES_RECORD_HASH_NONE ? snapshot : what->tick;
    bool shown =
            hashes == ES_RECORD_HASH_NAMES || hashes == ES_RECORD_HASH_FIELDS || tick == snapshot;
    assert_true(found->found);
    assert_int_equal(found->tick, tick);
    assert_int_equal(found->level, hashes);
    if (hashes == ES_RECORD_HASH_GROUPS) {
        assert_int_equal(found->group, chain_fields[what->field].group);
    }
    if (shown) {
        assert_non_null(found->field);
        assert_string_equal(found->field->name, first_field(tick));
    } else {
        assert_null(found->field);
    }
    if (shown && tick == what->tick) {
        assert_string_equal(found->field->name, chain_fields[what->field].name);
    }
    assert_true(found->located);
    assert_int_equal(found->located_tick, snapshot);
    assert_string_equal(found->difference.field->name, first_field(snapshot));
}

TEST(the_field_of_the_first_tick_is_named)
{
    static const int64_t ticks[] = {1, 2, 5, 10, 19, 20, 21, 30, 40, 50, 59, CHAIN_TICKS};
    size_t others = 0;
    for (int level = 0; level <= (int)ES_RECORD_HASH_GROUPS; ++level) {
        record_chain((es_record_hashes)level);
        for (size_t i = 0; i < COUNT_OF(ticks) * FIELDS; ++i) {
            change what = {ticks[i / FIELDS], (int)(i % FIELDS)};
            row("hashes %d, tick %d, field %d", level, (int)what.tick, what.field);
            es__playback_config config = config_of(file_size);
            chain w;
            config.layout = &chain_layout;
            game_calls.user = &what;
            game_calls.update = update_changed;
            changed_chain[0] = recorded_chain[0];
            for (int64_t tick = 1; tick <= CHAIN_TICKS; ++tick) {
                es_step at = {.index = tick};
                changed_chain[tick] = changed_chain[tick - 1];
                (void)update_changed(&what, &changed_chain[tick], &at, NULL, 0);
            }
            open_config(&config);
            assert_int_equal(es__playback_start(&play, &w), ES_OK);
            assert_int_equal(play_run(&play, &w, INT64_MAX, true), ES_ERR_RANGE);
            assert_int_equal(play.tick, CHAIN_TICKS);
            const es__divergence *found = &play.divergence;
            check_divergence(found, (es_record_hashes)level, &what);
            others += strcmp(found->difference.field->name, chain_fields[what.field].name) != 0;
            assert_int_equal(es__playback_start(&play, &w), ES_OK);
            assert_false(found->found); /* it begins again */
        }
    }
    assert_true(others > 100); /* the later snapshots did differ in another field */
}

/* --- another layout of the same fields --- */

typedef struct other_game {
    uint32_t random;
    int32_t lives; /* new: not in the recording */
    float at[2][GAME_OBJECTS], speed[2][GAME_OBJECTS];
    double energy;
    uint8_t alive[GAME_OBJECTS];
    int64_t score;
} other_game;

static const es_field other_fields[] = {
        {"lives", ES_TYPE_I32, ES_BLEND_STEP, ES_PLACE(other_game, lives, ES_TYPE_I32), .group = 0},
        {"random", ES_TYPE_U32, ES_BLEND_STEP, ES_PLACE(other_game, random, ES_TYPE_U32),
                .group = 0},
        {"energy", ES_TYPE_F64, ES_BLEND_STEP, ES_PLACE(other_game, energy, ES_TYPE_F64),
                .group = 0},
        {"score", ES_TYPE_I64, ES_BLEND_STEP, ES_PLACE(other_game, score, ES_TYPE_I64), .group = 0},
        {"objects.at", ES_TYPE_F32, ES_BLEND_STEP, ES_PLACE_PLANES(other_game, at, ES_TYPE_F32),
                .group = 9},
        {"objects.speed", ES_TYPE_F32, ES_BLEND_STEP,
                ES_PLACE_PLANES(other_game, speed, ES_TYPE_F32), .group = 9},
        {"objects.alive", ES_TYPE_U8, ES_BLEND_STEP, ES_PLACE_ARRAY(other_game, alive, ES_TYPE_U8),
                .group = 9},
};
static const es_layout other_layout = ES_LAYOUT(other_game, other_fields);

/* Into the recorded arrangement, one tick, and back. */
static int update_other(
        void *user, void *state, const es_step *step, const void *input, size_t size)
{
    unsigned char packed[1024];
    game old;
    (void)user;
    for (int back = 0; back < 2; ++back) {
        for (size_t i = 0; i < 36; ++i) {
            const es_field *a = &game_fields[i / 6], *b = &other_fields[1 + i % 6];
            es_layout mine = {a, 1, sizeof old}, theirs = {b, 1, sizeof(other_game)};
            if (strcmp(a->name, b->name) == 0) {
                size_t some = back ? es__state_pack(&mine, &old, 0, packed, sizeof packed)
                                   : es__state_pack(&theirs, state, 0, packed, sizeof packed);
                (void)es__state_unpack(
                        back ? &theirs : &mine, back ? state : &old, 0, packed, some);
            }
        }
        if (!back) {
            game_update(&old, step, input, size);
        }
    }
    return 0;
}

TEST(fields_are_found_by_name)
{
    for (int hashes = 0; hashes <= (int)ES_RECORD_HASH_GROUPS; ++hashes) {
        other_game o;
        record_run((es_record_hashes)hashes, 10);
        es__playback_config config = config_of(file_size);
        config.layout = &other_layout;
        game_calls.update = update_other;
        open_config(&config);
        memset(&o, 0, sizeof o);
        o.lives = 3;
        assert_int_equal(es__playback_start(&play, &o), ES_OK);
        assert_int_equal(play_run(&play, &o, INT64_MAX, false), ES_OK);
        assert_int_equal(o.score, straight[TICKS].score);
        assert_true(o.energy == straight[TICKS].energy);
        assert_int_equal(play_seek(&play, 115, &o), ES_OK);
        assert_true(o.at[1][5] == straight[115].objects[5].at[1]);
        assert_int_equal(o.lives, 3); /* what the recording does not have stays */
    }
}

/* Then the fields are the recorded ones again. */
static void assert_unfit(es_field *fields, size_t count, const char *name)
{
    es_layout layout = {fields, count, sizeof(game)};
    es__playback_config config = config_of(file_size);
    es__error error;
    config.layout = &layout;
    assert_int_equal(es__playback_open(&play, &config, memory, &error), ES_ERR_UNSUPPORTED);
    assert_string_equal(error.field, name);
    memcpy(fields, game_fields, sizeof game_fields);
}

TEST(fields_that_do_not_fit_are_named)
{
    es_field fields[6];
    memcpy(fields, game_fields, sizeof fields);
    record_run(ES_RECORD_HASH_GROUPS, 10);
    assert_unfit(fields, 2, "objects.speed");
    fields[4].name = "power";
    assert_unfit(fields, 6, "energy");
    fields[5].type = ES_TYPE_I32;
    assert_unfit(fields, 6, "random");
    fields[1].components = 1;
    assert_unfit(fields, 6, "objects.at");
    fields[0].count = 5;
    fields[0].group = 0;
    assert_unfit(fields, 6, "objects.alive");
}

TEST(bad_configurations_are_named)
{
    record_run(ES_RECORD_HASH_GROUPS, 10);
    es__playback_config config = config_of(file_size), bad = config;
    es__error error;
    bad.stream.read = NULL;
    assert_int_equal(es__playback_open(&play, &bad, memory, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "source");
    bad.input_max = SIZE_MAX;
    assert_int_equal(es__playback_memory_size(&bad), 0);
    assert_true(es__playback_memory_size(&config) < sizeof memory);
    assert_int_equal(es__playback_open(&play, &config, memory + 1, NULL), ES_OK);
    assert_int_equal(es__playback_seek(&play, 11, &g), ES_OK);
    assert_int_equal(play.tick, 10);
}

/* Without the copies of the header, and with them. */
TEST(headers_that_contradict_themselves_are_refused)
{
    static const struct {
        int record;
        uint32_t at, value;
        const char *name;
    } evil[] = {{0, 24, 1, "run"}, {0, 44, 1, "run"}, {6, 24, 0x72656e65, "energy"}};
    for_rows (i, evil) {
        record_run(ES_RECORD_HASH_GROUPS, 10);
        size_t at = 16;
        for (int k = 0; k < evil[i].record; ++k) {
            at += 20 + (size_t)record_u32(file + at + 4);
        }
        record_put_u32(file + at + 16 + evil[i].at, evil[i].value);
        if (evil[i].record == 6) { /* of random: it becomes the second energy */
            record_put_u32(file + at + 16, ES_TYPE_F64);
            memcpy(file + at + 16 + 24, "energy", 6);
        }
        record_seal(file + at);
        size_t copies = at;
        while (file[copies + 2] != ES_RECORD_COPY) {
            copies += 20 + (size_t)record_u32(file + copies + 4);
        }
        es__playback_config config = config_of(copies);
        es__error error;
        assert_int_equal(es__playback_open(&play, &config, memory, &error), ES_ERR_DAMAGED);
        assert_string_equal(error.field, evil[i].name);
        config = config_of(file_size); /* with the copies */
        assert_int_equal(es__playback_open(&play, &config, memory, &error), ES_OK);
    }
}

TEST(calls_without_a_state_are_refused)
{
    es_report report;
    es__reading_kind kind;
    int64_t value_ns;
    record_run(ES_RECORD_HASH_GROUPS, 10);
    es__playback_config config = config_of(file_size);
    open_config(&config);
    assert_int_equal(es__playback_start(NULL, &g), ES_ERR_INVALID);
    assert_int_equal(es__playback_start(&play, NULL), ES_ERR_INVALID);
    assert_int_equal(es__playback_seek(NULL, 1, &g), ES_ERR_INVALID);
    assert_int_equal(es__playback_seek(&play, 1, NULL), ES_ERR_INVALID);
    assert_true(es__playback_check(&play, &g)); /* nothing was loaded */
    assert_int_equal(es__playback_frame(&play, &report), ES_ERR_STATE);
    assert_false(es__playback_reading(&play, &kind, &value_ns));
}

/* --- damage: test_damage.c has most of it, test_record.c has gaps --- */

/* Flips a bit of the first record of this kind and tick; ES_RECORD_END: of any tick. */
static void flip_in(es_record_kind kind, int64_t tick)
{
    static unsigned char window[ES_RECORD_SIZE_MAX];
    es__reader reader;
    es_replay_item item;
    es_stream source = config_of(file_size).stream;
    assert_int_equal(es__reader_open(&reader, &source, window, sizeof window, NULL), ES_OK);
    for (;;) {
        es_result result = es__reader_next(&reader, &item);
        assert_true(result == ES_ERR_DAMAGED || item.kind != ES_RECORD_NONE);
        if (item.kind == kind && (item.step.index == tick || kind == ES_RECORD_END)) {
            file[item.offset + 18] ^= 1;
            return;
        }
    }
}

typedef struct faulty {
    memory_source memory;
    uint64_t from; /* cannot be read from here on */
    int64_t reads;
} faulty;

static es_result read_faulty(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    faulty *f = user;
    es_stream whole = memory_source_get(&f->memory);
    *got = 0;
    f->reads += 1;
    if (offset >= f->from) {
        return ES_ERR_IO;
    }
    size = size < f->from - offset ? size : (size_t)(f->from - offset);
    return whole.read(whole.user, offset, bytes, size, got);
}

/* A disk that fails is not the end of the recording. */
TEST(a_source_that_fails_is_reported)
{
    record_run(ES_RECORD_HASH_GROUPS, -1);
    for (size_t from = 2000; from < file_size; from += 997) {
        faulty f = {{file, file_size}, UINT64_MAX, 0};
        es__playback_config config = game_playback((es_stream){.user = &f, .read = read_faulty});
        es_report report;
        open_and_start(&config);
        play.reader.window_used = 0; /* nothing is remembered */
        f.from = from;
        assert_int_equal(run_all(), ES_ERR_IO);
        assert_true(is_game(&straight[play.tick]));
        assert_int_equal(run_all(), ES_ERR_IO);
        assert_true(es__playback_check(&play, &g));
        f.from = UINT64_MAX;
        assert_int_equal(es__playback_start(&play, &g), ES_OK); /* again, with a sound disk */
        assert_int_equal(run_all(), ES_OK);
        assert_true(is_game(&straight[TICKS]));
        assert_int_equal(es__playback_start(&play, &g), ES_OK);
        f.from = from;
        play.reader.window_used = 0;
        es_result result;
        while ((result = es__playback_frame(&play, &report)) == ES_OK) {
        }
        assert_int_equal(result, ES_ERR_IO); /* a failure here is reported, too */
        f.from = UINT64_MAX;
        assert_int_equal(play_run(&play, &g, TICKS, false), ES_OK); /* it costs no ticks */
    }
}

/* Damage that hides no tick is passed over; what was not compared for it is counted. */
TEST(what_is_not_compared_is_counted)
{
    mutant m = {36, 0, 1.0F, 0};
    record_run(ES_RECORD_HASH_GROUPS, 10);
    flip_in(ES_RECORD_HASH, 33); /* its event comes before it */
    flip_in(ES_RECORD_EVENT, 36);
    es__playback_config config = config_of(file_size);
    open_config(&config);
    assert_int_equal(play_run(&play, &g, 1, false), ES_ERR_STATE); /* nothing is loaded */
    assert_int_equal(es__playback_start(&play, &g), ES_OK);
    assert_int_equal(run_all(), ES_OK);
    assert_int_equal(play.compared, TICKS - 1);
    assert_int_equal(es__playback_seek(&play, INT64_MAX, &g), ES_OK); /* the last saved state */
    start_mutant(&m); /* behind the damaged event the hashes of tick 36 are compared */
    assert_int_equal(run_all(), ES_ERR_RANGE);
    assert_int_equal(play.divergence.tick, 36);
}

/* Damage behind the last step hides no tick, if the end is there and says so. */
TEST(the_end_says_whether_damage_hides_a_tick)
{
    for (int behind = 0; behind < 2; ++behind) {
        row("%d bytes behind the end", behind);
        record_run(ES_RECORD_HASH_GROUPS, -1);
        flip_in(ES_RECORD_HASH, TICKS);
        file[file_size] = '\n';
        file_size += (size_t)behind;
        start_run();
        assert_int_equal(summarize().damages, 1 + behind);
        assert_int_equal(run_all(), ES_OK);
        assert_int_equal(play.tick, TICKS);
        assert_int_equal(play_run(&play, &g, TICKS + 1, false), ES_ERR_STATE);
        assert_int_equal(run_all(), ES_OK);
        assert_int_equal(play.compared, TICKS - 1);
        assert_int_equal(play_seek(&play, TICKS + 1, &g), ES_ERR_STATE);
        assert_true(is_game(&straight[TICKS]));
    }
    for (int no_end = 0; no_end < 2; ++no_end) { /* a tick is hidden, or may be */
        row("no end: %d", no_end);
        record_run(ES_RECORD_HASH_GROUPS, -1);
        flip_in(no_end ? ES_RECORD_HASH : ES_RECORD_STEP, TICKS);
        if (no_end) {
            flip_in(ES_RECORD_END, 0);
        }
        start_run();
        assert_int_equal(run_all(), ES_ERR_DAMAGED);
        assert_int_equal(play.tick, TICKS - !no_end);
    }
}

/* A damaged head of the file costs nothing, also before there is a copy of the recording's header. */
TEST(a_damaged_head_hides_no_record)
{
    size_t end = 16;
    record_run(ES_RECORD_HASH_GROUPS, -1);
    while (file[end + 2] != ES_RECORD_COPY) {
        end += 20 + (size_t)record_u32(file + end + 4);
    }
    file[0] ^= 1;
    es__playback_config config = config_of(end);
    open_and_start(&config);
    assert_true(is_game(&straight[0]));
}

/* No tick follows the last that there is, whatever a forged file says. */
TEST(ticks_end_at_the_largest_number)
{
    start_record(game_config((es_stream){0}));
    for (int64_t tick = 1; tick <= 3; ++tick) {
        game_record_tick(&record, &g, tick);
    }
    end_record();
    for (size_t at = 16; at < file_size; at += 20 + (size_t)record_u32(file + at + 4)) {
        if (file[at + 2] == ES_RECORD_SNAPSHOT || file[at + 2] == ES_RECORD_STEP) {
            int64_t tick = (int64_t)(INT64_MAX - UINT64_C(2) + es__get_u64(file + at + 16));
            (void)es__put_i64(file + at + 16, tick);
            record_seal(file + at);
        }
    }
    start_run();
    assert_int_equal(next_tick(), ES_OK);
    assert_int_equal(next_tick(), ES_OK);
    assert_true(next.step.index == INT64_MAX);
    assert_int_equal(next_tick(), ES_ERR_DAMAGED);
}

TEST(snapshots_of_ticks_without_hashes_are_compared)
{
    static const struct {
        int64_t mutant, found;
        bool by_hash;
    } cases[] = {{1, 7, true}, {8, 10, false}, {10, 10, false}, {11, 14, true}, {70, 70, true}};
    es__record_config config = game_config((es_stream){0});
    config.hash_every = 7;
    record_with(config, TICKS, straight);
    for_rows (i, cases) {
        mutant m = {cases[i].mutant, 2, 0.5F, 3};
        start_mutant(&m);
        assert_int_equal(summarize().hashes, TICKS / 7);
        assert_int_equal(run_all(), ES_ERR_RANGE);
        const es__divergence *d = &play.divergence;
        assert_int_equal(d->tick, cases[i].found);
        assert_int_equal(d->level, cases[i].by_hash ? ES_RECORD_HASH_GROUPS : ES_RECORD_HASH_NONE);
        assert_int_equal(d->located, d->tick % 10 == 0);
    }
}

/* --- the index --- */

enum { STATES = 2000 };

static game states[STATES + 1];

/* A snapshot every second tick. */
static void record_states(void)
{
    es__record_config config = game_config((es_stream){0});
    config.snapshot_every = 2;
    config.hashes = ES_RECORD_HASH_NONE;
    record_with(config, STATES, states);
}

static void open_states(faulty *f, size_t bytes)
{
    *f = (faulty){{file, bytes}, UINT64_MAX, 0};
    es__playback_config config = game_playback((es_stream){.user = f, .read = read_faulty});
    open_config(&config);
}

/* Every seek gives the state; at most so many reads for one, of up to 64 kB. */
static void seek_states(faulty *f, int64_t last, int64_t reads)
{
    test_random random = {9};
    for (int i = 0; i < 100; ++i) {
        int64_t tick = i < 9 ? i : last - random_below(&random, last);
        f->reads = 0;
        assert_int_equal(es__playback_seek(&play, tick, &g), ES_OK);
        assert_int_equal(play.tick, tick / 2 * 2);
        assert_true(f->reads <= reads);
        assert_int_equal(play_run(&play, &g, tick, false), ES_OK);
        assert_true(is_game(&states[tick]));
    }
}

/* The file has 1000 snapshots, which is ten bits, and ten windows. A file that was cut off is read whole
 * once, and has its indices. */
TEST(a_seek_follows_indices)
{
    faulty f;
    record_states();
    open_states(&f, file_size);
    assert_true(f.reads < 60 && file_size > 600000); /* most are of a byte: where the file ends */
    seek_states(&f, STATES, 15);
    f.reads = 0;
    assert_int_equal(es__playback_seek(&play, STATES - 1, &g), ES_OK); /* not through all of it */
    assert_true(f.reads <= 3);
    for (size_t cut = file_size - 1; cut > file_size / 2; cut -= file_size / 7) {
        row("the first %d bytes", (int)cut);
        open_states(&f, cut);
        seek_states(&f, play.summary.last_tick, 15);
    }
}

/* Anything in the indices, with right checksums: the states are the right ones. */
TEST(a_wrong_index_is_never_believed)
{
    test_random random = {77};
    record_states();
    for (int run = 0; run < 40 / TEST_SHARE; ++run) {
        faulty f;
        row("run %d", run);
        for (size_t at = 16; at < file_size; at += 20 + (size_t)record_u32(file + at + 4)) {
            size_t bytes = record_u32(file + at + 4),
                   entry = 16 + 16 + 20 * (size_t)random_below(&random, 11);
            bool is_end = file[at + 2] == ES_RECORD_END;
            if ((file[at + 2] == ES_RECORD_INDEX && bytes + 16 > entry) || is_end) {
                file[at + (is_end ? 56 : entry) + (size_t)random_below(&random, is_end ? 8 : 20)] ^=
                        (unsigned char)(1 << random_below(&random, 8));
                record_seal(file + at);
            }
        }
        open_states(&f, file_size);
        seek_states(&f, STATES, INT64_MAX);
    }
}

/* Asking for frames at every tick reads a recording without any once, not once for each tick. */
TEST(a_search_for_frames_is_made_once)
{
    enum { LONG = 4000 };
    es__record_config config = game_config((es_stream){0});
    es_report report;
    faulty f;
    config.snapshot_every = -1;
    start_record(config);
    for (int64_t tick = 1; tick <= LONG; ++tick) {
        es_step at = game_step(tick);
        assert_int_equal(es__record_step(&record, &at, NULL, 0), ES_OK);
        game_update(&g, &at, NULL, 0);
        assert_int_equal(es__record_tick(&record, &at, &g), ES_OK);
    }
    end_record();
    open_states(&f, file_size);
    assert_int_equal(es__playback_start(&play, &g), ES_OK);
    f.reads = 0;
    for (int64_t tick = 1; tick <= LONG; ++tick) {
        assert_int_equal(play_run(&play, &g, tick, false), ES_OK);
        assert_int_equal(es__playback_frame(&play, &report), ES_ERR_STATE);
    }
    assert_true(f.reads < 60); /* of 64 kB each; the file has some eight of these */
}

/* --- large states and inputs --- */

enum { LARGE = 300000 };

static unsigned char large_file[8 << 20];
static float large_world[LARGE];
static const es_field large_field = {
        .name = "x", .type = ES_TYPE_F32, .blend = ES_BLEND_STEP, .count = LARGE, .stride = 4};
static const es_layout large_layout = {&large_field, 1, sizeof large_world};

static size_t record_large(unsigned char *bytes, size_t count)
{
    sink = (memory_sink){large_file, sizeof large_file, 0};
    es__record_config config = {.layout = &large_layout, .snapshot_every = 2};
    config.stream = memory_sink_get(&sink);
    assert_int_equal(es__record_init(&record, &config, batch, ES__RECORD_MEMORY_MIN, NULL), ES_OK);
    assert_int_equal(es__record_start(&record, 0, 0, large_world), ES_OK);
    for (int64_t tick = 1; tick <= 3; ++tick) {
        es_step at = game_step(tick);
        memset(bytes, (int)tick, count);
        assert_int_equal(es__record_step(&record, &at, bytes, count), ES_OK);
        for (int i = 0; i < LARGE; ++i) {
            large_world[i] = (float)(i * tick);
        }
        assert_int_equal(es__record_tick(&record, &at, large_world), ES_OK);
    }
    assert_int_equal(es__record_end(&record), ES_OK);
    return sink.used;
}

/* Opens it and starts; 0: the default. */
static void start_large(const memory_source *source, size_t input_max, float *state)
{
    static unsigned char large_memory[8 << 20];
    es__playback_config config = {.layout = &large_layout, .input_max = input_max};
    config.stream = memory_source_get(source);
    assert_int_equal(es__playback_open(&play, &config, large_memory, NULL), ES_OK);
    assert_int_equal(es__playback_start(&play, state), ES_OK);
}

TEST(large_states_and_inputs_go_in_parts)
{
    static float loaded[LARGE];
    static unsigned char given[200000], window[ES_RECORD_SIZE_MAX];
    memory_source bytes = {large_file, record_large(given, sizeof given)};
    es_stream source = memory_source_get(&bytes);
    es__reader reader;
    es_replay_item item;
    start_large(&bytes, 0, loaded);
    assert_int_equal(summarize().snapshots, 2);
    assert_int_equal(next_tick(), ES_ERR_SPACE); /* 4096 */
    start_large(&bytes, 70000, loaded);          /* the first part would fit */
    assert_int_equal(next_tick(), ES_ERR_SPACE);
    start_large(&bytes, sizeof given, loaded);
    assert_int_equal(play_seek(&play, 2, loaded), ES_OK);
    assert_true(loaded[LARGE - 1] == (float)(2 * (LARGE - 1)) && loaded[77777] == 155554.0F);
    assert_int_equal(next_tick(), ES_OK);
    assert_int_equal(next.size, sizeof given);
    assert_memory_equal(next.input, given, sizeof given);
    assert_true(es__playback_check(&play, large_world));
    large_world[299999] += 1.0F;
    assert_false(es__playback_check(&play, large_world));
    assert_int_equal(es__reader_open(&reader, &source, window, sizeof window, NULL), ES_OK);
    do {
        assert_int_equal(es__reader_next(&reader, &item), ES_OK);
    } while (item.kind != ES_RECORD_INPUT || item.step.index != 2);
    unsigned char *evil = large_file + item.offset;
    for (int damaged = 0; damaged < 2; ++damaged) {
        record_put_u32(evil + 24, (uint32_t)item.part - 60000); /* parts that overlap */
        record_seal(evil);
        evil[100] ^= (unsigned char)damaged; /* a part that is missing */
        start_large(&bytes, sizeof given, loaded);
        assert_int_equal(summarize().damages, damaged);
        assert_int_equal(next_tick(), ES_OK);
        assert_int_equal(next_tick(), ES_ERR_DAMAGED);
        assert_int_equal(play.tick, 1);
        assert_int_equal(play.resume.tick, 2);
        assert_int_equal(play_seek(&play, 2, loaded), ES_OK);
    }
}

static es_result read_until(void *user, uint64_t offset, void *bytes, size_t count, size_t *got)
{
    int64_t *left = user; /* reads up to one that fails */
    const memory_source whole = {large_file, sink.used};
    *got = 0;
    *left -= 1;
    return *left == 0 ? ES_ERR_IO
                      : memory_give((void *)(uintptr_t)&whole, offset, bytes, count, got);
}

/* Also where only the saved state that would locate a difference cannot be read. */
TEST(a_check_that_cannot_read_is_said_by_next)
{
    static unsigned char given[100];
    static float loaded[LARGE];
    int64_t left = 0;
    memory_source bytes = {large_file, record_large(given, sizeof given)};
    bool failed = true;
    for (int64_t n = 1; failed; ++n) {
        start_large(&bytes, sizeof given, loaded);
        assert_int_equal(next_tick(), ES_OK);
        assert_int_equal(next_tick(), ES_OK);
        left = n;
        play.reader.source = (es_stream){.user = &left, .read = read_until};
        (void)es__playback_check(&play, loaded); /* the state of tick 0 */
        failed = left <= 0;
        assert_true(failed || play.divergence.located);
        left = 0;
        assert_int_equal(next_tick(), failed ? ES_ERR_IO : ES_OK);
        assert_int_equal(next_tick(), failed ? ES_ERR_IO : ES_ERR_STATE);
    }
}

/* --- the same frames again --- */

enum { FRAMES = 900 };

typedef struct frames_run {
    es_report reports[FRAMES];
    int32_t ticks[FRAMES];
    game g;
} frames_run;

/* What a recording has of reports. */
static void assert_same_members(const es_report *a, const es_report *b)
{
    unsigned char bytes[2][ES__FRAME_SIZE];
    (void)es__put_members(bytes[0], a, es__report_members, ES__REPORT_MEMBERS);
    (void)es__put_members(bytes[1], b, es__report_members, ES__REPORT_MEMBERS);
    assert_memory_equal(bytes[0], bytes[1], ES__FRAME_SIZE);
}

/* A game with stutters, under a loop with this clock. time: that clock, when recording; NULL: the
 * ticks come from the playback. */
static void run_frames(const char *name, es_clock clock, es_manual_clock *time, frames_run *run)
{
    es_loop loop;
    es_loop_config config;
    test_random random = {17};
    assert_true(es_loop_preset(name, &config));
    config.clock = clock;
    assert_int_equal(es__loop_init(&loop, &config, NULL), ES_OK);
    for (int i = 0; i < FRAMES; ++i) {
        es_step at;
        es_frame frame;
        unsigned char given[4];
        es_loop_begin(&loop);
        run->ticks[i] = 0;
        while (es_loop_tick(&loop, &at)) {
            const void *input = given;
            size_t size = game_input(at.index, given);
            if (time != NULL) {
                assert_int_equal(es__record_step(&record, &at, input, size), ES_OK);
            } else {
                assert_int_equal(next_tick(), ES_OK);
                assert_true(game_same_step(&at, &next.step));
                input = next.input;
                size = next.size;
            }
            game_update(&run->g, &at, input, size);
            run->ticks[i] += 1;
            if (time != NULL) {
                es_manual_clock_work(time, random_below(&random, 900000));
                assert_int_equal(es__record_tick(&record, &at, &run->g), ES_OK);
            } else {
                assert_true(es__playback_check(&play, &run->g));
            }
        }
        es_loop_wait(&loop, &frame);
        if (time != NULL) { /* now and then far too long; once the machine sleeps */
            es_manual_clock_work(time, random_below(&random, i % 50 == 49 ? 90000000 : 12000000));
            time->suspended_ns += i == 400 ? INT64_C(5000000000) : 0;
            time->wake_late_ns = random_below(&random, 300000);
        }
        es_loop_submit(&loop);
        es_loop_end(&loop);
        assert_non_null(es_loop_get_report(&loop));
        run->reports[i] = *es_loop_get_report(&loop);
        if (time != NULL) {
            assert_int_equal(es__record_frame(&record, &run->reports[i]), ES_OK);
        }
    }
}

TEST(stutters_come_again_to_the_nanosecond)
{
    static const char *const loops[] = {"adaptive", "auto", "low-latency", "variable", "decoupled",
            "lockstep", "max-frameskip"};
    static frames_run first, second;
    for_rows (i, loops) {
        es_manual_clock time = {.now_ns = 123456789};
        es__record_config config = game_config((es_stream){0});
        es__tape_writer writer = {.clock = es_manual_clock_get(&time), .record = &record};
        config.tick_rate = (es_rate){0, 0};
        config.hashes = ES_RECORD_HASH_WHOLE;
        memset(&first, 0, sizeof first);
        memset(&second, 0, sizeof second);
        es_clock clock = es__tape_writer_clock(&writer); /* also before there is a recording */
        start_record(config);
        first.g = g;
        run_frames(loops[i], clock, &time, &first);
        end_record();
        assert_int_equal(writer.result, ES_OK);
        start_run();
        second.g = g;
        es__tape_player player = {.play = &play};
        run_frames(loops[i], es__tape_player_clock(&player), NULL, &second);
        assert_int_equal(player.strays, 0);
        assert_memory_equal(first.ticks, second.ticks, sizeof first.ticks);
        g = second.g;
        assert_true(is_game(&first.g));
        for (int k = 0; k < FRAMES; ++k) {
            const es_frame *a = &first.reports[k].frame, *b = &second.reports[k].frame;
            es_report recorded;
            assert_same_members(&first.reports[k], &second.reports[k]);
            assert_memory_equal(&a->account, &b->account, sizeof a->account);
            assert_int_equal(es__playback_frame(&play, &recorded), ES_OK);
            assert_same_members(&first.reports[k], &recorded);
        }
        es_report again;
        assert_int_equal(es__playback_frame(&play, &again),
                ES_ERR_STATE); /* no more, until it starts again */
        assert_int_equal(es__playback_start(&play, &g), ES_OK);
        assert_int_equal(es__playback_frame(&play, &again), ES_OK);
        assert_same_members(&first.reports[0], &again);
    }
}

TEST(a_tape_keeps_pace_and_ends)
{
    es_manual_clock time = {.now_ns = 5000}, real = {.now_ns = 777};
    es__tape_writer writer = {.clock = es_manual_clock_get(&time), .record = &record};
    start_record(game_config((es_stream){0}));
    writer.clock.suspended_ns = NULL;
    es_clock clock = es__tape_writer_clock(&writer);
    assert_null(clock.suspended_ns);
    for (int i = 0; i < 10; ++i) {
        clock.wait_until(clock.user, time.now_ns + 1000);
        assert_int_equal(clock.now_ns(clock.user), time.now_ns);
    }
    assert_int_equal(clock.thread_cpu_ns(clock.user), 0);
    assert_int_equal(clock.now_ns(clock.user), 15000);
    end_record();
    start_run();
    es__tape_player player = {.play = &play, .pace = es_manual_clock_get(&real)};
    es_clock played = es__tape_player_clock(&player);
    assert_null(played.suspended_ns);
    assert_non_null(played.thread_cpu_ns);
    assert_int_equal(played.thread_cpu_ns(played.user), 0); /* a time comes next */
    assert_int_equal(player.strays, 1);
    for (int i = 0; i < 10; ++i) {
        played.wait_until(played.user, 0);
        assert_int_equal(played.now_ns(played.user), 6000 + 1000 * i);
        assert_int_equal(real.now_ns, 777 + 1000 * i);
    }
    assert_int_equal(played.now_ns(played.user), 15000); /* the CPU time was not queried */
    assert_int_equal(player.strays, 2);
    assert_false(player.ended);
    assert_int_equal(played.now_ns(played.user), 15000);
    assert_true(player.ended);
    played.wait_until(played.user, 99000);
    assert_int_equal(played.now_ns(played.user), 99000); /* time goes on */
    played.wait_until(played.user, 98000);
    assert_int_equal(played.now_ns(played.user), 99000); /* and not back */
}

/* A clock that has nothing but the time, and a pace that cannot wait. */
TEST(a_tape_of_the_time_alone)
{
    es_manual_clock time = {.now_ns = 5000}, real = {.now_ns = 777};
    es__tape_writer writer = {.clock = {.now_ns = manual_now, .user = &time}, .record = &record};
    for (int coarse = 0; coarse < 2; ++coarse) {
        start_record(game_config((es_stream){0}));
        writer.clock.thread_cpu_is_coarse = coarse == 1;
        es_clock clock = es__tape_writer_clock(&writer);
        assert_true(clock.wait_until == NULL && clock.thread_cpu_ns == NULL);
        assert_int_equal(clock.now_ns(clock.user), 5000);
        end_record();
        start_run();
        es__tape_player player = {.play = &play, .pace = {.now_ns = manual_now, .user = &real}};
        es_clock played = es__tape_player_clock(&player);
        assert_true(played.wait_until == NULL && played.thread_cpu_ns == NULL);
        assert_true(played.now_ns(played.user) == 5000 && real.now_ns == 777);
        assert_int_equal(played.thread_cpu_is_coarse, coarse);
    }
    record_run(ES_RECORD_HASH_GROUPS, -1); /* whose readings say nothing of the clock */
    start_run();
    es__tape_player player = {.play = &play};
    assert_null(es__tape_player_clock(&player).suspended_ns);
}

/* Each word of the parts of a state and an input in turn is damaged: no other state is ever loaded. */
TEST(parts_that_do_not_belong_together_are_not_joined)
{
    static float loaded[LARGE], lasts[4];
    static unsigned char given[200000];
    static const uint32_t evil[] = {0, 1, 60000, 200000, 1200000, UINT32_MAX, INT32_MAX};
    es__playback_config config = {.layout = &large_layout, .input_max = sizeof given};
    memory_source bytes = {large_file, record_large(given, sizeof given)};
    config.stream = memory_source_get(&bytes);
    for (int tick = 1; tick <= 3; ++tick) {
        lasts[tick] = (float)((LARGE - 1) * tick);
    }
    for (size_t at = 16, n = 0; at < bytes.size;
            at += 20 + (size_t)record_u32(large_file + at + 4)) {
        unsigned char kind = large_file[at + 2];
        size_t words = kind == ES_RECORD_SNAPSHOT ? 8 : kind == ES_RECORD_INPUT ? 4 : 0;
        for (size_t k = 0; k < words * COUNT_OF(evil); ++k, ++n) {
            unsigned char *word = large_file + at + 16 + 4 * (k % words);
            uint32_t was = record_u32(word);
            if (n % 5 != 0) { /* few of them take long enough */
                continue;
            }
            record_put_u32(word, evil[k / words]);
            record_seal(large_file + at);
            static unsigned char large_memory[8 << 20];
            if (es__playback_open(&play, &config, large_memory, NULL) == ES_OK
                    && es__playback_start(&play, loaded) == ES_OK) {
                assert_true(play.tick != 2 || loaded[LARGE - 1] == lasts[2]);
                while (next_tick() == ES_OK) {
                    assert_int_equal(next.size, sizeof given);
                    assert_int_equal(
                            ((const unsigned char *)next.input)[sizeof given - 1], play.tick);
                }
            }
            record_put_u32(word, was);
            record_seal(large_file + at);
        }
    }
}
