#!/bin/sh
# `evenstep replay` as a person uses it: recordings of every kind by tests/replay_recorder.c, the text
# and JSON that the command prints about them, damage anywhere, and that no text of a recording
# reaches a terminal unescaped. FLIPS: how many recordings with a random bit turned over; 80, or 20
# where SANITIZED says how the command was built.
#
#   BUILD_DIR=... sh tests/replay_command.sh --write    writes tests/data/replay anew
subcommand=replay
. tests/command_support.sh
recorder=$BUILD_DIR/tests/replay_recorder
texts=tests/data/replay
flips=${FLIPS:-$([ -n "${SANITIZED-}" ] && echo 20 || echo 80)}
write=${1:-}

# record NAME SETTINGS...: makes $scratch/NAME.esrec
record() {
    name=$1
    shift
    "$recorder" record "$scratch/$name.esrec" "$@" || fail "recorder: $name"
}

# plain: what differs from machine to machine and from version to version is left out
plain() {
    sed -e "s|$scratch/||g" -e 's/evenstep [0-9.]*,/evenstep VERSION,/' \
        -e 's/"version": "[0-9.]*"/"version": ""/' -e 's/"library": "[0-9a-f]*"/"library": ""/'
}

# says NAME STATUS ARGS...: stdout is that of tests/data/replay/NAME.txt
says() {
    name=$1 wanted=$2
    shift 2
    checks=$((checks + 1))
    evenstep "$@" >"$scratch/raw" 2>"$scratch/err" </dev/null
    status=$?
    plain <"$scratch/raw" >"$scratch/out"
    [ "$status" = "$wanted" ] || fail "$name: exit status $status, not $wanted: $(cat "$scratch/err")"
    [ -s "$scratch/err" ] && fail "$name: wrote to stderr: $(cat "$scratch/err")"
    if [ "$write" = --write ]; then
        cp "$scratch/out" "$texts/$name.txt"
    fi
    cmp -s "$scratch/out" "$texts/$name.txt" ||
        fail "$name: $(diff "$texts/$name.txt" "$scratch/out" | head -n 20)"
}

# json STATUS ARGS...: well-formed, in $scratch/json
json() {
    wanted=$1
    shift
    checks=$((checks + 1))
    evenstep "$@" --json >"$scratch/json" 2>"$scratch/err" </dev/null
    status=$?
    [ "$status" = "$wanted" ] || fail "'$*' --json: exit status $status, not $wanted"
    parses "$scratch/json"
}

# gives EXPECTED FILTER: what jq makes of $scratch/json
gives() {
    command -v jq >/dev/null || return
    checks=$((checks + 1))
    got=$(jq -c "$2" "$scratch/json")
    [ "$got" = "$1" ] || fail "$2: $got, not $1"
}

# --- whole recordings -----------------------------------------------------------------------------

record good tags=1
record fields hashes=2 nan=40 layout=2
record plain hashes=3 snapshots=-1 tags=0 frames=0
record gap input=9000 full=20 again=45 gap=1
record early input=9000 full=20 again=99
good=$scratch/good.esrec
says good 0 "$good"
says lists 0 "$good" --inputs --snapshots --events --hashes --from 14 --to 21
says gap_lists 0 "$scratch/gap.esrec" --hashes --from=22 --to 47
record tall layout=2 input=150000 ticks=3 frames=0

# --- JSON -----------------------------------------------------------------------------------------

json 0 "$good"
gives '["good.esrec","60","7"]' '[(.replay.file | split("/") | last), .run.ticks_per_second, .run.seed]'
gives '[60,1,60,60,4,30,12,4,0]' \
    '.totals | [.ticks, .first_tick, .last_tick, .frames, .snapshots, .input_bytes, .input_ticks,
        .input_max, .gaps]'
gives '"intact"' .integrity.verdict
gives '26873' '[.totals.kinds[].bytes] | add'
gives '"1b5d303b7469746c650720fffe20e280ae227475726e656422205c20c29b"' '.tags[2].text_hex'
gives '[27,65533,65533,8238,155]' '[.tags[2].text | explode | .[0, 11, 12, 14, -1]]'
gives '["balls.at","f32",1,4,2]' '.fields[1] | [.name, .type, .group, .objects, .components]'
json 0 "$good" --inputs --events --hashes --snapshots --from 15 --to 40
gives '[16,1,"33",true]' '.inputs[0] | [.tick, .bytes, .hex, .whole]'
gives '[15,1,"646563696465640a1b5b324a"]' '.events[0] | [.tick, .kind, .hex]'
gives '[26,3]' '[(.hashes | length), (.hashes[0].hashes | length)]'
gives '[20,40]' '[.snapshots[].tick]'
json 0 "$scratch/plain.esrec"
gives '["none",-1,1,0]' '[.run.hashes, .run.snapshot_every, .totals.snapshots, .totals.frames]'
json 0 "$scratch/gap.esrec"
gives '[[24,45,45]]' '[.gaps[] | [.first_tick, .last_tick, .records]]'
json 0 "$scratch/early.esrec"
gives '["ended early","ES_ERR_FULL",24]' '[.integrity.verdict, .integrity.end.result, .integrity.end.tick]'
json 0 "$scratch/tall.esrec" --inputs # an input of several records
gives '[300000,300000,300000]' '[.inputs[].hex | length]'

