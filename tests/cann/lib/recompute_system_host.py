# SPDX-License-Identifier: Apache-2.0
"""What recompute_system.py recalculates of the host, of processors and of the AI CPU: the formulas of docs/formats/usage.md
and aicpu.md."""
import re
import struct
from collections import defaultdict
from fractions import Fraction
from math import ceil

from recompute_system import mean, microseconds

TO_KILOBYTES = {'B/s': Fraction(1, 1024), 'K/s': 1, 'M/s': 1024, 'G/s': 1024 ** 2}
EVENTS = {0x08: 'Inst_retired', 0x11: 'Cpu_cycles', 0x17: 'L2d_cache_refill', 0x1b: 'Inst_spec', 0x06: 'Ld_retired',
          0x07: 'St_retired', 0x10: 'Br_mis_pred', 0x14: 'L1i_cache'}
CYCLES = 0x11
PAGES_OF_MEMORY = 4  # kilobytes a page
NOT_KEPT = 'pthread_once'


# ---- the profiled process on the host: the most there was, and what is recommended ----


def peak_and_recommended(values):
    above = sorted(value for value in values if value > 0)
    return [max(values), above[ceil(Fraction((len(above) - 1) * 98, 100))] / Fraction(8, 10) if above else 0]


def host_mem_usage(capture):
    whole = capture.host_info['memoryTotal']
    used = [int(line.split()[2]) * PAGES_OF_MEMORY for line in capture.lines('host', 'host_mem.data')[1:]]
    # Shares are kept with six decimals.
    used = [Fraction(round(Fraction(value * 100, whole) * 10 ** 6), 10 ** 8) * whole for value in used]
    return ['Device_id', 'Total Memory(KB)', 'Peak Used Memory(KB)', 'Recommend Memory(KB)'], [
        ['host', whole, *peak_and_recommended(used)]]


def host_disk_usage(capture):
    lines = [line.split() for line in capture.lines('host', 'host_disk.data')[1:]]
    read, written = ([Fraction(line[place]) * TO_KILOBYTES[line[place + 1]] for line in lines] for place in (4, 6))
    return ['Device_id', 'Peak Disk Read(KB/s)', 'Recommend Disk Read(KB/s)', 'Peak Disk Write(KB/s)',
            'Recommend Disk Write(KB/s)'], [['host', *peak_and_recommended(read), *peak_and_recommended(written)]]


def timed_blocks(capture, name):
    """Blocks of lines that begin with 'time <ns>'."""
    blocks = []
    for line in capture.lines('host', name):
        if line.startswith('time '):
            blocks.append((int(line.split()[1]), []))
        else:
            blocks[-1][1].append(line)
    return blocks


def host_network_usage(capture):
    speeds = {card['netCardName']: card['speed'] for card in capture.host_info['netCard'] if card['speed'] != -1}
    samples = [(time, sum(int(cells[1]) + int(cells[9]) for cells in map(str.split, lines)
                          if cells[0].rstrip(':') in speeds))
               for time, lines in timed_blocks(capture, 'host_network.data')]
    rates = [Fraction((now - old) * 10 ** 9, (time - before) * 1024)
             for (before, old), (time, now) in zip(samples, samples[1:])]
    return ['Device_id', 'Netcard Speed(KB/s)', 'Peak Used Speed(KB/s)', 'Recommend Speed(KB/s)'], [
        ['host', Fraction(sum(speeds.values()) * 125_000, 1024), *peak_and_recommended(rates)]]


def host_cpu_usage(capture):
    ticks, used, before = capture.host_info['sysClockFreq'], defaultdict(list), None
    for _, (up_time, *threads) in timed_blocks(capture, 'host_cpu.data'):
        now = Fraction(up_time.split()[0]) * ticks
        stats = {cells[0]: (int(cells[13]) + int(cells[14]), cells[38]) for cells in map(str.split, threads)}
        if before is not None:
            spent = defaultdict(Fraction)
            for thread, (count, core) in stats.items():
                spent[core] += min(count - before[1][thread][0], now - before[0])
            for core, time in spent.items():
                used[core].append(time)
        before = now, stats
    return ['Device_id', 'Total Cpu Numbers', 'Occupied Cpu Numbers', 'Recommend Cpu Numbers'], [
        ['host', capture.host_info['cpuNums'], len(used), sum(max(times) > 0 for times in used.values())]]


def os_runtime_statistic(capture):
    spent = defaultdict(list)
    for line in capture.lines('host', 'host_syscall.data'):
        found = re.match(r'\s*[\d.]+ \(\s*([\d.]+) ms\): \w+/(\d+) (\w+)\(', line)
        spent[found[2], found[3]].append(Fraction(found[1]) * 1000)
    for line in capture.lines('host', 'host_pthreadcall.data'):
        found = re.match(r'\[pid (\d+)\] [\d.]+ \S+?->(\w+)\(.*<([\d.]+)>', line)
        if found[2] != NOT_KEPT:
            spent[found[1], found[2]].append(Fraction(found[3]) * 10 ** 6)
    whole = sum(map(sum, spent.values()))
    rows = [['host', capture.host_info['pid'], thread, name, sum(times) / whole, sum(times), len(times), mean(times),
             max(times), min(times)] for (thread, name), times in spent.items()]
    return ['Device_id', 'Process ID', 'Thread ID', 'Name', 'Time(%)', 'Time(us)', 'Count', 'Avg(us)', 'Max(us)',
            'Min(us)'], sorted(rows, key=lambda row: (-row[5], row[2], row[3]))


