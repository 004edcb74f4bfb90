#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Tensors of Framework.tensor_data_info that MindSpore recorded, by its own numbers of types and formats.

# shellcheck disable=SC2154 # common.bash sets repository and shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

@test "226 records of a real MindSpore job have MindSpore's types and formats, though their tasks were not run" {
    needs_shared data/real-samples/raw/mindspore-framework
    copy_family 2022-910a PROF_1
    rm PROF_1/device_0/data/*
    for file in "$shared"/data/real-samples/raw/mindspore-framework/Framework.*; do
        cp "$file" "PROF_1/device_0/data/$(basename "${file/.6.slice/.0.slice}")"
    done
    run_msprof import PROF_1
    expect_status 3 # the tasks were not run: that half of the capture is missing
    expect_contains "$stderr" "data of device 0 is missing"
    python3 - PROF_1 <<'END'
import collections, glob, sqlite3, struct, sys
types = {30: 'BOOL', 34: 'INT32', 37: 'UINT8', 38: 'UINT16', 42: 'FLOAT16', 43: 'FLOAT32'}
formats = {1: 'DEFAULT', 7: 'NC1HWC0', 8: 'FRAC_Z', 10: 'FRAC_NZ'}
data = open(glob.glob(sys.argv[1] + '/device_0/data/Framework.tensor_data_info*')[0], 'rb').read()
sets = set()
for at in range(0, len(data), 256):
    count, = struct.unpack_from('<I', data, at + 24)
    sides = ([], [])
    for i in range(count):
        kind, layout, data_type, *shape = struct.unpack_from('<11I', data, at + 28 + 44 * i)
        sides[kind].append((types[data_type], formats[layout], ','.join(str(n) for n in shape if n)))
    sets.add(tuple(';'.join(tensor[part] for tensor in side) for side in sides for part in (2, 0, 1)))
assert len(data) == 226 * 256
found = {tuple(text or '' for text in row) for row in sqlite3.connect(sys.argv[1] + '/sqlite/runtime.db').execute(
    'SELECT input_shapes, input_data_types, input_formats, output_shapes, output_data_types, output_formats'
    ' FROM tensor_set')}
assert sets <= found, sorted(sets - found)[:3]
END
}

@test "tensors of tasks that ran are named by MindSpore's numbers in op_summary, those of GE by GE's" {
    copy_family 2022-910a PROF_1
    run_msprof export summary PROF_1
    expect_status 0
    cp PROF_1/summary/op_summary_0_1_1.csv before.csv 2>/dev/null || cp "$(echo PROF_1/summary/op_summary*.csv | cut -d ' ' -f 1)" before.csv
    python3 - PROF_1 <<'END'
import glob, struct, sys
for path in glob.glob(sys.argv[1] + '/device_0/data/Framework.tensor_data_info*_0'):
    data = bytearray(open(path, 'rb').read())
    for at in range(0, len(data), 256):
        for i in range(struct.unpack_from('<I', data, at + 24)[0]):
            struct.pack_into('<II', data, at + 28 + 44 * i + 4, 10, 42)
    open(path, 'wb').write(data)
END
    run_msprof export summary PROF_1
    expect_status 0
    python3 - before.csv "$(echo PROF_1/summary/op_summary*.csv | cut -d ' ' -f 1)" <<'END'
import csv, sys
before, after = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
assert len(before) == len(after) and before
named = 0
for old, new in zip(before, after):
    for side in 'Input', 'Output':
        count = len(old[side + ' Data Types'].split(';'))
        if old[side + ' Data Types'] in ('', 'N/A'):
            continue
        named += 1
        assert new[side + ' Data Types'] == ';'.join(['FLOAT16'] * count), new
        assert new[side + ' Formats'] == ';'.join(['FRAC_NZ'] * count), new
        assert new[side + ' Shapes'] == old[side + ' Shapes']
        assert 'FRAC_NZ' not in old[side + ' Formats']
assert named > 10, named
END
}
