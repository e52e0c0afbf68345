#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The size and the shape of the house, as a table in Markdown. usage: measure.py [REVISION ...]

A column for each revision of Git; without one, a column for the tree itself. Lines are those of files, blank lines and comments included.
A customer of a header is a file that includes it; the .cpp file of the same name does not count.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
from statistics import median

from house import House, named_file
from tree_version import ROOT

TOPS = ("src", "capi", "include", "cli")
SOURCES = (".c", ".cpp", ".h", ".hpp", ".in")
FLAG = re.compile(r'"(?:-\w,)?(--[a-z][a-z0-9-]*(?:,--[a-z][a-z0-9-]*)*)(?:\{[^"{}]*\})?"')


def sources(root, top):
    return sorted(path for path in (root / top).rglob("*") if path.suffix in SOURCES and path.is_file())


def lines(path):
    return path.read_text(encoding="utf-8", errors="replace").count("\n")


def size(paths):
    counts = [lines(path) for path in paths]
    return f"{len(counts)} files, {sum(counts)} lines, median {median(counts):.0f}" if counts else "-"


def rooms(root):
    """Rooms of src, and the other tops: {name: size}."""
    found = {f"src/{folder.name}": size(sources(root, f"src/{folder.name}")) for folder in sorted((root / "src").iterdir()) if folder.is_dir()}
    found.update({top: size(sources(root, top)) for top in TOPS})
    found["all of these"] = size([path for top in TOPS for path in sources(root, top)])
    return found


def customers(root):
    """Private headers: {path: files that include it}."""
    headers = {path.relative_to(root): set() for top in ("src", "capi", "cli") for path in sources(root, top) if path.suffix in (".h", ".hpp")}
    for path in (path for top in TOPS for path in sources(root, top)):
        source = path.relative_to(root)
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(encoding="utf-8", errors="replace"), re.M):
            target = named_file(root, source, name)
            if target in headers and target.with_suffix("") != source.with_suffix(""):
                headers[target].add(source)
    return headers


def flags(root):
    """Distinct names of flags of the program: texts that are nothing else."""
    return {name for path in sources(root, "cli") for match in FLAG.finditer(path.read_text(encoding="utf-8")) for name in match[1].split(",")}


def count(root, pattern, regex):
    return sum(len(re.findall(regex, path.read_text(encoding="utf-8"), re.M)) for path in root.glob(pattern))


def measures(root):
    headers = customers(root)
    found = rooms(root)
    for top in ("src", "capi", "cli"):
        own = [files for path, files in headers.items() if path.parts[0] == top]
        found[f"headers in {top}, with one customer"] = f"{len(own)}, {sum(len(files) == 1 for files in own)}"
    found["arrows between folders"] = str(len(House(root).arrows))
    found["C functions"] = str(count(root, "include/**/*.h", r"^ATP_(?:IO_|MPI_)?API "))
    found["options of the library"] = str(count(root, "include/attopotts/options.h", r"^\s+ATP_OPT_\w+ = \d+"))
    found["flags of the program"] = str(len(flags(root)))
    found["files meson.build"] = str(len(list(root.rglob("meson.build"))))
    found["lines of Markdown in docs/"] = str(sum(lines(path) for path in (root / "docs").rglob("*.md")))
    found["lines of CHANGELOG.md"] = str(lines(root / "CHANGELOG.md"))
    scripts = [path for top in ("scripts", "tools", "research") for path in (root / top).rglob("*") if path.suffix in (".py", ".sh")]
    found["scripts (scripts, tools, research)"] = f"{len(scripts)} files, {sum(map(lines, scripts))} lines"
    return found


def exported(revision, folder):
    """The tree of a revision in a folder, with the number of its files."""
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    names = subprocess.run(["git", "ls-tree", "-r", "--name-only", revision], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {**measures(pathlib.Path(folder)), "tracked files": str(len(names.splitlines()))}


def main(revisions):
    if revisions and revisions[0].startswith("-"):
        sys.exit(__doc__)
    columns = {}
    for revision in revisions:
        with tempfile.TemporaryDirectory() as folder:
            columns[revision] = exported(revision, folder)
    columns = columns or {"the tree": measures(ROOT)}
    print("| |", " | ".join(columns), "|")
    print("|---|" + "---|" * len(columns))
    for name in dict.fromkeys(name for column in columns.values() for name in column):
        print(f"| {name} |", " | ".join(column.get(name, "-") for column in columns.values()), "|")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
