/* SPDX-License-Identifier: Zlib
 *
 * Faults by counting: the n-th allocation, file call, thread start, reading of a clock or wait fails, once, for
 * n = 1, 2, ... until a run has no n-th one. A call that fails returns its documented error and says why,
 * nothing leaks, and the same call works when it is repeated.
 *
 * The linker puts the functions __wrap_* in place of those of the C library that the library calls
 * (tests/CMakeLists.txt). Recordings cut at each byte: test_damage.c.
 */
#include <errno.h>
#include <pthread.h>

#include "evenstep/follow.h"
#include "evenstep/input.h"
#include "evenstep/measure.h"
#include "evenstep/replay.h"
#include "evenstep/schedule.h"
#include "evenstep/threads.h"
#include "frame_support.h"
#include "record_game.h"

/* --- the faults ----------------------------------------------------------------------------------- */

typedef enum fault_kind {
    ALLOCATE,
    OPEN,
    READ,
    WRITE,
    SEEK,
    CLOSE,
    THREAD,
    TAKE, /* a stream of the program: written and read */
    GIVE,
    CLOCK,
    WAIT,
    KINDS
} fault_kind;

typedef enum fault_manner {
    NOTHING = 0,  /* is read or written */
    HALF = 1,     /* of the bytes are */
    HARMLESS = 2, /* the call of the library succeeds all the same */
    ENDS = 4      /* no error is seen: the file seems to end */
} fault_manner;

typedef struct fault_way {
    fault_kind kind;
    int error; /* errno, or the es_result of a stream */
    int manner;
} fault_way;

static const fault_way ways[] = {
        {ALLOCATE, ENOMEM, NOTHING},
        {OPEN, EMFILE, NOTHING},
        {OPEN, ENOMEM, NOTHING},
        {READ, EIO, NOTHING},
        {READ, EIO, HALF},
        {READ, EINTR, HALF | HARMLESS},
        {READ, 0, HALF | ENDS},
        {WRITE, ENOSPC, HALF},
        {WRITE, EIO, NOTHING},
        {WRITE, 0, NOTHING},
        {WRITE, EINTR, HALF | HARMLESS},
        {SEEK, EINVAL, NOTHING},
        {CLOSE, EIO, NOTHING},
        {THREAD, EAGAIN, NOTHING},
        {TAKE, ES_ERR_FULL, HARMLESS},
        {TAKE, ES_ERR_REFUSED, NOTHING},
        {GIVE, ES_ERR_REFUSED, NOTHING},
};

static struct {
    fault_way way;
    int64_t left;          /* calls of that kind up to the one that fails; below 1: none does */
    bool hit;              /* it has come */
    bool broken;           /* ferror of the last read */
    int64_t blocks, files; /* that are open */
} fault;
static int64_t injected[KINDS];

static bool fails(fault_kind kind)
{
    if (kind != fault.way.kind || fault.left < 1 || --fault.left > 0) {
        return false;
    }
    fault.hit = true;
    injected[kind] += 1;
    return true;
}

/* From here to rest() the n-th call fails. */
static void arm(const fault_way *way, int64_t n)
{
    fault.way = *way;
    fault.left = n;
    fault.hit = fault.broken = false;
    (void)es_rates_create(NULL); /* es_get_error is another's */
}

static void rest(void)
{
    fault.left = 0;
}

/* What came is to make a call fail. */
static bool is_hard(void)
{
    return fault.hit && (fault.way.manner & HARMLESS) == 0;
}

static void assert_said(const char *text)
{
    if (strstr(es_get_error(), text) == NULL) {
        fail_msg("'%s' does not say '%s'", es_get_error(), text);
    }
}

/* What es_get_error has of the fault. */
static const char *reason(void)
{
    const fault_way *way = &fault.way;
    return way->kind == ALLOCATE                    ? "out of memory"
           : way->kind == TAKE || way->kind == GIVE ? "es_re" /* the function */
                                                    : strerror(way->error != 0 ? way->error : EIO);
}

/* --- in place of the C library's ------------------------------------------------------------------- */

#define WRAP(type, name, ...)                                                                      \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, calloc, size_t count, size_t size)
{
    void *block = fails(ALLOCATE) ? NULL : __real_calloc(count, size);
    fault.blocks += block != NULL;
    return block;
}

