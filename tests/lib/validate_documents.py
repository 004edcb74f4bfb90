# SPDX-License-Identifier: Apache-2.0
"""Every JSON document that msprof writes of captures against the schemas that it installs.

usage: validate_documents.py MSPROF SCHEMAS SCRATCH CAPTURE...
Prints how many documents of each schema were valid; the first that is not ends it with status 1.
"""

import collections
import glob
import json
import os
import subprocess
import sys

import jsonschema

ROWS = ("op", "type", "shape", "layer", "stream", "step", "api")


class Documents:
    def __init__(self, program, schemas):
        self.program = program
        self.validators = {}
        for path in sorted(glob.glob(os.path.join(schemas, "*.json"))):
            with open(path, encoding="utf-8") as file:
                schema = json.load(file)
            jsonschema.Draft202012Validator.check_schema(schema)
            name, number = os.path.basename(path)[:-5].rsplit(".", 1)
            self.validators[name] = number, jsonschema.Draft202012Validator(schema)
        self.valid = collections.Counter()

    def run(self, *arguments):
        result = subprocess.run([self.program, *arguments], capture_output=True, check=False)
        return result.returncode, result.stdout.decode("utf-8")

    def check(self, name, text, origin):
        """Strictly: no NaN, no key twice."""

        def unique(pairs):
            keys = [key for key, _ in pairs]
            if len(set(keys)) != len(keys):
                sys.exit(f"{origin}: a key is there twice: {keys}")
            return dict(pairs)

        def refuse(word):
            sys.exit(f"{origin}: {word} is no JSON")

        try:
            document = json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
        except json.JSONDecodeError as error:
            sys.exit(f"{origin}: {error}: {text[max(0, error.pos - 60):error.pos + 20]}")
        number, validator = self.validators[name]
        for error in validator.iter_errors(document):
            sys.exit(f"{origin}: not valid by {name}.{number}.json at {error.json_path}: {error.message[:400]}")
        says = document.get("schema", f"msprof.{name}/{number}") if isinstance(document, dict) else None
        if says not in (None, f"msprof.{name}/{number}"):
            sys.exit(f"{origin}: says that it is {says}")
        self.valid[name] += 1
        return document

    def check_output(self, name, *arguments):
        status, text = self.run(*arguments)
        if text == "":
            return None
        return self.check(name, text, f"msprof {' '.join(arguments)} (status {status})")

    def check_tables(self, capture):
        for line in self.run("show", capture, "--table", "list")[1].splitlines():
            if not line[:1].islower():
                continue
            table = line.split()[0]
            rows = self.check_output("table", "show", capture, "--table", table, "--format", "json")
            if not rows:
                continue
            header = self.run("show", capture, "--table", table, "--format", "csv")[1].splitlines()[0]
            if header.count(",") + 1 != len(rows[0]) or any(set(row) != set(rows[0]) for row in rows):
                sys.exit(f"{capture}: keys of the table {table} are not the columns of its CSV: {header}")

    def check_summaries(self, capture, scratch):
        self.run("export", "summary", capture, "--format", "json", "--output", scratch)
        for path in glob.glob(os.path.join(scratch, "**", "*.json"), recursive=True):
            with open(path, encoding="utf-8") as file:
                self.check("table", file.read(), path)


def main():
    documents = Documents(sys.argv[1], sys.argv[2])
    scratch, captures = sys.argv[3], sys.argv[4:]
    for number, capture in enumerate(captures):
        documents.check_output("doctor", "doctor", capture, "--format", "json")
        documents.check_output("advice", "advise", capture, "--format", "json")
        for by in ROWS:
            documents.check_output("diff", "diff", capture, captures[0], "--by", by, "--allow-incomparable", "--format", "json")
        gates = [word for gate in ("step_time:+3%", "busy:+1%", "op:*:+5%") for word in ("--gate", gate)]
        documents.check_output("diff", "diff", captures[0], capture, *gates, "--allow-incomparable", "--top", "2", "--format", "json")
        baseline = os.path.join(scratch, f"baseline{number}.json")
        documents.run("diff", "--base", capture, "--save", baseline)
        if os.path.exists(baseline):
            with open(baseline, encoding="utf-8") as file:
                documents.check("samples" if "OPPROF" in capture else "baseline", file.read(), baseline)
        documents.check_tables(capture)
        documents.check_summaries(capture, os.path.join(scratch, str(number)))
    documents.check_output("advice", "advise", *captures, "--format", "json")
    operators = [capture for capture in captures if "OPPROF" in capture]
    if len(operators) > 1:
        documents.check_output("measures", "diff", *operators[:2], "--format", "json")
    ranks = os.path.join(scratch, "ranks")
    planting = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cluster", "rank_tables.py")
    subprocess.run([sys.executable, planting, "make", ranks, "1"], check=True)
    documents.check_output("cluster", "cluster", ranks, "--format", "json")
    documents.check_output("rules", "advise", "--list", "--format", "json")
    documents.check_output("kinds", "kinds", "--format", "json")
    documents.check_output("op_metrics", "options", "--op", "--format", "json")
    documents.check_output("doctor", "doctor", "--format", "json")
    for options in sys.stdin.read().splitlines():
        path = os.path.join(scratch, "options.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(options)
        for chip in ([], ["--chip", "5"]):
            documents.check_output("options", "options", path, *chip, "--format", "json")
    for name in documents.validators:
        print(name, documents.valid[name])
        if documents.valid[name] == 0:
            sys.exit(f"no document of the schema {name} was seen")


main()
