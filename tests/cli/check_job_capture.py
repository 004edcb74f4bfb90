#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what msprof made of a capture of the JOB era with the expectations beside it (expected/op_timeline.csv: what
ran; of the real capture also another parser's op_type_time.txt). This reads the raw text files by itself.

usage: check_job_capture.py RAW RESULTS RECORDS EXECUTIONS OPERATORS ITERATIONS WHAT

The numbers say how many records the hwts file has, how many executions of operators, of how many operators at least, and
how many iterations have an end.
"""
import collections
import csv
import decimal
import json
import os
import re
import sqlite3
import struct
import sys

from timeline import read_timeline

raw, results, *numbers, what = sys.argv[1:]
RECORDS, EXECUTIONS, OPERATORS, ITERATIONS = map(int, numbers)
expected = os.path.join(os.path.dirname(os.path.normpath(raw)), "expected")
D = decimal.Decimal
DATA_TYPES = {"31": "INT32", "39": "FLOAT16", "40": "FLOAT32"}  # of MindSpore, those that occur


def same(found, wanted, about):
    if found != wanted:
        sys.exit(f"{about}: found {found}, expected {wanted}")


def table(name):
    with open(os.path.join(results, "summary", name + "_1.csv"), encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def summary():
    titles, *rows = table("op_summary")
    return [dict(zip(titles, row)) for row in rows]


def timeline():
    document = read_timeline(os.path.join(results, "timeline", "task_time_1.json"), parse_float=D)
    return document, [event for event in document.events if event["ph"] == "X"]


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
    origin = int(document.facts["origin_ns"])
    found = sorted((event["args"].get("Op Name", event["name"]), event["args"]["Stream Id"], nanoseconds(event["ts"], 1000) + origin,
                    nanoseconds(event["dur"], 1000)) for event in events if "Task Type" in event["args"])
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


TASKS, BESIDE = 0, 1  # processes of the timeline
GAP = 10_000  # ns: a stretch of tasks without a name goes on when the next one begins this soon


def grouped(tasks):
    """Stretches of tasks without a name: start, duration, how many there are, of how many streams, their total time."""
    stretches = []
    for start, duration, stream in sorted(tasks):
        if not stretches or start - stretches[-1][1] > GAP:
            stretches.append([start, start, 0, set(), 0])
        stretch = stretches[-1]
        stretch[1] = max(stretch[1], start + duration)
        stretch[2] += 1
        stretch[3].add(stream)
        stretch[4] += duration
    return [(start, end - start, count, len(streams), total) for start, end, count, streams, total in stretches]


def check_threads(document, events):
    threads = {(event["pid"], event["tid"]): event["args"]["name"] for event in document.events
               if event["name"] == "thread_name"}
    same(len(threads), sum(event["name"] == "thread_name" for event in document.events), "names of threads")
    streams = {event["args"]["Stream Id"] for event in events if "Task Type" in event["args"]}
    wanted = {f"Stream {stream}" for stream in streams} | {"Tasks without a name"}
    same({name for (pid, _), name in threads.items() if pid == TASKS}, wanted, "threads of tasks")
    for event in events:
        if "Task Type" in event["args"]:
            same(list(event["args"])[:3], ["Task Type", "Stream Id", "Task Id"], "first arguments")
            same({"OP Type", "Block Num"} <= set(event["args"]), True, "type and blocks among the arguments")
            same(event["tid"], event["args"]["Stream Id"], "thread of a task")
        elif event["pid"] == TASKS:
            same(threads[TASKS, event["tid"]], "Tasks without a name", "thread of a stretch")


def check_nesting(events):
    ends = collections.defaultdict(list)
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        open_slices = ends[event["pid"], event["tid"]]
        while open_slices and open_slices[-1] <= event["ts"]:
            open_slices.pop()
        if open_slices and open_slices[-1] < event["ts"] + event["dur"]:
            sys.exit(f"a slice of thread {event['tid']} at {event['ts']} us overlaps another partly")
        open_slices.append(event["ts"] + event["dur"])


def timeline_shape():
    document, events = timeline()
    origin = int(document.facts["origin_ns"])
    database = sqlite3.connect(f"file:{results}/sqlite/runtime.db?mode=ro", uri=True)
    unnamed = database.execute("SELECT start_ns, duration_ns, stream_id FROM task WHERE id NOT IN (SELECT id FROM operator_task)"
                               ).fetchall()
    first, = database.execute("SELECT min(start_ns) FROM task WHERE id IN (SELECT id FROM operator_task)").fetchone()
    same(origin, min(first, min(tick * 10 for tick, point, _ in points() if point == 1)), "the start")
    same(min(event["ts"] for event in events), 0, "the first slice")
    same(document.facts["tasks_before"], sum(task[0] < origin for task in unnamed), "tasks before the start")
    found = [(event["name"], nanoseconds(event["ts"], 1000) + origin, nanoseconds(event["dur"], 1000), event["args"])
             for event in events if event["pid"] == TASKS and "Task Type" not in event["args"]]
    wanted = [(f"{count} task{'s'[:count != 1]} without a name", start, duration,
               {"Tasks": count, "Streams": streams, "Total Time(us)": D(total) / 1000})
              for start, duration, count, streams, total in grouped(task for task in unnamed if task[0] >= origin)]
    same(found, wanted, "stretches of tasks without a name")
    same(EXECUTIONS + sum(stretch[3]["Tasks"] for stretch in found) + document.facts["tasks_before"],
         database.execute("SELECT count(*) FROM task").fetchone()[0], "tasks in the timeline")
    check_threads(document, events)
    check_nesting(events)


def raw_file(*names):
    with open(os.path.join(raw, *names), "rb") as file:
        return file.read()


def points():
    """tick, point, stream of training_trace, in order of time."""
    data = raw_file("data", "training_trace.46.dev.profiler_default_tag.1.slice_0")
    return sorted((tick, point, stream) for point, _, stream, tick in struct.iter_unpack("<QHHQ", data))


def expected_iterations():
    """Start, forward, backward, end in ticks, and the pairs (number: stream, begin, end). One without an end is none, and
    the next one begins by itself."""
    before, passed = None, {}
    for tick, point, stream in points():
        if point > 255:
            before, passed = None if 1 in passed else before, {}
            continue
        passed[point] = tick, stream
        if point == 255:
            forward, backward = passed[1][0], passed[2][0]
            pairs = {number: (passed[begin][1], passed[begin][0], passed[begin + 1][0])
                     for number, begin in enumerate(range(3, 255, 2)) if begin in passed and begin + 1 in passed}
            yield before or forward, forward, backward, tick, pairs
            before, passed = tick, {}


def us(ticks):
    return f"{D(ticks) / 100:.3f}"


def iterations():
    wanted = list(expected_iterations())
    same(len(wanted), ITERATIONS, "iterations")
    width = 1 + max(number for *_, pairs in wanted for number in pairs)
    rows = []
    for number, (start, forward, backward, end, pairs) in enumerate(wanted, 1):
        row = [str(number), us(forward), us(backward), us(end), us(end - start), us(backward - forward), us(end - backward),
               us(forward - start)]
        for pair in range(width):
            _, begin, finish = pairs.get(pair, (None, None, None))
            row += ["N/A", "N/A"] if begin is None else [us(begin), us(finish - begin)]
        rows.append(row)
    titles, *found = table("step_trace")
    same(titles, ["Iteration ID", "FP Start(us)", "BP End(us)", "Iteration End(us)", "Iteration Time(us)",
                  "FP to BP Time(us)", "Iteration Refresh(us)", "Data Aug Bound(us)"] +
         ["Reduce Start(us)", "Reduce Duration(us)"] * width, "columns of step_trace")
    for one, other in zip(found, rows):
        same(one, other, "an iteration")
    same(len(found), len(rows), "rows of step_trace")
    check_track(wanted)


def check_track(steps):
    document, events = timeline()
    origin = int(document.facts["origin_ns"])
    threads = {event["tid"]: event["args"]["name"] for event in document.events
               if event["name"] == "thread_name" and event["pid"] == BESIDE}
    names = dict(line.split(maxsplit=1) for line in raw_file("Framework.host.vm.point.1.slice_0").decode().splitlines())
    wanted = []
    for number, (start, forward, backward, end, pairs) in enumerate(steps, 1):
        wanted += [(f"Iteration {number}", "Iterations", start, end, None),
                   (f"FP_BP Time {number}", "Iterations", forward, backward, None),
                   (f"Iteration Refresh {number}", "Iterations", backward, end, None)]
        wanted += [(f"Reduce_{number}_{pair}", f"Stream {stream}", begin, finish, names.get(str(3 + 2 * pair)))
                   for pair, (stream, begin, finish) in pairs.items()]
    found = []
    for event in events:
        if event["pid"] != BESIDE:
            continue
        start = nanoseconds(event["ts"], 1000) + origin
        found.append((event["name"], threads[event["tid"]], start // 10,
                      (start + nanoseconds(event["dur"], 1000)) // 10, event["args"].get("Op Name")))
    same(sorted(found, key=str), sorted(wanted, key=str), "slices of iterations")


def logs():
    """The entries of both logs, found by their marks alone."""
    text = raw_file("DATA_PREPROCESS.dev.AICPU.1.slice_0").replace(b"\0", b" ").decode()
    rows, node = [], None
    for entry in re.split(r"(?=\[\d+\] Node:|Thread\[)", text)[1:]:
        numbers = dict(re.findall(r"(\w+)[=:](\d+)", entry))
        if not entry.startswith("Thread"):
            rows += [node] if node else []
            name = re.search(r"Node:([^,]*)", entry).group(1)
            node = [name, name.rsplit("/", 1)[-1].split("-op")[0], numbers["tart"], numbers["end"]] + 5 * ["N/A"]
            continue
        node = node or 9 * ["N/A"]
        begin, end = int(numbers["tickBeforeRun"]), int(numbers["tickAfterRun"])
        node[4:] = [numbers["dispatchTime"], numbers["totalTime"], us(begin), us(end - begin),
                    re.match(r"Thread\[ *(\d+)", entry).group(1)]
        rows, node = rows + [node], None
    rows += [node] if node else []
    same(table("aicpu")[1:], rows, "rows of aicpu")
    same(rows != [], True, "rows of aicpu")
    entries = raw_file("DATA_PREPROCESS.dev.TDT.1.slice_0").rstrip(b"\0").decode().split("\0")
    same(table("dp")[1:], [list(re.fullmatch(r"\[(\d+)\] (.*), source:(.*), index:(\d+), size:(\d+)", entry).groups())
                           for entry in entries], "rows of dp")


{"records": records, "executions": executions, "types": types, "tensors": tensors, "timeline": timeline_shape,
 "iterations": iterations, "logs": logs}[what]()
