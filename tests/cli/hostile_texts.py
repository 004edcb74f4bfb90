# SPDX-License-Identifier: Apache-2.0
"""Plants what drives a terminal in every name that can enter, and looks for it in whatever leaves. Prints one line for each place
where it left: none is right."""
import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cann", "lib"))
from prof import Prof  # noqa: E402

PLANTED = {"escape": b"\x1b[31m", "newline": b"\n", "delete": b"\x7f", "c1": b"\xc2\x9b", "turn": "\u202e".encode(),
           "isolate": "\u2066".encode(), "no utf-8": b"\xff\xfe"}
UNSAFE = [0x1b, 0x7f, 0x08, 0x07]
msprof, work, data = sys.argv[1:4]
found = []


def bad_places(content):
    """What a reader of bytes sees that no text has; line feeds are checked by who knows the format."""
    bad = [name for name, byte in (("ESC", b"\x1b"), ("DEL", b"\x7f"), ("C1", b"\xc2\x9b"), ("turn", "\u202e".encode()),
                                   ("isolate", "\u2066".encode())) if byte in content]
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        bad.append("no UTF-8")
    return bad


def check(where, content):
    for what in bad_places(content):
        found.append("%s: %s" % (where, what))


def check_json(where, content):
    try:
        json.loads(content)
    except ValueError as error:
        found.append("%s: no JSON: %s" % (where, error))


def check_database(where, path):
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    db.text_factory = bytes
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in db.execute('SELECT * FROM "%s"' % table.decode()):
            for cell in row:
                if isinstance(cell, bytes):
                    check("%s, table %s" % (where, table.decode()), cell)
    db.close()


def check_tree(where, root):
    for folder, _, names in os.walk(os.fsencode(root)):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(b".db"):
                check_database("%s %s" % (where, os.fsdecode(name)), os.fsdecode(path).replace("?", "%3f").replace("#", "%23"))
                continue
            with open(path, "rb") as file:
                content = file.read()
            check("%s %s" % (where, os.fsdecode(name)), content)
            if name.endswith(b".json"):
                check_json("%s %s" % (where, os.fsdecode(name)), content)


