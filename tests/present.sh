#!/bin/sh
# The adapters against real servers: Xvfb with its fake refresh, weston without a screen and in a
# window on Xvfb, sway without a screen. What is not installed is left out, and reported.
#
# Timing is judged by medians over many frames and by counts of refreshes, never by one frame. What a
# machine that stands still for long can spoil has three tries.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
probe=$build/adapters/present_probe
cd "$scratch" || exit 1
if ! command -v Xvfb >/dev/null && ! command -v weston >/dev/null && ! command -v sway >/dev/null; then
    skip "no Xvfb, weston or sway"
fi
unset DISPLAY WAYLAND_DISPLAY WAYLAND_SOCKET
skipped=
context="cat out err"
: >out
: >err

# probe WHAT ARGS...: must end by itself and give an account of all frames. A server on a busy machine may
# be late; only tests of a server that is silent set another time-out.
probe() {
    what=$1 system=$2
    shift 2
    checks=$((checks + 1))
    timeout 120 "$probe" "$system" --timeout 10000 "$@" >out 2>err </dev/null || {
        fail "$what: present_probe $system $*: exit status $?"
        return 1
    }
    holds '.requested == .presented + .discarded + .unanswered, .lost == 0'
}

# tries WANTED WHAT ARGS...: three at most, until jq finds what is wanted; then all of it is checked
tries() {
    expected=$1
    shift
    for try in 1 2 3; do
        probe "$@" || return
        [ "$(json "[$expected] | all" 2>&1)" != true ] || break
        echo "present: $what, try $try: $(json "[$expected]")" >&2
    done
    holds "$expected"
}

# Frames got feedback. Whether single times are trusted depends on how late the server's timers are.
heard='.feedback != "listening", .feedback != "silent"'

# seat DISPLAY [TIMEOUT]: whether the compositor has one
seat() {
    timeout 60 "$probe" seat --timeout "${2:-10000}" --display "$1" >out 2>err
}

# --- X11 ------------------------------------------------------------------------------------------

# queued frames are each seen, but for those that a busy machine brings late; another connection that only
# listens learns the same, of every frame
test_rate() {
    start_xvfb -fakescreenfps "$1"
    tries "(.period_ns * $1 / 1e9 - 1 | fabs) < 0.005, .discarded * 4 <= .presented, $heard" \
        "Xvfb at $1 Hz" x11 --seconds 1.5 --frames 15 --watch
    holds '.presented >= 15, .period_by == "sequence", .told_early == 0, .at_once == 0,
        .announced_ns == 0, .pixels_right, .errors == 0, .watched == .presented, .watched_agree == .watched'
    stop "$server"
}

# probes SYSTEM <<'TABLE': what | arguments | filters, each of which gives true
probes() {
    while IFS='|' read -r case arguments filters; do
        # shellcheck disable=SC2086 # words
        probe "${case% }" "$1" $arguments
        holds "$filters"
    done
}

test_x11_ways() {
    start_xvfb -fakescreenfps 75
    tries '.discarded > .presented' "mailbox" x11 --seconds 1 --frames 10 --mailbox --size 64x64 --watch
    holds '.presented >= 10, .watched_agree == .presented, .pixels_right'
    probes x11 <<'TABLE'
resize | --seconds 1 --frames 15 --resize | .presented >= 15, .pixels_right, .errors == 0, .shared_memory
numbered anew | --seconds 2 --frames 30 --watch --restart | .presented >= 30, .watched == .presented, .watched_agree == .watched, .pixels_right
silence | --seconds 1 --frames 15 --silent --timeout 200 | .requested >= 15, .presented == 0, .unanswered == .requested
destroyed window | --seconds 1 --frames 10 --destroy --timeout 200 | .presented >= 10, (.status | startswith("there is no such window"))
another mode | --seconds 2 --mode 50 | .announced_first_ns == 0, .announced_ns == 20000000, .errors == 0
the mode it has | --seconds 1 --mode 50 --restart | .announced_first_ns == 20000000
TABLE
    stop "$server"
    start_xvfb -extension MIT-SHM
    probes x11 <<'TABLE'
no shared memory | --seconds 1 --frames 15 --resize --size 601x455 | .shared_memory == false, .presented >= 15, .pixels_right, .errors == 0
TABLE
    stop "$server"
    timeout 60 "$probe" x11 --display ":$((number + 6000))" >out 2>err
    equal "no server: exit status" $? 2
}

