#!/bin/sh
# web/evenstep.mjs: builds it, and runs tests/web_host.mjs in node. Chromium is tests/web_host_browser.mjs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need node clang wasm-ld
[ -f /usr/lib/wasm32-wasi/libc.a ] || skip "no wasi-libc"
check "scripts/web-host" sh "$home/scripts/web-host" "$scratch/web"
check "tests/web_host.mjs" node "$home/tests/web_host.mjs" "$scratch/web"
check "at most 42 kB compressed" [ "$(gzip -9nc "$scratch/web/evenstep.mjs" | wc -c)" -le 42000 ]
package() {
    node -p "require('$scratch/web/package.json').$1"
}
version=$(sed -n 's/^#define ES_VERSION_[A-Z]* *\([0-9]*\)$/\1/p' "$home/include/evenstep/evenstep.h")
equal "the package's version" "$(package version)" "$(echo "$version" | paste -sd . -)"
for file in $(package 'files.join(" ")') README.md LICENSE; do
    check "$file: is there" test -s "$scratch/web/$file"
done
finish
