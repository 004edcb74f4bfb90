#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recalculates what a capture of make_outputs.py says of communication, copies and fused operators from its raw files,
and compares it with the reports.

usage: recompute_outputs.py CAPTURE
"""
import csv
import glob
import os
import re
import sqlite3
import struct
import sys
from collections import Counter, defaultdict
from decimal import ROUND_HALF_UP, Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import events_of  # noqa: E402

START_TICK, TICK_NS, SHIFT = 5_000_000, 20, 1_700_000_000_000_000_000 - 1_000_000_000_000
MODEL, NODE, COMMUNICATION = 15000, 10000, 5500
DIRECTIONS = ['host to host', 'host to device', 'device to host', 'device to device', 'managed memory',
              'addr device to device', 'host to device ex', 'device to host ex']
DATA_TYPES = ['INT8', 'INT16', 'INT32', 'FP16', 'FP32', 'INT64', 'UINT64', 'UINT8', 'UINT16', 'UINT32', 'FP64',
              'BFP16', 'INT128']


class Capture:
    def __init__(self, path):
        self.host = os.path.join(path, 'host', 'data')
        self.names = self._dictionary('hash_dic')
        self.types = self._dictionary('type_info_dic')
        # level, type, begin, end, item
        self.calls = [(r[1], r[2], r[5], r[6], r[7]) for r in self._records('unaging.api_event.data', '<HHIIIQQQ', 40)]
        self.tracks = [(r[5], (r[7], r[8]), self.names[r[10]]) for r in
                       self._records('unaging.compact.task_track', '<HHIIIQHHHHQQ', 64)]
        self.nodes = [(r[5], r[6], r[8]) for r in
                      self._records('unaging.compact.node_basic_info', '<HHIIIQQIQII', 64)]
        self.collectives = [r[5:] for r in self._records('unaging.compact.hccl_op_info', '<HHIIIQBBQQQ', 64)]
        self.transfers = [r[5:] for r in
                          self._records('unaging.additional.hccl_info', '<HHIIIQQQQ6IQIIdQQQ5I', 256)]
        self.copies = [list(r[5:]) for r in self._records('unaging.compact.memcpy_info', '<HHIIIQQQH', 64)]
        self.fusions = [r[5:] for r in self._records('unaging.additional.fusion_op_info', '<HHIIIQQI5Q8Q', 256)]
        self.models = {r[8]: self.names[r[6]] for r in
                       self._records('unaging.additional.graph_id_map', '<HHIIIQQII', 256)}
        self.runs = {}
        for function, _, stream, task, tick in self._records('stars_soc.data.0', '<HHHHQ', 64,
                                                             os.path.join(path, 'device_0', 'data')):
            time = SHIFT + 1_000_000_000_000 + (tick - START_TICK) * TICK_NS
            self.runs.setdefault((stream, task), []).append(time)

    def _dictionary(self, name):
        with open(os.path.join(self.host, 'unaging.additional.%s.slice_0' % name), encoding='utf-8') as file:
            lines = [line.rstrip('\n').split(':', 1) for line in file]
        return {int(key) if key.isdigit() else key: text for key, text in lines}

    def _records(self, name, layout, size, directory=None):
        with open(os.path.join(directory or self.host, name + '.slice_0'), 'rb') as file:
            data = file.read()
        return [struct.unpack_from(layout, data, at) for at in range(0, len(data), size)]

    def around(self, time, level=None):
        """The shortest call (of a level) that holds the time."""
        found = [call for call in self.calls if call[2] < time <= call[3] and level in (None, call[0])]
        return min(found, key=lambda call: call[3] - call[2]) if found else None


def us(value):
    return str(Decimal(value) / 1000)


def number(text):
    return Decimal(text.strip())


class Expected:
    def __init__(self, capture):
        self.capture = capture
        self.operators, ops, self.communicating = [], defaultdict(list), {}
        for time, key, task_type in capture.tracks:
            start, end = capture.runs[key]
            communication, node = capture.around(time, COMMUNICATION), capture.around(time, NODE)
            if communication and node:
                master = capture.types['%d_%d' % communication[:2]] == 'master'
                transfer = next(t for t in capture.transfers if capture.around(t[0], COMMUNICATION) == communication)
                ops[node].append((start, end, key, master, transfer))
                self.communicating[key] = (node, transfer)
            elif task_type.startswith('KERNEL_') and node:
                self.operators.append((start, end, key))
        self._name_ops(ops)
        self.copies = self._split_copies()

    def _name_ops(self, ops):
        capture, self.ops, counts = self.capture, {}, Counter()
        for node in sorted(ops, key=lambda node: node[2]):
            tasks = sorted(ops[node])
            kind = next((capture.names[n[2]] for n in capture.nodes if capture.around(n[0], NODE) == node), 'N/A')
            said = next((c for c in capture.collectives if capture.around(c[0], NODE) == node), None)
            group = said[5] if said else tasks[0][4][3]
            name = '%s_%s_%d_1' % (capture.names[node[4]], str(group)[-3:], counts[group])
            counts[group] += 1
            shown = [task for task in tasks if task[3]]
            if not shown: # nothing says how long it lasted
                continue
            self.ops[node] = {'name': name, 'type': kind, 'said': said, 'group': capture.names[group], 'tasks': tasks,
                              'start': min(t[0] for t in shown), 'end': max(t[1] for t in shown),
                              'own': max(t[1] for t in shown) - min(t[0] for t in shown)}

    def _split_copies(self):
        result = {}
        for time, key, task_type in self.capture.tracks:
            copy = next((c for c in self.capture.copies if c[0] == time), None)
            if task_type != 'MEMCPY_ASYNC' or copy is None:
                continue
            size = min(copy[1], copy[2])
            copy[1] -= size
            result[key] = (size, DIRECTIONS[copy[3]] if copy[3] < len(DIRECTIONS) else 'other')
        return result

    def summary_rows(self):
        rows = [(start, 0, end, key, None) for start, end, key in self.operators]
        rows += [(op['start'], 1, op['end'], op['tasks'][0][2], op) for op in self.ops.values()]
        before, result = None, []
        for start, _, end, key, op in sorted(rows, key=lambda row: (row[0], row[1], row[2] if row[1] == 0 else
                                                                    row[4]['tasks'][0][1], row[3])):
            wait = max(0, start - before) if before is not None else 0
            before = end
            result.append((op['name'] if op else None, op['type'] if op else None, start, end - start, wait))
        return result

    def overlap(self):
        spans = [run for run in self.capture.runs.values()]
        computing = unite((start, end) for start, end, _ in self.operators)
        communicating = unite((op['start'], op['end']) for op in self.ops.values())
        whole = [(min(s for s, _ in spans), max(e for _, e in spans))]
        return {'Computing': computing, 'Communication': communicating,
                'Communication(Not Overlapped)': subtract(communicating, computing),
                'Free': subtract(subtract(whole, computing), communicating)}


def unite(spans):
    result = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result


def subtract(spans, others):
    points = sorted({point for span in spans + others for point in span})
    kept = [(a, b) for a, b in zip(points, points[1:]) if any(s <= a and b <= e for s, e in spans)
            and not any(s <= a and b <= e for s, e in others)]
    return unite(kept)


class Checker:
    def __init__(self):
        self.compared = self.different = 0

    def check(self, what, found, expected):
        self.compared += len(expected)
        if found != expected:
            self.different += 1
            print('%s: %d found, %d expected' % (what, len(found), len(expected)))
            for a, b in [(a, b) for a, b in zip(found, expected) if a != b][:3]:
                print('    %s\n    expected %s' % (a, b))


def table(capture, name):
    paths = glob.glob(os.path.join(capture, 'mindstudio_profiler_output', name + '_*.csv'))
    assert len(paths) == 1, paths
    with open(paths[0], newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def check_tables(path, capture, expected, checker):
    found = [(row['Op Name'], row['OP Type'], number(row['Task Start Time(us)']) * 1000,
              number(row['Task Duration(us)']) * 1000, number(row['Task Wait Time(us)']) * 1000)
             if row['Task Type'] == 'COMMUNICATION' else
             (None, None, number(row['Task Start Time(us)']) * 1000, number(row['Task Duration(us)']) * 1000,
              number(row['Task Wait Time(us)']) * 1000) for row in table(path, 'op_summary')]
    checker.check('op_summary', found, expected.summary_rows())
    totals = defaultdict(list)
    for op in expected.ops.values():
        totals[op['type']].append(op['own'])
    whole = sum(sum(times) for times in totals.values())
    statistic = sorted(((kind, str(len(times)), Decimal(sum(times)) / 1000, Decimal(min(times)) / 1000,
                         (Decimal(sum(times)) / len(times)).quantize(1, ROUND_HALF_UP) / 1000,
                         Decimal(max(times)) / 1000,
                         (Decimal(sum(times)) * 100 / whole).quantize(Decimal('0.001'), ROUND_HALF_UP))
                        for kind, times in totals.items()), key=lambda row: -row[2])
    found = [(row['OP Type'], row['Count'], *(number(row[column]) for column in (
        'Total Time(us)', 'Min Time(us)', 'Avg Time(us)', 'Max Time(us)', 'Ratio(%)')))
             for row in table(path, 'communication_statistic')]
    checker.check('communication_statistic', found, statistic)
    names = capture.names
    fusions = []
    for fusion in capture.fusions:
        model = capture.around(fusion[0], MODEL)[4]
        fusions.append(('host', capture.models.get(model, 'N/A'), str(model), names[fusion[1]],
                        ';'.join(names[op] for op in fusion[8:8 + fusion[2]]),
                        *(Decimal(size) / 1024 for size in fusion[3:8])))
    found = [(*list(row.values())[:5], *(number(cell) for cell in list(row.values())[5:]))
             for row in table(path, 'fusion_op')]
    checker.check('fusion_op', found, fusions)


def check_timeline(path, capture, expected, checker):
    with open(glob.glob(os.path.join(path, 'mindstudio_profiler_output', 'msprof_*.json'))[0], encoding='utf-8') as file:
        events = events_of(file)
    process = {e['pid']: e['args']['name'] for e in events if e['name'] == 'process_name'}
    # Slices that overlap in part stand on further threads of the same name: 'Plane 0 (2)'.
    thread = {(e['pid'], e['tid']): re.sub(r' \(\d+\)$', '', e['args']['name']) for e in events
              if e['name'] == 'thread_name'}
    slices = defaultdict(list)
    for event in events:
        if event['ph'] == 'X':
            start = Decimal(event['ts']) * 1000
            slices[process[event['pid']]].append(
                (thread[event['pid'], event['tid']], event['name'], start, start + Decimal(event['dur']) * 1000,
                 event.get('args', {})))
    overlap = expected.overlap()
    for name, spans in overlap.items():
        found = sorted((start, end) for lane, _, start, end, _ in slices['Overlap Analysis'] if lane == name)
        checker.check('overlap ' + name, found, spans)
    copies = {(args['Physic Stream Id'], args['Task Id']): (args['size(B)'], Decimal(args['bandwidth(GB/s)']),
                                                            args['operation'])
              for _, _, _, _, args in slices['Ascend Hardware'] if 'size(B)' in args}
    wanted = {}
    for key, (size, direction) in expected.copies.items():
        duration = capture.runs[key][1] - capture.runs[key][0]
        rate = (Decimal(size) / duration).quantize(Decimal('0.001'), ROUND_HALF_UP) if duration else Decimal(0)
        wanted[key] = (size, rate, direction)
    checker.check('copies', sorted(copies.items()), sorted(wanted.items()))
    ops, tasks = [], []
    for op in expected.ops.values():
        said = op['said']
        group = 'Group %s Communication' % op['group']
        ops.append((group, op['name'], op['start'], op['end'], DATA_TYPES[said[2]] if said else 'N/A',
                    capture.names[said[3]] if said else 'N/A', said[4] if said else 'N/A'))
        tasks += [('Plane %d' % t[8], capture.names[t[1]], start, end, key, t[16]) for start, end, key, _, t
                  in op['tasks']]
    lanes = slices['Communication']
    checker.check('communication operators', sorted((
        lane, name, start, end, args['data_type'], args['alg_type'], args['count'])
        for lane, name, start, end, args in lanes if 'alg_type' in args), sorted(ops))
    checker.check('communication tasks', sorted(
        (lane, name, start, end, (args['stream id'], args['task id']), args['size(Byte)'])
        for lane, name, start, end, args in lanes if 'alg_type' not in args), sorted(tasks))
    starts = {e['id']: process[e['pid']] for e in events if e['ph'] == 's'}
    ends = Counter(process[e['pid']] for e in events if e['ph'] == 'f' and starts[e['id']] == 'CANN')
    checker.check('arrows', [ends['Communication'], ends['Ascend Hardware']], [len(ops), len(capture.tracks)])


def check_database(path, capture, expected, checker):
    database = sqlite3.connect(glob.glob(os.path.join(path, 'msprof_*.db'))[0])
    found = sorted(database.execute(
        'SELECT n.value, o.startNs, o.endNs, o.count, t.name, g.value FROM COMMUNICATION_OP o'
        ' JOIN STRING_IDS n ON n.id = o.opName JOIN STRING_IDS g ON g.id = o.groupName'
        ' JOIN ENUM_HCCL_DATA_TYPE t ON t.id = o.dataType'))
    checker.check('COMMUNICATION_OP', found, sorted(
        (op['name'], op['start'], op['end'], op['said'][4] if op['said'] else -1,
         DATA_TYPES[op['said'][2]] if op['said'] else 'N/A', op['group'])
        for op in expected.ops.values()))
    found = sorted(database.execute(
        'SELECT t.streamId, t.taskId, n.value, y.value, c.planeId, c.size, c.srcRank, c.dstRank, p.name'
        ' FROM COMMUNICATION_TASK_INFO c JOIN TASK t USING(globalTaskId) JOIN STRING_IDS n ON n.id = c.name'
        ' JOIN STRING_IDS y ON y.id = c.taskType JOIN ENUM_HCCL_TRANSPORT_TYPE p ON p.id = c.transportType'))
    checker.check('COMMUNICATION_TASK_INFO', found, sorted(
        (*key, op['name'], capture.names[t[1]], t[8], t[16], t[4], t[5], 'SDMA')
        for op in expected.ops.values() for _, _, key, _, t in op['tasks']))
    found = sorted(database.execute('SELECT t.streamId, t.taskId, m.size, e.name FROM MEMCPY_INFO m JOIN TASK t'
                                    ' USING(globalTaskId) JOIN ENUM_MEMCPY_OPERATION e ON e.id = m.memcpyOperation'))
    checker.check('MEMCPY_INFO', found, sorted((*key, *copy) for key, copy in expected.copies.items()))
    names = ['Computing', 'Communication', 'Communication(Not Overlapped)', 'Free']
    found = sorted(database.execute('SELECT type, startNs, endNs FROM OVERLAP_ANALYSIS'))
    checker.check('OVERLAP_ANALYSIS', found, sorted(
        (names.index(name), *span) for name, spans in expected.overlap().items() for span in spans))


def main():
    capture = Capture(sys.argv[1])
    expected = Expected(capture)
    checker = Checker()
    for check in (check_tables, check_timeline, check_database):
        check(sys.argv[1], capture, expected, checker)
    print('%d values compared, %d lists are different' % (checker.compared, checker.different))
    return 1 if checker.different or checker.compared == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
