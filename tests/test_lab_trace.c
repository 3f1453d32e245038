/* SPDX-License-Identifier: Zlib
 *
 * Reading captures: what is accepted, every refusal with its message, real files where they are.
 */
#include "test_support.h"

#include "capture/trace.h"

typedef struct reading {
    es_result result;
    int64_t costs_ns[16];
    size_t count, skipped;
    int64_t total_ns;
    lab_capture_info info;
    lab_capture_error error;
} reading;

static reading read_some(const char *text, size_t size, const lab_capture_options *options)
{
    reading r = {0};
    lab_trace trace;
    r.result =
            lab_trace_take(&trace, lab_capture_open_text(text, size, options, &r.error), &r.error);
    for (size_t i = 0; i < trace.count && i < 16; ++i) {
        r.costs_ns[i] = trace.costs_ns[i];
    }
    r.count = trace.count;
    r.skipped = trace.skipped;
    r.total_ns = trace.total_ns;
    r.info = trace.info;
    lab_trace_free(&trace);
    return r;
}

static reading read_with(const char *text, const lab_capture_options *options)
{
    return read_some(text, strlen(text), options);
}

static reading read(const char *text)
{
    return read_with(text, NULL);
}

static void check_costs(const reading *r, const int64_t *expected_ns, size_t count)
{
    if (r->result != ES_OK) {
        fail_msg("%s", r->error.text);
    }
    assert_int_equal(r->count, count);
    int64_t total_ns = 0;
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(r->costs_ns[i], expected_ns[i]);
        total_ns += expected_ns[i];
    }
    assert_int_equal(r->total_ns, total_ns);
}

TEST(plain_numbers)
{
    const int64_t expected_ns[] = {16600000, 17000000, 1, 250000, 1000000000000, 1500000};
    reading r = read("# a comment\n\n16.6\n 17 \t\r\n0.0000005\n0\n2.5e-1\n1E+6\n+.15e1");
    check_costs(&r, expected_ns, 6);
    assert_int_equal(r.info.rows, 7);
    assert_int_equal(r.skipped, 1);
    assert_string_equal(r.info.column, "");
}

TEST(many_digits)
{
    const int64_t expected_ns[] = {17592300, 16666667, 16666667, 1, 123456789012};
    reading r = read("17.59230000000000\n16.66666666666666666666666666\n"
                     "16666666666666666666666666e-24\n"
                     "0.00000000000000000000000000001e23\n123456.7890123456789\n");
    check_costs(&r, expected_ns, 5);
}

TEST(line_ends)
{
    const int64_t expected_ns[] = {1000000, 2000000, 3000000};
    reading r = read("\xEF\xBB\xBF"
                     "1\r\n2\r\n3\r\n");
    check_costs(&r, expected_ns, 3);
    r = read("FrameTime\r\n1\r\n\r\n2\n3");
    check_costs(&r, expected_ns, 3);
}

TEST(named_column)
{
    const int64_t expected_ns[] = {2000000, 5000000};
    lab_capture_options options = {.column = "gpu ms"};
    reading r = read_with(
            "cpu,gpu ms,note\n1,2,\"a, b\"\n4,5,\"say \"\"no\"\"\nand more\"\n", &options);
    check_costs(&r, expected_ns, 2);
    assert_string_equal(r.info.column, "gpu ms");
    r = read_with("cpu,\"gpu ms\"\n1, 2 \n9,NA\n9,\n9,-\n4,5\n", &options);
    check_costs(&r, expected_ns, 2);
    assert_int_equal(r.skipped, 3);
}

static const char present_mon[] = "Application,ProcessID,Dropped,MsBetweenPresents,Comment\n"
                                  "dwm.exe,1,0,16.7,x\n"
                                  "game.exe,2,0,0.000,x\n"
                                  "\"Game.exe\",2,1,8.3\n"
                                  "dwm.exe,1,0,16.6,x\n"
                                  "game.exe,2,0,8.4,x\n";

TEST(processes)
{
    const int64_t game_ns[] = {8300000, 8400000};
    const int64_t dwm_ns[] = {16700000, 16600000};
    reading r = read(present_mon);
    check_costs(&r, game_ns, 2);
    assert_string_equal(r.info.process, "game.exe");
    assert_int_equal(r.info.rows, 5);
    assert_int_equal(r.skipped, 1);
    lab_capture_options options = {.process = "DWM.EXE"};
    r = read_with(present_mon, &options);
    check_costs(&r, dwm_ns, 2);
    assert_string_equal(r.info.process, "dwm.exe");
}

/* What programs write, with names and figures of our own. Columns: MangoHud v0.6.0, v0.6.8, v0.6.9
 * and v0.8.4, src/logging.cpp. The other formats: test_lab_capture.c. */
