#!/bin/sh
# The field macros of world.h: one text, as C11, C17, C++17 and C++20, describes a field with every member
# and gives the same layout in each. A member whose type does not fit compiles in none of them.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
for library in "$build"/libevenstep.a "$build"/libevenstep.so; do
    [ -f "$library" ] && break
done
[ -f "$library" ] || skip "no library in $build"
languages=
for compiler in gcc clang; do
    ! command -v $compiler >/dev/null || languages="$languages $compiler:c11 $compiler:c17"
done
for compiler in g++ clang++; do
    ! command -v $compiler >/dev/null || languages="$languages $compiler:c++17 $compiler:c++20"
done

# by COMPILER:STANDARD ARGUMENT...
by() {
    of=${1#*:} compiler=${1%:*}
    shift
    case $of in
    c++*) language=c++ ;;
    *) language=c ;;
    esac
    "$compiler" -x $language -std="$of" -Wall -Wextra -Wpedantic -Wconversion -Werror -I"$home/include" "$@" \
        >"$scratch/log" 2>&1
}

cat >"$scratch/all.c" <<'END_OF_TEXT'
#include "evenstep/world.h"

#include <stdio.h>

enum mode { CALM, WILD };

typedef struct ball {
    float at[3], speed[3], pull[3];
    double phase;
    enum mode mode;
    uint8_t jumps;
    int64_t hit_ns[2];
    bool seen;
} ball;

typedef struct world {
    ball balls[7];
    int64_t hits_ns[7];
    float row[7];
    float planes[4][7];
    float tiles[2][3][4];
    struct {
        double x;
    } camera;
} world;

static const es_prediction fall = {ES_PREDICT_BALLISTIC, ES_CORRECT_DECAY, 1, 2, 3};
static const es_field fields[] = {
        ES_FIELD_OF_EACH(world, balls, at, ES_BLEND_HERMITE, ES_WITH(group, 1),
                ES_WITH(delay_ticks, 0.5), ES_WITH(velocity, "balls.speed"),
                ES_WITH(acceleration, "balls.pull"), ES_WITH(contact, "hits_ns"),
                ES_WITH(prediction, &fall)),
        ES_FIELD_OF_EACH(world, balls, speed, ES_BLEND_LINEAR, ES_WITH(group, 1)),
        ES_FIELD_OF_EACH(world, balls, pull, ES_BLEND_STEP),
        ES_FIELD_OF_EACH(world, balls, phase, ES_BLEND_CYCLIC, ES_WITH(period, 24)),
        ES_FIELD_OF_EACH(world, balls, mode, ES_BLEND_NEAREST),
        ES_FIELD_OF_EACH(world, balls, jumps, ES_BLEND_MARK, ES_WITH(group, 1)),
        ES_FIELD_OF_EACH(world, balls, hit_ns, ES_BLEND_STEP),
        ES_FIELD_OF_EACH(world, balls, seen, ES_BLEND_STEP),
        ES_FIELD_ARRAY(world, hits_ns, ES_BLEND_STEP),
        ES_FIELD_ARRAY(world, row, ES_BLEND_LOG),
        ES_FIELD_BY_HAND("planes", ES_TYPE_F32, ES_BLEND_ROTATION, ES_WITH(count, 7),
                ES_WITH(components, 4), ES_WITH(offset, offsetof(world, planes)),
                ES_WITH(stride, sizeof(float)), ES_WITH(component_stride, 7 * sizeof(float))),
        ES_FIELD_BY_HAND("tiles", ES_TYPE_F32, ES_BLEND_COLOUR, ES_WITH(count, 8),
                ES_WITH(components, 3), ES_WITH(offset, offsetof(world, tiles)),
                ES_WITH(stride, sizeof(float)), ES_WITH(component_stride, 4 * sizeof(float)),
                ES_WITH(tile, 4), ES_WITH(tile_stride, 12 * sizeof(float))),
        ES_FIELD(world, camera.x, ES_BLEND_ANGLE),
};
static const es_layout layout = ES_LAYOUT(world, fields);

static const char *text(const char *name)
{
    return name != NULL ? name : "-";
}

int main(void)
{
    for (size_t i = 0; i < layout.field_count; ++i) {
        const es_field *f = &layout.fields[i];
        printf("%s %d %d %u %u %u %u %u %u %u %d %g %g %s %s %s %d\n", f->name, (int)f->type,
                (int)f->blend, (unsigned)f->count, (unsigned)f->components, (unsigned)f->offset,
                (unsigned)f->stride, (unsigned)f->component_stride, (unsigned)f->tile,
                (unsigned)f->tile_stride, (int)f->group, f->period, f->delay_ticks,
                text(f->velocity), text(f->acceleration), text(f->contact),
                f->prediction == &fall);
    }
    if (!es_layout_validate(&layout)) {
        printf("%s\n", es_get_error());
        return 1;
    }
    return 0;
}
END_OF_TEXT

: >"$scratch/first"
for each in $languages; do
    check "$each: every member: $(cat "$scratch/log" 2>/dev/null)" by "$each" "$scratch/all.c" -x none "$library" -lm \
        -Wl,-rpath,"$build" -o "$scratch/all"
    check "$each: a valid layout" "$scratch/all" >"$scratch/out"
    [ -s "$scratch/first" ] || cp "$scratch/out" "$scratch/first"
    check "$each: the same layout" cmp -s "$scratch/first" "$scratch/out"
done
check "all fields are there" [ "$(wc -l <"$scratch/first")" -eq 13 ]
check "balls.at" grep -q '^balls.at 1 10 7 3 0 [0-9]* 0 0 0 1 0 0.5 balls.speed balls.pull hits_ns 1$' "$scratch/first"

# refused WHAT MEMBER FIELD: compiles nowhere; FIT, of a float, does
refused() {
    what=$1 member=$2 field=$3
    for each in $languages; do
        for number in "$member" "float x"; do
            cat >"$scratch/one.c" <<END_OF_TEXT
#include "evenstep/world.h"
typedef struct thing {
    $number;
} thing;
typedef struct world {
    $number;
    thing things[3];
} world;
extern const es_field fields[1];
const es_field fields[1] = {$field};
END_OF_TEXT
            checks=$((checks + 1))
            if by "$each" -fsyntax-only "$scratch/one.c"; then
                [ "$number" = "float x" ] || fail "$each: $what compiles"
            elif [ "$number" = "float x" ]; then
                fail "$each: a float does not compile: $field: $(cat "$scratch/log")"
            elif ! grep -Eq 'type|Generic' "$scratch/log"; then
                fail "$each: $what: another mistake: $(cat "$scratch/log")"
            fi
        done
    done
}
refused "an int along a line" "int x" 'ES_FIELD(world, x, ES_BLEND_LINEAR)'
refused "an int of each along a line" "int32_t x" 'ES_FIELD_OF_EACH(world, things, x, ES_BLEND_LINEAR)'
refused "a double as a colour" "double x" 'ES_FIELD(world, x, ES_BLEND_COLOUR)'
refused "a bool as an angle" "bool x" 'ES_FIELD(world, x, ES_BLEND_ANGLE)'
refused "a short" "short x" 'ES_FIELD(world, x, ES_BLEND_STEP)'
refused "a uint64_t" "uint64_t x" 'ES_FIELD(world, x, ES_BLEND_STEP)'
refused "a pointer" "float *x" 'ES_FIELD(world, x, ES_BLEND_LINEAR)'
refused "a struct" "struct { float y; } x" 'ES_FIELD(world, x, ES_BLEND_STEP)'
finish "with$languages"
