#!/bin/sh
# Recordings of the demo that are cut, damaged, or none: what is there plays, and what is wrong is said.
# And two threads, in real time.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
cd "$scratch" || exit 1
recorder=$build/tests/replay_recorder

# demos <<'TABLE': exit status | arguments | text on stderr
demos() {
    while IFS='|' read -r wanted arguments text; do
        eval "demo \$wanted $arguments"
        has "${text# }" err
    done
}

demo 0 --seconds 13 --keys 1:j,5:+,9:f --record run
size=$(wc -c <run)
ticks=$("$command" replay run --json | sed -n 's/.*"steps": \([0-9]*\).*/\1/p')
# two threads, in real time
subcommand="demo --headless"
for seconds in 0.6 3 10; do # on a busy machine
    rm -f two
    ends 0 --loop threaded --tick-rate 100 --job sliced --seconds $seconds --record two --report r.json
    [ "$(json .recording.ticks r.json)" = 0 ] || break
done
holds '.recording.frames == 0' r.json
plays two

# no file is written over, and a file that is no recording of the demo is an error with the file and the byte
echo 'This is no recording, but a text.' >text
: >empty
mkfifo pipe # which would be waited for
demos <<'TABLE'
1 | --seconds 1 --record run | cannot record into run: File exists
1 | --seconds 1 --record no/such/place | cannot record into no/such/place: No such file or directory
1 | --play none | cannot play none: No such file or directory
1 | --play "$home/tests/data/golden_0.1.esrec" | golden_0.1.esrec: no recording of the demo
1 | --play text | text: byte 0:
1 | --play empty | empty: byte 0:
1 | --play pipe | cannot play pipe: a pipe
TABLE
replay 1 "(Evenstep 0.0.0 wrote it): name its program by --program" "$home/tests/data/golden_0.1.esrec" --verify # no version
replay 0 "120 ticks run again, every hash equal" "$home/tests/data/demo.esrec" --verify # 0.1.0 wrote it
check "older" "$recorder" poke run named 2 2 24 $((0x6161616161616161)) # another field, and another version
check "older" "$recorder" poke named older 1 0 0 $((0x10000))
replay 1 "; recorded by Evenstep 0.1.0: play it with that version" older --verify
demo 1 --play older
has "recorded by Evenstep 0.1.0" err
replay 4 "no regular file" pipe

# damage: named, and passed over where a snapshot lets it go on
damage() { # damage FILE OFFSET [BYTES]
    cp run "$1"
    dd if=/dev/zero of="$1" bs=1 seek="$2" count="${3:-4000}" conv=notrunc 2>dd.err
}
damage head 40 # there is a copy of it behind the first state
demo 0 --play head
holds .playing.equal
damage early 40 40000 # and no more
damage middle $((size / 2))
damage late $((size * 9 / 10)) # no snapshot follows
demos <<'TABLE'
1 | --play early | early: byte 16:
1 | --play late | are not there: byte 
1 | --play middle | are not there: byte 
TABLE
holds '.playing | .damaged, .equal'
replay 1 "are not there: byte " middle --verify
demo 1 --play late
holds .playing.damaged

# what cannot be compared is no success
spoil() { # spoil FILE KIND NTH [LAST]
    file=$1
    shift
    check "spoil $*" "$recorder" spoil run "$file" "$@"
}
spoil hash 7 100
replay 1 "hash: tick 101 cannot be compared: byte " hash --verify
has "$ticks ticks run again, $((ticks - 1)) of them compared"
at=$(sed -n 's/.*cannot be compared: byte \([0-9]*\):.*/\1/p' out)
replay 1 "\"compared\": $((ticks - 1))," hash --verify --json
demo 1 --play hash
gives "$((ticks - 1)) $ticks true false" '.playing | .compared, .ran, .equal, .damaged'
head -c "$at" run >unhashed # cut between a tick and its hashes: nothing is damaged
replay 0 "unhashed: 101 ticks run again, every hash equal" unhashed --verify
replay 0 '"compared": 100,' unhashed --verify --json
demo 0 --play unhashed
gives "101 true" '.playing | .ran, .cut'
spoil hashes 7 0 $((ticks - 1))
demo 1 --play hashes
holds '.playing | .compared > 0, .compared < 9' # there are snapshots
spoil last 7 $((ticks - 1))
replay 1 "last: tick $ticks cannot be compared: byte " last --verify
cp run trailing
printf '\n' >>trailing
replay 0 "trailing: $ticks ticks run again, every hash equal" trailing --verify
replay 3 "bytes behind the recording's end" trailing
cp hash both # the second is what hides ticks
check "spoil both" "$recorder" spoil hash both 5 700
at=$("$command" replay both --json | sed -n 's/^ *{"offset": \([0-9]*\),.*/\1/p; s/^ *"offset": \([0-9]*\),*$/\1/p' | tail -n 1)
replay 1 "are not there: byte $at:" both --verify
has "both: ticks 701 to "
spoil first 4 0 # the first state: it is entered at the next one
replay 1 "first: what comes before tick 292 cannot be played: byte " first --verify
replay 0 "first: tick 650, 72 ticks after a snapshot" first --seek 650
demo 1 --play first
has "what comes before tick 292" err
holds '.playing | .damaged, .equal'

head -c $((size * 2 / 3)) run >./cut
plays cut
holds .playing.cut

# no more room: it says so, goes on, and fails; what is there plays
(
    trap '' XFSZ
    ulimit -f 200
    exec "$command" demo --headless --virtual --seconds 20 --record full --report r.json
) >out 2>err </dev/null
equal "a full disk: exit status" $? 1
has "recording ended early: full: File too large" err
gives "File too large" .recording.ended_by
has "ended: File too large"
plays full
holds .playing.cut
finish
