#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails the calls of the system that msprof makes, one in each run, with the errors that such a call can have (every_call.c).

every_call.py MSPROF INJECTOR SCRATCH SOURCE COMMAND...: of the calls of one kind about one file the first, with one of its
errors. EVERY_CALL=N: the first N of each and the last, with every error; EVERY_CALL=all: every call with every error.
EVERY_CALL_ONLY: a regular expression of the number of a call, a blank and its file, for those alone.
EVERY_CALL_SEEN: a file that lists the calls that were tried, for the next command on the same source to leave out.
SOURCE is copied for each run; the word X of the command is the copy, and collect has a board of its own in its place.
At the end the inputs have their bytes, each result is whole or absent, and nothing but what a sound run says is said only when
all is as in a sound run.
"""
import atexit
import collections
import csv
import errno
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zlib

msprof, injector, scratch, source, *command = sys.argv[1:]
msprof, injector, source = map(os.path.abspath, (msprof, injector, source))
ERRORS = {
    "read": (errno.EIO, errno.EINTR), "write": (errno.ENOSPC, 0, errno.EIO, errno.EINTR), "open": (
        errno.EACCES, errno.EIO, errno.EMFILE, errno.ENOSPC, errno.EINTR), "close": (errno.EIO, errno.ENOSPC),
    "sync": (errno.EIO, errno.ENOSPC), "size": (errno.ENOSPC, errno.EIO, errno.EINTR), "seek": (errno.EIO,),
    "stat": (errno.EACCES, errno.EIO), "name": (errno.EACCES, errno.EIO, errno.ENOSPC), "lock": (errno.ENOLCK, errno.EINTR),
    "map": (errno.ENOMEM,), "other": (errno.EAGAIN, errno.ENOSYS, errno.EIO),
}
os.chdir(scratch)
msprof = os.path.abspath(shutil.copy(msprof, "msprof"))  # which stays as it is, whatever is built meanwhile
collecting = command[0] == "collect"
the_board = None
if collecting:
    import board
    shutil.rmtree("board", ignore_errors=True)
    the_board = board.Board("board")
    atexit.register(the_board.stop)


def fresh():
    for name in ("X", "results"):
        shutil.rmtree(name, ignore_errors=True)
    if collecting:
        the_board.fresh()
        return
    shutil.copytree(source, "X")
    for root, _, names in os.walk("X"):
        for name in names:  # equal times, so that each run sees the same
            os.utime(os.path.join(root, name), (1, 1))


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).digest()


def inputs():
    return {os.path.join(root, name): digest(os.path.join(root, name)) for root, _, names in os.walk("X") for name in names}


def content(path):
    """What a result says; raises an exception where it is not whole."""
    if path.endswith(".db"):
        with open(path, "rb") as file:
            if not file.read(16).startswith(b"SQLite format 3"):
                raise ValueError("half a database")
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        connection.text_factory = bytes
        try:
            if connection.execute("PRAGMA integrity_check").fetchone()[0] != b"ok":
                raise ValueError("a damaged database")
            tables = [row[0].decode() for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            return {table: connection.execute(f'SELECT * FROM "{table}"').fetchall() for table in tables}
        finally:
            connection.close()
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".json"):
        return json.loads(data)
    if path.endswith(".csv"):
        rows = list(csv.reader(data.decode().splitlines()))
        if not data.endswith(b"\n") or not rows:
            raise ValueError("a cut table")
        return rows
    return data


def results(before):
    return {path for root, _, names in os.walk(".") for path in (os.path.relpath(os.path.join(root, name)) for name in names)
            if path.startswith(("X/", "results/")) and path not in before and "/log/" not in path}


def is_own(path):
    return os.path.basename(path).startswith(".msprof") or "/.ranks/" in path


def run(at, error):
    arguments = the_board.arguments() if collecting else command
    environment = the_board.environment() if collecting else {**os.environ, "HOME": scratch, "TZ": "UTC"}
    return subprocess.run([injector, str(at), str(error), "calls", msprof, *arguments], capture_output=True, timeout=600,
                          env=environment)


def strange(path, sound):
    """Why a result is not whole; else None."""
    try:
        content(path)
    except (ValueError, sqlite3.Error, UnicodeDecodeError, json.JSONDecodeError) as mistake:
        return f"'{path}' is not whole: {mistake}"
    return None if path in sound else f"'{path}' should not be there"


def same(path, sound):
    said = content(path)
    if path.endswith("runtime.db"):
        said = {table: rows for table, rows in said.items() if table != "meta"}
    return said == sound[path]


def words(stderr):
    """A message without times and the number of what takes turns."""
    return re.sub(rb"\d+(\.\d+)? s\b", b"N s", stderr)


def judge(done, kind, error, sound, counted, before):
    status = done.returncode
    if status == usual and words(done.stderr) == words(counted.stderr):
        status = 0  # nothing more is said than in a run without a fault
    if status not in (0, 1, 3, 4, 5) and (status, error) != (130, errno.EINTR):  # an interrupt, as far as anybody can know
        return f"status {status}"
    if collecting:
        if the_board.lost():
            return f"status {status}, and nobody has {the_board.lost()}"
        return "status 0, but files are missing" if status == 0 and not the_board.is_fetched() else None
    changed = [path for path, there in before.items() if not os.path.exists(path) or digest(path) != there]
    if changed:
        return f"status {status}, and inputs changed: {changed}"
    found = results(before)
    if kind != "name" and any(re.search(r"/\.msprof\.[0-9a-f]{16}\.tmp$", path) for path in found):
        return f"status {status} leaves {[path for path in found if path.endswith('.tmp')]}"
    found = {path for path in found if not is_own(path)}
    why = next(filter(None, (strange(path, sound) for path in sorted(found))), None)
    if why is not None:
        return f"status {status}, {why}"
    if status != 0:
        return None if done.stderr.strip() or kind == "write" else f"status {status} without a word"
    if found != set(sound):
        return f"status 0 without {sorted(set(sound) - found)}"
    other = [path for path in sorted(found) if not same(path, sound)]
    if other:
        return f"status 0, and {other} say something else"
    return "status 0, and the answer is another" if done.stdout != counted.stdout else None


fresh()
before = inputs()
counted = run(0, 0)
if counted.returncode not in (0, 3):
    sys.exit(f"the run without a fault: status {counted.returncode}\n{counted.stderr.decode()}")
usual = counted.returncode
sound = {} if collecting else {path: content(path) for path in results(before) if not is_own(path)}
for path in sound:
    if path.endswith("runtime.db"):
        sound[path].pop("meta", None)
sites = collections.defaultdict(list)
with open("calls", encoding="utf-8", errors="replace") as file:
    for line in file:
        number, kind, call, about = line.rstrip("\n").split("\t")
        sites[kind, call, re.sub(r"[0-9a-f]{16}|\d+", "N", about)].append(int(number))
calls = sum(map(len, sites.values()))
width = os.environ.get("EVERY_CALL", "")
turns = []
seen_file = os.environ.get("EVERY_CALL_SEEN")
seen = set()
if seen_file and os.path.exists(seen_file):
    with open(seen_file, encoding="utf-8") as file:
        seen = set(file.read().splitlines())
for (kind, call, about), numbers in sorted(sites.items()):
    if not re.search(os.environ.get("EVERY_CALL_ONLY", ""), f"{call} {about}") or f"{call} {about}" in seen:
        continue
    seen.add(f"{call} {about}")
    if width == "":
        turns.append((numbers[0], kind, ERRORS[kind][zlib.crc32(f"{call}{about}".encode()) % len(ERRORS[kind])]))
        continue
    chosen = numbers if width == "all" else sorted({*numbers[:int(width)], numbers[-1]})
    turns += [(number, kind, error) for number in chosen for error in ERRORS[kind]]


def failed_site(planned):
    """Kind, call and path of the call that failed: threads can change places, so that it is another than was planned."""
    try:
        with open("calls", encoding="utf-8", errors="replace") as file:
            site = file.read().split("\n", maxsplit=1)[0].split("\t")[1:]
    except FileNotFoundError:
        site = []
    return site or [planned]


wrong, told = 0, 0
for number, kind, error in turns:
    fresh()
    try:
        done = run(number, error)
        why = judge(done, failed_site(kind)[0], error, sound, counted, before)
        told += done.returncode != usual or words(done.stderr) != words(counted.stderr)
    except subprocess.TimeoutExpired:
        done, why = None, "does not end"
    if why is not None:
        wrong += 1
        print(f"{' '.join(command)}: call {number}, {' '.join(failed_site(kind))}, {errno.errorcode.get(error, 'half')}: {why}", flush=True)
        if done is not None:
            print("    " + done.stderr.decode("utf-8", "replace").replace("\n", "\n    ")[-400:], flush=True)
if seen_file:
    with open(seen_file, "w", encoding="utf-8") as file:
        file.write("".join(f"{site}\n" for site in sorted(seen)))
print(f"{' '.join(command)}: {len(turns)} failures of {len({turn[0] for turn in turns})} of {calls} calls of {len(sites)} kinds "
      f"about a file, {told} told, {wrong} wrong")
sys.exit(wrong > 0 or (told == 0 and not seen_file))
