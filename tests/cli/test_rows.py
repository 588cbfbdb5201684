"""Rows within steps are as accurate as the steps: stiff car axes with rows every millisecond, beside themselves at a tight tolerance.
Steps go through the times where their drive turns back as through all others.

    python3 test_rows.py PROGRAM SOURCE_ROOT
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.abspath(sys.argv[2]), "tools", "trust"))
import program
import rows

AXIS = """
sarrus: 1
name: car-axis
dimension: 2
gravity: [0, -1]
parameters: {{m: {m}, r: 0.1, w: 10}}
bodies:
  l: {{mass: m, inertia: m, position: [0, 0.5], angle: 0}}
  q: {{mass: m, inertia: m, position: [1, 0.5], angle: 0}}
  wheel: {{mass: m, inertia: m, position: [1, 0], angle: 0}}
{rod}
drives:
  wx: {{along: wheel.origin.x, value: sqrt(1 - (r*sin(w*t))^2)}}
  wy: {{along: wheel.origin.y, value: r*sin(w*t)}}
forces:
  sl: {{type: spring, between: [ground.origin, l.origin], stiffness: {k}, damping: {c}, length: 0.5}}
  sr: {{type: spring, between: [wheel.origin, q.origin], stiffness: {k}, damping: {c}, length: 0.5}}
{spring}
outputs: {{xl: l.origin.x, yl: l.origin.y, xr: q.origin.x, yr: q.origin.y}}
method: {{end: 1}}
"""
ROD = "joints: {rod: {type: distance, between: [l.origin, q.origin], distance: 1}}"
SPRING = "  rod: {{type: spring, between: [l.origin, q.origin], stiffness: {}, damping: {}, length: 1}}"
# the rows that were wrong are near the dead points of the drive, where the steps are long
MODELS = [dict(m=0.003839571655870127, k=2.017469806313588, c=18.62922023330495, rod="", spring=SPRING.format(1520.4620267899984, 61.83611052528838)),
          dict(m=0.00021627548879647306, k=948.0488121926643, c=0.9513555189586187, rod=ROD, spring=""),
          dict(m=0.00010596257512523402, k=131.9658615686943, c=12.979384554764835, rod="", spring=SPRING.format(10946.653370960928, 37.35163935041737))]

sarrus, bad, total = program.Program(sys.argv[1]), [], 0
with tempfile.TemporaryDirectory() as folder:
    for number, values in enumerate(MODELS):
        path = os.path.join(folder, f"axis-{number}.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(AXIS.format(**values))
        reference = rows.rows_of(sarrus, path, 1e-3, "--tolerance", "1e-11", "--coordinates", "relative")
        assert len(reference["time"]) == 1001
        for coordinates in ("natural", "cartesian", "increments", "relative"):
            for tolerance in ("1e-4", "1e-6"):
                run = sarrus.run(path, "--tolerance", tolerance, "--coordinates", coordinates, "--sample", "1e-3", "--certify=no")
                found = rows.outliers(run.rows, reference, float(tolerance))
                total += 1
                steps = run.report["time"]
                if number == 0 and steps["rejected"] > steps["steps"] / 5:  # was 22 of 60, for places that were foretold wrongly
                    bad.append((number, coordinates, tolerance, f"{steps['rejected']} of {steps['steps']} steps were rejected"))
                bad += [(number, coordinates, tolerance, *row) for row in found]

# ---- rows soon after an event: the polynomial through the ends of the last steps does not lead across it ----

STOP = """{sarrus: 1, name: stop, dimension: 2, bodies: {a: {mass: 2.0745559992344655, inertia: 0.1, position: [0, 0], angle: 0}},
joints: {g: {type: prismatic, between: [ground.origin, a.origin], axis: [ground.x, a.x]}},
forces: {s: {type: stop, joint: g, upper: 0.20277876722120922, stiffness: 1790463022.9065938}},
start: {g.speed: 71.485660454114}, outputs: {x: a.origin.x, v: a.origin.vx}, method: {end: 0.0071985263642854805}}"""
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "stop.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(STOP)
    run = sarrus.run(path, "--certify=short")  # its second run had rows that were off by 130 %
    if run.code != 0 or not run.report["trusted"]:
        bad.append(("rows after a stop", run.report["certificate"]["largest"]))
print("\n".join(map(str, bad)) or f"{total} runs: no row is off on its own")
sys.exit(1 if bad else 0)
