#!/bin/sh
# The blend and a recording give the same bytes from every compiler and optimisation
# level. Each golden program compares its bytes with those expected everywhere, fails where they differ,
# and prints a line `total ...`. Other levels are in tests/package.sh and tests/amalgamation.sh.
#
#   sh tests/golden.sh         gcc, clang, and gcc for 32-bit x86: those that are installed
#   sh tests/golden.sh cross   other machines under qemu, WebAssembly by node: scripts/cross
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$home" || exit 1
objects=$scratch/objects
mains="tests/golden_blend.c tests/golden_record.c"
sources="$mains src/loop/gap.c $(find src/base src/world src/view src/replay src/schedule src/platform/*.c src/platform/null -name '*.c')"

# golden COMPILER LEVEL RUNNER FLAG...: compiles as CMakeLists.txt does, and runs the programs
golden() {
    compiler=$1 level=$2 runner=$3
    shift 3
    case $compiler in
    *gcc) set -- -fexcess-precision=fast "$@" ;;
    esac
    what="$compiler $level"
    rm -rf "$objects"
    mkdir "$objects"
    for source in $sources; do
        # shellcheck disable=SC2086 # words
        "$compiler" -std=c17 -ffp-contract=off "$@" $level -Iinclude -Isrc -I. -c "$source" \
            -o "$objects/$(basename "$source" .c).o" || fail "$what: $source does not compile"
    done
    mkdir "$objects/mains"
    for main in golden_blend golden_record; do
        mv "$objects/$main.o" "$objects/mains"
    done
    for main in $mains; do
        main=$(basename "$main" .c)
        case $main in
        golden_blend) data= ;;
        *) data=tests/data/golden.esrec ;;
        esac
        # shellcheck disable=SC2086 # words
        "$compiler" "$@" $level "$objects/mains/$main.o" "$objects"/*.o -lm -o "$scratch/$main" ||
            fail "$what: $main does not link"
        checks=$((checks + 1))
        # shellcheck disable=SC2086
        $runner "$scratch/$main" $data >"$scratch/out" 2>&1 || fail "$what: $main: $(cat "$scratch/out")"
        total=$(sed -n 's/^total *//p' "$scratch/out")
        printf '%-32s %-14s %s\n' "$what" "$main" "$total"
        eval "first=\${total_$main-${total%% *}}; total_$main=\$first"
        equal "$what: $main: total" "${total%% *}" "$first"
    done
}

# on_x86_32: static, as most 64-bit kernels run these programs as they are
on_x86_32() {
    for level in -O0 -O3; do
        golden i686-linux-gnu-gcc $level "$1" -static -msse2 -mfpmath=sse
    done
}
runs_x86_32() {
    echo 'int main(void) { return 0; }' >"$scratch/tiny.c"
    i686-linux-gnu-gcc -static "$scratch/tiny.c" -o "$scratch/tiny" 2>/dev/null &&
        "$scratch/tiny" 2>/dev/null
}

if [ "${1-}" = cross ]; then
    for level in -O0 -O3; do
        golden aarch64-linux-gnu-gcc $level qemu-aarch64 -static
        golden s390x-linux-gnu-gcc $level qemu-s390x -static
    done
    if runs_x86_32; then on_x86_32 ""; else on_x86_32 qemu-i386; fi
    mains=tests/golden_record.c
    for level in -O0 -O3; do
        golden clang $level "node --no-warnings scripts/run-wasm.mjs" --target=wasm32-wasi --sysroot=/usr
    done
    finish
fi

for compiler in gcc clang; do
    if command -v $compiler >/dev/null; then
        for level in -O0 -O1 -O2 -O3; do
            golden $compiler $level ""
        done
        native="-O3 -march=native"
        ! $compiler -march=native -E -x c /dev/null >/dev/null 2>&1 || golden $compiler "$native" ""
    fi
done
if runs_x86_32; then on_x86_32 ""; fi
[ "$checks" -gt 0 ] || skip "neither gcc nor clang"
finish
