#!/bin/sh
# The command as a person types it: exact lines, bad arguments, files that cannot be written.
set -u
command=${BUILD_DIR:?}/evenstep
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checks=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1" >&2
}

# expect_line WHAT EXPECTED ARGS...: the first line printed
expect_line() {
    what=$1 expected=$2
    shift 2
    checks=$((checks + 1))
    got=$("$command" "$@" 2>"$scratch/err" | head -n 1)
    [ "$got" = "$expected" ] || fail "$what: expected '$expected', got '$got'"
    [ -s "$scratch/err" ] && fail "$what: wrote to stderr: $(cat "$scratch/err")"
}

# expect_refusal TEXT ARGS...: exit status 2, one line on stderr that holds the text, nothing printed
expect_refusal() {
    text=$1
    shift
    checks=$((checks + 1))
    "$command" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    [ "$status" = 2 ] || fail "'$*': exit status $status, not 2"
    [ "$(wc -l <"$scratch/err")" = 1 ] || fail "'$*': not one line: $(cat "$scratch/err")"
    grep -qF -- "$text" "$scratch/err" || fail "'$*': no '$text' in: $(cat "$scratch/err")"
    [ -s "$scratch/out" ] && fail "'$*': printed $(cat "$scratch/out")"
}

t1="--loop adaptive --render 3ms --update 1ms --tick 5ms --interval 16ms"
# shellcheck disable=SC2086 # words on purpose
{
expect_line T1 "R0 U5 U10 U15 U20 W16 R16 U25 U30 U35 W32 R32" timeline $t1 --until 33ms
expect_line "T1, blocks 4 ms" "R0 U5 U10 U15 U20 W16 R16 U25 U30 U35 W32 R32" \
    timeline $t1 --until 33ms --present 4ms
expect_line "T1, blocks 12 ms" "R0 U5 U10 U15 U20 W19 R19 U25 U30 U35 U40 W38 R38" \
    timeline $t1 --until 39ms --present 12ms
expect_line T2 "R0 U5 U10 U15 U20 W16 R16 U25 U30 U35 W32 R32 U40 U45 U50 U55 U60 U65 W62 R62" \
    timeline $t1 --until 63ms --frame-cost 2:20ms
expect_line T4 "R0 U5 U10 U15 U20 W20 R20 U25 U30 U35 U40 W40 R40" \
    timeline $t1 --update 6ms --max-ticks 4 --until 65ms
expect_line "T1, lead 1" "U5 R0 U10 U15 U20 U25 W16 R16 U30 U35 U40 W32 R32" \
    timeline $t1 --lead 1 --until 34ms
expect_line "T1, lead -1" "R0 U5 U10 U15 W16 R16 U20 U25 U30 W32 R32" timeline $t1 --lead -1 --until 33ms
expect_line "an equals sign" "R0 U5 U10 U15 U20 W16 R16" timeline $t1 --until=17ms
}
expect_line "a rate" "R0 U16.683333 W16 R16" \
    timeline --loop adaptive --tick-rate 60000/1001 --interval 16ms --until 17ms
expect_line version "evenstep $(sed -n 's/^#define ES_VERSION_[A-Z]* //p' \
    include/evenstep/version.h | paste -sd.)" --version
expect_line help "usage: evenstep COMMAND [OPTION...]" --help
expect_line "timeline's help" "usage: evenstep timeline [OPTION...]" timeline --help
expect_line "demo's help" "usage: evenstep demo [OPTION...]" demo --help

# expect_row PATTERN ARGS...: a row of the verbose table: event, actual, content, alpha, interval, dropped
expect_row() {
    row=$(echo "$1" | sed 's/\./\\./g; s/ / +/g')
    shift
    checks=$((checks + 1))
    "$command" timeline --loop adaptive --interval 16ms --verbose "$@" | grep -Eq "^$row\$" || fail "'$*': no row $row"
}

