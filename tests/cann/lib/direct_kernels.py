#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators of a capture of CANN with STARS, recalculated from its raw records alone, against the tables that were exported
with --stable-names: their names, types, cores, contexts, times and counters, also of kernels that no record describes.

direct_kernels.py CAPTURE TABLES: prints how many cells of each table were compared; fails at the first that differs.
"""
import collections
import csv
import glob
import json
import os
import struct
import sys

capture, tables = sys.argv[1:]
KERNELS = {'KERNEL_AICORE': 'AI_CORE', 'KERNEL_AIVEC': 'AI_VECTOR_CORE', 'KERNEL_AICPU': 'AI_CPU', 'KERNEL_SIMT': 'KERNEL_SIMT',
           'KERNEL_MIX_AIC': 'MIX_AIC', 'KERNEL_MIX_AIV': 'MIX_AIV'}
CORES = ('AI_CORE', 'AI_CPU', 'AI_VECTOR_CORE', 'WRITE_BACK', 'MIX_AIC', 'MIX_AIV')
WHOLE = 0xffffffff


def records(part, stem, size):
    for path in sorted(glob.glob(os.path.join(capture, part, 'data', stem))):
        if path.rsplit('.', 1)[-1].startswith('slice_'):
            with open(path, 'rb') as file:
                data = file.read()
            yield from (data[at:at + size] for at in range(0, len(data) - size + 1, size))


def dictionary(stem):
    texts = {}
    for path in glob.glob(os.path.join(capture, 'host', 'data', '*' + stem + '*')):
        if not path.endswith(('.done', '.complete')):
            with open(path) as file:
                texts.update(line.rstrip('\n').split(':', 1) for line in file if ':' in line)
    return texts


def setting(name):
    with open(os.path.join(capture, 'host', 'sample.json')) as file:
        return json.load(file).get(name)


names, types = dictionary('hash_dic'), dictionary('type_info_dic')
level_0 = (setting('profLevel') or setting('prof_level')) in ('l0', 'level0')
launches = collections.defaultdict(list)  # of a thread
for record in records('host', '*api_event.data*', 40):
    _, level, kind, thread, _, begin, end, item = struct.unpack('<HHIIIQQQ', record)
    if (level, kind) == (10000, 5) and item:
        launches[thread].append((begin, end, names.get(str(item), str(item))))


def around(thread, time):
    """The innermost launch."""
    found = [launch for launch in launches[thread] if launch[0] < time <= launch[1]]
    return min(found, key=lambda launch: launch[1] - launch[0]) if found else None


nodes, split = {}, set()
for record in records('host', '*node_basic_info*', 64):
    thread, time = struct.unpack_from('<I4xQ', record, 8)
    name, core, kind, blocks = struct.unpack_from('<QIQI', record, 24)
    nodes[around(thread, time)] = (names[str(name)], names[str(kind)], CORES[core], blocks & 0xffff,
                                   (blocks & 0xffff) * (blocks >> 16))
for record in records('host', '*context_id_info*', 256):
    thread, time = struct.unpack_from('<I4xQ', record, 8)
    split.add(around(thread, time))

tasks = {}
for record in records('host', '*task_track*', 64):
    thread, length, time, _, stream, task, _, kind, kernel, blocks = struct.unpack_from('<IIQHHHHQQH', record, 8)
    kind = types.get('5000_%d' % kind, names.get(str(kind), str(kind)))
    launch, kernel = around(thread, time), names.get(str(kernel)) if kernel else None
    name = launch[2] if launch else kernel
    blocks = blocks if length == 40 else 0
    operator = None
    if kind in KERNELS and launch in nodes and not level_0:
        operator = nodes[launch][:3] + nodes[launch][3:] + ('described',)
    elif kind in KERNELS and name:
        operator = (name, 'N/A', 'N/A', blocks, 0, '') if level_0 else (name, kernel or name, KERNELS[kind], blocks, 0, '')
    tasks[stream, task] = (kind, kernel, operator, kind.startswith('KERNEL_MIX_') and (launch is None or launch in split
                                                                                     or launch not in nodes))

with open(os.path.join(capture, 'device_0', 'info.json.0')) as file:
    megahertz = float(json.load(file)['DeviceInfo'][0]['hwts_frequency'])
expanded = any(record[24] == 1 for record in records('host', '*expand_stream_spec*', 64))
mask = 0x7fff if expanded else 0x7ff
spans, open_ = collections.defaultdict(list), {}
for record in records('device_0', 'stars_soc.data.0.slice_*', 64):
    word, _, stream, task, tick = struct.unpack_from('<HHHHQ', record)
    function, kind = word & 0x3f, word >> 10
    if expanded and kind not in (3, 4, 5) and stream & 0x8000:  # the two words are exchanged
        stream, task = task, stream & 0x7fff
    stream &= mask
    context = struct.unpack_from('<H', record, 18)[0] if function in (0x22, 0x23) else WHOLE
    key = stream, task, context
    if function in (0, 0x22):
        open_[key] = tick
    elif function in (1, 0x23) and key in open_:
        spans[stream, task].append((open_.pop(key), tick, context))


def microseconds(ticks):
    return ticks / megahertz


counted, blocks_of = {}, collections.defaultdict(list)
for record in records('device_0', 'ffts_profile.data.0.slice_*', 128):
    word, _, stream, task = struct.unpack_from('<HHHH', record)
    if expanded and stream & 0x8000:
        stream, task = task, stream & 0x7fff
    part, context, core, kind = struct.unpack_from('<HHBB', record, 16)
    total, end = struct.unpack_from('<Q', record, 32)[0], struct.unpack_from('<Q', record, 120)[0]
    of_part = kind >> 5 == 4
    if word & 0x3f == 0x28:
        vector = (part & 0xff in (1, 7)) if of_part else kind >> 5 in (1, 5)
        counted[stream & mask, task, context if of_part else WHOLE] = ('aiv' if vector else 'aic', total)
    elif word & 0x3f == 0x29 and of_part and core & 1 == 1 and part & 0xff == 6:
        blocks_of[stream & mask, task, context].append((end, total))

expected, times = [], []
for (stream, task), runs in spans.items():
    kind, kernel, operator, mixed = tasks.get((stream, task), (None, None, None, False))
    mixed = mixed and any(run[2] == 0 for run in runs)
    for start, end, context in runs:
        if mixed and context == WHOLE:
            continue
        times.append((stream, task, kernel or (operator[0] if operator and not level_0 else 'N/A') if kind else 'N/A',
                      microseconds(end - start)))
        if operator is None:
            continue
        core, total = counted.get((stream, task, context), (None, None))
        others = [block for when, block in blocks_of[stream, task, context] if start <= when <= end]
        cycles = {'aic': 0, 'aiv': 0}
        if core:
            cycles[core] = total
            if context == 0 and operator[4]:
                cycles['aiv'] = sum(others[:operator[4]])
        expected.append((stream, task, *operator[:5], 'N/A' if context == WHOLE else str(context),
                         *([str(cycles['aic']), str(cycles['aiv'])] if core else ['N/A', 'N/A']), microseconds(end - start)))


def table(name):
    with open(os.path.join(tables, name + '.csv'), newline='') as file:
        return list(csv.DictReader(file))


def compare(name, ours, theirs):
    if len(ours) != len(theirs):
        sys.exit('%s: %d rows; of the records there are %d' % (name, len(ours), len(theirs)))
    cells = 0
    for one, other in zip(sorted(ours), sorted(theirs)):
        for mine, right in zip(one, other):
            cells += 1
            if abs(mine - right) > 0.0011 if isinstance(right, float) else str(mine) != str(right):
                sys.exit('%s: %s; of the records it is %s' % (name, one, other))
    print('%s: %d cells agree' % (name, cells))


def blocks_title(row, title):
    return row[title + ' Num'] if title + ' Num' in row else row[title + ' Dim']


compare('op_summary', [(int(row['Stream ID']), int(row['Task ID']), row['Op Name'], row['OP Type'], row['Task Type'],
                        blocks_title(row, 'Block'), blocks_title(row, 'Mix Block'), row['Context ID'],
                        row['aic_total_cycles'], row['aiv_total_cycles'], float(row['Task Duration(us)']))
                       for row in table('op_summary')], expected)
compare('task_time', [(int(row['stream_id']), int(row['task_id']), row['kernel_name'], float(row['task_time(us)']))
                      for row in table('task_time')], times)
if level_0:
    if os.path.exists(os.path.join(tables, 'op_statistic.csv')):
        sys.exit('op_statistic: of level 0 there is none')
else:
    sums = collections.defaultdict(lambda: [0, 0.0])
    for row in expected:
        sums[row[3], row[4]][0] += 1
        sums[row[3], row[4]][1] += row[-1]
    ours = [(row['OP Type'], row['Core Type'], int(row['Count']), float(row['Total Time(us)'])) for row in table('op_statistic')]
    compare('op_statistic', ours, [(*key, count, round(total, 3)) for key, (count, total) in sums.items()])
