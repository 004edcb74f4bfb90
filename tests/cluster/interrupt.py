# SPDX-License-Identifier: Apache-2.0
"""'msprof cluster' that waits for the analysis of a rank gets SIGTERM while that analysis is stopped: both must end.

interrupt.py MSPROF DIRECTORY
"""
import os
import shutil
import signal
import subprocess
import sys

msprof, directory = sys.argv[1:]
TRIES = 50


def children_of(pid):
    try:
        with open('/proc/%d/task/%d/children' % (pid, pid), encoding='ascii') as file:
            return [int(word) for word in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_stopped(pid):
    try:
        with open('/proc/%d/stat' % pid, encoding='ascii', errors='replace') as file:
            return file.read().rpartition(')')[2].split()[0] == 'T'
    except (FileNotFoundError, ProcessLookupError):
        return False


def interrupt_one():
    """Whether an analysis could be stopped while it worked."""
    shutil.rmtree('work', ignore_errors=True)
    shutil.copytree(directory, 'work')
    with subprocess.Popen([msprof, 'cluster', '-q', 'work', '--jobs', '1'], stderr=subprocess.DEVNULL) as process:
        met = []
        while not met and process.poll() is None:
            met = children_of(process.pid)
            for child in met:
                os.kill(child, signal.SIGSTOP)
        while met and process.poll() is None and not is_stopped(met[0]) and met[0] in children_of(process.pid):
            pass
        stopped = bool(met) and is_stopped(met[0])
        if stopped:
            process.terminate()
        status = process.wait(timeout=60)
    if stopped:
        assert status == 130, status
        assert not os.path.exists('/proc/%d' % met[0])
    return stopped


if not any(interrupt_one() for _ in range(TRIES)):
    sys.exit('no analysis could be stopped at its work')
