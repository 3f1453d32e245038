// SPDX-License-Identifier: Zlib
// Evenstep for browsers: smooth motion on requestAnimationFrame (docs/web-host.md).
// A source: scripts/web-host puts the library, compiled from C, into the next line.
const WASM = '@wasm@';

// In the order of host_set (web/host.c): a type, or the values.
const SETTINGS = {
    tickRate: 'number',
    step: ['fixed', 'variable'],
    catchUp: ['drop', 'slow', 'spread', 'stretch', 'wait'],
    catchUpMax: 'number',
    interval: 'number',
    speedChangeMax: 'number',
};
const OTHERS = ['update', 'draw', 'manual'];

// 31 years: sums of stamps in ns stay whole numbers of 64 bits.
const STAMP_MAX = 1e12;

const compiled = new Map();

function compile(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer().then((code) => WebAssembly.compile(code));
}

// Private: for library.mjs. An instance of a module that was compressed to text.
export async function instantiate(text, imports) {
    compiled.set(text, compiled.get(text) ?? compile(text));
    const { exports } = await WebAssembly.instantiate(await compiled.get(text), imports);
    exports._initialize();
    return exports;
}

function refuse(name, reason, kind = TypeError) {
    throw new kind(`createLoop: ${name}: ${reason}`);
}

function toNumber(name, value) {
    const kind = SETTINGS[name];
    if (Array.isArray(kind)) {
        const index = kind.indexOf(value);
        return index >= 0 ? index : refuse(name, `must be one of ${kind.join(', ')}`);
    }
    return Number.isFinite(value) ? value : refuse(name, `must be a ${kind}`);
}

function check(options) {
    for (const name of ['update', 'draw']) {
        if (typeof options?.[name] !== 'function') {
            refuse(name, 'must be a function');
        }
    }
    for (const name of Object.keys(options)) {
        if (!(name in SETTINGS) && !OTHERS.includes(name)) {
            refuse(name, 'there is no such option');
        }
    }
}

// Of the library's last error: "es_loop_config.catch_up_max_ns: must be ..."
function refuseAs({ memory, host_error }) {
    const bytes = new Uint8Array(memory.buffer, host_error());
    const text = new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    const [, name, reason] = /^es_loop_config\.(\w+?)(?:_ns)?: (.*?)(?:, such as .*)?$/.exec(text)
        ?? [null, 'library', text];
    refuse(name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), reason, RangeError);
}

class Loop {
    #library;
    #values;
    #options;
    #before;
    #request = 0;
    #paused = false;
    #destroyed = false;
    #frame = { index: 0, ticks: 0, tick: 0, tickSeconds: 0, alpha: 0, time: 0, present: 0 };

    constructor(library, options, before) {
        this.#library = library;
        this.#before = before;
        this.#options = options;
        this.#listen('addEventListener');
        this.#schedule();
    }

    // Memory that has grown is another buffer.
    #read() {
        const { buffer } = this.#library.memory;
        if (this.#values?.buffer !== buffer) {
            this.#values = new Float64Array(buffer, this.#library.host_values(), 8);
        }
        return this.#values;
    }

    // A page that was hidden, frozen or left goes on where it was.
    #listen(how) {
        globalThis.document?.[how]('visibilitychange', this.resync);
        globalThis.document?.[how]('resume', this.resync);
        globalThis[how]?.('pageshow', this.resync);
    }

    #schedule() {
        if (!this.#options.manual && !this.#destroyed) {
            this.#request = requestAnimationFrame(this.#called);
        }
    }

    // An exception in update or draw ends the loop: it is reported once, not in each frame.
    #called = (stamp) => {
        this.frame(stamp);
        this.#schedule();
    };

    frame(stamp) {
        if (!Number.isFinite(stamp) || Math.abs(stamp) >= STAMP_MAX) {
            throw new TypeError('frame: stamp: must be the number that requestAnimationFrame passes');
        }
        if (this.#destroyed || globalThis.document?.hidden) {
            return;
        }
        const frame = this.#frame;
        this.#before?.();
        const ticks = this.#library.host_next(stamp, performance.now());
        if (ticks < 0) { // over the frame cap: the canvas keeps its picture
            return;
        }
        const values = this.#read(); // no destructuring: it makes garbage
        frame.ticks = ticks;
        frame.tickSeconds = values[0];
        frame.alpha = values[1];
        frame.index = values[2];
        frame.tick = values[3];
        frame.time = values[4];
        frame.present = values[5];
        for (let i = 1; i <= frame.ticks && !this.#destroyed; ++i) {
            this.#options.update(frame.tickSeconds, frame.tick - frame.ticks + i);
        }
        if (!this.#destroyed) {
            this.#options.draw(frame.alpha, frame);
            this.#library.host_end(performance.now());
        }
    }

    pause() {
        this.#paused = true;
        this.#library.host_pause(true);
    }

    resume() {
        this.#paused = false;
        this.#library.host_pause(false);
    }

    get paused() {
        return this.#paused;
    }

    setSpeed(speed) {
        if (typeof speed !== 'number' || !this.#library.host_speed(speed)) {
            throw new RangeError('setSpeed: speed: must be from 0 to 1000');
        }
    }

    resync = () => this.#library.host_resync();

    figures() {
        this.#library.host_figures();
        const [refreshRate, frames, ticks, missed, dropped, mean, p99, max] = this.#read();
        return { refreshRate, frames, ticks, missed, dropped, error: { mean, p99, max } };
    }

    destroy() {
        this.#destroyed = true;
        globalThis.cancelAnimationFrame?.(this.#request);
        this.#listen('removeEventListener');
    }
}

// Private: for library.mjs. before: called ahead of each frame.
export function start(library, options, before) {
    check(options);
    const given = Object.keys(SETTINGS).filter((name) => options[name] !== undefined);
    const numbers = given.map((name) => toNumber(name, options[name]));
    given.forEach((name, i) => library.host_set(Object.keys(SETTINGS).indexOf(name), numbers[i]));
    return library.host_create() ? new Loop(library, { ...options }, before) : refuseAs(library);
}

export async function createLoop(options) {
    check(options);
    return start(await instantiate(WASM), options);
}
