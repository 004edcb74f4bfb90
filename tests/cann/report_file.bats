#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Reports of the user's own: a text file with a query becomes a table like any other.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # common.bash sets repository and scratch; run_msprof sets status, output and stderr

load ../cli/common

setup() {
    enter_scratch
    cp -R "$repository"/testdata/small/JOB* JOBX
    chmod -R u+w JOBX
    rm -rf JOBX/sqlite JOBX/summary
}

# A report of one column with this query.
report_of() {
    printf 'report mine\ntitle Mine\ncolumn Value number\nsql\n%s\n' "$1" >mine.report
}

@test "a query that never ends is stopped after the seconds that it may take, and leaves no file" {
    report_of 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n'
    run_msprof export summary -q -dir JOBX --report-file mine.report --report-seconds 1
    expect_status 1
    expect_contains "$stderr" "mine.report:5: the query takes longer than 1 seconds"
    expect_contains "$stderr" "raise the limit with --report-seconds N"
    [ -z "$(find JOBX -name 'mine*' -o -name '.mine*')" ]
    run_msprof show -q -dir JOBX --report-file mine.report --table mine --report-seconds 1
    expect_status 1
    expect_contains "$stderr" "takes longer than 1 seconds"
}

@test "a function of SQLite that does not come back is stopped likewise, and leaves no file" {
    report_of "SELECT length(printf('%.*c', 2147483647, 'x')) + length(printf('%.*c', 2147483647, 'x')) + length(printf('%.*c', 2147483647, 'x'))"
    run_msprof export summary -q -dir JOBX --report-file mine.report --report-seconds 1
    expect_status 1
    expect_contains "$stderr" "the query takes longer than 1 seconds"
    expect_equal "$(find JOBX -name 'mine*' -o -name '.mine*' -o -name '.msprof.*.tmp')" ""
}

@test "a long title of a column is shown whole" {
    title=$(printf 'word %.0s' {1..40})end
    printf 'report mine\ncolumn "%s" number\nsql\nSELECT 1\n' "$title" >mine.report
    run_msprof show -q -dir JOBX --report-file mine.report --table mine
    expect_status 0
    expect_contains "$output" "$title"
}

@test "a function of SQLite that compares every byte with every other is bounded by the length of its texts" {
    report_of "SELECT instr(hex(zeroblob(20000000)), hex(zeroblob(10000000)) || 'b')"
    run_msprof show -q -dir JOBX --report-file mine.report --table mine
    expect_status 1
    expect_contains "$stderr" "mine.report:5:1: string or blob too big"
    report_of "SELECT instr(printf('%.*c', 100000, 'a'), printf('%.*c', 50000, 'a') || 'b')"
    run_msprof show -q -dir JOBX --report-file mine.report --table mine --format csv
    expect_status 0
    expect_equal "$output" "Value
0"
    for compared in "LIKE '%'" "GLOB '*'"; do # minutes, if it began
        report_of "SELECT printf('%.*c', 100000, 'a') $compared || printf('%.*c', 45000, 'a') || 'b'"
        run_msprof show -q -dir JOBX --report-file mine.report --table mine
        expect_status 1
        expect_contains "$stderr" "mine.report:5:1: LIKE or GLOB pattern too complex"
    done
}

@test "a query of heavy functions is stopped in time, wherever it spends it, and leaves no file" {
    a="printf('%.*c', 130000, 'a')"
    numbers='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
    heavy=("SELECT length(trim($a, printf('%.*c', 8000, 'b') || 'a'))" # the longest single call: about two seconds
        "$numbers SELECT sum(trim($a, printf('%.*c', 8000, 'b') || 'a') = i) FROM n"
        "$numbers SELECT group_concat('') FROM n"
        "$numbers SELECT sum($a LIKE '%' || printf('%.*c', 990, 'a') || i) FROM n"
        "$numbers SELECT sum(instr($a, printf('%.*c', 64000, 'a') || i)) FROM n"
        "$numbers SELECT max(printf('%130000d', i)) FROM n"
        "$numbers SELECT i FROM n ORDER BY random()"
        "$numbers SELECT sum(i) OVER (ORDER BY -i) FROM n"
        "$numbers SELECT DISTINCT i % 2 FROM n")
    for query in "${heavy[@]}"; do
        report_of "$query"
        SECONDS=0
        run_msprof export summary -q -dir JOBX --report-file mine.report --report-seconds 1
        expect_status 1
        expect_contains "$stderr" "mine.report:5: the query takes longer than 1 seconds"
        [ "$SECONDS" -lt 180 ] # 3 s at most, and room for sanitizers on a busy machine; without the limit it is hours
        expect_equal "$(find JOBX . -name '*mine.csv' -o -name '.msprof.*')" ""
    done
}

