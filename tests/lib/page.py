#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a page of 'msprof report' as a browser without scripts would.

usage: page.py FILE               checks that it is one sound file that needs nothing else
       page.py FILE table CAPTION prints the table with this caption as CSV
       page.py FILE clock CAPTION likewise, with the times of the clock that cells have when they are pointed at
       page.py FILE part ID       prints the text of a part
       page.py FILE exact ID      likewise, with the microseconds that its scaled times have when they are pointed at
"""
import base64
import csv
import hashlib
import html.parser
import json
import re
import sys

BARE = {'meta', 'br', 'input', 'wbr'}
# elements and attributes that load, send or run something
FORBIDDEN = {'link', 'img', 'iframe', 'object', 'embed', 'form', 'base', 'video', 'audio', 'source', 'image', 'use'}


class Table:
    def __init__(self):
        self.caption, self.heads, self.rows, self.styles, self.ids = '', [], [], [], []
        self.clocks = []  # of each row: what its cells say when they are pointed at, None: nothing


def nanoseconds(us):
    """Of microseconds with three decimals, exactly."""
    assert re.fullmatch(r'-?[0-9]+\.[0-9]{3}', us), us
    return int(us.replace('.', ''))


def check_scaled(exact, scaled):
    """A time with its unit is the one that it was made of, to four digits, in the unit that a reader would choose."""
    us, of_us = exact.split(' ')
    value, unit = scaled.split(' ')
    factor = {'ns': 1e-3, 'us': 1, 'ms': 1e3, 's': 1e6}[unit]
    us, shown = float(us), float(value)
    assert of_us == 'us' and (value == '0' if us == 0 else unit == 's' or abs(shown) < 1000), (exact, scaled)
    assert us == 0 or abs(shown) >= 1 or unit == 'ns', (exact, scaled)
    assert abs(shown * factor - us) <= max(5.01e-4 * abs(us), 5.01e-4), (exact, scaled)


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        with open(path, encoding='utf-8', newline='') as stream:
            self.source = stream.read()
        self.open, self.tables, self.ids, self.links, self.parts = [], [], [], [], {}
        self.data = []  # of timelines, as their script reads it
        self.scripts, self.styles, self.policy, self.labels, self.part = [], [], None, [], None
        self.elements = 0
        self.shapes = []  # of drawings: part, element, attributes
        self.exact, self.scaled, self.pointed = {}, [], None  # pointed: what an element says when it is pointed at
        self.sentences = []
        self.feed(self.source)
        self.close()
        self.parts = {part: ''.join(texts) for part, texts in self.parts.items()}
        self.exact = {part: ''.join(texts) for part, texts in self.exact.items()}
        assert not self.open, ('not closed', self.open)

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        attrs = dict(attrs)
        self.elements += 1
        assert tag not in FORBIDDEN, tag
        assert len(names) == len(attrs), (tag, 'an attribute twice', names)
        for name, value in attrs.items():
            assert not name.startswith('on') and name not in ('src', 'action', 'srcset', 'data'), (tag, name)
            assert name != 'href' or value.startswith('#'), value
            assert name == 'http-equiv' or 'url(' not in (value or ''), value
        if tag == 'meta' and attrs.get('http-equiv') == 'Content-Security-Policy':
            self.policy = attrs['content']
        if 'id' in attrs:
            self.ids.append(attrs['id'])
        if 'href' in attrs:
            self.links.append(attrs['href'][1:])
        if attrs.get('role') == 'region':
            self.labels.append(attrs['aria-label'])
        if tag == 'script':
            assert attrs in ({}, {'type': 'application/json', 'class': 'timeline'}), attrs
            self.is_data = bool(attrs)
        if tag not in BARE:
            self.open.append(tag)
        if tag == 'section':
            self.part = attrs['id']
            self.parts[self.part], self.exact[self.part] = [], []
        if tag == 'span':
            self.pointed = attrs.get('title')
        if 'svg' in self.open:
            self.shapes.append((self.part, tag, attrs))
        if tag == 'table':
            self.tables.append(Table())
        if tag == 'tr' and 'thead' not in self.open:
            self.tables[-1].rows.append([])
            self.tables[-1].styles.append([])
            self.tables[-1].clocks.append([])
            self.tables[-1].ids.append(attrs.get('id'))
        if tag in ('td', 'th'):
            if 'thead' in self.open:
                self.tables[-1].heads.append('')
            else:
                self.tables[-1].rows[-1].append('')
                self.tables[-1].styles[-1].append(attrs.get('style', ''))
                self.tables[-1].clocks[-1].append(attrs.get('title'))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, ('closed out of order', tag, self.getpos())
        if tag == 'section':
            self.part = None

    def handle_data(self, data):
        if self.open and self.open[-1] in ('script', 'style'):
            if self.open[-1] == 'script' and self.is_data:
                self.data.append(data)
            else:
                (self.scripts if self.open[-1] == 'script' else self.styles).append(data)
            return
        if self.part is not None:
            self.parts[self.part].append(data)
            self.exact[self.part].append(self.pointed if self.open[-1:] == ['span'] and self.pointed else data)
        if 'p' in self.open or 'figcaption' in self.open:
            self.sentences.append(data)
        if self.open[-1:] == ['span'] and self.pointed:
            self.scaled.append((self.pointed, data))
        if self.open[-2:-1] in (['rect'], ['circle']) and self.open[-1] == 'title':
            self.shapes[-2][2]['title'] = self.shapes[-2][2].get('title', '') + data
        if 'caption' in self.open:
            self.tables[-1].caption += data
        elif 'td' in self.open or 'th' in self.open:
            table = self.tables[-1]
            if 'thead' in self.open:
                table.heads[-1] += data
            else:
                table.rows[-1][-1] += data

    def table(self, caption):
        found = [table for table in self.tables if table.caption == caption]
        assert len(found) == 1, (caption, [table.caption for table in self.tables])
        return found[0]

    def check(self):
        assert self.source.startswith('<!DOCTYPE html>\n<html lang="en">')
        assert len(self.source.encode()) < 2.5e6 * max(1, len(self.data)), len(self.source)
        assert len(self.scripts) == 1 and len(self.scripts[0].encode()) < 40 * 1024
        for data in self.data:
            assert len(data.encode()) < 1024 * 1024 and '<' not in data and json.loads(data)['lanes'], len(data)
        digest = base64.b64encode(hashlib.sha256(self.scripts[0].encode()).digest()).decode()
        assert self.policy.split('; ')[:3] == ["default-src 'none'", "style-src 'unsafe-inline'",
                                               "script-src 'sha256-%s'" % digest], self.policy
        assert all('//' not in text and '@import' not in text and 'url(' not in text for text in self.styles)
        assert len(set(self.ids)) == len(self.ids), 'an id twice'
        assert not set(self.links) - set(self.ids), set(self.links) - set(self.ids)
        assert len(set(self.labels)) == len(self.labels), 'a label twice'
        for table in self.tables:
            assert len(table.rows) <= 1001, table.caption
            assert all(len(row) == len(table.rows[0]) for row in table.rows), table.caption
            assert not table.heads or len(table.heads) == len(table.rows[0]), table.caption
        assert all(text.strip() for text in self.parts.values()), self.parts
        for exact, scaled in self.scaled:
            check_scaled(exact, scaled)
        for sentence in self.sentences:  # bounds of a chosen time are told as they were given
            assert 'This page is about the time from' in sentence or not re.search(r'\d{4}\.\d+ us', sentence), sentence
        # all moments of a page are since one origin
        origins = {nanoseconds(clock[:-3]) - nanoseconds(cell)
                   for table in self.tables for row, clocks in zip(table.rows, table.clocks)
                   for cell, clock in zip(row, clocks) if clock}
        assert len(origins) <= len({part.split('-')[0] for part in self.parts}), origins
        assert not re.search('[\x00-\x08\x0b-\x1f\x7f-\x9f]', self.source)


def check_map(page, links, together):
    """Compares the map of links with what they moved, of pairs of ranks: (ms, MB, judged). Where its cells are, how strong,
    and what they say. Ranks that follow each other share a cell."""
    ranks = sorted({int(rank) for link in links for rank in link})
    assert ranks == list(range(len(ranks)))
    cells, size = {}, 600 / -(-len(ranks) // together)
    for link, (ms, mb, judged) in links.items():
        key = tuple(int(rank) // together for rank in link)
        before = cells.get(key, (0, 0, False))
        cells[key] = (before[0] + ms, before[1] + mb, before[2] or judged)
    slowest = min(mb / ms for ms, mb, judged in cells.values() if judged)

    def name(cell):
        first, last = cell * together, min((cell + 1) * together, len(ranks)) - 1
        return 'rank %d' % first if first == last else 'ranks %d to %d' % (first, last)
    drawn = {}
    for part, _, attrs in page.shapes:
        if part == 'links' and attrs.get('class') == 'heat':
            key = round(float(attrs['y']) / size), round((float(attrs['x']) - 100) / size)
            drawn[key] = float(attrs['fill-opacity'])
            assert abs(float(attrs['y']) - size * key[0]) < 0.01 and abs(float(attrs['x']) - 100 - size * key[1]) < 0.01
            said = re.match(r'(.*) to (rank.*): ([0-9.]+) ms, ([0-9.]+) MB, ([0-9.]+) GB/s', attrs['title'])
            assert said.group(1, 2) == (name(key[0]), name(key[1])), attrs
            ms, mb, judged = cells[key]
            assert all(abs(float(text) - value) < 0.0011 for text, value in zip(said.group(3, 4, 5), (ms, mb, mb / ms))), (attrs, cells[key])
            assert ('too little to judge' in attrs['title']) != judged, attrs
    assert drawn.keys() == {key for key, (ms, _, _) in cells.items() if ms > 0}
    for key, strong in drawn.items():
        ms, mb, judged = cells[key]
        assert abs(strong - 0.08 - 0.92 * (slowest / (mb / ms) if judged else 0)) < 0.0011, (key, strong)


def main():
    page = Page(sys.argv[1])
    if len(sys.argv) == 2:
        page.check()
    elif sys.argv[2] == 'part':
        print(page.parts[sys.argv[3]])
    elif sys.argv[2] == 'exact':
        print(page.exact[sys.argv[3]])
    else:
        table = page.table(sys.argv[3])
        writer = csv.writer(sys.stdout, lineterminator='\n')
        if table.heads:
            writer.writerow(table.heads)
        writer.writerows(table.rows if sys.argv[2] == 'table' else
                         [[clock[:-3] if clock else cell for cell, clock in zip(row, clocks)]
                          for row, clocks in zip(table.rows, table.clocks)])


if __name__ == '__main__':
    main()
