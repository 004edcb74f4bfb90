# SPDX-License-Identifier: Apache-2.0
"""Makes of the texts of ranks the databases that frameworks write instead of them, and takes the texts away.

  to_db.py torch RUN      analysis.db and ascend_pytorch_profiler_<rank>.db, with the tables and columns of torch_npu
  to_db.py mindspore RUN  communication_analyzer.db and ascend_mindspore_profiler_<rank>.db: one step, of which the times of
                          all tasks are planted; links are those of single operators. The texts that cluster must make of
                          them are kept in RUN.texts
"""
import collections
import glob
import json
import os
import random
import re
import shutil
import sqlite3
import sys

kind, run = sys.argv[1:]
TIMES = ['Start Timestamp(us)', 'Elapse Time(ms)', 'Transit Time(ms)', 'Wait Time(ms)', 'Synchronization Time(ms)',
         'Idle Time(ms)']
STEPS = {'Device_id': 'deviceId', 'Step': 'step', 'Computing': 'computing',
         'Communication(Not Overlapped)': 'communication_not_overlapped', 'Overlapped': 'overlapped',
         'Communication': 'communication', 'Free': 'free', 'Stage': 'stage', 'Bubble': 'bubble',
         'Communication(Not Overlapped and Exclude Receive)': 'communication_not_overlapped_and_exclude_receive',
         'Preparing': 'preparing'}


def load(path):
    with open(path) as file:
        return json.load(file)


def insert(db, table, columns, rows):
    db.execute('CREATE TABLE %s (%s)' % (table, columns))
    for row in rows:
        db.execute('INSERT INTO %s VALUES (%s)' % (table, ','.join('?' * len(row))), row)


def operators(communication, more):
    times, traffic = [], []
    for step, halves in communication.items():
        for half, ops in halves.items():
            for op, info in ops.items():
                name, group = op.split('@') if '@' in op else (op, '')
                last = [step, half] if more else []
                times.append([name, group] + [info.get('Communication Time Info', {}).get(t, 0) for t in TIMES] + last)
                for band, b in info.get('Communication Bandwidth Info', {}).items():
                    for size, (count, ms) in b['Size Distribution'].items():
                        traffic.append([name, group, band, b['Transit Size(MB)'], b['Transit Time(ms)'],
                                        b.get('Bandwidth(GB/s)'), b.get('Large Packet Ratio'), float(size), count, ms] +
                                       last)
                    if not b['Size Distribution']:
                        assert b['Transit Size(MB)'] == 0
    return times, traffic


def torch(output, rank):
    db = sqlite3.connect(os.path.join(output, 'analysis.db'))
    with open(os.path.join(output, 'step_trace_time.csv')) as file:
        rows = [line.rstrip('\n').split(',') for line in file]
    insert(db, 'StepTraceTime', ','.join(STEPS[t] + (' TEXT' if t == 'Step' else ' NUMERIC') for t in rows[0]), rows[1:])
    times, traffic = operators(load(os.path.join(output, 'communication.json')), True)
    insert(db, 'CommAnalyzerTime', 'hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, elapse_time NUMERIC, '
           'transit_time NUMERIC, wait_time NUMERIC, synchronization_time NUMERIC, idle_time NUMERIC, step TEXT, type TEXT',
           times)
    insert(db, 'CommAnalyzerBandwidth', 'hccl_op_name TEXT, group_name TEXT, transport_type TEXT, transit_size NUMERIC, '
           'transit_time NUMERIC, bandwidth NUMERIC, large_packet_ratio NUMERIC, package_size NUMERIC, count NUMERIC, '
           'total_duration NUMERIC, step TEXT, type TEXT', traffic)
    links = []
    for step, halves in load(os.path.join(output, 'communication_matrix.json')).items():
        for half, entries in halves.items():
            for entry, pairs in entries.items():
                for pair, b in pairs.items():
                    links.append(entry.split('@') + pair.split('-') + [
                        b['Transport Type'], b['Transit Size(MB)'], b['Transit Time(ms)'], b['Bandwidth(GB/s)'], step, half,
                        b.get('Op Name')])
    insert(db, 'CommAnalyzerMatrix', 'hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, transport_type TEXT,'
           ' transit_size NUMERIC, transit_time NUMERIC, bandwidth NUMERIC, step TEXT, type TEXT, op_name TEXT', links)
    db.commit()
    profiler = sqlite3.connect(os.path.join(output, 'ascend_pytorch_profiler_%d.db' % rank))
    metadata = os.path.join(os.path.dirname(output), 'profiler_metadata.json')
    insert(profiler, 'META_DATA', 'name TEXT, value TEXT',
           [[name, json.dumps(value)] for name, value in load(metadata).items()])
    profiler.commit()
    os.remove(metadata)


def union(ranges):
    merged = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(end, merged[-1][1])
        else:
            merged.append([start, end])
    return merged


def length(ranges):
    return sum(end - start for start, end in union(ranges))


