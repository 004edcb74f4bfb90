#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program and runs its tests. The last line is prove's.
# usage: tools/test.sh [--all] [options of tests/check]
#   --all  also the tests under the sanitizers, those that need a browser or other shells, 'make lint', the packages and the
#          count of instructions: what the continuous integration runs
set -euo pipefail
cd "$(dirname "$0")/.."

all=
if [ "${1:-}" = --all ]; then
    all=1
    shift
fi

if [ -n "$all" ]; then
    echo "tools/test.sh --all: every test and check, about 40 minutes on two processors"
    # A machine that is slower leaves out some of the sanitized tests, not the end of all.
    export MSPROF_TEST_UNTIL=$(($(date +%s) + 50 * 60))
    tools/packages.sh all
else
    echo "tools/test.sh: the tests of the release build, about 8 minutes on two processors; --all runs every test and check"
    export MSPROF_TEST_BRIEFLY=1
    tools/packages.sh test
fi

build() {
    echo "Building: make $*"
    make --no-print-directory -j "$(nproc)" "$@"
}

# The C files that changed in the four hours before the last commit; 'make lint' analyzes all. Without git, all.
list_recent() {
    local last
    if last=$(git log -1 --format=%ct 2>/dev/null); then
        git log --since="$((last - 4 * 3600))" --format= --name-only -- '*.c' | sort -u
    else
        find . -name '*.c' -not -path './build/*' -printf '%P\n'
    fi
}

# Lint uses the time in which the tests wait for boards and signals. Its findings do not keep them from running, but
# they count. Warnings of clang are among them: clang-tidy says them.
check_sources() {
    local status=0
    BENCH_SECONDS=60 tests/bench/bench_instructions.sh build/release >build/instructions.log 2>&1 || true
    make --no-print-directory --keep-going lint ANALYZED="$(list_recent | tr '\n' ' ')" >build/lint.log 2>&1 || status=1
    tools/check-packages.sh build >build/check-packages.log 2>&1 || status=1
    return "$status"
}

# Numbers the files of tests as they end, and passes lines on but for the last two, which are prove's result: they come when
# all else is through.
number_and_hold() {
    local held=() line total=0 done=0
    while IFS= read -r line; do
        case $line in
        'Files of tests: '*) total=${line##* } ;;
        '['??:??:??'] '*) line="[$((done += 1))/$total] $line" ;;
        esac
        held+=("$line")
        if [ "${#held[@]}" -gt 2 ]; then
            printf '%s\n' "${held[0]}"
            held=("${held[@]:1}")
        fi
    done
    if [ -n "$all" ]; then
        tail -f --pid="$lint" /dev/null
        grep -vE '^  [A-Z]+ ' build/lint.log || echo "make lint has no findings"
        cat build/instructions.log build/check-packages.log
    fi
    list_left_out
    printf '%s\n' "${held[@]}"
}

# Lists what did not run: tests/run writes the tests that were skipped, with their reasons.
list_left_out() {
    echo
    echo "Left out:"
    if [ -z "$all" ]; then
        echo "  the tests under AddressSanitizer and UndefinedBehaviorSanitizer, 'make lint', the packages: tools/test.sh --all"
        echo "  the tests of the connection with the other SSH library (tests/ssh): tools/test.sh --all"
        echo "  of the faults of tests/cli/fault_injection.bats all but the first of each caller: tools/test.sh --all"
    fi
    sort -t '	' -k 3,3 -k 1,2 build/skipped | awk -F '\t' '
        function end() { if (count) printf "  %d %s: %s%s\n", count, count == 1 ? "test" : "tests", reason, names }
        $3 != reason { end(); count = 0; names = ""; reason = $3 }
        { count++; if (reason !~ /needs_shared/) names = names "\n      " $1 ": " $2 }
        END { end() }'
}

build all test-programs
if [ -n "$all" ]; then
    build asan
    check_sources &
    lint=$!
    trap 'kill "$lint" 2>/dev/null || true' EXIT
    variants=(release asan)
else
    variants=(release)
fi

: >build/skipped
export MSPROF_SKIPPED=$PWD/build/skipped
status=0
tests/check "$@" "${variants[@]}" | number_and_hold || status=1
[ -z "$all" ] || wait "$lint" || status=1
exit "$status"