# A server that stops answering, and one that is gone, in the middle of a run.
# test_faults SYSTEM ARG...
test_faults() {
    probe "stopped server" "$@" --seconds 20 --timeout 200 --stop "$server"
    kill -CONT "$server"
    holds '.presented >= 5, .unanswered >= 1, .status == "success"'
    probe "killed server" "$@" --seconds 20 --timeout 200 --kill "$server"
    holds '.seconds < 15'
}

if command -v Xvfb >/dev/null && "$probe" x11 --display :9999 2>&1 | grep -q 'no X server'; then
    for rate in 30 60 75 120 144 240; do
        test_rate $rate
    done
    test_x11_ways
    start_xvfb -fakescreenfps 60
    test_faults x11
    holds '.status | startswith("the X server cannot be reached")'
    stop "$server"
else
    skipped="$skipped X11"
fi

# --- Wayland --------------------------------------------------------------------------------------

# a rate that is announced and not delivered is found out
judged="(.period_ns <= 1.1 * .announced_ns or .announced_wrong), $heard"

test_weston_headless() {
    start_weston headless
    tries "$judged" "weston headless" wayland --display wl-es --frames 15 --seconds 2
    holds '.presented >= 15, .told_early == 0, .clock_known, .clock_error_ns <= 1000000,
        .announced_ns == 16666666'
    case $(weston --version 2>/dev/null) in
    "weston 10."*) holds '.period_ns > 20000000, .clock_id == 4' ;; # less than announced; CLOCK_MONOTONIC_RAW
    esac
    seat wl-es
    holds '.seat == "none"'

    kill -STOP "$server"
    seat wl-es 200
    holds '.seat == "no server"'
    kill -CONT "$server"
    test_faults wayland --display wl-es
    holds '.status | startswith("the compositor cannot be reached")'
    stop "$server"
}

# In a window on Xvfb weston has a seat, so SDL2 runs.
test_weston_x11() {
    start_xvfb
    xvfb=$server
    start_weston x11
    tries "$judged" "weston on X11" wayland --display wl-es --frames 15 --seconds 1.5
    holds '.presented >= 15, .told_early == 0'
    seat wl-es
    holds '.seat == "found"'
    if [ -x "$build/examples/02_sdl2_window" ]; then # es_sdl2.h and es_feedback.h
        for try in 1 2 3 4 5; do # samples that are too uneven are not used
            WAYLAND_DISPLAY=wl-es SDL_VIDEODRIVER=wayland timeout 60 "$build/examples/02_sdl2_window" 1 >out 2>&1
            ! grep -q ', with feedback' out || break
            echo "present: es_sdl2.h, try $try" >&2
        done
        has ', with feedback'
    fi
    if [ -x sdl2_x11 ]; then
        timeout 120 ./sdl2_x11 >out 2>&1
        equal "sdl2_x11: exit status" $? 0
        check "sdl2_x11: frames" [ "$(grep -c ' seen at ' out)" -ge 30 ]
    fi
    stop "$server" "$xvfb"
}

test_sway() {
    start_sway 640x480 60
    await "a compositor" answers wayland-1
    probe "sway" wayland --display wayland-1 --seconds 4 --timeout 200
    holds '.seconds < 4 + 0.2 + 5, .committed >= 15, .on_their_way == 0,
        (.presented > 0 or (.unanswered >= 1 and .not_requested >= 1))'
    seat wayland-1
    holds '.seat == "found"'
    stop "$server"
}

# --- the example of adapters/README.md ------------------------------------------------------------

wayland="$build/adapters/libevenstep_wayland_presentation.a"
if pkg-config --exists sdl2; then
    context="cat log"
    if [ -f "$build/adapters/libevenstep_x11_present.a" ]; then
        blocks c "$home/adapters/README.md" 1 >sdl2_x11.c
        # shellcheck disable=SC2046 # words
        check "adapters/README.md: sdl2_x11 compiles" compile sdl2_x11 sdl2_x11.c c17 \
            "$build/adapters/libevenstep_x11_present.a" -lxcb -lxcb-present -lxcb-shm -lxcb-randr \
            $(pkg-config --cflags --libs sdl2)
    fi
    context="cat out err"
else
    skipped="$skipped SDL2"
fi

if command -v weston >/dev/null && [ -f "$wayland" ]; then
    test_weston_headless
    if command -v Xvfb >/dev/null; then
        # what SDL2 and its drivers leak is not ours
        leaks=${ASAN_OPTIONS-}
        export ASAN_OPTIONS=detect_leaks=0
        test_weston_x11
        ASAN_OPTIONS=$leaks
    fi
else
    skipped="$skipped weston"
fi
if command -v sway >/dev/null && [ -f "$wayland" ]; then
    test_sway
else
    skipped="$skipped sway"
fi
finish "${skipped:+not here:$skipped}"
