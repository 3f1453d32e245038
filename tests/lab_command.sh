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
    short_share cpu_share period_ms frames_per_second ticks_mean ticks_min ticks_max slow_share event_total_ms \
    event_settle_ms event_off_speed_ms"

# --- lab: the same bytes, again and with any number of jobs ---------------------------------------

grid="lab --loop adaptive,gaffer,godot,oracle --scenario cheap,spikes,wake-1.5 --seconds 2 \
    --refresh 60,59.94,vrr --queue 1,2 --tick-rate 60,50 --seed 7"
# shellcheck disable=SC2086 # words on purpose
{
for jobs in 1 2 3; do
    run "table.$jobs" $grid --jobs $jobs --json "json.$jobs" --markdown "markdown.$jobs"
    for what in table json markdown; do
        same "lab, $jobs jobs, $what" "$what.1" "$what.$jobs"
    done
done
run stdout $grid --json
same "lab --json at the end is stdout" stdout json.1
run other $grid --seed 8 --json -
}
differ "another seed, the same bytes" other json.1
parses json.1
# shellcheck disable=SC2086
has_keys json.1 lab seconds warm_up_seconds refresh_hz queue ticks_per_second announced seed loops \
    blocking feedback host expected cap_hz \
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
for share in 0 0.05; do
    run "unblended.$share" lab --loop auto --scenario cheap --refresh 60 --tick-rate 62.5 --unblended $share \
        --measure animation
done
differ "--unblended changes nothing" unblended.0 unblended.0.05
expect_error 2 "--unblended: expected 0 to 0.5" lab --unblended 0.6

# without options: every loop in every scenario, and none may hang
for jobs in 1 3; do
    run "all.$jobs" lab --seconds 1 --jobs $jobs
done
same "lab without options, 3 jobs" all.1 all.3
has "lost ms" all.1

# --- lab: blocking, feedback, hosts, groups of scenarios -------------------------------------------

# each value of an axis has its own runs and its name
# shellcheck disable=SC2086 # words
while read -r axis values; do
    list=$(echo "$values" | tr ' ' ,)
    run axis.json lab --loop auto,flip-dt,gaffer --scenario cheap --refresh 60,120 --queue 4 --seconds 3 \
        --$axis "$list" --json -
    gives "$values" ".lab.$axis[]" axis.json
    gives "$(for value in $values; do echo 6; done | paste -sd ' ' -)" \
        "[.cells[].$axis] | group_by(.) | map(length) | .[]" axis.json
    run axis lab --loop auto,gaffer --scenario cheap --seconds 1 --$axis "$list"
    has "; $axis $(echo "$list" | sed 's/,/, /g')" axis
done <<'TABLE'
blocking after before acquire mailbox
feedback none exact noisy late wrong stops discards
announced yes no
host none exact 0.1ms 1ms late
TABLE
# a cap: ours as interval_ns, others by a sleep, or by calls of a host that they ignore
run cap.json lab --loop adaptive,gaffer,oracle --scenario cheap --refresh 60,vrr --seconds 3 --cap 30 --json -
holds '.lab.cap_hz == 30, (.cells[] | (.frames_per_second - 30 | fabs < 0.1), .interval_error_ms < 1, .pursuit_ms < 0.6)' cap.json
run cap.json lab --loop gaffer --scenario cheap --refresh 60 --seconds 3 --host exact --cap 30 --json -
holds '.cells[].frames_per_second - 30 | fabs < 0.1' cap.json
run cap lab --loop gaffer --scenario cheap --seconds 1 --cap 59.94
has "60 ticks/s; cap 59.94 fps" cap
run cap compare --loop adaptive,gaffer --refresh vrr --cap 138 --policy slow --seconds 3 --measure fps --json cap.json
has "seed 1; cap 138 fps" cap
holds '.compare.cap_hz == 138, (.loops[].frames_per_second - 138 | fabs < 0.1)' cap.json
# flip-dt and feedback; hosts and loops that have one of their own; calls without a host
run left lab --loop auto,flip-dt,threaded --scenario cheap,call-skipped --refresh 60 --feedback none,exact --host none,1ms \
    --seconds 5 --json left.json
