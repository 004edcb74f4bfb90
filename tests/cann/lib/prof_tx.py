# SPDX-License-Identifier: Apache-2.0
"""Captures with msproftx records, by the documented layouts (docs/formats/cann.md 6) and not by msprof's own encoder."""
import json
import os
import struct

from prof import MONOTONIC, UNIX, Prof

TX = 20500
HOST_TICK = 7_000_000_123


class TxProf(Prof):
    """host_mhz: the frequency of the host's counter; without one the host counts nanoseconds. Only tx records know of
    it."""

    def __init__(self, path, host_mhz=None, **options):
        super().__init__(path, **options)
        self.host_mhz = host_mhz
        self.hash('default')

    def host_tick(self, time):
        if self.host_mhz is None:
            return MONOTONIC + time
        assert time * self.host_mhz % 1000 == 0, 'not on the grid of the counter'
        return HOST_TICK + time * self.host_mhz // 1000

    def tx(self, start, end, message, thread=1, event=1, category=0, payload_type=0, payload=0, message_type=0, mark=0,
           domain=None, info=0, segment=0, process=77, age='unaging'):
        """A record of additional.msproftx; info 1: of a mark that a device sees too. domain: a text or an id."""
        if isinstance(domain, str):
            domain = self.hash(domain)
        self._add(self.host, age + '.additional.msproftx', struct.pack(
            '<HHIIIQHHIHHIIIIiQQQQQi156s', 0x5a5a, TX, 0, 0xffffffff, 232, self.host_tick(end), info, segment, 0, 0x5a5a,
            120, process, thread, category, event, payload_type, payload, self.host_tick(start), self.host_tick(end),
            mark, domain or 0, message_type, message if isinstance(message, bytes) else message.encode()), 256)

    def old_tx(self, start, end, message, size, thread=1, event=1, category=0, payload_type=0, payload=0,
               message_type=0, process=77):
        """A record of Msprof.msproftx: of 256 bytes, as in 2022, or of 180, as in 2024."""
        self._add(self.host, 'Msprof.msproftx', struct.pack(
            '<HHIIIIIQQQI128s', 0x5a5a, 120, process, thread, category, event, payload_type, payload,
            self.host_tick(start), self.host_tick(end), message_type, message.encode()).ljust(size, b'\xee'), size)

    def old_tx_ex(self, start, end, message, mark, thread=1, event=3, process=77):
        self._add(self.host, 'Msprof.msproftx_ex', struct.pack(
            '<HHIII8xQQQ128s', 0x5a5a, event, 0, process, thread, self.host_tick(start), self.host_tick(end), mark,
            message.encode()), 176)

    def mark(self, time, stream, mark, tag=11, task=9, device=0):
        """The step trace of a mark (11), or of one end of a range (12)."""
        self._device(device, 'ts_track', struct.pack(
            '<BBHIQQQHHHH', 1, 10, 40, 0, self._ticks(time), mark, 0xffffffff, stream, task, tag, 0), 40)

    def write(self):
        if self.host_mhz is not None:
            self.configs.setdefault('host', {})['CPU'] = [{'Frequency': '%.6f' % self.host_mhz}]
        super().write()
        if self.host_mhz is not None:
            self._write('host', 'host_start.log',
                        '[Host]\nclock_monotonic_raw: %d\ncntvct: %d\n' % (MONOTONIC, HOST_TICK))

    def write_old(self, chip=1):
        """As one directory, as captures of 2022 were; without a time of day."""
        self._write('', 'info.json.0', json.dumps(
            {'platform_version': str(chip), 'pid': '77', 'CPU': [{'Frequency': ''}],
             'DeviceInfo': [{'id': 0, 'hwts_frequency': '100', 'aic_frequency': '1000'}]}))
        for name, data in self.host.items():
            self._write('', 'data/%s.slice_0' % name, data)


def unix_ns(time):
    return UNIX + time
