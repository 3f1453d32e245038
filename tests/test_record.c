/* SPDX-License-Identifier: Zlib
 *
 * record and reader: what is written is read; every cut and every flipped bit is found and named;
 * any bytes can be read; a sink that is full or fails is always reported.
 */
#include "record_game.h"
#include "test_support.h"

static unsigned char batch[GAME_MEMORY], window[ES_RECORD_SIZE_MAX];
static unsigned char file[1 << 20], damaged[1 << 20];
static memory_sink file_sink; /* into `file` */
static es__record record;
static game g;
static es__reader reader;

static es__record_config file_config(void)
{
    file_sink = (memory_sink){file, sizeof file, 0};
    return game_config(memory_sink_get(&file_sink));
}

static void start(const es__record_config *config, size_t batch_size)
{
    assert_int_equal(game_start(&record, config, batch, batch_size, &g), ES_OK);
}

static void start_in_file(void)
{
    es__record_config config = file_config();
    start(&config, sizeof batch);
}

/* A tick with its input and nothing else. */
static void record_tick(int64_t tick, const void *input, size_t size)
{
    es_step step = game_step(tick);
    assert_int_equal(es__record_step(&record, &step, input, size), ES_OK);
    game_update(&g, &step, input, size);
    assert_int_equal(es__record_tick(&record, &step, &g), ES_OK);
}

/* The recording of a short run, in `file`. */
static size_t record_game(int64_t ticks)
{
    es__record_config config = file_config();
    assert_int_equal(game_record(&record, &config, batch, sizeof batch, ticks), ES_OK);
    return file_sink.used;
}

static es_result open_bytes(const unsigned char *bytes, size_t size)
{
    static memory_source source;
    es__error error;
    source = (memory_source){bytes, size};
    es_stream s = memory_source_get(&source);
    return es__reader_open(&reader, &s, window, sizeof window, &error);
}

static es__reader_summary summarize(const unsigned char *bytes, size_t size)
{
    es__reader_summary summary;
    assert_int_equal(open_bytes(bytes, size), ES_OK);
    assert_int_equal(es__reader_summarize(&reader, &summary), ES_OK);
    return summary;
}

static size_t offset_of_record(uint32_t sequence)
{
    size_t at = 16;
    for (; sequence > 0; --sequence) {
        at += 20 + (size_t)record_u32(file + at + 4);
    }
    return at;
}

/* Of a file: how many stretches of damage there are, and the first: what it is, where, how many bytes;
 * the first number that is missing, and how many are. */
typedef struct harm {
    uint64_t count;
    es_damage damage;
    size_t offset, bytes;
    uint32_t sequence, missing;
} harm;

static void assert_harm(const es__reader_summary *s, harm expected)
{
    assert_int_equal(s->damages, expected.count);
    assert_int_equal(s->first_damage.damage, expected.damage);
    assert_int_equal(s->first_damage.offset, expected.offset);
    assert_int_equal(s->first_damage.length, expected.bytes);
    assert_int_equal(s->first_damage.sequence, expected.sequence);
    assert_int_equal(s->first_damage.count, expected.missing);
}

/* --- the checksum --- */

TEST(checksums_are_crc32c)
{
    unsigned char bytes[32];
    size_t size = record_game(25), at = 16;
    memset(bytes, 0, sizeof bytes); /* RFC 3720, B.4: first the bitwise one of this test */
    assert_int_equal(record_crc(bytes, 32), UINT32_C(0x8A9136AA));
    memset(bytes, 255, sizeof bytes);
    assert_int_equal(record_crc(bytes, 32), UINT32_C(0x62A8AB43));
    for (int i = 0; i < 32; ++i) {
        bytes[i] = (unsigned char)i;
    }
    assert_int_equal(record_crc(bytes, 32), UINT32_C(0x46DD794E));
    assert_int_equal(record_u32(file + 12), record_crc(file, 12));
    uint32_t sequence = 0;
    for (; at < size; ++sequence) {
        size_t whole = 16 + (size_t)record_u32(file + at + 4);
        assert_int_equal(file[at], 0xE5);
        assert_int_equal(file[at + 1], 0x7E);
        assert_int_equal(record_u32(file + at + 8), sequence);
        assert_int_equal(record_u32(file + at + 12), record_crc(file + at, 12));
        assert_int_equal(record_u32(file + at + whole), record_crc(file + at, whole));
        at += whole + 4;
    }
    assert_int_equal(at, size);
    assert_true(sequence > 60);
}

/* --- what is written is what is read --- */

static void check_run(const es_replay_item *item)
{
    es__state_self_test test = es__state_self_test_run();
    es_replay_run expected;
    memset(&expected, 0, sizeof expected);
    expected.config.tick_rate = (es_rate){60000, 1001};
    expected.config.seed = UINT64_C(0x123456789ABCDEF0);
    expected.config.hashes = ES_RECORD_HASH_GROUPS;
    expected.config.hash_every = 1;
    expected.config.snapshot_every = 10;
    expected.version[0] = ES_VERSION_MAJOR;
    expected.version[1] = ES_VERSION_MINOR;
    expected.version[2] = ES_VERSION_PATCH;
    expected.packed_size = es__state_packed_size(&game_layout);
    expected.field_count = 6;
    expected.hash_count = 3;
    expected.self_test[0] = test.arithmetic;
    expected.self_test[1] = test.library;
    assert_int_equal(item->kind, ES_RECORD_RUN);
    assert_memory_equal(item->run, &expected, sizeof expected);
}

static void check_field(const es_replay_item *item, const es_field *expected)
{
    assert_int_equal(item->kind, ES_RECORD_FIELD);
    assert_int_equal(item->field->type, expected->type);
    assert_int_equal(item->field->group, expected->group);
    assert_int_equal(item->field->count, expected->count);
    assert_int_equal(item->field->components, expected->components);
    assert_string_equal(item->field->name, expected->name);
}

typedef struct walk {
    int64_t tick, readings_now, readings_cpu, frames, events, snapshots, hashes, copies;
    es_replay_item indices[19]; /* before each snapshot, and the end */
} walk;

/* The last snapshot, and those whose numbers are its number without its lowest bits. */
static void check_index(walk *w, const es_replay_item *item)
{
    int64_t number = w->snapshots - 1, next;
    w->indices[w->snapshots] = *item;
    assert_int_equal(item->total, 3); /* the largest input */
    assert_int_equal(item->step.index, w->tick);
    for (size_t i = item->count; i > 0; --i, number = next) {
        es__index_entry entry = es__reader_get_entry(item, i - 1);
        assert_int_equal(entry.tick, 10 * number);
        assert_int_equal(entry.offset, w->indices[number].offset);
        assert_int_equal(entry.sequence, w->indices[number].sequence);
        next = number & (number - 1);
    }
    assert_int_equal(number, 0);
}

