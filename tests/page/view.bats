#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof view: a capture in the browser of this machine, and to nobody else.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
    export TMPDIR=$scratch/tmp
    mkdir "$TMPDIR"
    unset DISPLAY WAYLAND_DISPLAY
    copy_capture
    run_msprof import JOBX
}

teardown() {
    local pid
    for pid in ${server:-} ${stub:-} ${browser:-}; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    # Processes of a browser that has ended still write for a moment.
    for ((i = 0; i < 100; i++)); do
        rm -rf "$scratch/browser" 2>/dev/null && break
        sleep 0.05
    done
}

# Begins to serve: serve ARGUMENTS...; $address is where.
serve() {
    rm -f address # of the one before, which would be taken for an answer
    env --default-signal=INT "$MSPROF" view "$@" >address 2>messages 3>&- & # a shell's background ignores it
    server=$!
    for ((i = 0; i < 600; i++)); do
        [ ! -s address ] || break
        sleep 0.05
    done
    address=$(cat address)
    [[ $address == http://127.0.0.1:*/*/* ]]
}

ends_with() {
    local status=0
    wait "$server" || status=$?
    server=
    expect_equal "$status" "$1"
    [ -z "$(ls -A "$TMPDIR")" ]
}

# ask METHOD PATH [HEADER...]: the status of an answer, its body in the file "body".
ask() {
    python3 - "$address" "$@" <<'END'
import socket, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
method, path, *headers = sys.argv[2:]
if not any(header.lower().startswith("host:") for header in headers):
    headers.append(f"Host: {url.netloc}")
with socket.create_connection((url.hostname, url.port)) as connection:
    connection.sendall("\r\n".join([f"{method} {path} HTTP/1.1", *headers, "", ""]).encode())
    answer = b""
    while piece := connection.recv(65536):
        answer += piece
head, _, body = answer.partition(b"\r\n\r\n")
open("head", "wb").write(head)
open("body", "wb").write(body)
print(head.split(b" ")[1].decode())
END
}

@test "view serves the page of report, once, opens it at its timeline, and ends: no other host is named in it" {
    run_msprof report JOBX -o same.html
    serve JOBX
    expect_contains "$(cat messages)" "it works once"
    [[ $address == */#c1-timeline ]]
    address=${address%#*}
    path=/${address#http://*/}
    expect_equal "$(ask GET "${path}trace")" 404
    expect_equal "$(ask GET "$path")" 200
    ends_with 0
    cmp body same.html
    cp body page.html
    python3 "$repository/tests/lib/page.py" page.html >/dev/null # it needs nothing else
    [ -n "$(python3 "$repository/tests/lib/page.py" page.html part c1-timeline)" ]
    run ! grep -q perfetto page.html
}

@test "view --perfetto serves the timeline that export writes, once, and ends" {
    run_msprof export timeline JOBX --format pftrace-raw --output out
    serve JOBX --perfetto
    [[ $(cat messages) == *"ssh -N -L "*":127.0.0.1:"* ]]
    path=/${address#http://*/}
    expect_equal "$(ask GET "$path")" 200
    grep -q "Content-Security-Policy: default-src 'none'" head
    grep -q "https://ui.perfetto.dev" body
    expect_equal "$(ask GET "${path}trace")" 200
    ends_with 0
    cmp body out/timeline/msprof.pftrace || cmp body out/timeline/msprof_0.resnet50.6.1.pftrace
}

@test "view --report opens the page at its beginning" {
    serve JOBX --report
    [[ $address == */ ]]
    expect_equal "$(ask GET "/${address#http://*/}")" 200
    ends_with 0
    cp body page.html
    python3 "$repository/tests/lib/page.py" page.html >/dev/null
}

@test "view opens the address in the browser of the display, and tells nothing of ssh; --no-browser does not" {
    mkdir bin
    printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"%s/opened.part" && mv "%s/opened.part" "%s/opened"\n' "$PWD" "$PWD" "$PWD" >bin/xdg-open
    chmod +x bin/xdg-open
    export PATH=$PWD/bin:$PATH DISPLAY=:99
    serve JOBX --perfetto
    for ((i = 0; i < 200; i++)); do
        [ ! -e opened ] || break
        sleep 0.05
    done
    expect_equal "$(<opened)" "$address"
    [[ $(<messages) != *ssh* ]]
    expect_equal "$(ask GET "/${address#http://*/}trace")" 200
    ends_with 0
    rm opened
    serve JOBX --perfetto --no-browser
    expect_equal "$(ask GET "/${address#http://*/}trace")" 200
    ends_with 0
    [ ! -e opened ]
    expect_contains "$(<messages)" "open this address in a browser on this machine"
}

@test "an interrupt ends view, and leaves neither a socket nor a file" {
    mkdir "$scratch/ui"
    echo >"$scratch/ui/index.html"
    "$MSPROF" import -q -dir JOBX
    find JOBX >before
    for options in "" --perfetto "--ui $scratch/ui"; do
        # shellcheck disable=SC2086
        serve JOBX $options
        expect_contains "$(ls "$TMPDIR")" msprof-view
        port=${address#http://127.0.0.1:}
        kill -INT "$server"
        ends_with 130
        expect_contains "$(<messages)" "interrupted by SIGINT"
        run ! python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)' "${port%%/*}"
        expect_equal "$(find JOBX)" "$(<before)"
    done
}

@test "view answers nobody who does not know the token, or calls it by another name" {
    serve JOBX --perfetto
    path=/${address#http://*/}
    other_first=0
    [ "${path:1:1}" != 0 ] || other_first=1
    for other in / /trace "/${path:2}" "${path}traces" "${path}../trace" "/$other_first${path:2}trace" "${path%/}" "$path%00"; do
        expect_equal "$(ask GET "$other")" 404
    done
    expect_equal "$(ask GET "${path}trace" "Host: evil.example")" 403
    expect_equal "$(ask GET "${path}trace" "Host: 127.0.0.1:1")" 403
    host=${address#http://}
    expect_equal "$(ask GET "${path}trace" "Host: ${host%%/*}" "Host: evil.example")" 403
    for method in HEAD POST PUT OPTIONS DELETE get; do
        expect_equal "$(ask "$method" "${path}trace")" 405
    done
    expect_equal "$(ask GET "${path} trace")" 505
    expect_equal "$(ask GET "$path" "X: $(head -c 9000 /dev/zero | tr '\0' x)")" 431
    kill -0 "$server"
    expect_equal "$(ask GET "${path}trace")" 200
    ends_with 0
}

@test "view listens on the loopback address alone" {
    serve JOBX --perfetto
    port=${address#http://127.0.0.1:}
    # the local addresses of sockets that listen on the port: bytes of an address stand there in the machine's order
    expect_equal "$(awk -v port="$(printf ':%04X' "${port%%/*}")" '$4 == "0A" && $2 ~ port "$" { print $2 }' /proc/net/tcp /proc/net/tcp6)" \
        "0100007F$(printf ':%04X' "${port%%/*}")"
    kill "$server"
    ends_with 130
}

@test "connections that say nothing do not keep others from being answered" {
    serve JOBX --perfetto
    python3 - "$address" <<'END'
import http.client, socket, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
silent = [socket.create_connection((url.hostname, url.port)) for _ in range(12)]
for number, connection in enumerate(silent):
    connection.sendall(b"GET / HT"[: number % 8])
client = http.client.HTTPConnection(url.hostname, url.port, timeout=8)
client.request("GET", url.path + "trace")
answer = client.getresponse()
assert answer.status == 200 and len(answer.read()) == int(answer.headers["Content-Length"])
END
    ends_with 0
}

@test "view refuses what it cannot show, and leaves nothing behind" {
    run_msprof view
    expect_status 2
    run_msprof view nowhere
    expect_status 1
    run_msprof view JOBX --viewer 'javascript:alert(1)'
    expect_status 2
    run_msprof view JOBX --viewer 'https://a"b'
    expect_status 2
    for options in "--report --perfetto" "--report --ui ." "--report --viewer https://a" "--ui . --viewer https://a"; do
        # shellcheck disable=SC2086
        run_msprof view JOBX $options
        expect_status 2
        expect_contains "$stderr" "exclude each other"
    done
    cp -r JOBX JOBY
    run_msprof view JOBX JOBY
    expect_status 2
    python3 - 3>&- <<'END' &
import socket, time
with socket.socket() as taken:
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    open("port", "w").write(str(taken.getsockname()[1]))
    time.sleep(60)
END
    stub=$!
    for ((i = 0; i < 200; i++)); do
        [ ! -s port ] || break
        sleep 0.05
    done
    run_msprof view JOBX --port "$(cat port)"
    expect_status 1
    [[ $stderr == *"cannot listen on 127.0.0.1"* ]]
    [ -z "$(ls -A "$TMPDIR")" ]
}

# Opens $address in a browser until the viewer has written the file "result".
browse() {
    rm -f result
    TMPDIR=$scratch "$chromium" --headless=new --no-sandbox --disable-gpu --disable-popup-blocking --no-first-run --remote-debugging-port=0 \
        --user-data-dir="$scratch/browser" "$address" >browser.log 2>&1 3>&- &
    browser=$!
    for ((i = 0; i < 1200; i++)); do
        [ ! -e result ] || break
        sleep 0.05
    done
    [ -e result ]
}

begin_viewer() {
    chromium=$(command -v chromium || command -v chromium-browser) || skip "chromium is not installed"
    python3 "$repository/tests/page/stub_viewer.py" viewer result 3>&- &
    stub=$!
    for ((i = 0; i < 200; i++)); do
        [ ! -s viewer ] || break
        sleep 0.05
    done
}

@test "the page hands the trace to a viewer that speaks Perfetto's protocol" {
    begin_viewer
    serve JOBX --viewer "$(cat viewer)"
    browse
    ends_with 0
    run_msprof export timeline JOBX --format pftrace-raw --output out
    head -1 result | grep -qx JOBX
    tail -n +2 result >trace
    cmp trace out/timeline/msprof.pftrace || cmp trace out/timeline/msprof_0.resnet50.6.1.pftrace
}

@test "the page hands the trace to a copy of the viewer in --ui, which reaches no other server" {
    begin_viewer
    mkdir -p ui/v1
    # its script is a module, and loads a file that its version names: what Perfetto does
    sed "s,@ADDRESS@,$(<viewer),g" >ui/v1/main.js <<'END'
const given = new Promise(found => addEventListener('message', event => {
  if (event.data === 'PING') event.source.postMessage('PONG', event.origin);
  else found(event.data.perfetto);
}));
const other = fetch('@ADDRESS@', {method: 'POST', headers: {'X-Title': 'leak'}, body: 'leak'}).then(() => 'reached', () => 'blocked');
const data = fetch('v1/data.json?v=1').then(answer => answer.json());
Promise.all([given, other, data]).then(([trace, reached, loaded]) => {
  location.href = '@ADDRESS@/told?' + encodeURIComponent([trace.title, trace.buffer.byteLength, reached, loaded.a].join(' '));
});
END
    echo '{"a": 1}' >ui/v1/data.json
    printf '<!DOCTYPE html><title>copy</title><script type="module" src="v1/main.js"></script>' >ui/index.html
    serve JOBX --ui ui
    expect_contains "$(<messages)" "this address works until you press Ctrl-C"
    browse
    kill -INT "$server"
    ends_with 130
    run_msprof export timeline JOBX --format pftrace-raw --output out
    size=$(cat out/timeline/msprof.pftrace out/timeline/msprof_0.resnet50.6.1.pftrace 2>/dev/null | wc -c)
    expect_equal "$(<result)" "JOBX $size blocked 1"
}

@test "view --ui serves the regular files below DIR, each with its type, and nothing that links or .. lead to" {
    mkdir -p ui/v1/empty
    echo secret >secret
    echo page >ui/index.html
    for name in main.js module.mjs style.css trace.wasm picture.png data.json other.bin; do
        echo "$name" >ui/v1/$name
    done
    ln -s ../../secret ui/v1/link.js
    ln -s .. ui/v1/up
    ln -s "$PWD" ui/out
    ln -s main.js ui/v1/inside.js
    echo secret >ui/.hidden
    mkfifo ui/pipe
    ln -s ui built # DIR itself may be a link: that is who types it
    serve JOBX --ui built
    mv ui moved # and is the one that was there at the start
    mkdir ui
    echo replaced >ui/index.html
    path=/${address#http://*/}
    expect_equal "$(ask GET "${path}ui/")" 200
    expect_equal "$(<body)" page
    grep -q "Content-Security-Policy: default-src 'self' " head
    while read -r name type; do
        expect_equal "$(ask GET "${path}ui/v1/$name?version=1")" 200
        expect_equal "$(<body)" "$name"
        grep -q "^Content-Type: $type" head
    done <<'END'
main.js text/javascript
module.mjs text/javascript
style.css text/css
trace.wasm application/wasm
picture.png image/png
data.json application/json
other.bin application/octet-stream
END
    for name in v1/link.js v1/inside.js v1/up/index.html out/secret .hidden pipe ../secret v1/../../secret v1/../index.html v1/..%2f..%2fsecret \
        %2e%2e/secret ./index.html v1 v1/empty v1/empty/ v1//main.js /etc/passwd "v1/main.js/" "v1/main.js/x" nowhere index.html%00 'v1\main.js' \
        "$(head -c 300 /dev/zero | tr '\0' a)" "$(head -c 5000 /dev/zero | tr '\0' a)"; do
        expect_equal "$name $(ask GET "${path}ui/$name")" "$name 404"
    done
    expect_equal "$(ask GET "${path}ui")" 404
    expect_equal "$(ask GET "/ui/")" 404
    expect_equal "$(ask POST "${path}ui/index.html")" 405
    for ((i = 0; i < 2; i++)); do
        expect_equal "$(ask GET "${path}trace")" 200 # a page that is loaded again asks again
    done
    kill -INT "$server"
    ends_with 130
}

@test "view says what is wrong with the directory of --ui before it imports anything" {
    rm -r JOBX/sqlite
    mkdir empty linked
    echo >file
    ln -s ../file linked/index.html
    for directory in nowhere file; do
        run_msprof view JOBX --ui $directory
        expect_status 1
        expect_contains "$stderr" "cannot open the directory '$directory' of --ui"
        expect_contains "$stderr" "pass the directory of a built Perfetto UI"
    done
    for directory in empty linked; do
        run_msprof view JOBX --ui $directory
        expect_status 1
        expect_contains "$stderr" "'$directory' of --ui has no page to serve"
    done
    [ ! -e JOBX/sqlite ]
}

@test "a reader that took ten bytes has fetched nothing: view goes on until one has read to the end; SIGQUIT leaves no directory" {
    mkdir temporary
    python3 - "$MSPROF" "$(echo "$repository"/testdata/cann/prof-910b/PROF*)" <<'END'
import os, re, signal, socket, struct, subprocess, sys, time
msprof, capture = sys.argv[1:]
def view():
    server = subprocess.Popen([msprof, 'view', '-dir', capture, '--output', 'out', '--no-browser', '--perfetto'], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, env=dict(os.environ, TMPDIR=os.path.abspath('temporary')))
    return (server,) + re.match(r'http://127.0.0.1:(\d+)/([0-9a-f]+)/', server.stdout.readline()).groups()
server, port, token = view()
def ask():
    reader = socket.create_connection(('127.0.0.1', int(port)))
    reader.sendall(f'GET /{token}/trace HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n'.encode())
    return reader
for reset in (True, False):
    reader = ask()
    assert len(reader.recv(10)) == 10
    if reset:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    reader.close()
    time.sleep(1)
    assert server.poll() is None, 'ended after a reader that took ten bytes'
silent = ask()
time.sleep(3)
assert server.poll() is None, 'ended after a reader that read nothing'
silent.close()
whole = ask()
while whole.recv(65536):
    pass
whole.close()
assert server.wait(20) == 0
assert os.listdir('temporary') == []
server, port, token = view()
assert os.listdir('temporary')
server.send_signal(signal.SIGQUIT)
assert server.wait(20) == 130
assert os.listdir('temporary') == []
END
}
