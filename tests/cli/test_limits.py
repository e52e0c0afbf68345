#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--memory and --threads at their limits: too large requests fail with one line, and missing threads only give a warning."""
import json
import resource

from program import SANITIZED, Case, features, main, numbers_of, small_data


def address_space(size):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


class Limits(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=40)

    def info(self, *arguments, **options):
        return json.loads(self.good("info", "--json", *arguments, **options).stdout)

    def test_sizes(self):
        for text, size in [("500M", 500e6), ("2G", 2e9), ("1.5GiB", 1.5 * 2**30), ("65536", 65536), ("10kB", 1e4), ("3KiB", 3072),
                           ("1T", 1e12), ("7B", 7), ("0", 0)]:
            self.assertEqual(self.info("--memory", text)["memory_limit"], size, text)
        for text in ["G", "-1", "0x10", "1e3", "1.2.3", ".", "1X", "1iB", "1GiBs", "1 G", "nan", "inf", "1e30"]:
            self.wrong(2, ["--memory", f'"{text}"', "expected a size"], "info", f"--memory={text}")

    def test_info(self):
        self.assertEqual(self.info("--memory", "3G")["memory_available"], 3e9)
        self.assertIn("3 GB available (limit 3 GB)", self.good("info", "--memory", "3G").stdout)
        self.assertGreater(self.info()["memory_available"], 0)

    def test_automatic_limit(self):
        if SANITIZED:
            self.skipTest("sanitizers need address space of their own")
        info = self.info(preexec_fn=address_space(2000000 * 1024))
        self.assertEqual(info["memory_limit"], 0)
        self.assertLess(info["memory_available"], 2000000 * 1024)

    def test_too_large(self):
        """The flag and both numbers, in one line."""
        self.wrong(2, ["needs", "the memory limit leaves", "--memory"], "convert", "data.h5", "-", "--memory", "100k")
        self.wrong(2, ["needs", "the memory limit leaves", "--memory"], "sample", "--sites", 65536, "--colors", 20, "--samples", 2,
                   "--beta", 1, "--protocol", "chain", "-o", "x.h5", "--memory", "2G")
        self.wrong(2, ["sequences need", "the memory limit leaves", "--memory"], "sample", "--model", "truth.h5", "--samples", 10**9,
                   "--protocol", "chain", "--burn-in", 1, "--thin", 1, "-o", "x.h5", "--memory", "100M")
        self.wrong(2, ["--sites", "the memory limit leaves", "--memory"], "replica", "--shift", 2.5, "--sites", 20000, "--alpha", 1,
                   "--memory", "1G")
        self.wrong(2, ["training needs", "available"], "learn", "data.h5", "-o", "l.h5", "--memory", "1M")
        if not SANITIZED:
            self.wrong(2, ["needs", "the automatic memory limit leaves", "--memory"], "sample", "--sites", 65536, "--colors", 20,
                       "--samples", 2, "--beta", 1, "--protocol", "chain", "-o", "x.h5", preexec_fn=address_space(2000000 * 1024))

    def test_advice_for_dense_couplings(self):
        """Every flag that alone is enough; and if none is, what the smallest way needs."""
        small_data("wide.h5", "wide_truth.h5", sites=60, colors=20, samples=50)
        learn = ["learn", "wide.h5", "-o", "l.h5", "--family", "dense", "--epochs", 1, "--threads", 1, "--memory"]
        self.wrong(2, ["training needs", "expected --set history=3 or --asymmetric"], *learn, "47M")
        self.wrong(2, ["training needs", "expected --asymmetric"], *learn, "37M")
        fewer = "expected factored attention, fewer sites with --focus or --max-gaps-column, or "
        self.wrong(2, ["training needs", fewer + "--asymmetric and ", " MB"], *learn, "20M")
        self.wrong(2, ["training needs", fewer + "a --memory of ", " MB"], *learn, "20M", "--asymmetric")

    def test_advice_fits_the_run(self):
        """Only flags that the optimiser and the family take are tried, and none is blamed that the user never gave."""
        learn = ["learn", "data.h5", "--epochs", 1, "--threads", 1, "--quiet"]
        network = ["training needs", "expected a smaller network with --set width, hidden or blocks, or a larger --memory"]
        dense = ["training needs", "expected factored attention, fewer sites with --focus or --max-gaps-column, or a --memory of "]
        for fragments, flags in [(["training needs", "expected --heads 1"], ["--heads", 1024, "--objective", "mlm", "--memory", "20M", "-o", "m.h5"]),
                                 (["training needs", "expected "], ["--optimizer", "sgd", "--memory", "1M", "-o", "m.h5"]),
                                 (network, ["--family", "encoder", "--memory", "1M"]),
                                 (network, ["--family", "encoder", *"--set width=4096 --set hidden=65536 --set blocks=16 --memory 1G".split()]),
                                 (["training needs", "expected fewer sequences"], ["--family", "dial", "--memory", "170k"]),
                                 (dense, ["--family", "dense", "--optimizer", "sgd", "--memory", "1M", "-o", "m.h5"])]:
            done = self.wrong(2, fragments, *learn, *flags)
            self.assertNotIn("history", done.stderr)

    def test_tables_of_all_pairs(self):
        """20 000 sites in 40 kB: a table of L x L takes gigabytes. It is refused before it is there, with what would help."""
        with open("long.fasta", "w") as file:
            file.write(">a\n" + "AC" * 10000 + "\n>b\n" + "CA" * 10000 + "\n>c\n" + "AA" * 10000 + "\n")
        with open("one.pdb", "w") as file:
            file.write("".join(f"ATOM  {k:>5}  CA  ALA A{k:>4}    {3.8 * k:8.3f}   0.000   0.000  1.00 20.00           C\n" for k in range(1, 31)))
        with open("near.txt", "w") as file:
            file.write("1 5 3.0\n")
        long = ["long.fasta", "--alphabet", "protein", "--threads", 1]
        tables = "tables of 20000 x 20000 sites (fewer sites with --focus or --max-gaps-column) need"
        cases = [["contacts", *long, "--method", "mi"], ["contacts", *long, "--method", "mi", "--top", 10, "--distances", "near.txt"],
                 ["contacts", *long, "--method", "asymmetric", "--pairs-from", "near.txt", "--epochs", 1],
                 ["compare-methods", *long, "--method", "mi"]]
        if features()["structures"]:
            cases += [["distances", *long, "--structure", "one.pdb", "--force-structure", "-o", "x.txt"],
                      ["contacts", *long, "--method", "mi", "--structure", "one.pdb", "--force-structure"]]
        for arguments in cases:
            self.wrong(2, [tables, "the memory limit leaves", "--memory"], *arguments, "--memory", "500M")
        self.wrong(2, ["(fewer rows with --top N)"], "contacts", *long, "--method", "mi", "--memory", "12G")
        small_data("wide.h5", "wide_truth.h5", sites=60, colors=20, samples=50)
        self.good("contacts", "wide.h5", "--method", "mean-field", "--model-out", "dense.h5", "--quiet")
        self.wrong(2, ["tables of 60 x 60 sites", "the memory limit leaves"], "convert", "dense.h5", "x.csv", "--memory", "40M")
        if not SANITIZED:
            most = max(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 0)
            self.assertLess(most, 450e6)

    def test_threads_that_cannot_be_had(self):
        if SANITIZED:
            self.skipTest("sanitizers need address space of their own")
        done = self.good("info", "--threads", 1024, preexec_fn=address_space(2000000 * 1024))
        self.assertIn("1024", done.stdout)
        self.assertEqual(done.stderr, "")
        learn = ["learn", "data.h5", "--epochs", 5, "--optimizer", "sgd", "-o"]
        self.good(*learn, "one.h5", "--threads", 1)
        done = self.good(*learn, "many.h5", "--threads", 1024, preexec_fn=address_space(700 << 20))
        self.assertIn("1024 threads were asked for and the system gives", done.stderr)
        self.assertEqual(numbers_of("one.h5"), numbers_of("many.h5"))


main()
