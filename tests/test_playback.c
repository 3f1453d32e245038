/* SPDX-License-Identifier: Zlib
 *
 * playback, tape and synctest: a recording plays to the same states, from anywhere; where a run
 * differs the tick, the group, the field, the object and both values are named; frames come again
 * to the nanosecond; and what is not in the state is found.
 */
#include "evenstep/loop.h"
#include "evenstep/playback.h"
#include "evenstep/synctest.h"
#include "evenstep/tape.h"

#include "record_game.h"
#include "test_support.h"

enum { TICKS = 235 };

static unsigned char batch[GAME_MEMORY], memory[GAME_MEMORY], file[1 << 20];
static size_t file_size;
static game straight[TICKS + 1]; /* the states as they were */

static void record_with(es_record_config config)
{
    static es_record record;
    game g;
    es_memory_sink sink = {file, sizeof file, 0};
    config.sink = es_memory_sink_get(&sink);
    game_init(&g, 99);
    assert_int_equal(es_record_init(&record, &config, batch, sizeof batch, NULL), ES_OK);
    assert_int_equal(es_record_start(&record, 0, 0, &g), ES_OK);
    straight[0] = g;
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        game_record_tick(&record, &g, tick);
        straight[tick] = g;
    }
    assert_int_equal(es_record_end(&record), ES_OK);
    file_size = sink.used;
}

static void record_run(es_record_hashes hashes, int32_t snapshot_every)
{
    es_record_config config = game_config((es_sink){0});
    config.hashes = hashes;
    config.snapshot_every = snapshot_every;
    record_with(config);
}

static es_memory_source source;

static es_playback_config config_of(const unsigned char *bytes, size_t size)
{
    source = (es_memory_source){bytes, size};
    return game_playback(es_memory_source_get(&source));
}

static void open_run(es_playback *play)
{
    es_playback_config config = config_of(file, file_size);
    es_error error;
    assert_true(es_playback_memory_size(&config) <= sizeof memory);
    assert_int_equal(es_playback_open(play, &config, memory, sizeof memory, &error), ES_OK);
    assert_null(error.field);
}

static bool same_game(const game *a, const game *b)
{
    return es__state_compare(&game_layout, a, b, NULL);
}

/* Without the padding. */
static bool same_step(const es_step *a, const es_step *b)
{
    return a->index == b->index && a->time_ns == b->time_ns && a->dt_ns == b->dt_ns
           && a->dt_s == b->dt_s && a->in_frame == b->in_frame && a->due_ns == b->due_ns
           && a->begun_ns == b->begun_ns;
}

static void assert_same_report(const es_frame_report *a, const es_frame_report *b)
{
    const es_frame *f = &a->frame, *g = &b->frame;
    assert_int_equal(f->index, g->index);
    assert_int_equal(f->start_ns, g->start_ns);
    assert_int_equal(f->present_ns, g->present_ns);
    assert_int_equal(f->content_ns, g->content_ns);
    assert_int_equal(f->interval_ns, g->interval_ns);
    assert_int_equal(f->previous_tick, g->previous_tick);
    assert_int_equal(f->current_tick, g->current_tick);
    assert_int_equal(f->newest_tick, g->newest_tick);
    assert_true(f->alpha == g->alpha);
    assert_int_equal(f->ticks, g->ticks);
    assert_int_equal(f->late_ns, g->late_ns);
    assert_int_equal(f->dropped_ns, g->dropped_ns);
    assert_int_equal(f->slow_motion_ns, g->slow_motion_ns);
    assert_int_equal(f->stretched_ns, g->stretched_ns);
    assert_int_equal(f->debt_ns, g->debt_ns);
    assert_int_equal(f->offset_ns, g->offset_ns);
    assert_int_equal(f->gap.kind, g->gap.kind);
    assert_int_equal(f->gap.duration_ns, g->gap.duration_ns);
    assert_memory_equal(&f->account, &g->account, sizeof f->account);
    assert_int_equal(a->ready_ns, b->ready_ns);
    assert_int_equal(a->submit_ns, b->submit_ns);
    assert_int_equal(a->shown_ns, b->shown_ns);
    assert_int_equal(a->update_work_ns, b->update_work_ns);
    assert_int_equal(a->render_work_ns, b->render_work_ns);
    assert_int_equal(a->series, b->series);
}

/* --- playing --- */

static void a_recording_plays_to_the_same_states(void **context)
{
    (void)context;
    static es_playback play;
    for (int hashes = 0; hashes <= (int)ES_RECORD_HASH_NONE; ++hashes) {
        game g;
        es_step step;
        const void *input;
        size_t size;
        record_run((es_record_hashes)hashes, 10);
        open_run(&play);
        memset(&g, 0x5A, sizeof g);
        assert_int_equal(es_playback_next(&play, &step, &input, &size), ES_ERR_STATE);
        assert_int_equal(es_playback_start(&play, &g), ES_OK);
        assert_true(same_game(&g, &straight[0]));
        for (int64_t tick = 1; tick <= TICKS; ++tick) {
            unsigned char expected[4];
            es_step expected_step = game_step(tick);
            assert_int_equal(es_playback_next(&play, &step, &input, &size), ES_OK);
            assert_true(same_step(&step, &expected_step));
            assert_int_equal(size, game_input(tick, expected));
            game_update(&g, &step, input, size);
            assert_true(es_playback_check(&play, &g));
            assert_true(same_game(&g, &straight[tick]));
        }
        assert_int_equal(es_playback_next(&play, &step, &input, &size), ES_ERR_STATE);
        assert_false(es_playback_divergence(&play)->found);
        assert_int_equal(es_playback_tick(&play), TICKS);
    }
}

static void what_is_told_about_a_recording(void **context)
{
    (void)context;
    static es_playback play;
    record_run(ES_RECORD_HASH_FIELDS, 10);
    open_run(&play);
    es_reader_run run = es_playback_run_info(&play);
    es_playback_fit fit = es_playback_fit_get(&play);
    assert_int_equal(run.format, ES_RECORD_FORMAT);
    assert_int_equal(run.hash_count, 6);
    assert_int_equal(run.seed, UINT64_C(0x123456789ABCDEF0));
    assert_true(fit.arithmetic && fit.library);
    assert_int_equal(fit.fields_new, 0);
    assert_int_equal(es_playback_summary(&play).steps, TICKS);
    assert_true(es_playback_summary(&play).ended);
}

static void a_seek_is_as_the_straight_run(void **context)
{
    (void)context;
    static es_playback play;
    test_random random = {5};
    for (int every = 1; every <= 101; every += every < 10 ? 3 : 45) {
        game g;
        record_run(ES_RECORD_HASH_GROUPS, every);
        open_run(&play);
        for (int i = 0; i < 100; ++i) {
            int64_t tick = i < 3 ? (int64_t[]){0, TICKS, 1}[i] : random_below(&random, TICKS + 1);
            memset(&g, (int)random_below(&random, 256), sizeof g);
            assert_int_equal(es_playback_seek(&play, tick, &g), ES_OK);
            assert_true(same_game(&g, &straight[tick]));
            assert_int_equal(es_playback_tick(&play), tick);
            int64_t more = random_below(&random, TICKS + 1 - tick);
            assert_int_equal(es_playback_run(&play, &g, tick + more, false), ES_OK);
            assert_true(same_game(&g, &straight[tick + more]));
        }
        assert_int_equal(es_playback_seek(&play, TICKS + 1, &g), ES_ERR_STATE);
        assert_int_equal(es_playback_seek(&play, -1, &g), ES_ERR_RANGE);
        assert_int_equal(es_playback_start(&play, &g), ES_OK);
        assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_OK);
        assert_true(same_game(&g, &straight[TICKS]));
    }
}