# --- two of them ----------------------------------------------------------------------------------

record usual
record change change=33
record input other_input=20
record event other_event=30 other_step=40
record later seed=8 rate=30 start=5 layout=1
record longer ticks=70
record cut end=0
record fine hashes=2
record fine_change hashes=2 change=33
record whole hashes=1 every=7
record whole_change hashes=1 every=7 change=33
record none hashes=3
record none_change hashes=3 change=33
usual=$scratch/usual.esrec

# differs STATUS EXPECTED A B: equal, the first tick that differs, whether some of it is unreadable, ticks
# in both and in one only; then ticks compared and differing by input, step, events, hashes and state
differs() {
    json "$1" "$3" --diff "$4"
    gives "$2" '.diff | [.same, .first_tick, .partial, .ticks_both, .ticks_only_a, .ticks_only_b,
        (.input, .step, .events, .hashes, .state | .compared, .differing)]'
}

differs 0 '[true,null,false,60,0,0,60,0,60,0,4,0,60,0,4,0]' "$usual" "$usual"
says diff_change 1 "$usual" --diff "$scratch/change.esrec"
says diff_header 1 "$good" --diff "$scratch/later.esrec"
differs 1 '[false,20,false,60,0,0,60,1,60,0,4,0,60,41,4,3]' "$usual" "$scratch/input.esrec"
gives '[0,1,0,"group 2","score","334"]' '.diff | [.input.first.bytes_a, .input.first.bytes_b,
    .input.first.same_bytes, .hashes.first.of, .state.first.field, .state.first.a]'
differs 1 '[false,30,false,60,0,0,60,0,60,1,4,1,60,0,4,0]' "$usual" "$scratch/event.esrec"
gives '["time_ns","666666666","666666667",1,1]' \
    '.diff | [.step.first.value, .step.first.a, .step.first.b, .events.first.a, .events.first.b]'
differs 1 '[false,null,false,60,0,10,60,0,60,0,4,0,60,0,4,0]' "$usual" "$scratch/longer.esrec"
differs 3 '[true,null,true,60,0,0,60,0,60,0,4,0,60,0,4,0]' "$usual" "$scratch/cut.esrec"
differs 1 '[false,null,false,23,0,15,23,0,23,0,1,0,23,0,2,0]' "$scratch/early.esrec" \
    "$scratch/gap.esrec"
differs 1 '[false,33,false,60,0,0,60,0,60,0,4,0,60,28,4,2]' "$scratch/fine.esrec" \
    "$scratch/fine_change.esrec"
record far start=100
checks=$((checks + 1))
evenstep "$usual" --diff "$scratch/far.esrec" >"$scratch/out"
[ $? = 1 ] || fail "--diff without a tick in both: not 1"
has "No tick is in both." "$scratch/out"
json 1 "$scratch/fine_change.esrec" --diff "$scratch/fine.esrec"
gives '[false,33,33,"balls.at",40]' \
    '.diff | [.same, .first_tick, .hashes.first_tick, .hashes.first.of, .state.first_tick]'
gives '["score",0,0,"1664","664",1]' \
    '.diff.state.first | [.field, .object, .component, .a, .b, .numbers]'
json 1 "$scratch/whole.esrec" --diff "$scratch/whole_change.esrec"
gives '[35,"state",8,4]' '.diff.hashes | [.first_tick, .first.of, .compared, .differing]'
json 1 "$scratch/none.esrec" --diff "$scratch/none_change.esrec"
gives '[40,0,40,"score"]' \
    '.diff | [.first_tick, .hashes.compared, .state.first_tick, .state.first.field]'
json 1 "$usual" --diff "$scratch/later.esrec"
gives '["tick rate","seed","field energy","field random","field bul\\x1b[31mk"]' \
    '[.diff.headers[] | select(.another_run) | .what]'
