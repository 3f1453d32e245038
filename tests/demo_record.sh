#!/bin/sh
# Runs of the demo are recorded and played again: every tick comes to the same hash. In virtual time.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
cd "$scratch" || exit 1
seconds=60
idle=8 # when the job is switched off
case $build in # sanitizers look for other faults than a wrong minute
*asan*) seconds=12 idle=5.2 ;;
*tsan*) seconds=8 idle=4.2 ;;
esac

# A minute with mouse, clicks, jobs, pauses, single steps, speeds, tick rates, costs, other loops, policies, ways
# to show, split views and delays.
keys=3:j,4:j,$idle:j,10:space,11:n,11.5:n,12:space,14:s,16:s,18:s,20:s,22:+,24:+,26:-,34:l,36:l,37:L,37.5:L
keys=$keys,38:p,40:w,42:w,44:i,45:i,46:v,48:V,50:d,52:d,54:f,55:a,56:r,57:u,58:c
demo 0 --seconds $seconds --keys "$keys" --record minute
holds ".recording | .ended_by == null, .ticks > 20 * $seconds, .frames > 20 * $seconds, .bytes == $(wc -c <minute)"
ticks=$(json .recording.ticks)
plays minute
gives "$ticks" .playing.compared
gives "$ticks $ticks" '.playing | .ran, .last_tick'
checks=$((checks + 1))
"$build/tests/demo_check" minute >checked || fail "demo_check: $(cat checked)"

replay 0 "minute: $ticks ticks run again, every hash equal" minute --verify
replay 0 '"compared": '"$ticks," minute --verify --json
replay 0 "minute: tick 250, 250 ticks after a snapshot" minute --seek 250
replay 0 '"took_ms": ' minute --seek 250 --json
replay 1 "tick 999999 is not in it" minute --seek 999999

# speeds of the world, and a pause at the end: frames come again without ticks
demo 0 --seconds 3 --keys 0.5:s --record half
plays half
demo 0 --seconds 2 --keys 1:space --record pause
holds '.recording | .frames > 1.5 * .ticks'
plays pause

# seeking, another loop, other ways to show: still the same states
plays minute --keys '2:],3:],4:[,5:[,6:],7:]' --loop variable
plays half --keys '0.2:],0.4:],0.6:]' # forward: no tick runs again
holds '.playing | .ran == .last_tick'
plays half --show catmull-rom --delay 2 --tick-rate 25
demo 0 --play minute --seconds 1 --keys '0.1:space,0.2:n,0.3:n,0.5:n'
holds '.playing.tick < 20'
finish