static void check_tick(walk *w, const es_replay_item *item)
{
    unsigned char input[4];
    w->tick += 1;
    es_step expected = game_step(w->tick);
    size_t size = game_input(w->tick, input);
    assert_true(game_same_step(&item->step, &expected));
    assert_int_equal(item->total, size);
    assert_int_equal(item->size, size);
    if (size > 0) {
        assert_memory_equal(item->bytes, input, size);
    }
    game_update(&g, &expected, input, size);
}

static void check_rest(walk *w, const es_replay_item *item)
{
    es__reading_kind kind;
    int64_t value;
    if (item->kind == ES_RECORD_HASH) {
        assert_int_equal(item->step.index, w->tick);
        assert_int_equal(item->count, 3);
        assert_int_equal(item->size, 24);
        for (size_t i = 0; i < 3; ++i) { /* the groups in the order of their first fields */
            int32_t group = game_fields[(size_t[]){0, 3, 4}[i]].group;
            assert_int_equal(es__get_u64(item->bytes + 8 * i),
                    es__state_hash_group(&game_layout, &g, group));
        }
        w->hashes += 1;
    } else if (item->kind == ES_RECORD_SNAPSHOT) {
        static unsigned char packed[1024];
        size_t size = es__state_pack(&game_layout, &g, 0, packed, sizeof packed);
        assert_int_equal(item->step.index, w->tick);
        assert_int_equal(item->step.index % 10, 0);
        assert_int_equal(item->step.time_ns, w->tick == 0 ? 0 : game_step(w->tick).time_ns);
        assert_int_equal(item->total, size);
        assert_int_equal(item->size, size);
        assert_memory_equal(item->bytes, packed, size);
        w->snapshots += 1;
    } else if (item->kind == ES_RECORD_EVENT) {
        assert_int_equal(item->step.index, w->tick);
        assert_int_equal(item->count, w->tick % 2);
        assert_int_equal(item->size, 3);
        w->events += 1;
    } else if (item->kind == ES_RECORD_READINGS) {
        es__reader_readings readings = es__reader_get_readings(item);
        while (es__reader_next_reading(&readings, &kind, &value)) {
            if (kind == ES__READING_NOW) {
                assert_int_equal(value, ++w->readings_now * 16683350);
            } else {
                assert_int_equal(kind, ES__READING_CPU);
                w->readings_cpu += 1;
                assert_int_equal(value, w->readings_cpu * 2 * 1000 - 500);
            }
        }
    } else if (item->kind == ES_RECORD_COPY) {
        es_replay_item original;
        assert_true(es__reader_get_copy(&reader, item, &original));
        int64_t number = w->copies++ % 7; /* the run and its fields, behind each 16th snapshot */
        assert_int_equal((w->snapshots - 1) % 16, 0);
        if (number == 0) {
            check_run(&original);
        } else {
            check_field(&original, &game_fields[number - 1]);
        }
    } else if (item->kind == ES_RECORD_INDEX) {
        check_index(w, item);
    } else if (item->kind == ES_RECORD_FRAME) {
        es_report expected = game_frame(++w->frames);
        assert_memory_equal(item->frame, &expected, sizeof expected); /* all that game_frame sets */
    } else {
        fail_msg("a record of kind %d", (int)item->kind);
    }
}

TEST(what_is_written_is_read)
{
    enum { TICKS = 171 };
    es_replay_item item;
    static walk w;
    assert_int_equal(open_bytes(file, record_game(TICKS)), ES_OK);
    game_init(&g, 99);
    assert_int_equal(es__reader_next(&reader, &item), ES_OK);
    check_run(&item);
    for (size_t i = 0; i < 6; ++i) {
        assert_int_equal(es__reader_next(&reader, &item), ES_OK);
        check_field(&item, &game_fields[i]);
    }
    for (size_t i = 0; i < 2; ++i) {
        assert_int_equal(es__reader_next(&reader, &item), ES_OK);
        assert_int_equal(item.kind, ES_RECORD_TAG);
        assert_string_equal(item.field->name, game_tags[2 * i]);
        assert_int_equal(item.size, strlen(game_tags[2 * i + 1]));
        assert_memory_equal(item.bytes, game_tags[2 * i + 1], item.size);
    }
    for (;;) {
        assert_int_equal(es__reader_next(&reader, &item), ES_OK);
        if (item.kind == ES_RECORD_END) {
            break;
        }
        if (item.kind == ES_RECORD_STEP) {
            check_tick(&w, &item);
        } else {
            check_rest(&w, &item);
        }
    }
    assert_int_equal(item.step.index, TICKS);
    assert_int_equal(item.end->steps, TICKS);
    assert_int_equal(item.end->frames, TICKS / 2);
    assert_int_equal(item.end->ticks_lost, 0);
    assert_int_equal(item.end->result, ES_OK);
    assert_int_equal(item.part, item.offset - w.indices[w.snapshots].length);
    assert_int_equal(w.tick, TICKS);
    assert_int_equal(w.hashes, TICKS);
    assert_int_equal(w.frames, TICKS / 2);
    assert_int_equal(w.events, TICKS / 3);
    assert_int_equal(w.snapshots, 1 + TICKS / 10);
    assert_int_equal(w.copies, 2 * (1 + 6));
    assert_int_equal(w.readings_now, TICKS); /* the last without a frame: with the end */
    assert_int_equal(es__reader_next(&reader, &item), ES_OK);
    assert_int_equal(item.kind, ES_RECORD_NONE);
    assert_int_equal(item.damage, ES_DAMAGE_NONE);
    es__reader_summary s;
    assert_int_equal(es__reader_summarize(&reader, &s), ES_OK);
    assert_int_equal(s.bytes, file_sink.used);
    assert_int_equal(s.bytes_good, file_sink.used);
    assert_int_equal(s.steps, TICKS);
    assert_int_equal(s.frames, w.frames);
    assert_int_equal(s.snapshots, w.snapshots);
    assert_int_equal(s.hashes, w.hashes);
    assert_int_equal(s.events, w.events);
    assert_true(s.damages == 0 && s.gaps == 0 && s.ended);
    assert_int_equal(s.first_tick, 1);
    assert_int_equal(s.last_tick, TICKS);
    es__reader_summary outline;
    assert_int_equal(es__reader_outline(&reader, &outline), ES_OK);
    assert_int_equal(outline.records, 0); /* not all are read */
    assert_true(outline.ended && outline.bytes == s.bytes && outline.last_tick == s.last_tick);
    assert_true(outline.steps == s.steps && outline.frames == s.frames);
    assert_true(outline.input_max == s.input_max && outline.end_tick == s.end_tick);
    assert_int_equal(outline.index.offset, s.index.offset);
    assert_int_equal(outline.index.sequence, s.index.sequence);
}

