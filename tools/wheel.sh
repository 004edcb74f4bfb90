#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes a wheel of the Python package, which holds the libraries that read and record: for any Linux with glibc 2.17 or newer and
# Python 3.8 or newer. The libraries are those of the portable archive. usage: tools/wheel.sh x86_64|aarch64 [BUILD_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."

machine=${1:-}
build=${2:-build}
tools/portable.sh "$machine" "$build"
version=$(make -s version)
archive=$build/portable/msprof-$version-linux-$machine
room=$build/wheel/$machine
information=$room/msprof-$version.dist-info
rm -rf "$room" "$build"/wheel/msprof-*"_$machine".whl
mkdir -p "$room/msprof/acl" "$information/licenses"
cp python/msprof/*.py python/msprof/py.typed "$archive/libmsprof.so.1" "$archive/libmsprof_acl.so.1" "$room/msprof"
# Inside of the package, so that the name acl stays pyACL's.
cp python/msprof_acl.py "$room/msprof/acl/__init__.py"
cp LICENSE "$archive"/licenses/* "$information/licenses"
rm -f "$information"/licenses/libssh* # of the program alone
cat >"$information/METADATA" <<END
Metadata-Version: 2.1
Name: msprof
Version: $version
Summary: Reads and records profiler captures of Ascend cards and SVP boards
License: Apache-2.0, and the terms of the libraries in it (licenses/)
Requires-Python: >=3.8
Description-Content-Type: text/plain

import msprof reads captures: 'pydoc msprof.reading'. from msprof import mstx marks what a program does;
msprof.acl records captures, as acl.prof of pyACL does.
END
tag=manylinux_2_17_$machine
tag=$tag.manylinux2014_$machine
{
    echo "Wheel-Version: 1.0"
    echo "Generator: msprof"
    echo "Root-Is-Purelib: false"
    for one in ${tag//./ }; do echo "Tag: py3-none-$one"; done
} >"$information/WHEEL"
python3 - "$room" "$build/wheel/msprof-$version-py3-none-$tag.whl" "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}" <<'END'
import base64, hashlib, os, sys, time, zipfile

room, wheel, epoch = sys.argv[1:]
when = time.gmtime(max(int(epoch), 315532800))[:6]
paths = sorted(os.path.relpath(os.path.join(where, name), room) for where, _, names in os.walk(room) for name in names)
record = next(os.path.dirname(path) for path in paths if path.endswith("/WHEEL")) + "/RECORD"
lines = []
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
    def put(path, data, mode):
        entry = zipfile.ZipInfo(path, when)
        entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
        archive.writestr(entry, data)
    for path in paths:
        with open(os.path.join(room, path), "rb") as file:
            data = file.read()
        put(path, data, 0o755 if ".so." in path else 0o644)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append("%s,sha256=%s,%d" % (path, digest, len(data)))
    put(record, "\n".join(lines + [record + ",,"]) + "\n", 0o644)
print(wheel)
END

# What stands in the wheel is what Python needs: from nowhere else it reads and records a capture. On another machine Debian's Python
# of that machine does, under qemu.
python=(python3)
if [ "$machine" != "$(uname -m)" ]; then
    if ! command -v "qemu-$machine" >/dev/null; then
        echo "$0: the wheel is not tried: qemu-$machine is not installed (qemu-user)" >&2
        exit 0
    fi
    architecture=arm64
    [ "$machine" = aarch64 ] || architecture=amd64
    tools/sysroot.sh "$architecture" "$build/python-$architecture" python3-minimal libpython3-stdlib
    root=$(realpath "$build/python-$architecture")
    python=("qemu-$machine" -L "$root" "$root/usr/bin/python3")
fi
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
python3 -m zipfile -e "$build/wheel/msprof-$version-py3-none-$tag.whl" "$trial/site"
cp -r testdata/resnet50/JOB* "$trial/JOBX"
(cd "$trial" && env -i PATH="$PATH" PYTHONPATH="$trial/site" TRIED_ON="$machine" "${python[@]}" - <<'END'
import os, platform
import sqlite3  # the program's own SQLite stays its own
import msprof
from msprof import acl, mstx

assert platform.machine() == os.environ["TRIED_ON"], platform.machine()
capture = msprof.open("JOBX")
assert sum(capture.table("ops", columns="count").to_dict()["count"]) > 0
assert capture.timeline().startswith(b"[")
acl.prof.init("recorded")
config = acl.prof.create_config([0], 1, 0, acl.ACL_PROF_MSPROFTX)
acl.prof.start(config)
mstx.mark("here")
acl.prof.stop(config)
acl.prof.finalize()
recorded = msprof.open(msprof.find("recorded")[0])
assert "here" in recorded.table("msprof_tx", columns="message").to_dict()["message"]
assert sqlite3.connect(recorded.database).execute("SELECT count(*) FROM meta").fetchone()[0] > 0
END
)
echo "tried: it reads and records on $machine"
