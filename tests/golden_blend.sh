#!/bin/sh
# The blend gives the same bytes from every compiler and optimisation level: builds golden_blend.c
# with the library's sources by gcc with all optimisation and by clang without any; EVENSTEP_FULL:
# by both, also with all that this machine has. Each must print the expected total, for every
# instruction set. Other levels are in tests/package.sh and tests/amalgamation.sh, other machines in
# scripts/cross.
set -u
cd "$(dirname "$0")/.." || exit 1

golden_name=golden_blend
golden_sources="tests/golden_blend.c src/base.c src/time.c src/layout.c src/history.c"
golden_sources="$golden_sources $(echo src/blend*.c src/value*.c src/simd/blend_*.c) src/simd/select.c"
# shellcheck source=tests/golden_support.sh
. tests/golden_support.sh

by_levels() {
    case ${EVENSTEP_FULL:+full}$1 in
    gcc) golden_build gcc -O3 ;;
    clang) golden_build clang -O0 ;;
    full*)
        golden_build "$1" -O0
        golden_build "$1" -O3
        ! golden_has_native "$1" || golden_build "$1" "-O3 -march=native"
        ;;
    esac
}

golden_compilers by_levels
golden_end
