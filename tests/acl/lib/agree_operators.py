#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what 'msprof replay' sent with what the reports say of the same capture.

    agree_operators.py RECORDS NAMES RESULTS [TOLERANCE]

RESULTS is the directory that 'msprof export summary --output' wrote to. Of Ascend captures op_summary lists every operator
with its start and duration; of SVP captures the views of the database do, whose times are computed from cycles. Times may
differ by TOLERANCE ns (0). Prints how many operators agree.
"""
import csv
import glob
import os
import sqlite3
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
from operator_records import decode, decode_names, read  # noqa: E402


def nanoseconds(us):
    return int((Decimal(us.strip()) * 1000).to_integral_value())


def of_summary(paths):
    for path in paths:
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                # captures of the layout of 2022 have starts in ns, under a title without a unit
                start = row.get("Task Start Time")
                start = int(Decimal(start)) if start is not None else nanoseconds(row["Task Start Time(us)"])
                yield start, nanoseconds(row["Task Duration(us)"]), row["OP Type"], row["Op Name"]


def of_views(database):
    connection = sqlite3.connect(database)
    for start, cpu, types, names in connection.execute(
            "SELECT start_us, NULL, layer_types, layer_names FROM ai_core_task_report UNION ALL "
            "SELECT start_us, time_us, layer_types, layer_names FROM ai_cpu_task_report"):
        yield round(start * 1000), None if cpu is None else round(cpu * 1000), types, names


def main(records, names, results, tolerance="0"):
    size, table = decode_names(read(names))
    sent = decode(read(records), size)
    got = sorted((*table[one["index"]], one["start"], one["duration"], one["end"]) for one in sent)
    summaries = glob.glob(os.path.join(results, "**", "op_summary_*.csv"), recursive=True)
    database = os.path.join(results, "sqlite", "runtime.db")
    is_svp = sqlite3.connect(database).execute("SELECT value FROM meta WHERE key = 'family'").fetchone()[0] == "svp"
    wanted = of_views(database) if is_svp else of_summary(summaries)
    wanted = sorted((types, name, start, duration) for start, duration, types, name in wanted)
    if len(got) != len(wanted):
        sys.exit(f"{len(got)} operators were sent, {len(wanted)} are reported")
    limit = int(tolerance)
    for (types, name, start, duration, end), (types_wanted, name_wanted, start_wanted, duration_wanted) in zip(got, wanted):
        if (types, name) != (types_wanted, name_wanted) or abs(start - start_wanted) > limit or end != start + duration \
                or (duration_wanted is not None and abs(duration - duration_wanted) > limit):
            sys.exit(f"sent {types} {name} {start} {duration}, reported {types_wanted} {name_wanted} {start_wanted} "
                     f"{duration_wanted}")
    ends = [one["end"] for one in sent]
    if ends != sorted(ends):
        sys.exit("the operators were not sent in the order of their ends")
    if [one["index"] for one in sent] != list(range(sent[0]["index"], sent[0]["index"] + len(sent))):
        sys.exit("the indexes do not count up")
    print(len(got))


if __name__ == "__main__":
    main(*sys.argv[1:])
