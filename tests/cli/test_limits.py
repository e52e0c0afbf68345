#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--memory and --threads at their limits: too large requests fail with one line, and missing threads only give a warning."""
import json
import resource

from program import SANITIZED, Case, main, numbers_of, small_data


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
        self.wrong(2, ["training needs", "expected --history 3 or --asymmetric"], *learn, "47M")
        self.wrong(2, ["training needs", "expected --asymmetric"], *learn, "37M")
        self.wrong(2, ["training needs", "expected --family factored, or --asymmetric and ", " MB"], *learn, "20M")

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
