#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures import and exports of a CANN capture of two sizes, and the answers about it: the database for viewers, show and
# every table of it, advise, and diff of the capture with itself and with a baseline, the report, paths of many steps, ranks in one timeline; then the
# exports and show of a capture of 2022, analyse of a framework's directories, and cluster of many ranks.
#
# usage: bench_answers.sh BUILD_DIR
#   BENCH_ANSWERS   operators of the captures, the larger one last (100000 1000000)
#   BENCH_2022      tasks of the capture of 2022 (500000); 0: none
#   BENCH_FRAMEWORK operators of each framework's directory, in thousands (100); 0: none
#   BENCH_RANKS     ranks of the job that cluster reads, then four times as many (64); 0: none
#   BENCH_RUNS      runs of each; the fastest counts (3)
#   MSPROF_SHARED   where tools/gen_prof.py is, which needs Python with numpy, and tools/gen_ascend_ms.py
#   TMPDIR          where the capture goes (/tmp); a million operators need 1.5 GB there
#
# Nothing is asserted about time; of memory the last size of each command may take BENCH_MIB (128), else the status is 1.
# Beside each stand the limits of CPU time and memory, of a million operators, of 100,000
# with a framework, on a quiet machine; a flame graph has 3 s, a report 4 s, 64 ranks in one timeline 30 s.
set -euo pipefail

build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
generator=${MSPROF_SHARED:-$repository/../shared}/tools/gen_prof.py
sizes=${BENCH_ANSWERS:-100000 1000000}
mib=${BENCH_MIB:-128}
earlier=${BENCH_2022:-500000}
framework=${BENCH_FRAMEWORK:-100}
ranks=${BENCH_RANKS:-64}
runs=${BENCH_RUNS:-3}
python=${PYTHON:-/usr/bin/python3}
umask 0027

if [ ! -f "$generator" ] || ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "bench_answers.sh: needs $generator and a Python with numpy (PYTHON=$python)" >&2
    exit 1
fi

directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-bench.XXXXXX")
trap 'rm -rf "$directory"' EXIT

# Prints wall and CPU seconds and peak MiB of the fastest run, and the limits: row NAME SECONDS COMMAND... One that takes too
# much memory is noted; the last size decides.
row() {
    local name=$1 limit=$2
    shift 2
    rm -f "$directory/times"
    for ((run = 0; run < runs; run++)); do
        "$build/tests/bench/measure" "$directory/times" "$build/msprof" -q "$@" >"$directory/output" 2>&1 || true
    done
    sort -n "$directory/times" | head -1 |
        awk -v name="$name" -v limit="$limit" -v mib="$mib" '{ printf "%-28s %6.2f %6.2f %6.1f | %6s %6d\n", name, $1 / 1e6,
            $3 / 1e6, $2 / 1024, limit, mib }'
    awk -v name="$name" -v mib="$mib" '$2 / 1024 > mib { most = $2 > most ? $2 : most }
        END { if (most > 0) printf "%s: %.1f MiB\n", name, most / 1024 }' "$directory/times" >>"$directory/too-much"
}

# Marks of iterations of so many tasks each, from the first task to the last.
mark_steps() { # tasks of a step
    sqlite3 "$capture/sqlite/runtime.db" "DELETE FROM ts_track;
        INSERT INTO ts_track(file_id, device_id, tag, time_ns, stream_id, task_id, index_id, model_id, step_tag)
        WITH RECURSIVE span(start, length) AS (SELECT min(start_ns), (max(start_ns) - min(start_ns)) / count(*) * $1 FROM device_task),
            step(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM step WHERE i + 1 < $operators / $1), mark(tag) AS (VALUES (0), (1), (4))
        SELECT 1, 0, 10, start + i * length + CASE tag WHEN 0 THEN 1000 WHEN 1 THEN length - 1000 ELSE length - 500 END, 0, 0,
            i + 1, 1, tag FROM span, step, mark ORDER BY i, tag"
}

