#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the texts of the program that are for people, and writes po/msprof.pot; or finds texts that nobody translates.

usage: po/extract.py >po/msprof.pot
       po/extract.py --unmarked     print texts that look like messages and are in none of the places below
       po/extract.py --count        print how many there are, by folder

Texts are found where they are given to a function that looks them up (FUNCTIONS), stand in a member of a table that is
looked up where it is printed (MEMBERS, TITLES), or in LANGUAGE_MARK(). po/README.md describes this.
"""
import os
import re
import sys
from collections import OrderedDict

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ["base", "parsers", "db", "exporters", "features", "ssh", "cli"]
# Files whose texts are data: formats, generated HTML, queries.
SKIPPED = re.compile(r"^features/mcp/(?!commands/cmd_mcp)|^features/cluster/mpi/")

# Function or macro: its arguments that are texts, from 1; a pair is singular and plural.
FUNCTIONS = {
    "err_set": [3], "err_set_errno": [3], "err_wrap": [2], "err_hint": [2],
    "console_warning": [1], "console_note": [1], "console_detail": [1], "console_say": [2], "console_fail": [2, 3],
    "session_say": [3], "session_note": [2], "session_warn": [2], "ssh_failure": [3], "text_mistake": [2],
    "tui_say": [2], "rule_say": [2], "diag_report": [4], "switch_problem_add": [6], "put_line": [2, 4],
    "put_list": [2], "put_series": [2], "put_share": [2], "put_fps": [2], "put_names": [2], "item_of": [2],
    "language_said": [1], "language_shown": [1], "language_print": [2], "LANGUAGE_MARK": [1],
    "language_counted": [(1, 2)], "language_counted_shown": [(1, 2)],
    "show_title": [2], "show_field": [2], "show_number": [2], "report_show_line": [2],
    "html_attribute": [3], "html_attribute_f": [3], "html_facts_begin": [2], "html_table_begin": [2], "put_unknown": [2, 3],
    "database_error": [3], "database_write_error": [3], "open_own": [2], "board_run": [2], "board_do": [2], "board_ask": [3],
    "board_do_within": [3], "board_do_with_names": [3], "board_take_lines": [6], "tui_ask": [2], "progress_update": [2], "html_cell": [2],
    "begin_number": [2], "begin_share": [2], "chart_begin": [2, 3], "chart_begin_sized": [2, 3], "chart_shares": [2],
    "put_fact": [2], "put_name": [2],
    "html_text": [2], "html_text_f": [2], "html_element": [3], "html_note": [2], "html_absent": [2],
}
# Macros of one file.
FILE_FUNCTIONS = {
    "cli/options/option_table.c": {"FLAG": [4], "VALUE": [6], "NUMBER": [7], "CHOICE": [5]},
    "base/diag.h": {"X": [4, 5]},
    "features/page/parts/summary.c": {"put_share": [2, 4]},
    "features/page/parts/changes.c": {"put_steps": [2]},
    "features/cluster/rank/aggregate.c": {"damaged": [2]},
    "features/cluster/commands/cmd_cluster.c": {"refuse_format": [1, 2]},
    "features/diff/commands/cmd_diff.c": {"usage": [1]},
    "features/options/finding.c": {"EFFECT": [4]},
    "base/format/json_in.c": {"set_mistake": [4]},
    "base/format/json_pieces.c": {"mistake": [2]},
    "exporters/table/report_file.c": {"fail": [3], "take_words": [4], "take_further": [4]},
    "exporters/table/rows.c": {"fail_at": [4]},
    "ssh/session/session.c": {"lost": [3]},
    "ssh/session/authenticate.c": {"tell_tried": [2]},
    "parsers/capture/archive.c": {"tell_limit": [2]},
}
# Macros of one file that put something behind the title that they are given.
SUFFIXES = {
    "exporters/reports/svp/op_summary_svp.c": {"RATIO": "(%)", "BYTES": "(KB)"},
}
# Files with rows whose n-th member is a text.
ROWS = {"features/options/finding.c": 4}
# Arrays of titles.
WORD_LISTS = {"heads"}
# Members of tables.
MEMBERS = {
    "not_checked", "formula", "nothing", "rests_on", "advice", "summary", "description", "help", "sought", "lacks",
}
# Where --unmarked does not look: descriptions of columns for the manual, scripts and styles of pages, layouts in files.
DATA = re.compile(r"^(parsers|features/\w+)/kinds/|/reports/|tables/|\.h$|^features/layouts/|^features/page/(timeline_script|html_writer|page|chart)\.c")
# Members whose texts stand in the manual, which is translated by hand, or in no place for people.
UNTRANSLATED_MEMBERS = {"doc", "source", "text", "needs", "condition"}
# .title and the first text of a row, in files that have tables of columns.
TITLES = re.compile(r"struct (report_column|grid_column|html_part|html_table|show_block) ")
# Names that a title may be: of counters, keys of JSON, layouts.
IDENTIFIER = re.compile(r"^[a-z][A-Za-z0-9_.-]*(/s)?(\([a-zA-Z/%]+\))?$")
NO_MESSAGE = re.compile(
    r"^(default-src|hsl\()|^(JOB|PROF_|OPPROF_|Content-Security-Policy|name long)$|^(SELECT|CASE|quantize\()|^[a-z]\.[a-z_]+,|^(--[a-z-]+|msprof op|MsTx_|AccId|%s\.csv|/msprof|--output DIR)$")

# A conversion of printf; "40 % of it" has none.
DIRECTIVE = re.compile(r"%[-+#0*.\d]*(?:(?:hh|h|ll|l|z|j|t)?[diouxXeEfFgGcsp]|<PRI\w+>)")

TOKEN = re.compile(
    r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<char>\'(?:[^\'\\\n]|\\.)+\')'
    r"|(?P<directive>^[ \t]*#(?:[^\n\\]|\\.|\\\n)*)|(?P<word>[A-Za-z_][A-Za-z_0-9]*)|(?P<number>\d[\w.]*)"
    r"|(?P<space>\s+|\\\n)|(?P<other>.)", re.S | re.M)


class Token:
    __slots__ = ("kind", "text", "line")

    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line


def tokens_of(source, first_line=1):
    """The tokens without comments and blanks; a macro's body is read as code."""
    result, line = [], first_line
    for match in TOKEN.finditer(source):
        kind, text = match.lastgroup, match.group()
        if kind == "directive":
            body = re.match(r"[ \t]*#\s*define\s+\w+(?:\([^)]*\))?", text)
            if body:
                inner = text[body.end():].replace("\\\n", " \n")
                result += tokens_of(inner, line + text[:body.end()].count("\n"))
        elif kind not in ("comment", "space"):
            result.append(Token(kind, text, line))
        line += text.count("\n")
    return result


