#!/bin/sh
# Runs of the demo are recorded and played again: every tick comes to the same hash. On a virtual
# clock.
set -u
# shellcheck source=tests/demo_record_support.sh
. "$(dirname "$0")/demo_record_support.sh"
seconds=60
idle=8 # when the job is switched off
case $BUILD_DIR in # sanitizers look for other faults than a wrong minute
*asan*) seconds=12 idle=5.2 ;;
*tsan*) seconds=8 idle=4.2 ;;
esac

# A minute with mouse, clicks, jobs, pauses, single steps, speeds, tick rates, costs, other loops,
# policies, ways to show, split views and delays.
keys=3:j,4:j,$idle:j,10:space,11:n,11.5:n,12:space,14:s,16:s,18:s,20:s,22:+,24:+,26:-
keys=$keys,34:l,36:l,37:L,37.5:L,38:p,40:w,42:w,44:i,45:i,46:v,48:V,50:d,52:d,54:f,55:a,56:r
keys=$keys,57:u,58:c
demo 0 --virtual --seconds $seconds --keys "$keys" --record minute
ticks=$(number recording ticks)
is recording ended_by null
checks=$((checks + 1))
[ "$ticks" -gt $((20 * seconds)) ] || fail "$what: $ticks ticks"
plays minute
is playing compared "$ticks"
checks=$((checks + 1))
"$check" minute > checked || fail "demo_check: $(cat checked)"

replay 0 "minute: $ticks ticks run again, every hash equal" minute --verify
replay 0 '"compared": '"$ticks," minute --verify --json
replay 0 "minute: tick 250, 250 ticks after a snapshot" minute --seek 250
replay 0 '"took_ms": ' minute --seek 250 --json
replay 1 "tick 999999 is not in it" minute --seek 999999

# speeds of the world, and a pause at the end
demo 0 --virtual --seconds 3 --keys 0.5:s --record half
plays half
demo 0 --virtual --seconds 2 --keys 1:space --record pause
plays pause

# seeking, stepping, another loop: still the same states
plays minute --keys '2:],3:],4:[,5:[,6:],7:]' --loop variable
demo 0 --virtual --play minute --seconds 1 --keys '0.1:space,0.2:n,0.3:n,0.5:n'
checks=$((checks + 1))
[ "$(number playing tick)" -lt 20 ] || fail "$what: it did not stand"

done_checking demo_record
