# SPDX-License-Identifier: Apache-2.0
"""Plants an OPPROF directory of every chip and release by its header lines (headers.txt), each cell with a number of its
own, and looks where each number arrives in the database.

    python3 chips.py MSPROF    prints what is wrong, then how many cells of how many releases arrived
"""
import csv
import glob
import os
import re
import sqlite3
import subprocess
import sys

TABLES = {'ArithmeticUtilization': 'arithmetic', 'L2Cache': 'l2', 'Memory': 'memory', 'MemoryL0': 'l0', 'MemoryUB': 'ub',
          'PipeUtilization': 'pipe', 'ResourceConflictRatio': 'conflict'}
BASIC = {'Op Name': 'add', 'Op Type': 'mix', 'Task Duration(us)': '12.500000', 'Block Dim': '1', 'Mix Block Dim': '2',
         'Device Id': '0', 'Pid': '7', 'Current Freq': '1650', 'Rated Freq': '1650'}


def releases():
    found = {}
    with open(os.path.join(os.path.dirname(__file__), 'headers.txt'), encoding='utf-8') as file:
        for line in file:
            if line.startswith('## '):
                found[line[3:].strip()] = release = {}
            elif '\t' in line:
                name, _, header = line.rstrip('\n').partition('\t')
                release[name] = header.rstrip(',').split(',')
    return found


def column(name):
    """The column of the database that a column of a file is."""
    name = re.sub(r'\(.*', '', re.sub('^ai[cv]_', '', name)).lower()
    name = re.sub('_datas$', '_bytes', re.sub('_bw_usage_rate$', '_usage', name))
    name = re.sub('_(stall_by_ub|wait_ib|wait|stall|single|dual)_time$', r'_\1_ps', name)
    return re.sub('(^|_)time$', r'\1time_ps', name)


def scale(name):
    if '(KB)' in name:
        return 1024
    whole = re.search(r'cycles|instr|fops|_hit$|_miss|_victim|allocate', name) and 'rate' not in name
    return 1 if whole else 10 ** 6


def write(directory, release):
    """The directory, and what is to be in its tables: {table: {(core, sub): {column: value}}}."""
    os.makedirs(directory)
    expected, number = {}, 0
    for metric, header in release.items():
        rows = [dict(BASIC)]
        if metric in TABLES:
            rows = []
            cores = [('cube', 0), ('vector', 0), ('vector', 1)] if 'block_id' in header else [('', 0)]
            for core, sub in cores:
                row, known = {}, expected.setdefault(TABLES[metric], {}).setdefault((core, sub), {})
                for name in header:
                    foreign = core and name[:4] in ('aic_', 'aiv_') and (name[2] == 'c') != (core == 'cube')
                    number += 1
                    row[name] = 'NA' if foreign else str(number)
                    if name in ('block_id', 'sub_block_id'):
                        row[name] = '0' if name == 'block_id' else f'{core}{sub}'
                    elif not foreign:
                        if name.endswith('total_cycles'):
                            row[name] = {'cube': '4000', 'vector': f'{5000 + sub}', '': '4000'}[core]
                        known[column(name)] = int(row[name]) * scale(name)
                rows.append(row)
        with open(f'{directory}/{metric}.csv', 'w', newline='', encoding='utf-8') as file:
            writer = csv.writer(file, lineterminator=',\n')
            writer.writerow(header)
            writer.writerows([row[name] for name in header] for row in rows)
    return expected


def check(msprof, directory, expected):
    run = subprocess.run([msprof, 'import', directory], capture_output=True, text=True)
    wrong = [] if run.returncode == 0 and 'does not know' not in run.stderr else [f'{directory}: {run.stderr}']
    database = sqlite3.connect(glob.glob(f'{directory}/sqlite/*.db')[0])
    database.row_factory = sqlite3.Row
    cells = 0
    for table, rows in expected.items():
        there = {({0: 'cube', 1: 'vector'}.get(row['core'], ''), row['sub_core'] or 0): row
                 for row in database.execute(f'SELECT * FROM opprof_{table}')}
        for key, values in rows.items():
            for name, value in values.items():
                found = there[key][name] if key in there and name in there[key].keys() else 'no such column'
                cells += 1
                if found != value:
                    wrong.append(f'{directory}: opprof_{table} {key} {name}: {found}; planted: {value}')
    return cells, wrong


def main():
    total = 0
    for number, (title, release) in enumerate(releases().items()):
        cells, wrong = check(sys.argv[1], f'OPPROF_{number}', write(f'OPPROF_{number}', release))
        total += cells
        for line in wrong:
            print(f'{title}: {line}')
    print(f'{total} cells of {number + 1} releases')


if __name__ == '__main__':
    main()
