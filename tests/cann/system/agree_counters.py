#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the counters of a timeline with those of Ascend's tool: each value at its time, the threads that they stand on, and
the names of threads of their processes.

    agree_counters.py EXPECTED_JSON OUR_JSON

Ours is written with --trace-compat. What may differ is in DIFFERENCES, and msprof-cann(7) explains it.
"""
import sys
from decimal import Decimal

from timeline import read_timeline


def counters(path):
    """(process, counter, value's name) -> [(ns since 1970, value)], in the order of time."""
    events = read_timeline(path).events
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    found = {}
    for e in events:
        if e["ph"] == "C":
            for title, value in e["args"].items():
                found.setdefault((names[e["pid"]], e["name"], title), []).append(
                    (int(Decimal(str(e["ts"])) * 1000), float(value)))
    return {key: sorted(values) for key, values in found.items()}


def threads(path):
    """(process, counter or name of a thread) -> numbers of threads, of processes with nothing but counters."""
    events = read_timeline(path).events
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    others = {e["pid"] for e in events if e["ph"] not in "CM"}
    found = {}
    for e in events:
        if e["pid"] not in others and (e["ph"] == "C" or e["name"] == "thread_name"):
            key = (names[e["pid"]], "counter " + e["name"] if e["ph"] == "C" else "thread " + e["args"]["name"])
            found.setdefault(key, set()).add(e["tid"])
    return found


def once(values):
    return sorted(set(values))


def changes(values):
    """The first, each that differs from the one before, and the last."""
    values = once(values)
    return [pair for i, pair in enumerate(values)
            if i in (0, len(values) - 1) or pair[1] != values[i - 1][1]]


def times_64(theirs):
    return [(time, value / 64) for time, value in theirs]


# (process, a part of the counter's name) -> what makes of their values those that are expected here
DIFFERENCES = [
    ("AI Core Freq", "", changes),    # each change four times, or the frequency every millisecond
    ("DDR", "", once),                # reads twice
    ("LLC", "Throughput", times_64),  # the bytes of an access twice
]
# Bytes a second are numbers of 32 bits there.
WRAPPED = {("PCIe", name) for name in ("PCIe_post", "PCIe_nonpost", "PCIe_cpl")}
# Counters that only the tool's code in Python writes, for the chips where its other code writes the timeline.
OURS_ALONE = {"Voltage Info"}
# The two levels are exchanged.
EXCHANGED = {("Stars Soc Info", "L2 Buffer Bw Level"): "Mata Bw Level", ("Stars Soc Info", "Mata Bw Level"): "L2 Buffer Bw Level"}


def theirs_of(theirs, key):
    process, name, title = key
    if (process, name) in EXCHANGED:
        other = EXCHANGED[process, name]
        return theirs.get((process, other, other if title == name else title))
    values = theirs.get(key)
    for of_process, part, rule in DIFFERENCES:
        if values is not None and process == of_process and part in name:
            values = rule(values)
    return values


def same(theirs, ours):
    """Times in whole ns but for stamps that pass through doubles since 1970 there: multiples of 256 ns. Values to the
    last digit that either prints."""
    return abs(theirs[0] - ours[0]) <= 256 and abs(theirs[1] - ours[1]) <= max(0.0015, abs(theirs[1]) * 1e-9)


def same_wrapped(theirs, ours):
    return same(theirs, ours) or same(theirs, (ours[0], ours[1] % 4096))


def main():
    theirs, ours = counters(sys.argv[1]), counters(sys.argv[2])
    problems, compared = [], 0
    for key in sorted(set(theirs) | set(ours)):
        wanted, found = theirs_of(theirs, key), ours.get(key)
        if wanted is None and key[0] in OURS_ALONE:
            continue
        if wanted is None or found is None:
            problems.append("%s: %s" % (key, "ours alone" if wanted is None else "there is none here"))
            continue
        if len(wanted) != len(found):
            problems.append("%s: %d events, expected %d" % (key, len(found), len(wanted)))
            continue
        rule = same_wrapped if key[:2] in WRAPPED else same
        wrong = [pair for pair in zip(wanted, found) if not rule(*pair)]
        compared += len(found)
        if wrong:
            problems.append("%s: %d of %d differ, expected %s, found %s" % (key, len(wrong), len(found), *wrong[0]))
    theirs_at, ours_at = threads(sys.argv[1]), threads(sys.argv[2])
    for key in sorted(set(theirs_at) | set(ours_at)):
        if theirs_at.get(key) != ours_at.get(key) and key[0] not in OURS_ALONE and \
                not (key not in theirs_at and key[1].startswith("counter ")):
            problems.append("%s: on threads %s, expected %s" % (key, ours_at.get(key), theirs_at.get(key)))
    print("\n".join(problems))
    print("%d values of %d counters compared, %d mistakes" % (compared, len(ours), len(problems)))
    sys.exit(bool(problems) or compared == 0)


if __name__ == "__main__":
    main()
