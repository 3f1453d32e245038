/* SPDX-License-Identifier: Zlib
 *
 * The same bytes from every compiler, optimisation level and machine: records a short run and
 * compares it with the one in tests/data, byte for byte; then plays that one and compares hashes.
 * C17 only, no framework. tests/golden.sh and scripts/cross build it, too.
 *
 *   golden_record FILE            exits 1 where a byte differs
 *   golden_record FILE --play     plays it only: one of an older version
 *   golden_record FILE --write    writes it anew, where the format was changed on purpose
 *
 * The hash of the C library's functions differs between libraries: it is left out.
 */
#include <inttypes.h>

#include "record_game.h"

enum { TICKS = 25 };

static unsigned char batch[GAME_MEMORY], made[1 << 16], expected[1 << 16];

/* The version of the library is in the first 6 bytes of a run's 72, the hash in its last 8: of the
 * run itself, and of its copies, behind the 4 bytes that say what they are copies of. */
static void leave_out(unsigned char *bytes, size_t size)
{
    for (size_t at = 16; at < size; at += 20 + (size_t)record_u32(bytes + at + 4)) {
        unsigned char *run = bytes + at + 16;
        if (bytes[at + 2] == ES_RECORD_COPY && record_u32(run) == ES_RECORD_RUN) {
            run += 4;
        } else if (bytes[at + 2] != ES_RECORD_RUN) {
            continue;
        }
        memset(run, 0, 6);
        memset(run + 64, 0, 8);
        record_seal(bytes + at);
    }
}

static int play(size_t size)
{
    static es__playback playback;
    game g;
    memory_source memory = {expected, size};
    es__playback_config config = game_playback(memory_source_get(&memory));
    es__error error;
    if (es__playback_open(&playback, &config, batch, &error) != ES_OK
            || es__playback_start(&playback, &g) != ES_OK
            || play_run(&playback, &g, INT64_MAX, false) != ES_OK
            || play_seek(&playback, TICKS - 8, &g) != ES_OK
            || play_run(&playback, &g, INT64_MAX, false) != ES_OK || playback.tick != TICKS
            || !playback.fit.arithmetic) {
        const es__divergence *d = &playback.divergence;
        printf("golden_record: does not play: tick %" PRId64 "\n", d->tick);
        return 1;
    }
    printf("total          %016" PRIx64 "\n", es_state_hash(&game_layout, &g));
    return 0;
}

int main(int argc, char **argv)
{
    static es__record record;
    memory_sink sink = {made, sizeof made, 0};
    es__record_config config = game_config(memory_sink_get(&sink));
    if (argc < 2) {
        return 2;
    }
    if (game_record(&record, &config, batch, sizeof batch, TICKS) != ES_OK) {
        return 1;
    }
    size_t size = sink.used;
    leave_out(made, size);
    if (argc > 2 && strcmp(argv[2], "--write") == 0) {
        return record_write_file(argv[1], made, size) ? 0 : 2;
    }
    size_t size_expected = record_read_file(argv[1], expected, sizeof expected);
    if (argc > 2) {
        return play(size_expected);
    }
    size_t at = 0;
    while (at < size && at < size_expected && made[at] == expected[at]) {
        at += 1;
    }
    if (size != size_expected || at != size) {
        printf("golden_record: %zu bytes, expected %zu; they differ from byte %zu on\n", size,
                size_expected, at);
        return 1;
    }
    return play(size);
}
