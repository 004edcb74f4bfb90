#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One table of show by its name: which there are, what they hold, how rows and columns are chosen.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load common

setup_file() {
    copy_capture "$BATS_FILE_TMPDIR/JOBX"
    "$MSPROF" import -q "$BATS_FILE_TMPDIR/JOBX"
}

# Its own copy of the imported capture for each test; equal times, so that the database is current.
setup() {
    enter_scratch
    cp -a "$BATS_FILE_TMPDIR/JOBX" .
}

sql() {
    sqlite3 JOBX/sqlite/runtime.db "$1"
}

@test "--table list has the answers, each with the ids of its columns, and every one can be shown" {
    run_msprof -q show JOBX --table list --all
    expect_status 0
    list=$output
    for name in summary ops types gaps steps streams api overlap bound small conversions aicpu communication memory; do
        expect_contains "$list" "$name "
        run_msprof_into "$BATS_TEST_TMPDIR/one" -q show JOBX --table "$name" --format json
        [ "$status" -eq 0 ] || [ "$status" -eq 4 ]
    done
}

@test "--table list needs no capture, and then tells which captures have a table" {
    run_msprof -q show --table list
    expect_status 0
    list=$output
    for name in summary ops types gaps steps streams api overlap bound small conversions aicpu communication memory; do
        expect_equal "$(grep -cE "^$name +[A-Z][^()]*$" <<<"$list")" 1
    done
    expect_equal "$(grep -A1 '^ops ' <<<"$list" | tail -1)" "    share total count median p95 longest type name"
    expect_contains "$list" "Tasks of the AI core (of SVP boards)"
    run_msprof -q show --table ops
    expect_status 2
    expect_contains "$stderr" "no capture given"
}

@test "a number is compared with a number" {
    for filter in 'total>nan' 'total<inf' 'total>100xs' 'total>' 'count<=many'; do
        run_msprof -q show JOBX --table ops --filter "$filter"
        expect_status 2
        expect_contains "$stderr" "expected a number after '${filter%%[<>]*}'"
    done
    run_msprof -q show JOBX --table ops --filter 'name>p' --filter 'total>0.1ms' --format csv --columns name
    expect_status 0
    expect_equal "$(tail -n +2 <<<"$output" | grep -vcE '^"?[p-z]')" 0
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
    expect_contains "$stderr" "add --table NAME"
}

@test "overlap has a row for each inference" {
    run_msprof -q show JOBX --table overlap --format csv
    expect_equal "$(($(wc -l <"$BATS_TEST_TMPDIR/stdout") - 1))" "$(sql 'SELECT count(*) FROM inference')"
}

@test "--table list has an id for each title, in lower case without the unit, by which the column is found" {
    run_msprof -q show JOBX --table list
    expect_equal "$(grep -A1 '^ops ' <<<"$output" | tail -1)" "    share total count median p95 longest type name"
    for name in ops steps gaps api bound memory overlap; do
        for id in $("$MSPROF" show -q JOBX --table list | grep -A1 "^$name " | tail -1); do
            run_msprof_into "$BATS_TEST_TMPDIR/one" -q show JOBX --table "$name" --columns "$id" --sort "$id,desc" --top 1
            [ "$status" -eq 0 ]
        done
    done
}

@test "a table has no rules, numbers to the right, one unit a table, share first and name last" {
    run_msprof -q show JOBX --table ops --top 3
    expect_status 0
    expect_equal "$output" "$(printf '%s\n' \
        'Share(%)  Total(us)  Count  Median(us)  P95(us)  Longest(us)  Type         Name' \
        '   12.15   3106.167      4     776.083  788.167      788.167  Fc           bbox_pred' \
        '    5.43   1389.469      4     346.991  377.637      377.637  Preprocess   colour_convert' \
        '    3.68    941.167      4     235.083  238.333      238.333  Convolution  res5a_branch2b' \
        'and 59 more (--top N)')"
    run_msprof -q show JOBX --table api --top 2 --columns self,count,function
    expect_equal "$output" "$(printf '%s\n' 'Self(ms)  Count  Function' ' 314.465      1  svp_acl_mdl_load_from_mem' \
        ' 120.072     20  svp_acl_mdl_execute' 'and 20 more (--top N)')"
    # all times of a table have the same unit: that in which the shortest can be read, and that of points in time
    for table in api overlap gaps steps acl_statistic op_statistic; do
        run_msprof -q show JOBX --table "$table"
        expect_equal "$(head -1 <<<"$output" | grep -o '([mu]*s)' | sort -u)" "(us)"
    done
}

