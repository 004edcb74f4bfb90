# SPDX-License-Identifier: Apache-2.0
"""Calculates the tables of 'msprof show' again from the CSV files of an OPPROF directory, one row at a time, and compares.

    python3 recompute.py MSPROF DIRECTORY...    prints what differs, then how many cells were compared
"""
import csv
import glob
import json
import math
import os
import re
import subprocess
import sys

GIB = 2 ** 30


def table(msprof, directory, name):
    run = subprocess.run([msprof, 'show', '--table', name, '--format', 'json', directory], capture_output=True, text=True)
    return json.loads(run.stdout or '[]', parse_float=float) if run.returncode in (0, 3, 4) else run.stderr


def number(text):
    return None if text in ('NA', 'N/A', '', None) else float(text)


def read(directory, stem):
    """Rows of the newest file of a metric: (block, core, {name without aic_ and aiv_: value})."""
    paths = sorted(glob.glob(f'{directory}/{stem}.csv') + glob.glob(f'{directory}/{stem}_[0-9]*.csv'))
    if not paths:
        return []
    with open(paths[-1], newline='') as file:
        rows = list(csv.reader(file))
    found = []
    for line in rows[1:]:
        cells = dict(zip(rows[0], line))
        core = cells.get('sub_block_id', '')
        wanted = {'c': 'aic_', 'v': 'aiv_'}.get(core[:1])
        values = {}
        for name, text in cells.items():
            prefix = name[:4] if name[:4] in ('aic_', 'aiv_') else ''
            if name in ('', 'block_id', 'sub_block_id') or (prefix and wanted and prefix != wanted):
                continue
            values[re.sub(r'\(.*', '', name[len(prefix):])] = number(text)
        found.append((cells.get('block_id'), core, values))
    return found


def mean(values):
    return math.fsum(values) / len(values)


def column(rows, name):
    return [values[name] for _, _, values in rows if values.get(name) is not None]