# ---- systems and processes ----

SYSTEMS = ((0, 'device_0', 'SystemCpuUsage.data.0', 'Memory.data.0', '.0'),
           ('host', 'host', 'host_sys_cpu.data', 'host_sys_mem.data', ''))


def cpu_usage(capture):
    device, rows = capture.info['DeviceInfo'][0], []
    kinds = {'cpu' + core: kind for kind, cores in (('ctrlcpu', device['ctrl_cpu']), ('aicpu', device['ai_cpu']))
             for core in cores.split(',')}
    for where, part, name, _, _ in SYSTEMS:
        totals = defaultdict(lambda: [0] * 10)
        for line in capture.lines(part, name):
            cells = line.split()
            if line.startswith('cpu'):
                kind = 'host' if where == 'host' else kinds.get(cells[0])
                totals[kind] = [a + int(b) for a, b in zip(totals[kind], cells[1:])]
        totals.pop(None, None)
        rows += [[where, kind] + [Fraction(total[place] * 100, sum(total)) for place in (0, 2, 4, 5, 6, 3)]
                 for kind, total in sorted(totals.items())]
    return ['Device_id', 'Cpu Type', 'User(%)', 'Sys(%)', 'IoWait(%)', 'Irq(%)', 'Soft(%)', 'Idle(%)'], rows


def sys_mem(capture):
    rows = []
    for where, part, _, name, _ in SYSTEMS:
        values = defaultdict(list)
        for line in capture.lines(part, name):
            if ':' in line:
                key, value = line.split(':', 1)
                values[key].append(int(value.split()[0]))
        rows.append([where] + [sum(values[key]) // len(values[key]) for key in (
            'MemTotal', 'MemFree', 'Buffers', 'Cached', 'Shmem', 'CommitLimit', 'Committed_AS', 'HugePages_Total',
            'HugePages_Free')])
    return ['Device_id', 'Memory Total(kB)', 'Memory Free(kB)', 'Buffers(kB)', 'Cached(kB)', 'Share Memory(kB)',
            'Commit Limit(kB)', 'Committed AS(kB)', 'Huge Pages Total(pages)', 'Huge Pages Free(pages)'], rows


def processes(capture, part, suffix, what):
    """Of each process its name and the lines that hold numbers."""
    for process in ('4242', '4300'):
        lines = capture.lines(part, '%s-%s.data%s' % (process, what, suffix))
        name = next(line.split(':', 1)[1] for line in lines if line.startswith('ProcessName:'))
        yield process, name, [line.split() for line in lines if line and ':' not in line]


