/* SPDX-License-Identifier: Zlib
 *
 * layout: the fields of a state.
 *
 * A state is one block of memory: a struct, or arrays in one allocation. A layout names its fields
 * and says how each is blended. One description serves history, blend and recording.
 *
 *   typedef struct ball { float x, y, angle; } ball;
 *   typedef struct world { ball balls[100]; float camera_x; } world;
 *   static const es_field fields[] = {
 *       ES_FIELD_OF_EACH("balls.x", world, balls, x, ES_TYPE_F32, ES_BLEND_LINEAR),
 *       ES_FIELD_OF_EACH("balls.y", world, balls, y, ES_TYPE_F32, ES_BLEND_LINEAR),
 *       ES_FIELD_OF_EACH("balls.angle", world, balls, angle, ES_TYPE_F32, ES_BLEND_ANGLE),
 *       ES_FIELD("camera_x", world, camera_x, ES_TYPE_F32, ES_BLEND_LINEAR),
 *   };
 *   static const es_layout layout = ES_LAYOUT(world, fields);
 *
 * Not for pointers, or anything else whose meaning is not in its own bytes.
 *
 * Threads: any thread. Allocation: none; names, fields and predictions must outlive the layout.
 */
#ifndef EVENSTEP_LAYOUT_H
#define EVENSTEP_LAYOUT_H

#include "evenstep/evenstep.h"

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

/* How a field looks between ticks. docs/notes/blending.md has the formulas, sources and errors.
 * Types are F32 and F64 unless others are named. */
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
    /* from more: they need the ticks' times, so es_blend_run or es_blend_frame */
    ES_BLEND_HERMITE,     /* the cubic with the given `velocity` at both ends */
    ES_BLEND_CATMULL_ROM, /* the cubic through four ticks; smooth from pair to pair only with a tick
                             beyond: lead_ticks 1 */
    ES_BLEND_MONOTONE,    /* a cubic that never leaves its two ends: through four ticks, or with the
                             given `velocity`, each limited */
    /* about objects */
    ES_BLEND_MARK /* counts an object's jumps: teleport, spawn, reuse of its slot. Where it changed,
                     no field of its group is blended across the change. 1 component, in a group;
                     U8, I32, U32, I64; not delayed. Itself as ES_BLEND_STEP. */
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

/* How far and how a field is predicted. {0} (in C++ {}) holds. */
typedef struct es_prediction {
    es_predict kind;
    es_correct correct;
    int64_t max_ns;   /* predicted in full this far past the newest tick; 0: ES_PREDICT_MAX_NS */
    int64_t ramp_ns;  /* then slowing evenly to rest, for this long; 0: at rest at once */
    int64_t decay_ns; /* ES_CORRECT_DECAY: how long a correction fades, at most as long as its ticks
                         are kept: decay / period + 1 of them, one more without a velocity. 0:
                         ES_PREDICT_DECAY_NS. Rotations: as ES_CORRECT_BLEND. */
} es_prediction;

/* How long after the last tick a prediction stops by default, and how long a correction fades: the
 * Source engine's values (cl_extrapolate_amount, cl_smoothtime). */
#define ES_PREDICT_MAX_NS   ((int64_t)250000000)
#define ES_PREDICT_DECAY_NS ((int64_t)100000000)

/* One field: count elements of `components` numbers each.
 *
 * Number c of element i lies at offset + (i / tile) * tile_stride + (i % tile) * stride
 * + c * component_stride; without tiles at offset + i * stride + c * component_stride. So
 *   structs in an array      stride = the struct's size (packed or with gaps)
 *   an array per component   stride = a number's size, component_stride = an array's
 *   blocks of both           tile = objects per block, tile_stride = a block's size
 * Each stride is at least as long as the shorter ones span, so that numbers of one field share no
 * bytes. The stride of a single element or tile may be 0. count need not be a multiple of tile.
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
    size_t tile;             /* elements per tile; 0: no tiles */
    size_t tile_stride;      /* bytes from one tile to the next */
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

/* A state's fields. Bytes that no field covers are not blended: the blended state lacks them. */
typedef struct es_layout {
    const es_field *fields; /* field_count of them */
    size_t field_count;     /* at least 1 */
    size_t state_size;      /* bytes of one state */
} es_layout;

/* How many numbers of the type a member has; if that is not whole, a count that is refused. */
#define ES_COMPONENTS_(member, type)                                                               \
    (sizeof(member) % ES_TYPE_SIZE(type) == 0 ? sizeof(member) / ES_TYPE_SIZE(type) : SIZE_MAX)

