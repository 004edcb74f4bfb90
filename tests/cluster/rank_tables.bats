#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Tables about all ranks of a job: msprof cluster --table, on jobs whose truth is planted (planted_job.py) and calculated
# again in plain Python (rank_tables.py).
# shellcheck disable=SC2154 # common.bash sets repository; run_msprof sets status, output and stderr

load ../cli/common

setup() {
    enter_scratch
    needs python3
}

plant() { # seed, what: make (the default), pipeline, experts, modules
    rm -rf JOB
    python3 "$repository/tests/cluster/rank_tables.py" "${2:-make}" JOB "$1"
}

# A table of JOB is what was planted.
agrees() { # table
    run_msprof -q cluster JOB --table "$1" --format csv
    expect_status 0
    python3 "$repository/tests/cluster/rank_tables.py" check JOB "$1" <"$BATS_TEST_TMPDIR/stdout"
}

@test "sums of operators, communication and calls over ranks are those of all executions, with the ranks of most and least" {
    for seed in 1 2 3 4 5; do
        plant "$seed"
        for table in operator_sum communication_sum api_sum; do
            agrees "$table"
        done
    done
}

@test "medians over ranks are of ticks, also between two nanoseconds" {
    for mhz in 38.4 47.999001; do
        plant 1
        find JOB -name info.json.0 -exec sed -i "s/\"hwts_frequency\": *\"[0-9.]*\"/\"hwts_frequency\":\"$mhz\"/" {} +
        run_msprof -q cluster JOB --table operator_sum --format csv
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ] # devices run before they are launched, by that clock
        MHZ=$mhz python3 "$repository/tests/cluster/rank_tables.py" check JOB operator_sum <"$BATS_TEST_TMPDIR/stdout"
    done
}

@test "free time of each rank by cause is its gaps, masked communication what computes beside it" {
    for seed in 11 12 13 14 15; do
        plant "$seed"
        for table in free masking; do
            agrees "$table"
        done
    done
}

@test "sends and receives are put together whatever the clocks of their ranks, and who waited is told; what lacks its other side stands alone" {
    for seed in 20 21 22 23 24 25; do
        plant "$seed" pipeline
        agrees p2p
    done
}

@test "the use of matrix units is what they multiply, by the time of the device, and N/A where nothing counted it" {
    for seed in 20 22 24; do
        plant "$seed" pipeline
        agrees mfu
    done
    plant 1
    run_msprof -q cluster JOB --table mfu --format csv --columns "mfu,mac_busy,mac_busy_time"
    expect_status 0
    expect_equal "$(tail -n +2 <<<"$output" | sort -u)" "N/A,N/A,N/A"
}

@test "a pipeline has the bubble of each rank, and the chart shows what takes most of each part of a step" {
    for seed in 20 22 24; do
        plant "$seed" pipeline
        agrees pipeline
    done
}

@test "stages are those that the metadata of the frameworks tell" {
    plant 22 pipeline
    python3 - "$repository/testdata/frameworks/run_ascend_pt/profiler_info_1.json" <<'PY'
import glob, json, os, sys
info = json.load(open(sys.argv[1]))
paths = sorted(glob.glob('JOB/PROF_*'))
for rank, path in enumerate(paths):
    top = 'JOB/rank_%d_ascend_pt' % rank
    os.makedirs(top + '/FRAMEWORK')
    os.rename(path, top + '/' + os.path.basename(path))
    json.dump({**info, 'rank_id': rank}, open(top + '/profiler_info_%d.json' % rank, 'w'))
    json.dump({'distributed_args': {'tensor_model_parallel_size': 1, 'pipeline_model_parallel_size': len(paths), 'data_parallel_size': 1,
                                    'context_parallel_size': 1, 'rank': rank, 'world_size': len(paths)}},
              open(top + '/profiler_metadata.json', 'w'))
PY
    sed -i 's/cntvct: 0/cntvct: 1/' JOB/*/PROF_*/host/host_start.log # 0 is no counter to a framework's analysis
    run_msprof -q cluster JOB --table pipeline --format csv --columns stage,rank
    expect_equal "$(tr '\n' ' ' <<<"$output")" "Stage,Rank 0,0 1,1 2,2 "
}

@test "the load of experts is the tokens that their products take, and what all-to-all moves, on the ranks that have some" {
    for seed in 31 32; do
        plant "$seed" experts
        agrees experts
    done
}

@test "modules are the ranges that programs mark: what they launch, with and without what those inside of them launch" {
    for seed in 41 42 43; do
        plant "$seed" modules
        agrees modules
    done
    plant 1
    run_msprof cluster JOB --table modules
    expect_status 4
    expect_contains "$stderr" "which needs ranges that a program marks around its launches"
}

