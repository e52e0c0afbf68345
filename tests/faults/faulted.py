# SPDX-License-Identifier: MIT
"""Runs of a program in which one call of the C library fails: how to make them, and what must hold after them.

The environment variable ATP_INJECT names the library that is preloaded (inject.c). A run is one line to a server; thousands of runs take
minutes. What must hold, whatever fails:

- the status is of the documented list, and no signal ends the program;
- a run that fails says so in one line;
- each output is absent, or what was there before, or whole; inputs are as before; nothing else is left;
- a run that reports success has all its outputs, whole, and no call failed that could cost bytes of them;
- a run keeps no more blocks of memory than one without a fault, but where malloc fails.
"""
import os
import shutil
import subprocess
import tempfile
from errno import EACCES, EAGAIN, EINTR, EIO, EMFILE, ENOMEM, ENOSPC, errorcode

CALLS = ("malloc", "open", "read", "write", "fsync", "rename", "close", "mmap", "thread", "truncate", "link", "unlink", "stat")
CALLERS = ("own", "libc", "third")
SHORT, KILL, CUT, HIDE = -1, -2, -3, -4
HOW = {SHORT: "short", KILL: "kill", CUT: "cut", HIDE: "hide", **errorcode}
# How each call fails.
VARIANTS = {
    "malloc": (ENOMEM, ), "open": (EMFILE, EIO, EINTR), "read": (EIO, EINTR, SHORT), "write": (ENOSPC, EIO, EINTR, SHORT),
    "fsync": (EIO, EINTR), "rename": (EIO, ENOSPC), "close": (EIO, EINTR), "mmap": (ENOMEM, ), "thread": (EAGAIN, ), "truncate": (EIO, ),
    "link": (EIO, ), "unlink": (EIO, ), "stat": (EIO, EACCES),
}
# Calls whose failure costs bytes, or the knowledge that they are on the disk.
COSTS = ("write", "fsync", "rename", "close", "truncate")
DONE, FAILED, WRONG, UNCONVERGED, INTERRUPTED = 0, 1, 2, 3, 130


class Outcome:
    """What a run left: status (negative: a signal), stdout, stderr, files by name, and which fault came."""

    def __init__(self, line, folder):
        words = line.split(" ", 6 + len(CALLS) * len(CALLERS))
        status = int(words[0])
        self.status = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        self.fired, self.output, self.live, self.written, self.untouched = (int(word) for word in words[1:6])
        counts = [int(word) for word in words[6:-1]]
        self.seen = {(call, caller): counts[len(CALLERS) * k + j] for k, call in enumerate(CALLS) for j, caller in enumerate(CALLERS)}
        self.path = os.path.basename(words[-1].strip())
        self.streams = []
        for suffix in (".out", ".err"):
            with open(folder + suffix, "rb") as file:
                self.streams.append(file.read())
        self.stderr = self.streams[1].decode(errors="replace")
        self.files = contents(folder)


def contents(folder):
    found = {}
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if not os.path.isdir(path):
            with open(path, "rb") as file:
                found[name] = file.read()
    return found


class Server:
    """A program with its arguments, ready to run in a folder with these files."""

    def __init__(self, command, files, **environment):
        # Where fsync() costs nothing, if there is such a place.
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.TemporaryDirectory(dir=place)
        self.place = os.path.join(self.folder.name, "run")
        self.files = files
        inward, self.to = os.pipe()
        back, outward = os.pipe()
        self.back = os.fdopen(back)
        self.process = subprocess.Popen(command, pass_fds=(inward, outward), stdin=subprocess.DEVNULL,
                                        env={**os.environ, "LD_PRELOAD": os.environ["ATP_INJECT"], "ATP_FAULT_SERVER": f"{inward} {outward}",
                                             "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2", **environment})
        os.close(inward)
        os.close(outward)

    def prepare(self, files=None):
        """The folder as it was before the first run, or with these files."""
        shutil.rmtree(self.place, ignore_errors=True)
        os.mkdir(self.place)
        for name, data in (self.files if files is None else files).items():
            with open(os.path.join(self.place, name), "wb") as file:
                file.write(data)

    def run(self, call="malloc", caller="own", at=0, how=0, persists=0, disk=-1, files=None):
        self.prepare(files)
        return self.again(call, caller, at, how, persists, disk)

    def again(self, call="malloc", caller="own", at=0, how=0, persists=0, disk=-1):
        """A run in the folder as it is."""
        self.send(f"{CALLS.index(call)} {CALLERS.index(caller)} {at} {how} {persists} {disk} 0 1 {self.place}")
        return self.receive()

    def branches(self, call, caller, places, how):
        """The outcomes of a fault at each of these calls (a range), all before a file is touched: one run forks at each of them. At last the
        outcome of that run, which has no fault."""
        self.prepare()
        self.send(f"{CALLS.index(call)} {CALLERS.index(caller)} {places.start} {how} 0 -1 {places[-1]} {places.step} {self.place}")
        for _ in places:
            outcome = self.receive()
            yield outcome
            if outcome.files != self.files:
                self.prepare()
            self.send("on")
        yield self.receive()

    def send(self, line):
        os.write(self.to, f"{line}\n".encode())

    def receive(self):
        line = self.back.readline()
        if not line:
            raise RuntimeError(f"the server ended with {self.process.wait()}")
        return Outcome(line, self.place)

    def close(self):
        os.close(self.to)
        self.process.wait()
        self.back.close()
        self.folder.cleanup()


