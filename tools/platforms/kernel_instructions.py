#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions of each kernel per unit of work and lane: NEON (4 lanes) against AVX2 (8 lanes).

usage: kernel_instructions.py NATIVE CROSS [SYSROOT]     the program bench/instructions, for x86-64 and for aarch64

Counts on x86-64 by valgrind, on aarch64 by qemu-user's log of single instructions; each by the difference of two numbers of repetitions.
Prints CSV: kernel, unit, instructions per unit of AVX2 and NEON, and the ratio per lane, which is to be at most 1.3.
"""
import re
import subprocess
import sys

FEW, MANY = 2, 6


def by_valgrind(program, kernel, repetitions):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, kernel, "avx2", str(repetitions)],
                         capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def by_qemu(program, sysroot, kernel, repetitions):
    """One line of the log for each instruction that ran."""
    command = ["qemu-aarch64", "-L", sysroot, "-singlestep", "-d", "exec,nochain", "-D", "/dev/stdout", program, kernel, "neon",
               str(repetitions)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE)
    count = sum(line.startswith(b"Trace ") for line in run.stdout)
    if run.wait() != 0:
        sys.exit(f"qemu-aarch64 cannot run {program}")
    return count


def main(native, cross, sysroot="/usr/aarch64-linux-gnu"):
    print("kernel,unit,avx2,neon,ratio_per_lane")
    for line in subprocess.run([native], capture_output=True, text=True, check=True).stdout.splitlines():
        kernel, units, unit = line.split(",", 2)
        per = (MANY - FEW) * int(units)
        avx2 = (by_valgrind(native, kernel, MANY) - by_valgrind(native, kernel, FEW)) / per
        neon = (by_qemu(cross, sysroot, kernel, MANY) - by_qemu(cross, sysroot, kernel, FEW)) / per
        print(f'{kernel},"{unit}",{avx2:.4f},{neon:.4f},{neon * 4 / (avx2 * 8):.2f}', flush=True)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
