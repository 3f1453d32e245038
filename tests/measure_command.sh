#!/bin/sh
# `evenstep measure`, as a person uses it: figures of a capture that the demo wrote are those of the demo's
# report; text, JSON, page and trace; each error one line.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
cd "$scratch" || exit 1

# --- the demo's capture and its report ------------------------------------------------------------

for loop in auto variable decoupled; do
    rm -f frames.csv
    run log demo --headless --virtual --seconds 10 --loop $loop --trace frames.csv --report report.json
    run figures.json measure frames.csv --json
    parses figures.json
    jq -n '[(input.captures[0] | .animation_error_ms + {n: .animation_error_ms.count}),
        (input | .animation_error_ms + {n: .compared_frames})] as [$a, $b]
        | [[$a.mean, $b.mean], [$a.bias, $b.bias], [$a.rms, $b.rms], [$a.p50, $b.median], [$a.p99, $b.p99],
            [$a.max, $b.max], [$a.n, $b.n]] | map((.[0] - .[1] | fabs) <= 1e-9)' figures.json report.json >same.json
    holds '(length == 7), all(. == true)' same.json
done
expect_error 1 "cannot write frames.csv: File exists" demo --headless --virtual --seconds 1 --trace frames.csv
holds '.captures[0] | .format == "es_trace", .content_times == "true", .screen_times == "present-return",
    .exact, .frames > 600, (.worst | length) == 5' figures.json
has_keys figures.json file format process rows frames unread unread_first cut screen_times content_times refresh_by refresh_ms \
    interval_ms intended_ms seconds frames_per_second not_shown generated refreshes repeats \
    exact worst line at_ms error_ms frame_time_ms interval_error_ms animation_error_ms count mean bias rms p50 \
    p95 p99 p999 max hitch_ms_per_s low_1_percent low_01_percent by_percentile by_mean arc_minutes speed \
    animation_p99 pursuit worst_second sum_ms of latency_ms click input instrumented pc causes cause finding share p99_refreshes max_refreshes usual_ms longest_ms lines cause_ms

holds '.captures[0] | .low_1_percent.by_percentile * .frame_time_ms.p99 - 1000 | fabs < 1e-3' figures.json
run slow.json measure frames.csv --speed 10 --json
jq -n '[inputs.captures[0] | .animation_error_ms.p99, .arc_minutes.animation_p99, .arc_minutes.speed]
    | [.[1] / .[0], .[4] / .[3], .[2], .[5] | . * 1000 | round]' figures.json slow.json >arc.json
holds '. == [1200, 600, 20000, 10000]' arc.json

# --- text, page and trace -------------------------------------------------------------------------

run text measure frames.csv --html frames.html --trace trace.json
has "the return of present, which did not wait: what was seen is not known" text
has ", if frames were seen when presents returned: 99 %" text
awk 'BEGIN { print "start_ns,submit_ns,returned_ns,content_ns"
    for (i = 0; i < 60; ++i) { printf "%.0f,%.0f,%.0f,%.0f\n", i * 1e9 / 60, i * 1e9 / 60 + 3e6, i * 1e9 / 60 + 16e6, i * 1e9 / 60 } }' >waits.csv
ends 0 measure waits.csv
has "the return of present, which waited: errors are an upper bound"
well_formed frames.html
check "a page below 200 kB" test "$(wc -c <frames.html)" -lt 200000
refute "a page on its own" grep -Eiq '(https?:|src=|url\(|@import|<script|<link)' frames.html
equal "the worst moments, drawn" "$(grep -c '^<path class="stair"' frames.html)" 5
# spans of a track do not overlap; frames are shown from one to the next; counters are the errors
jq -n '(input.captures[0]) as $m | input.traceEvents
    | ([.[] | select(.ph == "X")] | group_by(.tid) | map([., .[1:]] | transpose | map(select(.[1]))
        | all(.[0].ts + .[0].dur <= .[1].ts + 0.002))) as $apart
    | ([.[] | select(.name == "animation error").args.ms | fabs]) as $errors
    | [$apart == [true, true, true], ($errors | length == $m.animation_error_ms.count),
        ($errors | max - $m.animation_error_ms.max | fabs < 1e-5), ([.[] | select(.ph != "M" and .ts < 0)] == []),
        ([.[] | select(.tid == 4 and .ph == "X")] | length == $m.interval_error_ms.count),
        ([.[] | select(.tid == 1 and .ph == "X").name] | .[:3] == ["1", "2", "3"])]' figures.json trace.json >trace
