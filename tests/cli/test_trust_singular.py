"""Random mechanisms through their singular positions by the automatic method. A sample of tools/trust/singular.py.

    python3 test_trust_singular.py PROGRAM SOURCE_ROOT [--strict] [--list]
"""
import argparse
import sys

import not_yet
import minimal
import numpy as np
import singular
import singular_mechanisms

COUNT, SEED = 9, 3
TOLERANCES = [1e-4, 1e-8, 1e-11]

# kind, seed, number, coordinates, tolerance: what longer surveys found, and what it was
FOUND = [
    ("sc2", 1002, 1, "relative", 1e-10),    # two passages in a step: D is flat between them
    ("sc2", 1001, 1, "natural", 1e-6),      # the same, in the looks of the stages
    ("scpx", 1001, 2, "natural", 1e-6),     # a singular value that changes faster than two per radian
    ("fbx", 1002, 6, "cartesian", 1e-4),    # one passage too many
    ("sc2x", 1005, 0, "natural", 1e-6),     # two zero singular values at the start
    ("sc2x", 1004, 3, "relative", 1e-11),   # the nearer of two singular sets has the larger singular value
    ("sc2", 4001, 12, "natural", 1e-6),     # singular values of two parts that have nothing to do with each other
]

# kind, number, tolerance
NOT_YET = not_yet.names("")


def the_truth_is_accurate():
    """Steps by a tenth of a thousandth of the tail make no difference, and energy is conserved: a guard for minimal.py itself."""
    for kind in singular_mechanisms.KINDS:
        drawn = [singular_mechanisms.draw(kind, 5, n) for n in range(3)]
        motion, interval = minimal.stacked([m.motion for m in drawn]), np.array([m.interval for m in drawn])
        usual, sets = minimal.TAIL, [m.sets for m in drawn]
        coarse = minimal.Run(motion, interval, 30, sets).go()
        minimal.TAIL = 1e-4 * usual
        fine = minimal.Run(motion, interval, 30, sets).go()
        minimal.TAIL = usual
        assert np.abs(coarse.q - fine.q).max() < 1e-10, kind
        kinetic, potential = minimal.energies(motion, coarse.q, coarse.v)
        drift = np.abs(kinetic + potential - (kinetic + potential)[:, :1]).max(1) / kinetic.max(1)
        assert motion.forced.all() or drift[~motion.forced].max() < 1e-11, kind


def results():
    options = argparse.Namespace(kinds=list(singular_mechanisms.KINDS), first=0, count=COUNT, seed=SEED, tolerances=TOLERANCES,
                                 coordinates=[""], method="--preset auto", program=not_yet.PROGRAM, timeout=20, jobs=1, keep=None,
                                 quiet=True)
    for verdict in singular.survey(options)[0]:
        fault = "; ".join(f"{word}: {text}" for word, text in verdict.faults)
        yield f"{verdict.kind} {verdict.number} {verdict.tolerance:g}", fault
    for kind, seed, number, coordinates, tolerance in FOUND:
        task = singular.Task(kind, seed, [number], [tolerance], [coordinates], ["--preset", "auto"], not_yet.PROGRAM, 20)
        fault = "; ".join(f"{word}: {text}" for word, text in singular.work(task)[0][0].faults)
        yield f"{kind} {seed} {number} {coordinates} {tolerance:g}", fault


if __name__ == "__main__":
    the_truth_is_accurate()
    sys.exit(not_yet.settle(results(), NOT_YET))
