/* CC0: copy freely.
 *
 * 29: the own player on a network: it moves at once, and the server decides.
 *
 * Each tick's input goes to the server, which runs it 100 ms later and answers with the state after it. The
 * client goes back to that state, and runs the inputs again that the server has not seen. Where the result
 * differs, as the server knew of a wall, what is drawn gets there smoothly.
 *
 * You will see: that the player moves in the tick of the key, that client and server agree at the end, and
 * how far the picture ever moved in a frame.
 */
#include "evenstep/evenstep.h"
#include "evenstep/view.h"
#include "virtual_clock.h"

#include <math.h>
#include <stdio.h>

enum { TICKS = 600, KEPT = 64, LATE = 6, HZ = 60 };

typedef struct player {
    double x, speed;
} player;

/* Both sides run this: it may depend on the state and the input alone. wall: only the server knows it. */
static player move(player p, int input, double wall)
{
    p.speed += (input * 300 - p.speed) * 0.2;
    p.x = fmin(p.x + p.speed / HZ, wall);
    return p;
}

static int key_at(int64_t tick)
{
    return tick / 90 % 3 == 0 ? 1 : tick / 90 % 3 == 1 ? 0 : -1;
}

int main(void)
{
    static player answers[TICKS + 1]; /* of the server, after each tick */
    player server = {0, 0}, predicted[KEPT] = {{0, 0}}, previous = {0, 0};
    int inputs[KEPT] = {0}, corrections = 0;
    double shown = 0, last = 0, most = 0, first = 0;
    /* what is drawn is off by this, which a spring takes back */
    double off = 0, off_speed = 0;
    const es_spring spring = {.half_life_s = 0.05};
    virtual_clock clock = {0};
    es_loop *loop = es_loop_create(&(es_loop_config){.clock = virtual_clock_get(&clock)});
    for (es_frame frame; es_loop_next(loop, &frame) && frame.newest_tick <= TICKS;) {
        for (int i = 0; i < frame.ticks; ++i) {
            const int64_t tick = es_frame_step(&frame, i).index;
            const double zero = 0;
            inputs[tick % KEPT] = key_at(tick);
            if (tick > LATE) { /* what the server did LATE ticks ago arrives */
                const int64_t seen = tick - LATE;
                server = move(server, key_at(seen), 250);
                answers[seen] = server;
                player again = server;
                for (int64_t t = seen + 1; t < tick; ++t) {
                    again = move(again, inputs[t % KEPT], 1e9);
                    predicted[t % KEPT] = again;
                }
                const double before = previous.x;
                corrections += fabs(before - again.x) > 1e-9;
                off += before - again.x; /* the picture stays where it is ... */
                predicted[(tick - 1) % KEPT] = again;
            }
            es_spring_follow(
                    &spring, &off, &off_speed, &zero, &zero, 1, 1.0 / HZ); /* ... at first */
            predicted[tick % KEPT] = move(predicted[(tick - 1) % KEPT], inputs[tick % KEPT], 1e9);
            previous = predicted[tick % KEPT];
            first = first == 0 && previous.x != 0 ? (double)tick : first;
        }
        last = shown;
        shown = previous.x + off; /* a game blends it with the tick before, as all else */
        most = frame.index > 0 ? fmax(most, fabs(shown - last)) : 0;
        es_loop_submit(loop);
        clock.now_ns = es_rate_time_ns(es_hz(HZ), frame.index + 1);
    }
    printf("the player moves in tick %.0f, the server in tick %d\n", first, 1 + LATE);
    printf("%d corrections; the picture moves by at most %.1f px in a frame, the player by %.1f\n",
            corrections, most, 300.0 / HZ);
    printf("at the end the server has %.3f, the client had %.3f\n", server.x,
            answers[TICKS - LATE].x);
    es_loop_destroy(loop);
    return 0;
}
