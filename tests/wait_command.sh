#!/bin/sh
# `bench_wait_methods`. It waits for real, so nothing here asks how late or how dear a wait was: only what
# holds on any machine under any load. Who waits when follows from the seed; the figures follow from
# the samples; nobody who looks at the clock returns early; the load ends, however the command does.
program=bench_wait_methods
. tests/command_support.sh
running=
outliving=
cleanup() {
    # shellcheck disable=SC2086 # words
    kill -KILL $running $outliving 2>/dev/null
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# value KEY FILE: of the first object that has it, each key being on a line of its own
value() {
    sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2" | head -n 1
}

# figures FILE: a line per method: its name, and KEY=VALUE of all that follows
figures() {
    awk '/"method":/ { on = 1 } on && /^ *}/ { print line; line = ""; on = 0 }
        on { gsub(/[ ",]/, ""); sub(/:/, "="); line = line $0 " " }' "$1"
}

# figure METHOD KEY FILE
figure() {
    figures "$3" | grep "^method=$1 " | tr ' ' '\n' | sed -n "s/^$2=//p"
}

# expect WHAT GOT EXPECTED
expect() {
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}

# --- every method in a second ---------------------------------------------------------------------

methods="evenstep absolute absolute-1ns relative spin margin-60us margin-200us sdl3 spin-sleep \
    spin-sleep-hint raylib mangohud"
count=12

run "$scratch/table" --rate 60 --seconds 1 --seed 7 --json "$scratch/all.json" \
    --svg "$scratch/all.svg" --samples "$scratch/all.csv"
parses "$scratch/all.json"
well_formed "$scratch/all.svg"
has "60 Hz, 1 s: 60 deadlines in turn; no load; 0 ms of work between waits; seed 7" "$scratch/table"
has "x sdl3" "$scratch/table"
checks=$((checks + 1))
awk 'length > 100' "$scratch/table" | grep -v '^Linux ' | grep . >/dev/null &&
    fail "a table over 100 columns"
for key in evenstep rate_hz period_ns seconds seconds_run interrupted deadlines_planned deadlines load \
    work_ns seed real_time reference clock machine system release architecture processor cores \
    timer_slack_ns methods method title source n early missed_start p50_ns p90_ns p99_ns max_ns \
    earliest_ns wait_ns cpu_ns cpu_percent missing; do
    has "\"$key\":" "$scratch/all.json"
done
expect "the version" "evenstep $(value evenstep "$scratch/all.json")" "$("$BUILD_DIR/evenstep" --version)"
expect "the period" "$(value period_ns "$scratch/all.json")" 16666666
expect "deadlines" "$(value deadlines "$scratch/all.json")" 60
expect "interrupted" "$(value interrupted "$scratch/all.json")" false
expect "methods in JSON" "$(figures "$scratch/all.json" | wc -l)" "$count"
for method in $methods; do
    n=$(figure "$method" n "$scratch/all.json")
    missed=$(figure "$method" missed_start "$scratch/all.json")
    expect "$method: turns" "$((n + missed))" 5
    has ">$method<" "$scratch/all.svg"
    checks=$((checks + 1))
    grep -q "^$method  *$n  *$(figure "$method" early "$scratch/all.json")  *$missed " \
        "$scratch/table" || fail "$method: the table differs from the JSON"
done
# these return by the clock; relative sleeps by its own reading, mangohud by its last lateness
for method in evenstep absolute absolute-1ns spin margin-60us margin-200us sdl3 spin-sleep \
    spin-sleep-hint raylib; do
    expect "$method: early" "$(figure "$method" early "$scratch/all.json")" 0
done

# --- the figures, worked out again from the samples -----------------------------------------------

expect "the head of the samples" "$(head -n 1 "$scratch/all.csv")" \
    "deadline,method,missed_start,late_ns,wait_ns,cpu_ns"
expect "samples" "$(($(wc -l <"$scratch/all.csv") - 1))" 60

# from_samples CSV METHOD: its figures by nearest rank, as the JSON has them. mawk's %d ends at 2^31
from_samples() {
    awk -F, -v method="$2" '$2 == method && $3 == 0 {
        printf "%.0f %.0f %.0f %.0f\n", $4 < 0 ? -$4 : $4, $4, $5, $6 }' "$1" | sort -n |
        awk -v missed="$(awk -F, -v m="$2" '$2 == m && $3 == 1' "$1" | wc -l)" '
        function rank(percent,    r) {
            r = int((n * percent + 99) / 100)
            return size[r]
        }
        { size[++n] = $1; early += $2 < 0; wait += $3; cpu += $4; earliest = -$2 > earliest ? -$2 : earliest }
        END {
            printf "n=%d early=%d missed_start=%d p50_ns=%.0f p90_ns=%.0f p99_ns=%.0f max_ns=%.0f ", n,
                early, missed, rank(50), rank(90), rank(99), rank(100)
            printf "earliest_ns=%.0f wait_ns=%.0f cpu_ns=%.0f\n", earliest, wait, cpu
        }'
}

# follows JSON CSV METHOD
follows() {
    got=$(figures "$1" | grep "^method=$3 " | grep -o 'n=[0-9]* early=.* cpu_ns=[0-9]*')
    expect "$3: figures" "$got" "$(from_samples "$2" "$3")"
}

for method in $methods; do
    follows "$scratch/all.json" "$scratch/all.csv" "$method"
done
run "$scratch/out" --method mangohud,spin --rate 1000 --seconds 0.5 --json "$scratch/many.json" \
    --samples "$scratch/many.csv"
for method in mangohud spin; do
    follows "$scratch/many.json" "$scratch/many.csv" $method
done
expect "no sdl3, no ratio" "$(value reference "$scratch/many.json")" null
checks=$((checks + 1))
grep -q _ratio "$scratch/many.json" && fail "ratios without a reference"

# --- whose turn it is -----------------------------------------------------------------------------

turns() {
    tail -n +2 "$1" | cut -d, -f2
}

# every round has each method once
checks=$((checks + 1))
turns "$scratch/all.csv" | awk -v count=$count '
    (NR - 1) % count == 0 { delete seen }
    { if ($1 in seen) exit 1; seen[$1] = 1 }' || fail "a round has a method twice"
# and is in another order than the one before: by chance the same once in 12! times
checks=$((checks + 1))
[ "$(turns "$scratch/all.csv" | head -n $count)" = \
    "$(turns "$scratch/all.csv" | tail -n +$((count + 1)) | head -n $count)" ] &&
    fail "two rounds in the same order"

# Over 500 rounds of three each method stands about as often in each place, and where it stood in the
# round before says nothing about it: 167 of 500, within five standard deviations. That follows from
# the seed alone.
run "$scratch/turns" --method absolute,relative,mangohud --rate 1000 --seconds 1.5 --samples -
checks=$((checks + 1))
turns "$scratch/turns" | awk '{
        place = (NR - 1) % 3
        seen[place " " $1] += 1
        if (NR > 3) seen["after " before[$1] " " place] += 1
        before[$1] = place
    }
    END {
        for (i in seen) { kinds += 1; if (seen[i] < 115 || seen[i] > 219) exit 1 }
        exit NR != 1500 || kinds != 18
    }' || fail "methods favour places: $(head -n 3 "$scratch/turns")"
run "$scratch/again" --method absolute,relative,mangohud --rate 1000 --seconds 0.1 --samples -
run "$scratch/other" --method absolute,relative,mangohud --rate 1000 --seconds 0.1 --seed 2 --samples -
expect "the same seed" "$(turns "$scratch/again")" "$(turns "$scratch/turns" | head -n 100)"
checks=$((checks + 1))
[ "$(turns "$scratch/again")" = "$(turns "$scratch/other")" ] && fail "another seed, the same order"

# --- what else it takes ---------------------------------------------------------------------------

run "$scratch/list" --list
run "$scratch/help" --help
has "--real-time" "$scratch/help"
for method in $methods; do
    has "  $method " "$scratch/list"
done
for source in SDL_DelayPrecise "spin_sleep, src/lib.rs" "raylib, src/rcore.c" \
    "MangoHud, src/fps_limiter.h"; do
    has "$source" "$scratch/list"
done
for try in 1 2 3 4 5 6 7 8 9 10; do # a machine that stands still for 0.1 s has nothing to compare
    run "$scratch/rate.json" --method spin --method spin,absolute --rate 60000/1001 --seconds 0.1 \
        --reference absolute --json
    [ "$(figure absolute n "$scratch/rate.json")" -gt 0 ] && break
    echo "wait_command: no wait in time, try $try" >&2
done
parses "$scratch/rate.json"
expect "an exact rate" "$(value rate_hz "$scratch/rate.json")" 60000/1001
expect "its deadlines in 0.1 s" "$(value deadlines "$scratch/rate.json")" 6
expect "a method named twice runs once" "$(figures "$scratch/rate.json" | wc -l)" 2
expect "the reference" "$(value reference "$scratch/rate.json")" absolute
has '"p90_ratio": 1.0' "$scratch/rate.json"
run "$scratch/svg" --method all --rate 100 --seconds 0.1 --svg -
well_formed "$scratch/svg"
run "$scratch/few.json" --rate 1 --seconds 0.1 --json - # one deadline for twelve methods
expect "no wait is null, not 0" "$(grep -c '"p50_ns": null' "$scratch/few.json")" 11
expect "nor has it ratios" "$(grep -c '"cpu_ratio": null' "$scratch/few.json")" 12

# Work that ends 1 ns before the next deadline: a wait that was measured is followed by one that
# could not begin.
run "$scratch/missed.json" --method spin --rate 1000 --seconds 0.1 --work 999999ns --json
n=$(figure spin n "$scratch/missed.json")
missed=$(figure spin missed_start "$scratch/missed.json")
expect "turns" "$((n + missed))" 100
checks=$((checks + 1))
if [ "$n" -lt 1 ] || [ "$n" -gt $((missed + 1)) ]; then
    fail "a late start is not told apart: n $n, missed $missed"
fi

# real time is the system's to give: either it is so, or one line says that it is not
checks=$((checks + 1))
"$command" --method absolute --rate 100 --seconds 0.1 --real-time --json - \
    >"$scratch/real.json" 2>"$scratch/err" </dev/null || fail "--real-time: exit status $?"
case $(value real_time "$scratch/real.json") in
granted) [ -s "$scratch/err" ] && fail "--real-time granted, and: $(cat "$scratch/err")" ;;
refused) has "--real-time: refused; measured without it" "$scratch/err" ;;
*) fail "--real-time: neither granted nor refused" ;;
esac

