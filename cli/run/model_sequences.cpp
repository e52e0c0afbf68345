// SPDX-License-Identifier: MIT
#include "run/model_sequences.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace cli {

namespace {

// Whether a model was learned without gaps: its alphabet begins with a letter or digit and has no '-'.
bool without_gap(const std::string &alphabet) {
  return !alphabet.empty() && std::isalnum(static_cast<unsigned char>(alphabet[0])) != 0 && alphabet.find('-') == std::string::npos;
}

}  // namespace

std::string data_alphabet(const atp_model *model) {
  const std::string own = atp_model_alphabet(model);
  return without_gap(own) ? "-" + own : own;
}

bool names_data_alphabet(const std::string &name, const atp_model *model) {
  const std::string with_gap = data_alphabet(model);
  if (with_gap == atp_model_alphabet(model)) return false;
  const uint8_t two_sites[2] = {0, 0};
  Alignment named;
  check(atp_alignment_create(atp_model_context(model), two_sites, 1, 2, static_cast<int64_t>(with_gap.size()), nullptr, out(named)));
  return atp_alignment_set_alphabet(named.get(), name.c_str()) == ATP_OK && atp_alignment_alphabet(named.get()) == with_gap;
}

std::string color_name(const atp_model *model, int64_t color) {
  const std::string alphabet = atp_model_alphabet(model);
  return alphabet.empty() ? fmt::format("{}", color) : alphabet.substr(static_cast<std::size_t>(color), 1);
}

ModelSequences read_model_sequences(const Session &session, const std::string &label, const std::string &path, const DataFlags &flags,
                                    const Rows &rows, const atp_model *model, SequenceUse use) {
  if (use != SequenceUse::sums) flags.require_all_rows(use == SequenceUse::weighed_rows);
  const std::string own = atp_model_alphabet(model);
  const int64_t sites = atp_model_sites(model), colors = atp_model_colors(model);
  DataFlags input = flags;
  if (input.alphabet.empty()) input.alphabet = data_alphabet(model);
  if (!input.colors) input.colors = colors;
  ModelSequences read;
  read.data = onto_model(session, label, path, read_data(session, label, path, input, rows), model);
  const std::string theirs = atp_alignment_alphabet(read.data.get());
  const int64_t have = atp_alignment_colors(read.data.get());
  if (atp_alignment_sites(read.data.get()) != sites || (have != colors && have != colors + 1))
    wrong_use("{} {} has {} sites and {} colours, expected {} and {} as in the model{}{}", label, path,
              atp_alignment_sites(read.data.get()), have, sites, colors, columns_hint(model), flags.focus_hint(sites));
  read.gaps_missing = have == colors + 1;
  if (!own.empty() && !theirs.empty() && theirs.substr(read.gaps_missing ? 1 : 0) != own)
    wrong_use("{} {} has the alphabet {}, expected {} as in the model, or a gap before it", label, path, theirs, own);
  const uint8_t *from = atp_alignment_sequences_view(read.data.get());
  read.values.assign(from, from + read.count() * sites);
  for (int64_t n = 0; read.gaps_missing && n < read.count(); ++n) {
    bool missing = false;
    for (int64_t i = 0; i < sites; ++i) {
      uint8_t &value = read.values[static_cast<std::size_t>(n * sites + i)];
      missing = missing || value == 0;
      value = value == 0 ? ATP_MISSING : static_cast<uint8_t>(value - 1);
    }
    read.missing += missing;
  }
  return read;
}

std::vector<double> frequencies_of(const Alignment &data, bool gaps_missing) {
  return gaps_missing ? data.residue_frequencies() : data.frequencies();
}

namespace {

// The columns of the sites of a model or an alignment.
struct Columns {
  const int64_t *columns;
  int64_t sites, total;
  bool operator==(const Columns &other) const {
    return sites == other.sites && total == other.total && std::equal(columns, columns + sites, other.columns);
  }
};

Columns columns_of(const atp_alignment *data) {
  return {atp_alignment_columns_view(data), atp_alignment_sites(data), atp_alignment_total_columns(data)};
}

// Whether sequences have to be mapped: both are columns of the same alignment, as far as their totals tell, but different ones.
bool differs(const atp_alignment *data, const Columns &wanted) {
  const Columns own = columns_of(data);
  return own.total == wanted.total && !(own == wanted);
}

template <class Make>
Alignment mapped(const Session &session, const std::string &label, const std::string &path, Alignment data, const Columns &wanted,
                 const char *of, Make &&make) {
  if (!differs(data.get(), wanted)) return data;
  Alignment made;
  const atp_status status = make(session.context.get(), data.get(), out(made));
  if (status == ATP_E_SHAPE && atp_alignment_sites(data.get()) != wanted.sites) return data;
  check(status, label + " " + path);
  session.say("{}: takes the {} columns of the {}, of {}", path, wanted.sites, of, atp_alignment_sites(data.get()));
  return made;
}

}  // namespace

Alignment onto_model(const Session &session, const std::string &label, const std::string &path, Alignment data, const atp_model *model) {
  const Columns wanted = {atp_model_columns_view(model), atp_model_sites(model), atp_model_total_columns(model)};
  return mapped(session, label, path, std::move(data), wanted, "model",
                [model](atp_context *context, const atp_alignment *from, atp_alignment **to) {
                  return atp_alignment_for_model(context, from, model, to);
                });
}

Alignment onto_alignment(const Session &session, const std::string &label, const std::string &path, Alignment data,
                         const atp_alignment *other) {
  return mapped(session, label, path, std::move(data), columns_of(other), "samples",
                [other](atp_context *context, const atp_alignment *from, atp_alignment **to) {
                  return atp_alignment_match(context, from, other, to);
                });
}

std::string columns_hint(const atp_model *model) {
  const int64_t total = atp_model_total_columns(model);
  if (total == atp_model_sites(model)) return "";
  return fmt::format(" (or {} sites, as in the alignment that the model was learned from)", total);
}

}  // namespace cli
