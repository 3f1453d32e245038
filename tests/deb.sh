#!/bin/sh
# debian/: dpkg-buildpackage in a copy of the sources, lintian without errors. A program uses the unpacked
# packages by pkg-config and by CMake, and the command runs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need dpkg-buildpackage dh lintian pkg-config
fatal=yes
context="tail -n 30 $scratch/log"
cd "$home" || exit 1
mkdir "$scratch/evenstep"
cp -R CMakeLists.txt LICENSE CHANGELOG.md cmake include src adapters lab capture tools debian "$scratch/evenstep"
cd "$scratch/evenstep" || exit 1
check "dpkg-buildpackage" quietly dpkg-buildpackage -b -uc -us
cd "$scratch" || exit 1
equal "packages" "$(echo *.deb | tr ' ' '\n' | grep -v dbgsym | sed 's/_.*//' | paste -s -d ' ' -)" \
    "evenstep libevenstep-dev libevenstep${version%.*}"
lintian --allow-root ./*.changes >"$scratch/log" 2>&1
equal "errors of lintian" "$(grep '^E:' "$scratch/log")" ""

for package in *.deb; do
    dpkg-deb -x "$package" "$scratch/root"
done
rm -rf "$scratch/evenstep"
libraries=$(dirname "$(find "$scratch/root" -name "libevenstep.so.$version")")
export LD_LIBRARY_PATH="$libraries"
PKG_CONFIG_PATH=$libraries/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # words
check "pkg-config" quietly cc -std=c11 -Wall -Wextra -Werror "$home/tests/consumer/consumer.c" \
    $(pkg-config --cflags --libs evenstep) -o by-pkg-config
prints_line "pkg-config" ./by-pkg-config
check "CMake" quietly cmake -S "$home/tests/consumer" -B built -D LANGUAGE=CXX -D WAY=installed \
    -D WANTED="${version%.*}" -D CMAKE_PREFIX_PATH="$scratch/root/usr"
check "CMake: build" quietly cmake --build built
prints_line "CMake" built/consumer
check "the command" quietly "$scratch/root/usr/bin/evenstep" demo --headless --virtual --seconds 1
finish "$line"
