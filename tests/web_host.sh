#!/bin/sh
# web/evenstep.mjs: builds it, and runs tests/web_host.mjs in node. Chromium is tests/web_host_browser.mjs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need node clang wasm-ld jq
[ -f /usr/lib/wasm32-wasi/libc.a ] || skip "no wasi-libc"
check "scripts/web-host" sh "$home/scripts/web-host" "$scratch/web"
check "tests/web_host.mjs" node "$home/tests/web_host.mjs" "$scratch/web"
check "tests/web_library.mjs" node "$home/tests/web_library.mjs" "$scratch/web"
check "programs" python3 "$home/tests/bindings/make.py" "$scratch"
check "layout.c" clang --target=wasm32-wasi -I "$home/include" "$scratch/layout.c" -o "$scratch/layout.wasm"
node --no-warnings "$home/scripts/run-wasm.mjs" "$scratch/layout.wasm" >"$scratch/of_c"
node "$home/tests/web_library.mjs" "$scratch/web" layout >"$scratch/of_js"
same "sizes and offsets" "$scratch/of_c" "$scratch/of_js"
check "at most 43 kB compressed" [ "$(gzip -9nc "$scratch/web/evenstep.mjs" | wc -c)" -le 43000 ]
equal "the package's version" "$(jq -r .version "$scratch/web/package.json")" "$version"
for file in $(jq -r '.files[]' "$scratch/web/package.json") README.md LICENSE; do
    check "$file: is there" test -s "$scratch/web/$file"
done
finish
