"""Fits and designs from Python, against closed forms."""
import math
import pathlib
import random
import tempfile
import unittest

import sarrus

SPRING = """sarrus: 1
name: spring
dimension: 2
parameters: {m: 1.5, k: 60, c: 1, l: 2, s0: 0.4}
bodies:
  block: {mass: m, inertia: 0.2, position: [l + s0, 0], angle: 0}
joints:
  rail: {type: prismatic, between: [ground.origin, block.origin], axis: [ground.x, block.x]}
forces:
  coil: {type: spring, between: [ground.origin, block.origin], stiffness: k, damping: c, length: l}
outputs: {stretch: rail.displacement - l}
method: {end: 6}
"""


def swing(t):
    m, k, c, s0 = 1.5, 40.0, 3.0, 0.5
    w, z = math.sqrt(k/m), c/(2*math.sqrt(k*m))
    d = w*math.sqrt(1 - z*z)
    return s0*math.exp(-z*w*t)*(math.cos(d*t) + z*w/d*math.sin(d*t))


class Fitting(unittest.TestCase):
    def test_fit(self):
        rng = random.Random(3)
        times = [k/60 for k in range(121)]
        found = sarrus.fit(sarrus.parse(SPRING), {"time": times, "stretch": [swing(t) + rng.gauss(0, 0.01) for t in times]},
                           free={"k": (1, 1e3), "c": (0, math.inf), "s0": None})
        self.assertTrue(found.found and not found.not_told)
        for name, truth in (("k", 40), ("c", 3), ("s0", 0.5)):
            self.assertLess(abs(found.values[name] - truth), 4*found.deviations[name])
            self.assertLess(found.deviations[name], 0.1*truth)
        self.assertEqual(found.correlations.shape, (3, 3))

    def test_optimise(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "spring.yaml")
            path.write_text(SPRING, encoding="utf-8")
            for model, options in ((path, {"set": "k=40"}), (sarrus.parse(SPRING, k=40), {})):
                found = sarrus.optimise(model, "integral((rail.displacement - l)^2)", {"c": (0.5, 50)}, samples=400, **options)
                self.assertLess(abs(found.values["c"] - math.sqrt(60)), 0.01)
            found = sarrus.optimise(path, "c", {"c": (0.5, 50)}, limits=["rail.displacement - l >= -0.02"], samples=200, end=2, set="k=40")
            self.assertLess(list(found.limits.values())[0], 1e-7)

    def test_misuse(self):
        with self.assertRaisesRegex(sarrus.SarrusError, "no number of the model"):
            sarrus.optimise(sarrus.parse(SPRING), "c", ["nobody"])
        with self.assertRaisesRegex(sarrus.SarrusError, "before that of the row above"):
            sarrus.fit(sarrus.parse(SPRING), {"time": [1, 0], "stretch": [0, 0]}, ["k"])
