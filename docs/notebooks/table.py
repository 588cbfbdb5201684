# %% [markdown]
# # A table of a paper again
#
# Slider-crank mechanism that goes through its singular configuration twice in every cycle: methods of the augmented Lagrangian family
# beside others, as in table 1 of the comparison that `python3 -m sarrus.bench 000` repeats in full. What is measured here is
# the energy drift and the number of singular passages that were seen.

# %%
import pathlib
import warnings

import sarrus

warnings.simplefilter("ignore", sarrus.SarrusWarning)
root = pathlib.Path.cwd().parents[1]
model = sarrus.load(root / "problems" / "slider-crank-1" / "model.yaml")
methods = {"al3, natural": dict(formulation="al3", coordinates="natural"),
           "al3, cartesian": dict(formulation="al3", coordinates="cartesian"),
           "al3, relative": dict(formulation="al3", coordinates="relative"),
           "threefield": dict(formulation="threefield", integrator="own"),
           "automatic": dict(tolerance=1e-8)}
rows = []
for name, options in methods.items():
    step = {} if "tolerance" in options else {"step": 1e-3}
    try:
        result = model.run(end=4, **step, **options)
        z = result.statistics
        rows.append((name, result.verdict, len(result.passages), z["steps"], z["energy_max_drift"] / z["energy_scale"]))
    except sarrus.SimulationError as error:
        rows.append((name, error.verdict, len(error.result.passages), error.result.statistics["steps"], float("nan")))

# %%
print(f"{'method':16s} {'verdict':12s} {'passages':>8s} {'steps':>6s} {'drift':>8s}")
for row in rows:
    print("{:16s} {:12s} {:8d} {:6d} {:8.1e}".format(*row))
assert all(row[1] == "completed" for row in rows) and len({row[2] for row in rows}) == 1
