#!/usr/bin/env julia
# SPDX-License-Identifier: MIT
# A learning curve by random rows of an alignment, a bootstrap sample, and a trainer that goes on from bytes, as in another process.
using AttoPotts, Printf, Serialization

truth = random_model(10, 5; seed = 1)
sampler = Sampler(truth; chains = 32)
sweep!(sampler, 100)
data = Alignment(sample!(sampler, 2000; thin = 10).sequences; colors = 5)
learner(alignment) = Trainer(alignment; l2_couplings = 1e-4, l2_colors = 1e-4)

# With one seed, a smaller sample is a part of a larger one.
for count in (100, 500, 2000)
    trainer = learner(sample_rows(data, count; seed = 1))
    train!(trainer, 100)
    @printf("%d sequences: coupling error %.16e\n", count, coupling_error(Model(trainer), truth))
end

# As many as there are, each drawn from all: how much the loss depends on the sequences that were drawn.
@printf("bootstrap: loss %.16e\n", loss(truth, sample_rows(data, length(data); replace = true, seed = 1)))

# The trainer with its data as bytes: what comes back goes on with the same numbers.
trainer = learner(data)
train!(trainer, 5)
bytes = IOBuffer()
serialize(bytes, trainer)
again = deserialize(seekstart(bytes))
train!(again, 5)
@printf("it goes on: loss %.16e\n", loss(Model(again), data))
