#!/bin/sh
# The page's lab, WebAssembly run by Node, gives the figures of the command (web_lab.mjs).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need node clang wasm-ld
[ -f /usr/lib/wasm32-wasi/libc.a ] || skip "no wasi-libc"
check "scripts/web" quietly sh "$home/scripts/web" "$scratch/web"
check "figures" node "$home/tests/web_lab.mjs" "$scratch/web/lab.wasm" "$command"
finish
