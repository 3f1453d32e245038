"""The Python package: sizes and offsets (layout), each function of evenstep.h with zeros, and a small game."""
import ctypes
import json
import os
import sys

import evenstep
from evenstep import c

API = json.load(open(os.path.join("bindings", "evenstep.json"), encoding="utf-8"))


def layout():
    for s in API["structs"]:
        structure = getattr(c, s["name"])
        print(s["name"], ctypes.sizeof(structure))
        for f in s["fields"]:
            print("%s.%s %d" % (s["name"], f["name"], getattr(structure, f["name"]).offset))


def argument(kind):
    return kind() if issubclass(kind, (ctypes.Structure, ctypes._CFuncPtr)) else None if kind in (
        ctypes.c_void_p, ctypes.c_char_p) or hasattr(kind, "contents") else kind()


def zeros():
    functions = [f["name"] for f in API["functions"] if f["header"] == "evenstep.h"]
    for name in functions:
        function = getattr(evenstep.lib, name)
        function(*[argument(kind) for kind in function.argtypes])
    print("%d functions; %s" % (len(functions), evenstep.lib.es_get_error().decode()))


class World(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("turn", ctypes.c_float), ("at", ctypes.c_float * 3)]


def fails(call):
    try:
        call()
    except (evenstep.EvenstepError, TypeError) as error:
        return str(error)
    raise AssertionError("no error")


def game():
    shown, track, camera = [], evenstep.Track2(), evenstep.Camera(0.1)
    track.set(0, 0, 0)
    camera.cut(0, (0, 0, 0))
    keys, sound = evenstep.Input(), evenstep.Follower()
    layout_ = evenstep.Layout(World, x="linear", turn="angle", at="linear")
    history = evenstep.History(layout_)
    history.reset()
    # a clock of the test's own: virtual time
    time = [0]
    now = c.es_clock._fields_[0][1](lambda _: time[0])
    wait = c.es_clock._fields_[1][1](lambda _, deadline: time.__setitem__(0, max(time[0], deadline)))
    loop = evenstep.Loop(tick_rate=60, clock=c.es_clock(now_ns=now, wait_until=wait))
    for frame in loop:
        for step in frame.updates():
            keys.tick(step)
            world = history.push(step)
            world.x += 5 * step.dt_s
            track.set(step, world.x, 0)
            camera.follow(step, (world.x, 0, 0))
        shown.append((frame.content_ns, track.at(frame)[0], history.blend(frame).x, camera.at(frame)[0]))
        loop.submit()
        time[0] = (frame.index + 1) * 1000000000 // 144 + frame.index % 3 * 1000000
        if frame.index == 600:
            break
    ns, x, blended, middle = shown[-1]
    assert abs(x - ns / 2e8) < 1e-6 and abs(blended - x) < 1e-6 and 0 < x - middle < 1, shown[-1]
    steps = [b[1] - a[1] for a, b in zip(shown[400:], shown[401:])]
    assert max(steps) - min(steps) < 1e-6, (min(steps), max(steps))
    assert loop.status.startswith("display 144."), loop.status
    assert loop.problem is None and loop.display.mode == evenstep.ES_DISPLAY_BLOCKS
    sound.add(7000, 1000)
    assert sound.at(2000) == 8000 and sound.status.readings == 1
    loop.follow(sound)
    loop.set_speed(0.5)
    assert "speed" in fails(lambda: loop.set_speed(-1)) and loop.config.tick_rate.numerator == 60
    loop.close()
    assert "not '30'" in fails(lambda: evenstep.Loop(tick_rate="30"))
    assert "bogus" in fails(lambda: evenstep.Loop(bogus=1))
    assert "tick_rate" in fails(lambda: evenstep.Loop(tick_rate=(0, 5)))
    assert "cannot be blended" in fails(lambda: evenstep.Layout(World, x="sideways"))
    print("game: %d frames" % len(shown))


def replay():
    path = os.path.join(sys.argv[2], "python.esrec")
    layout_, world, played = evenstep.Layout(World, x="linear"), World(), 0
    with evenstep.Record(path, layout_, world, tick_rate=60) as record:
        for i in range(1, 100):
            step = evenstep.es_step(index=i, time_ns=i * 1000000000 // 60, dt_s=1 / 60)
            record.input(step, bytes([i]))
            world.x += i
            record.state(step, world)
    again = World()
    for step, data in evenstep.Replay(path, layout_, again):
        again.x += data[0]
        played += 1
    differs = evenstep.Replay(path, layout_, World())
    next(iter(differs))
    assert "x" in fails(lambda: differs.check(World(x=-1)))
    print("replay: %d ticks, %s" % (played, "the same" if again.x == world.x else "ANOTHER"))


{"layout": layout, "zeros": zeros, "game": game, "replay": replay}[sys.argv[1]]()
