/* SPDX-License-Identifier: Zlib
 *
 * world: the state of the world, and what a frame shows of it between two ticks.
 *
 * Three ways, from simple to complete:
 *
 *   one value      es_lerp(previous, current, frame.alpha), es_lerp_angle, es_lerp_quat; of a small
 *                  struct that is copied ES_DEFINE_BLEND
 *   own objects    es_track1, es_track2, es_track3: each object keeps where it is drawn. For objects
 *                  in lists, C++ classes, integer positions, anything that cannot be copied
 *   whole states   es_layout describes a struct, es_history keeps its last ticks, es_blend_frame
 *                  blends all of it. For plain structs and arrays; also for splines and prediction
 *
 *   typedef struct ball { float x, y, angle; } ball;
 *   typedef struct world { ball balls[100]; float camera_x; } world;
 *   static const es_field fields[] = {
 *       ES_FIELD_OF_EACH(world, balls, x, ES_BLEND_LINEAR),
 *       ES_FIELD_OF_EACH(world, balls, y, ES_BLEND_LINEAR),
 *       ES_FIELD_OF_EACH(world, balls, angle, ES_BLEND_ANGLE),
 *       ES_FIELD(world, camera_x, ES_BLEND_LINEAR),
 *   };
 *   static const es_layout layout = ES_LAYOUT(world, fields);
 *
 *   es_history *history = es_history_create(sizeof(world), 2);
 *   world_make(es_history_current(history));             // the initial state
 *   es_history_reset(history, 0, 0);                     // is tick 0, at time 0
 *   ...
 *   es_step step = es_frame_step(&frame, i);             // in each tick
 *   world *w = es_history_push(history, &step);          // previous = current
 *   world_update(w, step.dt_s);                          // current moves on
 *   ...
 *   es_blend_frame(&layout, history, &frame, &view);     // in each frame
 *   draw(&view);
 *
 * All blends promise, for finite numbers: at its tick an object is exactly as the simulation computed
 * it. Equal inputs give that very value, so resting things do not tremble. The blends of a layout
 * give the same bytes with every instruction set, compiler and optimisation level (gcc, clang:
 * -ffp-contract=off). Drawing never changes the world: the output is another state than the inputs.
 * docs/notes/blending.md has the formulas, their sources and errors.
 *
 * Defaults. Errors: false or NULL, and nothing changes; es_get_error has the reason. NULL for a
 * struct or a handle: false, NULL, 0 or no effect. Threads: any thread, but one at a time per history
 * or track. Several threads may blend different objects into one output, each by a layout of its own.
 * Allocation: es_history_create alone. Pointers and texts in structs are kept, not copied.
 */
#ifndef EVENSTEP_WORLD_H
#define EVENSTEP_WORLD_H

#if defined(__cplusplus) && __cplusplus < 201103L && !defined(_MSC_VER)
#error "evenstep/world.h needs C++11 or later: compile with -std=c++11, or leave this header out"
#else

#include "evenstep/evenstep.h"

typedef struct es_history es_history;       /* the last ticks of a state */
typedef struct es_layout es_layout;         /* below: which fields a state has */
typedef struct es_blend_tick es_blend_tick; /* below: a state of any time */
typedef struct es_jumps es_jumps;           /* below: what a jump is */

