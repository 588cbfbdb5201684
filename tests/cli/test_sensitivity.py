"""sarrus sensitivity: what it prints, refuses and writes; and a sample of tools/trust/gradients.py.

Usage: test_sensitivity.py PROGRAM SOURCE_ROOT
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
wrong = []


def check(fine, what):
    if not fine:
        wrong.append(what)


def call(*arguments):
    return subprocess.run([PROGRAM, "sensitivity", *arguments], capture_output=True, text=True, cwd=ROOT, check=False)


def report(*arguments):
    done = call(*arguments, "--json")
    check(done.returncode == 0, f"{arguments}: exit code {done.returncode}, {done.stderr}")
    return json.loads(done.stdout)


def by_name(r):
    return {p["name"]: p for p in r["parameters"]}


def test_slider_crank():
    """Lengths separate the motions, together they do not; whole runs agree."""
    r = report("slider-crank-1", "--of", "xQ", "--by", "L1,L2,L1+L2,m1,theta0", "--end", "2", "--check-differences")
    p = by_name(r)
    for name in ("parameters.L1", "parameters.L2"):
        check("separates the motions" in p[name].get("refused", ""), f"{name}: {p[name]}")
    check(abs(p["parameters.L1"]["gap"] + p["parameters.L2"]["gap"]) < 1e-6, "the allowed direction is not L1 = L2")
    for name in ("L1+L2", "parameters.m1", "parameters.theta0"):
        got, whole, told = p[name]["derivatives"][0], p[name]["whole_runs"][0], p[name]["errors"][0]
        check(abs(got - whole) < 1e-8 * max(1, abs(whole)), f"{name}: {got}, whole runs {whole}")
        check(told < 1e-7, f"{name}: error {told}")


def test_peaucellier():
    """A side of the rhombus separates the motions that meet where it is folded; the straight line x = (l^2 - s^2)/2a is differentiated through that."""
    keep = {"l1+l2": 2 / 1, "s1+s2+s3+s4": -.9 / 1, "a+d": -(4 - .81) / 2, "parameters.m": 0, "parameters.w": 0}
    kept, separated = ("parameters.l1", "parameters.a", "parameters.d", "s1+s3"), ("parameters.s1", "parameters.s4", "s1+s2")
    asked = ("tests/models/peaucellier.yaml", "--of", "x", "--of", "y", "--by", ",".join([*keep, *kept, *separated]), "--check-differences")
    for coordinates in ("natural", "cartesian", "increments", "relative"):
        p = by_name(report(*asked, "--coordinates", coordinates))
        for name, wanted in keep.items():
            check(abs(p[name]["derivatives"][0] - wanted) < 1e-9, f"{coordinates}, {name}: {p[name]}, wanted {wanted}")
        for name in (*keep, *kept):
            for got, whole in zip(p[name]["derivatives"], p[name]["whole_runs"]):
                check(abs(got - whole) < 2e-9, f"{coordinates}, {name}: {got}, whole runs {whole}")
        for name in separated:
            check("separates the motions" in p[name].get("refused", ""), f"{coordinates}, {name}: {p[name]}")
        check(abs(p["parameters.s1"]["gap"] + p["parameters.s4"]["gap"]) < 1e-6, f"{coordinates}: s1 and s4 together are allowed")


def test_file():
    """The HDF5 file has what --json has: an objective in its own rows, NaN elsewhere and where a number is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "d.h5")
        asked = ("slider-crank-1", "--of", "xQ", "--of", "max: xQ/2", "--by", "m1,L1,theta0", "--end", "2", "--at", "4", "--quick")
        r = report(*asked, "-o", path)
        with h5py.File(path) as file:
            check(file.attrs["parameters"].split("\n") == [p["name"] for p in r["parameters"]], "names of the parameters")
            check(json.loads(file.attrs["json"])["rows"] == r["rows"] and file.attrs["verdict"] == "completed", "the report in the file")
            time = list(file["time"])
            check(time == sorted({row["t"] for row in r["rows"]}), f"times {time}")
            for k, row in enumerate(r["rows"]):
                of, at = row["of"].replace("/", ":"), time.index(row["t"])
                check(file[f"outputs/{of}"][at] == row["value"], f"value {row}")
                for i, p in enumerate(r["parameters"]):
                    for group, key in (("derivatives", "derivatives"), ("errors", "errors")):
                        got, wanted = file[f"{group}/{of}"][at, i], p[key][k]
                        check(math.isnan(got) if wanted is None else got == wanted, f"{group} {row} {p['name']}: {got}, {wanted}")
            check(sum(math.isfinite(x) for x in file["outputs/max: xQ:2"]) == 1, "rows of another objective")
        for name, words in (("d.csv", "derivatives are written as .h5"), ("none/d.h5", "cannot write")):
            done = call(*asked, "-o", os.path.join(folder, name))
            check(done.returncode != 0 and words in done.stderr, f"{name}: {done.stderr}")


