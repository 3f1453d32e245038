#!/bin/sh
# The packages of scripts/packages, installed from their files as a user does, without the repository's bindings:
# a wheel and an sdist (pip), a rock (luarocks), crates (cargo), a tarball (npm). Each runs a small game.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
fatal=yes
need python3 luarocks luajit cargo npm node wasm-ld
check "scripts/packages" sh "$home/scripts/packages" "$scratch/packages" >/dev/null
packages=$scratch/packages
export PYTHONDONTWRITEBYTECODE=1
cd "$home" || exit 1

for file in "$packages"/python/*.whl "$packages"/python/*.tar.gz; do
    environment=$scratch/$(basename "$file")
    python3 -m venv --system-site-packages "$environment"
    check "pip: $file" "$environment/bin/pip" install -q --no-index --no-deps --no-build-isolation --force-reinstall "$file"
    equal "Python: $file" "$("$environment/bin/python" tests/bindings/test.py game 2>&1)" "game: 601 frames"
done

cd "$packages/lua" || exit 1
check "luarocks" luarocks --lua-version 5.1 --tree "$scratch/rocks" build ./*.rockspec >"$scratch/log" 2>&1
LUA_PATH=$(luarocks --lua-version 5.1 --tree "$scratch/rocks" path --lr-path)
EVENSTEP_LIBRARY=$(find "$scratch/rocks" -name libevenstep.so)
export LUA_PATH EVENSTEP_LIBRARY
equal "Lua" "$(luajit "$home/tests/bindings/test.lua" "$scratch" 2>&1)" "601 frames, 99 ticks, the same"

tar -C "$scratch" -xzf "$(echo "$packages"/rust/evenstep-sys-*.crate)"
cp -R "$home/bindings/rust/evenstep" "$scratch/evenstep"
mv "$scratch"/evenstep-sys-* "$scratch/evenstep-sys"
cd "$scratch/evenstep" || exit 1
check "cargo" cargo test -q --offline --target-dir "$scratch/target" >"$scratch/log" 2>&1

mkdir "$scratch/page"
cd "$scratch/page" || exit 1
check "npm" npm install --silent --no-audit --no-fund "$(echo "$packages"/npm/*.tgz)"
cat >game.mjs <<'END'
let called = null;
globalThis.requestAnimationFrame = (f) => ((called = f), 1);
const { createLoop } = await import('evenstep');
const { load } = await import('evenstep/library');
const es = await load();
for (const make of [createLoop, es.createLoop]) {
    let frames = 0;
    const loop = await make({ update() {}, draw: () => frames++ });
    for (let i = 1; i <= 60; ++i) {
        called(i * 16);
    }
    loop.destroy();
    console.log(frames);
}
END
equal "npm: both loops" "$(node game.mjs)" "60
60"
finish