#ifdef __cplusplus
extern "C" {
#endif

/* --- one value between two (numbers: es_lerp in evenstep.h) ----------------------------------- */

/* Between two angles in radians, the short way round; half a turn goes forward. Any number of
 * turns: the result is not wrapped. */
ES_API double es_lerp_angle(double a, double b, double t);

/* Between two unit quaternions, the short way at even angular speed. The components have the same
 * order in both. out: of unit length within 1e-6; may be a or b. */
ES_API void es_lerp_quat(const float a[4], const float b[4], double t, float out[4]);

/* --- history ---------------------------------------------------------------------------------- */

/* Zeroed states at tick 0, time 0. ticks: 2 to 8, the current one included. Blends between two need
 * 2, splines 4; fields with a delay and corrections that fade (es_prediction) need more. One more for
 * each of the loop's lead_ticks; 3 for a group with a rate of its own (es_rates_history_ticks). */
ES_API es_history *es_history_create(size_t state_size, int32_t ticks);
ES_API void es_history_destroy(es_history *history);

/* Before each tick: previous becomes a copy of current, which the caller then updates. Returns the
 * current state; its address stays as long as only this function is used. The oldest tick goes.
 * step: its index and time become the current tick's. NULL: the index counts up by one, and the time
 * as in the last tick. Without any steps all times stay equal, which suffices for es_blend alone. */
ES_API void *es_history_push(es_history *history, const es_step *step);

/* The same without the copy, for programs that write every byte of the state. Returns the current
 * state at another address than before; its bytes are several ticks old. */
ES_API void *es_history_next(es_history *history, const es_step *step);

/* Forgets the past: the current state is the only known tick, and previous a copy of it. For the
 * initial state, after loading one, a seek, or a cut to another scene. */
ES_API void es_history_reset(es_history *history, int64_t tick, int64_t time_ns);

/* The state of the newest tick, and of the tick before. While there is none before, previous is what
 * current was at the last reset. */
ES_API void *es_history_current(const es_history *history);
ES_API void *es_history_previous(const es_history *history);

/* The state of the tick `age` ticks before the newest; NULL: not known. Write to it only to move the
 * past along with the present: a portal that also turns an object turns it in each known tick. */
ES_API void *es_history_tick(const es_history *history, int32_t age);

/* True: the history is at the frame's newest tick, and holds the two that the frame blends. False,
 * worth an assert: a push was forgotten or made twice, or too few ticks are kept. */
ES_API bool es_history_matches(const es_history *history, const es_frame *frame);

/* For snap and shift: all elements of the field. */
#define ES_ALL_ELEMENTS ((size_t)-1)

/* After a spawn or a teleport, in layouts without a mark: copies an object's numbers from the current
 * state into all older ticks. name: of a field; of a mark, all fields of its group. element: the
 * object, or ES_ALL_ELEMENTS. In the update, not while drawing. */
ES_API bool es_history_snap(
        es_history *history, const es_layout *layout, const char *name, size_t element);

/* Moves an object and its past, which keeps its motion: a portal, a floating origin. The next frame
 * shows it. In the update, and for an exact replay only by what the simulation computed.
 * name: of a field of floats or doubles. delta: added to each component in all ticks, in double.
 * components: how many numbers delta has: as many as the field. */
ES_API bool es_history_shift(es_history *history, const es_layout *layout, const char *name,
        size_t element, const double *delta, size_t components);

/* --- blending: only the bytes of the layout's fields are written ------------------------------ */

/* A whole state between two ticks, which may be the same state. out: apart from both. alpha: 0 or
 * less shows previous, 1 or more and a NaN show current. The layout has no ES_BLEND_HERMITE and no
 * delay_ticks, which need times. Splines are straight lines here, and nothing is predicted. */
ES_API bool es_blend(const es_layout *layout, const void *previous, const void *current,
        double alpha, void *out);

/* The state that a frame shows. A field uses the ticks that it needs, or those that there are. An
 * object whose mark changed is shown as if the ticks before did not exist. out: none of the history's
 * states. False also: a history whose ticks have equal times (pushed without steps), or one that
 * has dropped the frame's pair. */
ES_API bool es_blend_frame(
        const es_layout *layout, const es_history *history, const es_frame *frame, void *out);

/* The same from ticks that lie anywhere, as in es_view. ticks: newest first, 1 to 8,
 * each earlier than the one before. content_ns: of es_frame. */
ES_API bool es_blend_ticks(const es_layout *layout, const es_blend_tick *ticks, size_t tick_count,
        int64_t content_ns, void *out);

/* --- layout ----------------------------------------------------------------------------------- */

/* True: the layout meets all that the comments above demand, and its fields share no bytes. History,
 * blend and recording take no other. Compares every field with every other; the time grows with the
 * elements only where strides are no multiples of each other. */
ES_API bool es_layout_validate(const es_layout *layout);

/* --- motion in steps of any length ------------------------------------------------------------
 * Any unit of length, that unit per second and per second squared. dt_s: seconds, at least 0. */

/* Moves one coordinate under an acceleration that is constant during the step: the exact
 * x = v t + a t^2 / 2 for any split of the time. */
ES_API void es_motion_accelerate(double *position, double *speed, double acceleration, double dt_s);

/* Velocity Verlet: an acceleration that changes with position or time (springs, orbits). First half:
 * call it for every coordinate, then compute the accelerations at the new positions. Second order;
 * with drag first. dt_s: below 2 / the fastest oscillation's angular frequency. Source: Swope,
 * Andersen, Berens and Wilson, J. Chem. Phys. 76, 637 (1982). */
ES_API void es_motion_verlet_position(
        double *position, double speed, double acceleration, double dt_s);

/* Second half. before, after: the acceleration at the step's start and end. */
ES_API void es_motion_verlet_speed(double *speed, double before, double after, double dt_s);

/* --- jumps that are found by themselves ------------------------------------------------------- */

/* True: an object jumped in a tick. For programs that see values only: call es_track2_snap in place
 * of es_track2_set, or count up the object's ES_BLEND_MARK. Once per object and tick, in order.
 * jumps: NULL: the default. usual: what it remembers of the object; 0 at first. way: how far the
 * object went in the tick, at least 0; not finite: a jump. next_way: how far in the tick after; below 0
 * or NaN: not known yet. usual NULL: false. A knock-back goes on, a short teleport does not: only
 * next_way distinguishes them. Then the mark changes in the tick before the newest and in the newest,
 * and the loop has lead_ticks 1. */
ES_API bool es_jumped(const es_jumps *jumps, float *usual, double way, double next_way);

#ifdef __cplusplus
}
#endif

