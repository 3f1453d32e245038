/* SPDX-License-Identifier: Zlib
 *
 * Own objects: numbers and poses that remember their tick; a blend of a whole struct.
 */
#include "world_support.h"

static es_pose2 at(double x)
{
    return (es_pose2){x, -x, x / 100};
}

static es_pose3 in_space(double x)
{
    return (es_pose3){{x, 2 * x, -x}, {0, 0, 0.6F, 0.8F}};
}

/* A frame between a tick and the one before. */
static es_frame frame_of(int64_t current, double alpha)
{
    return (es_frame){.previous_tick = current - 1, .current_tick = current, .alpha = alpha};
}

static double seen_at(const es_track2 *track, int64_t current, double alpha)
{
    es_frame frame = frame_of(current, alpha);
    es_pose2 pose = es_track2_at(track, &frame);
    assert_true(pose.y == -pose.x);
    return pose.x;
}

#define DEGREES *0.017453292519943295

/* Of a number, and of a pose at it: calls, and what a frame at a tick shows. */
static const struct track1_row {
    const char *name;
    double snap;
    struct {
        int64_t tick; /* 0: none; negative: a snap in the tick of its amount */
        double value;
    } calls[3];
    int64_t seen_tick;
    double expected; /* at alpha 0.25 */
    bool angle;
} track1_rows[] = {
        {"nowhere yet", 0, {{0, 0}}, 3, 0, false},
        {"spawn", 0, {{3, 8}}, 3, 8, false},
        {"updated", 0, {{2, 8}, {3, 16}}, 3, 10, false},
        {"not updated in the newest tick: stands still", 0, {{2, 8}, {3, 16}}, 4, 16, false},
        {"updated again after a rest", 0, {{2, 8}, {5, 16}}, 5, 10, false},
        {"a frame before the update", 0, {{2, 8}, {3, 16}}, 2, 8, false},
        {"twice in a tick", 0, {{2, 8}, {3, 99}, {3, 16}}, 3, 10, false},
        {"marked", 0, {{2, 8}, {-3, 16}}, 3, 16, false},
        {"marked, then moved", 0, {{2, 8}, {-3, 16}, {3, 24}}, 3, 18, false},
        {"within the threshold", 8, {{2, 8}, {3, 16}}, 3, 10, false},
        {"beyond the threshold", 8, {{2, 8}, {3, 16.5}}, 3, 16.5, false},
        {"beyond it, and then not", 8, {{2, 8}, {3, 99}, {3, 16}}, 3, 10, false},
        {"seek back", 0, {{8, 8}, {9, 16}, {3, 4}}, 3, 4, false},
        {"moved after a seek", 0, {{8, 16}, {3, 4}, {4, 8}}, 4, 5, false},
        {"moved after a mark", 8, {{2, 8}, {-3, 99}, {4, 95}}, 4, 98, false},
        {"no number", 8, {{2, (double)NAN}, {3, 4}}, 3, 4, false},
        {"an angle, the short way", 0, {{2, 350 DEGREES}, {3, 10 DEGREES}}, 3, 355 DEGREES, true},
        {"an angle within", 21 DEGREES, {{2, 350 DEGREES}, {3, 10 DEGREES}}, 3, 355 DEGREES, true},
        {"an angle beyond", 19 DEGREES, {{2, 350 DEGREES}, {3, 10 DEGREES}}, 3, 10 DEGREES, true},
        {"backwards beyond", 19 DEGREES, {{2, 10 DEGREES}, {3, 350 DEGREES}}, 3, 350 DEGREES, true},
        {"as a number", 21 DEGREES, {{2, 350 DEGREES}, {3, 10 DEGREES}}, 3, 10 DEGREES, false},
};

