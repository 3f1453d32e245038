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
weston=
cleanup() {
    [ -n "$weston" ] && kill "$weston" 2>/dev/null
    [ -n "$server" ] && kill "$server" 2>/dev/null
    wait
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
# SDL2's OpenGL renderer replaces the native window: who listens at the first one hears that it is gone
grep -q '"ended": *"' "$scratch/r.json" && fail "demo: the window that is listened at is gone"

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

# told of screen times and held back by present, the loop finds the refresh (60 Hz here). Five tries;
# ones in which the machine stood still for more than a fifth of the refreshes tell of that machine,
# and are not judged. Two loops that take turns are both told of.
found_refresh() {
    sed -n '/^  "display"/,/^  }/s/^    "found_period_ms": *\([0-9.]*\).*/\1/p' "$scratch/r.json" |
        awk '{ found = $1 > 16.58 && $1 < 16.75 } END { exit !found }'
}
kept_up() {
    sed -n '/^  "repeated"/,/^  }/s/^    "share": *\([0-9.e-]*\).*/\1/p' "$scratch/r.json" |
        awk '{ kept = $1 < 0.2 } END { exit !kept }'
}
judged=
found=
for try in 1 2 3 4 5; do
    "$command" demo --window --x11-present --vsync --alternate decoupled --every 3 --seconds 6 \
        --report "$scratch/r.json" >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null || break
    if kept_up; then
        judged=yes
        found_refresh && found=yes && break
    fi
    echo "window: refresh, try $try" >&2
done
if [ -s "$scratch/err.txt" ]; then
    grep -q 'nothing here tells\|lacks' "$scratch/err.txt" || fail "demo --alternate: no reason"
elif [ -z "$judged" ]; then
    echo "window: refresh: this machine is too busy to tell"
else
    [ -n "$found" ] || fail "demo --alternate: the refresh was not found"
    grep -q '"by": *"screen times"' "$scratch/r.json" || fail "demo --alternate: the loop was not told"
    [ "$(grep -c '^      "animation_error_counted_ms": *{' "$scratch/r.json")" = 2 ] ||
        fail "demo --alternate: errors of both by count"
fi

# hidden for a while: those frames are in no figure, no time is lost, and nothing compares across
if command -v xdotool >/dev/null; then
    timeout 60 "$command" demo --window --rest --seconds 4 --report "$scratch/r.json" \
        >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null &
    demo=$!
    window=$(timeout 30 xdotool search --sync --onlyvisible --name "Evenstep demo" | head -n 1)
    xdotool mousemove --window "$window" 300 300
    sleep 1
    xdotool click --repeat 3 --delay 1 1
    xdotool windowunmap "$window"
    sleep 1
    xdotool windowmap "$window"
    wait "$demo" || fail "demo --rest: exit status $?"
    grep -q '"clicks": *3' "$scratch/r.json" || fail "demo --rest: three clicks"
    grep -q '"clicks_seen": *3' "$scratch/r.json" || fail "demo --rest: three clicks, seen"
    grep -q '"hidden_frames": *[1-9]' "$scratch/r.json" || fail "demo --rest: no hidden frames"
    grep -q '"count": *0' "$scratch/r.json" || fail "demo --rest: a hidden window was a gap"
    # ticks of the frames that were seen, 60 per second: two to three of the four seconds; also those
    # that were dropped, as where the machine stands still
    ticks=$(awk '/^  "ticks":/ { ran = $2 } /^  "dropped_ms":/ { dropped = $2 }
        END { printf "%d", ran + 0.06 * dropped }' "$scratch/r.json")
    if [ "$ticks" -lt 60 ] || [ "$ticks" -gt 220 ]; then
        fail "demo --rest: $ticks ticks"
    fi
fi

# a loop that takes frames as they come rests too: it has at most 100 a second, and little to do
# used_by PID: ticks of its CPU time, 100 a second
used_by() {
    awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}
if command -v xdotool >/dev/null; then
    "$command" demo --window --rest --loop variable --seconds 4 --report "$scratch/r.json" \
        >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null &
    demo=$!
    window=$(timeout 30 xdotool search --sync --onlyvisible --name "Evenstep demo" | head -n 1)
    xdotool windowunmap "$window"
    sleep 1
    start=$(used_by "$demo")
    sleep 1
    used=$(($(used_by "$demo") - start))
    [ "$used" -le 50 ] || fail "demo --rest --loop variable: $used ticks of CPU time in a second"
    wait "$demo" || fail "demo --rest --loop variable: exit status $?"
    hidden=$(sed -n 's/^ *"hidden_frames": *\([0-9]*\),*$/\1/p' "$scratch/r.json")
    if [ "$hidden" -lt 20 ] || [ "$hidden" -gt 400 ]; then
        fail "demo --rest --loop variable: $hidden hidden frames"
    fi
fi

# hidden, and drawn all the same: what is told of those pictures belongs to no other, and waiting for
# it costs no more of the CPU than before
for options in "--x11-present" "--x11-present --vsync"; do
    command -v xdotool >/dev/null || break
    # shellcheck disable=SC2086 # words on purpose
    "$command" demo --window $options --seconds 5 --report "$scratch/r.json" \
        >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null &
    demo=$!
    window=$(timeout 30 xdotool search --sync --onlyvisible --name "Evenstep demo" | head -n 1)
    sleep 1
    start=$(used_by "$demo")
    sleep 1
    seen=$(($(used_by "$demo") - start))
    xdotool windowunmap "$window"
    start=$(used_by "$demo")
    sleep 1
    unseen=$(($(used_by "$demo") - start))
    xdotool windowmap "$window"
    if ! wait "$demo"; then
        grep -q 'nothing here tells\|lacks' "$scratch/err.txt" && break
        fail "demo $options, hidden: exit status"
    fi
    grep -q '"hidden_frames": *[1-9]' "$scratch/r.json" || fail "demo $options: no hidden frames"
    for verdict in early unknown; do
        grep -q "\"$verdict\": *0" "$scratch/r.json" || fail "demo $options, hidden: some $verdict"
    done
    grep -q '"state": *"trusted"' "$scratch/r.json" || fail "demo $options, hidden: not trusted"
    # a trial for a display may fall into that second: 160 frames, one after the other
    if [ "$unseen" -gt $((seen + seen / 2 + 60)) ]; then
        fail "demo $options: $unseen ticks of CPU time hidden, $seen before"
    fi
done

# on Wayland SDL presents, and every commit is asked about. Weston runs in a window on this X display:
# without one it has no seat, and SDL2 before 2.30 crashes on that
if command -v weston >/dev/null &&
    [ -f "$BUILD_DIR/adapters/libevenstep_wayland_presentation.a" ]; then
    mkdir -m 700 "$scratch/run"
    XDG_RUNTIME_DIR=$scratch/run weston --backend=x11-backend.so --use-pixman --socket=wl-es \
        --idle-time=0 --no-config >"$scratch/weston.txt" 2>&1 &
    weston=$!
    tries=0
    while [ ! -S "$scratch/run/wl-es" ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ -S "$scratch/run/wl-es" ] || fail "weston did not start"
    # the second replaces the native window here, too; that the first is gone only the test on X11 above
    # is sure to notice: its freed memory has passed for the new one's in every try
    for renderer in software opengl; do
        env XDG_RUNTIME_DIR="$scratch/run" WAYLAND_DISPLAY=wl-es SDL_VIDEODRIVER=wayland \
            SDL_RENDER_DRIVER="$renderer" timeout 60 "$command" demo --window --seconds 2 \
            --report "$scratch/r.json" >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null ||
            fail "demo on Wayland, $renderer: exit status $?"
        grep -q '"by": *"Wayland presentation-time"' "$scratch/r.json" ||
            fail "demo on Wayland, $renderer: who tells?"
        grep -q '"taken": *[1-9]' "$scratch/r.json" || fail "demo on Wayland, $renderer: not told"
        grep -q '"ended": *null' "$scratch/r.json" || fail "demo on Wayland, $renderer: it ended"
    done
    # the compositor goes: SDL quits, and the report says why nothing more was told
    env XDG_RUNTIME_DIR="$scratch/run" WAYLAND_DISPLAY=wl-es SDL_VIDEODRIVER=wayland timeout 60 \
        "$command" demo --window --seconds 20 --report "$scratch/r.json" \
        >"$scratch/out.txt" 2>"$scratch/err.txt" </dev/null &
    demo=$!
    sleep 6 # also a busy machine has shown pictures by then
    kill "$weston"
    wait "$weston" 2>/dev/null
    weston=
    wait "$demo" || fail "demo, and the compositor goes: exit status $?"
    grep -q '"ended": *"the compositor' "$scratch/r.json" || fail "demo, and the compositor goes: why?"
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