/* One field of many: by the bits of its hash, by its own hash, by that of its group. */
TEST(the_field_that_differs_is_found)
{
    enum { MOST = 20 };
    static const es_record_hashes levels[] = {
            ES_RECORD_HASH_NAMES, ES_RECORD_HASH_FIELDS, ES_RECORD_HASH_GROUPS};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l",
            "m", "n", "o", "p", "q", "r", "s", "t"};
    es_field fields[MOST];
    for (size_t k = 0; k < COUNT_OF(levels) * MOST; ++k) {
        es_record_hashes level = levels[k / MOST];
        size_t count = 1 + k % MOST, bits = count < 8 ? 64 / count : 8;
        unsigned char bytes[MOST] = {0}, before[8 * (MOST + 1)], after[8 * (MOST + 1)];
        uint64_t words[3] = {0};
        const es_layout layout = {fields, count, MOST};
        row("hashes %d, %d fields", (int)level, (int)count);
        fields[count - 1] = (es_field){.name = names[count - 1],
                .type = ES_TYPE_U8,
                .blend = ES_BLEND_STEP,
                .count = 1,
                .group = (int32_t)count,
                .offset = count - 1};
        size_t size = 8 * es__record_hash_count(&layout, level);
        bool named = level == ES_RECORD_HASH_NAMES;
        assert_int_equal(size, !named ? 8 * count : count == 1 ? 8 : 8 + (count + 7) / 8 * 8);
        es__record_put_hashes(&layout, level, bytes, before);
        for (size_t i = 0; i < count; ++i) {
            words[i / 8] |= es__state_hash_field(&fields[i], bytes) >> (64 - bits) << i % 8 * bits;
            bytes[i] = 1;
            es__record_put_hashes(&layout, level, bytes, after);
            assert_memory_not_equal(before, after, named ? 8 : size);
            assert_ptr_equal(es__record_find_field(&layout, level, before, after), &fields[i]);
            bytes[i] = 0;
        }
        for (size_t i = 0; named && 8 + 8 * i < size; ++i) {
            assert_int_equal(es__get_u64(before + 8 + 8 * i), words[i]);
        }
    }
}

/* Each level of hashes: how many there are per tick, and the first of them. */
TEST(hashes_are_as_fine_as_configured)
{
    static const size_t counts[] = {2, 1, 6, 0, 3};
    for (int level = 0; level <= (int)ES_RECORD_HASH_GROUPS; ++level) {
        es__record_config config = file_config();
        es_replay_item item;
        config.hashes = (es_record_hashes)level;
        start(&config, sizeof batch);
        record_tick(1, NULL, 0);
        assert_int_equal(es__record_end(&record), ES_OK);
        assert_int_equal(open_bytes(file, file_sink.used), ES_OK);
        assert_int_equal(es__reader_next(&reader, &item), ES_OK);
        assert_int_equal(item.run->config.hashes, level);
        assert_int_equal(item.run->hash_count, counts[level]);
        while (item.kind != ES_RECORD_NONE && item.kind != ES_RECORD_HASH) {
            assert_int_equal(es__reader_next(&reader, &item), ES_OK);
        }
        assert_int_equal(item.count, counts[level]);
        const uint64_t first[] = {es_state_hash(&game_layout, &g), es_state_hash(&game_layout, &g),
                es__state_hash_field(&game_fields[0], &g), 0,
                es__state_hash_group(&game_layout, &g, 1)};
        assert_true(item.count == 0 || es__get_u64(item.bytes) == first[level]);
    }
}

TEST(readings_of_any_size_come_back)
{
    enum { MANY = 5000, OTHER = 2501 }; /* from here on of another clock */
    static int64_t values[MANY];
    static es__reading_kind kinds[MANY];
    es_replay_item item;
    test_random random = {3};
    size_t at = 0;
    start_in_file();
    for (size_t i = 0; i < MANY; ++i) {
        uint64_t bits = random_u64(&random) >> random_below(&random, 64);
        values[i] = i % 100 == 0 ? INT64_MIN : i % 100 == 1 ? INT64_MAX : (int64_t)bits;
        kinds[i] = (es__reading_kind)random_below(&random, 3);
        assert_int_equal(es__record_clock(&record, i < OTHER ? 11 : 1), ES_OK);
        assert_int_equal(es__record_reading(&record, kinds[i], values[i]), ES_OK);
    }
    assert_int_equal(es__record_end(&record), ES_OK);
    assert_int_equal(es__record_clock(&record, 1), ES_ERR_STATE);
    assert_int_equal(open_bytes(file, file_sink.used), ES_OK);
    do {
        es__reading_kind kind;
        int64_t value;
        assert_int_equal(es__reader_next(&reader, &item), ES_OK);
        bool there = item.kind == ES_RECORD_READINGS;
        es__reader_readings readings = {0};
        if (there) {
            readings = es__reader_get_readings(&item);
        }
        assert_true(!there || at == 0 || at == OTHER || at + readings.left == MANY
                    || at + readings.left == OTHER || readings.left > 70); /* full records */
        while (there && es__reader_next_reading(&readings, &kind, &value)) {
            assert_int_equal(readings.clock_has, at < OTHER ? 11 : 1);
            assert_int_equal(kind, kinds[at]);
            assert_int_equal(value, values[at]);
            at += 1;
        }
    } while (item.kind != ES_RECORD_NONE);
    assert_int_equal(at, MANY);
}

/* --- damage: test_damage.c has cuts and flipped bits --- */

/* Of a recording the first bytes are followed by others, and these by all from another byte on. */
TEST(missing_and_repeated_records_are_named)
{
    size_t size = record_game(8), a = offset_of_record(20), b = offset_of_record(24);
    uint64_t records = summarize(file, size).records;
    const struct {
        size_t first, others, from;
        harm harm;
        uint64_t records_lost;
    } cases[] = {{a, 0, b, {1, ES_DAMAGE_MISSING, a, 0, 20, 4}, 4}, /* 20 to 23 are cut out */
            {b, 0, a, {4, ES_DAMAGE_REPEATED, b, offset_of_record(21) - a, 20, 0}, 0},
            {a, 1000, a, {1, ES_DAMAGE_HEAD, a, 1000, 20, 0}, 0}}; /* full of markers */
    for_rows (i, cases) {
        size_t at = cases[i].first, others = cases[i].others, from = cases[i].from;
        memcpy(damaged, file, at);
        for (size_t k = 0; k < others; ++k) {
            damaged[at + k] = k % 2 == 0 ? 0xE5 : 0x7E;
        }
        memcpy(damaged + at + others, file + from, size - from);
        es__reader_summary s = summarize(damaged, at + others + size - from);
        assert_harm(&s, cases[i].harm);
        assert_int_equal(s.records, records - cases[i].records_lost);
    }
}

/* An input that holds records, and a flipped bit in the step around it. The recording within is not
 * read: where the head around it is sound, it is skipped; where it is not, the numbers are too low,
 * and a head that reaches beyond the end does not hide what follows. */