/* What a jump is, in a group of objects. {0}: the default. */
typedef struct es_jumps {
    double ratio;    /* a way over `ratio` times the usual one is a jump; a lower ratio finds more
                        jumps, also false ones (docs/notes/cuts.md). 0 or less, NaN: 5; 4 if next_way
                        is known */
    double shortest; /* a shorter way is none, not even of an object that begins to move; NaN: 0 */
} es_jumps;

/* --- own objects: a number or a pose that remembers its tick ---------------------------------- */

typedef struct es_pose2 {
    double x;
    double y;
    double angle; /* radians */
} es_pose2;

typedef struct es_pose3 {
    double position[3];
    float rotation[4]; /* a unit quaternion, components in any order */
} es_pose3;

/* Where an object was and is. {0}: nowhere yet. It may be copied. Needs lead_ticks 0 or -1. */
typedef struct es_track1 {
    double snap; /* a longer way within one tick is a teleport: not blended. 0: all are blended */
    double previous;
    double current;
    int64_t next_tick; /* after that of current; 0: nowhere yet */
} es_track1;

typedef struct es_track2 {
    double snap; /* of the position alone */
    es_pose2 previous;
    es_pose2 current;
    int64_t next_tick;
} es_track2;

typedef struct es_track3 {
    double snap;
    es_pose3 previous;
    es_pose3 current;
    int64_t next_tick;
} es_track3;

#ifdef __cplusplus
extern "C" {
#endif

/* After the object's update, in the tick of this index (es_step.index): where it is now. The last
 * call in a tick counts. An object that is not updated in a tick stands still. The first call shows
 * no motion: make it where the object is created. So does a call for an earlier tick (a seek). */
ES_API void es_track1_set(es_track1 *track, int64_t tick, double value);
ES_API void es_track2_set(es_track2 *track, int64_t tick, es_pose2 pose);
ES_API void es_track3_set(es_track3 *track, int64_t tick, es_pose3 pose);

/* The same for an object that jumped: no frame shows it on the way. A set after it in the same tick moves
 * the object on from there. */
ES_API void es_track1_snap(es_track1 *track, int64_t tick, double value);
ES_API void es_track2_snap(es_track2 *track, int64_t tick, es_pose2 pose);
ES_API void es_track3_snap(es_track3 *track, int64_t tick, es_pose3 pose);

/* Adds delta to an object's current and previous position, which keeps its motion, also beyond snap:
 * a portal, a wrap around the screen, a floating origin. Call it where the update adds delta to the
 * object's own position. A set before that, in the same tick, had no delta; a set after it has it.
 * es_track2: also to the angle, in radians. */
ES_API void es_track1_shift(es_track1 *track, double delta);
ES_API void es_track2_shift(es_track2 *track, es_pose2 delta);
ES_API void es_track3_shift(es_track3 *track, const double delta[3]);

/* Where a frame shows the object. Of a rate group: es_rates_frame's frame. angle_at: the number is
 * an angle in radians, blended the short way round, which is also what snap compares. */
ES_API double es_track1_at(const es_track1 *track, const es_frame *frame);
ES_API double es_track1_angle_at(const es_track1 *track, const es_frame *frame);
ES_API es_pose2 es_track2_at(const es_track2 *track, const es_frame *frame);
ES_API es_pose3 es_track3_at(const es_track3 *track, const es_frame *frame);

#ifdef __cplusplus
}
#endif

