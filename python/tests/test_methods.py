"""Methods from outside: formulations and integrators in Python, plug-ins, and what is wrong with them."""
import pathlib
import subprocess
import tempfile
import unittest

import numpy

import sarrus
from test_models import FOUR_BAR, ROOT


class ALi3p(sarrus.Formulation):
    """Index-3 augmented Lagrangian with projections: (3.1)-(3.4) of the papers, as they are."""

    name = "python-ali3p"
    options = "alpha"
    singular = True

    def accelerations(self, at, multipliers):
        saddle = numpy.block([[at.M, at.Phi_q.T], [at.Phi_q, numpy.zeros(2*[len(at.Phi)])]])
        x = numpy.linalg.lstsq(saddle, numpy.concatenate([at.Q, -at.bias]), rcond=None)[0]
        return x[:len(at.v)], x[len(at.v):]

    def tangent(self, at, cv, ca):
        self.alpha = 1e7*ca  # penalty in units of the inertia
        self.plain = ca*at.M + cv*at.C + at.K
        return self.plain + self.alpha*at.Phi_q.T @ at.Phi_q

    def correct(self, at, a, multipliers, cv, ca):
        matrix = self.tangent(at, cv, ca)
        return -numpy.linalg.solve(matrix, at.M @ a + at.Phi_q.T @ (multipliers + self.alpha*at.Phi) - at.Q)

    def update(self, at, multipliers, ca):
        return multipliers + self.alpha*at.Phi

    def project(self, at, v, a, cv, ca):
        matrix = self.tangent(at, cv, ca)
        v = numpy.linalg.solve(matrix, self.plain @ v - self.alpha*at.Phi_q.T @ at.Phi_t)
        bias = at.bias  # of the velocities before: they differ by what is projected out
        return v, numpy.linalg.solve(matrix, self.plain @ a - self.alpha*at.Phi_q.T @ bias)


class Heun(sarrus.Integrator):
    name = "python-heun"
    order = 2

    def step(self, t, h, y, ydot, f):
        return y + h/2*(ydot + f(t + h, y + h*ydot))


class Broken(sarrus.Formulation):
    name = "python-broken"

    def accelerations(self, at, multipliers):
        if at.t > 0.05:
            raise ValueError("the moon is in the way")
        return ALi3p.accelerations(self, at, multipliers)


class Wrong(sarrus.Formulation):
    name = "python-wrong"

    def accelerations(self, at, multipliers):
        return [1.0], multipliers


for each in (ALi3p, Heun, Broken, Wrong):
    sarrus.register(each)


class Methods(unittest.TestCase):
    def test_they_are_among_the_others(self):
        self.assertIn("python-ali3p", sarrus.methods()["formulation"])
        self.assertIn("python-heun", sarrus.methods()["integrator"])
        with self.assertRaisesRegex(sarrus.SarrusError, "python-ali3"):
            sarrus.load(FOUR_BAR).run(formulation="python-ali3", integrator="trapezoidal")

    def test_the_digits_of_the_library(self):
        model = sarrus.load(FOUR_BAR)
        setting = {"integrator": "trapezoidal", "coordinates": "natural", "step": 1e-3, "end": 1.5}
        mine = model.run(formulation="python-ali3p", **setting)
        ours = model.run(formulation="al3", **setting)
        # positions alone: reactions differ by 2e-6 beside the singular configuration, where they grow without bound
        for name in (each for each in ours.outputs if ours.units[each] == "m"):
            a, b = numpy.array(mine[name]), numpy.array(ours[name])
            self.assertLess(numpy.abs(a - b).max(), 1e-7*max(1.0, numpy.abs(b).max()), name)  # a regression limit: 2.3e-8 was measured

    def test_an_integrator_has_its_order(self):
        model = sarrus.load(ROOT / "tests/models/spring.yaml")
        exact = model.run(tolerance=1e-12, end=0.5)
        name = next(iter(exact.outputs))
        errors = []
        for step in (2e-3, 1e-3):
            run = model.run(formulation="al1", integrator="python-heun", step=step, end=0.5)
            errors.append(abs(run[name][-1] - exact[name][-1]))
        self.assertGreater(errors[0]/errors[1], 3.5)
        self.assertLess(errors[0]/errors[1], 4.5)

    def test_exceptions_end_the_run_with_their_words(self):
        with self.assertRaisesRegex(sarrus.SarrusError, "the moon is in the way"):
            sarrus.load(FOUR_BAR).run(formulation="python-broken", integrator="rk4", step=1e-3)
        with self.assertRaisesRegex(sarrus.SarrusError, "must have"):
            sarrus.load(FOUR_BAR).run(formulation="python-wrong", integrator="rk4", step=1e-3)

    def test_what_cannot_be_registered(self):
        with self.assertRaisesRegex(sarrus.SarrusError, "already"):
            sarrus.register(ALi3p)
        with self.assertRaisesRegex(sarrus.SarrusError, "lower-case"):
            sarrus.register(type("A", (sarrus.Formulation,), {"name": "With Spaces"}))
        with self.assertRaisesRegex(TypeError, "derived"):
            sarrus.register(int)

    def test_shared_objects(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            built = folder / "uk.so"
            subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", ROOT / "examples/plugins/udwadia_kalaba.c",
                            "-I", ROOT / "include", "-lm", "-o", built], check=True)
            sarrus.load_plugin(built)
            model = sarrus.load(FOUR_BAR)
            setting = {"integrator": "rk4", "coordinates": "natural", "step": 1e-3, "end": 0.5}
            mine, ours = model.run(formulation="udwadia-kalaba", **setting), model.run(tolerance=1e-10, end=0.5)
            name = next(iter(ours.outputs))
            self.assertLess(abs(mine[name][-1] - ours[name][-1]), 1e-8)
            for source, words in (("int nothing;", "sarrus_plugin"),
                                  ("#include <sarrus/plugin.h>\nconst sar_plugin sarrus_plugin = {.version = 99};", "version 99"),
                                  ("#include <sarrus/plugin.h>\nconst sar_plugin sarrus_plugin = {.version = 1};", "no members")):
                (folder / "x.c").write_text(source)
                wrong = folder / f"{abs(hash(source))}.so"
                subprocess.run(["cc", "-fPIC", "-shared", folder / "x.c", "-I", ROOT / "include", "-o", wrong], check=True)
                with self.assertRaisesRegex(sarrus.SarrusError, words):
                    sarrus.load_plugin(wrong)
            with self.assertRaises(sarrus.SarrusError):
                sarrus.load_plugin(folder / "missing.so")


if __name__ == "__main__":
    unittest.main()
