#!/bin/sh
# A program that records is killed (SIGKILL) at any moment: what it had handed to the system before
# is there, every record of it whole, and plays. tests/record_crash.c is the program.
#
# BUILD_DIR: where it was built. KILLS: how often; 25.
set -u
program=${BUILD_DIR:?}/tests/record_crash
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failures=0
cut=0
kills=${KILLS:-25}

kill_number=0
while [ "$kill_number" -lt "$kills" ]; do
    kill_number=$((kill_number + 1))
    rm -f "$work/run" "$work/said"
    "$program" write "$work/run" > "$work/said" &
    writer=$!
    # until it records, and then some more: another moment each time
    waited=0
    while [ ! -s "$work/said" ] && [ "$waited" -lt 500 ]; do
        sleep 0.01
        waited=$((waited + 1))
    done
    sleep "0.0$((kill_number % 7))$((kill_number % 10))"
    kill -9 "$writer"
    wait "$writer" 2> /dev/null
    # the last line may be cut as well: the one before it was said whole
    last=$(sed -n 's/^tick \([0-9]*\)$/\1/p' "$work/said" | tail -n 2 | head -n 1)
    if ! "$program" read "$work/run" "${last:-1}" > "$work/read"; then
        failures=$((failures + 1))
        echo "FAILED: killed after tick ${last:-?}: $(cat "$work/read")" >&2
    fi
    grep -q 'ends within a record' "$work/read" && cut=$((cut + 1))
done

# And cut at chosen bytes, as a disk would leave it: the beginning of the last run, in every length
# of a stretch of it.
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
