#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Tables of OPPROF directories.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load common

setup() {
    needs python3
    enter_scratch
}

# Every cell that recompute.py calculates of the files; as many as at least $1.
expect_recomputed() {
    local least=$1 found
    shift
    found=$(python3 "$BATS_TEST_DIRNAME/lib/recompute.py" "$MSPROF" "$@")
    expect_equal "$(grep -vE '^[0-9]+ cells$' <<<"$found")" ""
    [ "$(grep -oE '^[0-9]+' <<<"$found")" -ge "$least" ]
}

@test "every number of the tables is what the files say, of vector and of mixed kernels" {
    plant_vector
    plant_mix
    expect_recomputed 300 OPPROF_1 OPPROF_2
}

@test "every number of the tables is what the files say, of real directories" {
    needs_shared data/real-samples-2/opprof-more
    cp -r "$shared"/data/real-samples-2/opprof-910b-2026-05 "$shared"/data/real-samples-2/opprof-more .
    chmod -R u+w .
    mapfile -t directories < <(find . -type d -name 'OPPROF_*')
    expect_recomputed 1000 "${directories[@]}"
}

@test "every number of the simulator's lines and instructions is what its files say" {
    plant <<'END'
import os
def simulate(core, what, head, rows):
    os.makedirs(f'OPPROF_4/simulator/{core}', exist_ok=True)
    with open(f'OPPROF_4/simulator/{core}/{core}_{what}_exe.csv', 'w') as file:
        file.write(head + ',call_count,cycles,running_time(us)' + (',detail' if what == 'instr' else '') + '\n')
        file.writelines(','.join(map(str, row)) + '\n' for row in rows)
for n, core in enumerate(('core0.cubecore0', 'core0.veccore0', 'core12.veccore1')):
    simulate(core, 'instr', 'instr,addr,pipe', [
        ('MMAD', 4096 + n, 'CUBE', 8, 9000 + n, '5.230000', '"XD:X1=0x4,XN:X2=0"'), ('MOV', 16, 'MTE2', 3, 0, '0.000000', '"a"'),
        ('SET_FLAG', 288400516, 'MTE2', 16, 111601 - n, '0.900000', '"PIPE:MTE2,FLAGID:0"')])
    simulate(core, 'code', 'code', [('/src/add.cpp:12', 8, 2944 + n, '1.630000'), ('/src/a b.h:7', 1, 7 - n, '0.010000')])
END
    expect_recomputed 93 OPPROF_4
}

@test "show prints the operator, its pipes, memory, L2 cache and conflicts" {
    plant_vector
    run_msprof show OPPROF_1
    expect_status 0
    expect_equal "$(grep ' :$' <<<"$output")" "Operator :
Pipes :
Memory :
L2 cache :
Conflicts :"
    expect_contains "$output" add_custom
}

@test "show prints the hot lines and instructions of a simulator's directory, which has nothing else" {
    core=OPPROF_3/simulator/core0.veccore0
    mkdir -p $core
    printf 'code,call_count,cycles,running_time(us)\nadd.cpp:12,16,1000,0.54\nadd.cpp:14,8,5000,2.70\n' >$core/core0.veccore0_code_exe.csv
    printf 'instr,addr,pipe,call_count,cycles,running_time(us),detail\nVADD,16,VECTOR,16,5391,2.9,"a,b"\n' >$core/core0.veccore0_instr_exe.csv
    run_msprof show OPPROF_3
    expect_status 0
    expect_equal "$(grep ' :$' <<<"$output" | tail -2)" "Lines :
Instructions :"
    expect_equal "$(grep -o 'add.cpp:[0-9]*' <<<"$output" | paste -sd,)" add.cpp:14,add.cpp:12
    expect_contains "$output" VADD
    rm -r OPPROF_3/sqlite $core/core0.veccore0_code_exe.csv
    run_msprof show OPPROF_3
    expect_status 0
    expect_equal "$(grep ' :$' <<<"$output" | tail -2)" "Conflicts :
Instructions :"
}

@test "what was not collected is told with the option that collects it" {
    plant_vector
    rm OPPROF_1/L2Cache.csv
    run_msprof show OPPROF_1
    expect_status 0
    expect_contains "$output" "Not collected: L2Cache.csv: --aic-metrics=L2Cache"
    run_msprof show --table l2 OPPROF_1
    expect_contains "$stderr" "which needs L2Cache.csv: --aic-metrics=L2Cache"
}

@test "what each value of --aic-metrics brings is told, and the tables that it names are there" {
    needs jq
    run_msprof options --op --format json
    expect_status 0
    metrics=$output
    expect_equal "$(jq -r '.[] | select(.metrics == "L2Cache") | .files + " " + .tables' <<<"$metrics")" "L2Cache.csv l2"
    plant_vector
    for metric in ArithmeticUtilization Memory L2Cache ResourceConflictRatio PipeUtilization; do
        [ -e "OPPROF_1/$(jq -r --arg name $metric '.[] | select(.metrics == $name).files' <<<"$metrics")" ]
        for table in $(jq -r --arg name $metric '.[] | select(.metrics == $name).tables' <<<"$metrics" | tr -d ,); do
            run_msprof show --table "$table" OPPROF_1
            expect_status 0
        done
    done
    run_msprof options --op file.json
    expect_status 2
}

@test "rows are filtered, sorted and cut as in other tables" {
    plant_vector
    run_msprof show --table blocks --filter 'cycles>18500' --sort time,desc --top 2 --columns block,cycles --format csv OPPROF_1
    expect_equal "$output" "Block,Cycles
3,20700
2,19800"
    run_msprof show --table memory --filter 'path=GM to UB' --columns path,bytes --format markdown OPPROF_1
    expect_contains "$output" "| GM to UB | 2621440 |"
}

@test "tables of an OPPROF directory are listed, and no others" {
    plant_vector
    run_msprof show --table list --all OPPROF_1
    expect_status 0
    expect_equal "$(grep -oE '^[a-z0-9_]+' <<<"$output" | sort | tr '\n' ' ')" \
        "blocks conflicts instructions l2 lines memory operator pipes roofline "
}
