/* SPDX-License-Identifier: Zlib
 *
 * Any bytes as a recording: reading ends, every record and every stretch of damage lies behind the
 * one before it, and what is read lies within the file. Then it is opened for playing, played, and
 * seeked in. The first byte chooses between the bytes as they are and the bytes with a head and
 * checksums made right, so that the code behind the checksums is reached; and whether only indices and
 * the end are changed.
 */
#include "evenstep/replay.h"

#include "replay/playback_parts.h"

#include "../tests/record_game.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static unsigned char golden[1 << 16], window[ES_RECORD_SIZE_MAX], memory[GAME_MEMORY];
static size_t golden_size, index_bytes[4096],
        index_size; /* where bytes of indices and the end are */

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* A short recording, which the input changes. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static es__record record;
    memory_sink sink = {golden, sizeof golden, 0};
    es__record_config config = game_config(memory_sink_get(&sink));
    (void)argc;
    (void)argv;
    config.snapshot_every = 5;
    require(game_record(&record, &config, memory, sizeof memory, 24) == ES_OK);
    golden_size = sink.used;
    for (size_t at = 16, size; at < golden_size; at += 20 + size) {
        size = record_u32(golden + at + 4);
        bool is_index = golden[at + 2] == ES_RECORD_INDEX || golden[at + 2] == ES_RECORD_END;
        for (size_t i = 0; is_index && i < size; ++i) {
            index_bytes[index_size++] = at + 16 + i;
        }
    }
    return 0;
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
        uint32_t payload = record_u32(bytes + at + 4);
        payload = payload <= size - at - 20 ? payload : (uint32_t)(size - at - 20);
        record_put_u32(bytes + at + 4, payload);
        record_put_u32(bytes + at + 8, (uint32_t)sequence);
        record_seal(bytes + at);
        at += 20 + (size_t)payload;
    }
}

static void read_all(const es_stream *source, size_t size)
{
    es__reader reader;
    es_replay_item item;
    uint64_t at = 0;
    if (es__reader_open(&reader, source, window, sizeof window, NULL) != ES_OK) {
        return;
    }
    for (;;) {
        es_result result = es__reader_next(&reader, &item);
        require(result == ES_OK || result == ES_ERR_DAMAGED);
        require(item.offset >= at && item.offset + item.length <= size);
        at = item.offset + item.length;
        if (result == ES_OK && item.kind == ES_RECORD_NONE) {
            require(at == size);
            return;
        }
        require(result == ES_ERR_DAMAGED || item.size <= item.length);
        require((result == ES_ERR_DAMAGED) == (item.damage != ES_DAMAGE_NONE));
    }
}

static void play_all(const es_stream *source, const uint8_t *choices)
{
    static es__playback play;
    es_error error;
    es_report report;
    game g;
    es__playback_config config = game_playback(*source);
    config.input_max = 64;
    memset(&g, 0, sizeof g);
    if (es__playback_open(&play, &config, memory, &error) != ES_OK) {
        require(error.field != NULL && error.reason != NULL);
        return;
    }
    (void)es__playback_start(&play, &g);
    (void)play_run(&play, &g, INT64_MAX, choices[1] % 2 == 0);
    (void)play_seek(&play, choices[2], &g);
    (void)play_run(&play, &g, INT64_MAX, true);
    (void)play_seek(&play, play.resume.tick, &g);
    (void)es__playback_start(&play, &g);
    for (int i = 0; i < 300 && es__playback_frame(&play, &report); ++i) {
    }
    es__tape_player player = {.play = &play};
    es_clock clock = es__tape_player_clock(&player);
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
        size_t at = (size_t)data[i] << 8 | data[i + 1];
        bytes[data[0] % 4 == 3 ? index_bytes[at % index_size] : at % made] = data[i + 2];
    }
    if (data[0] % 4 >= 2) {
        seal_all(bytes, made);
    }
    made -= data[0] >= 128 ? (size_t)data[1] * 7 % (made + 1) : 0; /* and cut off */
    memory_source memory_source = {bytes, made};
    es_stream source = memory_source_get(&memory_source);
    read_all(&source, made);
    play_all(&source, data + 1);
    free(bytes);
    return 0;
}
