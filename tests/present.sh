#!/bin/sh
# The adapters of screen times against real servers: Xvfb with its fake refresh, weston and sway without a
# screen, weston in a window on Xvfb. What is not installed is left out, and reported.
#
# Timing is judged over many frames, never by one. What a machine that stands still for long can spoil has
# three tries.
# shellcheck source=tests/lib.sh disable=SC2016 # WINDOW is for another shell
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1
unset DISPLAY WAYLAND_DISPLAY WAYLAND_SOCKET
skipped=
context="cat out err"
: >out
: >err

# presents WHAT FILTERS SYSTEM ARGS...: ends by itself, with an account of all frames, and jq's filters hold. A
# server on a busy machine may be late; only tests of one that is silent have a short time-out
presents() {
    what=$1 filters=$2 system=$3
    shift 3
    check "$what: ends" timeout 120 "$build/tests/present_$system" "$@" >out 2>err </dev/null
    holds ".frames == .presented + .discarded + .unanswered, .lost == 0, .age_ns >= 0, $filters"
}

# tries FILTERS ARGS...: eight at most, until these filters hold; then checks all as presents does
tries() {
    expected=$1
    shift
    for try in 1 2 3 4 5 6 7 8; do
        presents "$@"
        [ "$(json "[$expected] | all" 2>&1)" != true ] || break
        echo "present: $what, try $try: $(json "[$expected]")" >&2
    done
    holds "$expected"
}

# seat WANTED [TIMEOUT_MS]: of the compositor
seat() {
    equal "a seat" "$(timeout 60 "$build/tests/present_wayland" "$display" "${2:-10000}" seat)" "$1"
}

# A server that stops answering, and one that is gone, in the middle of a run.
# test_faults STATUS ARG...
test_faults() {
    gone=$1
    shift
    presents "stopped server" '.presented >= 15, .unanswered >= 1, .status == "success"' \
        "$@" 200 "kill -STOP $server"
    kill -CONT "$server"
    presents "killed server" ".presented >= 15, (.status | startswith(\"$gone\"))" "$@" 200 "kill -KILL $server"
}

right='.pixels_right, .errors == 0'

test_x11() {
    for rate in 30 75 144 240; do # a frame per refresh, but for those that a busy machine brings late
        start_xvfb -fakescreenfps $rate
        tries "(.period_ns * $rate / 1e9 - 1 | fabs) < 0.005, .discarded * 4 <= .presented" "Xvfb at $rate Hz" \
            "$right, .presented >= 15, .at_once == 0, .announced_ns == 0" x11 10000
        stop "$server"
    done
    start_xvfb -fakescreenfps 75
    tries '.discarded * 4 > .presented' mailbox "$right" x11 10000 mailbox
    presents "numbered anew" "$right, .presented >= 30" x11 10000 restart
    if has_all xdotool; then
        presents "destroyed window" '.presented >= 15, (.status | startswith("there is no such window"))' \
            x11 200 'xdotool windowclose $WINDOW'
    fi
    if has_all xrandr; then
        presents "another mode" '.announced_first_ns == 0, .announced_ns == 20000000, .errors == 0' x11 10000 \
            "$announce_50_hz"
        presents "the mode it has" '.announced_first_ns == 20000000' x11 10000
    fi
    test_faults "the X server cannot be reached" x11
}

test_weston() {
    start_weston headless
    display=wl-es
    tries '.clock_error_ns <= 1000000' "weston headless" '.presented >= 15, .clock_known, .age_ns < 5000000000,
        .announced_ns == 16666666' wayland $display 10000
    case $(weston --version 2>/dev/null) in
    "weston 10."*) holds '.clock_id == 4, .clock_error_ns > 0' ;; # CLOCK_MONOTONIC_RAW, converted
    esac
    seat none
    kill -STOP "$server"
    seat "no server" 200
    kill -CONT "$server"
    test_faults "the compositor cannot be reached" wayland $display
}

# In a window on Xvfb weston has a seat, which SDL2 needs.
test_weston_x11() {
    start_xvfb
    xvfb=$server
    start_weston x11
    for try in 1 2 3 4 5; do # samples that are too uneven are not used
        WAYLAND_DISPLAY=wl-es SDL_VIDEODRIVER=wayland timeout 60 "$build/examples/02_sdl2_window" 1 >out 2>&1
        ! grep -q ', with screen times' out || break
        echo "present: es_sdl2.h, try $try" >&2
    done
    has ', with screen times'
    stop "$server" "$xvfb"
}

# wlroots 0.15 never answers: only some frames have a request then
test_sway() {
    start_sway 640x480 60
    display=wayland-1
    await "a compositor" answers $display
    presents sway '.presented >= 15 or (.unanswered >= 16 and .not_requested >= 5), .on_their_way == 0' \
        wayland $display 200
    seat found
    stop "$server"
}

if has_all tests/present_x11 Xvfb; then
    test_x11
fi
if has_all tests/present_wayland weston; then
    test_weston
    if has_all Xvfb examples/02_sdl2_window; then
        test_weston_x11
    fi
fi
if has_all tests/present_wayland sway; then
    test_sway
fi
[ "$checks" -gt 0 ] || skip "not here:$skipped"
finish "${skipped:+not here:$skipped}"
