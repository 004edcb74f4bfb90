# SPDX-License-Identifier: Apache-2.0
"""One run of msprof on a capture, and what came of it."""
import hashlib
import os
import re
import shutil
import sqlite3
import subprocess

TOLD = re.compile(r"\b(warning|error|note)\b", re.IGNORECASE)
OWN_TABLES = {"meta", "diagnostics", "source_file", "sqlite_sequence", "record_count", "answer", "answer_row"}
# Texts and sets of tensors that rows share: how many different ones there are is no loss.
SHARED = {"name", "tensor_set"}


class Outcome:
    """Of import and the summary: the status, what was told, how many rows and values every table has, and the outputs."""

    def __init__(self, msprof, capture, output, environment=None, timeline=False, umask=None):
        shutil.rmtree(output, ignore_errors=True)
        self.status, self.said, self.outputs = 0, "", {}
        for report in ("summary", "timeline") if timeline else ("summary",):
            done = subprocess.run([msprof, "export", report, "--output", output, "-dir", capture], check=False,
                                  capture_output=True, text=True, errors="replace", env=environment,
                                  umask=-1 if umask is None else umask)
            self.status = max(self.status, done.returncode)
            self.said += done.stderr
        self.tables, self.problems, self.files = {}, {}, {}
        database = os.path.join(output, "sqlite", "runtime.db")
        self.database = database if os.path.exists(database) else None
        if self.database is not None:
            self.read_database()
        self.read_outputs(output)

    def read_database(self):
        connection = sqlite3.connect("file:%s?mode=ro" % self.database, uri=True)
        connection.text_factory = bytes
        names = [row[0].decode() for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in set(names) - OWN_TABLES - SHARED:
            columns = [row[1].decode() for row in connection.execute('PRAGMA table_info("%s")' % name)]
            if connection.execute('SELECT 1 FROM "%s" LIMIT 1' % name).fetchone() is None:
                continue
            counts = connection.execute("SELECT count(*), %s FROM \"%s\"" % (
                ", ".join('count("%s")' % column for column in columns), name)).fetchone()
            self.tables[name] = dict(zip(["*"] + columns, counts))
        for code, count in connection.execute("SELECT code, sum(n) FROM (SELECT code, file, max(occurrences) AS n"
                                              " FROM diagnostics GROUP BY code, file) GROUP BY code"):
            self.problems[code.decode()] = count
        # These name one file or record; others count what there is in all.
        for code, message in connection.execute("SELECT code, message FROM diagnostics"
                                                " WHERE code = 'file-absent' OR code LIKE 'record-%'"):
            self.problems[code.decode() + message.decode()] = 1
        self.files = {path.decode(): (decoded, rejected) for path, decoded, rejected in connection.execute(
            "SELECT path, records_decoded, records_rejected FROM source_file")}
        connection.close()

    def values(self, table, column):
        """The sorted values of a column."""
        connection = sqlite3.connect("file:%s?mode=ro" % self.database, uri=True)
        rows = [row[0] for row in connection.execute('SELECT "%s" FROM "%s"' % (column, table))]
        connection.close()
        return sorted(row for row in rows if isinstance(row, int))

    def read_outputs(self, output):
        for folder, _, names in os.walk(output):
            if os.path.basename(folder) in ("sqlite", "log"):
                continue
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    self.outputs[re.sub(r"_\d{14,17}(?=\.)", "", name)] = hashlib.sha256(file.read()).hexdigest()

    def tells_more_than(self, sound):
        """Whether a problem or note is there that the sound capture has not, or oftener."""
        return self.database is None or self.status not in (sound.status, 0) or any(
            count > sound.problems.get(code, 0) for code, count in self.problems.items())

    def mends(self, sound):
        """Whether a record that the sound capture's own tool damaged, as fixtures have them, is sound by the change: fewer are
        rejected, every file has as many records, and nothing is gone."""
        rejected = [sum(of_file[1] for of_file in outcome.files.values()) for outcome in (self, sound)]
        records = [{path: sum(of_file) for path, of_file in outcome.files.items()} for outcome in (self, sound)]
        return rejected[0] < rejected[1] and records[0] == records[1] and all(
            count <= self.tables.get(table, {}).get(column, 0)
            for table, columns in sound.tables.items() for column, count in columns.items())

    def lost_against(self, sound):
        """Tables whose numbers of rows or values are others: "device_task.op_name_id 10 -> 9"."""
        found = []
        for table in sorted(set(self.tables) | set(sound.tables)):
            here, there = self.tables.get(table, {}), sound.tables.get(table, {})
            for column in sorted(set(here) | set(there)):
                if here.get(column, 0) != there.get(column, 0):
                    found.append("%s.%s %d -> %d" % (table, column, there.get(column, 0), here.get(column, 0)))
        return found
