#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A schedule with warm-up: device and host recorded before the collection started. Results of frameworks are those of the
# same directory without what ended before.
# bats file_tags=once

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load run

# Starts the collection of a directory's capture so many microseconds later.
start_later() { # directory, microseconds
    python3 - "$@" <<'END'
import glob, json, sys
late = int(sys.argv[2])
paths = glob.glob(sys.argv[1] + '/PROF_*/*/start_info*')
assert len(paths) == 2, paths
for path in paths:
    with open(path, encoding='utf-8') as file:
        start = json.load(file)
    start['collectionTimeBegin'] = str(int(start['collectionTimeBegin']) + late)
    start['clockMonotonicRaw'] = str(int(start['clockMonotonicRaw']) + late * 1000)
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(start, file)
END
}

@test "results of PyTorch and MindSpore have what they have without warm-up, but what ended before the start" {
    needs_python
    local framework late
    for framework in pt ms; do
        copy_run $framework
        run_msprof -q analyse run_ascend_$framework
        expect_status 0
        for late in 60 1150 1250; do
            cp -r run_ascend_$framework late_ascend_$framework
            rm -rf late_ascend_$framework/{ASCEND_PROFILER_OUTPUT,PROF_*/sqlite}
            start_later late_ascend_$framework $late
            run_msprof -q analyse late_ascend_$framework
            expect_status 0
            python3 - {run,late}_ascend_$framework/ASCEND_PROFILER_OUTPUT $late <<'END'
import csv, json, os, sys
from decimal import Decimal
early, late, start = sys.argv[1], sys.argv[2], Decimal(1735689600000000) + int(sys.argv[3])

def table(directory, name):
    with open(os.path.join(directory, name), encoding='utf-8', newline='') as file:
        return [{key: value.strip() for key, value in row.items()} for row in csv.DictReader(file)]

def kernels(directory, since):
    # Collectives are numbered from the first that is shown on, and MindSpore's names have the call that launched the kernel.
    return sorted((row['Start Time(us)'], row['Duration(us)']) for row in table(directory, 'kernel_details.csv')
                  if Decimal(row['Start Time(us)']) + Decimal(row['Duration(us)']) >= since and
                  not ('hcom_' in row['Name'] and Decimal(row['Start Time(us)']) < since))
assert kernels(late, 0) == kernels(early, start), set(kernels(late, 0)) ^ set(kernels(early, start))
assert len(kernels(late, 0)) < len(kernels(early, 0)) or start < 1735689600001000
for name, column in ('npu_module_mem.csv', 'Timestamp(us)'), ('memory_record.csv', 'Timestamp(us)'):
    rows = [row for row in table(late, name) if 'GE' in row.values() or name.startswith('npu')]
    same = [row for row in table(early, name) if ('GE' in row.values() or name.startswith('npu')) and Decimal(row[column]) >= start]
    assert rows == same, (name, len(rows), len(same))
with open(os.path.join(late, 'trace_view.json'), encoding='utf-8') as file:
    events = json.load(file)
processes = {event['pid']: event['args']['name'] for event in events if event.get('name') == 'process_name'}
shown = 0
for event in events:
    if event['ph'] == 'X' and processes.get(event['pid']) in ('Ascend Hardware', 'Communication', 'CANN', 'Overlap Analysis'):
        assert Decimal(event['ts']) + Decimal(str(event['dur'])) >= start, event
        shown += 1
assert shown > 20, shown
END
            rm -rf late_ascend_$framework
        done
    done
}
