/* SPDX-License-Identifier: Zlib
 *
 * The capture layer (capture/layer) between a loader and a driver of tests/layer_fake.c: what the driver is
 * given, what the program gets back, and what is in the file.
 */
#define _GNU_SOURCE /* fork, pipe */

#include "test_support.h"

#include "layer_fake.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS_MAX = 20000 };

static const char path[] = "test_capture_layer.csv";
static fake_row rows[ROWS_MAX];
static fake_device device;
static VkInstance instance;

/* A device with a new file. */
static void begin(unsigned offers, unsigned theirs)
{
    fake.offers = offers;
    fake.features = offers;
    instance = fake_instance_make(VK_API_VERSION_1_1, false);
    assert_true(fake_device_make(&device, instance, theirs, false));
}

static void end(void)
{
    fake_device_end(&device);
    fake_instance_end(instance, false);
}

static int restart(void **state)
{
    (void)state;
    remove(path);
    fake_restart(path);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    remove(path);
    return 0;
}
#define LAYER_TEST(name) TEST_WITH(name, restart, clear)

static void present(VkSwapchainKHR chain, int count)
{
    for (int i = 0; i < count; ++i) {
        assert_int_equal(fake_present(&device, 1, &chain, NULL, false), fake.present);
    }
}

static void destroy(VkSwapchainKHR chain)
{
    device.DestroySwapchainKHR(device.device, chain, NULL);
}

static size_t count_shown(size_t count)
{
    size_t shown = 0;
    for (size_t i = 0; i < count; ++i) {
        shown += rows[i].shown_ns >= 0;
    }
    return shown;
}

LAYER_TEST(without_screen_times)
{
    begin(0, 0);
    VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
    present(chain, 100);
    destroy(chain);
    destroy(VK_NULL_HANDLE);
    end();
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 100);
    assert_int_equal(count_shown(100), 0);
    for (size_t i = 0; i < 100; ++i) {
        assert_true(rows[i].pid == getpid() && rows[i].chain == 1);
        assert_true(rows[i].cpu_ns >= 0 && rows[i].blocked_ns == 0);
    }
    assert_memory_equal(rows[0].name, "unit_layer     ", 15);
}

LAYER_TEST(time_in_calls_that_wait)
{
    uint32_t index;
    const VkAcquireNextImageInfoKHR info = {
            .sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR, .timeout = 1};
    begin(0, 0);
    VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
    fake.block_ns = 2 * MS;
    for (int i = 0; i < 5; ++i) {
        if (i == 0) {
            device.AcquireNextImageKHR(
                    device.device, chain, 1, VK_NULL_HANDLE, VK_NULL_HANDLE, &index);
            assert_int_equal(index, 1);
        } else if (i == 1) {
            device.AcquireNextImage2KHR(device.device, &info, &index);
            assert_int_equal(index, 2);
        } else if (i == 2) {
            device.WaitForFences(device.device, 0, NULL, VK_TRUE, 1);
        } else if (i == 3) {
            device.QueueWaitIdle(device.other);
        } else {
            device.DeviceWaitIdle(device.device);
        }
        present(chain, 1);
    }
    destroy(chain);
    end();
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 5);
    for (size_t i = 0; i < 5; ++i) {
        assert_true(rows[i].blocked_ns >= 2 * MS && rows[i].cpu_ns < rows[i].blocked_ns);
    }
}

/* Each row has the time of its frame; those of the last are not there yet. */
static void check_google(unsigned theirs, bool reads)
{
    VkPastPresentationTimingGOOGLE past[8];
    uint32_t count;
    begin(FAKE_GOOGLE | FAKE_ID | FAKE_WAIT, theirs);
    assert_int_equal(fake.enabled & 7, FAKE_GOOGLE);
    VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
    for (uint64_t i = 1; i <= 300; ++i) {
        fake_present(&device, 1, &chain, theirs != 0 ? &i : NULL, true);
        if (reads && i % 4 == 0) {
            count = 8;
            assert_true(device.GetPastPresentationTimingGOOGLE(device.device, chain, &count, past)
                        >= 0);
            assert_int_equal(count, i == 4 ? 4 - FAKE_LATE : 4);
            assert_int_equal(past[0].presentID, i == 4 ? 1 : i - 3 - FAKE_LATE);
        }
    }
    destroy(chain);
    end();
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 300);
    assert_int_equal(count_shown(300), theirs != 0 && !reads ? 0 : 300 - FAKE_LATE);
    for (size_t i = 0; i < count_shown(300); ++i) {
        assert_int_equal(rows[i].shown_ns, fake.shown_ns[i]);
    }
}

