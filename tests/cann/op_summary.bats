#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# op_summary: values of small captures whose answer is known, each once found wrong against Ascend's own tool.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
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

@test "a tensor without elements has all its dimensions, in the tables and for viewers" {
    needs sqlite3
    write_capture <<'END'
p.launch(0, 1, 1, 'empty')
p.tensors(80, 'empty', [(0, 2, 1, [4, 0, 5]), (0, 2, 1, [0, 16]), (1, 2, 1, [3, 7])])
p.ran(5000, 6000, 1, 1)
END
    options=()
    expect_equal "$(cells op_summary 'Input Shapes' 'Output Shapes')" '"4,0,5;0,16"|"3,7"'
    run_msprof show PROF_1 --table shapes --format csv -q
    expect_contains "$output" '4,0,5;0,16'
    run_msprof export db PROF_1 --stable-names -q
    expect_equal "$(sqlite3 PROF_1/msprof.db "SELECT value FROM COMPUTE_TASK_INFO c JOIN STRING_IDS s ON s.id = c.inputShapes")" \
        '"4,0,5;0,16"'
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
