#!/bin/sh
# The rules of the house, as a test. Prints every violation with file:line, and exits 1 on any.
#
#   sh tests/rules.sh              the self-test, then this repository
#   sh tests/rules.sh --self-test  shows in small bad trees that each rule fires
#
# 1 includes   include/ and src/ against tests/rooms.txt; all others use public headers only, and
#              tools, tests, bench and fuzz the lab's; the lab itself needs nothing but libc, and
#              lab/threads_*.c the threads of their system; tools, tests and examples the adapters
# 2 contracts  every public function has a /** */ block with its fields and parameters
# 3 calls      no operating system, no allocation, no output in src/ outside src/platform/
# 4 shape      functions up to 70 lines; lines up to 100 columns; no tabs, no trailing spaces
# 5 version    include/evenstep/version.h is the topmost release of CHANGELOG.md
set -u
LC_ALL=C
export LC_ALL

home=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# --- rules 1 to 4: one pass over all *.c and *.h -------------------------------------------------

list_files() {
    find . \( -name '.?*' -o -name 'build*' \) -prune -o -type f -name '*.[ch]' -print |
        sed 's|^\./||' | sort
}

cat > "$work/rules.awk" <<'AWK'
function violation(line, text)
{
    printf "%s:%d: %s\n", FILENAME_NOW, line, text
}

function trim(text)
{
    sub(/^[ \t]+/, "", text)
    sub(/[ \t]+$/, "", text)
    return text
}

# ---- tests/rooms.txt

