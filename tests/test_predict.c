/* SPDX-License-Identifier: Zlib
 *
 * After the newest tick: every kind of prediction and correction against blend_reference.h, also of
 * rotations, across jumps, at contacts and in silence; delays and corrections never run back.
 */
#include "blend_reference.h"
#include "places.h"

#define OBJECTS 64

/* Each in double, and again in float. */
typedef struct world {
    double p[OBJECTS], v[OBJECTS], a[OBJECTS];
    float pf[OBJECTS], vf[OBJECTS], af[OBJECTS];
    double q[OBJECTS][4];
    float qf[OBJECTS][4];
    int64_t contact[OBJECTS];
    int32_t mark[OBJECTS];
} world;

#define PLACE(array, n)                                                                            \
    .count = OBJECTS, .components = (n), .offset = offsetof(world, array),                         \
    .stride = sizeof(((world *)0)->array[0]), .group = 1

enum { P, PF, Q, QF, MOVING, V = MOVING, A, VF, AF, CONTACT, MARK, FIELDS };

/* The description of the motion. */
typedef struct setting {
    es_blend_kind kind;
    es_prediction prediction;
    bool velocity;
    bool acceleration;
    bool contact;
} setting;

static void make_fields(es_field fields[FIELDS], const setting *s)
{
    const es_field made[FIELDS] = {
            {"p", ES_TYPE_F64, s->kind, PLACE(p, 1), .velocity = s->velocity ? "v" : NULL,
                    .acceleration = s->acceleration ? "a" : NULL},
            {"pf", ES_TYPE_F32, s->kind, PLACE(pf, 1), .velocity = s->velocity ? "vf" : NULL,
                    .acceleration = s->acceleration ? "af" : NULL},
            {"q", ES_TYPE_F64, ES_BLEND_ROTATION, PLACE(q, 4), .contact = NULL},
            {"qf", ES_TYPE_F32, ES_BLEND_ROTATION, PLACE(qf, 4), .contact = NULL},
            {"v", ES_TYPE_F64, ES_BLEND_STEP, PLACE(v, 1), .contact = NULL},
            {"a", ES_TYPE_F64, ES_BLEND_STEP, PLACE(a, 1), .contact = NULL},
            {"vf", ES_TYPE_F32, ES_BLEND_STEP, PLACE(vf, 1), .contact = NULL},
            {"af", ES_TYPE_F32, ES_BLEND_STEP, PLACE(af, 1), .contact = NULL},
            {"contact", ES_TYPE_I64, ES_BLEND_STEP, PLACE(contact, 1), .contact = NULL},
            {"mark", ES_TYPE_I32, ES_BLEND_MARK, PLACE(mark, 1), .contact = NULL},
    };
    memcpy(fields, made, sizeof made);
    bool ballistic = s->prediction.kind == ES_PREDICT_BALLISTIC;
    for (size_t i = 0; i < MOVING; ++i) {
        fields[i].period = i < Q && s->kind == ES_BLEND_CYCLIC ? 10 : 0;
        fields[i].prediction = i < Q || !ballistic ? &s->prediction : NULL;
        fields[i].contact = s->contact && fields[i].prediction != NULL ? "contact" : NULL;
    }
}

static world worlds[ES_HISTORY_TICKS_MAX], shown;

/* The worlds, `count` of them, newest first, shown at an instant: as the reference. */
static void check_shown(const setting *s, const int64_t *times_ns, size_t count, int64_t content_ns)
{
    es_field fields[FIELDS];
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    make_fields(fields, s);
    es_layout layout = layout_of(fields, FIELDS, sizeof(world));
    es__blend_job job = {&layout, ticks, count, &shown, .timed = true, .content_ns = content_ns};
    for (size_t k = 0; k < count; ++k) {
        ticks[k].state = &worlds[k];
        ticks[k].time_ns = times_ns[k];
    }
    run_job(&job);
    for (size_t f = 0; f < MOVING; ++f) {
        for (size_t e = 0; e < OBJECTS; ++e) {
            ref_shown r;
            ref_show(&job, &fields[f], e, &r);
            long double sign = 0, turns = f < Q ? 0
                                                : 4.2e-6L
                                                          + 16 * (1 + (long double)r.turns)
                                                                    * ref_epsilon(fields[f].type);
            for (size_t c = 0; f >= Q && c < 4; ++c) {
                sign += r.value[c] * ref_number(&shown, &fields[f], e, c);
            }
            for (size_t c = 0; c < ref_components(&fields[f]); ++c) {
                long double want = r.form != REF_TICK
                                           ? (sign < 0 ? -r.value[c] : r.value[c])
                                           : ref_number(ticks[r.newer].state, &fields[f], e, c);
                long double got = ref_number(&shown, &fields[f], e, c);
                long double tolerance = turns + r.steps * ref_epsilon(fields[f].type) * r.scale[c];
                if (!r.ambiguous && !(fabsl(got - want) <= tolerance)) {
                    fail_msg("kind %d, %d/%d, velocity %d: %s of object %zu: %.9Lg, not %.9Lg",
                            (int)s->kind, (int)s->prediction.kind, (int)s->prediction.correct,
                            s->velocity, fields[f].name, e, got, want);
                }
            }
        }
    }
}

/* ---- everything against the reference ---- */

