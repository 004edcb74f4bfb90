# SPDX-License-Identifier: Apache-2.0
"""A board for fault injection: an SSH server on 127.0.0.1 with throw-away keys, whose program leaves the same capture in every
run."""
import filecmp
import glob
import os
import random
import shutil
import socket
import subprocess
import sys
import time

import capture

CAPTURE = "JOBTORTURE"


class Board:
    def __init__(self, directory):
        self.top = os.path.abspath(directory)
        self.keys, self.home, self.project = (os.path.join(self.top, name) for name in ("keys", "home", "project"))
        self.temporary, self.reference = os.path.join(self.top, "tmp"), os.path.join(self.top, CAPTURE)
        self.ran = os.path.join(self.top, "ran")
        os.makedirs(self.keys, 0o700)
        capture.svp(self.reference)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(self.keys, name)], check=True)
        self.start()
        self.fresh()

    def start(self, lines=""):
        if os.geteuid() == 0:  # any other user's sshd needs no such place
            os.makedirs("/run/sshd", exist_ok=True)
        for _ in range(20):
            port = random.SystemRandom().randint(20000, 60000)
            config = os.path.join(self.top, "sshd_config")
            with open(config, "w", encoding="ascii") as file:
                file.write(f"Port {port}\nListenAddress 127.0.0.1\nHostKey {self.keys}/host\n"
                           f"AuthorizedKeysFile {self.keys}/user.pub\nPidFile none\nStrictModes no\nUsePAM no\n"
                           "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                           f"SetEnv HOME={self.home} TMPDIR={self.temporary} PATH={os.environ['PATH']}\n{lines}")
            with open(os.path.join(self.top, "sshd.log"), "ab") as log:
                self.server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", config], stdin=subprocess.DEVNULL, stderr=log)
            for _ in range(100):
                time.sleep(0.05)
                if self.server.poll() is not None:
                    break
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        self.write_ini(port)
                        return
        sys.exit("sshd does not start: see sshd.log")

    def write_ini(self, port):
        self.ini = os.path.join(self.top, "board.ini")
        with open(f"{self.keys}/host.pub", encoding="ascii") as file:
            key = " ".join(file.read().split()[:2])
        with open(f"{self.keys}/known_hosts", "w", encoding="ascii") as file:
            file.write(f"[127.0.0.1]:{port} {key}\n")
        user = subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()
        with open(self.ini, "w", encoding="ascii") as file:
            file.write(f"[ssh_config]\nip = 127.0.0.1\nusername = {user}\nport = {port}\nkey = {self.keys}/user\n"
                       f"known_hosts = {self.keys}/known_hosts\ntimeout = 5\n")
        os.chmod(self.ini, 0o600)

    def fresh(self):
        for path in (self.home, self.project, self.temporary):
            shutil.rmtree(path, ignore_errors=True)
            os.makedirs(path)
        if os.path.exists(self.ran):
            os.remove(self.ran)
        os.mkdir(os.path.join(self.project, "out"))
        main = os.path.join(self.project, "out", "main")
        with open(main, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\ncp -R {self.reference} .\n: >{self.ran}\n")
        os.chmod(main, 0o750)

    def arguments(self):
        return ["collect", "-m", os.path.join(self.project, "out", "main"), "--config", self.ini]

    def on_board(self):
        """Where the capture is on the board; None: nowhere."""
        return next(iter(glob.glob(os.path.join(glob.escape(self.home), "**", CAPTURE), recursive=True)), None)

    def fetching(self, remote):
        return ["collect", "--config", self.ini, "--fetch-only", remote, "--remove-remote", "--output",
                os.path.join(self.project, "profiling")]

    def forget(self):
        """Whoever ran the program takes the capture away: the next run makes another."""
        shutil.rmtree(os.path.join(self.project, "profiling"), ignore_errors=True)
        if os.path.exists(self.ran):
            os.remove(self.ran)

    def environment(self):
        return {**{name: value for name, value in os.environ.items() if name != "SSH_AUTH_SOCK"}, "HOME": self.top}

    def is_fetched(self):
        """The capture is at home, whole, and nothing else is."""
        home = os.path.join(self.project, "profiling", CAPTURE)
        fetched = sorted(os.path.relpath(os.path.join(root, name), os.path.dirname(home))
                         for root, _, names in os.walk(home) for name in names)
        expected = sorted(os.path.relpath(os.path.join(root, name), self.top)
                          for root, _, names in os.walk(self.reference) for name in names)
        return fetched == expected and not self.lost()

    def lost(self):
        """Files of the capture, once it was made, that are neither at home nor on the board."""
        if not os.path.exists(self.ran):
            return []
        missing = []
        for root, _, names in os.walk(self.reference):
            for name in names:
                original = os.path.join(root, name)
                relative = os.path.relpath(original, self.top)
                copies = [os.path.join(self.project, "profiling", relative)] + \
                    glob.glob(os.path.join(glob.escape(self.home), "**", relative), recursive=True)
                if not any(os.path.exists(copy) and filecmp.cmp(copy, original, shallow=False) for copy in copies):
                    missing.append(relative)
        return missing

    def left(self):
        """Temporary files here and whatever is on the board."""
        here = [os.path.join(root, name) for root, _, names in os.walk(self.project) for name in names
                if name.startswith(".msprof.")]
        there = [os.path.join(root, name) for top in (self.home, self.temporary) for root, directories, names in os.walk(top)
                 for name in names + directories]
        return here + there

    def stop(self):
        self.server.terminate()
        self.server.wait()
