#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the timeline of a page of 'msprof report' in headless Chromium, and prints what does not behave.

usage: page_timeline.py FILE
"""
import html
import json
import os
import re
import subprocess
import sys
import tempfile

PROBE = """
window.addEventListener('load', function () { setTimeout(function () {
  var told = [], data = document.querySelector('script.timeline'), canvas = document.querySelector('canvas');
  function wanted(is, what) { if (!is) told.push(what) }
  function span() { return data.show()[1] - data.show()[0] }
  function after(act, then) { act(); setTimeout(then, 20) }
  function key(k) { canvas.dispatchEvent(new KeyboardEvent('keydown', {key: k, bubbles: true, cancelable: true})) }
  function inks() {
    var all = canvas.getContext('2d').getImageData(0, 44 * devicePixelRatio, canvas.width, canvas.height - 60).data, seen = {};
    for (var i = 0; i < all.length; i += 4) if (all[i + 3] > 200) seen[all[i] + ',' + all[i + 1] + ',' + all[i + 2]] = 1;
    return Object.keys(seen).length }
  var whole = span(), from, link = document.querySelector('a[data-t]');
  wanted(document.querySelector('#c1-timeline figure').className === 'quiet', 'the drawing stays beside the canvas');
  wanted(inks() > 3, 'nothing is drawn');
  after(function () { key('ArrowUp') }, function () {
    wanted(span() < whole, 'the arrow does not zoom');
    from = data.show()[0];
    after(function () { key('ArrowRight') }, function () {
      wanted(data.show()[0] > from, 'the arrow does not move');
      after(function () { key('Home') }, function () {
        wanted(span() >= whole, 'Home does not show all');
        after(function () { key('n'); key('n') }, function () {
          wanted(/from .* on, /.test(document.querySelector('output').textContent), 'N goes to no slice');
          after(function () { link.click() }, function () {
            var t = Number(link.dataset.t);
            wanted(data.show()[0] <= t && data.show()[1] >= t && span() < whole, 'a link does not go to its time');
            var cell = Array.from(document.querySelectorAll('#c1-operators td.name')).find(function (c) { return c.textContent === 'bbox_pred' });
            after(function () { cell.click() }, function () {
              wanted(/^4 slices of bbox_pred/.test(document.querySelector('output').textContent),
                     'a row does not go to its slices: ' + document.querySelector('output').textContent);
              key('Enter');
              wanted(document.querySelector('tr.found') && document.querySelector('tr.found').textContent.indexOf('bbox_pred') === 0,
                     'a slice does not go to its row');
              var pre = document.createElement('pre'); pre.id = 'told'; pre.textContent = JSON.stringify(told);
              document.body.appendChild(pre) }) }) }) }) }) }) }, 200) });
window.addEventListener('error', function (e) { document.title = 'error: ' + e.message });
"""


def main():
    with open(sys.argv[1], encoding='utf-8') as stream:
        page = stream.read()
    policy = re.search("script-src &#39;sha256-[^;]*&#39;|script-src 'sha256-[^;]*'", page).group(0)
    # the page's own script runs by the page's own policy: that of the test is allowed beside it
    page = page.replace(policy, policy + " 'nonce-test'", 1)
    page = page.replace('</body>', '<script nonce="test">%s</script></body>' % PROBE)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 'page.html')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(page)
        done = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--window-size=1400,900', '--enable-logging=stderr',
                               '--user-data-dir=' + directory, '--virtual-time-budget=60000', '--dump-dom', 'file://' + path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    found = re.search('<pre id="told"[^>]*>(.*?)</pre>', done.stdout.decode(), re.S)
    for line in re.findall('CONSOLE.*', done.stderr.decode()):
        print(line)
    for line in json.loads(html.unescape(found.group(1))) if found is not None else ['the browser told nothing']:
        print(line)


main()
