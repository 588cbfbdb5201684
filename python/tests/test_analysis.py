"""Modes, state spaces and self-stress."""
import math
import pathlib
import tempfile
import unittest

import numpy

import sarrus
from test_models import ROOT

CART = """{sarrus: 1, name: cart, dimension: 2, gravity: [0, -9.81], inputs: {push: 0},
  bodies: {cart: {mass: 2, inertia: 1, position: [0, 0], angle: 0}, rod: {mass: 0.5, inertia: 0, center: [0, -0.8], position: [0, 0], angle: 0}},
  joints: {rail: {type: prismatic, between: [ground.origin, cart.origin], axis: [1, 0]}, pin: {type: revolute, between: [cart.origin, rod.origin]}},
  forces: {drive: {type: actuator, joint: rail, force: push}, k: {type: spring, joint: rail, stiffness: 3, damping: 0.4}},
  outputs: {x: cart.origin.x, angle: pin.angle}}"""

TABLE = """{sarrus: 1, name: table, dimension: 3,
  bodies: {top: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0],
                 points: {l1: [0.5, 0.3, 0], l2: [-0.5, 0.3, 0], l3: [-0.5, -0.3, 0], l4: [0.5, -0.3, 0], load: [0.2, 0.1, 0]}}},
  joints: {leg1: {type: point-on-plane, between: [ground.origin, top.l1], axis: [0, 0, 1]}, leg2: {type: point-on-plane, between: [ground.origin, top.l2], axis: [0, 0, 1]},
           leg3: {type: point-on-plane, between: [ground.origin, top.l3], axis: [0, 0, 1]}, leg4: {type: point-on-plane, between: [ground.origin, top.l4], axis: [0, 0, 1]}},
  forces: {load: {type: force, acts_on: top.load, force: [0, 0, -100]}}}"""


class Analysis(unittest.TestCase):
    def test_modes_of_the_bicycle(self):
        with sarrus.load(ROOT / "examples/models/bicycle.yaml", push=0, speed=5).simulation(coordinates="relative") as s:
            found = s.modes()
        self.assertEqual((found.about, found.zeros, found.unstable), ("steady motion", 6, 0))
        wanted = sorted([-0.32286642900411, -14.0783896927981, -0.77534188219581 + 4.46486771378819j, -0.77534188219581 - 4.46486771378819j],
                        key=lambda z: (z.real, z.imag))
        for a, b in zip(sorted(found.eigenvalues, key=lambda z: (z.real, z.imag)), wanted):
            self.assertLess(abs(a - b), 1e-11)
        for mode in found.modes:
            self.assertAlmostEqual(sum(mode.energies.values()), 1, places=12)
            self.assertLess(mode.joints["rear_hub"][1], 1e-9)

    def test_state_space(self):
        with tempfile.TemporaryDirectory() as folder, sarrus.parse(CART).simulation(coordinates="relative") as s:
            path = pathlib.Path(folder, "cart.mat")
            space = s.state_space(path)
            self.assertTrue(path.read_bytes().startswith(b"MATLAB 5.0"))
            with self.assertRaises(sarrus.SimulationError):
                s.state_space(pathlib.Path(folder, "cart.txt"))
        self.assertEqual((space.states, space.inputs, space.outputs), (["rail.displacement", "pin.angle", "rail.displacement.rate", "pin.angle.rate"], ["push"], ["x", "angle"]))
        numpy.testing.assert_allclose(space.B[:, 0], [0, 0, 0.5, -0.625], atol=1e-13)
        numpy.testing.assert_allclose(space.response(0)[0, :, 0], [1 / 3, 0], atol=1e-12)

    def test_reactions_of_a_table(self):
        with sarrus.parse(TABLE).simulation() as s:
            found = s.self_stress()
            self.assertEqual(found.count, 1)
            self.assertEqual((found.unique["leg2"].force, found.unique["leg2"].directions), ((True, True, False), 1))
            split = s.split_reactions({f"leg{k}": (1e-6 / k, 0) for k in (1, 2, 3, 4)})
            numpy.testing.assert_allclose([split[f"leg{k}"][0][2] for k in (1, 2, 3, 4)], [30 + 4 / 15, 36.4, -6.4, 39 + 11 / 15], atol=1e-9)
            soft = {"leg1": (math.inf, math.inf), **{f"leg{k}": (1e-6, 0) for k in (2, 3, 4)}}
            self.assertLess(abs(s.split_reactions(soft)["leg1"][0][2]), 1e-9)
            with self.assertRaises(sarrus.SimulationError):
                s.split_reactions({"leg5": 1})


class Poses(unittest.TestCase):
    def test_arm(self):
        pose = sarrus.Pose(sarrus.load(ROOT / "examples/models/robot.yaml"), want={"forearm.tip.x": 0.5, "forearm.tip.y": 0.3, "forearm.tip.z": 0.6},
                           limit={"bend.angle": (None, 2.0)})
        first = pose.solve()
        self.assertTrue(first.met)
        numpy.testing.assert_allclose([first.values[f"forearm.tip.{c}"] for c in "xyz"], [0.5, 0.3, 0.6], atol=1e-9)
        path = numpy.linspace([0.5, 0.3, 0.6], [0.4, -0.2, 0.7], 50)
        angles, distances = pose.table([f"forearm.tip.{c}" for c in "xyz"], path, starts=0)
        self.assertLess(distances.max(), 1e-9)
        self.assertLess(abs(numpy.diff(angles, axis=0)).max(), 0.1)
        far = pose.solve({"forearm.tip.x": 2.0})
        self.assertFalse(far.met)
        self.assertIn("forearm.tip.x", far.misses)
        pose.reset()
        self.assertEqual(len(pose.body("forearm")[0]), 3)

    def test_faults(self):
        model = sarrus.load(ROOT / "examples/models/robot.yaml")
        for wrong in ({"forearm.tip.vx": 1}, {"nobody.x": 1}, {"forearm.tip.x": (1, -1)}):
            with self.assertRaises(sarrus.ModelError):
                sarrus.Pose(model, want=wrong)
        pose = sarrus.Pose(model, want={"lift.angle": 0.1})
        with self.assertRaises(sarrus.ModelError):
            pose.solve({"bend.angle": 1})


if __name__ == "__main__":
    unittest.main()

