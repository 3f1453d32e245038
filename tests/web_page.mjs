// SPDX-License-Identifier: CC0-1.0
// The page in Chromium: figures, keyboard, busy machine, sizes of the window. Screenshots: build/browser/.
// scripts/check-release runs it, after scripts/web and npm install --prefix build playwright-core
//
//   node tests/web_page.mjs EVENSTEP      the command, for its figures
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';

const { chromium } = createRequire(new URL('../build/', import.meta.url))('playwright-core');
const command = process.argv[2];
const folder = new URL('../build/web/', import.meta.url);
const shots = new URL('../build/browser/', import.meta.url).pathname;
const TYPES = { html: 'text/html', css: 'text/css', mjs: 'text/javascript', wasm: 'application/wasm' };
const server = createServer(({ url }, answer) => {
    const name = url === '/' ? 'index.html' : url.slice(1);
    answer.setHeader('content-type', TYPES[name.split('.').pop()] ?? 'text/plain');
    answer.end(readFileSync(new URL(name, folder)));
}).listen(0);
const home = `http://127.0.0.1:${server.address().port}/`;
const profile = mkdtempSync(`${tmpdir()}/chromium`);
const browser = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'] });
const page = await browser.newPage();
const problems = [];
page.on('console', (message) => message.type() !== 'log' && problems.push(message.text()));
page.on('pageerror', (error) => problems.push(error.message));
page.on('request', (sent) => /^(data|about):/.test(sent.url()) || sent.url().startsWith(home) || problems.push(sent.url()));
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

const open = async (hash = '') => {
    await page.goto('about:blank');
    await page.goto(home + hash);
    await page.waitForSelector('#figures td');
};
// Changes a slider as a person does; the time until the table has the new figures, in ms.
const slide = (name, value) => page.evaluate(([name, value]) => new Promise((done) => {
    const input = document.querySelector(`input[name=${name}]`);
    const begun = performance.now();
    new MutationObserver((_, observer) => {
        observer.disconnect();
        done(performance.now() - begun);
    }).observe(document.querySelector('#figures tbody'), { childList: true });
    input.value = value;
    input.dispatchEvent(new Event('input', { bubbles: true }));
}), [name, value]);

// The figures of the page are those of the command line that it shows.
async function checkFigures() {
    const line = (await page.textContent('#command')).split(' ').slice(2);
    const theirs = JSON.parse(execFileSync(command, ['compare', ...line, '--json', '-'], { encoding: 'utf8' })).loops;
    const rows = await page.$$eval('#figures tbody tr', (all) => all.map((row) => [row.dataset.loop,
        ...[...row.querySelectorAll('td')].map((cell) => [cell.dataset.key, cell.textContent])]));
    assert.deepEqual(rows.map(([name]) => name), theirs.map((their) => their.loop));
    rows.forEach(([name, ...cells], i) => cells.forEach(([key, text]) => {
        const value = theirs[i][key] * (key.endsWith('share') ? 100 : 1);
        const digits = (text.split('.')[1] ?? '').length;
        assert.ok(Math.abs(Number(text) - value) <= 0.5 * 10 ** -digits + 1e-6, `${name} ${key}: ${text}, not ${value}`);
        compared += 1;
    }));
}
let compared = 0;

// --- size, first figures, sliders ---
const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length);
const bytes = sizes.reduce((sum, size) => sum + size, 0);
assert.ok(bytes <= 250e3, `${bytes} bytes compressed`);
const firsts = [];
for (let i = 0; i < 5; ++i) {
    await open();
    firsts.push(await page.evaluate(() => performance.getEntriesByName('figures')[0].startTime));
}
await checkFigures();
const changes = { render: 6.5, share: 4, factor: 5, late: 4.5, refresh: 75, tickRate: 50, queue: 3, seed: 7, update: 3 };
const answers = [];
for (const [name, value] of Object.entries(changes)) {
    answers.push(await slide(name, value));
    await checkFigures();
}
console.log(`${(bytes / 1e3).toFixed(1)} kB compressed; first figures after ${firsts.map(Math.round)} ms;`
    + ` a slider after ${answers.map(Math.round)} ms`);

