#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a database of communication with the files that tell the same.

  communication_db.py DATABASE COMMUNICATION MATRIX

DATABASE is communication_analyzer.db, COMMUNICATION and MATRIX communication.json and communication_matrix.json of a
capture's analysis. Every row of every table: columns, their types, values, without their order. Prints each table and how
many rows it has; ends with status 1 when one differs.
"""
import collections
import json
import sqlite3
import sys

COMMUNICATION = {
    'CommAnalyzerTime': 'hccl_op_name:T group_name:T start_timestamp elapse_time transit_time wait_time '
                        'synchronization_time idle_time',
    'CommAnalyzerBandwidth': 'hccl_op_name:T group_name:T transport_type:T transit_size transit_time bandwidth '
                             'large_packet_ratio package_size count total_duration',
    'CommAnalyzerMatrix': 'hccl_op_name:T group_name:T src_rank:T dst_rank:T transport_type:T transit_size transit_time '
                          'bandwidth',
}


def rounded(value):
    return round(value, 9) if isinstance(value, float) else value


def times_of(info):
    return [float(info[key]) for key in ('Start Timestamp(us)', 'Elapse Time(ms)', 'Transit Time(ms)', 'Wait Time(ms)',
                                         'Synchronization Time(ms)', 'Idle Time(ms)')]


def traffic_of(info):
    for transport, link in info.items():
        for size, (count, ms) in link['Size Distribution'].items():
            yield [transport] + [float(link[key]) for key in (
                'Transit Size(MB)', 'Transit Time(ms)', 'Bandwidth(GB/s)', 'Large Packet Ratio')] + [
                    float(size), count, float(ms)]


def link_of(pair, info):
    return pair.split('-') + [info['Transport Type'], float(info['Transit Size(MB)']), float(info['Transit Time(ms)']),
                              float(info['Bandwidth(GB/s)'])]


def communication(operators, links):
    """operators, links: (key, object, what stands behind the columns)."""
    expected = {name: [] for name in COMMUNICATION}
    for key, op, behind in operators:
        if key.startswith('Total'):
            continue
        name = key.split('@')
        expected['CommAnalyzerTime'].append(name + times_of(op['Communication Time Info']) + behind)
        for row in traffic_of(op['Communication Bandwidth Info']):
            expected['CommAnalyzerBandwidth'].append(name + row + behind)
    for key, pairs, behind in links:
        if key.startswith('Total'):
            continue
        for pair, info in pairs.items():
            row = key.split('@') + link_of(pair, info) + behind
            expected['CommAnalyzerMatrix'].append(row + ([info.get('Op Name', '')] if behind else []))
    return expected


def rough(rows):
    """Start times are doubles of microseconds: a quarter of one is their last place."""
    return [[round(v) if i == 2 and isinstance(v, float) and v > 1e12 else v for i, v in enumerate(row)] for row in rows]


class Check:
    """What was compared, and whether all of it agreed."""

    def __init__(self):
        self.failed = False

    def told(self, table, result):
        print('%s: %s' % (table, result if isinstance(result, str) else '%d rows' % result))
        self.failed |= isinstance(result, str)

    def columns(self, db, table, expected, usual):
        types = {'T': 'TEXT', 'I': 'INTEGER', '': usual}
        wanted = [tuple(c.partition(':')[::2]) for c in expected.split()]
        wanted = [(name, types[kind]) for name, kind in wanted]
        there = [(row[1], row[2]) for row in db.execute('PRAGMA table_info(%s)' % table)]
        if there != wanted:
            self.told(table, 'columns %s, expected %s' % (there, wanted))

    def compare(self, table, mine, his):
        x = collections.Counter(tuple(map(rounded, row)) for row in mine)
        y = collections.Counter(tuple(map(rounded, row)) for row in his)
        if x == y:
            self.told(table, sum(x.values()))
        else:
            self.told(table, '%d of %d rows differ: %s, expected %s' % (
                sum((x - y).values()), sum(x.values()), list((x - y))[:2], list((y - x))[:2]))

    def communication(self, path, expected, more):
        """more: with steps and halves, as PyTorch has them."""
        db = sqlite3.connect(path)
        for name, rows in expected.items():
            columns = COMMUNICATION[name]
            if more:
                columns += ' step:T type:T' + (' op_name:T' if name == 'CommAnalyzerMatrix' else '')
            self.columns(db, name, columns, 'NUMERIC' if more else 'INTEGER')
            mine = [[float(v) if isinstance(v, int) and i > 1 else v for i, v in enumerate(row)]
                    for row in db.execute('SELECT * FROM ' + name)]
            his = [[float(v) if isinstance(v, int) and i > 1 else v for i, v in enumerate(row)] for row in rows]
            self.compare(name, rough(mine), rough(his))


def main():
    check = Check()
    ops, links = ([(key, op, []) for key, op in json.load(open(path, encoding='utf-8')).items()] for path in sys.argv[2:4])
    check.communication(sys.argv[1], communication(ops, links), False)
    sys.exit(check.failed)


if __name__ == '__main__':
    main()
