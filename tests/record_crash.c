/* SPDX-License-Identifier: Zlib
 *
 * A program that is killed while it records, for tests/record_crash.sh:
 *
 *   record_crash kill FILE TIMES   TIMES times: records in a process of its own, kills that
 *                                  (SIGKILL) at any moment, and reads the file. The process says
 *                                  how far it is in shared memory, and nothing that it had written
 *                                  may be missing
 *   record_crash write FILE        records until the file cannot grow: then it exits 3
 *   record_crash read FILE TICK    reads what is there: every tick up to TICK at least, all of them
 *                                  played to the recorded hashes
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "platform/platform.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record_game.h"

enum { FLUSH_EVERY = 7, PIECE = 13, TICKS_MAX = 8000 };

static unsigned char memory[GAME_MEMORY];

/* What the process that is killed reports. */
typedef struct progress {
    _Atomic(int64_t) begun;   /* the tick that it is at */
    _Atomic(int64_t) flushed; /* every record up to this tick's was flushed; -1: not started */
    _Atomic(uint64_t) bytes;  /* that write() has taken */
} progress;

static progress *shared, alone; /* alone: if no other process reads it */

/* In small pieces, so that the file can end at any byte of a record when the program is killed. */
static es_result write_pieces(void *user, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t done = 0; done < size; done += PIECE) {
        size_t some = size - done < PIECE ? size - done : PIECE;
        es_result result = es__file_write(user, at + done, some);
        if (result != ES_OK) {
            return result;
        }
        atomic_fetch_add(&shared->bytes, some);
    }
    return ES_OK;
}

static int write_until_killed(const char *path)
{
    static es__record record;
    es__file file;
    game g;
    if (!es__file_open(&file, path, true)) {
        return 2;
    }
    es__record_config config = game_config((es_stream){.user = &file, .write = write_pieces});
    config.flush_every = FLUSH_EVERY;
    if (game_start(&record, &config, memory, sizeof memory, &g) != ES_OK) {
        return 2;
    }
    atomic_store(&shared->flushed, 0);
    for (int64_t tick = 1; tick <= TICKS_MAX; ++tick) {
        uint64_t before = es__record_counts_get(&record).bytes;
        atomic_store(&shared->begun, tick);
        game_record_tick(&record, &g, tick);
        es__record_counts counts = es__record_counts_get(&record);
        if (counts.failed != ES_OK) {
            return counts.failed == ES_ERR_IO && file.failed != 0 ? 3 : 2;
        }
        if (counts.bytes != before) { /* the batch went out with this tick's hashes */
            atomic_store(&shared->flushed, tick);
        }
    }
    return 0;
}

static int read_all(const char *path, int64_t least)
{
    static es__playback play;
    es__file file;
    es__error error;
    game g;
    if (!es__file_open(&file, path, false)) {
        return 2;
    }
    es__playback_config config = game_playback((es_stream){.user = &file, .read = es__file_read});
    es_result result = es__playback_open(&play, &config, memory, &error);
    if (result != ES_OK) {
        printf("%s: %s %s\n", es__result_message(result), error.field, error.reason);
        return 1;
    }
    es__reader_summary s = play.summary;
    printf("%" PRIu64 " records, %" PRId64 " ticks, %" PRIu64 " of %" PRIu64 " bytes: %s\n",
            s.records, s.last_tick, s.bytes_good, s.bytes, es_damage_name(s.first_damage.damage));
    bool readable = s.damages == 0 || (s.damages == 1 && s.first_damage.damage == ES_DAMAGE_CUT);
    if (!readable || s.ended || s.last_tick < least) {
        return 1;
    }
    if (es__playback_start(&play, &g) != ES_OK) {
        return 1;
    }
    result = play_run(&play, &g, INT64_MAX, false);
    bool played = result == ES_OK || (result == ES_ERR_DAMAGED && s.damages == 1);
    es__file_close(&file);
    return played && play.tick == s.last_tick ? 0 : 1;
}

