// SPDX-License-Identifier: Zlib
// web/evenstep.mjs in node, in virtual time: node tests/web_host.mjs DIRECTORY, as scripts/web-host
// has written it.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { bound, disturb, errors, random } from './web_host_support.mjs';

// A browser: a clock, a request for one frame, a page that can be hidden.
let now = 0;
let requested = null;
const page = new EventTarget();
globalThis.performance = { now: () => now };
globalThis.requestAnimationFrame = (called) => ((requested = called), 7);
globalThis.cancelAnimationFrame = (id) => id === 7 && (requested = null);
globalThis.document = Object.assign(new EventTarget(), { hidden: false });
globalThis.addEventListener = page.addEventListener.bind(page);
globalThis.removeEventListener = page.removeEventListener.bind(page);

function call(stamp) {
    now = stamp + 1;
    const called = requested;
    requested = null;
    called(stamp);
}

const { createLoop } = await import(pathToFileURL(`${process.argv[2]}/evenstep.mjs`));
let checks = 0;
function check(text, condition) {
    checks += 1;
    assert.ok(condition, text);
}

// What a loop does: instants shown in ms, the updates of each frame.
async function start(options = {}) {
    const seen = { shown: [], ticks: [], updates: [] };
    seen.loop = await createLoop({
        update: (seconds, tick) => seen.updates.push([seconds, tick]),
        draw(alpha, frame) {
            seen.shown.push(1000 * frame.time);
            seen.ticks.push(frame.ticks);
            check('alpha', alpha > 0 && alpha <= 1 && alpha === frame.alpha);
        },
        ...options,
    });
    return seen;
}

async function run(stamps, options) {
    const seen = await start(options);
    stamps.forEach(call);
    check('content never goes back', seen.shown.every((at, i) => i === 0 || at >= seen.shown[i - 1]));
    seen.figures = seen.loop.figures();
    seen.loop.destroy();
    return seen;
}

// The times of refreshes that call, by [period in ms, how many]
function refreshesOf(...parts) {
    let at = 1000.123;
    return parts.flatMap(([period, count]) => Array.from({ length: count }, () => (at += period)));
}

// Every refresh, every kind of stamps, with missed refreshes: from 1 s on, by the requirement.
for (const hz of [30, 60, 75, 120, 144, 240]) {
    const period = 1000 / hz;
    const even = refreshesOf([period, 8 * hz]);
    const next = random(3);
    let waits = 0;
    const spikes = even.map((at, i) => at + period * (waits += i > 9 && next() < 0.02 ? 2 : 0));
    for (const refreshes of [even, spikes]) {
        for (const [late, grain, fuzz] of [[0, 0], [0, 0.005], [0, 0.1], [0, 1], [0, 1, true], [1, 0],
            [2, 0.1], [2, 1]]) {
            const stamps = disturb(refreshes, late, grain, fuzz);
            const { shown, figures } = await run(stamps);
            const name = `${hz} Hz, ${late} ms late, rounded to ${grain} ms`;
            const { mean } = errors(shown, refreshes, period, hz);
            check(`${name}: ${mean} %`, mean <= bound(stamps, refreshes, period, hz).most);
            check(`${name}: ${figures.refreshRate}`, Math.abs(figures.refreshRate / hz - 1) < 0.001);
            const gone = Math.round((refreshes.at(-1) - refreshes[0]) / period) + 1 - shown.length;
            check(`${name}: missed ${figures.missed}`, Math.abs(figures.missed - gone) <= 3);
            check(`${name}: frames`, figures.frames === stamps.length);
        }
    }
}

// Half the rate to save power, another display: exact again 0.7 s later, and no burst of updates.
for (const [first, second] of [[60, 30], [30, 60], [60, 144], [144, 60], [120, 60], [60, 120]]) {
    for (const grain of [0.005, 1]) {
        const refreshes = refreshesOf([1000 / first, 5 * first], [1000 / second, 5 * second]);
        const { shown, ticks } = await run(disturb(refreshes, 0, grain));
        const { mean } = errors(shown, refreshes, 1000 / second, 5 * first + Math.round(0.7 * second));
        check(`${first} to ${second} Hz, ${grain} ms: ${mean} %`, mean <= 0.1);
        check('no burst', Math.max(...ticks.slice(1)) <= 4);
    }
}

// A page that is hidden, frozen, or left and restored: nothing runs, and content goes on as if no
// time had passed. Without an event a pause of over 1 s is a gap, a shorter one a slow frame.
for (const [name, back] of Object.entries({
    hidden: () => document.dispatchEvent(new Event('visibilitychange')),
    frozen: () => document.dispatchEvent(new Event('resume')),
    restored: () => page.dispatchEvent(new Event('pageshow')),
    none: () => {},
})) {
    for (const away of [700, 60e3, 3600e3]) {
        const refreshes = refreshesOf([1000 / 60, 301], [away, 1], [1000 / 60, 120]);
        const { shown, loop } = await start();
        refreshes.slice(0, 301).forEach(call);
        document.hidden = true;
        back();
        call(refreshes[300] + 20);
        check(`${name}: hidden frames do not run`, shown.length === 301);
        document.hidden = false;
        back();
        refreshes.slice(301).forEach(call);
        const moved = shown[301] - shown[300];
        const caughtUp = name === 'none' && away === 700;
        check(`${name} for ${away} ms: moved ${moved}`,
            caughtUp ? moved > 200 : Math.abs(moved - 1000 / 60) < 0.1);
        const { mean } = errors(shown, refreshes, 1000 / 60, 302);
        check(`${name}: ${mean} % afterwards`, mean <= 0.1);
        loop.destroy();
    }
}

