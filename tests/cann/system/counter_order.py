#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The counters of a timeline and the order of their samples.

    counter_order.py shuffle PROF         turns the middle third of each stream of samples around
    counter_order.py check TIMELINE       every counter's events come in the order of time
    counter_order.py same ONE OTHER       the two timelines hold the same events of the counters whose values do not
                                          depend on the sample before
"""
import json
import re
import sys
from pathlib import Path

from timeline import read_timeline

RECORDS = {"hbm": 24, "ddr": 20, "llc": 24, "pcie": 96, "npu_mem": 32, "qos": 64, "stars_soc_profile": 64}
LINES = ("nic", "roce", "hccs", "host_mem")
BLOCKS = ("host_network",)
PLAIN = ("NPU MEM", "QoS", "NIC", "RoCE", "PCIe", "Stars Soc Info", "Stars Chip Trans", "Acc PMU")


def turned(pieces):
    third = len(pieces) // 3
    return pieces[:third] + pieces[third:2 * third][::-1] + pieces[2 * third:]


def shuffle(root):
    count = 0
    for path in sorted(Path(root).glob("*/data/*.slice_0")):
        name, content = path.name.split(".")[0], path.read_bytes()
        if name in RECORDS:
            size = RECORDS[name]
            pieces = [content[i:i + size] for i in range(0, len(content), size)]
        elif name in LINES:
            pieces = content.splitlines(keepends=True)
        elif name in BLOCKS:
            pieces = re.split(rb"(?m)^(?=time )", content)
        else:
            continue
        path.write_bytes(b"".join(turned(pieces)))
        count += 1
    assert count > 8, count


def counters(path):
    """(process, counter) -> [(time, values)], as they stand in the file."""
    events = read_timeline(path).events
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    found = {}
    for e in events:
        if e["ph"] == "C":
            found.setdefault((names[e["pid"]], e["name"]), []).append((e["ts"], json.dumps(e["args"])))
    return found


def check(path):
    found = counters(path)
    assert len(found) > 20, len(found)
    for key, events in found.items():
        times = [time for time, _ in events]
        assert times == sorted(times), (key, times)


def same(one, other):
    one, other = counters(one), counters(other)
    plain = [key for key in one if key[0] in PLAIN]
    assert len(plain) > 10, plain
    for key in plain:
        assert sorted(one[key]) == sorted(other[key]), key


def main():
    {"shuffle": shuffle, "check": check, "same": same}[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
