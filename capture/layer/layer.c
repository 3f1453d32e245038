/* SPDX-License-Identifier: Zlib
 *
 * VK_LAYER_EVENSTEP_capture: a Vulkan layer that logs the frames of any program (log.h), and passes
 * everything else through. Sources: the Vulkan loader's docs/LoaderLayerInterface.md, and the
 * specification, sections "WSI Swapchain", VK_KHR_present_id, VK_KHR_present_wait and
 * VK_GOOGLE_display_timing.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "capture/layer/chain.h"
#include "capture/layer/plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vk_layer.h>

struct wl_display;
struct wl_surface;
#include <vulkan/vulkan_wayland.h>

#define API static VKAPI_ATTR VkResult VKAPI_CALL

/* --- what there is ---------------------------------------------------------------------------- */

/* Instances, devices, chains and surfaces are in lists, by their handle or dispatch key. */
typedef struct entry {
    struct entry *next;
    uint64_t key;
} entry;

/* The loader's key: objects below a device begin with the same pointer as the device, physical devices
 * with that of their instance. */
#define KEY(dispatchable) ((uint64_t)(uintptr_t) * (void **)(dispatchable))
#define HANDLE(other)     ((uint64_t)(other))

#define INSTANCE_CALLS(X)                                                                          \
    X(DestroyInstance) X(CreateWaylandSurfaceKHR) X(DestroySurfaceKHR)
#define DEVICE_CALLS(X)                                                                            \
    X(DestroyDevice) X(CreateSwapchainKHR) X(DestroySwapchainKHR) X(QueuePresentKHR)               \
    X(AcquireNextImageKHR) X(AcquireNextImage2KHR) X(WaitForFences) X(QueueWaitIdle)               \
    X(DeviceWaitIdle) X(GetPastPresentationTimingGOOGLE) X(WaitForPresentKHR)
#define MEMBER(name) PFN_vk##name name;

typedef struct instance {
    entry entry;
    VkInstance handle;
    PFN_vkGetInstanceProcAddr get;
    layer_physical_calls calls;
    entry *surfaces;
    INSTANCE_CALLS(MEMBER)
} instance;

typedef struct device {
    entry entry;
    instance *instance;
    PFN_vkGetDeviceProcAddr get;
    bool logs;
    layer_times times;
    entry *chains;
    DEVICE_CALLS(MEMBER)
} device;

typedef struct surface {
    entry entry;
    struct wl_display *display;
    struct wl_surface *wayland;
    layer_feed *feed; /* NULL: there are no chains, or no screen times */
    int chains;
} surface;

typedef struct chain {
    entry entry;
    layer_chain *log;
    surface *surface; /* NULL: not Wayland's */
} chain;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *instances, *devices;

/* Another thread may hold the lock when a program forks. */
static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin_layer(void)
{
    pthread_atfork(take_lock, give_lock, give_lock);
}

static void *find(entry *const *list, uint64_t key)
{
    pthread_mutex_lock(&lock);
    entry *at = *list;
    while (at != NULL && at->key != key) {
        at = at->next;
    }
    pthread_mutex_unlock(&lock);
    return at;
}

static void add(entry **list, entry *one, uint64_t key)
{
    pthread_mutex_lock(&lock);
    one->key = key;
    one->next = *list;
    *list = one;
    pthread_mutex_unlock(&lock);
}

static void *removed(entry **list, uint64_t key)
{
    pthread_mutex_lock(&lock);
    while (*list != NULL && (*list)->key != key) {
        list = &(*list)->next;
    }
    entry *one = *list;
    *list = one != NULL ? one->next : NULL;
    pthread_mutex_unlock(&lock);
    return one;
}

static device *device_of(void *dispatchable)
{
    return find(&devices, KEY(dispatchable));
}

