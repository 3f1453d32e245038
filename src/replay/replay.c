/* SPDX-License-Identifier: Zlib
 *
 * The public functions of recordings and replays: memory, files, and the texts of errors.
 */
#include "evenstep/replay.h"

#include "platform/platform.h"
#include "play.h"
#include "record.h"
#include "world/field.h"

/* A state without a layout: one field of bytes. */
typedef struct raw_state {
    es_field field;
    es_layout layout;
} raw_state;

/* The layout of a configuration: its own or that of its bytes. NULL: it has neither. */
static const es_layout *raw_layout(raw_state *raw, const es_record_config *config)
{
    if (config->layout != NULL || config->state_size == 0) {
        return config->layout;
    }
    raw->field = (es_field){.name = "state",
            .type = ES_TYPE_U8,
            .blend = ES_BLEND_STEP,
            .count = config->state_size,
            .components = 1,
            .stride = 1};
    raw->layout = (es_layout){&raw->field, 1, config->state_size};
    return &raw->layout;
}

/* === recordings ================================================================================= */

/* A record while another one waits. */
enum { BATCH_SIZE = 2 * 65536 + 32 };

struct es_record {
    es__record core;
    es__tape_writer tape;
    raw_state raw;
    es__file file;
    unsigned char batch[BATCH_SIZE];
};

/* True for ES_OK. Else sets es_get_error: to what the file says, if that has failed. */
static bool record_ok(const es_record *record, es_result result, const char *function)
{
    const char *reason = result == ES_ERR_IO ? es__file_reason(&record->file) : NULL;
    return es__fail_if(result, function, &(es__error){NULL, reason});
}

/* --- creation ----------------------------------------------------------------------------------- */

static es_result check_config(
        const es_record_config *config, const char *path, const void *state, es__error *error)
{
    if (config == NULL) {
        return es__refuse(error, "config", "is NULL");
    }
    const es__rule rules[] = {
            {state == NULL, "initial_state", "is NULL"},
            {path == NULL && config->stream.write == NULL, "stream",
                    "has no function write, and path is NULL"},
            {config->start_tick == INT64_MAX, "start_tick", "has no next tick"},
    };
    return ES__REFUSE_BROKEN(error, rules);
}

static es_result record_open(es_record *record, const char *path, const es_record_config *config,
        const void *initial_state, es__error *error)
{
    int64_t tick = config->start_tick, time_ns = 0;
    es__record_config core = {.layout = raw_layout(&record->raw, config),
            .stream = config->stream,
            .tick_rate = config->tick_rate,
            .seed = config->seed,
            .tags = config->tags,
            .hashes = config->hashes,
            .hash_every = config->hash_every,
            .snapshot_every = config->snapshot_every};
    if (path != NULL) {
        core.stream = (es_stream){.user = &record->file, .write = es__file_write};
    }
    es_result result =
            es__record_check(&core, error); /* one that is refused leaves no file behind */
    if (result != ES_OK) {
        return result;
    }
    if (path != NULL && !es__file_open(&record->file, path, true)) {
        return es__refuse_as(error, ES_ERR_IO, "path", es__file_reason(&record->file));
    }
    result = es__record_init(&record->core, &core, record->batch, sizeof record->batch, error);
    if (result != ES_OK) {
        return result;
    }
    if (es__rate_is_valid(config->tick_rate)) {
        time_ns = es_rate_time_ns(config->tick_rate, tick);
    }
    result = es__record_start(&record->core, tick, time_ns, initial_state);
    return es__refuse_as(error, result, "stream", es__file_reason(&record->file));
}

