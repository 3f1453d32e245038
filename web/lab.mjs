// SPDX-License-Identifier: Zlib
// The lab (web/lab.c): `evenstep compare` as a function. For a Worker and for Node.

// In the order of lab.c. The values are the page's first ones.
export const DEFAULTS = {
    render: 3,     // ms, cost of rendering a frame
    update: 1,     // ms, cost of a tick
    share: 0,      // % of the frames take ...
    factor: 3,     // ... their render cost, of the usual one
    late: 2,       // ms, presents return up to this late
    refresh: 144,  // Hz
    tickRate: 60,
    queue: 2,      // frames
    targets: 0,    // 1: the display reports screen times, and shows our frames at their targets
    seed: 1,
    seconds: 10,   // simulated
};

// The arguments of `evenstep compare` that give the same figures.
export function commandOf(settings, loops) {
    const { render, update, share, factor, late, refresh, tickRate, queue, targets, seed, seconds } = settings;
    const spikes = share > 0 ? ` --spikes ${share}%x${factor}` : '';
    return `--loop ${loops.join(',')} --render ${render}ms --update ${update}ms${spikes} --late ${late}ms`
        + ` --refresh ${refresh} --tick-rate ${tickRate} --queue ${queue}${targets ? ' --targets' : ''} --seed ${seed} --seconds ${seconds}`;
}

// code: a WebAssembly.Module of lab.wasm
export function openLab(code) {
    const refuse = () => 8; // WASI's "bad file": libc's stderr, to which nothing is written
    const files = { fd_close: refuse, fd_seek: refuse, fd_write: refuse };
    const lab = new WebAssembly.Instance(code, { wasi_snapshot_preview1: files }).exports;
    lab._initialize();
    const text = (address) => {
        const bytes = new Uint8Array(lab.memory.buffer, address);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    };
    const list = (at, make) => {
        const items = [];
        for (let i = 0; at(i) !== 0; ++i) {
            items.push(make(i));
        }
        return items;
    };
    const keys = list(lab.lab_key, (i) => text(lab.lab_key(i)));
    const word = (i, which) => text(lab.lab_word(i, which));
    const loops = list((i) => lab.lab_word(i, 0), (i) => ({ name: word(i, 0), title: word(i, 1), kind: word(i, 2) }));

    // Runs a loop: its figures by the keys of the command's JSON, as numbers and as in its table; and
    // per frame the screen time and the instant shown, in ms. ran: false: it cannot run so.
    function run(settings, name) {
        const index = loops.findIndex((loop) => loop.name === name);
        new Float64Array(lab.memory.buffer, lab.lab_settings()).set(Object.keys(DEFAULTS).map((key) => settings[key]));
        const count = lab.lab_run_loop(index);
        const row = { ...loops[index], ran: count > 0, figures: {}, texts: {} };
        if (!row.ran) {
            return { ...row, reason: text(lab.lab_reason()) };
        }
        keys.forEach((key, i) => {
            row.figures[key] = lab.lab_figure(i);
            row.texts[key] = text(lab.lab_text(i));
        });
        row.frames = new Float64Array(lab.memory.buffer, lab.lab_frames(), 2 * count).slice();
        row.measured = lab.lab_measured();
        return row;
    }
    return { loops, keys, run };
}
