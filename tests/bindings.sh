#!/bin/sh
# Python (ctypes), LuaJIT, C++ and, where cargo is, Rust: what is generated is that of the headers; structures have
# C's sizes and offsets; each function of evenstep.h takes zeros without a crash; a small game, a recording, errors.
# With EVENSTEP_FULL also the examples in windows on Xvfb, where pygame and LOVE are.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need clang python3 luajit g++
cd "$home" || exit 1
check "generated bindings" scripts/bind.py --check
check "amalgamated" scripts/amalgamate "$scratch/c" >/dev/null
mkdir "$scratch/o"
for part in "$scratch"/c/*.c; do
    check "$part" gcc -O1 -fPIC -fvisibility=hidden -D ES_SHARED -D ES_BUILDING -c "$part" -o "$scratch/o/$(basename "$part").o"
done
check "libevenstep.so" gcc -shared "$scratch"/o/*.o -o "$scratch/libevenstep.so" -lm
export EVENSTEP_LIBRARY="$scratch/libevenstep.so" PYTHONPATH="$home/bindings/python" PYTHONDONTWRITEBYTECODE=1
export LUA_PATH="$home/bindings/lua/?.lua;$home/bindings/lua/?/init.lua"
check "programs" python3 tests/bindings/make.py "$scratch"

check "layout.c" gcc -I include "$scratch/layout.c" -o "$scratch/layout"
"$scratch/layout" >"$scratch/of_c"
python3 tests/bindings/test.py layout >"$scratch/of_python"
same "sizes and offsets" "$scratch/of_c" "$scratch/of_python"

refused='41 functions; es_loop_create: evenstep.h is of another version than the library'
equal "Python: zeros" "$(python3 tests/bindings/test.py zeros)" "$refused"
equal "Lua: zeros" "$(luajit "$scratch/zero.lua")" "$refused"
check "C++: zeros" g++ -std=c++17 -Wall -I include -I bindings/cpp "$scratch/zero.cpp" "$scratch/libevenstep.so" -o "$scratch/zero"
equal "C++: zeros" "$("$scratch/zero")" "$refused"

equal "Python: a game" "$(python3 tests/bindings/test.py game 2>&1)" "game: 601 frames"
equal "Python: a replay" "$(python3 tests/bindings/test.py replay "$scratch" 2>&1)" "replay: 99 ticks, the same"
equal "Lua" "$(luajit tests/bindings/test.lua "$scratch" 2>&1)" "601 frames, 99 ticks, the same"
for compiler in g++ clang++; do
    check "C++: $compiler" $compiler -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I include \
        -I bindings/cpp tests/bindings/test.cpp "$scratch/libevenstep.so" -o "$scratch/cpp"
    rm -f "$scratch/cpp.esrec"
    equal "C++: $compiler" "$("$scratch/cpp" "$scratch/cpp.esrec" | tail -n 1)" "601 frames, 99 ticks, the same"
done
if command -v rustc >/dev/null && command -v cargo >/dev/null; then
    check "layout.rs" rustc -A warnings "$scratch/layout.rs" -o "$scratch/layout_rs"
    "$scratch/layout_rs" >"$scratch/of_rust"
    same "Rust: sizes and offsets" "$scratch/of_c" "$scratch/of_rust"
    cp -R bindings/rust "$scratch/rust"
    mv "$scratch/c" "$scratch/rust/evenstep-sys/c"
    (cd "$scratch/rust/evenstep" && CARGO_TARGET_DIR="$scratch/target" cargo test --offline >"$scratch/cargo" 2>&1)
    equal "Rust: $(tail -n 40 "$scratch/cargo")" "$(grep -c '^test .* ok$' "$scratch/cargo")" 2
fi
# in_window WHAT PATTERN COMMAND...: the command prints a line that matches
in_window() {
    what=$1 pattern=$2
    shift 2
    SDL_AUDIODRIVER=dummy LIBGL_ALWAYS_SOFTWARE=1 timeout 60 xvfb-run -a "$@" >"$scratch/window" 2>&1
    equal "$what: $(tail -n 5 "$scratch/window")" "$(grep -c "$pattern" "$scratch/window")" 1
}
# error_of HZ COMMAND...: the mean animation error in us, of the last 420 of 600 frames, on a virtual display that wakes
# the program up to 3 ms late; the command prints where a ball is drawn, at 200 per second
error_of() {
    hz=$1
    shift
    VIRTUAL_HZ=$hz VIRTUAL_LATE=3000000 VIRTUAL_LOG="$scratch/seen" SDL_AUDIODRIVER=dummy LIBGL_ALWAYS_SOFTWARE=1 \
        LD_PRELOAD="$scratch/virtual.so" timeout 60 "$@" 2>"$scratch/window" | grep -E '^[0-9.]+$' >"$scratch/drawn"
    tail -n 600 "$scratch/seen" | paste - "$scratch/drawn" | awk '
        NF == 2 && NR > 180 { e = ($2 - x) * 5e3 - ($1 - t) / 1e3; sum += e < 0 ? -e : e; n += 1 }
        { t = $1; x = $2 }
        END { printf "%.0f", n == 420 ? sum / n : 1e9 }'
}
# motion NAME HZ OWN EVEN: their errors are printed; the interpreter's own loop errs by over 0.5 ms, ours by under 0.01
motion() {
    echo "bindings: $1 at $2 Hz: its own loop errs by $3 us, Evenstep by $4"
    check "$1 at $2 Hz: $3, $4 us" [ "$3" -gt 500 ] && check "$1 at $2 Hz: $4 us" [ "$4" -lt 10 ]
}
if [ -n "${EVENSTEP_FULL-}" ] && command -v xvfb-run >/dev/null; then
    check "virtual.c" gcc -O2 -Wall -Wextra -Werror -shared -fPIC tests/bindings/virtual.c -o "$scratch/virtual.so" -ldl
    ball=tests/bindings/pygame_ball.py
    for hz in 60 144; do
        ! /usr/bin/python3 -c 'import pygame' 2>/dev/null >&2 ||
            motion pygame $hz "$(SDL_VIDEODRIVER=dummy error_of $hz /usr/bin/python3 $ball own $hz)" \
                "$(SDL_VIDEODRIVER=dummy error_of $hz /usr/bin/python3 $ball even)"
        ! command -v love >/dev/null || motion LOVE $hz "$(error_of $hz xvfb-run -a love tests/bindings/love_own)" \
            "$(error_of $hz xvfb-run -a love tests/bindings/love_even)"
    done
    ! /usr/bin/python3 -c 'import pygame' 2>/dev/null >&2 ||
        in_window pygame '^display: mode [0-9], ' /usr/bin/python3 bindings/python/example.py 3
    ! command -v love >/dev/null || in_window LOVE '^problem: ' love bindings/lua/example 4
fi
finish