TEST(records_within_damage_are_not_read)
{
    static unsigned char inner[8192];
    enum { STEP = 19 }; /* the second: 9 of the header, snapshot, 7 copies, step, hashes */
    static const struct {
        uint32_t records; /* in the input; 0: a head alone */
        size_t byte;      /* of the step, that is damaged */
        es_damage damage;
    } cases[] = {{30, 16 + 60, ES_DAMAGE_PAYLOAD}, {9, 5, ES_DAMAGE_HEAD}, {0, 5, ES_DAMAGE_HEAD}};
    for_rows (i, cases) {
        (void)record_game(6);
        size_t size = cases[i].records > 0 ? offset_of_record(cases[i].records) : 40;
        assert_true(size < sizeof inner);
        memcpy(inner, file, size);
        if (cases[i].records == 0) {
            memset(inner, 0, sizeof inner);
            memcpy(inner, (unsigned char[]){0xE5, 0x7E, ES_RECORD_STEP}, 3);
            record_put_u32(inner + 4, 60000);
            record_put_u32(inner + 8, 40);
            record_put_u32(inner + 12, record_crc(inner, 12));
        }
        start_in_file();
        for (int64_t tick = 1; tick <= 30; ++tick) {
            record_tick(tick, inner, size);
        }
        assert_int_equal(es__record_end(&record), ES_OK);
        uint64_t records = summarize(file, file_sink.used).records;
        size_t at = offset_of_record(STEP);
        assert_int_equal(file[at + 2], ES_RECORD_STEP);
        file[at + cases[i].byte] ^= 4;
        es__reader_summary s = summarize(file, file_sink.used);
        assert_harm(&s, (harm){1, cases[i].damage, at, 20 + 56 + size, STEP, 1});
        assert_int_equal(s.records, records - 1);
        assert_true(s.ended);
    }
}

/* --- evil content with right checksums --- */

TEST(content_out_of_range_is_refused)
{
    static const struct {
        unsigned char kind;
        uint32_t at, value;
    } evil[] = {{ES_RECORD_RUN, 12, 0}, {ES_RECORD_RUN, 8, 1000000001}, {ES_RECORD_RUN, 24, 0},
            {ES_RECORD_RUN, 32, 0}, {ES_RECORD_RUN, 32, ES_RECORD_FIELDS_MAX + 1},
            {ES_RECORD_RUN, 36, ES_RECORD_TAGS_MAX + 1}, {ES_RECORD_RUN, 40, 5},
            {ES_RECORD_RUN, 44, 8}, {ES_RECORD_RUN, 48, 0}, {ES_RECORD_RUN, 48, UINT32_MAX},
            {ES_RECORD_FIELD, 0, 0}, {ES_RECORD_FIELD, 0, 7}, {ES_RECORD_FIELD, 8, 0},
            {ES_RECORD_FIELD, 16, 0}, {ES_RECORD_FIELD, 20, 0}, {ES_RECORD_FIELD, 20, 12},
            {ES_RECORD_FIELD, 20, 14}, {ES_RECORD_FIELD, 24, 0x616161}, {ES_RECORD_TAG, 0, 0},
            {ES_RECORD_TAG, 0, 4}, {ES_RECORD_TAG, 4, 0}, {ES_RECORD_TAG, 4, 2},
            {ES_RECORD_TAG, 4, UINT32_MAX}, {ES_RECORD_SNAPSHOT, 16, 1},
            {ES_RECORD_SNAPSHOT, 20, 1}, {ES_RECORD_SNAPSHOT, 24, 3}, {ES_RECORD_STEP, 52, 0},
            {ES_RECORD_FRAME, 108, 99}, {ES_RECORD_FRAME, 108, UINT32_MAX},
            {ES_RECORD_FRAME, 192, 3}, {ES_RECORD_FRAME, 192, 0xFFFFFFF0U},
            {ES_RECORD_READINGS, 0, 0x20001}, {ES_RECORD_READINGS, 0, 9},
            {ES_RECORD_COPY, 0, ES_RECORD_STEP}, {ES_RECORD_COPY, 0, 257}, {ES_RECORD_COPY, 28, 0},
            {ES_RECORD_READINGS, 28, 0x03030303}, {ES_RECORD_READINGS, 28, 0xFFFFFFFFU}};
    for_rows (i, evil) {
        size_t size = record_game(6), at = 16;
        while (file[at + 2] != evil[i].kind
                || (evil[i].kind == ES_RECORD_STEP && record_u32(file + at + 16 + 52) == 0)) {
            at += 20 + (size_t)record_u32(file + at + 4);
        }
        record_put_u32(file + at + 16 + evil[i].at, evil[i].value);
        record_seal(file + at);
        es__reader_summary s = summarize(file, size);
        row("kind %d: %u at %u", (int)evil[i].kind, (unsigned)evil[i].value, (unsigned)evil[i].at);
        assert_int_equal(s.damages, 1);
        assert_int_equal(s.first_damage.damage, ES_DAMAGE_CONTENT);
        assert_int_equal(s.first_damage.offset, at);
        assert_int_equal(s.first_damage.count, 1);
    }
}

/* A recording that ends with a record made here: of zeros, but for some words. */
TEST(content_of_odd_sizes_is_refused)
{
    static const struct {
        es_record_kind kind;
        size_t size;
        uint32_t words[7]; /* the first ones */
        bool good;
    } odd[] = {{ES_RECORD_FIELD, 24, {1, 0, 1, 0, 1, 0}, false},
            {ES_RECORD_FIELD, 24 + 255, {1, 0, 1, 0, 1, 255, 0x61616161}, false}, /* zeros in it */
            {ES_RECORD_FIELD, 24 + 4, {1, 0, 1, 0, 1, 4, 0x61616161}, true},
            {ES_RECORD_FIELD, 24 + 256, {1, 0, 1, 0, 1, 256}, false},
            {ES_RECORD_SNAPSHOT, 32, {0, 0, 0, 0, 0, 0, 4}, false},
            {ES_RECORD_SNAPSHOT, 32 + 4, {0, 0, 0, 0, 0, 0, 4}, true},
            {ES_RECORD_INPUT, 16, {0, 0, 4, 8}, false},
            {ES_RECORD_INPUT, 16 + 4, {0, 0, 4, 8}, true},
            {ES_RECORD_INPUT, 16 + 4, {0, 0, 0, 8}, false},
            {ES_RECORD_INPUT, 16 + 4, {0, 0, 4, 7}, false}, {ES_RECORD_HASH, 8, {0}, false},
            {ES_RECORD_HASH, 8 + 8, {0}, true}, {ES_RECORD_HASH, 8 + 7, {0}, false},
            {ES_RECORD_INDEX, 16 + 20, {0}, true}, {ES_RECORD_INDEX, 16 + 21, {0}, false},
            {ES_RECORD_INDEX, 16 + 33 * 20, {0}, false}, {ES_RECORD_COPY, 3, {0}, false},
            {ES_RECORD_COPY, 4 + 24 + 4, {ES_RECORD_FIELD, 1, 0, 1, 0, 1, 4}, false},
            {ES_RECORD_END, 40, {0}, true}, {ES_RECORD_END, 48, {0}, true}};
    for_rows (i, odd) {
        (void)record_game(2);
        size_t at = offset_of_record(5);
        memset(file + at + 16, 0, odd[i].size);
        file[at + 2] = (unsigned char)odd[i].kind;
        record_put_u32(file + at + 4, (uint32_t)odd[i].size);
        for (size_t word = 0; word < 7 && 4 * word < odd[i].size; ++word) {
            record_put_u32(file + at + 16 + 4 * word, odd[i].words[word]);
        }
        record_seal(file + at);
        es__reader_summary s = summarize(file, at + 20 + odd[i].size);
        assert_int_equal(s.damages, odd[i].good ? 0 : 1);
        assert_int_equal(s.first_damage.damage, odd[i].good ? ES_DAMAGE_NONE : ES_DAMAGE_CONTENT);
    }
}

