// SPDX-License-Identifier: MIT
// Counts of pairs of colours, as Boltzmann learning needs them in each step: the kernel against its scalar reference. A pair is two sites
// of one sequence.
#include "ratios.hpp"
#include "simd/gibbs.hpp"
#include "simd/pair_counts.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <random>

namespace ratios {

namespace {

class PairCounts : public Case {
 public:
  PairCounts(int64_t sequences, int64_t sites, int colors) : counter_({sequences, sites, colors}, 1), target_(atp::initial_target()) {
    const std::size_t bytes = static_cast<std::size_t>(atp::round_up(static_cast<int64_t>(atp::bytes_laid_out(counter_)), 64));
    memory_.reset(std::aligned_alloc(64, bytes));
    if (memory_ == nullptr) throw std::bad_alloc();
    std::memset(memory_.get(), 0, bytes);
    atp::Arena arena(memory_.get(), bytes);
    counter_.lay_out(arena);
    set_sequences();
    counts_.resize(static_cast<std::size_t>(counter_.count_size(0)));
    for (int64_t i = 0; i < sites; ++i) {
      counter_.count_site(target_, i, 0, counts_.data());
      const std::vector<uint32_t> found = counts_;
      counter_.count_site(atp::Target::scalar, i, 0, counts_.data());
      if (found != counts_) throw std::runtime_error("pair counts: the kernel and the reference differ");
    }
  }
  double ours() override { return count(target_); }
  double reference() override { return count(atp::Target::scalar); }

 private:
  struct Free {
    void operator()(void *p) const { std::free(p); }
  };

  // Site i has one colour in a fraction x y of the sequences, x and y uniform, and random colours otherwise.
  void set_sequences() {
    const atp::PairCountShape &shape = counter_.shape();
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::uniform_int_distribution<int> any(0, shape.colors - 1);
    std::vector<double> kept(static_cast<std::size_t>(shape.sites));
    for (double &x : kept) x = uniform(random) * uniform(random);
    std::vector<uint8_t> sequence(kept.size());
    for (int64_t n = 0; n < shape.sequences; ++n) {
      for (std::size_t i = 0; i < sequence.size(); ++i)
        sequence[i] = static_cast<uint8_t>(uniform(random) < kept[i] ? static_cast<int>(i) % shape.colors : any(random));
      counter_.set_sequences(n, 1, sequence.data());
    }
  }
  double count(atp::Target target) {
    const atp::PairCountShape &shape = counter_.shape();
    for (int64_t i = 0; i < shape.sites; ++i) counter_.count_site(target, i, 0, counts_.data());
    return 0.5 * static_cast<double>(shape.sequences) * static_cast<double>(shape.sites * (shape.sites - 1));
  }

  atp::PairCounter counter_;
  atp::Target target_;
  std::unique_ptr<void, Free> memory_;
  std::vector<uint32_t> counts_;
};

}  // namespace

std::vector<Entry> pair_cases() {
  return {
      {"pairs_L108_q5_N10000", "pairs/s", false,
       [](atp_context *) -> std::unique_ptr<Case> { return std::make_unique<PairCounts>(10000, 108, 5); }},
      {"pairs_L66_q21_N10000", "pairs/s", false,
       [](atp_context *) -> std::unique_ptr<Case> { return std::make_unique<PairCounts>(10000, 66, 21); }},
      {"pairs_L159_q21_N10000", "pairs/s", false,
       [](atp_context *) -> std::unique_ptr<Case> { return std::make_unique<PairCounts>(10000, 159, 21); }},
  };
}

}  // namespace ratios
