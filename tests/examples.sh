#!/bin/sh
# Every example runs and prints what its first comment says, but 15, which tests/adapters.sh runs. None is
# longer than 130 lines, those of an adapter 102, 19 155, 26 115, 27 200.
#
# EMULATOR and SUFFIX, for programs of another machine: what runs them, and how their names end.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
emulator=${EMULATOR:-}
suffix=${SUFFIX:-}
export SDL_VIDEODRIVER=dummy

for source in "$home"/examples/[0-9]*.c "$home"/examples/[0-9]*.cpp; do
    lines=131
    ! grep -q '^#include "es_[a-z0-9]*\.h"' "$source" || lines=103 # those of an adapter
    [ "${source##*/}" != 19_server.c ] || lines=156
    [ "${source##*/}" != 26_rhythm.c ] || lines=116
    [ "${source##*/}" != 27_emulator.c ] || lines=201
    check "$source: under $lines lines" [ "$(wc -l <"$source")" -lt $lines ]
    check "$source says what one will see" grep -q "You will see" "$source"
    ! grep -q 'es_track[123]_at' "$source" || # frame 0 has no tick: it would show the object at 0, 0
        check "$source sets its tracks in tick 0" grep -Eq 'set\((&[a-z.]+, )?0, ' "$source"
done

# example NAME [ARGUMENT]: prints to $scratch/out
example() {
    what=$1 program=$build/examples/$1$suffix
    shift
    checks=$((checks + 1))
    # shellcheck disable=SC2086 # words
    $emulator "$program" "$@" >"$scratch/raw" 2>&1 || fail "$what: exit status $?: $(cat "$scratch/raw")"
    tr -d '\r' <"$scratch/raw" >"$scratch/out" # Windows ends lines with two characters
}

# is_built NAME NEED
is_built() {
    [ -x "$build/examples/$1$suffix" ] || { echo "examples: $1 is skipped: built without $2" && false; }
}

# prints COUNT PATTERN: so many lines that match
prints() {
    equal "$what: lines with '$2' in $(cat "$scratch/out")" "$(grep -Ec -- "$2" "$scratch/out")" "$1"
}

example 01_first_loop
prints 60 ' ms [|]'
matches 'alpha 0\.[0-9]' # a frame between two ticks
if is_built 02_sdl2_window SDL2; then
    example 02_sdl2_window 1
fi

# virtual time: the same figures everywhere
example 03_from_accumulator
prints 1 'accumulator +0\.[5-7]'
prints 1 'Evenstep +0\.00'
example 05_input
prints 1 '10 s: 168 clicks, 32 by asking, 168 by events'
prints 1 'is shown after 91$'
prints 1 '^0 lost; 670 came when their own tick had run$'
prints 1 'the saved input: the same game'
example 07_rates
prints 1 '^groups per base tick PGc P PG'
matches 'its own 0\.013 rad'
matches '^AI at 60 base ticks: 1[23] per second$'
example 08_replay
for line in 'played: 600 ticks, the same' 'seeked: at tick 317 ball 3 is [0-9.]+ m high' \
    'changed: 600 ticks, another run' '  from tick 38 on: balls.speed'; do
    matches "^$line\$"
done
matches '^  at tick 100: balls.height of ball 0 '
example 09_far_away
matches 'only the newest tick moves: +at most +677\.5 m'
matches 'its past moves, too: +at most +4\.3 m'
example 10_whole_world
matches 'newest tick +at worst +1\.99'
matches 'straight lines +at worst +0\.0899'
matches 'curves +at worst +0\.0002'
matches 'predicted +at worst +0\.359'

example 11_drawn_values
matches 'heading 350 to 10 +265\.0 +180\.0 +95\.0'
matches 'heading 350 to 10 +355\.0 +360\.0 +365\.0'
matches 'zoom 1 to 16 +2\.00 +4\.00 +8\.00'
matches 'tilt 0 to 170 +35\.8 +85\.0 +134\.2'
matches 'tilt 0 to 170 +42\.5 +85\.0 +127\.5'
matches 'dark to bright +0\.54 +0\.74 +0\.88'
matches 'black to white +137 +188 +225'
matches 'digit 1 to 9 +1 +9 +9'
matches '^half way one by one: heading 360\.0, of a track 0\.0, tilt 85\.0 degrees$'
example 23_matrices
matches "the wheel's radius +0\.500 +0\.342 +0\.270"
matches "the wheel's radius +0\.500 +0\.500 +0\.500"
matches "the blade's length +1\.000 +1\.250 +1\.500"
matches "the sprite's width +1\.000 +-1\.000"
example 12_same_frames
matches '^300 of 300 frames as recorded; drawing frame 0 changed sparks$'
example 13_buffers
matches '^without es_loop_acquired: ticks 1\.0 ms, drawing 15\.6 ms per frame; refresh 0\.00 ms$'
matches '^with +es_loop_acquired: ticks 1\.0 ms, drawing +3\.0 ms per frame; refresh 16\.67 ms$'
if is_built 14_own_objects C++; then
    example 14_own_objects
    prints 3 '^[a-z]+ +0\.58 px, by the newest tick +1\.75 px;'