/* --- killed at any moment --- */

/* What all of it would be: every file has to begin as this does. */
static unsigned char expected[4 << 20];
static size_t expected_size;

static bool make_expected(void)
{
    static es__record record;
    memory_sink sink = {expected, sizeof expected, 0};
    es__record_config config = game_config(memory_sink_get(&sink));
    config.flush_every = FLUSH_EVERY;
    if (game_record(&record, &config, memory, sizeof memory, TICKS_MAX) != ES_OK) {
        return false;
    }
    expected_size = sink.used;
    return true;
}

static bool begins_as_expected(const char *path, uint64_t *bytes)
{
    static unsigned char found[sizeof expected];
    *bytes = record_read_file(path, found, sizeof found);
    return *bytes <= expected_size && memcmp(found, expected, (size_t)*bytes) == 0;
}

/* The last tick whose hashes are whole in this many bytes of the expected file. */
static int64_t last_whole_tick(uint64_t bytes)
{
    int64_t tick = 0;
    for (size_t at = 16; at + 16 < bytes; at += 20 + (size_t)record_u32(expected + at + 4)) {
        bool whole = at + 20 + record_u32(expected + at + 4) <= bytes;
        if (whole && expected[at + 2] == ES_RECORD_HASH) {
            tick = (int64_t)record_u32(expected + at + 16); /* its lower half */
        }
    }
    return tick;
}

/* What the process reported before the kill, compared with the file. */
static bool is_all_there(const char *path)
{
    int64_t begun = atomic_load(&shared->begun), flushed = atomic_load(&shared->flushed);
    uint64_t written = atomic_load(&shared->bytes), bytes = 0;
    if (!begins_as_expected(path, &bytes)) {
        printf("other bytes than were written, from before byte %" PRIu64 " on\n", bytes);
        return false;
    }
    int64_t last = last_whole_tick(bytes);
    printf("at tick %" PRId64 ", %" PRId64 " flushed, %" PRId64 " whole; %" PRIu64
           " bytes written, %" PRIu64 " there\n",
            begun, flushed, last, written, bytes);
    return bytes >= written && bytes <= written + PIECE /* the piece that it was at */
           && last >= flushed && last <= begun && begun - flushed <= FLUSH_EVERY;
}

static bool kill_once(const char *path, long wait_ns)
{
    (void)unlink(path);
    atomic_store(&shared->begun, 0);
    atomic_store(&shared->flushed, -1);
    atomic_store(&shared->bytes, 0);
    pid_t child = fork();
    if (child == 0) {
        _exit(write_until_killed(path) == 0 ? 0 : 1);
    }
    struct timespec some = {0, 100000}, rest = {0, wait_ns};
    while (child > 0 && atomic_load(&shared->flushed) < 0 && waitpid(child, NULL, WNOHANG) == 0) {
        (void)nanosleep(&some, NULL);
    }
    (void)nanosleep(&rest, NULL);
    if (child <= 0 || kill(child, SIGKILL) != 0 || waitpid(child, NULL, 0) != child) {
        printf("no process to kill\n");
        return false;
    }
    return is_all_there(path) && read_all(path, atomic_load(&shared->flushed)) == 0;
}

static int kill_often(const char *path, int times)
{
    uint64_t random = 1;
    int failed = 0;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || !make_expected()) {
        return 2;
    }
    for (int i = 0; i < times; ++i) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        failed += !kill_once(path, (long)(random >> 33) % 12000000);
        fflush(stdout);
    }
    return failed == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    shared = &alone;
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        return write_until_killed(argv[2]);
    }
    if (argc == 4 && strcmp(argv[1], "read") == 0) {
        return read_all(argv[2], strtoll(argv[3], NULL, 10));
    }
    if (argc == 4 && strcmp(argv[1], "kill") == 0) {
        return kill_often(argv[2], atoi(argv[3]));
    }
    return 2;
}
