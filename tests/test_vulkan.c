/* SPDX-License-Identifier: Zlib
 *
 * adapters/es_vulkan.h against a fake dispatch table with the semantics of the specification, a virtual clock and
 * a virtual display. Its structures against a table, and against the headers where they have the extension.
 */
#include <vulkan/vulkan.h>

#include "test_support.h"

#include "adapters/es_vulkan.h"
#include "manual_clock.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* a driver with one device */

#ifdef VK_EXT_present_timing
#define REAL(own, real) real
#else
#define REAL(own, real) own
#endif
#define VALUE(own, real, n) assert_true((own) == (n) && (int)REAL(own, real) == (int)(n));
#define LAYOUT(own_type, real_type, size, members)                                                 \
    {                                                                                              \
        typedef own_type own;                                                                      \
        typedef REAL(own_type, real_type) real;                                                    \
        assert_true(sizeof(own) == (size) && sizeof(real) == (size));                              \
        members                                                                                    \
    }
#define AT(name, at) assert_true(offsetof(own, name) == (at) && offsetof(real, name) == (at));

TEST(structures_and_values_are_those_of_the_headers)
{
    if (sizeof(void *) != 8) {
        skip();
    }
#include "vulkan_table.inc.h"
    assert_int_equal(sizeof(es_vulkan_calls), 8 * sizeof(PFN_vkVoidFunction));
}

#define PERIOD INT64_C(16666667)
#define ORIGIN UINT64_C(1000000000000)

typedef struct shown_frame {
    VkSwapchainKHR swapchain;
    uint64_t id, domain;
    es_vk_timing_info timing;
    int64_t shown_ns, known_ns; /* 0: dropped; when the answer is there */
    int asked, partial;         /* and not answered; answers before the complete one */
} shown_frame;

static struct {
    es_manual_clock clock;
    test_random random;
    shown_frame presents[10100];
    int sampled[10100], aimed; /* samples of each frame; frames with a target */
    int count, taken, slots, stamps, fulls;
    bool waited, variable, ignores_nearest, hostile;
    unsigned lacks; /* functions by their bit */
    int64_t last_ns, latency_ns;
    uint64_t last_id, answers_in, domains_counter, properties_counter, duration, interval, ids[2];
    uint32_t kinds[2];
    VkResult properties_result, present_result, past_result;
    es_vk_timing_capabilities can;
} fake;
static es_vulkan es;

#define FAKE static VkResult VKAPI_CALL
#define CALL(name, result, arguments, ...)                                                         \
    FAKE name arguments                                                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return result;                                                                             \
    }
#define CHAIN VkDevice device, VkSwapchainKHR swapchain

/* A domain's clock runs 50 millionths fast, from an origin of its own. 0 stays 0. */
static uint64_t of_domain(int64_t ns, uint64_t id)
{
    return ns != 0 ? (uint64_t)(ns + ns / 20000) + id * ORIGIN : 0;
}

