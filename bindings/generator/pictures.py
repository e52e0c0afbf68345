# SPDX-License-Identifier: MIT
"""What pictures of tables show, the same in all languages."""

# By kind of table: the column along the axis, the columns against it, and what these are together.
CURVES = {
    "REPLICA_CURVE": ("alpha", ("eg", "et"), "loss"),
    "REPLICA_SIMULATION": ("alpha", ("eg", "et"), "loss"),
    "DOTATTN_CURVE": ("alpha", ("eg", "eg_linear"), "loss"),
    "DOTATTN_TOKENS": ("alpha", ("eg",), "loss"),
    "DOTATTN_SIMULATION": ("alpha", ("eg",), "loss"),
    "DOTATTN_TRANSITION": ("omega", ("alpha_c", "alpha_linear"), "alpha"),
    "DOTATTN_DYNAMICS": ("time", ("m", "theta"), "overlap"),
    "DOTATTN_TRAJECTORY": ("time", ("m", "theta"), "overlap"),
    "TRAINING_LOG": ("epoch", ("train_loss", "test_loss", "optimal_loss"), "loss"),
    "WEIGHTS": ("theta", ("effective",), "sequences"),
    "SELECTION": ("l2_couplings", ("heldout_loss", "independent_loss"), "held-out loss, nats per site"),
}
# Columns whose descriptions begin with what they are called, in every kind of table; so do those above.
NAMED = ("eg", "et")
# Tables whose losses are means of runs: points with standard errors.
SIMULATED = ("REPLICA_SIMULATION", "DOTATTN_SIMULATION")
# Estimates whose standard errors are not in the column NAME_sem.
ERRORS = {"heldout_loss": "standard_error", "excess": "excess_error", "substitution_loss": "substitution_error"}
