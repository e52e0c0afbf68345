// SPDX-License-Identifier: MIT
#include "sample/chains.hpp"

#include "base/philox.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr int64_t kDenseShare = 32;  // groups that read a dense table together
constexpr int64_t kListShare = 4;    // groups that visit the sites of a list together
constexpr int64_t kGap = 2048;       // floats between the work spaces of two threads: hardware prefetch runs past the end

}  // namespace

Chains::Chains(Context *owner, const GibbsShape &shape, int64_t lanes, uint64_t first_chain, uint64_t seed, bool followed, bool referred)
    : context_(owner),
      shape_(shape),
      kernels_(gibbs_kernels(owner->target)),
      lanes_(round_up(lanes, kGibbsLanes)),
      first_chain_(first_chain),
      seed_(seed),
      followed_(followed),
      referred_(referred),
      max_threads_(std::max<int>(owner->threads, default_threads())) {}

void Chains::lay_out(Arena &arena) {
  colors = arena.take<uint8_t>(lanes_, shape_.sites);
  scaled_betas = arena.take<float>(lanes_);
  energies = arena.take<double>(followed_ ? lanes_ : 0);
  references = arena.take<uint8_t>(referred_ ? lanes_ : 0, shape_.sites);
  distances = arena.take<int32_t>(referred_ ? lanes_ : 0);
  work_stride_ = round_up(shape_.work_floats(share()), 16) + kGap;
  work_ = arena.take<float>(max_threads_, work_stride_);
}

int64_t Chains::share() const {
  return std::min(groups(), shape_.method == GibbsMethod::dense ? kDenseShare : shape_.of_list() ? kListShare : 1);
}

Threads Chains::threads() const { return Threads(context_->threads).at_most(max_threads_); }

void Chains::start_random(int64_t first_group, int64_t end_group, uint64_t step) {
  for (int64_t r = first_group * kGibbsLanes; r < end_group * kGibbsLanes; ++r) {
    const RandomView random(seed_, Stream::start, first_chain_ + static_cast<uint64_t>(r), step);
    uint8_t *group = colors.data() + r / kGibbsLanes * shape_.sites * kGibbsLanes + r % kGibbsLanes;
    for (int64_t i = 0; i < shape_.sites; ++i) {
      const auto number = static_cast<uint64_t>(i);
      group[i * kGibbsLanes] = limits == nullptr ? static_cast<uint8_t>(random.below(number, static_cast<uint32_t>(shape_.colors)))
                                                 : limits->allowed[i * shape_.colors + random.below(number, limits->counts[i])];
    }
  }
}

void Chains::leave_references(uint64_t step) {
  const int64_t L = shape_.sites;
  for (int64_t r = 0; r < lanes_; ++r) {
    const RandomView random(seed_, Stream::start, first_chain_ + static_cast<uint64_t>(r), step);
    uint8_t *group = colors.data() + r / kGibbsLanes * L * kGibbsLanes + r % kGibbsLanes;
    const auto free = [&](int64_t i) { return limits->draws(i) && group[i * kGibbsLanes] != limits->kept; };
    int64_t left = 0;
    for (int64_t i = 0; i < L; ++i) left += free(i);
    int64_t wanted = limits->most < 0 ? left : std::min<int64_t>(left, limits->most);
    for (int64_t i = 0; i < L; ++i) {
      if (!free(i)) continue;
      const auto number = static_cast<uint64_t>(2 * i);
      const bool chosen = random.below(number, static_cast<uint32_t>(left--)) < wanted;
      if (!chosen) continue;
      --wanted;
      group[i * kGibbsLanes] = limits->allowed[i * shape_.colors + random.below(number + 1, limits->counts[i])];
    }
  }
}

void Chains::refer() {
  std::copy(colors.begin(), colors.begin() + references.size(), references.begin());
  std::fill(distances.begin(), distances.end(), 0);
}

void Chains::measure() {
  const int64_t L = shape_.sites;
  for (int64_t r = 0; r < distances.size(); ++r) {
    const int64_t first = r / kGibbsLanes * L * kGibbsLanes + r % kGibbsLanes;
    distances[r] = 0;
    for (int64_t i = 0; i < L; ++i) distances[r] += colors[first + i * kGibbsLanes] != references[first + i * kGibbsLanes];
  }
}

void Chains::put(int64_t lane, const uint8_t *sequence) {
  uint8_t *group = colors.data() + lane / kGibbsLanes * shape_.sites * kGibbsLanes + lane % kGibbsLanes;
  for (int64_t i = 0; i < shape_.sites; ++i) group[i * kGibbsLanes] = sequence[site_at(i)];
}

void Chains::get(int64_t lane, uint8_t *sequence) const {
  const uint8_t *group = colors.data() + lane / kGibbsLanes * shape_.sites * kGibbsLanes + lane % kGibbsLanes;
  for (int64_t i = 0; i < shape_.sites; ++i) sequence[site_at(i)] = group[i * kGibbsLanes];
}

void Chains::sweep(const GibbsTables &tables, int64_t first, int64_t count, int64_t first_group, int64_t end_group, int thread) {
  const GibbsKernel kernel = kernels_.of(shape_.method);
  GibbsTables within = tables;
  within.limits = limits;
  for (int64_t at = first_group; at < end_group; at += share()) {
    GibbsChains some;
    some.colors = colors.data() + at * shape_.sites * kGibbsLanes;
    some.scaled_betas = scaled_betas.data() + at * kGibbsLanes;
    some.energies = energies.empty() ? nullptr : energies.data() + at * kGibbsLanes;
    some.groups = std::min(share(), end_group - at);
    if (referred_) {
      some.references = references.data() + at * shape_.sites * kGibbsLanes;
      some.distances = distances.data() + at * kGibbsLanes;
    }
    some.first_chain = first_chain_ + static_cast<uint64_t>(at * kGibbsLanes);
    kernel(within, some, {seed_, first, count}, work_.data() + thread * work_stride_);
  }
}

}  // namespace atp
