#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a page of 'msprof report' with its Markdown twin: headings, tables with captions, heads and cells, and the words
of each part outside of drawings.

usage: page_twin.py PAGE.HTML PAGE.MD
"""
import html.parser
import re
import sys

import page


class Outline(html.parser.HTMLParser):
    """Headings and words of a page, without what only draws or leads elsewhere."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.open, self.headings, self.words = [], [], []
        self.hidden = 0
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        if tag in page.BARE:
            return
        attrs = dict(attrs)
        self.open.append((tag, tag in ('head', 'nav', 'svg', 'script', 'style', 'table') or
                          attrs.get('class') in ('skip', 'legend') or attrs.get('id', '').endswith('-timeline')))
        if re.fullmatch('h[1-6]', tag) and not any(hidden for _, hidden in self.open):
            self.headings.append([int(tag[1]), ''])

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        if any(hidden for _, hidden in self.open):
            return
        if self.open and re.fullmatch('h[1-6]', self.open[-1][0]):
            self.headings[-1][1] += data
        else:
            self.words += re.findall(r'\w+', data)


def plain(text):
    return re.sub(r'\\([\\`*_\[\]<>|&~$@#])', r'\1', text)


def cells(line):
    assert line.startswith('| ') and line.endswith(' |'), line
    # spaces of other kinds, as U+2028, are no ends of lines there
    return [re.sub(r'\s', ' ', plain(cell.strip())) for cell in re.split(r'(?<!\\)(?:\\\\)*\|', line[1:-1])]


def main():
    told = page.Page(sys.argv[1])
    outline = Outline(told.source)
    with open(sys.argv[2], encoding='utf-8') as stream:
        lines = stream.read().split('\n')
    headings, words, tables, at = [], [], [], 0
    while at < len(lines):
        line = lines[at]
        if line.startswith('#'):
            marks, text = line.split(' ', 1)
            headings.append([len(marks), plain(text)])
        elif line.startswith('|'):
            block = []
            while at < len(lines) and lines[at].startswith('|'):
                block.append(lines[at])
                at += 1
            assert re.fullmatch(r'\|( (---|---:) \|)+', block[1]), block[1]
            caption = re.fullmatch(r'\*\*(.*)\*\*', lines[at - len(block) - 2]).group(1)
            heads = [] if block[0] == '| | |' else cells(block[0])
            tables.append((plain(caption), heads, [cells(row) for row in block[2:]]))
            continue
        elif not (re.fullmatch(r'\*\*.*\*\*', line) and at + 2 < len(lines) and lines[at + 2].startswith('|')):
            words += re.findall(r'\w+', plain(line))
        at += 1
    assert headings == outline.headings, (headings, outline.headings)
    wanted = [(table.caption, table.heads, [[re.sub(r'\s', ' ', cell).strip() for cell in row] for row in table.rows])
              for table in told.tables]
    assert len(tables) == len(wanted), (len(tables), len(wanted))
    for ours, theirs in zip(tables, wanted):
        assert ours == theirs, (ours[:2], theirs[:2], [pair for pair in zip(ours[2], theirs[2]) if pair[0] != pair[1]][:2])
    assert words == outline.words, next((i, words[i - 5:i + 5], outline.words[i - 5:i + 5])
                                        for i in range(len(words)) if words[i:i + 1] != outline.words[i:i + 1])
    assert '<' not in re.sub(r'\\<', '', '\n'.join(lines))


main()
