"""Evenstep: smooth motion for games.

    loop = evenstep.Loop(tick_rate=60)
    for frame in loop:
        poll_events()
        for step in frame.updates():
            previous, current = current, update(current, step.dt_s)
        draw(evenstep.lerp(previous.x, current.x, frame.alpha))
        loop.submit()
        flip()

Names are those of the C headers without es_, configurations are keywords, and failures are EvenstepError. What
is not here is called by its C name: evenstep.lib.es_slices_create. Threads: one at a time per object.
"""
import ctypes
import ctypes.util
import os
import sys

from . import c
from .c import *  # noqa: F401,F403  the constants and structures

__all__ = ["Camera", "EvenstepError", "Follower", "Frame", "History", "Input", "Layout", "Loop", "Record", "Replay",
           "Snapshots", "Track1", "Track2", "Track3", "hz", "lerp", "lerp_angle", "lerp_quat", "lib", "now_ns",
           "wait_until"]


class EvenstepError(RuntimeError):
    """A call has failed; the text is that of es_get_error."""


def _find():
    names = {"win32": "evenstep.dll", "darwin": "libevenstep.dylib"}
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), names.get(sys.platform, "libevenstep.so"))
    for path in (os.environ.get("EVENSTEP_LIBRARY"), beside if os.path.exists(beside) else None,
                 ctypes.util.find_library("evenstep")):
        if path:
            return path
    raise ImportError("libevenstep is neither beside this package nor installed; EVENSTEP_LIBRARY may name it")


def _load():
    library = ctypes.CDLL(_find())
    for name, (result, arguments) in c.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    version, own = library.es_version(), c.ES_VERSION_MAJOR * 1000000 + c.ES_VERSION_MINOR * 1000 + c.ES_VERSION_PATCH
    if version // 1000 != own // 1000:
        raise ImportError("libevenstep has version %d, this package is for %d" % (version, own))
    return library


lib = _load()


def _check(result):
    if not result:
        raise EvenstepError(lib.es_get_error().decode())
    return result


def _fill(structure, keywords):
    """Fields by keywords; rates also as numbers or (numerator, denominator), structures as dictionaries."""
    types = dict(structure._fields_)
    for name, value in keywords.items():
        if name not in types:
            raise TypeError("%s has no field %s" % (type(structure).__name__, name))
        if types[name] is c.es_rate and not isinstance(value, c.es_rate):
            value = c.es_rate(*value) if isinstance(value, tuple) else _check_rate(value)
        elif isinstance(value, dict):
            value = _fill(types[name](), value)
        elif types[name] is ctypes.c_void_p and callable(value):
            raise TypeError("%s: pass a ctypes function" % name)
        setattr(structure, name, value)
    return structure


def _check_rate(value):
    if not isinstance(value, (int, float)):
        raise TypeError("a rate is a number per second or (numerator, denominator), not %r" % (value,))
    rate = hz(value)
    if not rate.numerator:
        raise EvenstepError("tick_rate: %r is not a rate" % (value,))
    return rate


def now_ns():
    """The loop's clock."""
    return lib.es_now_ns()


def wait_until(deadline_ns):
    lib.es_wait_until(deadline_ns)


def hz(rate):
    """A rate per second as an exact fraction: 59.94 is 60000/1001."""
    return lib.es_hz(rate)


def lerp(a, b, t):
    """Between two numbers, or two sequences of numbers; exactly a at 0 and b at 1."""
    if hasattr(a, "__len__"):
        return [lib.es_lerp(x, y, t) for x, y in zip(a, b)]
    return lib.es_lerp(a, b, t)


def lerp_angle(a, b, t):
    """Between two angles in radians, the short way round."""
    return lib.es_lerp_angle(a, b, t)


def lerp_quat(a, b, t):
    """Between two unit quaternions, the short way at even speed."""
    out, four = (ctypes.c_float * 4)(), ctypes.c_float * 4
    lib.es_lerp_quat(four(*a), four(*b), t, out)
    return list(out)


class _Handle:
    """A C object, which close(), `with` or the garbage collector ends."""

    _destroy = None

    def __init__(self, handle):
        self._as_parameter_ = _check(handle)

    def close(self):
        handle, self._as_parameter_ = getattr(self, "_as_parameter_", None), None
        if handle:
            return getattr(lib, self._destroy)(handle)
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if lib is not None:
            self.close()


class Frame(c.es_frame):
    """One frame: what to run and what to draw (es_frame)."""

    def step(self, i):
        return lib.es_frame_step(self, i)

    def updates(self):
        """The ticks to run now: index, time_ns, dt_s, due_ns."""
        return (lib.es_frame_step(self, i) for i in range(self.ticks))


