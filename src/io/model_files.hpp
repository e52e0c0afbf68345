// SPDX-License-Identifier: MIT
// Models and scores from and to files of every format.
#pragma once

#include "data/alignment.hpp"
#include "io/score_files.hpp"
#include "io/source.hpp"
#include "model/model.hpp"

#include <attopotts/io.h>

namespace atp {

// ATP_MODEL_AUTO: the content decides. alphabet may be NULL.
Model *read_model(const Source &source, atp_model_format format, const char *alphabet);
// The alignment may be NULL but for plmc's format.
void write_model(Context &context, const Model &model, const Alignment *alignment, atp_model_format format, const char *path);

// A file of scores while it is read; the source must outlive it.
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
