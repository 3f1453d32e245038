/* SPDX-License-Identifier: Zlib */
#define _GNU_SOURCE /* as log.c */

#include "layer_fake.h"

#include <time.h>

/* The layer's clocks: the system's, or the test's. */
static int clock_of_test(clockid_t clock, struct timespec *now)
{
    int64_t ns = clock == CLOCK_THREAD_CPUTIME_ID ? fake.cpu_ns : fake.now_ns;
    *now = (struct timespec){ns / 1000000000, (long)(ns % 1000000000)};
    return fake.now_ns != 0 ? 0 : clock_gettime(clock, now);
}
#define clock_gettime clock_of_test
#include "capture/layer/log.c"
#undef clock_gettime /* its state is begun anew */

#include <vulkan/vk_layer.h>

struct fake fake;

/* --- the driver ------------------------------------------------------------------------------- */

enum { CHAINS_MAX = 20, PAST_MAX = 64, DEVICES_MAX = 16 };

/* Handles are pointers to them; the key comes first, as the loader has it. */
typedef struct object {
    const void *key;
} object;

typedef struct fake_chain {
    bool alive, retired;
    uint64_t last_id;
    VkPastPresentationTimingGOOGLE past[PAST_MAX];
    size_t asked, given; /* with an id of GOOGLE */
} fake_chain;

/* Handles of swap chains are numbers from 1: those of two devices are the same. */
typedef struct driver_device {
    object head, queues[2];
    unsigned enabled;
    bool alive;
    pthread_mutex_t lock;
    fake_chain chains[CHAINS_MAX];
} driver_device;

typedef struct driver_instance {
    object head, physical;
} driver_instance;

static bool is_closed;
static driver_device driver_devices[DEVICES_MAX];
static VkLayerDeviceLink used_up; /* a layer below has moved on */

static driver_device *of(const void *handle)
{
    for (size_t i = 0; i < DEVICES_MAX; ++i) {
        driver_device *d = &driver_devices[i];
        if (d->alive
                && (handle == (void *)d || handle == (void *)&d->queues[0]
                        || handle == (void *)&d->queues[1])) {
            return d;
        }
    }
    FAKE_REQUIRE(false);
    return NULL;
}

static fake_chain *chain_of(driver_device *d, VkSwapchainKHR handle)
{
    size_t number = (size_t)(uintptr_t)handle;
    FAKE_REQUIRE(number >= 1 && number <= CHAINS_MAX && d->chains[number - 1].alive);
    return &d->chains[number - 1];
}

static const void *only(const void *next, VkStructureType type)
{
    const VkBaseInStructure *found = NULL;
    for (const VkBaseInStructure *s = next; s != NULL; s = s->pNext) {
        FAKE_REQUIRE(s->sType != type || found == NULL);
        found = s->sType == type ? s : found;
    }
    return found;
}

#define FAKE static VKAPI_ATTR VkResult VKAPI_CALL
#pragma GCC diagnostic ignored "-Wunused-parameter"

