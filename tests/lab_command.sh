#!/bin/sh
# `evenstep lab`, `evenstep compare` and `evenstep timeline` with their drawings, as a person uses them: the same bytes again and
# with any number of jobs, every error one line, JSON with the documented keys, well-formed SVG.
. tests/command_support.sh

# the keys of a run's measures
measures="animation_ms animation_percent animation_bias_ms animation_rms_ms animation_median_ms \
    animation_p99_ms animation_max_ms interval_error_ms interval_error_rms_ms \
    interval_error_median_ms interval_error_p99_ms interval_error_max_ms pursuit_ms lost_ms drift_ms \
    dropped_ms slow_motion_ms stretched_ms missed_share planned_repeat_share repeat_share input_age_ms input_age_p99_ms \
    short_share cpu_share period_ms frames_per_second ticks_mean ticks_min ticks_max"

# has_keys FILE KEY...
has_keys() {
    file=$1
    shift
    for key; do
        has "\"$key\":" "$file"
    done
}

# --- lab: the same bytes, again and with any number of jobs ---------------------------------------

grid="lab --loop adaptive,gaffer,godot,oracle --scenario cheap,spikes,wake-1.5 --seconds 2 \
    --refresh 60,59.94,vrr --queue 1,2 --tick-rate 60,50 --seed 7"
# shellcheck disable=SC2086 # words on purpose
{
for jobs in 1 2 3; do
    run "$scratch/table.$jobs" $grid --jobs $jobs --json "$scratch/json.$jobs" \
        --svg "$scratch/svg.$jobs" --dots "$scratch/dots.$jobs" --markdown "$scratch/markdown.$jobs"
    for what in table json svg dots markdown; do
        same "lab, $jobs jobs, $what" "$scratch/$what.1" "$scratch/$what.$jobs"
    done
done
run "$scratch/stdout" $grid --json
same "lab --json at the end is stdout" "$scratch/stdout" "$scratch/json.1"
run "$scratch/other" $grid --seed 8 --json -
}
checks=$((checks + 1))
cmp -s "$scratch/other" "$scratch/json.1" && fail "another seed, the same bytes"
parses "$scratch/json.1"
well_formed "$scratch/svg.1"
well_formed "$scratch/dots.1"
# shellcheck disable=SC2086
has_keys "$scratch/json.1" lab seconds warm_up_seconds refresh_hz queue ticks_per_second announced seed loops \
    name title kind source scenarios averages loop scenario runs cells ran frames refresh_ms $measures
has "4 loops x 3 scenarios, 2 s each: 144 runs, seed 7" "$scratch/table.1"
has "60, 59.94, 48-144 Hz; queue 1, 2; 60, 50 ticks/s" "$scratch/table.1"
checks=$((checks + 1))
awk 'length > 100' "$scratch/table.1" | grep . >/dev/null && fail "a table over 100 columns"
checks=$((checks + 1))
[ "$(grep -c '"loop":.*"ran": *true' "$scratch/json.1")" = 144 ] || fail "not 144 cells that ran"

# as a table for a document: who throws time away is marked, and beats nobody
has "Animation error, mean size, in % of the refresh period:" "$scratch/markdown.1"
has "|  | cheap | spikes | wake-1.5 |" "$scratch/markdown.1"
run "$scratch/stall.md" lab --loop variable-dt,gaffer,glaiel,xna,oracle --scenario stall,cheap \
    --tick-rate 30 --measure animation,lost --markdown -
checks=$((checks + 1))
[ "$(grep -c '^|' "$scratch/stall.md")" = 14 ] || fail "not two tables of 5 loops"
has '(`variable-dt`) | **' "$scratch/stall.md" # it makes up for all of the 2 s, nobody does better
has '(`oracle`) | 0.00 | 0.00 |' "$scratch/stall.md"
checks=$((checks + 1))
grep -E '`xna`.* [0-9.]+†' "$scratch/stall.md" >/dev/null || fail "xna loses no time in a stall"
checks=$((checks + 1))
grep -E '`xna`.*\*\*[0-9.]+\*\*†' "$scratch/stall.md" >/dev/null && fail "xna is unbeaten"
# what low latency may miss
for share in 0.001 0.1; do
    run "$scratch/missed.$share" lab --loop low-latency --scenario spikes --queue 3 --refresh 60 \
        --missed-max $share --measure missed --json -
done
checks=$((checks + 1))
cmp -s "$scratch/missed.0.001" "$scratch/missed.0.1" && fail "--missed-max changes nothing"
# Glaiel's timer uses the announced refresh, else 60: the frames stay, the error does not
for announced in "" --unannounced; do
    # shellcheck disable=SC2086 # none, or one word
    run "$scratch/announced$announced" lab --loop glaiel --scenario 90-105 --refresh 144 --seconds 10 \
        --measure animation,fps,missed $announced
