/* SPDX-License-Identifier: Zlib
 *
 * es_vulkan: when frames of a Vulkan swapchain were seen, and when they are to be seen. One header, to copy,
 * after <vulkan/vulkan.h> or volk.h; needs evenstep.c. Tested by a fake dispatch table; not run on a driver.
 *
 *     es_vk_timing_capabilities can = {.sType = ES_VK_TYPE(TIMING_CAPABILITIES)};
 *     surface_capabilities.pNext = &can;                    // VK_EXT_present_timing; else can stays 0
 *     vkGetPhysicalDeviceSurfaceCapabilities2KHR(gpu, &surface_info, &surface_capabilities);
 *     info.flags |= can.presentTimingSupported ? ES_VK_SWAPCHAIN_FLAGS : 0;
 *     vkCreateSwapchainKHR(device, &info, NULL, &swapchain);
 *     es_vulkan es;
 *     es_vulkan_open(&es, loop, device, vkGetDeviceProcAddr); // false: es.missing says why
 *     es_vulkan_swapchain(&es, swapchain, &info, &can);     // after each vkCreateSwapchainKHR
 *     es_present seen[ES_VULKAN_SAMPLES];
 *     for (es_frame frame; es_loop_next(loop, &frame);) {
 *         draw(&previous, &current, frame.alpha);           // after frame.ticks ticks
 *         es_loop_submit(loop);
 *         es_vulkan_present(&es, queue, &present, &frame);  // instead of vkQueuePresentKHR
 *         es_loop_end(loop);
 *         es_vulkan_take(&es, seen);                        // tells the loop what was seen
 *     }
 *     es_vulkan_swapchain(&es, VK_NULL_HANDLE, NULL, NULL); // before the loop or the device is destroyed
 *
 * Enable VK_GOOGLE_display_timing, or VK_EXT_present_timing with VK_KHR_present_id2,
 * VK_KHR_calibrated_timestamps and their features (es_vk_timing_features, es_vk_id2), or both. Without a
 * feature presentAt...Time, set can.presentAt...TimeSupported to 0. Targets need a FIFO present mode.
 * GOOGLE's clock is es_now_ns's on Linux and Android: config.clock stays 0. One thread calls all functions.
 * Presents get a VkPresentId2KHR, es.swap.id: chain none of your own.
 * Structures and semantics: Vulkan-Headers and specification, tag vulkan-sdk-1.4.357.0. Those of
 * VK_EXT_present_timing are declared here as es_vk_...: headers before 1.4.335 lack them.
 */
#ifndef EVENSTEP_ADAPTERS_ES_VULKAN_H
#define EVENSTEP_ADAPTERS_ES_VULKAN_H

#include "evenstep/evenstep.h"

#include <string.h>

