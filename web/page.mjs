// SPDX-License-Identifier: Zlib
// The page: sliders, the state in the address, the lanes and the figures of the lab.
import { describe, find, make, makeLane } from './dom.mjs';
import { commandOf, DEFAULTS } from './lab.mjs';
import { drawEye, drawLane, drawPlot, drawStairs, findScale, makeMotion, PAGE_MS, readColours } from './draw.mjs';
import { startLive } from './live.mjs';

const SLIDERS = [ // place, name, label, unit, least, most, step
    ['program', 'render', 'render cost of a frame', 'ms', 0, 30, 0.5],
    ['program', 'share', 'frames that take longer', '%', 0, 20, 1],
    ['program', 'factor', 'long frames cost', '×', 2, 10, 1],
    ['program', 'update', 'cost of a tick', 'ms', 0, 20, 0.5],
    ['program', 'tickRate', 'tick rate', 'Hz', 10, 240, 1],
    ['display', 'late', 'presents return late, up to', 'ms', 0, 8, 0.5],
    ['display', 'refresh', 'refresh rate', 'Hz', 24, 240, 1],
    ['display', 'queue', 'queue', 'frames', 1, 4, 1],
    ['display', 'targets', 'targets (Evenstep): 0 ignored, 1 kept', '', 0, 1, 1],
    ['display', 'seed', 'random numbers', '', 1, 20, 1],
    ['display', 'speed', 'speed of the object', 'px/s', 100, 2000, 50],
];
const FIRST = { ...DEFAULTS, speed: 1000 };
const PRESETS = {
    'late presents': {},
    'quiet system': { late: 0, share: 0 },
    'spikes': { late: 0, share: 4, factor: 4 },
    '60 Hz': { refresh: 60 },
    'too slow': { render: 8, late: 1 },
    'too slow, with targets': { render: 8, late: 1, targets: 1 },
};
const LOOPS = ['auto', 'fixed', 'variable-dt', 'gaffer', 'glaiel', 'godot']; // the paragraphs have them, too

const settings = { ...FIRST };
let loops = LOOPS;
let names = [];
let lanes = [];       // per loop: row, motion, canvases
let scale = 1;
let busy = true;      // the worker computes, or opens the lab
let waits = true;     // newer settings wait for it
let said = 0;
let live;             // the loops on the visitor's display, after the first figures

// --- the state ------------------------------------------------------------------------------------

function readAddress() {
    const state = new URLSearchParams(location.hash.slice(1));
    Object.assign(settings, FIRST);
    for (const [, name, , , least, most, step] of SLIDERS) {
        const value = Number(state.get(name) ?? NaN);
        if (Number.isFinite(value)) {
            settings[name] = Math.round(Math.min(most, Math.max(least, value)) / step) * step;
        }
    }
    loops = (state.get('loops') ?? '').split(',').filter((name) => names.some((one) => one.name === name));
    loops = loops.length > 0 ? loops : LOOPS;
    showSettings();
    document.querySelectorAll('#choice input').forEach((input) => (input.checked = loops.includes(input.value)));
}

function addressOf() {
    const state = Object.keys(FIRST).filter((name) => settings[name] !== FIRST[name])
        .map((name) => `${name}=${settings[name]}`);
    return '#' + [...state, ...(loops.join() === LOOPS.join() ? [] : [`loops=${loops}`])].join('&');
}

let addressTimer;
function writeAddress() { // browsers limit how often
    clearTimeout(addressTimer);
    addressTimer = setTimeout(() => history.replaceState(null, '', addressOf()), 250);
}

// --- settings -------------------------------------------------------------------------------------

function makeSliders() {
    for (const [place, name, text, unit, min, max, step] of SLIDERS) {
        const input = make('input', { type: 'range', name, min, max, step });
        input.addEventListener('input', () => set({ [name]: Number(input.value) }));
        find(`#${place}`).append(make('label', { className: 'slider' }, text, input, make('output'))); // of the input
        input.dataset.unit = unit;
    }
    for (const [text, values] of Object.entries(PRESETS)) {
        const button = make('button', { type: 'button', textContent: text });
        button.addEventListener('click', () => set({ ...FIRST, speed: settings.speed, ...values }));
        find('#presets').append(button);
    }
}

