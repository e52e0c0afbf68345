#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run clang-tidy 14 with the checks of .clang-tidy over src, capi and cli. usage: tools/ci/tidy.py [--jobs N] [FOLDER [FILE...]]

FOLDER (default build-tidy) is configured for the commands of the compiler; nothing is built. Files of a folder that are compiled alike are
checked several at a time, as one, because most of the time goes into headers; where their names collide they are checked one by one.
With FILEs only those are checked. Status 1: something was found; 77: clang-tidy is not installed."""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = "clang-tidy-14"
OPTIONS = ["--buildtype=release", "-Dtests=disabled", "-Dbench=disabled", "-Dfortran=disabled", "-Ddefault_library=shared"]
TOGETHER = 10
# Of the compiler's command: what names its output, and what clang does not know.
OUTPUTS = ("-o", "-MF", "-MQ", "-MT")
LEFT_OUT = ("-c", "-MD", "-MMD", "ccache")


def configure(folder, options=OPTIONS):
    if not (folder / "build.ninja").exists():
        done = subprocess.run(["meson", "setup", folder, *options], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"meson setup failed:\n{done.stdout}{done.stderr}")


def commands(folder):
    """Each C++ file of src, capi and cli once, with the arguments of its compiler; Meson's joined files of the program count as files."""
    found = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        path = (folder / entry["file"]).resolve()
        words = iter(shlex.split(entry["command"]))
        arguments = []
        for word in words:
            if word in OUTPUTS:
                next(words)
            elif word not in LEFT_OUT and word != entry["file"]:
                arguments.append(word)
        if path.suffix == ".cpp" and not path.is_relative_to(ROOT / "bindings"):
            found.setdefault(path, tuple(arguments[1:]))
    return found


def groups(found):
    """Lists of files with their arguments, what takes longest first: vector kernels, which are compiled for many targets, and the program."""
    alike = {}
    for path, arguments in found.items():
        alone = path.parent.name == "simd" or not path.is_relative_to(ROOT / "src") and not path.is_relative_to(ROOT / "capi")
        alike.setdefault((not alone, path if alone else path.parent, arguments), []).append(path)
    for (_, _, arguments), paths in sorted(alike.items(), key=lambda entry: entry[0][0]):
        for first in range(0, len(paths), TOGETHER):
            yield paths[first:first + TOGETHER], arguments


def tidy(folder, paths, arguments, checks=(f"--config-file={ROOT}/.clang-tidy",)):
    """What is found in these files."""
    source = paths[0]
    if len(paths) > 1:
        source = folder / f"tidy-{paths[0].parent.name}-{paths[0].stem}.cpp"
        source.write_text("".join(f'#include "{path}"\n' for path in paths))
    done = subprocess.run([TOOL, "--quiet", *checks, source, "--", *arguments], cwd=folder, capture_output=True, text=True)
    if len(paths) > 1 and "clang-diagnostic-error" in done.stdout:
        return "".join(tidy(folder, [path], arguments, checks) for path in paths)
    return done.stdout if done.returncode == 0 or done.stdout else done.stdout + done.stderr


def sees_a_planted_fault(folder):
    planted = folder / "tidy-planted.cpp"
    planted.write_text("int *nothing = 0;\n")
    return "modernize-use-nullptr" in tidy(folder, [planted], ("-std=c++17",))


def findings(text):
    """Each finding with the lines that belong to it."""
    found = []
    for line in text.splitlines():
        if ": error: " in line or ": warning: " in line:
            found.append([line])
        elif found:
            found[-1].append(line)
    return ["\n".join(lines) for lines in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="build-tidy", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    if shutil.which(TOOL) is None:
        print(f"skipped: {TOOL} is not installed (run tools/machines/install-deps.sh --all)")
        return 77
    folder = arguments.folder.resolve()
    configure(folder)
    if not sees_a_planted_fault(folder):
        sys.exit(f"tidy.py: {TOOL} does not find a planted fault")
    found = commands(folder)
    if arguments.files:
        found = {path: found[path] for path in arguments.files}
    todo, seen = list(groups(found)), set()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for number, done in enumerate(as_completed([pool.submit(tidy, folder, *each) for each in todo]), 1):
            # Those in headers come with every file that includes them.
            for finding in findings(done.result()):
                if finding not in seen:
                    seen.add(finding)
                    print(finding)
            print(f"[{number}/{len(todo)}]", flush=True)
    print(f"{len(found)} files, {len(seen)} findings")
    return 1 if seen or not found else 0


if __name__ == "__main__":
    sys.exit(main())
