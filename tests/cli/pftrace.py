#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a timeline in Perfetto's format with the JSON timeline of the same capture, event by event.

usage: pftrace.py SCHEMA TIMELINE.json TIMELINE.pftrace

The packets are decoded by protoc against SCHEMA, and their times, tracks, texts and the nesting of slices are worked
out as Perfetto does: packets of a sequence in their order, events of all by time. Prints how many events were compared.
"""
import codecs
import collections
import json
import re
import subprocess
import sys
import zlib
from decimal import ROUND_HALF_UP, Decimal

from timeline import read_timeline

COMPRESSED_MAX = 512 * 1024


def fail(message, *facts):
    print(message, *(str(fact)[:600] for fact in facts), sep="\n    ")
    sys.exit(1)


# ---- packets ----


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def unpacked(data):
    """The packets of a trace, one after the other, with those that are compressed in their place."""
    at, parts = 0, []
    while at < len(data):
        start = at
        if data[at] != 0x0A:
            fail("a trace holds something that is no packet", at, data[at : at + 20])
        length, at = varint(data, at + 1)
        if at + length > len(data):
            fail("a packet is longer than the file", start)
        packet, at = data[at : at + length], at + length
        if packet[:2] == b"\x92\x03":
            inner_length, inside = varint(packet, 2)
            inner = zlib.decompress(packet[inside:])
            if inside + inner_length != len(packet) or len(inner) > COMPRESSED_MAX:
                fail("compressed packets of a wrong length", inner_length, len(inner))
            parts.append(unpacked(inner))
        else:
            parts.append(data[start:at])
    return b"".join(parts)


def decoded(schema, data):
    directory, _, name = schema.rpartition("/")
    run = subprocess.run(
        ["protoc", "--decode=msprof.Trace", f"--proto_path={directory or '.'}", name], input=data, stdout=subprocess.PIPE, check=True
    )
    stack = [collections.defaultdict(list)]
    for line in run.stdout.decode("utf-8", "surrogateescape").splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith("{") and ": " not in line:
            message = collections.defaultdict(list)
            stack[-1][line[:-2]].append(message)
            stack.append(message)
        else:
            key, _, value = line.partition(": ")
            if key.isdigit():
                fail("a field that the schema does not have", line)
            if value.startswith('"'):
                value = codecs.escape_decode(value[1:-1].encode())[0].decode("utf-8")
            stack[-1][key].append(value)
        if re.match(r"\d+ ?[:{]", line):
            fail("a field that the schema does not have", line)
    return stack[0]["packet"]


# ---- the trace ----

REALTIME, TRACE_CLOCK, SEQUENCE_CLOCK = 1, 6, 64
UNSIGNED = 1 << 64


def signed(value):
    value = int(value)
    return value - UNSIGNED if value >= UNSIGNED // 2 else value


class Sequence:
    def __init__(self):
        self.now = self.clock = self.track = None
        self.texts = {}

    def clear(self):
        self.texts = {}
        self.clock = self.track = None

    def take(self, packet):
        for interned in packet["interned_data"]:
            for use, entries in interned.items():
                for entry in entries:
                    key = (use, int(entry["iid"][0]))
                    if key in self.texts:
                        fail("a number has two texts", key, self.texts[key], entry)
                    self.texts[key] = entry["name"][0] if entry["name"] else ""
        for defaults in packet["trace_packet_defaults"]:
            self.clock = int(defaults["timestamp_clock_id"][0])
            self.track = int(defaults["track_event_defaults"][0]["track_uuid"][0])
        for snapshot in packet["clock_snapshot"]:
            clocks = {int(clock["clock_id"][0]): int(clock["timestamp"][0]) for clock in snapshot["clocks"]}
            if SEQUENCE_CLOCK in clocks:
                self.now = clocks[TRACE_CLOCK]

    def time(self, packet):
        clock = int(packet["timestamp_clock_id"][0]) if packet["timestamp_clock_id"] else self.clock
        if clock == TRACE_CLOCK:
            return signed(packet["timestamp"][0])
        self.now += int(packet["timestamp"][0])
        return self.now

    def text(self, use, message, number, whole):
        if message[number]:
            return self.texts[use, int(message[number][0])]
        return message[whole][0] if message[whole] else None


def value_of(sequence, annotation):
    if annotation["string_value_iid"] or annotation["string_value"]:
        return sequence.text("debug_annotation_string_values", annotation, "string_value_iid", "string_value")
    for key, make in (
        ("uint_value", int),
        ("int_value", int),
        ("double_value", float),
        ("bool_value", lambda text: text == "true"),
        ("legacy_json_value", json.loads),
    ):
        if annotation[key]:
            return make(annotation[key][0])
    return ""


def read_pftrace(schema, path):
    with open(path, "rb") as file:
        packets = decoded(schema, unpacked(file.read()))
    sequences, tracks, events, wall = collections.defaultdict(Sequence), {}, [], None
    for order, packet in enumerate(packets):
        for descriptor in packet["track_descriptor"]:
            uuid = int(descriptor["uuid"][0])
            if uuid in tracks:
                fail("a track is described twice", uuid)
            tracks[uuid] = descriptor
        for snapshot in packet["clock_snapshot"]:
            for clock in snapshot["clocks"]:
                wall = int(clock["timestamp"][0]) if int(clock["clock_id"][0]) == REALTIME else wall
        if not packet["trusted_packet_sequence_id"]:
            continue
        sequence = sequences[packet["trusted_packet_sequence_id"][0]]
        flags = int(packet["sequence_flags"][0]) if packet["sequence_flags"] else 0
        if flags & 1:
            sequence.clear()
        sequence.take(packet)
        for event in packet["track_event"]:
            uses = event["name_iid"] or event["category_iids"] or event["debug_annotations"] or packet["interned_data"]
            if uses and not flags & 2:
                fail("a packet with numbers of texts does not say that it needs them", packet)
            args = {}
            for annotation in event["debug_annotations"]:
                args[sequence.text("debug_annotation_names", annotation, "name_iid", "name")] = value_of(sequence, annotation)
            category = None
            if event["category_iids"]:
                category = sequence.texts["event_categories", int(event["category_iids"][0])]
            elif event["categories"]:
                category = event["categories"][0]
            kind = event["type"][0] if event["type"] else "arrow"
            name = sequence.text("event_names", event, "name_iid", "name")
            events.append((sequence.time(packet), order, sequence.track, kind, name, category, args, event))
    return tracks, sorted(events, key=lambda event: event[:2]), wall


def place(tracks, uuid):
    track = tracks[uuid]
    process = tracks[int(track["parent_uuid"][0])]
    named = process["process"][0]
    rank = process["sibling_order_rank"]
    return (
        named["process_name"][0],
        named["process_labels"][0] if named["process_labels"] else None,
        int(rank[0]) if rank else None,
        track["name"][0] if track["name"] else None,
        int(track["sibling_order_rank"][0]) if track["sibling_order_rank"] else None,
    )


def frozen(args):
    return json.dumps(args, sort_keys=True)


def events_of_pftrace(schema, path):
    tracks, events, wall = read_pftrace(schema, path)
    open_slices, result = collections.defaultdict(list), collections.Counter()
    flows = []
    for time, _, uuid, kind, name, category, args, event in events:
        where = place(tracks, uuid)
        if kind == "TYPE_SLICE_BEGIN":
            open_slices[uuid].append((time, where, name, category, frozen(args)))
        elif kind == "TYPE_SLICE_END":
            if not open_slices[uuid]:
                fail("a slice ends that did not begin", time, where)
            begin, *rest = open_slices[uuid].pop()
            result["slice", begin, time - begin, *rest] += 1
        elif kind == "TYPE_INSTANT":
            result["instant", time, where, name, category, frozen(args)] += 1
        elif kind == "TYPE_COUNTER":
            value = int(event["counter_value"][0]) if event["counter_value"] else float(event["double_counter_value"][0])
            unit = tracks[uuid]["counter"][0]["unit_name"]
            result["counter", time, where[:4], unit[0] if unit else "", float(value)] += 1
        else:
            legacy = event["legacy_event"][0]
            flows.append(
                (chr(int(legacy["phase"][0])), time, where, name, category, bool(legacy["bind_to_enclosing"]), int(legacy["unscoped_id"][0]))
            )
    if any(open_slices.values()):
        fail("slices without an end", [stack for stack in open_slices.values() if stack][:3])
    description = tracks[0]["description"][0]
    return result, flows, wall, json.loads(description)


# ---- JSON ----


def nanoseconds(text):
    return int((Decimal(text) * 1000).quantize(Decimal(1), ROUND_HALF_UP))


def events_of_json(path):
    document = read_timeline(path, parse_float=lambda text: Number(text))
    names, result, flows = collections.defaultdict(dict), collections.Counter(), []
    for event in document.events:
        if event["ph"] == "M":
            key = event["pid"], event["tid"] if event["name"].startswith("thread") else None
            names[key][event["name"]] = next(iter(event["args"].values()))
    for event in document.events:
        process, thread = names[event["pid"], None], names[event["pid"], event["tid"]]
        where = (
            process.get("process_name"),
            process.get("process_labels"),
            process.get("process_sort_index"),
            thread.get("thread_name"),
            thread.get("thread_sort_index"),
        )
        known = {"name", "ph", "pid", "tid", "ts", "dur", "cat", "args", "s", "id", "bp"}
        args = {**event.get("args", {}), **{key: event[key] for key in event if key not in known}}
        if event["ph"] == "X":
            result["slice", nanoseconds(event["ts"]), nanoseconds(event["dur"]), where, event["name"], event.get("cat"), frozen(args)] += 1
        elif event["ph"] == "i":
            result["instant", nanoseconds(event["ts"]), where, event["name"], event.get("cat"), frozen(args)] += 1
        elif event["ph"] == "C":
            for key, value in args.items():
                result["counter", nanoseconds(event["ts"]), where[:3] + (f"{event['name']} {key}",), key, float(value)] += 1
        elif event["ph"] in "stf":
            flows.append((event["ph"], nanoseconds(event["ts"]), where, event["name"], event.get("cat"), "bp" in event, event["id"]))
    return result, flows, document.facts


class Number(float):
    """A decimal that keeps its text for times."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number


