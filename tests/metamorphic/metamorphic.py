#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The metamorphic suite: what must not change the outputs does not, and what changes one file of a capture is either without
effect, or changes only the number that was changed, or is told.

    metamorphic.py MSPROF WORK [--small] [--seed N] [--flips N] [--jobs N] [--only RELATION] [--capture PART_OF_NAME]

Prints a line for each silent case and one for each relation with the number of pairs of runs that were compared. A silent
case is one with fewer or more rows or values in a table than the sound capture has, and nothing told. The status is 1 when
there are some that named.txt does not name.
"""
import argparse
import fnmatch
import itertools
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys

import captures
import frameworks
import relations
from mutations import all_files, copy_linked, data_files, double, fields_of, flip, remove, replace
from program import Outcome

HERE = os.path.dirname(os.path.abspath(__file__))


class Subject:
    """A sound capture, what msprof makes of it, and which kind each of its files is of."""

    def __init__(self, msprof, root, work, label, kinds, flips):
        self.flips = flips  # of each file
        self.msprof, self.work, self.label, self.kinds = msprof, work, label, kinds
        os.makedirs(work, exist_ok=True)
        # Files of copies are linked, which the original may be too far away for.
        self.root = shutil.copytree(root, os.path.join(work, "original", os.path.basename(root)))
        self.sound = Outcome(msprof, root, os.path.join(work, "sound"))
        self.kind_of = {}
        if self.sound.database is not None:
            import sqlite3
            connection = sqlite3.connect(self.sound.database)
            self.kind_of = dict(connection.execute("SELECT path, kind FROM source_file WHERE kind IS NOT NULL"))
            connection.close()

    def mutated(self, change):
        """The outcome of a copy that change was made to."""
        copy = copy_linked(self.root, os.path.join(self.work, os.path.basename(self.root)))
        change(copy)
        return Outcome(self.msprof, copy, os.path.join(self.work, "mutated"))

    def judge(self, outcome):
        """'told', 'equal', 'changed', 'mended', or what is silently lost."""
        if outcome.tells_more_than(self.sound):
            return "told"
        lost = outcome.lost_against(self.sound)
        if lost and outcome.mends(self.sound):
            return "mended"
        if lost:
            return "silent: " + ", ".join(lost[:4])
        return "equal" if outcome.outputs == self.sound.outputs else "changed"


# ---- mutations: each yields (what, verdict) ----


def flipped(subject, name, bit):
    """The kind and the field that the bit is in, or the name of the file."""
    kind = subject.kind_of.get(name)
    with open(os.path.join(subject.root, name), "rb") as file:
        content = file.read()
    layout = layout_of(subject, name, content) if kind in subject.kinds else None
    if layout is None:
        return kind or os.path.basename(name)
    at = bit % (len(content) * 8)
    byte = at // 8 % layout["record_size"]
    field = [field.column for field in fields_of(layout) if field.offset <= byte < field.offset + field.width]
    return "%s.%s" % (kind, field[0] if field else "@%d" % byte)


def flips(subject, rng, small):
    names = all_files(subject.root)
    for name in names if not small else rng.sample(names, min(3, len(names))):
        for _ in range(2 if small else subject.flips):
            bit = rng.randrange(1 << 40)
            outcome = subject.mutated(lambda copy: flip(copy, name, bit))
            yield "%s:%d" % (flipped(subject, name, bit), bit), subject.judge(outcome)


def doubled(subject, rng, small):
    names = data_files(subject.root)
    for name in names if not small else rng.sample(names, min(2, len(names))):
        if not double(copy_linked(subject.root, os.path.join(subject.work, "trial")), name):
            continue
        outcome = subject.mutated(lambda copy: double(copy, name))
        verdict = subject.judge(outcome)
        # The name of the copy may well name another model.
        lost = [loss for loss in outcome.lost_against(subject.sound) if not loss.startswith("model.")]
        kind = subject.kind_of.get(name, name)
        if verdict != "told" and kind in subject.kinds:
            verdict = "silent: not told"
        elif lost:
            verdict = "silent: told, and counted twice: " + ", ".join(lost[:4])
        yield kind, verdict


def gone(subject, rng, small):
    names = all_files(subject.root)
    for name in names if not small else rng.sample(names, min(8, len(names))):
        outcome = subject.mutated(lambda copy: remove(copy, name))
        yield subject.kind_of.get(name, os.path.basename(name)), subject.judge(outcome)


def layout_of(subject, name, content):
    """The layout whose numbers are those of the table; None: no such."""
    kind = subject.kinds.get(subject.kind_of.get(name))
    best, best_count = None, 0
    for layout in kind["layouts"] if kind is not None else []:
        size = layout["record_size"]
        if len(content) % size != 0 or kind.get("table") is None:
            continue
        stored = {column["name"] for column in kind["columns"] if column["stored"] and not column["computed"]}
        count = 0
        for field in fields_of(layout):
            if field.column in stored:
                values = sorted(field.value(field.raw(content[at:at + size])) for at in range(0, len(content), size))
                count += values == subject.sound.values(kind.get("table"), field.column)
        if count > best_count or best is None:
            best, best_count = layout, count
    if best is None and kind is not None:
        fitting = [layout for layout in kind["layouts"] if len(content) % layout["record_size"] == 0]
        best = fitting[0] if fitting else None
    return best


def check_value(subject, kind, field, before, after, outcome):
    """Whether the table has the new number in the place of the old one, and no other is another."""
    columns = {column["name"] for column in kind["columns"] if column["stored"] and not column["computed"]}
    if kind.get("table") is None or field.column not in columns:
        return False
    expected = subject.sound.values(kind.get("table"), field.column)
    if field.value(before) not in expected:
        return False
    expected.remove(field.value(before))
    return sorted(expected + [field.value(after)]) == outcome.values(kind.get("table"), field.column)


def fields(subject, rng, small):
    for name in data_files(subject.root):
        kind = subject.kinds.get(subject.kind_of.get(name))
        with open(os.path.join(subject.root, name), "rb") as file:
            content = file.read()
        layout = layout_of(subject, name, content) if kind is not None else None
        if layout is None:
            continue
        size = layout["record_size"]
        choice = fields_of(layout)
        for field in choice if not small else rng.sample(choice, min(1, len(choice))):
            for change in (lambda v, m: v + 1, lambda v, m: 0, lambda v, m: m, lambda v, m: v ^ rng.randrange(m + 1)):
                if small and rng.random() < 0.75:
                    continue
                at = rng.randrange(len(content) // size) * size
                record = content[at:at + size]
                before, most = field.raw(record), (1 << field.count) - 1
                after = change(before, most) & most
                if after == before:
                    continue
                altered = content[:at] + field.put(record, after) + content[at + size:]
                outcome = subject.mutated(lambda copy: replace(copy, name, altered))
                verdict = subject.judge(outcome)
                if verdict in ("changed", "equal") and check_value(subject, kind, field, before, after, outcome):
                    verdict = "exact"
                yield "%s.%s" % (kind["name"], field.column), verdict


MUTATIONS = {"flip": flips, "field": fields, "twice": doubled, "gone": gone}


# ---- all of it ----


def read_named():
    """Lines "mutation | what | reason"; what may have wildcards."""
    with open(os.path.join(HERE, "named.txt"), encoding="utf-8") as file:
        return [tuple(part.strip() for part in line.split("|")) for line in file if line.strip() and line[0] != "#"]


def work_on(task):
    msprof, work, label, root, kind, small, seed, only, kinds, flips_of_file = task
    results = []
    if root is None:
        root = captures.typed(kinds[kind], os.path.join(work, "typed"))
    if root is None:
        return label, results
    subject = Subject(msprof, root, work, label, kinds, flips_of_file)
    for relation, function in MUTATIONS.items():
        if only in (None, relation):
            rng = random.Random("%s %s %s" % (seed, label, relation))
            results += [(relation, what, verdict) for what, verdict in function(subject, rng, small)]
    if kind is None:
        for relation, function in relations.RELATIONS.items():
            if only in (None, relation) and not (small and relation in relations.LONG):
                results += [(relation, what, verdict) for what, verdict in function(msprof, root, work)]
    shutil.rmtree(work, ignore_errors=True)
    return label, results


def of_frameworks(msprof, work, options):
    flips_of_file = 0 if options.only == "gone" else options.flips
    if not options.small and options.only in (None, "gone", "flip"):
        for label, relation, what, verdict in frameworks.results(msprof, os.path.join(work, "frameworks"), options.seed,
                                                                 flips_of_file, options.capture):
            yield label, [(relation, what, verdict)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("msprof")
    parser.add_argument("work")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--flips", type=int, default=12, help="of each file")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--capture", default="")
    options = parser.parse_args()
    msprof, work = os.path.abspath(options.msprof), os.path.abspath(options.work)
    kinds = {kind["name"]: kind for kind in json.loads(subprocess.run(
        [msprof, "kinds", "--format", "json"], check=True, capture_output=True, text=True).stdout)}
    subjects = [(os.path.relpath(path, captures.ROOT), path, None) for path in captures.shipped()]
    subjects += [("kind " + name, None, name) for name in sorted(kinds)]
    tasks = [(msprof, os.path.join(work, str(number)), label, root, kind, options.small, options.seed, options.only, kinds,
              options.flips)
             for number, (label, root, kind) in enumerate(subjects) if options.capture in label]
    pairs, silent, named, used = {}, [], read_named(), set()
    with multiprocessing.Pool(options.jobs) as pool:
        for label, results in itertools.chain(pool.imap_unordered(work_on, tasks), of_frameworks(msprof, work, options)):
            for relation, what, verdict in results:
                counts = pairs.setdefault(relation, {})
                word = verdict.split(":")[0]
                groups = (relation, "value") if relation in ("flip", "field") else (relation,)
                match = [rule for rule in named if rule[0] in groups and fnmatch.fnmatch(what.split(":")[0], rule[1])]
                if word == "silent" and match:
                    word = "named"
                    used.update(match)
                counts[word] = counts.get(word, 0) + 1
                if word == "silent":
                    silent.append(what)
                    print("%s %s in %s: %s" % (relation, what, label, verdict), flush=True)
    for relation, counts in pairs.items():
        print("%s: %d pairs: %s" % (relation, sum(counts.values()),
                                    ", ".join("%d %s" % (count, word) for word, count in sorted(counts.items()))))
    print("all: %d pairs, %d silent" % (sum(sum(counts.values()) for counts in pairs.values()), len(silent)))
    return 1 if silent or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
