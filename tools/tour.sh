#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds msprof and runs its main job on the capture shipped in testdata/: import, both exports, show.
# usage: tools/tour.sh [DIRECTORY]     the results go there, by default into build/tour, which is made anew
# Without a build the program is compiled without optimisation into build/quick: that takes half the time of 'make'. A build
# that is there is brought up to date instead.
set -eu
cd "$(dirname "$0")/.."

results=${1:-build/tour}
captures=(testdata/resnet50/JOB*)
capture=${captures[0]}
build=build flags=()
[ -x build/msprof ] || build=build/quick flags=(CFLAGS="-O0 -g0 -U_FORTIFY_SOURCE")
program=$build/msprof

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
# The packages' own lines would fill the screen; they are shown if the installation fails.
install() {
    tools/packages.sh build >build/packages.log 2>&1 || {
        cat build/packages.log >&2
        return 1
    }
    grep '^Installing' build/packages.log || true
}
compile() {
    make --no-print-directory -j "$(nproc)" BUILD=$build "${flags[@]}" program >build/tour.log
}
mkdir -p build
step "tools/packages.sh build (build/packages.log)" install
step "make program: about 25 seconds on two processors (build/tour.log)" compile
run "$program" import -dir "$capture" --output "$results"
run "$program" export timeline -dir "$capture" --output "$results"
run "$program" export summary -dir "$capture" --output "$results"
"$program" show -dir "$capture" --output "$results" >"$results/show.txt"

files() { # directory
    find "$results/$1" -type f | wc -l
}
cat <<END

The results:
  $results/sqlite/runtime.db: the database, for sqlite3
  $results/timeline: $(files timeline) files for https://ui.perfetto.dev, chrome://tracing and https://www.speedscope.app
  $results/summary: $(files summary) files for any spreadsheet
  $results/show.txt: the four tables of 'msprof show'
  $program: the program${flags:+, without optimisation; 'make' builds build/msprof}

END
run "$program" show -dir "$capture" --output "$results" --table summary
