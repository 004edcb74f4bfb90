#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures what recording costs the program that is recorded: a mark, a range, an intercepted call of ACL; and what this
# machine's clock costs, of which a mark needs one reading and a range or a call two.
#
# usage: bench_acl.sh BUILD_DIR
#   BENCH_CALLS   calls of a round without pauses (200000); the smallest of five rounds counts
#   TMPDIR        where captures go for a while (/tmp)
#
# In bursts, of 1000 with 5 ms between them, the recorder's thread writes in the pauses. Without pauses the files are
# what limits: 40 bytes for a call, 256 for a mark or a range. Nothing is asserted about time.
set -euo pipefail

build=$(cd "$1" && pwd)
calls=${BENCH_CALLS:-200000}
directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-bench.XXXXXX")
trap 'rm -rf "$directory"' EXIT
umask 0027

line() {
    printf '%-36s %10s %14s\n' "$@"
}

line "nanoseconds" "in bursts" "without pause"
"$build/tests/bench/acl_marks" "$directory" "$calls" | while IFS=$'\t' read -r name burst round; do
    case $name in
    clock) line "reading CLOCK_MONOTONIC_RAW" "$burst" "$round" ;;
    mark) line "aclprofMark" "$burst" "$round" ;;
    *) line "range, $name" "$burst" "$round" ;;
    esac
done

IFS=$'\t' read -r mark mark_round range range_round < <(MSPROF_OUTPUT=$directory LD_PRELOAD=$build/libmsprof_preload.so \
    "$build/tests/acl/acl_mstx" measure "$calls")
line "mstxMarkA under libmsprof_preload" "$mark" "$mark_round"
line "range of mstx under it" "$range" "$range_round"

program=$build/tests/acl/acl_program
IFS=$'\t' read -r burst round < <("$program" measure "$calls")
line "call of a function of ACL" "$burst" "$round"
IFS=$'\t' read -r burst round < <(MSPROF_OUTPUT=$directory LD_PRELOAD=$build/libmsprof_preload.so "$program" measure "$calls")
line "the same under libmsprof_preload" "$burst" "$round"
