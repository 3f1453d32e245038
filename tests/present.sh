#!/bin/sh
# The adapters against real servers: Xvfb with its fake refresh, weston without a screen and in a
# window on Xvfb, sway without a screen. What is not installed is left out, and said.
#
# Timing is judged by medians over many frames and by counts of refreshes, never by one frame.
set -u
LC_ALL=C
export LC_ALL
build=${BUILD_DIR:?}
probe=$build/adapters/present_probe
home=$(pwd)
if ! command -v Xvfb >/dev/null && ! command -v weston >/dev/null && ! command -v sway >/dev/null; then
    echo "present: skipped: no Xvfb, weston or sway"
    exit 77
fi
scratch=$(mktemp -d)
chmod 711 "$scratch"
servers=
cleanup() {
    for server in $servers; do
        kill -CONT "$server" 2>/dev/null
        kill "$server" 2>/dev/null
    done
    wait
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM
unset DISPLAY WAYLAND_DISPLAY WAYLAND_SOCKET
failures=0
checks=0
skipped=

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1" >&2
    cat "$scratch/out.json" "$scratch/err.txt" >&2
}

# check WHAT CONDITION...: an arithmetic or string test of test(1)
check() {
    checks=$((checks + 1))
    what=$1
    shift
    "$@" || fail "$what: not: $*"
}

# value KEY: of the last run
value() {
    sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\",]*\).*/\1/p" "$scratch/out.json"
}

# run_probe WHAT SYSTEM ARGUMENTS...: it must end by itself and give an account of all frames. A server on
# a busy machine may be late; only tests of a server that is silent set another time-out.
run_probe() {
    what=$1
    system=$2
    shift 2
    timeout 120 "$probe" "$system" --timeout 10000 "$@" >"$scratch/out.json" 2>"$scratch/err.txt" \
        </dev/null
    code=$?
    checks=$((checks + 1))
    if [ $code != 0 ]; then
        fail "$what: present_probe $system $*: exit status $code"
        return 1
    fi
    asked=$(value asked)
    told=$(($(value presented) + $(value discarded) + $(value unanswered)))
    check "$what: every frame asked about is told or given up" [ "$asked" = "$told" ]
    check "$what: nothing was lost" [ "$(value lost)" = 0 ]
}

# heard, check_heard WHAT: the room `feedback` heard of the frames. Whether it trusts single times depends on
# how late the server's timers are, so on what else this machine does.
heard() {
    [ "$(value feedback)" != listening ] && [ "$(value feedback)" != silent ]
}
check_heard() {
    check "$1: heard" [ "$(value feedback)" != listening ]
    check "$1: not silent" [ "$(value feedback)" != silent ]
}

# kill_server PID
kill_server() {
    kill -CONT "$1" 2>/dev/null
    kill "$1" 2>/dev/null
    wait "$1" 2>/dev/null
}

# --- X11 ------------------------------------------------------------------------------------------

# start_xvfb OPTIONS...: sets server, DISPLAY
start_xvfb() {
    rm -f "$scratch/number"
    mkfifo "$scratch/number"
    Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp "$@" 3>"$scratch/number" \
        2>"$scratch/err.txt" &
    server=$!
    servers="$servers $server"
    read -r number <"$scratch/number" || fail "Xvfb $* did not start"
    DISPLAY=:$number
    export DISPLAY
}

# right_period RATE: within 0.5 %
right_period() {
    awk -v period="$(value period_ns)" -v rate="$1" \
        'BEGIN { off = period * rate / 1e9 - 1; exit !(off > -0.005 && off < 0.005) }'
}

# few_replaced: queued, so each is seen, but for those that a busy machine brings late
few_replaced() {
    [ $(($(value discarded) * 4)) -le "$(value presented)" ]
}

