# SPDX-License-Identifier: Apache-2.0
# Captures of one board whose differences are known, for the tests of diff; loaded after common.bash.
# shellcheck shell=bash disable=SC2154 # common.bash sets repository

setup() {
    enter_scratch
    make_capture=$(dirname "$(readlink -f "$MSPROF")")/make-capture
    "$make_capture" --output . --inferences 24 >made 2>/dev/null
    mv JOB* A
}

# A copy of A whose tasks scatter by 0.4 %; further arguments as jitter.py has them.
scatter() {
    local target=$1
    shift
    rm -rf "$target"
    cp -r A "$target"
    rm -rf "$target/sqlite"
    "$repository/tests/cli/jitter.py" "$target" --sigma 0.004 "$@" >records
}

# An expression of Python over the JSON that diff printed last.
json() {
    /usr/bin/python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' \
        "$BATS_TEST_TMPDIR/stdout" "$1"
}
