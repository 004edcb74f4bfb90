#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random pairs of programs, with a cause and without it: what advise says that removing it saves, against what came true.

usage: random_savings.py MSPROF FIRST COUNT [RULE,...]

A small world of its own: a host that launches operators one after another, some of which take it long, and a device whose
streams begin an operator when it was launched, and when what is before it has ended. How long the program without the
cause takes is simulated, not read from a capture. Prints a row for each rule; ends with 1 if advise said of any pair
that more could be saved than was, by more than a tenth and 5 us, or found the cause in no pair of a rule."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cann', 'lib'))
from program import AI_CPU, Program, grid  # pylint: disable=wrong-import-position

LATENCY = 3000
STEPS = 12
KINDS = ['MatMul', 'Add', 'LayerNorm', 'Gelu', 'Softmax']


class World:
    """Times are nanoseconds."""

    def __init__(self, path, rng):
        self.program = Program(path)
        self.ends = {}  # of streams
        self.end = 1_000_000  # of the device
        self.host = 100_000
        self.think = rng.choice([0, 500, 3000, 10_000, 30_000])
        self.queue = rng.choice([600, 1000, 1000])
        self.ahead = rng.choice([50_000, 400_000, 2_000_000])  # no host gets further than a queue is long

    def _align(self):
        self.host = self.program.host = grid(self.host)

    def op(self, name, kind, us, stream=1, **more):
        self.host += self.think
        self._align()
        start = max(self.ends.get(stream, 1_000_000) + self.queue, self.host + 110 + LATENCY)
        self.program.at = grid(start)
        _, end = self.program.op(name, kind, us=us, stream=stream, **more)
        self.ends[stream] = end
        self.end = max(self.end, end)
        self.host = max(self.program.host, self.end - self.ahead)
        return end

    def call(self, name, us):
        self._align()
        self.program.call(name, self.host, self.host + grid(us * 1000), thread=1)
        self.host += grid(us * 1000) + 500

    def wait(self, name='aclrtSynchronizeStream'):
        self._align()
        end = max(self.host + 500, self.end + 2000)
        self.program.call(name, self.host, end, thread=1)
        self.host = end + 500

    def communicate(self, back=0.0, **more):
        self._align()
        self.program.at = self.end + 1000
        self.program.communicate(back=back, **more)
        self.host, self.end = self.program.host, self.program.at
        self.ends[1] = max(self.ends.get(1, 0), self.end)


def counters(unit, share, other=30):
    units = [0, 0, 5, 10 if unit == 1 else 0, other, 10]
    units[unit] = share
    return tuple(units)


# Each plants its rule's cause into an operator of a step, or makes that operator without it.

def host_time(name):
    def plant(world, cause, draw, op):
        if cause:
            world.call(name, draw['us'])
        op()
    return plant


def waits(world, cause, draw, op):
    op()
    if cause:
        world.wait()


def extra(kind, **more):
    def plant(world, cause, draw, op):
        op()
        if cause:
            world.op('extra', kind, draw['us'] / 4, stream=draw['other'], **more)
    return plant


def slower(factor, with_cause, without):
    def plant(world, cause, draw, op):
        op(draw['base'] * (4 if cause else 4 * factor), **(with_cause if cause else without))
    return plant


def pause(world, cause, draw, op):
    if cause and draw['step'] == draw['slow']:
        world.host += 250_000_000
    op()


def one_step(which, factor):
    def plant(world, cause, draw, op):
        slow = draw['step'] == (draw['slow'] if which is None else which)
        op(draw['base'] * (factor if cause and slow else 1))
    return plant


def overlap(world, cause, draw, op):
    end = op(draw['long'])
    world.end = world.ends[1] = max(world.end, end)
    world.communicate(us=draw['base'], back=0 if cause else draw['base'], size=32_000_000)


def contend(world, cause, draw, op):
    op(draw['long'])
    beside = draw['step'] % 2
    us = draw['base'] * (1.7 if cause and beside else 1)
    world.communicate(us=us, back=draw['long'] if beside else 0, size=32_000_000)


def packets(world, cause, draw, op):
    op(draw['long'])
    world.communicate(us=128, size=32_000_000)
    for _ in range(8 if cause else 1):
        world.communicate(us=40 if cause else 128, size=4_000_000 if cause else 32_000_000)


def unaligned(world, cause, draw, op):
    op(draw['long'])
    world.communicate(us=100, size=16_384_000)
    world.communicate(us=draw['base'] + 110 if cause else 100, size=16_384_000 - (100 if cause else 0))


