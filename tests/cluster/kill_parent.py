#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two children of a command are stopped as soon as they work, the command killed, the children continued: they must end
without having made their files.

kill_parent.py MSPROF DIRECTORY COMMAND...
"""
import os
import shutil
import signal
import subprocess
import sys

msprof, directory, *commands = sys.argv[1:]
TRIES = 50


def state_of(pid):
    """Of /proc: R, S, T, Z ...; None when there is no such process."""
    try:
        with open('/proc/%d/stat' % pid, encoding='ascii', errors='replace') as file:
            return file.read().rpartition(')')[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def stop_children(process):
    """Stops both as soon as they are seen; of what came and went there are fewer."""
    stopped = []
    while len(stopped) < 2 and process.poll() is None:
        with open('/proc/%d/task/%d/children' % (process.pid, process.pid), encoding='ascii') as file:
            children = [int(word) for word in file.read().split()]
        for child in children:
            if child not in stopped and state_of(child) not in ('Z', None):
                os.kill(child, signal.SIGSTOP)
                stopped.append(child)
        if len(stopped) == 1 and state_of(process.pid) == 'S':
            break  # it waits for this one: the other has come and gone
    for child in stopped:
        while state_of(child) not in ('T', 'Z', None):
            pass
    return [child for child in stopped if state_of(child) == 'T']


def results():
    return sorted(os.path.join(root, name) for root, _, names in os.walk('work') for name in names
                  if name.endswith(('.csv', '.json')))


def kill_one(command):
    """Whether both children could be stopped before they had made anything."""
    shutil.rmtree('work', ignore_errors=True)
    shutil.copytree(directory, 'work')
    given = results()
    with subprocess.Popen([msprof, command, '-q', 'work', '--jobs', '2'], stderr=subprocess.DEVNULL) as process:
        children = stop_children(process)
        early = len(children) == 2 and results() == given
        process.kill()
        process.wait()
        for child in children:
            os.kill(child, signal.SIGCONT)
    for child in children:
        while state_of(child) not in ('Z', None):
            pass
    if early:
        assert results() == given, 'after %s was killed: %s' % (command, sorted(set(results()) - set(given)))
    return early


for name in commands:
    if not any(kill_one(name) for _ in range(TRIES)):
        sys.exit('%s: no children could be stopped at their work' % name)