has "left out without feedback: flip-dt" left
has "left out with a host: flip-dt, threaded" left
has "left out without a host: call-skipped" left
gives "cheap none exact" '.cells[] | select(.loop == "flip-dt" and .ran) | .scenario, .host, .feedback' left.json
gives "1ms" '[.cells[] | select(.scenario == "call-skipped" and .ran) | .host] | unique[]' left.json
run expected lab --loop auto --scenario cheap --host late --expected --seconds 3
has "host late, says when a frame will be seen" expected

# an event has measures of its own, others have none
run event lab --loop gaffer --scenario cheap,draw-100 --refresh 60 --seconds 20
equal "tables with measures of events" "$(grep -c 'event ms' event)" 1
run few lab --loop gaffer --scenario cheap,draw-100 --refresh 60 --seconds 20 --measure event-total,slow-share
matches '^  gaffer  +-  +[0-9.]+' few
run event.json lab --loop gaffer --scenario cheap,draw-100,first-700 --refresh 60 --seconds 20 --json -
gives "null null" '.averages[0], .cells[0] | .event_total_ms' event.json
holds '.averages[1].event_total_ms > 50, .averages[2].event_settle_ms >= 0' event.json
for group in transitions loads systems exam; do
    run "group.$group" lab --loop gaffer --scenario $group --seconds 1 --refresh 60 --measure fps --json -
    check "group $group" [ "$(json '.scenarios | length' "group.$group")" -ge 4 ]
done

# --- lab: what else it takes ----------------------------------------------------------------------

run list lab --list
for name in adaptive threaded gaffer oracle spikes rate-up cpu-95 preempted call-skipped \
    animation-p99 event-settle; do
    has "  $name " list
done
for group in standard transitions loads systems exam calls; do
    matches "^scenarios: $group$" list
done
run help lab --help
is_narrow help
has "--measure NAMES" help
run many lab --loop ours --scenario stall,cheap --seconds 1 --measure all
has "stall: one frame takes 2 s longer" many
has "e p99 %" many
has "input ms" many
printf '3\n4\nfive\n' >bad.txt
printf '3\n# a comment\n4.5\n\n12\n' >costs.txt
run trace lab --trace costs.txt --loop gaffer,oracle --seconds 2
has "trace: 3 frames, mean 6.500 ms" trace
printf '\357\273\277Time,FrameTime\r\n0,"16.5"\r\n1,17\r\n' >costs.csv
run trace lab --trace costs.csv --loop gaffer --seconds 2
has "column FrameTime, mean 16.750 ms" trace
errors <<'TABLE'
lab --loop gaffer,magic | 2 | --loop: unknown name in 'gaffer,magic'; known loops: all, ours, peers, references, auto
lab --loop gaffer,,bevy | 2 | --loop: unknown name in 'gaffer,,bevy'
lab --scenario calm | 2 | --scenario: unknown name in 'calm'; known scenarios: all, standard, transitions, loads, work, systems, exam, calls
lab --refresh 60,fast | 2 | --refresh: expected a rate
lab --refresh 144-48 | 2 | --refresh: expected a rate
lab --refresh 0.5 | 2 | --refresh: expected a rate
lab --queue 5 | 2 | --queue: expected a queue depth, 1 to 4
lab --blocking after,never | 2 | --blocking: expected after, before, acquire or mailbox, got 'after,never'
lab --feedback good | 2 | --feedback: expected none, exact, noisy, late, wrong, stops or discards
lab --announced maybe | 2 | --announced: expected yes or no
lab --host 2ms | 2 | --host: expected none, exact, 0.1ms, 1ms or late
lab --host none,exact --refresh 60,vrr | 2 | --host needs a fixed refresh: no vrr or range in --refresh
lab --blocking mailbox --refresh 48-144 | 2 | --blocking mailbox needs a fixed refresh: no vrr
lab --host exact --blocking before | 2 | --blocking goes without --host
lab --expected | 2 | --expected is for --host
lab --unannounced | 2 | '--unannounced'
lab --cap 0.09 | 2 | --cap: expected a rate of 0.1 to 10000
lab --tick-rate 0 | 2 | --tick-rate: expected a rate
lab --measure speed | 2 | --measure: expected animation
lab --seconds 0 | 2 | --seconds: expected seconds
lab --jobs 0 | 2 | --jobs: expected a number of threads
lab --seed -1 | 2 | --seed: expected a number
lab --trace costs.txt --scenario cheap | 2 | choose one
lab --json - --markdown - | 2 | --json - and --markdown - cannot both be stdout
lab --trace none | 1 | none: 
lab --trace bad.txt | 1 | bad.txt:3: 
TABLE
not_writable --json --markdown -- lab --loop oracle --scenario cheap --seconds 1

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
has_keys seed7.json compare render_ms update_ms spike_share spike_factor late_ms exact \
    ticks_per_second refresh_hz queue seed seconds warm_up_seconds loops loop title kind ran frames \
    refresh_ms $measures
