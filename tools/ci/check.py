#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The part of ./check.sh after the packages are installed: builds configurations, runs their tests, counts."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import count_tests  # noqa: E402
import test_targets  # noqa: E402
from watched import Steps  # noqa: E402

RELEASE = ["--buildtype=release", "-Ddefault_library=both", "-Dtests=enabled", "-Dcli=enabled", "-Dthreads=enabled", "-Dhdf5=enabled",
           "-Dfortran=enabled", "-Dmpi=enabled"]
SANITIZED = ["-Dtests=enabled", "-Dbench=disabled", "-Dfortran=disabled", "-Ddefault_library=static", "-Doptimization=1",
             "-Dc_args=-g1", "-Db_lundef=false", "-Db_ndebug=false"]
# Assertions are on in these (a release build leaves them out), the standard library's bounds checks too.
CHECKED = "-Dcpp_args=-g1 -D_GLIBCXX_ASSERTIONS"
# Poisoning temporaries takes the compiler three times as long with the vector kernels (84 s for simd/gibbs.cpp instead of 26).
BRIEF = CHECKED + " -fno-sanitize-address-use-after-scope -fsanitize=float-cast-overflow"
# The second compiler. A release build of g++ gives some warnings that this one does not, and the other way round.
CLANG = "--native-file=config/clang.ini"
# The second MPI.
MPICH = "-Dmpi_package=mpich"
# AVX2 alone (src/simd/limits.hpp): races do not depend on the vector unit, and each target takes the compiler as long.
ONE_TARGET = " -DHWY_DISABLED_TARGETS=0xF001980"
BARE = ["-Dcli=disabled", "-Dthreads=disabled", "-Dhdf5=disabled"]

# Name, folder, suites (none: all; QUICK: all but these), options of Meson.
QUICK = ["quick"]
NOT_QUICK = {"slow", "packages", "fuzz"}
PLAIN = [("release", "build", QUICK, [*RELEASE, "-Dbench=disabled", "-Dcold_build=true"])]
ALL = [
    # gfortran warns of what it takes for uninitialised in descriptors of allocatable arrays: its warnings are no errors.
    ("release", "build", [], [*RELEASE, "-Dc_args=-Werror", "-Dcpp_args=-Werror", "-Dbench=enabled", "-Dcold_build=true"]),
    # The tests of the library and the program, but not the slow ones and those of sampled distributions (the suite kernel runs that code).
    ("asan", "build-asan", ["unit", "kernel", "api", "theory", "cli", "fuzz", "sanitize", "examples"],
     [*SANITIZED, BRIEF, "-Dcli=enabled", "-Dthreads=enabled", "-Dhdf5=enabled", "-Dcold_build=true",
      "-Db_sanitize=address,undefined"]),
    # Tests that run on several threads (see src/base/team.hpp).
    ("tsan", "build-tsan", ["unit", "api", "sanitize"], [*SANITIZED, *BARE, CHECKED + ONE_TARGET, "-Dcold_build=true", "-Db_sanitize=thread"]),
    # By clang, without threads, HDF5, zlib, msgpack, BLIS and LAPACK.
    ("plain", "build-clang", ["unit", "api", "sanitize"],
     [*SANITIZED, *BARE, CHECKED, "--werror", "-Dzlib=disabled", "-Dmsgpack=disabled", "-Dlinalg=disabled", CLANG]),
    # The smallest library: the core alone.
    ("tiny", "build-tiny", ["api", "examples"], ["--buildtype=release", "-Dprofile=tiny", "-Dtests=enabled"]),
    # Ranks with the second MPI; the others have Open MPI.
    ("mpich", "build-mpich", ["mpi"],
     ["--buildtype=release", "-Doptimization=1", "-Ddefault_library=both", "-Dtests=enabled", "-Dcli=disabled", "-Dbench=disabled",
      "-Dfortran=enabled", "-Dmpi=enabled", "-Dcold_build=true", MPICH]),
]
# Name, title, command, suites that count. The status is 0 (passed), 1 (a test failed) or 77 (skipped). Each may leave a log of single
# tests in build-NAME, as Meson does. Those at the end are the first that --minutes leaves out.
PROGRAMS = [
    ("cross", "cross aarch64", ["tools/platforms/platforms.sh", "--folder", "build-cross", "aarch64"], "kernel"),
    ("tidy", "clang-tidy", ["tools/ci/tidy.py", "build-tidy"], "tidy"),
    # Brief: ./check.sh is what runs here.
    ("fresh", "the READMEs on a bare machine", ["tools/machines/fresh-machine.sh", "--results", "build-fresh", "--brief"], "fresh"),
    # The third tool takes ten minutes of a processor: by hand.
    ("analyze", "analysers", ["tools/ci/analyze.py", "--folder", "build-analyze", "cppcheck", "gcc"], "analyze"),
    ("reproducible", "reproducible builds", ["tools/release/reproducible.sh", "--tiny"], "reproducible"),
    # Speed, as ratios to plain code; it needs the step release.
    ("guard", "ratios of speed", ["bench/guard.py", "build"], "guard"),
    # Tests that the step release counts as skipped. Not in --all, see BY_NAME.
    ("packages", "packages", ["tools/release/packages.py", "build", "build-packages"], "packages"),
]

