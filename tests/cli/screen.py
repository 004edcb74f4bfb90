# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a terminal and checks that what it prints fits.
usage: screen.py COLUMNSxROWS [--one-screen] COMMAND...
Every line fits the columns, but for paths and messages, which are not cut; with --one-screen all lines and the prompt fit the rows, and no pager waits."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata

size, *command = sys.argv[1:]
columns, rows = map(int, size.split('x'))
whole = command[0] == '--one-screen'
own, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
pager = {'PAGER': 'echo waits; cat' if whole else 'cat'}
child = subprocess.Popen(command[whole:], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                         env={**os.environ, **pager, 'TERM': 'xterm', 'LC_ALL': 'C.UTF-8'})
os.close(terminal)
text = b''
while True:
    try:
        part = os.read(own, 65536)
    except OSError:  # the other end is closed
        break
    if not part:
        break
    text += part
assert child.wait() == 0, text
lines = re.sub(r'\x1b\[[0-9;]*m', '', text.decode()).replace('\r', '').rstrip('\n').split('\n')
assert len(lines) > 3, lines
wide = [line for line in lines if not line.startswith(('msprof: ', 'Capture : ', '  file ')) and
        sum(2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in line) > columns]
assert not wide, '\n'.join(wide[:10])
if whole:
    taken = sum(-(-max(len(line), 1) // columns) for line in lines)
    assert taken < rows and 'waits' not in lines, f'{taken} rows: {text.decode()}'
