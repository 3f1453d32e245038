/* SPDX-License-Identifier: Zlib
 *
 * Any bytes as a recording: reading ends, every record and every stretch of damage lies behind the
 * one before it, and what is read lies within the file. Then it is opened for playing, played, and
 * seeked in. The first byte chooses between the bytes as they are and the bytes with a head and
 * checksums made right, so that the code behind the checksums is reached; and whether only indices and
 * the end are changed. What is read in order comes again where the reader goes to it. Where checksums
 * were not made right, every record that is read has the bytes that were written, and every tick that
 * is played is one that was recorded: the known step, input and state. Nothing allocates more than
 * the file's size and a constant.
 */
#include "evenstep/replay.h"

#include "replay/play.h"
#include "replay/record.h"

#include "../tests/record_game.h"
#include "fuzz_bytes.h"

/* At least this much is allocated for a replay; a file adds its own size at most. */
enum { TICKS = 24, ITEMS = 1024, REPLAY_MOST = 1 << 19 };

int LLVMFuzzerInitialize(int *argc, char ***argv);

static unsigned char golden[1 << 16], window[ES_RECORD_SIZE_MAX], memory[GAME_MEMORY];
static size_t golden_size;
static size_t index_bytes[4096], index_size; /* where bytes of indices and the end are */

static game straight[TICKS + 1]; /* the states as they were */
static size_t golden_at[ITEMS];  /* where each record begins, by its number */
static size_t allocated_most;    /* in one piece, since it was set to 0 */

/* Of the sanitizer, if there is one. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
        void (*on_free)(const volatile void *)) __attribute__((weak));

static void note_malloc(const volatile void *at, size_t size)
{
    allocated_most = at != NULL && size > allocated_most ? size : allocated_most;
}

static void note_free(const volatile void *at)
{
    (void)at;
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
    require(game_record_states(&record, &config, memory, sizeof memory, TICKS, straight) == ES_OK);
    golden_size = sink.used;
    if (__sanitizer_install_malloc_and_free_hooks != NULL) {
        (void)__sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
    }
    for (size_t at = 16, size, number = 0; at < golden_size; at += 20 + size) {
        require(number < ITEMS);
        golden_at[number++] = at;
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

/* Reads some of the records again, by their places, from the last on. */
static void read_again(es__reader *reader, const es_replay_item *items, size_t count)
{
    for (size_t i = count; i > 0; i -= i < 9 ? i : 9) {
        es_replay_item again;
        const es_replay_item *item = &items[i - 1];
        if (item->offset < 16) {
            continue; /* a place within the file's head stands for the begin */
        }
        es__reader_go(reader, (es__reader_place){item->offset, item->sequence});
        require(es__reader_next(reader, &again) == ES_OK && again.kind == item->kind);
        require(again.sequence == item->sequence && again.offset == item->offset);
        require(again.length == item->length && again.total == item->total);
        require(game_same_step(&again.step, &item->step) && again.count == item->count);
    }
}

static void read_all(
        const es_stream *source, const unsigned char *bytes, size_t size, bool authentic)
{
    static es_replay_item items[ITEMS];
    es__reader reader;
    es_replay_item item;
    es__reader_summary sum, outline;
    uint64_t at = 0, steps = 0, frames = 0, damages = 0;
    size_t count = 0;
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
            break;
        }
        require(result == ES_ERR_DAMAGED || item.size <= item.length);
        require((result == ES_ERR_DAMAGED) == (item.damage != ES_DAMAGE_NONE));
        damages += result != ES_OK;
        if (result == ES_OK) {
            require(count == 0 || item.sequence > items[(count - 1) % ITEMS].sequence);
            const unsigned char *same = golden + golden_at[item.sequence % ITEMS];
            require(!authentic || item.sequence < ITEMS);
            require(!authentic || memcmp(bytes + item.offset, same, (size_t)item.length) == 0);
            steps += item.kind == ES_RECORD_STEP;
            frames += item.kind == ES_RECORD_FRAME;
            items[count++ % ITEMS] = item;
        }
    }
    read_again(&reader, items, count < ITEMS ? count : ITEMS);
    require(es__reader_summarize(&reader, &sum) == ES_OK);
    require(sum.records == count && sum.steps == steps && sum.frames == frames);
    require(sum.damages == damages && sum.bytes == size);
    require(es__reader_outline(&reader, &outline) == ES_OK && outline.bytes == size);
    if (authentic && damages == 0 && sum.ended) { /* then the end says what there is */
        require(sum.end.steps == steps && sum.end.frames == frames && outline.steps == steps);
        require(steps == TICKS && outline.last_tick == TICKS);
    }
}

/* By the public calls: each tick is the next one, as it was recorded, until the recording ends or
 * an error says why not. */
static void replay_all(const es_stream *source, size_t size, bool authentic, int64_t to)
{
    es_record_config config = {.layout = &game_layout, .stream = *source};
    const void *input;
    es_step step;
    size_t input_size;
    game g;
    memset(&g, 0, sizeof g);
    allocated_most = 0;
    es_replay *replay = es_replay_open(NULL, &config, &g);
    require(allocated_most <= size + REPLAY_MOST);
    if (replay == NULL) {
        require(strlen(es_get_error()) > 0);
        return;
    }
    for (int turn = 0; turn < 2; ++turn) {
        int64_t tick = es_replay_get_status(replay).tick;
        while (es_replay_next(replay, &step, &input, &input_size)) {
            unsigned char meant[4] = {0};
            es_step meant_step = game_step(++tick);
            require(step.index == tick);
            game_update(&g, &step, input, input_size);
            bool same = es_replay_check(replay, &g);
            if (authentic) {
                require(same && tick <= TICKS && game_same_step(&step, &meant_step));
                require(input_size == game_input(tick, meant));
                require(memcmp(input, meant, input_size) == 0);
                require(es_state_hash(&game_layout, &g)
                        == es_state_hash(&game_layout, &straight[tick]));
            }
        }
        es_replay_status status = es_replay_get_status(replay);
        require(status.result == ES_ERR_STATE || status.result == ES_ERR_DAMAGED
                || (!authentic && status.result == ES_ERR_SPACE));
        require(!authentic || status.result != ES_ERR_STATE || !status.ended || tick == TICKS);
        if (turn > 0 || !es_replay_seek(replay, to, &g)) { /* the same from another tick on */
            break;
        }
        require(es_replay_get_status(replay).tick <= to);
    }
    es_replay_close(replay);
}

static void play_all(const es_stream *source, const uint8_t *choices)
{
    static es__playback play;
    es__error error;
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
    for (int i = 0; i < 300 && es__playback_frame(&play, &report) == ES_OK; ++i) {
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
    bool authentic = data[0] % 4 == 1;
    read_all(&source, bytes, made, authentic);
    replay_all(&source, made, authentic, data[3] % 32);
    play_all(&source, data + 1);
    free(bytes);
    return 0;
}
