/* CC0: copy freely.
 *
 * 14: own objects: C++ classes in a list, with integer positions, that no history could copy.
 *
 * You will see: the longest way that each object moved from one drawn frame to the next, beside what
 * its newest tick alone would show. All move at 20 ticks per second and are drawn 60 times. The
 * sleeper rests while nothing updates it, and lets the distance tell a jump; the jumper says when it
 * jumps. The drone also passes gates, and moves on. None is drawn on the way. Virtual time.
 */
#include "evenstep/world.h"

#include "virtual_clock.h"

#include <cmath>
#include <cstdio>
#include <list>
#include <memory>

struct actor { // polymorphic, not copyable; positions in 1/16 pixel
    explicit actor(const char *name) : name_(name)
    {
    }
    actor(const actor &) = delete;
    virtual ~actor() = default;
    virtual void tick(const es_step &step)
    {
        x_ += step.index % 15 == 0 ? 28 + 1572 : 28;
        set(step.index, step.index % 15 == 0);
    }
    virtual void set(int64_t tick, bool jumps) = 0; // where it is now
    virtual double where(const es_frame &frame) const = 0;
    void draw(const es_frame &frame)
    {
        const double drawn = where(frame), newest = x_ / 16.0;
        if (std::fabs(drawn - drawn_) < 64) { // no jump
            way_ = std::fmax(way_, drawn - drawn_);
            newest_way_ = std::fmax(newest_way_, newest - newest_);
        }
        drawn_ = drawn;
        newest_ = newest;
    }
    const char *name_;
    int x_ = 0;
    double drawn_ = NAN, newest_ = 0, way_ = 0, newest_way_ = 0;
};

struct sleeper : actor { // a number; the distance tells a jump
    using actor::actor;
    void tick(const es_step &step) override
    {
        if (step.index / 10 % 2 == 0) // else it is off screen, say
            actor::tick(step);
    }
    void set(int64_t tick, bool) override
    {
        seen_.snap = 64; // pixels
        es_track1_set(&seen_, tick, x_ / 16.0);
    }
    double where(const es_frame &frame) const override
    {
        return es_track1_at(&seen_, &frame);
    }
    es_track1 seen_{};
};

struct jumper : actor { // in the plane
    using actor::actor;
    void set(int64_t tick, bool jumps) override
    {
        (jumps ? es_track2_snap : es_track2_set)(&seen_, tick, es_pose2{x_ / 16.0, 5, 0});
    }
    double where(const es_frame &frame) const override
    {
        return es_track2_at(&seen_, &frame).x;
    }
    es_track2 seen_{};
};

struct drone : actor { // in space, and turning
    using actor::actor;
    void set(int64_t tick, bool jumps) override
    {
        const float turn = 0.05F * static_cast<float>(tick);
        const es_pose3 pose{{x_ / 16.0, 5, 0}, {0, 0, std::sin(turn), std::cos(turn)}};
        const bool at_gate = jumps && tick % 30 != 0; // else it leaps
        const double by[3] = {at_gate ? 1572 / 16.0 : 0, 0, 0};
        es_track3_shift(&seen_, by);
        (jumps && !at_gate ? es_track3_snap : es_track3_set)(&seen_, tick, pose);
    }
    double where(const es_frame &frame) const override
    {
        return es_track3_at(&seen_, &frame).position[0];
    }
    es_track3 seen_{};
};

int main()
{
    std::list<std::unique_ptr<actor>> actors;
    actors.push_back(std::make_unique<sleeper>("sleeper"));
    actors.push_back(std::make_unique<jumper>("jumper"));
    for (auto &a : actors)
        a->set(0, true); // where they begin
    virtual_clock time{};
    es_loop_config config{};
    config.clock = virtual_clock_get(&time);
    config.tick_rate = es_hz(20), config.pace = ES_PACE_ADAPTIVE;
    std::unique_ptr<es_loop, void (*)(es_loop *)> loop{es_loop_create(&config), es_loop_destroy};
    for (es_frame frame; es_loop_next(loop.get(), &frame) && frame.index < 240;) {
        for (int i = 0; i < frame.ticks; ++i) {
            const es_step step = es_frame_step(&frame, i);
            if (step.index == 20)
                actors.push_back(std::make_unique<drone>("drone"));
            for (auto &a : actors)
                a->tick(step);
        }
        for (auto &a : actors)
            a->draw(frame);
        es_loop_submit(loop.get());
    }
    for (const auto &a : actors)
        std::printf("%-8s %5.2f px, by the newest tick %7.2f px; is at %6.2f px\n", a->name_,
                a->way_, a->newest_way_, a->drawn_);
}
