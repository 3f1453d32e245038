#!/bin/sh
# The demo runs every loop, policy and split view there is, and its report says which. Headless, and
# nothing here depends on speed. Every loop and view runs in real time, for a moment (EVENSTEP_FULL: longer), and
# draws each frame; checks of the world, and not of the machine, run in virtual time, which takes none.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
subcommand="demo --headless"
cd "$scratch" || exit 1
report=r.json
moment=0.3
[ -z "${EVENSTEP_FULL-}" ] || moment=1

run() {
    ends 0 "$@" --report $report
}

# run_until FILTER ARGS...: four runs at most, each longer, until the report has what a busy machine may take
# long for
run_until() {
    filter=$1
    shift
    for seconds in $moment 2.5 6 25; do
        run "$@" --seconds $seconds
        [ "$(json "$filter")" != true ] || break
    done
}

# reports ARGS... <<'TABLE': further arguments | filters, each of which gives true of the report
reports() {
    while IFS='|' read -r arguments filters; do
        eval "run \"\$@\" $arguments"
        holds "$filters"
    done
}

# --- loops ----------------------------------------------------------------------------------------

while read -r loop rate; do
    run_until '.input.shown > 0' --loop "$loop"
    gives "$loop drop $rate/1 interpolate null" '.loop, .policy, .tick_rate, .show, .split'
    holds '.input | .shown > 0, .lost == 0, (.to_shows_ms | type == "object")'
    case $loop in # every click is seen once, or waits for its tick: of max-frameskip those of 20 ms, each frame has one
    threaded*) continue ;;
    esac
    run --loop "$loop" --virtual --seconds 2
    holds '.threads == null, (.input | .clicks > 0, (.clicks - .clicks_seen | . >= 0 and . <= 20))'
done <<'LOOPS'
auto 60
low-latency 60
adaptive 60
lockstep 60
variable 60
decoupled 60
max-frameskip 50
threaded 60
LOOPS
has_keys $report evenstep view seconds frames ticks tick_rate interval_ms interval_error_ms animation_error_ms mean bias \
    median rms p99 max measured_against compared_frames lost_ms dropped_ms slow_motion_ms stretched_ms gaps count ms \
    ticks_per_frame min late_ms_max work_ms clock longest_frame_ms repeated split threads

# without a display there is none to be found; an option goes before the loop's own setting
reports <<'TABLE'
--seconds 0.5 | (.display.state | test("^(searching|known|presents do not block)")), .frames > 0
--seconds 0 | has("animation_error_ms"), .animation_error_ms == null
--loop adaptive --seconds $moment | .display.state == "not followed"
--loop decoupled --delay 0 --seconds $moment | .loop == "decoupled"
TABLE
reports --virtual <<'TABLE'
--seconds 3 | .input | .clicks > 0, .clicks == .clicks_seen
--loop lockstep --seconds 0.5 --render-cost 40ms | .ticks_per_frame == {"min": 1, "max": 1}
--loop variable --seconds 0.5 --render-cost 40ms | .ticks_per_frame == {"min": 1, "max": 1}
--policy drop --update-cost 20ms --seconds 0.5 | .policy == "drop"
--policy slow --update-cost 20ms --seconds 0.5 | .policy == "slow"
--policy spread --update-cost 20ms --seconds 0.5 | .policy == "spread"
--policy stretch --update-cost 20ms --seconds 0.5 | .policy == "stretch"
--policy wait --update-cost 20ms --seconds 0.5 | .policy == "wait"
--loop max-frameskip --tick-rate 25 --seconds 0.2 | .tick_rate == "25/1"
--loop adaptive --cap 30 --seconds 1 | .cap_hz == 30, .frames == 31, .display.frames_per_s == 30
--keys 0.1:i --seconds 0.2 | .show == "none"
--keys 0.1:i,0.2:i --seconds 0.3 | .show == "interpolate"
--keys 1:space,3:n,4:space,5:d,5.5:s,6:+,6.5:s --seconds 8 | .account | (.slowed_ms - 4625 | fabs < 50), (.elapsed_ms - .dropped_ms - .gaps_ms - .slowed_ms - .clamped_ms - .delay_ms - .reanchored_ms + .seeked_ms - .content_ms | fabs < 0.001)
TABLE

# the report to paste: at most 30 lines, the same on stdout and in a file; it is not the value of --report that follows
ends 0 --virtual --report --seconds 2
is_silent
cp out pasted
while read -r line; do
    matches "^ *$line"
