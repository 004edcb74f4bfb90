#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens pages of 'msprof report' in headless Chromium, light and dark, 400 pixels wide and as printed on A4, upright and, with
tables of many columns, across, and prints what is wrong with them: violations of axe-core's rules, what reaches out of the page or
its cell, elements and labels that lie on each other, with what is folded open, labels below 11 pixels, words that are cut. Prints nothing for sound ones.

usage: page_in_browser.py AXE.JS FILE...
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# name, width, rules of media that hold; A4 without its margins has 688 pixels, and 1016 across
LOOKS = (('light', 1200, ()), ('dark', 1200, ('(prefers-color-scheme:dark)',)),
         ('narrow', 400, ('(max-width:40rem)',)), ('print', 688, ('print',)), ('across', 1016, ('print',)))
PROBE = """
function onEachOther(all, told) {
  var boxes = Array.from(all).map(function (e) { return [e, e.getBoundingClientRect()] })
    .filter(function (b) { return b[1].width > 0 && b[1].height > 0 });
  boxes.sort(function (a, b) { return a[1].top - b[1].top });
  boxes.forEach(function (a, i) {
    for (var k = i + 1; k < boxes.length && boxes[k][1].top < a[1].bottom - 1; k++) {
      var b = boxes[k];
      if (b[1].left < a[1].right - 1 && b[1].right > a[1].left + 1 && !a[0].contains(b[0]) && !b[0].contains(a[0]))
        told.push('on each other: ' + a[0].textContent.slice(0, 40) + ' and ' + b[0].textContent.slice(0, 40)) } }) }
function scrolls(e) { return e && getComputedStyle(e).overflowX === 'auto' }
function cutWords(cell, told) {
  var walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (var node; (node = walk.nextNode());)
    for (var word, words = /[A-Za-z0-9.()%]+/g; (word = words.exec(node.data));) {
      range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
      if (range.getClientRects().length > 1) told.push('a word is cut: ' + word[0].slice(0, 40)) } }
window.addEventListener('load', function () {
  document.querySelectorAll('details').forEach(function (e) { e.open = true });
  var print = LOOK === 'print' || LOOK === 'across', rules = LOOK === 'light' || LOOK === 'dark';
  (rules ? axe.run(document, LOOK === 'dark' ? {runOnly: ['color-contrast']} : {}) : Promise.resolve({violations: []})).then(function (found) {
    var wide = document.documentElement.clientWidth;
    var told = found.violations.map(function (v) {
      return v.id + ': ' + v.nodes.slice(0, 3).map(function (n) { return n.target.join(' ') }).join(', ') });
    if (LOOK === 'print') document.querySelectorAll('.scroll:has(th:nth-child(11))').forEach(function (e) { e.remove() });
    document.querySelectorAll('body *:not(.skip):not(script)').forEach(function (e) {
      if (e.closest('svg') && (!e.matches('svg') || scrolls(e.closest('figure')))) return;
      if (e.closest('.scroll') && !e.matches(print ? '.scroll,table' : '.scroll')) return;
      var box = e.getBoundingClientRect();
      if (box.width > 0 && (box.right > wide + 1 || box.left < -1))
        told.push('outside of the page: ' + e.tagName + '.' + e.className + ' until ' + box.right + ' of ' + wide + ': ' +
                  e.textContent.slice(0, 40)) });
    document.querySelectorAll('td,th,.four>div').forEach(function (e) {
      if (e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1)
        told.push('outside of its cell: ' + e.textContent.slice(0, 40)) });
    document.querySelectorAll('svg text').forEach(function (e) {
      var box = e.getBoundingClientRect(), scroll = scrolls(e.closest('figure'));
      var until = scroll ? e.closest('svg').getBoundingClientRect().right : wide;
      if (box.left < -1 || box.right > until + 1) told.push('outside of the page: ' + e.textContent.slice(0, 40));
      var size = parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a;
      if (box.width > 0 && size < (print ? 8 : 11)) told.push('a label of ' + size + ' pixels: ' + e.textContent.slice(0, 40)) });
    if (print) document.querySelectorAll('th,td:not(.name,.long)').forEach(function (e) { cutWords(e, told) });
    onEachOther(document.querySelectorAll('h1,h2,h3,p:not(.skip),figure,figcaption,svg text,.scroll,.legend,dl,nav,footer,' +
                                          '.filter,.findings>li'), told);
    parent.postMessage(told, '*') }, function (failed) { parent.postMessage([String(failed)], '*') }) });
"""
# A window is at least 500 pixels wide: each page is in a frame, which may be narrower. One after the other is opened.
FRAMES = """<!DOCTYPE html><body><script>
var wanted = WANTED, told = [], frame;
function next() {
  if (told.length === wanted.length) {
    var out = document.createElement('pre'); out.id = 'told'; out.textContent = JSON.stringify(told);
    frame.remove(); document.body.appendChild(out); return }
  if (frame) frame.remove();
  frame = document.createElement('iframe');
  frame.style.cssText = 'border:0;height:8000px;width:' + wanted[told.length][2] + 'px';
  frame.src = wanted[told.length][0]; document.body.appendChild(frame) }
window.addEventListener('message', function (m) { told.push(m.data); next() });
next();
</script></body>"""


def look_of(page, name, media):
    """The page as it looks where these rules of media hold, which reports to the frame around it."""
    for rule in media:
        assert '@media %s{' % rule in page, rule
        page = page.replace('@media %s{' % rule, '@media all{')
    # the page forbids every script but its own: that of the test comes without the policy
    page = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', '', page)
    if 'print' in media:
        page = page.replace('@media screen{', '@media not all{')
    page = page.replace('content-visibility:auto', 'content-visibility:visible')  # all of it is looked at, at once
    probe = PROBE.replace('LOOK', json.dumps(name))
    scripts = '<script src="axe.js"></script><script>%s</script></body>' % probe
    return page.replace('</body>', scripts)


def main():
    axe, *paths = sys.argv[1:]
    wanted = []
    with tempfile.TemporaryDirectory() as directory:
        shutil.copy(axe, os.path.join(directory, 'axe.js'))
        for number, path in enumerate(paths):
            with open(path, encoding='utf-8') as stream:
                page = stream.read()
            for name, width, media in LOOKS:
                file = '%d_%s.html' % (number, name)
                wanted.append((file, '%s, %s' % (path, name), width))
                with open(os.path.join(directory, file), 'w', encoding='utf-8') as stream:
                    stream.write(look_of(page, name, media))
        with open(os.path.join(directory, 'frames.html'), 'w', encoding='utf-8') as stream:
            stream.write(FRAMES.replace('WANTED', json.dumps(wanted)))
        done = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--window-size=1300,900',
                               '--user-data-dir=' + directory, '--virtual-time-budget=600000', '--dump-dom',
                               'file://' + os.path.join(directory, 'frames.html')],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    found = re.search('<pre id="told">(.*?)</pre>', done.stdout.decode(), re.S)
    if found is None:
        sys.exit('the browser told nothing')
    for (_, name, _), lines in zip(wanted, json.loads(html.unescape(found.group(1)))):
        for line in lines:
            print('%s: %s' % (name, line))


main()
