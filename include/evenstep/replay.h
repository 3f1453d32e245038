/* SPDX-License-Identifier: Zlib
 *
 * replay: records a run, plays it again, and names what differs.
 *
 *   es_record_config config = {0};
 *   config.layout = &layout;                          the fields of the world; or state_size
 *   es_record *record = es_record_create("run.esrec", &config, &world);
 *   ...
 *   es_record_input(record, &step, &keys, sizeof keys);           before each tick
 *   update(&world, &keys, step.dt_s);
 *   es_record_state(record, &step, &world);                       after it
 *   ...
 *   es_record_destroy(record);
 *
 *   es_replay *replay = es_replay_open("run.esrec", &config, &world);
 *   while (es_replay_next(replay, &step, &input, &size)) {
 *       update(&world, input, step.dt_s);
 *       if (!es_replay_check(replay, &world)) {
 *           puts(es_get_error());                     the first tick that differs, and the field
 *           break;
 *       }
 *   }
 *   if (es_replay_get_status(replay).result == ES_ERR_DAMAGED) ...
 *   es_replay_close(replay);
 *
 * The update may depend on the state, the step and the input only. Record everything else that it
 * needs as input. docs/replay.md lists typical mistakes; es_synctest finds them.
 *
 * Defaults of this header; a function states only exceptions.
 *   Errors      false or NULL, and es_get_error says why. Nothing has changed then.
 *   NULL        a handle may be NULL: the call does nothing and returns false, NULL or zeros; a check
 *               returns true. Other pointers are not NULL, if the function does not say so.
 *   Threads     one per handle.
 *   Allocation  on creation and opening only. A layout and a stream outlive the handle. */
#ifndef EVENSTEP_REPLAY_H
#define EVENSTEP_REPLAY_H

#include "evenstep/evenstep.h"

typedef struct es_record es_record;
typedef struct es_replay es_replay;
typedef struct es_synctest es_synctest;
typedef struct es_layout es_layout;               /* world.h */
typedef struct es_record_config es_record_config; /* these structs: below the functions */
typedef struct es_difference es_difference;

#ifdef __cplusplus
extern "C" {
#endif

/* --- what most programs call ------------------------------------------------------------------ */

/* Starts a recording and saves the initial state.
 * path: of a new file; one that is there is refused. NULL: config->stream takes the bytes. */
ES_API es_record *es_record_create(
        const char *path, const es_record_config *config, const void *initial_state);

/* Before a tick's update: what it gets. step->index is that of the last step plus 1.
 * input: in the program's own byte order; at most 2^32 - 1 bytes; may be NULL if size is 0. */
ES_API bool es_record_input(es_record *record, const es_step *step, const void *input, size_t size);

/* After a tick's update: what came out. Takes time in proportion to the state. */
ES_API bool es_record_state(es_record *record, const es_step *step, const void *state);

/* After a frame: its report, as es_loop_get_report returns it. */
ES_API bool es_record_frame(es_record *record, const es_report *report);

/* Opens a recording and loads its initial state. Reads all of a file only if it was cut off or is
 * older than version 0.2.
 * path: NULL: config->stream gives the bytes.
 * config: only layout, state_size and stream matter. Recorded fields are found in the layout by
 * their names; new ones keep what the state has. Without layout and state_size only
 * es_replay_next_item and es_replay_seek_item work.
 * state: written; NULL without layout and state_size. */
ES_API es_replay *es_replay_open(const char *path, const es_record_config *config, void *state);

/* The next tick: its step, and its input until the next call for this replay. False: see
 * es_replay_status.result. */
ES_API bool es_replay_next(es_replay *replay, es_step *step, const void **input, size_t *size);

/* After the update: compares the state with the recording. False: it differs (ES_ERR_DIFFERS), and
 * es_get_error says in what. True: equal, or there is nothing to compare with
 * (es_replay_status.compared). */
ES_API bool es_replay_check(es_replay *replay, const void *state);

/* Loads the last saved state that is not after this tick; es_replay_status.tick is its tick. Go on
 * with es_replay_next up to the tick. INT64_MIN: the start, also of frames and clock. */
ES_API bool es_replay_seek(es_replay *replay, int64_t tick, void *state);

ES_API void es_replay_close(es_replay *replay);

#ifdef __cplusplus
}
#endif

/* --- what they read and write ------------------------------------------------------------------ */

/* The version of the file format; and limits that a recording keeps: bytes of one record in the
 * file, fields of a state, tags. */
