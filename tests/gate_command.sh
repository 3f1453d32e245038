#!/bin/sh
# `evenstep gate`, as a build uses it: verdicts and exit statuses, text, JSON, JUnit, each error one line.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
cd "$scratch" || exit 1

# frames FILE SECONDS MISS: at 60 Hz; each MISSth frame misses a refresh
frames() {
    awk -v frames=$(($2 * 60)) -v miss="$3" 'BEGIN {
        print "start_ns,shown_ns,content_ns"
        for (i = 0; i < frames; ++i) {
            shown += i % miss == miss - 1 ? 2 : 1
            printf "%.0f,%.0f,%.0f\n", i * 1e9 / 60, (3 + shown) * 1e9 / 60, i * 1e9 / 60
        }
    }' >"$1"
}
frames even.csv 60 100000
frames missing.csv 60 100
frames brief.csv 3 100000
cp missing.csv missing2.csv
cp missing.csv missing3.csv
# figures are those of `measure`: frames that are late, early, dropped, in two series
awk 'BEGIN {
    srand(1)
    print "start_ns,shown_ns,content_ns,series"
    for (i = 0; i < 900; ++i) {
        shown += rand() < 0.05 ? 2e9 / 60 : 1e9 / 60
        printf "%.0f,%s,%.0f,%d\n", shown, rand() < 0.03 ? "" : sprintf("%.0f", shown + 5e7),
            i * 1e9 / 60 + 4e6 * rand(), i < 400
    }
}' >mixed.csv
run measure.json measure mixed.csv --json
evenstep gate mixed.csv --rule "animation.mean < 1 ms" --rule "animation.p99 < 1 ms" --rule "interval.mean < 1 ms" \
    --rule "interval.p95 < 1 ms" --rule "frame.p50 < 1 ms" --rule "repeats < 1 %" \
    --rule "hitches < 1 ms/s" --rule "jumps < 1 /min" --json - >mixed.json
jq -n '[(input.captures[0] | .animation_error_ms.mean, .animation_error_ms.p99, .interval_error_ms.mean,
    .interval_error_ms.p95, .frame_time_ms.p50, 100 * .repeats / .refreshes, .hitch_ms_per_s,
        60000 * .jumps / (.interval_ms * .interval_error_ms.count)), (input.rules[].candidate.value)]
    | [range(8) as $i | (.[$i] - .[$i + 8] | fabs) < 1e-4]' measure.json mixed.json >same.json
holds '(length == 8), all(. == true)' same.json
holds '.captures[0] | .repeats > 20, .not_shown > 10' measure.json

# arguments | exit status | the first line begins with
while IFS='|' read -r arguments wanted text; do
    eval "ends \$wanted gate $arguments"
    matches "^${text# }"
    is_silent
