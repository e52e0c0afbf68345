# SPDX-License-Identifier: MIT
"""Install packages in a bare Debian root as docs/installing.md says, and run its quickstarts. usage: fresh_packages.py FOLDER RESULTS
[--packages FOLDER] [--wheel FOLDER] [--store] (started by fresh-machine.sh, as root and in a namespace of its own)

Each section of the page that has commands is a step, in a layer of its own over the root: over the one with the Debian packages, or over the
bare one for the wheel. What a section needs it must install. --packages: the folder of the .deb files; the tests of packaging/debian/tests
follow. --wheel: the folder of the wheel; a folder without one is skipped. --store: the times, into docs/results/packages.csv and the page.
RESULTS gets a log of each step."""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ci"))
import packages_table  # noqa: E402
from fresh_machine import CLONE, USER, cache_folder, command_of, inside, make_root, mount_system, run  # noqa: E402

PAGE = pathlib.Path("docs/installing.md")
TESTS = "packaging/debian/tests"
PIP = "/etc/pip-of-the-machine.sh"
# Lines at the head of a section whose time is that of the installation.
INSTALLS = ("sudo apt ", "tools/machines/install-julia.sh", "python3 -m venv ", "venv/bin/pip ")
# Nobody answers apt here, and it keeps what it has fetched.
APT = 'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "true";\nBinary::apt::APT::Keep-Downloaded-Packages "true";\n'


def tests(control):
    """Name, packages and restrictions of the tests that Debian's autopkgtest would run."""
    for block in pathlib.Path(control).read_text(encoding="utf-8").split("\n\n"):
        fields = dict(re.findall(r"^(\w+): *(.*)$", block, re.MULTILINE))
        for name in fields.get("Tests", "").split():
            yield name, fields["Depends"].replace(",", " ").split()


class Layer:
    """What is changed in a root, in a folder of its own, over the root as it is."""

    def __init__(self, folder, name, below, cache):
        self.places = {part: folder / name / part for part in ("upper", "work", "root")}
        for place in self.places.values():
            place.mkdir(parents=True)
        self.root, self.lower = self.places["root"], [self.places["upper"], *below]
        self.cache = cache

    def __enter__(self):
        below = ":".join(str(place) for place in self.lower[1:])
        run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={below},upperdir={self.places['upper']},workdir={self.places['work']}", self.root)
        mount_system(self.root)
        run("mount", "--bind", self.cache / "archives", self.root / "var/cache/apt/archives")
        return self

    def __exit__(self, *_):
        run("umount", "--recursive", "--lazy", self.root)


class Walk:
    def __init__(self, results):
        self.results, self.rows, self.failed, self.skipped = results, [], 0, 0

    def part(self, layer, user, script, log):
        """Seconds, status and output of one script."""
        began = time.monotonic()
        with open(log, "a", encoding="utf-8") as out:
            out.write(f"$ {script}\n")
            out.flush()
            status = subprocess.run(command_of(layer.root, user, script), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT).returncode
        return time.monotonic() - began, status

    def step(self, layer, way, name, parts, prints=()):
        """The parts are (user, script): first what installs, then what runs."""
        log = self.results / f"{way}-{re.sub('[^a-z0-9]+', '-', name.lower().replace('+', 'p'))}.log"
        log.unlink(missing_ok=True)
        seconds, status = [], 0
        for user, script in parts:
            taken, status = self.part(layer, user, script, log) if status == 0 and script else (0.0, status)
            seconds.append(taken)
        text = log.read_text(encoding="utf-8", errors="replace")
        missing = [words for words in prints if words not in text]
        passed = status == 0 and not missing
        self.failed += not passed
        print(f"{'ok' if passed else 'FAILED':<8}{way:<12}{name:<24}{seconds[0]:8.1f} s to install {seconds[1]:8.1f} s to run", flush=True)
        if not passed:
            print(f"FAILED {way} {name}: status {status}" + "".join(f", does not print '{words}'" for words in missing) + f", see {log}")
            print(*text.splitlines()[-15:], sep="\n", flush=True)
        elif way != "autopkgtest":
            self.rows.append({"way": way, "step": name, "install_seconds": f"{seconds[0]:.1f}", "run_seconds": f"{seconds[1]:.1f}"})
        return passed

    def skip(self, what):
        self.skipped += 1
        print(f"SKIPPED {what}", flush=True)

    def section(self, layer, way, name, step):
        lines = step.code.splitlines()
        count = next((k for k, line in enumerate(lines) if not line.startswith(INSTALLS)), len(lines))
        scripts = ["\n".join(part) for part in (lines[:count], lines[count:])]
        return self.step(layer, way, name, [(USER, f"set -eu\n[ ! -f {PIP} ] || . {PIP}\n{script}" if script else "") for script in scripts], step.prints)


