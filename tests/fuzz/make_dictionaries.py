#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The dictionaries of the fuzz targets: words of the formats, and those that the sources have. usage: make_dictionaries.py [--check]

Writes tests/fuzz/dictionaries/NAME.dict. With --check nothing is written: status 1 if a file is not what would be written.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SYMBOLS = ["ACDEFGHIKLMNPQRSTVWY", "ACGU", "ACGT", "-", ".", "X", "*", "\r\n", "\n\n", "\xef\xbb\xbf"]
NUMBERS = ["0", "-1", "1e308", "1e-320", "nan", "inf", "-inf", "9223372036854775807", "-9223372036854775808", "4294967296", "0x1p3", "1e+00", "+1"]
WORDS = {
    "fasta": [">", ">a\n", ">a/1-3\n", ";", *SYMBOLS],
    "a2m": [">a\n", ">a/1-3\n", "acdef", "#A3M#", "#2,2\t1,1\n", "\n\0>a\n", *SYMBOLS],
    "stockholm": ["# STOCKHOLM 1.0\n", "#=GF ", "#=GC ", "#=GS ", "#=GR ", "//\n", "a/1-3 ", *SYMBOLS],
    "lines": ["a ACD\n", "\t", *SYMBOLS],
    "records": [">a\n", "@a\n", "+\n", ">P1;", *SYMBOLS],
    "integers": ["0 1\n", ",", "\t", "255", "256", *NUMBERS],
    "distances": ["1 2 3.5\n", "1 2 x 3.5\n", "# ", "\t", ",", *NUMBERS],
    "mutations": ["A1C", "A1C/C2D", ":", ",", "wt", "A-1C", "A0001C", *NUMBERS],
    "models": ["J 0 1 0 0 0.5\n", "h 0 0 0.5\n", "J 0 1 A - 0.5\n", "V[0] ", "W[0][1] ", "# 0 1\n", "#>META> {}\n", *NUMBERS],
    "braw": ["\x86", "\xa6format", "\xa4ncol", "\xa1x", "\x98", "\xde\x00\x10", "\xdf\x00\x00\x00\x01", "\xc5\x10\x00", "\xc6\x00\x00\x10\x00", "\xd9\x20", "i", "j",
             "x_single", "x_pair", "ccm-1", "0/1", "version", *NUMBERS],
    "score_files": ["i,A_i,j,A_j,fn,cn\n", "1 A 2 C 0 0.5\n", "1,A,2,C,0,0.5\n", "\t", *NUMBERS],
    "npy": ["\x93NUMPY\x01\x00", "{'descr': ", "'fortran_order': ", "'shape': ", "'<f8'", "'>f4'", "'|u1'", "True", "False", "(2, 2)", "(2L,)",
            "4611686018427387904"],
    "gzip": ["\x1f\x8b\x08", "\x1f\x8b\x08\x00", "\x00\x00\xff\xff", *SYMBOLS],
    "hdf5": ["\x89HDF\r\n\x1a\n", "OHDR", "OCHK", "SNOD", "TREE", "HEAP", "BTHD", "BTLF", "FRHP", "FHDB", "FHIB", "FADB", "EAHD", "GCOL",
             "\xff\xff\xff\xff\xff\xff\xff\xff", "sequences", "weights", "names", "alphabet", "couplings", "fields", "maps", "values", "beta"],
    "state": ["\xff\xff\xff\xff\xff\xff\xff\xff", "\x00\x00\x00\x00\x00\x00\xf0\x3f", "\x00\x00\x00\x00\x00\x00\xf8\x7f"],
    "kernels": [chr(k) * 2 for k in (15, 16, 17, 31, 32, 33)],
    "values": ["{a}", "{name}", "{{", "}}", "'", '\\"', "\\", "KiB", "GB", "1:2:3", "0.5,1", "1e4", *NUMBERS],
    "resumed": ["# settings: omega=0.3\n", "# outcome: not finished\n", "# outcome: interrupted\n", "alpha,omega,loss\n", '"', '""', ",",
                "attempt,status,outcome,seconds,host,why,command\n", "not run", "done", "failed", "killed", "name", "command", "cost", "folder",
                "attopotts checkpoint 1\n", "phase ", "part state ", "part log ", "checksum ", "trailer ", *NUMBERS],
    "side_tables": ["i,j,d\n", "mutant", "variant", '"","', '"1",', '""', ",0,1\n", "\t", ";", "# ", "\r", "\v", "\f", "\xef\xbb\xbf", "NA", *NUMBERS],
    "structures": ["ATOM  ", "HETATM", "TER   ", "MODEL ", "ENDMDL", "SEQRES", "HEADER", "END", "data_", "loop_\n", "_atom_site.", "Cartn_x",
                   "label_seq_id", "auth_asym_id", "_entity.type", "polymer", "ALA", "GLY", " CA ", " CB ", "HIE", "HISE", "RG5", "DT3", "GUA",
                   "_atom_site.occupancy", "_atom_site.type_symbol", "********", "\r", "?", "."],
}


def names_in(path, pattern):
    return sorted(set(re.findall(pattern, (ROOT / path).read_text(encoding="utf-8"))))


def all_words():
    words = dict(WORDS)
    options = names_in("docs/options.md", r"\n\| `([a-z0-9-]+)` \|")
    words["options"] = options + ["\x7f\xff\xff\xff\xff\xff\xff\xff", "\xff\xf0\x00\x00\x00\x00\x00\x00"]
    words["calls"] = [chr(k) for k in range(22)] + [">a\nACD\n>b\nA-C\n\0", "A1C", "-ACDEFGHIKLMNPQRSTVWY\0"]
    program = set()
    for path in sorted((ROOT / "cli").rglob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        program |= set(re.findall(r'"(?:-[a-z],)?(--[a-z0-9-]+)', text))
        program |= set(re.findall(r'program\.add\(\s*"([a-z-]+)"', text)) | set(re.findall(r'\{"([a-z0-9-]+)", ATP_', text))
    program |= set(names_in("docs/options.md", r"\d `([a-z0-9-]+)`"))  # of values
    words["program"] = sorted(program) + ["\n%%\n", "out.h5", "out.fasta", "0", "1", "auto", ">a\nACD\n>b\nA-C\n"]
    return words


def quoted(word):
    return '"' + "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\x{ord(c):02x}" for c in word) + '"\n'


def main():
    wrong = []
    targets = {path.stem.removeprefix("fuzz_") for path in HERE.glob("fuzz_*.cpp")}
    for name, words in all_words().items():
        if name not in targets:
            continue
        path = HERE / "dictionaries" / f"{name}.dict"
        text = "".join(quoted(word) for word in dict.fromkeys(words))
        if "--check" not in sys.argv:
            path.write_text(text, encoding="ascii")
        elif not path.is_file() or path.read_text(encoding="ascii") != text:
            wrong.append(f"{path.name} is out of date: run tests/fuzz/make_dictionaries.py")
    wrong += [f"fuzz_{name}.cpp has no dictionary" for name in sorted(targets - set(all_words()))]
    print("\n".join(wrong) if wrong else f"{len(targets)} dictionaries")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
