/* SPDX-License-Identifier: Zlib
 *
 * What a damaged recording still gives, beside what it could give at best. A record without a
 * damaged byte is read, with the bytes that were written. A state is reached if its snapshot is
 * whole, or if the state before it is reached and the step in between is whole. Never is there
 * another state.
 *
 * EVENSTEP_FULL=1: a recording of almost 64 kB; else a shorter one. Every bit of it is flipped and
 * read; one of each byte is also played, as what is played depends on what is read alone.
 */
#include "record_game.h"
#include "test_support.h"

enum { TICKS_MAX = 400, RECORDS_MAX = 4096 };

static unsigned char batch[GAME_MEMORY], memory[GAME_MEMORY], window[ES_RECORD_SIZE_MAX];
static unsigned char sound[1 << 16], storage[1 << 16];
static unsigned char *file; /* at the end of its storage: the sanitizer sees a step beyond */
static size_t size;
static int64_t last_tick;
static game straight[TICKS_MAX + 1]; /* the states as they were */

typedef struct whole {
    size_t offset, bytes;
    es_record_kind kind;
    int64_t tick; /* of a step, an input, a snapshot, hashes */
} whole;

static whole records[RECORDS_MAX];
static size_t record_count;

/* The sound recording up to this byte becomes the file. */
static void make_file(size_t end)
{
    file = storage + sizeof storage - end;
    memcpy(file, sound, end);
}

static es_stream source_of(size_t bytes)
{
    static memory_source source;
    source = (memory_source){file, bytes};
    return memory_source_get(&source);
}

/* With records of all kinds. While the sink is shut a small batch fills up, and ticks are left out. */
static void record_with_gap(int64_t ticks)
{
    static es__record record;
    static game_valve valve;
    static game g;
    valve = (game_valve){{sound, sizeof sound, 0}, false};
    es__record_config config = game_config((es_stream){.user = &valve, .write = game_write_valve});
    assert_int_equal(game_start(&record, &config, batch, 4096, &g), ES_OK);
    straight[0] = g;
    for (int64_t tick = 1; tick <= ticks; ++tick) {
        valve.shut = tick > 12 && tick < 40;
        game_record_tick(&record, &g, tick);
        straight[tick] = g;
    }
    assert_int_equal(es__record_end(&record), ES_OK);
    assert_in_range(es__record_counts_get(&record).ticks_lost, 2, 20);
    size = valve.sink.used;
}

static int make_recording(void **context)
{
    int64_t ticks = test_is_full() ? 190 : 45;
    es__reader reader;
    es_replay_item item;
    (void)context;
    record_with_gap(ticks);
    last_tick = ticks;
    make_file(size);
    es_stream source = source_of(size);
    assert_int_equal(es__reader_open(&reader, &source, window, sizeof window, NULL), ES_OK);
    while (es__reader_next(&reader, &item) == ES_OK && item.kind != ES_RECORD_NONE) {
        whole *w = &records[record_count++];
        assert_true(record_count < RECORDS_MAX);
        *w = (whole){(size_t)item.offset, (size_t)item.length, item.kind, -1};
        if (item.kind == ES_RECORD_STEP || item.kind == ES_RECORD_INPUT
                || item.kind == ES_RECORD_SNAPSHOT || item.kind == ES_RECORD_HASH) {
            w->tick = item.step.index;
        }
    }
    printf("%u bytes, %u records\n", (unsigned)size, (unsigned)record_count);
    return 0;
}

/* --- the best that could be ------------------------------------------------------------------- */

typedef struct best {
    bool readable[RECORDS_MAX];
    bool reached[TICKS_MAX + 1];
    bool opens;
    uint64_t compared; /* ticks that can be */
} best;

/* One group of records that says what the fields are: the header, or copies. */
static bool all_readable(const best *b, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; ++i) {
        if (!b->readable[i]) {
            return false;
        }
    }
    return true;
}

