#!/bin/sh
# The two files to copy (scripts/amalgamate): they compile alone and without a warning, as every C
# standard that they promise, by gcc and clang; the programs of tests/consumer and our own tests run
# on them; and the blend's bytes are those of tests/golden_blend.c with the flags that people use,
# where CMake is not there to forbid what changes them. Adapters and examples compile beside them as
# they are. Then, in a copy of the sources: files that use the same names, and mistakes that the
# script must name.
set -u
LC_ALL=C
export LC_ALL
build=${BUILD_DIR:?}
root=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
warnings="-Wall -Wextra -Wpedantic -Werror"
pair="$scratch/two files"
builds=0
tests=0

fail() {
    echo "FAILED: $1" >&2
    [ -f "$scratch/log" ] && tail -n 30 "$scratch/log" >&2
    exit 1
}

quietly() {
    "$@" > "$scratch/log" 2>&1
}

quietly scripts/amalgamate "$pair" || fail "scripts/amalgamate"
files=$(cd "$pair" && find . -type f | sort)
[ "$files" = "$(printf './evenstep.c\n./evenstep/evenstep.h')" ] || fail "not two files: $files"
compilers=
for compiler in gcc clang; do
    command -v $compiler > /dev/null 2>&1 && compilers="$compilers $compiler"
done
[ -n "$compilers" ] || fail "neither gcc nor clang is installed"

# --- alone, and in programs -----------------------------------------------------------------------

# compile COMPILER FLAGS: evenstep.o, from nothing but the two files
compile() {
    # shellcheck disable=SC2086 # flags are words
    (cd "$pair" && quietly "$1" $2 -c evenstep.c -o "$scratch/evenstep.o") ||
        fail "$1 $2 does not compile evenstep.c"
    builds=$((builds + 1))
}

# link COMPILER FLAGS OBJECT
link() {
    # shellcheck disable=SC2086 # flags are words
    quietly "$1" $2 "$3" "$scratch/evenstep.o" -lm -o "$scratch/program" || fail "$1 $2: $3: no link"
}

# program COMPILER FLAGS: the consumer in that compiler's language
program() {
    source=consumer.c
    case $1 in *++) source=consumer.cpp ;; esac
    # shellcheck disable=SC2086 # flags are words
    quietly "$1" $2 $warnings -I "$pair" -c "$root/tests/consumer/$source" -o "$scratch/consumer.o" ||
        fail "$1 $2: $source does not compile with evenstep.h"
    link "$1" "" "$scratch/consumer.o"
    quietly "$scratch/program" || fail "$1 $2: $source fails"
    [ "$(cat "$scratch/log")" = "$line" ] || fail "$1 $2: not as with the library, which prints $line"
}

# What the consumer prints with the library that CMake built: the pictures, and the instruction set.
library=$(find "$build" -maxdepth 1 -name 'libevenstep.*' | head -n 1)
quietly cc -std=c17 -I include tests/consumer/consumer.c "$library" -lm -o "$scratch/program" ||
    fail "tests/consumer/consumer.c: no link with $library"
quietly env LD_LIBRARY_PATH="$build" "$scratch/program" ||
    fail "tests/consumer/consumer.c fails with $library"
line=$(cat "$scratch/log")

# The test's own arithmetic is to be exact, whatever the flags of evenstep.c.
sed 's|"evenstep/blend.h"|"evenstep/evenstep.h"|' tests/golden_blend.c > "$scratch/golden.c"
quietly cc -std=c17 -O1 -ffp-contract=off -I "$pair" -c "$scratch/golden.c" -o "$scratch/golden.o" ||
    fail "tests/golden_blend.c does not compile with evenstep.h"
expected=$(sed -n 's/^#define EXPECTED_TOTAL UINT64_C(0x\([0-9a-f]*\))$/\1/p' tests/golden_blend.c)