done <<'LINES'
evenstep demo: headless .nothing is shown: returns at once., 2.00 s, [0-9]+ frames, 12[01] ticks$
system +evenstep [0-9.]+, Linux .*, [0-9]+ processors$
driver +none$
loop +auto, policy drop$
announced refresh +none$
presents +return at once, queue not known$
missed refreshes +0, against the plan$
feedback +none: nothing reports when frames are seen$
waits +at most 0.[0-9]+ ms late, virtual: waits take no time$
ticks per frame +[01] to [12]$
input +[1-9][0-9]+ events, [0-9]+ late for their tick, 0 lost$
problem +presents never block: is vsync on\? A timer paces the frames$
LINES
check "the report: at most 30 lines" [ "$(wc -l <pasted)" -le 30 ]
is_narrow pasted
ends 0 --virtual --seconds 2 --report file
matches '^ *report +file$'
same "--report" pasted file
ends 0 --virtual --loop decoupled --seconds 1 --report
matches '^ *presents +this loop does not follow the display, queue not known$'

# --- what is shown between ticks, with the lead that it needs; split views ---------------------------

is_drawn() {
    equal "$what: the screenshot's head" "$(od -An -tx1 -N8 s.png | tr -d ' \n')" 89504e470d0a1a0a
    rm -f s.png
}
while read -r way lead threaded_lead; do
    run --show "$way" --tick-rate 20 --seconds $moment --screenshot s.png
    gives "$way $lead" '.show, .lead_ticks'
    is_drawn
    run_until '.threads.frames.interpolated > 0' --show "$way" --loop threaded --tick-rate 20 --screenshot s.png
    gives "$way $threaded_lead" '.show, .lead_ticks'
    holds '.threads.frames | .interpolated > 0'
    is_drawn
done <<'WAYS'
interpolate 0 1
hermite 0 1
catmull-rom 1 2
monotone 1 2
extrapolate -1 1
none 0 1
WAYS
while read -r split loop way; do
    run --split "$split" --tick-rate 20 --seconds $moment --screenshot s.png
    gives "auto $loop $way" '.loop, .split.loop, .split.show'
    is_drawn
done <<'SPLITS'
unblended decoupled none
decoupled decoupled interpolate
max-frameskip max-frameskip interpolate
variable variable interpolate
lockstep lockstep interpolate
SPLITS
reports --virtual <<'TABLE'
--loop variable --split lockstep --seconds 0.2 | .loop == "variable"
--show hermite --split decoupled --tick-rate 5 --seconds 0.5 | .split.show == "hermite", (.split.animation_error_ms | type == "object")
--show extrapolate --split unblended --tick-rate 20 --seconds 0.5 | .split.show == "none"
TABLE

# --- ticks on a thread of their own ---------------------------------------------------------------

# an update that takes three periods: its ticks are not there, or are predicted; both say so, once a frame was
# drawn in an update
run_until '.threads.frames.clamped > 0' --tick-rate 60 --update-cost 50ms --loop threaded
holds '.threads.frames | .clamped > 0, .extrapolated == 0'
run_until '.threads.frames.extrapolated > 0' --tick-rate 60 --update-cost 50ms --loop threaded --show extrapolate
holds '.threads.frames.extrapolated > 0'
run_until '.threads.frames.interpolated > 0' --loop threaded --tick-rate 20 --screenshot s.png
holds '.threads.frames.interpolated > 0'
reports --seconds $moment <<'TABLE'
--loop threaded --split unblended --tick-rate 20 | .loop == "threaded"
--loop threaded --delay 2 --tick-rate 25 | .tick_rate == "25/1"
TABLE

# --- errors ---------------------------------------------------------------------------------------

errors --seconds 0 <<'TABLE'
--loop magic | 2 | lockstep, variable, decoupled, max-frameskip or threaded
--policy magic | 2 | drop, slow, spread, stretch or wait
--split adaptive | 2 | unblended, decoupled, max-frameskip, variable or lockstep
--show magic | 2 | interpolate, hermite, catmull-rom, monotone, extrapolate or none
--loop variable --show catmull-rom | 2 | --show catmull-rom
--loop lockstep --policy slow | 2 | --policy
--loop variable --policy stretch | 2 | --policy
--loop variable --delay 1 | 2 | --delay
--cap 0 | 2 | --cap: expected a rate of 0.1 to 10000
--render-cost 2s | 2 | --render-cost and --update-cost must be at most 1s
--keys 1:comma | 2 | --keys: expected times and keys
--x11-present | 2 | --x11-present needs a window
--schedule | 2 | '--schedule'
--seconds soon | 2 | --seconds: expected
--screenshot - | 2 | --screenshot
--window | 2 | choose one
--loop threaded --policy slow | 2 | --policy is no setting of loop threaded
--loop threaded --virtual | 2 | --virtual has one thread: not with loop threaded
--loop threaded --delay 9 | 2 | --delay
TABLE

not_writable --report --screenshot -- --seconds 0.1

# a signal ends it as q does
"$command" demo --headless --seconds 600 --report r.json >out 2>err </dev/null &
demo=$!
children="$children $demo"
sleep 1
kill -TERM $demo
wait $demo
equal "a signal: the status" $? 0
matches "measured against"
check "a signal: the report" [ -s r.json ]
finish
