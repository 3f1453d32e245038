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

# older C++: world.h says in one error what it needs
for compiler in $compilers; do
    case $compiler in *++) ;; *) continue ;; esac
    for header in $headers; do
        printf '#include "%s"\nextern int not_empty;\n' "$header" >"$scratch/alone"
        "$compiler" -x c++ -std=c++98 -Wall -Wextra -Werror -fsyntax-only -I. "$scratch/alone" >"$scratch/log" 2>&1
        expected=
        [ "$header" != evenstep/world.h ] || expected='needs C++11 or later'
        equal "$header: $compiler -std=c++98" "$(grep 'error: ' "$scratch/log" | sed 's/.*\(needs C++11 or later\).*/\1/')" "$expected"
    done
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
#include "evenstep/world.h"

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

#define BALL_MEMBERS(M) M(x, LINEAR) M(mass[0], LINEAR)
ES_DEFINE_BLEND(ball, BALL_MEMBERS)
ball blend_them(const ball *previous, const ball *current);
ball blend_them(const ball *previous, const ball *current)
{
    return ball_blend(previous, current, 0.25);
}

static const es_field fields[] = {
        ES_FIELD_OF_EACH(world, balls, x, ES_BLEND_LINEAR),
        ES_FIELD_OF_EACH(world, balls, mass, ES_BLEND_LINEAR),
        ES_FIELD(world, camera_x, ES_BLEND_ANGLE, ES_WITH(delay_ticks, 0.5)),
        ES_FIELD_ARRAY(world, height, ES_BLEND_LINEAR),
        ES_FIELD_BY_HAND("turn", ES_TYPE_F32, ES_BLEND_STEP, ES_WITH(count, 10)),
};
static const es_layout layout = ES_LAYOUT(world, fields);

const char *use_them(int *count);
const char *use_them(int *count)
{
    size_t sizes[ES_TYPE_SIZE(ES_TYPE_F64)];
    *count = (int)(sizeof sizes / sizeof sizes[0]);
    return layout.fields[0].name;
}
END
accepted "a use of every public macro" "$scratch/macros"

# A blend of linear members calls nothing. An integer member is refused.
for compiler in $compilers; do
    case $compiler in *++) language=c++ ;; *) language=c ;; esac
    "$compiler" -x $language -O2 -c -I. "$scratch/macros" -o "$scratch/object"
    equal "$compiler: what a blend of linear members calls" "$(nm "$scratch/object" | grep -ciE ' u |lerp|ball_blend')" 0
    sed 's/M(x, LINEAR)/M(id, LINEAR)/; s/float x;/float x; int id;/' "$scratch/macros" >"$scratch/refused"
    check "$compiler: an integer is not blended" \
        sh -c '! "$1" -x "$2" -fsyntax-only -I. "$3" 2>/dev/null' - "$compiler" $language "$scratch/refused"
done

# None is forgotten above. Names that end in _ are private, as is what a header undefines again.
# shellcheck disable=SC2086 # words
for macro in $(sed -n 's/^#define \(ES_[A-Z0-9_]*[A-Z0-9]\)(.*/\1/p' $headers | sort -u); do
    grep -q "^#undef $macro\$" $headers ||
        check "tests/headers.sh expands the public macro $macro" grep -qE "(^|[^A-Z_])$macro\\(" "$scratch/macros"
done
check "a public macro" [ -n "${macro-}" ]
# shellcheck disable=SC2086
finish "$(echo $headers | wc -w) headers, with$compilers"
