#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attopotts batch: jobs of a table, several at a time and by several processes; failures, interruptions, wrong tables.

A job that converts to a named pipe runs until the test reads the pipe.
"""
import contextlib
import csv
import os
import pathlib
import re
import resource
import signal
import subprocess
import threading
import time

from program import PROGRAM, Case, main, must, numbers_of, run, slow, small_data, start
from tables import ROOT, differences

SAMPLE = "sample --sites 6 --colors 4 --beta 1 --protocol chain --chains 5 --burn-in 10 --thin 5 --samples 20"
LEARN = "learn data.h5 --optimizer adam --epochs 3"


def write_jobs(path, rows, columns=("name", "command")):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def samples(prefix, count):
    """Rows of quick jobs, which write PREFIX1.txt, PREFIX2.txt, ..."""
    return [(f"{prefix}{k}", f"{SAMPLE} --seed {k} -o {prefix}{k}.txt") for k in range(1, count + 1)]


def results(path):
    with open(path, newline="") as file:
        return {row["name"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def column(path, name):
    return {job: row[name] for job, row in results(path).items()}


def content(path):
    with open(path, "rb") as file:
        return file.read()


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the condition does not come")
        time.sleep(0.005)


def processes_of(claim):
    """The numbers of the processes in a claim: batch, then job."""
    if not os.path.exists(claim):
        return []
    with open(claim) as file:
        return [int(row["process"]) for row in csv.DictReader(file)]


def ended(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except FileNotFoundError:
        return True


@contextlib.contextmanager
def blocked(name, *flags, rows=(), **options):
    """A batch whose job `blocked` waits for a reader of the pipe NAME.pipe."""
    if not os.path.exists(name + ".pipe"):
        os.mkfifo(name + ".pipe")
    write_jobs(name + ".csv", [*rows, ("blocked", f"convert data.h5 {name}.pipe --format integers")])
    process = start("batch", name + ".csv", *flags, **options)
    wait_until(lambda: len(processes_of(f"{name}.csv.logs/blocked.1.claim")) == 2)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
        # A job that is still at the pipe can end.
        os.close(os.open(name + ".pipe", os.O_RDWR | os.O_NONBLOCK))


def reader(name):
    thread = threading.Thread(target=lambda: content(name), daemon=True)
    thread.start()
    return thread


class Batch(Case):
    @classmethod
    def make_inputs(cls):
        small_data()

    def test_the_same_files_as_alone(self):
        commands = [SAMPLE.split() + ["--seed", str(k), "-o"] for k in range(6)] + [LEARN.split() + ["--seed", str(k), "-o"] for k in range(6)]
        ends = [".txt"] * 6 + [".h5"] * 6
        for k, words in enumerate(commands):
            must(*words, f"alone{k}{ends[k]}")
        for at_a_time in (1, 3):
            rows = [(f"job{k}", " ".join([*words, f"at{at_a_time}-{k}{ends[k]}"])) for k, words in enumerate(commands)]
            write_jobs(f"at{at_a_time}.csv", rows)
            done = self.good("batch", f"at{at_a_time}.csv", "--jobs", at_a_time)
            self.assertIn("12 jobs: 12 done", done.stderr)
            for k in range(12):
                name = f"{k}{ends[k]}"
                same = content if ends[k] == ".txt" else numbers_of
                self.assertEqual(same("alone" + name), same(f"at{at_a_time}-{name}"), (at_a_time, k))
        table = results("at3.csv.results.csv")
        self.assertEqual(list(table), [f"job{k}" for k in range(12)])
        for row in table.values():
            self.assertEqual((row["status"], row["outcome"], row["attempts"], row["why"]), ("0", "done", "1", ""))
            self.assertGreater(float(row["seconds"]), 0)
        self.assertEqual(differences("batch", list(table["job0"])), [])

    def test_failures(self):
        write_jobs("f.csv", [("good", f"{SAMPLE} -o good.txt"), ("bad", "eval nothing.h5 data.h5"), ("steps", "learn data.h5 --epochs 1 -o steps.h5"),
                             ("printed", "energies truth.h5 data.h5")])
        done = run("batch", "f.csv", "--jobs", 2)
        self.assertEqual(done.returncode, 1)
        self.assertIn("4 jobs: 2 done, 1 not converged, 1 failed", done.stderr)
        self.assertIn("attopotts: 1 of 4 jobs failed, the first is bad (status 2): MODEL nothing.h5", done.stderr)
        table = results("f.csv.results.csv")
        self.assertEqual([row["outcome"] for row in table.values()], ["done", "failed", "not converged", "done"])
        self.assertEqual([row["status"] for row in table.values()], ["0", "2", "3", "0"])
        alone = run("eval", "nothing.h5", "data.h5").stderr
        self.assertEqual(alone, f"attopotts: {table['bad']['why']}\n")
        self.assertEqual(content("f.csv.logs/bad.err").decode(), alone)
        self.assertIn(b"sequence,name,energy", content("f.csv.logs/printed.out"))
        self.assertEqual(table["bad"]["command"], "attopotts eval nothing.h5 data.h5")
        # Again: nothing runs, the status stays.
        self.assertEqual(run("batch", "f.csv").returncode, 1)
        self.assertEqual(set(column("f.csv.results.csv", "attempts").values()), {"1"})
        # With the reason gone, --retry runs what failed, and only that.
        must("convert", "truth.h5", "nothing.h5")
        self.assertEqual(run("batch", "f.csv").returncode, 1)
        self.assertEqual(run("batch", "f.csv", "--retry").returncode, 3)
        self.assertEqual(column("f.csv.results.csv", "attempts"), {"good": "1", "bad": "2", "steps": "2", "printed": "1"})
        self.assertEqual(column("f.csv.results.csv", "outcome")["bad"], "done")

    def test_a_changed_command_runs_again(self):
        write_jobs("c.csv", samples("c", 3))
        self.good("batch", "c.csv")
        rows = samples("c", 3)
        rows[1] = (rows[1][0], rows[1][1].replace("--seed 2", "--seed 9"))
        write_jobs("c.csv", rows)
        self.good("batch", "c.csv")
        self.assertEqual(column("c.csv.results.csv", "attempts"), {"c1": "1", "c2": "2", "c3": "1"})
        must(*SAMPLE.split(), "--seed", 9, "-o", "nine.txt")
        self.assertEqual(content("c2.txt"), content("nine.txt"))

    def test_stop_at_failure(self):
        write_jobs("s.csv", [("bad", "eval none.h5 data.h5", 100), *[(*row, 1) for row in samples("s", 3)]], ("name", "command", "cost"))
        self.wrong(1, ["1 of 4 jobs failed"], "batch", "s.csv", "--jobs", 1, "--stop-at-failure", "--quiet")
        self.assertEqual(list(column("s.csv.results.csv", "outcome").values()), ["failed", "not run", "not run", "not run"])
        self.assertEqual(run("batch", "s.csv", "--quiet").returncode, 1)
        self.assertEqual(list(column("s.csv.results.csv", "outcome").values()), ["failed", "done", "done", "done"])

    def test_long_jobs_first(self):
        rows = samples("o", 4)
        write_jobs("o.csv", [(*row, cost) for row, cost in zip(rows, (2, 9, "", 5))], ("name", "command", "cost"))
        done = self.good("batch", "o.csv", "--jobs", 1, "--progress", "json")
        self.assertEqual(re.findall(r'"job":"(o\d)"', done.stderr), ["o2", "o4", "o1", "o3"])
        done = self.good("batch", "o.csv", "--logs", "again", "-o", "again.csv", "--jobs", 1, "--progress", "bar")
        self.assertRegex(done.stderr, r"o2: done, \d+\.\d s\n")
        self.assertTrue(results("again.csv"))

    def test_placeholders(self):
        write_jobs("p.csv", [("one", "a b.txt", "1", "."), ("it's", "{}.txt", "2", "folder")], ("name", "file", "seed", "folder"))
        os.makedirs("folder", exist_ok=True)
        self.good("batch", "p.csv", "--command", f"attopotts {SAMPLE} --seed {{seed}} -o '{{file}}' --model-out {{name}}.h5")
        for path, seed in [("a b.txt", 1), ("folder/{}.txt", 2)]:
            must(*SAMPLE.split(), "--seed", seed, "-o", "alone.txt")
            self.assertEqual(content(path), content("alone.txt"))
        self.assertTrue(os.path.exists("folder/it's.h5"))
        self.assertEqual(results("p.csv.results.csv")["it's"]["command"].split(" && ")[0], "cd folder")
        self.assertTrue(os.path.exists("p.csv.logs/it's.out"))
        # Without names jobs have the numbers of their rows; as a spreadsheet writes it.
        with open("n.csv", "wb") as file:
            file.write(f'\ufeff"file","command"\r\nx.txt,"{SAMPLE} -o n{{{{{{name}}}}}}{{file}}"\r\n'.encode())
        self.good("batch", "n.csv", "--seed", 5)
        must(*SAMPLE.split(), "--seed", 5, "-o", "alone.txt")
        self.assertEqual(content("n{1}x.txt"), content("alone.txt"))

    def test_wrong_tables(self):
        def refused(fragments, text, *flags):
            with open("w.csv", "w") as file:
                file.write(text)
            self.wrong(2, fragments, "batch", "w.csv", *flags)
            self.assertFalse(os.path.exists("w.csv.logs"))
        head = "name,command\na,eval truth.h5 data.h5\n"
        refused(["JOBS w.csv is empty"], "")
        refused(["w.csv has no rows"], "name,command\n")
        refused(["has no column \"command\"", "name, file"], "name,file\na,b\n")
        refused(["two columns \"name\""], "name,name,command\na,b,c\n")
        refused(["--command is given and JOBS w.csv has a column"], head, "--command", "info")
        refused(["line 3 has 3 cells, expected 2"], head + "b,sample --rows a,b\n")
        refused(["line 3 has a quote"], head + 'b,"eval\n')
        refused(["row 2: command has a quote ' without an end"], head + "b,eval 'x y\n")
        refused(["row 2: command has > outside of quotes"], head + "b,eval x y > z\n")
        refused(["row 2: command ends with \\"], head + "b,eval \\\n")
        refused(["row 2: command is empty"], head + "b,attopotts\n")
        refused(["row 2: name is \"a\", as in row 1"], head + "a,info\n")
        refused(["row 2: name is \"a/b\""], head + "a/b,info\n")
        refused(["row 2 (b): \"lern\" is not a subcommand", "did you mean learn?"], head + "b,lern x\n")
        refused(["row 2 (b): --tets is not a flag of learn; did you mean --test?"], head + "b,learn data.h5 -o x.h5 --tets data.h5\n")
        refused(["row 2 (b): the command is batch"], head + "b,batch w.csv\n")
        refused(["row 1: cost is \"-1\""], "cost,command\n-1,info\n")
        refused(["row 1: cost is \"0\", expected a number > 0"], "cost,command\n0,info\n")
        refused(["row 1: folder is \"nowhere\", expected a folder"], "folder,command\nnowhere,info\n")
        refused(["row 1: command has {fil}, expected a column", "did you mean file?"], "file\nx\n", "--command", "eval m.h5 {fil}")
        refused(["row 1: command has { alone"], "file\nx\n", "--command", "eval m.h5 {")
        refused(["row 2 (b): --csv is \"./x.csv\", which row 1 (a) writes, too"],
                "name,command\na,eval truth.h5 data.h5 --csv=x.csv\nb,energies truth.h5 data.h5 --csv ./x.csv\n")
        refused(["row 1 (a): reads", "which row 2 (b) writes"], f"name,command\na,eval truth.h5 new.h5\nb,{SAMPLE} -onew.h5\n")
        refused(["row 1 (1): --csv is \"w.csv\", a file of this batch"], "command\neval truth.h5 data.h5 --csv w.csv\n")
        refused(["--output is \"w.csv\", which JOBS reads"], head, "-o", "w.csv")
        refused(["--stop-at-failure is given with --keep-going"], head, "--keep-going", "--stop-at-failure")
        self.wrong(2, ["no-such.csv"], "batch", "no-such.csv")
        self.wrong(2, ["JOBS is -"], "batch", "-")
        with open("w.csv", "w") as file:
            file.write(head)
        self.wrong(2, ["--logs is \"w.csv\", expected a folder"], "batch", "w.csv", "--logs", "w.csv")

    def test_kill_the_batch(self):
        with blocked("k", "--jobs", 2, rows=samples("k", 4)) as process:
            wait_until(lambda: os.path.exists("k.csv.results.csv") and list(column("k.csv.results.csv", "outcome").values()).count("done") == 4)
            job = processes_of("k.csv.logs/blocked.1.claim")[1]
            process.kill()
            process.wait()
            # The job still waits for the pipe. The next batch waits for its end, which the job was asked for, and runs it again.
            again = start("batch", "k.csv")
            time.sleep(0.2)
            self.assertEqual((again.poll(), ended(job)), (None, False))
            self.assertFalse(os.path.exists("k.csv.logs/blocked.2.claim"))
            reader("k.pipe").join()
            wait_until(lambda: ended(job))
            reader("k.pipe").join()
            self.assertEqual((again.communicate()[1].count("5 done"), again.returncode), (1, 0))
        self.assertEqual(column("k.csv.results.csv", "attempts"), {"k1": "1", "k2": "1", "k3": "1", "k4": "1", "blocked": "2"})
        self.assertEqual(set(column("k.csv.results.csv", "outcome").values()), {"done"})

    def test_kill_a_job(self):
        with blocked("j", rows=samples("j", 2)) as process:
            os.kill(processes_of("j.csv.logs/blocked.1.claim")[1], signal.SIGKILL)
            text = process.communicate()[1]
            self.assertEqual(process.returncode, 1)
            self.assertIn("blocked (by SIGKILL)", text)
        row = results("j.csv.results.csv")["blocked"]
        self.assertEqual((row["status"], row["outcome"]), ("SIGKILL", "killed"))
        self.assertIn("memory", row["why"])
        self.assertEqual(run("batch", "j.csv").returncode, 1)
        thread = reader("j.pipe")
        self.good("batch", "j.csv", "--retry")
        thread.join()
        self.assertEqual(results("j.csv.results.csv")["blocked"]["attempts"], "2")

    def test_two_processes_share(self):
        write_jobs("two.csv", samples("two", 30))
        both = [start("batch", "two.csv", "--jobs", 2, "--progress", "json") for _ in range(2)]
        texts = [process.communicate()[1] for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], texts)
        ran = [re.findall(r'"job":"(two\d+)"', text) for text in texts]
        self.assertEqual(sorted(ran[0] + ran[1]), sorted(f"two{k}" for k in range(1, 31)))
        self.assertEqual(set(column("two.csv.results.csv", "attempts").values()), {"1"})
        self.assertEqual(set(column("two.csv.results.csv", "outcome").values()), {"done"})
        self.assertFalse([name for name in os.listdir("two.csv.logs") if ".2.claim" in name or "tmp" in name])

    def test_a_process_leaves_the_jobs_of_others(self):
        with blocked("l", "--jobs", 1) as first:
            done = self.good("batch", "l.csv")
            self.assertIn("1 job: 0 done, 1 not run; 1 run in other processes; 0 ran here", done.stderr)
            reader("l.pipe").join()
            self.assertIn("1 job: 1 done", first.communicate()[1])
        self.assertEqual(results("l.csv.results.csv")["blocked"]["attempts"], "1")

    def test_ranks(self):
        """Under mpirun rank 0 waits and tells of all; the others are silent, and have status 0. Jobs do not see the launcher."""
        ranks = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI"))}
        ranks.update(OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_LOCAL_SIZE="2", PMIX_RANK="1", OMP_TEST_STAYS="yes")
        with blocked("r", rows=[("bad", "eval none.h5 data.h5")], env={**ranks, "OMPI_COMM_WORLD_RANK": "1"}) as other:
            child = processes_of("r.csv.logs/blocked.1.claim")[1]
            wait_until(lambda: b"convert" in content(f"/proc/{child}/cmdline"))
            names = content(f"/proc/{child}/environ")
            self.assertIn(b"OMP_TEST_STAYS", names)
            self.assertNotIn(b"OMPI_", names)
            self.assertNotIn(b"PMIX_", names)
            self.assertIn(b"--threads", content(f"/proc/{child}/cmdline"))
            first = start("batch", "r.csv", env={**ranks, "OMPI_COMM_WORLD_RANK": "0"})
            time.sleep(0.3)
            self.assertIsNone(first.poll())
            reader("r.pipe").join()
            self.assertEqual(other.communicate()[1], "")
            text = first.communicate()[1]
            self.assertEqual((other.returncode, first.returncode), (0, 1), text)
            self.assertIn("2 jobs: 1 done, 1 failed", text)

    def claim(self, path, machine, process, started):
        with open(path, "w") as file:
            file.write(f"machine,process,started\n{machine},{process},{started}\n")

    def test_stale_claims(self):
        write_jobs("t.csv", samples("t", 1))
        os.makedirs("t.csv.logs")
        machine = None
        with blocked("m"):
            with open("m.csv.logs/blocked.1.claim") as file:
                machine = next(csv.DictReader(file))["machine"]
            reader("m.pipe").join()
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.claim("t.csv.logs/t1.1.claim", machine, gone.pid, 5)
        self.claim("t.csv.logs/t1.2.claim", machine, os.getpid(), 5)  # the number of another process by now
        self.good("batch", "t.csv")
        self.assertEqual(column("t.csv.results.csv", "attempts"), {"t1": "3"})

    def test_claims_of_other_machines(self):
        write_jobs("u.csv", samples("u", 2))
        os.makedirs("u.csv.logs")
        self.claim("u.csv.logs/u1.1.claim", "elsewhere", 1, 1)
        begin = time.monotonic()
        self.good("batch", "u.csv", "--stale", 1)
        self.assertGreater(time.monotonic() - begin, 1)
        self.assertEqual(column("u.csv.results.csv", "attempts"), {"u1": "2", "u2": "1"})
        # One that shows that it is alive is left alone, and not waited for.
        write_jobs("v.csv", samples("v", 2))
        os.makedirs("v.csv.logs")
        self.claim("v.csv.logs/v1.1.claim", "elsewhere", 1, 1)
        batch = start("batch", "v.csv", "--stale", 60)
        while batch.poll() is None:
            os.utime("v.csv.logs/v1.1.claim")
            time.sleep(0.05)
        self.assertIn("1 run in other processes", batch.communicate()[1])
        self.assertEqual(column("v.csv.results.csv", "outcome"), {"v1": "not run", "v2": "done"})

    def test_a_full_disk(self):
        write_jobs("d.csv", samples("d", 12))

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
        done = run("batch", "d.csv", preexec_fn=small_files)
        self.assertEqual(done.returncode, 1)
        self.assertIn("warning: table not written: d.csv.results.csv", done.stderr)
        self.assertIn("attopotts: d.csv.results.csv", done.stderr.splitlines()[-1])
        self.assertFalse(os.path.exists("d.csv.results.csv"))
        self.good("batch", "d.csv")
        self.assertEqual(set(column("d.csv.results.csv", "attempts").values()), {"1"})

    def test_interrupted(self):
        """Ctrl-C reaches the jobs, which save their states; the same command continues them, with the same numbers."""
        learn = "learn data.h5 --optimizer sgd --epochs 150"
        must(*learn.split(), "-o", "whole.h5")
        write_jobs("i.csv", [("long", f"{learn} -o part.h5 --checkpoint part.state --checkpoint-interval 0"), *samples("i", 2)])
        for number, reached in ((signal.SIGINT, 0), (signal.SIGTERM, 1)):
            process = start("batch", "i.csv", "--jobs", 1, start_new_session=True)
            if reached == 0:
                wait_until(lambda: os.path.exists("part.state"))
            else:
                wait_until(lambda: len(processes_of("i.csv.logs/long.2.claim")) == 2 and content("i.csv.logs/long.err"))
            if number == signal.SIGINT:
                os.killpg(process.pid, number)  # as a terminal does: the jobs get it twice
            else:
                process.send_signal(number)
            text = process.communicate()[1]
            self.assertEqual(process.returncode, 130, text)
            self.assertEqual(len(text.splitlines()), 1, text)
            self.assertIn("attopotts: interrupted; 3 jobs: 0 done, 1 interrupted, 2 not run; the same command continues", text)
            row = results("i.csv.results.csv")["long"]
            self.assertEqual((row["outcome"], row["status"]), ("interrupted", "130"))
            self.assertIn("state saved in part.state", row["why"])
        self.good("batch", "i.csv")
        self.assertEqual(column("i.csv.results.csv", "attempts"), {"long": "3", "i1": "1", "i2": "1"})
        self.assertEqual(numbers_of("whole.h5"), numbers_of("part.h5"))

    @slow
    def test_kill_at_random(self):
        """kill -9 at any time: in the end every job was run, and no end was recorded of an attempt that had none."""
        write_jobs("z.csv", samples("z", 40))
        for k in range(8):
            process = start("batch", "z.csv", "--jobs", 2)
            time.sleep(0.01 + 0.012 * k)
            process.kill()
            process.communicate()
        self.good("batch", "z.csv")
        self.assertEqual(set(column("z.csv.results.csv", "outcome").values()), {"done"})
        for k in range(1, 41):
            must(*SAMPLE.split(), "--seed", k, "-o", "alone.txt")
            self.assertEqual(content(f"z{k}.txt"), content("alone.txt"))

    def test_the_page(self):
        """The example of docs/batch.md."""
        page = (ROOT / "docs/batch.md").read_text(encoding="utf-8")
        os.makedirs("page/families")
        for name in ("globin", "kinase"):
            with open(f"page/families/{name}.fasta", "w") as file:
                file.write("".join(f">s{n}\n{'ACDEFGHIKLMNPQ'[n % 7:][:8]}\n" for n in range(20)))
        table = re.search(r"```csv\n(.*?)```", page, re.S)[1]
        pathlib.Path("page/families.csv").write_text(table)
        block = re.search(r"```sh\n(.*?)```", page, re.S)[1]
        done = subprocess.run(["bash", "-ec", block], cwd="page", capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"]})
        self.assertIn(done.returncode, (0, 3), block + done.stderr)
        self.assertEqual(len(results("page/families.csv.results.csv")), 2)
        for name in ("globin", "kinase"):
            self.assertTrue(os.path.exists(f"page/{name}.csv"))


main()