/* --- the fields of a state -------------------------------------------------------------------- */

/* What one number of a field is. */
typedef enum es_type {
    ES_TYPE_NONE = 0, /* not set: refused */
    ES_TYPE_F32,      /* float */
    ES_TYPE_F64,      /* double */
    ES_TYPE_I32,      /* int32_t */
    ES_TYPE_U32,      /* uint32_t */
    ES_TYPE_I64,      /* int64_t */
    ES_TYPE_U8        /* uint8_t, bool, char */
} es_type;

/* How a field looks between ticks. Types are F32 and F64 unless others are named. */
typedef enum es_blend_kind {
    ES_BLEND_NONE = 0, /* not set: refused */
    /* from two ticks */
    ES_BLEND_LINEAR,   /* along the straight line */
    ES_BLEND_ANGLE,    /* radians, the short way round */
    ES_BLEND_CYCLIC,   /* wraps at `period`, the short way round: texture offsets, phases, hours */
    ES_BLEND_ROTATION, /* a unit quaternion of 4 components in any order, at even angular speed */
    ES_BLEND_COLOUR,   /* linear light: 3 components, or 4 with a straight (not premultiplied) alpha
                          last; F32. Premultiplied linear light is ES_BLEND_LINEAR. */
    ES_BLEND_SRGB,     /* as COLOUR, encoded as sRGB: F32 from 0 to 1, U8 from 0 to 255; alpha is
                          never encoded */
    ES_BLEND_LOG,      /* by a constant ratio: scales, zooms, frequencies. Through zero, or to
                          another sign, along the straight line */
    ES_BLEND_STEP,     /* the newer tick's value, the older only at alpha 0: flags, counters,
                          anything discrete; every type */
    ES_BLEND_NEAREST,  /* the older tick's value below alpha 1/2; every type */
    /* from more: they need the ticks' times, which es_blend lacks */
    ES_BLEND_HERMITE,     /* the cubic with the given `velocity` at both ends */
    ES_BLEND_CATMULL_ROM, /* the cubic through four ticks; smooth from pair to pair only with a tick
                             beyond: lead_ticks 1 */
    ES_BLEND_MONOTONE,    /* a cubic that never leaves its two ends: through four ticks, or with the
                             given `velocity`, each limited */
    /* about objects */
    ES_BLEND_MARK, /* counts an object's jumps: teleport, spawn, reuse of its slot. Where it changed,
                     no field of its group is blended across the change. 1 component, in a group;
                     U8, I32, U32, I64; not delayed. Itself as ES_BLEND_STEP. */
    /* matrices: 12 or 16 numbers, or floats with their parts behind them (es_matrix_keep), 24 or 28.
     * The rotation turns at even speed, stretch and position go straight. Determinants of unlike sign
     * are a cut: the newer tick's. A near-singular one (determinant under a millionth of that of an
     * even scale of the same size) or a projective one (the last row is not 0 0 0 1) is LINEAR. */
    ES_BLEND_MATRIX, /* a column after the other: 4x4 or 3x4, the position last. OpenGL, glm; also
                            rows of matrices that multiply row vectors: Direct3D */
    ES_BLEND_MATRIX_ROWS /* a row after the other: 4x4 or 3x4, the position in every fourth number.
                            raylib, VkTransformMatrixKHR */
} es_blend_kind;

/* What a field shows after the newest tick (lead_ticks -1, delay_ticks below 0, or late ticks). */
typedef enum es_predict {
    ES_PREDICT_HOLD = 0, /* the newest tick */
    ES_PREDICT_LINEAR,   /* goes on with the field's `velocity`; without one, as in the last tick */
    ES_PREDICT_BALLISTIC /* goes on with `velocity` and `acceleration` */
} es_predict;

/* How the screen gets from an older tick's prediction to a newer one's. */
typedef enum es_correct {
    ES_CORRECT_BLEND = 0, /* both predict the shown instant, mixed by how much of the tick (the
                             shorter of the last two) has passed */
    ES_CORRECT_DECAY,     /* the newest prediction; the difference fades evenly in decay_ns */
    ES_CORRECT_SNAP       /* at once */
} es_correct;

/* How far and how a field is predicted. {0} holds. The default times are those of the Source
 * engine (cl_extrapolate_amount, cl_smoothtime). */