# golden COMPILER FLAGS: by every instruction set of this machine
golden() {
    link "$1" "$3" "$scratch/golden.o"
    quietly "$scratch/program" || fail "$1 $2: other bytes"
    grep -q "^total *$expected  scalar" "$scratch/log" || fail "$1 $2: no total"
    sets=$(sed -n 's/^total *[0-9a-f]*  //p' "$scratch/log")
    printf 'amalgamation: %-36s %s\n' "$1 $2" "$sets"
}

for compiler in $compilers; do
    compile "$compiler" "-std=c11 -O0 $warnings"
    golden "$compiler" "-std=c11 -O0" ""
    program "$compiler" -std=c11
    program "$compiler" -std=c17
    cxx=g++
    [ "$compiler" = gcc ] || cxx=clang++
    ! command -v $cxx > /dev/null 2>&1 || program $cxx -std=c++17
    compile "$compiler" "-std=c17 -fsyntax-only $warnings"
    compile "$compiler" "-std=gnu17 -fsyntax-only $warnings"
    compile "$compiler" "-std=c2x -fsyntax-only $warnings"
done

# As on the command line in the file's head; with this one the tests are run, too.
compile cc "-O2 $warnings"
golden cc "-O2" ""
cp "$scratch/evenstep.o" "$scratch/usual.o"
nm -g --defined-only "$scratch/evenstep.o" | awk '{ print $3 }' | sort > "$scratch/defined"
grep -v '^es_' "$scratch/defined" > "$scratch/log" && fail "symbols that do not begin with es_:"
header=$pair/evenstep/evenstep.h
sed -n 's/^ES_API .*[ *]\(es_[a-z0-9_]*\)(.*/\1/p' "$header" | sort > "$scratch/declared"
[ "$(grep -c '^ES_API ' "$header")" = "$(wc -l < "$scratch/declared")" ] ||
    fail "evenstep.h: a line that begins with ES_API declares no function"
comm -23 "$scratch/declared" "$scratch/defined" > "$scratch/log"
[ ! -s "$scratch/log" ] || fail "declared, but not there:"

# Equal bytes say nothing of which kernels gave them: those of a set use its registers.
if [ "$(uname -m)" = x86_64 ]; then
    for kernel in sse2:xmm avx2:ymm avx512:zmm; do
        objdump -d "$scratch/evenstep.o" | awk -v name="<blend_${kernel%:*}_linear_f32>:" \
            '/^[0-9a-f]+ </ { on = $2 == name } on' | grep "%${kernel#*:}" > "$scratch/log" ||
            fail "${kernel%:*}: its kernel does not use ${kernel#*:}"
    done
fi

for test in time clock gap ticker content config loop due input timelines faults layout history exchange threaded \
    threaded_change track meter blend rotation; do
    object="$build/tests/CMakeFiles/test_$test.dir/test_$test.c.o"
    quietly cc "$object" "$scratch/evenstep.o" -lcmocka -lm -o "$scratch/program" ||
        fail "tests/test_$test.c: no link"
    quietly "$scratch/program" || fail "tests/test_$test.c"
    tests=$((tests + 1))
done

# With flags that would change the bytes, were the file not to say otherwise.
native=
! cc -march=native -E -x c /dev/null > /dev/null 2>&1 || native=-march=native
for compiler in $compilers; do
    if [ "$compiler" = clang ]; then
        compile clang "-O1 $native"
        golden clang "-O1 $native" ""
        (cd "$pair" && quietly clang -ffast-math -fsyntax-only evenstep.c) &&
            fail "clang -ffast-math is not refused"
        grep -q 'error: .*-fno-fast-math' "$scratch/log" || fail "clang -ffast-math: refused, but:"
    else
        compile gcc "-O1 -flto -ffast-math $native"
        golden gcc "-O1 -flto -ffast-math $native" "-O1 -flto"
    fi
