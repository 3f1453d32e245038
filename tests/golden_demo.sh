#!/bin/sh
# A recording of the demo comes to the same states, hash by hash, with every compiler and
# optimisation level, and on 32-bit x86 where there is a compiler for it:
# tools/evenstep/demo_check.c. scripts/cross does the same for other machines.
set -u
cd "$(dirname "$0")/.." || exit 1

# shellcheck source=tests/golden_sources.sh
. tests/golden_sources.sh
golden_name=golden_demo
golden_sources="-I. $golden_demo_sources"
golden_argument=tests/data/demo.esrec
# shellcheck source=tests/golden_support.sh
. tests/golden_support.sh

by_levels() {
    for level in -O0 -O2 -O3; do
        golden_build "$1" "$level"
    done
}

golden_compilers by_levels
echo 'int main(void) { return 0; }' > "$golden_work/tiny.c"
if i686-linux-gnu-gcc -static "$golden_work/tiny.c" -o "$golden_work/tiny" 2> /dev/null &&
    "$golden_work/tiny" 2> /dev/null; then
    golden_build i686-linux-gnu-gcc "-O0 -static -msse2 -mfpmath=sse"
    golden_build i686-linux-gnu-gcc "-O3 -static -msse2 -mfpmath=sse"
fi
golden_end
