#!/bin/sh
# What the README and the docs show must work: the programs compile as pasted and run, and every
# command line that calls build/evenstep is run. One that would take real time, or many displays,
# is short unless EVENSTEP_FULL is set.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1
mkdir build
ln -s "$command" build/evenstep
# where the library is shared
LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# program DOCUMENT NUMBER STANDARD...: its C, or the block of that number, is a program, which prints something
program() {
    document=$1 number=$2
    shift 2
    blocks c "$document" "$number" >program.c
    for standard; do
        check "$document compiles as $standard" compile program program.c "$standard"
    done
    checks=$((checks + 1))
    timeout 120 ./program >out 2>&1 || fail "$document: the program fails: $(cat out)"
    check "$document: the program prints something" [ -s out ]
}

context="cat log"
: >log
for page in "$home"/docs/*.md; do # the first block of a page, where it is a program
    ! blocks c "$page" 1 | grep -q '^int main' || program "$page" 1 c11
done
program "$home/README.md" "" c11 c17
check "README.md: a program of 30 lines at most" [ "$(wc -l <program.c)" -le 30 ]
context=

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
finish "$commands commands"
