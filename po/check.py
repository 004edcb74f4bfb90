#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the catalogue against the sources and itself. Prints FILE: what is wrong.

usage: po/check.py [CATALOGUE]
"""
import os
import re
import sys
import unicodedata

import catalogue
import extract

HERE = os.path.dirname(os.path.abspath(__file__))
HELP_COLUMNS = 54  # of a line of an option's help: 80 less the 26 that stand before it
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z0-9_-]+")


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def problems_of(english, chinese):
    found = [match.group() for match in extract.DIRECTIVE.finditer(english.replace("%%", ""))]
    # %.0s takes an ending of English ("file%s") and prints nothing.
    theirs = [match.group().replace("%.0s", "%s") for match in extract.DIRECTIVE.finditer(chinese.replace("%%", ""))]
    if found != theirs:
        yield "placeholders %s, in English %s" % (" ".join(theirs), " ".join(found))
    if bool(found) and english.count("%%") != chinese.count("%%"):
        yield "%d times %%%%, in English %d times" % (chinese.count("%%"), english.count("%%"))
    ours, options = (sorted(set(OPTION.findall(text.replace(r"\n", " ")))) for text in (english, chinese))
    if ours != options:
        yield "options %s, in English %s" % (options, ours)
    for end in (r"\n",):
        if english.endswith(end) != chinese.endswith(end) or english.startswith(end) != chinese.startswith(end):
            yield "begins or ends with a line feed in one language alone"
    unit = re.search(r"\((us|ns|ms|KB|MB|B|%|GB/s|MB/s|KB/s|MHz)\)$", english)
    if unit and not re.match(r".*\s", english) and not chinese.endswith(unit.group()):
        yield "a title without its unit %s" % unit.group()
    if re.search(r"[,;!?] ?[\u4e00-\u9fff]|[\u4e00-\u9fff] ?[,;!?](?! ?[A-Za-z0-9%'-])", chinese):
        yield "punctuation of English between Chinese"


def check(path):
    messages, unmarked = extract.collect()
    for text in extract.system_errors():
        messages.setdefault(text, [None, ["base/err.c"]])
    known = catalogue.read(path)
    findings = []
    for text, (_, places) in messages.items():
        chinese = known.get(text, "")
        if not chinese:
            findings.append("%s: \"%s\" has no translation in %s: 'make po-update', then translate it" % (
                places[0], text, os.path.relpath(path)))
            continue
        findings += ["%s: \"%s\": %s" % (os.path.relpath(path), text, problem) for problem in problems_of(text, chinese)]
        if any(place.startswith("cli/options/option_table.c:") for place in places):
            findings += ["%s: \"%s\": the line '%s' of the help is wider than %d columns" % (
                os.path.relpath(path), text, line, HELP_COLUMNS)
                for line in chinese.split(r"\n") if width(line) > HELP_COLUMNS]
    findings += ["%s: \"%s\" is no text of the program any more: 'make po-update'" % (os.path.relpath(path), text)
                 for text in known if text not in messages]
    with open(os.path.join(HERE, "unmarked.txt"), encoding="utf-8") as file:
        allowed = {line for line in file.read().splitlines() if line and not line.startswith("#")}
    for line in unmarked:
        place, _, text = line.partition(": ")
        if "%s: %s" % (place.split(":")[0], text) not in allowed:
            findings.append("%s: \"%s\" looks like a message, and nothing looks it up: mark it (po/README.md)" % (place, text))
    there = {"%s: %s" % (line.split(":")[0], line.partition(": ")[2]) for line in unmarked}
    findings += ["po/unmarked.txt: \"%s\" is no text of the program any more: remove it" % line
                 for line in sorted(allowed - there)]
    return findings


def main():
    findings = check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "zh_CN.po"))
    if findings:
        print("\n".join(findings), file=sys.stderr)
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
