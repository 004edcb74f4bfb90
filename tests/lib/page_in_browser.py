#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a page of 'msprof report' in headless Chromium and prints what is wrong with it: violations of axe-core's rules, and
elements that reach out of the page. Prints nothing for a sound one.

usage: page_in_browser.py FILE AXE.JS WIDTH light|dark
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
    var out = document.createElement('pre'); out.id = 'told'; out.textContent = JSON.stringify(told);
    document.body.appendChild(out) }) });
"""
with tempfile.TemporaryDirectory() as directory:
    copy = os.path.join(directory, 'page.html')
    with open(copy, 'w', encoding='utf-8') as stream:
        stream.write(page.replace('</body>', '<script>' + code.replace('</script', '<\\/script') + '</script><script>' + probe +
                                  '</script></body>'))
    done = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--window-size=%s,900' % width,
                           '--user-data-dir=' + directory, '--virtual-time-budget=60000', '--dump-dom']
                          + (['--force-dark-mode'] if scheme == 'dark' else []) + ['file://' + copy],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
found = re.search('<pre id="told">(.*?)</pre>', done.stdout.decode(), re.S)
if found is None:
    sys.exit('the browser told nothing')
for line in json.loads(html.unescape(found.group(1))):
    print(line)
