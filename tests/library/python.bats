#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# import msprof: captures in Python.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository and scratch

load ../cli/common

setup() {
    needs python3
    enter_scratch
    copy_capture JOBX
    export PYTHONPATH=$repository/python:$BATS_TEST_DIRNAME MSPROF_LIBRARY=$repository/build/release/libmsprof.so.1
}

@test "tables, queries and answers are those of the program" {
    python3 - "$MSPROF" <<'END'
import json, subprocess, sys
import msprof

def shown(*arguments):
    return json.loads(subprocess.run([sys.argv[1], *arguments], capture_output=True, check=True, text=True).stdout)

with msprof.open("JOBX") as capture:
    rows = shown("show", "JOBX", "--table", "ops", "--format", "json")
    assert [dict(zip(rows[0], row)) for row in capture.table("ops")] == rows
    assert capture.table("ops", columns=["name", "total"], filter=["total > 100us", "name~r*"], sort="-total", top=3).to_dict() == {
        "name": [row["Name"] for row in rows if row["Total(us)"] > 100 and row["Name"][0] == "r"][:3],
        "total": [row["Total(us)"] for row in rows if row["Total(us)"] > 100 and row["Name"][0] == "r"][:3]}
    assert capture.sql("SELECT count(*) AS n, NULL AS absent FROM op").to_dict() == {"n": [248], "absent": [None]}
    assert capture.tables["ops"] == "Operators by time"
    assert capture.summary()["Steps"].startswith("4 ")
    assert capture.advise() == shown("advise", "JOBX", "--format", "json")
    assert capture.report("out") == "out/report.html" and len(capture.timeline("out")) == 3
    assert capture.family == "svp" and capture.records_decoded == 558 and capture.diagnostics == []
    with msprof.open("JOBX") as base:
        assert capture.diff(base) == shown("diff", "JOBX", "JOBX", "--format", "json") or capture.diff(base)["verdict"] == "ok"
assert "closed" in repr(capture)
END
}

@test "a notebook shows the figures of a capture and the rows of a table" {
    python3 - <<'END'
import msprof
capture = msprof.open("JOBX")
assert "<th>Cores</th><td>1</td>" in capture._repr_html_()
assert "<td>bbox_pred</td>" in capture.table("ops")._repr_html_()
assert repr(capture.table("ops", columns="name,count", top=1)).split() == ["name", "count", "bbox_pred", "4"]
END
}

@test "the notebook of five questions runs, and its answers are those of the program" {
    copy_family prof-910b PROF_1
    copy_family prof-910b PROF_0
    CAPTURE=PROF_1 BASE=PROF_0 python3 - "$repository/docs/five-questions.ipynb" "$MSPROF" <<'END'
import ast, json, subprocess, sys

def shown(*arguments):
    return json.loads(subprocess.run([sys.argv[2], *arguments, "--format", "json"], stdout=subprocess.PIPE, check=True, text=True).stdout)

names, results = {}, []
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        *statements, last = ast.parse("".join(cell["source"])).body
        exec(compile(ast.Module(statements, []), "cell", "exec"), names)
        results.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
_, ops, bound, gaps, findings, verdict, query = results
for result in (ops, bound, gaps, query):
    assert "<td>" in result._repr_html_()
def rows(table):
    return [[None if value == "N/A" else value for value in row.values()] for row in shown("show", "PROF_1", "--table", table._name, "--top", "10", "--columns", table._options.columns.decode())]
for table in (ops, bound, gaps):
    assert [list(row) for row in table] == rows(table), table
assert [finding[1] for finding in findings] == [finding["id"] for finding in shown("advise", "PROF_1")["findings"]] != []
assert verdict == "ok"
assert query.to_dict()["name"][0] == ops.to_dict()["name"][0]
END
}

@test "the bytes of a file are those that it has in a directory, and an exception of the one who takes them goes on" {
    copy_family prof-910b PROF_1
    mkdir temporary
    export TMPDIR=$scratch/temporary
    python3 - <<'END'
import os, re, msprof
capture = msprof.open("PROF_1")
def name_of(path): # without the second in which it was written
    return re.sub(r"[0-9]{14}", "", os.path.basename(path))
for what in ("timeline", "perfetto", "report", "db"):
    pieces = {}
    capture.export_bytes(what, lambda name, piece: pieces.setdefault(name_of(name), []).append(piece))
    written = capture.export(what, "out_" + what)
    assert sorted(pieces) == sorted(name_of(path) for path in written)
    for path in written:
        one = pieces[name_of(path)]
        assert one[-1] == b"" and b"".join(one[:-1]), path
        if what != "db":
            assert b"".join(one) == open(path, "rb").read(), path
asked = []
def refuse(name, piece):
    asked.append(name)
    raise OverflowError(name)
for what in ("report", "summary"):
    asked.clear()
    try:
        capture.export_bytes(what, refuse)
    except OverflowError as error:
        assert [str(error)] == asked, (error, asked)
    else:
        raise SystemExit("no exception")
assert capture.table("ops").columns # the next call goes on
assert os.listdir("temporary") == []
END
}

