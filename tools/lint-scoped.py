#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names what is released at the end of its scope, but has no value yet at a return before that.

usage: lint-scoped.py [FILE...]

A variable that is declared with SCOPED(...) and without a value is released by every return that follows, so it is made
before the first of them. Compilers do not see this: the release takes the variable's address."""
import os
import re
import sys

FOLDERS = ['acl', 'api', 'base', 'cli', 'db', 'exporters', 'features', 'parsers', 'ssh', 'tests']
DECLARED = re.compile(r'\s*SCOPED\(\w+\) (?:const )?(?:struct )?\w+ \*?(\w+(?:, \*?\w+)*);')


def sources():
    for folder in FOLDERS:
        for path, _, names in os.walk(folder):
            yield from (os.path.join(path, name) for name in names if name.endswith('.c'))


def returns_before(lines, start, name):
    """The number of the first return before the variable is named; 0: there is none."""
    word = re.compile(r'\b%s\b' % name)
    for number in range(start, len(lines)):
        if lines[number].startswith('}') or word.search(lines[number]):
            return 0
        if re.search(r'\breturn\b', lines[number]):
            return number + 1
    return 0


def main():
    found = 0
    for path in sys.argv[1:] or sorted(sources()):
        with open(path, encoding='utf-8') as file:
            lines = file.read().split('\n')
        for number, line in enumerate(lines):
            declared = DECLARED.match(line)
            for name in re.findall(r'\w+', declared.group(1)) if declared else []:
                at = returns_before(lines, number + 1, name)
                if at > 0:
                    print('%s:%d: "%s" is released by this return before it has a value' % (path, at, name))
                    found += 1
    return 1 if found > 0 else 0


if __name__ == '__main__':
    sys.exit(main())
