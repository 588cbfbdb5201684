# %% [markdown]
# # A controller in the loop
#
# An inverted pendulum on a cart, held upright by state feedback. The force on the cart is an input of the model, which the controller
# sets before every step: between samples it is held.

# %%
import numpy
import sarrus

m = sarrus.Model("cart-pole", 2, gravity=[0, -9.81], inputs={"u": {"start": 0, "unit": "N"}})
m.body("cart", mass=1, inertia=1, position=[0, 0], angle=0)
m.body("pole", mass=0.2, center=[0, 0.5], inertia="0.2*1^2/12", points={"top": [0, 1]}, position=[0, 0], angle=0.15)
m.joint("rail", "prismatic", ["ground.origin", "cart.origin"], axis=[1, 0])
m.joint("hinge", "revolute", ["cart.origin", "pole.origin"])
m.force("push", "force", acts_on="cart.origin", force=["u", 0])
for name, signal in {"x": "rail.displacement", "v": "rail.speed", "angle": "hinge.angle", "rate": "hinge.rate", "u": "u"}.items():
    m.output(name, signal)

# %% [markdown]
# The gains are those of a linear-quadratic regulator for the linearised cart and pole.

# %%
from scipy.linalg import solve_continuous_are

M, mp, l, J, g = 1.0, 0.2, 0.5, 0.2 / 12, 9.81
mass = numpy.array([[M + mp, -mp * l], [-mp * l, J + mp * l**2]])
A, B = numpy.zeros((4, 4)), numpy.zeros((4, 1))
A[0, 1] = A[2, 3] = 1
A[[1, 3], 2] = numpy.linalg.solve(mass, [0, mp * g * l])
B[[1, 3], 0] = numpy.linalg.solve(mass, [1, 0])
K = (B.T @ solve_continuous_are(A, B, numpy.diag([10, 1, 10, 1]), [[0.1]]) / 0.1)[0]


def controller(t, y):
    """State feedback, called before every step."""
    return {"u": -K @ [y["x"], y["v"], y["angle"], y["rate"]]}


with m.simulation(end=4, step=5e-3, formulation="al3") as simulation:
    result = simulation.run(control=controller)
assert abs(result["angle"][-1]) < 1e-3 and abs(result["x"][-1]) < 1e-2
result

# %%
from matplotlib import pyplot

figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.2))
result.plot("x", "angle", ax=axes[0])
result.plot("u", ax=axes[1]);

# %% [markdown]
# The same with as little of Python as possible in the loop: inputs and outputs are arrays, and a step is one call.

# %%
with m.simulation(end=4, step=5e-3, formulation="al3") as simulation:
    step = simulation.stepper()
    y = numpy.array(list(simulation.outputs.values()))
    step.inputs[0] = -K @ y[:4]
    while step():
        step.inputs[0] = -K @ step.outputs[:4]
    print(f"angle at the end: {step.outputs[2]:.2e} rad, x = {step.outputs[0]:.2e} m")
    assert step.outputs[2] == result["angle"][-1]
