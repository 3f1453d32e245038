#!/bin/sh
# The demo runs every loop, policy and split view there is, and its report says which. Headless, and
# nothing here depends on speed. Every loop and view runs in real time and draws each picture; what is
# asked of the world, and not of the machine, is asked in virtual time, which takes none.
set -u
command=${BUILD_DIR:?}/evenstep
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checks=0
failures=0
# how long is run in real time; SANITIZED: so built, where each picture costs several times as much
second=1 half=0.5
[ -z "${SANITIZED-}" ] || second=0.3 half=0.2

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1" >&2
}

# run ARGS...: its report is $scratch/r.json; a failure is counted
run() {
    checks=$((checks + 1))
    what="demo $*"
    "$command" demo --headless "$@" --report - >"$scratch/r.json" 2>"$scratch/err" </dev/null ||
        fail "$what: exit status $?: $(cat "$scratch/err")"
}

# run_streaks ARGS...: with jumps. A picture between two ticks may be missing for seconds on a busy machine:
# where a streak is to be seen it has four runs, each longer
run_streaks() {
    for streak_seconds in 1.7 4 10 25; do
        run "$@" --seconds $streak_seconds
        case $* in
        *' unmarked '*) grep -q '^  "streaks": [1-9]' "$scratch/r.json" && break ;;
        *) break ;;
        esac
    done
}

# says KEY VALUE: the report of the last run, in its outermost object
says() {
    checks=$((checks + 1))
    grep -q "^  \"$1\": $2,*\$" "$scratch/r.json" ||
        fail "$what: $1 is not $2: $(grep "^  \"$1\"" "$scratch/r.json")"
}

# has KEY: the report has it
has() {
    checks=$((checks + 1))
    grep -q "^  \"$1\":" "$scratch/r.json" || fail "$what: no $1"
}

# refuses TEXT ARGS...: exit status 2, and one line that holds the text
refuses() {
    checks=$((checks + 1))
    text=$1
    shift
    "$command" demo --headless --seconds 0 "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    [ "$status" = 2 ] || fail "'$*': exit status $status, not 2"
    [ "$(wc -l <"$scratch/err")" = 1 ] || fail "'$*': not one line: $(cat "$scratch/err")"
    grep -qF -- "$text" "$scratch/err" || fail "'$*': no '$text' in: $(cat "$scratch/err")"
}

# member OBJECT KEY VALUE: of an object, or a list of them, in the report of the last run
member() {
    checks=$((checks + 1))
    sed -n "/^  \"$1\": [{[]/,/^  []}]/p" "$scratch/r.json" | grep -q "^ *\"$2\": $3,*\$" ||
        fail "$what: $1.$2 is not $3"
}

# input KEY: a number of what the report says of input
input() {
    sed -n "/^  \"input\": {/,/^  }/s/^    \"$1\": \([0-9]*\),*\$/\1/p" "$scratch/r.json"
}

while read -r loop pace rate; do
    run --loop "$loop" --seconds "$second"
    says loop "\"$loop\""
    says pace "\"$pace\""
    says policy '"drop"'
    says tick_rate "\"$rate/1\""
    says interpolation true
    says split null
    case $loop in
    threaded*) ;;
    *)
        says threads null
        member input clicks_waiting '[0-9]*'
        checks=$((checks + 1)) # every click is seen once, or waits for its tick
        [ $(($(input clicks_seen) + $(input clicks_waiting))) = "$(input clicks)" ] ||
            fail "$what: $(input clicks) clicks, $(input clicks_seen) seen"
        ;;
    esac
    member input shown '[1-9][0-9]*'
    member input lost 0
    for key in to_due_ms to_tick_ms to_shows_ms to_shown_ms; do
        member input $key '{'
    done
    member input_by_setting loop "\"$loop\""
    for key in slow_motion_ms stretched_ms lost_ms dropped_ms; do
        has "$key"
    done
done <<LOOPS
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

# without a display there is none to be found; what the loop knows of it is told all the same
run --seconds 0.5
member display latency '"smooth"'
member display state '"\(trying\|no grid: adaptive\)"'
member display locks 0
for key in seen_less_expected_ms input_age_ms repeated delivered turns; do
    has "$key"
done
says turns null
member input_age_ms p90 '[0-9.]*'
run --latency low --seconds 0.2
says loop '"auto"'
member display latency '"low"'
run --loop low-latency --latency smooth --seconds 0.2
member display latency '"smooth"'
run --latency low --missed-max 0.05 --queue 2 --refresh 59.94 --seconds 0.2
run --loop adaptive --seconds 0.2
member display state '"not followed"'

# turns: each loop has its own figures; the first second of each is in none
run --virtual --alternate decoupled --every 2 --seconds 4.5
says loop '"auto"'
checks=$((checks + 1))
[ "$(sed -n '/^  "turns"/,/^  ]/s/^      "loop": //p' "$scratch/r.json" | paste -sd' ')" = \
    '"auto", "decoupled",' ] || fail "$what: who took turns?"
