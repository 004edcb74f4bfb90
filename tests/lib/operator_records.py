#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Subscription records and their table of names, written down a second time after the documents that describe them, so
that tests do not ask msprof's own code whether msprof is right.

    operator_records.py records FILE [SIZE]     a line for each record: model flag thread index duration start end device
    operator_records.py operators FILE NAMES    a line for each record, divided by tabs: model flag start end
                                           duration type name
    operator_records.py encode SIZE INDEX...    records with these operator indexes to standard output
    operator_records.py table SIZE FIRST TYPE NAME...  a table of names to standard output
"""
import struct
import sys

FIELDS = ("signature", "model", "flag", "thread", "index", "duration", "start", "end", "execution", "cube", "vector")


def crc32c(data):
    """Bit by bit: reflected polynomial 0x82F63B78, from all ones, no inversion at the end."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc


def encode(size, model=1, flag=0, thread=0, index=1, duration=0, start=0, end=0, execution=0, cube=0, vector=0, device=0):
    body = struct.pack("<IIIQQQQQQQ", model, flag, thread, index, duration, start, end, execution, cube, vector)
    if size == 80:
        body += struct.pack("<II", device, 0)
    return struct.pack("<I", crc32c(body)) + body


def decode(data, size):
    if len(data) % size != 0:
        sys.exit(f"{len(data)} bytes are no whole number of records of {size}")
    records = []
    for at in range(0, len(data), size):
        one = data[at:at + size]
        record = dict(zip(FIELDS, struct.unpack_from("<IIIIQQQQQQQ", one)))
        record["device"] = struct.unpack_from("<I", one, 72)[0] if size == 80 else 0
        if record["signature"] != crc32c(one[4:]):
            sys.exit(f"record {at // size}: wrong signature")
        records.append(record)
    return records


def encode_names(size, first, pairs):
    texts, entries = b"", b""
    for pair in pairs:
        for text in pair:
            entries += struct.pack("<I", len(texts))
            texts += text.encode() + b"\0"
    head = struct.pack("<8sIIQQQI", b"MSPROFON", 1, size, first, len(pairs), len(texts), crc32c(entries + texts))
    return head + struct.pack("<I", crc32c(head)) + entries + texts


def decode_names(data):
    """The size of records, and a dictionary of operator index to (type, name)."""
    magic, version, size, first, count, length, body, head = struct.unpack_from("<8sIIQQQII", data)
    if (magic, version) != (b"MSPROFON", 1) or head != crc32c(data[:44]) or body != crc32c(data[48:]):
        sys.exit("the table of names is damaged")
    texts = data[48 + 8 * count:]
    if len(texts) != length:
        sys.exit("the table of names has another length")
    names = {}
    for i in range(count):
        names[first + i] = tuple(texts[at:texts.index(b"\0", at)].decode() for at in struct.unpack_from("<II", data, 48 + 8 * i))
    return size, names


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main(command, *words):
    if command == "records":
        for record in decode(read(words[0]), int(words[1]) if len(words) > 1 else 80):
            print(*(record[name] for name in ("model", "flag", "thread", "index", "duration", "start", "end", "device")))
    elif command == "operators":
        size, names = decode_names(read(words[1]))
        for record in decode(read(words[0]), size):
            print(*(record[name] for name in ("model", "flag", "start", "end", "duration")), *names[record["index"]],
                  sep="\t")
    elif command == "encode":
        for index in words[1:]:
            sys.stdout.buffer.write(encode(int(words[0]), index=int(index), start=1000, end=1500, duration=500))
    elif command == "table":
        texts = words[2:]
        sys.stdout.buffer.write(encode_names(int(words[0]), int(words[1]), list(zip(texts[::2], texts[1::2]))))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
