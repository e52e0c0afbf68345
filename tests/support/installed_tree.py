# SPDX-License-Identifier: MIT
"""An install of a build in a temporary prefix, for tests that know nothing but pkg-config's name of the library."""
import json
import shutil
import subprocess
import sys


def run(*command, cwd=None, env=None):
    result = subprocess.run([str(c) for c in command], cwd=cwd, env=env, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nstatus {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def option(build, name):
    """The value of an option of a build."""
    return next(o["value"] for o in json.loads(run("meson", "introspect", "--buildoptions", build)) if o["name"] == name)


def install(build, folder):
    """Install below the folder, and move the tree to another place; gives the prefix, its pkg-config folder and its library folder."""
    run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder / "stage")
    real = folder / "prefix"
    shutil.move(str(folder / "stage") + option(build, "prefix"), real)
    (pc,) = real.rglob("attopotts.pc")
    return real, pc.parent, pc.parent.parent
