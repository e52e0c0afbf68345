# SPDX-License-Identifier: MIT
"""Coupling error and held-out loss against the number of sequences

Gaussian J and U, L = q = 20, a mean Hamming distance of 0.3; one head learns from the first M of 12000 sequences by L-BFGS, with the wide
start, at most 2000 iterations, no penalty. 3000 other sequences are held out.
Without a penalty some directions have no minimum, and the coupling error depends on where the descent stops. *site-independent*: frequencies of the M sequences.
"""
import lab as tools
import potts_data

COUNTS, TESTS = (750, 1500, 3000, 6000, 12000), 3000
KEY = ("samples",)
COLUMNS = ["samples", "test_loss", "optimal_loss", "difference", "independent_loss", "coupling_error", "error_times_samples", "epochs",
           "seconds", "outcome"]
AGREE = {"coupling_error.csv": tools.Same(KEY, ("test_loss", "optimal_loss", "independent_loss", "coupling_error", "epochs", "outcome"))}


def compute(lab):
    truth, data, test = potts_data.draw(lab.potts, "gaussian", 0.3, 1, COUNTS[-1], TESTS)

    def run(samples):
        train = data[:samples]
        trainer = lab.potts.Trainer(train, epochs=2000)
        _, seconds = tools.timed(lambda: trainer.start_wide(4))
        outcome, more = tools.timed(trainer.run)
        loss, optimal, error = trainer.loss(test), truth.loss(test), trainer.model().coupling_error(truth)
        return {"test_loss": loss, "optimal_loss": optimal, "difference": loss - optimal,
                "independent_loss": test.independent_loss(train.frequencies(1 / (1 + samples))),
                "coupling_error": error, "error_times_samples": error * samples, "epochs": trainer.epochs,
                "seconds": f"{seconds + more:.4f}", "outcome": outcome}

    lab.complete("coupling_error.csv", KEY, COLUMNS, [(m,) for m in lab.pick(COUNTS, (750, 3000))], run)


def report(lab):
    return tools.markdown({"M": "samples", "test loss": "test_loss", "optimal loss": "optimal_loss", "difference": "difference",
                           "site-independent": "independent_loss", "coupling error": "coupling_error", "error x M": "error_times_samples",
                           "iterations": "epochs", "outcome": "outcome"}, lab.rows("coupling_error.csv"),
                          {"test_loss": "{:.4f}", "optimal_loss": "{:.4f}", "difference": "{:.4f}", "independent_loss": "{:.4f}",
                           "coupling_error": "{:.5f}", "error_times_samples": "{:.1f}"})


def claims(lab):
    row = lab.rows("coupling_error.csv")[-1]
    return [("more", "with enough sequences L-BFGS reaches the optimal loss at distance 0.3", "holds",
             f"above it by {row['difference']:.4f} nats with M = {row['samples']:.0f}, coupling error {row['coupling_error']:.2f}")]


def draw(lab):
    rows = lab.rows("coupling_error.csv")
    figure, (ax,) = tools.figure(size=(7.5, 4.8))
    tools.curve(ax, rows, "samples", "coupling_error", marker="o", label="coupling error (no unit)")
    tools.curve(ax, rows, "samples", "difference", marker="s", label="test loss - optimal loss (nats per site)")
    ax.plot([r["samples"] for r in rows], [rows[-1]["error_times_samples"] / r["samples"] for r in rows], "k--", lw=1, label="slope -1")
    ax.set(xscale="log", yscale="log", xlabel="training sequences M")
    ax.legend()
    return {"coupling_error": figure}
