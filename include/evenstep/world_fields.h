/* SPDX-License-Identifier: Zlib
 *
 * world_fields: the macros that describe a state in C and C++: ES_FIELD and its like, ES_LAYOUT,
 * ES_DEFINE_BLEND. world.h includes this header, and shows how they are used. Other languages fill
 * es_field and es_layout.
 */
#ifndef EVENSTEP_WORLD_FIELDS_H
#define EVENSTEP_WORLD_FIELDS_H

#include "evenstep/world.h"

#if !defined(__cplusplus) || __cplusplus >= 201103L || defined(_MSC_VER)

/* --- the fields of a state -------------------------------------------------------------------- */

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
#define ES_IS_NEAR_(way) ((way) > -3.141592653589793 && (way) < 3.141592653589793)

/* Whether numbers of a type can be blended so. The masks have the bit 1 << es_type: 0x06 F32 and F64,
 * 0x78 whole numbers, 0x42 F32 and U8. */
#define ES_FITS_(blend, type) ((ES_TYPES_OF_(blend) >> (type)) % 2)
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
