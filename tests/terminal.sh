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

# await TEXT: until the screen shows it, 20 s at most
await() {
    tries=0
    until screen | grep -q -- "$1"; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || fail "never saw '$1'"
        sleep 0.1
    done
}

# The demo starts with drawing: the alternate screen is on.
await_picture() {
    tries=0
    until [ "$(mux display-message -p -t demo '#{alternate_on}')" = 1 ] && screen | grep -q '▀'; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || fail "no picture"
        sleep 0.1
    done
}

# clean WHAT: the shell is back, with its own screen, a cursor and echo
clean() {
    tries=0
    until [ "$(mux display-message -p -t demo '#{pane_current_command}')" = sh ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || fail "$1: the demo does not end"
        sleep 0.1
    done
    mux send-keys -t demo "echo back-\$((40 + 2))-$1" Enter
    await "^back-42-$1"
    [ "$(mux display-message -p -t demo '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = "0 1 0" ] ||
        fail "$1: alternate screen, hidden cursor or mouse reports are left behind"
    screen | grep -q "echo back-" || fail "$1: the terminal does not echo"
}

mux new-session -d -s demo -x 110 -y 36 "env PS1='$ ' sh" || exit 77
await '\$'
start="$command demo --terminal"

mux send-keys -t demo "$start --seconds 1" Enter
await "latest wake-up"
clean end

mux send-keys -t demo "clear; $start" Enter
await_picture
mux send-keys -t demo q
clean q
await "latest wake-up"

# keys: another loop and back, another policy, the split view and back, and the way out
mux send-keys -t demo "clear; $start" Enter
await_picture
await "auto: pace auto, policy drop"
await "display  *\(trying\|no grid: adaptive\|locked\|varies\)"
mux send-keys -t demo a
await "auto: pace auto, policy drop, latency low"
mux send-keys -t demo a
mux send-keys -t demo l
await "low-latency: pace auto, policy drop, latency"
mux send-keys -t demo L
await "auto: pace auto, policy drop;"
mux send-keys -t demo p
await "auto: pace auto, policy slow"
mux send-keys -t demo v
await "below decoupled without blending"
mux send-keys -t demo V
await "auto: pace auto, policy slow"
# a click, in the picture at its time; a job, rates, a delay
tries=0
until screen | grep -q 'input to picture  *[0-9]'; do
    mux send-keys -t demo f
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || fail "no click is measured"
    sleep 0.2
done
mux send-keys -t demo j g
await "job once"
await "rates on"
await "alphas  *120: "
mux send-keys -t demo j
await "job sliced"
mux send-keys -t demo j g d
await "delay 1"
await "job off"
mux send-keys -t demo d d d
await "delay 0"
# two threads, from and to one: pause, steps, tick rate, what is shown, split, teleport
mux send-keys -t demo L
await "threaded-locked: pace auto, policy drop; shows interpolate, lead 1"
mux send-keys -t demo L
await "threaded: pace auto, policy drop; shows interpolate, lead 1"
mux send-keys -t demo Space
await "pause on"
tick=$(screen | sed -n 's/.*step tick \([0-9]*\).*/\1/p')
mux send-keys -t demo n
await "step tick $((tick + 1)) "
mux send-keys -t demo n
await "step tick $((tick + 2)) "
mux send-keys -t demo Space
await "pause off"
mux send-keys -t demo +
await "tick rate 100 /s"
mux send-keys -t demo w w
await "threaded: pace auto, policy drop; shows catmull-rom, lead 2"
mux send-keys -t demo i
await "shows none, lead 1"
mux send-keys -t demo i v
await "above threaded"
mux send-keys -t demo V t t t
await "teleport off"
mux send-keys -t demo p a
await "threaded: pace auto, policy drop, latency low"
mux send-keys -t demo L
await "max-frameskip: pace uncapped, policy slow"
mux send-keys -t demo q
clean keys

mux send-keys -t demo "clear; $start" Enter
await_picture
mux send-keys -t demo C-c
clean interrupt

mux send-keys -t demo "(sleep 1; pkill -TERM -f '$command demo --terminal --seed 77') & $start --seed 77" Enter
await_picture
clean terminate

mux send-keys -t demo "clear; $start" Enter
await_picture
mux send-keys -t demo C-z
clean stop
mux send-keys -t demo "fg" Enter
await_picture
mux send-keys -t demo q
clean continue
echo "terminal: passed"
