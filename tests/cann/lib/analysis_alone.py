# SPDX-License-Identifier: Apache-2.0
"""The timeline of what msprof concludes from a capture that is not one of CANN since 2023, compared with its tables and with
the tasks that its other timelines have.

usage: analysis_alone.py DIRECTORY GAPS OVERLAP [none]   (a directory timeline/; tables as CSV; none: it has no steps)
"""
import collections
import csv
import glob
import sys
from decimal import Decimal

from timeline import read_timeline

directory, gaps, overlap = sys.argv[1:4]


def read(path):
    document = read_timeline(path, parse_float=Decimal)
    return document.events, int(document.facts["origin_ns"]), document.facts


def ns(us):
    return round(Decimal(us) * 1000)


def rows(path):
    with open(path, newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


events, origin, other = read(directory + "/analysis.json")
assert {e["args"]["name"] for e in events if e["name"] == "process_name"} == {"Analysis"}
device = {e["pid"]: int(e["args"]["labels"].split()[1]) for e in events if e["name"] == "process_labels"}


def slices(name):
    return [e for e in events if e["ph"] == "X" and e["name"].startswith(name)]


drawn = sorted((origin + ns(e["ts"]), ns(e["dur"]), device[e["pid"]], e["args"]["Before"], e["args"]["After"])
               for e in slices("Gap"))
table = sorted((ns(r["Start(us)"]), ns(r["Length(us)"]), int(r["Device_id"]), r["Before"], r["After"]) for r in rows(gaps))
# The table has lengths of whole ticks, the timeline begins and ends at nanoseconds: a clock of other ticks differs by one.
assert drawn and len(drawn) == len(table), (len(drawn), len(table))
for gap, row in zip(drawn, table):
    assert gap[0] == row[0] and abs(gap[1] - row[1]) <= 1 and gap[2:] == row[2:], (gap, row)

drawn_steps = sorted((e["args"]["Step"], origin + ns(e["ts"]), ns(e["dur"]), ns(e["args"]["Busy(us)"])) for e in slices("Step"))
assert drawn_steps == sorted((int(r["Step"]), ns(r["Start(us)"]), ns(r["Time(us)"]), ns(r["Busy(us)"])) for r in rows(overlap)
                             if r["Source"] != "none")
assert bool(drawn_steps) == (sys.argv[4:] != ["none"])

# no task that another timeline has runs in a gap, and the integral of the use is the time in which any ran
tasks = collections.defaultdict(set)
for path in glob.glob(directory + "/task_time_*.json"):
    its, start, about = read(path)
    assert about["clock"] == other["clock"], (about, other)
    for e in its:
        if e["ph"] == "X" and ("Task Type" in e["args"] or "task_type" in e["args"] or "Task ID" in e["args"]):
            tasks[about["device_id"]].add((start + ns(e["ts"]), start + ns(e["ts"]) + ns(e["dur"])))
assert tasks.keys() == set(device.values()), (tasks.keys(), device)
for number, its in tasks.items():
    busy, until = 0, min(its)[0]
    first = until
    for begin, end in sorted(its):
        busy += max(0, end - max(begin, until))
        until = max(until, end)
    for begin, length, where, _, _ in drawn:
        if where == number:
            inside = [t for t in its if t[0] < begin + length and t[1] > begin]
            assert not inside, (begin, length, inside)
    values = sorted((ns(e["ts"]), e["args"]["Busy(%)"]) for e in events
                    if e["ph"] == "C" and e["name"] == "Device utilisation" and device[e["pid"]] == number)
    found = sum(value * (after - time) for (time, value), (after, _) in zip(values, values[1:])) / 100
    assert abs(found - busy) < len(its), (number, found, busy)  # ends and durations are rounded to nanoseconds
print(f"{len(drawn)} gaps, {len(drawn_steps)} steps, {len(tasks)} devices")
