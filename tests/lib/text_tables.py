#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the framed tables that msprof prints, and prints their cells.

usage: text_tables.py align FILE [WIDTH]   the lines of a table are equally wide, and no line at all is wider than WIDTH
                                           (0: any width)
       text_tables.py cells FILE           a line for each row, cells joined by '|', their lines by '\\n'; a blank line
                                           after each table; the other lines as they are. Without rules between rows
                                           each line is one

The width of a character comes from Python's Unicode tables, not from wcwidth.
"""
import sys
import unicodedata

EDGES = "╒╞├╘"


def width(line):
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line)
    return len(line) + wide - sum(unicodedata.combining(character) != 0 for character in line)


def align(lines, limit):
    failures, expected, junctions = [], None, None
    for number, line in enumerate(lines, 1):
        if limit is not None and width(line) > limit:
            failures.append(f"line {number} has {width(line)} columns: {line}")
        if not line or line[0] not in EDGES + "│":
            continue
        places = [width(line[:i]) for i, character in enumerate(line) if character in "╒╤╕╞╪╡├┼┤╘╧╛│"]
        if line[0] == "╒":
            expected, junctions = width(line), places
        if width(line) != expected or places != junctions:
            failures.append(f"line {number} is not aligned: {line}")
    return failures


def cells(lines):
    rows, row, ruled = [], None, True
    for number, line in enumerate(lines):
        if line and line[0] == "╞":
            rest = [other[:1] for other in lines[number:]]
            ruled = "├" in rest[:rest.index("╘")]
        if line and line[0] == "│":
            if not ruled and row is not None:
                rows.append("|".join(row))
                row = None
            parts = [part.strip() for part in line.strip("│").split("│")]
            row = parts if row is None else [f"{a}\\n{b}" if b else a for a, b in zip(row, parts)]
            continue
        if row is not None:
            rows.append("|".join(row))
            row = None
        if line and line[0] == "╘":
            rows.append("")
        elif not line or line[0] not in EDGES:
            rows.append(line)
    return rows


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        lines = file.read().splitlines()
    if sys.argv[1] == "cells":
        print("\n".join(cells(lines)))
        return 0
    failures = align(lines, int(sys.argv[3]) if sys.argv[3:] and sys.argv[3] != "0" else None)
    print("\n".join(failures[:10]) or f"{sum(line.startswith('╒') for line in lines)} tables are aligned")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
