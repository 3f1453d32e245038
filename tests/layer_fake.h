/* SPDX-License-Identifier: Zlib
 *
 * A loader and a driver without a display, around the capture layer (capture/layer): for test_capture_layer.c,
 * layer_cost.c and fuzz/fuzz_layer.c. The driver checks what the layer passes on, and aborts where the
 * specification does not allow it.
 */
#ifndef LAYER_FAKE_H
#define LAYER_FAKE_H

#include <vulkan/vulkan_core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FAKE_REQUIRE(holds)                                                                        \
    ((holds) ? (void)0                                                                             \
             : (fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds),         \
                     abort()))

enum { FAKE_GOOGLE = 1, FAKE_ID = 2, FAKE_WAIT = 4, FAKE_SHOWN_MAX = 4096, FAKE_LATE = 2 };

extern struct fake {
    unsigned offers, features; /* FAKE_...; of features ID and WAIT */
    bool refuses_features;     /* a device with more than the swapchain's extension is refused */
    bool no_device;
    bool never_shown;         /* vkWaitForPresentKHR: times out, at once */
    VkResult present, create; /* results of the calls */
    VkResult one;             /* of the first chain of a present, if not VK_SUCCESS */
    int64_t block_ns;         /* that waiting calls take */
    int64_t now_ns, cpu_ns;   /* the layer's clocks; now_ns 0: those of the system */
    int64_t (*show)(void);    /* returns the screen time of a present; NULL: a millisecond later */
    unsigned tries;           /* at creating devices */
    unsigned enabled;         /* extensions of the device made last */
    int waits;                /* calls of vkWaitForPresentKHR that gave a time */
    size_t presents;          /* that succeeded, chains counted one by one */
    /* GOOGLE: the screen time of each; only if one thread presents */
    int64_t shown_ns[FAKE_SHOWN_MAX];
} fake;

typedef struct fake_device {
    VkInstance instance;
    VkDevice device;
    VkQueue queue, other;
#define FAKE_CALLS(X)                                                                              \
    X(DestroyDevice)                                                                               \
    X(CreateSwapchainKHR)                                                                          \
    X(DestroySwapchainKHR)                                                                         \
    X(QueuePresentKHR)                                                                             \
    X(AcquireNextImageKHR)                                                                         \
    X(AcquireNextImage2KHR)                                                                        \
    X(WaitForFences)                                                                               \
    X(QueueWaitIdle)                                                                               \
    X(DeviceWaitIdle)                                                                              \
    X(GetPastPresentationTimingGOOGLE)                                                             \
    X(WaitForPresentKHR)                                                                           \
    X(GetDeviceQueue)
#define FAKE_MEMBER(name) PFN_vk##name name;
    FAKE_CALLS(FAKE_MEMBER)
} fake_device;

/* A new file of the layer, as in another process; NULL: none is asked for. */
void fake_restart(const char *path);

/* The end of the driver, as its library has it at exit. */
void fake_close(void);

/* Through the layer; direct: without it. */
VkInstance fake_instance_make(uint32_t version, bool direct);
void fake_instance_end(VkInstance instance, bool direct);

/* theirs: extensions, FAKE_..., that the program enables itself. False: refused. */
bool fake_device_make(fake_device *made, VkInstance instance, unsigned theirs, bool direct);
void fake_device_end(fake_device *device);

VkSwapchainKHR fake_chain_make(fake_device *device, VkSwapchainKHR old);

/* ids: of the program, or NULL. google: by VkPresentTimesInfoGOOGLE. */
VkResult fake_present(fake_device *device, uint32_t count, const VkSwapchainKHR *chains,
        const uint64_t *ids, bool google);

/* A row of the file; -1: empty. */
typedef struct fake_row {
    char name[16];
    int64_t pid, chain, start_ns, submit_ns, returned_ns, shown_ns, cpu_ns, blocked_ns;
} fake_row;

/* Reads the file, and checks that each row is whole and its times are in order; aborts else. */
size_t fake_read(const char *path, fake_row *rows, size_t most);

#endif
