#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Kernels that only their task tracks name: those that a program launches itself (<<<>>>, Triton), and those of a collection
# at level 0. Small captures whose answer is known, and real ones.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
}

# A capture at a level: a kernel in a call of the host's without a description, kernels of every kind without a call, one of
# them mixed, a kernel without a name, and a task that is no kernel.
write_kernels() { # level
    write_capture <<END
p.host_sample = $1
p.call(RUNTIME, 1, 20, 60)
p.track(40, 1, 1, kernel='add_kernel')
p.call(NODE, LAUNCH, 0, 100, item=p.hash('aclnnAdd'))
kinds = ('KERNEL_AICORE', 'KERNEL_AIVEC', 'KERNEL_AICPU', 'KERNEL_MIX_AIC', 'KERNEL_MIX_AIV', 'KERNEL_AICORE', 'EVENT_RECORD')
for number, kind in enumerate(kinds):
    kernel = None if number > 4 else 'own_%d' % number
    p.track(1000 + 100 * number, 2, number, task_type=kind, kernel=kernel, blocks=8 if number == 1 else None)
p.ran(10000, 11000, 1, 1)
for number, kind in enumerate((0, 2, 1, 0, 0, 0, 4)):
    p.log(0, 20000 + 2000 * number, 2, number, kind)
    if number in (3, 4):
        p.ran_part(20100 + 2000 * number, 20900 + 2000 * number, 2, number, 0, kind=number + 3)
    p.log(1, 21000 + 2000 * number, 2, number, kind)
p.pmu(26000, 26900, 2, 3, 4000, range(8), ffts=4, part=6)
END
}

# Columns of a table of what was exported, a row a line.
columns_of() { # table, columns
    python3 - "$@" <<'END'
import csv, sys
for row in csv.DictReader(open('PROF_1/mindstudio_profiler_output/%s.csv' % sys.argv[1])):
    print(*(row[column].strip() for column in sys.argv[2].split(',')), sep='|')
END
}

expect_table() { # table, columns, rows
    expect_equal "$(columns_of "$1" "$2")" "$3"
}

# Names and arguments of the slices of tasks, and how often each layer of the overlap stands there.
slices_of() {
    python3 - <<'END'
import collections, json
events = json.load(open('PROF_1/mindstudio_profiler_output/msprof.json'))
events = events if isinstance(events, list) else events['traceEvents']
processes = {e['pid']: e['args']['name'] for e in events if e['name'] == 'process_name'}
slices = [e for e in events if e['ph'] == 'X']
for e in slices:
    if processes[e['pid']] == 'Ascend Hardware':
        print(e['name'], e['args']['Task Type'], float(e['dur']), sep='|')
print('Computing', sum(float(e['dur']) for e in slices if e['name'] == 'Computing'), sep='|')
END
}

@test "kernels without a call of the host's are operators called as they are, with the core that runs them" {
    write_kernels "{'profLevel': 'l1'}"
    run_msprof export summary -dir PROF_1 --stable-names
    expect_status 0
    expect_table op_summary 'Op Name,OP Type,OP State,Task Type,Block Num,Mix Block Num,HF32 Eligible,Context ID,Task Duration(us)' \
        'aclnnAdd|add_kernel|N/A|AI_CORE|0|0|N/A|N/A|1
own_0|own_0|N/A|AI_CORE|0|0|N/A|N/A|1
own_1|own_1|N/A|AI_VECTOR_CORE|8|0|N/A|N/A|1
own_2|own_2|N/A|AI_CPU|0|0|N/A|N/A|1
own_3|own_3|N/A|MIX_AIC|0|0|N/A|0|0.8
own_4|own_4|N/A|MIX_AIV|0|0|N/A|0|0.8'
    expect_table op_statistic 'OP Type,Core Type,Count,Total Time(us)' 'add_kernel|AI_CORE|1|1
own_0|AI_CORE|1|1
own_1|AI_VECTOR_CORE|1|1
own_2|AI_CPU|1|1
own_3|MIX_AIC|1|0.8
own_4|MIX_AIV|1|0.8'
    expect_table task_time 'kernel_name,kernel_type,task_time(us)' 'add_kernel|AI_CORE|1
own_0|AI_CORE|1
own_1|AI_VECTOR_CORE|1
own_2|AI_CPU|1
own_3|MIX_AIC|0.8
own_4|MIX_AIV|0.8
N/A|KERNEL_AICORE|1
N/A|EVENT_RECORD|1'
}

