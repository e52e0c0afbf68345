#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copy the library's sources into an R package, as src/attopotts, with a list of the files that R compiles.

usage: meson introspect --targets BUILD | r_sources.py ROOT BUILD PACKAGE
BUILD is the smallest build with files; what HDF5 adds is a list of its own, which `configure` chooses where it finds HDF5."""
import json
import pathlib
import shutil
import sys

root, build, package = map(pathlib.Path, sys.argv[1:])
inside = package / "src/attopotts"
targets = json.load(sys.stdin)
sources = {pathlib.Path(source).resolve().relative_to(root.resolve())
           for target in targets if target["name"] in ("attopotts", "attopotts_io") and target["type"] == "shared library"
           for group in target["target_sources"] for source in group["sources"]}
hdf5 = {path.relative_to(root) for path in (root / "src/io").glob("hdf5_*.cpp")} - sources
assert len(sources) > 100 and pathlib.Path("src/io/hdf5_files.cpp") in sources and len(hdf5) > 5, "Meson lists other files than expected"

headers = [path.relative_to(root) for folder in ("include", "src", "capi") for pattern in ("*.h", "*.hpp") for path in (root / folder).rglob(pattern)]
for path in [*sources, *hdf5, *headers]:
    (inside / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / path, inside / path)
shutil.copytree(root / "config/no_highway", inside / "no_highway")
shutil.copyfile(build / "include/attopotts/version_numbers.h", inside / "include/attopotts/version_numbers.h")


def objects(paths):
    return "".join(f"attopotts/{path.with_suffix('.o')}\n" for path in sorted(paths))


(inside / "objects").write_text(objects(sources))
(inside / "objects-hdf5").write_text(objects(hdf5))
