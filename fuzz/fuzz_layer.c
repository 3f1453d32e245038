/* SPDX-License-Identifier: Zlib
 *
 * The capture layer, between a loader and a driver of tests/layer_fake.c: valid calls in any order, of
 * several instances, devices and swap chains, with results of any kind. The driver checks what it is
 * given. After each input the file has a row per present that succeeded, whole and in order.
 */
#define _GNU_SOURCE /* mkdtemp */

#include "../tests/layer_fake.h"
#include "fuzz_bytes.h"

#include <string.h>
#include <unistd.h>

enum { DEVICES = 3, CHAINS = 4, CALLS = 120, ROWS_MAX = DEVICES * CHAINS * CALLS };

typedef struct used {
    bool alive;
    unsigned theirs;
    fake_device device;
    VkSwapchainKHR chains[CHAINS];
    uint64_t id; /* of the program's presents */
} used;

static used devices[DEVICES];
static fake_row rows[ROWS_MAX];
static char path[64];

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static char folder[] = "/tmp/fuzz_layer_XXXXXX";
    (void)argc;
    (void)argv;
    require(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/x.csv", folder);
    return 0;
}

static void begin_device(used *u, unsigned bits)
{
    static const uint32_t versions[] = {
            0, VK_API_VERSION_1_0, VK_API_VERSION_1_1, VK_API_VERSION_1_3};
    VkInstance instance = fake_instance_make(versions[bits % 4], false);
    u->theirs = (bits >> 2) & fake.offers;
    if ((u->theirs & fake.features & FAKE_ID) == 0) {
        u->theirs &= FAKE_GOOGLE; /* wait needs id */
    }
    u->theirs &= fake.features | FAKE_GOOGLE;
    u->alive = fake_device_make(&u->device, instance, u->theirs, false);
    u->id = 0;
    if (!u->alive) {
        fake_instance_end(instance, false);
    }
}

static void destroy_chain(used *u, int i)
{
    u->device.DestroySwapchainKHR(u->device.device, u->chains[i], NULL);
    u->chains[i] = VK_NULL_HANDLE;
}

static void end_device(used *u)
{
    for (int i = 0; i < CHAINS; ++i) {
        destroy_chain(u, i);
    }
    fake_device_end(&u->device);
    fake_instance_end(u->device.instance, false);
    u->alive = false;
}

/* With up to all chains, and with ids where the program enabled them. */
static void present(used *u, unsigned bits)
{
    VkSwapchainKHR chains[CHAINS];
    uint64_t ids[CHAINS];
    uint32_t count = 0;
    u->id += 1 + bits % 7;
    for (int i = 0; i < CHAINS; ++i) {
        if (u->chains[i] != VK_NULL_HANDLE && (bits >> i & 1) != 0) {
            ids[count] = (bits & 64) != 0 && i % 2 != 0 ? 0 : u->id;
            chains[count++] = u->chains[i];
        }
    }
    bool google = (u->theirs & FAKE_GOOGLE) != 0;
    bool has_ids = (u->theirs & (google ? FAKE_GOOGLE : FAKE_ID)) != 0 && (bits & 16) != 0;
    if (count > 0) {
        (void)fake_present(&u->device, count, chains, has_ids ? ids : NULL, google);
    }
}

static void wait(used *u, unsigned bits)
{
    uint32_t index;
    VkPastPresentationTimingGOOGLE past[4];
    uint32_t count = bits % 5;
    VkSwapchainKHR chain = u->chains[bits % CHAINS];
    if (chain != VK_NULL_HANDLE) {
        u->device.AcquireNextImageKHR(
                u->device.device, chain, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, &index);
        if ((u->theirs & FAKE_GOOGLE) != 0) {
            u->device.GetPastPresentationTimingGOOGLE(
                    u->device.device, chain, &count, (bits & 32) != 0 ? past : NULL);
        }
    }
    u->device.WaitForFences(u->device.device, 0, NULL, VK_TRUE, 0);
    u->device.QueueWaitIdle((bits & 16) != 0 ? u->device.queue : u->device.other);
    u->device.DeviceWaitIdle(u->device.device);
}

static void set_results(unsigned bits)
{
    static const VkResult results[] = {
            VK_SUCCESS, VK_SUBOPTIMAL_KHR, VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_DEVICE_LOST};
    fake.present = results[bits % 4];
    fake.one = (bits & 16) != 0 ? VK_ERROR_SURFACE_LOST_KHR : VK_SUCCESS;
    fake.create = (bits & 32) != 0 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
    fake.refuses_features = (bits & 64) != 0;
    fake.no_device = (bits & 128) != 0;
}

static void one_call(used *u, unsigned kind, unsigned bits)
{
    if (!u->alive) {
        begin_device(u, bits);
    } else if (kind < 4) {
        present(u, bits);
    } else if (kind == 4) {
        wait(u, bits);
    } else if (kind == 5) {
        set_results(bits);
    } else if (kind == 6 && (bits & 8) == 0) {
        VkSwapchainKHR *place = &u->chains[bits % CHAINS], old = *place;
        *place = fake_chain_make(&u->device, old); /* may fail: the old one is retired anyhow */
        if (old != VK_NULL_HANDLE) {
            u->device.DestroySwapchainKHR(u->device.device, old, NULL);
        }
    } else if (kind == 6) {
        destroy_chain(u, (int)bits % CHAINS);
    } else if (bits % 8 == 0) {
        end_device(u);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    remove(path);
    unsigned bits = byte_from(&in);
    fake_restart((bits & 64) != 0 ? NULL : path);
    fake.offers = bits & 7;
    fake.features = bits >> 3 & fake.offers;
    for (int i = 0; i < CALLS && in.data < in.end; ++i) {
        unsigned kind = byte_from(&in);
        one_call(&devices[kind / 8 % DEVICES], kind % 8, byte_from(&in));
    }
    for (int i = 0; i < DEVICES; ++i) {
        if (devices[i].alive) {
            end_device(&devices[i]);
        }
    }
    require(access(path, F_OK) == 0 ? fake_read(path, rows, ROWS_MAX) == fake.presents
                                    : fake.presents == 0 || (bits & 64) != 0);
    remove(path);
    return 0;
}
