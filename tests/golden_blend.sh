#!/bin/sh
# The blend gives the same bytes from every compiler and optimisation level: builds golden_blend.c
# with the library's sources by gcc and clang, without optimisation, with all of it, and with all
# that this machine has. Each must print the expected total, for every instruction set.
# scripts/cross does the same for other machines.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

sources="tests/golden_blend.c src/base.c src/time.c src/layout.c src/history.c"
sources="$sources $(echo src/blend*.c src/value*.c src/simd/*.c)"
failed=0
builds=0

# build_and_run COMPILER FLAGS: as CMakeLists.txt compiles them
build_and_run() {
    compiler=$1
    flags=$2
    precision=
    [ "$compiler" = gcc ] && precision=-fexcess-precision=fast
    # shellcheck disable=SC2086 # lists of words on purpose
    if ! "$compiler" -std=c17 -ffp-contract=off $precision $flags -Iinclude $sources -lm \
            -o "$work/golden" 2> "$work/log"; then
        cat "$work/log"
        echo "golden_blend: $compiler $flags does not build it"
        failed=1
    elif ! "$work/golden" > "$work/printed"; then
        cat "$work/printed"
        echo "golden_blend: wrong as built by $compiler $flags"
        failed=1
    else
        builds=$((builds + 1))
        printf '%-24s %s\n' "$compiler $flags" "$(sed -n 's/^total *//p' "$work/printed")"
    fi
}

for compiler in gcc clang; do
    if ! command -v "$compiler" > /dev/null 2>&1; then
        echo "golden_blend: no $compiler here: skipped"
        continue
    fi
    build_and_run "$compiler" -O0
    build_and_run "$compiler" -O3
    # gcc's also in tests/amalgamation.sh
    [ "$compiler" = clang ] || [ -n "${EVENSTEP_FULL:-}" ] || continue
    if "$compiler" -march=native -E -x c /dev/null > /dev/null 2>&1; then
        build_and_run "$compiler" "-O3 -march=native"
    fi
done
if [ "$builds" = 0 ] && [ "$failed" = 0 ]; then
    echo "golden_blend: neither gcc nor clang is here: skipped"
    exit 77
fi
exit "$failed"