/* clang-format off */
enum { /* VK_STRUCTURE_TYPE_ */
    ES_VK_TIMESTAMP_INFO = 1000184000, ES_VK_TIMING_FEATURES = 1000208000, ES_VK_TIMING_PROPERTIES,
    ES_VK_DOMAIN_PROPERTIES, ES_VK_TIMINGS_INFO, ES_VK_TIMING_INFO, ES_VK_PAST_INFO, ES_VK_PAST_PROPERTIES,
    ES_VK_PAST_TIMING, ES_VK_TIMING_CAPABILITIES, ES_VK_CALIBRATED_INFO,
    ES_VK_ID2_CAPABILITIES = 1000479000, ES_VK_PRESENT_ID2, ES_VK_ID2_FEATURES,
    ES_VK_QUEUE_FULL = -1000208000, /* VK_ERROR_PRESENT_TIMING_ */
    ES_VK_SWAPCHAIN_FLAGS = 0x240, /* VK_SWAPCHAIN_CREATE_PRESENT_: ID_2 and TIMING */
    ES_VK_STAGE_DEQUEUED = 2, ES_VK_STAGE_OUT = 4, ES_VK_STAGE_VISIBLE = 8, /* VK_PRESENT_STAGE_ */
    ES_VK_AT_RELATIVE = 1, ES_VK_AT_NEAREST = 2, /* VK_PRESENT_TIMING_INFO_PRESENT_ */
    ES_VK_DOMAIN_DEVICE = 0, ES_VK_DOMAIN_MONOTONIC, ES_VK_DOMAIN_RAW, ES_VK_DOMAIN_COUNTER,
    ES_VK_DOMAIN_STAGE = 1000208000, ES_VK_DOMAIN_SWAPCHAIN, /* VK_TIME_DOMAIN_ */
    ES_VK_FIFO_LATEST_READY = 1000361000 /* VK_PRESENT_MODE_ */
};
#define ES_VK_TYPE(name) ES_CAST_(VkStructureType, ES_VK_##name)
#define ES_VK_HEAD_ VkStructureType sType; const void *pNext;
typedef struct { ES_VK_HEAD_ VkBool32 presentTiming, presentAtAbsoluteTime, presentAtRelativeTime;
} es_vk_timing_features;
typedef struct { ES_VK_HEAD_ VkBool32 presentId2; } es_vk_id2; /* feature, and ability of a surface */
typedef struct { ES_VK_HEAD_ VkBool32 presentTimingSupported, presentAtAbsoluteTimeSupported,
    presentAtRelativeTimeSupported; VkFlags presentStageQueries; } es_vk_timing_capabilities;
typedef struct { ES_VK_HEAD_ uint64_t refreshDuration, refreshInterval; } es_vk_timing_properties;
typedef struct { ES_VK_HEAD_ uint32_t timeDomainCount, *pTimeDomains; uint64_t *pTimeDomainIds;
} es_vk_domain_properties;
typedef struct { ES_VK_HEAD_ uint32_t timeDomain; } es_vk_timestamp_info;
typedef struct { ES_VK_HEAD_ VkSwapchainKHR swapchain; VkFlags presentStage; uint64_t timeDomainId;
} es_vk_calibrated_info;
typedef struct { ES_VK_HEAD_ VkFlags flags; uint64_t targetTime, timeDomainId;
    VkFlags presentStageQueries, targetTimeDomainPresentStage; } es_vk_timing_info;
typedef struct { ES_VK_HEAD_ uint32_t swapchainCount; const es_vk_timing_info *pTimingInfos;
} es_vk_timings_info;
typedef struct { ES_VK_HEAD_ uint32_t swapchainCount; const uint64_t *pPresentIds; } es_vk_present_id2;
typedef struct { ES_VK_HEAD_ VkFlags flags; VkSwapchainKHR swapchain; } es_vk_past_info;
typedef struct { VkFlags stage; uint64_t time; } es_vk_stage_time;
typedef struct { ES_VK_HEAD_ uint64_t presentId, targetTime; uint32_t presentStageCount;
    es_vk_stage_time *pPresentStages; uint32_t timeDomain; uint64_t timeDomainId;
    VkBool32 reportComplete; } es_vk_past_timing;
typedef struct { ES_VK_HEAD_ uint64_t timingPropertiesCounter, timeDomainsCounter;
    uint32_t presentationTimingCount; es_vk_past_timing *pPresentationTimings; } es_vk_past_properties;

/* Functions of the device, in the order of es_vulkan_open. */
typedef struct es_vulkan_calls {
    PFN_vkQueuePresentKHR present;
    PFN_vkGetRefreshCycleDurationGOOGLE get_cycle;
    PFN_vkGetPastPresentationTimingGOOGLE get_google_past;
    VkResult(VKAPI_PTR *get_stamps)(VkDevice, uint32_t, const es_vk_timestamp_info *, uint64_t *, uint64_t *);
    VkResult(VKAPI_PTR *set_slots)(VkDevice, VkSwapchainKHR, uint32_t);
    VkResult(VKAPI_PTR *get_properties)(VkDevice, VkSwapchainKHR, es_vk_timing_properties *, uint64_t *);
    VkResult(VKAPI_PTR *get_domains)(VkDevice, VkSwapchainKHR, es_vk_domain_properties *, uint64_t *);
    VkResult(VKAPI_PTR *get_past)(VkDevice, const es_vk_past_info *, es_vk_past_properties *);
} es_vulkan_calls;
/* clang-format on */