done <<'TABLE'
even.csv --rule "animation.p99 < 0.5 refresh" | 0 | pass: animation.p99 < 0.5 refresh: 0 \(0 to 0\) refresh; would have found
missing.csv --rule "animation.p99 < 0.5 refresh" --rule "repeats < 5 %" | 3 | inconclusive: animation.p99 .* to tell$
missing.csv --rule "repeats < 0.2 %" --rule "animation.p50 < 1 ms" | 1 | fail: repeats < 0.2 %: 0.99
missing.csv --baseline even.csv --rule "repeats < baseline" | 1 | fail: repeats < baseline: 0.99 .*, baseline 0 \(0 to 0.2
even.csv --baseline missing.csv --rule "repeats < baseline" | 0 | pass: repeats
missing.csv --baseline even.csv --rule "hitches < baseline" | 1 | fail: hitches < baseline: 9.9 .*, baseline 0 \(0 to 1.* ms/s
even.csv --rule "jumps < 20 /min" | 0 | pass: jumps < 20 /min: 0 \(0 to
brief.csv --rule "repeats < 1 %" | 3 | inconclusive: repeats < 1 %: 0 \(0 to
missing.csv missing2.csv missing3.csv --rule "frame.mean < 16.6 ms" | 1 | fail
TABLE

ends 1 gate missing.csv --baseline even.csv --rule "repeats < baseline" --rule "frame.mean < 20 ms" \
    --rule "animation.p99 < 0.5 refresh" --json gate.json --junit gate.xml
equal "lines of text" "$(wc -l <out)" 5
holds '.verdict == "fail", .rule == "repeats < baseline", .rules[0].baseline.value == 0, .rules[0].unit == "%",
    (.rules[0] | .candidate.low < .candidate.value and .candidate.value < .candidate.high and .finds > 0.3),
    ([.rules[].verdict] == ["fail", "pass", "inconclusive"]), .rules[1].limit == 20, .rules[1].baseline == null' gate.json
well_formed gate.xml
has 'tests="3" failures="1" skipped="1"' gate.xml
has 'name="repeats &lt; baseline"><failure>0.99' gate.xml
ends 0 gate even.csv --rule "frame.mean < 20 ms" --json
parses out

printf '1\n2\nx\n' >bad
yes 16 | head -n 200 >numbers
{ echo FrameTime && yes 16667 | head -n 300; } >us.csv
yes 16 | head -n 100 >few
awk 'BEGIN { for (i = 0; i < 300; ++i) print 10 + 7 * sin(i * i) }' >varying
# rule | character | expected
while IFS='|' read -r rule at expected; do
    expect_error 2 "--rule '$rule': character ${at# }at '" gate even.csv --rule "$rule"
    has "expected${expected}" err
done <<'TABLE'
fps < 60 ms| 1, | repeats, hitches, jumps, or animation
hitches < 5 ms| 13, | ms/s
jumps < 1| 10, | /min
animation.max < 1 ms| 11, | mean, or a percentile such as p99
animation.p100 < 1 ms| 11, | mean, or a percentile
animation.p99 > 1 ms| 15, | <
animation.p99 <| 16, | a number, or baseline
animation.p99 < -1 ms| 17, | a number, or baseline
animation.p99 < 0x10 ms| 17, | a number, or baseline
animation.p99 < nan ms| 17, | a number, or baseline
animation.p99 < 1| 18, | ms, us or refresh
animation.p99 < 1 refreshs| 19, | ms, us or refresh
animation.p99 < 1 ms or| 22, | the end
repeats < 1 ms| 13, | %
repeats < 2 * 3| 15, | baseline
repeats < baseline + x| 22, | a number
repeats < baselines| 11, | a number, or baseline
TABLE
errors gate <<'TABLE'
| 2 | no capture given
even.csv | 2 | no --rule given
even.csv missing.csv even.csv --rule "repeats < 1 %" | 2 | a capture, each once
even.csv --baseline even.csv --baseline even.csv --rule "repeats < baseline" | 2 | --baseline
us.csv --rule "frame.mean < 1 ms" | 4 | us.csv: FrameTime: frames are 1.67e+04 ms apart
. --rule "frame.mean < 1 ms" | 4 | .: cannot be read
even.csv --rule "repeats < baseline" | 2 | --rule 'repeats < baseline': no --baseline given
even.csv --rule "repeats < 1 %" --json - --junit - | 2 | stdout
none.csv --rule "repeats < 1 %" | 4 | none.csv
bad --rule "frame.mean < 1 ms" | 4 | bad:3
numbers --rule "repeats < 1 %" --refresh 62.5 --column no | 4 | numbers
few --rule "frame.mean < 1 ms" | 4 | frame.mean < 1 ms: the capture has less than 120 frames
varying --rule "frame.mean < 1 refresh" | 4 | the refresh rate is not known: --refresh sets it
numbers --rule "animation.mean < 1 ms" | 4 | animation.mean < 1 ms: the capture has no content times, screen times or frame times
even.csv --baseline numbers --rule "repeats < baseline" | 4 | the captures differ in their refresh rates
TABLE
ends 4 gate even.csv --rule "frame.mean < 20 ms" --json "$scratch/none/such"
has "$scratch/none/such" err
finish
