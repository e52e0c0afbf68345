#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sizes, resident memory, start-up time and shared libraries of five ways to build and link; replaces the table of docs/footprint.md between
`<!-- begin footprint -->` and `<!-- end footprint -->`.

usage: scripts/footprint.py [--print]

The folders build-footprint-* keep the builds, so that a second run compiles what changed. --print: no page is written. Each
configuration is built, installed into a folder beside the build, and linked through pkg-config as a user would, without LTO:
    examples/c/quickstart.c   the program whose size and memory the table has
    start.c (below)           makes a context and ends: memory and time at start-up
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/footprint.md"
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


def measure(name, row):
    options, package, link_options, archive = row
    prefix, pc = build(options)
    env = {"LD_LIBRARY_PATH": str(pc.parent), "PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1"}
    work = prefix / "programs"
    work.mkdir()
    start = work / "start.c"
    header = package.replace("-", "_") + ".h"
    start.write_text(START.replace("@HEADER@", header).replace("@USE@", USES[package]))
    quickstart = link(work, ROOT / "examples/c/quickstart.c", pc, package, [*link_options, "-Wl,--no-as-needed"], archive)
    program_size, quick = quickstart.stat().st_size, resident(quickstart, env)
    expected = (ROOT / "examples/quickstart.txt").read_text()
    # Targets without fused multiply-add differ in the last digits: the scalar one is everywhere.
    if run(quickstart, env={**env, "ATP_SIMD": "scalar"}) != expected:
        raise SystemExit(f"{name}: the quickstart does not print {expected}")
    starter = link(work, start, pc, package, link_options, archive)
    ours = 0 if archive else sum(stripped_bytes(pc.parent / f"lib{p}.so", work)
                                 for p in (["attopotts"] if package == "attopotts" else ["attopotts", "attopotts_io"]))
    return (f"| {name} | {ours / 1000:.0f} | {program_size / 1000:.0f} | {len(loaded(starter, env))} | {resident(starter, env):.1f} | "
            f"{quick:.1f} | {start_time(starter, env):.1f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--print", action="store_true")
    arguments = parser.parse_args()
    lines = ["| configuration | our libraries, kB | program, kB | shared libraries | resident at start, MB | resident in the run, MB | start, ms |",
             "|---|---|---|---|---|---|---|"]
    lines += [measure(name, row) for name, row in CONFIGURATIONS.items()]
    compiler = run("cc", "--version").splitlines()[0]
    table = "\n".join(lines) + f"\n\n{compiler}, {os.uname().machine}.\n"
    print(table)
    if not arguments.print:
        begin, end = "<!-- begin footprint -->\n", "<!-- end footprint -->\n"
        page = PAGE.read_text()
        head, tail = page.split(begin)[0], page.split(end)[1]
        PAGE.write_text(head + begin + table + end + tail)


if __name__ == "__main__":
    main()
