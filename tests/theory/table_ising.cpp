// SPDX-License-Identifier: MIT
// Prints the learning curves of Ising models, theory beside samples, as CSV: the table of docs/results.md (scripts/results.py, part ising).
// Usage: theory_table_ising [realisations]
#include "ising_curve.hpp"

int main(int argc, char **argv) {
  const int64_t realisations = argc > 1 ? std::atol(argv[1]) : 20;
  if (realisations < 2) {
    std::fprintf(stderr, "table_ising: \"%s\" realisations, expected at least 2\n", argv[1]);
    return 2;
  }
  std::printf("sites,lambda,alpha,realisations,test_theory,test,test_sem,train_theory,train,train_sem\n");
  for (const int64_t sites : {60, 120}) {
    ising::Experiment experiment(sites, 0.4, 7, 4);
    experiment.measure(1 << 17);
    for (const double lambda : {0.01, 0.1, 1.0})
      for (const double alpha : {2, 4, 8}) {
        const int64_t samples = std::lround(alpha * static_cast<double>(sites - 1));
        const ising::Losses theory = experiment.theory(samples, lambda);
        std::vector<double> test, train;
        for (int64_t r = 0; r < realisations; ++r) {
          const ising::Losses losses = experiment.realise(samples, lambda, 2048);
          test.push_back(losses.excess);
          train.push_back(losses.train);
        }
        const ising::Estimate tested = ising::estimate(test), trained = ising::estimate(train);
        std::printf("%d,%g,%g,%d,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", static_cast<int>(sites), lambda, alpha, static_cast<int>(realisations),
                    theory.excess, tested.mean, tested.error, theory.train, trained.mean, trained.error);
        std::fflush(stdout);
      }
  }
  return 0;
}