static const struct kind {
    const char *name;
    const char *text;
    const char *column;
    int64_t costs_ns[4];
    size_t count;
    bool in_us;
} kinds[] = {
        {"MangoHud 0.6.0, a mean rate",
                "os,cpu,gpu,ram,kernel,driver\n"
                "\"An OS, 12\",A CPU,\"A GPU,16384,6.1.0,\n"
                "fps,frametime,cpu_load,gpu_load,elapsed\n"
                "60.2,16500,20,50,1000\n"
                "60.2,1500000,20,50,2000\n"
                "59.8,17100,20,50,3000\n",
                "frametime", {16500000, 1500000000, 17100000}, 3, true},
        {"MangoHud 0.6.8",
                "os,cpu,gpu,ram,kernel,driver,cpuscheduler\n"
                "An OS,A CPU,A GPU,16384,6.1.0,,performance\n"
                "fps,frametime,cpu_load,gpu_load,cpu_temp,gpu_temp,elapsed\n"
                "354.485,2821,4.5,0,0,0,5641522\n"
                "0.625,1600000,4.5,0,0,0,8462731\n"
                "inf,0,4.5,0,0,0,8462732\n"
                "1000000,1,4.5,0,0,0,8462733\n",
                "frametime", {2821000, 1600000000, 1000}, 3, true},
        {"MangoHud 0.8.4",
                "os,cpu,gpu,ram,kernel,driver,cpuscheduler\n"
                "An OS,A CPU,A GPU,16384,6.1.0,,performance\n"
                "fps,frametime,cpu_load,cpu_power,gpu_load,elapsed\n"
                "49.9594,20.0163,3.3,0,0,39991331\n"
                "0.625,1600,3.3,0,0,60029893\n"
                "2000,0.5,3.3,0,0,60029894\n",
                "frametime", {20016300, 1600000000, 500000}, 3, false},
        {"MangoHud, log_versioning",
                "v1\nv0.8.4\n"
                "---------------------SYSTEM INFO---------------------\n"
                "os,cpu,gpu,ram,kernel,driver,cpuscheduler\n"
                "An OS,A CPU,A GPU,16384,6.1.0,,performance\n"
                "--------------------FRAME METRICS--------------------\n"
                "fps,frametime,cpu_load,elapsed\n"
                "60,16.6667,3.3,39991331\n",
                "frametime", {16666700}, 1, false},
};

TEST(kinds_of_files)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        const struct kind *k = &kinds[i];
        reading r = read(k->text);
        if (r.result != ES_OK) {
            fail_msg("%s: %s", k->name, r.error.text);
        }
        check_costs(&r, k->costs_ns, k->count);
        assert_string_equal(r.info.column, k->column);
        assert_int_equal(r.info.in_us, k->in_us);
        lab_capture_options options = {.column = k->column};
        r = read_with(k->text, &options);
        check_costs(&r, k->costs_ns, k->count);
        assert_int_equal(r.info.in_us, k->in_us);
    }
}

/* Cut anywhere: an error that names the file and a line that it has, or fewer costs, none of them
 * made of half a number. */
TEST(kinds_that_are_cut)
{
    size_t refused = 0;
    size_t read_in_part = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        const struct kind *k = &kinds[i];
        size_t lines = 1;
        for (size_t size = 0; k->text[size] != '\0'; ++size) {
            const lab_capture_options options = {.name = "a.csv"};
            reading r = read_some(k->text, size, &options);
            if (r.result == ES_OK) {
                read_in_part += 1;
                assert_true(r.count <= k->count);
                check_costs(&r, k->costs_ns, r.count);
            } else {
                char place[32];
                refused += 1;
                snprintf(place, sizeof place, "a.csv:%zu: ", r.error.line);
                bool bare = strcmp(r.error.text, "a.csv: no frame times in it") == 0;
                assert_true(bare ? size < 4 : strncmp(r.error.text, place, strlen(place)) == 0);
                assert_true(r.error.line <= lines);
            }
            lines += k->text[size] == '\n';
        }
    }
    assert_true(refused > 0 && read_in_part > 0);
}

static void check_refusal(const char *text, const lab_capture_options *options, const char *message)
{
    reading r = read_with(text, options);
    assert_int_equal(r.result, ES_ERR_INVALID);
    assert_string_equal(r.error.text, message);
    assert_null(lab_capture_open_text("", 0, NULL, NULL));
}

