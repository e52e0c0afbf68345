#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program under mpirun: the files of one process on any number of ranks; faults of one rank; interruptions.

usage: test_program.py MPIRUN OPTION...; the environment variable ATTOPOTTS names the program, ATTOPOTTS_LIBRARIES the folder of the libraries.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import PROGRAM, Case, main, slow  # noqa: E402

MPIRUN = []  # from the command line
OPEN_MPI = "OMPI_ALLOW_RUN_AS_ROOT"
SOME = "--seed 3 --quiet"
MODEL = "--sites 9 --colors 5 --couplings gaussian --beta 0.8"
LEARN = f"learn ../data.h5 -o model.h5 {SOME}"
NETWORK = "learn ../data.h5 --epochs 3 --batch 200 --rate 0.03 --test ../data.h5 --truth ../truth.h5 --log t.csv"
# Name: command; all files that it writes are compared.
JOBS = {
    "chains": f"sample {MODEL} --protocol chain --chains 7 --samples 90 --thin 9 -o s.h5 --model-out m.h5 {SOME}",
    "ladders": f"sample {MODEL} --chains 6 --samples 90 --burn-in 200 --thin 20 -o s.txt {SOME}",
    "tuned": f"sample --sites 9 --colors 5 --couplings gaussian --hamming 0.5 --chains 4 --samples 40 --burn-in 99 --thin 9 -o s.txt {SOME}",
    "lbfgs": f"{LEARN} --epochs 30 --log log.csv --test ../data.h5 --test-rows 0:40 --keep best",
    "wide": f"{LEARN} --epochs 20 --start wide",
    "sgd": f"{LEARN} --epochs 6 --optimizer sgd --batch 50",
    "adam": f"{LEARN} --epochs 6 --optimizer adam --batch 400 --precision 64",
    "mlm": f"{LEARN} --epochs 4 --optimizer adam --objective mlm",
    "dense": f"{LEARN} --epochs 30 --family dense --log log.csv --theta 0.4 --save-weights w.txt",
    "dense64": f"{LEARN} --epochs 30 --family dense --precision 64 --truth ../truth.h5",
    "sites": f"{LEARN} --epochs 30 --family dense --asymmetric",
    "replica": f"replica --sites 30 --shift 3 --alpha 0.5:2:4 --lambda 0.1 --simulate 5 --csv t.csv {SOME}",
    "logistic": f"replica --loss logistic --teacher ../teacher.txt --covariance ../covariance.txt --alpha 1:4:5 --lambda 0.1 --csv t.csv {SOME}",
    "dotattn": f"dotattn --omega 0.3 --alpha 1:2:2 --set sigma=0.5 --lambda 0.01 --set accuracy=1e-3 --csv t.csv {SOME}",
    "potts": f"replica --loss potts --colors 3 --teacher 2 --alpha 1:2:2 --lambda 0.1 --set points=64 --csv t.csv {SOME}",
    "tokens": f"dotattn --tokens 2 --omega 0.3 --alpha 1:2:2 --set sigma=0.5 --lambda 0.01 --set points=64 --csv t.csv {SOME}",
    "descents": f"dotattn --tokens 2 --omega 0.3 --alpha 1 --set sigma=0.5 --lambda 0.01 --set points=64 --simulate 30 --runs 5 --optimizer lbfgs --csv t.csv {SOME}",
    "encoder": f"{NETWORK} --family encoder --set blocks=2 --polish 2 --maps m.csv {SOME}",
    "dial": f"{NETWORK} --family dial --set dial=0.4 --maps m.csv {SOME}",
    "contacts": f"contacts ../data.h5 --csv t.csv --epochs 20 {SOME}",
    "scans": f"scans ../reference.csv --alphabet=-ACDE --gaps ignore --epochs 20 --csv t.csv {SOME}",
    "compare": f"compare ../data.h5 ../data.h5 --csv t.csv {SOME}",
}
# What ./check.sh runs; the others are left to ./check.sh --all.
QUICK = ["lbfgs", "dense64", "contacts"]


def words(text):
    return text.split() if isinstance(text, str) else list(map(str, text))


