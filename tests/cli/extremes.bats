#!/usr/bin/env bats
# Whatever integers stand in a database, every command ends with a status of its own: no crash, no undefined arithmetic (the
# sanitizers' build tells of it), no hang.

# shellcheck disable=SC2154 # common.bash sets repository
bats_require_minimum_version 1.5.0
load common

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
    export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$repository/tests/lib:$repository/tests/cann/lib
}

bear_extremes() { # capture
    "$MSPROF" import -q -dir "$1"
    python3 "$repository/tests/faults/extremes.py" "$MSPROF" "$PWD/$1" --quick
}

@test "extreme integers in the database of a board's capture" {
    python3 -c 'import capture; capture.svp("JOBX")'
    bear_extremes JOBX
}

@test "extreme integers in the database of a capture of 2020" {
    python3 -c 'import capture; capture.ascend("JOBX")'
    bear_extremes JOBX
}

@test "extreme integers in the database of a capture of 2022" {
    python3 "$repository/tests/cann/lib/legacy_prof.py" PROF_1 3 7
    bear_extremes PROF_1
}

@test "extreme integers in the database of a capture since 2023" {
    python3 -c 'import damage; damage.sound()'
    bear_extremes PROF_1
}
