#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small files that flags read, as people, R, pandas and spreadsheets write them: all forms of a file mean the same, what has no meaning is
refused with the line and what stands there."""
import gzip
import itertools
import os
import pathlib
import stat
import subprocess

from program import PROGRAM, Case, main, must, run, small_data

L = 6
PAIRS = [(1, 2), (2, 5), (3, 6)]
DISTANCES = [(i, j, 1.5 + 2.25 * (j - i)) for i, j in itertools.combinations(range(1, L + 1), 2)]
WEIGHTS = [0.25 + 0.125 * (k % 5) for k in range(40)]
COVARIANCE = [[2.0, 0.5, 0.25], [0.5, 3.0, 0.125], [0.25, 0.125, 4.0]]


def cells(rows, separator, quote=lambda text: text):
    return "".join(separator.join(quote(str(cell)) for cell in row) + "\n" for row in rows)


def quoted(text):
    return '"' + text + '"'


def forms(names, rows, header=False, blanks=True):
    """Texts of a table by their names: as it is written by hand, and by programs. `header`: the first line must have names."""
    named = [names, *rows]
    numbered = [[f'"{k}"', *row] for k, row in enumerate(rows, 1)]
    texts = {
        "csv": cells(named, ","),
        "csv, blanks": cells(named, ", "),
        "tabs": cells(named, "\t"),
        "semicolons": cells(named, ";"),
        "all quoted": cells(named, ",", quoted),
        "R, write.csv": cells([[quoted("")] + [quoted(name) for name in names], *numbered], ","),
        "R, write.csv, row.names = FALSE": cells([[quoted(name) for name in names], *rows], ","),
        "R, write.table, sep tab": cells([[quoted(name) for name in names], *numbered], "\t"),
        "pandas, index": cells([["", *names]] + [[k, *row] for k, row in enumerate(rows)], ","),
        "pandas, index and tabs": cells([["", *names]] + [[k, *row] for k, row in enumerate(rows)], "\t"),
        "comment": "# by hand\n\n" + cells(named, ","),
    }
    if len(names) > 1:
        texts["spreadsheet, empty rows"] = cells(named, ",") + 2 * ("," * (len(names) - 1) + "\n")
    if blanks:
        texts["R, write.table"] = cells([[quoted(name) for name in names], *numbered], " ")
        texts["R, write.table, quote = FALSE"] = cells([names] + [[k, *row] for k, row in enumerate(rows, 1)], " ")
    if not header:
        texts.update({"no names": cells(rows, " "), "no names, commas": cells(rows, ","), "two blanks": cells(rows, "  ")})
    plain = texts["csv"].encode()
    made = {name: text.encode() for name, text in texts.items()}
    made.update({"mark": b"\xef\xbb\xbf" + plain, "CR LF": plain.replace(b"\n", b"\r\n"), "CR": plain.replace(b"\n", b"\r"),
                 "no last line end": plain[:-1]})
    if "gzip" in FEATURES:
        made["gzip"] = gzip.compress(plain)
        made["gzip, mark, CR LF"] = gzip.compress(b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n"))
    return made


FEATURES = {"gzip"} if "zlib" in run("info", "--json").stdout and '"zlib": false' not in run("info", "--json").stdout else set()


class SideFiles(Case):
    @classmethod
    def make_inputs(cls):
        small_data(samples=40)
        must("convert", "data.h5", "data.fasta")
        cls.wild = pathlib.Path("data.fasta").read_text().split("\n")[1]
        other = {letter: "ABCD"[("ABCD".index(letter) + 1) % 4] for letter in "ABCD"}
        cls.mutants = [f"{letter}{k}{other[letter]}" for k, letter in enumerate(cls.wild, 1)]

    def rows(self, words):
        done = run(*words, "--quiet")
        self.assertIn(done.returncode, (0, 3), (words, done.stderr))
        return [line for line in done.stdout.splitlines() if not line.startswith("#")]

    def same(self, words, texts, expected=None):
        """All forms of the file `side`, the last word, give the same rows."""
        for name, text in texts.items():
            pathlib.Path("side").write_bytes(text)
            with self.subTest(words=words[0], flag=words[-2], form=name):
                rows = self.rows(words)
                expected = expected or rows
                self.assertGreater(len(rows), 1)
                self.assertEqual(rows, expected)

    def test_pairs(self):
        command = ["contacts", "data.h5", "--epochs", 20]
        pathlib.Path("side").write_text(cells(PAIRS, " "))
        expected = self.rows([*command, "--pairs", "side"])
        self.assertEqual(len(expected), 1 + len(PAIRS))
        self.same([*command, "--pairs", "side"], forms(["i", "j"], PAIRS), expected)
        # Further columns have names; i and j may stand anywhere.
        pathlib.Path("side").write_text("score,j,kind,i\n" + "".join(f"0.5,{j},x,{i}\n" for i, j in PAIRS))
        self.assertEqual(self.rows([*command, "--pairs", "side"]), expected)

    def test_distances(self):
        command = ["contacts", "truth.h5"]
        pathlib.Path("side").write_text(cells(DISTANCES, " "))
        expected = self.rows([*command, "--distances", "side"])
        self.assertEqual(sorted(float(row.split(",")[-1]) for row in expected[1:]), sorted(d for _, _, d in DISTANCES))
        self.same([*command, "--distances", "side"], forms(["i", "j", "d"], DISTANCES), expected)
        kinds = [(i, j, "CB", d) for i, j, d in DISTANCES]
        self.same([*command, "--distances", "side"], forms(["i", "j", "kind", "distance"], kinds), expected)
        self.same(["contacts", "data.h5", "--epochs", 20, "--pairs-from", "side"], forms(["i", "j", "d"], DISTANCES))

    def test_numbers(self):
        self.same(["eval", "truth.h5", "data.h5", "--weights", "side"],
                  forms(["w"], [(w,) for w in WEIGHTS]))
        names = ["V1", "V2", "V3"]
        self.same(["replica", "--alpha", "0.5,2", "--covariance", "side"], forms(names, COVARIANCE))
        pathlib.Path("cov.txt").write_text(cells(COVARIANCE, " "))
        self.same(["replica", "--alpha", "0.5,2", "--covariance", "cov.txt", "--set", "noise=1", "--teacher", "side"], forms(["x"], [(1,), (0.5,), (-1,)]))
        coupled = [[0, 0.5, 0.25], [0.5, 0, 0.125], [0.25, 0.125, 0]]
        chain = ["-o", "-", "--beta", 1, "--samples", 5, "--protocol", "chain", "--burn-in", 10, "--thin", 1]
        self.same(["sample", *chain, "--colors", 3, "--couplings", "side"], forms(names, coupled))
        self.same(["sample", *chain, "--sites", 4, "--color-matrix", "side"], forms(names, COVARIANCE))

    def test_mutants(self):
        command = ["mutants", "truth.h5", "data.fasta", "--alphabet", "ABCD"]
        lists = [self.mutants[0], self.mutants[1], f"{self.mutants[2]}/{self.mutants[3]}"]
        pathlib.Path("side").write_text("\n".join(lists))
        expected = self.rows([*command, "--mutations", "side"])
        self.assertEqual(len(expected), 4)
        self.same([*command, "--mutations", "side"], forms(["mutant"], [(text,) for text in lists]), expected)
        commas = f"{self.mutants[2]},{self.mutants[3]}"
        for text in (f"{lists[0]}\n{commas}\n", f'mutant\n{lists[0]}\n{commas}\n', f'"mutant"\n"{lists[0]}"\n"{commas}"\n',
                     f'"{lists[0]}"\n"{commas}"\n'):
            pathlib.Path("side").write_text(text)
            rows = self.rows([*command, "--mutations", "side"])
            self.assertEqual([row.split(",")[-4] for row in rows[1:]], ["1", "2"], text)

    def test_measurements(self):
        measured = [(name, k * 0.5) for k, name in enumerate(self.mutants)]
        self.same(["mutants", "truth.h5", "data.fasta", "--alphabet", "ABCD", "--bootstrap", 0, "--column", "effect", "--dms", "side"],
                  forms(["mutant", "effect"], measured, header=True))

    def refused(self, words, text, *fragments):
        pathlib.Path("side").write_bytes(text if isinstance(text, bytes) else text.encode())
        with self.subTest(words=words[-2], text=text):
            self.wrong(2, [words[-2], "side", *fragments], *words[:-2], "--quiet", words[-2], "side")

    def test_every_field_has_a_meaning(self):
        """Decimal commas, signs of thousands, units, words and further columns."""
        first = self.mutants[0]
        pairs = ["learn", "data.h5", "--family", "dense", "-o", "m.h5", "--pairs", "side"]
        distances = ["contacts", "truth.h5", "--distances", "side"]
        weights = ["eval", "truth.h5", "data.h5", "--weights", "side"]
        covariance = ["replica", "--alpha", "1", "--covariance", "side"]
        mutations = ["mutants", "truth.h5", "data.fasta", "--alphabet", "ABCD", "--mutations", "side"]
        dms = ["mutants", "truth.h5", "data.fasta", "--alphabet", "ABCD", "--column", "effect", "--dms", "side"]
        for words, text, *fragments in [
                (pairs, "1 2 9\n", "line 1 has 3 columns, expected 2"),
                (pairs, "1 2\n3 4 x\n", "line 2 has 3 columns"),
                (pairs, "1 2a\n", "line 1 has \"2a\""),
                (pairs, "1;2,3\n", "commas and semicolons"),
                (pairs, "from,to\n1,2\n", "names its columns from, to, expected i and j"),
                (distances, "1 2 3,5\n", "line 1 has \"3,5\""),
                (distances, "1,2,3,5\n", "line 1 has \"3,5\", which may be one distance or two columns"),
                (distances, "1;2;3,5\n", "commas and semicolons"),
                (distances, "i,j,d\n1,2,3,5\n", "line 2 has 4 cells, expected 3"),
                (distances, "i,j,d,d\n1,2,3,4\n", "2 columns with the name \"d\", expected one"),
                (pairs, "i,j,i\n1,2,3\n", "2 columns with the name \"i\", expected one"),
                (dms, f"mutant,effect,effect\n{first},1,2\n", "2 columns with the name \"effect\", expected one"),
                (dms, f"mutant,mutant,effect\n{first},{first},2\n", "2 columns with the name \"mutant\", expected one"),
                (distances, "1 2 3.5A\n", "line 1 has \"3.5A\""),
                (distances, "1 2 1'234\n", "line 1 has \"1'234\""),
                (distances, "1 2 x 3.5 y\n", "line 1 has 5 columns"),
                (distances, "1 2 -3\n", "line 1 has \"-3\""),
                (distances, "1 2 inf\n", "line 1 has \"inf\""),
                (distances, "1.5 2 3\n", "line 1 has \"1.5\""),
                (weights, "1\n0,5 1\n", "line 2: \"0,5\""),
                (weights, "1\n1,000\n", "numbers, expected 40"),
                (weights, "1\n2 kg\n", "line 2: \"kg\""),
                (weights, "1\nNA\n", "line 2: \"NA\""),
                (weights, "NA\n1\n", "line 1: \"NA\""),
                (covariance, "1,0 0,5\n0,5 1,0\n", "line 1: \"1,0\""),
                (covariance, "1 0\n0 1e\n", "line 2: \"1e\""),
                (mutations, f"{first} benign\n", f"side, line 1: \"{first} benign\""),
                (mutations, f"{first}\n{first};{first}\n", "side, line 2:"),
                (dms, f"mutant,effect\n{first},\"0,5\"\n", "line 2", "\"0,5\""),
                (dms, f"mutant;effect\n{first};0,5\n", "line 2", "\"0,5\""),
                (dms, f"mutant,effect\n{first},0,5\n", "line 2 has 3 cells, expected 2"),
                (dms, f"mutant,effect\n{first},0.5 kcal\n", "line 2", "\"0.5 kcal\""),
                (dms, f"\"\",\"mutant\",\"effect\"\n{first},0.5\n", "line 2 has 2 cells, expected 3"),
        ]:
            self.refused(words, text, *fragments)
        for words in (pairs, distances, weights, covariance, mutations, dms):
            self.refused(words, "1 2\v3\n", "line 1: a vertical tab (byte 0x0b)")
            self.refused(words, "1 2\n3\f4\n", "line 2: a form feed (byte 0x0c)")
            self.refused(words, "1 2\r3\x1b[31m4\n", "line 2: a control character (byte 0x1b)")
            self.refused(words, "1 2\n".encode("utf-16"), "UTF-8")
            if words != mutations:
                self.refused(words, 'a,"b\n1,2\n', "line 1 has a quote \" without an end")
            if "gzip" in FEATURES:
                self.refused(words, gzip.compress(b"1 2 3\n" * 50)[:-9], "gzip data end too early")
        self.assertFalse(os.path.exists("m.h5"))

    def test_streams(self):
        """Files that can be read once, for readers that the library had before."""
        line = f"{PROGRAM} contacts truth.h5 --quiet --distances <(printf '1 2 3.5\\n2 6 9\\n') | grep -v '^#'"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
        self.assertIn(",3.5\n", done.stdout, done.stderr)


class Doubles(Case):
    """The table of all double mutants is written as all other files are."""

    @classmethod
    def make_inputs(cls):
        small_data()

    command = ["mutants", "truth.h5", "data.h5", "--doubles", "--quiet", "--csv"]

    def test_rules_of_files(self):
        pathlib.Path("real.csv").write_text("old")
        os.chmod("real.csv", 0o600)
        os.symlink("real.csv", "link.csv")
        self.good(*self.command, "link.csv")
        self.assertTrue(os.path.islink("link.csv"))
        self.assertEqual(stat.S_IMODE(os.stat("real.csv").st_mode), 0o600)
        table = [line for line in pathlib.Path("real.csv").read_text().splitlines() if line[0] != "#"]
        self.assertEqual(len(table), 1 + 15 * 9)  # pairs of 6 sites, 3 new colours at each
        streamed = [line for line in self.good(*self.command, "-").stdout.splitlines() if line[0] != "#"]
        self.assertEqual(streamed, table)

    def test_planted_names(self):
        pathlib.Path("victim").write_text("precious\n")
        line = 'for k in part tmp; do ln -sf victim out.csv.$k$$; done; ln -sf victim .attopotts-$$-0.tmp; exec "$@"'
        done = subprocess.run(["sh", "-c", line, "sh", PROGRAM, *map(str, self.command), "out.csv"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(pathlib.Path("victim").read_text(), "precious\n")
        self.assertFalse(os.path.islink("out.csv"))

    def test_equal_process_numbers(self):
        """Two processes of the same number, as two containers have, that write one file: it is that of one of them."""
        alone = ["unshare", "-r", "-p", "-f", "--mount-proc"]
        if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
            self.skipTest("no namespaces of processes here")
        tables = []
        for row in (0, 1):
            self.good(*self.command, f"{row}.csv", "--row", row)
            tables.append([line for line in pathlib.Path(f"{row}.csv").read_text().splitlines() if line[0] != "#"])
        for _ in range(5):
            both = [subprocess.Popen([*alone, PROGRAM, *map(str, self.command), "both.csv", "--row", str(row)]) for row in (0, 1)]
            self.assertEqual([process.wait(60) for process in both], [0, 0])
            self.assertIn([line for line in pathlib.Path("both.csv").read_text().splitlines() if line[0] != "#"], tables)


if __name__ == "__main__":
    main()
