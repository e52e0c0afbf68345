#!/usr/bin/env julia
# SPDX-License-Identifier: MIT
# The best pairs of a protein family: read an alignment, learn dense couplings, rank the pairs of sites.
# usage: family.jl ALIGNMENT
using AttoPotts, Printf

family = read_alignment(ARGS[1]; alphabet = "protein")
weigh!(family; theta = 0.2)
trainer = Trainer(family; family = :dense)
train!(trainer, 200)
pairs = contacts(Model(trainer); count = 10, separation = 6)
foreach(p -> @printf("%d %d %.6f\n", p.i, p.j, p.apc), pairs)