/* Where the damaged bytes are from `from` to `to`, and the file ends at `end`. */
static void find_best(best *b, size_t from, size_t to, size_t end)
{
    bool snapshot[TICKS_MAX + 1] = {false}, step[TICKS_MAX + 1] = {false};
    bool comparable[TICKS_MAX + 1] = {false}, any = false;
    size_t fields = 1 + game_layout.field_count;
    memset(b, 0, sizeof *b);
    for (size_t i = 0; i < record_count; ++i) {
        const whole *w = &records[i];
        b->readable[i] =
                w->offset + w->bytes <= end && (w->offset >= to || w->offset + w->bytes <= from);
        if (b->readable[i] && w->tick >= 0) {
            snapshot[w->tick] |= w->kind == ES_RECORD_SNAPSHOT;
            step[w->tick] |= w->kind == ES_RECORD_STEP;
            comparable[w->tick] |= w->kind == ES_RECORD_HASH || w->kind == ES_RECORD_SNAPSHOT;
        }
    }
    b->opens = all_readable(b, 0, fields);
    for (size_t i = 0; i < record_count; ++i) {
        if (records[i].kind == ES_RECORD_COPY && records[i - 1].kind != ES_RECORD_COPY) {
            b->opens |= all_readable(b, i, fields);
        }
    }
    for (int64_t tick = 0; tick <= last_tick; ++tick) {
        bool on = tick > 0 && b->reached[tick - 1] && step[tick];
        b->reached[tick] = snapshot[tick] || on;
        b->compared += on && comparable[tick];
        any |= snapshot[tick];
    }
    b->opens &= any;
}

/* --- what is read ----------------------------------------------------------------------------- */

/* No record that is not as it was written, and all that could be. *damages and *first: the
 * stretches of damage that the reader reports. */
static void check_reading(
        const best *b, size_t end, bool exact, size_t *damages, es_replay_item *first)
{
    es_stream source = source_of(end);
    es__reader reader;
    es_replay_item item;
    size_t next = 0;
    *damages = 0;
    *first = (es_replay_item){0};
    if (es__reader_open(&reader, &source, window, sizeof window, NULL) != ES_OK) {
        for (size_t i = 0; i < record_count; ++i) {
            assert_false(b->readable[i]);
        }
        return;
    }
    for (;;) {
        es_result result = es__reader_next(&reader, &item);
        if (result == ES_ERR_DAMAGED) {
            *first = (*damages)++ == 0 ? item : *first;
            continue;
        }
        assert_int_equal(result, ES_OK);
        while (next < record_count && !b->readable[next]) {
            next += 1;
        }
        if (item.kind == ES_RECORD_NONE) {
            break;
        }
        assert_true(item.sequence < record_count && (!exact || item.sequence == next));
        const whole *w = &records[item.sequence];
        next = item.sequence + 1;
        assert_int_equal(item.length, w->bytes);
        assert_int_equal(item.kind, w->kind);
    }
    assert_true(!exact || next == record_count);
}

/* One stretch of damage, which has these members. */
static void check_damage(const best *b, size_t end, es_replay_item expected)
{
    size_t damages;
    es_replay_item first;
    check_reading(b, end, true, &damages, &first);
    assert_int_equal(damages, 1);
    assert_int_equal(first.damage, expected.damage);
    assert_int_equal(first.offset, expected.offset);
    assert_int_equal(first.length, expected.length);
    assert_int_equal(first.sequence, expected.sequence);
    assert_int_equal(first.count, expected.count);
}

/* --- what is played --------------------------------------------------------------------------- */

typedef struct played {
    bool reached[TICKS_MAX + 1];
    uint64_t compared;
} played;

