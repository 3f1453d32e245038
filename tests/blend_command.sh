#!/bin/sh
# `bench_blend_error` as a person uses it: no frame is beyond its documented bound, at any rate; the
# bounds are those of docs/blending.md; the same bytes again; every error one line; well-formed JSON
# and SVG.
program=bench_blend_error
. tests/command_support.sh

# rows FILE: "motion way largest mean bound jump delay within", a line per result
rows() {
    awk -F'[:,]' '/"motion":/ { row = "" } /"results"/ { on = 1 }
        on && NF > 1 { value = $2; gsub(/[ "]/, "", value); row = row " " value }
        on && /"within"/ { print row }' "$1" | sed 's/^ *\[* *//' |
        awk '{ print $1, $2, $4, $5, $6, $7, $8, $9 }'
}

# --- bounds ---------------------------------------------------------------------------------------

# bounded ARGS...: no frame beyond its bound, in the program's eyes and in ours
bounded() {
    run "$scratch/json" "$@" --json
    parses "$scratch/json"
    rows "$scratch/json" >"$scratch/rows"
    checks=$((checks + 1))
    [ "$(wc -l <"$scratch/rows")" = 108 ] || fail "$*: not 9 motions x 12 ways"
    checks=$((checks + 1))
    awk '$8 != "true" || $3 > $5 + 1e-6 || $4 > $3 + 1e-6' "$scratch/rows" >"$scratch/beyond"
    [ -s "$scratch/beyond" ] && fail "$*: beyond its bound: $(head -n 3 "$scratch/beyond")"
}

for rates in "20 240" "5 60" "5 30" "30 144" "50 60" "60 240" "59.94 60" "128 1000" "3 1000"; do
    # shellcheck disable=SC2086 # two words
    set -- $rates
    bounded --tick-rate "$1" --refresh "$2"
done
bounded --tick-rate 30 --refresh 144 --seconds 5
bounded --tick-rate 20 --refresh 240
cp "$scratch/json" "$scratch/json.20"
cp "$scratch/rows" "$scratch/rows.20"

# largest MOTION WAY COLUMN LEAST MOST: 3 largest, 4 mean, 5 bound, 6 jump, 7 delay
within() {
    checks=$((checks + 1))
    value=$(awk -v m="$1" -v w="$2" -v c="$3" '$1 == m && $2 == w { print $c }' "$scratch/rows.20")
    awk -v v="$value" -v least="$4" -v most="$5" \
        'BEGIN { exit !(v != "" && v >= least && v <= most) }' ||
        fail "$1, $2: column $3 is $value, not $4 to $5"
}

# The formulas of docs/blending.md at T = 0.05 s: a T^2 / 8, |p''''| T^4 / 384, a T^2 / 2, the blend's
# 5/8 a T^2
within circle interpolate 5 3.1 3.126
within circle interpolate 3 3.1 3.126
within circle interpolate-behind 7 50 50
within circle hermite 5 0.00015 0.000165
within circle hermite 3 0.0001 0.000165
within circle catmull-rom 3 0.04 0.081
within circle monotone 5 9 9.376
within circle extrapolate-snap 5 12.4 12.51
within circle extrapolate-snap 3 12.4 12.51
within circle extrapolate 5 15.5 15.64
within circle extrapolate 3 15.5 15.64
# jumps: dv at s = 1.03 s, 3/5 of its tick: dv 3/5 2/5 T; dv (C - s) until the next tick
within stop interpolate 5 110 120.01
within stop hermite 3 40 74.1
within stop extrapolate-snap 5 190 200.01
within stop extrapolate 5 240 250
within stop extrapolate-contact 3 0 0.00001
within bounce extrapolate-contact 3 0 270
within bounce hermite 3 0 149
# what is exact, and what does not leap
for motion in line circle fall bounce stop turn silence sine teleport; do
    within $motion track 3 0 0.000001
done
for way in interpolate interpolate-behind hermite catmull-rom monotone extrapolate \
    extrapolate-ballistic extrapolate-decay extrapolate-snap extrapolate-contact; do
    within line $way 3 0 0.000001
done
within fall hermite 3 0 0.000001
within fall catmull-rom 3 0 0.000001
within fall extrapolate-ballistic 3 0 0.000001
within teleport extrapolate 6 0 0.000001
# when news come again after a silence, the object goes on from where it is
within silence extrapolate-decay 6 0 100
within circle extrapolate-snap 6 10 12.51
within circle extrapolate 6 0 1

# --- the table, JSON and drawings: the same bytes again -------------------------------------------

run "$scratch/table"
run "$scratch/again"
same "the table" "$scratch/table" "$scratch/again"
has "20 ticks/s, drawn at 240 frames/s, 2 s; objects move at about 10 m/s" "$scratch/table"
has "bounce: a ball that meets the floor at 10 m/s" "$scratch/table"
has "  extrapolate-ballistic " "$scratch/table"
checks=$((checks + 1))
awk 'length > 100' "$scratch/table" | grep . >/dev/null && fail "a table over 100 columns"
for key in blend ticks_per_second frames_per_second seconds motions ways results name title speed \
    motion way frames largest_mm mean_mm bound_mm jump_mm delay_ms within; do
    has "\"$key\":" "$scratch/json.20"
done
chosen="--motion bounce,circle,bounce --show hermite,track --tick-rate 5 --refresh 60"
for round in 1 2; do
    # shellcheck disable=SC2086 # words on purpose
    run "$scratch/table.$round" $chosen --json "$scratch/json.$round" \
        --svg "$scratch/svg.$round" --strip "$scratch/strip.$round"
done
for what in table json svg strip; do
    same "$what" "$scratch/$what.1" "$scratch/$what.2"
done
well_formed "$scratch/svg.1"
well_formed "$scratch/strip.1"
has "5 ticks/s, drawn at 60 frames/s" "$scratch/svg.1"
checks=$((checks + 1))
[ "$(grep -c '"within"' "$scratch/json.1")" = 4 ] || fail "not 2 motions x 2 ways"
run "$scratch/all.svg" --svg -
well_formed "$scratch/all.svg"
run "$scratch/all.svg" --strip -
well_formed "$scratch/all.svg"

# --- the other tables -----------------------------------------------------------------------------

run "$scratch/rotation" --rotation --json "$scratch/rotation.json" --svg "$scratch/r.svg"
run "$scratch/rotation2" --rotation --svg "$scratch/r2.svg"
same "rotations" "$scratch/rotation" "$scratch/rotation2"
same "rotations, svg" "$scratch/r.svg" "$scratch/r2.svg"
parses "$scratch/rotation.json"
well_formed "$scratch/r.svg"
has "179.99 per tick" "$scratch/rotation"
# degrees per tick, then the most of float and double, as docs/blending.md has them
checks=$((checks + 1))
awk -F'[:,]' '/degrees_per_tick/ { d = $2 + 0 } /f32/ { f32[d] = $2 + 0 } /f64/ { f64[d] = $2 + 0 }
    END { exit !(f64[5] > 0 && f64[5] < 1e-7 && f32[5] < 1.4e-5 && f64[10] < 1e-6 && f32[10] < 1.7e-5 \
        && f64[45] < 2e-5 && f64[90] < 5e-5 && f64[179.99] < 3e-4 && f32[179.99] < 3e-4) }' \
    "$scratch/rotation.json" || fail "rotations: $(cat "$scratch/rotation")"
run "$scratch/nothing" --kinds --svg "$scratch/kinds.svg"
run "$scratch/kinds2.svg" --kinds --svg -
same "kinds" "$scratch/kinds.svg" "$scratch/kinds2.svg"
well_formed "$scratch/kinds.svg"

# --- what it refuses ------------------------------------------------------------------------------

run "$scratch/help" --help
has "--motion NAMES" "$scratch/help"
expect_error 2 "--motion: expected motions out of: line, circle, fall" --motion orbit
expect_error 2 "--motion: expected" --motion line,,circle
expect_error 2 "--show: expected ways out of: interpolate, interpolate-behind" --show smooth
expect_error 2 "--tick-rate: expected a rate, 1 to 1000" --tick-rate 0
expect_error 2 "--tick-rate: expected a rate, 1 to 1000" --tick-rate 0.5
expect_error 2 "--refresh: expected a rate, 1 to 1000" --refresh 2000
expect_error 2 "--refresh must be at least --tick-rate" --tick-rate 60 --refresh 30
expect_error 2 "--seconds: expected seconds, 1 to 10" --seconds 11
expect_error 2 "--seconds: expected" --seconds 0
expect_error 2 "choose one" --rotation --kinds --svg x
expect_error 2 "do not go with --rotation" --rotation --motion line
expect_error 2 "do not go with --kinds" --kinds --strip x --svg y
expect_error 2 "--kinds is a drawing: give --svg" --kinds
expect_error 2 "goes without --json" --kinds --svg x --json y
expect_error 2 "--svg - and --strip - cannot both be stdout" --svg - --strip -
expect_error 2 "--svg needs a value" --svg --json
expect_error 2 "unknown or ill-formed option '--speed'" --speed 3
expect_error 2 "unexpected argument 'circle'" circle
for option in json svg strip; do
    checks=$((checks + 1))
    "$command" --motion line --$option "$scratch/none/such" >/dev/null 2>"$scratch/err" &&
        fail "--$option into nowhere: exit status 0"
    has "cannot write '$scratch/none/such'" "$scratch/err"
done

echo "blend_command: $checks checks, $failures failed"
[ "$failures" = 0 ]