TEST(a_number_an_angle_and_a_pose)
{
    for_rows (i, track1_rows) {
        const struct track1_row *row = &track1_rows[i];
        es_frame frame = frame_of(row->seen_tick, 0.25);
        es_track1 track = {.snap = row->snap};
        es_track2 flat = {.snap = row->snap};
        es_track3 space = {.snap = row->snap};
        for (int k = 0; k < 3 && row->calls[k].tick != 0; ++k) {
            int64_t tick = row->calls[k].tick;
            double value = row->calls[k].value;
            bool snaps = tick < 0;
            tick = snaps ? -tick : tick;
            (snaps ? es_track1_snap : es_track1_set)(&track, tick, value);
            (snaps ? es_track2_snap : es_track2_set)(&flat, tick, (es_pose2){value, 0, 0});
            (snaps ? es_track3_snap : es_track3_set)(
                    &space, tick, (es_pose3){{0, 0, value}, {0, 0, 0.6F, 0.8F}});
        }
        es_pose3 pose = es_track3_at(&space, &frame);
        const double seen[] = {(row->angle ? es_track1_angle_at : es_track1_at)(&track, &frame),
                es_track2_at(&flat, &frame).x, pose.position[2]};
        for (int k = 0; k < (row->angle ? 1 : 3); ++k) {
            if (!(fabs(seen[k] - row->expected) < 1e-12)) {
                fail_msg("%s, %d: %.17g, expected %.17g", row->name, k, seen[k], row->expected);
            }
        }
        assert_true(
                row->calls[0].tick == 0 || (pose.rotation[2] == 0.6F && pose.rotation[3] == 0.8F));
    }
}

/* The threshold of a pose is of its way: 63.6 and 65.05 in the plane, 63.7 and 66.1 in space. */
TEST(a_jump_is_as_far_as_all_its_axes)
{
    for (int jumps = 0; jumps < 2; ++jumps) {
        es_track2 flat = {.snap = 64};
        es_track3 space = {.snap = 64};
        es_frame frame = frame_of(1, 0.5);
        es_track2_set(&flat, 0, at(10));
        es_track3_set(&space, 0, in_space(10));
        es_track2_set(&flat, 1, at(55 + jumps));
        es_track3_set(&space, 1, in_space(36 + jumps));
        es_pose3 pose = es_track3_at(&space, &frame);
        assert_true(seen_at(&flat, 1, 0.5) == (jumps ? 56 : 32.5));
        assert_true(pose.position[0] == (jumps ? 37 : 23));
        assert_true(pose.position[1] == 2 * pose.position[0]);
    }
}

/* Through a portal in tick 2, 500 further: it moves on by 4 a tick, also where more than 100 is a teleport. */
TEST(a_shift_keeps_the_motion)
{
    static const double delta[3] = {0, 0, 500};
    es_frame frame = frame_of(2, 0.25);
    for (int order = 0; order < 3; ++order) { /* set before it, after it, before and after it */
        es_track1 line = {.snap = 100};
        es_track2 flat = {.snap = 100};
        es_track3 space = {.snap = 100};
        es_pose3 pose = {{0}, {0, 0, 0.6F, 0.8F}};
        for (int step = 0; step < 4; ++step) {
            int64_t tick = step < 2 ? step : 2;
            double x = 4 * (double)tick + (step > 2 ? 500 : 0);
            pose.position[2] = x;
            if (step == 3) {
                es_track1_shift(&line, 500);
                es_track2_shift(&flat, (es_pose2){500, -500, 7});
                es_track3_shift(&space, delta);
            }
            if (step < 2 || order == 2 || (order == 0) == (step == 2)) {
                es_track1_set(&line, tick, x);
                es_track2_set(&flat, tick, (es_pose2){x, -x, step > 2 ? 8 : 1});
                es_track3_set(&space, tick, pose);
            }
        }
        assert_true(es_track1_at(&line, &frame) == 505);
        assert_true(seen_at(&flat, 2, 0.25) == 505 && es_track2_at(&flat, &frame).angle == 8);
        assert_true(es_track3_at(&space, &frame).position[2] == 505);
    }
}

