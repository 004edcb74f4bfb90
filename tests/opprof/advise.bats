#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Rules of advise about OPPROF directories: what each finds, with the value calculated by hand, and what it lets pass.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load common

setup() {
    needs python3 jq
    enter_scratch
}

# op [key=value...]: an operator of 40 blocks whose cores are busy with nothing in particular, but for what is given;
# of=... changes the operator, one=... the row of block 7.
op() {
    rm -rf OPPROF_1
    plant <<END
of, one, common = {}, {}, {}
for word in '''$*'''.split():
    key, _, value = word.partition('=')
    place, _, name = key.rpartition('.')
    {'of': of, 'one': one, '': common}[place][name] = value if name == 'kind' else float(value) if '.' in value else int(value)
base = dict(cycles=90000, vec=40000, scalar=9000, mte2=71000, mte3=20000, icache=0.01, fops=1 << 20, vec_fp32=30000,
            gm_to_ub=8000000, ub_to_gm=1 << 20, read=8000000, write=1 << 20, mte2_instructions=100, mte3_instructions=50,
            write_hit=100, r0_read_hit=20000, r0_read_miss=1000, r1_read_hit=20000, r1_read_miss=1000, bank_cflt=900)
operator = dict(name='add', kind='vector', duration=52.0, blocks=40) | of
rows = [Row(b, 'vector0', **(base | common | (one if b == 7 else {}))) for b in range(operator['blocks'])]
Op(**operator).write('OPPROF_1', rows)
END
    run_msprof advise --format json OPPROF_1
    expect_status 0
}

# expect_found RULE VALUE: the only finding, with its value to two decimals.
expect_found() {
    expect_equal "$(jq -r '.findings[] | "\(.id) \(.value * 100 | round / 100)"' <<<"$output")" "$1 $2"
}

@test "a balanced operator passes all rules" {
    op
    expect_equal "$(jq -c '[(.findings | length), (.not_checked | length), (.passed | length)]' <<<"$output")" "[0,0,11]"
}

@test "a block that takes longer than the others is an imbalance" {
    op one.cycles=135000 # the mean is 91125
    expect_found op-imbalance 48.15
    expect_equal "$(jq -r '.findings[0].evidence[0] | "\(.name) \(.time)"' <<<"$output")" "block 7 vector0 75"
    expect_equal "$(jq -r '.findings[0].sentence' <<<"$output")" \
        "Block 7 takes 75.0 us on vector0, the mean of 40 cores is 50.625 us."
    op one.cycles=95000
    expect_equal "$(jq '.findings | length' <<<"$output")" 0
}

@test "a last wave with few blocks is told where both counts of cores leave it" {
    op of.blocks=100 # 40 cores: 3 waves of 120, 48 cores: 3 waves of 144
    expect_found op-tail-wave 16.67
    op of.blocks=96 # 48 cores: no tail
    expect_equal "$(jq '.findings | length' <<<"$output")" 0
}

@test "the busiest pipe bounds the operator" {
    op mte2=81000 gm_to_ub=9600000
    expect_found op-bound 90
    expect_contains "$(jq -r '.findings[0].sentence' <<<"$output")" "bound by MTE2"
}

@test "a busy scalar unit is told" {
    op scalar=54000
    expect_found op-scalar 60
}

@test "pipes that run one after another leave room for double buffers" {
    op mte2=30000 vec=30000 mte3=30000 gm_to_ub=3400000
    expect_found op-double-buffer 66.67
    op mte2=60000 vec=60000 mte3=60000 gm_to_ub=6600000 # they overlap already: 90000 - 60000
    expect_found op-double-buffer 33.33
    op mte2=60000 vec=80000 mte3=60000 gm_to_ub=6600000 # one is busy nearly always
    expect_equal "$(jq -r '.findings[].id' <<<"$output")" op-bound
}

@test "a slow MTE2 is told with the peak of the files" {
    op gm_to_ub=2500000 # 71000 cycles are 39.444 us: 59.03 of 220 GB/s
    expect_found op-bandwidth 73.17
    op gm_to_ub=2500000 mte2=17000 vec=70000 # under a fifth of the time
    expect_equal "$(jq '.findings | length' <<<"$output")" 0
}

@test "small transfers are told" {
    op mte2_instructions=3200 # 2500 bytes each
    expect_found op-small-transfers 84.74
}

@test "reads that miss the L2 cache are told, unless they are few" {
    op r0_read_hit=2000 r0_read_miss=18000 r1_read_hit=2000 r1_read_miss=18000
    expect_found op-l2 90
    op r0_read_hit=0 r0_read_miss=6 r1_read_hit=0 r1_read_miss=6
    expect_equal "$(jq '.findings | length' <<<"$output")" 0
}

@test "misses of the instruction cache are told, unless the task is short" {
    op icache=0.25
    expect_found op-icache 25
    op icache=0.25 of.duration=19.0 cycles=9000 vec=4000 mte2=7100 scalar=900 mte3=2000 gm_to_ub=800000 mte2_instructions=10 \
        bank_cflt=90
    expect_equal "$(jq -r '.findings[].id' <<<"$output")" ""
}

@test "a throttled frequency is told from 5 % on" {
    op of.mhz=1710
    expect_found op-frequency 5
    op of.mhz=1728
    expect_equal "$(jq '.findings | length' <<<"$output")" 0
}