checks=$((checks + 1))
[ "$(sed -n '/^  "turns"/,/^  ]/p' "$scratch/r.json" | grep -c '^      "frames": [1-9]')" = 2 ] ||
    fail "$what: a loop without frames"

# one tick per picture, whatever the pictures take
for loop in lockstep variable; do
    run --virtual --loop "$loop" --seconds 0.5 --spikes
    checks=$((checks + 1))
    [ "$(grep -cE '"(min|max)": 1,?$' "$scratch/r.json")" = 2 ] || fail "$what: not one tick per frame"
done

for policy in drop slow spread stretch wait; do
    run --virtual --policy "$policy" --update-cost 20ms --seconds 0.5
    says policy "\"$policy\""
done

# ticks on a thread of their own: it says how states cross, and what they were; pictures NAME COUNT
pictures() {
    checks=$((checks + 1))
    sed -n '/^  "threads": {/,/^  }/p' "$scratch/r.json" | grep -q "^      \"$1\": $2,*\$" ||
        fail "$what: not $2 pictures $1"
}
# threaded LOOP WAY LEAD EXCHANGE
threaded() {
    run --loop "$1" --show "$2" --tick-rate 20 --seconds $half --screenshot "$scratch/s.png"
    says show "\"$2\""
    says lead_ticks "$3"
    member threads exchange "\"$4\""
    pictures interpolated '[1-9][0-9]*'
    pictures empty 0
    [ -s "$scratch/s.png" ] || fail "$what: no picture"
}
threaded threaded-locked interpolate 1 locked
while read -r way lead; do
    threaded threaded "$way" "$lead" wait-free
done <<WAYS
interpolate 1
hermite 1
catmull-rom 2
monotone 2
extrapolate 1
none 1
WAYS
# an update that takes three periods: its pictures are not there, or are predicted; both say so
for loop in threaded threaded-locked; do
    run --loop "$loop" --tick-rate 60 --update-cost 50ms --seconds 0.7
    pictures held '[1-9][0-9]*'
    pictures extrapolated 0
done
run --loop threaded --tick-rate 60 --update-cost 50ms --seconds 0.7 --show extrapolate
pictures extrapolated '[1-9][0-9]*'
for teleport in marked unmarked; do
    run_streaks --loop threaded --show hermite --teleport "$teleport" --tick-rate 5
    says jumps '[1-9]'
    case $teleport in
    unmarked) says streaks '[1-9][0-9]*' ;;
    *) says streaks 0 ;;
    esac
done
run --loop threaded --split unblended --tick-rate 20 --seconds 0.4
says loop '"threaded"'
run --loop threaded --delay 2 --tick-rate 25 --latency low --interval 20ms --seconds 0.2
says tick_rate '"25/1"'

# a job has the same result at once, in idle time and shared out to ticks; and sparks and birds have
# ticks of their own for those of the game. in_job MODE KEY: a number; ticks GROUP: so far
in_job() {
    sed -n "/^  \"job\": {/,/^  }/p" "$scratch/r.json" |
        sed -n "/^      \"$1\": {/,/^      }/s/^        \"$2\": \([0-9]*\).*/\1/p"
}
ticks() {
    sed -n '/^  "rates": {/,/^  }/p' "$scratch/r.json" |
        sed -n "/^    \"$1\": {/,/^    }/s/^      \"ticks\": \([0-9]*\).*/\1/p"
}
first=
while read -r mode rates loop clock; do
    for seconds in 2.5 6 15; do # under a sanitizer, on a busy machine, a job takes seconds
        # shellcheck disable=SC2086 # an option, or none
        run --job "$mode" --rates "$rates" --loop "$loop" --seconds $seconds $clock
        [ "$(in_job "$mode" jobs)" = 0 ] || break
    done
    member job mode "\"$mode\""
    checks=$((checks + 3))
    [ "$(in_job "$mode" jobs)" -ge 1 ] || fail "$what: no job was done"
    [ "$mode" != once ] || [ $(($(in_job once items) % 1152)) = 0 ] || fail "$what: not at once"
    result=$(sed -n 's/^    "first_result": \([0-9]*\),*$/\1/p' "$scratch/r.json")
    first=${first:-$result}
    if [ "$result" != "$first" ] || [ "$result" = 0 ]; then
        fail "$what: result $result, not $first"
    fi
    game=$(ticks game) sparks=$(ticks sparks) birds=$(ticks birds)
    case $rates in
    on) [ $((sparks - 2 * game)) -ge -2 ] && [ $((sparks - 2 * game)) -le 4 ] &&
        [ $((6 * birds - game)) -ge -12 ] && [ $((6 * birds - game)) -le 18 ] ;;
    off) [ "$sparks" = "$game" ] && [ "$birds" = "$game" ] ;;
    esac || fail "$what: $game ticks, $sparks of sparks, $birds of birds"
done <<JOBS
once off adaptive --virtual
sliced on adaptive
sliced on threaded
JOBS
run --virtual --seconds 0.2
checks=$((checks + 1))
[ "$(in_job sliced items)$(in_job once items)" = 00 ] || fail "$what: a job nobody asked for"

