# shellcheck shell=sh
# For machines that are not this one: read by scripts/wine and scripts/emulate, from the
# repository's root, with $foreign_name set to who is speaking.
#
# cmocka for another machine is built from Debian's source package, which apt fetches and checks. A
# list of sources of our own names it, in build/foreign: the system's lists stay as they are.

foreign_name=${foreign_name:?}
foreign_work=$PWD/build/foreign
foreign_cmocka=$foreign_work/cmocka-1.1.5
foreign_jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)}

# foreign_quietly COMMAND...: prints what it printed only if it failed
foreign_quietly() {
    mkdir -p "$foreign_work"
    if ! "$@" > "$foreign_work/log" 2>&1 < /dev/null; then
        cat "$foreign_work/log" >&2
        echo "$foreign_name: failed: $*" >&2
        return 1
    fi
}

# apt's own checks of signatures and sums stand between the archive and what is unpacked here.
foreign_fetch_cmocka() {
    [ ! -f "$foreign_cmocka/CMakeLists.txt" ] || return 0
    sh scripts/setup packages debian-archive-keyring dpkg-dev xz-utils
    echo "$foreign_name: fetching cmocka's source"
    apt=$foreign_work/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
        "${DEBIAN_MIRROR:-http://deb.debian.org/debian} bookworm main" > "$apt/sources.list"
    set -- -qq -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root
    foreign_quietly apt-get "$@" update
    (
        cd "$foreign_work" || exit 1
        foreign_quietly apt-get "$@" source --download-only cmocka=1.1.5-2.1
        tar xf cmocka_1.1.5.orig.tar.xz
    )
    rm -rf "$apt"
}

# foreign_build PRESET: cmocka, then everything that the preset builds
foreign_build() {
    prefix=$foreign_work/$1
    if [ ! -f "$prefix/include/cmocka.h" ]; then
        foreign_fetch_cmocka
        echo "$foreign_name: building cmocka for $1"
        foreign_quietly cmake -S "$foreign_cmocka" -B "$prefix/build" -Wno-dev \
            -D "CMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/$1.cmake" -D CMAKE_BUILD_TYPE=Release \
            -D CMAKE_C_FLAGS=-D__USE_MINGW_ANSI_STDIO=1 -D WITH_STATIC_LIB=ON -D WITH_EXAMPLES=OFF \
            -D CMAKE_INSTALL_LIBDIR=lib \
            -D "CMAKE_INSTALL_PREFIX=$prefix"
        foreign_quietly cmake --build "$prefix/build" --target install --parallel "$foreign_jobs"
    fi
    echo "$foreign_name: building for $1"
    foreign_quietly cmake --preset "$1" -D "CMOCKA_LIBRARY=$prefix/lib/libcmocka-static.a" \
        -D "CMOCKA_INCLUDE_DIR=$prefix/include"
    foreign_quietly cmake --build --preset "$1" --parallel "$foreign_jobs"
}

# foreign_test PRESET: runs the suite; prints what failed, and one line on the whole
foreign_test() {
    ctest_log=$foreign_work/ctest-$1
    if ctest --preset "$1" --parallel "$foreign_jobs" > "$ctest_log" 2>&1 < /dev/null; then
        foreign_verdict=passed
    else
        foreign_verdict=FAILED
        cat "$ctest_log"
    fi
    echo "$foreign_name: $1 $foreign_verdict:" \
        "$(sed -n -e 's/^\([0-9]*% tests passed.*\)/\1;/p' -e 's/^Total Test time (real) *= *//p' \
            "$ctest_log" | tr '\n' ' ')"
    [ "$foreign_verdict" = passed ]
}
