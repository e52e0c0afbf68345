#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every wrong use: status 2 and one line that names the flag or file, its value and what was expected."""
import os
import re

from program import Case, main, run, small_data, subcommands

RANDOM = ["sample", "--sites", "4", "--colors", "3", "--beta", "1", "--protocol", "chain", "--burn-in", "5", "--thin", "5",
          "--samples", "6"]


def random_with(*flags):
    """RANDOM with other values for some of its flags, or more of them."""
    arguments = list(RANDOM)
    for flag, value in zip(flags[::2], flags[1::2]):
        if flag in arguments:
            arguments[arguments.index(flag) + 1] = value
        else:
            arguments += [flag, value]
    return arguments


def write(name, text, mode="w"):
    with open(name, mode) as file:
        file.write(text)


class BadInput(Case):
    @classmethod
    def make_inputs(cls):
        small_data()
        write("good.fasta", ">a\nABCDAB\n>b\nBBCDAC\n")
        write("good.txt", "0 1 2 3 0 1\n1 1 1 1 2 3\n")
        write("J.txt", "0 1 2\n1 0 3\n2 3 0\n")
        write("empty", "")
        write("magic.h5", b"\x89HDX\r\n\x1a\n" + bytes(200), "wb")
        with open("truth.h5", "rb") as file:
            model = file.read()
        with open("data.h5", "rb") as file:
            data = file.read()
        write("cut_model.h5", model[:len(model) // 2], "wb")
        write("cut_data.h5", data[:len(data) // 2], "wb")
        write("nan.txt", "0 nan\nnan 0\n")
        write("inf.txt", "0 inf\ninf 0\n")
        write("lopsided.txt", "0 1\n2 0\n")
        write("diagonal.txt", "1 2\n2 0\n")
        write("huge.txt", "0 1e101\n1e101 0\n")
        write("oblong.txt", "0 1 2\n3 4 5\n")
        write("word.txt", "0 one\none 0\n")
        write("one_site.txt", "0\n1\n")
        write("large.txt", "0 1 2 3 0 300\n")
        write("ragged.txt", "0 1 2\n0 1\n")
        write("ragged.fasta", ">a\nABC\n>b\nAB\n")
        write("negative.txt", "0 -1 2\n")
        write("protein.fasta", ">a\nMKV-WX\n>b\nMKVLWY\n")
        write("rna.fasta", ">a\nACGU-\n>b\nACG-U\n")
        write("bad_symbol.fasta", ">a\nABCDAB\n>b\nAB7DAB\n")
        write("text.h5", "no model at all\n")
        os.mkdir("folder")

    def test_right_uses_pass(self):
        for arguments in [
                RANDOM + ["-o", "out.txt"],
                ["sample", "--couplings", "J.txt", "--colors", "3", "--beta", "1", "--protocol", "chain", "--thin", "5", "-o", "out.txt"],
                ["sample", "--model", "truth.h5", "--protocol", "chain", "--thin", "5", "--samples", "5", "-o", "out.fasta"],
                ["learn", "data.h5", "-o", "m.h5", "--optimizer", "sgd", "--epochs", "2"],
                ["learn", "good.fasta", "--alphabet", "ABCD", "-o", "m.h5", "--optimizer", "sgd", "--epochs", "2"],
                ["eval", "truth.h5", "data.h5"],
                ["eval", "truth.h5", "good.txt"],
                ["energies", "truth.h5", "good.fasta"],
                ["convert", "good.fasta", "out.h5", "--alphabet", "ABCD"],
        ]:
            self.good(*arguments)

    def test_a_missing_file_is_named_once(self):
        for arguments in (["eval", "missing.h5", "good.txt"], ["contacts", "missing.h5"]):
            self.assertEqual(self.wrong(2, ["missing.h5: cannot open"], *arguments).stderr.count("missing.h5"), 1)

    def table(self, table):
        for arguments, fragments in table:
            self.wrong(2, fragments, *arguments)

    def test_the_command_line(self):
        self.table([
            ([], ["subcommand"]),
            (["dance"], ["dance"]),
            (["sample", "--nonsense"] + RANDOM[1:] + ["-o", "x.txt"], ["--nonsense"]),
            (RANDOM, ["--output"]),
            (RANDOM + ["--beta", "2", "-o", "x.txt"], ["--beta"]),
            (["eval", "truth.h5"], ["DATA"]),
            (["info", "--threads", "-1"], ["--threads", "-1", "0..1024"]),
            (["info", "--threads", "two"], ["--threads", "two", "whole number"]),
            (["info", "--seed", "-5"], ["--seed", "-5"]),
            (["info", "--seed", "1.5"], ["--seed", "1.5"]),
            (["info", "--progress", "loud"], ["--progress", "loud", "auto, bar, lines, json or none"]),
            (["info", "--threads"], ["--threads"]),
        ])

    def test_sample(self):
        out = ["-o", "x.txt"]
        self.table([
            (["sample", "--sites", "4", "--colors", "3"] + out, ["--beta", "--hamming"]),
            (random_with("--hamming", "0.3") + out, ["--beta", "--hamming", "only one"]),
            (random_with("--model", "truth.h5") + out, ["--sites", "--model"]),
            (["sample", "--model", "truth.h5", "--couplings", "gaussian"] + out, ["--couplings", "--model"]),
            (["sample", "--beta", "1", "--colors", "3"] + out, ["--sites", "missing"]),
            (["sample", "--beta", "1", "--sites", "1", "--colors", "3"] + out, ["--sites", "1"]),
            (["sample", "--beta", "1", "--sites", "4", "--colors", "1"] + out, ["--colors", "1", "2..255"]),
            (["sample", "--beta", "1", "--sites", "4", "--colors", "256"] + out, ["--colors", "256", "2..255"]),
            (["sample", "--beta", "nan", "--sites", "4", "--colors", "3"] + out, ["--beta", "nan", "number"]),
            (["sample", "--beta", "-1", "--sites", "4", "--colors", "3"] + out, ["--beta", "-1"]),
            (["sample", "--hamming", "0", "--sites", "4", "--colors", "3"] + out, ["--hamming", "0"]),
            (["sample", "--hamming", "2", "--sites", "4", "--colors", "3"] + out, ["--hamming", "2"]),
            (["sample", "--hamming", "0.99", "--sites", "4", "--colors", "3"] + out, ["--hamming", "0.99"]),
            (random_with("--samples", "0") + out, ["--samples", "0"]),
            (random_with("--thin", "0") + out, ["--thin", "0"]),
            (random_with("--burn-in", "-1") + out, ["--burn-in", "-1"]),
            (random_with("--chains", "0") + out, ["--chains", "0"]),
            (random_with("--protocol", "equilibrium", "--chains", "2") + out, ["--chains", "2"]),
            (random_with("--set", "temperatures=4") + out, ["--set temperatures", "equilibrium"]),
            (random_with("--set", "first-chain=-1") + out, ["--set", "first-chain=-1"]),
            (random_with("--set", "first-chain=2147483648") + out, ["first-chain", "2147483648"]),
            (random_with("--protocol", "equilibrium", "--set", "first-chain=8") + out, ["--set first-chain", "--protocol chain"]),
            (random_with("--protocol", "fast") + out, ["--protocol", "fast", "equilibrium or chain"]),
            (random_with("--protocol", "equilibrium", "--set", "beta-hot=2") + out, ["--set beta-hot is 2"]),
            (["sample", "--model", "absent.h5"] + out, ["--model", "absent.h5"]),
            (["sample", "--model", "empty"] + out, ["empty"]),
            (["sample", "--model", "data.h5"] + out, ["data.h5", "model"]),
            (["sample", "--model", "good.fasta"] + out, ["good.fasta"]),
            (["sample", "--beta", "1", "--colors", "3", "--couplings", "nan.txt"] + out, ["--couplings", "nan.txt", "line 1", "nan"]),
            (["sample", "--beta", "1", "--colors", "3", "--couplings", "inf.txt"] + out, ["--couplings", "inf.txt", "line 1", "inf"]),
            (["sample", "--beta", "1", "--colors", "3", "--couplings", "word.txt"] + out, ["word.txt", "line 1", "one"]),
            (["sample", "--beta", "1", "--colors", "3", "--couplings", "lopsided.txt"] + out, ["lopsided.txt", "symmetric"]),
            (["sample", "--beta", "1", "--colors", "3", "--couplings", "diagonal.txt"] + out, ["diagonal.txt", "zero diagonal"]),
            (["sample", "--beta", "1", "--colors", "3", "--couplings", "huge.txt"] + out, ["--couplings huge.txt has 1e+101 at row 0, column 1"]),
            (["sample", "--beta", "1", "--sites", "5", "--color-matrix", "huge.txt"] + out, ["--color-matrix huge.txt has 1e+101 at row 0, column 1"]),
            (["sample", "--beta", "1", "--colors", "3", "--couplings", "oblong.txt"] + out, ["oblong.txt", "square"]),
            (["sample", "--beta", "1", "--colors", "3", "--couplings", "empty"] + out, ["empty", "square"]),
            (["sample", "--beta", "1", "--colors", "3", "--couplings", "absent.txt"] + out, ["absent.txt"]),
            (["sample", "--beta", "1", "--sites", "5", "--colors", "3", "--couplings", "J.txt"] + out, ["J.txt", "5 x 5"]),
            (["sample", "--beta", "1", "--sites", "5", "--color-matrix", "lopsided.txt"] + out, ["--color-matrix", "symmetric"]),
            (random_with("--alphabet", "AB") + out, ["--alphabet"]),
            (random_with("--alphabet", "AAB") + out, ["--alphabet"]),
            (RANDOM + ["-o", "x.fasta"], ["x.fasta", "--alphabet"]),
            (RANDOM + ["-o", "x.weird"], ["x.weird", ".h5"]),
            (RANDOM + ["-o", "x.txt", "--to", "xml"], ["--to", "xml"]),
            (RANDOM + ["-o", "-", "--to", "hdf5"], ["--to", "hdf5"]),
            (RANDOM + ["-o", "absent/x.txt"], ["--output", "absent/x.txt"]),
            (RANDOM + ["-o", "folder", "--to", "integers"], ["--output", "folder", "directory"]),
            (RANDOM + ["-o", "x.txt", "--model-out", "absent/m.h5"], ["--model-out", "absent/m.h5"]),
        ])
        self.assertFalse(os.path.exists("x.txt"))

    def test_learn(self):
        learn = ["learn", "data.h5", "-o", "x.h5"]
        self.table([
            (["learn", "absent.h5", "-o", "x.h5"], ["absent.h5"]),
            (["learn", "empty", "-o", "x.h5"], ["empty"]),
            (["learn", "magic.h5", "-o", "x.h5"], ["magic.h5"]),
            (["learn", "cut_data.h5", "-o", "x.h5"], ["cut_data.h5"]),
            (["learn", "truth.h5", "-o", "x.h5"], ["truth.h5"]),
            (["learn", "folder", "-o", "x.h5"], ["folder"]),
            (["learn", "good.fasta", "-o", "x.h5"], ["good.fasta", "--alphabet"]),
            (["learn", "good.fasta", "--alphabet", "AAB", "-o", "x.h5"], ["AAB"]),
            (["learn", "bad_symbol.fasta", "--alphabet", "ABCD", "--unknown", "error", "-o", "x.h5"], ["bad_symbol.fasta", "4", "7"]),
            (["learn", "ragged.fasta", "--alphabet", "ABCD", "-o", "x.h5"], ["ragged.fasta"]),
            (["learn", "ragged.txt", "-o", "x.h5"], ["ragged.txt", "2"]),
            (["learn", "one_site.txt", "-o", "x.h5"], ["one_site.txt"]),
            (["learn", "large.txt", "-o", "x.h5"], ["large.txt", "300"]),
            (["learn", "negative.txt", "-o", "x.h5"], ["negative.txt", "-1"]),
            (["learn", "good.txt", "--colors", "3", "-o", "x.h5"], ["good.txt"]),
            (["learn", "good.txt", "--colors", "256", "-o", "x.h5"], ["--colors", "256"]),
            (["learn", "good.txt", "--colors", "1", "-o", "x.h5"], ["--colors", "1"]),
            (learn + ["--family", "dense", "--heads", "2"], ["--heads", "2", "factored"]),
            (learn + ["--family", "dense", "--map", "softmax"], ["--map", "softmax", "factored"]),
            (learn + ["--family", "dense", "--optimizer", "sgd", "--asymmetric"], ["--asymmetric", "--optimizer lbfgs"]),
            (learn + ["--family", "dense", "--objective", "mlm"], ["--objective", "mlm", "factored"]),
            (learn + ["--family", "dense", "--gaps", "some"], ["--gaps", "some", "ignore"]),
            (learn + ["--family", "dense", "--set", "l2-scale=weight"], ["--set l2-scale", "--l2-couplings"]),
            (learn + ["--family", "dense", "--set", "l2-scale=big", "--l2-fields", "1"], ["--set", "l2-scale=big", "sites-colors"]),
            (learn + ["--family", "dense", "--l2-couplings", "-0.5"], ["--l2-couplings", "-0.5"]),
            (learn + ["--asymmetric"], ["--asymmetric", "--family dense"]),
            (learn + ["--gaps", "some"], ["--gaps", "some", "ignore"]),
            (learn + ["--set", "l2-scale=weight"], ["--set l2-scale", "--family dense"]),
            (learn + ["--family", "odd"], ["--family", "odd"]),
            (learn + ["--map", "soft"], ["--map", "soft", "softmax"]),
            (learn + ["--rank", "4"], ["--rank", "lowrank"]),
            (learn + ["--like", "mogway"], ["--like", "mogway", "mogwai"]),
            (learn + ["--set", "diagonal=after"], ["--set diagonal", "softmax or lowrank"]),
            (learn + ["--set", "diagonal=never", "--map", "softmax"], ["--set", "diagonal=never"]),
            (learn + ["--set", "scores-scaled=plain", "--map", "softmax"], ["--set scores-scaled", "lowrank"]),
            (learn + ["--set", "scores-scaled=odd", "--map", "lowrank"], ["--set", "scores-scaled=odd"]),
            (learn + ["--set", "l2-pairs=-1"], ["--set", "l2-pairs=-1"]),
            (learn + ["--start", "wide", "--set", "symmetrized=1"], ["--start", "random", "--set symmetrized=1"]),
            (learn + ["--objective", "mlm", "--optimizer", "lbfgs"], ["--optimizer", "lbfgs", "mlm"]),
            (learn + ["--rate", "0.1"], ["--rate", "sgd"]),
            (learn + ["--batch", "10"], ["--batch", "sgd"]),
            (learn + ["--set", "momentum=0.9", "--optimizer", "adam"], ["momentum", "sgd"]),
            (learn + ["--l2-fields", "1"], ["--l2-fields", "--fields"]),
            (learn + ["--set", "l2-colors=1", "--colors-from", "truth.h5"], ["--set l2-colors", "--colors-from"]),
            (learn + ["--l2-couplings", "-1"], ["--l2-couplings", "-1"]),
            (learn + ["--l2-couplings", "inf"], ["--l2-couplings", "inf"]),
            (learn + ["--heads", "0"], ["--heads", "0"]),
            (learn + ["--epochs", "0"], ["--epochs", "0"]),
            (learn + ["--epochs", "1.5"], ["--epochs", "1.5"]),
            (learn + ["--precision", "48"], ["--precision", "48", "32 or 64"]),
            (learn + ["--tolerance", "2"], ["--tolerance", "2"]),
            (learn + ["--rows", "0-3"], ["--rows", "0-3", "FIRST:COUNT"]),
            (learn + ["--rows", "300:200"], ["data.h5", "300:200", "400"]),
            (learn + ["--test-rows", "0:3"], ["--test-rows", "--test"]),
            (learn + ["--test", "absent.h5"], ["absent.h5"]),
            (learn + ["--truth", "cut_model.h5"], ["cut_model.h5"]),
            (learn + ["--truth", "magic.h5"], ["magic.h5"]),
            (learn + ["--truth", "text.h5"], ["text.h5"]),
            (learn + ["--heads", "2", "--colors-from", "truth.h5"], ["--colors-from"]),
            (learn + ["--resume"], ["--resume", "--checkpoint"]),
            (learn + ["--resume", "--checkpoint", "absent.state"], ["absent.state"]),
            (learn + ["--resume", "--checkpoint", "empty"], ["empty"]),
            (learn + ["--resume", "--checkpoint", "good.txt"], ["good.txt"]),
            (learn + ["--log", "absent/log.csv"], ["--log", "absent/log.csv"]),
            (learn + ["--checkpoint", "absent/c.state"], ["--checkpoint", "absent/c.state"]),
            (["learn", "data.h5", "-o", "absent/x.h5"], ["--output", "absent/x.h5"]),
            (["learn", "data.h5", "-o", "/dev/null/x.h5"], ["--output", "/dev/null/x.h5"]),
            (["learn", "data.h5", "-o", "-"], ["--output", "-"]),
        ])
        self.assertFalse(os.path.exists("x.h5"))

    def test_eval_energies_convert(self):
        self.table([
            (["eval", "absent.h5", "data.h5"], ["absent.h5"]),
            (["eval", "data.h5", "data.h5"], ["data.h5"]),
            (["eval", "truth.h5", "truth.h5"], ["truth.h5"]),
            (["eval", "truth.h5", "data.h5", "--truth", "empty"], ["empty"]),
            (["eval", "truth.h5", "one_site.txt"], ["one_site.txt"]),
            (["eval", "truth.h5", "ragged.txt"], ["ragged.txt"]),
            (["eval", "truth.h5", "data.h5", "--csv", "absent/t.csv"], ["--csv", "absent/t.csv"]),
            (["eval", "truth.h5", "data.h5", "--test-rows", "0:3"], ["--test-rows", "--independent"]),
            (["eval", "truth.h5", "data.h5", "--independent", "data.h5", "--pseudocount", "2"], ["--pseudocount", "2"]),
            (["energies", "truth.h5", "absent.fasta"], ["absent.fasta"]),
            (["energies", "truth.h5", "data.h5", "--rows", "5"], ["--rows", "5"]),
            (["convert", "absent", "x.h5"], ["absent"]),
            (["convert", "good.fasta", "x.h5"], ["good.fasta", "--alphabet"]),
            (["convert", "protein.fasta", "x.h5"], ["protein.fasta", "--alphabet protein fits"]),
            (["convert", "rna.fasta", "x.h5"], ["rna.fasta", "--alphabet rna fits"]),
            (["convert", "good.txt", "x.fasta"], ["x.fasta", "--alphabet"]),
            (["convert", "good.txt", "x.csv"], ["x.csv"]),
            (["convert", "good.txt", "x.h5", "--gauge", "colors"], ["--gauge", "good.txt"]),
            (["convert", "truth.h5", "x.fasta"], ["x.fasta", "model"]),
            (["convert", "truth.h5", "x.h5", "--gauge", "lorenz"], ["--gauge", "lorenz", "zero-sum or none"]),
            (["convert", "truth.h5", "x.h5", "--rows", "0:1"], ["--rows"]),
            (["convert", "magic.h5", "x.h5"], ["magic.h5"]),
            (["convert", "cut_data.h5", "x.txt"], ["cut_data.h5"]),
            (["convert", "data.h5", "absent/x.txt"], ["absent/x.txt"]),
            (["demo", "--samples", "a,b"], ["--samples", "a"]),
            (["demo", "--samples", "1:2"], ["--samples", "1:2", "LO:HI:COUNT"]),
            (["demo", "--output", "absent/deep/folder"], ["--output", "absent/deep/folder"]),
        ])

    # Values of what a subcommand requires, where any text will not do.
    REQUIRED = {"FIGURE": "fig2a", "--alpha": "1", "--shift": "3"}

    def test_empty_values(self):
        """An empty value of any flag or positional of any subcommand is named, in all ways to give one; the shell writes it for an unset variable."""
        forms = (lambda flag: [flag, ""], lambda flag: [flag + "="], lambda flag: ["--config", "empty.toml"])
        seen = 0
        for name in subcommands():
            text = run(name, "--help-all").stdout
            positionals = re.findall(r"^  ([A-Z]+) TEXT( REQUIRED)?", text, re.M)
            flags = [(flag, " REQUIRED" in value) for flag, value in re.findall(r"^  (?:-\w,)?(--[\w-]+)( (?!Excludes)[A-Z].*)$", text, re.M)]
            needed = {flag: self.REQUIRED.get(flag, "x") for flag, required in flags if required}
            values = [self.REQUIRED.get(word, "x") for word, required in positionals if required]
            for k, (flag, _) in enumerate(flags):
                others = [f"{key}={value}" for key, value in needed.items() if key != flag]
                write("empty.toml", f"{flag[2:]} = \"\"\n")
                # The second and the third way do not depend on the flag.
                for form in forms if k % 8 == 0 and flag != "--config" else forms[:1]:
                    done = self.wrong(2, [], name, *values, *others, *form(flag))
                    self.assertRegex(done.stderr, f'{flag if form is not forms[2] else flag[2:]} (is empty|is ""|has no value)')
                    seen += 1
            for k, (word, required) in enumerate(positionals):
                others = [f"{key}={value}" for key, value in needed.items()]
                done = self.wrong(2, [], name, *others, *(values[:k] + [""] + values[k + 1:] if required else [""]))
                self.assertRegex(done.stderr, f'{word} (is empty|is "")')
                seen += 1
        self.assertGreater(seen, 500)
        self.wrong(2, ['"" is not a subcommand'], "")

    def test_a_planted_fault_is_seen(self):
        """`wrong` itself fails for a right use and for a text that lacks a fragment."""
        with self.assertRaises(AssertionError):
            self.wrong(2, [], "info")
        with self.assertRaises(AssertionError):
            self.wrong(2, ["no such text"], "info", "--threads", "-1")
        self.assertEqual(run("info").returncode, 0)


main()
