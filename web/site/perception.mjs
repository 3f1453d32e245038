// Which lane is rougher? A staircase (two right answers: harder, one wrong: easier) finds the unevenness that is seen in
// 71 of 100 cases (Levitt, Transformed up-down methods in psychoacoustics, 1971).
import { createLoop } from './evenstep.mjs';

const canvas = document.querySelector('#lanes-test'), context = canvas.getContext('2d');
const question = document.querySelector('#question'), result = document.querySelector('#result');
const SPEED = 480, TURNS = 8, FACTOR = 1.4; // pixels per second; turns of the staircase until it ends
let previous = 0, current = 0, error = 8, rougher = 0, right = 0, down = true;
let frames = 0, since = 0, shown = 0;
const turns = [];

function ask() {
    rougher = Math.random() < 0.5 ? 0 : 1;
    question.textContent = `Which lane is rougher? Up or down arrow. Turn ${turns.length + 1} of ${TURNS}`;
}

function answer(lane) {
    if (turns.length === TURNS) {
        return;
    }
    const correct = lane === rougher, wasDown = down;
    right = correct ? right + 1 : 0;
    if (!correct || right === 2) {
        down = correct;
        right = 0;
        if (down !== wasDown) {
            turns.push(error);
        }
        error = Math.min(Math.max(down ? error / FACTOR : error * FACTOR, 0.05), 20);
    }
    if (turns.length === TURNS) {
        const last = turns.slice(2).sort((a, b) => a - b);
        const median = (last[2] + last[3]) / 2;
        const rate = Math.round(1000 * (frames - 1) / (shown - since));
        question.textContent = 'Done. Thank you.';
        result.value = `Evenstep perception test: unevenness seen from ${median.toFixed(2)} ms on, at ${SPEED} pixels per second,`
            + ` ${rate} frames per second, ${canvas.clientWidth} pixels wide`;
    } else {
        ask();
    }
}

function draw(alpha) {
    const scale = devicePixelRatio, { clientWidth: width, clientHeight: height } = canvas;
    canvas.width = width * scale;
    canvas.height = height * scale;
    context.scale(scale, scale);
    context.fillStyle = getComputedStyle(canvas).color;
    const x = previous + alpha * (current - previous), noise = (2 * Math.random() - 1) * error / 1000 * SPEED;
    for (let lane = 0; lane < 2; ++lane) {
        const at = x + (lane === rougher ? noise : 0);
        for (let bar = 0; bar < 3; ++bar) {
            context.fillRect((at + bar * (width + 60) / 3) % (width + 60) - 30, lane * height / 2 + 12, 14, height / 2 - 24);
        }
    }
    shown = performance.now();
    since = frames++ === 0 ? shown : since;
}

document.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
        event.preventDefault();
        answer(event.key === 'ArrowUp' ? 0 : 1);
    }
});
document.querySelector('#upper').addEventListener('click', () => answer(0));
document.querySelector('#lower').addEventListener('click', () => answer(1));
ask();
await createLoop({ tickRate: 60, update(seconds) { previous = current; current += SPEED * seconds; }, draw });