FAKE fake_create_instance(
        const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *made)
{
    driver_instance *i = calloc(1, sizeof *i);
    const VkLayerInstanceCreateInfo *link =
            only(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    FAKE_REQUIRE(i != NULL && (link == NULL || link->u.pLayerInfo == NULL));
    i->head.key = i->physical.key = i;
    *made = (VkInstance)i;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL fake_destroy_instance(
        VkInstance instance, const VkAllocationCallbacks *allocator)
{
    free(instance);
}

static const struct {
    const char *name;
    unsigned bit;
} known[] = {{"VK_GOOGLE_display_timing", FAKE_GOOGLE}, {"VK_KHR_present_id", FAKE_ID},
        {"VK_KHR_present_wait", FAKE_WAIT}, {"VK_KHR_swapchain", 8}};

FAKE fake_extensions(
        VkPhysicalDevice physical, const char *layer, uint32_t *count, VkExtensionProperties *list)
{
    uint32_t all = 0;
    for (size_t i = 0; i < 4; ++i) {
        if (((fake.offers | 8U) & known[i].bit) != 0) {
            if (list != NULL && all < *count) {
                snprintf(list[all].extensionName, sizeof list[all].extensionName, "%s",
                        known[i].name);
            }
            all += 1;
        }
    }
    bool less = list != NULL && *count < all;
    *count = less ? *count : all;
    return less ? VK_INCOMPLETE : VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL fake_features(
        VkPhysicalDevice physical, VkPhysicalDeviceFeatures2 *features)
{
    for (VkBaseOutStructure *s = features->pNext; s != NULL; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR) {
            ((VkPhysicalDevicePresentIdFeaturesKHR *)s)->presentId = (fake.features & FAKE_ID) != 0;
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR) {
            ((VkPhysicalDevicePresentWaitFeaturesKHR *)s)->presentWait =
                    (fake.features & FAKE_WAIT) != 0;
        }
    }
}

FAKE fake_create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
        const VkAllocationCallbacks *allocator, VkDevice *made)
{
    unsigned enabled = 0;
    VkLayerDeviceCreateInfo *link =
            (void *)(uintptr_t)only(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    FAKE_REQUIRE(link == NULL || link->u.pLayerInfo == NULL);
    if (link != NULL) {
        link->u.pLayerInfo = &used_up;
    }
    for (uint32_t k = 0; k < info->enabledExtensionCount; ++k) {
        for (size_t i = 0; i < 4; ++i) {
            if (strcmp(info->ppEnabledExtensionNames[k], known[i].name) == 0) {
                FAKE_REQUIRE((enabled & known[i].bit) == 0);
                enabled |= known[i].bit;
            }
        }
    }
    FAKE_REQUIRE((enabled & ~(fake.offers | 8U)) == 0);
    const VkPhysicalDevicePresentIdFeaturesKHR *id =
            only(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR);
    const VkPhysicalDevicePresentWaitFeaturesKHR *wait =
            only(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR);
    FAKE_REQUIRE(id == NULL || !id->presentId || (enabled & fake.features & FAKE_ID) != 0);
    FAKE_REQUIRE(wait == NULL || !wait->presentWait || (enabled & fake.features & FAKE_WAIT) != 0);
    fake.tries += 1;
    if (fake.no_device || (fake.refuses_features && (enabled & ~8U) != 0)) {
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    for (size_t i = 0; i < DEVICES_MAX; ++i) {
        driver_device *d = &driver_devices[i];
        if (!d->alive) {
            *d = (driver_device){.alive = true, .enabled = enabled};
            d->head.key = d->queues[0].key = d->queues[1].key = d;
            pthread_mutex_init(&d->lock, NULL);
            fake.enabled = enabled;
            *made = (VkDevice)d;
            return VK_SUCCESS;
        }
    }
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VKAPI_ATTR void VKAPI_CALL fake_destroy_device(
        VkDevice device, const VkAllocationCallbacks *allocator)
{
    driver_device *d = of(device);
    pthread_mutex_destroy(&d->lock);
    d->alive = false;
}

static VKAPI_ATTR void VKAPI_CALL fake_get_queue(
        VkDevice device, uint32_t family, uint32_t index, VkQueue *queue)
{
    *queue = (VkQueue)(void *)&of(device)->queues[index];
}

FAKE fake_create_chain(VkDevice device, const VkSwapchainCreateInfoKHR *info,
        const VkAllocationCallbacks *allocator, VkSwapchainKHR *made)
{
    driver_device *d = of(device);
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&d->lock);
    if (info->oldSwapchain != VK_NULL_HANDLE) {
        chain_of(d, info->oldSwapchain)->retired = true;
    }
    for (size_t i = 0; i < CHAINS_MAX && fake.create >= 0 && result < 0; ++i) {
        if (!d->chains[i].alive) {
            d->chains[i] = (fake_chain){.alive = true};
            *made = (VkSwapchainKHR)(uintptr_t)(i + 1);
            result = VK_SUCCESS;
        }
    }
    pthread_mutex_unlock(&d->lock);
    return fake.create < 0 ? fake.create : result;
}

static VKAPI_ATTR void VKAPI_CALL fake_destroy_chain(
        VkDevice device, VkSwapchainKHR handle, const VkAllocationCallbacks *allocator)
{
    driver_device *d = of(device);
    pthread_mutex_lock(&d->lock);
    if (handle != VK_NULL_HANDLE) {
        chain_of(d, handle)->alive = false;
    }
    pthread_mutex_unlock(&d->lock);
}

/* GOOGLE: shown a millisecond later. */
static void take_present(const driver_device *d, fake_chain *c, uint64_t id, uint32_t google)
{
    FAKE_REQUIRE(id == 0 || id > c->last_id);
    c->last_id = id != 0 ? id : c->last_id;
    size_t number = __atomic_fetch_add(&fake.presents, 1, __ATOMIC_RELAXED);
    if ((d->enabled & FAKE_GOOGLE) != 0 && google != 0) {
        VkPastPresentationTimingGOOGLE *past = &c->past[c->asked++ % PAST_MAX];
        uint64_t shown_ns = (uint64_t)(fake.show != NULL ? fake.show()
                                                         : layer_clock_ns(CLOCK_MONOTONIC) + 1000000);
        *past = (VkPastPresentationTimingGOOGLE){
                .presentID = google, .actualPresentTime = shown_ns};
        if (number < FAKE_SHOWN_MAX) {
            fake.shown_ns[number] = (int64_t)shown_ns;
        }
    }
}

FAKE fake_queue_present(VkQueue queue, const VkPresentInfoKHR *info)
{
    driver_device *d = of(queue);
    const VkPresentIdKHR *ids = only(info->pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
    const VkPresentTimesInfoGOOGLE *times =
            only(info->pNext, VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE);
    FAKE_REQUIRE(ids == NULL
                 || ((d->enabled & FAKE_ID) != 0 && ids->swapchainCount == info->swapchainCount));
    FAKE_REQUIRE(
            times == NULL
            || ((d->enabled & FAKE_GOOGLE) != 0 && times->swapchainCount == info->swapchainCount));
    pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; i < info->swapchainCount; ++i) {
        fake_chain *c = chain_of(d, info->pSwapchains[i]);
        VkResult result = i == 0 && fake.one != VK_SUCCESS ? fake.one : fake.present;
        if (info->pResults != NULL) {
            info->pResults[i] = result;
        }
        if (result >= 0) {
            take_present(d, c, ids != NULL ? ids->pPresentIds[i] : 0,
                    times != NULL ? times->pTimes[i].presentID : 0);
        }
    }
    pthread_mutex_unlock(&d->lock);
    return fake.one < 0 ? fake.one : fake.present;
}

FAKE fake_past(VkDevice device, VkSwapchainKHR handle, uint32_t *count,
        VkPastPresentationTimingGOOGLE *past)
{
    driver_device *d = of(device);
    uint32_t got = 0;
    FAKE_REQUIRE((d->enabled & FAKE_GOOGLE) != 0);
    pthread_mutex_lock(&d->lock);
    fake_chain *c = chain_of(d, handle);
    size_t there = c->asked > FAKE_LATE + c->given ? c->asked - FAKE_LATE - c->given : 0;
    for (; past != NULL && got < *count && got < there; ++got) {
        past[got] = c->past[(c->given + got) % PAST_MAX];
    }
    c->given += got;
    bool less = past != NULL && got < there;
    *count = past != NULL ? got : (uint32_t)there;
    pthread_mutex_unlock(&d->lock);
    return less ? VK_INCOMPLETE : VK_SUCCESS;
}

/* An image is shown when it is presented. */
FAKE fake_wait(VkDevice device, VkSwapchainKHR handle, uint64_t id, uint64_t timeout)
{
    driver_device *d = of(device);
    FAKE_REQUIRE(!__atomic_load_n(&is_closed, __ATOMIC_RELAXED));
    FAKE_REQUIRE((d->enabled & FAKE_WAIT) != 0 && id != 0);
    pthread_mutex_lock(&d->lock);
    const fake_chain *c = chain_of(d, handle);
    FAKE_REQUIRE(!c->retired);
    bool shown = c->last_id >= id && !fake.never_shown;
    pthread_mutex_unlock(&d->lock);
    __atomic_fetch_add(&fake.waits, shown, __ATOMIC_RELAXED);
    return shown ? VK_SUCCESS : VK_TIMEOUT;
}

static VkResult block(void)
{
    if (fake.block_ns > 0 && fake.now_ns != 0) {
        fake.now_ns += fake.block_ns;
    } else if (fake.block_ns > 0) {
        nanosleep(&(struct timespec){.tv_nsec = (long)fake.block_ns}, NULL);
    }
    return VK_SUCCESS;
}

FAKE fake_acquire(VkDevice device, VkSwapchainKHR chain, uint64_t timeout, VkSemaphore semaphore,
        VkFence fence, uint32_t *index)
{
    *index = 1;
    return block();
}

FAKE fake_acquire_2(VkDevice device, const VkAcquireNextImageInfoKHR *info, uint32_t *index)
{
    *index = 2;
    return block();
}

FAKE fake_fences(
        VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout)
{
    return block();
}

FAKE fake_queue_idle(VkQueue queue)
{
    return block();
}

FAKE fake_device_idle(VkDevice device)
{
    return block();
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_get_instance(VkInstance, const char *);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_get_device(VkDevice, const char *);

static const struct {
    const char *name;
    PFN_vkVoidFunction function;
    unsigned needs; /* an extension of the device, */
    bool below;     /* and whether it belongs to one */
} functions[] = {
#define ROW_OF(name, function, ...)                                                                \
    {                                                                                              \
        "vk" #name, (PFN_vkVoidFunction)(function), __VA_ARGS__                                    \
    }
        ROW_OF(GetInstanceProcAddr, fake_get_instance, 0, false),
        ROW_OF(CreateInstance, fake_create_instance, 0, false),
        ROW_OF(DestroyInstance, fake_destroy_instance, 0, false),
        ROW_OF(EnumerateDeviceExtensionProperties, fake_extensions, 0, false),
        ROW_OF(GetPhysicalDeviceFeatures2, fake_features, 0, false),
        ROW_OF(CreateDevice, fake_create_device, 0, false),
        ROW_OF(GetDeviceProcAddr, fake_get_device, 0, true),
        ROW_OF(DestroyDevice, fake_destroy_device, 0, true),
        ROW_OF(GetDeviceQueue, fake_get_queue, 0, true),
        ROW_OF(CreateSwapchainKHR, fake_create_chain, 0, true),
        ROW_OF(DestroySwapchainKHR, fake_destroy_chain, 0, true),
        ROW_OF(QueuePresentKHR, fake_queue_present, 0, true),
        ROW_OF(AcquireNextImageKHR, fake_acquire, 0, true),
        ROW_OF(AcquireNextImage2KHR, fake_acquire_2, 0, true),
        ROW_OF(WaitForFences, fake_fences, 0, true),
        ROW_OF(QueueWaitIdle, fake_queue_idle, 0, true),
        ROW_OF(DeviceWaitIdle, fake_device_idle, 0, true),
        ROW_OF(GetPastPresentationTimingGOOGLE, fake_past, FAKE_GOOGLE, true),
        ROW_OF(WaitForPresentKHR, fake_wait, FAKE_WAIT, true),
};

static PFN_vkVoidFunction function_of(const char *name, bool below, unsigned enabled)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        if (strcmp(functions[i].name, name) == 0 && (!below || functions[i].below)
                && (functions[i].needs & ~enabled) == 0) {
            return functions[i].function;
        }
    }
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_get_instance(
        VkInstance instance, const char *name)
{
    return function_of(name, false, ~0U);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_get_device(VkDevice device, const char *name)
{
    return function_of(name, true, of(device)->enabled);
}

/* No call may come after it, or during it. */
void fake_close(void)
{
    __atomic_store_n(&is_closed, true, __ATOMIC_RELAXED);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* --- the loader ------------------------------------------------------------------------------- */

static VkNegotiateLayerInterface layer;

void fake_restart(const char *path)
{
    if (file.fd >= 0) {
        close(file.fd);
    }
    file.fd = -1;
    file.pid = 0;
    file.is_full = false;
    fake = (struct fake){.offers = 0};
    if (path != NULL) {
        setenv("EVENSTEP_CAPTURE", path, 1);
    } else {
        unsetenv("EVENSTEP_CAPTURE");
    }
    layer = (VkNegotiateLayerInterface){.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT};
    layer.loaderLayerInterfaceVersion = 1;
    FAKE_REQUIRE(vkNegotiateLoaderLayerInterfaceVersion(&layer) < 0);
    layer.loaderLayerInterfaceVersion = 7;
    FAKE_REQUIRE(vkNegotiateLoaderLayerInterfaceVersion(&layer) == VK_SUCCESS
                 && layer.loaderLayerInterfaceVersion == 2);
}

VkInstance fake_instance_make(uint32_t version, bool direct)
{
    PFN_vkGetInstanceProcAddr get = direct ? fake_get_instance : layer.pfnGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    VkLayerInstanceLink next = {.pfnNextGetInstanceProcAddr = fake_get_instance};
    VkLayerInstanceCreateInfo data = {
            .sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, .function = VK_LAYER_LINK_INFO};
    data.u.pLayerInfo = &next;
    VkApplicationInfo application = {
            .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = version};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
            .pNext = direct ? NULL : &data,
            .pApplicationInfo = version != 0 ? &application : NULL};
    VkInstance made = NULL;
    FAKE_REQUIRE(create != NULL && create(&info, NULL, &made) == VK_SUCCESS);
    return made;
}

void fake_instance_end(VkInstance instance, bool direct)
{
    PFN_vkGetInstanceProcAddr get = direct ? fake_get_instance : layer.pfnGetInstanceProcAddr;
    ((PFN_vkDestroyInstance)get(instance, "vkDestroyInstance"))(instance, NULL);
}

bool fake_device_make(fake_device *made, VkInstance instance, unsigned theirs, bool direct)
{
    PFN_vkGetInstanceProcAddr get = direct ? fake_get_instance : layer.pfnGetInstanceProcAddr;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get(instance, "vkCreateDevice");
    VkLayerDeviceLink next = {.pfnNextGetInstanceProcAddr = fake_get_instance,
            .pfnNextGetDeviceProcAddr = fake_get_device};
    VkLayerDeviceCreateInfo data = {
            .sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, .function = VK_LAYER_LINK_INFO};
    data.u.pLayerInfo = &next;
    VkPhysicalDevicePresentIdFeaturesKHR id = {
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, NULL, VK_TRUE};
    VkPhysicalDevicePresentWaitFeaturesKHR wait = {
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR, NULL, VK_TRUE};
    void *chain = NULL;
    const char *names[4] = {"VK_KHR_swapchain"};
    uint32_t count = 1;
    for (size_t i = 0; i < 3; ++i) {
        if ((theirs & known[i].bit) != 0) {
            names[count++] = known[i].name;
        }
    }
    if ((theirs & FAKE_ID) != 0) {
        chain = &id;
    }
    if ((theirs & FAKE_WAIT) != 0) {
        wait.pNext = chain;
        chain = &wait;
    }
    data.pNext = chain;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
            .pNext = direct ? chain : (void *)&data,
            .enabledExtensionCount = count,
            .ppEnabledExtensionNames = names};
    VkPhysicalDevice physical =
            (VkPhysicalDevice)(void *)&((driver_instance *)(void *)instance)->physical;
    *made = (fake_device){.instance = instance};
    if (create(physical, &info, NULL, &made->device) != VK_SUCCESS) {
        return false;
    }
    PFN_vkGetDeviceProcAddr of_device = direct ? fake_get_device : layer.pfnGetDeviceProcAddr;
#define FAKE_LOAD(name) made->name = (PFN_vk##name)of_device(made->device, "vk" #name);
    FAKE_CALLS(FAKE_LOAD)
    made->GetDeviceQueue(made->device, 0, 0, &made->queue);
    made->GetDeviceQueue(made->device, 0, 1, &made->other);
    return true;
}

void fake_device_end(fake_device *device)
{
    device->DestroyDevice(device->device, NULL);
}

VkSwapchainKHR fake_chain_make(fake_device *device, VkSwapchainKHR old)
{
    VkSwapchainCreateInfoKHR info = {
            .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, .oldSwapchain = old};
    VkSwapchainKHR made = VK_NULL_HANDLE;
    return device->CreateSwapchainKHR(device->device, &info, NULL, &made) == VK_SUCCESS
                   ? made
                   : VK_NULL_HANDLE;
}

VkResult fake_present(fake_device *device, uint32_t count, const VkSwapchainKHR *chains,
        const uint64_t *ids, bool google)
{
    VkPresentTimeGOOGLE times[32] = {{0}};
    VkResult results[32];
    for (uint32_t i = 0; i < count && ids != NULL; ++i) {
        times[i].presentID = (uint32_t)ids[i];
    }
    VkPresentIdKHR id = {VK_STRUCTURE_TYPE_PRESENT_ID_KHR, NULL, count, ids};
    VkPresentTimesInfoGOOGLE time = {
            VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE, NULL, count, times};
    VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
            .pNext = ids == NULL ? NULL
                     : google    ? (void *)&time
                                 : &id,
            .swapchainCount = count,
            .pSwapchains = chains,
            .pResults = count > 1 ? results : NULL};
    return device->QueuePresentKHR(device->queue, &info);
}

/* --- the file --------------------------------------------------------------------------------- */

/* A number that is right-aligned, or spaces: -1. */
static int64_t number_at(const char **at, int width)
{
    int64_t value = -1;
    for (int i = 0; i < width; ++i) {
        char c = (*at)[i];
        FAKE_REQUIRE(value < 0 ? c == ' ' || (c >= '0' && c <= '9') : c >= '0' && c <= '9');
        value = c == ' ' ? -1 : (value > 0 ? value * 10 : 0) + c - '0';
    }
    FAKE_REQUIRE((*at)[width] == ',' || (*at)[width] == '\n');
    *at += width + 1;
    return value;
}

static void check_row(const fake_row *rows, size_t number)
{
    const fake_row *one = &rows[number];
    FAKE_REQUIRE(one->pid > 0 && one->chain > 0 && one->start_ns > 0);
    FAKE_REQUIRE(one->start_ns <= one->submit_ns && one->submit_ns <= one->returned_ns);
    FAKE_REQUIRE(one->shown_ns < 0 || one->shown_ns >= one->submit_ns);
    FAKE_REQUIRE(one->blocked_ns <= one->submit_ns - one->start_ns);
    for (size_t i = number; i-- > 0;) {
        if (rows[i].chain == one->chain) {
            FAKE_REQUIRE(one->start_ns == rows[i].returned_ns);
            break;
        }
    }
}

size_t fake_read(const char *path, fake_row *rows, size_t most)
{
    char text[ROW];
    FILE *in = fopen(path, "rb");
    size_t count = 0, size;
    FAKE_REQUIRE(in != NULL && fread(text, 1, ROW, in) == ROW && text[ROW - 1] == '\n');
    FAKE_REQUIRE(strncmp(text, header, strlen(header)) == 0);
    while ((size = fread(text, 1, ROW, in)) == ROW) {
        const char *at = text + NAME + 1;
        FAKE_REQUIRE(count < most && text[NAME] == ',' && text[ROW - 1] == '\n');
        fake_row *one = &rows[count];
        memcpy(one->name, text, NAME);
        one->name[NAME] = '\0';
        one->pid = number_at(&at, PID);
        one->chain = number_at(&at, CHAIN);
        one->start_ns = number_at(&at, TIME);
        one->submit_ns = number_at(&at, TIME);
        one->returned_ns = number_at(&at, TIME);
        one->shown_ns = number_at(&at, TIME);
        one->cpu_ns = number_at(&at, DURATION);
        one->blocked_ns = number_at(&at, DURATION);
        check_row(rows, count);
        count += 1;
    }
    FAKE_REQUIRE(size == 0);
    fclose(in);
    return count;
}
