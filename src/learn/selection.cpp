// SPDX-License-Identifier: MIT
#include "learn/selection.hpp"

#include "learn/trainer.hpp"
#include "base/team.hpp"
#include "alignment/growing.hpp"
#include "alignment/packed_sequences.hpp"
#include "alignment/subset.hpp"
#include "alignment/weights.hpp"
#include "math/mean_error.hpp"
#include "potts/mutants.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace atp {

namespace {

constexpr double kLooser = 1000;                         // tolerances of the path
constexpr double kSmallGain = 0.1;                       // in standard errors
constexpr int64_t kMostIterations = 4, kMostExact = 50;  // of a strength; where a tolerance was asked for
constexpr int64_t kMostHeads = 16, kHeadSteps = 5;       // 16, 8, 4, 2, 1
constexpr int64_t kMostChanged = 64;                     // sequences of a fold whose substitutions are counted
// Penalties on the fields of site-independent models: from 64 down by factors of 2, to 1/64.
constexpr double kStrongestFields = 64;
constexpr int64_t kFieldStrengths = 13;

struct Destroy {
  void operator()(Alignment *alignment) const noexcept { destroy_block(alignment->context->allocator, alignment); }
  void operator()(Model *model) const noexcept { destroy_block(model->context->allocator, model); }
  void operator()(Trainer *trainer) const noexcept { destroy_trainer(trainer); }
};
using OwnAlignment = std::unique_ptr<Alignment, Destroy>;
using OwnTrainer = std::unique_ptr<Trainer, Destroy>;

// The penalties of a step, in units of a loss that is a sum over sequences and sites.
struct Try {
  double couplings = 0, fields = 0;
  int64_t heads = 0;
};

// The losses of a path with one criterion: [steps][folds], and the weights of the folds.
struct Losses {
  explicit Losses(Allocator &allocator) : values(allocator), independent(allocator) {}
  Growing<double> values;
  Growing<double> independent;  // [folds], of the site-independent model that is compared
  Span<double> weights;         // [folds]
  MeanError mean(int64_t step) const {
    return weighted_mean_error(Span<const double>(values.data() + step * weights.size(), weights.size()), weights);
  }
  MeanError independent_mean() const { return weighted_mean_error(Span<const double>(independent.data(), weights.size()), weights); }
  int64_t steps() const { return values.size() / weights.size(); }
};

// The smallest loss; with the rule of one standard error the first that exceeds it by at most its error. Losses go from the simplest model
// to the most complex, or the other way round.
int64_t choose(const Losses &losses, int64_t rule, bool simplest_last) {
  const int64_t n = losses.steps();
  int64_t best = 0;
  for (int64_t step = 1; step < n; ++step)
    if (losses.mean(step).mean < losses.mean(best).mean) best = step;
  const MeanError smallest = losses.mean(best);
  const double most = smallest.mean + (rule == ATP_SELECTION_ONE_ERROR ? smallest.error : 0);
  for (int64_t step = simplest_last ? n - 1 : 0; step != best; step += simplest_last ? -1 : 1)
    if (losses.mean(step).mean <= most) return step;
  return best;
}

class Selection {
 public:
  Selection(Context &context, const Alignment &all, const Options &given, const SelectedPairs &pairs, Arena arena)
      : Selection(context, all, given.integer(ATP_OPT_FOLDS)) {
    given_ = given;
    pairs_ = pairs;
    lay_out(arena);
    prepare();
  }
  static std::size_t bytes(Context &context, const Alignment &all, int64_t folds) {
    return bytes_taken([&](Arena &arena) { Selection(context, all, folds).lay_out(arena); });
  }

  atp_outcome run(Reporter &reporter, Table &table);

