# SPDX-License-Identifier: Apache-2.0
"""Runs msprof tui in a terminal of its own and prints the screen after each group of keys.

usage: tui.py [--size ROWSxCOLUMNS] PROGRAM ARGUMENT... -- [KEYS]...

KEYS are characters, and names in brackets: "3<down><down>s"; "<30x100>" alone changes the size. Before the first keys
and after each group the screen is printed, followed by a line of dashes. Behind the last q is pressed until the program
ends; its status is that of this. The terminal is a DEC VT52, the simplest one that can be addressed.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
import unicodedata

NAMES = {"up": "\x1bA", "down": "\x1bB", "right": "\x1bC", "left": "\x1bD", "enter": "\r", "esc": "\x1b", "tab": "\t",
         "erase": "\x7f", "interrupt": "\x03"}
REDRAW = b"\x0c"         # behind the other keys: what they did is seen then
CLEARS = b"\x1bH\x1bJ"  # what a whole screen begins with
QUIET_S = 0.3          # nothing was drawn for so long: the screen is complete
WAIT_S = 120           # the program draws nothing at all


class Screen:
    """What a VT52 shows. Behind a character of two columns stands an empty one."""

    def __init__(self, rows, columns):
        self.pending = b""
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns, self.row, self.column = rows, columns, 0, 0
        self.cells = [[" "] * columns for _ in range(rows)]

    def lines(self):
        return ["".join(cells).rstrip() for cells in self.cells]

    def feed(self, data):
        text = self.pending + data
        at = 0
        while at < len(text):
            length = self.take(text[at:])
            if length == 0:
                break
            at += length
        self.pending = text[at:]

    def take(self, text):
        """Takes what the text begins with; returns its bytes, 0: its end has not come."""
        if text[:1] == b"\x1b":
            return self.take_escape(text)
        lead = text[0]
        length = 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        if len(text) < length:
            return 0
        self.put(text[:length].decode(errors="replace"))
        return length

    def take_escape(self, text):
        if len(text) < 2 or (text[1:2] == b"Y" and len(text) < 4):
            return 0
        letter = text[1:2]
        if letter == b"Y":
            self.row, self.column = text[2] - 32, text[3] - 32
            return 4
        if letter == b"H":
            self.row = self.column = 0
        elif letter in b"ABCD":
            self.row += {b"A": -1, b"B": 1}.get(letter, 0)
            self.column += {b"C": 1, b"D": -1}.get(letter, 0)
        elif letter in b"JK":
            self.cells[self.row][self.column:] = [" "] * (self.columns - self.column)
            if letter == b"J":
                self.cells[self.row + 1:] = [[" "] * self.columns for _ in self.cells[self.row + 1:]]
        elif letter not in b"=>FG":
            raise ValueError(f"no sequence of a VT52: {text[:4]!r}")
        return 2

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n" and self.row + 1 < self.rows:
            self.row += 1
        elif character == "\n":
            self.cells = [*self.cells[1:], [" "] * self.columns]
        elif character == "\b":
            self.column -= 1
        elif character == "\t":
            self.column = (self.column // 8 + 1) * 8
        elif character >= " ":
            wide = unicodedata.east_asian_width(character) in "WF"
            self.cells[self.row][self.column] = character
            if wide:
                self.cells[self.row][self.column + 1] = ""
            self.column = min(self.column + 1 + wide, self.columns - 1)


def resize(terminal, screen):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", screen.rows, screen.columns, 0, 0))


def read_screen(terminal, screen):
    """Feeds what comes until the whole screen was drawn anew; False at the end of the program."""
    seen, wait = b"", WAIT_S
    while select.select([terminal], [], [], wait)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            data = b""
        if not data:
            return False
        screen.feed(data)
        seen += data
        wait = QUIET_S if CLEARS in seen else WAIT_S
    if wait == WAIT_S:
        sys.exit(f"tui.py: nothing was drawn in {WAIT_S} s")
    return True


def keys_of(text):
    return re.sub(r"<(\w+)>", lambda match: NAMES[match.group(1)], text)


def press(terminal, screen, keys):
    if match := re.fullmatch(r"<(\d+)x(\d+)>", keys):
        screen.resize(*map(int, match.groups()))
        resize(terminal, screen)
    else:
        os.write(terminal, keys_of(keys).encode() + REDRAW)
    return read_screen(terminal, screen)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="24x80")
    parser.add_argument("program")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    cut = options.words.index("--")
    screen = Screen(*map(int, options.size.split("x")))
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "vt52"
        os.environ["NO_COLOR"] = "1"
        time.sleep(0.1)  # the terminal gets its size
        os.execv(options.program, [options.program, *options.words[:cut]])
    resize(terminal, screen)
    alive = read_screen(terminal, screen)
    print("\n".join(screen.lines()), "-" * 20, sep="\n")
    for keys in options.words[cut + 1:]:
        alive = alive and press(terminal, screen, keys)
        print("\n".join(screen.lines()), "-" * 20, sep="\n")
    while alive:
        alive = press(terminal, screen, "q")
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


if __name__ == "__main__":
    main()
