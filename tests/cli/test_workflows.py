#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""examples/workflows: 40 families with GNU parallel, Snakemake and Slurm's array, by the blocks of docs/clusters.md.

One family fails, the program is killed by SIGKILL while it trains another one, and the queue itself is killed: the
same command continues. The numbers must be those of plain commands without an interruption.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import PROGRAM, Case, main, must, numbers_of, slow

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/ci"))
from readme_commands import blocks  # noqa: E402

PAGE = ROOT / "docs/clusters.md"
FAMILIES, BAD, LONG = 40, "f5", "f7"
MOST = 300  # seconds

# Stands for the program in PATH. The first run of the long family saves each state, and is killed at the first one; with the file `wait`
# it runs on until the test kills it.
STAND_IN = f"""#!/bin/sh
case "$*" in
  *families/{LONG}.fasta*--checkpoint*)
    if [ ! -e tried ]; then
      touch tried
      '{PROGRAM}' "$@" --checkpoint-interval 0 &
      until [ -s results/{LONG}.state ]; do sleep 0.01; done
      [ ! -e wait ] || {{ kill -STOP $! && touch stopped && wait; }}
      kill -KILL $!
      wait $!
      exit
    fi ;;
esac
exec '{PROGRAM}' "$@"
"""


def block(beginning):
    """The block of the page that begins so."""
    found = [text for _, _, lines, _ in blocks(PAGE.read_text()) if (text := "\n".join(lines)).startswith(beginning)]
    assert len(found) == 1, (beginning, found)
    return found[0]


def bodies(folder):
    """File -> the lines of each table; whether each model is there; the numbers of the model whose training was killed."""
    found = {path.name: [line for line in path.read_text().splitlines() if not line.startswith("#")] for path in folder.glob("*.csv")}
    found.update({path.name: numbers_of(path) if path.stem == LONG else True for path in folder.glob("*.h5")})
    return found