done
(cd "$pair" && quietly cc -x c++ -fsyntax-only -Wfatal-errors evenstep.c) && fail "C++ is not refused"
grep -q 'error: .*evenstep.c is C' "$scratch/log" || fail "C++: refused, but:"
if [ "$(uname -s)" = Linux ]; then
    printf '#include <stdio.h>\n#include "evenstep.c"\n' > "$scratch/unity.c"
    (cd "$pair" && quietly cc -I . -fsyntax-only "$scratch/unity.c") &&
        fail "after system headers: not refused"
    grep -q 'error: .*compile it by itself' "$scratch/log" || fail "after system headers: refused, but:"
fi

# As the README says it; its program is the game.
awk '$0 == "```c" { on = 1; next } /^```/ { on = 0 } on' README.md > "$pair/game.c"
grep '^cc .*evenstep\.c' README.md > "$pair/command.sh"
[ -s "$pair/command.sh" ] || fail "README.md: no command with evenstep.c"
# Its -O2 was compiled above, so whichever compiler it calls is given the object in place of the file.
mkdir "$scratch/bin"
for compiler in cc gcc clang; do
    real=$(command -v $compiler) || continue
    cat > "$scratch/bin/$compiler" << END
#!/bin/sh
for word; do
    shift
    [ "\$word" != evenstep.c ] || word='$scratch/usual.o'
    set -- "\$@" "\$word"
done
exec "$real" "\$@"
END
done
chmod +x "$scratch/bin/"*
(cd "$pair" && PATH=$scratch/bin:$PATH && quietly sh ./command.sh && quietly ./game) ||
    fail "README.md: two files"

# --- copied beside the two files, as they are ------------------------------------------------------

game="$scratch/a game"
mkdir "$game"
cp -R "$pair/evenstep" "$pair/evenstep.c" adapters/*.[ch] examples/*.c "$game"
cd "$game" || exit 1

# beside MODULES LANGUAGE FLAGS FILE...: every compiler takes the files, found without -I
beside() {
    modules=$1
    language=$2
    flags=$3
    shift 3
    # shellcheck disable=SC2086 # words
    if [ -n "$modules" ] && ! pkg-config --exists $modules 2> /dev/null; then
        echo "amalgamation: left out: $*: not here: $modules"
        return
    fi
    # shellcheck disable=SC2086 # words
    libraries=$([ -z "$modules" ] || pkg-config --cflags $modules | sed 's/-I/-isystem /g')
    for file; do
        for compiler in $compilers; do
            [ "$language" = c ] || compiler=$(echo "$compiler" | sed 's/gcc/g++/; s/clang/clang++/')
            command -v "$compiler" > /dev/null 2>&1 || continue
            # shellcheck disable=SC2086 # words
            quietly "$compiler" -x $language $warnings $flags $libraries -fsyntax-only "$file" ||
                fail "$compiler $flags: $file does not compile beside the two files"
            beside=$((beside + 1))
        done
    done
}

beside=0
if pkg-config --exists wayland-client wayland-protocols wayland-scanner 2> /dev/null; then
    grep -e '^xml=' -e '^wayland-scanner ' "$root/adapters/README.md" > wayland.sh
    quietly sh ./wayland.sh || fail "adapters/README.md: wayland-scanner"
    wayland="wayland-client wayland-protocols"
else
    wayland="wayland-scanner"
fi
for header in input_*.h record_file.h x11_present.h wayland_presentation.h; do # each alone
    needs=
    stub=
    case $header in
    input_browser.h) stub="-isystem $root/tests/stubs/browser" ;;
    input_glfw.h) needs=glfw3 ;;
    input_sdl2.h) needs=sdl2 ;;
    input_x11.h) needs=x11 ;;
    input_evdev.h) [ "$(uname -s)" = Linux ] || continue ;;
    esac
    printf '#include "%s"\nextern int not_empty;\n' "$header" > "with_$header.c"
    beside "$needs" c "-std=c17 $stub" "with_$header.c"
    beside "$needs" c++ "-std=c++17 $stub" "with_$header.c"
done
rm with_*
for source in *_*.c; do
    needs=
    case $source in
    [0-9]*) ! grep -q '^#include <SDL.h>' "$source" || needs=sdl2 ;;
    wayland_presentation.c) needs=$wayland ;;
    x11_present.c) needs="xcb xcb-present xcb-shm xcb-randr" ;;
    presentation-time*) continue ;;
    esac
    beside "$needs" c -std=c17 "$source"
done
[ "$beside" -ge 13 ] || # those that need nothing, by one compiler, as C
    fail "only $beside compilations beside the two files"

quietly cc -std=c17 -O1 record_file.c 08_replay.c "$scratch/usual.o" -lm -o replay ||
    fail "examples/08_replay.c: no link with the two files"
quietly ./replay || fail "examples/08_replay.c with the two files"
if pkg-config --exists sdl2 2> /dev/null; then
    # shellcheck disable=SC2046 # words
    quietly cc -std=c17 -O1 02_sdl2_window.c "$scratch/usual.o" $(pkg-config --cflags --libs sdl2) -lm \
        -o window ||
        fail "examples/02_sdl2_window.c: no link with the two files"
    quietly env SDL_VIDEODRIVER=dummy ./window 1 || fail "examples/02_sdl2_window.c with the two files"
else
    echo "amalgamation: 02_sdl2_window.c is not linked: not here: sdl2"
fi
cd "$root" || exit 1

# --- the script -----------------------------------------------------------------------------------

copy="$scratch/a copy"
mkdir "$copy"
cp -R CMakeLists.txt LICENSE include src scripts "$copy"
cd "$copy" || exit 1

# Two sources and a header that share every kind of name, for different things, and platforms.
for file in one:2 two:3; do
    name=${file%:*}
    value=${file#*:}
    cat > "src/$name.c" << END
#include "evenstep/time.h"

#include "$name.h"

#define FACTOR $value
#define NAME(x) x##_i
#define TWICE 2

enum { LEAST = $value, MOST };
enum kind { KIND_$name };
typedef struct state {
    int clasped;
    const char *text;
} state;
typedef int (*caller)(int);
#define CALLBACK
typedef int(CALLBACK *called_back)(int (*)[$value]);
#pragma GCC diagnostic ignored "-Wunused-function"
static int nobody(void)
{
    return FACTOR;
}
static const int table[2] = {FACTOR, LEAST}, other = $value;
static int clasped(const state *s);

#include "$name.inc.h"

/* "table", a comment with a name; and here a struct that has a member of that name */
static int clasped(const state *s)
{
    struct {
        int value;
    } local = {.value = s->clasped};
    return local.value + (s->text[0] == 't' && s->text[1] == 'a');
}

