# Everything with one command. `make help` lists them; `make demo` and `make check` need nothing but a clone.

BUILD ?= build
ASAN ?= build-asan
FUZZ ?= build-fuzz
PORTABLE ?= build-portable
SOAK ?= build-soak
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
PYTHON ?= /usr/bin/python3

SAY = @printf '\n--- %s\n'
CONFIGURE = cmake -G Ninja -S . --log-level=WARNING
C_FILES = $(shell find src cli include tests examples bench -name '*.[ch]')

.DEFAULT_GOAL := build
.PHONY: sarrus.c check-arm64 check-mingw wasm live-check playground help setup build all demo test check soak asan-check source-checks bench figures trust fuzz lint format portable package install clean

help:
	@echo 'make demo      build, run a mechanism through its singular configurations, leave a picture'
	@echo 'make test      build, run the tests that take no more than seconds: about a minute'
	@echo 'make check     build, run all tests, a part of them with sanitizers, and the checks of the sources: about 8 minutes'
	@echo 'make soak      all cases of all tests, all tests with sanitizers, then make trust: hours'
	@echo 'make build     the program, $(BUILD)/sarrus, and the library, $(BUILD)/libsarrus.so'
	@echo 'make bench     time and accuracy beside published figures; PREVIOUS=PATH/sarrus: and beside another release'
	@echo 'make figures   numbers of the pages, from new runs'
	@echo 'make trust     search for a size, place, drawing or mechanism with a wrong verdict'
	@echo 'make fuzz      feed the readers random input, FUZZ_SECONDS=60 each'
	@echo 'make lint      clang-tidy, cppcheck, clang-format'
	@echo 'make format    format the C sources in place'
	@echo 'make sarrus.c  core and reader as one C file and one header, in $(BUILD)/one-file'
	@echo 'make check-arm64, make check-mingw  that file for arm64 (qemu) and Windows (wine): no warnings, the same bits'
	@echo 'make wasm      the solver as WebAssembly, and a program whose pages run models (view --live); needs emscripten, some minutes'
	@echo 'make live-check  all tests of these, in node and chromium; LIVE=--all: bits of all problems and examples'
	@echo 'make playground  $(BUILD)/playground.html: an editor with the solver inside, as one page'
	@echo 'make install   into PREFIX=/usr/local'
	@echo 'make package   a Debian package, the sources and a Python wheel'
	@echo 'make setup     install missing Debian packages'
	@echo 'make clean     remove what was built'

setup:
	@tools/setup.sh build

build: setup
	$(SAY) 'Building $(BUILD)/sarrus and $(BUILD)/libsarrus.so'
	@$(CONFIGURE) -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	@cmake --build $(BUILD) -j $(JOBS) --target sarrus sarrus_shared sarrus_program

all: build
	$(SAY) 'Building tests and examples in $(BUILD)'
	@cmake --build $(BUILD) -j $(JOBS)

demo: build
	@BUILD=$(BUILD) tools/demo.sh

test: all
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure -LE long

check: all
	@tools/setup.sh browser python
	$(SAY) 'Tests'
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure -LE sanitized_alone
	@$(MAKE) --no-print-directory asan-check source-checks
	$(SAY) 'All checks passed'

asan-check: setup
	$(SAY) 'Building with the address and undefined-behaviour sanitizers in $(ASAN)'
	@$(CONFIGURE) -B $(ASAN) -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O1 -g1' \
	    -DSARRUS_SANITIZE=ON -DSARRUS_WARNINGS_AS_ERRORS=ON
	@cmake --build $(ASAN) -j $(JOBS) --target sarrus sanitized_tests
	$(SAY) 'Tests with sanitizers'
	@ctest --test-dir $(ASAN) -j $(JOBS) --output-on-failure -L sanitized

# What takes too long for every change: all cases of the tests, of which `make check` takes a sample, all tests with sanitizers, and
# the surveys of random models.
soak: build
	@tools/setup.sh browser python
	$(SAY) 'All cases of the tests in $(SOAK)'
	@$(CONFIGURE) -B $(SOAK) -DCMAKE_BUILD_TYPE=Release -DSARRUS_FULL_TESTS=ON
	@cmake --build $(SOAK) -j $(JOBS)
	@ctest --test-dir $(SOAK) -j $(JOBS) --output-on-failure
	@$(MAKE) --no-print-directory asan-check
	$(SAY) 'All other tests with sanitizers'
	@cmake --build $(ASAN) -j $(JOBS) --target all benchmarks
	@ctest --test-dir $(ASAN) -j $(JOBS) --output-on-failure -LE sanitized
	$(SAY) 'Numbers of the pages'
	@$(PYTHON) tools/figures.py $(BUILD)/sarrus
	@$(MAKE) --no-print-directory trust

source-checks: setup
	$(SAY) 'Checks of the sources: layers, words, citations, headers'
	@$(PYTHON) tools/check_layers.py
	@$(PYTHON) tools/check_words.py
	@$(PYTHON) tools/check_citations.py
	@$(PYTHON) tools/amalgamate.py --check
	@tools/check_headers.sh