#define ES_RECORD_FORMAT     2
#define ES_RECORD_SIZE_MAX   ES_CAST_(size_t, 65536)
#define ES_RECORD_FIELDS_MAX 4096
#define ES_RECORD_TAGS_MAX   256

/* How finely the state is hashed after each tick. */
typedef enum es_record_hashes {
    ES_RECORD_HASH_NAMES = 0, /* one hash, and 8 bits or more of each field's: they name the field
                                  that differs, but for one of 256 */
    ES_RECORD_HASH_WHOLE,     /* one hash */
    ES_RECORD_HASH_FIELDS,    /* one hash per field */
    ES_RECORD_HASH_NONE,
    ES_RECORD_HASH_GROUPS /* one hash per group of fields: the default until version 0.2 */
} es_record_hashes;

/* Where bytes go and come from, in place of a file. */
typedef struct es_stream {
    void *user; /* passed to both functions */
    /* Recording. ES_OK: took all bytes. ES_ERR_FULL: took none now; the recording offers them
     * again. Any other result ends the recording. */
    es_result (*write)(void *user, const void *bytes, size_t size);
    /* Replay. Reads size bytes from offset on. *got: how many there were; fewer only at the end.
     * Any result but ES_OK: *got is 0. */
    es_result (*read)(void *user, uint64_t offset, void *bytes, size_t size, size_t *got);
} es_stream;

/* {0} except for layout or state_size is a sensible recording. */
typedef struct es_record_config {
    const es_layout *layout; /* the fields that are hashed and saved */
    size_t state_size;       /* without a layout: the state's bytes, all of which are hashed and
                                saved. Other machines and compilers cannot play them */
    es_stream stream;        /* used if the path is NULL */
    es_rate tick_rate;       /* of the run; {0, 0}: steps vary */
    uint64_t seed;           /* of the run's random numbers; es_replay_item.run has it */
    const char *const *tags; /* name, text, name, text, ..., NULL: what the run is. May be NULL */
    int64_t start_tick;      /* the tick of the initial state; recorded steps follow it */
    es_record_hashes hashes;
    int32_t hash_every;     /* ticks from one hash to the next; 0: 1 */
    int32_t snapshot_every; /* ticks from one saved state to the next. 0: 60 to 3600, so that states
                                take a fifth of the file. Below 0: only the first, and after ticks
                                that were left out */
} es_record_config;

/* How a recording goes. */
typedef struct es_record_status {
    es_result result; /* ES_OK, or why it ended early: es_get_error has the details */
    uint64_t bytes;   /* written */
    uint64_t steps, frames;
    uint64_t ticks_lost; /* left out, because the stream or the queue was full */
} es_record_status;

/* How a replay goes. */
typedef struct es_replay_status {
    /* Of the last call that returned false. ES_ERR_STATE: the end. ES_ERR_DAMAGED: the next tick is
     * damaged, or after es_replay_open the start: no state was loaded. ES_ERR_IO: reading failed. The
     * call can be repeated; if es_replay_check or es_replay_clock failed to read, es_replay_next says so
     * until es_replay_seek. */
    es_result result;
    int64_t tick;        /* of the state */
    int64_t last_tick;   /* of the recording, as far as it can be read */
    int64_t resume_tick; /* after damage: that of the next saved state, for es_replay_seek;
                            INT64_MAX: none */
    uint64_t compared;   /* ticks since es_replay_open or es_replay_seek. Others have no hash and no
                            saved state, or a damaged one */
    bool ended;          /* the recording was ended, not cut off */
    /* This machine computes floats as the one that recorded, and its C library sin, pow and others.
     */
    bool same_arithmetic, same_library;
    uint64_t strays; /* readings of es_replay_clock of another kind than recorded. Above 0: the
                        program does not do what it did */
} es_replay_status;

/* What differs first. */
typedef struct es_difference {
    int64_t tick;            /* the first that differs. Drawing: the frame */
    const char *field;       /* that differs at this tick; NULL: not known */
    int32_t group;           /* if field is NULL and hashes are per group: the field's; else -1 */
    int64_t value_tick;      /* the tick of the values: `tick` or the next one with a saved state */
    const char *value_field; /* NULL: no values are known yet */
    size_t object, component;
    double values[2]; /* of this run, and recorded. Sync test: first and second run. Drawing: before
                         and after */
} es_difference;

