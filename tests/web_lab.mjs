// SPDX-License-Identifier: CC0-1.0
// The page's figures are those of the command, to every printed digit, in 50 settings:
//   node tests/web_lab.mjs LAB_WASM EVENSTEP
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { commandOf, DEFAULTS, openLab } from '../web/lab.mjs';

const [wasm, command] = process.argv.slice(2);
const lab = openLab(new WebAssembly.Module(readFileSync(wasm)));
let state = 1;
const draw = (from, to) => { // a whole number
    state = (state * 48271) % 2147483647;
    return from + (state % (to - from + 1));
};
let compared = 0;

function check(settings, loops) {
    const line = commandOf(settings, loops);
    const call = (...last) => execFileSync(command, ['compare', ...line.split(' '), ...last], { encoding: 'utf8' });
    const theirs = JSON.parse(call('--json', '-')).loops;
    const table = call('--measure', 'all').split('\n').map((text) => text.trim().split(/ +/));
    theirs.forEach((their) => {
        const ours = lab.run(settings, their.loop);
        assert.deepEqual([ours.title, ours.kind, ours.ran], [their.title, their.kind, their.ran], line);
        if (!ours.ran) {
            return;
        }
        for (const key of lab.keys) {
            const figure = Number.isNaN(ours.figures[key]) ? null : Number(ours.figures[key].toPrecision(12));
            assert.equal(figure === 0 ? 0 : figure, their[key], `${line}: ${their.loop}: ${key}`);
            compared += 1;
        }
        assert.equal(ours.frames.length / 2 - ours.measured, their.frames);
        const cells = table.filter((row) => row[0] === their.loop).flatMap((row) => row.slice(1)); // it is cut
        assert.deepEqual(lab.keys.map((key) => ours.texts[key]), cells, `${line}: ${their.loop}`);
    });
}

const names = lab.loops.map((loop) => loop.name);
check(DEFAULTS, names);
for (let i = 1; i < 50; ++i) {
    const settings = {
        render: draw(0, 40) / 2, update: draw(0, 50) / 10, share: draw(0, 3) * draw(0, 5), factor: draw(2, 8),
        late: draw(0, 8) / 2, refresh: draw(24, 360), tickRate: draw(10, 250), queue: draw(1, 4), targets: draw(0, 1),
        seed: draw(1, 1000), seconds: draw(1, 10),
    };
    check(settings, ['auto', ...Array.from({ length: 5 }, (_, k) => names[(5 * i + k) % names.length])]);
}
assert.ok(compared > 8000);
console.log(`web_lab: ${compared} figures in 50 settings are the command's`);
