#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A learning curve by random rows of an alignment, a bootstrap sample, and a trainer that goes on from a pickle, as in another process."""
import pickle

import attopotts

truth = attopotts.Model.random(sites=10, colors=5, seed=1)
sampler = attopotts.Sampler(truth, chains=32)
sampler.sweep(100)
data = attopotts.Alignment(sampler.sample(2000, thin=10).sequences, colors=5)
options = {"l2_couplings": 1e-4, "l2_colors": 1e-4}

# With one seed, a smaller sample is a part of a larger one.
for count in (100, 500, 2000):
    trainer = attopotts.Trainer(data.sample(count, seed=1), **options)
    trainer.run(100)
    print(f"{count} sequences: coupling error {trainer.model().coupling_error(truth):.16e}")

# As many as there are, each drawn from all: how much the loss depends on the sequences that were drawn.
print(f"bootstrap: loss {truth.loss(data.sample(len(data), replace=True, seed=1)):.16e}")

# The alignment and the trainer as bytes: what comes back goes on with the same numbers.
trainer = attopotts.Trainer(data, **options)
trainer.run(5)
again = pickle.loads(pickle.dumps(trainer))
again.run(5)
print(f"it goes on: loss {again.model().loss(data):.16e}")
