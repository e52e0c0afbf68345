#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The best pairs of a protein family: read an alignment, learn dense couplings, rank the pairs of sites. usage: family.py ALIGNMENT"""
import sys

import attopotts

family = attopotts.Alignment.read(sys.argv[1], alphabet="protein")
family.weigh(0.2)
trainer = attopotts.Trainer(family, family="dense")
trainer.run(200)
pairs = attopotts.contacts(trainer.model(), count=10, separation=6)
for i, j, score in pairs:
    print(f"{i} {j} {score:.6f}")