LAYER_TEST(google_display_timing)
{
    check_google(0, false);
}

/* What the program reads is not taken away from it. */
LAYER_TEST(google_display_timing_of_the_program)
{
    check_google(FAKE_GOOGLE, true);
}

/* ids that the driver's rule of growth holds for */
static void check_wait(unsigned offers, unsigned theirs, bool has_ids, bool expected)
{
    begin(offers, theirs);
    assert_int_equal(fake.enabled & 7, expected ? FAKE_ID | FAKE_WAIT : theirs);
    VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
    for (uint64_t i = 10; i <= 1000; i += 10) {
        int waits = __atomic_load_n(&fake.waits, __ATOMIC_RELAXED);
        fake_present(&device, 1, &chain, has_ids ? &i : NULL, false);
        while (expected && __atomic_load_n(&fake.waits, __ATOMIC_RELAXED) == waits) {
            sched_yield(); /* until the thread has waited for it */
        }
    }
    destroy(chain);
    end();
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 100);
    assert_in_range(count_shown(100), expected ? 99 : 0, expected ? 100 : 0);
}

LAYER_TEST(present_wait)
{
    check_wait(FAKE_ID | FAKE_WAIT, 0, false, true);
}

LAYER_TEST(present_wait_with_ids_of_the_program)
{
    check_wait(FAKE_ID | FAKE_WAIT, FAKE_ID, true, true);
}

LAYER_TEST(present_wait_that_the_program_has_enabled)
{
    check_wait(FAKE_ID | FAKE_WAIT, FAKE_ID | FAKE_WAIT, true, true);
}

LAYER_TEST(present_ids_alone_are_not_enough)
{
    check_wait(FAKE_ID, 0, false, false);
}

LAYER_TEST(present_wait_without_its_feature)
{
    fake.offers = FAKE_ID | FAKE_WAIT;
    fake.features = FAKE_ID;
    instance = fake_instance_make(VK_API_VERSION_1_1, false);
    assert_true(fake_device_make(&device, instance, 0, false));
    assert_true((fake.enabled & 7) == 0 && fake.tries == 1);
    end();
}

/* Features cannot be asked for there. */
LAYER_TEST(instance_of_version_1_0)
{
    fake.offers = fake.features = FAKE_ID | FAKE_WAIT;
    for (uint32_t version = 0; version <= VK_API_VERSION_1_0; version += VK_API_VERSION_1_0) {
        instance = fake_instance_make(version, false);
        assert_true(fake_device_make(&device, instance, 0, false));
        assert_int_equal(fake.enabled & 7, 0);
        VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
        present(chain, 3);
        destroy(chain);
        end();
    }
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 6);
}

LAYER_TEST(driver_that_refuses_what_is_added)
{
    fake.refuses_features = true;
    begin(FAKE_ID | FAKE_WAIT, 0);
    assert_true((fake.enabled & 7) == 0 && fake.tries == 2);
    VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
    present(chain, 3);
    destroy(chain);
    end();
    fake.no_device = true;
    instance = fake_instance_make(VK_API_VERSION_1_3, false);
    assert_false(fake_device_make(&device, instance, 0, false));
    fake_instance_end(instance, false);
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 3);
}

