#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds names in comments of C files that no longer exist: files, functions, variables.

usage: tools/lint-comments.py

A name is a word with an underscore, or with the ending of a source or document; it must be an identifier of the code, a
file or its name without the ending, or stand in a script, a test or the manual. Names of other programs and of
examples are listed below, each with its file.
"""
import os
import re
import subprocess
import sys

# Names that other programs have, or that an example made up.
FOREIGN = {
    "base/array.h": {"by_layer"},
    "base/err.h": {"names_load", "times_load"},
    "base/ticks.h": {"a_start_ns", "a_length_ns", "b_start_ns", "b_length_ns"},
    "base/words.h": {"side_name"},
    "cli/options/options.h": {"report.md"},
    "db/joint.h": {"first_name"},
    "exporters/reports/svp/svp_tables.h": {"iter_id"},
    "features/diff/measures.c": {"aic_vec"},
    "features/opprof/kinds/common/opprof_csv.h": {"kind_x"},
    "include/msprof/acl_prof.h": {"acl/acl.h", "acl_base.h"},
    "parsers/capture/capture_config.c": {"online_batch_num"},
    "parsers/kinds/common/columns.h": {"fan_id"},
    "parsers/record.h": {"lower_snake"},
}

PIECES = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
FILE = re.compile(r"(?<![\w.*/>-])([\w/-]+\.(?:c|h|py|bats|sh|md))\b")
NAME = re.compile(r"(?<![\w.>-])([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b(?!\.|\*)")


def listed(*patterns):
    return subprocess.run(["git", "ls-files", "-z", "--", *patterns], stdout=subprocess.PIPE, check=True,
                          text=True).stdout.split("\0")[:-1]


def text_of(path):
    with open(path, errors="replace") as file:
        return file.read()


def comments_of(text):
    """The code without comments, and each comment with its line."""
    comments = []

    def piece(match):
        if not match.group().startswith("/"):
            return match.group()
        comments.append((text.count("\n", 0, match.start()) + 1, match.group()))
        return " "

    return PIECES.sub(piece, text), comments


def is_file(name, paths, names):
    return any(path == name or path.endswith("/" + name) for path in paths) if "/" in name else name in names


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    paths = [path for path in listed() if os.path.isfile(path)]
    names = {os.path.basename(path) for path in paths}
    known = {os.path.splitext(name)[0] for name in names}
    sources = {}
    for path in paths:
        if path.endswith((".c", ".h")):
            code, sources[path] = comments_of(text_of(path))
            known.update(IDENTIFIER.findall(code))
    for path in listed("Makefile", "tools", "tests/**.py", "tests/**.bats", "man", "python", "docs/schemas", "testdata/**.py"):
        if path in names or os.path.isfile(path):
            known.update(IDENTIFIER.findall(text_of(path)))
    findings = 0
    for path, comments in sources.items():
        foreign = FOREIGN.get(path, set())
        for line, comment in comments:
            gone = {name for name in FILE.findall(comment) if not is_file(name, paths, names)}
            gone |= {name for name in NAME.findall(comment) if name not in known}
            for name in sorted(gone - foreign):
                print(f"{path}:{line}: the comment names {name}, which does not exist")
                findings += 1
    if findings:
        print(f"lint-comments: {findings} findings", file=sys.stderr)
    return findings != 0


if __name__ == "__main__":
    sys.exit(main())