/* Every word of every record in turn becomes something extreme, and the checksums right again. */
TEST(any_content_is_read_or_named)
{
    static const uint32_t evil[] = {
            0, 1, 2, 127, 128, 65516, 65517, 0x7FFFFFFF, 0x80000000U, 0xFFFFFFF0U, UINT32_MAX};
    size_t size = record_game(6), refused = 0;
    for (size_t at = 16; at < size; at += 20 + (size_t)record_u32(file + at + 4)) {
        size_t payload = record_u32(file + at + 4);
        for (size_t word = 0; word + 4 <= payload; word += 4) {
            for_rows (i, evil) {
                memcpy(damaged, file, size);
                record_put_u32(damaged + at + 16 + word, evil[i]);
                record_seal(damaged + at);
                es__reader_summary s = summarize(damaged, size);
                refused += s.damages;
                assert_true(s.damages == 0
                            || (s.damages == 1 && s.first_damage.damage == ES_DAMAGE_CONTENT
                                    && s.first_damage.offset == at));
            }
        }
    }
    assert_true(refused > 300);
}

TEST(wrong_lengths_are_found)
{
    size_t size = record_game(6), at = offset_of_record(15);
    size_t old = record_u32(file + at + 4);
    const struct {
        uint32_t length;
        es_damage damage;
        size_t bytes;
    } cases[] = {{65517, ES_DAMAGE_HEAD, 20 + old}, {65536, ES_DAMAGE_HEAD, 20 + old},
            {1 << 20, ES_DAMAGE_HEAD, 20 + old}, {0x7FFFFFFF, ES_DAMAGE_HEAD, 20 + old},
            {UINT32_MAX, ES_DAMAGE_HEAD, 20 + old},
            {65516, ES_DAMAGE_CUT, size - at}}; /* possible, and beyond the end */
    for_rows (i, cases) {
        memcpy(damaged, file, size);
        record_put_u32(damaged + at + 4, cases[i].length);
        record_put_u32(damaged + at + 12, record_crc(damaged + at, 12)); /* a right checksum */
        es__reader_summary s = summarize(damaged, size);
        assert_int_equal(s.damages, 1);
        assert_int_equal(s.first_damage.damage, cases[i].damage);
        assert_int_equal(s.first_damage.length, cases[i].bytes);
    }
    /* too short for their kinds */
    for (uint32_t sequence = 0; sequence < 30; ++sequence) {
        at = offset_of_record(sequence);
        old = record_u32(file + at + 4);
        memcpy(damaged, file, at + 16 + old);
        record_put_u32(damaged + at + 4, (uint32_t)old - (old > 8 ? 5 : (uint32_t)old));
        record_seal(damaged + at);
        es_replay_item item;
        assert_int_equal(open_bytes(damaged, at + 20 + old), ES_OK);
        es_result result = ES_OK;
        for (item.offset = 0; result == ES_OK && item.offset < at;) {
            result = es__reader_next(&reader, &item);
        }
        assert_int_equal(item.offset, at); /* a snapshot may be in parts */
        assert_int_equal(item.damage,
                file[at + 2] == ES_RECORD_SNAPSHOT ? ES_DAMAGE_NONE : ES_DAMAGE_CONTENT);
    }
}

TEST(other_formats_are_refused)
{
    size_t size = record_game(2);
    es__error error;
    memory_source memory = {damaged, size};
    es_stream source = memory_source_get(&memory);
    memcpy(damaged, file, size);
    damaged[8] = ES_RECORD_FORMAT + 1;
    record_put_u32(damaged + 12, record_crc(damaged, 12));
    assert_int_equal(
            es__reader_open(&reader, &source, window, sizeof window, &error), ES_ERR_UNSUPPORTED);
    assert_string_equal(error.field, "head");
    damaged[8] = 0;
    record_put_u32(damaged + 12, record_crc(damaged, 12));
    assert_int_equal(
            es__reader_open(&reader, &source, window, sizeof window, &error), ES_ERR_UNSUPPORTED);
    memory.size = 16; /* no record follows */
    damaged[0] = 'X';
    assert_int_equal(
            es__reader_open(&reader, &source, window, sizeof window, &error), ES_ERR_DAMAGED);
    assert_string_equal(error.reason, "does not start with the signature of a recording");
    memset(damaged, 0xE5, sizeof damaged); /* nor in the first 1 MB */
    memory.size = sizeof damaged;
    assert_int_equal(
            es__reader_open(&reader, &source, window, sizeof window, &error), ES_ERR_DAMAGED);
}

TEST(kinds_from_128_on_may_be_unknown)
{
    size_t size = record_game(6), at = offset_of_record(15);
    for (unsigned kind = 60; kind <= 200; kind += 140) {
        row("kind %u", kind);
        memcpy(damaged, file, size);
        damaged[at + 2] = (unsigned char)kind;
        record_seal(damaged + at);
        assert_int_equal(summarize(damaged, size).first_damage.damage,
                kind < 128 ? ES_DAMAGE_CONTENT : ES_DAMAGE_NONE);
    }
}

static es_result failing_read(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    (void)user;
    (void)offset;
    memset(bytes, 0, size);
    *got = 0;
    return ES_ERR_IO;
}

TEST(failing_sources_are_reported)
{
    es__error error;
    es_stream source = {.read = failing_read};
    assert_int_equal(es__reader_open(&reader, &source, window, sizeof window, &error), ES_ERR_IO);
    assert_string_equal(error.field, "source");
    es_replay_item item;
    assert_int_equal(open_bytes(file, record_game(500)), ES_OK);
    reader.source.read = failing_read;
    es_result result;
    do {
        result = es__reader_next(&reader, &item);
    } while (result == ES_OK && item.kind != ES_RECORD_NONE);
    assert_int_equal(result, ES_ERR_IO);
}

static int64_t reads_left;

static es_result read_some(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    *got = 0;
    return reads_left-- > 0 ? memory_give(user, offset, bytes, size, got) : ES_ERR_IO;
}

/* Each reading in turn fails, where heads are damaged and records are looked for. */
TEST(a_search_that_cannot_read_is_no_end)
{
    size_t size = record_game(2000);
    memory_source whole = {file, size};
    es_stream source = {.user = &whole, .read = read_some};
    es__reader_summary summary;
    file[0] ^= 1;
    memset(file + size / 3, 0xE5, 200000 < size / 3 ? 200000 : size / 3);
    es_result result = ES_ERR_IO;
    for (int64_t n = 0; result != ES_OK; ++n) {
        reads_left = n;
        result = es__reader_open(&reader, &source, window, sizeof window, NULL);
        result = result == ES_OK ? es__reader_summarize(&reader, &summary) : result;
        assert_true(result == ES_ERR_IO || (result == ES_OK && summary.damages == 2));
        assert_true(n < 1000);
    }
}

