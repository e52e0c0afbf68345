# SPDX-License-Identifier: MIT
"""Commands that are watched while they run: how far they are, on a terminal in one line that changes, elsewhere in a line now and then.
Ctrl-C, SIGTERM and SIGHUP end everything that a command has started, also what has left its session."""
import ctypes
import os
import re
import resource
import select
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
BETWEEN_LINES = 15.0
PATIENCE = 20.0


def descendants():
    """All living processes below this one."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as stat:
                    state, parent = stat.read().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state != "Z":
                parents.setdefault(int(parent), []).append(int(name))
    found, todo = [], [os.getpid()]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def end_everything():
    """Ask all descendants to end, and after a while end them."""
    until = time.monotonic() + PATIENCE
    asked = set()
    while processes := descendants():
        for process in processes:
            number = signal.SIGKILL if time.monotonic() > until else signal.SIGTERM
            if number == signal.SIGKILL or process not in asked:
                asked.add(process)
                try:
                    os.kill(process, number)
                except ProcessLookupError:
                    pass
        time.sleep(0.1)


class Steps:
    """Steps of known number; each has a title and runs one command or several."""

    def __init__(self, count):
        self.count, self.number, self.title, self.unit = count, 0, "", ""
        self.began = self.step_began = time.monotonic()
        self.processor = 0.0
        self.terminal = sys.stdout.isatty()
        self.shown = ""
        # Processes that a command leaves behind become children of this process.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupted)

    def interrupted(self, number, _):
        for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(other, signal.SIG_IGN)
        print(f"\n== stopped by {signal.Signals(number).name} at step {self.number} of {self.count}: {self.title}", flush=True)
        end_everything()
        os._exit(128 + number)

    @staticmethod
    def used():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    def begin(self, title, unit):
        self.end()
        self.number += 1
        self.title, self.unit, self.step_began, self.processor = title, unit, time.monotonic(), self.used()
        self.done = self.all = 0
        self.last_line = time.monotonic()
        print(f"[{self.number}/{self.count}] {title}", flush=True)

    def skip(self, steps):
        """The step has failed, and so many that follow from it have nothing to do."""
        self.end()
        self.number += steps
        self.title = ""

    def end(self):
        if self.title:
            self.clear()
            far = f": {self.done} of {self.all} {self.unit}" if self.all else ""
            print(f"[{self.number}/{self.count}] {self.title}{far}, {time.monotonic() - self.step_began:.0f} s "
                  f"({self.used() - self.processor:.0f} s of processor time)", flush=True)
            self.title = ""

    def clear(self):
        if self.shown:
            print("\r\033[K", end="")
            self.shown = ""

    def progress(self, done, total):
        self.done, self.all = done, total
        far = f" ... {done} of {total} {self.unit}" if total else ""
        text = f"[{self.number}/{self.count}] {self.title}{far}, {time.monotonic() - self.step_began:.0f} s"
        if self.terminal:
            print(f"\r\033[K{text}", end="", flush=True)
            self.shown = text
        elif time.monotonic() - self.last_line >= BETWEEN_LINES:
            self.last_line = time.monotonic()
            print(text, flush=True)

    def run(self, command, log, pattern=None, show=()):
        """Run a command with its output in a log; the pattern finds how far it is, lines with a word of show are printed. Gives the status."""
        with open(log, "wb") as file:
            try:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                           start_new_session=True)
            except OSError as problem:
                file.write(f"{command[0]}: {problem}\n".encode())
                return 127
            pipe, rest = process.stdout.fileno(), b""
            while True:
                # Time passes, too, where a command says nothing.
                if not select.select([pipe], [], [], 1.0)[0]:
                    self.progress(self.done, self.all)
                    continue
                piece = os.read(pipe, 65536)
                if not piece:
                    return process.wait()
                file.write(piece)
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    self.look(line.decode(errors="replace"), pattern, show)

    def look(self, line, pattern, show):
        if any(word in line for word in show):
            self.clear()
            print(line.rstrip(), flush=True)
        if pattern and (found := re.match(pattern, line)):
            self.progress(int(found[1]), int(found[2]))
