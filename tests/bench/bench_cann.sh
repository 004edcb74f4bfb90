#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures import, summary and timeline of generated CANN captures, one after the other, and beside them what this
# machine can do at most.
#
# usage: bench_cann.sh BUILD_DIR
#   BENCH_OPERATORS   operators of each capture (10000 100000 1000000); about 8.9 records each
#   BENCH_CHIPS       platform versions (5 1); empty: none of these
#   BENCH_SAMPLES     samples of a capture with hardly anything else (10000000); 0: none
#   BENCH_RUNS        runs of the three programs; the run with the smallest sum counts (3)
#   MSPROF_SHARED     where tools/gen_prof.py is, which needs Python with numpy
#   TMPDIR            where captures and results go (/tmp); a million operators need 4 GB there for a while
#
# Nothing is asserted about time.
set -euo pipefail

build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
generator=${MSPROF_SHARED:-$repository/../shared}/tools/gen_prof.py
operators=${BENCH_OPERATORS:-10000 100000 1000000}
chips=${BENCH_CHIPS-5 1}
samples=${BENCH_SAMPLES:-10000000}
runs=${BENCH_RUNS:-3}
measure=$build/tests/bench/measure
ceiling=$build/tests/bench/ceiling
python=${PYTHON:-/usr/bin/python3}
umask 0027

if [ -n "$chips" ] && { [ ! -f "$generator" ] || ! "$python" -c 'import numpy' 2>/dev/null; }; then
    echo "bench_cann.sh: needs $generator and a Python with numpy (PYTHON=$python)" >&2
    exit 1
fi

directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-bench.XXXXXX")
trap 'rm -rf "$directory"' EXIT

# Runs the three programs once; prints "sum of wall times, the three wall times, CPU time (us), largest peak (KiB)".
run_programs() {
    rm -f "$directory/times"
    rm -rf "$1/mindstudio_profiler_output" "$1/sqlite"
    for step in import 'export summary' 'export timeline'; do
        # shellcheck disable=SC2086 # the words of a command
        "$measure" "$directory/times" "$build/msprof" -q $step -dir "$1" >/dev/null
    done
    awk '{ sum += $1; walls = walls " " $1; cpu += $3; if ($2 > peak) peak = $2 }
        END { print sum walls, cpu, peak }' "$directory/times"
}

row() {
    printf '%4s %9s %5s | %6s %7s %8s %6s %6s | %5s | %5s %5s %6s %6s\n' "$@"
}

rate_of() { # unit, what ceiling is asked
    local unit=$1
    shift
    "$ceiling" "$@" 2>/dev/null | awk -v unit="$unit" '{ printf "%.1f", $1 / unit }' || echo -
}

# Import with the long tables as pages, and with all rows stored by SQLite: wall and CPU time, and the peak.
bench_ways() {
    rm -f "$directory/times"
    for way in pages plain; do
        rm -rf "$1/sqlite"
        "$measure" "$directory/times" "$build/msprof" -q import -dir "$1" --database "$way" >/dev/null
    done
    awk '{ printf "%s%s %.2f s, %.2f s cpu, %d MiB", NR == 1 ? "               import by " : "; by ", NR == 1 ? "pages" : "SQLite alone",
            $1 / 1e6, $3 / 1e6, $2 / 1024 } END { print "" }' "$directory/times"
}

bench_capture() {
    local chip=$1 count=$2 capture bytes written best seconds
    "$python" "$generator" "$directory" -n "$count" --chip "$chip" >/dev/null
    capture=$(echo "$directory"/PROF_*)
    bytes=$(find "$capture" -name '*.slice_*' ! -name '*.done' -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
    best=$(for ((run = 0; run < runs; run++)); do run_programs "$capture"; done | sort -n | head -1)
    read -ra seconds < <(awk '{ for (i = 1; i <= 5; i++) printf "%.2f ", $i / 1000000; print int($6 / 1024) }' <<<"$best")
    written=$(find "$capture/mindstudio_profiler_output" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
    row "$chip" "$count" "$((bytes / 1000000))" "${seconds[1]}" "${seconds[2]}" "${seconds[3]}" "${seconds[0]}" \
        "${seconds[4]}" "${seconds[5]}" \
        "$(rate_of 1000000000 read "$(find "$capture" -name '*tensor_info.slice_0')")" \
        "$(rate_of 1000000000 write "$directory/written" "$written")" \
        "$(rate_of 1000000000 direct "$directory/written" "$written")" \
        "$(rate_of 1000000 insert "$directory/written" "$((4 * count))")"
    bench_ways "$capture"
    rm -rf "$capture" "$directory/written" "$directory/manifest.json"
}

# Import and timeline of samples of 64 bytes, of a tenth of them first: the peak must not grow with their number.
bench_samples() {
    local count=$1 capture events step
    capture=$(python3 "$repository/testdata/generate/cann/make_samples.py" "$directory" --samples "$count")
    rm -f "$directory/times"
    for step in import 'export timeline'; do
        # shellcheck disable=SC2086 # the words of a command
        "$measure" "$directory/times" "$build/msprof" -q $step -dir "$capture" >/dev/null
    done
    events=$(grep -c '"ph":"C"' "$capture"/mindstudio_profiler_output/msprof_*.json)
    awk -v records="$count" -v events="$events" '{ n = NR == 1 ? records : events
        printf "%-9s %9d | %5.1f %5.1f | %5.2f %5.2f | %5d\n", NR == 1 ? "import" : "timeline", n, $1 / 1e6, $3 / 1e6,
            n / $1, n / $3, $2 / 1024 }' "$directory/times"
    rm -rf "$capture"
}

if [ "$samples" -gt 0 ]; then
    echo "samples of 64 bytes: records that import takes and events that the timeline gets, and the same in a second of"
    echo "wall and CPU time, in millions; load of the machine: $(cut -d ' ' -f 1-3 /proc/loadavg)"
    printf '%-9s %9s | %5s %5s | %5s %5s | %5s\n' "" many wall cpu wall cpu peak "" "" s s M/s M/s MiB
    bench_samples "$((samples / 10))"
    bench_samples "$samples"
fi
[ -n "$chips" ] || exit 0

echo "the best of $runs runs on $(nproc) processors; cpu: user and system time of all three programs;"
echo "peak: the largest of the three; ceilings: plain reading, writing, writing past the page cache, SQLite insert"
row "" "" "" import summary timeline all cpu peak ceilings "" "" ""
row chip operators MB s s s s s MiB read write direct insert
row "" "" "" "" "" "" "" "" "" GB/s GB/s GB/s "M/s"
for chip in $chips; do
    for count in $operators; do
        bench_capture "$chip" "$count"
    done
done
