/* CC0: copy freely.
 *
 * 28: a client of 19: it shows the ball of a room evenly, whatever the network does.
 *
 *   28_client PORT [SECONDS [ROOM [LOSS]]]    LOSS: this share of the datagrams is thrown away, for a test
 *
 * You will see: where the ball is, and at the end what the network did, and how far the ball is behind.
 */
#define _POSIX_C_SOURCE 200809L
#include "evenstep/follow.h"
#include "evenstep/world.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef struct state {
    double at;
} state;

static const es_prediction straight_on = {.kind = ES_PREDICT_LINEAR};
static const es_field fields[] = {{.name = "at",
        .type = ES_TYPE_F64,
        .blend = ES_BLEND_LINEAR,
        .count = 1,
        .prediction = &straight_on}};
static const es_layout layout = ES_LAYOUT(state, fields);

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int udp = socket(AF_INET, SOCK_DGRAM, 0);
    if (connect(udp, (const struct sockaddr *)&address, sizeof address) != 0) {
        perror("udp");
        exit(1);
    }
    return udp;
}

/* Adds what has arrived. The first snapshot tells the room's tick rate. */
static es_snapshots *receive(int udp, es_snapshots *snapshots, double loss)
{
    char message[64];
    for (ssize_t size; (size = recv(udp, message, sizeof message - 1, MSG_DONTWAIT)) > 0;) {
        message[size] = '\0';
        long long tick;
        int room, rate;
        state now;
        if (sscanf(message, "room %d tick %lld of %d at %lf", &room, &tick, &rate, &now.at) != 4
                || rand() < loss * RAND_MAX) {
            continue;
        }
        if (snapshots == NULL) {
            snapshots = es_snapshots_create(
                    &(es_snapshots_config){.state_size = sizeof now, .tick_rate = es_hz(rate)});
        }
        es_snapshots_add(snapshots, tick, &now, es_now_ns());
    }
    return snapshots;
}

int main(int argc, char **argv)
{
    int udp = connect_to((uint16_t)(argc > 1 ? atoi(argv[1]) : 0));
    int64_t end_ns = es_now_ns() + (int64_t)((argc > 2 ? strtod(argv[2], NULL) : 1e9) * 1e9);
    const char *room = argc > 3 ? argv[3] : "0";
    double loss = argc > 4 ? strtod(argv[4], NULL) : 0;
    es_loop *loop = es_loop_create(&(es_loop_config){.pace = ES_PACE_ADAPTIVE});
    es_snapshots *snapshots = NULL;
    es_frame frame;
    while (es_now_ns() < end_ns && es_loop_next(loop, &frame)) {
        state view;
        if (frame.index % 30 == 0 && send(udp, room, strlen(room), 0) < 0) { /* joins, and stays */
            break;
        }
        snapshots = receive(udp, snapshots, loss);
        if (es_snapshots_blend(snapshots, &layout, &frame, &view) && frame.index % 15 == 0) {
            printf("%*s\n", 1 + (int)(view.at * 60), "o");
        }
        es_loop_submit(loop);
    }
    const es_snapshots_status s = es_snapshots_get_status(snapshots);
    printf("%lld snapshots, %lld dropped; 99 %% come within %.1f ms; shown %.1f ms later; %lld of "
           "%lld "
           "frames predicted\n",
            (long long)s.received, (long long)s.dropped, (double)s.jitter_ns / 1e6,
            (double)s.delay_ns / 1e6, (long long)s.predicted, (long long)s.frames);
    es_snapshots_destroy(snapshots);
    es_loop_destroy(loop);
    return 0;
}
