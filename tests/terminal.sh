#!/bin/sh
# The demo in a real terminal (tmux): it draws, keys work, and however it ends the terminal is left
# as it was. Waits poll for what must come; nothing depends on speed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
fatal=yes
demo="$command demo --terminal"

# stands: the ticks stopped, at $tick
stands() {
    before=$tick
    tick=$(screen | sed -n 's/.*step tick \([0-9]*\).*/\1/p')
    sleep 0.5
    [ -n "$tick" ] && [ "$tick" = "$before" ]
}

# The demo starts with drawing: the alternate screen is on.
draws() {
    [ "$(pane '#{alternate_on}')" = 1 ] && shows '▀'
}

await_picture() {
    await "a picture" draws
}

# start LINE: a command for the shell that starts the demo, until there is a picture
start() {
    keys "clear; $1" Enter
    await_picture
}

has_ended() {
    [ "$(pane '#{pane_current_command}')" = sh ]
}

# clean WHAT: the shell is back, with its own screen, a cursor and echo
clean() {
    await "$1: the demo ends" has_ended
    keys "echo back-\$((40 + 2))-$1" Enter
    sees "^back-42-$1"
    equal "$1: alternate screen, cursor, mouse reports" \
        "$(pane '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" "0 1 0"
    check "$1: the terminal echoes" shows "echo back-"
}

start_terminal 110 36
keys "$demo --seconds 1" Enter
sees "latest wake-up"
clean end

start "$demo"
keys q
clean q
sees "latest wake-up"

# keys: another loop and back, another policy, the split view and back, and the way out
start "$demo"
sees "auto: pace auto, policy drop"
sees "display  *\(trying\|no grid: adaptive\|locked\|varies\)"
press a "auto: pace auto, policy drop, latency low"
keys a
press l "low-latency: pace auto, policy drop, latency"
press L "auto: pace auto, policy drop;"
press p "auto: pace auto, policy slow"
press v "below decoupled without blending"
press V "auto: pace auto, policy slow"
# a click, in the picture at its time; a job, rates, a delay
clicks() {
    keys f
    sleep 0.2
    shows 'input to picture  *[0-9]'
}
await "a click is measured" clicks
keys j g
sees "job once"
sees "rates on"
sees "alphas  *120: "
press j "job sliced"
keys j g d
sees "delay 1"
sees "job off"
keys d d d
sees "delay 0"
# two threads, from and to one: pause, steps, tick rate, what is shown, split, teleport
press L "threaded-locked: pace auto, policy drop; shows interpolate, lead 1"
press L "threaded: pace auto, policy drop; shows interpolate, lead 1"
press Space "pause on"
tick=
await "a pause stops the ticks" stands
press n "step tick $((tick + 1)) "
press n "step tick $((tick + 2)) "
press Space "pause off"
press + "tick rate 100 /s"
keys w w
sees "threaded: pace auto, policy drop; shows catmull-rom, lead 2"
press i "shows none, lead 1"
keys i v
sees "above threaded"
keys V t t t
sees "teleport off"
keys p a
sees "threaded: pace auto, policy drop, latency low"
press L "max-frameskip: pace uncapped, policy slow"
keys q
clean keys

start "$demo"
keys C-c
clean interrupt

start "$demo"
check "the shell has a demo" pkill -TERM -P "$(pane '#{pane_pid}')"
clean terminate

start "$demo"
keys C-z
clean stop
keys "fg" Enter
await_picture
keys q
clean continue
finish
