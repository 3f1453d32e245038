#!/bin/sh
# Runs of the demo are recorded and played again: every tick comes to the same hash, and, as
# scheduled, every frame to the same nanosecond. In virtual time, but where two threads or a killed
# program are to be seen.
set -u
command=${BUILD_DIR:?}/evenstep
check=$BUILD_DIR/tests/demo_check
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
data=$OLDPWD/tests/data
checks=0
failures=0
seconds=60
idle=8 # when the job is switched off
case $BUILD_DIR in # sanitizers look for other faults than a wrong minute
*asan* | *tsan*) seconds=14 idle=5.2 ;;
esac

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1" >&2
}

# demo STATUS ARGS...: ends so; its report is r.json, what it says to people is out and err
demo() {
    checks=$((checks + 1))
    wanted=$1
    shift
    what="demo $*"
    "$command" demo --headless "$@" --report r.json > out 2> err < /dev/null
    status=$?
    [ "$status" = "$wanted" ] || fail "$what: exit status $status, not $wanted: $(cat err)"
}

# number OBJECT KEY: in the last report
number() {
    sed -n "/^  \"$1\": {/,/^  }/s/^    \"$2\": \([0-9]*\),*\$/\1/p" r.json
}

# is OBJECT KEY VALUE
is() {
    checks=$((checks + 1))
    sed -n "/^  \"$1\": {/,/^  }/p" r.json | grep -q "^    \"$2\": $3,*\$" ||
        fail "$what: $1.$2 is not $3: $(sed -n "/^  \"$1\": {/,/^  }/s/^    \"$2\": //p" r.json)"
}

# says FILE TEXT
says() {
    checks=$((checks + 1))
    grep -qF -- "$2" "$1" || fail "$what: no '$2' in: $(cat "$1")"
}

# plays FILE ARGS...: to its end, every hash equal
plays() {
    file=$1
    shift
    demo 0 --virtual --play "$file" "$@"
    is playing equal true
    is playing damaged false
    checks=$((checks + 1))
    [ "$(number playing tick)" = "$(number playing last_tick)" ] || fail "$what: not to its end"
    [ "$(number playing tick)" != 0 ] || fail "$what: no ticks"
}

# A minute with mouse, clicks, teleports, jobs, rates, pauses, single steps, speeds, tick rates,
# spikes, costs, other loops, policies, ways to show, split views and delays.
keys=1:t,2:t,3:j,4:j,$idle:j,9:g,10:space,11:n,11.5:n,12:space,14:s,16:s,18:s,20:s,22:+,24:+,26:-,28:k
keys=$keys,32:k,34:l,36:l,37:L,37.5:L,38:p,40:w,42:w,44:i,45:i,46:v,48:V,50:d,52:d,54:f,55:a,56:r
keys=$keys,57:u,58:c,59:g
demo 0 --virtual --seconds $seconds --keys "$keys" --record minute
ticks=$(number recording ticks)
frames=$(number recording frames)
is recording ended_by null
is recording ticks_lost 0
checks=$((checks + 1))
[ "$ticks" -gt $((20 * seconds)) ] || fail "$what: $ticks ticks"
plays minute
is playing compared "$ticks"
plays minute --schedule
is playing compared "$ticks"
is playing frames "$frames"
is playing same_frames "$frames"
is playing strays 0
checks=$((checks + 1))
"$check" minute > checked || fail "demo_check: $(cat checked)"

# without a view
replay() { # replay STATUS TEXT ARGS...
    checks=$((checks + 1))
    wanted=$1 text=$2
    shift 2
    what="replay $*"
    "$command" replay "$@" > out 2>&1 < /dev/null
    status=$?
    [ "$status" = "$wanted" ] || fail "$what: exit status $status, not $wanted: $(cat out)"
    grep -qF -- "$text" out || fail "$what: no '$text' in: $(cat out)"
}
replay 0 "minute: $ticks ticks run again, every hash equal" minute --verify
replay 0 '"compared": '"$ticks," minute --verify --json
replay 0 "minute: tick 250, 250 ticks after a snapshot" minute --seek 250
replay 0 '"took_ms": ' minute --seek 250 --json
replay 1 "tick 999999 is not in it" minute --seek 999999

