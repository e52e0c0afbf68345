#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Let the installed .pc files find their folders from where they lie, so that an installed tree can be moved; run by Meson.

usage: relocatable.py FOLDER (of the .pc files)
Meson's own option pkgconfig.relocatable refuses a libdir outside the prefix, and derives libdir from `prefix`, which
`pkg-config --define-prefix` sets to a wrong folder where the .pc files are in lib/MULTIARCH. A folder outside the prefix stays absolute. So do
those of the prefix /usr: pkg-config leaves out the system's folders, which it knows by name."""
import os
import pathlib
import re
import sys

prefix = pathlib.PurePath(os.environ["MESON_INSTALL_PREFIX"])
folder = prefix / sys.argv[1]


def moved(line):
    """Meson writes a space as backslash and space."""
    path = prefix / line[2].replace("\\ ", " ").replace("${prefix}/", "")
    if prefix not in (path, *path.parents):
        return line[0]
    place = pathlib.PurePath(os.path.relpath(path, folder)).as_posix().replace(" ", "\\ ")
    return f"{line[1]}=${{pcfiledir}}/{place}"


if prefix in folder.parents and prefix.as_posix() != "/usr":
    for file in pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], sys.argv[1]).glob("attopotts*.pc"):
        file.write_text(re.sub(r"^(prefix|libdir|includedir)=(?!\$\{pcfiledir\})(.*)$", moved, file.read_text(), flags=re.MULTILINE))