enum {
    ES_VULKAN_SAMPLES = 16,  /* per call of es_vulkan_take */
    ES_VULKAN_SLOTS = 32,    /* for answers, in the driver */
    ES_VULKAN_NOTES = 64,    /* presents whose frame is known */
    ES_VULKAN_LEARN_MS = 250 /* clocks that drift by 500 millionths are 0.13 ms off by then */
};

/* A time domain. It had domain_ns at loop_ns of the loop's clock, if it converts. */
typedef struct es_vulkan_domain {
    uint32_t kind;
    uint64_t id, domain_ns, loop_ns;
    bool converts;
} es_vulkan_domain;

typedef struct es_vulkan_next { /* what the next present points to */
    VkPresentTimeGOOGLE time;
    VkPresentTimesInfoGOOGLE times;
    es_vk_timing_info info;
    es_vk_timings_info infos;
    es_vk_present_id2 id2;
} es_vulkan_next;

typedef struct es_vulkan_swap { /* of one swapchain */
    VkSwapchainKHR handle;
    bool google, timing, fifo, absolute, relative; /* the extension in use, and what it can */
    uint32_t stage, slots, taken;            /* the last that is timed; in the driver's queue */
    int64_t refresh_ns, period_ns, learn_ns; /* announced; or found; when to ask again */
    uint64_t interval;                       /* UINT64_MAX: variable. 0 of these: not known */
    bool varies, asked; /* interval or the loop says so; the last present took a slot */
    es_vulkan_domain domain;
    uint64_t id, changes; /* the last present's, for vkWaitForPresent2KHR, too; counters */
    uint64_t ids[ES_VULKAN_NOTES];
    int64_t frames[ES_VULKAN_NOTES]; /* of the presents with these ids */
    es_vulkan_next next;
} es_vulkan_swap;

typedef struct es_vulkan {
    es_loop *loop;
    const char *missing; /* an extension; NULL: VK_EXT_present_timing is there */
    es_targets targets;  /* as told to the loop */
    es_vulkan_swap swap;
    es_clock clock; /* the loop's */
    VkDevice device;
    es_vulkan_calls calls;
} es_vulkan;

static inline int64_t es_vulkan_now_(const es_vulkan *es)
{
    return es->clock.now_ns != NULL ? es->clock.now_ns(es->clock.user) : es_now_ns();
}

/* Reads both clocks. The loop's own may be in no domain: it is read before and after the domain, and the
 * closest of three pairs counts. */
static inline void es_vulkan_calibrate_(es_vulkan *es, es_vulkan_domain *domain)
{
    bool staged = domain->kind == ES_VK_DOMAIN_STAGE;
    es_vk_calibrated_info which = {ES_VK_TYPE(CALIBRATED_INFO), NULL, es->swap.handle,
            staged ? es->swap.stage : 0, domain->id};
    es_vk_timestamp_info info = {ES_VK_TYPE(TIMESTAMP_INFO), NULL, domain->kind};
    info.pNext = staged || domain->kind == ES_VK_DOMAIN_SWAPCHAIN ? &which : NULL;
    bool in_ns = domain->kind != ES_VK_DOMAIN_DEVICE && domain->kind != ES_VK_DOMAIN_COUNTER;
    int64_t closest_ns = INT64_MAX;
    domain->converts = false;
#ifdef __linux__
    if (domain->kind == ES_VK_DOMAIN_MONOTONIC && es->clock.now_ns == NULL) {
        domain->domain_ns = domain->loop_ns = 0; /* the clock of es_now_ns */
        domain->converts = true;
        return;
    }
#endif
    for (int i = 0; i < 3 && in_ns; ++i) {
        uint64_t stamp = 0, deviation = 0;
        int64_t before_ns = es_vulkan_now_(es);
        VkResult result = es->calls.get_stamps(es->device, 1, &info, &stamp, &deviation);
        int64_t span_ns = es_vulkan_now_(es) - before_ns;
        if (result == VK_SUCCESS && stamp != 0 && span_ns < closest_ns) { /* 0: it is gone */
            closest_ns = span_ns;
            domain->domain_ns = stamp;
            domain->loop_ns = ES_CAST_(uint64_t, before_ns + span_ns / 2);
            domain->converts = true;
        }
    }
}

