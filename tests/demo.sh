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
moment=0.3 teleports=--virtual
[ -z "${EVENSTEP_FULL-}" ] || moment=1 teleports=

run() {
    ends 0 "$@" --report $report
}

# run_until FILTER ARGS...: four runs at most, each longer, until the report has what a busy machine may take
# long for
run_until() {
    filter=$1
    shift
    for seconds in 0.8 2.5 6 25; do
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

while read -r loop pace rate; do
    run --loop "$loop" --seconds $moment
    gives "$loop $pace drop $rate/1 true null $loop" \
        '.loop, .pace, .policy, .tick_rate, .interpolation, .split, .input_by_setting[].loop'
    holds '.input | .shown > 0, .lost == 0, ([.to_due_ms, .to_tick_ms, .to_shows_ms, .to_shown_ms | objects] | length == 4)'
    case $loop in # every click is seen once, or waits for its tick
    threaded*) ;;
    *) holds '.threads == null, (.input | .clicks_seen + .clicks_waiting == .clicks)' ;;
    esac
done <<'LOOPS'
auto auto 60
low-latency auto 60
adaptive adaptive 60
lockstep fixed 60
variable auto 60
decoupled auto 60
max-frameskip uncapped 50
threaded auto 60
threaded-locked auto 60
LOOPS
has_keys $report slow_motion_ms stretched_ms lost_ms dropped_ms seen_less_expected_ms repeated delivered turns split threads

# without a display there is none to be found; an option goes before the loop's own setting; turns: each loop has
# its own figures, the first second of each is in none
reports <<'TABLE'
--seconds 0.5 | (.display | .latency == "smooth", (.state | test("^(trying|no grid: adaptive)$")), .locks == 0), .turns == null, .input_age_ms.p90 >= 0
--latency low --seconds $moment | .loop == "auto", .display.latency == "low"
--loop low-latency --latency smooth --seconds $moment | .display.latency == "smooth"
--latency low --missed-max 0.05 --queue 2 --refresh 59.94 --seconds $moment | .frames > 0
--loop adaptive --seconds $moment | .display.state == "not followed"
--loop decoupled --delay 0 --max-ticks 3 --interval 20ms --seconds $moment | .loop == "decoupled"
TABLE
reports --virtual <<'TABLE'
--alternate decoupled --every 2 --seconds 4.5 | .loop == "auto", [.turns[].loop] == ["auto", "decoupled"], .turns[].frames > 0
--loop lockstep --seconds 0.5 --spikes | .ticks_per_frame == {"min": 1, "max": 1}
--loop variable --seconds 0.5 --spikes | .ticks_per_frame == {"min": 1, "max": 1}
--policy drop --update-cost 20ms --seconds 0.5 | .policy == "drop"
--policy slow --update-cost 20ms --seconds 0.5 | .policy == "slow"
--policy spread --update-cost 20ms --seconds 0.5 | .policy == "spread"
--policy stretch --update-cost 20ms --seconds 0.5 | .policy == "stretch"
--policy wait --update-cost 20ms --seconds 0.5 | .policy == "wait"
--loop max-frameskip --tick-rate 25 --seconds 0.2 | .tick_rate == "25/1"
--no-interpolation --seconds 0.2 | .interpolation == false, .show == "none"
TABLE

# --- what is shown between ticks, with the lead that it needs; split views ---------------------------

is_drawn() {
    check "$what: a screenshot" [ -s s.png ]
    rm -f s.png
}
while read -r way lead threaded_lead; do
    run --show "$way" --tick-rate 20 --seconds $moment --screenshot s.png
    gives "$way $lead off 0 $([ "$way" = none ] && echo false || echo true)" \
        '.show, .lead_ticks, .teleport, .streaks, .interpolation'
    is_drawn
    run --show "$way" --loop threaded --tick-rate 20 --seconds $moment --screenshot s.png
    gives "$way $threaded_lead wait-free" '.show, .lead_ticks, .threads.exchange'
    holds '.threads.pictures | .interpolated > 0, .empty == 0'
    is_drawn
done <<'WAYS'
interpolate 0 1
hermite 0 1
catmull-rom 1 2
monotone 1 2
extrapolate -1 1
none 0 1
WAYS
while read -r split loop blended; do
    run --split "$split" --tick-rate 20 --seconds $moment --screenshot s.png
    gives "auto $loop $blended" '.loop, .split.loop, .split.interpolation'
    is_drawn
done <<'SPLITS'
unblended decoupled false
decoupled decoupled true
max-frameskip max-frameskip true
variable variable true
lockstep lockstep true
SPLITS
reports --virtual <<'TABLE'
--loop variable --split lockstep --seconds 0.2 | .loop == "variable"
--show hermite --teleport portal --split decoupled --tick-rate 5 --seconds 1.5 | .split.show == "hermite", .split.streaks == 0
--show extrapolate --split unblended --tick-rate 20 --seconds 0.5 | .split.show == "none"
--show none --teleport unmarked --tick-rate 5 --seconds 1.5 | .streaks == 0
TABLE

