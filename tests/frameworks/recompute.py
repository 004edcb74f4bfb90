#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calculates steps and kernels of a MindSpore directory again, from the raw records of the framework and the timeline:
recompute.py *_ascend_ms OUTPUT. Prints how many steps and kernels were compared."""
import csv
import glob
import json
import os
import re
import struct
import sys
from fractions import Fraction

source, output = sys.argv[1:]
prof = glob.glob(os.path.join(source, 'PROF_*'))[0]
with open(os.path.join(prof, 'host', 'host_start.log')) as f:
    log = dict(line.strip().split(': ') for line in f if ': ' in line)
with open(os.path.join(prof, 'host', 'start_info')) as f:
    info = json.load(f)
offset = int(log['clock_monotonic_raw']) + int(info['collectionTimeBegin']) * 1000 - int(info['clockMonotonicRaw'])


def ns(count):
    return (count - int(log['cntvct'])) * 10 + offset          # 100 MHz


MODULES = ['Default', 'GraphExecutorPy', 'RuntimeFramework', 'PynativeFramework', 'Kernel', 'Python']
data = open(os.path.join(source, 'FRAMEWORK', 'mindspore.op_range'), 'rb').read()
steps, launches, at = {}, [], 0
while at + 6 <= len(data):
    length = struct.unpack_from('<I', data, at + 2)[0]
    value = data[at + 6:at + 6 + length]
    at += 6 + length
    if len(value) < length or length < 54:
        continue
    fields = struct.unpack_from('<5Qi3Hb3?', value)
    texts, inner = {}, 54
    while inner + 6 <= len(value):
        kind, size = struct.unpack_from('<HI', value, inner)
        texts[kind] = value[inner + 6:inner + 6 + size].decode('utf-8', 'replace')
        inner += 6 + size
    if fields[3] == 0 or fields[3] == fields[4]:
        continue
    name = texts.get(14, '')
    if 'ProfilerStep#' in name:
        steps[name.split('#')[-1]] = (ns(fields[3]), ns(fields[4]))
    if fields[6] == 4 and fields[7] == 4:                      # Kernel, KernelLaunch
        launches.append((fields[0], ns(fields[3]), ns(fields[4]), 'Kernel::KernelLaunch::' + name))

with open(os.path.join(output, 'trace_view.json')) as f:
    events = json.load(f)
process = {e['pid']: e['args']['name'] for e in events if e['name'] == 'process_name'}


def time_ns(text):
    return int(Fraction(text) * 1000)


def events_of(name):
    return [(time_ns(e['ts']), round(e['dur'] * 1000), e) for e in events
            if e['ph'] == 'X' and process[e['pid']] == name]


# ---- steps: sums over the timeline ----
spans = events_of('Overlap Analysis')
with open(os.path.join(output, 'step_trace_time.csv'), newline='') as f:
    rows = list(csv.DictReader(f))
assert [row['Step'] for row in rows] == [s for s, _ in sorted(steps.items(), key=lambda x: x[1])], rows
for row in rows:
    begin, end = steps[row['Step']]
    for title in ('Computing', 'Communication', 'Communication(Not Overlapped)'):
        total = sum(d for t, d, e in spans if e['name'] == title and begin <= t <= end)
        assert round(float(row[title]) * 1000) == total, (row, title, total)
    sends = [(t, t + d) for t, d, e in events_of('Communication')
             if re.match(r'hcom_\w+SendRecv__\d|hcom_send__\d|hcom_receive__\d|Receive-op|Send-op', e['name'])]
    assert round(float(row['Bubble']) * 1000) == sum(e - s for s, e in sends if begin <= s <= end), row
    apart = 0  # of communication alone, nanosecond by nanosecond
    for t, d, e in spans:
        if e['name'] == 'Communication(Not Overlapped)' and begin <= t <= end:
            apart += sum(not any(begin <= s <= min(ns, end) and ns < f for s, f in sends) for ns in range(t, t + d))
    assert round(float(row['Communication(Not Overlapped and Exclude Receive)']) * 1000) == apart, (row, apart)
    free = sum(max(0, min(t + d, end) - max(t, begin)) for t, d, e in spans if e['name'] == 'Free')
    assert round(float(row['Free']) * 1000) == free, (row, free)
    first = min(t for t, _, e in spans if e['name'] in ('Computing', 'Communication') and t >= begin)
    assert round(float(row['Preparing']) * 1000) == first - begin

# ---- kernels: who launched them, by the arrows from the host ----
arrows = {}
for e in events:
    if e['ph'] in 'sf' and e.get('cat') == 'HostToDevice':
        arrows.setdefault(e['id'], {})[e['ph']] = e
launched = {}
for pair in arrows.values():
    if len(pair) == 2:
        begin = time_ns(pair['s']['ts'])
        found = [name for tid, s, e, name in launches if tid == pair['s']['tid'] and s <= begin <= e]
        if found:
            launched[pair['f']['pid'], pair['f']['tid'], pair['f']['ts']] = (found[0], begin, [
                s for t, s, e, n in launches if n == found[0] and t == pair['s']['tid'] and s <= begin <= e][0])
with open(os.path.join(output, 'kernel_details.csv'), newline='') as f:
    rows = list(csv.DictReader(f))
device = {}
for t, d, e in events_of('Ascend Hardware') + events_of('Communication'):
    place = launched.get((e['pid'], e['tid'], e['ts']))
    if place:
        device[e['name'], e['ts']] = place
for row in rows:
    name, start = row['Name'].rsplit('::', 1)[-1], row['Start Time(us)'].strip()
    matches = [(n, place) for (n, ts), place in device.items() if ts == start and row['Name'].endswith('/' + n)]
    assert matches, row
    op, (launch, _, host_start) = matches[0]
    assert row['Name'] == launch + '/' + op, (row['Name'], launch, op)
    step = [s for s, (b, e) in sorted(steps.items(), key=lambda x: x[1]) if b <= host_start <= e]
    assert row['Step ID'] == (step[0] if step else ''), (row['Step ID'], step)
# ---- waiting: since the end of the kernel or collective that began before, whole nanoseconds ----
before = None
for row in sorted(rows, key=lambda row: time_ns(row['Start Time(us)'].strip())):
    start = time_ns(row['Start Time(us)'].strip())
    wait = max(0, start - before) if before is not None else 0
    assert Fraction(row['Wait Time(us)']) * 1000 == wait, (row, wait)
    before = start + Fraction(row['Duration(us)']) * 1000
print(len(steps), len(rows))
