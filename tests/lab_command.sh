#!/bin/sh
# `evenstep lab`, `evenstep compare` and the pictures, as a person uses them: the same bytes again and
# with any number of jobs, every error one line, JSON with the documented keys, well-formed SVG.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
cd "$scratch" || exit 1

# the keys of a run's measures
measures="animation_ms animation_percent animation_bias_ms animation_rms_ms animation_median_ms \
    animation_p99_ms animation_max_ms interval_error_ms interval_error_rms_ms \
    interval_error_median_ms interval_error_p99_ms interval_error_max_ms pursuit_ms lost_ms drift_ms \
    dropped_ms slow_motion_ms stretched_ms missed_share planned_repeat_share repeat_share input_age_ms input_age_p99_ms \
    short_share cpu_share period_ms frames_per_second ticks_mean ticks_min ticks_max"

# --- lab: the same bytes, again and with any number of jobs ---------------------------------------

grid="lab --loop adaptive,gaffer,godot,oracle --scenario cheap,spikes,wake-1.5 --seconds 2 \
    --refresh 60,59.94,vrr --queue 1,2 --tick-rate 60,50 --seed 7"
# shellcheck disable=SC2086 # words on purpose
{
for jobs in 1 2 3; do
    run "table.$jobs" $grid --jobs $jobs --json "json.$jobs" \
        --svg "svg.$jobs" --dots "dots.$jobs" --markdown "markdown.$jobs"
    for what in table json svg dots markdown; do
        same "lab, $jobs jobs, $what" "$what.1" "$what.$jobs"
    done
done
run stdout $grid --json
same "lab --json at the end is stdout" stdout json.1
run other $grid --seed 8 --json -
}
differ "another seed, the same bytes" other json.1
parses json.1
well_formed svg.1
well_formed dots.1
# shellcheck disable=SC2086
has_keys json.1 lab seconds warm_up_seconds refresh_hz queue ticks_per_second announced seed loops \
    name title kind source scenarios averages loop scenario runs cells ran frames refresh_ms $measures
has "4 loops x 3 scenarios, 2 s each: 144 runs, seed 7" table.1
has "60, 59.94, 48-144 Hz; queue 1, 2; 60, 50 ticks/s" table.1
is_narrow table.1
equal "cells that ran" "$(grep -c '"loop":.*"ran": *true' json.1)" 144

# as a table for a document: who throws time away is marked, and beats nobody
has "Animation error, mean size, in % of the refresh period:" markdown.1
has "|  | cheap | spikes | wake-1.5 |" markdown.1
run stall.md lab --loop variable-dt,gaffer,glaiel,xna,oracle --scenario stall,cheap \
    --tick-rate 30 --measure animation,lost --markdown -
equal "rows of two tables of 5 loops" "$(grep -c '^|' stall.md)" 14
has '(`variable-dt`) | **' stall.md # it makes up for all of the 2 s, nobody does better
has '(`oracle`) | 0.00 | 0.00 |' stall.md
matches '`xna`.* [0-9.]+†' stall.md # it loses time
refute "xna is unbeaten" grep -E '`xna`.*\*\*[0-9.]+\*\*†' stall.md
# what low latency may miss
for share in 0.001 0.1; do
    run "missed.$share" lab --loop low-latency --scenario spikes --queue 3 --refresh 60 \
        --missed-max $share --measure missed --json -
done
differ "--missed-max changes nothing" missed.0.001 missed.0.1
# Glaiel's timer uses the announced refresh, else 60: the frames stay, the error does not
for announced in "" --unannounced; do
    # shellcheck disable=SC2086 # none, or one word
    run "announced$announced" lab --loop glaiel --scenario 90-105 --refresh 144 --seconds 10 \
        --measure animation,fps,missed $announced
done
has "144 Hz; queue 2" announced
has "144 Hz, not announced; queue 2" announced--unannounced
awk '$1 == "glaiel" { gsub(/[*]/, ""); print FNR, $2, $3 }' announced announced--unannounced >glaiel
check "--unannounced: $(cat glaiel)" awk 'NR == 1 { error = $2; fps = $3 }
    END { exit !(NR == 2 && $2 > error && $3 == fps && fps > 130 && fps < 144.5) }' glaiel
expect_error 2 "--missed-max: expected 0.0001 to 0.5" lab --missed-max 0.6

# the oracle errs nowhere, in any scenario of the table
run oracle.json lab --loop oracle --refresh 60,144,vrr --queue 1,2,3 --seconds 2 --json -
grep '"ran": *true' oracle.json >oracle.ran
check "oracle: 100 runs" [ "$(wc -l <oracle.ran)" -ge 100 ]
equal "oracle: runs with an error" "$(grep -vc '"animation_max_ms": 0\.0,' oracle.ran)" 0

