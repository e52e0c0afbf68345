#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plant the faults of mutants_list.py, one at a time, in a copy of the tree, and see that a test catches each.

The tree is copied to a folder (temporary, or --folder DIR, which is kept and used again) and built there as users get it: release, with
the shared library, which cli-check preloads faults into. First the tests of all chosen faults must pass without a fault. Then for each
fault: its text must be in its file exactly once; it is replaced, and the listed tests are built and run in their order until one fails.
Where all of them pass, the whole suite is built and runs. The last lines are a table: number, file, fault, the test that caught it,
seconds. The status is 0 if every fault was caught, 1 if one survived, 2 if a fault could not be planted or built, or if a test fails
without a fault.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from mutants_list import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = ["--buildtype=release", "-Ddefault_library=both", "-Dtests=enabled", "-Dcli=enabled", "-Dbench=disabled", "-Dthreads=enabled",
           "-Dhdf5=enabled", "-Dfortran=disabled"]


class Unusable(Exception):
    """A fault that cannot be planted or built, or a tree that fails without one."""


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def copy_tree(tree):
    """Copies the files that git knows, in their present state. Unchanged files keep their times, so that a second run builds little."""
    names = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT).stdout.split("\0")
    for name in filter(None, names):
        source, target = ROOT / name, tree / name
        if not source.is_file():
            continue
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


class Build:
    def __init__(self, tree, jobs):
        self.tree, self.build, self.jobs = tree, tree / "build", str(jobs)
        if not (self.build / "build.ninja").exists():
            done = run(["meson", "setup", str(self.build), *OPTIONS], tree)
            if done.returncode != 0:
                raise Unusable(f"meson setup: {done.stdout[-2000:]}{done.stderr}")
        said = self.make(["build.ninja"])  # a build that is there may know an older list of tests
        if said is not None:
            raise Unusable(said)
        self.tests = {test["name"]: test for test in self.introspect("--tests")}
        self.files = {target["id"]: target["filename"] for target in self.introspect("--targets")}

    def introspect(self, what):
        return json.loads(run(["meson", "introspect", what, str(self.build)], self.tree).stdout)

    def targets(self, names):
        """The files that these tests depend on: their programs, and those that scripts run."""
        files = set()
        for name in names:
            if name not in self.tests:
                raise Unusable(f"there is no test {name}")
            for target in self.tests[name]["depends"]:
                files.update(os.path.relpath(path, self.build) for path in self.files[target])
        return sorted(files)

    def make(self, targets):
        """None, or the compiler's messages."""
        done = run(["ninja", "-j", self.jobs, *targets], self.build)
        return None if done.returncode == 0 else done.stdout[-3000:] + done.stderr

    def passes(self, name):
        """Run a test as Meson would. Status 77 is a skip; a test that takes three times its time limit fails."""
        test = self.tests[name]
        env = {**os.environ, "OMP_WAIT_POLICY": "passive", **test["env"]}
        child = subprocess.Popen(test["cmd"], cwd=test["workdir"] or self.build, env=env, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            return child.wait(3 * test["timeout"]) in (0, 77)
        except subprocess.TimeoutExpired:
            return False
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()

    def first_failure(self, names):
        """The first of these tests that fails, None if none does."""
        return next((name for name in names if not self.passes(name)), None)

    def failure_of_all(self):
        """A test of the whole suite that fails, None if none does."""
        run(["meson", "test", "--no-rebuild", "--quiet", "--maxfail", "1", "--num-processes", self.jobs], self.build)
        log = (self.build / "meson-logs" / "testlog.json").read_text()
        results = [json.loads(line) for line in log.splitlines()]
        if not results:
            raise Unusable("the whole suite has no results")
        bad = [r["name"].split(" / ")[-1] for r in results if r["result"] not in ("OK", "SKIP", "EXPECTEDFAIL")]
        return bad[0] + " (whole suite)" if bad else None


def planted(mutant, tree):
    """The text of the fault's file, without the fault and with it."""
    path = tree / mutant.file
    if not path.is_file():
        raise Unusable(f"{mutant.file} is not a file of the tree")
    good = path.read_text()
    if good.count(mutant.old) != 1:
        raise Unusable(f"{mutant.file}: the text to replace is there {good.count(mutant.old)} times, expected once: {mutant.old}")
    return good, good.replace(mutant.old, mutant.new)


def try_mutant(build, mutant):
    """The test that catches a fault, None if none does."""
    path = build.tree / mutant.file
    good, bad = planted(mutant, build.tree)
    path.write_text(bad)
    try:
        for name in [*mutant.tests, None]:
            said = build.make([] if name is None else build.targets([name]))
            if said is not None:
                raise Unusable(f"{mutant.file}: the fault does not compile\n{said}")
            caught = build.failure_of_all() if name is None else build.first_failure([name])
            if caught is not None:
                return caught
        return None
    finally:
        path.write_text(good)


def table(rows):
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def work(folder, chosen, jobs):
    tree = pathlib.Path(folder).resolve() / "tree"
    if ROOT == tree or ROOT in tree.parents and not run(["git", "check-ignore", "-q", str(tree)], ROOT).returncode == 0:
        raise Unusable(f"{tree} is inside the tree that is tested, expected a folder outside")
    copy_tree(tree)
    build = Build(tree, jobs)
    names = list(dict.fromkeys(name for _, mutant in chosen for name in mutant.tests))
    begin = time.monotonic()
    print(f"{len(chosen)} faults, {len(names)} tests; building without a fault in {tree}", flush=True)
    said = build.make(build.targets(names))
    if said is not None:
        raise Unusable(said)
    failed = build.first_failure(names)
    if failed is not None:
        raise Unusable(f"{failed} fails without a fault")
    print(f"all pass without a fault ({time.monotonic() - begin:.0f} s)", flush=True)
    rows, survivors = [("number", "file", "fault", "caught by", "seconds")], 0
    for number, mutant in chosen:
        start = time.monotonic()
        caught = try_mutant(build, mutant)
        survivors += caught is None
        rows.append((str(number), mutant.file, mutant.fault, caught or "SURVIVED", f"{time.monotonic() - start:.0f}"))
        print("  ".join(rows[-1]), flush=True)
    print()
    print(table(rows))
    print(f"{len(chosen) - survivors} caught, {survivors} survived, {time.monotonic() - begin:.0f} s")
    return 1 if survivors else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", metavar="NUMBER", type=int, nargs="*", help="only these faults (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at a time")
    parser.add_argument("--folder", help="where the copy of the tree is built; kept (default: a temporary folder, removed at the end)")
    parser.add_argument("--list", action="store_true", help="list the faults and end")
    flags = parser.parse_args()
    wrong = [number for number in flags.numbers if not 1 <= number <= len(MUTANTS)]
    if wrong:
        parser.error(f"there is no fault {wrong[0]}, expected 1..{len(MUTANTS)}")
    chosen = [(k, MUTANTS[k - 1]) for k in flags.numbers or range(1, len(MUTANTS) + 1)]
    if flags.list:
        print(table([(str(k), mutant.file, mutant.fault, " ".join(mutant.tests)) for k, mutant in chosen]))
        return 0
    # The user's environment must not change the library that the tests see.
    for name in ("ATP_SIMD", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT"):
        os.environ.pop(name, None)
    try:
        if flags.folder:
            return work(flags.folder, chosen, flags.jobs)
        with tempfile.TemporaryDirectory() as folder:
            return work(folder, chosen, flags.jobs)
    except Unusable as problem:
        print(f"mutants: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
