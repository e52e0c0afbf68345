#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All faults of all calls, kill -9 at 200 moments, a full disk of 200 sizes. tools/ci/faults.sh runs it.

usage: all_faults.py calls | third | kill | disk [--only NAME,...] [--moments N]    lines of docs/results/faults.csv on standard output
"""
import argparse
import random
import signal
import sys
import time

import faulted
import runs
from faulted import CUT, KILL

SEED = 20261124
# Where files change: the dangerous moments of a kill.
DANGEROUS = ("open", "write", "fsync", "rename", "close", "truncate", "link", "unlink")


def report(kind, run, what, tried, fired, problems):
    print(f"{kind},{run},{what},{tried},{fired},{len(problems)}", flush=True)
    print(*problems[:20], sep="\n", end="\n" if problems else "", file=sys.stderr, flush=True)
    return len(problems)


def all_calls(only, stride):
    bad = 0
    part = f" (1 call in {stride})" if stride > 1 else ""
    for name, make in runs.all_runs(runs.inputs()).items():
        if only and name not in only:
            continue
        rules, end = make()
        totals = {("malloc", faulted.HOW[faulted.ENOMEM]): faulted.of_malloc(rules, stride)}
        for call, _, how, tried, fired, problems in faulted.sweep(rules, stride, but=[("malloc", "own")]):
            old = totals.get((call, how), (0, 0, []))
            totals[call, how] = (old[0] + tried, old[1] + fired, old[2] + problems)
        for (call, how), (tried, fired, problems) in totals.items():
            bad += report("calls", name, f"{call} {how}{part}", tried, fired, problems)
        end()
    return bad


def third_party(only, stride):
    """Calls of HDF5, BLIS and others: only the contents of files are judged."""
    bad = 0
    made = runs.all_runs(runs.inputs())
    for name in made:
        if only and name not in only:
            continue
        rules, end = made[name]()
        tried, signals, lost = 0, 0, []
        for at in faulted.moments(rules.whole.seen["malloc", "third"], stride):
            outcome = rules.server.run("malloc", "third", at, faulted.ENOMEM)
            tried, signals = tried + 1, signals + (outcome.status < 0)
            lost += [f"malloc {at} (third): {text}" for text in rules.content_problems(outcome.files, runs.same_rewritten)]
        end()
        if tried:
            bad += report("third", name, f"malloc ENOMEM ({signals} ended by a signal)", tried, tried, lost)
    return bad


def kill_moments(rng, whole, count, seconds):
    """(call, at, how, microseconds): half where files change, a third at calls of malloc, the rest by the clock."""
    dangerous = [(call, at, how, 0) for call in DANGEROUS for at in range(1, whole.seen[call, "own"] + 1)
                 for how in ((KILL, CUT) if call == "write" else (KILL, ))]
    for k in range(count):
        if k % 6 < 3:
            yield rng.choice(dangerous)
        elif k % 6 < 5:
            yield "malloc", rng.randrange(1, whole.seen["malloc", "own"] + 1), KILL, 0
        else:
            yield "malloc", 0, KILL, 1 + int(1e6 * rng.uniform(0, seconds))


def kills(only, count):
    bad = 0
    for name, make in runs.continued(runs.inputs()).items():
        if only and name not in only:
            continue
        run = make()
        begin = time.monotonic()
        run.server.run()
        seconds = time.monotonic() - begin
        rng, problems, killed, left, resumed = random.Random(f"{SEED} {name}"), [], 0, 0, 0
        for call, at, how, after in kill_moments(rng, run.whole, count, seconds):
            outcome = run.server.run(call, "own", at, how, after)
            killed += outcome.status == -signal.SIGKILL
            resumed += run.state in outcome.files
            left += any(".tmp" in file or ".part" in file for file in outcome.files)
            where = f"{name}, {call} {at} ({faulted.HOW[how]}) {after}"
            problems += [f"{where}: the input {file} was changed" for file, data in run.files.items() if outcome.files.get(file) != data]
            rest = run.go_on(outcome)
            if rest.status != run.whole.status:
                problems.append(f"{where}: then status {rest.status}: {rest.stderr[:300]}")
            problems += [f"{where}: then another {file}" for file in run.results
                         if not runs.same_result(file, rest.files.get(file), run.whole.files[file])]
        run.close()
        states = f"{resumed} had a state; " if run.state else ""
        bad += report("kill", name, f"seed {SEED}; {states}{left} left a temporary file", count, killed, problems)
    return bad


def full_disks(only, count):
    """Room for n bytes, n from 0 to all that the run writes."""
    bad = 0
    for name, make in runs.all_runs(runs.inputs()).items():
        if only and name not in only:
            continue
        rules, end = make()
        written = rules.server.run(disk=1 << 40).written
        problems, fired, tried = [], 0, 0
        for size in sorted({int(written * k / count) for k in range(count)}):
            outcome = rules.server.run(disk=size)
            tried, fired = tried + 1, fired + (outcome.fired > 0)
            problems += [f"{name}, room for {size} of {written} bytes: {text}"
                         for text in rules.problems(outcome, "write", faulted.ENOSPC)]
        end()
        bad += report("disk", name, f"room for 0 to {written} bytes", tried, fired, problems)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["calls", "third", "kill", "disk"])
    parser.add_argument("--only", default="", help="names of runs")
    parser.add_argument("--moments", type=int, default=200, help="of kills and of sizes of the disk, for each run")
    parser.add_argument("--stride", type=int, default=1, help="every n-th call")
    chosen = parser.parse_args()
    only = [name for name in chosen.only.split(",") if name]
    bad = {"calls": lambda: all_calls(only, chosen.stride), "third": lambda: third_party(only, chosen.stride),
           "kill": lambda: kills(only, chosen.moments), "disk": lambda: full_disks(only, chosen.moments)}[chosen.part]()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
