// SPDX-License-Identifier: MIT
#include "reference.hpp"

#include <algorithm>
#include <cmath>

namespace reference {

namespace {

std::vector<uint8_t> random_state(int64_t sites, int64_t colors, std::mt19937_64 &random) {
  std::uniform_int_distribution<int> any(0, static_cast<int>(colors) - 1);
  std::vector<uint8_t> state(static_cast<std::size_t>(sites));
  for (uint8_t &s : state) s = static_cast<uint8_t>(any(random));
  return state;
}

// Draw a colour with probability proportional to exp(beta field); field is overwritten.
uint8_t draw(double *field, int64_t colors, double beta, std::mt19937_64 &random) {
  const double highest = *std::max_element(field, field + colors);
  double sum = 0;
  for (int64_t a = 0; a < colors; ++a) sum += field[a] = std::exp(beta * (field[a] - highest));
  double u = std::uniform_real_distribution<double>(0, sum)(random);
  int64_t a = 0;
  while (a < colors - 1 && u >= field[a]) u -= field[a++];
  return static_cast<uint8_t>(a);
}

}  // namespace

FactoredGibbs::FactoredGibbs(int64_t sites, int64_t colors, std::vector<double> couplings, std::vector<double> color_matrix, double beta,
                             uint64_t seed)
    : sites_(sites), colors_(colors), couplings_(std::move(couplings)), color_matrix_(std::move(color_matrix)), beta_(beta), random_(seed) {
  state_ = random_state(sites, colors, random_);
}

void FactoredGibbs::sweep() {
  double field[256];
  for (int64_t i = 0; i < sites_; ++i) {
    const double *row = couplings_.data() + i * sites_;
    for (int64_t a = 0; a < colors_; ++a) {
      const double *matrix = color_matrix_.data() + a * colors_;
      field[a] = 0;
      for (int64_t j = 0; j < sites_; ++j) field[a] += row[j] * matrix[state_[static_cast<std::size_t>(j)]];
    }
    state_[static_cast<std::size_t>(i)] = draw(field, colors_, beta_, random_);
  }
}

DenseGibbs::DenseGibbs(int64_t sites, int64_t colors, const std::vector<double> &couplings, double beta, uint64_t seed)
    : sites_(sites), colors_(colors), couplings_(couplings.size()), beta_(beta), random_(seed) {
  for (int64_t pair = 0; pair < sites * sites; ++pair)
    for (int64_t a = 0; a < colors; ++a)
      for (int64_t b = 0; b < colors; ++b)
        couplings_[static_cast<std::size_t>((pair * colors + b) * colors + a)] =
            couplings[static_cast<std::size_t>((pair * colors + a) * colors + b)];
  state_ = random_state(sites, colors, random_);
}

void DenseGibbs::sweep() {
  double field[256];
  for (int64_t i = 0; i < sites_; ++i) {
    std::fill(field, field + colors_, 0.0);
    for (int64_t j = 0; j < sites_; ++j) {
      const double *row = couplings_.data() + ((i * sites_ + j) * colors_ + state_[static_cast<std::size_t>(j)]) * colors_;
      for (int64_t a = 0; a < colors_; ++a) field[a] += row[a];
    }
    state_[static_cast<std::size_t>(i)] = draw(field, colors_, beta_, random_);
  }
}

ListGibbs::ListGibbs(int64_t sites, int64_t colors, const std::vector<int64_t> &pairs, double beta, uint64_t seed)
    : colors_(colors), neighbors_(static_cast<std::size_t>(sites)), beta_(beta), random_(seed) {
  for (std::size_t k = 0; k < pairs.size(); k += 2) {
    neighbors_[static_cast<std::size_t>(pairs[k])].push_back(pairs[k + 1]);
    neighbors_[static_cast<std::size_t>(pairs[k + 1])].push_back(pairs[k]);
  }
  state_ = random_state(sites, colors, random_);
}

void ListGibbs::sweep() {
  double field[256];
  for (std::size_t i = 0; i < state_.size(); ++i) {
    std::fill(field, field + colors_, 0.0);
    for (const int64_t j : neighbors_[i]) field[state_[static_cast<std::size_t>(j)]] += 1;
    state_[i] = draw(field, colors_, beta_, random_);
  }
}

}  // namespace reference