# Minutes on two processors without anything else, for --minutes; those of release include what runs beside it.
MINUTES = {"release": 22, "asan": 15, "tsan": 5.5, "plain": 2, "tiny": 1.7, "mpich": 1.3, "cross": 2.5, "tidy": 2, "fresh": 0.5,
           "analyze": 1.8, "reproducible": 1.8, "guard": 0.8, "packages": 50}

# Too long for --all, which is to end within an hour: --only names it.
BY_NAME = {"packages"}

# Programs that begin with the first step, and run beside the others until it is their turn: this one installs packages on one processor for
# much of its time.
BESIDE = {"fresh"}

ENVIRONMENT = {
    # With stacks of 8 calls instead of 30 the program starts in an eighth less time, and tests start it thousands of times.
    "ASAN_OPTIONS": "detect_leaks=1:halt_on_error=1:abort_on_error=0:allocator_may_return_null=1:strict_string_checks=1:"
                    "detect_stack_use_after_return=1:malloc_context_size=8",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
    # Tests run side by side: waiting threads sleep.
    "OMP_WAIT_POLICY": "passive",
    # Without it ccache stores nothing that was compiled with a precompiled header.
    "CCACHE_SLOPPINESS": "pch_defines,time_macros",
}
# With fewer threads than the tests request, they could not find races.
UNSET = ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "ATP_SIMD", "ATP_TEST_QUICK")


def tail(path, lines, pattern=None):
    text = pathlib.Path(path).read_text(errors="replace").splitlines()
    if pattern:
        first = next((n for n, line in enumerate(text) if any(p in line for p in pattern)), max(0, len(text) - lines))
        text = text[first:]
        return "\n".join(text[:lines])
    return "\n".join(text[-lines:])


def configure(steps, folder, options):
    log = f"{folder}.log"
    # A log of an earlier run must not speak for this one.
    pathlib.Path(folder, "meson-logs/testlog.json").unlink(missing_ok=True)
    attempts = [["meson", "setup", folder, *options]]
    if pathlib.Path(folder, "build.ninja").exists():
        attempts = [["meson", "setup", "--reconfigure", folder, *options], ["meson", "setup", "--wipe", folder, *options]]
    return any(steps.run(command, log) == 0 for command in attempts)


def failures(folder):
    """The ends of what failed tests wrote."""
    log = pathlib.Path(folder, "meson-logs/testlog.json")
    for line in log.read_text().splitlines() if log.exists() else []:
        test = json.loads(line)
        if test["result"] not in ("OK", "SKIP", "EXPECTEDFAIL"):
            written = (test.get("stdout") or "") + (test.get("stderr") or "")
            print(f"-- {test['name']}: {test['result']}, the end of what it wrote:", *written.splitlines()[-40:], sep="\n")


