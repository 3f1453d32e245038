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

# program DOCUMENT PATTERN STANDARD...: its C is one program, which prints a line that matches
program() {
    document=$1 pattern=$2
    shift 2
    blocks c "$home/$document" >program.c
    for standard; do
        check "$document compiles as $standard" compile program program.c "$standard"
    done
    checks=$((checks + 1))
    timeout 120 ./program >out 2>&1 || fail "$document: the program fails: $(cat out)"
    matches "$pattern" out
}

context="cat log"
: >log
program docs/threads.md '^x = ' c11
program README.md . c11 c17
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