def read_defines(sources):
    """Macros that are texts alone."""
    found = {}
    for source in sources.values():
        for match in re.finditer(r'^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[ \t]|\\\n)+"(?:[^\n\\]|\\.|\\\n)*)$', source, re.M):
            parts = tokens_of(match.group(2).replace("\\\n", " "))
            if all(token.kind == "string" for token in parts):
                found[match.group(1)] = "".join(token.text[1:-1] for token in parts)
    return found


class Reader:
    def __init__(self, path, source, defines):
        self.path, self.defines = path, defines
        self.tokens = tokens_of(source)
        self.used = set()       # indexes of tokens that are texts of messages
        self.messages = []      # (text, plural or None, line)
        self.functions = dict(FUNCTIONS)
        self.functions.update(FILE_FUNCTIONS.get(path, {}))
        self.has_titles = bool(TITLES.search(source))
        self.has_parts = "struct html_part" in source

    def literal_at(self, i):
        """The concatenated literal that begins at token i: (text, tokens), or None."""
        text, first, strings = "", i, 0
        while i < len(self.tokens):
            token = self.tokens[i]
            if token.kind == "string":
                text += token.text[1:-1]
                strings += 1
            elif token.kind == "word" and re.match(r"(PRI|SCN)[a-zA-Z0-9]+$", token.text) and text.endswith("%") or (
                    token.kind == "word" and re.match(r"PRI[a-zA-Z0-9]+$", token.text) and text):
                text += "<" + token.text + ">"
            elif token.kind == "word" and token.text in self.defines:
                text += self.defines[token.text]
            else:
                break
            i += 1
        return (text, i - first) if strings > 0 or i > first else None

    def arguments(self, i):
        """Ranges of tokens of the arguments of the call whose '(' is token i."""
        depth, start, result = 0, i + 1, []
        for k in range(i, len(self.tokens)):
            text = self.tokens[k].text
            if self.tokens[k].kind not in ("other",):
                continue
            if text in "([{":
                depth += 1
            elif text in ")]}":
                depth -= 1
                if depth == 0:
                    result.append((start, k))
                    return result
            elif text == "," and depth == 1:
                result.append((start, k))
                start = k + 1
        return result

    def literals_in(self, start, end):
        """The texts of an expression: one, or both sides of a condition; not those inside calls or comparisons."""
        i, depth, result = start, 0, []
        while i < end:
            token = self.tokens[i]
            if token.kind == "other" and token.text in "([{":
                called = i > start and self.tokens[i - 1].kind == "word" and self.tokens[i - 1].text != "return"
                depth += 1 if called or depth > 0 else 0
                i += 1
                continue
            if token.kind == "other" and token.text in ")]}":
                depth -= 1 if depth > 0 else 0
                i += 1
                continue
            found = self.literal_at(i) if depth == 0 else None
            if found and found[1] > 0 and (token.kind == "string" or token.text in self.defines):
                result.append((found[0], token.line, i, found[1]))
                i += found[1]
            else:
                i += 1
        return result

    def add(self, start, end, is_marked=False):
        found = self.literals_in(start, end)
        for text, line, at, count in found:
            self.used.update(range(at, at + count))
            self.messages.append((text, None, line, is_marked))
        return found

    def add_pair(self, one, many):
        first, second = self.literals_in(*one), self.literals_in(*many)
        if len(first) == 1 and len(second) == 1:
            for _, _, at, count in first + second:
                self.used.update(range(at, at + count))
            self.messages.append((first[0][0], second[0][0], first[0][1], True))

    def read(self):
        for i, token in enumerate(self.tokens):
            following = self.tokens[i + 1].text if i + 1 < len(self.tokens) else ""
            before = self.tokens[i - 1].text if i > 0 else ""
            if token.kind == "word" and following == "(" and token.text in self.functions:
                arguments = self.arguments(i + 1)
                for wanted in self.functions[token.text]:
                    if isinstance(wanted, tuple):
                        if len(arguments) >= 2:
                            self.add_pair(arguments[wanted[0] - 1], arguments[wanted[1] - 1])
                    elif wanted <= len(arguments):
                        self.add(*arguments[wanted - 1], token.text.startswith(("LANGUAGE", "language_s")))
            elif token.kind == "word" and token.text == "EXAMPLES" and following == "(":
                for start, end in self.arguments(i + 1):
                    found = self.literals_in(start + 1, end - 1)
                    if found:
                        self.add(found[0][2], found[0][2] + found[0][3])
            elif token.kind == "word" and before in (".", ">") and following == "=" and (
                    token.text in MEMBERS or (self.has_titles and token.text in ("title", "caption"))):
                self.add(i + 2, self.end_of_value(i + 2))
            elif token.kind == "word" and token.text in WORD_LISTS and following == "[" and (
                    self.path.startswith(("features/page/", "features/opprof/"))):
                self.add_list(i)
            elif self.path in ROWS and token.text == "{" and following.startswith('"'):
                members = self.arguments(i)
                if len(members) >= ROWS[self.path]:
                    self.add(*members[ROWS[self.path] - 1])
            elif self.has_parts and token.kind == "string" and before == "," and i > 2 and (
                    self.tokens[i - 2].kind == "string" and self.tokens[i - 3].text == "{" and re.match(r"[A-Z]", token.text[1:])):
                found = self.literal_at(i)
                self.used.update(range(i, i + found[1]))
                self.messages.append((found[0], None, token.line, True))
            elif self.has_titles and token.kind == "string" and (
                    before == "{" or (before == "(" and i > 1 and re.match(r"[A-Z_]+$", self.tokens[i - 2].text))):
                found = self.literal_at(i)
                if i not in self.used and self.is_title(found[0]):
                    self.used.update(range(i, i + found[1]))
                    suffix = SUFFIXES.get(self.path, {}).get(self.tokens[i - 2].text, "") if before == "(" else ""
                    self.messages.append((found[0] + suffix, None, token.line, False))

    def add_list(self, i):
        """The texts of an array of words: heads of a table of the page, of which '#' marks those of numbers."""
        while i < len(self.tokens) and self.tokens[i].text not in ("{", ";", ","):
            i += 1
        while i < len(self.tokens) and self.tokens[i].text not in ("}", ";"):
            if self.tokens[i].kind == "string":
                self.used.add(i)
                self.messages.append((self.tokens[i].text[1:-1].lstrip("#"), None, self.tokens[i].line, True))
            i += 1

    def end_of_value(self, i):
        depth = 0
        for k in range(i, len(self.tokens)):
            if self.tokens[k].kind != "other":
                continue
            text = self.tokens[k].text
            if text in "([{":
                depth += 1
            elif text in ")]}":
                depth -= 1
                if depth < 0:
                    return k
            elif text in ",;" and depth == 0:
                return k
        return len(self.tokens)

    @staticmethod
    def is_title(text):
        return bool(re.match(r"[A-Za-z#][A-Za-z0-9 _/()%.,:#|-]*$", text)) and not IDENTIFIER.match(text)

    def unmarked(self):
        """Texts of at least three words that begin like a sentence and are no message, nor inside a query."""
        for i, token in enumerate(self.tokens):
            if token.kind != "string" or i in self.used:
                continue
            text = token.text[1:-1]
            if i > 0 and self.tokens[i - 1].kind == "string":
                continue
            if i > 2 and self.tokens[i - 1].text == "=" and self.tokens[i - 2].text in UNTRANSLATED_MEMBERS:
                continue
            whole = self.literal_at(i)[0]
            if len(re.findall(r"(?:^|(?<=[ '(]))[a-z]{2,}(?=[ ,.:;')]|$)", whole)) >= 3 and not re.search(
                    r"default-src |SELECT |CREATE |INSERT |DELETE |FROM |JOIN |WHERE |UPDATE |function |return |</?[a-z]", whole):
                yield token.line, text


