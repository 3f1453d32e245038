#!/bin/sh
# The demo in a real terminal (tmux): it draws, keys work, and however it ends the terminal is left
# as it was. Waits poll for what must come; nothing depends on speed.
set -u
command=${BUILD_DIR:?}/evenstep
if ! command -v tmux >/dev/null; then
    echo "terminal: skipped: no tmux"
    exit 77
fi
scratch=$(mktemp -d)
unset DISPLAY WAYLAND_DISPLAY TMUX
export LC_ALL=C.UTF-8 TERM=xterm-256color
mux() {
    tmux -f /dev/null -S "$scratch/socket" "$@"
}
cleanup() {
    mux kill-server 2>/dev/null
    rm -rf "$scratch"
}
trap cleanup EXIT

screen() {
    mux capture-pane -p -t demo
}

fail() {
    echo "FAILED: $1" >&2
    screen >&2
    exit 1
}

# until_true WHAT COMMAND...: until the command succeeds, a minute at least before it fails
until_true() {
    what=$1
    shift
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || fail "$what"
        sleep 0.1
    done
}

shows() {
    screen | grep -q -- "$1"
}

# await TEXT: until the screen shows it
await() {
    until_true "never saw '$1'" shows "$1"
}

# pane FORMAT: what tmux knows of it
pane() {
    mux display-message -p -t demo "$1"
}

# keys KEY...: pressed one after the other
keys() {
    mux send-keys -t demo "$@"
}

# press KEY TEXT: until the screen answers with the text
press() {
    keys "$1"
    await "$2"
}

# stands: the ticks stopped, at $tick
stands() {
    before=$tick
    tick=$(screen | sed -n 's/.* tick  *\([0-9]*\), .*/\1/p')
    sleep 0.5
    [ -n "$tick" ] && [ "$tick" = "$before" ]
}

awakes() {
    ! shows "paused"
}

# The demo starts with drawing: the alternate screen is on.
draws() {
    [ "$(pane '#{alternate_on}')" = 1 ] && shows '▀'
}

await_frame() {
    until_true "no frame" draws
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
    until_true "$1: the demo does not end" has_ended
    keys "echo back-\$((40 + 2))-$1" Enter
    await "^back-42-$1"
    [ "$(pane '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = "0 1 0" ] ||
        fail "$1: alternate screen, hidden cursor or mouse reports are left behind"
    shows "echo back-" || fail "$1: the terminal does not echo"
}

mux new-session -d -s demo -x 110 -y 36 "env PS1='$ ' sh" || exit 77
await '\$'
demo="$command demo --terminal"

keys "$demo --seconds 1" Enter
await "measured against"
clean end

start "$demo"
keys q
clean q
await "measured against"

# keys: another loop and back, another policy, the split view and back, and the way out
start "$demo"
await "auto  *policy drop"
await "refresh  *.*\(searching\|none found\|locked\|varies\)"
press a "auto  *policy drop, low latency"
keys a
press l "low-latency  *policy drop, low latency"
press L "auto  *policy drop *"
press p "auto  *policy slow"
press v "decoupled  *animation error"
press V "auto  *policy slow"
# a click, in the frame at its time; a job, a delay
tries=0
until shows 'input age  *mean [0-9]'; do
    keys f
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || fail "no click is measured"
    sleep 0.2
done
press j "load  *job once"
press j "load  *job sliced"
press j "load  *none"
press d "delay 1"
keys d d d
await "delay 0"
# two threads, from and to one: pause, steps, tick rate, what is shown, split
press L "threaded-locked  *policy drop"
press L "threaded  *policy drop"
press Space "paused"
tick=
until_true "a pause does not stop the ticks" stands
press n " tick  *$((tick + 1)), "
press n " tick  *$((tick + 2)), "
keys Space
until_true "it stays paused" awakes
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
pkill -TERM -P "$(pane '#{pane_pid}')" || fail "the shell has no demo"
clean terminate

start "$demo" # Ctrl-Z is no way out
keys C-z q
clean stop
echo "terminal: passed"
