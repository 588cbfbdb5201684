# %% [markdown]
# # Identification: the stiffness and damping of a spring
#
# A mass on a spring was measured; scipy finds the stiffness and damping whose motion fits. Every evaluation is a run.

# %%
import numpy
import sarrus
from scipy.optimize import least_squares

m = sarrus.Model("oscillator", 2, parameters={"k": 100, "d": 1})
m.body("block", mass=2, inertia=1, position=[1.1, 0], angle=0)
m.joint("rail", "prismatic", ["ground.origin", "block.origin"], axis=[1, 0])
m.force("spring", "spring", between=["ground.origin", "block.origin"], stiffness="k", damping="d", length=1)
m.output("x", "block.origin.x")

# %% [markdown]
# The "measurement" is a run with k = 137, d = 2.2 and noise of 1 mm.

# %%
true = {"k": 137.0, "d": 2.2}
measured = m.with_parameters(**true).run(end=2, sample=0.02, all=False)
data = measured["x"] + numpy.random.default_rng(1).normal(scale=1e-3, size=len(measured))


def misfit(guess):
    """Difference from the measurement."""
    return m.with_parameters(k=guess[0], d=guess[1]).run(end=2, sample=0.02, all=False)["x"] - data


fit = least_squares(misfit, [100, 1], x_scale=[100, 1])
covariance = numpy.linalg.inv(fit.jac.T @ fit.jac) * (fit.fun @ fit.fun) / (len(data) - 2)
print(f"k = {fit.x[0]:.2f} +- {covariance[0, 0]**0.5:.2f} N/m, d = {fit.x[1]:.3f} +- {covariance[1, 1]**0.5:.3f} N s/m, {fit.nfev} evaluations")
assert abs(fit.x[0] - 137) < 5 * covariance[0, 0]**0.5 and abs(fit.x[1] - 2.2) < 5 * covariance[1, 1]**0.5

# %%
from matplotlib import pyplot

pyplot.plot(measured.time, data, ".", label="measured")
pyplot.plot(measured.time, misfit(fit.x) + data, label="fitted")
pyplot.xlabel("time [s]")
pyplot.ylabel("x [m]")
pyplot.legend();
