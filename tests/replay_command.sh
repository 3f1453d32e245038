#!/bin/sh
# `evenstep replay` as a person uses it: recordings of every kind by tests/replay_recorder.c, the text
# and JSON that the command prints about them, damage anywhere, and that no text of a recording
# reaches a terminal unescaped. FLIPS: how many recordings with a random bit turned over; 80, or 20
# where SANITIZED says how the command was built.
#
#   sh tests/replay_command.sh --write    writes tests/data/replay anew
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
subcommand=replay
recorder=$build/tests/replay_recorder
flips=${FLIPS:-$([ -n "${SANITIZED-}" ] && echo 20 || echo 80)}
write=${1:-}
cd "$scratch" || exit 1

# record NAME SETTINGS...: makes NAME.esrec
record() {
    name=$1
    shift
    check "recorder: $name" "$recorder" record "$name.esrec" "$@"
}

# says NAME STATUS ARGS...: stdout is that of tests/data/replay/NAME.txt, but for what differs from machine to
# machine and from version to version
says() {
    name=$1
    shift
    ends "$@"
    is_silent
    sed -e 's/evenstep [0-9.]*,/evenstep VERSION,/' -e 's/"version": "[0-9.]*"/"version": ""/' \
        -e 's/"library": "[0-9a-f]*"/"library": ""/' <out >plain
    [ "$write" != --write ] || cp plain "$home/tests/data/replay/$name.txt"
    equal "$name" "$(diff "$home/tests/data/replay/$name.txt" plain | head -n 20)" ""
}

# reports STATUS ARGS...: well-formed JSON
reports() {
    ends "$@" --json
    parses out
}

# --- whole recordings -----------------------------------------------------------------------------

record good tags=1
record fields hashes=2 nan=40 layout=2
record plain hashes=3 snapshots=-1 tags=0 frames=0
record gap input=9000 full=20 again=45
record whole_gap input=9000
good=good.esrec
says good 0 $good
says lists 0 $good --inputs --snapshots --events --hashes --from 14 --to 21
says gap_lists 0 gap.esrec --hashes --from=22 --to 47
record tall layout=2 input=150000 ticks=3 frames=0

# --- JSON -----------------------------------------------------------------------------------------

reports 0 $good
gives '["good.esrec","60","7"]' '[(.replay.file | split("/") | last), .run.ticks_per_second, .run.seed]'
gives '[60,1,60,60,4,30,12,4,0]' \
    '.totals | [.ticks, .first_tick, .last_tick, .frames, .snapshots, .input_bytes, .input_ticks,
        .input_max, .gaps]'
gives intact .integrity.verdict
gives 27105 '[.totals.kinds[].bytes] | add'
gives 1b5d303b7469746c650720fffe20e280ae227475726e656422205c20c29b '.tags[2].text_hex'
gives '[27,65533,65533,8238,155]' '[.tags[2].text | explode | .[0, 11, 12, 14, -1]]'
gives '["balls.at","f32",1,4,2]' '.fields[1] | [.name, .type, .group, .objects, .components]'
reports 0 $good --inputs --events --hashes --snapshots --frames --from 15 --to 40
gives '[16,1,"33",true]' '.inputs[0] | [.tick, .bytes, .hex, .whole]'
gives '[15,1,"646563696465640a1b5b324a"]' '.events[0] | [.tick, .kind, .hex]'
gives '[26,3]' '[(.hashes | length), (.hashes[0].hashes | length)]'
gives '[20,40]' '[.snapshots[].tick]'
gives '[26,14,15]' '[(.frames | length), .frames[0].frame, .frames[0].tick]'
reports 0 plain.esrec
gives '["none",-1,1,0]' '[.run.hashes, .run.snapshot_every, .totals.snapshots, .totals.frames]'
reports 0 gap.esrec
gives '[[24,45,45]]' '[.gaps[] | [.first_tick, .last_tick, .records]]'
check "recorder: poke" "$recorder" poke $good early.esrec 12 0 32 4294967289
reports 0 early.esrec
gives '["ended early","ES_ERR_FULL",60]' '[.integrity.verdict, .integrity.end.result, .integrity.end.tick]'
reports 0 tall.esrec --inputs # an input of several records
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
record named hashes=0
record named_change hashes=0 change=33
record whole hashes=1 every=7
record whole_change hashes=1 every=7 change=33
record none hashes=3
record none_change hashes=3 change=33
usual=usual.esrec

# differs STATUS EXPECTED A B: equal, the first tick that differs, whether some of it is unreadable, ticks
# in both and in one only; then ticks compared and differing by input, step, events, hashes and state
differs() {
    reports "$1" "$3" --diff "$4"
    gives "$2" '.diff | [.same, .first_tick, .partial, .ticks_both, .ticks_only_a, .ticks_only_b,
        (.input, .step, .events, .hashes, .state | .compared, .differing)]'
}

