# SPDX-License-Identifier: Apache-2.0
"""ask.py LIST NAME=DIRECTORY...: holds the lines of the list against the files of the directories; prints how many it held."""
import csv
import json
import os
import re
import sqlite3
import sys


def members(value, names):
    """The values that a path of names leads to; * is each member, but for totals, which have less."""
    if not names:
        return [value]
    if not isinstance(value, dict) or (names[0] != '*' and names[0] not in value):
        return []
    below = [value[name] for name in value if (name == names[0] if names[0] != '*' else not name.startswith('Total'))]
    return [found for member in below for found in members(member, names[1:])]


def in_document(document, ask):
    if ask == 'array':
        return isinstance(document, list) and all(event['name'] and event['ph'] and 'pid' in event for event in document)
    word, _, name = ask.partition(' ')
    if word == 'process':
        return any(event['name'] == 'process_name' and event['args']['name'] == name for event in document)
    if word == 'slice':
        return {name in event for event in document if event['ph'] == 'X'} == {True}
    path = ask.split(' > ')
    parents = members(document, path[:-1])
    return bool(parents) and all(path[-1] in parent for parent in parents)


def missing_of(path, wanted):
    if path.endswith('.csv'):
        with open(path, newline='', encoding='utf-8') as file:
            columns = next(csv.reader(file))
        return [column for column in wanted if column not in columns]
    if path.endswith('.json'):
        with open(path, encoding='utf-8') as file:
            document = json.load(file)
        return [ask for ask in wanted if not in_document(document, ask)]
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
        consumer, place, pattern, wanted = (cell.strip() for cell in line.rstrip('\n').split(' |'))
        found = [os.path.join(directory, name) for directory, _, names in os.walk(places[place]) for name in names
                 if re.fullmatch(pattern, name) and 'sqlite' not in directory]
        assert found, '%s finds no %s in %s' % (consumer, pattern, place)
        for path in found:
            missing = missing_of(path, [ask.strip() for ask in wanted.split(';') if ask.strip()])
            assert not missing, '%s misses %s in %s' % (consumer, missing, path)
        held += 1
    print(held)


main()