def test_every_number():
    """All numbers of a mechanism with a singular configuration: each has a derivative or a reason."""
    for model, of, end in (("four-bar", "phi", "2"), ("n-four-bar", "theta", "1")):
        for p in report(model, "--of", of, "--by", "all", "--end", end, "--quick")["parameters"]:
            check(p.get("refused") or p["derivatives"][0] is not None, f"{model}, {p['name']}: neither a derivative nor a reason")
    p = by_name(report("four-bar", "--of", "phi", "--by", "bodies.A.points.J2[0],bodies.A.points.J2[2],bodies.A.mass", "--end", "2", "--quick"))
    check("separates" in p["bodies.A.points.J2[0]"]["refused"], "a length of the four-bar")
    check("redundant" in p["bodies.A.points.J2[2]"]["refused"], "a crank out of its plane")
    check("refused" not in p["bodies.A.mass"], "a mass")


def test_fixed_steps():
    """al3 with a fixed step: both ways, against whole runs with the same step; what it does not go through is said."""
    asked = ("four-bar", "--of", "xA", "--by", "bodies.A.mass,bodies.B.mass,gravity[2]", "--end", "0.5", "--formulation", "al3", "--step", "5e-3", "--quick")
    p = report(*asked, "--check-differences")["parameters"]
    for x in p:
        got, whole = x["derivatives"][0], x["whole_runs"][0]
        check(abs(got - whole) < 1e-8 * max(1, abs(whole)), f"fixed steps, {x['name']}: {got}, whole runs {whole}")
    with tempfile.TemporaryDirectory() as folder:
        ball = pathlib.Path(folder) / "ball.yaml"
        ball.write_text("sarrus: 1\nname: ball\ndimension: 2\nparameters: {h: 1, e_n: 0.8}\ngravity: [0, -9.81]\n"
                        "bodies: {ball: {mass: 1, inertia: 0.01, position: [0, h]}}\n"
                        "constraints: {floor: {position: ball.origin.y, lower: 0, restitution: e_n}}\noutputs: {y: ball.origin.y}\n")
        asked = (str(ball), "--of", "y", "--by", "h,e_n", "--formulation", "al3", "--step", "0.01", "--quick")
        for x in report(*asked, "--end", "1.2", "--check-differences")["parameters"]:
            check(abs(x["derivatives"][0] - x["whole_runs"][0]) < 1e-7, f"through impacts, {x}")
        ball.write_text(ball.read_text(encoding="utf-8") + "method: {tolerance: 1e-8}\n", encoding="utf-8") # which al3 has no use for
        r = report(*asked, "--integrator", "trapezoidal", "--coordinates", "natural", "--end", "1.2")
        check("'tolerance' is not used" in "".join(r["warnings"]) and r["parameters"][0]["derivatives"], f"a tolerance of the model: {r}")
        ball.write_text(ball.read_text(encoding="utf-8").replace("method: {tolerance: 1e-8}\n", ""), encoding="utf-8")
        done = call(*asked, "--end", "6")
        check(done.returncode != 0 and "steps of fixed length" in done.stderr, f"a contact that closes: {done.stderr}")


