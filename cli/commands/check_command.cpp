// SPDX-License-Identifier: MIT
// attopotts check: whether the library computes correctly on this machine, and as fast as it should.
#include "commands/commands.hpp"
#include "commands/check_works.hpp"
#include "run/system.hpp"
#include "run/csv_table.hpp"
#include "run/files.hpp"
#include "flags/validators.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

namespace cli {

namespace {

constexpr int64_t kStateSites = 6, kStateColors = 4, kStates = 4096;  // kStateColors to the power of kStateSites
constexpr int64_t kChains = 8192, kRounds = 32;
// Sweeps between two samples of a chain, and before the first. At this beta couplings are weak: after 20 sweeps chains forget their start.
constexpr int64_t kThin = 20;
constexpr double kBeta = 0.5;

Model sampled_model(const Session &session, const Context &context, bool dense) {
  Model model = Model::random(context, kStateSites, kStateColors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, session.seed);
  if (dense) {
    std::vector<double> fields(kStateSites * kStateColors);
    for (std::size_t k = 0; k < fields.size(); ++k) fields[k] = 0.1 * static_cast<double>(k % 5);
    model = Model::dense(context, kStateSites, kStateColors, model.couplings(), fields);
  }
  model.set_beta(kBeta);
  return model;
}

std::vector<int64_t> counted_states(const Session &session, const Context &context, const Model &model) {
  Options options(context, ATP_OWNER_SAMPLER);
  options.set(ATP_OPT_SEED, session.seed).set(ATP_OPT_CHAINS, kChains);
  Sampler sampler(context, model, &options);
  std::vector<uint8_t> sequences(static_cast<std::size_t>(kChains * kRounds * kStateSites));
  check(atp_sampler_sample(sampler.get(), kThin, sequences.data(), static_cast<int64_t>(sequences.size()), nullptr, nullptr, nullptr));
  std::vector<int64_t> counts(kStates);
  for (std::size_t m = 0; m < sequences.size(); m += kStateSites) {
    std::size_t state = 0;
    for (std::size_t i = 0; i < kStateSites; ++i) state = state * kStateColors + sequences[m + i];
    if (state < counts.size()) ++counts[state];
  }
  return counts;
}

// The colour of a site in a state; site 0 is the slowest digit.
std::size_t color_in(std::size_t state, std::size_t site) {
  for (std::size_t k = site + 1; k < kStateSites; ++k) state /= kStateColors;
  return state % kStateColors;
}

// Sums over states with two colours at two sites, or one: [pair i <= j][a][b].
template <class T>
std::vector<T> pair_sums(const std::vector<T> &states) {
  std::vector<T> sums;
  for (std::size_t i = 0; i < kStateSites; ++i)
    for (std::size_t j = i; j < kStateSites; ++j) {
      std::vector<T> of_pair(kStateColors * kStateColors);
      for (std::size_t state = 0; state < states.size(); ++state)
        of_pair[color_in(state, i) * kStateColors + color_in(state, j)] += states[state];
      sums.insert(sums.end(), of_pair.begin(), of_pair.end());
    }
  return sums;
}

// Divergence of Bernoulli distributions, D(f || p).
double divergence(double f, double p) {
  const auto part = [](double a, double b) { return a > 0 ? a * std::log(a / b) : 0; };
  return part(f, p) + part(1 - f, 1 - p);
}

}  // namespace

// Chernoff: with n independent samples, n D(f || p) > t has at most the probability 2 exp(-t). The sum over all events is the alarm rate.
SampleCheck check_samples(const Session &session, bool dense) {
  const Context context = check_context(session.context.simd(), session.context.threads());
  const Model model = sampled_model(session, context, dense);
  std::vector<double> exact = model.enumerate(false, true).probabilities;
  std::vector<int64_t> counts = counted_states(session, context, model);
  // Single states see large errors of a few; pairs of sites see small errors of many.
  const std::vector<double> exact_pairs = pair_sums(exact);
  const std::vector<int64_t> pairs = pair_sums(counts);
  exact.insert(exact.end(), exact_pairs.begin(), exact_pairs.end());
  counts.insert(counts.end(), pairs.begin(), pairs.end());
  SampleCheck result;
  result.states = kStates;
  result.samples = kChains * kRounds;
  result.bound = std::log(2 * static_cast<double>(counts.size()) / kSampleAlarm);
  const auto n = static_cast<double>(result.samples);
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (exact[k] > 0 || counts[k] > 0)  // two colours at one site have neither
      result.largest = std::max(result.largest, n * divergence(static_cast<double>(counts[k]) / n, std::min(exact[k], 1.0)));
  return result;
}

namespace {

enum class Color { red = 31, green = 32, yellow = 33 };

bool has_value(const char *name) {
  const char *value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool shows_colors() {
  const char *terminal = std::getenv("TERM");
  return !has_value("NO_COLOR") && terminal != nullptr && std::strcmp(terminal, "dumb") != 0 && is_terminal(1);
}

// The word in this colour if standard output is a terminal, and neither NO_COLOR (https://no-color.org) nor TERM=dumb is set.
std::string colored(const std::string &word, Color color) {
  return shows_colors() ? fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(color), word) : word;
}

constexpr double kSlow = 0.4;  // of the expected ratio: Zen 4, whose 512 bits are two halves, is not slow
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Color color_of(const char *result) {
  return std::strcmp(result, "FAIL") == 0 ? Color::red : std::strcmp(result, "slow") == 0 ? Color::yellow : Color::green;
}

// Prints a line for each check, or collects them for a table.
class CheckReport {
 public:
  explicit CheckReport(const Session &session)
      : session_(session), table_(session, {"check", "target", "what", "result", "found", "expected", "text"}) {}
  void line(const char *result, const std::vector<std::string> &about, double found, double expected, const std::string &text) {
    stop_if_interrupted();
    ++count_;
    if (std::strcmp(result, "FAIL") == 0) ++failures_;
    if (std::strcmp(result, "slow") == 0) ++slow_;
    table_.row({about[0], about[1], about[2], result, cell(found), cell(expected), text});
    if (!session_.json)
      write_text(session_, "-",
                 fmt::format("{}  {:<8} {:<7} {}: {}\n", colored(fmt::format("{:<4}", result), color_of(result)), about[0], about[1],
                             about[2], text));
  }
  int end() const;

