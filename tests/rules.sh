#!/bin/sh
# The structure of the sources, as a test. Prints each violation with its file and exits 1.
#
#   sh tests/rules.sh [DIRECTORY]    DIRECTORY: the tree; the one that holds this script by default
#
# 1 order    a folder of src/, lab/, capture/ and tools/ includes only the folders that the tables below
#            allow; lab/, capture/, tools/, adapters/ and examples/ include public headers only
# 2 circles  no file of src/, lab/, capture/ and tools/ calls a file that calls it back, directly or
#            through others
# 3 names    functions and types of src/ that are not public begin with es__, but for those of one file
# 4 calls    no operating system, allocation or output in src/ outside src/platform/; only
#            src/base/common.c allocates, for creation; src/base/assert.c prints and stops
# 5 shape    functions up to 60 lines (60 of code, comments not counted), no tab
# 6 version  include/evenstep/evenstep.h is the topmost release of CHANGELOG.md, and that of each package
# 7 users    examples/, adapters/, tools/, lab/ or capture/ name each public function
# 8 size     up to 9 public headers, 193 functions, 42 of them in evenstep.h, 382 fields, 25 in a struct
#
# 2 and the functions of 3 read the symbols of the static library BUILD_DIR/libevenstep.a and of the object files in
# BUILD_DIR/lab, capture and tools. They are left out without the library.
set -u
LC_ALL=C
export LC_ALL
home=$(cd "$(dirname "$0")/.." && pwd)
cd "${1:-$home}" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# FOLDER: the folders that it may include, besides itself.
cat > "$work/order" << 'END'
base:
platform: base
display: base
measure: base platform
loop: base platform display measure
world: base
threads: base loop platform
input: base
view: base
schedule: base platform loop
follow: base platform loop world
replay: base platform world
END
# HEADER: the folder that it belongs to. A public header that is not listed may not exist.
cat > "$work/headers" << 'END'
base: evenstep
measure: measure
world: world
threads: threads
input: input
view: view
schedule: schedule
follow: follow
replay: replay
END

# The same outside src/. A header without a folder is in the including folder or in tools/common.
# capture uses one header of the lab, lab/numbers.h. capture/layer is loaded into other programs.
cat > "$work/order_outside" << 'END'
lab:
capture: lab/numbers.h
capture/layer:
tools: tools/common
tools/common: lab
tools/capture: tools/common lab/numbers.h capture
tools/demo: tools/common lab capture adapters
tools/lab: tools/common lab capture
tools/replay: tools/common lab/numbers.h adapters
END