TEST(nothing_is_no_track)
{
    es_track2 track = {0};
    es_track2_set(NULL, 1, at(1));
    es_track2_snap(NULL, 1, at(1));
    es_track3_set(NULL, 1, in_space(1));
    es_track3_snap(NULL, 1, in_space(1));
    es_track1_shift(NULL, 1);
    es_track2_shift(NULL, at(1));
    es_track3_shift(NULL, (double[3]){1, 1, 1});
    assert_true(es_track2_at(NULL, NULL).x == 0 && es_track3_at(NULL, NULL).position[0] == 0);
    es_track1_set(NULL, 1, 1);
    es_track1_snap(NULL, 1, 1);
    assert_true(es_track1_at(NULL, NULL) == 0 && es_track1_angle_at(NULL, NULL) == 0);
    es_track2_set(&track, 1, at(3));
    assert_true(es_track2_at(&track, NULL).x == 3);
}

/* --- the public lerps ------------------------------------------------------------------------- */

TEST(lerps_are_those_of_values)
{
    test_random random = {0x1E59};
    for (int i = 0; i < 20000; ++i) {
        double a = uniform(&random, -1e6, 1e6), b = uniform(&random, -1, 1);
        double t = i % 8 == 0 ? (double)NAN : uniform(&random, -0.1, 1.1);
        assert_true(es_lerp(a, b, t) == es__value_lerp_f64(a, b, t));
        assert_true(es_lerp(a, a, t) == a && es_lerpf((float)a, (float)a, t) == (float)a);
        assert_true(es_lerp_angle(a, b, t) == es__value_angle_f64(a, b, t));
    }
    assert_true(es_lerpf(FLT_MAX, -FLT_MAX, 0.5) == 0);
}

/* --- a struct between two --------------------------------------------------------------------- */

typedef struct ball {
    float x, turn, speed[2], rotation[4];
    struct {
        double y, turn;
    } at;
    int score;
} ball;
#define BALL_MEMBERS(M)                                                                            \
    M(x, LINEAR)                                                                                   \
    M(speed[1], LINEAR) M(turn, ANGLE) M(rotation, ROTATION) M(at.y, LINEAR) M(at.turn, ANGLE)
ES_DEFINE_BLEND(ball, BALL_MEMBERS)

TEST(a_struct_is_blended_as_its_members_are)
{
    test_random random = {0x1E5A};
    for (int i = 0; i < 1000; ++i) {
        float x[8], rotation[4];
        for (int k = 0; k < 8; ++k) {
            x[k] = (float)uniform(&random, -10, 10);
        }
        ball a = {x[0], x[1], {x[2], x[3]}, {0, 0, 0, 1}, {uniform(&random, -9, 9), 8}, 3};
        ball b = {x[4], x[5], {x[6], x[7]}, {0, 0, 0.6F, 0.8F}, {1, uniform(&random, -9, 9)}, 4};
        double t = i % 50 == 0 ? (double)NAN : uniform(&random, -0.1, 1.1);
        ball seen = ball_blend(&a, &b, t);
        es_lerp_quat(a.rotation, b.rotation, t, rotation);
        assert_true(seen.x == es__value_lerp_f32(a.x, b.x, (float)t));
        assert_true(seen.speed[1] == es__value_lerp_f32(a.speed[1], b.speed[1], (float)t));
        assert_true(seen.at.y == es_lerp(a.at.y, b.at.y, t));
        assert_true(seen.turn == (float)es_lerp_angle((double)a.turn, (double)b.turn, t));
        assert_true(seen.at.turn == es_lerp_angle(a.at.turn, b.at.turn, t));
        assert_memory_equal(seen.rotation, rotation, sizeof rotation);
        assert_true(seen.score == 4 && seen.speed[0] == b.speed[0]); /* not listed: current's */
    }
}