/* Few marks for many snapshots: seeks take longer, and come to the same. */
static void marks_are_thinned_out(void **context)
{
    (void)context;
    static es_playback play;
    record_run(ES_RECORD_HASH_GROUPS, 1);
    for (size_t most = 2; most < 40; most += 5) {
        es_playback_config config = config_of(file, file_size);
        game g;
        config.snapshots_max = most;
        assert_int_equal(
                es_playback_open(&play, &config, memory, es_playback_memory_size(&config), NULL),
                ES_OK);
        assert_true(play.mark_count <= most && play.mark_count > most / 2);
        for (int64_t tick = 0; tick <= TICKS; tick += 13) {
            assert_int_equal(es_playback_seek(&play, tick, &g), ES_OK);
            assert_true(same_game(&g, &straight[tick]));
        }
        size_t back = play.mark_count - 1; /* evenly spread */
        assert_int_equal(play.marks[back].tick, (int64_t)(back * play.mark_every));
    }
}

static int loads;
static int64_t loaded_tick;

static void count_load(void *user, void *state, int64_t tick)
{
    (void)user;
    (void)state;
    loads += 1;
    loaded_tick = tick;
}

static void loading_is_told(void **context)
{
    (void)context;
    static es_playback play;
    game g;
    record_run(ES_RECORD_HASH_GROUPS, 10);
    es_playback_config config = config_of(file, file_size);
    config.loaded = count_load;
    loads = 0;
    assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_playback_seek(&play, 57, &g), ES_OK);
    assert_int_equal(loads, 1);
    assert_int_equal(loaded_tick, 50);
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
    game *g = state;
    game_update(g, step, input, size);
    if (step->index == m->tick) {
        g->objects[m->object].at[1] += m->by;
        g->score += m->score;
    }
    return 0;
}

static void a_difference_names_tick_group_field_object_and_values(void **context)
{
    (void)context;
    static es_playback play;
    static const struct {
        es_record_hashes hashes;
        int64_t tick, located;
    } cases[] = {{ES_RECORD_HASH_GROUPS, 60, 60}, {ES_RECORD_HASH_GROUPS, 63, 70},
            {ES_RECORD_HASH_FIELDS, 60, 60}, {ES_RECORD_HASH_WHOLE, 60, 60},
            {ES_RECORD_HASH_WHOLE, 69, 70}, {ES_RECORD_HASH_NONE, 63, 70}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        mutant m = {cases[i].tick, 4, 0.5F, 0};
        game g;
        record_run(cases[i].hashes, 10);
        es_playback_config config = config_of(file, file_size);
        config.update = update_mutant;
        config.user = &m;
        assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
        assert_int_equal(es_playback_start(&play, &g), ES_OK);
        assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_ERR_RANGE);
        const es_divergence *d = es_playback_divergence(&play);
        bool by_hash = cases[i].hashes != ES_RECORD_HASH_NONE;
        assert_true(d->found);
        assert_int_equal(d->tick, by_hash ? m.tick : cases[i].located);
        assert_int_equal(es_playback_tick(&play), d->tick); /* it stops there */
        assert_int_equal(d->level, cases[i].hashes);
        assert_int_equal(d->hashes, by_hash);
        assert_true(!by_hash || d->computed != d->recorded);
        if (cases[i].hashes == ES_RECORD_HASH_GROUPS) {
            assert_int_equal(d->group, 1);
        }
        if (cases[i].hashes == ES_RECORD_HASH_FIELDS) {
            assert_string_equal(d->field->name, "objects.at");
        }
        assert_int_equal(d->located, !by_hash || m.tick == cases[i].located);
        (void)es_playback_run(&play, &g, cases[i].located, true);
        assert_true(d->located);
        assert_int_equal(d->tick, by_hash ? m.tick : cases[i].located);
        assert_int_equal(d->located_tick, cases[i].located);
        assert_string_equal(d->difference.field->name, "objects.at");
        assert_int_equal(d->difference.element, 4);
        assert_int_equal(d->difference.component, 1);
        assert_true(d->difference.values[0] == (double)g.objects[4].at[1]);
        assert_true(d->difference.values[1] == (double)straight[cases[i].located].objects[4].at[1]);
        assert_true(d->difference.values[0] != d->difference.values[1]);
    }
}

static void several_groups_that_differ_are_counted(void **context)
{
    (void)context;
    static es_playback play;
    mutant m = {33, 0, 1.0F, 5};
    game g;
    record_run(ES_RECORD_HASH_GROUPS, -1);
    es_playback_config config = config_of(file, file_size);
    config.update = update_mutant;
    config.user = &m;
    assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, TICKS, true), ES_ERR_RANGE);
    assert_int_equal(es_playback_tick(&play), TICKS); /* it goes on */
    assert_int_equal(es_playback_divergence(&play)->tick, 33);
    assert_int_equal(es_playback_divergence(&play)->hashes, 2);
    assert_int_equal(es_playback_divergence(&play)->group, 1);
    assert_false(es_playback_divergence(&play)->located);
    m.tick = -1;
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_false(es_playback_divergence(&play)->found); /* a new start forgets */
    assert_int_equal(es_playback_run(&play, &g, TICKS, false), ES_OK);
}

static void hashes_may_be_rare(void **context)
{
    (void)context;
    static es_playback play;
    mutant m = {33, 0, 1.0F, 5};
    game g;
    es_record_config config = game_config((es_sink){0});
    config.hash_every = 7;
    config.snapshot_every = -1;
    record_with(config);
    es_playback_config playback = config_of(file, file_size);
    playback.update = update_mutant;
    playback.user = &m;
    assert_int_equal(es_playback_open(&play, &playback, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_summary(&play).hashes, TICKS / 7);
    assert_int_equal(es_playback_run(&play, &g, TICKS, false), ES_ERR_RANGE);
    assert_int_equal(es_playback_divergence(&play)->tick, 35);
}

static int stop_at_20(void *user, void *state, const es_step *step, const void *input, size_t size)
{
    (void)user;
    game_update(state, step, input, size);
    return step->index == 20;
}

static void an_update_can_stop_it(void **context)
{
    (void)context;
    static es_playback play;
    game g;
    record_run(ES_RECORD_HASH_GROUPS, 10);
    es_playback_config config = config_of(file, file_size);
    config.update = stop_at_20;
    assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, TICKS, false), ES_ERR_REFUSED);
    assert_int_equal(es_playback_tick(&play), 20);
    assert_int_equal(es_playback_progress_get(&play).compared, 20); /* it, too */
    assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_OK);
    assert_int_equal(es_playback_progress_get(&play).compared, TICKS);
    assert_true(same_game(&g, &straight[TICKS]));
}

/* What differs there is told before that it was to stop. */
static int stop_at_20_astray(
        void *user, void *state, const es_step *step, const void *input, size_t size)
{
    int stop = stop_at_20(user, state, step, input, size);
    ((game *)state)->score += stop;
    return stop;
}

typedef struct refuser {
    es_playback *play;
    int refusals, events;
} refuser;

/* What it has read of events comes again, too. */
static int refuse_21_once(
        void *user, void *state, const es_step *step, const void *input, size_t size)
{
    refuser *r = user;
    es_reader_event event;
    r->events += es_playback_event(r->play, step->index, (uint32_t)(step->index % 2), &event);
    if (step->index == 21 && r->refusals++ == 0) {
        return -1;
    }
    game_update(state, step, input, size);
    return 0;
}