# without options: every loop in every scenario, and none may hang
ends 0 lab --seconds 1
has "lost ms"

# --- lab: what else it takes ----------------------------------------------------------------------

run list lab --list
for name in adaptive threaded threaded-locked gaffer oracle spikes animation-p99; do
    has "  $name " list
done
run help lab --help
has "--measure NAMES" help
run many lab --loop ours --scenario stall,cheap --seconds 1 --measure all --ms
has "stall: one frame takes 2 s" many
has "e p99 ms" many
has "input ms" many
printf '3\n# a comment\n4.5\n\n12\n' >costs.txt
run trace lab --trace costs.txt --loop gaffer,oracle --seconds 2
has "trace: 3 frames, mean 6.500 ms" trace
printf '\357\273\277Time,FrameTime\r\n0,"16.5"\r\n1,17\r\n' >costs.csv
run trace lab --trace costs.csv --loop gaffer --seconds 2
has "column FrameTime, mean 16.750 ms" trace
while read -r first second unit; do
    printf 'os,cpu\nAn OS,A CPU\nfps,frametime,elapsed\n50,%s,1\n100,%s,2\n' "$first" "$second" >hud.csv
    run trace lab --trace hud.csv --loop gaffer --seconds 2
    has "trace: 2 frames, column frametime${unit:+ $unit}, mean 15.000 ms" trace
    run trace compare --trace hud.csv --loop gaffer --seconds 2
done <<'TABLE'
20000 10000 in us
20 10
TABLE

errors <<'TABLE'
lab --loop gaffer,magic | 2 | --loop: expected loops out of: all, ours, peers, references, auto
lab --loop gaffer,,bevy | 2 | --loop: expected
lab --scenario calm | 2 | --scenario: expected scenarios out of: all, cheap
lab --refresh 60,fast | 2 | --refresh: expected a rate
lab --refresh 144-48 | 2 | --refresh: expected a rate
lab --refresh 0.5 | 2 | --refresh: expected a rate
lab --queue 4 | 2 | --queue: expected a queue depth: 1, 2 or 3
lab --tick-rate 0 | 2 | --tick-rate: expected a rate
lab --measure speed | 2 | --measure: expected animation
lab --seconds 0 | 2 | --seconds: expected seconds
lab --jobs 0 | 2 | --jobs: expected a number of threads
lab --seed -1 | 2 | --seed: expected a number
lab --trace costs.txt --scenario cheap | 2 | choose one
lab --column FrameTime | 2 | --column is for --trace
lab --json - --svg - | 2 | --json - and --svg - cannot both be stdout
lab --dots - --markdown - | 2 | --dots - and --markdown - cannot both be stdout
lab --trace none | 1 | none: 
TABLE
printf '3\n4\nfive\n' >bad.txt
errors <<'TABLE'
lab --trace bad.txt | 1 | bad.txt:3: 
compare --trace bad.txt | 1 | bad.txt:3: 
TABLE
printf 'os,cpu\nAn OS,A CPU\nfps,frametime\n50,20\n50,200\n50,200\n' >bad.csv
expect_error 1 "bad.csv:5: frametime: ms or us? " lab --trace bad.csv
not_writable --json --svg --dots --markdown -- lab --loop oracle --scenario cheap --seconds 1

# --- compare --------------------------------------------------------------------------------------

seed7="compare --loop fixed,variable-dt,gaffer,godot,decoupled,adaptive --render 3ms --update 1ms --tick-rate 60 --refresh 144 --spikes 2%x3 --seed 7"
# shellcheck disable=SC2086 # words on purpose
{
run seed7.json $seed7 --json
# Regenerate it when a loop changes: build/evenstep compare ... --json > tests/data/compare_seed7.json
same "compare, seed 7, against tests/data" seed7.json "$home/tests/data/compare_seed7.json"
run table $seed7 --svg strip.svg
run again $seed7 --svg strip2.svg
}
same "compare's table again" table again
same "compare's strip again" strip.svg strip2.svg
parses seed7.json
well_formed strip.svg
# shellcheck disable=SC2086
has_keys seed7.json compare render_ms update_ms spike_share spike_factor exact \
    ticks_per_second refresh_hz queue seed seconds warm_up_seconds loops loop title kind ran frames \
    refresh_ms $measures
has "|e| ms" table
run stall compare --scenario stall --loop ours,oracle --seconds 4 --measure lost,dropped
has "scenario stall; 60 ticks/s; 144 Hz, queue 2; seed 1" stall
run policy compare --update 30ms --loop adaptive,gaffer --policy slow --seconds 2 \
    --svg policy.svg --at 1s --span 100ms --refresh vrr
well_formed policy.svg
run svg compare --exact --seconds 1 --svg -
well_formed svg

