#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Communication operators: which of their tasks say when they ran, what each transferred, and what their kernels are.

# shellcheck disable=SC2154 # common.bash sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load ../cann/small_capture

setup() {
    enter_scratch
    needs python3 sqlite3
}

# Python of captures with communication operators: whole() begins one, task() adds a task to it.
collectives() {
    cat <<'END'
def whole(begin, end, name, collective=True, group='grp_1'):
    p.call(NODE, LAUNCH, begin, end, item=p.hash(name))
    p.node(end - 30, name, 'hcom', task_type=9)
    if collective:
        p.collective(end - 20, group)
def task(begin, item, stream, number, task_type='MEMCPY_ASYNC', kind=MASTER, group='grp_1', ran=None, sqe=11, **transfer):
    p.call(RUNTIME, 1, begin + 20, begin + 60)
    p.track(begin + 40, stream, number, task_type=task_type)
    p.transfer(begin + 80, item, group, int(kind == SLAVE), **transfer)
    p.call(COMMUNICATION, kind, begin, begin + 100, item=p.hash(item))
    if ran:
        p.ran(*ran, stream, number, kind=sqe)
END
}

rows() { # table, columns
    python3 -c 'import csv, sys
for row in csv.DictReader(open("out/mindstudio_profiler_output/%s.csv" % sys.argv[1])):
    print("|".join(row[column].strip() for column in sys.argv[2:]))' "$@"
}

@test "a communication operator lasts from the first to the last task of its main stream, and is none without one" {
    for chip in 5 1; do
        rm -rf PROF_1 out
        {
            printf 'p.chip = %s\n' "$chip"
            collectives
            cat <<'END'
whole(1000, 9000, 'hcom_a')
task(2000, 'Notify_Wait', 11, 1, 'NOTIFY_WAIT', SLAVE)
task(3000, 'Memcpy', 10, 1, size=64)
task(4000, 'Memcpy', 10, 2, size=64)
p.log(0, 20000, 11, 1, 7)
p.ran(50000, 60000, 10, 1, 11)
p.ran(61000, 65000, 10, 2, 11)
p.log(1, 70000, 11, 1, 7)
whole(11000, 19000, 'hcom_b')
task(12000, 'Memcpy', 12, 1, kind=SLAVE, ran=(80000, 90000), size=64)
whole(21000, 29000, 'hcom_c', collective=False)
task(22000, 'Memcpy', 10, 3, ran=(100000, 101000), size=64)
END
        } | capture
        expect_sql "SELECT name, cast(start_us AS integer) % 1000000, time_us FROM communication_report ORDER BY id" \
            $'hcom_a_003_0_1|50|15.0\nhcom_c_003_2_1|100|1.0'
        expect_sql "SELECT t.stream_id, c.op_id FROM communication_task c JOIN device_task t ON t.id = c.task_row_id
            WHERE c.op_id IS NULL" '12|'
        run_msprof export summary -dir PROF_1 --stable-names --output out
        expect_status 0
        expect_equal "$(rows op_summary 'Op Name' 'Task Start Time(us)' 'Task Duration(us)')" \
            $'hcom_a_003_0_1|1700000000000050.000|15\nhcom_c_003_2_1|1700000000000100.000|1'
        expect_equal "$(rows communication_statistic 'Total Time(us)')" '16'
        expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db 'SELECT DISTINCT group_name FROM communication_report')" grp_1
    done
}

@test "a task of communication whose level no dictionary names counts as one of the main stream" {
    {
        collectives
        cat <<'END'
del p.types[COMMUNICATION, MASTER], p.types[COMMUNICATION, SLAVE]
whole(1000, 9000, 'hcom_a')
task(2000, 'Memcpy', 11, 1, kind=SLAVE, ran=(20000, 30000))
task(3000, 'Memcpy', 10, 1, ran=(50000, 60000))
END
    } | capture
    expect_sql "SELECT cast(start_us AS integer) % 1000000, time_us FROM communication_report" '20|40.0'
}

