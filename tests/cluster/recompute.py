# SPDX-License-Identifier: Apache-2.0
"""Recalculates the tables of 'msprof cluster' from the ranks' own files, plainly, and compares: recompute.py DIR."""
import csv
import glob
import json
import os
import re
import statistics
import sys
from collections import defaultdict

run = sys.argv[1]
out = os.path.join(run, "cluster_analysis_output")
ranks = {}
for path in glob.glob(os.path.join(run, "*_ascend_pt")):
    info = glob.glob(os.path.join(path, "profiler_info_*.json"))[0]
    ranks[int(re.search(r"_(\d+)\.json$", info).group(1))] = os.path.join(path, "ASCEND_PROFILER_OUTPUT")


def close(a, b, what):
    assert abs(float(a) - float(b)) <= 1e-3 + 1e-6 * abs(float(b)), (what, a, b)


def table(name):
    with open(os.path.join(out, name), newline="") as file:
        return list(csv.DictReader(file))


# ---- steps ----
expected = {}
for rank, path in ranks.items():
    with open(os.path.join(path, "step_trace_time.csv"), newline="") as file:
        for row in csv.DictReader(file):
            expected[rank, row["Step"]] = row
seen = 0
for row in table("cluster_step_trace_time.csv"):
    if row["Type"] != "rank":
        continue
    seen += 1
    for title, value in expected[int(row["Index"]), row["Step"]].items():
        if title not in ("Step", "Device_id"):
            close(row[title], value, (row["Index"], row["Step"], title))
assert seen == len(expected), (seen, len(expected))

# ---- collectives ----
durations = defaultdict(dict)  # (group, step, name) to rank to us
members = defaultdict(set)
links = defaultdict(lambda: [0, 0])
globals_of = {}
for rank, path in sorted(ranks.items()):
    with open(os.path.join(os.path.dirname(path), "profiler_metadata.json")) as file:
        for name, group in json.load(file)["parallel_group_info"].items():
            high = low = 0
            for c in name.encode():
                high, low = (high * 29 + c) % 2**32, (low * 131 + c) % 2**32
            globals_of[str(high << 32 | low)] = group["global_ranks"]
    with open(os.path.join(path, "communication.json")) as file:
        for step, halves in json.load(file).items():
            for key, info in halves["collective"].items():
                name, group = key.rsplit("@", 1)
                members[group].add(rank)
                durations[group, step, name][rank] = info["Communication Time Info"]["Elapse Time(ms)"] * 1000
    with open(os.path.join(path, "communication_matrix.json")) as file:
        for step, halves in json.load(file).items():
            for key, entry in halves["collective"].items():
                name, group = key.rsplit("@", 1)
                if not name.endswith("-total"):
                    continue
                for link, info in entry.items():
                    source, target = (globals_of[group][int(i)] for i in link.split("-"))
                    links[source, target, info["Transport Type"]][0] += info["Transit Size(MB)"]
                    links[source, target, info["Transport Type"]][1] += info["Transit Time(ms)"]
verdict = defaultdict(lambda: [0, 0, 0, 0.0, 0.0])  # collectives, last, first, caused, waited
judged = 0
for (group, step, name), times in durations.items():
    if set(times) != members[group] or len(times) < 2:
        continue
    judged += 1
    shortest, longest = min(times.values()), max(times.values())
    last = min(r for r in times if times[r] == shortest)
    first = min(r for r in times if times[r] == longest)
    for rank, us in times.items():
        verdict[rank][0] += 1
        verdict[rank][4] += us - shortest
    if longest > shortest:
        verdict[last][1] += 1
        verdict[last][3] += sum(us - shortest for us in times.values())
        verdict[first][2] += 1
rows = table("slow_ranks.csv")
assert len(rows) == len(verdict) and judged > 0
for row in rows:
    mine = verdict[int(row["Rank"])]
    for title, value in zip(("Collectives", "Arrived Last", "Arrived First", "Others Waited(us)", "Waited(us)"), mine):
        close(row[title], value, (row["Rank"], title))
assert rows == sorted(rows, key=lambda row: -float(row["Others Waited(us)"]))

# ---- links ----
bandwidths = {key: size / ms for key, (size, ms) in links.items() if key[0] != key[1]}
assert len(table("slow_links.csv")) == len(bandwidths), len(bandwidths)
for row in table("slow_links.csv"):
    key = (int(row["Source Rank"]), int(row["Target Rank"]), row["Transport Type"])
    close(row["Transit Size(MB)"], links[key][0], key)
    close(row["Bandwidth(GB/s)"], bandwidths[key], key)
    # a megabyte tells bandwidth, less tells latency
    enough = [b for k, b in bandwidths.items() if k[2] == key[2] and links[k][0] >= 1]
    close(row["Median of Transport(GB/s)"], statistics.median(enough) if enough else 0, key)
    assert (row["Slow"] == "N/A") == (links[key][0] < 1), row
print(rows[0]["Rank"], [row["Source Rank"] for row in table("slow_links.csv") if row["Slow"] == "yes"], judged)

# ---- times of ranks ----
TITLES = ["Computing", "Communication", "Overlapped", "Communication(Not Overlapped)", "Free"]
total = dict.fromkeys(TITLES, 0.0)
for row in table("rank_times.csv"):
    if row["Rank"] == "all":
        sums, steps = total, len(expected)
    else:
        own = [step for (rank, _), step in expected.items() if rank == int(row["Rank"])]
        sums, steps = {title: sum(float(step[title]) for step in own) for title in TITLES}, len(own)
        for title in TITLES:
            total[title] += sums[title]
    assert int(row["Steps"]) == steps, row
    for title, name in zip(TITLES, ("Computing(us)", "Communication(us)", "Masked(us)", "Exposed(us)", "Free(us)")):
        close(row[name], sums[title], (row["Rank"], name))
    assert abs(float(row["Masked(%)"]) - 100 * sums["Overlapped"] / sums["Communication"]) < 0.006, row
    whole = sums["Computing"] + sums["Communication(Not Overlapped)"] + sums["Free"]
    assert abs(float(row["Free(%)"]) - 100 * sums["Free"] / whole) < 0.006, row
assert [row["Rank"] for row in table("rank_times.csv")] == [str(rank) for rank in sorted(ranks)] + ["all"]
