#!/bin/bash
# Builds everything with gcc and clang, checks the sources, runs all tests. The last line is prove's.
# usage: tools/test.sh [options of tests/check]
set -eu
cd "$(dirname "$0")/.."

tools/packages.sh test

build() {
    make --no-print-directory -j "$(nproc)" "$@"
}

build all test-programs
build asan

# What clang and lint find does not keep the tests from running, but it counts.
status=0
build clang || status=1
build --keep-going lint || status=1
if [ "$status" -ne 0 ]; then
    echo "clang or make lint have findings, see above; the tests follow" >&2
fi
tests/check "$@" release asan || status=1
exit "$status"
