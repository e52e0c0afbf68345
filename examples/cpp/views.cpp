// SPDX-License-Identifier: MIT
// Sample and learn with the classes of attopotts.hpp, which own their handles and throw.
#include <attopotts.hpp>

#include <iostream>
#include <vector>

int main() {
  try {
    const attopotts::Context context;
    attopotts::Options options(context, ATP_OWNER_SAMPLER);
    options.set(ATP_OPT_CHAINS, 32);
    const auto truth = attopotts::Model::random(context, 10, 5);
    attopotts::Sampler sampler(context, truth, options);
    sampler.sweep(100);
    const std::vector<std::uint8_t> sequences = sampler.sample(4000, 10);
    const attopotts::Alignment data(context, sequences, 10, 5);
    attopotts::Trainer trainer(context, data);
    trainer.run(200);
    std::cout << "coupling error " << trainer.model().coupling_error(context, truth) << "\n";
  } catch (const attopotts::error &problem) {
    std::cerr << problem.name() << ": " << problem.what() << "\n";
    return 1;
  }
}
