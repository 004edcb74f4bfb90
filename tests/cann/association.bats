#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How records of host and device are joined: small captures whose answer is known.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3 sqlite3
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
    expect_sql "SELECT task_id, op_name, op_type FROM device_task_report ORDER BY id" $'1|op|Type\n2|other|kernel'
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

@test "a task that begins in the very tick of a flip belongs to the new batch" {
    capture <<'END'
p.launch(0, 1, 1, 'before', batch=0)
p.launch(200, 1, 1, 'after', batch=1)
p.ran(4000, 5000, 1, 1)
p.flip(6000, 1, 1)
p.ran(6000, 7000, 1, 1)
END
    expect_sql "SELECT op_name, batch_id FROM device_task_report ORDER BY id" $'before|0\nafter|1'
}

@test "batches count from the begin of the capture on both sides" {
    capture <<'END'
p.launch(0, 1, 65535, 'before', batch=7)
p.launch(200, 1, 0, 'after', batch=8)
p.flip(5000, 1, 8)
p.ran(3000, 4000, 1, 65535)
p.ran(6000, 7000, 1, 0)
END
    expect_sql "SELECT op_name, batch_id FROM device_task_report ORDER BY id" $'before|0\nafter|1'
}

@test "the runtime's own flips tell the batch, and are no tasks" {
    capture <<'END'
for batch in range(4):
    for task in range(3):
        p.launch(batch * 1000 + task * 200, 1, task, 'op%d.%d' % (batch, task))
    p.host_flip(batch * 1000 + 900, 1, batch + 1)
    for task in range(3):
        p.ran(20000 * (batch + 1) + task * 2000, 20000 * (batch + 1) + 1000 + task * 2000, 1, task)
    p.flip(20000 * (batch + 1) + 15000, 1, batch + 1)
END
    expect_sql "SELECT count(*) FROM device_task WHERE connection_id IS NULL" 0
    expect_sql "SELECT count(*), min(op_name = 'op' || batch_id || '.' || task_id) FROM device_task_report" "12|1"
}

@test "tasks of a new batch that were recorded before its flip belong to it all the same" {
    capture <<'END'
p.launch(0, 1, 65534, 'old')
p.launch(200, 1, 0, 'overtook')
p.launch(400, 1, 1, 'overtook too')
p.host_flip(600, 1, 1, task=2)
p.launch(800, 1, 65534, 'new')
p.ran(10000, 11000, 1, 65534)
p.ran(12000, 13000, 1, 0)
p.ran(14000, 15000, 1, 1)
p.flip(16000, 1, 1, task=2)
p.ran(17000, 18000, 1, 65534)
END
    expect_sql "SELECT op_name, batch_id FROM device_task_report ORDER BY id" \
        $'old|0\novertook|1\novertook too|1\nnew|1'
}

@test "a stream that is destroyed and made again begins a batch, whatever the numbers in front" {
    capture <<'END'
p.launch(0, 1, 1, 'first life')
p.host_flip(200, 1, 65535, task=65535)
p.launch(400, 1, 1, 'second life')
p.ran(10000, 11000, 1, 1)
p.flip(12000, 1, 65535, task=65535)
p.ran(13000, 14000, 1, 1)
END
    expect_sql "SELECT op_name, batch_id FROM device_task_report ORDER BY id" $'first life|0\nsecond life|1'
}

# Four batches of a stream, each with a flip in front but the first; flips that a side lost are left out. A task's name says
# its batch and its number.
batches_without() { # lost flips of the host, of the device, batches whose tasks the device lost, numbers of a batch
    capture <<END
host, device, head, numbers = {$1}, {$2}, {$3}, [$4]
for batch in range(4):
    if batch > 0:
        if batch not in host:
            p.host_flip(batch * 1000 - 100, 1, batch)
        if batch not in device:
            p.flip(20000 * (batch + 1) - 500, 1, batch)
    for i, task in enumerate(numbers):
        p.launch(batch * 1000 + i * 200, 1, task, 'op%d.%d' % (batch, task))
        if batch not in head:
            p.ran(20000 * (batch + 1) + i * 2000, 20000 * (batch + 1) + 1000 + i * 2000, 1, task)
# another stream, whose flips are all there
p.host_flip(5000, 2, 1)
p.flip(150000, 2, 1)
END
}

