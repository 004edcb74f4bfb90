#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of 'msprof cluster --table' beside a plain recalculation. MHZ: the clock that operator_sum's devices were given, else 50.

usage: rank_tables.py make JOB SEED    plants a job of some ranks at random
       rank_tables.py pipeline JOB SEED    plants a pipeline of some ranks
       rank_tables.py experts JOB SEED     plants ranks with experts
       rank_tables.py modules JOB SEED     plants ranks that mark modules
       rank_tables.py check JOB TABLE [STEP]  compares the CSV on standard input with what was planted, in all or in one step
"""
import csv
import json
import os
import random
import statistics
import sys
from fractions import Fraction

from planted_job import Rank, write_job


# ---- a job ----

def make(job, seed):
    chance = random.Random(seed)
    count = chance.randint(2, 6)
    ranks = [Rank(job, rank, seed * 100 + rank, 0.3) for rank in range(count)]
    kinds = [('MatMul', 0), ('Add', 2), ('Gelu', 2), ('Index', 1), ('Conv2D', 0)]
    for rank in ranks:
        for step in range(chance.randint(2, 6)):
            for kind, core in kinds:
                if kind == 'Conv2D' and rank.rank == 1:
                    continue  # not every rank has each type
                if chance.random() < 0.2:
                    rank.late()
                    begin, rank.host = rank.host, rank.host + chance.randint(1, 90) * 1000
                    rank.call('aclrtSynchronizeStream', begin, rank.host - 10, thread=1)
                rank.op('l%d/%s' % (step % 2, kind), kind, chance.randint(2, 90), gap=chance.randint(0, 9), core=core)
            rank.communicate('hcom_allReduce', chance.randint(5, 90), back=chance.choice([0, 0, 1, 20]))
            if rank.rank % 2 == 0:
                rank.communicate('hcom_broadcast', chance.randint(5, 90))
    write_job(job, ranks)


def make_pipeline(job, seed):
    """Each rank receives from the one before it, computes, and sends to the next. What both sides take part in ends for both at the
    same time, but each has a clock of its own. The last rank has lost one of its receives, if the seed is odd."""
    chance = random.Random(seed)
    count = chance.randint(2, 5)
    ranks = [Rank(job, rank, seed * 100 + rank, 0.3) for rank in range(count)]
    clock = [20 * chance.randint(0, 50_000) for _ in ranks]
    for rank in ranks:
        rank.at += clock[rank.rank]
    batches = chance.randint(3, 8)
    for batch in range(3 * batches):
        for rank in ranks if batch % batches == 0 else []:
            if batch > 0:
                rank.end_step()
            rank.begin_step()
        size = chance.randint(1, 1 << 20)
        for rank in ranks:
            macs = chance.randint(1, 90)
            rank.op('mm', 'MatMul', chance.randint(2, 90), gap=1, counters=(0, macs, 5, 20, 30, 10), blocks=chance.choice([4, 8]))
            rank.op('add', 'Add', chance.randint(2, 90), gap=1, core=2)
            if rank.rank == count - 1:
                continue
            other = ranks[rank.rank + 1]
            begin, other_begin = rank.at + 1000, other.at + 20 * chance.randint(50, 5000)
            end = max(begin - clock[rank.rank], other_begin - clock[other.rank]) + 20 * chance.randint(100, 2000)
            rank.p2p(True, other.rank, begin, end + clock[rank.rank], size)
            if seed % 2 == 0 or (other.rank, batch) != (count - 1, 1):
                other.p2p(False, rank.rank, other_begin, end + clock[other.rank], size)
    for rank in ranks:
        rank.end_step()
    write_job(job, ranks)


def make_experts(job, seed):
    """Ranks whose experts get different numbers of tokens; rank 1 has none, and rank 2 exchanges none."""
    chance = random.Random(seed)
    ranks = [Rank(job, rank, seed * 100 + rank, 0.3) for rank in range(4)]
    for rank in ranks:
        for _ in range(5):
            rank.op('add', 'Add', 20, gap=1, core=2)
            if rank.rank != 1:
                rank.grouped(chance.randint(1, 500), chance.randint(5, 90))
            if rank.rank != 2:
                rank.exchange(chance.randint(1, 1 << 24), chance.randint(5, 90))
            rank.communicate('hcom_allReduce', 20, size=1 << 20)
    write_job(job, ranks)


def make_modules(job, seed):
    """Ranks that mark layers, in some of these attention, and around all a step; some operators are in none. A layer can be in one of
    its own name."""
    chance = random.Random(seed)
    ranks = [Rank(job, rank, seed * 100 + rank, 0.3) for rank in range(3)]
    for rank in ranks:
        for step in range(4):
            rank.op('first', 'Add', chance.randint(5, 90), gap=1)
            for layer in range(3):
                for names in (('step', 'layer%d' % layer), ('step', 'layer%d' % layer, 'attention'), ('step', 'layer%d' % layer),
                              ('step', 'layer%d' % layer, 'layer%d' % layer)):
                    rank.module(*names)
                    for _ in range(chance.randint(0, 2)):
                        rank.op('mm', 'MatMul', chance.randint(5, 90), gap=1)
            rank.module()
    write_job(job, ranks)


# ---- tables ----

def us(ns):
    """Nanoseconds as tables print microseconds, halves away from zero."""
    whole = int(Fraction(ns) + Fraction(1, 2))
    return ('%d.%03d' % (whole // 1000, whole % 1000)).rstrip('0').rstrip('.')


def sums(truth, take, titles):
    subjects = {}
    for rank in truth:
        for subject, ns in take(rank):
            subjects.setdefault(subject, {}).setdefault(rank['rank'], []).append(ns)
    for subject, ranks in sorted(subjects.items(), key=lambda item: (-sum(map(sum, item[1].values())), item[0])):
        every = [ns for lengths in ranks.values() for ns in lengths]
        most = min(ranks, key=lambda rank: (-sum(ranks[rank]), rank))
        least = min(ranks, key=lambda rank: (sum(ranks[rank]), rank))
        yield {'Total(us)': us(sum(every)), 'Count': str(len(every)), 'Mean(us)': us(Fraction(sum(every), len(every))),
               'Median(us)': us(Fraction(statistics.median(map(Fraction, every)))), 'Shortest(us)': us(min(every)),
               'Longest(us)': us(max(every)), 'Ranks': str(len(ranks)), 'Most rank': str(most), 'Most(us)': us(sum(ranks[most])),
               'Least rank': str(least), 'Least(us)': us(sum(ranks[least])), **dict(zip(titles, subject))}


def operator_sum(truth):
    slower = 50 / Fraction(os.environ.get('MHZ', '50'))
    return sums(truth, lambda rank: [((kind, core), (end - start) * slower) for kind, core, start, end, _ in rank['ops']],
                ('Type', 'Core'))


def communication_sum(truth):
    # behind the name stands the end of the group's number, which is 1001
    return sums(truth, lambda rank: [((name + '__001',), end - start) for name, start, end in rank['communications']], ('Name',))


def api_sum(truth):
    return sums(truth, lambda rank: [((name,), end - begin) for name, begin, end in rank['calls']], ('Function',))


def union(intervals):
    united = []
    for start, end in sorted(intervals):
        if united and start <= united[-1][1]:
            united[-1][1] = max(end, united[-1][1])
        else:
            united.append([start, end])
    return united


def within(intervals, start, end):
    return sum(max(0, min(end, b) - max(start, a)) for a, b in intervals)


def free(truth):
    for rank in truth:
        busy = union([op[2:4] for op in rank['ops']] + [item[1:] for item in rank['communications']])
        causes = {}
        for (_, start), (end, _) in zip(busy, busy[1:]):
            covers = sorted((-within([(a, b)], start, end), b - a, name) for name, a, b in rank['calls'])
            covered, _, name = covers[0]
            name = name if -covered * 10 >= end - start else 'N/A'
            launched = any(call == 'LaunchKernel' and start <= a < end for call, a, _ in rank['calls'])
            cause = 'sync' if 'Synchronize' in name and -covered * 2 >= end - start else 'host' if launched else 'queue'
            causes.setdefault(cause, []).append((end - start, name, -covered))
        for cause, gaps in causes.items():
            calls = {}
            for _, name, covered in gaps:
                if name != 'N/A':
                    calls[name] = calls.get(name, 0) + covered
            name = min(calls, key=lambda name: (-calls[name], name), default='N/A')
            total = sum(gap[0] for gap in gaps)
            yield {'Rank': str(rank['rank']), 'Cause': cause, 'Free(us)': us(total), 'Gaps': str(len(gaps)),
                   'Share(%)': percent(total, busy[-1][1] - busy[0][0]), 'Longest(us)': us(max(gaps)[0]), 'Call': name,
                   'Covered(us)': us(calls[name]) if calls else 'N/A'}


def percent(part, whole):
    return ('%.2f' % (100 * part / whole)).rstrip('0').rstrip('.')


def masking(truth):
    sums = {}
    for rank in truth:
        computing = union(op[2:4] for op in rank['ops'])
        for name, start, end in rank['communications']:
            item = sums.setdefault(name + '__001', {}).setdefault(rank['rank'], [0, 0, 0])
            item[0] += end - start
            item[1] += end - start - within(computing, start, end)
            item[2] += 1
    for name, ranks in sums.items():
        total, exposed, count = (sum(item[i] for item in ranks.values()) for i in range(3))
        most = min(ranks, key=lambda rank: (-ranks[rank][1], rank))
        yield {'Name': name, 'Group': 'group', 'Exposed(us)': us(exposed), 'Masked(us)': us(total - exposed),
               'Masked(%)': percent(total - exposed, total), 'Count': str(count), 'Ranks': str(len(ranks)), 'Most rank': str(most),
               'Most(us)': us(ranks[most][1])}


def p2p(truth):
    sides = {}
    for rank in truth:
        for sends, remote, begin, end, size in rank['p2p']:
            key = (rank['rank'], remote) if sends else (remote, rank['rank'])
            sides.setdefault(key, ([], []))[0 if sends else 1].append((end - begin, size))
    for (source, target), (sent, received) in sides.items():
        both = len(sent) == len(received)
        for number in range(len(sent)) if both else []:
            (send, size), (receive, _) = sent[number], received[number]
            yield {'From rank': str(source), 'To rank': str(target), 'Index': str(number + 1), 'Send(us)': us(send), 'Receive(us)': us(receive),
                   'Wait(us)': us(abs(send - receive)), 'Size(MB)': ('%.3f' % (size / 1e6)).rstrip('0').rstrip('.'), 'Group': 'pp',
                   'Waiting rank': str(source if send > receive else target if receive > send else 'N/A')}
        for side, title, other in ((sent, 'Send(us)', 'Receive(us)'), (received, 'Receive(us)', 'Send(us)')):
            for number in range(len(side)) if not both else []:
                yield {'From rank': str(source), 'To rank': str(target), 'Index': str(number + 1), title: us(side[number][0]), other: 'N/A',
                       'Wait(us)': 'N/A', 'Waiting rank': 'N/A'}


def mfu(truth):
    for rank in truth:
        spans = [op[2:4] for op in rank['ops']] + [item[1:] for item in rank['communications']]
        time = max(end for _, end in spans) - min(start for start, _ in spans)
        counted = [(op[3] - op[2], share, blocks) for op, (share, blocks) in zip(rank['ops'], rank['macs']) if share]
        busy = sum(Fraction(ns * share * blocks, 100 * 8) for ns, share, blocks in counted)
        operators = sum(ns for ns, _, _ in counted)
        yield {'Rank': str(rank['rank']), 'MFU(%)': float(100 * busy / time), 'MAC busy(%)': float(100 * busy / operators),
               'Operators(us)': us(operators), 'Time(us)': us(time)}


def pipeline(truth):
    for rank in truth:
        parts = {'#': union(op[2:4] for op in rank['ops']), '<': [], '>': []}
        for sends, _, begin, end, _ in rank['p2p']:
            parts['>' if sends else '<'].append([begin, end])
        spans = [span for part in parts.values() for span in part]
        time = max(end for _, end in spans) - min(start for start, _ in spans)
        bubble = sum(end - start for start, end in parts['<'])
        yield {'Rank': str(rank['rank']), 'Stage': 'N/A', 'Time(us)': us(time), 'Bubble(us)': us(bubble), 'Bubble(%)': percent(bubble, time),
               'Computing(us)': us(sum(end - start for start, end in parts['#'])), '': (rank['steps'], parts)}


def draws(row, steps, parts):
    """Whether the chart of the step that the row names shows what takes most of each fortieth of it."""
    number = int(row['Step'])
    start, length = steps[number - 1][0], round(float(row['Step(us)']) * 1000)
    assert length in (steps[number - 1][1] - start, steps[number][0] - start if number < len(steps) else None), (row, steps)
    for i, letter in enumerate(row['Chart']):
        a, b = start + length * i // 40, start + length * (i + 1) // 40
        left, shares = b - a, {}
        for key in '#<>':
            shares[key] = min(within(parts[key], a, b), left)
            left -= shares[key]
        shares['.'] = left
        assert shares[letter] == max(shares.values()), (row, i, shares)
    return len(row['Chart']) == 40


def experts(truth):
    tokens = {rank['rank']: sum(item[0] for item in rank['experts']) for rank in truth if 'experts' in rank}
    times = {rank['rank']: sum(item[1] for item in rank['experts']) for rank in truth if 'experts' in rank}
    moved = {rank['rank']: sum(rank['exchanged']) for rank in truth if 'exchanged' in rank}
    for rank in sorted(set(tokens) | set(moved)):
        yield {'Rank': str(rank), **({
            'Tokens': str(tokens[rank]), 'Of mean(%)': percent(tokens[rank] * len(tokens), sum(tokens.values())), 'Count': '5',
            'Time(us)': us(times[rank]), 'Time of mean(%)': percent(times[rank] * len(times), sum(times.values()))} if rank in tokens else {
                'Tokens': 'N/A', 'Of mean(%)': 'N/A', 'Count': '0', 'Time(us)': 'N/A', 'Time of mean(%)': 'N/A'}), **({
                    'All-to-all(MB)': ('%.3f' % (moved[rank] / 1e6)).rstrip('0').rstrip('.'),
                    'All-to-all of mean(%)': percent(moved[rank] * len(moved), sum(moved.values()))} if rank in moved else {
                        'All-to-all(MB)': 'N/A', 'All-to-all of mean(%)': 'N/A'})}


def modules(truth):
    found = {}
    for rank in truth:
        for names, ns in rank['modules']:
            for name in set(names):
                item = found.setdefault(name, {}).setdefault(rank['rank'], [0, 0, 0])
                item[0] += ns
                item[1] += ns if name == names[-1] else 0
                item[2] += 1
    for name, ranks in found.items():
        total, own, count = (sum(item[i] for item in ranks.values()) for i in range(3))
        most = min(ranks, key=lambda rank: (-ranks[rank][0], rank))
        least = min(ranks, key=lambda rank: (ranks[rank][0], rank))
        yield {'Module': name, 'Device(us)': us(total), 'Own(us)': us(own), 'Count': str(count), 'Ranks': str(len(ranks)),
               'Most rank': str(most), 'Most(us)': us(ranks[most][0]), 'Least rank': str(least), 'Least(us)': us(ranks[least][0])}


def agrees(found, expected):
    """Counters are rounded to so many digits that percents agree to a tenth."""
    return abs(float(found) - expected) < 0.1 if isinstance(expected, float) else found.strip() == expected


TABLES = {function.__name__: function for function in (operator_sum, communication_sum, api_sum, free, masking, p2p, mfu, pipeline, experts, modules)}


def in_step(truth, number):
    """What begins in the stretch of a step, up to the next one."""
    for rank in truth:
        begin = rank['steps'][number - 1][0]
        end = rank['steps'][number][0] if number < len(rank['steps']) else rank['steps'][-1][1]
        rank['ops'] = [op for op in rank['ops'] if begin <= op[2] < end]
    return truth


def check(job, table, step=None):
    with open(job + '/truth.json', encoding='utf-8') as f:
        truth = json.load(f)
    expected = list(TABLES[table](truth if step is None else in_step(truth, int(step))))
    found = list(csv.DictReader(sys.stdin))
    for row in expected:
        match = [other for other in found if all(draws(other, *value) if key == '' else agrees(other[key], value) for key, value in row.items())]
        assert len(match) == 1, (table, row, found)
        found.remove(match[0])
    assert found == [], (table, found)
    print('%s: %d rows' % (table, len(expected)))


if __name__ == '__main__':
    if sys.argv[1] == 'make':
        make(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1] == 'experts':
        make_experts(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1] == 'modules':
        make_modules(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1] == 'pipeline':
        make_pipeline(sys.argv[2], int(sys.argv[3]))
    else:
        check(*sys.argv[2:])