# PREVIOUS=PATH: the program of another release, which the page sets beside this one.
bench: build
	$(SAY) 'Building benchmarks in $(BUILD)'
	@cmake --build $(BUILD) -j $(JOBS) --target benchmarks
	@$(BUILD)/bench_step
	$(SAY) 'Where the time of a step goes, every problem in all coordinates: $(BUILD)/steps.html'
	@$(PYTHON) tools/bench_page.py --parts $(BUILD)/bench_parts --program $(BUILD)/sarrus --previous '$(PREVIOUS)' -o $(BUILD)/steps.html
	$(SAY) 'The worst step of every problem'
	@SARRUS_CERTIFY=no $(BUILD)/bench_worst
	$(SAY) 'Instances of sweeps'
	@$(PYTHON) tools/bench_sweep.py --program $(BUILD)/sarrus --previous '$(PREVIOUS)'
	$(SAY) 'Solver dca beside sparse'
	@$(BUILD)/bench_dca
	$(SAY) 'Forward and inverse dynamics of open trees'
	@$(BUILD)/bench_tree
	$(SAY) 'Tangent charts of large mechanisms'
	@$(BUILD)/bench_chart
	$(SAY) 'Poses from the one before'
	@$(BUILD)/bench_pose
	$(SAY) 'Expressions beside C'
	@$(BUILD)/bench_expressions
	$(SAY) 'Published tables again; the report goes to $(BUILD)/bench.html'
	@PYTHONPATH=python SARRUS_LIBRARY=$(abspath $(BUILD))/libsarrus.so $(PYTHON) -m sarrus.bench 000 001 003 004 --html $(BUILD)/bench.html

# Numbers of the pages, from new runs (docs/figures.yaml).
figures: build
	@$(PYTHON) tools/figures.py $(BUILD)/sarrus --write

sarrus.c:
	$(SAY) 'Core and reader as one file: $(BUILD)/one-file/sarrus.c and sarrus.h'
	@$(PYTHON) tools/amalgamate.py $(BUILD)/one-file

check-arm64 check-mingw: build
	@tools/setup.sh $(@:check-%=%)
	$(SAY) 'The one file for $(@:check-%=%): warnings and bits'
	@$(PYTHON) tests/cli/test_one_file.py $(BUILD)/sarrus . --$(@:check-%=%)

wasm: setup
	@tools/setup.sh wasm
	$(SAY) 'Building the solver for browsers, then the program that has it inside'
	@$(CONFIGURE) -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	@cmake --build $(BUILD) -j $(JOBS) --target live_solver live_for_tests
	@$(CONFIGURE) -B $(BUILD)
	@cmake --build $(BUILD) -j $(JOBS) --target sarrus sarrus_shared

# What needs emscripten and chromium: the bits in node and in a page, live pages and the playground. LIVE=--all: of all problems and examples.
live-check: wasm
	@tools/setup.sh browser
	$(SAY) 'The bits of the one file, in node and in chromium'
	@$(PYTHON) tests/cli/test_one_file.py $(BUILD)/sarrus . --node --page $(LIVE)
	$(SAY) 'Live pages and the playground in chromium'
	@$(PYTHON) tests/cli/test_live.py $(BUILD)/sarrus .

playground: wasm
	@$(BUILD)/sarrus view --live --no-open -o $(BUILD)/playground.html

trust: build
	$(SAY) 'Size and place, drawings, random and singular mechanisms, verdicts, tolerances; models that fail go to $(BUILD)/trust'
	@failed=0; for tool in size_and_place drawings crossings random_mechanisms singular verdicts turns impacts certificates alarms rows forcing nested problems automatic maps platforms poses gradients; do printf '\n--- %s\n' $$tool; \
	    $(PYTHON) tools/trust/$$tool.py --program $(BUILD)/sarrus -j $(JOBS) --keep $(BUILD)/trust/$$tool || failed=1; done; exit $$failed

fuzz:
	@tools/setup.sh build fuzz
	$(SAY) 'Building the fuzzers with clang in $(FUZZ)'
	@CC=clang $(CONFIGURE) -B $(FUZZ) -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSARRUS_BUILD_FUZZ=ON \
	    -DSARRUS_SANITIZE=ON
	@cmake --build $(FUZZ) -j $(JOBS) --target fuzzers
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz.sh $(FUZZ)

lint: all
	@tools/setup.sh lint
	@tools/lint.sh $(BUILD) $(JOBS)

format:
	@tools/setup.sh lint
	@clang-format -i $(C_FILES)

# What is installed runs on other machines too.
portable: setup
	$(SAY) 'Building for any machine of this kind in $(PORTABLE)'
	@$(CONFIGURE) -B $(PORTABLE) -DCMAKE_BUILD_TYPE=Release -DSARRUS_NATIVE=OFF -DSARRUS_HWCAPS=ON -DSARRUS_BUILD_TESTS=OFF -DSARRUS_BUILD_BENCH=OFF
	@cmake --build $(PORTABLE) -j $(JOBS)

package: portable
	$(SAY) 'Packages in $(PORTABLE)'
	@cd $(PORTABLE) && cpack -G DEB && cpack -G TGZ --config CPackSourceConfig.cmake
	@$(PYTHON) -c 'import sys; sys.path.insert(0, "python"); import build_backend as b; print("- package:", b.build_wheel("$(PORTABLE)"))'

install: portable
	@cmake --install $(PORTABLE) --prefix $(PREFIX)

clean:
	rm -rf $(BUILD) $(ASAN) $(FUZZ) $(PORTABLE) $(SOAK) demo
