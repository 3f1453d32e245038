#!/bin/sh
# The capture layer through the Vulkan loader, with vkcube drawn by Mesa's llvmpipe: on X11, on the Wayland
# compositor of tests/compositor.c and on sway, by name and as an implicit layer. A row per frame; on Wayland the
# screen times are those that the compositor wrote down. What is not installed is left out, and reported.
#
#   sh tests/layer.sh figures    also how far screen times are apart, for an idle machine
# shellcheck source=tests/lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1
unset DISPLAY WAYLAND_DISPLAY WAYLAND_SOCKET EVENSTEP_CAPTURE EVENSTEP_CAPTURE_OFF VK_INSTANCE_LAYERS
context="cat out err"
: >out
: >err
layer=$build/capture/layer
[ -f "$layer/libVkLayer_evenstep_capture.so" ] || skip "no Vulkan headers"
need vkcube
skipped=
VK_ADD_LAYER_PATH=$layer
VK_ICD_FILENAMES=$(find /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d -name 'lvp_icd*.json' 2>/dev/null | head -n 1)
export VK_ADD_LAYER_PATH VK_ICD_FILENAMES
[ -n "$VK_ICD_FILENAMES" ] || skip "no llvmpipe for Vulkan"
by_name=VK_INSTANCE_LAYERS=VK_LAYER_EVENSTEP_capture

# cube FRAMES PROGRAM VARIABLE...: ends by itself
cube() {
    frames=$1 program=$2
    shift 2
    what="$program $*"
    check "$what: ends" env "$@" timeout 120 "$program" --c "$frames" >out 2>err </dev/null
}

# rows COUNT FILE: whole ones, with rising times
rows() {
    equal "$what: rows" "$(($(wc -l <"$2") - 1)) $(wc -c <"$2")" "$1 $((128 * ($1 + 1)))"
    equal "$what: rows that are wrong" "$(awk -F, 'NR > 1 && (NF != 9 || $2 == 0 || $4 > $5 || $5 > $6 ||
        $4 < returned || ($7 + 0 && $7 < $5)) { print NR } { returned = $6 + 0 }' "$2")" ""
}

# screen_times FILE: those that there are
screen_times() {
    awk -F, 'NR > 1 && $7 + 0 { print $7 + 0 }' OFMT=%.0f CONVFMT=%.0f "$1"
}

test_x11() {
    start_xvfb
    cube 100 vkcube $by_name EVENSTEP_CAPTURE=x11.csv
    rows 100 x11.csv
    equal "$what: the layer says" "$(grep '^evenstep' err)" ""
    ends 0 measure x11.csv
    has "evenstep capture, vkcube, 100 frames"
    has "the file has no screen times"
    # a file that exists stays as it is
    cp x11.csv before.csv
    cube 3 vkcube $by_name EVENSTEP_CAPTURE=x11.csv
    same "$what" x11.csv before.csv
    equal "$what: the layer says" "$(grep '^evenstep' err)" "evenstep capture: x11.csv: File exists"
    cube 3 vkcube $by_name EVENSTEP_CAPTURE=no/such/x.csv
    equal "$what: the layer says" "$(grep '^evenstep' err)" "evenstep capture: no/such/x.csv: No such file or directory"
    cube 3 vkcube $by_name # loaded, but not asked for a file
    equal "$what: the layer says" "$(grep '^evenstep' err)" ""
    # killed
    env $by_name EVENSTEP_CAPTURE=killed.csv vkcube >out 2>err </dev/null &
    cube=$!
    await "ten rows" has_rows 10 killed.csv
    kill -KILL $cube
    wait $cube 2>/dev/null
    what="killed program"
    rows $(($(wc -l <killed.csv) - 1)) killed.csv
    test_implicit
    stop "$server"
}

has_rows() {
    [ -f "$2" ] && [ "$(wc -l <"$2")" -gt "$1" ]
}

# as an installed layer, which the variable alone switches on
test_implicit() {
    mkdir -p data/vulkan/implicit_layer.d
    cp "$layer/VkLayer_evenstep_capture.json" data/vulkan/implicit_layer.d/
    for off in EVENSTEP_CAPTURE= EVENSTEP_CAPTURE_OFF=1; do
        cube 20 vkcube XDG_DATA_HOME="$scratch/data" VK_ADD_LAYER_PATH= EVENSTEP_CAPTURE=1 $off
        equal "$what: files" "$(find . -name 'evenstep-capture*')" ""
    done
    cube 20 vkcube XDG_DATA_HOME="$scratch/data" VK_ADD_LAYER_PATH= EVENSTEP_CAPTURE=1
    equal "$what: files" "$(find . -name 'evenstep-capture*' | sed 's/[0-9][0-9]*/PID/')" "./evenstep-capture-PID.csv"
    rows 20 evenstep-capture-*.csv
}

# Row n is commit n + 1, as the first one has no image. The last rows may end before they are shown.
test_wayland() {
    runtime_directory
    start_server "$build/tests/compositor" wl-es 60 "$scratch/log"
    await "a compositor" answers wl-es
    cube 100 vkcube-wayland $by_name EVENSTEP_CAPTURE=wayland.csv WAYLAND_DISPLAY=wl-es
    stop "$server"
    rows 100 wayland.csv
    screen_times wayland.csv >ours
    awk '$1 == "shown" && $3 > 1 { print $6 }' log >theirs
    check "$what: screen times" [ "$(wc -l <ours)" -ge 20 ]
    equal "$what: other screen times than the compositor's" \
        "$(head -n "$(wc -l <ours)" theirs | cmp - ours 2>&1)" ""
    ends 0 measure wayland.csv
    has "screen times:  as the system reported them"
    has "refresh:       60 Hz"
    [ "${1-}" != figures ] || awk 'NR > 1 { printf "%.3f\n", ($1 - last) / 1e6 } { last = $1 }' ours |
        sort -n | uniq -c | sed 's/$/ ms between screen times/'
    # without wp_presentation there are none
    start_server "$build/tests/compositor" wl-no 60 "$scratch/log" --without wp_presentation
    await "a compositor" is_socket wl-no
    cube 20 vkcube-wayland $by_name EVENSTEP_CAPTURE=without.csv WAYLAND_DISPLAY=wl-no
    rows 20 without.csv
    equal "$what: screen times" "$(screen_times without.csv)" ""
    # nor by another clock: 4 is CLOCK_MONOTONIC_RAW
    start_server "$build/tests/compositor" wl-raw 60 "$scratch/log" --clock 4
    await "a compositor" is_socket wl-raw
    cube 20 vkcube-wayland $by_name EVENSTEP_CAPTURE=raw.csv WAYLAND_DISPLAY=wl-raw
    rows 20 raw.csv
    equal "$what: screen times" "$(screen_times raw.csv)" ""
}

is_socket() {
    [ -S "$XDG_RUNTIME_DIR/$1" ]
}

# wlroots 0.15 never answers: it only must not disturb
test_sway() {
    start_sway 640x480 60
    await "a compositor" answers wayland-1
    cube 100 vkcube-wayland $by_name EVENSTEP_CAPTURE=sway.csv WAYLAND_DISPLAY=wayland-1
    rows 100 sway.csv
    stop "$server"
}

if has_all Xvfb; then
    test_x11
fi
if has_all vkcube-wayland tests/compositor tests/present_wayland; then
    test_wayland "$@"
    if has_all sway; then
        test_sway
    fi
fi
[ "$checks" -gt 0 ] || skip "not here:$skipped"
finish "${skipped:+not here:$skipped}"