function set(values) {
    Object.assign(settings, values);
    showSettings();
    writeAddress();
    compute();
}

function showSettings() {
    for (const [, name] of SLIDERS) {
        const input = find(`input[name=${name}]`);
        const text = `${settings[name]} ${input.dataset.unit}`.trim();
        input.value = settings[name];
        input.setAttribute('aria-valuetext', text);
        find('output', input.parentElement).textContent = text;
    }
    find('#command').textContent = `build/evenstep compare ${commandOf(settings, loops)}`;
}

function makeChoice() {
    for (const { name, title, kind } of names.filter((loop) => loop.kind !== 'references')) {
        const input = make('input', { type: 'checkbox', value: name });
        input.addEventListener('change', () => {
            const kept = loops.filter((other) => other !== name);
            input.checked ||= kept.length === 0;
            loops = input.checked ? [...kept, name] : kept;
            set({});
        });
        find('#choice').append(make('label', { title }, input, ` ${name}${kind === 'ours' ? ' (Evenstep)' : ''}`));
    }
}

// --- the lab --------------------------------------------------------------------------------------

const worker = new Worker('worker.mjs', { type: 'module' });
WebAssembly.compileStreaming(fetch('lab.wasm')).then((code) => worker.postMessage({ code }), (error) => {
    find('#status').textContent = `The lab did not start: ${error}`;
});
worker.onmessage = ({ data }) => {
    busy = false;
    if (data.names) {
        names = data.names;
        makeChoice();
        readAddress();
    } else {
        show(data);
    }
    if (waits) {
        compute();
    }
};

function compute() {
    waits = busy;
    if (!busy) {
        busy = true;
        worker.postMessage({ settings: { ...settings }, loops: [...new Set([...loops, ...LOOPS])] });
    }
}

// --- results --------------------------------------------------------------------------------------

function makeRow(row) {
    const lane = makeLane(row.title, row.name, row.kind === 'ours');
    if (!row.ran) {
        lane.element.replaceChildren(lane.element.firstChild,
            make('p', { className: 'reason', textContent: `Cannot run so: ${row.reason}.` }));
    }
    return Object.assign(lane, { row });
}

function show({ rows, settings: used, ms }) {
    const shown = loops.map((name) => rows.find((row) => row.name === name)).filter((row) => row !== undefined);
    const same = shown.length === lanes.length
        && shown.every((row, i) => row.name === lanes[i].row.name && row.ran === lanes[i].row.ran);
    if (!same) {
        lanes = shown.map(makeRow);
        find('#rows').replaceChildren(...lanes.map((lane) => lane.element));
    }
    lanes.forEach((lane, i) => {
        lane.row = shown[i];
        if (lane.row.ran) {
            lane.motion = makeMotion(lane.row, used.refresh);
            lane.output.textContent = lane.row.texts.animation_ms;
            describe(lane.plot, `error of ${lane.row.name}: mean ${lane.row.texts.animation_ms} ms`);
        }
    });
    const ran = lanes.filter((lane) => lane.row.ran);
    scale = findScale(ran.map((lane) => lane.motion));
    find('#scale').textContent = `±${scale.toPrecision(2)} ms`;
    showTable(shown);
    showText(rows, used);
    say(ran, ms);
    requestAnimationFrame(drawAll);
    performance.mark('figures'); // for tests/web_page.mjs
    live ??= startLive(() => ({ late: settings.late, speed: settings.speed / 1000, playing }));
}

function showTable(shown) {
    const keys = [...document.querySelectorAll('#figures th[data-key]')].map((cell) => cell.dataset.key);
    find('#figures tbody').replaceChildren(...shown.map((row) => {
        const cells = keys.map((key) => {
            const cell = make('td', { textContent: row.texts[key] ?? '-' });
            cell.dataset.key = key;
            return cell;
        });
        const line = make('tr', { className: row.kind }, make('th', { scope: 'row', textContent: row.name }), ...cells);
        line.dataset.loop = row.name;
        return line;
    }));
}

