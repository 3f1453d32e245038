/* CC0: copy freely.
 *
 * 19: a dedicated server: rooms on one thread, each with ticks at its own exact rate, and UDP for players
 * on loopback.
 *
 * A datagram "ROOM TEXT" joins a player, whom each tick of the room answers with its state (28_client.c). A room that
 * nobody has written to for a second is paused. SIGINT and SIGTERM end the server: players get a message,
 * and a summary is printed.
 *   19_server [SECONDS] [PORT]    0: any free port
 *
 * You will see: the port, and at the end how many ticks each room has run, how late, and how long.
 */
#define _POSIX_C_SOURCE 200809L
#include "evenstep/schedule.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { ROOMS = 4, PLAYERS_MAX = 16, RATE_MAX = 240 };
#define ADDRESS_SIZE offsetof(struct sockaddr_in, sin_zero)

typedef struct game_room {
    int32_t loop, players; /* the first loop is room 0, and so on */
    struct sockaddr_in addresses[PLAYERS_MAX];
    int64_t heard_ns;
} game_room;

static game_room rooms[ROOMS];
static es_server *server;
static int udp;
static volatile sig_atomic_t stopping;

static void on_signal(int number)
{
    stopping = number;
}

static void send_to_players(const game_room *room, const char *message)
{
    for (int32_t i = 0; i < room->players; ++i) {
        const struct sockaddr *to = (const struct sockaddr *)&room->addresses[i];
        sendto(udp, message, strlen(message), 0, to, sizeof room->addresses[i]);
    }
}

static void run_tick(game_room *room, const es_server_tick *tick)
{
    char message[64];
    long long way = tick->step.time_ns / ES_NS_PER_MS % 4000; /* a ball goes to and fro in 4 s */
    snprintf(message, sizeof message, "room %d tick %lld of %d at %.3f", (int)tick->loop,
            (long long)tick->step.index, 20 << tick->loop % 3,
            (double)(way < 2000 ? way : 4000 - way) / 2000);
    send_to_players(room, message); /* a game simulates tick->step.dt_s seconds first */
    if (tick->step.begun_ns - room->heard_ns > ES_NS_PER_S) {
        room->players = 0;
        es_server_set_paused(server, room->loop, true);
    }
}

/* Joins whoever writes "ROOM ...", and resumes the room; "ROOM rate N" changes its rate, within limits. */
static void read_datagrams(void)
{
    char message[256], *rest;
    struct sockaddr_in from;
    struct sockaddr *peer = (struct sockaddr *)&from;
    socklen_t size = sizeof from;
    for (ssize_t length; (length = recvfrom(udp, message, 255, MSG_DONTWAIT, peer, &size)) >= 0;) {
        message[length] = '\0';
        long number = strtol(message, &rest, 10);
        if (rest == message || number < 0 || number >= ROOMS) {
            continue;
        }
        game_room *room = &rooms[number];
        int32_t known = 0;
        while (known < room->players && memcmp(&room->addresses[known], &from, ADDRESS_SIZE) != 0) {
            known += 1;
        }
        if (known == room->players && known < PLAYERS_MAX) {
            room->addresses[room->players++] = from;
        }
        room->heard_ns = es_now_ns();
        es_server_set_paused(server, room->loop, false);
        double rate = strncmp(rest, " rate ", 6) == 0 ? strtod(rest + 6, NULL) : 0.0;
        if (rate >= 1.0 && rate <= RATE_MAX) {
            es_server_set_rate(server, room->loop, es_hz(rate));
        }
    }
}

static void open_socket(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    udp = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(udp, (struct sockaddr *)&address, size) != 0
            || getsockname(udp, (struct sockaddr *)&address, &size) != 0) {
        perror("udp");
        exit(1);
    }
    printf("udp on 127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
}

static void run(int64_t end_ns)
{
    struct pollfd waits = {.fd = udp, .events = POLLIN};
    es_server_tick tick;
    while (!stopping && es_now_ns() < end_ns) {
        int64_t due_ns = es_server_due_ns(server), left_ms = (due_ns - es_now_ns()) / ES_NS_PER_MS;
        /* for 100 ms, or until 1 to 2 ms before the tick: es_server_next waits for the rest */
        poll(&waits, 1, left_ms > 100 ? 100 : left_ms > 1 ? (int)left_ms - 1 : 0);
        read_datagrams();
        int64_t now_ns = es_now_ns(); /* sockets are read again after the ticks of 2 ms */
        int64_t until_ns = (due_ns < now_ns ? due_ns : now_ns) + 2 * ES_NS_PER_MS;
        while (es_server_next(server, until_ns, &tick)) {
            read_datagrams(); /* those of the last 2 ms */
            run_tick(tick.user, &tick);
        }
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1e9;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    server = es_server_create(&(es_server_config){.loops_max = ROOMS});
    open_socket(argc > 2 ? (uint16_t)atoi(argv[2]) : 0);
    for (int32_t i = 0; i < ROOMS; ++i) {
        const es_server_loop loop = {.tick_rate = es_hz(20 << i % 3), .user = &rooms[i]};
        rooms[i].heard_ns = es_now_ns();
        rooms[i].loop = es_server_add(server, &loop); /* 20, 40 or 80 */
    }
    run(es_now_ns() + (int64_t)(seconds * 1e9));
    for (int32_t i = 0; i < ROOMS; ++i) {
        es_server_status status = es_server_get_status(server, i);
        double us = 1e-3 / (status.tick > 0 ? (double)status.tick : 1.0);
        send_to_players(&rooms[i], "closed");
        printf("room %d: %lld ticks, %lld dropped, late by %.0f us on average, each took %.0f us\n",
                (int)i, (long long)status.tick, (long long)status.dropped,
                (double)status.late_ns * us, (double)status.busy_ns * us);
        es_server_remove(server, rooms[i].loop);
    }
    es_server_destroy(server);
    return 0;
}
