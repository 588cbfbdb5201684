"""octave/sarrus_read.m reads results, and octave/sarrus_equations.c gives the equations: in Octave, if that is there."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
if not shutil.which("octave-cli"):
    print("octave-cli is not there (tools/setup.sh octave): nothing of Octave is tested")
    sys.exit(0)

SCRIPT = """addpath('%(root)s/octave');
a = sarrus_read('%(folder)s/run.csv'); b = sarrus_read('%(folder)s/run.h5');
assert(isequal(a.time, b.time)); assert(isequal(a.outputs.phi, b.outputs.phi)); assert(numel(a.time) == 101);
assert(size(b.bodies.A.position), [101 3]); assert(size(b.joints.J1.force), [101 3]); assert(size(b.energy.drift), [101 1]);
assert(abs(norm(b.bodies.A.quaternion(51, :)) - 1) < 1e-12);
printf('%%.17g\\n', a.outputs.phi(end));
"""
with tempfile.TemporaryDirectory() as folder:
    for ending in ("csv", "h5"):
        subprocess.run([program, "run", root / "problems" / "four-bar" / "model.yaml", "--end", "1", "--step", "1e-2", "--all", "-o", f"{folder}/run.{ending}",
                        "--quiet"], check=True, capture_output=True)
    done = subprocess.run(["octave-cli", "--no-gui", "--eval", SCRIPT % {"root": root, "folder": folder}], capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split()[-1] == pathlib.Path(folder, "run.csv").read_text().split()[-1].split(",")[1], done.stdout

# The pendulum of length 1 and mass 1 at the angle phi, and what is refused.
EQUATIONS = """addpath('%(folder)s');
e = sarrus_equations('%(folder)s/pendulum.yaml', 'relative');
assert(e.positions, {'J.angle'}); assert(e.velocities, {'J.rate'}); assert(isempty(e.constraints)); assert(e.q, 0.4, 1e-14); assert(e.v, 1.5, 1e-13);
at = sarrus_equations(e.id, 0, 0.9, -0.8);
assert(at.M, 0.3 + 2*0.25, 1e-14); assert(at.Q, -2*9.81*0.5*cos(0.9), 1e-13); assert(at.kinetic, 0.5*0.8*0.64, 1e-14);
[y, by_q, by_v, by_t] = sarrus_equations(e.id, 'output', 'y');
assert([y by_q by_v by_t], [0.7*cos(0.9)*0.8^2, -0.7*sin(0.9)*0.8^2, 0.7*cos(0.9)*2*-0.8, 0], 1e-14);
J = sarrus_equations(e.id, 'jacobian', 'bob', [1 0 0]); assert(J', [-sin(0.9) cos(0.9) 0 0 0 1], 1e-14);
[center, mass, inertia] = sarrus_equations(e.id, 'inertia', 'bob'); assert(center, 0.5*[cos(0.9); sin(0.9); 0], 1e-14); assert(mass, 2);
n = sarrus_equations('%(folder)s/pendulum.yaml', 'natural'); at = sarrus_equations(n.id, n.t, n.q, n.v);
assert(norm(at.Phi_q*n.v) < 1e-12); assert(size(at.M), numel(n.v)*[1 1]); assert(sarrus_equations(n.id, 'move', n.q, 0*n.v), n.q);
[R, r, s, M, Q] = sarrus_equations(n.id, 'independent', 1); assert(norm(at.Phi_q*R) < 1e-12); assert(M, R'*at.M*R, 1e-12);
sarrus_equations(n.id, 'close');
function refused(words, varargin)
  try
    sarrus_equations(varargin{:});
  catch problem
    assert(! isempty(strfind(problem.message, words)), problem.message); return
  end
  error('not refused: %%s', words);
end
refused('no equations of that id', n.id, 'close'); refused('q must have 1 real', e.id, 0, [1 2], 1); refused("there is no body 'rod'", e.id, 'inertia', 'rod');
refused('coordinates "polar"', '%(folder)s/pendulum.yaml', 'polar'); refused('none.yaml', '%(folder)s/none.yaml', 'natural'); refused("no 'what'", e.id, 'what');
disp('equations are right');
"""
MODEL = """
sarrus: 1
name: pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  bob: {mass: 2, inertia: 0.3, center: [0.5, 0], position: [0, 0], angle: 0.4, points: {A: [0, 0], B: [0.7, 0]}}
joints:
  J: {type: revolute, between: [ground.origin, bob.A]}
start: {J.rate: 1.5}
outputs: {y: "bob.B.x*J.rate^2"}
"""
build = pathlib.Path(program).resolve().parent
if not shutil.which("mkoctfile") or not (build / "libsarrus.so").exists():
    print("mkoctfile (tools/setup.sh octave) or libsarrus.so is not there: sarrus_equations.c is not tested")
    sys.exit(0)
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "pendulum.yaml").write_text(MODEL)
    subprocess.run(["mkoctfile", "--mex", root / "octave" / "sarrus_equations.c", f"-I{root / 'include'}", f"-L{build}", "-lsarrus", f"-Wl,-rpath,{build}",
                    "-o", f"{folder}/sarrus_equations.mex"], check=True, timeout=3600, cwd=folder, env={**os.environ, "CFLAGS": "-O1 -std=c17"})
    done = subprocess.run(["octave-cli", "--no-gui", "--eval", EQUATIONS % {"folder": folder}], capture_output=True, text=True, timeout=3600)
    assert "equations are right" in done.stdout, done.stdout + done.stderr
