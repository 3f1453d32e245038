#!/bin/sh
# A recording is the same bytes from every compiler and optimisation level: golden_record.c.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/golden_sources.sh
. tests/golden_sources.sh
golden_name=golden_record
golden_sources=$golden_record_sources
golden_data=tests/data/golden.esrec
# shellcheck source=tests/golden_builds.sh
. tests/golden_builds.sh
