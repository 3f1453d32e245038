#!/bin/sh
# The demo and example 02 in a real window, on a virtual X display. Nothing here depends on speed.
set -u
command=${BUILD_DIR:?}/evenstep
if ! command -v Xvfb >/dev/null || ! "$command" demo --help | grep -q -- --window; then
    echo "window: skipped: no Xvfb or no SDL2"
    exit 77
fi
scratch=$(mktemp -d)
server=
cleanup() {
    [ -n "$server" ] && kill "$server" 2>/dev/null
    rm -rf "$scratch"
}
trap cleanup EXIT

fail() {
    echo "FAILED: $1" >&2
    cat "$scratch"/*.txt >&2
    exit 1
}

# The server picks a free display number itself and writes it when it is ready.
mkfifo "$scratch/number"
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$scratch/number" 2>"$scratch/xvfb.txt" &
server=$!
read -r number <"$scratch/number" || fail "Xvfb did not start"
export DISPLAY=":$number"
# graphics drivers leak, and are unloaded before the leaks can be told by name
export ASAN_OPTIONS=detect_leaks=0
unset WAYLAND_DISPLAY

timeout 60 "$command" demo --seconds 2 --report "$scratch/r.json" --screenshot "$scratch/s.png" \
    >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null || fail "demo: exit status $?"
grep -q '"view": *"window"' "$scratch/r.json" || fail "demo: the view was not a window"
grep -q '"measured_against": *"return of present"' "$scratch/r.json" || fail "demo: measured against?"
[ -s "$scratch/s.png" ] || fail "demo: no screenshot"

# an uncapped loop takes the pictures as they come; a split view is two halves of one of them
for options in "--loop decoupled" "--split unblended"; do
    # shellcheck disable=SC2086 # words on purpose
    timeout 60 "$command" demo --seconds 1 $options --report "$scratch/r.json" \
        >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null || fail "demo $options: exit status $?"
    grep -q '"view": *"window"' "$scratch/r.json" || fail "demo $options: the view was not a window"
    grep -q "\"loop\": *\"decoupled" "$scratch/r.json" || fail "demo $options: another loop ran"
done

# presented by X11's Present extension, which tells when: then errors are against that
if "$command" demo --x11-present --window --seconds 2 --report "$scratch/r.json" \
    >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null; then
    grep -q '"measured_against": *"screen feedback"' "$scratch/r.json" ||
        fail "demo --x11-present: measured against?"
    grep -q '"state": *"trusted"' "$scratch/r.json" || fail "demo --x11-present: not trusted"
else
    grep -q 'nothing here tells\|lacks' "$scratch/err.txt" || fail "demo --x11-present: no reason"
fi

# hidden for a while: those frames are in no figure, no time is lost, and nothing compares across
if command -v xdotool >/dev/null; then
    timeout 60 "$command" demo --window --rest --seconds 4 --report "$scratch/r.json" \
        >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null &
    demo=$!
    window=$(timeout 30 xdotool search --sync --onlyvisible --name "Evenstep demo" | head -n 1)
    sleep 1
    xdotool windowunmap "$window"
    sleep 1
    xdotool windowmap "$window"
    wait "$demo" || fail "demo --rest: exit status $?"
    grep -q '"hidden_frames": *[1-9]' "$scratch/r.json" || fail "demo --rest: no hidden frames"
    grep -q '"count": *0' "$scratch/r.json" || fail "demo --rest: a hidden window was a gap"
    # ticks of the frames that were seen, 60 per second: two to three of the four seconds
    ticks=$(sed -n 's/^ *"ticks": *\([0-9]*\),*$/\1/p' "$scratch/r.json")
    if [ "$ticks" -lt 60 ] || [ "$ticks" -gt 220 ]; then
        fail "demo --rest: $ticks ticks"
    fi
fi

if [ -x "$BUILD_DIR/examples/02_sdl2_window" ]; then
    timeout 60 "$BUILD_DIR/examples/02_sdl2_window" 1 >"$scratch/02.txt" 2>&1 ||
        fail "example 02: exit status $?"
fi

# a display that is not there: asked for, it is an error; by default the demo goes on without
DISPLAY=:$((number + 4000))
"$command" demo --window --seconds 1 >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null &&
    fail "demo --window without a display: exit status 0"
[ -s "$scratch/err.txt" ] || fail "demo --window without a display: no message"
timeout 60 "$command" demo --seconds 1 >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null ||
    fail "demo without a display: exit status $?"
grep -qi 'headless' "$scratch/err.txt" || fail "demo without a display: does not say headless"
echo "window: passed"