/* --- sinks that fail --- */

/* A disk that is full after `size` bytes: it takes what fits of a block, and then fails. */
typedef struct disk {
    size_t size, used;
    int calls;
} disk;

static es_result write_disk(void *user, const void *bytes, size_t size)
{
    disk *d = user;
    size_t some = size < d->size - d->used ? size : d->size - d->used;
    memcpy(damaged + d->used, bytes, some);
    d->used += some;
    d->calls += 1;
    return some == size ? ES_OK : ES_ERR_IO;
}

TEST(a_full_disk_is_reported_and_what_it_has_is_read)
{
    size_t size = record_game(40);
    for (size_t full = 0; full < size; full += full < 3000 ? 1 : 37) {
        disk d = {full, 0, 0};
        es__record_config config = game_config((es_stream){.user = &d, .write = write_disk});
        config.flush_every = 1;
        assert_int_equal(game_record(&record, &config, batch, sizeof batch, 40), ES_ERR_IO);
        es__record_counts counts = es__record_counts_get(&record);
        assert_int_equal(counts.failed, ES_ERR_IO);
        assert_true(counts.bytes <= full);
        assert_int_equal(d.used, full);
        assert_memory_equal(damaged, file, full); /* the same bytes, as far as they go */
        int calls = d.calls;
        es_step step = game_step(record.tick + 1);
        assert_int_equal(es__record_step(&record, &step, NULL, 0), ES_ERR_IO);
        assert_int_equal(es__record_tick(&record, &step, &g), ES_ERR_IO);
        assert_int_equal(es__record_event(&record, 1, NULL, 0), ES_ERR_IO);
        assert_int_equal(es__record_reading(&record, ES__READING_NOW, 1), ES_ERR_IO);
        assert_int_equal(es__record_flush(&record), ES_ERR_IO);
        assert_int_equal(es__record_end(&record), ES_ERR_IO);
        assert_int_equal(d.calls, calls); /* it is not called again */
        if (full >= 16) {
            es__reader_summary s = summarize(damaged, full);
            assert_true(s.damages <= 1);
            assert_false(s.ended);
        }
    }
}

static es_result write_result;
static int64_t writes_left;

static es_result write_some(void *user, const void *bytes, size_t size)
{
    return writes_left-- > 0 ? memory_take(user, bytes, size) : write_result;
}

/* The n-th write fails, of a header that takes several, its copy, and two states. */
TEST(what_cannot_be_written_is_said_by_the_call)
{
    enum { FIELDS = 600 };
    static es_field fields[FIELDS];
    static char names[FIELDS][200];
    static char text[4001];
    static float values[FIELDS];
    static const char *tags[41];
    const es_layout layout = {fields, FIELDS, sizeof values};
    memset(text, 't', 4000);
    for (size_t i = 0; i < FIELDS; ++i) {
        memset(names[i], 'n', sizeof names[i] - 1);
        (void)snprintf(names[i] + 190, 9, "%d", (int)i);
        fields[i] = (es_field){.name = names[i],
                .type = ES_TYPE_F32,
                .blend = ES_BLEND_STEP,
                .count = 1,
                .offset = 4 * i,
                .stride = 4};
    }
    for (size_t i = 0; i < 40; ++i) {
        tags[i] = i % 2 == 0 ? names[i] : text;
    }
    for (int full = 0; full < 2; ++full) {
        write_result = full == 1 ? ES_ERR_FULL : ES_ERR_IO;
        es_result result = write_result;
        for (int64_t n = 0; result != ES_OK; ++n) {
            row("n %d, full %d", (int)n, full);
            memory_sink to = {file, sizeof file, 0};
            es__record_config config = {.layout = &layout,
                    .tags = tags,
                    .snapshot_every = 1,
                    .stream = {.user = &to, .write = write_some}};
            writes_left = n;
            result = es__record_init(&record, &config, batch, ES__RECORD_MEMORY_MIN, NULL);
            es_result started = es__record_start(&record, 0, 0, values);
            assert_true(result == ES_OK || started == result);
            es_step first = game_step(1);
            (void)es__record_step(&record, &first, NULL, 0);
            (void)es__record_tick(&record, &first, values);
            es_result ended = es__record_end(&record);
            assert_true(ended == ES_OK || ended == write_result);
            assert_true((ended == ES_OK && writes_left >= 0) || writes_left < 0);
            result = result == ES_OK ? started : result;
            result = result == ES_OK ? ended : result;
            assert_true(n < 100);
        }
    }
}

static game_valve valve; /* into `file` */

static void start_with_valve(int32_t snapshot_every)
{
    es__record_config config = game_config((es_stream){.user = &valve, .write = game_write_valve});
    valve = (game_valve){{file, sizeof file, 0}, false};
    config.snapshot_every = snapshot_every;
    start(&config, ES__RECORD_MEMORY_MIN);
}

TEST(gaps_are_written_down_and_played_past)
{
    static unsigned char packed[1024], memory[GAME_MEMORY];
    static es__playback play;
    es_replay_item item;
    int64_t first_lost = 0;
    size_t packed_size = 0;
    start_with_valve(10);
    for (int64_t tick = 1; tick <= 1200; ++tick) {
        valve.shut = tick > 100 && tick < 900;
        game_record_tick(&record, &g, tick);
        if (first_lost == 0 && es__record_counts_get(&record).records_lost > 0) {
            first_lost = tick;
        }
        if (tick == 900) {
            packed_size = es__state_pack(&game_layout, &g, 0, packed, sizeof packed);
        }
    }
    assert_int_equal(es__record_end(&record), ES_OK);
    es__record_counts counts = es__record_counts_get(&record);
    assert_int_equal(counts.failed, ES_OK);
    assert_int_equal(counts.gaps, 1);
    assert_int_equal(counts.ticks_lost, 900 - first_lost + 1);
    assert_true(counts.records_lost > 500);
    es__reader_summary s = summarize(file, valve.sink.used);
    assert_int_equal(s.damages, 0);
    assert_int_equal(s.gaps, 1);
    assert_int_equal(s.end.ticks_lost, counts.ticks_lost);
    do {
        assert_int_equal(es__reader_next(&reader, &item), ES_OK);
    } while (item.kind != ES_RECORD_GAP);
    assert_true(item.count > 0);
    assert_int_equal(item.step.index, first_lost);
    assert_int_equal(item.total, 900 - first_lost + 1);
    assert_int_equal(es__reader_next(&reader, &item), ES_OK);
    assert_int_equal(item.kind, ES_RECORD_INDEX);
    assert_int_equal(es__reader_next(&reader, &item), ES_OK); /* the state to go on from */
    assert_int_equal(item.kind, ES_RECORD_SNAPSHOT);
    assert_int_equal(item.step.index, 900);
    assert_int_equal(item.size, packed_size);
    assert_memory_equal(item.bytes, packed, packed_size);

    game at_end = g;
    es__playback_config config = game_playback(reader.source);
    assert_int_equal(es__playback_open(&play, &config, memory, NULL), ES_OK);
    assert_int_equal(es__playback_start(&play, &g), ES_OK);
    assert_int_equal(play_run(&play, &g, INT64_MAX, false), ES_ERR_DAMAGED);
    assert_in_range(play.tick, first_lost - 1, first_lost);
    assert_int_equal(play.resume.tick, 900);
    assert_int_equal(play_seek(&play, 900, &g), ES_OK);
    assert_int_equal(play_run(&play, &g, INT64_MAX, false), ES_OK);
    assert_true(es__state_compare(&game_layout, &g, &at_end, NULL));
}