typedef struct es_prediction {
    es_predict kind;
    es_correct correct;
    int64_t max_ns;   /* predicted in full this far past the newest tick; 0: 250 ms */
    int64_t ramp_ns;  /* then slowing evenly to rest, for this long; 0: at rest at once */
    int64_t decay_ns; /* ES_CORRECT_DECAY: how long a correction fades, at most as long as its ticks
                         are kept: decay / period + 1 of them, one more without a velocity. 0:
                         100 ms. Rotations: as ES_CORRECT_BLEND. */
} es_prediction;

/* One field: count elements of `components` numbers each.
 *
 * Number c of element i lies at offset + i * stride + c * component_stride. So
 *   structs in an array      stride = the struct's size (packed or with gaps)
 *   an array per component   stride = a number's size, component_stride = an array's
 * The longer stride is at least as long as the shorter one spans, so that numbers of one field share
 * no bytes. The stride of a single element may be 0.
 */
typedef struct es_field {
    const char *name;        /* unique in the layout, not empty */
    es_type type;            /* of each number */
    es_blend_kind blend;     /* how it is blended */
    size_t count;            /* elements: objects that have this field; at least 1 */
    size_t components;       /* numbers per element: 3 for a position; 0 counts as 1 */
    size_t offset;           /* bytes from the start of the state to the first element */
    size_t stride;           /* bytes from one element to the next */
    size_t component_stride; /* bytes from one component to the next; 0: they are adjacent */
    int32_t group;      /* above 0: element i of each field of this group is object i; all have the
                           same count, and at most one is a mark */
    double period;      /* ES_BLEND_CYCLIC: the length of a turn; above 0 and finite, as a number of
                           the field's type. Other kinds: 0 */
    double delay_ticks; /* shown this much later than the rest of the frame, -8 to 8; below 0:
                           earlier, which past the newest tick is predicted */
    /* How it moves, for linear, angle, cyclic and the splines. Rotations take the last two. */
    const char *velocity;     /* the field with its change per second: as many numbers of the same
                                 type; NULL: none. ES_BLEND_HERMITE needs it */
    const char *acceleration; /* the field with its velocity's change per second: likewise, and only
                                 with a velocity; NULL: none */
    const char *contact;      /* the field with the simulated time, in ns, of each object's next
                                 contact: one I64 per element. The prediction ends there. A time not
                                 after its own tick's means none. NULL: none */
    const es_prediction *prediction; /* NULL: hold. No rotation is ballistic */
} es_field;

/* A state's fields. Not for pointers, or anything else whose meaning is not in its own bytes. Bytes
 * that no field covers are not blended: the blended state lacks them. */
typedef struct es_layout {
    const es_field *fields; /* field_count of them */
    size_t field_count;     /* at least 1 */
    size_t state_size;      /* bytes of one state */
} es_layout;

/* A state of the simulation, and its time. */
typedef struct es_blend_tick {
    const void *state; /* layout->state_size bytes, aligned for its fields */
    int64_t time_ns;   /* simulated time */
} es_blend_tick;

/* --- matrices --------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif

/* Between two matrices, as ES_BLEND_MATRIX or ES_BLEND_MATRIX_ROWS (order) has it. floats: 12 or 16;
 * with parts 24 or 28. out: exactly a at t 0, b at 1, and either where they are equal; may be a or b.
 * Any other order or count, and NULL: no effect. The rotation is within 0.001 degrees of a slerp.
 * Source: Shoemake and Duff, Matrix animation and polar decomposition, 1992. */
ES_API void es_lerp_matrix(
        es_blend_kind order, size_t floats, const float *a, const float *b, double t, float *out);

/* Decomposes a matrix: once per tick, after its last change. Without this each frame decomposes both
 * ticks, in some 0.2 us each. matrix: 12 or 16 floats, and 12 more, which are written. floats: all of
 * them, 24 or 28. Any other order or count, and NULL: no effect. Source: Higham, Computing the polar
 * decomposition - with applications, 1986. */
ES_API void es_matrix_keep(es_blend_kind order, size_t floats, float *matrix);

#ifdef __cplusplus
}
#endif

/* --- macros that describe a state; other languages fill es_field and es_layout ---------------- */

/* Bytes of one number of a type; 1 for a value that is no type. Constant where type is. */
#define ES_TYPE_SIZE(type)                                                                         \
    ((type) == ES_TYPE_F64 || (type) == ES_TYPE_I64                                                \
                    ? ES_CAST_(size_t, 8)                                                          \
                    : ((type) == ES_TYPE_U8 || (type) == ES_TYPE_NONE ? ES_CAST_(size_t, 1)        \
                                                                      : ES_CAST_(size_t, 4)))

