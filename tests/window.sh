#!/bin/sh
# The demo in a real window, on a virtual X display. Nothing here depends on speed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need Xvfb jq
"$command" demo --help | grep -q -- --window || skip "no SDL2"
fatal=yes
subcommand=demo
cd "$scratch" || exit 1
report=r.json
screen=$scratch/Xvfb_screen0 # a file with what is on the screen
context="cat out err server.txt"

start_xvfb -fbdir "$scratch"
x_server=$server
# graphics drivers leak, and are unloaded before the leaks can be told by name
export ASAN_OPTIONS=detect_leaks=0
unset WAYLAND_DISPLAY

# SDL2's OpenGL renderer replaces the native window: who listens at the first one hears that it is gone
ends 0 --seconds 1 --report r.json --screenshot s.png
gives 'window return of present' '.view, .measured_against'
holds '.screen_times.ended? == null'
check "a screenshot" [ -s s.png ]
ends 0 --window --vsync --seconds 0.5 --report
matches '^ *driver +SDL 2\.[0-9.]+ on x11, [a-z0-9]+'
matches '^ *announced refresh +none$'

# an uncapped loop takes the frames as they come; a split view is two halves of one of them
ends 0 --seconds 0.5 --loop decoupled --report r.json
gives 'window decoupled' '.view, .loop'
ends 0 --seconds 0.5 --split unblended --report r.json
gives 'window decoupled' '.view, .split.loop'

# is_unavailable: the demo has reported why --x11-present is not available
is_unavailable() {
    grep -q 'nothing here reports\|lacks' err
}

# is_trusted: most pairs of frames of the last run have screen times. The server's timers may be too late for that
# on a busy machine, so it has eight tries
is_trusted() {
    jq -e '.measured_against == "screen feedback"' r.json >/dev/null
}

# is_late: so many answers come too late that this machine cannot be judged
is_late() {
    jq -e '.screen_times.samples | .taken < 2 * .refused' r.json >/dev/null
}

# with feedback by X11's Present extension errors are against that
for try in 1 2 3 4 5 6 7 8; do
    if evenstep --x11-present --window --seconds 2 --report r.json >out 2>err </dev/null; then
        is_trusted && break
        echo "window: not trusted, try $try" >&2
    else
        check "--x11-present: a reason" is_unavailable
        break
    fi
done
if ! is_unavailable && ! is_late; then
    check "--x11-present: trusted" is_trusted
fi

# with screen times and a present that blocks, the loop finds the refresh (60 Hz here). Five tries; runs in which
# the machine missed more than 5 % of the refreshes are not judged
what="demo --vsync"
judged=
found=
for try in 1 2 3 4 5; do
    evenstep --window --x11-present --vsync --seconds 4 --report r.json >out 2>err </dev/null || break
    if [ "$(json '.repeated.share < 0.05')" = true ]; then
        judged=yes
        found=$(json '.display | .period_ms > 16.58 and .period_ms < 16.75 and .state == "known by feedback"')
        [ "$found" != true ] || break
    fi
    echo "window: refresh, try $try" >&2
done
if [ -s err ]; then
    check "--vsync: a reason" is_unavailable
elif [ -z "$judged" ]; then
    echo "window: refresh: this machine is too busy to judge"
else
    equal "--vsync: the refresh is found" "$found" true
fi

# Bytes on the screen that are not black. The root window is; the demo's has 2073600, hardly any black.
lit() {
    tr -d '\0' <"$screen" | wc -c
}
is_lit() {
    [ "$(lit)" -gt 1000000 ]
}
is_blank() {
    [ "$(lit)" -lt 100000 ]
}
has_begun() {
    is_lit || is_unavailable
}

# start_demo ARGS...: in the background
start_demo() {
    : >err
    "$command" demo --window "$@" --report r.json >out 2>err </dev/null &
    demo=$!
    children="$children $demo"
}

# show_demo ARGS...: until its frames are on the screen. Before that SDL2's OpenGL renderer replaces the native
# window. Fails where --x11-present is not available
show_demo() {
    what="demo $*"
    await "the screen goes black" is_blank
    start_demo --seconds 600 "$@"
    await "$what: a frame" has_begun
    is_lit
}

# quit_demo: as Ctrl-C does
quit_demo() {
    kill "$demo"
    wait "$demo"
    equal "$what: exit status" $? 0
}

# switches: how often the demo has slept or was preempted: about once in a frame. On a busy machine a frame
# takes too long to sleep
switches() {
    awk '/ctxt_switches/ { sum += $2 } END { print sum }' "/proc/$demo/status"
}
has_switched() {
    [ "$(switches)" -ge "$1" ]
}
# go_on: some frames more
go_on() {
    await "the demo goes on" has_switched $(($(switches) + 60))
}

