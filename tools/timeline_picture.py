#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes a picture of a timeline as the trace viewer that Chromium brings along shows it: the performance panel of its developer
tools, which needs no network. Every process is unfolded.

usage: timeline_picture.py TIMELINE.json PICTURE.png WIDTH,HEIGHT
"""
import base64
import collections
import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'lib'))
from browser import Browser  # noqa: E402 -- of the folder above
from timeline import read_timeline  # noqa: E402

PANEL = 'devtools://devtools/bundled/devtools_app.html?panel=timeline'
FIND = """var all = function (root, found) {
  root.querySelectorAll('*').forEach(function (e) { found.push(e); if (e.shadowRoot) all(e.shadowRoot, found) });
  return found };
var shown = function (what) { return all(document, []).filter(function (e) { return e.matches(what) && e.getClientRects().length }) };
"""
BOX = FIND + "(function () { var box = shown('%s')[0]; return box && JSON.stringify(box.getBoundingClientRect()) })()"
CHART, OVERVIEW = BOX % '.flame-chart-canvas', BOX % '#timeline-overview-panel,.timeline-overview-panel,.overview-grid-window'
FIRST_HEAD, UNFOLDED, ROW = 25, 17, 21  # where the head of the first process is, how high those of processes and folded rows are


def picture_of(browser, timeline, threads, width):
    """What the panel shows of a timeline whose processes have so many threads."""
    browser.call('Page.navigate', url=PANEL)
    file = browser.wait(FIND + "all(document, []).find(function (e) { return e.matches('input[type=file]') })")
    browser.call('DOM.setFileInputFiles', files=[timeline], objectId=file)
    browser.wait(CHART)
    for label in 'Close', 'Hide sidebar':
        browser.wait(FIND + "(function () { var button = shown('button[aria-label=\"%s\"]')[0]; if (button) button.click();"
                     " return !!button })()" % label)
    time.sleep(1)  # the chart grows to the left
    box = json.loads(browser.wait(CHART))
    heads, y = [], box['top'] + FIRST_HEAD  # one that is unfolded moves those below: the last is the first
    for place in reversed(range(len(threads))):
        browser.press(box['left'] + 10, y + ROW * place)
    for count in threads:
        heads += [y + UNFOLDED + ROW * place for place in range(count)]
        y += UNFOLDED + ROW * count
    for y in reversed(heads):
        browser.press(box['left'] + 20, y)
    time.sleep(1)
    top = json.loads(browser.wait(OVERVIEW))['top']
    clip = {'x': 0, 'y': top, 'width': width, 'height': box['top'] + box['height'] - top, 'scale': 1}
    return browser.call('Page.captureScreenshot', clip=clip)['data']


def main():
    timeline, picture, size = sys.argv[1:]
    events = read_timeline(timeline).events
    lines = {(event['pid'], event['tid']) for event in events if event['ph'] == 'X'}
    threads = [count for _, count in sorted(collections.Counter(pid for pid, _ in lines).items())]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile, size)
        try:
            image = picture_of(browser, os.path.abspath(timeline), threads, int(size.split(',')[0]))
        finally:
            browser.end()
    with open(picture, 'wb') as stream:
        stream.write(base64.b64decode(image))


main()
