# SPDX-License-Identifier: MIT
"""Heads for a protein family: held-out losses

DHFR.a2m, 3629 sequences of 171 sites; the gap is a colour, fields and free maps, penalties of 3e-4 on A and V and 1e-5 on fields, L-BFGS (one
head: from the wide start). Sequences are mixed before 2900 of them are learned, so that close relatives are on both sides: the held-out loss is
that of sequences from the same sample, not of a new branch of the tree.
"""
import os
import random
import tempfile

import lab as tools

TRAIN, KEY = 2900, ("heads",)
COLUMNS = ["heads", "train_loss", "test_loss", "independent_loss", "epochs", "seconds_per_epoch", "seconds", "outcome"]
AGREE = {"dhfr.csv": tools.Same(KEY, ("train_loss", "test_loss", "independent_loss", "outcome"), tolerance=1e-4)}


def mixed(lab, path):
    with open(path) as file:
        entries = file.read().split(">")[1:]
    random.Random(1).shuffle(entries)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "dhfr.fasta")
        with open(name, "w") as file:
            file.write("".join(">" + entry for entry in entries))
        return lab.potts.Alignment.read(name, alphabet="protein")


def compute(lab):
    path = lab.shared("DHFR.a2m")
    if path is None:
        print("dhfr: left out, DHFR.a2m is not in the data folder")
        return False
    data = mixed(lab, path)
    train, test = data[:TRAIN], data[TRAIN:]

    def run(heads):
        trainer = lab.potts.Trainer(train, heads=heads, fields=True, l2_couplings=3e-4, l2_colors=3e-4, l2_fields=1e-5, epochs=3000)
        if heads < 4:
            trainer.start_wide(4 * heads)
        outcome, seconds = tools.timed(trainer.run)
        return {"train_loss": trainer.gradient().loss, "test_loss": trainer.loss(test),
                "independent_loss": test.independent_loss(train.frequencies(1 / (1 + TRAIN))),
                "epochs": trainer.epochs, "seconds_per_epoch": seconds / trainer.epochs, "seconds": f"{seconds:.4f}", "outcome": outcome}

    lab.complete("dhfr.csv", KEY, COLUMNS, lab.pick([(1,), (8,)], [(1,)]), run)
    return True


def report(lab):
    return tools.markdown({"heads": "heads", "training loss": "train_loss", "held-out loss": "test_loss",
                           "site-independent": "independent_loss",
                           "iterations": "epochs", "outcome": "outcome"}, lab.rows("dhfr.csv"),
                          dict.fromkeys(("train_loss", "test_loss", "independent_loss"), "{:.4f}"))


def claims(lab):
    one, eight = lab.rows("dhfr.csv")
    return [("more", "more heads predict a protein family better", "holds",
             f"held-out loss {eight['test_loss']:.3f} with 8 heads, {one['test_loss']:.3f} with one, {one['independent_loss']:.3f} of independent sites")]
