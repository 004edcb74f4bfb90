#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the tables of a capture with those that Ascend's tool made of it, cell by cell.

    agree_system.py EXPECTED_DIRECTORY OUR_DIRECTORY

Numbers are equal when they differ by no more than half a unit of the last digit that either prints (and a hair for the
last bit of a double). What may differ is in DIFFERENCES and nowhere else; msprof-cann(7) explains each.
"""
import csv
import glob
import json
import os
import re
import sys
from decimal import Decimal, InvalidOperation

# table -> column -> rule: "skip" (another value on purpose), or a function of (theirs, ours) that must hold
SKIP = "another value on purpose"
UNSIGNED = Decimal(2**64) / 1024


def times_64(theirs, ours):
    return abs(Decimal(theirs) - 64 * Decimal(ours)) <= 64 * Decimal("0.0011")


def unknown_size(theirs, ours):
    return equal(theirs, ours) or (abs(Decimal(theirs) - UNSIGNED) < 2 and ours == "-1")


def no_model(theirs, ours):
    return equal(theirs, ours) or (theirs == "4294967295" and ours == "N/A")


def missing(theirs, ours):
    return equal(theirs, ours) or (theirs in ("0.000", "0") and ours == "N/A")


def through_double(theirs, ours):
    return abs(Decimal(theirs) - Decimal(ours)) <= Decimal("0.13")


def wrapped(theirs, ours):
    """A duration below zero as an unsigned number of ns."""
    return equal(theirs, ours) or (Decimal(theirs) > 10**15 and
                                   abs(Decimal(2**64) / 1000 - Decimal(theirs) - Decimal(ours)) < Decimal("0.001"))


# tests/cann/lib/agree.py compares these, in any order of rows and with what it knows of their rounding.
OTHERS = {"api_statistic", "op_statistic", "op_summary", "task_time"}

DIFFERENCES = {
    "llc_read_write": {"Throughput(MB/s)": times_64},
    "nic": {"Timestamp(us)": lambda theirs, ours: theirs != ours},
    "roce": {"Timestamp(us)": lambda theirs, ours: theirs != ours},
    "npu_module_mem": {"Total Reserved(KB)": unknown_size},
    "dp": {"Timestamp(us)": through_double},
    "step_trace": {"Model ID": no_model, "FP Start(us)": missing, "BP End(us)": missing, "FP to BP Time(us)": missing,
                   "Iteration Refresh(us)": missing, "Data Aug Bound(us)": missing, "Reduce Duration(us)": wrapped},
}


def last_digit(text):
    return Decimal(1).scaleb(-len(text.split(".")[1])) if "." in text else Decimal(1)


def equal(theirs, ours):
    if theirs == ours:
        return True
    try:
        a, b = Decimal(theirs), Decimal(ours)
    except InvalidOperation:
        return False
    if a == b:
        return True
    if "." not in theirs and "." not in ours:
        return False
    step = max(last_digit(theirs), last_digit(ours)) if "." in theirs and "." in ours else Decimal("0.001")
    return abs(a - b) <= step * Decimal("0.51") or abs(a - b) <= abs(a) * Decimal("1e-11")


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    return rows[0], rows[1:]


def find_ours(directory, name, suffix="csv"):
    found = [p for p in glob.glob(os.path.join(directory, name + "_*." + suffix))
             if re.fullmatch(re.escape(name) + r"(_slice_\d+)?_\d+\." + suffix, os.path.basename(p))]
    return found[0] if len(found) == 1 else None


def compare(name, theirs_path, ours_path):
    theirs_titles, theirs = read(theirs_path)
    ours_titles, ours = read(ours_path)
    problems = []
    if theirs_titles != ours_titles:
        problems.append("titles %s, expected %s" % (ours_titles, theirs_titles))
    if len(theirs) != len(ours):
        problems.append("%d rows, expected %d" % (len(ours), len(theirs)))
    rules = DIFFERENCES.get(name, {})
    for number, (a, b) in enumerate(zip(theirs, ours), 2):
        width = max(len(a), len(b))
        for column in range(width):
            title = theirs_titles[column] if column < len(theirs_titles) else "?"
            x = a[column] if column < len(a) else "N/A"
            y = b[column] if column < len(b) else "N/A"
            rule = rules.get(title, equal)
            if rule is not SKIP and not rule(x, y):
                problems.append("line %d, %s: %s, expected %s" % (number, title, y, x))
    return problems


def compare_values(place, theirs, ours):
    """Every member in its order; their numbers are sums of doubles, and stamps in us are doubles too."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if list(theirs) != list(ours):
            return ["%s has %s, expected %s" % (place, list(ours)[:5], list(theirs)[:5])]
        return [problem for key in theirs for problem in compare_values(place + "/" + key, theirs[key], ours[key])]
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        return [problem for a, b in zip(theirs, ours) for problem in compare_values(place, a, b)]
    if isinstance(theirs, (int, float)) and isinstance(ours, (int, float)):
        limit = 0.25 if place.endswith("Timestamp(us)") else 1e-9 * max(1, abs(theirs))
        return [] if abs(theirs - ours) <= limit else ["%s: %s, expected %s" % (place, ours, theirs)]
    return [] if theirs == ours else ["%s: %s, expected %s" % (place, ours, theirs)]


def compare_documents(theirs_path, ours_path):
    with open(theirs_path, encoding="utf-8") as theirs, open(ours_path, encoding="utf-8") as ours:
        return compare_values("", json.load(theirs), json.load(ours))


def main():
    expected, ours = sys.argv[1:3]
    only = set(sys.argv[3:])
    failed = 0
    for path in sorted(glob.glob(os.path.join(expected, "*.csv"))):
        name = os.path.splitext(os.path.basename(path))[0]
        if name in OTHERS or (only and name not in only):
            continue
        mine = find_ours(ours, name)
        problems = compare(name, path, mine) if mine else ["there is none"]
        print("%s: %s" % (name, "equal" if not problems else "%d differences: %s" % (len(problems), "; ".join(problems[:3]))))
        failed += bool(problems)
    for name in ("communication", "communication_matrix"):
        path = os.path.join(expected, name + ".json")
        if only or not os.path.exists(path):
            continue
        mine = find_ours(ours, name, "json")
        problems = compare_documents(path, mine) if mine else ["there is none"]
        print("%s: %s" % (name, "equal" if not problems else "; ".join(problems[:3])))
        failed += bool(problems)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
