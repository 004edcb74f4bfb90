#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof layout: a layout from a capture's bytes and the tables printed of it, and how honest that is.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # common.bash sets repository and scratch; run_msprof sets status, output and stderr

load ../cli/common

setup() {
    enter_scratch
}

# Tables of the shipped capture in tables/, in the vendor's columns.
print_tables() {
    copy_capture JOBX
    "$MSPROF" export summary -q -dir JOBX --columns vendor --output printed
    mv printed/summary tables
}

# Changes the tables in place: the rows of each but title and total, as a Python expression of rows and random.
change_tables() {
    python3 - "$1" <<'END'
import csv, glob, random, sys
rng = random.Random(1)
for path in glob.glob('tables/op_summary*.csv'):
    with open(path, newline='') as stream:
        title, total, *rows = csv.reader(stream)
    rows = eval(sys.argv[1], {'rows': rows, 'rng': rng, 'title': title})
    with open(path, 'w', newline='') as stream:
        csv.writer(stream).writerows([title, total, *rows])
END
}

@test "the layout of a capture is found, explains every column, and decodes another capture as the built-in one does" {
    print_tables
    run_msprof layout infer -dir JOBX --tables tables --output found.layout --name my-board
    expect_status 0
    grep -q '^layout my-board$' found.layout
    grep -q '^size 128$' found.layout
    grep -Eq '^column total_cycle +offset 16 width [0-9]+  # 240 of 240 rows; by chance 2\^-[0-9]+$' found.layout
    [ "$(grep -c '^column ' found.layout)" -ge 13 ]
    run_msprof layout check found.layout -dir JOBX --tables tables
    expect_status 0
    expect_contains "$output" "equal: 2644 cells of 240 rows"

    generators=$(dirname "$(readlink -f "$MSPROF")")
    "$generators/make-capture" --output other --seed 9 --model other:4 --inferences 3 >/dev/null 2>&1
    "$MSPROF" export summary -q -dir other --output built-in
    "$MSPROF" export summary -q -dir other --output inferred --layout found.layout
    for table in "$scratch"/built-in/JOB*/summary/op_summary*; do
        cmp "$table" inferred/JOB*/summary/"${table##*/}"
    done
}

