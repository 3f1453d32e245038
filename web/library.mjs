// SPDX-License-Identifier: Zlib
// All of Evenstep in JavaScript: docs/web-host.md, "Objects, clients, recordings". Behind it the C functions (es.c).
// A source: scripts/web-host puts the library, compiled from C, into the next line.
import { instantiate, start } from './evenstep.mjs';
import { CONSTANTS, FUNCTIONS, STRUCTS } from './c.mjs';
const WASM = '@wasm@';

const ACCESS = { bool: 'Uint8', u8: 'Uint8', u16: 'Uint16', i32: 'Int32', u32: 'Uint32', i64: 'BigInt64', u64: 'BigUint64',
    f32: 'Float32', f64: 'Float64' };
const BYTES = { bool: 1, u8: 1, u16: 2, i64: 8, u64: 8, f64: 8 }; // others: 4
const WASM_TYPES = { bool: 0x7f, i32: 0x7f, u32: 0x7f, i64: 0x7e, u64: 0x7e, f32: 0x7d, f64: 0x7c };
const NS_PER_MS = 1e6;
const utf8 = new TextDecoder();

// Bytes of a number, a structure or a pointer
function sizeOf(code) {
    return code[0] === '=' ? STRUCTS[code.slice(1)][0] : BYTES[code] ?? 4;
}

function toInteger(value) {
    return typeof value === 'bigint' ? value : BigInt(Math.round(value));
}

// --- memory, structures and functions of C ------------------------------------------------------

// A view of the module's memory: structures as objects, whose memory is freed with them.
class Memory {
    #exports;
    #view;
    #freed = new FinalizationRegistry((at) => this.#exports.free(at));

    constructor(exports) {
        this.#exports = exports;
    }

    get view() { // memory that has grown is another buffer
        const { buffer } = this.#exports.memory;
        return this.#view?.buffer === buffer ? this.#view : (this.#view = new DataView(buffer));
    }

    bytes(at, size) {
        return new Uint8Array(this.#exports.memory.buffer, at, size);
    }

    text(at) {
        const bytes = this.bytes(at);
        return at === 0 ? null : utf8.decode(bytes.slice(0, bytes.indexOf(0)));
    }

    // Zeros, or a copy of bytes; freed after owner.
    allocate(owner, size, bytes = []) {
        const at = this.#exports.calloc(1, Math.max(size, 1));
        if (at === 0) {
            throw new RangeError('evenstep: out of memory');
        }
        this.bytes(at, size).set(bytes);
        this.#freed.register(owner, at);
        return at;
    }

    // A function for C: a module that does nothing but import and export it has C's type.
    #callback(called, code) {
        const [result, ...parameters] = code.slice(1, -1).split(' ');
        const types = parameters.map((one) => WASM_TYPES[one] ?? 0x7f);
        const results = result === 'void' ? [] : [WASM_TYPES[result] ?? 0x7f];
        const type = [1, 0x60, types.length, ...types, results.length, ...results];
        const module = new WebAssembly.Module(Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, type.length, ...type,
            2, 7, 1, 1, 101, 1, 102, 0, 0, 7, 5, 1, 1, 102, 0, 0]));
        const f = (...given) => {
            const value = called(...given.map((one, i) => (parameters[i] === 'i64' ? Number(one) : one)));
            return result === 'i64' ? toInteger(value) : value;
        };
        const table = this.#exports.__indirect_function_table;
        const at = table.grow(1);
        table.set(at, new WebAssembly.Instance(module, { e: { f } }).exports.f);
        return at;
    }

    // What C gets for a value; pointers and texts live as long as owner.
    toC(value, code, owner) {
        if (code === 'i64' || code === 'u64') {
            return toInteger(value);
        }
        if (code === 'text' && typeof value === 'string') {
            const bytes = new TextEncoder().encode(`${value}\0`);
            return this.allocate(owner, bytes.length, bytes);
        }
        if (typeof value === 'function' && code[0] === '(') {
            return this.#callback(value, code);
        }
        const number = value?.at ?? value ?? 0;
        if (typeof number !== 'number' && typeof number !== 'boolean') {
            throw new TypeError(`evenstep: ${code || 'void'}: not ${typeof number}`);
        }
        return number;
    }

    get(code, at, owner) {
        if (code[0] === '=') {
            return Object.assign(new this.c[code.slice(1)]({}, at), { owner });
        }
        const value = this.view[`get${ACCESS[code] ?? 'Uint32'}`](at, true);
        return code === 'i64' ? Number(value) : code === 'bool' ? value !== 0 : code === 'text' ? this.text(value) : value;
    }

    // owner keeps what C reaches by pointers.
    set(code, at, value, owner) {
        if (code[0] === '=') {
            this.#setStruct(code.slice(1), at, value ?? {}, owner);
        } else {
            this.view[`set${ACCESS[code] ?? 'Uint32'}`](at, this.toC(value, code, owner), true);
            typeof value === 'object' && owner?.kept?.push(value);
        }
    }

    #setStruct(name, at, value, owner) {
        const bytes = this.bytes(at, STRUCTS[name][0]);
        if (typeof value !== 'object') {
            throw new TypeError(`evenstep: ${name}: not ${typeof value}`);
        }
        if (value instanceof this.c[name]) {
            bytes.set(this.bytes(value.at, bytes.length));
            owner?.kept?.push(value);
            return;
        }
        bytes.fill(0);
        for (const field in value) {
            this.setField(name, field, at, value[field], owner);
        }
    }

    setField(name, field, at, value, owner) {
        const found = STRUCTS[name][1][field];
        if (!found) {
            throw new TypeError(`${name}: there is no field ${field}`);
        }
        const [code, offset, length] = found;
        for (let i = 0; i < (length ?? 1); ++i) {
            this.set(code, at + offset + i * sizeOf(code), length ? value[i] : value, owner);
        }
    }
}