/* Fields, for the initialiser of an es_field or an array of them. Name, type, count, components and
 * place come from the member. It is a float, double, bool, char, uint8_t, int32_t, uint32_t, int64_t,
 * an enum, or an array of these. A member whose type does not fit the kind does not compile. After the
 * kind, which is a constant, follow the members of es_field that differ from 0, each by ES_WITH:
 *
 *   ES_FIELD_OF_EACH(world, balls, at, ES_BLEND_HERMITE,
 *           ES_WITH(group, 1), ES_WITH(velocity, "balls.speed"), ES_WITH(delay_ticks, 0.5))
 *
 * ES_FIELD          a member that the state has once: a number, or an array of numbers as components
 * ES_FIELD_OF_EACH  a member of each element of an array of structs; named "array.member"
 * ES_FIELD_ARRAY    an array with an element per object: float x[100], float at[100][3]
 * ES_FIELD_BY_HAND  any other place. Nothing comes from a member, and no type is checked */
#define ES_FIELD(state, member, ...)                                                               \
    ES_FIELD_OF_(#member, ES_CAST_(state *, 0)->member, 1, offsetof(state, member),                \
            sizeof(ES_CAST_(state *, 0)->member), __VA_ARGS__)
#define ES_FIELD_OF_EACH(state, array, member, ...)                                                \
    ES_FIELD_OF_(#array "." #member, ES_CAST_(state *, 0)->array[0].member,                        \
            sizeof(ES_CAST_(state *, 0)->array) / sizeof(ES_CAST_(state *, 0)->array[0]),          \
            offsetof(state, array[0].member), sizeof(ES_CAST_(state *, 0)->array[0]), __VA_ARGS__)
#define ES_FIELD_ARRAY(state, array, ...)                                                          \
    ES_FIELD_OF_(#array, ES_CAST_(state *, 0)->array[0],                                           \
            sizeof(ES_CAST_(state *, 0)->array) / sizeof(ES_CAST_(state *, 0)->array[0]),          \
            offsetof(state, array[0]), sizeof(ES_CAST_(state *, 0)->array[0]), __VA_ARGS__)

/* The layout of a struct from an array of fields. */
#define ES_LAYOUT(state, fields)                                                                   \
    {                                                                                              \
        fields, sizeof(fields) / sizeof((fields)[0]), sizeof(state)                                \
    }

/* --- a struct between two --------------------------------------------------------------------- */

/* Defines static inline ball ball_blend(const ball *previous, const ball *current, double alpha) for
 * a struct of the program. members lists what is blended; the rest is current's. Kinds: LINEAR,
 * ANGLE (float, double), ROTATION (float[4], a unit quaternion), MATRIX, MATRIX_ROWS (float[12], [16],
 * with parts [24], [28]). At file scope, no semicolon:
 *
 *   #define BALL_MEMBERS(M) M(x, LINEAR) M(at.y, LINEAR) M(speed[0], LINEAR) M(turn, ANGLE)
 *   ES_DEFINE_BLEND(ball, BALL_MEMBERS)
 *
 * Each is as es_blend has it, angles as es_lerp_angle, to the bit, if no difference is infinite. An
 * alpha that rounds to 0 or 1 as a float is that end. An integer does not compile, because it would
 * round the motion away: draw at es_lerp(previous.x, current.x, alpha) / 16, say. */
#define ES_DEFINE_BLEND(type, members)                                                             \
    static inline type type##_blend(const type *previous, const type *current, double alpha)       \
    {                                                                                              \
        const float at = ES_CAST_(float, alpha); /* rounded to 0 or 1 it is an end */              \
        type blended = *current;                                                                   \
        if (!(at < 1)) {                                                                           \
            return blended;                                                                        \
        }                                                                                          \
        if (at <= 0) {                                                                             \
            members(ES_BLEND_OLDER_) return blended;                                               \
        }                                                                                          \
        members(ES_BLEND_MEMBER_) return blended;                                                  \
    }

/* --- private: what the macros above consist of ------------------------------------------------- */

#define ES_BLEND_MEMBER_(member, kind)                                                             \
    ES_BLEND_##kind##_(previous->member, current->member, alpha, blended.member);
