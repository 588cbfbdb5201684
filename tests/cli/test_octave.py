"""octave/sarrus_read.m reads results: in Octave, if that is there."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
if not shutil.which("octave-cli"):
    print("octave-cli is not there (tools/setup.sh octave): sarrus_read.m is not tested")
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