// Stamps that repeat or go back: content keeps its speed.
for (const back of [0, 0.2, 8, 500]) {
    const stamps = refreshesOf([1000 / 60, 600]);
    const moved = stamps.map((at, i) => (i % 50 === 49 && i > 99 ? stamps[i - 1] - back : at));
    const { shown } = await run(moved);
    const rate = (shown.at(-1) - shown[0]) / (stamps.at(-1) - stamps[0]);
    check(`${back} ms back: speed ${rate}`, Math.abs(rate - 1) < 0.01);
}

// Stamps that no browser passes are refused; a wrong one does not stop the content.
for (const wrong of [1e308, -1e308, 1e300, 1e12, NaN, Infinity, undefined, '7']) {
    const { shown, loop } = await start({ manual: true });
    const at = refreshesOf([1000 / 60, 240]);
    for (const stamp of at) {
        now = stamp + 1;
        loop.frame(stamp);
        assert.throws(() => loop.frame(wrong), /^TypeError: frame: stamp/);
    }
    check(`${wrong}: content goes on`, shown.at(-1) - shown[0] > 3900);
    loop.destroy();
}
for (const leap of [9.9e11, -9.9e11, 1e9, -1e9, 1500, -1500]) {
    const at = refreshesOf([1000 / 60, 600]);
    const { shown } = await run(at.map((stamp, i) => (i % 50 === 49 ? stamp + leap : stamp)));
    check(`a stamp ${leap} ms off: content goes on`, shown.at(-1) - shown[540] > 700);
}

// Pause, speed, the numbers of updates, the end.
const stamps = refreshesOf([1000 / 60, 400]);
{
    const { shown, updates, loop } = await start({ tickRate: 50 });
    stamps.slice(0, 100).forEach(call);
    loop.pause();
    stamps.slice(100, 200).forEach(call);
    check('paused', loop.paused && shown[199] === shown[101] && shown.length === 200);
    loop.resume();
    loop.setSpeed(0.5);
    stamps.slice(200).forEach(call);
    check('half speed', Math.abs(shown[399] - shown[299] - 100 * 0.5 * (1000 / 60)) < 0.01);
    check('updates', updates.every(([seconds, tick], i) => seconds === 0.02 && tick === i + 1));
    for (const speed of [-1, NaN, 1001, '1']) {
        assert.throws(() => loop.setSpeed(speed), /^RangeError: setSpeed: speed: must be/);
    }
    loop.destroy();
    loop.frame(stamps[0]);
    check('destroyed', requested === null && shown.length === 400);
}
const variable = await run(stamps, { step: 'variable' });
check('one update per frame', variable.ticks.slice(1).every((ticks) => ticks === 1));
const matched = await run(stamps, { tickRate: 62.5, speedChangeMax: 0.05 });
check('62.5 ticks on 60 Hz', matched.ticks.slice(200).every((ticks) => ticks === 1));
for (const [interval, refreshes] of [[1 / 30, 2], [1 / 50, 2], [1 / 59, 1]]) { // a frame cap
    const { shown, figures } = await run(stamps, { interval });
    const steps = shown.slice(100).map((at, i) => at - shown[99 + i] - refreshes * (1000 / 60));
    check(`cap ${interval}`, steps.length > 90 && steps.every((step) => Math.abs(step) < 0.01));
    check(`cap ${interval}: missed ${figures.missed}`, figures.missed < 3);
}
const { loop } = await start({ manual: true });
check('manual', requested === null);
assert.throws(() => loop.frame(), /^TypeError: frame: stamp: must be/);

// An exception ends the loop; destroy within update ends the frame.
await start({ draw: () => assert.fail('mine') });
assert.throws(() => call(1000), /mine/);
check('no request', requested === null);
const ended = await start({ update: () => ended.loop.destroy() });
[1000, 1017, 1033].forEach((stamp) => requested && call(stamp));
check('ended', requested === null && ended.shown.length < 2);

// Each option that is refused is named.
for (const [name, value, reason] of [
    ['tickRate', 0, /at most 1 000 000 ticks per second$/], ['tickRate', '60', /must be a number/],
    ['step', 'lockstep', /one of fixed, variable/], ['catchUp', 1, /one of drop, slow/],
    ['catchUpMax', -1, /must be from/], ['catchUpMax', NaN, /must be a number/],
    ['interval', -1, /must be/], ['speedChangeMax', 2, /must be from 0 to 0.5/], ['update', null, /must be a function/],
    ['draw', undefined, /must be a function/], ['render', () => {}, /no such option/],
]) {
    const { message } = await start({ [name]: value }).then(() => ({ message: '' }), (error) => error);
    check(`${name}: ${message}`, message.startsWith(`createLoop: ${name}: `) && reason.test(message));
}
console.log(`web_host: ${checks} checks`);
