#!/bin/sh
# `bench_wait_methods`. It waits for real, so here is only what holds on any machine under any load: every method
# runs; methods that read the clock never return early; the neighbours end, however the command does.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
command=$build/bench_wait_methods
cd "$scratch" || exit 1

methods="evenstep absolute absolute-1ns spin margin-200us sdl3 spin-sleep raylib mangohud"

run table --rate 100 --seconds 0.2 --blocks 2
has "100 Hz; 0 spinning and 0 copying processes, one session; medians of 2 blocks of 0.2 s" table
is_narrow table
for method in $methods; do
    check "$method: a row" awk -v name="$method" '$1 == name && NF == 8 { found = 1 } END { exit !found }' table
done
# mangohud sleeps by its last lateness; the others return by the clock
check "early waits" awk '$1 != "mangohud" && NF == 8 && $6 ~ /^[0-9.]+$/ && $6 > 0 {
        print; exit 1 }' table
check "figures" awk 'NF == 8 && $2 ~ /^[0-9.]+$/ && ($2 > $3 || $3 > $4 || $4 > $5 || $7 > 100 || $8 > 110) {
        print; exit 1 }' table

expect_error 2 "--method: unknown name in 'magic'; known methods: $(echo "$methods" | sed 's/  */, /g')" --method magic
errors <<'TABLE'
--method spin,,sdl3 | 2 | --method: unknown name in 'spin,,sdl3'; known methods
--rate 1001 | 2 | --rate: expected a rate from 1 to 1000
--seconds 0 | 2 | --seconds: expected seconds, 0.1 to 3600, got '0'
--blocks 0 | 2 | --blocks: expected a number from 1 to 100
--load 65 | 2 | --load: expected a number of processes, 0 to 64
--copies -1 | 2 | --copies: expected a number of processes, 0 to 64
144 | 2 | unexpected argument
TABLE

# --- the neighbours, which end with the command, however that does ---------------------------------

[ -r /proc/self/status ] || finish "no /proc: neighbours were not tested"

children_of() { # with their sessions
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)/name/' | awk -v parent="$1" '$4 == parent { print $1, $6 }'
}
has_children() { [ "$(children_of "$1" | wc -l)" = 4 ]; }
are_gone() { # PID...
    for pid; do [ ! -e "/proc/$pid" ] || return 1; done
}
while read -r wanted sessions arguments; do
    # shellcheck disable=SC2086 # words
    "$command" --method absolute $arguments >out 2>err </dev/null &
    running=$!
    children="$children $running"
    await "neighbours and a block" has_children "$running"
    children_of "$running" >processes
    load=$(cut -d ' ' -f 1 processes)
    children="$children $load"
    equal "$arguments: sessions" "$(cut -d ' ' -f 2 processes | sort -u | wc -l)" "$sessions"
    [ "$wanted" = 0 ] || kill -KILL "$running"
    wait "$running" 2>/dev/null
    equal "$arguments: exit status" $? "$wanted"
    # shellcheck disable=SC2086 # words
    await "$arguments: the neighbours end" are_gone $load
done <<'RUNS'
0 1 --load 2 --copies 1 --seconds 5 --blocks 1
137 4 --load 2 --copies 1 --seconds 600 --own-sessions
RUNS
finish