@test "a lost flip does not shift the names of a stream's tasks: batches come from the numbers of flips" {
    local lost
    for lost in '0|1|0|9' '0|1|9|12' '0|2|9|12' '0|3|9|12' '0|1,2|9|12' '0|2,3|9|12' '0|1,2,3|9|12' '2|0|9|12' '2|2|9|12' \
        '1|1|0|9' '1|0|9|12' '0|1,2|0,1|6'; do
        IFS='|' read -r host device head tasks <<<"$lost"
        for numbers in 0,1,2 65532,65533,65534; do
            batches_without "$host" "$device" "$head" "$numbers"
            expect_sql "SELECT count(*), count(DISTINCT op_name), min(op_name = 'op' || batch_id || '.' || task_id)
                FROM device_task_report" "$tasks|$tasks|1"
        done
    done
}

@test "a flip with a damaged number counts as one more" {
    capture <<'END'
for batch in range(4):
    for task in range(3):
        p.launch(batch * 1000 + task * 200, 1, task, 'op%d.%d' % (batch, task))
        p.ran(20000 * (batch + 1) + task * 2000, 20000 * (batch + 1) + 1000 + task * 2000, 1, task)
    p.host_flip(batch * 1000 + 900, 1, batch + 1)
    p.flip(20000 * (batch + 1) + 15000, 1, 60000 if batch == 1 else batch + 1)
END
    expect_sql "SELECT count(*), min(op_name = 'op' || batch_id || '.' || task_id) FROM device_task_report" "12|1"
}

@test "a stream of several lives keeps its names when the flips of one are lost" {
    capture <<'END'
def life(first, second, flips):
    for batch in range(2):
        for task in range(3):
            at = first + batch * 1000 + task * 200
            p.launch(at, 1, task, '%s%d.%d' % (second, batch, task))
            p.ran(100000 + at * 10, 100000 + at * 10 + 500, 1, task)
        if batch == 0:
            p.host_flip(first + 900, 1, 1)
            if flips:
                p.flip(100000 + (first + 900) * 10, 1, 1)
    p.host_flip(first + 1900, 1, 65535, task=65535)
    p.flip(100000 + (first + 1900) * 10, 1, 65535, task=65535)
life(0, 'a', False)
life(2000, 'b', True)
END
    expect_sql "SELECT group_concat(op_name, ' ') FROM (SELECT op_name FROM device_task_report ORDER BY id)" \
        "a0.0 a0.1 a0.2 a1.0 a1.1 a1.2 b0.0 b0.1 b0.2 b1.0 b1.1 b1.2"
}

@test "more than 65536 tasks of a stream are each matched" {
    capture <<'END'
names = ['op%d' % i for i in range(7)]
for i in range(70000):
    p.launch(i * 200, 1, i % 65536, names[i % 7], batch=i >> 16)
    if i == 65536:
        p.flip(100000 + i * 100 - 20, 1, 1)
    p.ran(100000 + i * 100, 100040 + i * 100, 1, i % 65536)
END
    expect_sql "SELECT count(*), sum(op_name = 'op' || ((batch_id * 65536 + task_id) % 7)), max(batch_id)
        FROM device_task_report" "70000|70000|1"
}

@test "flips of one stream say nothing of another" {
    capture <<'END'
for i, name in enumerate(['a', 'b']):
    p.launch(i * 200, 1, 1, name, batch=i)
    p.launch(i * 200 + 100, 2, 1, name + name, batch=i)
    p.ran(10000 + i * 2000, 11000 + i * 2000, 1, 1)
    p.ran(10100 + i * 2000, 11100 + i * 2000, 2, 1)
p.flip(11500, 1, 1)
END
    expect_sql "SELECT stream_id, op_name FROM device_task_report ORDER BY id" $'1|a\n2|aa\n1|b\n2|bb'
}

