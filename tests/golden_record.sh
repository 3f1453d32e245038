#!/bin/sh
# A recording is the same bytes from every compiler and optimisation level: builds golden_record.c
# with the library's sources by gcc and clang, from -O0 to -O3, with all that this machine has, and
# for 32-bit x86 where there is a compiler for it. scripts/cross does the same for other machines.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

sources="tests/golden_record.c src/base.c src/time.c src/layout.c src/bytes.c"
sources="$sources $(echo src/state*.c src/record*.c src/reader*.c src/playback*.c src/simd/hash*.c src/simd/crc*.c)"
failed=0
builds=0

# build_and_run COMPILER FLAGS: as CMakeLists.txt compiles them
build_and_run() {
    compiler=$1
    flags=$2
    precision=-fexcess-precision=fast
    [ "$compiler" = clang ] && precision=
    # shellcheck disable=SC2086 # lists of words on purpose
    if ! "$compiler" -std=c17 -ffp-contract=off $precision $flags -Iinclude $sources -lm \
        -o "$work/golden" 2> "$work/log"; then
        cat "$work/log"
        echo "golden_record: $compiler $flags does not build it"
        failed=1
    elif ! "$work/golden" tests/data/golden.esrec > "$work/printed"; then
        cat "$work/printed"
        echo "golden_record: wrong as built by $compiler $flags"
        failed=1
    else
        builds=$((builds + 1))
        printf '%-24s %s\n' "$compiler $flags" "$(sed -n 's/^total *//p' "$work/printed")"
    fi
}

for compiler in gcc clang; do
    if ! command -v "$compiler" > /dev/null 2>&1; then
        echo "golden_record: no $compiler here: skipped"
        continue
    fi
    for level in -O0 -O1 -O2 -O3; do
        build_and_run "$compiler" "$level"
    done
    if "$compiler" -march=native -E -x c /dev/null > /dev/null 2>&1; then
        build_and_run "$compiler" "-O3 -march=native"
    fi
done
echo 'int main(void) { return 0; }' > "$work/tiny.c"
if i686-linux-gnu-gcc -static "$work/tiny.c" -o "$work/tiny" 2> /dev/null &&
    "$work/tiny" 2> /dev/null; then
    build_and_run i686-linux-gnu-gcc "-O0 -static -msse2 -mfpmath=sse"
    build_and_run i686-linux-gnu-gcc "-O3 -static -msse2 -mfpmath=sse"
fi
if [ "$builds" = 0 ] && [ "$failed" = 0 ]; then
    echo "golden_record: neither gcc nor clang is here: skipped"
    exit 77
fi
exit "$failed"
