#!/bin/sh
# scripts/dist: the same bytes in another folder, umask, time zone, locale and with other settings of git.
# What is unpacked is the commit, and needs no git: lines are counted, files to copy are written.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
[ -e "$home/.git" ] || skip "an archive has no history"
need git xz sha256sum
fatal=yes
context="tail -n 30 $scratch/log"
commit=$(git -C "$home" rev-parse HEAD)
check "here" quietly sh "$home/scripts/dist" "$scratch/first" "$commit"

mkdir "$scratch/another home"
printf '[core]\nautocrlf = true\nattributesFile = %s/attributes\n[tar]\numask = user\n' "$scratch" \
    >"$scratch/another home/.gitconfig"
echo 'docs export-ignore' >"$scratch/attributes"
check "a clone" quietly git clone -q --no-checkout "$home" "$scratch/a clone"
git -C "$scratch/a clone" -c core.autocrlf=false checkout -q "$commit"
cp "$home/scripts/dist" "$scratch/a clone/scripts" # as it is here, committed or not
cd "$scratch" || exit 1
(umask 077 && HOME="$scratch/another home" TZ=Asia/Tokyo LC_ALL=C.UTF-8 LANG=de_DE.UTF-8 XZ_OPT=-1 \
    quietly sh "$scratch/a clone/scripts/dist" "$scratch/second" "$commit")
check "another folder" cmp "$scratch/first/SHA256SUMS" "$scratch/second/SHA256SUMS"
archive=$(sed -n 's/.* \(.*[.]tar[.]gz\)$/\1/p' "$scratch/first/SHA256SUMS")
same "$archive" "$scratch/first/$archive" "$scratch/second/$archive"
same "${archive%gz}xz" "$scratch/first/${archive%gz}xz" "$scratch/second/${archive%gz}xz"
spdx=${archive%.tar.gz}.spdx
equal "files of the list" "$(grep -c '^FileName' "$scratch/first/$spdx")" "$(git -C "$scratch/a clone" ls-files | wc -l)"
equal "names that stand twice in it" "$(sed -n 's/^SPDXID: //p' "$scratch/first/$spdx" | sort | uniq -d)" ""

mkdir "$scratch/unpacked"
check "it unpacks" tar -C "$scratch/unpacked" -xzf "$scratch/first/$archive"
rm -rf "$scratch/a clone/scripts/dist"
git -C "$scratch/a clone" checkout -q scripts 2>"$scratch/log"
cd "$scratch/unpacked/${archive%.tar.gz}" || exit 1
diff -r --exclude=.git . "$scratch/a clone" >"$scratch/log" 2>&1
equal "files that differ from the commit's" "$(cat "$scratch/log")" ""
refute "an archive makes no archive" quietly sh scripts/dist "$scratch/third"
sh scripts/size >"$scratch/size"
(cd "$scratch/a clone" && sh scripts/size) >"$scratch/size of the clone"
same "scripts/size without git" "$scratch/size" "$scratch/size of the clone"
check "the files to copy" quietly make amalgamate
check "from the repository" quietly sh "$scratch/a clone/scripts/amalgamate" "$scratch/amalgamated"
diff -r build/amalgamated "$scratch/amalgamated" >"$scratch/log" 2>&1
equal "files to copy that differ" "$(cat "$scratch/log")" ""
finish "$(wc -c <"$scratch/first/$archive") bytes"