class Loop(_Handle):
    """Decides when to update, when to draw and which instant each frame shows. Keywords: es_loop_config."""

    _destroy = "es_loop_destroy"

    def __init__(self, preset=None, **config):
        settings = c.es_loop_config()
        if preset is not None:
            _check(lib.es_loop_preset(preset.encode(), settings))
        self._config = _fill(settings, config)
        super().__init__(lib.es_loop_create(self._config))

    def __iter__(self):
        """Frames, for ever: break ends it."""
        while True:
            yield self.next()

    def next(self):
        """Ends the last frame, waits if it must, and plans the next."""
        frame = Frame()
        _check(lib.es_loop_next(self, frame))
        return frame

    def next_at(self, host_ns, expected_present_ns=c.ES_UNKNOWN_NS):
        """The frame of a host, which never waits."""
        frame = Frame()
        _check(lib.es_loop_next_at(self, host_ns, expected_present_ns, frame))
        return frame

    def submit(self):
        """Drawing is done: present directly after it."""
        _check(lib.es_loop_submit(self))

    def wait(self, frame):
        """Between ticks and drawing, if at all."""
        _check(lib.es_loop_wait(self, frame))

    def end(self):
        _check(lib.es_loop_end(self))

    def follow(self, follower, offset_ns=0):
        """Before each frame: content is where the other clock is."""
        _check(lib.es_loop_follow(self, follower, offset_ns))

    def set_paused(self, paused):
        lib.es_loop_set_paused(self, paused)

    def tick_once(self):
        _check(lib.es_loop_tick_once(self))

    def set_speed(self, speed):
        _check(lib.es_loop_set_speed(self, speed))

    def set_visible(self, visible):
        lib.es_loop_set_visible(self, visible)

    def resync(self):
        _check(lib.es_loop_resync(self))

    def idle(self):
        _check(lib.es_loop_idle(self))

    def seek(self, tick):
        _check(lib.es_loop_seek(self, tick))

    def presented(self, frame, shown_ns, **present):
        """A frame was seen then (es_present)."""
        lib.es_loop_presented(self, _fill(c.es_present(frame=frame, shown_ns=shown_ns), present))

    def configure(self, **config):
        """Changes settings while it runs."""
        self._config = _fill(lib.es_loop_get_config(self), config)
        _check(lib.es_loop_configure(self, self._config))

    @property
    def config(self):
        return lib.es_loop_get_config(self)

    @property
    def display(self):
        return lib.es_loop_get_display(self)

    @property
    def report(self):
        report = lib.es_loop_get_report(self)
        return c.es_report.from_buffer_copy(report.contents) if report else None

    @property
    def status(self):
        """A line for a window's title."""
        text = ctypes.create_string_buffer(160)
        return lib.es_loop_status(self, text, 160).decode()

    @property
    def problem(self):
        """What is wrong with the program or its display, for the programmer; or None."""
        text = lib.es_loop_problem(self)
        return text.decode() if text else None


# --- objects and cameras ------------------------------------------------------------------------


def _index(tick):
    """A tick: a step of frame.updates(), or its index."""
    return getattr(tick, "index", tick)


class Track1(c.es_track1):
    """A number of an object, which remembers its tick. Set it when the object is made, too."""

    def set(self, tick, value):
        lib.es_track1_set(self, _index(tick), value)

    def move(self, tick, value):
        """It jumped: no frame shows it on the way."""
        lib.es_track1_snap(self, _index(tick), value)

    def shift(self, by):
        """A wrap around the screen: the motion goes on."""
        lib.es_track1_shift(self, by)

    def at(self, frame):
        return lib.es_track1_at(self, frame)

    def angle_at(self, frame):
        return lib.es_track1_angle_at(self, frame)


class Track2(c.es_track2):
    """x, y and an angle in radians: x, y, angle = track.at(frame)."""

    def set(self, tick, x, y, angle=0.0):
        lib.es_track2_set(self, _index(tick), c.es_pose2(x, y, angle))

    def move(self, tick, x, y, angle=0.0):
        lib.es_track2_snap(self, _index(tick), c.es_pose2(x, y, angle))

    def shift(self, x, y=0.0, angle=0.0):
        lib.es_track2_shift(self, c.es_pose2(x, y, angle))

    def at(self, frame):
        pose = lib.es_track2_at(self, frame)
        return pose.x, pose.y, pose.angle