/* Handles of the chains of two devices are the same. */
LAYER_TEST(two_instances_devices_and_chains)
{
    fake_device devices[2];
    VkInstance instances[2];
    VkSwapchainKHR chains[2][2];
    for (int i = 0; i < 2; ++i) {
        instances[i] = fake_instance_make(VK_API_VERSION_1_1, false);
        assert_true(fake_device_make(&devices[i], instances[i], 0, false));
        chains[i][0] = fake_chain_make(&devices[i], VK_NULL_HANDLE);
        chains[i][1] = fake_chain_make(&devices[i], VK_NULL_HANDLE);
    }
    for (int i = 0; i < 20; ++i) {
        assert_int_equal(fake_present(&devices[i % 2], 2, chains[i % 2], NULL, false), VK_SUCCESS);
    }
    for (int i = 0; i < 2; ++i) {
        devices[i].DestroySwapchainKHR(devices[i].device, chains[i][1], NULL);
        assert_int_equal(fake_present(&devices[i], 1, chains[i], NULL, false), VK_SUCCESS);
        devices[i].DestroySwapchainKHR(devices[i].device, chains[i][0], NULL);
        fake_device_end(&devices[i]);
        fake_instance_end(instances[i], false);
    }
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 42);
    for (size_t i = 0; i < 40; ++i) {
        assert_int_equal(rows[i].chain, 1 + i % 4);
    }
    assert_true(rows[40].chain == 1 && rows[41].chain == 3);
}

/* 16 have ids; all have rows. */
LAYER_TEST(present_of_many_chains)
{
    VkSwapchainKHR chains[17];
    begin(FAKE_GOOGLE, 0);
    for (size_t i = 0; i < COUNT_OF(chains); ++i) {
        chains[i] = fake_chain_make(&device, VK_NULL_HANDLE);
    }
    for (uint32_t count = 15; count <= 17; ++count) {
        assert_int_equal(fake_present(&device, count, chains, NULL, false), VK_SUCCESS);
    }
    for (size_t i = 0; i < COUNT_OF(chains); ++i) {
        destroy(chains[i]);
    }
    end();
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 15 + 16 + 17);
}

LAYER_TEST(presents_that_fail)
{
    begin(FAKE_GOOGLE, 0);
    VkSwapchainKHR chains[2] = {
            fake_chain_make(&device, VK_NULL_HANDLE), fake_chain_make(&device, VK_NULL_HANDLE)};
    present(chains[0], 2);
    fake.present = VK_ERROR_OUT_OF_DATE_KHR;
    present(chains[0], 3);
    fake.present = VK_SUBOPTIMAL_KHR;
    present(chains[0], 4);
    fake.present = VK_SUCCESS;
    fake.one = VK_ERROR_SURFACE_LOST_KHR; /* of the first of two */
    assert_int_equal(fake_present(&device, 2, chains, NULL, false), VK_ERROR_SURFACE_LOST_KHR);
    fake.one = VK_SUCCESS;
    present(chains[0], 4);
    destroy(chains[0]);
    destroy(chains[1]);
    end();
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 11);
    for (size_t i = 0; i < 11; ++i) {
        assert_int_equal(rows[i].chain, i == 6 ? 2 : 1);
        assert_true(rows[i].shown_ns < 0 || rows[i].shown_ns == fake.shown_ns[i]);
    }
}

LAYER_TEST(resized)
{
    begin(FAKE_ID | FAKE_WAIT, 0);
    VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
    for (int i = 0; i < 8; ++i) {
        present(chain, 5);
        VkSwapchainKHR old = chain;
        if (i == 4) { /* retires the old one all the same */
            fake.create = VK_ERROR_OUT_OF_HOST_MEMORY;
            assert_true(fake_chain_make(&device, old) == VK_NULL_HANDLE);
            fake.create = VK_SUCCESS;
            chain = fake_chain_make(&device, VK_NULL_HANDLE);
        } else {
            chain = fake_chain_make(&device, old);
        }
        present(old, 1); /* an image that it had */
        destroy(old);
    }
    destroy(chain);
    end();
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 48);
    for (size_t i = 0; i < 48; ++i) {
        assert_int_equal(rows[i].chain, 1 + i / 6);
    }
}