class Rules:
    """What must hold after a run with a fault. `outputs` are names; `grows` says of an output that it is written again and again, whether a
    content is one that the run may leave."""

    def __init__(self, server, outputs, grows=None):
        self.server, self.outputs, self.grows = server, outputs, grows or {}
        self.whole = server.run()
        again = server.run()
        if any(again.files.get(name) != self.whole.files.get(name) for name in outputs) or self.whole.fired:
            raise RuntimeError(f"two runs differ: {[n for n in outputs if again.files.get(n) != self.whole.files.get(n)]}")
        missing = [name for name in outputs if name not in self.whole.files]
        if self.whole.status not in (DONE, UNCONVERGED) or missing:
            raise RuntimeError(f"status {self.whole.status}, missing {missing}: {self.whole.stderr}")

    def content_problems(self, files, same=lambda name, data, whole: False):
        """`same` says of other bytes whether they have the same content."""
        before, found = self.server.files, []
        for name in self.outputs:
            data = files.get(name)
            if data in (before.get(name), self.whole.files[name]) or (name in self.grows and self.grows[name](data)):
                continue
            if data is not None and same(name, data, self.whole.files[name]):
                continue
            found.append(f"{name} is lost" if data is None else f"{name} is half written ({len(data)} bytes)")
        return found + [f"the input {name} was changed" for name, data in before.items()
                        if name not in self.outputs and files.get(name) != data]

    def litter(self, files):
        return sorted(set(files) - set(self.outputs) - set(self.server.files) - set(self.whole.files))

    def problems(self, outcome, call, how):
        """What is wrong, as lines."""
        found = self.content_problems(outcome.files)
        # A temporary file stays where removing it is what fails, a lock where it cannot be seen that the file is it.
        left = [name for name in self.litter(outcome.files) if not (call == "unlink" or (call == "stat" and name.endswith(".lock")))]
        if left:
            found.append(f"left {', '.join(left)}")
        if outcome.status in (DONE, UNCONVERGED):
            return found + self.success_problems(outcome, call, how)
        if outcome.status not in (FAILED, WRONG):
            return [*found, f"status {outcome.status}"]
        lines = [line for line in outcome.stderr.splitlines() if line.startswith("attopotts: ")]
        if len(lines) != 1 or not outcome.stderr.rstrip("\n").endswith(lines[0]):
            found.append(f"says {outcome.stderr[:300]!r}")
        return found

    def success_problems(self, outcome, call, how):
        """A run goes on where a state or a log could not be saved, with a warning, or a lock is without a number."""
        found = [] if outcome.status == self.whole.status else [f"status {outcome.status} instead of {self.whole.status}"]
        bad = [name for name in self.outputs if outcome.files.get(name) != self.whole.files[name]]
        if bad:
            found.append(f"success, but {', '.join(bad)} is not the new one")
        if outcome.streams[0] != self.whole.streams[0]:
            found.append("success, but other text on standard output")
        folder = call == "open" and outcome.path in (".", os.path.basename(self.server.place)) and how != EACCES
        costs = folder or (call in COSTS and outcome.output and ".lock" not in outcome.path)
        if how > 0 and how != EINTR and costs and "warning: " not in outcome.stderr:
            found.append("success, although the failure could cost bytes")
        return found


def moments(count, stride, offset=0):
    """Every stride-th of 1..count, and the last."""
    return sorted({*range(1 + offset % stride, count + 1, stride), *([count] if count else [])})


def at_moments(rules, call, caller, how, places):
    """How many runs, how many faults that came, and problems, of one fault at these calls."""
    return judged(rules, call, caller, how, ((at, rules.server.run(call, caller, at, how)) for at in places))


def judged(rules, call, caller, how, outcomes):
    runs = fired = 0
    problems = []
    for at, outcome in outcomes:
        runs, fired = runs + 1, fired + (outcome.fired > 0)
        found = rules.problems(outcome, call, how)
        # After some failures of malloc the process ends with its memory, see docs/faults.md.
        if outcome.live > rules.whole.live and call != "malloc":
            found.append(f"keeps {outcome.live} blocks instead of {rules.whole.live}")
        problems += [f"{call} {at} ({caller}, {HOW[how]}, {outcome.path or '?'}): {text}" for text in found]
    return runs, fired, problems


def in_branches(rules, call, caller, how, places):
    """As at_moments(), where no file is touched before the last of the places."""
    whole = []

    def outcomes():
        each = rules.server.branches(call, caller, places, how)
        yield from zip(places, each)
        whole.append(next(each))

    found = judged(rules, call, caller, how, outcomes())
    same = whole[0].seen == rules.whole.seen and all(whole[0].files.get(name) == rules.whole.files[name] for name in rules.outputs)
    return (*found[:2], found[2] + ([] if same and whole[0].fired == 0 else ["the run from which branches went off ends in another way"]))


def of_malloc(rules, stride):
    """Own calls of malloc, every stride-th: (runs, faults that came, problems)."""
    count, untouched = rules.whole.seen["malloc", "own"], rules.whole.untouched
    places = range(1, untouched + 1, stride)
    first = in_branches(rules, "malloc", "own", ENOMEM, places) if places else (0, 0, [])
    rest = at_moments(rules, "malloc", "own", ENOMEM, [at for at in moments(count, stride) if at > untouched])
    return first[0] + rest[0], first[1] + rest[1], first[2] + rest[2]


def sweep(rules, stride, callers=("own", "libc"), offset=0, calls=CALLS, but=()):
    """Runs with every fault of every stride-th call. Yields (call, caller, how, runs, faults that came, problems)."""
    for call in calls:
        for caller in callers:
            count = 0 if (call, caller) in but else rules.whole.seen[call, caller]
            for how in VARIANTS[call] if count else ():
                yield call, caller, HOW[how], *at_moments(rules, call, caller, how, moments(count, stride, offset))
