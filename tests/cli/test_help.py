#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Help with an example for every subcommand; version and info."""
import json
import os

from program import Case, main, run

# The names of 0.1, which users' scripts use. The list that is tested is the program's own.
KNOWN = {"sample", "learn", "eval", "contacts", "energies", "mutants", "compare", "convert", "network", "replica", "reproduce", "dotattn", "batch",
         "demo", "info", "verdict", "weights"}


class Help(Case):
    def listed(self):
        """The subcommands that --help lists: indented by two, below "Subcommands:" and up to the next empty line."""
        lines = self.good("--help").stdout.split("\nSubcommands:\n")[1].split("\n\n")[0].splitlines()
        return [line.split()[0] for line in lines if line.startswith("  ") and not line.startswith("   ")]

    def test_every_subcommand_is_listed(self):
        listed = self.listed()
        self.assertEqual(KNOWN - set(listed), set())
        self.assertEqual(len(listed), len(set(listed)))
        # The text on a wrong subcommand comes from the parser, which has all of them.
        text = run("no-such-thing").stderr
        self.assertEqual(text.split("expected one of ")[1].strip().split(", "), listed)

    def test_every_subcommand_has_an_example(self):
        for name in self.listed():
            text = self.good(name, "--help").stdout
            self.assertIn("Example:\n  attopotts " + name + " ", text.replace("\n\n", " \n"))
            for flag in ["--threads", "--memory", "--seed", "--quiet", "--progress"]:
                self.assertIn(flag, text, name)

    def test_suggestions(self):
        """A misspelt flag or subcommand gets the nearest one that exists; far ones get none."""
        for arguments, near in [(["contcts", "x"], "contacts"), (["lern", "x"], "learn"), (["contacts", "f.fasta", "--alphabt", "protein"], "--alphabet"),
                                (["replica", "--shift", "3", "--aplha", "1"], "--alpha"), (["learn", "d.h5", "-o", "m.h5", "--epoch=3"], "--epochs"),
                                (["replica", "--shfit", "3", "--alpha", "1"], "--shift"), (["--verson"], "--version")]:
            self.wrong(2, [f"did you mean {near}?"], *arguments)
        for arguments in (["zzzzzzz"], ["replica", "--zzzzzzzz", "3"], ["contacts"]):
            self.assertNotIn("did you mean", self.wrong(2, [arguments[-2] if "--" in arguments[-1] else ""], *arguments).stderr)

    def test_version(self):
        self.assertRegex(self.good("--version").stdout, r"^attopotts \d+\.\d+\.\d+\n$")

    def test_info(self):
        text = self.good("info").stdout
        info = json.loads(self.good("info", "--json", "--threads", "1").stdout)
        self.assertEqual(info["threads"], 1)
        self.assertIn(info["simd"], info["simd_targets"])
        self.assertIn("scalar", info["simd_targets"])
        self.assertIn(info["version"], text)
        self.assertIn("BLIS", info["blas"])
        scalar = json.loads(self.good("info", "--json", env={**os.environ, "ATP_SIMD": "scalar"}).stdout)
        self.assertEqual(scalar["simd"], "scalar")

    def test_blis_kernels(self):
        """The program names BLIS's kernels on a CPU that BLIS may not know; the user's own choice stands."""
        with open("/proc/cpuinfo") as file:
            flags = file.read().split()
        if "avx2" not in flags or "fma" not in flags:
            self.skipTest("not an AVX2 machine")
        clean = {k: v for k, v in os.environ.items() if k != "BLIS_ARCH_TYPE"}
        chosen = json.loads(run("info", "--json", env=clean).stdout)["blas"]
        self.assertIn("skx" if "avx512vl" in flags else "haswell", chosen)
        forced = json.loads(run("info", "--json", env={**clean, "BLIS_ARCH_TYPE": "3"}).stdout)["blas"]
        self.assertIn("haswell", forced)


main(needs_hdf5=False)
