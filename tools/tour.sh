#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds msprof and runs its main job on the capture shipped in testdata/: import, both exports, show.
# usage: tools/tour.sh [DIRECTORY]     the results go there, by default into build/tour, which is made anew
set -eu
cd "$(dirname "$0")/.."

results=${1:-build/tour}
captures=(testdata/resnet50/JOB*)
capture=${captures[0]}

tools/packages.sh build
make --no-print-directory -j "$(nproc)" program

if [ $# -eq 0 ]; then
    rm -rf "$results"
fi
umask 0027

step() {
    printf '\n$ %s\n' "$*"
    "$@"
}
step build/msprof import -dir "$capture" --output "$results"
step build/msprof export timeline -dir "$capture" --output "$results"
step build/msprof export summary -dir "$capture" --output "$results"
printf '\n$ %s\n' "build/msprof show -dir $capture --output $results"
build/msprof show -dir "$capture" --output "$results" >"$results/show.txt"
head -n 30 "$results/show.txt"
printf '[...]\n'
tail -n 30 "$results/show.txt"

cat <<END

The results are in $results, and what show printed is in $results/show.txt:
$(cd "$results" && find . -type f ! -name show.txt | LC_ALL=C sort | sed 's|^\./|  |')

timeline/*.json opens in https://ui.perfetto.dev, chrome://tracing and https://www.speedscope.app,
summary/*.csv in any spreadsheet, sqlite/runtime.db in sqlite3.
END
