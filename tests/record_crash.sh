#!/bin/sh
# A program that records is killed (SIGKILL) at any moment: what it had given to the system before
# is there, every record of it whole, and plays. tests/record_crash.c is the program. Files that are cut:
# tests/test_damage.c.
#
# KILLS: how often; 200, or 50 in a sanitized build.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1
program=$build/tests/record_crash
kills=${KILLS:-$([ -n "${SANITIZED-}" ] && echo 50 || echo 200)}

checks=$((checks + 1))
"$program" kill run "$kills" >killed || fail "killed: $(cat killed)"

# no more room for the file: the recording says so, and what is there plays
rm -f run
(
    trap '' XFSZ
    ulimit -f 40
    "$program" write run >written 2>&1
)
equal "no more room: exit status" $? 3
check "no more room" quietly "$program" read run 50
finish "killed $kills times, $(grep -c 'ends within a record' killed) within a record"
