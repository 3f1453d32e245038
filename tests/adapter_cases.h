/* SPDX-License-Identifier: Zlib
 *
 * What holds for each adapter of a window library. Time is virtual. The file that includes this defines
 * before it: ADAPTER, ADAPTER_HEADER; the adapter's calls OPEN, SUBMIT, POLL and END (after presenting);
 * HOST, whether the library calls the program; THERE(i), whether window i exists; KEY, a key's code;
 * LOOKS, whether it looks for another rate now and then; if it sets swap intervals: VSYNC(interval), as the
 * program does; INTERVALS, whether the library tells its own. After it: the functions of "the library".
 */
#ifndef ADAPTER_CASES_H
#define ADAPTER_CASES_H

#include "evenstep/input.h"

#include "test_support.h"

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

enum { WINDOWS = 2, CALLS = 200000 };

static test_random dice = {20261126};
static int64_t virtual_ns;
static bool uneven; /* each reading of the clock takes up to 0.1 ms, and rarely a second */
static int library_calls;

static inline int roll(int below)
{
    return (int)random_below(&dice, below);
}

static int64_t read_clock(void *user)
{
    (void)user;
    if (uneven) {
        virtual_ns += roll(5000) == 0 ? S : roll(100000);
    }
    return virtual_ns;
}

static inline void wait_until(void *user, int64_t deadline_ns)
{
    (void)user;
    virtual_ns = deadline_ns > virtual_ns ? deadline_ns : virtual_ns;
}

/* The library's swap interval, and whether the loop may ask for one. asked: in place of the plan's */
static struct {
    int is, most, sets, asked;
    bool clamps, hint, told;
} swaps;

static inline bool set_swap(int to)
{
    bool takes = to <= swaps.most || swaps.clamps;
    swaps.sets += 1;
    swaps.is = !takes ? swaps.is : to < swaps.most ? to : swaps.most;
    return takes;
}

/* The adapter reads this clock, and not the system's. */
#define es_loop_next(loop, frame)                                                                  \
    (es_loop_next(loop, frame)                                                                     \
            && (swaps.asked == 0 || ((frame)->target_refreshes = swaps.asked) > 0))
#define es_loop_set_targets(loop, targets)                                                         \
    (swaps.told = (targets)->refreshes, es_loop_set_targets(loop, targets))
#define es_now_ns()                read_clock(NULL)
#define es_wait_until(deadline_ns) wait_until(NULL, deadline_ns)
#include ADAPTER_HEADER

#define JOIN_(name, verb) name##_##verb
#define JOIN(name, verb)  JOIN_(name, verb)
#define ES(verb)          JOIN(ADAPTER, verb)
typedef ADAPTER adapter;

static adapter adapters[WINDOWS];

/* A function of a library. */
#define FAKE(declaration, statement)                                                               \
    declaration                                                                                    \
    {                                                                                              \
        statement;                                                                                 \
    }

/* --- the library ---------------------------------------------------------------------------------- */

/* What the library answers: */
enum { VISIBLE, HIDDEN, MINIMISED, COVERED };
static int visibility; /* of each window; COVERED: as MINIMISED where a library does not know it */
static int display_hz; /* 0 or less: none is announced */

/* What happens, with a key as with a mouse that moves by 1, -2. In window 0, which es may have. */
typedef enum { PRESSED, RELEASED, MOVED, WINDOW_CHANGED, DISPLAY_CHANGED } happening;
static void happen(adapter *es, happening what, bool repeats);

static void begin(void);          /* windows 0 and 1; there may be no window WINDOWS */
static void change_window(int i); /* beside the above */
static void random_event(adapter *es);

static void turn_key(adapter *es, bool down)
{
    happen(es, down ? PRESSED : RELEASED, false);
    happen(es, PRESSED, true);
}

static void show(adapter *es, int now)
{
    visibility = now;
    happen(es, WINDOW_CHANGED, false);
}

/* The library presents: 60 Hz. */
static void present(void)
{
    virtual_ns = (virtual_ns * 3 / (50 * MS) + 1) * 50 * MS / 3 + 1;
}

