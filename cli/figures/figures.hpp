// SPDX-License-Identifier: MIT
// The figures of the papers that `attopotts reproduce` makes: a table, a gnuplot script and pictures each.
#pragma once

#include "support/csv_table.hpp"
#include "support/dotattn_tables.hpp"
#include "support/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

// The settings of a figure.
struct FigureJob {
  std::string name, directory;  // files are DIRECTORY/NAME.csv, .gp, .svg, .png
  bool quick = false;
  std::vector<atp_couplings> couplings;  // of the data; empty: the figure's own
  double hamming = 0;                    // 0: the default for the couplings
  double rate = 0;                       // learning rate of SGD; 0: the figure's own
  // The problem; without a value the figure's own.
  std::optional<double> omega, sigma, lambda;  // dot-product attention; lambda also of the learning curve
  std::optional<double> shift;                 // z of the learning curve
  std::optional<int64_t> sites, realisations;  // of the learning curve
  // The problem is the figure's own.
  bool same_problem() const { return !omega && !sigma && !lambda && !shift && !sites && !realisations; }

  atp_couplings only_couplings() const { return couplings.empty() ? ATP_COUPLINGS_GAUSSIAN : couplings.front(); }
  double hamming_of(atp_couplings law) const;
};

// The flags of `reproduce` that a figure takes.
inline constexpr unsigned kTakesData = 1, kTakesRate = 2, kTakesOmega = 4, kTakesAttention = 8, kTakesGaussian = 16;

struct Figure {
  const char *name, *shows;
  unsigned takes;                                            // data: --couplings, --hamming
  const char *times;                                         // duration of the full version on two cores
  int (*run)(const Session &session, const FigureJob &job);  // returns the exit status
};

// The problem of dot-product attention.
AttentionTask attention_task(const FigureJob &job);

// Writes the table and the pictures, and prints their names.
void finish_figure(const Session &session, const FigureJob &job, const Table &table, const std::string &body, int width, int height);
void say_written(const Session &session, const FigureJob &job, bool drawn);
// Prints a line on standard output.
void print_line(const Session &session, const std::string &text);
// "gaussian", "contacts".
const char *couplings_name(atp_couplings law);
// Seeds of repetitions; the first is that of the session.
int64_t seed_of_run(const Session &session, int64_t run);
// "  (quick: ...)" for captions, "" in a full version.
std::string quick_note(const FigureJob &job, const std::string &what);

struct MeanError {
  double mean = 0, error = 0, lowest = 0, highest = 0;  // standard error of the mean; 0 for one value
};
MeanError mean_error(const std::vector<double> &values);

int reproduce_fig2a(const Session &session, const FigureJob &job);
int reproduce_fig2b(const Session &session, const FigureJob &job);
int reproduce_fig2c(const Session &session, const FigureJob &job);
int reproduce_fig2d(const Session &session, const FigureJob &job);
int reproduce_fig3_left(const Session &session, const FigureJob &job);
int reproduce_fig3_right(const Session &session, const FigureJob &job);
int reproduce_dotattn_overlaps(const Session &session, const FigureJob &job);
int reproduce_dotattn_phase(const Session &session, const FigureJob &job);

}  // namespace cli
