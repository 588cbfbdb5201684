"""What the commands of the program do, from Python: kinematics, inverse dynamics, equilibrium; states as arrays; messages."""
import math
import pickle
import unittest
import warnings

import numpy
import sarrus
from test_models import pendulum

ROD = """sarrus: 1
name: rod
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 2, center: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2], position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}}
joints:
  pin: {type: revolute, between: [ground.origin, rod.origin], axis: [ground.y, rod.y]}
outputs: {angle: pin.angle, rate: pin.rate}
"""
DRIVEN = ROD + "drives:\n  motor: {joint: pin, value: 0.3*t^2}\n"
SPRING = """sarrus: 1
name: weight
dimension: 2
gravity: [0, -9.81]
bodies: {block: {mass: 3, inertia: 1, position: [0, -0.5], angle: 0}}
joints: {rail: {type: prismatic, between: [ground.origin, block.origin], axis: [ground.y, block.y]}}
forces: {coil: {type: spring, between: [ground.origin, block.origin], stiffness: 200, length: 0.5}}
outputs: {y: block.origin.y}
"""


def in_a_function():
    return lambda result: result["height"][-1]


class Commands(unittest.TestCase):
    def test_live_pages(self):
        """A page of a model and one of its result, or the reason why this build has none."""
        model = pendulum()
        for page in [model.live(end=0.2), model.run(end=0.2).live(end=0.2)]:
            try:
                shown = page._repr_html_()
            except sarrus.SarrusError as error:
                self.assertRegex(str(error), "has no (live )?pages|was not found")
                continue
            self.assertIn("live-wasm", shown)

    def test_kinematics_and_inverse(self):
        """A rod on a pin whose angle is 0.3 t^2: torque = J a + m g c cos(angle), here about y, which points down for lifting."""
        times = [0.0, 0.7, 1.9]
        model = sarrus.parse(DRIVEN)
        motion = model.kinematics(times)
        numpy.testing.assert_allclose(motion["angle"], [0.3*t**2 for t in times], atol=1e-12)
        numpy.testing.assert_allclose(motion["rate"], [0.6*t for t in times], atol=1e-12)
        numpy.testing.assert_allclose(motion["bodies/rod/angular_velocity"][:, 1], [0.6*t for t in times], atol=1e-12)
        inverse = model.inverse(times)
        torque = [(0.2 + 2*0.5**2)*0.6 - 2*9.81*0.5*math.cos(0.3*t**2) for t in times]
        numpy.testing.assert_allclose(inverse["motor.torque"], torque, rtol=1e-10)
        self.assertEqual(inverse.units["motor.torque"], "N m")
        self.assertEqual(len(model.kinematics(end=1, step=0.1).time), 11)
        with self.assertRaisesRegex(sarrus.ModelError, "pin"):
            sarrus.parse(ROD).kinematics(times)

    def test_equilibrium(self):
        found = sarrus.parse(SPRING).equilibrium()
        self.assertEqual(found.verdict, "stable")
        self.assertAlmostEqual(found.outputs["y"], -0.5 - 3*9.81/200, 9)
        self.assertAlmostEqual(found.frequency, math.sqrt(200/3)/(2*math.pi), 6)
        self.assertAlmostEqual(found.q[0, 1], found.outputs["y"], 12)
        with sarrus.parse(SPRING).simulation(end=1) as simulation, self.assertRaisesRegex(sarrus.MethodError, "equilibrium=True"):
            simulation.equilibrium()

    def test_commands_of_the_program(self):
        if sarrus._library.program() is None:
            self.skipTest("no program")
        self.assertIn("formulation", str(sarrus.command("methods")))
        with self.assertRaisesRegex(sarrus.SarrusError, "no model file"):
            sarrus.command("check", "nothing-like-it")