def mindspore(output, rank, texts):
    rng = random.Random(rank)
    db = sqlite3.connect(os.path.join(output, 'communication_analyzer.db'))
    communication = {'step': {'p2p': {}, 'collective': {}}}
    for halves in load(os.path.join(output, 'communication.json')).values():
        for ops in halves.values():
            for op, info in ops.items():
                if not op.startswith('Total'):
                    half = 'p2p' if re.match('hcom_(send|receive|batchsendrecv)', op, re.I) else 'collective'
                    communication['step'][half][op] = info
    times, traffic = operators(communication, False)
    insert(db, 'CommAnalyzerTime', 'hccl_op_name TEXT, group_name TEXT, start_timestamp INTEGER, elapse_time INTEGER, '
           'transit_time INTEGER, wait_time INTEGER, synchronization_time INTEGER, idle_time INTEGER', times)
    insert(db, 'CommAnalyzerBandwidth', 'hccl_op_name TEXT, group_name TEXT, transport_type TEXT, transit_size INTEGER, '
           'transit_time INTEGER, bandwidth INTEGER, large_packet_ratio INTEGER, package_size INTEGER, count INTEGER, '
           'total_duration INTEGER', traffic)
    rows, by_link, numbers = [], collections.defaultdict(list), {}
    for name, group in load(os.path.join(os.path.dirname(output), 'profiler_metadata.json'))['parallel_group_info'].items():
        high = low = 0
        for c in name.encode():
            high, low = (high * 29 + c) % 2**32, (low * 131 + c) % 2**32
        numbers[str(high << 32 | low)] = group['group_rank'], len(group['global_ranks'])
    for half, ops in communication['step'].items():
        for op in ops:
            name, group = op.split('@')
            word = 'batchsendrecv' if half == 'p2p' else 'allreduce'
            own, size = numbers[group]
            for source, target in (own, own), (own, (own + 1) % size):
                size, ms = rng.randrange(1, 10**8) / 1e6, rng.randrange(1, 10**6) / 1e6
                info = {'Transport Type': 'HCCS', 'Transit Size(MB)': size, 'Transit Time(ms)': ms,
                        'Bandwidth(GB/s)': round(size / ms, 4), 'Op Name': name}
                rows.append([name, group, str(source), str(target), 'HCCS', size, ms, info['Bandwidth(GB/s)']])
                by_link[half, word, group, '%d-%d' % (source, target)].append(info)
    insert(db, 'CommAnalyzerMatrix', 'hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, transport_type TEXT,'
           ' transit_size INTEGER, transit_time INTEGER, bandwidth INTEGER', rows)
    db.commit()
    matrix = {'step': {'p2p': {}, 'collective': {}}}
    for (half, word, group, link), infos in by_link.items():
        infos.sort(key=lambda info: info['Bandwidth(GB/s)'], reverse=True)
        n = len(infos)
        size, ms = sum(i['Transit Size(MB)'] for i in infos), sum(i['Transit Time(ms)'] for i in infos)
        chosen = [('top1', infos[0]), ('middle', infos[n // 2]), ('bottom1', infos[-1])]
        chosen += [('bottom%d' % k, infos[-k]) for k in (2, 3) if n >= k]
        chosen += [('total', {'Transport Type': 'HCCS', 'Transit Size(MB)': size, 'Transit Time(ms)': ms,
                              'Bandwidth(GB/s)': round(size / ms, 4), 'Op Name': ''})]
        for place, info in chosen:
            matrix['step'][half].setdefault('%s-%s@%s' % (word, place, group), {})[link] = info

    base = 1735689600000000000
    tasks = [[i, base + start, base + start + rng.randrange(5, 9000)] for i, start in
             enumerate(rng.randrange(10**6) for _ in range(60))]
    ops = [[base + start, base + start + rng.randrange(5, 40000), rng.randrange(3)] for start in
           (rng.randrange(10**6) for _ in range(30))]
    profiler = sqlite3.connect(os.path.join(output, 'ascend_mindspore_profiler_%d.db' % rank))
    insert(profiler, 'TASK', 'startNs INTEGER, endNs INTEGER, globalTaskId INTEGER', [[s, e, i] for i, s, e in tasks])
    insert(profiler, 'COMPUTE_TASK_INFO', 'name INTEGER, globalTaskId INTEGER', [[0, i] for i, _, _ in tasks if i % 3])
    insert(profiler, 'STRING_IDS', 'id INTEGER, value TEXT',
           [[0, 'hcom_allReduce__1'], [1, 'hcom_receive__2'], [2, 'hcomXreceive']])
    insert(profiler, 'COMMUNICATION_OP', 'opName INTEGER, startNs INTEGER, endNs INTEGER', [[n, s, e] for s, e, n in ops])
    profiler.commit()
    compute, comm = [t[1:] for t in tasks if t[0] % 3], [o[:2] for o in ops]
    both = length(compute + comm)
    alone = both - length(compute)
    free = max(e for _, e in compute + comm) - min(s for s, _ in compute + comm) - both
    bubble = sum(e - s for s, e, n in ops if n == 1)
    row = [length(compute), alone, length(comm) - alone, length(comm), free, both + free - bubble, bubble, alone - bubble, 0]
    os.makedirs(texts)
    with open(os.path.join(texts, 'step_trace_time.csv'), 'w') as file:
        file.write(','.join(t for t in STEPS if t != 'Device_id') + '\n,' + ','.join('%.3f' % (v / 1e3) for v in row) + '\n')
    for name, content in ('communication.json', communication), ('communication_matrix.json', matrix):
        with open(os.path.join(texts, name), 'w') as file:
            json.dump(content, file)


for path in sorted(glob.glob(os.path.join(run, '*_ascend_*'))):
    output = os.path.join(path, 'ASCEND_PROFILER_OUTPUT')
    info = glob.glob(os.path.join(path, 'profiler_info_*.json'))[0]
    rank = int(re.search(r'_(\d+)\.json$', info).group(1))
    if kind == 'torch':
        torch(output, rank)
        os.remove(info)
    else:
        beside = os.path.join(run + '.texts', os.path.basename(path))
        mindspore(output, rank, os.path.join(beside, 'ASCEND_PROFILER_OUTPUT'))
        for name in info, os.path.join(path, 'profiler_metadata.json'):
            shutil.copy(name, beside)
    for name in 'step_trace_time.csv', 'communication.json', 'communication_matrix.json':
        os.remove(os.path.join(output, name))