@test "a terminal gets 20 rows and the number of the others, a pipe in another format all" {
    run_msprof -q show JOBX --table ops
    expect_equal "$(wc -l <"$BATS_TEST_TMPDIR/stdout")" 22
    expect_equal "$(tail -1 <<<"$output")" "and 42 more (--top N)"
    run_msprof_into all -q show JOBX --table ops --filter 'total>400us' --format csv
    run_msprof -q show JOBX --table ops --filter 'total>400us' --sort count --top 3
    expect_equal "$(tail -1 <<<"$output")" "and $(($(wc -l <all) - 4)) more (--top N)"
    for format in csv json markdown; do
        run_msprof -q show JOBX --table ops --format "$format"
        expect_equal "$(grep -c res "$BATS_TEST_TMPDIR/stdout")" "$("$MSPROF" show -q JOBX --table ops --top 1000 | grep -c res)"
    done
}

# bats test_tags=once
@test "every table fits any width from 60 columns on" {
    for name in $("$MSPROF" show -q JOBX --table list | grep -v '^ ' | cut -d' ' -f1); do
        for width in 60 61 75 100 140; do
            run_msprof -q show JOBX --table "$name" --width "$width"
            [ "$status" -eq 4 ] && continue
            expect_status 0
            [ "$(wc -L <"$BATS_TEST_TMPDIR/stdout")" -le "$width" ] || { printf '%s %s\n%s\n' "$name" "$width" "$output" >&2; return 1; }
        done
    done
}

# What a command prints on a terminal of 80 columns.
at_80_columns() {
    script -qec "stty cols 80 rows 25; $(printf '%q ' "$MSPROF" "$@") 2>/dev/null" /dev/null | tr -d '\r'
}

@test "on a terminal of 80 columns every text and table fits, and keeps the quantity that was asked for" {
    command -v script >/dev/null || skip "script(1) is not installed"
    export TERM=dumb
    unset COLUMNS
    cp -r "$repository"/testdata/cann/prof-910b/PROF_* PROF
    cp -r "$repository"/testdata/frameworks/run_ascend_pt PT
    for capture in JOBX PROF PT; do
        for command in "show $capture" "show $capture --table list --all" "advise $capture" "diff $capture $capture"; do
            # shellcheck disable=SC2086 # words
            at_80_columns $command >printed
            [ -s printed ]
            grep -v '^Capture : ' printed >lines
            [ "$(wc -L <lines)" -le 80 ] || { printf '%s\n' "$command" >&2; cat printed >&2; return 1; }
        done
    done
    at_80_columns advise --list >printed
    [ "$(wc -L <printed)" -le 80 ]
    while IFS=: read -r capture table title; do
        at_80_columns show "$capture" --table "$table" >printed
        [ "$(grep -v '^Capture : ' printed | wc -L)" -le 80 ]
        sed '/^(left out/,$d' printed >shown
        grep -qE "$title" shown || { printf '%s %s\n' "$capture" "$table" >&2; cat printed >&2; return 1; }
        ! sed -n '/^(left out/,$p' printed | grep -qF "$title(" || { cat printed >&2; return 1; }
    done <<'END'
JOBX:op_summary:Time
JOBX:op_statistic:Total
JOBX:ops:Total
JOBX:bound:Share
JOBX:overlap:Exposed
JOBX:overlap:Free
PROF:op_summary:Duration
PROF:op_statistic:Total
PROF:task_time:task_time
PROF:gaps:Length
PT:overlap:Exposed
PT:overlap:Free
PT:overlap_analysis:Overlapped
PT:steps:Median
PT:communication:Total
END
}

@test "a table lists what it leaves out when it is too narrow" {
    run_msprof -q show JOBX --table ops --width 60
    expect_contains "$output" "(left out at this width: P95(us), Longest(us), Type)"
    LC_ALL=C run_msprof -q show JOBX --table ops --top 60 --width 60
    expect_equal "$(LC_ALL=C grep -cP '[^\x00-\x7f]' "$BATS_TEST_TMPDIR/stdout")" 0
}

