/* SPDX-License-Identifier: Zlib
 *
 * replay.h: files, streams, states without a layout, texts of errors, and NULL.
 */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/resource.h>
#endif

#include "record_game.h"
#include "test_support.h"

enum { TICKS = 95 };

static const char path[] = "test_replay.esrec";
static game g;

static void run_tick(es_record *record, int64_t tick)
{
    unsigned char input[4];
    size_t size = game_input(tick, input);
    es_step step = game_step(tick);
    assert_true(es_record_input(record, &step, input, size));
    game_update(&g, &step, input, size);
    assert_true(es_record_state(record, &step, &g));
}

/* From start_tick on. */
static es_record_status record_ticks(const char *to, const es_record_config *config)
{
    game_init(&g, 3);
    es_record *record = es_record_create(to, config, &g);
    assert_non_null(record);
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        run_tick(record, config->start_tick + tick);
    }
    return es_record_destroy(record);
}

/* To the end; false: it differs. */
static bool play_all(es_replay *replay, int64_t change)
{
    es_step step;
    const void *input;
    size_t size;
    bool same = true;
    while (es_replay_next(replay, &step, &input, &size)) {
        game_update(&g, &step, input, size);
        g.score += step.index == change;
        same = es_replay_check(replay, &g) && same;
    }
    return same;
}

TEST(a_file_plays)
{
    es_record_config config = {.layout = &game_layout, .snapshot_every = 30};
    (void)remove(path);
    es_record_status recorded = record_ticks(path, &config);
    assert_int_equal(recorded.result, ES_OK);
    assert_int_equal(recorded.steps, TICKS);
    assert_null(es_record_create(path, &config, &g)); /* it is never written over */
    assert_non_null(strstr(es_get_error(), "es_record_config.path: File exists"));
    es_replay *replay = es_replay_open(path, &config, &g);
    assert_true(play_all(replay, 0));
    es_replay_status status = es_replay_get_status(replay);
    assert_int_equal(status.result, ES_ERR_STATE);
    assert_int_equal(status.tick, TICKS);
    assert_int_equal(status.last_tick, TICKS);
    assert_int_equal(status.compared, TICKS);
    assert_true(status.ended && status.same_arithmetic && status.same_library);
    assert_true(es_replay_seek(replay, 89, &g));
    assert_int_equal(es_replay_get_status(replay).tick, 60);
    assert_true(play_all(replay, 0));
    assert_false(es_replay_seek(replay, -1, &g));
    assert_int_equal(es_replay_get_status(replay).result, ES_ERR_RANGE);
    es_replay_close(replay);
    (void)remove(path);
}

static uint64_t file_size(void)
{
    static unsigned char bytes[1 << 18];
    return record_read_file(path, bytes, sizeof bytes);
}

/* Another reader sees each byte at once: it is with the operating system, which a crash of the program leaves
 * alone. Up to ten ticks are held back. What a cut file gives: test_damage.c. */
TEST(what_is_written_survives_the_program)
{
    es_record_config config = {.layout = &game_layout, .snapshot_every = 30};
    (void)remove(path);
    game_init(&g, 3);
    es_record *record = es_record_create(path, &config, &g);
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        run_tick(record, tick);
        assert_int_equal(file_size(), es_record_get_status(record).bytes);
        game other;
        es_replay *replay = es_replay_open(path, &config, &other);
        assert_true(replay != NULL || tick < 10);
        int64_t last = replay != NULL ? es_replay_get_status(replay).last_tick : 0;
        assert_int_equal(last, tick / 10 * 10);
        es_replay_close(replay);
    }
    (void)es_record_destroy(record);
    (void)remove(path);
}

