#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the answers about an imported CANN capture: the database for viewers, show and every table of it, advise, and
# diff of the capture with itself and with a baseline; then the exports and show of a capture of 2022.
#
# usage: bench_answers.sh BUILD_DIR
#   BENCH_ANSWERS   operators of the capture (1000000)
#   BENCH_2022      tasks of the capture of 2022 (500000); 0: none
#   BENCH_RUNS      runs of each; the fastest counts (3)
#   MSPROF_SHARED   where tools/gen_prof.py is, which needs Python with numpy
#   TMPDIR          where the capture goes (/tmp); a million operators need 1.5 GB there
#
# Nothing is asserted about time. Limits for a million operators: export db 5 s, a table of show 1 s, advise 2 s, diff 3 s, a
# flame graph 3 s, each in 64 MiB.
set -euo pipefail

build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
generator=${MSPROF_SHARED:-$repository/../shared}/tools/gen_prof.py
operators=${BENCH_ANSWERS:-1000000}
earlier=${BENCH_2022:-500000}
runs=${BENCH_RUNS:-3}
python=${PYTHON:-/usr/bin/python3}
umask 0027

if [ ! -f "$generator" ] || ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "bench_answers.sh: needs $generator and a Python with numpy (PYTHON=$python)" >&2
    exit 1
fi

directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-bench.XXXXXX")
trap 'rm -rf "$directory"' EXIT

# Prints wall and CPU seconds and peak MiB of the fastest run.
row() {
    local name=$1
    shift
    rm -f "$directory/times"
    for ((run = 0; run < runs; run++)); do
        "$build/tests/bench/measure" "$directory/times" "$build/msprof" -q "$@" >"$directory/output" 2>&1 || true
    done
    sort -n "$directory/times" | head -1 |
        awk -v name="$name" '{ printf "%-28s %6.2f %6.2f %6.1f\n", name, $1 / 1e6, $3 / 1e6, $2 / 1024 }'
}

"$python" "$generator" "$directory" -n "$operators" --chip 5 >/dev/null
capture=$(echo "$directory"/PROF_*)
"$build/msprof" import -q "$capture"
"$build/msprof" diff -q --save "$directory/base.json" --base "$capture"
echo "answers about $operators operators, the fastest of $runs runs on $(nproc) processors"
printf '%-28s %6s %6s %6s\n' answer wall cpu peak '' s s MiB
row "export db" export db "$capture" --stable-names
row "show" show "$capture"
for table in $("$build/msprof" show -q "$capture" --table list | grep -v '^ ' | cut -d' ' -f1); do
    row "show --table $table" show "$capture" --table "$table"
done
row "advise" advise "$capture"
row "diff" diff "$capture" "$capture"
for weight in device host count; do
    row "export flame --weight $weight" export flame "$capture" --weight "$weight" --format svg
done
row "diff with a baseline" diff "$directory/base.json" "$capture"

[ "$earlier" -gt 0 ] || exit 0
rm -rf "$capture"
capture=$(python3 -B "$repository/testdata/generate/cann/make_2022.py" "$directory" --count "$earlier")
"$build/msprof" import -q "$capture"
echo "$earlier tasks of a capture of 2022"
row "export summary" export summary "$capture" --stable-names
row "export timeline" export timeline "$capture" --stable-names
row "show" show "$capture"
