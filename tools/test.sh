#!/bin/bash
# Builds everything with gcc and clang, checks the sources, runs all tests. The last line is prove's.
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
if ! build clang || ! build --keep-going lint; then
    echo "clang or make lint have findings, see above; the tests follow" >&2
    status=1
fi
tests/check release asan || status=1
exit "$status"
