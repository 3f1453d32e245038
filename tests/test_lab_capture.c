/* SPDX-License-Identifier: Zlib
 *
 * Captures of known frames, written as each program writes them: the figures are those of a second
 * computation, from the known times. The refresh that is found, and captures that are refused.
 */
#include "test_support.h"

#include "evenstep/measure.h"

#include "capture/input.h"
#include "capture/measure.h"
#include "lab/numbers.h"

#include <inttypes.h>

/* --- known frames ----------------------------------------------------------------------------- */

enum { FRAMES = 1500, TEXT = 600 * FRAMES };

static const double refresh_ms = 1000.0 / 60.0;

/* Times in us, which all formats can write exactly. */
typedef struct known {
    int64_t cpu, present, returned, gpu, gpu_end, shown, content;
    bool dropped;
} known;

static known truth[FRAMES];
static char text[TEXT];
static size_t text_size;

static uint64_t seed;

/* The same numbers everywhere (Knuth's MMIX). */
static unsigned random_bits(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 34);
}

static double random_share(void)
{
    return (double)random_bits() / (double)(1U << 30);
}

/* 60 Hz; some frames miss a refresh, others are dropped. */
static int make_frames(void **state)
{
    int64_t refresh = 10;
    (void)state;
    seed = 1;
    for (int64_t i = 0, cpu = 5000000; i < FRAMES; ++i) {
        known *f = &truth[i];
        f->cpu = cpu;
        f->present = cpu + 4000 + (int64_t)(3000.0 * random_share());
        f->returned = cpu + 16400 + (int64_t)(533.0 * random_share());
        f->gpu = f->present - 1500;
        f->gpu_end = f->present + 2500;
        f->dropped = i > 0 && random_bits() % 20 == 0;
        refresh += f->dropped ? 0 : random_bits() % 30 == 0 ? 2 : 1;
        f->shown = 7000000 + refresh * 50000 / 3 + (int64_t)(40.0 * random_share());
        f->content = 777000000 + i * 16667 + (int64_t)(500.0 * random_share());
        cpu = f->returned;
    }
    return 0;
}

static double ms(int64_t us)
{
    return (double)us / 1000.0;
}

/* --- writers ---------------------------------------------------------------------------------- */

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_size += (size_t)vsnprintf(text + text_size, TEXT - text_size, format, arguments);
    va_end(arguments);
}

static int64_t between(size_t i) /* presents */
{
    return truth[i].present - (i > 0 ? truth[i - 1].present : 4983000);
}

static int64_t step(size_t i) /* since the frame shown before */
{
    size_t before = i;
    while (before > 0 && truth[before - 1].dropped) {
        before -= 1;
    }
    return truth[i].shown - (before > 0 ? truth[before - 1].shown : 7150000);
}

/* What a letter after a $ stands for, in ms unless said. A dropped frame: 0, or with capitals NA. */
static void put_value(char letter, size_t i)
{
    const known *f = &truth[i];
    const struct {
        char letter;
        int decimals;
        double value;
    } values[] = {{'d', 0, f->dropped}, {'p', 14, (double)f->present / 1e6 /* s */},
            {'b', 3, ms(between(i))}, {'B', 0, (double)between(i) /* us */},
            {'n', 4, ms(f->returned - f->cpu)}, {'i', 4, ms(f->returned - f->present)},
            {'c', 4, ms(f->present - f->cpu)}, {'r', 4, ms(f->gpu_end - f->present)},
            {'g', 4, ms(f->gpu - f->present)}, {'l', 4, ms(f->gpu - f->cpu)},
            {'t', 4, ms(f->gpu_end - f->gpu)}, {'a', 4, ms(f->content)},
            {'m', 4, i > 0 ? ms(f->content - truth[i - 1].content) : 16.667},
            {'f', 4, 1e6 / (double)between(i)}, {'P', 3, ms(f->present)},
            {'e', 0, (double)(f->present - 4900000) * 1e3 /* ns */}, {'s', 3, ms(step(i))},
            {'S', 3, ms(step(i))}, {'u', 3, ms(f->shown - f->present)},
            {'U', 3, ms(f->shown - f->present)}, {'L', 3, ms(f->shown - f->cpu)}};
    if (letter == 'q') { /* s, in the six digits of a C++ stream */
        put("%g", (double)f->present / 1e6);
        return;
    }
    for (size_t k = 0; k < COUNT_OF(values); ++k) {
        if (values[k].letter == letter) {
            bool seen = strchr("sSuUL", letter) != NULL && f->dropped;
            put(seen ? (letter < 'a' ? "NA" : "0.000") : "%.*f", values[k].decimals,
                    values[k].value);
            return;
        }
    }
    fail_msg("no value %c", letter);
}

static size_t left_out; /* one row in so many; 0: none */

static void put_rows(const char *head, const char *row)
{
    put("%s\n", head);
    for (size_t i = 0; i < FRAMES; ++i) {
        if (left_out > 0 && i % left_out == 1) {
            continue;
        }
        for (const char *c = row; *c != '\0' && (*c != '|' || i == 0); ++c) { /* |: first row */
            if (*c == '$') {
                c += 1;
                put_value(*c, i);
            } else if (*c != '|') {
                put("%c", *c);
            }
        }
        put("\n");
    }
}

#define PM1_HEAD                                                                                   \
    "Application,ProcessID,SwapChainAddress,Dropped,TimeInSeconds,MsBetweenPresents,"              \
    "MsBetweenDisplayChange,MsInPresentAPI,MsUntilRenderComplete,MsUntilDisplayed"
