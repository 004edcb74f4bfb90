#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds msprof and runs its main job on the capture shipped in testdata/: import, both exports, show.
# usage: tools/tour.sh [DIRECTORY]     the results go there, by default into build/tour, which is made anew
set -eu
cd "$(dirname "$0")/.."

results=${1:-build/tour}
captures=(testdata/resnet50/JOB*)
capture=${captures[0]}

if [ $# -eq 0 ]; then
    rm -rf "$results"
fi
umask 0027

number=0
step() { # headline, command
    printf '[%d/6] %s\n' "$((number += 1))" "$1"
    shift
    "$@"
}
run() {
    step "$*" "$@"
}
run tools/packages.sh build
mkdir -p build
compile() {
    make --no-print-directory -j "$(nproc)" program >build/tour.log
}
step "make program: about 40 seconds on two processors (build/tour.log has its output)" compile
run build/msprof import -dir "$capture" --output "$results"
run build/msprof export timeline -dir "$capture" --output "$results"
run build/msprof export summary -dir "$capture" --output "$results"
build/msprof show -dir "$capture" --output "$results" >"$results/show.txt"

files() { # directory
    find "$results/$1" -type f | wc -l
}
cat <<END

The results:
  $results/sqlite/runtime.db: the database, for sqlite3
  $results/timeline: $(files timeline) files for https://ui.perfetto.dev, chrome://tracing and https://www.speedscope.app
  $results/summary: $(files summary) files for any spreadsheet
  $results/show.txt: the four tables of 'msprof show'

END
run build/msprof show -dir "$capture" --output "$results" --table summary
