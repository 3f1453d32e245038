#!/bin/sh
# The library for macOS, as far as a machine without Apple's SDK can go: compiles every source, and
# the two files to copy, for both of its processors to objects of Apple's format, against small
# headers of our own (tests/stubs/macos), with all warnings; and lists what the objects expect of the
# system, which must be known. It cannot link or run it. Needs clang and llvm-nm; skipped without.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1
if ! command -v clang > /dev/null 2>&1; then
    echo "macos: no clang here: skipped"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# what libSystem has, and what clang calls unasked of it or of its own library
known=$(printf '%s\n' __bzero __cpu_model __stack_chk_fail __stack_chk_guard _tlv_bootstrap \
    bzero memset_pattern16 clock_gettime_nsec_np fabs fabsf floor mach_absolute_time \
    mach_continuous_time mach_timebase_info mach_wait_until memcmp memcpy memmove memset \
    os_unfair_lock_lock os_unfair_lock_unlock \
    pthread_attr_destroy pthread_attr_getstacksize pthread_attr_init pthread_attr_setstacksize \
    pthread_create pthread_get_qos_class_np pthread_join pthread_mach_thread_np pthread_once \
    pthread_self pthread_set_qos_class_self_np pthread_sigmask sigdelset sigfillset sqrt sqrtf strcmp thread_policy_set \
    atan2 cos exp log memchr pow sin tan __sincos_stret strlen)
failed=0

# clang knows where the programs of its own version lie
nm=$(command -v llvm-nm || clang -print-prog-name=llvm-nm)
command -v "$nm" > /dev/null 2>&1 || nm=
sh scripts/amalgamate "$work/pair" > "$work/log" || {
    cat "$work/log"
    exit 1
}

for target in x86_64-apple-macos10.12 arm64-apple-macos11; do
    mkdir "$work/$target"
    for source in src/*.c src/simd/*.c src/platform/macos/*.c; do
        object=$work/$target/$(basename "$source" .c).o
        clang -target "$target" -std=c17 -O0 -ffreestanding -fbuiltin -nostdlibinc \
            -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
            -Wstrict-prototypes -Werror -Iinclude -isystem tests/stubs/macos \
            -c "$source" -o "$object" || {
            echo "macos: $source does not compile for $target"
            failed=1
        }
    done
    clang -target "$target" -std=c17 -O0 -ffreestanding -fbuiltin -nostdlibinc -Wall -Wextra \
        -Wpedantic -Werror -isystem tests/stubs/macos -c "$work/pair/evenstep.c" \
        -o "$work/$target/evenstep.o" || {
        echo "macos: the two files do not compile for $target"
        failed=1
    }
    if [ -n "$nm" ] && [ "$failed" = 0 ]; then
        # Mach-O puts a _ before every name
        "$nm" --undefined-only --just-symbol-name "$work/$target"/*.o 2> /dev/null |
            sed -n 's/^_//p' | grep -v '^es_' | sort -u > "$work/wanted"
        if grep -vxF "$known" "$work/wanted"; then
            echo "macos: $target expects the names above, which are not known"
            failed=1
        fi
    fi
    echo "macos: $target: $(find "$work/$target" -name '*.o' | wc -l) objects"
done
if [ -z "$nm" ] && [ "$failed" = 0 ]; then
    echo "macos: no llvm-nm here: what the objects expect of the system was not compared"
    exit 77
fi
exit "$failed"
