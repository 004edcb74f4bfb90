#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares cluster_analysis.db with the files that tell the same.

  agree_db.py OUTPUT [FILES]

OUTPUT has the database, FILES (by itself OUTPUT) cluster_step_trace_time.csv, cluster_communication.json,
cluster_communication_matrix.json and communication_group.json. Every row of every table, without their order; of links
those alone that FILES have where these are another's, who drops links. Ends with status 1 when a table differs.
"""
import collections
import csv
import json
import os
import sqlite3
import sys

output = sys.argv[1]
files = sys.argv[2] if len(sys.argv) > 2 else output
db = sqlite3.connect(os.path.join(output, 'cluster_analysis.db'))
failed = False

COLUMNS = {
    'ClusterStepTraceTime': 'step type index computing communication_not_overlapped overlapped communication free stage '
                            'bubble communication_not_overlapped_and_exclude_receive preparing dp_index pp_index '
                            'tp_index',
    'ClusterCommunicationTime': 'step rank_id hccl_op_name group_name start_timestamp elapsed_time transit_time '
                                'wait_time synchronization_time idle_time synchronization_time_ratio wait_time_ratio',
    'ClusterCommunicationBandwidth': 'step rank_id hccl_op_name group_name band_type transit_size transit_time '
                                     'bandwidth large_packet_ratio package_size count total_duration',
    'ClusterCommunicationMatrix': 'step hccl_op_name group_name src_rank dst_rank transit_size transit_time bandwidth '
                                  'transport_type op_name',
    'CommunicationGroupMapping': 'type rank_set group_name group_id pg_name',
    'RankDeviceMap': 'rankId deviceId hostUid profilePath',
}


def load(name):
    with open(os.path.join(files, name), encoding='utf-8') as f:
        return json.load(f)


def normal(row, rough=()):
    return tuple('%.*f' % (0 if i in rough else 4, float(v)) if isinstance(v, (int, float)) else v
                 for i, v in enumerate(row))


def compare(table, his, rough=(), only=None):
    global failed
    names = [row[1] for row in db.execute('PRAGMA table_info(%s)' % table)]
    mine = [list(row) for row in db.execute('SELECT * FROM ' + table)]
    if only is not None:
        mine = [row for row in mine if only(row)]
        his = [row for row in his if only(row)]
    x = collections.Counter(normal(row, rough) for row in mine)
    y = collections.Counter(normal(row, rough) for row in his)
    sound = names == COLUMNS[table].split() and x == y
    print('%s: %s' % (table, '%d rows' % len(mine) if sound else 'differs: %s, expected %s' % (
        list(x - y)[:2], list(y - x)[:2])))
    failed |= not sound


def number(text):
    return None if text in ('NA', '') else float(text)


titles = ['Computing', 'Communication(Not Overlapped)', 'Overlapped', 'Communication', 'Free', 'Stage', 'Bubble',
          'Communication(Not Overlapped and Exclude Receive)', 'Preparing', 'DP Index', 'PP Index', 'TP Index']
with open(os.path.join(files, 'cluster_step_trace_time.csv'), newline='', encoding='utf-8') as f:
    steps = [[row['Step'], row['Type'], row['Index']] + [number(row.get(t, 'NA')) for t in titles]
             for row in csv.DictReader(f)]
if files != output:                                          # doubles of the whole time in theirs
    for row in steps:
        row[8] = row[11] = None
        row[10] = None if row[9] else row[10]                # theirs takes off what computing covers, too
    db.execute('CREATE TEMP TABLE kept AS SELECT * FROM ClusterStepTraceTime')
    compare_rows = [list(r) for r in db.execute('SELECT * FROM kept')]
    for row in compare_rows:
        row[8] = row[11] = None
        row[10] = None if row[9] else row[10]
    same = collections.Counter(normal(r, range(15)) for r in compare_rows) == collections.Counter(
        normal(r, range(15)) for r in steps)
    print('ClusterStepTraceTime: %s' % ('%d rows' % len(steps) if same else 'differs: %s, expected %s' % (
        compare_rows[:2], steps[:2])))
    failed |= not same
else:
    compare('ClusterStepTraceTime', steps)

times, sizes, links = [], [], []
for ranks, by_step in load('cluster_communication.json').items():
    for step, ops in by_step.items():
        for op, by_rank in ops.items():
            name, _, group = op.rpartition('@')
            for rank, info in by_rank.items():
                t = info['Communication Time Info']
                times.append([step, int(rank), name, group, t.get('Start Timestamp(us)', 0)] + [t[k] for k in (
                    'Elapse Time(ms)', 'Transit Time(ms)', 'Wait Time(ms)', 'Synchronization Time(ms)', 'Idle Time(ms)',
                    'Synchronization Time Ratio', 'Wait Time Ratio')])
                for band, b in info['Communication Bandwidth Info'].items():
                    for size, (count, ms) in b['Size Distribution'].items():
                        sizes.append([step, int(rank), name, group, band, b['Transit Size(MB)'], b['Transit Time(ms)'],
                                      b.get('Bandwidth(GB/s)'), b.get('Large Packet Ratio'), float(size), count, ms])
for ranks, by_step in load('cluster_communication_matrix.json').items():
    for step, ops in by_step.items():
        for op, pairs in ops.items():
            name, _, group = op.rpartition('@')
            for pair, b in pairs.items():
                links.append([step, name, group] + pair.split('-') + [
                    b['Transit Size(MB)'], b['Transit Time(ms)'], b['Bandwidth(GB/s)'], b['Transport Type'],
                    b.get('Op Name')])
groups = load('communication_group.json')['comm_group_parallel_info']
compare('ClusterCommunicationTime', times, rough=(4,))
compare('ClusterCommunicationBandwidth', sizes)
told = {tuple(row[:5]) for row in links}
compare('ClusterCommunicationMatrix', links,                 # totals are of other links where some are dropped
        only=None if files == output else lambda row: tuple(row[:5]) in told and not row[1].startswith('Total'))
compare('CommunicationGroupMapping', [[g['type'], '(%s)' % ','.join(map(str, g['rank_set'])), g['group_name'],
                                       g['group_id'], g['pg_name']] for g in groups])
if files == output:
    ranks = sorted({int(row[2]) for row in steps if row[1] == 'rank'})
    mine = [row[0] for row in db.execute('SELECT rankId FROM RankDeviceMap ORDER BY rankId')]
    if mine != ranks:
        print('RankDeviceMap: %s, expected %s' % (mine, ranks))
        failed = True
sys.exit(failed)