# --- errors ---------------------------------------------------------------------------------------

expect_error 2 "--method: expected methods out of: all, evenstep, absolute, absolute-1ns, relative, \
spin, margin-60us, margin-200us, sdl3, spin-sleep, spin-sleep-hint, raylib, mangohud, got 'magic'" \
    --method magic
expect_error 2 "--method: expected methods" --method spin,,sdl3
expect_error 2 "--rate: expected a rate from 1 to 1000" --rate 0
expect_error 2 "--rate: expected a rate from 1 to 1000" --rate 0.5
expect_error 2 "--rate: expected a rate from 1 to 1000" --rate 1001
expect_error 2 "--rate: expected a rate from 1 to 1000" --rate fast
expect_error 2 "--seconds: expected seconds, 0.1 to 3600, got '0'" --seconds 0
expect_error 2 "--seconds: expected seconds, 0.1 to 3600" --seconds 2h
expect_error 2 "--seconds: expected seconds, 0.1 to 3600" --seconds 3601
expect_error 2 "--load: expected a number of processes, 0 to 64" --load 65
expect_error 2 "--load: expected a number of processes, 0 to 64" --load -1
expect_error 2 "--work: expected a duration" --work 3
expect_error 2 "--work must be shorter than a period" --work 17ms --rate 60
expect_error 2 "--seed: expected a number" --seed x
expect_error 2 "--reference: expected evenstep, absolute" --reference magic
expect_error 2 "--reference sdl3 does not run" --method spin --reference sdl3
expect_error 2 "--json - and --svg - cannot both be stdout" --json - --svg -
expect_error 2 "--json - and --samples - cannot both be stdout" --samples - --json
expect_error 2 "unexpected argument" 144
for option in json svg samples; do # before the run: an hour of it must not be lost
    expect_error 1 "cannot write '$scratch/none/such'" --seconds 3600 --$option "$scratch/none/such"
