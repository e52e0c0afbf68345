#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Analyse the code with the tools that follow paths through functions. usage: tools/ci/analyze.py [--folder build-analyze] [--jobs N] [TOOL...]

cppcheck: src, capi and cli, with config/cppcheck-suppressions.txt.
clang:    the static analyzer of clang 14 (clang-tidy, clang-analyzer-*), on the same files, with config/clang-analyzer-accepted.txt.
gcc:      -fanalyzer of GCC 12, which knows C: examples, the glue of R, bench/ranks.c, tests. Tests end by longjmp where something fails, so
          that memory which is not freed or not checked there counts for nothing.

Without TOOL: all. Each must first find a fault that is planted. FOLDER is configured for the commands of the compiler; nothing is built. A
tool that is not installed is skipped. Status 1: something was found; 77: no tool is installed. It leaves a log of results as Meson does."""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import tidy
from tidy import ROOT

CPPCHECK = ["cppcheck", "--quiet", "--enable=warning,portability", "--inline-suppr", "--std=c++17", "--template={file}:{line}: {severity}: {message} [{id}]",
            f"--suppressions-list={ROOT}/config/cppcheck-suppressions.txt", "--suppress=missingInclude"]
SHIPPED = ("src", "capi", "cli")
INCLUDES = ["-Iinclude", "-Isrc", "-Icapi", "-Icli"]
# Not: the order of members, loops over real numbers, and strcpy() into arrays that were measured before.
CLANG = ["--checks=-*,clang-analyzer-*,-clang-analyzer-optin.performance.Padding,-clang-analyzer-security.FloatLoopCounter,"
         "-clang-analyzer-security.insecureAPI.strcpy", "--warnings-as-errors=*"]
GCC = ["-O1", "-fanalyzer", "-fdiagnostics-color=never", "-c", "-o", os.devnull]
NOT_IN_TESTS = ["possible-null-dereference", "possible-null-argument", "use-of-uninitialized-value", "malloc-leak", "file-leak"]
PLANTED = {
    "cppcheck": ("planted.cpp", "int planted(int n) {\n  int a[4] = {0, 1, 2, 3};\n  return n == 4 ? a[4] : a[0];\n}\n", "arrayIndexOutOfBounds"),
    "clang": ("planted.cpp", "int planted(int n) {\n  int *p = nullptr;\n  if (n > 3) p = &n;\n  return n > 2 ? *p : 0;\n}\n", "clang-analyzer-core.NullDereference"),
    "gcc": ("planted.c", "#include <stdlib.h>\nvoid planted(char *p, int n) {\n  free(p);\n  if (n > 3) free(p);\n}\n", "-Wanalyzer-double-free"),
}


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stdout + done.stderr


def lines_of(text):
    return sorted({line for line in text.splitlines() if re.search(r": (error|warning|portability): ", line)})


def with_cppcheck(options, planted):
    if planted:
        return run([*CPPCHECK, planted], options.folder)
    folders = sorted(str(p.relative_to(ROOT)) for top in SHIPPED for p in (ROOT / top).rglob("*.cpp"))
    return run([*CPPCHECK, f"-j{options.jobs}", *INCLUDES, *folders], ROOT)


def with_clang(options, planted):
    if planted:
        return run([tidy.TOOL, "--quiet", *CLANG, planted, "--", "-std=c++17"], options.folder)
    shipped = {path: words for path, words in tidy.commands(options.folder).items()
               if any(path.is_relative_to(top) for top in (*(ROOT / name for name in SHIPPED), options.folder / "cli"))}
    with ThreadPoolExecutor(options.jobs) as pool:
        text = "".join(pool.map(lambda each: tidy.tidy(options.folder, *each, CLANG), list(tidy.groups(shipped))))
    return "\n".join(line for line in text.splitlines() if not accepted(line, options.folder))


def accepted(line, folder):
    """Whether a finding is in the list of those that are wrong, or in a header that is not ours."""
    found = re.match(r"(\S+?):\d+:\d+: error: .*\[([\w.-]+)", line)
    if not found:
        return False
    path = (folder / found[1]).resolve()
    if not path.is_relative_to(ROOT):
        return True
    known = (ROOT / "config/clang-analyzer-accepted.txt").read_text().splitlines()
    return f"{path.relative_to(ROOT)} {found[2]}" in known


def c_files(folder):
    """Each C file with the command of its compiler, without what names outputs."""
    found = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        path = (folder / entry["file"]).resolve()
        if path.suffix != ".c":
            continue
        words, command = iter(shlex.split(entry["command"])), []
        for word in words:
            if word in tidy.OUTPUTS:
                next(words)
            elif word not in tidy.LEFT_OUT and not word.endswith("/ccache") and not word.startswith("-O"):
                command.append(word)
        found.setdefault(path, command)
    return found


def with_gcc(options, planted):
    if planted:
        return run(["gcc", *GCC, planted], options.folder)

    def one(path, command):
        less = [f"-Wno-analyzer-{name}" for name in NOT_IN_TESTS] if path.is_relative_to(ROOT / "tests") else []
        return run([*command, *GCC, *less], options.folder)
    with ThreadPoolExecutor(options.jobs) as pool:
        return "".join(pool.map(lambda each: one(*each), [*c_files(options.folder).items(), *glue_of_r(options.folder)]))


def glue_of_r(folder):
    """The C files of R's package, which Meson does not compile; none without R."""
    if shutil.which("R") is None:
        print("gcc: R is not installed: without its glue", flush=True)
        return []
    # With the part that is made from the headers.
    package = folder / "r"
    shutil.copytree(ROOT / "bindings/r", package, dirs_exist_ok=True)
    subprocess.run([sys.executable, ROOT / "bindings/generate.py", "r", package], check=True, capture_output=True)
    flags = run(["R", "CMD", "config", "--cppflags"], folder).split()
    command = ["gcc", "-std=c11", "-Wall", *flags, f"-I{ROOT}/include", f"-I{folder}/include"]
    return [(path, [*command, str(path)]) for path in sorted((package / "src").glob("*.c"))]


