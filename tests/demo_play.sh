#!/bin/sh
# A recording of the demo, played in a real terminal (tmux): what the panel says of it, and keys that
# pause, step and leap. Waits poll for what must come; nothing depends on speed.
set -u
command=${BUILD_DIR:?}/evenstep
if ! command -v tmux > /dev/null; then
    echo "demo_play: skipped: no tmux"
    exit 77
fi
scratch=$(mktemp -d)
unset DISPLAY WAYLAND_DISPLAY TMUX
export LC_ALL=C.UTF-8 TERM=xterm-256color
mux() {
    tmux -f /dev/null -S "$scratch/socket" "$@"
}
cleanup() {
    mux kill-server 2> "$scratch/end"
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

screen() {
    mux capture-pane -p -t demo
}

fail() {
    echo "FAILED: $1" >&2
    screen >&2
    exit 1
}

# await PATTERN: until the screen shows it, a minute at least before it fails
await() {
    tries=0
    until screen | grep -q -- "$1"; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || fail "never saw '$1'"
        sleep 0.1
    done
}

keys() {
    mux send-keys -t demo "$@"
}

run=$scratch/run
"$command" demo --headless --virtual --seconds 30 --job sliced --keys 1:u --record "$run" \
    > "$scratch/out" || fail "no recording: $(cat "$scratch/out")"
last=$(sed -n 's/^ *recording  *\([0-9]*\) ticks.*/\1/p' "$scratch/out")
mux new-session -d -s demo -x 120 -y 40 "env PS1='$ ' sh" || exit 77
await '\$'

keys "$command demo --terminal --play $run" Enter
await "playing  *tick [0-9]* of $last, hashes equal"
await "load  *job sliced"
keys Space
await "paused"
tries=0
until screen | grep -q " tick  *0, "; do # it played on while this looked at the screen
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || fail "it does not leap back to the start"
    keys "["
    sleep 0.2
done
keys "]"
await "playing  *tick 60 of $last"
keys n
await "playing  *tick 61 of $last"
keys s
await "speed 0.5, paused"
keys Space
await "per second, speed 0.5 "
keys q
await "of $last, hashes equal"
await "measured against"
echo "demo_play: passed"