expect_row "R0 0 0 1 16 0" --until 33ms
expect_row "U20 6" --until 33ms
expect_row "R16 16 16 0.2 16 0" --until 33ms
expect_row "W32 22" --until 33ms
expect_row "R32 32 32 0.4 16 0" --until 33ms
expect_row "U5 7" --until 33ms --present 4ms
expect_row "R19 19 19 0.8 16 0" --until 39ms --present 12ms
expect_row "R38 38 38 0.6 16 0" --until 39ms --present 12ms
expect_row "U65 57" --until 63ms --frame-cost 2:20ms
expect_row "R62 62 62 0.4 30 0" --until 63ms --frame-cost 2:20ms
expect_row "R20 32.4 20 1 32.4 12.4" --until 65ms --update 6ms --max-ticks 4
expect_row "R40 64.8 40 1 32.4 12.4" --until 65ms --update 6ms --max-ticks 4

expect_refusal "no command given"
expect_refusal "unknown command 'tiemline'" tiemline
expect_refusal "unknown option '--verson'" --verson
expect_refusal "'--renderr'" timeline --renderr 3ms
expect_refusal "--render needs a value" timeline --render
expect_refusal "--render: expected a duration such as 3ms" timeline --render 3
expect_refusal "got '-3ms'" timeline --render -3ms
expect_refusal "got '3 ms'" timeline --render "3 ms"
expect_refusal "got '1.5ns'" timeline --render 1.5ns
expect_refusal "got '99999999999999999999s'" timeline --render 99999999999999999999s
expect_refusal "unexpected argument 'please'" timeline please
expect_refusal "--loop: expected auto" timeline --loop magic
expect_refusal "--tick-rate: expected a rate" timeline --tick-rate 60/0
expect_refusal "--frame-cost: expected a frame" timeline --frame-cost 20ms
expect_refusal "--interval must be" timeline --interval 1ns
expect_refusal "--interval-min must be" timeline --interval 16ms --interval-min 17ms
expect_refusal "--delay must be" timeline --delay 9
expect_refusal "--lead must be from -1 to 4" timeline --lead 5
expect_refusal "--lead: expected a whole number of ticks" timeline --lead -2
expect_refusal "--lead must be 0 unless steps are fixed" timeline --loop lockstep --lead 1
expect_refusal "--max-ticks must be" timeline --max-ticks 2000000
expect_refusal "'--verbose=1'" timeline --verbose=1
expect_refusal "--seconds: expected" demo --headless --seconds soon
expect_refusal "'--colour'" demo --colour
expect_refusal "delay" demo --headless --delay 9
expect_refusal "--screenshot" demo --headless --screenshot -
expect_refusal "choose one" demo --headless --window

checks=$((checks + 1))
"$command" timeline --interval 10us --render 0 --update 0 --until 9000000000s 2>"$scratch/err" >/dev/null &&
    fail "an endless timeline: exit status 0"
grep -q 'stopped after 1000000 frames' "$scratch/err" || fail "an endless timeline: does not say so"

# nothing measured is null, not a perfect 0
checks=$((checks + 1))
"$command" demo --headless --seconds 0 --report - 2>/dev/null </dev/null |
    grep -q '"animation_error_ms": null' || fail "no pair of frames: not null"

# the headless demo, its report and its picture
checks=$((checks + 1))
"$command" demo --headless --seconds 1 --report "$scratch/r.json" --screenshot "$scratch/s.png" \
    >"$scratch/out" 2>"$scratch/err" </dev/null || fail "headless demo: exit status $?"
for key in evenstep view seconds frames ticks tick_rate interval_ms interval_error_ms \
    animation_error_ms mean bias median rms p99 max measured_against compared_frames lost_ms \
    dropped_ms gaps count ms ticks_per_frame min late_ms_max work_ms clock; do
    checks=$((checks + 1))
    grep -q "\"$key\":" "$scratch/r.json" || fail "report: no key '$key'"
done
checks=$((checks + 1))
[ "$(od -An -tx1 -N8 "$scratch/s.png" | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "no PNG written"
for option in report screenshot; do
    checks=$((checks + 1))
    "$command" demo --headless --seconds 0.1 "--$option" "$scratch/none/such" \
        >"$scratch/out" 2>"$scratch/err" </dev/null && fail "--$option into nowhere: exit status 0"
    grep -q "$scratch/none/such" "$scratch/err" || fail "--$option into nowhere: file not named"
done

echo "command: $checks checks, $failures failed"
[ "$failures" = 0 ]