 private:
  Selection(Context &context, const Alignment &all, int64_t folds)
      : context_(context),
        all_(all),
        folds_(folds),
        residues_(context.allocator),
        substitutions_(context.allocator),
        parameters_(context.allocator),
        evaluations_(context.allocator),
        cost_(context.allocator) {}
  void lay_out(Arena &arena) {
    fold_ = arena.take<int64_t>(all_.count());
    rows_ = arena.take<int64_t>(all_.count());
    clusters_ = arena.take<int64_t>(all_.count());
    columns_ = arena.take<int64_t>(all_.sites());
    residues_.weights = arena.take<double>(folds_);
    substitutions_.weights = arena.take<double>(folds_);
    counts_ = arena.take<double>(folds_ + 1, all_.sites(), all_.colors());
    log_p_ = arena.take<double>(all_.sites(), all_.colors());
    delta_ = arena.take<double>(all_.sites(), all_.colors());
    accepted_ = arena.take<uint8_t>(all_.sites(), all_.colors());
    states_ = arena.take<uint8_t>(all_.sites());
  }
  void prepare();

  bool dense() const { return given_.integer(ATP_OPT_FAMILY) == ATP_FAMILY_DENSE; }
  bool with_fields() const { return dense() || given_.flag(ATP_OPT_FIELDS); }
  bool of_heads() const { return given_.integer(ATP_OPT_SELECT) == ATP_SELECT_HEADS; }
  bool by_substitutions() const { return given_.integer(ATP_OPT_CRITERION) == ATP_CRITERION_SUBSTITUTIONS; }
  int64_t first_color() const { return given_.integer(ATP_OPT_GAPS) == ATP_GAPS_IGNORE ? 1 : 0; }
  double total_weight() const {
    double sum = 0;
    for (double w : residues_.weights) sum += w;
    return sum;
  }
  double *counts(int64_t fold, int64_t site) { return counts_.data() + (fold * all_.sites() + site) * all_.colors(); }
  Span<const int64_t> rows_of(int64_t fold, bool held_out);
  OwnAlignment part(int64_t fold, bool held_out) { return OwnAlignment(take_subset(context_, all_, rows_of(fold, held_out), columns_)); }

  void fit_independent(int64_t fold, double penalty);
  double independent_loss(int64_t fold) const;
  template <class Energies>
  double mean_substitution_loss(int64_t fold, double *weight, Energies &&energies);
  double substitutions_of_independent(int64_t fold, double *weight);
  double substitutions_of(const Model &model, int64_t fold);
  void choose_fields();
  double given_fields() const;
  double strongest() const;
  double neighbours() const;
  int64_t neighbours_of(int64_t site) const;
  Try at(int64_t step) const;
  Options options_of(const Try &t, double share) const;
  void warm_start(Trainer &trainer, int64_t fold);
  bool fit(int64_t step, int64_t fold, Reporter &reporter);
  bool flat() const;
  int64_t steps() const;
  void write(int64_t step, int64_t chosen, Span<double> row) const;
  const Losses &judged() const { return by_substitutions() ? substitutions_ : residues_; }

