"""Runs: the bits of the program, what a result holds, and steps."""
import os
import pathlib
import subprocess
import tempfile
import unittest
import warnings

import numpy
import sarrus
from sarrus import _library
from test_models import FOUR_BAR, ROOT, pendulum

QUICK = ["pendulum", "four-bar", "slider-crank-1", "bricard", "andrews", "rolling-disc", "flyball-governor"]


def by_program(model, folder, *options):
    """Text of the CSV that the program writes."""
    path = pathlib.Path(folder, "program.csv")
    subprocess.run([_library.program(), "run", str(model), "-o", str(path), "--quiet", *options], env=dict(os.environ, SARRUS_CERTIFY="no"),
                   check=False, capture_output=True)
    return path.read_text()


class Runs(unittest.TestCase):
    def test_the_bits_of_the_program(self):
        for problem in QUICK:
            model = ROOT / "problems" / problem / "model.yaml"
            end = 0.03 if problem == "andrews" else 0.5
            with self.subTest(problem), tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                path = pathlib.Path(folder, "python.csv")
                sarrus.load(model).run(end=end).save(path)
                self.assertEqual(path.read_text(), by_program(model, folder, "--end", str(end)))

    def test_steps_are_a_run(self):
        model = pendulum()
        result = model.run(end=0.5, step=1e-2, all=False)
        with model.simulation(end=0.5, step=1e-2) as simulation:
            self.assertEqual(simulation.outputs["height"], result["height"][0])
            for row in range(1, 51):
                self.assertEqual(simulation.step(), result.time[row])
                self.assertEqual(simulation.outputs["height"], result["height"][row])
            self.assertTrue(simulation.done)
            self.assertEqual(simulation.step(), 0.5)

    def test_observers_agree_with_the_result(self):
        model = sarrus.load(FOUR_BAR)
        result = model.run(end=0.2)
        with model.simulation(end=0.2) as s:
            while not s.done:
                s.step()
            for body in model.bodies:
                position, quaternion = s.pose(body)
                numpy.testing.assert_array_equal(result.poses[body].position[-1], position)
                numpy.testing.assert_array_equal(result.poses[body].quaternion[-1], quaternion)
            for joint in model.joints:
                force, torque = s.reaction(joint)
                numpy.testing.assert_array_equal(result.reactions[joint].force[-1], force)
                numpy.testing.assert_array_equal(result.reactions[joint].torque[-1], torque)
            self.assertEqual(result.energies["kinetic"][-1], s.energy.kinetic)
            self.assertEqual(result["bodies/A/velocity"][-1].tolist(), s.velocity("A")[0].tolist())
            self.assertEqual(s.statistics["steps"], result.statistics["steps"])

    def test_pendulum_keeps_its_energy(self):
        result = pendulum().run(end=2, tolerance=1e-8)
        speed_squared = -2 * 9.81 * result["height"]  # it falls from rest at height 0
        numpy.testing.assert_allclose((result["bodies/bob/angular_velocity"][:, 2]) ** 2, speed_squared, atol=1e-5)
        self.assertEqual(result.verdict, "completed")
        self.assertTrue(result.trusted)
        self.assertEqual(len(result), len(result.time))
        self.assertEqual(list(result), ["height", "angle"])

    def test_passages(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            passages = sarrus.load(FOUR_BAR).run(end=2, all=False).passages
        self.assertAlmostEqual(passages[0].time, 1.0137, delta=1e-3)
        self.assertEqual(passages[0].joints, ["J1", "J2", "J3", "J4"])

    def test_certificate(self):
        result = pendulum().run(end=1, formulation="al3", step=1e-2)
        certificate = result.certify()
        exact = pendulum().run(end=1, tolerance=1e-12, sample=1e-2)
        error = numpy.abs(result["height"] - exact["height"])
        estimate = result.errors["height"]
        self.assertGreater(error.max(), 1e-6)
        self.assertTrue(0.3 < estimate.max() / error.max() < 3, (estimate.max(), error.max()))
        self.assertEqual(certificate.trusted, 1)

    def test_failure_carries_what_was_computed(self):
        model = pendulum().force("push", "force", acts_on="bob.tip", force=["1/(0.1 - t)", 0])
        with self.assertRaises(sarrus.SimulationError) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.run(end=1, formulation="al3", step=1e-2)
        self.assertIn("failed at t = 0.0", caught.exception.verdict)
        self.assertGreater(len(caught.exception.result), 5)
        self.assertLess(caught.exception.result.time[-1], 0.11)

    def test_cannot_be_assembled(self):
        model = pendulum().joint("far", "revolute", ["ground.A", "bob.tip"]).ground(points={"A": [3, 0]})
        with self.assertRaises(sarrus.AssemblyError) as caught:
            model.run(end=1)
        self.assertIn("impossible", caught.exception.verdict)

    def test_tables_and_pictures(self):
        result = pendulum().run(end=0.5)
        try:
            frame = result.to_pandas()
            self.assertEqual(frame["height"].iloc[-1], result["height"][-1])
            self.assertEqual(frame.index.name, "time")
        except ImportError:
            print("pandas is not there: to_pandas is not tested")
        try:
            import matplotlib
            matplotlib.use("Agg")
            axes = result.plot("height")
            self.assertEqual(axes.get_legend().get_texts()[0].get_text(), "height [m]")
        except ImportError:
            print("matplotlib is not there: plot is not tested")
        self.assertIn("<svg", result.drawing())
        self.assertIn("<iframe" if _library.program() else "<svg", result._repr_html_())

    def test_sweep(self):
        model = pendulum(parameters={"L": 1}).output("k", "L")
        outcomes = sarrus.sweep(model, {"L": [1, 2, "1/0"]}, last_k, processes=2, end=0.1)
        self.assertEqual([outcome.value for outcome in outcomes], [1, 2, None])
        self.assertIn("ModelError", outcomes[2].failure)


def last_k(result):
    """Of a run, for other processes too."""
    return float(result["k"][-1])


if __name__ == "__main__":
    unittest.main()
