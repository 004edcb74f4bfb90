# SPDX-License-Identifier: Apache-2.0
"""Compares the cells of every table of a capture in CSV, JSON, Markdown and on the screen.
usage: one_rounding.py MSPROF CAPTURE
A number is the same number everywhere, rounded once; CSV and JSON drop zeros at the end of a fraction, the others keep a
column's decimals."""
import csv
import io
import json
import re
import subprocess
import sys

program, capture = sys.argv[1:]


def shown(*arguments):
    made = subprocess.run([program, 'show', capture, *arguments], capture_output=True, text=True, check=False)
    return made.stdout if made.returncode in (0, 3) else None


def plain(cell):
    """A cell without the tab in front of long numbers, and a number without zeros at the end of its fraction."""
    cell = cell.strip()
    if re.fullmatch(r'-?\d+\.\d+', cell):
        cell = cell.rstrip('0').rstrip('.')
    return '0' if cell == '-0' else cell


tables = [line.split()[0] for line in shown('--table', 'list').splitlines() if line[:1] not in (' ', '')]
compared = numbers = 0
for table in tables:
    arguments = ['--table', table, '--top', '50']
    text = shown(*arguments, '--format', 'csv')
    if not text:
        continue
    rows = list(csv.reader(io.StringIO(text)))
    title = rows[0]
    for row in json.loads(shown(*arguments, '--format', 'json'), parse_float=str, parse_int=str)[:1]:
        assert list(row) == title, (table, list(row), title)
    objects = json.loads(shown(*arguments, '--format', 'json'), parse_float=str, parse_int=str)
    markdown = [re.split(r'(?<!\\)\|', line)[1:-1] for line in shown(*arguments, '--format', 'markdown').splitlines()
                if line.startswith('|')]
    markdown = [row for row in markdown if not all(re.fullmatch(r' *:?-+:? *', cell) for cell in row)][1:]
    assert len(rows) - 1 == len(objects) == len(markdown), (table, len(rows), len(objects), len(markdown))
    decimals = {}
    for row, item, line in zip(rows[1:], objects, markdown):
        for name, cell, mark in zip(title, row, line):
            other, drawn = str(item[name]), mark.strip()
            if not re.fullmatch(r'\s*-?\d+(\.\d+)?', cell):
                continue
            numbers += 1
            assert plain(cell) == plain(other) == plain(drawn), (table, name, cell, other, drawn)
            decimals.setdefault(name, set()).add(len(drawn.partition('.')[2]))
    compared += 1
print(f'{compared} tables, {numbers} numbers')
assert compared > 5 and numbers > 100