FAKE present(VkQueue queue, const VkPresentInfoKHR *info)
{
    shown_frame made = {.swapchain = info->pSwapchains[0]};
    es_vk_timing_info *timing = &made.timing;
    int64_t earliest_ns = 0;
    assert_int_equal(info->waitSemaphoreCount, !fake.waited);
    for (const VkBaseInStructure *s = info->pNext; s != NULL; s = s->pNext) {
        if ((int)s->sType == ES_VK_PRESENT_ID2) {
            const es_vk_present_id2 *id = (const void *)s;
            assert_true(id->swapchainCount == 1 && id->pPresentIds[0] > fake.last_id);
            fake.last_id = made.id = id->pPresentIds[0];
        } else if ((int)s->sType == ES_VK_TIMINGS_INFO) {
            *timing = *((const es_vk_timings_info *)(const void *)s)->pTimingInfos;
            bool relative = (timing->flags & ES_VK_AT_RELATIVE) != 0;
            assert_true((int)timing->sType == ES_VK_TIMING_INFO && made.id != 0);
            assert_true(timing->targetTime == 0
                        || relative == !fake.can.presentAtAbsoluteTimeSupported);
            made.asked = timing->presentStageQueries == ES_VK_STAGE_VISIBLE;
            made.domain = fake.answers_in != 0 ? fake.answers_in : timing->timeDomainId;
            earliest_ns = (int64_t)(timing->targetTime - timing->timeDomainId * ORIGIN);
            earliest_ns -= earliest_ns / 20001;
            earliest_ns = relative ? fake.last_ns + (int64_t)timing->targetTime : earliest_ns;
        } else if (s->sType == VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE) {
            const VkPresentTimesInfoGOOGLE *times = (const void *)s;
            made.id = times->pTimes->presentID;
            made.asked = 1;
            earliest_ns = (int64_t)(timing->targetTime = times->pTimes->desiredPresentTime);
        }
    }
    fake.waited = made.asked && made.domain != 0 && fake.taken >= fake.slots;
    fake.fulls += fake.waited;
    if (fake.waited || fake.present_result != VK_SUCCESS) {
        return fake.waited ? (VkResult)ES_VK_QUEUE_FULL : fake.present_result;
    }
    fake.taken += made.asked;
    /* the display shows an image that is ready now, and not earlier than its time */
    bool nearest = (timing->flags & ES_VK_AT_NEAREST) != 0 && !fake.ignores_nearest;
    int64_t ns = es__max(fake.clock.now_ns, fake.last_ns + (fake.variable ? PERIOD : 1));
    ns = es__max(ns, (timing->targetTime != 0 ? earliest_ns : 0) - (nearest ? PERIOD / 2 : 0));
    made.shown_ns = fake.variable ? ns : (ns + PERIOD - 1) / PERIOD * PERIOD;
    made.known_ns = made.shown_ns + fake.latency_ns;
    fake.last_ns = made.shown_ns;
    if (fake.hostile) {
        made.known_ns += random_below(&fake.random, 3) * PERIOD;
        made.partial = (int)random_below(&fake.random, 3);
        made.shown_ns = chance(&fake.random, 20) ? 0 : made.shown_ns;
    }
    fake.presents[fake.count++] = made;
    return VK_SUCCESS;
}

/* The next answer that is there: in the order of presents, hostile: the newest first. NULL: none. */
static shown_frame *next_answer(VkSwapchainKHR swapchain)
{
    int among = fake.past_result != VK_SUCCESS ? 0 : (int)es__min(fake.count, 300);
    for (int i = 0; i < among; ++i) {
        shown_frame *one = &fake.presents[fake.count - (fake.hostile ? 1 + i : among - i)];
        if (one->asked && one->swapchain == swapchain && one->known_ns <= fake.clock.now_ns) {
            return one;
        }
    }
    return NULL;
}

FAKE get_past(VkDevice device, const es_vk_past_info *info, es_vk_past_properties *all)
{
    uint32_t room = all->presentationTimingCount;
    shown_frame *one = NULL;
    all->timeDomainsCounter = fake.domains_counter;
    all->timingPropertiesCounter = fake.properties_counter;
    all->presentationTimingCount = 0;
    while (all->presentationTimingCount < room && (one = next_answer(info->swapchain)) != NULL) {
        es_vk_past_timing *to = &all->pPresentationTimings[all->presentationTimingCount++];
        assert_true((int)to->sType == ES_VK_PAST_TIMING && to->presentStageCount >= 1);
        one->asked = one->partial-- > 0;
        one->known_ns += one->asked; /* not again in this call */
        fake.taken -= !one->asked;
        to->presentId = one->id;
        to->reportComplete = !one->asked;
        to->presentStageCount = !one->asked;
        to->pPresentStages[0].stage = ES_VK_STAGE_VISIBLE;
        to->pPresentStages[0].time = of_domain(one->shown_ns, one->domain);
        to->timeDomain = one->domain == fake.ids[1] ? fake.kinds[1] : fake.kinds[0];
        to->timeDomainId = one->domain;
    }
    return next_answer(info->swapchain) != NULL ? VK_INCOMPLETE : fake.past_result;
}

FAKE get_google_past(CHAIN, uint32_t *count, VkPastPresentationTimingGOOGLE *past)
{
    uint32_t room = *count;
    shown_frame *one = NULL;
    for (*count = 0; *count < room && (one = next_answer(swapchain)) != NULL; *count += 1) {
        past[*count].presentID = (uint32_t)one->id;
        past[*count].actualPresentTime = (uint64_t)one->shown_ns;
        one->asked = 0;
    }
    return next_answer(swapchain) != NULL ? VK_INCOMPLETE : fake.past_result;
}

/* clang-format off */
CALL(get_cycle, fake.properties_result, (CHAIN, VkRefreshCycleDurationGOOGLE *cycle),
    cycle->refreshDuration = fake.duration)
CALL(get_properties, fake.properties_result, (CHAIN, es_vk_timing_properties *found, uint64_t *counter),
    found->refreshDuration = fake.duration; found->refreshInterval = fake.interval)
