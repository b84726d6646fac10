# The usual jobs in one word each; CMake does the work. PRESET chooses another build of CMakePresets.json:
# `make test PRESET=debug`. On a fresh Debian machine these targets install what is missing.
PRESET ?= release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

FOLDER := $(if $(filter release,$(PRESET)),build,build-$(PRESET))
COMMAND := $(FOLDER)/mbsens
SOURCES = $(shell find $(wildcard src include cli tests examples benchmarks) -name '*.[ch]')

MAKEFLAGS += --no-print-directory
# these rules are a menu, not a graph: CMake runs the parallel part
.NOTPARALLEL:
.DEFAULT_GOAL := command
.PHONY: command run test test-all test-sundials test-results test-python test-pictures test-mpi test-browser test-figures web library test-threads bench docs check-all check-format format tidy generated install clean help

command:  ## build the command: build/mbsens (what `make` alone does)
	@scripts/install-dependencies build
	@scripts/configure $(PRESET) $(FOLDER)
	@cmake --build $(FOLDER) --parallel $(JOBS) --target command

library:  ## build the shared library, for the package of python/: build/libmbsens.so
	@scripts/install-dependencies build
	@scripts/configure $(PRESET) $(FOLDER)
	@cmake --build $(FOLDER) --parallel $(JOBS) --target mbsens_shared

run: command  ## the main job: the gradient of the five-bar linkage, direct beside complex step
	$(COMMAND) gradient models/five_bar.yaml --compare

test:  ## build everything and run every test
	@scripts/install-dependencies build
	@scripts/configure $(PRESET) $(FOLDER)
	@cmake --build $(FOLDER) --parallel $(JOBS)
	@ctest --preset $(PRESET) --output-on-failure --parallel $(JOBS) $(if $(LEFT_OUT),-E '$(LEFT_OUT)')

test-all: test test-sundials test-results test-python test-pictures test-mpi test-browser test-figures docs  ## the same, and what optional components are for

test-sundials:  ## with SUNDIALS, installed first: CVODES and IDAS as a third party
	@scripts/install-dependencies build sundials
	@scripts/configure $(PRESET) $(FOLDER)
	@cmake -D MBS_SUNDIALS=ON $(FOLDER) >/dev/null
	@cmake --build $(FOLDER) --parallel $(JOBS)
	@ctest --preset $(PRESET) --output-on-failure --parallel $(JOBS) -R sundials

test-results:  ## with HDF5, installed first, and Python's h5py and Octave to read its files
	@scripts/install-dependencies build results
	@scripts/configure $(PRESET) $(FOLDER)
	@cmake -D MBS_HDF5=ON $(FOLDER) >/dev/null
	@cmake --build $(FOLDER) --parallel $(JOBS) --target command
	@ctest --preset $(PRESET) --output-on-failure --parallel $(JOBS) -R 'results'

test-python:  ## the package of python/, with NumPy and SciPy, installed first
	@scripts/install-dependencies build python
	@scripts/configure $(PRESET) $(FOLDER)
	@cmake --build $(FOLDER) --parallel $(JOBS) --target mbsens_shared command
	@ctest --preset $(PRESET) --output-on-failure --parallel $(JOBS) -R python

test-mpi:  ## with MPI, installed first: sweeps under mpirun
	@scripts/install-dependencies build mpi
	@scripts/configure $(PRESET) $(FOLDER)
	@cmake -D MBS_MPI=ON $(FOLDER) >/dev/null
	@cmake --build $(FOLDER) --parallel $(JOBS) --target command
	@ctest --preset $(PRESET) --output-on-failure --parallel $(JOBS) -R cli_sweep

test-pictures:  ## with cairo, installed first: PNG and PDF
	@scripts/install-dependencies build cairo
	@scripts/configure $(PRESET) $(FOLDER)
	@cmake -D MBS_CAIRO=ON $(FOLDER) >/dev/null
	@cmake --build $(FOLDER) --parallel $(JOBS) --target command
	@ctest --preset $(PRESET) --output-on-failure --parallel $(JOBS) -R cli_plot

test-browser: command  ## reports and the documentation in a headless Chromium, installed first (its driver and axe come from npm)
	@scripts/install-dependencies browser docs
	@scripts/install-npm
	@node web/test/report.mjs $(COMMAND)
	@scripts/docs
	@node web/test/site.mjs build/site

test-figures: command  ## are the pictures of the documentation what the command draws?
	@scripts/install-dependencies docs
	@scripts/check-figures $(COMMAND)

web:  ## make again what reports use of three.js and uPlot, from npm: web/vendor
	@scripts/install-dependencies npm
	@scripts/install-npm
	@node web/build.mjs

test-threads:  ## one model in several threads, under the thread sanitizer
	@scripts/install-dependencies build
	@scripts/configure tsan build-tsan
	@cmake --build build-tsan --parallel $(JOBS) --target test_threads
	@ctest --preset tsan --output-on-failure -R test_threads

bench:  ## build and run the benchmarks, some minutes; LONG=1: all tables of docs/performance.md
	@scripts/install-dependencies build bench
	@scripts/configure $(PRESET) $(FOLDER)
	@cmake --build $(FOLDER) --parallel $(JOBS)
	@MBS_LONG=$(LONG) scripts/bench $(FOLDER)

# tests that take longest, which the release and sanitizer builds run
LONGEST = ^fuzz_|^test_(relative|all_elements|joint_switch|adjoint|whole_runs|matrix_r)$$$$

check-all:  ## what CI demands besides `make test`: format, layers, scalars; debug, sanitizers, clang, threads
	@scripts/install-dependencies build check
	@$(MAKE) check-format
	@scripts/check-layers
	@scripts/check-bare-math
	@scripts/check-quiet
	@scripts/check-files
	@$(MAKE) test PRESET=debug LEFT_OUT='$(LONGEST)'
	@$(MAKE) test PRESET=asan-ubsan
	@$(MAKE) test PRESET=clang LEFT_OUT='$(LONGEST)'
	@$(MAKE) test-threads

check-format:  ## are the sources formatted?
	@clang-format --dry-run --Werror $(SOURCES)

format:  ## format the sources
	@scripts/install-dependencies check
	@clang-format -i $(SOURCES)

tidy: command  ## static analysis with clang-tidy
	@clang-tidy -p $(FOLDER) --quiet $(filter src/%.c cli/%.c,$(SOURCES))

docs:  ## the documentation as a site: build/site/index.html
	@scripts/install-dependencies docs
	@scripts/docs

generated: command  ## write again what the command knows best: the schema, the table of elements, elements.h
	@scripts/check-generated $(COMMAND) --write

install:  ## install below PREFIX (default /usr/local)
	@scripts/install-dependencies build
	@scripts/configure $(PRESET) $(FOLDER)
	@cmake --build $(FOLDER) --parallel $(JOBS) --target mbsens mbsens_shared command
	@cmake --install $(FOLDER) --prefix $(PREFIX)

clean:  ## remove every build folder
	@rm -rf build build-debug build-asan-ubsan build-clang build-tsan

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' Makefile
