// SPDX-License-Identifier: MIT
// Name, unit and description of the columns of each table; tests/symbols/check_columns.py compares them with the enums of the headers.
#include "theory/replica/options.hpp"

namespace atp::replica {

namespace {

constexpr ColumnInfo kReplicaCurve[] = {
    {"alpha", "", "samples per parameter, M / p"},
    {"lambda", "", "L2 penalty per parameter"},
    {"eg", "", "generalisation loss, rho + q - 2 m + T V for the square loss"},
    {"et", "", "training loss, e_g / (1 + V)^2 at T = 0 for the square loss"},
    {"rho", "", "variance of y: the loss of w = 0"},
    {"q", "", "w . S w' of two students w, w' from the same data; w = w' at T = 0"},
    {"m", "", "w . S w*, the overlap with the teacher"},
    {"v", "", "response V; infinite if lambda = 0 and alpha <= 1"},
    {"qhat", "", "conjugate of q per parameter"},
    {"mhat", "", "conjugate of m per parameter"},
    {"vhat", "", "conjugate of V per parameter"},
    {"kappa", "", "effective ridge penalty kappa = lambda / V^, per parameter"},
    {"norm", "", "|w|^2 at the minimum of the energy"},
    {"free_energy", "", "-(T / p) E log int dw (p / (2 pi T))^(p/2) exp(-energy / T); at T = 0 the smallest energy / p"},
    {"iterations", "", "iterations of the solver; 0 for a closed form"},
    {"residual", "", "relative residual of the equations at the solution"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED, MAX_ITER, DIVERGED (e_g is infinite) or, of CONVEX tasks, STALLED"},
    {"quadrature", "", "estimated relative error of the quadratures; 0 if there are none"},
};

constexpr ColumnInfo kReplicaSimulation[] = {
    {"alpha", "", "samples per parameter, M / p, after M is rounded"},
    {"eg", "", "generalisation loss; the average over inputs is exact"},
    {"eg_sem", "", "standard error of eg; NaN for one realisation"},
    {"et", "", "training loss"},
    {"et_sem", "", "standard error of et; NaN for one realisation"},
    {"samples", "", "number of samples, M = max(1, alpha p rounded)"},
    {"realisations", "", "number of realisations; 0, with losses of NaN, if the run was cancelled before"},
};

}  // namespace

constexpr TableKind kReplicaCurveTable = kind_of(ATP_TABLE_REPLICA_CURVE, "ATP_TABLE_REPLICA_CURVE", kReplicaCurve);
constexpr TableKind kReplicaSimulationTable = kind_of(ATP_TABLE_REPLICA_SIMULATION, "ATP_TABLE_REPLICA_SIMULATION", kReplicaSimulation);

}  // namespace atp::replica