// A class of a structure: new es_frame({ index: 7 }). Fields of 64 bits are numbers, but for uint64_t.
function makeStruct(memory, name, size, fields) {
    const kind = class {
        kept = [];

        constructor(values = {}, at = 0) {
            this.at = at || memory.allocate(this, size);
            for (const field in values) {
                memory.setField(name, field, this.at, values[field], this);
            }
        }
    };
    for (const [field, [code, offset, length]] of Object.entries(fields)) {
        const step = sizeOf(code);
        Object.defineProperty(kind.prototype, field, {
            enumerable: true,
            get() {
                const each = (_, i) => memory.get(code, this.at + offset + i * step, this);
                return length ? Array.from({ length }, each) : memory.get(code, this.at + offset, this);
            },
            set(value) {
                memory.setField(name, field, this.at, value, this);
            },
        });
    }
    return kind;
}

function makeFunction(memory, call, [result, ...parameters], name) {
    // What is returned and passed by value lies at the same place in each call: no garbage.
    const place = (code) => (code[0] === '=' ? new memory.c[code.slice(1)]() : null);
    const returned = place(result), places = parameters.map(place);
    return (...given) => {
        if (given.length !== parameters.length) {
            throw new TypeError(`${name}: takes ${parameters.length} arguments, not ${given.length}`);
        }
        const owner = {};
        const passed = parameters.map((code, i) => {
            if (!places[i]) {
                return memory.toC(given[i], code, owner);
            }
            memory.set(code, places[i].at, given[i], owner);
            return places[i].at;
        });
        const value = returned ? call(returned.at, ...passed) : call(...passed);
        return returned ?? (result === 'bool' ? value !== 0 : result === 'text' ? memory.text(value)
            : result === 'i64' ? Number(value) : value);
    };
}

// --- objects ------------------------------------------------------------------------------------

const TYPES = { f32: 'ES_TYPE_F32', f64: 'ES_TYPE_F64', i32: 'ES_TYPE_I32', u32: 'ES_TYPE_U32', i64: 'ES_TYPE_I64', u8: 'ES_TYPE_U8' };
const WHOLE = ['rotation', 'matrix', 'matrix_rows', 'colour', 'srgb']; // kinds whose numbers are blended together

