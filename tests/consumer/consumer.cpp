// SPDX-License-Identifier: Zlib
//
// consumer.c as somebody writes it in C++17, with the loop's callbacks: prints the same line.

#include "evenstep/world.h"
#include "world.h"

#include <evenstep/evenstep.h>

#include <cstdint>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>

namespace
{

class game
{
  public:
    bool begin()
    {
        es_loop_config config{};
        config.tick_rate = es_hz(TICKS_PER_S);
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
        update(static_cast<world *>(es_history_current(history.get())), 0);
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
            result = result == 0 && ++frames == FRAMES ? 1 : result;
        }
        return result > 0 ? 0 : result;
    }

    int frames = 0, ticks = 0;
    std::uint64_t hash = UINT64_C(14695981039346656037);

  private:
    int tick(const es_step &step)
    {
        update(static_cast<world *>(es_history_push(history.get(), &step)), step.index);
        ++ticks;
        return 0;
    }

    int draw(const es_frame &frame)
    {
        if (!es_blend_frame(&layout, history.get(), &frame, &seen)) {
            return -1;
        }
        if (!is_right(&seen, frame.content_ns)) {
            return -1;
        }
        hash = hash_of(hash, seen.x, OBJECTS);
        hash = hash_of(hash, seen.turn[0], 4 * OBJECTS);
        return 0;
    }

    std::unique_ptr<es_loop, decltype(&es_loop_destroy)> loop{nullptr, es_loop_destroy};
    std::unique_ptr<es_history, decltype(&es_history_destroy)> history{
            es_history_create(sizeof(world), 2), es_history_destroy};
    std::int64_t time_ns = 0;
    world seen{};
};

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
