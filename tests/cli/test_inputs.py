"""Inputs of a model as functions of time: expressions, tables that are continuous or held, and what is wrong with them."""
import csv
import pathlib
import subprocess
import sys
import tempfile

program = sys.argv[1]
MODEL = """sarrus: 1
name: cart
dimension: 2
inputs: {u: {start: 1, unit: N}, w: 0}
bodies:
  block: {mass: 2 kg, inertia: 1, position: [0, 0], angle: 0}
joints:
  rail: {type: prismatic, between: [ground.origin, block.origin], axis: [1, 0]}
forces:
  push: {type: force, acts_on: block.origin, force: [u + w, 0]}
outputs: {speed: rail.speed, u: u}
"""
METHODS = [["--formulation", "al3", "--step", "1e-2"], ["--formulation", "nullspace", "--integrator", "rk4", "--step", "1e-2"], ["--tolerance", "1e-9"],
           ["--formulation", "al1", "--integrator", "bdf", "--tolerance", "1e-9"]]

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "cart.yaml").write_text(MODEL)
    (folder / "u.csv").write_text("# measured\ntime,u,other\n0,1,0\n\n# a jump\n0.333,-3,2\n2,-3,2\n")

    def run(*options):
        done = subprocess.run([program, "run", folder / "cart.yaml", "-o", folder / "out.csv", "--end", "1", "--quiet", *options],
                              capture_output=True, text=True)
        return done

    def last(*options):
        done = run(*options)
        assert done.returncode == 0, (options, done.stderr)
        with open(folder / "out.csv") as file:
            return {key: float(value) for key, value in list(csv.DictReader(file))[-1].items()}

    # the speed is the impulse by the mass
    ramp = 0.333 * (1 - 3) / 2 - 3 * 0.667
    for method in METHODS:
        for inputs, impulse in [([], 1), (["--input", "u=3*t^2"], 1), (["--input", "u=2", "--input", "w=-t"], 1.5),
                                (["--input", f"u={folder}/u.csv,hold"], 0.333 - 3 * 0.667), (["--input", f"u={folder}/u.csv"], ramp),
                                (["--input", f"w={folder}/u.csv:other,hold"], 1 + 2 * 0.667)]:
            got = last(*method, *inputs)["speed"]
            limit = 1e-4 if "u.csv" in str(inputs) and "hold" not in str(inputs) or "t^2" in str(inputs) else 1e-6
            assert abs(got - impulse / 2) < limit, (method, inputs, got, impulse / 2)

    for wrong, why in [("u", "expected NAME="), ("z=1", "no such input"), ("u=sin(", "--input u=sin("), ("u=w", "no inputs"), ("u=none.csv", "none.csv"),
                       (f"w={folder}/u.csv:nix", "no such column"), ("u=rail.speed", "signal")]:
        done = run("--input", wrong)
        assert done.returncode == 2 and why in done.stderr, (wrong, done.returncode, done.stderr)
    # a file that is read is not written over
    done = subprocess.run([program, "run", folder / "cart.yaml", "-o", folder / "u.csv", "--input", f"u={folder}/u.csv"], capture_output=True, text=True)
    assert done.returncode == 2 and (folder / "u.csv").read_text().startswith("# measured"), done
    for text, why in [("inputs: {t: 1}", "t"), ("inputs: {u: 1, u2: {begin: 3}}", "begin"), ("inputs: [1]", "inputs"), ("inputs: {rail: 1}", "rail")]:
        (folder / "bad.yaml").write_text(MODEL.replace("inputs: {u: {start: 1, unit: N}, w: 0}", text))
        done = subprocess.run([program, "check", folder / "bad.yaml"], capture_output=True, text=True)
        assert done.returncode == 3 and why in done.stderr, (text, done.returncode, done.stderr)