WRAP(void, free, void *block)
{
    fault.blocks -= block != NULL;
    __real_free(block);
}

static FILE *opened(FILE *file)
{
    fault.files += file != NULL;
    return file;
}

static bool open_fails(void)
{
    bool does = fails(OPEN);
    errno = does ? fault.way.error : 0;
    return does;
}

static int seek_fails(void)
{
    errno = fault.way.error;
    return -1;
}

WRAP(FILE *, fopen, const char *path, const char *mode)
{
    return open_fails() ? NULL : opened(__real_fopen(path, mode));
}

WRAP(int, fseeko, FILE *file, off_t offset, int whence)
{
    return fails(SEEK) ? seek_fails() : __real_fseeko(file, offset, whence);
}

#ifdef __GLIBC__ /* the names with offsets of 64 bits */
WRAP(FILE *, fopen64, const char *path, const char *mode)
{
    return open_fails() ? NULL : opened(__real_fopen64(path, mode));
}

WRAP(int, fseeko64, FILE *file, int64_t offset, int whence)
{
    return fails(SEEK) ? seek_fails() : __real_fseeko64(file, offset, whence);
}
#endif

WRAP(size_t, fread, void *bytes, size_t size, size_t count, FILE *file)
{
    fault.broken = fails(READ);
    if (!fault.broken) {
        return __real_fread(bytes, size, count, file);
    }
    size_t got = (fault.way.manner & HALF) != 0 ? __real_fread(bytes, size, count / 2, file) : 0;
    fault.broken = (fault.way.manner & ENDS) == 0 && got < count;
    errno = fault.way.error;
    return got;
}

WRAP(int, ferror, FILE *file)
{
    return fault.broken || __real_ferror(file);
}

WRAP(size_t, fwrite, const void *bytes, size_t size, size_t count, FILE *file)
{
    if (!fails(WRITE)) {
        return __real_fwrite(bytes, size, count, file);
    }
    size_t written =
            (fault.way.manner & HALF) != 0 ? __real_fwrite(bytes, size, count / 2, file) : 0;
    errno = fault.way.error;
    return written;
}

WRAP(int, fclose, FILE *file)
{
    bool does = fails(CLOSE);
    int result = __real_fclose(file); /* it is closed all the same */
    fault.files -= 1;
    errno = does ? fault.way.error : errno;
    return does ? EOF : result;
}

WRAP(int, pthread_attr_init, pthread_attr_t *attributes)
{
    return fails(THREAD) ? ENOMEM : __real_pthread_attr_init(attributes);
}

WRAP(int, pthread_create, pthread_t *id, const pthread_attr_t *attributes, void *(*run)(void *),
        void *user)
{
    return fails(THREAD) ? fault.way.error : __real_pthread_create(id, attributes, run, user);
}

/* Runs what arms by itself for the n-th call, for each way of these kinds, until there is no n-th. */
static void inject(unsigned kinds, void (*run)(const fault_way *way, int64_t n))
{
    for_rows (i, ways) {
        fault.hit = (kinds & 1U << ways[i].kind) != 0;
        for (int64_t n = 1; fault.hit; ++n) {
            row("n %d", (int)n);
            run(&ways[i], n);
            rest();
            assert_int_equal(fault.blocks, 0);
            assert_int_equal(fault.files, 0);
        }
    }
}

#define FILES (1U << OPEN | 1U << READ | 1U << WRITE | 1U << SEEK | 1U << CLOSE)

/* --- handles -------------------------------------------------------------------------------------- */

static const char path[] = "test_inject.file", second_path[] = "test_inject.second";
static unsigned char bytes[1 << 20], expected[1 << 20];
static const char *where; /* records or plays run_...; NULL: the stream */
static es_record_hashes hashes;
static memory_sink sink;
static memory_source source;

static es_result take(void *user, const void *from, size_t size)
{
    return fails(TAKE) ? (es_result)fault.way.error : memory_take(user, from, size);
}

static es_result give(void *user, uint64_t offset, void *to, size_t size, size_t *got)
{
    *got = 0;
    return fails(GIVE) ? (es_result)fault.way.error : memory_give(user, offset, to, size, got);
}

/* A state that is large enough for a recording of several windows. */
typedef struct big {
    game g;
    unsigned char rest[6000];
} big;

static big world;

static void init_state(void)
{
    memset(&world, 0, sizeof world);
    game_init(&world.g, 7);
}