@test "before CANN 8.6 task_time has the wholes of mixed kernels, not their parts" {
    write_kernels "{'profLevel': 'l1'}"
    run_msprof export summary -dir PROF_1 --stable-names --cann-version 8.5
    expect_status 0
    expect_equal "$(columns_of task_time 'kernel_name,kernel_type,task_time(us)' | grep own_)" 'own_0|AI_CORE|1
own_1|AI_VECTOR_CORE|1
own_2|AI_CPU|1
own_3|MIX_AIC|1
own_4|MIX_AIV|1'
    expect_equal "$(columns_of op_summary 'Op Name,Task Duration(us)' | grep 'own_[34]')" $'own_3|0.8\nown_4|0.8'
}

@test "of a collection at level 0 kernels have names alone, and there are no statistics of types" {
    write_kernels "{'prof_level': 'level0'}"
    run_msprof export summary -dir PROF_1 --stable-names
    expect_status 0
    expect_table op_summary 'Op Name,OP Type,OP State,Task Type,HF32 Eligible,Context ID' 'aclnnAdd|N/A|N/A|N/A|N/A|N/A
own_0|N/A|N/A|N/A|N/A|N/A
own_1|N/A|N/A|N/A|N/A|N/A
own_2|N/A|N/A|N/A|N/A|N/A
own_3|N/A|N/A|N/A|N/A|0
own_4|N/A|N/A|N/A|N/A|0'
    expect_table task_time 'kernel_name,kernel_type' 'add_kernel|KERNEL_AICORE
own_0|KERNEL_AICORE
own_1|KERNEL_AIVEC
own_2|KERNEL_AICPU
own_3|KERNEL_MIX_AIC
own_4|KERNEL_MIX_AIV
N/A|KERNEL_AICORE
N/A|EVENT_RECORD'
    [ ! -e PROF_1/mindstudio_profiler_output/op_statistic.csv ]
    run_msprof export timeline -dir PROF_1 --stable-names --trace-compat
    expect_equal "$(slices_of)" 'aclnnAdd|KERNEL_AICORE|1.0
own_0|KERNEL_AICORE|1.0
own_1|KERNEL_AIVEC|1.0
own_2|KERNEL_AICPU|1.0
own_3|KERNEL_MIX_AIC|0.8
own_4|KERNEL_MIX_AIV|0.8
KERNEL_AICORE|KERNEL_AICORE|1.0
EVENT_RECORD|EVENT_RECORD|1.0
Computing|5.6'
}

@test "a mixed kernel whose part has no row is the operator itself" {
    capture <<'END'
p.host_sample = {'profLevel': 'l1'}
p.track(40, 1, 1, task_type='KERNEL_MIX_AIC', kernel='mixed')
p.ran(10000, 11000, 1, 1)
END
    expect_sql "SELECT op_name, op_type, context_id FROM device_task_report" 'mixed|mixed|'
    expect_sql "SELECT count(*) FROM device_task WHERE split IS NOT NULL" 0
}

@test "kernels of direct launches are in every answer and in the database for viewers" {
    write_kernels "{'profLevel': 'l1'}"
    run_msprof export db -dir PROF_1
    expect_status 0
    expect_equal "$(sqlite3 PROF_1/msprof_*.db "SELECT n.value, t.value, c.blockNum FROM COMPUTE_TASK_INFO c
        JOIN STRING_IDS n ON n.id = c.name JOIN STRING_IDS t ON t.id = c.taskType JOIN TASK k USING (globalTaskId)
        ORDER BY k.startNs")" 'aclnnAdd|AI_CORE|0
own_0|AI_CORE|0
own_1|AI_VECTOR_CORE|8
own_2|AI_CPU|0
own_3|MIX_AIC|0
own_4|MIX_AIV|0'
    run_msprof show -dir PROF_1 --table ops --format csv
    expect_equal "$(cut -d, -f3,7,8 <<<"$output" | sort)" '1,add_kernel,aclnnAdd
1,own_0,own_0
1,own_1,own_1
1,own_2,own_2
1,own_3,own_3
1,own_4,own_4
Count,Type,Name'
}
