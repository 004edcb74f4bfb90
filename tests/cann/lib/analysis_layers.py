# SPDX-License-Identifier: Apache-2.0
"""Layers of what msprof concludes, compared with its database and its tables.

usage: analysis_layers.py TIMELINE DATABASE GAPS OVERLAP OP_SUMMARY   (the last three: tables as CSV)
"""
import collections
import csv
import sqlite3
import sys
from decimal import Decimal

from timeline import read_timeline

timeline, database, gaps, overlap, operators = sys.argv[1:]
document = read_timeline(timeline, parse_float=Decimal)
origin = Decimal(document.facts["origin_unix_ns"])
events = document.events
analysis = {e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == "Analysis"}
assert len(analysis) == 1, analysis


def ns(us):
    return round(Decimal(us) * 1000)


def rows(path):
    with open(path, newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


def slices(name):
    return [e for e in events if e["pid"] in analysis and e["ph"] == "X" and e["name"].startswith(name)]


# gaps: the table of that name
drawn = sorted((origin + ns(e["ts"]), ns(e["dur"]), e["args"]["Cause"], e["args"]["Before"], e["args"]["After"])
               for e in slices("Gap"))
table = sorted((Decimal(ns(r["Start(us)"])), ns(r["Length(us)"]), r["Cause"], r["Before"], r["After"]) for r in rows(gaps))
assert drawn == table, (drawn[:2], table[:2], len(drawn), len(table))
assert drawn

# steps: the table of their parts
parts = ["Computing(us)", "Communication(us)", "Exposed(us)", "Copies(us)", "Busy(us)"]
drawn = sorted((e["args"]["Step"], origin + ns(e["ts"]), ns(e["dur"])) + tuple(ns(e["args"][part]) for part in parts)
               for e in slices("Step"))
table = sorted((int(r["Step"]), Decimal(ns(r["Start(us)"])), ns(r["Time(us)"])) + tuple(ns(r[part]) for part in parts)
               for r in rows(overlap) if r["Source"] != "none")
assert drawn == table, (drawn[:2], table[:2])


def integral(name, key):
    """Percent times nanoseconds: a value holds until the next."""
    values = sorted((ns(e["ts"]), e["args"][key]) for e in events if e["ph"] == "C" and e["name"] == name)
    assert values and values[-1][1] == 0, (name, values[-1:])
    return sum(value * (after - time) for (time, value), (after, _) in zip(values, values[1:])) / 100


# utilisation: when anything ran, from the database
db = sqlite3.connect(database)
ran = db.execute("SELECT start_ns, start_ns + duration_ns FROM device_task WHERE op_name_id IS NOT NULL"
                 " OR copy_bytes IS NOT NULL UNION ALL SELECT start_ns, start_ns + duration_ns FROM communication_op"
                 " ORDER BY start_ns").fetchall()
busy, until = 0, ran[0][0]
for start, end in ran:
    busy += max(0, end - max(start, until))
    until = max(until, end)
assert abs(integral("Device utilisation", "Busy(%)") - busy) < 1, (integral("Device utilisation", "Busy(%)"), busy)

# core units: the ratios of the operators' summary, of all executions of an operator together, over their time
def share_sums(ratios, cycles):
    found = collections.defaultdict(lambda: [0, 0, 0])
    for row in rows(operators):
        ratio = next((row[name] for name in ratios if row.get(name) not in (None, "", "N/A")), None)
        total = next((row[name] for name in cycles if row.get(name) not in (None, "", "N/A")), None)
        if ratio is None or total is None:
            continue
        group = found[row["Op Name"], row["OP Type"], row["Input Shapes"], row["Task Type"]]
        for i, value in enumerate((Decimal(ratio) * Decimal(total), Decimal(total), ns(row["Task Duration(us)"]))):
            group[i] += value
    return sum(units / all_cycles * time for units, all_cycles, time in found.values() if all_cycles)


expected = {"Cube(%)": share_sums(("aic_mac_ratio", "mac_ratio"), ("aic_total_cycles", "total_cycles")),
            "Vector(%)": share_sums(("aiv_vec_ratio", "vec_ratio"), ("aiv_total_cycles", "total_cycles"))}
if any(expected.values()):
    for key, sum_ns in expected.items():
        found = integral("Core units", key)
        assert abs(found - sum_ns) <= sum_ns / 100 + 100, (key, found, sum_ns)  # ratios have three decimals
else:
    assert not [e for e in events if e["name"] == "Core units"]
print(f"{len(slices('Gap'))} gaps, {len(slices('Step'))} steps, busy {busy} ns", *expected.values())
