#!/bin/sh
# es_sdl2.h and es_glfw.h in a real window (tests/adapter_window.c) on a virtual X display: the refresh, keys,
# hidden and shown again, another size; and their examples. In the full run also under sway without a screen.
#
# Nothing is judged by the time of one frame: a state is awaited, or counts are compared.
# shellcheck source=tests/lib.sh disable=SC2016 # conditions of awk are in single quotes
. "$(dirname "$0")/lib.sh"
need Xvfb xdotool
fatal=yes
cd "$scratch" || exit 1
context="cat rows err"
: >rows
: >err
unset WAYLAND_DISPLAY SDL_VIDEODRIVER

# begin LIBRARY: its window; sets shown. False: there is none
begin() {
    : >rows
    "$build/tests/adapter_window_$1" 120 >rows 2>err </dev/null &
    shown=$!
    children="$children $shown"
    await "$1: frames" has_begun
    row '$4 + $5 >= 10'
}
has_begun() {
    row '$4 + $5 >= 10' || ! kill -0 "$shown" 2>kill.txt
}

# The columns of the last whole row, as in adapter_window.c
# row CONDITION: of awk, holds in it
row() {
    awk "NF == 12 { row = \$0 } END { \$0 = row; exit !($1) }" rows
}
# column NUMBER
column() {
    awk -v column="$1" 'NF == 12 { value = $column } END { print value }' rows
}

# each press is seen once, also of a key that is held until the server repeats it
test_keys() {
    check "$1: focus" timeout 30 xdotool windowfocus --sync "$window"
    check "$1: keys" xdotool key space key space keydown space
    sleep 0.8
    check "$1: a key is let go" xdotool keyup space
    await "$1: three presses and releases" row '$6 >= 3 && $7 >= 3'
    equal "$1: presses and releases" "$(column 6) $(column 7)" "3 3"
}

# hidden, ticks go on, nothing is drawn, and waiting costs little; shown again, no time is caught up
test_hidden() {
    check "$1: hide" timeout 30 xdotool windowunmap --sync "$window"
    await "$1: not visible" row '$5 > 0'
    drawn=$(column 4) ticks=$(column 2) ms=$(column 1) cpu=$(used "$shown")
    sleep 0.7
    await "$1, hidden: ticks go on" row "\$2 > $ticks + 50"
    equal "$1, hidden: frames drawn" "$(column 4)" "$drawn"
    check "$1, hidden: at most 30 % of a CPU" [ $((($(used "$shown") - cpu) * 1000)) -le $((($(column 1) - ms) * 30)) ]
    check "$1: show" timeout 30 xdotool windowmap --sync "$window"
    await "$1: drawn again" row "\$4 > $drawn + 5"
    # 70 ticks were hidden; a busy machine may have withheld 25 (catch_up_max_ns), which it then makes up
    check "$1: no tick is ahead of the time" row "(\$2 - $ticks) * 10 < \$1 - $ms + 350"
}

test_window() {
    [ -x "$build/tests/adapter_window_$1" ] || return
    check "$1: a window" begin "$1"
    window=$(timeout 30 xdotool search --sync --onlyvisible --pid "$shown" | tail -n 1)
    test_keys "$1"
    if [ "$(column 10)" = 0 ] && command -v xrandr >/dev/null; then # Xvfb announces no refresh
        check "another mode" sh -c "$announce_50_hz"
        [ "$1" = sdl2 ] || await "$1: another mode is followed" row '$10 == 50'
    fi
    # at 50 Hz where that is announced, else as SDL2 paces its presents: found, or kept by a timer
    await "$1: refresh" row '$10 > 0 ? ($12 / 20000 - 1) ^ 2 < 0.0025 : $11 == 1 || $11 == 2'
    test_hidden "$1"
    check "$1: resize" timeout 30 xdotool windowsize "$window" 400 300
    await "$1: another size" row '$8 == 400 && $9 == 300'
    tested="$tested $1"
    stop "$shown"
}

# example NAME: ends by itself
example() {
    [ -x "$build/examples/$1" ] || return
    timeout 60 "$build/examples/$1" 0.3 >out 2>&1
    equal "$1: exit status" $? 0
    matches 'refreshes: [0-9.]+ ms apart' out
}

# Wayland tells SDL2 and GLFW nothing of a hidden window: presents block, SDL2's for 0.1 s. Ticks go on, or
# the time is a gap; none is caught up. Keys only for SDL2: wtype makes key codes of its own, which GLFW reads.
test_sway() {
    [ -x "$build/tests/adapter_window_$1" ] || return
    if ! begin "$1"; then # libglfw3 of Debian 12 has X11 alone
        left_out="$left_out $1 on sway"
        return
    fi
    await "$1: announced and found" row '$10 == 60 && $11 == 1 && ($12 / 16667 - 1) ^ 2 < 0.01'
    if [ "$1" = sdl2 ] && command -v wtype >/dev/null; then
        check "$1: keys" timeout 30 wtype -s 500 -k space -k space -s 50 -k space
        await "$1: three presses and releases" row '$6 >= 3 && $7 >= 3'
        equal "$1: presses and releases" "$(column 6) $(column 7)" "3 3"
    fi
    check "$1: hide" swaymsg -q move to scratchpad
    ticks=$(column 2) ms=$(column 1) drawn=$(column 4) cpu=$(used "$shown")
    sleep 1
    check "$1, hidden: at most 30 % of a CPU" [ $((($(used "$shown") - cpu) * 1000)) -le \
        $((($(column 1) - ms) * 30 + 3000)) ]
    [ "$1" != sdl2 ] || await "$1, hidden: ticks go on" row "\$2 > $ticks + 50"
    check "$1: show" swaymsg -q scratchpad show
    await "$1: drawn again" row "\$4 > $drawn + 30"
    check "$1: no tick is ahead of the time" row "(\$2 - $ticks) * 10 < \$1 - $ms + 350"
    check "$1: resize" swaymsg -q resize set 400 300
    await "$1: another size" row '$8 == 400 && $9 == 300'
    tested="$tested $1 on sway"
    stop "$shown"
}

tested=
left_out=
start_xvfb
test_window glfw
test_window sdl2
example 02_sdl2_window
example 15_glfw_window
if [ -n "${EVENSTEP_FULL-}" ] && command -v sway swaymsg >/dev/null && [ -x "$build/tests/present_wayland" ]; then
    unset DISPLAY
    start_sway 640x480 60
    await "a compositor" answers wayland-1
    export WAYLAND_DISPLAY=wayland-1 SDL_VIDEODRIVER=wayland
    SWAYSOCK=$(ls "$XDG_RUNTIME_DIR"/sway-ipc.*.sock)
    export SWAYSOCK
    test_sway sdl2
    test_sway glfw
fi
finish "tested:$tested${left_out:+; left out:$left_out}"
