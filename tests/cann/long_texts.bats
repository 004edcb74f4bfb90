#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Names and lists of tensors of tens of thousands of bytes: whole, or cut and told.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3 sqlite3
}

# An operator with so many inputs, in records of five.
capture_inputs() { # inputs
    capture <<END
p.launch(0, 1, 1, 'concat')
for i in range(0, $1, 5):
    p.tensors(50, 'concat', [(0, 2, 1, (4096, 1000 + i + k)) for k in range(5)])
p.ran(5000, 6500, 1, 1)
END
}

# Five operators whose names differ only behind so many bytes.
capture_names() { # bytes
    capture <<END
for i in range(5):
    p.launch(1000 * i, 1, 1 + i, 'd' * $1 + '/op%d' % i)
    p.ran(10000 + 1000 * i, 10500 + 1000 * i, 1, 1 + i)
END
}

expect_tensors() { # items of each list: shapes, data types, formats
    python3 - "$@" <<'END'
import sqlite3, sys
shapes, types, formats = sqlite3.connect('PROF_1/sqlite/runtime.db').execute(
    'SELECT input_shapes, input_data_types, input_formats FROM tensor_set s JOIN device_task t ON t.tensor_set_id = s.id').fetchone()
counts = [int(n) for n in sys.argv[1:]]
assert shapes.split(';') == ['4096,%d' % (1000 + i) for i in range(counts[0])], (counts, shapes.count(';'), shapes[-20:])
assert types.split(';') == ['FLOAT16'] * counts[1], (counts, types.count(';'), types[-20:])
assert formats.split(';') == ['ND'] * counts[2], (counts, formats.count(';'), formats[-20:])
END
}

operators() {
    run_msprof show --table ops --columns Count,Name --format csv PROF_1
    tail -n +2 <<<"$output" | sed 's/dddd*/d+/' | sort
}

@test "an operator with 2000 inputs has as many shapes as data types" {
    capture_inputs 2000
    expect_equal "$status" 0
    expect_tensors 2000 2000 2000
    run_msprof export summary PROF_1
    expect_status 0
    expect_contains "$(<"$(echo PROF_1/mindstudio_profiler_output/op_summary_*.csv)")" ';4096,2999'
}

@test "a list of tensors over 64 KiB is cut behind a whole item, and told" {
    capture_inputs 6600
    expect_equal "$status" 3
    expect_tensors 6553 6600 6600
    expect_contains "$stderr" "field input_shapes: a text of table tensor_set has"
}

@test "operators whose names differ behind 17000 bytes are different ones, with whole names" {
    capture_names 17000
    expect_equal "$status" 0
    expect_sql "SELECT count(*), min(length(text)) FROM name WHERE text LIKE '%/op_'" "5|17004"
    expect_equal "$(operators)" $'1,d+/op0\n1,d+/op1\n1,d+/op2\n1,d+/op3\n1,d+/op4'
}

@test "names of more than 64 KiB are cut and told, and those that differ stay different" {
    capture_names 70000
    expect_equal "$status" 3
    expect_contains "$stderr" "field text: a text of table name has 70004 bytes; expected at most 65536"
    expect_sql "SELECT count(*), count(DISTINCT text), max(length(text)) FROM name WHERE text LIKE 'dddd%'" "5|5|65536"
    expect_equal "$(operators | wc -l)" 5
}