PLANTS = {
    'memory-calls': host_time('aclrtMalloc'),
    'repeated-compilation': host_time('aclopCompileAndExecute'),
    'gap': host_time('aclSlow'),
    'synchronise': waits,
    'garbage-collection': pause,
    'ai-cpu': extra('Index', core=AI_CPU),
    'conversion': extra('TransData'),
    'sync-batch-norm': extra('SyncBatchNormGatherStats'),
    'memory-bound': slower(.25, {'counters': counters(1, 20, 90)}, {'counters': counters(1, 80, 85)}),
    'no-bound': slower(.4, {'counters': counters(1, 40)}, {'counters': counters(1, 100)}),
    'low-cube-use': slower(.2, {'kind': 'MatMul', 'counters': counters(1, 20)}, {'kind': 'MatMul', 'counters': counters(1, 100)}),
    'idle-cores': slower(.25, {'blocks': 2}, {'blocks': 8}),
    'cold-start': one_step(0, 12),
    'step-jitter': one_step(None, 3),
    'exposed-communication': overlap,
    'contention': contend,
    'small-packets': packets,
    'unaligned': unaligned,
    'small-operators': None,  # these two are made of all operators of a step
    'fusible-sequence': None,
}
EVERYWHERE = ('synchronise', 'cold-start', 'step-jitter')
WHOLE = ('garbage-collection', 'memory-bound', 'no-bound', 'low-cube-use', 'idle-cores')
COMMUNICATION = ('exposed-communication', 'contention', 'small-packets', 'unaligned')


def make(path, rule, seed, cause):
    """Returns when the device ends."""
    rng = random.Random('%s %d' % (rule, seed))
    world = World(path, rng)
    count = rng.randint(4, 12)
    base = rng.choice([3, 5, 8] if PLANTS[rule] is None else [9, 15, 40, 120])
    streams = rng.choice([1, 1, 2])
    end_wait = rng.choice([None, 'aclrtSynchronizeStream', 'aclrtMemcpy'])
    draw = {'us': rng.choice([20, 60, 200, 800]), 'base': base, 'long': base * rng.uniform(2, 4), 'slow': rng.randrange(3, STEPS),
            'other': rng.choice([1, 3]) if streams == 2 else 1}
    group = 6
    every, at = rng.choice([1, 1, 2]), rng.randrange(count)
    kinds = [rng.choice(KINDS) for _ in range(count)]
    if rule == 'memory-calls' and end_wait:
        end_wait = 'aclrtSynchronizeStream'  # which is no cause of this rule
    if rule == 'gap':
        end_wait = None  # or it is the gap that is found
        world.ahead = 50_000
    if rule == 'small-operators':
        group = rng.choice([6, 12])
    if PLANTS[rule] is None or rule in COMMUNICATION:
        streams = 1
    if rule in WHOLE:
        every = 1
    if PLANTS[rule] is None:
        world.think += rng.choice([10_000, 30_000])
    noise = [[1 + rng.gauss(0, .005) for _ in range(count)] for _ in range(STEPS)]
    for step in range(STEPS):
        draw['step'] = step
        for i, kind in enumerate(kinds):
            def op(us=base, kind=kind, **more):
                return world.op('l/%d%s' % (i, kind), kind, us * noise[step][i], stream=1 + i % streams, **more)
            if PLANTS[rule] is None:
                fused = [base * noise[step][j] for j in range(i, min(i + group, count))]
                if rule == 'fusible-sequence' and i >= group:
                    op()
                elif cause:
                    op()
                elif i % group == 0:
                    op(sum(fused) / noise[step][i])
            elif rule in EVERYWHERE or (i == at and step % every == 0):
                PLANTS[rule](world, cause, draw, op)
            else:
                op()
        if end_wait:
            world.wait(end_wait)
    world.program.write()
    return world.end


def findings(msprof, path):
    run = subprocess.run([msprof, '-q', 'advise', path, '--format', 'json'], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3):
        sys.exit('%s: status %d: %s' % (path, run.returncode, run.stderr))
    return json.loads(run.stdout)['findings']


def judge(msprof, rule, seed, scratch):
    """Returns what is said in microseconds, or None, and what is true."""
    shutil.rmtree(scratch, True)
    true = (make(os.path.join(scratch, 'with'), rule, seed, True) - make(os.path.join(scratch, 'without'), rule, seed, False)) / 1000
    told = [found for found in findings(msprof, os.path.join(scratch, 'with')) if found['id'] in (rule, {'gap': 'idle'}.get(rule))]  # idle has the gaps
    return (told[0]['saves'] if told else None), true, bool(told)


def main():
    msprof, first, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rules = sys.argv[4].split(',') if len(sys.argv) > 4 else list(PLANTS)
    failed = False
    print('%-22s %5s %5s %5s %8s %6s %6s' % ('rule', 'pairs', 'found', 'N/A', 'too high', 'median', 'most'))
    with tempfile.TemporaryDirectory() as scratch:
        for rule in rules:
            rows = [(seed, *judge(msprof, rule, seed, os.path.join(scratch, 'x'))) for seed in range(first, first + count)]
            high = [row for row in rows if row[1] is not None and row[1] > 1.1 * row[2] + 5]
            shares = sorted(told / true for _, told, true, _ in rows if told is not None and true > 5)
            print('%-22s %5d %5d %5d %8d %6.2f %6.2f' %
                  (rule, len(rows), sum(row[3] for row in rows), sum(row[3] and row[1] is None for row in rows), len(high),
                   shares[len(shares) // 2] if shares else 0, shares[-1] if shares else 0), flush=True)
            for seed, told, true, _ in high:
                print('  pair %d of %s: told %.1f us, true %.1f us' % (seed, rule, told, true))
            failed = failed or bool(high) or not any(row[3] for row in rows)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
