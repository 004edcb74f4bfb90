#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a page of 'msprof report' in headless Chromium and prints what is wrong with it: violations of axe-core's rules,
elements that reach out of the page, elements and labels that lie on each other. Prints nothing for a sound one.

usage: page_in_browser.py FILE AXE.JS WIDTH light|dark|print
print: as on paper, WIDTH pixels wide; A4 without its margins has 688
"""
import html
import json
import os
import re
import subprocess
import sys
import tempfile

path, axe, width, scheme = sys.argv[1:]
with open(path, encoding='utf-8') as stream:
    page = stream.read()
with open(axe, encoding='utf-8') as stream:
    code = stream.read()
# the page forbids every script but its own: that of the test comes without the policy
page = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', '', page)
probe = """
window.addEventListener('load', function () {
  axe.run(document, {resultTypes: ['violations']}).then(function (found) {
    var told = found.violations.map(function (v) {
      return v.id + ': ' + v.nodes.slice(0, 3).map(function (n) { return n.target.join(' ') }).join(', ') });
    document.querySelectorAll('body *').forEach(function (e) {
      if (e.closest('.scroll') && !e.matches('.scroll')) return;
      if (e.closest('svg') && !e.matches('svg')) return;
      var box = e.getBoundingClientRect();
      if (box.width > 0 && (box.right > document.documentElement.clientWidth + 1 || box.left < -1) && !e.matches('.skip'))
        told.push('outside of the page: ' + e.tagName + '.' + e.className + ' until ' + box.right) });
    function lieOnEachOther(all, what) {
      var boxes = Array.from(all).map(function (e) { return [e, e.getBoundingClientRect()] })
        .filter(function (b) { return b[1].width > 0 && b[1].height > 0 });
      boxes.sort(function (a, b) { return a[1].top - b[1].top });
      boxes.forEach(function (a, i) {
        for (var k = i + 1; k < boxes.length && boxes[k][1].top < a[1].bottom - 1; k++) {
          var b = boxes[k];
          if (b[1].left < a[1].right - 1 && b[1].right > a[1].left + 1 && !a[0].contains(b[0]) && !b[0].contains(a[0]))
            told.push(what + ' on each other: ' + a[0].textContent.slice(0, 40) + ' and ' + b[0].textContent.slice(0, 40)) } }) }
    lieOnEachOther(document.querySelectorAll('h1,h2,h3,p:not(.skip),figure,.scroll,.legend,dl,nav,footer,.filter,.findings>li'),
                   'elements');
    document.querySelectorAll('svg').forEach(function (svg) { lieOnEachOther(svg.querySelectorAll('text'), 'labels') });
    if (window.parent !== window) { window.parent.postMessage(JSON.stringify(told), '*'); return }
    var out = document.createElement('pre'); out.id = 'told'; out.textContent = JSON.stringify(told);
    document.body.appendChild(out) }) });
"""
if scheme == 'print':
    page = page.replace('@media print{', '@media all{')
# a window is at least 500 pixels wide: the page is in a frame, which may be narrower
frame = """<!DOCTYPE html><iframe src="page.html" style="border:0;width:%spx;height:8000px"></iframe><script>
window.addEventListener('message', function (m) {
  var out = document.createElement('pre'); out.id = 'told'; out.textContent = m.data; document.body.appendChild(out) })
</script>""" % width
with tempfile.TemporaryDirectory() as directory:
    with open(os.path.join(directory, 'page.html'), 'w', encoding='utf-8') as stream:
        stream.write(page.replace('</body>', '<script>' + code.replace('</script', '<\\/script') + '</script><script>' + probe +
                                  '</script></body>'))
    with open(os.path.join(directory, 'frame.html'), 'w', encoding='utf-8') as stream:
        stream.write(frame)
    done = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--window-size=1300,900',
                           '--user-data-dir=' + directory, '--virtual-time-budget=60000', '--dump-dom']
                          + (['--force-dark-mode'] if scheme == 'dark' else [])
                          + ['file://' + os.path.join(directory, 'frame.html')],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
found = re.search('<pre id="told">(.*?)</pre>', done.stdout.decode(), re.S)
if found is None:
    sys.exit('the browser told nothing')
for line in json.loads(html.unescape(found.group(1))):
    print(line)
