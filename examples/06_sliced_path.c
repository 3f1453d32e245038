/* CC0: copy freely.
 *
 * 06: a path search that takes 50 ms, spread over the frames until its result is due.
 *
 * You will see: how much of the longest frame went to a search of a million cells that begins every
 * second, run at once, and in slices of 2 ms; and that both find the same paths at the same ticks.
 */
#include "evenstep/schedule.h"

#include <stdio.h>

enum { WIDTH = 1024, CELLS = WIDTH * WIDTH, TICKS = 60 };

/* Breadth first: the frontier is a queue, and an item takes one cell from it. */
static uint8_t walls[CELLS];
static uint32_t search, seen[CELLS]; /* 8 times its number, and the direction it came from */
static int32_t queue[CELLS], first, last, goal, length;
static const int32_t directions[8] = {
        1, -1, WIDTH, -WIDTH, WIDTH + 1, WIDTH - 1, 1 - WIDTH, -1 - WIDTH};

static void begin_search(int32_t from, int32_t to)
{
    search += 8;
    first = last = length = 0;
    goal = to;
    seen[from] = search;
    queue[last++] = from;
}

/* Expands up to this many cells; returns the number, smaller when the search is over. */
static int32_t run_search(int32_t cells)
{
    for (int32_t i = 0; i < cells; ++i) {
        if (first == last || seen[goal] >= search) {
            for (int32_t at = goal; at != queue[0] && seen[goal] >= search; ++length) {
                at -= directions[seen[at] % 8];
            }
            return i;
        }
        int32_t cell = queue[first++];
        for (uint32_t n = 0; n < 8; ++n) {
            int32_t next = cell + directions[n];
            if (!walls[next] && seen[next] < search) { /* the outermost cells are walls */
                seen[next] = search + n;
                queue[last++] = next;
            }
        }
    }
    return cells;
}

static int64_t run_slot(es_slices *set, int64_t begin_ns)
{
    es_slice_grant grant;
    while (es_slices_next(set, es_now_ns(), &grant)) {
        int32_t ran = run_search(grant.items);
        if (ran < grant.items) {
            es_slices_finish(set, grant.slice, ran);
        }
    }
    return es_now_ns() - begin_ns;
}

/* Returns lengths of paths times the ticks at which they were used. */
static int64_t play(const char *name, const es_slice_config *config)
{
    es_loop_config loop_config = {.tick_rate = {TICKS, 1}, .pace = ES_PACE_ADAPTIVE};
    es_slices *set = es_slices_create(config, 1);
    es_loop *loop = es_loop_create(&loop_config);
    es_step step = {0};
    es_frame frame;
    int64_t found = 0, worst_ns = 0;
    while (step.index < 2 * TICKS + 10 && es_loop_next(loop, &frame)) {
        int64_t slot_ns = 0, now_ns;
        for (int i = 0; i < frame.ticks; ++i) {
            step = es_frame_step(&frame, i);
            now_ns = es_now_ns();
            es_slices_open_tick(set, step.index, now_ns, 0); /* only what is due */
            slot_ns += run_slot(set, now_ns);
            if (step.index % TICKS == 0) { /* a result is used, and the next search begins */
                es_slice_job job = {step.index, step.index + TICKS, CELLS / 2, true};
                found += es_slices_get_status(set, 0).done ? length * step.index : 0;
                begin_search(WIDTH + 1, WIDTH * (WIDTH - 2) + WIDTH - 2);
                es_slices_begin(set, 0, &job);
            }
        }
        es_loop_submit(loop); /* here one draws and presents */
        es_loop_end(loop);
        now_ns = es_now_ns(); /* es_loop_next would only wait now */
        es_slices_open_frame(set, &frame, now_ns, es_loop_idle_ns(loop) / 4);
        slot_ns += run_slot(set, now_ns);
        worst_ns = slot_ns > worst_ns ? slot_ns : worst_ns;
    }
    es_loop_destroy(loop);
    es_slice_status status = es_slices_get_status(set, 0);
    es_slices_destroy(set);
    printf("%-9s at most %6.2f ms of a frame; a path of %d cells; %d cells forced, %d late\n", name,
            (double)worst_ns / 1e6, (int)found / 2 / TICKS, (int)status.forced, (int)status.missed);
    return found;
}

int main(void)
{
    uint32_t random = 1;
    for (int32_t i = 0; i < CELLS; ++i) {
        int32_t x = i % WIDTH, y = i / WIDTH;
        random = random * 1664525U + 1013904223U;
        walls[i] = x == 0 || x == WIDTH - 1 || y == 0 || y == WIDTH - 1 || random >> 24 < 40;
    }
    const es_slice_config once = {
            .method = ES_SLICE_COUNT, .where = ES_SLICE_FRAMES, .count = CELLS};
    const es_slice_config sliced = {ES_SLICE_BUDGET, ES_SLICE_FRAMES, ES_SLICE_EVEN, 0};
    bool same = play("at once", &once) == play("in slices", &sliced);
    puts(same ? "the same paths at the same ticks" : "DIFFERENT PATHS");
    return same ? 0 : 1;
}
