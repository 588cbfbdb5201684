#!/usr/bin/env python3
"""Assembly modes of platforms on six legs: the map against a complete solution that shares no code with the library.

Poses are pairs of quaternions (e, g), up to a factor: e turns the platform, 2 g e*/|e|^2 is where it is, e.g = 0. Every leg is
a quadratic form of these eight numbers [wampler1996]. All 2^7 solutions of the seven forms, with one linear condition for the
factor, are followed over the complex numbers from a system whose solutions are known; those that do not go to e.e = 0 are the
assembly modes, 40 of a general platform.

    tools/trust/platforms.py [--count 10] [--program build/sarrus] [--seed 1] [--keep DIR] [--write]
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
from linkages import hexapod, hexapod_points  # noqa: E402


def product(a, b):
    return np.concatenate(([a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])))


def leg(z, a, b, length):
    """|e|^2 (|x + R a - b|^2 - length^2)"""
    e, g = z[:4], z[4:]
    back = e * np.array([1, -1, -1, -1])
    x, turned = 2 * product(g, back)[1:], 2 * product(back, g)[1:]
    carried = product(product(e, np.concatenate(([0], a))), back)[1:]
    return 4 * g @ g + (a @ a + b @ b - length**2) * (e @ e) + 2 * a @ turned - 2 * b @ x - 2 * b @ carried


def matrix_of(form):
    """The symmetric matrix of a quadratic form."""
    unit = np.eye(8)
    return np.array([[(form(u + v) - form(u) - form(v)) / 2 for v in unit] for u in unit])


def solve_all(forms, rng, steps=12000):
    """End points of all 128 paths of (1 - s) gamma (z_k^2 - z_0^2) + s forms, on a plane c.z = 1."""
    n = 8
    start = [np.diag([-1.0 + 0j] + [float(k == j) for k in range(1, n)]) for j in range(1, n)]
    gamma = np.exp(2j * np.pi * rng.random())
    c = rng.normal(size=n) + 1j * rng.normal(size=n)
    A, B = gamma * np.array(start), np.array(forms, complex) / np.abs(forms).max(axis=(1, 2))[:, None, None]
    signs = np.array([[1] + [1 - 2 * ((k >> j) & 1) for j in range(n - 1)] for k in range(2**(n - 1))], complex)
    z = signs / (signs @ c)[:, None]
    s, h = np.zeros(len(z)), np.full(len(z), 1e-2)

    def jacobian(z, s):
        Q = (1 - s)[:, None, None, None] * A + s[:, None, None, None] * B
        Qz = np.einsum("pkij,pj->pki", Q, z)
        J = np.concatenate((2 * Qz, np.broadcast_to(c, (len(z), 1, n))), axis=1)
        return J, np.concatenate((np.einsum("pki,pi->pk", Qz, z), (z @ c - 1)[:, None]), axis=1)

    def rate(z, s):
        J, _ = jacobian(z, s)
        change = np.einsum("kij,pi,pj->pk", B - A, z, z)
        return np.linalg.solve(J, -np.concatenate((change, np.zeros((len(z), 1))), axis=1)[:, :, None])[:, :, 0]

    live = np.ones(len(z), bool)
    for _ in range(steps):
        on = live & (s < 1)
        if not on.any():
            break
        w, t, d = z[on], s[on], np.minimum(h[on], 1 - s[on])
        k1 = rate(w, t)
        k2 = rate(w + .5 * d[:, None] * k1, t + .5 * d)
        k3 = rate(w + .5 * d[:, None] * k2, t + .5 * d)
        k4 = rate(w + d[:, None] * k3, t + d)
        guess, size = w + d[:, None] / 6 * (k1 + 2 * k2 + 2 * k3 + k4), []
        for _ in range(3):
            J, f = jacobian(guess, t + d)
            change = np.linalg.solve(J, -f[:, :, None])[:, :, 0]
            guess = guess + change
            size.append(np.linalg.norm(change, axis=1) / np.linalg.norm(guess, axis=1))
        good = (size[0] < 1e-4) & (size[2] < 1e-10)
        index = np.flatnonzero(on)
        z[index[good]], s[index[good]] = guess[good], (t + d)[good]
        h[index[good]] = np.minimum(2 * d[good], .05)
        h[index[~good]] = .5 * d[~good]
        live[index[h[index] < 1e-10]] = False  # towards e.e = 0, where solutions are singular
    return z[s >= 1]


def modes(points, lengths, rng):
    """Complex solutions, each once, and how many of them are real."""
    forms = [matrix_of(lambda z: z[:4] @ z[4:])]
    forms += [matrix_of(lambda z, a=a, b=b, r=r: leg(z, a, b, r)) for (b, a), r in zip(points, lengths)]
    found = []
    for z in solve_all(forms, rng):
        z = z / z[np.argmax(np.abs(z))]
        e = z[:4]
        if abs(e @ e) < 1e-8 or any(np.linalg.norm(z - x) < 1e-7 for x in found):
            continue
        found.append(z)
    return len(found), sum(np.abs(z.imag).max() < 1e-8 for z in found)


def complete(seed):
    """Modes of the platform of this seed; two runs with other paths have to agree."""
    points, lengths = hexapod_points(random.Random(seed))
    once, again = (modes(points, lengths, np.random.default_rng(1000 * seed + k)) for k in range(2))
    return once if once == again else (max(once[0], again[0]), -1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=str(ROOT / "build" / "sarrus"))
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", type=int, default=1, help="as the other tools have it; one process is used")
    parser.add_argument("--keep", metavar="DIR", help="keep platforms whose map is wrong")
    parser.add_argument("--write", action="store_true", help="print the table that tests/cli/test_map.py has")
    args = parser.parse_args()
    wrong = 0
    for seed in range(args.seed, args.seed + args.count):
        everything, real = complete(seed)
        if args.write:
            print(f"    {seed}: ({everything}, {real}),", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "hexapod.yaml"
            path.write_text(hexapod(random.Random(seed)), encoding="utf-8")
            run = subprocess.run([args.program, "map", str(path), "--json"], capture_output=True, text=True, check=False)
        found = len(json.loads(run.stdout)["components"])
        if found != real and args.keep:
            pathlib.Path(args.keep).mkdir(parents=True, exist_ok=True)
            (pathlib.Path(args.keep) / f"{seed}.yaml").write_text(hexapod(random.Random(seed)), encoding="utf-8")
        wrong += found != real
        print(f"{seed}: {everything} complex modes, {real} real ones; the map has {found}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