TOOLS = {"cppcheck": ("cppcheck", with_cppcheck), "clang": (tidy.TOOL, with_clang), "gcc": ("gcc", with_gcc)}


def apply(name, options):
    """(result as in Meson's log, what was written)."""
    program, tool = TOOLS[name]
    if shutil.which(program) is None:
        return "SKIP", f"skipped: {program} is not installed (run tools/machines/install-deps.sh --all)"
    file, text, kind = PLANTED[name]
    planted = options.folder / file
    planted.write_text(text)
    seen = tool(options, planted.name)
    if kind not in seen:
        return "FAIL", f"{name} does not find a planted fault:\n{seen}"
    found = lines_of(tool(options, None))
    return ("FAIL" if found else "OK"), "\n".join([*found, f"{len(found)} findings"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*", metavar="TOOL")
    parser.add_argument("--folder", default="build-analyze", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    if unknown := set(options.tools) - set(TOOLS):
        parser.error(f"there is no tool '{min(unknown)}', expected {', '.join(TOOLS)}")
    options.folder = options.folder.resolve()
    tidy.configure(options.folder, ["--buildtype=release", "-Dbench=disabled", "-Dfortran=disabled", "-Ddefault_library=shared", "-Dtests=enabled"])
    results = []
    for name in options.tools or TOOLS:
        began = time.monotonic()
        result, text = apply(name, options)
        print(f"{name}: {text}", flush=True)
        results.append({"name": name, "result": result, "duration": time.monotonic() - began, "stdout": text})
    for place, lines in (("meson-logs/testlog.json", map(json.dumps, results)),
                         ("meson-info/intro-tests.json", [json.dumps([{"name": each["name"], "suite": ["analyze"]} for each in results])])):
        (options.folder / place).parent.mkdir(parents=True, exist_ok=True)
        (options.folder / place).write_text("".join(line + "\n" for line in lines))
    found = {each["result"] for each in results}
    return 1 if "FAIL" in found else 77 if found == {"SKIP"} else 0


if __name__ == "__main__":
    sys.exit(main())
