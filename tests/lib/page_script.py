#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses a page of 'msprof report' as a reader would: sorts tables with the pointer and the keyboard, filters rows, points into
curves. Rows and values that are shown are compared with what the page says without its script.

usage: page_script.py PAGE.HTML
"""
import json
import os
import sys
import tempfile
import time

import browser
import page

TABLE = "Array.from(document.querySelectorAll('table')).find(function (t) { return t.caption.textContent === %s })"
ROWS = "JSON.stringify(Array.from((" + TABLE + ").tBodies[0].rows).filter(function (r) { return !r.hidden })" \
    ".map(function (r) { return Array.from(r.cells).map(function (c) { return c.textContent }) }))"


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def in_order(rows, column, up):
    """Numbers first, then texts; rows that are alike stay as they were."""
    numbers = [row for row in rows if number(row[column]) is not None]
    texts = [row for row in rows if number(row[column]) is None]
    return (sorted(numbers, key=lambda row: number(row[column]), reverse=not up) +
            sorted(texts, key=lambda row: row[column], reverse=not up))


def check_table(tab, table):
    """Each column downwards by the pointer, upwards by the keyboard."""
    find = TABLE % json.dumps(table.caption)
    foot = int(tab.script("(function () { var f = (%s).tFoot; return f ? f.rows.length : 0 })()" % find) or 0)
    rows = table.rows[:len(table.rows) - foot]
    assert json.loads(tab.script(ROWS % json.dumps(table.caption))) == rows, table.caption
    for column, head in enumerate(table.heads):
        button = "(%s).tHead.rows[0].cells[%d].querySelector('button')" % (find, column)
        assert tab.script(button + '.textContent') == head
        box = json.loads(tab.script("(function () { var b = %s; b.scrollIntoView({block: 'center', inline: 'center'});"
                                    " return JSON.stringify(b.getBoundingClientRect()) })()" % button))
        for up in False, True:
            if up:
                tab.script(button + '.focus()')
                tab.key('Enter', 13)
            else:
                tab.press(box['left'] + 3, box['top'] + box['height'] / 2)
            rows = in_order(rows, column, up)
            shown = json.loads(tab.script(ROWS % json.dumps(table.caption)))
            assert shown == rows, (table.caption, head, up, [pair for pair in zip(shown, rows) if pair[0] != pair[1]][:2])
            sort = tab.script(button + ".parentNode.getAttribute('aria-sort')")
            assert sort == ('ascending' if up else 'descending'), sort


def check_filter(tab, table, word):
    wanted = sorted(row for row in table.rows if word.lower() in ''.join(row).lower())
    assert 0 < len(wanted) < len(table.rows)
    find = "(%s).parentNode.previousSibling.querySelector('input')" % (TABLE % json.dumps(table.caption))
    tab.script(find + '.focus()')
    tab.call('Input.insertText', text=word)
    time.sleep(0.5)
    assert sorted(json.loads(tab.script(ROWS % json.dumps(table.caption)))) == wanted


def check_curve(tab, part, said, shares):
    """Calls said with the text that is shown while the pointer is at a share of the time."""
    find = "document.querySelector('#%s figure svg:has(path)')" % part
    box = json.loads(tab.script("(function () { var s = %s; s.scrollIntoView({block: 'center'});"
                                " return JSON.stringify(s.getBoundingClientRect()) })()" % find))
    for share in shares:
        tab.point(box['left'] + box['width'] * (100 + 1000 * share) / 1100, box['top'] + box['height'] / 3)
        said(tab.script(find + '.lastChild.textContent'), share)
    tab.point(box['left'] + 1, box['top'] - 20)
    assert not tab.script(find + '.lastChild.textContent')


def main():
    told = page.Page(sys.argv[1])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        tab = browser.Browser(profile, '1200,900')
        try:
            tab.call('Page.navigate', url='file://' + os.path.abspath(sys.argv[1]))
            tab.wait("document.readyState === 'complete' && document.querySelector('th button') !== null")
            ops, types = told.table('Operators by time'), told.table('Types of operators by time')
            check_table(tab, types)
            check_table(tab, told.table('Device 0 over time'))
            check_filter(tab, ops, 'SIDE')
            *rows, _ = told.table('Device 0 over time').rows
            first, last = float(rows[0][0]), float(rows[-1][1])

            begin = first
            def busy(text, share):
                at, percent = text.split(' us: ')
                assert abs(float(at) - begin - share * (last - first)) < (last - first) / 300, (text, share)
                means.append(float(percent.rstrip(' %')))
            for row in rows[::7]:
                means = []
                from_, until = ((float(text) - first) / (last - first) for text in row[:2])
                check_curve(tab, 'c1-utilisation', busy,
                            [from_ + (until - from_) * (i + 0.5) / 10 for i in range(10)])
                assert abs(sum(means) / 10 - float(row[3])) < 0.6, (means, row)
            peak = max(float(row[1]) for row in told.table('Device memory over time').rows)
            told_kib = []
            check_curve(tab, 'c1-memory', lambda text, share: told_kib.append(float(text.split(' us: ')[1].split(' ')[0])),
                        [(i + 0.5) / 500 for i in range(0, 500, 4)])
            assert abs(max(told_kib) - peak) <= peak * 0.001 + 0.1, (max(told_kib), peak)
            assert tab.script("performance.getEntriesByType('resource').length") == 0
        finally:
            tab.end()


main()
