// SPDX-License-Identifier: MIT
#include "run/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace cli {

namespace {

int64_t integer(const atp_options *options, atp_option key) {
  int64_t value = 0;
  check(atp_options_get_i64(options, key, &value));
  return value;
}

// The value of a line in /proc/self/status, in bytes; 0 if it is missing.
double process_bytes(const std::string &name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name + ":", 0) == 0) return 1024 * std::strtod(line.c_str() + name.size() + 1, nullptr);
  return 0;
}

// Bytes of the model: dense couplings, of all pairs or of so many (0: all), and fields, or the heads and fields of factored attention; a
// dial at 0 is one head.
double model_bytes(const atp_alignment *data, const atp_options *options, double pairs) {
  const double sites = static_cast<double>(atp_alignment_sites(data));
  double colors = static_cast<double>(atp_alignment_colors(data));
  if (integer(options, ATP_OPT_FAMILY) != ATP_FAMILY_DENSE)
    return 8 * (static_cast<double>(integer(options, ATP_OPT_HEADS)) * (sites * sites + colors * colors) + sites * colors);
  if (integer(options, ATP_OPT_GAPS) == ATP_GAPS_IGNORE) --colors;
  if (pairs > 0) return 16 * pairs * (colors * colors + 2) + 8 * sites * colors;
  return 8 * (sites * sites * colors * colors + sites * colors);
}

// Bytes of a saved state, at most: of dense couplings parameters and, without --asymmetric, gradient and what the optimizer keeps; of the
// others, which are small, all that training needs.
double state_bytes(const atp_alignment *data, const atp_options *options, double training) {
  if (integer(options, ATP_OPT_FAMILY) != ATP_FAMILY_DENSE) return training;
  const double sites = static_cast<double>(atp_alignment_sites(data));
  double colors = static_cast<double>(atp_alignment_colors(data));
  if (integer(options, ATP_OPT_GAPS) == ATP_GAPS_IGNORE) --colors;
  const double real = integer(options, ATP_OPT_PRECISION) == 64 ? 8 : 4;
  if (integer(options, ATP_OPT_ASYMMETRIC) != 0) return real * sites * (colors + (sites - 1) * colors * colors);
  const int64_t history = integer(options, ATP_OPT_HISTORY);
  const double vectors = 2 * static_cast<double>(history == 0 ? 5 : history) + 2;
  return real * vectors * (sites * colors + sites * (sites - 1) / 2 * colors * colors);
}

}  // namespace

double available_memory(const Session &session) {
  int64_t available = 0;
  check(atp_context_memory_limit(session.context.get(), nullptr, &available));
  return available == INT64_MAX ? -1 : static_cast<double>(available);
}

std::string memory_text(double bytes) {
  if (bytes >= 999.5e9) return fmt::format("{:.3g} TB", bytes / 1e12);
  if (bytes >= 999.5e6) return fmt::format("{:.3g} GB", bytes / 1e9);
  return bytes >= 999.5e3 ? fmt::format("{:.3g} MB", bytes / 1e6) : fmt::format("{:.3g} kB", bytes / 1e3);
}

void require_memory(const Session &session, double bytes, const std::string &what) {
  const double available = available_memory(session);
  if (available >= 0 && bytes > available)
    wrong_use("{} need {}, the memory limit leaves {}, expected a smaller task or a larger --memory", what, memory_text(bytes),
              memory_text(available));
}

void require_pair_tables(const Session &session, int64_t sites, double bytes, const std::string &remedy) {
  const auto side = static_cast<double>(sites);
  require_memory(session, bytes * side * side, fmt::format("tables of {0} x {0} sites ({1})", sites, remedy));
}

MemoryForecast forecast_memory(const Session &session, const atp_alignment *data, const atp_options *options, const RunPlan &plan) {
  int64_t bytes = 0;
  const bool restricted = plan.pairs != nullptr && !plan.pairs->empty();
  check(restricted ? atp_trainer_pairs_bytes(session.context.get(), data, options, plan.pairs->data(),
                                             static_cast<int64_t>(plan.pairs->size() / 2), &bytes)
                   : atp_trainer_bytes(session.context.get(), atp_alignment_count(data), atp_alignment_sites(data),
                                       atp_alignment_colors(data), options, &bytes));
  MemoryForecast f;
  f.training = static_cast<double>(bytes) + plan.more_training_bytes;
  const std::size_t pairs = restricted ? plan.pairs->size() / 2 : 0;
  const double model = plan.model ? model_bytes(data, options, static_cast<double>(pairs)) : 0;
  const double with_trainer = f.training + std::max(model, !plan.checkpoint ? 0
                                                           : restricted     ? f.training
                                                                            : state_bytes(data, options, f.training));
  // HDF5 builds the file in memory, and its own pages are touched for the first time.
  constexpr double kWriter = 6e6;
  f.more = std::max(with_trainer, plan.written ? 2 * model + kWriter : model);
  f.peak = std::max(process_bytes("VmHWM"), process_bytes("VmRSS") + f.more);
  return f;
}

MemoryForecast forecast_of(double bytes) { return {bytes, std::max(process_bytes("VmHWM"), process_bytes("VmRSS") + bytes), bytes}; }

std::string forecast_text(const atp_alignment *data, const MemoryForecast &f, double available, const char *what) {
  return fmt::format("{} sequences, {} sites, {} colours; {} needs {}, the process {} at most{}", atp_alignment_count(data),
                     atp_alignment_sites(data), atp_alignment_colors(data), what, memory_text(f.training), memory_text(f.peak),
                     available < 0 ? "" : fmt::format(" ({} available)", memory_text(available)));
}

}  // namespace cli
