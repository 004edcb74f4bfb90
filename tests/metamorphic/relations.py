# SPDX-License-Identifier: Apache-2.0
"""What must not change the outputs: the order of files in their directory, how records are cut into slices, the clock of the
host, the number of the device, the time zone, the locale, the mask of new files. Each yields (what, verdict)."""
import csv
import os
import re
import shutil
import subprocess
import sys

from program import Outcome

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cann", "lib"))
from reslice import reslice  # noqa: E402

LONG = {"clock", "device"}
SHIFT_US = 86400 * 1000000


def environment(**changes):
    return {**os.environ, **changes}


def compare(one, other):
    if one.outputs == other.outputs and one.status == other.status:
        return "equal"
    differ = [name for name in sorted(set(one.outputs) | set(other.outputs)) if one.outputs.get(name) != other.outputs.get(name)]
    return "silent: %s differ, status %d and %d" % (", ".join(differ[:4]), one.status, other.status)


def copy_reversed(source, target):
    """Names are made in the opposite order, which most file systems list them in."""
    os.makedirs(target)
    for name in sorted(os.listdir(source), reverse=True):
        path = os.path.join(source, name)
        if os.path.isdir(path):
            copy_reversed(path, os.path.join(target, name))
        else:
            shutil.copy2(path, os.path.join(target, name))


def fresh(root, work, name):
    path = os.path.join(work, name, os.path.basename(root))
    shutil.rmtree(os.path.join(work, name), ignore_errors=True)
    os.makedirs(os.path.dirname(path))
    return path


def order_of_files(msprof, root, work):
    one = Outcome(msprof, root, os.path.join(work, "one"), timeline=True)
    copy = fresh(root, work, "reversed")
    copy_reversed(root, copy)
    yield "order", compare(one, Outcome(msprof, copy, os.path.join(work, "other"), timeline=True))


def slices(msprof, root, work):
    one = Outcome(msprof, root, os.path.join(work, "one"), timeline=True)
    parts = [part for part in ("host", "device_0") if os.path.isdir(os.path.join(root, part, "data"))]
    for size in (4096, 1000) if parts else ():
        copy = fresh(root, work, "slices")
        shutil.copytree(root, copy)
        for part in parts:
            reslice(os.path.join(copy, part, "data"), size, 0)
        yield "slices of %d" % size, compare(one, Outcome(msprof, copy, os.path.join(work, "other"), timeline=True))


def surroundings(msprof, root, work):
    one = Outcome(msprof, root, os.path.join(work, "one"), environment(TZ="UTC", LC_ALL="C"), timeline=True)
    locale = german(os.path.join(os.path.dirname(work), "locale"))
    others = {"time zone": environment(TZ="Asia/Kolkata", LC_ALL="C")}
    if locale:
        others["locale de_DE"] = environment(TZ="UTC", LC_ALL="de_DE.UTF-8", LOCPATH=locale)
    for what, changed in others.items():
        yield what, compare(one, Outcome(msprof, root, os.path.join(work, "other"), changed, timeline=True))
    masked = Outcome(msprof, root, os.path.join(work, "other"), environment(TZ="UTC", LC_ALL="C"), timeline=True, umask=0o077)
    yield "umask", compare(one, masked)


def german(path):
    """Where the locale is, made once for all captures; None when it cannot be made here."""
    if os.path.isdir(path):
        return path
    made = "%s.%d" % (path, os.getpid())
    os.makedirs(made)
    done = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(made, "de_DE.UTF-8")], check=False,
                          capture_output=True)
    if done.returncode != 0:
        return None
    try:
        os.rename(made, path)
    except OSError:  # another process was faster
        shutil.rmtree(made)
    return path


def rows_of(outcome_directory):
    """Every CSV file as rows of cells, by its name without the date."""
    found = {}
    for folder, _, names in os.walk(outcome_directory):
        for name in names:
            if name.endswith(".csv"):
                with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
                    found[re.sub(r"_\d{14,17}(?=\.)", "", name)] = list(csv.reader(file))
    return found


