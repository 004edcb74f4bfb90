#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recalculates every report of a capture of make_prof.py from its raw files, by the formulas of the format's description
and in exact numbers, and compares all rows and columns, slices and arrows with what was exported. The generator's
records of one operator have the same place in each of the host's files. Prints what differs; exits with 1 when anything
does.

usage: recompute.py CAPTURE
       recompute.py --tables DIRECTORY CAPTURE   write the recalculated tables and compare nothing
"""
import csv
import glob
import json
import os
import struct
import sys
from collections import Counter, defaultdict
from decimal import Decimal, InvalidOperation
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import events_of, whole_name  # noqa: E402

NO_ID = 4294967295
CORE_TYPES = ['AI_CORE', 'AI_CPU', 'AI_VECTOR_CORE']
LEVELS = {20000: ('acl', 'AscendCL@'), 10000: ('node', 'Node@'), 5000: ('runtime', 'Runtime@')}
FORMATS, DATA_TYPES = {2: 'ND'}, {1: 'FLOAT16'}

# ---- metrics: (name, kind, what it is made of) ----

PIPES = [('vec', 'pipe', ['8']), ('mac', 'pipe', ['a']), ('scalar', 'pipe', ['9']), ('mte1', 'pipe', ['b']),
         ('mte2', 'pipe', ['c']), ('mte3', 'pipe', ['d']), ('icache_miss_rate', 'division', ['55', '54'])]
SHARED_GROUPS = {
    'PipeUtilizationExct': [('mac', 'pipe', ['416', '417']), ('scalar', 'pipe', ['9']), ('mte1', 'pipe', ['302']),
                            ('mte2', 'pipe', ['c']), ('fixpipe', 'pipe', ['303']),
                            ('icache_miss_rate', 'division', ['55', '54'])],
    'ArithmeticUtilization': [('mac_fp16', 'ratio', ['49']), ('mac_int8', 'ratio', ['4a']),
                              ('vec_fp32', 'ratio', ['4b']), ('vec_fp16', 'ratio', ['4c', '4d']),
                              ('vec_int32', 'ratio', ['4e']), ('vec_misc', 'ratio', ['4f']),
                              ('cube_fops', 'fops', {'49': 8192, '4a': 16384}), ('vector_fops', 'fops', 'vector')],
    'ResourceConflictRatio': [('vec_bankgroup_cflt', 'ratio', ['64']), ('vec_bank_cflt', 'ratio', ['65']),
                              ('vec_resc_cflt', 'ratio', ['66'])],
    'L2Cache': [('write_cache_hit', 'count', '500'), ('write_cache_miss_allocate', 'count', '502'),
                ('r0_read_cache_hit', 'count', '504'), ('r0_read_cache_miss_allocate', 'count', '506'),
                ('r1_read_cache_hit', 'count', '508'), ('r1_read_cache_miss_allocate', 'count', '50a')],
    'PipelineExecuteUtilization': [('vec_exe', 'pipe', ['12c']), ('mac_exe', 'pipe', ['49'] + ['4a'] * 4),
                                   ('scalar_exe', 'pipe', ['9']), ('mte1_exe', 'pipe', ['302']),
                                   ('mte2_exe', 'pipe', ['c']), ('mte3_exe', 'pipe', ['d']),
                                   ('fixpipe_exe', 'pipe', ['303']),
                                   ('memory_bound', 'bound', (['c'], ['49'] + ['4a'] * 4, ['12c']))],
    'MemoryAccess': [('read_main_memory', 'data', {'50d': 1, '50e': 1}), ('write_main_memory', 'data', {'50c': 1}),
                     ('GM_to_L1', 'data', {'32': 2, '206': -2}), ('L0C_to_L1', 'data', {'206': 1}),
                     ('L0C_to_GM', 'data', {'20c': 1, '206': -1}), ('GM_to_UB', 'data', {'3e': 1}),
                     ('UB_to_GM', 'data', {'3d': 1})],
}


def bandwidths(*rows):
    return [(name, 'bandwidth', (event, pipe * size)) for name, event, pipe, size in rows]


GROUPS = {
    'core': dict(SHARED_GROUPS, PipeUtilization=PIPES, Memory=bandwidths(
        ('ub_read_bw', '15', 256, 4), ('ub_write_bw', '16', 256, 4), ('l1_read_bw', '31', 256, 16),
        ('l1_write_bw', '32', 128, 8), ('main_mem_read_bw', '12', 8, 8), ('main_mem_write_bw', '13', 8, 8),
        ('l2_read_bw', 'f', 256, 8), ('l2_write_bw', '10', 256, 8)), MemoryL0=bandwidths(
        ('l0a_read_bw', '1b', 256, 16), ('l0a_write_bw', '1c', 256, 16), ('l0b_read_bw', '21', 256, 16),
        ('l0b_write_bw', '22', 256, 8), ('l0c_read_bw', '27', 256, 8), ('l0c_write_bw', '29', 256, 8),
        ('l0c_read_bw_cube', '28', 256, 32), ('l0c_write_bw_cube', '2a', 256, 32)), MemoryUB=bandwidths(
        ('ub_read_bw_vector', '43', 128, 2), ('ub_write_bw_vector', '44', 128, 2),
        ('ub_read_bw_scalar', '37', 128, 1), ('ub_write_bw_scalar', '38', 128, 1))),
    'python': dict(SHARED_GROUPS, PipeUtilization=PIPES + [('memory_bound', 'bound', (['c'], ['a'], ['8']))], Memory=bandwidths(
        ('ub_read_bw', '15', 256, 4), ('ub_write_bw', '16', 256, 4), ('l1_read_bw', '31', 256, 16),
        ('l1_write_bw', '32', 256, 8), ('l2_read_bw', 'f', 256, 8), ('l2_write_bw', '10', 256, 8),
        ('main_mem_read_bw', '12', 8, 8), ('main_mem_write_bw', '13', 8, 8)), MemoryL0=bandwidths(
        ('l0a_read_bw', '1b', 256, 16), ('l0a_write_bw', '1c', 256, 16), ('l0b_read_bw', '21', 256, 8),
        ('l0b_write_bw', '22', 256, 8), ('l0c_read_bw', '27', 256, 8), ('l0c_write_bw', '29', 256, 8),
        ('l0c_read_bw_cube', '28', 256, 8), ('l0c_write_bw_cube', '2a', 256, 8)), MemoryUB=bandwidths(
        ('ub_read_bw_mte', '3d', 128, 1), ('ub_write_bw_mte', '3e', 128, 1), ('ub_read_bw_vector', '43', 128, 2),
        ('ub_write_bw_vector', '44', 128, 2), ('ub_read_bw_scalar', '37', 128, 1),
        ('ub_write_bw_scalar', '38', 128, 1))),
}
# Columns of chips 7, 8 and 11 that have no values.
NOT_COUNTED = {'vec_time(us)', 'vec_ratio', 'vec_fp32_ratio', 'vec_fp16_ratio', 'vec_int32_ratio', 'vec_misc_ratio',
               'vec_bankgroup_cflt_ratio', 'vec_bank_cflt_ratio', 'vec_resc_cflt_ratio', 'ub_read_bw(GB/s)',
               'ub_write_bw(GB/s)', 'l0c_write_bw(GB/s)', 'l2_write_bw(GB/s)'}
# Parts that one kind of core of the 910B does not have.
MISSING = {
    'aic': {'vec', 'ub_read_bw', 'ub_write_bw', 'l0c_read_bw', 'l0c_write_bw', 'ub_read_bw_mte', 'ub_write_bw_mte',
            'ub_read_bw_vector', 'ub_write_bw_vector', 'vec_fp32', 'vec_fp16', 'vec_int32', 'vec_misc',
            'vec_bankgroup_cflt', 'vec_bank_cflt', 'vec_resc_cflt', 'vector_fops', 'vec_exe'},
    'aiv': {'mac', 'mte1', 'l1_read_bw', 'l1_write_bw', 'l0a_read_bw', 'l0a_write_bw', 'l0b_read_bw', 'l0b_write_bw',
            'l0c_read_bw_cube', 'l0c_write_bw_cube', 'mac_fp16', 'mac_int8', 'cube_fops', 'fixpipe', 'mac_exe', 'mte1_exe',
            'fixpipe_exe'},
}


def rounded(value, decimals=3):
    """Half away from zero; values are not below zero but for differences of counters."""
    scaled = abs(value) * 10 ** decimals
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Decimal(whole if value >= 0 else -whole).scaleb(-decimals)


def half_even(value, decimals=3):
    scaled = value * 10 ** decimals
    return Decimal(round(scaled)).scaleb(-decimals)


class Side:
    """One kind of core of a device: its columns and their values."""

    def __init__(self, rules, chip, group, events, hertz, cores, prefix=''):
        self.rules, self.chip, self.hertz, self.cores, self.prefix = rules, chip, hertz, cores, prefix
        self.events = [event.strip().lower().replace('0x', '') for event in events.split(',')]
        self.raw = group not in GROUPS[rules]
        self.metrics = [('r' + event, 'count', event) for event in self.events] if self.raw else \
            [metric for metric in GROUPS[rules][group] if self.counted(metric)]

    def needs(self, metric):
        name, kind, parts = metric
        if kind == 'bound':
            return sum(parts, [])
        if kind == 'bandwidth':
            return [parts[0]]
        if parts == 'vector':
            return ['4b', '4c', '4d', '4e', '4f']
        return [parts] if kind == 'count' else list(parts)

    def counted(self, metric):
        return all(event in self.events for event in self.needs(metric)) and \
            metric[0] not in MISSING.get(self.prefix.rstrip('_'), ())

    def titles(self):
        titles = ['aiv_time(us)' if self.prefix == 'aiv_' else 'aicore_time(us)', self.prefix + 'total_cycles']
        for name, kind, _ in self.metrics:
            if kind == 'pipe':
                titles += [self.prefix + name + '_time(us)']
            suffix = {'pipe': '_ratio', 'ratio': '_ratio', 'bandwidth': '(GB/s)', 'data': '_datas(KB)'}.get(kind, '')
            titles.append(self.prefix + name + suffix)
        return titles

    def values(self, cycles, counters, blocks):
        count = dict(zip(self.events, counters))
        time = Fraction(cycles * 10 ** 6, self.hertz * blocks) * ((blocks + self.cores - 1) // self.cores) \
            if blocks and self.cores else Fraction(0)
        shown = rounded(time, 2) if self.raw or self.rules != 'core' else rounded(time)
        base = time if self.rules == 'core' else Fraction(shown)
        values = [shown, cycles]
        for name, kind, parts in self.metrics:
            if kind in ('pipe', 'ratio'):
                share = Fraction(sum(count[event] for event in parts), cycles) if cycles else Fraction(0)
                if kind == 'pipe':
                    values.append(rounded(base * share))
                values.append(rounded(share))
            elif kind == 'division':
                a, b = (count[event] for event in parts)
                values.append(rounded(Fraction(a, b)) if a and b and cycles else 0)
            elif kind == 'bandwidth':
                event, bits = parts
                values.append(rounded(Fraction(count[event] * bits * self.hertz, cycles * 2 ** 33)) if cycles else 0)
            elif kind == 'count':
                values.append(count[parts])
            elif kind == 'data':
                values.append(rounded(sum(Fraction(count[event] * weight, 8) for event, weight in parts.items())))
            elif kind == 'bound':
                mte2, mac, vec = (float(rounded(Fraction(sum(count[event] for event in events), cycles)))
                                  for events in parts)
                values.append(Decimal(str(round(mte2 / max(mac, vec), 3))) if max(mac, vec) else 0)
            elif parts == 'vector':
                narrow = self.chip in (2, 3, 4)
                weights = {'4b': 64, '4c': 128, '4d': 64, '4e': 16 if narrow else 64, '4f': 16 if narrow else 32}
                values.append(sum(count[event] * weight for event, weight in weights.items()))
            else:
                values.append(sum(count[event] * weight for event, weight in parts.items()))
        return values

    def cube_is_idle(self, cycles, counters):
        count = dict(zip(self.events, counters))
        mac = count['a'] if 'a' in count else count['416'] + count['417']
        return rounded(Fraction(mac, cycles)) == 0


# ---- the raw files ----


def records(directory, stream, size):
    paths = [path for path in glob.glob(os.path.join(directory, stream + '.slice_*')) if not path.endswith('.done')]
    data = b''
    for path in sorted(paths, key=lambda path: int(path.rsplit('_', 1)[1])):
        with open(path, 'rb') as file:
            data += file.read()
    return [data[at:at + size] for at in range(0, len(data), size)]


def load_json(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def start_log(path):
    with open(path, encoding='utf-8') as file:
        return {key: int(value) for key, _, value in (line.partition(': ') for line in file) if value.strip()}


def hertz(text):
    return int(Decimal(text) * 10 ** 6)


class Capture:
    def __init__(self, path):
        self.path = path
        self.host, self.device = (os.path.join(path, part, 'data') for part in ('host', 'device_0'))
        self.info = load_json(os.path.join(path, 'device_0', 'info.json.0'))
        self.sample = load_json(os.path.join(path, 'device_0', 'sample.json'))
        self.chip = int(self.info['platform_version'])
        self.process_id = int(self.info['pid'])
        self.read_clocks()
        self.names = self.read_dictionary('hash_dic', int)
        self.types = self.read_dictionary('type_info_dic', str)
        self.read_device()
        self.read_host()

    def read_clocks(self):
        start = load_json(os.path.join(self.path, 'host', 'start_info'))
        offset = int(start['collectionTimeBegin']) * 1000 - int(start['clockMonotonicRaw'])
        host = start_log(os.path.join(self.path, 'host', 'host_start.log'))
        device_host = start_log(os.path.join(self.path, 'device_0', 'host_start.log.0'))
        device = start_log(os.path.join(self.path, 'device_0', 'dev_start.log.0'))
        host_hz = hertz(load_json(os.path.join(self.path, 'host', 'info.json'))['CPU'][0]['Frequency'])
        device_hz = hertz(self.info['DeviceInfo'][0]['hwts_frequency'])

        def clock(tick, first, frequency, monotonic):
            return int(rounded(Fraction((tick - first) * 10 ** 9, frequency), 0)) + monotonic + offset
        self.host_ns = lambda tick: clock(tick, host['cntvct'], host_hz, host['clock_monotonic_raw'])
        self.device_ns = lambda tick: clock(tick, device['cntvct'], device_hz, device_host['clock_monotonic_raw'])

    def read_dictionary(self, name, key):
        with open(os.path.join(self.host, 'unaging.additional.%s.slice_0' % name), encoding='utf-8') as file:
            return {key(number): text for number, text in (line.rstrip('\n').split(':', 1) for line in file)}

    def read_device(self):
        starts, self.ran, self.counters = {}, {}, {}
        if self.chip in (1, 2, 3, 4):
            logs = [(r[0] & 7, *struct.unpack_from('<6xHQI', r)) for r in records(self.device, 'hwts.data.0', 64)]
            logs = [(function, stream, task, tick) for function, task, tick, stream in logs]
            pmus = [(0, struct.unpack_from('<96xI', r)[0], struct.unpack_from('<6xH', r)[0],
                     struct.unpack_from('<16xQ8x8Q', r)) for r in records(self.device, 'aicore.data.0', 128)]
        else:
            logs = [(r[0] & 63, *struct.unpack_from('<4xHHQ', r)) for r in records(self.device, 'stars_soc.data.0', 64)]
            pmus = [(struct.unpack_from('<20xH', r)[0] >> 13, *struct.unpack_from('<4xHH', r),
                     struct.unpack_from('<32xQ8x8Q', r)) for r in records(self.device, 'ffts_profile.data.0', 128)]
        for function, stream, task, tick in logs:
            if function == 0:
                starts[stream, task] = tick
            else:
                self.ran[stream, task] = self.device_ns(starts[stream, task]), self.device_ns(tick)
        for core, stream, task, values in pmus:
            self.counters[stream, task] = core, values[0], values[1:]

    def type_name(self, level, kind):
        return self.types['%d_%d' % (level, kind)]

    def read_host(self):
        self.calls, self.operators = [], {}
        for record in records(self.host, 'unaging.api_event.data', 40):
            _, level, kind, thread, _, begin, end, item = struct.unpack('<HHIIIQQQ', record)
            self.calls.append((level, self.type_name(level, kind), thread, self.host_ns(begin), self.host_ns(end)))
        tensors = records(self.host, 'unaging.additional.tensor_info', 256)
        for i, (node, track) in enumerate(zip(records(self.host, 'unaging.compact.node_basic_info', 64),
                                              records(self.host, 'unaging.compact.task_track', 64))):
            name, core_type, op_type, blocks = struct.unpack_from('<QIQI', node, 24)
            stream, task = struct.unpack_from('<HH', track, 26)
            launch = next(call for call in self.calls[3 * i:3 * i + 3] if call[0] == 10000)
            self.operators[stream, task] = {
                'name': self.names[name], 'type': self.names[op_type], 'core': core_type, 'blocks': blocks,
                'kernel': self.names[struct.unpack_from('<Q', track, 40)[0]], 'launch': launch,
                'tensors': self.read_tensors(tensors[i]) if tensors else None}

    def read_tensors(self, record):
        texts = defaultdict(list)
        for i in range(struct.unpack_from('<I', record, 32)[0]):
            kind, form, data_type, *shape = struct.unpack_from('<III8I', record, 36 + 44 * i)
            texts[kind, 'shape'].append(','.join(str(size) for size in shape if size))
            texts[kind, 'type'].append(DATA_TYPES[data_type])
            texts[kind, 'format'].append(FORMATS[form])
        return texts


# ---- the tables ----


def microseconds(nanoseconds):
    return Decimal(nanoseconds).scaleb(-3)


def tensor_texts(tensors):
    result = []
    for kind in (0, 1):
        for what in ('shape', 'type', 'format'):
            values = tensors[kind, what] if tensors else []
            text = ';'.join(values)
            result.append('N/A' if not values else '"%s"' % text if what == 'shape' else text)
    return result


def metric_columns(capture):
    device, sample = capture.info['DeviceInfo'][0], capture.sample
    frequency = hertz(device['aic_frequency'])
    if capture.chip == 5:
        sides = [Side('core', 5, sample['ai_core_metrics'], sample['ai_core_profiling_events'], frequency,
                      device['ai_core_num'], 'aic_'),
                 Side('core', 5, sample['aiv_metrics'], sample['aiv_profiling_events'], frequency, device['aiv_num'],
                      'aiv_')]
    else:
        sides = [Side('python', capture.chip, sample['ai_core_metrics'], sample['ai_core_profiling_events'], frequency,
                      device['ai_core_num'])]
    has_cube = not sides[0].raw and ('a' in sides[0].events or {'416', '417'} <= set(sides[0].events))
    titles = sum((side.titles() for side in sides), []) + ['cube_utilization(%)'] * has_cube

    def values(key, operator):
        if key not in capture.counters:
            return ['N/A'] * len(titles)
        core, cycles, counters = capture.counters[key]
        result = []
        for number, side in enumerate(sides):
            ran = number == core or len(sides) == 1
            result += side.values(cycles, counters, operator['blocks']) if ran else [0] * len(side.titles())
        if has_cube:
            start, end = capture.ran[key]
            idle = core != 0 if len(sides) == 2 else sides[0].cube_is_idle(cycles, counters)
            result.append(0 if idle else half_even(
                Fraction(cycles * 10 ** 11, frequency * sides[0].cores * (end - start))))
        if capture.chip in (7, 8, 11):
            result = ['N/A' if title in NOT_COUNTED else value for title, value in zip(titles, result)]
        return result
    return titles, values


def order(capture):
    return sorted(capture.ran, key=lambda key: (capture.ran[key], key))


def op_summary(capture):
    stars = capture.chip >= 5
    titles = ['Device_id', 'Model ID', 'Task ID', 'Stream ID', 'Op Name', 'OP Type', 'OP State', 'Task Type',
              'Task Start Time(us)', 'Task Duration(us)', 'Task Wait Time(us)', 'Block Num'] + \
        ['Mix Block Num'] * stars + ['HF32 Eligible', 'Input Shapes', 'Input Data Types', 'Input Formats',
                                     'Output Shapes', 'Output Data Types', 'Output Formats'] + ['Context ID'] * stars
    metric_titles, metrics = metric_columns(capture)
    rows, last_end = [], None
    for key in order(capture):
        (start, end), operator = capture.ran[key], capture.operators[key]
        wait = max(0, start - last_end) if last_end is not None else 0
        last_end = end
        rows.append([0, NO_ID, key[1], key[0], operator['name'], operator['type'], 'static',
                     CORE_TYPES[operator['core']], microseconds(start), microseconds(end - start), microseconds(wait),
                     operator['blocks']] + [0] * stars + ['NO'] + tensor_texts(operator['tensors']) +
                    ['N/A'] * stars + metrics(key, operator))
    return titles + metric_titles, rows


def task_time(capture):
    rows = []
    for key in order(capture):
        (start, end), operator = capture.ran[key], capture.operators[key]
        rows.append([0, operator['kernel'], CORE_TYPES[operator['core']], key[0], key[1], microseconds(end - start),
                     microseconds(start), microseconds(end)])
    return ['Device_id', 'kernel_name', 'kernel_type', 'stream_id', 'task_id', 'task_time(us)', 'task_start(us)',
            'task_stop(us)'], rows


def op_statistic(capture):
    groups = defaultdict(list)
    for key, (start, end) in capture.ran.items():
        operator = capture.operators[key]
        groups[operator['type'], CORE_TYPES[operator['core']]].append(end - start)
    whole = sum(map(sum, groups.values()))
    rows = [[0, *group, len(spans), microseconds(sum(spans)), microseconds(min(spans)),
             microseconds(sum(spans) // len(spans)), microseconds(max(spans)),
             rounded(Fraction(sum(spans) * 100, whole))] for group, spans in groups.items()]
    return ['Device_id', 'OP Type', 'Core Type', 'Count', 'Total Time(us)', 'Min Time(us)', 'Avg Time(us)',
            'Max Time(us)', 'Ratio(%)'], sorted(rows, key=lambda row: (-row[4], row[1], row[2]))


def api_statistic(capture):
    groups = defaultdict(list)
    for level, name, _, begin, end in capture.calls:
        groups[level, name].append(end - begin)
    rows = []
    for (level, name), spans in sorted(groups.items(), key=lambda item: item[0][::-1]):
        exact = Fraction(sum(spans), len(spans))
        mean = int(rounded(exact, 0))
        variance = sum((span - exact) ** 2 for span in spans) / (len(spans) * 10 ** 6)
        rows.append(['host', LEVELS[level][0], name, microseconds(sum(spans)), len(spans), microseconds(mean),
                     microseconds(min(spans)), microseconds(max(spans)), rounded(variance)])
    return ['Device_id', 'Level', 'API Name', 'Time(us)', 'Count', 'Avg(us)', 'Min(us)', 'Max(us)', 'Variance'], rows


TABLES = (op_summary, op_statistic, api_statistic, task_time)


def write_table(directory, name, titles, rows):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name + '.csv'), 'w', newline='', encoding='utf-8') as file:
        csv.writer(file, lineterminator='\n').writerows([titles] + rows)


def write_tables(directory, capture, tables):
    for table in tables:
        write_table(directory, table.__name__, *table(capture)[:2])


# ---- comparison ----


def same(found, expected):
    if isinstance(expected, str):
        return found == expected
    try:
        return Decimal(found) == expected
    except InvalidOperation:
        return False


def newest(capture, pattern):
    return sorted(glob.glob(os.path.join(capture.path, 'mindstudio_profiler_output', pattern)))[-1]


def compare_table(capture, name, titles, rows):
    with open(newest(capture, name + '_[0-9]*.csv'), newline='', encoding='utf-8') as file:
        found = [[cell.strip() for cell in row] for row in csv.reader(file)]
    if found[0] != [str(title) for title in titles]:
        return ['%s: columns %s, expected %s' % (name, found[0], titles)]
    if len(found) - 1 != len(rows):
        return ['%s: %d rows, expected %d' % (name, len(found) - 1, len(rows))]
    return ['%s, line %d, %s: %s, expected %s' % (name, line, title, a, b)
            for line, (row, expected) in enumerate(zip(found[1:], rows), 2)
            for title, a, b in zip(titles, row, expected) if not same(a, b)]


def expected_timeline(capture):
    slices, arrows = Counter(), Counter()
    for level, name, thread, begin, end in capture.calls:
        slices['CANN', thread, LEVELS[level][1] + name, begin, end - begin] += 1
    computing = []
    for key in order(capture):
        (start, end), operator = capture.ran[key], capture.operators[key]
        slices['Ascend Hardware', key[0], operator['name'], start, end - start] += 1
        _, _, thread, begin, _ = operator['launch']
        arrows[('CANN', thread, begin), ('Ascend Hardware', key[0], start)] += 1
        if computing and start <= computing[-1][1]:
            computing[-1][1] = max(computing[-1][1], end)
        else:
            computing.append([start, end])
    for before, (start, end) in zip([None] + computing, computing):
        slices['Overlap Analysis', 0, 'Computing', start, end - start] += 1
        if before is not None:
            slices['Overlap Analysis', 3, 'Free', before[1], start - before[1]] += 1
    return slices, arrows


def compare_timeline(capture):
    with open(newest(capture, 'msprof_[0-9]*.json'), encoding='utf-8') as file:
        events = events_of(file)
    processes = {event['pid']: event['args']['name'] for event in events if event['name'] == 'process_name'}
    slices, starts, ends = Counter(), {}, []
    for event in events:
        place = processes.get(event['pid']), event['tid']
        nanoseconds = int(Decimal(event['ts']) * 1000) if 'ts' in event else None
        if event['ph'] == 'X':
            slices[(*place, whole_name(event), nanoseconds, int(Decimal(event['dur']) * 1000))] += 1
        elif event['ph'] == 's':
            starts[event['id']] = (*place, nanoseconds)
        elif event['ph'] == 'f':
            ends.append((event['id'], (*place, nanoseconds)))
    arrows = Counter((starts.get(number), end) for number, end in ends)
    problems = []
    for what, found, expected in zip(('slices', 'arrows'), (slices, arrows), expected_timeline(capture)):
        for word, difference in (('missing', expected - found), ('too many', found - expected)):
            if difference:
                problems.append('timeline: %d %s %s, such as %s' % (sum(difference.values()), what, word,
                                                                    list(difference)[:3]))
    return problems


def main():
    if sys.argv[1] == '--tables':
        write_tables(sys.argv[2], Capture(sys.argv[-1]), TABLES)
        return 0
    return max(check(path) for path in sys.argv[1:])


def check(path):
    capture, problems, compared = Capture(path), [], 0
    for table in TABLES:
        titles, rows = table(capture)
        problems += compare_table(capture, table.__name__, titles, rows)
        compared += len(rows)
    if glob.glob(os.path.join(capture.path, 'mindstudio_profiler_output', 'msprof_*.json')):
        problems += compare_timeline(capture)
    for problem in problems[:20]:
        print('%s: %s' % (path, problem))
    print('%s: %d rows compared, %d differences' % (path, compared, len(problems)))
    return 1 if problems or compared == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