typedef struct presenter {
    fake_device *device;
    VkSwapchainKHR chain;
} presenter;

enum { PRESENTERS = 4, EACH = 500 };

static void *run(void *data)
{
    presenter *p = data;
    for (int i = 0; i < EACH; ++i) {
        FAKE_REQUIRE(fake_present(p->device, 1, &p->chain, NULL, false) == VK_SUCCESS);
        p->device->DeviceWaitIdle(p->device->device);
    }
    return NULL;
}

static void check_threads(unsigned offers)
{
    pthread_t threads[PRESENTERS];
    presenter presenters[PRESENTERS];
    begin(offers, 0);
    for (size_t i = 0; i < PRESENTERS; ++i) {
        presenters[i] = (presenter){&device, fake_chain_make(&device, VK_NULL_HANDLE)};
        assert_int_equal(pthread_create(&threads[i], NULL, run, &presenters[i]), 0);
    }
    for (size_t i = 0; i < PRESENTERS; ++i) {
        pthread_join(threads[i], NULL);
        destroy(presenters[i].chain);
    }
    end();
    assert_int_equal(fake_read(path, rows, ROWS_MAX), PRESENTERS * EACH);
}

LAYER_TEST(threads)
{
    check_threads(0);
}

LAYER_TEST(threads_and_google)
{
    check_threads(FAKE_GOOGLE);
}

LAYER_TEST(threads_and_present_wait)
{
    check_threads(FAKE_ID | FAKE_WAIT);
}

/* A frame that another thread began has no CPU time. */
LAYER_TEST(frames_of_two_threads)
{
    pthread_t thread;
    begin(0, 0);
    presenter p = {&device, fake_chain_make(&device, VK_NULL_HANDLE)};
    present(p.chain, 1);
    assert_int_equal(pthread_create(&thread, NULL, run, &p), 0);
    pthread_join(thread, NULL);
    present(p.chain, 2);
    destroy(p.chain);
    end();
    assert_int_equal(fake_read(path, rows, ROWS_MAX), EACH + 3);
    for (size_t i = 0; i < EACH + 3; ++i) {
        bool other = i == 1 || i == EACH + 1;
        assert_true(other == (rows[i].cpu_ns < 0) && other == (rows[i].blocked_ns < 0));
    }
}

/* --- processes -------------------------------------------------------------------------------- */

static int status_of(pid_t child)
{
    int status = 0;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

/* The child may even destroy what it has. */
LAYER_TEST(forked_child_writes_nothing)
{
    begin(FAKE_ID | FAKE_WAIT, 0);
    VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
    present(chain, 3);
    while (__atomic_load_n(&fake.waits, __ATOMIC_RELAXED) < 3) {
        sched_yield(); /* or the driver's lock is held in the child */
    }
    pid_t child = fork();
    if (child == 0) {
        present(chain, 5);
        destroy(chain);
        _exit(0);
    }
    assert_int_equal(status_of(child), 0);
    present(chain, 3);
    destroy(chain);
    end();
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 6);
}

/* The child says how many presents have returned; it may have written one more. */
LAYER_TEST(killed_program_leaves_whole_rows)
{
    for (unsigned offers = 0; offers <= FAKE_GOOGLE; offers += FAKE_GOOGLE) {
        int ends[2];
        char last = 0;
        size_t returned = 0;
        restart(NULL);
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            begin(offers, 0);
            VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
            for (;;) {
                present(chain, 1);
                FAKE_REQUIRE(write(ends[1], &last, 1) == 1);
            }
        }
        for (; returned < 2000; ++returned) {
            assert_int_equal(read(ends[0], &last, 1), 1);
        }
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_true(WIFSIGNALED(status_of(child)));
        close(ends[1]);
        while (read(ends[0], &last, 1) == 1) {
            returned += 1;
        }
        close(ends[0]);
        assert_in_range(fake_read(path, rows, ROWS_MAX), returned, returned + 1);
    }
}

