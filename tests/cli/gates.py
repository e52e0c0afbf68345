# SPDX-License-Identifier: MIT
"""Runs of `learn` that a test stops where it wants, whatever the speed of the machine.

The log of the run is a named pipe, and with --checkpoint-interval 0 state and log are written after every epoch, the state first. The program
tells of the state on stderr and then waits at the pipe until the test opens it: a gate. There the run is certainly in the middle, and between
its two writes.
"""
import contextlib
import os
import signal
import time

from program import start


@contextlib.contextmanager
def deadline(what, seconds=150):
    def ring(*_):
        raise TimeoutError(what)
    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def drained(reader):
    """Whether a writer was here: then what it writes is read to its end. A pipe nobody has opened gives nothing at once."""
    try:
        came = bool(os.read(reader, 4096))
    except BlockingIOError:
        came = True
    if came:
        os.set_blocking(reader, True)
        while os.read(reader, 4096):
            pass
    return came


class Gated:
    """A run of these arguments that waits at its gate number `gate`, 1 the first. A resumed run writes its log before it goes on."""

    def __init__(self, arguments, gate, pipe="gate", **options):
        for old in (pipe, pipe + ".next", pipe + ".old"):
            if os.path.exists(old):
                os.remove(old)
        os.mkfifo(pipe)
        self.pipe = pipe
        self.lines = []
        self.process = start(*arguments, "--log", pipe, "--checkpoint-interval", 0, "--progress", "json", **options)
        with deadline(f"the run does not come to its gate {gate}"):
            if "--resume" in arguments:
                self.open_gate()
            for k in range(gate):
                if k > 0:
                    self.open_gate()
                self.wait_for_save()

    def wait_for_save(self):
        """Until a state has been saved, or could not be."""
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            if line.startswith('{"checkpoint"') or "checkpoint not saved" in line:
                return
        raise AssertionError("\n".join(["it ended before its gate:", *self.lines[-5:]]))

    def open_gate(self):
        """Let one opening of the pipe through. The run meets another pipe at its next opening."""
        readers = []  # each pipe that stood here stays open: the run may have looked it up and not have opened it yet
        # Looked at just before the next pipe is opened: a run that has passed an older one waits at the pipe that stands there now.
        while not any([drained(reader) for reader in readers]):
            os.mkfifo(self.pipe + ".next")
            os.link(self.pipe, self.pipe + ".old")
            os.rename(self.pipe + ".next", self.pipe)
            readers.append(os.open(self.pipe + ".old", os.O_RDONLY | os.O_NONBLOCK))
            os.remove(self.pipe + ".old")
            if drained(readers[-1]):
                break
            time.sleep(0.01)
        for reader in readers:
            os.close(reader)

    def next(self):
        with deadline("the run does not come to its next gate"):
            self.open_gate()
            self.wait_for_save()

    def send(self, *numbers):
        """Send signals while the run waits; then nothing stops it. Gives its status and what it says in plain text."""
        for number in numbers:
            self.process.send_signal(number)
            with deadline("the signal is not taken"):
                while number != signal.SIGKILL and self.pending():
                    time.sleep(0.01)
        if numbers:
            time.sleep(0.2)  # any thread may have taken it: its handler runs while the run still waits
        # With a reader the pipe is open to every write that comes from now on.
        reader = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK)
        with deadline("the run does not end"):
            self.lines += self.process.stderr.read().splitlines()
            status = self.process.wait()
        os.close(reader)
        os.remove(self.pipe)
        self.process.stdout.close()
        self.process.stderr.close()
        return status, [line for line in self.lines if not line.startswith("{")]

    def pending(self):
        """Whether a signal has not been taken by any thread yet."""
        try:
            with open(f"/proc/{self.process.pid}/status") as file:
                return any(line.startswith("ShdPnd:") and int(line.split()[1], 16) for line in file)
        except FileNotFoundError:
            return False

    def kill(self):
        return self.send(signal.SIGKILL)[0]