class Workflows(Case):
    @classmethod
    def make_inputs(cls):
        cls.base = pathlib.Path.cwd()
        (cls.base / "families").mkdir()
        for k in range(1, FAMILIES + 1):
            size = ("--sites", 40, "--samples", 1000) if f"f{k}" == LONG else ("--sites", 10, "--samples", 200)
            must("sample", *size, "--colors", 21, "--alphabet", "protein", "--beta", 0.5, "--protocol", "chain", "--chains", 50, "--burn-in", 20,
                 "--thin", 2, "--seed", k, "-o", f"families/f{k}.fasta")
        (cls.base / "results").mkdir()
        for k in range(1, FAMILIES + 1):
            must("contacts", f"families/f{k}.fasta", "--alphabet", "protein", "--theta", 0.2, "--epochs", 200, "--csv", f"results/f{k}.csv",
                 "--model-out", f"results/f{k}.h5")
        cls.expected = bodies(cls.base / "results")
        assert len(cls.expected) == 2 * FAMILIES

    def setUp(self):
        """A folder with the families, one of which cannot be read, and the list; the stand-in comes first in PATH."""
        self.place = self.base / self.id().rsplit(".", 1)[1]
        shutil.copytree(ROOT / "examples/workflows", self.place)
        shutil.copytree(self.base / "families", self.place / "families")
        (self.place / f"families/{BAD}.fasta").write_text("not a family\n")
        (self.place / "bin").mkdir()
        (self.place / "bin/attopotts").write_text(STAND_IN)
        (self.place / "bin/attopotts").chmod(0o755)
        home = str(self.place / "home")  # of the queues' own files
        self.environment = dict(os.environ, PATH=f"{self.place / 'bin'}{os.pathsep}{os.environ['PATH']}", HOME=home, XDG_CACHE_HOME=home)
        self.assertEqual(self.sh(block("ls families")).returncode, 0)

    def sh(self, text, **variables):
        return subprocess.run(["sh", "-c", text], cwd=self.place, capture_output=True, text=True, timeout=MOST, env={**self.environment, **variables})

    def failures_are_told(self):
        told = self.sh(block("grep -H")).stdout
        expected = PAGE.read_text().split(block("grep -H"))[1].split("```text\n")[1].split("```")[0]
        self.assertEqual(told, expected)

    def repair(self):
        shutil.copy(self.base / f"families/{BAD}.fasta", self.place / f"families/{BAD}.fasta")

    def kill_with_all_its_jobs(self, text):
        """Starts the command and kills it with its jobs while the long family trains."""
        (self.place / "wait").touch()
        started = subprocess.Popen(["sh", "-c", text], cwd=self.place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.environment, start_new_session=True)
        end = time.monotonic() + MOST
        while not (self.place / "stopped").exists():
            self.assertLess(time.monotonic(), end, "the long family does not train")
            self.assertIsNone(started.poll(), "all has ended before the long family trains")
            time.sleep(0.02)
        # GNU parallel gives each job a process group of its own: the whole session ends.
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.getsid(int(entry.name)) == started.pid:
                    os.kill(int(entry.name), signal.SIGKILL)
            except ProcessLookupError:
                pass
        started.wait()
        (self.place / "wait").unlink()

    def all_done(self):
        self.assertEqual(bodies(self.place / "results"), self.expected)

    def some_done(self):
        """Of a run in which two families failed the others are whole."""
        found = bodies(self.place / "results")
        for name, lines in found.items():
            self.assertEqual(lines, self.expected[name], name)
        left = {name.split(".")[0] for name in set(self.expected) - set(found)}
        self.assertEqual(left, {BAD, LONG})

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed (tools/machines/install-deps.sh --all)")
    def test_parallel(self):
        command = block("sh parallel.sh")
        rows = self.sh(command).stdout.splitlines()
        self.assertEqual(sorted(row.split("families/")[1] for row in rows), [f"{BAD}.fasta", f"{LONG}.fasta"])
        self.assertEqual([row.split("\t")[6:8] for row in rows if LONG in row], [["137", "0"]])
        self.some_done()
        self.failures_are_told()
        before = (self.place / "results/f1.csv").stat().st_mtime_ns
        self.repair()
        self.assertEqual(self.sh("sh parallel.sh").returncode, 0)
        self.all_done()
        self.assertEqual((self.place / "results/f1.csv").stat().st_mtime_ns, before)

    @slow
    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed (tools/machines/install-deps.sh --all)")
    def test_parallel_killed(self):
        self.repair()
        self.kill_with_all_its_jobs("sh parallel.sh")
        self.assertEqual(self.sh("sh parallel.sh").returncode, 0)
        self.all_done()

    @unittest.skipUnless(shutil.which("snakemake"), "Snakemake is not installed (tools/machines/install-deps.sh --all)")
    def test_snakemake(self):
        command = block("snakemake")
        first = self.sh(command)
        self.assertEqual((first.returncode, first.stderr.count("Error in rule family")), (1, 2), first.stderr)
        self.some_done()
        self.failures_are_told()
        self.repair()
        again = self.sh(command)
        self.assertEqual((again.returncode, len(re.findall("^rule family:", again.stderr, re.M))), (0, 2), again.stderr)
        self.all_done()

    @slow
    @unittest.skipUnless(shutil.which("snakemake"), "Snakemake is not installed (tools/machines/install-deps.sh --all)")
    def test_snakemake_killed(self):
        self.repair()
        self.kill_with_all_its_jobs(block("snakemake"))
        self.assertEqual(self.sh("snakemake --cores 1 --unlock").returncode, 0)
        again = self.sh(block("snakemake"))
        self.assertEqual(again.returncode, 0, again.stderr)
        self.all_done()

    def test_slurm(self):
        """The tasks of the array, one after the other, as Slurm starts them."""
        (self.place / "logs").mkdir()
        array = re.search(r"^#SBATCH --array=1-(\d+)$", (self.place / "slurm.sh").read_text(), re.M)[1]
        self.assertEqual(int(array), FAMILIES)
        tasks = (self.place / "families.txt").read_text().split()

        def run(numbers):
            failed = []
            for number in numbers:
                done = self.sh("sh slurm.sh", SLURM_ARRAY_TASK_ID=str(number), SLURM_CPUS_PER_TASK="2", SLURM_PROCID="0")
                (self.place / f"logs/{number}.err").write_text(done.stderr)
                if done.returncode != 0:
                    failed.append(number)
            return failed

        failed = run(range(1, FAMILIES + 1))
        self.assertEqual([tasks[number - 1] for number in failed], [f"families/{BAD}.fasta", f"families/{LONG}.fasta"])
        self.some_done()
        told = self.sh(block("grep -H")).stdout
        self.assertRegex(told, rf"^logs/{failed[0]}\.err:attopotts: families/{BAD}\.fasta:1: .*\n$")
        self.repair()
        self.assertEqual(run(failed), [])
        self.all_done()
        beyond = self.sh("sh slurm.sh", SLURM_ARRAY_TASK_ID=str(FAMILIES + 1))
        self.assertEqual((beyond.returncode, beyond.stderr), (2, f"slurm.sh: families.txt has no line {FAMILIES + 1}\n"))

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_scripts(self):
        done = subprocess.run(["shellcheck", *map(str, sorted((ROOT / "examples/workflows").glob("*.sh")))], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    main()
