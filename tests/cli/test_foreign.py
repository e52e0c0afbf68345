#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of plmc, CCMpred, adabmDCA and bmDCA through `convert`: written and read here by the tables of docs/formats.md, with Python alone."""
import gzip
import math
import struct

from program import Case, features, main, must, numbers_of

PROTEIN, CCMPRED = "-ACDEFGHIKLMNPQRSTVWY", "ARNDCQEGHILKMFPSTWYV-"


def field(i, a):
    return math.sin(1 + i + 0.37 * ord(a))


def coupling(i, j, a, b):
    return 0.3 * math.sin(2 + 3 * i + 7 * j + 0.11 * ord(a) + 0.53 * ord(b))


def pairs(sites):
    return [(i, j) for i in range(sites) for j in range(i + 1, sites)]


def unpack(data, at):
    """A value of msgpack and the place behind it: the kinds that the format has."""
    kind = data[at]
    at += 1
    if kind < 0x80:
        return kind, at
    if kind == 0xCB:
        return struct.unpack_from(">d", data, at)[0], at + 8
    if kind & 0xE0 == 0xA0:
        return data[at:at + kind - 0xA0].decode(), at + kind - 0xA0
    wide = {0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}.get(kind, 0)
    count = int.from_bytes(data[at:at + wide], "big") if wide else kind & 15
    at += wide
    values = []
    is_map = kind & 0xF0 == 0x80 or kind in (0xDE, 0xDF)
    assert is_map or kind & 0xF0 == 0x90 or kind in (0xDC, 0xDD), kind
    for _ in range(count * (2 if is_map else 1)):
        value, at = unpack(data, at)
        values.append(value)
    return (dict(zip(values[::2], values[1::2])) if is_map else values), at


def adabm(sites, alphabet, integers=False):
    """The model as text; the fields and couplings above."""
    name = {a: str(k) if integers else a for k, a in enumerate(alphabet)}
    lines = [f"J {i} {j} {name[a]} {name[b]} {coupling(i, j, a, b)!r}" for i, j in pairs(sites) for a in alphabet for b in alphabet]
    lines += [f"h {i} {name[a]} {field(i, a)!r}" for i in range(sites) for a in alphabet]
    return "\n".join(lines) + "\n"


def plmc(sites, alphabet, focus, offsets):
    def pack(kind, *x):
        return struct.pack(f"={len(x)}{kind}", *x)

    states = [(a, b) for a in alphabet for b in alphabet]
    out = pack("i", sites, len(alphabet), 2, 1, 10) + pack("f", 0.2, 0.01, 16, 0, 1.5) + alphabet.encode()
    out += pack("f", 1, 2, 0) + focus.encode() + pack("i", *offsets)
    out += pack("f", *[1 / len(alphabet)] * (sites * len(alphabet)))
    out += pack("f", *[field(i, a) for i in range(sites) for a in alphabet])
    out += pack("f", *[1 / len(states)] * (len(pairs(sites)) * len(states)))
    return out + pack("f", *[coupling(i, j, a, b) for i, j in pairs(sites) for a, b in states])


def read_plmc(name):
    """Header, alphabet, neighbours, focus, offsets, f_i, h_i, f_ij, J_ij."""
    with open(name, "rb") as file:
        data = file.read()
    place = 0

    def take(kind, n):
        nonlocal place
        values = struct.unpack_from(f"={n}{kind}", data, place)
        place += n * (1 if kind in "cs" else 4)
        return values

    sites, q, valid, skipped, iterations = take("i", 5)
    out = {"L": sites, "q": q, "valid": valid, "skipped": skipped, "iterations": iterations, "reals": take("f", 5)}
    out["alphabet"] = b"".join(take("c", q)).decode()
    out["neighbours"] = take("f", valid + skipped)
    out["focus"] = b"".join(take("c", sites)).decode()
    out["offsets"] = take("i", sites)
    out["f"], out["h"] = take("f", sites * q), take("f", sites * q)
    n = sites * (sites - 1) // 2 * q * q
    out["fij"], out["J"] = take("f", n), take("f", n)
    assert place == len(data)
    return out


