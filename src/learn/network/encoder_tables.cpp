// SPDX-License-Identifier: MIT
#include "learn/network/encoder_tables.hpp"

namespace atp {

namespace {

void turn(int64_t rows, int64_t columns, const float *from, float *to) {
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r) to[c * rows + r] = from[r * columns + c];
}

}  // namespace

void EncoderTables::lay_out(Arena &arena, const EncoderWeights &weights) {
  const bool used = shape_.blocks == 1;
  const int64_t d = shape_.width, n = used ? columns() : 0, L = used ? padded_sites() : 0;
  terms_ = arena.take<float>((d + 1), n);
  masked_ = arena.take<float>((d + 1), L);
  key_value_ = arena.take<float>(2, d, n);
  values_turned_ = arena.take<float>(n, d);
  keys_turned_ = arena.take<float>(n, d);
  query_ = arena.take<float>(d, L);
  query_turned_ = arena.take<float>(L, d);
  scores_ = arena.take<float>(L, n);
  dscores_ = arena.take<float>(L, n);
  dscores_turned_ = arena.take<float>(L, n);
  dkey_value_ = arena.take<float>(2, d, n);
  dquery_ = arena.take<float>(d, L);
  dterms_ = arena.take<float>(d, n);
  dmasked_ = arena.take<float>(d, L);
  sums_ = arena.take<float>(used ? ((d + 1) * 3 * d + 3) / 4 * 4 * kEncoderLanes : 0);
  if (arena.measuring() || !used) return;
  const int64_t first = shape_.colors + 1;
  for (int64_t j = 0; j < shape_.sites; ++j) {
    for (int64_t r = 0; r < d; ++r) terms_[r * n + first + j] = weights.positions()[r * shape_.sites + j];
    terms_[d * n + first + j] = masked_[d * L + j] = 1;
  }
}

void EncoderTables::make(const EncoderTools &tools) {
  const int64_t d = shape_.width, n = columns(), L = padded_sites(), q = shape_.colors;
  const EncoderMatrices<const float> m = tools.weights.block(0);
  for (int64_t r = 0; r < d; ++r) {
    const float *token = tools.weights.table() + r * tools.weights.token_stride();
    std::copy_n(token, q + 1, terms_.data() + r * n);
    for (int64_t j = 0; j < shape_.sites; ++j) masked_[r * L + j] = token[q] + terms_[r * n + q + 1 + j];
  }
  tools.products.product(2 * d, d + 1, m.key_value, n, terms_.data(), nullptr, key_value_.data());
  tools.products.product(d, d + 1, m.query, L, masked_.data(), nullptr, query_.data());
  tools.products.product(L, d, query_.data(), n, key_value_.data(), nullptr, scores_.data());
  turn(d, n, values(), values_turned_.data());
}

void EncoderTables::pull_back(const EncoderTools &tools, const double *vectors, const double *plain, double *elements, double *tokens) {
  const int64_t d = shape_.width, n = columns(), L = padded_sites(), q = shape_.colors;
  float *dkeys = dkey_value_.data(), *dvalues = dkeys + d * n;
  for (int64_t x = 0; x < rows(); ++x)
    for (int64_t r = 0; r < d; ++r) dvalues[r * n + x] = static_cast<float>(vectors[x * d + r]);
  for (int64_t k = 0; k < plain_sums(); ++k) dscores_[k] = static_cast<float>(plain[k]);
  turn(L, n, dscores_.data(), dscores_turned_.data());
  turn(d, n, key_value_.data(), keys_turned_.data());
  turn(d, L, query_.data(), query_turned_.data());
  tools.products.product(d, L, query_turned_.data(), n, dscores_.data(), nullptr, dkeys);
  tools.products.product(d, n, keys_turned_.data(), L, dscores_turned_.data(), nullptr, dquery_.data());
  // Weights.
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  tools.products.outer(d + 1, d, L, masked_.data(), dquery_.data(), sums_.data());
  tools.products.outer(d + 1, 2 * d, n, terms_.data(), dkeys, sums_.data() + (d + 1) * d * kEncoderLanes);
  static_assert(sizeof(double) == 8);
  const int64_t weights = (d + 1) * 3 * d;  // weights of queries, then of key_value, in the order of the elements
  const int64_t fours = weights / 4 * 4;
  tools.kernels.reduce(fours, sums_.data(), elements);
  double rest[4] = {};
  if (fours < weights) tools.kernels.reduce(4, sums_.data() + fours * kEncoderLanes, rest);
  for (int64_t k = fours; k < weights; ++k) elements[k] += rest[k - fours];
  // Tokens. The masked token is in all queries, and in the input that the attention is added to.
  const float *qkv = tools.weights.transposed(0).qkv;
  tools.products.product(d, 2 * d, qkv + d * d, n, dkeys, nullptr, dterms_.data());
  tools.products.product(d, d, qkv, L, dquery_.data(), nullptr, dmasked_.data());
  for (int64_t r = 0; r < d; ++r) {
    double *to = tokens + r * tools.weights.token_stride();
    for (int64_t a = 0; a <= q; ++a) to[a] = static_cast<double>(dterms_[r * n + a]);
    double sum = vectors[rows() * d + r];
    for (int64_t i = 0; i < shape_.sites; ++i) sum += static_cast<double>(dmasked_[r * L + i]);
    to[q] += sum;
  }
}

}  // namespace atp