# an option goes before what the loop brings along
run --virtual --loop max-frameskip --tick-rate 25 --seconds 0.2
says tick_rate '"25/1"'
run --loop decoupled --delay 0 --max-ticks 3 --interval 20ms --seconds 0.2
says loop '"decoupled"'
run --virtual --no-interpolation --seconds 0.2
says interpolation false

while read -r split loop blended; do
    run --split "$split" --tick-rate 20 --seconds $half --screenshot "$scratch/s.png"
    says loop '"auto"'
    checks=$((checks + 1))
    [ "$(sed -n 's/^    "\(loop\|interpolation\)": //p' "$scratch/r.json" | paste -sd' ')" = \
        "\"$loop\", $blended," ] || fail "$what: not $loop in the lower half"
    [ -s "$scratch/s.png" ] || fail "$what: no picture"
done <<SPLITS
unblended decoupled false
decoupled decoupled true
max-frameskip max-frameskip true
variable variable true
lockstep lockstep true
SPLITS
run --virtual --loop variable --split lockstep --seconds 0.2
says loop '"variable"'

# every way of showing what is between ticks, with the lead that it needs
while read -r way lead; do
    run --show "$way" --tick-rate 20 --seconds $half --screenshot "$scratch/s.png"
    says show "\"$way\""
    says lead_ticks "$lead"
    says teleport '"off"'
    says streaks 0
done <<WAYS
interpolate 0
hermite 0
catmull-rom 1
monotone 1
extrapolate -1
none 0
WAYS
says interpolation false
run --virtual --no-interpolation --seconds 0.2
says show '"none"'

# a ball that jumps is seen on its way only where nobody is told; 12 pictures per tick, so that none
# would be luck
for way in interpolate hermite catmull-rom monotone extrapolate; do
    for teleport in marked unmarked portal; do
        clock=--virtual
        case $way$teleport in # each once in real time: 1.7 s, for a streak also where pictures are few
        interpolatemarked | hermiteunmarked | extrapolateportal) clock= ;;
        esac
        # shellcheck disable=SC2086 # an option, or none
        run_streaks --show "$way" --teleport "$teleport" --tick-rate 5 $clock
        says teleport "\"$teleport\""
        says jumps '[1-9]'
        case $teleport in
        unmarked) says streaks '[1-9][0-9]*' ;;
        *) says streaks 0 ;;
        esac
    done
done
run --virtual --show none --teleport unmarked --tick-rate 5 --seconds 1.5
says streaks 0
run --show hermite --teleport portal --split decoupled --tick-rate 5 --seconds 1.5
checks=$((checks + 1))
[ "$(sed -n 's/^    "\(show\|streaks\)": //p' "$scratch/r.json" | paste -sd' ')" = '"hermite", 0,' ] ||
    fail "$what: the lower half is not alike"
run --show extrapolate --split unblended --tick-rate 20 --seconds 0.5
checks=$((checks + 1))
grep -q '^    "show": "none"' "$scratch/r.json" || fail "$what: the lower half is blended"

refuses "lockstep, variable, decoupled, max-frameskip, threaded or threaded-locked" --loop magic
refuses "drop, slow, spread, stretch or wait" --policy magic
refuses "unblended, decoupled, max-frameskip, variable or lockstep" --split adaptive
refuses "interpolate, hermite, catmull-rom, monotone, extrapolate or none" --show magic
refuses "off, marked, unmarked or portal" --teleport magic
refuses "off, once or sliced" --job magic
refuses "on or off" --rates magic
refuses "auto, low-latency, adaptive, lockstep" --alternate magic
refuses "--every" --alternate decoupled --every 1
refuses "one of --alternate and --split" --alternate decoupled --split unblended
refuses "smooth or low" --latency none
refuses "--latency low" --loop adaptive --latency low
refuses "--queue" --queue 5
refuses "--queue" --loop decoupled --queue 2
refuses "--refresh" --loop adaptive --refresh 60
refuses "--refresh" --refresh 0.5
refuses "--missed-max" --missed-max 0.05
refuses "0.0001 to 0.5" --loop low-latency --missed-max 0.6
refuses "960x540" --size 960
refuses "--show catmull-rom" --loop variable --show catmull-rom
refuses "--policy" --loop lockstep --policy slow
refuses "--policy" --loop variable --policy stretch
refuses "--delay" --loop variable --delay 1
for loop in threaded threaded-locked; do
    refuses "--policy is no setting of loop $loop" --loop "$loop" --policy slow
    refuses "--max-ticks is no setting of loop $loop" --loop "$loop" --max-ticks 3
    refuses "goes without --alternate" --loop "$loop" --alternate auto
    refuses "goes without --alternate" --alternate "$loop"
    refuses "--teleport portal" --loop "$loop" --teleport portal
    refuses "--delay" --loop "$loop" --delay 9
done
refuses "--max-ticks" --loop lockstep --max-ticks 3

echo "demo: $checks checks, $failures failed"
[ "$failures" = 0 ]
