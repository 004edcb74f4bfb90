#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Damaged records of MindSpore and PyTorch: msprof analyse.

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load run

# Analyses a copy, with the bytes at an offset of one of its files of records set to a number of so many bytes.
damaged() { # ms or pt, file, offset, bytes, number
    needs_python
    rm -rf "run_ascend_$1"
    copy_run "$1"
    python3 - "run_ascend_$1/FRAMEWORK/$2" "$3" "$4" "$5" <<'END'
import sys
path, at, size, number = sys.argv[1], *(int(number, 0) for number in sys.argv[2:])
with open(path, "rb+") as file:
    file.seek(at)
    assert file.read(size) != number.to_bytes(size, "little")
    file.seek(at)
    file.write(number.to_bytes(size, "little"))
END
    run_msprof analyse "run_ascend_$1"
}

@test "a text of a type that records of the file have not, one that comes twice and one that is no UTF-8 are told" {
    # the record's head, then the head and the nine letters of its name
    damaged ms mindspore.record_shapes 21 2 8
    expect_contains "$stderr" "mindspore.record_shapes: record 1, offset 0: a text of type 8"
    damaged ms mindspore.record_shapes 21 2 0
    expect_contains "$stderr" "mindspore.record_shapes: record 1, offset 0: two texts of type 0; the last counts"
    damaged ms mindspore.record_shapes 12 1 0xff
    expect_contains "$stderr" "mindspore.record_shapes: record 1, offset 0: a text of type 0 is not UTF-8; it is N/A"
    damaged pt torch.op_range 64 2 77
    expect_contains "$stderr" "torch.op_range: record 1, offset 0: a text of type 77"
}

@test "a record of another process than the first is told" {
    damaged pt torch.op_mark 38 8 1
    expect_contains "$stderr" "FRAMEWORK/torch.op_mark: record 1, offset 0, field process: "
    damaged pt torch.python_tracer_func 16 8 1
    expect_contains "$stderr" "FRAMEWORK/torch.python_tracer_func: record 1, offset 0, field process: 1, where the first record has "
    damaged pt torch.gc_record 0 8 1
    expect_contains "$stderr" "FRAMEWORK/torch.gc_record: record 1, offset 0, field process: 1, where the first record has "
}

@test "a block of more bytes than devices have, a kind of memory that is none and a time in another year are told" {
    damaged ms mindspore.memory_usage 42 8 0x7fffffffffffffff
    expect_status 3
    expect_contains "$stderr" "mindspore.memory_usage: record 1, offset 0: a block of 9223372036854775807 bytes"
    damaged ms mindspore.memory_usage 26 8 1
    expect_status 3
    expect_contains "$stderr" "mindspore.memory_usage: record 1, offset 0: a time months away from the capture"
    damaged pt torch.memory_usage 62 1 21
    expect_contains "$stderr" "torch.memory_usage: record 1, offset 0: device type 21, component "
    damaged ms cpu_op_execute_timestamp_1.txt 27 1 0x35
    expect_status 3
    expect_contains "$stderr" "cpu_op_execute_timestamp_1.txt: record 1: a run months away from the capture"
}

@test "a control character in a text is told with its file, and leaves as U+FFFD" {
    damaged ms mindspore.record_shapes 29 1 0x1b
    expect_status 3
    expect_contains "$stderr" "FRAMEWORK/mindspore.record_shapes: record 1, offset 0: byte "
    damaged ms cpu_op_execute_timestamp_1.txt 9 1 0x7f
    expect_status 3
    expect_contains "$stderr" "cpu_op_execute_timestamp_1.txt: record 1: byte 9 of a text of "
    run ! grep -rq $'\x7f' run_ascend_ms/ASCEND_PROFILER_OUTPUT --include=*.csv --include=*.json
    needs_python
    copy_run pt
    python3 - run_ascend_pt/FRAMEWORK/torch.op_range <<'END'
import re, sys
with open(sys.argv[1], "rb+") as file:
    file.seek(re.search(rb"aten::", file.read()).start())
    file.write(b"a\xc2\x9b")
END
    run_msprof analyse run_ascend_pt
    expect_status 3
    expect_contains "$stderr" "FRAMEWORK/torch.op_range: record "
    run ! grep -rq $'\xc2\x9b' run_ascend_pt/ASCEND_PROFILER_OUTPUT --include=*.csv --include=*.json
    copy_run ms
    sed -i '0,/"op_type": "./s//&\\u001b/' run_ascend_ms/FRAMEWORK/pipeline_profiling_1.json
    run_msprof analyse run_ascend_ms
    expect_status 3
    expect_contains "$stderr" "run_ascend_ms: byte 1 of a text of "
}

@test "an arrow, and work in the queue, whose other end has another number are told" {
    needs_python
    copy_run ms
    copy_run pt
    python3 - <<'END'
def each(path, fixed):
    with open(path, "rb") as file:
        content = bytearray(file.read())
    at = 0
    while at < len(content):
        yield content, at + 6
        at += 6 + int.from_bytes(content[at + 2:at + 6], "little")
    with open(path, "wb") as file:
        file.write(content)

changed = False
for content, at in each("run_ascend_ms/FRAMEWORK/mindspore.op_range", 54):
    flow = int.from_bytes(content[at + 8:at + 16], "little")
    if not changed and flow != 2**64 - 1 and b"flow" in content[at + 54:at + 90]:
        content[at + 8:at + 16] = (flow ^ 1 << 40).to_bytes(8, "little")
        changed = True
assert changed
changed = False
for content, at in each("run_ascend_pt/FRAMEWORK/torch.op_mark", 40):
    if not changed and int.from_bytes(content[at + 8:at + 16], "little") == 2:
        content[at + 21] ^= 1
        changed = True
assert changed
END
    run_msprof analyse run_ascend_ms
    expect_contains "$stderr" "1 starts of arrows in mindspore.op_range have no end"
    run_msprof analyse run_ascend_pt
    expect_contains "$stderr" "1 work items were enqueued but never dequeued"
}

@test "of two pieces of work with one number the later is the one that is taken out of the queue" {
    needs_python
    copy_run pt
    "$MSPROF" analyse -q run_ascend_pt
    mv "$out" before
    python3 - run_ascend_pt/FRAMEWORK/torch.op_mark <<'END'
import sys
with open(sys.argv[1], "rb+") as file:
    content = bytearray(file.read())
    at, works = 6, []
    while at < len(content):
        category, number = (int.from_bytes(content[i:i + 8], "little") for i in (at + 8, at + 16))
        works += [number] if category == 0 else []
        if category < 2 and len(works) == 2 and number == works[0]:
            sys.exit("the first piece of work ends behind the second")
        if category < 2 and number == works[0]:
            content[at + 16:at + 24] = (number + 1).to_bytes(8, "little")
        at += 6 + int.from_bytes(content[at - 4:at], "little")
    assert works[1] == works[0] + 1
    file.seek(0)
    file.write(content)
END
    run_msprof analyse run_ascend_pt
    expect_contains "$stderr" "1 work items were enqueued but never dequeued"
    python3 - before "$out" <<'END'
import csv, sys
before, after = ([float(row["Device Self Duration(us)"]) for row in csv.DictReader(open(d + "/operator_details.csv", newline=""))]
                 for d in sys.argv[1:])
changed = [(a, b) for a, b in zip(before, after) if a != b]
assert len(before) == len(after) and len(changed) == 1 and changed[0][0] > 0 and changed[0][1] == 0, changed
END
}
