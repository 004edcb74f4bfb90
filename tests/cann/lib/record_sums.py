#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The records in the files of an imported capture, counted from sizes and lines, are what the database says became of them.

record_sums.py CAPTURE: prints "kind rows joined rejected" for each kind; fails at the first file whose sums do not agree.
"""
import collections
import glob
import os
import re
import sqlite3
import sys

# Bytes of a record by the file's name, from docs/formats/cann.md.
SIZES = [(r"\.api_event\.data\.", 40), (r"\.compact\.", 64), (r"\.additional\.(hash|type)", None), (r"\.additional\.", 256),
         (r"stars_soc\.data|hwts\.data", 64), (r"ffts_profile\.data|aicore\.data|aiVectorCore\.data", 128), (r"aicpu\.data", 256),
         (r"Framework\.(task_desc_info|tensor_data_info)", 256)]

capture = sys.argv[1]
database = sqlite3.connect(glob.glob(os.path.join(capture, "sqlite", "*.db"))[0])
tables = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def records_in(path):
    with open(path, "rb") as file:
        data = file.read()
    for pattern, size in SIZES:
        if re.search(pattern, os.path.basename(path)):
            return sum(1 for line in data.split(b"\n") if line) if size is None else -(-len(data) // size)
    return None


sums = collections.defaultdict(collections.Counter)
for file_id, path, kind, decoded, rejected in database.execute(
        "SELECT id, path, kind, records_decoded, records_rejected FROM source_file WHERE kind IS NOT NULL"):
    counts = collections.Counter()
    for outcome, reason, records in database.execute(
            "SELECT outcome, reason, records FROM record_count WHERE file_id = ?", (file_id,)):
        counts[outcome] += records
        if (outcome == "rejected") != (reason != ""):
            sys.exit(f"{path}: outcome {outcome} with reason '{reason}'")
        if reason and not database.execute("SELECT 1 FROM diagnostics WHERE file = ? AND code = ?", (path, reason)).fetchone():
            sys.exit(f"{path}: {records} records are rejected as {reason}, which is not told")
    if counts["rejected"] != rejected or counts["row"] + counts["joined"] != decoded:
        sys.exit(f"{path}: {decoded} decoded and {rejected} rejected are not {dict(counts)}")
    expected = records_in(os.path.join(capture, path))
    if expected is not None and sum(counts.values()) != expected:
        sys.exit(f"{path}: holds {expected} records, the database tells of {dict(counts)}")
    if kind in tables and counts["row"] != database.execute(
            f"SELECT count(*) FROM {kind} WHERE file_id = ?", (file_id,)).fetchone()[0]:
        sys.exit(f"{path}: {counts['row']} records are said to be rows of {kind}")
    sums[kind] += counts
for kind, counts in sorted(sums.items()):
    print(kind, counts["row"], counts["joined"], counts["rejected"])
