#!/bin/sh
# A recording of the demo, played in a real terminal (tmux): what the panel says of it, and keys that
# pause, step and leap. Waits poll for what must come; nothing depends on speed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
fatal=yes
run=$scratch/run

# at_start: another leap back, as it played on while this looked at the screen
at_start() {
    shows " tick  *0, " || { keys "[" && sleep 0.2 && false; }
}

demo 0 --seconds 10 --job sliced --keys 1:u --record "$run"
last=$(sed -n 's/^ *recording  *\([0-9]*\) ticks.*/\1/p' "$scratch/out")
start_terminal 120 40

keys "$command demo --terminal --play $run" Enter
sees "playing  *tick [0-9]* of $last, hashes equal"
sees "load  *job sliced"
press Space "paused"
await "it leaps back to the start" at_start
press "]" "playing  *tick 60 of $last"
press n "playing  *tick 61 of $last"
press s "speed 0.5, paused"
keys p l + # recorded settings: their keys do nothing
press Space "60 per second, speed 0.5 "
sees "auto  *policy drop"
press q "of $last, hashes equal"
sees "measured against"
finish
