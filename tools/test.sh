#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything, checks the sources, makes the packages, runs all tests. The last line is prove's.
# usage: tools/test.sh [options of tests/check]
set -euo pipefail
cd "$(dirname "$0")/.."

tools/packages.sh test

build() {
    make --no-print-directory -j "$(nproc)" "$@"
}

build all test-programs
build asan

# Lint uses the time in which the tests wait for boards and signals. Its findings do not keep them from running, but
# they count. Warnings of clang are among them: clang-tidy says them.
{
    BENCH_SECONDS=60 tests/bench/bench_instructions.sh build/release >build/instructions.log 2>&1 || true
    status=0
    make --no-print-directory -j "$(nproc)" --keep-going lint >build/lint.log 2>&1 || status=1
    tools/check-packages.sh build >build/check-packages.log 2>&1 || status=1
    exit "$status"
} &
lint=$!
trap 'kill "$lint" 2>/dev/null || true' EXIT

# Passes lines on but for the last two, which are prove's result: they come when lint is through, too.
hold_result() {
    local held=() line
    while IFS= read -r line; do
        held+=("$line")
        if [ "${#held[@]}" -gt 2 ]; then
            printf '%s\n' "${held[0]}"
            held=("${held[@]:1}")
        fi
    done
    tail -f --pid="$lint" /dev/null
    grep -vE '^  [A-Z]+ ' build/lint.log || echo "make lint has no findings"
    cat build/instructions.log build/check-packages.log
    printf '%s\n' "${held[@]}"
}

status=0
tests/check "$@" release asan 2>&1 | hold_result || status=1
wait "$lint" || status=1
exit "$status"
