#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ways to descend dense pseudo-likelihood on DHFR that the library does not have: evaluations to two levels of the objective.

usage: newton.py DHFR.a2m [METHOD...]        without METHOD all of them

    library   the library's own descent, in centred and scaled unknowns
    scaled    the same unknowns, by SciPy's L-BFGS-B: what a change of the metric alone is compared with
    colours   the metric of a pair of sites is that of independent sites, 2 N_eff C_i x C_j + 2 A_J, C_i the covariance of the colours of
              site i, by its eigenvectors; scaled has the diagonal of it
    sites     colour covariance times the covariance of all sites' colours, C x S + S x C, with a ridge sqrt(A_J / N_eff) on both
    newton    Newton's method, its steps by conjugate gradients in the unknowns of `scaled`; products with the Hessian count as an
              evaluation each, which is what they would cost in kernels of their own (here: differences of gradients)
    newton-colours  the same in those of `colours`

Penalties 16 and 0.01, gaps ignored, weights at 80 per cent identity, two threads, history 5: as descent.py. An evaluation is a gradient of the
library. Prints method, level, iterations, evaluations, processor seconds. Needs NumPy, SciPy and the Python package attopotts.
"""
import sys
import time

import attopotts
import numpy as np
import scipy.optimize

LEVELS = (165_888, 165_692)  # plmc's after 100 iterations, and 1e-5 above the minimum
PAIRS, FIELDS, STATES, MOST = 16, 0.01, 20, 100


class Found(Exception):
    """The last level is reached, or evaluations are used up."""


class Problem:
    """Objective and gradient in unknowns z: h and J follow from z by a linear map."""

    def __init__(self, path, name):
        context = attopotts.Context(threads=2)
        family = attopotts.Alignment.read(path, alphabet="protein", context=context).focus("DYR_ECOLI")
        family.weigh(0.2)
        self.trainer = attopotts.Trainer(family, family="dense", gaps="ignore", l2_couplings=PAIRS, l2_fields=FIELDS, context=context)
        sequences, weights = np.array(family.sequences), np.array(family.weights)
        self.sites, self.total, self.name = sequences.shape[1], weights.sum(), name
        seen = (sequences[:, :, None] == np.arange(1, STATES + 1)).astype(np.float32)
        self.f = np.einsum("n,nia->ia", weights, seen) / self.total
        self.i, self.j = np.triu_indices(self.sites, 1)
        self.covariance = None
        if name == "sites":
            flat = (seen - self.f).reshape(len(seen), -1) * np.sqrt(weights / self.total)[:, None]
            self.covariance = (flat.T @ flat).astype(np.float64)
        self.start = np.array(self.trainer.parameters, dtype=float)
        self.count = self.sites * STATES
        self.evaluations = self.iterations = 0
        self.left, self.begin = list(LEVELS), time.process_time()
        self.prepare()

    def prepare(self):
        variance = self.f * (1 - self.f)
        self.field_scale = 1 / np.sqrt(self.total * variance + 1)
        pair = 2 * self.total * variance[self.i][:, :, None] * variance[self.j][:, None, :] + 2 * PAIRS
        self.pair_scale, self.turn = 1 / np.sqrt(pair), None
        blocks = np.stack([np.diag(p) - np.outer(p, p) for p in self.f])
        if self.name.endswith("colours"):
            values, self.turn = np.linalg.eigh(blocks)
            self.pair_scale = 1 / np.sqrt(2 * self.total * values[self.i][:, :, None] * values[self.j][:, None, :] + 2 * PAIRS)
        if self.name == "sites":
            ridge = np.sqrt(PAIRS / self.total)
            colours = np.zeros((self.sites, STATES, self.sites, STATES))
            colours[range(self.sites), :, range(self.sites)] = blocks
            colours = colours.reshape(self.count, -1) + ridge * np.eye(self.count)
            # W^T colours W = 1, W^T covariance W = diagonal.
            values, vectors = scipy.linalg.eigh(self.covariance + ridge * np.eye(self.count), colours)
            self.basis = vectors.astype(np.float32)
            self.pair_scale = (1 / np.sqrt(self.total * (values[:, None] + values))).astype(np.float32)

    def size(self):
        return self.count + (self.count**2 if self.name == "sites" else self.start.size - self.count)

    def couplings(self, z):
        z = z[self.count:]
        if self.name == "sites":
            square = self.basis @ (self.pair_scale * z.reshape(self.count, -1).astype(np.float32)) @ self.basis.T
            square = ((square + square.T) / 2).reshape(self.sites, STATES, self.sites, STATES)
            return square[self.i, :, self.j].astype(float)
        J = self.pair_scale * z.reshape(-1, STATES, STATES)
        return J if self.turn is None else self.turn[self.i] @ J @ self.turn[self.j].transpose(0, 2, 1)

    def back(self, G):
        """The transpose of couplings()."""
        if self.name == "sites":
            square = np.zeros((self.sites, STATES, self.sites, STATES), np.float32)
            square[self.i, :, self.j], square[self.j, :, self.i] = G / 2, G.transpose(0, 2, 1) / 2
            return (self.pair_scale * (self.basis.T @ square.reshape(self.count, -1) @ self.basis)).ravel().astype(float)
        G = G if self.turn is None else self.turn[self.i].transpose(0, 2, 1) @ G @ self.turn[self.j]
        return (self.pair_scale * G).ravel()

    def evaluate(self, z, count=True):
        """Objective and gradient; h is the field at the mean of the other sites."""
        J, h = self.couplings(z), (z[:self.count].reshape(self.f.shape) * self.field_scale)
        np.add.at(h, self.i, -np.einsum("pab,pb->pa", J, self.f[self.j]))
        np.add.at(h, self.j, -np.einsum("pab,pa->pb", J, self.f[self.i]))
        self.trainer.parameters = np.concatenate([h.ravel(), J.ravel()])
        found = self.trainer.gradient()
        self.evaluations += count
        value, gradient = float(found.objective), np.asarray(found.gradient, dtype=float)
        while self.left and value <= self.left[0]:
            print(f"{self.name},{self.left.pop(0)},{self.iterations},{self.evaluations},{time.process_time() - self.begin:.1f}", flush=True)
        if not self.left or self.evaluations >= MOST:
            raise Found
        gh, G = gradient[:self.count].reshape(self.f.shape), gradient[self.count:].reshape(-1, STATES, STATES)
        G = G - gh[self.i][:, :, None] * self.f[self.j][:, None, :] - self.f[self.i][:, :, None] * gh[self.j][:, None, :]
        return value, np.concatenate([(gh * self.field_scale).ravel(), self.back(G)])

    def first(self):
        """The trainer's start, without couplings."""
        z = np.zeros(self.size())
        z[:self.count] = (self.start[:self.count].reshape(self.f.shape) / self.field_scale).ravel()
        return z

    def product(self, z, v):
        """The Hessian times v by a difference of gradients on both sides, which float32 bears; one evaluation."""
        step = 0.005 * max(1.0, np.linalg.norm(z)) / np.linalg.norm(v)
        ahead, behind = (self.evaluate(z + sign * step * v, count=False)[1] for sign in (1, -1))
        self.evaluations += 1
        return (ahead - behind) / (2 * step)


