#!/usr/bin/env bats
# The metamorphic suite in small; 'make metamorphic' runs all of it (tests/metamorphic/metamorphic.py says what it compares).
# shellcheck disable=SC2154 # common.bash sets MSPROF and repository

load ../cli/common

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
}

@test "what must not change the outputs does not, and what is done to one file of a capture is told or has its effect alone" {
    run python3 -B "$repository/tests/metamorphic/metamorphic.py" "$MSPROF" work --small --capture prof-910b
    [ "$status" -eq 0 ] || { echo "$output" >&2; return 1; }
    [[ $output == *"all: "*" pairs, 0 silent"* ]]
}

@test "no file of any kind is counted twice under two names" {
    for capture in resnet50 system-910b 2022-310 job-910a; do
        run python3 -B "$repository/tests/metamorphic/metamorphic.py" "$MSPROF" work --small --only twice --capture "$capture"
        [ "$status" -eq 0 ] || { echo "$output" >&2; return 1; }
        [[ $output == *" told"* ]]
    done
}