TEST(refusals)
{
    const lab_capture_options named = {.name = "a.csv"};
    const lab_capture_options column = {.column = "x", .name = "a.csv"};
    const lab_capture_options process = {.process = "quake", .name = "a.csv"};
    check_refusal("", NULL, "trace: no frame times in it");
    check_refusal("# only a comment\n\n", &named, "a.csv: no frame times in it");
    check_refusal("0\n0.0\n", &named, "a.csv: no frame times in it");
    check_refusal("FrameTime\nNA\n", &named, "a.csv:1: no frame times below this header");
    check_refusal("1\n2\nabc\n", &named, "a.csv:3: frame time: not a number: 'abc'");
    check_refusal("1\n1.2.3\n", &named, "a.csv:2: frame time: not a number: '1.2.3'");
    check_refusal("1\n1e\n", &named, "a.csv:2: frame time: not a number: '1e'");
    check_refusal("1\n.\n", &named, "a.csv:2: frame time: not a number: '.'");
    check_refusal("1\n1,5\n", &named, "a.csv:2: frame time: not a number: '1,5'");
    check_refusal("1\nnan\n", &named, "a.csv:2: frame time: not a number: 'nan'");
    check_refusal("1\n-2\n", &named, "a.csv:2: frame time: must be 0 to 1000000 ms: '-2'");
    check_refusal("1\n1e99\n", &named, "a.csv:2: frame time: must be 0 to 1000000 ms: '1e99'");
    check_refusal(
            "1\n1000001\n", &named, "a.csv:2: frame time: must be 0 to 1000000 ms: '1000001'");
    check_refusal("1\n\x01\xC3\xA4 and a very long line indeed\n", &named,
            "a.csv:2: frame time: not a number: '??? and a very long line'");
    check_refusal("a,b\n1,2\n", &named,
            "a.csv:2: no number, and no header up to here has MsBetweenPresents or FrameTime "
            "(--column NAME takes another one)");
    check_refusal("a,b\n1,2\n", &column, "a.csv:2: no header up to here has a column 'x'");
    check_refusal("//x\n", &column, "a.csv:1: no header up to here has a column 'x'");
    check_refusal("a,x\n1,2\n1\n", &column, "a.csv:3: 1 fields, but the header has 2");
    check_refusal("a,x\n1,zwei\n", &column, "a.csv:2: x: not a number: 'zwei'");
    check_refusal("a,x\n\"1,2\n3,4\n", &column, "a.csv:2: a quote is not closed");
    check_refusal("a,x\n\"1\"2,3\n", &column, "a.csv:2: text after a closing quote");
    check_refusal("a,\"x\n", &column, "a.csv:1: a quote is not closed");
    check_refusal("FrameTime\n1\n", &process,
            "a.csv:1: a process is given, but there is no column Application");
    check_refusal("Application,FrameTime\ndoom,1\n", &process, "a.csv: no rows of process 'quake'");
    check_refusal("Application,FrameTime\n", &process, "a.csv:1: no frame times below this header");
}

/* Each kind, damaged. */
TEST(damaged_kinds)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
            {"os,cpu\nAn OS,A CPU\nfps,frametime,elapsed\n",
                    "a.csv:3: no frame times below this header"},
            {"os,cpu\nAn OS,A CPU\nfps,frameti", "a.csv:3: no number, and no header up to here has "
                                                 "MsBetweenPresents or FrameTime "
                                                 "(--column NAME takes another one)"},
            {"os,cpu\n\"An OS,A CPU\nfps,frameti", "a.csv:2: a quote is not closed"},
            {"os,cpu\nAn OS,A CPU\nfps,frametime,elapsed\n60,16.7,1\n60,1",
                    "a.csv:5: the file ends in this row: 2 fields instead of 3"},
            {"os,cpu\nAn OS,A CPU\nfps,frametime\n60,166.67\n60,166.67\n",
                    "a.csv:3: frametime: ms or us? fps * frametime is about 1000 in 0 and 1000000 "
                    "in 0 of 2 rows"},
            {"fps,frametime\n60,16.667\n60,16667\n",
                    "a.csv:1: frametime: ms or us? fps * frametime is about 1000 in 1 and 1000000 "
                    "in 1 of 2 rows"},
            {"//GameName=game.exe\n//Comment=\nApplication,MsBetweenPres",
                    "a.csv:3: no number, and no header up to here has MsBetweenPresents or "
                    "FrameTime (--column NAME takes another one)"},
            {"{\"Runs\":[{\"CaptureData\":{\"MsBetweenPresents\":[8.3,-1]}}]}",
                    "a.csv:2: MsBetweenPresents: must be 0 to 1000000 ms: '-1'"},
    };
    const lab_capture_options named = {.name = "a.csv"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        check_refusal(cases[i].text, &named, cases[i].message);
    }
}