# ticks on another thread: in time they change nothing, and late ones are told
# loop and options | the share of frames whose tick is missing
while IFS='|' read -r arguments filter; do
    # shellcheck disable=SC2086 # words
    run share.json compare --seconds 4 --json - --loop $arguments
    holds ".loops[0].short_share $filter" share.json
done <<'TABLE'
threaded | == 0
threaded --tick-late 15ms | == 0
threaded --tick-late 30ms | > 0
threaded-locked --tick-late 15ms | == 0
TABLE
for size in 1B 1MB 16MB; do
    run "state.$size" compare --loop threaded-locked --state $size --seconds 2
    run "free.$size" compare --loop threaded --state $size --seconds 2
done
same "threaded copies nothing" free.1B free.16MB
differ "threaded-locked copies nothing" state.1B state.16MB
errors <<'TABLE'
compare --loop threaded --policy slow | 2 | --policy slow does not go with loop threaded
compare --state 0B | 2 | --state: expected a size
compare --state 2GB | 2 | --state: expected a size
compare --tick-late 1001s | 2 | --tick-late: expected a duration
compare --spikes 2x3 | 2 | --spikes: expected a share and a factor such as 2%x3
compare --spikes 200%x3 | 2 | --spikes: expected
compare --policy hurry | 2 | --policy: expected drop, slow, spread, stretch or wait
compare --loop lockstep --policy slow | 2 | --policy slow does not go with loop lockstep
compare --loop gaffer --policy slow | 2 | --policy is for our own loops
compare --scenario cheap --render 3ms | 2 | --scenario has its own costs
compare --scenario calm | 2 | --scenario: expected cheap
compare --trace x --spikes 2%x3 | 2 | --trace goes without
compare --loop magic | 2 | --loop: expected loops out of
compare --at 11s | 2 | --at is after the end
compare --span 1ms | 2 | --span: expected
compare --speed 0 | 2 | --speed: expected
compare --refresh 60,144 | 2 | --refresh: expected
compare --render 20s --seconds 1 | 1 | no loop has anything to show
TABLE
not_writable --svg -- compare --seconds 1

# --- timeline -----------------------------------------------------------------------------------------

first_lines timeline <<'TABLE'
--loop lockstep --tick 16ms --interval 16ms --until 33ms | R0 U16 W16 R16 U32 W32 R32
--loop variable-dt --until 12ms | U0 R0 U4 R4 U8 R8
--loop adaptive --policy slow --interval 16ms --until 17ms | R0 U5 U10 U15 U20 W16 R16
--loop decoupled --tick 20ms --lead 1 --render 10ms --update 0 --until 45ms | U20 R0 W0 R0 U40 W0 R0 W10 R10 U60 W20 R20
--loop threaded --tick 20ms --refresh 100 --render 1ms --update 5ms --until 31ms | U20 R0 W0 R0 W0 R0 W0 R0 U40 W6.163258 R6.163258
--loop fixed --tick 10ms --refresh 60 --until 60ms | R0 R0 U10 R10 U20 U30 R30 U40 R40
TABLE
run timeline timeline --loop adaptive --interval 16ms --until 65ms --svg timeline.svg
well_formed timeline.svg
has ">R16<" timeline.svg
run timeline2.svg timeline --loop gaffer --refresh 60 --queue 1 --svg -
well_formed timeline2.svg
errors <<'TABLE'
timeline --loop magic | 2 | --loop: expected auto, low-latency, adaptive
timeline --loop gaffer --delay 1 | 2 | --delay is no setting of loop gaffer
timeline --loop gaffer --lead 0 | 2 | --lead is no setting of loop gaffer
timeline --loop threaded --policy slow | 2 | --policy must be left 0
timeline --policy hurry | 2 | --policy: expected drop
timeline --present 1ms --refresh 60 | 2 | choose one of --present and --refresh
timeline --queue 1 | 2 | --queue needs a display
timeline --until 3s --svg x | 2 | --svg: a drawing is at most 2000 ms long
timeline --render 1001s | 2 | --render must be at most 1000s
TABLE

# --- all of them ------------------------------------------------------------------------------------

errors <<'TABLE'
compare --svg --json | 2 | --svg needs a value
lab --json --list | 2 | --json needs a value
lab -abc | 2 | ill-formed option '-abc'
timeline --tick 1ns | 2 | --tick: expected a duration
compare --policy stretch --loop variable | 2 | loop variable: variable steps can only drop or wait
demo --headless --render-cost 2s | 2 | must be at most 1s
TABLE
run plain compare --loop lockstep --measure all
run drop compare --loop lockstep --policy drop --measure all
same "lockstep drops anyway" plain drop
on_full_disk 1 lab --list
finish
