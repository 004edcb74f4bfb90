#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The generator: shipped captures are what it writes, and what it writes is a sound capture of the size that was asked for.
# bats file_tags=once
# shellcheck disable=SC2154 # load common sets repository and scratch; run_msprof sets status and stderr

load common

BUILD=${MSPROF_BUILD:-$repository/build/release}

setup() {
    enter_scratch
    if [ ! -x "$BUILD/make-capture" ] || [ ! -x "$BUILD/make-figures" ]; then
        skip "make generators has not been run for $BUILD"
    fi
}

@test "the captures in testdata are exactly what the generator writes" {
    "$repository/testdata/generate/shipped.sh" "$BUILD" "$scratch/again" >/dev/null 2>&1
    for folder in resnet50 small figures cann; do
        diff -r -x sqlite -x log -x timeline -x summary "$repository/testdata/$folder" "again/$folder"
    done
}

@test "equal seeds give equal captures, other seeds others" {
    first=$("$BUILD/make-capture" --output a --seed 3 2>/dev/null)
    second=$("$BUILD/make-capture" --output b --seed 3 2>/dev/null)
    third=$("$BUILD/make-capture" --output c --seed 4 2>/dev/null)
    diff -r "$first" "$second"
    [ "${first##*/}" = "${second##*/}" ]
    [ "${first##*/}" != "${third##*/}" ]
    [[ ${first##*/} =~ ^JOB[A-Z]{29}$ ]]
    run cmp -s "$first/data/aicore.0.1.1" "$third/data/aicore.0.1.1"
    [ "$status" -eq 1 ]
}

@test "info.json is the 42 bytes of the guide's figure" {
    expect_equal "$(cat "$(shipped_capture)/info.json.0")" '{"DeviceInfo": [{"aic_frequency": "600"}]}'
    [ "$(wc -c <"$(shipped_capture)/info.json.0")" -eq 42 ]
}

@test "the shipped capture is a residual network with everything in it, and small" {
    capture=$(shipped_capture)
    [ "$(grep -c '"engine":"AI_CORE"' "$capture/data/resnet50.6.layer.info")" -ge 50 ]
    [ "$(grep -c '"engine":"AI_CPU"' "$capture/data/resnet50.6.layer.info")" -eq 2 ]
    grep -q '"name":"分类概率"' "$capture/data/resnet50.6.layer.info"
    for sample in 0 5 10 15; do
        [ -s "$capture/data/aicore.0.resnet50.6.1.1.$sample.done" ]
        [ -s "$capture/data/aicpu.0.resnet50.6.1.1.$sample" ]
    done
    calls=$(($(wc -c <"$capture/data/acl_api.0.resnet50.6") / 128))
    [ "$calls" -ge 200 ] && [ "$calls" -lt 512 ]
    [ "$(cat "$capture"/info.json.0 "$capture"/data/* | wc -c)" -lt 153600 ]
}

@test "a generated capture with several of everything has no data problem" {
    capture=$("$BUILD/make-capture" --output out --seed 8 --devices 2 --model a:1 --model 'b.c d:2' --batch 1 --batch 8 \
        --inputs 2 --inferences 3 --interval 2 --streams 3 --layers 40 2>/dev/null)
    run_msprof import -q --strict -dir "$capture"
    expect_status 0
    expect_equal "$stderr" ""
    run_msprof export summary -q -dir "$capture"
    expect_status 0
    for device in 0 1; do
        for batch in 1 8; do
            for input in 1 2; do
                for sample in 0 $((2 * batch)) $((4 * batch)); do
                    ls "$capture/summary/op_summary_$device.a.1.$batch.$input.$sample."*.600.csv
                    ls "$capture/summary/op_summary_$device.b.c d.2.$batch.$input.$sample."*.600.csv
                done
            done
        done
    done
}

@test "an interval of 2 with a batch of 100 samples every 200 pictures" {
    capture=$("$BUILD/make-capture" --output out --model net:3 --batch 100 --inferences 3 --interval 2 --layers 16 2>/dev/null)
    expect_equal "$(cd "$capture/data" && echo aicore.0.net.3.100.1.*.done)" \
        "aicore.0.net.3.100.1.0.done aicore.0.net.3.100.1.200.done aicore.0.net.3.100.1.400.done"
    run_msprof export summary -q -dir "$capture"
    expect_status 0
    for picture in 0 200 400; do
        ls "$capture/summary/op_summary_0.net.3.100.1.$picture."*
    done
}

@test "no unit is busy for more than a task's whole time" {
    copy_capture JOBX
    run_msprof export summary -q --columns vendor -dir JOBX
    expect_status 0
    # the numbers after the last name: Time, Time Ratio, eight ratios
    cat JOBX/summary/op_summary_*.csv | sed 's/"[^"]*"/names/g' | awk -F, '
        /^Task ID/ { next }
        { rows++; for (i = 7; i <= 15; i++) if ($i < 0 || $i > 100) { print; bad = 1 } }
        END { exit bad || rows < 200 }'
}

@test "--records gives about as many device records as asked for" {
    capture=$("$BUILD/make-capture" --output out --records 5000 --ai-cpu off --layers 400 2>/dev/null)
    records=$(($(wc -c <"$capture/data/aicore.0.1.1") / 128))
    [ "$records" -ge 5000 ] && [ "$records" -lt 5400 ]
}

@test "the board's buffer keeps the newest calls" {
    all=$("$BUILD/make-capture" --output a --api-calls 100000 2>/dev/null)
    some=$("$BUILD/make-capture" --output b --api-calls 64 2>/dev/null)
    [ "$(wc -c <"$some/data/acl_api.0.resnet50.6")" -eq $((64 * 128)) ]
    cmp "$some/data/acl_api.0.resnet50.6" <(tail -c $((64 * 128)) "$all/data/acl_api.0.resnet50.6")
}

@test "a mistake in the generator's options is named" {
    run "$BUILD/make-capture" --output out --batch 0
    [ "$status" -eq 2 ]
    expect_contains "$output" "--batch '0', expected 1 to 256"
    run "$BUILD/make-capture" --output out --layers 12345678
    [ "$status" -eq 2 ]
    run "$BUILD/make-capture"
    [ "$status" -eq 2 ]
    [ ! -e out ]
}
