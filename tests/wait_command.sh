#!/bin/sh
# `bench_wait_methods`. It waits for real, so nothing here asks how late or how dear a wait was: only what
# holds on any machine under any load. Which method waits when follows from the seed; the figures follow
# from the samples; methods that read the clock never return early; the load ends, however the command does.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
command=$build/bench_wait_methods
cd "$scratch" || exit 1

# --- every method in a second ---------------------------------------------------------------------

methods="evenstep absolute absolute-1ns relative spin margin-60us margin-200us sdl3 spin-sleep \
    spin-sleep-hint raylib mangohud"

run table --rate 60 --seconds 1 --seed 7 --json all.json --samples all.csv
has "60 Hz, 1 s: 60 deadlines in turn; no load; 0 ms of work between waits; seed 7" table
has "x sdl3" table
grep -v '^Linux ' table >narrow
is_narrow narrow
has_keys all.json evenstep rate_hz period_ns seconds seconds_run interrupted deadlines_planned deadlines load \
    work_ns seed real_time reference clock machine system release architecture processor cores \
    timer_slack_ns methods method title source n early missed_start p50_ns p90_ns p99_ns max_ns \
    earliest_ns wait_ns cpu_ns cpu_percent
equal "the version" "evenstep $(json .wait.evenstep all.json)" "$("$build/evenstep" --version)"
gives '[16666666,60,false,12]' '[(.wait | .period_ns, .deadlines, .interrupted), (.methods | length)]' all.json
# relative sleeps by its own reading, mangohud by its last lateness; the others return by the clock
holds '.methods[] | .n + .missed_start == 5, (.early == 0 or .method == "relative" or .method == "mangohud")' all.json
for method in $methods; do
    matches "$(json ".methods[] | select(.method == \"$method\")
        | \"^\(.method)  *\(.n)  *\(.early)  *\(.missed_start) \"" all.json)" table
done

# --- the figures, worked out again from the samples -----------------------------------------------

equal "the head of the samples" "$(head -n 1 all.csv)" "deadline,method,missed_start,late_ns,wait_ns,cpu_ns"
equal "samples" "$(($(wc -l <all.csv) - 1))" 60

# follows JSON CSV: the figures of each method are those of its samples, by nearest rank
follows() {
    from_json=$(jq -cS '.methods | map({method, n, missed_start, early, p50_ns, p90_ns, p99_ns, max_ns,
        earliest_ns, wait_ns, cpu_ns}) | sort_by(.method)' "$1")
    from_samples=$(jq -cSR -s '
        def rank($percent): .[((length * $percent + 99) / 100 | floor) - 1];
        [split("\n")[1:][] | select(. != "") | split(",")] | group_by(.[1]) | map(
            {method: .[0][1], missed_start: (map(select(.[2] == "1")) | length)}
            + (map(select(.[2] == "0") | map(tonumber? // .)) | {n: length, early: (map(select(.[3] < 0)) | length),
                earliest_ns: (map(-.[3]) + [0] | max), wait_ns: (map(.[4]) | add), cpu_ns: (map(.[5]) | add)}
                + (map(.[3] | fabs) | sort
                    | {p50_ns: rank(50), p90_ns: rank(90), p99_ns: rank(99), max_ns: rank(100)})))' "$2")
    equal "$1: the figures of $2" "$from_json" "$from_samples"
}
follows all.json all.csv
run table --method mangohud,spin --rate 1000 --seconds 0.5 --json many.json --samples many.csv
follows many.json many.csv
gives '[null,0]' '[.wait.reference, ([paths | .[-1] | strings | select(endswith("_ratio"))] | length)]' many.json

# --- turns ----------------------------------------------------------------------------------------

turns() {
    tail -n +2 "$1" | cut -d, -f2
}
turns all.csv >turns.all
check "every round has each method once" awk '(NR - 1) % 12 == 0 { delete seen } seen[$1]++ { exit 1 }' turns.all
# by chance the same once in 12! times
refute "two rounds in the same order" [ "$(head -n 12 turns.all)" = "$(tail -n +13 turns.all | head -n 12)" ]

# Over 500 rounds of three each method stands about as often in each place, and where it stood in the
# round before says nothing about it: 167 of 500, within five standard deviations. That follows from
# the seed alone.
three="--method absolute,relative,mangohud --rate 1000 --samples -"
# shellcheck disable=SC2086 # words
{
    run turns.csv $three --seconds 1.5
    run again.csv $three --seconds 0.1
    run other.csv $three --seconds 0.1 --seed 2
}
turns turns.csv >turns
check "methods do not favour places" awk '{
        place = (NR - 1) % 3
        seen[place " " $1] += 1
        if (NR > 3) seen["after " before[$1] " " place] += 1
        before[$1] = place
    }
    END {
        for (i in seen) { kinds += 1; if (seen[i] < 115 || seen[i] > 219) exit 1 }
        exit NR != 1500 || kinds != 18
    }' turns
equal "the same seed" "$(turns again.csv)" "$(head -n 100 turns)"
refute "another seed, the same order" [ "$(turns again.csv)" = "$(turns other.csv)" ]

# --- other options --------------------------------------------------------------------------------

run list --list
run help --help
has "--real-time" help
for text in SDL_DelayPrecise "spin_sleep, src/lib.rs" "raylib, src/rcore.c" "MangoHud, src/fps_limiter.h"; do
    has "$text" list
done
for method in $methods; do
    has "  $method " list