@test "tables of the guide's columns, as JSON, and in the capture itself do as well" {
    copy_capture JOBX
    "$MSPROF" export summary -q -dir JOBX
    run_msprof layout infer -dir JOBX
    expect_status 0
    expect_contains "$output" "column task_id            offset 6 width 2"
    rm JOBX/summary/*.csv
    "$MSPROF" export summary -q -dir JOBX --format json
    run_msprof layout infer -dir JOBX
    expect_status 0
}

@test "random boards: held-out captures come out exactly, and nothing is wrong with status 0" {
    python3 "$repository/testdata/generate/random_boards.py" boards --seed 1000 --count 12
    python3 "$repository/testdata/generate/judge_boards.py" "$MSPROF" boards --verbose >verdict
    expect_equal "$(tail -n 1 verdict | cut -d , -f 1-5)" \
        "12 exact, 0 partial, 0 none, 0 wrong, 0 wrong with status 0"
    for tables in one shuffled whole; do
        python3 "$repository/testdata/generate/random_boards.py" "$tables" --seed 2000 --count 4 --tables "$tables"
        python3 "$repository/testdata/generate/judge_boards.py" "$MSPROF" "$tables" --verbose >verdict
        expect_contains "$(cat verdict)" "4 exact, 0 partial, 0 none, 0 wrong, 0 wrong with status 0"
    done
    python3 "$repository/testdata/generate/random_boards.py" three --seed 3000 --count 20 --rows 3
    python3 "$repository/testdata/generate/judge_boards.py" "$MSPROF" three >verdict
    expect_contains "$(cat verdict)" "0 wrong with status 0"
}

@test "tables of another capture fit nothing, and the structure is printed" {
    print_tables
    generators=$(dirname "$(readlink -f "$MSPROF")")
    "$generators/make-capture" --output other --seed 51 --interval 5 >/dev/null 2>&1
    run_msprof layout infer -dir other/JOB* --tables tables
    expect_status 1
    expect_contains "$output" "record size  128"
    expect_contains "$output" "byte order: little"
    expect_contains "$stderr" "no layout of the records"
}

@test "random bytes fit nothing" {
    print_tables
    python3 -c "import random; open('JOBX/data/aicore.0.1.1', 'wb').write(random.Random(3).randbytes(30720))"
    run_msprof layout infer -dir JOBX --tables tables
    expect_status 1
    expect_contains "$output" "no record size stands out"
}

@test "a wrong frequency never ends with status 0, not even twice the right one" {
    print_tables
    run_msprof layout infer -dir JOBX --tables tables --frequency 1200
    expect_status 3
    expect_contains "$output" "NOTE: the frequency used is 1200.000 MHz"
    run_msprof layout infer -dir JOBX --tables tables --frequency 599
    expect_status 1
}

@test "columns shuffled each for itself, or under each other's titles, never end with status 0" {
    print_tables
    cp -r tables sound
    change_tables '[list(r) for r in zip(*[rng.sample(c, len(c)) for c in zip(*rows)])]'
    run_msprof layout infer -dir JOBX --tables tables
    [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
    expect_not_contains "$output" "column mac_busy_cycle"
    rm -r tables
    mv sound tables
    sed -i '1s/Mac Busy Ratio(%)/X/; 1s/Dstr Ratio(%)/Mac Busy Ratio(%)/; 1s/X/Dstr Ratio(%)/' tables/op_summary*
    run_msprof layout infer -dir JOBX --tables tables
    expect_status 3
    expect_contains "$output" "contradict themselves"
}

@test "a column that is zero in every row is UNSEEN, and two equal fields are AMBIGUOUS" {
    print_tables
    python3 - <<'END'
data = bytearray(open('JOBX/data/aicore.0.1.1', 'rb').read())
for at in range(0, len(data), 128):
    data[at + 24:at + 28] = data[at + 16:at + 20]  # the total a second time
    data[at + 88:at + 96] = bytes(8)  # wld
open('JOBX/data/aicore.0.1.1', 'wb').write(data)
END
    change_tables '[r[:14] + ["0"] + ["N/A"] + r[16:] for r in rows]'
    run_msprof layout infer -dir JOBX --tables tables
    expect_status 3
    expect_contains "$output" "wld_cycle          UNSEEN: 0 in every row"
    expect_contains "$output" "AMBIGUOUS: also offset 24 width"
}

@test "a place that is given settles what is ambiguous, and one that is wrong fits nothing" {
    print_tables
    run_msprof layout infer -dir JOBX --tables tables --set total_cycle=16:8 --set model_id=100:4
    expect_status 0
    expect_contains "$output" "column total_cycle        offset 16 width 8"
    expect_contains "$output" "column model_id           offset 100 width 4  # given"
    run_msprof layout infer -dir JOBX --tables tables --set total_cycle=24:8
    expect_status 1
    run_msprof layout infer -dir JOBX --tables tables --set total_cycle=24
    expect_status 2
    expect_contains "$stderr" "expected COLUMN=OFFSET:WIDTH"
}

@test "tables that are cut short, have decimal commas or other separators, or rows twice, are told" {
    print_tables
    cp -r tables sound
    for table in tables/op_summary*.0.0.*; do
        head -c -30 "$table" >shortened && mv shortened "$table"
    done
    run_msprof layout infer -dir JOBX --tables tables
    [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
    expect_contains "$output$stderr" "truncated rows"
    rm -r tables && cp -r sound tables
    change_tables '[r[:5] + [r[5].replace(".", ",")] + r[6:] for r in rows]'
    run_msprof layout infer -dir JOBX --tables tables
    expect_status 1
    expect_contains "$stderr" "has a decimal comma"
    rm -r tables && cp -r sound tables
    sed -i 's/,/;/g' tables/op_summary*
    run_msprof layout infer -dir JOBX --tables tables
    expect_status 1
    expect_contains "$stderr" "separated by ';'"
    rm -r tables && cp -r sound tables
    change_tables '[r for r in rows for _ in range(2)]'
    run_msprof layout infer -dir JOBX --tables tables
    [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
}

@test "check names the first cell that differs, and says when there is nothing to compare" {
    print_tables
    "$MSPROF" layout infer -dir JOBX --tables tables >found.layout
    sed 's/offset 32 width/offset 40 width/' found.layout >wrong.layout
    run_msprof layout check wrong.layout -dir JOBX --tables tables
    expect_status 1
    expect_contains "$stderr" "row 1: mac_busy_cycle is printed as 93.28"
    sed 's/^size 128/size 120/; /current_pic_count/d' found.layout >wrong.layout
    run_msprof layout check wrong.layout -dir JOBX --tables tables
    expect_status 1
    mkdir empty
    run_msprof layout check found.layout -dir JOBX --tables empty
    expect_status 4
    run_msprof layout check found.layout
    expect_status 2
}

@test "show draws a layout: bytes, columns and gaps" {
    run_msprof layout show svp_pmu
    expect_status 0
    expect_contains "$output" "layout svp-reference of kind svp_pmu: 128 bytes, little endian"
    expect_contains "$output" "  a  task_id            offset   6 width 2"
    expect_contains "$output" "    0   .  .  .  .  .  .  a  a  ."
    printf 'kind svp_pmu\nlayout x\nsize 8\nheader 3\ncolumn total_cycle offset 0 width 4\n' >x.layout
    run_msprof layout show x.layout
    expect_contains "$output" "behind a header of 3 bytes"
    expect_contains "$output" "4 bytes that no column has"
    run_msprof layout show no-such-layout
    expect_status 4
}

@test "without tables the size of the records of a 910A is found" {
    run_msprof layout infer -dir "$repository"/testdata/cann/job-910a/JOB* --kind hwts
    expect_status 1
    expect_contains "$(sed -n 2p <<<"$output")" "record size   64: "
}

@test "a capture without records, or of no such kind, has nothing to infer from" {
    copy_capture JOBX
    rm JOBX/data/aicore.0.1.1
    run_msprof layout infer -dir JOBX
    expect_status 4
    run_msprof layout infer -dir no-such-directory
    [ "$status" -ne 0 ]
    run_msprof layout infer -dir JOBX --name 'two words'
    expect_status 2
}

@test "infer without tables says where they come from" {
    copy_capture JOBX
    run_msprof layout infer -dir JOBX
    expect_status 1
    expect_contains "$stderr" "cannot infer a layout without tables to compare with"
    expect_contains "$stderr" "'msprof export summary' writes tables"
    "$MSPROF" export summary -q -dir JOBX
    run_msprof layout infer -dir JOBX
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}
