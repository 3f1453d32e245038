/* SPDX-License-Identifier: Zlib
 *
 * Any bytes as a recording: reading ends, every record and every stretch of damage lies behind the
 * one before it, and what is read lies within the file. Then it is opened for playing, and played,
 * sought in and asked for everything. The first byte chooses how: the bytes as they are, or with a
 * head and checksums made right, so that what lies behind the checksums is reached.
 */
#include "evenstep/playback.h"
#include "evenstep/tape.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

typedef struct game {
    uint8_t flag;
    float at[3];
    int64_t score;
} game;

static const es_field game_fields[] = {
        {"flag", ES_TYPE_U8, ES_BLEND_STEP, ES_PLACE(game, flag, ES_TYPE_U8), .group = 0},
        {"at", ES_TYPE_F32, ES_BLEND_STEP, ES_PLACE(game, at, ES_TYPE_F32), .group = 1},
        {"score", ES_TYPE_I64, ES_BLEND_STEP, ES_PLACE(game, score, ES_TYPE_I64), .group = 0},
};
static const es_layout game_layout = ES_LAYOUT(game, game_fields);

static unsigned char golden[1 << 16], window[ES_RECORD_SIZE_MAX], memory[1 << 18];
static size_t golden_size;

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static int update(void *user, void *state, const es_step *step, const void *input, size_t size)
{
    const unsigned char *bytes = input;
    game *g = state;
    (void)user;
    for (size_t i = 0; i < size; ++i) {
        g->at[i % 3] += (float)bytes[i];
    }
    g->score += step->index;
    return 0;
}

static void record_tick(es_record *record, game *g, int64_t tick)
{
    unsigned char input[3] = {1, (unsigned char)tick, 7};
    es_step step = {.index = tick, .time_ns = tick * 1000, .dt_ns = 1000, .dt_s = 1e-6};
    es_frame_report report;
    memset(&report, 0, sizeof report);
    report.frame.index = tick;
    require(es__record_reading(record, ES_READING_NOW, tick * 999) == ES_OK);
    require(es_record_step(record, &step, input, (size_t)(tick % 4)) == ES_OK);
    (void)update(NULL, g, &step, input, (size_t)(tick % 4));
    require(es_record_event(record, (uint32_t)(tick % 2), input, 3) == ES_OK);
    require(es_record_tick(record, &step, g) == ES_OK);
    require(es__record_reading(record, ES_READING_CPU, -tick) == ES_OK);
    require(es_record_frame(record, &report) == ES_OK);
}

/* A short recording, which the input changes. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static es_record record;
    es_memory_sink sink = {golden, sizeof golden, 0};
    es_record_tag tag = {"level", "3"};
    es_record_config config = {0};
    game g;
    (void)argc;
    (void)argv;
    config.layout = &game_layout;
    config.sink = es_memory_sink_get(&sink);
    config.tags = &tag;
    config.tag_count = 1;
    config.snapshot_every = 5;
    memset(&g, 0, sizeof g);
    require(es_record_init(&record, &config, memory, sizeof memory, NULL) == ES_OK);
    require(es__record_clock(&record, 7) == ES_OK);
    require(es_record_start(&record, 0, 0, &g) == ES_OK);
    for (int64_t tick = 1; tick <= 24; ++tick) {
        record_tick(&record, &g, tick);
    }
    require(es_record_end(&record) == ES_OK);
    golden_size = sink.used;
    return 0;
}

static uint32_t crc_of(const unsigned char *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? UINT32_C(0x82F63B78) : 0);
        }
    }
    return ~crc;
}

static uint32_t u32_at(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
}

/* All heads and checksums, as far as lengths lead. */
static void seal_all(unsigned char *bytes, size_t size)
{
    if (size < 16) {
        return;
    }
    memcpy(bytes, golden, 16);
    for (size_t at = 16, sequence = 0; at + 20 <= size; ++sequence) {
        bytes[at] = 0xE5;
        bytes[at + 1] = 0x7E;
        bytes[at + 3] = 0;
        uint32_t payload = u32_at(bytes + at + 4);
        payload = payload <= size - at - 20 ? payload : (uint32_t)(size - at - 20);
        put_u32(bytes + at + 4, payload);
        put_u32(bytes + at + 8, (uint32_t)sequence);
        put_u32(bytes + at + 12, crc_of(bytes + at, 12));
        put_u32(bytes + at + 16 + payload, crc_of(bytes + at, 16 + payload));
        at += 20 + (size_t)payload;
    }
}

