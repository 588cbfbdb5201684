"""States: saved, loaded in this and in other processes, refused."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import sarrus
from test_inputs import cart
from test_models import FOUR_BAR, ROOT, pendulum

OTHER = """import json, pathlib, sys, sarrus
model, state, options = sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes(), json.loads(sys.argv[3])
with sarrus.Simulation.load(sarrus.load(model), state, **options) as s:
    s.step(20)
    print(repr(s.time), *map(repr, s.outputs.values()))
"""


class States(unittest.TestCase):
    def test_another_process_goes_on(self):
        for model, options in [(FOUR_BAR, {"step": 1e-2}), (FOUR_BAR, {"tolerance": 1e-7}), (ROOT / "problems/andrews/model.yaml", {"preset": "auto"}),
                               (FOUR_BAR, {"integrator": "bdf", "formulation": "al1"}), (ROOT / "tests/models/integral.yaml", {"step": 1e-3}),
                               (ROOT / "problems/puma/model.yaml", {"coordinates": "relative", "formulation": "al3", "step": 1e-3})]:
            with self.subTest(f"{model} {options}"), tempfile.TemporaryDirectory() as folder, sarrus.load(model).simulation(**options) as s:
                s.step(10)
                path = pathlib.Path(folder, "state")
                path.write_bytes(s.save())
                done = subprocess.run([sys.executable, "-W", "ignore", "-c", OTHER, str(model), str(path), json.dumps(options)], capture_output=True, text=True)
                s.step(20)
                self.assertEqual(done.stdout.split(), [repr(s.time), *map(repr, s.outputs.values())], done.stderr)

    def test_revolutions_go_on(self):
        text = """{sarrus: 1, name: wheel, dimension: 3, bodies: {w: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], rotation: {rpy: [0, 0, 1000 deg]}}},
                   joints: {pin: {type: revolute, between: [ground.origin, w.origin], axis: [ground.z, w.z], normal: [ground.x, w.x]}},
                   start: {pin.rate: 20}, outputs: {angle: pin.angle, off: pin.angle - 1000 deg - 20*t}, method: {end: 4}}"""
        for options in ({}, {"coordinates": "natural", "formulation": "al3", "step": 1e-3}, {"coordinates": "relative", "tolerance": 1e-8}):
            with self.subTest(options), sarrus.Model.parse(text).simulation(**options) as s:
                self.assertAlmostEqual(s.outputs["angle"], 17.453292519943297, places=9)
                while s.time < 1:
                    s.step(10)
                with sarrus.Simulation.load(sarrus.Model.parse(text), s.save(), **options) as again:
                    s.step(10), again.step(10)
                    self.assertEqual(again.outputs, s.outputs)
                    self.assertLess(abs(s.outputs["off"]), 1e-3)

    def test_inputs_are_part_of_it(self):
        with cart().simulation(end=2, step=1e-2) as s:
            s.set_input("u", 3, rate=-2)
            s.step(20)
            with sarrus.Simulation.load(cart(), s.save(), end=2, step=1e-2) as again:
                self.assertEqual(again.inputs, s.inputs)
                s.step(30), again.step(30)
                self.assertEqual(again.outputs, s.outputs)

    def test_back_and_on_again(self):
        with cart().simulation(end=2, step=1e-2) as s, cart().simulation(end=2, step=1e-2) as other:
            s.set_input("u", 1)
            s.step(20)
            state = s.save()
            s.step(10)
            seen = s.time, s.outputs
            s.set_input("u", -4)
            s.step(15)
            for again in (s, other):
                again.restore(state)
                again.step(10)
                self.assertEqual((again.time, again.outputs), seen)
            self.assertRaises(sarrus.StateError, lambda: s.restore(state[:-1]))
            self.assertEqual((s.time, s.outputs), seen)

    def test_refused(self):
        with pendulum().simulation(end=1) as s:
            s.step(3)
            state = s.save()
        for bad in (b"", b"nonsense", state[:-1], state + b"x", state[:100] + b"?" + state[101:]):
            self.assertRaises(sarrus.StateError, lambda: sarrus.Simulation.load(pendulum(), bad, end=1))
        self.assertRaisesRegex(sarrus.StateError, "another model", lambda: sarrus.Simulation.load(cart(), state, end=1))
        self.assertRaisesRegex(sarrus.StateError, "options", lambda: sarrus.Simulation.load(pendulum(), state, end=2))


if __name__ == "__main__":
    unittest.main()
