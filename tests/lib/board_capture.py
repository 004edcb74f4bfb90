# SPDX-License-Identifier: Apache-2.0
"""Writes captures of SVP boards in the reference layout (docs/formats/svp.md 2) from what is known of their tasks, without
the program's own encoder.

task: {'name', 'type'} with commas between fused layers, 'cycles' of each inference, 'read' and 'write' in bytes, 'counters':
eight shares of the cycles, mac busy to wld.
"""
import json
import os
import struct

JOB = 'JOB' + 'A' * 29


def write(directory, tasks, mhz, inferences, model='net', model_id=1):
    """Returns the capture's directory."""
    capture = os.path.join(directory, JOB)
    data = os.path.join(capture, 'data')
    os.makedirs(data)

    def text(path, content):
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(content)

    text(capture + '/info.json.0', json.dumps({'DeviceInfo': [{'aic_frequency': str(mhz)}]}))
    text('%s/%s.%d.net.info' % (data, model, model_id),
         json.dumps({'model_name': model, 'model_id': model_id, 'batch_num': 1}))
    layers = []
    for number, task in enumerate(tasks):
        for name, kind in zip(task['name'].split(','), task['type'].split(',')):
            layers.append({'layer_id': len(layers), 'name': name, 'type': kind, 'ori_name': name, 'task_id': number,
                           'engine': 'AI_CORE'})
    text('%s/%s.%d.layer.info' % (data, model, model_id), json.dumps(layers))
    start, records = 1_000_000_000, []
    for picture in range(inferences):
        end = start
        for number, task in enumerate(tasks):
            cycles = task['cycles'][picture]
            counters = [round(cycles * share) for share in task.get('counters', [0] * 8)]
            records.append(struct.pack('<4HQ2Q8Q2I2Q2I', 0, 0, 0, number, 0, cycles, 0, *counters, 0, model_id, task['read'],
                                       task['write'], picture, 0))
            end += -(-cycles * 1000 // mhz)
        text('%s/aicore.0.%s.%d.1.1.%d.done' % (data, model, model_id, picture),
             'filesize:%d\nstarttime:%d\nendtime:%d\n' % (128 * len(tasks), start, end))
        start = end + 1_000_000
    assert all(len(record) == 128 for record in records), len(records[0])
    with open(data + '/aicore.0.1.1', 'wb') as stream:
        stream.write(b''.join(records))
    return capture