done
for try in 1 2 3 4 5 6 7 8 9 10; do # a machine that stands still for 0.1 s has nothing to compare
    run rate.json --method spin --method spin,absolute --rate 60000/1001 --seconds 0.1 --reference absolute --json
    [ "$(json '.methods[] | select(.method == "absolute") | .n' rate.json)" = 0 ] || break
    echo "wait_command: no wait in time, try $try" >&2
done
gives '["60000/1001",6,"absolute",2]' '[(.wait | .rate_hz, .deadlines, .reference), (.methods | length)]' rate.json
holds '.methods[] | select(.method == "absolute") | .p90_ratio == 1' rate.json
run few.json --rate 1 --seconds 0.1 --json - # one deadline for twelve methods: null, not 0
gives '[11,12]' '[.methods | (map(select(.p50_ns == null)), map(select(.cpu_ratio == null))) | length]' few.json

# Work that ends 1 ns before the next deadline: a wait that was measured is followed by one that
# could not begin.
run missed.json --method spin --rate 1000 --seconds 0.1 --work 999999ns --json
holds '.methods[0] | .n + .missed_start == 100, .n >= 1, .n <= .missed_start + 1' missed.json

# real time is the system's to give: either it is so, or one line says that it is not
ends 0 --method absolute --rate 100 --seconds 0.1 --real-time --json -
case $(json .wait.real_time) in
granted) is_silent ;;
refused) has "--real-time: refused; measured without it" err ;;
*) fail "--real-time: neither granted nor refused" ;;
esac

# --- errors ---------------------------------------------------------------------------------------

expect_error 2 "--method: unknown name in 'magic'; known methods: all, $(echo "$methods" | sed 's/  */, /g')" \
    --method magic
errors <<'TABLE'
--method spin,,sdl3 | 2 | --method: unknown name in 'spin,,sdl3'; known methods
--rate 0 | 2 | --rate: expected a rate from 1 to 1000
--rate 0.5 | 2 | --rate: expected a rate from 1 to 1000
--rate 1001 | 2 | --rate: expected a rate from 1 to 1000
--rate fast | 2 | --rate: expected a rate from 1 to 1000
--seconds 0 | 2 | --seconds: expected seconds, 0.1 to 3600, got '0'
--seconds 2h | 2 | --seconds: expected seconds, 0.1 to 3600
--seconds 3601 | 2 | --seconds: expected seconds, 0.1 to 3600
--load 65 | 2 | --load: expected a number of processes, 0 to 64
--load -1 | 2 | --load: expected a number of processes, 0 to 64
--work 3 | 2 | --work: expected a duration
--work 17ms --rate 60 | 2 | --work must be shorter than a period
--seed x | 2 | --seed: expected a number
--reference magic | 2 | --reference: expected evenstep, absolute
--method spin --reference sdl3 | 2 | --reference sdl3 does not run
--samples - --json | 2 | --json - and --samples - cannot both be stdout
144 | 2 | unexpected argument
TABLE
not_writable --json --samples -- --seconds 3600 # before the run: an hour of it must not be lost

# --- the load, and every way to end ---------------------------------------------------------------

if [ ! -r /proc/self/status ] || ! env --default-signal=INT true 2>/dev/null; then
    finish "no /proc or no env --default-signal: signals and load were not tested"
fi

children_of() {
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)/name/' | awk -v parent="$1" '$4 == parent { print $1 }'
}
has_children() {
    [ "$(children_of "$1" | wc -l)" = "$2" ]
}
# are_gone PID...: none of these processes is there, nor a zombie
are_gone() {
    for pid; do
        [ ! -e "/proc/$pid" ] || return 1
    done
}
# catches PID MASK: it has handlers for these signals
catches() {
    caught=$(sed -n 's/^SigCgt:.*\(....\)$/\1/p' "/proc/$1/status" 2>/dev/null)
    [ -n "$caught" ] && [ $((0x$caught & $2)) = $(($2)) ]
}

# start LOAD ARGS...: in the background, with the signals of a command at a prompt, until its load is there
start() {
    expected=$1
    shift
    env --default-signal=INT "$command" --load "$expected" "$@" >running.out 2>err </dev/null &
    running=$!
    children="$children $running"
    await "$expected processes of load" has_children "$running" "$expected"
    load=$(children_of "$running")
    children="$children $load"
}

# ended STATUS WHAT: and its load with it
ended() {
    wait "$running" 2>/dev/null
    equal "$2: exit status" $? "$1"
    # shellcheck disable=SC2086 # words
    await "$2: the load ends" are_gone $load
}

start 2 --method absolute,evenstep --seconds 2 --json -
ended 0 "at its own end"
gives 2 .wait.load running.out

# Ctrl-C, and a polite kill: a report of the run so far
for signal in INT:0x0002 TERM:0x4000; do
    what=${signal%:*}
    start 1 --method absolute,relative --rate 100 --seconds 600 --json - --samples stopped.csv
    await "$what: not caught" catches "$running" "${signal#*:}"
    sleep 0.5
    kill "-$what" "$running"
    ended 0 "$what"
    gives "[true,60000,$(($(wc -l <stopped.csv) - 1))]" '[.wait | .interrupted, .deadlines_planned, .deadlines]' running.out
    [ "$(json .wait.deadlines running.out)" -le 1 ] || follows running.out stopped.csv
    is_silent
done

# killed at once: no process is left to end the load
start 2 --method absolute --seconds 600
kill -KILL "$running"
ended 137 "killed"

# a load that is cut is no load: reported, and no success
start 1 --method absolute --seconds 2
kill -KILL "$load"
ended 1 "a cut load"
has "--load: a process of the load ended before the run did" err
finish