# A machine that stands still for long may spoil a run: what it can spoil has three tries.
test_rate() {
    start_xvfb -fakescreenfps "$1"
    for try in 1 2 3; do
        run_probe "Xvfb at $1 Hz" x11 --seconds 1.5 --frames 15 --watch || break
        right_period "$1" && few_replaced && heard && break
        echo "present: $1 Hz, try $try: period $(value period_ns) ns" >&2
    done
    check "Xvfb at $1 Hz: the period within 0.5 %" right_period "$1"
    check "Xvfb at $1 Hz: frames" [ "$(value presented)" -ge 15 ]
    check "Xvfb at $1 Hz: few replaced" few_replaced
    check "Xvfb at $1 Hz: by count" [ "$(value period_by)" = sequence ]
    check_heard "Xvfb at $1 Hz"
    check "Xvfb at $1 Hz: seen before told" [ "$(value told_early)" = 0 ]
    check "Xvfb at $1 Hz: none at once" [ "$(value at_once)" = 0 ]
    check "Xvfb at $1 Hz: nothing announced" [ "$(value announced_ns)" = 0 ]
    check "Xvfb at $1 Hz: pixels" [ "$(value pixels_right)" = true ]
    check "Xvfb at $1 Hz: no errors" [ "$(value errors)" = 0 ]
    # another connection that only listens learns the same, of every frame
    check "Xvfb at $1 Hz: watching" [ "$(value watched)" = "$(value presented)" ]
    check "Xvfb at $1 Hz: watching agrees" [ "$(value watched_agree)" = "$(value watched)" ]
    kill_server "$server"
}

test_x11_ways() {
    start_xvfb -fakescreenfps 75
    run_probe "resize" x11 --seconds 1 --frames 15 --resize
    check "resize: frames" [ "$(value presented)" -ge 15 ]
    check "resize: pixels" [ "$(value pixels_right)" = true ]
    check "resize: no errors" [ "$(value errors)" = 0 ]
    check "resize: by shared memory" [ "$(value shared_memory)" = true ]

    for try in 1 2 3; do # it has to draw faster than the server shows
        run_probe "mailbox" x11 --seconds 1 --frames 10 --mailbox --size 64x64 --watch || break
        [ "$(value discarded)" -gt "$(value presented)" ] && break
        echo "present: mailbox, try $try: $(value discarded) replaced" >&2
    done
    check "mailbox: seen" [ "$(value presented)" -ge 10 ]
    check "mailbox: replaced unseen" [ "$(value discarded)" -gt "$(value presented)" ]
    check "mailbox: watching agrees" [ "$(value watched_agree)" = "$(value presented)" ]
    check "mailbox: pixels" [ "$(value pixels_right)" = true ]

    run_probe "numbered anew" x11 --seconds 2 --frames 30 --watch --restart
    check "numbered anew: frames" [ "$(value presented)" -ge 30 ]
    check "numbered anew: watching" [ "$(value watched)" = "$(value presented)" ]
    check "numbered anew: watching agrees" [ "$(value watched_agree)" = "$(value watched)" ]
    check "numbered anew: pixels" [ "$(value pixels_right)" = true ]

    run_probe "silence" x11 --seconds 1 --frames 15 --silent --timeout 200
    check "silence: noted" [ "$(value asked)" -ge 15 ]
    check "silence: none seen" [ "$(value presented)" = 0 ]
    check "silence: all given up" [ "$(value unanswered)" = "$(value asked)" ]

    run_probe "destroyed window" x11 --seconds 1 --frames 10 --destroy --timeout 200
    check "destroyed window: seen before" [ "$(value presented)" -ge 10 ]
    check "destroyed window: says so" [ "$(value status)" = "there is no such window" ]

    run_probe "another mode" x11 --seconds 2 --mode 50
    check "another mode: nothing announced before" [ "$(value announced_first_ns)" = 0 ]
    check "another mode: noticed" [ "$(value announced_ns)" = 20000000 ]
    check "another mode: no errors" [ "$(value errors)" = 0 ]
    run_probe "the mode it has" x11 --seconds 1 --mode 50 --restart
    check "the mode it has: announced at once" [ "$(value announced_first_ns)" = 20000000 ]
    kill_server "$server"

    start_xvfb -extension MIT-SHM
    run_probe "no shared memory" x11 --seconds 1 --frames 15 --resize --size 601x455
    check "no shared memory: none" [ "$(value shared_memory)" = false ]
    check "no shared memory: frames" [ "$(value presented)" -ge 15 ]
    check "no shared memory: pixels" [ "$(value pixels_right)" = true ]
    check "no shared memory: no errors" [ "$(value errors)" = 0 ]
    kill_server "$server"

    timeout 60 "$probe" x11 --display ":$((number + 6000))" >"$scratch/out.json" \
        2>"$scratch/err.txt"
    check "no server: exit status 2" [ $? = 2 ]
}

