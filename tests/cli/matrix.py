# SPDX-License-Identifier: Apache-2.0
# Runs every command with every option on a capture of every family, and prints lines: family, command, exit status,
# files, and the options with which it is so. Beside that list it holds what is true of all: matrix.py MSPROF REPOSITORY SCRATCH
import collections, glob, json, os, re, shutil, subprocess, sys

msprof, repository, scratch = sys.argv[1:]
families = {
    'svp': 'resnet50/JOB*', 'svp-models': 'small/JOB*', 'job': 'cann/job-910a/JOB*', '2022': 'cann/2022-910a/PROF*',
    '2022-310': 'cann/2022-310/PROF*', 'cann-910a': 'cann/prof-910a/PROF*', 'cann': 'cann/prof-910b/PROF*',
    'system': 'cann/system-910b/PROF*', 'mindspore': 'frameworks/run_ascend_ms', 'pytorch': 'frameworks/run_ascend_pt',
}
# Options with words have each word; others values that exist in these captures, or in none.
exports = [''] + ['--stable-names', '--clear', '--cann-version 8.0', '--database plain', '--freq-mhz 500', '-v', '--strict']
timelines = ['--format ' + f for f in ('json', 'json.gz', 'pftrace', 'pftrace-raw')]
timelines += ['--split ' + s for s in ('time=1ms', 'time=10s', 'size=20KB', 'size=200MB', 'iteration')]
timelines += [f + ' --split ' + s for f in timelines[1:3] for s in ('time=1ms', 'size=20KB')]
timelines += ['--from 1us', '--until 1s', '--from 1us --until 2ms', '--from 1us --split time=1ms', '--from 9000s', '--trace-compat',
              '--reports ascend', '--reports cann', '--iteration-id 1', '--model-id 1 --iteration-id 1', '--iteration-id 1 --iteration-count 2']
iterations = ['--model-id 1', '--iteration-id 1', '--iteration-id 1 --iteration-count 2']
commands = {
    'import': ['', '--database plain', '--freq-mhz 500', '--strict', '--cluster'],
    'export timeline': exports + timelines,
    'export summary': exports + ['--format csv', '--format json', '--columns guide', '--columns vendor', '--spreadsheet-safe'] + iterations,
    'export flame': exports + ['--format svg'] + ['--weight ' + w for w in ('device', 'host', 'count')],
    'show': ['', '--table api', '--table list', '--top 3', '--sort total,desc --table api',
             '--peak-flops 300 --peak-bandwidth 1000'] + ['--table api --format ' + f for f in ('csv', 'json', 'markdown')],
    'advise': [''] + ['--format ' + f for f in ('json', 'markdown', 'html')] + ['--fail-on high', '--threshold idle:50', '--list'],
    'diff': [''] + ['--by ' + b for b in ('type', 'shape', 'layer', 'stream', 'step', 'api', 'line')] +
            ['--format ' + f for f in ('json', 'csv', 'markdown', 'html')] + ['--save base.json', '--gate step_time:+5%', '--top 2', '--drift 3'],
    'report': ['', '--format markdown', '--redact', '--diff SELF', '--peak-flops 300'],
    'query': ['', '--id 0', '--data-type 0', '--data-type 1', '--model-id 1'],
    'analyse': ['', '--rule communication', '--rule communication_matrix', '--rule communication --type db', '--export db',
                '--export text,db', '--pretty', '--relative-times', '--step-list 1', '--force'],
    'cluster': ['', '--timeline', '--detail', '--ranks 0', '--step 0'],
    'replay': ['--speed max', '--speed max --names names'],
}
os.chdir(scratch)
wrong = 0
lines = {}


def files_below(directory):
    names = collections.Counter()
    for where, _, found in os.walk(directory):
        inside = os.path.relpath(where, directory)
        if inside.split('/')[-1] in ('log', 'sqlite'):
            continue
        for name in found:
            path = os.path.join(where, name)
            if name.endswith('.json'):
                json.load(open(path))
            if name.startswith('.msprof') or os.path.getsize(path) == 0:
                names[inside + '/' + name] += name not in ('.msprof', '.msprof_cluster.files', 'analyse.done')
            else:
                names[re.sub(r'[0-9]+', 'N', name)] += 1
    return ' '.join('%s*%d' % item if item[1] > 1 else item[0] for item in sorted(names.items()) if item[1])


def run(family, capture, command, options):
    global wrong
    shutil.rmtree('out', ignore_errors=True)
    os.mkdir('out')
    out = '-o out/page' if command == 'report' else '--results' if command == 'report' else '--output out/results'
    words = [msprof] + command.split() + options.replace('SELF', capture).split() + out.split()
    if command == 'report':
        words += ['--results', 'out/results']
    if command == 'diff':
        words += [capture] if '--save' in options else [capture, capture]
    else:
        words += [capture]
    if command == 'replay':
        words += ['--fd', '1']
    words = [w.replace('base.json', 'out/base.json') for w in words]
    words = ['out/names' if w == 'names' else w for w in words]
    done = subprocess.run(words, capture_output=True, timeout=60)
    lines.setdefault((family, command, done.returncode, files_below('out')), []).append(options or 'no option')
    # a capture and options that fit together never fail; a data problem is told, and nothing to say is said
    told = done.stderr.decode()
    faults = [done.returncode not in (0, 2, 3, 4, 6) and 'strict' not in options and 'fails',
              b'SQL' in done.stderr and 'speaks of SQL', done.returncode in (2, 3, 4) and not told and 'says nothing',
              done.returncode == 4 and command.startswith('export') and 'try: ' not in told and 'does not say what to do',
              'iteration' in options and done.returncode == 4 and 'iteration' not in told and 'does not speak of iterations',
              done.returncode == 0 and command.startswith(('export', 'report', 'analyse')) and not files_below('out') and 'wrote nothing']
    for fault in filter(None, faults):
        wrong += 1
        sys.stderr.write('%s: %s %s: %s (%d): %s\n' % (family, command, options, fault, done.returncode, told[-300:]))


for family, pattern in families.items():
    source = glob.glob(os.path.join(repository, 'testdata', pattern))[0]
    capture = os.path.join(scratch, os.path.basename(source))
    shutil.rmtree(capture, ignore_errors=True)
    shutil.copytree(source, capture)
    for command, options in commands.items():
        for option in options:
            run(family, capture, command, option)
for (family, command, status, files), options in lines.items():
    print('%s | %s | %d | %s | %s' % (family, command, status, files, ', '.join(options)))
sys.exit(wrong > 0)
