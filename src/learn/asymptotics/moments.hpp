// SPDX-License-Identifier: MIT
// Curvature and covariance of scores, averages over all states of a small model or over the sequences of an alignment.
//
// A loss is a sum of terms -log softmax(z_i)[s_i] over predicted sites, each from the sites that are shown. With dz = S dx for the unknowns
// x and p = softmax(z): score sum_i S_i^T (p - e_{s_i}), curvature E sum_i S_i^T (diag p - p p^T) S_i. This is the second derivative where
// the conditionals of the data are those of the model; elsewhere, of factored attention with V learned, it lacks the bend of A V.
#pragma once

#include "alignment/alignment.hpp"
#include "base/team.hpp"
#include "learn/asymptotics/unknowns.hpp"

namespace atp {

// Where averages come from: sequences with weights.
class States {
 public:
  // All q^L states of the model with their probabilities [q^L], which are borrowed.
  States(const Model &model, Span<const double> probabilities) : model_(&model), probabilities_(probabilities) {}
  // An alignment; with a colour more than the model its first is a gap, which is missing.
  States(const Model &model, const Alignment &alignment)
      : model_(&model), alignment_(&alignment), gap_(alignment.colors() > model.colors()) {}
  int64_t count() const { return alignment_ == nullptr ? probabilities_.size() : alignment_->count(); }
  // Writes a sequence [L] and returns its weight.
  double read(int64_t n, uint8_t *sequence) const;

 private:
  const Model *model_;
  const Alignment *alignment_ = nullptr;
  Span<const double> probabilities_;
  bool gap_ = false;
};

// Which sites are hidden while a site is predicted. Masks hide each site with a probability and predict all hidden ones.
struct Masks {
  enum Kind {
    none,
    all,
    drawn
  };  // `all`: the 2^(L - 1) masks of the other sites by their probabilities; `drawn`: so many of each sequence
  Kind kind = none;
  double probability = 0;
  int64_t drawn_count = 0;
  uint64_t seed = 1;
  static constexpr int64_t kMostSites = 16;  // of `all`

  int64_t views(int64_t sites) const { return kind == none ? 1 : kind == all ? int64_t{1} << (sites - 1) : drawn_count; }
  // Hides sites of `shown` for the prediction of site i of sequence n, and returns the weight of this view of it; masked [L] is work space.
  double hide(int64_t n, int64_t view, int64_t i, Span<uint8_t> masked, uint8_t *shown) const;
};

enum class Score {
  none,
  conditional,  // of the loss above
  likelihood    // d log(weight of a state): sum_i [fields + half of the pairs], whose covariance is the Fisher information
};

struct Moments {
  void lay_out(Arena &arena, int64_t count) {
    curvature = arena.take<double>(count, count);
    covariance = arena.take<double>(count, count);
    mean = arena.take<double>(count);
  }
  Span<double> curvature, covariance;  // [p][p], covariance if there are scores
  Span<double> mean;                   // of the scores, [p]
  double weight = 0;                   // of all sequences
  double loss = 0, predicted = 0;      // of a sequence: the sum of the losses of its sites, and their number
};

class MomentsPass {
 public:
  MomentsPass(const Unknowns &unknowns, const States &states, const Masks &masks, Threads threads);
  void lay_out(Arena &arena);
  // Averages per sequence.
  void run(Score score, Moments &out);

 private:
  struct SiteSums {
    double loss, predicted;
  };
  struct ViewWeight {
    double sequence, share;  // the latter of this view of it
  };
  void site(int64_t i, int64_t first, int64_t count, Score score, int thread);
  void add_view(int64_t i, int64_t color, const uint8_t *shown, const ViewWeight &weight, const double *slopes, double *rows,
                double *scores);
  void add_likelihood(int64_t i, int64_t color, const double *slopes, double *scores) const;
  void add_scores(int64_t count, Moments &out);
  void finish(Score score, Moments &out);

  const Unknowns &unknowns_;
  const States &states_;
  Masks masks_;
  Threads threads_;
  int64_t chunk_;
  Span<uint8_t> sequences_, shown_;
  Span<double> weights_, slopes_, rows_, site_curvature_, product_, site_scores_, scores_, outer_;
  Span<SiteSums> sums_;
};

}  // namespace atp
