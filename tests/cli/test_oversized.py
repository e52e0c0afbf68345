#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inputs that would need more memory than there is end with status 2 and one line, within seconds, with 2 GB of address space."""
import gzip
import os
import resource
import subprocess

from program import PROGRAM, SANITIZED, Case, features, main


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (2_000_000 << 10, 2_000_000 << 10))


def gzip_of(path, size, byte=b"\0", head=b""):
    """A gzip file of several members that unpacks to `size` equal bytes, a multiple of 64 MiB."""
    block = gzip.compress(byte * (64 << 20), 6)
    with open(path, "wb") as file:
        file.write(gzip.compress(head) if head else b"")
        for _ in range(size // (64 << 20)):
            file.write(block)


class Oversized(Case):
    @classmethod
    def make_inputs(cls):
        with open("big.dat", "w") as file:
            file.write("h 19999 1 1\n" * 40000)
        with open("sparse", "wb") as file:
            file.truncate(64 << 30)
        with open("sparse.fasta", "wb") as file:
            file.write(b">a\nACGU\n" * 20000)
            file.truncate(64 << 30)

    def refused(self, fragments, *arguments, **options):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, preexec_fn=None if SANITIZED else limited,
                              **options)
        lines = done.stderr.splitlines()
        self.assertEqual((done.returncode, len(lines)), (2, 1), (arguments, done.stderr))
        for fragment in fragments:
            self.assertIn(fragment, lines[0])

    def test_a_small_text_of_a_large_model(self):
        self.refused(["big.dat:2: this field of site 19999 occurs twice"], "convert", "big.dat", "out.h5", "--threads", "1")
        with open("sparse.dat", "w") as file:
            file.write("".join(f"h {i} {a} 1\n" for i in range(20000) for a in range(2)))
        self.refused(["bytes name so few couplings that a model of 20000 sites and 2 colours would take 12800000000 bytes"], "convert",
                     "sparse.dat", "out.h5", "--threads", "1")

    def test_zeros(self):
        for path in ("/dev/zero", "sparse"):
            self.refused([path, "neither text nor HDF5"], "convert", path, "out.txt", "--alphabet", "rna", "--threads", "1")
            self.refused([path, "neither text nor HDF5"], "contacts", path, "--alphabet", "rna", "--threads", "1")
            self.refused([path], "convert", path, "out.raw", "--threads", "1")
            self.refused([path, "no text, it has zero bytes"], "sample", "--couplings", path, "--colors", "3", "--beta", "1", "-o",
                         "out.txt", "--threads", "1")
        with open("/dev/zero", "rb") as zeros:
            self.refused(["standard input", "neither text nor HDF5"], "convert", "-", "out.txt", "--alphabet", "rna", "--threads", "1",
                         stdin=zeros)

    def test_a_text_that_ends_in_zeros(self):
        self.refused(["sparse.fasta"], "convert", "sparse.fasta", "out.txt", "--alphabet", "rna", "--threads", "1")
        with subprocess.Popen(["cat", "sparse.fasta"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as piped:
            self.refused(["standard input: a zero byte (NUL) at byte 160000, expected text to the end"], "convert", "-", "out.txt", "--alphabet",
                         "rna", "--threads", "1", stdin=piped.stdout)

    def test_a_text_without_end(self):
        if SANITIZED:
            return  # their memory has no limit
        endless = subprocess.Popen(["yes", "ACGU"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.refused(["standard input: after "], "convert", "-", "out.txt", "--alphabet", "rna", "--threads", "1", stdin=endless.stdout)
        endless.stdout.close()
        endless.kill()
        endless.wait()

    def test_gzip_bombs(self):
        if not features()["zlib"]:
            return
        gzip_of("zeros.gz", 64 << 20)
        self.refused(["zeros.gz", "zero byte"], "convert", "zeros.gz", "out.txt", "--alphabet",
                     "rna", "--threads", "1")
        gzip_of("turns.gz", 64 << 20, head=b">a\n" + b"A" * 200000)
        self.refused(["turns.gz: a zero byte (NUL) at byte 200003 of what the gzip data unpack to"], "convert", "turns.gz", "out.txt", "--alphabet",
                     "rna", "--threads", "1")
        gzip_of("letters.gz", 20 << 30, byte=b"A", head=b">a\n")
        self.assertLess(os.path.getsize("letters.gz"), 32 << 20)
        self.refused(["letters.gz"], "convert", "letters.gz", "out.txt", "--alphabet", "rna", "--threads", "1")

    def test_the_limit_of_unpacked_bytes(self):
        if not features()["zlib"]:
            return
        with gzip.open("small.gz", "wt") as file:
            file.write(">a\nACGU\n>b\nACGA\n")
        self.good("convert", "small.gz", "out.txt", "--alphabet", "rna", "--set", "max-unpacked=16B")
        self.refused(["small.gz", "unpack to more than 15, the limit (option max-unpacked sets another)"], "convert", "small.gz", "out.txt",
                     "--alphabet", "rna", "--set", "max-unpacked=15", "--threads", "1")


if __name__ == "__main__":
    main()
