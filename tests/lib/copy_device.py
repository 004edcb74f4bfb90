#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies a device of a PROF capture under another number: its directory, the numbers in the names of its files and in
its info.json.

usage: copy_device.py CAPTURE FROM TO
"""
import json
import os
import re
import shutil
import sys


def main():
    capture, old, new = sys.argv[1], sys.argv[2], sys.argv[3]
    target = os.path.join(capture, 'device_' + new)
    shutil.copytree(os.path.join(capture, 'device_' + old), target)
    for directory, _, names in os.walk(target):
        for name in names:
            renamed = re.sub(r'\.%s(?=$|\.slice_|\.done$)' % old, '.' + new, name)
            os.rename(os.path.join(directory, name), os.path.join(directory, renamed))
    path = os.path.join(target, 'info.json.' + new)
    with open(path, encoding='utf-8') as stream:
        info = json.load(stream)
    info['devices'] = new
    info['DeviceInfo'][0]['id'] = int(new)
    with open(path, 'w', encoding='utf-8') as stream:
        json.dump(info, stream)


if __name__ == '__main__':
    main()
