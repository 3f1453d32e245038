/* SPDX-License-Identifier: Zlib */
#include "capture/layer/plan.h"

#include <stdlib.h>
#include <string.h>

enum { GOOGLE, ID, WAIT, EXTENSIONS };
static const char *const extensions[EXTENSIONS] = {
        "VK_GOOGLE_display_timing", "VK_KHR_present_id", "VK_KHR_present_wait"};

static const VkStructureType id_type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR;
static const VkStructureType wait_type =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR;

bool layer_enables(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

const void *layer_find_struct(const void *next, VkStructureType type)
{
    const VkBaseInStructure *at = next;
    while (at != NULL && at->sType != type) {
        at = at->pNext;
    }
    return at;
}

/* Which extensions the device has. */
static void find_offered(
        const layer_physical_calls *calls, VkPhysicalDevice physical, bool offered[EXTENSIONS])
{
    uint32_t count = 0;
    VkExtensionProperties *list = NULL;
    if (calls->extensions(physical, NULL, &count, NULL) >= 0) {
        list = calloc(count + 1, sizeof *list);
    }
    if (list != NULL && calls->extensions(physical, NULL, &count, list) >= 0) {
        for (uint32_t i = 0; i < EXTENSIONS * count; ++i) {
            const char *name = list[i / EXTENSIONS].extensionName;
            offered[i % EXTENSIONS] |= strcmp(name, extensions[i % EXTENSIONS]) == 0;
        }
    }
    free(list);
}

/* Whether the device has both features. */
static bool has_features(const layer_physical_calls *calls, VkPhysicalDevice physical)
{
    VkPhysicalDevicePresentWaitFeaturesKHR wait = {.sType = wait_type};
    VkPhysicalDevicePresentIdFeaturesKHR id = {.sType = id_type, .pNext = &wait};
    VkPhysicalDeviceFeatures2 all = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &id};
    if (calls->features != NULL) {
        calls->features(physical, &all);
    }
    return id.presentId && wait.presentWait;
}

static void add_extension(layer_plan *plan, int which)
{
    if (!layer_enables(plan->names, plan->info.enabledExtensionCount, extensions[which])) {
        plan->names[plan->info.enabledExtensionCount++] = extensions[which];
    }
}

/* A feature that the program left off explicitly stays off. */
static bool add_features(layer_plan *plan, bool *theirs)
{
    const VkPhysicalDevicePresentIdFeaturesKHR *id = layer_find_struct(plan->info.pNext, id_type);
    const VkPhysicalDevicePresentWaitFeaturesKHR *wait =
            layer_find_struct(plan->info.pNext, wait_type);
    *theirs = id != NULL;
    if ((id != NULL && !id->presentId) || (wait != NULL && !wait->presentWait)) {
        return false;
    }
    if (id == NULL) {
        plan->id.sType = id_type;
        plan->id.pNext = (void *)(uintptr_t)plan->info.pNext;
        plan->id.presentId = VK_TRUE;
        plan->info.pNext = &plan->id;
    }
    if (wait == NULL) {
        plan->wait.sType = wait_type;
        plan->wait.pNext = (void *)(uintptr_t)plan->info.pNext;
        plan->wait.presentWait = VK_TRUE;
        plan->info.pNext = &plan->wait;
    }
    add_extension(plan, ID);
    add_extension(plan, WAIT);
    return true;
}

void layer_plan_make(layer_plan *plan, const layer_physical_calls *calls, VkPhysicalDevice physical,
        layer_times *times)
{
    const char *const *theirs = plan->info.ppEnabledExtensionNames;
    uint32_t count = plan->info.enabledExtensionCount;
    bool offered[EXTENSIONS] = {false};
    plan->names = calloc(count + EXTENSIONS, sizeof *plan->names);
    if (plan->names == NULL) {
        return;
    }
    memcpy(plan->names, theirs, count * sizeof *theirs);
    plan->info.ppEnabledExtensionNames = plan->names;
    find_offered(calls, physical, offered);
    if (offered[GOOGLE]) {
        times->google = true;
        times->theirs = layer_enables(theirs, count, extensions[GOOGLE]);
        add_extension(plan, GOOGLE);
    } else if (offered[ID] && offered[WAIT] && has_features(calls, physical)) {
        times->waits = add_features(plan, &times->theirs);
    }
}