# A server that stops answering, and one that is gone, in the middle of a run.
test_x11_faults() {
    start_xvfb -fakescreenfps 60
    run_probe "stopped server" x11 --seconds 20 --timeout 200 --stop "$server"
    kill -CONT "$server"
    check "stopped server: frames before" [ "$(value presented)" -ge 5 ]
    check "stopped server: given up" [ "$(value unanswered)" -ge 1 ]
    check "stopped server: no error" [ "$(value status)" = success ]

    run_probe "killed server" x11 --seconds 20 --timeout 200 --kill "$server"
    check "killed server: says so" [ "$(value status)" = "the X server cannot be reached" ]
    check "killed server: at once" awk -v s="$(value seconds)" 'BEGIN { exit !(s < 15) }'
    kill_server "$server"
}

if command -v Xvfb >/dev/null && "$probe" x11 --display :9999 2>&1 | grep -q 'no X server'; then
    for rate in 30 60 75 120 144 240; do
        test_rate $rate
    done
    test_x11_ways
    test_x11_faults
else
    skipped="$skipped X11"
fi

# --- Wayland --------------------------------------------------------------------------------------

# answers NAME: a compositor listens there and has said whether it has a seat
answers() {
    "$probe" seat --display "$1" --timeout 10000 2>/dev/null | grep -q '"seat": "\(none\|found\)"'
}

# await_compositor NAME: a minute at most
await_compositor() {
    tries=0
    until answers "$1"; do
        tries=$((tries + 1))
        if [ "$tries" -ge 600 ]; then
            fail "no compositor at $1"
            return
        fi
        sleep 0.1
    done
}

# start_weston BACKEND OPTIONS...: sets server
start_weston() {
    XDG_RUNTIME_DIR=$scratch/run
    export XDG_RUNTIME_DIR
    rm -rf "$XDG_RUNTIME_DIR"
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    weston --backend="$1-backend.so" --use-pixman --socket=wl-es --idle-time=0 --no-config \
        >"$scratch/weston.txt" 2>&1 &
    server=$!
    servers="$servers $server"
    await_compositor wl-es
}

# judges_announced: a rate that is announced and not delivered is found out
judges_announced() {
    awk -v period="$(value period_ns)" -v announced="$(value announced_ns)" \
        'BEGIN { exit !(period <= 1.1 * announced) }' || [ "$(value announced_wrong)" = true ]
}

# run_on_weston WHAT ARGUMENTS...: three tries for what a machine that stands still can spoil
run_on_weston() {
    for try in 1 2 3; do
        run_probe "$1" wayland --display wl-es --frames 15 "$2" "$3" || break
        heard && judges_announced && break
        echo "present: $1, try $try: $(value feedback), period $(value period_ns) ns" >&2
    done
    check_heard "$1"
    check "$1: what is announced is distrusted" judges_announced
}

