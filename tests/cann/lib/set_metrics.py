#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the counters of a capture those of another group of metrics, or of another chip with the same records.

usage: set_metrics.py CAPTURE CHIP GROUP EVENTS AIV_GROUP AIV_EVENTS
"""
import json
import os
import sys


def edit(path, **values):
    with open(path, encoding='utf-8') as stream:
        whole = json.load(stream)
    whole.update(values)
    with open(path, 'w', encoding='utf-8') as stream:
        json.dump(whole, stream)


def main():
    capture, chip, group, events, aiv_group, aiv_events = sys.argv[1:]
    for part, suffix in (('host', ''), ('device_0', '.0')):
        edit(os.path.join(capture, part, 'info.json' + suffix), platform_version=chip)
        edit(os.path.join(capture, part, 'sample.json'), ai_core_metrics=group, ai_core_profiling_events=events,
             aiv_metrics=aiv_group, aiv_profiling_events=aiv_events)


if __name__ == '__main__':
    main()