#ifdef __cplusplus
extern "C" {
#endif

/* --- more of recording ------------------------------------------------------------------------ */

/* Adds bytes of the program's own to the current tick, for es_replay_next_item.
 * kind: any number. size: at most 65000. */
ES_API bool es_record_event(es_record *record, uint32_t kind, const void *bytes, size_t size);

/* Writes everything so far. Without it a crash loses at most 10 ticks. Called after
 * es_record_input, it keeps the input of a tick whose update crashes. */
ES_API bool es_record_flush(es_record *record);

/* A clock for es_loop_config that answers as `clock` and records the answers. es_replay_clock
 * repeats them: the loop then makes the same frames, with every stutter. Not for two threads.
 * record: outlives the clock; not NULL. clock: NULL: the system's. */
ES_API es_clock es_record_clock(es_record *record, const es_clock *clock);

/* For es_follower_config.tape, with the recording as tape_user: records what is read of another clock.
 * es_replay_value gives it back. Returns value. */
ES_API int64_t es_record_value(void *record, int64_t value);

/* How it goes. */
ES_API es_record_status es_record_get_status(const es_record *record);

/* Ends and frees a recording. The result is ES_OK if everything was written. */
ES_API es_record_status es_record_destroy(es_record *record);

/* --- more of replay --------------------------------------------------------------------------- */

/* The first difference since es_replay_open or es_replay_seek. False: there is none. */
ES_API bool es_replay_get_difference(const es_replay *replay, es_difference *difference);

/* The next recorded frame. False: there is none, or reading failed (es_replay_status). */
ES_API bool es_replay_next_frame(es_replay *replay, es_report *report);

/* A clock for es_loop_config that answers what es_record_clock recorded.
 * pace: waits so that frames come at their own times; NULL: as fast as possible.
 * replay: outlives the clock; not NULL. */
ES_API es_clock es_replay_clock(es_replay *replay, const es_clock *pace);

/* Likewise, with the replay as tape_user. Returns what was recorded in place of value. */
ES_API int64_t es_replay_value(void *replay, int64_t value);

ES_API es_replay_status es_replay_get_status(const es_replay *replay);

/* --- mistakes of the program ------------------------------------------------------------------ */

typedef struct es_synctest_config {
    const es_layout *layout;
    int32_t every;    /* ticks from one test to the next; 0: 60 */
    int32_t ticks;    /* that a test runs twice; 0: 2. At most 64 and every */
    size_t input_max; /* bytes of a tick's input; 0: 256. A larger one skips the test */
    void *user;       /* passed to the functions */
    /* One tick of the program. Any result but 0 abandons the test. NULL: only drawing is tested. */
    int (*update)(void *user, void *state, const es_step *step, const void *input, size_t size);
    /* The state was replaced by that of this tick: rebuild what is derived from it. May be NULL. */
    void (*loaded)(void *user, void *state, int64_t tick);
} es_synctest_config;

/* Finds state outside the layout: runs some ticks twice from the same state and compares. For
 * development: a tested tick costs two. */
ES_API es_synctest *es_synctest_create(const es_synctest_config *config);

/* Around a tick's update. After: false: the second run gave another state. The state is unchanged. */
ES_API void es_synctest_before(
        es_synctest *test, const void *state, const es_step *step, const void *input, size_t size);
ES_API bool es_synctest_after(es_synctest *test, void *state);

/* Around a frame's drawing. After: false: drawing changed the state.
 * frame: any number, such as es_frame.index. */
ES_API void es_synctest_draw_before(es_synctest *test, const void *state);
ES_API bool es_synctest_draw_after(es_synctest *test, const void *state, int64_t frame);

/* The first difference. False: there is none. */
ES_API bool es_synctest_get_difference(const es_synctest *test, es_difference *difference);
ES_API void es_synctest_destroy(es_synctest *test);

/* --- bytes of a state ------------------------------------------------------------------------- */

/* Packs a state: its numbers, the lowest byte first; the same bytes on every machine. Returns their
 * count, also if that is more than size; then nothing is written. Layouts are valid here. */
ES_API size_t es_state_pack(const es_layout *layout, const void *state, void *bytes, size_t size);

/* The inverse. False: size is not that of a packed state. */
ES_API bool es_state_unpack(const es_layout *layout, void *state, const void *bytes, size_t size);

/* A hash of the packed state, the same on every machine. Not for defence against cheats. */
ES_API uint64_t es_state_hash(const es_layout *layout, const void *state);

/* --- the records of a file, for tools --------------------------------------------------------- */

/* Kinds of records. From 128 on, unknown ones may be skipped. */
typedef enum es_record_kind {
    ES_RECORD_NONE = 0, /* damage */
    ES_RECORD_RUN,      /* the first: `run` */
    ES_RECORD_FIELD,    /* of the state: `field` */
    ES_RECORD_TAG,      /* field->name, and the text as bytes */
    ES_RECORD_SNAPSHOT, /* step.index and time_ns; a part of the packed state */
    ES_RECORD_STEP,     /* before a tick: step; its input, or the first part of it */
    ES_RECORD_INPUT,    /* step.index; the next part of the input */
    ES_RECORD_HASH,     /* after a tick: step.index; `count` hashes of 8 bytes, the lowest first */
    ES_RECORD_FRAME,    /* after a frame: `frame` */
    ES_RECORD_READINGS, /* `count` answers of a clock */
    ES_RECORD_EVENT,    /* step.index; kind in `count`; bytes */
    ES_RECORD_GAP,      /* ticks that were left out: the first in step.index, `total` of them, and
                            `count` records */
    ES_RECORD_END,      /* the last: step.index; `end` */
    ES_RECORD_COPY = 128, /* of a RUN or a FIELD, in case that is damaged */
    ES_RECORD_INDEX       /* before a snapshot and the end: where earlier snapshots are */
} es_record_kind;

/* What is wrong with a stretch of a recording. */
typedef enum es_damage {
    ES_DAMAGE_NONE = 0,
    ES_DAMAGE_CUT,      /* the file ends within a record: the writer was killed */
    ES_DAMAGE_HEAD,     /* no record begins here, or its head's checksum is wrong */
    ES_DAMAGE_PAYLOAD,  /* a record's second checksum is wrong */
    ES_DAMAGE_MISSING,  /* the records between two sequence numbers are not there */
    ES_DAMAGE_REPEATED, /* an earlier record comes again */
    ES_DAMAGE_CONTENT   /* the checksums are right, and the content is out of range */
} es_damage;

typedef struct es_replay_run {
    es_record_config config; /* tick_rate, seed, hashes, hash_every and snapshot_every */
    uint32_t version[3];     /* of the library that wrote it */
    uint64_t packed_size;    /* of the state */
    uint32_t field_count;    /* records that follow */
    uint32_t hash_count;     /* per tick */
    uint64_t self_test[2];   /* what that machine computed: arithmetic, C library */
} es_replay_run;

/* One record, or one stretch of damage. Pointers are valid until the next call for the replay. */
typedef struct es_replay_item {
    es_record_kind kind;
    es_damage damage;
    uint64_t offset, length; /* in the file */
    uint32_t sequence;       /* its number. Damage: that of the first missing record */
    es_step step;
    uint64_t part, total; /* of a state or an input: `bytes` begin at byte `part` of `total` */
    const unsigned char *bytes;
    size_t size;
    uint64_t count; /* damage: how many numbers are missing; 0 at the end, where it is unknown */
    const struct es_field *field; /* name, type, group, count, components */
    const es_replay_run *run;
    const es_report *frame;
    const es_record_status *end;
} es_replay_item;

/* The next record, or the damage before it, from the first on. False: the end, or ES_ERR_IO in
 * es_replay_status.result. */
ES_API bool es_replay_next_item(es_replay *replay, es_replay_item *item);

/* es_replay_next_item goes on with this item, which is no damage; NULL: from the first record. */
ES_API void es_replay_seek_item(es_replay *replay, const es_replay_item *item);

/* Damage as half a sentence: "the file ends within a record". Static; never NULL. */
ES_API const char *es_damage_name(es_damage damage);

#ifdef __cplusplus
}
#endif

