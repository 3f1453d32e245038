#!/bin/sh
# What the README and the docs show must work: the program compiles as pasted and runs, and every
# command line that calls build/evenstep is run. One that would measure for a minute, or on many
# displays, does so for some seconds, unless EVENSTEP_FULL is set.
set -u
build=${BUILD_DIR:?}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
programs=0
commands=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1" >&2
}

# blocks LANGUAGE FILE: the code of its fenced blocks
blocks() {
    awk -v open='```'"$1" '$0 == open { on = 1; next } /^```/ { on = 0 } on' "$2"
}

compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
library=$(find "$build" -maxdepth 1 -name 'libevenstep.*' | head -n 1)
# where it is shared
LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
flags=
case $build in
*asan*) flags=-fsanitize=address,undefined ;;
*tsan*) flags=-fsanitize=thread ;;
*coverage*) flags=--coverage ;;
esac

# shortened LINE: for some seconds only
shortened() {
    [ -z "${EVENSTEP_FULL:-}" ] || {
        echo "$1"
        return
    }
    case $1 in
    *'demo '*--virtual*) echo "$1" ;; # takes no time
    *'demo '*--seconds*) echo "$1" | sed 's/--seconds 60\b/--seconds 5/' ;;
    *'evenstep demo '*) echo "$1 --seconds 2" ;;
    *) echo "$1" | sed 's/evenstep lab --sweep\b/& --seconds 5/' ;;
    esac
}

# compile DOCUMENT STANDARD: its program
compile() {
    programs=$((programs + 1))
    # shellcheck disable=SC2086 # flags may be empty
    "$compiler" -std=$2 -Wall -Wextra -Wpedantic -Werror $flags -Iinclude "$scratch/program.c" \
        "$library" -lm -o "$scratch/program" || fail "$1: the program does not compile ($2)"
}

blocks c docs/threads.md >"$scratch/program.c"
compile docs/threads.md c11
timeout 120 "$scratch/program" >"$scratch/out" || fail "docs/threads.md: the program fails"
grep -q '^x = ' "$scratch/out" || fail "docs/threads.md: the program shows nothing"

blocks c README.md >"$scratch/program.c"
[ "$(wc -l <"$scratch/program.c")" -le 30 ] || fail "README.md: the program has over 30 lines"
for standard in c11 c17; do
    compile README.md "$standard"
done
timeout 120 "$scratch/program" >"$scratch/out" || fail "README.md: the program fails"
[ -s "$scratch/out" ] || fail "README.md: the program prints nothing"

for document in README.md docs/*.md; do
    blocks sh "$document" | grep '^build/evenstep' >"$scratch/commands"
    while read -r line; do
        line=$(shortened "$line")
        commands=$((commands + 1))
        (cd "$scratch" && mkdir -p build && ln -sf "$build/evenstep" build/evenstep &&
            sh -c "$line" >"$scratch/out" 2>&1 </dev/null) ||
            fail "$document: '$line': $(cat "$scratch/out")"
    done <"$scratch/commands"
done

echo "readme: $programs programs, $commands commands, $failures failed"
[ "$programs" -gt 0 ] && [ "$commands" -gt 0 ] && [ "$failures" = 0 ]
