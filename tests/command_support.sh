# What the tests of the subcommands share. Sourced, from the root of the source, with BUILD_DIR set:
#
#   program=bench_blend_error   # unset: evenstep
#   subcommand=replay           # what comes before the arguments; unset: they name it themselves
#   . tests/command_support.sh
#
# It makes $scratch, which goes away at the end (a script with more to clean up sets a trap of its
# own), and counts in $checks and $failures.
set -u
command=${BUILD_DIR:?}/${program:-evenstep}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checks=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1" >&2
}

# evenstep ARGS...: the program, which must end by itself
evenstep() {
    timeout 250 "$command" ${subcommand+"$subcommand"} "$@"
}

# run FILE ARGS...: exit status 0, and nothing on stderr
run() {
    out=$1
    shift
    checks=$((checks + 1))
    evenstep "$@" >"$out" 2>"$scratch/err" </dev/null || fail "'$*': exit status $?"
    [ -s "$scratch/err" ] && fail "'$*': wrote to stderr: $(cat "$scratch/err")"
}

# same WHAT FILE FILE
same() {
    checks=$((checks + 1))
    cmp -s "$2" "$3" || fail "$1: different bytes"
}

# expect_error STATUS TEXT ARGS...: one line on stderr that holds the text, nothing on stdout
expect_error() {
    expected=$1 text=$2
    shift 2
    checks=$((checks + 1))
    evenstep "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    [ "$status" = "$expected" ] || fail "'$*': exit status $status, not $expected"
    [ "$(wc -l <"$scratch/err")" = 1 ] || fail "'$*': not one line: $(cat "$scratch/err")"
    grep -qF -- "$text" "$scratch/err" || fail "'$*': no '$text' in: $(cat "$scratch/err")"
    [ -s "$scratch/out" ] && fail "'$*': printed $(cat "$scratch/out")"
}

# has TEXT FILE
has() {
    checks=$((checks + 1))
    grep -qF -- "$1" "$2" || fail "no '$1' in $(basename "$2"): $(head -c 600 "$2")"
}

# well_formed FILE: as XML
well_formed() {
    checks=$((checks + 1))
    if command -v xmllint >/dev/null; then
        xmllint --noout "$1" 2>"$scratch/err" || fail "$(basename "$1"): $(head -n 3 "$scratch/err")"
    elif command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1" ||
            fail "$(basename "$1"): not well-formed"
    fi
}

# parses FILE: as JSON
parses() {
    checks=$((checks + 1))
    if command -v jq >/dev/null; then
        jq empty "$1" 2>"$scratch/err" || fail "$(basename "$1"): $(cat "$scratch/err")"
    elif command -v python3 >/dev/null; then
        python3 -m json.tool "$1" >/dev/null || fail "$(basename "$1"): no JSON"
    fi
}
