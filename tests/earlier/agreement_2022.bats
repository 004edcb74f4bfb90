#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures of the layout of 2022 against what Ascend's tool of 2022 made of them, and what was added to one of them.
# bats file_tags=once
# shellcheck disable=SC2154 # common sets shared and repository

load ../cli/common

setup() {
    enter_scratch
}

# Imports a shared capture and compares all its reports.
agrees() {
    local name=$1 capture
    needs_shared "data/expected/$name"
    needs python3
    cp -R "$shared/data/generated/$name/"PROF* .
    chmod -R u+w PROF*
    capture=$(echo PROF*)
    "$MSPROF" import -dir "$capture"
    "$MSPROF" export summary -dir "$capture"
    "$MSPROF" export timeline --trace-compat -dir "$capture"
    run python3 "$repository/tests/cann/lib/agree_2022.py" "$shared/data/expected/$name" "$capture"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "every report of an Ascend 310 capture of 2022 agrees with Ascend's tool" {
    agrees legacy-chip0-1k
}

@test "every report of an Ascend 910A capture of 2022 agrees with Ascend's tool" {
    agrees legacy-chip1-1k
}

# Adds marks to an Ascend 910A capture: the end of iterations 1 and 2 of model 7, in ticks of the device's counter.
mark_iterations() {
    python3 - "$1" <<'END'
import struct
import sys

def mark(tick, iteration, tag):
    return struct.pack('<BBHIQQQHHHH', 0, 10, 40, 0, tick, iteration, 7, 1, 1, tag, 0)

with open(sys.argv[1], 'wb') as file:
    for iteration, begin, end in ((1, 0, 20), (2, 20, 70)):
        first, last = (40_000_000_000 + 100 * (1000 + 10 * number) for number in (begin, end))
        file.write(mark(first, iteration, 0) + mark(last, iteration, 1))
END
}

@test "a capture of 2022 with marks is reported iteration by iteration" {
    needs python3
    local capture all=0 rows
    capture=PROF_1
    copy_family 2022-910a "$capture"
    mark_iterations "$capture/device_0/data/ts_track.data.0.slice_0"
    "$MSPROF" export summary -dir "$capture"
    "$MSPROF" export summary -dir "$capture" --iteration-id 2 --model-id 7
    for iteration in 1 2; do
        rows=$(tail -n +2 "$capture/summary/task_time_0_7_$iteration.csv" | wc -l)
        [ "$rows" -gt 0 ]
        all=$((all + rows))
    done
    "$MSPROF" export timeline -dir "$capture" --iteration-id 1 --iteration-count 2
    # Both together have the tasks of each, once.
    [ "$(grep -c '"Task Type"' "$capture/timeline/task_time_0_7_1.json")" -eq "$all" ]
    # The marks end iteration 2 before the last tasks.
    [ "$all" -lt 100 ]
    run "$MSPROF" export summary -dir "$capture" --iteration-id 3 --model-id 7
    [ "$status" -eq 4 ]
}

# Adds what the framework said of models 3 and 4: names as texts and as hashes.
describe_models() {
    python3 - "$1" <<'END'
import struct
import sys

def mixed(name):
    return (struct.pack('<B7xQ112x', 0, name) if isinstance(name, int)
            else struct.pack('<B7x120s', 1, name.encode()))

def write(name, *records):
    with open('%s/%s' % (sys.argv[1], name), 'wb') as file:
        for record in records:
            file.write(record.ljust(256, b'\0'))

def load(model, name):
    return struct.pack('<HHI', 0x5a5a, 20, model) + mixed(name) + struct.pack('<QQ', 1000, 2000)

def executed(model, name, request, thread, *times):
    return struct.pack('<HHI', 0x5a5a, 22, model) + mixed(name) + struct.pack('<II6Q', request, thread, *times)

def fusion(model, name, memory, operators):
    return (struct.pack('<HHI', 0x5a5a, 21, model) + mixed(name)
            + struct.pack('<6Q8Q', *memory, len(operators), *operators, *[9] * (8 - len(operators))))

write('Framework.model_load_info_3.0.slice_0', load(3, 'resnet, "50"'))
write('Framework.model_load_info_4.0.slice_0', load(4, 12))
write('Framework.model_time_info_3_0.0.slice_0', executed(3, 'resnet, "50"', 0, 77, 1000, 1500, 1600, 9001, 9100, 9200))
write('Framework.model_time_info_4_0.0.slice_0', executed(4, 99, 0, 78, 500, 600, 700, 800, 900, 1000))
write('Framework.fusion_op_info_3.0.slice_0', fusion(3, 'fused', (1, 2, 3, 4, 10), (10, 11, 13)),
      fusion(3, 11, (0, 0, 0, 0, 1 << 40), (10, 11, 10, 11, 10, 11, 10, 12)))
write('Framework.fusion_op_info_4.0.slice_0', fusion(4, 'other', (5, 6, 7, 8, 26), (12,)))
with open(sys.argv[1] + '/Framework.hash_dic.0.slice_0', 'w') as file:
    file.write('10:conv\n11:relu\n12:bert\n')
END
}

# expect_unnamed ID... CAPTURE: these ids, and of the Framework's records no others but those of operators, are told to be in
# no dictionary.
expect_unnamed() {
    expect_equal "$(sqlite3 "${!#}/sqlite/runtime.db" "SELECT message FROM diagnostics WHERE code = 'name-unknown'
        AND file NOT LIKE '%task_desc_info%'" | sed -n 's/.*the id \([0-9]*\) is in no hash dictionary.*/\1/p' | sort -n |
        tr '\n' ' ')" "${*:1:$#-1} "
}

@test "what the framework of 2022 said of models is in fusion_op and in the timelines" {
    needs python3
    local capture
    capture=PROF_1
    copy_family 2022-910a "$capture"
    rm "$capture/device_0/data/Framework.hash_dic.0.slice_0.done" # the names are others
    describe_models "$capture/device_0/data"
    "$MSPROF" export summary -dir "$capture"
    "$MSPROF" export timeline --trace-compat -dir "$capture"
    # 13 and 99 have no text.
    expect_unnamed 13 99 "$capture"
    expect_equal "$(tr -d '\r' <"$capture/summary/fusion_op_0_1.csv")" "Model Name,Model ID,Fusion Op,Original Ops,\
Memory Input(Bytes),Memory Output(Bytes),Memory Weight(Bytes),Memory Workspace(Bytes),Memory Total(Bytes)
\"resnet, \"\"50\"\"\",3,fused,conv;relu;13,1,2,3,4,10
\"resnet, \"\"50\"\"\",3,relu,conv;relu;conv;relu;conv;relu;conv;bert,0,0,0,0,1099511627776
bert,4,other,bert,5,6,7,8,26"
    python3 - "$capture/timeline" <<'END'
import json
import sys
expected = [('Input', 78, 0.5, 0.1, '99', 4), ('Infer', 78, 0.7, 0.1, '99', 4), ('Output', 78, 0.9, 0.1, '99', 4),
            ('Input', 77, 1.0, 0.5, 'resnet, "50"', 3), ('Infer', 77, 1.6, 7.401, 'resnet, "50"', 3),
            ('Output', 77, 9.1, 0.1, 'resnet, "50"', 3)]
for file in ('ge', 'msprof'):
    with open('%s/%s_0_1.json' % (sys.argv[1], file)) as stream:
        events = json.load(stream)
    process = [e['pid'] for e in events if e['name'] == 'process_name' and e['args']['name'] == 'GE']
    assert len(process) == 1 and (file == 'ge' or process[0].startswith('4_')), process
    found = [(e['name'], e['tid'], e['ts'], e['dur'], e['args']['Model Name'], e['args']['Model Id'])
             for e in events if e['pid'] == process[0] and e['ph'] == 'X']
    assert found == expected, found
END
}

@test "steps of the host for operators of dynamic shape are a table and a timeline" {
    needs python3
    local capture=PROF_1
    copy_family 2022-910a "$capture"
    python3 - "$capture/device_0/data" <<'END'
import struct
import sys
with open(sys.argv[1] + '/Framework.dynamic_op_execute.0.slice_0', 'wb') as file:
    for record in ((6, 10, 11, 5000, 7500), (6, 10, 12, 7500, 7500), (7, 99, 11, 1000, 1003)):
        file.write(struct.pack('<HHIQQQQ24x', 0x5a5a, 27, *record))
with open(sys.argv[1] + '/Framework.hash_dic.0.slice_0', 'a') as file:
    file.write('10:Conv2D\n11:tiling\n')
END
    rm "$capture/device_0/data/Framework.hash_dic.0.slice_0.done"
    "$MSPROF" export summary -dir "$capture"
    "$MSPROF" export timeline --trace-compat -dir "$capture"
    expect_equal "$(tr -d '\r' <"$capture/summary/ge_op_execute_0_1.csv")" "Thread ID,OP Type,Event Type,Start Time,Duration(us)
6,Conv2D,tiling,5,2.5
6,Conv2D,12,7.5,0
7,99,tiling,1,0.003"
    expect_unnamed 12 99 "$capture"
    python3 - "$capture/timeline" <<'END'
import json
import sys
for file in ('ge_op_execute', 'msprof'):
    with open('%s/%s_0_1.json' % (sys.argv[1], file)) as stream:
        events = json.load(stream)
    (pid,) = [e['pid'] for e in events if e['name'] == 'process_name' and e['args']['name'] == 'GE']
    assert [(e['name'], e['tid'], e['ts'], e['dur']) for e in events if e['ph'] == 'X' and e['pid'] == pid] == [
        ('Conv2D_tiling', 6, 5, 2.5), ('Conv2D_12', 6, 7.5, 0), ('99_tiling', 7, 1, 0.003)]
END
}

# Copies of tasks: received, started and ended at ticks of the device's counter, 10 ns each. One has not ended.
copy_asynchronously() {
    python3 - "$1" <<'END'
import struct
import sys

def state(tick, stream, task, number):
    return struct.pack('<BBHIQHHBBHQQ', 0, 11, 40, 0, 40_000_000_000 + tick, stream, task, number, 0, 0, 0, 0)

with open(sys.argv[1], 'wb') as file:
    for stream, task, times in ((9, 2, (900, 1000, 2234)), (1, 7, (100, 200, 1400)), (9, 2, (3000, 3001, 3002)),
                                (9, 3, (5000, 5001))):
        for number, tick in enumerate(times):
            file.write(state(tick, stream, task, number))
END
}

@test "asynchronous copies of 2022 are tasks" {
    needs python3
    local capture
    capture=PROF_1
    copy_family 2022-910a "$capture"
    copy_asynchronously "$capture/device_0/data/ts_track.data.0.slice_0"
    "$MSPROF" export summary -dir "$capture"
    "$MSPROF" export timeline --trace-compat -dir "$capture"
    expect_equal "$(wc -l <"$capture/summary/task_time_0_1.csv")" 104
    expect_equal "$(tail -n 3 "$capture/summary/task_time_0_1.csv" | tr -d '\r')" \
        'MemcopyAsync,other,1,7,"""12.0""","""1000000002000""","""1000000014000"""
MemcopyAsync,other,9,2,"""12.34""","""1000000010000""","""1000000022340"""
MemcopyAsync,other,9,2,"""0.01""","""1000000030010""","""1000000030020"""'
    "$MSPROF" show -q -dir "$capture" --top 103 >shown
    python3 "$repository/tests/cann/lib/agree_show.py" shown "$capture" 103
    grep -q '│ MemcopyAsync *│ other .* 12.34 │ *1000000010000 │ *1000000022340 │' shown
    python3 - "$capture/timeline" <<'END'
import json
import sys
for file, scheduler in (('task_time', 0), ('msprof', '7_0')):
    with open('%s/%s_0_1.json' % (sys.argv[1], file)) as stream:
        events = json.load(stream)
    found = [(e['pid'], e['tid'], e['ts'], e['dur'], e['args']['Task Type'], e['args']['Task Id'],
              e['args']['Receive Time'], e['args']['End Time']) for e in events if e['name'] == 'MemcopyAsync']
    assert found == [(scheduler, 1, 1000000002, 12, 'other', 7, 1000000001, 1000000014),
                     (scheduler, 9, 1000000010, 12.34, 'other', 2, 1000000009, 1000000022.34),
                     (scheduler, 9, 1000000030.01, 0.01, 'other', 2, 1000000030, 1000000030.02)], found
    assert [e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'thread_name' and e['tid'] == 9
            and e['pid'] == scheduler] == ['Stream 9']
END
}