differs 0 '[true,null,false,60,0,0,60,0,60,0,4,0,60,0,4,0]' $usual $usual
says diff_change 1 $usual --diff change.esrec
says diff_header 1 $good --diff later.esrec
differs 1 '[false,20,false,60,0,0,60,1,60,0,4,0,60,41,4,3]' $usual input.esrec
gives '[0,1,0,"group 2","score","334"]' '.diff | [.input.first.bytes_a, .input.first.bytes_b,
    .input.first.same_bytes, .hashes.first.of, .state.first.field, .state.first.a]'
differs 1 '[false,30,false,60,0,0,60,0,60,1,4,1,60,0,4,0]' $usual event.esrec
gives '["time_ns","666666666","666666667",1,1]' \
    '.diff | [.step.first.value, .step.first.a, .step.first.b, .events.first.a, .events.first.b]'
differs 1 '[false,null,false,60,0,10,60,0,60,0,4,0,60,0,4,0]' $usual longer.esrec
differs 3 '[true,null,true,60,0,0,60,0,60,0,4,0,60,0,4,0]' $usual cut.esrec
differs 1 '[false,null,false,38,22,0,38,0,38,0,2,0,38,0,3,0]' whole_gap.esrec gap.esrec
differs 1 '[false,33,false,60,0,0,60,0,60,0,4,0,60,28,4,2]' fine.esrec fine_change.esrec
record far start=100
ends 1 $usual --diff far.esrec
has "No tick is in both."
reports 1 fine_change.esrec --diff fine.esrec
gives '[false,33,33,"balls.at",40]' \
    '.diff | [.same, .first_tick, .hashes.first_tick, .hashes.first.of, .state.first_tick]'
gives '["score",0,0,"1664","664",1]' \
    '.diff.state.first | [.field, .object, .component, .a, .b, .numbers]'
reports 1 named_change.esrec --diff named.esrec
gives '[33,"balls.at",2]' '.diff.hashes | [.first_tick, .first.of, .first.hashes]'
reports 1 whole.esrec --diff whole_change.esrec
gives '[35,"state",8,4]' '.diff.hashes | [.first_tick, .first.of, .compared, .differing]'
reports 1 none.esrec --diff none_change.esrec
gives '[40,0,40,"score"]' \
    '.diff | [.first_tick, .hashes.compared, .state.first_tick, .state.first.field]'
reports 1 $usual --diff later.esrec
gives '["tick rate","seed","field energy","field random","field bul\\x1b[31mk"]' \
    '[.diff.headers[] | select(.another_run) | .what]'
reports 1 fields.esrec --diff tall.esrec
gives '[3,0,57,[0,150000]]' '.diff | [.ticks_both, .ticks_only_b, .ticks_only_a,
    [.input.first.bytes_a, .input.first.bytes_b]]'

# --- damage ---------------------------------------------------------------------------------------

bad=bad.esrec
{
    head -c 20 $good
    printf X
    head -c 5000 $good | tail -c +22
    printf X
    head -c 9000 $good | tail -c +5002
    head -c 25300 $good | tail -c +9301
} >$bad
says bad 3 $bad
says bad_lists 3 $bad --inputs --snapshots --to 26
differs 3 '[true,null,true,56,4,0,56,0,56,0,3,0,0,0,0,0]' $good $bad
gives '["header","readable","damaged",false]' '.diff.headers[0] | [.what, .a, .b, .another_run]'
reports 3 $bad
gives '["damaged",4,4]' '[.integrity.verdict, .integrity.damages, (.troubles | length)]'
gives '[[16,92,0,1,"head"],[4791,236,54,1,"payload"],[8955,65,94,3,"payload"],[24978,22,253,null,"cut"]]' \
    '[.troubles[] | [.offset, .bytes, .record, .missing, .kind]]'
printf X | cat - $good >shifted
reports 3 shifted
gives '["damaged",1,60]' '[.integrity.verdict, .integrity.damages, .totals.ticks]'
yes text | head -c 26464 >text
expect_error 4 "is not an Evenstep recording: its head does not start with the signature" text
{
    printf X
    tail -c +2 $good
} >headless
reports 3 headless
gives '["damaged",1,16,60,"file-head"]' \
    '[.integrity.verdict, .integrity.damages, .integrity.damaged_bytes, .totals.ticks, .troubles[0].kind]'

# sound checksums, and records that contradict each other: kind, which, where, number | what it says
while IFS='|' read -r arguments text; do
    # shellcheck disable=SC2086 # words
    check "recorder: poke" "$recorder" poke $good poked $arguments
    ends 3 poked
    has "${text# }"
    for option in --diff=$good "--inputs --snapshots --events --hashes"; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086 # words
        evenstep poked $option --json >out 2>err </dev/null
        case $? in
        1 | 3) [ ! -s out ] || parses out ;;
        *) fail "poke $arguments, $option: $(cat err)" ;;
        esac
    done