/* --- single properties ---------------------------------------------------------------------------- */

static struct {
    int pressed, turned;
    double x, y;
    int64_t ticks;
} seen;

static es_loop_config start(void)
{
    es_loop_config config;
    memset(&config, 0, sizeof config);
    config.clock.now_ns = read_clock;
    config.clock.wait_until = wait_until;
    memset(&seen, 0, sizeof seen);
    virtual_ns = 100 * S;
    uneven = false;
    visibility = VISIBLE;
    display_hz = 60;
    memset(&swaps, 0, sizeof swaps);
    begin();
    return config;
}

static es_frame play(void)
{
    adapter *es = &adapters[0];
    es_frame frame;
    es_input_event event;
    assert_true(ES(next)(es, &frame));
    POLL(es);
    for (int i = 0; i < frame.ticks; ++i) {
        assert_int_equal(ES(step)(es, &frame, i).index, ++seen.ticks);
        seen.pressed += es_input_pressed(es->input, KEY);
        seen.x += es_input_moved(es->input, 0);
        seen.y += es_input_moved(es->input, 1);
        while (es_input_next(es->input, &event)) {
            seen.turned += event.kind == ES_INPUT_PRESS || event.kind == ES_INPUT_RELEASE;
        }
    }
    assert_int_equal(frame.newest_tick, seen.ticks);
    if (frame.visible || HOST) {
        SUBMIT(es, &frame);
        present();
    }
    END(es, &frame);
    if (HOST) {
        assert_int_equal(es_loop_get_report(es->loop)->frame.index, frame.index);
    }
    return frame;
}

static void check_closed(adapter *es)
{
    static const adapter zero;
    static const es_frame none;
    es_frame frame;
    bool was_uneven = uneven;
    int64_t begin_ns = virtual_ns;
    int calls = library_calls;
    uneven = false;
    memset(&frame, 0, sizeof frame);
    assert_memory_equal(es, &zero, sizeof zero);
    turn_key(es, true);
    show(es, HIDDEN);
    POLL(es);
    assert_false(ES(next)(es, &frame) || ES(next)(es, &frame));
    assert_int_equal(ES(step)(es, &frame, 0).index, 0);
    SUBMIT(es, &frame);
    assert_int_equal(library_calls, calls);
    assert_int_equal(virtual_ns, begin_ns);
    assert_memory_equal(&frame, &none, sizeof none);
    show(es, VISIBLE);
    random_event(es);
    ES(close)(es);
    assert_memory_equal(es, &zero, sizeof zero);
    uneven = was_uneven;
}

/* On an adapter of any bytes. */
TEST(open_fails_or_close_frees)
{
    es_loop_config config = start();
    adapter *es = &adapters[0];
    check_closed(es); /* zeroed */
    memset(es, 0xa5, sizeof *es);
    assert_true(OPEN(es, 0, NULL));
    ES(close)(es);
    check_closed(es);
    memset(es, 0xa5, sizeof *es);
    config.tick_rate = es_hz(-1.0);
    assert_false(OPEN(es, 0, &config));
    check_closed(es);
    if (!THERE(WINDOWS)) {
        memset(es, 0xa5, sizeof *es);
        assert_false(OPEN(es, WINDOWS, NULL));
        check_closed(es);
    }
}

TEST(no_tick_and_no_key_is_lost_and_no_motion_counts_twice)
{
    es_loop_config config = start();
    adapter *es = &adapters[0];
    assert_true(OPEN(es, 0, &config));
    for (int i = 0; i < 600; ++i) {
        if (i == 300) { /* 5 s */
            assert_in_range(seen.ticks, 298, 303);
        }
        if (i >= 300 && i % 50 == 0) {
            show(es, i / 50 % 3 != 1 ? VISIBLE : HIDDEN);
        }
        if (i % 5 == 0) { /* down and up between two polls */
            turn_key(es, true);
            turn_key(es, false);
        }
        happen(es, MOVED, false);
        assert_int_equal(play().index, i);
    }
    turn_key(es, true);
    for (int i = 0; i < 5; ++i) {
        play();
    }
    assert_int_equal(seen.pressed, 121);
    assert_int_equal(seen.turned, 241);
    assert_true(seen.x == 600.0 && seen.y == -1200.0);
    assert_true(es_input_held(es->input, KEY));
    turn_key(es, false); /* and down again between two polls */
    turn_key(es, true);
    for (int i = 0; i < 3; ++i) {
        play();
    }
    assert_int_equal(seen.pressed, 122);
    assert_true(es_input_held(es->input, KEY));
    ES(close)(es);
}

