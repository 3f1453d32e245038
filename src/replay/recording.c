/* SPDX-License-Identifier: Zlib
 *
 * The public functions of a recording: memory, the file, the queue, and the texts of errors.
 */
#include "difference_parts.h"
#include "platform/platform.h"
#include "playback_parts.h"
#include "ring_parts.h"

/* A record while another one waits, and the memory that a queue takes beside its bytes. */
enum { BATCH_SIZE = 2 * 65536 + 32, QUEUE_MIN = 2 * 65536 };

struct es_record {
    es__record core;
    es__tape_writer tape;
    es__raw raw;
    es__file file;
    es_stream stream; /* the file or the program's own */
    es__ring ring;
    bool has_queue;
    unsigned char batch[BATCH_SIZE];
    unsigned char queue[]; /* queue_size and ES__RING_OVERHEAD */
};

/* True for ES_OK. Else sets es_get_error: to what the file says, if that has failed. */
static bool record_wrote(const es_record *record, es_result result, const char *function)
{
    if (result != ES_OK) {
        const char *reason = result == ES_ERR_IO ? es__file_reason(&record->file) : NULL;
        (void)es__fail(result, function, &(es__error){NULL, reason});
    }
    return result == ES_OK;
}

/* With a queue the file belongs to the thread of es_record_pump. */
static bool record_ok(const es_record *record, es_result result, const char *function)
{
    if (result != ES_OK && record->has_queue) {
        (void)es__fail(result, function, NULL);
        return false;
    }
    return record_wrote(record, result, function);
}

/* --- creation ----------------------------------------------------------------------------------- */

/* False: *error and *result say why. */
static bool record_open(es_record *record, const char *path, const es_record_config *config,
        es__error *error, es_result *result)
{
    es__record_config core = {.layout = es__raw_layout(&record->raw, config),
            .stream = config->stream,
            .tick_rate = config->tick_rate,
            .seed = config->seed,
            .tags = config->tags,
            .hashes = config->hashes,
            .hash_every = config->hash_every,
            .snapshot_every = config->snapshot_every};
    record->stream = config->stream;
    if (path != NULL) {
        record->stream = (es_stream){.user = &record->file, .write = es__file_write};
    }
    core.stream = record->stream;
    record->has_queue = config->queue_size > 0;
    if (record->has_queue) {
        es__ring_init(&record->ring, record->queue, config->queue_size + ES__RING_OVERHEAD);
        core.stream = es__ring_sink(&record->ring);
    }
    *result = es__record_check(&core, error); /* a refused configuration leaves no file behind */
    if (*result == ES_OK && path != NULL && !es__file_open(&record->file, path, true)) {
        *error = (es__error){"path", es__file_reason(&record->file)};
        *result = ES_ERR_IO;
    }
    if (*result == ES_OK) {
        *result = es__record_init(&record->core, &core, record->batch, sizeof record->batch, error);
    }
    return *result == ES_OK;
}

es_record *es_record_create(
        const char *path, const es_record_config *config, const void *initial_state)
{
    es__error error = {NULL, NULL};
    es_result result = ES_ERR_INVALID;
    if (config == NULL || initial_state == NULL) {
        error = (es__error){config == NULL ? "config" : "initial_state", "is NULL"};
    } else if (path == NULL && config->stream.write == NULL) {
        error = (es__error){"stream", "has no function write, and path is NULL"};
    } else if (config->queue_size > SIZE_MAX / 4
               || (config->queue_size > 0 && config->queue_size < QUEUE_MIN)) {
        error = (es__error){"queue_size", "is neither 0 nor at least 128 kB"};
    } else if (config->start_tick == INT64_MAX) {
        error = (es__error){"start_tick", "has no next tick"};
    }
    if (error.field != NULL) {
        (void)es__fail(result, "es_record_config", &error);
        return NULL;
    }
    size_t queue = config->queue_size > 0 ? config->queue_size + ES__RING_OVERHEAD : 0;
    es_record *record = es__allocate(sizeof *record + queue);
    if (record == NULL) {
        return NULL;
    }
    if (record_open(record, path, config, &error, &result)) {
        int64_t tick = config->start_tick;
        int64_t time_ns =
                es__rate_is_valid(config->tick_rate) ? es_rate_time_ns(config->tick_rate, tick) : 0;
        result = es__record_start(&record->core, tick, time_ns, initial_state);
        error = (es__error){"stream", es__file_reason(&record->file)};
    }
    if (result != ES_OK) {
        (void)es__fail(result, "es_record_config", &error);
        es__file_close(&record->file);
        es__free(record);
        return NULL;
    }
    return record;
}

/* --- a run -------------------------------------------------------------------------------------- */

bool es_record_input(es_record *record, const es_step *step, const void *input, size_t size)
{
    return record != NULL
           && record_ok(record, es__record_step(&record->core, step, input, size), __func__);
}

bool es_record_state(es_record *record, const es_step *step, const void *state)
{
    return record != NULL
           && record_ok(record, es__record_tick(&record->core, step, state), __func__);
}

bool es_record_frame(es_record *record, const es_report *report)
{
    return record != NULL && record_ok(record, es__record_frame(&record->core, report), __func__);
}

bool es_record_event(es_record *record, uint32_t kind, const void *bytes, size_t size)
{
    return record != NULL
           && record_ok(record, es__record_event(&record->core, kind, bytes, size), __func__);
}

bool es_record_flush(es_record *record)
{
    return record != NULL && record_ok(record, es__record_flush(&record->core), __func__);
}

es_clock es_record_clock(es_record *record, const es_clock *clock)
{
    record->tape = (es__tape_writer){.record = &record->core};
    if (clock != NULL) {
        record->tape.clock = *clock;
    } else if (!es_clock_system(&record->tape.clock)) {
        return (es_clock){0};
    }
    return es__tape_writer_clock(&record->tape);
}

bool es_record_pump(es_record *record)
{
    size_t moved = 0;
    return record != NULL && record->has_queue
           && record_wrote(record, es__ring_pump(&record->ring, &record->stream, &moved), __func__)
           && moved > 0;
}

/* --- the end ------------------------------------------------------------------------------------ */

es_record_status es_record_get_status(const es_record *record)
{
    if (record == NULL) {
        return (es_record_status){0};
    }
    es__record_counts counts = es__record_counts_get(&record->core);
    (void)record_ok(record, counts.failed, "es_record");
    return (es_record_status){.result = counts.failed,
            .bytes = counts.bytes,
            .steps = counts.steps,
            .frames = counts.frames,
            .ticks_lost = counts.ticks_lost};
}

es_record_status es_record_destroy(es_record *record)
{
    if (record == NULL) {
        return (es_record_status){0};
    }
    es_result result = ES_ERR_FULL;
    do { /* the queue may have no room for the end */
        (void)es_record_pump(record);
        result = es__record_end(&record->core);
    } while (result == ES_ERR_FULL && es_record_pump(record));
    if (record->has_queue && result == ES_OK) {
        result = es__ring_pump(&record->ring, &record->stream, NULL);
    }
    es__file_close(&record->file);
    es_record_status status = es_record_get_status(record);
    result = result == ES_OK && record->file.failed != 0 ? ES_ERR_IO : result;
    status.result = status.result == ES_OK ? result : status.result;
    (void)record_wrote(record, status.result, __func__);
    es__free(record);
    return status;
}