has "|e| ms" table
run stall compare --scenario stall --loop ours,oracle --seconds 4 --measure lost,dropped
has "scenario stall; 60 ticks/s; 144 Hz, queue 2; seed 1" stall
run policy compare --update 30ms --loop adaptive,gaffer --policy slow --seconds 2 \
    --svg policy.svg --refresh vrr
well_formed policy.svg
run svg compare --exact --seconds 1 --svg -
well_formed svg

errors <<'TABLE'
compare --loop threaded --policy slow | 2 | --policy slow does not go with loop threaded
compare --spikes 2x3 | 2 | --spikes: expected a share and a factor such as 2%x3
compare --spikes 200%x3 | 2 | --spikes: expected
compare --policy hurry | 2 | --policy: expected drop, slow, spread, stretch or wait
compare --loop lockstep --policy slow | 2 | --policy slow does not go with loop lockstep
compare --loop gaffer --policy slow | 2 | --policy is for our own loops
compare --scenario cheap --render 3ms | 2 | --scenario has its own costs
compare --scenario cheap --late 3ms | 2 | --scenario has its own costs
compare --scenario calm | 2 | --scenario: unknown name in 'calm'; known scenarios: see `evenstep lab --list`
compare --scenario call-skipped | 2 | --scenario call-skipped needs a host
compare --loop magic | 2 | --loop: unknown name in 'magic'; known loops: all
compare --refresh 60,144 | 2 | --refresh: expected
compare --render 20s --seconds 1 | 1 | no loop has anything to show
TABLE
not_writable --svg -- compare --seconds 1

# --- timeline -----------------------------------------------------------------------------------------

first_lines timeline <<'TABLE'
--loop lockstep --tick 16ms --cap 62.5 --until 33ms | R0 U16 W16 R16 U32 W32 R32
--loop variable-dt --until 12ms | U0 R0 U4 R4 U8 R8
--loop threaded --tick 20ms --refresh 100 --render 1ms --update 5ms --until 31ms | U20 R0 W0 R0 W0 R0 U40 W8.75 R8.75 W18.75 R18.75
--loop variable-dt --cap 100 --frame-cost 1:25ms --until 46ms | U0 R0 W10 U10 R10 W36 U36 R36 W46
--loop variable-dt --cap 100 --until 12ms | U0 R0 W10 U10 R10
--loop fixed --tick 10ms --refresh 60 --until 60ms | R0 R0 U10 R10 U20 U30 R30 U40 R40
TABLE
run timeline timeline --loop adaptive --cap 62.5 --until 65ms --svg timeline.svg
well_formed timeline.svg
has "; cap 62.5 fps<" timeline.svg
has ">R16<" timeline.svg
run timeline2.svg timeline --loop gaffer --refresh 60 --svg -
well_formed timeline2.svg
errors <<'TABLE'
timeline --loop magic | 2 | --loop: unknown name in 'magic'; known loops: auto, low-latency, adaptive
timeline --until 3s --svg x | 2 | --svg: a drawing is at most 2000 ms long
timeline --render 1001s | 2 | --render: expected a duration
TABLE

# --- all of them ------------------------------------------------------------------------------------

errors <<'TABLE'
compare --svg --json | 2 | --svg needs a value
lab -abc | 2 | ill-formed option '-abc'
timeline --tick 1ns | 2 | --tick: expected a duration
compare --policy stretch --loop variable | 2 | loop variable: variable steps can only drop or wait
TABLE
run plain compare --loop lockstep --measure all
run drop compare --loop lockstep --policy drop --measure all
same "lockstep drops anyway" plain drop
on_full_disk 1 lab --list
finish
