#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two children of a command are stopped as soon as they work, the command killed, the children continued: they must end
without having made their files. What it had started besides falls to this script, which waits for that, too.

kill_parent.py MSPROF DIRECTORY COMMAND...
"""
import ctypes
import os
import shutil
import signal
import subprocess
import sys

msprof, directory, *commands = sys.argv[1:]
TRIES = 50
PR_SET_CHILD_SUBREAPER = 36  # of linux/prctl.h: orphans become children of this process


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
                try:
                    os.kill(child, signal.SIGSTOP)
                except ProcessLookupError:  # it has gone meanwhile
                    continue
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


def wait_for_orphans():
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def kill_one(command):
    """Whether both children could be stopped before they had made anything."""
    if os.path.exists('work'):
        shutil.rmtree('work')
    shutil.copytree(directory, 'work')
    given = results()
    with subprocess.Popen([msprof, command, '-q', 'work', '--jobs', '2'], stderr=subprocess.DEVNULL) as process:
        children = stop_children(process)
        early = len(children) == 2 and results() == given
        process.kill()
        process.wait()
        for child in children:
            os.kill(child, signal.SIGCONT)
    wait_for_orphans()
    if early:
        assert results() == given, 'after %s was killed: %s' % (command, sorted(set(results()) - set(given)))
    return early


if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
    sys.exit('orphans cannot be taken over: %s' % os.strerror(ctypes.get_errno()))
for name in commands:
    if not any(kill_one(name) for _ in range(TRIES)):
        sys.exit('%s: no children could be stopped at their work' % name)