def is_message(text, is_marked=False):
    """Whether there is anything to translate: words, not placeholders, options and ids alone."""
    bare = re.sub(r"%(?:[-+ #0*.\d]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z]|[-+ #0*.\d]*<PRI\w+>|%)", "", text)
    bare = re.sub(r"\\.", " ", bare)
    if re.match(r"(c%zu|#c|translate|scale|M%|%\.)|lang=", text) and " " not in text:
        return False
    return bool(re.search(r"[A-Za-z]{2}", bare)) and (
        is_marked or (not IDENTIFIER.match(text) and not NO_MESSAGE.match(text)))


def sources():
    result = OrderedDict()
    for folder in FOLDERS:
        for base, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(base, name), ROOT)
                if path.endswith((".c", ".h")) and not SKIPPED.search(path):
                    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                        result[path] = file.read()
    return result


def collect():
    """Messages in order: {text: [plural, [places]]}; and texts without a mark."""
    texts = sources()
    defines = read_defines(texts)
    messages, unmarked = OrderedDict(), []
    for path, source in texts.items():
        reader = Reader(path, source, defines)
        reader.read()
        for text, plural, line, is_marked in reader.messages:
            if is_message(text, is_marked):
                entry = messages.setdefault(text, [None, []])
                entry[0] = entry[0] or plural
                entry[1].append("%s:%d" % (path, line))
        if not DATA.search(path):
            unmarked += ["%s:%d: %s" % (path, line, text) for line, text in reader.unmarked()]
    for text, place in report_texts():
        messages.setdefault(text, [None, []])[1].append(place)
    return messages, unmarked


