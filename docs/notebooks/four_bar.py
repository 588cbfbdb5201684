# %% [markdown]
# # A four-bar linkage from nothing
#
# Three bars between four pins: the crank turns once around, and a point of the coupler draws its coupler curve.

# %%
import numpy
import sarrus

m = sarrus.Model("four-bar", 2, parameters={"a": "1 m", "b": "3.5 m", "c": "3 m", "d": "4 m"})
m.ground(points={"A": [0, 0], "D": ["d", 0]})
m.body("crank", mass=1, inertia=0.1, points={"A": [0, 0], "B": ["a", 0]}, position=[0, 0], angle="90 deg")
m.body("coupler", mass=2, inertia=1, center=["b/2", 0], points={"B": [0, 0], "C": ["b", 0], "P": ["b/2", 1]}, position=[0, "a"], angle=0.6)
m.body("rocker", mass=2, inertia=1, center=["c/2", 0], points={"D": [0, 0], "C": ["c", 0]}, position=["d", 0], angle="110 deg")
m.joint("A", "revolute", ["ground.A", "crank.A"])
m.joint("B", "revolute", ["crank.B", "coupler.B"])
m.joint("C", "revolute", ["coupler.C", "rocker.C"])
m.joint("D", "revolute", ["rocker.D", "ground.D"])
m.drive("motor", "pi/2 + 2*pi*t", joint="A", coordinate="angle")
m.output("x", "coupler.P.x").output("y", "coupler.P.y").output("rocker", "rocker.angle").output("torque", "motor.torque")
m.check()

# %% [markdown]
# One revolution in one second. The drawing is that of the start; in a notebook the page of `sarrus view` moves.

# %%
result = m.run(end=1, formulation="al3", step=1e-3)
result

# %%
from matplotlib import pyplot

figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.5))
axes[0].plot(result["x"], result["y"])
axes[0].set_aspect("equal")
axes[0].set_title("coupler curve [m]")
result.plot("torque", ax=axes[1]);

# %% [markdown]
# The curve is closed, and the linkage satisfies Freudenstein's equation at every time.

# %%
theta, phi = numpy.pi / 2 + 2 * numpy.pi * result.time, result["rocker"]
a, b, c, d = (m.parameters[name] for name in "abcd")
left = d / a * numpy.cos(phi) - d / c * numpy.cos(theta) + (a**2 - b**2 + c**2 + d**2) / (2 * a * c)
assert numpy.abs(left - numpy.cos(theta - phi)).max() < 1e-6
assert numpy.hypot(result["x"][-1] - result["x"][0], result["y"][-1] - result["y"][0]) < 1e-6
print(f"Freudenstein's equation holds to {numpy.abs(left - numpy.cos(theta - phi)).max():.1e}")
