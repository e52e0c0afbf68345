// SPDX-License-Identifier: MIT
// Sample a random Potts model, learn it back with factored attention, print how far the learned couplings are from the true ones.
// Build: c++ -std=c++17 quickstart.cpp -o quickstart $(pkg-config --cflags --libs attopotts)
#include <attopotts.hpp>

#include <cstdio>

int main() {
  namespace ap = attopotts;
  try {
    ap::Context context;
    // The truth, and samples of it: 100 sweeps to forget the start, 10 between samples.
    const ap::Model truth = ap::Model::random(context, 10, 5);
    ap::Sampler sampler(context, truth, ap::Options(context, ATP_OWNER_SAMPLER).set(ATP_OPT_CHAINS, 32));
    sampler.sweep(100);
    const ap::Alignment data(context, sampler.sample(4000, 10), truth.sites(), truth.colors());

    // Learning: one head of free attention, the pseudo-likelihood, L-BFGS.
    ap::Options options(context, ATP_OWNER_TRAINER);
    options.set(ATP_OPT_L2_COUPLINGS, 1e-4).set(ATP_OPT_L2_COLORS, 1e-4);
    ap::Trainer trainer(context, data, options);
    const atp_outcome outcome = trainer.run(200);
    const ap::Model learned = trainer.model();
    std::printf("%s: loss %.16e, optimal loss %.16e, coupling error %.16e\n", atp_outcome_name(outcome), learned.loss(context, data),
                truth.loss(context, data), learned.coupling_error(context, truth));
  } catch (const ap::error &e) {
    std::fprintf(stderr, "%s: %s\n", e.name(), e.what());
    return 1;
  }
}
