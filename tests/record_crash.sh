#!/bin/sh
# A program that records is killed (SIGKILL) at any moment: what it had handed to the system before
# is there, every record of it whole, and plays. tests/record_crash.c is the program.
#
# BUILD_DIR: where it was built. KILLS: how often; 200, or 50 where SANITIZED says how that was.
set -u
program=${BUILD_DIR:?}/tests/record_crash
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failures=0
kills=${KILLS:-$([ -n "${SANITIZED-}" ] && echo 50 || echo 200)}

if ! "$program" kill "$work/run" "$kills" > "$work/killed"; then
    failures=1
    echo "FAILED:" >&2
    cat "$work/killed" >&2
fi
cut=$(grep -c 'ends within a record' "$work/killed")

# And cut at chosen bytes, as a disk would leave it: the beginning of a run, in every length of a
# stretch of it.
(
    trap '' XFSZ
    ulimit -f 100
    rm -f "$work/run"
    "$program" write "$work/run" > /dev/null 2>&1
)
head -c 20000 "$work/run" > "$work/start"
length=19000
while [ "$length" -lt 19200 ]; do
    head -c "$length" "$work/start" > "$work/run"
    if ! "$program" read "$work/run" 1 > "$work/read"; then
        failures=$((failures + 1))
        echo "FAILED: cut to $length bytes: $(cat "$work/read")" >&2
    fi
    length=$((length + 1))
done

# No more room for the file: the recording says so (3), and what is there plays.
rm -f "$work/run"
(
    trap '' XFSZ
    ulimit -f 40
    "$program" write "$work/run" > /dev/null 2>&1
)
status=$?
if [ "$status" != 3 ] || ! "$program" read "$work/run" 50 > "$work/read"; then
    failures=$((failures + 1))
    echo "FAILED: no more room: exit status $status; $(cat "$work/read")" >&2
fi

echo "record_crash: killed $kills times ($cut within a record), $failures failed"
[ "$failures" = 0 ]