/* The four members from `count` to `stride`, for a field written out by hand:
 *   {"balls.at", ES_TYPE_F32, ES_BLEND_HERMITE,
 *           ES_PLACE_OF_EACH(world, balls, at, ES_TYPE_F32), .group = 1, .velocity = "balls.speed"}
 */
#define ES_PLACE(state, member, type)                                                              \
    1, ES_COMPONENTS_(((state *)0)->member, type), offsetof(state, member),                        \
            sizeof(((state *)0)->member)

/* Of a member of each element of an array of structs. */
#define ES_PLACE_OF_EACH(state, array, member, type)                                               \
    sizeof(((state *)0)->array) / sizeof(((state *)0)->array[0]),                                  \
            ES_COMPONENTS_(((state *)0)->array[0].member, type), offsetof(state, array[0].member), \
            sizeof(((state *)0)->array[0])

/* Of an array with an element per object: numbers, or arrays of them as components. */
#define ES_PLACE_ARRAY(state, array, type)                                                         \
    sizeof(((state *)0)->array) / sizeof(((state *)0)->array[0]),                                  \
            ES_COMPONENTS_(((state *)0)->array[0], type), offsetof(state, array),                  \
            sizeof(((state *)0)->array[0])

/* Of arrays of numbers, one array per component, as float q[4][100]: five members, to
 * component_stride. */
#define ES_PLACE_PLANES(state, planes, type)                                                       \
    sizeof(((state *)0)->planes[0]) / sizeof(((state *)0)->planes[0][0]),                          \
            sizeof(((state *)0)->planes[0][0]) == ES_TYPE_SIZE(type)                               \
                    ? sizeof(((state *)0)->planes) / sizeof(((state *)0)->planes[0])               \
                    : SIZE_MAX,                                                                    \
            offsetof(state, planes), sizeof(((state *)0)->planes[0][0]),                           \
            sizeof(((state *)0)->planes[0])

/* The members from tile on, at their defaults. */
#define ES_FIELD_REST_ 0, 0, 0, 0.0, 0.0, NULL, NULL, NULL, NULL

/* A field that a struct has once: a number, or an array of numbers as components. */
#define ES_FIELD(name, state, member, type, blend)                                                 \
    {                                                                                              \
        name, type, blend, ES_PLACE(state, member, type), 0, ES_FIELD_REST_                        \
    }

/* A member of each element of an array of structs in the state. */
#define ES_FIELD_OF_EACH(name, state, array, member, type, blend)                                  \
    {                                                                                              \
        name, type, blend, ES_PLACE_OF_EACH(state, array, member, type), 0, ES_FIELD_REST_         \
    }

/* An array in the state with an element per object: float x[100], float at[100][3]. */
#define ES_FIELD_ARRAY(name, state, array, type, blend)                                            \
    {                                                                                              \
        name, type, blend, ES_PLACE_ARRAY(state, array, type), 0, ES_FIELD_REST_                   \
    }

/* Arrays of numbers in the state, one array per component: float q[4][100]. */
#define ES_FIELD_PLANES(name, state, planes, type, blend)                                          \
    {                                                                                              \
        name, type, blend, ES_PLACE_PLANES(state, planes, type), ES_FIELD_REST_                    \
    }

/* The layout of a struct from an array of fields. */
#define ES_LAYOUT(state, fields)                                                                   \
    {                                                                                              \
        fields, sizeof(fields) / sizeof((fields)[0]), sizeof(state)                                \
    }

/* Bytes of one number of a type; 1 for a value that is no type. Constant where type is. */
#define ES_TYPE_SIZE(type)                                                                         \
    ((type) == ES_TYPE_F64 || (type) == ES_TYPE_I64                                                \
                    ? (size_t)8                                                                    \
                    : ((type) == ES_TYPE_U8 || (type) == ES_TYPE_NONE ? (size_t)1 : (size_t)4))

#ifdef __cplusplus
extern "C" {
#endif

/** Checks a layout: everything that the comments above demand, and that fields share no bytes.
 *
 * error: filled with the field's name (or "name" if it has none, "fields", "state_size") and the
 *   reason; NULLs when all is well; may be NULL.
 * ES_ERR_INVALID: history, blend and recording cannot use it.
 *
 * Compares every field with every other. Where their ranges are apart or one's strides are multiples
 * of the other's (arrays, structs, tiles) the time does not grow with the elements; otherwise it
 * walks the elements within the range that both span.
 */
ES_API es_result es_layout_validate(const es_layout *layout, es_error *error);

#ifdef __cplusplus
}
#endif

#endif