CALL(get_domains, VK_SUCCESS, (CHAIN, es_vk_domain_properties *list, uint64_t *counter),
    assert_in_range(list->timeDomainCount, 2, 100); list->timeDomainCount = 2;
    memcpy(list->pTimeDomains, fake.kinds, sizeof fake.kinds);
    memcpy(list->pTimeDomainIds, fake.ids, sizeof fake.ids))
CALL(set_slots, VK_SUCCESS, (CHAIN, uint32_t size), fake.slots = (int)size)
/* clang-format on */

/* Takes 2 us, and each third time 400. A domain that is gone says 0. */
FAKE get_stamps(VkDevice device, uint32_t count, const es_vk_timestamp_info *info, uint64_t *stamps,
        uint64_t *deviation)
{
    const es_vk_calibrated_info *which = info->pNext;
    assert_true(count == 1 && (which != NULL) == (info->timeDomain >= ES_VK_DOMAIN_STAGE));
    uint64_t id = which != NULL ? which->timeDomainId : fake.ids[0];
    assert_true(which == NULL
                || (which->presentStage == 8) == (info->timeDomain == ES_VK_DOMAIN_STAGE));
    fake.clock.now_ns += US;
    *stamps = id == fake.ids[0] || id == fake.ids[1] ? of_domain(fake.clock.now_ns, id) : 0;
    fake.clock.now_ns += ++fake.stamps % 3 == 0 ? 400 * US : US;
    return VK_SUCCESS;
}

enum { GOOGLE = 6, STAMPS = 8, TIMING = 0xf0 };
static PFN_vkVoidFunction VKAPI_CALL get(VkDevice device, const char *name)
{
    static const char *const names[] = {"vkQueuePresentKHR", "vkGetRefreshCycleDurationGOOGLE",
            "vkGetPastPresentationTimingGOOGLE", "vkGetCalibratedTimestampsKHR",
            "vkSetSwapchainPresentTimingQueueSizeEXT", "vkGetSwapchainTimingPropertiesEXT",
            "vkGetSwapchainTimeDomainPropertiesEXT", "vkGetPastPresentationTimingEXT"};
#define F (PFN_vkVoidFunction)
    const PFN_vkVoidFunction functions[] = {F present, F get_cycle, F get_google_past, F get_stamps,
            F set_slots, F get_properties, F get_domains, F get_past};
    size_t i = 0;
    for (; strcmp(names[i], name) != 0; ++i) {
    }
    return (fake.lacks >> i & 1) != 0 ? NULL : functions[i];
}

static void create(uintptr_t number, VkPresentModeKHR mode)
{
    VkSwapchainCreateInfoKHR info = {.flags = ES_VK_SWAPCHAIN_FLAGS, .presentMode = mode};
    fake.last_id = 0;
    fake.taken = 0;
    es_vulkan_swapchain(&es, (VkSwapchainKHR)number, &info, &fake.can);
}

static void start(unsigned lacks, uint32_t domain, bool varies)
{
    es_loop_config config = {0};
    memset(&fake, 0, sizeof fake);
    fake.can = (es_vk_timing_capabilities){0, NULL, 1, 1, 1, 15};
    fake.clock.now_ns = 100 * S;
    fake.random.state = 7;
    fake.lacks = lacks;
    fake.latency_ns = 30 * MS;
    fake.kinds[0] = domain;
    fake.ids[0] = 1;
    fake.ids[1] = 99; /* the device's */
    fake.duration = PERIOD;
    fake.interval = varies ? UINT64_MAX : PERIOD;
    fake.variable = varies;
    config.clock = es_manual_clock_get(&fake.clock);
    es_loop_destroy(es.loop);
    bool opens = es_vulkan_open(&es, es_loop_create(&config), NULL, get);
    assert_int_equal(opens, lacks != (GOOGLE | TIMING));
    create(1, VK_PRESENT_MODE_FIFO_KHR);
}

/* Frames: the loop's (0), or with targets so many refreshes after the one before, 1 ms off at most; on a
 * variable refresh later. */
