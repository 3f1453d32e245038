/* SPDX-License-Identifier: Zlib
 *
 * plan: what the layer adds to the creation of a device to get screen times.
 */
#ifndef CAPTURE_LAYER_PLAN_H
#define CAPTURE_LAYER_PLAN_H

#include "capture/layer/chain.h"

/* Of the next layer. features: NULL where the instance has no such function. */
typedef struct layer_physical_calls {
    PFN_vkEnumerateDeviceExtensionProperties extensions;
    PFN_vkGetPhysicalDeviceFeatures2 features;
} layer_physical_calls;

/* A program's create info with the additions. It points to itself. */
typedef struct layer_plan {
    VkDeviceCreateInfo info;
    const char **names; /* of the extensions; free it. NULL: nothing is added */
    VkPhysicalDevicePresentIdFeaturesKHR id;
    VkPhysicalDevicePresentWaitFeaturesKHR wait;
} layer_plan;

/* info is the program's. */
void layer_plan_make(layer_plan *plan, const layer_physical_calls *calls, VkPhysicalDevice physical,
        layer_times *times);

bool layer_enables(const char *const *names, uint32_t count, const char *name);

/* The first structure of a type in a chain of pNext; NULL: there is none. */
const void *layer_find_struct(const void *next, VkStructureType type);

#endif