#ifdef LOOKS
static void set_hz(adapter *es, int hz)
{
    display_hz = hz;
    happen(es, DISPLAY_CHANGED, false);
}

static void check_hz(uint32_t hz)
{
    assert_int_equal(es_loop_get_config(adapters[0].loop).refresh.numerator, hz);
}

static void check_hz_later(uint32_t hz)
{
    virtual_ns += 1100 * MS;
    play();
    check_hz(hz);
}

/* What the program sets is kept until the display announces another rate. */
TEST(refresh_is_announced_and_followed)
{
    es_loop_config config = start();
    es_loop_config changed;
    adapter *es = &adapters[0];
    set_hz(es, 60);
    assert_true(OPEN(es, 0, &config));
    check_hz(60);
    set_hz(es, 144);
    play();
    check_hz(LOOKS ? 60 : 144);
    check_hz_later(144);
    changed = es_loop_get_config(es->loop);
    changed.refresh = es_hz(50);
    assert_true(es_loop_configure(es->loop, &changed));
    set_hz(es, 144);
    check_hz_later(50);
    set_hz(es, 75);
    check_hz_later(75);
    set_hz(es, 0);
    check_hz_later(0);
    ES(close)(es);
    seen.ticks = 0;
    config.refresh = es_hz(50); /* the program's, for good */
    assert_true(OPEN(es, 0, &config));
    set_hz(es, 144);
    check_hz_later(50);
    ES(close)(es);
}

TEST(a_window_hidden_at_open_is_not_visible)
{
    es_loop_config config = start();
    show(&adapters[0], HIDDEN);
    assert_true(OPEN(&adapters[0], 0, &config));
    assert_false(play().visible);
    ES(close)(&adapters[0]);
}
#endif

TEST(a_window_is_hidden_and_shown)
{
    es_loop_config config = start();
    adapter *es = &adapters[0];
    assert_true(OPEN(es, 0, &config));
    assert_true(play().visible);
    for (int i = 0; i < 6; ++i) {
        show(es, i % 2 != 0 ? VISIBLE : HIDDEN + i / 2);
        play(); /* may be planned already */
        assert_int_equal(play().visible, i % 2 != 0);
    }
    ES(close)(es);
}

#ifdef VSYNC
static void check_swaps(int target, int is, int sets, bool told)
{
    swaps.sets = 0;
    swaps.asked = target;
    for (int i = 0; i < 10; ++i) { /* 167 ms */
        play();
    }
    assert_int_equal(swaps.is, is);
    assert_int_equal(swaps.sets, sets);
    assert_int_equal(swaps.told, told);
}

/* What the program begins with, what the library takes, and what becomes of 3. */
TEST(swap_interval_is_set_only_with_vsync_and_restored)
{
    static const struct {
        int begins, most;
        bool clamps, keeps;
        int is, sets;
    } rows[] = {
            {0, 9, false, false, 0, 0}, /* vsync is off */
            {1, 9, false, false, 3, 1 + INTERVALS},
            {2, 9, false, false, 2, 0},   /* the program's own count */
            {-1, 9, false, false, -1, 0}, /* adaptive */
            {1, 9, false, true, 1, 0},    /* the program's wish */
            {1, 1, false, false, 1, 2},   /* refused, and 1 again */
            {1, 1, true, false, 1, 2},    /* as SDL on Wayland */
            {1, 2, false, false, 1, 3},   /* takes 2 */
    };
    adapter *es = &adapters[0];
    for (size_t i = 0; i < (INTERVALS ? COUNT_OF(rows) : 2); ++i) {
        es_loop_config config = start();
        int begins = rows[i].begins;
        bool set = rows[i].is == 3 && !HOST;
        assert_true(OPEN(es, 0, &config));
        VSYNC(begins);
        swaps.most = rows[i].most;
        swaps.clamps = rows[i].clamps;
#if INTERVALS
        es->keep_interval = rows[i].keeps;
#endif
        check_swaps(3, HOST ? begins : rows[i].is, HOST ? 0 : rows[i].sets, set);
        check_swaps(1, set ? 1 : begins, set, set); /* what is refused is not tried again */
        VSYNC(0);
        check_swaps(4, 0, 0, false);
        VSYNC(begins);
        check_swaps(2, set ? 2 : begins, set ? 1 + INTERVALS : 0, set);
        ES(close)(es);
        assert_int_equal(swaps.is, begins);
    }
}
#endif

