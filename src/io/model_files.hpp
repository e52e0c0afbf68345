// SPDX-License-Identifier: MIT
// Models and scores from and to files of every format.
#pragma once

#include "data/alignment.hpp"
#include "io/file.hpp"
#include "io/foreign.hpp"
#include "io/score_files.hpp"
#include "model/model.hpp"

#include <attopotts/io.h>

namespace atp {

// What another tool's file it is, of an open file whose first bytes have not been read.
Foreign foreign_content(Context &context, InputFile &file);

// ATP_MODEL_AUTO: the content decides. alphabet may be NULL.
Model *read_model(Context &context, const char *path, atp_model_format format, const char *alphabet);
// The alignment may be NULL but for plmc's format.
void write_model(Context &context, const Model &model, const Alignment *alignment, atp_model_format format, const char *path);

// A file of scores while it is read.
class ScoreFile {
 public:
  ScoreFile(Context &context, const char *path);
  int64_t sites() const { return sites_; }
  void parse(Scores &out) const { parse_scores({bytes_.bytes(), label_.text}, format_, out); }

 private:
  ShownPath label_;
  InputFile file_;
  FileBytes bytes_;
  ScoreFormat format_;
  int64_t sites_;
};

}  // namespace atp
