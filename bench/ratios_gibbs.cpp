// SPDX-License-Identifier: MIT
// Gibbs sampling: site updates per second through the public API.
#include "ratios.hpp"
#include "reference.hpp"

#include <algorithm>

namespace ratios {

namespace {

constexpr double kBeta = 1.0;

struct Model {
  ~Model() { atp_model_destroy(handle); }
  atp_model *handle = nullptr;
};

// A random model of the library and a sampler of it, many chains; the reference gets the same couplings and runs one chain.
template <class Reference>
class GibbsCase : public Case {
 public:
  ~GibbsCase() override { atp_sampler_destroy(sampler_); }
  double ours() override {
    check(atp_sampler_sweep(sampler_, sweeps_, nullptr, nullptr, nullptr));
    return static_cast<double>(sweeps_ * chains_ * sites_);
  }
  double reference() override {
    reference_->sweep();
    return static_cast<double>(sites_);
  }

 protected:
  GibbsCase(int64_t sites, int64_t chains) : sites_(sites), chains_(chains), sweeps_(std::max<int64_t>(1, 40000 / (sites * chains) * 8)) {}
  void make_sampler(atp_context *context, const atp_model *model) {
    atp_options *options = nullptr;
    check(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
    check(atp_options_set_i64(options, ATP_OPT_CHAINS, chains_));
    check(atp_options_set_f64(options, ATP_OPT_BETA, kBeta));
    const atp_status status = atp_sampler_create(context, model, options, &sampler_);
    atp_options_destroy(options);
    check(status);
    check(atp_sampler_sweep(sampler_, 5, nullptr, nullptr, nullptr));
  }
  int64_t sites_, chains_, sweeps_;
  atp_sampler *sampler_ = nullptr;
  std::unique_ptr<Reference> reference_;
};

class Factored : public GibbsCase<reference::FactoredGibbs> {
 public:
  Factored(atp_context *context, int64_t sites, int64_t colors, int64_t chains) : GibbsCase(sites, chains) {
    Model model;
    check(atp_model_create_random(context, sites, colors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model.handle));
    std::vector<double> maps(static_cast<std::size_t>(sites * sites)), values(static_cast<std::size_t>(colors * colors));
    check(atp_model_maps(model.handle, maps.data(), sites * sites));
    check(atp_model_values(model.handle, values.data(), colors * colors));
    make_sampler(context, model.handle);
    reference_ = std::make_unique<reference::FactoredGibbs>(sites, colors, maps, values, kBeta, 1);
  }
};

class Dense : public GibbsCase<reference::DenseGibbs> {
 public:
  Dense(atp_context *context, int64_t sites, int64_t colors, int64_t chains) : GibbsCase(sites, chains) {
    const std::size_t n = static_cast<std::size_t>(sites * sites * colors * colors);
    std::vector<double> couplings(n);
    Model random, dense;
    check(atp_model_create_random(context, sites, colors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &random.handle));
    check(atp_model_couplings_f64(random.handle, couplings.data(), static_cast<int64_t>(n)));
    check(atp_model_create_dense_f64(context, sites, colors, couplings.data(), nullptr, &dense.handle));
    make_sampler(context, dense.handle);
    reference_ = std::make_unique<reference::DenseGibbs>(sites, colors, couplings, kBeta, 1);
  }
};

// A square lattice; with blocks the same couplings as matrices that are not J_ij U.
class Lattice : public GibbsCase<reference::ListGibbs> {
 public:
  Lattice(atp_context *context, int64_t extent, int64_t colors, bool blocks) : GibbsCase(extent * extent, 64) {
    sweeps_ = 20;
    atp_options *options = nullptr;
    Model lattice, other;
    check(atp_options_create(context, ATP_OWNER_LATTICE, &options));
    check(atp_options_set_i64(options, ATP_OPT_SIZE_X, extent));
    check(atp_options_set_i64(options, ATP_OPT_COLORS, colors));
    const atp_status status = atp_model_create_lattice(context, options, &lattice.handle);
    atp_options_destroy(options);
    check(status);
    const int64_t pairs = atp_model_pair_count(lattice.handle), shape[] = {sites_, colors, pairs};
    std::vector<int64_t> list(static_cast<std::size_t>(2 * pairs));
    std::vector<double> couplings(static_cast<std::size_t>(pairs * colors * colors));
    check(atp_model_pairs(lattice.handle, list.data(), 2 * pairs));
    check(atp_model_pair_couplings(lattice.handle, couplings.data(), pairs * colors * colors));
    couplings[0] += 1e-3;
    if (blocks) check(atp_model_create_pairs(context, shape, list.data(), couplings.data(), nullptr, nullptr, &other.handle));
    make_sampler(context, blocks ? other.handle : lattice.handle);
    reference_ = std::make_unique<reference::ListGibbs>(sites_, colors, list, kBeta, 1);
  }
};

}  // namespace

std::vector<Entry> gibbs_cases() {
  return {
      {"gibbs_factored_L20_q20", "site updates/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Factored>(c, 20, 20, 256); }},
      {"gibbs_factored_L256_q20", "site updates/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Factored>(c, 256, 20, 256); }},
      {"gibbs_dense_L100_q21", "site updates/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Dense>(c, 100, 21, 1024); }},
      // For bench/guard.py: couplings of 1.4 MB in the reference fit the second-level cache; 35 MB do not, and other programs slow it.
      {"gibbs_dense_L20_q21", "site updates/s", false,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Dense>(c, 20, 21, 1024); }},
      {"gibbs_lattice_32x32_q2", "site updates/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Lattice>(c, 32, 2, false); }},
      {"gibbs_lattice_32x32_q5", "site updates/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Lattice>(c, 32, 5, false); }},
      {"gibbs_lattice_32x32_q5_matrices", "site updates/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Lattice>(c, 32, 5, true); }},
  };
}

}  // namespace ratios