int es__$name(int x)
{
    caller call = NAME(scaled);
    state s = {.clasped = call(x) + MOST + table[0] + other, .text = "table"};
    es__shared_${name} shared = {x};
    return clasped(&s) + (int)KIND_$name + shared.number + (int)sizeof(enum kind) * 0 + scaled_i(0);
}
END
    printf '#ifndef ES_%s_H\n#define ES_%s_H\ntypedef struct es_same {\n    int number;\n' \
        "$name" "$name" > "src/$name.h"
    printf '} es_same;\ntypedef es_same es__shared_%s;\nint es__%s(int x);\n#endif\n' "$name" "$name" \
        >> "src/$name.h"
    printf 'static int NAME(scaled)(int x)\n{\n    return x * FACTOR * TWICE;\n}\n#undef FACTOR\n' \
        > "src/$name.inc.h"
    sed "s|^  src/base.c|&\n  src/$name.c|" CMakeLists.txt > changed && mv changed CMakeLists.txt
done
for name in windows macos; do
    mkdir -p "src/platform/$name"
    { echo "#define ES_WANTS_$name 1" && cat src/platform/null/clock_null.c; } \
        > "src/platform/$name/clock_$name.c"
done
cat > "$scratch/same.c" << 'END'
int es__one(int x);
int es__two(int x);
int main(void)
{
    /* x * 2 * FACTOR + MOST + table[0] + other + the text + x */
    return es__one(10) == 40 + 3 + 2 + 2 + 1 + 10 && es__two(10) == 60 + 4 + 3 + 3 + 1 + 10 ? 0 : 1;
}
END
quietly scripts/amalgamate || fail "files that share names"
pair=$copy/build/amalgamated
compile "${compilers##* }" "-std=c17 -O0 -D ES_PLATFORM_NULL $warnings"
quietly cc "$scratch/same.c" "$scratch/evenstep.o" -lm -o "$scratch/program" || fail "files: no link"
"$scratch/program" || fail "files that share names: one has another's"
with_clock=$line
line=$(echo "$line" | sed 's/clock works$/clock none/')
program cc -std=c17 # without a platform
# what is ignored in one file is not in the next
switching=$(find src -name '*.c' -exec grep -l '^#pragma GCC diagnostic' {} + | wc -l)
for end in push pop; do
    [ "$(grep -c "^#pragma GCC diagnostic $end$" build/amalgamated/evenstep.c)" = "$switching" ] ||
        fail "files that switch warnings: not each has its $end"
done
# Which platform another system's compiler takes, by the macros that it defines.
for name in linux:__linux__ windows:_WIN32 macos:__APPLE__ null:__none__; do
    sed -n '/^\/\* The platform/,/^\/\* No multiplication/{/No multiplication/!p;}' build/amalgamated/evenstep.c |
        cc -x c -E -dM -U __linux__ -U _WIN32 -U __APPLE__ -D "${name#*:}" - > "$scratch/log" 2>&1 ||
        fail "the platforms' chain"
    [ "$(sed -n 's/^#define ES_PLATFORM_\([A-Z]*\) *$/\1/p' "$scratch/log" | tr '[:upper:]' '[:lower:]')" \
        = "${name%:*}" ] || fail "${name#*:} does not take platform ${name%:*}:"
    [ "$(sed -n 's/^#define ES_WANTS_\([a-z]*\) 1$/\1/p' "$scratch/log")" = \
        "$(echo "${name%:*}" | grep -E 'windows|macos')" ] || fail "macros of another platform:"
done

# refused WHAT PATTERN: the script names the mistake, and leaves what was there before
refused() {
    rm -rf build && mkdir -p build/amalgamated/evenstep && echo before > build/amalgamated/evenstep.c
    echo before > build/amalgamated/evenstep/evenstep.h
    quietly scripts/amalgamate && fail "$1: no error"
    grep -q "$2" "$scratch/log" || fail "$1: the error does not say $2:"
    find build/amalgamated -type f -exec cat {} + > "$scratch/left"
    [ "$(sort -u "$scratch/left")" = before ] || fail "$1: something was written"
}

mkdir src/platform/toaster
refused "an unknown platform" 'src/platform/toaster'
rmdir src/platform/toaster
touch src/forgotten.c
refused "a source that CMake does not know" 'src/forgotten.c'
rm src/forgotten.c
mv src/gap.c "$scratch"
refused "a source that is gone" 'src/gap.c'
mv "$scratch/gap.c" src
touch include/evenstep/forgotten.h
refused "a header that evenstep.h does not include" 'include/evenstep/forgotten.h'
rm include/evenstep/forgotten.h
cp src/one.h "$scratch"
sed 's/^typedef struct es_same/#define LEFT 1\n&/' "$scratch/one.h" > src/one.h
refused "a macro that leaves its header" 'src/one.h: .*LEFT'
sed 's/^typedef struct es_same/#pragma pack(1)\n&/' "$scratch/one.h" > src/one.h
refused "a pragma that leaves its file" 'src/one.h: #pragma pack'
{ cat "$scratch/one.h" && echo '#include "nowhere.h"'; } > src/one.h
refused "a header that is not there" 'src/one.h: .*nowhere.h'
cp "$scratch/one.h" src
printf 'static int f(void)\n{\n' >> src/one.c
refused "a bracket that is not closed" 'src/one.c'
cd "$root" || exit 1
quietly scripts/amalgamate --nonsense && fail "an option that does not exist"

echo "amalgamation: $builds compilations, $beside of adapters and examples, $tests of our tests; each consumer printed $with_clock"
