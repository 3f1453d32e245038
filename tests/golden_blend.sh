#!/bin/sh
# The blend gives the same bytes from every compiler and optimisation level: builds golden_blend.c
# with the library's sources by gcc and clang, without optimisation, with all of it, and with all
# that this machine has. Each must print the expected total, for every instruction set.
# scripts/cross does the same for other machines.
set -u
cd "$(dirname "$0")/.." || exit 1

golden_name=golden_blend
golden_sources="tests/golden_blend.c src/base.c src/time.c src/layout.c src/history.c"
golden_sources="$golden_sources $(echo src/blend*.c src/value*.c src/simd/*.c)"
# shellcheck source=tests/golden_support.sh
. tests/golden_support.sh

by_levels() {
    golden_build "$1" -O0
    golden_build "$1" -O3
    # gcc's also in tests/amalgamation.sh
    [ "$1" = clang ] || [ -n "${EVENSTEP_FULL:-}" ] || return 0
    ! golden_has_native "$1" || golden_build "$1" "-O3 -march=native"
}

golden_compilers by_levels
golden_end
