# SPDX-License-Identifier: MIT
"""An install of a build in a temporary prefix, for tests that know nothing but pkg-config's name of the library."""
import re
import shutil
import subprocess
import sys


def run(*command, cwd=None, env=None):
    result = subprocess.run([str(c) for c in command], cwd=cwd, env=env, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nstatus {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def install(build, folder):
    """Install below the folder; gives the prefix, its pkg-config folder and its library folder."""
    run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder / "stage")
    files = list((folder / "stage").rglob("*.pc"))
    prefix = next(re.search(r"^prefix=(.*)$", pc.read_text(), flags=re.M)[1] for pc in files if pc.name == "attopotts.pc")
    real = folder / "prefix"
    shutil.move(str(folder / "stage") + prefix, real)
    for pc in real.rglob("*.pc"):
        # As if it had been configured for this prefix.
        pc.write_text(pc.read_text().replace(f"prefix={prefix}\n", f"prefix={real}\n", 1))
    (pc,) = real.rglob("attopotts.pc")
    return real, pc.parent, pc.parent.parent
