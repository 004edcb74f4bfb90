# SPDX-License-Identifier: Apache-2.0
"""Compares results of 'msprof cluster' with those of Ascend's analysis: agree.py EXPECTED OURS. Links that it drops
because it cannot map their ranks may be ours only (docs/formats/cluster.md 5)."""
import csv
import json
import math
import os
import sys

expected, ours = sys.argv[1:]
problems = []


def compare(a, b, path):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key not in b:
                problems.append(f"{path}/{key}: missing")
            elif key in a:
                compare(a[key], b[key], f"{path}/{key}")
            elif "matrix" not in path:
                problems.append(f"{path}/{key}: not expected")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for x, y in zip(a, b):
            compare(x, y, path)
    elif isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9):
            problems.append(f"{path}: {b}, expected {a}")
    elif a != b:
        problems.append(f"{path}: {b!r}, expected {a!r}")


def load(directory, name):
    with open(os.path.join(directory, name)) as file:
        return json.load(file)


def ordered(content):
    """communication_group.json lists groups in no order."""
    if "comm_group_parallel_info" not in content:
        return content
    return {key: sorted(groups, key=lambda group: json.dumps(group, sort_keys=True)) for key, groups in content.items()}


def rows(directory):
    with open(os.path.join(directory, "cluster_step_trace_time.csv"), newline="") as file:
        return {(row["Step"], row["Type"], row["Index"]): row for row in csv.DictReader(file)}


for name in ("cluster_communication.json", "cluster_communication_matrix.json", "communication_group.json"):
    compare(ordered(load(expected, name)), ordered(load(ours, name)), name)
a, b = rows(expected), rows(ours)
assert a.keys() == b.keys(), (a.keys(), b.keys())
for key, row in a.items():
    assert row.keys() == b[key].keys()
    for title, value in row.items():
        try:
            same = math.isclose(float(value), float(b[key][title]), rel_tol=1e-9, abs_tol=1e-6)
        except ValueError:
            same = value == b[key][title]
        if not same:
            problems.append(f"{key} {title}: {b[key][title]}, expected {value}")
print("\n".join(problems[:20]))
sys.exit(1 if problems else 0)
