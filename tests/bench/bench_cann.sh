#!/usr/bin/env bash
# Measures import, summary and timeline of generated CANN captures, one after the other, and beside them what this
# machine can do at most.
#
# usage: bench_cann.sh BUILD_DIR
#   BENCH_OPERATORS   operators of each capture (10000 100000 1000000); about 8.9 records each
#   BENCH_CHIPS       platform versions (5 1)
#   MSPROF_SHARED     where tools/gen_prof.py is, which needs Python with numpy
#   TMPDIR            where captures and results go (/tmp); a million operators need 4 GB there for a while
#
# Nothing is asserted about time.
set -euo pipefail

build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
generator=${MSPROF_SHARED:-$repository/../shared}/tools/gen_prof.py
operators=${BENCH_OPERATORS:-10000 100000 1000000}
chips=${BENCH_CHIPS:-5 1}
measure=$build/tests/bench/measure
ceiling=$build/tests/bench/ceiling
python=${PYTHON:-/usr/bin/python3}
umask 0027

if [ ! -f "$generator" ] || ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "bench_cann.sh: needs $generator and a Python with numpy (PYTHON=$python)" >&2
    exit 1
fi

directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-bench.XXXXXX")
trap 'rm -rf "$directory"' EXIT

# Runs msprof once; prints wall time in microseconds and peak memory in KiB.
run_msprof() {
    rm -f "$directory/times"
    "$measure" "$directory/times" "$build/msprof" -q "$@" >/dev/null
    cat "$directory/times"
}

row() {
    printf '%4s %9s %7s | %8s %8s %8s %8s | %6s | %7s %7s\n' "$@"
}

bench_capture() {
    local chip=$1 count=$2 capture total_us=0 peak_kib=0 us kib bytes line=()
    "$python" "$generator" "$directory" -n "$count" --chip "$chip" >/dev/null
    capture=$(echo "$directory"/PROF_*)
    bytes=$(find "$capture" -name '*.slice_*' ! -name '*.done' -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
    for step in import 'export summary' 'export timeline'; do
        # shellcheck disable=SC2086 # the words of a command
        read -r us kib _ < <(run_msprof $step -dir "$capture")
        total_us=$((total_us + us))
        [ "$kib" -le "$peak_kib" ] || peak_kib=$kib
        line+=("$(awk -v us="$us" 'BEGIN { printf "%.2f", us / 1000000 }')")
    done
    written=$(find "$capture/mindstudio_profiler_output" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
    row "$chip" "$count" "$((bytes / 1000000))" "${line[@]}" \
        "$(awk -v us="$total_us" 'BEGIN { printf "%.2f", us / 1000000 }')" "$((peak_kib / 1024))" \
        "$("$ceiling" read "$(find "$capture" -name '*tensor_info.slice_0')" | awk '{ printf "%.1f", $1 / 1000000000 }')" \
        "$("$ceiling" write "$directory/written" "$written" | awk '{ printf "%.1f", $1 / 1000000000 }')"
    rm -rf "$capture" "$directory/written" "$directory/manifest.json"
}

echo "one run each on $(nproc) processors; peak: the largest of the three programs"
row "" "" "" import summary timeline all peak ceilings ""
row chip operators MB s s s s MiB 'read' write
row "" "" "" "" "" "" "" "" GB/s GB/s
for chip in $chips; do
    for count in $operators; do
        bench_capture "$chip" "$count"
    done
done