holds '(length == 6), all(. == true)' trace
equal "sentences of the verdict" "$(sed -n '1,2s/^[MF].*\.$/x/p; 3s/.//p' text)" "x
x"
run stdout.html measure frames.csv --html -
same "--html - is stdout" frames.html stdout.html

# verdict TEXT WHAT: the frames of stdin
verdict() {
    awk 'BEGIN { print "start_ns,shown_ns,content_ns"; srand(1) } { print }' >case.csv
    ends 0 measure case.csv
    has "$1"
}
frames='for (i = 0; i < 600; ++i) { d = i * 1e9 / 60; printf "%.0f,%.0f,%.0f\n", d, d + 5e7,'
awk "BEGIN { $frames d } }" | verdict "Motion was smooth: 99 % of the animation errors are at most"
awk "BEGIN { $frames d + i % 2 * 3e6 } }" | verdict "Motion was nearly smooth: 99 % of the animation errors are at most 3 ms, 18 %"
awk "BEGIN { $frames d + i % 2 * 7e6 } }" | verdict "Motion was uneven"
awk "BEGIN { $frames d + i % 2 * 9e6 } }" | verdict "Motion was very uneven"
awk "BEGIN { $frames int(d / 16e6) * 16e6 } }" |
    verdict "Main cause: missing interpolation, 100 % of the error; interpolate between ticks."
has "cause:         missing interpolation: 100 % of the error, p99 0.92 intervals, 22 frames; content moves by whole ticks of 16 ms, 1.04 per frame"
has "cannot tell:   late wake-ups, long CPU, long GPU, present blocked"
matches " s .* ms, line [0-9]+: missing interpolation, content moved by (16|32) ms"
has "refresh:       60 Hz, a whole multiple of it, or variable: nearly all frames were shown equally long; --refresh sets it"
ends 0 measure case.csv --json
gives "cannot-tell cannot-tell cannot-tell cannot-tell no yes no" '[.captures[0].causes[].finding] | join(" ")'
holds '.captures[0] | .refresh_by == "screen-times-even", ([.worst[] | select(.finding == "yes")] | length > 3),
    (.worst[] | .cause == if .finding == "yes" then "no-interpolation" else null end)' out
# the arrays of CapFrameX's JSON are read from several places of the file
awk 'BEGIN {
    srand(1)
    names = "TimeInSeconds,MsBetweenPresents,MsInPresentAPI,MsUntilDisplayed"
    n = split(names, name, ",")
    print names >"frames4.csv"
    for (i = 0; i < 4000; ++i) {
        split(sprintf("%.9f,16.6667,%.5f,%.5f", i / 60, 9 + rand(), 20 + 9 * rand()), v, ",")
        for (k = 1; k <= n; ++k) {
            printf "%s%s", v[k], (k < n ? "," : "\n") >"frames4.csv"
            array[k] = array[k] (i > 0 ? "," : "") v[k]
        }
    }
    printf "{\"Runs\":[{\"CaptureData\":{"
    for (k = 1; k <= n; ++k) {
        printf "%s\"%s\":[%s]", (k > 1 ? "," : ""), name[k], array[k]
    }
    print "}}]}"
}' >frames4.json
run both.json measure frames4.csv frames4.json --json
holds '[.captures[] | del(.file, .format, .worst[].line, .causes[].lines)] | .[0] == .[1]' both.json
holds '.captures[1] | .format == "CapFrameX, JSON", .frames == 4000, .animation_error_ms.p99 > 1' both.json

# screen times without content times: the moments with the longest intervals
{ echo MsBetweenPresents,MsBetweenDisplayChange && yes 10,10 | head -n 200 | sed '150s/.*/10,40/'; } >shown.csv
ends 0 measure shown.csv --html shown.html
matches " 1\.[0-9]+ s +40 ms, line 151: cannot tell"
well_formed shown.html
yes 20 | head -n 40 >numbers
ends 0 measure numbers --refresh 50
has "Whether motion was smooth cannot be measured: the file has no screen times."
matches " s +20 ms, line 1: cannot tell"
has "Frames came evenly: 99 % of the intervals are within 0 ms of 20 ms, and 0 of 40 refreshes repeated a frame."
run two measure numbers frames.csv --json
gives "2 plain numbers frame-times es_trace" '(.captures | length), .captures[0].format, .captures[0].refresh_by,
    .captures[1].format' two

