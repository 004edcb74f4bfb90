#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What is a board's own beside its records: the ticks of its clock, and how its tool forms the rate of cache misses.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # common.bash sets repository and scratch; run_msprof sets status, output and stderr

load ../cli/common

setup() {
    enter_scratch
    copy_capture JOBX
}

# Each inference of JOBX has so many hits and misses of its cache: HIT MISS a picture, in their order.
set_misses() {
    for picture in 0 5 10 15; do
        sed -i "s/^icache_hit.*/icache_hit:$1/; s/^icache_miss.*/icache_miss:$2/" \
            "JOBX/data/aicore.0.resnet50.6.1.1.$picture.done"
        shift 2
    done
}

# The tables that a layout gives, in tables/, and the layout of the built-in records with more lines in board.layout.
print_tables() {
    {
        printf 'kind svp_pmu\nlayout board\nsize 128\n%s\n' "$1"
        "$MSPROF" layout show svp_pmu | awk '$3 == "offset" && $2 != "magic" { print "column", $2, $3, $4, $5, $6 }' |
            sed "/_cycle/s/\$/ $2/"
    } >board.layout
    rm -rf printed tables
    "$MSPROF" export summary -q -dir JOBX --layout board.layout --columns vendor --output printed
    mv printed/summary tables
}

@test "a board that prints its cache misses in per cent is found, its captures come out, and check tells another rate" {
    set_misses 95000 5000 970 30 12345 67 800 200
    sed -i 's/"600"/"475"/' JOBX/info.json.0
    print_tables 'icache_miss_rate icache_miss of icache_hit plus icache_miss scale 100' ''
    [ -f tables/op_summary_0.resnet50.6.1.1.0.5.000000.475.csv ]
    run_msprof layout infer -dir JOBX --tables tables
    expect_contains "$output" \
        "icache_miss_rate icache_miss of icache_hit plus icache_miss scale 100  # 4 of 4 names of tables"
    echo "$output" >found.layout
    "$MSPROF" layout show found.layout | grep -q 'icache_miss_rate icache_miss of icache_hit plus icache_miss scale 100$'
    "$MSPROF" export summary -q -dir JOBX --layout found.layout --columns vendor --output again
    for table in tables/op_summary*; do
        cmp "$table" "again/summary/${table##*/}"
    done
    run_msprof layout check found.layout -dir JOBX --tables tables
    expect_status 0
    sed -i '/^icache_miss_rate/d' found.layout
    run_msprof layout check found.layout -dir JOBX --tables tables
    expect_status 1
    expect_contains "$stderr" "icache_miss_rate in its name is 5.000000, but the layout gives 0.050000"
}

@test "a board whose hits count all requests differs in one word, and the built-in way is told as such" {
    set_misses 100 5 200 30 300 70 400 160
    print_tables 'icache_miss_rate icache_miss of icache_hit' ''
    run_msprof layout infer -dir JOBX --tables tables
    expect_contains "$output" "icache_miss_rate icache_miss of icache_hit  # 4 of 4 names of tables"
    print_tables '' ''
    run_msprof layout infer -dir JOBX --tables tables
    expect_contains "$output" \
        "# icache_miss_rate icache_miss of icache_hit plus icache_miss, as built in: 4 of 4 names of tables"
    [ "$(echo "$output" | grep -c '^icache_miss_rate')" -eq 0 ]
}

@test "a rate that several ways give is AMBIGUOUS, one that none gives is NOT FOUND, and neither ends with status 0" {
    set_misses 100 5 100 5 100 5 100 5
    print_tables 'icache_miss_rate icache_miss' ''
    run_msprof layout infer -dir JOBX --tables tables --set model_id=100:4
    expect_status 3
    expect_contains "$output" "4 of 4 names of tables; AMBIGUOUS: also icache_miss"
    for table in tables/op_summary*.5.000000.*; do
        mv "$table" "${table/.5.000000./.7.123456.}"
    done
    run_msprof layout infer -dir JOBX --tables tables --set model_id=100:4
    expect_status 3
    expect_contains "$output" "icache_miss_rate   NOT FOUND: the name of a table says 7.123456"
    sed -i '/^icache/d' JOBX/data/*.done
    run_msprof layout infer -dir JOBX --tables tables --set model_id=100:4
    expect_status 3
    expect_contains "$output" "icache_miss_rate   NOT FOUND: the name of a table says 7.123456"
}

@test "the clock is the board's: counters that tick every hundred cycles, and those that count every one" {
    print_tables '' ''
    "$MSPROF" layout infer -q -dir JOBX --tables tables >single.layout || [ $? -eq 3 ]
    grep -q '^column total_cycle  *offset 16 width [48]  #' single.layout
    python3 - <<'END'
data = bytearray(open('JOBX/data/aicore.0.1.1', 'rb').read())
for record in range(0, len(data), 128):
    for at in [16, *range(32, 96, 8)]:
        number = int.from_bytes(data[record + at:record + at + 8], 'little') // 100
        data[record + at:record + at + 8] = number.to_bytes(8, 'little')
open('JOBX/data/aicore.0.1.1', 'wb').write(data)
END
    print_tables '' 'scale 100'
    "$MSPROF" layout infer -q -dir JOBX --tables tables >hundreds.layout || [ $? -eq 3 ]
    grep -q '^# Cycles are counted by 100; counted one by one at 6.000 MHz they make the same times' hundreds.layout
    grep -q '^column total_cycle  *offset 16 width [48] scale 100  #' hundreds.layout
    run_msprof layout check hundreds.layout -dir JOBX --tables tables
    expect_status 0
    run_msprof layout check single.layout -dir JOBX --tables tables
    expect_status 1
}
