#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds tables of a board's tasks against those that a capture was worked back from.

usage: ss928_tasks.py MSPROF TABLE DIRECTORY

TABLE has a task a row: number, names, types, the mean of two inferences and their 95th percentile in ms, KB read and written,
as a report of a real SS928 has them (700 MHz, counters of 100 cycles); "-" makes one. Writes a capture of these two inferences
to DIRECTORY, lets msprof tell its tables, and compares every number, the network's sum and the share of the gathers with what
TABLE says. Prints how many cells agree.
"""
import csv
import glob
import json
import os
import random
import re
import subprocess
import sys
from decimal import ROUND_HALF_UP, Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
import board_capture  # noqa: E402

MHZ, UNIT = 700, 100
COLUMNS = ('Task ID', 'Ori Layer Name', 'Layer Type', 'mean(ms) of two inferences', 'P95(ms)', 'DDR Read(KB)', 'DDR Write(KB)')


def time_us(units):
    """As a table has it: two decimals."""
    return (Decimal(units * UNIT) / MHZ).quantize(Decimal('0.01'), ROUND_HALF_UP)


def of_two(low, high):
    """Mean and percentile in ms, of times as tables have them."""
    return (low + high) / 2000, (low + Decimal('0.95') * (high - low)) / 1000


def agree(values, row):
    """To the last digit of the report, which a half may round either way."""
    return all(abs(value - Decimal(row[column])) <= Decimal('0.0000005') for value, column in zip(values, COLUMNS[3:5]))


def planted():
    generator, rows = random.Random(928), []
    for number in range(88):
        low = generator.randrange(5, 300000)
        mean, percentile = (value.quantize(Decimal('0.000001'), ROUND_HALF_UP) for value in
                            of_two(time_us(low), time_us(low + generator.randrange(0, 300))))
        read, write = (Decimal(generator.randrange(1, 30000000)) / 1024 for _ in range(2))
        kind = generator.choice(('Convolution', 'Gather', 'BinaryMath', 'Convolution,Convolution'))
        names = ','.join('/layer.%d/%s.%d' % (number, part, i) for i, part in enumerate(kind.split(',')))
        rows.append(dict(zip(COLUMNS, (str(number), names, kind, str(mean), str(percentile), '%.3f' % read, '%.3f' % write))))
    return rows


def inferences(row):
    """The two times, in counts of the counter, that have this mean and this percentile."""
    mean, percentile = Decimal(row[COLUMNS[3]]), Decimal(row[COLUMNS[4]])
    half = (percentile - mean) * 1000 / Decimal('0.9')
    near = [int((mean * 1000 + part) * MHZ / UNIT) for part in (-half, half)]
    found = [(low, high) for low in range(near[0] - 2, near[0] + 4) for high in range(near[1] - 2, near[1] + 4)
             if low <= high and agree(of_two(time_us(low), time_us(high)), row)]
    assert found, row
    return found[0]


def check_answers(msprof, capture, tasks):
    """The table of operators adds up cycles, which are no whole nanoseconds, and rounds once."""
    done = subprocess.run([msprof, '-q', 'show', capture, '--table', 'ops', '--format', 'json', '--top', '1000'], check=True,
                          stdout=subprocess.PIPE)
    rows = {row['Name']: row for row in json.loads(done.stdout)}
    assert len(rows) == len(tasks)
    for (name, row), task in zip(sorted(rows.items()), sorted(tasks, key=lambda task: task['name'])):
        for title, cycles in (('Total(us)', sum(task['cycles'])), ('Longest(us)', max(task['cycles']))):
            right = (Decimal(cycles) / MHZ).quantize(Decimal('0.001'), ROUND_HALF_UP)
            assert Decimal(str(row[title])) == right, (name, task['name'], title, row[title], right)


def main():
    msprof, path, directory = sys.argv[1:]
    if path == '-':
        rows = planted()
    else:
        with open(path, newline='', encoding='utf-8') as stream:
            rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == COLUMNS and len(rows) == 88
    tasks = []
    for row in rows:
        size = [int((Decimal(row[column]) * 1024).to_integral_value(ROUND_HALF_UP)) for column in COLUMNS[5:]]
        tasks.append({'name': row[COLUMNS[1]], 'type': row[COLUMNS[2]], 'cycles': [units * UNIT for units in inferences(row)],
                      'read': size[0], 'write': size[1]})
        # layers that the compiler added have names of their own beside the types
        names, types = (tasks[-1][key].split(',') for key in ('name', 'type'))
        if len(names) < len(types):
            tasks[-1]['name'] += ',+' * (len(types) - len(names))
        elif len(types) < len(names):
            tasks[-1]['type'] += ',' + ','.join(types[-1:] * (len(names) - len(types)))
    capture = board_capture.write(directory, tasks, MHZ, 2, 'shipped')
    subprocess.run([msprof, '-q', 'export', 'summary', '-dir', capture, '--columns', 'vendor'], check=True)
    tables = []
    for table in sorted(glob.glob(capture + '/summary/op_summary_*.csv')):
        with open(table, newline='', encoding='utf-8') as stream:
            tables.append(list(csv.DictReader(stream)))
    assert len(tables) == 2 and all(len(table) == 89 for table in tables), [len(table) for table in tables]
    cells = 0
    for number, (row, task) in enumerate(zip(rows, tasks)):
        lines = [table[number + 1] for table in tables]
        times = sorted(Decimal(line['Time(us)']) for line in lines)
        assert agree(of_two(*times), row), (row, times)
        for line in lines:
            assert line['Task ID'] == row['Task ID'] and line['Ori Layer Name'] == task['name'], (line, row)
            assert line['Layer Type'] == task['type'], (line, row)
            for column in COLUMNS[5:]:
                expected = Decimal(row[column]).quantize(Decimal('0.01'), ROUND_HALF_UP)
                assert abs(Decimal(line[column]) - expected) <= Decimal('0.01') * (Decimal(row[column]) != expected), (line, row)
        cells += 7
    total = sum(Decimal(row[COLUMNS[3]]) for row in rows)
    whole = sum(Decimal(table[0]['Time(us)']) for table in tables) / 2000
    # the network's time is that of its tasks, before they are rounded for printing
    assert abs(whole - total) <= Decimal('0.00001') * 88, (whole, total)
    gathers = sum(Decimal(line['Time(us)']) for table in tables for line in table[1:] if 'Gather' in line['Layer Type'])
    wanted = 100 * sum(Decimal(row[COLUMNS[3]]) for row in rows if 'Gather' in row['Layer Type']) / total
    assert abs(100 * gathers / (2000 * total) - wanted) < Decimal('0.001'), (gathers, wanted)
    for line, table in ((tables[i][0], tables[i]) for i in range(2)):
        for column in ('DDR Read(KB)', 'DDR Write(KB)'):
            assert abs(Decimal(line[column]) - sum(Decimal(task[column]) for task in table[1:])) < Decimal('0.005') * 89
    assert all(re.fullmatch(r'[0-9.]+', line['Time(us)']) for table in tables for line in table)
    check_answers(msprof, capture, tasks)
    print(cells, 'cells,', total, 'ms')


if __name__ == '__main__':
    main()