static void an_update_can_refuse_a_tick(void **context)
{
    (void)context;
    static es_playback play;
    game g;
    refuser r = {&play, 0, 0};
    record_run(ES_RECORD_HASH_GROUPS, 50);
    es_playback_config config = config_of(file, file_size);
    config.update = refuse_21_once;
    config.user = &r;
    assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, TICKS, false), ES_ERR_REFUSED);
    assert_int_equal(es_playback_tick(&play), 20);
    assert_true(same_game(&g, &straight[20]));
    assert_int_equal(es_playback_progress_get(&play).ticks, 20);
    assert_int_equal(r.events, 7);
    assert_int_equal(es_playback_run(&play, &g, 21, false), ES_OK);
    assert_int_equal(r.events, 8);
    assert_int_equal(es_playback_run(&play, &g, TICKS, false), ES_OK);
    assert_true(same_game(&g, &straight[TICKS]));
    assert_int_equal(es_playback_progress_get(&play).compared, TICKS);
    r.refusals = 0;
    assert_int_equal(es_playback_seek(&play, 25, &g), ES_ERR_REFUSED);
    assert_int_equal(es_playback_tick(&play), 20);
    config.update = stop_at_20_astray;
    assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, TICKS, false), ES_ERR_RANGE);
    assert_int_equal(es_playback_divergence(&play)->tick, 20);
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

/* Into the old arrangement, one tick, and back. */
static int update_other(
        void *user, void *state, const es_step *step, const void *input, size_t size)
{
    other_game *o = state;
    game g;
    (void)user;
    memset(&g, 0, sizeof g);
    g.random = o->random;
    g.energy = o->energy;
    g.score = o->score;
    for (int i = 0; i < GAME_OBJECTS; ++i) {
        g.objects[i] = (game_object){
                o->alive[i], {o->at[0][i], o->at[1][i]}, {o->speed[0][i], o->speed[1][i]}};
    }
    game_update(&g, step, input, size);
    o->random = g.random;
    o->energy = g.energy;
    o->score = g.score;
    for (int i = 0; i < GAME_OBJECTS; ++i) {
        o->alive[i] = g.objects[i].alive;
        for (int c = 0; c < 2; ++c) {
            o->at[c][i] = g.objects[i].at[c];
            o->speed[c][i] = g.objects[i].speed[c];
        }
    }
    return 0;
}

static void fields_are_found_by_name(void **context)
{
    (void)context;
    static es_playback play;
    for (int hashes = 0; hashes <= (int)ES_RECORD_HASH_FIELDS; ++hashes) {
        other_game o;
        record_run((es_record_hashes)hashes, 10);
        es_playback_config config = config_of(file, file_size);
        config.layout = &other_layout;
        config.update = update_other;
        assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
        assert_int_equal(es_playback_fit_get(&play).fields_new, 1);
        memset(&o, 0, sizeof o);
        o.lives = 3;
        assert_int_equal(es_playback_start(&play, &o), ES_OK);
        assert_int_equal(es_playback_run(&play, &o, INT64_MAX, false), ES_OK);
        assert_int_equal(o.score, straight[TICKS].score);
        assert_true(o.energy == straight[TICKS].energy);
        assert_int_equal(es_playback_seek(&play, 115, &o), ES_OK);
        assert_true(o.at[1][5] == straight[115].objects[5].at[1]);
        assert_int_equal(o.lives, 3); /* what the recording does not have stays */
    }
}

static void fields_that_do_not_fit_are_named(void **context)
{
    (void)context;
    static es_playback play;
    es_error error;
    es_field fields[6];
    es_layout layout = {fields, 6, sizeof(game)};
    record_run(ES_RECORD_HASH_GROUPS, 10);
    es_playback_config config = config_of(file, file_size);
    config.layout = &layout;
#define UNFIT(name, change)                                                                        \
    memcpy(fields, game_fields, sizeof fields);                                                    \
    change;                                                                                        \
    assert_int_equal(                                                                              \
            es_playback_open(&play, &config, memory, sizeof memory, &error), ES_ERR_UNSUPPORTED);  \
    assert_string_equal(error.field, name)
    UNFIT("energy", fields[4].name = "power");
    UNFIT("objects.speed", layout.field_count = 2);
    layout.field_count = 6;
    UNFIT("random", fields[5].type = ES_TYPE_I32);
    UNFIT("objects.at", fields[1].components = 1);
    UNFIT("objects.alive", (fields[0].count = 5, fields[0].group = 0));
}

