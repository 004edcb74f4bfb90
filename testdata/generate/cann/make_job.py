#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a capture of the JOB era: an Ascend 910A that MindSpore trains on, as Ascend's software of 2020 wrote it. Steps of
one graph; tasks of operators, which MindSpore numbers from 25000 on, among tasks that have no name; one task that has two
starts and one that never ends; two tasks long before all others. Points of the iterations, what the AI CPU ran, what was
put into the data queue. No file says how fast the counter is. The tasks without a name are those that nothing describes,
the two early ones those before the first iteration; levels, marks, communication and flips were not recorded then.

usage: make_job.py DIRECTORY [--steps N] [--operators N] [--seed N]

Prints the capture's path. expected/ beside it tells by what was put in: op_timeline.csv what ran (name, stream, start and
duration in milliseconds of a counter of 100 MHz), the others what the tables of the same names are to be.
"""
import argparse
import os
import struct

from capture_files import DEVICE_MAGIC, CaptureFiles, Random

DEVICE = 1
FIRST_TICK = 38_753_186_165
OP_TYPES = ('MatMul', 'Mul', 'TensorAdd', 'ReduceSum', 'GatherV2', 'Assign', 'Cast')
DATA_TYPES = (31, 39, 40)  # INT32, FLOAT16, FLOAT32
START, END = range(2)
EARLY = 5_000_000_000  # ticks that the first tasks are ahead
FORWARD, BACKWARD, ITERATION_END, ITERATION_START = 1, 2, 255, 10010
STREAM_OF = {FORWARD: 519, BACKWARD: 539, ITERATION_END: 541, ITERATION_START: 519}
PAIRS = 3
POINT_NAMES = ('Default/Cast-op6', 'Default/TransData-op7', 'Default/network/AllGather-op36',
               'Default/network/AllGather-op36', 'Default/network/ReduceScatter-op45', 'Default/network/ReduceScatter-op45')
NODES = ('InitDataSetQueue', 'GetNext', 'Default/TruncatedNormal-op0', None, 'Default/network/Unique-op12')
QUEUE = '5e0c1f6a-b04a-11ea-9a1b-0242ac110002'
NAMED, THREAD, BOTH = range(3)  # entries of the AI CPU's log


def tensor(way, number, random):
    shape = ','.join(str(random.of((1, 16, 80, 1024))) for _ in range(random.below(3)))
    return ' %s_id:%d %s_format:%s %s_data_type:%d %s_shape:"%s"' % (
        way, number, way, random.of(('DefaultFormat', 'NC1HWC0')), way, random.of(DATA_TYPES), way, shape)


def us(ticks):
    return '%d.%03d' % (ticks // 100, ticks % 100 * 10)


class Maker:
    def __init__(self, options):
        self.options, self.random = options, Random(options.seed)
        self.directory = options.directory
        self.files = CaptureFiles(os.path.join(options.directory, 'JOBGENERATED910A'))
        self.operators = ['Default/network/%s-op%d' % (self.random.of(OP_TYPES), number)
                          for number in range(options.operators)]
        self.log, self.ran = [], []
        self.more = Random(options.seed + 1)  # of what is beside the tasks
        self.points, self.steps = [], []

    def record(self, function, tick, stream, task):
        self.log.append((tick, function, stream, task))

    def run_step(self, tick):
        for number, name in enumerate(self.operators):
            stream, task = 513 + number % 3, 30_000 + number
            unnamed = tick + self.random.between(1, 50)
            self.record(START, unnamed, 600, number)
            self.record(END, unnamed + 1, 600, number)
            start = tick + self.random.between(60, 400)
            end = start + self.random.between(1, 20_000)
            if number == 3:
                self.record(START, start - 5, stream, task)  # the later start counts
            self.record(START, start, stream, task)
            self.record(END, end, stream, task)
            self.ran.append((name, stream, start, end))
            tick = end + self.random.below(300)
        self.record(START, tick, 513, 60_002)
        return tick + 10_000

    # ---- iterations ----

    def pass_point(self, tick, point, stream=None):
        self.points.append((tick, point, 30_000 + len(self.points), stream or STREAM_OF[point]))
        return tick

    def run_pairs(self, tick, left_out):
        """The first two overlap, the third stands alone. A pair that is left out begins and never ends."""
        spans, ends = {}, []
        for pair in range(PAIRS):
            begin = tick + self.more.between(10, 500)
            end = begin + self.more.between(1000, 90_000)
            tick = begin if pair == 0 else max(end, *[other for _, other in spans.values()], begin)
            self.pass_point(begin, 3 + 2 * pair, 520 + 2 * pair)
            if pair != left_out:
                self.pass_point(end, 4 + 2 * pair, 520 + 2 * pair)
                spans[pair] = begin, end
            ends.append(end)
        return max(ends), spans

    def run_iterations(self, tick):
        """Iteration 3 lacks a pair, the last but one its end: it is none, and the next begins by itself."""
        before, count = None, self.options.steps
        for number in range(count):
            self.pass_point(tick, ITERATION_START)
            forward = self.pass_point(tick + self.more.between(1, 5000), FORWARD)
            tick, spans = self.run_pairs(forward, 1 if number == 2 else None)
            backward = self.pass_point(tick + self.more.between(1, 100_000), BACKWARD)
            end = backward + self.more.between(1, 100_000)
            tick = end + self.more.between(1, 20_000)
            if number == count - 2:
                before = None
                continue
            self.pass_point(end, ITERATION_END)
            self.steps.append((before or forward, forward, backward, end, spans))
            before = end
        self.points.sort()

    def step_rows(self):
        yield (['Iteration ID', 'FP Start(us)', 'BP End(us)', 'Iteration End(us)', 'Iteration Time(us)', 'FP to BP Time(us)',
                'Iteration Refresh(us)', 'Data Aug Bound(us)'] + PAIRS * ['Reduce Start(us)', 'Reduce Duration(us)'])
        for number, (start, forward, backward, end, spans) in enumerate(self.steps, 1):
            row = [forward, backward, end, end - start, backward - forward, end - backward, forward - start]
            for pair in range(PAIRS):
                begin, finish = spans.get(pair, (None, None))
                row += [begin, None if begin is None else finish - begin]
            yield [str(number)] + ['N/A' if ticks is None else us(ticks) for ticks in row]

    # ---- logs ----

    def ai_cpu(self, tick):
        """Entries end with a zero byte, most with a line end before it. One operator has no name, one no second entry."""
        entries = []
        rows = [['Node', 'OP Type', 'Run Start', 'Run End', 'Dispatch Time(us)', 'Total Time(us)', 'Task Start Time(us)',
                 'Task Duration(us)', 'Thread ID']]
        for number, node in enumerate(NODES):
            what = THREAD if node is None else NAMED if number == len(NODES) - 1 else BOTH
            run, lasts = 2_298_200_409 + 1000 * number, self.more.between(10, 500)
            submit = tick + number * 1_000_000
            start, spent = submit + 10_060, self.more.between(1000, 150_000)
            row = 9 * ['N/A']
            if what != THREAD:
                copies = ', compute start:%d, memcpy start:%d, memcpy end:%d' % (run + 1, run + 2, run + 3) if number % 2 else ''
                entries.append('[%d] Node:%s, Run tart:%d%s, Run end:%d' % (57 + number, node, run, copies, run + lasts))
                row[:4] = [node, node.rsplit('/', 1)[-1].split('-op')[0], str(run), str(run + lasts)]
            if what != NAMED:
                entries.append('Thread[%2d] process device[0]:aicpu[ 0] task end, tickDrvTopHalf=%d,tickDrvBottomHalf=%d, '
                               'tickBeforeRun=%d,tickAfterRun=%d, dispatchTime=%d us, totalTime=%d us.' % (
                                   number, submit, submit + 400, start, start + spent, 100 + number, 1500 + number))
                row[4:] = [str(100 + number), str(1500 + number), us(start), us(spent), str(number)]
            rows.append(row)
        return ''.join(entry + ('\n' if number % 3 else '') + '\0' for number, entry in enumerate(entries)), rows

    def data_queue(self, time_us):
        rows = [['Timestamp(us)', 'Action', 'Source', 'Index', 'Cached Buffer Size']]
        for number in range(20):
            time_us += self.more.between(1, 2000)
            rows.append([str(time_us), 'Enqueue data to dp', QUEUE, str(number + 1), str(self.more.below(6))])
        return ''.join('[%s] %s, source:%s, index:%s, size:%s\0' % tuple(row) for row in rows[1:]), rows

    def write_beside_tasks(self, suffix, first_tick):
        files = self.files
        self.run_iterations(first_tick + 100)
        files.bytes('data/training_trace.46.dev.profiler_default_tag.' + suffix, b''.join(
            struct.pack('<QHHQ', point, task, stream, tick) for tick, point, task, stream in self.points))
        files.text('Framework.host.vm.point.' + suffix,
                   ''.join('%d %s\n' % (number, name) for number, name in enumerate(POINT_NAMES, 1)))
        log, ai_cpu_rows = self.ai_cpu(first_tick)
        files.text('DATA_PREPROCESS.dev.AICPU.' + suffix, log)
        log, queue_rows = self.data_queue(first_tick // 100)
        files.text('DATA_PREPROCESS.dev.TDT.' + suffix, log)
        for name, rows in (('step_trace', self.step_rows()), ('aicpu', ai_cpu_rows), ('dp', queue_rows)):
            path = os.path.join(self.directory, 'expected', '%s_%d.csv' % (name, DEVICE))
            with open(path, 'w', encoding='ascii') as file:
                file.write(''.join(','.join(row) + '\n' for row in rows))

    def graph_line(self, name):
        kind = name.rsplit('/', 1)[1].split('-')[0]
        inputs = ''.join(tensor('input', number, self.random) for number in range(self.random.between(1, 3)))
        return 'op_name:%s op_type:%s%s%s\n' % (name, kind, inputs, tensor('output', 0, self.random))

    def write(self):
        tick = FIRST_TICK
        for _ in range(self.options.steps):
            tick = self.run_step(tick)
        for number in range(2):
            self.record(START, FIRST_TICK - EARLY + 100 * number, 513, 60_010 + number)
            self.record(END, FIRST_TICK - EARLY + 100 * number + 1, 513, 60_010 + number)
        self.log.sort(key=lambda event: event[0])
        files, suffix = self.files, '%d.slice_0' % DEVICE
        files.bytes('hwts.log.data.45.dev.profiler_default_tag.' + suffix, b''.join(
            struct.pack('<BBHHHQI44x', function | number % 16 << 4, 0, DEVICE_MAGIC, 0, task, time, stream)
            for number, (time, function, stream, task) in enumerate(self.log)))
        files.text('Framework.host.vm.task_desc_info.' + suffix, ''.join(
            '%s %d %d 3\n' % (name, self.random.between(1, 33), 30_000 + number)
            for number, name in enumerate(self.operators)))
        files.text('Framework.host.vm.graph_desc_info.' + suffix, ''.join(map(self.graph_line, self.operators)))
        files.text('host_start.log.%d' % DEVICE,
                   '[Device0]\nclock_realtime: 1591183963784568740\nclock_monotonic_raw: 261003032627\n')
        expected = os.path.join(self.directory, 'expected')
        os.makedirs(expected, exist_ok=True)
        self.write_beside_tasks(suffix, FIRST_TICK)
        with open(os.path.join(expected, 'op_timeline.csv'), 'w', encoding='ascii') as file:
            file.write('op_name,stream_id,start_time(ms),duration(ms)\n')
            for name, stream, start, end in sorted(self.ran, key=lambda row: row[2]):
                file.write('%s,%d,%.5f,%.5f\n' % (name, stream, start / 1e5, (end - start) / 1e5))
        print(files.path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('directory')
    for option, default in (('--steps', 5), ('--operators', 30), ('--seed', 1)):
        parser.add_argument(option, type=int, default=default)
    Maker(parser.parse_args()).write()


if __name__ == '__main__':
    main()
