/* SPDX-License-Identifier: Zlib
 *
 * The members of es_field from `count` on, for fields of tests whose names, types and kinds the
 * public macros would not give: {"at", ES_TYPE_F32, kind, ES_PLACE(world, at, ES_TYPE_F32), ...}
 */
#ifndef PLACES_H
#define PLACES_H

#include "evenstep/world.h"

/* How many numbers of the type a member has; if that is not whole, a count that is refused. */
#define ES_COMPONENTS_(member, type)                                                               \
    (sizeof(member) % ES_TYPE_SIZE(type) == 0 ? sizeof(member) / ES_TYPE_SIZE(type) : SIZE_MAX)

#define ES_PLACE(state, member, type)                                                              \
    1, ES_COMPONENTS_(((state *)0)->member, type), offsetof(state, member),                        \
            sizeof(((state *)0)->member)

/* Of a member of each element of an array of structs. */
#define ES_PLACE_OF_EACH(state, array, member, type)                                               \
    sizeof(((state *)0)->array) / sizeof(((state *)0)->array[0]),                                  \
            ES_COMPONENTS_(((state *)0)->array[0].member, type), offsetof(state, array[0].member), \
            sizeof(((state *)0)->array[0])

/* Of an array with an element per object. */
#define ES_PLACE_ARRAY(state, array, type)                                                         \
    sizeof(((state *)0)->array) / sizeof(((state *)0)->array[0]),                                  \
            ES_COMPONENTS_(((state *)0)->array[0], type), offsetof(state, array),                  \
            sizeof(((state *)0)->array[0])

/* Of arrays of numbers, one array per component: five members, to component_stride. */
#define ES_PLACE_PLANES(state, planes, type)                                                       \
    sizeof(((state *)0)->planes[0]) / sizeof(((state *)0)->planes[0][0]),                          \
            sizeof(((state *)0)->planes) / sizeof(((state *)0)->planes[0]),                        \
            offsetof(state, planes), sizeof(((state *)0)->planes[0][0]),                           \
            sizeof(((state *)0)->planes[0])

#endif