#define PM1_ROW "game.exe,7,0x00000259DAE0BCF0,$d,$p,$b,$s,$i,$r,$u"
#define PM2_HEAD                                                                                   \
    "Application,ProcessID,SwapChainAddress,FrameType,TimeInQPC,MsBetweenSimulationStart,"         \
    "MsBetweenPresents,MsBetweenDisplayChange,MsInPresentAPI,MsRenderPresentLatency,"              \
    "MsUntilDisplayed,MsCPUBusy,MsGPULatency,MsGPUTime,MsGPUBusy,MsAnimationError,AnimationTime"

/* CapFrameX: Runs[].CaptureData has columns as arrays. */
static void write_json(void)
{
    static const char *const columns[] = {"TimeInSeconds$p", "MsBetweenPresents$b",
            "MsInPresentAPI$i", "MsBetweenDisplayChange$s", "MsUntilDisplayed$u"};
    put("{\"Hash\": \"x\\\"y\", \"Info\": {\"ProcessName\": \"game.exe\", \"Id\": null},\n"
        "\"Runs\": [{\"SampleTime\": 1, \"CaptureData\": {\"PresentMode\": [1, 2], \"QPCTime\": [],"
        "\"PcLatency\": [\"NaN\"], ");
    for (size_t k = 0; k < COUNT_OF(columns); ++k) {
        const char *letter = strchr(columns[k], '$');
        put("\"%.*s\": [", (int)(letter - columns[k]), columns[k]);
        for (size_t i = 0; i < FRAMES; ++i) {
            put(i > 0 ? ", " : "");
            put_value(letter[1], i);
        }
        put("], ");
    }
    for (size_t i = 0; i < FRAMES; ++i) {
        put("%s%s", i > 0 ? ", " : "\"Dropped\": [", truth[i].dropped ? "true" : "false");
    }
    put("]}, \"SensorData2\": {\"a\": {\"Values\": [1.5e3, {}, []]}}}]}\n");
}

static const char trace_path[] = "test_lab_capture.csv";

static void read_back(void)
{
    FILE *file = fopen(trace_path, "rb");
    assert_non_null(file);
    text_size = fread(text, 1, TEXT, file);
    fclose(file);
    remove(trace_path);
}

/* By the library. Dropped frames are not reported, as a platform has it. */
static void write_by_library(es_shown_source source)
{
    remove(trace_path);
    es_trace *trace = es_trace_create(trace_path);
    assert_non_null(trace);
    assert_null(es_trace_create(trace_path));
    for (size_t i = 0; i < FRAMES; ++i) {
        const known *f = &truth[i];
        es_report report = {.submit_ns = f->present * 1000, .source = source, .series = 3};
        report.frame.begun_ns = f->cpu * 1000;
        report.frame.late_ns = (int64_t)i % 100 == 0 ? 10 : 0;
        report.update_work_ns = 1000000;
        report.render_work_ns = 2000000;
        report.shown_ns = 1000 * (source == ES_SHOWN_FEEDBACK ? f->shown : f->returned);
        /* a pause of 5 s and a seek of 7 s, which are no errors */
        report.frame.content_ns = f->content * 1000 - 5 * ES_NS_PER_S + 7 * ES_NS_PER_S;
        report.frame.account.slowed_ns = 5 * ES_NS_PER_S;
        report.frame.account.seeked_ns = 7 * ES_NS_PER_S;
        if (source != ES_SHOWN_FEEDBACK || !f->dropped) {
            assert_true(es_trace_frame(trace, &report));
        }
    }
    assert_true(es_trace_destroy(trace));
    read_back();
}

static void write_trace(void)
{
    write_by_library(ES_SHOWN_FEEDBACK);
}

static void write_trace_returns(void)
{
    write_by_library(ES_SHOWN_PRESENT_RETURN);
}

/* The layer of capture/layer pads its fields. */
static void write_layer(void)
{
    put("Application,ProcessID,SwapChainAddress,start_ns,submit_ns,returned_ns,shown_ns,cpu_ns,"
        "blocked_ns   \n");
    for (size_t i = 0; i < FRAMES; ++i) {
        const known *f = &truth[i];
        put("a game   ,   7,    1,%15" PRId64 "000,%15" PRId64 "000,%15" PRId64 "000,", f->cpu,
                f->present, f->returned);
        if (f->dropped) {
            put("%18s", "");
        } else {
            put("%15" PRId64 "000", f->shown);
        }
        put(i == 3 ? ",        ,        \n" : ",  1500000,        0\n");
    }
}

/* --- a second computation --------------------------------------------------------------------- */

/* Which times a format has. */
typedef enum has_frames { BY_PRESENTS, BY_STAMPS, BY_NEXT_START, BY_STARTS } has_frames;

#define FROM_CPU LAB_CAPTURE_SHOWN_REPORTED, LAB_CAPTURE_CONTENT_CPU_START
#define REPORTED LAB_CAPTURE_SHOWN_REPORTED, LAB_CAPTURE_CONTENT_TRUE
#define NOT_SEEN LAB_CAPTURE_SHOWN_NONE, LAB_CAPTURE_CONTENT_NONE
#define NEITHER  NOT_SEEN, BY_PRESENTS, 0, LAB_HAS_PRESENT
#define HAS                                                                                        \
    (LAB_HAS_CPU_START | LAB_HAS_PRESENT | LAB_HAS_PRESENT_END | LAB_HAS_SHOWN | LAB_HAS_CONTENT)
#define GPU   (LAB_HAS_GPU_START | LAB_HAS_GPU_END | LAB_HAS_GPU_BUSY)
#define OWN   (LAB_HAS_LATE | LAB_HAS_WORK)
#define LAYER (LAB_HAS_CPU_TIME | LAB_HAS_BLOCKED)

