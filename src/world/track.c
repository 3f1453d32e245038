/* SPDX-License-Identifier: Zlib
 *
 * Poses that remember the tick they belong to. The tick decides what a frame shows: between previous
 * and current only in the tick of current, so an object that was not updated since stands still.
 */
#include "evenstep/world.h"

#include "base/common.h"

/* What a new pose does to previous. */
typedef enum track_change {
    TRACK_SAME_TICK = 0, /* stays */
    TRACK_NEXT_TICK,     /* becomes current */
    TRACK_JUMP           /* becomes the new pose, as current does */
} track_change;

static track_change track_change_of(int64_t next_tick, int64_t tick)
{
    if (next_tick == 0 || tick < next_tick - 1) {
        return TRACK_JUMP;
    }
    return tick < next_tick ? TRACK_SAME_TICK : TRACK_NEXT_TICK;
}

/* Whether the way is a teleport: longer than snap, or no number. */
static bool is_teleport(double snap, double x, double y, double z)
{
    return snap > 0 && !(x * x + y * y + z * z <= snap * snap);
}

/* The part of the way from previous to current. */
static double track_share(int64_t next_tick, const es_frame *frame)
{
    if (frame == NULL || next_tick <= frame->current_tick) {
        return 1;
    }
    return next_tick - 1 == frame->current_tick ? frame->alpha : 0;
}

void es_track2_set(es_track2 *track, int64_t tick, es_pose2 pose)
{
    if (track == NULL) {
        return;
    }
    track_change change = track_change_of(track->next_tick, tick);
    es_pose2 from = change == TRACK_SAME_TICK ? track->previous : track->current;
    bool jump =
            change == TRACK_JUMP || is_teleport(track->snap, pose.x - from.x, pose.y - from.y, 0);
    track->previous = jump ? pose : from;
    track->current = pose;
    track->next_tick = es__ns_add(tick, 1);
}

void es_track3_set(es_track3 *track, int64_t tick, es_pose3 pose)
{
    if (track == NULL) {
        return;
    }
    track_change change = track_change_of(track->next_tick, tick);
    es_pose3 from = change == TRACK_SAME_TICK ? track->previous : track->current;
    const double *a = from.position, *b = pose.position;
    bool jump =
            change == TRACK_JUMP || is_teleport(track->snap, b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    track->previous = jump ? pose : from;
    track->current = pose;
    track->next_tick = es__ns_add(tick, 1);
}

void es_track2_snap(es_track2 *track, int64_t tick, es_pose2 pose)
{
    if (track != NULL) {
        track->next_tick = 0;
        es_track2_set(track, tick, pose);
    }
}

void es_track3_snap(es_track3 *track, int64_t tick, es_pose3 pose)
{
    if (track != NULL) {
        track->next_tick = 0;
        es_track3_set(track, tick, pose);
    }
}

es_pose2 es_track2_at(const es_track2 *track, const es_frame *frame)
{
    if (track == NULL) {
        return (es_pose2){0};
    }
    const es_pose2 *a = &track->previous, *b = &track->current;
    double t = track_share(track->next_tick, frame);
    return (es_pose2){
            es_lerp(a->x, b->x, t), es_lerp(a->y, b->y, t), es_lerp_angle(a->angle, b->angle, t)};
}

es_pose3 es_track3_at(const es_track3 *track, const es_frame *frame)
{
    es_pose3 seen = {{0}, {0}};
    if (track != NULL) {
        const es_pose3 *a = &track->previous, *b = &track->current;
        double t = track_share(track->next_tick, frame);
        for (int i = 0; i < 3; ++i) {
            seen.position[i] = es_lerp(a->position[i], b->position[i], t);
        }
        es_lerp_quat(a->rotation, b->rotation, t, seen.rotation);
    }
    return seen;
}
