"""The equations of motion: against differences, against a mechanism written out by hand, and put to use."""
import unittest

import numpy

import sarrus
from test_inputs import cart
from test_models import FOUR_BAR, ROOT

COORDINATES = ("natural", "cartesian", "increments", "relative")
MODELS = ("problems/four-bar/model.yaml", "problems/bricard/model.yaml", "problems/iltis-suspension/model.yaml",
          "problems/rolling-disc/model.yaml", "tests/models/bushing.yaml", "tests/models/driven-crank.yaml",
          "tests/models/spring-table.yaml", "problems/andrews/model.yaml")


def difference(e, f, q, h):
    """Of f by changes of q, of fourth order."""
    columns = []
    for d in h*numpy.eye(len(e.velocities)):
        columns.append((8*(f(e.move(q, d)) - f(e.move(q, -d))) - f(e.move(q, 2*d)) + f(e.move(q, -2*d)))/(12*h))
    return numpy.array(columns).T


def close(test, a, b, tolerance):
    scale = max(1.0, numpy.abs(a).max(initial=0.0))
    test.assertLess(numpy.abs(a - b).max(initial=0.0), tolerance*scale)


def al3(e, t, q, v, h, steps, alpha=1e9):
    """The index-3 augmented Lagrangian with projections, by the trapezoidal rule: the papers' ALi3p in NumPy."""
    at = e(t, q, v)
    saddle = numpy.block([[at.M, at.Phi_q.T], [at.Phi_q, numpy.zeros(2*[len(at.Phi)])]])
    a = numpy.linalg.lstsq(saddle, numpy.concatenate([at.Q, -at.bias]), rcond=None)[0][:len(v)]
    multipliers = numpy.zeros(len(at.Phi))
    for _ in range(steps):
        t, q0, v0, a0 = t + h, q, v, a
        q = q0 + h*v0 + h*h/2*a0
        for iteration in range(30):
            v = 2/h*(q - q0) - v0
            a = 4/h**2*(q - q0) - 4/h*v0 - a0
            at = e(t, q, v)
            multipliers = multipliers + (alpha*at.Phi if iteration else 0)
            residual = h*h/4*(at.M @ a + at.Phi_q.T @ (multipliers + alpha*at.Phi) - at.Q)
            plain = at.M + h/2*at.C + h*h/4*at.K
            tangent = plain + h*h/4*alpha*at.Phi_q.T @ at.Phi_q
            change = -numpy.linalg.solve(tangent, residual)
            q = q + change
            if numpy.linalg.norm(change) < 1e-12:
                break
        at = e(t, q, v)
        v = numpy.linalg.solve(tangent, plain @ v - h*h/4*alpha*at.Phi_q.T @ at.Phi_t)
        at = e(t, q, v)
        a = numpy.linalg.solve(tangent, plain @ a - h*h/4*alpha*at.Phi_q.T @ at.bias)
    return q, v