static const struct format {
    const char *title, *head, *row;
    void (*write)(void); /* in place of head and row */
    lab_capture_shown shown;
    lab_capture_content content;
    has_frames frames;
    size_t first; /* the first frame with a content time */
    unsigned has;
} formats[] = {
        {"PresentMon 1", PM1_HEAD, PM1_ROW "\ndwm.exe,9,0x1,0,1,16.7,0,0,0,0", NULL, FROM_CPU,
                BY_PRESENTS, 1, HAS | LAB_HAS_GPU_END},
        {"OCAT", PM1_HEAD ",Motherboard,OS,GPU #", PM1_ROW "|,\"A board, 2\",\"An OS \"\"x\"\"\",1",
                NULL, FROM_CPU, BY_PRESENTS, 1, HAS | LAB_HAS_GPU_END},
        {"CapFrameX", "//GameName=game.exe\r\n//Comment=\"a, FrameTime\r\n" PM1_HEAD "\r",
                PM1_ROW "\r", NULL, FROM_CPU, BY_PRESENTS, 1, HAS | LAB_HAS_GPU_END},
        {"CapFrameX, JSON", NULL, NULL, write_json, FROM_CPU, BY_PRESENTS, 1, HAS},
        {"PresentMon 2, v1 metrics",
                "\xEF\xBB\xBF"
                "Application,ProcessID,SwapChainAddress,Dropped,TimeInSeconds,msInPresentAPI,"
                "msBetweenPresents,msUntilRenderComplete,msUntilDisplayed,msBetweenDisplayChange,"
                "msUntilRenderStart,msGPUActive,QPCTime",
                "game.exe,7,0x1,$d,$p,$i,$b,$r,$u,$s,$g,1.5,2076674276", NULL, FROM_CPU,
                BY_PRESENTS, 1, HAS | GPU},
        {"PresentMon 2", PM2_HEAD,
                "game.exe,7,0x1,Application,9,NA,$b,$S,$i,$r,$U,$c,$l,$t,1.5,NA,NA", NULL, FROM_CPU,
                BY_PRESENTS, 0, HAS | GPU},
        {"PresentMon 2", PM2_HEAD,
                "game.exe,7,0x1,Application,9,$m,$b,$S,$i,$r,$U,$c,$l,$t,1.5,NA,$a", NULL, REPORTED,
                BY_PRESENTS, 0, HAS | GPU},
        {"PresentMon 2, v2 metrics",
                "Application,ProcessID,SwapChainAddress,FrameType,CPUStartQPC,FrameTime,CPUBusy,"
                "CPUWait,GPULatency,GPUTime,GPUBusy,DisplayLatency,AnimationError,MsFlipDelay",
                "game.exe,7,0x1,Application,9,$n,$c,$i,$l,$t,1.5,$L,NA,NA", NULL, FROM_CPU,
                BY_NEXT_START, 0, HAS | GPU},
        {"es_trace", NULL, NULL, write_trace, REPORTED, BY_STARTS, 0,
                (HAS & ~(unsigned)LAB_HAS_PRESENT_END) | OWN},
        {"es_trace", NULL, NULL, write_trace_returns, LAB_CAPTURE_SHOWN_PRESENT_RETURN,
                LAB_CAPTURE_CONTENT_TRUE, BY_STARTS, 0, HAS | OWN},
        {"evenstep capture", NULL, NULL, write_layer, FROM_CPU, BY_STARTS, 0, HAS | LAYER},
        {"MangoHud", "os,cpu\nAn OS,\"A CPU\nfps,frametime,cpu_load,elapsed", "$f,$B,100,$e", NULL,
                NEITHER},
        {"MangoHud", "v1\nos,cpu\nAn OS,A CPU\nfps,frametime,cpu_load,elapsed", "$f,$b,100,$e",
                NULL, NEITHER},
        {"FrameView", PM1_HEAD ",Render Queue Depth,GPU0Clk(MHz)", PM1_ROW ",1,NA", NULL, FROM_CPU,
                BY_PRESENTS, 1, HAS | LAB_HAS_GPU_END},
        {"PresentMon 2", /* its window */
                "Application,ProcessID,SwapChainAddress,FrameType,TimeInSeconds,MsBetweenPresents,"
                "MsBetweenDisplayChange,MsInPresentAPI,MsRenderPresentLatency,MsUntilDisplayed,"
                "CPUStartTime,CPUBusy,GPULatency,GPUTime,GPUBusy",
                "game.exe,7,0x1,Application,$q,$b,$S,$i,$r,$U,9,$c,$l,$t,1.5", NULL, FROM_CPU,
                BY_PRESENTS, 0, HAS | GPU},
        {"Unreal CSV", "EVENTS,FrameTime,GPUTime", "a;\"b,$b,1,7", NULL, NEITHER},
        {"Fraps", "Frame, Time (ms)", "    1,  $P", NULL, NOT_SEEN, BY_STAMPS, 0, LAB_HAS_PRESENT},
        {"CSV", "frame,FrameTime", "1,$b", NULL, NEITHER},
        {"plain numbers", "# of a game\n", "$b", NULL, NEITHER},
};

static void check_near(const char *title, double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fmax(1.0, fabs(expected)))) {
        fail_msg("%s: %.12g, not %.12g", title, got, expected);
    }
}

/* Sorts the values. */
static void check_spread(const char *title, const lab_spread *got, double *values, size_t count)
{
    const double shares[] = {0.5, 0.95, 0.99, 0.999, 1.0};
    const double found[] = {got->p50_ms, got->p95_ms, got->p99_ms, got->p999_ms, got->max_ms};
    double sum = 0.0, sizes = 0.0, squares = 0.0;
    assert_int_equal(got->count, count);
    for (size_t i = 0; i < count; ++i) {
        sum += values[i];
        squares += values[i] * values[i];
        values[i] = fabs(values[i]);
        sizes += values[i];
    }
    if (count == 0) {
        return;
    }
    lab_sort(values, count);
    check_near(title, got->mean_ms, sizes / (double)count);
    check_near(title, got->bias_ms, sum / (double)count);
    check_near(title, got->rms_ms, sqrt(squares / (double)count));
    for (size_t i = 0; i < COUNT_OF(shares); ++i) {
        size_t rank = (size_t)ceil(shares[i] * (double)count - 1e-9);
        check_near(title, found[i], values[rank - 1]);
    }
}

