#!/bin/bash
# usage: tools/torture.sh [--stride N] [--kills N] [--seed N]
# Fails every N-th allocation (1: every one) and every read, write and rename once, over import, both exports and show; then
# kill -9 at random moments (500) of import, both exports and run, each followed by the same command again. Prints how many
# points were tried; ends at the first crash, the first status 0 with a missing or other result, the first file that is left.
# MSPROF_BUILD names the build (build/release). Not part of the tests: with the defaults it takes an hour.
set -eu

stride=1 kills=500 seed=1
while [ $# -gt 0 ]; do
    case $1 in
    --stride) stride=$2 ;;
    --kills) kills=$2 ;;
    --seed) seed=$2 ;;
    *)
        sed -n '2,3p' "$0" >&2
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
export PYTHONPATH=$root/tests/lib PYTHONDONTWRITEBYTECODE=1
flags=()
if ldd "$build/msprof" | grep -Eq 'lib(a|t)san'; then
    flags=(-DWITHOUT_MEMORY)
fi
${CC:-cc} "${flags[@]}" -std=c17 -D_GNU_SOURCE -O1 -shared -fPIC -o "$scratch/faults.so" tests/faults/faults.c -ldl
cd "$scratch"
commands=("import" "export timeline" "export summary" "show")
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
        python3 "$root/tests/faults/inject.py" "$build/msprof" "$scratch/faults.so" "$call" "$each" $command
    done
done
[ "$kills" -gt 0 ] || exit 0
for command in "import" "export timeline" "export summary" "run $build/tests/acl/acl_program nest"; do
    # shellcheck disable=SC2086 # a command of several words
    python3 "$root/tests/faults/kill.py" "$build/msprof" "$kills" "$seed" $command
done