/* A gap that is open when the recording ends is written once, however often the end is tried, and
 * whatever room is left in the batch. */
TEST(an_open_gap_is_written_with_the_end)
{
    static unsigned char padding[128];
    for (size_t pad = 0; pad < sizeof padding; ++pad) {
        int64_t ticks = pad == 0 ? 1000 : 0, tick = 1; /* 0: up to the first that is lost */
        start_with_valve(pad == 0 ? 10 : -1);
        valve.shut = true;
        assert_int_equal(es__record_event(&record, 1, padding, pad), ES_OK);
        for (; tick <= ticks || es__record_counts_get(&record).records_lost == 0; ++tick) {
            game_record_tick(&record, &g, tick);
        }
        assert_int_equal(es__record_end(&record), ES_ERR_FULL);
        assert_int_equal(es__record_end(&record), ES_ERR_FULL);
        valve.shut = false;
        assert_int_equal(es__record_end(&record), ES_OK);
        es__reader_summary s = summarize(file, valve.sink.used);
        assert_true(s.ended && s.damages == 0);
        assert_int_equal(s.gaps, 1);
        assert_int_equal(es__record_counts_get(&record).gaps, 1);
        assert_int_equal(s.end.ticks_lost, es__record_counts_get(&record).ticks_lost);
        assert_true(ticks == 0 || s.end.ticks_lost > 300);
        /* the first of them may be there but for its hashes */
        uint64_t after = (uint64_t)(tick - 1 - s.last_tick);
        assert_in_range(s.end.ticks_lost, after, after + 1);
    }
}

/* However often the sink is full, also in the middle of an input. */
TEST(counts_are_those_of_the_file)
{
    static unsigned char input[150000];
    test_random random = {31};
    for (int run = 0; run < 100; ++run) {
        start_with_valve(3);
        for (int64_t tick = 1; tick <= 30; ++tick) {
            es_step step = game_step(tick);
            es_report report = game_frame(tick);
            size_t most = tick % 8 == 0 ? sizeof input : 9;
            valve.shut = random_below(&random, 3) == 0;
            (void)es__record_step(
                    &record, &step, input, (size_t)random_below(&random, (int64_t)most));
            valve.shut = random_below(&random, 3) == 0;
            (void)es__record_event(&record, 1, input, (size_t)random_below(&random, 9000));
            (void)es__record_frame(&record, &report);
            (void)es__record_tick(&record, &step, &g);
        }
        valve.shut = false;
        assert_int_equal(es__record_end(&record), ES_OK);
        es__record_counts counts = es__record_counts_get(&record);
        es__reader_summary s = summarize(file, valve.sink.used);
        assert_true(s.damages == 0 && s.bytes == counts.bytes && s.records == counts.records);
        assert_true(s.steps == counts.steps && s.end.steps == counts.steps);
        assert_true(s.frames == counts.frames && s.events == counts.events);
        assert_true(s.snapshots == counts.snapshots && s.gaps == counts.gaps);
    }
}

TEST(a_recording_ends_when_its_numbers_run_out)
{
    start_in_file();
    record.sequence = UINT32_MAX - 10;
    for (int64_t tick = 1; tick <= 9; ++tick) {
        game_record_tick(&record, &g, tick);
    }
    assert_int_equal(es__record_counts_get(&record).failed, ES_ERR_RANGE);
    assert_int_equal(es__record_end(&record), ES_ERR_RANGE);
    es__record_counts counts = es__record_counts_get(&record);
    assert_int_equal(record.batch_used, 0); /* the sink has the batch all the same */
    es__reader_summary s = summarize(file, file_sink.used);
    assert_int_equal(s.records, counts.records);
    assert_true(s.steps >= 2);
    assert_int_equal(s.first_damage.damage, ES_DAMAGE_MISSING); /* the numbers skipped above */
    assert_int_equal(s.damages, 1);
}

TEST(a_recording_behind_the_end_of_another_is_damage)
{
    size_t short_size = record_game(8);
    memcpy(damaged, file, short_size);
    es__reader_summary first = summarize(damaged, short_size);
    size_t size = record_game(60);
    es__reader_summary second = summarize(file, size);
    assert_true(second.records > first.records);
    memcpy(damaged + short_size, file, size);
    es__reader_summary s = summarize(damaged, short_size + size);
    assert_int_equal(s.records, first.records);
    assert_int_equal(s.last_tick, 8);
    assert_true(s.ended);
    assert_int_equal(s.damages, 1); /* all of it */
    assert_int_equal(s.first_damage.offset, short_size);
    assert_int_equal(s.first_damage.length, size);
}

/* --- refusals --- */

static char long_name[300], long_text[5000];

/* Values of a config's members that are refused, and the names in the error. */
#define BAD(member, value, name)                                                                   \
    {                                                                                              \
        offsetof(es__record_config, member), sizeof(((es__record_config *)0)->member), value, name \
    }
static const struct {
    size_t at, size;
    int32_t value;
    const char *name;
} bad_members[] = {BAD(layout, 0, "layout"), BAD(stream.write, 0, "stream"),
        BAD(tick_rate.denominator, 0, "tick_rate"), BAD(hashes, 5, "hashes"),
        BAD(hash_every, -1, "hash_every"), BAD(flush_every, -1, "flush_every")};

