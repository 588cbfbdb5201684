"""Random mechanisms through their singular configurations by the automatic method. A sample of tools/trust/singular.py.

    python3 test_trust_singular.py PROGRAM SOURCE_ROOT [--strict] [--list]
"""
import sys

import built
import every_test
import not_yet
import minimal
import numpy as np
import singular
import singular_mechanisms
import singular_truths

TOLERANCES = every_test.sample([1e-8, 1e-4, 1e-11], 3)

# kind, number, tolerance
NOT_YET = not_yet.names("")


def the_truth_is_accurate():
    """Steps by a tenth of a thousandth of the tail make no difference, and energy is conserved: a guard for minimal.py itself."""
    for kind in ("scf", "scpp", "sc2", "fb"):  # the others have parts of their equations, or other starts
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


def the_truth_is_what_is_stored(stored):
    """Of a mechanism of every kind with one degree of freedom or two: the others take too long."""
    for kind in ("sc", "scf", "scp", "sc2x"):
        who = singular_truths.members(kind)[-1]
        again, kept = singular_truths.compute(kind, [who])[0], stored[(kind, *who)]
        known = kept.growth < 1e3
        assert np.abs(again.q - kept.q)[known].max() < 1e-10 and (again.right, again.grazing) == (kept.right, kept.grazing), kind
        assert len(again.passages) == len(kept.passages), kind


def results(stored):
    def verdicts(kind, seed, numbers, tolerances, coordinates):
        task = singular.Task(kind, seed, numbers, tolerances, [coordinates], ["--preset", "auto"], not_yet.PROGRAM, 3600)
        for verdict in singular.work(task, [stored[(kind, seed, n)] for n in numbers])[0]:
            yield verdict, "; ".join(f"{word}: {text}" for word, text in verdict.faults)

    for kind in singular_mechanisms.KINDS:
        for verdict, fault in verdicts(kind, singular_truths.SEED, list(range(singular_truths.COUNT)), TOLERANCES, ""):
            yield f"{kind} {verdict.number} {verdict.tolerance:g}", fault
    for kind, seed, number, coordinates, tolerance in singular_truths.FOUND:
        for _, fault in verdicts(kind, seed, [number], [tolerance], coordinates):
            yield f"{kind} {seed} {number} {coordinates} {tolerance:g}", fault


if __name__ == "__main__":
    truths = singular_truths.load()
    if built.full(not_yet.PROGRAM):
        the_truth_is_accurate()
        the_truth_is_what_is_stored(truths)
    sys.exit(not_yet.settle(results(truths), NOT_YET))