/* The driver may be gone when a program ends that destroyed nothing. */
LAYER_TEST(program_that_exits)
{
    pid_t child = fork();
    if (child == 0) {
        FAKE_REQUIRE(atexit(fake_close) == 0); /* a driver registers it first */
        begin(FAKE_ID | FAKE_WAIT, 0);
        VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
        fake_chain_make(&device, VK_NULL_HANDLE);
        fake.never_shown = true;
        present(chain, 3);
        exit(0);
    }
    assert_int_equal(status_of(child), 0);
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 3);
}

/* --- files ------------------------------------------------------------------------------------ */

/* The layer changes nothing, and says why in one line. */
static void check_no_file(const char *where, const char *why)
{
    char said[200] = "";
    int kept = dup(2), ends[2];
    assert_true(kept >= 0 && pipe(ends) == 0);
    fake_restart(where);
    dup2(ends[1], 2);
    begin(FAKE_GOOGLE | FAKE_ID | FAKE_WAIT, 0);
    VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
    present(chain, 10);
    destroy(chain);
    end();
    dup2(kept, 2);
    close(kept);
    close(ends[1]);
    ssize_t size = read(ends[0], said, sizeof said - 1);
    close(ends[0]);
    assert_true((fake.enabled & 7) == 0 && fake.presents == 10);
    assert_true(size >= 0);
    if (why == NULL) {
        assert_string_equal(said, "");
    } else {
        char expected[200];
        snprintf(expected, sizeof expected, "evenstep capture: %s: %s\n", where, why);
        assert_string_equal(said, expected);
    }
}

LAYER_TEST(off_unless_asked_for)
{
    check_no_file(NULL, NULL);
    check_no_file("", NULL);
    assert_int_equal(access(path, F_OK), -1);
}

LAYER_TEST(file_that_exists_is_kept)
{
    char text[8] = "";
    FILE *file = fopen(path, "wb");
    fputs("kept", file);
    fclose(file);
    check_no_file(path, "File exists");
    file = fopen(path, "rb");
    assert_int_equal(fread(text, 1, sizeof text, file), 4);
    fclose(file);
    assert_string_equal(text, "kept");
}

LAYER_TEST(file_that_cannot_be_made)
{
    check_no_file("no/such/folder/x.csv", "No such file or directory");
    if (access("/dev/full", W_OK) == 0) {
        check_no_file("/dev/full", "File exists");
    }
}

LAYER_TEST(file_named_by_the_process)
{
    char name[64];
    fake_restart("1");
    begin(0, 0);
    VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
    present(chain, 10);
    destroy(chain);
    end();
    snprintf(name, sizeof name, "evenstep-capture-%ld.csv", (long)getpid());
    assert_int_equal(fake_read(name, rows, ROWS_MAX), 10);
    remove(name);
}

/* A limit of the size, which would end the program with SIGXFSZ. In a child: it stays. */
LAYER_TEST(file_that_is_full)
{
    pid_t child = fork();
    if (child == 0) {
        struct rlimit most = {.rlim_cur = 128 * 5 + 60, .rlim_max = RLIM_INFINITY};
        FAKE_REQUIRE(
                freopen("/dev/null", "w", stderr) != NULL && setrlimit(RLIMIT_FSIZE, &most) == 0);
        begin(FAKE_GOOGLE, 0);
        VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
        present(chain, 20);
        destroy(chain);
        end();
        _exit(fake.presents == 20 ? 0 : 1);
    }
    assert_int_equal(status_of(child), 0);
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 4);
}

/* What a program prints does not get into the file. */
LAYER_TEST(program_without_stderr)
{
    pid_t child = fork();
    if (child == 0) {
        close(0);
        close(1);
        close(2);
        begin(0, 0);
        VkSwapchainKHR chain = fake_chain_make(&device, VK_NULL_HANDLE);
        fake_present(&device, 1, &chain, NULL, false);
        _exit(write(2, "x", 1) == 1 ? 1 : 0);
    }
    assert_int_equal(status_of(child), 0);
    assert_int_equal(fake_read(path, rows, ROWS_MAX), 1);
}