// The classes of a library. now: ms of performance.now, the clock of events and stamps.
function makeClasses(c, memory, hostFrame) {
    const freed = new FinalizationRegistry((free) => free());
    const ns = (ms) => Math.round(ms * NS_PER_MS);
    const frameOf = (frame) => (frame instanceof c.es_frame ? frame : hostFrame);
    // A tick of update(seconds, tick), or an es_step
    const stepOf = (tick) => (tick instanceof c.es_step ? tick
        : c.es_frame_step(hostFrame, tick - (hostFrame.newest_tick - hostFrame.ticks + 1)));

    function check(result) {
        if (!result) {
            throw new Error(c.es_get_error());
        }
        return result;
    }

    function rate(value) {
        const made = c.es_hz(value);
        if (made.numerator === 0) {
            throw new RangeError(`tickRate: ${value} is not a rate`);
        }
        return made;
    }

    class Handle {
        #free;

        constructor(handle, destroy) {
            this.handle = check(handle);
            this.#free = () => destroy(handle);
            freed.register(this, this.#free, this);
        }

        close() {
            freed.unregister(this);
            const free = this.#free;
            this.#free = () => null;
            this.handle = 0;
            return free();
        }
    }

    class Track1 {
        #track = new c.es_track1();
        set(tick, value) { c.es_track1_set(this.#track, tick, value); }
        move(tick, value) { c.es_track1_snap(this.#track, tick, value); }
        shift(by) { c.es_track1_shift(this.#track, by); }
        at(frame) { return c.es_track1_at(this.#track, frameOf(frame)); }
        angleAt(frame) { return c.es_track1_angle_at(this.#track, frameOf(frame)); }
    }

    class Track2 {
        #track = new c.es_track2();
        set(tick, x, y, angle = 0) { c.es_track2_set(this.#track, tick, { x, y, angle }); }
        move(tick, x, y, angle = 0) { c.es_track2_snap(this.#track, tick, { x, y, angle }); }
        shift(x, y, angle = 0) { c.es_track2_shift(this.#track, { x, y, angle }); }
        at(frame) { return c.es_track2_at(this.#track, frameOf(frame)); }
    }

    class Track3 {
        #track = new c.es_track3();
        set(tick, position, rotation = [0, 0, 0, 1]) { c.es_track3_set(this.#track, tick, { position, rotation }); }
        move(tick, position, rotation = [0, 0, 0, 1]) { c.es_track3_snap(this.#track, tick, { position, rotation }); }
        at(frame) { return c.es_track3_at(this.#track, frameOf(frame)); }
    }

    class Camera {
        #camera;
        #three = memory.allocate(this, 24);

        constructor(halfLife = 0.1, settings = {}) {
            this.#camera = new c.es_camera({ ...settings, spring: { half_life_s: halfLife } });
        }

        #put(at) {
            [0, 1, 2].forEach((i) => memory.set('f64', this.#three + 8 * i, at[i] ?? 0));
            return this.#three;
        }

        follow(tick, target, seconds) { c.es_camera_follow(this.#camera, tick, this.#put(target), seconds); }
        cut(tick, target) { c.es_camera_cut(this.#camera, tick, this.#put(target)); }
        shake(strength) { c.es_camera_shake(this.#camera, strength); }

        at(frame) {
            c.es_camera_at(this.#camera, frameOf(frame), this.#three);
            return [0, 1, 2].map((i) => memory.get('f64', this.#three + 8 * i));
        }
    }

    // States as objects: { x: 'linear', turn: 'angle', at: ['linear', 3], hits: ['step', 1, 'i32'] }.
    class Layout {
        #fields = [];

        constructor(fields) {
            const made = Object.entries(fields).map(([name, given]) => {
                const [kind, count = 1, code = 'f64'] = [given].flat();
                const blend = c[`ES_BLEND_${kind.toUpperCase()}`];
                if (blend === undefined || TYPES[code] === undefined) {
                    throw new TypeError(`Layout: ${name}: there is no ${blend === undefined ? kind : code}`);
                }
                const size = sizeOf(code), whole = WHOLE.includes(kind);
                const offset = Math.ceil((this.#fields.at(-1)?.end ?? 0) / size) * size;
                this.#fields.push({ name, code, size, count, offset, end: offset + size * count });
                return { name, type: c[TYPES[code]], blend, count: whole ? 1 : count, components: whole ? count : 1,
                    offset, stride: size };
            });
            this.size = Math.ceil((this.#fields.at(-1)?.end ?? 0) / 8) * 8;
            const at = memory.allocate(this, made.length * STRUCTS.es_field[0]);
            this.kept = []; // names
            made.forEach((field, i) => memory.set('=es_field', at + i * STRUCTS.es_field[0], field, this));
            this.c = new c.es_layout({ fields: at, field_count: made.length, state_size: this.size });
            this.places = [0, 1, 2].map(() => memory.allocate(this, this.size)); // of states in calls
            check(c.es_layout_validate(this.c));
        }

        write(state, place = 0) {
            for (const { name, code, size, count, offset } of this.#fields) {
                const values = [state[name]].flat();
                if (values.length !== count) {
                    throw new TypeError(`${name}: has ${count} numbers, not ${values.length}`);
                }
                values.forEach((value, i) => memory.set(code, this.places[place] + offset + i * size, value));
            }
            return this.places[place];
        }

        read(place = 0, at = this.places[place]) {
            const number = ({ code, size, offset }, i) => memory.get(code, at + offset + i * size);
            return Object.fromEntries(this.#fields.map((field) => [field.name, field.count === 1 ? number(field, 0)
                : Array.from({ length: field.count }, (_, i) => number(field, i))]));
        }

        blend(previous, current, alpha) {
            check(c.es_blend(this.c, this.write(previous, 0), this.write(current, 1), alpha, this.places[2]));
            return this.read(2);
        }
    }

    class Input extends Handle {
        #codes = new Map(); // of event.code and other names
        constructor(config = {}) { super(c.es_input_create(new c.es_input_config(config)), c.es_input_destroy); }

        #code(name) {
            if (typeof name === 'number') {
                return name;
            }
            return this.#codes.get(name) ?? (this.#codes.set(name, this.#codes.size), this.#codes.size - 1);
        }

        button(code, down, stamp = performance.now()) {
            check(c.es_input_button(this.handle, this.#code(code), down, ns(stamp)));
        }

        motion(axis, by, stamp = performance.now()) { check(c.es_input_move(this.handle, axis, by, ns(stamp))); }
        tick(tick) { return c.es_input_tick(this.handle, tick === undefined ? null : stepOf(tick)); }
        pressed(code) { return c.es_input_pressed(this.handle, this.#code(code)); }
        released(code) { return c.es_input_released(this.handle, this.#code(code)); }
        held(code) { return c.es_input_held(this.handle, this.#code(code)); }
        value(axis) { return c.es_input_value(this.handle, axis); }
        moved(axis) { return c.es_input_moved(this.handle, axis); }
        at(axis, instant, ahead = 0) { return c.es_input_at(this.handle, axis, ns(instant), ns(ahead)); }
        view(frame) { return c.es_input_view_ns(this.handle, frameOf(frame)) / NS_PER_MS; }
    }

    class Follower extends Handle {
        #out = memory.allocate(this, 8);

        constructor(config = {}) {
            const settings = new c.es_follower_config(config);
            super(c.es_follower_create(settings), c.es_follower_destroy);
            this.kept = settings;
        }

        add(other, read = performance.now()) { return c.es_follower_add(this.handle, ns(other), ns(read)); }
        reset() { c.es_follower_reset(this.handle); }

        at(instant = performance.now()) {
            check(c.es_follower_at(this.handle, ns(instant), this.#out));
            return memory.get('i64', this.#out) / NS_PER_MS;
        }

        get status() { return c.es_follower_get_status(this.handle); }
    }

    class Snapshots extends Handle {
        #layout;

        constructor(layout, tickRate, config = {}) {
            const settings = new c.es_snapshots_config({ ...config, state_size: layout.size, tick_rate: rate(tickRate) });
            super(c.es_snapshots_create(settings), c.es_snapshots_destroy);
            this.#layout = layout;
        }

        add(tick, state, at = performance.now()) {
            return c.es_snapshots_add(this.handle, tick, this.#layout.write(state), ns(at));
        }

        blend(frame) { // null: nothing has come yet
            const layout = this.#layout;
            return c.es_snapshots_blend(this.handle, layout.c, frameOf(frame), layout.places[0]) ? layout.read() : null;
        }

        get status() { return c.es_snapshots_get_status(this.handle); }
    }

    function recordConfig(layout, stream, tickRate) {
        return new c.es_record_config({ layout: layout.c, stream, ...(tickRate && { tick_rate: rate(tickRate) }) });
    }

    class Record extends Handle {
        #parts;
        #layout;

        constructor(layout, state, tickRate) {
            const parts = [];
            const write = (_, at, size) => (parts.push(memory.bytes(at, size).slice()), c.ES_OK);
            const config = recordConfig(layout, { write }, tickRate);
            super(c.es_record_create(null, config, layout.write(state)), c.es_record_destroy);
            this.#parts = parts;
            this.#layout = layout;
        }

        input(tick, bytes = []) {
            const at = memory.allocate({}, bytes.length, bytes);
            check(c.es_record_input(this.handle, stepOf(tick), at, bytes.length));
        }

        state(tick, state) { check(c.es_record_state(this.handle, stepOf(tick), this.#layout.write(state))); }

        close() { // the recording's bytes
            check(super.close().result === c.ES_OK);
            return new Uint8Array(this.#parts.flatMap((part) => [...part]));
        }
    }

    class Replay extends Handle {
        #layout;

        constructor(layout, bytes) {
            const read = (_, offset, at, size, got) => {
                const part = bytes.subarray(Number(offset), Number(offset) + size);
                memory.bytes(at, part.length).set(part);
                memory.set('u32', got, part.length);
                return c.ES_OK;
            };
            super(c.es_replay_open(null, recordConfig(layout, { read }), layout.places[0]), c.es_replay_close);
            this.#layout = layout;
            this.state = layout.read(); // the initial one
        }

        *[Symbol.iterator]() {
            const step = new c.es_step(), out = memory.allocate(step, 8);
            while (c.es_replay_next(this.handle, step, out, out + 4)) {
                const size = memory.get('u32', out + 4);
                yield { tick: step.index, seconds: step.dt_s, input: memory.bytes(memory.get('u32', out), size).slice() };
            }
            check(this.status.result === c.ES_ERR_STATE);
        }

        check(state) { check(c.es_replay_check(this.handle, this.#layout.write(state))); }
        get status() { return c.es_replay_get_status(this.handle); }
    }

    return { Camera, Follower, Input, Layout, Record, Replay, Snapshots, Track1, Track2, Track3 };
}

/** The library, with room for one loop: await load(). */
export async function load() {
    let memory;
    const unknown = { fd_prestat_get: () => 8 }; // no folders; whatever else libc may ask for is not there
    const system = new Proxy(unknown, { get: (own, name) => own[name] ?? (() => 52) });
    unknown.clock_time_get = (_clock, _precision, at) => {
        memory.set('u64', at, performance.now() * NS_PER_MS);
        return 0;
    };
    const exports = await instantiate(WASM, { wasi_snapshot_preview1: system });
    memory = new Memory(exports);
    const c = memory.c = { ...CONSTANTS };
    for (const [name, [size, fields]] of Object.entries(STRUCTS)) {
        c[name] = makeStruct(memory, name, size, fields);
    }
    for (const [name, codes] of Object.entries(FUNCTIONS)) {
        c[name] = makeFunction(memory, exports[name], codes, name);
    }
    const hostFrame = new c.es_frame({}, exports.host_frame());
    const classes = makeClasses(c, memory, hostFrame);
    async function createLoop(options) {
        let followed = null, offsetNs = 0;
        const before = () => followed && c.es_loop_follow(exports.host_loop(), followed.handle, offsetNs);
        const loop = await start(exports, options, before);
        loop.follow = (follower, offset = 0) => {
            followed = follower;
            offsetNs = Math.round(offset * NS_PER_MS);
            follower ?? c.es_loop_follow(exports.host_loop(), 0, 0);
        };
        return loop;
    }
    return { c, createLoop, ...classes, lerp: c.es_lerp, lerpAngle: c.es_lerp_angle };
}
