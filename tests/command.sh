#!/bin/sh
# The command as a person types it: exact lines, bad arguments, files that cannot be written.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1

t1="--loop adaptive --render 3ms --update 1ms --tick 5ms --interval 16ms"
# shellcheck disable=SC2086 # words
first_lines timeline $t1 <<'TABLE'
--until 33ms | R0 U5 U10 U15 U20 W16 R16 U25 U30 U35 W32 R32
--until 63ms --frame-cost 2:20ms | R0 U5 U10 U15 U20 W16 R16 U25 U30 U35 W32 R32 U40 U45 U50 U55 U60 U65 W62 R62
--lead 1 --until 34ms | U5 R0 U10 U15 U20 U25 W16 R16 U30 U35 U40 W32 R32
--lead -1 --until 33ms | R0 U5 U10 U15 W16 R16 U20 U25 U30 W32 R32
--until=17ms | R0 U5 U10 U15 U20 W16 R16
TABLE
version=$(sed -n 's/^#define ES_VERSION_[A-Z]* //p' "$home/include/evenstep/evenstep.h" | paste -sd.)
first_lines <<TABLE
--version | evenstep $version
--help | usage: evenstep COMMAND [OPTION...]
timeline --loop adaptive --tick-rate 60000/1001 --interval 16ms --until 17ms | R0 U16.683333 W16 R16
timeline --help | usage: evenstep timeline [OPTION...]
demo --help | usage: evenstep demo [OPTION...]
TABLE

# arguments | rows of the verbose table: event, actual, content, alpha, interval, dropped
while IFS='|' read -r arguments rows; do
    # shellcheck disable=SC2086 # words
    run table timeline --loop adaptive --interval 16ms --verbose $arguments
    tr -s ' ' <table >rows
    IFS=,
    for row in $rows; do
        check "$arguments: a row '$row'" grep -qxF "${row# }" rows
    done
    unset IFS
done <<'TABLE'
--until 33ms | R0 0 0 1 16 0, U20 6, R16 16 16 0.2 16 0, W32 22, R32 32 32 0.4 16 0
--until 65ms --update 6ms --max-ticks 4 | R20 32.4 20 1 32.4 12.4, R40 64.8 40 1 32.4 12.4
TABLE

errors <<'TABLE'
| 2 | no command given
tiemline | 2 | unknown command 'tiemline'
--verson | 2 | unknown option '--verson'
TABLE
errors timeline <<'TABLE'
--renderr 3ms | 2 | '--renderr'
--render | 2 | --render needs a value
--render 3 | 2 | --render: expected a duration such as 3ms
--render -3ms | 2 | got '-3ms'
--render "3 ms" | 2 | got '3 ms'
--render 1.5ns | 2 | got '1.5ns'
--render 99999999999999999999s | 2 | got '99999999999999999999s'
please | 2 | unexpected argument 'please'
--loop magic | 2 | --loop: unknown name in 'magic'; known loops: auto
--tick-rate 60/0 | 2 | --tick-rate: expected a rate
--frame-cost 20ms | 2 | --frame-cost: expected a frame
--interval 1ns | 2 | --interval must be
--interval 16ms --interval-min 17ms | 2 | --interval-min must be
--delay 9 | 2 | --delay: expected a number of ticks, 0 to 8, got '9'
--delay nan | 2 | --delay: expected a number of ticks, 0 to 8, got 'nan'
--lead 5 | 2 | --lead: expected a whole number of ticks, -1 to 4, got '5'
--lead -2 | 2 | --lead: expected a whole number of ticks
--loop lockstep --lead 1 | 2 | --lead must be 0 unless steps are fixed
--max-ticks 2000000 | 2 | --max-ticks must be
--verbose=1 | 2 | '--verbose=1'
TABLE
errors demo --headless <<'TABLE'
--seconds soon | 2 | --seconds: expected
--colour | 2 | '--colour'
--delay 9 | 2 | delay
--screenshot - | 2 | --screenshot
--window | 2 | choose one
TABLE
ends 1 timeline --interval 10us --render 0 --update 0 --until 9000000000s
has 'stopped after 1000000 frames' err

# the headless demo, its report and its screenshot; without a pair of frames there is no error, not 0
run text demo --headless --seconds 0.3 --screenshot s.png
run text demo --headless --virtual --seconds 1 --report report.json
has_keys report.json evenstep view seconds frames ticks tick_rate interval_ms interval_error_ms \
    animation_error_ms mean bias median rms p99 max measured_against compared_frames lost_ms dropped_ms \
    gaps count ms ticks_per_frame min late_ms_max work_ms clock
equal "the screenshot's head" "$(od -An -tx1 -N8 s.png | tr -d ' \n')" 89504e470d0a1a0a
ends 0 demo --headless --seconds 0 --report report.json
holds 'has("animation_error_ms") and .animation_error_ms == null' report.json
not_writable --report --screenshot -- demo --headless --seconds 0.1
finish
