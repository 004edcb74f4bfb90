# SPDX-License-Identifier: Apache-2.0
"""Runs the lines of a table and compares what happens with it.
usage: typed.py MSPROF TABLE CAPTURE
Columns: exit status; text that the output has (anything where it is empty); what the line is: of a command line,
or options for 'msprof options' (acl.json: in a file of that name); the line. CAPTURE stands for a fresh copy,
⏎ for the end of a line."""
import os
import shlex
import shutil
import subprocess
import sys

program, table, capture = sys.argv[1:]


def contents():
    """What lies in the directory, and since when: a line that wrote nothing needs no fresh copy behind it."""
    return {(os.path.join(folder, name), os.lstat(os.path.join(folder, name)).st_mtime_ns)
            for folder, folders, files in os.walk('typed') for name in folders + files}


wrong = count = 0
fresh = None
for row in open(table, encoding='utf-8').read().splitlines():
    if row.startswith('#'):
        continue
    status, text, kind, line = row.split('\t')
    line = line.replace('⏎', '\n')
    if fresh is None or contents() != fresh:
        shutil.rmtree('typed', ignore_errors=True)
        shutil.copytree(capture, 'typed/CAPTURE')
        with open('typed/reports_sample_config.json', 'w', encoding='utf-8') as file:
            file.write('{"json_process": {"ascend": true}}')
        fresh = contents()
    if kind == 'acl.json':
        with open('typed/acl.json', 'w', encoding='utf-8') as file:
            file.write(line)
    words = shlex.split(line)[1:] if kind == 'line' else ['options', 'acl.json' if kind == 'acl.json' else '-']
    made = subprocess.run([program, *words], cwd='typed', input=line, capture_output=True, text=True, check=False,
                          env={**os.environ, 'LC_ALL': 'C.UTF-8'})
    count += 1
    output = (made.stderr + made.stdout).replace(f'{os.getcwd()}/typed/', '')
    if made.returncode != int(status) or text not in output:
        wrong += 1
        print(f'{line}\n  status {made.returncode}, expected {status} and: {text}\n  {made.stderr.strip()}')
assert count > 100 and not wrong, f'{wrong} of {count} lines'
