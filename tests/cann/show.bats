#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof show on CANN captures: the numbers are those of the exported tables, and what is not there is said truly.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
}

# Shows PROF_1 with these options into the file `shown`.
show() {
    run_msprof_into shown show -q -dir PROF_1 "$@"
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

# The titles of the blocks that `shown` has, which must say what the exported tables do; with --top's number when given.
expect_agreement() { # titles, top
    local report
    rm -rf PROF_1/mindstudio_profiler_output PROF_1/summary PROF_1/timeline
    for report in summary timeline; do
        run_msprof export "$report" -q -dir PROF_1
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    done
    expect_equal "$(python3 "$BATS_TEST_DIRNAME/lib/agree_show.py" shown PROF_1 "${@:2}")" "$1"
}

expect_aligned() { # width
    run python3 "$repository/tests/lib/text_tables.py" align shown "$1"
    [ "$status" -eq 0 ] && return
    echo "$output" >&2
    return 1
}

# A row of `shown`'s cells.
cells() {
    python3 "$repository/tests/lib/text_tables.py" cells shown
}

@test "show has the numbers of the exported tables, of both layouts and every chip" {
    for capture in prof-910b prof-910a; do
        copy_family "$capture" PROF_1
        show
        expect_agreement $'Op statistic\nLongest operators\nOverlap analysis\nApi statistic'
    done
    copy_family 2022-310 PROF_1
    show
    expect_agreement $'0: Op statistic\n0: Longest operators\n0: Longest tasks\n0: Acl statistic\n0: Runtime api'
    copy_family 2022-910a PROF_1
    show
    expect_agreement $'0: Op statistic\n0: Longest operators\n0: Acl statistic\n0: Runtime api'
}

@test "--top says how many of the longest are shown, and the title how many there are" {
    copy_family prof-910b PROF_1
    for top in 1 3 99 100 100000; do
        show --top "$top"
        expect_agreement $'Op statistic\nLongest operators\nOverlap analysis\nApi statistic' "$top"
    done
    show --top 3
    expect_equal "$(grep '^Longest' shown)" \
        "Longest operators : 3 of 100 (more: --top N; all: op_summary of 'msprof export summary')"
    show --top 100
    expect_equal "$(grep '^Longest' shown)" "Longest operators : all 100"
    copy_family 2022-310 PROF_1
    show --top 2
    expect_equal "$(grep '^Longest' shown)" \
        "Longest operators : 2 of 100 (more: --top N; all: op_summary of 'msprof export summary')
Longest tasks : 2 of 100 (more: --top N; all: task_time of 'msprof export summary')"
    for top in 0 -1 many 100001; do
        run_msprof show -dir PROF_1 --top "$top"
        expect_status 2
        expect_contains "$stderr" "--top is '$top', expected a whole number from 1 to 100000"
    done
}

@test "communication has its statistic, its place among the longest and its share of the time" {
    for seed in 1 2 3; do
        rm -rf PROF_1
        python3 "$BATS_TEST_DIRNAME/lib/make_outputs.py" PROF_1 "$seed"
        show
        expect_agreement \
            $'Op statistic\nLongest operators\nCommunication statistic\nOverlap analysis\nApi statistic'
        grep -q '│ COMMUNICATION *│' shown
        show --top 1000
        expect_agreement \
            $'Op statistic\nLongest operators\nCommunication statistic\nOverlap analysis\nApi statistic' 1000
    done
}

@test "several devices have a column, in captures of 2022 blocks of their own" {
    write_capture <<'END'
for device in (0, 1, 7):
    for i in range(3):
        p.launch(10000 * device + i * 200, 2, i, 'op%d.%d' % (device, i), device=device)
        start = 1000000 + 100 * device + 5000 * i
        p.ran(start, start + 1000 + 20 * device, 2, i, device=device)
END
    show
    expect_agreement $'Op statistic\nLongest operators\nOverlap analysis\nApi statistic'
    expect_equal "$(cells | sed -n '/^Overlap analysis/,/^$/p')" "Overlap analysis :
Device_id|Elapsed(us)|Computing(us)|Computing(%)|Communication(us)|Communication(Not Overlapped)(us)|Free(us)|Free(%)
0|11|3|27.273|0|0|8|72.727
1|11.02|3.06|27.768|0|0|7.96|72.232
7|11.14|3.42|30.7|0|0|7.72|69.3"
    copy_family 2022-910a PROF_1
    python3 "$BATS_TEST_DIRNAME/../lib/copy_device.py" PROF_1 0 5
    show
    expect_agreement "$(printf '%s: Op statistic\n%s: Longest operators\n%s: Acl statistic\n%s: Runtime api\n' 0 0 0 0 5 5 5 5)"
    expect_equal "$(grep '^Device id' shown)" "Device id : 0 Model id : N/A Iteration : 1 Tasks : 100
Device id : 5 Model id : N/A Iteration : 1 Tasks : 100"
}

@test "marks and ranges of the program are added up by message" {
    for layout in additional old; do
        rm -rf PROF_1
        python3 "$BATS_TEST_DIRNAME/lib/agree_tx.py" make . 1 400 "$layout"
        for top in 5 1000; do
            show --top "$top"
            expect_agreement "$(grep -oE '^(Op|Api|Msproftx) statistic|^Longest [a-z]*|^Overlap analysis' shown)" "$top"
            grep -q '^Msproftx statistic' shown
        done
    done
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof_tx import *
p = TxProf('PROF_2')
p.tx(1000, 4000, 'step')
p.tx(5000, 6000, 'step')
p.tx(100, 100, 'mark', event=0)
p.write()
END
    mv PROF_1 away
    mv PROF_2 PROF_1
    show
    expect_equal "$(cells | sed -n '/^Msproftx/,/^$/p')" "Msproftx statistic : all 2
event_type|message|Count|Total Time(us)|Min Time(us)|Avg Time(us)|Max Time(us)
push/pop|step|2|4|1|2|3
marker|mark|1|0|0|0|0"
}

@test "without the half of the device its absence is told and the host's tables are shown" {
    copy_family prof-910b PROF_1
    rm -r PROF_1/device_0
    run_msprof_into shown show -q -dir PROF_1
    expect_status 3
    expect_equal "$(head -3 shown)" "Op statistic :
No device data: the capture has no readable device data.
Api statistic :"
    expect_not_contains "$(<shown)" "never executed"
    run_msprof export summary -q -dir PROF_1
    expect_equal "$(python3 "$BATS_TEST_DIRNAME/lib/agree_show.py" shown PROF_1)" $'Op statistic\nApi statistic'
}

@test "without the half of the host the longest tasks are shown" {
    copy_family prof-910b PROF_1
    rm -r PROF_1/host
    run_msprof_into shown show -q -dir PROF_1
    expect_status 3
    expect_equal "$(grep -A1 '^Op statistic' shown)" "Op statistic :
No operators: the host data, which names them, is missing or not readable."
    expect_equal "$(tail -2 shown)" "Api statistic :
No API calls: the capture has no readable host data."
    expect_agreement $'Op statistic\nLongest tasks\nOverlap analysis\nApi statistic'
}

@test "a capture with nothing in it has status 4, and the reasons are true" {
    write_capture </dev/null
    rm PROF_1/host/data/*hash_dic* # without a byte, which would be a problem of its own
    run_msprof show -q -dir PROF_1
    expect_status 4
    expect_equal "$output" "Op statistic :
No tasks: the devices' records are missing or not readable.
Api statistic :
No API calls."
    expect_contains "$stderr" "PROF_1' has nothing to show"
    copy_family 2022-910a PROF_1
    find PROF_1 -name '*.slice_*' -delete
    run_msprof show -q -dir PROF_1
    expect_not_contains "$output" "never executed"
    [ "$status" -eq 4 ] || [ "$status" -eq 1 ]
}

@test "what is sound of a damaged capture is shown, with status 3" {
    copy_family prof-910b PROF_1
    log=$(find PROF_1/device_0 -name 'stars_soc*slice_0')
    truncate -s -7 "$log"
    run_msprof_into shown show -q -dir PROF_1
    expect_status 3
    expect_agreement $'Op statistic\nLongest operators\nOverlap analysis\nApi statistic'
    run_msprof show --strict -dir PROF_1 --output strict
    expect_status 1
}

@test "tables fit the width, and only blanks, line breaks and frames differ" {
    for capture in prof-910b 2022-310; do
        copy_family "$capture" PROF_1
        show
        python3 "$repository/tests/lib/text_tables.py" align shown
        numbers=$(cells | grep -oE '[0-9]+\.[0-9]+' | sort)
        for width in 160 120 100; do
            show --width "$width"
            expect_aligned "$width"
            expect_equal "$(cells | grep -oE '[0-9]+\.[0-9]+' | sort)" "$numbers"
        done
    done
}

@test "a small capture looks like this at 80 columns" {
    write_capture <<'END'
p.launch(0, 2, 1, 'conv', node={'blocks': 8})
p.launch(200, 2, 2, 'matmul')
p.ran(10000, 13000, 2, 1)
p.ran(15000, 20000, 2, 2)
END
    show --width 80
    expect_equal "$(sed -n '/^Longest/,$p' shown)" "$(cat <<'END'
Longest operators : all 2
╒═══════════╤═══════════╤═══════════╤══════════════════════╤═══════════════════╕
│ Device_id │   Task ID │ Op Name   │  Task Start Time(us) │ Task Duration(us) │
│           │ Stream ID │ OP Type   │                      │    Task Wait Time │
│           │           │ Task Type │                      │              (us) │
│           │           │           │                      │         Block Num │
╞═══════════╪═══════════╪═══════════╪══════════════════════╪═══════════════════╡
│         0 │         2 │ matmul    │ 1700000000000015.000 │                 5 │
│           │         2 │ Type      │                      │                 2 │
│           │           │ AI_CORE   │                      │                 4 │
├───────────┼───────────┼───────────┼──────────────────────┼───────────────────┤
│         0 │         1 │ conv      │ 1700000000000010.000 │                 3 │
│           │         2 │ Type      │                      │                 0 │
│           │           │ AI_CORE   │                      │                 8 │
╘═══════════╧═══════════╧═══════════╧══════════════════════╧═══════════════════╛
Overlap analysis :
╒═════════╤═══════╤═════════╤═════════╤═════════════╤═════════════╤═════╤══════╕
│Device_id│Elapsed│Computing│Computing│Communication│Communication│ Free│  Free│
│         │   (us)│     (us)│      (%)│         (us)│         (Not│ (us)│   (%)│
│         │       │         │         │             │  Overlapped)│     │      │
│         │       │         │         │             │         (us)│     │      │
╞═════════╪═══════╪═════════╪═════════╪═════════════╪═════════════╪═════╪══════╡
│        0│     10│        8│       80│            0│            0│    2│    20│
╘═════════╧═══════╧═════════╧═════════╧═════════════╧═════════════╧═════╧══════╛
Api statistic :
╒═════════╤═══════╤════════════╤════════╤═════╤═══════╤═══════╤═══════╤════════╕
│Device_id│Level  │API Name    │Time(us)│Count│Avg(us)│Min(us)│Max(us)│Variance│
╞═════════╪═══════╪════════════╪════════╪═════╪═══════╪═══════╪═══════╪════════╡
│host     │runtime│LaunchKernel│    0.08│    2│   0.04│   0.04│   0.04│       0│
│host     │node   │launch      │     0.2│    2│    0.1│    0.1│    0.1│       0│
╘═════════╧═══════╧════════════╧════════╧═════╧═══════╧═══════╧═══════╧════════╛
END
    )"
}

@test "titles are in color when asked for, names cannot drive the terminal" {
    write_capture <<'END'
p.launch(0, 2, 1, '\x1b[31mred\x07')
p.ran(10000, 13000, 2, 1)
END
    show
    expect_equal "$(LC_ALL=C tr -d '\n\200-\377 -~' <shown | wc -c)" 0
    expect_contains "$(<shown)" "�[31mred�"
    run_msprof_into shown show -q -dir PROF_1 --color always
    expect_contains "$(<shown)" $'\033[36mLongest operators :\033[0m all 1'
}

@test "names with commas, quotes and no ASCII are shown as they are" {
    write_capture <<'END'
p.launch(0, 2, 1, 'a,"b" 矩阵')
p.ran(10000, 13000, 2, 1)
END
    show
    expect_aligned 0
    expect_contains "$(<shown)" '│ a,"b" 矩阵 │'
}

@test "tables that cannot be written fail the command" {
    copy_family prof-910b PROF_1
    run_msprof_into /dev/full show -q -dir PROF_1
    expect_status 1
    expect_contains "$stderr" "cannot write"
}

@test "show makes no reports" {
    copy_family prof-910b PROF_1
    show
    expect_equal "$(find PROF_1 -name '*.csv' -o -name 'msprof_*.json')" ""
}

@test "a table that captures of before 2023 have of each device is shown as it is exported" {
    copy_family 2022-310 PROF_1
    "$MSPROF" export summary -q PROF_1
    for table in task_time op_summary acl; do
        "$MSPROF" show -q --table "$table" --format csv PROF_1 | cmp - "PROF_1/summary/${table}_0_1.csv"
    done
    copy_family job-910a JOB_1
    "$MSPROF" export summary -q JOB_1
    "$MSPROF" show -q --table op_summary --format csv JOB_1 | cmp - JOB_1/summary/op_summary_1.csv
}

@test "no rule stands between rows of one line, and every table fits any width from 60 columns on" {
    for capture in prof-910b 2022-910a; do
        copy_family "$capture" PROF_1
        show
        expect_equal "$(grep -c '^├' shown)" 0
        for width in 60 61 72 80 100; do
            show --width "$width"
            expect_aligned "$width"
        done
        LC_ALL=C show
        expect_equal "$(LC_ALL=C grep -cP '[^\x00-\x7f]' shown)" 0
        grep -q '^+=*+' shown
    done
}
