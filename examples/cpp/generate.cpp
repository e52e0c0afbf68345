// SPDX-License-Identifier: MIT
// New sequences: learn a family by maximum likelihood, stop and go on, log P, samples, and how they compare.
// Build: c++ -std=c++17 generate.cpp -o generate $(pkg-config --cflags --libs attopotts)
#include <attopotts.hpp>

#include <cstdio>
#include <map>
#include <numeric>
#include <vector>

namespace ap = attopotts;

namespace {

// Boltzmann learning. A callback sees every step, and stops the run where it returns false; the next run goes on from there.
ap::Model learn(const ap::Context &context, const ap::Alignment &family) {
  ap::Trainer trainer(context, family,
                      ap::Options(context, ATP_OWNER_TRAINER)
                          .set(ATP_OPT_FAMILY, ATP_FAMILY_DENSE)
                          .set(ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD)
                          .set(ATP_OPT_EPOCHS, 1000));
  std::map<atp_progress_key, double> last;
  const auto run = [&](double stop_above) {
    const atp_outcome outcome = trainer.run(1000, [&](const ap::Progress &progress) {
      for (const auto key : {ATP_PROGRESS_PEARSON, ATP_PROGRESS_SLOPE, ATP_PROGRESS_PEARSON_RANDOM, ATP_PROGRESS_SLOPE_RANDOM,
                             ATP_PROGRESS_PEARSON_NATURAL, ATP_PROGRESS_SLOPE_NATURAL})
        last[key] = progress[key];
      return last[ATP_PROGRESS_PEARSON] <= stop_above;
    });
    std::printf("%s after %d steps: ", atp_outcome_name(outcome), static_cast<int>(trainer.epochs()));
  };
  run(0.9);
  std::printf("chains have Pearson %.4f, slope %.4f\n", last[ATP_PROGRESS_PEARSON], last[ATP_PROGRESS_SLOPE]);
  run(1);
  std::printf("in equilibrium %.4f, %.4f from random starts, %.4f, %.4f from the family\n", last[ATP_PROGRESS_PEARSON_RANDOM],
              last[ATP_PROGRESS_SLOPE_RANDOM], last[ATP_PROGRESS_PEARSON_NATURAL], last[ATP_PROGRESS_SLOPE_NATURAL]);
  return trainer.model();
}

// The mean of log P(s) = -beta H(s) - log Z over sequences.
double mean_log_p(const ap::Model &model, const ap::Partition &z, const std::vector<std::uint8_t> &sequences) {
  const std::vector<double> energies = model.energies(sequences);
  return z.log_probability(std::accumulate(energies.begin(), energies.end(), 0.0) / static_cast<double>(energies.size()));
}

void generate(const ap::Context &context) {
  // The family: 4000 samples of a true model, and 1000 more that nothing is learned from.
  const ap::Model truth = ap::Model::random(context, 10, 5);
  ap::Sampler source(context, truth, ap::Options(context, ATP_OWNER_SAMPLER).set(ATP_OPT_CHAINS, 32));
  source.sweep(100);
  const ap::Alignment family(context, source.sample(4000, 10), 10, 5);
  const std::vector<std::uint8_t> others = source.sample(1000, 10);
  const ap::Alignment held_out(context, others, 10, 5);
  const ap::Model learned = learn(context, family);

  // log P of a sequence: of the model with an estimate of log Z, of the true model by the sum over all 5^10 states.
  const ap::Options exactly = ap::Options(context, ATP_OWNER_PARTITION).set(ATP_OPT_METHOD, ATP_METHOD_EXACT);
  const ap::Partition estimate = ap::estimate_log_z(context, learned), exact = ap::estimate_log_z(context, truth, &exactly);
  std::printf("log Z %.4f, standard error %.4f\n", estimate.log_z, estimate.log_z_error);
  std::printf("log P of held-out sequences: %.4f, true model %.4f, independent sites %.4f\n", mean_log_p(learned, estimate, others),
              mean_log_p(truth, exact, others), -10 * held_out.independent_loss(family.frequencies()));

  // New sequences, and their C_ij against those of the family; parts of the family say what independent samples would have.
  ap::Sampler sampler(context, learned, ap::Options(context, ATP_OWNER_SAMPLER).set(ATP_OPT_CHAINS, 64).set(ATP_OPT_SEED, 2));
  sampler.sweep(100);
  const ap::Alignment samples(context, sampler.sample(4000, 10), 10, 5);
  const auto found = ap::compare_statistics(context, family, samples)[ATP_COMPARISON_COVARIANCES];
  const auto parts = ap::compare_parts(context, family, 4000).mean[ATP_COMPARISON_COVARIANCES];
  std::printf("C_ij of samples: Pearson %.4f, slope %.4f; of independent samples %.4f, %.4f\n", found[ATP_COMPARISON_PEARSON],
              found[ATP_COMPARISON_SLOPE], parts[ATP_COMPARISON_PEARSON], parts[ATP_COMPARISON_SLOPE]);
}

}  // namespace

int main() {
  try {
    generate(ap::Context());
  } catch (const ap::error &e) {
    std::fprintf(stderr, "%s: %s\n", e.name(), e.what());
    return 1;
  }
}
