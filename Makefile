# The front door; Meson does the work. Every target sets up what it needs by itself.
BUILD ?= build
MESON_ARGS ?=

.PHONY: all soak setup demo test test-all python setup-python install asan tsan fuzz lint format bench bench-full clean

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

setup:
	@tools/setup

$(BUILD)/build.ninja: | setup
	@meson setup $(BUILD) $(MESON_ARGS) > /dev/null

# Only the program: tests and benchmarks take longer to build than it.
demo: $(BUILD)/build.ninja
	@[ -x $(BUILD)/scdc ] || echo "building scdc in $(BUILD): about a minute" >&2
	@out=$$(ninja -C $(BUILD) --quiet scdc) || { echo "$$out"; exit 1; }
	@$(BUILD)/scdc demo -o $(BUILD)/demo

# What a change must pass, below ten minutes on two cores.
test: setup
	@tools/run-tests test
# And what takes longer: the Python package, other processors' matrix products, a browser.
test-all: setup setup-python
	@tools/setup --browser
	@tools/setup --postgresql || echo "tests with PostgreSQL will be skipped" >&2
	@tools/run-tests test-all

# What the Python package's tests need; without it they are skipped.
setup-python: setup
	@tools/setup --python || echo "tests of the Python package will be skipped" >&2

# The Python package: its wheel, and its tests in a virtual environment.
python: setup-python
	@tools/test-python

install: all
	@meson install -C $(BUILD) --no-rebuild

# Unit tests under the address and undefined-behaviour sanitizers, and under the thread sanitizer.
asan: setup
	@tools/run-tests asan
tsan: setup
	@tools/run-tests tsan
fuzz: setup
	@tools/run-tests fuzz

lint: setup
	@tools/run-tests lint

format: setup
	@git ls-files '*.c' '*.h' ':!tests/golden' | xargs clang-format -i

# A few minutes; bench-full adds growth, single threads and other libraries beside ours.
bench: all
	@tools/run-bench
bench-full: all
	@tools/run-bench --full

# For as long as one likes: kills, failures of memory and writing, fuzzing. SOAK_MINUTES=600 make soak
SOAK_MINUTES ?= 10
soak: all
	@tools/soak --minutes $(SOAK_MINUTES)

clean:
	@rm -rf build build-*
