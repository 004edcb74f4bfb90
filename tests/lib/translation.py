# SPDX-License-Identifier: Apache-2.0
"""Compares a manual page with its translation: what is no language must stand in both, at the same place.

usage: translation.py ENGLISH.1 CHINESE.1

A page is cut into pieces: at each section, item and paragraph. Both pages must have the same pieces in the same order, and in
each piece the same options, commands, arguments, files, variables, references, numbers and names with an underscore. Displays
and the synopsis are equal byte for byte. What differs is printed, with status 1.
"""
import os
import re
import shlex
import subprocess
import sys

SAME = {"Ar", "Cm", "Dv", "Ev", "Fl", "Ic", "Li", "Pa", "Ql", "Va", "Xr"}
OTHER = {"Em", "Nm", "No", "Ns", "Op", "Pq", "Po", "Pc", "Sx", "Sy", "Ta", "Tn"}
LAYOUT = {"Bd", "Bl", "D1", "Dl", "Ed", "El", "It", "Pp", "Sh", "Ss"}
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
NAME = re.compile(r"--[a-z][a-z0-9-]*(?<!-)|[A-Za-z0-9*]*[A-Za-z0-9]_[A-Za-z0-9_*]+")


class Piece:
    def __init__(self, line, layout):
        self.line = line
        self.layout = layout
        self.marked = set()
        self.text = []

    def unspoken(self):
        """What of the piece belongs to no language."""
        text = re.sub(r"\\&", "", " ".join(self.text))
        text = re.sub(r"(?<=[A-Za-z\d])-(?=[A-Za-z])", " ", text)  # run-to-run is no option
        return self.marked | {("number", n) for n in NUMBER.findall(NAME.sub(" ", text))} | {("name", n) for n in NAME.findall(text)}


def words_of(line):
    try:
        return shlex.split(line.replace("\\&", "").replace("\\", "\\\\"), posix=True)
    except ValueError:
        return line.split()


def read_macros(words, piece):
    macro = None
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in SAME or word in OTHER:
            macro = word
            if word == "Xr":
                piece.marked.add(("Xr", " ".join(words[at:at + 2])))
                at += 2
                macro = None
        elif re.fullmatch(r"[,.;:()\[\]|?!]", word):
            continue
        elif macro in SAME:
            piece.marked.add((macro, word))
        else:
            piece.text.append(word)


def lines_of(path):
    """The lines of a page; '@msprof WORDS@' stands for what $MSPROF prints."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not re.fullmatch("@msprof .*@", line):
                yield number, line
                continue
            printed = subprocess.run([os.environ["MSPROF"], *line[8:-1].split()], stdout=subprocess.PIPE, check=True, text=True)
            yield from ((number, row) for row in printed.stdout.splitlines())


def pieces_of(path):
    pieces = [Piece(0, ("start",))]
    section, literal = "", False
    for number, line in lines_of(path):
        if line.startswith('.\\"'):
            continue
        if literal and line != ".Ed":
            pieces[-1].marked.add(("display", line))
            continue
        literal = False
        if not line.startswith("."):
            pieces[-1].text.append(line)
            continue
        macro, _, rest = line[1:].partition(" ")
        if macro == "Sh":
            section = rest
        if macro in ("Dd", "Nd"):
            continue
        if macro not in LAYOUT:
            # the lines of the synopsis in their order
            if section == "SYNOPSIS":
                pieces.append(Piece(number, (line,)))
            read_macros([macro] + words_of(rest), pieces[-1])
            continue
        words = words_of(rest)
        spoken = macro in ("Sh", "Ss", "Bl") or (macro == "It" and "Sy" in words)
        if macro in ("Sh", "Ss"):
            words = [rest] if rest.isascii() and macro == "Ss" and "_" in rest else []
        elif macro == "It" and "Sy" in words:
            words = [word for word in words if word in ("Sy", ",")]
        elif macro == "Bl":
            words = words[:1]
        pieces.append(Piece(number, (macro, *words)))
        if macro == "It" and not spoken:
            read_macros(words_of(rest), pieces[-1])
        literal = macro == "Bd" and "-literal" in rest
    return pieces


def compare(english, chinese):
    ours, theirs = pieces_of(english), pieces_of(chinese)
    findings = 0
    for one, other in zip(ours, theirs):
        if one.layout != other.layout:
            print(f"{chinese}:{other.line}: {' '.join(other.layout)} stands where {english}:{one.line} has {' '.join(one.layout)}")
            return 1
        for missing, piece, page, there in ((one.unspoken() - other.unspoken(), other, chinese, english),
                                            (other.unspoken() - one.unspoken(), one, english, chinese)):
            for kind, word in sorted(missing):
                print(f"{page}:{piece.line}: lacks {kind} '{word}', which {there} has")
                findings += 1
    if len(ours) != len(theirs):
        print(f"{english} has {len(ours)} pieces, {chinese} {len(theirs)}")
        findings += 1
    return findings != 0


if __name__ == "__main__":
    sys.exit(compare(*sys.argv[1:]))
