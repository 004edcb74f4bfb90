#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares step_trace.json with that of Ascend's tool: every slice with its thread, kind, begin, length and
the times in its arguments.

  agree_steps.py THEIRS OURS

Of the arrows the ends are compared where an iteration waits for its input; where they begin, and those with one end
alone, is told in msprof-cann(7).
"""
import collections
import sys

from timeline import read_timeline


def load(path):
    events = read_timeline(path).events
    threads = {(e['pid'], e['tid']): e['args']['name'] for e in events if e['name'] == 'thread_name'}
    found = collections.Counter()
    for event in events:
        if event['ph'] == 'X' or (event['ph'] == 't' and not event['name'].endswith(' 0')):
            times = tuple(sorted((key, value.replace('.', ''))  # one version leaves the point out
                                 for key, value in event.get('args', {}).items() if isinstance(value, str) and value != 'N/A'))
            found[threads[event['pid'], event['tid']], event['name'], event['ph'], event['cat'], event['ts'],
                  round(float(event.get('dur', 0)), 3), times] += 1
    starts = sum(event['ph'] == 's' for event in events)
    return found, starts - sum(event['ph'] == 't' for event in events)


def main():
    (theirs, _), (ours, open_arrows) = load(sys.argv[1]), load(sys.argv[2])
    for event in list((theirs - ours) + (ours - theirs))[:10]:
        print('%s: %d, expected %d' % (event, ours[event], theirs[event]))
    print('%d events, %d differ' % (sum(theirs.values()), sum(((theirs - ours) + (ours - theirs)).values())))
    sys.exit(theirs != ours or open_arrows != 0 or not theirs)


if __name__ == '__main__':
    main()
