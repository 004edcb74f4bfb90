#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof sql: queries of the user's.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
    copy_capture JOBX
}

@test "sql prints what sqlite3 prints of the same query" {
    needs sqlite3
    query='SELECT model_name, inference_id, end_ns - start_ns AS took FROM inference ORDER BY took DESC, inference_id'
    run_msprof_into got -q sql JOBX "$query" --format csv
    expect_status 0
    sqlite3 -header -csv -newline $'\n' JOBX/sqlite/runtime.db "$query" >want
    cmp want got
    run_msprof_into json -q sql -dir JOBX "$query" --format json
    sqlite3 -json JOBX/sqlite/runtime.db "$query" >want.json
    expect_equal "$(jq -cS . json)" "$(jq -cS . want.json)"
    run_msprof_into piped -q sql JOBX - --format csv <<<"$query"
    cmp got piped
}

@test "sql imports a capture first, and of several captures prints one document" {
    cp -R JOBX JOBY
    run_msprof_into got -q sql JOBX JOBY 'SELECT count(*) AS n FROM inference' --format csv
    expect_status 0
    expect_equal "$(<got)" "capture,n
$PWD/JOBX,4
$PWD/JOBY,4"
    [ -s JOBY/sqlite/runtime.db ]
}

@test "sql only reads, and says where a query is wrong" {
    run_msprof -q import JOBX
    before=$(sha256sum JOBX/sqlite/runtime.db)
    while IFS='|' read -r query message; do
        run_msprof -q sql JOBX "$query"
        expect_status 1
        expect_equal "$output" ""
        expect_contains "$stderr" "$message"
    done <<'END'
DELETE FROM inference|query:1:1: the statement does more than read
ATTACH 'x' AS y|the statement does more than read
PRAGMA user_version = 3|the statement does more than read
SELECT * FROM nowhere|query:1:15: no such table: nowhere
SELECT 1; SELECT 2|query:1:10: a second statement; expected one query
SELECT ?1|the query has the parameter '?1'
SELECT load_extension('x')|not authorized
SELEC 1|query:1:1: near "SELEC": syntax error
 |the query is empty
SELECT 1 AS "ab"|the name of a column has an unprintable character
END
    expect_equal "$(sha256sum JOBX/sqlite/runtime.db)" "$before"
    [ ! -e x ]
}

@test "a query without rows is status 4, one that takes too long is stopped" {
    run_msprof -q sql JOBX 'SELECT 1 WHERE 0'
    expect_status 4
    expect_contains "$stderr" "JOBX': the query has no rows"
    run_msprof -q sql JOBX 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n' --report-seconds 1
    expect_status 1
    expect_contains "$stderr" "longer than 1 seconds"
}

@test "sql without a capture or a query says what it needs" {
    for words in "" "JOBX" "-dir JOBX"; do
        # shellcheck disable=SC2086 # words of a command line
        run_msprof sql $words
        expect_status 2
    done
    expect_contains "$stderr" "msprof sql CAPTURE 'SELECT ...'"
}
