#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rewrites the cycles of an SVP capture of the reference layout, in place.

usage: jitter.py CAPTURE [--seed N] [--sigma SHARE] [--slower TASK:FACTOR]... [--computing]

With --computing no unit that moves data is busy for more than a tenth of the time. Every AI core task takes 1 + N(0, sigma) of its cycles, tasks that are named FACTOR times as many. Prints the number of
records.
"""
import argparse
import glob
import random
import struct
import sys

RECORD = 128
CYCLES = (16, 32, 40, 48, 56, 64, 72, 80, 88)  # total_cycle first
MOVING = 64  # from here on of units that move data


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("capture")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sigma", type=float, default=0.0)
    parser.add_argument("--slower", action="append", default=[])
    parser.add_argument("--computing", action="store_true")
    arguments = parser.parse_args()
    slower = {int(task): float(factor) for task, factor in (text.split(":") for text in arguments.slower)}
    generator = random.Random(arguments.seed)
    records = 0
    for path in sorted(glob.glob(arguments.capture + "/data/aicore.*")):
        if path.endswith((".done", ".complete")):
            continue
        with open(path, "rb") as file:
            data = bytearray(file.read())
        if len(data) % RECORD != 0:
            sys.exit(f"{path}: no whole records")
        for start in range(0, len(data), RECORD):
            task = struct.unpack_from("<H", data, start + 6)[0]
            factor = (1 + generator.gauss(0, arguments.sigma)) * slower.get(task, 1)
            for offset in CYCLES:
                cycles = struct.unpack_from("<Q", data, start + offset)[0]
                struct.pack_into("<Q", data, start + offset, round(cycles * factor))
            if arguments.computing:
                total = struct.unpack_from("<Q", data, start + CYCLES[0])[0]
                for offset in CYCLES[1:]:
                    share = 2 if offset < MOVING else 10
                    struct.pack_into("<Q", data, start + offset, total // share)
            records += 1
        with open(path, "wb") as file:
            file.write(data)
    print(records)


if __name__ == "__main__":
    main()
