#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts extreme and wrong numbers into the files of a rank and runs msprof cluster on it and its neighbours.

cluster_extremes.py MSPROF RANKS: RANKS is what make-ranks made. Each file of the first rank gets each of several texts in
place of all its numbers, of the first of them, and of each number in turn of every eighth; the aggregate that msprof keeps
beside them is aged, cut and overwritten. Fails at a crash, a hang or a finding of a sanitizer.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

import limits

STATUSES = {0, 1, 2, 3, 4}
VALUES = (b"-9223372036854775808", b"18446744073709551615", b"1e308", b"-1e-308", b"nan", b"-", b"99999999999999999999999999",
          b"\"\x1b[31m\"", b"null", b"[[[[1]]]]")
FINDINGS = (b"runtime error", b"AddressSanitizer", b"LeakSanitizer")
NUMBER = re.compile(rb"-?[0-9]+(\.[0-9]+)?")

msprof, ranks = sys.argv[1:3]
first = sorted(glob.glob(os.path.join(ranks, "*_ascend_*")))[0]
results = os.path.abspath("results")
runs, findings = 0, 0


def run(what):
    global runs, findings
    runs += 1
    shutil.rmtree(results, ignore_errors=True)
    try:
        status, talk = limits.run([msprof, "cluster", "-q", "--output", results, ranks])
    except subprocess.TimeoutExpired:
        print(f"{what}: does not end", flush=True)
        findings += 1
        return
    if status not in STATUSES or any(word in talk for word in FINDINGS):
        print(f"{what}: exit status {status}\n{talk.decode('utf-8', 'replace')[-3000:]}", flush=True)
        findings += 1


def put(path, content):
    """Another content is another time: nothing is taken from an aggregate that was made before."""
    global moment
    moment += 1
    with open(path, "wb") as file:
        file.write(content)
    os.utime(path, (moment, moment))


def every_eighth(value):
    turn = iter(range(10 ** 9))
    return lambda match: value if next(turn) % 8 == 3 else match.group()


moment = 1000000000
run("sound ranks")
for path in sorted(glob.glob(os.path.join(first, "**", "*.*"), recursive=True)):
    if not os.path.isfile(path):
        continue
    with open(path, "rb") as sound_file:
        sound = sound_file.read()
    for value in VALUES:
        put(path, NUMBER.sub(lambda _: value, sound))
        run(f"{path}: all numbers {value}")
        put(path, NUMBER.sub(lambda _: value, sound, count=1))
        run(f"{path}: the first number {value}")
        put(path, NUMBER.sub(every_eighth(value), sound))
        run(f"{path}: every eighth number {value}")
    put(path, sound)
run("sound ranks again")
for path in glob.glob(os.path.join(ranks, "*", ".msprof_cluster")) + glob.glob(os.path.join(results, "**", "*cluster"), recursive=True):
    with open(path, "rb") as aggregate:
        sound = aggregate.read()
    for at in range(0, len(sound), max(1, len(sound) // 12)):
        for damaged in (sound[:at], sound[:at] + b"\xff" * 8 + sound[at + 8:], sound[:at] + bytes(8) + sound[at + 8:]):
            with open(path, "wb") as file:
                file.write(damaged)
            run(f"{path}: damaged at {at}")
if findings:
    sys.exit(f"{findings} of {runs} runs are not handled")
print(f"{runs} runs")
