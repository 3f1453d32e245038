#!/bin/sh
# scripts/docs: a page per public header, with every function, and no link leads nowhere.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1
check "scripts/docs" sh "$home/scripts/docs" "$scratch/docs" >out
has "$scratch/docs/index.html"
cd docs || exit 1

functions=0
for header in "$home"/include/evenstep/*.h; do
    page=$(basename "$header" .h).html
    has "href=\"$page\"" index.html
    sed -n 's/^ES_API .*[ *]\(es_[a-z0-9_]*\)(.*/\1/p' "$header" >"$scratch/names"
    while read -r name; do
        has "id=\"$name\"" "$page"
        has "href=\"$page#$name\"" index.html
        functions=$((functions + 1))
    done <"$scratch/names"
    has "<h1>evenstep/${page%.html}.h</h1>" "$page"
done
equal "functions" "$functions" "$(cat "$home"/include/evenstep/*.h | grep -c '^ES_API ')"

grep -oh 'href="[^"]*"' ./*.html | sort -u | sed 's/^href="//; s/"$//' >"$scratch/links"
while read -r link; do
    case $link in
    *\#*) has "id=\"${link#*#}\"" "${link%%#*}" ;;
    *) check "$link" test -s "$link" ;;
    esac
done <"$scratch/links"
equal "the same name twice" "$(cat ./*.html | grep -o '<pre class=d id="[^"]*"' | sort | uniq -d | grep -v '"es_layout"')" ""
equal "private names" "$(cat ./*.html | grep -o 'id="[^"]*_"')" ""
finish "$functions functions"