done <<'TABLE'
5 9 0 77 | tick 77 follows tick 9
1 0 24 99 | states of 99 bytes, its fields make 60
1 0 24 18446744073709551615 | a snapshot of 60 bytes, where states have 18446744073709551615
2 1 8 4611686018427387904 | states of 60 bytes, its fields make 0
12 0 8 1 | the end says 1 ticks, here are 60
4 1 24 60000000 | a snapshot of 60000000 bytes, where states have 60
7 3 0 55 | hashes of tick 55 after tick 4
4 1 16 7 | a record's content makes no sense
TABLE

# an input that did not fit any more: its tick is none, and nothing contradicts itself
record giant input=150000 full=20 again=99
reports 0 giant.esrec
gives '["intact",19,0]' '[.integrity.verdict, .totals.ticks, .integrity.contradictions]'

# a recording that was never started, and bytes behind an end
record unstarted unstarted=1 ticks=0
ends 3 unstarted.esrec
has "no whole snapshot: it cannot be played"
cat $good $good >twice
reports 3 twice
gives '[null,0,"bytes behind the recording'"'"'s end"]' '.troubles[0] | [.record, .missing, .what]'

# ends anywhere: what is before is there
for size in 17 107 108 109 700 730 842 12345 27052 27053 27120; do
    head -c $size $good >cut
    reports 3 cut --diff=$good
    reports 3 cut
    gives "cut off" .integrity.verdict
done
for size in 1 8 15 16; do
    head -c $size $good >cut
    ends $((size < 16 ? 4 : 3)) cut
done

# a bit anywhere: found, and nothing else happens
number=0
while [ "$number" -lt "$flips" ]; do
    number=$((number + 1))
    "$recorder" flip $good flipped "$number"
    case $((number % 5)) in
    0) option= ;;
    1) option=--json ;;
    2) option=--events ;;
    3) option=--inputs ;;
    4) option=--diff=$good ;;
    esac
    # shellcheck disable=SC2086 # one word, or none
    ends 3 flipped $option
    [ "$option" != --json ] || parses out
done

# an event that is lost is none that differs
"$recorder" flip $good flipped 36
differs 3 '[true,null,true,60,0,0,60,0,60,0,3,0,60,0,4,0]' $good flipped

# --- no control character, whatever the recording says --------------------------------------------

for option in --inputs --events --hashes --diff=later.esrec --json ""; do
    for file in $good later.esrec; do
        # shellcheck disable=SC2086 # one word, or none
        equal "$file $option: control characters" "$(evenstep $file $option 2>&1 | tr -d '\n' |
            tr -dc '[:cntrl:]' | wc -c)" 0
    done
done

cp $good "$(printf 'a\033[2Jb')"
run escaped "$(printf 'a\033[2Jb')"
has 'a\x1b[2Jb: intact' escaped
expect_error 4 "cannot read 'none\\x1b[2J'" "$(printf 'none\033[2J')"

# --- what it refuses ------------------------------------------------------------------------------

run help --help
has "usage: evenstep replay FILE [OPTION...]" help
has "  0  intact, or equal" help
: >empty
head -c 100000 /dev/zero >zeros
printf 'a text\n' >text
mkfifo pipe
errors <<'TABLE'
| 2 | no recording given
good.esrec usual.esrec | 2 | expected one recording, not also 'usual.esrec'
good.esrec --inputs --diff usual.esrec | 2 | the lists and --diff do not go together
good.esrec --diff usual.esrec --verify | 2 | --diff and --verify do not go together
good.esrec --from 3 | 2 | --from is for the lists
--to 3 good.esrec | 2 | --to is for the lists
good.esrec --inputs --from 3 --to 2 | 2 | --from is after --to
good.esrec --inputs --from 3s | 2 | --from: expected a tick, a whole number, got '3s'
good.esrec --inputs --to 99999999999999999999 | 2 | --to: expected a tick
good.esrec --inputs --from | 2 | --from needs a value
good.esrec --input=3 | 2 | unknown or ill-formed option '--input=3'
good.esrec --colour | 2 | '--colour'
good.esrec --verify | 2 | --verify and --program go together
good.esrec --program game.so | 2 | --verify and --program go together
good.esrec --verify --program game.so --json | 2 | --json: --verify prints a table
none | 4 | cannot read 'none': No such file or directory
none --hashes | 4 | cannot read 'none'
good.esrec --diff none | 4 | cannot read 'none'
. | 4 | it is a directory
empty | 4 | is not an Evenstep recording: it is empty
zeros | 4 | its head does not start with the signature of a recording
text --json | 4 | its head does not start with the signature of a recording
/dev/zero | 4 | it is no regular file
pipe | 4 | it is no regular file
good.esrec --diff pipe | 4 | it is no regular file
TABLE
run short --snap $good --fro 20 --to=20
has "333.333" short
run short --snapshots -- $good
for option in "" --json --diff=later.esrec; do
    # shellcheck disable=SC2086 # one word, or none
    on_full_disk 4 $good $option
done
finish
