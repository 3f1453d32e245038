#!/bin/sh
# The two files to copy (scripts/amalgamate) compile without a warning; a C and a C++ program, adapters,
# examples and README's first program work beside them; the script names mistakes. In the full run also:
# every C standard, both compilers, equal bytes of the blend under flags that people use, our own tests.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$home" || exit 1
fatal=yes
context=log
warnings="-Wall -Wextra -Wpedantic -Wshadow -Werror"
files="$warnings -Wcast-qual -Wunused-macros"
pair="$scratch/two files"
full=${EVENSTEP_FULL-}

log() {
    tail -n 30 "$scratch/log"
}

# in_pair COMMAND...: in the folder of the two files
in_pair() {
    (cd "$pair" && quietly "$@")
}

check "two files" quietly scripts/amalgamate "$pair"
modules="follow input replay schedule threads view world"
equal "files" "$(cd "$pair" && find . -type f | sort | tr '\n' ' ')" "./evenstep.c $(
    for name in evenstep $modules measure; do echo "./evenstep/$name.h"; done | sort | tr '\n' ' ')$(
    for name in $modules; do echo "./evenstep_$name.c"; done | tr '\n' ' ')"
compilers=$(for name in gcc clang; do command -v $name >/dev/null && echo $name; done)

# object COMPILER FLAGS: evenstep.o, from nothing but the copied files
object() {
    parts=
    for part in evenstep $(for name in $modules; do echo "evenstep_$name"; done); do
        # shellcheck disable=SC2086 # flags are words
        check "$1 $2: $part.c" in_pair "$1" $2 -c "$part.c" -o "$scratch/part_$part.o"
        parts="$parts $scratch/part_$part.o"
    done
    # shellcheck disable=SC2086 # words
    check "$1: one object of all parts" quietly ld -r $parts -o "$scratch/evenstep.o"
}

# program COMPILER STANDARD: the consumer in that compiler's language, against what it prints with the library
program() {
    language=c
    case $1 in *++) language=c++ ;; esac
    # shellcheck disable=SC2086 # flags are words
    check "$1 $2: consumer.c" quietly "$1" "$2" $warnings -I "$pair" -x $language -c tests/consumer/consumer.c \
        -o "$scratch/consumer.o"
    check "$1 $2: links" quietly "$1" "$scratch/consumer.o" "$scratch/evenstep.o" -lm -o "$scratch/program"
    equal "$1 $2: prints what it prints with the library" "$("$scratch/program" 2>&1)" "$line"
}

# text FILE: bytes of code and constants
text() {
    size "$1" | awk 'NR == 2 { print $1 }'
}

library=$(find "$build" -maxdepth 1 -name 'libevenstep.*' | head -n 1)
check "the consumer, with the library" quietly cc -std=c17 -I include tests/consumer/consumer.c "$library" -lm \
    -o "$scratch/program"
line=$(LD_LIBRARY_PATH=$build "$scratch/program")

object cc "-std=c11 -O0 $files"
program cc -std=c11
program c++ -std=c++17
nm -g --defined-only "$scratch/evenstep.o" | awk '{ print $3 }' | sort >"$scratch/defined"
equal "symbols that do not begin with es_" "$(grep -v '^es_' "$scratch/defined")" ""
cat "$pair"/evenstep/*.h >"$scratch/headers"
sed -n 's/^ES_API .*[ *]\(es_[a-z0-9_]*\)(.*/\1/p' "$scratch/headers" | sort >"$scratch/declared"
equal "lines that declare a function" "$(grep -c '^ES_API ' "$scratch/headers")" "$(wc -l <"$scratch/declared")"
equal "declared, and not defined" "$(comm -23 "$scratch/declared" "$scratch/defined")" ""

for part in evenstep $(for name in $modules; do echo "evenstep_$name"; done); do
    refute "$part.c as C++" in_pair cc -x c++ -fsyntax-only "$part.c"
    matches "error: .*compile $part.c as C: cc -c $part.c" "$scratch/log"
    equal "$part.c as C++: errors" "$(grep -c 'error: ' "$scratch/log")" 1
done

