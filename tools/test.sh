#!/bin/bash
# Builds everything with gcc and clang, checks the sources, runs all tests. The last line is prove's.
set -eu
cd "$(dirname "$0")/.."

tools/packages.sh test

jobs=$(nproc)
status=0
make --no-print-directory -j "$jobs" all test-programs
make --no-print-directory -j "$jobs" clang
make --no-print-directory -j "$jobs" asan
# Findings of lint do not keep the tests from running, but they count.
if ! make --no-print-directory --keep-going -j "$jobs" lint; then
    echo "make lint has findings, see above; the tests follow" >&2
    status=1
fi
tests/check release asan || status=1
exit "$status"