done
has "144 Hz; queue 2" "$scratch/announced"
has "144 Hz, not announced; queue 2" "$scratch/announced--unannounced"
checks=$((checks + 1))
awk '$1 == "glaiel" { gsub(/[*]/, ""); print FNR, $2, $3 }' "$scratch/announced" \
    "$scratch/announced--unannounced" >"$scratch/glaiel"
awk 'NR == 1 { error = $2; fps = $3 }
    END { exit !(NR == 2 && $2 > error && $3 == fps && fps > 130 && fps < 144.5) }' "$scratch/glaiel" || fail "--unannounced: $(cat "$scratch/glaiel")"
expect_error 2 "--missed-max: expected 0.0001 to 0.5" lab --missed-max 0.6

# the oracle errs nowhere, in any scenario of the table
run "$scratch/oracle.json" lab --loop oracle --refresh 60,144,vrr --queue 1,2,3 --seconds 2 --json -
checks=$((checks + 1))
[ "$(grep -c '"ran": *true' "$scratch/oracle.json")" -ge 100 ] || fail "oracle: too few runs"
checks=$((checks + 1))
grep '"ran": *true' "$scratch/oracle.json" | grep -v '"animation_max_ms": 0\.0,' | head -n 1 |
    grep . >/dev/null && fail "oracle: an error"

# without options: every loop in every scenario, and none may hang
checks=$((checks + 1))
timeout 250 "$command" lab --seconds 1 >"$scratch/default" 2>/dev/null </dev/null ||
    fail "lab --seconds 1: exit status $?"
has "lost ms" "$scratch/default"

# --- lab: what else it takes ----------------------------------------------------------------------

run "$scratch/list" lab --list
for name in adaptive threaded threaded-locked gaffer oracle spikes animation-p99; do
    has "  $name " "$scratch/list"
done
run "$scratch/help" lab --help
has "--measure NAMES" "$scratch/help"
run "$scratch/many" lab --loop ours --scenario stall,cheap --seconds 1 --measure all --ms
has "stall: one frame takes 2 s" "$scratch/many"
has "e p99 ms" "$scratch/many"
has "input ms" "$scratch/many"
{
    printf '3\n# a comment\n4.5\n\n'
    printf '12\n'
} >"$scratch/costs.txt"
run "$scratch/trace" lab --trace "$scratch/costs.txt" --loop gaffer,oracle --seconds 2
has "trace: 3 frames, mean 6.500 ms" "$scratch/trace"
printf '\357\273\277Time,FrameTime\r\n0,"16.5"\r\n1,17\r\n' >"$scratch/costs.csv"
run "$scratch/trace" lab --trace "$scratch/costs.csv" --loop gaffer --seconds 2
has "column FrameTime, mean 16.750 ms" "$scratch/trace"
for unit in "us 20000 10000" "ms 20 10"; do
    # shellcheck disable=SC2086 # words
    set -- $unit
    printf 'os,cpu\nAn OS,A CPU\nfps,frametime,elapsed\n50,%s,1\n100,%s,2\n' "$2" "$3" >"$scratch/hud.csv"
    run "$scratch/trace" lab --trace "$scratch/hud.csv" --loop gaffer --seconds 2
    in_us=
    [ "$1" = ms ] || in_us=" in us"
    has "trace: 2 frames, column frametime$in_us, mean 15.000 ms" "$scratch/trace"
    run "$scratch/trace" compare --trace "$scratch/hud.csv" --loop gaffer --seconds 2
done

expect_error 2 "--loop: expected loops out of: all, ours, peers, references, auto" \
    lab --loop gaffer,magic
