#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every testdata/kinds/<kind>/*.text in a capture of its own: its rows are those that the file says.

    text_kinds.py MSPROF KINDS_DIRECTORY WORK_DIRECTORY
"""
import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys

START_NS = 1735689600000000000
MONOTONIC_NS = 1000000000000
DEVICE_NS = 5000000000


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make_capture(root, name, text, chip):
    for part, suffix in (("host", ""), ("device_0", ".0")):
        base = os.path.join(root, part)
        info = {"platform_version": chip, "version": "1.0", "CPU": [{"Frequency": "100.000000"}],
                "DeviceInfo": [{"id": 0, "hwts_frequency": "50.000000"}] if suffix else []}
        write(os.path.join(base, "info.json" + suffix), json.dumps(info))
        write(os.path.join(base, "start_info" + suffix), json.dumps(
            {"collectionTimeBegin": str(START_NS // 1000), "clockMonotonicRaw": str(MONOTONIC_NS)}))
        write(os.path.join(base, "host_start.log" + suffix),
              "[Host]\nclock_monotonic_raw: %d\ncntvct: 100000000\n" % MONOTONIC_NS)
        os.makedirs(os.path.join(base, "data"), exist_ok=True)
    write(os.path.join(root, "device_0", "dev_start.log.0"),
          "clock_monotonic_raw: %d\ncntvct: 77000000000\n" % DEVICE_NS)
    write(os.path.join(root, "host", "data", "unaging.additional.hash_dic.slice_0"), "1:one\n")
    write(os.path.join(root, name), text)


def read_fixture(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    name = lines[0].split(" ", 1)[1]
    chip = lines.pop(1).split()[1] if lines[1].startswith("chip ") else "5"
    end = next(i for i, line in enumerate(lines) if line.startswith("rows "))
    columns = lines[end].split()[1:]
    rows = [tuple(line.split(" ")) for line in lines[end + 1:] if line and not line.startswith("rejected ")]
    rejected = int(next(line for line in lines if line.startswith("rejected ")).split()[1])
    return name, chip, "\n".join(lines[2:end]) + "\n", columns, rows, rejected


def capture_of(work, name, text, chip):
    """A capture with the file, in an empty directory; its path."""
    if name.startswith(("host/", "device_")):
        root = os.path.join(work, "PROF_1")
        make_capture(root, name, text, chip)
    else:  # of 2020: the file alone is a capture
        root = os.path.join(work, "JOB_1")
        write(os.path.join(root, name), text)
    return root


def check(msprof, kind, path, work):
    name, chip, text, columns, rows, rejected = read_fixture(path)
    shutil.rmtree(work, ignore_errors=True)
    root = capture_of(work, name, text, chip)
    subprocess.run([msprof, "import", "-dir", root], check=False, capture_output=True)
    database = sqlite3.connect(os.path.join(root, "sqlite", "runtime.db"))
    found = [tuple("-" if cell is None else str(cell) for cell in row)
             for row in database.execute("SELECT %s FROM %s ORDER BY id" % (", ".join(columns), kind))]
    counted = database.execute("SELECT records_decoded, records_rejected FROM source_file WHERE path = ?", (name,)).fetchone()
    if found != rows:
        return "rows %s, expected %s" % (found, rows)
    if counted != (len(rows), rejected):
        return "%s decoded and rejected, expected %s" % (counted, (len(rows), rejected))
    return None


def main():
    msprof, kinds, work = sys.argv[1:4]
    paths = sorted(glob.glob(os.path.join(kinds, "*", "*.text")))
    failed = 0
    for path in paths:
        kind = os.path.basename(os.path.dirname(path))
        problem = check(msprof, kind, path, work)
        if problem is not None:
            print("%s: %s" % (path, problem))
            failed += 1
    print("%d text fixtures, %d wrong" % (len(paths), failed))
    sys.exit(failed != 0 or not paths)


if __name__ == "__main__":
    main()
