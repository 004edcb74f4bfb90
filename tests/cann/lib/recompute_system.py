#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recalculates the tables of samples of a capture of make_system.py (one device, chip 5 or 1) from its raw files, by the
formulas of docs/formats/ and in exact numbers. The AI CPU, the host and links are in recompute_system_host.py.

usage: recompute_system.py --tables DIRECTORY CAPTURE [TABLE...]
"""
import os
import struct
import sys
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

from recompute import hertz, load_json, records, rounded, start_log, write_table

MIB = 2 ** 20
LLC_EVENTS = {'accesses': (0x00, 0x01), 'hits': (0x02, 0x13, 0x22, 0x36), 'lookups': (0x20, 0x34)}
# Requests, hits and victims of the L2 cache; no hits: not known.
CACHE_EVENTS = {1: (('59',), ('5b',), ('5c',)), 5: (('fb', 'fc'), (), ('9c',))}
MODULES = {0: 'SLOG', 3: 'HCCL', 7: 'RUNTIME', 33: 'APP', 45: 'GE', 62: 'FFTS'}
NOT_KNOWN = 2 ** 63
DIRECTIONS = ('Tx_p_avg(MB/s)', 'Tx_np_avg(MB/s)', 'Tx_cpl_avg(MB/s)', 'Tx_latency_avg(us)', 'Rx_p_avg(MB/s)',
              'Rx_np_avg(MB/s)', 'Rx_cpl_avg(MB/s)')
LATENCY, NOT_MEASURED = 3, 0xfffff


class Capture:
    """The clocks and descriptions of a capture, and its files."""

    def __init__(self, path):
        self.path = path
        self.info = load_json(os.path.join(path, 'device_0', 'info.json.0'))
        self.host_info = load_json(os.path.join(path, 'host', 'info.json'))
        self.sample = load_json(os.path.join(path, 'device_0', 'sample.json'))
        self.chip = int(self.info['platform_version'])
        start = load_json(os.path.join(path, 'device_0', 'start_info.0'))
        offset = int(start['collectionTimeBegin']) * 1000 - int(start['clockMonotonicRaw'])
        host = start_log(os.path.join(path, 'device_0', 'host_start.log.0'))
        device = start_log(os.path.join(path, 'device_0', 'dev_start.log.0'))
        self.begin = host['clock_monotonic_raw'] + offset
        self.first_tick, self.device_monotonic = device['cntvct'], device['clock_monotonic_raw']
        self.device_hz = hertz(self.info['DeviceInfo'][0]['hwts_frequency'])
        self.host_hz = hertz(self.host_info['CPU'][0]['Frequency'])
        self.host_first_tick, self.offset = host['cntvct'], offset
        with open(os.path.join(path, 'host', 'data', 'unaging.additional.hash_dic.slice_0'), encoding='utf-8') as file:
            self.names = {int(number): text for number, text in (line.rstrip('\n').split(':', 1) for line in file)}

    def tick_ns(self, tick):
        return self.begin + Fraction((tick - self.first_tick) * 10 ** 9, self.device_hz)

    def host_tick_ns(self, tick):
        return self.begin + Fraction((tick - self.host_first_tick) * 10 ** 9, self.host_hz)

    def unpacked(self, part, stream, form):
        """The fields of each record of a stream."""
        return [struct.unpack(form, record)
                for record in records(os.path.join(self.path, part, 'data'), stream, struct.calcsize(form))]

    def has(self, part, name):
        return os.path.exists(os.path.join(self.path, part, 'data', name + '.slice_0'))

    def lines(self, part, name):
        with open(os.path.join(self.path, part, 'data', name + '.slice_0'), encoding='utf-8') as file:
            return file.read().splitlines()

    def operator_names(self):
        """By stream and task: the runtime's record of a task stands where the description of its operator does."""
        host = os.path.join(self.path, 'host', 'data')
        return {struct.unpack_from('<HH', track, 26): self.names[struct.unpack_from('<Q', node, 24)[0]]
                for track, node in zip(records(host, 'unaging.compact.task_track', 64),
                                       records(host, 'unaging.compact.node_basic_info', 64))}


def mean(values):
    values = list(values)
    return Fraction(sum(values), len(values)) if values else Fraction(0)


def microseconds(nanoseconds):
    return Fraction(nanoseconds, 1000)


# ---- memories ----


