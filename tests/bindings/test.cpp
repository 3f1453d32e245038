// evenstep.hpp: a small game in virtual time, a recording, errors.
#include "evenstep.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

struct point {
    double x, y;
};

static point lerp(const point &a, const point &b, double t)
{
    return {es_lerp(a.x, b.x, t), es_lerp(a.y, b.y, t)};
}

struct world {
    double x;
};

static int64_t now_ns;

static int64_t test_now(void *)
{
    return now_ns;
}
static void test_wait(void *, int64_t deadline_ns)
{
    now_ns = deadline_ns > now_ns ? deadline_ns : now_ns;
}

int main(int, char **argv)
{
    es_loop_config config{};
    config.clock.now_ns = test_now;
    config.clock.wait_until = test_wait;
    evenstep::loop loop(config);
    evenstep::tracked<double> x(0.0);
    evenstep::tracked<point> place(point{0, 0});
    std::vector<double> shown;
    evenstep::frame frame;
    while (loop.next(frame) && frame.index <= 600) {
        for (es_step step : frame.updates()) {
            x.set(step, static_cast<double>(step.index) / 12);
            place.set(step, {static_cast<double>(step.index), 0});
        }
        shown.push_back(x.at(frame));
        bool same = std::fabs(place.at(frame).x - 12 * shown.back()) < 1e-6;
        if (!same
                || (frame.index > 402
                        && std::fabs(shown[shown.size() - 3] - 2 * shown[shown.size() - 2]
                                     + shown.back())
                                   > 1e-6)) {
            std::printf("frame %d is uneven\n", static_cast<int>(frame.index));
        }
        loop.submit();
        now_ns = (frame.index + 1) * ES_NS_PER_S / 144 + frame.index % 3 * ES_NS_PER_MS;
    }
    try {
        config.tick_rate = {0, 5};
        evenstep::loop refused(config);
    } catch (const evenstep::error &error) {
        std::puts(error.what());
    }
    world made{0}, again{0};
    {
        evenstep::recording<world> record(argv[1], made);
        for (int i = 1; i < 100; ++i) {
            es_step step{};
            step.index = i;
            step.time_ns = i * ES_NS_PER_S / 60;
            record.before(step, i);
            made.x += i;
            record.after(step, made);
        }
    }
    evenstep::replay<world> replay(argv[1], again);
    es_step step;
    int input = 0, played = 0;
    for (; replay.next(step, input); ++played) {
        again.x += input;
        replay.compare(again);
    }
    std::printf("%zu frames, %d ticks, %s\n", shown.size(), played,
            again.x == made.x ? "the same" : "ANOTHER");
    return 0;
}
