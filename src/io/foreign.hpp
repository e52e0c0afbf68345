// SPDX-License-Identifier: MIT
// Files of other programs: detects those of models and scores, reads and writes those of models; docs/formats.md has the layouts.
#pragma once

#include "alignment/alignment.hpp"
#include "alignment/alphabet.hpp"
#include "io/fields.hpp"
#include "potts/model.hpp"

#include <cstring>

namespace atp {

enum class Foreign {
  none,
  plmc_model,
  plmc_couplings,
  ccmpred_raw,
  ccmpred_braw,
  ccmpred_matrix,
  adabm_letters,
  adabm_integers,
  gremlin,
  evcouplings
};

// The format, from the first bytes of a file (64 KiB, or all of it) and its size. None for formats that
// content_of() detects: HDF5, FASTA, whole numbers.
Foreign foreign_content(Span<const char> head, int64_t size);

// "plmc-model", "plmc-couplings", "ccmpred-raw", "ccmpred-braw", "ccmpred-matrix", "adabm" (letters), "bmdca" (integers),
// "gremlin-mrf", "evcouplings-scores"; "" for none.
const char *foreign_name(Foreign content);

// Models in plmc's binary format. The file has no signature. It is detected by its size, which must match its first numbers to the byte.
enum class PlmcVersion { none, v1, v2 };
constexpr int64_t kPlmcHead = 40 + kMaxColors;  // bytes that suffice to detect the format

// The version of a file of `size` bytes, from its first kPlmcHead bytes (or all of them).
PlmcVersion plmc_version(Span<const char> head, int64_t size);

// The largest size of a file with this head; 0 if no plmc file begins like this.
int64_t longest_plmc(Span<const char> head);

// Throws ATP_E_FORMAT with the reason why a file of `size` bytes with this head is not a plmc file.
[[noreturn]] void fail_plmc(const Text &head, int64_t size);

// Throws ATP_E_FORMAT with sizes or a byte position, or ATP_E_NOT_FINITE.
Model *parse_plmc(Context &context, const Text &file);

// Writes version 2. The alignment gives frequencies and weights. It has the model's sites, and its colours or
// one more at the beginning, the gap. Throws ATP_E_CONFLICT (no alphabet, or different ones), ATP_E_SHAPE,
// ATP_E_VALUE (a number that does not fit into float32 or int32).
void write_plmc(Context &context, const Model &model, const Alignment &alignment, const char *path);

// Raw models of CCMpred. They are only for proteins: 21 symbols in CCMpred's order, without a field of the gap.
//
// The alphabet of the model is "protein", the field of the gap is 0. Throws ATP_E_FORMAT with the line, ATP_E_NOT_FINITE.
Model *parse_ccmpred_raw(Context &context, const Text &file);

// Shifts the fields so that the gap's is 0. A model without a gap gets one without couplings. Throws
// ATP_E_CONFLICT if the symbols are not those of proteins.
void write_ccmpred_raw(Context &context, const Model &model, const char *path);

// Models that CCMpred and CCMgen write as msgpack (-b, "braw"), through the headers of msgpack. They hold what CCMpred's raw text holds. A
// build without msgpack throws ATP_E_UNSUPPORTED.
//
// Whether a file is a map of msgpack whose first key is one of this format's, from its first bytes; also without msgpack.
bool is_braw(Span<const char> head);

// As parse_ccmpred_raw(). Reads the file twice: all sizes are checked before the model is made, and the file has a byte at least for each
// of its numbers. Throws ATP_E_FORMAT, ATP_E_NOT_FINITE.
Model *parse_braw(Context &context, const Text &file);

// As write_ccmpred_raw(), in float64.
void write_braw(Context &context, const Model &model, const char *path);

// Text models of the adabmDCA family and bmDCA, "J i j a b value" and "h i a value".
enum class AdabmSymbols { letters, integers };

// alphabet may be NULL: letters must then be exactly those of "protein", "rna" or "dna", and integers have no symbols. Before the model is
// made, all numbers are checked, and duplicates are rejected. A file may omit couplings that are 0, so a model may be much larger than its
// file: 64 times, or up to 1 GiB. Throws ATP_E_FORMAT with the line, ATP_E_NOT_FINITE, ATP_E_CONFLICT (letters of no named alphabet, and
// none given), ATP_E_ALPHABET, ATP_E_TOO_LARGE.
Model *parse_adabm(Context &context, const Text &file, AdabmSymbols symbols, const char *alphabet);

// Omits couplings that are 0. Throws ATP_E_CONFLICT if letters are requested and the model has no alphabet.
void write_adabm(Context &context, const Model &model, AdabmSymbols symbols, const char *path);

// Models of GREMLIN_CPP, options -mrf_o and -mrf_i: lines 'V[i] fields' and 'W[i][j] couplings'.
//
// Whether a line begins like one of fields: 'V[i]' and a number.
bool is_gremlin_line(FieldReader reader);

// The number of states names the alphabet, protein, rna or -01; with `alphabet` (NULL: none) 5 states may be those of dna. Sites are
// numbered i + 1. Pairs that are not in the file have no couplings. Throws ATP_E_FORMAT with the line, ATP_E_NOT_FINITE, ATP_E_CONFLICT.
Model *parse_gremlin(Context &context, const Text &file, const char *alphabet);

// A model without a gap gets one without field and couplings. Throws ATP_E_CONFLICT for other symbols.
void write_gremlin(Context &context, const Model &model, const char *path);

// The rest of this header is what the readers and writers share.

// The order of the symbols of a file against that of an alphabet: the colour of each symbol of a file; -1 if the alphabet ("": none) lacks
// it.
struct StateOrder {
  StateOrder(const char *symbols, const char *alphabet) : states(static_cast<int64_t>(std::strlen(symbols))) {
    for (int64_t s = 0; s < states; ++s) {
      const char *found = alphabet[0] == 0 ? nullptr : std::strchr(alphabet, symbols[s]);
      color[s] = found == nullptr ? -1 : found - alphabet;
      known += found == nullptr ? 0 : 1;
    }
  }
  // Whether the alphabet has all these symbols and no others.
  bool same(const char *alphabet) const { return known == states && static_cast<int64_t>(std::strlen(alphabet)) == states; }
  // The same, but for the last symbol, the gap.
  bool gapless(const char *alphabet) const {
    return known == states - 1 && color[states - 1] < 0 && static_cast<int64_t>(std::strlen(alphabet)) == states - 1;
  }

