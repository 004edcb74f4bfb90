# SPDX-License-Identifier: Apache-2.0
"""Tasks and counters of a capture of chip 15 or 16, recalculated from its files and held against its op_summary and task_time.
usage: recompute_v6.py CAPTURE DIRECTORY_OF_TABLES"""
import csv
import glob
import json
import os
import struct
import sys
from fractions import Fraction

capture, tables = sys.argv[1:]
host, device = os.path.join(capture, 'host'), os.path.join(capture, 'device_0')
# event: counter over cycles, of which kinds of cores
RATIOS = {0x501: ('vec', 'v'), 0x301: ('mac', 'c'), 0x1: ('scalar', 'cv'), 0x701: ('mte1', 'c'), 0x202: ('mte2', 'cv'),
          0x203: ('mte3', 'cv'), 0x714: ('fixpipe', 'c')}


def records(part, name, size):
    files = [f for f in glob.glob(os.path.join(part, 'data', name + '.slice_*')) if f[-1].isdigit()]
    data = b''.join(open(f, 'rb').read() for f in sorted(files, key=lambda f: int(f.rsplit('_', 1)[1])))
    return [data[i:i + size] for i in range(len(data) % size, len(data), size)]


def start_log(path):
    return {key.strip(): value.strip() for key, _, value in (line.partition(':') for line in open(path)) if value.strip()}


info = json.load(open(os.path.join(device, 'info.json.0')))
assert info['platform_version'] in ('15', '16'), info['platform_version']
hz = Fraction(info['DeviceInfo'][0]['hwts_frequency']) * 1000000
at_start = start_log(os.path.join(device, 'dev_start.log.0'))
host_clock = start_log(os.path.join(device, 'host_start.log.0'))
begin = json.load(open(glob.glob(os.path.join(host, 'start_info'))[0]))
offset = int(begin['collectionTimeBegin']) * 1000 - int(begin['clockMonotonicRaw'])
origin = int(host_clock['clock_monotonic_raw']) + offset


def time_ns(tick):
    return origin + Fraction(tick - int(at_start['cntvct'])) * 1000000000 / hz


# the host's half: stream and launch of each unique number, and the operator of the node call around its launch
names = {}
for path in glob.glob(os.path.join(host, 'data', '*.hash_dic.slice_*')):
    for line in open(path) if path[-1].isdigit() else ():
        number, separator, text = line.rstrip('\n').partition(':')
        if separator:
            names[int(number)] = text
calls = []
for raw in records(host, 'unaging.api_event.data', 40):
    magic, level, kind, thread, _, start, end, item = struct.unpack('<HHIIIQQQ', raw)
    if level == 10000 and kind == 5:
        calls.append((thread, start, end))
nodes = []
for raw in records(host, 'unaging.compact.node_basic_info', 64):
    _, _, _, thread, _, time, name = struct.unpack('<HHIIIQQ', raw[:32])
    nodes.append((thread, time, names[name], struct.unpack('<I', raw[44:48])[0] & 0xffff))
tracks = {}
for raw in records(host, 'unaging.compact.task_track', 64):
    _, _, _, thread, _, time, _, stream, task = struct.unpack('<HHIIIQHHI', raw[:32])
    op = None
    for of_thread, start, end in calls:
        if of_thread == thread and start < time <= end:
            op = next((name for t, when, name, _ in nodes if t == thread and start < when <= end), None)
    tracks[task] = (stream, op)

# the device's half
tasks, begun = [], {}
for raw in records(device, 'stars_soc.data.0', 32):
    head, magic, low, high, tick = struct.unpack('<HHHHQ', raw[:16])
    number, function = high << 16 | low, head & 63
    if magic != 0x6bd3 or function > 1:
        continue
    if function == 0:
        begun.setdefault(number, []).append(tick)
    else:
        tasks.append((number, begun[number].pop(0), tick))
counted = {}
for raw in records(device, 'ffts_profile.data.0', 128):
    head, _, low, high, cycles, _, flags, _, core = struct.unpack('<HHHHQBBHB', raw[:21])
    if head & 63 == 0x2a and not flags & 4:
        counted.setdefault((high << 16 | low, core & 1), []).append((cycles, *struct.unpack('<10QQQ', raw[32:128])))


def cell(text):
    return text if text == 'N/A' else Fraction(text.strip())


wanted = {}
for number, start, end in tasks:
    stream, op = tracks.get(number, (65535, None))
    wanted.setdefault((stream, number), []).append((time_ns(start), time_ns(end), op))
compared = 0
rows = list(csv.DictReader(open(os.path.join(tables, 'task_time.csv'))))
assert len(rows) == len(tasks), (len(rows), len(tasks))
for row in rows:
    start, end, _ = min(wanted[int(row['stream_id']), int(row['task_id'])],
                        key=lambda t: abs(t[0] - cell(row['task_start(us)']) * 1000))
    assert abs(cell(row['task_start(us)']) * 1000 - start) <= 1, (row, float(start))
    assert abs(cell(row['task_time(us)']) * 1000 - (end - start)) <= 1, row
    compared += 3
events = [int(e, 16) for e in json.load(open(os.path.join(device, 'sample.json')))['ai_core_profiling_events'].split(',')]
rows = [r for r in csv.DictReader(open(os.path.join(tables, 'op_summary.csv'))) if r['Task Type'] != 'COMMUNICATION']
named = {key: runs for key, runs in wanted.items() if runs[0][2] is not None}
assert len(rows) == sum(map(len, named.values())), (len(rows), len(named))
for row in rows:
    number = int(row['Task ID'])
    assert {run[2] for run in named[int(row['Stream ID']), number]} == {row['Op Name']}, row
    compared += 3
    for core, prefix, title in ((0, 'aic', 'aicore_time(us)'), (1, 'aiv', 'aiv_time(us)')):
        found = counted.get((number, core))
        if found is None or len(found) > 1:
            continue
        cycles, *counters, start, end = found[0]
        lasts = (end - start) * 1000000 / hz  # us
        assert abs(cell(row[title]) - lasts) <= Fraction(1, 200), (row[title], float(lasts))
        assert int(row[prefix + '_total_cycles']) == cycles, row
        compared += 2
        for event, counter in zip(events, counters):
            name, cores = RATIOS.get(event, (None, ''))
            column = '%s_%s_ratio' % (prefix, name)
            if 'cv'[core] in cores and cycles:
                assert abs(cell(row[column]) - Fraction(counter, cycles)) <= Fraction(1, 2000), (column, row[column], counter, cycles)
                compared += 1
print(compared, 'cells are as recalculated, of', len(tasks), 'tasks')
assert compared > 0
