#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# An application's capture beside OPPROF directories.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load common

setup() {
    needs python3 jq
    enter_scratch
    mkdir all
}

# An application: add_custom in 8 blocks three times and in 4 blocks twice, a mixed kernel, and one whose kernel has
# another name than its operator.
application() {
    PYTHONPATH=$BATS_TEST_DIRNAME/../cann/lib python3 - <<END
from program import *
p = Program('PROF_A')
for us, blocks in ((50, 8), (70, 8), (52, 8), (30, 4), (32, 4)):
    p.op('add_custom', 'AddCustom', us, gap=1, core=VECTOR, blocks=blocks)
p.op('matmul_mix_aic', 'MatmulMix', 40, gap=1, blocks=3 | 2 << 16)
track = p.prof.track
p.prof.track = lambda *more, **named: track(*more, **named, kernel='Cummin_kernel')
p.op('aclnnCummin_Cummin', 'Cummin', 12, gap=1, blocks=1)
p.write()
END
}

# launch DIRECTORY NAME KIND DURATION BLOCKS [MIX]
launch() {
    plant <<END
Op('$2', '$3', $4, blocks=$5, mix=${6:-None}).write('$1', [Row(0, 'vector0', cycles=9000)], metrics=[])
END
}

rows() {
    jq -r '.[] | [.Operator, .Blocks, .Count, .["Median(us)"], .["Under msprof op(us)"], .Ratio, .Match, .Directory] | map(tostring) | join(" ")' \
        <<<"$output"
}

@test "operators are beside their launches by name and blocks, with the ratio of their times" {
    application
    launch all/OPPROF_1 add_custom vector 40.0 8
    launch all/OPPROF_2 matmul_mix_aic mix 20.0 3 6
    launch all/OPPROF_3 Cummin_kernel vector 12.0 1
    run_msprof show PROF_A --opprof all --format json
    expect_status 0
    expect_equal "$(rows)" "add_custom 4 2 31 40 N/A other blocks OPPROF_1
add_custom 8 3 52 40 1.3 same blocks OPPROF_1
matmul_mix_aic 3 1 40 20 2 same blocks OPPROF_2
Cummin_kernel 1 1 12 12 1 same blocks OPPROF_3"
}

@test "their median is of the ticks of the device's clock" {
    application
    launch all/OPPROF_1 add_custom vector 40.0 4
    sed -i 's/"hwts_frequency": *"[0-9.]*"/"hwts_frequency":"38.4"/' PROF_A/device_0/info.json.0
    run_msprof show PROF_A --opprof all --table opprof --columns blocks,median --format csv
    # 30 and 32 us are 1,500 and 1,600 ticks of 50 MHz, 1,550 of 38.4 MHz 40.3646 us; 52 are 2,600, and 67.7083
    expect_equal "$output" "Blocks,Median(us)
4,40.365
8,67.708"
}

@test "a single directory is taken, too, whatever its name is" {
    application
    launch bench add_custom vector 40.0 8
    run_msprof show PROF_A --opprof bench
    expect_status 0
    expect_contains "$output" "add_custom"
    run_msprof show PROF_A --opprof bench --table opprof --columns operator,ratio --format csv
    expect_equal "$output" "Operator,Ratio
add_custom,N/A
add_custom,1.3"
}

@test "operators that match by name but not by blocks are told, and have no ratio" {
    application
    launch all/OPPROF_1 add_custom vector 40.0 16
    launch all/OPPROF_2 matmul vector 20.0 3 12
    launch all/OPPROF_3 softmax vector 7.0 2
    run_msprof show PROF_A --opprof all --format json
    expect_status 0
    expect_equal "$(rows)" "add_custom 4 2 31 40 N/A other blocks OPPROF_1
add_custom 8 3 52 40 N/A other blocks OPPROF_1
matmul 3 1 40 20 N/A other blocks OPPROF_2
softmax N/A 0 N/A 7 N/A not in the application OPPROF_3"
}

@test "blocks that no side recorded match nothing for certain" {
    application
    launch all/OPPROF_1 Cummin_kernel vector 12.0 "'NA'"
    run_msprof show PROF_A --opprof all --format json
    expect_equal "$(rows)" "Cummin_kernel 1 1 12 12 N/A blocks not known OPPROF_1"
}

@test "several launches of one directory are rows of their own" {
    application
    launch all/OPPROF_1/add_custom/0 add_custom vector 40.0 8
    launch all/OPPROF_1/add_custom/1 add_custom vector 31.0 4
    run_msprof show PROF_A --opprof all/OPPROF_1 --format json
    expect_equal "$(rows)" "add_custom 8 3 52 40 1.3 same blocks OPPROF_1/add_custom/0
add_custom 4 2 31 31 1 same blocks OPPROF_1/add_custom/1"
}

@test "what is no OPPROF directory is told, and a table without directories names the option" {
    application
    mkdir empty
    run_msprof show PROF_A --opprof empty
    [ "$status" -ne 0 ]
    expect_equal "$output" ""
    expect_contains "$stderr" "try: pass an OPPROF_* directory of 'msprof op', or a directory with several"
    run_msprof show PROF_A --opprof PROF_A
    expect_status 4
    expect_contains "$stderr" "has no launch of 'msprof op' with an OpBasicInfo.csv"
    run_msprof show PROF_A --table opprof
    expect_status 4
    expect_contains "$stderr" "directories of msprof op: --opprof DIR"
    launch all/OPPROF_1 add_custom vector 40.0 8
    run_msprof show all/OPPROF_1 --opprof all
    expect_status 2
    expect_contains "$stderr" "opprof"
}

@test "captures of programs that stand beside the directories are left alone" {
    application
    cp -R PROF_A all/PROF_B
    launch all/OPPROF_1 add_custom vector 40.0 8
    run_msprof show PROF_A --opprof all --columns operator,match --format csv
    expect_status 0
    expect_equal "$output" "Operator,Match
add_custom,other blocks
add_custom,same blocks"
    [ ! -e all/PROF_B/sqlite ]
}
