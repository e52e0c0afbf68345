// SPDX-License-Identifier: MIT
// Name, unit and description of the columns of each table; tests/symbols/check_columns.py compares them with the enums of the headers.
#include "sample/options.hpp"

namespace atp {

namespace {

constexpr ColumnInfo kTuning[] = {
    {"beta", "", "inverse temperature that was found"},
    {"beta_error", "", "standard error of beta, jackknife over ladders; infinite if the target was not reached"},
    {"hamming", "", "mean Hamming distance at beta, a fraction of the sites, interpolated between rungs"},
    {"hamming_error", "", "standard error of the measured distance"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED, MAX_ITER or CANCELLED"},
};

constexpr ColumnInfo kSampling[] = {
    {"beta", "", "inverse temperature of the sequences"},
    {"hamming", "", "mean Hamming distance between independent chains, a fraction of the sites; of one chain between all its sequences"},
    {"hamming_error", "", "standard error of hamming, jackknife over chains; 0 for fewer than three chains"},
    {"tau", "sweeps", "integrated autocorrelation time of the energy; 0: not measurable"},
    {"tau_error", "sweeps", "standard error of tau"},
    {"rhat", "", "split R-hat of the energy; 0: not measurable"},
    {"burn_in", "sweeps", "sweeps of a chain before the first sequence"},
    {"thin", "sweeps", "sweeps between two sequences of a chain"},
    {"temperatures", "", "rungs of the ladder; 1: no replica exchange"},
    {"beta_hot", "", "smallest beta of the ladder"},
    {"swap_rate", "", "smallest exchange rate between neighbours in the last pilot run; 1 without pilot runs"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED (the two runs agree), MAX_ITER (they do not) or DONE (ATP_PROTOCOL_CHAIN)"},
    {"overlap_rhat", "", "R-hat of overlaps, see atp_overlap_rhat(); 0: not measurable (fewer than 5 sequences of a chain)"},
};

}  // namespace

constexpr TableKind kTuningTable = kind_of(ATP_TABLE_TUNING, "ATP_TABLE_TUNING", kTuning);
constexpr TableKind kSamplingTable = kind_of(ATP_TABLE_SAMPLING, "ATP_TABLE_SAMPLING", kSampling);

}  // namespace atp
