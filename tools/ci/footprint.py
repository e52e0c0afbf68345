#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sizes, resident memory, start-up time and shared libraries of five ways to build and link; replaces the table of docs/footprint.md between
`<!-- begin footprint -->` and `<!-- end footprint -->`.

usage: tools/ci/footprint.py [--print]          build, measure, and write the page; --print: write no page
       tools/ci/footprint.py --check BUILD      compare sizes and shared libraries of a build with the page's table; status 1 where one differs
                                               by more than a tenth, 77 where the build is none of the five or of another compiler

The folders build-footprint-* keep the builds, so that a second run compiles what changed. Each configuration is built, installed into a folder
beside the build, and linked through pkg-config as a user would, without LTO:
    examples/c/quickstart.c   the program whose size and memory the table has
    start.c (below)           makes a context and ends: memory and time at start-up
"""
import argparse
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from readme_commands import between  # noqa: E402
from test_targets import introspect  # noqa: E402
from tree_version import ROOT  # noqa: E402

PAGE = ROOT / "docs/footprint.md"
BEGIN, END = "<!-- begin footprint -->", "<!-- end footprint -->"
COLUMNS = ["our libraries, kB", "program, kB", "shared libraries", "resident at start, MB", "resident in the run, MB", "start, ms"]
SIZES = COLUMNS[:3]  # the same in every run
MOST = 0.1  # of these numbers a check allows
OFF = [f"-D{name}=disabled" for name in ("tests", "cli", "fortran", "bench")]
START = """#include <@HEADER@>
#include <stddef.h>
int main(void) {
  atp_context *context;
  if (atp_context_create(NULL, NULL, NULL, &context) != ATP_OK) return 1;
  @USE@
  atp_context_destroy(context);
  return 0;
}
"""
# Runs a program and prints the most memory that was resident, kB. A child of Python would count Python's own.
PEAK = """#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int status;
  struct rusage usage;
  const pid_t child = fork();
  if (child == 0) return argc > 1 && fclose(stdout) == 0 ? execv(argv[1], argv + 1) : 1;
  if (wait4(child, &status, 0, &usage) < 0 || status != 0) return 1;
  return printf("%ld\\n", usage.ru_maxrss) < 0;
}
"""
USES = {"attopotts": "", "attopotts-io": 'const char *kind; (void)atp_file_kind(context, "/", &kind);'}
STATIC = ["-static", "-Wl,--gc-sections"]
# name: (options of meson, package, options of the linker, the archive)
CONFIGURATIONS = {
    "core": ([], "attopotts", [], False),
    "core and files": ([], "attopotts-io", [], False),
    "core, `-Dlinalg=disabled`": (["-Dlinalg=disabled", "-Dio=disabled"], "attopotts", [], False),
    "`-Dprofile=tiny`, archive": (["-Dprofile=tiny"], "attopotts", ["-Wl,--gc-sections"], True),
    "`-Dprofile=tiny`, archive, `-static`": (["-Dprofile=tiny"], "attopotts", STATIC, True),
}
# What a build must have to be measured; those that CONFIGURATIONS name must have been chosen, the others not be disabled.
RELEASE = {"buildtype": "release", "optimization": "3", "debug": False, "b_sanitize": "none", "b_lto": False, "b_coverage": False, "one_library": False,
           "fuzzing": False}
FEATURES = {"attopotts": ["highway", "threads", "linalg", "hardening"], "attopotts-io": ["io", "hdf5", "zlib", "msgpack"]}


def run(*command, env=None):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=env)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def build(options):
    """Build and install; gives the prefix and its folder of pkg-config files."""
    name = "-".join(re.sub(r"\W+", "-", o.removeprefix("-D")) for o in options) or "default"
    tree = ROOT / f"build-footprint-{name}"
    prefix = tree / "prefix"
    if not tree.exists():
        run("meson", "setup", tree, ROOT, "--buildtype=release", f"--prefix={prefix}", *OFF, *options)
    run("ninja", "-C", tree)
    shutil.rmtree(prefix, ignore_errors=True)
    run("meson", "install", "-C", tree, "--quiet")
    (pc,) = prefix.rglob("attopotts.pc")
    return prefix, pc.parent


def link(folder, source, pc, package, link_options, archive):
    """A stripped program; gives its path."""
    program = folder / f"{source.stem}-program"
    flags = run("pkg-config", "--cflags", "--libs", *(["--static"] if archive else []), package,
                env={**os.environ, "PKG_CONFIG_PATH": str(pc)}).split()
    if archive:
        flags = [str(pc.parent / "libattopotts.a") if f == "-lattopotts" else f for f in flags]
    run("cc", "-O2", source, "-o", program, *link_options, *flags)
    run("strip", program)
    return program


def loaded(program, env):
    """The shared libraries of a program, without the kernel's own."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, env=env)
    return [line.split()[0] for line in done.stdout.splitlines() if ".so" in line and "vdso" not in line]


def stripped_bytes(path, folder):
    copy = folder / "stripped"
    run("strip", "-o", copy, path)
    return copy.stat().st_size