  Context &context_;
  const Alignment &all_;
  Options given_{kSelectionOptions};
  SelectedPairs pairs_;
  int64_t folds_;
  SubstitutionRule rule_;
  Span<int64_t> fold_, rows_, clusters_, columns_;
  Span<double> counts_;         // [folds + 1][L][q]: of the fold, and of all
  Span<double> log_p_, delta_;  // [L][q]: of a site-independent model; energies of single mutants
  Span<uint8_t> accepted_, states_;
  double fields_ = 0;  // the penalty of the path
  Losses residues_, substitutions_;
  Growing<double> parameters_;  // [folds][parameters]: of the strength before
  Growing<double> evaluations_, cost_;
};

// Folds, weights of the folds, and counts, in which gaps that are ignored are left out.
void Selection::prepare() {
  make_folds(context_, all_, folds_, given_.real(ATP_OPT_FOLD_DISTANCE), clusters_, fold_);
  rule_.allowed = allowed_differences(given_.real(ATP_OPT_FOLD_DISTANCE), all_.sites(), ATP_WEIGHTS_INCLUSIVE);
  rule_.first = first_color();
  rule_.gap = first_color() == 1 ? 0 : gap_color(all_.alphabet);
  for (int64_t i = 0; i < columns_.size(); ++i) columns_[i] = i;
  for (int64_t n = 0; n < all_.count(); ++n)
    for (int64_t i = 0; i < all_.sites(); ++i) {
      const int64_t color = all_.sequence(n)[i];
      if (color < first_color()) continue;
      counts(fold_[n], i)[color] += all_.weights[n];
      counts(folds_, i)[color] += all_.weights[n];
      residues_.weights[fold_[n]] += all_.weights[n];
    }
}

Span<const int64_t> Selection::rows_of(int64_t fold, bool held_out) {
  int64_t count = 0;
  for (int64_t n = 0; n < all_.count(); ++n)
    if ((fold_[n] == fold) == held_out) rows_[count++] = n;
  return Span<const int64_t>(rows_.data(), count);
}

// log_p_ of the site-independent model without a fold.
void Selection::fit_independent(int64_t fold, double penalty) {
  const int64_t first = first_color(), q = all_.colors() - first;
  double others[256];
  for (int64_t i = 0; i < all_.sites(); ++i) {
    for (int64_t a = 0; a < q; ++a) others[a] = std::max(0.0, counts(folds_, i)[first + a] - counts(fold, i)[first + a]);
    fit_site(others, q, penalty, log_p_.data() + i * q);
  }
}

double Selection::independent_loss(int64_t fold) const {
  const int64_t first = first_color(), q = all_.colors() - first;
  double sum = 0;
  for (int64_t i = 0; i < all_.sites(); ++i)
    for (int64_t a = 0; a < q; ++a) sum = std::fma(-counts_[(fold * all_.sites() + i) * all_.colors() + first + a], log_p_[i * q + a], sum);
  return residues_.weights[fold] > 0 ? sum / residues_.weights[fold] : 0;
}

// energies(n) writes delta_. At most kMostChanged sequences, at equal distances among those that have relatives.
template <class Energies>
double Selection::mean_substitution_loss(int64_t fold, double *weight, Energies &&energies) {
  const Span<const int64_t> rows = rows_of(fold, true);
  const int64_t stride = (rows.size() + kMostChanged - 1) / kMostChanged;
  double sum = 0, total = 0;
  for (int64_t k = 0; k < rows.size(); k += stride) {
    const int64_t n = rows[k];
    if (find_accepted(all_, rule_, n, rows, accepted_.data()) == 0) continue;
    energies(n);
    sum = std::fma(all_.weights[n], substitution_loss(all_, rule_, n, accepted_.data(), delta_.data()), sum);
    total += all_.weights[n];
  }
  *weight = total;
  return total > 0 ? sum / total : 0;
}

double Selection::substitutions_of_independent(int64_t fold, double *weight) {
  const int64_t q = all_.colors() - rule_.first;
  return mean_substitution_loss(fold, weight, [&](int64_t n) {
    const uint8_t *s = all_.sequence(n);
    for (int64_t i = 0; i < all_.sites(); ++i)
      for (int64_t a = 0; a < q; ++a) delta_[i * q + a] = s[i] < rule_.first ? 0 : log_p_[i * q + s[i] - rule_.first] - log_p_[i * q + a];
  });
}

double Selection::substitutions_of(const Model &model, int64_t fold) {
  double weight = 0;
  return mean_substitution_loss(fold, &weight, [&](int64_t n) {
    const uint8_t *s = all_.sequence(n);
    for (int64_t i = 0; i < all_.sites(); ++i)
      states_[i] = s[i] < rule_.first ? uint8_t{kMissing} : static_cast<uint8_t>(s[i] - rule_.first);
    single_mutants(model, states_.data(), context_.threads, Span<double>(), delta_.data(), nullptr);
  });
}

// The penalty on the fields by way of the site-independent model, and that model's losses.
void Selection::choose_fields() {
  Losses residues(context_.allocator), substitutions(context_.allocator);
  residues.weights = residues_.weights;
  substitutions.weights = substitutions_.weights;
  const auto measure = [&](double penalty, Growing<double> &of_residues, Growing<double> &of_substitutions) {
    for (int64_t k = 0; k < folds_; ++k) {
      fit_independent(k, penalty);
      of_residues.push_back(independent_loss(k));
      if (by_substitutions()) of_substitutions.push_back(substitutions_of_independent(k, &substitutions_.weights[k]));
    }
  };
  const auto penalty_of = [](int64_t step) { return std::ldexp(kStrongestFields, -static_cast<int>(step)); };
  for (int64_t step = 0; step < kFieldStrengths; ++step) measure(penalty_of(step), residues.values, substitutions.values);
  if (by_substitutions() && std::count(substitutions.weights.begin(), substitutions.weights.end(), 0.0) > 0)
    fail(ATP_E_VALUE, "criterion is mutations and a fold has no two sequences that differ in at most %lld columns, must have some",
         static_cast<long long>(rule_.allowed));
  const Losses &judge = by_substitutions() ? substitutions : residues;
  const bool chosen = given_.flag(ATP_OPT_SELECT_FIELDS) && with_fields();
  const double best = penalty_of(choose(judge, ATP_SELECTION_MINIMUM, false));
  fields_ = chosen ? best : given_fields();
  measure(best, residues_.independent, substitutions_.independent);
}

double Selection::given_fields() const {
  const double l2 = given_.real(ATP_OPT_L2_FIELDS);
  if (!dense()) return std::max(0.0, l2) * total_weight();
  return l2 < 0 ? 0.01 : l2 * (given_.integer(ATP_OPT_L2_SCALE) == ATP_L2_WEIGHT ? all_.effective_count() : 1);
}

double Selection::strongest() const {
  const double given = given_.real(ATP_OPT_STRONGEST);
  if (!dense()) return (given > 0 ? given : 1) * total_weight();
  return given > 0 ? given : 0.25 * all_.effective_count() * neighbours();
}

// The mean number of sites that a site has couplings with.
double Selection::neighbours() const {
  const auto sites = static_cast<double>(all_.sites());
  return pairs_.pairs == nullptr ? sites - 1 : std::fmax(1, 2 * static_cast<double>(pairs_.count) / sites);
}

int64_t Selection::steps() const {
  return of_heads() ? std::min<int64_t>(given_.integer(ATP_OPT_STRENGTHS), kHeadSteps) : given_.integer(ATP_OPT_STRENGTHS);
}

Try Selection::at(int64_t step) const {
  Try t;
  t.fields = fields_;
  t.heads = dense() ? 0 : of_heads() ? kMostHeads >> step : given_.integer(ATP_OPT_HEADS);
  t.couplings = strongest() * std::pow(given_.real(ATP_OPT_STRENGTH_RATIO), -static_cast<double>(step));
  return t;
}

// The sites that a site has couplings with.
int64_t Selection::neighbours_of(int64_t site) const {
  return pairs_.pairs == nullptr ? all_.sites() - 1 : std::count(pairs_.pairs, pairs_.pairs + 2 * pairs_.count, site);
}

// The options of a trainer on a share of the weight; 1 is all. The objective of factored attention is a mean, that of dense couplings is a
// sum.
Options Selection::options_of(const Try &t, double share) const {
  Options o = given_;
  const double predicted = total_weight() * share, per_site = predicted / static_cast<double>(all_.sites());
  const double tolerance = given_.real(ATP_OPT_TOLERANCE);
  const double together = given_.flag(ATP_OPT_ASYMMETRIC) ? 1 : std::sqrt(static_cast<double>(all_.sites()));
  const double own = dense() ? 1e-5 * per_site * together : 1e-5;
  o.set(ATP_OPT_TOLERANCE, std::min(1.0, kLooser * (tolerance < 0 ? own : tolerance)));
  o.set(ATP_OPT_EPOCHS, std::min(!dense() || tolerance >= 0 ? kMostExact : kMostIterations, given_.integer(ATP_OPT_EPOCHS)));
  if (dense()) {
    o.set(ATP_OPT_L2_SCALE, int64_t{ATP_L2_ABSOLUTE});
    o.set(ATP_OPT_L2_COUPLINGS, t.couplings);
    o.set(ATP_OPT_L2_FIELDS, t.fields);
    return o;
  }
  o.set(ATP_OPT_HEADS, t.heads);
  if (!of_heads()) o.set(ATP_OPT_L2_PAIRS, t.couplings / predicted);
  if (with_fields()) o.set(ATP_OPT_L2_FIELDS, t.fields / predicted);
  return o;
}

// Dense couplings start where the strength before ended, the first from the site-independent model. Factored attention starts anew: its
// strong penalties end at zero, which is a saddle.
void Selection::warm_start(Trainer &trainer, int64_t fold) {
  if (!dense()) return;
  const int64_t n = trainer.parameter_count(), L = all_.sites(), q = trainer.model_colors();
  if (parameters_.size() == 0) parameters_.assign(folds_ * n, 0);
  double *before = parameters_.data() + fold * n;
  if (judged().steps() == 0 && fields_ > 0) {
    fit_independent(fold, fields_);
    const bool own_couplings = given_.flag(ATP_OPT_ASYMMETRIC);  // stand behind the fields of their site
    for (int64_t i = 0, at = 0; i < L; at += q + (own_couplings ? neighbours_of(i) * q * q : 0), ++i) {
      double mean = 0;
      for (int64_t a = 0; a < q; ++a) mean += log_p_[i * q + a] / static_cast<double>(q);
      for (int64_t a = 0; a < q; ++a) before[at + a] = log_p_[i * q + a] - mean;
    }
  }
  if (judged().steps() > 0 || fields_ > 0) trainer.set_parameters(Span<const double>(before, n));
}

// Returns false if it was stopped.
bool Selection::fit(int64_t step, int64_t fold, Reporter &reporter) {
  const Try t = at(step);
  const OwnAlignment train = part(fold, false);
  const double share = 1 - residues_.weights[fold] / total_weight();
  OwnTrainer trainer(create_trainer(context_, options_of(t, share), *train, pairs_.pairs, pairs_.count));
  warm_start(*trainer, fold);
  {
    Reporter inner(nullptr, nullptr, trainer->stop(), nullptr, &context_.ranks);
    if (trainer->run(kMaxEpochs, inner) == ATP_OUTCOME_CANCELLED) return false;
  }
  if (dense()) trainer->copy_parameters(parameters_.data() + fold * trainer->parameter_count());
  evaluations_.back() += trainer->evaluations();
  cost_.back() += trainer->evaluations() * static_cast<double>(train->count()) / static_cast<double>(all_.count());
  residues_.values.push_back(trainer->loss(*part(fold, true)));
  if (by_substitutions()) {
    const std::unique_ptr<Model, Destroy> model(trainer->make_model());
    substitutions_.values.push_back(substitutions_of(*model, fold));
  }
  atp_progress progress;
  progress.set(ATP_PROGRESS_STEP, static_cast<double>(step * folds_ + fold + 1));
  progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(steps() * folds_));
  progress.set(ATP_PROGRESS_TEST_LOSS, residues_.values.back());
  return !reporter.report(progress);
}

