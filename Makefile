# Thin: the work is CMake's (CMakePresets.json). Each target first installs what is missing.
#   make        the command, at build/evenstep
#   make run    the demo: a window where there is a display, else the terminal, else headless
#   make test   every test: plain with gcc, and with the address and undefined-behaviour sanitizers
#               of clang, where there is one; warnings are errors in both
#   make bench  what the engine costs
#   make clean  removes build/

MAKEFLAGS += --no-print-directory
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

.PHONY: all setup build/evenstep run test bench clean

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
	ctest --preset asan-ubsan
	ctest --preset dev

bench: build/evenstep
	build/release/bench_engine

clean:
	rm -rf build