class States(unittest.TestCase):
    def test_a_state_is_the_motion_from_there(self):
        """The motion does not depend on the time at which a state was reached: in all coordinates."""
        model = sarrus.parse(ROD)
        for method in [{"step": 1e-3, "coordinates": c} for c in ("natural", "cartesian", "increments", "relative")]:
            with self.subTest(method), model.simulation(end=0.8, **method) as first, model.simulation(end=0.5, **method) as second:
                while first.time < 0.3 - 1e-9:
                    first.step()
                self.assertLess(second.set_state(first.q, first.v), 1e-12)
                numpy.testing.assert_allclose(second.q, first.q, atol=1e-12)
                numpy.testing.assert_allclose(second.v, first.v, atol=1e-8)
                while not first.done:
                    first.step()
                while not second.done:
                    second.step()
                self.assertAlmostEqual(first.outputs["angle"], second.outputs["angle"], 5)
                self.assertEqual(second.branch_changes, [])
                e = second.energy
                self.assertLess(abs(second.statistics.get("max_drift", 0.0)), 1e-3, e)

    def test_a_state_is_brought_to_the_constraints(self):
        model = sarrus.parse(ROD)
        for coordinates in ("natural", "cartesian", "increments", "relative"):
            with self.subTest(coordinates), model.simulation(end=1, step=1e-3, coordinates=coordinates) as s:
                q, v = s.q, s.v
                q[0, 2] += 0.01
                v[0] = [0, 0, 3, 0, -2, 0]
                self.assertGreater(s.set_state(q, v), 1e-4)
                self.assertLess(abs(s.pose("rod")[0]).max(), 1e-9)  # on its pin again
                self.assertLess(abs(s.velocity("rod")[0]).max(), 1e-9)
                s.step()
        with model.simulation(end=1) as s:
            for wrong in (numpy.zeros((1, 7)), numpy.zeros((2, 7)), [[0, 0, 0, 1, 0, 0, numpy.nan]]):
                self.assertRaises(ValueError, s.set_state, wrong)

    def test_the_automatic_method_goes_on_from_a_state(self):
        """A pendulum that is set upright with the speed of a full turn goes over the top: w^2 = w0^2 - 2 m g c (1 + sin) / J."""
        with sarrus.parse(ROD).simulation(end=0.5, tolerance=1e-10) as s:
            w0 = 3.0
            s.set_state(v=[[0, 0, 0, 0, w0, 0]])
            while not s.done:
                s.step()
            out = s.outputs
            expected = math.sqrt(w0**2 + 2*2*9.81*0.5*math.sin(out["angle"])/0.7)
            self.assertAlmostEqual(out["rate"], expected, 7)


class Messages(unittest.TestCase):
    def test_lambdas_in_sweeps(self):
        with self.assertRaisesRegex(TypeError, "processes=1"):
            sarrus.sweep(pendulum(), {"L": [1, 2]}, in_a_function(), end=0.1)
        with self.assertRaises(Exception):
            pickle.dumps(in_a_function())
        with self.assertRaisesRegex(TypeError, "function"):
            sarrus.sweep(pendulum(), {"L": [1, 2]}, 3)
        with self.assertRaisesRegex(TypeError, "list"):
            sarrus.sweep(pendulum(), {"L": 1}, len)

    def test_steps_after_the_end(self):
        with pendulum().simulation(end=0.01) as s:
            while not s.done:
                s.step()
            with self.assertWarnsRegex(sarrus.SarrusWarning, "at its end, t = 0.01 s"):
                s.step()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                s.step(0)

    def test_wrong_types(self):
        model = sarrus.Model("pushed", 2)
        model.body("block", mass=1, inertia=1, position=[0, 0], angle=0)
        model.input("push")
        model.force("f", "force", acts_on="block.origin", force=["push", 0])
        with model.simulation(end=1, step=0.1) as s:
            for wrong in ("1", None, [1, 2], True):
                with self.assertRaisesRegex(TypeError, "the input 'push' must be a number, not"):
                    s.set_input("push", wrong)
            with self.assertRaisesRegex(TypeError, "whole number"):
                s.step(1.5)
            with self.assertRaisesRegex(TypeError, "control must return"):
                s.run(control=lambda t, outputs: 3)
        with self.assertRaisesRegex(TypeError, "the option 'end' must be a number"):
            model.run(end=[1, 2])
        with self.assertRaisesRegex(TypeError, "path of a model file"):
            sarrus.load(3)
        with self.assertRaisesRegex(TypeError, "text of a model file"):
            sarrus.parse(None)
        with self.assertRaisesRegex(TypeError, "sarrus.load"):
            sarrus.Simulation("model.yaml")

    def test_control_is_documented(self):
        self.assertIn("control(t, outputs)", sarrus.Simulation.run.__doc__)


if __name__ == "__main__":
    unittest.main()
