// Search, and the two lanes of the first page.
const root = document.querySelector('script[data-root]').dataset.root;
const search = document.querySelector('#search');
const found = document.querySelector('#found');
let pages = null;

async function look() {
    pages ??= await (await fetch(root + 'search.json')).json();
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    const hits = words.length === 0 ? [] : pages
        .filter((page) => words.every((word) => page.text.includes(word)))
        .map((page) => ({ page, score: words.filter((word) => page.title.toLowerCase().includes(word)).length }))
        .sort((a, b) => b.score - a.score).slice(0, 8);
    found.replaceChildren(...hits.map(({ page }) => {
        const item = document.createElement('li');
        const link = document.createElement('a');
        link.href = root + page.path;
        link.textContent = page.title;
        item.append(link);
        return item;
    }));
    if (words.length > 0 && hits.length === 0) {
        found.append(Object.assign(document.createElement('li'), { textContent: 'nothing found' }));
    }
}
search.addEventListener('input', look);
document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== search) {
        event.preventDefault();
        search.focus();
    }
});

const canvas = document.querySelector('#lanes');
if (canvas) {
    const { createLoop } = await import('./evenstep.mjs');
    const context = canvas.getContext('2d');
    let previous = 0, current = 0;
    const draw = (alpha) => {
        const scale = devicePixelRatio;
        const { clientWidth: width, clientHeight: height } = canvas;
        canvas.width = width * scale;
        canvas.height = height * scale;
        context.scale(scale, scale);
        context.fillStyle = getComputedStyle(canvas).color;
        context.font = '14px system-ui, sans-serif';
        const lanes = [['20 updates per second, drawn as they come', current],
            ['the same updates, drawn by Evenstep', previous + alpha * (current - previous)]];
        lanes.forEach(([text, x], lane) => {
            const y = lane * height / 2;
            context.fillText(text, 8, y + 18);
            context.fillRect(x % (width + 30) - 30, y + 28, 30, 30);
        });
    };
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
        draw(1);
    } else {
        await createLoop({ tickRate: 20, update(seconds) { previous = current; current += 180 * seconds; }, draw });
    }
}
