# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, told what to do through a pipe: each message ends in a zero byte."""
import json
import os
import subprocess
import sys
import time


class Browser:
    """One page of it."""

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
                    sys.exit('chromium ended')
                self.rest += piece
            one, _, self.rest = self.rest.partition(b'\0')
            answer = json.loads(one)
            if answer.get('id') == self.sent:
                if 'error' in answer:
                    sys.exit('%s: %s' % (method, answer['error']['message']))
                return answer['result']

    def script(self, text):
        """A number, a text or an object of the page that a script gives."""
        done = self.call('Runtime.evaluate', expression=text)
        if 'exceptionDetails' in done:
            sys.exit('%s: %s' % (text, done['exceptionDetails']))
        found = done['result']
        return found.get('objectId') or found.get('value')

    def wait(self, text):
        """The first that a script gives."""
        for _ in range(300):
            found = self.script(text)
            if found:
                return found
            time.sleep(0.1)
        sys.exit('waited in vain for ' + text)

    def point(self, x, y):
        self.call('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)

    def press(self, x, y):
        for kind in 'mousePressed', 'mouseReleased':
            self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)
        time.sleep(0.3)  # until it is drawn; and no double click

    def key(self, name, code):
        for kind in 'keyDown', 'keyUp':
            self.call('Input.dispatchKeyEvent', type=kind, key=name, code=name, windowsVirtualKeyCode=code, text=chr(code))

    def end(self):
        os.close(self.out)
        self.process.wait()
