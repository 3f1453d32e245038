// SPDX-License-Identifier: Zlib
// Elements of the page.

export const find = (selector, inside = document) => inside.querySelector(selector);

export function make(name, values = {}, ...inside) {
    const element = Object.assign(document.createElement(name), values);
    element.append(...inside);
    return element;
}

// A loop's row: the object in its lane, as an eye sees it, and its error over time.
export function makeLane(title, name, ours) {
    const lane = { output: make('output', { textContent: '-' }), canvas: make('canvas', { className: 'lane' }),
        eye: make('canvas', { className: 'eye' }), plot: make('canvas'), mark: make('i') };
    lane.element = make('article', { className: `row${ours ? ' ours' : ''}` },
        make('h3', {}, title, make('small', { textContent: name })),
        make('p', { className: 'figure' }, 'error ', lane.output, ' ms'), lane.canvas, lane.eye,
        make('div', { className: 'plot' }, lane.plot, lane.mark));
    lane.element.dataset.loop = name;
    [lane.canvas, lane.eye].forEach((canvas) => canvas.setAttribute('aria-hidden', 'true'));
    return lane;
}

export function describe(canvas, text) {
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', text);
}
