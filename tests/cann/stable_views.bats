#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Views with stable names in the database, and queries over several captures.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3 sqlite3
}

@test "views of every shipped capture have the columns of the manual and the figures of show's tables" {
    checked=0
    for capture in "$repository"/testdata/{cann,small,resnet50}/*/[PJ]*/ "$repository"/testdata/{small,resnet50}/JOB*/ \
        "$repository"/testdata/opprof/*/ "$repository"/testdata/frameworks/*/PROF*/; do
        [ -d "$capture" ] || continue
        rm -rf PROF_1
        cp -R "$capture" PROF_1
        chmod -R u+w PROF_1
        python3 "$BATS_TEST_DIRNAME/stable_views.py" "$MSPROF" "$repository/man/msprof-schema.5" PROF_1
        checked=$((checked + 1))
    done
    [ "$checked" -ge 13 ]
}

@test "views hide warm-up in sql as tables do, and show it with --with-warm-up" {
    capture <<'END'
p.warm_up = 55000
for i in range(10):
    p.launch(10000 * i, 1, i, 'op%d' % i)
    p.ran(10000 * i + 13000, 10000 * i + 15000, 1, i)
END
    run_msprof -q sql PROF_1 'SELECT count(*) AS n FROM op' --format csv
    expect_equal "$output" $'n\n6'
    run_msprof -q sql PROF_1 'SELECT count(*) AS n FROM op' --format csv --with-warm-up
    expect_equal "$output" $'n\n10'
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db 'SELECT count(*) FROM op')" 10
    cp -R PROF_1 PROF_2
    run_msprof sql PROF_1 PROF_2 'SELECT count(*) AS n FROM PROF_1.op' --format csv
    expect_equal "$output" $'n\n10'
    expect_contains "$stderr" "PROF_1' has records of warm-up, which a query over several captures reads, too"
}

@test "a query that names captures is run once over all of them, and one that does not on each" {
    copy_capture JOBX
    copy_family prof-910b PROF_1
    query='SELECT (SELECT count(*) FROM JOBX.op) AS one, (SELECT count(*) FROM prof_1.op) AS other'
    run_msprof_into got -q sql JOBX PROF_1 "$query" --format csv
    expect_status 0
    expect_equal "$(<got)" $'one,other\n'"$(sqlite3 JOBX/sqlite/runtime.db 'SELECT count(*) FROM op'),$(sqlite3 \
        PROF_1/sqlite/runtime.db 'SELECT count(*) FROM op')"
    run_msprof_into json -q sql JOBX PROF_1 "$query" --format json
    expect_equal "$(jq 'length' json)" 1
    run_msprof -q sql JOBX PROF_1 'SELECT count(*) AS n FROM op' --format csv
    expect_equal "$(head -n 1 <<<"$output")" capture,n
    expect_equal "$(wc -l <<<"$output")" 3
    run_msprof -q sql JOBX PROF_1 'SELECT 1 FROM JOBX.op WHERE 0'
    expect_status 4
}

@test "names of captures become names of schemas, and those that are alike are numbered" {
    mkdir a b
    copy_capture 'a/JOB-X 1'
    copy_capture a/JOBY
    cp -R a/JOBY b/joby
    mv b/joby b/JOBY
    run_msprof -v sql a b 'SELECT (SELECT count(*) FROM JOB_X_1.op) + (SELECT count(*) FROM "JOBY".op) -
        2 * (SELECT count(*) FROM JOBY_2.op) AS n' --format csv
    expect_status 0
    expect_equal "$output" $'n\n0'
    expect_contains "$stderr" "the query reads JOB_X_1, JOBY, JOBY_2"
}

@test "a query over several captures only reads, names each table's capture, and uses no clock of one of them" {
    copy_capture JOBX
    cp -R JOBX JOBY
    run_msprof -q import JOBX JOBY
    before=$(sha256sum JOBX/sqlite/runtime.db JOBY/sqlite/runtime.db)
    while IFS='|' read -r query message; do
        run_msprof -q sql JOBX JOBY "$query"
        expect_status 1
        expect_equal "$output" ""
        expect_contains "$stderr" "$message"
        expect_contains "$stderr" "cannot run the query on 'the captures': query:1"
    done <<'END'
SELECT count(*) FROM JOBX.op, op|table 'op' lacks the name of its capture, which a query over several needs; expected CAPTURE.op
DELETE FROM JOBX.inference|query:1:1: the statement does more than read
DETACH JOBX; SELECT 1 FROM JOBX.op|the statement does more than read
SELECT exact_ns(0, 1) FROM JOBX.op|not authorized to use function: exact_ns
SELECT 1 FROM JOBX.op, JOBZ.op|query:1:24: no such table: JOBZ.op
WITH RECURSIVE n(i) AS (SELECT 1 FROM JOBX.op UNION ALL SELECT i + 1 FROM n) SELECT replace(hex(zeroblob(200000)), '0', 'x')|string or blob too big
END
    expect_equal "$(sha256sum JOBX/sqlite/runtime.db JOBY/sqlite/runtime.db)" "$before"
    run_msprof -q sql JOBX JOBY 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n, JOBX.op' --report-seconds 1
    expect_status 1
    expect_contains "$stderr" "longer than 1 seconds"
}

@test "more captures than SQLite joins are an error that says how many it joins" {
    copy_capture JOB01
    for i in {02..20}; do cp -R JOB01 "JOB$i"; done
    most=$(sqlite3 :memory: 'PRAGMA compile_options' | sed -n 's/^MAX_ATTACHED=//p')
    [ "${most:-10}" -lt 20 ] || skip "SQLite joins 20 databases here"
    run_msprof -q sql . 'SELECT count(*) FROM JOB01.op'
    expect_status 1
    expect_contains "$stderr" "a query over 20 captures; SQLite joins at most ${most:-10}"
}

@test "a capture that cannot be written to is joined from its temporary database" {
    [ "$(id -u)" -ne 0 ] || skip "root writes everywhere"
    copy_capture JOBX
    cp -R JOBX JOBY
    chmod -R a-w JOBX
    run_msprof -q sql JOBX JOBY 'SELECT (SELECT count(*) FROM JOBX.op) - (SELECT count(*) FROM JOBY.op) AS n' --format csv
    chmod -R u+w JOBX
    expect_status 0
    expect_equal "$output" $'n\n0'
}

@test "a path with characters of a URI is attached as it is" {
    mkdir 'a?mode=rwc#%41'
    copy_capture 'a?mode=rwc#%41/JOBX'
    copy_capture JOBY
    run_msprof -q sql 'a?mode=rwc#%41/JOBX' JOBY 'SELECT (SELECT count(*) FROM JOBX.op) - (SELECT count(*) FROM JOBY.op) AS n' --format csv
    expect_status 0
    expect_equal "$output" $'n\n0'
}
