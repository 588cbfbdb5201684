#!/usr/bin/env python3
"""Outputs that sum up a signal from the start on, of a mass on a spring against their closed forms, at every sample.

Usage: test_statistics.py PROGRAM
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

MODEL = """sarrus: 1
name: statistics
dimension: 2
gravity: [0, 0]
bodies: {m: {mass: 1, inertia: 1, position: [0.4, 0], angle: 0}}
joints: {g: {type: prismatic, between: [ground.origin, m.origin], axis: [1, 0]}}
forces: {s: {type: spring, joint: g, stiffness: 9}}
start: {g.displacement: 0.4, g.speed: 2}
outputs: {x: g.displacement, mean: {mean: g.displacement}, rms: {rms: g.displacement}, max: {max: g.displacement}, min: {min: g.displacement}, fastest: {max: abs(g.speed)}, slow: {filter: g.displacement, time_constant: 0.7}, quick: {filter: g.displacement, time_constant: 1 ms}, area: {integral: g.speed, over: g.displacement}, cube: {integral: g.displacement^2, over: g.displacement}}
method: {end: 5, sample: 0.25}
"""
W, A, PHASE = 3.0, math.hypot(0.4, 2 / 3), math.atan2(2 / 3, 0.4)  # x = A cos(W t - PHASE)


def extremes(t):
    """Of x and |v| up to t: at the ends, and where x and v turn."""
    times = [0.0, t] + [(k * math.pi / 2 + PHASE) / W for k in range(-1, 20)]
    x = [A * math.cos(W * s - PHASE) for s in times if 0 <= s <= t]
    v = [A * W * abs(math.sin(W * s - PHASE)) for s in times if 0 <= s <= t]
    return min(x), max(x), max(v)


def filtered(t, T):
    """T y' = x - y from y = x: gain 1/sqrt(1 + (T W)^2) and a delay, and what is left of the start."""
    gain, delay = 1 / math.hypot(1, T * W), math.atan(T * W)
    steady = [A * gain * math.cos(W * s - PHASE - delay) for s in (0.0, t)]
    return steady[1] + (A * math.cos(PHASE) - steady[0]) * math.exp(-t / T)


def wanted(t):
    x0 = A * math.cos(PHASE)
    mean = A * (math.sin(W * t - PHASE) + math.sin(PHASE)) / (W * t) if t else x0
    square = A * A * (t / 2 + (math.sin(2 * (W * t - PHASE)) + math.sin(2 * PHASE)) / (4 * W)) / t if t else x0 * x0
    least, most, fastest = extremes(t)
    x = A * math.cos(W * t - PHASE)
    return {"area": W * W * (A * A * t - square * t if t else 0), "cube": (x**3 - x0**3) / 3, "slow": filtered(t, 0.7), "quick": filtered(t, 1e-3), "mean": mean, "rms": math.sqrt(square), "max": most, "min": least, "fastest": fastest}


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        model, out = pathlib.Path(folder) / "model.yaml", pathlib.Path(folder) / "out.csv"
        model.write_text(MODEL)
        for options, limit in ((["--tolerance", "1e-8"], 1e-9), (["--coordinates", "natural", "--tolerance", "1e-10"], 1e-11), (["--preset", "ALi3p", "--step", "1e-3"], 1e-5), (["--formulation", "al1", "--integrator", "dopri5", "--tolerance", "1e-9"], 5e-5)):
            done = subprocess.run([sys.argv[1], "run", str(model), "-o", str(out), *options], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
            with open(out, encoding="utf-8") as lines:
                rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
            assert len(rows) == 21
            for row in rows:
                for name, x in wanted(float(row["time"])).items():
                    if not abs(float(row[name]) - x) < limit * max(1, abs(x)):
                        failed += 1
                        print(f"FAILED {options}: {name} at {row['time']} is {row[name]}, not {x}")
    print(f"{failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
