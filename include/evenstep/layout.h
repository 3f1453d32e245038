/* SPDX-License-Identifier: Zlib
 *
 * layout: what is the state made of?
 *
 * A state is one block of memory: a struct, or arrays in one allocation. A layout names its fields
 * and says how each is blended. One description serves history, blend and (later) recording.
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
 * Not for: pointers, or anything else whose meaning is not in its own bytes.
 */
#ifndef EVENSTEP_LAYOUT_H
#define EVENSTEP_LAYOUT_H

#include "evenstep/base.h"

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

/* How a field looks between ticks. docs/blending.md has each formula, its source and its error. */
typedef enum es_blend_kind {
    ES_BLEND_NONE = 0, /* not set: refused */
    /* from two ticks */
    ES_BLEND_LINEAR,   /* along the straight line; F32 and F64 */
    ES_BLEND_ANGLE,    /* radians, the short way round; F32 and F64 */
    ES_BLEND_CYCLIC,   /* wraps at `period`, the short way round: texture offsets, phases, hours;
                          F32 and F64 */
    ES_BLEND_ROTATION, /* a unit quaternion of 4 components in any order, at even angular speed;
                          F32 and F64 */
    ES_BLEND_COLOUR,   /* linear light: 3 components, or 4 with a straight (not premultiplied) alpha
                          last; F32 and F64. Premultiplied linear light is ES_BLEND_LINEAR. */
    ES_BLEND_SRGB,     /* the same, encoded as sRGB: F32 and F64 from 0 to 1, U8 from 0 to 255;
                          alpha is never encoded */
    ES_BLEND_LOG,      /* by a constant ratio: scales, zooms, frequencies. Through zero, or to
                          another sign, along the straight line; F32 and F64 */
    ES_BLEND_STEP,     /* the newer tick's value, the older only at alpha 0: flags, counters,
                          anything discrete; every type */
    ES_BLEND_NEAREST,  /* the older tick's value below alpha 1/2; every type */
    /* from more: they need the ticks' times, so es_blend_run; F32 and F64 */
    ES_BLEND_HERMITE,     /* the cubic with the given `velocity` at both ends */
    ES_BLEND_CATMULL_ROM, /* the cubic through four ticks; smooth from pair to pair only where a
                             tick beyond is there: lead_ticks 1 */
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
    ES_PREDICT_LINEAR,   /* on with the field's `velocity`; without one, with the way of the last
                            tick */
    ES_PREDICT_BALLISTIC /* on with `velocity` and `acceleration` */
} es_predict;

/* How the picture comes from what an older tick predicted to what a newer one knows. */
typedef enum es_correct {
    ES_CORRECT_BLEND = 0, /* from the older prediction to the newer within a tick (the shorter of
                             the last two): both predict the shown instant, mixed by how much of the
                             tick has passed */
    ES_CORRECT_DECAY,     /* the newest prediction; what it was off by fades evenly in decay_ns */
    ES_CORRECT_SNAP       /* at once */
} es_correct;

/* How far and how a field is predicted. {0} (in C++ {}) holds. */
typedef struct es_prediction {
    es_predict kind;
    es_correct correct;
    int64_t max_ns;   /* predicted in full this far past the newest tick; 0: ES_PREDICT_MAX_NS */
    int64_t ramp_ns;  /* then slowing evenly to rest, for this long; 0: at rest at once */
    int64_t decay_ns; /* ES_CORRECT_DECAY: how long a correction fades; 0: ES_PREDICT_DECAY_NS. No
                         longer than the ticks are kept that it follows from: keep decay / period
                         + 1 of them, one more where there is no velocity. Rotations: as
                         ES_CORRECT_BLEND. */
} es_prediction;

/* How long after the last news a prediction stops by default, and how long a correction fades: what
 * the Source engine settled on (cl_extrapolate_amount, cl_smoothtime). */
#define ES_PREDICT_MAX_NS   ((int64_t)250000000)
#define ES_PREDICT_DECAY_NS ((int64_t)100000000)

/* One field: count elements of `components` numbers each.
 *
 * Number c of element i lies at offset + (i / tile) * tile_stride + (i % tile) * stride
 * + c * component_stride; without tiles at offset + i * stride + c * component_stride. So
 *   structs in an array      stride = the struct's size (packed or with gaps)
 *   an array per component   stride = a number's size, component_stride = an array's
 *   blocks of both           tile = objects per block, tile_stride = a block's size
 * Each stride is at least as long as what the shorter ones span, so that numbers of one field share
 * no bytes. One that leads nowhere (a single element, a single tile) may be 0. count need not be a
 * multiple of tile.
 */
