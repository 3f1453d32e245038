#!/bin/sh
# Every public header alone, all of them together in any order and twice, and every public macro:
# as C11, C17 and C++17, with each of gcc and clang that is installed, without a warning.
set -u
LC_ALL=C
export LC_ALL

home=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

flags="-Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only"
headers=$(cd "$home/include" && ls evenstep/*.h)
compiled=0
failed=0

fail() {
    printf 'headers: %s\n' "$1"
    failed=$((failed + 1))
}

# $1: what this source shows; $2: the source without its suffix, compiled as C and as C++.
compile() {
    cp "$2" "$2.c"
    cp "$2" "$2.cpp"
    for compiler in $compilers; do
        case $compiler in
        *++) standards=c++17 suffix=cpp ;;
        *) standards="c11 c17" suffix=c ;;
        esac
        for standard in $standards; do
            # shellcheck disable=SC2086 # flags are words
            "$compiler" "-std=$standard" $flags -I"$home/include" "$2.$suffix" \
                > "$work/log" 2>&1 || {
                fail "$1 fails with $compiler -std=$standard:"
                cat "$work/log"
            }
            compiled=$((compiled + 1))
        done
    done
}

compilers=
for compiler in gcc clang g++ clang++; do
    if command -v "$compiler" > /dev/null 2>&1; then
        compilers="$compilers $compiler"
    fi
done
case $compilers in
*gcc* | *clang*) ;;
*)
    echo 'headers: neither gcc nor clang is installed'
    exit 1
    ;;
esac

# --- each alone: nothing else is included before it -----------------------------------------------

count=0
for header in $headers; do
    printf '#include "%s"\nextern int not_empty;\n' "$header" > "$work/alone"
    compile "$header" "$work/alone"
    count=$((count + 1))
done

# --- all, in random order, twice ------------------------------------------------------------------

# shellcheck disable=SC2086 # a list of words
for seed in 1 2 3; do
    printf '%s\n' $headers $headers |
        awk -v seed=$seed 'BEGIN { srand(seed) } { print rand(), $0 }' | sort |
        sed 's/^[^ ]* \(.*\)/#include "\1"/' > "$work/order"
    echo 'extern int not_empty;' >> "$work/order"
    compile "the order of seed $seed ($(sed -n 's/.*evenstep.\(.*\)\.h"/\1/p' "$work/order" |
        tr '\n' ' '))" "$work/order"
done

# --- the program that threaded.h begins with, as it stands; the world is the reader's ---------------

{
    cat << 'END'
#include "evenstep/threaded.h"

#include <stdlib.h>

typedef struct world {
    double x;
} world;

void world_start(void *state);
void world_update(void *state, const void *previous, double dt_s);
void world_draw(const void *previous, const void *current, double alpha);
extern int quit;

END
    sed -n '/^ \*   static int start/,/^ \*   static es_threaded threaded;/s/^ \* \{0,3\}//p' \
        "$home/include/evenstep/threaded.h" | sed '$d'
    printf 'int play(void);\nint play(void)\n{\n'
    sed -n '/^ \*   static es_threaded threaded;/,/^ \*$/s/^ \* \{0,3\}//p' \
        "$home/include/evenstep/threaded.h"
    printf '    return result;\n}\n'
} > "$work/opening.c"
grep -q 'es_threaded_run(' "$work/opening.c" || fail 'threaded.h has no program at its head'
for compiler in $compilers; do
    case $compiler in
    *++) ;;
    *)
        # shellcheck disable=SC2086 # flags are words
        "$compiler" -std=c11 $flags -Wno-unused-parameter -I"$home/include" "$work/opening.c" \
            > "$work/log" 2>&1 || {
            fail "the program that threaded.h begins with fails with $compiler:"
            cat "$work/log"
        }
        compiled=$((compiled + 1))
        ;;
    esac
done

# --- every function-like macro --------------------------------------------------------------------

cat > "$work/macros" <<'END'
#include "evenstep/evenstep.h"

typedef struct ball {
    float x;
    double mass[3];
} ball;

typedef struct world {
    ball balls[10];
    float camera_x;
    float height[10];
    float turn[4][10];
} world;

static const es_field fields[] = {
        ES_FIELD_OF_EACH("balls.x", world, balls, x, ES_TYPE_F32, ES_BLEND_LINEAR),
        ES_FIELD_OF_EACH("balls.mass", world, balls, mass, ES_TYPE_F64, ES_BLEND_LINEAR),
        ES_FIELD("camera_x", world, camera_x, ES_TYPE_F32, ES_BLEND_ANGLE),
        ES_FIELD_ARRAY("height", world, height, ES_TYPE_F32, ES_BLEND_LINEAR),
        ES_FIELD_PLANES("turn", world, turn, ES_TYPE_F32, ES_BLEND_ROTATION),
};
static const es_layout layout = ES_LAYOUT(world, fields);

/* Fields by hand: C leaves out what stays at its default, C++17 names every member. */
#ifdef __cplusplus
#define REST 0, 0, 0, 1, 0.0, 0.5, "height", NULL, NULL, NULL
#define REST_OF_PLANES 0, 0, 1, 0.0, 0.5, NULL, NULL, NULL, NULL
#else
#define REST .group = 1, .delay_ticks = 0.5, .velocity = "height"
#define REST_OF_PLANES .group = 1, .delay_ticks = 0.5
#endif
extern const es_field by_hand[4];
const es_field by_hand[4] = {
        {"a", ES_TYPE_F32, ES_BLEND_HERMITE, ES_PLACE(world, camera_x, ES_TYPE_F32), REST},
        {"b", ES_TYPE_F32, ES_BLEND_LINEAR, ES_PLACE_OF_EACH(world, balls, x, ES_TYPE_F32), REST},
        {"c", ES_TYPE_F32, ES_BLEND_ANGLE, ES_PLACE_ARRAY(world, height, ES_TYPE_F32), REST},
        {"d", ES_TYPE_F32, ES_BLEND_ROTATION, ES_PLACE_PLANES(world, turn, ES_TYPE_F32), REST_OF_PLANES},
};

#define COUNT_ONE(name, value, message) +1
enum { result_count = 0 ES_RESULTS(COUNT_ONE) };

const char *use_them(int *count);
const char *use_them(int *count)
{
    size_t sizes[ES_TYPE_SIZE(ES_TYPE_F64) + ES_COMPONENTS_(count, ES_TYPE_U8)];
    static unsigned char memory[ES_HISTORY_SIZE(world, ES_HISTORY_TICKS_MIN)];
    static unsigned char shared[ES_EXCHANGE_SIZE(world, ES_EXCHANGE_TICKS_MIN)];
    memory[0] = shared[0] = 1;
    *count = memory[0] + result_count + (int)(sizeof sizes / sizeof sizes[0]);
    return layout.fields[0].name;
}
END
compile "a use of every public macro" "$work/macros"

# None is forgotten above. What a header undefines again is its own business.
macros=0
for macro in $(cd "$home/include" &&
    sed -n 's/^#define \(ES_[A-Z0-9_]*\)(.*/\1/p' $headers | sort -u); do
    if ! grep -q "^#undef $macro\$" "$home"/include/evenstep/*.h; then
        grep -q "[^A-Z_]$macro(" "$work/macros" ||
            fail "tests/headers.sh does not expand the public macro $macro"
        macros=$((macros + 1))
    fi
done
[ "$macros" -gt 0 ] || fail "no public macro was found"

printf 'headers: %d failures; %d headers and %d macros, %d compilations with%s\n' \
    "$failed" "$count" "$macros" "$compiled" "$compilers"
[ "$failed" -eq 0 ]
