// SPDX-License-Identifier: MIT
#include "sample/chains.hpp"

#include "base/philox.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr int64_t kDenseShare = 32;  // groups that read a dense table together
constexpr int64_t kGap = 2048;       // floats between the work spaces of two threads: hardware prefetch runs past the end

}  // namespace

Chains::Chains(Context *owner, const GibbsShape &shape, int64_t lanes, uint64_t first_chain, uint64_t seed, bool followed)
    : context_(owner),
      shape_(shape),
      kernels_(gibbs_kernels(owner->target)),
      lanes_(round_up(lanes, kGibbsLanes)),
      first_chain_(first_chain),
      seed_(seed),
      followed_(followed),
      max_threads_(std::max<int>(owner->threads, default_threads())) {}

void Chains::lay_out(Arena &arena) {
  colors = arena.take<uint8_t>(lanes_, shape_.sites);
  scaled_betas = arena.take<float>(lanes_);
  energies = arena.take<double>(followed_ ? lanes_ : 0);
  work_stride_ = round_up(shape_.work_floats(share()), 16) + kGap;
  work_ = arena.take<float>(max_threads_, work_stride_);
}

int64_t Chains::share() const { return shape_.method == GibbsMethod::dense ? std::min(groups(), kDenseShare) : 1; }

Threads Chains::threads() const { return Threads(context_->threads).at_most(max_threads_); }

void Chains::start_random(int64_t first_group, int64_t end_group, uint64_t step) {
  for (int64_t r = first_group * kGibbsLanes; r < end_group * kGibbsLanes; ++r) {
    const RandomView random(seed_, Stream::start, first_chain_ + static_cast<uint64_t>(r), step);
    uint8_t *group = colors.data() + r / kGibbsLanes * shape_.sites * kGibbsLanes + r % kGibbsLanes;
    for (int64_t i = 0; i < shape_.sites; ++i)
      group[i * kGibbsLanes] = static_cast<uint8_t>(random.below(static_cast<uint64_t>(i), static_cast<uint32_t>(shape_.colors)));
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
  for (int64_t at = first_group; at < end_group; at += share()) {
    GibbsChains some;
    some.colors = colors.data() + at * shape_.sites * kGibbsLanes;
    some.scaled_betas = scaled_betas.data() + at * kGibbsLanes;
    some.energies = energies.empty() ? nullptr : energies.data() + at * kGibbsLanes;
    some.groups = std::min(share(), end_group - at);
    some.first_chain = first_chain_ + static_cast<uint64_t>(at * kGibbsLanes);
    kernel(tables, some, {seed_, first, count}, work_.data() + thread * work_stride_);
  }
}

}  // namespace atp
