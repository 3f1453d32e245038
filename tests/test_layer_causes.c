/* SPDX-License-Identifier: Zlib
 *
 * Programs with a fault, captured by the layer in virtual time, and what `evenstep measure` says of the file: wake-ups
 * that come late, draws that take long, presents that block longer than the display needs.
 *
 *   EVENSTEP_REAL=1 unit_layer layer_causes     in real time, two minutes: prints how many are right
 */
#include "test_support.h"

#include "capture/measure.h"
#include "layer_fake.h"
#include "test_random.h"


enum { FRAMES = 900, FRAMES_REAL = 300, RUNS = 20, NONE = LAB_CAUSES };

typedef enum paced_by { BY_PRESENT, BY_ACQUIRE, BY_TIMER, PACES } paced_by;

static const char path[] = "test_layer_causes.csv";

/* The program and its display. In virtual time the layer's clocks are the test's. */
static struct {
    test_random random;
    int64_t period_ns;
    paced_by pace;
    lab_cause fault;
    int64_t shown_ns[4]; /* of the frames before, the newest first */
    bool is_real;
} run;

static int64_t now_ns(void)
{
    return run.is_real ? es_now_ns() : fake.now_ns;
}

static void sleep_until(int64_t ns)
{
    if (run.is_real) {
        es_wait_until(ns);
    } else if (ns > fake.now_ns) {
        fake.now_ns = ns;
    }
}

static void sleep_for(int64_t ns)
{
    sleep_until(now_ns() + ns);
}

static void work(int64_t ns)
{
    int64_t end_ns = now_ns() + ns;
    while (run.is_real && es_now_ns() < end_ns) {
    }
    if (!run.is_real) {
        fake.now_ns += ns;
        fake.cpu_ns += ns;
    }
}

static bool faulty(lab_cause fault)
{
    return run.fault == fault && chance(&run.random, 25);
}

static int64_t between(int64_t low_ns, int64_t high_ns)
{
    return low_ns + random_below(&run.random, high_ns - low_ns);
}

/* A present: shown at the first refresh that no other frame has. It blocks until two are waiting. */
static int64_t show(void)
{
    int64_t refresh = now_ns() / run.period_ns + 1;
    int64_t first = run.shown_ns[0] / run.period_ns + 1;
    int64_t shown_ns = (refresh > first ? refresh : first) * run.period_ns;
    int64_t free_ns = run.shown_ns[1];
    memmove(&run.shown_ns[1], &run.shown_ns[0], 3 * sizeof run.shown_ns[0]);
    run.shown_ns[0] = shown_ns;
    if (run.pace == BY_PRESENT && free_ns > now_ns()) {
        sleep_until(free_ns + between(0, MS / 10));
    }
    sleep_for(between(MS / 20, MS / 10));
    if (faulty(LAB_CAUSE_PRESENT)) {
        sleep_for(between(run.period_ns / 2, 2 * run.period_ns));
    }
    return shown_ns;
}

static void draw_frame(fake_device *device, VkSwapchainKHR chain, int64_t plan_ns)
{
    uint32_t index;
    if (run.pace == BY_TIMER && plan_ns > now_ns()) {
        int64_t late_ns = faulty(LAB_CAUSE_WAKE) ? between(run.period_ns / 3, run.period_ns) : 0;
        sleep_until(plan_ns + between(0, MS / 10) + late_ns);
    }
    int64_t more_ns = faulty(LAB_CAUSE_CPU) ? between(run.period_ns, 2 * run.period_ns) : 0;
    work(between(run.period_ns / 5, run.period_ns / 4) + more_ns);
    if (run.pace == BY_ACQUIRE) {
        int64_t left_ns = run.shown_ns[1] - now_ns();
        fake.block_ns = left_ns > 0 ? left_ns : 1;
    }
    device->AcquireNextImageKHR(device->device, chain, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, &index);
    fake.block_ns = 0;
    assert_int_equal(fake_present(device, 1, &chain, NULL, false), VK_SUCCESS);
}

static void capture_run(void)
{
    fake_device device;
    remove(path);
    fake_restart(path);
    fake.offers = FAKE_GOOGLE;
    fake.now_ns = run.is_real ? 0 : 1000 * MS;
    fake.show = show;
    VkInstance instance = fake_instance_make(VK_API_VERSION_1_1, false);
    assert_true(fake_device_make(&device, instance, 0, false));
    VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
    int64_t begin_ns = now_ns() / run.period_ns * run.period_ns + run.period_ns / 3;
    for (int i = 0; i < (run.is_real ? FRAMES_REAL : FRAMES); ++i) {
        draw_frame(&device, chain, begin_ns + i * run.period_ns);
    }
    device.DestroySwapchainKHR(device.device, chain, NULL);
    fake_device_end(&device);
    fake_instance_end(instance, false);
}

/* The cause that explains most. */
static size_t found_cause(void)
{
    static lab_figures figures;
    lab_capture_error error = {"", 0};
    lab_capture *capture = lab_capture_open(path, &(lab_capture_options){0}, &error);
    assert_non_null(capture);
    es_result result = lab_capture_measure(capture, 0.0, &figures, NULL, &error);
    lab_capture_close(capture);
    remove(path);
    assert_string_equal(error.text, "");
    assert_int_equal(result, ES_OK);
    size_t most = NONE;
    for (size_t c = 0; c < LAB_CAUSES; ++c) {
        bool is_cause = figures.causes[c].finding == LAB_IS_CAUSE;
        if (is_cause && (most == NONE || figures.causes[c].share > figures.causes[most].share)) {
            most = c;
        }
    }
    return most;
}

/* In each pace in which the fault can be: without a timer nothing wakes up late but in present. */
TEST(faults_are_named)
{
    static const lab_cause faults[] = {
            LAB_CAUSE_WAKE, LAB_CAUSE_CPU, LAB_CAUSE_PRESENT, (lab_cause)NONE};
    int right = 0, of = 0;
    run.is_real = getenv("EVENSTEP_REAL") != NULL;
    for (size_t f = 0; f < COUNT_OF(faults) - (run.is_real ? 1 : 0); ++f) {
        for (uint64_t seed = 1; seed <= RUNS; ++seed) {
            run.pace = faults[f] == LAB_CAUSE_WAKE ? BY_TIMER : (paced_by)(seed % PACES);
            run.fault = faults[f];
            run.random.state = 977 * seed + f;
            run.period_ns = 1000 * MS / (seed % 2 == 0 && !run.is_real ? 60 : 144);
            memset(run.shown_ns, 0, sizeof run.shown_ns);
            capture_run();
            size_t cause = found_cause();
            if (cause != faults[f]) {
                print_message("fault %d, pace %d, seed %d: named %zu\n", (int)faults[f], (int)run.pace,
                        (int)seed, cause);
            }
            right += cause == faults[f];
            of += 1;
        }
    }
    print_message("causes of captured runs: %d of %d right\n", right, of);
    assert_true(right * 20 >= of * 19);
}