expect_error 2 "--loop: expected" lab --loop gaffer,,bevy
expect_error 2 "--scenario: expected scenarios out of: all, cheap" lab --scenario calm
expect_error 2 "--refresh: expected a rate" lab --refresh 60,fast
expect_error 2 "--refresh: expected a rate" lab --refresh 144-48
expect_error 2 "--refresh: expected a rate" lab --refresh 0.5
expect_error 2 "--queue: expected a queue depth: 1, 2 or 3" lab --queue 4
expect_error 2 "--tick-rate: expected a rate" lab --tick-rate 0
expect_error 2 "--measure: expected animation" lab --measure speed
expect_error 2 "--seconds: expected seconds" lab --seconds 0
expect_error 2 "--jobs: expected a number of threads" lab --jobs 0
expect_error 2 "--seed: expected a number" lab --seed -1
expect_error 2 "choose one" lab --trace "$scratch/costs.txt" --scenario cheap
expect_error 2 "--column is for --trace" lab --column FrameTime
expect_error 2 "--json - and --svg - cannot both be stdout" lab --json - --svg -
expect_error 2 "--dots - and --markdown - cannot both be stdout" lab --dots - --markdown -
expect_error 1 "$scratch/none: " lab --trace "$scratch/none"
printf '3\n4\nfive\n' >"$scratch/bad.txt"
expect_error 1 "$scratch/bad.txt:3: " lab --trace "$scratch/bad.txt"
expect_error 1 "$scratch/bad.txt:3: " compare --trace "$scratch/bad.txt"
printf 'os,cpu\nAn OS,A CPU\nfps,frametime\n50,20\n50,200\n50,200\n' >"$scratch/bad.csv"
expect_error 1 "$scratch/bad.csv:5: frametime: ms or us? " lab --trace "$scratch/bad.csv"
for option in json svg dots markdown; do
    checks=$((checks + 1))
    "$command" lab --loop oracle --scenario cheap --seconds 1 --$option "$scratch/none/such" \
        >/dev/null 2>"$scratch/err" && fail "lab --$option into nowhere: exit status 0"
    has "cannot write '$scratch/none/such'" "$scratch/err"
done

# --- compare --------------------------------------------------------------------------------------

seed7="compare --loop fixed,variable-dt,gaffer,godot,decoupled,adaptive --render 3ms --update 1ms --tick-rate 60 --refresh 144 --spikes 2%x3 --seed 7"
# shellcheck disable=SC2086 # words on purpose
{
run "$scratch/seed7.json" $seed7 --json
# Regenerate it when a loop changes: build/evenstep compare ... --json > tests/data/compare_seed7.json
same "compare, seed 7, against tests/data" "$scratch/seed7.json" tests/data/compare_seed7.json
run "$scratch/table" $seed7 --svg "$scratch/strip.svg"
run "$scratch/again" $seed7 --svg "$scratch/strip2.svg"
}
same "compare's table again" "$scratch/table" "$scratch/again"
same "compare's strip again" "$scratch/strip.svg" "$scratch/strip2.svg"
parses "$scratch/seed7.json"
well_formed "$scratch/strip.svg"
# shellcheck disable=SC2086
has_keys "$scratch/seed7.json" compare render_ms update_ms spike_share spike_factor exact \
    ticks_per_second refresh_hz queue seed seconds warm_up_seconds loops loop title kind ran frames \
    refresh_ms $measures
has "|e| ms" "$scratch/table"
run "$scratch/stall" compare --scenario stall --loop ours,oracle --seconds 4 --measure lost,dropped
has "scenario stall; 60 ticks/s; 144 Hz, queue 2; seed 1" "$scratch/stall"
run "$scratch/policy" compare --update 30ms --loop adaptive,gaffer --policy slow --seconds 2 \
    --svg "$scratch/policy.svg" --at 1s --span 100ms --refresh vrr
well_formed "$scratch/policy.svg"
run "$scratch/svg" compare --exact --seconds 1 --svg -
well_formed "$scratch/svg"

# ticks on another thread: in time they change nothing, and late ones are told
# share LOOP ARGS...: frames whose tick had not run
share() {
    loop=$1
    shift
    run "$scratch/share.json" compare --loop "$loop" --seconds 4 --json - "$@"
    sed -n 's/^ *"short_share": \([0-9.]*\),*$/\1/p' "$scratch/share.json"
}
checks=$((checks + 4))
[ "$(share threaded)" = 0.0 ] || fail "threaded: a tick is missing"
[ "$(share threaded --tick-late 15ms)" = 0.0 ] || fail "threaded: a tick is missing, 15 ms late"
case $(share threaded --tick-late 30ms) in
0.[0-9]*[1-9]*) ;;
*) fail "threaded: no tick is missing, 30 ms late" ;;
esac
[ "$(share threaded-locked --tick-late 15ms)" = 0.0 ] || fail "threaded-locked: a tick is missing"
for size in 1B 1MB 16MB; do
    run "$scratch/state.$size" compare --loop threaded-locked --state $size --seconds 2
    run "$scratch/free.$size" compare --loop threaded --state $size --seconds 2
