/* SPDX-License-Identifier: Zlib
 *
 * The formats, as tables. Sources: docs/captures.md.
 */
#include "capture/columns.h"

/* Units, as exponents of ten to ms. */
enum { S = 3, MS = 0, US = -3, NS = -6 };

enum {
    PM = LAB_FAMILY_PRESENT_MON,
    V2 = LAB_FAMILY_V2,
    HUD = LAB_FAMILY_MANGO_HUD,
    OWN = LAB_FAMILY_TRACE,
    FRAPS = LAB_FAMILY_FRAPS,
    UNREAL = LAB_FAMILY_UNREAL,
    ANDROID = LAB_FAMILY_ANDROID,
    LAYER = LAB_FAMILY_LAYER
};

static const lab_format formats[] = {
        {"es_trace", OWN, {"start_ns", "content_ns"}},
        {"evenstep capture", LAYER, {"start_ns", "blocked_ns"}},
        {"evenstep capture, X11", LAYER, {"shown_ns", "msc"}},
        {"PresentMon 2, v2 metrics", V2, {"FrameTime", "CPUBusy"}},
        {"PresentMon 2", PM, {"MsBetweenPresents", "MsCPUBusy"}},
        {"PresentMon 2", PM, {"MsBetweenPresents", "CPUBusy"}},
        {"FrameView", PM, {"MsBetweenPresents", "Render Queue Depth"}},
        {"PresentMon 2, v1 metrics", PM, {"MsBetweenPresents", "MsUntilRenderStart"}},
        {"OCAT", PM, {"MsBetweenPresents", "Motherboard"}},
        {"PresentMon 1", PM, {"MsBetweenPresents", "Dropped"}},
        {"MangoHud", HUD, {"fps", "frametime"}},
        {"CSV", PM, {"MsBetweenPresents", NULL}},
        {"Unreal CSV", UNREAL, {"FrameTime", "EVENTS"}},
        {"Unreal CSV", UNREAL, {"FrameTime", "GameThreadTime"}},
        {"Fraps", FRAPS, {"Frame", "Time (ms)"}},
        {"Android framestats", ANDROID, {"IntendedVsync", "SwapBuffers"}},
        {"CSV", LAB_FAMILY_OTHER, {"FrameTime", NULL}},
};

/* MangoHud's frametime is in us up to 0.6.8: capture.c finds that out. */
static const lab_column columns[] = {
        {"Application", LAB_Q_PROCESS, MS, PM | V2 | LAYER | LAB_FAMILY_OTHER},
        {"ProcessID", LAB_Q_PID, MS, PM | V2 | LAYER},
        {"SwapChainAddress", LAB_Q_CHAIN, MS, PM | V2 | LAYER},
        {"FrameType", LAB_Q_KIND, MS, PM | V2},
        {"PresentMode", LAB_Q_MODE, MS, PM | V2},
        {"AllowsTearing", LAB_Q_TEARING, MS, PM | V2},
        {"Dropped", LAB_Q_DROPPED, MS, PM},
        {"TimeInSeconds", LAB_Q_PRESENT_AT, S, PM},
        {"TimeInMs", LAB_Q_PRESENT_AT, MS, PM},
        {"MsBetweenPresents", LAB_Q_FRAME, MS, PM},
        {"MsInPresentAPI", LAB_Q_IN_PRESENT, MS, PM},
        {"MsBetweenDisplayChange", LAB_Q_BETWEEN_SHOWN, MS, PM},
        {"MsUntilDisplayed", LAB_Q_UNTIL_SHOWN, MS, PM},
        {"MsUntilRenderStart", LAB_Q_UNTIL_GPU, MS, PM},
        {"MsUntilRenderComplete", LAB_Q_UNTIL_GPU_END, MS, PM},
        {"MsRenderPresentLatency", LAB_Q_UNTIL_GPU_END, MS, PM},
        {"MsGPUActive", LAB_Q_GPU_BUSY, MS, PM},
        {"GpuActive", LAB_Q_GPU_BUSY, MS, PM}, /* CapFrameX */
        {"MsCPUBusy", LAB_Q_CPU_BUSY, MS, PM},
        {"CpuActive", LAB_Q_CPU_BUSY, MS, PM}, /* CapFrameX */
        {"MsGPULatency", LAB_Q_GPU_LATENCY, MS, PM},
        {"MsGPUTime", LAB_Q_GPU_TIME, MS, PM},
        {"MsGPUBusy", LAB_Q_GPU_BUSY, MS, PM},
        {"MsBetweenSimulationStart", LAB_Q_SIMULATION, MS, PM},
        {"AnimationTime", LAB_Q_SIMULATION_AT, MS, PM | V2},
        {"FrameTime", LAB_Q_FRAME_NEXT, MS, V2},
        {"CPUBusy", LAB_Q_CPU_BUSY, MS, PM | V2},
        {"CPUWait", LAB_Q_IN_PRESENT, MS, V2},
        {"GPULatency", LAB_Q_GPU_LATENCY, MS, PM | V2},
        {"GPUTime", LAB_Q_GPU_TIME, MS, PM | V2},
        {"GPUBusy", LAB_Q_GPU_BUSY, MS, PM | V2},
        {"DisplayLatency", LAB_Q_SHOWN_LATENCY, MS, V2},
        {"MsClickToPhotonLatency", LAB_Q_CLICK_LATENCY, MS, PM | V2},
        {"ClickToPhotonLatency", LAB_Q_CLICK_LATENCY, MS, PM | V2},
        {"MsAllInputToPhotonLatency", LAB_Q_INPUT_LATENCY, MS, PM | V2},
        {"AllInputToPhotonLatency", LAB_Q_INPUT_LATENCY, MS, PM | V2},
        {"MsInstrumentedLatency", LAB_Q_INSTRUMENTED_LATENCY, MS, PM | V2},
        {"InstrumentedLatency", LAB_Q_INSTRUMENTED_LATENCY, MS, PM | V2},
        {"MsPCLatency", LAB_Q_PC_LATENCY, MS, PM | V2},
        {"fps", LAB_Q_FPS, MS, HUD},
        {"frametime", LAB_Q_FRAME, MS, HUD | UNREAL | LAB_FAMILY_OTHER},
        {"elapsed", LAB_Q_END_AT, NS, HUD},
        {"start_ns", LAB_Q_CPU_AT, NS, OWN | LAYER},
        {"submit_ns", LAB_Q_PRESENT_AT, NS, OWN | LAYER},
        {"returned_ns", LAB_Q_END_AT, NS, OWN | LAYER},
        {"shown_ns", LAB_Q_SHOWN_AT, NS, OWN | LAYER},
        {"cpu_ns", LAB_Q_CPU_TIME, NS, LAYER},
        {"blocked_ns", LAB_Q_BLOCKED, NS, LAYER},
        {"content_ns", LAB_Q_CONTENT_AT, NS, OWN},
        {"late_ns", LAB_Q_LATE, NS, OWN},
        {"work_ns", LAB_Q_WORK, NS, OWN},
        {"series", LAB_Q_SERIES, MS, OWN},
        {"Time (ms)", LAB_Q_PRESENT_AT, MS, FRAPS},
        {"IntendedVsync", LAB_Q_PLANNED_AT, NS, ANDROID},
        {"Vsync", LAB_Q_CONTENT_AT, NS, ANDROID}, /* the time that animations are computed for */
        {"HandleInputStart", LAB_Q_CPU_AT, NS, ANDROID},
        {"SwapBuffers", LAB_Q_PRESENT_AT, NS, ANDROID},
        {"DisplayPresentTime", LAB_Q_SHOWN_AT, NS, ANDROID},
};

