/* SPDX-License-Identifier: Zlib
 *
 * The members of a struct as they lie in a record, in one table for the writer and the reader.
 */
#include "record_parts.h"

typedef struct member {
    size_t offset, size; /* 8 or 4 bytes */
} member;

#define MEMBER(type, name)                                                                         \
    {                                                                                              \
        offsetof(type, name), sizeof(((type *)0)->name)                                            \
    }
#define STEP(name)   MEMBER(es_step, name)
#define FRAME(name)  MEMBER(es_report, frame.name)
#define REPORT(name) MEMBER(es_report, name)

static const member step_members[] = {STEP(index), STEP(time_ns), STEP(dt_ns), STEP(dt_s),
        STEP(due_ns), STEP(begun_ns), STEP(in_frame)};

static const member report_members[] = {FRAME(index), FRAME(start_ns), FRAME(present_ns),
        FRAME(content_ns), FRAME(interval_ns), FRAME(previous_tick), FRAME(current_tick),
        FRAME(previous_ns), FRAME(current_ns), FRAME(newest_tick), FRAME(newest_ns),
        FRAME(ahead_ns), FRAME(alpha), FRAME(ticks), FRAME(gap.kind), FRAME(late_ns),
        FRAME(account.frame_dropped_ns), FRAME(account.frame_slow_motion_ns),
        FRAME(account.frame_stretched_ns), FRAME(account.debt_ns), FRAME(gap.duration_ns),
        FRAME(gap.removed_ns), REPORT(ready_ns), REPORT(submit_ns), REPORT(shown_ns),
        REPORT(source), REPORT(series), REPORT(update_work_ns), REPORT(render_work_ns)};

_Static_assert(sizeof(es_gap_kind) == 4 && sizeof(es_shown_source) == 4, "as recorded");

enum {
    STEP_MEMBERS = sizeof step_members / sizeof step_members[0],
    REPORT_MEMBERS = sizeof report_members / sizeof report_members[0]
};

static unsigned char *put_members(
        unsigned char *at, const void *from, const member *members, size_t count)
{
    for (const member *m = members; m < members + count; ++m) {
        uint32_t four = 0;
        uint64_t eight = 0;
        memcpy(m->size == 8 ? (void *)&eight : &four, (const char *)from + m->offset, m->size);
        at = m->size == 8 ? es__put_u64(at, eight) : es__put_u32(at, four);
    }
    return at;
}

static void get_members(const unsigned char *at, void *to, const member *members, size_t count)
{
    for (const member *m = members; m < members + count; at += m->size, ++m) {
        uint32_t four = es__get_u32(at);
        uint64_t eight = m->size == 8 ? es__get_u64(at) : 0;
        memcpy((char *)to + m->offset, m->size == 8 ? (void *)&eight : &four, m->size);
    }
}

unsigned char *es__put_step(unsigned char *at, const es_step *step)
{
    return put_members(at, step, step_members, STEP_MEMBERS);
}

void es__get_step(const unsigned char *at, es_step *step)
{
    get_members(at, step, step_members, STEP_MEMBERS);
}

unsigned char *es__put_report(unsigned char *at, const es_report *report)
{
    return put_members(at, report, report_members, REPORT_MEMBERS);
}

void es__get_report(const unsigned char *at, es_report *report)
{
    get_members(at, report, report_members, REPORT_MEMBERS);
}
