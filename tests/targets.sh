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
runtime_directory

listens() {
    [ -S "$XDG_RUNTIME_DIR/wl-es" ]
}

# on RATE OPTIONS ARGS...: present_targets on a compositor of its own; OPTIONS are words
on() {
    rate=$1 options=$2
    what="compositor $1 $2: $3 ${4-} ${5-} ${6-}"
    shift 2
    rm -f "$XDG_RUNTIME_DIR"/*
    # shellcheck disable=SC2086 # words
    start_server "$build/tests/compositor" wl-es "$rate" log $options
    await "a compositor" listens
    LD_PRELOAD=${preload-} timeout 120 "$program" wl-es log "$@" >out 2>err </dev/null
    status=$?
    stop "$server"
}

# presents FILTERS RATE OPTIONS ARGS...: each frame has one fate, in order
presents() {
    filters=$1
    shift
    on "$@"
    equal "$what: ends" "$status" 0
    holds ".ordered, .other == 0, .shown + .discarded >= .frames, .before == 0, .passed == .asked, $filters"
}

# figure RATE OPTIONS ARGS...: the frames before the offset is known are not counted in long
figure() {
    on "$@"
    printf '%-46s mean %s ms, %s of %s at their time, offset %s ns\n' "$what" \
        "$(json .mean_ms)" "$(json .kept)" "$(json .frames)" "$(json .offset_ns)"
    holds '.ordered, .other == 0, .mean_ms <= 0.2'
}

if [ "${1-}" = figures ]; then
    for swap in 1 0; do
        figure 60 "" obey $swap 600 1
        figure 60 "" obey $swap 300 2
        figure 144 "" obey $swap 1440 1
        figure variable "" obey $swap 1000 1
    done
    figure 60 --nearest obey 1 600 1
    figure 144 "--late 6900" obey 0 1440 1
    figure variable "--late 3000" obey 1 1000 1
    finish
fi

in_time='.discarded == 0, .times'
near='.stamp_off_ns < 5000000, .sample_off_ns < 5000000' # of two conversions between clocks
for swap in 0 1; do
    for every in 1 2; do
        presents "$in_time, .variable == false, .refresh_ns == 16666666, .ahead_ns == 33333332, .asked > 0" \
            60 "" obey $swap 30 $every
    done
    presents "$in_time, .refresh_ns == 6944444, .asked > 0" 144 "" obey $swap 60 1
    # it asks for version 1 of presentation-time, by which a variable refresh can be told
    presents "$in_time, .variable, .refresh_ns == 0, .asked > 0" variable "" obey $swap 60 1
done
for clock in 0 4 7; do # CLOCK_REALTIME, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME
    presents "$in_time, .asked > 0, $near" 60 "--clock $clock" obey 1 30 1
done
presents '.asked == 0, .discarded == 0, .times == false, .ahead_ns == 0' 60 "" plain 1 30 1
presents '.shown == 2, .discarded == 0' 60 "" pair
presents '.shown == 1, .discarded == 1' 60 "--without wp_fifo_manager_v1" pair
presents '.asked == 0, .times == false' 60 "--without wp_commit_timing_manager_v1,wp_fifo_manager_v1" plain 1 30 1
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

# misuse MODE INTERFACE NUMBER
misuse() {
    on 60 "" "$1"
    equal "$what" "$(head -n 1 out)" "$2 $3"
    case $1 in
    *-gone) ;;
    *) has "${4-the compositor cannot be reached}" ;;
    esac
}
misuse timer wp_commit_timing_manager_v1 0
misuse fifo wp_fifo_manager_v1 0
misuse time wp_commit_timer_v1 1
misuse nanoseconds wp_commit_timer_v1 0
misuse timer-gone wp_commit_timer_v1 2
misuse fifo-gone wp_fifo_v1 0
misuse reopen none 0 success
finish
