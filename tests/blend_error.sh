#!/bin/sh
# `bench_blend_error`: no frame is beyond its bound at any rate. The pages on blending have its figures.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
command=$build/bench_blend_error
cd "$scratch" || exit 1
cat "$home/docs/blending.md" "$home/docs/notes/blending.md" | tr -s '\n ' '  ' >text

for rates in "5 60" "5 30" "30 144" "50 60" "60 240" "59.94 60" "128 1000" "3 1000" "24 24" "20 240"; do
    # shellcheck disable=SC2086 # words
    run "table.${rates%% *}" $rates
done

# figure MOTION WAY COLUMN [TICK_RATE]: 2 largest, 3 mean, 4 bound, 5 jump, 6 delay
figure() {
    awk -v motion="$1:" -v way="$2" -v column="$3" '
        /^[a-z]/ { on = $1 == motion } on && $1 == way { print $column }' "table.${4:-20}"
}

while read -r way label; do
    has "| $label | $(figure circle "$way" 2) | $(figure circle "$way" 5) | $(
        figure stop "$way" 2) | $(figure stop "$way" 5) |" text
done <<'TABLE'
linear blended between ticks
blend predicted, `BLEND`
decay predicted, `DECAY`
snap predicted, `SNAP`
contact predicted, `BLEND`, with `contact`
TABLE
has "error of \`LINEAR\` is $(figure fall linear 2 60) mm at 60 ticks per second, but $(figure fall linear 2 5) mm at 5" text
has "off by $(figure circle catmull-rom 2) mm; $(figure circle catmull-rom 4) are allowed" text
has "cuts off the top, by $(figure circle monotone 2) mm on the circle" text

# The pages' formulas at T = 0.05 s, where a, |p'''| and |p''''| are 10, with 2e-5 mm for rounding; and what is exact
while read -r motion way column expected; do
    equal "$motion, $way, $column" "$(figure "$motion" "$way" "$column")" "$expected"
done <<'TABLE'
circle linear 4 3.13
circle linear-delayed 6 50
circle hermite 4 0.000183
circle monotone 4 9.38
circle blend 4 15.6
circle snap 4 12.5
stop contact 2 0
fall hermite 2 0
fall catmull-rom 2 0
fall ballistic 2 0
TABLE

expect_error 2 "usage: bench_blend_error" 60 30
finish
