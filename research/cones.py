# SPDX-License-Identifier: MIT
"""Cones of labels: the best V, and how many sequences can be fitted (docs/theory.md, section 22); needs SciPy.

R [q, d] are the rows r_a of V in orthonormal colours (V = R B^T, B = `basis`). Label y asks for u in the cone C_y = {u: (r_y - r_a) . u >= 0}.
"""
import math


def basis(np, colors):
    """[q, q - 1]: orthonormal columns that add up to 0."""
    return np.linalg.qr(np.concatenate([np.ones((colors, 1)), np.eye(colors)[:, 1:]], 1))[0][:, 1:]


def scaled(np, r):
    """Without what adds one field to all colours, and |R|^2 = q - 1: thresholds do not see either."""
    r = r - r.mean(0)
    return r / np.linalg.norm(r) * math.sqrt(len(r) - 1)


def project(np, r, omega, labels):
    """(squared distances D of omega [n, d] from C_y, multipliers l [n, q] of the constraints, nearest points u in C_y)."""
    from scipy.optimize import nnls
    colors = len(r)
    others = [np.delete(np.arange(colors), c) for c in range(colors)]
    normals = [np.ascontiguousarray((r[c] - r[others[c]]).T) for c in range(colors)]
    multipliers, nearest = np.zeros((len(omega), colors)), np.empty_like(omega)
    for i, y in enumerate(labels):
        found = nnls(normals[y], -omega[i], maxiter=3000)[0]
        multipliers[i, others[y]], nearest[i] = found, omega[i] + normals[y] @ found
    return ((nearest - omega)**2).sum(1), multipliers, nearest


def slope_of(np, labels, multipliers, nearest, weights):
    """The derivative by R of the sum of weights times D: D = max_{l >= 0} -2 omega . N^T l - |N^T l|^2, N the rows r_y - r_a, has that at fixed l."""
    signed = multipliers.copy()
    signed[np.arange(len(labels)), labels] = -multipliers.sum(1)
    return 2 * (signed * weights[:, None]).T @ nearest


def draw_labels(np, generator, draws, rho, teacher):
    """(nu, labels, xi): labels of softmax(R* nu), nu of variance rho."""
    nu = math.sqrt(rho) * generator.standard_normal((draws, teacher.shape[1]))
    return nu, (nu @ teacher.T + generator.gumbel(size=(draws, len(teacher)))).argmax(1), generator.standard_normal(nu.shape)


def threshold(np, generator, draws, rho, teacher, r, tilt):
    """(1 / E D, its error) of omega = tilt nu + xi on fresh draws."""
    nu, labels, xi = draw_labels(np, generator, draws, rho, teacher)
    squared = project(np, r, tilt * nu + xi, labels)[0]
    return 1 / squared.mean(), squared.std() / math.sqrt(draws) / squared.mean()**2


def ascend(np, generator, rho, teacher, r, tilt, steps, batch=400, rates=(0.05, 2e-4)):
    """(R, tilt) after a descent of E D by Adam, with fresh draws in each step and steps that shrink; one scale for all entries of R."""
    point = np.append(scaled(np, r).ravel(), tilt)
    mean, square = np.zeros(point.size), 0.0
    for t in range(1, steps + 1):
        nu, labels, xi = draw_labels(np, generator, batch, rho, teacher)
        omega = point[-1] * nu + xi
        _, multipliers, nearest = project(np, point[:-1].reshape(r.shape), omega, labels)
        slope = np.append(slope_of(np, labels, multipliers, nearest, np.full(batch, 1 / batch)).ravel(), 2 * ((omega - nearest) * nu).sum() / batch)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * (slope @ slope) / slope.size
        rate = rates[0] * (rates[1] / rates[0])**(t / steps)
        point = point - rate * mean / (1 - 0.9**t) / math.sqrt(square / (1 - 0.99**t))
        point[:-1] = scaled(np, point[:-1].reshape(r.shape)).ravel()
    return point[:-1].reshape(r.shape), point[-1]


def directions(np, r):
    """(sum of squared singular values)^2 / sum of their squares: how many fields V makes."""
    found = np.linalg.svd(r - r.mean(0), compute_uv=False)**2
    return found.sum()**2 / (found @ found)


def fit_sites(np, omega, nu, labels, size, starts, evaluations=200):
    """Whether some R and tilts of sites bring the sum over samples of D below `size` at all sites; omega, nu [L, M, d], labels [L, M].

    L-BFGS on sum_i max(sum_m D_im / size - 1, 0)^2 from each of `starts` [(R, tilt)].
    """
    from scipy.optimize import minimize
    sites, samples, d = omega.shape
    colors = len(starts[0][0])

    def objective(point):
        r, tilts = point[:colors * d].reshape(colors, d), point[colors * d:]
        fields = (omega + tilts[:, None, None] * nu).reshape(-1, d)
        squared, multipliers, nearest = project(np, r, fields, labels.ravel())
        excess = np.maximum(squared.reshape(sites, samples).sum(1) / size - 1, 0)
        if excess.max() < 1e-4:
            raise StopIteration
        weights = np.repeat(2 * excess / size, samples)
        slope = slope_of(np, labels.ravel(), multipliers, nearest, weights)
        tilted = (2 * ((fields - nearest) * weights[:, None]).reshape(sites, samples, d) * nu).sum((1, 2))
        return excess @ excess, np.append(slope.ravel(), tilted)

    for r, tilt in starts:
        try:
            minimize(objective, np.append(scaled(np, r).ravel(), np.full(sites, tilt)), jac=True, method="L-BFGS-B",
                     options={"maxfun": evaluations, "maxiter": evaluations})
        except StopIteration:
            return True
    return False


def chances(np, active, size, most):
    """[most + 1]: the chance that M samples can be fitted with `size` numbers, M = 0, 1, ...; `active`: constraints of single samples.

    The conic kinematic formula up to its parity: S = the sum over samples of active constraints is below `size`, and half of S = size.
    """
    one = np.bincount(np.asarray(active, int), minlength=size + 1)[:size + 1] / len(active)
    found, law = [1.0], np.eye(1, size + 1)[0]
    for _ in range(most):
        law = np.convolve(law, one)[:size + 1]
        found.append(law[:size].sum() + law[size] / 2)
    return np.array(found)