static es_record *begin_record(const char *to)
{
    es_record_config config = {.state_size = sizeof world,
            .tick_rate = {60, 1},
            .snapshot_every = 10,
            .hashes = hashes,
            .stream = {&sink, take, NULL}};
    sink = (memory_sink){bytes, sizeof bytes, 0};
    return es_record_create(to, &config, &world);
}

static es_replay *open_replay(const char *from)
{
    es_record_config config = {.state_size = sizeof world, .stream = {&source, NULL, give}};
    return es_replay_open(from, &config, &world);
}

static max_align_t loop_memory[ES_LOOP_BYTES / sizeof(max_align_t) + 1];
static const es_rate_group group = {.period = 2};

#define MAKER(name, made_by, end)                                                                  \
    static void *make_##name(void)                                                                 \
    {                                                                                              \
        return made_by;                                                                            \
    }                                                                                              \
    static void end_##name(void *handle)                                                           \
    {                                                                                              \
        (void)end(handle);                                                                         \
    }
MAKER(loop, es_loop_create(NULL), es_loop_destroy)
MAKER(loop_in, es_loop_create_in(loop_memory, sizeof loop_memory, NULL), es_loop_destroy)
MAKER(history, es_history_create(100, 3), es_history_destroy)
MAKER(input, es_input_create(NULL), es_input_destroy)
MAKER(rates, es_rates_create(&(es_rates_config){&group, 1, {60, 1}}), es_rates_destroy)
MAKER(slices, es_slices_create(&(es_slice_config){0}, 1), es_slices_destroy)
MAKER(server, es_server_create(&(es_server_config){.loops_max = 10}), es_server_destroy)
MAKER(follower, es_follower_create(NULL), es_follower_destroy)
MAKER(snapshots, es_snapshots_create(&(es_snapshots_config){.state_size = 9, .tick_rate = {30, 1}}),
        es_snapshots_destroy)
MAKER(synctest, es_synctest_create(&(es_synctest_config){.layout = &game_layout}),
        es_synctest_destroy)
MAKER(meter, es_meter_create(100), es_meter_destroy)
MAKER(trace, es_trace_create(second_path), es_trace_destroy)
MAKER(record, begin_record(second_path), es_record_destroy)
MAKER(record_to_stream, begin_record(NULL), es_record_destroy)
MAKER(replay, open_replay(path), es_replay_close)
MAKER(replay_of_stream, open_replay(NULL), es_replay_close)

typedef struct maker {
    void *(*make)(void);
    void (*end)(void *handle);
} maker;

#define MADE(name)                                                                                 \
    {                                                                                              \
        make_##name, end_##name                                                                    \
    }
static const maker makers[] = {
        MADE(loop),
        MADE(loop_in),
        MADE(history),
        MADE(input),
        MADE(rates),
        MADE(slices),
        MADE(server),
        MADE(follower),
        MADE(snapshots),
        MADE(synctest),
        MADE(meter),
        MADE(trace),
        MADE(record),
        MADE(record_to_stream),
        MADE(replay),
        MADE(replay_of_stream),
};
static const maker *made;

static void run_maker(const fault_way *way, int64_t n)
{
    (void)remove(second_path);
    arm(way, n);
    void *handle = made->make();
    if (is_hard() && (way->manner & ENDS) == 0) {
        assert_null(handle);
    }
    if (handle == NULL) {
        assert_true(is_hard());
        if ((way->manner & ENDS) == 0) {
            assert_said(reason());
        }
        handle = made->make(); /* also at the same path: nothing is there */
    }
    assert_non_null(handle);
    made->end(handle);
}

/* --- recordings ----------------------------------------------------------------------------------- */

enum { TICKS = 200 };

/* Everything that a tick gives. Returns whether all calls succeeded. */
static bool record_tick(es_record *record, int64_t tick)
{
    unsigned char input[4] = {0};
    size_t size = game_input(tick, input);
    es_step step = game_step(tick);
    es_report report = game_frame(tick);
    (void)es_record_value(record, tick * 3);
    bool good = es_record_input(record, &step, input, size);
    game_update(&world.g, &step, input, size);
    good = es_record_event(record, 5, input, 3) && good;
    good = es_record_state(record, &step, &world) && good;
    return es_record_frame(record, &report) && good;
}

