#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pictures of the tutorials, by the commands of their pages. usage: tutorial_pictures.py PROGRAM

PROGRAM is the file attopotts. The commands of each page run in a temporary folder; the pictures that they draw become
docs/results/tutorial_NAME.svg. Takes seconds.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ci"))
from readme_commands import blocks  # noqa: E402
from tree_version import ROOT  # noqa: E402

# The tutorial, and the picture that its page keeps.
PICTURES = {"sample": "losses.svg", "rna": "map.svg"}


def draw(page, picture, program, folder):
    """Runs the page's commands up to the one that draws."""
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    for _, language, lines, _ in blocks((ROOT / f"docs/tutorial-{page}.md").read_text(encoding="utf-8")):
        if language == "sh":
            subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(lines)], cwd=folder, env={**os.environ, "PATH": path}, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if (folder / picture).exists():
            lines = (folder / picture).read_text(encoding="utf-8").splitlines()
            (ROOT / f"docs/results/tutorial_{page}.svg").write_text("".join(line.rstrip() + "\n" for line in lines), encoding="utf-8")
            return
    sys.exit(f"docs/tutorial-{page}.md: its commands draw no {picture}")


def main(arguments):
    if arguments in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    if len(arguments) != 1 or not os.access(arguments[0], os.X_OK):
        sys.exit(__doc__)
    for page, picture in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            draw(page, picture, pathlib.Path(arguments[0]).resolve(), pathlib.Path(folder))
        print(f"docs/results/tutorial_{page}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
