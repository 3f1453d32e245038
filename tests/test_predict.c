/* SPDX-License-Identifier: Zlib
 *
 * After the newest tick: every kind of prediction and correction against blend_reference.h, also of
 * rotations, across jumps and in silence; and their promises: the largest error, no overshoot of an
 * announced contact, no jump when a tick comes on time.
 */
#include "evenstep/world.h"

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
    const char *contact = s->contact ? "contact" : NULL;
    const es_field made[FIELDS] = {
            {"p", ES_TYPE_F64, s->kind, PLACE(p, 1), .velocity = s->velocity ? "v" : NULL,
                    .acceleration = s->acceleration ? "a" : NULL, .contact = contact},
            {"pf", ES_TYPE_F32, s->kind, PLACE(pf, 1), .velocity = s->velocity ? "vf" : NULL,
                    .acceleration = s->acceleration ? "af" : NULL, .contact = contact},
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
    }
}

static world worlds[ES_HISTORY_TICKS_MAX], shown;

/* The worlds, `count` of them, newest first, shown at an instant. */
static void show(
        const setting *s, const int64_t *times_ns, size_t count, int64_t content_ns, bool check)
{
    es_field fields[FIELDS];
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    make_fields(fields, s);
    es_layout layout = layout_of(fields, FIELDS, sizeof(world));
    es_blend_job job = {&layout, ticks, count, &shown, .timed = true, .content_ns = content_ns};
    for (size_t k = 0; k < count; ++k) {
        ticks[k].state = &worlds[k];
        ticks[k].time_ns = times_ns[k];
    }
    run_job(&job);
    for (size_t f = 0; check && f < MOVING; ++f) {
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

static void show_at(const setting *s, const int64_t *times_ns, size_t count, int64_t content_ns)
{
    show(s, times_ns, count, content_ns, false);
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
        show(&s, times_ns, count, times_ns[0] + 1 + random_below(random, reach), true);
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

/* ---- errors ---- */

#define PERIOD (20 * MS)

typedef struct course {
    double (*position)(double t_s, size_t object);
    double (*velocity)(double t_s, size_t object);
} course;

/* Two, three or more ticks of a motion, the newest at `newest` periods. */
static void sample(const course *c, int64_t newest, size_t count, int64_t *times_ns)
{
    for (size_t k = 0; k < count; ++k) {
        times_ns[k] = (newest - (int64_t)k) * PERIOD;
        double t = (double)times_ns[k] / 1e9;
        for (size_t i = 0; i < OBJECTS; ++i) {
            worlds[k].p[i] = c->position(t, i);
            worlds[k].v[i] = c->velocity(t, i);
            worlds[k].a[i] = 0;
            worlds[k].contact[i] = 0;
            worlds[k].mark[i] = 0;
        }
    }
}

static double acceleration_of(size_t object)
{
    return (double)object * 3 - 90;
}

static double falling(double t, size_t object)
{
    return 5 + 7 * t + acceleration_of(object) * t * t / 2;
}

static double falling_velocity(double t, size_t object)
{
    return 7 + acceleration_of(object) * t;
}

static const course fall = {falling, falling_velocity};

/* A constant velocity instead of an acceleration is off by a tau^2 / 2; blended, by a share of the
 * older prediction's error too. With the acceleration there is no error. */
TEST(errors_of_accelerated_motion_are_as_documented)
{
    setting s = {.kind = ES_BLEND_LINEAR, .velocity = true};
    int64_t times_ns[4];
    sample(&fall, 10, 4, times_ns);
    for (size_t i = 0; i < OBJECTS; ++i) {
        for (size_t k = 0; k < 4; ++k) {
            worlds[k].a[i] = acceleration_of(i);
        }
    }
    for (int64_t after = 1; after <= PERIOD; after += PERIOD / 37) {
        double tau = (double)after / 1e9, period = (double)PERIOD / 1e9, u = tau / period;
        for (int how = 0; how < 4; ++how) {
            s.acceleration = how == 3;
            s.prediction.kind = how == 3 ? ES_PREDICT_BALLISTIC : ES_PREDICT_LINEAR;
            s.prediction.correct = how == 0 ? ES_CORRECT_SNAP : ES_CORRECT_BLEND;
            s.velocity = how != 2;
            show_at(&s, times_ns, 4, times_ns[0] + after);
            for (size_t i = 0; i < OBJECTS; ++i) {
                double a = fabs(acceleration_of(i)), most = a * tau * tau / 2;
                double exact = falling((double)(times_ns[0] + after) / 1e9, i);
                if (how == 1) {
                    most = (1 - u) * a * (tau + period) * (tau + period) / 2 + u * most;
                } else if (how == 2) { /* the last tick's velocity is that of half a tick ago */
                    double newer = a * tau * (tau + period) / 2;
                    double older = a * (tau + period) * (tau + 2 * period) / 2;
                    most = (1 - u) * older + u * newer;
                } else if (how == 3) {
                    most = 0;
                }
                assert_true(fabs(shown.p[i] - exact) <= most + 1e-12);
            }
        }
    }
}

/* A ball comes down to a floor at 0, at this instant, and goes up again as fast. */
#define BOUNCE_NS (10 * PERIOD + 7 * MS)

static double speed_of(size_t object)
{
    return 1 + (double)object;
}

static double bouncing(double t, size_t object)
{
    return speed_of(object) * fabs(t - (double)BOUNCE_NS / 1e9);
}

static double bouncing_velocity(double t, size_t object)
{
    return t < (double)BOUNCE_NS / 1e9 ? -speed_of(object) : speed_of(object);
}

static const course bounce = {bouncing, bouncing_velocity};

/* Until the next tick it goes on through the floor: no further than the change of velocity times the
 * time since the bounce. With an announced contact, it stays on the floor. */
TEST(a_bounce_overshoots_as_documented)
{
    int64_t times_ns[6];
    for (int how = 0; how < 6; ++how) {
        setting s = {.kind = ES_BLEND_LINEAR, .velocity = true, .contact = how >= 3};
        s.prediction.kind = ES_PREDICT_LINEAR;
        s.prediction.correct = (es_correct)(how % 3);
        for (int64_t content = 9 * PERIOD + 1; content < 14 * PERIOD; content += PERIOD / 40) {
            int64_t newest = content / PERIOD;
            sample(&bounce, newest, 6, times_ns);
            for (size_t k = 0; k < 6; ++k) {
                for (size_t i = 0; i < OBJECTS; ++i) {
                    worlds[k].contact[i] = s.contact ? BOUNCE_NS : 0;
                }
            }
            show_at(&s, times_ns, 6, content);
            double since = (double)(content - BOUNCE_NS) / 1e9;
            for (size_t i = 0; i < OBJECTS; ++i) {
                double most = since > 0 && !s.contact ? 2 * speed_of(i) * since : 0;
                double exact = bouncing((double)content / 1e9, i);
                assert_true(shown.p[i] >= -most - 1e-12);
                assert_true(shown.p[i] - exact <= 1e-12
                            && exact - shown.p[i] <= 2 * speed_of(i) * fmax(since, 0) + 1e-12);
            }
        }
    }
}

/* ---- no jump ---- */

static double winding(double t, size_t object)
{
    return 20 * sin(t * (1 + (double)object / 3)) + (t > 0.21 ? 30 * (t - 0.21) : 0);
}

static double winding_velocity(double t, size_t object)
{
    double w = 1 + (double)object / 3;
    return 20 * w * cos(t * w) + (t > 0.21 ? 30 : 0);
}

static const course turns = {winding, winding_velocity};

/* A tick that comes when the content reaches it changes nothing at once: the instants before it
 * (shown without it) and after it (shown with it) differ by the motion of 2 ns. */
TEST(a_tick_on_time_makes_no_jump)
{
    int64_t times_ns[ES_HISTORY_TICKS_MAX];
    static world before;
    double worst = 0;
    for (int how = 0; how < 8; ++how) {
        setting s = {.kind = how < 4 ? ES_BLEND_LINEAR : ES_BLEND_ANGLE, .velocity = how % 2 == 0};
        s.prediction.kind = ES_PREDICT_LINEAR;
        s.prediction.correct = how / 2 % 2 == 0 ? ES_CORRECT_BLEND : ES_CORRECT_DECAY;
        s.prediction.decay_ns = 95 * MS; /* 4.75 periods: of eight ticks, all that still fade */
        for (int64_t tick = 9; tick < 60; ++tick) {
            sample(&turns, tick - 1, 8, times_ns);
            show_at(&s, times_ns, 8, tick * PERIOD - 1);
            before = shown;
            sample(&turns, tick, 8, times_ns);
            show_at(&s, times_ns, 8, tick * PERIOD + 1);
            for (size_t i = 0; i < OBJECTS; ++i) {
                double jump = shown.p[i] - before.p[i];
                jump = s.kind == ES_BLEND_ANGLE ? remainder(jump, 2 * (double)REF_PI) : jump;
                worst = fmax(worst, fabs(jump));
            }
        }
    }
    assert_true(worst <= 3e-6); /* 2 ns of up to 500 a second, in which ways are mixed, too */
}

/* ---- rotations ---- */

/* A wheel that turns evenly goes on evenly, also for many ticks, and stays a unit quaternion. */
TEST(rotations_go_on)
{
    static const int64_t periods[] = {1, 4, 8, 16, 50};
    setting s = {.kind = ES_BLEND_LINEAR};
    s.prediction.kind = ES_PREDICT_LINEAR;
    s.prediction.max_ns = 400 * MS;
    for (size_t n = 0; n < COUNT_OF(periods); ++n) {
        int64_t times_ns[3] = {
                200 * MS, 200 * MS - periods[n] * MS, 200 * MS - 2 * periods[n] * MS};
        memset(worlds, 0, sizeof worlds);
        for (size_t k = 0; k < 3; ++k) {
            for (size_t i = 0; i < OBJECTS; ++i) {
                double half = (double)times_ns[k] / 1e9 * (double)i * 0.3;
                for (size_t c = 0; c < 4; c += 2) {
                    worlds[k].q[i][c] = c == 0 ? cos(half) : sin(half);
                    worlds[k].qf[i][c] = (float)worlds[k].q[i][c];
                }
            }
        }
        for (int64_t after = 1; after <= 400; after += 3) {
            show_at(&s, times_ns, 3, times_ns[0] + after * MS);
            double ahead = (double)after / (double)periods[n];
            for (size_t i = 0; i < OBJECTS; ++i) {
                double half = (0.2 + (double)after / 1e3) * (double)i * 0.3;
                double off[2] = {atan2(shown.q[i][2], shown.q[i][0]) - half,
                        atan2((double)shown.qf[i][2], (double)shown.qf[i][0]) - half};
                for (int f = 0; f < 2; ++f) {
                    double error = fabs(remainder(off[f], (double)REF_PI));
                    assert_true(error <= (ahead + 1) * (f == 0 ? 1e-15 : 4e-7) + 2e-6);
                }
                assert_true(fabs(hypot((double)shown.qf[i][0], (double)shown.qf[i][2]) - 1) < 1e-6);
            }
        }
    }
}

/* ---- rotations, uneven ticks, short histories ---- */

typedef struct spinner {
    double turn[4];
    int64_t hit;
} spinner;

static spinner spinner_at(double radians, int64_t hit)
{
    spinner s = {{0, 0, sin(radians / 2), cos(radians / 2)}, hit};
    return s;
}

TEST(a_rotation_stops_at_its_contact)
{
    static const es_prediction snap = {.kind = ES_PREDICT_LINEAR, .correct = ES_CORRECT_SNAP};
    static const es_field fields[] = {
            {"turn", ES_TYPE_F64, ES_BLEND_ROTATION, ES_PLACE(spinner, turn, ES_TYPE_F64),
                    .contact = "hit", .prediction = &snap},
            ES_FIELD(spinner, hit, ES_BLEND_STEP),
    };
    static const es_layout layout = ES_LAYOUT(spinner, fields);
    spinner before = spinner_at(0, 110), now = spinner_at(0.1, 110), seen;
    const es_blend_tick ticks[] = {{&now, 100}, {&before, 0}};
    const es_blend_job job = {&layout, ticks, 2, &seen, .timed = true, .content_ns = 200};
    layout_of(fields, 2, sizeof(spinner));
    run_job(&job);
    assert_true(fabs(2 * atan2(seen.turn[2], seen.turn[3]) - 0.11) < 1e-6);
    before.hit = now.hit = 0; /* none: all the way */
    run_job(&job);
    assert_true(fabs(2 * atan2(seen.turn[2], seen.turn[3]) - 0.2) < 1e-6);
}

/* One number at a content time, from the ticks of an array of states; the newest: at `newest`. */
static double seen_at(const es_field *field, const double *states, const int64_t *times_ns,
        size_t newest, size_t count, int64_t content_ns)
{
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    double seen = 0;
    es_layout layout = layout_of(field, 1, sizeof(double));
    const es_blend_job job = {
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

TEST_MAIN("predict", NULL)