fi
# A level takes 26 s, and its replay 10; the last ten seconds are played again at the end. The newest tick
# alone errs by 22.2 ms: 16.7 in two frames of three, 33.3 in the third.
if is_built evenstep_game SDL2; then
    check "the game: at most 1200 lines" [ "$(cat "$home"/examples/game/* | wc -l)" -le 1200 ]
    example evenstep_game --play --virtual --tick-rate 20 --height 120 --seconds 38
    matches '^REPLAY: 200 TICKS, THE SAME WORLD$'
    prints 2 '^REPLAY: [1-9][0-9]* TICKS, THE SAME WORLD$'
    prints 1 '^smoothness: the drawn player errs by 0\.00[0-9] ms, the newest tick by 22\.[0-9]* ms$'
    prints 1 '^problem: none$'
fi
# The machine's clock, on a machine that may be busy: frames come, not all of them held, if it has the time.
# Which paths are found, and at which ticks, does not depend on the clock.
if is_built 04_two_threads SDL2; then
    for seconds in 1 5 25; do
        example 04_two_threads $seconds
        matches '^[0-9]+ frames, [0-9]+ of them held; .* ms$'
        ! awk '/ frames, / { ok = $1 > 5 && $3 < $1 } END { exit !ok }' "$scratch/out" || break
    done
    check "04: over 5 frames, not all held" awk '/ frames, / { ok = $1 > 5 && $3 < $1 } END { exit !ok }' \
        "$scratch/out"
fi
if is_built 19_server POSIX; then
    example 19_server 2
    prints 4 '^room [0-3]: [1-9][0-9]* ticks, [0-9]+ dropped, late by [0-9]+ us on average, each took [0-9]+ us$'
    prints 1 '^udp on 127'
fi
if is_built 28_client POSIX; then
    $emulator "$build/examples/19_server$suffix" 60 0 >"$scratch/server" &
    server=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.2
        port=$(sed -n 's/^udp on 127.0.0.1://p' "$scratch/server")
        [ -z "$port" ] || break
    done
    example 28_client "$port" 3 0 0.05
    matches '^[1-9][0-9]+ snapshots, [0-9]+ dropped; 99 % come within [0-9.]+ ms; shown [0-9.]+ ms later; '
    prints 0 'nan'
    kill $server
    wait $server
fi
example 29_own_player
matches '^the player moves in tick 1, the server in tick 7$'
matches 'the picture moves by at most 5\.[01] px in a frame, the player by 5\.0$'
matches '^at the end the server has 55\.000, the client had 55\.000$'
# The sound drivers without a sound card keep no exact time: only what is read and played counts.
export SDL_AUDIODRIVER=dummy
if is_built 26_rhythm SDL2; then
    example 26_rhythm 2
    matches '[1-9][0-9]+ readings of the sound card, '
    SDL_AUDIODRIVER=disk SDL_DISKAUDIOFILE="$scratch/sound.raw" example 26_rhythm 2
    check "26: the disk has samples" [ "$(wc -c <"$scratch/sound.raw")" -gt 100000 ]
    example 27_emulator 2 60.0988
    matches '[0-9]+ console frames not shown, [0-9]+ frames with nothing new, sound empty [0-9]+ times'
fi
example 06_sliced_path
matches '^the same paths at the same ticks'
prints 2 ' a path of 1072 cells; [0-9]+ cells forced, 0 late$'
example 22_camera
prints 3 '^ *[0-9]+ Hz  es_camera +35\.7 px, trembles by 0\.000 px$'
prints 3 'by the clock +3[0-9.]+ px, trembles by (0\.99|1\.0)[0-9]+ px$'
matches 'a tenth per frame +90\.0 px'
matches 'a tenth per frame +18\.8 px'
matches '^shaken by -?[0-6]\.[0-9] px; after a respawn at 5000 it shows 5000$'
matches '^follow 0: behind by 0\.119, 0\.119 and 0\.119 rad$'
matches '^follow 1: behind by 0\.000, 0\.000 and 0\.000 rad$'
cd "$scratch" || exit 1
example 21_saved_state
matches '^run twice, tick 0: nothing differs$'
matches '^saved 12 bytes, loaded the same state$'
matches '^run twice, tick [1-9][0-9]*: [a-z]+ differs$'
example 24_mouse_look
prints 1 '^(4[0-9][0-9]) shots: \1 hit what was drawn, 2[0-9]+ the newest tick; again: same$'
example 25_found_cuts
prints 2 '^(walks|knocked back) +3 frames on the way$'
prints 2 '^(teleports|reused) +0 frames on the way$'
example 20_verified_game . 3 # tests/verify_command.sh verifies such matches
prints 1 '^3 matches; match 1 has a cheater\. Find it:$'
equal "recordings" "$(ls ./*.esrec | wc -l)" 3
finish
