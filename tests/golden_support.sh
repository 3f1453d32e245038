# shellcheck shell=sh
# What the scripts share that build a golden program by every compiler here: read by them, from the
# repository's root. A golden program compares bytes with the ones expected everywhere, prints a line
# `total ...` about them, and fails where they differ. A script is:
#
#     cd "$(dirname "$0")/.." || exit 1
#     golden_name=golden_thing                       who is speaking
#     golden_sources="tests/golden_thing.c src/..."  the program, and what it needs of the library
#     golden_argument=tests/data/golden.thing        what it is given, if anything
#     . tests/golden_support.sh
#
#     golden_compilers by_levels                     by_levels COMPILER: for each of gcc and clang
#     golden_end
#
# and in by_levels as often as there is something to build:
#
#     golden_build COMPILER FLAGS                    builds it and runs it
#     golden_has_native COMPILER                     whether -march=native is a flag of the compiler
#
# golden_end exits: 0, 1 where any failed, 77 (skipped) where there was no compiler.

golden_name=${golden_name:?}
golden_sources=${golden_sources:?}
golden_argument=${golden_argument:-}
golden_failed=0
golden_builds=0
golden_work=$(mktemp -d) || exit 1
trap 'rm -rf "$golden_work"' EXIT
trap 'exit 1' HUP INT TERM

# golden_build COMPILER FLAGS: as CMakeLists.txt compiles them
golden_build() {
    precision=-fexcess-precision=fast
    [ "$1" = clang ] && precision= # it has no such flag
    # shellcheck disable=SC2086 # lists of words on purpose
    if ! "$1" -std=c17 -ffp-contract=off $precision $2 -Iinclude $golden_sources -lm \
            -o "$golden_work/golden" 2> "$golden_work/log"; then
        cat "$golden_work/log"
        echo "$golden_name: $1 $2 does not build it"
        golden_failed=1
    elif ! "$golden_work/golden" ${golden_argument:+"$golden_argument"} \
            > "$golden_work/printed"; then
        cat "$golden_work/printed"
        echo "$golden_name: wrong as built by $1 $2"
        golden_failed=1
    else
        golden_builds=$((golden_builds + 1))
        printf '%-24s %s\n' "$1 $2" "$(sed -n 's/^total *//p' "$golden_work/printed")"
    fi
}

golden_has_native() {
    "$1" -march=native -E -x c /dev/null > /dev/null 2>&1
}

golden_compilers() {
    for compiler in gcc clang; do
        if command -v "$compiler" > /dev/null 2>&1; then
            "$1" "$compiler"
        else
            echo "$golden_name: no $compiler here: skipped"
        fi
    done
}

golden_end() {
    if [ "$golden_builds" = 0 ] && [ "$golden_failed" = 0 ]; then
        echo "$golden_name: neither gcc nor clang is here: skipped"
        exit 77
    fi
    exit "$golden_failed"
}