@test "a flip of an expanded stream says nothing of the one of its lowest 11 bits, in whatever order directories are read" {
    write_capture <<'END'
p.expand_streams()
expanded, other = 3000, 3000 & 0x7ff
p.launch(0, expanded, 65000, 'before')
p.launch(1000, other, 7, 'first')
p.host_flip(1500, expanded, 1)
p.launch(2000, expanded, 3, 'after')
p.launch(3000, other, 8, 'second')
p.ran(5000, 5100, expanded, 65000)
p.ran(5200, 5300, other, 7)
p.flip(6000, expanded, 1)
p.ran(7000, 7100, expanded, 3)
p.ran(7200, 7300, other, 8)
END
    mv PROF_1 made
    for order in 'host device_0' 'device_0 host'; do
        rm -rf PROF_1 && mkdir PROF_1
        for part in $order; do
            cp -r "made/$part" PROF_1
        done
        run_msprof import -dir PROF_1
        expect_status 0
        expect_sql "SELECT stream_id, op_name, batch_id FROM device_task_report ORDER BY id" \
            $'3000|before|0\n952|first|0\n3000|after|1\n952|second|0'
    done
}

@test "maintenance of streams and tasks of other processors are no tasks of a device" {
    capture <<'END'
p.call(RUNTIME, 1, 0, 100)
p._add(p.host, 'unaging.compact.task_track', struct.pack('<HHIIIQHHHHQQ16x', 0x5a5a, RUNTIME, 802, 1, 24,
       MONOTONIC + 10, 0, 1, 1, 0, 6, 0), 64)
p.track(20, 1, 2, device=0x1000)
p.track(30, 1, 3)
p.ran(1000, 2000, 1, 1)
p.ran(3000, 4000, 1, 2)
p.ran(5000, 6000, 1, 3)
END
    expect_sql "SELECT task_id, connection_id FROM device_task ORDER BY id" $'1|\n2|\n3|1'
    expect_sql "SELECT launches FROM host_call" 1
}

@test "wider records of the second generation say the same, and give way to those of the first" {
    capture <<'END'
for i in range(2):
    p.call(RUNTIME, 1, i * 200 + 20, i * 200 + 60)
    p.track_v2(i * 200 + 40, 70000 % 2048 + i, 65535, batch=1)
    p.node(i * 200 + 90, 'op%d' % i, 'Type')
    p.call(NODE, LAUNCH, i * 200, i * 200 + 100, item=p.hash('op%d' % i))
    p.ran(1000 + i * 2000, 2000 + i * 2000, 70000 % 2048 + i, 65535)
p.capture_v2(0, 70000 % 2048, 123456)
END
    expect_sql "SELECT op_name, model_id FROM device_task_report ORDER BY id" $'op0|123456\nop1|'
    expect_sql "SELECT status, model_id, device_id FROM capture_stream_info" "0|123456|0"
    rm -rf PROF_1
    capture <<'END'
p.launch(0, 1, 1, 'first')
p.track_v2(40, 1, 1)
p.capture(0, 1, 5)
p.capture_v2(0, 1, 6)
p.ran(1000, 2000, 1, 1)
END
    expect_sql "SELECT op_name, model_id FROM device_task_report" "first|5"
    expect_sql "SELECT launches FROM host_call WHERE level = 5000" 1
    expect_contains "$stderr" "duplicates the records of task_track, which are decoded"
}

@test "tasks of physical streams stand under their logic stream, in every table and on the timeline" {
    capture <<'END'
for i, stream in enumerate((101, 102, 7, 156)):
    p.launch(i * 1000, stream, 1, 'op%d' % i)
    p.ran(100000 + i * 2000, 101000 + i * 2000, stream, 1)
p.logic_stream(42, [101, 102, 103])
p.logic_stream(2 ** 31 + 5, list(range(110, 166)))
END
    expect_sql "SELECT op_name, stream_id FROM device_task_report ORDER BY id" $'op0|42\nop1|42\nop2|7\nop3|2147483653'
    run_msprof export summary PROF_1 --stable-names
    run_msprof export timeline PROF_1 --stable-names
    for name in op_summary:4 task_time:4; do
        IFS=: read -r table stream <<<"$name"
        expect_equal "$(tail -n +2 "PROF_1/mindstudio_profiler_output/$table.csv" | cut -d , -f "$stream" | sort -n |
            tr '\n' ' ')" "7 42 42 2147483653 "
    done
    expect_equal "$(grep -o '"Stream [0-9]*"' PROF_1/mindstudio_profiler_output/msprof.json | sort -u | tr '\n' ' ')" \
        '"Stream 2147483653" "Stream 42" "Stream 7" '
}