typedef struct es_field {
    const char *name;        /* unique in the layout, not empty; outlives the layout */
    es_type type;            /* of each number */
    es_blend_kind blend;     /* how it is blended */
    size_t count;            /* elements: objects that have this field; at least 1 */
    size_t components;       /* numbers per element: 3 for a position; 0 counts as 1 */
    size_t offset;           /* bytes from the start of the state to the first element */
    size_t stride;           /* bytes from one element to the next */
    size_t component_stride; /* bytes from one component to the next; 0: they are adjacent */
    size_t tile;             /* elements per tile; 0: no tiles */
    size_t tile_stride;      /* bytes from one tile to the next */
    int32_t group;      /* above 0: element i of each field of this group is the same object i, and
                           all have the same count; at most one is a mark. For lists of objects and
                           alphas per object, too. */
    double period;      /* ES_BLEND_CYCLIC: after how much the value is the same again; above 0 and
                           finite, as a number of the field's type. Other kinds: 0 */
    double delay_ticks; /* shown so many ticks later than the rest of the frame, -8 to 8; below 0:
                           earlier, which past the newest tick is predicted */
    /* How it moves, for linear, angle, cyclic and the splines. Rotations take the last two. */
    const char *velocity;     /* the field with its change per second: as many numbers of the same
                                 type; NULL: none. ES_BLEND_HERMITE needs it */
    const char *acceleration; /* the field with its velocity's change per second: likewise, and only
                                 with a velocity; NULL: none */
    const char *contact;      /* the field with the simulated time, in ns, of each object's next
                                 contact: one I64 per element. Predicted up to there, then held. A
                                 time not after its own tick's means none. NULL: none */
    const es_prediction *prediction; /* NULL: hold. Outlives the layout. No rotation is ballistic */
} es_field;

/* A state's fields. Bytes that no field covers are not blended: the blended state lacks them. */
typedef struct es_layout {
    const es_field *fields; /* field_count of them; outlives the layout */
    size_t field_count;     /* at least 1 */
    size_t state_size;      /* bytes of one state */
} es_layout;

/* How many numbers of the type a member is; if it is no whole number, one that is refused. */
#define ES_COMPONENTS_(member, type)                                                               \
    (sizeof(member) % ES_TYPE_SIZE(type) == 0 ? sizeof(member) / ES_TYPE_SIZE(type) : SIZE_MAX)

/* Where a field lies: the four members from `count` to `stride`, for a field written out by hand:
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

/* Of blocks of such arrays, an array per component in each: seven members, to tile_stride. */
#define ES_PLACE_TILES(state, blocks, member, type)                                                \
    sizeof(((state *)0)->blocks) / sizeof(((state *)0)->blocks[0])                                 \
            * (sizeof(((state *)0)->blocks[0].member[0])                                           \
                    / sizeof(((state *)0)->blocks[0].member[0][0])),                               \
            sizeof(((state *)0)->blocks[0].member[0][0]) == ES_TYPE_SIZE(type)                     \
                    ? sizeof(((state *)0)->blocks[0].member)                                       \
                              / sizeof(((state *)0)->blocks[0].member[0])                          \
                    : SIZE_MAX,                                                                    \
            offsetof(state, blocks[0].member), sizeof(((state *)0)->blocks[0].member[0][0]),       \
            sizeof(((state *)0)->blocks[0].member[0]),                                             \
            sizeof(((state *)0)->blocks[0].member[0])                                              \
                    / sizeof(((state *)0)->blocks[0].member[0][0]),                                \
            sizeof(((state *)0)->blocks[0])

/* The members that the macros below leave at their defaults. */
#define ES_FIELD_REST_AFTER_TILES_ 0, 0.0, 0.0, NULL, NULL, NULL, NULL
#define ES_FIELD_REST_             0, 0, ES_FIELD_REST_AFTER_TILES_

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

/* Blocks in the state, an array per component in each: struct { float at[3][16], turn[4][16]; }
 * blocks[64]. Of 16 objects each they are the quickest to blend: docs/blending.md. */
#define ES_FIELD_TILES(name, state, blocks, member, type, blend)                                   \
    {                                                                                              \
        name, type, blend, ES_PLACE_TILES(state, blocks, member, type), ES_FIELD_REST_AFTER_TILES_ \
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

/** Checks a layout: names, types, kinds that fit the types, bounds, alignment, overlap, and what
 * else the comments above ask for.
 *
 * layout: not NULL.
 * error: filled with the field's own name (or "name" if it has none, "fields", "state_size") and
 *   the reason; NULLs when all is well; may be NULL.
 * Returns: ES_OK when history and blend can use it.
 * Errors: ES_ERR_INVALID.
 * Ownership: keeps nothing; error.field may point to the layout's own text.
 * Threads: any thread. Compares every field with every other: where their ranges are apart or their
 *   strides equal (arrays, structs, tiles) that takes no longer for a million elements than for
 *   one; otherwise it walks the elements within the range that both span.
 */
ES_API es_result es_layout_validate(const es_layout *layout, es_error *error);

/** Finds a field by name.
 *
 * layout: valid.
 * name: any text; not NULL.
 * Returns: the field, or NULL.
 * Errors: none.
 * Ownership: points into the layout.
 * Threads: any thread.
 */
ES_API const es_field *es_layout_find(const es_layout *layout, const char *name);

/** Where a field's number lies in a state.
 *
 * field: of a valid layout; not NULL.
 * element: below field->count.
 * component: below field->components (0 where that is 0).
 * Returns: bytes from the start of the state.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API size_t es_field_at(const es_field *field, size_t element, size_t component);

/** The name of a kind, as the command and the documents write it.
 *
 * kind: any value.
 * Returns: text such as "catmull-rom"; "none" for a value that is no kind.
 * Errors: none.
 * Ownership: static text.
 * Threads: any thread.
 */
ES_API const char *es_blend_kind_name(es_blend_kind kind);

#ifdef __cplusplus
}
#endif

#endif
