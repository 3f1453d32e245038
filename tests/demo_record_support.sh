# shellcheck shell=sh
# Sourced by the tests that record the demo: a directory of their own to be in, and words for what is
# to come out.
command=${BUILD_DIR:?}/evenstep
check=$BUILD_DIR/tests/demo_check
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
data=$OLDPWD/tests/data
checks=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1" >&2
}

# demo STATUS ARGS...: ends so; its report is r.json, what it says to people is out and err
demo() {
    checks=$((checks + 1))
    wanted=$1
    shift
    what="demo $*"
    "$command" demo --headless "$@" --report r.json > out 2> err < /dev/null
    status=$?
    [ "$status" = "$wanted" ] || fail "$what: exit status $status, not $wanted: $(cat err)"
}

# number OBJECT KEY: in the last report
number() {
    sed -n "/^  \"$1\": {/,/^  }/s/^    \"$2\": \([0-9]*\),*\$/\1/p" r.json
}

# is OBJECT KEY VALUE
is() {
    checks=$((checks + 1))
    sed -n "/^  \"$1\": {/,/^  }/p" r.json | grep -q "^    \"$2\": $3,*\$" ||
        fail "$what: $1.$2 is not $3: $(sed -n "/^  \"$1\": {/,/^  }/s/^    \"$2\": //p" r.json)"
}

# says FILE TEXT
says() {
    checks=$((checks + 1))
    grep -qF -- "$2" "$1" || fail "$what: no '$2' in: $(cat "$1")"
}

# plays FILE ARGS...: to its end, every hash equal
plays() {
    file=$1
    shift
    demo 0 --virtual --play "$file" "$@"
    is playing equal true
    is playing damaged false
    checks=$((checks + 1))
    [ "$(number playing tick)" = "$(number playing last_tick)" ] || fail "$what: not to its end"
    [ "$(number playing tick)" != 0 ] || fail "$what: no ticks"
}

# without a view
replay() { # replay STATUS TEXT ARGS...
    checks=$((checks + 1))
    wanted=$1 text=$2
    shift 2
    what="replay $*"
    "$command" replay "$@" > out 2>&1 < /dev/null
    status=$?
    [ "$status" = "$wanted" ] || fail "$what: exit status $status, not $wanted: $(cat out)"
    grep -qF -- "$text" out || fail "$what: no '$text' in: $(cat out)"
}

# done_checking NAME: how it went, and the exit status
done_checking() {
    echo "$1: $checks checks, $failures failed"
    [ "$failures" = 0 ]
}