json 1 "$scratch/fields.esrec" --diff "$scratch/tall.esrec"
gives '[3,0,57,[0,150000]]' '.diff | [.ticks_both, .ticks_only_b, .ticks_only_a,
    [.input.first.bytes_a, .input.first.bytes_b]]'

# --- damage ---------------------------------------------------------------------------------------

# head_of SIZE FILE: cut off
head_of() {
    head -c "$1" "$good" >"$2"
}

bad=$scratch/bad.esrec
{
    head -c 20 "$good"
    printf X
    head -c 5000 "$good" | tail -c +22
    printf X
    head -c 9000 "$good" | tail -c +5002
    head -c 25300 "$good" | tail -c +9301
} >"$bad"
says bad 3 "$bad"
says bad_lists 3 "$bad" --inputs --snapshots --to 26
differs 3 '[true,null,true,56,4,0,56,0,56,0,3,0,0,0,0,0]' "$good" "$bad"
gives '["header","readable","damaged",false]' '.diff.headers[0] | [.what, .a, .b, .another_run]'
json 3 "$bad"
gives '["damaged",4,4]' '[.integrity.verdict, .integrity.damages, (.troubles | length)]'
gives '[[16,92,0,1,"head"],[4791,236,54,1,"payload"],[8955,65,94,3,"payload"],[24886,114,251,null,"cut"]]' \
    '[.troubles[] | [.offset, .bytes, .record, .missing, .kind]]'
printf X | cat - "$good" >"$scratch/shifted"
json 3 "$scratch/shifted"
gives '["damaged",1,60]' '[.integrity.verdict, .integrity.damages, .totals.ticks]'
yes text | head -c 26464 >"$scratch/text"
expect_error 4 "is no recording: its head is not that of a recording" "$scratch/text"
{
    printf X
    tail -c +2 "$good"
} >"$scratch/head"
json 3 "$scratch/head"
gives '["damaged",1,16,60,"file-head"]' \
    '[.integrity.verdict, .integrity.damages, .integrity.damaged_bytes, .totals.ticks, .troubles[0].kind]'

# sound checksums, and records that contradict each other: kind, which, where, what it says
poke() {
    says_what=$1
    shift
    "$recorder" poke "$good" "$scratch/poked" "$@" || fail "poke $*"
    checks=$((checks + 1))
    evenstep "$scratch/poked" >"$scratch/out"
    [ $? = 3 ] || fail "poke $*: not found out"
    has "$says_what" "$scratch/out"
    for option in "--diff=$good" "--inputs --snapshots --events --hashes"; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086 # one, or several
        evenstep "$scratch/poked" $option --json >"$scratch/json" 2>"$scratch/err"
        case $? in
        1 | 3) ;;
        *) fail "poke $*, $option: $(cat "$scratch/err")" ;;
        esac
        [ ! -s "$scratch/json" ] || parses "$scratch/json"
    done
}
poke "tick 77 follows tick 9" 5 9 0 77
poke "states of 99 bytes, its fields make 60" 1 0 24 99
poke "a snapshot of 60 bytes, where states have 18446744073709551615" 1 0 24 18446744073709551615
poke "states of 60 bytes, its fields make 0" 2 1 8 4611686018427387904
poke "the end says 1 ticks, here are 60" 12 0 8 1
poke "a snapshot of 60000000 bytes, where states have 60" 4 1 24 60000000
poke "hashes of tick 55 after tick 4" 7 3 0 55
poke "a record's content makes no sense" 4 1 16 7

# an input that did not fit any more: its tick is none, and nothing contradicts itself
record giant input=150000 full=20 again=99
json 0 "$scratch/giant.esrec"
gives '["ended early",19,0]' '[.integrity.verdict, .totals.ticks, .integrity.contradictions]'

# a recording that was never started, and bytes behind an end
record unstarted unstarted=1 ticks=0
evenstep "$scratch/unstarted.esrec" >"$scratch/out"
[ $? = 3 ] || fail "unstarted: not found out"
has "no whole snapshot: it cannot be played" "$scratch/out"
cat "$good" "$good" >"$scratch/twice"
json 3 "$scratch/twice"
gives '[null,0,"bytes behind the recording'"'"'s end"]' '.troubles[0] | [.record, .missing, .what]'

# ends anywhere: what is before is there
for size in 17 107 108 109 700 730 842 12345 26403 26404 26463; do
    head_of $size "$scratch/cut"
    json 3 "$scratch/cut" "--diff=$good"
    json 3 "$scratch/cut"
    gives true '.integrity.verdict | . == "cut off"'