/* The loader's structure of a type that has the link; those of instances and devices begin alike. */
static void *find_link(const void *next, VkStructureType type)
{
    const VkLayerDeviceCreateInfo *at = layer_find_struct(next, type);
    while (at != NULL && at->function != VK_LAYER_LINK_INFO) {
        at = layer_find_struct(at->pNext, type);
    }
    return (void *)(uintptr_t)at;
}

/* --- instances -------------------------------------------------------------------------------- */

API CreateInstance(
        const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *made)
{
    VkLayerInstanceCreateInfo *link =
            find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    instance *own = calloc(1, sizeof *own);
    if (link == NULL || own == NULL) {
        free(own);
        return link == NULL ? VK_ERROR_INITIALIZATION_FAILED : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    own->get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)own->get(NULL, "vkCreateInstance");
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = create(info, allocator, made);
    if (result < 0) {
        free(own);
        return result;
    }
    own->handle = *made;
    uint32_t version = info->pApplicationInfo != NULL ? info->pApplicationInfo->apiVersion : 0;
    own->calls.extensions = (PFN_vkEnumerateDeviceExtensionProperties)own->get(
            *made, "vkEnumerateDeviceExtensionProperties");
    if (version >= VK_API_VERSION_1_1) {
        own->calls.features = (PFN_vkGetPhysicalDeviceFeatures2)own->get(
                *made, "vkGetPhysicalDeviceFeatures2");
    } else if (layer_enables(info->ppEnabledExtensionNames, info->enabledExtensionCount,
                       "VK_KHR_get_physical_device_properties2")) {
        own->calls.features = (PFN_vkGetPhysicalDeviceFeatures2)own->get(
                *made, "vkGetPhysicalDeviceFeatures2KHR");
    }
#define LOAD(name) own->name = (PFN_vk##name)own->get(*made, "vk" #name);
    INSTANCE_CALLS(LOAD)
#undef LOAD
    add(&instances, &own->entry, KEY(*made));
    return result;
}

static VKAPI_ATTR void VKAPI_CALL DestroyInstance(
        VkInstance handle, const VkAllocationCallbacks *allocator)
{
    if (handle != NULL) {
        instance *own = removed(&instances, KEY(handle));
        own->DestroyInstance(handle, allocator);
        free(own);
    }
}

