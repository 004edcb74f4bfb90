#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Brings a catalogue up to the texts of the program: keeps the translations of those that are still there, in the order of
the template. Texts without a translation stay empty; one whose English changed little gets its old translation, marked
fuzzy, which the build leaves out until somebody has read it.

usage: po/update.py po/msprof.pot po/zh_CN.po
"""
import difflib
import re
import sys

import catalogue

HEADER = '''# Texts of msprof in simplified Chinese.
#
msgid ""
msgstr ""
"Project-Id-Version: msprof\\n"
"PO-Revision-Date: %s\\n"
"Last-Translator: msprof\\n"
"Language-Team: none\\n"
"Language: zh_CN\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"
'''


def main():
    pot, po = sys.argv[1:]
    with open(po, encoding="utf-8") as file:
        date = re.search(r"PO-Revision-Date: ([^\\]*)", file.read()).group(1)
    known = catalogue.read(po)
    with open(pot, encoding="utf-8") as file:
        entries = file.read().split("\n\n")[1:]
    wanted = catalogue.read(pot)
    gone = [text for text in known if text not in wanted and known[text]]
    written, missing, fuzzy = [HEADER % date], 0, 0
    for entry in entries:
        text = next(iter(catalogue_of(entry)))
        translation = known.get(text, "")
        if not translation:
            missing += 1
            near = difflib.get_close_matches(text, gone, 1, 0.8)
            if near:
                fuzzy += 1
                translation = known[near[0]]
                entry = entry.replace("#, c-format", "#, fuzzy, c-format") if "#, c-format" in entry else re.sub(
                    r"(?m)^msgid ", "#, fuzzy\nmsgid ", entry, count=1)
        at = entry.rindex("msgstr")
        head = "msgstr[0] " if entry[at:].startswith("msgstr[0]") else "msgstr "
        written.append(entry[:at] + head + catalogue.quote(translation) + "\n")
    with open(po, "w", encoding="utf-8") as file:
        file.write("\n".join(written))
    print("%s: %d texts, %d without a translation, for %d of them an earlier one is shown" % (
        po, len(entries), missing, fuzzy))


def catalogue_of(entry):
    """The one text of an entry of a template."""
    lines, text = entry.splitlines(), None
    for line in lines:
        if line.startswith("msgid "):
            text = line[7:-1]
        elif line.startswith('"') and text is not None:
            text += line[1:-1]
        elif text is not None:
            break
    return [text]


if __name__ == "__main__":
    main()