#ifndef _WIN32
TEST(a_file_that_cannot_grow_ends_the_recording)
{
    es_record_config config = {.layout = &game_layout};
    struct rlimit usual, small;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    small = usual;
    small.rlim_cur = 20001;
    (void)remove(path);
    game_init(&g, 3);
    es_record *record = es_record_create(path, &config, &g);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool good = true;
    for (int64_t tick = 1; tick <= 1000; ++tick) {
        es_step step = game_step(tick);
        good = es_record_input(record, &step, NULL, 0) && good;
        game_update(&g, &step, NULL, 0);
        good = es_record_state(record, &step, &g) && good;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    (void)signal(SIGXFSZ, handler);
    assert_false(good);
    assert_non_null(strstr(es_get_error(), "File too large"));
    assert_int_equal(es_record_destroy(record).result, ES_ERR_IO);
    assert_int_equal(file_size(), 20001);
    es_replay *replay = es_replay_open(path, &config, &g);
    assert_true(play_all(replay, 0));
    assert_in_range(es_replay_get_status(replay).tick, 50, 999);
    es_replay_close(replay);
    (void)remove(path);
}
#endif

TEST(a_difference_is_named)
{
    es_record_config config = {.layout = &game_layout, .snapshot_every = 30};
    es_difference found;
    (void)remove(path);
    (void)record_ticks(path, &config);
    es_replay *replay = es_replay_open(path, &config, &g);
    assert_false(es_replay_get_difference(replay, &found));
    assert_false(play_all(replay, 40));
    assert_true(es_replay_get_difference(replay, &found));
    assert_int_equal(found.tick, 40);
    assert_string_equal(found.field, "score");
    assert_int_equal(found.group, -1);
    assert_int_equal(found.value_tick, 60);
    assert_string_equal(found.value_field, "score");
    assert_true(found.values[0] == found.values[1] + 1);
    assert_non_null(strstr(es_get_error(), "tick 40: score differs"));
    assert_true(es_replay_seek(replay, 89, &g));
    assert_true(es_replay_next(replay, &(es_step){0}, &(const void *){NULL}, &(size_t){0}));
    assert_false(es_replay_check(replay, &g)); /* without the update */
    assert_int_equal(es_replay_get_status(replay).result, ES_ERR_DIFFERS);
    assert_true(es_replay_seek(replay, INT64_MIN, &g));
    assert_true(play_all(replay, 0));
    es_replay_close(replay);
    (void)remove(path);
}

/* --- streams ---------------------------------------------------------------------------------- */

static unsigned char bytes[1 << 20];
static memory_sink sink;
static memory_source source;
static bool shut;

static es_result write_unless_shut(void *user, const void *from, size_t size)
{
    (void)user;
    return shut ? ES_ERR_FULL : memory_sink_get(&sink).write(&sink, from, size);
}

static es_stream stream_of_memory(void)
{
    sink = (memory_sink){bytes, sizeof bytes, 0};
    shut = false;
    return (es_stream){
            .user = &source, .write = write_unless_shut, .read = memory_source_get(&source).read};
}

TEST(a_state_without_a_layout)
{
    es_record_config config = {.state_size = sizeof g,
            .stream = stream_of_memory(),
            .tick_rate = {60000, 1001},
            .start_tick = 1000};
    assert_int_equal(record_ticks(NULL, &config).result, ES_OK);
    source = (memory_source){bytes, sink.used};
    es_replay *replay = es_replay_open(NULL, &config, &g);
    assert_int_equal(es_replay_get_status(replay).tick, 1000);
    assert_true(play_all(replay, 0));
    assert_int_equal(es_replay_get_status(replay).compared, TICKS);
    es_replay_close(replay);
    config.state_size += 1;
    assert_null(es_replay_open(NULL, &config, &g));
    assert_non_null(strstr(es_get_error(), "es_replay_open.state: "));
}

/* A stream that takes nothing until the end: ticks are left out, and counted. */
TEST(a_full_stream_leaves_ticks_out)
{
    es_record_config config = {.layout = &game_layout, .stream = stream_of_memory()};
    game_init(&g, 3);
    es_record *record = es_record_create(NULL, &config, &g);
    size_t used = sink.used;
    shut = true;
    for (int64_t tick = 1; tick <= 4000; ++tick) {
        es_step step = game_step(tick);
        game_update(&g, &step, NULL, 0);
        (void)es_record_input(record, &step, NULL, 0);
        (void)es_record_state(record, &step, &g);
    }
    assert_int_equal(sink.used, used);
    shut = false;
    es_record_status status = es_record_destroy(record);
    assert_int_equal(status.result, ES_OK);
    assert_true(status.ticks_lost > 0);
    assert_in_range(status.steps + status.ticks_lost, 4000, 4001);
}

/* A damaged start: the first state that is not is loaded, and the status says so. */
TEST(a_damaged_start_is_said)
{
    es_record_config config = {
            .layout = &game_layout, .stream = stream_of_memory(), .snapshot_every = 20};
    (void)record_ticks(NULL, &config);
    source = (memory_source){bytes, sink.used};
    const es_record_config records = {.stream = config.stream};
    es_replay *replay = es_replay_open(NULL, &records, NULL);
    es_replay_item item;
    while (es_replay_next_item(replay, &item) && item.kind != ES_RECORD_SNAPSHOT) {
    }
    bytes[item.offset + 30] ^= 1;
    es_replay_close(replay);
    replay = es_replay_open(NULL, &config, &g);
    assert_int_equal(es_replay_get_status(replay).result, ES_ERR_DAMAGED);
    assert_int_equal(es_replay_get_status(replay).resume_tick, 20);
    assert_true(play_all(replay, 0));
    assert_int_equal(es_replay_get_status(replay).result, ES_ERR_DAMAGED);
    assert_int_equal(es_replay_get_status(replay).compared, 0);
    assert_true(es_replay_seek(replay, 20, &g));
    assert_true(play_all(replay, 0));
    assert_int_equal(es_replay_get_status(replay).result, ES_ERR_STATE);
    es_replay_seek_item(replay, NULL);
    while (es_replay_next_item(replay, &item) && item.damage == ES_DAMAGE_NONE) {
    }
    assert_int_equal(item.damage, ES_DAMAGE_PAYLOAD);
    while (es_replay_next_item(replay, &item)) {
        assert_int_equal(item.damage, ES_DAMAGE_NONE);
    }
    es_replay_close(replay);
}

/* An input may claim more bytes than there are. */
TEST(a_claimed_input_takes_no_memory)
{
    es_record_config config = {.layout = &game_layout, .stream = stream_of_memory()};
    (void)record_ticks(NULL, &config);
    source = (memory_source){bytes, sink.used};
    for (size_t at = 16; at + 20 <= sink.used; at += 20 + record_u32(bytes + at + 4)) {
        if (bytes[at + 2] == ES_RECORD_STEP) {
            record_put_u32(bytes + at + 16 + 52, UINT32_MAX);
            record_seal(bytes + at);
        }
    }
    es_replay *replay = es_replay_open(NULL, &config, &g);
    assert_non_null(replay);
    assert_false(es_replay_next(replay, &(es_step){0}, &(const void *){NULL}, &(size_t){0}));
    es_replay_close(replay);
}

TEST(packed_states)
{
    unsigned char packed[256];
    game other;
    game_init(&g, 8);
    memset(&other, 0, sizeof other);
    size_t size = es_state_pack(&game_layout, &g, NULL, 0);
    assert_int_equal(size, es__state_packed_size(&game_layout));
    assert_int_equal(es_state_pack(&game_layout, &g, packed, sizeof packed), size);
    assert_false(es_state_unpack(&game_layout, &other, packed, size - 1));
    assert_true(es_state_unpack(&game_layout, &other, packed, size));
    assert_true(es_state_hash(&game_layout, &g) == es_state_hash(&game_layout, &other));
}

TEST(what_is_refused_is_named)
{
    const es_record_config good = {.layout = &game_layout, .stream = stream_of_memory()};
    static const char *const tags[] = {"no text", NULL};
    es_record_config bad[] = {good, good, good, good};
    const char *const names[] = {"layout", "stream", "start_tick", "tags"};
    bad[0].layout = NULL;
    bad[1].stream.write = NULL;
    bad[2].start_tick = INT64_MAX;
    bad[3].tags = tags;
    for_rows (i, bad) {
        assert_null(es_record_create(NULL, &bad[i], &g));
        assert_non_null(strstr(es_get_error(), names[i]));
    }
    assert_null(es_record_create(NULL, NULL, &g));
    assert_null(es_record_create(NULL, &good, NULL));
    assert_null(es_record_create("no/such/folder/file", &good, &g));
    assert_null(es_replay_open("no/such/file", &good, &g));
    assert_non_null(strstr(es_get_error(), "No such file"));
    es_record *record = es_record_create(NULL, &good, &g);
    es_step step = game_step(2); /* 1 is the next */
    assert_false(es_record_input(record, &step, NULL, 0));
    assert_string_equal(es_get_error(), "es_record_input: the call is out of order");
    source = (memory_source){bytes, sink.used};
    assert_null(es_replay_open(NULL, &good, NULL)); /* a layout without a state */
    assert_non_null(strstr(es_get_error(), "es_replay_open.state: is NULL"));
    assert_null(es_replay_open(NULL, &(es_record_config){.stream = good.stream}, &g));
    assert_non_null(strstr(es_get_error(), "es_replay_open.layout: is NULL"));
    assert_null(es_replay_open(NULL, NULL, &g));
    es_clock clock = es_record_clock(record, NULL); /* the system's */
    assert_true(clock.now_ns(clock.user) > 0);
    (void)es_record_destroy(record);
}

TEST(each_damage_has_a_name)
{
    for (int i = 0; i < 7; ++i) {
        assert_string_not_equal(es_damage_name((es_damage)i), "unknown damage");
    }
    assert_string_equal(es_damage_name((es_damage)7), "unknown damage");
}

/* Fields that nothing plays: records can be looked at all the same, and one after the other again. */
TEST(records_are_read_without_a_state)
{
    es_record_config config = {.layout = &game_layout, .stream = stream_of_memory()};
    (void)record_ticks(NULL, &config);
    source = (memory_source){bytes, sink.used};
    es_replay *replay = es_replay_open(NULL, &(es_record_config){.stream = config.stream}, NULL);
    es_replay_item first, item;
    es_report report;
    assert_true(es_replay_next_item(replay, &first) && es_replay_next_item(replay, &item));
    es_replay_seek_item(replay, &item);
    assert_true(es_replay_next_item(replay, &first));
    assert_true(first.offset == item.offset && first.kind == item.kind);
    assert_false(es_replay_next_frame(replay, &report) || es_replay_seek(replay, 1, &g));
    assert_true(es_replay_check(replay, &g));
    es_replay_close(replay);
}

TEST(null_does_nothing)
{
    es_step step = {0};
    const void *input;
    size_t size;
    assert_false(es_record_input(NULL, &step, NULL, 0) || es_record_state(NULL, &step, &g)
                 || es_record_frame(NULL, NULL) || es_record_event(NULL, 0, NULL, 0)
                 || es_record_flush(NULL));
    assert_int_equal(es_record_destroy(NULL).bytes, 0);
    assert_int_equal(es_record_get_status(NULL).bytes, 0);
    assert_false(es_replay_next(NULL, &step, &input, &size) || es_replay_seek(NULL, 0, &g)
                 || es_replay_get_difference(NULL, NULL) || es_replay_next_frame(NULL, NULL)
                 || es_replay_next_item(NULL, NULL));
    assert_int_equal(es_replay_get_status(NULL).tick, 0);
    assert_true(es_replay_check(NULL, &g));
    es_replay_seek_item(NULL, NULL);
    es_replay_close(NULL);
}

static int64_t waited_until;

static int64_t pace_now(void *user)
{
    (void)user;
    return 1000;
}

static void pace_wait(void *user, int64_t deadline_ns)
{
    (void)user;
    waited_until = deadline_ns;
}

/* Frames, a clock, an input of 100 kB, and a difference that only hashes show. */
TEST(all_that_is_recorded_comes_back)
{
    static unsigned char large[100000];
    for (int level = ES_RECORD_HASH_NAMES; level <= ES_RECORD_HASH_GROUPS; ++level) {
        if (level == ES_RECORD_HASH_NONE) {
            continue;
        }
        row("level %d", level);
        es_record_config config = {.layout = &game_layout,
                .stream = stream_of_memory(),
                .hashes = (es_record_hashes)level,
                .snapshot_every = -1};
        game_init(&g, 3);
        es_record *record = es_record_create(NULL, &config, &g);
        es_clock clock = {.now_ns = pace_now, .wait_until = pace_wait};
        clock = es_record_clock(record, &clock);
        assert_int_equal(clock.now_ns(clock.user), 1000);
        for (int64_t tick = 1; tick <= 5; ++tick) {
            es_step step = game_step(tick);
            es_report report = game_frame(tick - 1);
            assert_true(es_record_input(record, &step, large, tick == 3 ? sizeof large : 4));
            game_update(&g, &step, large, 4);
            assert_true(es_record_state(record, &step, &g) && es_record_frame(record, &report));
        }
        assert_int_equal(es_record_destroy(record).result, ES_OK);
        source = (memory_source){bytes, sink.used};
        es_replay *replay = es_replay_open(NULL, &config, &g);
        es_report report;
        es_difference found;
        es_step step;
        const void *input;
        size_t size;
        clock = es_replay_clock(replay, &(es_clock){.now_ns = pace_now, .wait_until = pace_wait});
        assert_int_equal(clock.now_ns(clock.user), 1000);
        for (int64_t tick = 1; tick <= 5; ++tick) {
            assert_true(es_replay_next_frame(replay, &report) && report.frame.index == tick - 1);
            assert_true(es_replay_next(replay, &step, &input, &size));
            assert_int_equal(size, tick == 3 ? sizeof large : 4);
            game_update(&g, &step, input, 4);
            g.score += tick == 4;
            assert_int_equal(es_replay_check(replay, &g), tick < 4);
        }
        assert_false(es_replay_next_frame(replay, &report));
        assert_true(es_replay_get_difference(replay, &found) && found.tick == 4);
        assert_int_equal(found.group, level == ES_RECORD_HASH_GROUPS ? 2 : -1);
        assert_non_null(strstr(es_get_error(), "tick 4: "));
        es_replay_close(replay);
    }
}