class Equations(unittest.TestCase):
    def test_jacobians_are_derivatives(self):
        for path in MODELS:
            for coordinates in COORDINATES:
                with self.subTest(path=path, coordinates=coordinates):
                    e = sarrus.load(ROOT / path).equations(coordinates)
                    t, q, v = e.start
                    t += 0.37
                    at, rows = e(t, q, v), len(e.constraints) - e.nonholonomic
                    h = 1e-3*max(1e-3, numpy.abs(q).max())
                    close(self, at.Phi_q[:rows], difference(e, lambda x: e(t, x, v).Phi[:rows], q, h), 1e-8)
                    if coordinates == "natural":  # elsewhere Q has inertial forces too
                        close(self, at.C, -numpy.array([(e(t, q, v + d).Q - e(t, q, v - d).Q)/2e-4 for d in 1e-4*numpy.eye(len(v))]).T, 1e-6)
                    lagrange = numpy.linspace(-1, 1, len(e.constraints))
                    lagrange[rows:] = 0
                    if coordinates in ("natural", "cartesian"):
                        slope = difference(e, lambda x: e(t, x, v).Phi_q.T @ lagrange, q, h)
                        at = e(t, q, v)
                        close(self, at.hessian(lagrange), slope, 1e-7)

    def test_slopes_of_outputs_are_derivatives(self):
        seen = 0
        for path in (*MODELS, "tests/models/free-top.yaml", "tests/models/spherical.yaml", "tests/models/point-on-plane.yaml"):
            model = sarrus.load(ROOT / path)
            for coordinates in COORDINATES:
                e = model.equations(coordinates)
                t, q, v = e.start
                t, v = t + 0.37, v + 0.3*numpy.random.default_rng(7).normal(size=len(v))
                h = 1e-3*max(1e-3, numpy.abs(q).max())
                for name in e._compiled.names("outputs"):
                    with self.subTest(path=path, coordinates=coordinates, output=name):
                        at = e(t, q, v)
                        try:
                            y = at.output(name)
                        except sarrus.MethodError as refused:
                            self.assertIn("the output", str(refused))
                            continue
                        seen += 1
                        close(self, y.by_q, difference(e, lambda x: e(t, x, v).output(name).value, q, h), 1e-7)
                        close(self, y.by_v, numpy.array([(e(t, q, v + d).output(name).value - e(t, q, v - d).output(name).value)/2e-4
                                                         for d in 1e-4*numpy.eye(len(v))]), 1e-7)
                        if path.startswith("problems/four-bar"):  # and the value is that of a run
                            run = model.simulation(preset="ALi3p", step=1e-3)
                            run.step(100)
                            at = e(*e.take(run))
                            self.assertAlmostEqual(at.output(name).value, run.outputs[name], 10)
        self.assertGreater(seen, 100)

    def test_slopes_of_outputs_are_those_of_complex_steps(self):
        model = sarrus.parse("""
sarrus: 1
name: pendulum
dimension: 2
bodies:
  bob: {mass: 2, inertia: 0.3, position: [0, 0], angle: 0.4, points: {A: [0, 0], B: [0.7, 0.2]}}
joints:
  J: {type: revolute, between: [ground.origin, bob.A]}
start: {J.rate: 1.5}
outputs: {y: "exp(sin(bob.B.x*bob.B.vy))*t + J.angle^3 + sqrt(2 + J.rate)", kinetic: energy.kinetic}
""")
        def y(t, q, v):
            x, vy = 0.7*numpy.cos(q) - 0.2*numpy.sin(q), (0.7*numpy.cos(q) - 0.2*numpy.sin(q))*v
            return numpy.exp(numpy.sin(x*vy))*t + q**3 + numpy.sqrt(2 + v)

        e = model.equations("relative")
        t, q, v = 1.3, numpy.array([0.9]), numpy.array([-0.8])
        out = e(t, q, v).output("y")
        z = 1e-30j
        exact = [y(t, q[0], v[0]), y(t, q[0] + z, v[0]).imag/1e-30, y(t, q[0], v[0] + z).imag/1e-30, y(t + z, q[0], v[0]).imag/1e-30]
        close(self, numpy.array([out.value, out.by_q[0], out.by_v[0], out.by_t]), numpy.array(exact), 1e-13)
        with self.assertRaisesRegex(sarrus.MethodError, "'kinetic' depends on"):
            e(t, q, v).output("kinetic")
        with self.assertRaisesRegex(ValueError, "no output 'z'; the model has: y, kinetic"):
            e(t, q, v).output("z")

    def test_a_pendulum_in_closed_form(self):
        model = sarrus.parse("""
sarrus: 1
name: pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  bob: {mass: 2, inertia: 0.3, center: [0.5, 0], position: [0, 0], angle: 0.4, points: {A: [0, 0]}}
joints:
  J: {type: revolute, between: [ground.origin, bob.A]}
start: {J.rate: 1.5}
""")
        e = model.equations("relative")
        self.assertEqual((e.positions, e.velocities, e.constraints), (["J.angle"], ["J.rate"], []))
        t, q, v = e.start
        at = e(t, q, v)
        inertia = 0.3 + 2*0.25
        self.assertAlmostEqual(at.M[0, 0], inertia, 14)
        self.assertAlmostEqual(at.Q[0], -2*9.81*0.5*numpy.cos(0.4), 13)
        self.assertAlmostEqual(at.kinetic, 0.5*inertia*1.5**2, 13)
        natural = model.equations("natural")
        t, q, v = natural.start
        free = natural(t, q, v).independent([natural.velocities.index(natural.velocities[-1])])
        z = free.R[:, 0]  # the same inertia, seen from another velocity
        at = natural(t, q, v)
        spin = at.jacobian("bob")[5] @ z
        self.assertAlmostEqual(free.M[0, 0], inertia*spin**2, 12)
        self.assertAlmostEqual(free.Q[0] / spin, -2*9.81*0.5*numpy.cos(0.4) - inertia*(at.jacobian("bob")[5] @ free.s), 10)

    def test_bodies(self):
        e = sarrus.load(ROOT / "problems/bricard/model.yaml").equations("increments")
        t, q, v = e.start
        v = numpy.random.default_rng(1).normal(size=len(v))
        at, kinetic = e(t, q, v), 0.0
        for b, name in enumerate(e._compiled.names("bodies")[1:]):
            center, mass, inertia = at.inertia(name)
            spin = (at.jacobian(name) @ v)[3:]
            kinetic += 0.5*mass*v[6*b:6*b + 3] @ v[6*b:6*b + 3] + 0.5*spin @ inertia @ spin
            close(self, center, q[7*b:7*b + 3], 1e-14)
        self.assertAlmostEqual(kinetic, at.kinetic, 9)

    def test_independent_velocities_give_the_accelerations_of_redundant_constraints(self):
        for coordinates in COORDINATES:
            e = sarrus.load(ROOT / "problems/bricard/model.yaml").equations(coordinates)
            t, q, v = e.start
            at = e(t, q, v)
            best = max(range(len(v)), key=lambda k: abs(numpy.linalg.svd(at.Phi_q)[2][-1][k]))
            free = at.independent([best])
            saddle = numpy.block([[at.M, at.Phi_q.T], [at.Phi_q, numpy.zeros(2*[len(at.Phi)])]])
            a = numpy.linalg.lstsq(saddle, numpy.concatenate([at.Q, -at.bias]), rcond=None)[0][:len(v)]
            close(self, free.acceleration, a, 1e-9)
            self.assertLess(numpy.abs(at.Phi_q @ free.R).max(), 1e-9)
        with self.assertRaisesRegex(sarrus.SarrusError, "independent"):
            at.independent([0, 1, 2])
        with self.assertRaisesRegex(sarrus.SarrusError, "independent"):
            at.independent([])

    def test_a_method_of_forty_lines_has_the_digits_of_the_library(self):
        model = sarrus.load(FOUR_BAR)
        e = model.equations("natural")
        steps, h = 200, 1e-3
        q, v = al3(e, *e.start, h, steps)
        with model.simulation(coordinates="natural", formulation="al3", integrator="trapezoidal", step=h, end=1) as s:
            s.step(steps)
            t, q_library, v_library = e.take(s)
        self.assertAlmostEqual(t, steps*h, 12)
        close(self, q, q_library, 1e-10)
        close(self, v, v_library, 1e-8)  # a regression limit: 1.6e-9 was measured; the projection leaves a part 1/(alpha h^2)

    def test_a_run_in_other_coordinates(self):
        model = sarrus.load(ROOT / "problems/iltis-suspension/model.yaml")
        with model.simulation(coordinates="relative", end=1) as s:
            s.step(5)
            for coordinates in COORDINATES:
                e = model.equations(coordinates)
                t, q, v = e.take(s)
                at = e(t, q, v)
                self.assertLess(numpy.abs(at.Phi).max(), 1e-9)
                self.assertLess(numpy.abs(at.Phi_q @ v + at.Phi_t).max(), 1e-8)
                self.assertAlmostEqual(at.kinetic, s.energy.kinetic, 9)
                self.assertAlmostEqual(at.potential, s.energy.potential, 6)

    def test_sparse_is_dense(self):
        e = sarrus.load(FOUR_BAR).equations("cartesian")
        at = e(*e.start)
        for name in ("M", "K", "C", "Phi_q", "Phi_q_rate"):
            data, column, start, shape = at.sparse(name)
            dense = numpy.zeros(shape)
            for r in range(shape[0]):
                self.assertTrue(numpy.all(numpy.diff(column[start[r]:start[r + 1]]) > 0))
                dense[r, column[start[r]:start[r + 1]]] = data[start[r]:start[r + 1]]
            self.assertTrue(numpy.array_equal(dense, getattr(at, name)))
        with self.assertRaisesRegex(ValueError, "Phi_q_rate"):
            at.sparse("N")

    def test_inputs(self):
        e = cart().equations("relative")
        t, q, v = e.start
        name = cart().simulation().inputs
        key = next(iter(name))
        e.set_input(key, 0.0)
        before = e(t, q, v).Q
        e.set_input(key, 3.0)
        self.assertGreater(numpy.abs(e(t, q, v).Q - before).max(), 0.1)
        with self.assertRaisesRegex(ValueError, "there is no input"):
            e.set_input("nothing", 1)

    def test_misuse(self):
        model = sarrus.load(FOUR_BAR)
        with self.assertRaisesRegex(sarrus.SarrusError, "coordinates"):
            model.equations("polar")
        e = model.equations()
        with self.assertRaisesRegex(ValueError, "must have"):
            e(0, [1, 2], [3])
        t, q, v = e.start
        with self.assertRaisesRegex(ValueError, "there is no body"):
            e(t, q, v).jacobian("wheel")


if __name__ == "__main__":
    unittest.main()
