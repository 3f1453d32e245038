#!/bin/sh
# `evenstep capture` on Xvfb: the screen times of windows that are not ours, against the program's own account.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need Xvfb xdotool jq
cd "$scratch" || exit 1
"$command" --help | grep -q '^  capture ' || skip "built without xcb-present"
unset DISPLAY WAYLAND_DISPLAY

expect_error 2 "give a program after --, or --window" capture
expect_error 2 "give a program after --, or --window" capture --window a -- true
expect_error 1 "no frames: no Vulkan program was seen, and no X server answers" capture --output none.csv -- true
refute "nothing is left" ls none.csv* 2>/dev/null
start_xvfb
expect_error 1 "no frames: no Vulkan program was seen, and no window presented through X11's Present" \
    capture --output none.csv -- true
expect_error 1 "--window: there is no such window" capture --output none.csv --window Nothing
: >there.csv
expect_error 1 "'there.csv' is there already" capture --output there.csv -- true

# rows FILE: whole rows, without the header
rows() {
    grep -cE '^[^,]+,[0-9]+,0x[0-9a-f]+,[0-9]*,[0-9]+$' "$1"
}

# A program's own screen times, and its number of frames, are those of the file.
check "demo" "$command" capture --output demo.csv -- \
    "$command" demo --x11-present --seconds 2 --trace own.csv --report own.json >out 2>err
equal "whole rows" "$(rows demo.csv)" "$(($(wc -l <demo.csv) - 1))"
frames=$(json .frames own.json)
# what still waits for a refresh when the window closes is not reported; presents do not block here
check "$(rows demo.csv) rows of $frames frames" [ $(($(rows demo.csv) - frames)) -ge -20 ]
check "$(rows demo.csv) rows of $frames frames" [ $(($(rows demo.csv) - frames)) -le 0 ]
grep -v '^#' own.csv | awk -F, 'NR > 1 && $6 != "" { print $6 }' >own
awk -F, 'NR > 1 && $4 != "" { print $4 }' demo.csv >seen
# by the differences, as the traces have other origins
awk 'NR == FNR { a[NR] = $1; n = NR; next } { b[FNR] = $1; m = FNR } END {
    for (shift = 0; shift < 4; ++shift) {
        worst = 0
        for (i = 1; i <= n && i + shift <= m; ++i) {
            d = (a[i] - a[1]) - (b[i + shift] - b[1 + shift])
            d = d < 0 ? -d : d
            worst = d > worst ? d : worst
        }
        best = shift == 0 || worst < best ? worst : best
    }
    print best
}' own seen >worst
check "screen times: $(cat worst) ns off" awk '{ exit $1 > 100000 }' worst
run measured measure demo.csv --json
holds '.captures[0] | .format == "evenstep capture, X11", .screen_times == "reported", .content_times == "none",
    .seconds > 1, .frames_per_second > 20' measured

# A window by its title, until the time is over; resized meanwhile.
"$command" demo --x11-present --seconds 20 >out 2>&1 &
children="$children $!"
demo=$!
await "a window" xdotool search --name Evenstep >out
(sleep 0.5 && xdotool search --name Evenstep windowsize 500 400) &
check "--window" "$command" capture --output window.csv --window Evenstep --seconds 1 2>err
check "$(rows window.csv) rows of a window" [ "$(rows window.csv)" -gt 10 ]
equal "whole rows" "$(rows window.csv)" "$(($(wc -l <window.csv) - 1))"

# ... until it closes.
(sleep 0.5 && kill -KILL "$demo") &
check "a window that closes" timeout 20 "$command" capture --output closed.csv --window Evenstep 2>err
check "$(rows closed.csv) rows" [ "$(rows closed.csv)" -gt 5 ]

# Two windows, of programs that end by a signal; the rows are whole.
check "two programs" "$command" capture --output two.csv -- sh -c \
    '"$0" demo --x11-present --seconds 9 & sleep 0.3; "$0" demo --x11-present --seconds 9 & sleep 1.5; kill -KILL %1 %2
    kill -KILL $$' "$command" >out 2>err
has "ended by signal 9" err
equal "windows" "$(awk -F, 'NR > 1 { print $3 }' two.csv | sort -u | wc -l)" 2
equal "whole rows" "$(rows two.csv)" "$(($(wc -l <two.csv) - 1))"

# SIGTERM is for the program.
"$command" capture --output term.csv -- "$command" demo --x11-present --seconds 30 >out 2>err &
captor=$!
sleep 1.5
kill -TERM $captor
wait $captor
check "$(rows term.csv) rows after SIGTERM" [ "$(rows term.csv)" -gt 5 ]
refute "no program is left" pgrep -f "demo --x11-present --seconds 30" >out
finish