def resident(program, env):
    """The most memory that was resident, MB."""
    peak = program.parent / "peak"
    if not peak.exists():
        source = peak.with_suffix(".c")
        source.write_text(PEAK)
        run("cc", "-O2", "-static", source, "-o", peak)
    return int(run(peak, program, env=env)) / 1024


def start_time(program, env, times=40):
    """The shortest of many runs, ms: other work on the machine only adds."""
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        subprocess.run([program], check=True, env=env)
        best = min(best, time.perf_counter() - begin)
    return best * 1000


def compiler():
    return f"{run('cc', '--version').splitlines()[0]}, {os.uname().machine}"


def sizes(row, pc, work):
    """The numbers of SIZES, the environment of the programs, the quickstart, and the program that starts and ends."""
    _, package, link_options, archive = row
    env = {"LD_LIBRARY_PATH": str(pc.parent), "PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1"}
    start = work / "start.c"
    header = package.replace("-", "_") + ".h"
    start.write_text(START.replace("@HEADER@", header).replace("@USE@", USES[package]))
    quickstart = link(work, ROOT / "examples/c/quickstart.c", pc, package, [*link_options, "-Wl,--no-as-needed"], archive)
    starter = link(work, start, pc, package, link_options, archive)
    ours = 0 if archive else sum(stripped_bytes(pc.parent / f"lib{p}.so", work)
                                 for p in (["attopotts"] if package == "attopotts" else ["attopotts", "attopotts_io"]))
    return [ours / 1000, quickstart.stat().st_size / 1000, len(loaded(starter, env))], env, quickstart, starter


def measure(name, row):
    """A line of the table."""
    prefix, pc = build(row[0])
    work = prefix / "programs"
    work.mkdir()
    numbers, env, quickstart, starter = sizes(row, pc, work)
    quick = resident(quickstart, env)
    expected = (ROOT / "examples/quickstart.txt").read_text()
    # Targets without fused multiply-add differ in the last digits: the scalar one is everywhere.
    if run(quickstart, env={**env, "ATP_SIMD": "scalar"}) != expected:
        raise SystemExit(f"{name}: the quickstart does not print {expected}")
    return f"| {name} | " + " | ".join([*(f"{n:.0f}" for n in numbers), f"{resident(starter, env):.1f}", f"{quick:.1f}",
                                        f"{start_time(starter, env):.1f}"]) + " |"


def configurations_of(folder):
    """The names of the configurations that a build has."""
    options = {option["name"]: option["value"] for option in introspect(folder, "buildoptions")}

    def has(row):
        wanted = dict(word.removeprefix("-D").split("=") for word in row[0])
        needed = [] if "profile" in wanted else [*FEATURES["attopotts"], *(FEATURES[row[1]] if row[1] != "attopotts" else [])]
        return all(options[name] == wanted.get(name, "default") for name in ["profile"]) and \
            all(options[name] == wanted[name] if name in wanted else options[name] != "disabled" for name in {*needed, *wanted} - {"profile"})

    if any(options[name] != value for name, value in RELEASE.items()):
        return []
    return [name for name, row in CONFIGURATIONS.items() if has(row)]


def table_of(page):
    """Configuration -> its numbers, and the line below the table, of a page's text."""
    lines = page.split(BEGIN)[1].split(END)[0].strip().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("|")]
    return {row[0]: [float(cell) for cell in row[1:]] for row in rows[2:]}, lines[-1]


def differences(name, stored, measured):
    """A line for each number that is not the page's."""
    return [f"{name}: {column}: {there:.0f} in docs/footprint.md, {here:.0f} in this build" for column, there, here in zip(SIZES, stored, measured)
            if abs(here - there) > MOST * max(here, there)]


def check(folder):
    stored, below = table_of(PAGE.read_text())
    names = configurations_of(folder)
    if not names or not below.startswith(compiler()):
        print("skipped: " + (f"the table is of {below}, this is {compiler()}" if names else "the build is none of the configurations of the table"))
        return 77
    wrong = [f"docs/footprint.md has no row of {name}" for name in CONFIGURATIONS if name not in stored]
    with tempfile.TemporaryDirectory() as place:
        for name in [name for name in names if name in stored]:
            measured = sizes(CONFIGURATIONS[name], folder.absolute() / "meson-uninstalled", pathlib.Path(place))[0]
            print(f"{name}: " + ", ".join(f"{column}: {number:.0f}" for column, number in zip(SIZES, measured)))
            wrong += differences(name, stored[name], measured)
    for line in [*wrong, "run tools/ci/footprint.py"] if wrong else []:
        print(line)
    return int(bool(wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--check", metavar="BUILD", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.check)
    lines = ["| " + " | ".join(["configuration", *COLUMNS]) + " |", "|---" * (1 + len(COLUMNS)) + "|"]
    lines += [measure(name, row) for name, row in CONFIGURATIONS.items()]
    table = "\n".join(lines) + f"\n\n{compiler()}, {datetime.date.today()}."
    print(table)
    if not arguments.print:
        PAGE.write_text(between(PAGE.read_text(), (BEGIN, END), table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
