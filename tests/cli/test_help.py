#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Help with an example for every subcommand; version and info."""
import json
import os

from program import Case, main, run

SUBCOMMANDS = ["sample", "learn", "eval", "energies", "convert", "replica", "dotattn", "reproduce", "demo", "info"]


class Help(Case):
    def test_every_subcommand_is_listed(self):
        text = self.good("--help").stdout
        for name in SUBCOMMANDS:
            self.assertIn(f"\n  {name} ", text)

    def test_every_subcommand_has_an_example(self):
        for name in SUBCOMMANDS:
            text = self.good(name, "--help").stdout
            self.assertIn("Example:\n  attopotts " + name, text)
            for flag in ["--threads", "--seed", "--quiet", "--progress"]:
                self.assertIn(flag, text, name)

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