class Launch:
    def __init__(self, directory):
        self.directory = directory
        path = (sorted(glob.glob(directory + '/OpBasicInfo*.csv')) or [None])[-1]
        self.basic = next(csv.DictReader(open(path, newline=''))) if path else {}
        self.kind, self.duration = self.basic.get('Op Type'), number(self.basic.get('Task Duration(us)'))
        self.mhz = number(self.basic.get('Current Freq')) or number(self.basic.get('Rated Freq'))

    def cores(self, stem):
        rows = read(self.directory, stem)
        for core, letter in (('cube', 'c'), ('vector', 'v')):
            chosen = [row for row in rows if row[1].startswith(letter)]
            if chosen:
                yield core, chosen

    def time(self, values):
        return self.duration if self.kind == 'mix' else values['time']

    def pipes(self):
        for core, rows in self.cores('PipeUtilization'):
            for title, name in (('cube', 'cube'), ('vector', 'vec'), ('scalar', 'scalar'), ('MTE1', 'mte1'),
                                ('MTE2', 'mte2'), ('MTE3', 'mte3'), ('fixpipe', 'fixpipe')):
                times, ratios = column(rows, name + '_time'), column(rows, name + '_ratio')
                if times:
                    active = column(rows, name + '_active_bw')
                    yield (core, title, 'busy'), {
                        'blocks': len(times), 'mean': mean(times), 'longest': max(times),
                        'mean_ratio': 100 * mean(ratios), 'largest_ratio': 100 * max(ratios),
                        'of_core': 100 * sum(times) / sum(column(rows, 'time')),
                        'when_active': mean(active) if active else None}
        for core, rows in self.cores('ResourceConflictRatio'):
            for title, name in (('cube', 'cube'), ('vector', 'vec'), ('MTE1', 'mte1'), ('MTE2', 'mte2'), ('MTE3', 'mte3')):
                ratios = column(rows, name + '_wait_ratio')
                if ratios:
                    yield (core, title, 'wait'), {'blocks': len(ratios), 'mean_ratio': 100 * mean(ratios),
                                                  'largest_ratio': 100 * max(ratios)}

    def memory(self):
        for core, rows in self.cores('Memory'):
            for title, name in (('main memory read', 'read_main_memory'), ('main memory write', 'write_main_memory'),
                                ('GM to L1', 'GM_to_L1'), ('L1 to GM', 'L1_to_GM'), ('L0C to L1', 'L0C_to_L1'),
                                ('L0C to GM', 'L0C_to_GM'), ('GM to UB', 'GM_to_UB'), ('UB to GM', 'UB_to_GM')):
                kib = column(rows, name + '_datas')
                if not kib:
                    continue
                there = [values for _, _, values in rows if values.get(name + '_datas') is not None]
                usage = column(rows, name + '_bw_usage_rate')
                expected = {
                    'blocks': len(kib), 'bytes': round(1024 * sum(kib)),
                    'core_mean': mean([v[name + '_datas'] * 1024 / GIB / (self.time(v) / 1e6) for v in there]),
                    'mean_usage': mean(usage) if usage else None, 'largest_usage': max(usage) if usage else None}
                if self.duration:
                    expected['bandwidth'] = sum(kib) * 1024 / GIB / (self.duration / 1e6)
                yield (core, title), expected
        for stem in ('Memory', 'MemoryL0', 'MemoryUB'):
            for core, rows in self.cores(stem):
                for title, name in (('L1 read', 'l1_read_bw'), ('L1 write', 'l1_write_bw'), ('L0A read', 'l0a_read_bw'),
                                    ('L0A write', 'l0a_write_bw'), ('L0B read', 'l0b_read_bw'),
                                    ('L0B write', 'l0b_write_bw'), ('L0C read by cube', 'l0c_read_bw_cube'),
                                    ('L0C write by cube', 'l0c_write_bw_cube'),
                                    ('UB read by vector', 'ub_read_bw_vector'), ('UB write by vector', 'ub_write_bw_vector'),
                                    ('UB read by scalar', 'ub_read_bw_scalar'), ('UB write by scalar', 'ub_write_bw_scalar')):
                    rates = column(rows, name)
                    if rates:
                        yield (core, title), {'blocks': len(rates), 'core_mean': mean(rates)}

    def l2(self):
        for core, rows in self.cores('L2Cache'):
            for title, hit, miss, rate in (
                    ('write', ['write_cache_hit'], ['write_cache_miss_allocate'], 'write_hit_rate'),
                    ('read, port 0', ['r0_read_cache_hit'], ['r0_read_cache_miss_allocate'], None),
                    ('read, port 1', ['r1_read_cache_hit'], ['r1_read_cache_miss_allocate'], None),
                    ('read', ['r0_read_cache_hit', 'r1_read_cache_hit'],
                     ['r0_read_cache_miss_allocate', 'r1_read_cache_miss_allocate'], 'read_hit_rate'),
                    ('all', ['write_cache_hit', 'r0_read_cache_hit', 'r1_read_cache_hit'],
                     ['write_cache_miss_allocate', 'r0_read_cache_miss_allocate', 'r1_read_cache_miss_allocate'],
                     'total_hit_rate')):
                hits, misses = sum(sum(column(rows, n)) for n in hit), sum(sum(column(rows, n)) for n in miss)
                yield (core, title), {'blocks': len(rows), 'hits': hits, 'misses': misses,
                                      'hit_rate': 100 * hits / (hits + misses) if hits + misses else None,
                                      'mean_of_rates': mean(column(rows, rate)) if rate else None}

    def conflicts(self):
        for core, rows in self.cores('ResourceConflictRatio'):
            for title, name in (('all', 'total'), ('bank groups', 'bankgroup'), ('banks', 'bank'), ('resources', 'resc'),
                                ('with MTE', 'mte')):
                ratios = column(rows, f'vec_{name}_cflt_ratio')
                if ratios:
                    worst = min(int(b) for b, _, v in rows if v[f'vec_{name}_cflt_ratio'] == max(ratios))
                    yield (core, title), {'blocks': len(ratios), 'mean_ratio': 100 * mean(ratios),
                                          'largest_ratio': 100 * max(ratios), 'block': worst}

    def operator(self):
        stems = ('PipeUtilization', 'ArithmeticUtilization', 'Memory', 'ResourceConflictRatio', 'L2Cache', 'MemoryL0', 'MemoryUB')
        rows = next((found for found in (read(self.directory, stem) for stem in stems) if found), [])
        mhz, rated = number(self.basic.get('Current Freq')), number(self.basic.get('Rated Freq'))
        yield (), {'op_name': self.basic.get('Op Name'), 'op_type': self.kind, 'task_duration': self.duration,
                   'block_dim': number(self.basic.get('Block Dim')), 'mix_block_dim': number(self.basic.get('Mix Block Dim')),
                   'rows': len(rows) or None, 'longest_block': max(column(rows, 'time')) if rows else None,
                   'current_freq': mhz, 'rated_freq': rated, 'of_rated': 100 * mhz / rated if mhz and rated else None}

    def blocks(self):
        for core, rows in self.cores('PipeUtilization'):
            average = mean(column(rows, 'time'))
            for block, name, v in rows:
                expected = {'time': v['time'], 'cycles': v['total_cycles'], 'off_mean': 100 * (v['time'] / average - 1),
                            'icache_miss': None if v.get('icache_miss_rate') is None else 100 * v['icache_miss_rate']}
                for title, pipe in (('cube', 'cube'), ('vector', 'vec'), ('scalar', 'scalar'), ('mte1', 'mte1'),
                                    ('mte2', 'mte2'), ('mte3', 'mte3'), ('fixpipe', 'fixpipe')):
                    ratio = v.get(pipe + '_ratio')
                    expected[title] = None if ratio is None else 100 * ratio
                yield (int(block), name), expected

    def roofline(self):
        arithmetic, memory = dict(self.cores('ArithmeticUtilization')), dict(self.cores('Memory'))
        for core, rows in memory.items():
            if core not in arithmetic or not self.duration:
                continue
            unit = 'cube' if core == 'cube' else 'vec'
            ops = sum(column(arithmetic[core], unit + '_fops'))
            whole = [int(self.duration) * self.mhz if self.kind == 'mix' else v['total_cycles'] for _, _, v in arithmetic[core]]
            busy = sum(v['vec_ratio'] * w for (_, _, v), w in zip(arithmetic[core], whole)) if core == 'vector' else None
            rate = 8192 if core == 'cube' else ops / busy if busy else None
            for title, name in (('main memory read', 'read_main_memory'), ('main memory write', 'write_main_memory'),
                                ('GM to L1', 'GM_to_L1'), ('L1 to GM', 'L1_to_GM'), ('L0C to GM', 'L0C_to_GM'),
                                ('GM to UB', 'GM_to_UB'), ('UB to GM', 'UB_to_GM')):
                moved = 1024 * sum(column(rows, name + '_datas'))
                if ops and moved:
                    done = ops / self.duration / 1e3
                    yield (core, title), {'operations': ops, 'bytes': round(moved), 'intensity': ops / moved, 'done': done,
                                          'work_roof': rate and rate * len(arithmetic[core]) * self.mhz / 1e3}


    def simulated(self, what, titles):
        """Rows of the files of all simulated cores, with their share of the core's cycles."""
        for path in sorted(glob.glob(f'{self.directory}/**/core*_{what}_exe*.csv', recursive=True)):
            core = re.match(r'core\d+\.(veccore|cubecore)\d+', os.path.basename(path)).group()
            with open(path, newline='') as file:
                rows = list(csv.DictReader(file))
            whole = sum(int(row['cycles']) for row in rows)
            for row in rows:
                expected = {title: number(row[name]) if name in ('call_count', 'cycles', 'running_time(us)') else row[name]
                            for title, name in titles.items()}
                expected['of_core'] = 100 * int(row['cycles']) / whole if whole else None
                yield (core, hex(int(row['addr'])) if 'addr' in row else row['code']), expected

    def instructions(self):
        yield from self.simulated('instr', {'instruction': 'instr', 'pipe': 'pipe', 'calls': 'call_count',
                                            'cycles': 'cycles', 'time': 'running_time(us)', 'operands': 'detail'})

    def lines(self):
        yield from self.simulated('code', {'line': 'code', 'calls': 'call_count', 'cycles': 'cycles',
                                           'time': 'running_time(us)'})


