# SPDX-License-Identifier: Apache-2.0
"""Reads and writes PO files: what po/update.py and po/check.py share."""
import re


def read(path):
    """{msgid: msgstr}, as the file escapes them; fuzzy and obsolete entries are left out."""
    messages, state, current = {}, None, {"id": "", "str": "", "plural": ""}
    fuzzy = False

    def finish():
        if current["id"] and not fuzzy:
            messages[current["id"]] = current["str"]

    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("#,") and "fuzzy" in line:
                fuzzy = True
            elif line.startswith("#"):
                continue
            elif line.startswith("msgid "):
                finish() if state == "str" else None
                current, state = {"id": line[7:-1], "str": "", "plural": ""}, "id"
            elif line.startswith("msgid_plural "):
                current["plural"], state = line[14:-1], "plural"
            elif line.startswith("msgstr"):
                current["str"], state = line[line.index('"') + 1:-1], "str"
            elif line.startswith('"'):
                current[state] += line[1:-1]
            elif not line and state == "str":
                finish()
                state, fuzzy = None, False
                current = {"id": "", "str": "", "plural": ""}
    if state == "str":
        finish()
    return messages


def quote(text):
    """As a PO file has a text: a line for each of its lines."""
    parts = re.findall(r"(?:[^\\]|\\.)*?\\n|(?:[^\\]|\\.)+$", text)
    return '"%s"' % text if len(parts) < 2 else '""\n' + "\n".join('"%s"' % part for part in parts)