/* Returns the newest tick that was acknowledged by a flush; -1: there is no recording. */
static int64_t record_all(const char *to, es_record_status *status)
{
    int64_t safe = 0;
    bool good = true;
    init_state();
    es_record *record = begin_record(to);
    *status = (es_record_status){0};
    for (int64_t tick = 1; record != NULL && tick <= TICKS; ++tick) {
        bool done = record_tick(record, tick);
        assert_true(good || !done); /* what has ended stays so */
        if (!done && good) {
            assert_said(reason());
            assert_int_not_equal(es_record_get_status(record).result, ES_OK);
        }
        good = done;
        if (tick % 7 == 0 && es_record_flush(record)) {
            safe = tick;
        }
    }
    if (record != NULL) {
        *status = es_record_destroy(record);
    }
    return record != NULL ? safe : -1;
}

/* Plays and checks all that can be read. */
static es_replay_status play_all(es_replay *replay)
{
    es_step step;
    const void *input;
    size_t size;
    assert_non_null(replay);
    while (es_replay_next(replay, &step, &input, &size)) {
        game_update(&world.g, &step, input, size);
        assert_true(es_replay_check(replay, &world));
    }
    return es_replay_get_status(replay);
}

static void run_record(const fault_way *way, int64_t n)
{
    es_record_status status;
    (void)remove(second_path);
    arm(way, n);
    int64_t safe = record_all(where, &status);
    bool hard = is_hard();
    rest();
    if (safe < 0) { /* not even begun */
        assert_true(hard);
        assert_true(record_all(where, &status) > 0);
        hard = false;
    }
    es_result failed = way->kind == TAKE ? (es_result)way->error : ES_ERR_IO;
    hard = hard || status.result == ES_ERR_FULL; /* at the end: there is no call that tries again */
    assert_int_equal(status.result, hard ? failed : ES_OK);
    if (hard) {
        assert_said(reason());
    }
    source = (memory_source){bytes, sink.used};
    es_replay *replay = open_replay(where);
    es_replay_status played = play_all(replay);
    es_replay_close(replay);
    bool complete = !hard || way->kind == CLOSE;
    assert_in_range(played.tick, complete ? TICKS : safe, TICKS);
    assert_int_equal(played.ended, complete);
    assert_int_equal(status.ticks_lost, 0);
}

/* --- replays -------------------------------------------------------------------------------------- */

static bool reported; /* the fault, by any call */

static void assert_failed_to_read(const es_replay *replay)
{
    reported = true;
    es_result result = es_replay_get_status(replay).result;
    assert_true(is_hard());
    assert_int_equal(result, fault.way.kind == GIVE ? (es_result)fault.way.error : ES_ERR_IO);
    assert_said(reason());
}

/* The next tick, which is repeated after a failure, and loaded again after one of a check. */
static void play_tick(es_replay *replay, int64_t tick)
{
    es_step step;
    const void *input;
    size_t size;
    for (int failures = 0; !es_replay_next(replay, &step, &input, &size);) {
        assert_failed_to_read(replay);
        assert_in_range(++failures, 1, 2);
        if (failures == 2) {
            assert_true(es_replay_seek(replay, tick - 1, &world));
            for (int64_t on = es_replay_get_status(replay).tick + 1; on < tick; ++on) {
                assert_true(es_replay_next(replay, &step, &input, &size));
                game_update(&world.g, &step, input, size);
            }
        }
    }
    assert_int_equal(step.index, tick);
    game_update(&world.g, &step, input, size);
    assert_true(es_replay_check(replay, &world));
}

/* Ticks, frames and readings, then seeks. */
static void play_with_fault(es_replay *replay)
{
    es_report report;
    int64_t wrong = 0, value = 0;
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        value = es_replay_value(replay, 0);
        wrong += value != tick * 3;
        play_tick(replay, tick);
        if (!es_replay_next_frame(replay, &report)) {
            assert_failed_to_read(replay);
            assert_true(es_replay_next_frame(replay, &report));
        }
        assert_int_equal(report.frame.index, tick);
    }
    assert_true(wrong == 0 || (is_hard() && value >= TICKS * 3 - 3)); /* values go on */
    (void)es_replay_value(replay, 0);                                 /* beyond the last one */
    for (int64_t tick = TICKS - 5; tick > 0; tick -= 20) {
        if (!es_replay_seek(replay, tick, &world)) {
            assert_failed_to_read(replay);
            assert_true(es_replay_seek(replay, tick, &world));
        }
        assert_int_equal(es_replay_get_status(replay).tick, tick - 5);
    }
    if (!es_replay_seek(replay, INT64_MIN, &world)) {
        assert_failed_to_read(replay);
        assert_true(es_replay_seek(replay, INT64_MIN, &world));
    }
}

