#!/bin/sh
# `bench_blend_error` as a person uses it: no frame is beyond its documented bound, at any rate; the
# bounds are those of docs/blending.md; the same bytes again; every error one line; well-formed JSON
# and SVG.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
command=$build/bench_blend_error
cd "$scratch" || exit 1

# --- bounds ---------------------------------------------------------------------------------------

# no frame is beyond its bound, in the program's eyes and in ours
for rates in 5:60 5:30 30:144 50:60 60:240 59.94:60 128:1000 3:1000 "30:144 --seconds 5" 20:240; do
    # shellcheck disable=SC2046 # words
    run json --tick-rate $(echo "$rates" | sed 's/:/ --refresh /') --json
    holds '.results | length == 9 * 11, all(.within and .largest_mm <= .bound_mm + 1e-6
        and .mean_mm <= .largest_mm + 1e-6)'
done

# The formulas of docs/blending.md at T = 0.05 s: a T^2 / 8, |p''''| T^4 / 384, a T^2 / 2, the blend's
# 5/8 a T^2. Jumps: dv at s = 1.03 s, 3/5 of its tick: dv 3/5 2/5 T; dv (C - s) until the next tick.
# What is exact: nothing leaps. After a silence the frame goes on from where it is.
# motions | ways | figure | least | most
while IFS='|' read -r motions ways key least most; do
    for motion in $motions; do
        for way in $ways; do
            what="$motion, $way, $key"
            holds "[.results[] | select(.motion == \"$motion\" and .way == \"$way\") | .${key# }
                | . >= $least and . <= $most] == [true]"
        done
    done
done <<'TABLE'
circle | interpolate | bound_mm | 3.1 | 3.126
circle | interpolate | largest_mm | 3.1 | 3.126
circle | interpolate-behind | delay_ms | 50 | 50
circle | hermite | bound_mm | 0.00015 | 0.000165
circle | hermite | largest_mm | 0.0001 | 0.000165
circle | catmull-rom | largest_mm | 0.04 | 0.081
circle | monotone | bound_mm | 9 | 9.376
circle | extrapolate-snap | bound_mm | 12.4 | 12.51
circle | extrapolate-snap | largest_mm | 12.4 | 12.51
circle | extrapolate | bound_mm | 15.5 | 15.64
circle | extrapolate | largest_mm | 15.5 | 15.64
stop | interpolate | bound_mm | 110 | 120.01
stop | hermite | largest_mm | 40 | 74.1
stop | extrapolate-snap | bound_mm | 190 | 200.01
stop | extrapolate | bound_mm | 240 | 250
stop | extrapolate-contact | largest_mm | 0 | 0.00001
bounce | extrapolate-contact | largest_mm | 0 | 270
bounce | hermite | largest_mm | 0 | 149
line | interpolate interpolate-behind hermite catmull-rom monotone | largest_mm | 0 | 0.000001
line | extrapolate extrapolate-ballistic extrapolate-decay extrapolate-snap | largest_mm | 0 | 0.000001
line | extrapolate-contact | largest_mm | 0 | 0.000001
fall | hermite catmull-rom extrapolate-ballistic | largest_mm | 0 | 0.000001
teleport | extrapolate | jump_mm | 0 | 0.000001
silence | extrapolate-decay | jump_mm | 0 | 100
circle | extrapolate-snap | jump_mm | 10 | 12.51
circle | extrapolate | jump_mm | 0 | 1
TABLE
has_keys json blend ticks_per_second frames_per_second seconds motions ways results name title speed \
    motion way frames largest_mm mean_mm bound_mm jump_mm delay_ms within

# --- tables, JSON and pictures: the same bytes again ----------------------------------------------

run table
run again
same "the table again" table again
has "20 ticks/s, drawn at 240 frames/s, 2 s; objects move at about 10 m/s" table
has "bounce: a ball that meets the floor at 10 m/s" table
has "  extrapolate-ballistic " table
is_narrow table
for round in 1 2; do
    run table.$round --motion bounce,circle,bounce --show hermite,monotone --tick-rate 5 --refresh 60 \
        --json json.$round --svg svg.$round
    run nothing --kinds --svg kinds.$round
done
for made in table json svg kinds; do
    same "$made" $made.1 $made.2
done
has "5 ticks/s, drawn at 60 frames/s" svg.1
holds '.results | length == 2 * 2' json.1
run stdout.kinds --kinds --svg -
same "kinds" stdout.kinds kinds.1
run stdout.svg --svg -
for picture in svg.1 kinds.1 stdout.svg; do
    well_formed $picture
done

# --- errors ---------------------------------------------------------------------------------------

run help --help
has "--motion NAMES"
errors <<'TABLE'
--motion orbit | 2 | --motion: unknown name in 'orbit'; known motions: line, circle, fall
--motion line,,circle | 2 | --motion: unknown name in 'line,,circle'
--show smooth | 2 | --show: unknown name in 'smooth'; known ways: interpolate, interpolate-behind
--tick-rate 0 | 2 | --tick-rate: expected a rate, 1 to 1000
--tick-rate 0.5 | 2 | --tick-rate: expected a rate, 1 to 1000
--refresh 2000 | 2 | --refresh: expected a rate, 1 to 1000
--tick-rate 60 --refresh 30 | 2 | --refresh must be at least --tick-rate
--seconds 11 | 2 | --seconds: expected seconds, 1 to 10
--seconds 0 | 2 | --seconds: expected
--kinds --show step --svg y | 2 | do not go with --kinds
--kinds | 2 | --kinds is a drawing: give --svg
--kinds --svg x --json y | 2 | goes without --json
--svg - --json - | 2 | --json - and --svg - cannot both be stdout
--svg --json | 2 | --svg needs a value
--speed 3 | 2 | unknown or ill-formed option '--speed'
circle | 2 | unexpected argument 'circle'
TABLE
not_writable --json --svg -- --motion line
finish
