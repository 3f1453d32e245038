/* SPDX-License-Identifier: Zlib
 *
 * A program that is killed while it records, for tests/record_crash.sh:
 *
 *   record_crash write FILE        records and says "tick N" after every flush, until it is killed;
 *                                  exits 3 where the file cannot grow
 *   record_crash read FILE TICK    reads what is there: every tick up to TICK at least, all of them
 *                                  played to the recorded hashes
 */
#include "adapters/record_file.h"
#include "evenstep/playback.h"

#include <inttypes.h>
#include <stdio.h>

#include "record_game.h"

static unsigned char memory[GAME_MEMORY];

/* In small pieces, so that the file can end at any byte of a record when the program is killed. */
static es_result write_pieces(void *user, const void *bytes, size_t size)
{
    es_sink sink = es_record_file_sink(user);
    const unsigned char *at = bytes;
    for (size_t done = 0; done < size; done += 13) {
        es_result result = sink.write(sink.user, at + done, size - done < 13 ? size - done : 13);
        if (result != ES_OK) {
            return result;
        }
    }
    return ES_OK;
}

static int write_until_killed(const char *path)
{
    static es_record record;
    es_record_file file;
    game g;
    if (es_record_file_create(&file, path) != ES_OK) {
        return 2;
    }
    es_sink sink = es_record_file_sink(&file);
    sink.write = write_pieces;
    es_record_config config = game_config(sink);
    config.flush_every = 7;
    game_init(&g, 99);
    if (es_record_init(&record, &config, memory, sizeof memory, NULL) != ES_OK
            || es_record_start(&record, 0, 0, &g) != ES_OK) {
        return 2;
    }
    for (int64_t tick = 1; tick < 100000000; ++tick) {
        uint64_t before = es_record_counts_get(&record).bytes;
        game_record_tick(&record, &g, tick);
        es_record_counts counts = es_record_counts_get(&record);
        if (counts.failed != ES_OK) {
            return counts.failed == ES_ERR_IO && file.failed != 0 ? 3 : 2;
        }
        if (counts.bytes != before && counts.held == 0) {
            printf("tick %" PRId64 "\n", tick);
            fflush(stdout);
        }
    }
    return 0;
}

static int read_all(const char *path, int64_t least)
{
    static es_playback play;
    es_record_file file;
    es_error error;
    game g;
    if (es_record_file_open(&file, path) != ES_OK) {
        return 2;
    }
    es_playback_config config = game_playback(es_record_file_source(&file));
    es_result result = es_playback_open(&play, &config, memory, sizeof memory, &error);
    if (result != ES_OK) {
        printf("%s: %s %s\n", es_result_name(result), error.field, error.reason);
        return 1;
    }
    es_reader_summary s = es_playback_summary(&play);
    printf("%" PRIu64 " records, %" PRId64 " ticks, %" PRIu64 " of %" PRIu64 " bytes: %s\n",
            s.records, s.last_tick, s.bytes_good, s.bytes, es_damage_name(s.first_damage.damage));
    bool readable = s.damages == 0 || (s.damages == 1 && s.first_damage.damage == ES_DAMAGE_CUT);
    if (!readable || s.ended || s.last_tick < least) {
        return 1;
    }
    if (es_playback_start(&play, &g) != ES_OK) {
        return 1;
    }
    result = es_playback_run(&play, &g, INT64_MAX, false);
    bool played = result == ES_OK || (result == ES_ERR_DAMAGED && s.damages == 1);
    (void)es_record_file_close(&file);
    return played && es_playback_tick(&play) == s.last_tick ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        return write_until_killed(argv[2]);
    }
    if (argc == 4 && strcmp(argv[1], "read") == 0) {
        return read_all(argv[2], strtoll(argv[3], NULL, 10));
    }
    return 2;
}
