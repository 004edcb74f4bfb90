# SPDX-License-Identifier: Apache-2.0
# Puts a file of the user's in the place of each file that a command writes, and one into each directory that it makes; then
# runs the command. Each of these contents is still there afterwards, under its name or beside it, or the command is refused
# and has touched nothing. The results of a run before are changed by hand, and its databases get a table more, with the like.
# kept_files.py MSPROF REPOSITORY SCRATCH; prints how many files were put there, of how many commands
import glob, os, shutil, sqlite3, subprocess, sys

msprof, repository, scratch = sys.argv[1:]
families = {
    'svp': 'small/JOB*', 'job': 'cann/job-910a/JOB*', '2022': 'cann/2022-910a/PROF*', 'cann': 'cann/prof-910b/PROF*',
    'system': 'cann/system-910b/PROF*', 'mindspore': 'frameworks/run_ascend_ms', 'pytorch': 'frameworks/run_ascend_pt',
}
everywhere = ['import', 'import --force', 'export summary --stable-names', 'export timeline --stable-names', 'export flame',
              'export timeline --stable-names --format json.gz', 'export summary --stable-names --format json',
              'export timeline --stable-names --split time=1ms', 'export summary --stable-names --output out',
              'import --output out', 'report -o out/page.html', 'report --results out', 'advise -o out/advice.html --format html',
              'diff --save out/base.json', 'show --output out', 'cluster --output out', 'cluster --timeline --output out']
commands = {
    'svp': everywhere + ['export summary --stable-names --clear'],
    'cann': everywhere + ['export db', 'export summary --stable-names --merge', 'export timeline --stable-names --merge',
                          'replay --fd 1 --speed max --names out/names', 'options --output out'],
    'mindspore': ['analyse', 'analyse --output out', 'cluster', 'analyse --simplify', 'cluster --timeline', 'analyse --force'],
    'pytorch': ['analyse', 'analyse --output out', 'analyse --export text,db', 'cluster', 'cluster --timeline',
                'analyse --simplify', 'analyse --rule communication', 'analyse --force --export text,db'],
}
os.chdir(scratch)
faults, placed, run_count = 0, 0, 0


def fresh(source):
    for name in os.listdir('.'):
        shutil.rmtree(name) if os.path.isdir(name) and not os.path.islink(name) else os.remove(name)
    shutil.copytree(source, os.path.basename(source))
    os.mkdir('out')


def files():
    return {os.path.join(where, name) for where, _, names in os.walk('.') for name in names}


def contents():
    return {open(path, 'rb').read(): path for path in files()}


def run(command, capture):
    words = command.split()
    if '--merge' in words:
        words = [w for w in words if w != '--merge'] + ['--merge', capture, '--output', 'out']
    else:
        words += [capture]
    return subprocess.run([msprof, *words], capture_output=True, timeout=120)


def is_own(path, command):  # a name of msprof's own, or one that the command was given
    name = os.path.basename(path)
    return '/log/' in path or '/.ranks/' in path or name.startswith('.msprof') or path[2:] in command.split()


def is_named(command):  # files that the user names, or that --force is for
    words = command.split()
    return '--force' in words and words[0] == 'analyse' or any(w in words for w in ('-o', '--save', '--names'))


def check(what, done, users, before):
    global faults
    there = contents()
    lost = [path for path, content in users.items() if content not in there]
    if what.endswith(' --force') or '--force ' in what and '(' not in what:  # files of the names that it writes are replaced
        lost = [path for path in lost if '/ASCEND_PROFILER_OUTPUT/' not in path or path.endswith('notes.txt')]
    touched = sorted(path for path in files() ^ before if not is_own(path, what))
    if lost:
        faults += 1
        print('%s: status %d: lost %s: %s' % (what, done.returncode, ' '.join(lost), done.stderr.decode()[-300:]), file=sys.stderr)
    elif done.returncode == 2 and touched:
        faults += 1
        print('%s: refused, but %s' % (what, ' '.join(touched)), file=sys.stderr)


def put(users):
    global placed
    for path, content in users.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(content)
        os.utime(path, (1, 1))
        placed += 1


for family, pattern in families.items():
    source = glob.glob(os.path.join(repository, 'testdata', pattern))[0]
    capture = os.path.basename(source)
    for command in commands.get(family, everywhere):
        what = family + ': ' + command
        fresh(source)
        before = files()
        done = run(command, capture)
        made = sorted(path for path in files() - before if not is_own(path, command))
        if not made:
            continue
        run_count += 1
        directories = {os.path.dirname(path) for path in made}
        # by hand, after a run of its own
        users = {path: b'changed by hand ' + path.encode() for path in made}
        put(users)
        check(what + ' (changed)', run(command, capture), users, files())
        # databases with a table more, with the journal of a program that did not end
        fresh(source)
        run(command, capture)
        users = {}
        for path in (path for path in made if path.endswith('.db')):
            with sqlite3.connect(path) as database:
                database.execute("CREATE TABLE mine AS SELECT 'precious' AS value")
            database.close()
            users[path] = open(path, 'rb').read()
            users[path + '-wal'] = b'the log of ' + path.encode()
            open(path + '-wal', 'wb').write(users[path + '-wal'])
            placed += 1
        check(what + ' (databases)', run(command, capture), users, files())
        # what programs that did not end have left of databases that are gone
        fresh(source)
        users = {path + ending: b'what is left of ' + path.encode() for path in made if path.endswith('.db')
                 for ending in ('-wal', '-journal')}
        put(users)
        check(what + ' (journals)', run(command, capture), users, files())
        # of another program, before it
        fresh(source)
        users = {path: b'precious ' + path.encode() for path in made}
        users.update({os.path.join(where, 'notes.txt'): b'notes in ' + where.encode() for where in directories})
        put(users)
        check(what, run(command, capture), users, files())
        # links in the place of what it makes, to files of the user's
        fresh(source)
        users, links = {}, {}
        os.mkdir('users')
        for i, path in enumerate(path for path in made if not path.endswith('notes.txt')):
            users['./users/%d' % i] = b'precious %d' % i
            links[path] = os.path.realpath('users/%d' % i)
        put(users)
        for path, target in links.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(target, path)
        check(what + ' (links)', run(command, capture), users, files())
        lost = set(links.values()) - {os.readlink(path) for path in files() if os.path.islink(path)}
        if lost and not is_named(command):
            faults += 1
            print('%s: lost the links to %s' % (what, sorted(lost)), file=sys.stderr)
        # only the notes: the command is not stopped by what stands in a place of its own
        fresh(source)
        users = {path: content for path, content in users.items() if path.endswith('notes.txt')}
        put(users)
        check(what + ' (notes)', run(command, capture), users, files())
print('%d files in the places of what %d commands write' % (placed, run_count))
sys.exit(faults > 0)