/* From the start to the end, past all damage. */
static void play_all(es__playback *play, played *p)
{
    game g;
    es_result result = es__playback_start(play, &g);
    memset(p, 0, sizeof *p);
    for (;;) {
        es_step step;
        const void *input;
        size_t input_size;
        if (result == ES_ERR_DAMAGED) {
            int64_t resume = play->resume.tick;
            p->compared += play->compared;
            if (resume == INT64_MAX) {
                return;
            }
            assert_int_equal(play_seek(play, resume, &g), ES_OK);
            p->compared -= play->compared; /* on the way there: again */
        }
        assert_in_range(play->tick, 0, last_tick);
        assert_true(es__state_compare(&game_layout, &g, &straight[play->tick], NULL));
        p->reached[play->tick] = true;
        result = es__playback_next(play, &step, &input, &input_size);
        if (result == ES_ERR_STATE) {
            p->compared += play->compared;
            return;
        }
        assert_true(result == ES_OK || result == ES_ERR_DAMAGED);
        if (result == ES_OK) {
            game_update(&g, &step, input, input_size);
            assert_true(es__playback_check(play, &g));
        }
    }
}

static void check_playing(const best *b, size_t end, int64_t seeked, bool exact)
{
    static es__playback play;
    static played p;
    es__playback_config config = game_playback(source_of(end));
    game g;
    es_result result = es__playback_open(&play, &config, memory, NULL);
    if (!b->opens || (!exact && result == ES_ERR_DAMAGED)) {
        assert_int_equal(result, ES_ERR_DAMAGED);
        return;
    }
    assert_int_equal(result, ES_OK);
    play_all(&play, &p);
    if (!exact) {
        return;
    }
    for (int64_t tick = 0; tick <= last_tick; ++tick) {
        if (p.reached[tick] != b->reached[tick]) {
            fail_msg("tick %d is %sreached", (int)tick, p.reached[tick] ? "" : "not ");
        }
    }
    assert_int_equal(p.compared, b->compared);
    memset(&g, 0x5A, sizeof g);
    result = play_seek(&play, seeked, &g);
    if (b->reached[seeked]) {
        assert_int_equal(result, ES_OK);
        assert_true(es__state_compare(&game_layout, &g, &straight[seeked], NULL));
    } else {
        assert_true(result == ES_ERR_DAMAGED || result == ES_ERR_RANGE || result == ES_ERR_STATE);
    }
}

/* --- damage ----------------------------------------------------------------------------------- */

TEST(a_cut_costs_what_is_behind_it_alone)
{
    static best b;
    es_replay_item first;
    for (size_t end = 0, cut = 0, damages; end < size; end += TEST_STEP) {
        make_file(end);
        find_best(&b, size, size, end);
        check_playing(&b, end, (int64_t)(end % (size_t)(last_tick + 1)), true);
        while (end >= records[cut].offset + records[cut].bytes) {
            cut += 1; /* the record that the end is in */
        }
        size_t offset = records[cut].offset;
        if (end > offset) {
            check_damage(&b, end,
                    (es_replay_item){.damage = ES_DAMAGE_CUT,
                            .offset = offset,
                            .length = end - offset,
                            .sequence = (uint32_t)cut});
        } else {
            check_reading(&b, end, true, &damages, &first);
            assert_int_equal(damages, 0);
        }
    }
}