@test "the whole of a split task is no transfer beside its parts, whose types are those of parts, but is one alone" {
    {
        collectives
        cat <<'END'
whole(1000, 9000, 'hcom_split')
p.call(RUNTIME, 1, 2020, 2060)
p.track(2040, 10, 1, task_type='FFTS_PLUS')
p.contexts(2070, 'Memcpy', [2, 3])
p.transfer(2080, 'Memcpy', 'grp_1', 0, size=1024, context=2)
p.transfer(2090, 'Memcpy', 'grp_1', 1, size=2048, context=3)
p.call(COMMUNICATION, MASTER, 2000, 2100, item=p.hash('Memcpy'))
p.ran(20000, 80000, 10, 1, kind=3)
p.ran_part(30000, 50000, 10, 1, 2, kind=8)
p.ran_part(40000, 60000, 10, 1, 3, kind=8)
whole(11000, 19000, 'hcom_whole')
p.call(RUNTIME, 1, 12020, 12060)
p.track(12040, 10, 2, task_type='FFTS_PLUS')
p.contexts(12070, 'Memcpy', [2, 3])
p.transfer(12080, 'Memcpy', 'grp_1', 0, size=512)
p.call(COMMUNICATION, MASTER, 12000, 12100, item=p.hash('Memcpy'))
p.ran(120000, 130000, 10, 2, kind=3)
p.ran_part(210000, 220000, 10, 9, 0, kind=6)
END
    } | capture
    expect_sql "SELECT name, cast(start_us AS integer) % 1000000, time_us FROM communication_report ORDER BY id" \
        $'hcom_split_003_0_1|30|30.0\nhcom_whole_003_1_1|120|10.0'
    expect_sql "SELECT op_id, count(*), sum(bytes) FROM communication_task GROUP BY 1" $'1|2|3072\n2|1|512'
    run_msprof export summary -dir PROF_1 --stable-names --output out
    expect_equal "$(rows task_time kernel_type 'task_time(us)')" \
        $'FFTS_PLUS|60\nSDMA|20\nSDMA|20\nFFTS_PLUS|10\nMIX_AIC|10'
    run_msprof export db -dir PROF_1 --stable-names --output out
    expect_equal "$(sqlite3 out/msprof.db 'SELECT count(*), sum(size) FROM COMMUNICATION_TASK_INFO')" '3|3584'
}

@test "a kernel of the AI cores in a communication operator is COMMUNICATION, HCCL by older names, and a row for viewers" {
    {
        collectives
        cat <<'END'
whole(1000, 9000, 'hcom_reduce')
task(2000, 'Memcpy', 10, 1, ran=(20000, 28000))
task(3000, 'Reduce_TBE', 10, 2, 'KERNEL_AICORE', ran=(30000, 38000), sqe=0)
END
    } | capture
    for version in newest:COMMUNICATION 8.0:HCCL; do
        rm -rf out
        run_msprof export summary -dir PROF_1 --cann-version "${version%:*}" --stable-names --output out
        run_msprof export timeline -dir PROF_1 --cann-version "${version%:*}" --trace-compat --stable-names --output out
        run_msprof export db -dir PROF_1 --cann-version "${version%:*}" --stable-names --output out
        expect_equal "$(rows task_time kernel_name kernel_type | grep kernel)" "kernel|MEMCPY_ASYNC"$'\n'"kernel|${version#*:}"
        expect_contains "$(<out/mindstudio_profiler_output/msprof.json)" "\"Task Type\":\"${version#*:}\""
        expect_equal "$(sqlite3 out/msprof.db "SELECT n.value, t.value FROM COMPUTE_TASK_INFO c
            JOIN STRING_IDS n ON n.id = c.name JOIN STRING_IDS t ON t.id = c.taskType")" "Reduce_TBE|${version#*:}"
    done
    expect_sql "SELECT count(*) FROM device_task WHERE op_task_type = 9" 1
}

