#!/bin/sh
# What the README and the docs show must work. Every block of C and C++ of README.md, the guide, docs/porting.md
# and docs/migration.md compiles and runs; what is no program becomes one by tests/guide/. Of the other pages the
# first block does, where it is a program. Every command line that calls build/evenstep is run. One that would
# take real time, or many displays, is short unless EVENSTEP_FULL is set.
# shellcheck source=tests/lib.sh disable=SC2317 # each_block calls functions by name
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1
mkdir build
ln -s "$command" build/evenstep
# where the library is shared
LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# runs NAME STANDARD...: $source compiles without a warning, with $options, and runs
runs() {
    name=$1
    shift
    for standard; do
        # shellcheck disable=SC2086 # words
        check "$name compiles as $standard" compile program "$source" "$standard" $options
    done
    checks=$((checks + 1))
    timeout 120 ./program >out 2>&1 || fail "$name: the program fails: $(cat out)"
}

# fragment: block.c becomes a program, by tests/guide/
fragment() {
    options=
    ! grep -q 'struct world' block.c || options=-DGUIDE_OWN_WORLD
    ! grep -q ' update(frame' block.c || options=-DGUIDE_OWN_GAME
    if grep -q -e 'SDL_RenderPresent(' -e '<SDL.h>' block.c; then
        pkg-config --exists sdl2 2>/dev/null || return 1
        options="$options -I$home/adapters -include SDL.h $(pkg-config --cflags --libs sdl2)"
    fi
    awk -f "$home/tests/guide/fragment.awk" block.c >fragment.c
    source=fragment.c
}

context="cat log"
: >log
SDL_VIDEODRIVER=dummy SDL_RENDER_DRIVER=software
ASAN_OPTIONS=detect_leaks=0 # fragments do not free everything
export SDL_VIDEODRIVER SDL_RENDER_DRIVER ASAN_OPTIONS
options=
for page in "$home"/docs/*.md; do # the first block of a page, where it is a program
    blocks c "$page" 1 >block.c
    source=block.c
    ! grep -q '^int main' block.c || runs "$page" c11
done
# each_block LANGUAGE DOCUMENT COMMAND: for each of them, which is block.LANGUAGE, and its number $number
each_block() {
    number=1
    while blocks "$1" "$home/$2" "$number" >"block.$1" && [ -s "block.$1" ]; do
        $3
        number=$((number + 1))
    done
}
of_c() {
    source=block.c options=
    if grep -q '^int main' block.c || fragment; then
        runs "$document, block $number" c11 ${EVENSTEP_FULL:+c17}
        programs=$((programs + 1))
    else
        skipped=$((skipped + 1))
    fi
}
of_cpp() {
    source=block.cpp options=-lstdc++
    runs "$document, C++ block $number" c++17 ${EVENSTEP_FULL:+c++20}
    programs=$((programs + 1))
}
programs=0 skipped=0
for document in README.md docs/guide.md docs/porting.md docs/migration.md; do # every block
    each_block c $document of_c
    each_block cpp $document of_cpp
done
check "blocks of README.md and the guide" [ "$programs" -gt 15 ]

# The two sides of each change in docs/porting.md run, and x moves on. The accumulator's has at most six new lines, each
# with one statement.
options=-I$home/tests/guide
of_diff() {
    sed -n -e 's/^[- ]//p' -e '/^$/p' block.diff >before.c
    sed -n -e 's/^[+ ]//p' -e '/^$/p' block.diff >after.c
    for side in before after; do
        source=$side.c
        if ! grep -q '^.int main' block.diff; then
            awk -v prelude=port.h -f "$home/tests/guide/fragment.awk" $side.c >fragment.c
            source=fragment.c
        fi
        runs "docs/porting.md, change $number, $side" c11 ${EVENSTEP_FULL:+c17}
        check "change $number, $side: x never goes back" sort -n -c out
        check "change $number, $side: x moves" [ "$(tail -n 1 out)" != "$(head -n 1 out)" ]
        programs=$((programs + 1))
    done
    ! grep -q '^.int main' block.diff || diff -U0 before.c after.c | grep '^+' | grep -v '^+++ ' >added
}
each_block diff docs/porting.md of_diff
check "changes of docs/porting.md" [ "$number" -gt 4 ]
check "the accumulator: added lines" [ "$(wc -l <added)" -gt 0 ]
check "the accumulator: at most six lines" [ "$(wc -l <added)" -le 6 ]
equal "lines with two statements" "$(sed 's/for (.*) {/{/' added | grep -c ';.*;')" 0

# Slices in idle time: what the guide shows keeps 99 % of the refreshes at 89 % of load.
of_slices() {
    ! grep -q es_slices_open_frame block.c || cp block.c slices.c
}
each_block c docs/guide.md of_slices
awk -v prelude=slices.h -f "$home/tests/guide/fragment.awk" slices.c >fragment.c
check "slices compile" compile program fragment.c c11
for hz in 60 144; do
    for draw in 25 50 75; do
        HZ=$hz DRAW=$draw ./program >out 2>&1
        check "slices at $hz Hz, drawing $draw %: $(cat out) %" [ "$(sed 's/[.].*//' out)" -ge 99 ]
    done
done
context=

# the guide has an answer to each text of es_loop_problem
sed -n '/const texts\[/,/^};/p' "$home/src/loop/loop_problem.c" | tr -d '\n' | sed 's,"  *",,g' | tr '[' '\n' |
    grep -o '"[a-z][^":]*' | tr -d '"' | sed 's, %.*,,' >texts
check "texts of es_loop_problem" [ "$(wc -l <texts)" -ge 14 ]
while read -r text; do
    has "| $text" "$home/docs/guide.md"
done <texts

# shortened LINE
shortened() {
    case ${EVENSTEP_FULL:-$1} in
    *'demo '*--virtual*) echo "$1" ;; # takes no time
    *'demo '*--seconds*) echo "$1" | sed 's/--seconds [0-9.]*/--seconds 0.3/' ;;
    *'evenstep demo '*) echo "$1 --seconds 0.3" ;;
    *'lab --sweep'*) echo "$1" | sed 's/lab --sweep/& --seconds 5/' ;;
    *) echo "$1" ;;
    esac
}

rm -f run.esrec # a recording is never written over
commands=0
for document in "$home"/README.md "$home"/docs/*.md; do
    blocks sh "$document" | grep '^build/evenstep' >commands
    while read -r line; do
        line=$(shortened "$line")
        commands=$((commands + 1))
        checks=$((checks + 1))
        sh -c "$line" >out 2>&1 </dev/null || fail "$document: '$line': $(cat out)"
    done <commands
done
check "commands in the docs" [ "$commands" -gt 0 ]

# figures that are the same on each machine
context="grep -e ^differs log"
check "docs/claims.md" quietly env BUILD_DIR="$build" sh "$home/scripts/claims" --exact
check "docs/claims.md: figures" [ "$(grep -c ^holds log)" -gt 10 ]
context=
finish "$programs programs, $skipped without SDL2; $commands commands"
