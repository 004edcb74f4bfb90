# SPDX-License-Identifier: Apache-2.0
"""Runs a command that may hang."""
import resource
import subprocess

CPU_S = 60  # of the processor, which a busy machine does not make more
WALL_S = 800  # for what waits for ever


def run(words):
    """The exit status, negative for a signal's, and what the command wrote to stderr. Raises subprocess.TimeoutExpired."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        # not by the child: a copy of this process for each run takes longer than to start a program
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (CPU_S, CPU_S))
        try:
            talk = process.communicate(timeout=WALL_S)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, talk
