#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boards whose records of ACL calls have random layouts: for each seed a capture with the timeline and the statistic
that a tool would print of it, and a second capture of the same board that is held out. Encoder and tables are this
script's own.

usage: random_calls.py OUTPUT [--seed N] [--count N]

OUTPUT/<seed>/train/JOB..., OUTPUT/<seed>/train/timeline, OUTPUT/<seed>/train/statistic, the same below
OUTPUT/<seed>/held. Equal arguments give equal bytes.
"""

import argparse
import csv
import json
import os
import random
from fractions import Fraction

TYPES = {"op": 1, "model": 2, "runtime": 3, "others": 4}
NAMES = {f"svp_acl_{part}_{verb}": kind for part, kind in (("rt", "runtime"), ("mdl", "model"), ("init", "others"))
         for verb in ("execute", "load_from_mem", "malloc", "free", "set_device", "unload")}


class Board:
    """A random layout: fields are name -> (offset, width) of the record in the file."""

    def __init__(self, rng):
        self.rng = rng
        self.big = rng.random() < 0.5
        self.size = rng.randrange(96, 257, rng.choice([2, 4, 8]))
        self.header = rng.choice([0, 0, 0, 8, 24, rng.randrange(1, 300)])
        self.spans = rng.random() < 0.4  # durations instead of ends
        self.tick = rng.choice([1, 1, 10, 1000])  # nanoseconds
        self.taken = [False] * self.size
        self.fields = {name: self.place(width) for name, width in (
            ("name", 48), ("start", 8), ("end", 4 if self.spans else 8), ("type", rng.choice([2, 4])),
            ("process", 4), ("thread", 4))}
        self.constant = rng.randbytes(self.size)
        self.noise = [not taken and rng.random() < 0.5 for taken in self.taken]

    def place(self, width):
        alignment = 4 if width >= 4 else 2
        offset = self.rng.choice([o for o in range(0, self.size - width + 1, alignment)
                                  if not any(self.taken[o:o + width])])
        self.taken[offset:offset + width] = [True] * width
        return offset, width

    def encode(self, call):
        record = bytearray(self.size)
        for i, taken in enumerate(self.taken):
            if not taken:
                record[i] = self.rng.getrandbits(8) if self.noise[i] else self.constant[i]
        values = {"start": call["start"] // self.tick, "type": TYPES[NAMES[call["name"]]], "process": call["process"],
                  "thread": call["thread"],
                  "end": (call["end"] - (call["start"] if self.spans else 0)) // self.tick}
        for name, (offset, width) in self.fields.items():
            if name == "name":
                record[offset:offset + width] = call["name"].encode().ljust(width, b"\0")
            else:
                record[offset:offset + width] = values[name].to_bytes(width, "big" if self.big else "little")
        return bytes(record)


def make_calls(board, rng, count):
    process, now, calls = rng.randrange(700, 9000), rng.randrange(10 ** 12, 10 ** 14), []
    threads = [process + i for i in range(3)]
    for _ in range(count):
        start = now - now % board.tick
        length = int(2 ** rng.uniform(12, 28))
        end = start + max(length - length % board.tick, board.tick)
        calls.append({"name": rng.choice(list(NAMES)), "process": process, "thread": rng.choice(threads),
                      "start": start, "end": end})
        now = end + rng.randrange(1, 10 ** 6)
    return calls


def us(nanoseconds):
    text = f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"
    return text.rstrip("0").rstrip(".")


def write_tables(directory, calls):
    events = [{"name": call["name"], "ph": "X", "pid": 0, "tid": call["thread"], "ts": float(us(call["start"])),
               "dur": float(us(call["end"] - call["start"])),
               "args": {"Mode": NAMES[call["name"]], "Process_Id": call["process"], "Thread_Id": call["thread"]}}
              for call in calls]
    os.makedirs(os.path.join(directory, "timeline"))
    with open(os.path.join(directory, "timeline", "acl_0.net.6.1.json"), "w", encoding="utf-8") as stream:
        json.dump(events, stream)
    groups = {}
    for call in calls:
        groups.setdefault((call["process"], call["thread"], NAMES[call["name"]], call["name"]), []).append(
            call["end"] - call["start"])
    rows = [[*key, us(sum(spans)), 0, len(spans), float(Fraction(sum(spans), 1000 * len(spans))), us(min(spans)),
             us(max(spans))] for key, spans in groups.items()]
    os.makedirs(os.path.join(directory, "statistic"))
    path = os.path.join(directory, "statistic", "acl_statistic_0_6_1.csv")
    with open(path, "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["Process ID", "Thread ID", "Type", "Name", "Total Time(us)",
                                       "Total Time Ratio(%)", "Count", "Avg(us)", "Min(us)", "Max(us)"], *rows])


def write_capture(board, rng, directory, name, count):
    data = os.path.join(directory, name, "data")
    os.makedirs(data)
    with open(os.path.join(directory, name, "info.json.0"), "w", encoding="utf-8") as stream:
        stream.write('{"DeviceInfo": [{"aic_frequency": "600"}]}')
    calls = make_calls(board, rng, count)
    with open(os.path.join(data, "acl_api.0.net.6"), "wb") as stream:
        stream.write(rng.randbytes(board.header) + b"".join(board.encode(call) for call in calls))
    write_tables(directory, calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("output")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    arguments = parser.parse_args()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        rng = random.Random(f"calls {seed}")
        board = Board(rng)
        directory = os.path.join(arguments.output, str(seed))
        write_capture(board, rng, os.path.join(directory, "train"), "JOB" + "A" * 29, rng.randrange(40, 300))
        write_capture(board, rng, os.path.join(directory, "held"), "JOB" + "B" * 29, 120)


if __name__ == "__main__":
    main()