def hbm(capture):
    before, rates = {}, defaultdict(list)
    for time, count, event, memory in capture.unpacked('device_0', 'hbm.data.0', '<QQII'):
        way = event != 0
        seconds = Fraction(time - before.get((memory, way), time), 10 ** 6)
        rates[memory, way].append(Fraction(count * 32, MIB) / seconds if seconds else Fraction(0))
        before[memory, way] = time
    rows = [[0, memory] + [mean(rates[memory, way]) for way in (False, True)]
            for memory in sorted({memory for memory, _ in rates})]
    return ['Device_id', 'Metric', 'Read(MB/s)', 'Write(MB/s)'], \
        [[0, 'Average'] + [Fraction(rounded(sum(row[place] for row in rows))) / len(rows) for place in (2, 3)]] + rows


def ddr(capture):
    counts = defaultdict(lambda: [0, 0])
    for time, count, event, _, _ in capture.unpacked('device_0', 'ddr.data.0', '<IIIII'):
        counts[time][event] += count
    times = sorted(counts)
    seconds = [Fraction(time - before, 10 ** 6) for before, time in zip([0] + times, times)]
    rates = [[Fraction(counts[time][event] * 256 // 8, MIB) / span for time, span in zip(times, seconds)]
             for event in (0, 1)]
    return ['Device_id', 'Metric', 'Read(MB/s)', 'Write(MB/s)'], [[0, 'Average'] + [mean(rate) for rate in rates]]


def llc_read_write(capture):
    parts = defaultdict(lambda: defaultdict(dict))
    for time, count, event, part in capture.unpacked('device_0', 'llc.data.0', '<QQII'):
        parts[part][time][event] = count
    rows = []
    for part, samples in sorted(parts.items()):
        shares, rates, before = [], [], None
        for time, counts in sorted(samples.items()):
            accesses, hits, lookups = (sum(counts[event] for event in LLC_EVENTS[what])
                                       for what in ('accesses', 'hits', 'lookups'))
            shares.append(Fraction(rounded(Fraction(hits, lookups))) if lookups else Fraction(0))
            seconds = Fraction(time - before, 10 ** 6) if before is not None else 0
            rates.append(Fraction(rounded(Fraction(accesses * 64, MIB) / seconds)) if seconds else Fraction(0))
            before = time
        rows.append([0, 'read', part, mean(shares) * 100, mean(rates)])
    return ['Device_id', 'Mode', 'Task', 'Hit Rate(%)', 'Throughput(MB/s)'], \
        [[0, 'read', 'Average'] + [mean(row[place] for row in rows) for place in (3, 4)]] + rows


def npu_mem(capture):
    rows = []
    for time, whose, small, high in capture.unpacked('device_0', 'npu_mem.data.0', '<II8xQQ'):
        sizes = [size // 1024 if capture.chip == 5 else Fraction(size, 1024) for size in (small, high, small + high)]
        rows.append([0, ('APP', 'Device')[whose], *sizes, microseconds(capture.begin) + time])
    return ['Device_id', 'event', 'ddr(KB)', 'hbm(KB)', 'memory(KB)', 'timestamp(us)'], rows


def npu_module_mem(capture):
    newer = capture.chip == 5
    return ['Device_id', 'Component', 'Timestamp(us)', 'Total Reserved(KB)', 'Device'], [
        [0, MODULES.get(module, 'Unknown' if newer else 'other'), microseconds(capture.host_tick_ns(tick)),
         -1 if size >= NOT_KNOWN else size // 1024 if newer else Fraction(size, 1024), 'NPU:0']
        for module, tick, size in sorted(capture.unpacked('device_0', 'npu_module_mem.data.0', '<I4xQQ'))]


def allocations(capture):
    """Time, name, address, bytes, allocated and reserved in all."""
    return [(microseconds(capture.host_tick_ns(tick)), capture.names[name], address, size, allocated, reserved)
            for tick, address, size, name, allocated, reserved in capture.unpacked(
                'host', 'unaging.additional.task_memory_info', '<16xQQqQQQ192x')]


def memory_record(capture):
    return ['Device_id', 'Component', 'Timestamp(us)', 'Total Allocated(KB)', 'Total Reserved(KB)', 'Device'], [
        [0, 'GE', time, Fraction(allocated, 1024), Fraction(reserved, 1024), 'NPU:0']
        for time, _, _, _, allocated, reserved in allocations(capture)]


def operator_memory(capture):
    released, live = [], {}
    for time, name, address, size, *totals in allocations(capture):
        totals = [Fraction(total, 1024) for total in totals]
        if size > 0:
            live[name, address] = [0, name, Fraction(size, 1024), time, 0, *totals, 0, 0, 'NPU:0']
        elif (name, address) in live:
            row = live.pop((name, address))
            row[4], row[7:9] = time - row[3], totals
            released.append(row)
    return ['Device_id', 'Name', 'Size(KB)', 'Allocation Time(us)', 'Duration(us)', 'Allocation Total Allocated(KB)',
            'Allocation Total Reserved(KB)', 'Release Total Allocated(KB)', 'Release Total Reserved(KB)',
            'Device'], released + list(live.values())


def static_op_mem(capture):
    return ['Device_id', 'Op Name', 'Model Name', 'Graph ID', 'Node Index Start', 'Node Index End', 'Size(KB)'], [
        ['host', capture.names[name] if name else 'TOTAL', capture.names[model], graph, first, last,
         Fraction(size, 1024)]
        for size, name, first, last, model, graph in capture.unpacked(
            'host', 'unaging.additional.static_op_mem', '<24xQQQQ8xQI180x')]


# ---- caches and translation of addresses ----


def l2_cache(capture):
    events = [event.replace('0x', '') for event in capture.sample['l2CacheTaskProfilingEvents'].split(',')]
    requests, hits, victims = CACHE_EVENTS[capture.chip]
    names, rows = capture.operator_names(), []
    for stream, task, *counters in capture.unpacked('device_0', 'l2_cache.data.0', '<2xHH2x8Q'):
        count = dict(zip(events, counters))
        asked, hit, victim = (sum(count[event] for event in some) for some in (requests, hits, victims))
        rows.append([0, stream, task, 'N/A' if not hits else Fraction(hit, asked) if asked else 0,
                     Fraction(victim, asked) if asked else 0, names[stream, task]])
    return ['Device_id', 'Stream Id', 'Task Id', 'Hit Rate', 'Victim Rate', 'Op Name'], rows


def translations(capture, wanted):
    return [(stream, task, counters) for stream, task, kind, *counters in capture.unpacked(
        'device_0', 'socpmu.data.0', '<10xHHH8Q') if kind == wanted]


def soc_pmu(capture):
    names = capture.operator_names()
    return ['Device_id', 'Stream Id', 'Task Id', 'TLB Hit Rate', 'TLB Miss Rate', 'Op Name'], [
        [0, stream, task, Fraction(count[3] + count[4], count[1]) if count[1] else 0,
         Fraction(count[0], count[1]) if count[1] else 0, names[stream, task]]
        for stream, task, count in translations(capture, 2)]


def page_fault(capture):
    names = capture.operator_names()
    return ['Device Id', 'Stream Id', 'Task Id', 'Page Fault Num', 'Op Name'], [
        [0, stream, task, count[0], names[stream, task]] for stream, task, count in translations(capture, 4)]


# ---- links ----


def pcie(capture):
    samples = [values for _, *values in capture.unpacked('device_0', 'pcie.data.0', '<Q4x21I')]
    if capture.chip == 5:
        values = [Fraction(value) for value in samples[-1]]
    else:
        samples = [values for values in samples if values[1] >= values[0]]
        values = [mean(column) for column in zip(*samples)]
    rows = []
    for place, title in enumerate(DIRECTIONS):
        least, most, average = values[3 * place:3 * place + 3]
        scale = Fraction(1, 1000) if place == LATENCY else Fraction(10 ** 6, MIB)
        rows.append([0, title] + [value * scale for value in (0 if values[3 * place] == NOT_MEASURED else least, most,
                                                              average)])
    return ['Device_id', 'Mode', 'Min', 'Max', 'Avg'], rows


def colon_lines(capture, name):
    return [[int(cell.rstrip(':%')) for cell in line.split()] for line in capture.lines('device_0', name)[1:]]


def hccs(capture):
    samples, rates = colon_lines(capture, 'hccs.data.0'), []
    for (before, *old), (time, *new) in zip(samples, samples[1:]):
        if all(a >= b for a, b in zip(new, old)):
            rates.append([Fraction(rounded(Fraction((a - b) * 10 ** 9, (time - before) * MIB)))
                          for a, b in zip(new, old)])
    rates = rates[:-1] if len(rates) > 1 else rates  # Ascend's tool leaves out the last
    return ['Device_id', 'Mode', 'Max', 'Min', 'Average'], [
        [0, title, max(column), min(column), mean(column)]
        for title, column in zip(('Tx (MB/s)', 'Rx (MB/s)'), zip(*rates))]


def network(capture, name):
    every, rows = colon_lines(capture, name), []
    for port in sorted({sample[-1] for sample in every}):
        samples = [sample for sample in every if sample[-1] == port]
        columns = list(zip(*samples))
        span, bandwidth = max(columns[0]) - min(columns[0]), columns[1][0]
        row = [0, microseconds(columns[0][0] - capture.device_monotonic + capture.begin), bandwidth]
        for packets, in_all, failures, lost in ((2, 5, 6, 7), (8, 11, 12, 13)):
            count = sum(columns[packets])
            row += [Fraction((max(columns[in_all]) - min(columns[in_all])) * 8, span * bandwidth * MIB),
                    Fraction(count, span), *[share_of(column, count, samples, every)
                                             for column in (failures, lost)]]
        rows.append(row + [port])
    titles = [title for way in ('Rx', 'Tx') for title in (
        way + ' Bandwidth efficiency(%)', way.lower() + 'Packet/s', way.lower() + 'Error rate(%)',
        way.lower() + 'Dropped rate(%)')]
    return ['Device_id', 'Timestamp(us)', 'Bandwidth(MB/s)', *titles, 'funcId'], rows


def share_of(column, count, samples, every):
    """As Ascend's tool counts: errors received over the samples of all ports, packets sent and dropped not by samples."""
    if column == 13:
        return Fraction(rounded(Fraction(sum(sample[13] for sample in samples), count))) * 100
    of = every if column == 6 else samples
    return Fraction(rounded(mean(sample[column] for sample in of) / count)) * 100


def nic(capture):
    return network(capture, 'nic.data.0')


def roce(capture):
    return network(capture, 'roce.data.0')


def dvpp(capture):
    last = {}
    for _, number, kind, engine, busy, frames, use, *_ in colon_lines(capture, 'dvpp.data.0'):
        last.setdefault((number, kind, engine), []).append((busy, frames, use))
    kinds = ('VDEC', 'JPEGD', 'PNGD', 'JPEGE', 'VPC', 'VENC', 'SCD')
    return ['Device_id', 'Dvpp Id', 'Engine Type', 'Engine ID', 'All Time(us)', 'All Frame', 'All Utilization(%)'], [
        [0, number, kinds[kind], engine, *[Fraction(samples[-1][place] - samples[0][place]) for place in (0, 1)],
         samples[-1][2]]
        for (number, kind, engine), samples in sorted(last.items())]


# ---- sampled cores ----

RATIOS = ('8', 'a', '9', 'b', 'c', 'd')
FIRST_VECTOR_CORE = 25  # of an Ascend 910B


def core_utilization(capture, vector):
    totals = defaultdict(lambda: defaultdict(int))
    events = capture.sample['ai_core_profiling_events'].replace('0x', '').split(',')
    stream = 'ffts_profile.data.0' if capture.chip == 5 else 'aicore.data.0'
    for *counters, cycles, core in capture.unpacked('device_0', stream, '<8x8QQ9xB6x'):
        if (core >= FIRST_VECTOR_CORE) == vector:
            for event, count in zip(events + ['cycles'], counters + [cycles]):
                totals[core][event] += count
    rows = []
    for core, total in sorted(totals.items()):
        ratios = [Fraction(rounded(Fraction(total[event], total['cycles']))) for event in RATIOS]
        ratios.append(Fraction(rounded(Fraction(total['55'], total['54']))))
        rows.append([0, 'Core%d' % core, *ratios])
    # Ascend's tool makes the averages in doubles, in which a half is rarely one.
    rows.append([0, 'Average'] + [Fraction('%.3f' % (sum(float(row[place]) for row in rows) / len(rows)))
                                  for place in range(2, 9)])
    for row in rows:  # that of mte2 by the greater of vec's and mac's, as printed
        row.append(row[6] / max(row[2], row[3]))
    return ['Device_id', 'Core ID', 'vec_ratio', 'mac_ratio', 'scalar_ratio', 'mte1_ratio', 'mte2_ratio', 'mte3_ratio',
            'icache_miss_rate', 'memory_bound'], rows


def ai_core_utilization(capture):
    return core_utilization(capture, False)


def ai_vector_core_utilization(capture):
    return core_utilization(capture, True)


TABLES = (hbm, llc_read_write, npu_mem, npu_module_mem, memory_record, operator_memory, static_op_mem, l2_cache, pcie,
          hccs, nic, roce, dvpp)
ONLY_SOME = (ddr, soc_pmu, page_fault)  # by chip
FILES = {ddr: 'ddr.data.0', soc_pmu: 'socpmu.data.0', page_fault: 'socpmu.data.0'}


def text_of(value):
    return '%.6f' % value if isinstance(value, (Fraction, Decimal)) else value


def main():
    import recompute_system_host
    capture = Capture(sys.argv[3])
    tables = [*TABLES, *[table for table in ONLY_SOME if capture.has('device_0', FILES[table])]]
    if capture.sample['ai_core_profiling_mode'] == 'sample-based':
        tables += [ai_core_utilization] + [ai_vector_core_utilization] * (capture.chip == 5)
    wanted = sys.argv[4:]
    for table in (*tables, *recompute_system_host.TABLES):
        if not wanted or table.__name__ in wanted:
            titles, rows = table(capture)
            write_table(sys.argv[2], table.__name__, titles, [[text_of(value) for value in row] for row in rows])
    return 0


if __name__ == '__main__':
    sys.exit(main())