/* Takes the first of these domains that converts. Each implementation has one of stages. */
static inline void es_vulkan_list_(es_vulkan *es)
{
    static const uint32_t preferred[] = {
            ES_VK_DOMAIN_MONOTONIC, ES_VK_DOMAIN_STAGE, ES_VK_DOMAIN_SWAPCHAIN, ES_VK_DOMAIN_RAW};
    es_vulkan_domain *domain = &es->swap.domain;
    uint32_t kinds[8];
    uint64_t ids[8], counter = 0;
    es_vk_domain_properties list = {ES_VK_TYPE(DOMAIN_PROPERTIES), NULL, 8, kinds, ids};
    VkResult result = es->calls.get_domains(es->device, es->swap.handle, &list, &counter);
    uint32_t count = result >= VK_SUCCESS ? list.timeDomainCount : 0;
    domain->converts = false;
    for (uint32_t i = 0; i < 4 * count && !domain->converts; ++i) {
        if (kinds[i % count] == preferred[i / count]) {
            domain->kind = kinds[i % count];
            domain->id = ids[i % count];
            es_vulkan_calibrate_(es, domain);
        }
    }
}

/* Durations from 0.5 ms to 1 s are accepted. 0 is "not known", and the interval then not valid. */
static inline void es_vulkan_refresh_(es_vulkan *es)
{
    es_vulkan_swap *swap = &es->swap;
    es_vk_timing_properties found = {ES_VK_TYPE(TIMING_PROPERTIES), NULL, 0, 0};
    VkRefreshCycleDurationGOOGLE cycle = {0};
    uint64_t counter = 0;
    VkResult result =
            swap->google ? es->calls.get_cycle(es->device, swap->handle, &cycle)
                         : es->calls.get_properties(es->device, swap->handle, &found, &counter);
    uint64_t ns = swap->google ? cycle.refreshDuration : found.refreshDuration;
    bool known = result == VK_SUCCESS && ns >= 500000 && ns <= 1000000000;
    swap->refresh_ns = known ? ES_CAST_(int64_t, ns) : 0;
    swap->interval = known ? found.refreshInterval : 0;
}

/* Asks the loop for the refresh, and tells it what is honoured now. */
static inline void es_vulkan_tell_(es_vulkan *es)
{
    es_vulkan_swap *swap = &es->swap;
    es_display found = es_loop_get_display(es->loop);
    swap->varies = swap->interval == UINT64_MAX || found.mode == ES_DISPLAY_VARIABLE;
    swap->period_ns = swap->refresh_ns > 0 ? swap->refresh_ns : ES_CAST_(int64_t, found.period_ns);
    bool can = swap->fifo && swap->domain.converts;
    bool times = can && swap->absolute;
    bool counts = can && swap->relative && !swap->varies && swap->period_ns > 0;
    if (times != es->targets.times || counts != es->targets.refreshes) {
        es->targets.times = times;
        es->targets.refreshes = counts;
        es_loop_set_targets(es->loop, &es->targets);
    }
}

