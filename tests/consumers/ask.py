# SPDX-License-Identifier: Apache-2.0
"""ask.py LIST NAME=DIRECTORY...: holds the lines of the list against the files of the directories; prints how many it held."""
import csv
import json
import os
import re
import sqlite3
import sys


def missing_of(path, wanted):
    if path.endswith('.csv'):
        with open(path, newline='', encoding='utf-8') as file:
            columns = next(csv.reader(file))
        return [column for column in wanted if column not in columns]
    if path.endswith('.json'):
        with open(path, encoding='utf-8') as file:
            document = json.load(file)
        return [name for name in wanted
                if (not isinstance(document, list) if name == 'array' else name not in document)]
    database, missing = sqlite3.connect(path), []
    for ask in wanted:
        table, _, columns = ask.partition(':')
        there = [row[1] for row in database.execute('PRAGMA table_info("%s")' % table)]
        missing += ['%s.%s' % (table, column.strip()) for column in columns.split(',') if column.strip() not in there]
    return missing


def main():
    places = dict(argument.split('=', 1) for argument in sys.argv[2:])
    held = 0
    for line in open(sys.argv[1], encoding='utf-8'):
        if line.startswith('#') or not line.strip():
            continue
        consumer, place, pattern, wanted = (cell.strip() for cell in line.split(' | '))
        found = [os.path.join(directory, name) for directory, _, names in os.walk(places[place]) for name in names
                 if re.fullmatch(pattern, name) and 'sqlite' not in directory]
        assert found, '%s finds no %s in %s' % (consumer, pattern, place)
        for path in found:
            missing = missing_of(path, [ask.strip() for ask in wanted.split(';')])
            assert not missing, '%s misses %s in %s' % (consumer, missing, path)
        held += 1
    print(held)


main()