static void make_noise(test_random *random, const int64_t *times_ns, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        for (size_t i = 0; i < OBJECTS; ++i) {
            world *w = &worlds[k];
            double length2 = 0;
            w->p[i] = uniform(random, -50, 50);
            w->v[i] = uniform(random, -200, 200);
            w->a[i] = uniform(random, -2000, 2000);
            w->pf[i] = (float)w->p[i];
            w->vf[i] = (float)w->v[i];
            w->af[i] = (float)w->a[i];
            w->contact[i] = times_ns[k] + random_below(random, 90 * MS) - 30 * MS;
            bool jumped = k > 0 && random_below(random, 9) == 0;
            w->mark[i] = k > 0 ? worlds[k - 1].mark[i] + jumped : 0;
            for (size_t c = 0; c < 4; ++c) {
                w->q[i][c] = uniform(random, -1, 1) + (c == 0 ? 1.1 : 0);
                length2 += w->q[i][c] * w->q[i][c];
            }
            for (size_t c = 0; c < 4; ++c) {
                w->q[i][c] /= sqrt(length2);
                w->qf[i][c] = (float)w->q[i][c];
            }
        }
    }
}

static void random_times(test_random *random, int64_t *times_ns, size_t count)
{
    int64_t time_ns = 1000 * MS;
    for (size_t k = 0; k < count; ++k) {
        times_ns[k] = time_ns;
        time_ns -= random_below(random, 2) == 0 ? 20 * MS : MS + random_below(random, 60 * MS);
    }
}

static void check_setting(test_random *random, setting s)
{
    static const int64_t most[] = {0, 5, 40, 250, 1000}, ramps[] = {0, 0, 10, 100};
    for (int round = 0; round < 24; ++round) {
        int64_t times_ns[ES_HISTORY_TICKS_MAX];
        size_t count = 1 + (size_t)random_below(random, ES_HISTORY_TICKS_MAX);
        s.prediction.max_ns = most[random_below(random, 5)] * MS;
        s.prediction.ramp_ns = ramps[random_below(random, 4)] * MS;
        s.prediction.decay_ns = random_below(random, 3) * 60 * MS;
        random_times(random, times_ns, count);
        make_noise(random, times_ns, count);
        int64_t reach = round % 4 == 0 ? 1500 * MS : 25 * MS;
        check_shown(&s, times_ns, count, times_ns[0] + 1 + random_below(random, reach));
    }
}

TEST(every_prediction_is_as_the_reference)
{
    static const es_blend_kind kinds[] = {ES_BLEND_LINEAR, ES_BLEND_ANGLE, ES_BLEND_CYCLIC,
            ES_BLEND_CATMULL_ROM, ES_BLEND_MONOTONE, ES_BLEND_HERMITE};
    test_random random = {21};
    for (size_t i = 0; i < COUNT_OF(kinds) * 3 * 3 * 4; i += TEST_STEP) {
        setting s = {.kind = kinds[i / 36]};
        s.prediction.kind = (es_predict)(i / 12 % 3);
        s.prediction.correct = (es_correct)(i / 4 % 3);
        s.acceleration = s.prediction.kind == ES_PREDICT_BALLISTIC;
        s.velocity = s.acceleration || s.kind == ES_BLEND_HERMITE || i % 2 == 0;
        s.contact = i / 2 % 2 == 0 && s.prediction.kind != ES_PREDICT_HOLD;
        check_setting(&random, s);
    }
}

/* ---- uneven ticks, short histories ---- */

/* One number at a content time, from the ticks of an array of states; the newest: at `newest`. */
static double seen_at(const es_field *field, const double *states, const int64_t *times_ns,
        size_t newest, size_t count, int64_t content_ns)
{
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    double seen = 0;
    es_layout layout = layout_of(field, 1, sizeof(double));
    const es__blend_job job = {
            &layout, ticks, count, &seen, .timed = true, .content_ns = content_ns};
    for (size_t age = 0; age < count; ++age) {
        ticks[age].state = &states[newest - age];
        ticks[age].time_ns = times_ns[newest - age];
    }
    run_job(&job);
    return seen;
}

/* A field a tick behind the others, however long the ticks are. */
TEST(a_delay_in_uneven_ticks_never_runs_back)
{
    static const int64_t times[] = {0, 50, 100, 150, 300, 350, 420, 421, 1000};
    static const double states[] = {0, 50, 100, 150, 300, 350, 420, 421, 1000};
    const es_field field = {
            "at", ES_TYPE_F64, ES_BLEND_LINEAR, 1, 1, 0, sizeof(double), .delay_ticks = 1};
    double before = -1;
    size_t newest = 3;
    for (int64_t content = 100; content <= 1000; ++content) {
        newest += times[newest] < content;
        double seen = seen_at(&field, states, times, newest, 4, content);
        assert_true(seen >= before);
        before = seen;
    }
    assert_true(fabs(before - 421) < 1e-9);
}

/* Eight ticks at 240 per second are 33 ms: a correction fades evenly while they are kept. */
TEST(a_correction_fades_while_its_ticks_are_kept)
{
    enum { KEPT = 8, TICK = 1000 };
    static const es_prediction decay = {.kind = ES_PREDICT_LINEAR, .correct = ES_CORRECT_DECAY};
    const es_field field = {
            "at", ES_TYPE_F64, ES_BLEND_LINEAR, 1, 1, 0, sizeof(double), .prediction = &decay};
    double states[40], before = NAN;
    int64_t times[40];
    for (int i = 0; i < 40; ++i) {
        states[i] = i < 20 ? i : 20; /* it stops */
        times[i] = (int64_t)i * TICK;
    }
    for (int64_t content = 12 * TICK + 1; content < 39 * TICK; content += TICK / 8) {
        double seen = seen_at(&field, states, times, (size_t)(content - 1) / TICK, KEPT, content);
        assert_false(fabs(seen - before) > 0.2); /* moving it makes 0.125 */
        before = seen;
    }
    assert_true(fabs(before - 20) < 1e-9);
}
