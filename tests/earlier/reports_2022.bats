#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures of the layout of 2022 of any size and metrics: every row, slice and arrow is recalculated from the raw records.

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

@test "the shipped captures of 2022 give the tables beside them, and every slice and arrow that their bytes say" {
    for name in 2022-310 2022-910a; do
        copy_family "$name" PROF_1
        for report in summary "timeline --trace-compat"; do
            # shellcheck disable=SC2086 # the report and its option
            run_msprof export $report -dir PROF_1
            expect_status 0
        done
        python3 "$BATS_TEST_DIRNAME/../cann/lib/agree_tables.py" --rounded-twice "$repository/testdata/cann/$name/expected" PROF_1/summary
        python3 "$BATS_TEST_DIRNAME/../cann/lib/recompute_2022.py" PROF_1
    done
}

@test "captures of 2022 of other sizes, seeds, operators, slice sizes and shares of kernels that nothing describes come out right" {
    while read -r chip count seed slice operators direct; do
        rm -rf generated
        python3 "$repository/testdata/generate/cann/make_2022.py" generated --count "$count" --chip "$chip" \
            --seed "$seed" --slice-kb "$slice" --names "$operators" --direct "${direct:-0}"
        for report in summary "timeline --trace-compat"; do
            # shellcheck disable=SC2086 # the report and its option
            run_msprof export $report -dir generated
            expect_status 0
        done
        python3 "$BATS_TEST_DIRNAME/../cann/lib/recompute_2022.py" generated/PROF_*
    done <<'END'
0 1500 7 3 50
0 200 8 1 11
0 2200 21 64 200
1 2500 9 16 300
1 333 10 1 20
0 300 5 16 40 3
1 300 6 16 40 4
1 60 6 16 40 1
END
}

@test "every group of metrics of captures of 2022 comes out right" {
    while read -r group events; do
        for name in 2022-310 2022-910a; do
            copy_family "$name" PROF_1
            sed -i "s/\"ai_core_metrics\":\"[^\"]*\"/\"ai_core_metrics\":\"$group\"/
                    s/\"ai_core_profiling_events\":\"[^\"]*\"/\"ai_core_profiling_events\":\"$events\"/" \
                PROF_1/device_0/sample.json
            run_msprof export summary -dir PROF_1
            expect_status 0
            python3 "$BATS_TEST_DIRNAME/../cann/lib/recompute_2022.py" PROF_1
        done
    done <<'END'
PipeUtilization 0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55
ArithmeticUtilization 0x49,0x4a,0x4b,0x4c,0x4d,0x4e,0x4f
Memory 0x15,0x16,0x31,0x32,0xf,0x10,0x12,0x13
MemoryL0 0x1b,0x1c,0x21,0x22,0x27,0x28,0x29,0x2a
MemoryUB 0x10,0x13,0x37,0x38,0x3d,0x3e,0x43,0x44
ResourceConflictRatio 0x64,0x65,0x66
END
}

@test "a task of 2022 that ends before it starts is rejected by its reason, not dropped" {
    cp -r "$repository"/testdata/cann/2022-310/PROF_* PROF_1
    python3 -c "
import glob, struct
path = next(p for p in glob.glob('PROF_1/*/data/ts_track.data.*slice_0') if not p.endswith('.done'))
data = bytearray(open(path, 'rb').read())
starts = [at for at in range(0, len(data) - 31) if data[at + 1:at + 4] == b'\x03\x20\x00' and data[at + 10:at + 12] == b'\x02\x00']
at = starts[len(starts) // 2]
struct.pack_into('<Q', data, at + 16, struct.unpack_from('<Q', data, at + 16)[0] + 10**9)
open(path, 'wb').write(data)"
    run_msprof import -dir PROF_1
    expect_status 3
    expect_contains "$stderr" "expected an end after its start at"
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT sum(records_decoded), sum(records_rejected) FROM source_file WHERE kind = 'ts_track'")" \
        "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT count(*) FROM ts_track")|1"
}