def ranks(count, *commands, **options):
    """Run under mpirun: one command for all ranks, or one for each."""
    call = [*MPIRUN]
    for k, command in enumerate(commands):
        call += [":"] * (k > 0) + ["-n", str(count if len(commands) == 1 else 1), *words(command)]
    return subprocess.run(call, capture_output=True, text=True, **{"timeout": 100, **options})


def program(text):
    return [PROGRAM, *words(text)]


def spoken(text):
    """What the program has said: launchers add lines of their own."""
    return [line for line in text.splitlines() if line.startswith("attopotts: ")]


def written(folder):
    """Contents by name, without what differs between equal runs: the command line and times."""
    found = {}
    for path in sorted(pathlib.Path(folder).iterdir()):
        content = path.read_bytes()
        if path.suffix == ".csv":
            lines = [line for line in content.decode().splitlines() if not line.startswith("# command")]
            drop = next((line.split(",").index("seconds") for line in lines if "seconds" in line.split(",")), None)
            content = [line if line.startswith("#") else [c for k, c in enumerate(line.split(",")) if k != drop] for line in lines]
        found[path.name] = content
    return found


def processes_of(launcher):
    """The numbers of the ranks, in the order in which they were started."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "exe") == os.path.realpath(PROGRAM) and is_below(int(entry.name), launcher):
                found.append(int(entry.name))
        except OSError:
            continue
    return sorted(found)


def is_below(process, ancestor):
    while process > 1:
        if process == ancestor:
            return True
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
        process = int(stat.rpartition(")")[2].split()[1])
    return False


class Ranks(Case):
    @classmethod
    def make_inputs(cls):
        subprocess.run(program(f"sample {MODEL} --protocol chain --chains 20 --samples 400 --thin 9 -o data.h5 --model-out truth.h5 --quiet"),
                       check=True)
        subprocess.run(program("convert data.h5 family.fasta --alphabet=-ACDE --quiet"), check=True)
        residues = [c for c in pathlib.Path("family.fasta").read_text().split("\n")[1] if c != "-"]
        effects = [f"{c}{k}{to},{7 * k * (n + 2) % 31}" for k, c in enumerate(residues, 1) for n, to in enumerate("ACDE") if to != c]
        pathlib.Path("assay.csv").write_text("mutant,DMS_score\n" + "\n".join(effects) + "\n")
        pathlib.Path("reference.csv").write_text("DMS_id,MSA_filename\nassay,family.fasta\n")
        pathlib.Path("teacher.txt").write_text("1 -1 0.5\n")
        pathlib.Path("covariance.txt").write_text("1 0.25 0\n0.25 1 0.25\n0 0.25 1\n")

    def in_folder(self, name, call, check=(0, 3)):
        """Run in an empty folder; gives the result and the files."""
        shutil.rmtree(name, ignore_errors=True)
        os.mkdir(name)
        done = call(name)
        self.assertIn(done.returncode, check, f"{name}: {done.stderr}")
        return done, written(name)

    def test_same_files(self):
        """Every job on three ranks and, without ATP_TEST_QUICK, on two or four in turn; one on a single rank."""
        quick = "ATP_TEST_QUICK" in os.environ
        for place, name in enumerate(QUICK if quick else JOBS):
            job = JOBS[name]
            others = [(2, 1) if place % 2 else (4, 2), *([(1, 1)] if name == "lbfgs" else [])]
            alone, expected = self.in_folder("alone", lambda at, job=job: subprocess.run(program(job), cwd=at, capture_output=True, text=True))
            self.assertTrue(expected, name)
            for count, threads in [(3, 2), *([] if quick else others)]:
                with self.subTest(job=name, ranks=count, threads=threads):
                    command = program(f"{job} --threads {threads}")
                    done, files = self.in_folder("together", lambda at, command=command, count=count: ranks(count, command, cwd=at))
                    self.assertEqual(done.returncode, alone.returncode)
                    self.assertEqual(files, expected)

    def faulty(self, status, fragments, count, *commands, **options):
        """The status comes, and one line of the program."""
        done = ranks(count, *commands, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        lines = spoken(done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        for fragment in fragments:
            self.assertIn(fragment, lines[0])
        return done

    def test_wrong_use(self):
        self.faulty(2, ["--bogus is not a flag"], 3, program("sample --bogus"))
        self.faulty(2, ["DATA none.h5", "No such file"], 3, program("learn none.h5 -o x.h5 --quiet"))
        self.faulty(2, ["rank 0 on ", "/nowhere/x.h5"], 2, program("learn data.h5 -o /nowhere/x.h5 --quiet"))
        self.faulty(2, ["--keep"], 2, program("learn data.h5 -o x.h5 --quiet --keep best"))

    def test_fault_of_one(self):
        """Rank 1 has no memory: both end, and the message says who."""
        learn = "learn data.h5 -o never.h5 --quiet --family dense"
        self.faulty(2, [f"rank 1 on {os.uname().nodename}: ", "--memory"], 2, program(learn), program(f"{learn} --memory 20k"))
        self.assertFalse(os.path.exists("never.h5"))

    @slow
    def test_different_arguments(self):
        learn = "learn data.h5 -o x.h5 --quiet --epochs 9"
        self.faulty(2, ["rank 1 on ", "the arguments are", "--seed 3", "--seed 2"], 2, program(f"{learn} --seed 2"), program(f"{learn} --seed 3"))
        self.faulty(2, ["rank 1 on ", "the arguments are"], 2, program(f"{learn} --checkpoint x.state"), program(learn))
        self.faulty(2, ["rank 1 on ", "--bogus is not a flag"], 2, program(learn), program(f"{learn} --bogus"))
        done = ranks(2, program(f"{learn} --threads 1"), program("learn data.h5 -o x.h5 --threads=2 --epochs 9"))
        self.assertIn(done.returncode, (0, 3), done.stderr)

    @slow
    def test_no_messages(self):
        """A full stderr loses messages, not results."""
        done = ranks(2, ["sh", "-c", f"exec {PROGRAM} compare data.h5 data.h5 2>/dev/full"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("f_ij,", done.stdout)

    @slow
    def test_full_disk(self):
        self.faulty(1, ["rank 0 on ", "No space left"], 3,
                    program(f"sample {MODEL} --protocol chain --samples 9 --thin 5 -o /dev/full --to integers --quiet"))

    def test_standard_input(self):
        with open("data.h5", "rb") as data:
            done = ranks(3, program("convert - out.txt --quiet"), stdin=data)
        self.assertEqual(done.returncode, 0, done.stderr)
        subprocess.run(program("convert data.h5 alone.txt --quiet"), check=True)
        self.assertEqual(pathlib.Path("out.txt").read_bytes(), pathlib.Path("alone.txt").read_bytes())
        with open(os.devnull) as nothing:
            self.faulty(2, ["standard input: the file is empty"], 2, program("convert - out.txt --quiet"), stdin=nothing)

    @slow
    def test_one_speaks(self):
        done = ranks(3, program("compare data.h5 data.h5"))
        self.assertEqual(done.stdout.count("f_ij,"), 1, done.stdout)
        self.assertEqual(done.stderr.count("3 ranks, 3 on this machine"), 1, done.stderr)
        done = ranks(2, program("compare data.h5 data.h5 --threads 1000"))
        self.assertEqual(done.stderr.count("ranks times threads exceed the cores"), 1, done.stderr)
        done = ranks(2, program("info --mpi off"))
        self.assertEqual(done.stdout.count("SIMD target"), 2, done.stdout)
        self.assertEqual(ranks(2, program("--version")).stdout.count("attopotts"), 1)

    @slow
    def test_missing_rank(self):
        """Rank 1 does not join: rank 0 says after 30 s that it waits. Rank 1 stays: mpirun ends the others of one that leaves early."""
        run = subprocess.Popen([*MPIRUN, "-n", "1", *program("info"), ":", "-n", "1", "sleep", "300"], stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, text=True)
        try:
            line = next(line for line in run.stderr if line.startswith("attopotts: "))
        finally:
            for number in processes_of(run.pid):
                os.kill(number, signal.SIGKILL)
            run.communicate(timeout=30)
        self.assertIn("rank 0 of 2 on ", line)
        self.assertIn("waits in MPI", line)

    @unittest.skipUnless(OPEN_MPI in os.environ, "this launcher gives its ranks other variables")
    def test_other_launcher(self):
        environment = {**os.environ, "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}
        done = subprocess.run(program("info"), env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("one of 2 ranks, and MPI knows of 1", done.stderr)

    def test_other_version(self):
        """Rank 1 has a library that calls itself otherwise."""
        library = pathlib.Path(os.environ["ATTOPOTTS_LIBRARIES"], "libattopotts.so.0")
        if not library.exists():
            self.skipTest("the program has no shared library")
        os.mkdir("other")
        content = library.read_bytes()
        changed = content.replace(b"\x000.1.0\x00", b"\x000.1.9\x00")
        self.assertNotEqual(changed, content)
        pathlib.Path("other", library.name).write_bytes(changed)
        command = program("info --quiet")
        self.faulty(2, ["different versions"], 2, command, ["env", f"LD_LIBRARY_PATH={os.path.abspath('other')}", *command])

    def begin(self, count, text, ready):
        """A run on ranks that has written the file `ready`."""
        run = subprocess.Popen([*MPIRUN, "-n", str(count), *program(text)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while not os.path.exists(ready):
            self.assertIsNone(run.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return run

    def stopped(self, number, signal_number, status):
        """A signal to one rank ends all; the run goes on with other ranks and has the model of a run without ranks."""
        long = f"learn data.h5 --optimizer adam --epochs 4000 --seed 5 --checkpoint state.{number} --checkpoint-interval 0.05"
        run = self.begin(4, f"{long} -o late{number}.h5 --restart", f"state.{number}")
        time.sleep(0.3)
        os.kill(processes_of(run.pid)[2], signal_number)
        errors = run.communicate(timeout=60)[1]
        self.assertNotEqual(run.returncode, 0)
        if status is not None:
            self.assertEqual(run.returncode, status, errors)
            self.assertEqual(len(spoken(errors)), 1, errors)
            self.assertIn("continue with --resume", errors)
        for count in (3, 1):
            shutil.copy(f"state.{number}", "copy")
            pathlib.Path("copy.lock").unlink(missing_ok=True)
            again = long.replace(f"state.{number}", "copy")
            done = ranks(count, program(f"{again} -o end{count}.h5 --resume --quiet"))
            self.assertEqual(done.returncode, 0, done.stderr)
        subprocess.run(program("learn data.h5 --optimizer adam --epochs 4000 --seed 5 -o whole.h5 --quiet"), check=True)
        whole = pathlib.Path("whole.h5").read_bytes()
        self.assertEqual(pathlib.Path("end3.h5").read_bytes(), whole)
        self.assertEqual(pathlib.Path("end1.h5").read_bytes(), whole)

    def test_signal(self):
        self.stopped("t", signal.SIGTERM, 130)

    @slow
    def test_killed(self):
        self.stopped("k", signal.SIGKILL, None)

    def test_resume(self):
        """Four ranks begin, three go on: each kind of run has the file of one process."""
        runs = {"factored": ("learn data.h5 -o {}.h5 --seed 2 --quiet", "--epochs 9", "--epochs 40"),
                "dense": ("learn data.h5 -o {}.h5 --family dense --quiet", "--epochs 9", "--epochs 40"),
                "sites": ("learn data.h5 -o {}.h5 --family dense --asymmetric --quiet", "--epochs 40", "--epochs 40"),
                "sample": (f"sample {MODEL} --chains 6 --samples 90 --burn-in 200 --thin 20 -o {{}}.h5 --quiet", "", "")}
        for name in ("factored", "sample") if "ATP_TEST_QUICK" in os.environ else runs:
            text, first, rest = runs[name]
            with self.subTest(run=name):
                part = ranks(4, program(f"{text.format('part')} {first} --checkpoint {name}.state --threads 2"))
                self.assertIn(part.returncode, (0, 3), part.stderr)
                done = ranks(3, program(f"{text.format('together')} {rest} --checkpoint {name}.state --resume"))
                alone = subprocess.run(program(f"{text.format('alone')} {rest}"), capture_output=True, text=True)
                self.assertEqual(done.returncode, alone.returncode, done.stderr)
                self.assertEqual(pathlib.Path("together.h5").read_bytes(), pathlib.Path("alone.h5").read_bytes())


if __name__ == "__main__":
    MPIRUN = sys.argv[1:]
    sys.argv[1:] = []
    main()
