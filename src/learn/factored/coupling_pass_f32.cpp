// SPDX-License-Identifier: MIT
#include "learn/factored/coupling_pass_f32.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr int64_t kBlocks = 64;  // at most: sums of dV
constexpr int64_t kApart = 32;   // floats between the work space of two threads

}  // namespace

// Nanoseconds for a site of a sequence on a 4 GHz processor with 512-bit vectors, see src/simd/README.md.
bool CouplingPassF32::pays(const DenseShape &shape, int64_t heads) {
  const double L = static_cast<double>(shape.sites), block = static_cast<double>(shape.block()), H = static_cast<double>(heads);
  const double attention = H * (0.06 * L + 0.045 * block);
  const double dense = L * (0.35 + 0.034 * static_cast<double>(shape.width()));
  const double products = 0.15 * (H + 4) * L * block / static_cast<double>(std::max<int64_t>(shape.count, 1));
  return dense + products < attention;
}

void CouplingPassF32::lay_out(Arena &arena, const DenseShape &shape, int64_t heads, int threads) {
  data_.shape = shape;
  heads_ = heads;
  stride_ = (shape.block() + kProjectionLanes - 1) / kProjectionLanes * kProjectionLanes;
  work_stride_ = product_of(shape.sites, stride_ + heads) + kApart;
  data_.lay_out(arena);
  AttentionInput sizes;
  sizes.sites = shape.sites;
  sizes.colors = shape.data_colors();
  sizes.heads = heads;
  blocks_.lay_out(arena, sizes, (shape.sites + kBlocks - 1) / kBlocks);
  passes_ = arena.take<DensePassF32>(threads);
  for (int t = 0; t < threads; ++t) {
    DensePassF32 pass;
    pass.lay_out(arena, shape);
    if (!arena.measuring()) passes_[t] = pass;
  }
  values_ = arena.take<float>(heads, stride_);
  value_sums_ = arena.take<float>(blocks_.count(), heads, stride_);
  work_ = arena.take<float>(threads, work_stride_);
}

void CouplingPassF32::init(const MaskedData &train) {
  sequences_ = train.sequences;
  data_.init(sequences_, train.weights);
}

bool CouplingPassF32::holds(const MaskedData &part) const {
  return laid_out() && part.sequences == sequences_ && part.count == data_.shape.count && part.rows == nullptr && part.masked == nullptr;
}

void CouplingPassF32::pack(const AttentionInput &input) {
  const int64_t q = data_.shape.colors, gap = input.colors - q;
  for (int64_t h = 0; h < heads_; ++h) {
    float *to = values_.data() + h * stride_;
    const double *from = input.values + h * input.colors * input.colors;
    for (int64_t b = 0; b < q; ++b)
      for (int64_t a = 0; a < q; ++a) to[b * q + a] = static_cast<float>(from[(a + gap) * input.colors + b + gap]);
  }
}

// The loss of site i; the pass has the derivatives by its couplings.
double CouplingPassF32::run_site(const Kernels &kernels, const AttentionInput &input, int64_t i, int thread, bool gradient) {
  const int64_t L = data_.shape.sites, q = data_.shape.colors, gap = input.colors - q;
  float *couplings = rows(thread), *maps = numbers(thread), fields[kMaxColors] = {};
  for (int64_t h = 0; h < heads_; ++h)
    for (int64_t j = 0; j < L; ++j) maps[h * L + j] = static_cast<float>(input.maps[(h * L + i) * L + j]);
  std::fill_n(couplings, L * stride_, 0.0F);
  kernels.products.accumulate(heads_, stride_, L, values_.data(), maps, couplings);
  for (int64_t a = 0; input.fields != nullptr && a < q; ++a) fields[a] = static_cast<float>(input.fields[i * input.colors + a + gap]);
  DensePassF32 &pass = passes_[thread];
  pass.put_fields(fields);
  for (int64_t j = 0; j < L; ++j)
    if (j != i) pass.put_block(j, couplings + j * stride_, 1, q);
  pass.clear_block(i);
  return pass.run(kernels.dense, data_, i, gradient);
}

// From the derivatives by the couplings of site i to those by its fields and maps and, in the sums of its block, by V.
void CouplingPassF32::add_site(const Kernels &kernels, const AttentionInput &input, int64_t i, int thread, const SiteRows &to) {
  const int64_t L = data_.shape.sites, q = data_.shape.colors, gap = input.colors - q;
  const DensePassF32 &pass = passes_[thread];
  float *slopes = rows(thread), *at = numbers(thread);
  if (to.fields != nullptr) {
    std::fill_n(to.field(i), gap, 0.0);
    pass.take_fields(to.field(i) + gap);
  }
  for (int64_t j = 0; j < L; ++j)
    if (j != i)
      pass.take_block(j, false, slopes + j * stride_, 1, q);
    else
      std::fill_n(slopes + j * stride_, stride_, 0.0F);
  kernels.products.project(L, stride_, heads_, slopes, values_.data(), at);
  for (int64_t h = 0; h < heads_; ++h)
    for (int64_t j = 0; j < L; ++j) {
      to.map(h, i)[j] = static_cast<double>(at[j * heads_ + h]);
      at[j * heads_ + h] = static_cast<float>(input.maps[(h * L + i) * L + j]);
    }
}

double CouplingPassF32::run(const Threads &threads, Target target, const AttentionInput &input, const MaskedData &part, double total_weight,
                            const AttentionSums &sums) {
  const Kernels kernels{dense_kernels(target), projection_kernels(target)};
  const int64_t L = data_.shape.sites;
  Ranks *ranks = blocks_.sharing(input, part, sums);
  const SiteRows rows_of = blocks_.rows(ranks, input, sums);
  pack(input);
  shared_for(ranks, threads, blocks_.count(), [&](int64_t block, int thread) {
    float *values = value_sums_.data() + block * heads_ * stride_;
    std::fill_n(values, heads_ * stride_, 0.0F);
    double loss = 0;
    for (int64_t i = blocks_.first(block, L); i < blocks_.first(block + 1, L); ++i) {
      loss += run_site(kernels, input, i, thread, sums.gradient());
      if (!sums.gradient()) continue;
      add_site(kernels, input, i, thread, rows_of);
      if (sums.values != nullptr) kernels.products.accumulate(L, stride_, heads_, rows(thread), numbers(thread), values);
    }
    blocks_.loss(block) = loss;
    if (sums.values != nullptr) write_values(block, input.colors);
  });
  return blocks_.add_up(ranks, input, part, total_weight, sums);
}

void CouplingPassF32::write_values(int64_t block, int64_t colors) const {
  const int64_t q = data_.shape.colors, gap = colors - q;
  std::fill_n(blocks_.value_sums(block), heads_ * colors * colors, 0.0);
  for (int64_t h = 0; h < heads_; ++h) {
    const float *from = value_sums_.data() + (block * heads_ + h) * stride_;
    double *to = blocks_.value_sums(block) + h * colors * colors;
    for (int64_t b = 0; b < q; ++b)
      for (int64_t a = 0; a < q; ++a) to[(a + gap) * colors + b + gap] = static_cast<double>(from[b * q + a]);
  }
}

}  // namespace atp