class Foreign(Case):
    @classmethod
    def make_inputs(cls):
        cls.sites = 3
        with open("protein.dat", "w") as file:
            file.write(adabm(3, PROTEIN))
        with open("own.dat", "w") as file:
            file.write(adabm(3, "-xy"))
        with open("bm.dat", "w") as file:
            file.write(adabm(3, "-xy", integers=True))
        with open("p.model", "wb") as file:
            file.write(plmc(3, "-xy", "xYx", [4, 7, 9]))
        with open("data.fasta", "w") as file:
            file.write(">a\n-xy\n>b\nxxy\n>c\nyx-\n")
        must("convert", "protein.dat", "protein.h5")
        must("convert", "p.model", "p.h5")

    def table(self, model):
        """The numbers of a model by part and indices."""
        rows = [line.split(",") for line in numbers_of(model)[1:]]
        return {tuple(row[:-1]): float(row[-1]) for row in rows}

    def same(self, one, two, tolerance):
        one, two = self.table(one), self.table(two)
        self.assertEqual(one.keys(), two.keys())
        for key, value in one.items():
            self.assertAlmostEqual(value, two[key], delta=tolerance, msg=str(key))

    def check_numbers(self, model, alphabet, tolerance, gap_field=True):
        table = self.table(model)
        for i in range(3):
            for a in range(len(alphabet)):
                expected = field(i, alphabet[a]) - (0 if gap_field else field(i, "-"))
                self.assertAlmostEqual(table[("field", "", str(i), "", str(a), "")], expected, delta=tolerance)
        for i, j in pairs(3):
            for a in range(len(alphabet)):
                for b in range(len(alphabet)):
                    expected = coupling(i, j, alphabet[a], alphabet[b])
                    self.assertAlmostEqual(table[("coupling", "", str(i), str(j), str(a), str(b))], expected, delta=tolerance)
                    self.assertAlmostEqual(table[("coupling", "", str(j), str(i), str(b), str(a))], expected, delta=tolerance)

    def test_gremlin(self):
        """GREMLIN's text of a protein model, as GREMLIN_CPP would write it, in its order of states."""
        with open("g.mrf", "w") as file:
            for i in range(3):
                file.write(f"V[{i + 4}] " + " ".join(repr(field(i, a)) for a in CCMPRED) + "\n")
            for i, j in pairs(3):
                file.write(f"W[{i + 4}][{j + 4}] " + " ".join(repr(coupling(i, j, a, b)) for a in CCMPRED for b in CCMPRED) + "\n")
        self.good("convert", "g.mrf", "g.h5")
        self.check_numbers("g.h5", PROTEIN, 0)
        self.good("convert", "g.h5", "back.mrf")
        with open("g.mrf") as one, open("back.mrf") as two:
            for line, again in zip(one.read().splitlines(), two.read().splitlines()):
                self.assertEqual(line.split()[0], again.split()[0])
                self.assertEqual(list(map(float, line.split()[1:])), list(map(float, again.split()[1:])))
        self.wrong(2, ["GREMLIN's format is for"], "convert", "own.dat", "own.mrf", "--from", "adabm", "--alphabet", "-xy")

    def test_braw(self):
        """CCMpred's msgpack, read back by a decoder that is here alone, and the same from a packed file as CCMgen writes it."""
        if not features()["msgpack"]:
            self.wrong(2, ["this build of the library has no msgpack"], "convert", "protein.h5", "p.braw")
            return
        self.good("convert", "protein.h5", "p.braw")
        with open("p.braw", "rb") as file:
            data = file.read()
        found, end = unpack(data, 0)
        self.assertEqual(end, len(data))
        self.assertEqual((found["format"], found["ncol"], list(found)), ("ccm-1", 3, ["format", "ncol", "x_single", "x_pair"]))
        self.assertEqual(found["x_single"], [field(i, a) - field(i, "-") for i in range(3) for a in CCMPRED[:20]])
        self.assertEqual(list(found["x_pair"]), [f"{i}/{j}" for i, j in pairs(3)])
        for i, j in pairs(3):
            pair = found["x_pair"][f"{i}/{j}"]
            self.assertEqual((pair["i"], pair["j"], pair["x"]), (i, j, [coupling(i, j, a, b) for a in CCMPRED for b in CCMPRED]))
        self.good("convert", "p.braw", "b.h5")
        self.check_numbers("b.h5", PROTEIN, 1e-15, gap_field=False)
        self.good("convert", "p.braw", "copy", "--to", "ccmpred-braw")
        with open("copy", "rb") as file:
            self.assertEqual(file.read(), data)
        self.good("convert", "p.braw", "p.raw")
        self.same("p.raw", "p.braw", 0)
        if features()["zlib"]:
            with gzip.open("p.braw.gz", "wb") as file:
                file.write(data)
            self.same("p.braw.gz", "p.braw", 0)
            with gzip.open("cut.braw.gz", "wb") as file:
                file.write(data[:-100])
            self.wrong(2, ["cut.braw.gz", "end too early"], "convert", "cut.braw.gz", "x.h5")
        self.wrong(2, ["p.braw", "expected sequences"], "eval", "p.braw", "p.braw", "--quiet")

    def test_evcouplings(self):
        """Scores of a model in EVcouplings' CSV are those in plmc's, and come back."""
        self.good("convert", "protein.h5", "p.couplings")
        self.good("convert", "protein.h5", "x_CouplingScores.csv")
        with open("x_CouplingScores.csv") as file:
            rows = [line.split(",") for line in file.read().splitlines()]
        self.assertEqual(rows[0], ["i", "A_i", "j", "A_j", "fn", "cn"])
        scores = [float(row[5]) for row in rows[1:]]
        self.assertEqual(scores, sorted(scores, reverse=True))
        with open("p.couplings") as file:
            theirs = {(line.split()[0], line.split()[2]): line.split()[5] for line in file}
        self.assertEqual({(row[0], row[2]): f"{float(row[5]):.6f}" for row in rows[1:]}, theirs)
        self.good("convert", "x_CouplingScores.csv", "back", "--to", "evcouplings-scores")
        self.good("convert", "x_CouplingScores.csv", "back.couplings")
        for one, two in (("x_CouplingScores.csv", "back"), ("p.couplings", "back.couplings")):
            with open(one) as a, open(two) as b:
                self.assertEqual(a.read(), b.read())

    def test_reading(self):
        self.check_numbers("protein.h5", PROTEIN, 0)
        self.check_numbers("p.h5", "-xy", 1e-7)
        self.good("convert", "bm.dat", "bm.h5", "--alphabet", "-xy")
        self.check_numbers("bm.h5", "-xy", 0)
        self.good("convert", "own.dat", "own.h5", "--from", "adabm", "--alphabet", "-xy")
        self.check_numbers("own.h5", "-xy", 0)
        for model in ("p.h5", "bm.h5", "own.h5"):
            with open("again.dat", "w") as file:
                file.write(self.good("convert", model, "-", "--to", "adabm").stdout)
            self.good("convert", "again.dat", "again.h5", "--alphabet", "-xy")
            self.same(model, "again.h5", 0)

    def test_text_is_ours(self):
        """Every line of our text, as numbers."""
        for word, name, alphabet in (("adabm", "own.dat", "-xy"), ("bmdca", "bm.dat", "-xy"), ("adabm", "protein.dat", PROTEIN)):
            self.good("convert", name, "x.h5", "--alphabet", alphabet)
            ours = self.good("convert", "x.h5", "-", "--to", word).stdout.splitlines()
            with open(name) as file:
                theirs = file.read().splitlines()
            self.assertEqual(len(ours), len(theirs))
            for one, two in zip(ours, theirs):
                self.assertEqual(one.split()[:-1], two.split()[:-1])
                self.assertEqual(float(one.split()[-1]), float(two.split()[-1]))

    def test_ccmpred(self):
        self.good("convert", "protein.h5", "c.raw")
        with open("c.raw") as file:
            lines = file.read().splitlines()
        self.assertEqual(len(lines), 3 + 3 * 22)
        for i in range(3):
            values = [float(x) for x in lines[i].split("\t")[:-1]]
            self.assertEqual(values, [field(i, a) - field(i, "-") for a in CCMPRED[:-1]])
        place = 3
        for i, j in pairs(3):
            self.assertEqual(lines[place], f"# {i} {j}")
            for a in CCMPRED:
                place += 1
                self.assertEqual([float(x) for x in lines[place].split("\t")[:-1]], [coupling(i, j, a, b) for b in CCMPRED])
            place += 1
        done = self.good("convert", "c.raw", "c.h5")
        self.check_numbers("c.h5", PROTEIN, 0, gap_field=False)
        self.assertIn("subtracted from all fields", self.good("convert", "protein.h5", "c.raw").stderr, done.stderr)
        self.wrong(2, ["x.raw", "21 symbols of proteins"], "convert", "p.h5", "x.raw", "--quiet")

    def test_plmc(self):
        self.good("convert", "p.h5", "ours.model", "--alignment", "data.fasta")
        made = read_plmc("ours.model")
        self.assertEqual([made[k] for k in ("L", "q", "valid", "skipped", "iterations")], [3, 3, 3, 0, -1])
        self.assertEqual((made["alphabet"], made["focus"], made["offsets"]), ("-xy", "xYx", (4, 7, 9)))
        self.assertEqual(made["reals"], (-1, -1, -1, -1, 3))
        self.assertEqual(made["neighbours"], (1, 1, 1))
        for got, expected in zip(made["f"], [1 / 3, 1 / 3, 1 / 3, 0, 1, 0, 1 / 3, 0, 2 / 3]):
            self.assertAlmostEqual(got, expected, places=6)
        for (i, j), k in zip(pairs(3), range(3)):
            block = made["fij"][9 * k : 9 * k + 9]
            rows = ["-xy", "xxy", "yx-"]
            expected = [sum(s[i] == a and s[j] == b for s in rows) / 3 for a in "-xy" for b in "-xy"]
            for one, two in zip(block, expected):
                self.assertAlmostEqual(one, two, places=6)
        theirs = read_plmc("p.model")
        self.assertEqual(made["h"], theirs["h"])
        self.assertEqual(made["J"], theirs["J"])
        self.good("convert", "ours.model", "back.h5")
        self.same("p.h5", "back.h5", 0)
        # Weights by identity: the two equal sequences count as one.
        with open("twins.fasta", "w") as file:
            file.write(">a\n-xy\n>b\n-xy\n>c\nyx-\n")
        self.good("convert", "p.h5", "ours.model", "--alignment", "twins.fasta", "--theta", "0.2")
        made = read_plmc("ours.model")
        self.assertEqual((made["reals"][4], made["neighbours"]), (2, (2, 2, 1)))
        self.assertEqual(made["f"][:3], (0.5, 0, 0.5))
        self.wrong(2, ["ours.model", "--alignment"], "convert", "p.h5", "ours.model")
        self.wrong(2, ["--alignment"], "convert", "p.h5", "x.h5", "--alignment", "data.fasta")

    def test_energies(self):
        """Heads, a beta, and every format: the same energies up to the precision, the gap's fields and beta."""
        must("sample", "--sites", 6, "--colors", 21, "--beta", 0.5, "--protocol", "chain", "--chains", 4, "--burn-in", 5, "--thin", 2, "--samples",
             9, "--model-out", "heads.h5", "-o", "heads-data.h5", "--alphabet", "protein")

        def energies(model):
            rows = [r for r in self.good("energies", model, "heads-data.h5", "--csv", "-").stdout.splitlines() if not r.startswith("#")]
            column = rows[0].split(",").index("energy")
            return [float(row.split(",")[column]) for row in rows[1:]]

        reference = [0.5 * e for e in energies("heads.h5")]
        for name, options, tolerance in (("h.model", ("--alignment", "heads-data.h5"), 1e-5), ("h.raw", (), 1e-9), ("h.dat", ("--to", "adabm"), 1e-9),
                                         ("hb.dat", ("--to", "bmdca"), 1e-9)):
            self.good("convert", "heads.h5", name, *options)
            for one, two in zip(energies(name), reference):
                self.assertAlmostEqual(one, two, delta=tolerance * (1 + abs(two)), msg=name)

    def test_own_symbols(self):
        """adabmDCA with symbols of its own: --alphabet names them, as for DATA."""
        self.good("convert", "own.dat", "own.h5", "--alphabet=-xy")
        rows = [[line for line in self.good("energies", model, "data.fasta", "--alphabet=-xy").stdout.splitlines() if not line.startswith("#")]
                for model in ("own.dat", "own.h5")]
        self.assertEqual(*rows)
        rows = [[line for line in self.good("contacts", *model).stdout.splitlines() if not line.startswith("#")]
                for model in (("own.dat", "--alphabet=-xy"), ("own.h5",))]
        self.assertEqual(*rows)
        self.wrong(2, ["--alphabet is given but INPUT own.h5 is a model"], "contacts", "own.h5", "--alphabet=-xy")
        self.good("eval", "own.dat", "data.fasta", "--alphabet=-xy")
        self.good("mutants", "own.dat", "data.fasta", "--alphabet=-xy")
        self.good("sample", "--model", "own.dat", "--alphabet=-xy", "--protocol", "chain", "--samples", 2, "--thin", 1, "-o", "s.fasta")
        self.wrong(2, ["own.dat", "the alphabet must be given"], "energies", "own.dat", "data.fasta")

    def test_gauge(self):
        self.good("convert", "protein.h5", "zero.raw", "--gauge", "zero-sum")
        with open("zero.raw") as file:
            block = [[float(x) for x in line.split("\t")[:-1]] for line in file.read().splitlines()[4:25]]
        for k in range(21):
            self.assertAlmostEqual(sum(block[k]), 0, places=12)
            self.assertAlmostEqual(sum(row[k] for row in block), 0, places=12)
        self.good("convert", "protein.h5", "none.h5", "--gauge", "none")
        self.same("protein.h5", "none.h5", 0)

    def test_scores(self):
        """A model to both files of scores, each into the other, and against the sums themselves."""
        self.good("convert", "p.h5", "p.couplings")
        self.good("convert", "p.h5", "p.mat")
        c = {(i, j): [[coupling(i, j, a, b) for b in "-xy"] for a in "-xy"] for i, j in pairs(3)}
        fn = {}
        for key, m in c.items():
            total = sum(map(sum, m)) / 9
            centred = [[m[a][b] - sum(m[a]) / 3 - sum(r[b] for r in m) / 3 + total for b in range(3)] for a in range(3)]
            fn[key] = math.sqrt(sum(centred[a][b] ** 2 for a in (1, 2) for b in (1, 2)))
        mean = [sum(v for k, v in fn.items() if i in k) / 2 for i in range(3)]
        overall = sum(mean) / 3
        expected = {(i, j): fn[i, j] - mean[i] * mean[j] / overall for i, j in pairs(3)}
        with open("p.couplings") as file:
            lines = [line.split(" ") for line in file.read().splitlines()]
        self.assertEqual([line[:5] for line in lines], [["4", "x", "7", "Y", "0"], ["4", "x", "9", "x", "0"], ["7", "Y", "9", "x", "0"]])
        for line, key in zip(lines, pairs(3)):
            self.assertAlmostEqual(float(line[5]), expected[key], places=5)
        with open("p.mat") as file:
            rows = [[float(x) for x in line.split("\t")[:-1]] for line in file.read().splitlines()]
        for i, j in pairs(3):
            self.assertAlmostEqual(rows[i][j], expected[i, j], places=6)
            self.assertEqual(rows[i][j], rows[j][i])
        self.assertEqual([rows[i][i] for i in range(3)], [0, 0, 0])
        self.good("convert", "p.couplings", "q.mat")
        self.good("convert", "q.mat", "q.couplings")
        with open("q.couplings") as file:
            self.assertEqual([line.split(" ")[5] for line in file.read().splitlines()], [line[5] for line in lines])
        self.wrong(2, ["x.h5", "scores"], "convert", "p.mat", "x.h5")
        self.wrong(2, ["--gauge", "p.mat"], "convert", "p.mat", "x.couplings", "--gauge", "zero-sum")
        self.wrong(2, ["p.mat", "scores of pairs"], "energies", "p.mat", "data.fasta")

    def test_bad_files(self):
        with open("p.model", "rb") as file:
            good = file.read()
        with open("protein.dat") as file:
            text = file.read()
        nan = bytearray(good)
        nan[-4:] = struct.pack("=f", math.nan)
        files = {
            "cut.model": (good[:-1], ["cut.model", f"{len(good) - 1} bytes", f"plmc model of {len(good)}"]),
            "nan.model": (bytes(nan), ["nan.model", f"byte {len(good) - 4}", "finite"]),
            "junk.model": (b"\0\1\2\3" * 50, ["junk.model", "plmc model"]),
            "cut.dat": (text[: len(text) // 2].rsplit("\n", 1)[0].encode(), ["cut.dat", "h i a value"]),
            "line.dat": (text.replace("J 0 2", "J 0 x", 1).encode(), ["line.dat:442", "'x'", "site j"]),
            "value.dat": (b"h 0 0 1\nh 0 1 1e999\nh 1 0 1\nh 1 1 1\n", ["value.dat:2", "1e999"]),
            "empty.dat": (b"", ["empty.dat", "empty"]),
            "text.raw": (b"hello\n", ["text.raw", "not a model"]),
            "c.raw": (b"1\t2\t\n", ["c.raw"]),
        }
        flags = {"junk.model": ["--from", "plmc"], "c.raw": ["--from", "ccmpred-raw"], "value.dat": ["--alphabet", "01"]}
        for name, (content, fragments) in files.items():
            with open(name, "wb") as file:
                file.write(content)
            self.wrong(2, fragments, "convert", name, "out.csv", *flags.get(name, []))
        self.wrong(2, ["own.dat", "--alphabet"], "convert", "own.dat", "x.h5")
        self.wrong(2, ["--to", "hdf4"], "convert", "p.h5", "x", "--to", "hdf4")
        self.wrong(2, ["x.what", ".raw"], "convert", "p.h5", "x.what")
        self.wrong(2, ["x.fasta"], "convert", "p.h5", "x.fasta")
        self.wrong(2, ["--alignment", "data.fasta"], "convert", "data.fasta", "x.h5", "--alphabet", "-xy", "--alignment", "data.fasta")
        self.wrong(2, ["data.fasta", "h i a value"], "convert", "data.fasta", "x.h5", "--from", "adabm")
        # The message names what was asked for and what is there.
        for word in ("hdf5", "plmc", "ccmpred-raw", "ccmpred-braw", "adabm", "bmdca", "gremlin-mrf"):
            self.wrong(2, ["the format asked for is " + word, "the content is fasta"], "convert", "data.fasta", "x.h5", "--from", word)
        for word in ("ccmpred-matrix", "plmc-couplings", "evcouplings-scores", "npy"):
            self.wrong(2, [f'--from is "{word}" but the content of data.fasta is fasta'], "convert", "data.fasta", "x.h5", "--from", word)

    def test_large_plmc_by_force(self):
        """A file of more than 64 KiB, whose format --from names."""
        self.good("sample", "--sites", 40, "--colors", 21, "--alphabet", "protein", "--beta", 0.1, "--protocol", "chain", "--samples", 20,
                  "--thin", 2, "--model-out", "large.h5", "-o", "large_data.h5")
        self.good("convert", "large.h5", "large.model", "--alignment", "large_data.h5")
        self.good("convert", "large.model", "forced.h5", "--from", "plmc")
        self.good("convert", "large.model", "found.h5")
        self.assertEqual(numbers_of("forced.h5"), numbers_of("found.h5"))


main()
