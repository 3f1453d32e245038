// SPDX-License-Identifier: Zlib

/** One frame. The object is the same in each call of draw: copy what you keep. */
export interface Frame {
    /** 0, 1, 2, ... */
    readonly index: number;
    /** Updates that ran for this frame. */
    readonly ticks: number;
    /** The last update that ran: 1, 2, 3, ... */
    readonly tick: number;
    /** The length of these updates, in seconds. */
    readonly tickSeconds: number;
    /** Where the frame lies between the last two updates: over 0, up to 1. */
    readonly alpha: number;
    /** The simulated instant that it shows, in seconds. */
    readonly time: number;
    /** Its refresh, in ms on the clock of performance.now(). It is seen later, by a constant. */
    readonly present: number;
}

export interface Options {
    /** Runs one update that lasts `seconds` of simulated time. tick: 1, 2, 3, ... */
    update(seconds: number, tick: number): void;
    /** Draws: previous + alpha * (current - previous). */
    draw(alpha: number, frame: Frame): void;
    /** Updates per second; default 60. 59.94 and the like are exact. */
    tickRate?: number;
    /** variable: one update per frame, as long as the frame; alpha is 1. Default: fixed. */
    step?: 'fixed' | 'variable';
    /** What happens to time that the machine cannot keep up with; default: drop. */
    catchUp?: 'drop' | 'slow' | 'spread' | 'stretch' | 'wait';
    /** Most seconds per frame; the rest goes to catchUp. Default: 0.25. */
    catchUpMax?: number;
    /** A frame cap: seconds from one frame to the next, at least. Default: every refresh. */
    interval?: number;
    /** For games that cannot blend: by how much their speed may change, so that each update is shown
     * for the same number of refreshes. Up to 0.5; default 0: not at all; 0.05 is usual. */
    speedChangeMax?: number;
    /** true: you call loop.frame. */
    manual?: boolean;
}

/** What was measured. */
export interface Figures {
    /** In Hz; 0: not known yet. */
    refreshRate: number;
    frames: number;
    ticks: number;
    /** Refreshes without a frame. */
    missed: number;
    /** Time that was lost, in ms. */
    dropped: number;
    /** Of the last 1024 frames, in ms: how far a frame moved, less the difference of the stamps. What
     * the browser rounds off its stamps counts as error here, though nobody sees it. */
    error: { mean: number; p99: number; max: number };
}

export interface Loop {
    /** For manual loops. stamp: what requestAnimationFrame passes, in ms. */
    frame(stamp: number): void;
    /** The world stands; draw is called on. */
    pause(): void;
    resume(): void;
    readonly paused: boolean;
    /** 0 to 1000; 1 is normal. */
    setSpeed(speed: number): void;
    /** After a level load: the game does not catch up that time. */
    resync(): void;
    figures(): Figures;
    /** Ends the loop. */
    destroy(): void;
}

/** Rejects with an error that names the option. */
export function createLoop(options: Options): Promise<Loop>;
