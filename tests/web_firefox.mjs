// SPDX-License-Identifier: Zlib
// The site and the module in Firefox, driven by its Marionette protocol (length:JSON on a socket): the first page moves,
// search by keyboard, the perception test, no errors, no outside requests; the library's loop follows the display.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { serve } from './web_support.mjs';

const site = new URL('../build/site/', import.meta.url);
const module = new URL('../build/web-host/', import.meta.url);
const read = (name, from = site) => readFileSync(new URL(name, from), 'utf8');
const watch = `<script>window.errors = []; onerror = (text) => errors.push(text);
    onunhandledrejection = (event) => errors.push(String(event.reason));</script>`;
// A loop of the library for four seconds; its figures become the title.
const game = `${watch}<script type="module">
    import { load } from '/library.mjs';
    const es = await load(), track = new es.Track1(), seen = [];
    track.set(0, 0);
    const loop = await es.createLoop({ tickRate: 50, update: (seconds, tick) => track.set(tick, tick / 50),
        draw: (alpha, { time }) => seen.push(track.at() - time) });
    setTimeout(() => document.title = JSON.stringify({ ...loop.figures(), frames: seen.length,
        off: Math.max(...seen.slice(60).map(Math.abs)) }), 4000);
</script>`;
const pages = { '/game.html': game };
for (const name of ['index', 'perception', 'view']) {
    pages[`/${name}.html`] = read(`${name}.html`).replace('<title>', `${watch}<title>`);
}
const { home, close } = await serve(site, pages);
const { home: other, close: closeOther } = await serve(module, pages);

const profile = mkdtempSync(`${tmpdir()}/firefox-`), port = 20000 + process.pid % 20000;
writeFileSync(`${profile}/user.js`, `user_pref('marionette.port', ${port});`);
const firefox = spawn('firefox-esr', ['--headless', '--marionette', '--profile', profile], { stdio: 'ignore' });
process.on('exit', () => (firefox.kill(), rmSync(profile, { recursive: true, force: true, maxRetries: 9 })));

let socket, held = '', count = 0;
const answers = new Map();
for (let i = 0; !socket; ++i) {
    await new Promise((done) => setTimeout(done, 250));
    const made = connect(port, '127.0.0.1');
    socket = await new Promise((done) => made.once('connect', () => done(made)).once('error', () => done(null)));
    assert.ok(i < 200, 'Firefox does not listen');
}
socket.setEncoding('latin1').on('data', (text) => {
    held += text;
    for (let at; (at = held.indexOf(':')) > 0 && held.length > at + Number(held.slice(0, at)); ) {
        const end = at + 1 + Number(held.slice(0, at)), [, id, error, value] = [JSON.parse(held.slice(at + 1, end))].flat();
        held = held.slice(end);
        answers.get(id)?.(error ? Promise.reject(new Error(error.message)) : value);
    }
});
function send(name, values = {}) {
    const text = JSON.stringify([0, ++count, `WebDriver:${name}`, values]);
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((done) => answers.set(count, done));
}
const run = async (script) => (await send('ExecuteAsyncScript', { args: [],
    script: `const done = arguments[arguments.length - 1]; (async () => { ${script} })().then(done, (e) => done('' + e));` })).value;
const key = (value) => send('PerformActions', { actions: [{ type: 'key', id: 'keys',
    actions: [...value].flatMap((one) => [{ type: 'keyDown', value: one }, { type: 'keyUp', value: one }]) }] });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function open(name, from = home) {
    await send('Navigate', { url: `${from}${name}.html` });
    await pause(500);
}
async function checkPage(name) {
    const [errors, outside] = await run(`return [[...window.errors], performance.getEntriesByType('resource')
        .map(({ name }) => name).filter((name) => !name.startsWith(location.origin) && !name.startsWith('data:'))];`);
    assert.deepEqual([errors, outside], [[], []], name);
}

await send('NewSession');
await open('index');
const lanes = () => run('return document.querySelector("#lanes").toDataURL();');
await checkPage('index');
const first = await lanes();
await pause(300);
assert.ok(await lanes() !== first, 'the first page does not move');
await key('/es_camera_follow');
await pause(500);
await key('\uE004\uE007'); // tab, enter
await pause(1000);
assert.match((await send('GetCurrentURL')).value, /view\.html/);
await checkPage('view');
await open('perception');
for (let i = 0; i < 400 && await run('return document.querySelector("#result").value;') === ''; ++i) {
    await key(i % 3 === 2 ? '\uE013' : '\uE015'); // up, down
}
assert.match(await run('return document.querySelector("#result").value;'), /seen from [0-9.]+ ms on/);
await checkPage('perception');
await open('game', other);
await pause(5000);
const figures = JSON.parse(await run('return document.title;'));
assert.ok(figures.frames > 60 && figures.off < 1e-6 && figures.refreshRate > 20, JSON.stringify(figures));
await checkPage('game');
console.log(`firefox: ${figures.frames} frames at ${figures.refreshRate.toFixed(2)} Hz, error ${figures.error.mean.toFixed(3)} ms`);
send('DeleteSession');
close(), closeOther();
process.exit();
