#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what 'msprof options' lists for one option alone against what export makes of a capture made with it alone.

usage: agree_options.py MSPROF TESTDATA

Which raw files an option leaves is the published account of the collector (docs/formats/options.md 4), not msprof's own
table. A capture with one option alone is one with all of them without the files of the others.
"""
import fnmatch
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys

from make_outputs import Maker
from prof import ACL, LAUNCH, NODE, RUNTIME
from prof_tx import TxProf

from timeline import read_timeline

ALWAYS = ['*/info.json*', '*/sample.json*', '*/start_info*', '*_start.log*', '*/end_info*', '*hash_dic*', '*type_info_dic*']
CALLS = ['*.api_event.*']
COMMUNICATION = ['*.hccl_info.*', '*.hccl_op_info.*']
LAUNCHES = CALLS + ['*.compact.task_track.*', '*.compact.node_basic_info.*', '*.compact.memcpy_info.*',
                    '*fusion_op_info*', '*graph_id_map*']
TASKS = LAUNCHES + ['*/stars_soc.data*', '*/hwts.data*', '*lpmFreqConv*']
SHAPES = TASKS + COMMUNICATION + ['*.tensor_info.*', '*.context_id_info.*']
STEPS = ['*/ts_track.data*']
# of programs: option, raw files
PROGRAM = [
    ({'task_trace': 'l0'}, [pattern for pattern in TASKS if 'node_basic_info' not in pattern]),
    ({'task_trace': 'on'}, SHAPES),
    ({'task_time': 'l1'}, SHAPES),
    ({'training_trace': 'on'}, STEPS),
    ({'hccl': 'on'}, CALLS + COMMUNICATION),
    ({'task_trace': 'on', 'training_trace': 'on', 'hccl': 'on'}, SHAPES + STEPS),
    ({'task_trace': 'on', 'aic_metrics': 'PipeUtilization'}, SHAPES + ['*ffts_profile*']),
    ({'aic_metrics': 'Memory'}, ['*ffts_profile*']),
    ({'msproftx': 'on'}, ['*.msproftx.*', '*mstx_memory*']),
    ({'runtime_api': 'on'}, CALLS),
    ({'ge_api': 'l0'}, CALLS),
    ({'acl': {'ascendcl': 'on'}}, CALLS),
    ({'acl': {'runtime_api': 'on'}}, CALLS),
    ({'acl': {'msproftx': 'on'}}, ['*.msproftx.*', '*mstx_memory*']),
    ({'acl': {'task_time': 'on'}}, SHAPES + STEPS),
    ({'acl': {'aic_metrics': 'PipeUtilization'}}, ['*ffts_profile*']),
]
# of samples
SYSTEM = [
    ({'aicpu': 'on'}, ['*/aicpu.data*', '*DATA_PREPROCESS*']),
    ({'l2': 'on'}, ['*/l2_cache.data*', '*socpmu*']),
    ({'task_memory': 'on'}, ['*task_memory_info*', '*static_op_mem*']),
    ({'sys_hardware_mem_freq': 50}, ['*/hbm.data*', '*/ddr.data*', '*/llc.data*', '*/npu_mem.data*', '*npu_module_mem*',
                                     '*/qos.data*', '*/stars_soc_profile.memory*']),
    ({'sys_io_sampling_freq': 50}, ['*/nic.data*', '*/roce.data*', '*netdev_stats*']),
    ({'sys_interconnection_freq': 50}, ['*/pcie.data*', '*/hccs.data*', '*/stars_soc_profile.links*']),
    ({'dvpp_freq': 50}, ['*/dvpp.data*']),
    ({'sys_cpu_freq': 50}, ['*ai_ctrl_cpu*', '*tscpu*']),
    ({'sys_lp_freq': 50}, ['*lpm*Conv*', '*low_power*']),
    ({'host_sys': 'cpu'}, ['*/host_cpu.data*']),
    ({'host_sys': 'mem'}, ['*/host_mem.data*']),
    ({'host_sys': 'disk'}, ['*/host_disk.data*']),
    ({'host_sys': 'network'}, ['*/host_network.data*']),
    ({'host_sys': 'osrt'}, ['*host_syscall*', '*host_pthreadcall*']),
    ({'host_sys_usage': 'cpu'}, ['*/host/data/*-CpuUsage*', '*host_sys_cpu*']),
    ({'host_sys_usage': 'mem'}, ['*/host/data/*-Memory*', '*host_sys_mem*']),
]
# of boards
BOARD_OFF = {'switch': 'on', 'interval': '0', 'aac_metrics': 'off', 'aacpu': 'off', 'acl_api': 'off'}
TABLES = ['*/*.layer.info', '*/*.net.info']
BOARD = [
    ({'svp': {'aac_metrics': 'ArithmeticUtilization'}}, TABLES + ['*/aicore.*']),
    ({'svp': {'aacpu': 'on'}}, TABLES + ['*/aicpu.*']),
    ({'svp': {'acl_api': 'on'}}, TABLES + ['*/acl_api.*']),
    ({'svp': {'aac_metrics': 'none', 'aacpu': 'on', 'acl_api': 'on'}}, TABLES + ['*/aicpu.*', '*/acl_api.*']),
]


def write_programs(path):
    """Operators with communication, fusion and copies; their metrics; iterations; marks; calls of every level."""
    maker = Maker(path, 1)
    prof = maker.prof = TxProf(path)
    for model in (1, 2):
        maker.load(model)
    for _ in range(100):
        maker.random.choice([maker.compute, maker.compute, maker.communicate, maker.copy])()
    prof.call(ACL, 0x50001, 10, 90)
    prof.pmu(100_000, 101_000, 1, 1, 1000, [100] * 8)
    for time, tag in ((90_000, 0), (100_000, 2), (150_000, 3), (400_000, 1)):
        prof.step(time, tag, 1)
    prof.frequency([(0, 1800)])
    prof.tx(500, 900, 'load')
    for event, at, region in ((1, 600, 0), (3, 700, 1)): # a heap and a region of it, by docs/formats/acl-api.md
        prof._add(prof.host, 'unaging.additional.mstx_memory', struct.pack(
            '<HHIIIQQQQQQIIQ', 0x5a5a, 20500, event, 1, 56, prof.host_tick(at), 1, region, 4096, 4096, 0, 0, 77, 0), 80)
    prof.write()


def divide_by_switch(path):
    """The device's stars_soc_profile.data holds what two options leave: a file for each, to choose from. Accelerators and
    the bandwidth inside, of which the capture has none, are written by docs/formats/system.md 7."""
    directory = os.path.join(path, 'device_0', 'data')
    name = 'stars_soc_profile.data.0.slice_0'
    with open(os.path.join(directory, name), 'rb') as file:
        data = file.read()
    parts = {'memory': b'', 'links': b''}
    for at in range(0, len(data), 64):
        record = data[at:at + 64]
        parts['links' if record[0] & 0x3f in (0x19, 0x1b) else 'memory'] += record
    first = data[:64]
    time = struct.unpack_from('<Q', first, 8)[0]
    for i in range(4):
        head = struct.pack('<HHIQ', 0x1a, 0x6bd3, 0, time + 1000 * i)
        parts['memory'] += head + struct.pack('<HHI8x4Q', 0, 1, 0, 10 + i, 20, 3, 4)
        head = struct.pack('<HHIQ', 0x1c, 0x6bd3, 0, time + 1000 * i)
        parts['memory'] += head + struct.pack('<16xH30x', 3 << 3 | 2)
    os.remove(os.path.join(directory, name))
    for part, content in parts.items():
        with open(os.path.join(directory, name.replace('.data', '.' + part)), 'wb') as file:
            file.write(content)


def join_name(name):
    return re.sub(r'stars_soc_profile\.(memory|links)', 'stars_soc_profile.data', name)


def with_files(whole, path, patterns):
    shutil.copytree(whole, path)
    for directory, _, names in os.walk(path):
        for name in names:
            file = os.path.join(directory, name)
            if any(fnmatch.fnmatch(file, pattern) for pattern in ALWAYS + patterns):
                os.rename(file, os.path.join(directory, join_name(name)))
            else:
                os.remove(file)


def set_level(path, level):
    """Says it as a collection does."""
    for name in glob.glob(os.path.join(path, '*', 'sample.json')):
        with open(name) as file:
            settings = json.load(file)
        with open(name, 'w') as file:
            json.dump({**settings, 'profLevel': level}, file)


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True, **options)


def listed(msprof, option, chip):
    if 'svp' in option:
        text = {'profiler': {**BOARD_OFF, **option['svp']}}
    elif 'acl' in option:
        text = {'profiler': {'switch': 'on', 'task_time': 'off', 'ascendcl': 'off', 'runtime_api': 'off',
                             'aic_metrics': 'None', **option['acl']}}
    elif 'task_time' in option:
        text = option
    else:
        text = {'task_trace': 'off', **option}
    answer = json.loads(run(msprof, 'options', '-', '--chip', str(chip), '--format', 'json', input=json.dumps(text)).stdout)
    ret = {(output['file'], output.get('layer')) for output in answer['outputs']}
    return ret | {(file, None) for file, layer in ret if layer is not None}


def generic(name):
    """"nic_20250101000000.csv" and "op_statistic_0_6_1.csv" without what numbers them; that of a board's models is of all
    of them, too."""
    if name == 'msprof.json':
        return 'msprof_*.json'
    return re.sub(r'_\d[^/]*\.', '_*.', name)


def made(msprof, path):
    for what in ('summary', 'timeline'):
        result = run(msprof, '-q', 'export', what, path)
        assert result.returncode in (0, 3, 4), result.stderr
    ret = set()
    for directory in ('mindstudio_profiler_output', 'summary', 'timeline'):
        directory = os.path.join(path, directory)
        if os.path.isdir(directory):
            ret |= made_in(directory)
    return ret


def made_in(directory):
    ret = set()
    for name in os.listdir(directory):
        ret.add((generic(name), None))
        if name.startswith('msprof_2'):
            events = read_timeline(os.path.join(directory, name)).events
            drawn = {event['pid'] for event in events if event['ph'] != 'M'}
            for event in events:
                if event['ph'] == 'M' and event['name'] == 'process_name' and event['pid'] in drawn:
                    ret.add((generic(name), event['args']['name']))
    return ret


def main():
    msprof, testdata = sys.argv[1], sys.argv[2]
    write_programs('programs')
    for name, source in (('system', 'cann/system-910b/PROF*'), ('old', 'cann/system-910a/PROF*'),
                         ('board', 'resnet50/JOB*')):
        shutil.copytree(glob.glob(os.path.join(testdata, source))[0], name)
    divide_by_switch('system')
    wrong = options = things = 0
    for whole, chip, table in (('programs', 5, PROGRAM), ('system', 5, SYSTEM), ('old', 1, SYSTEM), ('board', 5, BOARD)):
        one = 'JOB_one' if whole == 'board' else 'PROF_one'
        for option, patterns in table:
            shutil.rmtree(one, ignore_errors=True)
            with_files(whole, one, patterns)
            if option == {'task_trace': 'l0'}:
                set_level(one, 'l0')
            expected, got = listed(msprof, option, chip), made(msprof, one)
            for file, layer in sorted(expected - got, key=str):
                print('chip %d, %s: listed, not made: %s %s' % (chip, option, file, layer or ''))
            for file, layer in sorted(got - expected, key=str):
                print('chip %d, %s: made, not listed: %s %s' % (chip, option, file, layer or ''))
            wrong += expected != got
            options += 1
            things += len(got)
    print('%d options, %d wrong, %d files and layers' % (options, wrong, things))


if __name__ == '__main__':
    main()
