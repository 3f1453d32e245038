// SPDX-License-Identifier: Zlib
// The site (make site) in Chromium: the first page moves, its size, no requests to others, search by keyboard, links and
// anchors, three sizes, no errors. scripts/check-release runs it.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { serve } from './web_support.mjs';

const { chromium } = createRequire(new URL('../build/', import.meta.url))('playwright-core');
const { home, close } = await serve(new URL('../build/site/', import.meta.url), {}, {});
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const complaints = [], links = new Set();
let outside = 0, bytes = 0;

const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
page.on('console', (text) => text.type() === 'error' && complaints.push(text.text()));
page.on('pageerror', (error) => complaints.push(String(error)));
page.on('request', (request) => (outside += !request.url().startsWith(home) && !request.url().startsWith('data:')));
page.on('response', async (response) => (bytes += (await response.body().catch(() => '')).length));
await page.goto(`${home}index.html`);
await page.waitForTimeout(1500);
const lanes = () => page.evaluate(() => document.querySelector('#lanes').toDataURL());
const first = await lanes();
await page.waitForTimeout(300);
assert.notEqual(await lanes(), first, 'the first page does not move');
const firstView = bytes;
assert.ok(firstView > 20000 && firstView < 300000, `${firstView} bytes for the first view`);

await page.keyboard.press('/');
await page.keyboard.type('es_camera_follow');
await page.waitForSelector('#found a');
await page.keyboard.press('Tab');
await page.keyboard.press('Enter');
await page.waitForURL(/view\.html$/);

// The perception test: someone who always sees the rough lane down to 1 ms.
await page.goto(`${home}index.html`);
await page.click('text=Which unevenness');
await page.waitForURL(/perception\.html$/);
await page.waitForTimeout(500);
for (let i = 0; i < 400 && await page.inputValue('#result') === ''; ++i) {
    await page.keyboard.press(i % 3 === 2 ? 'ArrowUp' : 'ArrowDown');
}
assert.match(await page.inputValue('#result'), /seen from [0-9.]+ ms on, .* [0-9]+ frames per second/);

for (const width of [390, 800, 1400]) {
    await page.setViewportSize({ width, height: 800 });
    for (const name of ['index', 'guide', 'porting', 'follow', 'python', 'displays', 'commands', 'migration']) {
        await page.goto(`${home}${name}.html`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        assert.ok(!wide, `${name} is wider than ${width} pixels`);
        for (const link of await page.$$eval('a[href]', (all) => all.map((a) => a.href))) {
            links.add(link);
        }
    }
}
for (const link of [...links].filter((one) => one.startsWith(home))) {
    const answer = await page.request.get(link), anchor = link.split('#')[1];
    assert.ok(answer.ok(), `${link}: ${answer.status()}`);
    assert.ok(!anchor || (await answer.text()).includes(`id="${anchor}"`), `${link}: no such place`);
}
assert.deepEqual(complaints, []);
assert.equal(outside, 0);
console.log(`site: ${firstView} bytes for the first view, ${links.size} links`);
await browser.close();
close();
