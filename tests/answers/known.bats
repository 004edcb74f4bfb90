#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Tables that import keeps with the database: they are what the tasks say, and are taken of what import made alone.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # common.bash sets shared, run_msprof sets status, output and stderr

load ../cli/common
load planted

setup() {
    enter_scratch
    needs python3 sqlite3
    program PROF_1 'seed=3, sigma=0.1' <<'PY'
for step in range(12):
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100, counters=(10, 50, 5, 20, 40, 10))
    p.op('a/cast', 'Cast', 20, gap=5, core=VECTOR, stream=3)
    p.op('b/mm', 'MatMul', 200, gap=step, counters=(0, 20, 5, 20, 95, 10))
    p.communicate(us=60, back=30)
    p.copy()
    p.op('b/where', 'Where', 30, core=AI_CPU)
    p.end_step()
PY
    database=PROF_1/sqlite/runtime.db
}

# Planted programs leave out what import warns of.
quiet() {
    "$MSPROF" "$@" || [ "$?" -eq 3 ]
}

# The tables that import keeps, and the timeline with the limit of each operator, into a directory.
ask() { # directory, options of show...
    local table to=$1
    shift
    mkdir "$to"
    for table in ops bound; do
        quiet show -q PROF_1 --table "$table" "$@" >"$to/$table"
        quiet show -q PROF_1 --table "$table" --top 2 "$@" >"$to/$table.top"
        quiet show -q PROF_1 --table "$table" --format csv "$@" >"$to/$table.csv"
        quiet show -q PROF_1 --table "$table" --format json --filter "count>0" --sort name "$@" >"$to/$table.json"
    done
    quiet export timeline -q --stable-names -dir PROF_1 --output "$to"
    rm -rf "$to/sqlite" "$to/log"
}

# Lets a database look as import made it: its header counts the transactions.
pass_for_made() {
    python3 - "$database" <<'PY'
import sys
with open(sys.argv[1], 'r+b') as file:
    for place in (24, 92):
        file.seek(place)
        file.write((3).to_bytes(4, 'big'))
PY
}

@test "tables that import keeps, and the limits in the timeline, are those that the tasks give" {
    expect_equal "$(sqlite3 "$database" "SELECT group_concat(name || ' ' || columns) FROM answer")" "bound 12,ops 8"
    ask kept
    expect_contains "$(cat kept/mindstudio_profiler_output/*.json)" '"Bound":"memory"'
    sqlite3 "$database" "DELETE FROM answer; DELETE FROM answer_row"
    ask made
    diff -r kept made
}

@test "kept rows are taken as they stand, but not where another program changed the database" {
    quiet show -q PROF_1 --table ops >sound
    sqlite3 "$database" "UPDATE answer_row SET value8 = 'planted/name' WHERE name = 'ops' AND number = 1"
    expect_equal "$(quiet show -q PROF_1 --table ops)" "$(<sound)"
    pass_for_made
    expect_contains "$(quiet show -q PROF_1 --table ops)" planted/name
    for choice in "--step 2" "--from 1us" "--with-warm-up"; do
        # shellcheck disable=SC2086 # an option and its value
        expect_not_contains "$(quiet show -q PROF_1 --table ops $choice)" planted/name
    done
}

@test "kept rows that no import makes are taken for no table, or are shown, but nothing else comes of them" {
    local change
    quiet show -q PROF_1 --table bound >sound
    for change in "UPDATE answer SET columns = 11" "DELETE FROM answer" "UPDATE answer SET columns = 'x'"; do
        cp "$database" before.db
        sqlite3 "$database" "$change"
        pass_for_made
        expect_equal "$(quiet show -q PROF_1 --table bound)" "$(<sound)" "$change"
        mv before.db "$database"
    done
    for change in "value1 = NULL, value12 = NULL" "value1 = 9223372036854775807" "value1 = 9e999" "value4 = x'00ff'" \
        "value4 = 'other', value12 = 7" "number = -5 WHERE number = 1" "recorded = 1"; do
        cp "$database" before.db
        if [[ $change = recorded* ]]; then
            sqlite3 "$database" "UPDATE answer SET $change"
        else
            sqlite3 "$database" "UPDATE answer_row SET $change"
        fi
        pass_for_made
        run_msprof show PROF_1 --table bound
        expect_equal "$status" 3 "$change"
        run_msprof export timeline -dir PROF_1
        expect_equal "$status" 3 "$change"
        mv before.db "$database"
    done
}
