// SPDX-License-Identifier: MIT
// Reads and writes models and scores in every format.
#pragma once

#include "alignment/alignment.hpp"
#include "io/score_files.hpp"
#include "io/source.hpp"
#include "potts/model.hpp"

#include <attopotts/io.h>

namespace atp {

// ATP_MODEL_AUTO detects the format from the content. alphabet may be NULL.
Model *read_model(const Source &source, atp_model_format format, const char *alphabet);
// The alignment may be NULL except for plmc's format.
void write_model(Context &context, const Model &model, const Alignment *alignment, atp_model_format format, const char *path);

// A file of scores during reading; the source must outlive it.
class ScoreFile {
 public:
  explicit ScoreFile(const Source &source);
  int64_t sites() const { return sites_; }
  void parse(Scores &out) const { parse_scores(text_, format_, out); }

 private:
  Text text_;
  ScoreFormat format_;
  int64_t sites_;
};

}  // namespace atp
