# SPDX-License-Identifier: Apache-2.0
"""Ranks as frameworks write them, permuted, and what 'msprof cluster' must say of them, recalculated plainly.

  permute.py make DIR SEED KIND   ascend_pt or ascend_ms: six ranks, four groups whose operators stand in any order
  permute.py check DIR            compares cluster_analysis_output/ with what was planted

The groups list their ranks in the order of numbers, which is no ascending one; half of the ranks list them sorted, and
say their own number. What ranks moved to themselves shows their numbers in the first group. KIND prof has no metadata:
there the first group alone can be mapped.
"""
import csv
import json
import os
import random
import sys
from collections import defaultdict

GROUPS = {"world": [4, 0, 5, 2, 1, 3], "three": [5, 3, 2], "pair": [4, 0], "pp": [1, 5]}
STEPS = ["step7", "step8"]
BANDS = ["RDMA", "HCCS", "PCIE", "SDMA", "SIO"]


def number_of(name):
    high = low = 0
    for c in name.encode():
        high, low = (high * 29 + c) % 2**32, (low * 131 + c) % 2**32
    return str(high << 32 | low)


def info_of(rng, elapse):
    transit, wait = rng.randrange(1, elapse // 2), rng.randrange(elapse // 2)
    size = rng.choice([65536, 1048576, 5 * 10**6])
    bands = {band: {"Transit Size(MB)": 0, "Transit Time(ms)": 0, "Bandwidth(GB/s)": 0, "Large Packet Ratio": 0,
                    "Size Distribution": {}} for band in BANDS}
    count = rng.randrange(1, 4)
    bands["HCCS"] = {"Transit Size(MB)": size * count / 1e6, "Transit Time(ms)": transit / 1e6,
                     "Bandwidth(GB/s)": round(size * count / transit, 4), "Large Packet Ratio": 0,
                     "Size Distribution": {str(size / 1e6): [count, transit / 1e6]}}
    return {"Communication Time Info": {
        "Start Timestamp(us)": 1735689600000000 + rng.randrange(10**6), "Elapse Time(ms)": elapse / 1e6,
        "Transit Time(ms)": transit / 1e6, "Wait Time(ms)": wait / 1e6, "Synchronization Time(ms)": wait // 2 / 1e6,
        "Idle Time(ms)": (elapse - transit - wait) / 1e6, "Wait Time Ratio": round(wait / (wait + transit), 4),
        "Synchronization Time Ratio": round(wait // 2 / (wait // 2 + transit), 4)},
        "Communication Bandwidth Info": bands}


def shuffled(rng, members):
    keys = list(members)
    rng.shuffle(keys)
    return {key: members[key] for key in keys}


def make(directory, seed, kind):
    rng = random.Random(seed)
    ranks = {rank: {step: {"p2p": {}, "collective": {}} for step in STEPS} for rank in range(6)}
    links = {rank: {step: {"p2p": {}, "collective": {}} for step in STEPS} for rank in range(6)}
    for name, order in GROUPS.items():
        group = number_of(name)
        for step in STEPS:
            for i in range(9):
                sends = name == "pp" and (kind != "ascend_ms" or i % 2 == 0)
                op = "hcom_%s__%s_%s_%d" % ("batchSendRecv" if sends else "allReduce", name, step, i)
                slow = order[i % len(order)]
                for rank in order:
                    elapse = 50000 if rank == slow else 50000 + rng.randrange(1, 90000)
                    half = "p2p" if sends else "collective"
                    ranks[rank][step][half]["%s@%s" % (op, group)] = info_of(rng, elapse)
            for place in "top1", "middle", "total":
                for i, rank in enumerate(order):
                    half = "p2p" if name == "pp" else "collective"
                    key = "%s-%s@%s" % ("batchsendrecv" if name == "pp" else "allreduce", place, group)
                    other = (i + 1) % len(order)
                    entry = {}
                    for target in [other] + ([i] if name == "world" else []):
                        size, ns = rng.randrange(10**6, 10**8), rng.randrange(10**5, 10**6)
                        entry["%d-%d" % (i, target)] = {
                            "Transport Type": "LOCAL" if target == i else "HCCS", "Transit Time(ms)": ns / 1e6,
                            "Transit Size(MB)": size / 1e6, "Bandwidth(GB/s)": round(size / ns, 4),
                            "op_name" if kind == "ascend_ms" else "Op Name": "x"}
                    links[rank][step][half][key] = entry
    for rank in range(6):
        path = os.path.join(directory, "r%d_2025010100000000%d_%s" % (rank, rank, kind))
        output = os.path.join(path, "ASCEND_PROFILER_OUTPUT")
        os.makedirs(output)
        own = {name: {"group_name": name, "group_rank": order.index(rank),
                      "global_ranks": order if rank % 2 else sorted(order)}
               for name, order in GROUPS.items() if rank in order}
        for step in STEPS:
            for half in "p2p", "collective":
                ranks[rank][step][half] = shuffled(rng, ranks[rank][step][half])
                ranks[rank][step][half]["Total Op Info"] = {}
                links[rank][step][half] = shuffled(rng, links[rank][step][half])
        for name, content in (("communication.json", ranks[rank]), ("communication_matrix.json", links[rank])):
            with open(os.path.join(output, name), "w") as file:
                json.dump(content, file)
        with open(os.path.join(output, "step_trace_time.csv"), "w") as file:
            file.write("Step,Computing,Communication\n7,1.5,2\n8,2.5,3\n")
        with open(os.path.join(path, "profiler_info_%d.json" % rank), "w") as file:
            file.write("{}")
        with open(os.path.join(path, "profiler_metadata.json"), "w") as file:
            json.dump({"parallel_group_info": own}, file)


def once(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), ("a key stands twice", [key for key in keys if keys.count(key) > 1][0])
    return dict(pairs)


def load(path):
    with open(path) as file:
        return json.load(file, object_pairs_hook=once)


def close(a, b, what):
    assert abs(float(a) - float(b)) <= 1e-9 + 1e-6 * abs(float(b)), (what, a, b)


def add_info(total, info):
    for title, value in info["Communication Time Info"].items():
        if title.endswith("Time(ms)"):
            total[title] += value
    for band, values in info["Communication Bandwidth Info"].items():
        total[band, "size"] += values["Transit Size(MB)"]
        total[band, "ms"] += values["Transit Time(ms)"]
        for size, (count, ms) in values["Size Distribution"].items():
            total[band, float(size), "count"] += count
            total[band, float(size), "ms"] += ms


def check(directory):
    ranks, mapped = {}, {number_of(name): order for name, order in GROUPS.items()}
    for name in sorted(os.listdir(directory)):
        output = os.path.join(directory, name, "ASCEND_PROFILER_OUTPUT")
        if os.path.exists(output):
            ranks[int(name[1])] = tuple(load(os.path.join(output, file)) for file in
                                        ("communication.json", "communication_matrix.json"))
        if not os.path.exists(os.path.join(directory, name, "profiler_metadata.json")) and name.startswith("r"):
            mapped = {number_of("world"): GROUPS["world"]}
    operators, totals = defaultdict(dict), defaultdict(lambda: defaultdict(float))
    links = defaultdict(lambda: [0, 0])
    waits = defaultdict(dict)
    for rank, (communication, matrix) in ranks.items():
        for step, halves in communication.items():
            for half, ops in halves.items():
                for op, info in ops.items():
                    if op.startswith("Total"):
                        continue
                    group = op.split("@")[1]
                    operators[step, op][rank] = info
                    add_info(totals[step, group, rank], info)
                    if half == "collective":
                        waits[group, step, op][rank] = info["Communication Time Info"]["Elapse Time(ms)"] * 1000
        for step, halves in matrix.items():
            for entries in halves.values():
                for entry, pairs in entries.items():
                    group = entry.split("@")[1]
                    for pair, info in pairs.items():
                        if group not in mapped:
                            continue
                        names = "-".join(str(mapped[group][int(i)]) for i in pair.split("-"))
                        for key in [entry] + (["Total Op Info@" + group] if "-total@" in entry else []):
                            links[step, key, names][0] += info["Transit Size(MB)"]
                            links[step, key, names][1] += info["Transit Time(ms)"]
    out = os.path.join(directory, "cluster_analysis_output")
    seen = seen_totals = seen_links = 0
    for steps in load(os.path.join(out, "cluster_communication.json")).values():
        for step, ops in steps.items():
            for op, by_rank in ops.items():
                for rank, info in by_rank.items():
                    if not op.startswith("Total"):
                        assert json.dumps(info["Communication Bandwidth Info"]).count("Size Distribution") == 5
                        for title, value in operators[step, op][int(rank)]["Communication Time Info"].items():
                            close(info["Communication Time Info"][title], value, (step, op, rank, title))
                        seen += 1
                        continue
                    mine = defaultdict(float)
                    add_info(mine, info)
                    for key, value in totals[step, op.split("@")[1], int(rank)].items():
                        close(mine[key], value, (step, op, rank, key))
                    seen_totals += 1
    assert seen == sum(len(by_rank) for by_rank in operators.values()), (seen, len(operators))
    assert seen_totals == len(totals), (seen_totals, len(totals))
    for steps in load(os.path.join(out, "cluster_communication_matrix.json")).values():
        for step, entries in steps.items():
            for entry, pairs in entries.items():
                for pair, info in pairs.items():
                    size, ms = links[step, entry, pair]
                    close(info["Transit Size(MB)"], size, (step, entry, pair))
                    close(info["Transit Time(ms)"], ms, (step, entry, pair))
                    close(info["Bandwidth(GB/s)"], round(size / ms, 4), (step, entry, pair))
                    seen_links += 1
    assert seen_links == len(links), (seen_links, len(links))
    caused = defaultdict(float)
    sizes = {number_of(name): len(order) for name, order in GROUPS.items()}
    judged = 0
    for (group, _, _), times in waits.items():
        if len(times) == sizes[group]:
            judged += 1
            shortest = min(times.values())
            caused[min(rank for rank in times if times[rank] == shortest)] += sum(times.values()) - shortest * len(times)
    with open(os.path.join(out, "slow_ranks.csv"), newline="") as file:
        rows = {int(row["Rank"]): float(row["Others Waited(us)"]) for row in csv.DictReader(file)}
    for rank, us in rows.items():
        assert abs(us - caused[rank]) < 0.01, (rank, us, caused[rank])
    assert judged > 0 and set(caused) <= set(rows)
    print(seen, seen_totals, seen_links, judged)


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3], sys.argv[4])
else:
    check(sys.argv[2])
