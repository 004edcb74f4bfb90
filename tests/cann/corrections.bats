#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Values that were found wrong against Ascend's own tool: small captures whose answer is known.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
}

# The columns of a table as CSV, one row a line.
cells() { # table, column...
    local table=$1
    shift
    run_msprof export summary -dir PROF_1 --stable-names --output out "${options[@]}"
    python3 - "out/mindstudio_profiler_output/$table.csv" "$@" <<'END'
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(*(row.get(column, '-').strip() for column in sys.argv[2:]), sep='|')
END
}

@test "a call of communication is called by what it is of, in the timeline and in the database for viewers" {
    capture <<'END'
p.call(NODE, LAUNCH, 0, 100, item=p.hash('hcom'))
p.call(COMMUNICATION, MASTER, 10, 80, item=p.hash('Memcpy'))
p.ran(1000, 2000, 1, 1)
END
    run_msprof export timeline -dir PROF_1
    grep -o '"Communication@[^"]*"' PROF_1/mindstudio_profiler_output/msprof_*.json | sort >names
    expect_equal "$(<names)" '"Communication@Memcpy"'
    run_msprof export db -dir PROF_1
    expect_equal "$(sqlite3 PROF_1/msprof_*.db "SELECT s.value FROM CANN_API c JOIN STRING_IDS s ON s.id = c.name
        WHERE c.type = 5500 ORDER BY c.startNs")" Memcpy
}

@test "the state of an operator goes by its file, and any flag makes it eligible for HF32" {
    write_capture <<'END'
p.launch(0, 1, 1, 'static')
p.launch(1000, 1, 2, 'dynamic', node={'age': 'aging'})
p.ran(5000, 6000, 1, 1)
p.ran(7000, 8000, 1, 2)
for name, flag, byte in (('unaging', 2, 1), ('aging', 0, 0)):
    record = p.host[name + '.compact.node_basic_info']
    record[48:53] = struct.pack('<IB', flag, byte)
END
    options=()
    expect_equal "$(cells op_summary 'Op Name' 'OP State' 'HF32 Eligible')" $'static|static|YES\ndynamic|dynamic|NO'
}

@test "chips 8 and 11 have one last-level cache" {
    for chip in 8 11 5; do
        rm -rf PROF_1 out
        write_capture <<END
p.chip = $chip
p.samples[0] = {'llc_profiling': 'read', 'llc_profiling_events': 'read'}
p.devices[0]['llc.data.0'] = b''.join(struct.pack('<QQII', 1000 * t, 5 + t + i, 0, i) for t in range(3) for i in range(4))
END
        options=()
        cells llc_read_write Task | sort -u | tr '\n' ' ' >"of_$chip"
    done
    expect_equal "$(cat of_8 of_11 of_5)" "0 Average 0 Average 0 1 2 3 Average "
}

@test "the time of a task is the nearest double of two decimals" {
    # 2.675 and 1.005 are a little less as doubles, 0.125 is one exactly and goes to the even digit
    for case in "2675 2.67" "1005 1" "125 0.12" "375 0.38"; do
        rm -rf PROF_1 out
        write_capture <<END
p.chip = 1
p.launch(0, 1, 1, 'op', node={'blocks': 1})
p.ran(5000, 6000, 1, 1)
p.pmu(5000, 6000, 1, 1, ${case% *}, range(8))
END
        options=()
        expect_equal "$(cells op_summary 'aicore_time(us)')" "${case#* }"
    done
}

@test "--columns vendor has no bandwidths that Ascend's tool does not print, and no metrics when cores were sampled" {
    local chip found
    for chip in 0 1 5; do
        for group in Memory MemoryUB; do
            rm -rf PROF_1 out
            write_capture <<END
p.chip = $chip
p.samples[0] = {'ai_core_metrics': '$group', 'aiv_metrics': '$group', 'ai_core_profiling_mode': 'task-based'}
p.launch(0, 1, 1, 'op')
p.ran(5000, 6000, 1, 1)
p.pmu(5000, 6000, 1, 1, 1000, range(8))
END
            options=(--columns vendor)
            cells op_summary >/dev/null
            found=$(head -n 1 out/mindstudio_profiler_output/op_summary.csv | grep -Eo '(l2_read_bw|ub_read_bw_mte)[^,]*' | sort -u | tr '\n' ' ' || true)
            echo "$chip $group $found" >>found
        done
    done
    expect_equal "$(<found)" "0 Memory l2_read_bw(GB/s) 
0 MemoryUB ub_read_bw_mte(GB/s) 
1 Memory 
1 MemoryUB 
5 Memory l2_read_bw(GB/s) 
5 MemoryUB "
    sed -i 's/"task-based"/"sample-based"/' PROF_1/device_0/sample.json
    cells op_summary >/dev/null
    expect_not_contains "$(head -n 1 out/mindstudio_profiler_output/op_summary.csv)" total_cycles
}

@test "reports of one iteration have the tables of the system, whole, and what is said of its tasks alone" {
    copy_family system-910b PROF_1
    python3 - <<'END'
import struct
with open('PROF_1/device_0/data/ts_track.data.0.slice_0', 'wb') as marks:
    for tick, tag in ((50000, 0), (57500, 4), (62000, 4), (66000, 4)): # model 1 begins, and its iterations end
        marks.write(struct.pack('<BBHIQQQHHHH', 1, 10, 40, 0, 77000000000 + tick, 1, 1, 1, 0, tag, 0))
END
    run_msprof export summary -dir PROF_1 --output whole --stable-names
    expect_status 0
    run_msprof export summary -dir PROF_1 --output part --stable-names --model-id 1 --iteration-id 2
    expect_status 0
    python3 - <<'END'
import csv, filecmp, os
whole, part = (os.path.join(d, 'mindstudio_profiler_output') for d in ('whole', 'part'))
of_tasks = {'aicpu.csv', 'api_statistic.csv', 'l2_cache.csv', 'op_statistic.csv', 'op_summary.csv', 'page_fault.csv', 'soc_pmu.csv',
            'task_time.csv', 'communication_statistic.csv', 'communication.json', 'communication_matrix.json'}
system = set(os.listdir(whole)) - of_tasks
assert len(system) > 25, system
for name in system:
    assert os.path.exists(os.path.join(part, name)), name
    assert filecmp.cmp(os.path.join(whole, name), os.path.join(part, name), False), name
rows = lambda directory, name: list(csv.DictReader(open(os.path.join(directory, name))))
tasks = {(r['Stream ID'], r['Task ID']) for r in rows(part, 'op_summary.csv')}
assert 0 < len(tasks) < len(rows(whole, 'op_summary.csv'))
for name in ('l2_cache.csv', 'soc_pmu.csv', 'page_fault.csv'):
    some, names = rows(part, name), {r['Op Name'] for r in rows(whole, name)}
    assert 0 < len(some) < len(rows(whole, name)), name
    assert {r['Op Name'] for r in some} <= names, name
END
}
