"""Runs that are killed go on from their checkpoint, and end with the bits of a run without a break.

    test_checkpoint.py PROGRAM ROOT [KILLS [OTHER]]     more than the few kills of the test: at as many random moments of each run;
                                                        OTHER: program of another build, which takes turns in going on
"""
import itertools
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import built

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
kills = int(sys.argv[3]) if len(sys.argv) > 3 else 2
programs = itertools.cycle([program, sys.argv[4] if len(sys.argv) > 4 else program])
slow = 10 if built.sanitized(program) else 1
RUNS = [("four-bar", "csv", ["--formulation", "al3", "--step", "1e-4", "--end", str(8 / slow)]),
        ("andrews", "h5", ["--preset", "auto", "--tolerance", "1e-11", "--end", str(0.4 / slow), "--all", "--sample", "1e-3"]),
        ("spatial-double-pendulum", "csv", ["--coordinates", "relative", "--formulation", "nullspace", "--integrator", "rk4", "--step", "5e-5", "--end", str(6 / slow)])]


def numbers(path):
    """What the file holds, but for times of computation."""
    if path.suffix == ".csv":
        return path.read_bytes()
    import h5py

    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()].tobytes()}) if isinstance(item, h5py.Dataset) else None)
    return found


def start(folder, problem, ending, options, *more):
    return subprocess.Popen([next(programs), "run", problem, "-o", folder / f"broken.{ending}", "--checkpoint", folder / "state", "--every", "0.02s", "--quiet",
                             *options, *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=root)


generator = random.Random(int(os.environ.get("SEED", "1")))
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for problem, ending, options in RUNS:
        whole = folder / f"whole.{ending}"
        began = time.monotonic()
        done = subprocess.run([program, "run", problem, "-o", whole, "--quiet", *options], cwd=root, capture_output=True, text=True,
                              env=dict(os.environ, SARRUS_CERTIFY="no"))
        assert done.returncode in (0, 6), done.stderr
        takes = time.monotonic() - began
        killed = 0
        for attempt in range(kills):
            process = start(folder, problem, ending, options, "--resume")
            try:
                process.wait(generator.uniform(0.1, 0.9) * takes / (1 if kills > 20 else kills))
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                killed += 1
            process.communicate()
        # a checkpoint is not begun anew by mistake
        if (folder / "state").exists():
            process = start(folder, problem, ending, options)
            assert "--resume" in process.communicate()[1] and process.returncode == 2
            # nor gone on from with another model or method
            process = start(folder, problem, ending, [*options, "--drawing", "1e-5"], "--resume")
            said = process.communicate()[1]
            assert "options" in said and process.returncode == 1, (said, process.returncode)
        process = start(folder, problem, ending, options, "--resume")
        said = process.communicate()[1]
        assert process.returncode in (0, 6), said
        assert numbers(folder / f"broken.{ending}") == numbers(whole), (problem, attempt)
        assert not list(folder.glob("state*")), list(folder.iterdir())
        print(f"{problem}: {killed} of {kills} killed, {takes:.1f} s")

    # damaged ones are refused, and what is interrupted leaves one
    problem, ending, options = RUNS[0]
    options = [*options, "--end", "1e6"]
    process = start(folder, problem, ending, options)
    while not (folder / "state").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130, process.returncode
    block = bytearray((folder / "state").read_bytes())
    block[len(block) // 2] ^= 1
    (folder / "state").write_bytes(block)
    process = start(folder, problem, ending, options, "--resume")
    assert "damaged" in process.communicate()[1] and process.returncode == 1
    (folder / "state").write_bytes(b"something else")
    process = start(folder, problem, ending, options, "--resume")
    assert "not a checkpoint" in process.communicate()[1] and process.returncode == 1
    for wrong in (["--resume"], ["--checkpoint", "x", "--plot", "x.svg"], ["--checkpoint", "x", "--every", "soon"]):
        assert subprocess.run([program, "run", problem, *wrong], capture_output=True, cwd=folder).returncode == 2, wrong
