# SPDX-License-Identifier: Apache-2.0
"""A plain client of msprof mcp: python3 client.py SCENARIO MSPROF ROOT [MORE]. Each scenario is a function below."""
import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

scenario, program, root, *more = sys.argv[1:]


class Client:
    def __init__(self, binary=None, arguments=None, initialize=True):
        self.process = subprocess.Popen([binary or program, "mcp", *(["--root", root] if arguments is None else arguments)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number = 0
        if initialize:
            self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
            self.tell("notifications/initialized")

    def write(self, raw):
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def tell(self, method, params=None):
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}).encode() + b"\n")

    def send(self, method, params=None):
        self.number += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}).encode() + b"\n")
        return self.number

    def read(self):
        """The next message; whatever is no JSON-RPC fails."""
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), line
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0" and ("method" in message or "id" in message), message
        return message

    def ask(self, method, params=None):
        number = self.send(method, params)
        answer = self.read()
        assert answer["id"] == number, answer
        return answer

    def call(self, tool, **arguments):
        """The document of a tool's answer, and whether it is an error."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in answer, answer
        content, = answer["result"]["content"]
        return json.loads(content["text"]), answer["result"]["isError"]

    def refuse(self, method, params, code):
        answer = self.ask(method, params)
        assert answer["error"]["code"] == code and answer["error"]["message"], answer
        return answer["error"]["message"]

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        assert rest == b"", rest
        return self.process.wait(60), self.process.stderr.read().decode()


def command(*words, **options):
    return subprocess.run([program, "-q", *words], capture_output=True, text=True, cwd=root, **options).stdout


def answers():
    """Each tool answers what the command prints; more: two captures and a directory of ranks."""
    one, other, ranks = more
    client = Client()
    document, failed = client.call("open", capture=one)
    assert not failed and document["rows"] == json.loads(command("show", one, "--table", "summary", "--format", "json"))
    document, failed = client.call("tables", capture=one)
    assert not failed and document["text"] == command("show", one, "--table", "list") and document["left_out_bytes"] == 0
    document, failed = client.call("table", capture=one, table="ops", columns=["name", "total"], filter=["total > 100us", "name~*conv*"],
                                   sort="total,desc", top=2, step="2")
    assert document["rows"] == json.loads(command("show", one, "--table", "ops", "--columns", "name,total", "--filter", "total > 100us", "--filter",
                                                  "name~*conv*", "--sort", "total,desc", "--top", "2", "--step", "2", "--format", "json") or "[]")
    document, failed = client.call("table", capture=[one, other], table="types", until="1s", **{"from": "0us"})
    assert document["rows"] == json.loads(command("show", one, other, "--table", "types", "--from", "0us", "--until", "1s", "--format", "json"))
    assert {row["capture"] for row in document["rows"]} == {os.path.join(os.path.realpath(root), name) for name in (one, other)}
    query = f"-- both\nSELECT (SELECT count(*) FROM {one}.op) AS one, (SELECT count(*) FROM {other}.op) AS other"
    document, failed = client.call("sql", capture=[one, other], query=query)
    assert document["rows"] == json.loads(command("sql", one, other, "-", "--format", "json", input=query)) and document["rows"][0]["one"] > 0
    document, failed = client.call("advise", capture=one)
    assert document["document"] == json.loads(command("advise", one, "--format", "json"))
    document, failed = client.call("diff", base=one, new=other, by="type")
    assert document["document"] == json.loads(command("diff", one, other, "--by", "type", "--format", "json"))
    document, failed = client.call("report", capture=one, max_bytes=1048576)
    assert document["text"] == command("report", one, "--format", "markdown", "--output", "-")
    document, failed = client.call("cluster", directory=ranks, table="operator_sum")
    assert document["rows"] == json.loads(command("cluster", ranks, "--table", "operator_sum", "--format", "json")) and document["rows"]
    document, failed = client.call("cluster", directory=ranks)
    verdicts = json.loads(command("cluster", ranks, "--format", "json"))
    assert document["document"] == verdicts and verdicts["schema"] == "msprof.cluster/1" and verdicts["ranks"]
    document, failed = client.call("timeline", capture=one, from_ns=0, until_ns=2000000, max_rows=10000, max_bytes=1048576)
    times = [row["at_ns"] for row in document["rows"]]
    assert times == sorted(times) and times and all(row["at_ns"] < 2000000 and row["at_ns"] + row["duration_ns"] >= 0 for row in document["rows"])
    whole, failed = client.call("timeline", capture=one, from_ns=0, until_ns=1 << 50, max_rows=10000, max_bytes=1048576)
    counts = json.loads(command("sql", one, "SELECT (SELECT count(*) FROM task) + (SELECT count(*) FROM call) + (SELECT count(*) FROM step) +"
                                " (SELECT count(*) FROM communication) AS n", "--format", "json"))
    assert len(whole["rows"]) + whole["left_out_rows"] == counts[0]["n"] and len(whole["rows"]) > len(document["rows"])
    document, failed = client.call("table", capture=one, table="opps")
    assert failed and document["status"] == 2 and any("did you mean 'ops'" in note for note in document["notes"]), document
    assert client.end()[0] == 0


def bounds():
    """Answers have at most so many rows and bytes, and say how many there are beside."""
    client = Client()
    capture, = more
    count = json.loads(command("sql", capture, "SELECT count(*) AS n FROM op", "--format", "json"))[0]["n"]
    for rows in 1, 7, 50:
        document, failed = client.call("sql", capture=capture, query="SELECT id FROM op ORDER BY id", max_rows=rows)
        assert len(document["rows"]) == rows and document["left_out_rows"] == count - rows
    document, failed = client.call("sql", capture=capture, query="SELECT id FROM op")
    assert len(document["rows"]) == 50
    for size in 1024, 4000:
        document, failed = client.call("sql", capture=capture, query="SELECT * FROM op", max_rows=10000, max_bytes=size)
        text = json.dumps(document["rows"], separators=(",", ": "), ensure_ascii=False)
        assert len(text.encode()) <= size + 2 < len(text.encode()) + 1000, len(text)
        assert len(document["rows"]) + document["left_out_rows"] == count
    document, failed = client.call("sql", capture=capture, query="SELECT replace(hex(zeroblob(3000)), '0', 'x\"') AS t", max_bytes=1024)
    assert document["rows"] == [] and document["left_out_rows"] == 1
    whole = command("report", capture, "--format", "markdown", "--output", "-")
    document, failed = client.call("report", capture=capture, max_bytes=2000)
    assert whole.startswith(document["text"]) and document["text"].endswith("\n") and 0 < len(document["text"].encode()) <= 2000
    assert len(document["text"].encode()) + document["left_out_bytes"] == len(whole.encode())
    document, failed = client.call("diff", base=capture, new=capture, max_bytes=1024)
    assert document["document"] is None and document["left_out_bytes"] > 1024
    assert client.end()[0] == 0


def confined():
    """No path, no link and no query leads out of the root."""
    client = Client()
    capture, outside = more
    for path in ("..", "../", outside, os.path.relpath(outside, root), capture + "/../../" + os.path.basename(outside), "/", "/etc", "link",
                 "loop", "missing", "link/../" + capture + "/../..", "//etc"):
        document, failed = client.call("open", capture=path)
        assert failed and "is not below the root, or does not exist" in document["error"], (path, document)
    for path in "holds_link", "holds_dangling":
        document, failed = client.call("open", capture=path)
        assert failed and "holds a link that leads out of the root" in document["error"], (path, document)
    for path in capture, "./" + capture, os.path.join(root, capture), "inner_link", capture + "/data/..":
        document, failed = client.call("open", capture=path)
        assert not failed and document["rows"], (path, document)
    for query in f"ATTACH '{outside}/sqlite/runtime.db' AS x", "SELECT readfile('/etc/passwd')", "SELECT load_extension('x')":
        document, failed = client.call("sql", capture=capture, query=query)
        assert failed and document["rows"] == [], document
    for option in "--output=/tmp/x", "-o", "--layout=/etc/passwd":
        document, failed = client.call("table", capture=capture, table=option)
        assert failed, document
        document, failed = client.call("open", capture=option)
        assert failed and "is not below the root" in document["error"], document
    document, failed = client.call("sql", capture=capture, query="--output=x")
    assert failed
    assert client.end()[0] == 0


def framework():
    """A capture that belongs to a framework's directory is refused where that is not below the root."""
    client = Client()
    document, failed = client.call("open", capture=".")
    assert failed and "FRAMEWORK beside it, which is not below the root" in document["error"], document
    assert client.end()[0] == 0


