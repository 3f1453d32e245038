// SPDX-License-Identifier: Zlib
//
// consumer.c as somebody writes it in C++17, with the loop's callbacks: prints the same line.

#include "evenstep/world.h"

#include <evenstep/evenstep.h>
#include <evenstep/world.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>

namespace
{

constexpr int objects = 37, frames_wanted = 120, ticks_per_s = 20;

struct world {
    float x[objects];
    float turn[4][objects];
};

const es_field fields[] = {
        ES_FIELD_ARRAY(world, x, ES_BLEND_LINEAR),
        ES_FIELD_BY_HAND("turn", ES_TYPE_F32, ES_BLEND_ROTATION, ES_WITH(count, objects),
                ES_WITH(components, 4), ES_WITH(offset, offsetof(world, turn)),
                ES_WITH(stride, sizeof(float)), ES_WITH(component_stride, objects * sizeof(float))),
};
const es_layout layout = ES_LAYOUT(world, fields);

void update(world &w, std::int64_t tick)
{
    static constexpr float turns[3][4] = {{0, 0, 0, 1}, {0, 0, 0.6F, 0.8F}, {0.6F, 0, 0, 0.8F}};
    for (int i = 0; i < objects; ++i) {
        w.x[i] = static_cast<float>(3 * tick + i);
        for (int c = 0; c < 4; ++c) {
            w.turn[c][i] = turns[(tick + i) % 3][c];
        }
    }
}

class game
{
  public:
    bool begin()
    {
        es_loop_config config{};
        config.tick_rate = es_hz(ticks_per_s);
        config.clock.now_ns = [](void *user) { return *static_cast<std::int64_t *>(user); };
        config.clock.wait_until = [](void *user, std::int64_t deadline_ns) {
            auto &now_ns = *static_cast<std::int64_t *>(user);
            now_ns = now_ns < deadline_ns ? deadline_ns : now_ns;
        };
        config.clock.user = &time_ns;
        loop.reset(es_loop_create(&config));
        if (!history || !loop) {
            return false;
        }
        update(*static_cast<world *>(es_history_current(history.get())), 0);
        es_history_reset(history.get(), 0, 0);
        return true;
    }

    // Wrong pictures, and errors, are negative.
    int run()
    {
        int result = 0;
        while (result == 0 && es_loop_begin(loop.get())) {
            es_step step;
            while (result == 0 && es_loop_tick(loop.get(), &step)) {
                result = tick(step);
            }
            es_frame frame;
            es_loop_wait(loop.get(), &frame);
            result = result != 0 ? result : draw(frame);
            es_loop_submit(loop.get());
            es_loop_end(loop.get());
            result = result == 0 && ++frames == frames_wanted ? 1 : result;
        }
        return result > 0 ? 0 : result;
    }

    int frames = 0, ticks = 0;
    std::uint64_t hash = UINT64_C(14695981039346656037);

  private:
    int tick(const es_step &step)
    {
        update(*static_cast<world *>(es_history_push(history.get(), &step)), step.index);
        ++ticks;
        return 0;
    }

    int draw(const es_frame &frame)
    {
        if (!es_blend_frame(&layout, history.get(), &frame, &seen)) {
            return -1;
        }
        const double at = static_cast<double>(frame.content_ns) * ticks_per_s / 1e9;
        for (int i = 0; i < objects; ++i) {
            if (std::abs(static_cast<double>(seen.x[i]) - (3 * at + i)) > 1e-4) {
                return -1;
            }
        }
        add(seen.x, objects);
        add(seen.turn[0], 4 * objects);
        return 0;
    }

    void add(const float *numbers, int n)
    {
        for (int i = 0; i < n; ++i) {
            std::uint32_t bits;
            std::memcpy(&bits, &numbers[i], sizeof bits);
            for (int shift = 0; shift < 32; shift += 8) {
                hash = (hash ^ (bits >> shift & 255)) * UINT64_C(1099511628211);
            }
        }
    }

    std::unique_ptr<es_loop, decltype(&es_loop_destroy)> loop{nullptr, es_loop_destroy};
    std::unique_ptr<es_history, decltype(&es_history_destroy)> history{
            es_history_create(sizeof(world), 2), es_history_destroy};
    std::int64_t time_ns = 0;
    world seen{};
};

const char *system_clock()
{
    es_clock clock;
    if (!es_clock_system(&clock)) {
        return "none";
    }
    const auto deadline_ns = clock.now_ns(clock.user) + ES_NS_PER_MS;
    clock.wait_until(clock.user, deadline_ns);
    return clock.now_ns(clock.user) >= deadline_ns ? "works" : "FAILS";
}

} // namespace

int main()
{
    static game g;
    const auto version = std::to_string(ES_VERSION_MAJOR) + '.' + std::to_string(ES_VERSION_MINOR)
                         + '.' + std::to_string(ES_VERSION_PATCH);
    if (es_version() != ES_VERSION || !es_layout_validate(&layout) || !g.begin()) {
        std::cerr << es_version() << ": header " << version << ", cannot begin\n";
        return 1;
    }
    if (g.run() != ES_OK) {
        std::cerr << "frame " << g.frames << " is wrong\n";
        return 1;
    }
    std::cout << version << ": " << g.frames << " frames, " << g.ticks << " ticks, pictures "
              << std::hex << std::setw(16) << std::setfill('0') << g.hash << std::dec << ", clock "
              << system_clock() << '\n';
    return 0;
}
