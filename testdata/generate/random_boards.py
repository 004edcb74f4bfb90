#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boards with random record layouts: for each seed a capture with the tables that a vendor's tool would print of it, a
second capture of the same board that is held out, and what it holds. Encoder and tables are this script's own.

usage: random_boards.py OUTPUT [--seed N] [--count N] [--rows N] [--tables all|one|shuffled|whole]
                        [--related minus|delta|share] [--hide frequency|done]...

OUTPUT/<seed>/train/JOB..., OUTPUT/<seed>/train/tables, OUTPUT/<seed>/held/JOB..., OUTPUT/<seed>/held/tables,
OUTPUT/<seed>/truth.txt. Equal arguments give equal bytes.
"""

import argparse
import csv
import json
import os
import random
from fractions import Fraction

COUNTERS = ["mac_busy", "mac_ppen", "vec_busy", "vec_ppen", "dstr", "dtrans", "dld", "wld"]
TITLES = ["Task ID", "Layer ID", "Layer Name", "Layer Type", "Ori Layer Name", "Time(us)", "Time Ratio(%)",
          "Mac Busy Ratio(%)", "Mac Ppen Ratio(%)", "Vec Busy Ratio(%)", "Vec Ppen Ratio(%)", "Dstr Ratio(%)",
          "Dtrans Ratio(%)", "DLD Ratio(%)", "WLD Ratio(%)", "Memory Bound", "DDR Read(KB)", "DDR Write(KB)",
          "DDR Total(KB)"]


def rounded(value, decimals):
    """A fraction as the shortest decimal text, half away from zero."""
    unit = 10 ** decimals
    whole = (abs(value) * unit * 2 + 1) // 2
    text = f"{whole // unit}.{whole % unit:0{decimals}d}" if decimals else str(whole)
    return text.rstrip("0").rstrip(".") if decimals else text


class Board:
    """A random layout: fields are (name, bit, bits, scale) of the record as one integer."""

    def __init__(self, rng, related=None):
        self.rng = rng
        self.related = related
        self.sums = {}
        self.big = rng.random() < 0.5
        self.size = rng.randrange(24, 257, rng.choice([1, 2, 4, 8, 8]))
        self.header = rng.choice([0, 0, 0, 4, 8, 16, 24, 64, 100, rng.randrange(1, 513)])
        self.mhz = rng.choice([475, 594, 600, 700, 800])
        self.taken = [False] * self.size
        self.fields, self.fills, self.constants = [], [], []
        self.usual_scale = rng.choice([1, 1, 1, 1, 10, 16, 32, 64, 100, 100])
        self.place_fields()
        self.place_fills()

    def place(self, width, alignment):
        """The offset of free bytes, None when there are none."""
        offsets = [o for o in range(0, self.size - width + 1, alignment) if not any(self.taken[o:o + width])]
        if not offsets:
            return None
        offset = self.rng.choice(offsets)
        self.taken[offset:offset + width] = [True] * width
        return offset

    def low_bit(self, offset, width):
        return 8 * (self.size - offset - width if self.big else offset)

    def add(self, name, width, scale=1, alignment=None, bits=None, first=0):
        offset = self.place(width, alignment or (width if self.rng.random() < 0.85 else 1))
        if offset is None:
            return False
        low = self.low_bit(offset, width)
        self.fields.append((name, low + first, bits or 8 * width, scale))
        if bits and bits < 8 * width:  # what else is in the word
            for bit in range(8 * width):
                if not first <= bit < first + bits:
                    self.fills.append(("flag", low + bit, 1))
        return True

    def place_fields(self):
        rng = self.rng
        if rng.random() < 0.6:
            width = rng.choice([2, 4, 4, 4])
            value = rng.choice([0x5A5A, 0xA5A5, 0x55AA]) if width == 2 else (
                rng.randrange(0x40, 256) << 24 | rng.randrange(1, 256) << 16 | rng.randrange(1, 256) << 8 |
                rng.randrange(256))
            offset = 0 if rng.random() < 0.6 else self.place(width, width)
            if offset == 0 and not any(self.taken[:width]):
                self.taken[:width] = [True] * width
            if offset is not None:
                self.constants.append((self.low_bit(offset, width), 8 * width, value))
        if self.related == "minus":
            self.usual_scale = 1
            width = rng.choice([4, 8])
            if self.add("end", width, 1, width):
                self.add("total", width, 1, width)  # when it began
        elif self.related == "delta":
            self.add("total", 4, 1, 4)
        else:
            self.add("total", rng.choice([4, 4, 8]), self.usual_scale, 4)
        if rng.random() < 0.25:  # ids that share a word
            offset = self.place(4, 4)
            if offset is not None:
                low = self.low_bit(offset, 4)
                cut = rng.randrange(8, 17)
                self.fields.append(("task", low, cut, 1))
                self.fields.append(("pic", low + cut, 32 - cut, 1))
        else:
            self.add("task", rng.choice([2, 2, 4]))
            self.add("pic", rng.choice([2, 4, 4]))
        for name in rng.sample(COUNTERS, 8) if self.related in ("delta", "share") else []:
            self.add(name, 4 if self.related == "delta" else 2)
        for name in rng.sample(COUNTERS, 8) if self.related not in ("delta", "share") else []:
            scale = self.usual_scale if rng.random() < 0.8 else 1
            if rng.random() < 0.1:
                bits = rng.randrange(24, 31)
                self.add(name, 4, scale, 4, bits, rng.randrange(0, 33 - bits))
            elif self.size >= 48 or rng.random() < 0.5:
                self.add(name, rng.choice([4, 4, 4, 8]), scale)
        if rng.random() < 0.8:
            self.add("ddr_read", rng.choice([4, 8]), rng.choice([1, 1, 64, 1000]))
            self.add("ddr_write", rng.choice([4, 8]), rng.choice([1, 1, 64, 1000]))
        if rng.random() < 0.4:
            self.add("model", 4)
        if rng.random() < 0.4:
            self.add("stream", 2)

    def place_fills(self):
        """Noise, constants, counters, times, decoys that are nearly the total."""
        rng = self.rng
        while not all(self.taken):
            kind = rng.choice(["noise", "noise", "zero", "counter", "time", "decoy", "half", "small", "constant"])
            width = {"counter": rng.choice([2, 4]), "time": 8, "decoy": 4, "half": 4, "small": 1}.get(
                kind, rng.choice([1, 2, 4]))
            offset = self.place(width, 1)
            if offset is None:
                offset, width, kind = self.place(1, 1), 1, rng.choice(["noise", "zero"])
            if kind == "constant":
                self.constants.append((self.low_bit(offset, width), 8 * width, rng.randrange(1, 16)))
            elif kind != "zero":
                self.fills.append((kind, self.low_bit(offset, width), 8 * width))

    def has(self, name):
        return any(field[0] == name for field in self.fields)

    def raw(self, name, bits, scale, row):
        if self.related == "minus" and name in ("total", "end"):
            return (row["cycle"] - (row["total"] if name == "total" else 0)) % (1 << bits)
        if self.related == "share" and name in COUNTERS:
            return row[name + " share"]
        if self.related == "delta" and name in ("total", *COUNTERS):
            self.sums[name] = self.sums.get(name, 0) + row[name]
            return self.sums[name] % (1 << bits)
        return row[name] // scale

    def encode(self, row, index):
        record = 0
        for bit, bits, value in self.constants:
            record |= (value & ((1 << bits) - 1)) << bit
        for name, bit, bits, scale in self.fields:
            raw = self.raw(name, bits, scale, row)
            assert raw < 1 << bits, (name, raw, bits)
            record |= raw << bit
        for kind, bit, bits in self.fills:
            value = {"noise": self.rng.getrandbits(bits), "flag": self.rng.getrandbits(bits), "counter": 77 + index,
                     "time": row["now"], "decoy": row["total"] * self.rng.randrange(990, 1010) // 1000,
                     "half": row["total"] // 2, "small": self.rng.randrange(0, 4)}[kind]
            record |= (value & ((1 << bits) - 1)) << bit
        return record.to_bytes(self.size, "big" if self.big else "little")


def measure(board, rng, network, task, pic, model, now):
    """The counters of one task: whole multiples of their scales."""
    scales = {name: scale for name, _, _, scale in board.fields}
    total = int(network[task]["total"] * rng.uniform(0.95, 1.05))
    row = {"task": task, "pic": pic, "model": model, "stream": 0, "now": now}
    row["total"] = max(total // scales["total"], 1) * scales["total"]
    for name in COUNTERS:
        value = int(row["total"] * network[task][name] * rng.uniform(0.97, 1.03))
        row[name] = min(value, row["total"]) // scales.get(name, 1) * scales.get(name, 1)
        if board.related == "share":
            row[name + " share"] = (10000 * row[name] + row["total"] // 2) // row["total"]
            row[name] = (row[name + " share"] * row["total"] + 5000) // 10000
    for name in ("ddr_read", "ddr_write"):
        value = int(network[task][name] * rng.uniform(0.9, 1.1))
        row[name] = value // scales.get(name, 1) * scales.get(name, 1)
    return row


def make_network(rng, tasks, least=10.5):
    network = []
    for _ in range(tasks):
        task = {"total": int(2 ** rng.uniform(least, 21.5))}
        for name in COUNTERS:
            task[name] = 0 if rng.random() < 0.12 else rng.random() ** 2
        task["ddr_read"], task["ddr_write"] = int(2 ** rng.uniform(12, 24)), int(2 ** rng.uniform(10, 23))
        network.append(task)
    return network


def summary_rows(board, rows, decimals):
    """What the vendor's tool prints of one inference, the whole network first."""
    known = {field[0] for field in board.fields}
    network = {name: sum(row[name] for row in rows) for name in ["total", *COUNTERS, "ddr_read", "ddr_write"]}

    def cells(row, task):
        def ratio(name):
            return rounded(Fraction(100 * row[name], row["total"]), 2) if name in known else "N/A"

        bound = "N/A"
        if {"dstr", "dld", "wld", "mac_busy", "vec_ppen"} <= known:
            compute = max(row["mac_busy"], row["vec_ppen"])
            bound = rounded(Fraction(max(row["dstr"], row["dld"], row["wld"]), compute), 2) if compute else "0"
        identity = [task, task + 1, f"layer{task}", "Convolution", f"layer{task}"] if task is not None else ["-"] * 5
        share = rounded(Fraction(100 * row["total"], network["total"]), 2) if task is not None else "100"
        amounts = [rounded(Fraction(row[name], 1024), 2) if name in known else "N/A"
                   for name in ("ddr_read", "ddr_write")]
        both = rounded(Fraction(row["ddr_read"] + row["ddr_write"], 1024), 2) if "N/A" not in amounts else "N/A"
        return [*identity, rounded(Fraction(row["total"], board.mhz), decimals), share,
                *[ratio(name) for name in COUNTERS], bound, *amounts, both]

    return [cells(network, None)] + [cells(row, row["task"]) for row in rows]


