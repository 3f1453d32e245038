# Thin: the work is CMake's (CMakePresets.json). Each target first installs what is missing.
#   make                the command, at build/evenstep
#   make run            the demo: a window where there is a display, else the terminal, else headless
#   make game           the example game, in a window
#   make test           the tests of a change, in five minutes: each unit test once, with the address and
#                       undefined-behaviour sanitizers; commands, golden bytes, pacing and threads without
#   make unit NAME=next         the tests of tests/test_next.c, sanitized; NAME="a_late*" those of that name
#   make check-release  everything, in an hour: both builds with all tests, variants of the library,
#                       fuzzing, proofs, two threads at full speed, other processors
#   make size           lines per folder
#   make bench          what a frame, a blend and a recording cost (needs 0.4 GB of memory)
#   make soak           an hour in a window, and ten simulated hours: memory, time, replay
#   make claims         checks the figures of the pages (docs/claims.md); scripts/claims --long checks all
#   make headline       the README's table, and that of the lab's picture: a few minutes
#   make sensitivity    what each constant of display timing changes: 20 minutes
#   make exam           the table of the exam of display timing (docs/lab.md)
#   make measure-waits  the figures of docs/notes/waiting.md: 2.5 hours on an idle machine
#   make amalgamate     the library as files to copy, in build/amalgamated/
#   make web            a page that shows loops side by side, in build/web/; make web-serve shows it
#   make dist           the source archive, in build/dist/: the same bytes each time
#   make bindings       the description of the API and what is made from it (bindings/)
#   make site           the pages as a site, in build/site/; python3 -m http.server -d build/site shows it
#   make docs           the reference of all public functions, in build/docs/index.html
#   make clean          removes build/
# Parts of check-release: make proofs, stress, cross, emulate, wine.

MAKEFLAGS += --no-print-directory
# Half the time of Make's files, where only one file has changed. Of new build directories.
ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR ?= Ninja
endif
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
TEST_JOBS ?= $(shell expr $(JOBS) + 1) # some tests mostly wait, for a display or a clock
CLANG = $$(command -v clang >/dev/null && echo -D CMAKE_C_COMPILER=clang)
SANITIZED = cmake --preset asan-ubsan $(CLANG) -D EVENSTEP_TESTS=quick -D EVENSTEP_BUILD_TOOLS=OFF \
	-D EVENSTEP_BUILD_EXAMPLES=OFF -D EVENSTEP_BUILD_FUZZ=OFF

.PHONY: all setup build/evenstep run game test unit check-release size bench proofs stress soak claims headline exam sensitivity \
	measure-waits cross emulate wine amalgamate bindings site dist web web-serve docs clean

all: build/evenstep

setup:
	@sh scripts/setup

build/evenstep: setup
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)
	@ln -sf release/evenstep build/evenstep
	@if command -v clang >/dev/null && command -v python3 >/dev/null; then scripts/bind.py --check || true; fi

run: build/evenstep
	build/evenstep demo --screenshot build/demo.png --report build/demo.json

game: build/evenstep
	build/release/examples/evenstep_game

test:
	@sh scripts/setup test
	cmake --preset dev -D EVENSTEP_TESTS=quick -D EVENSTEP_BUILD_BENCH=OFF
	cmake --build --preset dev --parallel $(JOBS)
	$(SANITIZED)
	cmake --build --preset asan-ubsan --parallel $(JOBS)
	ctest --preset asan-ubsan --parallel $(TEST_JOBS)
	ctest --preset dev --parallel $(TEST_JOBS)

unit:
	@sh scripts/setup test
	@$(SANITIZED) >/dev/null
	@cmake --build --preset asan-ubsan --parallel $(JOBS) --target unit >/dev/null
	build/asan-ubsan/tests/unit $(NAME)

check-release:
	@sh scripts/setup release
	@JOBS=$(JOBS) TEST_JOBS=$(TEST_JOBS) sh scripts/check-release

size:
	@sh scripts/size

bench:
	@$(MAKE) build/evenstep
	@for name in frame blend record; do \
	    echo "build/release/bench_$$name"; build/release/bench_$$name || exit 1; done

proofs:
	@sh scripts/setup proofs
	@sh scripts/proofs

stress:
	@sh scripts/setup proofs
	@sh scripts/stress

soak: build/evenstep
	@sh scripts/setup test
	@sh scripts/soak

claims: build/evenstep
	@sh scripts/claims

headline: build/evenstep
	@sh scripts/headline

sensitivity:
	@sh scripts/setup
	@sh scripts/sensitivity

exam: build/evenstep
	build/release/bench_exam

measure-waits: build/evenstep
	@sh scripts/measure-waits

cross emulate wine amalgamate dist docs:
	@sh scripts/$@

web:
	@sh scripts/setup web
	@sh scripts/web

web-serve: web
	@echo "http://localhost:8000/  (control-C ends)"
	@cd build/web && exec python3 -m http.server --bind localhost 8000 >/dev/null 2>&1

clean:
	rm -rf build

bindings:
	scripts/describe.py
	scripts/bind.py

site: docs
	@sh scripts/setup packages clang lld wasi-libc libclang-rt-14-dev-wasm32 python3-markdown
	@sh scripts/web-host
	@/usr/bin/python3 scripts/site.py