test_weston_headless() {
    start_weston headless
    run_on_weston "weston headless" --seconds 2
    check "weston headless: frames" [ "$(value presented)" -ge 15 ]
    check "weston headless: seen before told" [ "$(value told_early)" = 0 ]
    check "weston headless: a clock that can be read" [ "$(value clock_known)" = true ]
    check "weston headless: clocks within 1 ms" [ "$(value clock_error_ns)" -le 1000000 ]
    check "weston headless: announces 60 Hz" [ "$(value announced_ns)" = 16666666 ]
    case $(weston --version 2>/dev/null) in
    "weston 10."*)
        check "weston headless: delivers less than announced" \
            [ "$(value period_ns)" -gt 20000000 ]
        check "weston headless: CLOCK_MONOTONIC_RAW" [ "$(value clock_id)" = 4 ]
        ;;
    esac

    "$probe" seat --display wl-es >"$scratch/out.json" 2>"$scratch/err.txt"
    check "weston headless: no seat" [ "$(value seat)" = none ]
    if [ -x "$scratch/sdl2_wayland" ]; then
        WAYLAND_DISPLAY=wl-es timeout 120 "$scratch/sdl2_wayland" >"$scratch/out.json" 2>&1
        check "SDL2 without a seat: ends with a message" [ $? = 1 ]
        check "SDL2 without a seat: says why" grep -q 'no compositor with a seat' "$scratch/out.json"
    fi

    kill -STOP "$server"
    timeout 60 "$probe" seat --display wl-es --timeout 200 >"$scratch/out.json" \
        2>"$scratch/err.txt"
    check "stopped compositor: no answer about the seat" [ "$(value seat)" = "no server" ]
    kill -CONT "$server"
    run_probe "stopped compositor" wayland --display wl-es --seconds 20 --timeout 200 --stop "$server"
    check "stopped compositor: frames before" [ "$(value presented)" -ge 5 ]
    check "stopped compositor: given up" [ "$(value unanswered)" -ge 1 ]
    kill -CONT "$server"
    run_probe "killed compositor" wayland --display wl-es --seconds 20 --timeout 200 --kill "$server"
    check "killed compositor: says so" [ "$(value status)" = "the compositor cannot be reached" ]
    kill_server "$server"
}

# In a window on Xvfb weston has a seat, so SDL2 runs.
test_weston_x11() {
    start_xvfb
    xvfb=$server
    start_weston x11
    run_on_weston "weston on X11" --seconds 1.5
    check "weston on X11: frames" [ "$(value presented)" -ge 15 ]
    check "weston on X11: seen before told" [ "$(value told_early)" = 0 ]
    "$probe" seat --display wl-es >"$scratch/out.json" 2>"$scratch/err.txt"
    check "weston on X11: a seat" [ "$(value seat)" = found ]
    if [ -x "$scratch/sdl2_wayland" ]; then
        WAYLAND_DISPLAY=wl-es timeout 120 "$scratch/sdl2_wayland" >"$scratch/out.json" 2>&1
        check "SDL2 on Wayland: runs" [ $? = 0 ]
        check "SDL2 on Wayland: frames" [ "$(grep -c ' seen at ' "$scratch/out.json")" -ge 15 ]
    fi
    if [ -x "$scratch/sdl2_x11" ]; then
        timeout 120 "$scratch/sdl2_x11" >"$scratch/out.json" 2>&1
        check "SDL2 on X11: runs" [ $? = 0 ]
        check "SDL2 on X11: frames" [ "$(grep -c ' seen at ' "$scratch/out.json")" -ge 30 ]
    fi
    kill_server "$server"
    kill_server "$xvfb"
}

