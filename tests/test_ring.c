/* SPDX-License-Identifier: Zlib
 *
 * ring: bytes come out as they went in, all or none; a full ring and a failed sink are reported.
 * Two threads: stress.c.
 */
#include "replay/record.h"

#include "test_support.h"

static unsigned char memory[8192], taken[1 << 20];

/* A sink with room for some bytes, then full or failed. */
typedef struct limited {
    size_t used, room;
    es_result beyond;
} limited;

static es_result write_limited(void *user, const void *bytes, size_t size)
{
    limited *l = user;
    if (size > l->room) {
        return l->beyond;
    }
    memcpy(taken + l->used, bytes, size);
    l->used += size;
    l->room -= size;
    return ES_OK;
}

static es_stream sink_of(limited *l)
{
    return (es_stream){.user = l, .write = write_limited};
}

static es_result write_ring_to(es__ring *ring, const void *bytes, size_t size)
{
    es_stream sink = es__ring_sink(ring);
    return sink.write(sink.user, bytes, size);
}

TEST(bytes_come_out_as_they_went_in)
{
    test_random random = {9};
    for (size_t size = 1; size < 300; size += size < 20 ? 1 : 37) {
        es__ring ring;
        limited l = {0, sizeof taken, ES_ERR_IO};
        es_stream sink = sink_of(&l);
        size_t written = 0;
        unsigned char block[300];
        /* exactly as much memory as it needs, from an odd address on */
        es__ring_init(&ring, memory + 1, ES__RING_OVERHEAD + size);
        memset(memory + 1 + ES__RING_OVERHEAD + size, 0x5C, 64);
        for (int i = 0; i < 2000; ++i) {
            if (random_below(&random, 3) > 0) {
                size_t some = (size_t)random_below(&random, (int64_t)size + 1);
                size_t used = written - l.used;
                for (size_t k = 0; k < some; ++k) {
                    block[k] = (unsigned char)((written + k) * 7 % 251);
                }
                es_result result = write_ring_to(&ring, block, some);
                assert_int_equal(result, some <= size - used ? ES_OK : ES_ERR_FULL);
                written += result == ES_OK ? some : 0;
            } else {
                size_t moved, used = written - l.used;
                assert_int_equal(es__ring_pump(&ring, &sink, &moved), ES_OK);
                assert_int_equal(moved, used);
            }
        }
        assert_int_equal(es__ring_pump(&ring, &sink, NULL), ES_OK);
        assert_int_equal(l.used, written);
        for (size_t k = 0; k < written; ++k) {
            assert_int_equal(taken[k], k * 7 % 251);
        }
        assert_int_equal(write_ring_to(&ring, block, size + 1), ES_ERR_SPACE);
        for (size_t k = 0; k < 64; ++k) {
            assert_int_equal(memory[1 + ES__RING_OVERHEAD + size + k], 0x5C);
        }
    }
}

TEST(a_full_sink_leaves_the_rest)
{
    es__ring ring;
    limited l = {0, 0, ES_ERR_FULL};
    es_stream sink = sink_of(&l);
    size_t moved = 99;
    es__ring_init(&ring, memory, ES__RING_OVERHEAD + 10);
    assert_int_equal(write_ring_to(&ring, "abcdef", 6), ES_OK);
    assert_int_equal(es__ring_pump(&ring, &sink, &moved), ES_ERR_FULL);
    assert_int_equal(moved, 0);
    l.room = 6;
    assert_int_equal(es__ring_pump(&ring, &sink, &moved), ES_OK);
    assert_int_equal(moved, 6);
    assert_memory_equal(taken, "abcdef", 6);
    /* around the end: two pieces, of which the sink takes one */
    assert_int_equal(write_ring_to(&ring, "ghijklm", 7), ES_OK);
    l.room = 4;
    assert_int_equal(es__ring_pump(&ring, &sink, &moved), ES_ERR_FULL);
    assert_int_equal(moved, 4);
    assert_int_equal(write_ring_to(&ring, "nopqrst", 7), ES_OK);
    l.room = 100;
    assert_int_equal(es__ring_pump(&ring, &sink, &moved), ES_OK);
    assert_int_equal(l.used, 20);
    assert_memory_equal(taken, "abcdefghijklmnopqrst", 20);
    assert_int_equal(es__ring_pump(&ring, &sink, &moved), ES_OK);
    assert_int_equal(moved, 0);
}

TEST(the_writer_learns_that_the_sink_failed)
{
    es__ring ring;
    limited l = {0, 0, ES_ERR_IO};
    es_stream sink = sink_of(&l);
    size_t moved;
    es__ring_init(&ring, memory, sizeof memory);
    assert_int_equal(write_ring_to(&ring, "abc", 3), ES_OK);
    assert_int_equal(es__ring_pump(&ring, &sink, &moved), ES_ERR_IO);
    assert_int_equal(write_ring_to(&ring, "d", 1), ES_ERR_IO);
    l.room = 100;
    assert_int_equal(es__ring_pump(&ring, &sink, &moved), ES_ERR_IO); /* for good */
    assert_int_equal(moved, 0);
    assert_int_equal(l.used, 0);
}

TEST(nothing_is_no_error)
{
    es__ring ring;
    es__ring_init(&ring, memory, ES__RING_OVERHEAD + 1);
    assert_int_equal(write_ring_to(&ring, NULL, 0), ES_OK);
}
