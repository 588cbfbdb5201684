"""A run as a function for SciPy: least squares with exact slopes.

    python3 with_scipy.py            # needs scipy
"""
import numpy

import sarrus

MODEL = """{sarrus: 1, name: pendulum, dimension: 2, gravity: [0, -9.81], parameters: {L: 1.0, c: 0.1},
  bodies: {bob: {mass: 0.8, points: {O: [0, L], tip: [0, 0]}}},
  joints: {O: {type: revolute, between: [ground.origin, bob.O]}},
  forces: {air: {type: force, acts_on: bob.tip, force: [-c*bob.tip.vx, -c*bob.tip.vy]}},
  outputs: {x: bob.tip.x}, start: {O.angle: 0.4, O.rate: 1}}"""


class Run:
    """Values and Jacobian of a model's results; the last values are kept, as solvers ask for both at one place."""

    def __init__(self, model, of, by, **options):
        self.first = model.sensitivity(of, by, **options)
        self.here = self.first
        self.place = numpy.array(list(self.first.parameters.values()))

    def _go(self, p):
        if not numpy.array_equal(p, self.place):
            self.here, self.place = self.first.at(p), numpy.array(p)
        return self.here

    def values(self, p):
        return self._go(p).values

    def jacobian(self, p):
        return self._go(p).jacobian()


def fit(run, measured, start):
    from scipy.optimize import least_squares
    return least_squares(lambda p: run.values(p) - measured, start, jac=run.jacobian).x


if __name__ == "__main__":
    times = numpy.linspace(0.05, 2, 40)
    model = sarrus.parse(MODEL)
    measured = model.with_parameters(L=1.2, c=0.05).sensitivity("x", ["L"], times=times, end=2).values
    print(fit(Run(model, "x", ["L", "c"], times=times, end=2), measured, [1.0, 0.1]))  # 1.2, 0.05