class Track3(c.es_track3):
    """A position and a unit quaternion."""

    @staticmethod
    def _pose(position, rotation):
        return c.es_pose3((ctypes.c_double * 3)(*position), (ctypes.c_float * 4)(*rotation))

    def set(self, tick, position, rotation=(0, 0, 0, 1)):
        lib.es_track3_set(self, _index(tick), self._pose(position, rotation))

    def move(self, tick, position, rotation=(0, 0, 0, 1)):
        lib.es_track3_snap(self, _index(tick), self._pose(position, rotation))

    def at(self, frame):
        pose = lib.es_track3_at(self, frame)
        return list(pose.position), list(pose.rotation)


class Camera(c.es_camera):
    """Follows a target in ticks; frames ask where it is. Keywords: es_camera, half_life_s of its spring."""

    def __init__(self, half_life_s=0.1, **settings):
        super().__init__()
        self.spring.half_life_s = half_life_s
        for name, value in settings.items():
            field = getattr(self, name)
            setattr(self, name, type(field)(*value) if hasattr(field, "__len__") else value)

    @staticmethod
    def _three(at):
        return (ctypes.c_double * 3)(*at)

    def follow(self, step, target):
        lib.es_camera_follow(self, step.index, self._three(target), step.dt_s)

    def cut(self, tick, target):
        lib.es_camera_cut(self, tick, self._three(target))

    def shake(self, strength):
        lib.es_camera_shake(self, strength)

    def at(self, frame=None):
        middle = (ctypes.c_double * 3)()
        lib.es_camera_at(self, frame, middle)
        return list(middle)


# --- whole states -------------------------------------------------------------------------------

_KINDS = {name[len("ES_BLEND_"):].lower(): value for name, value in vars(c).items() if name.startswith("ES_BLEND_")}
_TYPES = {ctypes.c_float: c.ES_TYPE_F32, ctypes.c_double: c.ES_TYPE_F64, ctypes.c_int32: c.ES_TYPE_I32,
          ctypes.c_uint32: c.ES_TYPE_U32, ctypes.c_int64: c.ES_TYPE_I64, ctypes.c_uint8: c.ES_TYPE_U8,
          ctypes.c_bool: c.ES_TYPE_U8}


class Layout(c.es_layout):
    """How the fields of a ctypes.Structure look between ticks: Layout(World, x="linear", turn="angle")."""

    def __init__(self, state, **kinds):
        types = dict(state._fields_)
        made = []
        for name, kind in kinds.items():
            field, number, count = getattr(state, name), types[name], 1
            if hasattr(number, "_length_"):
                number, count = number._type_, number._length_
            if number not in _TYPES or kind not in _KINDS:
                raise TypeError("%s: %s of %s cannot be blended" % (name, kind, number.__name__))
            quat = kind in ("rotation", "matrix", "matrix_rows", "colour", "srgb")
            made.append(c.es_field(name=name.encode(), type=_TYPES[number], blend=_KINDS[kind], offset=field.offset,
                                   count=1 if quat else count, components=count if quat else 1,
                                   stride=ctypes.sizeof(number)))
        self._made = (c.es_field * len(made))(*made)
        super().__init__(fields=self._made, field_count=len(made), state_size=ctypes.sizeof(state))
        self.state = state
        _check(lib.es_layout_validate(self))

    def blend(self, previous, current, alpha):
        out = self.state()
        ctypes.memmove(ctypes.addressof(out), ctypes.addressof(current), ctypes.sizeof(out))
        _check(lib.es_blend(self, ctypes.addressof(previous), ctypes.addressof(current), alpha, ctypes.addressof(out)))
        return out


class History(_Handle):
    """The last ticks of a state."""

    _destroy = "es_history_destroy"

    def __init__(self, layout, ticks=2):
        self.layout = layout
        super().__init__(lib.es_history_create(layout.state_size, ticks))

    @property
    def current(self):
        return self.layout.state.from_address(lib.es_history_current(self))

    def push(self, step=None):
        """Before a tick's update: the current state, which becomes the previous one's successor."""
        return self.layout.state.from_address(_check(lib.es_history_push(self, step)))

    def reset(self, tick=0, time_ns=0):
        lib.es_history_reset(self, tick, time_ns)

    def blend(self, frame):
        out = self.layout.state()
        _check(lib.es_blend_frame(self.layout, self, frame, ctypes.addressof(out)))
        return out


# --- input --------------------------------------------------------------------------------------


