#!/bin/sh
# The demo runs every loop, policy and split view, and its report says which. Headless, and
# nothing here depends on speed. Every loop and view runs in real time and draws each frame; what is
# asked of the world, and not of the machine, is asked in virtual time, which takes none.
set -u
command=${BUILD_DIR:?}/evenstep
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checks=0
failures=0
# how long is run in real time; SANITIZED: so built, where each frame costs several times as much
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

while read -r loop rate; do
    run --loop "$loop" --seconds "$second"
    says loop "\"$loop\""
    says policy '"drop"'
    says tick_rate "\"$rate/1\""
    says show '"interpolate"'
    says split null
    case $loop in
    threaded*) ;;
    *)
        says threads null
        checks=$((checks + 1)) # the clicks of the last frame may wait for their tick
        waiting=$(($(input clicks) - $(input clicks_seen)))
        if [ "$waiting" -lt 0 ] || [ "$waiting" -gt 3 ] || [ "$(input clicks_seen)" = 0 ]; then
            fail "$what: $(input clicks) clicks, $(input clicks_seen) seen"
        fi
        ;;
    esac
    member input shown '[1-9][0-9]*'
    member input lost 0
    member input to_shows_ms '{'
    for key in slow_motion_ms stretched_ms lost_ms dropped_ms; do
        has "$key"
    done
done <<LOOPS
auto 60
low-latency 60
adaptive 60
lockstep 60
variable 60
decoupled 60
max-frameskip 50
threaded 60
threaded-locked 60
LOOPS

# without a display there is none to be found
run --seconds 0.5
says latency '"smooth"'
member display state '"\(searching\|none found\)"'
for key in repeated longest_frame_ms; do
    has "$key"
done
run --latency low --seconds 0.2
says loop '"auto"'
says latency '"low"'
run --loop low-latency --latency smooth --seconds 0.2
says latency '"smooth"'
run --loop adaptive --seconds 0.2
member display state '"not followed"'

# one tick per frame, whatever the frames take
for loop in lockstep variable; do
    run --virtual --loop "$loop" --seconds 0.5 --render-cost 40ms
    checks=$((checks + 1))
    [ "$(grep -cE '"(min|max)": 1,?$' "$scratch/r.json")" = 2 ] || fail "$what: not one tick per frame"
done

for policy in drop slow spread stretch wait; do
    run --virtual --policy "$policy" --update-cost 20ms --seconds 0.5
    says policy "\"$policy\""
done

