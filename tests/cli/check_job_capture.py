#!/usr/bin/env python3
"""Compares what msprof made of a capture of the JOB era with the expectations beside it (expected/op_timeline.csv: what
ran; of the real capture also another parser's op_type_time.txt). This reads the raw text files by itself.

usage: check_job_capture.py RAW RESULTS RECORDS EXECUTIONS OPERATORS WHAT

The numbers say how many records the hwts file has, how many executions of operators, and of how many operators at least.
"""
import collections
import csv
import decimal
import json
import os
import re
import sqlite3
import sys

raw, results, *numbers, what = sys.argv[1:]
RECORDS, EXECUTIONS, OPERATORS = map(int, numbers)
expected = os.path.join(os.path.dirname(os.path.normpath(raw)), "expected")
D = decimal.Decimal
DATA_TYPES = {"31": "INT32", "39": "FLOAT16", "40": "FLOAT32"}  # of MindSpore, those that occur


def same(found, wanted, about):
    if found != wanted:
        sys.exit(f"{about}: found {found}, expected {wanted}")


def summary():
    with open(os.path.join(results, "summary", "op_summary_1.csv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def timeline():
    with open(os.path.join(results, "timeline", "task_time_1.json"), encoding="utf-8") as file:
        document = json.load(file, parse_float=D)
    return document, [event for event in document["traceEvents"] if event["ph"] == "X"]


def nanoseconds(text, unit):
    value = D(text) * unit
    if unit == 1000 and D(text).as_tuple().exponent == -6:  # a dur is up to half a nanosecond short
        value = D(round(value))
    same(value, value.to_integral_value(), f"'{text}' in whole nanoseconds")
    return int(value)


def records():
    database = sqlite3.connect(f"file:{results}/sqlite/runtime.db?mode=ro", uri=True)
    same(database.execute("SELECT count(*) FROM hwts_log").fetchone()[0], RECORDS, "hwts records")
    (path,) = (name for name in os.listdir(raw) if name.startswith("hwts.log.data.") and not name.endswith(".done"))
    same(os.path.getsize(os.path.join(raw, path)), RECORDS * 64, "bytes of the hwts file")
    same(database.execute("SELECT sum(records_rejected) FROM source_file").fetchone()[0], 0, "rejected records")
    same(database.execute("SELECT DISTINCT device_id FROM task").fetchall(), [(1,)], "devices")


def executions():
    with open(os.path.join(expected, "op_timeline.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, skipinitialspace=True))[1:]
    wanted = sorted((name, int(stream), nanoseconds(start, 10**6), nanoseconds(duration, 10**6))
                    for name, stream, start, duration in rows)
    same(len(wanted), EXECUTIONS, "expected executions")
    found = sorted((row["Op Name"], int(row["Stream ID"]), nanoseconds(row["Task Start Time(us)"], 1000),
                    nanoseconds(row["Task Duration(us)"], 1000)) for row in summary())
    same(len(found), len(wanted), "executions in the summary")
    for one, other in zip(found, wanted):
        same(one, other, "an execution in the summary")
    with open(os.path.join(results, "summary", "op_summary_1.json"), encoding="utf-8") as file:
        same(len(json.load(file)), len(wanted), "executions in the JSON summary")
    document, events = timeline()
    origin = int(document["otherData"]["origin_ns"])
    found = sorted((event["name"], event["args"]["Stream Id"], nanoseconds(event["ts"], 1000) + origin,
                    nanoseconds(event["dur"], 1000)) for event in events if event["name"] != "N/A")
    same(len(found), len(wanted), "executions in the timeline")
    for one, other in zip(found, wanted):
        same(one, other, "an execution in the timeline")


def types():
    """The rule that gives all 29 numbers: for each operator the mean over all its executions, the first one included;
    the sum of these means over the operators of a type, in ms, with six significant digits. called_times is the number
    of operators of the type."""
    wanted = {}
    with open(os.path.join(expected, "op_type_time.txt"), encoding="utf-8") as file:
        for line in file.read().split("Detail:")[0].splitlines()[3:]:
            if line.strip():
                name, time, calls, _ = line.split()
                wanted[name] = (D(time), int(calls))
    same(len(wanted), 29, "expected operator types")
    durations = collections.defaultdict(list)
    for row in summary():
        durations[row["OP Type"], row["Op Name"]].append(D(row["Task Duration(us)"]))
    found = collections.defaultdict(lambda: [D(0), 0])
    for (kind, _), times in durations.items():
        found[kind][0] += sum(times) / len(times) / 1000
        found[kind][1] += 1
    same(sorted(found), sorted(wanted), "operator types")
    for kind, (time, calls) in wanted.items():
        # The expectation was rounded to whole nanoseconds first and printed with six digits then.
        rounded = found[kind][0].quantize(D("0.000001"), decimal.ROUND_HALF_UP)
        same((D(f"{rounded:.6g}"), found[kind][1]), (time, calls), f"type {kind}")
    with open(os.path.join(results, "summary", "op_statistic_1.csv"), encoding="utf-8", newline="") as file:
        statistic = {row["OP Type"]: row for row in csv.DictReader(file)}
    same(sorted(statistic), sorted(wanted), "operator types of the statistic")
    for kind, row in statistic.items():
        times = [time for (of, _), some in durations.items() if of == kind for time in some]
        same((int(row["Count"]), D(row["Total Time(us)"]), D(row["Min Time(us)"]), D(row["Max Time(us)"])),
             (len(times), sum(times), min(times), max(times)), f"statistic of {kind}")


def tensors():
    operators = {}
    with open(os.path.join(raw, "Framework.host.vm.graph_desc_info.1.slice_0"), encoding="utf-8") as file:
        for line in file:
            words = re.findall(r'(\w+):("[^"]*"|\S*)', line)
            values = collections.defaultdict(list)
            for key, value in words:
                value = value.strip('"')
                values[key].append(DATA_TYPES[value] if key.endswith("data_type") else value)
            operators[values["op_name"][0]] = values
    columns = {"Input Shapes": "input_shape", "Input Data Types": "input_data_type", "Input Formats": "input_format",
               "Output Shapes": "output_shape", "Output Data Types": "output_data_type", "Output Formats": "output_format"}
    compared = set()
    for row in summary():
        values = operators[row["Op Name"]]
        same(row["OP Type"], values["op_type"][0], f"type of {row['Op Name']}")
        for column, key in columns.items():
            wanted = ";".join(values[key]) if values[key] else "N/A"
            same(row[column], wanted, f"{column} of {row['Op Name']}")
        compared.add(row["Op Name"])
    same(len(compared) >= OPERATORS, True, "operators compared")


def timeline_shape():
    document, events = timeline()
    database = sqlite3.connect(f"file:{results}/sqlite/runtime.db?mode=ro", uri=True)
    same(len(events), database.execute("SELECT count(*) FROM task").fetchone()[0], "tasks in the timeline")
    streams = {event["args"]["Stream Id"] for event in events}
    threads = {event["tid"]: event["args"]["name"] for event in document["traceEvents"] if event["name"] == "thread_name"}
    same(threads, {stream: f"Stream {stream}" for stream in streams}, "threads")
    for event in events:
        typed = ["op_type"] if event["name"] != "N/A" else []
        same(list(event["args"]), ["Task Type", "Stream Id", "Task Id"] + typed, "arguments")
        same(event["tid"], event["args"]["Stream Id"], "thread of a task")
    ends = collections.defaultdict(list)
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        open_slices = ends[event["tid"]]
        while open_slices and open_slices[-1] <= event["ts"]:
            open_slices.pop()
        if open_slices and open_slices[-1] < event["ts"] + event["dur"]:
            sys.exit(f"a slice of stream {event['tid']} at {event['ts']} us overlaps another partly")
        open_slices.append(event["ts"] + event["dur"])


{"records": records, "executions": executions, "types": types, "tensors": tensors, "timeline": timeline_shape}[what]()
