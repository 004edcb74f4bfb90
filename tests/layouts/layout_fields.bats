#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof layout infer: fields that are made of two numbers, frequencies that nobody says, parts of a capture, and input
# that is not as it should be.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # common.bash sets repository and scratch; run_msprof sets status, output and stderr

load ../cli/common

setup() {
    enter_scratch
}

# Random boards with some options, judged on what they held out; the counts go to verdict.
judge_boards() {
    python3 "$repository/testdata/generate/random_boards.py" boards "$@"
    python3 "$repository/testdata/generate/judge_boards.py" "$MSPROF" boards --verbose >verdict
}

# Tables of the shipped capture in tables/.
print_tables() {
    copy_capture JOBX
    "$MSPROF" export summary -q -dir JOBX --columns vendor --output printed
    mv printed/summary tables
}

@test "totals that are an end minus a start are found" {
    judge_boards --related minus --seed 10 --count 4
    expect_contains "$(cat verdict)" "4 exact, 0 partial, 0 none, 0 wrong, 0 wrong with status 0"
    [ "$(grep -l 'minus start_cycle' boards/*/found.layout | wc -l)" -eq 4 ]
}

@test "counters that accumulate are found" {
    judge_boards --related delta --seed 20 --count 4
    expect_contains "$(cat verdict)" "4 exact, 0 partial, 0 none, 0 wrong, 0 wrong with status 0"
    [ "$(grep -lE '^column total_cycle .* delta ' boards/*/found.layout | wc -l)" -eq 4 ]
}

@test "ratios that stand in records as such are found" {
    judge_boards --related share --seed 30 --count 4
    expect_contains "$(cat verdict)" "4 exact, 0 partial, 0 none, 0 wrong, 0 wrong with status 0"
    grep -q 'scale 1/10000 of total_cycle' boards/*/found.layout
}

@test "a frequency that nothing says is among those that are listed, and the status is never 0" {
    judge_boards --hide frequency --seed 40 --count 6
    for board in boards/*; do
        run_msprof layout infer -dir "$board"/train/JOB* --tables "$board/train/tables"
        expect_status 3
        expect_contains "$output" "NOTE: the AI core frequency is unknown; pass it with --frequency"
        expect_contains "$output" "NOTE: it may be $(sed -n '1s/.* mhz //p' "$board/truth.txt") MHz"
        grep -Eq '^frequency [0-9]+$' <<<"$output"
    done
    expect_contains "$(cat verdict)" "0 wrong with status 0, 0 status 0"
}

@test "a frequency that only the names of tables say becomes the layout's" {
    print_tables
    echo '{"DeviceInfo": [{}]}' >JOBX/info.json.0
    run_msprof layout infer -dir JOBX --tables tables --output found.layout
    expect_status 0
    grep -q '^frequency 600000$' found.layout
    "$MSPROF" export summary -q -dir JOBX --layout found.layout --columns vendor --output again
    for table in tables/op_summary*; do
        cmp "$table" "again/summary/${table##*/}"
    done
}

# Searches for the rows of one inference, which may be any of all records, on so many boards.
expect_rows_found() { # count
    judge_boards --tables one --seed 50 --count "$1"
    expect_contains "$(cat verdict)" "$1 exact, 0 partial, 0 none, 0 wrong, 0 wrong with status 0"
    rm -r boards
    judge_boards --tables one --hide 'done' --seed 50 --count "$1"
    expect_contains "$(cat verdict)" "0 none"
    expect_contains "$(cat verdict)" "0 wrong with status 0, 0 status 0"
    for layout in boards/*/found.layout; do
        grep -q 'NOTE: the rows are those of records' "$layout"
        grep -q 'NOTE: the header has' "$layout"
    done
}

@test "the rows of one inference are found among all records, with and without .done files" {
    expect_rows_found 1
}

# bats test_tags=once
@test "so they are on three boards" {
    expect_rows_found 3
}

@test "rows that are there twice, and more rows than records, are told" {
    print_tables
    cp -r tables sound
    for table in tables/op_summary*; do
        { sed -n 1,2p "$table"; sed -n '3,$p' "$table" | sed 'p'; } >doubled
        mv doubled "$table"
    done
    run_msprof layout infer -dir JOBX --tables tables
    expect_status 1
    expect_contains "$stderr" "240 of 480 rows repeat the previous row"
    expect_contains "$stderr" "480 rows, but the bytes look like 240 records of 128 bytes"
    head -c 1000 JOBX/data/aicore.0.1.1 >short && mv short JOBX/data/aicore.0.1.1
    run_msprof layout infer -dir JOBX --tables sound
    expect_status 1
    expect_contains "$stderr" "240 rows, but only 1000 bytes of records"
}

@test "keys of *.info that are not known are named with those that are nearest" {
    print_tables
    sed -i 's/"task_id"/"taskId"/' JOBX/data/resnet50.6.layer.info
    echo '{"model_name":"x","batchNum":1}' >JOBX/data/resnet50.6.net.info
    echo 'board: this' >JOBX/data/board.info
    run_msprof layout infer -dir JOBX --tables tables
    expect_contains "$stderr" "resnet50.6.layer.info: unknown key 'taskId'; did you mean 'task_id'"
    expect_contains "$stderr" "resnet50.6.net.info: unknown key 'batchNum'; did you mean 'batch_num'"
    expect_contains "$stderr" "data/board.info: not JSON"
}

@test "many more rows than a sample holds are all compared" {
    generators=$(dirname "$(readlink -f "$MSPROF")")
    "$generators/make-capture" --output many --records 12000 >/dev/null 2>&1
    run_msprof export summary -q -dir many/JOB* --columns vendor --output printed
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] # the board kept no more than 512 calls
    run_msprof layout infer -dir many/JOB* --tables printed/summary
    expect_status 0
    expect_contains "$output" "column total_cycle        offset 16 width 4"
    last=$(find printed/summary -name 'op_summary_*' | sort -V | tail -n 1)
    python3 - "$last" <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline='')))
rows[-1][7] = '77.77' if rows[-1][7] != '77.77' else '11.11'
csv.writer(open(sys.argv[1], 'w', newline='')).writerows(rows)
END
    run_msprof layout infer -dir many/JOB* --tables printed/summary
    expect_status 3
    expect_contains "$output" "mac_busy_cycle     NOT FOUND"
}
