#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tables that msprof exported of a shipped capture with the expected ones beside it: every row, in any order,
and every column. Numbers may differ by half a unit of the last digit that either prints; with --rounded-twice broken ones
by a nanosecond, for reports that round in binary on the way as Ascend's tool of 2022 did. Prints what differs; exits with
1 when anything does, or when a table is missing.

usage: agree_tables.py [--rounded-twice] EXPECTED_DIR OUR_DIR
"""
import csv
import glob
import os
import re
import sys
from decimal import Decimal, InvalidOperation


def read(path):
    with open(path, newline='', encoding='utf-8') as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    return rows[0], rows[1:]


def decimals(text):
    return len(text.partition('.')[2])


def exact(cell):
    """A text or a whole number: what rows are told apart by."""
    return not re.fullmatch(r'-?\d+\.\d+', cell)


def equal(ours, expected, rounded_twice):
    if ours == expected or {ours, expected} <= {'', 'N/A'}:
        return True
    try:
        a, b = Decimal(ours), Decimal(expected)
    except InvalidOperation:
        return False
    if '.' not in ours and '.' not in expected:
        return a == b
    printed = min(decimals(text) for text in (ours, expected) if '.' in text)
    near = Decimal('0.0011') if rounded_twice else Decimal('0.51').scaleb(-printed)
    return abs(a - b) <= near or abs(a - b) <= abs(b) / 2_000_000


def our_table(directory, name):
    found = [path for path in glob.glob(os.path.join(directory, name + '_*.csv'))
             if re.fullmatch(re.escape(name) + r'(_slice)?(_\d+)+\.csv', os.path.basename(path))]
    return found[0] if len(found) == 1 else None


def compare(expected_path, our_path, rounded_twice):
    titles, expected = read(expected_path)
    our_titles, ours = read(our_path)
    if our_titles != titles:
        return ['columns %s, expected %s' % (our_titles, titles)], 0
    if len(ours) != len(expected):
        return ['%d rows, expected %d' % (len(ours), len(expected))], 0
    # A column that holds a broken number anywhere is not for sorting.
    keys = [place for place in range(len(titles)) if all(exact(row[place]) for row in expected + ours)]
    both = [sorted(rows, key=lambda row: [row[place] for place in keys]) for rows in (ours, expected)]
    return ['%s: %s, expected %s, in row %s' % (title, a, b, row[:10]) for row, other in zip(*both)
            for title, a, b in zip(titles, row, other) if not equal(a, b, rounded_twice)], len(expected)


def main():
    rounded_twice = '--rounded-twice' in sys.argv
    expected, ours = [argument for argument in sys.argv[1:] if argument != '--rounded-twice']
    compared, failed = 0, 0
    for path in sorted(glob.glob(os.path.join(expected, '*.csv'))):
        name = os.path.splitext(os.path.basename(path))[0]
        our_path = our_table(ours, name)
        problems, rows = compare(path, our_path, rounded_twice) if our_path else (['there is none'], 0)
        for problem in problems[:3]:
            print('%s: %s' % (name, problem))
        compared += rows
        failed += bool(problems)
    print('%d rows compared, %d tables are different' % (compared, failed))
    return 1 if failed or compared == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
