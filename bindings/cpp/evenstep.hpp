/* SPDX-License-Identifier: Zlib
 *
 * evenstep.hpp: Evenstep for C++17: objects that end by themselves, ranges, errors as exceptions.
 *
 *   evenstep::loop loop;
 *   evenstep::tracked<float> x;
 *   for (evenstep::frame frame; loop.next(frame);) {
 *       poll_events();
 *       for (es_step step : frame.updates()) {
 *           update(step.dt_s);
 *           x.set(step, player.x);
 *       }
 *       draw(x.at(frame));
 *       loop.submit();
 *       present();
 *   }
 *
 * Failures throw evenstep::error with the text of es_get_error. get() is the C object, for all else. Objects
 * can be moved, not copied.
 */
#ifndef EVENSTEP_HPP
#define EVENSTEP_HPP

#include <evenstep/evenstep.h>
#include <evenstep/follow.h>
#include <evenstep/input.h>
#include <evenstep/replay.h>
#include <evenstep/world.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace evenstep
{

struct error : std::runtime_error {
    error() : std::runtime_error(es_get_error())
    {
    }
};

inline void check(bool result)
{
    if (!result) {
        throw error();
    }
}

/* A C object with the function that ends it. */
template <typename T, auto Destroy> class object
{
  public:
    explicit object(T *made) : made_(made)
    {
        check(made != nullptr);
    }
    T *get() const
    {
        return made_.get();
    }

  protected:
    struct ender {
        void operator()(T *made) const
        {
            Destroy(made);
        }
    };
    std::unique_ptr<T, ender> made_;
};

/* One frame: what to run and what to draw. */
struct frame : es_frame {
    frame() : es_frame()
    {
    }

    class iterator
    {
      public:
        iterator(const frame *of, int32_t i) : of_(of), i_(i)
        {
        }
        es_step operator*() const
        {
            return es_frame_step(of_, i_);
        }
        iterator &operator++()
        {
            ++i_;
            return *this;
        }
        bool operator!=(const iterator &other) const
        {
            return i_ != other.i_;
        }

      private:
        const frame *of_;
        int32_t i_;
    };
    struct range {
        const frame *of;
        iterator begin() const
        {
            return {of, 0};
        }
        iterator end() const
        {
            return {of, of->ticks};
        }
    };
    /* The ticks to run now. */
    range updates() const
    {
        return {this};
    }
};

class loop : public object<es_loop, es_loop_destroy>
{
  public:
    explicit loop(const es_loop_config &config = {}) : object(es_loop_create(&config))
    {
    }

    /* Ends the last frame, waits if it must, and plans the next. Always true: for loops. */
    bool next(frame &to)
    {
        check(es_loop_next(get(), &to));
        return true;
    }
    bool next_at(int64_t host_ns, frame &to, int64_t expected_present_ns = ES_UNKNOWN_NS)
    {
        return es_loop_next_at(get(), host_ns, expected_present_ns, &to);
    }
    /* Drawing is done: present directly after it. */
    void submit()
    {
        check(es_loop_submit(get()));
    }
    void follow(es_follower *follower, int64_t offset_ns = 0)
    {
        check(es_loop_follow(get(), follower, offset_ns));
    }
    void set_paused(bool paused)
    {
        es_loop_set_paused(get(), paused);
    }
    void set_speed(double speed)
    {
        check(es_loop_set_speed(get(), speed));
    }
    void set_visible(bool visible)
    {
        es_loop_set_visible(get(), visible);
    }
    void resync()
    {
        check(es_loop_resync(get()));
    }
    void idle()
    {
        check(es_loop_idle(get()));
    }
    void seek(int64_t tick)
    {
        check(es_loop_seek(get(), tick));
    }
    void configure(const es_loop_config &config)
    {
        check(es_loop_configure(get(), &config));
    }
    es_loop_config config() const
    {
        return es_loop_get_config(get());
    }
    es_display display() const
    {
        return es_loop_get_display(get());
    }
    /* A line for a window's title. */
    std::string status() const
    {
        char text[160];
        return es_loop_status(get(), text, sizeof text);
    }
    /* What is wrong with the program or its display; empty: nothing. */
    std::string problem() const
    {
        const char *text = es_loop_problem(get());
        return text != nullptr ? text : "";
    }
};

/* Between two values: numbers by es_lerp, other types by their own function lerp(a, b, t). */
template <typename T> T between(const T &a, const T &b, double t)
{
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(es_lerp(a, b, t));
    } else {
        return lerp(a, b, t);
    }
}

