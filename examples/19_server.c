/* CC0: copy freely.
 *
 * 19: a dedicated server: rooms on one thread, each with ticks at its own exact rate; UDP for players,
 * and /metrics over HTTP for Prometheus, both on loopback.
 *
 * A datagram "ROOM TEXT" joins a player, whom each tick of the room answers with its index. A room that
 * nobody has written to for a second is paused. SIGINT and SIGTERM end the server: players get a message,
 * and a summary is printed.
 *   19_server [--seconds S] [--udp PORT] [--http PORT]    0: any free port
 *
 * You will see: the two ports, and at the end how many ticks each room has run, and how late.
 */
#define _POSIX_C_SOURCE 200809L
#include "evenstep/schedule.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOMS = 4, PLAYERS_MAX = 16, REQUESTS_MAX = 8, RATE_MAX = 240, TEXT_SIZE = ROOMS << 14 };
#define ADDRESS_SIZE offsetof(struct sockaddr_in, sin_zero)

typedef struct game_room {
    int32_t loop, players; /* the first loop is room 0, and so on */
    struct sockaddr_in addresses[PLAYERS_MAX];
    int64_t heard_ns;
    es_tick_histograms histograms;
} game_room;

static game_room rooms[ROOMS];
static es_server *server;
static int udp, http, requests[REQUESTS_MAX], request_count;
static char text[TEXT_SIZE];
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
    snprintf(message, sizeof message, "room %d tick %lld", (int)tick->loop,
            (long long)tick->step.index);
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
    for (ssize_t length; (length = recvfrom(udp, message, 255, 0, peer, &size)) >= 0;) {
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

static size_t print_histograms(size_t at, const char *name, bool is_late)
{
    at += (size_t)snprintf(text + at, TEXT_SIZE - at, "# TYPE %s histogram\n", name);
    for (int32_t i = 0; i < ROOMS; ++i) {
        char label[32];
        snprintf(label, sizeof label, "room=\"%d\"", (int)i);
        const es_histogram *one =
                is_late ? &rooms[i].histograms.late : &rooms[i].histograms.duration;
        at += es_histogram_print(one, name, label, text + at, TEXT_SIZE - at);
    }
    return at;
}

static void print_metrics(void)
{
    size_t at = print_histograms(0, "evenstep_tick_duration_seconds", false);
    at = print_histograms(at, "evenstep_tick_late_seconds", true);
    at += (size_t)snprintf(text + at, TEXT_SIZE - at, "# TYPE evenstep_ticks_total counter\n");
    for (int32_t i = 0; i < ROOMS; ++i) {
        es_server_status status = es_server_get_status(server, i);
        at += (size_t)snprintf(text + at, TEXT_SIZE - at,
                "evenstep_ticks_total{room=\"%d\",dropped=\"no\"} %lld\n"
                "evenstep_ticks_total{room=\"%d\",dropped=\"yes\"} %lld\n",
                (int)i, (long long)status.tick, (int)i, (long long)status.dropped);
    }
}

/* Answers one request with 8 kB per room; a slow reader gets what the socket's buffer takes. */
static void answer(int connection)
{
    char request[1024], head[160];
    bool found = recv(connection, request, sizeof request, 0) > 13
                 && memcmp(request, "GET /metrics ", 13) == 0;
    print_metrics();
    int size = snprintf(head, sizeof head,
            "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: %zu\r\n"
            "Connection: close\r\n\r\n",
            found ? "200 OK" : "404 Not Found", found ? strlen(text) : 0);
    if (send(connection, head, (size_t)size, MSG_NOSIGNAL) == size && found) {
        send(connection, text, strlen(text), MSG_NOSIGNAL);
    }
    close(connection);
}

static int open_socket(int type, const char *name, long port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int opened = socket(AF_INET, type, 0), reuse = type == SOCK_STREAM, buffer = TEXT_SIZE;
    setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    setsockopt(opened, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer); /* connections inherit it */
    if (bind(opened, (struct sockaddr *)&address, size) != 0
            || getsockname(opened, (struct sockaddr *)&address, &size) != 0
            || (type == SOCK_STREAM && listen(opened, REQUESTS_MAX) != 0)) {
        perror(name);
        exit(1);
    }
    fcntl(opened, F_SETFL, O_NONBLOCK);
    printf("%s on 127.0.0.1:%d\n", name, ntohs(address.sin_port));
    return opened;
}

/* Waits for sockets, for 100 ms or until 1 to 2 ms before a time: es_server_next waits for the rest. */
static void serve_sockets(int64_t due_ns)
{
    struct pollfd waits[2 + REQUESTS_MAX] = {
            {.fd = udp, .events = POLLIN}, {.fd = http, .events = POLLIN}};
    for (int i = 0; i < request_count; ++i) {
        waits[2 + i] = (struct pollfd){.fd = requests[i], .events = POLLIN};
    }
    int count = request_count;
    int64_t left_ms = (due_ns - es_now_ns()) / ES_NS_PER_MS;
    int wait_ms = left_ms > 100 ? 100 : left_ms > 1 ? (int)left_ms - 1 : 0;
    poll(waits, (nfds_t)(2 + count), wait_ms);
    read_datagrams();
    request_count = 0;
    for (int i = 0; i < count; ++i) {
        if (waits[2 + i].revents != 0) {
            answer(requests[i]);
        } else {
            requests[request_count++] = requests[i];
        }
    }
    for (int accepted; (accepted = accept(http, NULL, NULL)) >= 0;) {
        if (request_count == REQUESTS_MAX) { /* the oldest must not hold the others up */
            close(requests[0]);
            memmove(requests, requests + 1, (size_t)--request_count * sizeof requests[0]);
        }
        fcntl(accepted, F_SETFL, O_NONBLOCK);
        requests[request_count++] = accepted;
    }
}

static void run(int64_t end_ns)
{
    es_server_tick tick;
    while (!stopping && es_now_ns() < end_ns) {
        int64_t due_ns = es_server_due_ns(server);
        serve_sockets(due_ns);
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
    double seconds = 1e9;
    long ports[2] = {0, 0};
    for (int i = 1; i + 1 < argc; i += 2) {
        seconds = strcmp(argv[i], "--seconds") == 0 ? strtod(argv[i + 1], NULL) : seconds;
        ports[0] = strcmp(argv[i], "--udp") == 0 ? atol(argv[i + 1]) : ports[0];
        ports[1] = strcmp(argv[i], "--http") == 0 ? atol(argv[i + 1]) : ports[1];
    }
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    server = es_server_create(&(es_server_config){.loops_max = ROOMS});
    udp = open_socket(SOCK_DGRAM, "udp", ports[0]);
    http = open_socket(SOCK_STREAM, "http", ports[1]);
    fflush(stdout);
    for (int32_t i = 0; i < ROOMS; ++i) {
        const es_server_loop loop = {
                es_hz(20 << i % 3), 0, &rooms[i].histograms, &rooms[i]}; /* 20, 40 or 80 */
        rooms[i].heard_ns = es_now_ns();
        rooms[i].loop = es_server_add(server, &loop);
    }
    run(es_now_ns() + (int64_t)(seconds * 1e9));
    for (int32_t i = 0; i < ROOMS; ++i) {
        es_server_status status = es_server_get_status(server, i);
        double ticks = status.tick > 0 ? (double)status.tick : 1.0;
        send_to_players(&rooms[i], "closed");
        printf("room %d: %.0f ticks, %lld dropped, late by %.0f us on average\n", (int)i, ticks,
                (long long)status.dropped, (double)rooms[i].histograms.late.sum_ns / 1e3 / ticks);
        es_server_remove(server, i);
    }
    es_server_destroy(server);
    return 0;
}