def test_forces_of_redundant_joints():
    """They have slopes along motions alone: both ways are the same, and as whole runs."""
    asked = ("ladder", "--of", "Fz", "--by", "gravity[1],parameters.M", "--end", "1.5", "--formulation", "al3", "--step", "3e-3", "--quick")
    for coordinates in ("increments", "relative"):
        direct = report(*asked, "--coordinates", coordinates, "--check-differences")["parameters"]
        adjoint = by_name(report(*asked, "--coordinates", coordinates, "--adjoint"))
        for p in direct:
            got, back, whole = p["derivatives"][0], adjoint[p["name"]]["derivatives"][0], p["whole_runs"][0]
            check(abs(back - got) < 1e-9 * abs(got) and abs(got - whole) < 1e-7 * abs(whole), f"ladder {coordinates}, {p['name']}: {got}, backwards {back}, whole runs {whole}")


def chain(n):
    """n links of 1 m, released at rest from the horizontal; far from the origin rounding of places is that of accelerations, times 4/h^2."""
    links = [f"  b{i}: {{mass: 1, inertia: 0.1, center: [0.5, 0], points: {{a: [0, 0], b: [1, 0]}}, position: [{i - 1}, 0]}}" for i in range(1, n + 1)]
    joints = [f"  J{i}: {{type: revolute, between: [{'ground.origin' if i == 1 else f'b{i - 1}.b'}, b{i}.a]}}" for i in range(1, n + 1)]
    return "\n".join(["sarrus: 1", "name: links", "dimension: 2", "gravity: [0, -9.81]", "bodies:", *links, "joints:", *joints, f"outputs: {{y: b{n}.b.y}}"]) + "\n"


def test_many_numbers():
    """The last link falls freely while the others hang up behind it: y = y0 + g t^2/2, whatever they are; by 40 numbers at once, of all kinds."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "links.yaml")
        pathlib.Path(path).write_text(chain(100), encoding="utf-8")
        names = ["gravity[1]"] + [f"bodies.b{i}.{part}" for i in range(1, 14) for part in ("mass", "points.b[0]", "center[0]")]
        asked = (path, "--of", "y", "--by", ",".join(names), "--end", "0.9", "--formulation", "al3", "--step", "1e-3", "--quick", "--adjoint")
        for p in report(*asked)["parameters"]:
            wanted = 0.5 * 0.9**2 if p["name"] == "gravity[1]" else 0.0
            check(abs(p["derivatives"][0] - wanted) < 1e-9, f"chain, {p['name']}: {p['derivatives']}, wanted {wanted}")


def test_revolutions():
    """An output that depends on a number itself, of an angle after revolutions: gain (w t)^2, at the end and on the way."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rotor.yaml")
        pathlib.Path(path).write_text("sarrus: 1\nname: rotor\ndimension: 2\nparameters: {gain: 2, w: 20}\ngravity: [0, 0]\n"
                                      "bodies: {rotor: {mass: 1, center: [0.1, 0], inertia: 0.1, position: [0, 0]}}\n"
                                      "joints: {A: {type: revolute, between: [ground.origin, rotor.origin]}}\n"
                                      "outputs: {turned: gain*A.angle^2}\nstart: {A.rate: w}\n", encoding="utf-8")
        steps = ["--formulation", "al3", "--step", "1e-3"] # the rule turns a little less in a step, by h^2 w^2/12 of it; values between steps are on a line
        for method, limit in ((steps, 3e-4), ([], 1e-8)):
            for more, times in (([], [1]), (["--at", "3"], [1 / 3, 2 / 3, 1])):
                for way in ("--direct", "--adjoint"):
                    r = report(path, "--of", "turned", "--by", "gain,w", "--end", "1", "--quick", way, *method, *more)
                    p = by_name(r)
                    check(not r["warnings"], f"rotor {method} {way} {more}: {r['warnings']}")
                    for k, t in enumerate(times):
                        got, angle = p["parameters.gain"]["derivatives"][k], 20 * t
                        check(abs(got - angle**2) < limit * angle**2, f"rotor {method} {way} {more}: by gain {got}, wanted {angle**2}")
                        got, wanted = p["parameters.w"]["derivatives"][k], 2 * 2 * angle * t
                        check(abs(got - wanted) < limit * wanted, f"rotor {method} {way} {more}: by w {got}, wanted {wanted}")


