#!/bin/sh
# A program that records is killed (SIGKILL) at any moment: what it had given to the system before
# is there, every record of it whole, and plays. tests/record_crash.c is the program.
#
# KILLS: how often; 200, or 50 in a sanitized build.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1
program=$build/tests/record_crash
kills=${KILLS:-$([ -n "${SANITIZED-}" ] && echo 50 || echo 200)}

# write_run BLOCKS: a run that ends at a file of so many blocks
write_run() {
    rm -f run
    (
        trap '' XFSZ
        ulimit -f "$1"
        "$program" write run >written 2>&1
    )
}
# read_run WHAT RECORDS: so many at least can be played
read_run() {
    checks=$((checks + 1))
    "$program" read run "$2" >said || fail "$1: $(cat said)"
}

checks=$((checks + 1))
"$program" kill run "$kills" >killed || fail "killed: $(cat killed)"

# cut at chosen bytes, as a disk would leave it: the beginning of a run, in every length of a stretch of it
write_run 100
head -c 20000 run >start
length=19000
while [ "$length" -lt 19200 ]; do
    head -c "$length" start >run
    read_run "cut to $length bytes" 1
    length=$((length + 1))
done

# no more room for the file: the recording says so, and what is there plays
write_run 40
equal "no more room: exit status" $? 3
read_run "no more room" 50
finish "killed $kills times, $(grep -c 'ends within a record' killed) within a record"
