// SPDX-License-Identifier: Zlib
// Times are ms on the clock of performance.now(). Calls throw an Error with the library's reason.
import { Frame, Loop, Options } from './evenstep.mjs';

/** A tick of update(seconds, tick); or library.c.es_step. */
export type Tick = number | object;

export interface FollowingLoop extends Loop {
    /** Content is where the other clock is, plus offset ms; null: it goes by itself again. */
    follow(follower: Follower | null, offset?: number): void;
}
/** A number of an object, which remembers its tick. Set it when the object is made, too. */
export declare class Track1 {
    set(tick: number, value: number): void;
    /** It jumped: no frame shows it on the way. */
    move(tick: number, value: number): void;
    /** A wrap around the screen: the motion goes on. */
    shift(by: number): void;
    at(frame?: Frame): number;
    angleAt(frame?: Frame): number;
}
export declare class Track2 {
    set(tick: number, x: number, y: number, angle?: number): void;
    move(tick: number, x: number, y: number, angle?: number): void;
    shift(x: number, y: number, angle?: number): void;
    /** The object is the same in each call: copy what you keep. */
    at(frame?: Frame): { readonly x: number; readonly y: number; readonly angle: number };
}
export declare class Track3 {
    set(tick: number, position: number[], rotation?: number[]): void;
    move(tick: number, position: number[], rotation?: number[]): void;
    at(frame?: Frame): { readonly position: number[]; readonly rotation: number[] };
}
export declare class Camera {
    /** halfLife: in seconds. settings: fields of es_camera. */
    constructor(halfLife?: number, settings?: object);
    follow(tick: number, target: number[], seconds: number): void;
    cut(tick: number, target: number[]): void;
    shake(strength: number): void;
    at(frame?: Frame): number[];
}
/** A kind of ES_BLEND_*, in small letters; with how many numbers, of which type. */
export type Field = string | [kind: string, count: number, type?: 'f32' | 'f64' | 'i32' | 'u32' | 'i64' | 'u8'];
export declare class Layout<State = object> {
    constructor(fields: { [name in keyof State]: Field });
    blend(previous: State, current: State, alpha: number): State;
}
/** Gives each event to exactly one tick. A code is a number, or a name such as event.code. */
export declare class Input {
    constructor(config?: object);
    button(code: number | string, down: boolean, stamp?: number): void;
    motion(axis: number, by: number, stamp?: number): void;
    /** First in update. Without a tick: takes all that waits. */
    tick(tick?: Tick): number;
    pressed(code: number | string): number;
    released(code: number | string): number;
    held(code: number | string): boolean;
    value(axis: number): number;
    moved(axis: number): number;
    at(axis: number, instant: number, ahead?: number): number;
    view(frame?: Frame): number;
    close(): void;
}
/** Another clock: AudioContext.currentTime, a server's. */
export declare class Follower {
    constructor(config?: object);
    /** other: what it showed, in ms, at the instant read. False: too many readings wait. */
    add(other: number, read?: number): boolean;
    reset(): void;
    at(instant?: number): number;
    readonly status: object;
    close(): void;
}
export declare class Snapshots<State = object> {
    constructor(layout: Layout<State>, tickRate: number, config?: object);
    add(tick: number, state: State, at?: number): boolean;
    /** What the frame shows; null: nothing has come yet. */
    blend(frame?: Frame): State | null;
    readonly status: object;
    close(): void;
}
export declare class Record<State = object> {
    constructor(layout: Layout<State>, state: State, tickRate?: number);
    input(tick: Tick, bytes?: ArrayLike<number>): void;
    state(tick: Tick, state: State): void;
    /** The recording. */
    close(): Uint8Array;
}
export declare class Replay<State = object> {
    constructor(layout: Layout<State>, bytes: Uint8Array);
    /** The initial one. */
    readonly state: State;
    [Symbol.iterator](): Iterator<{ tick: number; seconds: number; input: Uint8Array }>;
    /** Throws: it differs from the recording, and in what. */
    check(state: State): void;
    readonly status: object;
    close(): void;
}
export interface Library {
    /** One at a time: destroy() the one before. */
    createLoop(options: Options): Promise<FollowingLoop>;
    lerp(a: number, b: number, t: number): number;
    lerpAngle(a: number, b: number, t: number): number;
    Track1: typeof Track1; Track2: typeof Track2; Track3: typeof Track3; Camera: typeof Camera; Layout: typeof Layout;
    Input: typeof Input; Follower: typeof Follower; Snapshots: typeof Snapshots; Record: typeof Record; Replay: typeof Replay;
    /** The C functions, structures and constants by their names. Keep the objects that C points to. */
    c: any;
}
export declare function load(): Promise<Library>;
