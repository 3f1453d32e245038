#!/bin/sh
# The library as others get it by CMake and pkg-config. tests/consumer is the other: a program in C11
# and in C++17, with warnings as errors. It uses what is installed from this build, from a tree that was
# moved after its installation, in directories whose names have spaces. With EVENSTEP_FULL set:
#
#   installed      also as docs/dependencies.md says it, static and shared, the sources and the build being gone
#   within others  add_subdirectory and FetchContent, from a directory and from an archive, also
#                  where the project asks for -ffast-math, -Ofast, -D_GNU_SOURCE or a unity build
#
# and what must not be there is looked for: flags of ours in others' commands, targets and tests of
# ours in others' builds, symbols that no header declares, paths of the build. The two files to copy
# are tests/amalgamation.sh's.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$home" || exit 1
fatal=yes # each part uses what the one before made
context="tail -n 30 $scratch/log"
CC=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
export CC
warnings="-Wall -Wextra -Wpedantic -Werror"
trees="$scratch/moved trees"
mkdir "$trees"

# nothing WHAT: the log is empty
nothing() {
    check "$1" [ ! -s "$scratch/log" ]
}

# install_from BUILD-DIRECTORY
install_from() {
    check "cmake --install" quietly cmake --install "$1" --prefix "$scratch/installed"
}
# move_tree KIND: what was installed is whole, and knows nothing of where it was built; into
# "moved trees/KIND", from a place that is no more
move_tree() {
    grep -rlF -e "$scratch" -e "$build" "$scratch/installed" >"$scratch/log"
    [ -n "${EVENSTEP_FULL-}" ] || sed -i '/[.]a$\|bin.evenstep$\|VkLayer.*[.]so$/d' "$scratch/log" # where debuggers find sources
    nothing "$1: no paths of the build"
    check "$1: the licence" cmp -s LICENSE "$scratch/installed/share/doc/evenstep/LICENSE"
    mv "$scratch/installed" "$trees/$1"
}

# --- what is installed ----------------------------------------------------------------------------

if [ -n "${EVENSTEP_FULL-}" ]; then
    # what the library is made of, and no more
    sources="$scratch/the sources"
    mkdir "$sources" "$scratch/game"
    cp -R CMakeLists.txt LICENSE cmake include src "$sources"

    # the static library as docs/dependencies.md says it, to where no path has a space; its program is the game
    blocks sh docs/dependencies.md | grep '^cmake ' |
        sed "s|/usr/local|$scratch/installed|; s/=Release/= -D EVENSTEP_WERROR=ON/; s/--build .*/& -j 2/" \
            >"$scratch/install.sh"
    equal "docs/dependencies.md: lines that install it" "$(wc -l <"$scratch/install.sh")" 3
    cd "$sources" || exit 1
    check "docs/dependencies.md: cmake" quietly sh -e "$scratch/install.sh"
    rm -rf build
    cd "$scratch/game" || exit 1
    blocks c "$home/README.md" 1 >block.c
    awk -f "$home/tests/guide/fragment.awk" block.c | sed "s|\"tests/guide|\"$home/tests/guide|" >game.c
    blocks sh "$home/docs/dependencies.md" | grep '^cc .*pkg-config' >command.sh
    check "docs/dependencies.md: a command with pkg-config" [ -s command.sh ]
    check "docs/dependencies.md: pkg-config" quietly env PKG_CONFIG_PATH="$(
        dirname "$(find "$scratch/installed/" -name evenstep.pc)")" sh ./command.sh
    check "docs/dependencies.md: the game runs" quietly ./game
    ln -s "$sources" evenstep
    for block in 1 2; do
        rm -rf built
        {
            printf 'cmake_minimum_required(VERSION 3.21)\nproject(game LANGUAGES C)\nadd_executable(game game.c)\n'
            blocks cmake "$home/docs/dependencies.md" $block
        } >CMakeLists.txt
        check "docs/dependencies.md: CMake block $block" grep -q evenstep CMakeLists.txt
        check "docs/dependencies.md: CMake block $block: configure" quietly cmake -S . -B built \
            -D CMAKE_PREFIX_PATH="$scratch/installed"
        check "docs/dependencies.md: CMake block $block: build" quietly cmake --build built -j 2
        check "docs/dependencies.md: CMake block $block: the program runs" quietly built/game
    done
    cd "$home" || exit 1
    move_tree static

    check "shared: configure" quietly cmake -S "$sources" -B "$scratch/built" -D BUILD_SHARED_LIBS=ON \
        -D EVENSTEP_WERROR=ON -D EVENSTEP_LIBRARY_ONLY=ON
    check "shared: build" quietly cmake --build "$scratch/built" -j 2
    install_from "$scratch/built"
    rm -rf "$scratch/built"
    move_tree shared
    mv "$sources" "$scratch/evenstep $version"
    sources="$scratch/evenstep $version"
    archive="$scratch/evenstep-$version.tar.gz"
    tar -C "$scratch" -czf "$archive" "evenstep $version"

    # The functions that the headers declare are what the shared library exports.
    sed -n 's/^ES_API .*[ *]\(es_[a-z0-9_]*\)(.*/\1/p' "$trees/static/include/evenstep"/*.h |
        sort >"$scratch/declared"
    equal "lines that begin with ES_API declare functions" \
        "$(cat "$trees/static/include/evenstep"/*.h | grep -c '^ES_API ')" "$(wc -l <"$scratch/declared")"
    shared_library=$(find "$trees/shared" -name "libevenstep.so.$version")
    check "a shared library of version $version" [ -n "$shared_library" ]
    nm -D --defined-only "$shared_library" | awk '{ print $3 }' | sort >"$scratch/exported"
    check "the shared library exports (>) what the headers declare (<)" quietly diff "$scratch/declared" \
        "$scratch/exported"
    # the C library, of which ld.so is a part
    readelf -d "$shared_library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p; s/.*(R.*PATH).*/a run path/p' |
        grep -v -E '^(lib[cm]|ld[a-z0-9_-]*)[.]so[.][0-9]+$' >"$scratch/log"
    nothing "the shared library needs no more than the C library"