static void run_replay(const fault_way *way, int64_t n)
{
    init_state();
    reported = false;
    arm(way, n);
    es_replay *replay = open_replay(where);
    if (replay == NULL) {
        assert_true(is_hard());
        reported = true;
        replay = open_replay(where);
    }
    assert_non_null(replay);
    if ((way->manner & ENDS) != 0) { /* the end comes early, or is damage: never another state */
        (void)play_all(replay);
    } else {
        play_with_fault(replay);
        if (es_replay_value(replay, 0) != 3) { /* the last fault met the clock's start */
            assert_true(is_hard());
        }
        play_tick(replay, 1);
        assert_int_equal(reported, is_hard());
    }
    es_replay_close(replay);
}

/* --- traces, threads ------------------------------------------------------------------------------ */

static bool trace_all(void)
{
    es_trace *trace = es_trace_create(second_path);
    bool good = trace != NULL;
    for (int64_t i = 0; trace != NULL && i < 300; ++i) {
        es_report report = game_frame(i);
        bool done = es_trace_frame(trace, &report);
        if (!done && good) {
            assert_said(reason());
        }
        good = done && good;
    }
    return trace != NULL && es_trace_destroy(trace) && good;
}

static void run_trace(const fault_way *way, int64_t n)
{
    static size_t whole; /* of the file without a fault */
    if (whole == 0) {
        (void)remove(second_path);
        assert_true(trace_all());
        whole = record_read_file(second_path, expected, sizeof expected);
        assert_in_range(whole, 8000, sizeof expected - 1);
    }
    (void)remove(second_path);
    arm(way, n);
    bool written = trace_all(), hard = is_hard();
    assert_int_equal(written, !hard);
    if (hard) {
        assert_said(reason());
    }
    rest();
    size_t size = record_read_file(second_path, bytes, sizeof bytes);
    assert_memory_equal(bytes, expected, size);
    assert_true(hard ? size <= whole : size == whole);
    (void)remove(second_path);
    assert_true(trace_all());
}

/* What a call of a clock does that fails. */
typedef struct clock_fault {
    int64_t wrong_ns; /* the reading */
    bool relative;    /* to the true one */
    int64_t stays_ns; /* the wait ends this much after now, or after its deadline */
    bool from_deadline;
} clock_fault;

typedef struct virtual_time {
    int64_t now_ns;
    clock_fault fault;
} virtual_time;

static int64_t read_time(void *user)
{
    virtual_time *v = user;
    if (fails(CLOCK)) {
        return v->fault.relative ? v->now_ns + v->fault.wrong_ns : v->fault.wrong_ns;
    }
    return v->now_ns;
}

static void wait_time(void *user, int64_t deadline_ns)
{
    virtual_time *v = user;
    bool does = fails(WAIT);
    if (deadline_ns > v->now_ns && deadline_ns < INT64_MAX / 8) {
        int64_t from_ns = does && !v->fault.from_deadline ? v->now_ns : deadline_ns;
        v->now_ns = does ? from_ns + v->fault.stays_ns : deadline_ns;
    }
}

static void update_nothing(void *user, void *to, const void *from, const es_step *step)
{
    (void)user;
    (void)step;
    memcpy(to, from, sizeof(int64_t));
}