#define ES_BLEND_LINEAR_(a, b, t, out)   (out) = es_blend_linear_(a, b, t)
#define ES_BLEND_ANGLE_(a, b, t, out)    (out) = es_blend_angle_(a, b, t)
#define ES_BLEND_ROTATION_(a, b, t, out) es_lerp_quat(a, b, t, out)
#define ES_BLEND_MATRIX_(a, b, t, out)                                                             \
    es_lerp_matrix(ES_BLEND_MATRIX, sizeof(a) / sizeof(float), a, b, t, out)
#define ES_BLEND_MATRIX_ROWS_(a, b, t, out)                                                        \
    es_lerp_matrix(ES_BLEND_MATRIX_ROWS, sizeof(a) / sizeof(float), a, b, t, out)
#define ES_BLEND_OLDER_(member, kind) ES_OLDER_##kind##_(previous->member, blended.member);
#define ES_OLDER_LINEAR_(a, out)      (out) = (a)
#define ES_OLDER_ANGLE_(a, out)       (out) = (a)
#define ES_OLDER_ROTATION_(a, out)    es_lerp_quat(a, a, 0, out)
#define ES_OLDER_MATRIX_(a, out)      ES_BLEND_MATRIX_(a, a, 0, out)
#define ES_OLDER_MATRIX_ROWS_(a, out) ES_BLEND_MATRIX_(a, a, 0, out)
/* Less than half a turn, in radians: needs no call. */
#define ES_IS_NEAR_(way)              ((way) > -3.141592653589793 && (way) < 3.141592653589793)

/* Whether numbers of a type can be blended so. The masks have the bit 1 << es_type: 0x06 F32 and F64,
 * 0x78 whole numbers, 0x42 F32 and U8. */
#define ES_FITS_(blend, type)         ((ES_TYPES_OF_(blend) >> (type)) % 2)
#define ES_TYPES_OF_(blend)                                                                        \
    ((blend) == ES_BLEND_STEP || (blend) == ES_BLEND_NEAREST                                       \
                    ? 0x7E                                                                         \
                    : ES_IF_(blend, MARK, 0x78,                                                    \
                            ES_IF_(blend, SRGB, 0x42, ES_IF_(blend, COLOUR, 0x02, 0x06))))
#define ES_IF_(blend, kind, yes, no) ((blend) == ES_BLEND_##kind ? (yes) : (no))
#define ES_MISFIT_                   "the member's type does not fit the kind of blend"
#define ES_FIRST_(a, ...)            a

/* The numbers that a field may have. ES_TYPE_NONE fits no kind. */
#define ES_NUMBERS_(X)                                                                             \
    X(float, ES_TYPE_F32)                                                                          \
    X(double, ES_TYPE_F64)                                                                         \
    X(bool, ES_TYPE_U8)                                                                            \
    X(char, ES_TYPE_U8)                                                                            \
    X(unsigned char, ES_TYPE_U8)                                                                   \
    X(int, ES_TYPE_I32)                                                                            \
    X(unsigned, ES_TYPE_U32)                                                                       \
    X(long, sizeof(long) == 4 ? ES_TYPE_I32 : ES_TYPE_I64)                                         \
    X(unsigned long, sizeof(long) == 4 ? ES_TYPE_U32 : ES_TYPE_NONE)                               \
    X(long long, ES_TYPE_I64)

#ifndef __cplusplus

/* t: above 0 and below 1. */
static inline double es_blend_angle_f64_(double a, double b, double t)
{
    return ES_IS_NEAR_(a - b) ? a - t * (a - b) : es_lerp_angle(a, b, t);
}
static inline float es_blend_angle_f32_(float a, float b, double t)
{
    return (float)es_blend_angle_f64_((double)a, (double)b, t);
}
static inline float es_blend_f32_(float a, float b, double t)
{
    return a - (float)t * (a - b);
}
static inline double es_blend_f64_(double a, double b, double t)
{
    return a - t * (a - b);
}
#define es_blend_linear_(a, b, t)                                                                  \
    _Generic((a), float : es_blend_f32_, double : es_blend_f64_)(a, b, t)
#define es_blend_angle_(a, b, t)                                                                   \
    _Generic((a), float : es_blend_angle_f32_, double : es_blend_angle_f64_)(a, b, t)

#define ES_WITH(member, value) .member = (value)
#define ES_FIELD_BY_HAND(name_of, type_of, ...)                                                    \
    {                                                                                              \
        .name = (name_of), .type = (type_of), .blend = __VA_ARGS__                                 \
    }

