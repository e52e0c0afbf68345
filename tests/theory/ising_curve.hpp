// SPDX-License-Identifier: MIT
// The learning curve of pseudo-likelihood for an Ising model, in theory and with samples, for test_ising_curve.cpp.
//
// Sherrington-Kirkpatrick model: spins x_i = +-1 (colours 1 and 0), J_ij ~ N(0, 1/L), P(x) ~ exp(beta sum_{i<j} J_ij x_i x_j), so that
// P(x_i = 1 | rest) = 1 / (1 + exp(-w*_i . x_rest)), w*_ij = 2 beta J_ij. With V(a, b) = +-1/2 factored attention has the same form, w_i =
// A_i, and its objective, loss + l2 |A|^2 per site and sequence, is the sum over sites of
//     (1/(M L)) [ sum_mu log(1 + exp(-x_mu,i w_i . x_mu)) + (lambda p / 2) |w_i|^2 ],   l2 = lambda p / (2 M L), p = L - 1.
// All sites are trained at once; what is compared are averages over sites of the excess E KL(P*(x_i | rest) | P_w(x_i | rest)).
#ifndef ATTOPOTTS_TESTS_ISING_CURVE_HPP
#define ATTOPOTTS_TESTS_ISING_CURVE_HPP

#include "math/linalg/blas.hpp"
#include "theory/replica/convex_curve.hpp"
#include "theory/replica/inputs.hpp"

#include <attopotts.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace ising {

inline std::size_t index_of(int64_t k) { return static_cast<std::size_t>(k); }

inline void must(atp_status status, const char *what) {
  if (status == ATP_OK) return;
  char text[512] = "";
  atp_last_error(text, sizeof text);
  std::fprintf(stderr, "%s: %s: %s\n", what, atp_status_name(status), text);
  std::abort();
}
#define ISING_MUST(call) ::ising::must((call), #call)

struct Estimate {
  double mean = 0, error = 0;  // of the mean
};

inline Estimate estimate(const std::vector<double> &x) {
  const double n = static_cast<double>(x.size());
  double sum = 0, square = 0;
  for (double v : x) sum += v;
  for (double v : x) square += (v - sum / n) * (v - sum / n);
  return {sum / n, std::sqrt(square / (n - 1) / n)};
}

// Averages over sites.
struct Losses {
  double excess, train;  // over the loss of w*: on fresh samples, and of w on its own samples
};

class Experiment {
 public:
  // Chains are read out every `thin` sweeps, first after `burn_in`.
  Experiment(int64_t n_sites, double beta, uint64_t seed, int64_t thin, int64_t burn_in = 200) : sites_(n_sites), thin_(thin) {
    ISING_MUST(atp_context_create(nullptr, nullptr, nullptr, &context_));
    atp_model *random = nullptr;
    ISING_MUST(atp_model_create_random(context_, sites_, 2, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_IDENTITY, static_cast<int64_t>(seed),
                                       &random));
    teacher_.resize(index_of(sites_ * sites_));
    ISING_MUST(atp_model_maps(random, teacher_.data(), sites_ * sites_));
    atp_model_destroy(random);
    for (double &w : teacher_) w *= 2 * beta;
    const int64_t shape[] = {sites_, 2, 1};
    ISING_MUST(atp_model_create_heads(context_, shape, teacher_.data(), kColors, nullptr, &model_));
    atp_options *options = nullptr;
    ISING_MUST(atp_options_create(context_, ATP_OWNER_SAMPLER, &options));
    ISING_MUST(atp_options_set_i64(options, ATP_OPT_SEED, static_cast<int64_t>(seed)));
    ISING_MUST(atp_options_set_i64(options, ATP_OPT_CHAINS, 1024));
    ISING_MUST(atp_sampler_create(context_, model_, options, &sampler_));
    atp_options_destroy(options);
    ISING_MUST(atp_sampler_sweep(sampler_, burn_in, nullptr, nullptr, nullptr));
  }
  Experiment(const Experiment &) = delete;
  Experiment &operator=(const Experiment &) = delete;
  ~Experiment() {
    atp_sampler_destroy(sampler_);
    atp_model_destroy(model_);
    atp_context_destroy(context_);
  }