/* --- random calls --------------------------------------------------------------------------------- */

/* One in three is refused. */
static es_loop_config random_config(bool *accepted)
{
    es_loop_config config;
    memset(&config, 0, sizeof config);
    es_loop_preset(loop_name((size_t)roll(7)), &config);
    config.tick_rate = es_hz(roll(4) == 0 ? -1.0 : 1.0 + roll(240));
    *accepted = config.tick_rate.numerator > 0;
    if (config.pace == ES_PACE_AUTO && roll(2) == 0) {
        config.refresh = es_hz(roll(4) == 0 ? -1.0 : 60.0);
        *accepted = *accepted && config.refresh.numerator > 0;
    }
    config.clock.now_ns = read_clock;
    config.clock.wait_until = wait_until;
    return config;
}

static void open_adapter(int i)
{
    bool accepted;
    es_loop_config config = random_config(&accepted);
    int window = roll(5) == 0 ? WINDOWS : i;
    ES(close)(&adapters[i]);
    assert_int_equal(OPEN(&adapters[i], window, &config), accepted && THERE(window));
    if (adapters[i].loop == NULL) {
        check_closed(&adapters[i]);
    }
}

/* A call of the loop or the input, by the program. */
static void call_inside(adapter *es)
{
    bool accepted;
    es_loop_config config = random_config(&accepted);
    es_present sample = {.frame = roll(1000), .shown_ns = virtual_ns, .reported_ns = virtual_ns};
    int kind = roll(7);
    if (kind == 0) {
        es_loop_configure(es->loop, &config);
    } else if (kind == 1) {
        es_loop_set_visible(es->loop, roll(2) == 0);
    } else if (kind == 2) {
        es_loop_set_paused(es->loop, roll(2) == 0);
    } else if (kind == 3) {
        es_loop_presented(es->loop, &sample);
    } else if (kind == 4) {
        es_loop_end(es->loop);
    } else if (kind == 5) {
        es_input_tick(es->input, NULL);
    } else {
        es_loop_seek(es->loop, roll(1000));
    }
}

/* No crash, and what is closed does nothing. Frames may be of the other adapter, or of none. */
TEST(any_order_of_calls_does_no_harm)
{
    static es_frame frames[WINDOWS];
    int planned = 0;
    start();
    uneven = true;
    for (int call = 0; call < CALLS; ++call) {
        int i = roll(WINDOWS);
        adapter *es = &adapters[i];
        es_frame *frame = &frames[roll(9) == 0 ? 1 - i : i];
        int kind = roll(200);
        if (kind < 6) {
            open_adapter(i);
        } else if (kind < 8) {
            ES(close)(es);
            check_closed(es);
        } else if (kind < 20) {
            visibility = roll(4);
            display_hz = roll(300) - 5;
            change_window(i);
        } else if (kind < 25) {
            call_inside(es);
        } else if (kind % 4 == 0) {
            planned += ES(next)(es, frame);
        } else if (kind % 4 == 1) {
            random_event(es);
        } else if (kind % 4 == 2) {
            ES(step)(es, frame, roll(20) - 2);
        } else {
            SUBMIT(es, frame);
        }
    }
    for (int i = 0; i < WINDOWS; ++i) {
        ES(close)(&adapters[i]);
        check_closed(&adapters[i]);
    }
    assert_true(planned > CALLS / 20);
}

#endif