else
    install_from "$build"
    move_tree static
fi
check "a static library" [ -n "$(find "$trees/static" -name libevenstep.a)" ]

# --- pkg-config -----------------------------------------------------------------------------------

# by_pkg_config KIND COMPILER-WITH-STANDARD OPTION...
by_pkg_config() {
    kind=$1 how=$2
    shift 2
    PKG_CONFIG_PATH=$(dirname "$(find "$trees/$kind" -name evenstep.pc)")
    export PKG_CONFIG_PATH
    flags=$(pkg-config --cflags --libs "$@" evenstep) || fail "pkg-config: no evenstep.pc"
    rm -f "$scratch/a program"
    # The shell reads the flags as in a makefile: pkg-config writes spaces as "\ ".
    check "pkg-config: $how: $flags" quietly \
        eval "$how $warnings tests/consumer/consumer.c -x none -o '$scratch/a program' $flags"
    LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") prints_line "pkg-config, $kind, $how" "$scratch/a program"
    case $flags in
    *-W* | *-f* | *-std* | *-O*) fail "pkg-config: a flag that is nobody's business in $flags" ;;
    esac
}

by_pkg_config static "$CC -std=c11"
by_pkg_config static "c++ -std=c++17 -x c++" --static
by_pkg_config static "$CC -std=c17 -static" --static
equal "pkg-config: version" "$(pkg-config --modversion evenstep)" "$version"
check "pkg-config: as new as itself" pkg-config --exists "evenstep >= $version"
refute "pkg-config: version 99" pkg-config --exists "evenstep >= 99"
if [ -n "${EVENSTEP_FULL-}" ]; then
    by_pkg_config shared "$CC -std=c17"
    by_pkg_config shared "c++ -std=c++17 -x c++"
fi

# --- CMake ----------------------------------------------------------------------------------------