@test "a record of more physical streams than it has room for is told, and the others count" {
    capture --status 3 <<'END'
p.launch(0, 101, 1, 'op')
p.ran(100000, 101000, 101, 1)
p.logic_stream(42, [101], count=57)
p.logic_stream(43, [102])
END
    expect_contains "$stderr" "field stream_count: 57 streams; expected at most 56"
    expect_sql "SELECT stream_id FROM device_task" 101
    expect_sql "SELECT logic_stream_id FROM logic_stream_info" 43
}

@test "a task is of the model that is being executed around it" {
    capture <<'END'
p.launch(10, 1, 1, 'inside')
p.call(MODEL, 1, 0, 200, item=77)
p.names['not a model'] = 77
p.launch(300, 1, 2, 'outside')
p.ran(1000, 2000, 1, 1)
p.ran(3000, 4000, 1, 2)
END
    expect_sql "SELECT op_name, model_id FROM device_task_report ORDER BY id" $'inside|77\noutside|'
    expect_sql "SELECT item FROM host_call_report WHERE level_name = 'model'" 77
    run_msprof export summary -dir PROF_1
    expect_equal "$(cut -d, -f2,5 PROF_1/mindstudio_profiler_output/op_summary_*.csv | tail -n 2)" \
        $'77,inside\n4294967295,outside'
}

@test "tasks of a stream that a model captured are of that model until the capture ends" {
    capture <<'END'
p.launch(0, 9, 1, 'too early')
p.capture(500, 9, 3)
p.launch(600, 9, 2, 'captured')
p.launch(800, 8, 2, 'other stream')
p.launch(1000, 9, 2, 'other device', device=1)
p.capture(2000, 9, 3, ends=True)
p.launch(2200, 9, 3, 'too late')
p.capture(3000, 9, 4)
p.launch(3200, 9, 4, 'another model')
for task in (1, 2, 3, 4):
    p.ran(100000 + task * 2000, 101000 + task * 2000, 9, task)
p.ran(120000, 121000, 8, 2)
p.ran(120000, 121000, 9, 2, device=1)
END
    expect_sql "SELECT op_name, model_id FROM device_task_report ORDER BY id" \
        $'too early|\ncaptured|3\ntoo late|\nanother model|4\nother stream|\nother device|'
}