@test "a directory of layouts decodes what the installed ones do not" {
    python3 - <<'END'
import os, struct, msprof
path = "JOBX/data/aicore.0.1.1"
with open(path, "rb") as file:
    records = [struct.unpack_from("<6xH8xQ", *at) for data in [file.read()] for at in [(data, i) for i in range(0, len(data), 128)]]
with open(path, "wb") as file: # as no layout has it: task, cycles
    for task, cycles in records:
        file.write(struct.pack("<H6xQ52xI", task, cycles, 0x5a5a5a5a))
os.mkdir("layouts")
with open("layouts/own.layout", "w") as file:
    file.write("kind svp_pmu\nlayout own\nsize 72\nmagic offset 68 width 4 value 0x5a5a5a5a\n"
               "column task_id offset 0 width 2\ncolumn total_cycle offset 8 width 8\n")
def cycles(**options):
    return msprof.open("JOBX", **options).sql("SELECT count(*) AS n, sum(total_cycle) AS cycles FROM ai_core_task").to_dict()
true = {"n": [len(records)], "cycles": [sum(cycle for _, cycle in records)]}
assert cycles(results="without") != true
assert cycles(results="with", layouts="layouts") == true
try:
    msprof.open("JOBX", layouts="nowhere")
except msprof.Error as error:
    assert "nowhere" in str(error), error
else:
    raise SystemExit("no error")
END
}

@test "Arrow streams have the same values, and live on when the capture is closed" {
    expect_equal "$(python3 "$BATS_TEST_DIRNAME/read_arrow.py" JOBX 2>&1)" "" # nor is a destructor unhappy
}

@test "the ranks of a job together" {
    python3 "$repository/tests/cluster/rank_tables.py" make JOB 3
    python3 - "$MSPROF" <<'END'
import json, subprocess, sys
import msprof

def shown(*arguments):
    return json.loads(subprocess.run([sys.argv[1], "cluster", "JOB", *arguments, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)

told = []
verdicts = msprof.cluster("JOB", progress=lambda *what: told.append(what))
assert verdicts == shown() and verdicts["ranks"] and told[-1][1] == told[-1][2] == len(verdicts["ranks"])
assert msprof.cluster("JOB", "api_sum")["rows"] == shown("--table", "api_sum") != []
for arguments, kind in ((("JOB", "nothing"), msprof.UsageError), (("JOBX",), msprof.NotFoundError), (("nowhere",), msprof.NotFoundError)):
    try:
        msprof.cluster(*arguments)
    except kind:
        pass
    else:
        raise SystemExit("no error")
END
}

@test "arguments that C would misread are exceptions, and so is what the function of progress raises" {
    python3 "$repository/tests/cluster/rank_tables.py" make JOB 1
    python3 - <<'END'
import msprof
capture = msprof.open("JOBX")
def fail(what, done, total):
    raise OverflowError(what)
for call, kind in ((lambda: msprof.open("JOBX\0Y"), ValueError), (lambda: capture.table("ops\0x").columns, ValueError),
                   (lambda: list(capture.sql("SELECT 1\0 FROM nothing")), ValueError), (lambda: capture.table("ops", top=-1), ValueError),
                   (lambda: capture.table(5).columns, TypeError), (lambda: capture.export("db\0", "out"), ValueError),
                   (lambda: msprof.open(None), msprof.UsageError), (lambda: msprof.cluster(None), msprof.UsageError),
                   (lambda: msprof.open("JOBX", again=True, progress=fail), OverflowError),
                   (lambda: msprof.cluster("JOB", progress=fail), OverflowError)):
    try:
        call()
    except kind:
        pass
    else:
        raise SystemExit(f"no {kind}")
capture.close()
for call in (lambda: capture.tables, lambda: list(capture.table("ops")), lambda: capture.summary(), lambda: capture.diff(capture)):
    try:
        call()
    except ValueError as error:
        assert "closed" in str(error)
    else:
        raise SystemExit("no error")
END
}

@test "DuckDB takes the same values" {
    duckdb=$repository/build/npm/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so
    [ -f "$duckdb" ] || skip "DuckDB is not installed (tools/test.sh --all fetches it)"
    copy_family prof-910b PROF_1
    for capture in JOBX PROF_1; do
        expect_equal "$(python3 "$BATS_TEST_DIRNAME/duckdb_arrow.py" "$duckdb" "$capture" ops op_summary gaps steps)" "the same"
    done
}

@test "errors are exceptions with a code and a hint" {
    python3 - <<'END'
import msprof
for call, kind, text in ((lambda: msprof.open("nowhere"), LookupError, "cannot find 'nowhere'"),
                         (lambda: msprof.open("JOBX").table("opps").columns, ValueError, "did you mean 'ops'"),
                         (lambda: msprof.open("JOBX").table("ops", columns="x").to_dict(), ValueError, "it has share, total"),
                         (lambda: list(msprof.open("JOBX").sql("DELETE FROM meta")), msprof.Error, "does more than read")):
    try:
        call()
    except msprof.Error as error:
        assert isinstance(error, kind) and text in str(error) and error.code < 0, error
    else:
        raise SystemExit("no error")
END
}

@test "Ctrl-C ends a query that does not end by itself, and the capture goes on" {
    cat >endless.py <<'END'
import msprof
capture = msprof.open("JOBX")
try:
    print("begun", flush=True)
    capture.sql("WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT sum(n) FROM more").to_dict()
except KeyboardInterrupt:
    print("interrupted", capture.sql("SELECT count(*) AS n FROM op").to_dict())
END
    # Shells start what runs beside them with the signal ignored.
    run timeout 60 python3 - <<'END'
import signal, subprocess, sys, time
program = subprocess.Popen([sys.executable, "endless.py"], stdout=subprocess.PIPE, text=True,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
assert program.stdout.readline() == "begun\n"
time.sleep(0.5)
program.send_signal(signal.SIGINT)
print(program.communicate()[0], end="")
END
    expect_equal "$output" "interrupted {'n': [248]}"
}

@test "the examples of the module's documentation are true" {
    python3 -c 'import doctest, msprof.reading, sys; sys.exit(doctest.testmod(msprof.reading).failed)'
}