/* A value that remembers its tick. Needs lead_ticks 0 or -1. */
template <typename T> class tracked
{
  public:
    tracked() = default;
    explicit tracked(const T &value) : previous_(value), current_(value)
    {
    }

    /* After the object's update, in this tick. The first call shows no motion. */
    void set(const es_step &step, const T &value)
    {
        bool goes_on = step.index == next_tick_ && next_tick_ > 0;
        previous_ = goes_on                        ? std::move(current_)
                    : step.index == next_tick_ - 1 ? previous_
                                                   : value;
        current_ = value;
        next_tick_ = step.index + 1;
    }
    /* It jumped: no frame shows it on the way. */
    void snap(const es_step &step, const T &value)
    {
        previous_ = current_ = value;
        next_tick_ = step.index + 1;
    }
    /* Where a frame shows it. */
    T at(const es_frame &frame) const
    {
        bool moves = frame.current_tick == next_tick_ - 1;
        return moves ? between(previous_, current_, frame.alpha) : current_;
    }
    const T &value() const
    {
        return current_;
    }

  private:
    T previous_{}, current_{};
    int64_t next_tick_ = 0;
};

class input : public object<es_input, es_input_destroy>
{
  public:
    explicit input(const es_input_config &config = {}) : object(es_input_create(&config))
    {
    }
    void button(int32_t code, bool down, int64_t stamp_ns = es_now_ns())
    {
        check(es_input_button(get(), code, down, stamp_ns));
    }
    void move(int32_t axis, double by, int64_t stamp_ns = es_now_ns())
    {
        check(es_input_move(get(), axis, by, stamp_ns));
    }
    void tick(const es_step &step)
    {
        es_input_tick(get(), &step);
    }
    int32_t pressed(int32_t code) const
    {
        return es_input_pressed(get(), code);
    }
    int32_t released(int32_t code) const
    {
        return es_input_released(get(), code);
    }
    bool held(int32_t code) const
    {
        return es_input_held(get(), code);
    }
    double value(int32_t axis) const
    {
        return es_input_value(get(), axis);
    }
    double at(int32_t axis, int64_t instant_ns, int64_t ahead_ns = 0) const
    {
        return es_input_at(get(), axis, instant_ns, ahead_ns);
    }
    int64_t view_ns(const es_frame &frame) const
    {
        return es_input_view_ns(get(), &frame);
    }
};

/* A recording of a state that is copied as bytes. */
template <typename State> class recording : public object<es_record, es_record_destroy>
{
    static_assert(std::is_trivially_copyable_v<State>, "describe other states by an es_layout");

  public:
    recording(const char *path, const State &initial, es_record_config config = {})
        : object(es_record_create(path, &sized(config), &initial))
    {
    }
    template <typename Input> void before(const es_step &step, const Input &input)
    {
        static_assert(std::is_trivially_copyable_v<Input>);
        check(es_record_input(get(), &step, &input, sizeof input));
    }
    void after(const es_step &step, const State &state)
    {
        check(es_record_state(get(), &step, &state));
    }

  private:
    static es_record_config &sized(es_record_config &config)
    {
        config.state_size = sizeof(State);
        return config;
    }
};

template <typename State> class replay : public object<es_replay, es_replay_close>
{
  public:
    replay(const char *path, State &state) : object(open(path, state))
    {
    }
    /* The next tick and its input. False: the end. */
    template <typename Input> bool next(es_step &step, Input &input)
    {
        static_assert(std::is_trivially_copyable_v<Input>);
        const void *bytes = nullptr;
        size_t size = 0;
        if (!es_replay_next(get(), &step, &bytes, &size)) {
            check(es_replay_get_status(get()).result == ES_ERR_STATE);
            return false;
        }
        if (size != sizeof input) {
            throw std::runtime_error("the input has another size than recorded");
        }
        std::memcpy(&input, bytes, sizeof input);
        return true;
    }
    void compare(const State &state)
    {
        check(es_replay_check(get(), &state));
    }

  private:
    static es_replay *open(const char *path, State &state)
    {
        es_record_config config{};
        config.state_size = sizeof(State);
        return es_replay_open(path, &config, &state);
    }
};

class follower : public object<es_follower, es_follower_destroy>
{
  public:
    explicit follower(const es_follower_config &config = {}) : object(es_follower_create(&config))
    {
    }
    bool add(int64_t other_ns, int64_t read_ns = es_now_ns())
    {
        return es_follower_add(get(), other_ns, read_ns);
    }
    void reset()
    {
        es_follower_reset(get());
    }
    int64_t at(int64_t now_ns = es_now_ns())
    {
        int64_t other_ns = 0;
        check(es_follower_at(get(), now_ns, &other_ns));
        return other_ns;
    }
    es_follower_status status() const
    {
        return es_follower_get_status(get());
    }
};

} // namespace evenstep

#endif