/* clang-format off */
/* One number, or an array of them, whose value is a pointer, too: a pointer is ES_TYPE_NONE. */
#define ES_NUMBER_(of, type)  , of: (type), of *: (type)
#define ES_POINTER_(of, type) , of **: ES_TYPE_NONE
#define ES_TYPE_OF_(number)                                                                        \
    _Generic(&(number) ES_NUMBERS_(ES_POINTER_), default: _Generic((number) ES_NUMBERS_(ES_NUMBER_)))
#define ES_CHECK_(fits) sizeof(struct { char unused; _Static_assert(fits, ES_MISFIT_); })
/* clang-format on */

/* 0x1844841 holds the sizes 1, 4, 8, 4, 4, 8, 1 of es_type, one per hex digit. */
#define ES_FIELD_OF_(name_of, number, count_of, offset_of, stride_of, ...)                         \
    {                                                                                              \
        .name = (name_of), .type = ES_TYPE_OF_(number), .count = (count_of),                       \
        .components = sizeof(number) / ((0x1844841 >> 4 * ES_TYPE_OF_(number)) & 15)               \
                      + 0 * ES_CHECK_(ES_FITS_(ES_FIRST_(__VA_ARGS__, 0), ES_TYPE_OF_(number))),   \
        .offset = (offset_of), .stride = (stride_of), .blend = __VA_ARGS__                         \
    }

#else
extern "C++" { /* also where the program includes this header as C */

inline float es_blend_linear_(float a, float b, double t)
{
    return a - ES_CAST_(float, t) * (a - b);
}
inline double es_blend_linear_(double a, double b, double t)
{
    return a - t * (a - b);
}
inline double es_blend_angle_(double a, double b, double t)
{
    return ES_IS_NEAR_(a - b) ? a - t * (a - b) : es_lerp_angle(a, b, t);
}
inline float es_blend_angle_(float a, float b, double t)
{
    return ES_CAST_(float, es_blend_angle_(ES_CAST_(double, a), ES_CAST_(double, b), t));
}

template <class Number, bool is_enum = __is_enum(Number)>
struct es_type_of_; /* none: no number of a field */
#define ES_NUMBER_(of, type)                                                                       \
    template <> struct es_type_of_<of, false> {                                                    \
        static constexpr es_type value = (type);                                                   \
    };
ES_NUMBERS_(ES_NUMBER_)
template <class Enum> struct es_type_of_<Enum, true> : es_type_of_<__underlying_type(Enum), false> {
};

/* A member: a number, an array, or an element of an array. */
template <class Member> struct es_member_ {
    static constexpr size_t components = 1;
    using number = Member;
};
template <class Number, size_t count> struct es_member_<Number[count]> {
    static constexpr size_t components = count;
    using number = Number;
};
template <class Member> struct es_member_<Member &> : es_member_<Member> {
};

template <class Value> struct es_part_ {
    Value es_field::*member;
    Value value;
};

constexpr es_field es_field_with_(es_field field)
{
    return field;
}

template <class Value, class... Parts>
constexpr es_field es_field_with_(es_field field, es_part_<Value> part, Parts... parts)
{
    field.*part.member = part.value;
    return es_field_with_(field, parts...);
}

template <class... Parts>
constexpr es_field es_field_at_(const char *name, es_type type, size_t count, size_t components,
        size_t offset, size_t stride, es_blend_kind blend, Parts... parts)
{
    return es_field_with_(es_field{name, type, blend, count, components, offset, stride, 0, 0, 0.0,
                                  0.0, nullptr, nullptr, nullptr, nullptr},
            parts...);
}

template <class Member, es_blend_kind blend> constexpr es_type es_type_that_fits_()
{
    constexpr es_type type = es_type_of_<typename es_member_<Member>::number>::value;
    static_assert(ES_FITS_(blend, type), ES_MISFIT_);
    return type;
}
}

#define ES_WITH(member, value)                                                                     \
    es_part_<decltype(es_field::member)>                                                           \
    {                                                                                              \
        &es_field::member, (value)                                                                 \
    }
#define ES_FIELD_BY_HAND(name, type, ...) es_field_at_(name, type, 0, 0, 0, 0, __VA_ARGS__)
#define ES_FIELD_OF_(name, number, count, offset, stride, ...)                                     \
    es_field_at_(name, es_type_that_fits_<decltype(number), ES_FIRST_(__VA_ARGS__, 0)>(), count,   \
            es_member_<decltype(number)>::components, offset, stride, __VA_ARGS__)

#endif

#endif /* C++11 */
#endif