static void bad_configurations_are_named(void **context)
{
    (void)context;
    static es_playback play;
    es_error error;
    record_run(ES_RECORD_HASH_GROUPS, 10);
    es_playback_config config = config_of(file, file_size);
    size_t size = es_playback_memory_size(&config);
    assert_int_equal(es_playback_open(&play, &config, memory, size - 1, &error), ES_ERR_SPACE);
    assert_string_equal(error.field, "memory_size");
    assert_int_equal(es_playback_open(&play, &config, memory + 1, size, &error), ES_OK);
    assert_int_equal(es_playback_open(&play, NULL, memory, size, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "config");
    config.snapshots_max = 1;
    assert_int_equal(es_playback_open(&play, &config, memory, size, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "snapshots_max");
    assert_int_equal(es_playback_memory_size(&config), 0);
    config = config_of(file, file_size);
    config.source.read = NULL;
    assert_int_equal(es_playback_open(&play, &config, memory, size, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "source");
    config = config_of(file, file_size);
    config.input_max = SIZE_MAX;
    assert_int_equal(es_playback_open(&play, &config, memory, size, &error), ES_ERR_SPACE);
    config = config_of(file, file_size);
    config.update = NULL;
    game g;
    assert_int_equal(es_playback_open(&play, &config, memory, size, &error), ES_OK);
    assert_int_equal(es_playback_seek(&play, 10, &g), ES_OK); /* a snapshot needs no update */
    assert_int_equal(es_playback_seek(&play, 11, &g), ES_ERR_INVALID);
}

/* --- cut, damaged, with gaps --- */

static void a_cut_recording_plays_up_to_the_cut(void **context)
{
    (void)context;
    static es_playback play;
    record_run(ES_RECORD_HASH_GROUPS, 10);
    size_t whole = file_size;
    for (size_t cut = 0; cut < whole; cut += 61) {
        es_playback_config config = config_of(file, cut);
        game g;
        es_result result = es_playback_open(&play, &config, memory, sizeof memory, NULL);
        if (result != ES_OK) {
            assert_int_equal(result, ES_ERR_DAMAGED);
            assert_true(cut < 1000); /* the header, or no whole snapshot */
            continue;
        }
        es_reader_summary s = es_playback_summary(&play);
        assert_int_equal(es_playback_start(&play, &g), ES_OK);
        result = es_playback_run(&play, &g, INT64_MAX, false);
        assert_true(result == ES_OK || result == ES_ERR_DAMAGED);
        assert_int_equal(es_playback_tick(&play), s.last_tick);
        assert_true(same_game(&g, &straight[s.last_tick]));
        assert_int_equal(es_playback_resume_tick(&play), INT64_MAX);
    }
}

static void damage_is_gone_round_by_a_snapshot(void **context)
{
    (void)context;
    static es_playback play;
    game g;
    es_reader reader;
    es_reader_item item;
    es_reader_step step;
    record_run(ES_RECORD_HASH_GROUPS, 10);
    es_playback_config config = config_of(file, file_size);
    assert_int_equal(es_reader_open(&reader, &config.source, memory, sizeof memory, NULL), ES_OK);
    do {
        assert_int_equal(es_reader_next(&reader, &item), ES_OK);
    } while (!es_reader_get_step(&item, &step) || step.step.index != 44);
    file[item.offset + 20] ^= 1;
    open_run(&play);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_ERR_DAMAGED);
    assert_int_equal(es_playback_tick(&play), 43);
    assert_true(same_game(&g, &straight[43]));
    assert_int_equal(es_playback_resume_tick(&play), 50);
    assert_int_equal(es_playback_seek(&play, 47, &g), ES_ERR_DAMAGED);
    assert_int_equal(es_playback_seek(&play, 50, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_OK);
    assert_true(same_game(&g, &straight[TICKS]));
}

static es_result write_when(void *user, const void *bytes, size_t size)
{
    es_memory_sink *sink = user;
    if (sink->size == 0) {
        return ES_ERR_FULL;
    }
    memcpy(file + sink->used, bytes, size);
    sink->used += size;
    return ES_OK;
}

static void gaps_are_gone_round(void **context)
{
    (void)context;
    static es_playback play;
    static es_record record;
    game g, at_900 = {0}, at_end;
    es_memory_sink sink = {file, 1, 0};
    es_record_config config = game_config((es_sink){.user = &sink, .write = write_when});
    config.when_full = ES_RECORD_FULL_GAP;
    game_init(&g, 99);
    assert_int_equal(es_record_init(&record, &config, batch, ES_RECORD_MEMORY_MIN, NULL), ES_OK);
    assert_int_equal(es_record_start(&record, 0, 0, &g), ES_OK);
    for (int64_t tick = 1; tick <= 1203; ++tick) {
        sink.size = tick > 100 && tick < 900 ? 0 : 1;
        game_record_tick(&record, &g, tick);
        at_900 = tick == 900 ? g : at_900;
    }
    assert_int_equal(es_record_end(&record), ES_OK);
    file_size = sink.used;
    at_end = g;
    open_run(&play);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_ERR_DAMAGED);
    assert_true(es_playback_tick(&play) > 200 && es_playback_tick(&play) < 899);
    assert_int_equal(es_playback_resume_tick(&play), 900);
    assert_int_equal(es_playback_seek(&play, 900, &g), ES_OK);
    assert_true(same_game(&g, &at_900));
    assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_OK);
    assert_true(same_game(&g, &at_end));
}

/* --- sources that fail; what is not compared --- */

typedef struct faulty {
    es_memory_source memory;
    uint64_t from; /* cannot be read from here on */
    int64_t reads;
} faulty;

static es_result read_faulty(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    faulty *f = user;
    es_source whole = es_memory_source_get(&f->memory);
    *got = 0;
    f->reads += 1;
    if (offset + size > f->from) {
        size = offset < f->from ? (size_t)(f->from - offset) : 0;
        if (size == 0) {
            return ES_ERR_IO;
        }
    }
    return whole.read(whole.user, offset, bytes, size, got);
}

/* A disk that fails is not the end of the recording. */
static void a_source_that_fails_is_told(void **context)
{
    (void)context;
    static es_playback play;
    game g;
    record_run(ES_RECORD_HASH_GROUPS, -1);
    for (size_t from = 2000; from < file_size; from += 997) {
        faulty f = {{file, file_size}, UINT64_MAX, 0};
        es_playback_config config = game_playback((es_source){&f, read_faulty});
        es_reader_event event;
        es_frame_report report;
        assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
        assert_int_equal(es_playback_start(&play, &g), ES_OK);
        play.reader.window_used = 0; /* nothing is remembered */
        f.from = from;
        assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_ERR_IO);
        assert_true(same_game(&g, &straight[es_playback_tick(&play)]));
        assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_ERR_IO);
        assert_true(es_playback_check(&play, &g));
        f.from = UINT64_MAX;
        assert_int_equal(es_playback_start(&play, &g), ES_OK); /* again, and all is well */
        assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_OK);
        assert_true(same_game(&g, &straight[TICKS]));
        assert_int_equal(
                es_playback_start(&play, &g), ES_OK); /* what is read beside is told, too */
        f.from = from;
        play.reader.window_used = 0;
        while (es_playback_frame(&play, &report)) {
        }
        (void)es_playback_event(&play, INT64_MAX - 1, 99, &event);
        assert_int_equal(es_playback_run(&play, &g, 1, false), ES_ERR_IO);
    }
}

static void flip_in(es_record_kind kind, int64_t tick)
{
    es_reader reader;
    es_reader_item item;
    es_reader_hashes hashes;
    es_reader_event event;
    es_reader_step step;
    static unsigned char window[ES_RECORD_SIZE_MAX];
    es_memory_source bytes = {file, file_size};
    es_source s = es_memory_source_get(&bytes);
    assert_int_equal(es_reader_open(&reader, &s, window, sizeof window, NULL), ES_OK);
    for (;;) {
        es_result result = es_reader_next(&reader, &item);
        assert_true(result == ES_ERR_DAMAGED || item.kind != ES_RECORD_NONE);
        if (item.kind == kind
                && ((es_reader_get_hashes(&item, &hashes) && hashes.tick == tick)
                        || (es_reader_get_event(&item, &event) && event.tick == tick)
                        || (es_reader_get_step(&item, &step) && step.step.index == tick)
                        || kind == ES_RECORD_END)) {
            file[item.offset + 18] ^= 1;
            return;
        }
    }
}

/* Damage that hides no tick is passed over, and it is counted what was not compared for it. */
static void what_is_not_compared_is_counted(void **context)
{
    (void)context;
    static es_playback play;
    game g;
    record_run(ES_RECORD_HASH_GROUPS, 10);
    flip_in(ES_RECORD_HASH, 33); /* its event comes before it */
    flip_in(ES_RECORD_EVENT, 36);
    open_run(&play);
    assert_int_equal(es_playback_run(&play, &g, 1, false), ES_ERR_STATE); /* nothing is loaded */
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_OK);
    es_playback_progress progress = es_playback_progress_get(&play);
    assert_int_equal(progress.ticks, TICKS);
    assert_int_equal(progress.compared, TICKS - 1);
    assert_int_equal(progress.holes, 2);
    assert_int_equal(es_playback_seek(&play, INT64_MAX, &g), ES_ERR_STATE);
    /* behind the damaged event the hashes of tick 36 are compared */
    mutant m = {36, 0, 1.0F, 0};
    es_playback_config config = config_of(file, file_size);
    config.update = update_mutant;
    config.user = &m;
    assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_ERR_RANGE);
    assert_int_equal(es_playback_divergence(&play)->tick, 36);
}

/* Nor does damage behind the last step hide one, where the end is there and says so. */
static void what_is_damaged_behind_the_last_step_hides_no_tick(void **context)
{
    (void)context;
    static es_playback play;
    game g;
    for (int behind = 0; behind < 2; ++behind) {
        record_run(ES_RECORD_HASH_GROUPS, -1);
        flip_in(ES_RECORD_HASH, TICKS);
        file[file_size] = '\n';
        file_size += (size_t)behind;
        open_run(&play);
        assert_int_equal(es_playback_summary(&play).damages, 1 + behind);
        assert_int_equal(es_playback_start(&play, &g), ES_OK);
        assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_OK);
        assert_int_equal(es_playback_tick(&play), TICKS);
        assert_int_equal(es_playback_run(&play, &g, TICKS + 1, false), ES_ERR_STATE);
        assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_OK);
        assert_int_equal(es_playback_progress_get(&play).compared, TICKS - 1);
        assert_int_equal(es_playback_progress_get(&play).holes, 1); /* behind the end is none */
        assert_int_equal(es_playback_seek(&play, TICKS + 1, &g), ES_ERR_STATE);
        assert_true(same_game(&g, &straight[TICKS]));
    }
    record_run(ES_RECORD_HASH_GROUPS, -1); /* and where it hides one, the end says that, too */
    flip_in(ES_RECORD_STEP, TICKS);
    open_run(&play);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_ERR_DAMAGED);
    assert_int_equal(es_playback_tick(&play), TICKS - 1);
    record_run(ES_RECORD_HASH_GROUPS, -1);
    flip_in(ES_RECORD_HASH, TICKS);
    flip_in(ES_RECORD_END, 0); /* without it nobody knows */
    open_run(&play);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_ERR_DAMAGED);
    assert_int_equal(es_playback_tick(&play), TICKS);
}

