#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks into a collect at each command that it has the board run, one after the other.

exchange.py MSPROF HOW STRIDE: HOW is cut (the connection ends instead of the command), after (once it has run), gone (from
this command on), or a signal for msprof, HUP, INT, TERM or KILL; changed and changed-after (a file of the capture gets other
bytes, as many as before, before the command or once it has run); "HOW:SHELL" runs SHELL on the board instead. Every STRIDE-th
command gets its turn. Whatever happens: what the run made is at home or still on the board, msprof ends by itself, it says
where the capture is when it is not at home, and --fetch-only then brings it.
"""
import atexit
import filecmp
import glob
import os
import shutil
import subprocess
import sys
import time

import board

STATUSES = {0, 3, 4, 5, 130, 143, 129}

WRAPPER = """#!/bin/sh
cd {top}
at=$(cat at) number=0
while ! mkdir command.$number 2>/dev/null; do number=$((number + 1)); done
echo "$SSH_ORIGINAL_COMMAND" >command.$number/text
cd {home}
if [ "$number" = "$at" ] || {{ [ {how} = gone ] && [ "$at" -ge 0 ] && [ "$number" -gt "$at" ]; }}; then
    case {how} in
    cut | gone) kill -9 $PPID; exit 1 ;;
    after) /bin/sh -c "$SSH_ORIGINAL_COMMAND"; kill -9 $PPID; exit 1 ;;
    shell) {shell} ;;
    changed) {change} ;;
    changed-after) /bin/sh -c "$SSH_ORIGINAL_COMMAND"; status=$?; {change}; exit $status ;;
    *) kill -{how} "$(cat {top}/msprof.pid)"; sleep 0.1 ;;
    esac
fi
exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"
"""

# The file's last bytes: nobody may lose them.
CHANGE = """f=$(find {home} -path '*{capture}*' -type f | sort | head -n 1); [ -z "$f" ] || {{
    tr '\\000-\\377' '\\001-\\377\\000' <"$f" >{top}/final; cat {top}/final >"$f"; echo "${{f##*{capture}/}}" >{top}/final.name; }}"""

msprof, how, stride = sys.argv[1:]
how, _, shell = how.partition(":")
the_board = board.Board("board")
atexit.register(the_board.stop)


def put(name, text, mode=0o600):
    path = os.path.join(the_board.top, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def fresh(turn):
    the_board.fresh()
    for path in glob.glob(os.path.join(the_board.top, "command.*")):
        shutil.rmtree(path)
    for name in ("final", "final.name"):
        if os.path.exists(os.path.join(the_board.top, name)):
            os.remove(os.path.join(the_board.top, name))
    put("at", str(turn))


def commands():
    return len(glob.glob(os.path.join(the_board.top, "command.*")))


def run(arguments):
    process = subprocess.Popen(["/bin/sh", "-c", f'echo $$ >{the_board.top}/msprof.pid; exec "$@"', "sh", msprof, *arguments],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=the_board.environment())
    try:
        talk = process.communicate(timeout=90)[1].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        process.kill()
        return None, process.communicate()[1].decode("utf-8", "replace")
    return process.returncode, talk


def text(turn):
    with open(os.path.join(the_board.top, f"command.{turn}", "text"), encoding="utf-8") as file:
        return file.read()[:100].strip()


def lost_final():
    """The last bytes of a file that was changed, when they are neither at home nor on the board."""
    name = os.path.join(the_board.top, "final.name")
    if not os.path.exists(name):
        return None
    with open(name, encoding="utf-8") as file:
        relative = os.path.join(board.CAPTURE, file.read().strip())
    copies = [os.path.join(the_board.project, "profiling", relative)] + \
        glob.glob(os.path.join(glob.escape(the_board.home), "**", relative), recursive=True)
    final = os.path.join(the_board.top, "final")
    return None if any(os.path.exists(copy) and filecmp.cmp(copy, final, shallow=False) for copy in copies) else relative


def bring_home():
    """What is still on the board comes home with --fetch-only."""
    remote = the_board.on_board()
    talk = ""
    for _ in range(50):
        if remote is None or the_board.is_fetched() and the_board.on_board() is None:
            return ""
        status, talk = run(the_board.fetching(remote))
        if "another run is active" not in talk:
            break
        time.sleep(0.1)
    return "" if the_board.is_fetched() else f"--fetch-only: {status} {talk}"


def check(turn, status, talk):
    where = f"{how} at command {turn}: '{text(turn)}'"
    if status is None:
        return f"{where}: does not end\n{talk}"
    if status not in STATUSES and not (how == "KILL" and status == -9):
        return f"{where}: exit status {status}\n{talk}"
    if lost_final():
        return f"{where}: exit status {status}, and nobody has the last bytes of {lost_final()}\n{talk}"
    if how.startswith("changed"):
        return None
    if the_board.lost():
        return f"{where}: exit status {status}, and nobody has {the_board.lost()}\n{talk}"
    if status == 0 and not the_board.is_fetched() and "--fetch-only" not in talk:
        return f"{where}: exit status 0, but the capture is not at home\n{talk}"
    if os.path.exists(the_board.ran):
        remote = the_board.on_board()
        if remote is not None and not the_board.is_fetched() and how != "KILL" and "--fetch-only" not in talk:
            return f"{where}: exit status {status} does not say how to fetch {remote}\n{talk}"
        mistake = bring_home()
        if mistake:
            return f"{where}: {mistake}"
    return None


put("wrapper", WRAPPER.format(top=the_board.top, home=the_board.home, how="shell" if shell else how, shell=shell or ":",
                              change=CHANGE.format(top=the_board.top, home=the_board.home, capture=board.CAPTURE)), 0o700)
the_board.server.terminate()
the_board.server.wait()
the_board.start(f"ForceCommand {the_board.top}/wrapper\n")
fresh(-1)
sound, said = run(the_board.arguments())
if sound != 0 or not the_board.is_fetched():
    sys.exit(f"the run without a fault: exit status {sound}\n{said}")
total, wrong, failures = commands(), 0, 0
turns = range(0, total, int(stride))
for at in turns:
    fresh(at)
    ended, said = run(the_board.arguments())
    failures += ended != 0
    put("at", "-1")
    complaint = check(at, ended, said)
    if complaint:
        wrong += 1
        print(complaint, flush=True)
if wrong > 0:
    sys.exit(f"{how}: {wrong} of {len(turns)} commands are not handled")
print(f"{how}: {len(turns)} of {total} commands of a collect, {failures} told as failures")