static void check_frame_times(const struct format *format, const lab_figures *f, bool skips)
{
    static double times[FRAMES];
    size_t count = 0;
    const known *before = NULL;
    for (size_t i = 0; i < FRAMES; ++i) {
        if (skips && truth[i].dropped) {
            continue;
        }
        if ((format->frames != BY_STARTS && format->frames != BY_STAMPS) || before != NULL) {
            times[count++] = format->frames <= BY_STAMPS ? ms(between(i))
                             : format->frames == BY_NEXT_START
                                     ? ms(truth[i].returned - truth[i].cpu)
                                     : ms(truth[i].cpu - before->cpu);
        }
        before = &truth[i];
    }
    check_spread(format->title, &f->frame_time, times, count);
}

static void check_errors(const struct format *format, const lab_figures *f)
{
    static double intervals[FRAMES], errors[FRAMES];
    size_t shown = 0, compared = 0, repeats = 0, refreshes = 0;
    const known *before = NULL;
    bool returns = format->shown == LAB_CAPTURE_SHOWN_PRESENT_RETURN;
    for (size_t i = 0; i < FRAMES; ++i) {
        const known *now = &truth[i];
        bool none = format->shown == LAB_CAPTURE_SHOWN_NONE;
        if (now->dropped && !returns && !none) {
            continue;
        }
        if (before != NULL || (none && format->frames == BY_PRESENTS)) {
            double d = none      ? ms(between(i))
                       : returns ? ms(now->returned - before->returned)
                                 : ms(now->shown - before->shown);
            size_t shows = (size_t)(d / refresh_ms + 0.5);
            bool moved = format->content == LAB_CAPTURE_CONTENT_TRUE;
            intervals[shown++] = d - refresh_ms;
            refreshes += shows;
            repeats += shows > 1 ? shows - 1 : 0;
            if (!none && before >= truth + format->first) {
                errors[compared++] =
                        (moved ? ms(now->content - before->content) : ms(now->cpu - before->cpu))
                        - d;
            }
        }
        before = now;
    }
    assert_int_equal(f->refreshes, refreshes);
    assert_int_equal(f->repeats, repeats);
    check_spread(format->title, &f->interval_error, intervals, shown);
    check_spread(format->title, &f->animation_error, errors, compared);
}

static lab_figures measure_text(double given_ms, lab_capture_info *info)
{
    lab_figures figures = {0};
    lab_capture_error error = {"", 0};
    lab_capture *capture = lab_capture_open_text(text, text_size, NULL, &error);
    if (capture == NULL
            || lab_capture_measure(capture, given_ms, &figures, NULL, &error) != ES_OK) {
        fail_msg("%s", error.text);
    }
    *info = *lab_capture_get_info(capture);
    lab_capture_close(capture);
    return figures;
}

TEST(figures_of_all_formats)
{
    for (size_t i = 0; i < COUNT_OF(formats); ++i) {
        const struct format *format = &formats[i];
        lab_capture_info info;
        bool trace = format->write == write_trace;
        text_size = 0;
        if (format->write != NULL) {
            format->write();
        } else {
            put_rows(format->head, format->row);
        }
        lab_figures f = measure_text(refresh_ms, &info);
        assert_string_equal(info.format, format->title);
        assert_int_equal(info.shown, format->shown);
        assert_int_equal(info.content, format->content);
        assert_int_equal(info.has, format->has);
        assert_true(f.is_exact);
        check_frame_times(format, &f, trace);
        check_near(format->title, f.intended_ms, refresh_ms);
        check_errors(format, &f);
        f = measure_text(0.0, &info);
        if (format->shown == LAB_CAPTURE_SHOWN_REPORTED) {
            assert_int_equal(f.refresh, LAB_CAPTURE_REFRESH_SCREEN);
            assert_true(fabs(f.refresh_ms - refresh_ms) < 0.001);
        }
    }
}

/* The layer writes no screen times where it has no source of them. */
TEST(layer_without_screen_times)
{
    lab_capture_frame frame;
    lab_capture_error error;
    text_size = 0;
    put("Application,ProcessID,SwapChainAddress,start_ns,submit_ns,returned_ns,shown_ns,cpu_ns,"
        "blocked_ns\na game,7,1,1000000,2000000,9000000,   ,  ,  \n"
        "a game,7,1,9000000,12000000,17000000,   ,1000000,2000000\na game,7,1,170000");
    lab_capture *capture = lab_capture_open_text(text, text_size, NULL, &error);
    assert_non_null(capture);
    const lab_capture_info *info = lab_capture_get_info(capture);
    assert_int_equal(info->shown, LAB_CAPTURE_SHOWN_NONE);
    assert_int_equal(info->has, (HAS & ~(unsigned)LAB_HAS_SHOWN) | LAYER);
    assert_true(info->is_cut && info->rows == 2);
    assert_int_equal(lab_capture_next(capture, &frame, &error), ES_OK);
    assert_true(isnan(frame.cpu_ms) && isnan(frame.blocked_ms) && isnan(frame.shown_ms));
    assert_int_equal(lab_capture_next(capture, &frame, &error), ES_OK);
    check_near("cpu", frame.cpu_ms, 1.0);
    check_near("blocked", frame.blocked_ms, 2.0);
    check_near("frame", frame.frame_ms, 8.0);
    assert_true(isnan(frame.shown_ms));
    lab_capture_close(capture);
}

static lab_capture_options options = {.name = "a.csv"};

