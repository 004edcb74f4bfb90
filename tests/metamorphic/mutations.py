# SPDX-License-Identifier: Apache-2.0
"""What is done to one file of a capture."""
import os
import re
import shutil


def copy_linked(source, target):
    """A copy whose files are the source's, until one is replaced."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, copy_function=os.link)
    return target


def replace(root, name, content):
    path = os.path.join(root, name)
    os.unlink(path)
    with open(path, "wb") as file:
        file.write(content)


def data_files(root):
    """Names relative to the capture of its data files."""
    found = []
    for folder, _, names in os.walk(root):
        if os.path.basename(folder) != "data":
            continue
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names
                  if not name.endswith(".done") and os.path.getsize(os.path.join(folder, name)) > 0]
    return sorted(found)


def all_files(root):
    return sorted(os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names
                  if os.path.getsize(os.path.join(folder, name)) > 0)


def next_name(root, name):
    """The name under which a copy of the file is its next slice or batch; None: it has no such."""
    match = re.search(r"(\.slice_|\.)(\d+)$", name)
    if match is None:
        return None
    number = int(match.group(2))
    while os.path.exists(os.path.join(root, name[:match.start(2)] + str(number))):
        number += 1
    return name[:match.start(2)] + str(number)


def double(root, name):
    """False: it cannot be doubled."""
    copy = next_name(root, name)
    if copy is not None:
        shutil.copyfile(os.path.join(root, name), os.path.join(root, copy))
    return copy is not None


def remove(root, name):
    for gone in (name, name + ".done"):
        if os.path.exists(os.path.join(root, gone)):
            os.unlink(os.path.join(root, gone))


def flip(root, name, bit):
    with open(os.path.join(root, name), "rb") as file:
        content = bytearray(file.read())
    bit %= len(content) * 8
    content[bit // 8] ^= 1 << bit % 8
    replace(root, name, bytes(content))
    return bit // 8


class Field:
    """A number of a record: where it is, and what the table makes of it."""

    def __init__(self, layout, description):
        self.column = description["column"]
        self.offset, self.width = description["offset"], description["width"]
        self.first, self.count = description.get("first_bit", 0), description.get("bit_count", 0) or 8 * self.width
        self.signed = description["signed"]
        self.multiply, self.divide = description["multiply"] or 1, description["divide"] or 1
        self.order = "big" if layout.get("endian") == "big" else "little"

    def raw(self, record):
        word = int.from_bytes(record[self.offset:self.offset + self.width], self.order)
        return word >> self.first & (1 << self.count) - 1

    def value(self, raw):
        """As the table has it."""
        if self.signed and raw >> (self.count - 1):
            raw -= 1 << self.count
        scaled = raw * self.multiply
        return scaled // self.divide if scaled >= 0 else -(-scaled // self.divide)

    def put(self, record, raw):
        word = int.from_bytes(record[self.offset:self.offset + self.width], self.order)
        mask = ((1 << self.count) - 1) << self.first
        word = word & ~mask | raw << self.first & mask
        return record[:self.offset] + word.to_bytes(self.width, self.order) + record[self.offset + self.width:]


def fields_of(layout):
    return [Field(layout, field) for field in layout["fields"] if field["width"] <= 8]