def process_mem(capture):
    rows = []
    for where, part, _, _, suffix in SYSTEMS:
        found = []
        for process, name, lines in processes(capture, part, suffix, 'Memory'):
            pages = [[int(line[place]) for line in lines] for place in (0, 1, 2)]
            found.append([where, process, name] + [sum(column) // len(column) for column in pages])
        rows += sorted(found, key=lambda row: -sum(row[3:]))
    return ['Device_id', 'PID', 'Name', 'Size(pages)', 'Resident(pages)', 'Shared(pages)'], rows


def process_cpu_usage(capture):
    rows = []
    for where, part, _, _, suffix in SYSTEMS:
        found = []
        for process, name, lines in processes(capture, part, suffix, 'CpuUsage'):
            used = [sum(map(int, line[13:17])) for line in lines if line[0] == process]  # children's too
            whole = [sum(map(int, line[1:])) for line in lines if line[0] == 'cpu']
            found.append([where, process, name, mean(Fraction(a * 100, b) for a, b in zip(used, whole))])
        rows += sorted(found, key=lambda row: -row[3])
    return ['Device_id', 'PID', 'Name', 'CPU(%)'], rows


# ---- processors of the device ----


def core_samples(capture):
    """Kind of core, event, count, function and module of each sample of perf."""
    device = capture.info['DeviceInfo'][0]
    kinds = {int(core): kind for kind, cores in (('ctrl', device['ctrl_cpu']), ('ai', device['ai_cpu']))
             for core in cores.split(',')}
    lines = capture.lines('device_0', 'ai_ctrl_cpu.data.0')
    for head, stack in zip(lines, lines[1:]):
        found = re.match(r'.*\[(\d+)\]\s+[\d.]+:\s+(\d+)\s+raw 0x([0-9a-f]+):', head)
        if found:
            function, module = re.match(r'\s*\S+ (.*) \((.*)\)$', stack).groups()
            yield kinds[int(found[1])], int(found[3], 16), int(found[2]), function.split('+')[0], module


def added(pairs):
    totals = defaultdict(int)
    for key, count in pairs:
        totals[key] += count
    return totals


def pmu_events(totals, order=lambda count: count):
    return ['Device_id', 'Event', 'Name', 'Count'], sorted(
        ([0, '0x%x' % event, EVENTS[event], count] for event, count in totals.items()),
        key=lambda row: order(row[3]), reverse=True)


def top_functions(totals, *titles):
    whole = sum(totals.values())
    return ['Device_id', *titles, 'Cycles', 'Cycles(%)'], sorted(
        ([0, *key, count, Fraction(count * 100, whole)] for key, count in totals.items()), key=lambda row: -row[-2])


def ai_cpu_pmu_events(capture):
    return pmu_events(added((event, count) for kind, event, count, *_ in core_samples(capture) if kind == 'ai'))


def ctrl_cpu_pmu_events(capture):
    return pmu_events(added((event, count) for kind, event, count, *_ in core_samples(capture) if kind == 'ctrl'))


def ai_cpu_top_function(capture):
    return top_functions(added((tuple(where), count) for kind, event, count, *where in core_samples(capture)
                               if kind == 'ai' and event == CYCLES), 'Function', 'Module')


def ctrl_cpu_top_function(capture):
    return top_functions(added((tuple(where), count) for kind, event, count, *where in core_samples(capture)
                               if kind == 'ctrl' and event == CYCLES), 'Function', 'Module')


def scheduler_samples(capture):
    """Program counter and pairs of event and count of each sample."""
    for counter, *pairs in capture.unpacked('device_0', 'tscpu.data.0', '<176xQ8x14Q'):
        yield counter, list(zip(pairs[::2], pairs[1::2]))


def ts_cpu_pmu_events(capture):
    return pmu_events(added(pair for _, pairs in scheduler_samples(capture) for pair in pairs), str)


def ts_cpu_top_function(capture):
    titles, rows = top_functions(added((('0x%x' % counter,), count) for counter, pairs in scheduler_samples(capture)
                                       for event, count in pairs if event == CYCLES), 'Function')
    return titles, rows[:5]


# ---- the AI CPU ----


def ai_cpu_records(capture, kind):
    return [record for record in capture.unpacked('device_0', 'aicpu.data.0', '<4xI8xQ232s') if record[0] == kind]


def aicpu(capture):
    # From the stream on, the same in both files but for four bytes behind the task.
    if capture.chip == 5:
        bodies = [body for _, _, body in ai_cpu_records(capture, 0)]
        bodies = [body[:4] + body[8:] for body in bodies]
    else:
        bodies = [body for _, body in capture.unpacked('device_0', 'DATA_PREPROCESS.AICPU.0', '<I124s')]
    names, rows = capture.operator_names(), []
    for body in bodies:
        stream, task, begin, computes, copies, done, end, submitted, after, dispatch = struct.unpack_from(
            '<HH8xQQQQ8xQ8xQ16xQ4xI', body)
        ticks = Fraction(10 ** 6, capture.device_hz)
        rows.append([0, microseconds(capture.tick_ns(begin)), names[stream, task], copies - computes, done - copies,
                     (end - begin) * ticks, dispatch, (after - submitted) * ticks, stream, task])
    return ['Device_id', 'Timestamp(us)', 'Node', 'Compute_time(us)', 'Memcpy_time(us)', 'Task_time(us)',
            'Dispatch_time(us)', 'Total_time(us)', 'Stream ID', 'Task ID'], rows


def dp(capture):
    if capture.chip == 5:
        queues = [(time, *struct.unpack_from('<16s64sQQ', body)) for _, time, body in ai_cpu_records(capture, 1)]
    else:
        queues = capture.unpacked('device_0', 'DATA_PREPROCESS.DP.0', '<8xQ16s64sQQ16x')
    return ['Device_id', 'Timestamp(us)', 'Action', 'Source', 'Cached Buffer Size'], [
        [0, microseconds(time + capture.offset), *(text.rstrip(b'\0').decode() for text in (action, queue)), size]
        for time, action, queue, _, size in queues]


def aicpu_mi(capture):
    rows = []
    for _, _, body in ai_cpu_records(capture, 3):
        size, start, end = struct.unpack_from('<8xQQQ', body)
        rows.append([0, 'GetNext_dequeue_wait', Fraction(start), Fraction(end), size])
    return ['Device_id', 'Node Name', 'Start Time(us)', 'End Time(us)', 'Queue Size'], rows


TABLES = (host_mem_usage, host_disk_usage, host_network_usage, host_cpu_usage, os_runtime_statistic, cpu_usage, sys_mem,
          process_mem, process_cpu_usage, ai_cpu_pmu_events, ctrl_cpu_pmu_events, ai_cpu_top_function,
          ctrl_cpu_top_function, ts_cpu_pmu_events, ts_cpu_top_function, aicpu, dp, aicpu_mi)
