#!/bin/bash
# Builds everything, checks the sources, runs all tests. The last line is prove's.
# usage: tools/test.sh [options of tests/check]
set -eu
cd "$(dirname "$0")/.."

tools/packages.sh test

build() {
    make --no-print-directory -j "$(nproc)" "$@"
}

build all test-programs
build asan

# What lint finds does not keep the tests from running, but it counts. What clang warns of is among it: clang-tidy says it.
status=0
build --keep-going lint || status=1
if [ "$status" -ne 0 ]; then
    echo "make lint has findings, see above; the tests follow" >&2
fi
tests/check "$@" release asan || status=1
exit "$status"
