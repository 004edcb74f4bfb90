# SPDX-License-Identifier: Apache-2.0
"""Plants OPPROF directories: columns and formulas as docs/formats/opprof.md has them, of counters that are given.

    Op('add', 'vector', 10.0, blocks=4).write('OPPROF_1', [Row(b, 'vector0', cycles=9000, vec=900) for b in range(4)])
"""
import os
import struct

GIB = 2 ** 30
PEAKS = {'GM_to_L1': 264, 'L1_to_GM': 199, 'L0C_to_L1': 216, 'L0C_to_GM': 209, 'GM_to_UB': 220, 'UB_to_GM': 186}
METRICS = ['PipeUtilization', 'ArithmeticUtilization', 'Memory', 'MemoryL0', 'MemoryUB', 'L2Cache',
           'ResourceConflictRatio']


def f(value):
    """A number as the tool prints it: of a float32, with six decimals."""
    return 'NA' if value is None else '%f' % struct.unpack('f', struct.pack('f', value))[0]


class Row:
    """What one core counted of one block; what is not given is 0."""

    def __init__(self, block, core, cycles, **counters):
        self.block, self.core, self.cycles, self.counters = block, core, cycles, counters

    def __getattr__(self, name):
        return self.counters.get(name, 0)

    @property
    def cube(self):
        return self.core.startswith('cube')


