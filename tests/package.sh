#!/bin/sh
# The library as others get it by CMake and pkg-config. tests/consumer is the other: a program in C11
# and in C++17, with warnings as errors. Each way is built and run, static and shared, in directories
# whose names have spaces:
#
#   installed      find_package and pkg-config, from a tree that was moved after its installation,
#                  the sources and the build it came from being gone
#   within others  add_subdirectory and FetchContent, from a directory and from an archive, also
#                  where the project asks for -ffast-math, -Ofast, -D_GNU_SOURCE or a unity build
#
# and what nobody may notice is looked for: flags of ours in others' commands, targets and tests of
# ours in others' builds, symbols that no header declares, paths of the build. The two files to copy
# are tests/amalgamation.sh's. The same text is compiled once for all of them (tests/compile_once.sh), but
# for what compilers make of -Ofast and -ffast-math.
set -u
LC_ALL=C
export LC_ALL
build=${BUILD_DIR:?}
# The physical path, as CMake writes it.
scratch=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
CC=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
export CC
version=$(sed -n 's/^#define ES_VERSION_[A-Z]* *\([0-9]*\)$/\1/p' include/evenstep/version.h |
    paste -s -d . -)
warnings="-Wall -Wextra -Wpedantic -Werror"
cases=0
line=

fail() {
    echo "FAILED: $1" >&2
    [ -f "$scratch/log" ] && tail -n 30 "$scratch/log" >&2
    exit 1
}

quietly() {
    "$@" > "$scratch/log" 2>&1
}

# run NAME PROGRAM: a consumer prints one line, and it is the same from each, so C and C++, static
# and shared agree on every byte of every picture
run() {
    quietly "$2" || fail "$1: the program fails"
    [ -n "$line" ] || line=$(cat "$scratch/log")
    [ "$(cat "$scratch/log")" = "$line" ] || fail "$1: not as the first program, which printed $line"
    grep -q "^$version: .* clock works$" "$scratch/log" || fail "$1: another version, or no clock"
    cases=$((cases + 1))
}

export COMPILE_ONCE="$scratch/compiled"
export CMAKE_C_COMPILER_LAUNCHER="$PWD/tests/compile_once.sh"
mkdir "$COMPILE_ONCE"

# --- what is installed ----------------------------------------------------------------------------

# What the library is made of, and no more.
sources="$scratch/the sources"
mkdir "$sources"
cp -R CMakeLists.txt LICENSE cmake include src "$sources" || fail "copying the sources"

# check_installed KIND: what cmake --install made is whole, and knows nothing of where it was built
check_installed() {
    if grep -rlF "$scratch" "$scratch/installed" > "$scratch/log"; then
        fail "$1: these files have the build's paths in them:"
    fi
    cmp -s LICENSE "$scratch/installed/share/doc/evenstep/LICENSE" || fail "$1: no licence"
}

# move_tree KIND: into "moved trees/KIND", from a place that is no more
move_tree() {
    mkdir -p "$scratch/moved trees"
    mv "$scratch/installed" "$scratch/moved trees/$1"
}

