#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts extreme integers, and values of other types, into the database of a capture and runs every command on it.

extremes.py MSPROF CAPTURE [--quick | --columns]: each table that has rows gets the smallest and the largest integer in all its
integer columns at once, then each of several values turn by turn; then texts, bytes, fractions and NULLs in all its columns in
turns. With --columns also in one column after the other, with --quick one extreme value only. Fails at a crash, a hang, a
finding of a sanitizer or a status that tells of one. The capture's database must be imported; it is as it was in the end.
"""
import glob
import os
import shutil
import sqlite3
import subprocess
import sys

import limits

STATUSES = {0, 1, 2, 3, 4, 6, 7}
VALUES = (-2 ** 63, 2 ** 63 - 1, -1)
# In an integer column only the NULL and, of the texts, none is turned into a number. A long text is longer than any name
# may be; in a table of many rows those of the first have it: in each sixth row it would only be copied and copied.
OTHER_TYPES = ("CASE ({key} + {i}) % 6 WHEN 0 THEN '12abc' WHEN 1 THEN x'ff00fe1b' WHEN 2 THEN 1e308 WHEN 3 THEN NULL"
               " WHEN 4 THEN char(27) || char(10) || '\"' || char(0) || x'ff'"
               " ELSE printf('%.*c', CASE WHEN {key} < 12 + (SELECT min({key}) FROM {table})"
               " OR (SELECT count(*) FROM {table}) < 100 THEN 100000 ELSE 100 END, 'x') END")
MIXED_EXTREMES = "CASE {key} / 10 % 2 WHEN {turn} % 2 THEN 9223372036854775807 ELSE -9223372036854775807 - 1 END"
FINDINGS = (b"runtime error", b"AddressSanitizer", b"LeakSanitizer")

msprof, job = sys.argv[1:3]
by_column, is_quick = "--columns" in sys.argv, "--quick" in sys.argv
database, = glob.glob(os.path.join(job, "sqlite", "runtime.db"))
sound, other = database + ".sound", os.path.abspath("other")
shutil.copy(database, sound)
shutil.copytree(job, other, dirs_exist_ok=True)
results = os.path.abspath("results")
runs, findings = 0, 0


def commands(every_table):
    shared = ["-q", "--output", results, job]
    yield ["export", "summary", *shared]
    yield ["export", "summary", "--format", "json", *shared]
    yield ["export", "timeline", *shared]
    yield ["export", "timeline", "--trace-compat", *shared]
    if os.path.basename(job).startswith("PROF"):
        yield ["export", "db", *shared]
        yield ["query", job]
        yield ["export", "timeline", "--merge", "-q", "--output", results, job, other]
    yield ["show", "--table", "list", job]
    yield ["show", "-q", job]
    for table in tables_shown if every_table else []:
        yield ["show", "-q", "--table", table, job]
    yield ["advise", "-q", job]
    yield ["diff", "-q", job, other]
    yield ["diff", "-q", "--format", "json", other, job]


def run(words, what):
    global runs, findings
    runs += 1
    if words[0] == "export":
        shutil.rmtree(results, ignore_errors=True)
        os.makedirs(os.path.join(results, "sqlite"))
        shutil.copy(database, os.path.join(results, "sqlite", "runtime.db"))
    try:
        status, talk = limits.run([msprof, *words])
    except subprocess.TimeoutExpired:
        print(f"{what}: {' '.join(words)}: does not end", flush=True)
        findings += 1
        return
    if status not in STATUSES or any(word in talk for word in FINDINGS):
        print(f"{what}: {' '.join(words)}: exit status {status}\n{talk.decode('utf-8', 'replace')[-3000:]}", flush=True)
        findings += 1


def change(statements, what, every_table=False):
    shutil.copy(sound, database)
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA synchronous = OFF")
    try:
        for statement in statements:
            try:
                connection.execute(statement)
            except sqlite3.IntegrityError:
                pass  # a key
        connection.commit()
    finally:
        connection.close()
    for words in commands(every_table):
        run(words, what)


def integers(connection, table):
    """Its columns of integers but for the number of the row."""
    return [row[1] for row in connection.execute(f"PRAGMA table_info('{table}')") if row[2] == "INTEGER" and not row[5]]


listed = subprocess.run([msprof, "show", "-q", "--table", "list", job], capture_output=True, text=True, check=False).stdout
tables_shown = sorted({line.split()[0] for line in listed.splitlines() if line and line[0].isalpha()} - {"TABLE", "Table", "table"})
with_rows, every_column = {}, {}
reader = sqlite3.connect(f"file:{sound}?mode=ro", uri=True)
for name, in reader.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
    columns = integers(reader, name)
    if columns and reader.execute(f"SELECT count(*) FROM {name}").fetchone()[0]:
        with_rows[name] = columns
        every_column[name] = [row[1] for row in reader.execute(f"PRAGMA table_info('{name}')")]
reader.close()
mixed = "CASE id % 4 " + " ".join(f"WHEN {i} THEN {value}" for i, value in enumerate(VALUES)) + " ELSE {column} END"
mixed = mixed.replace(str(-2 ** 63), "(-9223372036854775807 - 1)")
for name, columns in with_rows.items():
    for value in VALUES[:1] if is_quick else VALUES:
        text = str(value) if value != -2 ** 63 else "(-9223372036854775807 - 1)"
        change([f"UPDATE {name} SET {column} = {text}" for column in columns], f"{name} = {value}")
        for column in columns if by_column else []:
            change([f"UPDATE {name} SET {column} = {text}"], f"{name}.{column} = {value}")
    if "id" in every_column[name]:
        change([f"UPDATE {name} SET {column} = {mixed.format(column=column)}" for column in columns], f"{name} in turns",
               not is_quick)
    key = "id" if "id" in every_column[name] else columns[0]
    if name != "meta":  # of which other values are another capture's
        change([f"UPDATE OR IGNORE {name} SET {column} = {OTHER_TYPES.format(table=name, key=key, i=i)}"
                for i, column in enumerate(every_column[name]) if column != key], f"{name} of other types", not is_quick)
# A sound time and an endless length, and the other way: of each two columns there are rows with one of them extreme.
for turn in range(2 if is_quick else 10):
    changes = []
    for name, columns in with_rows.items():
        key = "id" if "id" in every_column[name] else columns[0]
        for i, column in enumerate(columns):
            if column != key and name != "meta":
                changes.append(f"UPDATE OR IGNORE {name} SET {column} = {MIXED_EXTREMES.format(key=key, turn=turn)}"
                               f" WHERE ({i + 1} >> ({key} + {turn}) % 5 & 1) <> ({key} + {turn}) / 5 % 2")
    change(changes, f"columns in turn {turn}", not is_quick)
shutil.move(sound, database)
if findings:
    sys.exit(f"{findings} of {runs} runs are not handled")
print(f"{runs} runs over {len(with_rows)} tables")
