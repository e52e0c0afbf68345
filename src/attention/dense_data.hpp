// SPDX-License-Identifier: MIT
// Sequences as the kernels of dense couplings want them: in pieces of a few thousand sequences, in tiles of 16 sites, and for every site
// the sequences of a piece sorted by colour. Made once for the training data.
//
// How many sequences a piece has depends on the shape alone, and every sum over sequences is made piece by piece: the numbers are the same
// for any number of threads.
#pragma once

#include "base/arena.hpp"
#include "simd/dense.hpp"

namespace atp {

struct DenseShape {
  int64_t count = 0, sites = 0;
  int64_t colors = 0;         // of the model
  bool gaps_ignored = false;  // colour 0 of the data is a gap, which is neither predicted nor adds to the logits; colour c of the model is
                              // c + 1 of the data

  int64_t data_colors() const { return colors + (gaps_ignored ? 1 : 0); }
  int64_t width() const { return dense_width(colors); }
  int64_t tiles() const { return (sites + kDenseTile - 1) / kDenseTile; }
  int64_t panel_rows() const { return kDenseTile * colors + 2; }  // of a tile; the last two are zero, and the first of them is the gap's
  int64_t pieces() const { return (count + kPiece - 1) / kPiece; }
  int64_t piece() const {  // sequences of a piece, a multiple of kDenseGroup
    const int64_t most = (count + pieces() - 1) / pieces();
    return (most + kDenseGroup - 1) / kDenseGroup * kDenseGroup;
  }
  int64_t first(int64_t p) const { return p * piece(); }
  int64_t size(int64_t p) const { return count - first(p) < piece() ? count - first(p) : piece(); }

  static constexpr int64_t kPiece = 4096;  // at most; eight times that must fit into 16 bits
};

// The names of panel rows of up to piece() sequences: codes [tiles][piece][16].
void write_codes(const DenseShape &shape, const uint8_t *sequences, int64_t count, uint16_t *codes);

class DenseData {
 public:
  explicit DenseData(const DenseShape &data_shape) : shape(data_shape) {}
  void lay_out(Arena &arena);
  void init(const uint8_t *sequences, const double *sequence_weights);

  const uint16_t *codes(int64_t p) const { return codes_.data() + p * shape.tiles() * shape.piece() * kDenseTile; }
  const uint16_t *list(int64_t p, int64_t site) const { return lists_.data() + (p * shape.sites + site) * shape.piece(); }
  const uint16_t *ends(int64_t p, int64_t site) const { return ends_.data() + (p * shape.sites + site) * shape.colors; }

  DenseShape shape;
  const double *weights = nullptr;                                  // of the alignment
  double predicted_weight = 0;                                      // sum over sequences of weight times sites that are predicted
  double site_weight(int64_t i) const { return site_weights_[i]; }  // of the sequences in which site i is predicted

 private:
  Span<uint16_t> codes_, lists_, ends_;
  Span<double> site_weights_;
};

}  // namespace atp