/* A snapshot of a tick without hashes is compared as well. */
static void snapshots_between_hashes_are_compared(void **context)
{
    (void)context;
    static es_playback play;
    static const struct {
        int64_t mutant, found;
        bool by_hash;
    } cases[] = {{1, 7, true}, {8, 10, false}, {10, 10, false}, {11, 14, true}, {70, 70, true}};
    es_record_config config = game_config((es_sink){0});
    config.hash_every = 7;
    record_with(config);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        mutant m = {cases[i].mutant, 2, 0.5F, 3};
        game g;
        es_playback_config playback = config_of(file, file_size);
        playback.update = update_mutant;
        playback.user = &m;
        assert_int_equal(es_playback_open(&play, &playback, memory, sizeof memory, NULL), ES_OK);
        assert_int_equal(es_playback_start(&play, &g), ES_OK);
        assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_ERR_RANGE);
        const es_divergence *d = es_playback_divergence(&play);
        assert_int_equal(d->tick, cases[i].found);
        assert_int_equal(d->level, cases[i].by_hash ? ES_RECORD_HASH_GROUPS : ES_RECORD_HASH_NONE);
        assert_int_equal(d->located, d->tick % 10 == 0);
    }
}

/* Asking for events of every tick reads a recording once, not once for each tick. */
static void asking_for_events_costs_no_search(void **context)
{
    (void)context;
    static es_playback play;
    static es_record record;
    enum { LONG = 4000 };
    es_memory_sink sink = {file, sizeof file, 0};
    es_record_config config = game_config(es_memory_sink_get(&sink));
    es_reader_event event;
    es_frame_report report;
    game g;
    config.snapshot_every = -1;
    game_init(&g, 99);
    assert_int_equal(es_record_init(&record, &config, batch, sizeof batch, NULL), ES_OK);
    assert_int_equal(es_record_start(&record, 0, 0, &g), ES_OK);
    for (int64_t tick = 1; tick <= LONG; ++tick) {
        es_step step = game_step(tick);
        assert_int_equal(es_record_step(&record, &step, NULL, 0), ES_OK);
        game_update(&g, &step, NULL, 0);
        assert_int_equal(es_record_tick(&record, &step, &g), ES_OK);
    }
    assert_int_equal(es_record_end(&record), ES_OK);
    faulty f = {{file, sink.used}, UINT64_MAX, 0};
    es_playback_config playback = game_playback((es_source){&f, read_faulty});
    assert_int_equal(es_playback_open(&play, &playback, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    f.reads = 0;
    for (int64_t tick = 1; tick <= LONG; ++tick) {
        es_step step;
        const void *input;
        size_t size;
        assert_int_equal(es_playback_next(&play, &step, &input, &size), ES_OK);
        game_update(&g, &step, input, size);
        assert_false(es_playback_event(&play, tick, 1, &event));
        assert_true(es_playback_check(&play, &g));
        assert_false(es_playback_frame(&play, &report));
    }
    assert_true(f.reads < 60); /* of 64 kB each; the file has some eight of these */
}

/* --- planted: what makes runs differ --- */

typedef struct planted {
    game g;
    struct node {
        double mass;
    } * nodes[GAME_OBJECTS]; /* anywhere in memory: found in the order of their addresses */
    unsigned char leak;      /* the memory behind `alive`, at tick 57, goes into the score */
} planted;

/* As a set of pointers is gone through: what comes first depends on where memory was given. */
static double sum_by_address(const planted *p)
{
    struct node *const *nodes = p->nodes;
    double sum = 0.0;
    uintptr_t after = 0;
    for (int i = 0; i < GAME_OBJECTS; ++i) {
        int next = -1;
        for (int k = 0; k < GAME_OBJECTS; ++k) {
            uintptr_t at = (uintptr_t)nodes[k];
            if (at > after && (next < 0 || at < (uintptr_t)nodes[next])) {
                next = k;
            }
        }
        sum += nodes[next]->mass;
        after = (uintptr_t)nodes[next];
    }
    return sum;
}

static planted *plant;

static int update_planted(
        void *user, void *state, const es_step *step, const void *input, size_t size)
{
    game *g = state;
    (void)user;
    game_update(g, step, input, size);
    if (plant->nodes[0] != NULL) {
        for (int i = 0; i < GAME_OBJECTS; ++i) {
            plant->nodes[i]->mass = 1.0 / (double)(step->index * 7 + i * 3 + 1);
        }
        g->energy += sum_by_address(plant);
    }
    if (plant->leak != 0 && step->index == 57) {
        unsigned char behind;
        memcpy(&behind, (unsigned char *)&g->objects[2] + 1, 1); /* padding */
        g->score += behind;
    }
    return 0;
}

static void record_planted(planted *p, unsigned char garbage)
{
    static es_record record;
    es_memory_sink sink = {file, sizeof file, 0};
    es_record_config config = game_config(es_memory_sink_get(&sink));
    static game g;
    plant = p;
    config.hashes = ES_RECORD_HASH_FIELDS;
    memset(&g, garbage, sizeof g);
    game_init(&p->g, 99);
    es__state_copy(&game_layout, &g, &p->g); /* the padding stays what it was */
    assert_int_equal(es_record_init(&record, &config, batch, sizeof batch, NULL), ES_OK);
    assert_int_equal(es_record_start(&record, 0, 0, &g), ES_OK);
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        unsigned char input[4];
        es_step step = game_step(tick);
        size_t size = game_input(tick, input);
        assert_int_equal(es_record_step(&record, &step, input, size), ES_OK);
        (void)update_planted(NULL, &g, &step, input, size);
        assert_int_equal(es_record_tick(&record, &step, &g), ES_OK);
        straight[tick] = g;
    }
    assert_int_equal(es_record_end(&record), ES_OK);
    file_size = sink.used;
}

static const es_divergence *play_planted(planted *p, unsigned char garbage)
{
    static es_playback play;
    es_playback_config config = config_of(file, file_size);
    static game g;
    plant = p;
    config.update = update_planted;
    memset(&g, garbage, sizeof g);
    assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    es_result result = es_playback_run(&play, &g, INT64_MAX, false);
    assert_int_equal(result, es_playback_divergence(&play)->found ? ES_ERR_RANGE : ES_OK);
    return es_playback_divergence(&play);
}

static void padding_is_no_difference_until_it_leaks(void **context)
{
    (void)context;
    static planted p;
    memset(&p, 0, sizeof p);
    record_planted(&p, 0x11);
    assert_false(play_planted(&p, 0xEE)->found);
    p.leak = 1;
    record_planted(&p, 0x11);
    assert_false(play_planted(&p, 0x11)->found); /* the same garbage, by luck */
    const es_divergence *d = play_planted(&p, 0xEE);
    assert_true(d->found);
    assert_int_equal(d->tick, 57);
    assert_int_equal(d->level, ES_RECORD_HASH_FIELDS);
    assert_string_equal(d->field->name, "score");
    assert_int_equal(d->hashes, 1);
}

static void an_unordered_iteration_is_named(void **context)
{
    (void)context;
    static planted p;
    static struct node pool[GAME_OBJECTS];
    double sums[2];
    int64_t first = 0;
    memset(&p, 0, sizeof p);
    for (int64_t tick = 1; first == 0; ++tick) { /* when the order first shows, by hand */
        sums[0] = sums[1] = 0.0;
        for (int i = 0; i < GAME_OBJECTS; ++i) {
            sums[0] += 1.0 / (double)(tick * 7 + i * 3 + 1);
            sums[1] += 1.0 / (double)(tick * 7 + (GAME_OBJECTS - 1 - i) * 3 + 1);
        }
        first = sums[0] != sums[1] ? tick : 0;
        assert_true(tick < TICKS);
    }
    for (int i = 0; i < GAME_OBJECTS; ++i) {
        p.nodes[i] = &pool[i];
    }
    record_planted(&p, 0);
    assert_false(play_planted(&p, 0)->found); /* memory was given in the same order, by luck */
    for (int i = 0; i < GAME_OBJECTS; ++i) {
        p.nodes[i] = &pool[GAME_OBJECTS - 1 - i];
    }
    const es_divergence *d = play_planted(&p, 0);
    assert_true(d->found);
    assert_in_range(d->tick, first, first + 20); /* the sum may hide it for a while */
    assert_string_equal(d->field->name, "energy");
    assert_int_equal(d->hashes, 1);
}

static void a_changed_field_is_named(void **context)
{
    (void)context;
    static es_playback play;
    for (int64_t tick = 1; tick <= TICKS; tick += 13) {
        mutant m = {tick, 0, 0.0F, 1};
        game g;
        record_run(ES_RECORD_HASH_FIELDS, -1);
        es_playback_config config = config_of(file, file_size);
        config.update = update_mutant;
        config.user = &m;
        assert_int_equal(es_playback_open(&play, &config, memory, sizeof memory, NULL), ES_OK);
        assert_int_equal(es_playback_start(&play, &g), ES_OK);
        assert_int_equal(es_playback_run(&play, &g, INT64_MAX, false), ES_ERR_RANGE);
        assert_int_equal(es_playback_divergence(&play)->tick, tick);
        assert_string_equal(es_playback_divergence(&play)->field->name, "score");
        assert_int_equal(es_playback_divergence(&play)->hashes, 1);
    }
}

/* --- large states and inputs --- */

enum { LARGE = 300000 };

static void large_states_and_inputs_go_in_parts(void **context)
{
    (void)context;
    static es_playback play;
    static es_record record;
    static float world[LARGE], loaded[LARGE];
    static unsigned char input[200000], large_memory[8 << 20], large_file[8 << 20];
    static const es_field field = {
            "x", ES_TYPE_F32, ES_BLEND_STEP, LARGE, 1, 0, 4, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0, 0};
    static const es_layout layout = {&field, 1, sizeof world};
    es_memory_sink sink = {large_file, sizeof large_file, 0};
    es_record_config config = {0};
    config.layout = &layout;
    config.sink = es_memory_sink_get(&sink);
    config.snapshot_every = 2;
    assert_int_equal(es_record_init(&record, &config, batch, ES_RECORD_MEMORY_MIN, NULL), ES_OK);
    assert_int_equal(es_record_start(&record, 0, 0, world), ES_OK);
    for (int64_t tick = 1; tick <= 3; ++tick) {
        es_step step = game_step(tick);
        memset(input, (int)tick, sizeof input);
        assert_int_equal(es_record_step(&record, &step, input, sizeof input), ES_OK);
        for (int i = 0; i < LARGE; ++i) {
            world[i] = (float)(i * tick);
        }
        assert_int_equal(es_record_tick(&record, &step, world), ES_OK);
    }
    assert_int_equal(es_record_end(&record), ES_OK);
    es_memory_source bytes = {large_file, sink.used};
    es_playback_config playback = {0};
    playback.source = es_memory_source_get(&bytes);
    playback.layout = &layout;
    es_step step;
    const void *got;
    size_t size;
    assert_int_equal(
            es_playback_open(&play, &playback, large_memory, sizeof large_memory, NULL), ES_OK);
    assert_int_equal(es_playback_summary(&play).snapshots, 2);
    assert_int_equal(es_playback_start(&play, loaded), ES_OK);
    assert_int_equal(es_playback_next(&play, &step, &got, &size), ES_ERR_SPACE); /* 4096 */
    playback.input_max = 70000; /* the first part would fit */
    assert_int_equal(
            es_playback_open(&play, &playback, large_memory, sizeof large_memory, NULL), ES_OK);
    assert_int_equal(es_playback_start(&play, loaded), ES_OK);
    assert_int_equal(es_playback_next(&play, &step, &got, &size), ES_ERR_SPACE);
    playback.input_max = sizeof input;
    assert_int_equal(
            es_playback_open(&play, &playback, large_memory, sizeof large_memory, NULL), ES_OK);
    assert_int_equal(es_playback_seek(&play, 2, loaded), ES_OK);
    assert_true(loaded[LARGE - 1] == (float)(2 * (LARGE - 1)) && loaded[77777] == 155554.0F);
    assert_int_equal(es_playback_next(&play, &step, &got, &size), ES_OK);
    assert_int_equal(size, sizeof input);
    memset(input, 3, sizeof input);
    assert_memory_equal(got, input, sizeof input);
    assert_true(es_playback_check(&play, world));
    world[299999] += 1.0F;
    assert_false(es_playback_check(&play, world));
    /* a part of the second tick's input that is missing: the tick is not there, nor is any after */
    es_reader reader;
    es_reader_item item;
    es_reader_step part;
    static unsigned char window[ES_RECORD_SIZE_MAX];
    assert_int_equal(es_reader_open(&reader, &playback.source, window, sizeof window, NULL), ES_OK);
    do {
        assert_int_equal(es_reader_next(&reader, &item), ES_OK);
    } while (item.kind != ES_RECORD_INPUT || !es_reader_get_step(&item, &part)
             || part.step.index != 2);
    unsigned char *evil = large_file + item.offset; /* parts that overlap, with right checksums */
    record_put_u32(evil + 24, part.offset - 60000);
    record_seal(evil);
    assert_int_equal(
            es_playback_open(&play, &playback, large_memory, sizeof large_memory, NULL), ES_OK);
    assert_int_equal(es_playback_summary(&play).damages, 0);
    assert_int_equal(es_playback_start(&play, loaded), ES_OK);
    assert_int_equal(es_playback_next(&play, &step, &got, &size), ES_OK);
    assert_int_equal(es_playback_next(&play, &step, &got, &size), ES_ERR_DAMAGED);
    evil[100] ^= 1;
    assert_int_equal(
            es_playback_open(&play, &playback, large_memory, sizeof large_memory, NULL), ES_OK);
    assert_int_equal(es_playback_start(&play, loaded), ES_OK);
    assert_int_equal(es_playback_next(&play, &step, &got, &size), ES_OK);
    assert_int_equal(es_playback_next(&play, &step, &got, &size), ES_ERR_DAMAGED);
    assert_int_equal(es_playback_tick(&play), 1);
    assert_int_equal(es_playback_resume_tick(&play), 2);
    assert_int_equal(es_playback_seek(&play, 2, loaded), ES_OK);
}

/* --- events, frames --- */

static void events_come_in_their_ticks(void **context)
{
    (void)context;
    static es_playback play;
    es_reader_event event;
    game g;
    record_run(ES_RECORD_HASH_GROUPS, 10);
    open_run(&play);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        bool there = es_playback_event(&play, tick, (uint32_t)(tick % 2), &event);
        assert_int_equal(there, tick % 3 == 0);
        if (there) {
            assert_int_equal(event.tick, tick);
            assert_int_equal(event.size, 3);
            assert_false(es_playback_event(&play, tick, (uint32_t)(tick % 2), &event));
        }
    }
    assert_int_equal(es_playback_seek(&play, 100, &g), ES_OK);
    assert_true(es_playback_event(&play, 102, 0, &event));
    assert_int_equal(event.tick, 102);
    assert_false(es_playback_event(&play, 105, 0, &event)); /* of another kind */
    assert_true(es_playback_event(&play, 108, 0, &event));
}