static void play(int frames, int refreshes)
{
    VkSwapchainKHR swap = es.swap.handle;
    VkSemaphore wait = VK_NULL_HANDLE;
    VkPresentInfoKHR info = {VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, NULL, 1, &wait, 1, &swap, 0, 0};
    es_present seen[ES_VULKAN_SAMPLES];
    for (; frames > 0; --frames) {
        es_frame frame = {.index = fake.count, .target_refreshes = refreshes};
        assert_true(refreshes > 0 || es_loop_next(es.loop, &frame));
        for (int i = es_vulkan_take(&es, seen) - 1; i >= 0; --i) {
            es_present it = seen[i];
            int64_t at = fake.presents[it.frame].shown_ns, age = it.reported_ns - at;
            fake.sampled[it.frame] += 1;
            assert_int_equal(it.discarded, at == 0);
            assert_true(it.discarded || llabs(it.shown_ns - at) < 20000 + age / 20000);
            assert_true(it.refresh_ns == es.swap.refresh_ns && it.variable == fake.variable);
        }
        int64_t off_ns = random_below(&fake.random, fake.variable ? PERIOD : 2 * MS);
        int64_t target_ns = es__max(fake.last_ns, fake.clock.now_ns / PERIOD * PERIOD)
                            + refreshes * PERIOD + (fake.variable ? off_ns : 0);
        bool aims = refreshes > 0 && fake.present_result == VK_SUCCESS && fake.count > 0
                    && (es.targets.times || es.targets.refreshes);
        frame.target_ns = target_ns + (fake.variable ? 0 : off_ns - MS);
        frame.target_ns = aims && es.targets.times ? frame.target_ns : 0;
        es_manual_clock_work(&fake.clock, 2 * MS + random_below(&fake.random, 5 * MS));
        es_loop_submit(es.loop);
        assert_int_equal(es_vulkan_present(&es, NULL, &info, &frame), fake.present_result);
        assert_true(!aims || llabs(fake.last_ns - target_ns) < (fake.variable ? 20000 : 1));
        fake.aimed += aims;
        if (fake.count > 1) { /* two images */
            int64_t free_ns = fake.presents[fake.count - 2].known_ns - fake.latency_ns;
            fake.clock.now_ns = es__max(fake.clock.now_ns, free_ns);
        }
    }
}

static void answered(int from, int to)
{
    for (int i = from; i < to; ++i) {
        assert_int_equal(fake.sampled[i], 1);
    }
}

TEST(what_is_missing_is_named)
{
    static const struct {
        unsigned lacks;
        const char *missing;
    } table[] = {{0, ""}, {GOOGLE, ""}, {TIMING, "VK_EXT_present_timing"},
            {STAMPS, "VK_KHR_calibrated_timestamps"}, {GOOGLE | TIMING, "VK_EXT_present_timing"}};
    for_rows (i, table) {
        bool timing = table[i].missing[0] == '\0', google = !timing && i < 4;
        start(table[i].lacks, ES_VK_DOMAIN_STAGE, false);
        assert_string_equal(es.missing != NULL ? es.missing : "", table[i].missing);
        play(10, 1);
        assert_true(es.swap.timing == timing && es.swap.google == google);
        assert_int_equal(fake.presents[9].id, timing || google ? 10 : 0);
        assert_int_equal(es.targets.times, timing || google);
    }
}

TEST(ten_thousand_frames_are_seen)
{
    /* lacks, domain, hostile, variable */
    static const unsigned table[][4] = {{0, ES_VK_DOMAIN_STAGE, 0, 0}, {TIMING, 0, 0, 0},
            {0, ES_VK_DOMAIN_SWAPCHAIN, 1, 0}, {0, ES_VK_DOMAIN_MONOTONIC, 1, 1}};
    for_rows (i, table) {
        start(table[i][0], table[i][1], table[i][3]);
        fake.hostile = table[i][2];
        play(10020, 0);
        answered(0, 10000);
        es_display display = es_loop_get_display(es.loop);
        assert_int_equal(display.mode, fake.variable ? ES_DISPLAY_VARIABLE : ES_DISPLAY_BLOCKS);
        assert_true(fake.variable || fabs(display.period_ns - PERIOD) < 1000.0);
        assert_true(display.feedback && fake.fulls == 0);
    }
}

TEST(targets_are_kept)
{
    /* lacks, ignores the hint, variable, relative alone */
    static const unsigned table[][4] = {
            {0}, {0, 1, 0, 0}, {TIMING, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 0, 1}};
    for_rows (i, table) {
        start(table[i][0], ES_VK_DOMAIN_STAGE, table[i][2]);
        fake.ignores_nearest = table[i][1];
        fake.can.presentAtAbsoluteTimeSupported = !table[i][3];
        create(1, VK_PRESENT_MODE_FIFO_KHR);
        for (int frame = 0; frame < 1000; ++frame) {
            play(1, 1 + frame % 3);
        }
        assert_in_range(fake.aimed, 990, 1000);
        assert_int_equal(es.targets.times, !table[i][3]);
        assert_true((fake.presents[500].timing.flags == 0) == (fake.variable || es.swap.google));
    }
}