_decimal = Decimal


def Decimal(value):  # noqa: N802 -- times come as Number or int
    return _decimal(value.text if isinstance(value, Number) else value)


def compare_flows(ours, theirs):
    """Arrows are the same, whatever their numbers are: one number there for each here."""
    numbers = {}
    for number, flow in enumerate(sorted(ours, key=lambda flow: (flow[:2], str(flow[2:])))):
        del number, flow
    by_place = collections.defaultdict(list)
    for *rest, number in theirs:
        by_place[tuple(rest)].append(number)
    for *rest, number in ours:
        found = by_place[tuple(rest)]
        if not found:
            fail("an arrow's end that the JSON does not have", rest, number)
        same = [other for other in found if numbers.get(number, other) == other]
        if not same:
            fail("an arrow's two ends are not of one number", rest, number, found)
        exact = number if number in same else str(number) if str(number) in same else same[0]
        numbers[number] = exact
        found.remove(exact)
    if len(set(map(str, numbers.values()))) != len(numbers):
        fail("two arrows have one number")
    rest = [flow for flow, found in by_place.items() if found]
    if rest:
        fail("an arrow's end is missing", rest[:3])


def main():
    schema, json_path, pftrace_path = sys.argv[1:]
    ours, our_flows, wall, about = events_of_pftrace(schema, pftrace_path)
    theirs, their_flows, other = events_of_json(json_path)
    if ours != theirs:
        fail("events differ: only in the trace, only in the JSON", list((ours - theirs).items())[:3], list((theirs - ours).items())[:3])
    compare_flows(our_flows, their_flows)
    if about != other:
        fail("what the trace tells of itself differs", about, other)
    if other["origin_unix_ns"] is not None and wall != int(other["origin_unix_ns"]):
        fail("the time of day differs", wall, other["origin_unix_ns"])
    print(f"{sum(ours.values())} events and {len(our_flows)} ends of arrows are the same")


main()