# turns, and what is recorded without frames
demo 0 --virtual --seconds 6 --alternate low-latency --every 2 --record turns
plays turns --schedule
is playing same_frames "$(number playing frames)"
is playing strays 0
demo 0 --virtual --seconds 0.1 --loop variable --record-frames off --record plain
is recording frames 0
plays plain
demo 2 --virtual --play plain --schedule
says err "plain: no frames were recorded"

# speeds: the world's, which is recorded, and that of playing it
demo 0 --virtual --seconds 3 --speed 0.5 --record half
plays half --schedule --speed 4
is playing same_frames "$(number playing frames)"
is playing strays 0

# seeking, stopping, another speed: still the same states
plays minute --keys '2:],3:],4:[,5:[,6:],7:]' --speed 2
demo 0 --virtual --play minute --until 300
is playing tick 300
is playing compared 300
demo 0 --virtual --play minute --seconds 1 --keys '0.1:space,0.2:n,0.3:n,0.5:n'
checks=$((checks + 1))
[ "$(number playing tick)" -lt 20 ] || fail "$what: it did not stand"

# two threads, in real time
for seconds in 0.6 3 10; do # on a busy machine
    rm -f two
    demo 0 --loop threaded --tick-rate 100 --job sliced --seconds $seconds --record two
    [ "$(number recording ticks)" = 0 ] || break
done
is recording frames 0
plays two

# no file is written over, and what is none of the demo's is said, with the file and the byte
demo 1 --virtual --seconds 1 --record minute
says err "cannot record into minute: File exists"
demo 1 --virtual --seconds 1 --record no/such/place
says err "cannot record into no/such/place: No such file or directory"
demo 2 --virtual --play none
says err "cannot play none: No such file or directory"
demo 2 --virtual --play "$data/golden.esrec"
says err "golden.esrec: no recording of the demo"
echo 'This is no recording, but a text.' > text
demo 2 --virtual --play text
says err "text: byte 0:"
: > empty
demo 2 --virtual --play empty
says err "empty: byte 0:"

# damage: named, and passed over where a snapshot lets it go on
size=$(wc -c < minute)
damage() { # damage FILE OFFSET
    cp minute "$1"
    dd if=/dev/zero of="$1" bs=1 seek="$2" count=4000 conv=notrunc 2> dd.err
}
damage early 40
demo 2 --virtual --play early
says err "early: byte 16:"
damage middle $((size / 2))
demo 1 --virtual --play middle
says err "are not there: byte "
is playing damaged true
is playing equal true
replay 1 "are not there: byte " middle --verify
damage late $((size * 9 / 10)) # no snapshot follows
demo 1 --virtual --play late
says err "are not there: byte "
is playing damaged true
head -c $((size * 2 / 3)) minute > cut
plays cut
is playing cut true
head -c $((size * 2 / 3)) minute > cut
demo 0 --virtual --play cut --schedule # its last frame has no end
is playing equal true

# killed at any moment
for after in 0.2 0.5; do
    rm -f killed
    "$command" demo --headless --record killed > out 2> err < /dev/null &
    demo=$!
    tries=0
    until { [ -f killed ] && [ "$(wc -c < killed)" -gt 40000 ]; } || [ $tries -gt 1500 ]; do
        tries=$((tries + 1))
        sleep 0.02
    done
    sleep "$after"
    kill -9 "$demo"
    wait "$demo" 2> wait.err
    plays killed
    is playing cut true
done

# no more room: it says so, goes on, and fails; what is there plays
rm -f full
(
    trap '' XFSZ
    ulimit -f 200
    exec "$command" demo --headless --virtual --seconds 20 --record full --report r.json
) > out 2> err < /dev/null
status=$?
what="a full disk"
checks=$((checks + 1))
[ "$status" = 1 ] || fail "$what: exit status $status"
says err "recording ended early: full: File too large"
is recording ended_by '"File too large"'
says out "(ended before its end: File too large)"
plays full
is playing cut true

echo "demo_record: $checks checks, $failures failed"
[ "$failures" = 0 ]
