# shellcheck shell=sh
# Sourced from the repository's root: what the programs are made of that play a recording on every
# machine.
library="src/base.c src/time.c src/layout.c src/bytes.c"
library="$library $(echo src/state*.c src/record*.c src/reader*.c src/playback*.c)"
library="$library $(echo src/simd/hash*.c src/simd/crc*.c)"
# shellcheck disable=SC2034 # for whoever sources this
golden_record_sources="tests/golden_record.c $library"
demo=tools/evenstep/demo
golden_demo_sources="${demo}_check.c ${demo}_job.c ${demo}_player.c ${demo}_rates.c"
golden_demo_sources="$golden_demo_sources ${demo}_scene.c ${demo}_world.c adapters/record_file.c"
golden_demo_sources="$golden_demo_sources src/track.c src/rates.c src/slice.c src/synctest.c"
golden_demo_sources="$golden_demo_sources $library"