# --- captures of each tool ------------------------------------------------------------------------

# FORMAT, frames, mean frame time in us, p99 of the animation errors in us, unread rows: each has 60 Hz and
# one frame of two refreshes; the two logs repeat frames, and have gaps that are no frames
while IFS='|' read -r file expected; do
    ends 0 measure "$home/tests/data/captures/$file" --json
    gives "$expected" '.captures[0] | [.format, .frames, (.frame_time_ms.mean * 1000 | round),
        (.animation_error_ms.p99? // -1 | . * 1000 | round), (.refresh_ms * 10 | round), .unread] | join(" ")'
done <<'TABLE'
presentmon_window.csv|PresentMon 2 60 16944 0 167 0
frameview.csv|FrameView 59 16949 16667 167 1
unreal.csv|Unreal CSV 60 16944 -1000 167 0
fraps.csv|Fraps 61 16944 -1000 167 0
framestats.txt|Android framestats 38 17143 0 167 0
metal_hud.log|Metal HUD 77 16886 -1000 167 1
TABLE
ends 0 measure "$home/tests/data/captures/fraps.csv" --column "Time (ms)"
has "frame rate:    59.02 per second"
# a program's name cannot command the terminal
ends 0 measure "$home/tests/data/captures/frameview.csv"
has "frameview.csv: FrameView, gam?]0;pwned?e.exe, 59 frames"
has "rows that cannot be read: 1; the first: "
has "frameview.csv:42: MsUntilDisplayed: not a number: '1.#INF'"
has "refresh:       60 Hz, a whole multiple of it, or variable: nearly all frames were shown equally long"
cp numbers "$(printf 'a\033b')"
ends 0 measure "$(printf 'a\033b')"
has "a?b: plain numbers"

# --- errors ---------------------------------------------------------------------------------------

printf '1\n2\nx\n' >bad
awk 'BEGIN { print "start_ns,shown_ns,content_ns"; for (i = 0; i < 600; ++i) { ns = sprintf("%.0f", i * 1e9 / 60)
    print ns "," ns "," ns % 4294967296 >"wraps.csv"; print ns "," ns "," int(ns / 1000) >"units.csv" } }' >head
for file in wraps units; do cat head $file.csv >rest && mv rest $file.csv; done
printf '\377\3761\0006\000\n\000' >utf16
printf '16,7\n16,8\n' >comma
printf 'FrameTime;CPUBusy\n16,7;3\n' >semicolon
{ echo FrameTime && yes 16667 | head -n 300; } >us
errors measure <<'TABLE'
| 2 | no capture given
numbers named --html x | 2 | --html and --trace are for one capture
numbers --html - --json | 2 | stdout
--speed 0 numbers | 2 | --speed
--refresh 0 numbers | 2 | --refresh
none | 1 | none: cannot be opened
bad numbers | 1 | bad:3: frame time: not a number: 'x'
numbers --refresh 1e-9 | 2 | --refresh
numbers --refresh 2000000000 | 2 | --refresh
. | 1 | .: cannot be read
/dev/null | 1 | /dev/null: no frame times in it
utf16 | 1 | utf16: not UTF-8 text
comma | 1 | comma:1: a decimal comma
semicolon | 1 | semicolon:1: fields end with ';'
us | 1 | us: FrameTime: frames are 1.67e+04 ms apart: is that the unit of the column?
wraps.csv | 1 | wraps.csv:260: content_ns: 4278.3 ms before that of the last row: a counter that wraps
units.csv | 1 | units.csv: content moves 0.001 times as fast as the screen
numbers bad numbers --json | 1 | bad:3
TABLE
mkfifo pipe
(cat numbers >pipe 2>/dev/null) &
expect_error 1 "pipe: cannot be read twice: give a file, not a pipe" measure pipe
wait
# a program's name that is not UTF-8; a name with marks of XML; the same file twice
{ echo Application,FrameTime && yes "$(printf 'B\374cher.exe'),16.7" | head -n 300; } >'a<b&c.csv'
ends 0 measure 'a<b&c.csv' 'a<b&c.csv' --json
gives "2 B?cher.exe" '(.captures | length), .captures[1].process'
ends 0 measure 'a<b&c.csv' --html marks.html
well_formed marks.html
not_writable --html --trace -- measure numbers
on_full_disk 1 measure numbers
finish
