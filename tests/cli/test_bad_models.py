#!/usr/bin/env python3
"""Every model of tests/models/bad is refused at the right line with the right words.

Usage: test_bad_models.py PROGRAM SOURCE_ROOT

The first line of each model says what is expected: `# expect: LINE: part of the message`; files are models, or collections of them. And one fault
has one error: what follows from it is not reported.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "tools"))
import collections_of_models  # noqa: E402

GOOD = """sarrus: 1
name: base
dimension: 2
parameters: {L: 1, m: 2, k: 100}
tables: {road: {x: [0, 1, 2], y: [0, 1, 0]}}
ground:
  points: {O: [0, 0], R: [3*L, 0]}
bodies:
  crank: {mass: m, center: [L/2, 0], inertia: m*L^2/12, points: {O: [0, 0], P: [L, 0]}, position: [0, 0], angle: 45 deg}
  rod: {mass: m, inertia: m*L^2/12, points: {P: [0, 0], Q: [L, 0]}, position: [sqrt(0.5)*L, sqrt(0.5)*L], angle: -45 deg}
  slider: {mass: 1, inertia: 0.1, points: {Q: [0, 0]}, position: [sqrt(2)*L, 0], angle: 0}
joints:
  A: {type: revolute, between: [ground.O, crank.O]}
  B: {type: revolute, between: [crank.P, rod.P]}
  C: {type: revolute, between: [rod.Q, slider.Q]}
  guide: {type: prismatic, between: [ground.O, slider.Q], axis: [ground.x, slider.x]}
forces:
  s: {type: spring, between: [ground.R, slider.Q], stiffness: k, length: L}
  r: {type: rotational-spring, joint: A, stiffness: 5}
  f: {type: force, acts_on: crank.P, force: [10*road(t), 0]}
outputs: {theta: A.angle, x: slider.Q.x, v: slider.Q.vx, pull: s.force}
start: {A.rate: 1}
"""
# a fault, and what the only error says
FAULTS = [("{L: 1", "{LL: 1", "'L'"), ("{L: 1", "{L: 1/0", "L is infinite"), ("{L: 1", "{L: (1", "')'"), ("{L: 1", "{L: 1 parsec", "parsec"),
          ("parameters: {L: 1, m: 2, k: 100}\n", "", "there is no parameter 'L'"), ("parameters", "paramters", "'paramters'"), ("tables", "table", "'table'"),
          ("ground:\n", "gruond:\n", "'gruond'"), ("bodies:", "bodys:", "'bodys'"), ("joints:", "joint:", "'joint'"), ("forces:", "force:", "'force'"),
          ("{O: [0, 0], R", "{o: [0, 0], R", "no point 'O'"), ("R: [3*L, 0]", "R: [3*L]", "a list of 2"), ("  crank: {", "  cranc: {", "no body 'crank'"),
          ("P: [L, 0]", "PP: [L, 0]", "no point 'P'"), ("slider: {mass: 1", "slider: {mas: 1", "'mas'"), ("points: {Q", "pts: {Q", "'pts'"), ("  A: {", "  AA: {", "no joint 'A'"),
          ("A: {type: revolute", "A: {type: revolut", "'revolut'"), ("type: spring", "type: sprin", "'sprin'"), ("stiffness: k", "stifness: k", "'stifness'"),
          ("stiffness: k", "stiffness: kk", "'kk'"), ("stiffness: k", "stiffness: 3 kg", "'3 kg'"), ("angle: 45 deg", "angle: 45 degg", "'degg'"), ("  s: {", "  ss: {", '"s"')]


def followers(program):
    """Faults with another answer than the one error; how many."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.yaml")
        for was, now, words in [("", "", None), *FAULTS]:
            path.write_text(GOOD.replace(was, now, 1), encoding="utf-8")
            run = subprocess.run([program, "check", str(path)], capture_output=True, text=True, check=False)
            errors = [line for line in run.stderr.splitlines() if re.search(r":\d+: error: ", line)]
            good = run.returncode == 3 and len(errors) == 1 and words in errors[0] if words else not errors
            if not good:
                print(f"FAILED {was!r} -> {now!r}, {len(errors)} errors:\n{run.stderr}")
            wrong += not good
    return wrong


def expectation(path):
    first = path.read_bytes().split(b"\n", 1)[0].decode()
    match = re.fullmatch(r"# expect: (\d+): (.+)", first)
    if not match:
        raise SystemExit(f"{path}: the first line must be '# expect: LINE: part of the message'")
    return int(match[1]), match[2]


def complaint(program, path):
    """What is wrong with the program's answer, or None."""
    line, words = expectation(path)
    run = subprocess.run([program, "check", str(path)], capture_output=True, timeout=3600)
    answer = run.stderr.decode(errors="replace")
    if run.returncode != 3:
        return f"exit code {run.returncode}, wanted 3", answer
    blocks = [b for b in re.split(r"(?m)^(?=\S)", answer) if b.startswith(str(path))]
    at_line = [b for b in blocks if re.match(re.escape(str(path)) + rf":{line}:\d+: error: .", b)]
    if not at_line:
        return f"no error at line {line}", answer
    if not any(words in block for block in at_line):
        return f"the error at line {line} does not say '{words}'", answer
    return None


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = followers(program)
    with tempfile.TemporaryDirectory() as folder:
        models = collections_of_models.unpack(root / "tests" / "models" / "bad", folder)
        for path in models:
            wrong = complaint(program, path)
            if wrong:
                failed += 1
                print(f"FAILED {path.name}: {wrong[0]}\n{wrong[1]}")
    print(f"{len(models) + len(FAULTS) - failed} passed, {failed} failed")
    return 1 if failed or len(models) < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
