#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what msprof diff finds, and how often it raises an alarm where nothing changed.

usage: diff_power.py MSPROF [--seeds N] [--inferences N] [--noise SHARE] [--drift SHARE] [--quick]

MSPROF is the program; make-capture lies beside it. Captures are planted: every layer of every inference takes the time it
takes in the first one, times 1 + N(0, noise), times the drift of its run, 1 + N(0, drift), times what is planted. Prints
one line for each question: "QUESTION: n of m". With --quick the few that a test holds.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

RECORD = 128
CYCLES = (16, 32, 40, 48, 56, 64, 72, 80, 88)


def records_of(capture):
    """Paths of files of records, each with its bytes."""
    files = {}
    for path in sorted(glob.glob(capture + "/data/aicore.*")):
        if not path.endswith((".done", ".complete")):
            with open(path, "rb") as file:
                files[os.path.relpath(path, capture)] = file.read()
    return files


def first_cycles(files):
    """By task the cycles of its first record."""
    first = {}
    for data in files.values():
        for start in range(0, len(data), RECORD):
            task = struct.unpack_from("<H", data, start + 6)[0]
            first.setdefault(task, [struct.unpack_from("<Q", data, start + at)[0] for at in CYCLES])
    return first


class Lab:
    def __init__(self, arguments, directory):
        self.msprof = os.path.abspath(arguments.msprof)
        self.arguments = arguments
        self.directory = directory
        maker = os.path.join(os.path.dirname(os.path.realpath(self.msprof)), "make-capture")
        made = subprocess.run([maker, "--output", directory, "--inferences", str(arguments.inferences), "--ai-cpu", "off"],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.model = made.stdout.strip()
        self.files = records_of(self.model)
        self.first = first_cycles(self.files)
        rows = self.show("SELECT task_id, layer_names FROM layer_group WHERE engine = 'AI_CORE'")
        self.names = {int(task): name for task, name in rows}
        total = sum(self.first[task][0] for task in self.names)
        self.shares = {task: self.first[task][0] / total for task in self.names}

    def show(self, query):
        subprocess.run([self.msprof, "import", "-q", self.model], check=True)
        import sqlite3
        with sqlite3.connect(self.model + "/sqlite/runtime.db") as database:
            return database.execute(query).fetchall()

    def plant(self, name, generator, slower, layer_drift):
        """A capture: a run with its own drift."""
        capture = os.path.join(self.directory, name)
        shutil.copytree(self.model, capture, ignore=shutil.ignore_patterns("sqlite"))
        run = 1 + generator.gauss(0, self.arguments.drift)
        drifts = {task: 1 + generator.gauss(0, layer_drift) for task in self.first}
        for path, data in self.files.items():
            data = bytearray(data)
            for start in range(0, len(data), RECORD):
                task = struct.unpack_from("<H", data, start + 6)[0]
                factor = run * drifts[task] * slower.get(task, 1) * (1 + generator.gauss(0, self.arguments.noise))
                for place, cycles in zip(CYCLES, self.first[task]):
                    struct.pack_into("<Q", data, start + place, round(cycles * factor))
            with open(os.path.join(capture, path), "wb") as file:
                file.write(data)
        return capture

    def compare(self, tag, seed, base_count, new_count, slower, layer_drift=0.0):
        generator = random.Random(f"{tag} {seed}")
        sides = [[self.plant(f"{tag}.{seed}.{side}{i}", generator, slower if side == "B" else {}, layer_drift)
                  for i in range(count)] for side, count in (("A", base_count), ("B", new_count))]
        words = [word for option, side in zip(("--base", "--new"), sides) for path in side for word in (option, path)]
        done = subprocess.run([self.msprof, "-q", "diff", "--format", "json", *words], stdout=subprocess.PIPE, check=False)
        for side in sides:
            for path in side:
                shutil.rmtree(path)
        if done.returncode != 0:
            sys.exit(f"msprof diff ended with {done.returncode}")
        answer = json.loads(done.stdout)
        answer["found"] = {row["key"]: row["verdict"] for row in answer["rows"]
                           if row["verdict"] in ("regression", "improvement")}
        return answer


def ask(lab, seeds, tag, base_count, new_count, factor=None, layer_drift=0.0, tasks=None):
    """How often a planted change was found, and how often anything else was."""
    chosen = sorted(tasks or [task for task, share in lab.shares.items() if share > 0.004])

    def one(seed):
        task = chosen[seed * 7 % len(chosen)]
        answer = lab.compare(tag, seed, base_count, new_count, {task: factor} if factor else {}, layer_drift)
        wanted = lab.names[task] if factor else None
        found = answer["found"].get(wanted) == ("regression" if factor and factor > 1 else "improvement")
        others = [key for key in answer["found"] if key != wanted]
        alarm = bool(others) or (not factor and answer["verdict"] != "ok")
        smallest = next((row["smallest"] for row in answer["rows"] if row["key"] == wanted), None)
        return found, alarm, smallest

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, range(seeds)))
    hits, alarms = sum(r[0] for r in results), sum(r[1] for r in results)
    smallest = sorted(r[2] for r in results if r[2] is not None)
    end = f", smallest change {smallest[len(smallest) // 2]:.2f} %" if smallest else ""
    found = f"found {hits} of {seeds}, " if factor else ""
    print(f"{tag}: {found}alarms {alarms} of {seeds}{end}", flush=True)
    return hits, alarms


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("msprof")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--inferences", type=int, default=12)
    parser.add_argument("--noise", type=float, default=0.005)
    parser.add_argument("--drift", type=float, default=0.01)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(arguments, directory)
        seeds = arguments.seeds
        ask(lab, seeds, "4+4, one layer +10 %", 4, 4, 1.10)
        ask(lab, seeds, "1+1, nothing changed", 1, 1)
        for count in (1, 4) if arguments.quick else range(1, 13):
            ask(lab, min(seeds, 20), f"{count}+{count}, one layer +30 %", count, count, 1.30)
        if arguments.quick:
            return
        ask(lab, seeds, "4+4, nothing changed", 4, 4)
        ask(lab, seeds, "1+4, nothing changed", 1, 4)
        ask(lab, seeds, "2+2, nothing changed", 2, 2)
        for count in (1, 2, 4):
            ask(lab, seeds, f"{count}+{count}, one layer +2 %", count, count, 1.02)
            ask(lab, seeds, f"{count}+{count}, one layer -5 %", count, count, 0.95)
        ask(lab, seeds, "1+1, nothing changed, each layer drifts, too", 1, 1, layer_drift=0.01)
        ask(lab, seeds, "4+4, nothing changed, each layer drifts, too", 4, 4, layer_drift=0.01)
        ask(lab, seeds, "4+4, one layer +10 %, each layer drifts, too", 4, 4, 1.10, layer_drift=0.01)


if __name__ == "__main__":
    main()
