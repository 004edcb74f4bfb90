#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures with what real programs leave: warm-up, kernels of collectives, the profiler's own tasks, replayed marks, lost flips,
# level 0, direct launches, mixed kernels, one by one and all together. Each table is held against what was planted, every sum
# against plain arithmetic, and every record against the files.
# bats file_tags=once

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3 sqlite3
}

# Makes a capture with the options, imports it without a problem, and holds everything against the truth. $platform: its chip,
# where that writes what one that the script knows does.
agree() {
    local lib=$BATS_TEST_DIRNAME/lib path
    rm -rf made out
    path=$(python3 "$repository/testdata/generate/cann/make_variants.py" made --truth truth.json --count 240 "$@")
    if [ -n "${platform-}" ]; then
        find made -name '*.done' -delete
        sed -i "s/\"platform_version\":\"[0-9]*\"/\"platform_version\":\"$platform\"/" "$path"/*/info.json*
    fi
    run_msprof import "$path"
    expect_status 0
    python3 "$lib/planted_truth.py" "$MSPROF" "$path" truth.json >told || { echo "$*: planted_truth" >&2 && return 1; }
    [[ $(<told) =~ ^[0-9]{3,}\ cells ]]
    python3 "$lib/agree_answers.py" "$MSPROF" "$path" >told || { echo "$*: agree_answers" >&2 && return 1; }
    expect_contains "$(<told)" "ops overlap"
    python3 "$lib/record_sums.py" "$path" >sums
    expect_equal "$(awk '$4 != 0' sums)" ""
}

ALL=(--warm-up 40 --collectives 9 --replays 5 --profiling 1 --batches 12 --lost-flips 1 --direct 7 --mixed 5)

@test "each of what real programs leave keeps every table, sum, slice and arrow right, on a 910B and on a 910A" {
    local chip
    for chip in 5 1; do
        agree --chip $chip
        agree --chip $chip --warm-up 40
        agree --chip $chip --collectives 10
        agree --chip $chip --replays 5
        agree --chip $chip --profiling 1
        agree --chip $chip --batches 12
        agree --chip $chip --batches 12 --lost-flips 1
        agree --chip $chip --streams 2 --batches 2 --lost-flips 1
        agree --chip $chip --streams 3 --warm-up 7 --collectives 2
        agree --chip $chip --streams 3 --warm-up 7 --collectives 2 --level 0
        agree --chip $chip --direct 5
        agree --chip $chip --mixed 6
    done
}

@test "so do all of them together, at level 0, too, with other seeds, streams and threads" {
    local chip level
    for chip in 5 1; do
        for level in 1 0; do
            agree --chip $chip --level $level --seed 3 --streams 3 --threads 2 "${ALL[@]}"
            agree --chip $chip --level $level --seed 4 --streams 7 "${ALL[@]}"
        done
    done
}

@test "and on the other chips that write such records" {
    local platform
    for platform in 7 8 11; do agree --chip 5 --seed 5 "${ALL[@]}"; done
    for platform in 2 3 4; do agree --chip 1 --seed 6 "${ALL[@]}"; done
}

@test "and in combinations that a seed chose, with the start of the collection in many places" {
    local options
    while read -r platform options; do
        # shellcheck disable=SC2086 # several words
        agree $options
    done < <(
        python3 - <<'END'
import random
chosen = random.Random(20)
for _ in range(10):
    chip = chosen.choice((5, 5, 1))
    values = {'chip': (chip,), 'level': (0, 1, 1), 'seed': range(1000), 'streams': (1, 2, 3, 5, 8), 'threads': (1, 1, 2, 4),
              'warm-up': (1, 7, 20, 100), 'collectives': (0, 2, 5), 'replays': (0, 1, 5), 'profiling': (0, 1), 'batches': (0, 3, 12),
              'lost-flips': (0, 1), 'direct': (0, 1, 2, 5), 'mixed': (0, 1, 3, 6), 'names': (1, 3, 40)}
    print(chosen.choice((5, 7, 8, 11) if chip == 5 else (1, 2, 3, 4)),
          *('--%s %d' % (name, chosen.choice(of)) for name, of in values.items()))
END
    )
}

@test "a wrong time in the truth is found" {
    agree "${ALL[@]}"
    python3 - <<'END'
import json
truth = json.load(open('truth.json', encoding='utf-8'))
truth['tasks'][100][3] += 1
json.dump(truth, open('truth.json', 'w', encoding='utf-8'))
END
    run python3 "$BATS_TEST_DIRNAME/lib/planted_truth.py" "$MSPROF" made/PROF_* truth.json
    [ "$status" -ne 0 ]
    expect_contains "$output" "op_summary: missing"
}

@test "executions of one operator that overlap on streams are no steps, whatever the distance of their starts" {
    path=$(python3 "$repository/testdata/generate/cann/make_variants.py" made --truth truth.json --count 240 --chip 5 --level 0 \
        --seed 947 --streams 8 --names 1)
    run_msprof show --table steps "$path"
    expect_status 4
    expect_contains "$stderr" "has no rows for table 'steps'"
    path=$(python3 "$repository/testdata/generate/cann/make_variants.py" follow --truth truth.json --count 240 --chip 5 --level 0 \
        --seed 947 --streams 1 --names 1)
    run_msprof show --table steps "$path"
    expect_status 0
}

@test "answers about them are sums of ticks, rounded once, on clocks whose ticks are no whole nanoseconds" {
    local chip options path
    for chip in 5 1; do
        for options in '' '--replays 5 --batches 12 --lost-flips 1 --direct 7' '--batches 6 --direct 2 --profiling 1 --streams 3 --threads 2 --seed 9' \
            '--level 0 --replays 5 --profiling 1 --direct 7'; do
            rm -rf made
            # shellcheck disable=SC2086 # several words
            path=$(python3 "$repository/testdata/generate/cann/make_variants.py" made --count 240 --chip $chip $options)
            find made -name '*.done' -delete
            sed -i 's/"Frequency": *"[0-9.]*"/"Frequency":"99.998999"/' "$path/host/info.json"
            sed -i 's/"hwts_frequency": *"[0-9.]*"/"hwts_frequency":"49.999001"/' "$path/device_0/info.json.0"
            run_msprof -q import "$path"
            expect_status 0
            run python3 "$BATS_TEST_DIRNAME/lib/tick_sums.py" "$MSPROF" "$path" 0
            [ "$status" -eq 0 ] || { echo "$chip $options: $output" && return 1; }
        done
    done
}
