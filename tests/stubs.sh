#!/bin/sh
# Adapters, the programs that they begin with, and examples of libraries that this machine may not have compile
# against tests/stubs, without a warning: as C11, C17, C++17 and C++20, with each of gcc and clang installed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$home" || exit 1
compilers=
for compiler in gcc clang g++ clang++; do
    if command -v "$compiler" >/dev/null; then
        compilers="$compilers $compiler"
    fi
done
check "gcc or clang" [ -n "$compilers" ]

# accepted FILE FLAG...
accepted() {
    file=$1
    shift
    for compiler in $compilers; do
        case $compiler in
        *++) standards="c++17 c++20" language=c++ ;;
        *) standards="c11 c17" language=c ;;
        esac
        for standard in $standards; do
            checks=$((checks + 1))
            "$compiler" -x $language -std="$standard" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
                -fsyntax-only "$@" -I include -I adapters "$file" >"$scratch/log" 2>&1 ||
                fail "$file $*: $compiler -std=$standard: $(cat "$scratch/log")"
        done
    done
}

# the macros of <windows.h> that are words, as tests/headers.sh has them
printf '#define %s\n' 'min(a, b) ((a) < (b) ? (a) : (b))' 'max(a, b) ((a) > (b) ? (a) : (b))' near far 'small char' \
    'interface struct' IN OUT OPTIONAL 'ERROR 0' 'DELETE 1' 'DIFFERENCE 11' 'TRUE 1' 'FALSE 0' >"$scratch/windows.h"
for library in sdl3 raylib sokol; do
    printf '#include "es_%s.h"\nextern int not_empty;\n' $library >"$scratch/es_$library"
    accepted "$scratch/es_$library" -I tests/stubs/$library
    accepted "$scratch/es_$library" -I tests/stubs/$library -include "$scratch/windows.h"
    for example in examples/*_"$library"_window.c; do
        accepted "$example" -I tests/stubs/$library
        check "$example: at most 100 lines" [ "$(wc -l <"$example")" -le 100 ]
    done
done
# opening LIBRARY: the program that the header begins with; the world is the reader's
opening() {
    cat "$scratch/es_$1"
    cat <<'END'
#include <stdio.h>
typedef struct world {
    double x;
} world;
extern world previous, current;
extern bool running;
void jump(world *state);
void update(world *state, double dt_s);
void draw(const world *before, const world *after, double alpha);
END
    [ "$1" != sdl3 ] || echo 'extern SDL_Window *window; extern SDL_Renderer *renderer;'
    [ "$1" = sokol ] || printf 'void play(void);\nvoid play(void)\n{\n'
    sed -n '1,/^ \*\//s/^ \*     //p' adapters/es_"$1".h
    [ "$1" = sokol ] || echo '}'
}

for library in sdl3 raylib sokol; do
    opening $library >"$scratch/opening_$library"
    check "es_$library.h has a program at its head" grep -q "es_${library}_close(" "$scratch/opening_$library"
    accepted "$scratch/opening_$library" -I tests/stubs/$library -Wno-unused-function
done
accepted "$scratch/es_sdl3" -I tests/stubs/sdl3 -D ES_SDL3_HOST=1
accepted "$scratch/es_sdl3" -I tests/stubs/sdl3 -D ES_FEEDBACK_X11 -D ES_FEEDBACK_WAYLAND
accepted "$scratch/es_sokol" -I tests/stubs/sokol -D ES_SOKOL_HIDDEN_NS=0
finish "with$compilers"
