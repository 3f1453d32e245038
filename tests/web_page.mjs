// SPDX-License-Identifier: CC0-1.0
// The page in Chromium: figures, keyboard, busy machine, sizes of the window. Screenshots: build/browser/.
// scripts/check-release runs it, after scripts/web and npm install --prefix build playwright-core
//
//   node tests/web_page.mjs EVENSTEP      the command, for its figures
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { checkFigures, folder, keepBusy, median, readPage, serve, slide } from './web_support.mjs';

const { chromium } = createRequire(new URL('../build/', import.meta.url))('playwright-core');
const command = process.argv[2];
const shots = new URL('../build/browser/', import.meta.url).pathname;
const { home, close } = await serve();
const profile = mkdtempSync(`${tmpdir()}/chromium`);
const browser = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'] });
const page = await browser.newPage();
const problems = [];
page.on('console', (message) => message.type() !== 'log' && problems.push(message.text()));
page.on('pageerror', (error) => problems.push(error.message));
const isOurs = (url) => /^(data|about):/.test(url) || url.startsWith(home);
page.on('request', (sent) => isOurs(sent.url()) || problems.push(sent.url()));

const open = async (hash = '') => {
    await page.goto('about:blank');
    await page.goto(home + hash);
    await page.waitForSelector('#figures td');
};
const move = (name, value) => page.evaluate(`new Promise((done) => (${slide})('${name}', ${value}, done))`);
let compared = 0;
const check = async () => (compared += checkFigures(command, await page.evaluate(readPage)));

// --- size, first figures, sliders ---
const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length);
const bytes = sizes.reduce((sum, size) => sum + size, 0);
assert.ok(bytes <= 250e3, `${bytes} bytes compressed`);
const firsts = [];
for (let i = 0; i < 5; ++i) {
    await open();
    firsts.push(await page.evaluate(() => performance.getEntriesByName('figures')[0].startTime));
}
await check();
const changes = { render: 6.5, share: 4, factor: 5, late: 4.5, refresh: 75, tickRate: 50, queue: 3, seed: 7,
    update: 3 };
const answers = [];
for (const [name, value] of Object.entries(changes)) {
    answers.push(await move(name, value));
    await check();
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
await check();

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
await check();
assert.equal(await page.$$eval('canvas:not([aria-hidden]):not([role=img][aria-label])', (all) => all.length), 0);

// --- beside two busy processes; a screen reader is not flooded ---
const hogs = keepBusy(2);
await open();
await page.evaluate(() => {
    window.said = 0;
    new MutationObserver(() => (window.said += 1)).observe(document.querySelector('#status'), { childList: true });
});
const busy = [];
for (let i = 0; i < 20; ++i) {
    busy.push(await move('refresh', 50 + i));
}
await check();
const said = await page.evaluate(() => window.said);
await page.$eval('#live', (section) => section.scrollIntoView());
await page.waitForTimeout(4000);
const live = await page.$$eval('#live output', (all) => all.map((one) => one.textContent));
hogs.end();
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
// other programs may delay some of them
assert.ok(Math.min(...firsts) <= 1000 && answers.sort((a, b) => a - b)[2] <= 100, 'too slow');
console.log(`web_page: ${compared} figures are the command's; no error, no foreign request`);
await browser.close();
close();
rmSync(profile, { recursive: true, force: true });