// --- the address: all settings come back ---
await page.waitForTimeout(400);
const address = new URL(page.url()).hash;
assert.deepEqual(Object.fromEntries(new URLSearchParams(address.slice(1))),
    Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, String(value)])));
const before = await page.textContent('#figures tbody');
await open(address);
assert.equal(await page.textContent('#figures tbody'), before);
await open('#render=nonsense&queue=99&loops=../x,bevy,auto');
await checkFigures();

// --- the keyboard alone ---
await open();
const reached = [];
for (let i = 0; i < 50; ++i) {
    await page.keyboard.press('Tab');
    const [what, name] = await page.evaluate(() => {
        const { tagName, name, textContent, labels } = document.activeElement;
        return [name || `${tagName} ${textContent.trim()}`, labels?.[0]?.textContent ?? textContent];
    });
    assert.ok(name.trim().length > 0, `${what} has no name`);
    reached.push(what);
    if (what === 'late') {
        await page.keyboard.press('End');
    } else if (what === 'refresh') {
        await page.keyboard.press('Home');
        await page.keyboard.press('ArrowRight');
    } else if (what === 'SUMMARY Choose loops' || what === 'BUTTON Pause') {
        await page.keyboard.press('Enter');
    } else if (what === 'INPUT ' && await page.evaluate(() => document.activeElement.value === 'bevy')) {
        await page.keyboard.press('Space');
    }
}
for (const what of [...Object.keys(changes), 'speed', 'BUTTON 60 Hz', 'BUTTON Copy a link to these settings']) {
    assert.ok(reached.includes(what), `${what} is not reached: ${reached}`);
}
assert.match(await page.textContent('#command'), /godot,bevy .*--late 8ms --refresh 25 /);
await page.waitForFunction(() => document.querySelector('tr[data-loop=bevy]') !== null);
assert.equal(await page.textContent('#play'), 'Play');
await checkFigures();
assert.equal(await page.$$eval('canvas:not([aria-hidden]):not([role=img][aria-label])', (all) => all.length), 0);

// --- beside two busy processes; a screen reader is not flooded ---
const hogs = [1, 2].map(() => spawn(process.execPath, ['-e', 'for (;;) {}']));
await open();
await page.evaluate(() => {
    window.said = 0;
    new MutationObserver(() => (window.said += 1)).observe(document.querySelector('#status'), { childList: true });
});
const busy = [];
for (let i = 0; i < 20; ++i) {
    busy.push(await slide('refresh', 50 + i));
}
await checkFigures();
const said = await page.evaluate(() => window.said);
await page.$eval('#live', (section) => section.scrollIntoView());
await page.waitForTimeout(4000);
const live = await page.$$eval('#live output', (all) => all.map((one) => one.textContent));
hogs.forEach((hog) => hog.kill());
assert.ok(said <= 4, `the status changed ${said} times`);
console.log(`beside two busy processes: a slider after ${Math.round(median(busy))} ms (at most`
    + ` ${Math.round(Math.max(...busy))}); live lanes: ${live.join(', ')} ms`);

// --- sizes, light and dark, without motion ---
mkdirSync(shots, { recursive: true });
for (const [width, height] of [[1280, 800], [768, 1024], [390, 844]]) {
    for (const colorScheme of ['light', 'dark']) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await open();
        await page.waitForTimeout(1500);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}: too wide`);
        await page.screenshot({ path: `${shots}${width}-${colorScheme}.png` });
        await page.screenshot({ path: `${shots}${width}-${colorScheme}-all.png`, fullPage: true });
    }
}
const lane = () => page.evaluate(() => document.querySelector('canvas.lane').toDataURL());
const moving = await lane();
await page.waitForFunction((old) => document.querySelector('canvas.lane').toDataURL() !== old, moving);
await page.emulateMedia({ reducedMotion: 'reduce' });
await open();
const still = await lane();
await page.waitForTimeout(500);
assert.equal(await lane(), still);
assert.equal(await page.textContent('#play'), 'Play');
await page.screenshot({ path: `${shots}still.png` });

assert.deepEqual(problems, []);
assert.ok(Math.min(...firsts) <= 1000 && median(answers) <= 100, 'too slow');
console.log(`web_page: ${compared} figures are the command's; no error, no foreign request`);
await browser.close();
server.close();
rmSync(profile, { recursive: true, force: true });
