#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the arrows from launches to tasks with those of Ascend's tool.

    agree_arrows.py EXPECTED_JSON OUR_JSON

Ours: each begins in a call of the host and ends where a task or a communication operator begins that this call
launched, and each is there once. Theirs draws none to tasks of communication that move nothing, leaves out the
beginning of those to copies that no operator launched, and gives one number to all of an operator. Prints the ends of
both: theirs begin, theirs end, ours.
"""
import sys
from collections import Counter
from decimal import Decimal

from timeline import read_timeline


def nanoseconds(value):
    return int(Decimal(str(value)) * 1000)


class Timeline:
    def __init__(self, path):
        self.events = read_timeline(path).events
        self.processes = {e["pid"]: e["args"]["name"] for e in self.events if e["name"] == "process_name"}
        self.threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in self.events if e["name"] == "thread_name"}
        self.slices = [e for e in self.events if e["ph"] == "X"]
        arrows = [e for e in self.events if e.get("cat") == "HostToDevice"]
        self.begins = [e for e in arrows if e["ph"] == "s"]
        self.ends = Counter(self.place(e) for e in arrows if e["ph"] == "f")
        self.arrows = arrows

    def place(self, event):
        return (self.processes[event["pid"]], self.threads[event["pid"], event["tid"]], nanoseconds(event["ts"]))


def check_ours(ours):
    beginnings = {}  # what begins at a place: tasks and operators of communication do, with what launched them
    calls = {}
    for e in ours.slices:
        process, thread, start = ours.place(e)
        if "connection_id" in e.get("args", {}):
            beginnings.setdefault((process, thread, start), []).append(e["args"]["connection_id"])
        if process == "CANN":
            calls.setdefault(thread, []).append((start, start + nanoseconds(e["dur"]),
                                               e.get("connection_id", e.get("args", {}).get("connection_id"))))
    pairs = {}
    for e in ours.arrows:
        pairs.setdefault(e["id"], []).append((e["ph"], ours.place(e)))
    for number, pair in pairs.items():
        pair.sort(reverse=True)
        assert [phase for phase, _ in pair] == ["s"] + ["f"] * (len(pair) - 1) and len(pair) > 1, (number, pair)
        (_, (process, thread, time)) = pair[0]
        around = [c for c in calls[thread] if c[0] <= time < c[1]]
        launched = {c[2] for c in calls[thread] if any(a[0] <= c[0] and c[1] <= a[1] for a in around)}
        for _, end in pair[1:]:
            assert process == "CANN" and end in beginnings, (number, pair)
            assert launched & set(beginnings[end]), (number, pair, launched, beginnings[end])
    assert len(ours.begins) == len(pairs) and set(ours.ends.values()) == {1}


def main():
    theirs, ours = Timeline(sys.argv[1]), Timeline(sys.argv[2])
    check_ours(ours)
    assert not set(theirs.ends) - set(ours.ends), list(set(theirs.ends) - set(ours.ends))[:5]
    types = {ours.place(e): e.get("args", {}).get("Task Type") for e in ours.slices}
    more = Counter(types[end] for end in set(ours.ends) - set(theirs.ends))
    assert set(more) == {"NOTIFY_RECORD", "NOTIFY_WAIT", "RDMA_SEND"}, more
    print(len(theirs.begins), sum(theirs.ends.values()), len(ours.begins), sum(ours.ends.values()))


if __name__ == "__main__":
    main()
