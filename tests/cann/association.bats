#!/usr/bin/env bats
# How records of host and device are joined: small captures whose answer is known.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
    command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
}

# Writes the capture that the Python on standard input describes as p, and imports it.
capture() {
    {
        printf 'import sys\nsys.path.insert(0, "%s")\nfrom prof import *\np = Prof("PROF_1")\n' "$BATS_TEST_DIRNAME"
        cat
        printf 'p.write()\n'
    } >make.py
    PYTHONDONTWRITEBYTECODE=1 python3 make.py
    run_msprof import -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

expect_sql() { # statement, rows
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "$1")" "$2"
}

@test "calls nest by their spans, whatever the order of their records" {
    capture <<'END'
p.call(RUNTIME, 1, 30, 40)
p.call(ACL, 0x50001, 0, 100)
p.call(RUNTIME, 1, 120, 130)
p.call(NODE, LAUNCH, 10, 90)
END
    expect_sql "SELECT level, start_ns % 1000, parent_id FROM host_call ORDER BY id" \
        $'20000|0|\n10000|10|1\n5000|30|2\n5000|120|'
}

@test "of two calls with the same span the one of the higher level is outside" {
    capture <<'END'
p.call(RUNTIME, 1, 0, 100)
p.call(NODE, LAUNCH, 0, 100)
END
    expect_sql "SELECT level, parent_id FROM host_call ORDER BY id" $'10000|\n5000|1'
}

@test "calls that overlap without one holding the other are side by side" {
    capture <<'END'
p.call(ACL, 0x50001, 0, 100)
p.call(NODE, LAUNCH, 50, 150)
p.call(RUNTIME, 1, 60, 70)
END
    expect_sql "SELECT level, parent_id FROM host_call ORDER BY id" $'20000|\n10000|\n5000|2'
}

@test "calls of different threads do not nest" {
    capture <<'END'
p.call(ACL, 0x50001, 0, 100, thread=1)
p.call(RUNTIME, 1, 10, 20, thread=2)
END
    expect_sql "SELECT count(*) FROM host_call WHERE parent_id IS NOT NULL" 0
}

@test "a task has the operator of the launch around its record, each thread its own" {
    capture <<'END'
p.launch(0, 1, 1, 'first', thread=1)
p.launch(10, 2, 1, 'second', thread=2)
p.launch(200, 1, 2, 'third', thread=1)
p.ran(1000, 2000, 1, 1)
p.ran(1200, 2200, 2, 1)
p.ran(3000, 4000, 1, 2)
END
    expect_sql "SELECT op_name, thread_id, stream_id, task_id FROM device_task_report ORDER BY id" \
        $'first|1|1|1\nsecond|2|2|1\nthird|1|1|2'
    expect_sql "SELECT latency_us FROM task_launch ORDER BY task" $'0.98\n1.17\n2.78'
}

@test "a record at the very begin of a launch is outside of it, one at its end inside" {
    capture <<'END'
p.call(RUNTIME, 1, 20, 60)
p.call(NODE, LAUNCH, 0, 100, item=p.hash('op'))
p.track(40, 1, 1)
p.node(100, 'op', 'Type')
p.call(RUNTIME, 1, 220, 260)
p.call(NODE, LAUNCH, 200, 300, item=p.hash('other'))
p.track(240, 1, 2)
p.node(200, 'other', 'Type')
p.ran(1000, 2000, 1, 1)
p.ran(3000, 4000, 1, 2)
END
    expect_sql "SELECT task_id, op_name FROM device_task_report ORDER BY id" $'1|op\n2|'
}

@test "more tensors than a record holds are joined in their order" {
    capture <<'END'
p.launch(0, 1, 1, 'op')
p.tensors(90, 'op', [(0, 2, 1, [n]) for n in range(1, 6)])
p.tensors(91, 'op', [(0, 2, 0, [6, 7]), (1, 2, 3, [8])])
p.ran(1000, 2000, 1, 1)
END
    expect_sql "SELECT input_shapes, input_data_types, output_shapes, output_data_types FROM device_task_report" \
        "1;2;3;4;5;6,7|FLOAT16;FLOAT16;FLOAT16;FLOAT16;FLOAT16;FLOAT|8|INT32"
}

