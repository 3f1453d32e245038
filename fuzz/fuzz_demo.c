/* SPDX-License-Identifier: Zlib
 *
 * Ticks of the demo from a recording that was forged: any numbers in its state, any step,
 * any input. They are refused, or run; nothing reads or writes beside the world, and what was run
 * comes to the same hash again.
 */
#include "evenstep/input.h"
#include "evenstep/world.h"
#include "evenstep/replay.h"

#include "../tools/demo/world.h"

#include <string.h>

#include "fuzz_bytes.h"

enum { STATE_MAX = 65536, TICKS = 4, PATCHES = 8, PATCH = 8 };

/* A state like others, but for some of its bytes. */
static void forge(input *in, demo_scene *scene)
{
    static unsigned char packed[STATE_MAX];
    const es_layout *layout = demo_world_layout();
    demo_scene_init(scene, byte_from(in));
    size_t size = es_state_pack(layout, scene, packed, sizeof packed);
    require(size <= sizeof packed);
    int patches = byte_from(in) % PATCHES;
    for (int i = 0; i < patches; ++i) {
        size_t at = ((size_t)byte_from(in) << 8 | byte_from(in)) % (size - PATCH);
        for (int k = 0; k < PATCH; ++k) {
            packed[at + (size_t)k] = byte_from(in);
        }
    }
    require(es_state_unpack(layout, scene, packed, size));
}

static es_step step_from(input *in)
{
    es_step step = {.index = any_from(in), .time_ns = any_from(in), .dt_ns = any_from(in)};
    uint64_t bits = bits_from(in);
    memcpy(&step.dt_s, &bits, sizeof step.dt_s);
    if (byte_from(in) < 200) {
        step.dt_s = 1.0 / 60.0;
        step.dt_ns = 16666667;
    }
    return step;
}

/* A head that makes sense mostly, and events. */
static size_t input_from(input *in, unsigned char *bytes, size_t size, int64_t tick)
{
    static demo_given given;
    given.jump = (demo_jump)(byte_from(in) % DEMO_JUMPS);
    given.job = (demo_job_mode)(byte_from(in) % DEMO_JOB_MODES);
    given.apart = byte_from(in) % 2 != 0;
    given.base = es_hz(60);
    given.index = byte_from(in) < 200 ? tick : any_from(in);
    given.items = byte_from(in) % 4;
    given.event_count = byte_from(in) % 4;
    for (int32_t i = 0; i < given.event_count; ++i) {
        given.events[i] = (es_input_event){.kind = (es_input_kind)(byte_from(in) % 5),
                .code = byte_from(in) % 3,
                .stamp_ns = any_from(in)};
        uint64_t bits = bits_from(in);
        memcpy(&given.events[i].value, &bits, sizeof bits);
    }
    size_t used = demo_given_write(&given, bytes, size);
    if (byte_from(in) < 64) {
        bytes[byte_from(in) % used] = byte_from(in);
    }
    return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static demo_scene scenes[2];
    static demo_replayer replayers[2];
    static unsigned char bytes[4096];
    input in = {data, data + size};
    int64_t tick = byte_from(&in) < 200 ? 1 : any_from(&in);
    forge(&in, &scenes[0]);
    memset(replayers, 0, sizeof replayers);
    demo_world_loaded(&replayers[0], &scenes[0], 0);
    if (replayers[0].unsound) {
        return 0;
    }
    scenes[1] = scenes[0];
    for (int i = 0; i < TICKS; ++i) {
        es_step step = step_from(&in);
        size_t used = input_from(&in, bytes, sizeof bytes, tick + i);
        int first = demo_world_update(&replayers[0], &scenes[0], &step, bytes, used);
        int second = demo_world_update(&replayers[1], &scenes[1], &step, bytes, used);
        require(first == second);
        if (first != 0) {
            return 0;
        }
        require(es_state_hash(demo_world_layout(), &scenes[0])
                == es_state_hash(demo_world_layout(), &scenes[1]));
    }
    return 0;
}
