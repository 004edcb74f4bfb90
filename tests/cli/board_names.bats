#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures of boards that have a file of device records for each inference, and other keys in .done files.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load common

setup() {
    enter_scratch
    make_capture=$(dirname "$(readlink -f "$MSPROF")")/make-capture
}

# Makes one board twice, under the usual names and under the others: into usual/ and others/.
make_both() {
    "$make_capture" --output usual "$@" 2>/dev/null >/dev/null
    "$make_capture" --output others --board-names "$@" 2>/dev/null >/dev/null
}

@test "all reports are those of the same board under the usual names, of several devices, models, batches and streams" {
    make_both --model a:1 --model 'b net.v2:2' --streams 2 --batch 1 --batch 4 --inputs 2 --devices 2 --inferences 4
    [ -e "$(echo others/JOB*)/data/aicore.1.b net.v2.2.4.2.12" ]
    grep -q '"magic_num"' others/JOB*/info.json.1
    for board in usual others; do
        for report in 'summary' 'summary --columns vendor --format json' timeline; do
            # shellcheck disable=SC2086 # a report with its options
            run_msprof export $report "$(echo $board/JOB*)" --output "$board/${report// /_}"
            expect_status 0
        done
        run_msprof show "$(echo $board/JOB*)"
        expect_status 0
        printf '%s\n' "$output" >$board/shown
    done
    diff usual/shown others/shown
    for report in summary/summary summary_--columns_vendor_--format_json/summary timeline/timeline; do
        diff -r "usual/$report" "others/$report"
    done
    expect_equal "$(find others/summary/summary -name 'op_summary*' | wc -l)" 64
}

@test "a board with thousands of files, which two threads look at, says the same as with one, and a link among them is told" {
    make_both --layers 16 --ai-cpu off --model m:1 --inferences 2100 --api-calls 100000
    ln -s nowhere "$(echo others/JOB*)/data/aicore.0.m.1.0.0.link"
    run_msprof show "$(echo usual/JOB*)" --table ops --format csv
    expect_status 0
    printf '%s\n' "$output" >shown
    run_msprof show "$(echo others/JOB*)" --table ops --format csv
    expect_status 3
    expect_contains "$stderr" "data/aicore.0.m.1.0.0.link: a symbolic link that leaves the capture or is broken"
    diff shown <(printf '%s\n' "$output")
    [ "$(sqlite3 others/JOB*/sqlite/runtime.db 'SELECT count(DISTINCT file_id) FROM inference')" = 2100 ]
}

spoil_done_files() { # the data directory
    cd "$1" || return
    local name=aicore.0.m.1.1.1
    : >$name.1.done
    printf 'note:%05000d\n' 0 >>$name.2.done
    rm $name.3.done $name.5.done
    mkfifo $name.3.done
    ln -sf $name.6.done $name.4.done
    printf 'filesize:12x\n' >>$name.7.done
    cd - || return
}

@test "a .done file that is empty, long, a pipe, a link, gone or damaged is told among thousands as among few" {
    local inferences
    for inferences in 10 1400; do
        rm -rf usual others
        make_both --layers 16 --ai-cpu off --model m:1 --inferences "$inferences"
        spoil_done_files others/JOB*/data
        run_msprof import "$(echo others/JOB*)"
        expect_status 3
        grep '\.done' <<<"$stderr" >"told.$inferences"
        sqlite3 others/JOB*/sqlite/runtime.db "SELECT path, start_ns, end_ns FROM source_file
            WHERE path LIKE '%.m.1.1.1._' ORDER BY path" >"kept.$inferences"
    done
    expect_equal "$(grep -o '[0-9]\.done: [^0-9;]*' told.10)" "3.done: a device, pipe or socket
7.done: record "
    diff told.10 told.1400
    diff kept.10 kept.1400
}

@test "contents of inferences are named and kept, and their form is not claimed to be known" {
    make_both --inferences 3
    run_msprof import "$(echo others/JOB*)"
    expect_status 0
    expect_contains "$stderr" "data/cont.*: cont.0.resnet50.6.1.1.0, "
    expect_contains "$stderr" "inference in an unknown format; kept, not decoded"
    expect_equal "$(sqlite3 others/JOB*/sqlite/runtime.db "SELECT count(*) FROM source_file WHERE path LIKE 'data/cont.%'")" 3
}

@test "a data file of no known name is never without a thing to do" {
    make_both --inferences 1
    for name in aicore.0.resnet50 aicore.0.1 aicpu.0.1 acl_api.0 cont.0.1 mystery.0.1.1 aicore.0.a.b.1.1.0; do
        cp others/JOB*/data/aicore.0.resnet50.6.1.1.0 "$(echo others/JOB*)/data/$name"
        run_msprof import "$(echo others/JOB*)"
        expect_status 3
        local line
        line=$(grep "data/$name: " <<<"$stderr")
        expect_contains "$line" "not decoded; move it out of the capture"
        [[ $line != *"no action"* ]]
        rm "$(echo others/JOB*)/data/$name"
    done
}

@test "a layout is found and checked in files of one inference each, and it is that of the usual names" {
    make_both --inferences 6
    for board in usual others; do
        run_msprof export summary "$(echo $board/JOB*)" --output $board/tables --columns vendor
        expect_status 0
        run_msprof layout infer -dir "$(echo $board/JOB*)" --tables $board/tables/summary --output $board.layout
        expect_status 0
        run_msprof layout check $board.layout -dir "$(echo $board/JOB*)" --tables $board/tables/summary
        expect_status 0
        expect_contains "$output$stderr" "of 360 rows"
    done
    diff usual.layout others.layout
}

@test "a .done file may have pairs of numbers, and what is neither a key nor a pair is a problem of its own" {
    make_both --inferences 1
    local mark
    mark=$(echo others/JOB*/data/aicore.*.done)
    grep -qx 'cache_mis:[0-9]*' "$mark"
    for line in '1 2 3' '7' 'a b' '1 b'; do
        cp "$mark" sound
        printf '%s\n' "$line" >>"$mark"
        run_msprof import "$(echo others/JOB*)"
        expect_status 3
        expect_contains "$stderr" "'$line'; expected key:value"
        expect_equal "$(grep -c 'expected key:value' <<<"$stderr")" 1
        cp sound "$mark"
    done
    sed -i 's/file_len:.*/file_len:7/' "$mark"
    run_msprof import "$(echo others/JOB*)"
    expect_status 3
    expect_contains "$stderr" "the .done file expects 7"
}