def report_texts():
    """Titles of the reports that are texts, and of their columns: (text, place)."""
    for folder in FOLDERS:
        for base, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                if not name.endswith(".report"):
                    continue
                path = os.path.relpath(os.path.join(base, name), ROOT)
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    for number, line in enumerate(file, 1):
                        found = re.match(r'title (.*)$|column (?:"([^"]*)"|(\S+))', line)
                        text = found and next(group for group in found.groups() if group)
                        if text and is_message(text) and (found.group(1) or Reader.is_title(text)):
                            yield text, "%s:%d" % (path, number)


def system_errors():
    """What strerror says of errors that files and networks have."""
    import errno
    names = ("ENOENT ENOTDIR EACCES EPERM EROFS ENOSPC EDQUOT ENOMEM ENAMETOOLONG EFBIG EMFILE ENFILE EIO EISDIR EEXIST "
             "ENOTEMPTY EXDEV ELOOP EINVAL EBUSY EPIPE ENXIO ENODEV EAGAIN ETIMEDOUT ECONNREFUSED ECONNRESET EHOSTUNREACH "
             "ENETUNREACH EADDRINUSE ETXTBSY ENOEXEC ESTALE EINTR EBADF EOVERFLOW").split()
    return [os.strerror(getattr(errno, name)) for name in names]


def quote(text):
    """As lines of a PO file: a line each for a text with line feeds."""
    parts = re.findall(r"(?:[^\\]|\\.)*?\\n|(?:[^\\]|\\.)+$", text)
    if len(parts) < 2:
        return '"%s"' % text
    return '""\n' + "\n".join('"%s"' % part for part in parts)


def print_pot(messages):
    print("# Texts of msprof. 'make pot' writes this file, of the sources.")
    print("#\nmsgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: msprof\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
          "\"Content-Transfer-Encoding: 8bit\\n\"")
    for text, (plural, places) in messages.items():
        print("\n#: " + " ".join(places[:4]))
        if DIRECTIVE.search(text):
            print("#, c-format")
        print("msgid " + quote(text))
        if plural:
            print("msgid_plural " + quote(plural) + "\nmsgstr[0] \"\"")
        else:
            print("msgstr \"\"")


def main():
    messages, unmarked = collect()
    for text in system_errors():
        messages.setdefault(text, [None, ["base/err.c:1"]])
    if "--unmarked" in sys.argv:
        print("\n".join(unmarked))
        sys.exit(1 if unmarked else 0)
    if "--count" in sys.argv:
        counts = {}
        for _, places in messages.values():
            folder = "/".join(places[0].split("/")[:2]) if places[0].startswith("features") else places[0].split("/")[0]
            counts[folder] = counts.get(folder, 0) + 1
        for folder in sorted(counts):
            print("%6d %s" % (counts[folder], folder))
        print("%6d in all" % len(messages))
        return
    print_pot(messages)


if __name__ == "__main__":
    main()