# acts ACTION...: of xdotool, on %1: the demo's window, which is looked up just before. Fails where the
# window is gone by then
acts() {
    timeout 30 xdotool search --onlyvisible --name "Evenstep demo" "$@" 2>xdotool.txt
}

# hide: until it is off the screen and the demo has had frames since; then map_again
hide() {
    await "the window is unmapped" acts windowunmap --sync %1
    await "an unmapped window is off the screen" is_blank
    go_on
}
map_again() {
    await "the window is mapped" timeout 30 xdotool search --name "Evenstep demo" windowmap --sync %1
    await "a mapped window is on the screen" is_lit
    go_on
}

# hidden for a while: those frames are in no figure, no time is lost, and nothing compares across. Feedback of
# hidden frames that are drawn all the same belongs to no other
test_hidden() {
    show_demo "$@" || return
    shown=$(now_ms)
    await "the pointer is moved" acts mousemove --window %1 300 300
    go_on
    sleep 1
    check "clicks" xdotool click --repeat 3 --delay 1 1
    hiding=$(now_ms)
    hide
    hidden=$(now_ms)
    sleep 2
    mapping=$(now_ms)
    map_again
    quit_demo
    gives '3 3' '.input | .clicks, .clicks_seen'
    # the game's time, with what a busy machine took of it: only that of the frames that were seen. What
    # was hidden is 2 s at least, and no gap; a machine that stands still for a second makes one
    holds ".hidden_frames > 0, .gaps.ms < 1900, (.ticks / 0.06 + .dropped_ms + .gaps.ms
        | . > $((hiding - shown - 500))), (.ticks / 0.06 + .dropped_ms + .gaps.ms)
            < 1000 * .seconds - $((mapping - hidden)) + 500"
    # until presents are known not to wait, frames come faster than samples for them are kept
    [ $# = 0 ] || holds '.screen_times.samples | .refused < 800'
}

if command -v xdotool >/dev/null; then
    test_hidden
    test_hidden --x11-present --vsync
fi

# changes: something moves on the screen
changes() {
    before=$(cksum <"$screen")
    sleep 0.1
    [ "$(cksum <"$screen")" != "$before" ]
}

# on Wayland SDL presents, and feedback is requested for every commit. Weston runs in a window on this X display:
# without one it has no seat, and SDL2 before 2.30 crashes on that
test_wayland() {
    start_weston x11
    export WAYLAND_DISPLAY=wl-es SDL_VIDEODRIVER=wayland
    # the second replaces the native window here, too; that the first is gone only the test on X11 above
    # is sure to notice: its freed memory has passed for the new one's in every try
    for SDL_RENDER_DRIVER in software opengl; do
        export SDL_RENDER_DRIVER
        ends 0 --window --seconds 2 --report r.json
        holds '.screen_times | .by == "Wayland presentation-time", .samples.taken > 0, .ended == null'
    done
    unset SDL_RENDER_DRIVER
    # the compositor goes: SDL quits, and the report says why nothing more was told
    start_demo --seconds 60
    for frame in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do # more than its window's being there
        await "on Wayland: frame $frame" changes
    done
    stop "$server"
    wait "$demo"
    equal "the compositor goes: exit status" $? 0
    holds '.screen_times.ended | startswith("the compositor")'
    unset WAYLAND_DISPLAY SDL_VIDEODRIVER
}
if command -v weston >/dev/null && [ -f "$build/adapters/libevenstep_wayland_presentation.a" ]; then
    test_wayland
fi

# the game: its replay is exact at any speed, and nothing is misused
if [ -x "$build/examples/evenstep_game" ]; then
    what="the game"
    SDL_RENDER_DRIVER=software timeout 60 "$build/examples/evenstep_game" --play --height 180 --seconds 3 >out 2>err
    equal "$what: exit status" $? 0
    matches '^REPLAY: [1-9][0-9]* TICKS, THE SAME WORLD$'
    matches '^problem: (none|presents never block.*|frames come at .*)$'
fi

# the server goes: Xlib ends the program, and the report is there
show_demo
sleep 2 # for frames: while it starts, a busy machine switches to others often
rm -f "$report"
kill -KILL "$x_server"
wait "$demo"
holds '.frames > 0'
stop "$x_server"

# a display that is not there: asked for, it is an error; by default the demo goes on without
DISPLAY=:$((number + 6000))
evenstep --window --seconds 1 >out 2>err </dev/null
refute "--window without a display" [ $? = 0 ]
check "--window without a display: a message" [ -s err ]
ends 0 --seconds 0.3
matches '[Hh]eadless' err
finish
