#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program and sends it a signal once it has a handler for it and a time has passed. Ends with its status, and with 255
when the signal itself killed it.

usage: signal_after.py SIGNAL SECONDS PROGRAM [ARGUMENT...]
"""

import signal
import subprocess
import sys
import time

ANSWER_LIMIT = 300  # seconds: a program that has no handler by then has none


def handles(pid, number):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        caught = next(line for line in status if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1


def main():
    number = signal.Signals[f"SIG{sys.argv[1]}"]
    child = subprocess.Popen(sys.argv[3:], close_fds=False)
    limit = time.monotonic() + ANSWER_LIMIT
    while child.poll() is None and not handles(child.pid, number):
        if time.monotonic() > limit:
            child.kill()
            sys.exit(f"{sys.argv[3]} has no handler for SIG{sys.argv[1]} after {ANSWER_LIMIT} s")
        time.sleep(0.01)
    time.sleep(float(sys.argv[2]))
    if child.poll() is None:
        child.send_signal(number)
    status = child.wait()
    sys.exit(status if status >= 0 else 255)


main()