/* Looks up what is enabled. es: any bytes. False: nothing; the functions below present, and no more. */
static inline bool es_vulkan_open(
        es_vulkan *es, es_loop *loop, VkDevice device, PFN_vkGetDeviceProcAddr get)
{
    static const char *const names[] = {"vkQueuePresentKHR", "vkGetRefreshCycleDurationGOOGLE",
            "vkGetPastPresentationTimingGOOGLE", "vkGetCalibratedTimestampsKHR",
            "vkSetSwapchainPresentTimingQueueSizeEXT", "vkGetSwapchainTimingPropertiesEXT",
            "vkGetSwapchainTimeDomainPropertiesEXT", "vkGetPastPresentationTimingEXT"};
    PFN_vkVoidFunction calls[8];
    memset(es, 0, sizeof *es);
    es->loop = loop;
    es->clock = es_loop_get_config(loop).clock;
    es->device = device;
    for (int i = 0; i < 8; ++i) {
        calls[i] = get(device, names[i]);
        if (i >= 3 && calls[i] == NULL) {
            es->missing = i > 3 ? "VK_EXT_present_timing" : "VK_KHR_calibrated_timestamps";
        }
    }
    memcpy(&es->calls, calls, sizeof es->calls);
    return es->missing == NULL || es->calls.get_google_past != NULL;
}

/* Another swapchain presents from now on. VK_NULL_HANDLE: none. info: what it was created from. can:
 * VkPresentTimingSurfaceCapabilitiesEXT of its surface, or NULL. */
static inline void es_vulkan_swapchain(es_vulkan *es, VkSwapchainKHR swapchain,
        const VkSwapchainCreateInfoKHR *info, const es_vk_timing_capabilities *can)
{
    es_vulkan_swap *swap = &es->swap;
    memset(swap, 0, sizeof *swap);
    if (swapchain != VK_NULL_HANDLE && info != NULL) {
        int mode = ES_CAST_(int, info->presentMode);
        VkFlags stages = can != NULL ? can->presentStageQueries & 15 : 0;
        swap->handle = swapchain;
        swap->learn_ns = es_vulkan_now_(es);
        swap->fifo = mode == VK_PRESENT_MODE_FIFO_KHR || mode == VK_PRESENT_MODE_FIFO_RELAXED_KHR
                     || mode == ES_VK_FIFO_LATEST_READY;
        swap->timing = es->missing == NULL && stages >= ES_VK_STAGE_DEQUEUED
                       && (info->flags & ES_VK_SWAPCHAIN_FLAGS) == ES_VK_SWAPCHAIN_FLAGS;
        swap->google = !swap->timing && es->calls.get_google_past != NULL;
        swap->stage = swap->google || stages >= ES_VK_STAGE_VISIBLE ? ES_VK_STAGE_VISIBLE
                      : stages >= ES_VK_STAGE_OUT                   ? ES_VK_STAGE_OUT
                                                                    : ES_VK_STAGE_DEQUEUED;
        swap->absolute = swap->google || (swap->timing && can->presentAtAbsoluteTimeSupported);
        swap->relative = swap->timing && can->presentAtRelativeTimeSupported;
        swap->domain.converts = swap->google;
    }
    bool fits = swap->timing
                && es->calls.set_slots(es->device, swapchain, ES_VULKAN_SLOTS) == VK_SUCCESS;
    swap->slots = fits ? ES_VULKAN_SLOTS : 0;
    es_vulkan_tell_(es);
}

/* When a frame is to be seen, by the domain's clock; 0: as soon as possible. Drivers may ignore nearest,
 * and GOOGLE has none. "Not before" a refresh can mean the next one; a quarter of a refresh earlier, it
 * cannot. */
static inline uint64_t es_vulkan_aim_(es_vulkan *es, const es_frame *frame, VkFlags *flags)
{
    const es_vulkan_swap *swap = &es->swap;
    int64_t early_ns = swap->varies ? 0 : swap->period_ns / (swap->google ? 2 : 4);
    if (es->targets.times && frame->target_ns > early_ns) {
        *flags = early_ns > 0 ? ES_VK_AT_NEAREST : 0;
        uint64_t at = ES_CAST_(uint64_t, frame->target_ns - early_ns) - swap->domain.loop_ns
                      + swap->domain.domain_ns;
        return at <= INT64_MAX ? at : 0; /* before the domain began */
    }
    if (es->targets.refreshes && frame->target_refreshes > 1) {
        *flags = ES_VK_AT_RELATIVE | ES_VK_AT_NEAREST;
        return ES_CAST_(uint64_t, frame->target_refreshes * swap->period_ns);
    }
    return 0;
}

