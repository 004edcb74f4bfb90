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
import collections
from timeline import read_timeline
events = read_timeline('PROF_1/mindstudio_profiler_output/msprof.json').events
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

@test "a mixed kernel of which the log has the whole alone is the operator that its node call says, beside others with parts" {
    capture <<'END'
for number in range(1, 5):
    begin = 1000 * number
    p.call(RUNTIME, 1, begin + 20, begin + 60)
    p.track(begin + 40, 1, number, task_type='KERNEL_MIX_AIC', kernel='kernel', blocks=20, mix=2)
    p.node(begin + 80, 'attention_%d' % number, 'Attention', task_type=4, blocks=20 | 2 << 16)
    p.contexts(begin + 90, 'attention_%d' % number, [0])
    p.call(NODE, LAUNCH, begin, begin + 100, item=p.hash('attention_%d' % number))
    p.log(0, 10000 * number, 1, number)
    if number % 2:
        p.ran_part(10000 * number + 1000, 10000 * number + 5000, 1, number, 0, kind=6)
    p.log(1, 10000 * number + 5000, 1, number)
END
    run_msprof export summary -dir PROF_1 --stable-names
    python3 - >found <<'END'
import csv
directory = 'PROF_1/mindstudio_profiler_output/'
for table, columns in (('op_summary', ('Op Name', 'Task Type', 'Context ID', 'Task Duration(us)')), ('task_time', ('kernel_name', 'kernel_type', 'task_time(us)'))):
    for row in csv.DictReader(open(directory + table + '.csv', encoding='utf-8')):
        print(*(row[column].strip() for column in columns), sep='|')
END
    expect_equal "$(<found)" 'attention_1|MIX_AIC|0|4
attention_2|MIX_AIC|N/A|5
attention_3|MIX_AIC|0|4
attention_4|MIX_AIC|N/A|5
kernel|MIX_AIC|4
kernel|MIX_AIC|5
kernel|MIX_AIC|4
kernel|MIX_AIC|5'
}

@test "a split task with several parts is shown by them in the timeline, and with them in task_time" {
    write_capture <<'END'
p.launch(0, 1, 1, 'split', task_type='FFTS_PLUS')
p.contexts(91, 'split', [0, 3])
p.log(0, 10000, 1, 1)
p.ran_part(10200, 11200, 1, 1, 0)
p.ran_part(11400, 13400, 1, 1, 3)
p.log(1, 13800, 1, 1)
END
    run_msprof export timeline -dir PROF_1 --stable-names
    run_msprof export summary -dir PROF_1 --stable-names
    expect_equal "$(slices_of)" $'split|AI_CORE|1.0\nsplit|AI_CORE|2.0\nComputing|3.0'
    expect_table task_time 'kernel_name,kernel_type,task_time(us)' $'kernel|FFTS_PLUS|3.8\nkernel|AI_CORE|1\nkernel|AI_CORE|2'
    expect_sql "SELECT context_id, split FROM device_task ORDER BY id" $'|1\n0|\n3|'
}

@test "a kernel of SIMT is an operator, of the blocks that its track says" {
    capture <<'END'
p.host_sample = {'profLevel': 'l1'}
p.track(40, 1, 1, task_type='KERNEL_SIMT', kernel='simt', blocks=6)
p.ran(10000, 11000, 1, 1, kind=2)
END
    run_msprof export summary -dir PROF_1 --stable-names
    expect_table op_summary 'Op Name,OP Type,Task Type,Block Num,Mix Block Num' 'simt|simt|KERNEL_SIMT|6|0'
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

# A mixed kernel with counters of its own and of four blocks on vector cores, which begin with the whole.
write_blocks() { # blocks and mix of its track
    write_capture <<END
p.host_sample = {'profLevel': 'l1'}
p.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'ai_core_profiling_events': PIPES,
                'aiv_metrics': 'PipeUtilization', 'aiv_profiling_events': PIPES}
p.track(40, 1, 1, task_type='KERNEL_MIX_AIC', kernel='mixed', blocks=$1, mix=$2)
p.log(0, 10000, 1, 1)
p.ran_part(10200, 14800, 1, 1, 0, kind=6)
p.log(1, 15000, 1, 1)
for block in range(4):
    p.block_pmu(10020, 14000 + 20 * block, 1, 1, 100 * (block + 1), [block] * 8, core=1, part=6, block=block)
p.pmu(10020, 14800, 1, 1, 4000, range(8), ffts=4, part=6)
p.block_pmu(15020, 15100, 1, 1, 77, [7] * 8, core=1, part=6)
END
}

@test "blocks of a mixed kernel of unknown number are kept with it, told for what they are, and not in op_summary" {
    write_blocks None 0
    run_msprof export summary -dir PROF_1 --stable-names
    expect_status 3 # the last block is of no run
    expect_contains "$stderr" "device_0: counters of 4 blocks of mixed kernels"
    expect_contains "$stderr" "record 5, offset 640: counters of stream 1 task 1, which did not run then"
    expect_not_contains "$stderr" "record 0, offset 0"
    expect_sql "SELECT aic_total_cycle, aiv_total_cycle, aiv_event1, mix_block_num FROM device_task
        WHERE op_name_id IS NOT NULL" '4000|1000|6|'
    expect_table op_summary 'Op Name,Block Num,Mix Block Num,aic_total_cycles,aiv_total_cycles' 'mixed|0|0|4000|0'
}

