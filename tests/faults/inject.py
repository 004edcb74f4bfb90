#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs msprof again and again on a small capture, and each time another call of one sort fails (see faults.c).

inject.py MSPROF FAULTS CALL STRIDE COMMAND...: CALL is memory, read, write or rename; every STRIDE-th call of the run gets its
turn; FIRST-LAST:STRIDE: only of those; sites: of the calls that the same callers make, the first, the second and the last;
first: of these the first alone. COMMAND collect brings a capture from a board of its own (board.py); run PROGRAM ARGUMENT... is a program under msprof
run, and FAULT_PROGRAM in the environment says whose calls fail, those of msprof or of that program. Fails when a run crashes,
hangs, leaves a temporary or half file, or ends with 0 and another result than a sound run; all such points are told.
"""
import atexit
import collections
import glob
import os
import shutil
import sqlite3
import subprocess
import sys
import time

import board
import capture

STATUSES = {0, 1, 3, 4, 5}  # of msprof that may follow from a failed call
RESULTS = ("sqlite", "timeline", "summary", "mindstudio_profiler_output")

msprof, faults, call, stride, *command = sys.argv[1:]
given = os.environ.get("FAULT_CAPTURE")
job = os.path.abspath(os.path.basename(given) if given else "JOBF")
collecting, running = command[0] == "collect", command[0] == "run"
captures, temporary = os.path.abspath("captures"), os.path.abspath("tmp")
the_board = None
texts = {}


def fresh():
    if collecting:
        the_board.fresh()
        return
    if running:
        for path in (captures, temporary):
            shutil.rmtree(path, ignore_errors=True)
        os.mkdir(temporary)
        return
    shutil.rmtree(job, ignore_errors=True)
    if given is not None:
        shutil.copytree(given, job)
    else:
        capture.svp(job)
    for root, _, files in os.walk(job):
        for name in files:  # equal times, so that a database made before is current
            os.utime(os.path.join(root, name), (1, 1))
    if database is not None:
        os.mkdir(os.path.join(job, "sqlite"), 0o750)
        with open(os.path.join(job, "sqlite", "runtime.db"), "wb") as file:
            file.write(database)


def results():
    """Everything that was made, by its name."""
    found = {}
    for directory in RESULTS:
        for root, _, files in os.walk(os.path.join(job, directory)):
            for name in files:
                with open(os.path.join(root, name), "rb") as file:
                    found[os.path.relpath(os.path.join(root, name), job)] = file.read()
    return found


def database_text(content):
    """The whole database as SQL; read once for each content that the file has."""
    if content not in texts:
        texts[content] = dump()
    return texts[content]


def dump():
    connection = sqlite3.connect(f"file:{job}/sqlite/runtime.db?mode=ro", uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def run(**environment):
    # One allocator under another: the sanitizer's must not insist on being the first.
    options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=0"
    arguments, surroundings = [*command, "-dir", job], os.environ
    if collecting:
        arguments, surroundings = the_board.arguments(), the_board.environment()
    elif running:
        arguments = ["run", "--output", captures, "--", *command[1:]]
        surroundings = {**os.environ, "TMPDIR": temporary}
    return subprocess.run([msprof, *arguments], capture_output=True, timeout=60,
                          env={**surroundings, "LD_PRELOAD": faults, "FAULT_CALL": call, "ASAN_OPTIONS": options, **environment})


def check(number, done, sound):
    where = f"{call} {number} of {' '.join(command)}"
    talk = done.stderr.decode("utf-8", "replace")
    if done.returncode not in STATUSES | ({125} if running else set()): # msprof run: its own failure
        sys.exit(f"{where}: exit status {done.returncode}\n{talk}")
    if done.returncode != 0 and not talk.strip():
        sys.exit(f"{where}: exit status {done.returncode} without a word")
    if collecting:
        check_collected(where, done, talk)
        return
    if running:
        check_run(where, done, talk, sound)
        return
    found = results()
    for name, content in found.items():
        if name not in sound:
            sys.exit(f"{where}: '{name}' should not be there, exit status {done.returncode}\n{talk}")
        if not name.endswith(".db") and content != sound[name] and done.returncode == 0:
            sys.exit(f"{where}: '{name}' is another than it should be, exit status 0\n{talk}")
        if name.endswith(".db") and content[:15] != b"SQLite format 3":
            sys.exit(f"{where}: '{name}' is half a database\n{talk}")
    if done.returncode == 0 and set(found) != set(sound):
        sys.exit(f"{where}: exit status 0 without {sorted(set(sound) - set(found))}\n{talk}")
    if "sqlite/runtime.db" in found:
        text = database_text(found["sqlite/runtime.db"])  # fails on a damaged one
        if done.returncode == 0 and text != sound_text:
            sys.exit(f"{where}: the database is another than it should be, exit status 0\n{talk}")
    if done.returncode == 0 and done.stdout != counted.stdout:
        sys.exit(f"{where}: what it sent to standard output is another than it should be, exit status 0\n{talk}")


def recorded():
    """What became of the program's calls, and how many reports there are, of all captures."""
    found = collections.Counter()
    for path in glob.glob(f"{captures}/*/sqlite/runtime.db"):
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        for name, count in connection.execute("SELECT name, count(*) FROM host_call_report GROUP BY name"):
            found[name] += count
        connection.close()
    for path in glob.glob(f"{captures}/*/mindstudio_profiler_output/*"):
        found[os.path.basename(path).split("_2")[0]] += 1
    return found


