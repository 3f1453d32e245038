/* SPDX-License-Identifier: Zlib
 *
 * Two threads and a ring: one writes numbered words as fast as it can, the other takes them out and
 * checks each. Then a recording goes through a ring into memory, and is read. Exits 1 on the first
 * fault. Under the thread sanitizer: scripts/stress.
 *
 *   ring_stress [WORDS]
 */
#if defined(__linux__)
#define _GNU_SOURCE /* pthread_setaffinity_np */
#endif
#include "evenstep/replay.h"

#include "replay/read.h"
#include "replay/record.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "record_game.h"
#include "two_cores.h"

static es__ring ring;
static unsigned char memory[ES__RING_OVERHEAD + 80000];
static atomic_bool done;
static _Atomic uint64_t pumped; /* bytes */
static uint64_t words;

_Noreturn static void fault(const char *what, uint64_t at)
{
    printf("FAULT: %s at %llu\n", what, (unsigned long long)at);
    exit(1);
}

/* --- words --- */

static uint64_t taken;
static unsigned char part[8];
static size_t part_used;

static es_result check_words(void *user, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    (void)user;
    for (size_t i = 0; i < size; ++i) {
        part[part_used++] = at[i];
        if (part_used == 8) {
            uint64_t word;
            memcpy(&word, part, 8);
            if (word != taken * UINT64_C(0x9E3779B97F4A7C15)) {
                fault("another word than the next", taken);
            }
            taken += 1;
            part_used = 0;
        }
    }
    return ES_OK;
}

/* Until all is written. user: the sink. */
static void *empty_ring(void *user)
{
    size_t moved;
    two_cores_take(1);
    for (;;) {
        bool last = atomic_load(&done);
        if (es__ring_pump(&ring, user, &moved) != ES_OK) {
            fault("the pump failed", taken);
        }
        if (last && moved == 0) {
            return NULL;
        }
        atomic_fetch_add(&pumped, moved);
        if (moved == 0) {
            let_the_other();
        }
    }
}

/* In blocks of one to nine words, which never fit the ring's size evenly. */
static void words_come_in_order(size_t size)
{
    pthread_t thread;
    es_stream in, out = {.write = check_words};
    uint64_t block[9];
    taken = part_used = 0;
    atomic_store(&done, false);
    es__ring_init(&ring, memory, ES__RING_OVERHEAD + size);
    if (pthread_create(&thread, NULL, empty_ring, &out) != 0) {
        fault("no thread", size);
    }
    in = es__ring_sink(&ring);
    for (uint64_t next = 0; next < words;) {
        uint64_t count = 1 + next % 9;
        for (uint64_t i = 0; i < count; ++i) {
            block[i] = (next + i) * UINT64_C(0x9E3779B97F4A7C15);
        }
        es_result result = in.write(in.user, block, count * 8);
        if (result == ES_OK) {
            next += count;
        } else if (result == ES_ERR_FULL) {
            let_the_other();
        } else {
            fault("the ring refused", next);
        }
    }
    atomic_store(&done, true);
    pthread_join(thread, NULL);
    if (taken < words || part_used != 0) {
        fault("words are missing", taken);
    }
}

/* --- a recording --- */

static unsigned char batch[GAME_MEMORY], file[16 << 20];
static memory_sink file_sink = {file, sizeof file, 0};

/* paced: the game waits for the other thread, and no tick is lost. */
static void a_recording_comes_whole(bool paced)
{
    static es__record record;
    static unsigned char window[ES_RECORD_SIZE_MAX];
    pthread_t thread;
    es_stream sink = memory_sink_get(&file_sink);
    game g;
    file_sink.used = 0;
    atomic_store(&pumped, 0);
    atomic_store(&done, false);
    es__ring_init(&ring, memory, sizeof memory);
    es__record_config config = game_config(es__ring_sink(&ring));
    if (game_start(&record, &config, batch, ES__RECORD_MEMORY_MIN, &g) != ES_OK
            || pthread_create(&thread, NULL, empty_ring, &sink) != 0) {
        fault("no recording, or no thread", 0);
    }
    uint64_t ticks = words / 100 < 30000 ? words / 100 : 30000;
    for (uint64_t tick = 1; tick <= ticks; ++tick) {
        game_record_tick(&record, &g, (int64_t)tick);
        uint64_t written = es__record_counts_get(&record).bytes;
        while (paced && written - atomic_load(&pumped) > 10000) {
            let_the_other(); /* a game at its own pace */
        }
    }
    es_result result;
    while ((result = es__record_end(&record)) == ES_ERR_FULL
            && es__record_counts_get(&record).failed == ES_OK) {
        let_the_other();
    }
    atomic_store(&done, true);
    pthread_join(thread, NULL);
    es__record_counts counts = es__record_counts_get(&record);
    memory_source bytes = {file, file_sink.used};
    es_stream source = memory_source_get(&bytes);
    es__reader reader;
    es__reader_summary s;
    if (result != ES_OK || es__reader_open(&reader, &source, window, sizeof window, NULL) != ES_OK
            || es__reader_summarize(&reader, &s) != ES_OK || s.damages != 0 || !s.ended) {
        fault("the recording is damaged", (uint64_t)-result);
    }
    if (s.steps + counts.ticks_lost < ticks || s.steps + counts.ticks_lost > ticks + counts.gaps
            || s.end.ticks_lost != counts.ticks_lost) {
        fault("lost ticks are not counted", s.steps);
    }
    printf("ring: %llu ticks recorded, %llu lost in %llu gaps, as the recording says\n",
            (unsigned long long)s.steps, (unsigned long long)counts.ticks_lost,
            (unsigned long long)counts.gaps);
}

int main(int argc, char **argv)
{
    two_cores_find();
    two_cores_take(0);
    words = argc > 1 ? strtoull(argv[1], NULL, 10) : 3000000;
    words_come_in_order(1000);
    words_come_in_order(72);
    words_come_in_order(79999);
    printf("ring: %llu words through each of three rings, in order\n", (unsigned long long)words);
    a_recording_comes_whole(true);
    a_recording_comes_whole(false);
    return 0;
}