def test_stiff():
    """Implicit steps: a block that creeps back against a damper, x (r e^(st) - s e^(rt))/(r - s); a wheel that strikes the road."""

    def creep(m, k, c, far, t):
        fast = (-c - math.sqrt(c * c - 4 * m * k)) / (2 * m)
        slow = k / (m * fast)
        return far * (fast * math.exp(slow * t) - slow * math.exp(fast * t)) / (fast - slow)

    values = {"m": 2, "k": 3000, "c": 2e4, "far": 0.3}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "block.yaml")
        pathlib.Path(path).write_text("sarrus: 1\nname: block\ndimension: 2\nparameters: {m: 2, k: 3000, c: 20000, far: 0.3}\ngravity: [0, 0]\n"
                                      "bodies: {block: {mass: m, inertia: 1, position: [1 + far, 0]}}\n"
                                      "joints: {guide: {type: prismatic, between: [ground.origin, block.origin], axis: [1, 0]}}\n"
                                      "forces: {s: {type: spring, between: [ground.origin, block.origin], stiffness: k, damping: c, length: 1}}\n"
                                      "outputs: {at: block.origin.x - 1}\n", encoding="utf-8")
        for more in ([], ["--formulation", "chart", "--integrator", "radau"], ["--adjoint"], ["--coordinates", "natural"]):
            p = by_name(report(path, "--of", "at", "--by", "m,k,c,far", "--end", "5", *more))
            for name, value in values.items():
                f = [creep(**{**values, name: value * (1 + i * 1e-3)}, t=5) for i in (1, -1, 2, -2)]
                wanted = (8 * (f[0] - f[1]) - f[2] + f[3]) / (12e-3 * value)
                got = p[f"parameters.{name}"]["derivatives"][0]
                check(abs(got - wanted) < 1e-9 * abs(wanted) + 1e-11 / value, f"block {more}, {name}: {got}, wanted {wanted}")
        pathlib.Path(path).write_text(pathlib.Path(path).read_text(encoding="utf-8").replace("c: 20000", "c: 120"), encoding="utf-8")
        for more in ([], ["--formulation", "al3", "--step", "5e-3"]): # at rest long since: slopes of what is forgotten are no numbers any more
            r = report(path, "--of", "at", "--by", "m,k,c,far", "--end", "60", "--adjoint", "--quick", *more)
            check(not r["warnings"] and all(abs(p["derivatives"][0]) < 1e-9 for p in r["parameters"]), f"a motion that has ended {more}: {r}")
    for p in report("suspension", "--of", "hub", "--of", "max: swing", "--by", "k,load,bodies.lower.mass", "--end", "0.3", "--check-differences")["parameters"]:
        for got, whole, told in zip(p["derivatives"], p["whole_runs"], p["errors"]):
            check(abs(got - whole) < 5 * told + 1e-7 * abs(whole), f"suspension, {p['name']}: {got}, whole runs {whole}, told {told}")


BARS = """sarrus: 1
name: bars
dimension: 2
gravity: [0, -9.81]
ground: {points: {D: [2, 0]}}
bodies:
  crank: {mass: 1, center: [0.5, 0], inertia: 0.1, points: {A: [0, 0], B: [1, 0]}, position: [0, 0], angle: 90 deg}
  coupler: {mass: 2, center: [1, 0.2], inertia: 0.7, points: {B: [0, 0], C: [1.999, 0]}, position: [0, 1], angle: 0}
  rocker: {mass: 1.5, center: [0.7, 0], inertia: 0.2, points: {D: [0, 0], C: [1, 0.001]}, position: [2, 0], angle: 90 deg}
joints:
  A: {type: revolute, between: [ground.origin, crank.A]}
  B: {type: revolute, between: [crank.B, coupler.B]}
  C: {type: revolute, between: [coupler.C, rocker.C]}
  D: {type: revolute, between: [ground.D, rocker.D]}
outputs: {x: coupler.C.x}
"""


