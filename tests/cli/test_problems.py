"""Every problem and every example runs by its name alone, and its result can be trusted.

    python3 test_problems.py PROGRAM SOURCE_ROOT
"""
import json
import os
import subprocess
import sys

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
CERTIFIED = {name: value for name, value in os.environ.items() if name != "SARRUS_CERTIFY"}


def names():
    listed = subprocess.run([PROGRAM, "describe", "problems"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert {"n-four-bar", "vehicle", "robot", "tyre-rig"} <= set(listed) and len(listed) > 40, listed
    return sorted(listed)


def test_every_model_runs_by_its_name():
    wrong = {}
    for name in names():
        done = subprocess.run([PROGRAM, "run", name, "--json"], cwd=ROOT, env=CERTIFIED, capture_output=True, text=True, check=False)
        said = json.loads(done.stdout) if done.stdout else {}
        if done.returncode != 0 or not said.get("trusted", True):
            wrong[name] = (done.returncode, said.get("warnings"), said.get("certificate"), done.stderr)
    assert not wrong, wrong


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
