#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damages the text of every testdata/kinds/<kind>/*.text in several ways: rows of sound lines stay as they are, what is
lost is counted and named, and the status is 3.

    text_damage.py MSPROF KINDS_DIRECTORY WORK_DIRECTORY

Which kinds are text 'msprof kinds' says: one without a fixture is a mistake.
"""
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from text_kinds import capture_of, read_fixture

# Descriptions and dictionaries: their tests are tests/cli/names.bats and tests/cann/import_damaged.bats. Logs of 2020 are no
# lines but entries, which are found in the middle of anything: their fixtures have damaged ones.
OTHERS = {"aicpu_log", "data_queue_log", "framework_hash", "graph_desc", "hash_dic", "layer", "task_desc", "type_info_dic"}
# Columns that depend on the row before, or on the beginning of the block.
DERIVED = {"span_ns"}


class Import:
    """One import: the status, what was said, and the rows of the kind."""

    def __init__(self, msprof, work, kind, name, chip, text):
        shutil.rmtree(work, ignore_errors=True)
        root = capture_of(work, name, text, chip)
        done = subprocess.run([msprof, "import", "-dir", root], check=False, capture_output=True, text=True)
        self.status, self.told, self.name = done.returncode, done.stderr, name
        database = sqlite3.connect(os.path.join(root, "sqlite", "runtime.db"))
        cursor = database.execute("SELECT * FROM %s ORDER BY id" % kind)
        titles = [column[0] for column in cursor.description]
        kept = [i for i, title in enumerate(titles) if title not in {"id", "file_id"} | DERIVED]
        self.titles = [titles[i] for i in kept]
        self.rows = [tuple(row[i] for i in kept) for row in cursor]
        self.rejected = database.execute("SELECT records_rejected FROM source_file WHERE path = ?", (name,)).fetchone()[0]

    def names(self, what):
        """Whether a message of the file says it."""
        return any(self.name in line and re.search(what, line) for line in self.told.split("\n"))


def is_part(few, many):
    """All of the first are in the second, in their order."""
    rest = iter(many)
    return all(row in rest for row in few)


def values_of(line, rows):
    """Where the numbers of the line stand that are values of its row, decimals or not. Those of one digit may be equal
    by chance."""
    cells = {str(cell) for row in rows for cell in row if isinstance(cell, int) and cell > 9}
    return [found.span() for found in re.finditer(r"(?<![\w./])\d+(\.\d+)?(?![\w.])", line)
            if found.group().replace(".", "") in cells]


def sound_lines(text, rejected, run):
    """The text without the lines that the fixture has rejected."""
    lines = text.split("\n")[:-1]
    if rejected == 0:
        return lines
    kept = []
    for number, line in enumerate(lines):
        if run(lines[:number] + lines[number + 1:]).rejected >= rejected:  # more: rows without the line that begins their block
            kept.append(line)
    return kept


class Damage:
    def __init__(self, kind, run, lines):
        self.kind, self.run, self.lines = kind, run, lines
        self.whole = run(lines)
        self.problems, self.disordered = [], False

    def expect(self, truth, what):
        if not truth:
            self.problems.append("%s: %s" % (self.kind, what))

    def lost(self, found, what, reason, rejected=1):
        self.expect(found.status == 3, "%s: status %d" % (what, found.status))
        self.expect(found.rejected >= rejected, "%s: %d rejected" % (what, found.rejected))
        self.expect(found.names(reason), "%s is not named: %s" % (what, found.told[-300:]))

    def cut(self):
        """In the middle of the last line, and of one in the middle."""
        full = [number for number, line in enumerate(self.lines) if line.strip()]
        for number in {full[-1], full[len(full) // 2]}:
            before = self.run(self.lines[:number])
            line = self.lines[number]
            found = self.run(self.lines[:number], line[:max(1, len(line) // 2)])
            self.lost(found, "cut in line %d" % (number + 1), "without a line end")
            self.expect(is_part(before.rows[:-1], found.rows), "cut in line %d: rows in front of it" % (number + 1))

    def insert(self):
        """A line of something else, at every place but the first, where a heading may stand."""
        for number in range(1, len(self.lines) + 1):
            found = self.run(self.lines[:number] + ["?!"] + self.lines[number:])
            self.lost(found, "another line behind line %d" % number, "'\\?!'")
            self.expect(found.rows == self.whole.rows and found.rejected == 1,
                        "another line behind line %d: rows or their count" % number)

    def spoil(self):
        """A value of a line with a row to itself that is no number, or one of more than 64 bits: the first of them, and
        the last."""
        for number, line in enumerate(self.lines):
            without = self.run(self.lines[:number] + self.lines[number + 1:])
            values = values_of(line, [row for row in self.whole.rows if row not in without.rows])
            if len(without.rows) != len(self.whole.rows) - 1 or not values:
                continue
            for place, end in {values[0], values[-1]}:
                for other in ("1x2", "9" * 30):
                    found = self.run(self.lines[:number] + [line[:place] + other + line[end:]] + self.lines[number + 1:])
                    what = "%s at %d of line %d" % (other, place, number + 1)
                    self.lost(found, what, "line|expected")
                    self.expect(found.rows == without.rows, what + ": other rows")


    def disorder(self):
        """The samples in the opposite order, where each has a line with its time."""
        without = [self.run(self.lines[:number] + self.lines[number + 1:]) for number in range(len(self.lines))]
        samples = [number for number, found in enumerate(without) if len(found.rows) == len(self.whole.rows) - 1]
        times = {row[self.whole.titles.index("time_ns")] for row in self.whole.rows} if "time_ns" in self.whole.titles \
            else set()
        if len(samples) != len(self.whole.rows) or len(times) < len(samples) or len(samples) < 2:
            return
        lines = list(self.lines)
        for number, other in zip(samples, reversed(samples)):
            lines[number] = self.lines[other]
        found = self.run(lines)
        self.lost(found, "samples out of order", "expected later ones to follow", rejected=0)
        self.expect(found.rows == self.whole.rows[::-1], "samples out of order: other rows")
        self.disordered = True


def check_kind(msprof, work, path):
    kind = os.path.basename(os.path.dirname(path))
    name, chip, text, _, _, rejected = read_fixture(path)

    imports = {}  # by text: ways of damage have texts in common, most of all those without a line

    def run(lines, rest=""):
        damaged = "".join(line + "\n" for line in lines) + rest
        if damaged not in imports:
            imports[damaged] = Import(msprof, work, kind, name, chip, damaged)
        return imports[damaged]
    damage = Damage(kind, run, sound_lines(text, rejected, run))
    damage.expect(damage.whole.rejected == 0, "the lines that are left are not sound")
    for way in (damage.cut, damage.insert, damage.spoil, damage.disorder):
        way()
    return damage


def text_kinds(msprof):
    kinds = json.loads(subprocess.run([msprof, "kinds", "--format", "json"], check=True, capture_output=True).stdout)
    kinds = kinds if isinstance(kinds, list) else kinds["kinds"]
    return {kind["name"] for kind in kinds if kind["files"] and not kind["layouts"]} - OTHERS


def main():
    msprof, directory, work = sys.argv[1:4]
    paths = [path for path in sorted(glob.glob(os.path.join(directory, "*", "*.text")))
             if os.path.basename(os.path.dirname(path)) not in OTHERS]
    fixtures = {os.path.basename(os.path.dirname(path)) for path in paths}
    problems = ["%s: no fixture" % kind for kind in sorted(text_kinds(msprof) - fixtures)
                if not kind.startswith("opprof_")] # tests/opprof/read.bats damages those
    damaged = [check_kind(msprof, work, path) for path in paths]
    problems += [problem for damage in damaged for problem in damage.problems]
    disordered = {damage.kind for damage in damaged if damage.disordered}
    if not disordered >= {"dvpp", "hccs", "host_mem", "netdev_stats", "nic", "roce"}:
        problems.append("only %s were put out of order" % sorted(disordered))
    print("\n".join(problems))
    print("%d texts damaged, %d mistakes" % (len(paths), len(problems)))
    sys.exit(bool(problems) or not paths)


if __name__ == "__main__":
    main()
