/* SPDX-License-Identifier: Zlib
 *
 * The X11 adapter against a server that tells what no server without a screen tells: a thread that
 * answers just the requests of a watcher. The bytes: "X Window System Protocol", appendix B, and
 * presentproto.txt of xorgproto.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "test_support.h"

#include "adapters/x11_present.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { GET_GEOMETRY = 14, GET_INPUT_FOCUS = 43, QUERY_EXTENSION = 98, PRESENT = 130 };
enum { COPY = 0, WINDOW = 7, ROOT = 256 };

#define MS_NS INT64_C(1000000)

typedef struct server {
    char display[16];
    char path[32]; /* of its socket */
    bool there;
    int listening;
    atomic_int client;
    pthread_t thread;
    atomic_uint sequence; /* of the request read last */
    uint8_t fault_opcode; /* 0: none */
    int fault_after;      /* requests of that kind that are answered */
    bool breaks;          /* then the connection breaks, else there is silence */
    atomic_bool silent;
} server;

/* One at a time. The thread owns it but for what is atomic. */
static server x;
static es_x11_present *x11;
static es_present seen[16];

/* ---- The server */

static void put16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static bool take(void *to, size_t size)
{
    uint8_t *at = to;
    while (size > 0) {
        ssize_t got = read(x.client, at, size);
        if (got <= 0) {
            return false;
        }
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool give(const void *from, size_t size)
{
    return send(x.client, from, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* One screen without any format; that does for who does not draw. */
static bool greet(void)
{
    uint8_t hello[12];
    uint8_t rest[512];
    if (!take(hello, sizeof hello)) {
        return false;
    }
    uint16_t name_size, data_size;
    memcpy(&name_size, hello + 6, 2);
    memcpy(&data_size, hello + 8, 2);
    size_t more = ((size_t)name_size + 3) / 4 * 4 + ((size_t)data_size + 3) / 4 * 4;
    if (more > sizeof rest || !take(rest, more)) {
        return false;
    }
    uint8_t setup[80] = {1};
    put16(setup + 2, 11);
    put16(setup + 6, (sizeof setup - 8) / 4);
    put32(setup + 12, 0x200000); /* the client's numbers */
    put32(setup + 16, 0x1fffff);
    put16(setup + 26, 65535);
    setup[28] = 1;
    put32(setup + 40, ROOT);
    return give(setup, sizeof setup);
}

/* Whether the request is answered, and with what after the first eight bytes. */
static bool answer_of(const uint8_t *request, uint8_t *reply)
{
    static const char present[] = "Present";
    switch (request[0]) {
    case GET_INPUT_FOCUS:
        return true;
    case GET_GEOMETRY:
        reply[1] = 24;
        put32(reply + 8, ROOT);
        put16(reply + 16, 320);
        put16(reply + 18, 200);
        return true;
    case QUERY_EXTENSION: {
        uint16_t size;
        memcpy(&size, request + 4, 2);
        reply[8] = size == sizeof present - 1 && memcmp(request + 8, present, size) == 0;
        reply[9] = PRESENT;
        return true;
    }
    case PRESENT: {
        bool version = request[1] == 0;
        put32(reply + 8, 1);
        put32(reply + 12, version ? 2 : 0);
        return version || request[1] == 4; /* QueryCapabilities */
    }
    default:
        return false;
    }
}

static void *serve(void *unused)
{
    (void)unused;
    static uint8_t request[4096];
    x.client = accept(x.listening, NULL, NULL);
    bool goes_on = x.client >= 0 && greet();
    while (goes_on && take(request, 4)) {
        uint16_t length;
        memcpy(&length, request + 2, 2);
        if (length == 0 || length > sizeof request / 4
                || !take(request + 4, ((size_t)length - 1) * 4)) {
            break;
        }
        unsigned sequence = atomic_fetch_add(&x.sequence, 1) + 1;
        if (request[0] == x.fault_opcode && --x.fault_after < 0) {
            x.silent = true;
            goes_on = !x.breaks;
        }
        uint8_t reply[32] = {1};
        put16(reply + 2, (uint16_t)sequence);
        if (!x.silent && answer_of(request, reply)) {
            goes_on = give(reply, sizeof reply);
        }
    }
    shutdown(x.client, SHUT_RDWR);
    return NULL;
}

/* The socket of a display that nobody has. Without the right to make one the tests are skipped. */
static void listen_somewhere(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    mkdir("/tmp/.X11-unix", 01777);
    for (int i = 0; i < 100; ++i) {
        int number = 4000 + (int)(getpid() % 1000) + i;
        snprintf(x.display, sizeof x.display, ":%d", number);
        snprintf(x.path, sizeof x.path, "/tmp/.X11-unix/X%d", number);
        snprintf(address.sun_path, sizeof address.sun_path, "%s", x.path);
        x.listening = socket(AF_UNIX, SOCK_STREAM, 0);
        if (bind(x.listening, (struct sockaddr *)&address, sizeof address) == 0) {
            x.there = listen(x.listening, 1) == 0;
            return;
        }
        close(x.listening);
    }
}

static int start(uint8_t fault_opcode, int fault_after, bool breaks)
{
    x = (server){.client = -1,
            .fault_opcode = fault_opcode,
            .fault_after = fault_after,
            .breaks = breaks};
    listen_somewhere();
    return x.there ? pthread_create(&x.thread, NULL, serve, NULL) : 0;
}

static int start_server(void **state)
{
    (void)state;
    return start(0, 0, false);
}

static int start_silent_server(void **state)
{
    (void)state;
    return start(QUERY_EXTENSION, 3, false); /* three are xcb's own */
}

static int start_breaking_server(void **state)
{
    (void)state;
    return start(GET_GEOMETRY, 0, true);
}

static int stop_server(void **state)
{
    (void)state;
    es_x11_present_close(x11);
    x11 = NULL;
    if (!x.there) {
        return 0;
    }
    shutdown(x.listening, SHUT_RDWR); /* ends an accept that still waits */
    pthread_join(x.thread, NULL);
    close(x.client);
    close(x.listening);
    return unlink(x.path);
}

/* ---- What it says */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* UST counts microseconds. Rounded up: rounded down, a frame completed in the microsecond in which it
 * was noted would be shown before it was noted. */
static void complete(uint32_t serial, int64_t shown_ns, uint64_t msc)
{
    uint8_t event[40] = {35, PRESENT}; /* GenericEvent */
    uint64_t ust = ((uint64_t)shown_ns + 999) / 1000;
    put16(event + 2, (uint16_t)atomic_load(&x.sequence));
    put32(event + 4, 2); /* 8 bytes more than 32 */
    put16(event + 8, 1); /* CompleteNotify */
    event[11] = COPY;
    put32(event + 16, WINDOW);
    put32(event + 20, serial);
    memcpy(event + 24, &ust, 8);
    memcpy(event + 32, &msc, 8);
    assert_true(give(event, sizeof event));
}

static es_x11_status open_adapter(void)
{
    if (!x.there) {
        skip();
    }
    es_x11_status status;
    x11 = es_x11_present_open(x.display, WINDOW, &status);
    return status;
}

static void watch(void)
{
    assert_int_equal(open_adapter(), ES_X11_OK);
    assert_non_null(x11);
    assert_true(es_x11_present_look(x11).local);
}

static void note(int64_t frame)
{
    assert_int_equal(es_x11_present_note(x11, frame), ES_X11_OK);
}

/* Waits for the samples, and for no more. */
static void expect_samples(int count)
{
    int found = 0;
    while (found < count) {
        assert_true(es_x11_present_wait(x11, 20000 * MS_NS));
        found += es_x11_present_poll(x11, seen + found, 16 - found);
    }
    assert_int_equal(found, count);
}

/* ---- The tests */

TEST_WITH(frames_that_wait_for_no_refresh_are_seen_when_told, start_server, stop_server)
{
    watch();
    /* both in one refresh, stamped with the one before; the first ones, too, find their frames */
    int64_t refresh_ns = now_ns() - 10 * MS_NS;
    for (int64_t i = 0; i < 2; ++i) {
        int64_t before_ns = now_ns();
        note(i);
        complete(501 + (uint32_t)i, refresh_ns, 9000);
        expect_samples(1);
        assert_int_equal(seen[0].frame, i);
        assert_true(seen[0].shown_ns >= before_ns && seen[0].shown_ns <= now_ns());
        assert_int_equal(seen[0].shown_ns, seen[0].reported_ns);
        assert_int_equal(seen[0].sequence, 0);
        assert_int_equal(seen[0].grade, ES_PRESENT_GUESSED);
    }
    note(2);
    int64_t shown_ns = (now_ns() + 1000) / 1000 * 1000; /* UST counts microseconds */
    complete(503, shown_ns, 9001);
    expect_samples(1);
    assert_int_equal(seen[0].frame, 2);
    assert_int_equal(seen[0].shown_ns, shown_ns);
    assert_int_equal(seen[0].sequence, 9001);
    assert_int_equal(seen[0].grade, ES_PRESENT_SOFTWARE);
    es_x11_look look = es_x11_present_look(x11);
    assert_int_equal(look.presented, 3);
    assert_int_equal(look.at_once, 2);
    assert_int_equal(look.unmatched, 0);
    assert_int_equal(look.msc, 9001);
}

TEST_WITH(answers_after_the_time_out_do_no_harm, start_server, stop_server)
{
    watch();
    note(0);
    complete(10, now_ns(), 100);
    expect_samples(1);
    es_x11_present_set_timeout(x11, 20 * MS_NS);
    for (int64_t i = 1; i < 5; ++i) {
        note(i);
    }
    nanosleep(&(struct timespec){.tv_nsec = 30 * (long)MS_NS}, NULL);
    assert_int_equal(es_x11_present_poll(x11, seen, 16), 0);
    assert_int_equal(es_x11_present_look(x11).unanswered, 4);
    es_x11_present_set_timeout(x11, 10000 * MS_NS);
    for (uint32_t i = 1; i < 5; ++i) {
        complete(10 + i, now_ns(), 100 + i);
    }
    note(5);
    complete(15, now_ns(), 105);
    expect_samples(1);
    assert_int_equal(seen[0].frame, 5);
    es_x11_look look = es_x11_present_look(x11);
    assert_int_equal(look.unmatched, 0);
    assert_int_equal(look.presented, 2);
    assert_int_equal(look.unanswered, 4);
    assert_int_equal(look.on_their_way, 0);
}

TEST_WITH(a_server_that_goes_silent_is_no_server, start_silent_server, stop_server)
{
    assert_int_equal(open_adapter(), ES_X11_NO_SERVER); /* after 2 s */
    assert_null(x11);
    assert_true(x.silent);
}

TEST_WITH(a_connection_that_breaks_is_no_missing_window, start_breaking_server, stop_server)
{
    assert_int_equal(open_adapter(), ES_X11_NO_SERVER);
    assert_null(x11);
    assert_true(x.silent);
}
