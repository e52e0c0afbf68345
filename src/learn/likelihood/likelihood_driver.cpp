// SPDX-License-Identifier: MIT
// A driver that maximises the likelihood of a Potts model by Boltzmann learning. [D. Ackley, G. Hinton, T. Sejnowski, Cognitive Science 9,
// 147 (1985); persistent chains: T. Tieleman, ICML 2008] An epoch is a step:
//
//     sweeps of the chains -> p - f -> penalties -> a step of the parameters -> their mean -> the chains' model
//
// The mean is that of the last steps, each with the weight min(1, 4 / t) when it comes: noise of the chains makes the parameters fluctuate,
// and a mean of these is a better model. [B. Polyak, A. Juditsky, SIAM J. Control Optim. 30, 838 (1992)] It is what is verified, and what a
// run ends with.
//
// After a step whose chains reach the target the next one begins with a verification in equilibrium (equilibrium.hpp). If that fails, some
// of the persistent chains become those of the verification, and no other follows before the steps have made as many sweeps. The last step
// begins with one in any case; where none was due, its failure changes nothing, so that a run goes on from there as a longer one.
#include "base/checksum.hpp"
#include "learn/driver.hpp"
#include "learn/likelihood/centered.hpp"
#include "learn/likelihood/couplings.hpp"
#include "learn/likelihood/effort.hpp"
#include "learn/likelihood/head_step.hpp"
#include "learn/likelihood/scaled_step.hpp"
#include "learn/likelihood/sparsity.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace atp {

namespace {

// Distance of the chains' slope from 1 at which a verification is worth its sweeps. The first one comes early, for it tells how many sweeps
// a step needs.
constexpr double kFirstSlope = 0.13, kNextSlope = 0.08;

// Without the noise of the chains, and with a slope that the mean of the parameters, or a stretch, may improve on.
bool promises(const Agreement &found, double target, double distance) {
  return found.noiseless >= target && std::fabs(found.slope - 1) < distance;
}

class LikelihoodDriver final : public Driver {
 public:
  LikelihoodDriver(Objective &objective, CouplingParameters &couplings);
  void lay_out(Arena &arena) override;
  void prepare() override;
  void reintegrate(const Alignment &tested, Span<const double> adjustments, double strength) override;
  void hold_out(const Alignment *sequences) override { statistics_.hold_out(sequences); }
  void restart() override;
  atp_outcome run(int64_t last, RunPosition &at, const DriverCalls &calls) override;
  Evaluation evaluate(Span<double> gradient) override;
  bool evaluates_during_runs() const override { return false; }
  bool whole(const RunPosition &at) const override { return at.epoch % kTestInterval == 0 || at.end != ATP_OUTCOME_NONE; }
  void add_to(atp_progress &progress) const override;
  ModelChains *chains() override { return &chains_; }

  int64_t payload() const override;
  void save(StateWriter &writer) const override;
  void check(StateReader reader, const RunPosition &at) const override;
  void load(StateReader &reader, const RunPosition &at) override;
  void describe(StateFields &fields) const override;

 private:
  static constexpr int64_t kTestInterval = 10;  // epochs between two tests of the parameters
  // What is saved besides chains and parameters.
  struct Course {
    int64_t due = 0;      // 1: the next epoch begins with a verification
    int64_t resting = 0;  // sweeps of all chains together before the next one may follow
    int64_t sweeps = 0;   // of a step
    int64_t failed = 0;   // 1: a verification has failed
  };

  Threads threads() const { return Threads(objective_.context->threads).at_most(team_); }
  bool scaled() const { return objective_.settings.optimizer == ATP_OPTIMIZER_SCALED; }
  Agreement compare(bool with_held_out);
  bool fill(Span<const double> parameters);
  bool fill_point(Span<const double> parameters) { return chains_.fill(couplings_.plain() ? parameters : Span<const double>(point_)); }
  double rate(int64_t step) const;
  bool move(double rate);
  void clear_fixed(Span<double> gradient) const;
  static constexpr double kMostStretch = 0.2, kLeastStretch = 0.02;  // of the slope
  static constexpr double kMargin = 0.2;
  void average(double weight);
  bool promising() const { return promises(agreement_, settings_.target, course_.failed != 0 ? kNextSlope : kFirstSlope); }
  bool stretch();
  bool verify(RunPosition &at, const DriverCalls &calls);
  bool step(RunPosition &at, const DriverCalls &calls);
  static constexpr double kMeanWeight = 4;
  bool is_over(const RunPosition &at) const { return at.epoch >= objective_.settings.epochs || at.end == ATP_OUTCOME_CONVERGED; }
  void show_mean();
  Span<const double> iterate() const { return shows_mean_ ? mean_ : x_; }
  Span<const double> mean() const { return shows_mean_ ? x_ : mean_; }

