#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files of lines, sound and damaged: over every fixture below testdata/kinds.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets MSPROF and repository
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

python() {
    PYTHONPATH=$repository/tests/cann/system python3 -c "from text_kinds import *
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

@test "text files become the rows that their fixtures say" {
    python3 "$BATS_TEST_DIRNAME/system/text_kinds.py" "$MSPROF" "$repository/testdata/kinds" "$PWD/work"
}

@test "of a damaged text the sound rows stay, and what is lost is counted and named" {
    python3 "$BATS_TEST_DIRNAME/system/text_damage.py" "$MSPROF" "$repository/testdata/kinds" "$PWD/work"
}

@test "a block of text that lost its first line swallows no other: the sample is rejected, and the others stay" {
    memory text
    expect_equal "$status $(samples) $(rejected)" "0 500,501,502 0"
    memory "text.replace('0\n\nTimeStamp:1000000192001', '0xxximeStamp:1000000192001')"
    expect_equal "$status $(samples)" "3 500,502"
    [ "$(rejected)" -gt 0 ]
    expect_contains "$stderr" "a second 'total_kb' in one block"
}

@test "what the only block of a file lacks is told, because no other says what blocks have" {
    one="read_fixture('$repository/testdata/kinds/system_memory/device.text')[2]"
    memory "$one"
    expect_equal "$status" 0
    expect_equal "$(grep -c 'first block' <<<"$stderr")" 0
    for damage in "replace('500042520', '500.042520')" "replace('MemFree', 'SomethingElse')"; do
        memory "($one).$damage"
        expect_contains "$stderr" "the first block has no line of 'free_kb'"
    done
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

@test "a line whose first word is one letter off a known one is rejected, and the block keeps its other values" {
    memory "text.replace('MemTotal: 800 kB\\nMemFree: 501', 'MemTntal: 800 kB\\nMemFree: 501')"
    expect_equal "$status $(samples)" "3 500,502"
    expect_contains "$stderr" "'MemTntal: 800 kB'; expected 'MemTotal: {total_kb} kB'"
    memory "text.split('\\n\\n')[0].replace('MemTotal', 'MemTntal') + '\\n'"
    expect_equal "$status $(samples) $(rejected)" "3 500 1"
}

# The capture of everything that a system records, with one of its files changed as the Python expression over its text says.
system() { # file, expression
    rm -rf PROF_1
    cp -R "$repository"/testdata/cann/system-910a/PROF_* PROF_1
    chmod -R u+w PROF_1
    python3 - "PROF_1/$1" "$2" <<'END'
import sys
with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
changed = eval(sys.argv[2])
assert changed != text
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write(changed)
END
    run_msprof import -dir PROF_1
}

@test "a sample that has run into its first function is rejected, not taken for a function of the sample before" {
    system device_0/data/ai_ctrl_cpu.data.0.slice_0 "text.replace('\\n\\nslogd  2002/2001  [006]', '\\n slogd  2002/2001  [006]')\
.replace('687671  raw 0x1b: \\n', '687671  raw 0x1b:  ')"
    expect_status 3
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT records_decoded, records_rejected FROM source_file
        WHERE kind = 'cpu_sample'")" "47|1"
}

@test "a line of a dictionary that holds a further one is told" {
    system host/data/unaging.additional.type_info_dic.slice_0 "text.replace('\\n5000_0:', ' 5000_0:')"
    expect_status 3
    expect_contains "$stderr" "5000_0:KERNEL_AICORE'; expected <level>_<type>:<name>"
}

@test "a line with another number of values than those before it is told" {
    system device_0/data/nic.data.0.slice_0 "text.replace('536538600 ', '5365386 0 ')"
    expect_contains "$stderr" "nic.data.0.slice_0: record 13"
    expect_contains "$stderr" "expected as many values as before"
}

@test "a batch in net.info that no inference is of is told" {
    cp -R "$repository"/testdata/resnet50/JOB* JOBX
    chmod -R u+w JOBX
    sed -i 's/"batch_num":1/"batch_num":3/' JOBX/data/*.net.info
    run_msprof import -dir JOBX
    expect_contains "$stderr" "resnet50: field batch_num: 3 in its net.info, but no inference has it"
}