# Sway refuses to run as root.
test_sway() {
    XDG_RUNTIME_DIR=$scratch/sway
    export XDG_RUNTIME_DIR
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    printf 'output HEADLESS-1 mode --custom 640x480@60Hz\nxwayland disable\n' \
        >"$XDG_RUNTIME_DIR/config"
    as_nobody=
    if [ "$(id -u)" = 0 ]; then
        chown -R 65534:65534 "$XDG_RUNTIME_DIR"
        as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
    fi
    # shellcheck disable=SC2086 # words on purpose
    WLR_BACKENDS=headless WLR_LIBINPUT_NO_DEVICES=1 WLR_RENDERER=pixman \
        $as_nobody env HOME="$XDG_RUNTIME_DIR" sway -c "$XDG_RUNTIME_DIR/config" \
        >"$scratch/sway.txt" 2>&1 &
    server=$!
    servers="$servers $server"
    await_compositor wayland-1
    run_probe "sway" wayland --display wayland-1 --seconds 4 --timeout 200
    check "sway: ends within the time-out" \
        awk -v s="$(value seconds)" 'BEGIN { exit !(s < 4 + 0.2 + 5) }'
    check "sway: frames went on" [ "$(value committed)" -ge 15 ]
    check "sway: nothing is left waiting" [ "$(value on_their_way)" = 0 ]
    if [ "$(value presented)" = 0 ]; then
        check "sway: unanswered" [ "$(value unanswered)" -ge 1 ]
        check "sway: silence was noticed" [ "$(value not_requested)" -ge 1 ]
    fi
    "$probe" seat --display wayland-1 >"$scratch/out.json" 2>"$scratch/err.txt"
    check "sway: a seat" [ "$(value seat)" = found ]
    kill_server "$server"
}

# --- the examples of adapters/README.md -----------------------------------------------------------

# example NUMBER NAME LIBRARIES...: compiles the block of that number
example() {
    awk -v wanted="$1" '$0 == "```c" { number += 1; on = number == wanted; next }
        /^```/ { on = 0 } on' adapters/README.md >"$scratch/$2.c"
    name=$2
    shift 2
    checks=$((checks + 1))
    # shellcheck disable=SC2046,SC2086 # words on purpose
    "$compiler" -std=c17 -Wall -Wextra -Werror $flags -I"$home" -Iinclude "$scratch/$name.c" \
        "$@" -lm $(pkg-config --cflags --libs sdl2) -o "$scratch/$name" 2>"$scratch/err.txt" ||
        fail "adapters/README.md: $name does not compile"
}

compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
flags=
case $build in
*asan*) flags=-fsanitize=address,undefined ;;
*tsan*) flags=-fsanitize=thread ;;
*coverage*) flags=--coverage ;;
esac
: >"$scratch/out.json"
library=$(find "$build" -maxdepth 1 -name 'libevenstep.*' | head -n 1)
# what SDL2 and its drivers leak is not ours
leaks=${ASAN_OPTIONS-}
if pkg-config --exists sdl2; then
    parts=$build/adapters
    if [ -f "$parts/libevenstep_x11_present.a" ]; then
        example 1 sdl2_x11 "$parts/libevenstep_x11_present.a" "$library" -lxcb -lxcb-present \
            -lxcb-shm -lxcb-randr
    fi
    if [ -f "$parts/libevenstep_wayland_presentation.a" ]; then
        example 2 sdl2_wayland "$parts/libevenstep_wayland_presentation.a" \
            "$parts/libevenstep_protocol_presentation-time.a" "$library" -lwayland-client
    fi
else
    skipped="$skipped SDL2"
fi

if command -v weston >/dev/null && [ -f "$build/adapters/libevenstep_wayland_presentation.a" ]; then
    test_weston_headless
    if command -v Xvfb >/dev/null; then
        ASAN_OPTIONS=detect_leaks=0
        export ASAN_OPTIONS
        test_weston_x11
        ASAN_OPTIONS=$leaks
    fi
else
    skipped="$skipped weston"
fi
if command -v sway >/dev/null && [ -f "$build/adapters/libevenstep_wayland_presentation.a" ]; then
    test_sway
else
    skipped="$skipped sway"
fi

echo "present: $checks checks, $failures failed${skipped:+; not here:$skipped}"
[ "$checks" -gt 0 ] && [ "$failures" = 0 ]