/* For programs that call vkQueuePresentKHR themselves, and act on its result as es_vulkan_present does.
 * Returns the pNext of VkPresentInfoKHR for a frame of this swapchain alone; next follows it. */
static inline const void *es_vulkan_chain(es_vulkan *es, const es_frame *frame, const void *next)
{
    es_vulkan_swap *swap = &es->swap;
    VkFlags flags = 0;
    uint64_t target = es_vulkan_aim_(es, frame, &flags);
    if (!swap->domain.converts) {
        return next;
    }
    swap->asked = swap->timing && swap->taken < swap->slots;
    swap->taken += swap->asked;
    swap->id += 1;
    swap->ids[swap->id % ES_VULKAN_NOTES] = swap->id;
    swap->frames[swap->id % ES_VULKAN_NOTES] = frame->index;
    es_vulkan_next made = {{ES_CAST_(uint32_t, swap->id), target},
            {VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE, next, 1, &swap->next.time},
            {ES_VK_TYPE(TIMING_INFO), NULL, flags, target, swap->domain.id,
                    swap->asked ? swap->stage : 0, swap->stage},
            {ES_VK_TYPE(TIMINGS_INFO), next, 1, &swap->next.info},
            {ES_VK_TYPE(PRESENT_ID2), &swap->next.infos, 1, &swap->id}};
    swap->next = made;
    return swap->google ? ES_CAST_(const void *, &swap->next.times) : &swap->next.id2;
}

/* vkQueuePresentKHR of a frame. Several swapchains, or another: without times. Where the driver has no slot
 * for the answer, presents again and asks for none, without wait semaphores: their waits are under way. */
static inline VkResult es_vulkan_present(
        es_vulkan *es, VkQueue queue, const VkPresentInfoKHR *info, const es_frame *frame)
{
    es_vulkan_swap *swap = &es->swap;
    VkPresentInfoKHR timed = *info;
    if (info->swapchainCount != 1 || info->pSwapchains[0] != swap->handle) {
        return es->calls.present(queue, info);
    }
    timed.pNext = es_vulkan_chain(es, frame, info->pNext);
    VkResult result = es->calls.present(queue, &timed);
    if (swap->asked && ES_CAST_(int, result) == ES_VK_QUEUE_FULL) {
        swap->slots = swap->taken -= 1; /* it has no more */
        timed.pNext = es_vulkan_chain(es, frame, info->pNext);
        timed.waitSemaphoreCount = 0;
        result = es->calls.present(queue, &timed);
    }
    swap->taken -= swap->asked && result < VK_SUCCESS;
    return result;
}

/* An answer. time: 0: the frame was never shown. False: its present is unknown. */
static inline bool es_vulkan_answer_(es_vulkan *es, uint64_t id, uint64_t time, es_present *sample)
{
    const es_vulkan_swap *swap = &es->swap;
    memset(sample, 0, sizeof *sample);
    sample->frame = swap->frames[id % ES_VULKAN_NOTES];
    sample->shown_ns = ES_CAST_(int64_t, time - swap->domain.domain_ns + swap->domain.loop_ns);
    sample->reported_ns = es_vulkan_now_(es);
    sample->refresh_ns = swap->refresh_ns;
    sample->grade = swap->stage == ES_VK_STAGE_DEQUEUED ? ES_PRESENT_SOFTWARE : ES_PRESENT_VSYNC;
    sample->discarded = time == 0;
    sample->variable = swap->interval == UINT64_MAX;
    return id != 0 && swap->ids[id % ES_VULKAN_NOTES] == id;
}

