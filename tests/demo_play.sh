#!/bin/sh
# A recording of the demo, played in a real terminal (tmux): what the overlay says of it, and keys
# that pause, step and leap. Waits poll for what must come; nothing depends on speed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
fatal=yes
run=$scratch/run

tick() {
    screen | sed -n 's/.*playing tick  *\([0-9]*\) of .*/\1/p'
}
# at_start: another leap back, as it played on while this looked at the screen
at_start() {
    shows "playing tick  *0 of $last" || { keys "[" && sleep 0.2 && false; }
}

demo 0 --seconds 10 --job sliced --keys 1:t,2:k --record "$run"
last=$(sed -n 's/^ *recording .*: \([0-9]*\) ticks.*/\1/p' "$scratch/out")
start_terminal 120 40

# in frames of this machine
keys "$command demo --terminal --play $run" Enter
sees "playing tick  *[0-9]* of $last"
sees "teleport marked"
sees "hashes  *equal so far"
press Space "pause on"
await "it leaps back to the start" at_start
press "]" "playing tick  *60 of $last"
press n "playing tick  *61 of $last"
press t "last key was recorded"
press s "speed 0.5"
press Space "pause off"
press q "of $last, [0-9]* compared, every hash equal"

# up to a tick, where it stands
keys "clear; $command demo --terminal --play $run --until 30" Enter
sees "pause the end"
sees "playing tick  *30 of $last"
press q "up to tick 30 of $last, 30 compared, every hash equal"

# as scheduled: frames
keys "clear; $command demo --terminal --play $run --schedule" Enter
sees "playing as scheduled"
press Space "pause on"
before=$(tick)
keys n n n
sees "same frames"
check "it did not go back" [ "$(tick)" -ge "${before:-0}" ]
press "[" "last key not with --schedule"
press q "0 steps and readings were others"
finish