done
same "threaded copies nothing" "$scratch/free.1B" "$scratch/free.16MB"
checks=$((checks + 1))
cmp -s "$scratch/state.1B" "$scratch/state.16MB" && fail "threaded-locked copies nothing"
expect_error 2 "--policy slow does not go with loop threaded" compare --loop threaded --policy slow
expect_error 2 "--state: expected a size" compare --state 0B
expect_error 2 "--state: expected a size" compare --state 2GB
expect_error 2 "--tick-late: expected a duration" compare --tick-late 1001s
expect_error 2 "--spikes: expected a share and a factor such as 2%x3" compare --spikes 2x3
expect_error 2 "--spikes: expected" compare --spikes 200%x3
expect_error 2 "--policy: expected drop, slow, spread, stretch or wait" compare --policy hurry
expect_error 2 "--policy slow does not go with loop lockstep" compare --loop lockstep --policy slow
expect_error 2 "--policy is for our own loops" compare --loop gaffer --policy slow
expect_error 2 "--scenario has its own costs" compare --scenario cheap --render 3ms
expect_error 2 "--scenario: expected cheap" compare --scenario calm
expect_error 2 "--trace goes without" compare --trace x --spikes 2%x3
expect_error 2 "--loop: expected loops out of" compare --loop magic
expect_error 2 "--at is after the end" compare --at 11s
expect_error 2 "--span: expected" compare --span 1ms
expect_error 2 "--speed: expected" compare --speed 0
expect_error 2 "--refresh: expected" compare --refresh 60,144
expect_error 1 "no loop has anything to show" compare --render 20s --seconds 1
checks=$((checks + 1))
"$command" compare --seconds 1 --svg "$scratch/none/such" >/dev/null 2>"$scratch/err" &&
    fail "compare --svg into nowhere: exit status 0"
has "cannot write '$scratch/none/such'" "$scratch/err"

# --- timeline's new parts -------------------------------------------------------------------------

# expect_line EXPECTED ARGS...
expect_line() {
    line=$1
    shift
    run "$scratch/line" timeline "$@"
    checks=$((checks + 1))
    [ "$(head -n 1 "$scratch/line")" = "$line" ] || fail "'$*': $(head -n 1 "$scratch/line")"
}
expect_line "R0 U16 W16 R16 U32 W32 R32" --loop lockstep --tick 16ms --interval 16ms --until 33ms
expect_line "U0 R0 U4 R4 U8 R8" --loop variable-dt --until 12ms
expect_line "R0 U5 U10 U15 U20 W16 R16" --loop adaptive --policy slow --interval 16ms --until 17ms
expect_line "U20 R0 W0 R0 U40 W0 R0 W10 R10 U60 W20 R20" --loop decoupled --tick 20ms --lead 1 --render 10ms \
    --update 0 --until 45ms
expect_line "U20 R0 W0 R0 W0 R0 W0 R0 U40 W6.163258 R6.163258" --loop threaded --tick 20ms --refresh 100 \
    --render 1ms --update 5ms --until 31ms
expect_line "R0 R0 U10 R10 U20 U30 R30 U40 R40" --loop fixed --tick 10ms --refresh 60 --until 60ms
run "$scratch/timeline" timeline --loop adaptive --interval 16ms --until 65ms --svg "$scratch/timeline.svg"
well_formed "$scratch/timeline.svg"
has ">R16<" "$scratch/timeline.svg"
run "$scratch/timeline2.svg" timeline --loop gaffer --refresh 60 --queue 1 --svg -
well_formed "$scratch/timeline2.svg"
expect_error 2 "--loop: expected auto, low-latency, adaptive" timeline --loop magic
expect_error 2 "--delay is no setting of loop gaffer" timeline --loop gaffer --delay 1
expect_error 2 "--lead is no setting of loop gaffer" timeline --loop gaffer --lead 0
expect_error 2 "--policy must be left 0" timeline --loop threaded --policy slow
expect_error 2 "--policy: expected drop" timeline --policy hurry
expect_error 2 "choose one of --present and --refresh" timeline --present 1ms --refresh 60
expect_error 2 "--queue needs a display" timeline --queue 1
expect_error 2 "--svg: a drawing is at most 2000 ms long" timeline --until 3s --svg x
expect_error 2 "--render must be at most 1000s" timeline --render 1001s

# --- what nobody may miss -------------------------------------------------------------------------

expect_error 2 "--svg needs a value" compare --svg --json
expect_error 2 "--json needs a value" lab --json --list
expect_error 2 "ill-formed option '-abc'" lab -abc
expect_error 2 "--tick: expected a duration" timeline --tick 1ns
expect_error 2 "loop variable: variable steps can only drop or wait" \
    compare --policy stretch --loop variable
expect_error 2 "must be at most 1s" demo --headless --render-cost 2s
run "$scratch/plain" compare --loop lockstep --measure all
run "$scratch/drop" compare --loop lockstep --policy drop --measure all
same "lockstep drops anyway" "$scratch/plain" "$scratch/drop"
if [ -w /dev/full ]; then
    checks=$((checks + 1))
    if "$command" lab --list > /dev/full 2> "$scratch/full"; then
        fail "a full disk is no success"
    fi
    has "cannot write to stdout" "$scratch/full"
fi

echo "lab_command: $checks checks, $failures failed"
[ "$failures" = 0 ]