def machine_pip(root):
    """How this machine's pip reaches packages: its settings in the environment, and copies of the files that they name."""
    settings = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    copies = pathlib.Path(f"{PIP}.d")
    (root / copies.relative_to("/")).mkdir()
    for name, value in settings.items():
        if value.startswith("/") and os.path.exists(value):
            settings[name] = str(copies / name)
            (shutil.copytree if os.path.isdir(value) else shutil.copy)(value, root / settings[name].lstrip("/"))
    (root / PIP.lstrip("/")).write_text("".join(f"export {name}='{value}'\n" for name, value in settings.items()))


def debian(walk, bare, folder, cache, packages):
    """The .deb files, each section over them, then the tests of the packages."""
    with Layer(folder, "debian", [bare], cache) as layer:
        target = pathlib.Path(f"{layer.root}{CLONE}/packages")
        target.mkdir(exist_ok=True)
        for path in sorted(packages.glob("*.deb")):
            shutil.copy(path, target)
        first, *rest = packages_table.steps(PAGE, "deb")
        if not walk.section(layer, "deb", *first):
            return
    julia = subprocess.run(["tools/machines/install-julia.sh", "--path"], capture_output=True).returncode == 0
    for number, (name, step) in enumerate(rest):
        if name == "Julia" and not julia:
            walk.skip("deb Julia: this machine has none either (tools/machines/install-deps.sh --bindings)")
            continue
        with Layer(folder, f"step{number}", layer.lower, cache) as over:
            walk.section(over, "deb", name, step)
    for name, needed in tests(f"{TESTS}/control"):
        with Layer(folder, f"test-{name}", layer.lower, cache) as over:
            script = f"AUTOPKGTEST_TMP=$(mktemp -d) && export AUTOPKGTEST_TMP && {TESTS}/{name}"
            walk.step(over, "autopkgtest", name, [("root", f"apt-get -q install --no-install-recommends {' '.join(needed)}"), (USER, script)])


def wheel(walk, bare, folder, cache, wheels):
    files, chapter = sorted(wheels.glob("attopotts-*.whl")), packages_table.steps(PAGE, "wheel")
    if not files or not chapter:
        walk.skip(f"wheel: {PAGE} has no chapter about it" if files else f"wheel: there is no attopotts-*.whl in {wheels}")
        return
    with Layer(folder, "wheel", [bare], cache) as layer:
        target = pathlib.Path(f"{layer.root}{CLONE}/wheels")
        target.mkdir(exist_ok=True)
        shutil.copy(files[-1], target)
        machine_pip(layer.root)
        for name, step in chapter:
            walk.section(layer, "wheel", name, step)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("folder", "results", "--packages", "--wheel"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).absolute())
    parser.add_argument("--store", action="store_true")
    given = parser.parse_args()
    if given.packages and not list(given.packages.glob("*.deb")):
        parser.error(f"there is no .deb file in {given.packages} (packaging/deb.sh makes them)")
    return given


def main():
    given = arguments()
    # The first process of a namespace ignores what it has no handler for.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: os._exit(128 + number))
    given.results.mkdir(parents=True, exist_ok=True)
    cache, bare, began = cache_folder(), given.folder / "bare", time.monotonic()
    try:
        bare.mkdir()
        make_root(bare, cache)
    except subprocess.CalledProcessError as problem:
        print(f"skipped: no bare root can be made here: {problem}")
        return 77
    (bare / "etc/apt/apt.conf.d/91walk").write_text(APT)
    # Nobody needs the root after a power failure.
    (bare / "etc/dpkg/dpkg.cfg.d/walk").write_text("force-unsafe-io\n")
    inside(bare, "root", "apt-get -q clean")
    print(f"{time.monotonic() - began:.0f} s: a bare Debian 12 with sudo and a user", flush=True)
    walk = Walk(given.results)
    if given.packages:
        debian(walk, bare, given.folder, cache, given.packages)
    if given.wheel:
        wheel(walk, bare, given.folder, cache, given.wheel)
    if given.store and not walk.failed:
        packages_table.store(walk.rows)
    print(f"{len(walk.rows)} steps passed, {walk.failed} failed, {walk.skipped} skipped, {time.monotonic() - began:.0f} s")
    return 1 if walk.failed else 0


if __name__ == "__main__":
    sys.exit(main())
