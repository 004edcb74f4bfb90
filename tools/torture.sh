#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: tools/torture.sh [--stride N] [--kills N] [--seed N]
# Fails every N-th allocation (1: every one) and every read, write and rename once, over import, both exports, show,
# collect (from an SSH server of its own) and run (of msprof, and of the program that it records); breaks into a collect
# at each command that it has the board run, by cut connections and signals; fails the system's calls by kind, file and error
# (EVERY_CALL=all: every one); then kill -9 at random moments (500) of
# import, both exports, run and collect, each followed by the same command again. Prints how many points were tried, and
# each crash, status 0 with a missing or other result, and file that is left; fails when there is one.
# MSPROF_BUILD names the build (build/release). Not part of the tests: with the defaults it takes an hour.
set -eu

stride=1 kills=500 seed=1
while [ $# -gt 0 ]; do
    case $1 in
    --stride) stride=$2 ;;
    --kills) kills=$2 ;;
    --seed) seed=$2 ;;
    *)
        sed -n '/^# usage/,/^[^#]/{/^#/p;}' "$0" >&2
        exit 2
        ;;
    esac
    shift 2
done
cd "$(dirname "$0")/.."
root=$PWD
build=$(realpath "${MSPROF_BUILD:-build/release}")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/msprof-torture.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export PYTHONPATH=$root/tests/lib:$root/tests/faults PYTHONDONTWRITEBYTECODE=1
flags=() failed=0
if ldd "$build/msprof" | grep -Eq 'lib(a|t)san'; then
    flags=(-DWITHOUT_MEMORY)
fi
${CC:-cc} "${flags[@]}" -std=c17 -D_GNU_SOURCE -O1 -shared -fPIC -o "$scratch/faults.so" tests/faults/faults.c -ldl
cd "$scratch"
commands=("import" "export timeline" "export summary" "show" "collect")
for command in "${commands[@]}"; do
    for call in memory read write rename; do
        if [ "$call" = memory ] && [ ${#flags[@]} -gt 0 ]; then
            continue # a sanitizer has its own allocator
        fi
        case "$command $call" in
        "show write" | "show rename") continue ;; # it writes nothing
        esac
        each=1
        [ "$call" != memory ] || each=$stride
        # shellcheck disable=SC2086 # a command of several words
        rm -rf board
        # shellcheck disable=SC2086 # the words of a command
        python3 "$root/tests/faults/inject.py" "$build/msprof" "$scratch/faults.so" "$call" "$each" $command || failed=1
    done
done
for program in msprof acl_program; do
    for call in memory read write rename; do
        case "$program $call" in
        "acl_program read") continue ;; # it reads nothing
        esac
        each=1
        if [ "$call" = memory ]; then
            [ ${#flags[@]} -eq 0 ] || continue
            each=$stride
        fi
        FAULT_PROGRAM=$program python3 "$root/tests/faults/inject.py" "$build/msprof" "$scratch/faults.so" "$call" "$each" \
            run "$build/tests/acl/acl_program" nest || failed=1
    done
done
for how in cut after gone HUP INT TERM KILL; do
    rm -rf board
    python3 "$root/tests/faults/exchange.py" "$build/msprof" "$how" 1 || failed=1
done
${CC:-cc} -std=gnu17 -D_GNU_SOURCE -O1 -o "$scratch/every_call" "$root/tests/faults/every_call.c"
testdata=$root/testdata
for command in "$testdata/small/JOB* import X" "$testdata/cann/prof-910b/PROF* export summary X --stable-names" \
    "$testdata/cann/prof-910b/PROF* export timeline X --stable-names" "$testdata/frameworks/run_ascend_pt analyse X" \
    "$testdata/frameworks/run_ascend_pt cluster X" "$testdata/resnet50/JOB* collect"; do
    # shellcheck disable=SC2086 # a command of several words
    EVERY_CALL=${EVERY_CALL:-2} python3 "$root/tests/faults/every_call.py" "$build/msprof" "$scratch/every_call" "$scratch" $command ||
        failed=1
done
[ "$kills" -gt 0 ] || exit "$failed"
for command in "import" "export timeline" "export summary" "run $build/tests/acl/acl_program nest" "collect"; do
    # shellcheck disable=SC2086 # a command of several words
    rm -rf board
    # shellcheck disable=SC2086 # the words of a command
    python3 "$root/tests/faults/kill.py" "$build/msprof" "$kills" "$seed" $command || failed=1
done
exit "$failed"
