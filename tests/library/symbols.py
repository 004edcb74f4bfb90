# SPDX-License-Identifier: Apache-2.0
"""Compares what a library exports with the list of what a version promised: names that are gone, or that have another version, would
break programs that are linked with it; names that are new belong into the list. usage: symbols.py LIBRARY LIST"""

import re
import subprocess
import sys

library, path = sys.argv[1:]
said = subprocess.run(["objdump", "-T", library], capture_output=True, check=True, text=True).stdout
exported = {tuple(match) for match in re.findall(r"^[0-9a-f]+ g .*\s(\S*[A-Z]\S*)\s+(\w+)$", said, re.M) if match[1] != match[0]}
exported = {f"{name} {node}" for node, name in exported}
with open(path, encoding="ascii") as file:
    promised = {line.strip() for line in file if line.strip() and not line.startswith("#")}
for line in sorted(promised - exported):
    print(f"gone: {line}")
for line in sorted(exported - promised):
    print(f"new, and not in {path}: {line}")
sys.exit(promised != exported)
