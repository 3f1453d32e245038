/* SPDX-License-Identifier: Zlib
 *
 * What must hold for every es_frame, whatever runs the loop.
 */
#ifndef FRAME_SUPPORT_H
#define FRAME_SUPPORT_H

#include "test_support.h"

#include "loop/loop.h"

static inline es_result set_tick_rate(es_loop *loop, es_rate rate)
{
    es_loop_config config = es_loop_get_config(loop);
    config.tick_rate = rate;
    return es__loop_reconfigure(loop, &config, NULL);
}

/* C by the account: to the nanosecond. */
static inline void assert_account_adds_up(const es_frame *frame, int64_t first_present_ns)
{
    const es_account *a = &frame->account;
    int64_t due_ns = frame->present_ns - first_present_ns - a->dropped_ns - a->gaps_ns
                     - a->slowed_ns - a->clamped_ns - a->delay_ns - a->reanchored_ns + a->seeked_ns;
    assert_int_equal(frame->content_ns, due_ns);
}

/* Both begin and show the same, and their accounts are equal. */
static inline void assert_same_frame(const es_frame *a, const es_frame *b)
{
    assert_int_equal(a->start_ns, b->start_ns);
    assert_int_equal(a->present_ns, b->present_ns);
    assert_int_equal(a->content_ns, b->content_ns);
    assert_int_equal(a->previous_tick, b->previous_tick);
    assert_int_equal(a->previous_ns, b->previous_ns);
    assert_int_equal(a->current_tick, b->current_tick);
    assert_int_equal(a->current_ns, b->current_ns);
    assert_true(a->alpha == b->alpha);
    assert_memory_equal(&a->account, &b->account, sizeof a->account);
}

#endif
