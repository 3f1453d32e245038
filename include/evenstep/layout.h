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

/* How a field looks between two ticks. */
typedef enum es_blend_kind {
    ES_BLEND_NONE = 0, /* not set: refused */
    ES_BLEND_LINEAR,   /* along the straight line; F32 and F64 */
    ES_BLEND_ANGLE,    /* radians, the short way round; F32 and F64 */
    ES_BLEND_STEP      /* the newer tick's value, the older only at alpha 0: flags, counters,
                          anything discrete; every type */
} es_blend_kind;

/* One field: count elements, stride bytes apart, of `components` adjacent numbers each. */
typedef struct es_field {
    const char *name;    /* unique in the layout, not empty; outlives the layout */
    es_type type;        /* of each number */
    es_blend_kind blend; /* how it is blended */
    size_t count;        /* elements: objects that have this field; at least 1 */
    size_t components;   /* adjacent numbers per element: 3 for a position; 0 counts as 1 */
    size_t offset;       /* bytes from the start of the state to the first element */
    size_t stride;       /* bytes from one element to the next */
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

/* A field that a struct has once: a number, or an array of numbers as components. */
#define ES_FIELD(name, state, member, type, blend)                                                 \
    {                                                                                              \
        name, type, blend, 1, ES_COMPONENTS_(((state *)0)->member, type), offsetof(state, member), \
                sizeof(((state *)0)->member)                                                       \
    }

/* A member of each element of an array of structs in the state. */
#define ES_FIELD_OF_EACH(name, state, array, member, type, blend)                                  \
    {                                                                                              \
        name, type, blend, sizeof(((state *)0)->array) / sizeof(((state *)0)->array[0]),           \
                ES_COMPONENTS_(((state *)0)->array[0].member, type),                               \
                offsetof(state, array[0].member), sizeof(((state *)0)->array[0])                   \
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

/** Checks a layout: names, types, kinds that fit the types, bounds, alignment, overlap.
 *
 * layout: not NULL.
 * error: filled with the field's own name (or "name" if it has none, "fields", "state_size") and
 *   the reason; NULLs when all is well; may be NULL.
 * Returns: ES_OK when history and blend can use it.
 * Errors: ES_ERR_INVALID.
 * Ownership: keeps nothing; error.field may point to the layout's own text.
 * Threads: any thread. Compares every field with every other, element by element of the shorter.
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

#ifdef __cplusplus
}
#endif

#endif
