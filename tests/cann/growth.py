# SPDX-License-Identifier: Apache-2.0
# Grows captures of many shapes by four, runs every command on them, and holds that the work grows by 4.6 at most. Work is what
# is left without that of a small capture. A first look takes the time of the processor; what seems to grow faster is judged
# by instructions, which valgrind counts, as those of a busy machine are the same.
# growth.py MSPROF REPOSITORY SCRATCH cards|boards|frameworks|SHAPE...; GROWTH_INSTRUCTIONS=1: all of it by instructions, for hours
import glob, os, random, re, shutil, subprocess, sys

msprof, repository, scratch, *chosen = sys.argv[1:]
sys.path[:0] = [os.path.join(repository, 'tests', *folder) for folder in (('cann', 'lib'), ('lib',), ('opprof', 'lib'))]
sys.dont_write_bytecode = True
import capture, plant
from prof import ACL, NODE, Prof

SMALL, FIRST, MOST = 20, 2000, 4.6
os.chdir(scratch)
# On one processor there are no threads: which of them opens a database of its own would be a matter of luck, a fifth of the
# work of a small capture.
processors = sorted(os.sched_getaffinity(0))
os.sched_setaffinity(0, {processors[os.getpid() % len(processors)]})


# ---- captures since 2023: each function describes operator i of n

def cann(describe, **options):
    def make(path, n):
        prof = Prof(path, **options)
        describe(prof, n)
        prof.write()
    return make


def operators(name=lambda i, n: 'op%d' % (i % 50), launch=lambda i, n: 200 * i, stream=lambda i, n: 2, thread=lambda i, n: 1,
              ran=lambda i, n: (100000 + 200 * i, 100000 + 200 * i + 100), more=None, device=lambda i, n: 0):
    def describe(prof, n):
        counts = {}
        for i in range(n):
            on, where = stream(i, n), device(i, n)
            task = counts[where, on] = counts.get((where, on), 0) + 1
            prof.launch(launch(i, n), on, task & 0xffff, name(i, n), thread(i, n), batch=task >> 16, device=where)
            start, end = ran(i, n)
            prof.ran(start, end, on, task & 0xffff, device=where)
            if more is not None:
                more(prof, i, n, on, task & 0xffff, start, end)
    return describe


def tensors(prof, i, n, on, task, start, end):
    prof.tensors(200 * i + 90, 'op%d' % (i % 50), [(0, 2, 1, (i % 7, 3)), (1, 2, 1, (4, 5))])


def counters(prof, i, n, on, task, start, end):
    prof.pmu(start, end, on, task, 1000, range(8))


def memory(prof, i, n, on, task, start, end):  # none of it is given back
    prof.memory(200 * i + 90, 'op%d' % (i % 50), 4096 * i, 512, 512 * i, 1024 * i)


def calls(begin, end, thread=lambda i, n: 1):
    def describe(prof, n):
        operators()(prof, 50)
        for i in range(n):
            prof.call(ACL, 0x50001, 20000 + begin(i, n), 20000 + end(i, n), thread(i, n), prof.hash('call%d' % (i % 9)))
    return describe


def copies(prof, n):
    operators()(prof, 50)
    for i in range(n):
        prof.call(5000, 1, 20000 + 100 * i, 20000 + 100 * i + 80)
        prof.copy(20000 + 100 * i + 40, 64, 64, 1)
        prof.track(20000 + 100 * i + 50, 3, i & 0xffff, i >> 16, 'MEMCPY_ASYNC')
        prof.ran(200000 + 40 * i, 200000 + 40 * i + 20, 3, i & 0xffff, 2)


def collectives(groups):
    def describe(prof, n):
        for i in range(n):
            begin, group, name = 1000 * i, 'group%d' % (i % groups(n)), 'hcom_allReduce__%03d_%d_1' % (i % groups(n), i)
            prof.call(NODE, 5, begin, begin + 900, 1, prof.hash(name))
            prof.node(begin + 890, name, 'hcom_allReduce_', task_type=9)
            prof.collective(begin + 880, group)
            prof.call(5500, 10, begin + 100, begin + 800, 1, prof.hash('Memcpy'))
            prof.transfer(begin + 150, 'Memcpy', group, 0, size=1000)
            prof.track(begin + 150, 5, i & 0xffff, i >> 16, 'MEMCPY_ASYNC')
            prof.ran(100000 + 1000 * i, 100000 + 1000 * i + 600, 5, i & 0xffff, 2)
    return describe