def test_small_numbers():
    """A change below the precision of a drawing moves the start as larger ones do, in all coordinates: whole runs with larger ones."""
    name = "bodies.rocker.points.C[1]"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bars.yaml")

        def end(offset):
            pathlib.Path(path).write_text(BARS.replace("[1, 0.001]", f"[1, {offset!r}]"), encoding="utf-8")
            done = subprocess.run([PROGRAM, "sensitivity", path, "--of", "x", "--by", "gravity[0]", "--end", "0.5", "--tolerance", "1e-12", "--quick", "--json"],
                                  capture_output=True, text=True, check=False)
            return json.loads(done.stdout)["rows"][0]["value"]

        d = 1e-4
        wanted = (8 * (end(1e-3 + d) - end(1e-3 - d)) - end(1e-3 + 2 * d) + end(1e-3 - 2 * d)) / (12 * d)
        pathlib.Path(path).write_text(BARS, encoding="utf-8")
        for coordinates in ("natural", "cartesian", "relative"):
            for way, limit in (([], 1e-7), (["--adjoint"], 1e-7), (["--formulation", "al3", "--step", "1e-3"], 1e-5)):
                got = by_name(report(path, "--of", "x", "--by", name, "--end", "0.5", "--coordinates", coordinates, "--quick", *way))[name]["derivatives"][0]
                check(abs(got - wanted) < limit, f"bars {coordinates} {way}: {got}, wanted {wanted}")


def test_far_from_the_origin():
    """A small part of a place that is far away is a long way: the derivative is that of the same mechanism near the origin."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bars.yaml")
        for way, limit in (([], 1e-6), (["--adjoint"], 1e-6), (["--formulation", "al3", "--step", "1e-3", "--coordinates", "cartesian"], 1e-6)):
            found = []
            for x in (1, 20001):
                text = BARS.replace("D: [2, 0]}", f"D: [{x + 2}, 0], A: [{x}, 0]}}").replace("ground.origin", "ground.A").replace("position: [2, 0]", f"position: [{x + 2}, 0]")
                pathlib.Path(path).write_text(text.replace("position: [0, ", f"position: [{x}, "), encoding="utf-8")
                found.append(report(path, "--of", "x", "--by", "ground.points.D[0]", "--end", "0.5", "--quick", *way)["parameters"][0].get("derivatives", [math.inf])[0])
            check(abs(found[0] - found[1]) < limit, f"far from the origin {way}: {found}")


def test_rounding_of_zero():
    """Components and angles that are zero but for rounding: what changes of them are small beside is the vector, or a radian."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bars.yaml")
        asked = (path, "--of", "x", "--by", "bodies.coupler.center[1],bodies.coupler.angle", "--end", "0.5", "--quick")
        for way in ([], ["--adjoint"], ["--formulation", "al3", "--step", "1e-3"]):
            found = []
            for zero in ("0", "3e-17"):
                pathlib.Path(path).write_text(BARS.replace("[1, 0.2]", f"[1, {zero}]").replace("angle: 0}", f"angle: {zero}}}"), encoding="utf-8")
                found.append([p["derivatives"][0] for p in sorted(report(*asked, *way)["parameters"], key=lambda p: p["name"])])
            check(max(abs(a - b) for a, b in zip(*found)) < 1e-7, f"a zero {way}: {found}")


def test_half_turn():
    """A body drawn at 180 degrees may have two angles: the same derivative in all coordinates."""
    for coordinates in ("cartesian", "increments", "relative"):
        for way, limit in (([], 1e-8), (["--formulation", "al3", "--step", "1e-3"], 3e-4)):
            p = by_name(report("pendulum", "--of", "y", "--by", "bodies.bob.angle", "--end", "3", "--coordinates", coordinates, "--quick", *(way or ["--preset", "auto"])))
            got = p["bodies.bob.angle"]["derivatives"][0]
            check(abs(got - 0.5092714469) < limit, f"half a turn, {coordinates} {way}: {got}") # whole runs with tolerance 1e-12