/* A header stands among the first 1024 lines. */
TEST(long_preamble)
{
    const lab_capture_options named = {.name = "a.csv"};
    for (size_t lines = 1022; lines <= 1025; ++lines) {
        char text[4096] = "";
        for (size_t i = 0; i < lines; ++i) {
            strcat(text, i % 3 == 0 ? "//\n" : "v\n");
        }
        strcat(text, "FrameTime\n8\n");
        if (lines < 1024) {
            const int64_t expected_ns[] = {8000000};
            reading r = read(text);
            check_costs(&r, expected_ns, 1);
        } else {
            check_refusal(text, &named,
                    "a.csv:1024: no number, and no header up to here has MsBetweenPresents or "
                    "FrameTime (--column NAME takes another one)");
        }
    }
}

/* Without fps beside it a frame time is in ms, and so is any other column. */
TEST(other_columns_are_ms)
{
    const int64_t expected_ns[] = {2000000, 5000000};
    reading r = read("frametime,load\n2,1\n5,1\n");
    check_costs(&r, expected_ns, 2);
    r = read("fps,MsBetweenPresents\n60,2\n60,5\n");
    check_costs(&r, expected_ns, 2);
    lab_capture_options options = {.column = "gpu_ms"};
    r = read_with("fps,frametime,gpu_ms\n60,16667,2\n60,16667,5\n", &options);
    check_costs(&r, expected_ns, 2);
    assert_false(r.info.in_us);
}

/* es_trace writes the work of a frame; another program's capture has the distance of starts. */
TEST(costs_of_es_trace)
{
    const int64_t expected_ns[] = {2000000, 3000000};
    reading r = read("start_ns,work_ns,content_ns\n0,2000000,0\n16000000,3000000,9\n");
    check_costs(&r, expected_ns, 2);
    r = read("start_ns,content_ns\n7,0\n2000007,9\n5000007,9\n");
    check_costs(&r, expected_ns, 2);
    assert_int_equal(r.skipped, 1);
}

/* 60 Hz, queue 2: present n returns a little after flip n - 2. In the second file returns do not wait
 * for flips. */
TEST(flips_and_late_returns_of_es_trace)
{
    static const char head[] =
            "start_ns,late_ns,work_ns,submit_ns,returned_ns,shown_ns,content_ns,series\n";
    for (int waits = 0; waits < 2; ++waits) {
        static char text[32768];
        size_t size = (size_t)snprintf(text, sizeof text, "%s", head);
        for (long long n = 3; n < 200; ++n) {
            long long flip_ns = n * 16666667, late_ns = 20000 + n % 10 * 10000;
            long long begin_ns = flip_ns - 33333334 + 100000;
            long long return_ns = (waits != 0 ? flip_ns - 16666667 : begin_ns + 10000000) + late_ns;
            size += (size_t)snprintf(text + size, sizeof text - size,
                    "%lld,0,3000000,%lld,%lld,%lld,%lld,0\n", begin_ns, begin_ns + 3000000,
                    return_ns, flip_ns, flip_ns);
        }
        lab_trace trace;
        lab_capture_error error;
        assert_int_equal(
                lab_trace_take(&trace, lab_capture_open_text(text, size, NULL, &error), &error),
                ES_OK);
        assert_true(trace.refresh_ms > 16.66 && trace.refresh_ms < 16.67);
        assert_int_equal(trace.late_count > 190, waits);
        if (waits != 0) {
            assert_in_range(trace.late_ns[0], 19000, 21000);
            assert_in_range(trace.late_ns[LAB_TRACE_QUANTILES / 2], 59000, 71000);
            assert_in_range(trace.late_ns[LAB_TRACE_QUANTILES - 1], 109000, 111000);
        }
        lab_trace_free(&trace);
    }
}

TEST(lines_are_counted_through_quotes)
{
    const lab_capture_options column = {.column = "x", .name = "a.csv"};
    check_refusal("a,x\n\"1\n\n\",2\n3,no\n", &column, "a.csv:5: x: not a number: 'no'");
}

TEST(too_many_columns)
{
    char text[2200];
    memset(text, ',', sizeof text);
    text[0] = 'a';
    text[sizeof text - 1] = '\0';
    check_refusal(text, NULL, "trace:1: more than 2048 columns");
}

TEST(files)
{
    lab_capture_error error;
    assert_null(lab_capture_open("no/such/file", NULL, &error));
    assert_string_equal(error.text, "no/such/file: cannot be opened");
    assert_null(lab_capture_open("no/such/file", NULL, NULL));
    assert_null(lab_capture_open("/", NULL, &error));
    lab_capture_close(NULL);
}
