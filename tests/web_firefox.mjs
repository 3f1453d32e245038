// SPDX-License-Identifier: CC0-1.0
// The page in Firefox, by its Marionette protocol: sliders move, the figures are the command's.
//
//   node tests/web_firefox.mjs EVENSTEP
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkFigures, median, readPage, serve, slide } from './web_support.mjs';

const PORT = 2931;
const { home, close } = await serve();
const profile = mkdtempSync(`${tmpdir()}/firefox`);
writeFileSync(`${profile}/user.js`, `user_pref("marionette.port", ${PORT});\n`);
const firefox = spawn('firefox-esr', ['--headless', '--marionette', '--no-remote', '--profile', profile],
    { env: { ...process.env, HOME: profile }, stdio: 'ignore' });
process.on('exit', () => firefox.kill());

let socket;
for (let i = 0; i < 240 && socket === undefined; ++i) {
    await sleep(250);
    socket = await new Promise((done) => {
        const tried = connect(PORT, '127.0.0.1', () => done(tried)).on('error', () => done(undefined));
    });
}
// A message is its length, a colon, and JSON: [0, number, command, arguments] or [1, number, error, result].
const waiting = new Map();
let received = Buffer.alloc(0);
socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (let colon; (colon = received.indexOf(':')) > 0;) {
        const end = colon + 1 + Number(received.subarray(0, colon));
        if (received.length < end) {
            return;
        }
        const message = JSON.parse(received.subarray(colon + 1, end));
        received = received.subarray(end);
        waiting.get(message[1])?.(message);
    }
});
async function call(name, values = {}) {
    const number = waiting.size + 1;
    const text = JSON.stringify([0, number, name, values]);
    const answer = new Promise((done) => waiting.set(number, done));
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [, , error, result] = await answer;
    if (error) {
        throw new Error(JSON.stringify(error));
    }
    return result;
}
const run = async (script, ...args) => (await call('WebDriver:ExecuteAsyncScript', { script, args, sandbox: null })).value;
const check = async () => checkFigures(process.argv[2], await run(`arguments[0]((${readPage})())`));

await call('WebDriver:NewSession', { capabilities: {} });
await call('WebDriver:Navigate', { url: home });
while (!await run('arguments[0](document.querySelector("#figures td") !== null)')) {
    await sleep(100);
}
let compared = await check();
const answers = [];
for (const [name, value] of Object.entries({ late: 4.5, refresh: 75, share: 4, render: 6.5, tickRate: 50, queue: 1 })) {
    answers.push(await run(`(${slide})(...arguments)`, name, value));
    compared += await check();
}
await run('document.querySelector("#live").scrollIntoView(); arguments[0]()');
await sleep(4000);
const live = await run('arguments[0]([...document.querySelectorAll("#live output")].map((one) => one.textContent))');
console.log(`web_firefox: ${compared} figures are the command's; a slider after ${Math.round(median(answers))} ms;`
    + ` live lanes: ${live.join(', ')} ms`);
firefox.kill();
firefox.on('exit', () => rmSync(profile, { recursive: true, force: true }));
socket.destroy();
close();
