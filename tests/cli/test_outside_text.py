#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Text that comes from outside (names of sequences, chains and files) has no control characters in files and on terminals, and is read back."""
import csv
import json
import re
import shutil
import subprocess
import unittest

from program import PROGRAM, Case, features, main, must, run
from structure_files import KINDS, atom, cif_text, write
from test_structures import WHOLE, distances_in, fasta

# What a terminal obeys, as bytes: C0, DEL, C1 as bytes and in UTF-8, line and paragraph separators, changes of direction.
HOSTILE = [b"\x1b[31m", b"\x07", b"\x7f", b"\x9b31m", b"\xc2\x9b31m", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xe2\x81\xa6"]
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def raw(*arguments):
    return subprocess.run([PROGRAM, *[a if isinstance(a, bytes) else str(a) for a in arguments]], capture_output=True, timeout=120)


class OutsideText(Case):
    @classmethod
    def make_inputs(cls):
        fasta("family.fasta", WHOLE)
        must("learn", "family.fasta", "--alphabet", "protein", "-o", "m.h5", "--epochs", 2, "--optimizer", "sgd", "--quiet")

    def clean(self, data, what):
        text = data.decode()  # it is UTF-8
        self.assertIsNone(OBEYED.search(text.replace("\r\n", "\n")), f"{what}: {text[:500]!r}")
        return text

    def planted(self):
        """The check sees what it looks for."""
        for hostile in HOSTILE[:3] + HOSTILE[4:]:
            with self.assertRaises(AssertionError):
                self.clean(b"x" + hostile, "planted")
        with self.assertRaises(UnicodeDecodeError):
            self.clean(b"x" + HOSTILE[3], "planted")

    def test_names_of_sequences(self):
        """Control characters in a name are refused in one line; what UTF-8 shows is kept, and other bytes become question marks in tables."""
        self.planted()
        for hostile in HOSTILE[:6]:
            with open("hostile.fasta", "wb") as file:
                file.write(b">a" + hostile + b"b\n" + WHOLE.encode() + b"\n")
            for command in ["energies", "m.h5", "hostile.fasta"], ["convert", "hostile.fasta", "-"], ["weights", "hostile.fasta"]:
                done = raw(*command, "--alphabet", "protein")
                self.assertEqual((done.returncode, done.stdout), (2, b""), hostile)
                self.assertRegex(self.clean(done.stderr, hostile), "hostile.fasta(:1: the name of a sequence: byte 1 has the code|: neither text nor HDF5)")
        names = [b"plain", "Größe-β".encode(), b"latin\xe9", b'quote"d,comma', b"#hash", b"'A-A", b"=cmd()", HOSTILE[6], HOSTILE[7]]
        with open("names.fasta", "wb") as file:
            file.write(b"".join(b">" + name + b"\n" + WHOLE.encode() + b"\n" for name in names))
        shown = [re.sub("[\u2028\u202e\ufffd]", "?", name.decode(errors="replace")) for name in names]
        command = ["energies", "m.h5", "names.fasta", "--quiet"]
        text = self.clean(raw(*command).stdout, command)
        rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("# ")))
        self.assertEqual([r["name"] for r in rows], shown)
        rows = json.loads(self.clean(raw(*command, "--json").stdout, command))["rows"]
        self.assertEqual([r["name"] for r in rows], shown)
        self.clean(raw("weights", "names.fasta", "--alphabet", "protein").stdout, "weights")
        # Files of sequences keep the bytes of a name: they are data, and names in them are compared.
        for end in ("h5", "fasta") if features()["hdf5"] else ("fasta",):
            self.good("convert", "names.fasta", "copy." + end, "--alphabet", "protein", "--quiet")
            symbols = ["--alphabet", "protein"] if end == "fasta" else []
            back = raw("convert", "copy." + end, "-", "--to", "fasta", "--quiet", *symbols).stdout
            self.assertEqual([line[1:] for line in back.splitlines() if line[:1] == b">"], names)
            self.good("compare", "names.fasta", "copy." + end, "--alphabet", "protein", "--quiet", "--runs", 0)

    @unittest.skipUnless(features()["structures"], "this build reads no structures")
    def test_names_of_chains(self):
        names = (("N", -1.2, 0), ("CA", 0, 1), ("C", 1.2, 0))
        atoms = [atom(n, KINDS[c], "Q", k + 1, (3.8 * k + x, 0.4 * y, (k % 5) / 2)) for k, c in enumerate(WHOLE) for n, x, y in names]
        cif = cif_text(atoms, {"Q": [(KINDS[c], k + 1, "") for k, c in enumerate(WHOLE)]})

        def named(name):
            text = cif.encode()
            return re.sub(rb" Q (\d+)$", lambda m: b" " + name + b" " + m[1], text, flags=re.M)
        write("plain.cif", cif)
        flags = ["family.fasta", "--alphabet", "protein", "--quiet"]
        self.good("distances", *flags, "--structure", "plain.cif", "-o", "plain.txt")
        expected = {pair: d for pair, (d, _) in distances_in("plain.txt").items()}
        ranked = ["contacts", *flags, "--method", "mi", "--csv", "t.csv"]
        self.good(*ranked, "--distances", "plain.txt", "--ppv", "plain.csv")
        with open("plain.csv") as file:
            curve = [line for line in file if line[0] != "#"]
        for name, word in (b"'A-A 0.5 #'", "A-A%200.5%20%23"), (b"'a,b'", "a%2Cb"), (b"'a\"b'", "a%22b"), (b"#1", None), (b"'100%'", "100%25"), ("'β'".encode(), "β"):
            with open("named.cif", "wb") as file:
                file.write(named(name if word else b"'#1'"))
            word = word or "%231"
            self.good("distances", *flags, "--structure", "named.cif", "-o", "named.txt")
            found = distances_in("named.txt")
            self.assertEqual({pair: d for pair, (d, _) in found.items()}, expected)
            self.assertEqual({chains for _, chains in found.values()}, {f"{word}-{word}"})
            self.good(*ranked, "--distances", "named.txt", "--ppv", "named.csv")
            with open("named.csv") as file:
                self.assertEqual([line for line in file if line[0] != "#"], curve)
            self.good(*ranked, "--structure", "named.cif")
            with open("t.csv", newline="") as file:
                rows = list(csv.DictReader(line for line in file if not line.startswith("# ")))
            self.assertEqual({r["chains"] for r in rows}, {f"{word}-{word}"})
        for name in [b"'" + hostile + b"A'" for hostile in HOSTILE] + [b"\n;A\n1 2 X-X 0.001\n#\n;\n"]:
            with open("hostile.cif", "wb") as file:
                file.write(named(name))
            for command in "distances", "contacts":
                done = raw(command, *flags, "--structure", "hostile.cif")
                self.assertEqual((done.returncode, done.stdout), (2, b""), name)
                message = self.clean(done.stderr, name)
                self.assertEqual(len(message.splitlines()), 1)
                # gemmi refuses some bytes before the name is known.
                self.assertRegex(message, "the name of a chain is|hostile.cif:")

    def test_names_of_files(self):
        """Line ends and control characters of a file's name reach no table, page, picture or message."""
        self.planted()
        name = b"e\x1b[31m\n1 2 x 0.001\n\xc2\x9b\x9b.fasta"
        shutil.copy("family.fasta", name)
        flags = [b"--alphabet", b"protein", b"--method", b"mi"]
        contacts, weights = [b"contacts", name, *flags], [b"weights", name, b"--alphabet", b"protein"]
        for command in [*contacts, b"--report", b"page.html", b"--matrix", b"m.txt", b"--picture", b"map.svg"], weights, [*contacts, b"--json"], \
                [b"energies", b"m.h5", name], [*weights, b"--progress", b"json"], [b"contacts", name, b"--alphabet", b"AB"], [b"contacts", name + b"x"], \
                [b"learn", name, b"--nosuch=" + name], [*contacts, b"--distances", name]:
            done = raw(*command)
            self.clean(done.stdout, command)
            message = self.clean(done.stderr, command)
            self.assertFalse(any(line.startswith("1 2 x") for line in (done.stdout.decode() + message).splitlines()), command)
            if done.returncode != 0:
                self.assertEqual(len(message.splitlines()), 1, message)
        for path in ["page.html", "m.txt", "map.svg"]:
            with open(path, "rb") as file:
                text = self.clean(file.read().replace(b"\t", b" "), path)
            self.assertFalse("\n1 2 x 0.001\n" in text, path)

    @unittest.skipUnless(features()["structures"], "this build reads no structures")
    def test_name_of_a_structure(self):
        atoms = [atom("CA", KINDS[c], "Q", k + 1, (3.8 * k, 0, 0)) for k, c in enumerate(WHOLE)]
        name = b"s\x1b[31m\n1 2 x 0.001\n.cif"
        with open(name, "w") as file:
            file.write(cif_text(atoms, {"Q": [(KINDS[c], k + 1, "") for k, c in enumerate(WHOLE)]}))
        done = raw(b"distances", b"family.fasta", b"--alphabet", b"protein", b"--structure", name, b"--details", b"-o", b"d.txt")
        self.assertEqual(done.returncode, 0)
        self.clean(done.stderr, name)
        with open("d.txt", "rb") as file:
            self.clean(file.read(), name)
        self.assertAlmostEqual(distances_in("d.txt")[1, 2][0], 3.8)
        self.assertEqual(len(distances_in("d.txt")), 190)
        self.assertEqual(run("contacts", "family.fasta", "--alphabet", "protein", "--method", "mi", "--distances", "d.txt", "--quiet").returncode, 0)


if __name__ == "__main__":
    main()