# ticks on a thread of their own: how states cross, and how frames were made; frames NAME COUNT
frames() {
    checks=$((checks + 1))
    sed -n '/^  "threads": {/,/^  }/p' "$scratch/r.json" | grep -q "^      \"$1\": $2,*\$" ||
        fail "$what: not $2 frames $1"
}
# threaded LOOP WAY LEAD EXCHANGE
threaded() {
    run --loop "$1" --show "$2" --tick-rate 20 --seconds $half --screenshot "$scratch/s.png"
    says show "\"$2\""
    says lead_ticks "$3"
    member threads exchange "\"$4\""
    frames interpolated '[1-9][0-9]*'
    frames empty 0
    [ -s "$scratch/s.png" ] || fail "$what: no screenshot"
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
# an update that takes three periods: its ticks are not there, or are predicted
for loop in threaded threaded-locked; do
    run --loop "$loop" --tick-rate 60 --update-cost 50ms --seconds 0.7
    frames clamped '[1-9][0-9]*'
    frames extrapolated 0
done
run --loop threaded --tick-rate 60 --update-cost 50ms --seconds 0.7 --show extrapolate
frames extrapolated '[1-9][0-9]*'
run --loop threaded --split unblended --tick-rate 20 --seconds 0.4
says loop '"threaded"'
run --loop threaded --delay 2 --tick-rate 25 --latency low --seconds 0.2
says tick_rate '"25/1"'

# a job has the same result in one tick and shared out to ticks. in_job KEY: a number
in_job() {
    sed -n "/^  \"job\": {/,/^  }/s/^    \"$1\": \([0-9]*\),*\$/\1/p" "$scratch/r.json"
}
first=
while read -r mode loop clock; do
    for seconds in 2.5 6 15; do # under a sanitizer, on a busy machine, a job takes seconds
        # shellcheck disable=SC2086 # an option, or none
        run --job "$mode" --loop "$loop" --seconds $seconds $clock
        [ "$(in_job jobs)" = 0 ] || break
    done
    member job mode "\"$mode\""
    checks=$((checks + 3))
    [ "$(in_job jobs)" -ge 1 ] || fail "$what: no job was done"
    [ "$mode" != once ] || [ $(($(in_job items) % 1152)) = 0 ] || fail "$what: not in one tick"
    result=$(in_job first_result)
    first=${first:-$result}
    if [ "$result" != "$first" ] || [ "$result" = 0 ]; then
        fail "$what: result $result, not $first"
    fi
done <<JOBS
once adaptive --virtual
sliced adaptive
sliced threaded
JOBS
run --virtual --seconds 0.2
checks=$((checks + 1))
[ "$(in_job items)" = 0 ] || fail "$what: a job that was not requested"

# an option goes before what the loop brings along
run --virtual --loop max-frameskip --tick-rate 25 --seconds 0.2
says tick_rate '"25/1"'
run --loop decoupled --delay 0 --seconds 0.2
says loop '"decoupled"'

while read -r split loop way; do
    run --split "$split" --tick-rate 20 --seconds $half --screenshot "$scratch/s.png"
    says loop '"auto"'
    checks=$((checks + 1))
    [ "$(sed -n 's/^    "\(loop\|show\)": //p' "$scratch/r.json" | paste -sd' ')" = \
        "\"$loop\", \"$way\"," ] || fail "$what: not $loop in the lower half"
    [ -s "$scratch/s.png" ] || fail "$what: no screenshot"
done <<SPLITS
unblended decoupled none
decoupled decoupled interpolate
max-frameskip max-frameskip interpolate
variable variable interpolate
lockstep lockstep interpolate
SPLITS
run --virtual --loop variable --split lockstep --seconds 0.2
says loop '"variable"'

# every way of showing what is between ticks, with the lead that it needs
while read -r way lead; do
    run --show "$way" --tick-rate 20 --seconds $half --screenshot "$scratch/s.png"
    says show "\"$way\""
    says lead_ticks "$lead"
done <<WAYS
interpolate 0
hermite 0
catmull-rom 1
monotone 1
extrapolate -1
none 0
WAYS
run --show extrapolate --split unblended --tick-rate 20 --seconds 0.5
checks=$((checks + 1))
grep -q '^    "show": "none"' "$scratch/r.json" || fail "$what: the lower half is blended"

refuses "lockstep, variable, decoupled, max-frameskip, threaded or threaded-locked" --loop magic
refuses "drop, slow, spread, stretch or wait" --policy magic
refuses "unblended, decoupled, max-frameskip, variable or lockstep" --split adaptive
refuses "interpolate, hermite, catmull-rom, monotone, extrapolate or none" --show magic
refuses "off, once or sliced" --job magic
refuses "smooth or low" --latency none
refuses "--latency low" --loop adaptive --latency low
refuses "960x540" --size 960
refuses "--show catmull-rom" --loop variable --show catmull-rom
refuses "--policy" --loop lockstep --policy slow
refuses "--policy" --loop variable --policy stretch
refuses "--delay" --loop variable --delay 1
for loop in threaded threaded-locked; do
    refuses "--policy is no setting of loop $loop" --loop "$loop" --policy slow
    refuses "--virtual has one thread" --loop "$loop" --virtual
    refuses "--delay" --loop "$loop" --delay 9
done
refuses "unknown or ill-formed option '--schedule'" --schedule

echo "demo: $checks checks, $failures failed"
[ "$failures" = 0 ]
