#!/bin/sh
# A recording of the demo comes to the same states, hash by hash, with every compiler and
# optimisation level: tools/evenstep/demo_check.c.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/golden_sources.sh
. tests/golden_sources.sh
golden_name=golden_demo
golden_sources=$golden_demo_sources
golden_data=tests/data/demo.esrec
# shellcheck disable=SC2034 # for the builds
golden_levels="-O0 -O2 -O3"
# shellcheck source=tests/golden_builds.sh
. tests/golden_builds.sh