KEYS = {'instructions': ('core', 'address'), 'lines': ('core', 'line'), 'operator': (), 'pipes': ('core', 'pipe', 'state'), 'memory': ('core', 'path'), 'l2': ('core', 'requests'),
        'conflicts': ('core', 'conflict'), 'blocks': ('block', 'core'), 'roofline': ('core', 'path')}


def same(found, expected):
    """Tables have at least three decimals; a value that the files do not have is N/A."""
    if isinstance(expected, str) or expected is None:
        return found == ('N/A' if expected is None else expected)
    return not isinstance(found, str) and abs(found - expected) <= 5.1e-4 + 1e-9 * abs(expected)


def compare(msprof, directory):
    launch, cells, wrong = Launch(directory), 0, []
    for name, keys in KEYS.items():
        rows = table(msprof, directory, name)
        if isinstance(rows, str):
            wrong.append(f'{directory}: {name}: {rows.strip()}')
            continue
        rows = [{re.sub(r'\(.*', '', k).lower().replace(' ', '_'): v for k, v in row.items()} for row in rows]
        cycles = [row['cycles'] for row in rows] if name in ('instructions', 'lines') else []
        if cycles != sorted(cycles, reverse=True):
            wrong.append(f'{directory}: {name}: the hottest is not first: {cycles}')
        there = {tuple(row[key] for key in keys): row for row in rows}
        for key, expected in getattr(launch, name)():
            if name == 'operator' and not launch.basic:
                continue
            for title, value in expected.items():
                found = there.get(key, {}).get(title, 'no such cell')
                cells += 1
                if found == 'no such cell' or not same(found, value):
                    wrong.append(f'{directory}: {name} {key} {title}: {found}; recalculated: {value}')
    return cells, wrong


def main():
    total = 0
    for directory in sys.argv[2:]:
        cells, wrong = compare(sys.argv[1], directory)
        total += cells
        for line in wrong:
            print(line)
    print(f'{total} cells')


if __name__ == '__main__':
    main()
