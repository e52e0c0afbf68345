#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make limit_table.hpp: the replica theory of P = z I - J, L -> infinity, with 120 digits and without the closed forms.

usage: make_limit_table.py > limit_table.hpp       (a minute)

Needs mpmath (Debian: python3-mpmath). Means over the spectrum are integrals over the semicircle; sums over the masked spectrum follow from
F(kappa) = sum t / (s + kappa) = (a - g b^2 / (1 + g c)) / z^2 and its derivative by subtraction, which costs digits that there are here;
kappa at given alpha and lambda is found within a bracket. The library uses none of these.
"""
from mpmath import cos, log, mp, mpf, pi, sin

mp.dps = 120


def mean(f, z):
    """E f(s), s = 1 / (z - 2 cos theta), density 2 sin^2(theta) / pi."""
    # The trapezoidal rule converges geometrically for periodic functions; poles lie at a distance of about sqrt(z - 2).
    total, n = None, 64
    while True:
        value = sum(f(1 / (z - 2 * cos(pi * k / n))) * sin(pi * k / n) ** 2 for k in range(1, n)) * 2 / n
        if total is not None and abs(value - total) <= abs(value) * mpf(10) ** -60:
            return value
        total, n = value, 2 * n


def sums(z, kappa):
    """The sums of the theory at one kappa."""
    g = mean(lambda s: s, z)
    a, b, c = (mean(lambda s, k=k: s**k / (s + kappa), z) for k in (0, 1, 2))
    da, db, dc = (mean(lambda s, k=k: -s**k / (s + kappa) ** 2, z) for k in (0, 1, 2))
    f = (a - g * b**2 / (1 + g * c)) / z**2
    df = (da - 2 * g * b * db / (1 + g * c) + g * g * b**2 * dc / (1 + g * c) ** 2) / z**2
    st1 = 1 / z**2 - kappa * f              # sum s t / (s + kappa); |w*|^2 = 1/z^2
    st2 = f + kappa * df                    # sum s t / (s + kappa)^2
    m = (g - 1 / z) - kappa * st1           # sum s^2 t / (s + kappa); sum s t = rho - noise
    norm = st1 - kappa * st2                # sum s^2 t / (s + kappa)^2
    q = m - kappa * norm                    # sum s^3 t / (s + kappa)^2
    return {"g": g, "t": b, "rest": kappa * a, "df2": -dc, "e1": -db, "teacher": st1, "bias": kappa**2 * st2, "m": m, "q": q, "norm": norm}


def solve_kappa(z, alpha, lam):
    if lam == 0 and alpha >= 1:
        return mpf(0)
    def f(x):
        kappa = mp.exp(x)
        return alpha - mean(lambda s: s / (s + kappa), z) - lam / kappa
    # Rises in x = log kappa: a bracket, then the bracketing secant method.
    low, high = mpf(-1000), mpf(100)
    while high - low > 2:
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return mp.exp(mp.findroot(f, (low, high), solver="anderson", tol=mpf(10) ** -100, maxsteps=200, verify=False))


def row(z, alpha, lam, temperature):
    kappa = solve_kappa(z, alpha, lam)
    x = sums(z, kappa)
    h = alpha - x["t"]
    if lam == 0 and alpha < 1:
        h = mpf(0)
    noise = 1 / z
    eg = (x["bias"] + noise) / (1 - x["df2"] / alpha)
    q = x["q"] + eg / alpha * x["df2"]
    norm = x["norm"] + eg / alpha * x["e1"]
    energy = (lam * x["teacher"] + h * noise) / 2
    if h == 0:
        return [z, alpha, lam, kappa, eg, 0, q, x["m"], -1, norm, energy, -1]
    v = x["t"] / h
    et = eg / (1 + v) ** 2
    log_det = mean(lambda s: log(lam + h * s), z)
    free = energy + temperature / 2 * (log_det + alpha * log(1 + v) - h * v)
    return [z, alpha, lam, kappa, eg, et, q, x["m"], v, norm, energy, free]


def text(values):
    return "    {" + ", ".join(mp.nstr(mpf(x), 20) for x in values) + "},"


TEMPERATURE = 0.75
BELOW, ABOVE = 0.9999847412109375, 1.0000152587890625
POINTS = ((1e-9, 1e-8), (0.1, 0.0), (0.5, 1e-8), (0.5, 0.25), (BELOW, 0.0), (BELOW, 1e-10), (1.0, 1e-10), (1.0, 1e-4), (ABOVE, 1e-12),
          (1.25, 0.0), (1.25, 1e-200), (2.0, 1e-8), (4.0, 0.5), (100.0, 1.0), (1.0, 1e9), (1e6, 1e-3))
print("// SPDX-License-Identifier: MIT")
print("// Made by make_limit_table.py: do not edit.")
print("#pragma once\n")
print("struct SumsRow {\n  double z, kappa, t, rest, df2, e1, teacher, bias, m, q, norm;\n};")
print("inline const SumsRow kSumsTable[] = {")
for z in (2.015625, 2.5, 3.0, 10.0, 1000.0):
    for exponent in (-12, -9, -6, -4, -2, -1, 0, 1, 2, 4, 6, 9, 12):
        kappa = float(f"1e{exponent}")
        x = sums(mpf(z), mpf(kappa))
        print(text([z, kappa] + [x[k] for k in ("t", "rest", "df2", "e1", "teacher", "bias", "m", "q", "norm")]))
print("};\n")
print("// v = -1: infinite; then free_energy has no value at temperature > 0.")
print("struct CurveRow {\n  double z, alpha, lambda, kappa, eg, et, q, m, v, norm, energy, free_energy;\n};")
print(f"inline constexpr double kTemperature = {TEMPERATURE};")
print("inline const CurveRow kCurveTable[] = {")
for z in (2.015625, 2.5, 4.0):
    for alpha, lam in POINTS:
        print(text(row(mpf(z), mpf(alpha), mpf(lam), mpf(TEMPERATURE))))
print("};")