/* --- names of version 0.2, for one version ----------------------------------------------------- */

ES_RENAMED_("es_record_get_status")
static inline es_record_status es_record_status_get(const es_record *record)
{
    return es_record_get_status(record);
}

ES_RENAMED_("es_replay_get_status")
static inline es_replay_status es_replay_status_get(const es_replay *replay)
{
    return es_replay_get_status(replay);
}

ES_RENAMED_("es_replay_get_difference")
static inline bool es_replay_difference(const es_replay *replay, es_difference *difference)
{
    return es_replay_get_difference(replay, difference);
}

ES_RENAMED_("es_synctest_get_difference")
static inline bool es_synctest_difference(const es_synctest *test, es_difference *difference)
{
    return es_synctest_get_difference(test, difference);
}

ES_RENAMED_("es_replay_next_frame")
static inline bool es_replay_frame(es_replay *replay, es_report *report)
{
    return es_replay_next_frame(replay, report);
}

ES_RENAMED_("es_replay_next_item")
static inline bool es_replay_read(es_replay *replay, es_replay_item *item)
{
    return es_replay_next_item(replay, item);
}

ES_RENAMED_("es_replay_seek_item")
static inline void es_replay_go(es_replay *replay, const es_replay_item *item)
{
    es_replay_seek_item(replay, item);
}

#endif
