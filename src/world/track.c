/* SPDX-License-Identifier: Zlib
 *
 * Numbers and poses that remember the tick they belong to. The tick decides what a frame shows:
 * between previous and current only in the tick of current, so an object that was not updated since
 * stands still.
 */
#include "evenstep/world.h"

#include "base/common.h"

/* What all tracks have: previous and current, size bytes each. */
static void track_set(void *previous, void *current, int64_t *next_tick, int64_t tick,
        const void *pose, size_t size)
{
    if (*next_tick == 0 || tick < *next_tick - 1) {
        memcpy(previous, pose, size); /* a jump */
    } else if (tick >= *next_tick) {
        memcpy(previous, current, size);
    }
    memcpy(current, pose, size);
    *next_tick = es__ns_add(tick, 1);
}

/* The part of the way from previous to current that a frame shows. A way that is longer than snap,
 * or no number, is a teleport. */
static double track_share(
        int64_t next_tick, const es_frame *frame, double snap, double x, double y, double z)
{
    if (frame == NULL || next_tick <= frame->current_tick) {
        return 1;
    }
    if (next_tick - 1 != frame->current_tick) {
        return 0;
    }
    bool teleports = snap > 0 && !(x * x + y * y + z * z <= snap * snap);
    return teleports ? 1 : frame->alpha;
}

#define SET_AND_SNAP(track_type, pose_type)                                                        \
    void track_type##_set(track_type *track, int64_t tick, pose_type pose)                         \
    {                                                                                              \
        if (track != NULL) {                                                                       \
            track_set(&track->previous, &track->current, &track->next_tick, tick, &pose,           \
                    sizeof pose);                                                                  \
        }                                                                                          \
    }                                                                                              \
    void track_type##_snap(track_type *track, int64_t tick, pose_type pose)                        \
    {                                                                                              \
        if (track != NULL) {                                                                       \
            track->next_tick = 0;                                                                  \
            track_type##_set(track, tick, pose);                                                   \
        }                                                                                          \
    }

SET_AND_SNAP(es_track1, double)
SET_AND_SNAP(es_track2, es_pose2)
SET_AND_SNAP(es_track3, es_pose3)

void es_track1_shift(es_track1 *track, double delta)
{
    if (track != NULL) {
        track->previous += delta;
        track->current += delta;
    }
}

static void shift_pose2(es_pose2 *pose, es_pose2 delta)
{
    pose->x += delta.x;
    pose->y += delta.y;
    pose->angle += delta.angle;
}

void es_track2_shift(es_track2 *track, es_pose2 delta)
{
    if (track != NULL) {
        shift_pose2(&track->previous, delta);
        shift_pose2(&track->current, delta);
    }
}

void es_track3_shift(es_track3 *track, const double delta[3])
{
    for (int i = 0; track != NULL && i < 3; ++i) {
        track->previous.position[i] += delta[i];
        track->current.position[i] += delta[i];
    }
}

double es_track1_at(const es_track1 *track, const es_frame *frame)
{
    if (track == NULL) {
        return 0;
    }
    double a = track->previous, b = track->current;
    return es_lerp(a, b, track_share(track->next_tick, frame, track->snap, b - a, 0, 0));
}

double es_track1_angle_at(const es_track1 *track, const es_frame *frame)
{
    if (track == NULL) {
        return 0;
    }
    double a = track->previous, b = track->current;
    double way = 2 * (es_lerp_angle(a, b, 0.5) - a); /* the short one */
    return es_lerp_angle(a, b, track_share(track->next_tick, frame, track->snap, way, 0, 0));
}

es_pose2 es_track2_at(const es_track2 *track, const es_frame *frame)
{
    if (track == NULL) {
        return (es_pose2){0};
    }
    const es_pose2 *a = &track->previous, *b = &track->current;
    double t = track_share(track->next_tick, frame, track->snap, b->x - a->x, b->y - a->y, 0);
    return (es_pose2){
            es_lerp(a->x, b->x, t), es_lerp(a->y, b->y, t), es_lerp_angle(a->angle, b->angle, t)};
}

es_pose3 es_track3_at(const es_track3 *track, const es_frame *frame)
{
    es_pose3 seen = {{0}, {0}};
    if (track != NULL) {
        const es_pose3 *from = &track->previous, *to = &track->current;
        const double *a = from->position, *b = to->position;
        double t = track_share(
                track->next_tick, frame, track->snap, b[0] - a[0], b[1] - a[1], b[2] - a[2]);
        for (int i = 0; i < 3; ++i) {
            seen.position[i] = es_lerp(a[i], b[i], t);
        }
        es_lerp_quat(from->rotation, to->rotation, t, seen.rotation);
    }
    return seen;
}