@test "a query whose parts name each other twice is refused before it takes the memory of the machine" {
    shapes=('SELECT x FROM %s UNION ALL SELECT x FROM %s' 'SELECT a.x FROM %s a, %s b'
        'SELECT (SELECT x FROM %s) + (SELECT x FROM %s)')
    for shape in "${shapes[@]}"; do
        query='WITH t0(x) AS (SELECT 1)'
        for i in {1..30}; do
            # shellcheck disable=SC2059 # the shape is the format
            query+=", t$i(x) AS ($(printf "$shape" "t$((i - 1))" "t$((i - 1))"))"
        done
        report_of "$query SELECT x FROM t30"
        run_msprof export summary -q -dir JOBX --report-file mine.report
        expect_status 1
        expect_contains "$stderr" "mine.report:5: the query takes more than 64 MiB of memory"
        expect_contains "$stderr" "use fewer parts of it twice"
        expect_equal "$(find JOBX . -name '*mine.csv' -o -name '.msprof.*')" ""
    done
}

@test "the example of the manual becomes a table of the summary and of show" {
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from prof import *
p = Prof("PROFX")
for i, duration in enumerate((3000, 1000, 500)):
    p.launch(i * 200, 2, i, "op%d" % i)
    p.ran(10000 * (i + 1), 10000 * (i + 1) + duration, 2, i)
p.write()
END
    sed -n '/^# Which types/,/^\.Ed/{/^\.Ed/d;p;}' "$repository/man/msprof-report.5" >slow_types.report
    command=$(sed -n 's/^\.Dl msprof \(export summary.*slow_types.*\)/\1/p' "$repository/man/msprof-report.5")
    # shellcheck disable=SC2086 # the words of the command
    run_msprof $command --stable-names
    expect_status 0
    expect_equal "$(cat PROFX/mindstudio_profiler_output/slow_types.csv)" "OP Type,Count,Longest(us),Longest / mean
Type,3,3,2.00"
    run_msprof show -dir PROFX --report-file slow_types.report --table slow_types --format csv --sort count
    expect_status 0
    expect_equal "$output" "OP Type,Count,Longest(us),Longest / mean
Type,3,3,2.00"
    run_msprof show -dir PROFX --report-file slow_types.report --table list
    expect_contains "$output" "slow_types               Slowest run of each type
    op_type count longest"
    run_msprof show -dir PROFX --report-file slow_types.report
    expect_status 0
    expect_contains "$output" "Slowest run of each type :"
    expect_contains "$output" "│ Type    │     3 │           3 │           2.00 │"
}

@test "reports are found in the user's directory, and every family of captures has them" {
    mkdir -p "$XDG_CONFIG_HOME/msprof/reports"
    report_of 'SELECT count(*) > 0 FROM source_file'
    mv mine.report "$XDG_CONFIG_HOME/msprof/reports/"
    run_msprof export summary -dir JOBX --format json
    expect_status 0
    expect_equal "$(tr -d ' \n' <JOBX/summary/mine.json)" '[{"Value":1}]'
}

@test "a query can read and nothing else" {
    for query in "ATTACH 'other.db' AS other" "PRAGMA user_version" "DELETE FROM name" "CREATE TEMP TABLE t(a)" \
        "INSERT INTO name VALUES(1, 'a')" "SELECT name FROM pragma_table_info('name')" "VACUUM INTO 'copy.db'"; do
        report_of "$query"
        run_msprof export summary -dir JOBX --report-file mine.report
        expect_status 1
        expect_contains "$stderr" "mine.report:5:1: "
        [ ! -e JOBX/summary/mine.csv ]
        [ ! -e other.db ]
        [ ! -e copy.db ]
    done
    for function in "load_extension('x')" "fts3_tokenizer('simple')" "FTS3_TOKENIZER('simple', x'4141414141414141')"; do
        report_of "SELECT $function"
        run_msprof export summary -dir JOBX --report-file mine.report
        expect_status 1
        expect_contains "$stderr" "mine.report:5:8: not authorized to use function"
    done
    report_of 'SELECT ?1'
    run_msprof export summary -dir JOBX --report-file mine.report
    expect_status 1
    expect_contains "$stderr" "mine.report:5:1: the query has the parameter '?1', which has no value"
}

@test "a query without an end ends at an interrupt, and leaves no file" {
    report_of 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
    "$MSPROF" import -q -dir JOBX
    run_interrupted INT 0.3 "$MSPROF" export summary -q -dir JOBX --report-file mine.report 2>errors
    expect_status 130
    expect_contains "$(<errors)" "interrupted by SIGINT"
    expect_equal "$(find JOBX/summary -name '*mine*' -o -name '*.tmp')" ""
}

