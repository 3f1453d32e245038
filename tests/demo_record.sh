#!/bin/sh
# Runs of the demo are recorded and played again: every tick comes to the same hash, and, as
# scheduled, every frame to the same nanosecond. In virtual time.
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

# replays FILE ARGS...: as scheduled, the same frames
replays() {
    plays "$@"
    holds '.playing | .same_frames == .frames, .strays == 0'
}

# A minute with mouse, clicks, teleports, jobs, rates, pauses, single steps, speeds, tick rates,
# spikes, costs, other loops, policies, ways to show, split views and delays.
keys=1:t,2:t,3:j,4:j,$idle:j,9:g,10:space,11:n,11.5:n,12:space,14:s,16:s,18:s,20:s,22:+,24:+,26:-,28:k
keys=$keys,32:k,34:l,36:l,37:L,37.5:L,38:p,40:w,42:w,44:i,45:i,46:v,48:V,50:d,52:d,54:f,55:a,56:r
keys=$keys,57:u,58:c,59:g
demo 0 --seconds $seconds --keys "$keys" --record minute
holds ".recording | .ended_by == null, .ticks_lost == 0, .ticks > 20 * $seconds"
made=$(json '.recording | [.ticks, .frames]')
ticks=$(json .recording.ticks)
plays minute
gives "$ticks" .playing.compared
replays minute --schedule
gives "$made" '.playing | [.compared, .frames]'
checks=$((checks + 1))
"$build/tests/demo_check" minute >checked || fail "demo_check: $(cat checked)"

replay 0 "minute: $ticks ticks run again, every hash equal" minute --verify
replay 0 '"compared": '"$ticks," minute --verify --json
replay 0 "minute: tick 250, 250 ticks after a snapshot" minute --seek 250
replay 0 '"took_ms": ' minute --seek 250 --json
replay 1 "tick 999999 is not in it" minute --seek 999999

# turns, and what is recorded without frames
demo 0 --seconds 6 --alternate low-latency --every 2 --record turns
replays turns --schedule
demo 0 --seconds 0.1 --loop variable --record-frames off --record plain
holds '.recording.frames == 0'
plays plain
demo 2 --play plain --schedule
has "plain: no frames were recorded" err

# speeds: the world's, which is recorded, and that of playing it
demo 0 --seconds 3 --speed 0.5 --record half
replays half --schedule --speed 4

# a pause at the end: there are frames, but no ticks
demo 0 --seconds 2 --keys 1:space --record pause
frames=$(json .recording.frames)
replays pause --schedule
gives "$frames" .playing.frames

# seeking, stopping, another speed: still the same states
plays minute --keys '2:],3:],4:[,5:[,6:],7:]' --speed 2
demo 0 --play minute --until 300
gives '300 300' '.playing | .tick, .compared'
demo 0 --play minute --seconds 1 --keys '0.1:space,0.2:n,0.3:n,0.5:n'
holds '.playing.tick < 20'
finish
