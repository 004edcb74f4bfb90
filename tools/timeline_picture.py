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
import subprocess
import sys
import tempfile
import time

PANEL = 'devtools://devtools/bundled/devtools_app.html?panel=timeline'
FIND = """var all = function (root, found) {
  root.querySelectorAll('*').forEach(function (e) { found.push(e); if (e.shadowRoot) all(e.shadowRoot, found) });
  return found };
var shown = function (what) { return all(document, []).filter(function (e) { return e.matches(what) && e.getClientRects().length }) };
"""
BOX = "(function () { var box = shown('%s')[0]; return box && JSON.stringify(box.getBoundingClientRect()) })()"
CHART, OVERVIEW = BOX % '.flame-chart-canvas', BOX % '#timeline-overview-panel,.timeline-overview-panel,.overview-grid-window'
FIRST_HEAD, UNFOLDED, ROW = 25, 17, 21  # where the head of the first process is, how high those of processes and folded rows are


class Browser:
    """Chromium without a window, told what to do through a pipe: one message ends in a zero byte."""

    def __init__(self, profile, size):
        (there_in, self.out), (self.back, there_out) = os.pipe(), os.pipe()
        # its descriptors 3 and 4 are what it is told and what it tells
        self.process = subprocess.Popen(
            ['bash', '-c', 'exec 3<&%d 4>&%d; exec chromium "$@" 2>/dev/null' % (there_in, there_out), 'chromium', '--headless',
             '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu', '--user-data-dir=' + profile, '--window-size=' + size],
            pass_fds=(there_in, there_out), stdout=subprocess.DEVNULL)
        os.close(there_in)
        os.close(there_out)
        self.sent, self.rest, self.session = 0, b'', None
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']

    def call(self, method, **params):
        self.sent += 1
        message = {'id': self.sent, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.out, json.dumps(message).encode() + b'\0')
        while True:
            while b'\0' not in self.rest:
                piece = os.read(self.back, 1 << 20)
                if not piece:
                    sys.exit('timeline_picture.py: chromium ended')
                self.rest += piece
            one, _, self.rest = self.rest.partition(b'\0')
            answer = json.loads(one)
            if answer.get('id') == self.sent:
                if 'error' in answer:
                    sys.exit('timeline_picture.py: %s: %s' % (method, answer['error']['message']))
                return answer['result']

    def script(self, text):
        return self.call('Runtime.evaluate', expression=FIND + text)['result']

    def wait(self, text):
        """What the script gives as soon as it gives anything."""
        for _ in range(300):
            found = self.script(text)
            if found.get('objectId') or found.get('value'):
                return found
            time.sleep(0.1)
        sys.exit('timeline_picture.py: the panel of this Chromium has another form: waited for ' + text)

    def press(self, x, y):
        for kind in 'mousePressed', 'mouseReleased':
            self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)
        time.sleep(0.3)  # until it is drawn; and no double click


def picture_of(browser, timeline, threads, width):
    """What the panel shows of a timeline whose processes have so many threads."""
    browser.call('Page.navigate', url=PANEL)
    file = browser.wait("all(document, []).find(function (e) { return e.matches('input[type=file]') })")
    browser.call('DOM.setFileInputFiles', files=[timeline], objectId=file['objectId'])
    browser.wait(CHART)
    for label in 'Close', 'Hide sidebar':
        browser.wait("(function () { var button = shown('button[aria-label=\"%s\"]')[0]; if (button) button.click();"
                     " return !!button })()" % label)
    time.sleep(1)  # the chart grows to the left
    box = json.loads(browser.wait(CHART)['value'])
    heads, y = [], box['top'] + FIRST_HEAD  # one that is unfolded moves those below: the last is the first
    for place in reversed(range(len(threads))):
        browser.press(box['left'] + 10, y + ROW * place)
    for count in threads:
        heads += [y + UNFOLDED + ROW * place for place in range(count)]
        y += UNFOLDED + ROW * count
    for y in reversed(heads):
        browser.press(box['left'] + 20, y)
    time.sleep(1)
    top = json.loads(browser.wait(OVERVIEW)['value'])['top']
    clip = {'x': 0, 'y': top, 'width': width, 'height': box['top'] + box['height'] - top, 'scale': 1}
    return browser.call('Page.captureScreenshot', clip=clip)['data']


def main():
    timeline, picture, size = sys.argv[1:]
    with open(timeline, encoding='utf-8') as stream:
        events = json.load(stream)['traceEvents']
    lines = {(event['pid'], event['tid']) for event in events if event['ph'] == 'X'}
    threads = [count for _, count in sorted(collections.Counter(pid for pid, _ in lines).items())]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile, size)
        try:
            image = picture_of(browser, os.path.abspath(timeline), threads, int(size.split(',')[0]))
        finally:
            os.close(browser.out)  # it ends with the pipe
            browser.process.wait()
    with open(picture, 'wb') as stream:
        stream.write(base64.b64decode(image))


main()