def steps(prof, n):
    operators()(prof, n)
    for i in range(n // 4):
        prof.step(100000 + 800 * i, 0, 1, i + 1)
        prof.step(100000 + 800 * i + 760, 1, 1, i + 1)


def models(prof, n):
    operators()(prof, n)
    for i in range(n // 20):
        prof.model_name(20 * i, 'model%d' % i, i)
        prof.step(100000 + 800 * i, 0, i, 1)
        prof.step(100000 + 800 * i + 760, 1, i, 1)


def models_and_steps(prof, n):  # as many steps of each model as there are models, four operators in each
    side = max(1, int((n / 4) ** 0.5))
    operators()(prof, 4 * side * side)
    for model in range(side):
        prof.model_name(20 * model, 'model%d' % model, model)
        for step in range(side):
            begin = 100000 + 800 * (side * model + step)
            prof.step(begin, 0, model, step + 1)
            prof.step(begin + 760, 1, model, step + 1)


def flips(prof, n):
    operators()(prof, 50)
    for i in range(n):
        prof.host_flip(20000 + 100 * i, 2, i + 1)
        prof.flip(200000 + 100 * i, 2, i + 1)


def contexts(prof, n):
    operators()(prof, 50)
    for i in range(n // 10):
        prof.launch(20000 + 2000 * i, 4, i & 0xffff, 'split%d' % (i % 20), batch=i >> 16)
        prof.contexts(20000 + 2000 * i + 90, 'split%d' % (i % 20), range(10))
        for k in range(10):
            prof.ran_part(200000 + 2000 * i + 100 * k, 200000 + 2000 * i + 100 * k + 80, 4, i & 0xffff, k)


def frequencies(prof, n):
    operators()(prof, n)
    for i in range(0, n, 50):
        prof.frequency([(100000 + 200 * (i + k), 800 + 100 * (k % 3)) for k in range(50)])


def graphs(prof, n):
    operators()(prof, n)
    for i in range(n // 4):
        prof.capture(20 * i, 2, i)
        prof.capture(20 * i + 10, 2, i, ends=True)


def files(path, n):  # a file for each ten records
    cann(operators())(path, n)
    for name, size in (('unaging.compact.node_basic_info', 64), ('unaging.compact.task_track', 64), ('unaging.api_event.data', 40)):
        whole = os.path.join(path, 'host', 'data', name + '.slice_0')
        data = open(whole, 'rb').read()
        for k, at in enumerate(range(0, len(data), 10 * size)):
            open(whole[:-1] + str(k), 'wb').write(data[at:at + 10 * size])


# ---- boards and what was before 2023

def svp(path, n, layers=lambda n: n, inferences=lambda n: 1, equal=False, models=lambda n: 1, calls=lambda n: 100,
        name='layer%d', call=lambda i, n: (900000 + 100 * i, 960000 + 100 * i)):
    job = capture.Job(path)
    count = layers(n)
    for model in range(1, models(n) + 1):
        job.write('net.%d.layer.info' % model, [capture.layer(i, i, name % i if '%' in name else name) for i in range(count)] +
                  [capture.layer(count, 0, 'cpu', 'NMS', 'AI_CPU')])
        job.write('net.%d.net.info' % model, {'model_name': 'net', 'model_id': model, 'batch_num': 1})
        job.write('aicore.0.%d.1' % model, [capture.pmu(t, 600 * (t + 1) if not equal else 600, model, p)
                                            for p in range(inferences(n)) for t in range(count)])
        for p in range(inferences(n)):
            start = 1000000 if equal else 1000000 + 100000 * p
            job.write('aicore.0.net.%d.%d.1.%d.done' % (model, model, p), capture.done(start, start + 50000))
            job.write('aicpu.0.net.%d.%d.1.%d' % (model, model, p), [capture.aicpu(0, start, start + 7000)])
            job.write('aicpu.0.net.%d.%d.1.%d.done' % (model, model, p), capture.done(start, start + 7000, 128))
        job.write('acl_api.0.net.%d' % model, [
            capture.acl('svp_acl_mdl_execute', *((900000, 960000 + 100 * i) if equal else call(i, n))) for i in range(calls(n))])


def generated(script, *words, pattern='*'):
    def make(path, n):
        shutil.rmtree('made', ignore_errors=True)
        subprocess.run([sys.executable, '-B', os.path.join(repository, 'testdata', 'generate', 'cann', script), 'made',
                        *[str(word(n)) if callable(word) else word for word in words]], check=True, stdout=subprocess.DEVNULL)
        os.rename(glob.glob('made/' + pattern)[0], path)
    return make


def framework(kind, records):
    """What a framework recorded, so many times, beside a capture of CANN."""
    def make(path, n):
        shutil.copytree(os.path.join(repository, 'testdata', 'frameworks', 'run_ascend_' + kind), path)
        shutil.rmtree(glob.glob(path + '/PROF_*')[0])
        capture = path + '/PROF_000001_20250101000000001_GENGENGENGENGENG'
        cann(operators())(capture, n)
        log = os.path.join(capture, 'host', 'host_start.log')  # frameworks count by a counter of the host, which is not 0
        text = open(log).read()
        open(log, 'w').write(text.replace('cntvct: 0\n', 'cntvct: 1\n'))
        for name in records:
            name = os.path.join(path, 'FRAMEWORK', name)
            data = open(name, 'rb').read()
            open(name, 'wb').write(data * (n // 20))
    return make


def opprof(path, n):
    kernel = plant.Op('add', 'vector', 10.0, blocks=n)
    kernel.write(path, [plant.Row(block, 'vector0', cycles=9000 + block % 50, vec=900) for block in range(n)])


def raw_ranks(count, size):
    """Captures of ranks that were not analysed."""
    def make(path, n):
        os.mkdir(path)
        for rank in range(count(n)):
            prof = Prof(os.path.join(path, 'PROF_%06d' % rank))
            prof.configs['device_0'] = {'rank_id': rank}
            collectives(lambda n: 1)(prof, size(n))
            prof.write()
    return make


rank_maker = os.path.join(os.path.dirname(os.path.realpath(msprof)), 'make-ranks')


def ranks(**words):
    def make(path, n):
        subprocess.run([rank_maker, '--output', path] + [word for key, value in words.items() for word in ('--' + key, str(value(n)))],
                       check=True, stdout=subprocess.DEVNULL)
    return make


shuffled = {}


def anywhere(i, n):
    if n not in shuffled:
        shuffled[n] = list(range(n))
        random.Random(n).shuffle(shuffled[n])
    return shuffled[n][i]


shapes = {
    'plain': cann(operators()),
    'equal launches': cann(operators(launch=lambda i, n: 0)),
    'equal tasks': cann(operators(ran=lambda i, n: (100000, 200000), stream=lambda i, n: 1 + i % 1000)),
    'all tasks overlap': cann(operators(ran=lambda i, n: (100000 + 20 * i, 100000 + 20 * i + 20 * n), stream=lambda i, n: 1 + i % 1000)),
    'nested tasks': cann(operators(ran=lambda i, n: (100000 + 20 * i, 100000 + 40 * n - 20 * i), stream=lambda i, n: 1 + i % 1000)),
    'one name': cann(operators(name=lambda i, n: 'op')),
    'many names': cann(operators(name=lambda i, n: 'op%d' % i)),
    'long names': cann(operators(name=lambda i, n: 'x' * 200 + str(i))),
    'many streams': cann(operators(stream=lambda i, n: i % 60000)),
    'many threads': cann(operators(thread=lambda i, n: i + 1)),
    'any order': cann(operators(launch=lambda i, n: 200 * anywhere(i, n), ran=lambda i, n: (
        100000 + 200 * anywhere(i, n), 100000 + 200 * anywhere(i, n) + 100))),
    'tensors': cann(operators(more=tensors)),
    'counters': cann(operators(more=counters)),
    'memory': cann(operators(more=memory)),
    # as many as a host has: a call of the host may stand in a gap of each, so that gaps cost calls x devices
    'devices': cann(operators(device=lambda i, n: i % 16)),
    'calls one after another': cann(calls(lambda i, n: 100 * i, lambda i, n: 100 * i + 60)),
    'equal calls': cann(calls(lambda i, n: 0, lambda i, n: 100)),
    'overlapping calls': cann(calls(lambda i, n: 10 * i, lambda i, n: 10 * i + 10 * n)),
    'nested calls': cann(calls(lambda i, n: 10 * i, lambda i, n: 20 * n - 10 * i)),
    'open calls': cann(calls(lambda i, n: 10 * i, lambda i, n: 1 << 40)),
    'calls of many threads': cann(calls(lambda i, n: 10 * i, lambda i, n: 1 << 40, lambda i, n: i)),
    'copies': cann(copies),
    'collectives of a group': cann(collectives(lambda n: 1)),
    'collectives of many groups': cann(collectives(lambda n: n // 4)),
    'steps': cann(steps),
    'models': cann(models),
    'models x steps': cann(models_and_steps),
    'flips': cann(flips),
    'contexts': cann(contexts),
    'frequencies': cann(frequencies),
    'graphs': cann(graphs),
    'files': files,
    'chip 1': cann(operators(), chip=1),
    'svp layers': svp,
    'svp inferences': lambda path, n: svp(path, n, lambda n: 10, lambda n: n // 10),
    'svp equal': lambda path, n: svp(path, n, lambda n: 10, lambda n: n // 10, True),
    'svp calls': lambda path, n: svp(path, n, lambda n: 10, calls=lambda n: n),
    'svp nested calls': lambda path, n: svp(path, n, lambda n: 10, calls=lambda n: n, call=lambda i, n: (
        900000 + 10 * i, 900000 + 20 * n - 10 * i)),
    'svp overlapping calls': lambda path, n: svp(path, n, lambda n: 10, calls=lambda n: n, call=lambda i, n: (
        900000 + 10 * i, 900000 + 10 * i + 10 * n)),
    'svp one name': lambda path, n: svp(path, n, name='layer'),
    'svp models': lambda path, n: svp(path, n, lambda n: 10, models=lambda n: max(1, n // 200)),
    '2022': generated('make_2022.py', '--chip', '1', '--count', lambda n: n),
    '2022 one name': generated('make_2022.py', '--chip', '1', '--names', '1', '--count', lambda n: n),
    '2022 many names': generated('make_2022.py', '--chip', '1', '--names', lambda n: n, '--count', lambda n: n),
    '2022 files': generated('make_2022.py', '--chip', '1', '--slice-kb', '2', '--count', lambda n: n),
    '2022, 310': generated('make_2022.py', '--chip', '0', '--count', lambda n: n),
    'job steps': generated('make_job.py', '--steps', lambda n: max(2, n // 20), '--operators', '20'),
    'job operators': generated('make_job.py', '--steps', '3', '--operators', lambda n: n // 3),
    'opprof blocks': opprof,
    'pytorch ranges': framework('pt', ['torch.op_range', 'torch.op_mark']),
    'pytorch memory': framework('pt', ['torch.memory_usage']),
    'mindspore operators': framework('ms', []),
    'system samples': generated('make_system.py', '--count', '100', '--samples', lambda n: max(5, n // 10)),  # of each of many counters
    'ranks': ranks(ranks=lambda n: 2 + 3 * n // 2000,  # two are there in the small one, too, whose work is left out
                    steps=lambda n: 3, collectives=lambda n: 20),
    'rank collectives': ranks(ranks=lambda n: 4, steps=lambda n: 3, collectives=lambda n: n // 10),
    'rank steps': ranks(ranks=lambda n: 4, steps=lambda n: max(2, n // 100), collectives=lambda n: 5),
    'raw ranks': raw_ranks(lambda n: 2 + 6 * n // 2000, lambda n: 50),
    'raw ranks of many collectives': raw_ranks(lambda n: 2, lambda n: max(5, n // 10)),
}
captures = ['import --force', 'export summary', 'export timeline', 'export timeline --format pftrace',
            'export timeline --format speedscope', 'export flame --weight host', 'export flame --format svg', 'show', 'advise',
            'report -o page.html', 'diff', 'query']
of_others = {'boards': ('svp', 'job', '2022', 'opprof'), 'frameworks': ('pytorch', 'mindspore', 'rank', 'raw rank', 'system')}
intervals = ['show --table gaps', 'show --table overlap']  # of captures of CANN
commands = [  # of shapes whose names begin so
    ('raw rank', ['cluster', 'cluster --timeline', 'cluster --table p2p', 'cluster --table communication_sum']),
    ('rank', ['cluster', 'report -o page.html']), ('pytorch', ['analyse', 'cluster']), ('mindspore', ['analyse', 'cluster']),
    ('opprof', ['import --force', 'show', 'show --table blocks', 'advise', 'report -o page.html', 'diff', 'export timeline']),
    ('svp', captures), ('2022', captures), ('job', captures), ('', captures + intervals),
]


def is_chosen(shape):
    """Whether the arguments name the shape or its group: 'cards' is of those that no other group has."""
    group = next((name for name, beginnings in of_others.items() if shape.startswith(beginnings)), 'cards')
    return shape in chosen or group in chosen


def commands_of(shape):
    return next(those for beginning, those in commands if shape.startswith(beginning))


def line_of(command, path):
    return [msprof, *command.split(), '-q'] + [path] * (1 + (command == 'diff'))


def seconds(words):
    child = os.posix_spawn(words[0], words, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, 'errors', os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)])
    _, state, used = os.wait4(child, 0)
    status = os.waitstatus_to_exitcode(state)
    if status not in (0, 3, 4):
        sys.exit('%s: status %d: %s' % (' '.join(words), status, open('errors').read()[-300:]))
    return used.ru_utime + used.ru_stime


def instructions(words):
    done = subprocess.run(['valgrind', '--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null', *words],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return sum(int(number.replace(',', '')) for number in re.findall(r'I *refs: *([\d,]+)', done.stderr))


def forget(path):
    """Removes what cluster keeps of ranks for its next run."""
    shutil.rmtree(os.path.join(path, 'cluster_analysis_output'), ignore_errors=True)
    for where, _, names in os.walk(path):
        if '.msprof_cluster' in names:
            os.remove(os.path.join(where, '.msprof_cluster'))


def growth(measure, command, paths):
    for path in paths if command.startswith('cluster') else ():
        forget(path)
    small, first, last = (measure(line_of(command, path)) for path in paths)
    return (last - small) / max(first - small, 1e-9), last - small


always = bool(os.environ.get('GROWTH_INSTRUCTIONS'))
shapes_done, count, judged, worst, faults = 0, 0, 0, (0, ''), 0
for shape, make in shapes.items():
    if not is_chosen(shape) or 'rank' in shape and not os.path.exists(rank_maker):
        continue
    paths = ['capture_%d' % n for n in (SMALL, FIRST, 4 * FIRST)]
    for path, n in zip(paths, (SMALL, FIRST, 4 * FIRST)):
        make(path, n)
    shapes_done += 1
    for command in commands_of(shape):
        count += 1
        # Of the first look 1 ms is noise; 50 ms of growth nobody waits for. Times of a busy machine are too long, never too short
        factor, lasting = growth(seconds, command, paths)
        if not always and factor > 4 and lasting >= 0.05:
            factor, lasting = growth(lambda words: min(seconds(words) for _ in range(3)), command, paths)
        if not always and (factor <= 4.3 or lasting < 0.05):
            continue
        factor, lasting = growth(instructions, command, paths)
        # A quiet machine takes 50 ms for these. A second worker, who comes if the first is slow, opens the database for a tenth of
        # them
        if not always and lasting < 100_000_000:
            continue
        judged += 1
        worst = max(worst, (factor, '%s of %s' % (command, shape)))
        if factor > MOST:
            faults += 1
            print('%s of %s: grows by %.2f when the capture grows by 4' % (command, shape, factor), file=sys.stderr, flush=True)
    for path in paths:
        shutil.rmtree(path)
print('%d pairs of %d shapes and a command; %d judged by instructions, the worst %.2f: %s' % (
    count, shapes_done, judged, *worst))
sys.exit(faults > 0 or count == 0)
