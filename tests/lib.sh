# shellcheck shell=sh
# Shared by the test scripts, and by scripts/stress and scripts/proofs. A test reads:
#
#     . "$(dirname "$0")/lib.sh"
#     command=$build/bench_thing      unless it is evenstep
#     subcommand="demo --headless"    where set: words before the arguments of every command
#     ...checks...
#     finish
#
# A check that fails is reported and counted, and the script goes on; with fatal=yes it ends there. After
# the report runs $context, if set. No check may be in a subshell or a pipe: its count would be lost.
# $home is the repository. $scratch is removed at the end, when processes of $children are ended, too.
set -u
LC_ALL=C
export LC_ALL
unset CMAKE_GENERATOR # the projects that tests build take CMake's own choice
test_name=$(basename "$0" .sh)
home=$(cd "$(dirname "$0")/.." && pwd) || exit 1
build=${BUILD_DIR:-$home/build/dev}
command=$build/evenstep
version=$(sed -n 's/^#define ES_VERSION_[A-Z]* *\([0-9]*\)$/\1/p' "$home/include/evenstep/evenstep.h" | paste -s -d . -)
scratch=$(cd "$(mktemp -d)" && pwd -P) || exit 1
children=
line=
checks=0
failures=0

cleanup() {
    # shellcheck disable=SC2086 # words
    stop $children
    if [ -S "$scratch/tmux" ]; then mux kill-server; fi
    cd "$home" && rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# --- checks ---------------------------------------------------------------------------------------

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*" >&2
    if [ -n "${context-}" ]; then $context >&2; fi
    if [ -n "${fatal-}" ]; then exit 1; fi
}

# finish [TEXT]: the end of a test, with what else there is to say
finish() {
    echo "$test_name: $checks checks, $failures failed${1:+; $1}"
    [ "$checks" -gt 0 ] && [ "$failures" = 0 ]
    exit
}

skip() {
    echo "$test_name: skipped: $*"
    exit 77
}

# need TOOL...: skips the test where one is not installed
need() {
    for tool; do
        command -v "$tool" >/dev/null || skip "no $tool"
    done
}

# has_all NAME...: programs, or files of the build; the first that is missing is added to $skipped
has_all() {
    for name; do
        command -v "$name" >/dev/null || [ -f "$build/$name" ] || {
            skipped="$skipped ${name##*/}"
            return 1
        }
    done
}

# check WHAT COMMAND...: the command succeeds
check() {
    checks=$((checks + 1))
    claim=$1
    shift
    "$@" || fail "$claim: not: $*"
}

# refute WHAT COMMAND...: the command fails
refute() {
    checks=$((checks + 1))
    claim=$1
    shift
    ! "$@" || fail "$claim: $*"
}

# equal WHAT GOT EXPECTED
equal() {
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}

# same WHAT FILE FILE; differ WHAT FILE FILE: byte for byte
same() {
    check "$1: the same bytes" cmp -s "$2" "$3"
}
differ() {
    check "$1: two files" test -s "$2" -a -s "$3"
    refute "$1: the same bytes" cmp -s "$2" "$3"
}

# has TEXT [FILE]: default: what the command printed last
has() {
    checks=$((checks + 1))
    [ -n "$1" ] && grep -qF -- "$1" "${2:-$scratch/out}" ||
        fail "${what-}: no '$1' in ${2:-its output}: $(head -c 600 "${2:-$scratch/out}")"
}

# matches PATTERN [FILE]: a line that matches, as of grep -E
matches() {
    checks=$((checks + 1))
    grep -Eq -- "$1" "${2:-$scratch/out}" ||
        fail "${what-}: no line '$1' in ${2:-its output}: $(head -c 600 "${2:-$scratch/out}")"
}

# quietly COMMAND...: what it prints is in $scratch/log
quietly() {
    "$@" >"$scratch/log" 2>&1
}

# await WHAT COMMAND...: until the command succeeds; fails after a minute or more
await() {
    checks=$((checks + 1))
    claim=$1
    shift
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        if [ "$tries" -ge 600 ]; then
            fail "$claim: never: $*"
            return 1
        fi
        sleep 0.1
    done
}

# --- the command ----------------------------------------------------------------------------------

# evenstep ARGS...: must end by itself
evenstep() {
    # shellcheck disable=SC2086 # words
    timeout 250 "$command" ${subcommand-} "$@"
}

# ends STATUS ARGS...: with this status; stdout is $scratch/out, stderr $scratch/err, $what the command
ends() {
    wanted=$1
    shift
    what="${command##*/} ${subcommand+$subcommand }$*"
    checks=$((checks + 1))
    evenstep "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    [ "$status" = "$wanted" ] ||
        fail "$what: exit status $status, not $wanted: $(head -c 600 "$scratch/err")"
}