def lbfgs(problem):
    def next_iteration(_):
        problem.iterations += 1

    problem.iterations = 1
    scipy.optimize.minimize(problem.evaluate, problem.first(), jac=True, method="L-BFGS-B", callback=next_iteration,
                            options={"maxiter": MOST, "maxfun": MOST, "maxcor": 5, "ftol": 0, "gtol": 1e-9})


def newton(problem):
    """Conjugate gradients until the residual is min(1/2, root of the fall of the gradient) of the gradient; halved steps until the fall suffices."""
    z = problem.first()
    value, gradient = problem.evaluate(z)
    begin = np.linalg.norm(gradient)
    while True:
        problem.iterations += 1
        step, residual = np.zeros_like(z), -gradient
        direction, square = residual.copy(), residual @ residual
        while np.sqrt(square) > min(0.5, np.sqrt(np.linalg.norm(gradient) / begin)) * np.linalg.norm(gradient):
            image = problem.product(z, direction)
            length = square / (direction @ image)
            step, residual = step + length * direction, residual - length * image
            before, square = square, residual @ residual
            direction = residual + square / before * direction
        length = 1.0
        while True:
            found = problem.evaluate(z + length * step)
            if found[0] <= value + 1e-4 * length * (gradient @ step):
                break
            length /= 2
        z, (value, gradient) = z + length * step, found


def library(problem):
    """Iterations; the first has the start and three evaluations of its line search, others one each."""
    def report(progress):
        while problem.left and progress["objective"] <= problem.left[0]:
            step = int(progress["step"])
            print(f"library,{problem.left.pop(0)},{step},{step + 3},{time.process_time() - problem.begin:.1f}", flush=True)

    problem.trainer.run(MOST, progress=report)


METHODS = {"library": library, "scaled": lbfgs, "colours": lbfgs, "sites": lbfgs, "newton": newton, "newton-colours": newton}


def main():
    print("method,level,iterations,evaluations,processor_seconds")
    for name in sys.argv[2:] or METHODS:
        problem = Problem(sys.argv[1], name)
        try:
            METHODS[name](problem)
        except Found:
            pass
        for level in problem.left:
            print(f"{name},{level},,not within {problem.evaluations},{time.process_time() - problem.begin:.1f}", flush=True)


if __name__ == "__main__":
    main()