/* The same by the public functions. A cut file says that it was not ended. */
TEST(a_cut_file_is_played_up_to_the_cut)
{
    static best b;
    static played p;
    for (size_t end = 0; end < size; end += TEST_STEP) {
        row("cut at %u", (unsigned)end);
        game g;
        es_step step;
        const void *input;
        size_t bytes;
        make_file(end);
        find_best(&b, size, size, end);
        es_record_config config = {.layout = &game_layout, .stream = source_of(end)};
        es_replay *replay = es_replay_open(NULL, &config, &g);
        assert_int_equal(replay != NULL, b.opens);
        if (replay == NULL) {
            assert_non_null(strstr(es_get_error(), "es_replay_open"));
            continue;
        }
        memset(&p, 0, sizeof p);
        for (bool more = true; more;) {
            es_replay_status status = es_replay_get_status(replay);
            assert_false(status.ended);
            p.reached[status.tick] = true;
            more = es_replay_next(replay, &step, &input, &bytes);
            if (more) {
                game_update(&g, &step, input, bytes);
                assert_true(es_replay_check(replay, &g));
            } else if (es_replay_get_status(replay).result == ES_ERR_DAMAGED) {
                int64_t resume = es_replay_get_status(replay).resume_tick;
                more = resume != INT64_MAX && es_replay_seek(replay, resume, &g);
            }
            assert_true(es__state_compare(&game_layout, &g,
                    &straight[es_replay_get_status(replay).tick], NULL));
        }
        assert_memory_equal(p.reached, b.reached, sizeof p.reached);
        int64_t tick = (int64_t)(end % (size_t)(last_tick + 1));
        assert_true(es_replay_seek(replay, tick, &g));
        tick = es_replay_get_status(replay).tick;
        assert_true(es__state_compare(&game_layout, &g, &straight[tick], NULL));
        es_replay_close(replay);
    }
}

TEST(a_flipped_bit_costs_its_record_alone)
{
    static best b;
    make_file(size);
    for (size_t at = 0, hit = 0; at < size; at += TEST_STEP) {
        find_best(&b, at, at + 1, size);
        while (at >= records[hit].offset + records[hit].bytes) {
            hit += 1;
        }
        const whole *r = &records[hit];
        es_replay_item expected = {.damage = ES_DAMAGE_HEAD, .length = 16}; /* the file's head */
        if (at >= r->offset) {
            expected = (es_replay_item){
                    .damage = at < r->offset + 16 ? ES_DAMAGE_HEAD : ES_DAMAGE_PAYLOAD,
                    .offset = r->offset,
                    .length = r->bytes,
                    .sequence = (uint32_t)hit,
                    .count = hit + 1 < record_count}; /* unknown at the end */
        }
        for (unsigned bit = 0; bit < 8; ++bit) {
            file[at] ^= (unsigned char)(1U << bit);
            check_damage(&b, size, expected);
            if (bit == (unsigned)(at * 5 + at / 8) % 8) {
                check_playing(&b, size, (int64_t)(at * 8 + bit) % (last_tick + 1), true);
            }
            file[at] ^= (unsigned char)(1U << bit);
        }
    }
}

/* As a disk loses them: blocks of 512 bytes that are 0, or another block of the recording. Then
 * some records are there twice, and not all that could be read is read, but nothing wrong. */
TEST(a_lost_block_costs_its_records_alone)
{
    static best b;
    size_t damages;
    es_replay_item first;
    for (size_t at = 0; at < size; at += 512) {
        size_t some = size - at < 512 ? size - at : 512;
        for (int other = 0; other < 2; ++other) {
            make_file(size);
            if (other == 0) {
                memset(file + at, 0, some);
            } else {
                memcpy(file + at, sound + (at + 512 < size - some ? at + 512 : 0), some);
            }
            find_best(&b, at, at + some, size);
            check_reading(&b, size, other == 0, &damages, &first);
            check_playing(&b, size, (int64_t)(at % (size_t)(last_tick + 1)), other == 0);
        }
    }
}

TEST(a_damaged_stretch_costs_its_records_alone)
{
    static best b;
    test_random random = {77};
    size_t damages;
    es_replay_item first;
    for (int run = 0; run < 600 / TEST_SHARE; ++run) {
        size_t at = (size_t)random_below(&random, (int64_t)size);
        size_t some = 1 + (size_t)random_below(&random, (int64_t)(size - at));
        make_file(size);
        for (size_t i = at; i < at + some; ++i) {
            file[i] = (unsigned char)(sound[i] ^ (1 + random_below(&random, 255)));
        }
        find_best(&b, at, at + some, size);
        check_reading(&b, size, true, &damages, &first);
        check_playing(&b, size, random_below(&random, last_tick + 1), true);
    }
}

TEST_SETUP(make_recording)