static void frames_come_in_order(void **context)
{
    (void)context;
    static es_playback play;
    es_frame_report report;
    game g;
    record_run(ES_RECORD_HASH_GROUPS, 10);
    open_run(&play);
    assert_false(es_playback_frame(&play, &report));
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    for (int64_t i = 1; i <= TICKS / 2; ++i) {
        es_frame_report expected = game_frame(i);
        assert_true(es_playback_frame(&play, &report));
        assert_memory_equal(&report, &expected, sizeof report);
    }
    assert_false(es_playback_frame(&play, &report));
}

/* --- the same frames again --- */

enum { FRAMES = 900 };

typedef struct frames_run {
    es_frame_report reports[FRAMES];
    int32_t ticks[FRAMES];
    game g;
} frames_run;

/* A game with stutters, under a loop with this clock. It records where a record is given, and is
 * played where a playback is: then nothing but the clock and the inputs come from there. */
static void run_frames(const char *name, es_clock clock, es_manual_clock *time, es_record *record,
        es_playback *play, frames_run *run)
{
    es_loop loop;
    es_loop_config config;
    test_random random = {17};
    assert_int_equal(es_loop_config_named(name, &config), ES_OK);
    config.clock = clock;
    assert_int_equal(es_loop_init(&loop, &config, NULL), ES_OK);
    for (int i = 0; i < FRAMES; ++i) {
        es_step step, recorded;
        es_frame frame;
        unsigned char given[4];
        es_loop_begin(&loop);
        run->ticks[i] = 0;
        while (es_loop_tick(&loop, &step)) {
            const void *input = given;
            size_t size = game_input(step.index, given);
            if (record != NULL) {
                assert_int_equal(es_record_step(record, &step, input, size), ES_OK);
            }
            if (play != NULL) {
                assert_int_equal(es_playback_next(play, &recorded, &input, &size), ES_OK);
                assert_true(same_step(&step, &recorded));
            }
            game_update(&run->g, &step, input, size);
            run->ticks[i] += 1;
            if (record != NULL) {
                es_manual_clock_work(time, random_below(&random, 900000));
                assert_int_equal(es_record_tick(record, &step, &run->g), ES_OK);
            } else {
                assert_true(es_playback_check(play, &run->g));
            }
        }
        es_loop_ready(&loop, &frame);
        if (record != NULL) { /* now and then far too long; once the machine sleeps */
            es_manual_clock_work(time, random_below(&random, i % 50 == 49 ? 90000000 : 12000000));
            time->suspended_ns += i == 400 ? INT64_C(5000000000) : 0;
            time->wake_late_ns = random_below(&random, 300000);
        }
        es_loop_submit(&loop);
        es_loop_end(&loop);
        assert_non_null(es_loop_report(&loop));
        run->reports[i] = *es_loop_report(&loop);
        if (record != NULL) {
            assert_int_equal(es_record_frame(record, &run->reports[i]), ES_OK);
        }
    }
}