  CouplingParameters &couplings_;
  const BoltzmannSettings &settings_;
  const int team_;  // threads when it was made
  ModelChains chains_;
  Statistics statistics_;
  Sample sample_;  // of the persistent chains
  Equilibrium equilibrium_;
  ScaledStep scaled_;
  HeadStep heads_;
  Sparsity sparsity_;
  Sgd sgd_;
  Adam adam_;
  uint64_t tested_hash_ = 0;  // 0: no tested sequences
  Course course_;
  Agreement agreement_;
  Verdict verdict_;  // of the last epoch; sweeps = 0: there was none
  double gradient_norm_ = 0;
  int64_t swept_ = 0;        // sweeps of the last step; 0: there was none
  bool shows_mean_ = false;  // x_ has the mean, and mean_ the parameters of the steps
  Span<double> x_, mean_, point_, slope_, gradient_;
};

LikelihoodDriver::LikelihoodDriver(Objective &objective, CouplingParameters &couplings)
    : Driver(objective),
      couplings_(couplings),
      settings_(objective.settings.boltzmann),
      team_(objective.context->threads),
      chains_(objective.context, couplings.pairs(), settings_, objective.settings.seed),
      statistics_(couplings.pairs(), team_),
      sample_(couplings.pairs(), chains_.groups(), team_),
      equilibrium_(couplings.pairs(), team_),
      scaled_(couplings.pairs()),
      heads_(couplings),
      sparsity_(couplings.pairs(), settings_.sparsity),
      sgd_(objective.parameter_count(), objective.settings.momentum),
      adam_(objective.parameter_count()) {}

void LikelihoodDriver::lay_out(Arena &arena) {
  const int64_t points = point_size(couplings_.pairs()), n = objective_.parameter_count();
  chains_.lay_out(arena);
  statistics_.lay_out(arena);
  sample_.lay_out(arena);
  equilibrium_.lay_out(arena);
  x = x_ = arena.take<double>(n);
  mean_ = arena.take<double>(n);
  slope_ = arena.take<double>(points);
  point_ = arena.take<double>(couplings_.plain() ? 0 : points);
  gradient_ = arena.take<double>(couplings_.plain() ? 0 : n);
  if (scaled() && couplings_.plain()) scaled_.lay_out(arena);
  if (heads_.possible()) heads_.lay_out(arena);
  sparsity_.lay_out(arena);
  if (objective_.settings.optimizer == ATP_OPTIMIZER_SGD) sgd_.lay_out(arena);
  if (objective_.settings.optimizer == ATP_OPTIMIZER_ADAM) adam_.lay_out(arena);
}

void LikelihoodDriver::prepare() {
  const Alignment &family = objective_.train();
  statistics_.init(family, settings_.pseudocount, threads());
  const int64_t chains = chains_of(settings_, statistics_);
  chains_.init(family, statistics_, chains);
  sample_.set_groups(chains_.groups());
  warn_of_noise(*objective_.context, family, statistics_, settings_.target, chains);
}

void LikelihoodDriver::reintegrate(const Alignment &tested, Span<const double> adjustments, double strength) {
  statistics_.check_reintegration(adjustments, strength);
  statistics_.init(objective_.train(), settings_.pseudocount, threads());
  const int64_t raised = statistics_.reintegrate(tested, adjustments, strength, threads());
  tested_hash_ = checksum_of(adjustments, checksum_of(tested.sequences, checksum(&strength, sizeof strength)));
  if (raised > 0)
    objective_.context->message(ATP_LOG_WARNING,
                                "the adjustments lower frequencies of colours below 0 at %lld of %lld pairs of sites: these are 0, and the "
                                "others are fitted to the frequencies of the sites",
                                static_cast<long long>(raised), static_cast<long long>(couplings_.pairs().pairs()));
}

void LikelihoodDriver::restart() {
  chains_.restart();
  shows_mean_ = false;
  course_ = {};
  course_.sweeps = settings_.sweeps > 0 ? settings_.sweeps : kFirstStepSweeps;
  verdict_ = {};
  if (sparsity_.wanted()) sparsity_.restart(x_);
  if (objective_.settings.optimizer == ATP_OPTIMIZER_SGD) sgd_.reset();
  if (objective_.settings.optimizer == ATP_OPTIMIZER_ADAM) adam_.reset();
}

bool LikelihoodDriver::fill(Span<const double> parameters) {
  if (!couplings_.plain()) couplings_.expand(parameters, point_);
  return fill_point(parameters);
}

// The persistent chains with the family, and with held-out sequences; the slope.
Agreement LikelihoodDriver::compare(bool with_held_out) {
  sample_.put(0, chains_.persistent(), chains_.groups(), threads());
  sample_.count_colors(threads());
  return statistics_.compare(sample_, slope_, with_held_out, objective_.context->target, threads());
}

double LikelihoodDriver::rate(int64_t step) const {
  const TrainingSettings &s = objective_.settings;
  if (s.schedule == ATP_SCHEDULE_CONSTANT) return s.rate;
  if (s.schedule == ATP_SCHEDULE_COSINE) return cosine_rate(s.rate, step, s.epochs);
  return s.rate / (1 + static_cast<double>((sparsity_.wanted() ? sparsity_.age() : step) + 1) / settings_.decay);
}

// Moves the parameters, and the model of the chains. Returns false where the kernels cannot take that.
bool LikelihoodDriver::move(double rate) {
  if (scaled() && !couplings_.plain()) {
    heads_.step(statistics_, rate, settings_.fixed, x_, {point_, slope_, gradient_}, threads());
    return fill_point(x_);
  }
  if (scaled()) {
    const StepRules rules{couplings_.field_penalty(), couplings_.coupling_penalty(), settings_.l1, settings_.fixed, sparsity_.active()};
    scaled_.step(statistics_, rate, rules, x_, slope_, threads());
    return fill(x_);
  }
  const Span<double> gradient = couplings_.plain() ? slope_ : gradient_;
  couplings_.pull_back(x_, slope_, gradient);
  clear_fixed(gradient);
  if (objective_.settings.optimizer == ATP_OPTIMIZER_ADAM)
    adam_.step(x_, gradient, rate);
  else
    sgd_.step(x_, gradient, rate);
  sparsity_.clear(x_);
  return fill(x_);
}

// The derivatives by parameters that are fixed.
void LikelihoodDriver::clear_fixed(Span<double> gradient) const {
  if (settings_.fixed == ATP_FIXED_NONE) return;
  for (int64_t k = 0; k < objective_.part_count(); ++k) {
    const Part part = objective_.part(k);
    if ((std::strcmp(part.name, "fields") == 0) == (settings_.fixed == ATP_FIXED_FIELDS))
      atp::fill(gradient.sub(part.offset, part.size), 0);
  }
}

// Where the correlations of the model in equilibrium have the right pattern, and are all too weak or too strong, the couplings of the mean
// are multiplied by 1 + (1 - slope) / 20, at the same centred fields, and steps go on from there. Steps come to this slowly, for the
// directions that are left have little curvature, and the mean lags behind. Returns whether it is worth another verification at once: a
// stretch costs some of the correlation.
bool LikelihoodDriver::stretch() {
  const Agreement &r = verdict_.random, &n = verdict_.natural;
  const double slope = 0.5 * (r.slope + n.slope);
  const double target = settings_.target, distance = std::fabs(slope - 1), pearson = std::fmin(r.noiseless, n.noiseless);
  const bool possible = (couplings_.plain() || heads_.possible()) && settings_.fixed == ATP_FIXED_NONE;
  if (!possible || pearson < target || distance > kMostStretch) return false;
  const double factor = 1 + (1 - slope) / 20;
  if (couplings_.plain())
    atp::stretch(couplings_.pairs(), statistics_, factor, mean_, threads());
  else
    heads_.stretch(statistics_, factor, mean_, point_, threads());
  std::copy(mean_.begin(), mean_.end(), x_.begin());
  return distance > kLeastStretch && pearson > target + kMargin * (1 - target);
}

// Verifies the mean. Returns false where the run was stopped, and then nothing has changed; neither has it where none was due that fails.
bool LikelihoodDriver::verify(RunPosition &at, const DriverCalls &calls) {
  const int64_t clock = chains_.clock();
  fill(mean_);
  verdict_ = equilibrium_.verify(chains_, statistics_, settings_.target, calls.reporter, objective_.context->target, threads());
  const bool reached = verdict_.reaches(settings_.target), due = course_.due != 0;
  if (!verdict_.stopped && due && !reached) {
    chains_.adopt_fresh();
    course_ = {stretch() ? 1 : 0, verdict_.work, settings_.sweeps > 0 ? settings_.sweeps : more_sweeps(course_.sweeps, verdict_), 1};
  }
  if (!verdict_.stopped && reached && sparsity_.complete()) at.end = ATP_OUTCOME_CONVERGED;
  if (verdict_.stopped || (!due && at.end == ATP_OUTCOME_NONE)) chains_.set_clock(clock);
  if (!fill(x_)) at.end = ATP_OUTCOME_DIVERGED;
  return !verdict_.stopped;
}

// One epoch. Returns false where the run was stopped before its end; nothing has changed then.
bool LikelihoodDriver::step(RunPosition &at, const DriverCalls &calls) {
  const bool last = at.epoch + 1 == objective_.settings.epochs;
  const bool reported = calls.reporter.wanted() && (last || (at.epoch + 1) % kTestInterval == 0);
  verdict_ = {};
  if (settings_.target < 1 && (course_.due != 0 || last) && at.epoch > 0 && !verify(at, calls)) return false;
  swept_ = 0;
  if (at.end != ATP_OUTCOME_NONE) {
    agreement_ = compare(calls.reporter.wanted());
  } else {
    const bool again = course_.due != 0;  // the verification above asks for another one
    course_.resting = std::max<int64_t>(0, course_.resting - chains_.advance(course_.sweeps));
    swept_ = course_.sweeps;
    agreement_ = compare(reported);
    // Couplings become active while the target is missed, and are removed while it is reached.
    const bool allowed = !(settings_.target < 1) || promising() == sparsity_.removes();
    sparsity_.update(statistics_, sample_.count(), allowed, slope_, x_, mean_, threads());
    sparsity_.clear(slope_);
    gradient_norm_ = norm(slope_);
    course_.due = again || (course_.resting == 0 && promising() && sparsity_.complete()) ? 1 : 0;
    at.rate = rate(at.epoch);
    if (!move(at.rate)) at.end = ATP_OUTCOME_DIVERGED;
    average(std::min(1.0, kMeanWeight / static_cast<double>((sparsity_.wanted() ? sparsity_.age() : at.epoch) + 1)));
  }
  if ((last && at.end == ATP_OUTCOME_NONE) || at.end == ATP_OUTCOME_CONVERGED) show_mean();
  return true;
}

// The mean is what a run ends with. The parameters of the steps are kept in its place, for a longer run.
void LikelihoodDriver::show_mean() {
  std::swap_ranges(x_.begin(), x_.end(), mean_.begin());
  shows_mean_ = true;
}

void LikelihoodDriver::average(double weight) {
  for (int64_t k = 0; k < x_.size(); ++k) mean_[k] += weight * (x_[k] - mean_[k]);
}

atp_outcome LikelihoodDriver::run(int64_t last, RunPosition &at, const DriverCalls &calls) {
  if (at.epoch < last && at.end == ATP_OUTCOME_NONE && !fill(x_)) at.end = ATP_OUTCOME_DIVERGED;
  while (at.epoch < last && at.end == ATP_OUTCOME_NONE) {
    if (calls.reporter.stopped() || !step(at, calls)) return ATP_OUTCOME_CANCELLED;
    ++at.epoch;
    if (calls.report(gradient_norm_, std::nan(""))) return ATP_OUTCOME_CANCELLED;
  }
  return at.end == ATP_OUTCOME_NONE ? ATP_OUTCOME_MAX_ITER : at.outcome();
}

// The derivative by the chains where they are. The loss is that of the pseudo-likelihood; the value of the objective is not known.
Evaluation LikelihoodDriver::evaluate(Span<double> gradient) {
  ++evaluations;
  if (!gradient.empty()) {
    compare(false);
    sparsity_.clear(slope_);
    couplings_.pull_back(x_, slope_, gradient);
    clear_fixed(gradient);
  }
  return {objective_.loss(x, objective_.train()), std::nan(""), objective_.train().effective_count()};
}

void LikelihoodDriver::add_to(atp_progress &progress) const {
  progress.set(ATP_PROGRESS_TRAIN_LOSS, std::nan(""));
  progress.set(ATP_PROGRESS_PEARSON, agreement_.pearson);
  progress.set(ATP_PROGRESS_SLOPE, agreement_.slope);
  progress.set(ATP_PROGRESS_FIELD_ERROR, agreement_.field_error);
  progress.set(ATP_PROGRESS_PEARSON_SITES, agreement_.sites.pearson);
  progress.set(ATP_PROGRESS_SLOPE_SITES, agreement_.sites.slope);
  progress.set(ATP_PROGRESS_PEARSON_PAIRS, agreement_.pairs.pearson);
  progress.set(ATP_PROGRESS_SLOPE_PAIRS, agreement_.pairs.slope);
  progress.set(ATP_PROGRESS_PEARSON_TEST, agreement_.held_out.pearson);
  progress.set(ATP_PROGRESS_SLOPE_TEST, agreement_.held_out.slope);
  progress.set(ATP_PROGRESS_PEARSON_TEST_SITES, agreement_.held_out_sites.pearson);
  progress.set(ATP_PROGRESS_SLOPE_TEST_SITES, agreement_.held_out_sites.slope);
  progress.set(ATP_PROGRESS_PEARSON_TEST_PAIRS, agreement_.held_out_pairs.pearson);
  progress.set(ATP_PROGRESS_SLOPE_TEST_PAIRS, agreement_.held_out_pairs.slope);
  progress.set(ATP_PROGRESS_SITE_ENTROPY, agreement_.site_entropy);
  progress.set(ATP_PROGRESS_SWEEPS, static_cast<double>(swept_));
  if (sparsity_.wanted()) progress.set(ATP_PROGRESS_DENSITY, sparsity_.density());
  if (sparsity_.changed()) progress.set(ATP_PROGRESS_GAIN, sparsity_.gain());
  if (verdict_.sweeps == 0) return;
  progress.set(ATP_PROGRESS_PEARSON_RANDOM, verdict_.random.noiseless);
  progress.set(ATP_PROGRESS_SLOPE_RANDOM, verdict_.random.slope);
  progress.set(ATP_PROGRESS_PEARSON_NATURAL, verdict_.natural.noiseless);
  progress.set(ATP_PROGRESS_SLOPE_NATURAL, verdict_.natural.slope);
  progress.set(ATP_PROGRESS_ENTROPY, verdict_.entropy.value);
  progress.set(ATP_PROGRESS_ENTROPY_ERROR, verdict_.entropy.error);
  progress.set(ATP_PROGRESS_LOG_Z, verdict_.log_z.value);
  progress.set(ATP_PROGRESS_LOG_Z_ERROR, verdict_.log_z.error);
  if (verdict_.acceptance > 0) progress.set(ATP_PROGRESS_SWAP_RATE, verdict_.acceptance);
  if (verdict_.mixing > 0) progress.set(ATP_PROGRESS_MIXING_SWEEPS, static_cast<double>(verdict_.mixing));
}

// --- saved states: course | clock | chains | optimiser | active couplings | parameters | their mean ---

int64_t LikelihoodDriver::payload() const {
  const atp_optimizer optimizer = objective_.settings.optimizer;
  return static_cast<int64_t>(sizeof course_ + sizeof(int64_t)) + chains_.states().size() +
         (optimizer == ATP_OPTIMIZER_SGD    ? sgd_.payload()
          : optimizer == ATP_OPTIMIZER_ADAM ? adam_.payload()
                                            : 0) +
         sparsity_.payload() + static_cast<int64_t>(sizeof(double)) * 2 * x_.size();
}

void LikelihoodDriver::save(StateWriter &writer) const {
  writer.value(course_);
  writer.value(chains_.clock());
  writer.array(chains_.states());
  if (objective_.settings.optimizer == ATP_OPTIMIZER_SGD) sgd_.save(writer);
  if (objective_.settings.optimizer == ATP_OPTIMIZER_ADAM) adam_.save(writer);
  sparsity_.save(writer);
  writer.array(iterate());
  writer.array(mean());
}

void LikelihoodDriver::check(StateReader reader, const RunPosition &at) const {
  const bool ended = at.end == ATP_OUTCOME_NONE || at.end == ATP_OUTCOME_CONVERGED || at.end == ATP_OUTCOME_DIVERGED;
  if (at.epoch < 0 || at.epoch > kMaxEpochs || at.step != 0 || !ended) fail_position(at);
  at.check_numbers();
  reader.integer("verification due", 0, 1);
  reader.integer("sweeps before a verification", 0, int64_t{1} << 62);
  reader.integer("sweeps of a step", 1, kMaxSweeps);
  reader.integer("failed verification", 0, 1);
  reader.integer("number of sweeps", 0, kMaxSweeps);
  for (int64_t k = 0; k < chains_.states().size(); ++k) {
    uint8_t color;
    reader.value(color);
    if (color >= objective_.colors())
      fail(ATP_E_FORMAT, "the state has colour %d, must be below the %lld colours", color, static_cast<long long>(objective_.colors()));
  }
  if (objective_.settings.optimizer == ATP_OPTIMIZER_SGD) sgd_.check(reader);
  if (objective_.settings.optimizer == ATP_OPTIMIZER_ADAM) adam_.check(reader);
  sparsity_.check(reader);
  reader.reals<double>(x_.size(), "parameters");
  reader.reals<double>(mean_.size(), "mean of the parameters");
}

void LikelihoodDriver::load(StateReader &reader, const RunPosition &at) {
  int64_t clock;
  reader.value(course_);
  reader.value(clock);
  chains_.set_clock(clock);
  reader.array(chains_.states());
  if (objective_.settings.optimizer == ATP_OPTIMIZER_SGD) sgd_.load(reader);
  if (objective_.settings.optimizer == ATP_OPTIMIZER_ADAM) adam_.load(reader);
  sparsity_.load(reader);
  reader.array(x_);
  reader.array(mean_);
  shows_mean_ = false;
  if (is_over(at)) show_mean();
}

void LikelihoodDriver::describe(StateFields &fields) const {
  const TrainingSettings &s = objective_.settings;
  if (s.schedule == ATP_SCHEDULE_COSINE)
    fields.add("epochs", s.epochs);
  else
    fields.add_limit("epochs", s.epochs);
  fields.add("rate", s.rate);
  fields.add("momentum", s.momentum);
  fields.add("schedule", int64_t{s.schedule});
  fields.add("decay", settings_.decay);
  fields.add("chains", settings_.chains > 0 ? settings_.chains : chains_.groups() * kGibbsLanes);
  fields.add("sweeps", settings_.sweeps);
  fields.add("random-chains", settings_.random_chains);
  fields.add("chain-start", int64_t{settings_.start});
  fields.add("pseudocount", settings_.pseudocount);
  fields.add("target", settings_.target);
  fields.add("l1-couplings", settings_.l1);
  fields.add("fixed", int64_t{settings_.fixed});
  fields.add("temperatures", settings_.rungs);
  fields.add_hash("tested sequences", tested_hash_);
  if (!sparsity_.wanted()) return;
  fields.add("sparsify", int64_t{settings_.sparsity.rule});
  fields.add("density", settings_.sparsity.density);
  fields.add("sparsify-fraction", settings_.sparsity.fraction);
  fields.add("sparsify-steps", settings_.sparsity.steps);
}

}  // namespace

Driver *put_likelihood_driver(void *place, Objective &objective, CouplingParameters &couplings) {
  return put_in_place<LikelihoodDriver, kDriverBytes>(place, objective, couplings);
}

}  // namespace atp
