#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments, then the same command again: the same results as of a sound run, and nothing left.

kill.py MSPROF TIMES SEED COMMAND...: import and export on a small capture; "run PROGRAM ARGUMENT...": a program under
msprof run, whose next run must sweep what the killed one left; collect: a capture of a board of its own (board.py), of
which nothing may be lost in between.
"""
import atexit
import glob
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import board
import capture

msprof, times, seed, *command = sys.argv[1:]
job = os.path.abspath("JOBK")
temporary = os.path.abspath("tmp")
random.seed(int(seed))
the_board = None
if command[0] == "collect":
    the_board = board.Board("board")
    atexit.register(the_board.stop)


def fresh():
    for path in (job, temporary, "captures"):
        shutil.rmtree(path, ignore_errors=True)
    os.mkdir(temporary)
    if the_board is not None:
        the_board.fresh()
    capture.svp(job)
    for root, _, files in os.walk(job):
        for name in files:  # equal times and checksums of the database
            os.utime(os.path.join(root, name), (1, 1))


def arguments():
    if command[0] == "run":
        return [msprof, "run", "-q", "--output", "captures", "--", *command[1:]]
    if the_board is not None:
        return [msprof, *the_board.arguments(), "-q"]
    return [msprof, *command, "-q", "-dir", job]


def start(words=None):
    return subprocess.Popen(words or arguments(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
                            env={**(the_board.environment() if the_board else os.environ), "TMPDIR": temporary})


def results():
    """Reports byte by byte, the database as SQL; of collect, what is not as on the board."""
    if the_board is not None:
        return {"fetched": the_board.is_fetched()}
    found = {}
    for directory in ("sqlite", "timeline", "summary"):
        for path in glob.glob(os.path.join(job, directory, "*")):
            if path.endswith(".db"):
                connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
                connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
                found[path] = list(connection.iterdump())
                connection.close()
            else:
                with open(path, "rb") as file:
                    found[path] = file.read()
    return found


def left():
    places = [os.path.join(root, name) for top in (job, "captures") for root, _, files in os.walk(top) for name in files]
    return [path for path in places if os.path.basename(path).startswith(".msprof.") or path.endswith("-journal")] + \
        os.listdir(temporary) + (the_board.left() if the_board is not None else [])


def finish(what, words=None):
    """Runs it to its end; of a board for as long as that has not noticed that the killed run is gone."""
    for _ in range(100):
        process = start(words)
        talk = process.communicate(timeout=120)[1].decode("utf-8", "replace")
        if "another run is active" not in talk:
            break
        time.sleep(0.1)
    if process.returncode != 0:
        sys.exit(f"{what}: exit status {process.returncode}\n{talk}")


def bring_home(what):
    """What the killed run left on the board is fetched, as its manual says; then the next run may begin."""
    time.sleep(0.1)  # the board's processes notice the end of the connection
    if the_board.lost():
        sys.exit(f"{what}: nobody has {the_board.lost()}")
    remote = the_board.on_board()
    if remote is not None and os.path.exists(the_board.ran):
        try:
            finish(f"{what}, --fetch-only", [msprof, *the_board.fetching(remote), "-q"])
        except SystemExit:
            if the_board.on_board() is not None:  # else the killed run's board was still removing what had come home
                raise
        if not the_board.is_fetched() or the_board.on_board() is not None:
            sys.exit(f"{what}: --fetch-only does not bring the capture")
    the_board.forget()


fresh()
began = time.monotonic()
finish("a sound run")
duration = time.monotonic() - began
sound = results()
killed = 0
for turn in range(int(times)):
    fresh()
    process = start()
    moment = random.uniform(0, duration)
    time.sleep(moment)
    killed += process.poll() is None
    process.kill()
    process.communicate()
    if command[0] == "run":  # the program is not killed with it
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        time.sleep(0.02)
        for path in glob.glob("captures/*"):  # each is finished by whoever wants its reports
            subprocess.run([msprof, "import", "-q", "-dir", path], stderr=subprocess.DEVNULL, check=False)
            for directory in glob.glob(f"{path}/mindstudio_profiler_output"):
                subprocess.run([msprof, "export", "summary", "-q", "-dir", path], stderr=subprocess.DEVNULL, check=False)
    if the_board is not None:
        bring_home(f"after kill -9 at {moment:.4f} s of collect")
    what = f"after kill -9 at {moment:.4f} s of {' '.join(command)}"
    finish(what)
    if results() != sound:
        sys.exit(f"{what}: the results are others than of a sound run")
    if left():
        sys.exit(f"{what}: {left()} are left")
print(f"kill: {times} moments of {' '.join(command)}, {killed} before its end")
