/* SPDX-License-Identifier: Zlib
 *
 * chain: the frames of one swap chain, and their screen times.
 */
#ifndef CAPTURE_LAYER_CHAIN_H
#define CAPTURE_LAYER_CHAIN_H

#include "capture/layer/feed.h"
#include "capture/layer/log.h"

#include <vulkan/vulkan_core.h>

/* What a device has for screen times, by VK_GOOGLE_display_timing or by VK_KHR_present_id and
 * VK_KHR_present_wait. */
typedef struct layer_times {
    VkDevice device;
    bool google, waits;
    bool theirs; /* the program enabled it: the ids are its own, and it reads the times of GOOGLE */
    PFN_vkGetPastPresentationTimingGOOGLE past;
    PFN_vkWaitForPresentKHR wait;
} layer_times;

/* A reading of the calling thread's clocks. */
typedef struct layer_moment {
    const void *thread;
    int64_t ns, cpu_ns, blocked_ns; /* blocked: in all */
} layer_moment;

layer_moment layer_now(void);
void layer_blocked_since(int64_t from_ns); /* the calling thread was, since then */

typedef struct layer_chain layer_chain;

/* feed may be NULL. NULL: out of memory. */
layer_chain *layer_chain_begin(const layer_times *times, VkSwapchainKHR handle, layer_feed *feed);

/* Before present: whether the chain needs a present id, and a new one. */
bool layer_chain_needs_id(const layer_chain *chain);
uint64_t layer_chain_id(layer_chain *chain);
void layer_chain_submit(layer_chain *chain);

/* After it. id: of this present, 0: it has none. */
void layer_chain_returned(layer_chain *chain, const layer_moment *submit,
        const layer_moment *returned, VkResult result, uint64_t id);

/* Screen times that VK_GOOGLE_display_timing gave. */
void layer_chain_take(
        layer_chain *chain, const VkPastPresentationTimingGOOGLE *past, uint32_t count);

/* Ends the thread of the chain, if it has one. */
void layer_chain_stop(layer_chain *chain);

/* Before the chain is replaced or destroyed: takes the last screen times, and ends the thread. */
void layer_chain_retire(layer_chain *chain);
void layer_chain_free(layer_chain *chain);

#endif