@test "names are cut on a terminal only, in the middle, never in a pipe" {
    command -v script >/dev/null || skip "script(1) is not installed"
    long=$(printf 'beginning%0200dend' 0)
    sed -i "s/bbox_pred/$long/" JOBX/data/*.layer.info
    COLUMNS=70 run_msprof -q show JOBX --table ops --top 1
    expect_contains "$output" "$long"
    script -qec "stty cols 70; TERM=xterm '$MSPROF' show -q JOBX --table ops --top 1" /dev/null | tr -d '\r' >shown
    expect_contains "$(<shown)" "beginning"
    expect_contains "$(<shown)" "…"
    expect_contains "$(<shown)" "end"
    [ "$(wc -L <shown)" -le 70 ]
}

@test "sentences of the summary go on in the next line on a terminal, and lose nothing" {
    run_msprof -q show JOBX --table summary
    # each line without its item, and blanks as one: at any width the same words
    words() { cut -c 24- | tail -n +2 | tr -s ' \n' '  '; }
    local whole
    whole=$(words <<<"$output")
    for width in 60 80 100; do
        run_msprof -q show JOBX --table summary --width "$width"
        [ "$(wc -L <<<"$output")" -le "$width" ]
        expect_equal "$(words <<<"$output")" "$whole"
        expect_equal "$(grep -c '^Finding [1-4]  ' <<<"$output")" 4
    done
}

@test "on a terminal the pager shows it, as git does it; nothing in a pipe, with --no-pager or PAGER=cat" {
    command -v script >/dev/null || skip "script(1) is not installed"
    # shellcheck disable=SC2016 # the pager's variable
    printf '#!/bin/sh\necho "LESS is $LESS"\nsed "s/^/| /"\n' >pager
    chmod +x pager
    on_terminal() {
        script -qec "stty cols 100; TERM=xterm $1" /dev/null | tr -d '\r' >shown
    }
    for command in "show JOBX --table ops" "show JOBX" "advise JOBX" "diff JOBX JOBX"; do
        on_terminal "PAGER='./pager; true' '$MSPROF' -q $command"
        expect_equal "$(head -1 shown)" "LESS is FRX"
        expect_equal "$(tail -n +2 shown | grep -vc '^| ')" 0
        LESS=X on_terminal "PAGER=./pager '$MSPROF' -q $command"
        expect_equal "$(head -1 shown)" "LESS is X"
        on_terminal "PAGER=./pager '$MSPROF' -q $command --no-pager"
        expect_equal "$(grep -c '^| ' shown)" 0
        on_terminal "PAGER= '$MSPROF' -q $command"
        expect_equal "$(grep -c '^| ' shown)" 0
    done
    on_terminal "PAGER=./pager '$MSPROF' -q show JOBX --table ops --format csv"
    expect_equal "$(grep -c '^| ' shown)" 0
    PAGER=./pager run_msprof -q show JOBX --table ops
    expect_not_contains "$output" "| "
    # the status is that of the answer, and a pager that is not there is told by the shell
    on_terminal "PAGER=./pager '$MSPROF' -q show JOBX --table nothing; echo status \$?"
    expect_contains "$(<shown)" "status 2"
    on_terminal "PAGER=./pager '$MSPROF' -q diff JOBX JOBX --gate 'step_time:<1us' ; echo status \$?"
    expect_contains "$(<shown)" "status 6"
}

@test "a terminal without control of its cursor has no pager, what fits the screen needs none, and messages wait for its end" {
    command -v script >/dev/null || skip "script(1) is not installed"
    printf '#!/bin/sh\nsed "s/^/| /"\n' >pager
    chmod +x pager
    on_terminal() {
        script -qec "stty cols 100 rows 60; $1" /dev/null | tr -d '\r' >shown
    }
    on_terminal "TERM=dumb PAGER=./pager '$MSPROF' -q show JOBX --table ops --top 62"
    expect_equal "$(grep -c '^| ' shown)" 0
    on_terminal "TERM=xterm PAGER=./pager '$MSPROF' -q show JOBX --table ops --top 50"
    expect_equal "$(grep -c '^| ' shown)" 0
    on_terminal "TERM=xterm PAGER=./pager '$MSPROF' -q show JOBX --table ops --top 62"
    [ "$(grep -c '^| ' shown)" -gt 60 ]
    # LESS of the user's says nothing of short texts
    on_terminal "TERM=xterm PAGER='./pager; exit 1' LESS=R '$MSPROF' -q show JOBX --table summary; echo status \$?"
    expect_contains "$(<shown)" "status 0"
    cp -R JOBX JOBY
    on_terminal "TERM=xterm PAGER=./pager '$MSPROF' show JOBX JOBY --table ops --top 62 --color never"
    expect_equal "$(grep '^| ' shown | grep -c 'msprof:')" 0
    expect_contains "$(tail -n 2 shown)" "JOBY': 7 files, 558 records decoded"
    # also when the reader has seen enough, and the program cannot write the rest
    rm -r JOBY/sqlite
    on_terminal "TERM=xterm PAGER='sed /JOBY/q' '$MSPROF' show JOBX JOBY --table op_summary --top 100000 --color never"
    expect_contains "$(<shown)" "JOBY': 7 files, 558 records decoded"
}

@test "a filter may have blanks, == and the title that is printed, and says so when nothing passes" {
    run_msprof_into want -q show JOBX --table ops --filter 'total>200us' --format csv
    expect_status 0
    for filter in 'total > 200us' ' TOTAL >200 us' 'Total(us)>200' 'total(US) >  0.2ms '; do
        run_msprof_into got -q show JOBX --table ops --filter "$filter" --format csv
        expect_status 0
        cmp want got
    done
    run_msprof_into want -q show JOBX --table ops --filter 'type=Fc' --format csv
    run_msprof_into got -q show JOBX --table OPS --filter 'Type == Fc' --format csv
    cmp want got
    run_msprof -q show JOBX --table ops --filter 'name == nothing' --filter 'total>1'
    expect_status 4
    expect_contains "$stderr" "no row of table 'ops' passes the filters 'name == nothing' and 'total>1'"
}

@test "--sort -COLUMN begins with the largest" {
    run_msprof_into want -q show JOBX --table ops --sort total,desc --format csv
    run_msprof_into got -q show JOBX --table ops --sort -total --format csv
    cmp want got
    run_msprof_into got -q show JOBX --table ops --sort total --format csv
    run cmp want got
    expect_equal "$status" 1
}

@test "show without a table begins with the summary, and has the vendor's tables for -dir and --table vendor" {
    run_msprof_into want -q show JOBX --table summary
    run_msprof_into got show JOBX
    expect_status 0
    cmp want got
    expect_contains "$stderr" "list (all tables), vendor (the vendor's tables)"
    run_msprof_into vendor -q show -dir JOBX
    run_msprof_into got -q show JOBX --table vendor
    cmp vendor got
    grep -q '^AI Core Metrics :$' got
    run_msprof show JOBX --table vendor --sort name
    expect_status 2
    # fits a terminal of 24 lines
    [ "$(wc -l <want)" -le 24 ]
}

@test "several --table are several tables, each as it is alone" {
    for format in table csv json; do
        for table in ops types; do
            run_msprof_into $table -q show JOBX --table $table --format $format
            expect_status 0
        done
        run_msprof_into both -q show JOBX --table ops --table types --format $format
        expect_status 0
        case $format in
        table) cat <(echo "Table : ops") ops <(printf '\nTable : types\n') types >want ;;
        csv) cat ops <(echo) types >want ;;
        json) cat ops types >want ;;
        esac
        cmp want both
    done
    run_msprof -q show JOBX --table ops --table list
    expect_status 2
}

@test "the name of a table that there is not leads to tables about that" {
    run_msprof -q show JOBX --table operators
    expect_status 2
    expect_contains "$stderr" "about that: "
    expect_contains "$stderr" " ops,"
}

@test "show -o says where its output goes, and --output of a capture without one that it is where results go" {
    run_msprof show JOBX -o ops.csv
    expect_status 2
    expect_contains "$stderr" "prints to standard output"
    expect_contains "$stderr" "--format csv >FILE"
    [ ! -e ops.csv ]
    run_msprof export summary --output=JOBX
    expect_status 2
    expect_contains "$stderr" "try: --output is the directory for results; if 'JOBX' is the capture: msprof export summary JOBX"
}

@test "an SVP capture without tasks is not told to switch an option of other captures on" {
    cp -R "$repository"/testdata/figures/acl_statistic/JOB* JOBACL
    run_msprof show --table op_summary -dir JOBACL
    expect_status 4
    expect_contains "$stderr" "op_summary: no data"
    if grep -q 'task_time' <<<"$stderr"; then false; fi
}

# The rows of $1 in the format $2, as lines of CSV without the first column.
rows_of_one() {
    run_msprof -q show "$1" --table types --format csv
    expect_status 0
    tail -n +2 <<<"$output" | sed "s|^|$PWD/$1,|"
}

@test "of several captures a table is one document, whose first column is the capture" {
    copy_capture JOBY
    local expected
    expected=$(rows_of_one JOBX && rows_of_one JOBY)
    run_msprof -q show JOBX JOBY --table types --format csv
    expect_status 0
    expect_equal "$(head -n 1 <<<"$output")" "capture,Share(%),Total(us),Count,Median(us),P95(us),Longest(us),Type name"
    expect_equal "$(tail -n +2 <<<"$output")" "$expected"
    run_msprof -q show JOBX JOBY --table types --format json
    expect_status 0
    expect_equal "$(jq -r '.[] | [.capture, .Count, .["Type name"]] | join(" ")' <<<"$output")" \
        "$(python3 -c 'import csv, sys
for row in csv.reader(sys.stdin):
    print(row[0], row[3], row[7])' <<<"$expected")"
    run_msprof -q show JOBX JOBY --table types --columns count,type_name --sort count,desc --top 1 --format markdown
    expect_status 0
    expect_equal "$(cut -d ' ' -f 2 <<<"$output")" $'capture\n|---|---|---|\n'"$PWD/JOBX"$'\n'"$PWD/JOBY"
}

@test "a capture whose table has other columns is left out of CSV with an error, and is in JSON" {
    cp -r "$repository"/testdata/cann/prof-910b/PROF_* PROF_1
    run_msprof show JOBX PROF_1 --table op_summary --format csv
    expect_status 1
    expect_equal "$(grep -c '^capture,' <<<"$output")" 1
    expect_not_contains "$output" "PROF_1"
    expect_contains "$stderr" "cannot show '$PWD/PROF_1': the columns of this table differ from those of the table before"
    expect_contains "$stderr" "choose common columns with --columns, or use --format json"
    run_msprof -q show JOBX PROF_1 --table op_summary --format json
    expect_status 0
    expect_equal "$(jq -r '.[].capture' <<<"$output" | uniq)" "$PWD/JOBX"$'\n'"$PWD/PROF_1"
    run_msprof -q show JOBX PROF_1 --table ops --format csv
    expect_status 0
}

@test "a table of a capture of 2022 with two devices is one document" {
    cp -r "$repository"/testdata/cann/2022-910a/PROF_* PROF_1
    run_msprof -q show PROF_1 --table op_statistic --format csv
    expect_status 0
    expect_equal "$(grep -c '^OP Type' <<<"$output")" 1
    local rows=$(($(wc -l <<<"$output") - 1))
    rm -rf PROF_1/sqlite
    python3 "$repository/tests/lib/copy_device.py" PROF_1 0 5
    run_msprof -q show PROF_1 --table op_statistic --format csv
    expect_status 0
    expect_equal "$(wc -l <<<"$output")" $((2 * rows + 1))
    expect_equal "$(grep -c '^OP Type' <<<"$output")" 1
    run_msprof -q show PROF_1 --table op_statistic --format json
    expect_status 0
    expect_equal "$(jq length <<<"$output")" $((2 * rows))
}

@test "without a row in any capture there is no document" {
    run_msprof -q show JOBX --table types --filter 'count>1000000' --format json
    expect_status 4
    expect_equal "$output" ""
}

@test "the list of tables takes nothing that chooses of a table" {
    for option in '--format csv' '--sort name' '--columns name' '--filter name=x'; do
        # shellcheck disable=SC2086 # an option and its value
        run_msprof show --table list $option
        expect_status 2
        expect_contains "$stderr" "--table list cannot be combined with --sort, --filter, --columns or --format"
    done
}

@test "--format json without a table is the summary; of several captures it is one array, of advise too" {
    copy_capture JOBX
    copy_capture JOBY
    run_msprof -q show JOBX --format json
    expect_status 0
    expect_contains "$output" '"Item": "Chip"'
    for command in show advise; do
        run_msprof -q "$command" JOBX JOBY --format json
        expect_equal "$(/usr/bin/python3 -c 'import json, sys; print(type(json.load(open(sys.argv[1]))).__name__)' \
            "$BATS_TEST_TMPDIR/stdout")" list
    done
    run_msprof -q advise JOBX --format json
    expect_equal "$(/usr/bin/python3 -c 'import json, sys; print(type(json.load(open(sys.argv[1]))).__name__)' \
        "$BATS_TEST_TMPDIR/stdout")" dict
}

@test "an unknown table, column or metric gets the name that was probably meant" {
    copy_capture JOBX
    run_msprof -q show JOBX --table opps
    expect_status 2
    expect_contains "$stderr" "did you mean 'ops'?"
    run_msprof -q show JOBX --table ops --columns nmae
    expect_status 2
    expect_contains "$stderr" "did you mean 'name'?"
    run_msprof -q diff JOBX JOBX --gate steptime:+3%
    expect_status 2
    expect_contains "$stderr" "did you mean 'step_time'?"
}

@test "--table diagnostics lists what was lost, --table list the tables that have rows, and with --all the others" {
    copy_capture JOBX
    run_msprof show JOBX --table list
    expect_not_contains "$output" "Problems of the data"
    expect_not_contains "$output" "(no rows here)"
    expect_contains "$stderr" " have no rows here: --all lists them, too"
    run_msprof show JOBX --table list --all
    expect_not_contains "$stderr" "no rows here"
    expect_contains "$output" "Problems of the data (no rows here)"
    expect_equal "$(grep -c '^ops  *Operators by time$' "$BATS_TEST_TMPDIR/stdout")" 1
    file=$(find JOBX/data -name 'aicore.*' ! -name '*.done' ! -name '*.complete' | head -1)
    truncate -s -5 "$file"
    run_msprof -q show JOBX --table diagnostics --format csv
    expect_contains "$output" "$(basename "$file")"
    run_msprof -q show JOBX --table list
    expect_contains "$output" "Problems of the data"
}

@test "of a table that is too wide, columns without a value in any row are left out first" {
    copy_capture JOBX
    run_msprof -q show JOBX --table steps --width 80
    expect_status 0
    titles=$(head -n 2 <<<"$output")
    expect_contains "$titles" "Grew"
    expect_contains "$output" computing
    expect_not_contains "$titles" "Fps" # N/A: the inferences are sampled
    expect_contains "$output" "Free(us), Fps, "
}

@test "the order may stand behind a comma, a colon or a blank, and <> and =~ are != and ~" {
    wanted=$("$MSPROF" show JOBX --table ops --sort name,desc --format csv)
    [ "$wanted" != "$("$MSPROF" show JOBX --table ops --sort name --format csv)" ]
    for sort in "name desc" name:desc "Name DESC" -name; do
        expect_equal "$("$MSPROF" show JOBX --table ops --sort "$sort" --format csv)" "$wanted"
    done
    expect_equal "$("$MSPROF" show JOBX --table ops --sort +name --format csv)" \
        "$("$MSPROF" show JOBX --table ops --sort name,asc --format csv)"
    expect_equal "$("$MSPROF" show JOBX --table ops --filter 'count<>4' --filter 'type=~C*' --format csv)" \
        "$("$MSPROF" show JOBX --table ops --filter 'count!=4' --filter 'type~C*' --format csv)"
    run_msprof show JOBX --table ops --filter 'type ~ CONV*'
    expect_status 4
    expect_contains "$stderr" "try: a pattern counts upper and lower case: --filter 'type ~ [Cc][Oo][Nn][Vv]*'"
}