def check_run(where, done, talk, sound):
    left = os.listdir(temporary) + [name for _, _, names in os.walk(captures) for name in names if name.startswith(".msprof.")]
    if left:
        sys.exit(f"{where}: exit status {done.returncode} leaves {left}\n{talk}")
    if done.returncode == 0 and recorded() != sound:
        sys.exit(f"{where}: exit status 0 with {recorded()}; expected {sound}\n{talk}")


def check_collected(where, done, talk):
    if the_board.lost():
        sys.exit(f"{where}: exit status {done.returncode}, and nobody has {the_board.lost()}\n{talk}")
    for _ in range(30):  # a board that lost its connection gives the lock back by itself
        if not the_board.left():
            break
        time.sleep(0.1)
    if done.returncode == 0 and (not the_board.is_fetched() or the_board.left()):
        sys.exit(f"{where}: exit status 0, but {the_board.left() or 'files are missing'}\n{talk}")


database = None
if collecting:
    the_board = board.Board("board")
    atexit.register(the_board.stop)
fresh()
if command[0] not in ("import", "collect", "run"):
    subprocess.run([msprof, "import", "-q", "-dir", job], check=True)
    with open(os.path.join(job, "sqlite", "runtime.db"), "rb") as existing:
        database = existing.read()
fresh()
counted = run(FAULT_COUNT="count", **({"FAULT_SITES": "sites"} if stride in ("sites", "first") else {}))
if counted.returncode != 0:
    sys.exit(f"the run without a fault: exit status {counted.returncode}\n{counted.stderr.decode()}")
sound_results = recorded() if running else results()
sound_text = database_text(sound_results["sqlite/runtime.db"]) if not collecting and not running else None
if collecting:
    check_collected("the run without a fault", counted, counted.stderr.decode())
with open("count", encoding="ascii") as file:
    calls = int(file.read())
if calls == 0:
    sys.exit(f"{' '.join(command)} makes no call of sort {call}: is faults.c loaded?")
failures, wrong = 0, 0
if stride in ("sites", "first"):
    sites = collections.defaultdict(list)
    with open("sites", encoding="ascii") as file:
        for line in file:
            number, site = line.split()
            sites[site].append(int(number))
    turns = sorted({turn for numbers in map(sorted, sites.values())
                    for turn in (numbers[:1] if stride == "first" else numbers[:2] + numbers[-1:])})
else:
    chosen, _, step = stride.rpartition(":")
    first, _, last = (chosen or f"1-{calls}").partition("-")
    turns = range(int(first), min(int(last), calls) + 1, int(step))
for turn in turns:
    fresh()
    try:
        finished = run(FAULT_AT=str(turn))
    except subprocess.TimeoutExpired:
        print(f"{call} {turn} of {' '.join(command)}: does not end", flush=True)
        wrong += 1
        continue
    try:
        check(turn, finished, sound_results)
    except SystemExit as mistake:
        print(mistake, flush=True)
        wrong += 1
    failures += finished.returncode != 0
if failures == 0:
    sys.exit(f"no failed {call} made {' '.join(command)} fail: nothing was tested")
if wrong > 0:
    sys.exit(f"{call}: {wrong} points of {' '.join(command)} are not handled")
print(f"{call}: {len(turns)} of {calls} points of {' '.join(command)}, {failures} told as failures")
