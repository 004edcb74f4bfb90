# SPDX-License-Identifier: Apache-2.0
"""Compares README.md with its translation, section by section: what is no language must stand in both.

usage: readme_translation.py README.md README.zh-CN.md

Code blocks are equal in their order, but for comments after '#'. Each section has as many list items and rows of tables, the same
words in backticks, the same numbers, manual pages, pictures and links. Each file has a link to the other in its first paragraph.
What differs is printed, with status 1.
"""
import re
import sys


def section_of(lines):
    """(code, facts) of a section's lines; facts are sets of words by kind."""
    code, text, fenced = [], [], False
    for line in lines:
        if line.startswith("```"):
            fenced = not fenced
            code.append(line)
        elif fenced or line.startswith("    "):
            code.append(re.sub(r"(^|\s+)#.*", "", line))
        else:
            text.append(line)
    text = "\n".join(text)
    links = {target for target in re.findall(r"\]\(([^)]+)\)", text) if not target.startswith("README")}
    ticked = re.findall(r"`([^`]+)`", text)
    plain = re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>", " ", text)
    pages = re.findall(r"[a-z][a-z0-9_-]*\(\d\)", plain)
    counts = [("items", len(re.findall(r"^\* ", text, re.M))), ("rows", len(re.findall(r"^ *\|", text, re.M)))]
    plain = re.sub(r"[a-z][a-z0-9_-]*\(\d\)", " ", plain)
    for month, name in enumerate("January February March April May June July August September October November December".split(), 1):
        plain = re.sub(name + r" (\d{4})", rf"{month} \1", plain)
    numbers = re.findall(r"\d+(?:[.,]\d+)*", plain)
    return code, {"link": links, "code": set(ticked), "page": set(pages), "number": set(numbers), "count": set(counts),
                  "address": set(re.findall(r"<(https?:[^>]+)>", text))}


def sections_of(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    sections, fenced = [[]], False
    for line in lines:
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            sections.append([])
        else:
            sections[-1].append(line)
    heads = [re.match("#+", line)[0] for line in lines if re.match("#+ ", line)]
    return heads, [section_of(section) for section in sections], "\n".join(sections[1])


def compare(english, chinese):
    (our_heads, ours, our_top), (their_heads, theirs, their_top) = sections_of(english), sections_of(chinese)
    findings = []
    if our_heads != their_heads:
        return [f"{english} has {len(our_heads)} headings, {chinese} {len(their_heads)}"]
    if "](README.zh-CN.md)" not in our_top.split("\n\n")[0] + our_top.split("\n\n")[1] or "](README.md)" not in their_top:
        findings.append("they do not link to each other in their first paragraph")
    for number, ((code, facts), (other_code, other_facts)) in enumerate(zip(ours, theirs)):
        if code != other_code:
            differ = [f"'{a}', '{b}'" for a, b in zip(code, other_code) if a != b] or [f"{len(code)}, {len(other_code)} lines"]
            findings.append(f"section {number}: code blocks differ: {differ[0]}")
        for kind in facts:
            findings += [f"section {number}: {path} lacks {kind} {word}"
                         for path, missing in ((chinese, facts[kind] - other_facts[kind]), (english, other_facts[kind] - facts[kind]))
                         for word in sorted(missing, key=str)]
    return findings


if __name__ == "__main__":
    found = compare(*sys.argv[1:])
    print("\n".join(found))
    sys.exit(bool(found))
