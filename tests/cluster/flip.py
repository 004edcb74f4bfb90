# SPDX-License-Identifier: Apache-2.0
"""One bit of an aggregate flipped, at many places of it: flip.py MSPROF RUN FLIPS. Each time 'msprof cluster' must make the
aggregate anew, and write what it wrote before."""
import glob
import os
import random
import subprocess
import sys

msprof, run, flips = sys.argv[1], sys.argv[2], int(sys.argv[3])
aggregate = sorted(glob.glob(os.path.join(run, "*", ".msprof_cluster")))[0]
output = os.path.join(run, "cluster_analysis_output")
rng = random.Random(4)


def results():
    contents = {}
    for name in sorted(os.listdir(output)):
        if name.endswith((".csv", ".json")):
            with open(os.path.join(output, name), "rb") as file:
                contents[name] = file.read()
    return contents


before = results()
silent = anew = 0
for flip in range(flips):
    with open(aggregate, "r+b") as file:
        size = file.seek(0, 2)
        place = size * flip // flips
        file.seek(place)
        byte = file.read(1)[0] ^ (1 << rng.randrange(8))
        file.seek(place)
        file.write(bytes([byte]))
    ended = subprocess.run([msprof, "cluster", run], capture_output=True, text=True)
    assert ended.returncode == 0, (place, ended.returncode, ended.stderr)
    assert "(1 read anew)" in ended.stderr, (place, ended.stderr)
    assert results() == before, place
    anew += 1
print(anew)