@test "blocks of a mixed kernel are in op_summary where its track says how many they are" {
    write_blocks 2 2
    run_msprof export summary -dir PROF_1 --stable-names
    expect_not_contains "$stderr" "blocks of mixed kernels"
    expect_table op_summary 'Op Name,Block Num,Mix Block Num,aic_total_cycles,aiv_total_cycles' 'mixed|2|4|4000|1000'
}

@test "a device on which the host launched tasks, and which is not there, is told first, with what cannot be answered" {
    write_kernels "{'profLevel': 'l1', 'taskTime': 'on'}"
    rm -r PROF_1/device_0
    run_msprof import -dir PROF_1
    expect_status 3
    expect_contains "$(grep -m1 warning <<<"$stderr")" "data of device 0 is missing: the host launched 8 tasks on it"
    expect_contains "$stderr" "unknown: when operators and communication ran"
    expect_not_contains "$stderr" "no action is needed"
    run_msprof show -dir PROF_1
    expect_status 3
    expect_contains "$output" "No device data: the capture has no readable device data."
}

@test "a device of two without any task is told, though the other has some" {
    capture <<'END'
for device in 0, 1:
    p.track(40, 1, 1 + device, device=device)
    p.ran(10000, 11000, 1, 1 + device, device=device)
p.devices[1] = {}
END
    expect_status 3
    expect_contains "$stderr" "data of device 1 is missing: the host launched 1 tasks on it"
    expect_not_contains "$stderr" "data of device 0"
}

@test "a host that is not there is told first, with what cannot be answered" {
    write_kernels "{'profLevel': 'l1'}"
    rm -r PROF_1/host
    run_msprof export summary -dir PROF_1 --stable-names
    expect_status 3
    expect_contains "$(grep -m1 warning <<<"$stderr")" "host data is missing: devices ran 10 tasks"
    expect_not_contains "$stderr" "no action is needed"
    expect_equal "$(columns_of task_time kernel_name,stream_id | sort | uniq -c)" $'      1 N/A|1\n      7 N/A|2'
}

@test "of direct launches, mixed kernels and level 0 every table is what the raw records say, and no record is lost" {
    local level
    for level in 1 0; do
        rm -rf made
        python3 "$repository/testdata/generate/cann/make_prof.py" made --count 90 --direct 3 --mixed 4 --level "$level" >path
        run_msprof export summary "$(<path)" --stable-names
        expect_status 0
        run python3 "$BATS_TEST_DIRNAME/lib/direct_kernels.py" "$(<path)" "$(<path)/mindstudio_profiler_output"
        expect_status 0
        expect_contains "$output" "op_summary: 990 cells agree"
        python3 "$BATS_TEST_DIRNAME/lib/record_sums.py" "$(<path)" >sums
        expect_equal "$(awk '$4 != 0' sums)" ""
    done
}

@test "of real captures of an Ascend 910B every operator is what the raw records say, as Ascend's tool has it" {
    local sample capture
    needs_shared data/real-samples-2
    for sample in 2026-05-l1 2026-06-l1-mix 2026-07-l0-kernels 2026-07-l0-mix 2026-07-l0-torch 2026-07-l1-kernels; do
        rm -rf PROF_*
        if [ -e "$shared/data/real-samples-2/cann-910b-$sample/capture.tar.gz" ]; then
            tar xzf "$shared/data/real-samples-2/cann-910b-$sample/capture.tar.gz"
        else
            cp -r "$shared/data/real-samples-2/cann-910b-$sample"/PROF_* .
        fi
        capture=$(echo PROF_*)
        run_msprof export summary "$capture" --stable-names
        run python3 "$BATS_TEST_DIRNAME/lib/direct_kernels.py" "$capture" "$capture/mindstudio_profiler_output"
        [ "$status" -eq 0 ] || { echo "$sample: $output" >&2 && return 1; }
        if [ -d "$shared/data/real-samples-2/cann-910b-$sample/vendor" ]; then
            python3 - "$shared/data/real-samples-2/cann-910b-$sample/vendor" "$capture/mindstudio_profiler_output" <<'END'
import csv, glob, os, sys
COLUMNS = {'op_summary': ('Stream ID', 'Task ID', 'Op Name', 'OP Type', 'OP State', 'Task Type', 'HF32 Eligible', 'Context ID',
                          'aic_total_cycles', 'aiv_total_cycles'),
           'op_statistic': ('OP Type', 'Core Type', 'Count'), 'l2_cache': ('Stream Id', 'Task Id', 'Op Name'),
           'task_time': ('stream_id', 'task_id', 'kernel_name', 'kernel_type')}
def rows(path, columns):
    with open(path, newline='') as file:
        return sorted(tuple(row[column].strip() for column in columns) for row in csv.DictReader(file))
for name, columns in COLUMNS.items():
    ours, theirs = '%s/%s.csv' % (sys.argv[2], name), glob.glob('%s/%s_2*.csv' % (sys.argv[1], name))
    if os.path.exists(ours) != bool(theirs):
        sys.exit('%s of %s: one of both has none' % (name, sys.argv[1]))
    if theirs and rows(ours, columns) != rows(theirs[0], columns):
        sys.exit('%s of %s differs' % (name, sys.argv[1]))
END
        fi
    done
}