/* A loop whose threads did not start goes on as one that never had any. */
static void run_threads(const fault_way *way, int64_t n)
{
    virtual_time times[2] = {{.now_ns = S}, {.now_ns = S}};
    es_threads_config threads_config = {.state_size = sizeof(int64_t), .update = update_nothing};
    es_loop *loops[2];
    es_frame frames[2];
    es_view view;
    for (int i = 0; i < 2; ++i) {
        loops[i] = es_loop_create(&(es_loop_config){.pace = ES_PACE_ADAPTIVE,
                .tick_rate = {13, 1},
                .clock = {.now_ns = read_time, .wait_until = wait_time, .user = &times[i]}});
    }
    for (int frame = 0; frame < 60; ++frame) {
        if (frame == 20) {
            arm(way, n);
            es_threads *threads = es_threads_start(loops[0], &threads_config);
            rest();
            assert_int_equal(threads == NULL, is_hard());
            if (threads != NULL) {
                es_threads_stop(threads, NULL);
                break;
            }
            assert_said(way->kind == ALLOCATE ? "out of memory" : "es_threads_start");
        }
        for (int i = 0; i < 2; ++i) {
            assert_true(es_loop_next(loops[i], &frames[i]));
            times[i].now_ns += 2 * MS;
        }
        assert_same_frame(&frames[0], &frames[1]);
    }
    es_loop *real = es_loop_create(NULL);
    es_threads *threads = es_threads_start(real, &threads_config);
    assert_non_null(threads);
    assert_true(es_loop_next(real, &frames[0]) && es_threads_view(threads, &view));
    es_threads_stop(threads, NULL);
    es_loop_destroy(real);
    es_loop_destroy(loops[0]);
    es_loop_destroy(loops[1]);
}

/* --- clocks ------------------------------------------------------------------------------------ */

/* n-th readings and waits of a run are met at a stride; other cases begin elsewhere. */
static int64_t stride(void)
{
    return test_is_full() ? 11 : TEST_SANITIZED ? 211 : 31;
}

/* 300 frames on a display of 60 Hz; the n-th call fails. */
static void run_loop(
        const es_loop_config *config, const clock_fault *wrong, const fault_way *way, int64_t n)
{
    bool sums_fit = es__clamp_ns(wrong->wrong_ns) == wrong->wrong_ns; /* else they saturate */
    virtual_time time = {100 * S, *wrong};
    es_loop_config with = *config;
    es_step step;
    es_frame frame, before = {0};
    int64_t first_ns = 0, marked_ns = 0, tick = 0;
    with.clock = (es_clock){.now_ns = read_time, .wait_until = wait_time, .user = &time};
    es_loop *loop = es_loop_create(&with);
    assert_non_null(loop);
    arm(way, n);
    for (int i = 0; i < 300; ++i) {
        row("frame %d", i);
        assert_true(es_loop_begin(loop));
        while (es_loop_tick(loop, &step)) {
            assert_int_equal(step.index, ++tick);
            time.now_ns += MS / 2;
        }
        assert_true(es_loop_wait(loop, &frame));
        first_ns = i == 0 ? frame.present_ns : first_ns;
        if (!fault.hit || sums_fit) {
            assert_account_adds_up(&frame, first_ns);
        }
        if (i > 0) { /* a leap of the clock is none of content */
            assert_in_range(frame.content_ns - before.content_ns, 0, 120 * MS);
        }
        before = frame;
        time.now_ns += 2 * MS;
        es_loop_submit(loop);
        time.now_ns = (time.now_ns / 16666667 + 1) * 16666667;
        es_loop_end(loop);
        marked_ns = i == 239 ? frame.content_ns : marked_ns;
    }
    bool long_before = n < (way->kind == CLOCK ? 400 : 100);
    if (long_before) { /* content has gone on at its speed since */
        assert_in_range(frame.content_ns - marked_ns, 58 * 16666667, 62 * 16666667);
    }
    es_loop_destroy(loop);
    rest();
    assert_int_equal(fault.blocks, 0);
}

static void run_loops(const es_loop_config *config, int64_t *at)
{
    static const clock_fault faults[] = {
            {INT64_MAX, false, 0, false},
            {INT64_MIN, false, 0, false},
            {0, false, 0, false},
            {-1, false, 0, false},
            {-5 * MS, true, 0, false},
            {40 * MS, true, MS, false},
            {3600 * S, true, 70 * MS, true},
            {-3600 * S, true, 3 * S, true},
    };
    static const fault_way of_clock[] = {{.kind = CLOCK}, {.kind = WAIT}};
    for_rows (k, of_clock) {
        for_rows (t, faults) {
            if (of_clock[k].kind == WAIT && !faults[t].relative) {
                continue; /* of readings only */
            }
            fault.hit = true;
            for (int64_t n = 1 + *at; fault.hit; n += of_clock[k].kind == WAIT ? 7 : stride()) {
                row("n %d", (int)n);
                run_loop(config, &faults[t], &of_clock[k], n);
            }
            *at = (*at + 1) % (of_clock[k].kind == WAIT ? 7 : stride());
        }
    }
}