def check(steps, folder, suites, options, jobs):
    """Gives the suites that count."""
    steps.begin(f"building {folder}", "steps")
    if not configure(steps, folder, options):
        print(tail(f"{folder}.log", 20))
        steps.skip(1)
        return []
    targets = []
    if suites == QUICK:
        suites = sorted(set().union(*(test_targets.suites_of(t) for t in test_targets.introspect(folder, "tests"))) - NOT_QUICK)
        # Tests of bindings install what was built.
        targets = test_targets.targets(folder, suites, installed=True)
    elif suites:
        targets = test_targets.targets(folder, suites)
    if steps.run(["ninja", "-C", folder, f"-j{jobs}", *targets], f"{folder}.log", r"\[(\d+)/(\d+)\]") != 0:
        print(tail(f"{folder}.log", 40, ("FAILED", "error:")))
        steps.skip(1)
        return suites
    steps.begin(f"testing {folder}", "tests")
    chosen = [word for suite in suites for word in ("--suite", suite)]
    # Some tests wait most of their time: one more than there are processors fills these.
    command = ["meson", "test", "-C", folder, "--no-rebuild", f"--num-processes={jobs + 1}",
               # For busy machines: a time limit is there to end what hangs.
               "--timeout-multiplier=4", *chosen]
    if steps.run(command, f"{folder}-tests.log", r"\s*(\d+)/(\d+) ", show=(" FAIL ", " TIMEOUT ", " ERROR ", " INTERRUPT ")) != 0:
        failures(folder)
    return suites


# Prints a file that a process writes, until the process has ended.
FOLLOW = """
import os, sys, time
with open(sys.argv[1]) as file:
    running = True
    while running:
        running = os.path.exists("/proc/" + sys.argv[2])
        print(file.read(), end="", flush=True)
        time.sleep(0.5 * running)
"""


class Beside:
    """A program that runs beside the steps until it is its turn."""

    def __init__(self, name, command):
        self.log = f"build-{name}-beside.log"
        shutil.rmtree(f"build-{name}", ignore_errors=True)
        with open(self.log, "wb") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        # Its number is in /proc until somebody has waited for it.
        threading.Thread(target=self.process.wait, daemon=True).start()

    def follow(self, run):
        run([sys.executable, "-c", FOLLOW, self.log, str(self.process.pid)])
        return self.process.wait()


def program(steps, name, title, command, suites, beside=None):
    """Run it, or wait for its end; its results count like those of a folder of Meson."""
    steps.begin(title, "steps")
    folder = pathlib.Path(f"build-{name}")
    began = time.monotonic()
    log = f"build-{name}.log"

    def run(words):
        return steps.run(words, log, r"\[(\d+)/(\d+)\]", show=("FAILED", "SKIPPED"))

    if beside is not None:
        status = beside.follow(run)
    else:
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.exists(command[0]):
            status = run(command)
        else:
            pathlib.Path(log).write_text(f"skipped: there is no {command[0]}\n")
            status = 77
    if status == 77:
        print(f"== SKIPPED {title}: {tail(log, 1)}", flush=True)
    elif status != 0:
        print(tail(log, 40))
    if status not in (0, 1) or not (folder / "meson-logs/testlog.json").exists():
        record(folder, title, {0: "OK", 77: "SKIP"}.get(status, "FAIL"), tail(log, 100), suites, time.monotonic() - began)


def record(folder, title, result, output, suites, seconds=0.0):
    """Write down one result as Meson does, for count_tests.py."""
    for place, text in (("meson-logs/testlog.json", json.dumps({"name": title, "result": result, "duration": seconds, "stdout": output})),
                        ("meson-info/intro-tests.json", json.dumps([{"name": title, "suite": suites.split(",")}]))):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text + "\n")


def without_clang(configurations):
    """What g++ builds instead where clang is not installed, and a place whose log says so: it counts as skipped."""
    missing = [tool for tool in ("clang-14", "clang++-14") if shutil.which(tool) is None]
    if not missing or not any(CLANG in options for _, _, _, options in configurations):
        return configurations, []
    reason = f"{missing[0]} is not installed (run tools/machines/install-deps.sh --all)"
    print(f"== SKIPPED the second compiler: {reason}; g++ builds instead", flush=True)
    record(pathlib.Path("build-clang"), "second compiler", "SKIP", f"skipped: {reason}", "clang")
    return [(name, f"build-{name}" if CLANG in options else folder, suites, [option for option in options if option != CLANG])
            for name, folder, suites, options in configurations], ["clang=build-clang:clang"]


