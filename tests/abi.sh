#!/bin/sh
# The binary interface of a minor version stays: programs that were linked with one patch release run with the
# next. Compares the shared library, as abidw reads its debug information, with tests/data/abi-MAJOR.MINOR.txt:
# a function with its types, a struct with the offsets of its fields and its size in bytes, an enum with its
# values. Something that is gone or has changed is an error; something new is listed. Of x86-64 Linux. While
# CHANGELOG.md has unreleased changes, all differences are listed: they belong to the next minor version.
#
# That a program without a header can call it is tests/bindings.sh's; that the library exports what the headers
# declare, and no more, tests/package.sh's.
#
#   sh tests/abi.sh write     writes that file: after an addition, and for a new minor version
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$home" || exit 1
need gcc abidw
[ "$(uname -sm)" = "Linux x86_64" ] || skip "the file is of x86-64 Linux"
kept=tests/data/abi-$(sed -n 's/^#define ES_VERSION_M[A-Z]* *\([0-9]*\)$/\1/p' include/evenstep/evenstep.h |
    paste -s -d . -).txt

# lines: of abidw's XML
lines() {
    # shellcheck disable=SC2016
    awk '
    function get(name)
    {
        skip = length(name) + 3
        return match($0, " " name "=\047[^\047]*") ? substr($0, RSTART + skip, RLENGTH - skip) : ""
    }
    function type(id)
    {
        if (kind[id] == "pointer") {
            return kind[of[id]] == "function" ? signature(of[id], "(*)") : type(of[id]) " *"
        }
        if (kind[id] == "qualified") {
            return type(of[id]) " const"
        }
        return kind[id] == "array" ? type(of[id]) text[id] : text[id]
    }
    function signature(id, name,    i, list)
    {
        for (i = 1; i <= parameters[id]; ++i) {
            list = list (i > 1 ? ", " : "") type(parameter[id, i])
        }
        return type(result[id]) " " name "(" list ")"
    }
    /<(function|class|union|enum|typedef|type|pointer|qualified|array)-(decl|type|type-def|def) / {
        word = substr($1, 2, index($1, "-") - 2)
        at = word == "function" && get("name") != "" ? get("name") : get("id")
        kind[at] = word
        of[at] = get("type-id")
        text[at] = get("name")
        bytes[at] = get("size-in-bits") / 8
        named[++count] = at
    }
    /<parameter / { parameter[at, ++parameters[at]] = get("type-id") }
    /<return / { result[at] = get("type-id") }
    /<subrange / { text[at] = text[at] "[" get("length") "]" }
    /<data-member / { offset = get("layout-offset-in-bits") / 8 }
    /<var-decl / { member[at, ++members[at]] = get("type-id"); place[at, members[at]] = offset " " get("name") }
    /<enumerator / { values[at] = values[at] " " get("name") "=" get("value") }
    END {
        for (i = 1; i <= count; ++i) {
            at = named[i]
            if (kind[at] == "function" && text[at] != "") {
                print signature(at, at)
            } else if (kind[at] ~ /class|union/ && members[at]) {
                line = text[at] " " bytes[at] ":"
                for (j = 1; j <= members[at]; ++j) {
                    line = line (j > 1 ? ", " : " ") place[at, j] " " type(member[at, j])
                }
                print line
            } else if (kind[at] == "enum") {
                print text[at] ":" values[at]
            } else if (kind[at] == "typedef" && text[at] ~ /^es_/ && kind[of[at]] !~ /class|union|enum/) {
                print kind[of[at]] == "function" ? "typedef " signature(of[at], text[at]) : text[at] ": " type(of[at])
            }
        }
    }' | sort
}

# compare OLD NEW: prints what has changed; fails where something is gone. A value of an enum is on its own
compare() {
    for text in "$1" "$2"; do
        awk '/^[a-z0-9_]+: ES_/ { for (i = 2; i <= NF; ++i) print $1, $i; next } 1' "$text" |
            sort >"$scratch/${text##*/}.each"
    done
    diff "$scratch/${1##*/}.each" "$scratch/${2##*/}.each" | grep '^[<>]' >"$scratch/changes"
    ! grep '^<' "$scratch/changes" >/dev/null
}

# shellcheck disable=SC2046 # words
check "a shared library" gcc -std=c17 -g -O0 -shared -fPIC -fvisibility=hidden \
    -D ES_SHARED -D ES_BUILDING -I include -I src $(find src -name '*.c' ! -path '*/platform/*/*') \
    src/platform/linux/*.c -lm -o "$scratch/lib.so"

need abidw
abidw --headers-dir include --drop-private-types --exported-interfaces-only --no-show-locs "$scratch/lib.so" |
    lines >"$scratch/now"
if [ "${1-}" = write ]; then
    cp "$scratch/now" "$kept"
    finish "$kept"
fi

# before a release what is there belongs to the next minor version, which may differ
if grep -q '^## .*, not released$' CHANGELOG.md; then
    compare "$kept" "$scratch/now"
else
    check "$kept against the library (sh tests/abi.sh write; < $kept, > now)" compare "$kept" "$scratch/now"
fi
cp "$scratch/changes" "$scratch/found"
while IFS='|' read -r fails change; do
    sed "$change" "$kept" >"$scratch/changed"
    differ "$change" "$kept" "$scratch/changed"
    equal "$change: fails" "$(compare "$kept" "$scratch/changed" && echo no || echo yes)" "$fails"
done <<'TABLE'
yes|/ es_loop_next(/d
yes|/^es_frame /s/ alpha double/ alpha float/
yes|/^es_clock /s/ 56:/ 64:/
yes|s/ES_PACE_FIXED=2 ES_PACE_PRESENT=3/ES_PACE_PRESENT=2 ES_PACE_FIXED=3/
no|/^es_pace:/s/$/ ES_PACE_ANOTHER=5/
no|$a void es_another(void)
TABLE
cat "$scratch/found"
finish "$(wc -l <"$scratch/now") lines, $(grep -c '^>' "$scratch/found") of them new to $kept"
