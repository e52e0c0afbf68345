// SPDX-License-Identifier: MIT
// Prints learning curves of Ising models as CSV, for research/ising.py.
// Usage: theory_table_ising measured [REALISATIONS [SITES]]: beta = 0.4, one J for each L, both theories with its measured covariance.
//        theory_table_ising drawn BETA SITES J: one J (its seed) and one data set for each penalty and alpha.
#include "ising_curve.hpp"

#include <cstring>

namespace {

int measured(int64_t realisations, const std::vector<int64_t> &sizes) {
  std::printf("sites,lambda,alpha,realisations,test_normal,test_theory,test,test_sem,train_normal,train_theory,train,train_sem\n");
  for (const int64_t sites : sizes) {
    ising::Experiment experiment(sites, 0.4, 7, 4);
    experiment.measure(1 << 17);
    for (const double lambda : {0.01, 0.1, 1.0})
      for (const double alpha : {2, 4, 8}) {
        const int64_t samples = std::lround(alpha * static_cast<double>(sites - 1));
        const ising::Losses normal = experiment.theory(samples, lambda, false), theory = experiment.theory(samples, lambda, true);
        std::vector<double> test, train;
        for (int64_t r = 0; r < realisations; ++r) {
          const ising::Losses losses = experiment.realise(samples, lambda, 2048);
          test.push_back(losses.excess);
          train.push_back(losses.train);
        }
        const ising::Estimate tested = ising::estimate(test), trained = ising::estimate(train);
        std::printf("%d,%g,%g,%d,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", static_cast<int>(sites), lambda, alpha,
                    static_cast<int>(realisations), normal.excess, theory.excess, tested.mean, tested.error, normal.train, theory.train,
                    trained.mean, trained.error);
        std::fflush(stdout);
      }
  }
  return 0;
}

// Relaxation slows down towards beta = 1.
int drawn(double beta, int64_t sites, uint64_t seed) {
  const bool slow = beta > 0.7;
  ising::Experiment experiment(sites, beta, seed, slow ? 40 : 8, slow ? 1000 : 150);
  std::printf("beta,sites,model,lambda,alpha,samples,test,train\n");
  for (const double lambda : {0.01, 0.1})
    for (const double alpha : {2, 4}) {
      const int64_t samples = std::lround(alpha * static_cast<double>(sites - 1));
      const ising::Losses losses = experiment.realise(samples, lambda, 2048);
      std::printf("%g,%d,%d,%g,%g,%d,%.8f,%.8f\n", beta, static_cast<int>(sites), static_cast<int>(seed), lambda, alpha,
                  static_cast<int>(samples), losses.excess, losses.train);
    }
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  const int64_t realisations = argc > 2 ? std::atol(argv[2]) : 20, sites = argc > 3 ? std::atol(argv[3]) : 3;
  if (argc > 1 && std::strcmp(argv[1], "measured") == 0 && realisations >= 2 && sites >= 3)
    return measured(realisations, argc > 3 ? std::vector<int64_t>{sites} : std::vector<int64_t>{60, 120});
  if (argc == 5 && std::strcmp(argv[1], "drawn") == 0)
    return drawn(std::atof(argv[2]), std::atol(argv[3]), static_cast<uint64_t>(std::atol(argv[4])));
  std::fprintf(stderr,
               "usage: theory_table_ising measured [REALISATIONS [SITES]], at least 2 and 3, or theory_table_ising drawn BETA SITES J\n");
  return 2;
}
