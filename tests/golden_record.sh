#!/bin/sh
# A recording is the same bytes from every compiler and optimisation level: builds golden_record.c
# with the library's sources by gcc and clang, with all that this machine has, and for 32-bit x86
# where there is a compiler for it. Levels in between are golden_demo.sh's, with the same sources;
# EVENSTEP_FULL runs them here, too. scripts/cross does the same for other machines.
set -u
cd "$(dirname "$0")/.." || exit 1

# shellcheck source=tests/golden_sources.sh
. tests/golden_sources.sh
golden_name=golden_record
golden_sources=$golden_record_sources
golden_argument=tests/data/golden.esrec
# shellcheck source=tests/golden_support.sh
. tests/golden_support.sh

by_levels() {
    for level in $([ -n "${EVENSTEP_FULL-}" ] && echo -O0 -O2 -O3) -O1; do
        golden_build "$1" "$level"
    done
    ! golden_has_native "$1" || golden_build "$1" "-O3 -march=native"
}

golden_compilers by_levels
echo 'int main(void) { return 0; }' > "$golden_work/tiny.c"
if i686-linux-gnu-gcc -static "$golden_work/tiny.c" -o "$golden_work/tiny" 2> /dev/null &&
    "$golden_work/tiny" 2> /dev/null; then
    golden_build i686-linux-gnu-gcc "-O3 -static -msse2 -mfpmath=sse"
fi
golden_end
