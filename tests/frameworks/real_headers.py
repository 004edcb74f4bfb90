#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the header lines of tables that real devices' tools wrote with those of a directory that msprof analysed.

  real_headers.py REAL PREFIX OURS: each REAL/PREFIX_<table>.csv with OURS/<table>.csv

Prints how many are equal; ends with status 1 where one differs or a table is not there.
"""
import csv
import glob
import os
import sys


def header(path):
    with open(path, encoding='utf-8', newline='') as stream:
        return next(csv.reader(stream))


def main():
    real, prefix, ours = sys.argv[1:]
    equal = wrong = 0
    for path in sorted(glob.glob(os.path.join(real, prefix + '_*.csv'))):
        table = os.path.basename(path)[len(prefix) + 1:].replace('.full.', '.')
        own = os.path.join(ours, table)
        if not os.path.exists(own):
            print(prefix, table, 'is not there')
            wrong += 1
        elif header(path) != header(own):
            print(prefix, table, header(own), 'expected', header(path))
            wrong += 1
        else:
            equal += 1
    print(prefix, equal)
    sys.exit(wrong > 0)


main()