# One capture of so many operators, which is removed behind it.
bench_capture() {
    local operators=$1 capture table limit weight tasks
    "$python" "$generator" "$directory" -n "$operators" --chip 5 >/dev/null
    capture=$(echo "$directory"/PROF_*)
    echo "$operators operators, the fastest of $runs runs on $(nproc) processors"
    printf '%-28s %6s %6s %6s | %6s %6s\n' answer wall cpu peak limits '' '' s s MiB cpu MiB
    row "import" - import --force "$capture"
    row "export summary" - export summary "$capture"
    row "export timeline" - export timeline "$capture"
    rm -rf "$capture/summary" "$capture/timeline"
    "$build/msprof" diff -q --save "$directory/base.json" --base "$capture"
    row "export db" 5 export db "$capture" --stable-names
    row "show" 1 show "$capture"
    for table in $("$build/msprof" show -q "$capture" --table list | grep -v '^ ' | cut -d' ' -f1); do
        case $table in bound | gaps) limit=0.6 ;; *) limit=1 ;; esac
        row "show --table $table" "$limit" show "$capture" --table "$table"
    done
    row "advise" 0.6 advise "$capture"
    row "diff" 2 diff "$capture" "$capture"
    for weight in device host count; do
        row "export flame --weight $weight" 3 export flame "$capture" --weight "$weight" --format svg
    done
    row "diff with a baseline" 1 diff "$directory/base.json" "$capture"
    row "report" 4 report "$capture" -o "$directory/page.html"
    row "report --diff" - report "$capture" --diff "$directory/base.json" -o "$directory/page.html"

    for tasks in 10 3; do
        mark_steps "$tasks"
        echo "$((operators / tasks)) steps"
        row "report" 4 report "$capture" -o "$directory/page.html"
        row "advise" 0.6 advise "$capture"
        for table in overlap phases path path_step; do
            row "show --table $table" 1 show "$capture" --table "$table"
        done
    done
    rm -f "$directory/page.html"
    rm -rf "$capture"
}

for operators in $sizes; do
    : >"$directory/too-much"
    bench_capture "$operators"
done

# Ranks in one timeline: copies of one capture, whose clocks nothing aligns.
"$python" "$generator" "$directory/rank" -n "$((operators / 64))" --chip 5 >/dev/null
for ((rank = 0; rank < 64; rank++)); do
    copy=$directory/ranks/PROF_$(printf %06d "$((rank + 1))")_20250101000000000_AAAA
    mkdir -p "$copy"
    cp -R "$directory"/rank/PROF_*/. "$copy"
    sed -i "s/\"rank_id\": *-\?[0-9]*/\"rank_id\": $rank/" "$copy"/device_0/info.json.0
done
echo "64 ranks, of $((operators / 64)) operators each; the first run imports them"
for format in json pftrace; do
    row "cluster --timeline, $format" 30 cluster "$directory/ranks" --timeline --format "$format"
done
rm -rf "$directory/rank" "$directory/ranks"

if [ "$earlier" -gt 0 ]; then
    capture=$(python3 -B "$repository/testdata/generate/cann/make_2022.py" "$directory" --count "$earlier")
    "$build/msprof" import -q "$capture"
    echo "$earlier tasks of a capture of 2022"
    row "export summary" - export summary "$capture" --stable-names
    row "export timeline" - export timeline "$capture" --stable-names
    row "show" - show "$capture"
    rm -rf "$capture"
fi
if [ "$framework" -gt 0 ]; then
    for kind in ms pt; do
        "$python" "${generator%/*}/gen_ascend_ms.py" "$directory" --kind "$kind" --steps "$framework" --ops 1000 >/dev/null
        capture=$(echo "$directory"/*_ascend_"$kind")
        echo "$framework thousand operators in a directory of $([ "$kind" = ms ] && echo MindSpore || echo PyTorch)"
        runs=1 row "analyse, import included" 1.2 analyse "$capture"
        row "analyse" 1.2 analyse "$capture"
        rm -rf "$capture"
    done
fi
if [ "$ranks" -gt 0 ]; then
    for count in "$ranks" "$((4 * ranks))"; do
        "$build/make-ranks" --output "$directory/job" --ranks "$count" --steps 4 --collectives 400
        echo "$count ranks of 4 steps of 400 collectives; the first run reads them, the others what it kept of them"
        row "cluster" - cluster "$directory/job"
        row "cluster --detail" - cluster "$directory/job" --detail
        rm -rf "$directory/job"
    done
fi

if [ -s "$directory/too-much" ]; then
    echo "more memory than $mib MiB:"
    cat "$directory/too-much"
    exit 1
fi