function read_rooms(    line, number, kind, room, i, count, words)
{
    while ((getline line < ROOMS) > 0) {
        number += 1
        sub(/#.*/, "", line)
        line = trim(line)
        if (line == "") {
            continue
        }
        if (line !~ /^(header +[^ ]+|source +[^ ]+|system):/) {
            printf "%s:%d: not a line of this file: %s\n", ROOMS, number, line
            continue
        }
        kind = substr(line, 1, 6)
        room = substr(line, 7, index(line, ":") - 7)
        room = trim(room)
        listed[kind, room] = number
        count = split(substr(line, index(line, ":") + 1), words, " ")
        for (i = 1; i <= count; ++i) {
            allowed[kind, room, words[i]] = 1
        }
    }
    close(ROOMS)
}

# Every line of rooms.txt needs its file.
function check_rooms_exist(    key, part, path)
{
    for (key in listed) {
        split(key, part, SUBSEP)
        path = part[2]
        if (part[1] == "system" || path ~ /\*$/) {
            continue
        }
        if (part[1] == "header") {
            path = "include/evenstep/" path ".h"
        } else {
            path = "src/" path (path ~ /\.h$/ ? "" : ".c")
        }
        if (!(path in exists)) {
            printf "%s:%d: %s does not exist\n", ROOMS, listed[key], path
        }
    }
}

# ---- text

# The line without comments, and without what is in quotes.
function strip(text,    out, at, c, two, quote)
{
    if (!in_comment && text !~ /["\/]/ && index(text, APOSTROPHE) == 0) {
        return text
    }
    out = ""
    quote = ""
    for (at = 1; at <= length(text); ++at) {
        c = substr(text, at, 1)
        two = substr(text, at, 2)
        if (in_comment) {
            if (two == "*/") {
                in_comment = 0
                at += 1
                out = out " "
            }
        } else if (quote != "") {
            if (c == "\\") {
                at += 1
            } else if (c == quote) {
                quote = ""
                out = out c
            }
        } else if (two == "/*") {
            in_comment = 1
            at += 1
        } else if (two == "//") {
            break
        } else {
            if (c == "\"" || c == APOSTROPHE) {
                quote = c
            }
            out = out c
        }
    }
    return out
}

# a/b/../c is a/c
function normal(path,    count, parts, i, out, depth, stack)
{
    count = split(path, parts, "/")
    depth = 0
    for (i = 1; i <= count; ++i) {
        if (parts[i] == ".." && depth > 0 && stack[depth] != "..") {
            depth -= 1
        } else if (parts[i] != "." && parts[i] != "") {
            stack[++depth] = parts[i]
        }
    }
    out = ""
    for (i = 1; i <= depth; ++i) {
        out = out (i > 1 ? "/" : "") stack[i]
    }
    return out
}

function starts_with(text, start)
{
    return substr(text, 1, length(start)) == start
}

# ---- rule 1: includes

function check_include(text,    quoted, path, resolved)
{
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", text)
    if (text !~ /^("[^"]+"|<[^>]+>)/) {
        violation(FNR, "include of something that is no file name")
        return
    }
    quoted = substr(text, 1, 1) == "\""
    path = substr(text, 2)
    sub(/[">].*/, "", path)
    resolved = normal(DIR "/" path)
    if (AREA == "include" || AREA == "src") {
        check_library_include(quoted, path, resolved)
    } else {
        check_outside_include(quoted, path, resolved)
    }
}

function check_library_include(quoted, path, resolved,    kind, room, what)
{
    kind = AREA == "include" ? "header" : "source"
    room = FILENAME_NOW
    sub(kind == "header" ? "^include/evenstep/" : "^src/", "", room)
    sub(kind == "header" ? "[.]h$" : "[.]c$", "", room)
    if (!((kind, room) in listed) && kind == "source" && starts_with(room, "platform/")) {
        room = "platform/*"
    }
    if (!((kind, room) in listed)) {
        return # said once, by start_file
    }
    if (!quoted) {
        if (room == "platform/*" && path !~ FOREIGN) {
            return
        }
        if (starts_with(room, "simd/") && path ~ /^(immintrin|arm_neon|sys\/auxv)[.]h$/) {
            return
        }
        if (!(("system", "", path) in allowed)) {
            violation(FNR, "includes <" path ">, which tests/rooms.txt does not allow")
        }
        return
    }
    if (path ~ /^evenstep\/[^\/]+\.h$/) {
        what = substr(path, 10, length(path) - 11)
    } else if (kind == "source" && starts_with(resolved, "src/")) {
        what = substr(resolved, 5)
    } else {
        what = path
    }
    if (!((kind, room, what) in allowed) \
            && !((kind, room, "*") in allowed && ("header", what) in listed)) {
        violation(FNR, room " may not include " what " (tests/rooms.txt)")
    }
}

# tools, examples, bench, tests, fuzz, lab, adapters: public headers, and their own.
function check_outside_include(quoted, path, resolved)
{
    if (starts_with(path, "evenstep/")) {
        if (!(("include/" path) in exists)) {
            violation(FNR, "there is no public header " path)
        }
    } else if (starts_with(path, "lab/")) {
        if (!(path in exists)) {
            violation(FNR, "there is no header " path)
        } else if (AREA !~ /^(lab|tools|tests|bench|fuzz)$/) {
            violation(FNR, AREA "/ may not include the lab: " path)
        }
    } else if (starts_with(path, "adapters/")) {
        if (!(path in exists)) {
            violation(FNR, "there is no header " path)
        } else if (AREA !~ /^(adapters|tools|tests|examples)$/) {
            violation(FNR, AREA "/ may not include the adapters: " path)
        }
    } else if (AREA == "lab") {
        if (quoted || !(path in lab_system || (FILENAME_NOW ~ /^lab\/threads_/ && path ~ THREADS))) {
            violation(FNR, "includes " path ": the lab may include evenstep/, lab/ and libc")
        }
    } else if (path ~ /(^|\/)src\// || starts_with(resolved, "src/") || ("src/" path) in exists) {
        violation(FNR, "includes " path " of src/: only public headers may be used")
    } else if (AREA == "fuzz" && starts_with(resolved, "tools/") && resolved in exists) {
        return # the parsers that are fuzzed are the tools'
    } else if (AREA ~ /^(tools|bench)$/ && quoted && ("tools/common/" path) in exists) {
        return # what the command and programs of bench/ share
    } else if (AREA == "adapters" && quoted && path ~ /^[a-z-]+-client-protocol[.]h$/) {
        return # made by wayland-scanner
    } else if (quoted && !(starts_with(resolved, AREA "/") && resolved in exists)) {
        violation(FNR, "includes " path ": neither a public header nor a file of " AREA "/")
    }
}

# ---- rule 2: contracts

# Looks at one line of a public header; raw with, code without comments.
function check_contract(raw, code)
{
    if (raw ~ /^\/\*\*/) {
        doc = ""
        doc_open = 1
    }
    if (doc_open) {
        doc = doc "\n" raw
        if (raw ~ /\*\//) {
            doc_open = 0
            doc_end = FNR
        }
        return
    }
    if (declaration == "") {
        if (code !~ /^[A-Za-z_]/ || code ~ /^(typedef|extern)[ \t]/ \
                || (code ~ /^(struct|enum|union)[ \t]/ && code !~ /\(/)) {
            return
        }
        declaration_line = FNR
    }
    declaration = declaration " " code
    if (code ~ /[;{]/ || raw ~ /^\{/) {
        if (declaration ~ /\(/) {
            check_declaration()
        }
        declaration = ""
    }
}

function check_declaration(    name, field, fields, count, i)
{
    declarations += 1
    name = declaration
    sub(/[ \t]*\(.*/, "", name)
    sub(/.*[^A-Za-z0-9_]/, "", name)
    if (declaration !~ /^ (ES_API|static inline) /) {
        violation(declaration_line, name " is neither ES_API nor static inline")
    }
    if (doc_end != declaration_line - 1) {
        violation(declaration_line, name " has no /** */ block directly above it")
        return
    }
    count = split("Returns Errors Ownership Threads", fields, " ")
    for (i = 1; i <= count; ++i) {
        if (doc !~ ("\n \\* " fields[i] ": *[^ \n]")) {
            violation(declaration_line, name ": its block has no \"" fields[i] ":\"")
        }
    }
    check_parameters(name)
}

function check_parameters(name,    text, at, c, depth, one)
{
    text = substr(declaration, index(declaration, "(") + 1)
    one = ""
    depth = 0
    for (at = 1; at <= length(text); ++at) {
        c = substr(text, at, 1)
        if (depth == 0 && (c == "," || c == ")")) {
            check_parameter(name, trim(one))
            one = ""
            if (c == ")") {
                return
            }
            continue
        }
        depth += (c == "(") - (c == ")")
        one = one c
    }
}

function check_parameter(name, text,    words)
{
    if (text == "void" || text == "" || text == "...") {
        return
    }
    if (text ~ /\([ \t]*\*/) { # a pointer to a function
        sub(/.*\([ \t]*\*[ \t]*/, "", text)
        sub(/[^A-Za-z0-9_].*/, "", text)
    } else {
        sub(/(\[[^\]]*\][ \t]*)+$/, "", text)
        sub(/.*[^A-Za-z0-9_]/, "", text)
    }
    words = doc
    gsub(/[^A-Za-z0-9_]+/, " ", words)
    if (index(words " ", " " text " ") == 0) {
        violation(declaration_line, name ": its block does not mention " text)
    }
}

# ---- rule 3: calls

function check_calls(code,    before, name)
{
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/)) {
        before = RSTART > 1 ? substr(code, RSTART - 1, 1) : " "
        name = substr(code, RSTART, RLENGTH - 1)
        sub(/[ \t]+$/, "", name)
        if (name in banned && before !~ /[.>0-9]/) {
            violation(FNR, "calls " name "(), which only src/platform/ may")
        }
        code = substr(code, RSTART + RLENGTH)
    }
}

# ---- rule 4: shape

function check_line(raw,    columns)
{
    if (raw ~ /\t/) {
        violation(FNR, "has a tab")
    }
    if (raw ~ /[ \t\r]$/) {
        violation(FNR, "ends with a space")
    }
    columns = raw
    gsub(/[\200-\277]/, "", columns) # all but the first byte of a character
    if (length(columns) > 100) {
        violation(FNR, "is " length(columns) " columns wide, over 100")
    }
}

function check_length(code,    name)
{
    if (code ~ /^[A-Za-z_].*\(/) {
        head = code
    }
    if (code ~ /^[A-Za-z_].*\)[ \t]*\{[ \t]*$/ && code !~ /=/) {
        violation(FNR, "a function's opening brace belongs on a line of its own")
    }
    if (code ~ /^\{[ \t]*$/) {
        body = FNR
    } else if (code ~ /^\}[ \t]*$/ && body > 0) {
        bodies += 1
        name = head
        sub(/[ \t]*\(.*/, "", name)
        sub(/.*[^A-Za-z0-9_]/, "", name)
        if (limited && FNR - body + 1 > 70) {
            violation(body, name " is " FNR - body + 1 " lines long, over 70")
        }
        body = 0
    }
}

function end_file()
{
    if (body > 0) {
        violation(body, "this function's closing brace is not at column 0")
    }
}

# ---- all together

function start_file(    room)
{
    FILENAME_NOW = FILENAME
    files += 1
    AREA = FILENAME
    sub(/\/.*/, "", AREA)
    DIR = FILENAME
    sub(/\/?[^\/]*$/, "", DIR)
    limited = AREA ~ /^(include|src|lab|tools|examples|adapters)$/
    in_comment = continued = doc_open = doc_end = body = 0
    doc = declaration = head = ""
    room = FILENAME
    if (room ~ /^include\/evenstep\/[^\/]*\.h$/) {
        sub(/^include\/evenstep\//, "", room)
        sub(/\.h$/, "", room)
        if (!(("header", room) in listed)) {
            violation(1, "this room is not in tests/rooms.txt")
        }
    } else if (AREA == "src") {
        sub(/^src\//, "", room)
        sub(/\.c$/, "", room)
        if (!(("source", room) in listed) && !starts_with(room, "platform/")) {
            violation(1, "this source is not in tests/rooms.txt")
        }
    } else if (AREA == "include") {
        violation(1, "a public header belongs in include/evenstep/")
    }
}

BEGIN {
    APOSTROPHE = sprintf("%c", 39)
    FOREIGN = "SDL|GLFW|GL/|cairo|jansson|X11|xcb|wayland|vulkan"
    count = split("clock_gettime clock_getres clock_nanosleep nanosleep usleep sleep gettimeofday " \
            "time clock timespec_get getenv system malloc calloc realloc aligned_alloc " \
            "posix_memalign strdup free alloca printf fprintf vprintf vfprintf puts fputs putchar " \
            "perror fopen fclose fread fwrite open close read write ioctl mmap exit abort signal",
            words, " ")
    for (i = 1; i <= count; ++i) {
        banned[words[i]] = 1
    }
    THREADS = "^(pthread|windows|process)[.]h$"
    count = split("assert errno float inttypes limits math stdalign stdarg stdbool stddef " \
            "stdint stdio stdlib string", words, " ")
    for (i = 1; i <= count; ++i) {
        lab_system[words[i] ".h"] = 1
    }
    for (i = 1; i < ARGC; ++i) {
        exists[ARGV[i]] = 1
    }
    read_rooms()
    check_rooms_exist()
}

FNR == 1 {
    if (files > 0) {
        end_file()
    }
    start_file()
}

{
    was_comment = in_comment
    code = strip($0)
    check_line($0)
    if (!was_comment && code ~ /^[ \t]*#[ \t]*include/) {
        check_include($0)
    }
    directive = continued || code ~ /^[ \t]*#/
    continued = directive && $0 ~ /\\$/
    if (!directive) {
        if (AREA == "include") {
            check_contract($0, code)
        }
        check_length(code)
    }
    if ((AREA == "src" && !starts_with(FILENAME, "src/platform/")) || AREA == "include") {
        check_calls(code)
    }
}

END {
    if (files > 0) {
        end_file()
    }
    printf "%d %d %d\n", files, declarations, bodies > COUNTS
}
AWK

# --- rule 5: the version --------------------------------------------------------------------------

check_version() {
    if [ ! -f CHANGELOG.md ]; then
        return
    fi
    awk '
        /^#define ES_VERSION_(MAJOR|MINOR|PATCH) / {
            header = header (header == "" ? "" : ".") $3
        }
        FILENAME == "CHANGELOG.md" && release == "" && /^## \[[0-9]+\.[0-9]+\.[0-9]+\]/ {
            release = $2
            gsub(/[][]/, "", release)
            line = FNR
        }
        END {
            if (release == "") {
                print "CHANGELOG.md:1: there is no release (## [x.y.z])"
            } else if (release != header) {
                printf "CHANGELOG.md:%d: the topmost release is %s, version.h says %s\n",
                    line, release, header
            }
        }' include/evenstep/version.h CHANGELOG.md
}

# Prints the violations of the tree at $1; the counts go to $work/counts.
check_tree() (
    cd "$1" || exit 1
    # shellcheck disable=SC2046 # our file names hold no spaces
    awk -v ROOMS=tests/rooms.txt -v COUNTS="$work/counts" -f "$work/rules.awk" $(list_files) ||
        echo "tests/rules.sh:1: awk failed"
    check_version
)

# --- the self-test --------------------------------------------------------------------------------

# A tree in which all is well.
make_good_tree() {
    mkdir -p "$1/include/evenstep" "$1/src/platform/os" "$1/tests" "$1/tools/tool" "$1/lab" \
        "$1/adapters"
    cat > "$1/tests/rooms.txt" <<'END'
header base:      # the ground floor
header version: base
header core: base
header kit: base
header evenstep: *
source base: base
source core: core core_private.h platform/platform.h
source core_private.h: core
source kit: kit
source platform/platform.h:
source platform/*: platform/platform.h
system: stdint.h string.h
END
    cat > "$1/include/evenstep/base.h" <<'END'
#include <stdint.h>
#define ES_API
#define ES_TWICE(x) \
    ((x) + (x))

typedef int es_callback(int value);

struct es_thing {
    int (*free)(int x);
};

/** Adds.
 *
 * a, b: numbers; more: others.
 * callback: called with "malloc(1)".
 * Returns: a sum.
 * Errors: none.
 * Ownership: none.
 * Threads: any.
 */
ES_API int es_add(
        int a, const int *b, int more[4], int (*callback)(int x, int y));

/** Nothing.
 *
 * Returns: nothing.
 * Errors: none.
 * Ownership: none.
 * Threads: any.
 */
static inline void es_nothing(void)
{
}
END
    cat > "$1/include/evenstep/version.h" <<'END'
#include "evenstep/base.h"
#define ES_VERSION_MAJOR 1
#define ES_VERSION_MINOR 20
#define ES_VERSION_PATCH 3
END
    printf '#include "evenstep/base.h"\n' > "$1/include/evenstep/core.h"
    printf '#include "evenstep/base.h"\n' > "$1/include/evenstep/kit.h"
    printf '#include "evenstep/core.h"\n#include "evenstep/kit.h"\n' \
        > "$1/include/evenstep/evenstep.h"
    printf '#include "evenstep/base.h"\n' > "$1/src/base.c"
    printf '#include "evenstep/core.h"\n#include "core_private.h"\n' > "$1/src/core.c"
    printf '#include "platform/platform.h"\n' >> "$1/src/core.c"
    printf '#include "evenstep/core.h"\n' > "$1/src/core_private.h"
    printf '/* the contract */\n' > "$1/src/platform/platform.h"
    printf '#include "../platform.h"\n#include <time.h>\n' > "$1/src/platform/os/clock_os.c"
    printf 'int now(void)\n{\n    return nanosleep();\n}\n' >> "$1/src/platform/os/clock_os.c"
    printf '#include "evenstep/kit.h"\n\n#include <string.h>\n' > "$1/src/kit.c"
    {
        printf '/* malloc(1) in a comment,\n * free(x) in its second line */\n'
        printf '// printf("x")\nstatic const char *text = "fopen(1) \\" time(2)";\n'
        printf 'void runtime(int c)\n{\n    thing->free(1);\n    es_free(c == %s(%s);\n}\n' \
            "'" "'"
        long_function 70
        printf '/* ää%092d */\n' 0
    } >> "$1/src/kit.c"
    printf '#include "tool.h"\n\n#include <SDL2/SDL.h>\n#include "evenstep/kit.h"\n' \
        > "$1/tools/tool/tool.c"
    printf '#include <stdio.h>\n' > "$1/tools/tool/tool.h"
    printf '#include "../tool/tool.h"\n#include <evenstep/core.h>\n' > "$1/tools/tool/more.c"
    printf '#include "evenstep/core.h"\n#include <stdint.h>\n' > "$1/lab/run.h"
    printf '#include "lab/run.h"\n\n#include <stdlib.h>\n' > "$1/lab/run.c"
    printf '#include <pthread.h>\n#include <windows.h>\n' > "$1/lab/threads_any.c"
    printf '#include "lab/run.h"\n' > "$1/tests/lab.c"
    printf '#include "evenstep/core.h"\n' > "$1/adapters/os.h"
    printf '#include "os.h"\n\n#include <xcb/xcb.h>\n#include "os-client-protocol.h"\n' \
        > "$1/adapters/os.c"
    printf '# Changes\n\n## [Unreleased]\n\n## [1.20.3] - today\n\n## [1.20.2]\n' \
        > "$1/CHANGELOG.md"
}

# A function whose body has $1 lines, braces included.
long_function() {
    printf 'static int long_one(int a)\n{\n'
    awk -v lines="$1" 'BEGIN { for (i = 2; i < lines; ++i) print "    a += 1;" }'
    printf '}\n'
}

# One line per case, and per case that went wrong; files, because pipelines run in subshells.
: > "$work/cases"
: > "$work/failures"

# Puts what it reads at the end of file $1 of a good tree; exactly this violation must be found: $2.
expect() {
    rm -rf "$work/tree"
    make_good_tree "$work/tree"
    mkdir -p "$(dirname "$work/tree/$1")"
    cat >> "$work/tree/$1"
    found=$(check_tree "$work/tree")
    if [ "$found" != "$2" ]; then
        printf 'rules.sh --self-test: expected\n  %s\nbut found\n  %s\n' "$2" "$found"
        echo >> "$work/failures"
    fi
    echo >> "$work/cases"
}

# A documented declaration without the line that matches $1.
without() {
    sed "/$1/d" <<'END'
/** Does.
 *
 * value: any.
 * Returns: nothing.
 * Errors: none.
 * Ownership: none.
 * Threads: any.
 */
ES_API void es_do(int value);
END
}

test_includes() {
    h=include/evenstep
    echo '#include "evenstep/core.h"' |
        expect $h/kit.h "$h/kit.h:2: kit may not include core (tests/rooms.txt)"
    echo '#include "evenstep/kit.h"' |
        expect $h/core.h "$h/core.h:2: core may not include kit (tests/rooms.txt)"
    echo '#include "evenstep/version.h"' |
        expect $h/base.h "$h/base.h:34: base may not include version (tests/rooms.txt)"
    echo '#include "evenstep/evenstep.h"' |
        expect $h/kit.h "$h/kit.h:2: kit may not include evenstep (tests/rooms.txt)"
    echo '#include "../src/core_private.h"' | expect $h/core.h \
        "$h/core.h:2: core may not include ../src/core_private.h (tests/rooms.txt)"
    echo '#include <jansson.h>' | expect $h/kit.h \
        "$h/kit.h:2: includes <jansson.h>, which tests/rooms.txt does not allow"
    echo '#include "jansson.h"' |
        expect $h/kit.h "$h/kit.h:2: kit may not include jansson.h (tests/rooms.txt)"
    printf '\n' | expect $h/extra.h "$h/extra.h:1: this room is not in tests/rooms.txt"
    printf '\n' | expect include/other.h \
        "include/other.h:1: a public header belongs in include/evenstep/"
    echo 'header attic: base' | expect tests/rooms.txt \
        "tests/rooms.txt:13: include/evenstep/attic.h does not exist"
    echo 'attic may include base' | expect tests/rooms.txt \
        "tests/rooms.txt:13: not a line of this file: attic may include base"
}

test_includes_of_sources() {
    echo '#include "evenstep/core.h"' | expect src/base.c \
        "src/base.c:2: base may not include core (tests/rooms.txt)"
    echo '#  include "platform/platform.h"' | expect src/base.c \
        "src/base.c:2: base may not include platform/platform.h (tests/rooms.txt)"
    echo '#include "../../core_private.h"' | expect src/platform/os/clock_os.c \
        "src/platform/os/clock_os.c:7: platform/* may not include core_private.h (tests/rooms.txt)"
    echo '#include <time.h>' | expect src/base.c \
        "src/base.c:2: includes <time.h>, which tests/rooms.txt does not allow"
    echo '#include <SDL2/SDL.h>' | expect src/platform/os/clock_os.c \
        "src/platform/os/clock_os.c:7: includes <SDL2/SDL.h>, which tests/rooms.txt does not allow"
    echo '#include NAME' | expect src/base.c \
        "src/base.c:2: include of something that is no file name"
    printf '\n' | expect src/extra.c "src/extra.c:1: this source is not in tests/rooms.txt"
}

test_includes_of_others() {
    for area in tools/tool examples bench tests; do
        echo '#include "evenstep/gone.h"' | expect $area/a.c \
            "$area/a.c:1: there is no public header evenstep/gone.h"
        echo '#include "core_private.h"' | expect $area/a.c \
            "$area/a.c:1: includes core_private.h of src/: only public headers may be used"
        echo '#include <../src/core_private.h>' | expect $area/a.c \
            "$area/a.c:1: includes ../src/core_private.h of src/: only public headers may be used"
        echo '#include "own.h"' | expect $area/a.c \
            "$area/a.c:1: includes own.h: neither a public header nor a file of ${area%%/*}/"
    done
    echo '#include "../tools/tool/tool.h"' | expect tests/a.c \
        "tests/a.c:1: includes ../tools/tool/tool.h: neither a public header nor a file of tests/"
}

test_includes_of_the_lab() {
    may="the lab may include evenstep/, lab/ and libc"
    echo '#include "run.h"' | expect lab/a.c "lab/a.c:1: includes run.h: $may"
    echo '#include "../tools/tool/tool.h"' | expect lab/a.c \
        "lab/a.c:1: includes ../tools/tool/tool.h: $may"
    echo '#include <unistd.h>' | expect lab/a.c "lab/a.c:1: includes unistd.h: $may"
    echo '#include <pthread.h>' | expect lab/a.c "lab/a.c:1: includes pthread.h: $may"
    echo '#include <unistd.h>' | expect lab/threads_a.c "lab/threads_a.c:1: includes unistd.h: $may"
    echo '#include <jansson.h>' | expect lab/loops/a.c "lab/loops/a.c:1: includes jansson.h: $may"
    echo '#include "core_private.h"' | expect lab/a.c \
        "lab/a.c:1: includes core_private.h: $may"
    echo '#include "lab/gone.h"' | expect lab/a.c "lab/a.c:1: there is no header lab/gone.h"
    echo '#include <lab/gone.h>' | expect tools/tool/a.c \
        "tools/tool/a.c:1: there is no header lab/gone.h"
    echo '#include "lab/run.h"' | expect examples/a.c \
        "examples/a.c:1: examples/ may not include the lab: lab/run.h"
    echo '#include "lab/run.h"' | expect src/base.c \
        "src/base.c:2: base may not include lab/run.h (tests/rooms.txt)"
    for area in tests bench fuzz tools/tool lab/loops; do
        echo '#include "lab/run.h"' | expect $area/a.c ""
    done
}

test_includes_of_the_adapters() {
    echo '#include "../tools/tool/tool.h"' | expect adapters/a.c \
        "adapters/a.c:1: includes ../tools/tool/tool.h: neither a public header nor a file of adapters/"
    echo '#include "core_private.h"' | expect adapters/a.c \
        "adapters/a.c:1: includes core_private.h of src/: only public headers may be used"
    echo '#include "os-client-protocol.h"' | expect tools/a.c \
        "tools/a.c:1: includes os-client-protocol.h: neither a public header nor a file of tools/"
    echo '#include "adapters/gone.h"' |
        expect tools/tool/a.c "tools/tool/a.c:1: there is no header adapters/gone.h"
    echo '#include "adapters/os.h"' | expect bench/a.c \
        "bench/a.c:1: bench/ may not include the adapters: adapters/os.h"
    echo '#include "adapters/os.h"' | expect src/base.c \
        "src/base.c:2: base may not include adapters/os.h (tests/rooms.txt)"
    for area in adapters/probe tools/tool tests examples; do
        echo '#include "adapters/os.h"' | expect $area/a.c ""
    done
    echo '#include "adapters/os.h"' |
        expect lab/a.c "lab/a.c:1: lab/ may not include the adapters: adapters/os.h"
}

test_contracts() {
    f=include/evenstep/kit.h
    for field in Returns Errors Ownership Threads; do
        without $field | expect $f "$f:9: es_do: its block has no \"$field:\""
    done
    without 'value: ' | expect $f "$f:9: es_do: its block does not mention value"
    without '^ \*\/' | sed 's|Threads: any.|Threads: any. */|' | sed '1s|/\*\*|/*|' |
        expect $f "$f:9: es_do has no /** */ block directly above it"
    without '^ES_API' | sed '$a\
\
ES_API void es_do(int value);' | expect $f "$f:11: es_do has no /** */ block directly above it"
    without nothing_at_all | sed 's/ES_API //' |
        expect $f "$f:10: es_do is neither ES_API nor static inline"
    without nothing_at_all | sed 's/int value/int value,\
        void (*more)(int value), char *text[2]/; s/value: any/value, more: any/' |
        expect $f "$f:10: es_do: its block does not mention text"
    without nothing_at_all | sed 's/int value/int (*more)(int value)/' |
        expect $f "$f:10: es_do: its block does not mention more"
    without nothing_at_all | sed 's/ES_API/static inline/; s/;$/\
{\
}/; s/value: any/values: any/' | expect $f "$f:10: es_do: its block does not mention value"
}

test_calls() {
    for call in clock_gettime nanosleep malloc calloc realloc free printf fopen gettimeofday time
    do
        printf 'x = %s (1);\n' $call | expect src/base.c \
            "src/base.c:2: calls $call(), which only src/platform/ may"
    done
    echo 'int x = (malloc)(1) + f(0)+time(0); /* */ y = "quoted";' | expect src/base.c \
        "src/base.c:2: calls time(), which only src/platform/ may"
    printf '/* a comment */ free(x); // free(y)\n' | expect src/base.c \
        "src/base.c:2: calls free(), which only src/platform/ may"
}

test_shape() {
    for file in src/base.c tools/tool/tool.h examples/a.c lab/run.c adapters/os.c; do
        lines=$(make_good_tree "$work/count" && wc -l 2> /dev/null < "$work/count/$file")
        long_function 71 | expect $file \
            "$file:$((lines + 2)): long_one is 71 lines long, over 70"
        rm -rf "$work/count"
    done
    printf 'void f(void) {\n}\n' | expect src/base.c \
        "src/base.c:2: a function's opening brace belongs on a line of its own"
    printf 'void f(void)\n{\n    }\n' | expect src/base.c \
        "src/base.c:3: this function's closing brace is not at column 0"
    for file in src/base.c tests/a.h bench/deep/a.c docs/a.c; do
        lines=$(make_good_tree "$work/count" && wc -l 2> /dev/null < "$work/count/$file")
        at=$file:$((lines + 1))
        rm -rf "$work/count"
        printf '//%099d\n' 0 | expect $file "$at: is 101 columns wide, over 100"
        printf 'int\tx;\n' | expect $file "$at: has a tab"
        printf 'int x; \n' | expect $file "$at: ends with a space"
        printf 'int x;\r\n' | expect $file "$at: ends with a space"
    done
}

test_version() {
    sed -n '$d' /dev/null | expect CHANGELOG.md ""
    printf '#define ES_VERSION_MAJOR 2\n' | expect include/evenstep/version.h \
        "CHANGELOG.md:5: the topmost release is 1.20.3, version.h says 1.20.3.2"
    rm -rf "$work/tree"
    make_good_tree "$work/tree"
    printf '# Changes\n\n## [1.20.4]\n\n## [1.20.3]\n' > "$work/tree/CHANGELOG.md"
    found=$(check_tree "$work/tree")
    [ "$found" = "CHANGELOG.md:3: the topmost release is 1.20.4, version.h says 1.20.3" ] || {
        printf 'rules.sh --self-test: the version: found %s\n' "$found"
        echo >> "$work/failures"
    }
    printf '# Changes\n' > "$work/tree/CHANGELOG.md"
    found=$(check_tree "$work/tree")
    [ "$found" = "CHANGELOG.md:1: there is no release (## [x.y.z])" ] || {
        printf 'rules.sh --self-test: no release: found %s\n' "$found"
        echo >> "$work/failures"
    }
    printf '\n\n' >> "$work/cases"
}

# The counts of the good tree: a rule that looks at nothing finds nothing.
test_counts() {
    rm -rf "$work/tree"
    make_good_tree "$work/tree"
    check_tree "$work/tree" > "$work/found"
    if [ -s "$work/found" ] || [ "$(cat "$work/counts")" != "20 2 4" ]; then
        printf 'rules.sh --self-test: the good tree: counts %s\n' "$(cat "$work/counts")"
        cat "$work/found"
        echo >> "$work/failures"
    fi
    echo >> "$work/cases"
}

self_test() {
    test_counts
    test_includes
    test_includes_of_sources
    test_includes_of_others
    test_includes_of_the_lab
    test_includes_of_the_adapters
    test_contracts
    test_calls
    test_shape
    test_version
    cases=$(wc -l < "$work/cases")
    failures=$(wc -l < "$work/failures")
    if [ "$failures" -gt 0 ]; then
        printf 'rules: self-test: %d of %d cases failed\n' "$failures" "$cases"
        exit 1
    fi
    printf 'rules: self-test: each of %d bad trees was found out\n' "$cases"
}

# --- this repository ------------------------------------------------------------------------------

self_test
if [ "${1:-}" = --self-test ]; then
    exit 0
fi
rm -f "$work/counts"
check_tree "$home" > "$work/violations"
cat "$work/violations"
[ -f "$home/CHANGELOG.md" ] ||
    echo 'rules: there is no CHANGELOG.md yet: the version was not compared'
read -r files declarations bodies < "$work/counts" || exit 1
found=$(wc -l < "$work/violations")
printf 'rules: %d violations; checked %d files, %d public declarations and %d function bodies\n' \
    "$found" "$files" "$declarations" "$bodies"
[ "$found" -eq 0 ]
