/* SPDX-License-Identifier: Zlib
 *
 * CPU time of a frame with and without the capture layer, by a driver that does nothing: an acquire, a fence and a
 * present per frame.
 *
 *   layer_cost [FRAMES]
 */
#define _GNU_SOURCE /* clock_gettime */

#include "layer_fake.h"

#include <time.h>
#include <unistd.h>

static const char path[] = "layer_cost.csv";

static double used_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double frame_ns(const char *file, unsigned offers, bool direct, int frames)
{
    fake_device d;
    uint32_t index;
    remove(path);
    fake_restart(file);
    fake.offers = fake.features = offers;
    VkInstance instance = fake_instance_make(VK_API_VERSION_1_1, direct);
    FAKE_REQUIRE(fake_device_make(&d, instance, 0, direct));
    VkSwapchainKHR chain = fake_chain_make(&d, VK_NULL_HANDLE);
    double from_ns = used_ns();
    for (int i = 0; i < frames; ++i) {
        d.AcquireNextImageKHR(d.device, chain, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, &index);
        d.WaitForFences(d.device, 0, NULL, VK_TRUE, 0);
        fake_present(&d, 1, &chain, NULL, false);
    }
    double cost_ns = (used_ns() - from_ns) / frames;
    d.DestroySwapchainKHR(d.device, chain, NULL);
    fake_device_end(&d);
    fake_instance_end(instance, direct);
    remove(path);
    return cost_ns;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 100000;
    printf("CPU ns per frame: without the layer %.0f, off %.0f, no screen times %.0f, "
           "VK_GOOGLE_display_timing %.0f, present_wait %.0f\n",
            frame_ns(NULL, 0, true, frames), frame_ns(NULL, 0, false, frames),
            frame_ns(path, 0, false, frames), frame_ns(path, FAKE_GOOGLE, false, frames),
            frame_ns(path, FAKE_ID | FAKE_WAIT, false, frames));
    return 0;
}