static void stutters_come_again_to_the_nanosecond(void **context)
{
    (void)context;
    static const char *const loops[] = {"adaptive", "auto", "low-latency", "variable", "decoupled",
            "lockstep", "max-frameskip"};
    static es_record record;
    static es_playback play;
    static frames_run first, second;
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; ++i) {
        es_manual_clock time = {.now_ns = 123456789};
        es_memory_sink sink = {file, sizeof file, 0};
        es_record_config config = game_config(es_memory_sink_get(&sink));
        es_tape_writer writer = {.clock = es_manual_clock_get(&time), .record = &record};
        config.tick_rate = (es_rate){0, 0};
        config.hashes = ES_RECORD_HASH_WHOLE;
        memset(&first, 0, sizeof first);
        memset(&second, 0, sizeof second);
        game_init(&first.g, 1);
        es_clock clock = es_tape_writer_clock(&writer); /* also before there is a recording */
        assert_int_equal(es_record_init(&record, &config, batch, sizeof batch, NULL), ES_OK);
        assert_int_equal(es_record_start(&record, 0, 0, &first.g), ES_OK);
        run_frames(loops[i], clock, &time, &record, NULL, &first);
        assert_int_equal(es_record_end(&record), ES_OK);
        assert_int_equal(writer.result, ES_OK);
        file_size = sink.used;

        open_run(&play);
        assert_int_equal(es_playback_start(&play, &second.g), ES_OK);
        es_tape_player player = {.play = &play};
        run_frames(loops[i], es_tape_player_clock(&player), NULL, NULL, &play, &second);
        assert_int_equal(player.strays, 0);
        assert_memory_equal(first.ticks, second.ticks, sizeof first.ticks);
        for (int k = 0; k < FRAMES; ++k) {
            assert_same_report(&first.reports[k], &second.reports[k]);
        }
        assert_true(same_game(&first.g, &second.g));
        es_frame_report report; /* and what was recorded of them is what they were */
        for (int k = 0; k < FRAMES; ++k) {
            assert_true(es_playback_frame(&play, &report));
            assert_int_equal(report.frame.content_ns, first.reports[k].frame.content_ns);
            assert_int_equal(report.frame.ticks, first.reports[k].frame.ticks);
            assert_true(report.frame.alpha == first.reports[k].frame.alpha);
            assert_int_equal(report.shown_ns, first.reports[k].shown_ns);
        }
    }
}

static void a_tape_keeps_pace_and_ends(void **context)
{
    (void)context;
    static es_record record;
    static es_playback play;
    game g;
    es_manual_clock time = {.now_ns = 5000}, real = {.now_ns = 777};
    es_memory_sink sink = {file, sizeof file, 0};
    es_record_config config = game_config(es_memory_sink_get(&sink));
    es_tape_writer writer = {.clock = es_manual_clock_get(&time), .record = &record};
    game_init(&g, 1);
    assert_int_equal(es_record_init(&record, &config, batch, sizeof batch, NULL), ES_OK);
    assert_int_equal(es_record_start(&record, 0, 0, &g), ES_OK);
    writer.clock.suspended_ns = NULL;
    es_clock clock = es_tape_writer_clock(&writer);
    assert_null(clock.suspended_ns);
    for (int i = 0; i < 10; ++i) {
        clock.wait_until(clock.user, time.now_ns + 1000);
        assert_int_equal(clock.now_ns(clock.user), time.now_ns);
    }
    assert_int_equal(clock.thread_cpu_ns(clock.user), 0);
    assert_int_equal(clock.now_ns(clock.user), 15000);
    assert_int_equal(es_record_end(&record), ES_OK);
    file_size = sink.used;
    open_run(&play);
    assert_int_equal(es_playback_start(&play, &g), ES_OK);
    es_tape_player player = {.play = &play, .pace = es_manual_clock_get(&real), .speed = {1, 2}};
    es_clock played = es_tape_player_clock(&player);
    assert_null(played.suspended_ns);
    assert_non_null(played.thread_cpu_ns);
    assert_int_equal(played.thread_cpu_ns(played.user), 0); /* a time comes next */
    assert_int_equal(player.strays, 1);
    for (int i = 0; i < 10; ++i) {
        played.wait_until(played.user, 0);
        assert_int_equal(played.now_ns(played.user), 6000 + 1000 * i);
        assert_int_equal(real.now_ns, 777 + 2000 * i); /* half as fast */
    }
    assert_int_equal(played.now_ns(played.user), 15000); /* the CPU time was not asked for */
    assert_int_equal(player.strays, 2);
    assert_false(player.ended);
    assert_int_equal(played.now_ns(played.user), 15000);
    assert_true(player.ended);
    played.wait_until(played.user, 99000);
    assert_int_equal(played.now_ns(played.user), 99000); /* time goes on */
}

