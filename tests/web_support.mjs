// SPDX-License-Identifier: CC0-1.0
// For the tests in a browser: a server, and the page's figures against the command's.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const TYPES = { html: 'text/html', css: 'text/css', mjs: 'text/javascript', wasm: 'application/wasm' };
export const folder = new URL('../build/web/', import.meta.url);

// pages: texts by their paths, besides the files of the folder.
export async function serve(from = folder, pages = {}, headers = {}) {
    const server = createServer(({ url }, answer) => {
        const file = new URL(url === '/' ? 'index.html' : url.slice(1), from);
        const found = url in pages || existsSync(file);
        const type = TYPES[url in pages ? 'html' : file.pathname.split('.').pop()] ?? '';
        answer.writeHead(found ? 200 : 404, { 'content-type': type, ...headers });
        answer.end(pages[url] ?? (found ? readFileSync(file) : ''));
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    return { home: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

// For the page: the command line that it shows, and per loop its name and pairs of key and text.
export function readPage() {
    const rows = [...document.querySelectorAll('#figures tbody tr')];
    return { line: document.querySelector('#command').textContent, rows: rows.map((row) => [row.dataset.loop,
        ...[...row.querySelectorAll('td')].map((cell) => [cell.dataset.key, cell.textContent])]) };
}

// For the page: changes a slider, as a person does. done: the time until the table has the new figures, in ms.
export function slide(name, value, done) {
    const input = document.querySelector(`input[name=${name}]`);
    const begun = performance.now();
    new MutationObserver((_, observer) => {
        observer.disconnect();
        done(performance.now() - begun);
    }).observe(document.querySelector('#figures tbody'), { childList: true });
    input.value = value;
    input.dispatchEvent(new Event('input', { bubbles: true }));
}

// Returns how many figures were compared.
export function checkFigures(command, { line, rows }) {
    const words = ['compare', ...line.split(' ').slice(2), '--json', '-'];
    const theirs = JSON.parse(execFileSync(command, words, { encoding: 'utf8' })).loops;
    assert.deepEqual(rows.map(([name]) => name), theirs.map((their) => their.loop));
    rows.forEach(([name, ...cells], i) => cells.forEach(([key, text]) => {
        const value = theirs[i][key] * (key.endsWith('share') ? 100 : 1);
        const half = 0.5 * 10 ** -(text.split('.')[1] ?? '').length + 1e-6;
        assert.ok(Math.abs(Number(text) - value) <= half, `${name} ${key}: ${text}, not ${value}: ${line}`);
    }));
    return rows.length * (rows[0].length - 1);
}

// Processes that keep a processor busy each; end() ends them.
export function keepBusy(count) {
    const all = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);']));
    const end = () => all.forEach((one) => one.kill());
    process.on('exit', end);
    return { end };
}

export function median(values) {
    return [...values].sort((a, b) => a - b)[values.length >> 1];
}