done

# --- the load, and every way to end ---------------------------------------------------------------

# await WHAT COMMAND...: until it succeeds, a minute at least before it fails
await() {
    what=$1
    shift
    tries=0
    checks=$((checks + 1))
    until "$@"; do
        tries=$((tries + 1))
        if [ "$tries" -ge 600 ]; then
            fail "$what"
            return 1
        fi
        sleep 0.1
    done
}

children() {
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)/name/' | awk -v parent="$1" '$4 == parent { print $1 }'
}

has_children() {
    [ "$(children "$1" | wc -l)" = "$2" ]
}

# are_gone PID...: none of these processes is there, nor a zombie
are_gone() {
    outliving=
    for pid; do
        [ -e "/proc/$pid" ] && outliving="$outliving $pid"
    done
    [ -z "$outliving" ]
}

# catches PID MASK: it has handlers for these signals
catches() {
    caught=$(sed -n 's/^SigCgt:.*\(....\)$/\1/p' "/proc/$1/status" 2>/dev/null)
    [ -n "$caught" ] && [ $((0x$caught & $2)) = $(($2)) ]
}

# start OUT ARGS...: in the background, with the signals of a command at a prompt
start() {
    out=$1
    shift
    env --default-signal=INT "$command" "$@" >"$out" 2>"$scratch/err" </dev/null &
    running=$!
}

