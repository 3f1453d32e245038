/* SPDX-License-Identifier: Zlib
 *
 * Any order of calls with any values: reports must come in the order of the frames, each once and
 * of a frame that was presented, with the time that was reported or its own; the verdicts must add up;
 * no frame is held past its time-out or the sixteenth after it; the end settles everything.
 */
#include "evenstep/measure.h"

#include "fuzz_bytes.h"
#include "base/common.h"
#include "measure/feedback.h"


#include <stdlib.h>
#include <string.h>

typedef struct checked {
    es_feedback feedback;
    int64_t now_ns, index, samples, given_index;
    struct {
        int64_t returned_ns, reported_ns;
        bool reported;
    } frames[256]; /* by index */
    bool any_given;
} checked;

static void present(checked *c, input *in)
{
    es_report report;
    memset(&report, 0, sizeof report);
    c->index += 1;
    report.frame.index = c->index;
    report.submit_ns = time_from(in, c->now_ns);
    report.shown_ns = time_from(in, c->now_ns);
    report.series = byte_from(in) < 250 ? 0 : INT32_MAX;
    c->frames[c->index % 256].returned_ns = report.shown_ns;
    c->frames[c->index % 256].reported = false;
    require(es_feedback_presented(&c->feedback, &report));
}

static void report_sample(checked *c, input *in)
{
    es_present sample;
    memset(&sample, 0, sizeof sample);
    sample.frame = c->index - byte_from(in) % 20 + 1;
    sample.shown_ns = time_from(in, c->now_ns);
    sample.reported_ns = time_from(in, c->now_ns);
    sample.refresh_ns = time_from(in, 20000000);
    sample.sequence = (uint64_t)(c->index + byte_from(in) % 4 - 1);
    sample.grade = (es_present_grade)(byte_from(in) % 6 - 1);
    sample.discarded = byte_from(in) >= 240;
    sample.variable = byte_from(in) >= 250;
    es_feedback_verdict verdict = es_feedback_reported(&c->feedback, &sample);
    require(verdict >= ES_FEEDBACK_TAKEN && verdict <= ES_FEEDBACK_SEQUENCE);
    c->samples += 1;
    if (verdict == ES_FEEDBACK_TAKEN) {
        require(sample.frame >= 1 && sample.frame <= c->index);
        c->frames[sample.frame % 256].reported = true;
        c->frames[sample.frame % 256].reported_ns = sample.shown_ns;
    }
}

static void take(checked *c, int64_t now_ns)
{
    es_report report;
    while (es_feedback_next(&c->feedback, now_ns, &report)) {
        int64_t index = report.frame.index;
        require(index >= 1 && index <= c->index && (!c->any_given || index > c->given_index));
        require(report.source == ES_SHOWN_FEEDBACK
                        ? c->frames[index % 256].reported
                                  && report.shown_ns == c->frames[index % 256].reported_ns
                        : report.shown_ns == c->frames[index % 256].returned_ns);
        c->any_given = true;
        c->given_index = index;
    }
    int64_t waiting = c->feedback.presented - c->feedback.settled;
    require(waiting >= 0 && waiting < ES_FEEDBACK_FRAMES);
    int64_t head_ns = c->frames[(c->feedback.settled + 1) % 256].returned_ns;
    require(waiting == 0 || es__ns_sub(now_ns, head_ns) < c->feedback.config.timeout_ns);
    require(waiting == 0 || now_ns != INT64_MAX);
}

static void check_status(const checked *c)
{
    es_feedback_status status = es_feedback_get_status(&c->feedback);
    int64_t sum = 0;
    for (int i = 0; i < ES_FEEDBACK_VERDICTS; ++i) {
        sum += status.verdicts[i];
    }
    require(sum == c->samples);
    require(status.period_ns >= 0 && (!status.period_sure || status.period_ns > 0));
    require(status.grade >= ES_PRESENT_GUESSED && status.grade <= ES_PRESENT_HARDWARE);
    require(status.state >= ES_FEEDBACK_LISTENING && status.state <= ES_FEEDBACK_DISTRUSTED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t timeouts_ns[] = {0, 1, 20000000, 10000000000};
    input in = {data, data + size};
    es_feedback_config config = {timeouts_ns[byte_from(&in) % 4], 0};
    checked c;
    memset(&c, 0, sizeof c);
    config.future_tolerance_ns = time_from(&in, 20000000);
    require(es__feedback_init(&c.feedback, &config, NULL) == ES_OK);
    c.now_ns = time_from(&in, 0);
    while (in.data < in.end) {
        uint8_t what = byte_from(&in);
        c.now_ns = what >= 192 ? time_from(&in, c.now_ns)
                               : es__ns_add(c.now_ns, what % 8 * INT64_C(2500000));
        switch (what / 8 % 3) {
        case 0:
            present(&c, &in);
            break;
        case 1:
            report_sample(&c, &in);
            break;
        default:
            take(&c, c.now_ns);
        }
        check_status(&c);
    }
    take(&c, INT64_MAX);
    return 0;
}