/* --- tests ------------------------------------------------------------------------------------------ */

static int make_file(void **user)
{
    es_record_status status;
    (void)user;
    (void)remove(path);
    hashes = ES_RECORD_HASH_NONE; /* so that replays compare saved states */
    assert_int_equal(record_all(path, &status), TICKS / 7 * 7);
    assert_int_equal(status.result, ES_OK);
    hashes = ES_RECORD_HASH_NAMES;
    return 0;
}

/* The same bytes for replays of a stream. */
static void load_file(void)
{
    size_t size = record_read_file(path, expected, sizeof expected);
    assert_in_range(size, 100000, sizeof expected - 1);
    source = (memory_source){expected, size};
}

TEST(every_handle_is_made_or_refused)
{
    load_file();
    for_rows (i, makers) {
        made = &makers[i];
        inject(1U << ALLOCATE | FILES | 1U << TAKE | 1U << GIVE, run_maker);
    }
    (void)remove(second_path);
}

TEST(a_recording_has_what_was_acknowledged)
{
    where = second_path;
    inject(FILES, run_record);
    where = NULL;
    inject(1U << TAKE, run_record);
    (void)remove(second_path);
}

TEST(a_replay_goes_on_after_a_failed_read)
{
    load_file();
    where = path;
    inject(FILES, run_replay);
    where = NULL;
    inject(1U << GIVE, run_replay);
}

TEST(a_capture_ends_with_its_file)
{
    inject(1U << ALLOCATE | FILES, run_trace);
    (void)remove(second_path);
}

TEST(a_loop_does_without_threads)
{
    inject(1U << ALLOCATE | 1U << THREAD, run_threads);
}

TEST(input_is_loaded_whole_or_not)
{
    static unsigned char saved[4096], again[4096];
    es_input *input = es_input_create(NULL);
    for (int32_t code = 0; code < 5; ++code) {
        assert_true(es_input_button(input, code, true, 1) && es_input_move(input, code, 0.5, 1));
    }
    (void)es_input_tick(input, NULL);
    size_t size = es_input_save(input, saved, sizeof saved);
    assert_in_range(size, 10, sizeof saved);
    for (size_t cut = 0; cut < size; ++cut) {
        memset(again, 0xA5, sizeof again);
        assert_int_equal(es_input_save(input, again, cut), size);
        assert_int_equal(again[cut], 0xA5);
        if (!es_input_load(input, saved, cut)) {
            assert_int_equal(es_input_save(input, again, sizeof again), size);
            assert_memory_equal(again, saved, size);
        }
        assert_true(es_input_load(input, saved, size));
    }
    es_input_destroy(input);
    assert_int_equal(fault.blocks, 0);
}

TEST(time_is_accounted_whatever_a_clock_says)
{
    enum { KINDS_OF_STEP = ES_STEP_LOCKSTEP + 1, POLICIES = ES_CATCH_UP_WAIT + 1 };
    int64_t at = 0;
    int loops = 0;
    for (int i = 0; i < (ES_PACE_UNCAPPED + 1) * KINDS_OF_STEP * POLICIES; ++i) {
        es_loop_config config = {.pace = (es_pace)(i / POLICIES / KINDS_OF_STEP),
                .step = (es_step_kind)(i / POLICIES % KINDS_OF_STEP),
                .catch_up = (es_catch_up)(i % POLICIES)};
        row("pace %d, step %d, catch-up %d", config.pace, config.step, config.catch_up);
        es_loop *allowed = es_loop_create(&config);
        es_loop_destroy(allowed);
        if (allowed != NULL) {
            loops += 1;
            run_loops(&config, &at);
        }
    }
    assert_true(loops > 30);
}

TEST(points_are_counted)
{
    static const char *const names[KINDS] = {"allocations", "opens", "reads", "writes", "seeks",
            "closes", "thread starts", "writes to a stream", "reads of a stream", "clock readings",
            "waits"};
    print_message("injected:");
    for (int kind = 0; kind < KINDS; ++kind) {
        print_message(" %d %s%s", (int)injected[kind], names[kind], kind + 1 < KINDS ? "," : "\n");
        assert_true(injected[kind] > 0); /* else the linker has wrapped nothing */
    }
    (void)remove(path);
}

TEST_SETUP(make_file)