# ended STATUS WHAT
ended() {
    wait "$running" 2>/dev/null
    expect "$2: exit status" "$?" "$1"
    running=
}

if [ ! -r /proc/self/status ] || ! env --default-signal=INT true 2>/dev/null; then
    echo "wait_command: no /proc or no env --default-signal: signals and load were not tested"
else
    # at its own end
    start "$scratch/load.json" --method absolute,evenstep --load 2 --seconds 6 --json -
    load_of=$running
    await "no two processes of load" has_children "$load_of" 2
    load=$(children "$load_of")
    ended 0 "--load 2"
    # shellcheck disable=SC2086 # words
    await "the load outlives the run" are_gone $load
    expect "--load in JSON" "$(value load "$scratch/load.json")" 2

    # Ctrl-C, and a polite kill: a report of what there was
    for signal in INT:0x0002 TERM:0x4000; do
        start "$scratch/stopped.json" --method absolute,relative --load 1 --rate 100 --seconds 600 \
            --json - --samples "$scratch/stopped.csv"
        stopped=$running
        await "${signal%:*}: not caught" catches "$stopped" "${signal#*:}"
        await "${signal%:*}: no process of load" has_children "$stopped" 1
        sleep 0.5
        load=$(children "$stopped")
        kill "-${signal%:*}" "$stopped"
        ended 0 "${signal%:*}"
        parses "$scratch/stopped.json"
        expect "${signal%:*}: interrupted" "$(value interrupted "$scratch/stopped.json")" true
        n=$(value deadlines "$scratch/stopped.json")
        expect "${signal%:*}: samples" "$(($(wc -l <"$scratch/stopped.csv") - 1))" "$n"
        expect "${signal%:*}: planned" "$(value deadlines_planned "$scratch/stopped.json")" 60000
        for method in absolute relative; do
            [ "$n" -gt 1 ] && follows "$scratch/stopped.json" "$scratch/stopped.csv" $method
        done
        # shellcheck disable=SC2086
        await "${signal%:*}: the load outlives the run" are_gone $load
        [ -s "$scratch/err" ] && fail "${signal%:*}: wrote to stderr: $(cat "$scratch/err")"
    done

    # killed at once: nobody is left to end the load
    start "$scratch/killed" --method absolute --load 2 --seconds 600
    await "no two processes of load" has_children "$running" 2
    load=$(children "$running")
    kill -KILL "$running"
    ended 137 "killed"
    # shellcheck disable=SC2086
    await "the load outlives a kill" are_gone $load

    # a load that is cut is no load: said, and no success
    start "$scratch/cut" --method absolute --load 1 --seconds 6
    await "no process of load" has_children "$running" 1
    # shellcheck disable=SC2046
    kill -KILL $(children "$running")
    ended 1 "a cut load"
    has "--load: a process of the load ended before the run did" "$scratch/err"
fi

echo "wait_command: $checks checks, $failures failed"
[ "$failures" = 0 ]