def write_capture(board, rng, network, directory, name, pics, model, tables, hidden):
    job = os.path.join(directory, name)
    os.makedirs(os.path.join(job, "data"))
    os.makedirs(os.path.join(directory, "tables"))
    with open(os.path.join(job, "info.json.0"), "w", encoding="utf-8") as stream:
        stream.write('{"DeviceInfo": [{%s}]}' % ("" if "frequency" in hidden else f'"aic_frequency": "{board.mhz}"'))
    layers = [{"layer_id": task + 1, "name": f"layer{task}", "type": "Convolution", "ori_name": f"layer{task}",
               "task_id": task, "engine": "AI_CORE"} for task in range(len(network))]
    with open(os.path.join(job, "data", f"net.{model}.layer.info"), "w", encoding="utf-8") as stream:
        json.dump(layers, stream)
    content, index, now = [rng.randbytes(board.header)], 0, rng.randrange(10 ** 12, 10 ** 14)
    cycle, board.sums = 10 ** 6, {}
    for number, pic in enumerate(pics):
        rows = []
        for task in range(len(network)):
            rows.append(measure(board, rng, network, task, pic, model, now))
            now += rows[-1]["total"] * 1000 // board.mhz
            cycle += rows[-1]["total"] + 100
            rows[-1]["cycle"] = cycle
            content.append(board.encode(rows[-1], index))
            index += 1
        done = f"aicore.0.net.{model}.1.1.{pic}.done"
        with open(os.path.join(job, "data", done) if "done" not in hidden else os.devnull, "w",
                  encoding="utf-8") as stream:
            stream.write(f"filesize:{len(rows) * board.size}\nstarttime:{now}\nendtime:{now}\n")
        if tables == "one" and number != len(pics) // 2:
            continue
        printed = summary_rows(board, rows, 0 if tables == "whole" else 2)
        if tables == "shuffled":
            printed[1:] = rng.sample(printed[1:], len(printed) - 1)
        path = os.path.join(directory, "tables", f"op_summary_0.net.{model}.1.1.{pic}.0.000000."
                            f"{0 if 'frequency' in hidden else board.mhz}.csv")
        with open(path, "w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([TITLES, *printed])
    with open(os.path.join(job, "data", "aicore.0.1.1"), "wb") as stream:
        stream.write(b"".join(content))


def make_board(output, seed, rows, tables, related=None, hidden=()):
    rng = random.Random(f"board {seed}")
    board = Board(rng, related)
    while not (board.has("total") and board.has("task") and board.has("pic")):
        board = Board(rng, related)
    least = 15 if related == "share" else 10.5  # cycles: below, a ratio of four digits says too little of them
    tasks = rows or rng.randrange(12, 61)
    network = make_network(rng, tasks, least)
    directory = os.path.join(output, str(seed))
    inferences = 1 if rows else 4
    write_capture(board, rng, network, os.path.join(directory, "train"), "JOB" + "A" * 29,
                  [5 * i for i in range(inferences)], 6, tables, hidden)
    network = make_network(rng, 50, least)
    write_capture(board, rng, network, os.path.join(directory, "held"), "JOB" + "B" * 29, [0, 3, 6], 9, "all", ())
    with open(os.path.join(directory, "truth.txt"), "w", encoding="utf-8") as stream:
        print(f"size {board.size} header {board.header} {'big' if board.big else 'little'} mhz {board.mhz}", file=stream)
        for name, bit, bits, scale in sorted(board.fields, key=lambda field: field[1]):
            offset = board.size - (bit + bits + 7) // 8 if board.big else bit // 8
            print(f"{name} offset {offset} first bit {bit} bits {bits} scale {scale}", file=stream)
        for kind, bit, bits in board.fills + [("constant", bit, bits) for bit, bits, _ in board.constants]:
            print(f"# {kind} bit {bit} bits {bits}", file=stream)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("output")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--rows", type=int, default=0, help="tasks of the one inference (12 to 60 in four of them)")
    parser.add_argument("--tables", choices=["all", "one", "shuffled", "whole"], default="all")
    parser.add_argument("--related", choices=["minus", "delta", "share"],
                        help="totals that are end minus start, counters that accumulate, ratios in 1/10000")
    parser.add_argument("--hide", choices=["frequency", "done"], action="append", default=[],
                        help="of the capture to infer from: the frequency, or the sizes of inferences")
    arguments = parser.parse_args()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        make_board(arguments.output, seed, arguments.rows, arguments.tables, arguments.related, arguments.hide)


if __name__ == "__main__":
    main()
