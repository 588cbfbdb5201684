"""Models from files, from text and from Python."""
import math
import pathlib
import tempfile
import unittest
import warnings

import numpy
import sarrus

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOUR_BAR = ROOT / "problems" / "four-bar" / "model.yaml"


def pendulum(**more):
    """A point mass on a rod of 1 m, horizontal at the start."""
    model = sarrus.Model("pendulum", 2, gravity=[0, -9.81], **more)
    model.body("bob", mass=1, center=numpy.array([1.0, 0]), points={"tip": (1, 0)}, position=[0, 0], angle=0)
    model.joint("pin", "revolute", ["ground.origin", "bob.origin"])
    return model.output("height", "bob.tip.y").output("angle", "pin.angle")


class Models(unittest.TestCase):
    def test_names(self):
        model = sarrus.load(FOUR_BAR)
        self.assertEqual((model.name, model.dimension), ("four-bar", 3))
        self.assertEqual(model.bodies, ["A", "B", "C"])
        self.assertEqual(model.outputs[:3], ["phi", "xA", "yA"])
        self.assertAlmostEqual(model.parameters["phi0"], numpy.pi / 4)

    def test_parameters_replace(self):
        self.assertEqual(sarrus.load(FOUR_BAR, m=3).parameters["m"], 3)
        self.assertEqual(sarrus.load(FOUR_BAR).with_parameters(m="2*1.5").parameters["m"], 3)
        with self.assertRaisesRegex(sarrus.ModelError, "nix"):
            sarrus.load(FOUR_BAR, nix=3)

    def test_built_model_is_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "pendulum.json")
            model = pendulum()
            model.save(path)
            self.assertTrue(numpy.array_equal(sarrus.load(path).run(end=1)["height"], model.run(end=1)["height"]))

    def test_states_are_integrated(self):
        m = sarrus.Model("decay", 2).body("b", mass=1, inertia=1, position=[0, 0], angle=0, angular_velocity=2)
        m.joint("pin", "revolute", ["ground.origin", "b.origin"]).state("level", "-3*level + pin.rate", start=1)
        m.output("level", "level")
        assert m.states == ["level"]
        result = m.run(end=1, tolerance=1e-9)
        assert abs(result["level"][-1] - (2 / 3 + math.exp(-3) / 3)) < 1e-9

    def test_mistakes_have_places_and_hints(self):
        with self.assertRaisesRegex(sarrus.ModelError, r"(?s)error: .*'revolut'.*did you mean 'revolute'") as caught:
            pendulum().joint("other", "revolut", ["ground.origin", "bob.tip"]).compiled()
        self.assertEqual(caught.exception.verdict, "invalid")
        with self.assertRaisesRegex(sarrus.ModelError, "already"):
            pendulum().output("height", 1)
        with self.assertRaisesRegex(sarrus.ModelError, "was read from"):
            sarrus.load(FOUR_BAR).output("more", 1)
        with self.assertRaises(sarrus.ModelError):
            sarrus.load("/there/is/nothing.yaml")
        with self.assertRaises(sarrus.ModelError):
            sarrus.Model("bad", 4).compiled()

    def test_editing_does_not_touch_a_running_simulation(self):
        model = pendulum()
        simulation = model.simulation(end=1)
        simulation.step(3)
        model.output("another", "bob.tip.x").body("lump", mass=2, position=[0, 0], angle=0)
        del model
        self.assertEqual(set(simulation.outputs), {"height", "angle"})
        simulation.step(3)

    def test_check(self):
        found = sarrus.load(FOUR_BAR).check()
        self.assertEqual((found.degrees_of_freedom, found.redundant, found.redundant_joints), (1, 3, ["J4"]))

    def test_warnings_of_files(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pendulum(method={"end": 1, "alpha": 1e7, "formulation": "al3"}).run(formulation="nullspace", integrator="rk4")
        self.assertTrue(any("'alpha' is not used" in str(w.message) and w.category is sarrus.SarrusWarning for w in caught), caught)


if __name__ == "__main__":
    unittest.main()
