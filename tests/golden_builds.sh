# shellcheck shell=sh
# Sourced by tests that build one program with the library's sources by every compiler here, from
# -O0 to -O3, with all that this machine has, and for 32-bit x86 where there is a compiler for it;
# and run each build. scripts/cross does the same for other machines.
#
#   golden_name    of the test
#   golden_sources to build
#   golden_data    the program's argument
#   golden_levels  of optimisation; -O0 -O1 -O2 -O3
# shellcheck disable=SC2154 # from whoever sources this
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0
builds=0

# build_and_run COMPILER FLAGS: as CMakeLists.txt compiles them
build_and_run() {
    compiler=$1
    flags=$2
    precision=-fexcess-precision=fast
    [ "$compiler" = clang ] && precision=
    # shellcheck disable=SC2086 # lists of words on purpose
    if ! "$compiler" -std=c17 -ffp-contract=off $precision $flags -Iinclude -I. $golden_sources \
        -lm -o "$work/golden" 2> "$work/log"; then
        cat "$work/log"
        echo "$golden_name: $compiler $flags does not build it"
        failed=1
    elif ! "$work/golden" "$golden_data" > "$work/printed"; then
        cat "$work/printed"
        echo "$golden_name: wrong as built by $compiler $flags"
        failed=1
    else
        builds=$((builds + 1))
        printf '%-24s %s\n' "$compiler $flags" "$(sed -n 's/^total *//p' "$work/printed")"
    fi
}

for compiler in gcc clang; do
    if ! command -v "$compiler" > /dev/null 2>&1; then
        echo "$golden_name: no $compiler here: skipped"
        continue
    fi
    for level in ${golden_levels:--O0 -O1 -O2 -O3}; do
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
    echo "$golden_name: neither gcc nor clang is here: skipped"
    exit 77
fi
exit "$failed"
