#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spoils what random_boards.py wrote in one of several ways: a layout inferred from it must not be wrong with status 0,
which judge_boards.py tells, and most ways leave nothing that a status 0 could be for.

usage: spoil_boards.py DIRECTORY WAY

WAY is one of: """

import csv
import glob
import json
import os
import random
import sys

TIME, RATIOS, AMOUNTS = 5, range(7, 15), (16, 17)


def read(path):
    with open(path, encoding="utf-8", newline="") as stream:
        title, total, *rows = csv.reader(stream)
    return title, total, rows


def write(path, title, total, rows):
    with open(path, "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([title, total, *rows])


def on_rows(change):
    """A way that changes the rows of every table of a board, each by the same choices."""
    def spoil(board, rng):
        state = rng.getstate()
        for path in sorted(glob.glob(os.path.join(board, "train/tables/op_summary_*.csv"))):
            title, total, rows = read(path)
            rng.setstate(state)
            write(path, title, total, change(rows, rng))
    return spoil


def known(rows):
    """Columns of ratios and amounts that the board has."""
    return [c for c in [*RATIOS, *AMOUNTS] if rows[0][c] != "N/A"]


def swap_columns(rows, rng):
    """The numbers of two columns change places in all rows but the first."""
    columns = known(rows)
    if len(columns) < 2:
        return shuffle_columns(rows, rng)
    a, b = rng.sample(columns, 2)
    for row in rows:
        row[a], row[b] = row[b], row[a]
    return rows


def shuffle_columns(rows, rng):
    columns = [list(column) for column in zip(*rows)]
    for c in [TIME, *known(rows)]:
        rng.shuffle(columns[c])
    return [list(row) for row in zip(*columns)]


def repeat_rows(rows, rng):
    return [row for row in rows for _ in range(1 + (rng.random() < 0.3))] + [rows[-1]]


def cell(text):
    def change(rows, rng):
        rng.choice(rows)[rng.choice([TIME, *known(rows)])] = text
        return rows
    return change


def decimal_commas(rows, _):
    return [[c.replace(".", ",") for c in row] for row in rows]


def other_numbers(rows, rng):
    """Rows of a capture of another network: as many, with times and counters of their own."""
    for row in rows:
        row[TIME] = str(round(rng.uniform(1, 9000), 2))
        for c in known(rows):
            row[c] = str(round(rng.uniform(0, 100), 2))
        row[15], row[18] = "N/A", "N/A"
    return rows


def one_other_row(rows, rng):
    row = rng.choice(rows)
    for c in known(rows):
        row[c] = str(round(rng.uniform(0, 100), 2))
    row[15], row[18] = "N/A", "N/A"
    return rows


def mix_captures(board, rng):
    """Half of the tables are of another capture of the board, under the names of this one's."""
    paths = sorted(glob.glob(os.path.join(board, "train/tables/op_summary_*.csv")))
    others = sorted(glob.glob(os.path.join(board, "held/tables/op_summary_*.csv")))
    for path in paths[len(paths) // 2:]:
        os.replace(path, path + ".old")
        title, total, rows = read(rng.choice(others))
        _, _, own = read(path + ".old")
        os.remove(path + ".old")
        write(path, title, total, (rows * 2)[:len(own)])


def cut_files(board, rng):
    for path in sorted(glob.glob(os.path.join(board, "train/tables/op_summary_*.csv"))):
        size = os.path.getsize(path)
        os.truncate(path, rng.randrange(size // 2, size))


def random_bytes(board, rng):
    for path in glob.glob(os.path.join(board, "train/JOB*/data/aicore.0.1.1")):
        size = os.path.getsize(path)
        with open(path, "wb") as stream:
            stream.write(rng.randbytes(size))


def wrong_frequency(board, rng):
    mhz = rng.choice([400, 480, 500, 550, 640, 720, 900, 1100, 1300])  # of none a scale makes the board's
    for path in glob.glob(os.path.join(board, "train/JOB*/info.json.0")):
        with open(path, encoding="utf-8") as stream:
            mhz += json.load(stream)["DeviceInfo"][0]["aic_frequency"] == str(mhz)
        with open(path, "w", encoding="utf-8") as stream:
            json.dump({"DeviceInfo": [{"aic_frequency": str(mhz)}]}, stream)


def fewer_records(board, rng):
    for path in glob.glob(os.path.join(board, "train/JOB*/data/aicore.0.1.1")):
        size = os.path.getsize(path)
        os.truncate(path, rng.randrange(size // 3, size * 9 // 10))


def other_frequency_everywhere(board, rng):
    """Both the capture and the names of its tables say a frequency that is not the board's."""
    wrong_frequency(board, rng)
    with open(glob.glob(os.path.join(board, "train/JOB*/info.json.0"))[0], encoding="utf-8") as stream:
        mhz = json.load(stream)["DeviceInfo"][0]["aic_frequency"]
    for path in glob.glob(os.path.join(board, "train/tables/op_summary_*.csv")):
        parts = path.rsplit(".", 2)
        os.replace(path, f"{parts[0]}.{mhz}.csv")


WAYS = {
    "swapped": on_rows(swap_columns), "shuffled": on_rows(shuffle_columns), "repeated": on_rows(repeat_rows),
    "other": on_rows(other_numbers), "one-row": on_rows(one_other_row), "mixed": mix_captures, "cut": cut_files,
    "bytes": random_bytes, "frequency": wrong_frequency, "frequencies": other_frequency_everywhere,
    "fewer": fewer_records, "commas": on_rows(decimal_commas), "huge": on_rows(cell("9" * 40)),
    "large": on_rows(cell("9223372036854775807")), "nan": on_rows(cell("NaN")), "hex": on_rows(cell("0x1F4")),
    "negative": on_rows(cell("-12.5")), "exponent": on_rows(cell("1e300")),
}


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in WAYS:
        sys.exit(__doc__ + ", ".join(WAYS))
    for name in sorted(os.listdir(sys.argv[1]), key=int):
        WAYS[sys.argv[2]](os.path.join(sys.argv[1], name), random.Random(f"{sys.argv[2]} {name}"))


if __name__ == "__main__":
    main()