@test "--step chooses the step of a number on each rank; a rank that has none is named and left out" {
    plant 22 pipeline
    for step in 1 2 3; do
        run_msprof -q cluster JOB --table operator_sum --step "$step" --format csv
        expect_status 0
        python3 "$repository/tests/cluster/rank_tables.py" check JOB operator_sum "$step" <"$BATS_TEST_TMPDIR/stdout"
    done
    run_msprof cluster JOB --table operator_sum --step 99
    expect_status 3
    expect_contains "$stderr" "rank 0 is left out: the capture has no step of the number 99"
}

@test "a table of ranks is sorted, filtered and cut as those of a capture, in every format, and several stand one behind the other" {
    plant 1
    run_msprof -q cluster JOB --table operator_sum --columns type,total --sort type --filter 'type!~Conv*' --format csv
    expect_status 0
    expect_equal "$(cut -d , -f 1 <<<"$output" | tr '\n' ' ')" "Type Add Gelu Index MatMul "
    run_msprof -q cluster JOB --table operator_sum --top 2 --format json
    expect_status 0
    python3 -c 'import json, sys; rows = json.load(open(sys.argv[1])); assert len(rows) == 2 and isinstance(rows[0]["Count"], int), rows' \
        "$BATS_TEST_TMPDIR/stdout"
    run_msprof -q cluster JOB --table operator_sum --format markdown
    expect_contains "$output" "| Core | Type |"
    run_msprof -q cluster JOB --table api_sum --table operator_sum
    expect_status 0
    expect_contains "$output" "Table : api_sum"
    expect_contains "$output" "Table : operator_sum"
    run_msprof -q cluster JOB --table operator_sum --ranks 0 --format csv
    expect_status 0
    expect_equal "$(cut -d , -f 7 <<<"$output" | sort -u | tr '\n' ' ')" "1 Ranks "
    [ ! -e JOB/cluster_analysis_output ]
}

@test "the list of tables of ranks needs no job, and has those of the manual" {
    run_msprof cluster --table list
    expect_status 0
    expect_equal "$(grep -oE '^[a-z_0-9]+' <<<"$output")" "$("$MSPROF" help --manual ranks | sed -n 's/^\.It Cm //p')"
    expect_contains "$output" "    total count mean median"
}

@test "a table that does not exist, and options that do not go with tables of ranks, are refused" {
    plant 1
    for wrong in "--table operator_sums" "--table api_sum --timeline" "--table api_sum --step 1-2" "--table api_sum --step slowest" "--table api_sum --format pftrace" \
        "--sort total" "--format csv" "--timeline --format csv" "--table list --table api_sum" "--table list --format csv"; do
        # shellcheck disable=SC2086 # words of a command line
        run_msprof cluster JOB $wrong
        expect_status 2
    done
    run_msprof cluster JOB --table operator_sums
    expect_contains "$stderr" "did you mean 'operator_sum'?"
    run_msprof cluster JOB --table api_sum --filter 'total>1000s'
    expect_status 4
    expect_contains "$stderr" "no row of table 'api_sum' passes the filters"
}

@test "a rank of which only an analysis is there is named and left out" {
    plant 1
    build=$(dirname "$(readlink -f "$MSPROF")")
    "$build/make-ranks" --output RUN
    run_msprof cluster RUN --table operator_sum
    expect_status 3
    expect_contains "$stderr" "rank 2 is left out:"
    expect_contains "$stderr" "no rank has rows for table 'operator_sum', which needs operators"
}

@test "times of ranks that no framework divides into steps are told in all, not a step" {
    rm -rf JOB
    PYTHONPATH=$repository/tests/cluster python3 - <<'PY'
from planted_job import Rank, write_job
ranks = [Rank('JOB', rank) for rank in range(4)]
begin = 1_000_000
for step in range(6):
    for rank in ranks:
        rank.at = max(rank.at, begin)
        rank.op('mm', 'MatMul', 400 if rank.rank == 2 else 200, gap=1)
        if rank.rank == 1:
            rank.late()
            rank.host = rank.at + 90_000
        rank.op('add', 'Add', 20, gap=1, core=2)
    end = max(rank.at for rank in ranks) + 50_000
    for rank in ranks:
        rank.communicate('hcom_allReduce', (end - max(rank.at, rank.host + 400)) / 1000)
    begin = max(rank.at for rank in ranks)
write_job('JOB', ranks)
PY
    run_msprof -q cluster JOB
    expect_contains "$output" "Slowest rank: 2"
    expect_contains "$output" "The captures are not divided into steps: nothing shows whether it recurs."
    expect_contains "$output" "Computing: rank 2 takes 2.520 ms in all, 90.9 % more than the others (1.320 ms)" # 6 times 420, and 220
    expect_contains "$output" "Free: rank 1 is idle for 0.5"
    expect_not_contains "$output" "a step,"
    expect_not_contains "$output" "per step"
}
