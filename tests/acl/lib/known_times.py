# SPDX-License-Identifier: Apache-2.0
"""Compares what exact_times printed with what msprof made of its capture, to the nanosecond.

usage: known_times.py KNOWN CAPTURE
"""

import csv
import glob
import json
import sqlite3
import sys
from decimal import Decimal
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import events_of  # noqa: E402

TYPES = ["marker", "push/pop", "start/end", "marker_ex"]


def known_events(path, offset):
    """What the program says, on the clock of the reports."""
    events = []
    for line in open(path, encoding="utf-8"):
        kind, thread, begin, end, message = line.rstrip("\n").split("\t")
        events.append((int(kind), int(thread), int(begin) + offset, int(end) + offset, message))
    return sorted(events)


def wall_clock_offset(capture):
    with open(f"{capture}/host/start_info", encoding="utf-8") as stream:
        info = json.load(stream)
    return int(info["collectionTimeBegin"]) * 1000 - int(info["clockMonotonicRaw"])


def database_events(capture):
    database = sqlite3.connect(f"{capture}/sqlite/runtime.db")
    return sorted(database.execute("SELECT event_type, thread_id, start_ns, end_ns, message FROM msproftx"))


def nanoseconds(microseconds):
    value = Decimal(microseconds.strip() if isinstance(microseconds, str) else microseconds) * 1000
    assert value == int(value), value
    return int(value)


def table_events(capture):
    (path,) = glob.glob(f"{capture}/mindstudio_profiler_output/msprof_tx_*.csv")
    with open(path, encoding="utf-8", newline="") as stream:
        return sorted(
            (
                TYPES.index(row["event_type"]),
                int(row["tid"]),
                nanoseconds(row["Start_time(us)"]),
                nanoseconds(row["End_time(us)"]),
                row["message"],
            )
            for row in csv.DictReader(stream)
        )


def timeline_events(capture):
    (path,) = glob.glob(f"{capture}/mindstudio_profiler_output/msprof_tx_*.json")
    with open(path, encoding="utf-8") as stream:
        trace = events_of(stream)
    # A range that overlaps another one of its thread has a lane of its own, called "Thread N (2)".
    lanes = {e["tid"]: e["args"]["name"] for e in trace if e["ph"] == "M" and e["name"] == "thread_name"}
    return sorted(
        (
            TYPES.index(e["args"]["event_type"]),
            int(lanes[e["tid"]].split()[1]),
            nanoseconds(e["ts"]),
            nanoseconds(e["ts"]) + nanoseconds(e["dur"]),
            e["name"],
        )
        for e in trace
        if e["ph"] == "X"
    )


def main(known_path, capture):
    known = known_events(known_path, wall_clock_offset(capture))
    assert len(known) > 500, len(known)
    for name, found in (
        ("database", database_events(capture)),
        ("table", table_events(capture)),
        ("timeline", timeline_events(capture)),
    ):
        if found != known:
            differing = [(a, b) for a, b in zip(known, found) if a != b]
            sys.exit(f"{name}: {len(found)} events, known {len(known)}; first difference: {differing[:1]}")


main(*sys.argv[1:])
