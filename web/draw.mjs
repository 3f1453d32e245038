// SPDX-License-Identifier: Zlib
// Drawing. Lanes and plots advance by one simulated refresh per refresh of the visitor's display.

const SIZE = 22;         // of the object, px
const EYE_MS = 250;      // a following eye adapts to a constant delay over this time, as in the lab's pursuit error
const SMEAR = 24;        // refreshes that the eye's view shows at once
export const PAGE_MS = 2000; // of the plot, simulated

let colours;

export function readColours() {
    const style = getComputedStyle(document.documentElement);
    colours = Object.fromEntries(['text', 'soft', 'line', 'mark', 'seen', 'off'].map((name) => [
        name, style.getPropertyValue(`--${name}`).trim()]));
}

// A canvas at the resolution of the screen, cleared: its context, with width and height in px.
function open(canvas) {
    const ratio = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
    }
    const to = canvas.getContext('2d');
    to.setTransform(ratio, 0, 0, ratio, 0, 0);
    to.clearRect(0, 0, width, height);
    return { to, width, height };
}

// The motion of a row by refresh: off[n] is how far the object is ahead at refresh n, in ms.
export function makeMotion(row, refresh) {
    const { frames, measured } = row;
    const period = 1000 / refresh;
    const begin = frames[2 * measured];
    const count = Math.max(1, Math.floor((frames[frames.length - 2] - begin) / period));
    const raw = new Float64Array(count);
    for (let n = 0, frame = measured; n < count; ++n) {
        const now = begin + n * period;
        while (2 * frame + 2 < frames.length && frames[2 * frame + 2] <= now + period / 2) {
            frame += 1;
        }
        raw[n] = frames[2 * frame + 1] - now;
    }
    return { off: subtractMean(raw, Math.max(1, Math.round(EYE_MS / 2 / period))), count, period };
}

function subtractMean(raw, half) {
    const off = new Float64Array(raw.length);
    let sum = 0;
    let from = 0;
    let to = 0;
    for (let n = 0; n < raw.length; ++n) {
        while (to < raw.length && to <= n + half) {
            sum += raw[to++];
        }
        while (from < n - half) {
            sum -= raw[from++];
        }
        off[n] = raw[n] - sum / (to - from);
    }
    return off;
}

// One scale for all rows, in ms, by their 99th percentiles: one large row does not hide the others.
export function findScale(motions) {
    const large = motions.map(({ off }) => off.map(Math.abs).sort()[Math.floor(off.length * 0.99)]);
    const [largest = 0, next = largest] = large.sort((a, b) => b - a);
    return Math.min(50, Math.max(0.5, Math.min(largest, 2 * next)));
}

function putObject(to, x, y, alpha = 1) {
    to.globalAlpha = alpha;
    to.fillStyle = colours.seen;
    to.beginPath();
    to.roundRect(x, y, SIZE, SIZE, 5);
    to.fill();
    to.globalAlpha = 1;
}

function putShould(to, x, y) {
    to.strokeStyle = colours.soft;
    to.lineWidth = 1.25;
    to.setLineDash([3, 2.5]);
    to.beginPath();
    to.roundRect(x - 3, y - 3, SIZE + 6, SIZE + 6, 7);
    to.stroke();
    to.setLineDash([]);
}

// speed: px per simulated ms. stills: several refreshes at once, for a page that does not move.
export function drawLane(canvas, motion, n, speed, stills) {
    const { to, width, height } = open(canvas);
    const y = (height - SIZE) / 2;
    to.fillStyle = colours.mark;
    for (let x = 50; x < width; x += 50) {
        to.fillRect(x, 0, 1, height);
    }
    const across = width + SIZE + 8;
    const place = (at) => (at * motion.period * speed) % across - SIZE - 4;
    const every = Math.max(1, Math.ceil((SIZE + 12) / (motion.period * speed)));
    for (let k = 0; stills && k * every * motion.period * speed < width; ++k) {
        const at = (n + k * every) % motion.count;
        const x = 8 + k * every * motion.period * speed;
        putShould(to, x, y);
        putObject(to, x + motion.off[at] * speed, y);
    }
    if (!stills) {
        putShould(to, place(n), y);
        putObject(to, place(n) + motion.off[n] * speed, y);
    }
}

// The object as an eye sees it that moves with it. The error is enlarged to the scale.
export function drawEye(canvas, motion, n, scale) {
    const { to, width, height } = open(canvas);
    const x = (width - SIZE) / 2;
    const y = (height - SIZE) / 2;
    const enlarge = (x - 4) / scale;
    for (let k = Math.min(SMEAR, motion.count - 1); k > 0; --k) {
        putObject(to, x + clamp(motion.off[(n - k + motion.count) % motion.count], scale) * enlarge, y, 0.07);
    }
    putObject(to, x + clamp(motion.off[n], scale) * enlarge, y, 0.8);
    putShould(to, x, y);
}

function clamp(value, size) {
    return Math.max(-size, Math.min(size, value));
}

// The error of each refresh on the page that begins at refresh `from`.
export function drawPlot(canvas, motion, from, scale) {
    const { to, width, height } = open(canvas);
    const count = Math.round(PAGE_MS / motion.period);
    const step = width / count;
    to.fillStyle = colours.off;
    for (let k = 0; k < count && from + k < motion.count; ++k) {
        const size = clamp(motion.off[from + k], scale) / scale * (height / 2 - 1);
        to.fillRect(k * step, height / 2 - Math.max(size, 0), Math.max(step - 0.4, 0.8), Math.abs(size));
    }
    to.fillStyle = colours.line;
    to.fillRect(0, height / 2 - 0.5, width, 1);
}

// The refresh whose error is nearest to the 98th percentile: large, but not the rarest one.
function typicalWorst({ off }) {
    const sizes = off.map(Math.abs);
    const wanted = [...sizes].sort((a, b) => a - b)[Math.floor(off.length * 0.98)];
    return sizes.reduce((best, size, n) => Math.abs(size - wanted) < Math.abs(sizes[best] - wanted) ? n : best, 0);
}

// Eight refreshes: the object as it is seen, on a staircase, and even motion.
export function drawStairs(canvas, motion) {
    const { to, width, height } = open(canvas);
    const count = 8;
    const from = Math.max(0, Math.min(motion.count - count, typicalWorst(motion) - count / 2));
    const x = (k) => 8 + k * (width - 16) / count;
    const y = (k) => height - 26 - k * (height - 52) / (count - 1);
    const at = (k) => k + motion.off[from + k] / motion.period;
    to.fillStyle = colours.line;
    for (let k = 0; k <= count; ++k) {
        to.fillRect(x(k) - 0.5, 0, 1, height);
    }
    to.fillStyle = colours.off;
    for (let k = 0; k < count; ++k) {
        to.fillRect(x(k), Math.min(y(k), y(at(k))), x(1) - x(0), Math.abs(y(k) - y(at(k))));
    }
    to.lineWidth = 2.25;
    to.strokeStyle = colours.seen;
    to.beginPath();
    for (let k = 0; k < count; ++k) {
        to.lineTo(x(k), y(at(k)));
        to.lineTo(x(k + 1), y(at(k)));
    }
    to.stroke();
    to.lineWidth = 1.25;
    to.strokeStyle = colours.soft;
    to.setLineDash([5, 3]);
    to.beginPath();
    to.moveTo(x(0), y(0));
    to.lineTo(x(count), y(count));
    to.stroke();
    to.setLineDash([]);
}