def run(where, *arguments, expect=None):
    done = subprocess.run([msprof, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=120,
                          env={**os.environ, "NO_COLOR": "1"})
    check(where + " (stdout)", done.stdout)
    check(where + " (stderr)", done.stderr)
    if expect is not None and done.returncode not in expect:
        found.append("%s: status %d: %s" % (where, done.returncode, done.stderr.decode("utf-8", "replace")[:300]))
    return done


def capture(path, text):
    """With the text in the name of an operator, of its type and of a kernel."""
    prof = Prof(path)
    original = prof.hash
    del original
    for number in range(3):
        prof.launch(number * 200, 2, number, "op%dMARK" % number)
        prof.ran(10000 * (number + 1), 10000 * (number + 1) + 500, 2, number)
    prof.write()
    for folder, _, names in os.walk(path):
        for name in names:
            file_path = os.path.join(folder, name)
            with open(file_path, "rb") as file:
                content = file.read()
            if b"MARK" in content:
                # a dictionary is lines: a line feed would be another line, which is told and rejected
                with open(file_path, "wb") as file:
                    file.write(content.replace(b"MARK", text.replace(b"\n", b"")))


def try_capture(name, text):
    """Names in records, of files, of the directory; host's names in info.json."""
    folder = os.path.join(os.fsencode(work), b"in " + text.replace(b"/", b"_"))
    os.makedirs(folder)
    root = os.path.join(folder, b"PROF_1" + text)
    capture(os.fsdecode(root), text)
    with open(os.path.join(root, b"host", b"data", b"unknown" + text), "wb") as file:
        file.write(b"x")
    for path in glob.glob(os.path.join(root, b"*", b"info.json*")):
        with open(path, "rb") as file:
            info = json.loads(file.read())
        info["hostname"] = info["platform_name"] = text.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode("utf-8")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(info, file)
    where = "capture with %s" % name
    directory = os.fsdecode(root)
    run(where + ", import", "import", "-dir", directory, expect=(0, 3))
    for command in (["export", "summary"], ["export", "timeline"], ["export", "db"], ["export", "summary", "--format", "json"],
                    ["show"], ["show", "--table", "op_summary", "--format", "csv"], ["show", "--table", "op_summary", "--format", "json"],
                    ["show", "--table", "op_summary", "--format", "markdown"], ["advise"], ["advise", "--format", "json"],
                    ["advise", "--format", "markdown"], ["query"], ["doctor"]):
        arguments = ["-q", "-dir", directory] if command[0] != "doctor" else [directory]
        run("%s, %s" % (where, " ".join(command)), *command, *arguments)
    run(where + ", diff", "diff", directory, directory)
    run(where + ", show of the folder", "show", "-dir", os.fsdecode(folder))
    for made in (b"sqlite", b"summary", b"timeline", b"mindstudio_profiler_output"):
        if os.path.isdir(os.path.join(root, made)):
            check_tree(where, os.path.join(root, made))
    for path in glob.glob(os.path.join(glob.escape(root), b"*.db")):
        check_database(where, os.fsdecode(path))
    shutil.rmtree(folder)


def try_report(name, text):
    """Titles and names of a user's report are refused, or come out without it; its cells, too."""
    folder = os.path.join(work, "report")
    os.makedirs(folder)
    root = os.path.join(folder, "PROF_1")
    capture(root, b"x")
    for number, line in enumerate((b'title a%sb\ncolumn t\n', b'column "a%sb"\n', b"doc a%sb\ncolumn t\n")):
        path = os.path.join(folder, "r%d.report" % number)
        with open(path, "wb") as file:
            file.write(b"report r%d\n" % number + line.replace(b"%s", text) + b"sql\nSELECT CAST(x'61%s62' AS TEXT)\n" % text.hex().encode())
        for form in ("table", "csv", "json", "markdown"):
            form_option = ["--format", form] if form != "table" else []
            run("report %d with %s, %s" % (number, name, form), "show", "-q", "-dir", root, "--report-file", path, "--table",
                "r%d" % number, *form_option)
        run("list with %s" % name, "show", "-q", "-dir", root, "--report-file", path, "--list-tables")
    plain = os.path.join(folder, "plain.report")
    with open(plain, "w", encoding="utf-8") as file:
        file.write("report plain\ncolumn t\nsql\nSELECT CAST(x'61%s62' AS TEXT)\n" % text.hex())
    for form in ("table", "csv", "json", "markdown"):
        form_option = ["--format", form] if form != "table" else []
        done = run("cell with %s, %s" % (name, form), "show", "-q", "-dir", root, "--report-file", plain, "--table", "plain",
                   *form_option, expect=(0,))
        if form == "json":
            check_json("cell with " + name, done.stdout)
        if form == "markdown" and len(done.stdout.splitlines()) > 5:
            found.append("cell with %s: more lines than the table has: %r" % (name, done.stdout))
    shutil.rmtree(folder)


def try_layout(name, text):
    """The name, the source and the file of a user's layout."""
    folder = os.path.join(os.fsencode(work), b"layout" + text.replace(b"/", b"_"))
    os.makedirs(folder)
    path = os.path.join(folder, b"l" + text)
    with open(path, "wb") as file:
        file.write(b"layout svp_pmu a%sb\nsource s%st\nrecord_size 128\nfield task_id offset 0 width 4\n".replace(b"%s", text))
    for form in ("table", "json"):
        run("layout with %s, %s" % (name, form), "kinds", "--layout", os.fsdecode(path), "--format", form, "svp_pmu")
    shutil.rmtree(folder)


def try_cluster(name, text):
    """Names of groups, operators, transports and steps that a framework's files give."""
    folder = os.path.join(work, "cluster")
    shutil.copytree(data, folder)
    word = json.dumps(text.decode("utf-8", "replace"))[1:-1].encode()  # by an escape of JSON
    raw = text if name != "newline" else word
    for one, other in ((b"default_group", b"default" + word), (b"hcom_broadcast_", b"hcom" + word), (b"hcom_allReduce_", b"hcom" + raw),
                       (b"HCCS", b"HC" + word), (b"group_name_0", b"g" + word), (b"tp", b"t" + word), (b"Computing", b"Comp" + raw)):
        for path in glob.glob(os.path.join(folder, "*", "**", "*.*"), recursive=True):
            if not path.endswith((".json", ".csv")) or (path.endswith(".csv") and other.endswith(word) and b"\\" in word):
                continue
            with open(path, "rb") as file:
                content = file.read()
            if one in content:
                with open(path, "wb") as file:
                    file.write(content.replace(one, other))
    run("cluster with %s" % name, "cluster", folder)
    run("cluster with %s, as JSON" % name, "cluster", "--format", "json", folder)
    check_tree("cluster with %s" % name, os.path.join(folder, "cluster_analysis_output"))
    shutil.rmtree(folder)


for name, text in PLANTED.items():
    try_capture(name, text)
    try_report(name, text)
    try_layout(name, text)
    try_cluster(name, text)
for line in sorted(set(found)):
    print(line)