/* --- the state is all there is --- */

static int hidden; /* beside the state, and it matters */
static bool with_hidden;

static int update_hidden(
        void *user, void *state, const es_step *step, const void *input, size_t size)
{
    game *g = state;
    (void)user;
    game_update(g, step, input, size);
    if (with_hidden) {
        hidden += 1;
        g->objects[3].speed[0] += (float)(hidden % 5);
    }
    return 0;
}

static void hidden_state_is_found(void **context)
{
    (void)context;
    static es_synctest test;
    for (int run = 0; run < 2; ++run) {
        es_synctest_config config = {0};
        es_error error;
        game g;
        config.layout = &game_layout;
        config.update = update_hidden;
        config.every = 20;
        config.ticks = 3;
        with_hidden = run == 1;
        hidden = 0;
        game_init(&g, 5);
        assert_int_equal(
                es_synctest_init(&test, &config, memory, es_synctest_memory_size(&config), &error),
                ES_OK);
        for (int64_t tick = 1; tick <= 200; ++tick) {
            unsigned char input[4];
            es_step step = game_step(tick);
            size_t size = game_input(tick, input);
            es_synctest_before(&test, &g, &step, input, size);
            (void)update_hidden(NULL, &g, &step, input, size);
            game before = g;
            bool same = es_synctest_after(&test, &g);
            assert_memory_equal(&before, &g, sizeof g); /* unchanged, whatever was found */
            assert_true(same || (with_hidden && tick % 20 == 2));
        }
        const es_synctest_finding *found = es_synctest_finding_get(&test);
        assert_int_equal(found->found, with_hidden);
        assert_int_equal(es_synctest_count(&test), 9); /* the one that began at 200 is open */
        if (with_hidden) {
            assert_int_equal(found->first_tick, 20);
            assert_int_equal(found->tick, 22);
            assert_string_equal(found->difference.field->name, "objects.at");
            assert_int_equal(found->difference.element, 3);
            assert_true(found->difference.values[0] != found->difference.values[1]);
        }
    }
}

/* Memory of the state that no field covers is hidden as well. */
static int update_uncovered(
        void *user, void *state, const es_step *step, const void *in, size_t size)
{
    game *g = state;
    (void)user;
    game_update(g, step, in, size);
    g->score += g->random % 3 == 0;
    g->random += 1;
    return 0;
}

static void what_no_field_covers_is_found(void **context)
{
    (void)context;
    static es_synctest test;
    es_layout less = {game_fields, 5, sizeof(game)}; /* without random */
    es_synctest_config config = {.layout = &less, .every = 10, .update = update_uncovered};
    game g;
    int found = 0;
    game_init(&g, 5);
    assert_int_equal(es_synctest_init(&test, &config, memory, sizeof memory, NULL), ES_OK);
    for (int64_t tick = 1; tick <= 200; ++tick) {
        es_step step = game_step(tick);
        es_synctest_before(&test, &g, &step, NULL, 0);
        (void)update_uncovered(NULL, &g, &step, NULL, 0);
        game before = g;
        found += !es_synctest_after(&test, &g);
        assert_memory_equal(&before, &g, sizeof g);
    }
    assert_true(found > 5);
}

static void a_sync_test_that_cannot_be_is_given_up(void **context)
{
    (void)context;
    static es_synctest test;
    es_synctest_config config = {.layout = &game_layout, .update = update_hidden, .every = 5};
    es_error error;
    unsigned char input[300];
    game g;
    memset(input, 0, sizeof input);
    with_hidden = false;
    game_init(&g, 5);
    size_t size = es_synctest_memory_size(&config);
    assert_int_equal(es_synctest_init(&test, &config, memory, size - 1, &error), ES_ERR_SPACE);
    assert_int_equal(es_synctest_init(&test, &config, memory + 3, size, &error), ES_OK);
    for (int64_t tick = 1; tick <= 50; ++tick) { /* too large an input in every test */
        es_step step = game_step(tick);
        es_synctest_before(&test, &g, &step, input, tick % 5 == 1 ? 300 : 1);
        (void)update_hidden(NULL, &g, &step, input, tick % 5 == 1 ? 300 : 1);
        assert_true(es_synctest_after(&test, &g));
    }
    assert_int_equal(es_synctest_count(&test), 0);
    for (int64_t tick = 10; tick <= 50; tick += 5) { /* the second tick of each test is missing */
        es_step step = game_step(tick);
        es_synctest_before(&test, &g, &step, NULL, 0);
        assert_true(es_synctest_after(&test, &g));
    }
    assert_int_equal(es_synctest_count(&test), 0);
    config.ticks = 6;
    assert_int_equal(
            es_synctest_init(&test, &config, memory, sizeof memory, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "ticks");
    config.ticks = 0;
    config.update = NULL;
    assert_int_equal(
            es_synctest_init(&test, &config, memory, sizeof memory, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "update");
    config.layout = NULL;
    assert_int_equal(es_synctest_memory_size(&config), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(a_recording_plays_to_the_same_states),
            cmocka_unit_test(what_is_told_about_a_recording),
            cmocka_unit_test(a_seek_is_as_the_straight_run),
            cmocka_unit_test(marks_are_thinned_out),
            cmocka_unit_test(loading_is_told),
            cmocka_unit_test(a_difference_names_tick_group_field_object_and_values),
            cmocka_unit_test(several_groups_that_differ_are_counted),
            cmocka_unit_test(hashes_may_be_rare),
            cmocka_unit_test(an_update_can_stop_it),
            cmocka_unit_test(fields_are_found_by_name),
            cmocka_unit_test(fields_that_do_not_fit_are_named),
            cmocka_unit_test(bad_configurations_are_named),
            cmocka_unit_test(a_cut_recording_plays_up_to_the_cut),
            cmocka_unit_test(damage_is_gone_round_by_a_snapshot),
            cmocka_unit_test(what_is_damaged_behind_the_last_step_hides_no_tick),
            cmocka_unit_test(an_update_can_refuse_a_tick),
            cmocka_unit_test(gaps_are_gone_round),
            cmocka_unit_test(a_source_that_fails_is_told),
            cmocka_unit_test(what_is_not_compared_is_counted),
            cmocka_unit_test(snapshots_between_hashes_are_compared),
            cmocka_unit_test(asking_for_events_costs_no_search),
            cmocka_unit_test(padding_is_no_difference_until_it_leaks),
            cmocka_unit_test(an_unordered_iteration_is_named),
            cmocka_unit_test(a_changed_field_is_named),
            cmocka_unit_test(large_states_and_inputs_go_in_parts),
            cmocka_unit_test(events_come_in_their_ticks),
            cmocka_unit_test(frames_come_in_order),
            cmocka_unit_test(stutters_come_again_to_the_nanosecond),
            cmocka_unit_test(a_tape_keeps_pace_and_ends),
            cmocka_unit_test(hidden_state_is_found),
            cmocka_unit_test(what_no_field_covers_is_found),
            cmocka_unit_test(a_sync_test_that_cannot_be_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
