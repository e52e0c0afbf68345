#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/tables.md lists the columns that the program writes, all and no others. test_demo.py looks at those of the demo."""
import json
import pathlib
import unittest

from program import SANITIZED, Case, features, main, must, read_table, run, small_data
from structure_files import KINDS, atom, pdb_text, write
from tables import LISTED, PAGE, columns, differences


class Tables(Case):
    @classmethod
    def make_inputs(cls):
        small_data()
        must("learn", "data.h5", "-o", "model.h5", "--fields", "--rows", "0:300", "--test", "data.h5", "--test-rows", "300:100", "--truth",
             "truth.h5", "--epochs", 5, "--optimizer", "adam", "--log", "log.csv")
        with open("distances.txt", "w") as file:
            file.write("".join(f"{i} {j} {4 * (j - i)}\n" for i in range(1, 7) for j in range(i + 1, 7)))

    def agrees(self, section, *texts):
        found = []
        for text in texts:
            found += [name for name in read_table(text)[1] if name not in found]
        self.assertEqual(differences(section, found), [])

    def written(self, path):
        with open(path) as file:
            return file.read()

    def test_the_comparison_sees_differences(self):
        self.assertEqual(len(differences("eval", [*LISTED["eval"], "planted"])), 1)
        self.assertEqual(len(differences("eval", LISTED["eval"][1:])), 1)
        self.assertEqual(differences("compare-methods", LISTED["compare-methods"]), [])

    def test_columns_of_the_library(self):
        self.assertEqual(columns.filled(PAGE, columns.sources()), PAGE, "run tools/ci/columns.py --write")

    def test_models_and_sequences(self):
        self.agrees("learn --log", self.written("log.csv"))
        self.good("learn", "data.h5", "-o", "chains.h5", "--family", "dense", "--objective", "likelihood", "--epochs", 2, "--target", 1, "--log", "chains.csv")
        self.agrees("learn --log --objective likelihood", self.written("chains.csv"))
        self.agrees("eval", self.good("eval", "model.h5", "data.h5", "--truth", "truth.h5", "--independent", "data.h5", "--log-likelihood").stdout)
        self.agrees("energies", self.good("energies", "model.h5", "data.h5", "--log-likelihood").stdout)
        self.good("sample", "--model", "truth.h5", "--start", "data.h5", "--protocol", "chain", "--chains", 20, "--samples", 200, "-o", "walk.h5",
                  "--trajectory", "walk.csv", "--forgetting", "overlaps.csv")
        self.agrees("sample --trajectory", self.written("walk.csv"))
        self.agrees("sample --forgetting", self.written("overlaps.csv"))
        self.agrees("mutants", self.good("mutants", "model.h5", "data.h5").stdout)
        with open("letters.fasta", "w") as file:
            file.write("".join(f">s{n}\n{'ACGUACGU'[n % 4:][:5]}\n" for n in range(8)))
        with open("list.txt", "w") as file:
            file.write("A1C\nA1C/C2G\n")
        run("learn", "letters.fasta", "-o", "letters.h5", "--alphabet", "rna", "--family", "dense")
        self.agrees("mutants --mutations", self.good("mutants", "letters.h5", "letters.fasta", "--mutations", "list.txt").stdout)
        doubles = ("mutants", "letters.h5", "letters.fasta", "--doubles")
        self.agrees("mutants --doubles", self.good(*doubles).stdout, self.good(*doubles, "--top", 2).stdout)
        with open("dms.csv", "w") as file:
            file.write("mutant,effect\nA1C,1\nC2G,2\nA1C/C2G,3\n")
        done = self.good("mutants", "letters.h5", "letters.fasta", "--dms", "dms.csv", "--column", "effect", "--statistics", "measures.csv")
        self.agrees("mutants --dms", done.stdout)
        self.agrees("mutants --statistics", self.written("measures.csv"))
        self.agrees("compare", self.good("compare", "data.h5", "data.h5", "--measures", "measures.csv", "--histograms", "histograms.csv",
                                         "--components", "components.csv").stdout)
        self.agrees("compare --measures", self.written("measures.csv"))
        self.agrees("compare --histograms", self.written("histograms.csv"))
        self.agrees("compare --components", self.written("components.csv"))
        self.agrees("weights", self.good("weights", "letters.fasta", "--alphabet", "rna").stdout)
        self.agrees("convert", self.good("convert", "model.h5", "-").stdout)
        self.agrees("info presets", self.good("info", "presets").stdout)
        self.assertEqual(differences("check --json", json.loads(self.good("check", "--only", "samples", "--json").stdout)["columns"]), [])

    def test_contacts(self):
        done = self.good("contacts", "model.h5", "--distances", "distances.txt", "--ppv", "ppv.csv")
        with open("letters.fasta", "w") as file:
            file.write("".join(f">s{n}\n{'ACDEFG'[n % 3:] + 'ACD'[:n % 3]}\n" for n in range(8)))
        texts = [done.stdout, self.good("contacts", "model.h5", "--paired", 3).stdout]
        if features()["structures"]:
            atoms = [atom(name, KINDS[c], "A", k + 1, (3.8 * k + x, 0, 0)) for k, c in enumerate("ACDEFG") for name, x in (("N", -1.2), ("CA", 0), ("C", 1.2))]
            write("small.pdb", pdb_text(atoms))
            texts.append(run("contacts", "letters.fasta", "--alphabet", "protein", "--structure", "small.pdb", "--epochs", 2).stdout)
        else:
            texts.append("chains\n")
        texts += [self.good("contacts", "data.h5", "--method", *flags).stdout for flags in (["mi"], ["plm", "--score", "di"])]
        texts.append(self.good("contacts", "truth.h5", "--epistasis", "data.h5", "--epistasis-rows", "0:2").stdout)
        texts.append(run("contacts", "letters.fasta", "--alphabet", "protein", "--epochs", 2, "--errors").stdout if features()["lapack"] else "error,z\n")
        self.agrees("contacts", *texts)
        self.agrees("compare-methods", self.good("compare-methods", "data.h5", "--method", "mi").stdout)
        self.agrees("contacts --ppv", self.written("ppv.csv"))

    def test_network(self):
        self.good("learn", "data.h5", "--rows", "0:300", "--test", "data.h5", "--test-rows", "300:100", "--truth", "truth.h5", "--family", "encoder",
                  "--epochs", 2, "--maps", "maps.csv", "--log", "log.csv")
        self.agrees("learn --log", self.written("log.csv"))
        self.agrees("learn --maps", self.written("maps.csv"))

    def test_replica(self):
        self.agrees("replica", self.good("replica", "--shift", "2.5", "--alpha", "1", "--lambda", "0.1", "--sites", "20", "--simulate", "2",
                                         "--details").stdout)

    @unittest.skipIf(SANITIZED, "takes minutes with sanitizers")
    def test_dotattn(self):
        quick = ["dotattn", "--omega", "0.3", "--set", "accuracy=1e-1"]
        simulated = ["--simulate", "30", "--runs", "2", "--optimizer", "lbfgs", "--set", "flips=2"]
        self.agrees("dotattn", self.good(*quick, "--alpha", "2", "--branch", "semantic", "--set", "breaking=1", "--details", *simulated).stdout)
        # Ends at once, not converged; the row is written.
        self.agrees("dotattn --transition", run(*quick, "--transition", "--set", "max-iter=1").stdout)
        tokens = self.good("dotattn", "--omega", "0.3", "--alpha", "2", "--branch", "semantic", "--rank", "1", "--set", "points=64", "--set", "shifts=2")
        self.agrees("dotattn --tokens", tokens.stdout)
        dynamics = ["dotattn", "--time", "0,0.5"]
        self.agrees("dotattn --time", self.good(*dynamics, "--set", "points=16", "--set", "shifts=2").stdout)
        self.agrees("dotattn --time --simulate", self.good(*dynamics, "--simulate", "20", "--runs", "2").stdout)

    def test_every_section_is_compared(self):
        here = pathlib.Path(__file__).read_text(encoding="utf-8")
        # Those of the demo are in test_demo.py, that of scans in test_scans.py, that of accessibility in test_site_weights.py, and
        # test_rungs.py has "sample --betas", "sample --overlaps" and "enumerate --marginals".
        for name in LISTED:
            self.assertTrue(f'"{name}"' in here or name in ("maps.csv", "error.csv", "theory.csv", "scans", "mutants --accessibility"), name)


main()
