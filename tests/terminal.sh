#!/bin/sh
# The demo in a real terminal (tmux): it draws, keys work, and however it ends the terminal is left
# as it was. Waits poll for what must come; nothing depends on speed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
fatal=yes
demo="$command demo --terminal"

# stands: the ticks stopped, at $tick; on a loaded machine a frame can take a second
stands() {
    before=$tick
    tick=$(screen | sed -n 's/.* tick  *\([0-9]*\), .*/\1/p')
    sleep 1.5
    [ -n "$tick" ] && [ "$tick" = "$before" ]
}

goes_on() {
    ! shows "paused"
}

# The demo starts with drawing: the alternate screen is on.
draws() {
    [ "$(pane '#{alternate_on}')" = 1 ] && shows '▀'
}

await_frame() {
    await "a frame" draws
}

# start LINE: a command for the shell that starts the demo, until a frame is drawn
start() {
    keys "clear; $1" Enter
    await_frame
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
sees "measured against"
clean end

start "$demo"
keys q
clean q
sees "measured against"

# keys: another loop and back, another policy, the split view and back, and the way out
start "$demo"
sees "auto  *policy drop"
sees "refresh  *.*\(searching\|presents\|known\)"
press l "low-latency  *policy drop"
press L "auto  *policy drop *"
press p "auto  *policy slow"
press v "decoupled  *animation error"
press V "auto  *policy slow"
# a delay
press d "delay 1"
keys d d d
sees "delay 0"
# two threads, from and to one: pause, steps, tick rate, what is shown, split
press L "threaded  *policy drop"
press Space "paused"
tick=
await "a pause stops the ticks" stands
press n " tick  *$((tick + 1)), "
press n " tick  *$((tick + 2)), "
keys Space
await "the pause ends" goes_on
press + "100 per second"
press w "blending  *hermite"
press w "blending  *catmull-rom"
press i "blending  *none"
press i "blending  *interpolate"
press v "threaded  *animation error"
press V "threaded  *policy drop"
press L "max-frameskip  *policy slow"
keys q
clean keys

start "$demo"
keys C-c
clean interrupt

start "$demo"
check "the shell has a demo" pkill -TERM -P "$(pane '#{pane_pid}')"
clean terminate

start "$demo" # Ctrl-Z does not stop it
keys C-z q
clean stop
finish
