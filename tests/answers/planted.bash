# SPDX-License-Identifier: Apache-2.0
# Captures of programs in which one thing is planted, for bats.
# shellcheck shell=bash disable=SC2154 # run_msprof sets status

# A capture of the program that the Python on standard input describes as p, imported. Further words are arguments of its
# Program.
program() {
    local path=$1
    shift
    rm -rf "$path"
    {
        printf 'import sys\nsys.path.insert(0, "%s")\nfrom program import *\np = Program("%s"%s)\n' \
            "$repository/tests/cann/lib" "$path" "${1:+, $1}"
        cat
        printf 'p.write()\n'
    } >make.py
    python3 make.py
    run_msprof import -q "$path"
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

json() {
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$BATS_TEST_TMPDIR/stdout" "$1"
}

# Ten operators without marks, in steps that differ as the Python $2 says of o, a dictionary of what an operator is.
unmarked() {
    program "$1" <<PY
NAMES = ['MatMul', 'Add', 'LayerNorm', 'Gelu', 'Softmax'] * 2
for step in range(12):
    for i, kind in enumerate(NAMES):
        o = dict(name='l%d/%s' % (i // 5, kind), kind=kind, us=50, gap=1, before=None, shape=None)
        $2
        if o['before']:
            p.late()
            p.host = p.at + 1000 * o['before'][1] + 2000
            p.call(o['before'][0], p.at + 1000, p.at + 1000 + 1000 * o['before'][1], thread=1)
            o['gap'] = o['before'][1] + 4
        at = p.host
        p.op(o['name'], o['kind'], o['us'], gap=o['gap'])
        if o['shape']:
            p.prof.tensors(at + 90, o['name'], [(0, 2, 1, o['shape']), (0, 2, 1, o['shape']), (1, 2, 1, o['shape'])])
PY
}