@test "operators described in records that age are dynamic, the others static" {
    capture <<'END'
p.launch(0, 1, 1, 'static')
p.launch(200, 1, 2, 'dynamic', node={'age': 'aging'})
p.ran(1000, 2000, 1, 1)
p.ran(3000, 4000, 1, 2)
END
    run_msprof export summary -dir PROF_1
    expect_equal "$(cut -d, -f5,7 PROF_1/mindstudio_profiler_output/op_summary_*.csv | tail -n 2)" \
        $'static,static\ndynamic,dynamic'
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

@test "a split task has an operator for each part and none for the whole" {
    capture <<'END'
p.call(RUNTIME, 1, 20, 60)
p.track(40, 1, 1, task_type='FFTS_PLUS')
p.node(80, 'graph', 'Graph', task_type=6)
p.node(81, 'left', 'Type')
p.node(82, 'right', 'Type')
p.contexts(91, 'left', [3])
p.contexts(92, 'right', [4, 5])
p.call(NODE, LAUNCH, 0, 100, item=p.hash('graph'))
p.ran(1000, 9000, 1, 1)
p.ran_part(1000, 2000, 1, 1, 3)
p.ran_part(2000, 5000, 1, 1, 4)
p.ran_part(5000, 8000, 1, 1, 5)
END
    expect_sql "SELECT context_id, op_name, connection_id FROM device_task_report ORDER BY id" \
        $'3|left|1\n||1\n4|right|1\n5|right|1'
    run_msprof export summary -dir PROF_1
    expect_equal "$(tail -n +2 PROF_1/mindstudio_profiler_output/op_summary_*.csv | wc -l)" 3
}

@test "kinds of parts from 8 on keep all their bits" {
    capture <<'END'
p.ran_part(1000, 2000, 1, 1, 300, kind=12)
p.ran_part(2000, 3000, 1, 1, 301, kind=8)
END
    expect_sql "SELECT context_id, type FROM device_task ORDER BY id" $'300|12\n301|8'
}

@test "a mixed kernel that nobody described is part 0 of its task" {
    capture <<'END'
p.call(RUNTIME, 1, 20, 60)
p.track(40, 1, 1, task_type='KERNEL_MIX_AIC')
p.ran(1000, 5000, 1, 1)
p.ran_part(1000, 5000, 1, 1, 0, kind=6)
END
    expect_sql "SELECT context_id, kernel_name FROM device_task_report ORDER BY id" $'0|kernel\n|kernel'
}

@test "counters of a part go to that part, not to the whole" {
    capture <<'END'
p.launch(0, 1, 1, 'split', task_type='FFTS_PLUS')
p.contexts(91, 'split', [3, 4])
p.ran(1000, 9000, 1, 1)
p.ran_part(1000, 2000, 1, 1, 3)
p.ran_part(3000, 5000, 1, 1, 4)
p.pmu(3000, 5000, 1, 1, 400, range(8), ffts=4, part=1, context=4)
p.pmu(1000, 2000, 1, 1, 300, range(8), ffts=4, part=0, context=3)
END
    expect_sql "SELECT context_id, aic_total_cycle, aiv_total_cycle FROM device_task ORDER BY id" \
        $'3|300|\n||\n4||400'
}

@test "blocks on the other kind of core of a mixed task are added up, as many as it has" {
    capture <<'END'
p.launch(0, 1, 1, 'mix', task_type='KERNEL_MIX_AIC', node={'task_type': 4, 'blocks': 2, 'mix': 2})
p.contexts(91, 'mix', [0])
p.ran(1000, 5000, 1, 1)
p.ran_part(1000, 5000, 1, 1, 0, kind=6)
p.pmu(1000, 5000, 1, 1, 1000, [10] * 8, ffts=4, part=6)
for block in range(2):
    p.block_pmu(1000, 5000, 1, 1, 500, [5] * 8, core=0, part=6, block=block)
for block in range(5):
    p.block_pmu(1000, 5000, 1, 1, 100 + block, [block] * 8, core=1, part=6, block=block)
END
    expect_sql "SELECT context_id, aic_total_cycle, aic_event0, aiv_total_cycle, aiv_event0 FROM device_task
        WHERE context_id = 0" "0|1000|10|406|6"
}

@test "a task that began on vector cores has its blocks on cube cores added up" {
    capture <<'END'
p.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'ai_core_profiling_events': PIPES,
                'aiv_metrics': 'PipeUtilization', 'aiv_profiling_events': PIPES}
p.launch(0, 1, 1, 'mix', task_type='KERNEL_MIX_AIV', node={'task_type': 5, 'blocks': 16, 'mix': 1})
p.contexts(91, 'mix', [0])
p.ran(1000, 5000, 1, 1)
p.ran_part(1000, 5000, 1, 1, 0, kind=7)
p.pmu(1000, 5000, 1, 1, 32000, [800] * 8, ffts=4, part=7)
for block in range(16):
    p.block_pmu(1000, 5000, 1, 1, 1000, [100] * 8, core=0, part=7, block=block)
END
    expect_sql "SELECT aic_total_cycle, aic_event0, aiv_total_cycle, aiv_event0 FROM device_task
        WHERE context_id = 0" "16000|1600|32000|800"
    run_msprof export summary -dir PROF_1
    # 16000 cycles of 1 GHz over 16 blocks in two rounds on 8 cores; 32000 over 16 blocks on 16
    expect_equal "$(python3 - PROF_1/mindstudio_profiler_output/op_summary_*.csv <<'END'
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(row['Op Name'], row['aicore_time(us)'], row['aiv_time(us)'])
END
)" "mix 2 2"
}