// Whether the path ends. Heads: no rule can choose fewer. Penalties: the last step lost clearly, or it gained next to nothing and less than
// the one before, since strong penalties gain more with every step.
bool Selection::flat() const {
  const Losses &j = judged();
  const int64_t n = j.steps();
  if (n < 2) return false;
  if (of_heads()) {
    const MeanError smallest = j.mean(choose(j, ATP_SELECTION_MINIMUM, true));
    return j.mean(n - 1).mean > smallest.mean + smallest.error;
  }
  const double gain = j.mean(n - 2).mean - j.mean(n - 1).mean, small = kSmallGain * j.mean(n - 1).error;
  if (n < 3 || gain < -small) return gain < -small;
  return gain < small && gain < j.mean(n - 3).mean - j.mean(n - 2).mean;
}

void Selection::write(int64_t step, int64_t chosen, Span<double> row) const {
  const Try t = at(step);
  const double predicted = total_weight();
  const MeanError loss = residues_.mean(step), independent = residues_.independent_mean();
  double difference[1000];
  for (int64_t k = 0; k < folds_; ++k) difference[k] = residues_.values[step * folds_ + k] - residues_.independent[k];
  const MeanError excess = weighted_mean_error(Span<const double>(difference, folds_), residues_.weights);
  const double unit = dense() ? 1 : predicted;
  row[ATP_SELECTION_L2_COUPLINGS] = of_heads() ? given_.real(ATP_OPT_L2_PAIRS) : t.couplings / unit;
  row[ATP_SELECTION_L2_FIELDS] = with_fields() ? t.fields / unit : std::nan("");
  row[ATP_SELECTION_HEADS] = static_cast<double>(t.heads);
  row[ATP_SELECTION_HELDOUT_LOSS] = loss.mean;
  row[ATP_SELECTION_STANDARD_ERROR] = loss.error;
  row[ATP_SELECTION_INDEPENDENT_LOSS] = independent.mean;
  row[ATP_SELECTION_EXCESS] = excess.mean;
  row[ATP_SELECTION_EXCESS_ERROR] = excess.error;
  row[ATP_SELECTION_EVALUATIONS] = evaluations_[step];
  row[ATP_SELECTION_COST] = 0;
  for (int64_t k = 0; k <= step; ++k) row[ATP_SELECTION_COST] += cost_[k];
  const MeanError changed = by_substitutions() ? substitutions_.mean(step) : MeanError{std::nan(""), std::nan("")};
  row[ATP_SELECTION_SUBSTITUTION_LOSS] = changed.mean;
  row[ATP_SELECTION_SUBSTITUTION_ERROR] = changed.error;
  row[ATP_SELECTION_INDEPENDENT_SUBSTITUTION_LOSS] = by_substitutions() ? substitutions_.independent_mean().mean : std::nan("");
  row[ATP_SELECTION_CHOSEN] = step == chosen ? 1 : 0;
}