 private:
  const Session &session_;
  Table table_;
  int64_t count_ = 0, failures_ = 0, slow_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

int CheckReport::end() const {
  if (session_.json) {
    table_.write(session_, "-");
  } else {
    write_text(session_, "-", fmt::format("{} checks in {:.1f} s: {} failed, {} slow\n", count_, seconds_since(begin_), failures_, slow_));
  }
  if (failures_ > 0) failed("{} of {} checks failed: results of this machine cannot be trusted (expected: none fails)", failures_, count_);
  return kDone;
}

// The difference of two results: relative to the norm of the second, or the fraction of values that differ. A NaN counts as different.
double distance_between(const std::vector<double> &one, const std::vector<double> &other, bool counted) {
  if (one.size() != other.size()) return kInfinity;
  double difference = 0, norm = 0, differing = 0;
  for (std::size_t k = 0; k < one.size(); ++k) {
    if (one[k] == other[k] || (std::isnan(one[k]) && std::isnan(other[k]))) {
      norm += std::isnan(one[k]) ? 0 : other[k] * other[k];
      continue;
    }
    ++differing;
    difference += (one[k] - other[k]) * (one[k] - other[k]);
    norm += other[k] * other[k];
  }
  if (counted) return differing / static_cast<double>(one.size());
  return std::isfinite(difference) ? std::sqrt(difference / std::max(norm, 1e-300)) : kInfinity;
}

bool same_bits(const std::vector<double> &one, const std::vector<double> &other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(double)) == 0;
}

std::vector<double> numbers_of(const CheckWork &work, const std::string &target, int64_t threads) {
  const Context context = check_context(target, threads);
  return work.make(context.get())->numbers();
}

bool has_fused_multiply_add(const std::string &target) { return target != "sse4"; }

// Kernels of one family on one target against the scalar reference.
void check_kernels(CheckReport &report, const CheckWork &work, const std::vector<std::string> &targets) {
  const std::vector<double> reference = numbers_of(work, "scalar", 1);
  for (const std::string &target : targets) {
    if (target == "scalar") continue;
    const std::vector<double> found = numbers_of(work, target, 1);
    const bool same = same_bits(found, reference);
    const double far = distance_between(found, reference, work.counted);
    const double bound = has_fused_multiply_add(target) ? 0 : work.tolerance;
    const bool good = same || (bound > 0 && far <= bound);
    const std::string text =
        same ? fmt::format("{} numbers, same bits as scalar code", reference.size())
             : fmt::format("{} {:.2g} from scalar code (expected: {})", work.counted ? "a fraction of" : "relative distance", far,
                           bound > 0 ? fmt::format("at most {:g}, without fused multiply-add", bound) : "same bits");
    report.line(good ? "ok" : "FAIL", {"kernels", target, work.name}, far, bound, text);
  }
}

void check_threads(CheckReport &report, const CheckWork &work, const std::string &target, int64_t threads) {
  const std::vector<double> one = numbers_of(work, target, 1), all = numbers_of(work, target, threads);
  const bool same = same_bits(all, one);
  const double far = distance_between(all, one, work.counted);
  report.line(same ? "ok" : "FAIL", {"threads", target, work.name}, far, 0,
              same ? fmt::format("same bits with 1 and {} threads", threads)
                   : fmt::format("1 and {} threads differ by {:.2g} (expected: same bits)", threads, far));
}

void check_distribution(CheckReport &report, const Session &session, bool dense) {
  const SampleCheck found = check_samples(session, dense);
  report.line(found.good() ? "ok" : "FAIL",
              {"samples", atp_context_simd(session.context.get()), dense ? "sampling of dense models" : "sampling of factored models"},
              found.largest, found.bound,
              fmt::format("{} samples of {} states, n D = {:.1f} (expected: at most {:.1f}; false alarms: {:g})", found.samples,
                          found.states, found.largest, found.bound, kSampleAlarm));
}

// The best rate of a job in blocks of work, taken by turns with another.
struct Pace {
  std::unique_ptr<CheckJob> job;
  double best = 0;
  void measure() {
    const auto begin = std::chrono::steady_clock::now();
    double amount = 0, seconds = 0;
    while (seconds < 0.02) {
      amount += job->step();
      seconds = seconds_since(begin);
    }
    best = std::max(best, amount / seconds);
  }
};

void check_speed(CheckReport &report, const CheckWork &work, const std::string &target) {
  const double expected = work.expected(target);
  const Context fast_context = check_context(target, 1), scalar_context = check_context("scalar", 1);
  Pace fast{work.make(fast_context.get())}, scalar{work.make(scalar_context.get())};
  for (int k = 0; k < 12; ++k) {
    fast.measure();
    scalar.measure();
  }
  const double ratio = fast.best / scalar.best;
  const bool slow = expected > 0 && ratio < kSlow * expected;
  report.line(slow ? "slow" : "ok", {"speed", target, work.name}, ratio, expected > 0 ? expected : std::nan(""),
              fmt::format("{:.3g} {}/s, {:.1f} times scalar code ({})", fast.best, work.unit, ratio,
                          expected > 0 ? fmt::format("expected: {:g}, slow below {:g}", expected, kSlow * expected)
                                       : std::string("no expected ratio for this target")));
}

struct CheckFlags {
  std::string only;  // "": all
  bool wants(const char *kind) const { return only.empty() || only == kind; }
};

int run_check(Session &session, const CheckFlags &flags) {
  std::vector<std::string> targets;
  for (int64_t k = 0; atp_simd_target(k) != nullptr; ++k) targets.emplace_back(atp_simd_target(k));
  const std::string target = atp_context_simd(session.context.get());
  const int64_t threads = std::max<int64_t>(2, atp_context_threads(session.context.get()));
  CheckReport report(session);
  if (flags.wants("kernels"))
    for (const CheckWork &work : check_works()) check_kernels(report, work, targets);
  if (flags.wants("samples"))
    for (const bool dense : {false, true}) check_distribution(report, session, dense);
  if (flags.wants("threads"))
    for (const CheckWork &work : check_works()) check_threads(report, work, target, threads);
  if (flags.wants("speed") && target != "scalar")
    for (const CheckWork &work : check_works())
      if (!work.unit.empty()) check_speed(report, work, target);
  return report.end();
}

void add_check(CLI::App *app, CheckFlags *flags) {
  add_choice(app, "--only", flags->only,
             Words<std::string>{{"kernels", "kernels"}, {"samples", "samples"}, {"threads", "threads"}, {"speed", "speed"}},
             "make only checks of one kind")
      ->default_str("");
}

}  // namespace

const Command kCheckCommand = {
    "check",
    "test in 20 seconds that the library works on this machine, and how fast",
    kOfProgram,
    "attopotts check",
    nullptr,
    with_flags<CheckFlags, add_check, run_check>,
    {},
    Keeps::nothing,
    "Kernels of every SIMD target are compared with scalar code, samples with exact probabilities, one thread with all.\n"
    "A line for each check: ok, FAIL or slow. Speed is that of one thread, as a ratio to scalar code in the same run; slow: below 0.4\n"
    "of the expected ratio (docs/performance.md), on a busy machine for example. The exit status is 1 if a check failed; slow\n"
    "checks do not change it."};

}  // namespace cli