function showText(rows, used) {
    document.querySelectorAll('#text article[data-loop]').forEach((article) => {
        const row = rows.find((one) => one.name === article.dataset.loop);
        find('output', article).textContent = row?.texts.animation_ms ?? '-';
        article.motion = row?.ran ? makeMotion(row, used.refresh) : undefined;
        describe(find('canvas', article), `staircase of ${row?.name}: mean error ${row?.texts.animation_ms ?? '-'} ms`);
    });
}

// For a screen reader: once, when the sliders rest.
function say(ran, ms) {
    const text = `Computed in ${Math.round(ms)} ms. Mean error in ms: `
        + ran.map(({ row }) => `${row.name} ${row.texts.animation_ms}`).join(', ') + '.';
    clearTimeout(said);
    said = setTimeout(() => (find('#status').textContent = text), 700);
}

// --- motion ---------------------------------------------------------------------------------------

const still = matchMedia('(prefers-reduced-motion: reduce)');
let playing = !still.matches;
let refreshMs = 1000 / 60; // of the visitor's display
let stampBefore = 0;
let step = 0;              // refreshes of the simulated display since the start

function setPlaying(on) {
    playing = on;
    stampBefore = 0;
    find('#play').textContent = on ? 'Pause' : 'Play';
    find('#play').setAttribute('aria-pressed', String(on));
    drawAll();
}

// The refresh period: the mean of intervals without a missed refresh. Some browsers round them to 1 ms.
const intervals = [];
function measureRefresh(interval) {
    if (intervals.push(interval) < 61) {
        return;
    }
    const quarter = intervals.sort((a, b) => a - b)[15];
    const single = intervals.filter((one) => Math.abs(one - quarter) < 0.3 * quarter);
    refreshMs = single.reduce((sum, one) => sum + one, 0) / single.length;
    const rate = settings.refresh * refreshMs / 1000;
    find('#pace').textContent = `Your display: ${Math.round(1000 / refreshMs)} Hz. `
        + (Math.abs(rate - 1) < 0.02 ? '' : `Each simulated refresh is one of yours: ${(1 / rate).toFixed(2)} × speed.`);
    intervals.length = 0;
}

function drawAll() {
    readColours();
    lanes.forEach((lane) => (lane.page = -1));
    drawFrame();
    document.querySelectorAll('#text article[data-loop]').forEach((article) => {
        if (article.motion) {
            drawStairs(find('canvas', article), article.motion);
        }
    });
}

function drawFrame() {
    for (const lane of lanes.filter(({ row, motion }) => row.ran && motion)) {
        const { motion } = lane;
        const n = step % motion.count;
        const length = Math.round(PAGE_MS / motion.period);
        const page = Math.floor(n / length);
        drawLane(lane.canvas, motion, n, settings.speed / 1000, !playing);
        drawEye(lane.eye, motion, n, scale);
        if (page !== lane.page) {
            lane.page = page;
            drawPlot(lane.plot, motion, page * length, scale);
        }
        lane.mark.style.transform = `translateX(${(n - page * length) / length * lane.plot.clientWidth}px)`;
    }
}

function onRefresh(stamp) {
    requestAnimationFrame(onRefresh);
    const passed = stamp - stampBefore;
    if (stampBefore > 0 && passed > 0) {
        measureRefresh(passed);
        if (playing) {
            step += Math.max(1, Math.min(60, Math.round(passed / refreshMs)));
            drawFrame();
        }
    }
    stampBefore = stamp;
}

// --- start ----------------------------------------------------------------------------------------

async function share() {
    history.replaceState(null, '', addressOf());
    try {
        await navigator.clipboard.writeText(location.href);
        find('#shared').textContent = 'Copied.';
    } catch {
        find('#shared').textContent = 'The link is in the address bar.';
    }
}

makeSliders();
readAddress();
setPlaying(playing);
find('#play').addEventListener('click', () => setPlaying(!playing));
find('#share').addEventListener('click', share);
find('#settings').addEventListener('submit', (event) => event.preventDefault());
addEventListener('hashchange', () => {
    readAddress();
    compute();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
still.addEventListener('change', () => setPlaying(!still.matches));
new ResizeObserver(drawAll).observe(document.body);
requestAnimationFrame(onRefresh);