class Input(_Handle):
    """Gives each event to exactly one tick. Keywords: es_input_config."""

    _destroy = "es_input_destroy"

    def __init__(self, **config):
        super().__init__(lib.es_input_create(_fill(c.es_input_config(), config)))

    def button(self, code, down, stamp_ns=None):
        _check(lib.es_input_button(self, code, down, now_ns() if stamp_ns is None else stamp_ns))

    def motion(self, axis, by, stamp_ns=None):
        _check(lib.es_input_move(self, axis, by, now_ns() if stamp_ns is None else stamp_ns))

    def stamp(self, stamp, at_ns=None):
        return lib.es_input_stamp(self, stamp, now_ns() if at_ns is None else at_ns)

    def tick(self, step=None):
        return lib.es_input_tick(self, step)

    def pressed(self, code):
        return lib.es_input_pressed(self, code)

    def released(self, code):
        return lib.es_input_released(self, code)

    def held(self, code):
        return lib.es_input_held(self, code)

    def value(self, axis):
        return lib.es_input_value(self, axis)

    def moved(self, axis):
        return lib.es_input_moved(self, axis)

    def peek(self, axis):
        return lib.es_input_peek(self, axis)

    def at(self, axis, instant_ns, ahead_ns=0):
        return lib.es_input_at(self, axis, instant_ns, ahead_ns)

    def view_ns(self, frame):
        return lib.es_input_view_ns(self, frame)


# --- replay -------------------------------------------------------------------------------------


def _record_config(layout, tick_rate, settings):
    config = c.es_record_config(layout=ctypes.cast(ctypes.pointer(layout), ctypes.POINTER(c.es_layout)))
    return _fill(config, dict(settings, **({"tick_rate": tick_rate} if tick_rate else {})))


class Record(_Handle):
    """A recording of inputs and states."""

    _destroy = "es_record_destroy"

    def __init__(self, path, layout, state, tick_rate=None, **config):
        self._config, self._layout = _record_config(layout, tick_rate, config), layout
        super().__init__(lib.es_record_create(os.fsencode(path), self._config, ctypes.addressof(state)))

    def input(self, step, data=b""):
        _check(lib.es_record_input(self, step, data, len(data)))

    def state(self, step, state):
        _check(lib.es_record_state(self, step, ctypes.addressof(state)))

    def close(self):
        """Ends it. EvenstepError: not all was written."""
        status = super().close()
        if status is not None and status.result != c.ES_OK:
            raise EvenstepError(lib.es_get_error().decode())


class Replay(_Handle):
    """Plays a recording: for step, data in replay: update(state, data); replay.check(state)."""

    _destroy = "es_replay_close"

    def __init__(self, path, layout, state):
        self._config, self._layout = _record_config(layout, None, {}), layout
        super().__init__(lib.es_replay_open(os.fsencode(path), self._config, ctypes.addressof(state)))

    def __iter__(self):
        step, data, size = c.es_step(), ctypes.c_void_p(), ctypes.c_size_t()
        while lib.es_replay_next(self, step, data, size):
            yield step, ctypes.string_at(data, size.value) if size.value else b""
        if self.status.result != c.ES_ERR_STATE:
            raise EvenstepError(lib.es_get_error().decode())

    def check(self, state):
        """EvenstepError: the state differs from the recording, and in what."""
        _check(lib.es_replay_check(self, ctypes.addressof(state)))

    def seek(self, tick, state):
        _check(lib.es_replay_seek(self, tick, ctypes.addressof(state)))

    @property
    def status(self):
        return lib.es_replay_get_status(self)


# --- other clocks -------------------------------------------------------------------------------


class Follower(_Handle):
    """Another clock: a sound card, a server. Keywords: es_follower_config."""

    _destroy = "es_follower_destroy"

    def __init__(self, **config):
        super().__init__(lib.es_follower_create(_fill(c.es_follower_config(), config)))

    def add(self, other_ns, read_ns=None):
        """A reading. False: there are too many; from any one thread."""
        return lib.es_follower_add(self, other_ns, now_ns() if read_ns is None else read_ns)

    def reset(self):
        lib.es_follower_reset(self)

    def at(self, instant_ns=None):
        other = ctypes.c_int64()
        _check(lib.es_follower_at(self, now_ns() if instant_ns is None else instant_ns, other))
        return other.value

    @property
    def status(self):
        return lib.es_follower_get_status(self)


class Snapshots(_Handle):
    """Snapshots of a server: states of a layout, by their ticks."""

    _destroy = "es_snapshots_destroy"

    def __init__(self, layout, tick_rate, **config):
        self.layout = layout
        settings = _fill(c.es_snapshots_config(state_size=layout.state_size), dict(config, tick_rate=tick_rate))
        super().__init__(lib.es_snapshots_create(settings))

    def add(self, tick, state, at_ns=None):
        return lib.es_snapshots_add(self, tick, ctypes.addressof(state), now_ns() if at_ns is None else at_ns)

    def blend(self, frame):
        """What the frame shows; None: nothing has come yet."""
        out = self.layout.state()
        return out if lib.es_snapshots_blend(self, self.layout, frame, ctypes.addressof(out)) else None

    @property
    def status(self):
        return lib.es_snapshots_get_status(self)
