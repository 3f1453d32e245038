#!/bin/sh
# The library for macOS, as far as a machine without Apple's SDK can go: compiles every source, and
# the two files to copy, for both of its processors to objects of Apple's format, against a header of
# our own (tests/stubs/macos.h), with all warnings; and lists what the objects expect of the system,
# which must be known. It cannot link or run it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$home" || exit 1
need clang

# what libSystem has, and what clang calls unasked of it or of its own library
known=$(printf '%s\n' __bzero __cpu_model __stack_chk_fail __stack_chk_guard _tlv_bootstrap \
    bzero memset_pattern16 clock_gettime_nsec_np fabs fabsf floor mach_absolute_time \
    mach_continuous_time mach_timebase_info mach_wait_until memcmp memcpy memmove memset \
    os_unfair_lock_lock os_unfair_lock_unlock \
    pthread_attr_destroy pthread_attr_getstacksize pthread_attr_init pthread_attr_setstacksize \
    pthread_create pthread_get_qos_class_np pthread_join pthread_mach_thread_np pthread_once \
    pthread_self pthread_set_qos_class_self_np pthread_sigmask sigdelset sigfillset sqrt sqrtf strcmp \
    thread_policy_set atan2 cos exp log memchr pow sin tan __sincos_stret strlen \
    __error __stderrp abort fprintf clearerr fclose ferror fopen fread fseeko fwrite remove setvbuf snprintf vsnprintf strerror calloc free malloc)

# clang knows where the programs of its own version lie
nm=$(command -v llvm-nm || clang -print-prog-name=llvm-nm)
check "scripts/amalgamate" sh scripts/amalgamate "$scratch/pair"
stubs=$scratch/include
mkdir -p "$stubs/mach" "$stubs/os" "$stubs/sys"
for name in errno mach/mach_time mach/thread_act mach/thread_policy math os/lock pthread signal stdio stdlib string sys/types \
    time; do
    echo '#include <macos.h>' >"$stubs/$name.h"
done

for target in x86_64-apple-macos10.12 arm64-apple-macos11; do
    objects=$scratch/$target
    mkdir "$objects"
    for source in $(find src -name '*.c' ! -path '*/platform/*/*') src/platform/macos/*.c \
        "$scratch/pair/evenstep.c"; do
        case $source in
        src/*) ours="-ffp-contract=off -Wconversion -Wshadow -Wstrict-prototypes -Iinclude -Isrc" name=$source ;;
        *) ours="" name=pair.c ;;
        esac
        # shellcheck disable=SC2086 # words
        check "$target: $source" clang -target "$target" -std=c17 -O0 -ffreestanding -fbuiltin \
            -nostdlibinc -Wall -Wextra -Wpedantic -Werror $ours -isystem "$stubs" -isystem tests/stubs -c "$source" \
            -o "$objects/$(basename "$name" .c).o"
    done
    if command -v "$nm" >/dev/null; then
        # Mach-O puts a _ before every name
        "$nm" --undefined-only --just-symbol-name "$objects"/*.o 2>/dev/null |
            sed -n 's/^_//p' | grep -v '^es_' | sort -u >"$scratch/wanted"
        check "$target: names" [ -s "$scratch/wanted" ]
        equal "$target: names that are not known" "$(echo "$known" | grep -vxFf - "$scratch/wanted")" ""
    fi
done
if [ "$failures" = 0 ] && ! command -v "$nm" >/dev/null; then
    skip "no llvm-nm: what the objects expect of the system was not compared"
fi
finish
