/* SPDX-License-Identifier: Zlib
 *
 * A clock that records its answers, and one that gives the recorded ones.
 */
#include "play.h"
#include "record.h"

/* --- writing -------------------------------------------------------------------------------- */

static uint32_t has(const es_clock *clock)
{
    return (clock->wait_until != NULL ? ES__CLOCK_HAS_WAIT : 0U)
           + (clock->suspended_ns != NULL ? ES__CLOCK_HAS_SUSPENDED : 0U)
           + (clock->thread_cpu_ns != NULL ? ES__CLOCK_HAS_CPU : 0U)
           + (clock->thread_cpu_is_coarse ? ES__CLOCK_CPU_IS_COARSE : 0U);
}

/* Before the first reading the recording need not be initialised. */
static es_result write_clock(es__tape_writer *writer)
{
    es_result result =
            writer->clock_written ? ES_OK : es__record_clock(writer->record, has(&writer->clock));
    writer->clock_written = true;
    return result;
}

static int64_t write_down(es__tape_writer *writer, es__reading_kind kind, int64_t value_ns)
{
    es_result result = write_clock(writer);
    if (result == ES_OK) {
        result = es__record_reading(writer->record, kind, value_ns);
    }
    writer->result = writer->result == ES_OK ? result : writer->result;
    return value_ns;
}

static int64_t written_now(void *user)
{
    es__tape_writer *writer = user;
    return write_down(writer, ES__READING_NOW, writer->clock.now_ns(writer->clock.user));
}

static int64_t written_suspended(void *user)
{
    es__tape_writer *writer = user;
    return write_down(
            writer, ES__READING_SUSPENDED, writer->clock.suspended_ns(writer->clock.user));
}

static int64_t written_cpu(void *user)
{
    es__tape_writer *writer = user;
    return write_down(writer, ES__READING_CPU, writer->clock.thread_cpu_ns(writer->clock.user));
}

static void written_wait(void *user, int64_t deadline_ns)
{
    es__tape_writer *writer = user;
    writer->clock.wait_until(writer->clock.user, deadline_ns);
}

int64_t es__tape_write_value(es__tape_writer *writer, int64_t value)
{
    return write_down(writer, ES__READING_VALUE, value);
}

es_clock es__tape_writer_clock(es__tape_writer *writer)
{
    const es_clock *clock = &writer->clock;
    writer->clock_written = false;
    return (es_clock){.now_ns = written_now,
            .wait_until = clock->wait_until != NULL ? written_wait : NULL,
            .suspended_ns = clock->suspended_ns != NULL ? written_suspended : NULL,
            .thread_cpu_ns = clock->thread_cpu_ns != NULL ? written_cpu : NULL,
            .user = writer,
            .description = clock->description,
            .thread_cpu_is_coarse = clock->thread_cpu_is_coarse};
}

/* --- playing -------------------------------------------------------------------------------- */

static bool peek(es__tape_player *player)
{
    if (!player->has_next && !player->ended) {
        player->has_next = es__playback_reading(player->play, &player->next_kind, &player->next_ns);
        player->ended = !player->has_next && player->play->failed == ES_OK;
    }
    return player->has_next;
}

/* Waits until as much time has passed since the first reading as had passed when recording. */
static void keep_pace(es__tape_player *player, int64_t value_ns)
{
    const es_clock *pace = &player->pace;
    if (pace->now_ns == NULL || pace->wait_until == NULL) {
        return;
    }
    if (!player->begun) {
        player->begun = true;
        player->first_ns = value_ns;
        player->pace_first_ns = pace->now_ns(pace->user);
    }
    int64_t passed_ns = es__ns_sub(value_ns, player->first_ns);
    pace->wait_until(pace->user, es__ns_add(player->pace_first_ns, passed_ns));
}

/* If another reading was recorded next, the answer is the last one of this kind. For the time it is
 * the next recorded time, or the clock would stand still for good. */
static int64_t played(es__tape_player *player, es__reading_kind kind)
{
    while (kind == ES__READING_NOW && peek(player) && player->next_kind != kind) {
        player->strays += 1;
        player->has_next = false;
    }
    if (peek(player)) {
        if (player->next_kind == kind) {
            player->last[kind] = player->next_ns;
            player->has_next = false;
            if (kind == ES__READING_NOW) {
                keep_pace(player, player->next_ns);
            }
        } else {
            player->strays += 1;
        }
    }
    return player->last[kind];
}

static int64_t played_now(void *user)
{
    return played(user, ES__READING_NOW);
}

static int64_t played_suspended(void *user)
{
    return played(user, ES__READING_SUSPENDED);
}

static int64_t played_cpu(void *user)
{
    return played(user, ES__READING_CPU);
}

/* The next reading shows how long the wait took. After the last one time advances with each wait,
 * or a program that waits would never end. */
static void played_wait(void *user, int64_t deadline_ns)
{
    es__tape_player *player = user;
    if (!peek(player) && deadline_ns > player->last[ES__READING_NOW]) {
        player->last[ES__READING_NOW] = deadline_ns;
        keep_pace(player, deadline_ns);
    }
}

int64_t es__tape_play_value(es__tape_player *player)
{
    return played(player, ES__READING_VALUE);
}

es_clock es__tape_player_clock(es__tape_player *player)
{
    uint32_t there = es__playback_clock_has(player->play);
    return (es_clock){.now_ns = played_now,
            .wait_until = (there & ES__CLOCK_HAS_WAIT) != 0 ? played_wait : NULL,
            .suspended_ns = (there & ES__CLOCK_HAS_SUSPENDED) != 0 ? played_suspended : NULL,
            .thread_cpu_ns = (there & ES__CLOCK_HAS_CPU) != 0 ? played_cpu : NULL,
            .user = player,
            .description = "a recording's",
            .thread_cpu_is_coarse = (there & ES__CLOCK_CPU_IS_COARSE) != 0};
}
