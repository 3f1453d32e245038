#!/bin/sh
# Every example runs, and shows what its first comment says. None is longer than 120 lines.
#
# EMULATOR and SUFFIX, for programs of another machine: what runs them, and how their names end.
set -u
emulator=${EMULATOR:-}
suffix=${SUFFIX:-}
examples=${BUILD_DIR:?}/examples
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1" >&2
}

# run NAME ARGUMENT...
run() {
    program=$examples/$1$suffix
    shift
    # shellcheck disable=SC2086 # a list of words on purpose
    $emulator "$program" "$@"
}

for source in examples/[0-9]*.c; do
    [ "$(wc -l <"$source")" -lt 120 ] || fail "$source has 120 lines or more"
    grep -q "You will see" "$source" || fail "$source does not say what one will see"
done

output=$(run 01_first_loop) || fail "01: exit status $?"
[ "$(echo "$output" | grep -c ' ms |')" = 60 ] || fail "01: not 60 frames"
echo "$output" | grep -q 'alpha 0\.[0-9]' || fail "01: no frame between two ticks"

if [ -x "$examples/02_sdl2_window$suffix" ]; then
    SDL_VIDEODRIVER=dummy run 02_sdl2_window 1 || fail "02: exit status $?"
else
    echo "02 is skipped: built without SDL2"
fi

# virtual time: the same figures everywhere
output=$(run 03_from_accumulator) || fail "03: exit status $?"
echo "$output" | grep -Eq 'accumulator +0\.[5-7]' || fail "03: before: $output"
echo "$output" | grep -Eq 'Evenstep +0\.00' || fail "03: after: $output"

output=$(run 08_replay) || fail "08: exit status $?"
echo "$output" | grep -Eq '^played: 600 ticks, the same$' || fail "08: played: $output"
echo "$output" | grep -Eq '^sought: at tick 317 ball 3 is [0-9.]+ m high$' || fail "08: sought: $output"
echo "$output" | grep -Eq '^changed: 600 ticks, another run$' || fail "08: changed: $output"
echo "$output" | grep -Eq '^  from tick 38 on: balls.speed$' || fail "08: divergence: $output"
echo "$output" | grep -Eq '^  at tick 100: balls.height of ball 0 ' || fail "08: located: $output"
# In real time, on a machine that may be busy: that pictures came, and none of the updates failed.
if [ -x "$examples/04_two_threads$suffix" ]; then
    output=$(SDL_VIDEODRIVER=dummy run 04_two_threads 1) || fail "04: exit status $?: $output"
    echo "$output" | grep -Eq '^[0-9]+ frames, [0-9]+ of them held; .* ms; result 0$' ||
        fail "04: $output"
    frames=${output%% frames*}
    held=${output#*frames, }
    held=${held%% of*}
    [ "$frames" -gt 5 ] || fail "04: hardly a frame: $output"
    [ "$held" -lt "$frames" ] || fail "04: all are held: $output"
else
    echo "04 is skipped: built without SDL2"
fi

output=$(run 05_input) || fail "05: exit status $?"
echo "$output" | grep -q '10 s: 168 clicks,  34 by asking, 168 by events' || fail "05: $output"
[ "$(echo "$output" | grep -c 'waiting')" = 10 ] || fail "05: not ten seconds"
echo "$output" | grep -q 'ring is full' && fail "05: the ring is full"

# on the machine's clock: what is found and when does not depend on it
output=$(run 06_sliced_path) || fail "06: exit status $?: $output"
echo "$output" | grep -q '^the same paths at the same ticks' || fail "06: $output"
[ "$(echo "$output" | grep -c ' a path of 1072 cells, 0 late$')" = 2 ] || fail "06: paths: $output"

output=$(run 07_rates) || fail "07: exit status $?"
echo "$output" | grep -Eq '^before +290 +30 +50' || fail "07: before: $output"
echo "$output" | grep -E '^after' | grep -q 290 && fail "07: after: $output"
echo "$output" | grep -Eq 'its own 0\.013 rad' || fail "07: alpha: $output"

output=$(run 09_far_away) || fail "09: exit status $?"
echo "$output" | grep -Eq 'only the newest tick moves: +at most +677\.5 m' || fail "09: newest: $output"
echo "$output" | grep -Eq 'its past moves, too: +at most +4\.3 m' || fail "09: past: $output"

output=$(run 10_whole_world) || fail "10: exit status $?"
echo "$output" | grep -Eq 'newest tick +at worst +1\.99' || fail "10: newest tick: $output"
echo "$output" | grep -Eq 'straight lines +at worst +0\.0899' || fail "10: lines: $output"
echo "$output" | grep -Eq 'curves +at worst +0\.0002' || fail "10: curves: $output"

output=$(run 11_drawn_values) || fail "11: exit status $?"
echo "$output" | grep -Eq 'heading 350 to 10 +265\.0 +180\.0 +95\.0' || fail "11: plain: $output"
echo "$output" | grep -Eq 'heading 350 to 10 +355\.0 +360\.0 +365\.0' || fail "11: angle: $output"
echo "$output" | grep -Eq 'zoom 1 to 16 +2\.00 +4\.00 +8\.00' || fail "11: ratio: $output"
echo "$output" | grep -Eq 'black to white +137 +188 +225' || fail "11: sRGB: $output"

echo "examples: $failures failed"
[ "$failures" = 0 ]