# The consumer's own options, and $more. Whatever else is in its commands is a leak.
more=
project="$scratch/build of a consumer"
mkdir "$scratch/a consumer"
cp tests/consumer/* "$scratch/a consumer"

# configure LANGUAGE OPTION...
configure() {
    language=$1
    shift
    quietly cmake -G "Unix Makefiles" -S "$scratch/a consumer" -B "$project" -D LANGUAGE="$language" \
        -D "CMAKE_${language}_FLAGS=$warnings $more" -D CMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
}

# consume NAME LANGUAGE OPTION...
consume() {
    name="$1, $2"
    shift
    rm -rf "$project"
    check "$name: configure" configure "$@"
    refute "$name: CMake warns" grep -qi 'warning' "$scratch/log"
    check "$name: build" quietly cmake --build "$project" -j 2
    prints_line "$name" "$project/consumer"

    expected="$warnings $more -std=c11"
    [ "$language" = C ] || expected="$warnings $more -std=c++17"
    case $name in *shared*) expected="-DES_SHARED $expected" ;; esac
    # shellcheck disable=SC2086 # words
    equal "$name: flags in its commands" "$(sed -n 's/^ *"command": //p' "$project/compile_commands.json" |
        grep 'CMakeFiles/consumer[.]dir/' | tr ' ' '\n' | grep -E '^-[DUfmstWO]' | sort)" \
        "$(printf '%s\n' $expected | sort)"

    # As a part of others' builds we are the library and nothing else.
    cmake --build "$project" --target help | sed -n 's/^\.\.\. \([a-z][a-z0-9_]*\)$/\1/p' |
        grep -v -x -E 'all|clean|depend|consumer|evenstep|test|list_install_components' |
        grep -v -E '^(edit_cache|rebuild_cache|install)|^(Continuous|Experimental|Nightly)' >"$scratch/log"
    nothing "$name: no targets of ours beside the library"
    check "$name: no tests of ours in its own" [ "$(cd "$project" && ctest -N | grep -c '^Total Tests: 0$')" = 1 ]
    grep -i -E '^[^/#]*(cmocka|sdl|cairo|jansson|pkg_?config)[^/]*=' "$project/CMakeCache.txt" >"$scratch/log"
    nothing "$name: looks for nothing that the library does not need"
}

for kind in static ${EVENSTEP_FULL:+shared}; do
    for language in CXX C; do
        consume "find_package, $kind" $language -D WAY=installed -D WANTED="${version%.*}" \
            -D CMAKE_PREFIX_PATH="$trees/$kind"
    done
done
for wanted in 99 0.0 "${version%%.*}.99" "$version.99"; do
    refute "it says it is version $wanted" configure C -D WAY=installed -D WANTED="$wanted" \
        -D CMAKE_PREFIX_PATH="$trees/static"
    check "version $wanted: refused" grep -q "compatible with requested version" "$scratch/log"
done
for wanted in "$version;EXACT" "$version"; do
    check "it is version $wanted" configure C -D WAY=installed "-DWANTED=$wanted" \
        -D CMAKE_PREFIX_PATH="$trees/static"
done
[ -n "${EVENSTEP_FULL-}" ] || finish "each program printed $line"

# What is special is spread over the ways: each of it is in one of them.
consume "add_subdirectory, shared, a unity build" CXX -D WAY=subdirectory -D EVENSTEP="$sources" \
    -D BUILD_SHARED_LIBS=ON -D EVENSTEP_INSTALL=ON -D CMAKE_UNITY_BUILD=ON
check "the library is compiled as strict C17" grep -q '"command".* -std=c17 .*src/.*common[.]c' \
    "$project/compile_commands.json"
check "a consumer's install" quietly cmake --install "$project" --prefix "$scratch/consumer's"
check "a consumer's install has Evenstep with EVENSTEP_INSTALL" \
    [ -n "$(find "$scratch/consumer's" -name evenstep-config.cmake)" ]
rm -r "$scratch/consumer's"
consume "FetchContent, an archive, static" CXX -D WAY=fetch-url -D EVENSTEP="$archive"

# What a project asks of the compiler for its own code reaches the library, too: it must bear it, and
# give the same bytes. golden is linked without those flags, which would change its own arithmetic.
golden() {
    library=$(find "$project" -name 'libevenstep.*' | head -n 1)
    # A shared library hides private names.
    find "$project" -path '*/evenstep.dir/*' -name '*.o' | sed 's/.*/"&"/' >"$scratch/objects"
    check "$name: golden_blend links" quietly "$CC" -std=c17 -O1 -ffp-contract=off -I include -I src \
        tests/golden_blend.c "@$scratch/objects" -lm -o "$scratch/golden"
    check "$name: the same bytes" quietly "$scratch/golden"
    nm "$library" | grep -i 'fast_math' >"$scratch/log"
    nothing "$name: it leaves tiny numbers of the programs that load it alone"
}