@test "the database for viewers has the bandwidth of a payload over the run up to its confirmation, as the timeline" {
    {
        collectives
        cat <<'END'
whole(1000, 9000, 'hcom_rdma')
kinds = [('RDMASend', 1, 6000)] + [('RDMASend', 0, 0), ('Notify_Wait', 0, 0)] * 2
for i, (item, rdma, size) in enumerate(kinds):
    task(2000 + 200 * i, item, 10, 1 + i, ran=(20000 + 2000 * i, 21000 + 2000 * i), size=size, types=(3, 3, 1, rdma))
END
    } | capture
    run_msprof export db -dir PROF_1 --stable-names --output out
    run_msprof export timeline -dir PROF_1 --stable-names --output out
    shown=$(grep -o '"size(Byte)":6000[^}]*"bandwidth(GB/s)":[0-9.e-]*' out/mindstudio_profiler_output/msprof.json)
    expect_equal "${shown##*:}" 0.6666666666666666
    expect_equal "$(sqlite3 out/msprof.db "SELECT round(bandwidth) FROM COMMUNICATION_TASK_INFO WHERE size = 6000")" 666666667.0
}

@test "kernels of collectives communicate and do not compute: those of AI CPUs, of vector cores, and of the stream of MC2" {
    {
        collectives
        cat <<'END'
p.launch(0, 1, 1, 'matmul')
p.ran(1000, 5000, 1, 1)
for at, (name, stream, kind, sqe) in enumerate((('allreduceAicpuKernel', 40, 'KERNEL_AICPU', 1), ('allgatherAivKernel', 41, 'KERNEL_AIVEC', 2))):
    begin = 10000 * (1 + at)
    p.launch(begin + 100, stream, 1, name, task_type=kind, node={'task_type': 1 + at})
    task(begin + 1000, 'Memcpy', 10, 1 + at, size=64)
    whole(begin, begin + 9000, 'hcom_%d' % at)
    p.log(0, 6000 + begin, stream, 1, sqe)
    p.ran(6000 + begin, 7000 + begin, 10, 1 + at, 11)
    p.log(1, 7500 + begin, stream, 1, sqe)
p.launch(40000, 42, 1, 'reduce_scatterAivKernel', task_type='KERNEL_AIVEC', node={'task_type': 2})
p.launch(41000, 1, 2, 'gelu')
p.log(0, 40000, 42, 1, 2)
p.ran(41000, 42000, 1, 2)
p.log(1, 43000, 42, 1, 2)
p.mc2_streams('grp_1', 50)
p.launch(50000, 50, 1, 'serve', task_type='KERNEL_AICPU', node={'task_type': 1})
p.ran(50000, 54000, 50, 1, 1)
END
    } | capture
    expect_sql "SELECT op_name, collective FROM device_task_report r JOIN device_task t ON t.id = r.id WHERE op_name IS NOT NULL
        ORDER BY t.id" $'matmul|\nallreduceAicpuKernel|2\nallgatherAivKernel|2\nreduce_scatterAivKernel|1\ngelu|\nserve|2'
    run_msprof show PROF_1 --table overlap_analysis --format csv
    expect_status 0
    expect_equal "$(python3 -c 'import csv, sys
row = next(csv.DictReader(sys.stdin))
print([float(row[name]) for name in ("Computing(us)", "Communication(us)", "Communication(Not Overlapped)(us)")])' <<<"$output")" \
        '[5.0, 9.0, 8.0]'
    run_msprof advise PROF_1
    expect_contains "$output" "Exposed communication takes 15.1 % of the time (8.000 of 9.000 us)."
    [[ $output != *"1 x  allreduceAicpuKernel"* ]]
    run_msprof export summary -dir PROF_1 --stable-names --output out
    [ "$(rows op_summary 'Op Name' | grep -c Kernel)" -eq 3 ] # as in Ascend's own table
}

