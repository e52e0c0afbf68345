#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Help with an example for every subcommand; version and info."""
import json
import os
import re
import shutil
import subprocess

from program import Case, features, main, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The names of 0.1, which users' scripts use. The list that is tested is the program's own.
KNOWN = {"sample", "learn", "eval", "contacts", "energies", "mutants", "compare", "convert", "replica", "dotattn",
         "check", "demo", "info", "verdict", "weights"}


GROUPS = ("Sequences:", "Models:", "Theory:", "Program:")
COMMON = ["--threads", "--memory", "--seed", "--quiet", "--progress", "--json", "--no-comments", "--config", "--save-config", "--mpi"]


class Help(Case):
    def listed(self):
        """The subcommands that --help lists: indented by two, below the names of their groups."""
        parts = re.split(r"\n(?=\w)", self.good("--help").stdout)
        return re.findall(r"^  ([\w-]+) ", "".join(part for part in parts if part.startswith(GROUPS)), re.M)

    def test_every_subcommand_is_listed(self):
        listed = self.listed()
        self.assertEqual(KNOWN - set(listed), set())
        self.assertEqual(len(listed), len(set(listed)))
        # The text on a wrong subcommand comes from the parser, which has all of them.
        text = run("no-such-thing").stderr
        self.assertEqual(text.split("expected one of ")[1].strip().split(", "), listed)

    def test_every_subcommand_has_an_example(self):
        for name in self.listed():
            text = self.good(name, "--help-all").stdout
            self.assertIn("Example:\n  attopotts " + name + " ", text.replace("\n\n", " \n"))
            for flag in COMMON:
                self.assertIn(flag, text, name)

    def flags(self, *words):
        return re.findall(r"^  (?:-\w,)?(--[\w-]+)", self.good(*words).stdout, re.M)

    def test_help_is_short(self):
        """--help has at most 30 flags, those that are required among them, and says how many more --help-all has."""
        for name in self.listed():
            short, full = self.flags(name, "--help"), self.flags(name, "--help-all")
            self.assertLessEqual(len(short), 30, name)
            self.assertEqual([flag for flag in full if flag in short], short, name)
            needed = re.findall(r"^  (?:-\w,)?(--[\w-]+).* REQUIRED", self.good(name, "--help-all").stdout, re.M)
            self.assertLessEqual({*needed, "--help-all", "--threads", "--seed", "--quiet"}, set(short), name)
            self.assertTrue(self.good(name, "--help").stdout.endswith(f"\n{len(full) - len(short)} more flags: attopotts {name} --help-all\n"), name)
            self.assertNotIn("more flags", self.good(name, "--help-all").stdout)
            for text in (self.good(name, "--help").stdout, self.good(name, "--help-all").stdout):
                self.assertNotIn("\n\n\n", text)
        self.assertGreater(len(self.flags("learn", "--help-all")), 60)
        self.assertIn("--family", self.flags("learn", "--help"))
        self.assertNotIn("--precision", self.flags("learn", "--help"))

    def test_suggestions(self):
        """A misspelt flag or subcommand gets the nearest one that exists; far ones get none."""
        for arguments, near in [(["contcts", "x"], "contacts"), (["lern", "x"], "learn"), (["contacts", "f.fasta", "--alphabt", "protein"], "--alphabet"),
                                (["replica", "--shift", "3", "--aplha", "1"], "--alpha"), (["learn", "d.h5", "-o", "m.h5", "--epoch=3"], "--epochs"),
                                (["replica", "--shfit", "3", "--alpha", "1"], "--shift"), (["--verson"], "--version")]:
            self.wrong(2, [f"did you mean {near}?"], *arguments)
        for arguments in (["zzzzzzz"], ["replica", "--zzzzzzzz", "3"], ["contacts"]):
            self.assertNotIn("did you mean", self.wrong(2, [arguments[-2] if "--" in arguments[-1] else ""], *arguments).stderr)

    def test_topics(self):
        """`help` lists the topics and explains each; a subcommand's help is that of --help."""
        text = self.good("help").stdout
        self.assertTrue(text.startswith(self.good("--help").stdout))
        topics = [line.split()[0] for line in text.split("Topics of `attopotts help TOPIC`:\n")[1].splitlines()]
        self.assertIn("family", topics)
        for topic in topics:
            self.assertGreater(len(self.good("help", topic).stdout.splitlines()), 3, topic)
        formats = self.good("help", "formats").stdout
        for flag in re.findall(r"`attopotts convert [^`]*(--[\w-]+)", formats):
            self.assertIn(flag, self.flags("convert", "--help-all"))
        self.assertIn("--to FORMAT", formats)
        self.assertEqual(self.good("help", "learn").stdout, self.good("learn", "--help").stdout)
        self.wrong(2, ["WORD is \"famly\"", "did you mean family?"], "help", "famly")
        self.wrong(2, ["WORD is \"family\"", "expected a subcommand"], "help", "family", "--man")

    def test_manual_pages(self):
        """Each flag of --help-all has its entry; mandoc finds nothing wrong. The list of meson.build is that of the program."""
        with open(os.path.join(ROOT, "cli/meson.build")) as file:
            listed = re.search(r"subcommands = \[(.*?)\]", file.read(), re.S)[1]
        self.assertEqual(re.findall("'(.*?)'", listed), self.listed())
        for name in ["", *self.listed()]:
            page = self.good("help", "--man", *filter(None, [name])).stdout
            if shutil.which("mandoc"):
                done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=page, capture_output=True, text=True)
                # Pages have no date: a build has the same bytes on every day.
                self.assertEqual([line for line in done.stdout.splitlines() if "missing date" not in line], [], name)
            flags = self.flags(name, "--help-all") if name else []
            for flag in flags:
                self.assertIn("\\fB" + flag.replace("-", "\\-") + "\\fR", page, name)

    def complete(self, script, shell, *words):
        """What a shell offers for the last of these words."""
        with open("completion", "w") as file:
            file.write(self.good("help", "--completion", shell).stdout)
        done = subprocess.run([shell, "-c", script, shell, *words], capture_output=True, text=True)
        self.assertEqual(done.stderr, "", shell)
        return done.stdout.split("\n")

    def test_completion_of_bash(self):
        script = "source ./completion; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _attopotts; printf '%s\\n' \"${COMPREPLY[@]}\""
        offered = self.complete(script, "bash", "attopotts", "comp")
        self.assertEqual(offered[:-1], ["compare", "compare-methods"])
        self.assertEqual(self.complete(script, "bash", "attopotts", "learn", "--fam")[:-1], ["--family"])
        self.assertEqual(self.complete(script, "bash", "attopotts", "learn", "--family", "")[:-1], ["factored", "dense", "encoder", "dial"])
        self.assertEqual(self.complete(script, "bash", "attopotts", "learn", "-o", "compl")[:-1], ["completion"])
        self.assertEqual(self.complete(script, "bash", "attopotts", "learn", "--heads", "")[:-1], [""])

    def test_completion_of_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        offered = [line.split("\t")[0] for line in self.complete("source ./completion; complete -C \"attopotts comp\"", "fish")]
        self.assertEqual(offered[:-1], ["compare", "compare-methods"])
        offered = [line.split("\t")[0] for line in self.complete("source ./completion; complete -C \"attopotts learn --family \"", "fish")]
        self.assertEqual(offered[:-1], ["dense", "dial", "encoder", "factored"])

    def test_completion_of_zsh(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        script = "autoload -U compinit; compinit -D -u; source ./completion; print $_comps[attopotts]; whence -w _attopotts"
        self.assertEqual(self.complete(script, "zsh")[:2], ["_attopotts", "_attopotts: function"])
        with open("completion") as file:
            text = file.read()
        self.assertIn("'--family[model to learn\\: factored]:WHAT:(factored dense encoder dial)'", text)

    def test_defaults_are_those_of_the_subcommand(self):
        self.assertIn("2000", self.text_of("learn", "--epochs"))
        for name in "contacts", "compare-methods":
            self.assertTrue(self.text_of(name, "--epochs").endswith("default 200"), name)

    def text_of(self, name, flag):
        """What --help-all says of a flag."""
        return " ".join(re.search(rf"^  {flag} \w+ (.*?)\n  (?:-|$)", self.good(name, "--help-all").stdout, re.M | re.S)[1].split())

    def test_option_texts_are_words(self):
        """Options are explained without names of the C API."""
        for name in self.listed():
            self.assertNotRegex(self.good(name, "--help-all").stdout, r"\ban atp_|\w\.h\b", name)

    def test_largest_seed(self):
        self.wrong(2, ["--seed is \"9223372036854775807\"", "in 0.."], "info", "--seed", "9223372036854775807")
        self.wrong(2, ["--seed is \"-1\"", "whole number >= 0"], "info", "--seed=-1")

    def test_version(self):
        self.assertRegex(self.good("--version").stdout, r"^attopotts \d+\.\d+\.\d+\n$")

    def test_info(self):
        text = self.good("info").stdout
        info = json.loads(self.good("info", "--json", "--threads", "1").stdout)
        self.assertEqual(info["threads"], 1)
        self.assertIn(info["simd"], info["simd_targets"])
        self.assertIn("scalar", info["simd_targets"])
        self.assertIn(info["version"], text)
        self.assertIn("BLIS" if info["features"]["blis"] else "none", info["blas"])
        scalar = json.loads(self.good("info", "--json", env={**os.environ, "ATP_SIMD": "scalar"}).stdout)
        self.assertEqual(scalar["simd"], "scalar")

    def test_blis_kernels(self):
        """The program names BLIS's kernels on a CPU that BLIS may not know; the user's own choice stands."""
        if not features()["blis"]:
            self.skipTest("this build has no BLIS")
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
