#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A viewer that speaks the protocol by which Perfetto's page takes a trace from another window: answers PONG to PING, and
takes {perfetto: {buffer, title}}. Writes its address to ADDRESS, and what it was given to RESULT; likewise what stands behind
/told? in an address, from pages that may not send.

usage: stub_viewer.py ADDRESS RESULT
"""
import http.server
import os
import sys
import urllib.parse

PAGE = b"""<!DOCTYPE html><title>stub</title><script>
addEventListener('message', event => {
  if (event.data === 'PING') { event.source.postMessage('PONG', event.origin); return; }
  const given = event.data.perfetto;
  fetch('/result', {method: 'POST', headers: {'X-Title': given.title}, body: given.buffer});
});
</script>"""


class Viewer(http.server.BaseHTTPRequestHandler):
    def result(self, content):
        with open(sys.argv[2] + ".part", "wb") as file:
            file.write(content)
        os.rename(sys.argv[2] + ".part", sys.argv[2])

    def do_GET(self):
        if self.path.startswith("/told?"):
            self.result(urllib.parse.unquote(self.path[6:]).encode())
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.result(self.headers["X-Title"].encode() + b"\n" + body)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Viewer)
with open(sys.argv[1], "w", encoding="ascii") as address:
    address.write(f"http://127.0.0.1:{server.server_port}\n")
server.serve_forever()
