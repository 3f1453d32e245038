#!/bin/sh
# Every public header alone, all of them together in any order and twice, and every public macro:
# as C11, C17 and C++17, with each of gcc and clang that is installed, without a warning.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$home/include" || exit 1
headers=$(ls evenstep/*.h | grep -v _parts.h) # of which one header includes each
compilers=
for compiler in gcc clang g++ clang++; do
    if command -v "$compiler" >/dev/null; then
        compilers="$compilers $compiler"
    fi
done
check "gcc or clang" [ -n "$compilers" ]

# accepted WHAT FILE FLAG...: as C, and as C++ unless the flags name a standard
accepted() {
    source=$1 file=$2
    shift 2
    for compiler in $compilers; do
        case $compiler$* in
        *++-std*) continue ;;
        *-std*) standards=c11 language=c ;;
        *++) standards=c++17 language=c++ ;;
        *) standards="c11 c17" language=c ;;
        esac
        for standard in $standards; do
            checks=$((checks + 1))
            "$compiler" -x $language -std=$standard -Wall -Wextra -Wpedantic -Wconversion -Werror \
                -fsyntax-only "$@" -I. "$file" >"$scratch/log" 2>&1 ||
                fail "$source: $compiler -std=$standard: $(cat "$scratch/log")"
        done
    done
}

for header in $headers; do
    printf '#include "%s"\nextern int not_empty;\n' "$header" >"$scratch/alone"
    accepted "$header" "$scratch/alone"
done

for seed in 1 2 3; do
    # shellcheck disable=SC2086 # words
    {
        printf '%s\n' $headers $headers |
            awk -v seed=$seed 'BEGIN { srand(seed) } { print rand() " #include \"" $0 "\"" }' | sort |
            cut -d ' ' -f 2-
        echo 'extern int not_empty;'
    } >"$scratch/order"
    accepted "the order of seed $seed: $(tr '\n' ' ' <"$scratch/order")" "$scratch/order"
done

# --- the program that threads.h begins with; the world is the reader's ------------------------------

{
    cat <<'END'
#include "evenstep/threads.h"
typedef struct world {
    double x;
} world;
void world_update(void *state, const void *previous, double dt_s);
bool poll_input(void);
void draw(const void *previous, const void *current, double alpha);
void present(void);
extern const world first;
void play(es_loop *loop);
END
    sed -n '/^ \*   static void update/,/^ \*   }/s/^ \* \{0,3\}//p' evenstep/threads.h
    printf 'void play(es_loop *loop)\n{\n'
    sed -n '/^ \*   es_threads_config config/,/^ \*   es_threads_stop/s/^ \* \{0,3\}//p' evenstep/threads.h
    printf '}\n'
} >"$scratch/opening"
check "threads.h has a program at its head" grep -q 'es_threads_start(' "$scratch/opening"
accepted "the program that threads.h begins with" "$scratch/opening" -std=c11 -Wno-unused-parameter

# --- every function-like macro --------------------------------------------------------------------

cat >"$scratch/macros" <<'END'
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
    memory[0] = 1;
    *count = memory[0] + result_count + (int)(sizeof sizes / sizeof sizes[0]);
    return layout.fields[0].name;
}
END
accepted "a use of every public macro" "$scratch/macros"

# None is forgotten above. What a header undefines again is its own business.
# shellcheck disable=SC2086 # words
for macro in $(sed -n 's/^#define \(ES_[A-Z0-9_]*\)(.*/\1/p' $headers | sort -u); do
    grep -q "^#undef $macro\$" $headers ||
        check "tests/headers.sh expands the public macro $macro" grep -q "[^A-Z_]$macro(" "$scratch/macros"
done
check "a public macro" [ -n "${macro-}" ]
# shellcheck disable=SC2086
finish "$(echo $headers | wc -w) headers, with$compilers"