def bad_input():
    """Input that is no message, or none of the protocol, is an error of JSON-RPC, and the next message is answered."""
    client = Client(initialize=False)
    assert client.ask("ping")["result"] == {}
    client.refuse("tools/list", {}, -32600)
    client.refuse("initialize", {"protocolVersion": 5}, -32602)
    client.ask("initialize", {"protocolVersion": "1999-01-01"})
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for raw, code in ((b"nonsense", -32700), (b"{", -32700), (b"[" * 100000, -32700), (b"\x00\x01", -32700), (b'"' + b"x" * 3000000, -32700),
                      (json.dumps([message]).encode(), -32600), (b"[]", -32600), (b"5", -32600), (b"null", -32600), (b'"ping"', -32600),
                      (b"{}", -32600), (json.dumps({**message, "jsonrpc": "1.0"}).encode(), -32600), (json.dumps({**message, "id": None}).encode(), -32600),
                      (json.dumps({**message, "id": [1]}).encode(), -32600), (json.dumps({**message, "id": 1.5}).encode(), -32600),
                      (json.dumps({**message, "id": "x" * 5000}).encode(), -32600), (json.dumps({**message, "method": 7}).encode(), -32600),
                      (json.dumps({**message, "params": []}).encode(), -32602), (json.dumps({**message, "params": "x"}).encode(), -32602)):
        client.write(raw + b"\n")
        answer = client.read()
        assert answer["error"]["code"] == code, (raw[:60], answer)
        assert client.ask("ping")["result"] == {}
    client.refuse("nonsense", {}, -32601)
    client.refuse("prompts/list", {}, -32601)
    client.refuse("resources/read", {"uri": "file:///etc/passwd"}, -32002)
    client.refuse("resources/read", {}, -32602)
    for params in ({}, {"name": 5}, {"name": "nonsense"}, {"name": "open"}, {"name": "open", "arguments": []}, {"name": "open", "arguments": {"capture": 5}},
                   {"name": "open", "arguments": {"capture": ""}}, {"name": "open", "arguments": {"capture": "x", "capturee": "x"}},
                   {"name": "table", "arguments": {"capture": [], "table": "ops"}}, {"name": "table", "arguments": {"capture": "x\ny", "table": "ops"}},
                   {"name": "open", "arguments": {"capture": ".", "max_rows": 0}}, {"name": "open", "arguments": {"capture": ".", "max_rows": "5"}},
                   {"name": "open", "arguments": {"capture": ".", "max_bytes": 1e9}}, {"name": "table", "arguments": {"capture": ".", "table": "ops", "filter": [5]}},
                   {"name": "timeline", "arguments": {"capture": ".", "from_ns": 1e300, "until_ns": 5}}):
        client.refuse("tools/call", params, -32602)
    client.write(b"\n  \n" + json.dumps({"jsonrpc": "2.0", "id": "a\"\\\u00e9", "method": "ping"}).encode() + b"\r\n")
    assert client.read() == {"jsonrpc": "2.0", "id": "a\"\\\u00e9", "result": {}}
    client.write(json.dumps({"jsonrpc": "2.0", "id": 7, "result": {}}).encode() + b"\n")  # an answer to no question
    client.tell("notifications/nonsense")
    client.tell("notifications/cancelled", {"requestId": "none"})
    assert client.ask("ping")["result"] == {}
    # Whatever stands in a line, each line that comes back is JSON, and the server goes on.
    dice = random.Random(1)
    valid = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "table", "arguments": {"capture": "nowhere", "table": "ops", "top": 3}}}).encode()
    for _ in range(500):
        raw = bytearray(valid)
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(raw))
            raw[at:at + dice.randint(0, 3)] = bytes(dice.choice(b'{}[]",:\\0aZ\xff\x80 ') for _ in range(dice.randint(0, 3)))
        client.write(bytes(raw).replace(b"\n", b" ") + b"\n")
        number = client.send("ping")
        while client.read() != {"jsonrpc": "2.0", "id": number, "result": {}}:
            pass
    assert client.end()[0] == 0