  // Fresh samples, [n][L].
  std::vector<uint8_t> draw(int64_t n) {
    std::vector<uint8_t> x(index_of(n * sites_));
    ISING_MUST(atp_sampler_sample(sampler_, thin_, x.data(), n * sites_, nullptr, nullptr, nullptr));
    return x;
  }

  // Eigenvalues and projections of every site, from the covariance of so many fresh samples: of the other spins, and of the other spins
  // given that of the site, E x_j x_k - E x_i x_j E x_i x_k.
  void measure(int64_t samples) {
    std::vector<double> covariance(index_of(sites_ * sites_));
    const int64_t block = 8192;
    int64_t done = 0;
    for (; done < samples; done += block) {
      const std::vector<double> x = spins(draw(block));
      atp::gemm(true, false, sites_, sites_, block, 1, x.data(), sites_, x.data(), sites_, 1, covariance.data(), sites_);
    }
    for (double &c : covariance) c /= static_cast<double>(done);
    const int64_t p = sites_ - 1;
    std::vector<double> part(index_of(p * p)), w(index_of(p)), work(index_of(atp::replica::spectrum_workspace(p)));
    for (const bool given : {false, true}) {
      std::vector<double> &s = given ? given_s_ : s_, &t = given ? given_t_ : t_;
      s.resize(index_of(sites_ * p));
      t.resize(index_of(sites_ * p));
      for (int64_t i = 0; i < sites_; ++i) {
        for (int64_t j = 0; j < p; ++j) {
          const int64_t a = j + (j >= i);
          w[index_of(j)] = teacher_[index_of(i * sites_ + a)];
          for (int64_t k = 0; k < p; ++k) {
            const int64_t b = k + (k >= i);
            const double own = covariance[index_of(i * sites_ + a)] * covariance[index_of(i * sites_ + b)];
            part[index_of(j * p + k)] = covariance[index_of(a * sites_ + b)] - (given ? own : 0);
          }
        }
        atp::replica::spectrum(part.data(), w.data(), p, s.data() + i * p, t.data() + i * p, work.data());
      }
    }
  }

  // The theory, averaged over the sites; alpha is multiplied by `fault`. cavity: fields are normal given the spin, not on the whole.
  Losses theory(int64_t samples, double lambda, bool cavity, double fault = 1) const {
    std::vector<double> work(index_of(atp::replica::convex_workspace()));
    const int64_t p = sites_ - 1;
    const std::vector<double> &s = cavity ? given_s_ : s_, &t = cavity ? given_t_ : t_;
    const atp::replica::ConvexLoss loss{atp::replica::LossKind::logistic, 1, cavity};
    const atp::Span<double> space(work.data(), static_cast<int64_t>(work.size()));
    Losses mean{0, 0};
    for (int64_t i = 0; i < sites_; ++i) {
      const atp::replica::Spectrum spectrum{s.data() + i * p, t.data() + i * p, p, 0};
      const double alpha = fault * static_cast<double>(samples) / static_cast<double>(p);
      const atp::replica::Row row = atp::replica::solve_convex(spectrum, loss, alpha, lambda, 1000, space);
      if (row.outcome != ATP_OUTCOME_CONVERGED) return {NAN, NAN};
      const double optimum = atp::replica::optimal_convex(spectrum, loss, space);
      mean.excess += row.eg - optimum;
      mean.train += row.et - optimum;
    }
    return {mean.excess / static_cast<double>(sites_), mean.train / static_cast<double>(sites_)};
  }

