"""Inputs: as functions of time, set between steps, in blocks."""
import unittest
import warnings

import numpy
import sarrus
from test_models import pendulum


def cart(**more):
    """A mass of 2 kg on a rail, pushed by u."""
    model = sarrus.Model("cart", 2, inputs={"u": {"start": 1, "unit": "N"}, "w": 0}, **more)
    model.body("block", mass=2, inertia=1, position=[0, 0], angle=0)
    model.joint("rail", "prismatic", ["ground.origin", "block.origin"], axis=[1, 0])
    model.force("push", "force", acts_on="block.origin", force=["u + 0*w", 0])
    return model.output("x", "rail.displacement").output("speed", "rail.speed").output("u", "u")


class Inputs(unittest.TestCase):
    def test_start_value(self):
        result = cart().run(end=1)
        self.assertEqual(cart().inputs, {"u": 1, "w": 0})
        numpy.testing.assert_allclose(result["x"], result.time**2 / 4, atol=1e-6)

    def test_set_between_steps(self):
        """Held values: the speed is the sum of u h/m, exactly as far as numbers go."""
        for method in ({"formulation": "al3"}, {"formulation": "nullspace", "integrator": "rk4"}, {"coordinates": "relative", "formulation": "al3"},
                       {"formulation": "al1", "integrator": "rk4"}):
            with self.subTest(method), cart().simulation(end=10, step=1e-2, **method) as s:
                values = numpy.random.default_rng(1).normal(size=200)
                for value in values:
                    s.set_input("u", value)
                    s.step()
                self.assertAlmostEqual(s.outputs["speed"], values.sum() * 1e-2 / 2, delta=1e-9)
                self.assertEqual(s.inputs, {"u": values[-1], "w": 0})

    def test_jump_restarts_methods_with_a_memory(self):
        for method in ({"integrator": "bdf", "formulation": "al1"}, {"integrator": "dopri5", "formulation": "al1"}, {"preset": "auto"}):
            with self.subTest(method), cart().simulation(end=1, tolerance=1e-9, step_max=0.05, **method) as s:
                while s.time < 0.4:
                    s.step()
                before, t, speed = s.outputs["x"], s.time, s.outputs["speed"]
                s.set_input("u", -7)
                while not s.done:
                    s.step()
                left = 1 - t
                self.assertAlmostEqual(s.outputs["x"], before + speed * left - 7 / 4 * left**2, delta=1e-6)

    def test_blocks_and_steppers_are_single_steps(self):
        values = numpy.sin(numpy.arange(50.0))
        with cart().simulation(end=1, step=1e-2) as one, cart().simulation(end=1, step=1e-2) as block, cart().simulation(end=1, step=1e-2) as quick:
            rows = []
            for value in values:
                one.set_input("u", value)
                one.step()
                rows.append(list(one.outputs.values()))
            times, outputs = block.steps(numpy.column_stack([values, 0 * values]))
            numpy.testing.assert_array_equal(outputs, rows)
            self.assertEqual(times[-1], one.time)
            step = quick.stepper()
            for row, value in zip(rows, values):
                step.inputs[0] = value
                self.assertTrue(step())
                self.assertEqual(step.outputs.tolist(), row)
            self.assertEqual(step.time, one.time)

    def test_functions_of_time(self):
        sine = cart().with_inputs(u="sin(3*t)").run(end=2, tolerance=1e-10)
        numpy.testing.assert_allclose(sine["speed"], (1 - numpy.cos(3 * sine.time)) / 6, atol=1e-8)
        linear = cart().with_inputs(u=([0, 1, 2], [0, 2, 0])).run(end=2, tolerance=1e-10)
        self.assertAlmostEqual(linear["speed"][-1], 1, delta=1e-6)
        held = cart().with_inputs(u=([0, 0.333, 2], [1, -3, 0], "constant")).run(end=1, formulation="al3", step=1e-2)
        self.assertAlmostEqual(held["speed"][-1], (0.333 - 3 * 0.667) / 2, delta=1e-9)
        sine.certify()

    def test_drive(self):
        """A drive that follows an input: its rates come from the function."""
        model = sarrus.Model("driven", 2, inputs={"goal": 0})
        model.body("arm", mass=1, inertia=1, position=[0, 0], angle=0).joint("pin", "revolute", ["ground.origin", "arm.origin"])
        model.drive("motor", "goal", joint="pin", coordinate="angle").output("rate", "pin.rate").output("torque", "motor.torque")
        result = model.with_inputs(goal="0.1*t^3").run(end=1, formulation="al3")
        numpy.testing.assert_allclose(result["rate"], 0.3 * result.time**2, atol=1e-8)
        numpy.testing.assert_allclose(result["torque"], 0.6 * result.time, atol=1e-6)

    def test_control(self):
        """A controller in the loop stops the cart."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = cart().simulation(end=5, step=1e-2).run(control=lambda t, y: {"u": -4 * (y["x"] - 1) - 4 * y["speed"]})
        self.assertAlmostEqual(result["x"][-1], 1, delta=1e-2)
        with self.assertRaisesRegex(sarrus.SarrusError, "with_inputs"):
            result.certify()

    def test_two_simulations_have_inputs_of_their_own(self):
        model = cart()
        with model.simulation(end=1) as a, model.simulation(end=1) as b:
            a.set_input("u", 5)
            self.assertEqual((a.inputs["u"], b.inputs["u"], model.inputs["u"]), (5, 1, 1))

    def test_mistakes(self):
        with cart().simulation(end=1, step=1e-2) as s:
            self.assertRaisesRegex(KeyError, "there is no 'z'", lambda: s.set_input("z", 1))
            for bad in (numpy.nan, numpy.inf):
                self.assertRaises(ValueError, lambda: s.set_input("u", bad))
                self.assertRaises(ValueError, lambda: s.steps([[bad, 0]]))
            for shape in ((3,), (3, 3), (2, 2, 2)):
                self.assertRaisesRegex(ValueError, "shape", lambda: s.steps(numpy.zeros(shape)))
            step = s.stepper()
        self.assertRaises(sarrus.ClosedError, step)
        for functions in ({"z": 1}, {"u": "w"}, {"u": "u"}, {"u": "nonsense"}, {"u": ([0, 1], [1])}, {"u": ([1, 0], [1, 2])}):
            with self.subTest(functions), self.assertRaises(sarrus.ModelError):
                cart().with_inputs(**functions).compiled()
        for name in ("t", "u", "sin"):
            with self.subTest(name), self.assertRaises((sarrus.ModelError)):
                cart().input(name).compiled()
        with self.assertRaisesRegex(sarrus.ModelError, "without parentheses"):
            cart().output("y", "u(3)").compiled()
        with self.assertRaisesRegex(sarrus.ModelError, "(?s)u"):
            cart().body("b", mass="u", position=[0, 0], angle=0).compiled()


if __name__ == "__main__":
    unittest.main()
