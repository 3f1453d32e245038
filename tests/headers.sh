#!/bin/sh
# Every public header alone, all of them together in any order and twice, and every public macro; adapters, the
# programs that they begin with, and examples of libraries that this machine may not have (tests/stubs): as C11,
# C17, C++17 and C++20, with each of gcc and clang that is installed, without a warning. The field macros of world.h
# give the same layout in each; a member whose type does not fit compiles in none.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$home/include" || exit 1
headers=$(ls evenstep/*.h | grep -v _parts.h) # of which one header includes each
languages=
for language in gcc:c11 gcc:c17 clang:c11 clang:c17 g++:c++17 g++:c++20 clang++:c++17 clang++:c++20; do
    ! command -v "${language%:*}" >/dev/null || languages="$languages $language"
done
check "gcc or clang" [ -n "$languages" ]

# by COMPILER:STANDARD FLAG...: what it said is $scratch/log. Examples are C: casts of C++ would not compile there
by() {
    compiler=${1%:*} standard=${1#*:} language=c
    shift
    case $standard:$* in c++*../examples/*) language=c++ ;; c++*) language=c++ && set -- -Wold-style-cast "$@" ;; esac
    "$compiler" -x $language -std="$standard" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I. "$@" \
        >"$scratch/log" 2>&1
}

# accepted WHAT FILE FLAG...: by each language; by C11 alone where the flags name a standard
accepted() {
    source=$1 file=$2
    shift 2
    for each in $languages; do
        case $each$* in *++*-std* | *:c17*-std*) continue ;; esac
        checks=$((checks + 1))
        by "$each" -fsyntax-only "$@" "$file" || fail "$source: $each: $(cat "$scratch/log")"
    done
}

for header in $headers; do
    printf '#include "%s"\nextern int not_empty;\n' "$header" >"$scratch/alone"
    accepted "$header" "$scratch/alone"
done

# older C++: world.h says in one error what it needs
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    for header in $headers; do
        printf '#include "%s"\nextern int not_empty;\n' "$header" >"$scratch/alone"
        "$compiler" -x c++ -std=c++98 -Wall -Wextra -Werror -fsyntax-only -I. "$scratch/alone" >"$scratch/log" 2>&1
        expected=
        case $header in evenstep/world*) expected='needs C++11 or later' ;; esac
        equal "$header: $compiler -std=c++98" "$(grep 'error: ' "$scratch/log" | sed 's/.*\(needs C++11 or later\).*/\1/')" "$expected"
    done
done

# 32-bit x86: an error instead of other results
for math in U D; do
    gcc -E -U__SSE2_MATH__ -D__i386__ -${math}__SSE2_MATH__ -I. "$home/src/base/common.h" >"$scratch/log" 2>&1
    equal "32-bit x86, -${math}__SSE2_MATH__" "$(grep -c 'error: #error' "$scratch/log")" $([ $math = D ]; echo $?)
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

# --- names of version 0.2: they compile, and the warning names the new ones -------------------------

cat >"$scratch/old" <<'END'
#include "evenstep/measure.h"
#include "evenstep/replay.h"
int old(es_loop *loop, es_meter *meter, es_record *record, es_replay *replay, es_synctest *test);
int old(es_loop *loop, es_meter *meter, es_record *record, es_replay *replay, es_synctest *test)
{
    es_difference difference;
    es_replay_item item;
    es_report report;
    es_meter_sample sample;
    es_replay_go(replay, NULL);
    return es_loop_display(loop).queue + (es_loop_report(loop) == NULL) + es_loop_step_once(loop)
           + es_meter_get(meter, 0, &sample) + es_record_status_get(record).result
           + es_replay_status_get(replay).result + es_replay_difference(replay, &difference)
           + es_synctest_difference(test, &difference) + es_replay_frame(replay, &report)
           + es_replay_read(replay, &item);
}
END
accepted "names of version 0.2" "$scratch/old" -Wno-deprecated-declarations
for each in $languages; do
    by "$each" -fsyntax-only -Wno-error "$scratch/old"
    equal "$each: names of version 0.2 that are reported" "$(grep -c 'warning: .*renamed to es_' "$scratch/log")" 11
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

# --- adapters: the programs that they begin with, and against stubs of their libraries --------------------

# the macros of <windows.h> that are words
printf '#define %s\n' 'min(a, b) ((a) < (b) ? (a) : (b))' 'max(a, b) ((a) > (b) ? (a) : (b))' near far 'small char' \
    'interface struct' IN OUT OPTIONAL 'ERROR 0' 'DELETE 1' 'DIFFERENCE 11' 'TRUE 1' 'FALSE 0' >"$scratch/windows.h"

# begins_with HEADER DECLARATION FLAG...: the world, the window and its events are the reader's
begins_with() {
    adapter=$1 declaration=$2
    shift 2
    {
        cat <<END
#include "adapters/$adapter.h"
#include <stdio.h>
$declaration
typedef struct world {
    double x;
} world;
extern world previous, current;
extern bool running;
void jump(world *state);
void update(world *state, double dt_s);
void draw(const world *before, const world *after, double alpha);
END
        [ "$adapter" = es_sokol ] || printf 'void play(void);\nvoid play(void)\n{\n' # sokol calls functions
        sed -n 's/^ \*     //p; /^ \*\//q' "../adapters/$adapter.h"
        [ "$adapter" = es_sokol ] || echo '}'
    } >"$scratch/begin"
    check "$adapter.h has a program at its head" grep -qE "${adapter}_(close|take)[(]" "$scratch/begin"
    accepted "the program that $adapter.h begins with" "$scratch/begin" -I .. -Wno-unused-function "$@"
}

cat >"$scratch/verified" <<'END'
#include "adapters/verify.h"
static int update(void *state, const es_step *step, const void *input, size_t size)
{
    return state == NULL || step == NULL || input == NULL || size == 0;
}
const es_verify es_verify_program = {ES_VERSION, "game", NULL, NULL, NULL, update, NULL};
END
accepted "adapters/verify.h" "$scratch/verified" -I ..

sdl='extern SDL_Window *window; extern SDL_Renderer *renderer;'
if pkg-config --exists sdl2; then
    # shellcheck disable=SC2046 # words
    begins_with es_sdl2 "$sdl" $(pkg-config --cflags sdl2 | sed 's/-I/-isystem /g')
fi
if pkg-config --exists glfw3; then
    begins_with es_glfw 'extern GLFWwindow *window;'
fi
for library in sdl3 raylib sokol; do
    stubs="-I .. -I ../adapters -I ../tests/stubs/$library"
    declaration=
    [ $library != sdl3 ] || declaration=$sdl
    printf '#include "es_%s.h"\nextern int not_empty;\n' $library >"$scratch/alone"
    # shellcheck disable=SC2086 # words
    {
        begins_with es_$library "$declaration" $stubs
        for flags in "" "-include $scratch/windows.h" -DES_SDL3_HOST=1 "-DES_FEEDBACK_X11 -DES_FEEDBACK_WAYLAND -DES_FEEDBACK_TARGETS" \
            -DES_SOKOL_HIDDEN_NS=0; do
            accepted es_$library.h "$scratch/alone" $stubs $flags
        done
        for example in ../examples/*_${library}_window.c; do
            accepted "$example" "$example" $stubs
        done
    }
done

if [ -f /usr/include/vulkan/vulkan.h ]; then
    printf '#include <vulkan/vulkan.h>\n#include "adapters/es_vulkan.h"\nextern int not_empty;\n' >"$scratch/alone"
    accepted es_vulkan.h "$scratch/alone" -I ..
    begins_with es_vulkan 'extern VkPhysicalDevice gpu; extern VkDevice device; extern VkQueue queue; extern es_loop *loop;
        extern VkSwapchainCreateInfoKHR info; extern VkPresentInfoKHR present; extern VkSwapchainKHR swapchain;
        extern VkPhysicalDeviceSurfaceInfo2KHR surface_info; extern VkSurfaceCapabilities2KHR surface_capabilities;' \
        -std=c11 -include vulkan/vulkan.h
fi

# --- every function-like macro --------------------------------------------------------------------

cat >"$scratch/blend" <<'END'
#include "evenstep/world.h"

typedef struct ball {
    float x;
    double mass[3];
} ball;

#define BALL_MEMBERS(M) M(x, LINEAR) M(mass[0], LINEAR)
ES_DEFINE_BLEND(ball, BALL_MEMBERS)
ball blend_them(const ball *previous, const ball *current);
ball blend_them(const ball *previous, const ball *current)
{
    return ball_blend(previous, current, 0.25);
}
extern const char eight[ES_TYPE_SIZE(ES_TYPE_F64)];
END
accepted "a blend of members" "$scratch/blend"

# A blend of linear members calls nothing. An integer member is refused.
sed 's/M(x, LINEAR)/M(id, LINEAR)/; s/float x;/float x; int id;/' "$scratch/blend" >"$scratch/refused"
for each in $languages; do
    by "$each" -O2 -c "$scratch/blend" -o "$scratch/object"
    equal "$each: what a blend of linear members calls" "$(nm "$scratch/object" | grep -ciE ' u |lerp|ball_blend')" 0
    refute "$each: an integer is blended" by "$each" -fsyntax-only "$scratch/refused"
done

cat >"$scratch/fields" <<'END'
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
        printf("%s %d %d %u %u %u %u %u %d %g %g %s %s %s %d\n", f->name,
                ES_CAST_(int, f->type), ES_CAST_(int, f->blend), ES_CAST_(unsigned, f->count),
                ES_CAST_(unsigned, f->components), ES_CAST_(unsigned, f->offset),
                ES_CAST_(unsigned, f->stride), ES_CAST_(unsigned, f->component_stride),
                ES_CAST_(int, f->group), f->period, f->delay_ticks,
                text(f->velocity), text(f->acceleration), text(f->contact),
                f->prediction == &fall);
    }
    if (!es_layout_validate(&layout)) {
        printf("%s\n", es_get_error());
        return 1;
    }
    return 0;
}
END
library=$(find "$build" -maxdepth 1 -name 'libevenstep.*' | head -n 1)
: >"$scratch/first"
for each in $languages; do
    check "$each: every member: $(cat "$scratch/log")" by "$each" "$scratch/fields" -x none "$library" -lm \
        -Wl,-rpath,"$build" -o "$scratch/program"
    check "$each: a valid layout" "$scratch/program" >"$scratch/out"
    [ -s "$scratch/first" ] || cp "$scratch/out" "$scratch/first"
    same "$each: the layout" "$scratch/first" "$scratch/out"
done
equal "fields" "$(wc -l <"$scratch/first")" 12
matches '^balls.at 1 10 7 3 0 [0-9]* 0 1 0 0.5 balls.speed balls.pull hits_ns 1$' "$scratch/first"

# a member that fits no field | the field; a float in its place does
while IFS='|' read -r member field; do
    for number in "$member" "float x"; do
        printf '#include "evenstep/world.h"\ntypedef struct { %s; } thing;\ntypedef struct { %s; thing things[3]; } world;
            extern const es_field fields[1];\nconst es_field fields[1] = {%s};\n' "$number" "$number" "$field" >"$scratch/one"
        for each in $languages; do
            if [ "$number" = "float x" ]; then
                check "$each: $field, a float" by "$each" -fsyntax-only "$scratch/one"
            else
                refute "$each: $field compiles of $number" by "$each" -fsyntax-only "$scratch/one"
                matches 'type|Generic' "$scratch/log"
            fi
        done
    done
done <<'TABLE'
int x|ES_FIELD(world, x, ES_BLEND_LINEAR)
int32_t x|ES_FIELD_OF_EACH(world, things, x, ES_BLEND_LINEAR)
double x|ES_FIELD(world, x, ES_BLEND_COLOUR)
bool x|ES_FIELD(world, x, ES_BLEND_ANGLE)
short x|ES_FIELD(world, x, ES_BLEND_STEP)
uint64_t x|ES_FIELD(world, x, ES_BLEND_STEP)
float *x|ES_FIELD(world, x, ES_BLEND_LINEAR)
struct { float y; } x|ES_FIELD(world, x, ES_BLEND_STEP)
TABLE

# None is forgotten above. Names that end in _ are private, as is what a header undefines again.
# shellcheck disable=SC2086 # words
for macro in $(sed -n 's/^#define \(ES_[A-Z0-9_]*[A-Z0-9]\)(.*/\1/p' $headers | sort -u); do
    grep -q "^#undef $macro\$" $headers ||
        check "tests/headers.sh expands the public macro $macro" grep -qE "(^|[^A-Z_])$macro\\(" "$scratch/fields" "$scratch/blend"
done
check "a public macro" [ -n "${macro-}" ]

# --- after <windows.h>: its macros, and all of it where mingw-w64 is installed -----------------------

mkdir "$scratch/libraries" # SDL2 and GLFW without the configuration for this machine
adapters=
first=
if [ -f /usr/include/SDL2/SDL.h ]; then
    cp /usr/include/SDL2/*.h "$scratch/libraries"
    printf '#define HAVE_%s_H 1\n' STDINT STDDEF STDARG >"$scratch/libraries/SDL_config.h"
    adapters="adapters/es_sdl2.h" first=SDL.h
fi
if [ -f /usr/include/GLFW/glfw3.h ]; then
    cp -R /usr/include/GLFW "$scratch/libraries"
    adapters="$adapters adapters/es_glfw.h" first="$first GLFW/glfw3.h"
fi

if [ -f /usr/include/vulkan/vulkan.h ]; then
    cp -R /usr/include/vulkan /usr/include/vk_video "$scratch/libraries"
    adapters="$adapters vulkan/vulkan.h adapters/es_vulkan.h"
fi

# includes HEADER...
includes() {
    printf '#include "%s"\n' "$@"
    echo 'extern int not_empty;'
}
# shellcheck disable=SC2086 # words
includes $first windows.h $headers $adapters >"$scratch/native"
accepted "after the macros of windows.h" "$scratch/native" -I "$scratch" -I .. -isystem "$scratch/libraries"
if command -v x86_64-w64-mingw32-gcc >/dev/null; then
    rm "$scratch/windows.h"
    # shellcheck disable=SC2086 # words
    includes windows.h $headers $adapters >"$scratch/mingw"
    check "after <windows.h>" x86_64-w64-mingw32-gcc -x c -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror \
        -fsyntax-only -I . -I .. -isystem "$scratch/libraries" "$scratch/mingw"
fi

# --- adapters/README.md: the table of headers and verbs ----------------------------------------------

# Cells of headers that are not there are left out. A cell without a function says why there is none.
awk -F ' *[|] *' '
    /^[|] [|] `es_/ { gsub(/`/, ""); split($0, name, FS); next }
    /^$/ { split("", name) }
    3 in name && /^[|] [a-z]/ { for (i = 3; i < NF; ++i) print $2 "|" name[i] "|" $i }
' ../adapters/README.md >"$scratch/cells"
equal "adapters/README.md: verbs" "$(cut -d '|' -f 1 "$scratch/cells" | uniq | paste -sd ' ' -)" \
    "open close event or poll next step submit what waits"
for header in ../adapters/es_*.h; do
    name=$(basename "$header")
    case $name in es_feedback.h | es_vulkan.h) continue ;; esac # they are for no window
    equal "adapters/README.md: cells of $name" "$(grep -c "|$name|[^|]" "$scratch/cells")" 7
    # every public function with a verb is in its cell, and every function of a cell is there
    sed -n "s/^static inline .*[ *]\(${name%.h}_\(open\|close\|event\|poll\|next\|step\|submit\|end\)\)(.*/\1/p" "$header" |
        sort -u >"$scratch/there"
    grep "|$name|" "$scratch/cells" | grep -o "\`${name%.h}_[a-z]*\`" | tr -d '\`' | sort >"$scratch/named"
    same "adapters/README.md: the functions of $name: $(cat "$scratch/there" "$scratch/named" | sort | uniq -u)" \
        "$scratch/there" "$scratch/named"
    check "$name has verbs" [ -s "$scratch/there" ]
done

# shellcheck disable=SC2086
finish "$(echo $headers | wc -w) headers, with$languages"