def clock_shifted(msprof, root, work):
    """A day later: times are a day later, and nothing else is another."""
    Outcome(msprof, root, os.path.join(work, "one"))
    before = rows_of(os.path.join(work, "one"))
    copy = fresh(root, work, "shifted")
    shutil.copytree(root, copy)
    changed = False
    for folder, _, names in os.walk(copy):
        for name in names:
            if not re.match(r"(start|end)_info", name) or name.endswith(".done"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            shifted = re.sub(r'("collectionTime(?:Begin|End)"\s*:\s*")(\d+)"',
                             lambda found: '%s%d"' % (found.group(1), int(found.group(2)) + SHIFT_US), text)
            changed |= shifted != text
            with open(path, "w", encoding="utf-8") as file:
                file.write(shifted)
    if not changed:
        return
    Outcome(msprof, copy, os.path.join(work, "other"))
    yield "clock", compare_rows(before, rows_of(os.path.join(work, "other")), is_day_later)


def is_day_later(one, other):
    """Cells of times: microseconds since 1970."""
    try:
        difference = float(other) - float(one)
    except ValueError:
        return False
    return float(one) > 1e15 and abs(difference - SHIFT_US) < 1


def compare_rows(before, after, may_differ):
    if sorted(before) != sorted(after):
        return "silent: files %s and %s" % (sorted(before), sorted(after))
    for name, rows in before.items():
        others = after[name]
        if len(rows) != len(others):
            return "silent: %s has %d rows and %d" % (name, len(rows), len(others))
        for row, other in zip(rows, others):
            for one, two in zip(row, other):
                if one.strip() != two.strip() and not may_differ(one.strip(), two.strip()):
                    return "silent: %s: '%s' and '%s'" % (name, one, two)
    return "equal"


def device_renamed(msprof, root, work):
    """Device 0 as device 3, as far as the names of files and directories and the descriptions say it."""
    if not os.path.isdir(os.path.join(root, "device_0")) or os.path.isdir(os.path.join(root, "device_1")):
        return
    Outcome(msprof, root, os.path.join(work, "one"))
    before = rows_of(os.path.join(work, "one"))
    copy = fresh(root, work, "renamed")
    shutil.copytree(root, copy)
    os.rename(os.path.join(copy, "device_0"), os.path.join(copy, "device_3"))
    for folder, _, names in os.walk(os.path.join(copy, "device_3")):
        for name in names:
            renamed = re.sub(r"\.0(?=\.slice_|\.done$|$)", ".3", name, count=1)
            os.rename(os.path.join(folder, name), os.path.join(folder, renamed))
            if renamed.startswith("info.json") and not renamed.endswith(".done"):
                edit(os.path.join(folder, renamed), r'("id"\s*:\s*)0\b', r"\g<1>3")
                edit(os.path.join(folder, renamed), r'("devices"\s*:\s*")0"', r'\g<1>3"')
    set_devices(copy)
    Outcome(msprof, copy, os.path.join(work, "other"))
    after = {re.sub(r"_3(_\d+\.csv)$", r"_0\1", name): rows for name, rows in rows_of(os.path.join(work, "other")).items()}
    yield "device", compare_rows(before, after, lambda one, two: (one, two) in (("0", "3"), ("NPU:0", "NPU:3")))


def edit(path, pattern, replacement):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(pattern, replacement, text))


def set_devices(copy):
    """The host's records of tasks name their device (docs/formats/cann.md 3.4): 2 bytes at 24 of 64."""
    data = os.path.join(copy, "host", "data")
    for name in os.listdir(data) if os.path.isdir(data) else ():
        if ".compact.task_track.slice_" in name and not name.endswith(".done"):
            path = os.path.join(data, name)
            with open(path, "rb") as file:
                content = bytearray(file.read())
            for at in range(0, len(content) - 63, 64):
                content[at + 24:at + 26] = (3).to_bytes(2, "little")
            with open(path, "wb") as file:
                file.write(content)


RELATIONS = {"order": order_of_files, "slices": slices, "surroundings": surroundings, "clock": clock_shifted,
             "device": device_renamed}