static void read_all(const es_source *source, size_t size)
{
    es_reader reader;
    es_reader_item item;
    uint64_t at = 0;
    if (es_reader_open(&reader, source, window, sizeof window, NULL) != ES_OK) {
        return;
    }
    for (;;) {
        es_result result = es_reader_next(&reader, &item);
        require(result == ES_OK || result == ES_ERR_DAMAGED);
        require(item.offset >= at && item.offset + item.bytes <= size);
        at = item.offset + item.bytes;
        if (result == ES_OK && item.kind == ES_RECORD_NONE) {
            require(at == size);
            return;
        }
        require(result == ES_ERR_DAMAGED || item.bytes == item.size + ES_RECORD_OVERHEAD);
        require((result == ES_ERR_DAMAGED) == (item.damage != ES_DAMAGE_NONE));
    }
}

static void play_all(const es_source *source, const uint8_t *choices)
{
    static es_playback play;
    es_error error;
    es_reader_event event;
    es_frame_report report;
    game g;
    es_playback_config config = {0};
    config.source = *source;
    config.layout = &game_layout;
    config.update = update;
    config.input_max = 64;
    config.snapshots_max = 2 + choices[0] % 4;
    memset(&g, 0, sizeof g);
    if (es_playback_open(&play, &config, memory, sizeof memory, &error) != ES_OK) {
        require(error.field != NULL && error.reason != NULL);
        return;
    }
    (void)es_playback_start(&play, &g);
    (void)es_playback_run(&play, &g, INT64_MAX, choices[1] % 2 == 0);
    (void)es_playback_seek(&play, choices[2], &g);
    (void)es_playback_run(&play, &g, INT64_MAX, true);
    (void)es_playback_seek(&play, es_playback_resume_tick(&play), &g);
    (void)es_playback_start(&play, &g);
    for (int i = 0; i < 300 && es_playback_frame(&play, &report); ++i) {
    }
    for (int i = 0; i < 60; ++i) {
        (void)es_playback_event(&play, i, (uint32_t)(i % 2), &event);
    }
    es_playback_progress progress = es_playback_progress_get(&play);
    require(progress.compared <= progress.ticks);
    es_tape_player player = {.play = &play};
    es_clock clock = es_tape_player_clock(&player);
    for (int i = 0; i < 100 && !player.ended; ++i) {
        (void)clock.now_ns(clock.user);
        if (clock.thread_cpu_ns != NULL) {
            (void)clock.thread_cpu_ns(clock.user);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) {
        return 0;
    }
    size_t made = data[0] % 4 == 0 ? size - 4 : golden_size;
    unsigned char *bytes = malloc(made > 0 ? made : 1); /* a block of its own, for the sanitizer */
    require(bytes != NULL);
    memcpy(bytes, data[0] % 4 == 0 ? data + 4 : golden, made);
    for (size_t i = 4; data[0] % 4 != 0 && i + 3 <= size; i += 3) { /* changes to the golden one */
        size_t at = ((size_t)data[i] << 8 | data[i + 1]) % made;
        bytes[at] = data[i + 2];
    }
    if (data[0] % 4 >= 2) {
        seal_all(bytes, made);
    }
    made -= data[0] >= 128 ? (size_t)data[1] * 7 % (made + 1) : 0; /* and cut off */
    es_memory_source memory_source = {bytes, made};
    es_source source = es_memory_source_get(&memory_source);
    read_all(&source, made);
    play_all(&source, data + 1);
    free(bytes);
    return 0;
}