# gcc puts start-up code of -Ofast into what it links, so the shared library is its case.
compiler=$CC
if command -v gcc >/dev/null; then
    compiler=gcc
    more=-Ofast
fi
consume "FetchContent, a directory, $compiler $more, shared" C -D WAY=fetch -D EVENSTEP="$sources" \
    -D CMAKE_C_COMPILER="$compiler" -D BUILD_SHARED_LIBS=ON
golden
compiler=$CC
more=-D_GNU_SOURCE
if command -v clang >/dev/null; then
    compiler=clang
    more="-D_GNU_SOURCE -O2 -ffast-math"
fi
consume "add_subdirectory, $compiler $more, static" C -D WAY=subdirectory -D EVENSTEP="$sources" \
    -D CMAKE_C_COMPILER="$compiler" -D CMAKE_C_STANDARD=11
golden
more=
check "a consumer's install" quietly cmake --install "$project" --prefix "$scratch/consumer's"
find "$scratch/consumer's" -iname '*evenstep*' >"$scratch/log"
nothing "a consumer's install has nothing of ours unless asked"

# --- without a platform, and what the command and the tests need ------------------------------------

check "null platform: configure" quietly cmake -S . -B "$scratch/null" -D EVENSTEP_PLATFORM=null \
    -D EVENSTEP_WERROR=ON -D EVENSTEP_BUILD_TOOLS=OFF -D EVENSTEP_BUILD_TESTS=OFF -D EVENSTEP_BUILD_EXAMPLES=OFF
check "null platform: build" quietly cmake --build "$scratch/null" -j 2 --target bench_frame
refute "null platform: it has a clock" quietly "$scratch/null/bench_frame"
check "null platform: says that there is no clock" grep -q 'no clock' "$scratch/log"

# Where the command will look for a shared library. To build it would take longer than all of the above.
if pkg-config --exists cairo jansson; then
    check "the command: configure" quietly cmake -S . -B "$scratch/command" -D BUILD_SHARED_LIBS=ON \
        -D EVENSTEP_BUILD_TESTS=OFF -D CMAKE_INSTALL_LIBDIR=lib/here
    check "the command, installed, finds the shared library beside it" \
        grep -q 'RPATH ".*ORIGIN/[.][.]/lib/here"' "$scratch/command/cmake_install.cmake"
fi

# lacks WHAT OPTION-IN-THE-ERROR ARGS...: configuring fails, and the error says how to do without
lacks() {
    lacking=$1 option=$2
    shift 2
    refute "no $lacking: no error" quietly env PKG_CONFIG_LIBDIR=/nowhere cmake -S . \
        -B "$scratch/lacking" "$@"
    tr -s ' \n' ' ' <"$scratch/log" >"$scratch/words"
    check "no $lacking: how to do without" grep -q "$option=OFF; .*EVENSTEP_LIBRARY_ONLY=ON" "$scratch/words"
}
lacks cairo EVENSTEP_BUILD_TOOLS
lacks cmocka EVENSTEP_BUILD_TESTS -D EVENSTEP_BUILD_TOOLS=OFF -D CMOCKA_LIBRARY:STRING=OFF \
    -D CMOCKA_INCLUDE_DIR:STRING=OFF -D CMAKE_DISABLE_FIND_PACKAGE_cmocka=ON
check "the library alone, in the same directory" quietly env PKG_CONFIG_LIBDIR=/nowhere cmake -S . \
    -B "$scratch/lacking" -D EVENSTEP_LIBRARY_ONLY=ON
finish "each program printed $line"