# a ball that jumps is seen on its way only where the jump is not marked; 12 frames per tick, so that none
# would be luck. Each in real time once
for way in interpolate hermite catmull-rom monotone extrapolate threaded; do
    for teleport in marked unmarked portal; do
        set -- --virtual --show $way
        case $way$teleport in
        interpolatemarked | hermiteunmarked | extrapolateportal) set -- $teleports --show $way ;;
        threadedportal) continue ;; # not for threads
        threaded*) set -- --loop threaded --show hermite ;;
        esac
        streaks='.streaks == 0'
        [ $teleport != unmarked ] || streaks='.streaks > 0'
        run_until "$streaks and .jumps > 0" "$@" --teleport $teleport --tick-rate 5
        holds "$streaks, .jumps > 0, .teleport == \"$teleport\""
    done
done

# --- ticks on a thread of their own ---------------------------------------------------------------

# an update that takes three periods: its frames are not there, or are predicted; both say so
reports --tick-rate 60 --update-cost 50ms --seconds 0.5 <<'TABLE'
--loop threaded | .threads.pictures | .held > 0, .extrapolated == 0
--loop threaded-locked | .threads.pictures | .held > 0, .extrapolated == 0
--loop threaded --show extrapolate | .threads.pictures.extrapolated > 0
TABLE
reports --seconds $moment <<'TABLE'
--loop threaded-locked --tick-rate 20 --screenshot s.png | .threads | .exchange == "locked", .pictures.interpolated > 0, .pictures.empty == 0
--loop threaded --split unblended --tick-rate 20 | .loop == "threaded"
--loop threaded --delay 2 --tick-rate 25 --latency low --interval 20ms | .tick_rate == "25/1"
TABLE

# --- a job has the same result at once, in idle time and shared out to ticks; sparks and birds have
# ticks of their own for those of the game

result=
while read -r mode rates loop clock; do
    # shellcheck disable=SC2086 # an option, or none
    run_until ".job.modes.$mode.jobs > 0" --job "$mode" --rates "$rates" --loop "$loop" $clock
    holds ".job.mode == \"$mode\", .job.modes.$mode.jobs > 0, .job.modes.once.items % 1152 == 0,
        .job.first_result == ${result:-.job.first_result}, .job.first_result != 0"
    result=$(json .job.first_result)
    case $rates in
    on) holds '.rates | (.sparks.ticks - 2 * .game.ticks | . >= -2 and . <= 4),
        (6 * .birds.ticks - .game.ticks | . >= -12 and . <= 18)' ;;
    off) holds '.rates | .sparks.ticks == .game.ticks, .birds.ticks == .game.ticks' ;;
    esac
done <<'JOBS'
once off adaptive --virtual
sliced on adaptive
sliced on threaded
JOBS
run --virtual --seconds 0.2
holds '.job.modes[].items == 0'

# --- errors ---------------------------------------------------------------------------------------

errors --seconds 0 <<'TABLE'
--loop magic | 2 | lockstep, variable, decoupled, max-frameskip, threaded or threaded-locked
--policy magic | 2 | drop, slow, spread, stretch or wait
--split adaptive | 2 | unblended, decoupled, max-frameskip, variable or lockstep
--show magic | 2 | interpolate, hermite, catmull-rom, monotone, extrapolate or none
--teleport magic | 2 | off, marked, unmarked or portal
--job magic | 2 | off, once or sliced
--rates magic | 2 | on or off
--alternate magic | 2 | auto, low-latency, adaptive, lockstep
--alternate decoupled --every 1 | 2 | --every
--alternate decoupled --split unblended | 2 | one of --alternate and --split
--latency none | 2 | smooth or low
--loop adaptive --latency low | 2 | --latency low
--queue 5 | 2 | --queue
--loop decoupled --queue 2 | 2 | --queue
--loop adaptive --refresh 60 | 2 | --refresh
--refresh 0.5 | 2 | --refresh
--missed-max 0.05 | 2 | --missed-max
--loop low-latency --missed-max 0.6 | 2 | 0.0001 to 0.5
--size 960 | 2 | 960x540
--loop variable --show catmull-rom | 2 | --show catmull-rom
--loop lockstep --policy slow | 2 | --policy
--loop variable --policy stretch | 2 | --policy
--loop variable --delay 1 | 2 | --delay
--loop lockstep --max-ticks 3 | 2 | --max-ticks
TABLE
for loop in threaded threaded-locked; do
    errors --seconds 0 <<TABLE
--loop $loop --policy slow | 2 | --policy is no setting of loop $loop
--loop $loop --max-ticks 3 | 2 | --max-ticks is no setting of loop $loop
--loop $loop --alternate auto | 2 | goes without --alternate
--alternate $loop | 2 | goes without --alternate
--loop $loop --teleport portal | 2 | --teleport portal
--loop $loop --delay 9 | 2 | --delay
TABLE
done
finish