API CreateWaylandSurfaceKHR(VkInstance handle, const VkWaylandSurfaceCreateInfoKHR *info,
        const VkAllocationCallbacks *allocator, VkSurfaceKHR *made)
{
    instance *i = find(&instances, KEY(handle));
    VkResult result = i->CreateWaylandSurfaceKHR(handle, info, allocator, made);
    surface *s = result >= 0 ? calloc(1, sizeof *s) : NULL;
    if (s != NULL) {
        s->display = info->display;
        s->wayland = info->surface;
        add(&i->surfaces, &s->entry, HANDLE(*made));
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL DestroySurfaceKHR(
        VkInstance handle, VkSurfaceKHR one, const VkAllocationCallbacks *allocator)
{
    instance *i = find(&instances, KEY(handle));
    free(removed(&i->surfaces, HANDLE(one)));
    i->DestroySurfaceKHR(handle, one, allocator);
}

/* --- devices ---------------------------------------------------------------------------------- */

/* Programs may exit without destroying anything. The driver ends then: no thread may be in it. */
static void stop_threads(void)
{
    pthread_mutex_lock(&lock);
    for (entry *d = devices; d != NULL; d = d->next) {
        for (entry *c = ((device *)d)->chains; c != NULL; c = c->next) {
            layer_chain_stop(((chain *)c)->log);
        }
    }
    pthread_mutex_unlock(&lock);
}

API CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
        const VkAllocationCallbacks *allocator, VkDevice *made)
{
    VkLayerDeviceCreateInfo *link =
            find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    device *own = calloc(1, sizeof *own);
    if (link == NULL || own == NULL) {
        free(own);
        return link == NULL ? VK_ERROR_INITIALIZATION_FAILED : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    VkLayerDeviceLink *at = link->u.pLayerInfo;
    own->instance = find(&instances, KEY(physical));
    own->get = at->pfnNextGetDeviceProcAddr;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)at->pfnNextGetInstanceProcAddr(
            own->instance->handle, "vkCreateDevice");
    own->logs =
            layer_enables(info->ppEnabledExtensionNames, info->enabledExtensionCount, "VK_KHR_swapchain")
            && layer_log_open();
    layer_plan more = {.info = *info};
    if (own->logs) {
        layer_plan_make(&more, &own->instance->calls, physical, &own->times);
    }
    link->u.pLayerInfo = at->pNext;
    VkResult result = create(physical, &more.info, allocator, made);
    if (result < 0 && more.names != NULL) { /* without what was added; the link was used up */
        own->times = (layer_times){.google = false};
        link->u.pLayerInfo = at->pNext;
        result = create(physical, info, allocator, made);
    }
    free(more.names);
    if (result < 0) {
        free(own);
        return result;
    }
#define LOAD(name) own->name = (PFN_vk##name)own->get(*made, "vk" #name);
    DEVICE_CALLS(LOAD)
#undef LOAD
    own->times.device = *made;
    own->times.past = own->GetPastPresentationTimingGOOGLE;
    own->times.wait = own->WaitForPresentKHR;
    own->times.google = own->times.google && own->times.past != NULL;
    own->times.waits = own->times.waits && own->times.wait != NULL;
    add(&devices, &own->entry, KEY(*made));
    if (own->times.waits) { /* registered after the driver's, so it is called before them */
        atexit(stop_threads);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL DestroyDevice(
        VkDevice handle, const VkAllocationCallbacks *allocator)
{
    if (handle != NULL) {
        device *own = removed(&devices, KEY(handle));
        own->DestroyDevice(handle, allocator);
        free(own);
    }
}

/* --- swap chains ------------------------------------------------------------------------------ */

/* One chain more or less on a surface. Screen times are asked for while it has any. */
static void count_chains(surface *s, int change, bool has_google)
{
    layer_feed *ended = NULL;
    if (s == NULL) {
        return;
    }
    if (s->chains == 0 && change > 0 && !has_google) {
        s->feed = layer_feed_begin(s->display, s->wayland);
    }
    pthread_mutex_lock(&lock);
    s->chains += change;
    if (s->chains == 0) {
        ended = s->feed;
        s->feed = NULL;
    }
    pthread_mutex_unlock(&lock);
    layer_feed_end(ended);
}

API CreateSwapchainKHR(VkDevice handle, const VkSwapchainCreateInfoKHR *info,
        const VkAllocationCallbacks *allocator, VkSwapchainKHR *made)
{
    device *d = device_of(handle);
    if (!d->logs) {
        return d->CreateSwapchainKHR(handle, info, allocator, made);
    }
    chain *old = find(&d->chains, HANDLE(info->oldSwapchain));
    if (old != NULL) {
        layer_chain_retire(old->log); /* even if there is no new one */
    }
    surface *s = find(&d->instance->surfaces, HANDLE(info->surface));
    count_chains(s, 1, d->times.google);
    VkResult result = d->CreateSwapchainKHR(handle, info, allocator, made);
    chain *own = result >= 0 ? calloc(1, sizeof *own) : NULL;
    if (own != NULL) {
        own->surface = s;
        own->log = layer_chain_begin(&d->times, *made, s != NULL ? s->feed : NULL);
    }
    if (own != NULL && own->log != NULL) {
        add(&d->chains, &own->entry, HANDLE(*made));
    } else {
        free(own);
        count_chains(s, -1, false);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL DestroySwapchainKHR(
        VkDevice handle, VkSwapchainKHR one, const VkAllocationCallbacks *allocator)
{
    device *d = device_of(handle);
    chain *own = removed(&d->chains, HANDLE(one));
    if (own != NULL) {
        layer_chain_retire(own->log);
        count_chains(own->surface, -1, false);
        layer_chain_free(own->log);
        free(own);
    }
    d->DestroySwapchainKHR(handle, one, allocator);
}

API GetPastPresentationTimingGOOGLE(
        VkDevice handle, VkSwapchainKHR one, uint32_t *count, VkPastPresentationTimingGOOGLE *past)
{
    device *d = device_of(handle);
    VkResult result = d->GetPastPresentationTimingGOOGLE(handle, one, count, past);
    chain *own = find(&d->chains, HANDLE(one));
    if (result >= 0 && past != NULL && own != NULL) {
        layer_chain_take(own->log, past, *count);
    }
    return result;
}

/* --- frames ----------------------------------------------------------------------------------- */

enum { IDS_MAX = 16 }; /* swap chains of one present that get ids */

/* The ids of a present, of the program or of the layer; 0: none. */
typedef struct present_ids {
    VkPresentInfoKHR info;
    uint64_t ids[IDS_MAX];
    VkPresentTimeGOOGLE times[IDS_MAX];
    VkPresentIdKHR id_info;
    VkPresentTimesInfoGOOGLE times_info;
} present_ids;

static void take_ids(const device *d, present_ids *p)
{
    const VkPresentTimesInfoGOOGLE *times =
            layer_find_struct(p->info.pNext, VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE);
    const VkPresentIdKHR *ids = layer_find_struct(p->info.pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
    for (uint32_t i = 0; i < p->info.swapchainCount; ++i) {
        if (d->times.google) {
            p->ids[i] = times != NULL && times->pTimes != NULL ? times->pTimes[i].presentID : 0;
        } else {
            p->ids[i] = ids != NULL && ids->pPresentIds != NULL ? ids->pPresentIds[i] : 0;
        }
    }
}

static void make_ids(const device *d, present_ids *p)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < p->info.swapchainCount; ++i) {
        chain *c = find(&d->chains, HANDLE(p->info.pSwapchains[i]));
        p->ids[i] = c != NULL && layer_chain_needs_id(c->log) ? layer_chain_id(c->log) : 0;
        p->times[i] = (VkPresentTimeGOOGLE){(uint32_t)p->ids[i], 0}; /* 0: as soon as it can be */
        any |= p->ids[i];
    }
    p->id_info = (VkPresentIdKHR){
            VK_STRUCTURE_TYPE_PRESENT_ID_KHR, p->info.pNext, p->info.swapchainCount, p->ids};
    p->times_info = (VkPresentTimesInfoGOOGLE){VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE,
            p->info.pNext, p->info.swapchainCount, p->times};
    if (any != 0) {
        p->info.pNext = d->times.google ? (const void *)&p->times_info : &p->id_info;
    }
}

API QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *info)
{
    device *d = device_of(queue);
    if (!d->logs || !layer_log_is_own()) { /* a forked child: other threads had locks */
        return d->QueuePresentKHR(queue, info);
    }
    const layer_moment submit = layer_now();
    present_ids p = {.info = *info};
    bool has_room = info->swapchainCount <= IDS_MAX;
    bool theirs = d->times.theirs
                  || layer_find_struct(info->pNext, d->times.google
                                                      ? VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE
                                                      : VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
    if (has_room && (d->times.google || d->times.waits)) {
        (theirs ? take_ids : make_ids)(d, &p);
    }
    for (uint32_t i = 0; i < info->swapchainCount; ++i) {
        chain *c = find(&d->chains, HANDLE(info->pSwapchains[i]));
        if (c != NULL) {
            layer_chain_submit(c->log);
        }
    }
    VkResult result = d->QueuePresentKHR(queue, &p.info);
    const layer_moment returned = layer_now();
    for (uint32_t i = 0; i < info->swapchainCount; ++i) {
        chain *c = find(&d->chains, HANDLE(info->pSwapchains[i]));
        if (c != NULL) {
            layer_chain_returned(c->log, &submit, &returned,
                    info->pResults != NULL ? info->pResults[i] : result, has_room ? p.ids[i] : 0);
        }
    }
    return result;
}

/* A call that waits: the calling thread is blocked in it. */
#define WAITS(name, parameters, ...)                                                       \
    API name parameters                                                                            \
    {                                                                                              \
        const device *d = device_of(handle);                                                       \
        int64_t from_ns = layer_clock_ns(CLOCK_MONOTONIC);                                         \
        VkResult result = d->name(__VA_ARGS__);                                                    \
        layer_blocked_since(from_ns);                                                              \
        return result;                                                                             \
    }
WAITS(AcquireNextImageKHR,
        (VkDevice handle, VkSwapchainKHR one, uint64_t timeout, VkSemaphore semaphore,
                VkFence fence, uint32_t *index),
        handle, one, timeout, semaphore, fence, index)
WAITS(AcquireNextImage2KHR,
        (VkDevice handle, const VkAcquireNextImageInfoKHR *info, uint32_t *index), handle, info,
        index)
WAITS(WaitForFences,
        (VkDevice handle, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout),
        handle, count, fences, all, timeout)
WAITS(QueueWaitIdle, (VkQueue handle), handle)
WAITS(DeviceWaitIdle, (VkDevice handle), handle)

/* --- the loader ------------------------------------------------------------------------------- */

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance, const char *);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice, const char *);

#define HOOK(name)                                                                                 \
    {                                                                                              \
        "vk" #name, (PFN_vkVoidFunction)name                                                       \
    }
static const struct {
    const char *name;
    PFN_vkVoidFunction function;
} hooks[] = {HOOK(GetInstanceProcAddr), HOOK(CreateInstance), HOOK(DestroyInstance),
        HOOK(GetDeviceProcAddr), HOOK(CreateDevice), HOOK(DestroyDevice), /* the rest only logs */
        HOOK(CreateWaylandSurfaceKHR), HOOK(DestroySurfaceKHR), HOOK(CreateSwapchainKHR),
        HOOK(DestroySwapchainKHR), HOOK(QueuePresentKHR), HOOK(GetPastPresentationTimingGOOGLE),
        HOOK(AcquireNextImageKHR), HOOK(AcquireNextImage2KHR), HOOK(WaitForFences),
        HOOK(QueueWaitIdle), HOOK(DeviceWaitIdle)};
enum { HOOKS_ALWAYS = 6, HOOKS_ALL = sizeof hooks / sizeof hooks[0] };

/* In place of the next layer's function, which may be NULL: it has none. */
static PFN_vkVoidFunction hook(const char *name, bool logs, PFN_vkVoidFunction next)
{
    for (int i = 0; next != NULL && i < (logs ? (int)HOOKS_ALL : (int)HOOKS_ALWAYS); ++i) {
        if (strcmp(hooks[i].name, name) == 0) {
            return hooks[i].function;
        }
    }
    return next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(
        VkInstance handle, const char *name)
{
    const instance *own = handle != NULL ? find(&instances, KEY(handle)) : NULL;
    if (own == NULL) {
        return strcmp(name, "vkCreateInstance") == 0 ? (PFN_vkVoidFunction)CreateInstance : NULL;
    }
    return hook(name, layer_log_is_wanted(), own->get(handle, name));
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice handle, const char *name)
{
    const device *own = device_of(handle);
    return hook(name, own->logs, own->get(handle, name));
}

VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(
        VkNegotiateLayerInterface *with)
{
    if (with == NULL || with->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT
            || with->loaderLayerInterfaceVersion < CURRENT_LOADER_LAYER_INTERFACE_VERSION) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    with->loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
    with->pfnGetInstanceProcAddr = GetInstanceProcAddr;
    with->pfnGetDeviceProcAddr = GetDeviceProcAddr;
    with->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