  int64_t states, known = 0;
  int64_t color[kMaxSymbols];
};

// The part of a model that formats with couplings of pairs i < j and no temperature can store: parameters with the same P(s) at beta = 1
// and symmetric couplings, C_ij(a, b) = C_ji(b, a):
//     J_ij(a, b) = beta (C_ij(a, b) + C_ji(b, a)) / 2,    h_i(a) = beta b_i(a).
class SymmetricView {
 public:
  explicit SymmetricView(const Model &model) : model_(model) {}
  int64_t sites() const { return model_.sites(); }
  int64_t colors() const { return model_.colors(); }
  double field(int64_t i, int64_t a) const { return model_.fields.empty() ? 0 : model_.beta * model_.fields[i * colors() + a]; }
  double coupling(int64_t i, int64_t j, int64_t a, int64_t b) const {
    return model_.beta * (0.5 * model_.coupling(i, j, a, b) + 0.5 * model_.coupling(j, i, b, a));
  }

 private:
  const Model &model_;
};

// Logs a warning if the couplings of a model that is written to `path` are not symmetric, so that its conditionals change.
void warn_asymmetric(const Context &context, const Model &model, const char *path);

// Throws ATP_E_TOO_LARGE if a small text, in which couplings may be missing, would make a huge model.
void check_proportion(const Text &file, int64_t L, int64_t q);

// Sets C_ij(a, b) and C_ji(b, a) of a dense model.
inline void set_symmetric(Model &model, int64_t i, int64_t j, int64_t a, int64_t b, double value) {
  const int64_t L = model.sites(), q = model.colors();
  model.couplings[((i * L + j) * q + a) * q + b] = value;
  model.couplings[((j * L + i) * q + b) * q + a] = value;
}

// What CCMpred's two formats of models hold: the fields of 20 residues and couplings of 21 symbols, in its order.
constexpr char kCcmpredSymbols[] = "ARNDCQEGHILKMFPSTWYV-";
constexpr int64_t kCcmpredStates = 21, kCcmpredFields = 20;  // the gap has no field

// The numbers that are written of a model: at each site the field of the gap is subtracted from all. Of a model without a gap those of
// the gap are 0.
class CcmpredNumbers {
 public:
  // Throws ATP_E_CONFLICT if the symbols are not those of proteins; logs a warning if the couplings are not symmetric.
  CcmpredNumbers(const Context &context, const Model &model, const char *path);
  int64_t sites() const { return view_.sites(); }
  double field(int64_t i, int64_t s) const { return view_.field(i, order_.color[s]) - gap_field(i); }
  double coupling(int64_t i, int64_t j, int64_t s, int64_t t) const {
    const int64_t a = order_.color[s], b = order_.color[t];
    return a < 0 || b < 0 ? 0 : view_.coupling(i, j, a, b);
  }
  // Logs a warning where the numbers are not the model's; after the file was written.
  void report(const Context &context, const char *path) const;

 private:
  double gap_field(int64_t i) const { return gap() < 0 ? 0 : view_.field(i, gap()); }
  int64_t gap() const { return order_.color[kCcmpredFields]; }
  SymmetricView view_;
  StateOrder order_;
};

}  // namespace atp
