#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recalculates the reports of a capture of make_2022.py from its raw files, in exact numbers, and compares every row of
the tables and every slice and arrow of the timelines with what was exported. Ascend's tool of 2022 rounded twice in
binary floating point, so a calculated number may differ by one in its last place; names, times in whole nanoseconds,
counts and numbers of tasks may not. Prints what differs; exits with 1 when anything does.

usage: recompute_2022.py CAPTURE
       recompute_2022.py --tables DIRECTORY CAPTURE   write the recalculated tables, to six decimals, and compare nothing
"""
import csv
import json
import os
import struct
import sys
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

from recompute import hertz, load_json, records, start_log, write_table

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import events_of, whole_name  # noqa: E402

NO_ID = 4294967295
ACL_TYPES = {1: 'ACL_OP', 2: 'ACL_MODEL', 3: 'ACL_RTS', 4: 'ACL_OTHERS'}
CORE_TYPES = ['AI_CORE', 'AI_CPU']
UNDESCRIBED = {'name': 'N/A', 'blocks': 0}  # what the program launched itself
LAST_PLACE = Fraction(1, 9000)  # of four decimals, with room for the rounding before
NANOSECOND = Fraction(1, 1000)
# Columns that are rounded or cut to whole nanoseconds on the way.
WHOLE_NANOSECONDS = {'Task Wait Time(us)', 'Avg Time(us)', 'vec_time(us)', 'mac_time(us)', 'scalar_time(us)',
                     'mte1_time(us)', 'mte2_time(us)', 'mte3_time(us)'}

BANDWIDTHS = {
    'Memory': [('ub_read_bw(GB/s)', '15', 1024), ('ub_write_bw(GB/s)', '16', 1024), ('l1_read_bw(GB/s)', '31', 4096),
               ('l1_write_bw(GB/s)', '32', 1024), ('l2_read_bw(GB/s)', 'f', 2048), ('l2_write_bw(GB/s)', '10', 2048),
               ('main_mem_read_bw(GB/s)', '12', 2048), ('main_mem_write_bw(GB/s)', '13', 2048)],
    'MemoryL0': [('l0a_read_bw(GB/s)', '1b', 4096), ('l0a_write_bw(GB/s)', '1c', 4096),
                 ('l0b_read_bw(GB/s)', '21', 4096), ('l0b_write_bw(GB/s)', '22', 2048),
                 ('l0c_read_bw(GB/s)', '27', 2048), ('l0c_write_bw(GB/s)', '29', 2048),
                 ('l0c_read_bw_cube(GB/s)', '28', 8192), ('l0c_write_bw_cube(GB/s)', '2a', 8192)],
    'MemoryUB': [('ub_read_bw_mte(GB/s)', 'mte', None), ('ub_write_bw_mte(GB/s)', '3e', 1024),
                 ('ub_read_bw_vector(GB/s)', '43', 4096), ('ub_write_bw_vector(GB/s)', '44', 2048),
                 ('ub_read_bw_scalar(GB/s)', '37', 8192), ('ub_write_bw_scalar(GB/s)', '38', 8192)],
}
PIPES = [('vec', '8'), ('mac', 'a'), ('scalar', '9'), ('mte1', 'b'), ('mte2', 'c'), ('mte3', 'd')]
SHARES = {
    'ArithmeticUtilization': [('mac_fp16_ratio', ['49']), ('mac_int8_ratio', ['4a']), ('vec_fp32_ratio', ['4b']),
                              ('vec_fp16_ratio', ['4c', '4d']), ('vec_int32_ratio', ['4e']), ('vec_misc_ratio', ['4f'])],
    'ResourceConflictRatio': [('vec_bankgroup_cflt_ratio', ['64']), ('vec_bank_cflt_ratio', ['65']),
                              ('vec_resc_cflt_ratio', ['66'])],
}


class Capture:
    def __init__(self, path):
        self.path, self.device = path, os.path.join(path, 'device_0', 'data')
        info = load_json(os.path.join(path, 'device_0', 'info.json.0'))
        sample = load_json(os.path.join(path, 'device_0', 'sample.json'))
        device = info['DeviceInfo'][0]
        self.chip, self.cores = int(info['platform_version']), device['ai_core_num']
        self.hertz, self.group = hertz(device['aic_frequency']), sample['ai_core_metrics']
        self.events = [event.replace('0x', '') for event in sample['ai_core_profiling_events'].split(',')]
        clock = hertz(device['hwts_frequency'])
        first = start_log(os.path.join(path, 'device_0', 'dev_start.log.0'))['cntvct']
        monotonic = start_log(os.path.join(path, 'device_0', 'host_start.log.0'))['clock_monotonic_raw']
        self.time = lambda tick: Fraction((tick - first) * 10 ** 9, clock) + monotonic
        with open(os.path.join(self.device, 'Framework.hash_dic.0.slice_0'), encoding='utf-8') as file:
            self.names = {int(number): text for number, text in (line.rstrip('\n').split(':', 1) for line in file)}
        self.read_calls()
        self.read_operators()
        self.read_tasks()

    def read_calls(self):
        self.acl, self.runtime = [], []
        for module in ('op', 'model', 'rts'):
            for record in records(self.device, 'AclModule.acl_%s.0' % module, 128):
                _, _, kind, begin, end, process, thread, name = struct.unpack_from('<HHIQQII64s', record)
                self.acl.append((name.rstrip(b'\0').decode(), ACL_TYPES[kind], begin, end, process, thread))
        for record in records(self.device, 'runtime.api.0', 256):
            thread, begin, end, name = struct.unpack_from('<4xIQQ8x64s', record)
            stream, task = struct.unpack_from('<100xI4xH', record)
            self.runtime.append((name.rstrip(b'\0').decode(), begin, end, thread, stream, task))

    def read_operators(self):
        self.operators = {}
        tensors = records(self.device, 'Framework.tensor_data_info.0', 256)
        for record, tensor in zip(records(self.device, 'Framework.task_desc_info.0', 256), tensors):
            kind, name = struct.unpack_from('<4xI8xQ', record)
            op_type, = struct.unpack_from('<144xQ', record)
            time, _, blocks, model, stream, task = struct.unpack_from('<208xQIIIIH', record)
            texts = defaultdict(list)
            for i in range(struct.unpack_from('<I', tensor, 24)[0]):
                way, _, _, *shape = struct.unpack_from('<III8I', tensor, 28 + 44 * i)
                texts[way, 'shape'].append(','.join(str(size) for size in shape if size))
                texts[way, 'type'].append('FLOAT16')
                texts[way, 'format'].append('FORMAT_ND')
            self.operators[stream, task] = {
                'name': self.names[name], 'type': self.names[op_type], 'core': kind, 'blocks': blocks, 'model': model,
                'time': time, 'tensors': ['"%s"' % ';'.join(texts[way, what]) if what == 'shape' else
                                          ';'.join(texts[way, what])
                                          for way in (0, 1) for what in ('shape', 'type', 'format')]}

    def read_tasks(self):
        states, self.counters, self.logged = defaultdict(dict), {}, {}
        if self.chip == 0:
            for record in records(self.device, 'ts_track.data.0', 32):
                core, state, stream, task, tick = struct.unpack_from('<8xHHHHQ', record)
                self.logged[stream, task] = core
                states[stream, task][{1: 'wait', 2: 'start', 3: 'end'}[state]] = tick
            for record in records(self.device, 'aicore.data.0', 112):
                stream, task = struct.unpack_from('<10xHH', record)
                *counters, cycles = struct.unpack_from('<24x9Q', record)
                self.counters[stream, task] = cycles, counters, struct.unpack_from('<104xH', record)[0]
        else:
            for record in records(self.device, 'hwts.data.0', 64):
                function, task, tick, stream = struct.unpack_from('<B5xHQI', record)
                states[stream, task]['end' if function & 7 else 'start'] = tick
            for record in records(self.device, 'aicore.data.0', 128):
                cycles, *counters = struct.unpack_from('<16xQ8x8Q', record)
                stream, = struct.unpack_from('<96xI', record)
                task, = struct.unpack_from('<6xH', record)
                self.counters[stream, task] = cycles, counters, self.operators.get((stream, task), UNDESCRIBED)['blocks']
        self.tasks = {key: {state: self.time(tick) for state, tick in ticks.items()}
                      for key, ticks in states.items()}

    def order(self):
        return sorted(self.tasks, key=lambda key: (self.tasks[key]['start'], key))


# ---- tables: expected rows ----


def metric_titles(capture):
    titles = ['aicore_time(us)', 'total_cycles']
    if capture.group == 'PipeUtilization':
        titles += [title for pipe, _ in PIPES for title in (pipe + '_time(us)', pipe + '_ratio')]
        titles += ['icache_miss_rate', 'memory_bound']
    elif capture.group in SHARES:
        titles += [title for title, _ in SHARES[capture.group]]
        titles += ['cube_fops', 'vector_fops'] * (capture.group == 'ArithmeticUtilization')
    else:
        titles += [title for title, _, _ in BANDWIDTHS[capture.group]]
    return titles


def metric_values(capture, key):
    titles = metric_titles(capture)
    if key not in capture.counters:
        return [None] * len(titles)
    cycles, counters, blocks = capture.counters[key]
    count = dict(zip(capture.events, counters))
    rounds = (blocks + capture.cores - 1) // capture.cores
    time = Fraction(cycles * 10 ** 6 * rounds, capture.hertz * blocks)
    seconds = time / 10 ** 6 if capture.chip == 0 else Fraction(cycles, capture.hertz)
    values = [time, cycles]
    if capture.group == 'PipeUtilization':
        shares = {pipe: Fraction(count[event], cycles) for pipe, event in PIPES}
        for pipe, _ in PIPES:
            values += [time * shares[pipe], shares[pipe]]
        mte2, mac, vec = (round(shares[pipe], 6) for pipe in ('mte2', 'mac', 'vec'))
        values += [Fraction(count['55'], count['54']) if count['54'] else None,
                   mte2 / max(mac, vec) if max(mac, vec) else None]
    elif capture.group in SHARES:
        values += [Fraction(sum(count[event] for event in events), cycles) for _, events in SHARES[capture.group]]
        if capture.group == 'ArithmeticUtilization':
            fp32, int32, misc = {0: (32, 64, 32), 1: (64, 64, 32)}.get(capture.chip, (64, 16, 16))
            values += [count['49'] * 8192 + count['4a'] * 16384,
                       count['4b'] * fp32 + count['4c'] * 128 + count['4d'] * 64 + count['4e'] * int32 +
                       count['4f'] * misc]
    else:
        for _, event, bits in BANDWIDTHS[capture.group]:
            narrow = 4 * (count.get('10', 0) + count.get('13', 0))
            moved = (count['3d'] - narrow) * 128 + narrow * 64 if event == 'mte' else count[event] * bits
            values.append(moved / seconds / 2 ** 33)
    return values


def op_summary(capture):
    titles = ['Model ID', 'Task ID', 'Stream ID', 'Op Name', 'OP Type', 'Task Type', 'Task Start Time',
              'Task Duration(us)', 'Task Wait Time(us)', 'Block Dim', 'Input Shapes', 'Input Data Types',
              'Input Formats', 'Output Shapes', 'Output Data Types', 'Output Formats'] + metric_titles(capture)
    rows, last_end = [], None
    for key in capture.order():
        task, operator = capture.tasks[key], capture.operators.get(key)
        wait = max(Fraction(0), task['start'] - last_end) if last_end is not None else Fraction(0)
        last_end = task['end']
        if operator is None:
            continue
        rows.append([operator['model'], key[1], key[0], operator['name'], operator['type'],
                     CORE_TYPES[operator['core']], task['start'], (task['end'] - task['start']) / 1000,
                     wait / 1000, operator['blocks']] + operator['tensors'] + metric_values(capture, key))
    return titles, rows, ('Stream ID', 'Task ID')


def op_statistic(capture):
    groups = defaultdict(list)
    for key, operator in capture.operators.items():
        task = capture.tasks[key]
        groups[operator['type'], CORE_TYPES[operator['core']]].append((task['end'] - task['start']) / 1000)
    whole = sum(map(sum, groups.values()))
    return ['OP Type', 'Core Type', 'Count', 'Total Time(us)', 'Min Time(us)', 'Avg Time(us)', 'Max Time(us)',
            'Ratio(%)'], [[*group, len(spans), sum(spans), min(spans), sum(spans) / len(spans), max(spans),
                           sum(spans) / whole * 100] for group, spans in groups.items()], ('OP Type', 'Core Type')


def kernel_of(capture, key):
    operator = capture.operators.get(key)
    return ('N/A', 'N/A') if operator is None else (operator['name'], CORE_TYPES[operator['core']])


def task_time(capture):
    if capture.chip != 0:
        return ['kernel_name', 'kernel_type', 'stream_id', 'task_id', 'task_time(us)', 'task_start(ns)',
                'task_stop(ns)'], [[*kernel_of(capture, key), *key, (task['end'] - task['start']) / 1000,
                                    '"%d"' % task['start'], '"%d"' % task['end']]
                                   for key, task in capture.tasks.items()], ('stream_id', 'task_id')
    launches = {(stream, task): name for name, _, _, _, stream, task in capture.runtime}
    spans = {key: (task['end'] - task['start']) / 1000 for key, task in capture.tasks.items()}
    whole = sum(spans.values())
    rows = []
    for key, span in spans.items():
        operator, task = capture.operators.get(key, UNDESCRIBED), capture.tasks[key]
        kind = ('kernel AI core task', 'kernel AI cpu task')[capture.logged[key]]
        rows.append([span / whole * 100, span, 1, span, span, span, (task['start'] - task['wait']) / 1000, span, 0,
                     kind, launches[key], key[1], operator['name'], key[0]])
    return ['Time(%)', 'Time(us)', 'Count', 'Avg(us)', 'Min(us)', 'Max(us)', 'Waiting(us)', 'Running(us)',
            'Pending(us)', 'Type', 'API', 'Task ID', 'Op Name', 'Stream ID'], rows, ('Stream ID', 'Task ID')


def acl(capture):
    return ['Name', 'Type', 'Start Time', 'Duration(us)', 'Process ID', 'Thread ID'], [
        [name, kind, begin, Fraction(end - begin, 1000), process, thread]
        for name, kind, begin, end, process, thread in capture.acl], ('Start Time',)


def acl_statistic(capture):
    groups, whole = defaultdict(list), 0
    for name, kind, begin, end, process, thread in capture.acl:
        groups[name, kind, process, thread].append(Fraction(end - begin, 1000))
        whole += Fraction(end - begin, 1000)
    return ['Name', 'Type', 'Time(%)', 'Time(us)', 'Count', 'Avg(us)', 'Min(us)', 'Max(us)', 'Process ID',
            'Thread ID'], [[name, kind, sum(spans) / whole * 100, sum(spans), len(spans), sum(spans) / len(spans),
                            min(spans), max(spans), process, thread]
                           for (name, kind, process, thread), spans in groups.items()], ('Name',)


TABLES = (op_summary, op_statistic, task_time, acl, acl_statistic)


def text_of(value):
    if value is None:
        return 'N/A'
    return '%.6f' % value if isinstance(value, Fraction) else value


def write_tables(directory, capture):
    for table in TABLES:
        titles, rows, _ = table(capture)
        write_table(directory, table.__name__, titles, [[text_of(value) for value in row] for row in rows])


# ---- comparison ----


def same(title, found, expected):
    if expected is None:
        return found in ('', 'N/A')
    if isinstance(expected, str):
        return found == expected
    difference = abs(Fraction(Decimal(found)) - expected)
    if not isinstance(expected, Fraction):
        return difference == 0
    place = NANOSECOND if title in WHOLE_NANOSECONDS else 1 if title == 'Task Start Time' else LAST_PLACE
    return difference <= max(place, abs(expected) / 2_000_000)  # sums of rounded numbers


def compare_table(capture, name, titles, rows, keys):
    path = os.path.join(capture.path, 'summary', name + '_0_1.csv')
    if not rows:
        return ['%s: there, expected no row' % path] * os.path.exists(path)
    with open(path, newline='', encoding='utf-8') as file:
        found = list(csv.reader(file))
    if found[0] != titles:
        return ['%s: columns %s, expected %s' % (name, found[0], titles)]
    if len(found) - 1 != len(rows):
        return ['%s: %d rows, expected %d' % (name, len(found) - 1, len(rows))]
    places = [titles.index(key) for key in keys]
    by_key = {tuple(str(row[place]) for place in places): row for row in rows}
    problems = []
    for row in found[1:]:
        expected = by_key.pop(tuple(row[place] for place in places), None)
        if expected is None:
            problems.append('%s: a row too many: %s' % (name, row))
            continue
        problems += ['%s, %s: %s, expected %s, in row %s' % (name, title, a, b, row[:8])
                     for title, a, b in zip(titles, row, expected) if not same(title, a, b)]
    return problems


def read_timeline(capture, name):
    with open(os.path.join(capture.path, 'timeline', name + '_0_1.json'), encoding='utf-8') as file:
        events = events_of(file)
    names = {event['pid']: event['args']['name'] for event in events if event['name'] == 'process_name'}
    return events, names


def expected_slices(capture):
    result = defaultdict(list)
    for name, _, begin, end, _, thread in capture.acl:
        result['AscendCL', thread, name].append((Fraction(begin), Fraction(end - begin)))
    for name, begin, end, thread, _, _ in capture.runtime:
        result['Runtime', thread, name].append((Fraction(begin), Fraction(end - begin)))
    for key, task in capture.tasks.items():
        operator, span = capture.operators.get(key, UNDESCRIBED), (task['start'], task['end'] - task['start'])
        result['Task Scheduler', key[0], operator['name']].append(span)
        if capture.logged.get(key) == 1:
            result['AI CPU', 0, operator['name']].append(span)
    return result


def compare_slices(capture):
    events, names = read_timeline(capture, 'msprof')
    expected, problems = expected_slices(capture), []
    found = defaultdict(list)
    for event in events:
        if event['ph'] == 'X':
            found[names[event['pid']], event['tid'], whole_name(event)].append(
                (Fraction(Decimal(event['ts'])) * 1000, Fraction(Decimal(event['dur'])) * 1000))
    if set(found) != set(expected):
        problems.append('slices of %s, expected of %s' % (sorted(set(found) - set(expected), key=str)[:3],
                                                          sorted(set(expected) - set(found), key=str)[:3]))
    for key in set(found) & set(expected):
        a, b = sorted(found[key]), sorted(expected[key])
        near = [abs(x[0] - y[0]) <= 1 and abs(x[1] - y[1]) <= 1 for x, y in zip(a, b)]
        if len(a) != len(b) or not all(near):
            problems.append('slices of %s: %s, expected %s' % (key, a[:3], b[:3]))
    return problems


def compare_arrows(capture):
    """An ACL call of an operator points to the first operator that was described strictly inside of it."""
    events, names = read_timeline(capture, 'msprof')
    described = sorted((operator['time'], key) for key, operator in capture.operators.items())
    expected = set()
    for _, kind, begin, end, _, thread in capture.acl:
        if kind == 'ACL_OP':
            inside = next((key for time, key in described if begin < time < end), None)
            if inside is not None:
                expected.add(('%d-%d' % inside, thread, begin))
    found = {(event['id'], event['tid'], int(Decimal(event['ts']) * 1000)) for event in events if event['ph'] == 's'}
    ends = {event['id'] for event in events if event['ph'] == 'f'}
    tasks = {'%d-%d' % key for key in capture.tasks}
    return ['arrows from %s, expected from %s' % (sorted(found - expected)[:3], sorted(expected - found)[:3])] * \
        (found != expected) + ['arrows to %d tasks, expected to %d' % (len(ends), len(tasks))] * (ends != tasks)


def main():
    capture = Capture(sys.argv[-1])
    if sys.argv[1] == '--tables':
        write_tables(sys.argv[2], capture)
        return 0
    problems, compared = [], 0
    for table in TABLES:
        titles, rows, keys = table(capture)
        problems += compare_table(capture, table.__name__, titles, rows, keys)
        compared += len(rows)
    if os.path.isdir(os.path.join(capture.path, 'timeline')):
        problems += compare_slices(capture) + compare_arrows(capture)
    for problem in problems[:20]:
        print(problem)
    print('%d rows compared, %d differences' % (compared, len(problems)))
    return 1 if problems or compared == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
