"""Derivatives of runs, and the wrappers of examples/gradients without their packages."""
import sys
import types
import unittest

import numpy

import sarrus
from test_models import ROOT

sys.path.insert(0, str(ROOT / "examples/gradients"))
FALL = """{sarrus: 1, name: fall, dimension: 2, parameters: {g: 9.81, speed: 3}, gravity: [0, -g],
  bodies: {ball: {mass: 0.5, inertia: 0.002, position: [0, 0], velocity: [1, speed]}}, outputs: {y: ball.origin.y}}"""


class Sensitivities(unittest.TestCase):
    def test_closed_form(self):
        s = sarrus.parse(FALL).sensitivity(["y", "max: ball.origin.y"], ["speed", "g"], end=0.5)
        wanted = numpy.array([[0.5, -0.125], [3 / 9.81, -4.5 / 9.81**2]])
        numpy.testing.assert_allclose(s.jacobian(), wanted, atol=1e-9)
        numpy.testing.assert_allclose(s.gradient([2, -1]), [2, -1] @ wanted, atol=1e-9)
        numpy.testing.assert_allclose(s.along([1, 2]), wanted @ [1, 2], atol=1e-9)
        self.assertEqual(s.parameters, {"parameters.speed": 3.0, "parameters.g": 9.81})
        self.assertAlmostEqual(s.at([4.0, 9.81]).values[0], 2 - 9.81 / 8, 10)

    def test_gradient_of_a_result(self):
        result = sarrus.parse(FALL).run(end=0.5, tolerance=1e-9)
        numpy.testing.assert_allclose(result.gradient("y", ["speed", "g"]), [0.5, -0.125], atol=1e-9)
        numpy.testing.assert_allclose(result.gradient("2*y", ["g"], [1, 1], times=[0.1, 0.5]), [-0.26], atol=1e-9)
        with self.assertRaises(sarrus.ModelError):
            sarrus.Result(result.time, {}, {}).gradient("y", ["g"])

    def test_samples(self):
        times = [0.1, 0.2, 0.5]
        s = sarrus.parse(FALL).sensitivity("y", ["g"], times=times, end=0.5)
        numpy.testing.assert_allclose(s.jacobian()[:, 0], -0.5 * numpy.array(times)**2, atol=1e-9)
        numpy.testing.assert_allclose(s.times, times)

    def test_refusals(self):
        model = sarrus.load(ROOT / "problems/slider-crank-1/model.yaml")
        s = model.sensitivity("xQ", ["L1", "m1"], end=0.9)
        J = s.jacobian()
        self.assertTrue(numpy.isnan(J[0, 0]) and numpy.isfinite(J[0, 1]))
        self.assertIn("separates the motions", s.refused["parameters.L1"])
        with self.assertRaises(sarrus.ModelError):
            model.sensitivity("xQ", ["nothing"], end=0.9)
        with self.assertRaises(sarrus.ModelError):
            s.gradient([1, 2])
        self.assertEqual(model.numbers()["bodies.crank.points.P[0]"], 1.0)

    def test_refusals_are_known_without_asking_for_derivatives(self):
        s = sarrus.load(ROOT / "problems/slider-crank-1/model.yaml").sensitivity(of="xQ", by=["L1", "m1"], end=0.5)
        self.assertEqual(list(s.refused), ["parameters.L1"])
        self.assertEqual(repr(s), "<sarrus.Sensitivity: xQ by L1, m1>")

    def test_scipy_wrapper(self):
        import with_scipy
        run = with_scipy.Run(sarrus.parse(FALL), "y", ["speed", "g"], end=0.5)
        numpy.testing.assert_allclose(run.values([4.0, 9.0]), [2 - 9 / 8], atol=1e-12)
        numpy.testing.assert_allclose(run.jacobian([4.0, 9.0]), [[0.5, -0.125]], atol=1e-9)

    def test_torch_wrapper(self):
        """With what of torch it uses in place of the package."""
        class Tensor(numpy.ndarray):
            device = None

            def detach(self):
                return self

            def cpu(self):
                return self

            def numpy(self):
                return numpy.asarray(self)

        stub = types.SimpleNamespace(as_tensor=lambda x, dtype, device: numpy.asarray(x).view(Tensor),
                                     autograd=types.SimpleNamespace(Function=type("Function", (), {"apply": None})))
        sys.modules["torch"] = stub
        try:
            import with_torch
            kept = {}
            stub.autograd.Function.__init_subclass__ = classmethod(lambda cls: kept.update(run=cls))
            with_torch.results(sarrus.parse(FALL), "y", ["speed", "g"], end=0.5)
            ctx = types.SimpleNamespace()
            y = kept["run"].forward(ctx, numpy.array([4.0, 9.0]).view(Tensor))
            numpy.testing.assert_allclose(y, [2 - 9 / 8], atol=1e-12)
            numpy.testing.assert_allclose(kept["run"].backward(ctx, numpy.array([2.0]).view(Tensor)), [1.0, -0.25], atol=1e-9)
        finally:
            del sys.modules["torch"]


if __name__ == "__main__":
    unittest.main()