/* One answer; its domain is that of the next presents, if it converts. False: incomplete, or of no use. */
static inline bool es_vulkan_one_(es_vulkan *es, const es_vk_past_timing *past, es_present *sample)
{
    es_vulkan_swap *swap = &es->swap;
    es_vulkan_domain its = {past->timeDomain, past->timeDomainId, 0, 0, false};
    bool same = swap->domain.converts && its.kind == swap->domain.kind && its.id == swap->domain.id;
    uint64_t time = 0;
    if (!past->reportComplete) {
        return false;
    }
    swap->taken -= swap->taken > 0;
    for (uint32_t i = 0; i < past->presentStageCount && i < 4; ++i) {
        time = past->pPresentStages[i].stage == swap->stage ? past->pPresentStages[i].time : time;
    }
    if (time != 0 && !same) {
        es_vulkan_calibrate_(es, &its);
        swap->domain = its.converts ? its : swap->domain;
    }
    return es_vulkan_answer_(es, past->presentId, time, sample)
           && (time == 0 || same || its.converts);
}

static inline int es_vulkan_timing_poll_(es_vulkan *es, es_present *samples)
{
    es_vulkan_swap *swap = &es->swap;
    es_vk_past_timing past[ES_VULKAN_SAMPLES];
    es_vk_stage_time stages[ES_VULKAN_SAMPLES][4];
    es_vk_past_info info = {ES_VK_TYPE(PAST_INFO), NULL, 0, swap->handle};
    es_vk_past_properties all = {ES_VK_TYPE(PAST_PROPERTIES), NULL, 0, 0, ES_VULKAN_SAMPLES, past};
    int found = 0;
    for (int i = 0; i < ES_VULKAN_SAMPLES; ++i) {
        es_vk_past_timing one = {ES_VK_TYPE(PAST_TIMING), NULL, 0, 0, 4, stages[i], 0, 0, 0};
        past[i] = one;
    }
    if (es->calls.get_past(es->device, &info, &all) < VK_SUCCESS) {
        return 0;
    }
    if (all.timeDomainsCounter + all.timingPropertiesCounter != swap->changes) {
        swap->changes = all.timeDomainsCounter + all.timingPropertiesCounter;
        swap->refresh_ns = 0;
        es_vulkan_list_(es);
    }
    if (swap->refresh_ns == 0) {
        es_vulkan_refresh_(es);
    }
    for (uint32_t i = 0; i < all.presentationTimingCount; ++i) {
        found += es_vulkan_one_(es, &past[i], &samples[found]);
    }
    return found;
}

/* Once per frame: passes what was seen to the loop. Returns how many samples there are, for a meter. */
static inline int es_vulkan_take(es_vulkan *es, es_present samples[ES_VULKAN_SAMPLES])
{
    es_vulkan_swap *swap = &es->swap;
    VkPastPresentationTimingGOOGLE past[ES_VULKAN_SAMPLES];
    uint32_t answers = swap->google ? ES_VULKAN_SAMPLES : 0;
    int64_t now_ns = es_vulkan_now_(es);
    if (now_ns >= swap->learn_ns) {
        swap->learn_ns = now_ns + ES_VULKAN_LEARN_MS * ES_NS_PER_MS;
        if (swap->google) {
            es_vulkan_refresh_(es);
        } else if (swap->timing && swap->domain.converts) {
            es_vulkan_calibrate_(es, &swap->domain);
        } else if (swap->timing) {
            es_vulkan_list_(es);
        }
    }
    int count = swap->timing ? es_vulkan_timing_poll_(es, samples) : 0;
    if (swap->google
            && es->calls.get_google_past(es->device, swap->handle, &answers, past) < VK_SUCCESS) {
        answers = 0;
    }
    for (uint32_t i = 0; i < answers; ++i) {
        uint64_t time = past[i].actualPresentTime;
        count += es_vulkan_answer_(es, past[i].presentID, time, &samples[count]);
    }
    for (int i = 0; i < count; ++i) {
        es_loop_presented(es->loop, &samples[i]);
    }
    es_vulkan_tell_(es);
    return count;
}

#endif