class Op:
    def __init__(self, name, kind, duration, blocks, mix=None, mhz=1800, rated=1800, device=0):
        self.name, self.kind, self.duration, self.blocks, self.mix = name, kind, duration, blocks, mix
        self.mhz, self.rated, self.device = mhz, rated, device

    @property
    def frequency(self):
        return self.mhz or self.rated

    def own(self, row):
        return row.cycles / self.frequency

    def time(self, row):
        return self.duration if self.kind == 'mix' else self.own(row)

    def ratio(self, row, cycles):
        whole = int(self.duration) * self.frequency if self.kind == 'mix' else row.cycles
        return f(cycles / whole)

    def bandwidth(self, row, size):
        return f(size / GIB / (self.time(row) * 1e-6))

    def files(self, rows):
        return {'PipeUtilization': [self.pipe(r) for r in rows],
                'ArithmeticUtilization': [self.arithmetic(r) for r in rows],
                'Memory': [self.memory(r) for r in rows],
                'MemoryL0': [self.start(r) | {'aic_l0a_read_bw(GB/s)': f(r.l0a) if r.cube else 'NA'} for r in rows],
                'MemoryUB': [self.start(r) | {'aiv_ub_read_bw_vector(GB/s)': 'NA' if r.cube else f(r.ub)} for r in rows],
                'L2Cache': [self.l2(r) for r in rows],
                'ResourceConflictRatio': [self.conflict(r) for r in rows]}

    def start(self, row):
        time, cycles = f(self.own(row)), str(row.cycles)
        return {'block_id': str(row.block), 'sub_block_id': row.core,
                'aic_time(us)': time if row.cube else 'NA', 'aic_total_cycles': cycles if row.cube else 'NA',
                'aiv_time(us)': 'NA' if row.cube else time, 'aiv_total_cycles': 'NA' if row.cube else cycles}

    def both(self, row, names, value):
        """Columns of both kinds of cores; those of the other kind are NA."""
        return {prefix + name: value(name) if (prefix == 'aic_') == row.cube else 'NA'
                for prefix in ('aic_', 'aiv_') for name in names}

    def pipe(self, row):
        found = self.start(row)
        for prefix, pipes in (('aic_', ('cube', 'scalar', 'mte1', 'mte2', 'mte3', 'fixpipe')),
                              ('aiv_', ('vec', 'scalar', 'mte2', 'mte3'))):
            here = (prefix == 'aic_') == row.cube
            for pipe in pipes:
                cycles = getattr(row, pipe)
                found[f'{prefix}{pipe}_time(us)'] = f(cycles / self.frequency) if here else 'NA'
                found[f'{prefix}{pipe}_ratio'] = self.ratio(row, cycles) if here else 'NA'
            found[prefix + 'icache_miss_rate'] = f(row.icache) if here else 'NA'
        for pipe, moved in (('mte2', row.gm_to_ub), ('mte3', row.ub_to_gm)):
            cycles = getattr(row, pipe)
            found[f'aiv_{pipe}_active_bw(GB/s)'] = (
                f(moved / GIB / (cycles / self.frequency * 1e-6)) if cycles and not row.cube else 'NA')
        return found

    def arithmetic(self, row):
        ratios = ('vec_fp32', 'vec_fp16', 'vec_misc')
        return self.start(row) | {
            'aic_cube_ratio': self.ratio(row, row.cube_cycles) if row.cube else 'NA',
            'aic_cube_fops': str(row.fops) if row.cube else 'NA',
            'aiv_vec_ratio': 'NA' if row.cube else self.ratio(row, row.vec)} | {
            f'aiv_{name}_ratio': 'NA' if row.cube else self.ratio(row, getattr(row, name)) for name in ratios} | {
            'aiv_vec_fops': 'NA' if row.cube else str(row.fops)}

    def memory(self, row):
        found = self.start(row)
        found |= self.both(row, ['main_mem_read_bw(GB/s)'], lambda _: self.bandwidth(row, row.read))
        found |= self.both(row, ['main_mem_write_bw(GB/s)'], lambda _: self.bandwidth(row, row.write))
        for pipe in ('mte2', 'mte3'):
            found |= self.both(row, [pipe + '_instructions'], lambda _: str(getattr(row, pipe + '_instructions')))
        found |= {'read_main_memory_datas(KB)': f(row.read / 1024), 'write_main_memory_datas(KB)': f(row.write / 1024)}
        for path, peak in PEAKS.items():
            here = path.endswith('UB') != row.cube if 'UB' not in path else not row.cube
            if 'UB' not in path:
                here = row.cube
            moved, mark = getattr(row, path.lower()), '(estimate)' if path == 'L1_to_GM' else ''
            found[f'{path}_datas(KB){mark}'] = f(moved / 1024) if here else 'NA'
            found[f'{path}_bw_usage_rate(%){mark}'] = (
                f(100 * moved / GIB / (self.time(row) * 1e-6) / peak) if here else 'NA')
        return found

    def l2(self, row):
        found = self.start(row)
        counters = ['write_cache_hit', 'write_cache_miss_allocate', 'r0_read_cache_hit', 'r0_read_cache_miss_allocate',
                    'r1_read_cache_hit', 'r1_read_cache_miss_allocate']
        found |= self.both(row, counters, lambda name: str(getattr(row, name.replace('_cache', '').replace('_allocate', ''))))
        write = (row.write_hit, row.write_miss)
        read = (row.r0_read_hit + row.r1_read_hit, row.r0_read_miss + row.r1_read_miss)
        every = (write[0] + read[0], write[1] + read[1])
        for name, (hits, misses) in (('write', write), ('read', read), ('total', every)):
            found |= self.both(row, [name + '_hit_rate(%)'],
                               lambda _: f(100 * hits / (hits + misses) if hits + misses else 0))
        return found

    def conflict(self, row):
        found = self.start(row)
        found |= {f'aic_{pipe}_wait_ratio': self.ratio(row, getattr(row, pipe + '_wait')) if row.cube else 'NA'
                  for pipe in ('cube', 'mte1', 'mte2', 'mte3')}
        parts = ('bankgroup', 'bank', 'resc', 'mte')
        cycles = {'total': sum(getattr(row, part + '_cflt') for part in parts)}
        cycles |= {part: getattr(row, part + '_cflt') for part in parts}
        found |= {f'aiv_vec_{part}_cflt_ratio': 'NA' if row.cube else self.ratio(row, cycles[part]) for part in cycles}
        found |= {f'aiv_{pipe}_wait_ratio': 'NA' if row.cube else self.ratio(row, getattr(row, pipe + '_wait'))
                  for pipe in ('vec', 'mte2', 'mte3')}
        return found

    def write(self, directory, rows, metrics=METRICS, suffix=''):
        os.makedirs(directory, exist_ok=True)
        basic = {'Op Name': self.name, 'Op Type': self.kind, 'Task Duration(us)': f(self.duration),
                 'Block Dim': self.blocks, 'Mix Block Dim': 'NA' if self.mix is None else self.mix,
                 'Device Id': self.device, 'Pid': 7, 'Current Freq': self.mhz or 'N/A', 'Rated Freq': self.rated}
        put(directory, 'OpBasicInfo' + suffix, [basic])
        files = self.files(rows)
        for metric in metrics:
            put(directory, metric + suffix, files[metric])


def put(directory, name, rows):
    with open(os.path.join(directory, name + '.csv'), 'w', newline='') as file:
        for line in [list(rows[0])] + [row.values() for row in rows]:
            file.write(''.join(f'{value},' for value in line) + '\n')