TEST(a_full_queue_costs_answers_and_no_frame)
{
    start(0, ES_VK_DOMAIN_STAGE, false);
    fake.latency_ns = 2 * S; /* longer than there are slots for: the adapter does not ask */
    play(300, 1);
    assert_int_equal(fake.taken, ES_VULKAN_SLOTS);
    fake.clock.now_ns += 3 * S; /* then all answers are there at once */
    fake.latency_ns = 30 * MS;
    play(200, 1);
    answered(245, 265); /* those that were on their way */
    answered(320, 490);
    assert_int_equal(fake.fulls, 0);
    fake.past_result = VK_ERROR_OUT_OF_DATE_KHR;
    play(20, 1);
    fake.past_result = VK_SUCCESS;
    fake.present_result = VK_ERROR_OUT_OF_DATE_KHR;
    play(100, 1);
    fake.present_result = VK_SUCCESS;
    play(80, 1);
    answered(500, 590);
    fake.slots = 2; /* not what the driver has promised */
    play(100, 1);
    assert_in_range(fake.fulls, 1, 3);
    assert_int_equal(fake.count, 700);
    assert_true(fake.sampled[680] + fake.sampled[681] + fake.sampled[682] >= 1);
}

TEST(another_swapchain_begins_anew)
{
    start(0, ES_VK_DOMAIN_STAGE, false);
    play(20, 1);
    create(2, VK_PRESENT_MODE_FIFO_RELAXED_KHR);
    play(20, 1);
    assert_int_equal(fake.presents[20 + 19].id, 20);
    answered(20, 35);
    create(3, VK_PRESENT_MODE_MAILBOX_KHR);
    play(20, 1);
    assert_true(!es.targets.times && !es.targets.refreshes);
    assert_int_equal(fake.presents[59].timing.targetTime, 0);
    answered(40, 55);
    create(0, VK_PRESENT_MODE_FIFO_KHR);
    play(20, 1);
    assert_int_equal(fake.presents[79].id, 0);
}

TEST(another_time_domain_is_taken)
{
    start(0, ES_VK_DOMAIN_STAGE, false);
    play(50, 1);
    fake.ids[0] = 5; /* 1 is gone */
    fake.domains_counter += 1;
    play(50, 1);
    answered(60, 95);
    fake.kinds[1] = ES_VK_DOMAIN_SWAPCHAIN;
    fake.answers_in = 99;
    play(50, 1);
    assert_int_equal(es.swap.domain.id, 99);
    answered(100, 145);
    fake.kinds[0] = ES_VK_DOMAIN_DEVICE;
    fake.kinds[1] = ES_VK_DOMAIN_COUNTER;
    fake.domains_counter += 1;
    play(50, 1);
    assert_true(!es.targets.times && fake.sampled[190] == 0);
    fake.kinds[0] = ES_VK_DOMAIN_MONOTONIC;
    fake.stamps = 0;
    es_loop_destroy(es.loop);
    es_vulkan_open(&es, NULL, NULL, get); /* the system's clock */
    create(2, VK_PRESENT_MODE_FIFO_KHR);
    play(2, 1);
    assert_true(es.swap.domain.converts);
#ifdef __linux__
    assert_int_equal(fake.stamps, 0);
#endif
}

TEST(a_refresh_is_accepted_only_where_it_is_one)
{
    /* duration, interval, result, what is accepted: a duration, a variable refresh */
    static const int64_t table[][5] = {{0, 0, VK_SUCCESS, 0, 0}, {0, -1, VK_SUCCESS, 0, 0},
            {5, 5, VK_SUCCESS, 0, 0}, {-1, -1, VK_SUCCESS, 0, 0}, {PERIOD, -1, VK_NOT_READY, 0, 0},
            {PERIOD, 0, VK_SUCCESS, PERIOD, 0}, {PERIOD, -1, VK_SUCCESS, PERIOD, 1}};
    start(0, ES_VK_DOMAIN_STAGE, false);
    for_rows (i, table) {
        fake.duration = (uint64_t)table[i][0];
        fake.interval = (uint64_t)table[i][1];
        fake.properties_result = (VkResult)table[i][2];
        fake.properties_counter += 1;
        fake.variable = table[i][4];
        play(1, 0);
        assert_int_equal(es.swap.refresh_ns, table[i][3]);
        assert_int_equal(es.swap.varies, table[i][4]);
    }
}
