// SPDX-License-Identifier: Zlib
// For the tests of web/evenstep.mjs: loops on the same stamps, and their error against the refreshes.

// Numbers from 0 to 1, the same in each run (mulberry32).
export function random(seed) {
    return () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
}

// Stamps up to `late` ms late, then rounded to `grain` ms: down, or (fuzz) at random, as Firefox does.
export function disturb(refreshes, late, grain, fuzz = false) {
    const next = random(11);
    return refreshes.map((at) => {
        const stamp = at + next() * late;
        return grain > 0 ? Math.floor(stamp / grain + (fuzz ? next() : 1e-9)) * grain : stamp;
    });
}

// The instants that an accumulator with interpolation shows, and a variable step, in ms.
export function accumulator(stamps, tick = 1000 / 60) {
    let left = 0;
    let ticks = 0;
    return stamps.map((stamp, i) => {
        left += i > 0 ? Math.min(stamp - stamps[i - 1], 250) : 0;
        for (; left >= tick; left -= tick) {
            ticks += 1;
        }
        return (ticks - 1) * tick + left;
    });
}

export function variableStep(stamps) {
    let time = 0;
    return stamps.map((stamp, i) => (time += i > 0 ? Math.min(stamp - stamps[i - 1], 1000) : 0));
}

// The mean and the largest |error| from the frame `first` on, in % of the period.
export function errors(shown, refreshes, period, first = 1) {
    const all = shown.slice(first).map((at, i) => Math.abs(
        at - shown[first + i - 1] - (refreshes[first + i] - refreshes[first + i - 1])) / period * 100);
    return { mean: all.reduce((sum, error) => sum + error, 0) / all.length, max: Math.max(...all) };
}

// The requirement: at most a tenth of the better of the two, or 0.1 % of a refresh.
export function bound(stamps, refreshes, period, first) {
    const others = [accumulator(stamps), variableStep(stamps)]
        .map((shown) => errors(shown, refreshes, period, first));
    return { others, most: Math.max(0.1, Math.min(...others.map(({ mean }) => mean)) / 10) };
}
