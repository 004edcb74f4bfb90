#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often does a secret stand in the memory of a process, and where? find_secret.py PID: reads the secret from
standard input. Prints "memory N", and the command lines of the process and all its descendants that hold it."""

import os
import sys


def children(pid):
    found = [pid]
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as stream:
            for child in stream.read().split():
                found += children(int(child))
    return found


def count_in_memory(pid, secret):
    count = 0
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            words = line.split()
            if "r" not in words[1] or words[-1] in ("[vvar]", "[vsyscall]", "[vdso]"):
                continue
            start, end = (int(word, 16) for word in words[0].split("-"))
            try:
                memory.seek(start)
                here = memory.read(end - start).count(secret)
            except OSError:
                continue
            if here:
                count += here
                print("in", line.strip(), here, file=sys.stderr)
    return count


def main():
    pid = int(sys.argv[1])
    secret = sys.stdin.buffer.read()
    print("memory", count_in_memory(pid, secret))
    for process in children(pid):
        with open(f"/proc/{process}/cmdline", "rb") as stream:
            if secret in stream.read():
                print("command line of", process)


main()
