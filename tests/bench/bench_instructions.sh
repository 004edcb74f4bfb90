#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Counts the instructions an operator of import, summary and timeline: a measure that a busy machine does not move.
# The processor decides which code of libc and libcrypto runs; the last column leaves out SQLite, too.
#
# usage: bench_instructions.sh BUILD_DIR
#   BENCH_OPERATORS   operators of the capture (20000)
#   BENCH_SECONDS     a command that takes longer under valgrind in all is given up (600)
#   BENCH_KEEP        a directory in which callgrind's files are kept, for callgrind_annotate
#
# Nothing is asserted.
set -euo pipefail

build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
operators=${BENCH_OPERATORS:-20000}
end=$((SECONDS + ${BENCH_SECONDS:-600}))

if ! command -v valgrind >/dev/null; then
    echo "bench_instructions.sh: no instructions are counted, because valgrind is not installed"
    exit 0
fi

directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-bench.XXXXXX")
trap 'rm -rf "$directory"' EXIT
profiles=${BENCH_KEEP:-$directory}
mkdir -p "$profiles"

# All instructions, those outside of libc and libcrypto, and those of the program itself. Callgrind names a library once and
# then uses its number; the line after "calls=" is the cost of what was called, which is counted where it is spent.
count() {
    awk '/^c?ob=/ { id = $1; sub(/^c?ob=/, "", id); if (NF > 1) name[id] = $2 }
        /^ob=/ { library = name[id] ~ /lib(c|crypto)\.so/; sqlite = name[id] ~ /libsqlite3\.so/ }
        /^calls=/ { getline; next }
        /^[-+*0-9]/ { all += $2; if (!library) rest += $2; if (!library && !sqlite) own += $2 }
        END { print all, rest, own }' "$1"
}

capture=$(python3 -B "$repository/testdata/generate/cann/make_prof.py" "$directory" --count "$operators" --streams 16)
echo "instructions an operator, of $operators operators"
printf '%-10s %8s %19s %16s\n' "" all "no libc, libcrypto" "nor SQLite"
for step in import 'export summary' 'export timeline'; do
    profile=$profiles/${step#* }
    left=$((end - SECONDS))
    # shellcheck disable=SC2086 # the words of a command
    if [ "$left" -le 0 ] || ! timeout "$left" valgrind -q --tool=callgrind --callgrind-out-file="$profile" \
        "$build/msprof" -q $step -dir "$capture" >/dev/null; then
        echo "bench_instructions.sh: $step failed, or there was no time left of BENCH_SECONDS" >&2
        break
    fi
    echo "${step#* } $(count "$profile")"
done | awk -v operators="$operators" '
    { printf "%-10s %8d %19d %16d\n", $1, $2 / operators, $3 / operators, $4 / operators }
    { all += $2; rest += $3; own += $4 }
    END { if (NR == 3) printf "%-10s %8d %19d %16d\n", "together", all / operators, rest / operators, own / operators }'
