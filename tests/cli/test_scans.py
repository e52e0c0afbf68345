#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attopotts scans: assays in ProteinGym's layout, sampled here and made from 6acv, against learn and mutants run one by one."""
import csv
import math
import os
import pathlib

from program import Case, features, main, must, read_table, run
from structure_files import KINDS, atom, pdb_text, write
from tables import differences

SHARED = pathlib.Path(os.environ.get("ATP_SHARED_DATA", "/nonexistent")) / "structuredca"
LEARN = ["--gaps", "ignore", "--l2-couplings", "10", "--l2-fields", "1", "--epochs", "300"]


def write_table(path, columns, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def rows_of(text):
    return read_table(text)[2]


class Scans(Case):
    """Three assays of two proteins: the effects are energies of the model that the family was sampled from."""

    @classmethod
    def make_inputs(cls):
        for folder in "DMS_assays", "DMS_msa_files", "DMS_msa_weights":
            os.mkdir(folder)
        reference = []
        for k, (protein, sites, start) in enumerate((("ONE", 12, 5), ("TWO", 9, 1))):
            must("sample", "--sites", sites, "--colors", 21, "--couplings", "gaussian", "--color-matrix", "gaussian", "--beta", "3",
                 "--alphabet", "protein", "--samples", 2000, "--seed", k + 3, "--model-out", f"{protein}.h5", "-o", "drawn.fasta", "--quiet")
            with open("drawn.fasta") as file:
                sequences = file.read().split("\n")[1::2]
            target = next(s for s in sequences if "-" not in s)
            sequences.remove(target)
            with open(f"DMS_msa_files/{protein}.a2m", "w") as file:
                file.write(f">{protein}/{start}-{start + sites - 1}\n{target}\n")
                file.writelines(f">s{n}\n{s}\n" for n, s in enumerate(sequences))
            with open("target.fasta", "w") as file:
                file.write(f">{protein}\n{target}\n")
            singles = rows_of(run("mutants", f"{protein}.h5", "target.fasta", "--alphabet", "protein", "--quiet").stdout)
            effects = [(f"{r['from']}{int(r['number']) + start - 1}{r['to']}", -float(r["energy"])) for r in singles if r["to"] != "-"]
            ranked = sorted(value for _, value in effects)
            for half, name in enumerate(["A", "B"][:2 - k]):
                rows = [(mutant, "", value) for n, (mutant, value) in enumerate(effects) if k == 1 or n % 2 == half]
                if start > 1:
                    rows.append(("M1A", "", -3))
                write_table(f"DMS_assays/{protein}_{name}.csv", ["mutant", "mutated_sequence", "DMS_score"], rows)
                reference.append([f"{protein}_{name}", f"{protein}_{name}.csv", protein, "MKLV"[:start - 1] + target, f"{protein}.a2m",
                                  "weights.txt" if k else "", ["Activity", "Binding"][half] if k == 0 else "Activity", ranked[len(ranked) // 2]])
        with open("DMS_msa_weights/weights.txt", "w") as file:
            file.write("0.5\n" * 2000)
        write_table("reference.csv", ["DMS_id", "DMS_filename", "UniProt_ID", "target_seq", "MSA_filename", "weight_file_name",
                                      "coarse_selection_type", "DMS_binarization_cutoff"], reference)
        cls.reference = reference

    def by_hand(self, assay):
        """Spearman's correlations, and the AUC at the median, by learn and mutants."""
        name, effects, protein, _, msa, weights = assay[:6]
        weighing = ["--weights", "DMS_msa_weights/weights.txt"] if weights else ["--theta", "0.2"]
        common = ["--alphabet", "protein", "--focus", protein, *weighing]
        must("learn", f"DMS_msa_files/{msa}", "-o", "hand.h5", "--family", "dense", *LEARN, *common, "--quiet")
        must("mutants", "hand.h5", f"DMS_msa_files/{msa}", *common, "--dms", f"DMS_assays/{effects}", "--column", "DMS_score", "--skip-unscored",
             "--bootstrap", "0", "--statistics", "hand.csv", "--csv", "scored.csv", "--quiet")
        with open("hand.csv") as file:
            return {r["score"]: float(r["value"]) for r in rows_of(file.read()) if r["measure"] == "spearman"}

    def test_all_assays(self):
        done = self.good("scans", "reference.csv", *LEARN, "--csv", "scans.csv", "--picture", "scans.svg")
        with open("scans.csv") as file:
            text = file.read()
        rows = rows_of(text)
        self.assertEqual(differences("scans", list(rows[0])), [])
        self.assertEqual([(r["level"], r["name"]) for r in rows], [("assay", "ONE_A"), ("assay", "ONE_B"), ("assay", "TWO_A"),
                                                                   ("type", "Activity"), ("type", "Binding"), ("all", "all")])
        found = {r["name"]: r for r in rows}
        for assay in self.reference:
            hand, row = self.by_hand(assay), found[assay[0]]
            for column, score in (("spearman", "energy"), ("spearman_log_pseudolikelihood", "log_pseudolikelihood"), ("spearman_independent", "independent")):
                self.assertAlmostEqual(float(row[column]), hand[score], delta=1e-6, msg=assay[0])
            self.assertGreater(float(row["spearman"]), 0.5)
            self.assertEqual(row["left_out"], "1" if assay[2] == "ONE" else "0")
            self.assertEqual(row["outcome"], "converged")
            with open("scored.csv") as file:  # the AUC at the cutoff of the reference
                pairs = [(-float(r["energy"]), float(r["measured"]) > assay[7]) for r in rows_of(file.read())]
            wins = [(a > b) + 0.5 * (a == b) for a, positive in pairs if positive for b, other in pairs if not other]
            self.assertAlmostEqual(float(row["auc"]), sum(wins) / len(wins), delta=1e-6)
        self.assertEqual(float(found["TWO_A"]["effective"]), 1000)
        value = {name: float(r["spearman"]) for name, r in found.items()}
        self.assertAlmostEqual(value["Activity"], (value["ONE_A"] + value["TWO_A"]) / 2, delta=1e-9)
        self.assertAlmostEqual(value["all"], (value["Activity"] + value["ONE_B"]) / 2, delta=1e-9)
        self.assertIn("EVmutation 0.395", done.stderr)
        self.assertIn("# published means", text)
        with open("scans.svg") as file:
            picture = file.read()
        self.assertIn("Activity: mean", picture)
        self.assertIn("Binding: mean", picture)

    def test_preset(self):
        """Contacts and accessibility where the reference names a structure, all pairs where not: as learn and mutants one by one."""
        if not features()["structures"]:
            self.skipTest("this build reads no structures")
        target, start = self.reference[0][3][4:], 5
        if "X" in target:
            self.fail("the target has a residue without a name")
        atoms = [atom(name, KINDS[letter], "A", start + k, (3.8 * (k % 4), 3.8 * (k // 4) + shift, shift)) for k, letter in enumerate(target)
                 for name, shift in (("CA", 0), ("CB", 1.5)) if (name, letter) != ("CB", "G")]
        os.makedirs("structures", exist_ok=True)
        write("structures/one.pdb", pdb_text(atoms))
        write_table("preset.csv", ["DMS_id", "DMS_filename", "target_seq", "MSA_filename", "pdb_file"],
                    [[*self.reference[n][:2], self.reference[n][3], self.reference[n][4], name]
                     for n, name in ((0, "one.pdb"), (1, "none.pdb"), (2, ""))])
        folds = ["--set", "folds=2"]
        done = self.good("scans", "preset.csv", "--preset", "mutations", *folds, "--csv", "scans.csv")
        self.assertIn("ONE_B: the structure none.pdb is in no folder", done.stderr)
        with open("scans.csv") as file:
            found = {r["name"]: r for r in rows_of(file.read())}
        self.assertEqual([found[r[0]]["structure"] for r in self.reference], ["one.pdb", "", ""])
        for n, (of_learn, of_mutants) in enumerate(((["--pairs-from", "structures/one.pdb"], ["--structure", "structures/one.pdb"]), ([], []))):
            name, effects, protein, _, msa = self.reference[n][:5]
            common = ["--preset", "mutations", "--focus", protein]
            must("learn", f"DMS_msa_files/{msa}", "-o", "hand.h5", *common, *of_learn, *folds, "--quiet")
            must("mutants", "hand.h5", f"DMS_msa_files/{msa}", *common, *of_mutants, "--dms", f"DMS_assays/{effects}", "--column", "DMS_score",
                 "--skip-unscored", "--bootstrap", "0", "--statistics", "hand.csv", "--csv", "scored.csv", "--quiet")
            with open("hand.csv") as file:
                hand = {r["score"]: float(r["value"]) for r in rows_of(file.read()) if r["measure"] == "spearman"}
            for column, score in (("spearman", "energy"), ("spearman_independent", "independent")):
                self.assertAlmostEqual(float(found[name][column]), hand[score], delta=1e-6, msg=name)
        # Without the preset the structure does nothing.
        done = self.good("scans", "preset.csv", *LEARN, "--quiet")
        self.assertEqual({r["structure"] for r in rows_of(done.stdout)}, {""})

    def test_resumed(self):
        """A table with some of the assays is completed; their rows stay as they are."""
        self.good("scans", "reference.csv", *LEARN, "--csv", "whole.csv")
        with open("whole.csv") as file:
            lines = file.read().split("\n")
        kept = [line for line in lines if line.startswith("#") or line.startswith("level") or line.startswith("assay,ONE_A")]
        kept = [line.replace("outcome: converged", "outcome: not finished") for line in kept]
        with open("part.csv", "w") as file:
            file.write("\n".join(kept).replace("assay,ONE_A,Activity,1,", "assay,ONE_A,Activity,1,") + "\n")
        self.wrong(2, ["part.csv", "--resume"], "scans", "reference.csv", *LEARN, "--csv", "part.csv", "--quiet")
        self.wrong(2, ["l2-fields 2"], "scans", "reference.csv", *LEARN[:-3], "2", "--csv", "part.csv", "--resume", "--quiet")
        done = self.good("scans", "reference.csv", *LEARN, "--csv", "part.csv", "--resume")
        self.assertIn("1 of 3: ONE_A", done.stderr)
        self.assertEqual(done.stderr.count("(from the table)"), 1)
        with open("part.csv") as file:
            completed = rows_of(file.read())
        for row, whole in zip(completed, rows_of("\n".join(lines))):
            self.assertEqual({k: v for k, v in row.items() if k != "seconds"}, {k: v for k, v in whole.items() if k != "seconds"})

    def test_wrong_references(self):
        columns, row = ["DMS_id", "MSA_filename", "target_seq"], ["ONE_A", "ONE.a2m", self.reference[0][3]]
        for names, values, fragments in [
                (columns, ["ONE_A", "NONE.a2m", ""], ["line 2", "NONE.a2m is in no folder", "--folder"]),
                (columns[:1], row[:1], ["MSA_filename", "column of that name"]), (columns, ["", *row[1:]], ["line 2", "no DMS_id"]),
                (columns, ["ONE_A", "ONE.a2m", "ACDEFGHIKLMNPQRS"], ["ONE_A", "residues of the first sequence", "target_seq"])]:
            write_table("wrong.csv", names, [values])
            self.wrong(2, fragments, "scans", "wrong.csv", *LEARN, "--quiet")
        write_table("wrong.csv", columns, [row, row])
        self.wrong(2, ["line 3", "ONE_A occurs twice"], "scans", "wrong.csv", *LEARN, "--quiet")
        write_table("wrong.csv", columns, [row])
        self.wrong(2, ["--folder", "nowhere"], "scans", "wrong.csv", "--folder", "nowhere", "--quiet")
        self.wrong(2, ['"fitness"', "DMS_score"], "scans", "wrong.csv", *LEARN, "--column", "fitness", "--quiet")


class Of6acv(Case):
    def test_one_assay(self):
        if not SHARED.exists():
            self.skipTest(f"no folder {SHARED}: set ATP_SHARED_DATA")
        with open(SHARED / "6acv_A_29-94.fasta") as file:
            target = file.read().split("\n")[1]
        with open(SHARED / "6acv_A_29-94.csv") as file:
            effects = [(r["mutation"].replace("/", ":"), -float(r["DDG"])) for r in csv.DictReader(file)]
        singles = [e for e in effects if ":" not in e[0]]
        os.mkdir("assays")
        write_table("assays/6ACV.csv", ["mutant", "DMS_score"], [(m, v) for m, v in effects if not math.isnan(v)])
        write_table("assays/6ACV_singles.csv", ["mutant", "DMS_score"], singles)
        with open(SHARED / "6acv_A_29-94.fasta") as file, open("assays/6ACV.a2m", "w") as to:
            to.write(file.read().replace(">6acv_A_29-94 (trimmed MSA)", ">6ACV/1-66"))
        write_table("reference.csv", ["DMS_id", "DMS_filename", "target_seq", "MSA_filename", "coarse_selection_type"],
                    [[name, f"{name}.csv", target, "6ACV.a2m", "Stability"] for name in ("6ACV", "6ACV_singles")])
        done = self.good("scans", "reference.csv", "--gaps", "ignore", "--l2-couplings", "10", "--set", "l2-scale=sites", "--l2-fields", "1", "--quiet")
        found = {r["name"]: r for r in rows_of(done.stdout)}
        self.assertEqual(int(found["6ACV_singles"]["mutants"]), 1152)
        # test_mutants.py has these limits for learn and mutants on the same data.
        self.assertGreater(float(found["6ACV_singles"]["spearman"]), 0.54)
        self.assertGreater(float(found["6ACV"]["spearman"]), 0.36)
        if not features()["structures"]:
            return
        write_table("structured.csv", ["DMS_id", "DMS_filename", "target_seq", "MSA_filename", "pdb_file"],
                    [["6ACV_singles", "6ACV_singles.csv", target, "6ACV.a2m", "6acv_A_29-94.pdb.gz"]])
        done = self.good("scans", "structured.csv", "--folder", "assays", "--folder", SHARED, "--preset", "mutations", "--quiet")
        self.assertGreater(float(rows_of(done.stdout)[0]["spearman"]), 0.66)  # research/mutation_effects.py: 0.673


if __name__ == "__main__":
    main()
