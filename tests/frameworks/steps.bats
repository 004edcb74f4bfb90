#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Steps of frameworks that are not one by one: two of one id, launches outside of every step.

# shellcheck disable=SC2154 # common.bash sets repository and shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load run

# Prints the steps in the tables and files of a run, by plain reading.
steps_of() { # directory of results: Step Id of kernels with their number, then rows of step_trace_time, then operators
    python3 - "$1" <<'END'
import collections, csv, json, sys
out = sys.argv[1]
kernels = list(csv.DictReader(open(out + '/kernel_details.csv')))
counts = collections.Counter(row[next(key for key in row if key.startswith('Step I'))] for row in kernels)
print('kernels', sorted(counts.items()))
for row in csv.DictReader(open(out + '/step_trace_time.csv')):
    print('step', row['Step'], *[row[key] for key in ('Computing', 'Communication', 'Free', 'Bubble')])
for step, halves in json.load(open(out + '/communication.json')).items():
    print('communication', step, sorted(name for half in halves.values() for name in half if not name.startswith('Total')))
END
}

@test "two steps of one id keep the kernels, the times and the communication of both, in one row and one member" {
    needs_python
    copy_run pt
    run_msprof analyse run_ascend_pt
    expect_status 0
    steps_of "$out" >apart
    expect_equal "$(grep -c '^step ' apart)" 2
    python3 - run_ascend_pt/FRAMEWORK/torch.op_range <<'END'
import re, sys
data = open(sys.argv[1], 'rb').read()
ids = sorted(set(re.findall(rb'ProfilerStep#(\d+)', data)))
assert len(ids) == 2 and len(ids[0]) == len(ids[1]), ids
open(sys.argv[1], 'wb').write(data.replace(b'ProfilerStep#' + ids[1], b'ProfilerStep#' + ids[0]))
END
    run_msprof analyse run_ascend_pt
    expect_status 0
    steps_of "$out" >together
    python3 - apart together <<'END'
import ast, decimal, sys
def read(path):
    kernels, steps, operators = {}, [], []
    for line in open(path):
        kind, rest = line.split(' ', 1)
        if kind == 'kernels':
            kernels = dict(ast.literal_eval(rest))
        elif kind == 'step':
            steps.append([decimal.Decimal(word) for word in rest.split()])
        else:
            operators += ast.literal_eval(rest.split(' ', 1)[1])
    return kernels, steps, operators
apart, together = read(sys.argv[1]), read(sys.argv[2])
first = str(apart[1][0][0])
assert together[0][first] == sum(number for step, number in apart[0].items() if step), (apart[0], together[0])
assert together[0].get('') == apart[0].get('')
assert len(together[1]) == 1
assert together[1][0][1:] == [a + b for a, b in zip(apart[1][0][1:], apart[1][1][1:])], (apart[1], together[1])
assert sorted(together[2]) == sorted(apart[2]) and len(apart[2]) > 1
END
    run_msprof analyse run_ascend_pt --export db
    expect_status 0
    expect_equal "$(sqlite3 "$out/ascend_pytorch_profiler_1.db" 'SELECT count(*), count(DISTINCT id) FROM STEP_TIME')" '2|1'
    expect_equal "$(sqlite3 "$out/analysis.db" 'SELECT count(*) FROM StepTraceTime')" 1
}

@test "a kernel whose launch is outside of every MindSpore step has the step that it ran in on the device" {
    needs_python
    copy_run ms
    run_msprof analyse run_ascend_ms
    expect_status 0
    cp "$out/kernel_details.csv" before.csv
    python3 - run_ascend_ms before.csv "$out/trace_view.json" <<'END'
# The first step begins later: behind its first launches, before what they launched runs.
import csv, json, struct, sys
run, table, trace = sys.argv[1:]
rows = list(csv.DictReader(open(table)))
path = run + '/FRAMEWORK/mindspore.op_range'
data = bytearray(open(path, 'rb').read())
at, steps, launches = 0, [], []
while at < len(data):
    _, length = struct.unpack_from('<HI', data, at)
    value = bytes(data[at + 6:at + 6 + length])
    start, end = struct.unpack_from('<2Q', value, 24)
    if b'ProfilerStep#' in value:
        steps.append((start, end, at + 6 + 24))
    elif b'KernelLaunch' in value or b'LaunchTask' in value or struct.unpack_from('<H', value, 46)[0] in (4, 26, 32):
        launches.append((start, end))
    at += 6 + length
steps.sort()
inside = sorted(launch for launch in launches if steps[0][0] <= launch[0] <= steps[0][1])
assert len(inside) > 4, (len(inside), len(launches))
struct.pack_into('<Q', data, steps[0][2], inside[0][1] + 1)
open(path, 'wb').write(data)
END
    run_msprof analyse run_ascend_ms
    expect_status 0
    python3 - before.csv "$out/kernel_details.csv" <<'END'
import csv, sys
before, after = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
assert len(before) == len(after)
assert [row['Step ID'] for row in before] == [row['Step ID'] for row in after], \
    [(x['Name'], x['Step ID'], y['Step ID']) for x, y in zip(before, after) if x['Step ID'] != y['Step ID']]
END
}

@test "MindSpore's text results have communication_analyzer.db, with the operators of communication.json" {
    needs_python
    copy_run ms
    run_msprof analyse run_ascend_ms
    expect_status 0
    python3 - "$out" <<'END'
import json, sqlite3, sys
out = sys.argv[1]
names = {name.split('@')[0] for step in json.load(open(out + '/communication.json')).values() for half in step.values()
         for name in half if not name.startswith('Total')}
rows = sqlite3.connect(out + '/communication_analyzer.db').execute('SELECT hccl_op_name FROM CommAnalyzerTime').fetchall()
# it is the capture's own: operators outside of steps are in it, too
assert names and names < {row[0] for row in rows} and len(rows) == 4, (names, rows)
END
}

@test "a step of PyTorch for which no device did anything is in step_trace_time no more than in PyTorch's own" {
    copy_run pt
    run_msprof analyse run_ascend_pt --output before
    # a third step behind the two, in which nothing is launched
    python3 - run_ascend_pt/FRAMEWORK/torch.op_range <<'END'
import struct, sys
data, at, last = open(sys.argv[1], 'rb').read(), 0, None
while at + 6 <= len(data):
    length, = struct.unpack_from('<I', data, at + 2)
    record = data[at:at + 6 + length]
    last = record if b'ProfilerStep#5' in record else last
    at += 6 + length
begin, end = struct.unpack_from('<2Q', last, 6)
later = 10 * (end - begin)
open(sys.argv[1], 'ab').write(last[:6] + struct.pack('<2Q', begin + later, end + later) +
                              last[22:].replace(b'ProfilerStep#5', b'ProfilerStep#6'))
END
    run_msprof analyse run_ascend_pt --output after
    expect_equal "$(cut -d , -f 2 after/ASCEND_PROFILER_OUTPUT/step_trace_time.csv | tr '\n' ' ')" "Step 4 5 "
    cmp before/ASCEND_PROFILER_OUTPUT/step_trace_time.csv after/ASCEND_PROFILER_OUTPUT/step_trace_time.csv
    expect_contains "$(<after/ASCEND_PROFILER_OUTPUT/trace_view.json)" 'ProfilerStep#6'
}