find src include lab capture tools adapters examples bench -name '*.[ch]' -o -path 'examples/*.cpp' > "$work/files"
# shellcheck disable=SC2016,SC2046
awk -v ORDER="$work/order" -v OUTSIDE="$work/order_outside" -v HEADERS="$work/headers" '
function folder_of(path,    part)
{
    split(path, part, "/")
    if (part[1] == "src") {
        return part[2]
    }
    if (part[1] == "include") {
        sub(/\.h$/, "", part[3])
        return part[3] in owner ? owner[part[3]] : "?"
    }
    return part[1]
}
function outside_of(path,    part)
{
    split(path, part, "/")
    return (part[1] == "tools" || part[2] == "layer") && part[3] != "" ? part[1] "/" part[2] : part[1]
}
function base(path)
{
    sub(/.*\//, "", path)
    return path
}
function exists(path,    line, found)
{
    found = (getline line < path) >= 0
    close(path)
    return found
}
BEGIN {
    while ((getline line < ORDER) > 0) {
        count = split(line, word, /:? +|:/)
        for (i = 2; i <= count; ++i) {
            allowed[word[1], word[i]] = 1
        }
    }
    while ((getline line < OUTSIDE) > 0) {
        count = split(line, word, /:? +|:/)
        ordered[word[1]] = 1
        for (i = 2; i <= count; ++i) {
            allowed[word[1], word[i]] = 1
        }
    }
    while ((getline line < HEADERS) > 0) {
        count = split(line, word, /:? +/)
        for (i = 2; i <= count; ++i) {
            owner[word[i]] = word[1]
        }
    }
}
FNR == 1 {
    from = folder_of(FILENAME)
    inside = FILENAME ~ /^(src|include)\//
    if (from == "?") {
        printf "%s: no folder owns this header (tests/rules.sh)\n", FILENAME
    }
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0
    gsub(/^[^"]*"|".*$/, "", name)
    if (name ~ /^evenstep\//) {
        to = name
        gsub(/^evenstep\/|\.h$/, "", to)
        to = to in owner ? owner[to] : "?"
    } else if (inside) {
        to = name ~ /\// && name !~ /^\.\.\// && (name !~ /^simd\//) ? substr(name, 1, index(name, "/") - 1) : from
    } else {
        to = name ~ /^(base|platform|display|measure|loop|world|threads|input|view|schedule|follow|replay)\// ? "private" : from
    }
    within = outside_of(FILENAME)
    if (within in ordered && name !~ /^evenstep\//) {
        target = name ~ /\// ? outside_of(name) : exists(substr(FILENAME, 1, length(FILENAME) - length(base(FILENAME))) name) ? within : "tools/common"
        if (target != within && !((within, target) in allowed) && !((within, name) in allowed)) {
            printf "%s:%d: %s may not include %s\n", FILENAME, FNR, within, name
        }
    }
    if (to == "?") {
        printf "%s:%d: there is no %s\n", FILENAME, FNR, name
    } else if (inside && from != "all" && to != from && !((from, to) in allowed)) {
        printf "%s:%d: %s may not include %s (%s)\n", FILENAME, FNR, from, to, name
    } else if (to == "private" && from != "bench") {
        printf "%s:%d: includes %s: only public headers may be used\n", FILENAME, FNR, name
    }
}
/\t/ {
    printf "%s:%d: a tab\n", FILENAME, FNR
}
' $(cat "$work/files") > "$work/found"

# Calls, the length of functions, users of public ones, and the size of the API, in code without
# comments and texts.
# shellcheck disable=SC2046,SC2016
awk '
FNR == 1 {
    comment = 0
    begun = 0
}
{
    code = ""
    rest = $0
    while (rest != "") {
        if (comment) {
            at = index(rest, "*/")
            comment = at == 0
            rest = at ? substr(rest, at + 2) : ""
        } else if (match(rest, /"([^"\\]|\\.)*"|\/\*/)) {
            code = code substr(rest, 1, RSTART - 1)
            comment = substr(rest, RSTART, 2) == "/*"
            rest = substr(rest, RSTART + RLENGTH)
        } else {
            code = code rest
            rest = ""
        }
    }
    if (code == "{") {
        begun = FNR
        lines = 0
    } else if (code == "}" && begun) {
        if (lines > 60) {
            printf "%s:%d: a function of %d lines\n", FILENAME, begun, lines
        }
        begun = 0
    } else if (code ~ /[^ ]/) {
        lines += 1
    }
}
/^ES_API/ && match(code, /es_[a-z0-9_]*\(/) {
    public[substr(code, RSTART, RLENGTH - 1)] = FILENAME
}
FNR == 1 && FILENAME ~ /^include\// {
    headers += 1
}
FILENAME ~ /^include\// && /^ES_API / {
    functions += 1
    of_core += FILENAME ~ /\/evenstep\.h$/
}
code ~ /^(typedef )?(struct|enum|union) es_[a-z0-9_]+( \{|.*;)/ {
    split(code, word, " ")
    tag = code ~ /^typedef/ ? word[3] : word[2]
    if (FILENAME ~ /^include\//) {
        public_type[tag] = 1
    } else if (FILENAME ~ /^src\// && tag !~ /^es__/) {
        private_type[tag] = FILENAME ":" FNR
    }
}
FILENAME ~ /^src\/.*[a-z]\.h$/ && FILENAME !~ /\.inc\.h$/ && code ~ /^typedef (struct|enum|union) [a-z0-9_]+ / {
    split(code, word, " ")
    if (word[3] !~ /^es_/) {
        private_type[word[3]] = FILENAME ":" FNR
    }
}
FILENAME ~ /^include\// && code ~ /^typedef struct [a-z0-9_]+ \{/ {
    split(code, word, " ")
    struct = word[3]
    declared = code = ""
}
struct != "" && code ~ /^}/ {
    struct = ""
}
struct != "" { # declarations, which end with a semicolon; commas outside parentheses separate fields
    declared = declared code
    while (match(declared, /;/)) {
        one = substr(declared, 1, RSTART - 1)
        declared = substr(declared, RSTART + 1)
        while (sub(/\([^()]*\)/, "", one)) {
        }
        count = gsub(/,/, "", one) + 1
        fields += count
        of_struct[struct] += count
    }
}
function check_size(name, number, most)
{
    if (number < 1 || number > most) {
        printf "include/evenstep: %s: %d, and at most %d are allowed\n", name, number, most
    }
}
FILENAME ~ /^(examples|adapters|tools|lab|capture)\// {
    for (rest = code; match(rest, /es_[a-z0-9_]*/); rest = substr(rest, RSTART + RLENGTH)) {
        named[substr(rest, RSTART, RLENGTH)] = 1
    }
}
END {
    for (tag in private_type) {
        if (!(tag in public_type)) {
            printf "%s: the type %s is neither public nor begins with es__\n", private_type[tag], tag
        }
    }
    check_size("headers", headers, 9)
    check_size("functions", functions, 193)
    check_size("functions of evenstep.h", of_core, 42)
    check_size("fields of structs", fields, 382)
    for (name in of_struct) {
        check_size("fields of " name, of_struct[name], 25)
    }
    for (name in public) {
        if (!(name in named) && name !~ /_checked$/) { # called by an inline function of the header
            printf "%s: no example, adapter or command names %s\n", public[name], name
        }
    }
}
FILENAME ~ /^src\// && FILENAME !~ /^src\/(platform\/|base\/(common|assert)\.c)/ &&
    match(code, /(^|[^A-Za-z0-9_.>])(malloc|calloc|realloc|free|printf|fprintf|puts|fopen|time|clock|nanosleep|clock_gettime|getenv|exit|abort|rand|qsort)\(/) {
    printf "%s:%d: calls %s\n", FILENAME, FNR, substr(code, RSTART, RLENGTH) ")"
}
' $(cat "$work/files") >> "$work/found"

library=${BUILD_DIR:-}
library=${library%%;*}/libevenstep.a
if [ -f "$library" ]; then
    cat include/evenstep/*.h > "$work/public"
    # Object files of sources that exist: a folder of builds keeps those of renamed ones.
    (cd "${BUILD_DIR%%;*}" && find lab capture tools -name '*.o' -path '*.dir/*' 2> /dev/null) |
        while read -r object; do
            source=$(echo "$object" | sed 's|CMakeFiles/[^/]*\.dir/||; s|\.o$||')
            [ ! -f "$source" ] || (cd "${BUILD_DIR%%;*}" && nm -A "$object" | sed "s|^[^:]*|outside:$source|")
        done > "$work/symbols"
    # shellcheck disable=SC2016
    nm -A "$library" | cat - "$work/symbols" | awk -v PUBLIC="$work/public" '
    BEGIN {
        while ((getline line < PUBLIC) > 0) {
            declared = declared line "\n"
        }
    }
    {
        split($1, part, ":")
        object = part[2]
        name = $NF
        kind = $(NF - 1)
        if (kind == "U") {
            if (name ~ /^es_/ || part[1] == "outside") {
                uses[object] = uses[object] " " name
            }
        } else if (kind ~ /^[TDRBC]$/) {
            home[name] = object
            if (part[1] != "outside" && name !~ /^es__/ && kind == "T" && index(declared, name "(") == 0) {
                printf "%s: %s is neither public nor begins with es__\n", object, name
            }
        }
    }
    function reach(at, start, path,    count, word, i, to)
    {
        seen[at] = 1
        count = split(uses[at], word, " ")
        for (i = 1; i <= count; ++i) {
            to = home[word[i]]
            if (to == start) {
                return path " calls " word[i]
            }
            if (to != "" && to != at && !seen[to] && (found = reach(to, start, path " calls " word[i] " in " to)) != "") {
                return found
            }
        }
        return ""
    }
    END {
        for (object in uses) {
            split("", seen)
            if ((circle = reach(object, object, object)) != "") {
                printf "a circle: %s\n", circle
            }
        }
    }' | sort >> "$work/found"
fi

written=$(sed -n 's/^#define ES_VERSION_[A-Z]* *\([0-9]*\).*/\1/p' include/evenstep/evenstep.h | paste -s -d . -)
released=$(sed -n 's/^## \[\{0,1\}\([0-9][0-9.]*\)\]\{0,1\}.*/\1/p' CHANGELOG.md | head -n 1)
[ "$written" = "$released" ] ||
    echo "include/evenstep/evenstep.h: version $written, and CHANGELOG.md ends with $released" >> "$work/found"
grep -F -L "$written" debian/changelog meson.build packaging/meson/evenstep.wrap \
    web/package.json | sed "s/$/: not version $written/" >> "$work/found"
grep -q "^Package: libevenstep${written%.*}$" debian/control ||
    echo "debian/control: no package libevenstep${written%.*}" >> "$work/found"

if [ -s "$work/found" ]; then
    cat "$work/found"
    exit 1
fi
[ $# -eq 0 ] || exit 0

# Each rule fires: a copy of this tree with one mistake at a time.
fires() {
    text=$1
    file=$2
    cp "$file" "$work/kept" 2> /dev/null
    cat >> "$file"
    (BUILD_DIR='' && sh "$home/tests/rules.sh" "$PWD") | grep -q "$text" || {
        echo "tests/rules.sh: a mistake in $file is not found: $text"
        exit 1
    }
    if [ -f "$work/kept" ]; then cp "$work/kept" "$file"; else rm "$file"; fi
}
mkdir "$work/tree"
cp -R src include lab capture tools adapters examples bench web CHANGELOG.md debian packaging meson.build "$work/tree"
cd "$work/tree" || exit 1
echo '#include "loop/loop.h"' | fires 'world may not include loop' src/world/layout.c
echo '#include "evenstep/threads.h"' | fires 'loop may not include threads' src/loop/loop.c
echo '#include "evenstep/threads.h"' | fires 'replay may not include threads' include/evenstep/replay.h
echo '#include "lab/run.h"' | fires 'capture may not include lab/run.h' capture/trace.c
echo '#include "capture/input.h"' | fires 'capture/layer may not include capture/input.h' capture/layer/log.c
echo '#include "tools/demo/scene.h"' | fires 'tools/lab may not include' tools/lab/compare.c
echo '#include "base/common.h"' | fires 'only public headers' lab/run.c
printf 'int f(void)\n{\n    return time(0);\n}\n' | fires 'calls .*time()' src/base/time.c
echo 'typedef struct es_hidden { int x; } es_hidden;' | fires 'the type es_hidden' src/base/time.c
echo 'typedef enum hidden { HIDDEN } hidden;' | fires 'the type hidden' src/base/common.h
printf '\tint x;\n' | fires 'a tab' src/base/time.c
{ printf 'int f(void)\n{\n' && yes '    x;' | head -n 61 && echo '}'; } |
    fires 'a function of 61 lines' src/base/time.c
echo 'ES_API int es_unused(void);' | fires 'names es_unused' include/evenstep/time.h
awk 'BEGIN { print "typedef struct es_large {"
    for (i = 0; i < 13; ++i) { printf "    int a%d, (*f%d)(int, int);\n", i, i }
    print "} es_large;" }' | fires 'fields of es_large: 26' include/evenstep/time.h
rm "$work/kept"
echo '/* */' | fires 'no folder owns this header' include/evenstep/extra.h
