// SPDX-License-Identifier: MIT
// Methods that score pairs of sites of an alignment: with training, or without.
#pragma once

#include "commands/contact_scores.hpp"
#include "flags/training_flags.hpp"

#include <optional>

namespace cli {

enum class Method { plm, asymmetric, factored, mean_field, gaussian, mutual_information };
// The words of --method. `dense` is the word of --family for plm.
extern const Words<Method> kMethods;
bool is_trained(Method method);
inline bool has_model(Method method) { return is_trained(method) || method == Method::mean_field; }

struct MethodFlags {
  Method method = Method::plm;
  std::optional<atp_pair_score> score;
  std::optional<double> pseudocount;
  void add(CLI::App *app);
  // Fails where flags, also those of scores, do not fit the method. `sequences`: INPUT is no model.
  void check_values(const CLI::App *app, bool sequences) const;
  bool wants_information() const { return score && *score == ATP_PAIR_SCORE_DI; }
};

// Options of a trainer that these methods set themselves or do not read.
inline constexpr const char *kNotOfMethods =
    "map rank objective optimizer rate batch momentum mask-probability schedule family fields colors-fixed diagonal scores-scaled "
    "symmetrized values-shared norm-fields blocks width hidden positions dial select select-fields chains sweeps random-chains chain-start "
    "target l1-couplings decay sparsify density sparsify-fraction sparsify-steps";

// Options of a method with training: dense couplings, or heads with fields.
Options training_options(const Session &session, Method method, TrainingFlags training, std::optional<int64_t> heads);
void add_heads(CLI::App *app, std::optional<int64_t> &heads, SelectionFlags &selection, const std::string &initial);

// Scores, and the model that they are of where there is one.
struct MethodResult {
  Model model;
  PairValues pairs;
};

Model mean_field_model(const Session &session, const atp_alignment *data, const MethodFlags &flags, std::optional<int64_t> precision);

// The scores of a method without training. `precision`: of inverses. Norms of mean-field couplings need no model, which takes more than
// twice the memory of the inverse: it is made where it is wanted.
MethodResult apply_method(const Session &session, const atp_alignment *data, const MethodFlags &flags, std::optional<int64_t> precision,
                          const ScoreFlags &scoring, bool model_wanted = false);
// Norms or direct information of a model of the sequences.
PairValues model_values(const Session &session, const atp_model *model, const atp_alignment *data, const MethodFlags &flags,
                        const ScoreFlags &scoring);

}  // namespace cli