@test "a task number that comes again is matched by batch when the device tells of the flip" {
    capture <<'END'
p.launch(0, 1, 1, 'before', batch=0)
p.launch(200, 1, 1, 'after', batch=1)
p.flip(5000, 1, 1)
p.ran(6000, 7000, 1, 1)
END
    expect_sql "SELECT op_name, batch_id FROM device_task_report" "after|1"
}

@test "without flips tasks of the same number are matched in their order" {
    capture <<'END'
for i, name in enumerate(['a', 'b', 'c']):
    p.launch(i * 200, 1, 1, name, batch=i)
    p.ran(1000 + i * 2000, 2000 + i * 2000, 1, 1)
p.ran(9000, 10000, 1, 1)
END
    expect_sql "SELECT coalesce(op_name, '-') FROM device_task_report ORDER BY id" $'a\nb\nc\n-'
    expect_contains "$stderr" "1 of 4 tasks"
}

@test "a task that was launched once and ran again is that launch every time" {
    capture <<'END'
p.launch(0, 1, 1, 'of a model')
for i in range(3):
    p.ran(1000 + i * 2000, 2000 + i * 2000, 1, 1)
END
    expect_sql "SELECT count(*) FROM device_task_report WHERE op_name = 'of a model'" 3
}

@test "parts of a split task are told apart by their context" {
    capture <<'END'
p.launch(0, 1, 1, 'split', task_type='FFTS_PLUS')
p.contexts(91, 'split', [3, 4])
p.ran(1000, 5000, 1, 1, kind=0)
p.ran_part(1000, 2000, 1, 1, 3)
p.ran_part(2000, 5000, 1, 1, 4)
END
    expect_sql "SELECT context_id, op_name FROM device_task_report WHERE context_id IS NOT NULL ORDER BY id" \
        $'3|split\n4|split'
}

@test "counters go to the execution that was running, in whatever order they come" {
    capture <<'END'
for i in range(3):
    p.launch(i * 200, 1, 1, 'op%d' % i, batch=i)
    p.ran(1000 + i * 2000, 2000 + i * 2000, 1, 1)
for i in (2, 0, 1):
    p.pmu(1000 + i * 2000, 2000 + i * 2000, 1, 1, 100 + i, range(i, i + 8))
END
    expect_sql "SELECT aic_total_cycle, aic_event0, aic_event7, aiv_total_cycle FROM device_task ORDER BY id" \
        $'100|0|7|\n101|1|8|\n102|2|9|'
}

@test "counters of a task that did not run are told and not shown" {
    capture <<'END'
p.ran(1000, 2000, 1, 1)
p.pmu(1000, 2000, 1, 2, 100, range(8))
END
    expect_sql "SELECT count(*) FROM device_task WHERE aic_total_cycle IS NOT NULL" 0
    expect_contains "$stderr" "counters of stream 1 task 2"
}

@test "numbers that no dictionary knows are shown as numbers" {
    capture <<'END'
p.call(NODE, LAUNCH, 0, 100, item=424242)
p.call(RUNTIME, 999, 20, 60)
END
    expect_sql "SELECT name, item FROM host_call_report ORDER BY id" $'launch|424242\n999|0'
}

@test "times are exact to the nanosecond" {
    capture <<'END'
p.call(NODE, LAUNCH, 123456789, 123456790)
p.ran(20, 1000020, 1, 1)
END
    expect_sql "SELECT start_ns - 1700000000000000000, duration_ns FROM host_call" "123456789|1"
    expect_sql "SELECT start_ns - 1700000000000000000, duration_ns FROM device_task" "20|1000000"
}

@test "many nested and unordered calls take no quadratic time" {
    capture <<'END'
import random
order = list(range(100000))
random.Random(1).shuffle(order)
for i in order:
    p.call(RUNTIME, 1, i, 400000 - i)
for i in range(1000):
    p.track(200000 + i, 1, i + 1)
END
    expect_sql "SELECT count(*), max(parent_id) FROM host_call" "100000|99999"
}