@test "a column has a unit, names of its numbers, a name for options and a sentence" {
    printf '%s\n' 'report mine' 'column What text names marks id kind -- The kind of mark.' \
        'column "Took(us)" scaled-fixed 3 ns narrow -- Its time.' sql 'SELECT 1, 2500 UNION ALL SELECT 0, 900' >mine.report
    run_msprof show -q -dir JOBX --report-file mine.report --table mine --format csv --columns kind,took --filter 'took>1us'
    expect_status 0
    expect_equal "$output" "What,Took(us)
push/pop,2.500"
}

@test "mistakes are told with file, line and column" {
    check() { # text of the file, message
        printf '%b' "$1" >bad.report
        run_msprof export summary -dir JOBX --report-file bad.report
        expect_status 1
        expect_contains "$stderr" "$2"
    }
    check 'report Mine\n' 'bad.report:1:8: a name is made of'
    check 'report mine\ncolumn "A B" shorter 3\n' 'bad.report:2:14: unknown format'
    check 'report mine\ncolumn A fixed x\n' 'bad.report:2:16: expected the number of decimals'
    check 'report mine\ncolumn A text wide\n' 'bad.report:2:15: expected narrow, hidden'
    check 'report mine\ncolumn A text names colours\n' 'bad.report:2:21: expected marks, tasks'
    check 'report mine\ncolumn A text id\n' 'bad.report:2:17: expected the name that --columns'
    check 'report mine\nfamilies cann\n' 'bad.report:2:1: expected report, title'
    check 'report mine\ncolumn "A\n' 'bad.report:2:8: missing closing quote'
    check 'report mine\n  colour A\n' 'bad.report:2:3: expected report, title, doc, column or sql'
    check 'report mine\ncolumn A\nsql\nSELECT 1\n  FROM nowhere\n' 'bad.report:5:8: no such table: nowhere'
    check 'report mine\ncolumn A\nsql\nSELECT 1, 2\n' 'bad.report:4:1: the query returns 2 columns, but the report has 1'
    check 'report mine\ncolumn A\nsql\nSELECT 1; SELECT 2\n' 'bad.report:4:10: a second statement'
    check '# mine\nreport  op_summary\ncolumn A\nsql\nSELECT 1\n' \
        "bad.report:2:9: another report has this name already"
    check 'report mine\nsql\nSELECT 1\n' 'the report has no column'
    check 'column A\nsql\nSELECT 1\n' 'the report has no name'
}

@test "directories of reports and of layouts that cannot be read are a warning" {
    [ "$(id -u)" -ne 0 ] || skip "root reads everything"
    for directory in reports layouts; do
        mkdir -p "$XDG_CONFIG_HOME/msprof/$directory"
        chmod 000 "$XDG_CONFIG_HOME/msprof/$directory"
    done
    run_msprof export summary -dir JOBX
    chmod 700 "$XDG_CONFIG_HOME"/msprof/*
    expect_status 0
    expect_contains "$stderr" "msprof/reports', skipped: "
    expect_contains "$stderr" "msprof/layouts', skipped: "
}

@test "three hundred reports of the user's own are all made" {
    mkdir -p "$XDG_CONFIG_HOME/msprof/reports"
    for number in {1..300}; do
        printf 'report mine%s\ntitle Mine\ncolumn Value number\nsql\nSELECT %s\n' "$number" "$number" \
            >"$XDG_CONFIG_HOME/msprof/reports/$number.report"
    done
    run_msprof export summary -dir JOBX
    expect_status 0
    for number in {1..300}; do
        [ "$(sed -n 2p "JOBX/summary/mine$number.csv")" = "$number" ]
    done
}

@test "a report of more columns than a table can have is refused, and nothing else is lost" {
    {
        printf 'report mine\ntitle Mine\n'
        printf 'column C%s number\n' {1..129}
        printf 'sql\nSELECT 1'
        printf ', %s' {2..129}
        echo
    } >mine.report
    run_msprof export summary -dir JOBX --report-file mine.report
    expect_status 1
    expect_contains "$stderr" "mine.report:131:1: more than 128 columns"
    [ ! -e JOBX/summary/mine.csv ]
    sed -i '/^column C129 /d; s/, 129$//' mine.report
    run_msprof export summary -dir JOBX --report-file mine.report
    expect_status 0
    expect_equal "$(sed -n 2p JOBX/summary/mine.csv | tr ',' '\n' | wc -l)" 128
}

@test "control characters come neither out of a directory's name nor into a report of a user" {
    cp -r "$repository"/testdata/cann/prof-910b/PROF_* $'PROF_\e[31m'
    cp -r "$repository"/testdata/cann/prof-910b/PROF_* PROF_2
    run_msprof show $'PROF_\e[31m' PROF_2
    [[ $output != *$'\e'* ]]
    expect_contains "$output" "Capture : "
    printf 'report bad\ntitle "a\e[31mb"\n' >bad.report
    run_msprof export summary -dir PROF_2 --report-file bad.report
    [ "$status" -ne 0 ]
    expect_contains "$stderr" "bad.report:2:9: a control character"
}
