#!/usr/bin/env bats
# One table of show by its name: which there are, what they hold, how rows and columns are chosen.
# shellcheck disable=SC2154 # run_msprof sets stderr

load common

setup() {
    enter_scratch
    copy_capture JOBX
    "$MSPROF" import -q JOBX
}

sql() {
    sqlite3 JOBX/sqlite/runtime.db "$1"
}

@test "--table list has the answers, each with the ids of its columns, and every one can be shown" {
    run_msprof -q show JOBX --table list
    expect_status 0
    list=$output
    for name in ops types streams api steps gaps small conversions aicpu_operators; do
        expect_contains "$list" "$name "
        run_msprof_into "$BATS_TEST_TMPDIR/one" -q show JOBX --table "$name" --format json
        [ "$status" -eq 0 ] || [ "$status" -eq 4 ]
    done
}

@test "ops adds up to the time of all tasks, share first" {
    run_msprof -q show JOBX --table ops --format csv --top 100000
    expect_status 0
    expect_equal "$(head -1 <<<"$output")" "Share(%),Total(us),Count,Median(us),P95(us),Longest(us),Type,Name"
    expected=$(sql "SELECT (SELECT sum(duration_ns) FROM ai_core_task) + (SELECT coalesce(sum(duration_ns), 0) FROM ai_cpu_task)")
    python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert abs(sum(float(r["Total(us)"]) for r in rows) * 1000 - float(sys.argv[2])) < len(rows), rows
assert abs(sum(float(r["Share(%)"]) for r in rows) - 100) < 0.01 * len(rows)
times = [float(r["Total(us)"]) for r in rows]
assert times == sorted(times, reverse=True)' "$BATS_TEST_TMPDIR/stdout" "$expected"
}

@test "rows and columns are chosen by ids" {
    run_msprof -q show JOBX --table ops --columns name,total --sort name --filter 'name~res2*' --filter 'total>1us' --format csv --top 3
    expect_status 0
    expect_equal "$(head -1 <<<"$output")" "Name,Total(us)"
    expect_equal "$(tail -n +2 <<<"$output" | grep -vc '^"\?res2')" 0
    run_msprof -q show JOBX --table nothing
    expect_status 2
    expect_contains "$stderr" "--table list"
    run_msprof -q show JOBX --table ops --sort nothing
    expect_status 2
    run_msprof -q show JOBX --sort name
    expect_status 2
    expect_contains "$stderr" "--table NAME is missing"
}

@test "steps are the inferences" {
    run_msprof -q show JOBX --table steps --format csv --top 100000
    expect_equal "$(($(wc -l <"$BATS_TEST_TMPDIR/stdout") - 1))" "$(sql 'SELECT count(*) FROM inference')"
}
