#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Whatever values stand in the database of a capture of CANN, every command ends with a status of its own: no crash, no
# undefined arithmetic (the sanitizers' build tells of it), no hang.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets repository
bats_require_minimum_version 1.5.0
load ../cli/common
load ../cli/extremes

@test "extreme integers in the database of a capture of 2022" {
    python3 "$repository/tests/cann/lib/prof_2022.py" PROF_1 3 7
    bear_extremes PROF_1
}

@test "extreme integers in the database of a capture since 2023" {
    python3 -c 'import damage; damage.sound()'
    bear_extremes PROF_1
}

@test "calls that are said to be inside of each other, all around, do not keep export db" {
    needs sqlite3
    python3 -c 'import damage; damage.sound()'
    "$MSPROF" import -q PROF_1
    for parent in id "id + 1" "(SELECT max(id) FROM host_call)"; do
        sqlite3 PROF_1/sqlite/runtime.db "UPDATE host_call SET parent_id = $parent;
            UPDATE host_call SET parent_id = 1 WHERE parent_id NOT IN (SELECT id FROM host_call)"
        run bash -c 'ulimit -t 120; exec "$@"' bash "$MSPROF" export db -q --output results PROF_1
        [ "$status" -eq 0 ]
        [ -z "$output" ]
        rm -rf results
    done
}
