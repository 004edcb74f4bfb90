# SPDX-License-Identifier: Apache-2.0
"""Compares the views with stable names of a capture's database with the manual and with the tables of show.
   python3 stable_views.py MSPROF MSPROF-SCHEMA.5 CAPTURE"""
import collections
import csv
import glob
import io
import re
import sqlite3
import subprocess
import sys

program, manual, capture = sys.argv[1:]
VIEWS = ["op", "task", "call", "step", "communication", "memory", "counter"]


def promised():
    """Names of the columns of each view, in the order of the manual; those behind the full stop are explained again."""
    section = open(manual).read().split(".Sh STABLE VIEWS")[1].split(".Sh ")[0]
    lists = re.findall(r"^\.It Va (\w+)\n(?:.*\n)*?((?:\.Va \w+ ,\n)+\.Va \w+ \.\n)", section, re.M)
    return {view: re.findall(r"\w{3,}|\bid\b", columns) for view, columns in lists}


def table(name, *options):
    """Rows of a table of show as dictionaries; none where the capture has none."""
    shown = subprocess.run([program, "-q", "show", capture, "--table", name, "--format", "csv", *options],
                           capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(shown.stdout))) if shown.returncode == 0 else []


def number(text):
    return float(str(text).strip())


def near(one, other, tolerance, what):
    assert abs(one - other) <= tolerance, f"{what}: {one} in the view, {other} in the table"


subprocess.run([program, "-q", "import", capture], check=True)
path, = glob.glob(glob.escape(capture) + "/sqlite/runtime.db")
db = sqlite3.connect(path)
db.row_factory = sqlite3.Row
family = db.execute("SELECT value FROM meta WHERE key = 'family'").fetchone()[0]
columns = promised()
assert sorted(columns) == sorted(VIEWS), columns
rows = {}
for view in VIEWS:
    rows[view] = db.execute(f"SELECT * FROM {view}").fetchall()
    has = [row[1] for row in db.execute(f"PRAGMA table_info({view})")]
    assert has == columns[view], f"{view} has {has}, and the manual says {columns[view]}"
    for row in rows[view]:
        for column in has:
            assert not column.endswith(("_ns", "_id", "_bytes")) or row[column] is None or isinstance(row[column], int)
        assert db.execute(f"SELECT count(*) FROM {row['source']} WHERE rowid = ?", [row["id"]]).fetchone()[0] == 1
    keys = [(row["source"], row["id"]) for row in rows[view]]
    assert view == "counter" or len(keys) == len(set(keys)), f"{view} names a record twice"

# Runs of operators, communication and copies: by type, and operators by name.
counts, names = collections.Counter(), collections.Counter()
lengths, by_name = collections.Counter(), collections.Counter()
for row in rows["op"] + rows["communication"]:
    if row["duration_ns"] is None or row["start_ns"] is None and family != "ascend-opprof":
        continue
    counts[row["type"] or "N/A"] += 1
    lengths[row["type"] or "N/A"] += row["duration_ns"]
for row in rows["op"]:
    names[row["name"]] += 1
    by_name[row["name"]] += row["duration_ns"] or 0
operators = {(row["source"], row["id"]) for row in rows["op"] + rows["communication"]}
for row in rows["task"]:
    if row["copy_bytes"] is not None and (row["source"], row["id"]) not in operators:
        counts["copy"] += 1
        lengths["copy"] += row["duration_ns"]
if family == "ascend-opprof":
    operators = table("operator")
    assert [row["Op Name"] for row in operators] == [row["name"] for row in rows["op"]]
    for one, other in zip(rows["op"], operators):
        near(one["duration_ns"] / 1000, number(other["Task Duration(us)"]), 0.001, "length of " + one["name"])
else:
    shown, total = collections.Counter(), collections.Counter()
    for row in table("ops", "--top", "100000"):
        shown[row["Type"]] += int(row["Count"])
        total[row["Type"]] += number(row["Total(us)"])
        if row["Name"] in by_name:
            near(by_name[row["Name"]] / 1000, number(row["Total(us)"]), 0.001 * names[row["Name"]], row["Name"])
            assert names[row["Name"]] == int(row["Count"]), row["Name"]
    assert shown == counts, f"{counts} in the views, {shown} in ops"
    for kind, count in counts.items():
        near(lengths[kind] / 1000, total[kind], 0.001 * count, "time of " + kind)
    assert counts

