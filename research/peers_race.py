#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains by adabmDCA for a limited time, and prints a line for each step: step, Pearson, slope, seconds, seconds of processors.

usage: peers_race.py FASTA ALPHABET FOLDER SECONDS SAMPLER. It needs a Python with adabmDCA and torch; race.py runs it. Two threads, settings
of the program; FOLDER has parameters and chains of the last fifth step, params.dat and chains.fasta.
"""
import sys
import time

import torch
from adabmDCA.api.training import train_model


class Steps:
    def __init__(self, limit):
        self.limit, self.begin, self.used = limit, time.monotonic(), time.process_time()

    def __call__(self, event):
        seconds, used = time.monotonic() - self.begin, time.process_time() - self.used
        print(event.gradient_steps, event.metrics.get("Pearson"), event.metrics.get("Slope"), f"{seconds:.3f}", f"{used:.3f}", flush=True)
        if seconds > self.limit:
            raise KeyboardInterrupt


def main():
    fasta, alphabet, folder, limit, sampler = sys.argv[1:]
    torch.set_num_threads(2)
    try:
        train_model(fasta, output_dir=folder, alphabet=alphabet, sampler=sampler, checkpoint_interval=5, device="cpu",
                    progress=Steps(float(limit)))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