def test_jumps():
    """A force that begins at T, x = 1 + F/m (end - T)^2/2: fixed steps end there, and by T itself they are not differentiated; by place they do not end."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "jump.yaml")
        text = ("sarrus: 1\nname: jump\ndimension: 2\nparameters: {T: 0.5003, F: 3}\ngravity: [0, 0]\n"
                "bodies: {block: {mass: 2, inertia: 1, position: [1, 0]}}\n"
                "joints: {guide: {type: prismatic, between: [ground.origin, block.origin], axis: [1, 0]}}\n"
                "forces: {f: {type: force, acts_on: block.origin, force: ['F*(t > T)', 0]}}\noutputs: {at: block.origin.x}\n")
        pathlib.Path(path).write_text(text, encoding="utf-8")
        p = by_name(report(path, "--of", "at", "--by", "T,F", "--end", "1"))
        check(abs(p["parameters.T"]["derivatives"][0] + 1.5 * 0.4997) < 1e-8, f"by the time of a jump: {p}")
        for way in ("--direct", "--adjoint"):
            p = by_name(report(path, "--of", "at", "--by", "T,F", "--end", "1", "--formulation", "al3", "--step", "1e-3", "--quick", way))
            check("jumps at another time than t = 0.5003" in p["parameters.T"].get("refused", ""), f"by the time of a jump, fixed steps: {p}")
            check(abs(p["parameters.F"]["derivatives"][0] - 0.4997**2 / 4) < 1e-10, f"by a force that jumps: {p}")
        pathlib.Path(path).write_text(text.replace("F*(t > T)", "F*(block.origin.x > 1.02) + 1"), encoding="utf-8")
        done = call(path, "--of", "at", "--by", "F", "--end", "1", "--formulation", "al3", "--step", "1e-3")
        check(done.returncode == 2 and '"f" jumps at t = 0.28' in done.stderr, f"a jump by place: {done.stderr}")
        check(not call(path, "--of", "at", "--by", "F", "--end", "1").stderr, "a jump by place, automatic method")
    done = call("suspension", "--of", "hub", "--by", "k", "--end", "0.2", "--formulation", "al3", "--step", "1e-3")
    check(done.returncode == 2 and "touches" in done.stderr, f"a tyre that touches the road, fixed steps: {done.stderr}")


def test_backwards():
    """Backwards in time errors are known from a second run alone; where it is done number by number that is said."""
    asked = ("examples/design/swing.yaml", "--of", "stretch", "--by", "k,m,c", "--end", "0.5", "--adjoint")
    r = report(*asked, "--quick")
    errors = [p["errors"][0] for p in r["parameters"]]
    check(not r["warnings"] and errors.count(None) == 3, f"backwards: {r}")
    check(" -\n" in call(*asked, "--quick").stdout, "an error that is not known is shown as one")
    check(None not in [p["errors"][0] for p in report(*asked)["parameters"]], "the second run gives errors")
    r = report("slider-crank-1", "--of", "xQ", "--by", "m1,theta0", "--end", "1", "--quick", "--adjoint")
    p = by_name(report("chain", "--of", "y_last", "--by", "gravity[2],parameters.shape", "--end", "0.1", "--quick", "--adjoint"))
    check("not valid" in p["parameters.shape"].get("refused", "") and p["gravity[2]"]["derivatives"], f"one number that no model is for: {p}")
    check("number by number" in "".join(r["warnings"]) and None not in [p["errors"][0] for p in r["parameters"]], f"through a singular configuration: {r}")


def test_words():
    done = call("slider-crank-1", "--list")
    check("bodies.rod.points.Q[0]" in done.stdout and done.returncode == 0, "--list")
    for arguments, words in ((["--of", "xQ"], "by which numbers"), (["--by", "m1"], "of what"), (["--of", "xQ", "--by", "nothing"], "no number"),
                             (["--of", "xQ", "--by", "m1", "--at", "x"], "neither end nor"),
                             (["--of", "xQ", "--by", "m1", "--formulation", "nullspace", "--integrator", "rk4"], "not differentiated")):
        done = call("slider-crank-1", *arguments)
        check(done.returncode == 2 and words in done.stderr, f"{arguments}: {done.returncode}, {done.stderr}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bars.svg")
        done = call("slider-crank-1", "--of", "xQ", "--by", "m1,g", "--end", "1", "--quick", "--plot", path)
        check(done.returncode == 0 and pathlib.Path(path).read_text(encoding="utf-8").count("<rect") == 3, f"bars: {done.stderr}")


def test_phases():
    """A joint that goes, and with it the number of coordinates; outputs in expressions; reasons in one line."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "release.yaml"
        model.write_text("sarrus: 1\nname: release\ndimension: 2\nparameters: {L: 1, k: 50, th: 1.2, T: 1.2, zero: 0}\ngravity: [zero, -9.81]\n"
                         "ground: {points: {S: [0.5, 0]}}\n"
                         "bodies: {p: {mass: 1, center: [L, 0], inertia: 0.01, points: {O: [0, 0], T: [L, 0]}, position: [0, 0], angle: -th}}\n"
                         "joints: {A: {type: revolute, between: [ground.origin, p.O]}}\n"
                         "forces: {s: {type: spring, between: [ground.S, p.T], stiffness: k, length: 0.3, active: no}}\n"
                         "phases: [{when: A.angle + 1.8, crossing: falling, add: [s]}, {at: T, remove: [A]}]\n"
                         "outputs: {tx: p.T.x, ty: p.T.y}\nstart: {A.angle: -th}\nmethod: {end: 1.6}\n")
        for more in ([], ["--coordinates", "natural"], ["--coordinates", "relative"]):
            for x in report(str(model), "--of", "tx", "--of", "integral: 2*ty^2", "--by", "L,k,th,T", "--check-differences", *more)["parameters"]:
                for got, whole in zip(x["derivatives"], x["whole_runs"]):
                    check(abs(got - whole) < 2e-8 * max(1, abs(whole)), f"phases {more}, {x['name']}: {got}, whole runs {whole}")
        twice = report(str(model), "--of", "2*tx + max(ty, -9)", "--of", "2*p.T.x + p.T.y", "--by", "k", "--quick")["parameters"][0]["derivatives"]
        check(twice[0] == twice[1], f"outputs in an expression: {twice}")
        done = call(str(model), "--of", "tz", "--by", "L")
        check("neither an output of the model (tx, ty)" in done.stderr, done.stderr)
        done = call(str(model), "--of", "tx", "--by", "zero,k", "--quick")
        check("* it is 0: what 0.01 does" in done.stdout, done.stdout)
        done = call(str(model), "--of", "tx", "--by", "k", "--plot", "bars.png")
        check(done.returncode == 2 and not done.stdout, f"a picture that cannot be written is refused first: {done.stdout}")
        model.write_text(model.read_text(encoding="utf-8").replace("L: 1,", "L: {value: 1, tolerance: 1e-3},").replace("k: 50,", "k: {value: 50, tolerance: 2},"), encoding="utf-8")
        picture = pathlib.Path(folder) / "band.svg"
        r = report(str(model), "--of", "tx", "--by", "tolerances", "--at", "20", "--quick", "--plot", str(picture))
        p = by_name(r)
        for k, row in enumerate(r["rows"]):
            band = math.hypot(1e-3 * p["parameters.L"]["derivatives"][k], 2 * p["parameters.k"]["derivatives"][k])
            check(abs(row["band"] - band) < 1e-12, f"band {row}, wanted {band}")
        check(picture.read_text(encoding="utf-8").count("by tolerances") >= 2, "no bands in the picture")
    done = call("four-bar", "--of", "phi", "--by", "bodies.A.points.J2[2],bodies.B.points.J2[2]", "--end", "1", "--quick")
    check(done.stdout.count("redundant") == 1 and "J2[2], bodies.B" in done.stdout, f"the same reason twice: {done.stdout}")


def test_sample_of_trust():
    tool = ROOT / "tools/trust/gradients.py"
    done = subprocess.run([sys.executable, tool, "--count", "4", "--seed", "5", "--program", PROGRAM], capture_output=True, text=True, check=False)
    check(done.returncode == 0, done.stdout + done.stderr)


test_slider_crank()
test_peaucellier()
test_file()
test_every_number()
test_fixed_steps()
test_forces_of_redundant_joints()
test_many_numbers()
test_revolutions()
test_stiff()
test_small_numbers()
test_far_from_the_origin()
test_rounding_of_zero()
test_half_turn()
test_jumps()
test_backwards()
test_words()
test_phases()
test_sample_of_trust()
print("\n".join(wrong))
sys.exit(bool(wrong))
