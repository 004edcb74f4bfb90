#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Infers the layouts of what random_boards.py wrote and judges them on the captures that were held out.

usage: judge_boards.py MSPROF DIRECTORY [--verbose]

Prints a line of counts: exact (every printed cell of the held-out capture comes out), partial (some columns are not in
the layout, all that are come out), none (no layout), wrong; and how many of the wrong ended with status 0.
"""

import csv
import glob
import os
import shutil
import subprocess
import sys


def tables(directory):
    result = {}
    for path in glob.glob(os.path.join(directory, "op_summary_*.csv")):
        key = os.path.basename(path).split(".")[2:6]
        with open(path, encoding="utf-8", newline="") as stream:
            result[tuple(key)] = list(csv.reader(stream))
    return result


def compare(expected, found):
    """"exact", "partial", or what differs first."""
    partial = False
    if expected.keys() != found.keys():
        return f"tables {sorted(found)} instead of {sorted(expected)}"
    for key, rows in expected.items():
        if len(rows) != len(found[key]):
            return f"{key}: {len(found[key])} rows instead of {len(rows)}"
        for row, (want, got) in enumerate(zip(rows, found[key])):
            for column, (a, b) in enumerate(zip(want, got)):
                if b == "N/A" and a != "N/A":
                    partial = True
                elif a != b:
                    return f"{key} row {row} {rows[0][column]}: {b} instead of {a}"
    return "partial" if partial else "exact"


def judge(msprof, directory):
    train, held = (glob.glob(os.path.join(directory, part, "JOB*"))[0] for part in ("train", "held"))
    layout, results = os.path.join(directory, "found.layout"), os.path.join(directory, "results")
    status = subprocess.run([msprof, "layout", "infer", "-dir", train, "--tables",
                             os.path.join(directory, "train", "tables"), "--output", layout],
                            capture_output=True, check=False).returncode
    if status not in (0, 3):
        return status, "none"
    shutil.rmtree(results, ignore_errors=True)
    subprocess.run([msprof, "export", "summary", "-dir", held, "--layout", layout, "--columns", "vendor", "--output",
                    results], capture_output=True, check=False)
    return status, compare(tables(os.path.join(directory, "held", "tables")), tables(os.path.join(results, "summary")))


def main():
    msprof, root = sys.argv[1:3]
    counts = {"exact": 0, "partial": 0, "none": 0, "wrong": 0, "wrong with status 0": 0, "status 0": 0}
    for name in sorted(os.listdir(root), key=int):
        status, verdict = judge(msprof, os.path.join(root, name))
        kind = verdict if verdict in counts else "wrong"
        counts[kind] += 1
        counts["status 0"] += status == 0
        counts["wrong with status 0"] += kind == "wrong" and status == 0
        if "--verbose" in sys.argv and verdict != "exact":
            print(f"{name}: status {status}: {verdict}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))


if __name__ == "__main__":
    main()