def without_mpich(configurations):
    """The configurations that can be built, and a place whose log names the one that cannot: it counts as skipped."""
    if shutil.which("mpicc.mpich") is not None or not any(MPICH in options for _, _, _, options in configurations):
        return configurations, []
    reason = "mpicc.mpich is not installed (run tools/machines/install-deps.sh --all)"
    print(f"== SKIPPED the second MPI: {reason}", flush=True)
    record(pathlib.Path("build-mpich"), "second MPI", "SKIP", f"skipped: {reason}", "mpich")
    return [entry for entry in configurations if MPICH not in entry[3]], ["mpich=build-mpich:mpich"]


class Deadline:
    """Tells of steps that would not end in time."""

    def __init__(self, minutes):
        self.minutes, self.began = minutes, time.monotonic()

    def passes(self, name, folder, suites):
        """Whether a step has time; otherwise it is written down as skipped."""
        needed, used = MINUTES.get(name, 0), (time.monotonic() - self.began) / 60
        if self.minutes is None or used + needed <= self.minutes:
            return True
        reason = f"{name} takes about {needed:g} minutes, and {used:.0f} of {self.minutes:g} are over"
        print(f"== SKIPPED {reason}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        record(pathlib.Path(folder), name, "SKIP", f"skipped: {reason}", suites)
        return False


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="all steps instead of the release build and its quick tests")
    names = [entry[0] for entry in ALL + PROGRAMS]
    parser.add_argument("--only", metavar="NAMES", default="", help=f"only these steps, with commas between: {', '.join(names)}")
    parser.add_argument("--minutes", type=float, metavar="M", help="leave out, as skipped, the steps that would not end within M minutes")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    arguments.all = arguments.all or bool(arguments.only)
    arguments.only = arguments.only.split(",") if arguments.only else [name for name in names if name not in BY_NAME]
    for name in arguments.only:
        if name not in names:
            parser.error(f"--only: there is no step '{name}', expected {', '.join(names)}")
    return arguments


def main():
    arguments = read_arguments()
    os.environ.update(ENVIRONMENT)
    # Example alignments that are not part of the project; the tests that read them are skipped where they are missing.
    if os.path.isdir("../shared/data"):
        os.environ["ATP_SHARED_DATA"] = os.path.abspath("../shared/data")
    for name in UNSET:
        os.environ.pop(name, None)
    # Some tests leave their slowest parts to --all.
    if not arguments.all:
        os.environ["ATP_TEST_QUICK"] = "1"
    configurations = [entry for entry in ALL if entry[0] in arguments.only] if arguments.all else PLAIN
    programs = [entry for entry in PROGRAMS if entry[0] in arguments.only] if arguments.all else []
    configurations, places = without_clang(configurations)
    configurations, more = without_mpich(configurations)
    places += more
    steps = Steps(2 * len(configurations) + len(programs))
    beside = {name: Beside(name, command) for name, _, command, _ in programs if name in BESIDE and os.path.exists(command[0])}
    deadline = Deadline(arguments.minutes)
    for name, folder, suites, options in configurations:
        in_time = deadline.passes(name, folder, "late")
        counted = check(steps, folder, suites, options, max(1, arguments.jobs)) if in_time else ["late"]
        places.append(f"{name}={folder}" + (":" + ",".join(counted) if counted else ""))
    for each in programs:
        if deadline.passes(each[0], f"build-{each[0]}", each[3]):
            program(steps, *each, beside.get(each[0]))
        elif each[0] in beside:
            beside[each[0]].process.terminate()
    steps.end()
    return count_tests.main(places + [f"{name}=build-{name}:{suites}" for name, _, _, suites in programs])


if __name__ == "__main__":
    sys.exit(main())