es_record *es_record_create(
        const char *path, const es_record_config *config, const void *initial_state)
{
    es__error error = {NULL, NULL};
    es_record *record = NULL;
    es_result result = check_config(config, path, initial_state, &error);
    if (result == ES_OK) {
        record = es__allocate(sizeof *record);
        if (record == NULL) {
            return NULL;
        }
        result = record_open(record, path, config, initial_state, &error);
    }
    if (result == ES_OK) {
        return record;
    }
    (void)es__fail(result, "es_record_config", &error);
    if (record != NULL) { /* what it may have written cannot be played, and the path is free again */
        es__file_discard(&record->file, path);
        es__free(record);
    }
    return NULL;
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

int64_t es_record_value(void *record, int64_t value)
{
    es_record *to = record;
    if (to != NULL && to->tape.record == NULL) {
        to->tape = (es__tape_writer){.record = &to->core};
    }
    return to != NULL ? es__tape_write_value(&to->tape, value) : value;
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
    es_result result = es__record_end(&record->core);
    es__file_close(&record->file);
    es_record_status status = es_record_get_status(record);
    result = result == ES_OK && record->file.failed != 0 ? ES_ERR_IO : result;
    status.result = status.result == ES_OK ? result : status.result;
    (void)record_ok(record, status.result, __func__);
    es__free(record);
    return status;
}

/* === replays ==================================================================================== */

/* The least input_max: playback also keeps the name of a field that does not fit there. */
enum { INPUT_MIN = 256 };

struct es_replay {
    es__playback play;
    es__reader reader; /* of es_replay_next_item, with a window of its own */
    es__tape_player player;
    raw_state raw;
    es__file file;
    es_stream stream;
    es_result result; /* of the last call that returned false */
    void *memory;     /* the playback's; NULL: nothing can be played */
    unsigned char window[ES_RECORD_SIZE_MAX];
};

/* True for ES_OK. Else keeps the result and sets es_get_error. */
static bool replay_done(
        es_replay *replay, es_result result, const char *function, const es__error *error)
{
    es__error failed = {NULL, es__file_reason(&replay->file)};
    replay->result = result;
    return es__fail_if(result, function, result == ES_ERR_IO ? &failed : error);
}

/* --- opening ------------------------------------------------------------------------------------ */

static es_result replay_open_play(
        es_replay *replay, const es_layout *layout, void *state, es__error *error)
{
    es__reader_summary summary;
    es_result result = es__reader_outline(&replay->reader, &summary);
    if (result != ES_OK) {
        return result;
    }
    uint64_t most = summary.input_max > INPUT_MIN ? summary.input_max : INPUT_MIN;
    es__playback_config config = {.stream = replay->stream,
            .layout = layout,
            .input_max = (size_t)most,
            .summary = &summary};
    result = es__layout_validate(layout, error);
    if (result != ES_OK) {
        return result;
    }
    size_t size = most < SIZE_MAX ? es__playback_memory_size(&config) : 0;
    replay->memory = size > 0 ? es__allocate(size) : NULL;
    if (replay->memory == NULL) {
        return es__refuse_as(error, ES_ERR_SPACE, NULL, "out of memory");
    }
    result = es__playback_open(&replay->play, &config, replay->memory, error);
    replay->play.config.summary = NULL;
    if (result != ES_OK) {
        return result;
    }
    replay->result = es__playback_start(&replay->play, state);
    return replay->result == ES_ERR_DAMAGED ? ES_OK : replay->result;
}

es_replay *es_replay_open(const char *path, const es_record_config *config, void *state)
{
    es_replay *replay = es__allocate(sizeof *replay);
    const es_layout *layout = NULL;
    es__error error = {NULL, NULL};
    es_result result = ES_OK;
    if (replay == NULL) {
        return NULL;
    }
    if (config != NULL) {
        replay->stream = config->stream;
        layout = raw_layout(&replay->raw, config);
    }
    if (path != NULL) {
        replay->stream = (es_stream){.user = &replay->file, .read = es__file_read};
        result = es__file_open(&replay->file, path, false) ? ES_OK : ES_ERR_IO;
    }
    if (result == ES_OK && (layout == NULL) != (state == NULL)) {
        result = es__refuse(&error, state == NULL ? "state" : "layout", "is NULL");
    }
    if (result == ES_OK) {
        result = es__reader_open(
                &replay->reader, &replay->stream, replay->window, sizeof replay->window, &error);
    }
    if (result == ES_OK && layout != NULL) {
        result = replay_open_play(replay, layout, state, &error);
    }
    es_result damaged = replay->result; /* the start: es_replay_next says so, too */
    if (!replay_done(replay, result, __func__, &error)) {
        es_replay_close(replay);
        return NULL;
    }
    replay->result = damaged;
    return replay;
}

void es_replay_close(es_replay *replay)
{
    if (replay != NULL) {
        es__file_close(&replay->file);
        es__free(replay->memory);
        es__free(replay);
    }
}

/* --- ticks -------------------------------------------------------------------------------------- */

static bool can_play(const es_replay *replay)
{
    return replay != NULL && replay->memory != NULL;
}

bool es_replay_next(es_replay *replay, es_step *step, const void **input, size_t *size)
{
    if (!can_play(replay)) {
        return false;
    }
    es_result result = replay->play.loaded ? es__playback_next(&replay->play, step, input, size)
                                           : ES_ERR_DAMAGED; /* the start */
    if (result == ES_ERR_STATE) {                            /* the end is no error */
        replay->result = result;
        return false;
    }
    return replay_done(replay, result, __func__, NULL);
}

bool es_replay_seek(es_replay *replay, int64_t tick, void *state)
{
    if (!can_play(replay)) {
        return false;
    }
    es_result result = tick == INT64_MIN ? es__playback_start(&replay->play, state)
                                         : es__playback_seek(&replay->play, tick, state);
    if (result == ES_OK && tick == INT64_MIN) { /* the clock forgets what it has read ahead */
        replay->player = (es__tape_player){.play = &replay->play, .pace = replay->player.pace};
    }
    return replay_done(replay, result, __func__, NULL);
}

bool es_replay_get_difference(const es_replay *replay, es_difference *difference)
{
    const es__divergence *found = can_play(replay) ? &replay->play.divergence : NULL;
    if (found == NULL || !found->found) {
        return false;
    }
    *difference = es__difference_of(found->tick, found->located ? &found->difference : NULL);
    difference->value_tick = found->located_tick;
    difference->field = found->field != NULL ? found->field->name : NULL;
    if (found->field == NULL && found->level == ES_RECORD_HASH_GROUPS) {
        difference->group = found->group;
    }
    return true;
}

bool es_replay_check(es_replay *replay, const void *state)
{
    es_difference found;
    if (!can_play(replay) || es__playback_check(&replay->play, state)) {
        return true;
    }
    replay->result = ES_ERR_DIFFERS;
    if (es_replay_get_difference(replay, &found)) {
        es__difference_say(__func__, &found, "recorded was");
    }
    return false;
}

es_replay_status es_replay_get_status(const es_replay *replay)
{
    if (replay == NULL) {
        return (es_replay_status){0};
    }
    const es__playback *play = &replay->play;
    return (es_replay_status){.result = replay->result,
            .tick = play->tick,
            .last_tick = play->summary.last_tick,
            .resume_tick = play->resume.tick,
            .compared = play->compared,
            .ended = play->summary.ended,
            .same_arithmetic = play->fit.arithmetic,
            .same_library = play->fit.library,
            .strays = replay->player.strays};
}

/* --- frames and clock --------------------------------------------------------------------------- */

bool es_replay_next_frame(es_replay *replay, es_report *report)
{
    es_result result = can_play(replay) ? es__playback_frame(&replay->play, report) : ES_ERR_STATE;
    return result == ES_OK
           || (result != ES_ERR_STATE && replay_done(replay, result, __func__, NULL));
}

es_clock es_replay_clock(es_replay *replay, const es_clock *pace)
{
    replay->player = (es__tape_player){.play = &replay->play};
    if (pace != NULL) {
        replay->player.pace = *pace;
    }
    return es__tape_player_clock(&replay->player);
}

int64_t es_replay_value(void *replay, int64_t value)
{
    es_replay *from = replay;
    if (from != NULL && from->player.play == NULL) {
        from->player = (es__tape_player){.play = &from->play};
    }
    return from != NULL ? es__tape_play_value(&from->player) : value;
}

/* --- records ------------------------------------------------------------------------------------ */

void es_replay_seek_item(es_replay *replay, const es_replay_item *item)
{
    if (replay != NULL) {
        es__reader_go(&replay->reader, item != NULL
                                               ? (es__reader_place){item->offset, item->sequence}
                                               : (es__reader_place){0, 0});
    }
}

bool es_replay_next_item(es_replay *replay, es_replay_item *item)
{
    if (replay == NULL) {
        return false;
    }
    es_result result = es__reader_next(&replay->reader, item);
    if (result != ES_OK && result != ES_ERR_DAMAGED) {
        return replay_done(replay, result, __func__, NULL);
    }
    if (result == ES_OK && item->kind == ES_RECORD_NONE) {
        replay->result = ES_ERR_STATE;
        return false;
    }
    if (item->run != NULL) {
        es__state_self_test here = es__state_self_test_run();
        replay->play.fit.arithmetic = here.arithmetic == item->run->self_test[0];
        replay->play.fit.library = here.library == item->run->self_test[1];
    }
    return true;
}
