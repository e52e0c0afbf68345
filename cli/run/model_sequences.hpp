// SPDX-License-Identifier: MIT
// All sequences of a file in a model's colours, with ATP_MISSING where the model has no such colour.
#pragma once

#include "run/files.hpp"
#include "run/session.hpp"

#include <string>

namespace cli {

struct ModelSequences {
  Alignment data;               // as read: names, weights
  std::vector<uint8_t> values;  // [N][L], colours of the model or ATP_MISSING
  bool gaps_missing = false;    // the data have one colour more, the gap, than the model
  int64_t missing = 0;          // sequences with a missing site
  int64_t count() const { return atp_alignment_count(data.get()); }
  const uint8_t *row(int64_t n) const { return values.data() + n * atp_alignment_sites(data.get()); }
};

// What a table has of the sequences: a row for each, a row for each beside sums by their weights, or sums alone. Flags that weigh sequences
// are refused with the first, flags that leave some out with the first two.
enum class SequenceUse { rows, weighed_rows, sums };

// Reads sequences for a model. If its alphabet has no gap (it was learned with gaps as missing data), gaps in the file are missing sites.
ModelSequences read_model_sequences(const Session &session, const std::string &label, const std::string &path, const DataFlags &flags,
                                    const Rows &rows, const atp_model *model, SequenceUse use = SequenceUse::rows);

// Weighted frequencies without pseudocount: [L][q], or of residues alone [L][q - 1].
std::vector<double> frequencies_of(const Alignment &data, bool gaps_missing);

// The alphabet for reading sequences: the model's own, with a gap in front if it was learned without gaps.
std::string data_alphabet(const atp_model *model);
// Whether a model was learned without gaps and this is the alphabet, or its name, of the sequences: "protein".
bool names_data_alphabet(const std::string &name, const atp_model *model);
// The symbol of a colour, or its number if the model has no alphabet.
std::string color_name(const atp_model *model, int64_t color);

// Sequences with more columns than a model: the columns that the model stands for.

// The sequences with the model's sites, if they can be found among their columns (atp_alignment_for_model()); a message says so. Other
// sequences are returned as they are: the caller compares their number of sites with the model's.
Alignment onto_model(const Session &session, const std::string &label, const std::string &path, Alignment data, const atp_model *model);
// The same with the sites of another alignment.
Alignment onto_alignment(const Session &session, const std::string &label, const std::string &path, Alignment data,
                         const atp_alignment *other);

// The end of a message on a wrong number of sites: " (or 66, ...)" if columns were removed before the model was learned, else "".
std::string columns_hint(const atp_model *model);

}  // namespace cli