@test "blocks of another context or of another time are not added up" {
    capture <<'END'
p.launch(0, 1, 1, 'mix', task_type='KERNEL_MIX_AIC', node={'task_type': 4, 'blocks': 2, 'mix': 2})
p.contexts(91, 'mix', [0])
p.ran(1000, 5000, 1, 1)
p.ran_part(1000, 5000, 1, 1, 0, kind=6)
p.pmu(1000, 5000, 1, 1, 1000, [10] * 8, ffts=4, part=6)
p.block_pmu(1000, 5000, 1, 1, 100, [1] * 8, core=1, part=6)
p.block_pmu(1000, 5000, 1, 1, 200, [2] * 8, core=1, part=6, context=1)
p.block_pmu(0, 500, 1, 1, 400, [4] * 8, core=1, part=6)
p.block_pmu(6000, 7000, 1, 1, 800, [8] * 8, core=1, part=6)
END
    expect_sql "SELECT aic_total_cycle, aiv_total_cycle, aiv_event0 FROM device_task WHERE context_id = 0" "1000|100|1"
    expect_sql "SELECT sum(records_rejected) FROM source_file" 3
}

@test "a task whose split is called mix counted on vector cores, and its blocks are not added up" {
    capture <<'END'
p.ran(1000, 5000, 1, 1)
p.ran(6000, 9000, 1, 2)
p.pmu(1000, 5000, 1, 1, 1000, range(8), ffts=5, part=6)
p.pmu(6000, 9000, 1, 2, 2000, range(8), ffts=5, part=0)
p.block_pmu(1000, 5000, 1, 1, 100, range(8), core=1, part=6, ffts=5)
p.block_pmu(1000, 5000, 1, 1, 100, range(8), core=0, part=7, ffts=5)
END
    expect_sql "SELECT aic_total_cycle, aiv_total_cycle FROM device_task ORDER BY id" $'|1000\n|2000'
}