# README's first program and its commands, for C++ and for C.
blocks c README.md 1 >"$scratch/block.c"
awk -f tests/guide/fragment.awk "$scratch/block.c" | sed "s|\"tests/guide|\"$home/tests/guide|" >"$pair/game.cpp"
cp "$pair/game.cpp" "$pair/game.c"
blocks sh README.md | grep -e '^cc ' -e '^c++ ' >"$pair/commands.sh"
equal "README.md: commands that compile" "$(wc -l <"$pair/commands.sh" | tr -d ' ')" 2
for game in game.cpp game.c; do # evenstep.c is compiled already, with world.h's source for the prelude
    sed "s|^cc .*|cp '$scratch/evenstep.o' .|" "$pair/commands.sh" >"$pair/command.sh"
    [ $game = game.cpp ] || sed -i.orig "s|^c++ \(.*\)game\.cpp|cc \1game.c|" "$pair/command.sh"
    check "README.md: the commands, $game" in_pair sh -e ./command.sh
    check "README.md: the program, $game" in_pair ./game
done

# --- adapters and examples, copied beside the two files ------------------------------------------

game="$scratch/a game"
mkdir "$game"
cp -R "$pair"/evenstep* adapters/*.[ch] examples/*.[ch] "$game"
cd "$game" || exit 1
# what they include is found without -I; tests/headers.sh compiles them
for name in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' ./*.c ./*.h | grep -v -e ^presentation-time -e sokol_ | sort -u); do
    check "$name" [ -f "$name" ]
done
if pkg-config --exists wayland-client wayland-protocols wayland-scanner 2>/dev/null; then
    grep -e '^xml=' -e '^wayland-scanner ' "$home/adapters/README.md" >wayland.sh
    check "adapters/README.md: wayland-scanner" quietly sh ./wayland.sh
    # shellcheck disable=SC2086 # words
    check "wayland_presentation.c" quietly cc -std=c17 $warnings -fsyntax-only wayland_presentation.c
fi
check "examples/08_replay.c links" quietly cc -std=c17 -O1 08_replay.c "$scratch/evenstep.o" -lm -o replay
check "examples/08_replay.c" quietly ./replay
cd "$home" || exit 1

# --- standards, compilers, flags, tests ----------------------------------------------------------

# golden COMPILER FLAGS LINK-FLAGS: the blend's bytes, by every instruction set of this machine
golden() {
    # shellcheck disable=SC2086 # flags are words
    check "$1 $2: links" quietly "$1" $3 "$scratch/golden.o" "$scratch/evenstep.o" -lm -o "$scratch/program"
    check "$1 $2: golden bytes" quietly "$scratch/program"
    matches "^total *$expected  scalar" "$scratch/log"
}

if [ -n "$full" ]; then
    # The test's own arithmetic is exact, whatever the flags of evenstep.c.
    check "golden_blend.c" quietly cc -std=c17 -O1 -ffp-contract=off -I include -I src -c \
        tests/golden_blend.c -o "$scratch/golden.o"
    expected=$(sed -n 's/^#define EXPECTED_TOTAL UINT64_C(0x\([0-9a-f]*\))$/\1/p' tests/golden_blend.c)
    native=
    ! cc -march=native -E -x c /dev/null >/dev/null 2>&1 || native=-march=native
    for compiler in $compilers; do
        for standard in c17 gnu17 c2x; do
            # shellcheck disable=SC2086 # flags are words
            check "$compiler -std=$standard" in_pair "$compiler" -std=$standard $warnings -fsyntax-only evenstep.c
        done
        object "$compiler" "-std=c11 -O0 $files"
        golden "$compiler" -O0 ""
        program "$compiler" -std=c17
        flags="-O1 $native" link=
        [ "$compiler" = clang ] || flags="-O1 -flto -ffast-math $native" link="-O1 -flto"
        object "$compiler" "$flags"
        golden "$compiler" "$flags" "$link"
    done
    object cc "-O2 $files"
    golden cc -O2 ""
    if [ "$(uname -m)" = x86_64 ]; then # what it costs a program: bytes of text
        check "all modules: at most 500 kB" [ "$(text "$scratch/evenstep.o")" -le 500000 ]
        sections="-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections"
        echo 'int main(void) { return 0; }' >"$pair/empty.c"
        for program in empty game; do # shellcheck disable=SC2086 # flags are words
            check "$program.c links" in_pair cc $sections -I . $program.c evenstep.c evenstep_world.c -lm -o $program
        done
        check "README.md: the program adds at most 105 kB, with the prelude's rotations" \
            [ $(($(text "$pair/game") - $(text "$pair/empty"))) -le 105000 ]
    fi
    if [ "$(uname -m)" = x86_64 ]; then # equal bytes say nothing of which kernels gave them
        for kernel in sse2:xmm avx2:ymm; do
            objdump -d "$scratch/evenstep.o" | awk -v name="<${kernel%:*}_rotation_f32>:" \
                '/^[0-9a-f]+ </ { on = $2 == name } on' >"$scratch/log"
            matches "%${kernel#*:}" "$scratch/log"
        done
    fi
    objects=
    for name in unit test_time test_clock test_loop test_input test_timelines test_layout test_history test_exchange \
        test_threads test_meter; do
        objects="$objects $build/tests/CMakeFiles/unit.dir/$name.c.o"
    done
    # shellcheck disable=SC2086 # words
    check "our own tests link" quietly cc $objects "$scratch/evenstep.o" -lcmocka -lm -o "$scratch/program"
    check "our own tests" quietly "$scratch/program"
    if command -v clang >/dev/null; then
        refute "clang -ffast-math" in_pair clang -ffast-math -fsyntax-only evenstep.c
        matches 'error: .*-fno-fast-math' "$scratch/log"
    fi
    if [ "$(uname -s)" = Linux ]; then
        printf '#include <stdio.h>\n#include "evenstep.c"\n' >"$scratch/unity.c"
        refute "after system headers" in_pair cc -I . -fsyntax-only "$scratch/unity.c"
        matches 'error: .*compile it by itself' "$scratch/log"
    fi
    object cc "-O0 -D ES_PLATFORM_NULL $files"
    line=$(echo "$line" | sed 's/clock works$/clock none/')
    program cc -std=c17 # without a platform
fi

# --- the script, in a copy of the sources --------------------------------------------------------

copy="$scratch/a copy"
mkdir "$copy"
cp -R CMakeLists.txt LICENSE include src scripts "$copy"
cd "$copy" || exit 1
check "a copy" quietly scripts/amalgamate
# Which platform another system's compiler takes, by the macros that it defines.
for name in linux:__linux__ windows:_WIN32 macos:__APPLE__ null:__none__; do
    sed -n '/^\/\* The platform\. \*\/$/,/^#endif/p' build/amalgamated/evenstep.c |
        cc -x c -E -dM -U __linux__ -U _WIN32 -U __APPLE__ -D "${name#*:}" - >"$scratch/log" 2>&1
    equal "${name#*:}" "$(sed -n 's/^#define ES_PLATFORM_\([A-Z]*\) *$/\1/p' "$scratch/log" |
        tr '[:upper:]' '[:lower:]')" "${name%:*}"
done

# refused WHAT PATTERN: the script names the mistake, and leaves what was there before
refused() {
    rm -rf build && mkdir -p build/amalgamated/evenstep && echo before >build/amalgamated/evenstep.c
    refute "$1" quietly scripts/amalgamate
    matches "$2" "$scratch/log"
    equal "$1: what was there before" "$(find build/amalgamated -type f -exec cat {} +)" before
}

mkdir src/platform/toaster
refused "an unknown platform" 'src/platform/toaster'
rmdir src/platform/toaster
touch src/base/forgotten.c
refused "a source that CMake does not know" 'src/base/forgotten.c'
rm src/base/forgotten.c
cp src/loop/gap.c "$scratch"
echo '#include "nowhere.h"' >>src/loop/gap.c
refused "a header that is not there" 'src/loop/.*nowhere.h'
printf '#if 1\n#include "loop/new.h"\n#endif\n' | cat "$scratch/gap.c" - >src/loop/gap.c
echo '/* new */' >src/loop/new.h
refused "a private header within an #if" 'src/loop/gap.c: loop/new.h'
refute "an option that does not exist" quietly scripts/amalgamate --nonsense
finish "each consumer printed $line"