  // Train on fresh samples, judge on `test` others.
  Losses realise(int64_t samples, double lambda, int64_t test) {
    atp_alignment *train = nullptr;
    atp_options *options = nullptr;
    atp_trainer *trainer = nullptr;
    const std::vector<uint8_t> x = draw(samples);
    ISING_MUST(atp_alignment_create(context_, x.data(), samples, sites_, 2, nullptr, &train));
    ISING_MUST(atp_options_create(context_, ATP_OWNER_TRAINER, &options));
    ISING_MUST(atp_options_set_i64(options, ATP_OPT_COLORS_FIXED, 1));
    ISING_MUST(atp_options_set_i64(options, ATP_OPT_PRECISION, 64));
    ISING_MUST(atp_options_set_i64(options, ATP_OPT_EPOCHS, kIterations));
    ISING_MUST(atp_options_set_f64(options, ATP_OPT_TOLERANCE, 1e-8));
    const double p = static_cast<double>(sites_ - 1), cells = static_cast<double>(samples * sites_);
    ISING_MUST(atp_options_set_f64(options, ATP_OPT_L2_COUPLINGS, lambda * p / (2 * cells)));
    ISING_MUST(atp_trainer_create(context_, train, options, &trainer));
    ISING_MUST(atp_trainer_set_values(trainer, kColors, 4));
    atp_outcome outcome = ATP_OUTCOME_NONE;
    ISING_MUST(atp_trainer_run(trainer, kIterations, nullptr, nullptr, &outcome));
    if (outcome != ATP_OUTCOME_CONVERGED) {
      std::fprintf(stderr, "training of %d samples ended with %s\n", static_cast<int>(samples), atp_outcome_name(outcome));
      std::abort();
    }
    std::vector<double> learned(index_of(sites_ * sites_));
    ISING_MUST(atp_trainer_parameters(trainer, learned.data(), sites_ * sites_));
    atp_trainer_destroy(trainer);
    atp_options_destroy(options);
    atp_alignment_destroy(train);
    return {excess(learned, draw(test)), excess_on(learned, x)};
  }

 private:
  static constexpr int64_t kIterations = 2000;
  static constexpr double kColors[4] = {0.5, -0.5, -0.5, 0.5};

  static double softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }
  std::vector<double> spins(const std::vector<uint8_t> &x) const {
    std::vector<double> y(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) y[k] = 2.0 * x[k] - 1;
    return y;
  }
  // w_i . x of all sites and sequences, [n][L].
  std::vector<double> fields(const std::vector<double> &w, const std::vector<double> &x) const {
    const int64_t n = static_cast<int64_t>(x.size()) / sites_;
    std::vector<double> h(x.size());
    atp::gemm(false, true, n, sites_, sites_, 1, x.data(), sites_, w.data(), sites_, 0, h.data(), sites_);
    return h;
  }
  // Fresh samples: the masked spin is averaged over exactly.
  double excess(const std::vector<double> &w, const std::vector<uint8_t> &sequences) const {
    const std::vector<double> x = spins(sequences), nu = fields(teacher_, x), h = fields(w, x);
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double up = 1 / (1 + std::exp(-nu[k]));
      sum += up * (softplus(-h[k]) - softplus(-nu[k])) + (1 - up) * (softplus(h[k]) - softplus(nu[k]));
    }
    return sum / static_cast<double>(x.size());
  }
  // The samples that w was learned from, against w* with the masked spin averaged over.
  double excess_on(const std::vector<double> &w, const std::vector<uint8_t> &sequences) const {
    const std::vector<double> x = spins(sequences), nu = fields(teacher_, x), h = fields(w, x);
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double up = 1 / (1 + std::exp(-nu[k]));
      sum += softplus(-x[k] * h[k]) - up * softplus(-nu[k]) - (1 - up) * softplus(nu[k]);
    }
    return sum / static_cast<double>(x.size());
  }

  int64_t sites_, thin_;
  atp_context *context_ = nullptr;
  atp_model *model_ = nullptr;
  atp_sampler *sampler_ = nullptr;
  std::vector<double> teacher_;                    // [L][L]
  std::vector<double> s_, t_, given_s_, given_t_;  // [L][p]
};

}  // namespace ising

#endif