# Starts of operators and cycles, of tables that have both.
summary = table("op_summary", "--top", "100000")
if family == "ascend-cann":
    starts = {(row["Op Name"], str(row["Task Start Time(us)"]).strip()) for row in summary}
    for row in rows["op"]:
        assert (row["name"], f"{row['start_ns'] // 1000}.{row['start_ns'] % 1000:03d}") in starts, tuple(row)
    for core in "aic", "aiv":
        cycles = [number(row[core + "_total_cycles"]) for row in summary if row.get(core + "_total_cycles") not in (None, "N/A")]
        of_ops = {row["id"] for row in rows["op"]}
        counted = [row["value"] for row in rows["counter"]
                   if row["core"] == core and row["name"] == "total_cycle" and row["id"] in of_ops]
        if cycles:
            near(sum(counted), sum(cycles), 0, core + " cycles")
if family == "svp":
    traffic = [row for row in table("memory", "--top", "100000") if row["Kind"] == "traffic"]
    moved = sum(row["value"] for row in rows["counter"] if row["name"] in ("ddr_read_bytes", "ddr_write_bytes"))
    near(moved / 1e6, sum(number(row["Size(MB)"]) for row in traffic), 0.0005 * len(traffic) + 0.001, "bytes of DDR")

# Tasks.
if family == "ascend-cann":
    shown = sorted(str(row["task_start(us)"]).strip() for row in table("task_time", "--top", "100000"))
    has = sorted(f"{row['start_ns'] // 1000}.{row['start_ns'] % 1000:03d}" for row in rows["task"])
    assert set(shown) <= set(has) and len(shown) <= len(has), "starts of tasks"

# Calls.
calls, called = collections.Counter(), collections.Counter()
for row in rows["call"]:
    calls[row["name"]] += 1
    called[row["name"]] += row["duration_ns"]
api = table("api", "--top", "100000")
for row in api:
    assert calls[row["Function"]] == int(row["Count"]), f"{row['Function']}: {calls[row['Function']]}, {row['Count']}"
    near(called[row["Function"]] / 1000, number(row["Total(us)"]), 0.001 * calls[row["Function"]], row["Function"])
assert sum(calls.values()) == sum(int(row["Count"]) for row in api)

# Steps.
steps = table("steps", "--top", "100000")
assert len(rows["step"]) == sum(int(row["Steps"]) for row in steps), f"{len(rows['step'])} steps, {steps}"
trace = table("step_trace", "--top", "100000")
if family == "ascend-job":
    shown = [number(row["Iteration Time(us)"]) for row in trace]
    assert len(shown) == len(rows["step"]) > 0
    for step, us in zip(rows["step"], shown):
        near(step["duration_ns"] / 1000, us, 0.0011, "an iteration")

# Memory.
owners = {"application": "APP", "device": "Device"}
mem = sorted((owners[row["owner"]], row["time_ns"], row["bytes"] // 1024) for row in rows["memory"] if row["source"] == "npu_mem")
shown = sorted((row["event"], round(number(row["timestamp(us)"]) * 1000), int(number(row["memory(KB)"]))) for row in table("npu_mem", "--top", "100000"))
assert [(one[0], one[2]) for one in mem] == [(one[0], one[2]) for one in shown] or \
    all(abs(one[2] - other[2]) <= 1 for one, other in zip(sorted(mem, key=lambda r: (r[0], r[2])), sorted(shown, key=lambda r: (r[0], r[2])))) and \
    len(mem) == len(shown), "memory of the device"
for source, name, column in (("npu_module_mem", "npu_module_mem", "Total Reserved(KB)"), ("task_memory_info", "memory_record", "Total Allocated(KB)")):
    has = sorted(row["bytes"] / 1024 for row in rows["memory"] if row["source"] == source and row["bytes"] is not None)
    shown = sorted(number(row[column]) for row in table(name, "--top", "100000") if number(row[column]) >= 0 and row.get("Component") != "PTA+GE")
    assert len(has) == len(shown) and all(abs(one - other) < 1 for one, other in zip(has, shown)), (name, has, shown)

print(family, *(f"{view} {len(rows[view])}" for view in VIEWS))
