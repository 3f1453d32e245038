#!/bin/sh
# meson.build: Evenstep as a subproject that a wrap unpacks from an archive, static and shared; and installed,
# found by pkg-config. The program is tests/consumer's, whose line is the same each time.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need meson ninja pkg-config xz
fatal=yes
context="tail -n 30 $scratch/log"
tree=$scratch/evenstep-$version
files=$scratch/game/subprojects/packagefiles
mkdir -p "$tree" "$files"
cd "$home" && cp -R CMakeLists.txt LICENSE meson.build include src "$tree"
tar -C "$scratch" -cJf "$files/evenstep-$version.tar.xz" "evenstep-$version"
hash=$(sha256sum "$files/evenstep-$version.tar.xz" | cut -d ' ' -f 1)
sed "s/HASH/$hash/" packaging/meson/evenstep.wrap >"$scratch/game/subprojects/evenstep.wrap"
cp tests/consumer/consumer.c "$scratch/game"
cd "$scratch/game" || exit 1
cat >meson.build <<'END'
project('game', 'c', default_options: ['c_std=c11', 'warning_level=3', 'werror=true'])
executable('consumer', 'consumer.c', dependencies: dependency('evenstep', version: '>=0.3'))
END
# consume NAME OPTION...
consume() {
    name=$1
    shift
    check "$name: configure" quietly meson setup "$scratch/$name" "$@"
    check "$name: build" quietly meson compile -C "$scratch/$name" consumer
    prints_line "$name" "$scratch/$name/consumer"
}
consume static -Ddefault_library=static
consume shared -Ddefault_library=shared
check "installed: configure" quietly meson setup "$scratch/library" "$tree" --prefix "$scratch/prefix" --libdir lib
check "installed" quietly meson install -C "$scratch/library"
rm -rf subprojects
PKG_CONFIG_PATH=$scratch/prefix/lib/pkgconfig LD_LIBRARY_PATH=$scratch/prefix/lib
export PKG_CONFIG_PATH LD_LIBRARY_PATH
consume installed
finish "each program printed $line"