static bool has_name(const lab_slice *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; ++i) {
        if (lab_slice_is(names[i], name)) {
            return true;
        }
    }
    return false;
}

const lab_format *lab_format_of(const lab_slice *names, size_t count)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i) {
        const lab_format *f = &formats[i];
        if (has_name(names, count, f->needs[0])
                && (f->needs[1] == NULL || has_name(names, count, f->needs[1]))) {
            return f;
        }
    }
    return NULL;
}

const lab_column *lab_column_of(lab_slice name, unsigned family)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        if ((columns[i].formats & family) != 0 && lab_slice_is(name, columns[i].name)) {
            return &columns[i];
        }
    }
    return NULL;
}

bool lab_is_absolute(lab_quantity q)
{
    return (q >= LAB_Q_PRESENT_AT && q <= LAB_Q_CONTENT_AT) || q == LAB_Q_SIMULATION_AT;
}

unsigned lab_frame_has(uint64_t quantities)
{
    static const struct {
        unsigned bit;
        lab_quantity by;
    } parts[] = {{LAB_HAS_CPU_START, LAB_Q_CPU_AT}, {LAB_HAS_CPU_START, LAB_Q_CPU_BUSY},
            {LAB_HAS_CPU_START, LAB_Q_IN_PRESENT}, {LAB_HAS_CPU_START, LAB_Q_FRAME_NEXT},
            {LAB_HAS_PRESENT, LAB_Q_PRESENT_AT}, {LAB_HAS_PRESENT, LAB_Q_FRAME},
            {LAB_HAS_PRESENT, LAB_Q_CPU_BUSY}, {LAB_HAS_PRESENT_END, LAB_Q_IN_PRESENT},
            {LAB_HAS_GPU_START, LAB_Q_UNTIL_GPU}, {LAB_HAS_GPU_START, LAB_Q_GPU_LATENCY},
            {LAB_HAS_GPU_END, LAB_Q_UNTIL_GPU_END}, {LAB_HAS_GPU_END, LAB_Q_GPU_TIME},
            {LAB_HAS_GPU_BUSY, LAB_Q_GPU_BUSY}, {LAB_HAS_LATE, LAB_Q_LATE},
            {LAB_HAS_WORK, LAB_Q_WORK}, {LAB_HAS_CPU_TIME, LAB_Q_CPU_TIME},
            {LAB_HAS_BLOCKED, LAB_Q_BLOCKED}, {LAB_HAS_SHOWN, LAB_Q_UNTIL_SHOWN},
            {LAB_HAS_SHOWN, LAB_Q_SHOWN_LATENCY}, {LAB_HAS_SHOWN, LAB_Q_BETWEEN_SHOWN},
            {LAB_HAS_SHOWN, LAB_Q_SHOWN_AT}};
    unsigned has = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        has |= (quantities >> parts[i].by & 1) != 0 ? parts[i].bit : 0U;
    }
    return has;
}