@test "kernels of a stream of the AI CPU that was captured into a graph communicate on the graph's stream, whoever is written first" {
    local v
    for v in '' _v2; do
        rm -rf PROF_1
        capture <<END
p.capture$v(500, 77, 3, original=53)
p.launch(600, 77, 1, 'serve', task_type='KERNEL_AICPU', node={'task_type': 1})
p.capture$v(900, 77, 3, ends=True, original=53)
p.capture$v(1000, 78, 3, original=1)
p.mc2_streams('grp', 53, (60,))
p.launch(1100, 78, 1, 'matmul')
p.launch(1300, 78, 2, 'count', task_type='KERNEL_AICPU', node={'task_type': 1})
p.ran(10000, 14000, 77, 1, 1)
p.ran(20000, 22000, 78, 1)
p.ran(30000, 31000, 78, 2, 1)
END
        run_msprof show PROF_1 --table overlap_analysis --format csv --columns computing,communication,communication_not_overlapped
        expect_equal "$(tail -n 1 "$BATS_TEST_TMPDIR/stdout")" "3,4,4"
    done
}

@test "kernels of which the AI CPU says that they expand a collective communicate, and what it says is in tables" {
    capture <<'END'
p.launch(0, 1, 1, 'matmul')
p.launch(200, 1, 2, 'expand', task_type='KERNEL_AICPU', node={'task_type': 1})
p.launch(400, 1, 3, 'expand', task_type='KERNEL_AICPU', node={'task_type': 1})
p.launch(600, 1, 4, 'plain', task_type='KERNEL_AICPU', node={'task_type': 1})
for task, kind in ((1, 0), (2, 1), (3, 1), (4, 1)):
    p.ran(1000 * task, 1000 * task + 500, 1, task, kind)
p.ai_cpu(2100, 10, struct.pack('<BBQQQIHI', 2, 4, p.hash('ring'), 4096, p.hash('grp_1'), 8, 1, 2))
p.ai_cpu(2200, 11, struct.pack('<HHI', 9, 0, 3))
for which, task in ((0, 11), (1, 19)):
    p.ai_cpu(3100 + 100 * which, 12, struct.pack('<HHHHH', 1, 3, 9, task, which))
END
    expect_status 0
    expect_sql "SELECT op_name, collective FROM device_task_report r JOIN device_task t ON t.id = r.id ORDER BY t.id" \
        $'matmul|\nexpand|2\nexpand|2\nplain|'
    expect_sql "SELECT time_ns % 1000000, relay, retry, data_type, a.text, count, g.text, rank_size, stream_id, task_id FROM expanded_op
        JOIN name a ON a.id = algorithm_id JOIN name g ON g.id = group_name_id" '2100|0|1|4|ring|4096|grp_1|8|1|2'
    expect_sql "SELECT time_ns % 1000000, stream_id, flip_num FROM expanded_flip" '2200|9|3'
    expect_sql "SELECT time_ns % 1000000, kernel_stream_id, kernel_task_id, stream_id, task_id, which FROM expanded_end" \
        $'3100|1|3|9|11|0\n3200|1|3|9|19|1'
    run_msprof show PROF_1 --table overlap_analysis --format csv
    expect_equal "$(tail -n 1 <<<"$output" | cut -d, -f3,5,6)" 1,1,1
}

