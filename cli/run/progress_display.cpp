// SPDX-License-Identifier: MIT
#include "run/progress_display.hpp"

#include "run/signals.hpp"

#include <cmath>
#include <cstdio>

namespace cli {

namespace {

struct Key {
  atp_progress_key key;
  const char *name;
};

constexpr Key kKeys[] = {
    {ATP_PROGRESS_OBJECTIVE, "objective"},
    {ATP_PROGRESS_TRAIN_LOSS, "train_loss"},
    {ATP_PROGRESS_TEST_LOSS, "test_loss"},
    {ATP_PROGRESS_OPTIMAL_LOSS, "optimal_loss"},
    {ATP_PROGRESS_COUPLING_ERROR, "coupling_error"},
    {ATP_PROGRESS_GRADIENT_NORM, "gradient_norm"},
    {ATP_PROGRESS_RATE, "rate"},
    {ATP_PROGRESS_SITE_UPDATES, "site_updates"},
    {ATP_PROGRESS_ENERGY, "energy"},
    {ATP_PROGRESS_SWAP_RATE, "swap_rate"},
    {ATP_PROGRESS_PEARSON, "pearson"},
    {ATP_PROGRESS_SLOPE, "slope"},
    {ATP_PROGRESS_FIELD_ERROR, "field_error"},
};

constexpr int kBarWidth = 24;

}  // namespace

std::string short_number(double value) {
  const char *prefixes[] = {"", " k", " M", " G", " T"};
  int k = 0;
  while (std::fabs(value) >= 999.5 && k < 4) {
    value /= 1000;
    ++k;
  }
  return fmt::format("{:.3g}{}", value, prefixes[k]);
}

std::string clock_time(double seconds) {
  const int64_t s = static_cast<int64_t>(std::ceil(std::fmax(0.0, seconds)));
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

Progress::Progress(const Session &session, std::string task, std::string unit)
    : session_(session), task_(std::move(task)), unit_(std::move(unit)) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

int Progress::callback(const atp_progress *progress, void *self) {
  static_cast<Progress *>(self)->show(progress);
  return interrupted() ? 1 : 0;
}

void Progress::show(const atp_progress *progress) {
  if (session_.progress == ProgressMode::none) return;
  const double step = offset_ + atp_progress_value(progress, ATP_PROGRESS_STEP);
  const double total = total_ > 0 ? total_ : atp_progress_value(progress, ATP_PROGRESS_TOTAL);
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  if (first_step_ < 0) {
    before_ = offset_;
    first_step_ = step;
    first_seconds_ = seconds;
  }
  if (session_.progress == ProgressMode::json) return show_json(progress, step, total, seconds);
  if (session_.progress == ProgressMode::lines) {
    if (now - session_.line_shown < kLineInterval) return;
    session_.line_shown = now;
    return show_line(progress, step, total, seconds);
  }
  if (std::chrono::duration<double>(now - shown_).count() < 0.1 && step < total) return;
  shown_ = now;
  show_bar(progress, step, total, seconds);
}

void Progress::show_json(const atp_progress *progress, double step, double total, double seconds) const {
  std::string line = fmt::format("{{\"task\":{},\"unit\":{},\"step\":{:.17g}", json_string(task_), json_string(unit_), step);
  if (std::isfinite(total)) line += fmt::format(",\"total\":{:.17g}", total);
  line += fmt::format(",\"seconds\":{:.3f}", seconds);
  for (const Key &k : kKeys) {
    const double value = atp_progress_value(progress, k.key);
    if (std::isfinite(value)) line += fmt::format(",\"{}\":{:.10g}", k.name, value);
  }
  to_stderr(fmt::format("{}}}\n", line));
}

void Progress::show_bar(const atp_progress *progress, double step, double total, double seconds) {
  std::string line = task_;
  if (std::isfinite(total) && total > 0) {
    const int filled = static_cast<int>(kBarWidth * std::fmin(1.0, step / total));
    line += fmt::format(" [{}{}] {:3.0f}%", std::string(static_cast<std::size_t>(filled), '#'),
                        std::string(static_cast<std::size_t>(kBarWidth - filled), '.'), 100 * std::fmin(1.0, step / total));
  }
  to_stderr(fmt::format("\r\x1b[K{}{}", line, details(progress, step, total, seconds)));
  std::fflush(stderr);
  drawn_ = true;
}

// "sample: 1200 of 6400 sweeps (19%)  55.1 M site updates/s  4:05 left"
void Progress::show_line(const atp_progress *progress, double step, double total, double seconds) {
  std::string line = fmt::format("{}: {:.0f}", task_, step);
  if (std::isfinite(total) && total > 0)
    line += fmt::format(" of {:.0f} {} ({:.0f}%)", total, unit_, 100 * std::fmin(1.0, step / total));
  else
    line += " " + unit_;
  to_stderr(fmt::format("{}{}\n", line, details(progress, step, total, seconds)));
}

std::string Progress::details(const atp_progress *progress, double step, double total, double seconds) {
  const double made = step - before_;
  std::string line;
  const double updates = atp_progress_value(progress, ATP_PROGRESS_SITE_UPDATES);
  const double call_seconds = atp_progress_value(progress, ATP_PROGRESS_SECONDS);
  if (std::isfinite(updates) && call_seconds > 0)
    line += fmt::format("  {} site updates/s", short_number(updates / call_seconds));
  else if (seconds > 0)
    line += fmt::format("  {} {}/s", short_number(made / seconds), unit_);
  const double train = atp_progress_value(progress, ATP_PROGRESS_TRAIN_LOSS), test = atp_progress_value(progress, ATP_PROGRESS_TEST_LOSS);
  if (std::isfinite(train)) line += fmt::format("  loss {:.4f}", train);
  const double pearson = atp_progress_value(progress, ATP_PROGRESS_PEARSON);
  if (std::isfinite(pearson))
    line += fmt::format("  Pearson {:.3f} slope {:.3f}", pearson, atp_progress_value(progress, ATP_PROGRESS_SLOPE));
  if (std::isfinite(test)) line += fmt::format("  test {:.4f}", test);
  // The first report does not count once there is another: the first iteration of a training takes as long as two or three later ones,
  // since it evaluates the start, too, and searches for the scale of a step.
  if (std::isfinite(total) && step > first_step_)
    line += fmt::format("  {} left", clock_time((seconds - first_seconds_) / (step - first_step_) * (total - step)));
  else if (std::isfinite(total) && made > 0)
    line += fmt::format("  {} left at most", clock_time(seconds / made * (total - step)));
  return line;
}

}  // namespace cli
