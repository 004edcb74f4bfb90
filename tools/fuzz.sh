#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the libFuzzer targets one after the other, each from its corpus: tools/fuzz.sh [SECONDS [TARGET]...]
# SECONDS is for each target (600). New inputs and findings stay in build/fuzz/found/<target>/.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-600}
[ $# -eq 0 ] || shift

make --no-print-directory fuzz
programs=()
if [ $# -gt 0 ]; then
    for target in "$@"; do
        programs+=("build/fuzz/fuzz_${target#fuzz_}")
    done
else
    for source in tests/fuzz/fuzz_*.c; do
        source=${source##*/}
        programs+=("build/fuzz/${source%.c}")
    done
fi

status=0
for program in "${programs[@]}"; do
    target=${program##*/fuzz_}
    found=build/fuzz/found/$target
    mkdir -p "$found"
    echo "== $target: $seconds s"
    options=()
    [ "$target" != import ] || options=(-entropic=0) # its captures have too many features for their counting
    "$program" "${options[@]}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$found/" "$found" "tests/fuzz/corpus/$target" || status=1
done
exit "$status"
