#!/usr/bin/env julia
# SPDX-License-Identifier: MIT
# New sequences: learn a family by maximum likelihood, stop and go on, log P, samples, and how they compare.
# usage: generate.jl
using AttoPotts, Printf

# The family: 4000 samples of a true model, and 1000 more that nothing is learned from. Your own: read_alignment(path; alphabet = "protein").
truth = random_model(10, 5; seed = 1)
source = Sampler(truth; chains = 32)
sweep!(source, 100)
family = Alignment(sample!(source, 4000; thin = 10).sequences; colors = 5)
held_out = Alignment(sample!(source, 1000; thin = 10).sequences; colors = 5)

# Boltzmann learning. A callback sees every step, and stops the run where its answer is true; the next run goes on from there.
trainer = Trainer(family; family = :dense, objective = :likelihood, epochs = 1000)
last_step = Dict{Symbol,Float64}()
outcome = train!(trainer) do report
    merge!(last_step, report)
    report[:pearson] > 0.9
end
@printf("%s after %d steps: chains have Pearson %.4f, slope %.4f\n", outcome, trainer.epochs, last_step[:pearson], last_step[:slope])
outcome = train!(trainer) do report
    merge!(last_step, report)
    false
end
@printf("%s after %d steps: in equilibrium %.4f, %.4f from random starts, %.4f, %.4f from the family\n", outcome, trainer.epochs,
        last_step[:pearson_random], last_step[:slope_random], last_step[:pearson_natural], last_step[:slope_natural])
learned = Model(trainer)

mean_log_p(model, log_z) = -model.beta * sum(energies(model, held_out.sequences)) / length(held_out) - log_z

# log P of a sequence: of the model with an estimate of log Z, of the true model by the sum over all 5^10 states.
estimate = estimate_log_z(learned)
exact = estimate_log_z(truth; method = :exact)
independent = -held_out.sites * independent_loss(held_out, frequencies(family))
@printf("log Z %.4f, standard error %.4f\n", estimate.log_z, estimate.log_z_error)
@printf("log P of held-out sequences: %.4f, true model %.4f, independent sites %.4f\n", mean_log_p(learned, estimate.log_z),
        mean_log_p(truth, exact.log_z), independent)

# New sequences, and their C_ij against those of the family; parts of the family say what independent samples would have.
sampler = Sampler(learned; chains = 64, seed = 2)
sweep!(sampler, 100)
samples = Alignment(sample!(sampler, 4000; thin = 10).sequences; colors = 5)
found = compare_statistics(family, samples).covariances
parts = compare_parts(family, length(samples)).mean.covariances
@printf("C_ij of samples: Pearson %.4f, slope %.4f; of independent samples %.4f, %.4f\n", found.pearson, found.slope, parts.pearson, parts.slope)

# The picture as plain data; with Plots, plot(family, samples) draws it.
picture = plotdata(family, samples)