static void check_refusal(const char *message)
{
    lab_figures figures;
    lab_capture_error error = {"", 0};
    lab_capture *capture = lab_capture_open_text(text, text_size, &options, &error);
    if (capture != NULL) {
        assert_int_equal(lab_capture_measure(capture, 0.0, &figures, NULL, &error), ES_ERR_INVALID);
    }
    lab_capture_close(capture);
    assert_string_equal(error.text, message);
}

/* A row that cannot be read is left out; intervals over it are not compared. */
TEST(bad_cells)
{
    static const char *const bad[] = {"8,16.7,1.#INF,2", "8", "8,16.7,\"20\"x,2", "8,-1,20,2"};
    static const char *const reasons[] = {"MsUntilDisplayed: not a number: '1.#INF'",
            "1 fields, but the header has 4", "text after a closing quote",
            "MsBetweenPresents: must be 0 to 1000000 ms: '-1'"};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        lab_capture_info info;
        char reason[200];
        for (size_t every = 20; every >= 8; every -= 12) {
            text_size = 0;
            put("GPU0Clk(MHz),MsBetweenPresents,MsUntilDisplayed,Render Queue Depth\n");
            for (size_t row = 2; row < 202; ++row) {
                put("%s\n", row % every == 5 ? bad[i] : "8,16.7,20,2");
            }
            put(i % 2 == 0 ? "" : "8,16.7"); /* a file that is cut off */
            snprintf(
                    reason, sizeof reason, "%s:5: %s", every == 20 ? "trace" : "a.csv", reasons[i]);
            if (every == 8) {
                check_refusal(reason);
                break;
            }
            lab_figures f = measure_text(0.0, &info);
            assert_int_equal(info.unread, 10 + i % 2);
            assert_string_equal(info.why.text, reason);
            assert_int_equal(f.frames, 190);
            assert_int_equal(f.interval_error.count, 179);
            assert_true(f.interval_error.max_ms < 1e-9);
        }
    }
}

/* Frames at the rate of the display, of which the display repeats some: the rate is not the cause. */
TEST(repeats_at_an_equal_rate)
{
    for (uint64_t n = 22; n < 34; ++n) {
        lab_capture_info info;
        seed = n;
        double before_ms = 0.0, refresh = 0.0, at_ms = 0.0;
        text_size = 0;
        put("TimeInSeconds,MsBetweenPresents,MsCPUBusy,MsInPresentAPI,MsUntilDisplayed\n");
        for (int i = 0; i < FRAMES; ++i, before_ms = at_ms) {
            at_ms = refresh_ms * 1.0002 * i + 0.3 * random_share();
            refresh = fmax(ceil((at_ms + 0.5 * refresh_ms) / refresh_ms), refresh + 1.0);
            refresh += random_share() < 0.03 ? 1.0 : 0.0;
            put("%.9f,%.4f,4,0.2,%.4f\n", at_ms / 1e3, i > 0 ? at_ms - before_ms : refresh_ms,
                    (refresh + 1.0) * refresh_ms - at_ms);
        }
        lab_figures f = measure_text(0.0, &info);
        assert_true(f.worst[0].error_ms < -16.0);
        for (size_t i = 0; i < f.worst_count; ++i) {
            assert_true(f.worst[i].finding != LAB_IS_CAUSE || f.worst[i].cause != LAB_CAUSE_RATE);
        }
    }
}

/* --- the refresh ------------------------------------------------------------------------------ */

/* Plain frame times, or screen times that es_trace wrote, at a rate. */
static void write_display(double hz, double noise, double missed, bool screen, bool varies)
{
    double at_ms = 0.0;
    text_size = 0;
    put(screen ? "start_ns,shown_ns,content_ns\n" : "FrameTime\n");
    seed = 7;
    for (size_t i = 0; i < FRAMES; ++i) {
        double off = noise * (random_share() + random_share() - 1.0) * 1000.0 / hz;
        double before_ms = at_ms;
        at_ms += (random_share() < missed ? 2.0 : 1.0) * 1000.0 / hz + (varies ? off : 0.0);
        static double last_ms;
        double seen_ms = at_ms + (varies ? 0.0 : off);
        if (screen) {
            put("%.0f,%.0f,%.0f\n", before_ms * 1e6, (seen_ms + 50.0) * 1e6, before_ms * 1e6);
        } else if (i > 0) {
            put("%.6f\n", seen_ms - last_ms);
        }
        last_ms = seen_ms;
    }
}

/* Numbers are rounded as strtod rounds them. */
TEST(numbers_are_exact)
{
    seed = 5;
    for (int i = 0; i < 20000; ++i) {
        char number[40];
        unsigned digits = random_bits() % 15 + 1, e = random_bits() % 30;
        int size = snprintf(number, sizeof number, "%s%.*s.%0*ue%d", i % 2 ? "-" : "",
                (int)(random_bits() % 5), "9037", (int)digits % 8, random_bits() % 1000000,
                (int)e - 14);
        lab_decimal decimal;
        if (lab_decimal_of((lab_slice){number, (size_t)size}, &decimal)) {
            assert_true(lab_double_of(decimal, 0) == strtod(number, NULL));
        }
    }
}

