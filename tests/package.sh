#!/bin/sh
# The library as others get it: installed (find_package and pkg-config), as a subdirectory, shared,
# and on the null platform. The README's program is the consumer, and one in C++.
set -u
source_dir=$PWD
build=${BUILD_DIR:?}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "FAILED: $1" >&2
    [ -f "$scratch/log" ] && tail -n 30 "$scratch/log" >&2
    exit 1
}

quietly() {
    "$@" >"$scratch/log" 2>&1
}

awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' README.md >"$scratch/main.c"
cat >"$scratch/main.cpp" <<'END'
#include <evenstep/evenstep.h>

int main()
{
    es_loop loop;
    return es_loop_init(&loop, nullptr, nullptr) == ES_OK && es_hz(60).numerator == 60 ? 0 : 1;
}
END

quietly cmake --install "$build" --prefix "$scratch/installed" || fail "install"

# by pkg-config, wherever the library directory lies
pc=$(find "$scratch/installed" -name evenstep.pc)
[ -n "$pc" ] || fail "no evenstep.pc is installed"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # a list of flags
quietly cc "$scratch/main.c" $(pkg-config --cflags --libs evenstep) -o "$scratch/program" ||
    fail "pkg-config: $(pkg-config --cflags --libs evenstep)"
quietly "$scratch/program" || fail "pkg-config: the program fails"
[ "evenstep $(pkg-config --modversion evenstep)" = "$("$build/evenstep" --version)" ] ||
    fail "pkg-config: another version"

# consume NAME HOW OPTION...: a project that gets the library by the line HOW
consume() {
    project=$scratch/$1
    mkdir "$project"
    cat >"$project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.21)
project(consumer C CXX)
$2
add_executable(program ../main.c)
add_executable(program_cpp ../main.cpp)
target_link_libraries(program PRIVATE evenstep::evenstep)
target_link_libraries(program_cpp PRIVATE evenstep::evenstep)
END
    name=$1
    shift 2
    quietly cmake -S "$project" -B "$project/build" "$@" || fail "$name: configure"
    quietly cmake --build "$project/build" || fail "$name: build"
    quietly "$project/build/program" || fail "$name: the program fails"
    quietly "$project/build/program_cpp" || fail "$name: the C++ program fails"
}

consume installed "find_package(evenstep 0.1 CONFIG REQUIRED)" -D CMAKE_PREFIX_PATH="$scratch/installed"
consume subdirectory "add_subdirectory($source_dir evenstep)"
[ -d "$scratch/subdirectory/build/evenstep/tests" ] && fail "a subdirectory builds our tests too"
consume shared "add_subdirectory($source_dir evenstep)" -D BUILD_SHARED_LIBS=ON
foreign=$(find "$scratch/shared/build" -name 'libevenstep.so' -exec nm -D --defined-only {} + |
    awk '$3 !~ /^es_[a-z]/ { print $3 }')
[ -z "$foreign" ] || fail "the shared library exports $foreign"

quietly cmake -S . -B "$scratch/null" -D EVENSTEP_PLATFORM=null -D EVENSTEP_WERROR=ON \
    -D EVENSTEP_BUILD_TOOLS=OFF -D EVENSTEP_BUILD_TESTS=OFF || fail "null platform: configure"
quietly cmake --build "$scratch/null" || fail "null platform: build"
"$scratch/null/bench_engine" >"$scratch/log" 2>&1 && fail "null platform: it has a clock?"
grep -q 'no clock' "$scratch/log" || fail "null platform: does not say that there is no clock"

echo "package: passed"