@test "blocks of a task that is not mixed count for nothing" {
    capture <<'END'
p.ran(1000, 5000, 1, 1)
p.pmu(1000, 5000, 1, 1, 1000, range(8))
p.block_pmu(1000, 5000, 1, 1, 100, range(8), core=1, part=0, ffts=0)
END
    expect_sql "SELECT aic_total_cycle, aiv_total_cycle FROM device_task" "1000|"
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

@test "counters of a run that is not in the log are told, and given to no other run" {
    for chip in 5 7 8 11; do
        rm -rf PROF_1
        capture <<END
p.chip = $chip
p.pmu(100, 200, 1, 1, 1111, range(8))
p.pmu(500, 1100, 1, 1, 2222, range(8))
p.pmu(3000, 4000, 1, 1, 9999, range(8))
for start, cycles in ((1000, None), (5000, 3333), (7000, 4444)):
    p.ran(start, start + 1000, 1, 1)
    if cycles is not None:
        p.pmu(start, start + 1000, 1, 1, cycles, range(8))
p.log(1, 9000, 2, 1)
p.pmu(8500, 9000, 2, 1, 5555, range(8))
p.ran(9500, 9600, 2, 1)
p.pmu(9500, 9600, 2, 1, 6666, range(8))
END
        expect_status 3
        expect_sql "SELECT coalesce(aic_total_cycle, aiv_total_cycle) FROM device_task ORDER BY start_ns" $'2222\n3333\n4444\n6666'
        expect_equal "$(grep -c 'which did not run then' <<<"$stderr")" 3
        for record in 0 2 5; do
            expect_contains "$stderr" "record $record, offset $((128 * record)): counters of stream"
        done
    done
}

@test "counters of a task that did not run are told and not shown" {
    capture <<'END'
p.ran(1000, 2000, 1, 1)
p.pmu(1000, 2000, 1, 2, 100, range(8))
END
    expect_sql "SELECT count(*) FROM device_task WHERE aic_total_cycle IS NOT NULL" 0
    expect_contains "$stderr" "counters of stream 1 task 2"
}

@test "operators that no record of their launch describes are counted; tensors of any name describe the only one of a launch" {
    capture <<'END'
p.launch(0, 1, 1, 'first')
p.tensors(80, 'first', [(0, 2, 0, [2, 3])])
p.call(RUNTIME, 1, 220, 260)
p.call(NODE, LAUNCH, 200, 300, item=p.hash('second'))
p.track(240, 1, 2)
p.tensors(280, 'its kernel', [(1, 2, 0, [8, 9])])
p.launch(400, 1, 3, 'third')
p.tensors(480, 'another', [(0, 2, 0, [4, 5])])
p.launch(600, 1, 4, 'fourth')
p.node(670, 'beside', 'Type')
p.tensors(680, 'another', [(0, 2, 0, [6, 7])])
for number in 1, 2, 3, 4:
    p.ran(1000 * number, 1000 * number + 500, 1, number)
END
    expect_sql "SELECT op_name, op_type, input_shapes, output_shapes FROM device_task_report ORDER BY id" \
        $'first|Type|2,3|\nsecond|kernel||8,9\nthird|Type|4,5|\nfourth|Type||'
    expect_contains "$stderr" "of 4 operators, the launches of 1 have no record of kind node_basic_info, and those of 1 only records"
}

@test "counters of a task that has others already are told, and the first count" {
    capture <<'END'
p.ran(1000, 2000, 1, 1)
p.pmu(1000, 2000, 1, 1, 100, range(8))
p.pmu(1000, 2000, 1, 1, 200, range(8))
END
    expect_status 3
    expect_sql "SELECT aic_total_cycle FROM device_task" 100
    expect_contains "$stderr" "counters of stream 1 task 1, which has others already"
    expect_sql "SELECT sum(records_rejected) FROM source_file" 1
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

@test "a kernel of type KERNEL_SIMT has the grid and the block that it was launched with, and no other has" {
    capture <<'END'
p.call(RUNTIME, 1, 20, 60)
p.simt(40, 1, 1, (4, 2, 1), (128, 8, 1))
p.node(90, 'simt', 'Simt', blocks=4)
p.call(NODE, LAUNCH, 0, 100, item=p.hash('simt'))
p.launch(200, 1, 2, 'plain')
p.ran(1000, 2000, 1, 1)
p.ran(3000, 4000, 1, 2)
END
    expect_sql "SELECT g.text, b.text FROM device_task LEFT JOIN name g ON g.id = grid_dim_id LEFT JOIN name b ON b.id = block_dim_id" \
        $'4,2,1|128,8,1\n|'
    run_msprof export timeline -dir PROF_1 --trace-compat --stable-names --output out
    run_msprof export db -dir PROF_1 --stable-names --output out
    expect_equal "$(grep -o '"Grid Dim":"[^"]*","Block Dim":"[^"]*"' out/mindstudio_profiler_output/msprof.json)" \
        '"Grid Dim":"4,2,1","Block Dim":"128,8,1"'
    expect_equal "$(sqlite3 out/msprof.db 'SELECT n.value, g.value, b.value FROM COMPUTE_TASK_INFO c JOIN STRING_IDS n ON n.id = c.name
        JOIN STRING_IDS g ON g.id = gridDim JOIN STRING_IDS b ON b.id = blockDim')" $'simt|4,2,1|128,8,1\nplain|N/A|N/A'
}

@test "tasks that the scheduler of a 310P runs itself are tasks, unless the log of the hardware has them" {
    for chip in 4 3; do
        rm -rf PROF_1 out
        { printf 'p.chip = %s\n' "$chip" && cat; } <<'END' | capture
p.types[RUNTIME, 12], p.types[RUNTIME, 116] = 'MODEL_EXECUTE', 'TASK_UPDATE'
p.launch(0, 1, 1, 'first')
p.ran(1000, 2000, 1, 1)
p.scheduled(1200, 1800, 1, 1, 0)
p.call(RUNTIME, 1, 220, 260)
p.track(240, 4, 10, task_type='MODEL_EXECUTE')
p.scheduled(3000, 10000, 4, 10, 12)
p.scheduled(11000, 12000, 4, 11, 116)
END
        run_msprof export summary -dir PROF_1 --stable-names --output out
        found=$(cut -d, -f3,6 out/mindstudio_profiler_output/task_time.csv | tail -n +2)
        [ "$chip" -eq 3 ] || expect_equal "$found" $'AI_CORE,1\nMODEL_EXECUTE,7\nTASK_UPDATE,1'
        [ "$chip" -eq 4 ] || expect_equal "$found" AI_CORE,1
    done
}
