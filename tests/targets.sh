#!/bin/sh
# Frames with targets on tests/compositor.c, by adapters/wayland_presentation.h: order, counts, errors, and that
# nothing is seen before its time. Those hold on a busy machine, too.
#
#   sh tests/targets.sh figures    how far frames are from their targets, for an idle machine: fails where the
#                                  mean is over 0.2 ms
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1
unset DISPLAY WAYLAND_DISPLAY WAYLAND_SOCKET
what=targets
context="cat out err"
program=$build/tests/present_targets
[ -f "$program" ] || skip "no wayland-server"
priority=
if [ $# -gt 0 ]; then
    priority="chrt -f 5" # as compositors have it
    $priority true || priority=
fi
runtime_directory

# listen RATE OPTIONS: a new compositor; OPTIONS are words
listen() {
    rm -f "$XDG_RUNTIME_DIR"/*
    # shellcheck disable=SC2086 # words
    start_server $priority "$build/tests/compositor" wl-es "$1" log $2
    await "a compositor" answers wl-es
}

# on RATE OPTIONS ARGS...: present_targets on a compositor of its own
on() {
    what="compositor $1 $2: $3 ${4-} ${5-} ${6-}"
    listen "$1" "$2"
    shift 2
    # shellcheck disable=SC2086 # words
    LD_PRELOAD=${preload-} timeout 120 $priority "$program" wl-es log "$@" >out 2>err </dev/null
    status=$?
    stop "$server"
}

# presents FILTERS RATE OPTIONS ARGS...: each frame has one fate, in order
presents() {
    filters=$1
    shift
    on "$@"
    equal "$what: ends" "$status" 0
    holds ".ordered == 1, .other == 0, .shown + .discarded == .frames, .before == 0, .passed == .asked, $filters"
}

# figure RATE OPTIONS ARGS...: three tries; all are printed
figure() {
    for _ in 1 2 3; do
        on "$@"
        printf '%-46s mean %s ms, %s of %s at their time, offset %s ns\n' "$what" \
            "$(json .mean_ms)" "$(json .kept)" "$(json .frames)" "$(json .offset_ns)"
        [ "$(json ".mean_ms <= $bar")" != true ] || break
    done
    holds ".ordered == 1, .other == 0, .mean_ms <= $bar"
}

if [ "${1-}" = figures ]; then
    bar=0.2
    for swap in 1 0; do
        figure 60 "" obey $swap 600 1
        figure 60 "" obey $swap 300 2
        figure 144 "" obey $swap 1440 1
        figure variable "" obey $swap 1000 1
    done
    figure 60 --nearest obey 1 600 1
    bar=0.5 # with the frames by which the offset is learned
    figure 144 "--late 6900" obey 0 1440 1
    figure variable "--late 3000" obey 1 1000 1
    finish
fi

in_time='.discarded == 0, .times == 1'
near='.stamp_off_ns < 5000000, .sample_off_ns < 5000000' # of two conversions between clocks
for swap in 0 1; do
    for every in 1 2; do
        presents "$in_time, .variable == 0, .refresh_ns == 16666666, .ahead_ns == 33333332, .asked > 0" \
            60 "" obey $swap 30 $every
    done
    presents "$in_time, .refresh_ns == 6944444, .asked > 0" 144 "" obey $swap 60 1
    # it asks for version 1 of presentation-time, by which a variable refresh can be told
    presents "$in_time, .variable == 1, .refresh_ns == 0, .asked > 0" variable "" obey $swap 60 1
done
presents "$in_time, .asked > 0" 60 --nearest obey 0 30 1
for clock in 0 4 7; do # CLOCK_REALTIME, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME
    presents "$in_time, .asked > 0, $near" 60 "--clock $clock" obey 1 30 1
done
presents '.asked == 0, .discarded == 0, .times == 0, .ahead_ns == 0' 60 "" plain 1 30 1
presents '.shown == 2, .discarded == 0' 60 "" pair
presents '.shown == 1, .discarded == 1' 60 "--without wp_fifo_manager_v1" pair
presents '.asked == 0, .times == 0' 60 "--without wp_commit_timing_manager_v1,wp_fifo_manager_v1" plain 1 30 1
for missing in "wp_commit_timing_manager_v1|the compositor takes no target times" \
    "wp_presentation|the compositor lacks wp_presentation"; do
    on 60 "--without ${missing%|*}" obey 1 30 1
    equal "$what" "$status $(cat err)" "1 present_targets: ${missing#*|}"
done

# a library of that name is enough
cp "$(ldd "$program" | awk '/libwayland-client/ { print $3 }')" libvulkan.so.1
preload=$scratch/libvulkan.so.1
on 60 "" obey 1 30 1
preload=
equal "$what, beside a Vulkan driver" "$status $(cat err)" \
    "1 present_targets: a Vulkan or EGL driver may time this surface"

for mistake in "timer|wp_commit_timing_manager_v1 0: the compositor cannot be reached, is gone or does not answer" \
    "fifo|wp_fifo_manager_v1 0: the compositor cannot be reached, is gone or does not answer" \
    "time|wp_commit_timer_v1 1: the compositor cannot be reached, is gone or does not answer" \
    "skip|none 0: success" "reopen|none 0: success"; do
    on 60 "" "${mistake%%|*}"
    equal "$what" "$(cat out)" "${mistake#*|}"
done
finish