TEST(refresh_is_found)
{
    static const struct {
        double hz, noise, missed;
        bool screen, varies;
    } cases[] = {
            {60.0, 0.002, 0.0, true, false},
            {97.0, 0.001, 0.0, true, false}, /* perhaps G-Sync */
            {59.94, 0.05, 0.02, true, false},
            {144.0, 0.05, 0.3, true, false},
            {240.0, 0.1, 0.02, true, false},
            {60.0, 0.1, 0.05, false, false},
            {75.0, 0.02, 0.5, false, false},
            {100.0, 0.1, 0.0, true, true},
            {90.0, 0.3, 0.02, true, true},
            {200.0, 0.1, 0.0, false, true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        lab_capture_info info;
        write_display(
                cases[i].hz, cases[i].noise, cases[i].missed, cases[i].screen, cases[i].varies);
        lab_figures f = measure_text(0.0, &info);
        /* frames that are all held equally long do not tell */
        lab_capture_refresh by = cases[i].varies         ? LAB_CAPTURE_REFRESH_UNKNOWN
                                 : !cases[i].screen      ? LAB_CAPTURE_REFRESH_FRAMES
                                 : cases[i].missed > 0.0 ? LAB_CAPTURE_REFRESH_SCREEN
                                                         : LAB_CAPTURE_REFRESH_EVEN;
        if (f.refresh != by
                || (!cases[i].varies && fabs(1000.0 / f.refresh_ms / cases[i].hz - 1.0) > 1e-3)) {
            fail_msg("case %zu: %.6g ms", i, f.refresh_ms);
        }
    }
}

/* What columns say of frames that are all shown equally long. */
TEST(refresh_by_columns)
{
    static const struct {
        const char *columns, *values;
        size_t longer; /* one frame in so many is held for two */
        lab_capture_refresh by;
    } cases[] = {
            {"", "", 2000, LAB_CAPTURE_REFRESH_EVEN},
            {"", "", 500, LAB_CAPTURE_REFRESH_SCREEN},
            {"PresentMode,", "Composed: Flip,", 2000, LAB_CAPTURE_REFRESH_COMPOSED},
            {"PresentMode,", "Hardware Composed: Independent Flip,", 2000,
                    LAB_CAPTURE_REFRESH_EVEN},
            {"AllowsTearing,", "1,", 500, LAB_CAPTURE_REFRESH_TEARING},
            {"AllowsTearing,PresentMode,", "1,Composed: Flip,", 500, LAB_CAPTURE_REFRESH_SCREEN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        lab_capture_info info;
        text_size = 0;
        put("%sMsBetweenPresents,MsUntilDisplayed\n", cases[i].columns);
        for (size_t n = 1; n <= 1500; ++n) {
            put("%s%d,20\n", cases[i].values, n % cases[i].longer == 0 ? 20 : 10);
        }
        lab_figures f = measure_text(0.0, &info);
        check_near("refresh", f.refresh_ms, 10.0);
        assert_int_equal(f.refresh, cases[i].by);
    }
}

/* Frames that are held for two refreshes, and few for three. */
TEST(refresh_behind_held_frames)
{
    lab_capture_info info;
    text_size = 0;
    put("start_ns,shown_ns,content_ns\n");
    for (long long i = 0, refresh = 0; i < FRAMES; ++i) {
        refresh += i % 25 == 3 ? 3 : 2;
        put("%lld,%lld,%lld\n", i * 33333333, refresh * 16666667, i * 33333333);
    }
    lab_figures f = measure_text(0.0, &info);
    assert_true(fabs(f.refresh_ms - refresh_ms) < 0.001);
    assert_int_equal(f.repeats, FRAMES / 25);
}

/* --- what an eye sees ------------------------------------------------------------------------- */

/* A frame that is shown for 40 ms instead of 10, and one of 14 ms, which is jitter. */
TEST(hitches_lows_and_the_worst_second)
{
    for (int screen = 0; screen < 2; ++screen) {
        lab_capture_info info;
        text_size = 0;
        put(screen ? "start_ns,shown_ns,content_ns\n" : "FrameTime\n");
        for (int i = 0, at = 0; i < 1000; ++i) {
            int d = i == 500 ? 40 : i == 700 ? 14 : i == 701 ? 6 : 10;
            at += i > 0 ? d : 0;
            screen  ? put("%d000000,%d000000,%d000000\n", at, at, 10 * i)
            : i > 0 ? put("%d\n", d)
                    : (void)0;
        }
        lab_figures f = measure_text(10.0, &info);
        check_near("hitches", f.hitch_ratio, 30.0 / 10020.0);
        check_near("1 % low", f.frame_time.p99_ms, 10.0);
        check_near(
                "mean of the slowest 1 %", f.frame_time.top_1_ms, (40.0 + 14.0 + 8 * 10.0) / 10.0);
        check_near("0.1 % low", f.frame_time.p999_ms, 40.0);
        check_near("mean of the slowest 0.1 %", f.frame_time.top_01_ms, 40.0);
        check_near("worst second", f.second_ms, 30.0);
        check_near("its begin", f.second_at_ms, screen ? 4030.0 : 4020.0);
        assert_int_equal(f.jumps, screen);
    }
}

/* Of the frames that show an input; a latency that cannot be read is no reason to leave one out. */
TEST(latency_from_input)
{
    static const char *const names[] = {"MsClickToPhotonLatency,MsAllInputToPhotonLatency,"
                                        "MsInstrumentedLatency,MsPCLatency",
            "ClickToPhotonLatency,AllInputToPhotonLatency,InstrumentedLatency,MsPCLatency"};
    for (size_t n = 0; n < COUNT_OF(names); ++n) {
        lab_capture_info info;
        text_size = 0;
        put("MsBetweenPresents,MsUntilDisplayed,%s\n", names[n]);
        for (int i = 0; i < 400; ++i) {
            put(i % 100 == 7 ? "10,20,%d,x,NA,0\n" : "10,20,NA,30.5,,0\n", 10 * (i / 100 + 1));
        }
        lab_figures f = measure_text(10.0, &info);
        const lab_spread *click = &f.latency[LAB_LATENCY_CLICK];
        assert_int_equal(f.frames, 400);
        assert_int_equal(click->count, 4);
        check_near("mean", click->mean_ms, 25.0);
        check_near("median", click->p50_ms, 20.0);
        check_near("p95", click->p95_ms, 40.0);
        assert_int_equal(f.latency[LAB_LATENCY_INPUT].count, 396);
        check_near("input", f.latency[LAB_LATENCY_INPUT].p99_ms, 30.5);
        assert_int_equal(f.latency[LAB_LATENCY_INSTRUMENTED].count, 0);
        assert_int_equal(f.latency[LAB_LATENCY_PC].count, 0);
    }
}

/* --- many frames ------------------------------------------------------------------------------ */

/* Up to LAB_EXACT_MAX frames percentiles are exact, beyond within 0.1 %. */
TEST(histogram)
{
    enum { MOST = LAB_EXACT_MAX + 1, LINE = 9 };
    char *numbers = malloc((size_t)MOST * LINE + 1);
    double *values = malloc(MOST * sizeof *values);
    assert_non_null(numbers);
    assert_non_null(values);
    seed = 3;
    for (size_t i = 0; i < MOST; ++i) {
        double share = random_share();
        values[i] = 5.0 + floor(900.0 * share * share * share * share * 1000.0) / 1000.0;
        snprintf(numbers + i * LINE, LINE + 1, "%8.3f\n", values[i]);
    }
    for (size_t count = LAB_EXACT_MAX; count <= MOST; ++count) {
        lab_figures f;
        lab_capture *capture = lab_capture_open_text(numbers, count * LINE, NULL, NULL);
        assert_non_null(capture);
        assert_int_equal(lab_capture_measure(capture, 0.0, &f, NULL, NULL), ES_OK);
        lab_capture_close(capture);
        lab_sort(values, count);
        const double found[] = {f.frame_time.p50_ms, f.frame_time.p95_ms, f.frame_time.p99_ms,
                f.frame_time.p999_ms};
        const double shares[] = {0.5, 0.95, 0.99, 0.999};
        assert_int_equal(f.is_exact, count == LAB_EXACT_MAX);
        for (size_t i = 0; i < COUNT_OF(shares); ++i) {
            double exact = values[(size_t)ceil(shares[i] * (double)count - 1e-6) - 1];
            assert_true(fabs(found[i] / exact - 1.0) <= (f.is_exact ? 1e-12 : 0.001));
        }
        assert_true(f.frame_time.count == count && f.frame_time.max_ms == values[count - 1]);
    }
    free(values);
    free(numbers);
}

/* --- captures that are refused ---------------------------------------------------------------- */

TEST(faulty_captures)
{
    text_size = 0;
    put("fps,frametime,elapsed\n");
    for (int i = 0; i < 50; ++i) {
        put("144,6944,%d00000000\n", i);
    }
    check_refusal("a.csv:3: frames are left out: rows are 100 ms apart, and their frame times are "
                  "shorter (MangoHud: set log_interval=0)");
    text_size = 0;
    left_out = 10;
    put_rows(PM1_HEAD, PM1_ROW);
    left_out = 0;
    check_refusal("a.csv:4: MsBetweenDisplayChange and MsUntilDisplayed contradict each other in "
                  "144 of 1350 rows: a faulty writer, or rows were left out");
    text_size = 0;
    put("start_ns,shown_ns,content_ns\n");
    for (int i = 0; i < 60; ++i) {
        put("%d0000000,%d0000000,%d0000000\n", i, i % 20 == 19 ? i - 2 : i, i);
    }
    check_refusal("a.csv:21: screen times go back in 3 of 60 rows: a faulty writer");
    text_size = 0;
    put_rows(PM1_HEAD, PM1_ROW);
    put_rows(PM1_HEAD, PM1_ROW);
    check_refusal("a.csv:1503: TimeInSeconds: 24983.9 ms before that of the last row: joined "
                  "captures?");
    text_size = 0;
    put("ms\n");
    for (int i = 0; i < 40; ++i) {
        put("%d\n", 17 * i);
    }
    options.column = "ms";
    check_refusal(
            "a.csv: ms: all values are larger than those before: times since the start instead "
            "of frame times?");
    options.column = NULL;
}

TEST(faulty_texts)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
            {"fps,frametime,elapsed\n4.27677e-05,23382126836,826485297\n60,16667,9\n",
                    "a.csv:2: frametime: must be 0 to 1000000000 us: '23382126836', as MangoHud "
                    "writes without log_interval=0"},
            {"Application,Dropped,MsBetweenPresents,MsBetweenDisplayChange\n"
             "game.exe,0,32.965,6727011648977478.000\n",
                    "a.csv:2: MsBetweenDisplayChange: must be 0 to 1000000 ms: "
                    "'6727011648977478.000', as faulty versions of PresentMon write"},
            {"start_ns,content_ns\n0,0\n", "a.csv: no two intervals to compare"},
            {"start_ns,content_ns\n0,0\n1e30,0\n",
                    "a.csv:3: start_ns: not within 115 days of the first"},
            {PM1_HEAD "\ngame.exe,7,0x1,0,1,000,16.7,16.7,0,0,0\n",
                    "a.csv:2: 11 fields, but the header has 10 (commas within numbers?)"},
            {"{", "a.csv:1: not JSON: a bracket, colon or comma is missing"},
            {"{\"Runs\":[{\"CaptureData\":{\"MsBetweenPresents\":[8,9]}}]} x",
                    "a.csv:1: not JSON: text after its end"},
            {"{\"Runs\":\n[{\"CaptureData\":{\"MsBetweenPresents\":[8,9,]}}]}",
                    "a.csv:2: not JSON: a value is no number, string, true, false or null"},
            {"{\"Runs\":[{\"CaptureData\":{\"MsBetweenPresents\":[8,9],\n\"TimeInSeconds\":[1]}}]}",
                    "a.csv:2: the arrays of CaptureData are not equally long"},
            {"{\"Runs\":[{\"CaptureData\":{\"MsBetweenPresents\":[8,9]}}], \"a\nb",
                    "a.csv:2: not JSON: a string is not closed"},
            {"{\"Runs\":[{\"CaptureData\":{\"MsBetweenPresents\":[8,[9]]}}]}",
                    "a.csv:1: not JSON of CapFrameX: arrays of numbers are nested"},
            {"{\"Runs\":[{\"CaptureData\":{\"MsBetweenPresents\":[8],\"MsBetweenPresents\":[8]}}]}",
                    "a.csv:1: an array of CaptureData is there twice"},
            {"{\"Runs\":[{\"CaptureData\":{\"TimeInSeconds\":[8]}}]}",
                    "a.csv:1: CaptureData without MsBetweenPresents: not CapFrameX's"},
            {"{\"Runs\":[{\"CaptureData\":{\"MsBetweenPresents\":[8]}},\n{\"CaptureData\":{"
             "\"MsBetweenPresents\":[8],\"TimeInSeconds\":[8]}}]}",
                    "a.csv:2: the runs have different arrays"},
            {"{\"Game\":\"a\"}",
                    "a.csv:1: JSON without Runs[].CaptureData.MsBetweenPresents: not CapFrameX's"},
            {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
                    "a.csv:1: not JSON of CapFrameX: nested too deeply"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        text_size = 0;
        put("%s", cases[i].text);
        check_refusal(cases[i].message);
    }
}

/* Frames on both sides of a row that does not say when the next one began are not compared. */
TEST(rows_without_a_frame_time)
{
    lab_capture_info info;
    text_size = 0;
    put("FrameTime,CPUBusy,DisplayLatency\n10,3,20\n10,3,20\nNA,3,20\n10,3,20\n10,3,21\n");
    lab_figures f = measure_text(0.0, &info);
    assert_int_equal(f.interval_error.count, 3);
    check_near("error", f.animation_error.max_ms, 1.0);
    text_size = 0;
    put("MsBetweenPresents,MsUntilDisplayed,MsInPresentAPI\n10,20,1\n10,20,1\n0,20,1\n10,20,1\n10,"
        "21,1\n");
    f = measure_text(0.0, &info);
    assert_int_equal(f.interval_error.count, 3);
    check_near("error", f.animation_error.max_ms, 1.0);
}

/* The runs of a file follow each other, and are not compared. */
TEST(json_runs)
{
    lab_capture_info info;
    text_size = 0;
    put("{\"Runs\": [");
    for (int run = 0; run < 3; ++run) {
        put("%s{\"CaptureData\": {\"TimeInSeconds\": [%s], \"MsBetweenPresents\": [%s]}}",
                run > 0 ? "," : "", run == 1 ? "" : "5, 5.01, 5.02, 5.03",
                run == 1 ? "" : "10, 10, 10, null");
    }
    put("]}");
    lab_figures f = measure_text(0.0, &info);
    assert_int_equal(f.frames, 8);
    assert_int_equal(f.frame_time.count, 6);
    check_near("seconds", f.seconds, 0.06);
    check_near("worst", f.worst[0].error_ms, 10.0);
}

/* --- a crash ---------------------------------------------------------------------------------- */

/* A capture that is cut anywhere has the frames before the cut. */
TEST(trace_that_is_cut)
{
    write_trace_returns();
    size_t whole = text_size;
    size_t lines = 0, next = 0;
    for (size_t size = 0; size <= whole && lines < 30; ++size) {
        lab_capture_frame frame;
        lab_capture_error error;
        lab_capture *capture = lab_capture_open_text(text, size, NULL, &error);
        size_t frames = 0;
        while (capture != NULL && lab_capture_next(capture, &frame, &error) == ES_OK) {
            check_near("start", frame.cpu_start_ms, ms(truth[frames].cpu - truth[0].present));
            check_near("returned", frame.present_end_ms,
                    ms(truth[frames].returned - truth[0].present));
            check_near("content", frame.content_ms, ms(truth[frames].content - truth[0].content));
            assert_true(frame.work_ms == 3.0);
            frames += 1;
        }
        lines += size > 0 && text[size - 1] == '\n';
        next = lines > 2 ? lines - 2 : 0; /* a comment and the header */
        assert_int_equal(frames, next);
        if (capture != NULL) {
            assert_int_equal(lab_capture_get_info(capture)->is_cut, text[size - 1] != '\n');
        }
        lab_capture_close(capture);
    }
    assert_int_equal(next, 28);
}

TEST(trace_that_cannot_be_written)
{
    es_report report = {.source = ES_SHOWN_PLANNED};
    assert_null(es_trace_create("no/such/folder/a.csv"));
    assert_non_null(strstr(es_get_error(), "No such file"));
    assert_null(es_trace_create(NULL));
    assert_false(es_trace_frame(NULL, &report));
    assert_false(es_trace_destroy(NULL));
    remove(trace_path);
    es_trace *trace = es_trace_create(trace_path);
    assert_false(es_trace_frame(trace, NULL));
    report.frame.begun_ns = INT64_MIN; /* the longest numbers */
    report.submit_ns = report.frame.content_ns = report.frame.late_ns = INT64_MIN;
    for (int i = 0; i < 200; ++i) {
        assert_true(es_trace_frame(trace, &report));
        report.submit_ns = report.frame.begun_ns = INT64_MAX;
        report.returned_ns = i < 5 ? 0 : INT64_MAX;
    }
    assert_true(es_trace_destroy(trace));
    read_back();
    assert_non_null(
            strstr(text, "\n0,-9223372036854775808,0,0,,,0,0\n"
                         "9223372036854775807,-9223372036854775808,0,9223372036854775807,"));
    assert_true(text[text_size - 1] == '\n');
}

TEST_SETUP(make_frames)
