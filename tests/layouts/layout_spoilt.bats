#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof layout infer on captures and tables that are spoilt in some way: what cannot be sure never ends with status 0,
# and what is wrong is told.
# shellcheck disable=SC2154 # common.bash sets repository and scratch; run_msprof sets status, output and stderr

load ../cli/common

setup_file() {
    python3 "$repository/testdata/generate/random_boards.py" "$BATS_FILE_TMPDIR/boards" --seed 4000 --count 12
}

setup() {
    enter_scratch
}

# Boards that are spoilt in a way, judged on what they held out; none may end with status 0. The sanitizers see what there is to
# see on a quarter of them.
expect_no_status_0() { # way, boards
    local count=${2:-4} seed
    ! has_sanitizer || count=$(((count + 3) / 4))
    rm -rf boards
    mkdir boards
    for ((seed = 4000; seed < 4000 + count; seed++)); do
        cp -R "$BATS_FILE_TMPDIR/boards/$seed" boards/
    done
    python3 "$repository/testdata/generate/spoil_boards.py" boards "$1"
    python3 "$repository/testdata/generate/judge_boards.py" "$MSPROF" boards --verbose >verdict
    expect_contains "$(tail -n 1 verdict)" "0 wrong with status 0, 0 status 0"
}

# Infers from the first of them.
infer_first() {
    run_msprof layout infer -dir boards/4000/train/JOB* --tables boards/4000/train/tables
}

@test "a search that takes too long is stopped, and says what was not tried" {
    generators=$(dirname "$(readlink -f "$MSPROF")")
    "$generators/make-capture" --output made --seed 9 --model other:4 --inferences 1 >/dev/null 2>&1
    mv made/JOB* JOBX
    "$MSPROF" export summary -q -dir JOBX --columns vendor --output printed
    # Six rows, and as many long records of small numbers: everything could be anywhere.
    sed -i '9,$d' printed/summary/op_summary*
    python3 -c 'import random
rng = random.Random(1)
open("JOBX/data/aicore.0.1.1", "wb").write(bytes(rng.choice((0, 0, 1, 2, 3)) for _ in range(6 * 4096)))'
    run_msprof layout infer -dir JOBX --tables printed/summary --search-seconds 1
    expect_status 1
    expect_contains "$stderr" "the search stopped after 1 seconds; incomplete: "
    expect_contains "$stderr" "rows of records anywhere in the files; use --search-seconds N to search longer"
}

@test "tables of another network, of two captures, or of records that are others fit nothing or are doubted" {
    for way in other mixed bytes; do
        expect_no_status_0 "$way"
    done
    expect_no_status_0 mixed
    infer_first
    expect_contains "$output" "NOTE: only"
}

@test "a frequency that is not the board's is noticed, in info.json and in all names" {
    expect_no_status_0 frequency
    expect_no_status_0 frequencies 8
}

@test "rows and columns that changed places, rows that are there twice, and one row of another capture do not add up" {
    for way in shuffled repeated one-row; do
        expect_no_status_0 "$way"
    done
    expect_no_status_0 swapped 12
    infer_first
    expect_status 3
    expect_contains "$output" "do not add up: 'boards/4000/train/tables/op_summary"
    expect_contains "$output" "and the row of the whole network has"
}

@test "tables that are cut do not add up either, and files of records that are cut have too few" {
    expect_no_status_0 cut
    infer_first
    expect_contains "$output$stderr" "add up"
    expect_no_status_0 fewer
}

@test "numbers that are none, or beyond all numbers, are told with their table, row and text" {
    expect_no_status_0 commas
    infer_first
    expect_contains "$stderr" "has a decimal comma; expected a decimal point"
    for way in "huge 99999999" "large 9223372036854775807" "nan NaN" "hex 0x1F4" "negative -12.5" "exponent 1e300"; do
        expect_no_status_0 "${way% *}" 2
        infer_first
        expect_status 1
        expect_contains "$stderr" "cannot read the table 'boards/4000/train/tables/op_summary"
        expect_contains "$stderr" ": '${way#* }"
        expect_contains "$stderr" "expected a number of at most six decimals"
    done
}
