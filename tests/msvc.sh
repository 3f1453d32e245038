#!/bin/sh
# The library for Microsoft's compiler, as far as a machine without it can go. clang checks every source and the
# public headers, as C and C++, for its targets, against a header of our own (tests/stubs/msvc.h): as clang-cl
# reads them, and as Microsoft's compiler does, where no word of gcc's or clang's may be left. The form of the
# atomic operations for that compiler runs here, on two threads.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$home" || exit 1
need clang
context="head -n 30 $scratch/log"
mkdir -p "$scratch/include/sys" "$scratch/headers"
for name in errno fcntl float intrin inttypes io math process stdio stdlib string sys/stat windows; do
    echo '#include <msvc.h>' >"$scratch/include/$name.h"
done
echo '#define near' >>"$scratch/include/windows.h"
for header in include/evenstep/*.h; do
    echo "#include <evenstep/${header##*/}>" >"$scratch/headers/$(basename "$header" .h).c"
done
sources="$(find src -name '*.c' ! -path '*/platform/*/*') $(echo src/platform/windows/*.c "$scratch"/headers/*.c)"

# reads OPTION...: clang for a target of Microsoft's
reads() {
    quietly clang -fms-extensions -fms-compatibility -nostdlibinc -Wall -Wextra -Wpedantic -Wconversion \
        -Wno-microsoft -Wno-language-extension-token -Werror -Iinclude -Isrc -isystem "$scratch/include" -isystem tests/stubs "$@"
}
# Microsoft's own lacks these, and takes the Interlocked functions, which are of signed numbers.
own="-U__clang__ -U__SIZEOF_INT128__ -Wno-sign-conversion"
for as in x86_64 "x86_64 $own" "i686 $own" "aarch64 $own"; do
    name=$as
    as="--target=${as%% *}-pc-windows-msvc ${as#"${as%% *}"}"
    # shellcheck disable=SC2086 # words
    check "$name" reads $as -std=c17 -fsyntax-only $sources
    # shellcheck disable=SC2086 # words
    check "$name, C++" reads $as -x c++ -std=c++17 -fsyntax-only "$scratch"/headers/*.c \
        -Wno-builtin-macro-redefined -U__cplusplus -D__cplusplus=199711L # without /Zc:__cplusplus
done
# shellcheck disable=SC2086 # words
check "preprocessed" reads $as -std=c17 -E $sources
awk '/^# [0-9]/ { ours = $3 ~ /^"(src|include)/; next } ours' "$scratch/log" |
    sed -E 's/__builtin_(offsetof|va_(start|end|list))//g' >"$scratch/words" # by clang's headers
equal "words that Microsoft's compiler may not know" "$(grep -woE '_Atomic|_Thread_local|__thread|__attribute__|__asm__|'\
'(__)?typeof(__)?|__extension__|__int128|__builtin_[a-z0-9_]*' "$scratch/words" | sort -u)" ""
for word in '__declspec(thread)' _InterlockedCompareExchange; do # what is there instead
    check "$word" grep -qF "$word" "$scratch/words"
done

# One compare-exchange each that fails and that succeeds.
cat >"$scratch/words.c" <<'END'
#include "base/atomics.h"
int main(void)
{
    atomic_uint word;
    unsigned seen = 0x80000002U;
    atomic_init(&word, 0xFFFFFFFFU);
    int wrong = atomic_compare_exchange_strong_explicit(&word, &seen, 5, 0, 0);
    unsigned now = atomic_load_explicit(&word, memory_order_acquire);
    wrong |= seen != 0xFFFFFFFFU || now != 0xFFFFFFFFU;
    wrong |= !atomic_compare_exchange_strong_explicit(&word, &seen, 5, 0, 0);
    wrong |= atomic_exchange_explicit(&word, 7U, memory_order_acq_rel) != 5;
    now = atomic_load_explicit(&word, memory_order_acquire);
    return wrong || now != 7;
}
END
cp tests/stress.c tests/*.h "$scratch"
users=$(grep -lE 'base/atomics' -r src --include='*.c')
for name in words stress; do
    # shellcheck disable=SC2086 # words
    check "$name" quietly clang -std=c17 -O2 -pthread -fms-extensions -D ES_ATOMICS_INTERLOCKED -I include -I src \
        -Wno-language-extension-token -Wno-implicit-function-declaration "$scratch/$name.c" $users \
        "$build/libevenstep.a" -lm -o "$scratch/$name"
done
for run in words "stress exchange 100" "stress input 10"; do
    # shellcheck disable=SC2086 # words
    check "$run, Interlocked" quietly "$scratch/"$run
done
finish