def cancelled():
    """A call that lasts says so, lets others be answered, and ends without an answer when it is cancelled."""
    capture, = more
    client = Client()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    lasting = client.send("tools/call", {"name": "sql", "arguments": {"capture": capture, "query": endless}, "_meta": {"progressToken": "t\"1"}})
    waiting = client.send("tools/call", {"name": "open", "arguments": {"capture": capture}})
    dropped = client.send("tools/call", {"name": "tables", "arguments": {"capture": capture}})
    told = [client.read() for _ in range(2)]
    assert [message["method"] for message in told] == ["notifications/progress"] * 2
    assert [message["params"]["progressToken"] for message in told] == ["t\"1"] * 2
    assert told[0]["params"]["progress"] < told[1]["params"]["progress"]
    client.tell("notifications/cancelled", {"requestId": dropped})
    client.tell("notifications/cancelled", {"requestId": lasting, "reason": "enough"})
    answer = client.read()
    while answer.get("method") == "notifications/progress":
        answer = client.read()
    assert answer["id"] == waiting and not answer["result"]["isError"], answer
    assert client.ask("ping")["id"] not in (lasting, dropped)
    assert client.end()[0] == 0


def ended():
    """A signal ends the server and the command that it runs."""
    capture, = more
    client = Client()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    client.send("tools/call", {"name": "sql", "arguments": {"capture": capture, "query": endless}, "_meta": {"progressToken": 1}})
    assert client.read()["params"]["progressToken"] == 1
    children = open(f"/proc/{client.process.pid}/task/{client.process.pid}/children").read().split()
    assert len(children) == 1
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(20) == 130
    for _ in range(100):
        if not os.path.exists(f"/proc/{children[0]}"):
            break
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{children[0]}")


