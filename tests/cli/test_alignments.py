# SPDX-License-Identifier: MIT
"""Alignments through the program: every format, focus, filters, weights, and what it says of bad files."""
import gzip
import os
import unittest

from pictures import Picture
from program import Case, features, main, read_table, run

A3M = ">one/11-17 what it is\nACga-GUX\n>two/9-4\n-CU..GUA\n>three\nuuACGGUA\n>twin\nACUGUA\n>twin\nACUGUA\n"
FASTA = ">a\nAC-U\n>b\nACGU\n>c\nAC-U\n>d\nG--U\n>e\nUUUU\n"
STOCKHOLM = "# STOCKHOLM 1.0\na AC\nb AC\nc AC\nd G-\ne UU\n\na -U\nb GU\nc .U\nd -U\ne uu\n//\n"
JUNK = bytes((k * 37 + 11) % 256 for k in range(4096))


def put(name, content):
    with open(name, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def get(name):
    with open(name, "rb") as file:
        return file.read()


def rows(text):
    return text.split()


class Alignments(Case):
    @classmethod
    def make_inputs(cls):
        put("family.a3m", A3M)
        put("a.fasta", FASTA)
        put("a.sto", STOCKHOLM)
        put("a.aln", "AC-U\r\nACGU\r\nAC.U\r\nG--U\r\nUUUU\r\n")
        put("a.txt", "a AC-U\nb ACGU\nc AC-U\nd G--U\ne UUUU\n")
        put("numbers", "0 1\n1 0\n")
        put("w", "1\n0.5\n0.25\n1\n2\n")

    def converted(self, *arguments, **options):
        return self.good("convert", *arguments, "-", "--to", "fasta", "--alphabet", "rna", **options)

    def test_formats(self):
        symbols = rows(FASTA)[1::2]
        names = ["a.fasta", "a.sto", "a.aln", "a.txt"]
        if features()["zlib"]:
            for name in list(names):
                put(name + ".gz", gzip.compress(get(name)))
                names.append(name + ".gz")
        for name in names:
            self.assertEqual(rows(self.converted(name).stdout)[1::2], symbols, name)
        with open("a.sto") as file:
            done = self.converted("-", stdin=file)
        self.assertEqual(rows(done.stdout)[1::2], symbols)
        self.assertEqual(rows(self.converted("family.a3m").stdout)[1], "AC-GU-")
        wide = self.converted("a.fasta", "--format", "fasta").stdout
        self.assertEqual(rows(wide)[1::2], symbols)
        self.wrong(2, ["--format", "clustal", "integers or paired"], "convert", "a.aln", "o.fasta", "--alphabet", "rna",
                   "--format", "clustal")

    def test_focus_of_two_files(self):
        """A second file of the same columns, without the focus sequence, gets the columns of the first."""
        put("all.fasta", ">foc/11-14\nA-CG-U\n>x\nACCGGU\n>y\nUUAG-A\n>z\nA-CGAU\n")
        put("rest.fasta", ">x\nACCGGU\n>y\nUUAG-A\n>z\nA-CGAU\n")
        put("cut.fasta", ">x\nACGU\n>y\nUAGA\n>z\nACGU\n")
        focus = ["--alphabet", "rna", "--focus", "foc"]
        expected = self.good("compare", "all.fasta", "cut.fasta", *focus, "--runs", 0).stdout.splitlines()[-3:]
        done = self.good("compare", "all.fasta", "rest.fasta", *focus, "--runs", 0)
        self.assertEqual(done.stdout.splitlines()[-3:], expected)
        self.assertIn("rest.fasta: --focus keeps the 4 columns as in the first file, of 6", done.stderr)
        if not features()["hdf5"]:
            return
        learn = ["learn", "all.fasta", *focus, "--epochs", 3, "--optimizer", "sgd", "-o"]
        losses = [self.good(*learn, "m.h5", "--test", name).stderr.split("test loss ")[1][:8] for name in ("cut.fasta", "rest.fasta")]
        self.assertEqual(*losses)
        done = [self.good("eval", "m.h5", "all.fasta", *focus, "--independent", name).stdout.splitlines()[-1]
                for name in ("cut.fasta", "rest.fasta")]
        self.assertEqual(*done)
        # A model of all columns takes sequences without --focus.
        self.good("learn", "all.fasta", "--alphabet", "rna", "--epochs", 3, "--optimizer", "sgd", "-o", "wide.h5")
        for command in ("eval", "energies"):
            self.wrong(2, ["all.fasta has 4 sites", "expected 6", "without --focus"], command, "wide.h5", "all.fasta", *focus, "--quiet")

    def test_focus(self):
        done = self.converted("family.a3m", "--focus", "one")
        self.assertEqual(rows(done.stdout)[1], "ACGU")
        self.assertIn("4 sites (residues 11..16 of one)", done.stderr)
        for name, words in (("ones", ["--focus", "'ones'", "nearest", "'one/11-17'"]), ("twin", ["--focus", "'twin'", "2 sequences have it"])):
            done = run("convert", "family.a3m", "o.fasta", "--alphabet", "rna", "--focus", name)
            self.assertEqual(done.returncode, 2, done.stderr)
            last = done.stderr.splitlines()[-1]
            for word in words + ["family.a3m"]:
                self.assertIn(word, last)
        self.assertFalse(os.path.exists("o.fasta"))

    def test_filters(self):
        done = self.converted("a.fasta", "--max-gaps-sequence", "0.4", "--max-gaps-column", "0.4", "--remove-duplicates")
        self.assertEqual(rows(done.stdout), [">a", "ACU", ">e", "UUU"])  # d; the third column; b and c
        self.assertIn("1 of 5 sequences were dropped: more than a fraction 0.4 of gaps", done.stderr)
        for flag, value in (("--max-gaps-sequence", "1.5"), ("--max-gaps-column", "x"), ("--theta", "2"), ("--weight-rule", "loose"),
                            ("--weights", "absent-file")):
            extra = ["--theta", "0.2"] if flag == "--weight-rule" else []
            self.wrong(2, [value] if flag == "--weights" else [flag, value], "convert", "a.fasta", "o.fasta", "--alphabet", "rna", flag, value,
                       *extra)

    def test_weights(self):
        def saved(*flags):
            done = self.good("convert", "a.fasta", "o.fasta", "--alphabet", "rna", "--save-weights", "saved", *flags)
            return [float(x) for x in get("saved").split()], done.stderr
        self.assertEqual(saved("--theta", "0.25"), saved("--weights", "0.25"))
        weights, text = saved("--weights", "0.25")  # a, b, c within one column of each other
        self.assertEqual(weights, [1 / 3, 1 / 3, 1 / 3, 1, 1])
        self.assertIn("effective number 3.0 (theta 0.25, inclusive rule)", text)
        self.assertEqual(saved("--weights", "0.25", "--weight-rule", "strict")[0], [0.5, 1, 0.5, 1, 1])
        self.assertEqual(saved("--weights", "none")[0], [1] * 5)
        self.assertEqual(saved("--weights", "w")[0], [1, 0.5, 0.25, 1, 2])
        self.assertIn("theta 0.", saved("--weights", "auto")[1])
        self.wrong(2, ["--weights w has 5 numbers, expected 2"], "convert", "a.fasta", "o.fasta", "--alphabet", "rna", "--weights", "w",
                   "--rows", "0:2")
        self.wrong(2, ["--theta", "--weights none"], "convert", "a.fasta", "o.fasta", "--alphabet", "rna", "--weights", "none", "--theta", "0.2")
        self.wrong(2, ["--weight-rule"], "convert", "a.fasta", "o.fasta", "--alphabet", "rna", "--weight-rule", "strict")

    def test_weights_against_theta(self):
        """Effective numbers from the definition, with both ways to treat gaps; the picture has them."""
        rows = ["ACGU----", "ACGUACGU", "----ACGU", "AGGUAC--", "UUGU----"]
        put("fragments.fasta", "".join(f">s{k}\n{row}\n" for k, row in enumerate(rows)))
        for rule in ("inclusive", "residues"):
            done = self.good("weights", "fragments.fasta", "--alphabet", "rna", "--thetas", "0,0.2,0.5,1", "--weight-rule", rule,
                             "--picture", "scan.svg")
            _, names, found = read_table(done.stdout)
            self.assertEqual(names, ["theta", "effective", "effective_per_site", "alone", "largest"])
            self.assertIn("automatic theta ", done.stderr)
            for row, theta in zip(found, (0, 0.2, 0.5, 1)):
                def near(a, b):
                    places = [k for k in range(8) if rule == "inclusive" or "-" not in (a[k], b[k])]
                    return len(places) > 0 and sum(a[k] != b[k] for k in places) <= theta * len(places) + 1e-9
                counts = [sum(a is b or near(a, b) for b in rows) for a in rows]
                self.assertAlmostEqual(float(row["effective"]), sum(1 / n for n in counts), places=9)
                self.assertAlmostEqual(float(row["effective_per_site"]), sum(1 / n for n in counts) / 8, places=9)
                self.assertEqual((int(row["alone"]), int(row["largest"])), (counts.count(1), max(counts)))
            picture = Picture("scan.svg")
            lines = [path.get("d") for kind in ("s0", "s1") for path in picture.all("path", kind) if "L" in path.get("d")]
            self.assertEqual([line.count("L") + line.count("M") for line in lines], [4, 4])
            self.assertTrue(any(t.startswith("automatic theta") for t in picture.texts()))
        done = self.good("convert", "fragments.fasta", "o.fasta", "--alphabet", "rna", "--theta", "0.2", "--weight-rule", "residues")
        self.assertIn("(theta 0.2, residues rule)", done.stderr)
        self.wrong(2, ["--thetas", "1.5"], "weights", "fragments.fasta", "--alphabet", "rna", "--thetas", "1.5")
        self.wrong(2, ["--picture", "absent/deep.svg"], "weights", "fragments.fasta", "--alphabet", "rna", "--picture", "absent/deep.svg")

    def test_bad_files(self):
        put("ragged.fasta", ">a\nACGU\n>b\nACG\n")
        put("junk", JUNK)
        put("junk.fasta", b">a\n" + JUNK)
        put("cut.sto", STOCKHOLM[:-3])
        put("cut.a3m", A3M[:-3])
        put("empty", "")
        put("long.fasta", b">a\n" + b"ACGU" * 10000000 + b"\n>b\nAC\n")
        put("other.fasta", ">a\nLLWK\n>b\nWWKK\n")
        put("twice.sto", "# STOCKHOLM 1.0\na AC\na AC\n//\n")
        cases = [
            ("ragged.fasta", ["ragged.fasta:3", "'b'", "3 symbols", "expected 4"]),
            ("junk", ["junk", "neither text nor HDF5"]),
            ("junk.fasta", ["junk.fasta", "neither text nor HDF5"]),
            ("cut.sto", ["cut.sto:13", "ends without '//'"]),
            ("cut.a3m", ["cut.a3m:9", "'twin'", "expected 6"]),
            ("empty", ["empty", "the file is empty"]),
            ("long.fasta", ["long.fasta:3", "2 symbols", "expected 40000000"]),
            ("other.fasta", ["other.fasta:2", "'L'", "alphabet"]),
            ("twice.sto", ["twice.sto:3", "'a'", "twice"]),
            ("absent.fasta", ["absent.fasta", "No such file"]),
        ]
        if features()["zlib"]:
            packed = gzip.compress(FASTA.encode() * 50)
            put("cut.gz", packed[:-10])
            put("damaged.gz", packed[:-6] + bytes([packed[-6] ^ 1]) + packed[-5:])
            put("behind.gz", packed + b"more")
            cases += [("cut.gz", ["cut.gz", "has been cut"]), ("damaged.gz", ["damaged.gz", "damaged"]), ("behind.gz", ["4 bytes after"])]
        for name, words in cases:
            self.wrong(2, words, "convert", name, "o.fasta", "--alphabet", "rna")
            self.assertFalse(os.path.exists("o.fasta"), name)
        self.wrong(2, ["a.fasta:2", "'-'"], "convert", "a.fasta", "o.fasta", "--alphabet", ".ACGU", "--unknown", "error")
        self.wrong(2, ["a.aln", "--alphabet"], "convert", "a.aln", "o.fasta")
        put("long.aln", b"ACGU" * 10000000 + b"\n" + b"GGCA" * 10000000 + b"\n")
        self.good("convert", "long.aln", "long.h5" if features()["hdf5"] else "long.fasta", "--alphabet", "rna")
        for name in ("long.fasta", "long.aln", "long.h5"):
            if os.path.exists(name):
                os.remove(name)

    def test_warnings(self):
        done = self.converted("family.a3m")
        self.assertIn("warning: family.a3m: 1 sequences have the name of an earlier one, the first is 'twin' in lines 7 and 9", done.stderr)
        self.assertIn("symbols in insert columns (lower case) were skipped", done.stderr)
        put("gaps.fasta", ">a\nA-C\n>b\nA-C\n")
        self.assertIn("1 of 3 columns contain only gaps ('-'); the first is column 2", self.converted("gaps.fasta").stderr)

    def test_complexes(self):
        """Files of ColabFold: the first alignment is read from a file, a pipe and gzip, also where the zero byte is far behind."""
        for count in (2, 30000):
            first = b"#6\t1\n" + b"".join(b">s%d x\nACGaUUA\n" % k for k in range(count))
            text = first + b"\0#3\t1\n>t\nACG\n\0"
            put("complex.a3m", text)
            alone = b"".join(b">s%d\nACGUUA\n" % k for k in range(count)).decode()
            warning = "zero bytes (NUL) separate 2 alignments"
            with open("complex.a3m", "rb") as file:
                piped = self.converted("-", stdin=file)
            for done in (self.converted("complex.a3m"), piped):
                self.assertEqual(done.stdout, alone)
                self.assertEqual(done.stderr.count(warning), 1, done.stderr)
            if features()["zlib"]:
                put("complex.a3m.gz", gzip.compress(text))
                self.assertEqual(self.converted("complex.a3m.gz").stdout, alone)
            put("complex.a3m", first + b">t\nACG\0UUA\n")
            self.wrong(2, ["complex.a3m", "NUL" if count > 2 else "byte"], "convert", "complex.a3m", "o.fasta", "--alphabet", "rna")

    def test_pairs_of_a_complex(self):
        """--format paired joins the two alignments of a complex, from a file, a pipe and gzip, and reads a merged file."""
        for count in (2, 30000):
            pair = [b"".join(b">%s%d x\n%s\n" % (name, k, symbols) for k in range(count)) for name, symbols in ((b"s", b"ACGaUUA"), (b"t", b"cG-A"))]
            text = b"#6\t1\n" + pair[0] + b"\0#3\t1\n" + pair[1] + b"\0"
            put("pair.a3m", text)
            whole = b"".join(b">s%d\nACGUUAG-A\n" % k for k in range(count)).decode()
            with open("pair.a3m", "rb") as file:
                piped = self.converted("-", "--format", "paired", stdin=file)
            for done in (self.converted("pair.a3m", "--format", "paired"), piped):
                self.assertEqual(done.stdout, whole)
                self.assertIn(f"{count} of {count} have another name in the second", done.stderr)
                self.assertIn(f"columns 1..6 are the first protein, 7..9 the second; 0 of {count} sequences are unpaired", done.stderr)
            if features()["zlib"]:
                put("pair.a3m.gz", gzip.compress(text))
                self.assertEqual(self.converted("pair.a3m.gz", "--format", "paired").stdout, whole)
        self.assertIn("the format paired joins the two", self.converted("pair.a3m").stderr)
        put("merged.a3m", b"#6,3\t1,1\n>a\nACGUUAG-A\n>b\nACGUUA---\n>c\n------GCA\n>d\nACGUUAGCA\n")
        self.assertIn("2 of 4 sequences are unpaired", self.converted("merged.a3m", "--format", "paired").stderr)
        for data, parts in ((pair[0], ["one alignment, expected two"]), (b"\0".join(3 * [pair[0]]), ["separate 3 alignments, expected two"]),
                            (pair[0] + b"\0" + pair[1] + b">more\nACG\n", ["have 30000 and 30001 sequences"])):
            put("wrong.a3m", data)
            self.wrong(2, ["wrong.a3m", *parts], "convert", "wrong.a3m", "o.fasta", "--alphabet", "rna", "--format", "paired")
            self.assertFalse(os.path.exists("o.fasta"))

    def test_other_formats(self):
        """Files that no reader reads are named, with and without --alphabet."""
        zeros = bytes(100000)
        for name, content, what in (("a.phy", b"2 4\nab ACGU\ncd ACGU\n", "a PHYLIP alignment"),
                                    ("a.zst", b"\x28\xb5\x2f\xfd" + zeros, "packed by zstd"), ("a.xz", b"\xfd7zXZ" + zeros, "packed by xz"),
                                    ("a.txt16", "ab ACGU\n".encode("utf-16") * 9, "text in UTF-16")):
            put(name, content)
            for alphabet in ((), ("--alphabet", "rna")):
                self.wrong(2, [name + ": " + what], "convert", name, "o.fasta", *alphabet)

    def test_fitting_alphabets(self):
        for text, fits in ((">a\nACTG\n", "dna"), (">a\nACUG\n>b\nACTG\n>c\nACUU\n", "rna"), (">a\nACG\n", "rna"), (">a\nACWL\n", "protein")):
            put("fits.fasta", text)
            self.wrong(2, ["--alphabet", f"; --alphabet {fits} fits"], "convert", "fits.fasta", "o.fasta")
        put("dna.fasta", ">a\nACTG\n>b\nACUG\n")
        done = self.converted("dna.fasta")
        self.assertEqual(rows(done.stdout)[1::2], ["ACUG", "ACUG"])
        self.assertIn("dna.fasta: 1 symbols 'T' were read as 'U'", done.stderr)

    def test_samples_without_gap(self):
        """Samples of a model without a gap have one colour less, also where a text does not say so."""
        put("gappy.fasta", "".join(f">s{k}\n{'ACGU'[k % 4]}{'-ACGU'[k % 5]}{'GU'[k % 2]}\n" for k in range(60)))
        samples = [("ACGU"[k % 4], "ACGU"[k // 4 % 4], "GU"[k % 2]) for k in range(80)]
        put("samples.fasta", "".join(f">s{k}\n{''.join(s)}\n" for k, s in enumerate(samples)))
        put("samples.aln", "".join("".join(s) + "\n" for s in samples))
        put("samples.txt", "".join(" ".join(str("ACGU".index(c)) for c in s) + "\n" for s in samples))
        put("numbers.txt", "".join(" ".join(str("-ACGU".index(c)) for c in s) + "\n" for s in samples))

        def compare(name, *flags):
            return self.good("compare", "gappy.fasta", name, "--alphabet", "rna", "--runs", 0, *flags)

        def table(done):
            return [line for line in done.stdout.splitlines() if not line.startswith("# attopotts")][1:]

        expected = table(compare("samples.fasta", "--gaps", "ignore"))
        self.assertIn("# the samples have no gap: gaps of the data are missing, each pair of sites counts the sequences that have both", expected)
        for name, what in (("samples.fasta", "the gap -"), ("samples.aln", "the gap -"), ("samples.txt", "colour 4")):
            done = compare(name)
            self.assertEqual(table(done), expected, name)
            self.assertIn(f"{name} never has {what}, as samples of a model without a gap", done.stderr)
        # What the flags say holds, and so do whole numbers that have the last colour.
        counted = table(compare("samples.fasta", "--gaps", "state"))
        self.assertNotEqual(counted, expected)
        for name, flags in (("numbers.txt", ()), ("numbers.txt", ("--gaps", "state"))):
            self.assertEqual(table(compare(name, *flags)), counted)
        # Where the data have hardly a gap, their absence tells nothing.
        put("gappy.fasta", "".join(f">s{k}\nA{'-' if k == 0 else 'ACGU'[k % 4]}{'GU'[k % 2]}\n" for k in range(60)))
        self.assertEqual(table(compare("samples.fasta")), table(compare("samples.fasta", "--gaps", "state")))

    @unittest.skipUnless(features()["hdf5"], "models need HDF5")
    def test_alphabet_of_a_model_without_gap(self):
        self.good("learn", "a.fasta", "--alphabet", "rna", "--gaps", "ignore", "--optimizer", "sgd", "--epochs", 3, "-o", "g.h5")
        written = []
        for alphabet in ((), ("--alphabet", "rna"), ("--alphabet", "-ACGU")):
            self.good("convert", "g.h5", "g.model", "--alignment", "a.fasta", *alphabet)
            written.append(get("g.model"))
        self.assertEqual(written[1:], written[:1] * 2)
        for alphabet in ("dna", "protein", ".ACGU"):
            self.wrong(2, ["--alphabet"], "convert", "g.h5", "g.model", "--alignment", "a.fasta", "--alphabet", alphabet)

    @unittest.skipUnless(features()["hdf5"], "models need HDF5")
    def test_learn(self):
        put("one.fasta", ">a\nACGU\n")
        self.wrong(2, ["one.fasta", "one sequence"], "learn", "one.fasta", "-o", "m.h5", "--alphabet", "rna")
        self.wrong(2, ["--max-gaps-column"], "learn", "a.fasta", "-o", "m.h5", "--alphabet", "rna", "--test", "a.fasta", "--max-gaps-column",
                   "0.5")
        done = run("learn", "family.a3m", "-o", "m.h5", "--alphabet", "rna", "--focus", "three", "--weights", "auto", "--epochs", "20",
                   "--start", "random", "--l2-couplings", "0.01", "--set", "l2-colors=0.01")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertIn("6 sites (residues 3..8 of three)", done.stderr)
        self.wrong(2, ["--weights"], "energies", "m.h5", "family.a3m", "--weights", "auto")


@unittest.skipUnless(os.path.isdir(os.environ.get("ATP_SHARED_DATA", "")), "ATP_SHARED_DATA does not name the folder of example alignments")
class Examples(Case):
    """plmc's example files, which are not part of the project: the effective number that plmc gives."""

    def test_dhfr(self):
        path = os.path.join(os.environ["ATP_SHARED_DATA"], "DHFR.a2m")
        done = self.good("convert", path, "o.fasta", "--alphabet", "protein", "--unknown", "drop", "--focus", "DYR_ECOLI", "--weights", "0.2")
        self.assertIn("3616 of 3616 sequences, 159 sites (residues 1..159 of DYR_ECOLI), effective number 1568.1", done.stderr)


if __name__ == "__main__":
    main(needs_hdf5=False)
