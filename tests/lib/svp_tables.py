#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the summary tables of an SVP capture with what its files say by the documented layouts and formulas.

usage: svp_tables.py CAPTURE SUMMARY_DIRECTORY guide|vendor csv|json

Shares nothing with msprof: exact fractions instead of its integers, Python's csv and json instead of its writers.
"""
import csv
import glob
import json
import os
import struct
import sys
from collections import defaultdict
from fractions import Fraction
from math import floor

PMU = struct.Struct("<6xH8xQ8x8QIIQQII")
ACL = struct.Struct("<4xIQQII64s32x")
MODES = {1: "op", 2: "model", 3: "runtime", 4: "others"}
RATIOS = ["Mac Busy", "Mac Ppen", "Vec Busy", "Vec Ppen", "Dstr", "Dtrans", "DLD", "WLD"]
MAC_BUSY, VEC_PPEN, DSTR, DLD, WLD = 0, 3, 4, 6, 7


class Number(str):
    """The text of a number: in JSON it has no quotes."""


def number(value, decimals):
    """The shortest form of a fraction >= 0 that is rounded half up."""
    scaled = floor(Fraction(value) * 10**decimals + Fraction(1, 2))
    text = f"{scaled // 10**decimals}.{scaled % 10**decimals:0{decimals}d}" if decimals else str(scaled)
    return Number(text.rstrip("0").rstrip(".") if decimals else text)


def ratio(numerator, denominator):
    return Fraction(numerator, denominator) if denominator else Fraction(0)


class Capture:
    def __init__(self, path):
        self.data = os.path.join(path, "data")
        self.mhz, self.layers, self.marks = {}, {}, {}
        for name in glob.glob(os.path.join(glob.escape(path), "info.json.*")):
            with open(name, encoding="utf-8") as file:
                self.mhz[int(name.rsplit(".", 1)[1])] = Fraction(json.load(file)["DeviceInfo"][0]["aic_frequency"])
        for name in os.listdir(self.data):
            if name.endswith(".layer.info"):
                model, model_id = name[: -len(".layer.info")].rsplit(".", 1)
                with open(os.path.join(self.data, name), encoding="utf-8") as file:
                    self.layers[model, int(model_id)] = json.load(file)
            elif name.startswith("aicore.") and name.endswith(".done"):
                device, rest = name[len("aicore.") : -len(".done")].split(".", 1)
                model, *numbers = rest.rsplit(".", 4)
                with open(os.path.join(self.data, name), encoding="utf-8") as file:
                    values = dict(line.strip().split(":") for line in file)
                self.marks[(int(device), *map(int, numbers))] = (model, values)

    def records(self, prefix, layout, size=128):
        """(fields of the name after the prefix, records) of each file, in the order of their names."""
        for name in sorted(os.listdir(self.data)):
            if name.startswith(prefix) and not name.endswith((".done", ".complete")):
                with open(os.path.join(self.data, name), "rb") as file:
                    content = file.read()
                yield name[len(prefix) :], [layout(content[i : i + size]) for i in range(0, len(content), size)]

    def inferences(self):
        """{(device, model id, batch, input, picture): its records in the order of the file}"""
        found = defaultdict(list)
        for name, records in self.records("aicore.", PMU.unpack):
            device, batch, inputs = map(int, name.split("."))
            for record in records:
                found[device, record[11], batch, inputs, record[14]].append(record)
        return found

    def layers_of(self, model, model_id, task, engine):
        return [layer for layer in self.layers[model, model_id] if (layer["task_id"], layer["engine"]) == (task, engine)]


def metrics(columns, cycles, counters, read, write, mhz, network_cycles):
    busy = max(counters[MAC_BUSY], counters[VEC_PPEN])
    bound = ratio(max(counters[DSTR], counters[DLD], counters[WLD]), busy)
    row = [number(Fraction(cycles) / mhz, 2), number(100 * ratio(cycles, network_cycles), 2)]
    row += [number(100 * ratio(counter, cycles), 2) for counter in counters]
    row.append(number(bound, 2))
    scale, decimals = (1, 0) if columns == "guide" else (1024, 2)
    return row + [number(Fraction(value, scale), decimals) for value in (read, write, read + write)]


def op_summary(capture, columns):
    ratios = [f"{name} Ratio" for name in ["Time"] + RATIOS]
    if columns == "guide":
        head = ["Layer Id", "Ori Layer Name", "Layer Name", "Layer Type", "Time(us)", *ratios, "Memory Bound"]
        head += ["DDR Read(byte)", "DDR Write(byte)", "DDR Total(byte)"]
    else:
        head = ["Task ID", "Layer ID", "Layer Name", "Layer Type", "Ori Layer Name", "Time(us)"]
        head += [f"{name}(%)" for name in ratios] + ["Memory Bound", "DDR Read(KB)", "DDR Write(KB)", "DDR Total(KB)"]
    for (device, model_id, batch, inputs, picture), records in capture.inferences().items():
        model, mark = capture.marks[device, model_id, batch, inputs, picture]
        mhz = capture.mhz[device]
        hit, miss = int(mark["icache_hit"]), int(mark["icache_miss"])
        rate = floor(ratio(miss, hit + miss) * 10**6 + Fraction(1, 2))
        name = f"op_summary_{device}.{model}.{model_id}.{batch}.{inputs}.{picture}"
        name += f".{rate // 10**6}.{rate % 10**6:06d}.{floor(mhz + Fraction(1, 2))}"
        total = [sum(values) for values in zip(*records)]
        network = metrics(columns, total[1], total[2:10], total[12], total[13], mhz, total[1])
        if columns == "vendor":
            network[1] = "100"
        rows = [["-"] * (4 if columns == "guide" else 5) + network]
        for task, cycles, *rest in records:
            members = capture.layers_of(model, model_id, task, "AI_CORE")
            ids = ",".join(str(layer["layer_id"]) for layer in members)
            ids = Number(ids) if len(members) == 1 else ids
            names, types, origins = (",".join(layer[key] for layer in members) for key in ("name", "type", "ori_name"))
            who = [ids, origins, names, types] if columns == "guide" else [Number(task), ids, names, types, origins]
            rows.append(who + metrics(columns, cycles, rest[:8], rest[10], rest[11], mhz, total[1]))
        yield name, head, rows


def op_statistic(capture, columns):
    head = ["Task ID", "Stream ID", "OP Name" if columns == "guide" else "OP Type", "Task Type"]
    middle = ["Total Time Ratio(%)", "Total Time(us)"]
    head += (middle if columns == "guide" else middle[::-1]) + ["Count", "Avg(us)", "Max(us)", "Min(us)"]
    times = defaultdict(lambda: defaultdict(list))  # report, then (type, engine, stream): hundredths of us
    for (device, model_id, batch, inputs, picture), records in capture.inferences().items():
        model, _ = capture.marks[device, model_id, batch, inputs, picture]
        for record in records:
            centi = floor(Fraction(record[1]) / capture.mhz[device] * 100 + Fraction(1, 2))
            for layer in capture.layers_of(model, model_id, record[0], "AI_CORE"):
                times[device, model_id, picture][layer["type"].encode(), "AI_CORE", record[10]].append(centi)
    unpack = struct.Struct("<4xHHQ32xQ72x").unpack  # stream, task, start and end in ns
    for name, records in capture.records("aicpu.", unpack):
        device, rest = name.split(".", 1)
        model, model_id, _, _, picture = rest.rsplit(".", 4)
        for stream, task, start, end in records:
            for layer in capture.layers_of(model, int(model_id), task, "AI_CPU"):
                key = layer["type"].encode(), "AI_CPU", stream
                centi = floor(Fraction(end - start, 10) + Fraction(1, 2))
                times[int(device), int(model_id), int(picture)][key].append(centi)
    for (device, model_id, picture), report in times.items():
        everything = sum(map(sum, report.values()))
        rows = []
        for (kind, engine, stream), centi in sorted(report.items(), key=lambda item: (item[0][0], item[0][1] == "AI_CPU")):
            share = [number(100 * ratio(sum(centi), everything), 2), number(Fraction(sum(centi), 100), 2)]
            row = [Number(len(rows)), Number(stream), kind.decode(), engine]
            row += (share if columns == "guide" else share[::-1]) + [Number(len(centi))]
            row.append(number(Fraction(sum(centi), 100 * len(centi)), 4))
            rows.append(row + [number(Fraction(value, 100), 2) for value in (max(centi), min(centi))])
        yield f"op_statistic_{device}_{model_id}_{picture}_1", head, rows


def acl_statistic(capture, columns):
    head = ["Process ID", "Thread ID", "Type", "Name"]
    middle, end = ["Total Time Ratio(%)", "Total Time(us)"], ["Max(us)", "Min(us)"]
    guide = columns == "guide"
    head += (middle if guide else middle[::-1]) + ["Count", "Avg(us)"] + (end if guide else end[::-1])
    for name, records in capture.records("acl_api.", ACL.unpack):
        device, rest = name.split(".", 1)
        calls = defaultdict(list)
        for kind, start, stop, process, thread, api in records:
            calls[process, thread, kind, api.rstrip(b"\0").decode()].append(stop - start)
        everything = sum(map(sum, calls.values()))
        rows = []
        for (process, thread, kind, api), spans in sorted(
            calls.items(), key=lambda item: (item[0][:2], -sum(item[1]), item[0][3].encode())
        ):
            percent = 100 * ratio(sum(spans), everything)
            share = [number(percent, 9 if percent < 10 else 8), number(Fraction(sum(spans), 1000), 3)]
            mean = Fraction(sum(spans), len(spans))
            mean = number(mean / 1000, 3) if guide else Number(floor(mean) // 1000)
            ends = [number(Fraction(value, 1000), 3) for value in (max(spans), min(spans))]
            row = [Number(process), Number(thread), MODES[kind], api] + (share if guide else share[::-1])
            rows.append(row + [Number(len(spans)), mean] + (ends if guide else ends[::-1]))
        yield f"acl_statistic_{device}_{rest.rsplit('.', 1)[1]}_1", head, rows


def read_table(path):
    """(titles, rows); in JSON files numbers are told from texts."""
    with open(path, encoding="utf-8", newline="") as file:
        if path.endswith(".csv"):
            rows = list(csv.reader(file))
            return rows[0], rows[1:]
        objects = json.load(file, parse_int=Number, parse_float=Number)
    heads = {tuple(entry) for entry in objects}
    assert len(heads) == 1, f"{path}: objects with different keys"
    return list(heads.pop()), [list(entry.values()) for entry in objects]


def main():
    capture, directory, columns, suffix = Capture(sys.argv[1]), *sys.argv[2:]
    expected, failures = {}, []
    for report in (op_summary, op_statistic, acl_statistic):
        for name, head, rows in report(capture, columns):
            expected[f"{name}.{suffix}"] = head, rows
    found = set(os.listdir(directory))
    failures += [f"{name}: missing" for name in sorted(expected.keys() - found)]
    failures += [f"{name}: not expected" for name in sorted(found - expected.keys())]
    for name in sorted(found & expected.keys()):
        head, rows = read_table(os.path.join(directory, name))
        for line, (mine, theirs) in enumerate(zip([expected[name][0], *expected[name][1]], [head, *rows])):
            if mine != theirs or (suffix == "json" and list(map(type, mine)) != list(map(type, theirs))):
                failures.append(f"{name}: row {line}: found {theirs}, expected {mine}")
        if len(rows) != len(expected[name][1]):
            failures.append(f"{name}: {len(rows)} rows, expected {len(expected[name][1])}")
    print("\n".join(failures) or f"{len(expected)} tables agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