# The static library as the README says it, to where no path has a space; its program is the game.
mkdir "$scratch/game"
# readme LANGUAGE [NUMBER]: its blocks, or that one
readme() {
    awk -v open='```'"$1" -v wanted="${2-}" '$0 == open { number += 1; on = !wanted || number == wanted
        next } /^```/ { on = 0 } on' README.md
}
readme sh | grep '^cmake ' |
    sed "s|/usr/local|$scratch/installed|; s/=Release/= -D EVENSTEP_WERROR=ON/; s/--build .*/& -j 2/" \
        > "$scratch/install.sh"
[ "$(wc -l < "$scratch/install.sh")" = 3 ] || fail "README.md: not three lines that install it"
(cd "$sources" && quietly sh -e "$scratch/install.sh" && rm -rf build) || fail "README.md: cmake"
check_installed static
readme c > "$scratch/game/game.c"
readme sh | grep '^cc .*pkg-config' > "$scratch/game/command.sh"
[ -s "$scratch/game/command.sh" ] || fail "README.md: no command with pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/installed/" -name evenstep.pc)")
export PKG_CONFIG_PATH
(cd "$scratch/game" && quietly sh ./command.sh && quietly ./game) || fail "README.md: pkg-config"
unset PKG_CONFIG_PATH
{
    echo 'cmake_minimum_required(VERSION 3.21)'
    echo 'project(game LANGUAGES C)'
    echo 'add_executable(game game.c)'
} > "$scratch/game/head.txt"
ln -s "$sources" "$scratch/game/evenstep"
for block in 1 2; do
    rm -rf "$scratch/game/built"
    readme cmake $block | cat "$scratch/game/head.txt" - > "$scratch/game/CMakeLists.txt"
    grep -q evenstep "$scratch/game/CMakeLists.txt" || fail "README.md: no CMake block $block"
    quietly cmake -S "$scratch/game" -B "$scratch/game/built" -D CMAKE_PREFIX_PATH="$scratch/installed" ||
        fail "README.md: CMake block $block: configure"
    quietly cmake --build "$scratch/game/built" -j 2 || fail "README.md: CMake block $block: build"
    quietly "$scratch/game/built/game" || fail "README.md: CMake block $block: the program fails"
done
rm -rf "$scratch/game"
move_tree static

quietly cmake -S "$sources" -B "$scratch/built" -D BUILD_SHARED_LIBS=ON -D EVENSTEP_WERROR=ON \
    -D EVENSTEP_LIBRARY_ONLY=ON || fail "shared: configure"
quietly cmake --build "$scratch/built" -j 2 || fail "shared: build"
quietly cmake --install "$scratch/built" --prefix "$scratch/installed" || fail "shared: install"
check_installed shared
rm -rf "$scratch/built"
move_tree shared
mv "$sources" "$scratch/evenstep $version"
archive="$scratch/evenstep-$version.tar.gz"
tar -C "$scratch" -czf "$archive" "evenstep $version" || fail "archive"

# --- symbols --------------------------------------------------------------------------------------

# The functions that the headers declare.
sed -n 's/^ES_API .*[ *]\(es_[a-z0-9_]*\)(.*/\1/p' "$scratch/moved trees/static/include/evenstep"/*.h |
    sort > "$scratch/declared"
[ "$(grep -c '^ES_API ' "$scratch/moved trees/static/include/evenstep"/*.h |
    awk -F : '{ n += $NF } END { print n }')" = "$(wc -l < "$scratch/declared")" ] ||
    fail "a line that begins with ES_API declares no function"

shared_library=$(find "$scratch/moved trees/shared" -name "libevenstep.so.$version")
[ -n "$shared_library" ] || fail "no shared library of version $version"
nm -D --defined-only "$shared_library" | awk '{ print $3 }' | sort > "$scratch/exported"
diff "$scratch/declared" "$scratch/exported" > "$scratch/log" ||
    fail "what the shared library exports (>) is not what the headers declare (<):"
readelf -d "$shared_library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p; s/.*(R.*PATH).*/a run path/p' |
    grep -v -E '^(lib[cm]|ld[a-z0-9_-]*)[.]so[.][0-9]+$' > "$scratch/log" &&
    fail "the shared library needs or has:" # more than the C library, of which ld.so is a part

archive_library=$(find "$scratch/moved trees/static" -name libevenstep.a)
[ -n "$archive_library" ] || fail "no static library"
nm -g --defined-only "$archive_library" | awk 'NF == 3 && $3 !~ /^es_/ { print $3 }' > "$scratch/log"
[ ! -s "$scratch/log" ] || fail "the static library's symbols do not all begin with es_:"

# --- pkg-config -----------------------------------------------------------------------------------

# by_pkg_config KIND COMPILER-WITH-STANDARD SOURCE OPTION...
by_pkg_config() {
    kind=$1
    how=$2
    source=$3
    shift 3
    PKG_CONFIG_PATH=$(dirname "$(find "$scratch/moved trees/$kind" -name evenstep.pc)")
    export PKG_CONFIG_PATH
    flags=$(pkg-config --cflags --libs "$@" evenstep) || fail "pkg-config: no evenstep.pc"
    rm -f "$scratch/a program"
    # The shell reads the flags as in a makefile: pkg-config writes spaces as "\ ".
    quietly eval "$how $warnings $static_link tests/consumer/$source -o '$scratch/a program' $flags" ||
        fail "pkg-config: $how: $flags"
    LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") run "pkg-config, $kind, $how" "$scratch/a program"
    case $flags in
    *-W* | *-f* | *-std* | *-O*) fail "pkg-config: a flag that is nobody's business in $flags" ;;
    esac
}

cxx=c++
static_link=
by_pkg_config static "$CC -std=c11" consumer.c
by_pkg_config static "$cxx -std=c++17" consumer.cpp --static
by_pkg_config shared "$CC -std=c17" consumer.c
by_pkg_config shared "$cxx -std=c++17" consumer.cpp
static_link=-static
by_pkg_config static "$CC -std=c17" consumer.c --static
[ "$(pkg-config --modversion evenstep)" = "$version" ] || fail "pkg-config: another version"
pkg-config --exists "evenstep >= $version" || fail "pkg-config: too old for itself"
pkg-config --exists "evenstep >= 99" && fail "pkg-config: it says it is version 99"

# --- CMake ----------------------------------------------------------------------------------------

# The consumer's own options, and $more. Whatever else is in its commands is a leak.
more=
again= # or not empty: configure where it was configured before
mkdir "$scratch/a consumer"
cp tests/consumer/* "$scratch/a consumer"

configure() {
    language=$1
    project="$scratch/build of a consumer"
    shift
    [ -n "$again" ] || rm -rf "$project"
    quietly cmake -G "Unix Makefiles" -S "$scratch/a consumer" -B "$project" -D LANGUAGE="$language" \
        -D "CMAKE_${language}_FLAGS=$warnings $more" -D CMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
}

# consume NAME LANGUAGE OPTION...
consume() {
    name="$1, $2"
    shift
    configure "$@" || fail "$name: configure"
    grep -qi 'warning' "$scratch/log" && fail "$name: CMake warns"
    quietly cmake --build "$project" -j 2 || fail "$name: build"
    run "$name" "$project/consumer"

    sed -n 's/^ *"command": //p' "$project/compile_commands.json" |
        grep 'CMakeFiles/consumer[.]dir/' | tr ' ' '\n' | grep -E '^-[DUfmstWO]' | sort |
        tr '\n' ' ' > "$scratch/log"
    expected="$warnings $more -std=c11"
    [ "$language" = C ] || expected="$warnings $more -std=c++17"
    case $name in *shared*) expected="-DES_SHARED $expected" ;; esac
    # shellcheck disable=SC2086 # a list of flags
    [ "$(cat "$scratch/log")" = "$(printf '%s\n' $expected | sort | tr '\n' ' ')" ] ||
        fail "$name: a flag of ours in its commands, or less:"

    # As a part of others' builds we are the library and nothing else.
    cmake --build "$project" --target help | sed -n 's/^\.\.\. \([a-z][a-z0-9_]*\)$/\1/p' |
        grep -v -x -E 'all|clean|depend|consumer|evenstep|test|list_install_components' |
        grep -v -E '^(edit_cache|rebuild_cache|install)|^(Continuous|Experimental|Nightly)' \
            > "$scratch/log" && fail "$name: targets of ours beside the library:"
    (cd "$project" && ctest -N) | grep -q '^Total Tests: 0$' || fail "$name: tests of ours in its own"
    grep -i -E '^[^/#]*(cmocka|sdl|cairo|jansson|pkg_?config)[^/]*=' "$project/CMakeCache.txt" \
        > "$scratch/log" && fail "$name: looks for what the library does not need:"
}

for kind in static shared; do
    for language in C CXX; do
        consume "find_package, $kind" $language -D WAY=installed -D WANTED="${version%.*}" \
            -D CMAKE_PREFIX_PATH="$scratch/moved trees/$kind"
    done
done
again=yes
for wanted in 99 0.0 "${version%%.*}.99" "$version.99"; do
    configure C -D WAY=installed -D WANTED="$wanted" \
        -D CMAKE_PREFIX_PATH="$scratch/moved trees/static" && fail "it says it is version $wanted"
    grep -q "compatible with requested version" "$scratch/log" || fail "version $wanted: refused, but:"
done
for wanted in "$version;EXACT" "$version"; do
    configure C -D WAY=installed "-DWANTED=$wanted" \
        -D CMAKE_PREFIX_PATH="$scratch/moved trees/static" || fail "it says it is not version $wanted"
done
again=

# What is special is spread over the ways: each of it is in one of them.
sources="$scratch/evenstep $version"
consume "add_subdirectory, shared, a unity build" CXX -D WAY=subdirectory -D EVENSTEP="$sources" \
    -D BUILD_SHARED_LIBS=ON -D EVENSTEP_INSTALL=ON -D CMAKE_UNITY_BUILD=ON
grep '"command".*src/base[.]c' "$project/compile_commands.json" | grep -q -e ' -std=c17 ' ||
    fail "the library is not compiled as strict C17"
quietly cmake --install "$project" --prefix "$scratch/consumer's" || fail "a consumer's install"
[ -n "$(find "$scratch/consumer's" -name evenstep-config.cmake)" ] ||
    fail "a consumer's install lacks Evenstep with EVENSTEP_INSTALL"
rm -r "$scratch/consumer's"
consume "FetchContent, an archive, static" CXX -D WAY=fetch-url -D EVENSTEP="$archive"

# What a project asks of the compiler for its own code reaches the library, too: it must bear it, and
# give the same bytes. golden is linked without those flags, which would change its own arithmetic.
golden() {
    library=$(find "$project" -name 'libevenstep.*' | head -n 1)
    quietly "$CC" -std=c17 -O1 -ffp-contract=off -I include tests/golden_blend.c "$library" -lm \
        -o "$scratch/golden" || fail "$name: golden_blend: no link"
    quietly env LD_LIBRARY_PATH="$(dirname "$library")" "$scratch/golden" || fail "$name: other bytes"
    nm "$library" | grep -i 'fast_math' > "$scratch/log" &&
        fail "$name: it makes the programs that load it round tiny numbers to 0:"
}

# gcc puts start-up code of -Ofast into what it links, so the shared library is its case.
unset CMAKE_C_COMPILER_LAUNCHER
compiler=$CC
if command -v gcc > /dev/null 2>&1; then
    compiler=gcc
    more=-Ofast
fi
consume "FetchContent, a directory, $compiler $more, shared" C -D WAY=fetch -D EVENSTEP="$sources" \
    -D CMAKE_C_COMPILER="$compiler" -D BUILD_SHARED_LIBS=ON
golden
compiler=$CC
more=-D_GNU_SOURCE
if command -v clang > /dev/null 2>&1; then
    compiler=clang
    more="-D_GNU_SOURCE -O2 -ffast-math"
fi
consume "add_subdirectory, $compiler $more, static" C -D WAY=subdirectory -D EVENSTEP="$sources" \
    -D CMAKE_C_COMPILER="$compiler" -D CMAKE_C_STANDARD=11
golden
more=
quietly cmake --install "$project" --prefix "$scratch/consumer's" || fail "a consumer's install"
find "$scratch/consumer's" -iname '*evenstep*' > "$scratch/log"
[ ! -s "$scratch/log" ] || fail "a consumer's install has, unasked:"

# --- without a platform ---------------------------------------------------------------------------

export CMAKE_C_COMPILER_LAUNCHER="$PWD/tests/compile_once.sh"
quietly cmake -S . -B "$scratch/null" -D EVENSTEP_PLATFORM=null -D EVENSTEP_WERROR=ON \
    -D EVENSTEP_BUILD_TOOLS=OFF -D EVENSTEP_BUILD_TESTS=OFF -D EVENSTEP_BUILD_EXAMPLES=OFF ||
    fail "null platform: configure"
quietly cmake --build "$scratch/null" -j 2 --target bench_engine || fail "null platform: build"
"$scratch/null/bench_engine" > "$scratch/log" 2>&1 && fail "null platform: it has a clock?"
grep -q 'no clock' "$scratch/log" || fail "null platform: does not say that there is no clock"

# --- the command ----------------------------------------------------------------------------------

# Where it will look for a shared library. To build it would take longer than all of the above.
if pkg-config --exists cairo jansson; then
    quietly cmake -S . -B "$scratch/command" -D BUILD_SHARED_LIBS=ON -D EVENSTEP_BUILD_TESTS=OFF \
        -D CMAKE_INSTALL_LIBDIR=lib/here || fail "the command: configure"
    grep -q 'RPATH ".*ORIGIN/[.][.]/lib/here"' "$scratch/command/cmake_install.cmake" ||
        fail "the command: installed, it does not find the shared library beside it"
fi

# --- without what the command and the tests need --------------------------------------------------

quietly env PKG_CONFIG_LIBDIR=/nowhere cmake -S . -B "$scratch/lacking" && fail "no cairo: no error"
tr -s ' \n' ' ' < "$scratch/log" | grep -q 'EVENSTEP_BUILD_TOOLS=OFF; .*EVENSTEP_LIBRARY_ONLY=ON' ||
    fail "no cairo: the error does not say how to do without:"
quietly cmake -S . -B "$scratch/lacking" -D EVENSTEP_BUILD_TOOLS=OFF -D CMOCKA_LIBRARY:STRING=OFF \
    -D CMOCKA_INCLUDE_DIR:STRING=OFF -D CMAKE_DISABLE_FIND_PACKAGE_cmocka=ON && fail "no cmocka: no error"
tr -s ' \n' ' ' < "$scratch/log" | grep -q 'EVENSTEP_BUILD_TESTS=OFF; .*EVENSTEP_LIBRARY_ONLY=ON' ||
    fail "no cmocka: the error does not say how to do without:"
quietly env PKG_CONFIG_LIBDIR=/nowhere cmake -S . -B "$scratch/lacking" -D EVENSTEP_LIBRARY_ONLY=ON ||
    fail "the library alone, in the same directory:"

echo "package: $cases programs, each printed $line"
