# A thin wrapper over meson. Each target does its own set-up: missing packages first, then the build, then the job.
#   JOBS=1 limits the compile jobs.

ninja := ninja $(if $(JOBS),-j$(JOBS))
PREFIX ?= /usr/local

.PHONY: all python install doc demo test test-all coverage check-data fuzz bench bench-scale clean help
.DEFAULT_GOAL := all

all:
	@scripts/install-deps build
	@scripts/configure build
	@$(ninja) -C build

python:
	@scripts/install-deps python
	@scripts/configure build
	@$(ninja) -C build

install:
	@scripts/install-deps build
	@JOBS=$(JOBS) DESTDIR="$(DESTDIR)" scripts/install "$(PREFIX)"

doc: all
	@python3 tools/make_doc.py

demo:
	@scripts/install-deps demo
	@scripts/configure build
	@$(ninja) --quiet -C build
	@scripts/demo

test:
	@scripts/install-deps test
	@JOBS=$(JOBS) scripts/test plain

test-all: test
	@scripts/install-deps test-all
	@JOBS=$(JOBS) scripts/test deep

coverage:
	@scripts/install-deps coverage
	@JOBS=$(JOBS) scripts/coverage

check-data: all
	@python3 tests/data/check.py build/rkhs "$(DATA)"

fuzz:
	@scripts/install-deps test
	@JOBS=$(JOBS) scripts/fuzz $(or $(SECONDS),60) $(ARGS)

# reproduce-bctke DATA=DIR: the tables of a paper, again; CELLS=DIR keeps results, QUICK=1 ends in ten minutes.
reproduce-%:
	@scripts/install-deps reproduce
	@scripts/configure build
	@$(ninja) --quiet -C build
	@PYTHONPATH=build/python /usr/bin/python3 reproduce/$*.py "$(DATA)" --cells "$(or $(CELLS),build/cells-$*)" $(if $(QUICK),--quick)

bench:
	@scripts/install-deps bench
	@scripts/configure build
	@$(ninja) --quiet -C build all bench/bench_core bench/bench_la bench/bench_gram
	@/usr/bin/python3 bench/bench.py $(if $(ROWS),--rows $(ROWS)) $(ARGS)

bench-scale:
	@scripts/install-deps bench
	@scripts/configure build
	@$(ninja) --quiet -C build all bench/bench_core
	@/usr/bin/python3 bench/scale.py $(ARGS)

clean:
	rm -rf build build-pip build-asan build-tsan build-fuzz build-coverage build-arm64 demo

help:
	@echo "make        build build/rkhs and build/librkhs.so"
	@echo "make python the Python package in build/python: PYTHONPATH=build/python /usr/bin/python3; or pip install ."
	@echo "make install PREFIX=/usr/local   headers, library, tool, rkhs.pc, man pages, completion; DESTDIR= is honoured"
	@echo "make doc    print doc/reference from the tables again"
	@echo "make demo   embed the data that ships with the project; pictures and a table in demo/"
	@echo "make test   every test; ends in 'N passed, N failed, N skipped'"
	@echo "make test-all   that, and the tests again under sanitizers, with threads watched, fuzzing, and arm64 beside this machine"
	@echo "make coverage   which lines and branches the tests reach; a table, and pages in build-coverage/pages"
	@echo "make check-data DATA=DIR   embed real data sets that the project does not contain; skips those that DIR has not"
	@echo "make fuzz SECONDS=60   fuzz every reader, the specs and the model file that long each (ARGS='csv npy': only these)"
	@echo "make bench ROWS=gram,krr   speed and memory beside other programs, all rows or some (ARGS=--help shows the options)"
	@echo "make bench ARGS=--blas   ours on several core types of OpenBLAS, which must not matter"
	@echo "make bench ARGS='--before DIR'   ours beside ours of another commit, built in DIR"
	@echo "make bench-scale   time and memory of every model by the number of rows (ARGS=--write: into doc/scale.md)"
	@echo "make reproduce-bctke DATA=DIR   the tables and figures of a paper, again; -ke, -nonparametric (CELLS=DIR keeps results, QUICK=1 ends in ten minutes)"
	@echo "make clean  remove what the above made"
	@echo "Each installs the Debian packages it misses (scripts/install-deps), as root or through sudo."