is_silent() {
    [ ! -s "$scratch/err" ] || fail "$what: wrote to stderr: $(cat "$scratch/err")"
}

# run FILE ARGS...: status 0, nothing on stderr; stdout is copied to FILE
run() {
    file=$1
    shift
    ends 0 "$@"
    is_silent
    cp "$scratch/out" "$file"
}

# expect_error STATUS TEXT ARGS...: one line on stderr that holds the text, nothing on stdout
expect_error() {
    text=$2
    wanted=$1
    shift 2
    ends "$wanted" "$@"
    [ "$(wc -l <"$scratch/err")" = 1 ] || fail "$what: not one line: $(cat "$scratch/err")"
    grep -qF -- "$text" "$scratch/err" || fail "$what: no '$text' in: $(cat "$scratch/err")"
    [ ! -s "$scratch/out" ] || fail "$what: printed $(cat "$scratch/out")"
}

# errors ARGS... <<'TABLE': a row per error: further arguments, as in the shell | exit status | text
errors() {
    while IFS='|' read -r arguments wanted text; do
        eval "expect_error \$wanted \"\${text# }\" \"\$@\" $arguments"
    done
}

# first_lines ARGS... <<'TABLE': further arguments | the first line on stdout; nothing is on stderr
first_lines() {
    while IFS='|' read -r arguments text; do
        eval "ends 0 \"\$@\" $arguments"
        is_silent
        equal "$what" "$(head -n 1 "$scratch/out")" "${text# }"
    done
}

# not_writable OPTION... -- ARGS...: no file can be made there: status 1, and its name in the error
not_writable() {
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    for option in $options; do
        ends 1 "$@" "$option" "$scratch/none/such"
        has "$scratch/none/such" "$scratch/err"
    done
}

# on_full_disk STATUS ARGS...: printing to a full disk is an error
on_full_disk() {
    [ -w /dev/full ] || return
    wanted=$1
    shift
    checks=$((checks + 1))
    evenstep "$@" >/dev/full 2>"$scratch/err" </dev/null
    equal "$* on a full disk: exit status" $? "$wanted"
    has "cannot write to stdout" "$scratch/err"
}

# --- formats --------------------------------------------------------------------------------------

# json FILTER [FILE]: what jq makes of the file, values separated by blanks; default: $report, else stdout of
# the command
json() {
    jq -rc "$1" "${2:-${report:-$scratch/out}}" | paste -sd ' ' -
}

# gives EXPECTED FILTER [FILE]
gives() {
    equal "${what-}: $2" "$(json "$2" ${3+"$3"} 2>&1)" "$1"
}

# holds FILTERS [FILE]: separated by commas, each gives true
holds() {
    checks=$((checks + 1))
    [ "$(json "[$1] | length > 0 and all(. == true)" ${2+"$2"} 2>&1)" = true ] ||
        fail "${what-}: $1: $(json "[$1]" ${2+"$2"} 2>&1)"
}

# parses FILE: as JSON
parses() {
    check "$1: JSON" jq empty "$1"
}

# well_formed FILE: as XML
well_formed() {
    if command -v xmllint >/dev/null; then
        check "$1: XML" xmllint --noout "$1"
    elif command -v python3 >/dev/null; then
        check "$1: XML" python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"
    fi
}

# has_keys FILE KEY...: somewhere in the JSON
has_keys() {
    jq -r '[paths | .[-1] | strings] | unique[]' "$1" >"$scratch/keys"
    shift
    for key; do
        check "a key '$key'" grep -qxF "$key" "$scratch/keys"
    done
}

# is_narrow FILE: no line has over 100 columns
is_narrow() {
    equal "$1: lines over 100 columns" "$(awk 'length > 100' "$1")" ""
}