@test "what the AI CPU says of a kernel or a task is of that run of its stream and number, not of those of other batches" {
    local order expanding
    for order in plain,expand expand,plain plain,expand,plain,expand; do
        rm -rf PROF_1
        capture <<END
names = '$order'.split(',')
p.mc2_streams('grp_2', 50, (60,))
for i, name in enumerate(names):
    host, at = 1000 * i, 10000 * i + 10000
    if i:
        p.host_flip(host, 1, i)
        p.flip(at - 2000, 1, i)
    p.launch(host + 100, 1, 2, name, task_type='KERNEL_AICPU', node={'task_type': 1}, batch=i)
    p.log(0, at, 1, 2, 1)
    if name == 'expand':
        p.ai_cpu(at + 100, 10, struct.pack('<BBQQQIHI', 2, 4, p.hash('ring'), 100 + i, p.hash('grp_2'), 8, 1, 2))
        p.expanded_task(at + 200, 'Memcpy', 'grp_2', 60, 7, size=64)
        p.ai_cpu(at + 300, 12, struct.pack('<HHHHH', 1, 2, 60, 7, 0))
    p.log(1, at + 1000, 1, 2, 1)
    p.ran(at + 2000, at + 3000, 60, 7, 11)
END
        expect_sql "SELECT group_concat(op_name || ifnull(collective, '')) FROM (SELECT * FROM device_task_report r
            JOIN device_task t ON t.id = r.id WHERE op_name IS NOT NULL ORDER BY t.id)" "${order//expand/expand2}"
        # A kernel of 1 us that expands is an operator up to the end of its task, of the number that it was planted with.
        expanding=$(python3 -c 'import sys
for i, name in enumerate(sys.argv[1].split(",")):
    if name == "expand":
        print(10 + 10 * i, 3000, 100 + i, 12 + 10 * i, sep="|")' "$order")
        expect_sql "SELECT o.start_ns / 1000 % 1000, o.duration_ns, o.count, t.start_ns / 1000 % 1000 FROM communication_op o
            JOIN communication_task c ON c.op_id = o.id JOIN device_task t ON t.id = c.task_row_id ORDER BY 1" "$expanding"
        run_msprof show PROF_1 --table overlap_analysis --format csv --columns computing
        expect_equal "$(tail -n 1 "$BATS_TEST_TMPDIR/stdout")" "$(grep -o plain <<<"$order" | wc -l)"
    done
}

@test "kernels that the AI CPU expands are communication operators with its tasks, by planes, beside what the host launched" {
    {
        collectives
        cat <<'END'
p.mc2_streams('grp_2', 50, (60, 61))
p.launch(0, 1, 1, 'matmul')
p.ran(1000, 5000, 1, 1)
for i, at in enumerate((10000, 20000)):
    p.launch(200 + 200 * i, 50, 1 + i, 'matmul_allreduceAicpuKernel', task_type='KERNEL_AICPU', node={'task_type': 1})
    p.log(0, at, 50, 1 + i, 1)
    p.ai_cpu(at + 60, 10, struct.pack('<BBQQQIHI', 2, 4, p.hash('ring'), 4096 + i, p.hash('grp_2'), 4, 50, 1 + i))
    p.expanded_task(at + 100, 'Notify_Wait', 'grp_2', 60, 1)
    p.expanded_task(at + 200, 'Memcpy', 'grp_2', 61, 7, size=4096)
    p.expanded_task(at + 300, 'Memcpy', 'grp_2', 60, 2, size=64 << i)
    p.ran(at + 1000, at + 2000, 60, 1, 7)
    p.ran(at + 1500, at + 2500, 61, 7, 11)
    p.log(1, at + 3000, 50, 1 + i, 1)
    p.ran(at + 3500, at + 4500, 60, 2, 11)
p.launch(40000, 50, 3, 'hostAicpuKernel', task_type='KERNEL_AICPU', node={'task_type': 1})
whole(39900, 49000, 'hcom_h', group='grp_2')
task(41000, 'Notify_Wait', 10, 1, 'NOTIFY_WAIT', group='grp_2', ran=(60000, 69000), sqe=7)
p.log(0, 61000, 50, 3, 1)
p.expanded_task(61100, 'Memcpy', 'grp_2', 60, 9, size=128)
p.log(1, 61500, 50, 3, 1)
p.ran(66000, 67000, 60, 9, 11)
p.launch(50000, 1, 2, 'gelu')
p.ran(90000, 93000, 1, 2)
END
    } | capture
    [[ $output != *"tasks that no launch"* && $output != *"of 12 tasks"* ]]
    expect_sql "SELECT n.text, cast(start_ns % 1000000 AS integer), duration_ns, rank_size, count, kernel_row_id IS NULL
        FROM communication_op o JOIN name n ON n.id = o.name_id ORDER BY o.id" \
        $'matmul_allreduceAicpuKernel_000_0_1|10000|4500|8|4096|0\nmatmul_allreduceAicpuKernel_000_1_1|20000|4500|8|4097|0\nhcom_h_000_0_1|60000|9000|8|1|1'
    expect_sql "SELECT op_id, plane_id, stream_id, task_id, bytes FROM communication_task c JOIN device_task t ON t.id = task_row_id
        ORDER BY c.id" \
        $'1|0|60|1|0\n1|1|61|7|4096\n1|0|60|2|64\n2|0|60|1|0\n2|1|61|7|4096\n2|0|60|2|128\n3|0|10|1|0\n3|1|60|9|128'
    run_msprof show PROF_1 --table overlap_analysis --format csv
    expect_equal "$(tail -n 1 <<<"$output" | cut -d, -f3,5,6)" 7,18,18
    run_msprof show PROF_1 --table ops --format csv
    expect_equal "$(tail -n +2 <<<"$output" | cut -d, -f2,3,8)" \
        $'9,1,hcom_h_000_0_1\n9,2,matmul_allreduceAicpuKernel\n4,1,matmul\n3,1,gelu'
    run_msprof show PROF_1 --table op_statistic --format csv
    expect_equal "$(tail -n +2 <<<"$output" | cut -d, -f3,4,9)" $'AI_CORE,2,100\nAI_CPU,3,N/A'
    run_msprof export summary -dir PROF_1 --stable-names --output out
    expect_equal "$(rows op_summary 'Op Name' 'Task Type')" $'matmul|AI_CORE
matmul_allreduceAicpuKernel|AI_CPU\nmatmul_allreduceAicpuKernel|AI_CPU\nhcom_h_000_0_1|COMMUNICATION
hostAicpuKernel|AI_CPU\ngelu|AI_CORE'
    run_msprof export db -dir PROF_1 --stable-names --output out
    expect_equal "$(sqlite3 out/msprof.db 'SELECT count(*), sum(size) FROM COMMUNICATION_TASK_INFO')" '8|8512'
    run_msprof export timeline -dir PROF_1 --stable-names --output out
    expect_contains "$(<out/mindstudio_profiler_output/msprof.json)" '"name":"Plane 1"'
}

@test "sizes of packets are printed as Python prints them: 33.0, 1e-06 and 0.0001" {
    {
        collectives
        cat <<'END'
whole(1000, 9000, 'hcom_a')
for i, size in enumerate((33000000, 1, 45, 100, 1500000)):
    task(2000 + 200 * i, 'Memcpy', 10, 1 + i, ran=(20000 + 10000 * i, 30000 + 10000 * i), size=size,
         types=(3, 255 if size == 1500000 else 1, 0, 255))
END
    } | capture
    run_msprof export summary -dir PROF_1 --stable-names --output out
    expect_status 0
    python3 - <<'END'
import json
total = json.load(open('out/mindstudio_profiler_output/communication.json', encoding='utf-8'))['Total HCCL Operators']
sizes = total['Communication Bandwidth Info']['HCCS']['Size Distribution']
assert set(sizes) == {str(size / 1e6) for size in (33000000, 1, 45, 100)} == {'33.0', '1e-06', '4.5e-05', '0.0001'}, sizes
END
}

@test "how long a communication operator was exposed between nine kernels is a sum of ticks of the clock, rounded once" {
    {
        collectives
        cat <<'END'
whole(1000, 9000, 'hcom_a')
task(2000, 'Memcpy', 10, 1, size=1000, types=(3, 1, 0, 255))
p.log(0, 1000000, 10, 1, 11)
for i in range(9):
    p.launch(10000 + 5000 * i, 3, 1 + i, 'op')
    p.ran(1004000 + 10000 * i, 1006000 + 10020 * i, 3, 1 + i)
p.log(1, 1100000, 10, 1, 11)
END
    } | write_capture
    sed -i 's/"hwts_frequency": *"[0-9.]*"/"hwts_frequency": "49.999001"/' PROF_1/device_0/info.json.0
    run_msprof_into told show PROF_1 --table communication --format json
    expect_status 0
    PYTHONPATH="$BATS_TEST_DIRNAME/../cann/lib" python3 - <<'END'
import json
from fractions import Fraction
from prof import DEVICE_MHZ
ticks = lambda ns: Fraction(ns * DEVICE_MHZ, 1000)
row, = json.load(open('told', encoding='utf-8'))
for title, ns in (('Total(us)', 100000), ('Exposed(us)', 100000 - 9 * 2000 - 20 * sum(range(9)))):
    assert ticks(ns).denominator == 1
    right = round(ticks(ns) * 10 ** 9 / 49999001)
    assert round(Fraction(str(row[title])) * 1000) == right, (row, title, right)
END
}

@test "a link of no known kind has null as its type of transport, in the matrix and in its database" {
    {
        collectives
        cat <<'END'
whole(1000, 9000, 'hcom_a')
for i, link in enumerate((255, 1)):
    task(2000 + 200 * i, 'Memcpy', 10, 1 + i, ran=(20000 + 10000 * i, 30000 + 10000 * i), size=1000000, types=(3, link, 0, 255),
         ranks=(0, 1 + i, 8))
END
    } | capture
    for kind in summary db; do
        run_msprof export $kind -dir PROF_1 --stable-names --output out
        expect_status 0
    done
    python3 - <<'END'
import json, sqlite3
matrix = json.load(open('out/mindstudio_profiler_output/communication_matrix.json', encoding='utf-8'))['Total HCCL Operators']
assert {pair: link['Transport Type'] for pair, link in matrix.items()} == {'0-1': None, '0-2': 'HCCS'}, matrix
links = sqlite3.connect('out/communication_analyzer.db').execute('SELECT dst_rank, transport_type FROM CommAnalyzerMatrix')
assert dict(links) == {'1': None, '2': 'HCCS'}
END
}

@test "a type or a rank that HCCL does not know is N/A in the timeline, null in the matrix and in SQL, and what Ascend's tool writes in its forms" {
    {
        collectives
        cat <<'END'
UNKNOWN = 0xffffffff
whole(1000, 9000, 'hcom_a')
for i, types in enumerate(((UNKNOWN,) * 4, (3, UNKNOWN, 0, UNKNOWN))):
    task(2000 + 200 * i, 'Memcpy', 10, 1 + i, ran=(20000 + 10000 * i, 30000 + 10000 * i), size=1000, types=types,
         ranks=(i, UNKNOWN, 8), notify=2 ** 64 - 1)
END
    } | capture
    expect_sql "SELECT local_rank, remote_rank, data_type, link_type, transport_type, rdma_type FROM communication_task" \
        $'0|||||\n1||3||0|'
    expect_sql "SELECT local_rank, remote_rank, data_type, link_type, transport_type, rdma_type FROM hccl_info" \
        $'0|||||\n1||3||0|'
    for kind in summary db timeline "timeline --trace-compat"; do
        # shellcheck disable=SC2086 # a command and its options
        run_msprof export $kind -dir PROF_1 --stable-names --output "out${kind#timeline}"
        expect_status 0
    done
    python3 - <<'END'
import glob, json, sqlite3
keys = ('notify_id', 'src rank', 'dst rank', 'transport type', 'data type', 'link type')
def told(path):
    events = json.load(open(path + '/mindstudio_profiler_output/msprof.json', encoding='utf-8'))
    return [tuple(event['args'][key] for key in keys) for event in events if 'notify_id' in event.get('args', {})]
assert told('out') == [('N/A', 0, 'N/A', 'N/A', 'N/A', 'N/A'), ('N/A', 1, 'N/A', 'SDMA', 'FP16', 'N/A')], told('out')
number, invalid = '18446744073709551615', 'INVALID_TYPE'
assert told('out --trace-compat') == [(number, 0, 4294967295, invalid, invalid, invalid),
                                      (number, 1, 4294967295, 'SDMA', 'FP16', invalid)], told('out --trace-compat')
matrix = json.load(open('outsummary/mindstudio_profiler_output/communication_matrix.json', encoding='utf-8'))['Total HCCL Operators']
assert {pair: link['Transport Type'] for pair, link in matrix.items()} == {'1-1': None}, matrix
for path in glob.glob('outsummary/mindstudio_profiler_output/communication*'):
    assert '4294967295' not in open(path, encoding='utf-8').read(), path
viewers = sqlite3.connect('outdb/msprof.db').execute(
    'SELECT t.name, l.name, d.name, r.name, dstRank FROM COMMUNICATION_TASK_INFO c JOIN ENUM_HCCL_TRANSPORT_TYPE t ON t.id = transportType'
    ' JOIN ENUM_HCCL_LINK_TYPE l ON l.id = linkType JOIN ENUM_HCCL_DATA_TYPE d ON d.id = dataType'
    ' JOIN ENUM_HCCL_RDMA_TYPE r ON r.id = rdmaType').fetchall()
assert viewers == [(invalid, invalid, invalid, invalid, 4294967295), ('SDMA', invalid, 'FP16', invalid, 4294967295)], viewers
END
}

@test "a size that HCCL does not know is N/A, and in no sum and no bandwidth, of tasks of the host and of the AI CPU" {
    {
        collectives
        cat <<'END'
LOCAL, PAYLOAD, CONFIRMS, UNKNOWN = (3, 1, 0, 255), (3, 3, 1, 1), (3, 3, 1, 0), 0xffffffff
whole(1000, 9000, 'hcom_a')
for i, (item, size, types) in enumerate((('Memcpy', UNKNOWN, LOCAL), ('Memcpy', 4000000, LOCAL), ('RDMASend', UNKNOWN, PAYLOAD),
                                         ('RDMASend', 0, CONFIRMS), ('Notify_Wait', 0, CONFIRMS), ('Notify_Wait', 0, CONFIRMS))):
    task(2000 + 200 * i, item, 10, 1 + i, ran=(20000 + 10000 * i, 30000 + 10000 * i), size=size, types=types)
p.mc2_streams('grp_2', 50, (60,))
p.launch(200, 50, 1, 'xAicpuKernel', task_type='KERNEL_AICPU', node={'task_type': 1})
p.log(0, 100000, 50, 1, 1)
for i, size in enumerate((UNKNOWN, 2000000)):
    p.expanded_task(100100, 'Memcpy', 'grp_2', 60, 1 + i, size=size, types=LOCAL)
    p.ran(101000 + 2000 * i, 103000 + 2000 * i, 60, 1 + i, 11)
p.log(1, 106000, 50, 1, 1)
END
    } | capture
    expect_sql "SELECT count(*), sum(bytes) FROM communication_task WHERE bytes IS NOT NULL" '5|6000000'
    for kind in summary timeline db; do
        run_msprof export $kind -dir PROF_1 --stable-names --output out
        expect_status 0
    done
    python3 - <<'END'
import json, sqlite3
files = 'out/mindstudio_profiler_output/'
total = json.load(open(files + 'communication.json', encoding='utf-8'))['Total HCCL Operators']['Communication Bandwidth Info']
assert {name: (part['Transit Size(MB)'], part['Bandwidth(GB/s)']) for name, part in total.items() if part['Transit Size(MB)']} == \
    {'HCCS': (6, 500), 'SDMA': (6, 500)}, total
assert total['RDMA']['Bandwidth(GB/s)'] == 0 and not total['RDMA']['Size Distribution']
matrix = json.load(open(files + 'communication_matrix.json', encoding='utf-8'))['Total HCCL Operators']
assert {pair['Transit Size(MB)'] for pair in matrix.values()} == {6}, matrix
events = json.load(open(files + 'msprof.json', encoding='utf-8'))
told = [(event['args']['size(Byte)'], event['args']['bandwidth(GB/s)']) for event in events if 'size(Byte)' in event.get('args', {})]
assert told == [('N/A', 'N/A'), (4000000, 400), ('N/A', 'N/A'), (0, 0), (0, 0), (0, 0), ('N/A', 'N/A'), (2000000, 1000)], told
database = sqlite3.connect('out/communication_analyzer.db')
assert database.execute('SELECT sum(transit_size) FROM CommAnalyzerBandwidth').fetchone()[0] == 6
viewers = sqlite3.connect('out/msprof.db')
assert viewers.execute('SELECT sum(size), sum(size IS NULL) FROM COMMUNICATION_TASK_INFO').fetchone() == (6000000, 3)
END
}