def started():
    """Versions are negotiated; standard output has the protocol alone; the end of input ends it when all is answered."""
    for wanted, version in (("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2025-03-26", "2025-11-25"), ("x", "2025-11-25")):
        client = Client(initialize=False)
        result = client.ask("initialize", {"protocolVersion": wanted, "capabilities": {}})["result"]
        assert result["protocolVersion"] == version and result["serverInfo"]["name"] == "msprof" and set(result["capabilities"]) == {"tools", "resources"}
        client.send("ping")
        client.process.stdin.close()
        assert client.read()["result"] == {}
        assert client.process.stdout.read() == b"" and client.process.wait(20) == 0
        assert "serving '" in client.process.stderr.read().decode()


def resources():
    """Documents are those of the sources, from a program that was copied elsewhere, too; more: the copy, the sources."""
    copy, sources = more
    client = Client(binary=copy)
    listed = client.ask("resources/list")["result"]["resources"]
    paths = [resource["uri"].removeprefix("msprof://") for resource in listed]
    wanted = ["docs/agents.md", "docs/answers.md", "docs/schemas.md", "man/msprof-schema.5"]
    wanted += [os.path.relpath(path, sources) for path in sorted(glob.glob(sources + "/docs/schemas/*.json"))]
    assert paths == wanted, paths
    for resource, path in zip(listed, paths):
        content, = client.ask("resources/read", {"uri": resource["uri"]})["result"]["contents"]
        with open(os.path.join(sources, path), encoding="utf-8") as file:
            text = file.read()
        assert content["text"] == text and content["uri"] == resource["uri"] and len(text.encode()) == resource["size"]
        assert content["mimeType"] == resource["mimeType"]
    assert client.ask("resources/templates/list")["result"] == {"resourceTemplates": []}
    assert client.end()[0] == 0


def documented():
    """docs/agents.md names every tool with every argument, and its transcript is what the server answers; more: it."""
    with open(more[0], encoding="utf-8") as file:
        page = file.read()
    client = Client()
    for tool in client.ask("tools/list")["result"]["tools"]:
        row = re.search(rf"^\| `{tool['name']}` \|.*$", page, re.M)
        assert row, tool["name"]
        for argument in tool["inputSchema"]["properties"]:
            assert f"`{argument}`" in row.group(), (tool["name"], argument)
        assert tool["inputSchema"]["additionalProperties"] is False and tool["annotations"]["readOnlyHint"] is True
    assert client.end()[0] == 0
    client = Client(initialize=False)
    lines = re.findall(r"^([<>]) (.*)$", page, re.M)
    assert len(lines) >= 8
    for way, line in lines:
        if way == ">":
            client.write(line.encode() + b"\n")
        else:
            answer = client.process.stdout.readline().decode().rstrip("\n").replace(os.path.realpath(root), "ROOT")
            begin, *end = line.split(" ... ")
            assert answer.startswith(begin) and answer.endswith(end[0] if end else begin), f"{line}\nis\n{answer}"
    assert client.end()[0] == 0


globals()[scenario]()