# blocks LANGUAGE FILE [NUMBER]: the code of its fenced blocks in Markdown, or of that one
blocks() {
    awk -v open='```'"$1" -v wanted="${3-}" '
        $0 == open { number += 1; on = wanted == "" || number == wanted; next } /^```/ { on = 0 } on' "$2"
}

# --- programs that are compiled as the build was --------------------------------------------------

# compile PROGRAM SOURCE STANDARD OPTION...: with the library and no warning; what the compiler said is
# $scratch/log
compile() {
    program=$1 source=$2 standard=$3
    shift 3
    sanitizer=
    case $build in
    *asan*) sanitizer=-fsanitize=address,undefined ;;
    *tsan*) sanitizer=-fsanitize=thread ;;
    *coverage*) sanitizer=--coverage ;;
    esac
    # shellcheck disable=SC2086 # one word, or none
    "$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")" "-std=$standard" -Wall -Wextra \
        -Wpedantic -Werror $sanitizer -I"$home" -I"$home/include" "$source" "$@" \
        "$(find "$build" -maxdepth 1 -name 'libevenstep.*' | head -n 1)" -lm -o "$program" \
        >"$scratch/log" 2>&1
}

# prints_line NAME PROGRAM: tests/consumer's prints one line, and it is the same from each, so C and C++, static
# and shared agree on every byte of every frame
prints_line() {
    check "$1: the program runs" quietly "$2"
    line=${line:-$(cat "$scratch/log")}
    equal "$1" "$(cat "$scratch/log")" "$line"
    check "$1: its version, a clock" grep -q "^$version: .* clock works$" "$scratch/log"
}

# --- processes and servers ------------------------------------------------------------------------

# stop PID...: of children, also stopped ones
stop() {
    for pid; do
        kill -CONT "$pid" 2>/dev/null
        kill "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
}

now_ms() {
    awk '{ printf "%.0f", 1000 * $1 }' /proc/uptime # mawk's %d ends at 2^31
}

# used PID: ticks of its CPU time, 100 a second
used() {
    awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}

# start_server COMMAND...: in the background, until the test ends; sets server
start_server() {
    "$@" >"$scratch/server.txt" 2>&1 &
    server=$!
    children="$children $server"
}

# start_xvfb OPTION...: sets server, number and DISPLAY. The server picks a free number and says when
# it is ready. -noreset: it keeps its mode, and no client meets the reset after the last one
start_xvfb() {
    rm -f "$scratch/number"
    mkfifo "$scratch/number"
    start_server sh -c 'exec Xvfb -displayfd 3 "$@" 3>"$0"' "$scratch/number" \
        -screen 0 1280x800x24 -nolisten tcp -noreset "$@"
    read -r number <"$scratch/number" || fail "Xvfb $* did not start"
    DISPLAY=:$number
    export DISPLAY
}

# for Xvfb, which announces no refresh rate: another mode
announce_50_hz="xrandr --newmode 50 60.48 1280 1300 1320 1440 800 810 820 840 &&
    xrandr --addmode screen 50 && xrandr --output screen --mode 50"

# runtime_directory: a new XDG_RUNTIME_DIR
runtime_directory() {
    XDG_RUNTIME_DIR=$scratch/run
    export XDG_RUNTIME_DIR
    rm -rf "$XDG_RUNTIME_DIR"
    mkdir -m 700 "$XDG_RUNTIME_DIR"
}

# answers NAME: a compositor listens there and has said whether it has a seat
answers() {
    "$build/tests/present_wayland" "$1" 10000 seat >"$scratch/seat"
}

# start_weston BACKEND: headless, or x11 in a window on DISPLAY; it listens at wl-es
start_weston() {
    runtime_directory
    start_server weston --backend="$1-backend.so" --use-pixman --socket=wl-es --idle-time=0 --no-config
    await "a compositor" answers wl-es
}

# start_sway SIZE RATE: without a screen, at wayland-1. It refuses to run as root
start_sway() {
    runtime_directory
    chmod 711 "$scratch"
    printf 'output HEADLESS-1 mode --custom %s@%sHz\nxwayland disable\ndefault_border none\n' \
        "$1" "$2" >"$XDG_RUNTIME_DIR/config"
    as_nobody=
    if [ "$(id -u)" = 0 ]; then
        chown -R 65534:65534 "$XDG_RUNTIME_DIR"
        as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
    fi
    # shellcheck disable=SC2086 # words
    start_server env WLR_BACKENDS=headless WLR_LIBINPUT_NO_DEVICES=1 WLR_RENDERER=pixman \
        HOME="$XDG_RUNTIME_DIR" $as_nobody sway -c "$XDG_RUNTIME_DIR/config"
}

# --- a terminal -----------------------------------------------------------------------------------

mux() {
    tmux -f /dev/null -S "$scratch/tmux" "$@" 2>"$scratch/tmux.txt"
}

# start_terminal COLUMNS LINES: a shell in a terminal; skips the test where there is none
start_terminal() {
    need tmux
    unset DISPLAY WAYLAND_DISPLAY TMUX
    LC_ALL=C.UTF-8 TERM=xterm-256color
    export LC_ALL TERM
    mux new-session -d -s test -x "$1" -y "$2" "env PS1='$ ' sh" || skip "tmux does not start"
    context=screen
    sees '\$'
}

screen() {
    mux capture-pane -p -t test
}

# pane FORMAT: what tmux knows of it
pane() {
    mux display-message -p -t test "$1"
}

# keys KEY...: pressed one after the other
keys() {
    mux send-keys -t test "$@"
}

shows() {
    screen | grep -q -- "$1"
}

# sees PATTERN: waits until the screen shows it
sees() {
    await "never saw '$1'" shows "$1"
}

# press KEY PATTERN: and the screen answers
press() {
    keys "$1"
    sees "$2"
}
