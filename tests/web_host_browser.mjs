// SPDX-License-Identifier: Zlib
// web/evenstep.mjs in Chromium: records the stamps of requestAnimationFrame, with and without two busy
// processes, and prints the error of three loops on the same stamps, also with lateness and rounding
// added. Checks the examples and the back/forward cache. Exits 1 where the requirement is not met.
// Needs chromium (apt), and after scripts/web-host: npm install --prefix build playwright-core
//
//   node tests/web_host_browser.mjs [SECONDS]     of a recording; default 20
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createLoop } from '../build/web-host/evenstep.mjs';
import { accumulator, bound, disturb, errors, variableStep } from './web_host_support.mjs';
import { keepBusy, serve } from './web_support.mjs';

const { chromium } = createRequire(new URL('../build/', import.meta.url))('playwright-core');
const SECONDS = Number(process.argv[2] ?? 20);
const files = new URL('../build/web-host/', import.meta.url);
const snippet = (await readFile(new URL('README.md', files), 'utf8')).match(/```js\n(.*?)```/s)[1];
const pages = {
    '/': '<canvas></canvas>',
    '/favicon.ico': '',
    '/snippet.html': `<canvas></canvas><script type=module>${snippet}</script>`,
};
// Isolated pages have stamps to 5 us, others to 0.1 ms.
const headers = {
    'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp',
};
const { home, close } = await serve(files, pages, headers);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'], ignoreDefaultArgs: ['--disable-back-forward-cache'] });
const complaints = [];

async function open(path) {
    const page = await browser.newPage();
    page.on('pageerror', (error) => complaints.push(`${path}: ${error}`));
    page.on('console', (text) => text.type() === 'error' && complaints.push(`${path}: ${text.text()}`));
    await page.goto(home + path);
    return page;
}

// In the page: stamps and the instants shown, of a loop that draws.
async function record(milliseconds) {
    const { createLoop } = await import('/evenstep.mjs');
    const context = document.querySelector('canvas').getContext('2d');
    const out = { stamps: [], shown: [] };
    const usual = window.requestAnimationFrame;
    window.requestAnimationFrame = (called) => usual((stamp) => {
        out.stamps.push(stamp);
        called(stamp);
    });
    const loop = await createLoop({
        update() {},
        draw(alpha, frame) {
            out.shown.push(1000 * frame.time);
            context.clearRect(0, 0, 300, 150);
            context.fillRect((100 * frame.time) % 300, 50, 20, 20);
        },
    });
    await new Promise((done) => setTimeout(done, milliseconds));
    out.refreshRate = loop.figures().refreshRate;
    loop.destroy();
    return out;
}

async function evenstep(stamps) {
    const shown = [];
    const draw = (alpha, frame) => shown.push(1000 * frame.time);
    const loop = await createLoop({ manual: true, update() {}, draw });
    stamps.forEach((stamp) => loop.frame(stamp));
    return shown;
}

// The recorded stamps are the refreshes. Returns how many rows do not meet the requirement.
async function measure(name) {
    const page = await open('');
    const { stamps: recorded, shown, refreshRate } = await page.evaluate(record, 1000 * SECONDS);
    await page.close();
    const steps = recorded.map((at, i) => at - recorded[i - 1]).slice(1);
    const usual = [...steps].sort((a, b) => a - b)[steps.length >> 1];
    const passed = steps.reduce((sum, step) => sum + Math.round(step / usual), 0);
    const period = (recorded.at(-1) - recorded[0]) / passed;
    console.log(`| **${name}**: ${recorded.length} frames in ${passed} refreshes of `
        + `${(1000 / period).toFixed(3)} Hz, found ${refreshRate.toFixed(3)} | | | | |`);
    const rows = [['as recorded', recorded, shown], ...await Promise.all([
        [0, 0.1], [0, 1], [1, 0], [3, 0], [3, 1]].map(async ([late, grain]) => {
        const stamps = disturb(recorded, late, grain);
        const text = [late ? `up to ${late} ms late` : '', grain ? `rounded to ${grain} ms` : ''];
        return [text.filter(Boolean).join(', '), stamps, await evenstep(stamps)];
    }))];
    return rows.filter(([text, stamps, ours]) => {
        const first = Math.round(1000 / period);
        const { others, most } = bound(stamps, recorded, period, first);
        const error = errors(ours, recorded, period, first);
        const texts = [error, ...others].map(({ mean, max }) => `${mean.toFixed(3)}, ${max.toFixed(1)}`);
        const whole = [ours, accumulator(stamps), variableStep(stamps)]
            .map((is) => errors(is, recorded, period).mean.toFixed(3));
        console.log(`| ${text} | ${texts.join(' | ')} | ${whole.join(', ')} |`);
        return error.mean > most;
    }).length;
}

async function moves(page, what) {
    const pixels = () => page.evaluate(() => document.querySelector('canvas').toDataURL());
    await page.waitForTimeout(500);
    const before = await pixels();
    await page.waitForTimeout(500);
    assert.notEqual(before, await pixels(), `${what} moves`);
}

let hogs;
try {
    console.log('| % of a refresh: mean, largest | Evenstep | accumulator | variable step '
        + '| means with the first second |\n|---|--:|--:|--:|--:|');
    let failed = await measure('usual');
    hogs = keepBusy(2);
    failed += await measure('two busy processes');
    hogs.end();

    await moves(await open('snippet.html'), 'the example of the page');
    const page = await open('example.html');
    await moves(page, 'the example');
    await page.evaluate(() => addEventListener('pageshow', (event) => { window.back = event.persisted; }));
    await page.goto(home);
    await page.waitForTimeout(1500);
    await page.evaluate(() => history.back());
    await moves(page, 'the example, shown again');
    assert.ok(await page.evaluate(() => window.back), 'from the back/forward cache');
    assert.deepEqual(complaints, []);
    assert.equal(failed, 0, 'rows above a tenth of the others and 0.1 %');
} finally {
    hogs?.end();
    await browser.close();
    close();
}