done
for size in 1 8 15 16; do
    head_of $size "$scratch/cut"
    checks=$((checks + 1))
    evenstep "$scratch/cut" >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ "$status" = $((size < 16 ? 4 : 3)) ] || fail "cut to $size: exit status $status"
done

# a bit anywhere: found, and nothing else happens
number=0
while [ "$number" -lt "$flips" ]; do
    number=$((number + 1))
    "$recorder" flip "$good" "$scratch/flipped" "$number"
    case $((number % 5)) in
    0) option= ;;
    1) option=--json ;;
    2) option=--events ;;
    3) option=--inputs ;;
    4) option=--diff=$good ;;
    esac
    checks=$((checks + 1))
    # shellcheck disable=SC2086 # none or one
    evenstep "$scratch/flipped" $option >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ "$status" = 3 ] ||
        fail "flip $number, $option: exit status $status: $(head -n 5 "$scratch/err")"
    [ "$option" = --json ] && parses "$scratch/out"
done

# an event that is lost is none that differs
"$recorder" flip "$good" "$scratch/flipped" 305
differs 3 '[true,null,true,60,0,0,60,0,60,0,4,0,0,0,0,0]' "$good" "$scratch/flipped"

# --- no control character, whatever the recording says --------------------------------------------

for option in --inputs --events --hashes "--diff=$scratch/later.esrec" --json ""; do
    for file in "$good" "$scratch/later.esrec"; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086 # none or one
        evenstep "$file" $option 2>&1 | LC_ALL=C tr -d '\n' | LC_ALL=C grep -q '[[:cntrl:]]' &&
            fail "$file $option: a control character"
    done
done
# --- what it refuses ------------------------------------------------------------------------------

run "$scratch/help" --help
has "usage: evenstep replay FILE [OPTION...]" "$scratch/help"
has "  0  intact, or equal" "$scratch/help"
: >"$scratch/empty"
head -c 100000 /dev/zero >"$scratch/zeros"
printf 'a text\n' >"$scratch/text"
expect_error 2 "no recording given"
expect_error 2 "expected one recording, not also '$usual'" "$good" "$usual"
expect_error 2 "the lists and --diff do not go together" "$good" --inputs --diff "$usual"
expect_error 2 "--diff and --verify do not go together" "$good" --diff "$usual" --verify
expect_error 2 "--verify and --seek do not go together" "$good" --seek 3 --verify
expect_error 2 "--from is for the lists" "$good" --from 3
expect_error 2 "--to is for the lists" --to 3 "$good"
expect_error 2 "--from is after --to" "$good" --inputs --from 3 --to 2
expect_error 2 "--seek: expected a tick, a whole number, got '3s'" "$good" --seek 3s
expect_error 2 "--seek: expected a tick" "$good" --seek 99999999999999999999
expect_error 2 "--from needs a value" "$good" --inputs --from
expect_error 2 "unknown or ill-formed option '--input=3'" "$good" --input=3
expect_error 2 "'--colour'" "$good" --colour
expect_error 2 "is no recording of the demo" "$good" --verify
expect_error 2 "is no recording of the demo" --seek 3 "$good"
expect_error 4 "cannot read '$scratch/none': No such file or directory" "$scratch/none"
expect_error 4 "cannot read '$scratch/none'" "$scratch/none" --verify
expect_error 4 "cannot read '$scratch/none'" "$good" --diff "$scratch/none"
expect_error 4 "it is a directory" "$scratch"
expect_error 4 "is no recording: it is empty" "$scratch/empty"
expect_error 4 "its head is not that of a recording" "$scratch/zeros"
expect_error 4 "its head is not that of a recording" "$scratch/text" --json
expect_error 4 "it is no regular file" /dev/zero
mkfifo "$scratch/pipe"
expect_error 4 "it is no regular file" "$scratch/pipe"
expect_error 4 "it is no regular file" "$good" --diff "$scratch/pipe"
run "$scratch/short" --snap "$good" --fro 20 --to=20
has "333.333" "$scratch/short"
run "$scratch/short" --snapshots -- "$good"
if [ -w /dev/full ]; then
    checks=$((checks + 1))
    evenstep "$good" >/dev/full 2>"$scratch/full" && fail "a full disk is no success"
    has "cannot write to stdout" "$scratch/full"
    for option in --json "--diff=$scratch/later.esrec"; do
        checks=$((checks + 1))
        evenstep "$good" "$option" >/dev/full 2>"$scratch/full"
        [ $? = 4 ] || fail "a full disk, $option: not 4"
        has "cannot write to stdout" "$scratch/full"
    done
fi

echo "replay_command: $checks checks, $failures failed"
[ "$failures" = 0 ]