atp_outcome Selection::run(Reporter &reporter, Table &table) {
  choose_fields();
  int64_t made = 0;
  while (made < steps() && !flat()) {
    evaluations_.push_back(0);
    cost_.push_back(0);
    for (int64_t k = 0; k < folds_; ++k)
      if (reporter.stopped() || !fit(made, k, reporter)) return ATP_OUTCOME_CANCELLED;
    ++made;
  }
  const int64_t chosen = choose(judged(), given_.integer(ATP_OPT_SELECTION_RULE), of_heads());
  for (int64_t step = 0; step < made; ++step)
    write(step, chosen, table.room(made).sub(step * ATP_SELECTION_COLUMNS, ATP_SELECTION_COLUMNS));
  table.append(made);
  const bool open = choose(judged(), ATP_SELECTION_MINIMUM, false) == made - 1 && made > 1 && !flat();
  return open && !of_heads() ? ATP_OUTCOME_MAX_ITER : ATP_OUTCOME_CONVERGED;
}

}  // namespace

void check_selection(const Options &options, const Alignment &alignment) {
  if (alignment.count() < 2) fail(ATP_E_VALUE, "the alignment has one sequence, must have at least two");
  const ObjectiveRow &row = objective_row(options);
  const bool dense = row.family == ATP_FAMILY_DENSE;
  if (row.objective == ATP_OBJECTIVE_LIKELIHOOD)
    fail(ATP_E_UNSUPPORTED, "objective is likelihood: a selection needs a loss that lbfgs can minimise");
  if (!dense && row.family != ATP_FAMILY_FACTORED)
    fail(ATP_E_UNSUPPORTED, "family is %s: networks have no penalties and no heads to choose", row.name);
  if (dense && options.integer(ATP_OPT_SELECT) == ATP_SELECT_HEADS)
    fail(ATP_E_CONFLICT, "select is heads and family is dense: dense couplings have none");
  if (options.integer(ATP_OPT_OPTIMIZER) != 0 && options.integer(ATP_OPT_OPTIMIZER) != ATP_OPTIMIZER_LBFGS)
    fail(ATP_E_CONFLICT, "a selection needs optimizer lbfgs, which ends by itself");
  check_options(row, options);
  if (options.flag(ATP_OPT_COLORS_FIXED)) fail(ATP_E_CONFLICT, "colors-fixed is 1: a selection learns V");
}

int64_t selection_rows(const Options &options) { return options.integer(ATP_OPT_STRENGTHS); }

atp_outcome select_penalty(const Alignment &alignment, const Options &options, const SelectedPairs &pairs, Reporter &reporter,
                           Table &table) {
  Context &context = *alignment.context;
  const Scratch memory(context.allocator, Selection::bytes(context, alignment, options.integer(ATP_OPT_FOLDS)));
  return Selection(context, alignment, options, pairs, memory.arena()).run(reporter, table);
}

}  // namespace atp
