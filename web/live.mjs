// SPDX-License-Identifier: Zlib
// Two loops on the visitor's own display: an accumulator and evenstep.mjs, with the same late calls.
import { find, makeLane } from './dom.mjs';
import { drawEye, drawLane, drawPlot, PAGE_MS } from './draw.mjs';

const TICK_S = 1 / 60;
const KEPT = 1200; // refreshes

// "Fix Your Timestep!" on the time stamps: frame returns the instant shown, in s.
function makeAccumulator() {
    let before;
    let left = 0;
    let ticks = 0;
    return {
        frame(stamp) {
            left += before === undefined ? 0 : Math.min(0.25, (stamp - before) / 1000);
            before = stamp;
            for (; left >= TICK_S; left -= TICK_S) {
                ticks += 1;
            }
            return (ticks - 1) * TICK_S + left;
        },
    };
}

async function makeEvenstep() {
    const { createLoop } = await import('./evenstep.mjs');
    let shown = 0;
    const loop = await createLoop({ manual: true, tickRate: 60, update() {}, draw(_, frame) { shown = frame.time; } });
    return {
        frame(stamp) {
            loop.frame(stamp);
            return shown;
        },
        figures: () => loop.figures(),
    };
}

// state(): late in ms, speed in px per ms, playing.
export async function startLive(state) {
    const section = find('#live');
    const evenstep = await makeEvenstep();
    const lanes = [Object.assign(makeLane('accumulator with interpolation', '', false), { loop: makeAccumulator() }),
        Object.assign(makeLane('Evenstep', 'evenstep.mjs', true), { loop: evenstep })];
    lanes.forEach((lane) => {
        lane.shown = [];
        lane.mark.remove();
        lane.plot.setAttribute('aria-hidden', 'true');
        find('#live-rows').append(lane.element);
    });
    section.hidden = false;
    let visible = false;
    new IntersectionObserver(([entry]) => (visible = entry.isIntersecting)).observe(section);
    let before;
    let count = 0; // refreshes seen

    const frame = (stamp) => {
        requestAnimationFrame(frame);
        const { late, speed, playing } = state();
        if (!playing) {
            before = undefined;
            return;
        }
        const called = stamp + Math.random() * late;
        const period = 1000 / (evenstep.figures().refreshRate || 60);
        count += before === undefined ? 1 : Math.max(1, Math.round((stamp - before) / period));
        before = stamp;
        for (const lane of lanes) {
            lane.shown.push({ at: count, content: lane.loop.frame(called) * 1000 });
            lane.shown.splice(0, lane.shown.length - KEPT);
            if (visible) {
                show(lane, period, speed);
            }
        }
        find('#live-text').textContent = `Your display: ${(1000 / period).toFixed(2)} Hz.`;
    };
    requestAnimationFrame(frame);
}

function show(lane, period, speed) {
    const wanted = Math.round(PAGE_MS / period);
    const shown = lane.shown.slice(-wanted);
    if (shown.length < 3) {
        return;
    }
    const mean = shown.reduce((sum, one) => sum + one.content - one.at * period, 0) / shown.length;
    const off = Float64Array.from(shown, (one) => one.content - one.at * period - mean);
    const error = off.reduce((sum, one, i) => sum + (i > 0 ? Math.abs(one - off[i - 1]) : 0), 0) / (off.length - 1);
    const motion = { off, period, count: off.length };
    lane.output.textContent = error.toFixed(error < 0.9995 ? 3 : 2);
    const { at } = shown.at(-1);
    drawLane(lane.canvas, { off: { [at]: off.at(-1) }, period, count: Infinity }, at, speed, false);
    drawEye(lane.eye, motion, off.length - 1, 4);
    drawPlot(lane.plot, motion, 0, 4);
}
