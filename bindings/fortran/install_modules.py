#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Install the .mod files that a Fortran compiler left in a build directory; run by Meson, which has no word for it.

usage: install_modules.py BUILD_DIRECTORY DESTINATION (below the prefix, or absolute)"""
import os
import pathlib
import shutil
import sys

build, destination = sys.argv[1:]
folder = pathlib.Path(destination)
if folder.is_absolute():
    folder = pathlib.Path(os.environ.get("DESTDIR", "") + str(folder))
else:
    folder = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"]) / folder
# A build of shared and static libraries may have two of each, of the same source: any will do.
modules = {path.name: path for path in sorted(pathlib.Path(build).glob("*attopotts_fortran*/attopotts*.mod"))}
if "attopotts.mod" not in modules:
    sys.exit(f"install_modules.py: no attopotts.mod below {build}")
folder.mkdir(parents=True, exist_ok=True)
for name, path in modules.items():
    shutil.copyfile(path, folder / name)
    if "MESON_INSTALL_QUIET" not in os.environ:
        print(f"Installing {path} to {folder}")
