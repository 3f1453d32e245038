# Thin: the work is CMake's (CMakePresets.json). Each target first installs what is missing.
#   make        the command, at build/evenstep
#   make run    the demo: a window where there is a display, else the terminal, else headless
#   make test   every test: plain with gcc, and with the address and undefined-behaviour sanitizers
#               of clang, where there is one; warnings are errors in both
#   make bench  what the engine, the blend, the exchange and recordings cost (bench_blend takes 2.5 GB of memory)
#   make proofs  the exchange between threads: its model, its memory orders, two threads at full speed
#               for a moment (EVENSTEP_FULL=1: as make stress)
#   make stress  two threads exchange 1e8 states and more, plainly and under the thread sanitizer; the roof over
#               two threads, there and under valgrind: minutes
#   make headline  the README's table and picture, and build/pacing/table.md: a few minutes; then every
#               claim of docs/pacing.md on all displays, with all loops and three seeds
#   make measure-waits  the figures of docs/waiting.md: an hour on an idle machine
#   make measure-displays  the figures of docs/notes/real.md: two minutes on an idle machine
#   make cross  whether the blend, recordings and the demo give the same bytes on ARM, s390x and 32-bit x86,
#               under qemu, and recordings as WebAssembly
#   make emulate  the C tests on 64-bit ARM and on s390x (big-endian), under qemu
#   make wine   the C tests on Windows, by mingw-w64 and Wine (2 GB, most of it Wine)
#   make amalgamate  the library as two files to copy, in build/amalgamated/
#   make clean  removes build/

MAKEFLAGS += --no-print-directory
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
TEST_JOBS ?= $(shell expr $(JOBS) + 1) # some tests mostly wait, for a display or a clock

.PHONY: all setup build/evenstep run test bench proofs stress headline measure-waits measure-displays cross emulate wine \
	amalgamate clean

all: build/evenstep

setup:
	@sh scripts/setup

build/evenstep: setup
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)
	@ln -sf release/evenstep build/evenstep

run: build/evenstep
	build/evenstep demo --screenshot build/demo.png --report build/demo.json

test:
	@sh scripts/setup test
	cmake --preset dev
	cmake --build --preset dev --parallel $(JOBS)
	cmake --preset asan-ubsan $$(command -v clang >/dev/null && echo -D CMAKE_C_COMPILER=clang)
	cmake --build --preset asan-ubsan --parallel $(JOBS)
	ctest --preset asan-ubsan --parallel $(TEST_JOBS)
	ctest --preset dev --parallel $(TEST_JOBS)

bench:
	@sh scripts/setup bench
	@$(MAKE) build/evenstep
	build/release/bench_engine
	build/release/bench_frame
	build/release/bench_grid
	build/release/bench_slice
	build/release/bench_input
	build/release/bench_blend
	build/release/bench_exchange
	build/release/bench_hash
	build/release/bench_record
	build/release/bench_replay

proofs:
	@sh scripts/setup proofs
	@sh scripts/proofs
	@sh scripts/stress --divide $$([ -n "$$EVENSTEP_FULL" ] && echo 1 || echo 50)

stress:
	@sh scripts/setup proofs
	@sh scripts/stress

headline: build/evenstep
	@sh scripts/headline
	@sh scripts/setup test
	cmake --preset dev
	cmake --build --preset dev --parallel $(JOBS) --target test_lab_run test_pacing test_pacing_lock
	@status=0; for test in test_lab_run test_pacing test_pacing_lock; do \
	    EVENSTEP_FULL=1 build/dev/tests/$$test || status=1; done; exit $$status

measure-waits: build/evenstep
	@sh scripts/measure-waits

measure-displays: build/evenstep
	@sh scripts/setup test
	@sh scripts/measure-displays

cross:
	@sh scripts/cross

emulate:
	@sh scripts/emulate

wine:
	@sh scripts/wine

amalgamate:
	@sh scripts/amalgamate

clean:
	rm -rf build
