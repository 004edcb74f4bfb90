#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Damage that gave wrong figures with status 0: what cannot be is rejected by its reason, and nothing is counted twice.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr; common.bash sets repository

load ../cli/common

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
    command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
}

python() {
    PYTHONPATH=$repository/tests/cann/system PYTHONDONTWRITEBYTECODE=1 python3 -c "from text_kinds import *
$1"
}

# A capture with three samples of Memory.data, changed as the Python expression over its text says.
memory() { # expression
    rm -rf PROF_1
    python "
block = 'TimeStamp:%d\nMemTotal: 800 kB\nMemFree: %d kB\nHugePages_Total: 12\nHugePages_Rsvd: 0\n\n'
text = ''.join(block % (1000000192000 + i, 500 + i) for i in range(3))
capture_of('.', 'device_0/data/Memory.data.0.slice_0', $1, '5')"
    run_msprof import -dir PROF_1
}

samples() {
    sqlite3 PROF_1/sqlite/runtime.db "SELECT group_concat(free_kb) FROM system_memory"
}

rejected() {
    sqlite3 PROF_1/sqlite/runtime.db "SELECT records_rejected FROM source_file WHERE path LIKE '%Memory.data%'"
}

@test "a block of text that lost its first line swallows no other: the sample is rejected, and the others stay" {
    memory text
    expect_equal "$status $(samples) $(rejected)" "0 500,501,502 0"
    memory "text.replace('0\n\nTimeStamp:1000000192001', '0xxximeStamp:1000000192001')"
    expect_equal "$status $(samples)" "3 500,502"
    [ "$(rejected)" -gt 0 ]
    expect_contains "$stderr" "a second 'total_kb' in one block"
}

@test "a block that lacks a line that the others have is rejected, and so is a line with a control byte" {
    memory "text.replace('MemFree: 501 kB\n', '')"
    expect_equal "$status $(samples) $(rejected)" "3 500,502 1"
    expect_contains "$stderr" "a block without 'free_kb'"
    memory "text.replace('MemFree: 501', 'MemFree:\x01501')"
    expect_equal "$status $(samples)" "3 500,502"
}

@test "a line whose end is damaged swallows none of the lines behind it" {
    python "
call = '   %d.059 ( 0.292 ms): python3/4242 write(fd: 3, count: 4096) = 0\n'
capture_of('.', 'host/data/host_syscall.data.slice_0', (call % 100 + call % 200 + call % 300).replace('= 0\n   200', '= 0*   200'), '5')"
    run_msprof import -dir PROF_1
    expect_status 3
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT group_concat(start_us) FROM host_syscall")" 300059
}

@test "a task of 2022 that ends before it starts is rejected by its reason, not dropped" {
    cp -r "$repository"/testdata/cann/2022-310/PROF_* PROF_1
    python "
import glob, struct
path = next(p for p in glob.glob('PROF_1/*/data/ts_track.data.*slice_0') if not p.endswith('.done'))
data = bytearray(open(path, 'rb').read())
starts = [at for at in range(0, len(data) - 31) if data[at + 1:at + 4] == b'\x03\x20\x00' and data[at + 10:at + 12] == b'\x02\x00']
at = starts[len(starts) // 2]
struct.pack_into('<Q', data, at + 16, struct.unpack_from('<Q', data, at + 16)[0] + 10**9)
open(path, 'wb').write(data)"
    run_msprof import -dir PROF_1
    expect_status 3
    expect_contains "$stderr" "expected an end after its start at"
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT sum(records_decoded), sum(records_rejected) FROM source_file WHERE kind = 'ts_track'")" \
        "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT count(*) FROM ts_track")|1"
}

@test "the same content under two names is read once, and both are named" {
    cp -r "$repository"/testdata/cann/prof-910b/PROF_* PROF_1
    run_msprof import -dir PROF_1
    sqlite3 PROF_1/sqlite/runtime.db "SELECT count(*) FROM host_call; SELECT count(*) FROM device_task" >before
    cp PROF_1/host/data/unaging.api_event.data.slice_0 PROF_1/host/data/unaging.api_event.data.slice_1
    cp PROF_1/device_0/data/stars_soc.data.0.slice_0 PROF_1/device_0/data/stars_soc.data.0.slice_7
    run_msprof import -dir PROF_1
    expect_status 3
    expect_contains "$stderr" "host/data/unaging.api_event.data.slice_1: the same"
    expect_contains "$stderr" "bytes as 'host/data/unaging.api_event.data.slice_0', which is decoded"
    expect_contains "$stderr" "bytes as 'device_0/data/stars_soc.data.0.slice_0', which is decoded"
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT count(*) FROM host_call; SELECT count(*) FROM device_task")" "$(<before)"
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

@test "a baseline's directory is cleared of what a killed run left there" {
    cp -r "$repository"/testdata/resnet50/JOB* JOB_1
    mkdir baselines
    : >baselines/.msprof.0123456789abcdef.tmp
    run_msprof diff --base JOB_1 --save baselines/one.json
    expect_status 0
    expect_equal "$(ls -A baselines)" one.json
}