static void assert_refused(const es__record_config *config, const char *name)
{
    es__error error;
    assert_int_equal(es__record_check(config, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, name);
}

TEST(bad_configurations_are_named)
{
    es_field fields[6];
    es_layout layout = {fields, 6, sizeof(game)};
    const char *const tags[][3] = {{"", ""}, {long_name, ""}, {"a", NULL}, {"a", long_text}};
    static const char *many[2 * ES_RECORD_TAGS_MAX + 3];
    es__record_config good = file_config(), bad;
    es__error error;
    memset(long_name, 'n', 256);
    memset(long_text, 't', 4096);
    for_rows (i, bad_members) {
        size_t wide = (size_t)bad_members[i].value;
        bad = good;
        memcpy((char *)&bad + bad_members[i].at,
                bad_members[i].size == 4 ? (const void *)&bad_members[i].value : &wide,
                bad_members[i].size);
        assert_refused(&bad, bad_members[i].name);
    }
    for_rows (i, tags) {
        bad = good;
        bad.tags = tags[i];
        assert_refused(&bad, "tags");
    }
    for (size_t i = 0; i < 2 * ES_RECORD_TAGS_MAX + 2; ++i) {
        many[i] = "tag";
    }
    bad.tags = many;
    assert_refused(&bad, "tags");
    bad = good;
    bad.tick_rate = (es_rate){0, 1};
    assert_refused(&bad, "tick_rate");
    bad.tick_rate = good.tick_rate;
    bad.hashes = (es_record_hashes)-1;
    assert_refused(&bad, "hashes");
    bad.hashes = good.hashes;
    const es_layout wide = {game_fields, ES_RECORD_FIELDS_MAX + 1, sizeof(game)};
    bad.layout = &wide;
    assert_refused(&bad, "layout");
    memcpy(fields, game_fields, sizeof fields);
    bad.tags = NULL;
    bad.layout = &layout;
    fields[2].name = long_name;
    assert_refused(&bad, long_name);
    fields[2].name = "objects.at"; /* twice */
    assert_refused(&bad, "objects.at");
    fields[2].name = long_name + 1; /* the longest names and text, and the most tags */
    many[2 * ES_RECORD_TAGS_MAX] = NULL;
    many[0] = long_name + 1;
    many[1] = long_text + 1;
    bad.tags = many;
    assert_int_equal(es__record_check(&bad, &error), ES_OK);
    assert_null(error.field);
}

TEST(calls_out_of_order_are_refused)
{
    es__record_config config = file_config();
    es_step first = game_step(1), second = game_step(2);
    game_init(&g, 1);
    assert_int_equal(es__record_init(&record, &config, batch, sizeof batch, NULL), ES_OK);
    assert_int_equal(es__record_step(&record, &first, NULL, 0), ES_ERR_STATE);
    assert_int_equal(es__record_event(&record, 0, NULL, 0), ES_ERR_STATE);
    assert_int_equal(es__record_start(&record, 0, 0, &g), ES_OK);
    assert_int_equal(es__record_start(&record, 0, 0, &g), ES_ERR_STATE);
    es_step zeroth = game_step(0);
    assert_int_equal(
            es__record_tick(&record, &zeroth, &g), ES_ERR_STATE); /* its state is the snapshot */
    assert_int_equal(es__record_step(&record, &second, NULL, 0), ES_ERR_STATE);
    assert_int_equal(es__record_step(&record, &first, NULL, 1), ES_ERR_INVALID);
    assert_int_equal(es__record_step(&record, &first, NULL, 0), ES_OK);
    assert_int_equal(es__record_step(&record, &first, NULL, 0), ES_ERR_STATE);
    assert_int_equal(es__record_tick(&record, &second, &g), ES_ERR_STATE);
    assert_int_equal(es__record_tick(&record, &first, &g), ES_OK);
    assert_int_equal(es__record_tick(&record, &first, &g), ES_ERR_STATE); /* once */
    assert_int_equal(es__record_step(&record, NULL, NULL, 0), ES_ERR_INVALID);
    assert_int_equal(es__record_tick(&record, NULL, &g), ES_ERR_INVALID);
    assert_int_equal(es__record_tick(&record, &first, NULL), ES_ERR_INVALID);
    assert_int_equal(es__record_frame(&record, NULL), ES_ERR_INVALID);
    assert_int_equal(es__record_event(&record, 0, NULL, 1), ES_ERR_INVALID);
    assert_int_equal(
            es__record_step(&record, &second, batch, (size_t)UINT32_MAX + 1), ES_ERR_INVALID);
    assert_int_equal(es__record_event(&record, 0, &g, ES__RECORD_PAYLOAD_MAX), ES_ERR_INVALID);
    assert_int_equal(es__record_end(&record), ES_OK);
    assert_int_equal(es__record_step(&record, &second, NULL, 0), ES_ERR_STATE);
    assert_int_equal(es__record_end(&record), ES_OK); /* again: nothing more is written */
    assert_int_equal(es__record_start(&record, 0, 0, &g), ES_ERR_STATE);
    es__reader_summary s = summarize(file, file_sink.used);
    assert_int_equal(s.steps, 1);
    assert_int_equal(s.damages, 0);
    assert_int_equal(s.bytes, file_sink.used);
}

TEST(ticks_may_be_huge)
{
    es__record_config config = file_config();
    game_init(&g, 1);
    assert_int_equal(es__record_init(&record, &config, batch, sizeof batch, NULL), ES_OK);
    assert_int_equal(es__record_start(&record, INT64_MAX - 2, INT64_MAX, &g), ES_OK);
    for (int64_t tick = INT64_MAX - 1;; ++tick) {
        es_step step = {.index = tick, .time_ns = INT64_MAX, .dt_ns = 1, .dt_s = 1e-9};
        assert_int_equal(es__record_step(&record, &step, NULL, 0), ES_OK);
        assert_int_equal(es__record_tick(&record, &step, &g), ES_OK);
        if (tick == INT64_MAX) {
            assert_int_equal(es__record_step(&record, &step, NULL, 0), ES_ERR_STATE);
            break;
        }
    }
    assert_int_equal(es__record_end(&record), ES_OK);
    es__reader_summary s = summarize(file, file_sink.used);
    assert_int_equal(s.damages, 0);
    assert_true(s.first_tick == INT64_MAX - 1 && s.last_tick == INT64_MAX);
}

static es_result forget(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return ES_OK;
}

/* By default a snapshot is due when the ticks take four times its bytes, within limits. */
TEST(snapshots_are_as_far_apart_as_they_are_large)
{
    static const struct {
        size_t bytes;
        int64_t least, most; /* ticks, of 76 bytes */
    } cases[] = {{100, 60, 60}, {10000, 525, 550}, {sizeof file, 3600, 3600}};
    for_rows (i, cases) {
        const es_field field = {.name = "x",
                .type = ES_TYPE_U8,
                .blend = ES_BLEND_STEP,
                .count = cases[i].bytes,
                .stride = 1};
        const es_layout layout = {&field, 1, cases[i].bytes};
        es__record_config config = {
                .layout = &layout, .stream = {.write = forget}, .hashes = ES_RECORD_HASH_NONE};
        int64_t last = 0;
        assert_int_equal(es__record_init(&record, &config, batch, sizeof batch, NULL), ES_OK);
        assert_int_equal(es__record_start(&record, 0, 0, file), ES_OK);
        for (int64_t tick = 1; tick <= 7300; ++tick) {
            es_step step = game_step(tick);
            uint64_t before = es__record_counts_get(&record).snapshots;
            assert_int_equal(es__record_step(&record, &step, NULL, 0), ES_OK);
            assert_int_equal(es__record_tick(&record, &step, file), ES_OK);
            if (es__record_counts_get(&record).snapshots > before) {
                assert_in_range(tick - last, cases[i].least, cases[i].most);
                last = tick;
            }
        }
        assert_true(last > 7300 - cases[i].most);
    }
}
