# SPDX-License-Identifier: MIT
"""Walk through the commands of the READMEs and of docs/building.md in a bare Debian root. usage: fresh_machine.py FOLDER RESULTS (started by fresh-machine.sh, as
root and in a namespace of its own for mounts and processes)

The walk of a user comes first, on a machine with the packages of debootstrap's minbase, sudo and its user. The walk of root finds the build of
the first and has to install a package of each list again. RESULTS gets WALK-NUMBER.log for each step and logs for count_tests.py."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ci"))
from readme_commands import steps  # noqa: E402

SUITE = "bookworm"
CLONE = "/srv/attopotts"
USER = "walker"
READMES = ["README.md", "docs/building.md", *(f"bindings/{name}/README.md" for name in ("fortran", "r", "julia", "python"))]
# Packages that the walk of root has to install again: of --build, of the tests and of --bindings.
AGAIN = ["libcli11-dev", "libcmocka-dev", "r-cran-tinytest"]
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
INTERPRETERS = {
    "sh": "sh -eu {file}",
    "r": "Rscript {file}",
    "julia": "$(tools/machines/install-julia.sh --path) --startup-file=no {file}",
    "python": "$([ -x venv/bin/python ] && echo venv/bin/python || echo python3) {file}",
    "fortran": "cp {file} program.f90 && gfortran program.f90 -o program $(pkg-config --cflags --libs attopotts-fortran) && ./program",
}


def run(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, **options)


def cache_folder():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/root"), ".cache")
    folder = pathlib.Path(home, "attopotts/fresh").absolute()
    for name in ("debootstrap", "archives"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return folder


def share_archives(source, target):
    """Packages that the other folder lacks."""
    target.mkdir(parents=True, exist_ok=True)
    for package in source.glob("*.deb"):
        if not (target / package.name).exists():
            shutil.copy2(package, target)


def mirror():
    """Where this machine has its packages from."""
    # The entry names a suite in the older form and an address in both.
    entry = subprocess.run(["tools/machines/install-julia.sh", "--entry"], capture_output=True, text=True).stdout
    found = re.search(r"\b(?:https?|file|copy|ftp):\S+", entry)
    return found[0] if found else "http://deb.debian.org/debian"


def mount_system(root):
    """What every root has beside its files."""
    for kind, place in (("proc", "proc"), ("tmpfs", "dev/shm")):
        (root / place).mkdir(exist_ok=True)
        run("mount", "-t", kind, kind, root / place)
    run("mount", "-t", "devpts", "-o", "newinstance,ptmxmode=666,gid=5", "devpts", root / "dev/pts")


def make_root(root, cache):
    """A bare machine, with a way to its packages, sudo and a user."""
    run("debootstrap", "--variant=minbase", f"--cache-dir={cache / 'debootstrap'}", SUITE, root, mirror())
    mount_system(root)
    # How this machine's apt reaches packages, but for its files and folders.
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True).stdout
    ways = [line for line in dump.splitlines() if re.match(r"Acquire::(https?(::|\s)|Check-|Retries|Languages)", line) and "/" not in line.split()[0]]
    (root / "etc/apt/apt.conf.d/90machine").write_text("\n".join(ways) + "\n")
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    shutil.copy("/etc/hosts", root / "etc/hosts")
    share_archives(cache / "archives", root / "var/cache/apt/archives")
    inside(root, "root", "apt-get -q update && apt-get -q install -y --no-install-recommends sudo")
    inside(root, "root", f"useradd --create-home --shell /bin/sh {USER} && echo '{USER} ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/{USER}")
    run("git", "clone", "--quiet", "--no-hardlinks", pathlib.Path.cwd(), f"{root}{CLONE}")
    inside(root, "root", f"chown -R {USER} {CLONE}")


def command_of(root, user, script):
    home = "/root" if user == "root" else f"/home/{user}"
    where = CLONE if os.path.isdir(f"{root}{CLONE}") else "/"
    # The program is in build/cli until it is installed.
    environment = [f"HOME={home}", f"USER={user}", f"PATH={PATH}:{CLONE}/build/cli", "DEBIAN_FRONTEND=noninteractive"]
    return ["chroot", str(root), "runuser", "-u", user, "--", "env", "-i", *environment, "sh", "-c", f"cd {where} && {script}"]


def inside(root, user, script):
    run(*command_of(root, user, script), stdin=subprocess.DEVNULL)


class Walk:
    def __init__(self, root, results, brief):
        self.root, self.results, self.number, self.records, self.brief = root, results, 0, [], brief

    def step(self, user, step, title):
        self.number += 1
        name = f"{user} {title}"
        print(f"[{self.number}/{self.total}] {name}", flush=True)
        file = f"{CLONE}/.walk.{step.language}"
        pathlib.Path(f"{self.root}{file}").write_text(step.code)
        os.chmod(f"{self.root}{file}", 0o644)
        script = INTERPRETERS[step.language].format(file=file)
        log = self.results / f"{user}-{self.number:02}.log"
        began = time.monotonic()
        with open(log, "w") as out:
            out.write(f"# {name}\n{step.code}# output\n")
            out.flush()
            status = subprocess.run(command_of(self.root, user, script), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT).returncode
        seconds = time.monotonic() - began
        output = log.read_text(errors="replace").partition("# output\n")[2]
        missing = [text for text in step.prints if text not in output]
        result = "OK" if status == 0 and not missing else "FAIL"
        if result != "OK":
            print(f"FAILED {name}: status {status}" + "".join(f", does not print '{text}'" for text in missing) + f", see {log}", flush=True)
        print(f"{seconds:7.1f} s  {result}  {name}", flush=True)
        self.records.append({"name": name, "result": result, "duration": seconds, "stdout": output[-20000:]})

    def go(self):
        # A brief walk leaves out the bindings as root; tools/machines/fresh-machine.sh alone has them, too.
        pages = [page for page in READMES if not (self.brief and page.startswith("bindings/"))]
        walks = [(USER, [s for readme in READMES for s in steps(readme, first=not self.brief)]), ("root", [s for readme in pages for s in steps(readme, first=False)])]
        self.total = sum(len(found) for _, found in walks)
        for user, found in walks:
            if user == "root":
                self.second_walk()
            for k, step in enumerate(found):
                self.step(user, step, f"{step.place} {step.language}")
                if k == 0:
                    inside(self.root, user, f"sh {CLONE}/tools/machines/walk_data.sh")

    def second_walk(self):
        """The machine as it was before the first walk, but for the build and most of the packages."""
        inside(self.root, "root", f"ninja -C {CLONE}/build uninstall > /dev/null && ldconfig && chown -R root {CLONE}")
        # Sources that have not changed keep their times, and the build stays up to date: `status` compares contents, for all owners have changed.
        for command in (["status"], ["checkout", "--quiet", "."], ["clean", "--quiet", "-ffdx", "--exclude=/build/"]):
            run("git", "-C", f"{self.root}{CLONE}", "-c", "safe.directory=*", *command, stdout=subprocess.DEVNULL)
        inside(self.root, "root", f"apt-get -q purge -y {' '.join(AGAIN)}")

    def write(self):
        for place, lines in (("meson-logs/testlog.json", [json.dumps(r) for r in self.records]),
                             ("meson-info/intro-tests.json", [json.dumps([{"name": r["name"], "suite": ["fresh"]} for r in self.records])])):
            (self.results / place).parent.mkdir(parents=True, exist_ok=True)
            (self.results / place).write_text("\n".join(lines) + "\n")


def main():
    root, results = (pathlib.Path(a).absolute() for a in sys.argv[1:3])
    # The first process of a namespace ignores what it has no handler for.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: os._exit(128 + number))
    results.mkdir(parents=True, exist_ok=True)
    cache = cache_folder()
    began = time.monotonic()
    try:
        make_root(root, cache)
    except subprocess.CalledProcessError as problem:
        print(f"skipped: no bare root can be made here: {problem}")
        return 77
    print(f"{time.monotonic() - began:7.1f} s  a bare Debian 12 with sudo and a user", flush=True)
    walk = Walk(root, results, sys.argv[3:] == ["--brief"])
    try:
        walk.go()
    finally:
        walk.write()
        share_archives(root / "var/cache/apt/archives", cache / "archives")
    failed = sum(r["result"] != "OK" for r in walk.records)
    print(f"{len(walk.records) - failed} passed, {failed} failed, 0 skipped, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
