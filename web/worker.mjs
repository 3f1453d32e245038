// SPDX-License-Identifier: Zlib
// Runs the lab beside the page. In: { code }, then { settings, loops }. Out: { names }, then { rows, ms }.
import { openLab } from './lab.mjs';

let lab;

onmessage = ({ data: { code, settings, loops } }) => {
    if (code) {
        lab = openLab(code);
        postMessage({ names: lab.loops });
        return;
    }
    const begun = performance.now();
    const rows = loops.map((name) => lab.run(settings, name));
    const buffers = rows.filter((row) => row.ran).map((row) => row.frames.buffer);
    postMessage({ settings, rows, ms: performance.now() - begun }, buffers);
};
