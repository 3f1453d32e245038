#!/bin/sh
# Recordings of the demo that are cut, damaged, killed, or none: what is there plays, and what is
# wrong is said. And two threads, which like killed programs run in real time.
set -u
# shellcheck source=tests/demo_record_support.sh
. "$(dirname "$0")/demo_record_support.sh"

demo 0 --virtual --seconds 13 --keys 1:j,5:+,9:f --record run
# two threads, in real time
for seconds in 0.6 3 10; do # on a busy machine
    rm -f two
    demo 0 --loop threaded --tick-rate 100 --job sliced --seconds $seconds --record two
    [ "$(number recording ticks)" = 0 ] || break
done
is recording frames 0
plays two

# no file is written over, and what is none of the demo's is said, with the file and the byte
demo 1 --virtual --seconds 1 --record run
says err "cannot record into run: File exists"
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
size=$(wc -c < run)
"$command" replay run --json > run.json
damage() { # damage FILE OFFSET [BYTES]
    cp run "$1"
    dd if=/dev/zero of="$1" bs=1 seek="$2" count="${3:-4000}" conv=notrunc 2> dd.err
}
damage head 40 # there is a copy of it behind the first state
demo 0 --virtual --play head
is playing equal true
damage early 40 40000 # and no more
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
# what cannot be compared is no success
spoil() { # spoil FILE KIND NTH [LAST]
    file=$1
    shift
    "$BUILD_DIR/tests/replay_recorder" spoil run "$file" "$@" || fail "cannot spoil $*"
}
ticks=$(sed -n 's/.*"steps": \([0-9]*\).*/\1/p' run.json)
spoil hash 7 100
replay 1 "hash: tick 101 cannot be compared: byte " hash --verify
says out "$ticks ticks run again, $((ticks - 1)) of them compared"
at=$(sed -n 's/.*cannot be compared: byte \([0-9]*\):.*/\1/p' out)
replay 1 "\"compared\": $((ticks - 1))," hash --verify --json
demo 1 --virtual --play hash
is playing compared $((ticks - 1))
is playing ran "$ticks"
is playing equal true
is playing damaged false
head -c "$at" run > unhashed # cut between a tick and its hashes: nothing is damaged
replay 0 "unhashed: 101 ticks run again, every hash equal" unhashed --verify
replay 0 '"compared": 100,' unhashed --verify --json
demo 0 --virtual --play unhashed
is playing ran 101
is playing cut true
spoil hashes 7 0 $((ticks - 1))
demo 1 --virtual --play hashes
is playing compared 1 # there is a snapshot
spoil last 7 $((ticks - 1))
replay 1 "last: tick $ticks cannot be compared: byte " last --verify
cp run trailing
printf '\n' >> trailing
replay 0 "trailing: $ticks ticks run again, every hash equal" trailing --verify
replay 3 "bytes behind the recording's end" trailing
cp hash both # the second is what hides ticks
"$BUILD_DIR/tests/replay_recorder" spoil hash both 5 700
at=$("$command" replay both --json | sed -n 's/^ *{"offset": \([0-9]*\),.*/\1/p; s/^ *"offset": \([0-9]*\),*$/\1/p' | tail -n 1)
replay 1 "both: ticks 701 to the last are not there: byte $at:" both --verify
# the first state: it is entered at the next one
spoil first 4 0
replay 1 "first: what comes before tick 600 cannot be played: byte " first --verify
replay 0 "first: tick 650, 50 ticks after a snapshot" first --seek 650
demo 1 --virtual --play first
is playing damaged true
is playing equal true
says err "what comes before tick 600"

# a pipe would be waited for
mkfifo pipe
replay 4 "no regular file" pipe
demo 2 --virtual --play pipe
says err "cannot play pipe: a pipe"

head -c $((size * 2 / 3)) run > ./cut
plays cut
is playing cut true

# killed at any moment
for after in 0.2 0.5; do
    rm -f killed
    "$command" demo --headless --seconds 600 --record killed > out 2> err < /dev/null &
    demo=$!
    tries=0
    until { [ -f killed ] && [ "$(wc -c < killed)" -gt 40000 ]; } || [ $tries -gt 3000 ]; do
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
says out "ended: File too large"
plays full
is playing cut true

done_checking demo_damage
