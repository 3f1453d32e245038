// SPDX-License-Identifier: Zlib
// web/library.mjs in node, in virtual time: node tests/web_library.mjs DIRECTORY, as scripts/web-host has written it;
// with a second argument only the sizes and offsets of structures.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

const at = (file) => import(pathToFileURL(`${process.argv[2]}/${file}`));
const { STRUCTS, FUNCTIONS } = await at('c.mjs');
if (process.argv[3]) {
    for (const [name, [size, fields]] of Object.entries(STRUCTS)) {
        console.log(name, size);
        Object.entries(fields).forEach(([field, [, offset]]) => console.log(`${name}.${field} ${offset}`));
    }
    process.exit();
}

let now = 1000, requested = null;
globalThis.performance = { now: () => now };
globalThis.requestAnimationFrame = (called) => ((requested = called), 1);
const { load } = await at('library.mjs');
const es = await load(), { c } = es;

// Each function with zeros; then with a text where a number is due, and with an argument too few.
const zero = (code) => (code === 'text' || code === 'ptr' || /^[*(]/.test(code) ? null : code[0] === '=' ? {} : 0);
const names = Object.keys(FUNCTIONS).slice(0, Object.keys(FUNCTIONS).indexOf('es_lerp_angle'));
assert.equal(names.length, 41);
for (const name of names) {
    const given = FUNCTIONS[name].slice(1).map(zero);
    c[name](...given);
    assert.throws(() => c[name](...given, 1), /takes \d arguments/, name);
    for (const wrong of given.keys()) {
        assert.throws(() => c[name](...given.map((value, i) => (i === wrong ? Symbol('wrong') : value))), TypeError, name);
    }
}
assert.equal(c.es_get_error(), 'es_loop_create: evenstep.h is of another version than the library');
assert.equal(c.es_version(), 1e6 * c.ES_VERSION_MAJOR + 1e3 * c.ES_VERSION_MINOR + c.ES_VERSION_PATCH);
assert.throws(() => new c.es_frame({ bogus: 1 }), /es_frame: there is no field bogus/);

// The C functions alone, with a clock of the program's.
const clock = { now_ns: () => now * 1e6, wait_until: (_, deadline) => (now = Math.max(now, deadline / 1e6)) };
const config = new c.es_loop_config({ tick_rate: c.es_hz(59.94), clock });
assert.deepEqual([config.tick_rate.numerator, config.tick_rate.denominator], [60000, 1001]);
const loopOfC = c.es_loop_create(config), frame = new c.es_frame();
for (let i = 0; i < 300; ++i) {
    assert.ok(c.es_loop_next(loopOfC, frame));
    assert.ok(c.es_loop_submit(loopOfC));
    now += 1000 / 144 - (now * 1000 % 7) / 7000;
}
assert.equal(frame.index, 299);
assert.ok(Math.abs(frame.tick_s - 1001 / 60000) < 1e-9);
c.es_loop_destroy(loopOfC);

// A game on requestAnimationFrame, up to 3 ms late.
async function play(frames, options, drawn) {
    const loop = await es.createLoop(options);
    const begun = now;
    for (let i = 1; i <= frames; ++i) {
        const called = requested, stamp = begun + i * 1000 / 144 + i % 3;
        now = stamp + 0.5;
        drawn?.(i, stamp);
        called(stamp);
    }
    return loop;
}
const world = new es.Layout({ x: 'linear', turn: 'angle', at: ['linear', 3, 'f32'], hits: ['step', 1, 'i32'] });
const number = new es.Track1(), pose = new es.Track2(), three = new es.Track3(), camera = new es.Camera(0.1);
const keys = new es.Input(), shown = [], pressed = [];
let before = { x: 0, turn: 3, at: [0, 0, 0], hits: 0 }, state = before;
number.set(0, 0), pose.set(0, 0, 0), three.set(0, [0, 0, 0]), camera.cut(0, [0, 0]);
const loop = await play(600, {
    update(seconds, tick) {
        keys.tick(tick);
        pressed.push(keys.pressed('Space'), keys.held('KeyA'));
        before = state;
        state = { x: tick / 12, turn: tick / 9, at: [tick, 0, -tick], hits: tick };
        number.set(tick, state.x), pose.set(tick, state.x, -state.x, state.turn), three.set(tick, [0, state.x, 0]);
        camera.follow(tick, [state.x], seconds);
    },
    draw(alpha, { time }) {
        const blended = world.blend(before, state, alpha);
        const { x, y } = pose.at();
        shown.push([time, number.at(), x, -y, three.at().position[1], blended.x, 5 * time, camera.at()[0]]);
        assert.ok(blended.hits === before.hits || blended.hits === state.hits);
    },
}, (i, stamp) => i === 300 && (keys.button('Space', true, stamp - 5), keys.button('Space', false, stamp - 1)));
assert.equal(pressed.filter((one, i) => i % 2 === 0).reduce((a, b) => a + b), 1);
for (const [, ...places] of shown.slice(400)) {
    places.slice(0, 6).forEach((x) => assert.ok(Math.abs(x - places[5]) < 1e-6, places));
    assert.ok(places[6] < places[5] && places[6] > places[5] - 1);
}
const steps = shown.slice(401).map(([time], i) => time - shown[400 + i][0]);
assert.ok(Math.max(...steps) - Math.min(...steps) < 1e-5, 'uneven');
loop.destroy();

// Another clock and a server, 30 and 100 ms behind.
const sound = new es.Follower(), server = new es.Snapshots(world, 20), place = [];
const behind = [];
let sent = 0;
const following = await es.createLoop({
    update() {},
    draw(alpha, { time, present }) {
        behind.push(present - 1000 * time);
        place.push([present, server.blend()?.x]);
    },
});
following.follow(sound);
for (let i = 1; i <= 1440; ++i) {
    const called = requested, stamp = 50000 + i * 1000 / 144;
    now = stamp + 0.5;
    sound.add(10 * Math.floor((now - 40000) / 10), now);
    for (; sent * 50 + 50020 + sent % 5 < now; ++sent) {
        server.add(sent, { x: sent / 20, turn: 0, at: [0, 0, 0], hits: 0 }, sent * 50 + 50020 + sent % 5);
    }
    called(stamp);
}
const late = behind.slice(-300);
assert.ok(Math.max(...late) - Math.min(...late) < 1, 'follows the sound');
assert.ok(Math.abs(late[0] - 40000) < 12, late[0]);
const speeds = place.slice(-300).map(([at, x], i, all) => (i ? (x - all[i - 1][1]) / (at - all[i - 1][0]) * 1000 : 1));
assert.ok(speeds.every((speed) => Math.abs(speed - 1) < 0.06), `${speeds}`);
assert.equal(server.status.received, sent);
assert.equal(sound.status.restarts, 0);
assert.throws(() => new es.Snapshots(world, 0), /tickRate: 0 is not a rate/);
assert.throws(() => new es.Layout({ x: 'sideways' }), /x: there is no sideways/);
assert.throws(() => new es.Input({ tick_rate: 1 }), /es_input_config: there is no field tick_rate/);

// A recording is played, and differences are named.
const record = new es.Record(world, { ...before, x: 0 }, 60);
const stepOf = (index) => new c.es_step({ index, time_ns: index * 1e9 / 60, dt_s: 1 / 60 });
let sum = 0;
for (let i = 1; i <= 99; ++i) {
    record.input(stepOf(i), [i]);
    record.state(stepOf(i), { ...before, x: sum += i });
}
const bytes = record.close(), replay = new es.Replay(world, bytes);
let again = replay.state.x, played = 0;
for (const { tick, input } of replay) {
    again += input[0];
    played = tick;
    replay.check({ ...before, x: again });
}
assert.deepEqual([again, played], [sum, 99]);
replay.close();
const differs = new es.Replay(world, bytes);
differs[Symbol.iterator]().next();
assert.throws(() => differs.check({ ...before, x: -1 }), /x/);
assert.throws(() => [...new es.Replay(world, bytes.slice(0, bytes.length / 2))], /Error/);
console.log(`web_library: ${shown.length} frames, ${played} ticks, the same`);