@test "conflicts of banks are told by their kind" {
    op bank_cflt=9000 bankgroup_cflt=900
    expect_found op-bank-conflicts 11
    expect_equal "$(jq -r '.findings[0].evidence[0] | "\(.name) \(.share)"' <<<"$output")" "banks 10"
}

@test "a rule whose file was not collected names the option that collects it" {
    op
    rm OPPROF_1/L2Cache.csv OPPROF_1/Memory.csv
    run_msprof advise OPPROF_1
    expect_status 0
    expect_contains "$output" "op-l2: not checked, because L2Cache.csv was not collected: 'msprof op --aic-metrics=L2Cache' collects it"
    expect_contains "$output" "op-small-transfers: not checked, because Memory.csv was not collected: 'msprof op --aic-metrics=Memory' collects it"
}

@test "the only table that was collected is enough for its own rules" {
    op r0_read_hit=2000 r0_read_miss=18000 r1_read_hit=2000 r1_read_miss=18000
    for metric in Arithmetic Pipe Memory Resource; do
        rm OPPROF_1/$metric*
    done
    rm -r OPPROF_1/sqlite
    run_msprof advise --format json OPPROF_1
    expect_found op-l2 90
    expect_equal "$(jq '.findings[0].at_stake' <<<"$output")" 45 # 90 % of 90,000 cycles at 1,800 MHz
}

@test "a rule passes only if all launches have its table" {
    op
    mkdir -p OPPROF_2/add/1
    cp OPPROF_1/*.csv OPPROF_2/add/1
    rm OPPROF_2/add/1/L2Cache.csv
    mkdir OPPROF_2/add/0
    mv OPPROF_1/*.csv OPPROF_2/add/0
    run_msprof advise --format json OPPROF_2
    expect_equal "$(jq -r '.not_checked[] | "\(.id) \(.reason)"' <<<"$output")" \
        "op-l2 1 launch has no L2Cache.csv, and the others pass: 'msprof op --aic-metrics=L2Cache' collects it"
    expect_equal "$(jq '.passed | length' <<<"$output")" 10
}

# without RULE SED FILE: what advise says of the rule where the columns of a file are changed so.
without() {
    sed -i "1$2" "OPPROF_1/$3.csv"
    rm -r OPPROF_1/sqlite
    run_msprof advise --format json OPPROF_1
    jq -r --arg rule "$1" '(.not_checked[] | select(.id == $rule).reason), (.passed[] | select(. == $rule))' <<<"$output"
}

@test "a rule whose values a file does not have is not checked, and says which they are" {
    op of.mhz=0
    expect_equal "$(jq -r '.not_checked[] | "\(.id) \(.reason)"' <<<"$output")" \
        "op-frequency OpBasicInfo.csv has no frequency while the operator ran, or none that it is rated for"
    op
    expect_equal "$(without op-icache s/icache/other/g PipeUtilization)" "PipeUtilization.csv has no misses of the instruction cache"
    expect_equal "$(without op-bandwidth s/GM_to_UB_datas/other/ Memory)" "Memory.csv has no bytes from main memory to the unified buffer"
    expect_equal "$(without op-small-transfers s/nothing// Memory)" "Memory.csv has no bytes from main memory to the unified buffer"
    expect_equal "$(without op-bank-conflicts s/total_cflt/other/ ResourceConflictRatio)" \
        "ResourceConflictRatio.csv has no sum of the vector unit's conflicts"
    expect_equal "$(without op-l2 s/r._read_cache/other/g L2Cache)" "L2Cache.csv has no counts of reads"
}

@test "reads of a 950 that miss are told, but no tail of its waves: it has more cores than a 910B" {
    op of.blocks=100 r0_read_hit=4000 r0_read_miss=1000 r1_read_hit=0 r1_read_miss=9000
    expect_equal "$(jq -r '[.findings[].id] | sort | join(" ")' <<<"$output")" "op-l2 op-tail-wave"
    sed -i '1s/aiv_r0_read_cache_hit/aiv_read_close_hit/; 1s/aiv_r0_read_cache_miss_allocate/aiv_read_close_miss/
        1s/aiv_r1_read_cache_hit/aiv_read_far_hit/; 1s/aiv_r1_read_cache_miss_allocate/aiv_read_far_miss/' OPPROF_1/L2Cache.csv
    rm -r OPPROF_1/sqlite
    run_msprof advise --format json OPPROF_1
    expect_found op-l2 71.43 # 10,000 of 14,000
    expect_equal "$(jq -r '.not_checked[] | "\(.id) \(.reason)"' <<<"$output")" \
        "op-tail-wave neither the files nor their columns tell how many cores the chip has"
}

@test "limits, --fail-on and --list know the rules of one operator" {
    op scalar=54000
    run_msprof advise --threshold op-scalar:70 OPPROF_1
    expect_contains "$output" "0 findings"
    run_msprof advise --fail-on high OPPROF_1
    expect_status 6
    run_msprof advise --list
    expect_contains "$output" op-double-buffer
}

@test "rules of one operator are not held against programs, nor those of programs against it" {
    op
    expect_equal "$(jq -r '[.findings[].id, .not_checked[].id, .passed[]] | map(select(startswith("op-") | not)) | length' <<<"$output")" 0
    copy_capture JOBX
    run_msprof advise --format json JOBX
    expect_equal "$(jq -r '[.findings[].id, .not_checked[].id, .passed[]] | map(select(startswith("op-"))) | length' <<<"$output")" 0
}
